//! A table block: version and checksum of 504 CA headers.
//!
//! Block `b` (CAs `504*b ..`) lies before region `504*b`, in two copies; the root says which is committed.

use crate::bytes::{le32, le64, need, put};
use crate::checksum::{crc32c, own_checksum};
use crate::error::FormatError;

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

/// Bytes before the references.
const HEADER_LEN: usize = BLOCK_LEN - REFS * REF_LEN;
/// Bytes of one encoded [`Ref`].
pub(crate) const REF_LEN: usize = 8;
/// Name in messages.
const WHAT: &str = "table block";

mod at {
    //! Offsets, see `docs/format/table-block.md`.
    pub const CHECKSUM: usize = 4;
    pub const COMPONENT: usize = 8;
    pub const BLOCK: usize = 16;
    pub const VERSION: usize = 20;
    pub const COUNT: usize = 24;
}

/// A decoded table block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableBlock {
    /// Id of the component it belongs to.
    pub component: u64,
    /// Its number: it speaks of CAs `504 * block ..`.
    pub block: u32,
    /// Version; copy `version & 1` holds it.
    pub version: u32,
    /// One per CA header, in CA order, at most [`REFS`].
    pub refs: Vec<Ref>,
}

impl TableBlock {
    /// Fills `out` with the block and returns the CRC-32C of all of it, which the root keeps as its [`Ref`].
    ///
    /// # Panics
    /// If there are more than [`REFS`] references.
    pub fn encode(&self, out: &mut [u8; BLOCK_LEN]) -> u32 {
        assert!(self.refs.len() <= REFS, "a table block holds at most {REFS} references");
        out.fill(0);
        put(out, 0, &MAGIC);
        put(out, at::COMPONENT, &self.component.to_le_bytes());
        put(out, at::BLOCK, &self.block.to_le_bytes());
        put(out, at::VERSION, &self.version.to_le_bytes());
        put(out, at::COUNT, &(self.refs.len() as u32).to_le_bytes());
        put_refs(&mut out[HEADER_LEN..], &self.refs);
        let checksum = own_checksum(out, at::CHECKSUM);
        put(out, at::CHECKSUM, &checksum.to_le_bytes());
        crc32c(out)
    }

    /// Reads a block from the start of `bytes`.
    ///
    /// # Errors
    /// Says what is wrong with the bytes. Whether they are the committed copy only the root knows.
    pub fn decode(bytes: &[u8]) -> Result<TableBlock, FormatError> {
        need(WHAT, bytes, BLOCK_LEN)?;
        let bytes = &bytes[..BLOCK_LEN];
        if bytes[..4] != MAGIC {
            return Err(FormatError::Magic { what: WHAT });
        }
        if le32(bytes, at::CHECKSUM) != own_checksum(bytes, at::CHECKSUM) {
            return Err(FormatError::Checksum { what: WHAT });
        }
        let count = le32(bytes, at::COUNT);
        if count as usize > REFS {
            let must = "at most 504";
            return Err(FormatError::Field {
                what: WHAT,
                field: "number of references",
                value: count.into(),
                must,
            });
        }
        Ok(TableBlock {
            component: le64(bytes, at::COMPONENT),
            block: le32(bytes, at::BLOCK),
            version: le32(bytes, at::VERSION),
            refs: refs(&bytes[HEADER_LEN..], count as usize),
        })
    }
}

/// Stores references one after the other.
pub(crate) fn put_refs(out: &mut [u8], refs: &[Ref]) {
    for (r, to) in refs.iter().zip(out.chunks_exact_mut(REF_LEN)) {
        put(to, 0, &r.version.to_le_bytes());
        put(to, 4, &r.checksum.to_le_bytes());
    }
}

/// The first `count` references stored by [`put_refs`].
pub(crate) fn refs(bytes: &[u8], count: usize) -> Vec<Ref> {
    let decode = |b: &[u8]| Ref {
        version: le32(b, 0),
        checksum: le32(b, 4),
    };
    bytes.chunks_exact(REF_LEN).take(count).map(decode).collect()
}
