//! Record access, buffering, logging and recovery of VSAM data sets on Linux files.
//!
//! ```text
//! salvage/ bldindex/        files and data sets as a whole: damaged ones read, alternate indexes built and compared,
//! stored rebuild condemned  clusters copied as they are stored, made from such a copy, removed
//! engine/   recovery/       one per process: clusters created, altered and opened; a dead owner's log done again
//! dataset   string/         a data set and its strings, as users have them    (VSAM's words, which are in request)
//! pinned                    its committed trees, while somebody copies them
//! unit/     sphere/         units of recovery; a change of a base with those of its alternate indexes
//! open/                     what is open: its roots, commit and close, its upgrade set, and what a process shares
//! cluster                   a data set by its organization
//! alternate/                records of an alternate index: what a pointer that comes or goes makes of them
//! ksds/                     trees of records: find, change, split, load
//! esds/ relative/ linear/   records by RBA, by number, and bytes
//! common/                   what all of them have: gate, holds, counters, fence, and the context of a change
//! definition examine        what is defined; what EXAMINE finds
//! dictionaries              those of a compressed data set, as its file has them
//! write_check               a file whose writes are read back and compared, as WRITECHECK has it
//! locks/                    who has which record, and who waits for it
//! buffers/                  those that an open asks for: what they hold, when they are filled    (docs/design/0042)
//! compressed                records as they are stored, and their dictionaries    (docs/design/0032)
//! sizes                     what they take
//! store/                    one component file: slots, regions, commit (docs/design/0001)
//! log/      pool/           requests made durable; frames and latches
//! files roots places        opening files, reading and finding them
//! prepared                  files of units of recovery that are in doubt    (docs/design/0047)
//! succession                what became of a data set whose path is another's
//! volumes                   where its extents come from: asked of whoever keeps the catalog
//! far                       a data set that another process owns: what is asked of it
//! request error io          the words of a request, what it is answered, how files are read
//! forked                    whose engine it is: no child's
//! sync/                     locks and atomic words, the system's or those of a scheduler that tests
//! ```
//! What its own words (root, slot, epoch, tail, turn, glance ...) are called elsewhere: `docs/src/reference/glossary.md`.
//! Imports run downward. All I/O goes through `cica_disk`; `unsafe` is in `pool` alone.

#![deny(unsafe_code)]

// Tests of the crate itself share what those beside it have.
#[cfg(test)]
extern crate self as cica_engine;

mod alternate;
pub mod archive;
mod bldindex;
mod buffers;
mod cluster;
mod common;
mod compressed;
mod condemned;
mod dataset;
mod definition;
mod dictionaries;
mod engine;
mod error;
mod esds;
pub mod examine;
pub mod far;
mod files;
mod footprint;
mod forked;
mod forward;
mod io;
mod ksds;
mod linear;
mod locks;
mod log;
mod open;
mod pinned;
mod places;
#[allow(unsafe_code)]
mod pool;
mod prepared;
mod rebuild;
mod recovery;
mod relative;
mod request;
mod roots;
pub mod salvage;
mod sizes;
mod sphere;
mod store;
mod stored;
mod string;
mod succession;
mod sync;
mod unit;
mod volumes;
mod write_check;

pub use bldindex::{Build, BuildError, Built, Compared, Disagreement, Omitted};
pub use buffers::{BufferCounts, BufferSizes, Buffering, PartCounts, Quota, Schedule, Transfer};
pub use buffers::{
    PoolBuffers, PoolError, PoolNote, PoolText, PoolTextError, ResourcePool, SubpoolCounts, SubpoolSize, TextPool,
    WriteBuffers,
};
pub use condemned::Condemned;
pub use dataset::DataSet;
pub use definition::Definition;
pub use dictionaries::DictionaryLine;
pub use engine::{Engine, InDoubt};
pub use error::{show_key, CopyError, Feedback, OpenError, PoolRefusal, RequestError, Retry};
pub use far::PinnedTree;
pub use files::{peek, Files};
pub use footprint::Footprint;
pub use io::Io;
pub use linear::BLOCK as LDS_BLOCK;
pub use locks::{LockCounts, LockLine, LockMode, LockOwner, Patience, ReadIntegrity};
pub use open::Env;
pub use pinned::PinnedTrees;
pub use prepared::{PrepareError, Undecided};
pub use rebuild::{Branch, Rebuild};
pub use request::{Access, Argument, CloseReport, Durability, Insert, Intent, Logging, OpenOptions, Record, Search};

pub use stored::{Stored, StoredArea, StoredComponent};
pub use string::Str;
pub use unit::UnitOfRecovery;
pub use volumes::{Absent, Directories, OneVolume, Room, Volumes};
