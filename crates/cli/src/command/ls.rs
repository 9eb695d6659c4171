//! `cica ls`: names in the catalog.

use crate::describe;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::progress::grouped;
use crate::session::Session;
use cica_catalog::Mask;
use clap::Args;
use serde_json::Value;
use std::io::{BufWriter, Write};

/// List the entries of the catalog
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica ls
  cica ls 'PAYROLL.**' --long

In a mask * stands for characters of one qualifier, % for one character, ** for any qualifiers.")]
pub struct Options {
    /// Names to list
    mask: Option<String>,
    /// Also print type, records, bytes in use and volume
    #[arg(long, short)]
    long: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let mask = options
        .mask
        .as_deref()
        .map_or_else(|| Ok(Mask::everything()), Mask::parse)?;
    let mut entries = Vec::new();
    for catalog in session.catalog.all()? {
        entries.extend(catalog.list(&mask)?);
    }
    entries.sort_by(|a, b| a.name().cmp(b.name()));
    // What a catalog that cannot be asked names is missing.
    let status = match session.catalog.every() {
        Ok(_) => Status::DONE,
        Err(why) => Failure::from(why).tell().min(Status::INCOMPLETE),
    };
    let mut out = BufWriter::new(crate::terminal::stdout());
    if options.json {
        let all: Value = entries.iter().map(|e| describe::summary(&session, e)).collect();
        writeln!(out, "{all:#}")?;
    } else if options.long {
        for entry in &entries {
            let all = describe::summary(&session, entry);
            let text = |field: &str| all[field].as_str().unwrap_or_default().to_owned();
            let number = |field: &str| all[field].as_u64().map(grouped).unwrap_or_default();
            let kind = if all["organization"].is_string() {
                text("organization")
            } else {
                text("type")
            };
            let line = format!(
                "{:44}  {kind:11}  {:>15}  {:>19}  {}",
                text("name"),
                number("records"),
                number("bytes"),
                text("volume")
            );
            writeln!(out, "{}", line.trim_end())?;
        }
    } else {
        for entry in &entries {
            writeln!(out, "{}", entry.name())?;
        }
    }
    out.flush()?;
    if entries.is_empty() {
        if !global.quiet {
            let (place, mask) = (session.catalog.directory().display(), mask.as_str());
            crate::terminal::tell(&format!("cica: nothing in {place} matches {mask}"));
        }
        return Ok(Status::NOTHING);
    }
    Ok(status)
}
