//! `cica verify`: opens a data set as the next job would, and checks its whole structure.

use crate::args::Global;
use crate::failure::{Failure, Status};
use crate::job::Job;
use crate::session::Session;
use clap::Args;

/// Check a data set from end to end
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica verify PAYROLL.MASTER")]
pub struct Options {
    /// Data set name
    dsn: String,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let cluster = session.cluster(&options.dsn)?;
    let mut job = Job::new().card(&format!("VERIFY DATASET({})", cluster.name));
    // A data set that was never loaded has no structure to check. It may have been loaded by one that died since.
    let root = session.root(&cluster)?;
    if root.levels > 0 || root.log.log != 0 {
        job = job.card(&format!(
            "IF LASTCC = 0 THEN EXAMINE NAME({}) INDEXTEST DATATEST",
            cluster.name
        ));
    }
    job.run(session, global)
}
