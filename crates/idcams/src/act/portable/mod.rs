//! Data sets as wholes: EXPORT and IMPORT, BACKUP and RESTORE.
//!
//! ```text
//! export, backup  --> stored | records --> cica_portable::Writer --> file of a DD
//! file of a DD --> cica_portable::Reader --> receive --> import, restore --> making::Making --> catalog
//! ```
//! 1. A copy counts when its end is written and durable. What has no end is refused by every reader.
//! 2. IMPORT and RESTORE put nothing into the catalog before they have read the copy to its end and found it whole.

mod backup;
mod export;
mod import;
mod place;
mod receive;
mod restore;
mod stored;

pub use backup::backup;
pub use export::export;
pub use import::import;
pub use receive::new_data_set;
pub use restore::restore;

use super::failure::Failure;
use super::open;
use super::sequential::{Files, Sequential};
use super::Services;
use crate::act::report::Report;
use crate::params::Params;
use crate::sysprint::Stamp;
use cica_catalog::entry::Kind;
use cica_catalog::{Entry, Name};
use cica_disk::NewFile;
use cica_format::checksum::crc32c;
use cica_format::portable::Head;
use cica_messages::{CICA0963E, CICA0964E};
use cica_portable::{CopyError, Reader};
use cica_qsam::DdText;
use std::fmt::Display;

/// A copy being read, and what it is called.
pub struct Copy {
    name: String,
    reader: Reader<Files>,
    /// Control intervals or records taken from it so far.
    taken: u64,
}

impl Copy {
    /// The copy that INFILE or INDATASET names.
    fn open(services: &Services, params: &Params) -> Result<Copy, Failure> {
        let place = place_of(services, params, "INFILE", "INDATASET")?;
        let name = place.name.clone();
        let unread = |reason: &dyn Display| Failure::new(&CICA0963E, &[("name", &name), ("reason", reason)]);
        let reader = Reader::new(place.open(services)?).map_err(|e| unread(&e))?;
        Ok(Copy { name, reader, taken: 0 })
    }

    /// When it was made, nanoseconds since 1970.
    fn created(&self) -> u64 {
        self.reader.head().created
    }

    /// The failure of what is wrong with it.
    fn unread(&self, error: &CopyError) -> Failure {
        Failure::new(&CICA0963E, &[("name", &self.name), ("reason", error)])
    }
}

/// A file for a copy, and what it is called.
struct NewCopy {
    name: String,
    file: NewFile,
    place: Sequential,
}

impl NewCopy {
    /// The one that OUTFILE or OUTDATASET names.
    fn create(services: &Services, params: &Params) -> Result<NewCopy, Failure> {
        let place = place_of(services, params, "OUTFILE", "OUTDATASET")?;
        let name = place.name.clone();
        let file = place.create_anew(services).map_err(|e| unwritten(&name, &e))?;
        Ok(NewCopy { name, file, place })
    }
}

/// The head of a copy of so many members that is made now, the first of them being `first`.
fn head(services: &Services, first: &Name, members: usize) -> Head {
    let created = services.clock.now();
    // Copies that are made at the same time, by different processes, are rarely of the same data set.
    let id = created ^ u64::from(crc32c(first.as_str().as_bytes())) << 32;
    Head {
        id,
        created,
        members: members as u32,
    }
}

/// The failure of writing a copy.
fn unwritten(name: &str, reason: &dyn Display) -> Failure {
    Failure::new(&CICA0964E, &[("name", &name), ("reason", reason)])
}

const OUTSIDE: &str = "a portable copy is a sequential file; name one with a DD, or a data set that is not VSAM's";

/// A copy that is whole and durable in its data set: the catalog knows it, a new generation too.
fn complete(services: &Services, place: &Sequential, out: &mut Report) -> Result<(), Failure> {
    let bytes = DdText::parse("COPY,RECFM=U,BLKSIZE=32760").map(|text| text.attributes);
    place.complete(services, &bytes.unwrap_or_default(), out)
}

/// The file, or the data set, of a copy.
fn place_of(services: &Services, params: &Params, file: &str, data_set: &str) -> Result<Sequential, Failure> {
    match open::Target::of(services, params, file, data_set)? {
        open::Target::File(file) => Ok(*file),
        open::Target::Cluster(cluster) => Err(unwritten(cluster.name.as_str(), &OUTSIDE)),
    }
}

/// Date and time for messages, of nanoseconds since 1970.
fn moment(nanoseconds: u64) -> (String, String) {
    let at = Stamp::from_unix((nanoseconds / 1_000_000_000) as i64);
    (
        format!("{:02}/{:02}/{:02}", at.month, at.day, at.year % 100),
        format!("{:02}:{:02}:{:02}", at.hour, at.minute, at.second),
    )
}

/// What an entry is called in messages: `CLUSTER`, `AIX`.
fn kind(entry: &Entry) -> &'static str {
    entry.kind().word()
}

/// Bases first, then alternate indexes, then what leads to them.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Cluster => 0,
        Kind::Aix => 1,
        Kind::Path => 2,
        Kind::Alias => 4,
        _ => 3,
    }
}
