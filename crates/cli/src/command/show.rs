//! `cica show`: what the catalog and the data set's own files say of an entry.

use crate::args::Global;
use crate::describe;
use crate::failure::{Failure, Status};
use crate::session::Session;
use cica_catalog::{CatalogError, Name};
use clap::Args;
use std::io::{self, Write};

/// Show everything about a data set or other entry
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica show PAYROLL.MASTER
  cica show PAYROLL.MASTER --json")]
pub struct Options {
    /// Data set name, or that of one of its components
    dsn: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let name = Name::parse(&options.dsn)?;
    let contents = session.catalog.contents()?;
    let found = contents.find(&name).ok_or(CatalogError::NotFound { name })?;
    let value = describe::entry(&session, found.entry())?;
    let mut out = io::stdout().lock();
    match options.json {
        true => writeln!(out, "{value:#}")?,
        false => describe::write(&mut out, &value)?,
    }
    Ok(Status::DONE)
}
