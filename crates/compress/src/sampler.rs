//! Records put aside until there are enough of them to train a dictionary from.

use crate::dictionary::Dictionary;
use crate::stored::LEAST;

/// So many bytes are enough to train from: more make the dictionary no better (docs/design/0032).
pub const SAMPLE_BYTES: usize = 32 << 10;

/// Records put aside; of each what is behind its key.
#[derive(Debug, Default)]
pub struct Sampler {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Sampler {
    /// One that takes every record.
    pub fn new() -> Sampler {
        Sampler::default()
    }

    /// Takes a record, of which `rest` is behind the key. True: there are enough.
    pub fn take(&mut self, rest: &[u8]) -> bool {
        if rest.len() <= LEAST {
            return false;
        }
        let room = SAMPLE_BYTES.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&rest[..rest.len().min(room)]);
        self.ends.push(self.bytes.len());
        self.bytes.len() >= SAMPLE_BYTES
    }

    /// Bytes that were put aside.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn records(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| &self.bytes[begin..*end])
    }

    /// A dictionary from them; `None`: there is nothing to learn from.
    pub fn train(&self, made: u64) -> Option<Dictionary> {
        Dictionary::train(self.records(), made)
    }
}
