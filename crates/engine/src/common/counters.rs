//! What an open data set counts: in memory of its own, from which its root is written, and in its slot of the process's
//! statistics file, where others see it while it is open (`counters:Q1`).

use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::Mutex;
use cica_counters::{DataSetCount, DataSetCounts, DataSetIdentity, StringCounts, BEFORE};
use cica_format::root::Statistics;

/// See the module.
pub struct Counters {
    /// Since this open, but for the records, of which there are so many.
    own: [AtomicU64; BEFORE],
    shown: DataSetCounts,
    identity: Mutex<DataSetIdentity>,
}

impl Counters {
    /// Those of a data set that was opened.
    pub fn new(shown: DataSetCounts, identity: DataSetIdentity) -> Counters {
        Counters {
            own: Default::default(),
            shown,
            identity: Mutex::new(identity),
        }
    }

    /// Counts.
    #[inline]
    pub fn add(&self, counter: DataSetCount, n: u64) {
        if let Some(own) = self.own.get(counter as usize) {
            own.fetch_add(n, Relaxed);
        }
        self.shown.cell(counter).fetch_add(n, Relaxed);
    }

    /// Takes away.
    #[inline]
    pub fn sub(&self, counter: DataSetCount, n: u64) {
        if let Some(own) = self.own.get(counter as usize) {
            own.fetch_sub(n, Relaxed);
        }
        self.shown.cell(counter).fetch_sub(n, Relaxed);
    }

    /// Notes how many there are.
    pub fn set(&self, counter: DataSetCount, n: u64) {
        if let Some(own) = self.own.get(counter as usize) {
            own.store(n, Relaxed);
        }
        self.shown.cell(counter).store(n, Relaxed);
    }

    /// What a string has retrieved that ends; its line is added to what is shown by itself.
    pub fn string_ends(&self, retrieved: u64) {
        self.own[DataSetCount::Retrieved as usize].fetch_add(retrieved, Relaxed);
    }

    /// One that the root keeps.
    pub fn get(&self, counter: DataSetCount) -> u64 {
        self.own.get(counter as usize).map_or(0, |own| own.load(Relaxed))
    }

    /// A line for a string.
    pub fn string(&self) -> StringCounts {
        self.shown.string()
    }

    /// What others see.
    pub fn shown(&self) -> &DataSetCounts {
        &self.shown
    }

    /// The data set begins anew: nothing was counted before.
    pub fn begin_anew(&self) {
        let mut identity = self.identity.lock();
        (identity.before, identity.excps_before) = Default::default();
        self.shown.identify(&identity);
        self.shown.file().forget_reader(identity.component);
    }
}

/// What a root has counted, in the order of the cells.
pub fn before(statistics: &Statistics) -> [u64; BEFORE] {
    let s = statistics;
    [
        s.records,
        s.inserted,
        s.deleted,
        s.updated,
        s.retrieved,
        s.ci_splits,
        s.ca_splits,
        s.ca_reclaims,
        s.ca_reuses,
    ]
}
