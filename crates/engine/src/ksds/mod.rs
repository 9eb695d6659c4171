//! Key-sequenced data sets: records in data CIs in key order, found through the index.
//!
//! * K1. Every key belongs to exactly one sequence-set entry: the first whose separator, continued with X'FF', is
//!   at or above
//!   it. The last entry of each level has an empty separator: everything is below it.
//! * K2. Separators rise along each level; those of a spanned record's segments, which are neighbours, are equal.
//! * K3. A page whose range of keys changes is latched while it changes, so a reader that saw the index before and
//!   the page after starts again.
//! * K4. Splits, reclaims and everything else that changes the index run one at a time (`structure`); plain inserts,
//!   updates and erases latch one data page and nothing else.
//! * K5. A spanned record that is replaced may be out of the tree meanwhile. `replacing` is odd then, and what a reader
//!   found, or did not find, between two records is true only if `replacing` was even and stayed as it was.
//! * K6. A change of the index that fails half way fences the data set before it gives up the latch of the record that
//!   leads to what it had moved. Who comes that way asks for the fence behind it: before a page is changed, before a
//!   record is said not to be there, and before a page is passed.
//!
//! Locks in order: gate (shared by requests that change, exclusive for a commit) -> structure -> page latches -> log.

mod change;
mod get;
mod glance;
mod inspect;
mod load;
mod loader;
mod nodes;
mod reclaim;
mod replace;
mod route;
mod spanned;
mod split;
mod tree;

pub use change::{Inserted, Order};
pub use glance::{Look, Unbuffered};
pub use loader::Loader;
pub use tree::{Leaf, Optimistic, Spot};

use crate::common::Common;
use crate::error::RequestError;
use crate::pool::{Begun, Need, Reserve};
use crate::store::Component;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use crate::sync::Mutex;
use std::sync::Arc;

/// An open KSDS.
pub struct Ksds {
    common: Common,
    /// Index component.
    pub index: Arc<Component>,
    /// The load in progress.
    pub loader: Mutex<Option<Loader>>,
    /// Index levels and CI number of the root node: `levels << 32 | ci`.
    top: AtomicU64,
    /// Index CIs ever used: the next new one has this number.
    next_index_ci: AtomicU32,
    structure: Mutex<()>,
    /// Odd while a spanned record is being replaced.
    replacing: AtomicU64,
}

impl std::ops::Deref for Ksds {
    type Target = Common;
    #[inline]
    fn deref(&self) -> &Common {
        &self.common
    }
}

impl Ksds {
    /// Adds the index component and its tree. `top` and `levels` are the root's.
    pub fn new(common: Common, index: Arc<Component>, top: u32, levels: u8, index_cis: u32) -> Ksds {
        Ksds {
            common,
            index,
            loader: Mutex::new(None),
            top: AtomicU64::new((levels as u64) << 32 | top as u64),
            next_index_ci: AtomicU32::new(index_cis),
            structure: Mutex::new(()),
            replacing: AtomicU64::new(0),
        }
    }

    /// CI number of the root node and levels (0: no index yet).
    #[inline]
    pub fn top(&self) -> (u32, u8) {
        let word = self.top.load(Acquire);
        (word as u32, (word >> 32) as u8)
    }
    pub(super) fn set_top(&self, ci: u32, levels: u8) {
        self.top.store((levels as u64) << 32 | ci as u64, Release);
    }
    /// Index CIs ever used.
    pub fn index_cis(&self) -> u32 {
        self.next_index_ci.load(Relaxed)
    }
    /// Empties the tree in memory (RESET).
    pub fn reset(&self) {
        self.set_top(u32::MAX, 0);
        self.next_index_ci.store(0, Relaxed);
    }

    /// The highest key there is.
    pub fn last_key(&self) -> Result<Option<Vec<u8>>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some(spot) = self.last_at(&vec![0xFF; self.shape.key_len], true)? else {
                return Ok(None);
            };
            let mut key = vec![0; self.shape.key_len];
            self.leaf_view(&spot.leaf)
                .record_part(spot.pos, self.shape.rkp, &mut key);
            if self.fresh(&spot.leaf) {
                return Ok(Some(key));
            }
            begun = self.again(begun)?;
        }
    }
    /// Reserves what a change of the structure needs at once, before the lock for it and before any latch (P7): the
    /// pages of a split, and of the index the record of each level and its sibling.
    fn reserve_change(&self) -> Result<Reserve, RequestError> {
        let reserved = self.pool.reserve(&self.change_needs());
        reserved.map_err(|_| self.data.pool_full())
    }

    /// What such a request needs at once.
    pub fn change_needs(&self) -> Vec<Need> {
        let levels = usize::from(self.top().1);
        [self.data.needs(2), self.index.needs(levels + 2)].concat()
    }

    /// What a request that reads needs at once: two records of each level of the index, on the way to the page before,
    /// a page, the one behind it, and the first of a spanned record.
    fn needs(&self) -> Vec<Need> {
        let levels = usize::from(self.top().1);
        [self.data.needs(3), self.index.needs(2 * levels + 2)].concat()
    }
    /// Does a record of this length take several CIs?
    pub fn is_spanned(&self, len: usize) -> bool {
        len > self.longest_unspanned()
    }

    /// The record's key.
    #[inline]
    pub fn key_of<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        &record[self.shape.rkp..self.shape.rkp + self.shape.key_len]
    }

    /// The same of bytes that may be no whole record.
    #[inline]
    pub fn key_in<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        record.get(self.shape.rkp..self.shape.rkp + self.shape.key_len)
    }

    /// A broken invariant of the index, as an error that names the place.
    fn index_error(&self, ci: u32, what: &str) -> RequestError {
        RequestError::Physical {
            reason: 8,
            what: format!("{}, index CI {ci}: {what}; EXAMINE tells more", self.index.name),
        }
    }
}

/// The shortest text between two neighbouring keys: `low` up to and including the first byte in which it differs
/// from `high`. Continued with X'FF' it is at or above `low` and below `high`.
pub fn separator(low: &[u8], high: &[u8]) -> Vec<u8> {
    let differs = low.iter().zip(high).position(|(a, b)| a != b).unwrap_or(low.len() - 1);
    low[..=differs].to_vec()
}

#[cfg(test)]
mod tests {
    use super::separator;

    #[test]
    fn separators_lie_between() {
        assert_eq!(separator(b"0000247", b"0000248"), b"0000247");
        assert_eq!(separator(b"AB9", b"B00"), b"A");
        assert_eq!(separator(b"A", b"B"), b"A");
    }
}
