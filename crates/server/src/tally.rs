//! Counts requests, and how long they took: of the server, of a client, of a data set.

use cica_counters::SharedCount;
use cica_engine::LockCounts;
use cica_share::figures::{class, Sums, CLASSES, COUNTERS};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// See the module. What is read of it is not of one moment.
#[derive(Default)]
pub struct Tally {
    counters: [AtomicU64; COUNTERS.len()],
    times: [AtomicU64; CLASSES],
}

impl Tally {
    /// One request more, that took so long, was refused, and met this in the lock table.
    pub fn add(&self, took: Duration, refused: bool, met: LockCounts) {
        let counts = [
            (SharedCount::Requests, 1),
            (SharedCount::Refused, u64::from(refused)),
            (SharedCount::Waits, met.waits),
            (SharedCount::TrueContention, met.contended),
            (SharedCount::FalseContention, met.collided),
            (SharedCount::Deadlocks, met.deadlocks),
            (SharedCount::Timeouts, met.timeouts),
            (SharedCount::Retained, met.retained),
        ];
        for (counter, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            self.counters[counter as usize].fetch_add(count, Relaxed);
        }
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.times[class(nanoseconds)].fetch_add(1, Relaxed);
    }

    /// What was counted.
    pub fn sums(&self) -> Sums {
        Sums {
            counters: std::array::from_fn(|counter| self.counters[counter].load(Relaxed)),
            times: std::array::from_fn(|class| self.times[class].load(Relaxed)),
        }
    }
}
