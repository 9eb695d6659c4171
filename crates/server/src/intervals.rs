//! SMF records of what clients asked for: one of each data set and one of all, for each interval, and at the end.

use crate::opened::Shared;
use crate::tally::Tally;
use cica_share::figures::{Sums, COUNTERS};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long an interval is: SMF's is 15 minutes or 30 on most systems.
const INTERVAL: Duration = Duration::from_secs(15 * 60);

/// What was told already, and when.
#[derive(Default)]
pub struct Intervals(Mutex<Reported>);

#[derive(Default)]
struct Reported {
    at: Duration,
    data_sets: BTreeMap<String, Sums>,
    all: Sums,
}

impl Intervals {
    /// Writes the records if it is time, or at once. An interval without a request has none.
    pub fn tell(&self, shared: &Shared, all: &Tally, at_once: bool) {
        let Some(smf) = &shared.session.smf else { return };
        let (now, mut reported) = (shared.session.clock.passed(), self.0.lock());
        if !at_once && now.saturating_sub(reported.at) < INTERVAL {
            return;
        }
        let sums = all.sums();
        let counted = since(&sums, &reported.all);
        (reported.at, reported.all) = (now, sums);
        if counted.iter().all(|count| *count == 0) {
            return;
        }
        let mut of_sets = Vec::new();
        for used in shared.used() {
            let before = reported.data_sets.insert(used.name.clone(), used.sums.clone());
            let counted = since(&used.sums, &before.unwrap_or_default());
            if counted.iter().any(|count| *count > 0) {
                of_sets.push((used.name, counted));
            }
        }
        smf.write_shared(
            of_sets.iter().map(|(name, counts)| (name.as_str(), counts.clone())),
            &counted,
        );
    }
}

fn since(now: &Sums, before: &Sums) -> Vec<u64> {
    let counts = (0..COUNTERS.len()).map(|counter| now.counters[counter].saturating_sub(before.counters[counter]));
    counts.collect()
}
