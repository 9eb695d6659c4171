//! The bytes Cica keeps on a volume. No I/O, no unsafe code, no panics on any input.
//!
//! One module per thing that can be pointed at with an offset; `docs/format/` has a byte picture of each, and a
//! test compares the pictures with the constants here. Numbers are little-endian in Cica's own structures
//! (roots, headers, log) and big-endian inside VSAM's (CIDF, RDF, index record), as VSAM has them.

#![forbid(unsafe_code)]

pub mod aix;
pub mod archive;
pub mod attributes;
mod bytes;
pub mod ca;
pub mod checksum;
pub mod ci;
mod error;
pub mod index;
pub mod log;
pub mod portable;
pub mod prepared;
pub mod root;
pub mod slots;
pub mod table;
pub mod tail;

pub use error::FormatError;

/// File that marks a directory as a volume that is there: the mount point of one that is not has none.
pub const VOLUME_MARK: &str = ".cica-volume";
