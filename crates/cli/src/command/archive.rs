//! `cica archive`: what was archived of data sets with LOG(ALL).

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::moment;
use crate::session::Session;
use crate::terminal::in_a_line;
use crate::work::work;
use cica_admin::archive::{Archive, ArchiveAction, Archived};
use cica_admin::Services;
use clap::{Args, Subcommand};
use serde_json::{json, Value};
use std::io::Write;

/// Show, check and clean the archive of data sets with LOG(ALL)
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Example:
  cica archive ls
  cica archive verify PAYROLL.MASTER
  cica archive clean --before 2026-11-01T00:00")]
pub enum Options {
    /// Show how much there is, of which time
    #[command(after_help = "Example:\n  cica archive ls --json")]
    Ls(Look),
    /// Read all of it, and tell what is damaged or missing, up to the last change that the data sets themselves have
    #[command(after_help = "Example:\n  cica archive verify")]
    Verify(Look),
    /// Remove what copies from before a time would need; without a name also what is kept of units that were in doubt
    #[command(after_help = "Example:\n  cica archive clean --before 2026-11-01T00:00 PAYROLL.MASTER")]
    Clean {
        /// UTC: HH:MM[:SS] of today or YYYY-MM-DDTHH:MM[:SS]
        #[arg(long, value_name = "TIME")]
        before: String,
        /// Of this data set alone, or of those that a mask means (PAY.**)
        dsn: Option<String>,
    },
}

/// What is shown, and how.
#[derive(Debug, Args)]
pub struct Look {
    /// Of this data set alone, or of those that a mask means (PAY.**)
    dsn: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let now = session.clock.now();
    let (name, action, json) = match options {
        Options::Ls(show) => (show.dsn, ArchiveAction::List, show.json),
        Options::Verify(show) => (show.dsn, ArchiveAction::Verify, show.json),
        Options::Clean { before, dsn } => (dsn, ArchiveAction::Clean(moment::beginning_of(&before, now)?), false),
    };
    let is_shown = !matches!(action, ArchiveAction::Clean(_));
    // A name that leads to nothing may be a slip.
    let is_named = name.is_some();
    let nothing = match &name {
        Some(name) => format!("nothing is archived of {}\n", name.to_ascii_uppercase()),
        None => "nothing is archived\n".to_owned(),
    };
    let request = Archive { name, action };
    let mut lines = Vec::new();
    let status = work(session, global, |services: &mut Services| {
        let outcome = services.archive(&request);
        lines.clone_from(&outcome.result);
        outcome.without_result()
    })?;
    let mut out = crate::terminal::stdout();
    let written = if json {
        let all: Vec<Value> = lines.iter().map(value).collect();
        writeln!(out, "{}", json!({ "archive": all }))
    } else if is_shown && !global.quiet && lines.is_empty() {
        // Where it could not be looked at, that was told.
        if status == Status::DONE {
            write!(out, "{nothing}")
        } else {
            Ok(())
        }
    } else if is_shown && !global.quiet {
        write!(out, "{}", table(&lines))
    } else {
        Ok(())
    };
    let status = if is_named && lines.is_empty() && status == Status::DONE {
        Status::NOTHING
    } else {
        status
    };
    Ok(status.with_output(written))
}

fn value(line: &Archived) -> Value {
    json!({
        "name": line.name,
        "lineage": format!("{:016X}", line.lineage),
        "segments": line.segments,
        "bytes": line.bytes,
        "begun": moment::shown(line.begun),
        "until": moment::shown(line.until),
        "goes_on": line.goes_on,
        "wrong": line.wrong,
    })
}

fn table(lines: &[Archived]) -> String {
    let mut text = format!(
        "{:<44} {:>8} {:>12}  {:<20}  {:<20}  state\n",
        "data set", "segments", "bytes", "begun", "until"
    );
    for line in lines {
        let mut state = match (&line.wrong, line.goes_on) {
            (Some(_), _) if line.segments == 0 => "missing".to_owned(),
            (Some(_), _) => "has a gap".to_owned(),
            (None, true) => "whole, goes on".to_owned(),
            (None, false) => "whole".to_owned(),
        };
        // A data set that was deleted and defined anew has its name twice.
        if lines.iter().filter(|other| other.name == line.name).count() > 1 {
            state += &format!(", lineage {:016X}", line.lineage);
        }
        let (begun, until) = (moment::shown(line.begun), moment::shown(line.until));
        text += &format!(
            "{:<44} {:>8} {:>12}  {begun:<20}  {until:<20}  {state}\n",
            in_a_line(&line.name),
            line.segments,
            line.bytes
        );
    }
    text
}
