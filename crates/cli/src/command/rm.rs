//! `cica rm`: deletes entries of the catalog and their data.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::work;
use cica_admin::delete::Delete;
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
    let names = options.dsn.iter().map(|dsn| Ok(Name::parse(dsn)?.to_string()));
    let request = Delete {
        names: names.collect::<Result<_, Failure>>()?,
        purge: options.purge,
        ..Delete::default()
    };
    work(Session::open(global)?, global, |services| {
        services.delete(&request).without_result()
    })
}
