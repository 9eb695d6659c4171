//! What the lock table counts: for the engine, and for each thread, so that who makes requests knows what each of them
//! has met.

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use cica_counters::LockCount;
use std::cell::Cell;

/// What the lock table has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LockCounts {
    /// Requests that met a name of another owner: true contention.
    pub contended: u64,
    /// Requests that met another request in the same part of the table, most often for another name: false contention.
    /// They go on as soon as that one has looked.
    pub collided: u64,
    /// Requests that waited.
    pub waits: u64,
    /// Waits that would have ended never.
    pub deadlocks: u64,
    /// Waits that took too long.
    pub timeouts: u64,
    /// Requests that met a retained lock.
    pub retained: u64,
}

/// What is counted, in the order of [`LockCounts`].
#[derive(Debug, Clone, Copy)]
pub(super) enum Count {
    Contended,
    Collided,
    Waits,
    Deadlocks,
    Timeouts,
    Retained,
}

impl Count {
    /// Where others see it, if they do.
    pub fn shown(self) -> Option<LockCount> {
        match self {
            Count::Contended => Some(LockCount::Contended),
            Count::Collided => None,
            Count::Waits => Some(LockCount::Waits),
            Count::Deadlocks => Some(LockCount::Deadlocks),
            Count::Timeouts => Some(LockCount::Timeouts),
            Count::Retained => Some(LockCount::Retained),
        }
    }
}

const KINDS: usize = 6;

thread_local! {
    static OWN: Cell<[u64; KINDS]> = const { Cell::new([0; KINDS]) };
}

#[derive(Default)]
pub(super) struct LockCounters([AtomicU64; KINDS]);

impl LockCounters {
    #[cold]
    pub fn add(&self, what: Count) {
        self.0[what as usize].fetch_add(1, Relaxed);
        OWN.with(|own| {
            let mut counts = own.get();
            counts[what as usize] += 1;
            own.set(counts);
        });
    }

    pub fn all(&self) -> LockCounts {
        LockCounts::from(std::array::from_fn(|kind| self.0[kind].load(Relaxed)))
    }
}

impl From<[u64; KINDS]> for LockCounts {
    fn from([contended, collided, waits, deadlocks, timeouts, retained]: [u64; KINDS]) -> LockCounts {
        LockCounts {
            contended,
            collided,
            waits,
            deadlocks,
            timeouts,
            retained,
        }
    }
}

impl From<LockCounts> for [u64; KINDS] {
    fn from(of: LockCounts) -> [u64; KINDS] {
        [
            of.contended,
            of.collided,
            of.waits,
            of.deadlocks,
            of.timeouts,
            of.retained,
        ]
    }
}

impl LockCounts {
    /// What requests of this thread have met until now, whichever engine they were made to.
    pub fn of_thread() -> LockCounts {
        OWN.with(|own| LockCounts::from(own.get()))
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(self, before: LockCounts) -> LockCounts {
        let (now, before) = (<[u64; KINDS]>::from(self), <[u64; KINDS]>::from(before));
        LockCounts::from(std::array::from_fn(|kind| now[kind].saturating_sub(before[kind])))
    }
}
