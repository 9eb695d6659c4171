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
//!
//! Locks in order: gate (shared by requests that change, exclusive for a commit) -> structure -> page latches -> log.

mod change;
mod inspect;
mod load;
mod nodes;
mod reclaim;
mod spanned;
mod split;
mod tree;

pub use change::{Inserted, Order};
pub use load::Loader;
pub use tree::{Leaf, Spot};

use crate::error::RequestError;
use crate::log::Log;
use crate::pool::{Pool, Shape};
use crate::store::Component;
use cica_format::attributes::Attributes;
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::sync::{Arc, OnceLock};

/// Counters of an open data set, added to the root's at commit.
#[derive(Debug, Default)]
pub struct Counters {
    /// Records in the data set.
    pub records: AtomicU64,
    /// Since load.
    pub inserted: AtomicU64,
    /// Since load.
    pub deleted: AtomicU64,
    /// Since load.
    pub updated: AtomicU64,
    /// Since load.
    pub retrieved: AtomicU64,
    /// Since load.
    pub ci_splits: AtomicU64,
    /// Since load.
    pub ca_splits: AtomicU64,
    /// Since load.
    pub ca_reclaims: AtomicU64,
    /// Since load.
    pub ca_reuses: AtomicU64,
}

/// An open KSDS.
pub struct Ksds {
    /// Data component.
    pub data: Arc<Component>,
    /// Index component.
    pub index: Arc<Component>,
    /// The data component's attributes.
    pub attributes: Attributes,
    /// Where the key is.
    pub shape: Shape,
    /// Kept shared by each change, exclusively by a commit.
    pub gate: RwLock<()>,
    /// Counters.
    pub counters: Counters,
    /// Loading: only sequential inserts.
    pub loading: AtomicBool,
    /// The load in progress.
    pub loader: Mutex<Option<Loader>>,
    pool: Arc<Pool>,
    /// Index levels and CI number of the root node: `levels << 32 | ci`.
    top: AtomicU64,
    /// Index CIs ever used: the next new one has this number.
    next_index_ci: AtomicU32,
    structure: Mutex<()>,
    /// Odd while a spanned record is being replaced.
    replacing: AtomicU64,
    holds: Mutex<HashMap<Vec<u8>, u64>>,
    log: Arc<Log>,
    log_number: OnceLock<u32>,
    fence: OnceLock<String>,
}

impl Ksds {
    /// Wraps two open components. `top` and `levels` are the root's.
    pub fn new(
        data: Arc<Component>,
        index: Arc<Component>,
        attributes: Attributes,
        log: Arc<Log>,
        top: u32,
        levels: u8,
        index_cis: u32,
    ) -> Ksds {
        let shape = Shape {
            rkp: attributes.key_offset as usize,
            key_len: attributes.key_length as usize,
        };
        Ksds {
            pool: data.pool().clone(),
            data,
            index,
            shape,
            gate: RwLock::new(()),
            counters: Counters::default(),
            loading: AtomicBool::new(false),
            loader: Mutex::new(None),
            top: AtomicU64::new((levels as u64) << 32 | top as u64),
            next_index_ci: AtomicU32::new(index_cis),
            structure: Mutex::new(()),
            replacing: AtomicU64::new(0),
            holds: Mutex::new(HashMap::new()),
            attributes,
            log,
            log_number: OnceLock::new(),
            fence: OnceLock::new(),
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

    /// From now on changes are logged under this number.
    pub fn set_log_number(&self, number: u32) {
        let _ = self.log_number.set(number);
    }
    /// The number, if changes are logged (recovery's are not).
    pub fn log_number(&self) -> Option<u32> {
        self.log_number.get().copied()
    }
    /// The log.
    pub fn log(&self) -> &Log {
        &self.log
    }
    /// Logs a change (R4: the caller holds the latch of the page).
    #[inline]
    fn append(&self, write: impl FnOnce(u32, &mut Vec<u8>)) {
        if let Some(&number) = self.log_number.get() {
            self.log.append(number, |buf| write(number, buf));
        }
    }

    /// After a failure in the middle of something: nothing more is answered. What was acknowledged is in the log.
    pub fn fence(&self, why: &str) {
        if self.fence.set(why.to_string()).is_ok() {
            let _ = self.log.flush(self.log.last());
        }
    }
    /// The same from inside a log flush, or when there is nothing to save.
    pub fn fence_quietly(&self, why: &str) {
        let _ = self.fence.set(why.to_string());
    }
    /// `Err` once fenced.
    #[inline]
    pub fn check_fence(&self) -> Result<(), RequestError> {
        match self.fence.get() {
            Some(why) => Err(RequestError::Fenced { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Holds a record for update by `string`.
    pub fn hold(&self, key: &[u8], string: u64) -> Result<(), RequestError> {
        let mut holds = self.holds.lock();
        match holds.get(key) {
            Some(&other) if other != string => Err(RequestError::Exclusive { key: key.to_vec() }),
            Some(_) => Ok(()),
            None => {
                holds.insert(key.to_vec(), string);
                Ok(())
            }
        }
    }
    /// Releases it.
    pub fn release(&self, key: &[u8]) {
        self.holds.lock().remove(key);
    }

    /// Bytes of the longest record this data set takes: what was defined, as far as a CI, or spanned a CA, holds it.
    pub fn longest(&self) -> usize {
        let most = if self.attributes.spanned {
            self.longest_spanned()
        } else {
            self.longest_unspanned()
        };
        most.min(self.attributes.maximum_record as usize)
    }
    /// The record's key.
    #[inline]
    pub fn key_of<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        &record[self.shape.rkp..self.shape.rkp + self.shape.key_len]
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
