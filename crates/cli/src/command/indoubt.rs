//! `cica indoubt`: units of recovery that a program has prepared, and that wait for a decision.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::moment;
use crate::session::Session;
use crate::terminal::in_a_line;
use cica_engine::{InDoubt, PrepareError};
use cica_messages as messages;
use cica_session::{DecideError, SessionError};
use clap::{Args, Subcommand};
use serde_json::{json, Value};
use std::io::Write;

/// Show units of recovery in doubt, and decide about them
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A program prepares a unit for the decision of a coordinator, and the unit waits for that whatever dies. Until then the
records that it changed are retained: who wants one is refused (8/24) and told its name. Ask the coordinator what it
decided, and do the same here: one part committed and another one taken back is what prepared units are there to avoid.

Example:
  cica indoubt ls
  cica indoubt commit TRANSFER-4711
  cica indoubt backout TRANSFER-4711")]
pub enum Options {
    /// Show them: name, since when, changes, data sets
    #[command(after_help = "Example:\n  cica indoubt ls --json")]
    Ls(Listed),
    /// Let the changes of one stand
    #[command(after_help = "Example:\n  cica indoubt commit TRANSFER-4711")]
    Commit {
        /// The name under which it was prepared
        unit: String,
    },
    /// Take the changes of one back; no other program may have its data sets open but the server of shared ones
    #[command(after_help = "Example:\n  cica indoubt backout TRANSFER-4711")]
    Backout {
        /// The name under which it was prepared
        unit: String,
    },
}

/// How they are shown.
#[derive(Debug, Args)]
pub struct Listed {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    match options {
        Options::Ls(how) => show(&session, &how),
        Options::Commit { unit } => {
            session.commit_prepared(&unit)?;
            Ok(Status::DONE)
        }
        Options::Backout { unit } => {
            session.back_out_prepared(&unit)?;
            Ok(Status::DONE)
        }
    }
}

fn show(session: &Session, how: &Listed) -> Result<Status, Failure> {
    let units = session.engine.in_doubt()?;
    let mut out = crate::terminal::stdout();
    if how.json {
        writeln!(out, "{:#}", units.iter().map(value).collect::<Value>())?;
    } else if units.is_empty() {
        writeln!(out, "no unit of recovery is in doubt")?;
    } else {
        units.iter().try_for_each(|unit| writeln!(out, "{}", line(unit)))?;
    }
    Ok(Status::DONE)
}

/// As JSON.
pub fn value(unit: &InDoubt) -> Value {
    json!({
        "unit": unit.name,
        "prepared": moment::shown(unit.prepared),
        "changes": unit.changes,
        "data_sets": unit.data_sets,
        "going_back": unit.going_back,
    })
}

/// For people.
pub fn line(unit: &InDoubt) -> String {
    let state = if unit.going_back {
        "is to be taken back"
    } else {
        "is in doubt"
    };
    in_a_line(&format!(
        "{} {state} since {}, {} changes of {}",
        unit.name,
        moment::shown(unit.prepared),
        unit.changes,
        unit.data_sets.join(" ")
    ))
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Failure {
        match error {
            PrepareError::File(error) => error.into(),
            PrepareError::Request(error) => error.into(),
            PrepareError::AtOwner { words } => SessionError::Shared { reason: 184, words }.into(),
            other => Failure::new(Status::REFUSED, &messages::CICA1083E, other),
        }
    }
}

impl From<DecideError> for Failure {
    fn from(error: DecideError) -> Failure {
        match error {
            DecideError::Open { name, error } => Failure::from(error).at(name),
            DecideError::Unit(error) => error.into(),
            DecideError::Owner(error) => error.into(),
        }
    }
}
