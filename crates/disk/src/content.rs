//! The bytes of one file in memory: sparse, and cheap to copy.
//!
//! 1. A copy shares everything; a write copies the 4,096-byte chunk it touches and the leaf above it, no more.
//!    So the crash explorer makes a thousand states of a file for the price of what differs between them.
//! 2. What was never written takes no memory and reads as zeros; so does what was cut off and grown again.

use std::fmt;
use std::sync::Arc;

/// Bytes the device writes whole or not at all.
pub const SECTOR: u64 = 512;

const CHUNK: usize = 4096;
/// Chunks of a leaf: a leaf stands for 256 KiB.
const FAN: usize = 64;

/// Longest file in bytes (1 TiB): bounds the list of leaves, whatever offset a caller comes up with.
pub(crate) const LONGEST: u64 = 1 << 40;

type Chunk = [u8; CHUNK];
type Leaf = [Option<Arc<Chunk>>; FAN];

/// The length and bytes of a file.
#[derive(Clone, Default)]
pub(crate) struct Content {
    len: u64,
    leaves: Vec<Option<Arc<Leaf>>>,
}

impl Content {
    /// Length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Reads up to the end of the file; returns how many bytes that were.
    pub(crate) fn read(&self, at: u64, buf: &mut [u8]) -> usize {
        let count = self.len.saturating_sub(at).min(buf.len() as u64) as usize;
        for (index, within, piece) in pieces(at, count) {
            let into = &mut buf[piece.clone()];
            match self.chunk(index) {
                Some(chunk) => into.copy_from_slice(&chunk[within..within + into.len()]),
                None => into.fill(0),
            }
        }
        count
    }

    /// Writes, growing the file when `bytes` go past its end. The caller keeps the end within [`LONGEST`].
    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) {
        for (index, within, piece) in pieces(at, bytes.len()) {
            let from = &bytes[piece];
            match <&Chunk>::try_from(from) {
                Ok(whole) => *self.slot(index) = Some(Arc::new(*whole)),
                Err(_) => self.chunk_mut(index)[within..within + from.len()].copy_from_slice(from),
            }
        }
        if !bytes.is_empty() {
            self.len = self.len.max(at + bytes.len() as u64);
        }
    }

    /// Cuts the file, or grows it with zeros.
    pub(crate) fn resize(&mut self, len: u64) {
        if len < self.len {
            self.forget_from(len);
        }
        self.len = len;
    }

    /// Drops everything at and after byte `len`, so that growing again reads zeros.
    fn forget_from(&mut self, len: u64) {
        let (index, within) = ((len / CHUNK as u64) as usize, (len % CHUNK as u64) as usize);
        let first_gone = if within == 0 { index } else { index + 1 };
        self.leaves.truncate(first_gone.div_ceil(FAN));
        if let Some(Some(leaf)) = self.leaves.get_mut(first_gone / FAN) {
            Arc::make_mut(leaf)[first_gone % FAN..].fill(None);
        }
        if within != 0 && self.chunk(index).is_some() {
            self.chunk_mut(index)[within..].fill(0);
        }
    }

    fn chunk(&self, index: usize) -> Option<&Chunk> {
        self.leaves.get(index / FAN)?.as_ref()?[index % FAN].as_deref()
    }

    fn slot(&mut self, index: usize) -> &mut Option<Arc<Chunk>> {
        if self.leaves.len() <= index / FAN {
            self.leaves.resize(index / FAN + 1, None);
        }
        let leaf = self.leaves[index / FAN].get_or_insert_with(|| Arc::new([const { None }; FAN]));
        &mut Arc::make_mut(leaf)[index % FAN]
    }

    fn chunk_mut(&mut self, index: usize) -> &mut Chunk {
        Arc::make_mut(self.slot(index).get_or_insert_with(|| Arc::new([0; CHUNK])))
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}

/// Cuts `count` bytes at `at` along chunk borders: (chunk, offset in it, range of the caller's buffer).
fn pieces(at: u64, count: usize) -> impl Iterator<Item = (usize, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == count {
            return None;
        }
        let position = at + done as u64;
        let within = (position % CHUNK as u64) as usize;
        let start = done;
        done += (CHUNK - within).min(count - start);
        Some(((position / CHUNK as u64) as usize, within, start..done))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(content: &Content) -> Vec<u8> {
        let mut all = vec![0xEE; content.len() as usize];
        assert_eq!(content.read(0, &mut all), all.len());
        all
    }

    #[test]
    fn behaves_like_a_vector_of_bytes() {
        let mut content = Content::default();
        let mut model: Vec<u8> = Vec::new();
        let mut seed = 7u64;
        let mut next = |bound: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % bound
        };
        for step in 0..600 {
            let at = next(600_000) as usize;
            if next(5) == 0 {
                content.resize(at as u64);
                model.resize(at, 0);
            } else {
                let len = [1, 100, 4096, 9000][next(4) as usize];
                let at = if next(2) == 0 { at / 4096 * 4096 } else { at };
                let data = vec![step as u8 | 1; len];
                content.write(at as u64, &data);
                model.resize(model.len().max(at + len), 0);
                model[at..at + len].copy_from_slice(&data);
            }
            assert_eq!(content.len(), model.len() as u64);
            if step % 20 == 0 {
                assert!(bytes(&content) == model, "differs after step {step}");
            }
        }
    }

    #[test]
    fn a_copy_does_not_see_later_writes() {
        let mut content = Content::default();
        content.write(0, &[1; 10_000]);
        let copy = content.clone();
        content.write(5_000, &[2; 10]);
        content.resize(100);
        assert_eq!(bytes(&copy), vec![1; 10_000]);
    }

    #[test]
    fn a_hole_takes_no_memory() {
        let mut content = Content::default();
        content.resize(LONGEST);
        assert!(content.leaves.is_empty());
        let mut buf = [9; 16];
        assert_eq!(content.read(LONGEST - 8, &mut buf), 8);
        assert_eq!(buf, [0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
    }

    #[test]
    fn an_empty_write_past_the_end_does_not_grow() {
        let mut content = Content::default();
        content.write(100, &[]);
        assert_eq!(content.len(), 0);
    }
}
