//! The control-area header: where each CI of a CA lies, and what it must read as.
//!
//! Two copies stand at the start of region `ca` of the file; the table block says which is committed
//! (`version & 1`) and what its checksum is.

/// Fixed part before the entries, in bytes.
pub const HEADER_LEN: usize = 64;
/// Bytes per CI entry.
pub const ENTRY_LEN: usize = 12;
/// `slot` of a CI that has no image (never written, or empty).
pub const NO_SLOT: u16 = 0xFFFF;
/// First four bytes.
pub const MAGIC: [u8; 4] = *b"CiCA";

/// One CI of the CA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CiEntry {
    /// Slot in the CA's region, or [`NO_SLOT`].
    pub slot: u16,
    /// Bit 0: the CI holds records.
    pub flags: u16,
    /// Version of the image in the slot.
    pub version: u32,
    /// [`crate::checksum::ci_checksum`] of that image.
    pub checksum: u32,
}

/// A decoded header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaHeader {
    /// Id of the component it belongs to.
    pub component: u64,
    /// Its CA number: the RBA of its first CI is `ca * CIs per CA * CISZ`.
    pub ca: u32,
    /// Version; copy `version & 1` holds it.
    pub version: u32,
    /// The region whose slots hold its CIs.
    pub region: u32,
    /// Bit 0: the CA is free (reclaimed).
    pub flags: u32,
    /// For a free CA: the next free CA, or `u32::MAX`.
    pub next_free: u32,
    /// One per CI, in CI order.
    pub entries: Vec<CiEntry>,
}
