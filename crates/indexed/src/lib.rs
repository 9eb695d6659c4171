//! The indexed sequential organization (ISAM) of OS/360 to MVS on a 3330-1: what VSAM was measured against in 1979.
//!
//! | module | holds |
//! |---|---|
//! | `geometry` | tracks and cylinders: how many blocks, index entries and overflow records go where |
//! | `label` | what the file says of itself |
//! | `device` | channel programs: each a real read or write of the file, traced and counted |
//! | `entry` | entries of track index and cylinder index, and the links of overflow chains |
//! | `block`, `spot` | blocks as stored, and places of records |
//! | `find` | the way to a record: cylinder index, track index, block or overflow chain |
//! | `load` | QISAM load: PUT |
//! | `scan` | QISAM scan: SETL, GET, PUTX |
//! | `indexed` | BISAM: READ K, READ KU with WRITE K |
//! | `insert` | BISAM: WRITE KN |
//!
//! * I1. Records of a track lie in order of their keys: first those of its blocks, then those of its overflow chain.
//! * I2. The normal entry of a track has the highest key of its blocks, its overflow entry the highest key of both and
//!   the address of the first record of the chain. The cylinder index has the highest key of each cylinder.
//! * I3. A request that is refused has written nothing.
//!
//! It is a comparator and no place for data: there is no log, and who ends in the middle of a change has a file that
//! may lack a part of it. Records have one length, are blocked, have one key, and are never deleted. There is no master
//! index: the cylinder index has at most 18 tracks, which are searched one after the other.

#![forbid(unsafe_code)]

mod block;
mod device;
mod entry;
mod error;
mod find;
mod geometry;
mod indexed;
mod insert;
mod label;
mod load;
mod scan;
mod spot;

pub use device::{ChannelProgram, ProgramStep, StepKind};
pub use error::IsamError;
pub use geometry::{Organization, TRACK_BYTES};
pub use indexed::{Access, Indexed};
pub use load::{Load, LoadOptions};
pub use scan::{Scan, Start};
