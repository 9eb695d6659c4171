//! The control-area header: where each CI of a CA lies, and what it must read as.
//!
//! Two copies stand at the start of region `ca` of the file; the table block says which is committed
//! (`version & 1`) and what its checksum is.

use crate::bytes::{le16, le32, le64, need, put};
use crate::checksum::{crc32c, own_checksum};
use crate::error::FormatError;

/// Fixed part before the entries, in bytes.
pub const HEADER_LEN: usize = 64;
/// Bytes per CI entry.
pub const ENTRY_LEN: usize = 12;
/// `slot` of a CI that has no image (never written, or empty).
pub const NO_SLOT: u16 = 0xFFFF;
/// Most sectors of a CI that a slot may lack; no CI has more than one more.
pub const MOST_LEFT_OUT: u8 = 15;
/// First four bytes.
pub const MAGIC: [u8; 4] = *b"CiCA";

/// One CI of the CA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CiEntry {
    /// Where its slot begins in the CA's region, from the end of a region's slots on in its annex; or [`NO_SLOT`].
    /// Counted in sectors, or in CIs ([`CaHeader::in_sectors`]).
    pub slot: u16,
    /// Sectors of its free space that the slot has not, at most [`MOST_LEFT_OUT`].
    pub left_out: u8,
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
    /// A second region with more slots for them.
    pub annex: Option<u32>,
    /// Bit 0: the CA is free (reclaimed).
    pub flags: u32,
    /// Slots are counted in sectors; no: in CIs, as format 3 and earlier did.
    pub in_sectors: bool,
    /// For a free CA: the next free CA, or `u32::MAX`.
    pub next_free: u32,
    /// One per CI, in CI order.
    pub entries: Vec<CiEntry>,
}

/// Bytes of a sector, the unit of slots: the largest power of two up to 4,096 that divides CISZ.
pub fn sector(ci_size: usize) -> usize {
    match ci_size {
        0 => BLOCK_LEN,
        _ => (1 << ci_size.trailing_zeros()).min(BLOCK_LEN),
    }
}

/// A header copy starts and ends on such a boundary.
const BLOCK_LEN: usize = 4096;
/// Name in messages.
const WHAT: &str = "CA header";
/// Flag of a header: its slots are counted in sectors.
const IN_SECTORS: u32 = 2;
/// Where the flags of an entry say what its slot has not.
const LEFT_OUT: u16 = 0x00F0;
const LEFT_OUT_SHIFT: u32 = 4;

mod at {
    //! Offsets, see `docs/format/ca-header.md`.
    pub const CHECKSUM: usize = 4;
    pub const COMPONENT: usize = 8;
    pub const CA: usize = 16;
    pub const VERSION: usize = 20;
    pub const REGION: usize = 24;
    pub const FLAGS: usize = 28;
    pub const NEXT_FREE: usize = 32;
    pub const COUNT: usize = 36;
    /// The annex's number plus 1.
    pub const ANNEX: usize = 40;
}

impl CaHeader {
    /// Bytes of one copy of the header of a CA of `ci_per_ca` CIs: a multiple of 4,096.
    pub fn encoded_len(ci_per_ca: usize) -> usize {
        (HEADER_LEN + ci_per_ca * ENTRY_LEN).next_multiple_of(BLOCK_LEN)
    }

    /// Fills `out` with the header and returns the CRC-32C of all of it, which the table block keeps as its [`Ref`].
    ///
    /// # Panics
    /// If `out` is not as long as [`CaHeader::encoded_len`] says.
    ///
    /// [`Ref`]: crate::table::Ref
    pub fn encode(&self, out: &mut [u8]) -> u32 {
        assert_eq!(
            out.len(),
            Self::encoded_len(self.entries.len()),
            "a CA header fills its copy"
        );
        out.fill(0);
        put(out, 0, &MAGIC);
        put(out, at::COMPONENT, &self.component.to_le_bytes());
        put(out, at::CA, &self.ca.to_le_bytes());
        put(out, at::VERSION, &self.version.to_le_bytes());
        put(out, at::REGION, &self.region.to_le_bytes());
        let form = if self.in_sectors { IN_SECTORS } else { 0 };
        put(out, at::FLAGS, &(self.flags & !IN_SECTORS | form).to_le_bytes());
        put(out, at::NEXT_FREE, &self.next_free.to_le_bytes());
        put(
            out,
            at::ANNEX,
            &self.annex.map_or(0, |annex| annex.wrapping_add(1)).to_le_bytes(),
        );
        put(out, at::COUNT, &(self.entries.len() as u32).to_le_bytes());
        for (entry, to) in self.entries.iter().zip(out[HEADER_LEN..].chunks_exact_mut(ENTRY_LEN)) {
            entry.encode(to);
        }
        let checksum = own_checksum(out, at::CHECKSUM);
        put(out, at::CHECKSUM, &checksum.to_le_bytes());
        crc32c(out)
    }

    /// Reads a header copy of a CA of `ci_per_ca` CIs from the start of `bytes`.
    ///
    /// # Errors
    /// Says what is wrong with the bytes. Whether they are the committed copy only the table block knows.
    pub fn decode(bytes: &[u8], ci_per_ca: usize) -> Result<CaHeader, FormatError> {
        let len = Self::encoded_len(ci_per_ca);
        need(WHAT, bytes, len)?;
        let bytes = &bytes[..len];
        if bytes[..4] != MAGIC {
            return Err(FormatError::Magic { what: WHAT });
        }
        if le32(bytes, at::CHECKSUM) != own_checksum(bytes, at::CHECKSUM) {
            return Err(FormatError::Checksum { what: WHAT });
        }
        let header = HeaderView::of(bytes, ci_per_ca)?;
        Ok(CaHeader {
            component: header.component,
            ca: header.ca,
            version: le32(bytes, at::VERSION),
            region: header.region,
            annex: header.annex,
            flags: header.flags,
            in_sectors: header.in_sectors,
            next_free: header.next_free,
            entries: header.entries().collect(),
        })
    }
}

/// A header as it lies in bytes whose checksum the caller has compared with the table block's, which covers all of them.
#[derive(Debug, Clone, Copy)]
pub struct HeaderView<'b> {
    /// As in [`CaHeader`].
    pub component: u64,
    /// See there.
    pub ca: u32,
    /// See there.
    pub region: u32,
    /// See there.
    pub annex: Option<u32>,
    /// See there.
    pub flags: u32,
    /// See there.
    pub in_sectors: bool,
    /// See there.
    pub next_free: u32,
    entries: &'b [u8],
}

impl<'b> HeaderView<'b> {
    /// The header of a CA of `ci_per_ca` CIs at the start of `bytes`.
    ///
    /// # Errors
    /// The bytes are too few, no header, or one of a CA with another number of CIs.
    pub fn of(bytes: &'b [u8], ci_per_ca: usize) -> Result<HeaderView<'b>, FormatError> {
        need(WHAT, bytes, CaHeader::encoded_len(ci_per_ca))?;
        if bytes[..4] != MAGIC {
            return Err(FormatError::Magic { what: WHAT });
        }
        let count = le32(bytes, at::COUNT);
        if count as usize != ci_per_ca {
            let must = "the number of CIs per CA that the root gives";
            return Err(FormatError::Field {
                what: WHAT,
                field: "number of CIs",
                value: count.into(),
                must,
            });
        }
        Ok(HeaderView {
            component: le64(bytes, at::COMPONENT),
            ca: le32(bytes, at::CA),
            region: le32(bytes, at::REGION),
            annex: le32(bytes, at::ANNEX).checked_sub(1),
            flags: le32(bytes, at::FLAGS) & !IN_SECTORS,
            in_sectors: le32(bytes, at::FLAGS) & IN_SECTORS != 0,
            next_free: le32(bytes, at::NEXT_FREE),
            entries: &bytes[HEADER_LEN..HEADER_LEN + ci_per_ca * ENTRY_LEN],
        })
    }

    /// One entry per CI, in CI order.
    pub fn entries(&self) -> impl Iterator<Item = CiEntry> + 'b {
        self.entries.chunks_exact(ENTRY_LEN).map(CiEntry::decode)
    }

    /// That of CI `i`.
    pub fn entry(&self, i: usize) -> Option<CiEntry> {
        self.entries.chunks_exact(ENTRY_LEN).nth(i).map(CiEntry::decode)
    }
}

impl CiEntry {
    fn encode(&self, out: &mut [u8]) {
        put(out, 0, &self.slot.to_le_bytes());
        let left_out = u16::from(self.left_out) << LEFT_OUT_SHIFT & LEFT_OUT;
        put(out, 2, &(self.flags & !LEFT_OUT | left_out).to_le_bytes());
        put(out, 4, &self.version.to_le_bytes());
        put(out, 8, &self.checksum.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> CiEntry {
        CiEntry {
            slot: le16(bytes, 0),
            left_out: ((le16(bytes, 2) & LEFT_OUT) >> LEFT_OUT_SHIFT) as u8,
            flags: le16(bytes, 2) & !LEFT_OUT,
            version: le32(bytes, 4),
            checksum: le32(bytes, 8),
        }
    }
}
