//! `cica backup`: data sets as they are stored, into one portable copy.

use crate::command::export::file;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::counting;
use cica_admin::named::Named;
use cica_admin::portable::Backup;
use clap::Args;

/// Copy data sets as they are stored into one portable file
#[derive(Debug, Args)]
#[command(after_help = "\
A data set that programs share is copied while they change it: the copy has what was committed at one moment. One
that a program has for itself for output is refused. The file takes its name when it is complete: a backup that fails
leaves the one before as it was.

Example:
  cica backup 'PAYROLL.**' -o payroll.cica
  cica backup PAYROLL.MASTER HR.MASTER -o - --quiet | ssh vault 'cat > masters.cica'")]
pub struct Options {
    /// Data set names and masks
    #[arg(required = true)]
    dsn: Vec<String>,
    /// File for the copy; - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: String,
    /// But not these names and masks
    #[arg(long, value_name = "MASK")]
    exclude: Vec<String>,
    /// How hard to compress, 1 to 19
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=19))]
    compress: u8,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let (text, global) = file(&options.output, "/dev/stdout", global)?;
    let request = Backup {
        names: upper(&options.dsn),
        exclude: upper(&options.exclude),
        onto: Named::Dd(COPY.to_owned()),
        compress: Some(options.compress),
        catalog: None,
    };
    counting("control intervals", session, &global, |services| {
        services.dd.insert(COPY, text);
        services.backup(&request).without_result()
    })
}

/// The DD name of the copy.
pub const COPY: &str = "COPY";

/// Names and masks as the catalog has them.
pub fn upper(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.to_ascii_uppercase()).collect()
}
