//! Fields of a structure in a byte slice. Callers have checked the structure's length, so no offset is out of bounds.

use crate::error::FormatError;

/// The `N` bytes at `at`.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[at..at + N]);
    field
}

/// Little-endian number at `at`.
pub(crate) fn le16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

/// Little-endian number at `at`.
pub(crate) fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

/// Little-endian number at `at`.
pub(crate) fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// Big-endian number at `at`, as VSAM writes it.
pub(crate) fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(array(bytes, at))
}

/// Big-endian number at `at`, as VSAM writes it.
pub(crate) fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(array(bytes, at))
}

/// A big-endian number at `at`.
#[inline]
pub(crate) fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(array(bytes, at))
}

/// Big-endian number of `len` bytes (1-4) at `at`.
pub(crate) fn be_bytes(bytes: &[u8], at: usize, len: usize) -> u32 {
    bytes[at..at + len].iter().fold(0, |n, &b| n << 8 | u32::from(b))
}

/// Stores a field.
pub(crate) fn put(out: &mut [u8], at: usize, field: &[u8]) {
    out[at..at + field.len()].copy_from_slice(field);
}

/// Fails unless the structure `what` of `need` bytes is there.
pub(crate) fn need(what: &'static str, bytes: &[u8], need: usize) -> Result<(), FormatError> {
    match bytes.len() {
        have if have < need => Err(FormatError::Short { what, need, have }),
        _ => Ok(()),
    }
}

/// Stores a text of at most `len` bytes, padded with zeros.
pub(crate) fn put_text(
    what: &'static str,
    field: &'static str,
    out: &mut [u8],
    (at, len): (usize, usize),
    text: &str,
) -> Result<(), FormatError> {
    let value = text.len() as u64;
    if text.len() > len {
        return Err(FormatError::Field {
            what,
            field,
            value,
            must: "a text that fits the field",
        });
    }
    if text.contains('\0') {
        return Err(FormatError::Field {
            what,
            field,
            value,
            must: "a text without zero bytes",
        });
    }
    out[at..at + len].fill(0);
    put(out, at, text.as_bytes());
    Ok(())
}

/// The text that [`put_text`] stored.
pub(crate) fn text(
    what: &'static str,
    field: &'static str,
    bytes: &[u8],
    (at, len): (usize, usize),
) -> Result<String, FormatError> {
    let all = &bytes[at..at + len];
    let end = all.iter().position(|&b| b == 0).unwrap_or(len);
    let refused = |must| FormatError::Field {
        what,
        field,
        value: end as u64,
        must,
    };
    if all[end..].iter().any(|&b| b != 0) {
        return Err(refused("a text padded with zeros"));
    }
    match std::str::from_utf8(&all[..end]) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(refused("a text in UTF-8")),
    }
}
