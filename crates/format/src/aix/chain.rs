//! Chains: the pointers of one alternate key in as many records as they take.
//!
//! * C1. Each link is a record like those of VSAM with a number behind the alternate key. Links come in order of their
//!   numbers, and pointers are added to the last one, so all of them stand in order of arrival. A link that has lost
//!   all its pointers goes, but for the last one: while there are others it stays, so that no number comes again.
//! * C2. A chain that ever had two links has a directory, and each link says so. For each pointer it has the number of
//!   its link, in order of the pointer's hash: so a pointer is found without a look at the others.
//! * C3. A directory is records too: the number of each is the lowest hash that belongs to it, with the highest bit on;
//!   the first one's is zero. So they stand behind the links.

use super::{at, refused, Pointers, HEADER_LEN, WHAT};
use crate::bytes::{be16, be64, need, put};
use crate::error::FormatError;

/// Bytes of a number, behind the alternate key.
pub const CHAIN_LEN: usize = 8;
/// Bits of the flag byte.
pub(super) const CHAINED: u8 = 0x40;
pub(super) const LISTED: u8 = 0x20;
pub(super) const DIRECTORY: u8 = 0x80;
/// The highest bit of a directory's number.
const BEHIND: u64 = 1 << 63;
/// Bytes of a directory's entry: hash and number.
const ENTRY_LEN: usize = 16;

/// A record of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Link {
    /// Its number (C1).
    pub number: u64,
    /// The chain has a directory (C2).
    pub listed: bool,
}

impl Link {
    /// The highest number of a link.
    pub const LAST: u64 = BEHIND - 1;

    pub(super) fn read(bytes: &[u8], listed: bool) -> Result<Link, FormatError> {
        let number = be64(bytes, 0);
        match number & BEHIND {
            0 => Ok(Link { number, listed }),
            _ => Err(refused("chain number", number)),
        }
    }

    pub(super) fn flag(self) -> u8 {
        CHAINED | if self.listed { LISTED } else { 0 }
    }
}

/// What a pointer is found by: a number below 2^63.
pub fn hash(pointer: &[u8]) -> u64 {
    // FNV-1a, and the finalizer of MurmurHash3, so that every bit of the pointer reaches every bit of the hash.
    let fold = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let mut sum = pointer.iter().fold(0xCBF2_9CE4_8422_2325, fold);
    for factor in [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53] {
        sum = (sum ^ (sum >> 33)).wrapping_mul(factor);
    }
    (sum ^ (sum >> 33)) & !BEHIND
}

/// A record of a directory (C3), read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// The lowest hash that belongs to it.
    pub low: u64,
    /// Hash and link of each pointer, in order.
    pub entries: Vec<(u64, u64)>,
}

impl Directory {
    /// Reads the record in `bytes`, of an index with alternate keys of this length.
    ///
    /// # Errors
    /// The bytes are none.
    pub fn read(bytes: &[u8], key_len: usize) -> Result<Directory, FormatError> {
        let start = HEADER_LEN + key_len + CHAIN_LEN;
        need(WHAT, bytes, start)?;
        let head = (bytes[at::FLAG], usize::from(bytes[at::POINTER_LEN]));
        let low = be64(bytes, HEADER_LEN + key_len);
        let count = usize::from(be16(bytes, at::COUNT));
        let is_one = head == (DIRECTORY | CHAINED, ENTRY_LEN)
            && usize::from(bytes[at::KEY_LEN]) == key_len
            && low & BEHIND != 0
            && bytes.len() == start + count * ENTRY_LEN;
        let entries: Vec<(u64, u64)> = bytes[start..]
            .chunks_exact(ENTRY_LEN)
            .map(|entry| (be64(entry, 0), be64(entry, 8)))
            .collect();
        let low = low & !BEHIND;
        let in_order = entries.windows(2).all(|pair| pair[0] < pair[1])
            && entries.first().is_none_or(|first| first.0 >= low)
            && entries.iter().all(|&(hash, link)| (hash | link) & BEHIND == 0);
        if is_one && in_order {
            Ok(Directory { low, entries })
        } else {
            Err(refused("directory", bytes.len() as u64))
        }
    }

    /// The record.
    pub fn write(&self, key: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_LEN + key.len() + CHAIN_LEN + self.entries.len() * ENTRY_LEN);
        super::begin(&mut out, Pointers::Keys(ENTRY_LEN as u8), key);
        out[at::FLAG] = DIRECTORY | CHAINED;
        put(&mut out, at::COUNT, &(self.entries.len() as u16).to_be_bytes());
        out.extend_from_slice(&(self.low | BEHIND).to_be_bytes());
        for (hash, link) in &self.entries {
            out.extend_from_slice(&hash.to_be_bytes());
            out.extend_from_slice(&link.to_be_bytes());
        }
        out
    }

    /// The number behind the alternate key that is at or above those of all records that have this hash.
    pub fn number(hash: u64) -> u64 {
        hash | BEHIND
    }

    /// Links of the pointers with this hash: one, but for chance.
    pub fn links(&self, hash: u64) -> impl Iterator<Item = u64> + '_ {
        let from = self.entries.partition_point(|entry| entry.0 < hash);
        self.entries[from..]
            .iter()
            .take_while(move |entry| entry.0 == hash)
            .map(|entry| entry.1)
    }

    /// Adds an entry.
    pub fn add(&mut self, hash: u64, link: u64) {
        let at = self.entries.partition_point(|entry| *entry < (hash, link));
        // Two pointers of one link that have one hash are one entry: who follows it compares the pointers.
        if self.entries.get(at) != Some(&(hash, link)) {
            self.entries.insert(at, (hash, link));
        }
    }

    /// Takes an entry out.
    pub fn remove(&mut self, hash: u64, link: u64) {
        self.entries.retain(|entry| *entry != (hash, link));
    }

    /// Moves the upper half to a record of its own. `None`: all pointers have one hash.
    pub fn split(&mut self) -> Option<Directory> {
        let half = self.entries.len() / 2;
        let cuts = |&at: &usize| at > 0 && self.entries[at - 1].0 != self.entries[at].0;
        let at = (half..self.entries.len())
            .find(cuts)
            .or_else(|| (1..half).rev().find(cuts))?;
        let entries = self.entries.split_off(at);
        Some(Directory {
            low: entries[0].0,
            entries,
        })
    }

    /// Bytes of a record with so many entries.
    pub fn len_of(key_len: usize, entries: usize) -> usize {
        HEADER_LEN + key_len + CHAIN_LEN + entries * ENTRY_LEN
    }
}
