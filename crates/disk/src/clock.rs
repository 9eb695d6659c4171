//! Time: [`Clock`], the system's, and one that tests and replays set.

#[cfg(target_os = "linux")]
use crate::linux::{exact_time, rough_time};
use once_cell::race::OnceBox;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time, so that a run can be replayed.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Nanoseconds since 1970-01-01 UTC.
    fn now(&self) -> u64;

    /// Time since a moment that stays the same while the process lives. It never goes back, whoever sets the clock.
    fn passed(&self) -> Duration;

    /// The same, up to [`ROUGHLY`] too little, for a sixth of the cost.
    #[inline]
    fn passed_roughly(&self) -> Duration {
        self.passed()
    }
}

/// A tick of the slowest systems: the system's rough clock goes on with each.
pub const ROUGHLY: Duration = Duration::from_millis(10);

/// The time of day of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Where there is no rough clock.
#[cfg(not(target_os = "linux"))]
use self::exact_time as rough_time;
#[cfg(not(target_os = "linux"))]
fn exact_time() -> Duration {
    static BEGAN: OnceBox<std::time::Instant> = OnceBox::new();
    BEGAN.get_or_init(|| Box::new(std::time::Instant::now())).elapsed()
}

/// What it showed when it was looked at first.
fn first() -> Duration {
    static FIRST: OnceBox<Duration> = OnceBox::new();
    *FIRST.get_or_init(|| Box::new(exact_time()))
}

impl Clock for SystemClock {
    fn passed(&self) -> Duration {
        let first = first();
        exact_time().saturating_sub(first)
    }

    #[inline]
    fn passed_roughly(&self) -> Duration {
        rough_time().saturating_sub(first())
    }

    fn now(&self) -> u64 {
        // A clock before 1970 or after 2554 is set wrong; the nearest end of the range is as good as any answer.
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
            Err(_) => 0,
        }
    }
}

/// A clock that shows what it was set to and moves on by a fixed step with each look.
#[derive(Debug, Default)]
pub struct ManualClock {
    now: AtomicU64,
    step: u64,
}

impl ManualClock {
    /// A clock that shows `now` first and `step` nanoseconds more at each look after it.
    pub fn new(now: u64, step: u64) -> Self {
        ManualClock {
            now: AtomicU64::new(now),
            step,
        }
    }

    /// Sets the time, also backwards.
    pub fn set(&self, now: u64) {
        self.now.store(now, Ordering::SeqCst);
    }

    /// Lets `nanoseconds` pass.
    pub fn advance(&self, nanoseconds: u64) {
        self.now.fetch_add(nanoseconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    /// What it shows; to look at it lets no time pass.
    fn passed(&self) -> Duration {
        Duration::from_nanos(self.now.load(Ordering::SeqCst))
    }

    fn now(&self) -> u64 {
        self.now.fetch_add(self.step, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_as_told() {
        let clock = ManualClock::new(100, 5);
        assert_eq!([clock.now(), clock.now()], [100, 105]);
        clock.advance(1_000);
        assert_eq!(clock.passed(), Duration::from_nanos(1_110));
        assert_eq!(clock.now(), 1_110);
        clock.set(7);
        assert_eq!([clock.now(), clock.now()], [7, 12]);
    }

    #[test]
    fn the_system_clock_is_past_2020() {
        assert!(SystemClock.now() > 1_577_836_800_000_000_000);
        let first = SystemClock.passed();
        assert!(first <= SystemClock.passed());
    }

    #[test]
    fn the_rough_clock_is_behind_the_other_and_goes_on() {
        let begun = SystemClock.passed();
        for _ in 0..1_000 {
            let rough = SystemClock.passed_roughly();
            assert!(rough <= SystemClock.passed());
        }
        // It never says that less has passed than a tick before.
        while SystemClock.passed_roughly() <= begun {
            std::thread::yield_now();
        }
    }
}
