//! `cica get`: one record by its key, RBA or relative record number.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::keys::{self, Length};
use crate::records::RecordText;
use crate::session::Session;
use cica_engine::{Access, Argument, Durability, Intent, RequestError, Search};
use cica_messages as messages;
use clap::Args;
use std::io::Write;

/// Print the record with this key, or at this place
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica get PAYROLL.MASTER 00001000
  cica get PAYROLL.MASTER \"X'0000F1'\"
  cica get PAYROLL.LOG --rba 4096
  cica get PAYROLL.SLOTS --rrn 17")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Key: text in the data set's code page, or X'..' for bytes
    #[arg(required_unless_present_any = ["rba", "rrn"], conflicts_with_all = ["rba", "rrn"])]
    key: Option<String>,
    /// The record that starts at this relative byte address
    #[arg(long, value_name = "N", conflicts_with = "rrn")]
    rba: Option<u64>,
    /// The record with this relative record number
    #[arg(long, value_name = "N")]
    rrn: Option<u32>,
    /// Key and record are in hexadecimal
    #[arg(long)]
    hex: bool,
    /// Print the bytes of the record and no line end
    #[arg(long, conflicts_with = "hex")]
    raw: bool,
    /// The first record whose key begins with KEY
    #[arg(long, conflicts_with_all = ["rba", "rrn"])]
    prefix: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let opened = session.data_set(&options.dsn, Access::Input, Durability::Close)?;
    let length = if options.prefix { Length::Prefix } else { Length::Full };
    let key = options.key.as_ref();
    let key = key
        .map(|text| keys::key(text, options.hex, length, &opened))
        .transpose()?;
    let (argument, wanted) = match (options.rba, options.rrn) {
        (Some(rba), _) => (Argument::Rba(rba), format!("at RBA {rba}")),
        (None, Some(rrn)) => (Argument::Rrn(rrn), format!("with relative record number {rrn}")),
        (None, None) => {
            let text = options.key.as_deref().unwrap_or_default();
            (
                Argument::Key(key.as_deref().unwrap_or_default()),
                format!("with key {text}"),
            )
        }
    };
    let shape = match (options.hex, options.raw) {
        (true, _) => RecordText::Hex,
        (_, true) => RecordText::Raw,
        _ => RecordText::Text,
    };
    let mut string = opened.data_set.string();
    let record = string
        .get(argument, Search::Equal, Intent::Read)
        .map_err(|error| match error {
            RequestError::NotFound | RequestError::BadRba { .. } => {
                let text = format!("{} has no record {wanted}", opened.name);
                Failure::new(Status::NOTHING, &messages::IDC3309I, text)
            }
            error => Failure::from(error).at(&opened.name),
        })?;
    let mut out = crate::terminal::stdout();
    shape.write(&mut out, record.bytes, opened.page)?;
    out.flush()?;
    drop(string);
    opened.close()?;
    Ok(Status::DONE)
}
