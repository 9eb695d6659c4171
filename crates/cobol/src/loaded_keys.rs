//! The alternate keys of a load, whose alternate indexes are built when it is over: WRITE must say at once that a key
//! is there already, so they are kept in memory, as many as there is room for.

use crate::fd::AlternateKey;
use std::collections::hash_map::RandomState;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};

/// Keys kept at most; with this many a load goes on as ordinary inserts.
const MOST: usize = 1 << 22;

/// What is known of a record before it is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// None of its alternate keys.
    New,
    /// One of those WITH DUPLICATES.
    Again,
    /// Only the indexes can tell: an alternate key that must be unique, or there are too many keys.
    Ask,
}

/// See the module.
#[derive(Default)]
pub struct LoadedKeys {
    met: Vec<HashSet<u128>>,
    count: usize,
    hashers: [RandomState; 2],
}

impl LoadedKeys {
    /// Looks a record's alternate keys up; nothing is kept yet.
    pub fn look(&self, keys: &[AlternateKey], record: &[u8]) -> Met {
        if keys.is_empty() {
            return Met::New;
        }
        if self.count + keys.len() > MOST {
            return Met::Ask;
        }
        let mut met = Met::New;
        for (key, known) in keys.iter().zip(&self.met) {
            let again = key.of(record).is_some_and(|key| known.contains(&self.short(key)));
            match (again, key.duplicates) {
                (false, _) => {}
                (true, true) => met = Met::Again,
                (true, false) => return Met::Ask,
            }
        }
        met
    }

    /// Keeps the alternate keys of a record that was loaded.
    pub fn keep(&mut self, keys: &[AlternateKey], record: &[u8]) {
        self.met.resize_with(keys.len(), HashSet::new);
        for (place, key) in keys.iter().enumerate() {
            if let Some(key) = key.of(record) {
                let short = self.short(key);
                self.count += usize::from(self.met[place].insert(short));
            }
        }
    }

    /// A key in 16 bytes: itself where it is short, else two hashes, which for different keys do not meet in the life
    /// of a machine.
    fn short(&self, key: &[u8]) -> u128 {
        if key.len() < 16 {
            return key.iter().fold(1, |all, &byte| all << 8 | u128::from(byte));
        }
        let half = |hasher: &RandomState| {
            let mut hasher = hasher.build_hasher();
            hasher.write(key);
            u128::from(hasher.finish())
        };
        half(&self.hashers[0]) << 64 | half(&self.hashers[1])
    }
}
