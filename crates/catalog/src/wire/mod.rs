//! The bytes of a catalog file; `docs/format/catalog.md` is their picture.
//!
//! Invariants:
//!
//! * W1. Every byte of the file is covered by a CRC-32C: the header by its own, each item by its own.
//! * W2. No input makes [`decode`] panic or take more memory than the file is long, times a small constant.
//! * W3. The header has the same form in all format versions; so an older release can tell a newer file from a
//!   damaged one.

mod entries;
mod fields;
mod parts;
pub mod vvds;

pub use entries::{decode_entry, encode_entry};

use crate::contents::Contents;
use crate::error::CatalogError;
use cica_format::checksum::crc32c;
use std::path::Path;

/// First eight bytes of a catalog file.
pub const MAGIC: [u8; 8] = *b"CICA-CAT";
/// The format version written, and the newest one read.
pub const VERSION: u32 = 1;
/// Bytes of the header.
pub const HEADER_LEN: usize = 40;
/// Bytes of an item before its fields.
pub const ITEM_HEAD: usize = 8;
/// Bytes of an item after its fields.
pub const ITEM_TAIL: usize = 4;

/// What is wrong with the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireError {
    /// They are not what was written.
    Damaged {
        /// Offset in the file.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// They are of a newer format.
    Newer {
        /// Its version.
        found: u32,
    },
}

impl WireError {
    fn damaged(offset: usize, what: impl Into<String>) -> WireError {
        WireError::Damaged {
            offset: offset as u64,
            what: what.into(),
        }
    }

    /// The error of the file at `path`.
    pub fn of(self, path: &Path) -> CatalogError {
        let path = path.to_owned();
        match self {
            WireError::Damaged { offset, what } => CatalogError::Damaged { path, offset, what },
            WireError::Newer { found } => CatalogError::Version {
                path,
                found,
                known: VERSION,
            },
        }
    }
}

/// The header of a catalog file. It includes a checksum of the items, so headers differ whenever catalogs do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    items: u32,
    generation: u64,
    length: u64,
    checksum: u32,
}

impl Header {
    /// Decodes the first [`HEADER_LEN`] bytes of a file; fewer are a damaged one.
    pub fn decode(bytes: &[u8]) -> Result<Header, WireError> {
        let Some(bytes) = bytes.first_chunk::<HEADER_LEN>() else {
            let what = format!(
                "the file ends after {} of the {HEADER_LEN} bytes of its header",
                bytes.len()
            );
            return Err(WireError::damaged(bytes.len(), what));
        };
        if bytes[..8] != MAGIC {
            return Err(WireError::damaged(
                0,
                "the first eight bytes are not those of a catalog",
            ));
        }
        if crc32c(&bytes[..36]) != le32(bytes, 36) {
            return Err(WireError::damaged(0, "the checksum of the header does not fit it"));
        }
        let found = le32(bytes, 8);
        if found > VERSION {
            return Err(WireError::Newer { found });
        }
        if found == 0 {
            return Err(WireError::damaged(8, "format version 0 was never written"));
        }
        Ok(Header {
            items: le32(bytes, 12),
            generation: le64(bytes, 16),
            length: le64(bytes, 24),
            checksum: le32(bytes, 32),
        })
    }

    /// How often the catalog has been written.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The bytes that follow the header, if the file, `file_length` bytes long, has just these.
    pub fn check_length(&self, file_length: u64) -> Result<usize, WireError> {
        let expected = self.length.saturating_add(HEADER_LEN as u64);
        match usize::try_from(self.length) {
            Ok(length) if expected == file_length => Ok(length),
            _ => Err(WireError::Damaged {
                offset: file_length.min(expected),
                what: format!("the file has {file_length} bytes, its header says {expected}"),
            }),
        }
    }

    /// The same of another writing of the same items.
    fn without_generation(self) -> Header {
        Header { generation: 0, ..self }
    }

    pub(crate) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.items.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.generation.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.length.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.checksum.to_le_bytes());
        let own = crc32c(&bytes[..36]);
        bytes[36..].copy_from_slice(&own.to_le_bytes());
        bytes
    }
}

/// The whole file of a catalog, and its header.
pub fn encode(contents: &Contents, generation: u64) -> (Header, Vec<u8>) {
    // Volumes first: an entry names volumes that are then known.
    let all = contents
        .volumes()
        .map(entries::encode_volume)
        .chain(contents.entries().map(entries::encode_entry))
        .chain(contents.moves().map(entries::encode_move))
        .chain(
            contents
                .leftovers()
                .map(|leftover| entries::encode_leftover(leftover, contents.erases(leftover))),
        );
    encode_items(all, generation)
}

/// A file of these items, each a kind and its fields.
fn encode_items(all: impl Iterator<Item = (u8, Vec<u8>)>, generation: u64) -> (Header, Vec<u8>) {
    let mut bytes = vec![0; HEADER_LEN];
    let mut items = 0;
    let mut checksums = Vec::new();
    for (kind, fields) in all {
        let at = bytes.len();
        bytes.extend_from_slice(&[kind, 0, 0, 0]);
        // An entry's fields are far from 4 GiB: names and short texts.
        bytes.extend_from_slice(&(fields.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&fields);
        let checksum = crc32c(&bytes[at..]).to_le_bytes();
        bytes.extend_from_slice(&checksum);
        checksums.extend_from_slice(&checksum);
        items += 1;
    }
    let length = (bytes.len() - HEADER_LEN) as u64;
    let header = Header {
        items,
        generation,
        length,
        checksum: crc32c(&checksums),
    };
    bytes[..HEADER_LEN].copy_from_slice(&header.encode());
    (header, bytes)
}

/// What the bytes after the header hold.
pub fn decode(header: &Header, items: &[u8]) -> Result<Contents, WireError> {
    let mut contents = Contents::default();
    let mut checksums = Vec::new();
    let (mut at, mut count) = (0, 0u32);
    while at < items.len() {
        let offset = HEADER_LEN + at;
        let short = || WireError::damaged(offset, "the item here does not fit in the file");
        let head = items.get(at..at + ITEM_HEAD).ok_or_else(short)?;
        let end = at
            .checked_add(ITEM_HEAD)
            .and_then(|n| n.checked_add(le32(head, 4) as usize))
            .ok_or_else(short)?;
        let covered = items.get(at..end).ok_or_else(short)?;
        let tail = items.get(end..end + ITEM_TAIL).ok_or_else(short)?;
        if crc32c(covered) != le32(tail, 0) {
            return Err(WireError::damaged(
                offset,
                "the checksum of the item here does not fit it",
            ));
        }
        checksums.extend_from_slice(tail);
        let damaged = |what: String| WireError::damaged(offset, what);
        if covered[1..4] != [0; 3] {
            return Err(damaged("reserved bytes of the item here are not zero".to_owned()));
        }
        entries::decode_item(covered[0], &covered[ITEM_HEAD..], &mut contents).map_err(damaged)?;
        at = end + ITEM_TAIL;
        count += 1;
    }
    if count != header.items || crc32c(&checksums) != header.checksum {
        let what = format!(
            "{count} items are there, not the {} the header was written with",
            header.items
        );
        return Err(WireError::damaged(0, what));
    }
    Ok(contents)
}

/// Four little-endian bytes at `at`; callers have checked that they are there.
fn le32(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

/// Eight little-endian bytes at `at`; callers have checked that they are there.
fn le64(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}
