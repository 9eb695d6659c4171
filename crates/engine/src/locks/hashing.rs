//! How owners and names are hashed: by multiplying, and a name once for all maps that it is looked up in.

use std::hash::{BuildHasher, Hasher};

/// How owners and names are hashed: by multiplying, as one is held and released with every update, from a start that
/// nobody knows.
#[derive(Clone, Copy)]
pub(super) struct Hashing(u64);

impl Default for Hashing {
    fn default() -> Hashing {
        Hashing(std::hash::RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Hashing {
    type Hasher = Multiplied;
    fn build_hasher(&self) -> Multiplied {
        Multiplied(self.0)
    }
}

pub(super) struct Multiplied(u64);

impl Multiplied {
    #[inline]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9E37_79B9_7F4A_7C15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Multiplied {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            // The chunks are of eight bytes.
            self.mix(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            self.mix(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// What maps of names take for a hash: the one that leads the name.
#[derive(Default, Clone, Copy)]
pub(super) struct Leading;

pub(super) struct Led(u64);

impl BuildHasher for Leading {
    type Hasher = Led;
    fn build_hasher(&self) -> Led {
        Led(0)
    }
}

impl Hasher for Led {
    #[inline]
    fn write(&mut self, name: &[u8]) {
        self.0 = name.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash));
    }
    /// The length of the name, which the hash knows.
    #[inline]
    fn write_usize(&mut self, _: usize) {}
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
