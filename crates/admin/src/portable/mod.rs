//! Data sets as wholes: EXPORT and IMPORT, BACKUP and RESTORE.
//!
//! ```text
//! export, backup  --> stored | records --> cica_portable::Writer --> file of a DD
//! file of a DD --> cica_portable::Reader --> receive --> import, restore --> making::Making --> catalog
//! ```
//! 1. A copy counts when its end is written and durable. What has no end is refused by every reader.
//! 2. IMPORT and RESTORE put nothing into the catalog before they have read the copy to its end and found it whole.

mod alike;
mod backup;
mod copied_sphere;
mod descent;
mod doubt;
mod export;
mod import;
mod import_names;
mod indexes;
mod place;
mod receive;
mod recover;
mod restore;
mod standing;
mod stored;
mod tie;

pub use backup::Backup;
pub use export::{Export, ExportMode, Exported};
pub use import::{Import, Imported};
pub use import_names::ImportObject;
pub(super) use receive::new_data_set;
pub use recover::{Recover, Recovered};
pub use restore::{Renaming, Restore};

use self::descent::Line;
use super::failure::Failure;
use super::named::Named;
use super::open::ClusterOrFile;
use super::sequential::{Files, Sequential};
use super::Services;
use crate::report::Report;
use cica_catalog::entry::EntryKind;
use cica_catalog::{Date, Entry, Name};
use cica_disk::NewFile;
use cica_format::checksum::crc32c;
use cica_format::portable::{Head, Totals};
use cica_messages::{CICA0963E, CICA0964E, CICA1020E};
use cica_portable::{CopyError, Reader};
use cica_qsam::DdText;
use std::fmt::Display;

/// An entry that BACKUP copied or RESTORE made, and what it amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What it is.
    pub kind: EntryKind,
    /// Its name; for RESTORE the one it has now.
    pub name: Name,
    /// Control intervals of it in the copy; 0 for one that EXPORT copied record by record, or without contents.
    pub control_intervals: u64,
    /// Records in it.
    pub records: u64,
}

impl Member {
    /// An entry with the totals of its contents, and the records that its control intervals hold.
    fn of(entry: &Entry, totals: &Totals, stored: u64) -> Member {
        Member {
            kind: entry.kind(),
            name: entry.name().clone(),
            control_intervals: totals.control_intervals,
            records: totals.records.max(stored),
        }
    }

    /// What it amounts to, in words.
    fn amount(&self) -> String {
        match (self.control_intervals, self.records) {
            (0, 0) => "DEFINITION ONLY".to_owned(),
            (0, records) => format!("{records} RECORDS"),
            (intervals, records) => format!("{intervals} CONTROL INTERVALS WITH {records} RECORDS"),
        }
    }
}

/// A copy being read, and what it is called.
struct Copy {
    name: String,
    reader: Reader<Files>,
    /// Control intervals or records taken from it so far.
    taken: u64,
    /// Id that the cluster had which was copied, of the member that was made last.
    cluster: u64,
    /// The lineage that it had.
    lineage: u64,
    /// Units were open when it was copied.
    had_units: bool,
    line: Line,
}

impl Copy {
    /// The copy that a request names.
    fn open(services: &Services, named: &Named) -> Result<Copy, Failure> {
        let place = place_of(services, named)?;
        let name = place.name.clone();
        let unread = |reason: &dyn Display| Failure::new(&CICA0963E, &[("name", &name), ("reason", reason)]);
        let reader = Reader::new(place.open(services)?).map_err(|e| unread(&e))?;
        Ok(Copy {
            name,
            reader,
            taken: 0,
            cluster: 0,
            lineage: 0,
            had_units: false,
            line: Line::new(services.engine.new_branch()),
        })
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

/// The name of the base of the sphere that an entry is in.
fn sphere(entry: &Entry) -> &Name {
    match entry {
        Entry::Aix(aix) => &aix.relate,
        other => other.name(),
    }
}

/// A file for a copy, and what it is called.
struct NewCopy {
    name: String,
    file: NewFile,
    place: Sequential,
}

impl NewCopy {
    /// The one that a request names.
    fn create(services: &Services, named: &Named) -> Result<NewCopy, Failure> {
        let place = place_of(services, named)?;
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

/// The refusal of IMPORT, which has changed nothing.
fn not_imported(name: &Name, reason: &str) -> Failure {
    Failure::new(&CICA1020E, &[("name", name), ("reason", &reason)])
}

const OUTSIDE: &str = "a portable copy is a sequential file; name one with a DD, or a data set that is not VSAM's";

/// A copy that is whole and durable in its data set: the catalog knows it, a new generation too.
fn complete(services: &Services, place: &Sequential, out: &mut Report) -> Result<(), Failure> {
    let bytes = DdText::parse("COPY,RECFM=U,BLKSIZE=32760").map(|text| text.attributes);
    place.complete(services, &bytes.unwrap_or_default(), out)
}

/// The file, or the data set, of a copy.
fn place_of(services: &Services, named: &Named) -> Result<Sequential, Failure> {
    match ClusterOrFile::named(services, named)? {
        ClusterOrFile::File(file) => Ok(*file),
        ClusterOrFile::Cluster(cluster) => Err(unwritten(cluster.name.as_str(), &OUTSIDE)),
    }
}

/// Date and time for messages, of nanoseconds since 1970.
fn moment(nanoseconds: u64) -> (String, String) {
    let date = Date::of_clock(nanoseconds);
    let (month, day) = date.month_and_day();
    let second = nanoseconds / 1_000_000_000 % 86_400;
    (
        format!("{month:02}/{day:02}/{:02}", date.year() % 100),
        format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60),
    )
}

/// Bases first, then alternate indexes, then what leads to them.
fn rank(kind: EntryKind) -> u8 {
    match kind {
        EntryKind::Cluster => 0,
        EntryKind::Aix => 1,
        EntryKind::Path => 2,
        EntryKind::Alias => 4,
        _ => 3,
    }
}
