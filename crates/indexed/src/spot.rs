//! Places: of a record, and of the track that a key belongs to.

use crate::entry::Entry;
use crate::geometry::Area;

/// Where a record is: in a block, or alone in overflow.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub place: (u32, u32),
    pub area: Area,
    /// The block, or the overflow record, as stored.
    pub stored: Vec<u8>,
    /// Byte of it at which the record begins.
    pub at: usize,
}

/// The track of a key.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub cylinder: u32,
    /// Data track of the cylinder.
    pub nth: u32,
    pub normal: Entry,
    pub overflow: Entry,
    /// The key is above all of the file.
    pub is_beyond: bool,
}
