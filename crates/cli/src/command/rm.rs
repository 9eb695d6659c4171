//! `cica rm`: deletes entries of the catalog and their data.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::job::Job;
use crate::session::Session;
use cica_catalog::Name;
use clap::Args;

/// Delete data sets
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica rm PAYROLL.OLD
  cica rm PAYROLL.A PAYROLL.B --purge")]
pub struct Options {
    /// Data set names
    #[arg(required = true)]
    dsn: Vec<String>,
    /// Also before the expiration date
    #[arg(long)]
    purge: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let purge = if options.purge { " PURGE" } else { "" };
    let mut job = Job::new();
    for dsn in &options.dsn {
        job = job.card(&format!("DELETE {}{purge}", Name::parse(dsn)?));
    }
    job.run(Session::open(global)?, global)
}
