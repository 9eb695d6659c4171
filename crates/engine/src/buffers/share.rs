//! What of an open's quota is one string's: a data and an index buffer each. What is over goes to the first string, as
//! VSAM gave it to the first request that could use it.

use super::{BufferCounts, BufferSizes, Counts, LsrOpen, Quota, Schedule, Transfer};
use crate::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;

/// What an open divides among its strings.
#[derive(Debug)]
pub struct Shares {
    quota: Quota,
    sizes: BufferSizes,
    given: AtomicUsize,
    counts: Arc<Counts>,
    /// It has no buffers of its own, but shares those of a pool.
    lsr: Option<Arc<LsrOpen>>,
}

/// What a string has.
#[derive(Debug, Clone)]
pub struct Share {
    /// Data buffers, beside the one for inserts.
    pub schedule: Schedule,
    /// Buffers for index records above the sequence set; with none they pass through that of the sequence set.
    pub index_set: usize,
    pub deferred: bool,
    pub counts: Arc<Counts>,
}

impl Shares {
    /// Of such a quota.
    pub fn new(quota: Quota, sizes: BufferSizes) -> Shares {
        Shares {
            quota,
            sizes,
            given: AtomicUsize::new(0),
            counts: Arc::new(Counts::new(quota.traced)),
            lsr: None,
        }
    }

    /// Of an open that shares the buffers of a pool.
    pub fn of_pool(open: LsrOpen, sizes: BufferSizes, counts: Arc<Counts>, traced: bool) -> Shares {
        let quota = Quota {
            data: open.data.subpool.buffers(),
            index: open.index.as_ref().map_or(0, |index| index.subpool.buffers()),
            strings: 1,
            deferred: open.deferred,
            track: 0,
            traced,
        };
        Shares {
            quota,
            sizes,
            given: AtomicUsize::new(0),
            counts,
            lsr: Some(Arc::new(open)),
        }
    }

    /// Its way to shared buffers.
    pub fn lsr(&self) -> Option<&Arc<LsrOpen>> {
        self.lsr.as_ref()
    }

    /// What another string has. One more than STRNO says has what the least is.
    pub fn next(&self) -> Share {
        let Quota {
            data,
            index,
            strings,
            deferred,
            track,
            ..
        } = self.quota;
        let (data, index_set) = match self.given.fetch_add(1, Relaxed) {
            0 => (data.saturating_sub(strings), index.saturating_sub(strings)),
            _ => (1, 0),
        };
        Share {
            schedule: Schedule::new(data, track, self.sizes),
            index_set,
            deferred,
            counts: self.counts.clone(),
        }
    }

    /// The rule by which a load of this open writes.
    pub fn loads_by(&self) -> Share {
        let Quota {
            data,
            index,
            strings,
            deferred,
            track,
            ..
        } = self.quota;
        Share {
            schedule: Schedule::new(data.saturating_sub(strings), track, self.sizes),
            index_set: index.saturating_sub(strings),
            deferred,
            counts: self.counts.clone(),
        }
    }

    /// What it has.
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// What was transferred for it.
    pub fn counts(&self) -> BufferCounts {
        self.counts.now()
    }

    /// The transfers since this was asked last, where they are kept.
    pub fn transfers(&self) -> Vec<Transfer> {
        self.counts.transfers()
    }
}
