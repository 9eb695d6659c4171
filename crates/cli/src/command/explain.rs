//! `cica explain`: what a message means, and what to do.

use crate::failure::{Failure, Status};
use crate::global::Global;
use cica_messages as messages;
use clap::Args;
use std::io::Write;

/// Explain a message
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica explain IDC3012I
  cica explain            (lists all messages)")]
pub struct Options {
    /// Message id, such as IDC3308I; the last letter may be left out
    id: Option<String>,
}

/// See the module.
pub fn run(options: Options, _: &Global) -> Result<Status, Failure> {
    let mut out = crate::terminal::stdout();
    let Some(id) = options.id else {
        for entry in messages::all() {
            writeln!(out, "{:10} {}", entry.id, entry.text)?;
        }
        return Ok(Status::DONE);
    };
    match messages::explain(&id) {
        Some(text) => write!(out, "{text}")?,
        None => {
            let text = format!("there is no message {id}; 'cica explain' without an id lists all");
            return Err(Failure::new(Status::NOTHING, &messages::CICA0952E, text));
        }
    }
    Ok(Status::DONE)
}
