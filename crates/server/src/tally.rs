//! Counts requests, and how long they took: of the server, of a client, of a data set.
//!
//! * Y1. Of data sets that nobody has open the counts of the [`MOST_CLOSED`] are kept that were opened last, whatever was
//!   open before. Those that SMF is still to be told are kept until then.

use cica_catalog::Name;
use cica_counters::SharedCount;
use cica_engine::LockCounts;
use cica_share::figures::{class, Sums, CLASSES, COUNTERS};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
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

/// Data sets that nobody has open, and whose counts are kept (Y1).
const MOST_CLOSED: usize = 4096;

/// What is counted of each base cluster.
#[derive(Default)]
pub struct Tallies(Mutex<OfSets>);

#[derive(Default)]
struct OfSets {
    /// With the number of the last open.
    tallies: BTreeMap<Name, (u64, Arc<Tally>)>,
    opens: u64,
}

impl Tallies {
    /// Of a base cluster that is being opened. Whoever has it open keeps what is returned.
    pub fn of(&self, base: &Name) -> Arc<Tally> {
        let mut all = self.0.lock();
        all.opens += 1;
        let opens = all.opens;
        let (last, tally) = all.tallies.entry(base.clone()).or_default();
        *last = opens;
        tally.clone()
    }

    /// What was counted of each.
    pub fn sums(&self) -> Vec<(Name, Sums)> {
        let all = self.0.lock();
        let sums = |(name, (_, tally)): (&Name, &(u64, Arc<Tally>))| (name.clone(), tally.sums());
        all.tallies.iter().map(sums).collect()
    }

    /// Is anything kept of it?
    pub fn knows(&self, base: &Name) -> bool {
        self.0.lock().tallies.contains_key(base)
    }

    /// Forgets the oldest of those that nobody has open, and that may be forgotten (Y1).
    pub fn forget(&self, may_be: impl Fn(&Name, &Sums) -> bool) {
        let all = &mut *self.0.lock();
        if all.tallies.len() <= MOST_CLOSED {
            return;
        }
        // Nobody begins to use one meanwhile.
        let closed = all
            .tallies
            .iter()
            .filter(|(_, (_, tally))| Arc::strong_count(tally) == 1);
        let mut closed: Vec<(u64, Name)> = closed.map(|(name, (last, _))| (*last, name.clone())).collect();
        closed.sort();
        for (_, name) in &closed[..closed.len().saturating_sub(MOST_CLOSED)] {
            if all
                .tallies
                .get(name)
                .is_some_and(|(_, tally)| may_be(name, &tally.sums()))
            {
                all.tallies.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> Name {
        Name::parse(&format!("A.N{number}")).expect("a name")
    }

    #[test]
    fn of_data_sets_that_nobody_has_open_the_last_ones_are_known() {
        let all = Tallies::default();
        let open = all.of(&name(0));
        for number in 1..MOST_CLOSED + 4 {
            all.of(&name(number)).add(Duration::ZERO, false, LockCounts::default());
        }
        // Opened once more, it is a new one.
        drop(all.of(&name(1)));
        all.forget(|of, sums| {
            assert_eq!(sums.counters[SharedCount::Requests as usize], 1);
            *of != name(3)
        });
        let known = [0, 1, 2, 3, 4, 5, MOST_CLOSED + 3].map(|number| all.knows(&name(number)));
        assert_eq!(known, [true, true, false, true, false, true, true]);
        all.forget(|_, _| true);
        assert!(!all.knows(&name(3)) && all.knows(&name(0)));
        drop(open);
        assert_eq!(all.sums().len(), MOST_CLOSED + 1);
        all.forget(|_, _| true);
        assert!(!all.knows(&name(0)));
    }
}
