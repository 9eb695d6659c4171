//! A table block: version and checksum of 504 CA headers.
//!
//! Block `b` (CAs `504*b ..`) lies before region `504*b`, in two copies; the root says which is committed.

/// Bytes of one copy.
pub const BLOCK_LEN: usize = 4096;
/// References per block.
pub const REFS: usize = 504;
/// First four bytes.
pub const MAGIC: [u8; 4] = *b"CiTB";

/// What a parent knows of a child: which version is committed and its CRC-32C. Version 0 = never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ref {
    /// Version; the child's copy is `version & 1`.
    pub version: u32,
    /// CRC-32C of the child's bytes as written.
    pub checksum: u32,
}
