//! Records as JSON lines and as CSV.

use super::text::refused;
use crate::failure::{Failure, Status};
use cica_smf::field::HEADER;
use cica_smf::{Field, Layout, Record, Value};
use clap::ValueEnum;
use serde_json::{json, Map};
use std::io::Write;

/// How records are exported
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// An object for each record, a line each
    Json,
    /// A line for each record, and one with the names of the fields; records of one type and subtype at a time
    Csv,
    /// Not supported yet
    Parquet,
}

/// An object for each record.
pub fn json_lines(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    for record in records {
        let named = |(field, value): (&Field, Value)| {
            let value = match value {
                Value::Number(n) => i64::try_from(n).map_or_else(|_| json!(n.to_string()), |n| json!(n)),
                Value::Text(text) => json!(text),
            };
            (field.name.to_owned(), value)
        };
        let mut fields: Map<_, _> = record.fields().map(named).collect();
        let entries = record
            .entries()
            .map(|entry| entry.into_iter().map(named).collect::<Map<_, _>>());
        let entries: Vec<_> = entries.collect();
        if !entries.is_empty() {
            fields.insert("sections".into(), json!(entries));
        }
        writeln!(out, "{}", serde_json::Value::Object(fields))?;
    }
    Ok(if records.is_empty() {
        Status::NOTHING
    } else {
        Status::DONE
    })
}

/// A line for each record, or for each of the sections that it has several of.
pub fn csv(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    let Some(first) = records.first() else {
        return Ok(Status::NOTHING);
    };
    let kind = (first.kind(), first.subtype());
    if records.iter().any(|record| (record.kind(), record.subtype()) != kind) {
        return Err(refused(
            "records of several types or subtypes have no columns in common; say which with --type and --subtype",
        ));
    }
    let quoted = |text: String| {
        if text.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    };
    // The columns are those of the layout, whatever a record lacks of it.
    let layout = Layout::of(kind.0, kind.1);
    let (own, sections) = layout.map_or((&[][..], &[][..]), |layout| (layout.fields, layout.sections));
    let single = sections.iter().filter(|section| !section.repeated);
    let repeated = sections.iter().filter(|section| section.repeated);
    let columns = HEADER
        .iter()
        .chain(own)
        .chain(single.flat_map(|section| section.fields));
    let columns = columns.chain(repeated.flat_map(|section| section.fields));
    let columns: Vec<&str> = columns.map(|field| field.name).collect();
    writeln!(out, "{}", columns.join(","))?;
    for record in records {
        let own: Vec<_> = record.fields().collect();
        // A record with sections that there may be several of has a line for each, as if each had its record.
        let mut entries: Vec<_> = record.entries().collect();
        if entries.is_empty() {
            entries.push(Vec::new());
        }
        for entry in entries {
            let cell = |name: &&str| {
                let found = own.iter().chain(&entry).find(|(field, _)| field.name == *name);
                found.map_or(String::new(), |(_, value)| quoted(value.to_string()))
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
    }
    Ok(Status::DONE)
}
