//! `cica explain`: what a message means, and what to do.

use crate::failure::{Failure, Status};
use crate::global::Global;
use cica_messages as messages;
use clap::Args;
use std::io::Write;

/// Explain a message, or the code that one ends with
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica explain IDC3012I
  cica explain 8/16       (as in a message that ends with [8/16])
  cica explain OPEN 160
  cica explain            (lists all messages)")]
pub struct Options {
    /// Message id, such as IDC3308I; the last letter may be left out. Or a return and a reason code, such as 8/16
    id: Vec<String>,
}

/// See the module.
pub fn run(options: Options, _: &Global) -> Result<Status, Failure> {
    let mut out = crate::terminal::stdout();
    let id = options.id.join(" ");
    if id.is_empty() {
        for entry in messages::all() {
            writeln!(out, "{:10} {}", entry.id, entry.text)?;
        }
        for (form, cause, _) in messages::CODES {
            writeln!(out, "{form:10} {cause}")?;
        }
        return Ok(Status::DONE);
    }
    match messages::explain(&id) {
        Some(text) => write!(out, "{text}")?,
        None => {
            let text = format!("there is no message or code {id}; 'cica explain' without one lists all");
            return Err(Failure::new(Status::NOTHING, &messages::CICA0952E, text));
        }
    }
    Ok(Status::DONE)
}
