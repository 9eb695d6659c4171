//! Which frame holds each CA's descriptor, or each CI of an index: an array that grows without moving.

use crate::pool::NO_FRAME;
use crate::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::OnceLock;

const FIRST: u32 = 256;
const CHUNKS: usize = 24;

/// See the module. Chunk `k` holds `256 << k` entries.
#[derive(Debug)]
pub struct Directory {
    chunks: [OnceLock<Box<[AtomicU32]>>; CHUNKS],
}

impl Directory {
    /// An empty one.
    pub fn new() -> Directory {
        Directory {
            chunks: std::array::from_fn(|_| OnceLock::new()),
        }
    }
    /// Bytes that so many entries take.
    pub fn bytes_for(cas: u32) -> usize {
        match cas.checked_sub(1) {
            Some(last) => ((FIRST as usize) << (Self::place(last).0 + 1)) * 4 - FIRST as usize * 4,
            None => 0,
        }
    }
    #[inline]
    fn place(ca: u32) -> (usize, usize) {
        let n = ca as u64 + FIRST as u64;
        let chunk = (63 - n.leading_zeros()) as usize - FIRST.trailing_zeros() as usize;
        (chunk, (n - ((FIRST as u64) << chunk)) as usize)
    }
    /// Frame of a CA's descriptor, or of a CI; [`NO_FRAME`] where none is known.
    #[inline]
    pub fn get(&self, ca: u32) -> u32 {
        let (chunk, i) = Self::place(ca);
        match self.chunks.get(chunk).and_then(OnceLock::get) {
            Some(entries) => entries[i].load(Acquire),
            None => NO_FRAME,
        }
    }
    /// Sets it. CA numbers stay below 2^32 - 2^8 by the size limit of a root.
    pub fn set(&self, ca: u32, frame: u32) {
        let (chunk, i) = Self::place(ca);
        if let Some(cell) = self.chunks.get(chunk) {
            let entries = cell.get_or_init(|| {
                (0..(FIRST as usize) << chunk)
                    .map(|_| AtomicU32::new(NO_FRAME))
                    .collect()
            });
            entries[i].store(frame, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_where_they_were_put() {
        let d = Directory::new();
        for ca in [0, 1, 255, 256, 767, 768, 100_000] {
            assert_eq!(d.get(ca), NO_FRAME);
            d.set(ca, ca + 7);
        }
        for ca in [0, 1, 255, 256, 767, 768, 100_000] {
            assert_eq!(d.get(ca), ca + 7);
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_chunks_made() {
        let d = Directory::new();
        for ca in 0..2000 {
            d.set(ca, 1);
            let made: usize = d
                .chunks
                .iter()
                .filter_map(OnceLock::get)
                .map(|chunk| 4 * chunk.len())
                .sum();
            assert_eq!(Directory::bytes_for(ca + 1), made);
        }
    }
}
