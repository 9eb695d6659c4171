//! SMF records: a record for each open (type 62) and close (types 64 and 42, subtype 6) of a data set, and for each
//! step that ends (type 30, subtype 4), in a file of the catalog's directory, and what reads such files.
//!
//! ```text
//! field     the fields of each record: name, offset, length, kind
//! record    a record: its fields by name, and what makes one of counters
//! opens     what this process has open, and what it did with it
//! step      the record of a step that ends
//! told      what was told in intervals, and records of what came since
//! interval  the records of an interval: of what is open, of what is shared, and of the pool
//! write     the file that records go to
//! border    where whole records of a file end
//! files     the files of a catalog's directory, to be read
//! read      records of a file, or where it is none
//! ```
//! * R1. Writing a record stops nobody: one that cannot be written is lost and counted, and a record of type 7 says how
//!   many were lost, before the next one that can be written.
//! * R2. A record is written whole or not at all: a write that fails is taken back. What a killed process or a power
//!   cut has left of a record is cut off before the next one, and counted as one that is lost.
//! * R3. The file has a bound. One that is full gets another name, and of those [`write::KEPT`] are kept.

#![forbid(unsafe_code)]

mod border;
pub mod field;
mod files;
pub mod interval;
mod opens;
mod read;
mod record;
mod reported;
mod step;
pub mod write;

pub use field::{Field, Kind, Layout, Section, LAYOUTS};
pub use files::{files, RecordFile};
pub use read::{ReadError, Records};
pub use record::{closed, io_of, lost, opened, Origin, Record, Value};
pub use step::{Completion, StepEnd};
pub use write::{SmfFile, Untold};
