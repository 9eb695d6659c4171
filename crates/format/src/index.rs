//! The index record in IBM's layout: front- and rear-compressed keys in sections (docs/format/index-record.md).

mod decode;
mod encode;

pub use decode::{IndexImage, Walk, Walked};
pub use encode::RecordRef;
use std::fmt;

use crate::ci::{CIDF_LEN, MAX_CI, RDF_LEN};

/// One entry: CI `pointer` (level 1: CI number inside the CA; above: index CI number) holds keys up to `separator`
/// followed by X'FF's. The last entry of a level has an empty separator: no key is higher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Rear-compressed high key.
    pub separator: Vec<u8>,
    /// See above.
    pub pointer: u32,
}

/// An index record, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexRecord {
    /// 1 = sequence set.
    pub level: u8,
    /// Level 1: number of the CA it indexes (base RBA = ca * CIs per CA * CISZ of the data component).
    pub ca: u32,
    /// Index CI number of the next record on this level, `u32::MAX` = none.
    pub next: u32,
    /// In key order.
    pub entries: Vec<IndexEntry>,
    /// Level 1: numbers of the CA's free CIs, descending.
    pub free: Vec<u16>,
}

/// Bytes before the free-CI numbers.
pub const HEADER_LEN: usize = 24;
/// Longest separator: its length has one byte.
pub const MAX_SEPARATOR: usize = 255;

/// Bytes of the CI's RDF and CIDF after the record.
const CONTROL_LEN: usize = RDF_LEN + CIDF_LEN;
/// Bytes of F and L, before a pointer.
const FL_LEN: usize = 2;
/// Bytes of a section field.
const SECTION_FIELD_LEN: usize = 2;
/// Bytes of a pointer in the index set. The pointers are small numbers there too, but the records of real index sets
/// have three bytes.
const INDEX_SET_POINTER: usize = 3;
/// IXHFLAG: the base is a CI number, as the RBA has more than 32 bits (ours, not IBM's).
const FLAG_BASE_CI: u8 = 0x01;
/// IXHFLAG: the horizontal pointer is a CI number, as the RBA has more than 32 bits or is 0 (ours, not IBM's).
const FLAG_NEXT_CI: u8 = 0x02;

/// Bytes that an index CI must have for keys of `key_length` bytes and control areas of `ci_per_ca` CIs: room for two
/// entries whose keys do not compress, and for the numbers of the other CIs. A smaller one could come to a split that
/// has nowhere to go.
pub const fn least_ci_size(key_length: usize, ci_per_ca: usize) -> usize {
    HEADER_LEN + CONTROL_LEN + 2 * most_of_entry(key_length) + 2 * ci_per_ca
}

/// Most bytes that an entry adds to a record behind all others, whose separator has so many bytes. None of the others
/// takes more then.
pub const fn most_of_entry(separator: usize) -> usize {
    separator + FL_LEN + INDEX_SET_POINTER + SECTION_FIELD_LEN
}

mod at {
    //! Offsets in the header, see `docs/format/index-record.md`.
    pub const LL: usize = 0;
    pub const FLPLN: usize = 2;
    pub const PTLS: usize = 3;
    pub const BASE: usize = 4;
    pub const NEXT: usize = 8;
    pub const LEVEL: usize = 16;
    pub const FLAG: usize = 17;
    pub const FSO: usize = 18;
    pub const LEO: usize = 20;
    pub const SEO: usize = 22;
}

/// What turns the CA and CI numbers of a record into the RBAs it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaseRba {
    /// CIs per CA of the data component.
    pub ci_per_ca: u32,
    /// CISZ of the data component, in bytes.
    pub ci_size: u32,
    /// CISZ of the index component, in bytes.
    pub index_ci_size: u32,
}

/// Why an index record cannot be laid out in an index CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexFull {
    /// It has too many bytes.
    Space {
        /// Bytes of the record.
        need: usize,
        /// Bytes an index CI of this size has for it.
        have: usize,
    },
    /// A CI number that the pointers of this level cannot hold.
    Pointer {
        /// The number.
        pointer: u32,
    },
    /// A separator of more than [`MAX_SEPARATOR`] bytes.
    Separator {
        /// Its length.
        len: usize,
    },
    /// A separator that is below its predecessor, or empty and not the last.
    Order {
        /// Number of its entry, from 0.
        entry: usize,
    },
    /// Level 0: the sequence set is level 1.
    Level,
    /// A CA beyond the 2 to the power of 32 CIs of the largest data set.
    Base {
        /// Its number.
        ca: u32,
    },
}

impl fmt::Display for IndexFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            IndexFull::Space { need, have } => {
                write!(
                    f,
                    "index record: it takes {need} bytes but the index CI has {have} for it; use larger index CIs"
                )
            }
            IndexFull::Pointer { pointer } => {
                write!(
                    f,
                    "index record: CI number {pointer} is above what the pointers of its level can hold"
                )
            }
            IndexFull::Separator { len } => write!(f, "index record: a key of {len} bytes; the longest has 255"),
            IndexFull::Order { entry } => write!(f, "index record: entry {entry} is below the one before it"),
            IndexFull::Level => write!(f, "index record: its level is 0; the lowest is 1"),
            IndexFull::Base { ca } => write!(f, "index record: CA {ca} lies beyond the largest RBA of a data set"),
        }
    }
}

impl std::error::Error for IndexFull {}

/// Entries of a full section, if a record has so many entries: about the square root, as a search goes through half of
/// the sections and then half of a section's entries.
pub fn section_size(entries: usize) -> usize {
    entries.isqrt().max(1)
}

/// Bytes of a pointer on `level`.
fn pointer_len(level: u8, ci_per_ca: u32) -> usize {
    match (level, ci_per_ca) {
        (1, ..=0x100) => 1,
        (1, ..=0x1_0000) => 2,
        _ => INDEX_SET_POINTER,
    }
}

/// The lowest number that is no pointer on `level`.
fn pointer_limit(level: u8, ci_per_ca: u32) -> u32 {
    match level {
        1 => ci_per_ca.min(1 << 24),
        _ => 1 << 24,
    }
}

/// Length of what two separators begin with alike.
fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// `a`, followed by X'FF's, is not above `b`, followed by X'FF's.
fn in_order(a: &[u8], b: &[u8]) -> bool {
    let alike = shared(a, b);
    match (a.get(alike), b.get(alike)) {
        (Some(a), Some(b)) => a < b,
        (None, Some(_)) => b[alike..].iter().all(|&c| c == 0xFF),
        (_, None) => true,
    }
}
