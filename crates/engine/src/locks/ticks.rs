//! The time that is noted with each lock. A request that locks takes a hundred nanoseconds, and a look at the clock is
//! a good part of that: so somebody else looks, a few times a second, and requests read what he has noted.
//!
//! * K1. What is noted is too early by the time since the last tick, so a lock may be told to be so much older. Where
//!   nobody ticks no time is known.

// Not those that a search of schedules knows: it would try each order of a time that is shown to people alone.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// What one is: a number of four bytes lasts for years.
const TICK: Duration = Duration::from_millis(100);

/// See the module.
#[derive(Default)]
pub(super) struct Ticks(AtomicU32);

impl Ticks {
    /// The last tick; 0: there was none (K1).
    #[inline]
    pub fn now(&self) -> u32 {
        self.0.load(Relaxed)
    }

    /// It is so late.
    pub fn note(&self, passed: Duration) {
        let ticks = u32::try_from(passed.as_millis() / TICK.as_millis()).unwrap_or(u32::MAX - 1);
        self.0.store(ticks + 1, Relaxed);
    }

    /// When a tick was, by the clock that [`note`](Self::note) is told.
    pub fn time(&self, tick: u32) -> Option<Duration> {
        tick.checked_sub(1).map(|ticks| TICK * ticks)
    }
}
