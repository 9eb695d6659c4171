//! `cica erase`: records by their keys, RBAs or relative record numbers.
//!
//! 1. Each record is erased by itself. One that is not there leaves the others as they would be, and is told.
//! 2. At an error the records before it are erased.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::keys::{self, Length};
use crate::progress::grouped;
use crate::session::{OpenedSession, Session};
use cica_engine::{Access, Argument, Durability, Intent, RequestError, Search};
use cica_messages as messages;
use clap::Args;

/// Erase the records with these keys, or at these places
///
/// Through a path the record is erased from its base; of several with one alternate key the first. Records of an
/// ESDS are not erased. 'cica rm' deletes a data set with all its records.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica erase PAYROLL.MASTER 00001000
  cica erase PAYROLL.MASTER 00001000 00001001 \"X'F0F0F0F0F1F0F0F2'\"
  cica erase PAYROLL.SLOTS --rrn 17 --rrn 18")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Key: text in the data set's code page, or X'..' for bytes
    #[arg(value_name = "KEY", required_unless_present_any = ["rba", "rrn"], conflicts_with_all = ["rba", "rrn"])]
    keys: Vec<String>,
    /// The record that starts at this relative byte address
    #[arg(long, value_name = "N", conflicts_with = "rrn")]
    rba: Vec<u64>,
    /// The record with this relative record number
    #[arg(long, value_name = "N")]
    rrn: Vec<u32>,
    /// Keys are in hexadecimal
    #[arg(long)]
    hex: bool,
}

/// A record that is to go.
enum Place {
    Key(String, Vec<u8>),
    Rba(u64),
    Rrn(u32),
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let opened = session.data_set(&options.dsn, Access::Output, Durability::Close)?;
    let places = options.places(&opened)?;
    if opened.data_set.loading() {
        // It has no record. Not closed, it stays one that was never loaded.
        places.iter().for_each(|place| place.tell_missing(&opened));
        return Ok(Status::NOTHING);
    }
    let (mut status, mut erased) = (Status::DONE, 0);
    let mut string = opened.data_set.string();
    let done = places.iter().try_for_each(|place| {
        let found = string.get(place.argument(), Search::Equal, Intent::Update).map(drop);
        match found.and_then(|()| string.erase()) {
            Ok(()) => erased += 1,
            Err(RequestError::NotFound | RequestError::BadRba { .. }) => {
                place.tell_missing(&opened);
                status = Status::NOTHING;
            }
            Err(error) => return Err(Failure::from(error).at(&opened.name)),
        }
        Ok(())
    });
    drop(string);
    let name = opened.name.clone();
    let closed = opened.close();
    // Those before an error too (2). What cannot be closed may come back in part.
    if !global.quiet && (erased > 0 || done.is_ok()) {
        let at_most = if closed.is_ok() { "" } else { "at most " };
        crate::terminal::tell(&format!("{at_most}{} records erased from {name}", grouped(erased)));
    }
    done.and(closed)?;
    Ok(status)
}

impl Options {
    /// All that are named, before the first is erased.
    fn places(&self, opened: &OpenedSession) -> Result<Vec<Place>, Failure> {
        let key = |text: &String| {
            let bytes = keys::key(text, self.hex, Length::Exact, opened)?;
            Ok(Place::Key(text.clone(), bytes))
        };
        let keys = self.keys.iter().map(key);
        let rbas = self.rba.iter().map(|rba| Ok(Place::Rba(*rba)));
        let numbers = self.rrn.iter().map(|rrn| Ok(Place::Rrn(*rrn)));
        keys.chain(rbas).chain(numbers).collect()
    }
}

impl Place {
    fn argument(&self) -> Argument<'_> {
        match self {
            Place::Key(_, bytes) => Argument::Key(bytes),
            Place::Rba(rba) => Argument::Rba(*rba),
            Place::Rrn(rrn) => Argument::Rrn(*rrn),
        }
    }

    fn tell_missing(&self, opened: &OpenedSession) {
        let place = match self {
            Place::Key(text, _) => format!("with key {text}"),
            Place::Rba(rba) => format!("at RBA {rba}"),
            Place::Rrn(rrn) => format!("with relative record number {rrn}"),
        };
        let text = format!("{} has no record {place}", opened.name);
        Failure::new(Status::NOTHING, &messages::IDC3309I, text).tell();
    }
}
