//! `cica restore`: data sets out of a portable copy.

use crate::command::backup::{upper, COPY};
use crate::command::export::file;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::counting;
use cica_admin::named::Named;
use cica_admin::portable::{Renaming, Restore};
use clap::Args;

/// Make data sets from a portable file, as they were stored
#[derive(Debug, Args)]
#[command(after_help = "\
All of what is asked for is restored, or nothing: the catalog changes after the file was read to its end.

Example:
  cica restore payroll.cica
  cica restore payroll.cica PAYROLL.MASTER --replace
  cica restore payroll.cica --rename 'PAYROLL.*=TEST.*' --volume V00002")]
pub struct Options {
    /// File that `cica backup` wrote; - is standard input
    file: String,
    /// Names and masks of what is restored; without them all
    dsn: Vec<String>,
    /// But not these
    #[arg(long, value_name = "MASK")]
    exclude: Vec<String>,
    /// Other names: where the old one has a *, the new one has one too
    #[arg(long, value_name = "OLD=NEW", value_parser = pair)]
    rename: Vec<(String, String)>,
    /// Volume for all of it, instead of those in the file
    #[arg(long, value_name = "VOLSER")]
    volume: Option<String>,
    /// In the place of data sets that have the names
    #[arg(long)]
    replace: bool,
    /// Replace before the expiration date too
    #[arg(long, requires = "replace")]
    purge: bool,
    /// Read and check the file and tell what is in it; restore nothing
    #[arg(long)]
    test: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.to_owned(), new.to_owned())),
        _ => Err(format!("'{text}' is not OLD=NEW")),
    }
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let (text, global) = file(&options.file, "/dev/stdin", global)?;
    let renaming = |(old, new): &(String, String)| Renaming {
        old: old.to_ascii_uppercase(),
        new: new.to_ascii_uppercase(),
    };
    let request = Restore {
        names: upper(&options.dsn),
        exclude: upper(&options.exclude),
        from: Named::Dd(COPY.to_owned()),
        renames: options.rename.iter().map(renaming).collect(),
        volumes: upper(options.volume.as_slice()),
        replace: options.replace,
        purge: options.purge,
        test: options.test,
        catalog: None,
    };
    counting(
        "control intervals",
        Session::open_or_create(&global)?,
        &global,
        |services| {
            services.dd.insert(COPY, text);
            services.restore(&request).without_result()
        },
    )
}
