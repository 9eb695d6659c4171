//! What the records of intervals have told so far, of the pool and of what a server shares, and the records that follow
//! from it.

use crate::opens::Done;
use crate::record::{layout, Origin, Record};
use cica_counters::{PoolCount, SharedCount};
use cica_disk::Cells;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What is known of a data set that a server shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedSet {
    /// The cluster.
    pub name: String,
    /// Its storage class; empty: none.
    pub class: String,
    /// What was counted since the last record, in the order of [`SharedCount`].
    pub counts: Vec<u64>,
}

/// What was told in the last interval, and how full the pool was since.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    pub every: Option<Duration>,
    pool: Option<Cells>,
    looks: u64,
    full: u64,
    nearly: u64,
    least: u64,
    most: u64,
    /// Of each cluster, with the records of what is shared.
    clusters: BTreeMap<String, Done>,
    /// Of all clusters, with the record of the pool.
    all: Done,
}

impl Reported {
    /// From now on the pool has these cells.
    pub fn watch(&mut self, pool: Cells) {
        self.pool = Some(pool);
    }

    /// Percent of the pool in use.
    fn in_use(&self) -> u64 {
        let Some(pool) = &self.pool else { return 0 };
        let [limit, charged] = [PoolCount::Limit, PoolCount::Charged].map(|at| pool.at(at as usize).load(Relaxed));
        charged.saturating_mul(100).checked_div(limit).unwrap_or_default()
    }

    pub fn look(&mut self) {
        let percent = self.in_use();
        self.least = if self.looks == 0 {
            percent
        } else {
            self.least.min(percent)
        };
        self.most = if self.looks == 0 {
            percent
        } else {
            self.most.max(percent)
        };
        self.looks += 1;
        self.full += u64::from(percent >= 100);
        self.nearly += u64::from((90..100).contains(&percent));
    }

    /// The record of the pool; none if nothing was asked for.
    pub fn pool(&mut self, done: Done, now: u64, origin: &Origin) -> Option<Record> {
        let since = done.since(std::mem::replace(&mut self.all, done));
        self.look();
        if since == Done::default() {
            return None;
        }
        let mut record = interval(19, now, origin);
        record.text("SMF42JPB", &origin.system);
        for (name, number) in [
            ("SMF42JP6", since.written),
            ("SMF42JPG", self.looks),
            ("SMF42JPH", self.full),
            ("SMF42JPI", since.looks),
            ("SMF42JP2", self.nearly),
            ("SMF42JPJ", since.hits),
            ("SMF42JPK", self.in_use()),
            ("SMF42JPL", self.least),
            ("SMF42JPM", self.most),
        ] {
            record.number(name, number);
        }
        (self.looks, self.full, self.nearly) = (0, 0, 0);
        Some(record)
    }
}

impl Reported {
    /// The record of each storage class.
    pub fn classes(
        &mut self,
        data_sets: &[SharedSet],
        done: &[(String, Done)],
        now: u64,
        origin: &Origin,
    ) -> Vec<Record> {
        let mut classes: BTreeMap<&str, (Vec<u64>, Done)> = BTreeMap::new();
        for set in data_sets {
            let (counts, sum) = classes.entry(&set.class).or_default();
            counts.resize(SharedCount::ALL.len(), 0);
            for (sum, count) in counts.iter_mut().zip(&set.counts) {
                *sum = sum.saturating_add(*count);
            }
            if let Some((name, done)) = done.iter().find(|(name, _)| *name == set.name) {
                let before = self.clusters.insert(name.clone(), *done).unwrap_or_default();
                *sum = sum.and(done.since(before));
            }
        }
        let record = |(class, (counts, done)): (&str, (Vec<u64>, Done))| {
            let mut record = interval(15, now, origin);
            record.text("SMF42FBC", class);
            record.text("SMF42FBE", &origin.system);
            contention(&mut record, ["SMF42FBH", "SMF42FBI", "SMF42FBJ"], &counts);
            record.number("SMF42FTA", done.splits[0]);
            record.number("SMF42FTB", done.splits[1]);
            record.number("SMF42FIB", count(&counts, SharedCount::Requests));
            record.number("SMF42FIE", done.written);
            record.number("SMF42FIF", done.looks);
            record.number("SMF42FIG", done.hits);
            record
        };
        classes.into_iter().map(record).collect()
    }
}

/// A record of type 42, with nothing but its head.
pub(crate) fn interval(subtype: u16, now: u64, origin: &Origin) -> Record {
    let mut record = Record::new(layout(42, subtype), now, origin);
    record.text("SMF42SSI", "CICA");
    record.number("SMF42NT", 1);
    record
}

pub(crate) fn count(counts: &[u64], counter: SharedCount) -> u64 {
    counts.get(counter as usize).copied().unwrap_or_default()
}

/// Requests that met something, true contention and false contention.
pub(crate) fn contention(record: &mut Record, names: [&str; 3], counts: &[u64]) {
    let (met, collided) = (
        count(counts, SharedCount::TrueContention),
        count(counts, SharedCount::FalseContention),
    );
    record.number(names[0], met.saturating_add(collided));
    record.number(names[1], met);
    record.number(names[2], collided);
}
