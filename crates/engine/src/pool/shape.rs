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

#[cfg(test)]
mod tests {
    use super::*;

    /// The key whole, however long the record is and whatever the key ends in; and no run that is longer than the rest
    /// of a chunk.
    #[test]
    fn what_stays_of_a_record_has_its_key() {
        for (rkp, key_len, text) in
            (0..3).flat_map(|rkp| (1..20).flat_map(move |key| (0..3).map(move |t| (rkp, key, t))))
        {
            let shape = Shape { rkp, key_len };
            for rest in text..70 {
                // A key of nothing but the byte that the record ends in.
                let mut record = vec![b' '; rkp + key_len + rest];
                record[rkp + key_len..][..text].fill(b'x');
                let stays = beginning(&record, b' ', shape);
                assert!(stays.len() >= rkp + key_len + text, "{shape:?} {text} {rest}");
                assert!(stays.len() < rkp + key_len + text + CHUNK, "{shape:?} {text} {rest}");
                assert_eq!(stays, &record[..stays.len()]);
            }
        }
    }
}
