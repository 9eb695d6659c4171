//! `cica stat`: what a data set has counted, now; who has it open; and what is counted at all.

use crate::describe;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use cica_counters::{table, Component, ComponentCount, DataSetCount, LsrCount, OpenDataSet, Process};
use cica_counters::{SharedBuffers, StringCount};
use clap::Args;
use serde_json::{json, Map, Value};
use std::io::Write;

/// Print the statistics of a data set as they are now, and who has it open
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cica stat PAYROLL.MASTER
  cica stat --counters")]
pub struct Options {
    /// Data set name
    #[arg(required_unless_present = "counters")]
    dsn: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the table of all counters instead: unit, where each is counted, its SMF, LISTCAT and RMF fields
    #[arg(long, conflicts_with = "dsn")]
    counters: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let value = match &options.dsn {
        Some(dsn) => data_set(&Session::open(global)?, dsn)?,
        None => counters(),
    };
    let mut out = crate::terminal::stdout();
    if options.json {
        writeln!(out, "{value:#}")?
    } else {
        describe::write(&mut out, &sections(value))?
    }
    Ok(Status::DONE)
}

/// The field that has the opens.
const OPENS: &str = "opens";

/// For people each open is a section of its own.
fn sections(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let mut sections = Map::new();
    for (name, field) in fields {
        match field {
            Value::Array(opens) if name == OPENS => {
                let numbered = opens.into_iter().enumerate();
                sections.extend(numbered.map(|(n, open)| (format!("open_{}", n + 1), open)));
            }
            field => drop(sections.insert(name, field)),
        }
    }
    Value::Object(sections)
}

fn data_set(session: &Session, dsn: &str) -> Result<Value, Failure> {
    let cluster = session.cluster(dsn)?;
    let root = session.root(&cluster)?;
    let counted = session.engine.counted_by_all();
    let (mut data, mut index) = (root.statistics, Default::default());
    counted.complete(root.component, &mut data, &mut index);
    let mut value = describe::statistics(&data);
    let processes = counted.seen.processes.iter();
    let opens = processes.flat_map(|process| process.data_sets.iter().map(move |set| (process, set)));
    let opens: Vec<Value> = opens
        .filter(|(_, set)| set.identity.component == root.component)
        .map(|(process, set)| open(process, set))
        .collect();
    if !opens.is_empty() {
        value[OPENS] = Value::Array(opens);
    }
    let torn = counted.seen.torn.iter();
    let torn: Vec<String> = torn
        .map(|torn| format!("{}: {}", torn.path.display(), torn.why))
        .collect();
    if !torn.is_empty() {
        value["not_shown"] = json!(torn);
    }
    Ok(value)
}

/// What an open has counted since it was opened.
fn open(process: &Process, set: &OpenDataSet) -> Value {
    let mut value = json!({
        "process": process.identity.pid,
        "program": process.identity.program,
        "for": if set.identity.output { "output" } else { "input" },
    });
    for (name, said) in [("job", &process.identity.job), ("step", &process.identity.step)] {
        if !said.is_empty() {
            value[name] = json!(said);
        }
    }
    for (counter, row) in DataSetCount::ALL.iter().zip(DataSetCount::ROWS) {
        value[row.name] = json!(set.count(*counter));
    }
    value["data"] = component(&set.data);
    if !set.identity.index.is_empty() {
        value["index"] = component(&set.index);
    }
    for buffers in &process.lsr {
        let of = if buffers.is_index() { "index" } else { "data" };
        let [pool, size] = [LsrCount::Pool, LsrCount::Size].map(|counter| buffers.count(counter));
        value[format!("lsr_{pool}_{of}_{size}")] = shared(buffers);
    }
    value
}

fn component(component: &Component) -> Value {
    let mut all = Map::new();
    for (counter, row) in ComponentCount::ALL.iter().zip(ComponentCount::ROWS) {
        all.insert(row.name.into(), json!(component.count(*counter)));
    }
    all.insert("hits".into(), json!(component.hits()));
    Value::Object(all)
}

/// Buffers that the opens of the process share.
fn shared(buffers: &SharedBuffers) -> Value {
    let all = LsrCount::ALL.iter().zip(LsrCount::ROWS);
    let all = all.map(|(counter, row)| (row.name.to_owned(), json!(buffers.count(*counter))));
    Value::Object(all.collect())
}

/// The table of counters.
fn counters() -> Value {
    let rows = table::rows().filter(|row| !StringCount::ROWS.contains(row));
    let said = rows.map(|row| {
        let mut fields = json!({"text": row.text, "unit": row.unit, "counted": row.counted});
        for (name, field) in [("smf", row.smf), ("listcat", row.listcat), ("rmf", row.rmf)] {
            if !field.is_empty() {
                fields[name] = json!(field);
            }
        }
        (row.name.to_owned(), fields)
    });
    Value::Object(said.collect())
}
