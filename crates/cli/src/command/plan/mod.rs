//! `cica plan`: what a choice would give a data set, and what it would cost, said before it is made.
//!
//! Each plan changes nothing, says what it tried or counted, and ends with status 4 where the choice does not pay.

pub mod blksize;
pub mod buffers;
pub mod cache;
pub mod ci;
pub mod compress;
pub mod space;
mod wanted;

use crate::failure::{Failure, Status};
use crate::global::Global;
use clap::Subcommand;

/// Say what a choice would give a data set, and cost
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Example:
  cica plan compress PAYROLL.MASTER
  cica plan blksize 200 --device 3380")]
pub enum Options {
    Blksize(blksize::Options),
    Buffers(buffers::Options),
    Cache(cache::Options),
    Ci(ci::Options),
    Compress(compress::Options),
    Space(space::Options),
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    match options {
        Options::Blksize(options) => blksize::run(&options),
        Options::Buffers(options) => buffers::run(&options),
        Options::Cache(options) => cache::run(&options),
        Options::Ci(options) => ci::run(&options),
        Options::Compress(options) => compress::run(options, global),
        Options::Space(options) => space::run(&options),
    }
}
