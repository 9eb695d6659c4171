//! `cica reorg`: a data set as if it had just been loaded.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::work;
use cica_admin::alter::Alter;
use cica_admin::stated::NewLayout;
use cica_catalog::Name;
use clap::Args;

/// Give a data set its freespace back and undo its splits
#[derive(Debug, Args)]
#[command(after_help = "\
The records are copied in key order into new files, which take the place of the old ones at one moment. That needs
space for a second copy; nobody may have the data set open.

Example:
  cica reorg PAYROLL.MASTER")]
pub struct Options {
    /// Data set name
    dsn: String,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let request = Alter {
        entry: Name::parse(&options.dsn)?.to_string(),
        reorganize: Some(NewLayout::default()),
        ..Alter::default()
    };
    work(Session::open(global)?, global, |services| services.alter(&request))
}
