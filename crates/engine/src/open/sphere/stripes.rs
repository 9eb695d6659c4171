//! Locks of keys: few enough to have, many enough that two requests seldom meet at one by chance.

use crate::sync::{Mutex, MutexGuard};
use cica_format::checksum::crc32c;

/// How many locks there are.
const STRIPES: usize = 256;

/// One lock for all keys that fall to it.
pub struct Stripes(Vec<Mutex<()>>);

impl Default for Stripes {
    fn default() -> Stripes {
        Stripes((0..STRIPES).map(|_| Mutex::new(())).collect())
    }
}

impl Stripes {
    /// Locks the keys, each in the tree of this number: always in the same order, so that nobody waits in a circle.
    pub fn lock<'k>(&self, keys: impl Iterator<Item = (usize, &'k [u8])>) -> Vec<MutexGuard<'_, ()>> {
        let mut stripes: Vec<usize> = keys.map(|(tree, key)| stripe(tree, key)).collect();
        stripes.sort_unstable();
        stripes.dedup();
        stripes.into_iter().map(|at| self.0[at].lock()).collect()
    }
}

fn stripe(tree: usize, key: &[u8]) -> usize {
    (crc32c(key) as usize).wrapping_add(tree.wrapping_mul(31)) % STRIPES
}
