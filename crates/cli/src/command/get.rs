//! `cica get`: one record by its key.

use crate::args::Global;
use crate::failure::{Failure, Status};
use crate::keys::{self, Length};
use crate::records::Shape;
use crate::session::Session;
use cica_engine::{Access, Durability, Intent, RequestError, Search};
use cica_idcams::messages;
use clap::Args;
use std::io::{self, Write};

/// Print the record with this key
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica get PAYROLL.MASTER 00001000
  cica get PAYROLL.MASTER \"X'0000F1'\"")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Key: text in the data set's code page, or X'..' for bytes
    key: String,
    /// Key and record are in hexadecimal
    #[arg(long)]
    hex: bool,
    /// Print the bytes of the record and no line end
    #[arg(long, conflicts_with = "hex")]
    raw: bool,
    /// The first record whose key begins with KEY
    #[arg(long)]
    prefix: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let opened = session.data_set(&options.dsn, Access::Input, Durability::Close)?;
    let length = if options.prefix { Length::Prefix } else { Length::Full };
    let key = keys::key(&options.key, options.hex, length, &opened)?;
    let shape = match (options.hex, options.raw) {
        (true, _) => Shape::Hex,
        (_, true) => Shape::Raw,
        _ => Shape::Text,
    };
    let mut string = opened.data_set.string();
    let record = string
        .get(&key, Search::Equal, Intent::Read)
        .map_err(|error| match error {
            RequestError::NotFound => {
                let text = format!("{} has no record with key {}", opened.name, options.key);
                Failure::new(Status::NOTHING, &messages::IDC3309I, text)
            }
            error => Failure::from(error).at(&opened.name),
        })?;
    let mut out = io::stdout().lock();
    shape.write(&mut out, record.bytes, opened.page)?;
    out.flush()?;
    drop(string);
    opened.close()?;
    Ok(Status::DONE)
}
