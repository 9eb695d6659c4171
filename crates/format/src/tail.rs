//! The tail of a log: the group that is being gathered, as far as it goes, so that it outlives its process.
//!
//! A file with two halves that take turns: one has the group that is being written to the log, the other the one that
//! is gathered meanwhile. Their stripes alternate, so that the file is no longer than its longer half needs.
//!
//! A half begins with its head. Two words in it tell by turns how many bytes of records there are, and their checksum:
//! a word that is only half stored leaves the one before, which is true still, because bytes are only added.

use crate::bytes::{le32, le64, put};
use crate::checksum::crc32c_more;

/// Bytes of one half that stand together.
pub const STRIPE: usize = 64 << 10;
/// Bytes of a half's head, before its records.
pub const HEAD_LEN: usize = 64;
/// First eight bytes of a half.
pub const MAGIC: [u8; 8] = *b"CICATAIL";

mod at {
    //! Offsets, see `docs/format/tail.md`.
    pub const WORDS: [usize; 2] = [8, 16];
    pub const LOG: usize = 24;
    pub const FIRST_LSN: usize = 32;
    pub const EPOCH_LSN: usize = 40;
    pub const EPOCH: usize = 48;
}

/// What a half is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TailHead {
    /// Id of the log.
    pub log: u64,
    /// LSN of its first record.
    pub first_lsn: u64,
    /// LSN of the first record of its epoch.
    pub epoch_lsn: u64,
    /// Epoch of the log.
    pub epoch: u32,
}

impl TailHead {
    /// The head of a half without records.
    pub fn encode(&self) -> [u8; HEAD_LEN] {
        let mut out = [0; HEAD_LEN];
        put(&mut out, 0, &MAGIC);
        put(&mut out, at::LOG, &self.log.to_le_bytes());
        put(&mut out, at::FIRST_LSN, &self.first_lsn.to_le_bytes());
        put(&mut out, at::EPOCH_LSN, &self.epoch_lsn.to_le_bytes());
        put(&mut out, at::EPOCH, &self.epoch.to_le_bytes());
        out
    }

    /// The checksum of no records at all: of what the half is of.
    pub fn checksum(&self) -> u32 {
        crc32c_more(0, &self.encode()[at::LOG..])
    }
}

/// The checksum of more records.
#[inline]
pub fn checksum_more(checksum: u32, records: &[u8]) -> u32 {
    crc32c_more(checksum, records)
}

/// The word for so many bytes of records with this checksum, and where in the head it stands, by turns.
#[inline]
pub fn word(turn: bool, bytes: u32, checksum: u32) -> (usize, [u8; 8]) {
    let word = u64::from(checksum) << 32 | u64::from(bytes);
    (at::WORDS[turn as usize], word.to_le_bytes())
}

/// Where in the file byte `at` of half `half` is, and how many follow it there.
#[inline]
pub fn place(half: usize, at: usize) -> (usize, usize) {
    let (stripe, within) = (at / STRIPE, at % STRIPE);
    ((2 * stripe + half) * STRIPE + within, STRIPE - within)
}

/// Bytes of records that each half of a file of this length has room for.
pub fn room(len: u64) -> usize {
    (usize::try_from(len).unwrap_or(0) / (2 * STRIPE) * STRIPE).saturating_sub(HEAD_LEN)
}

/// Length of a file whose halves have room for so many bytes of records.
pub fn len_for(room: usize) -> u64 {
    ((HEAD_LEN + room).div_ceil(STRIPE) * 2 * STRIPE) as u64
}

/// A half of the file `bytes`: what it is of, and the records that are sound. `None`: it is of nothing, or has none.
pub fn read_half(bytes: &[u8], half: usize) -> Option<(TailHead, Vec<u8>)> {
    let head = bytes.get(half * STRIPE..half * STRIPE + HEAD_LEN)?;
    if head[..8] != MAGIC {
        return None;
    }
    let found = TailHead {
        log: le64(head, at::LOG),
        first_lsn: le64(head, at::FIRST_LSN),
        epoch_lsn: le64(head, at::EPOCH_LSN),
        epoch: le32(head, at::EPOCH),
    };
    if found.encode()[at::LOG..] != head[at::LOG..] {
        return None;
    }
    let mut words = at::WORDS.map(|at| (le32(head, at) as usize, le32(head, at + 4)));
    words.sort_unstable();
    // The longer one first: it is the later one.
    words.iter().rev().find_map(|&(len, checksum)| {
        let records = (len > 0).then(|| content(bytes, half, len)).flatten()?;
        (checksum_more(found.checksum(), &records) == checksum).then_some((found, records))
    })
}

/// The first `len` bytes of records of a half, if the file is so long.
fn content(bytes: &[u8], half: usize, len: usize) -> Option<Vec<u8>> {
    if len > room(bytes.len() as u64) {
        return None;
    }
    let mut records = Vec::with_capacity(len);
    while records.len() < len {
        let (at, here) = place(half, HEAD_LEN + records.len());
        let here = here.min(len - records.len());
        records.extend_from_slice(bytes.get(at..at + here)?);
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: TailHead = TailHead {
        log: 0x1_0000_0002,
        first_lsn: 70,
        epoch_lsn: 60,
        epoch: 3,
    };

    /// A file of two halves with these records in half 1.
    fn file(parts: &[&[u8]]) -> Vec<u8> {
        let len = parts.iter().map(|part| part.len()).sum();
        let mut bytes = vec![0; len_for(len) as usize];
        put(&mut bytes, STRIPE, &HEAD.encode());
        let (mut at, mut checksum, mut turn) = (0, HEAD.checksum(), false);
        for part in parts {
            for (n, byte) in part.iter().enumerate() {
                bytes[place(1, HEAD_LEN + at + n).0] = *byte;
            }
            at += part.len();
            checksum = checksum_more(checksum, part);
            let (to, word) = word(turn, at as u32, checksum);
            put(&mut bytes, STRIPE + to, &word);
            turn = !turn;
        }
        bytes
    }

    #[test]
    fn a_half_reads_back_over_all_its_stripes() {
        let long: Vec<u8> = (0..3 * STRIPE).map(|n| n as u8).collect();
        let bytes = file(&[b"first", &long, b"last"]);
        let (head, records) = read_half(&bytes, 1).expect("a half");
        assert_eq!(head, HEAD);
        assert_eq!(records, [b"first", &long[..], b"last"].concat());
        assert_eq!(read_half(&bytes, 0), None);
        assert!(room(bytes.len() as u64) >= records.len() && room(0) == 0);
    }

    #[test]
    fn a_torn_word_leaves_what_was_there_before_it() {
        let whole = file(&[b"first", b"second", b"third"]);
        // The third word stands where the first stood.
        for byte in 0..8 {
            let mut torn = whole.clone();
            torn[STRIPE + at::WORDS[0] + byte] ^= 0x55;
            let (_, records) = read_half(&torn, 1).expect("a half");
            assert_eq!(records, b"firstsecond", "byte {byte}");
        }
    }

    /// Whatever bit turns, what comes back is what was stored up to some moment.
    #[test]
    fn a_turned_bit_is_no_record() {
        let whole = file(&[b"first", b"second"]);
        for bit in (0..8 * HEAD_LEN).chain(8 * HEAD_LEN..8 * (HEAD_LEN + 11)) {
            let mut bytes = whole.clone();
            bytes[STRIPE + bit / 8] ^= 1 << (bit % 8);
            let read = read_half(&bytes, 1);
            assert!(
                read.is_none_or(|(head, records)| head == HEAD && b"firstsecond".starts_with(&records[..])),
                "bit {bit}"
            );
        }
    }
}
