//! `cica cat`: records in the order of their keys, RBAs or relative record numbers.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::keys::{self, Length};
use crate::progress::Progress;
use crate::records::RecordText;
use crate::session::{OpenedSession, Sequential, Session};
use cica_engine::{Access, Argument, Durability, Intent, Record, RequestError, Search, Str};
use cica_format::aix;
use cica_format::attributes::Organization;
use cica_messages as messages;
use clap::Args;
use std::io::{BufWriter, Write};

/// Print records in order: of their keys, RBAs or relative record numbers
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica cat PAYROLL.MASTER --from 00001000 --count 5
  cica cat PAYROLL.MASTER --from F0F0F0F0F1 --count 1 --hex
  cica cat PAYROLL.SLOTS --from 100 --to 199
  cica cat 'PAYROLL.BACKUP(0)' --count 5")]
pub struct Options {
    /// Data set name; X(0) is the newest generation of the group X, X(-1) the one before
    dsn: String,
    /// Begin with this key, or the next higher one; the beginning of a key will do. In a data set
    /// without keys: with this RBA or relative record number. In one that is not VSAM's: with this
    /// record, counted from 1
    #[arg(long, value_name = "KEY")]
    from: Option<String>,
    /// End after this key; the beginning of a key stands for all keys that begin so. In a data
    /// set without keys: after this RBA, relative record number or record
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
    let shape = match (options.hex, options.raw) {
        (true, _) => RecordText::Hex,
        (_, true) => RecordText::Raw,
        _ => RecordText::Text,
    };
    if let Some(file) = session.sequential(&options.dsn)? {
        return of_file(file, &options, shape, global);
    }
    let opened = session.data_set(&options.dsn, Access::Input, Durability::Close)?;
    let place = |text: &String| RangeEnd::of(text, options.hex, &opened);
    let from = options.from.as_ref().map(place).transpose()?;
    let to = options.to.as_ref().map(place).transpose()?;
    let mut string = opened.data_set.string();
    let mut out = BufWriter::with_capacity(1 << 16, crate::terminal::stdout());
    let mut progress = Progress::new(global);
    let most = options.count.unwrap_or(u64::MAX);
    let mut printed = 0;
    // Records of an alternate index as VSAM has them.
    let attributes = opened.data_set.attributes();
    let chained = attributes.alternate.as_ref().is_some_and(|of| of.chained);
    let mut list = Vec::new();
    if point(&mut string, from.as_ref(), &opened)? {
        while printed < most {
            let record = match string.next(Intent::Read) {
                Err(RequestError::EndOfData) => break,
                record => record.map_err(|e| Failure::from(e).at(&opened.name))?,
            };
            if to.as_ref().is_some_and(|to| to.is_below(record, &opened)) {
                break;
            }
            let bytes = match chained {
                true if !aix::as_vsam_has_it(record.bytes, &mut list) => continue,
                true => &list,
                false => record.bytes,
            };
            shape.write(&mut out, bytes, opened.page)?;
            printed += 1;
            progress.at(printed);
        }
    }
    out.flush()?;
    drop(string);
    opened.close()?;
    Ok(if printed == 0 { Status::NOTHING } else { Status::DONE })
}

/// The records of a data set that is not VSAM's.
fn of_file(mut file: Sequential, options: &Options, shape: RecordText, global: &Global) -> Result<Status, Failure> {
    let number = |text: &String| {
        text.parse::<u64>().map_err(|_| {
            let words = format!(
                "'{text}' is no number; {} goes by the numbers of its records",
                file.name
            );
            Failure::new(Status::REFUSED, &messages::CICA0951E, words)
        })
    };
    let from = options.from.as_ref().map(number).transpose()?.unwrap_or(1);
    let to = options.to.as_ref().map(number).transpose()?.unwrap_or(u64::MAX);
    let most = options.count.unwrap_or(u64::MAX);
    let mut out = BufWriter::with_capacity(1 << 16, crate::terminal::stdout());
    let mut progress = Progress::new(global);
    let (mut at, mut printed) = (0, 0);
    while at < to && printed < most {
        let record = file.reader.next().map_err(|e| Failure::from(e).at(&file.name))?;
        let Some(record) = record else { break };
        at += 1;
        if at < from {
            continue;
        }
        shape.write(&mut out, record, file.page)?;
        printed += 1;
        progress.at(printed);
    }
    out.flush()?;
    Ok(if printed == 0 { Status::NOTHING } else { Status::DONE })
}

/// An end of the range.
enum RangeEnd {
    Key(Vec<u8>),
    Rba(u64),
    Rrn(u32),
}

impl RangeEnd {
    /// What `text` means in this data set.
    fn of(text: &str, hex: bool, opened: &OpenedSession) -> Result<RangeEnd, Failure> {
        let number = || {
            let wrong = || {
                format!(
                    "'{text}' is no number; {} goes by RBA or relative record number",
                    opened.name
                )
            };
            text.parse::<u64>()
                .map_err(|_| Failure::new(Status::REFUSED, &messages::CICA0951E, wrong()))
        };
        Ok(match opened.data_set.attributes().organization {
            Organization::Esds | Organization::Lds => RangeEnd::Rba(number()?),
            Organization::Rrds | Organization::Vrrds => RangeEnd::Rrn(number()?.min(u32::MAX.into()) as u32),
            _ => RangeEnd::Key(keys::key(text, hex, Length::Prefix, opened)?),
        })
    }

    fn argument(&self) -> Argument<'_> {
        match self {
            RangeEnd::Key(key) => Argument::Key(key),
            RangeEnd::Rba(rba) => Argument::Rba(*rba),
            RangeEnd::Rrn(rrn) => Argument::Rrn(*rrn),
        }
    }

    /// Does the record stand behind it? Of a key as many bytes are compared as it has.
    fn is_below(&self, record: Record<'_>, opened: &OpenedSession) -> bool {
        match self {
            RangeEnd::Key(to) => {
                let offset = opened.data_set.attributes().key_offset as usize;
                let key = record.bytes.get(offset..offset + to.len());
                key.is_some_and(|key| key > to)
            }
            RangeEnd::Rba(rba) => record.rba > *rba,
            RangeEnd::Rrn(rrn) => record.rrn > *rrn,
        }
    }
}

/// Positions at the first record of the range; false when all records lie before it.
fn point(string: &mut Str, from: Option<&RangeEnd>, opened: &OpenedSession) -> Result<bool, Failure> {
    let Some(from) = from else { return Ok(true) };
    match string.point(from.argument(), Search::GreaterOrEqual) {
        Ok(()) => Ok(true),
        Err(RequestError::NotFound | RequestError::BadRba { .. }) => Ok(false),
        Err(error) => Err(Failure::from(error).at(&opened.name)),
    }
}
