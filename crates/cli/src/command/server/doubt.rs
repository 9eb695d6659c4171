//! `cica server units`: units of recovery of clients, and those that are in doubt, which are nobody's.

use super::{others, since, Show};
use crate::command::indoubt;
use crate::failure::{Failure, Status};
use crate::session::Session;
use cica_engine::InDoubt;
use cica_share::words::{ClientInfo as Guest, Status as Server};
use serde_json::{json, Value};
use std::io::Write;

/// Those of a server, and those in doubt.
pub fn show_with(session: &Session, how: &Show, server: &Server) -> Result<Status, Failure> {
    let doubtful = session.engine.in_doubt()?;
    let mut out = crate::terminal::stdout();
    if how.json {
        let all = others(server).flat_map(units).chain(doubtful.iter().map(value));
        writeln!(out, "{:#}", all.collect::<Value>())?;
    } else {
        let lines = unit_lines(server);
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        lines_in_doubt(&doubtful, &mut out)?;
    }
    Ok(Status::DONE)
}

/// Those in doubt, where nobody serves.
pub fn show_alone(session: &Session, how: &Show) -> Result<(), Failure> {
    let doubtful = session.engine.in_doubt()?;
    let mut out = crate::terminal::stdout();
    if how.json {
        writeln!(out, "{:#}", doubtful.iter().map(value).collect::<Value>())?;
    } else {
        writeln!(out, "nobody serves {}", session.catalog.directory().display())?;
        lines_in_doubt(&doubtful, &mut out)?;
    }
    Ok(())
}

fn units(client: &Guest) -> Vec<Value> {
    let unit = |(unit, changes, seconds): &(u32, u64, u64)| {
        let (process, program) = (client.process, &client.program);
        json!({
            "unit": unit,
            "process": process,
            "program": program,
            "changes": changes,
            "seconds": seconds,
            "in_doubt": false,
        })
    };
    client.units.iter().map(unit).collect()
}

/// The fields of `cica indoubt ls`, by its name.
fn value(unit: &InDoubt) -> Value {
    let mut value = indoubt::value(unit);
    value["in_doubt"] = json!(true);
    value
}

fn unit_lines(server: &Server) -> Vec<String> {
    let mut lines = vec![format!(
        "{:>8} {:>8} {:>8} {:>8}  PROGRAM",
        "UNIT", "CHANGES", "SINCE", "PROCESS"
    )];
    for client in others(server) {
        let line = |(unit, changes, seconds): &(u32, u64, u64)| {
            let (process, program) = (client.process, &client.program);
            format!("{unit:>8} {changes:>8} {:>8} {process:>8}  {program}", since(*seconds))
        };
        lines.extend(client.units.iter().map(line));
    }
    lines
}

fn lines_in_doubt(doubtful: &[InDoubt], out: &mut dyn Write) -> Result<(), Failure> {
    doubtful
        .iter()
        .try_for_each(|unit| writeln!(out, "{}", indoubt::line(unit)))?;
    if !doubtful.is_empty() {
        writeln!(out, "'cica indoubt' decides about units in doubt")?;
    }
    Ok(())
}
