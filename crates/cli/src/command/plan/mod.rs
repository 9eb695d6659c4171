//! `cica plan`: what a choice would give a data set, and what it would cost, said before it is made.
//!
//! Each plan changes nothing, says what it tried or counted, and ends with status 4 where the choice does not pay.

pub mod compress;

use crate::failure::{Failure, Status};
use crate::global::Global;
use clap::Subcommand;

/// Say what a choice would give a data set, and cost
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Example:
  cica plan compress PAYROLL.MASTER")]
pub enum Options {
    Compress(compress::Options),
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    match options {
        Options::Compress(options) => compress::run(options, global),
    }
}
