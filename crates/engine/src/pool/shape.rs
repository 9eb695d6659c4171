//! How a page lies in its frame, and records in a page: where the key is, and what of a record a short page keeps.

/// Bytes of a frame before its page.
pub const DESCRIPTOR: usize = 24;

/// A run counts by as many bytes as are compared at once.
const CHUNK: usize = 16;

/// Where the key lies in a data record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Offset of the key.
    pub rkp: usize,
    /// Length of the key.
    pub key_len: usize,
}

/// What stays of a record that loses the run of `byte` behind its key.
pub(super) fn beginning(record: &[u8], byte: u8, shape: Shape) -> &[u8] {
    let behind_key = &record[shape.rkp + shape.key_len..];
    let run = behind_key.rchunks_exact(CHUNK);
    let run = CHUNK * run.take_while(|chunk| **chunk == [byte; CHUNK]).count();
    &record[..record.len() - run]
}

/// The first four bytes of `rest` as a number that compares as they do, short ones continued with `pad`.
#[inline]
pub fn head_of(rest: &[u8], pad: u8) -> u32 {
    if let Some(four) = rest.first_chunk::<4>() {
        return u32::from_be_bytes(*four);
    }
    let mut four = [pad; 4];
    four[..rest.len()].copy_from_slice(rest);
    u32::from_be_bytes(four)
}
