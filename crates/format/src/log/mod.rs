//! Log bytes: groups of records, each group written by one flush.
//!
//! A group starts on a 4,096-byte boundary and is padded to one; its header carries the log's id and epoch, the LSN of
//! its first record and a checksum over all of it. Groups follow each other with rising LSNs; the log ends at the first
//! block that is not the next group of the same epoch.

mod append;
mod file;
mod group;
mod layout;
mod raw;
mod record;
mod recoverable;

pub use append::*;
pub use file::{LogFileHeader, FILE_MAGIC, FORMAT};
pub use group::*;
pub use raw::Raw;
pub(crate) use record::next_record;
pub use record::{parts, parts_of, tail_records, LogRecord};
pub use recoverable::append_recoverable;

/// Groups start at multiples of this.
pub const BLOCK_LEN: usize = 4096;
