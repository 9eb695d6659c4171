//! The archive: what was changed in data sets with LOG(ALL), so that it can be done again in a copy.
//!
//! ```text
//! write       what groups of the log have of an open data set goes to its segment        [open::archive]
//! resume      recovery goes on with the segment of an owner that died
//! segments    the files of an archive, each read frame by frame
//! redo        which changes are done again in a copy, up to a moment
//! ```
//! A data set has its own segments, so it can be recovered, and its archive cleaned, without asking about others.
//!
//! * A1. A group goes to the archive when it is durable in the log, and before whoever waited for it is
//!   answered. What the archive has is never ahead of the log.
//! * A2. What is in the log is in the archive durably before the log lets go of it: before a root ceases to name the
//!   log, before an epoch ends, and before the log is left behind. So after any crash the log has what the archive
//!   lacks, and recovery brings it there before it commits.
//! * A3. A segment's head is durable before a root has the number of its open (origin), which it gets before the first
//!   change. So recovery knows by the archive alone that it is to go on with it.
//! * A4. Segments form a chain by number and checksum, and each says after which open it goes on. Where that is not the
//!   one that the archive has last, something was changed that no archive has: the chain begins anew there and says
//!   so.
//! * A5. A data set whose archive cannot be written is fenced: the log has everything, and the next open brings it to
//!   the archive, or is refused.
//! * A8. A segment of a compressed data set has each dictionary of it in front of the first change behind which the
//!   dictionary was made. So each segment can be expanded by itself, whatever dictionaries the copy has.
//! * A9. Whoever writes a segment has it locked, and whoever begins the next one has seen that nobody writes the one
//!   before. A data set and a second one of its line, which somebody made of its files, cannot write one archive side
//!   by side.
//! * A10. One that was restored from a copy goes on from where the copy was made, so more than one segment may follow
//!   the copy. The way to a moment begins with the last of them that was begun by then.

mod redo;
mod segments;
mod write;

pub use redo::{follows, plan, ArchiveEnd, Plan, RedoError, Step};
pub use segments::{all, segments, ArchiveError, Segment, SegmentFile};
pub use write::{Begin, Writer};

use std::path::{Path, PathBuf};

/// Where the archive of a catalog lies that has its logs in `logs`.
pub fn directory(logs: &Path) -> PathBuf {
    logs.parent().unwrap_or(Path::new(".")).join("archive")
}

/// The file of a segment.
fn path(directory: &Path, lineage: u64, number: u32) -> PathBuf {
    directory.join(format!("{lineage:016X}-{number:08}"))
}

/// Lineage and number of the segment whose file has this name.
fn numbers_of(path: &Path) -> Option<(u64, u32)> {
    let name = path.file_name()?.to_str()?;
    let (lineage, number) = name.split_once('-')?;
    let parsed = (u64::from_str_radix(lineage, 16).ok()?, number.parse().ok()?);
    (self::path(Path::new(""), parsed.0, parsed.1).to_str() == Some(name)).then_some(parsed)
}
