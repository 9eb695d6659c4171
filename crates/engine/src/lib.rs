//! Record access, buffering, logging and recovery of VSAM data sets on Linux files.
//!
//! ```text
//! engine, dataset, string/  the owner, open data sets, requests       (VSAM's words); request: the words themselves
//! organized, common         a data set by its organization, and what all have
//! alternate/                the records of an alternate index: what a pointer that comes or goes makes of them
//! unit/                     units of recovery: commit, backout, what recovery takes back
//! sphere/                   a base with its alternate indexes: units, paths
//! ksds/                     trees of records: find, change, split, load
//! esds/ relative/ linear/   records by RBA, by number, and bytes
//! store/                    one component file: slots, regions, commit (docs/design/0001)
//! volumes                   where its extents come from: asked of whoever keeps the catalog
//! pool/   log/              frames and latches; requests made durable
//! salvage/                 what can be had of damaged files, without opening them as a data set
//! forked                   whose engine it is: no child's
//! sync/                    locks and atomic words, the system's or those of a scheduler that tests
//! ```
//! What its own words (root, slot, epoch, tail, turn, glance ...) are called elsewhere: `docs/src/reference/glossary.md`.
//! Imports run downward. All I/O goes through `cica_disk`; `unsafe` is in `pool` alone.

#![deny(unsafe_code)]

mod alternate;
mod common;
mod condemned;
mod dataset;
mod definition;
mod engine;
mod epoch;
mod error;
mod esds;
pub mod examine;
mod files;
mod forked;
mod io;
mod ksds;
mod linear;
mod log;
mod organized;
mod places;
#[allow(unsafe_code)]
mod pool;
mod rebuild;
mod recovery;
mod relative;
mod request;
mod roots;
pub mod salvage;
mod sphere;
mod store;
mod stored;
mod string;
mod sync;
mod unit;
mod volumes;

pub use condemned::Condemned;
pub use dataset::DataSet;
pub use definition::Definition;
pub use engine::{Engine, Env};
pub use error::{show_key, Feedback, OpenError, RequestError};
pub use files::{peek, Files};
pub use io::Io;
pub use linear::BLOCK as LDS_BLOCK;
pub use rebuild::Rebuild;
pub use request::{Access, Argument, CloseReport, Durability, Insert, Intent, OpenOptions, Record, Search};
pub use sphere::{Build, BuildError, Built, Compared, Disagreement, Omitted};
pub use stored::{Stored, StoredArea, StoredComponent};
pub use string::Str;
pub use unit::UnitOfRecovery;
pub use volumes::{Absent, OneVolume, Room, Volumes};
