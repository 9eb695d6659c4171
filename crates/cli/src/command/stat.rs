//! `cica stat`: counts of a data set, as of its last commit.

use crate::describe;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use clap::Args;
use std::io::Write;

/// Print the statistics of a data set
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica stat PAYROLL.MASTER")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let cluster = session.cluster(&options.dsn)?;
    let value = describe::statistics(&session.root(&cluster)?.statistics);
    let mut out = crate::terminal::stdout();
    if options.json {
        writeln!(out, "{value:#}")?
    } else {
        describe::write(&mut out, &value)?
    }
    Ok(Status::DONE)
}
