//! `cica restore`: data sets out of a portable copy.

use crate::command::export::file;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::job::Job;
use crate::session::Session;
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
    let mut card = "RESTORE".to_owned();
    let list = |card: &mut String, keyword: &str, words: &[String]| {
        if !words.is_empty() {
            card.push_str(&format!(" {keyword}({})", words.join(" ")));
        }
    };
    list(&mut card, "", &options.dsn);
    card.push_str(" INFILE(IN)");
    list(&mut card, "EXCLUDE", &options.exclude);
    list(&mut card, "VOLUMES", options.volume.as_slice());
    let renames: Vec<String> = options
        .rename
        .iter()
        .map(|(old, new)| format!("({old} {new})"))
        .collect();
    list(&mut card, "RENAME", &renames);
    for (said, keyword) in [
        (options.replace, " REPLACE"),
        (options.purge, " PURGE"),
        (options.test, " TEST"),
    ] {
        card.push_str(if said { keyword } else { "" });
    }
    let job = Job::new().counting("control intervals").card(&card).dd("IN", text);
    job.run(Session::open_or_create(&global)?, &global)
}
