//! The bytes of a volume's copy of catalog entries; `docs/format/vvds.md` is their picture.
//!
//! ```text
//! magic 8 | length n 4 | n bytes: fields | CRC-32C 4 | a catalog file, of the entries that the volume keeps
//! ```

use super::fields::{Fields, Writer};
use super::{decode as decode_items, encode_items, entries, le32, Header, WireError, HEADER_LEN};
use crate::contents::Contents;
use crate::entry::Entry;
use crate::volume::Volser;
use cica_format::checksum::crc32c;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// First eight bytes.
pub const MAGIC: [u8; 8] = *b"CICAVVDS";
/// Bytes before the fields.
const START: usize = 12;

/// Whose copy it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Directory of the catalog, its whole name.
    pub directory: PathBuf,
    /// The directory by which its master knows a user catalog; empty for a master catalog.
    pub known_as: String,
    /// The volume.
    pub serial: Volser,
}

/// A copy as read from a volume.
#[derive(Debug, Clone)]
pub struct Vvds {
    /// Whose it is, and of which volume.
    pub head: Head,
    /// The catalog's generation when it was written.
    pub generation: u64,
    /// See [`crate::catalog::vvds`].
    pub contents: Contents,
}

/// The whole file, after the number of its bytes that tell it from any other.
pub fn encode<'c>(
    head: &Head,
    contents: &'c Contents,
    kept: impl Iterator<Item = &'c Entry>,
    generation: u64,
) -> (usize, Vec<u8>) {
    let mut w = Writer::default();
    w.bytes(1, head.directory.as_os_str().as_bytes());
    w.text(2, &head.known_as);
    w.text(3, head.serial.as_str());
    let fields = w.finish();
    let mut bytes = MAGIC.to_vec();
    // A path and two names.
    bytes.extend_from_slice(&(fields.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&fields);
    let checksum = crc32c(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    let leftovers = contents.leftovers().filter(|(serial, _)| *serial == head.serial);
    let all = contents
        .volumes()
        .map(entries::encode_volume)
        .chain(kept.map(entries::encode_entry))
        .chain(leftovers.map(|leftover| entries::encode_leftover(leftover, contents.erases(leftover))));
    let start = bytes.len() + HEADER_LEN;
    bytes.extend_from_slice(&encode_items(all, generation).1);
    (start, bytes)
}

/// Do two files, or their first bytes as [`encode`] counts them, say the same, whatever their generations?
pub fn same(one: &[u8], other: &[u8]) -> bool {
    let parts = |bytes: &'_ [u8]| -> Option<(Vec<u8>, Header)> {
        let (head, rest) = split(bytes).ok()?;
        let header = Header::decode(rest).ok()?;
        Some((head.to_vec(), header.without_generation()))
    };
    matches!((parts(one), parts(other)), (Some(one), Some(other)) if one == other)
}

/// The generation in the first bytes of a file; none if they are damaged.
pub fn generation(bytes: &[u8]) -> Option<u64> {
    let (_, rest) = split(bytes).ok()?;
    Header::decode(rest).ok().map(|header| header.generation())
}

/// Head with its checksum, and the catalog file behind it.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), WireError> {
    let short = || WireError::damaged(bytes.len(), "the file ends within its head");
    if bytes.get(..8).ok_or_else(short)? != MAGIC {
        return Err(WireError::damaged(0, "the first eight bytes are not those of a VVDS"));
    }
    let length = le32(bytes.get(..START).ok_or_else(short)?, 8) as usize;
    let end = length.checked_add(START + 4).ok_or_else(short)?;
    let head = bytes.get(..end).ok_or_else(short)?;
    if crc32c(&head[..end - 4]) != le32(head, end - 4) {
        return Err(WireError::damaged(0, "the checksum of the head does not fit it"));
    }
    Ok((head, &bytes[end..]))
}

/// Whose copy the first bytes of a file say it is.
pub fn head(bytes: &[u8]) -> Result<Head, WireError> {
    let (head, _) = split(bytes)?;
    read_head(&head[START..head.len() - 4]).map_err(|what| WireError::damaged(START, what))
}

/// What the bytes of a file hold.
pub fn decode(bytes: &[u8]) -> Result<Vvds, WireError> {
    let (head, rest) = split(bytes)?;
    let at = head.len();
    let moved = |error| match error {
        WireError::Damaged { offset, what } => WireError::Damaged {
            offset: offset + at as u64,
            what,
        },
        newer => newer,
    };
    let fields = &head[START..at - 4];
    let head = read_head(fields).map_err(|what| WireError::damaged(START, what))?;
    let header = Header::decode(rest).map_err(moved)?;
    header.check_length(rest.len() as u64).map_err(moved)?;
    let contents = decode_items(&header, &rest[HEADER_LEN..]).map_err(moved)?;
    Ok(Vvds {
        head,
        generation: header.generation(),
        contents,
    })
}

fn read_head(fields: &[u8]) -> Result<Head, String> {
    let mut f = Fields::parse(fields)?;
    let head = Head {
        directory: PathBuf::from(OsStr::from_bytes(f.one(1)?.unwrap_or_default())),
        known_as: f.text(2)?,
        serial: f.parsed(3, Volser::parse)?,
    };
    f.finish()?;
    Ok(head)
}
