//! `cica smf`: SMF records of opens, closes and steps, printed, added up and exported.

mod export;
mod text;
mod totals;
mod which;

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::terminal::in_a_line;
use cica_smf::field::HEADER;
use cica_smf::{Field, Record, Value};
use clap::Subcommand;
use export::Format;
use std::io::Write;
use text::{refused, show};
use which::Which;

pub use text::code;

/// Print, add up or export SMF records
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Records are written while CICA_SMF=on is in the environment of the programs.

Examples:
  cica smf print --type 64 --dsn PAYROLL.MASTER
  cica smf totals --dsn 'PAYROLL.**' --from 09:00 --to 11:59
  cica smf print --type 30 --from 2026-11-24T22:00 --to 2026-11-25T06:00
  cica smf export --format csv --type 64 > closes.csv")]
pub enum Options {
    /// Print records, a line for each field that is not 0
    #[command(after_help = "Example:\n  cica smf print --type 64")]
    Print(Which),
    /// Add up what was done with each component, and by each step
    #[command(after_help = "\
Opens of one data set in one program at the same time share their counts, and each close tells
what all of them did since its own open. Records of type 42, subtype 6, add up there too.
Of an open without a close (the program runs, or was killed) the newest record of an interval
counts (CICA_SMF_INTERVAL), with no close beside it. With --from and --to the records written in
that time are added up; each tells what was done since its open, also before that time.

Examples:
  cica smf totals
  cica smf totals --from 09:00 --to 11:59:30")]
    Totals(Which),
    /// Write records as JSON lines or CSV
    #[command(after_help = "Example:\n  cica smf export --format csv --type 64")]
    Export {
        #[command(flatten)]
        which: Which,
        /// Format
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
    },
}

/// A way to show records.
type ShowRecords = fn(&[Record], &mut dyn Write) -> Result<Status, Failure>;

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let (which, show): (_, ShowRecords) = match options {
        Options::Print(which) => (which, print),
        Options::Totals(which) => (which, totals::totals),
        Options::Export { which, format } => match format {
            Format::Json => (which, export::json_lines),
            Format::Csv => (which, export::csv),
            Format::Parquet => return Err(refused("Parquet is not supported yet; export CSV or JSON")),
        },
    };
    let (records, mut status) = which.records(global)?;
    let shown = show(&records, &mut crate::terminal::stdout());
    let shown = shown.map(|done| status = status.max(done));
    Ok(status.with_output(shown))
}

fn print(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    for record in records {
        let (day, time) = (show(record, "DTE"), show(record, "TME"));
        let text = record
            .layout()
            .map_or("fields are not known here", |layout| layout.text);
        writeln!(out, "{day} {time}  type {}  {text}", record.kind())?;
        for (field, value) in record.fields().skip(HEADER.len()) {
            line(field, &value, out)?;
        }
        for (field, value) in record.entries().flatten() {
            line(field, &value, out)?;
        }
    }
    Ok(if records.is_empty() {
        Status::NOTHING
    } else {
        Status::DONE
    })
}

fn line(field: &Field, value: &Value, out: &mut dyn Write) -> std::io::Result<()> {
    let text = in_a_line(&value.to_string());
    if text.is_empty() || *value == Value::Number(0) {
        return Ok(());
    }
    writeln!(out, "  {:<10} {text:<24} {}", field.name, field.text)
}
