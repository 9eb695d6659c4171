//! `cica cat`: records in key order.

use crate::args::Global;
use crate::failure::{Failure, Status};
use crate::keys::{self, Length};
use crate::progress::Progress;
use crate::records::Shape;
use crate::session::{Opened, Session};
use cica_engine::{Access, Durability, Intent, RequestError, Search, Str};
use clap::Args;
use std::io::{self, BufWriter, Write};

/// Print records in key order
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica cat PAYROLL.MASTER --from 00001000 --count 5
  cica cat PAYROLL.MASTER --from 00001 --to 00001 --hex")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Begin with this key, or the next higher one; the beginning of a key will do
    #[arg(long, value_name = "KEY")]
    from: Option<String>,
    /// End after this key; the beginning of a key stands for all keys that begin so
    #[arg(long, value_name = "KEY")]
    to: Option<String>,
    /// End after so many records
    #[arg(long, short = 'n', value_name = "N")]
    count: Option<u64>,
    /// Keys and records are in hexadecimal
    #[arg(long)]
    hex: bool,
    /// Print the bytes of the records and no line ends
    #[arg(long, conflicts_with = "hex")]
    raw: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let opened = session.data_set(&options.dsn, Access::Input, Durability::Close)?;
    let key = |text: &String| keys::key(text, options.hex, Length::Prefix, &opened);
    let from = options.from.as_ref().map(key).transpose()?;
    let to = options.to.as_ref().map(key).transpose()?;
    let shape = match (options.hex, options.raw) {
        (true, _) => Shape::Hex,
        (_, true) => Shape::Raw,
        _ => Shape::Text,
    };
    let mut string = opened.data_set.string();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut progress = Progress::new(global);
    let most = options.count.unwrap_or(u64::MAX);
    let mut printed = 0;
    if point(&mut string, from.as_deref(), &opened)? {
        while printed < most {
            let record = match string.next(Intent::Read) {
                Err(RequestError::EndOfData) => break,
                record => record.map_err(|e| Failure::from(e).at(&opened.name))?,
            };
            if to.as_deref().is_some_and(|to| is_above(record.bytes, to, &opened)) {
                break;
            }
            shape.write(&mut out, record.bytes, opened.page)?;
            printed += 1;
            progress.at(printed);
        }
    }
    out.flush()?;
    drop(string);
    opened.close()?;
    Ok(if printed == 0 { Status::NOTHING } else { Status::DONE })
}

/// Positions at the first record of the range; false when all keys are below it.
fn point(string: &mut Str, from: Option<&[u8]>, opened: &Opened) -> Result<bool, Failure> {
    let Some(from) = from else { return Ok(true) };
    match string.point(from, Search::GreaterOrEqual) {
        Ok(()) => Ok(true),
        Err(RequestError::NotFound) => Ok(false),
        Err(error) => Err(Failure::from(error).at(&opened.name)),
    }
}

/// Is the key of `record` above `to`, of which as many bytes are compared as it has?
fn is_above(record: &[u8], to: &[u8], opened: &Opened) -> bool {
    let offset = opened.data_set.attributes().key_offset as usize;
    record.get(offset..offset + to.len()).is_some_and(|key| key > to)
}
