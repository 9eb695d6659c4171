//! Pacing: while trees are written ahead of a commit, changes come more slowly than control intervals are written.
//!
//! | round of writing | changes |
//! |---|---|
//! | the first | as many as come |
//! | each later one, and the commit | half as many as the round before wrote CIs; who makes one more waits |
//!
//! So each round finds half of what the one before found, whatever the device can do, and the commit, which keeps
//! requests out, finds little. Without that a round that takes seconds finds seconds of changes again.
//!
//! * G1. Who waits keeps neither latch nor gate, and waits [`LONGEST_WAIT`] at most: a string that waits for a slow
//!   device gets on, if not as fast as it could.
//! * G2. One writes ahead at a pace at a time. Another one writes ahead without, as does one in a simulation.

use crate::sync::atomic::Ordering::*;
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use crate::sync::{Mutex, MutexGuard, TIME_PASSES};
use std::time::Duration;

/// How long a change waits at most, in naps.
const LONGEST_WAIT: u32 = 5;
/// As long as the shortest rounds.
const NAP: Duration = Duration::from_millis(1);

/// See the module.
#[derive(Default)]
pub struct Pace {
    /// Kept by who writes ahead.
    paced: Mutex<()>,
    limited: AtomicBool,
    round: AtomicU64,
    /// Changes that this round has left.
    left: AtomicI64,
}

impl Pace {
    /// Somebody begins to write ahead; `None` if another does (G2).
    pub fn begin(&self) -> Option<Paced<'_>> {
        self.paced.try_lock().map(|guard| Paced {
            pace: self,
            _guard: guard,
        })
    }

    /// A change was made, and nothing of it is kept.
    #[inline]
    pub fn after_change(&self) {
        if TIME_PASSES && self.limited.load(Relaxed) {
            self.pass();
        }
    }

    #[cold]
    fn pass(&self) {
        let round = self.round.load(Acquire);
        if self.takes_one() {
            return;
        }
        for _ in 0..LONGEST_WAIT {
            std::thread::sleep(NAP);
            if self.round.load(Acquire) != round || !self.limited.load(Relaxed) {
                return;
            }
        }
    }

    /// A change waits while something goes on, and no longer than others do (G1).
    pub fn wait_while(&self, goes_on: impl Fn() -> bool) {
        for _ in 0..LONGEST_WAIT {
            if !goes_on() {
                return;
            }
            std::thread::sleep(NAP);
        }
    }

    /// Takes a change off what this round has left; false where there was none.
    fn takes_one(&self) -> bool {
        self.left.fetch_sub(1, Relaxed) > 0
    }
}

/// Changes are paced until it is dropped.
pub struct Paced<'p> {
    pace: &'p Pace,
    _guard: MutexGuard<'p, ()>,
}

impl Paced<'_> {
    /// A round begins, behind one that wrote so many CIs.
    pub fn begin_round(&self, written: usize) {
        let changes = i64::try_from(written / 2).unwrap_or(i64::MAX);
        self.pace.left.store(changes, Relaxed);
        self.pace.round.fetch_add(1, Release);
        self.pace.limited.store(true, Relaxed);
    }
}

impl Drop for Paced<'_> {
    fn drop(&mut self) {
        self.pace.limited.store(false, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many changes a round lets through without a wait.
    fn passing(pace: &Pace) -> usize {
        (0..1000).take_while(|_| pace.takes_one()).count()
    }

    #[test]
    fn each_round_allows_half_of_what_the_one_before_wrote() {
        let pace = Pace::default();
        let paced = pace.begin().expect("nobody else writes ahead");
        assert!(!pace.limited.load(Relaxed), "the first round allows all");
        let mut written = 640;
        for allowed in [320, 160, 80, 40] {
            paced.begin_round(written);
            assert!(pace.limited.load(Relaxed));
            // As many come as may: that is what the round writes then.
            written = passing(&pace);
            assert_eq!(written, allowed);
        }
    }

    #[test]
    fn what_a_round_left_is_not_added_to_the_next() {
        let pace = Pace::default();
        let paced = pace.begin().expect("nobody else writes ahead");
        paced.begin_round(100);
        assert!(pace.takes_one());
        paced.begin_round(20);
        assert_eq!(passing(&pace), 10);
        assert_eq!(passing(&pace), 0, "beyond that each one waits");
    }

    #[test]
    fn one_paces_at_a_time_and_none_is_limited_behind_it() {
        let pace = Pace::default();
        let paced = pace.begin().expect("nobody else writes ahead");
        assert!(pace.begin().is_none(), "another one writes ahead without (G2)");
        paced.begin_round(2);
        drop(paced);
        assert!(!pace.limited.load(Relaxed), "the commit is over");
        assert!(pace.begin().is_some());
    }
}
