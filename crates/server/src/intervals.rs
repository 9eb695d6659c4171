//! SMF records of what clients asked for: of each storage class, of each data set and of all, for each interval, and at
//! the end.

use crate::opened::Shared;
use crate::tally::Tally;
use cica_catalog::Name;
use cica_share::figures::{Sums, COUNTERS};
use cica_smf::interval::SharedSet;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long an interval is, unless the environment says it: SMF's is 15 minutes or 30 on most systems.
const INTERVAL: Duration = Duration::from_secs(15 * 60);

/// What was told already, and when.
#[derive(Default)]
pub struct Intervals(Mutex<Reported>);

#[derive(Default)]
struct Reported {
    at: Duration,
    data_sets: BTreeMap<Name, Sums>,
    all: Sums,
}

impl Intervals {
    /// Writes the records if it is time, or at once. An interval without a request has none.
    pub fn tell(&self, shared: &Shared, all: &Tally, at_once: bool) {
        let Some(smf) = &shared.session.smf else {
            shared.tallies.forget(|_, _| true);
            return;
        };
        if smf.every().is_none() {
            smf.look_at_pool();
        }
        let (now, mut reported) = (shared.session.clock.passed(), self.0.lock());
        if !at_once && now.saturating_sub(reported.at) < smf.every().unwrap_or(INTERVAL) {
            return;
        }
        let sums = all.sums();
        let counted = since(&sums, &reported.all);
        (reported.at, reported.all) = (now, sums);
        if counted.iter().all(|count| *count == 0) {
            return;
        }
        let mut of_sets = Vec::new();
        for (name, sums) in shared.tallies.sums() {
            let counted = since(&sums, reported.data_sets.get(&name).unwrap_or(&Sums::default()));
            if counted.iter().any(|count| *count > 0) {
                of_sets.push(SharedSet {
                    class: class_of(shared, &name),
                    name: name.to_string(),
                    counts: counted,
                });
            }
            reported.data_sets.insert(name, sums);
        }
        smf.write_shared(&of_sets, &counted);
        // What was told of them need not be known any more (`tally:Y1`).
        let told = &reported.data_sets;
        shared.tallies.forget(|name, sums| told.get(name) == Some(sums));
        reported.data_sets.retain(|name, _| shared.tallies.knows(name));
    }
}

/// The storage class of a cluster; empty: it has none, or the catalog does not say it now.
fn class_of(shared: &Shared, cluster: &Name) -> String {
    let class = || {
        let reached = shared.session.reach(cluster).ok()?.1;
        reached.cluster.attributes.storage_class.clone()
    };
    class().unwrap_or_default()
}

fn since(now: &Sums, before: &Sums) -> Vec<u64> {
    let counts = (0..COUNTERS.len()).map(|counter| now.counters[counter].saturating_sub(before.counters[counter]));
    counts.collect()
}
