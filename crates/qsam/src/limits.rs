//! How long descriptors, records and blocks may be.

/// Bytes of a block, record or segment descriptor word.
pub(crate) const DESCRIPTOR: u32 = 4;

/// The longest LRECL of F and V formats, in bytes.
pub const MAX_LRECL: u32 = 32_760;

/// The longest block, in bytes; beyond 32,760 a block has the extended BDW of the large block interface.
pub const MAX_BLKSIZE: u32 = 262_144;

/// The longest spanned record and the longest text line, in bytes. Memory for a record never goes beyond it.
pub const MAX_LOGICAL_RECORD: u32 = 16 * 1024 * 1024;
