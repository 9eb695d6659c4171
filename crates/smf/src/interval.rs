//! Records of an interval: of each component that is open (types 64 and 42 subtype 6), of what a server shares (42
//! subtypes 15, 16 and 17), and of the buffer pool (42 subtype 19).
//!
//! * I1. An interval in which nothing was asked for has no record.
//! * I2. Type 64 says what was counted since the open, also at an interval; the others since the last such record, so
//!   that their numbers may be added up.

use crate::opens::Done;
use crate::record::{components, io_of, layout, Origin, Record};
use crate::write::SmfFile;
use cica_counters::{ComponentCount, DataSetCount, OpenDataSet, PoolCount, SharedCount};
use cica_disk::Cells;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::PoisonError;
use std::time::Duration;

/// SMF64RIN of a data set that stays open.
const STAYS_OPEN: u64 = 0x04;
/// The longest interval.
const LONGEST: u64 = 24 * 3600;

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
pub(crate) struct Told {
    every: Option<Duration>,
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

impl Told {
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

    fn look(&mut self) {
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
    fn pool(&mut self, done: Done, now: u64, origin: &Origin) -> Option<Record> {
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

/// How long an interval is, from text: a number and `s`, `m` or `h`.
///
/// # Errors
/// It is no such text, or not from a second to a day.
pub fn interval_of(text: &str) -> Result<Duration, String> {
    let unit = match text.char_indices().next_back() {
        Some((at, 's')) => Some((at, 1)),
        Some((at, 'm')) => Some((at, 60)),
        Some((at, 'h')) => Some((at, 3600)),
        _ => None,
    };
    let seconds = unit.and_then(|(at, unit)| text[..at].parse::<u64>().ok()?.checked_mul(unit));
    match seconds {
        Some(seconds) if (1..=LONGEST).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!(
            "'{text}' is no interval from a second to a day; write a number and s, m or h, such as 15m"
        )),
    }
}

fn interval(subtype: u16, now: u64, origin: &Origin) -> Record {
    let mut record = Record::new(layout(42, subtype), now, origin);
    record.text("SMF42SSI", "CICA");
    record.number("SMF42NT", 1);
    record
}

fn count(counts: &[u64], counter: SharedCount) -> u64 {
    counts.get(counter as usize).copied().unwrap_or_default()
}

/// Requests that met something, true contention and false contention.
fn contention(record: &mut Record, names: [&str; 3], counts: &[u64]) {
    let (met, collided) = (
        count(counts, SharedCount::TrueContention),
        count(counts, SharedCount::FalseContention),
    );
    record.number(names[0], met.saturating_add(collided));
    record.number(names[1], met);
    record.number(names[2], collided);
}

/// Was anything asked for or done between the two?
fn is_changed(then: &OpenDataSet, now: &OpenDataSet) -> bool {
    let of_set = |set: &OpenDataSet| {
        let counters = [
            DataSetCount::Retrieved,
            DataSetCount::Inserted,
            DataSetCount::Deleted,
            DataSetCount::Updated,
        ];
        counters.map(|counter| set.count(counter))
    };
    let of_parts = |set: &OpenDataSet| {
        let counters = [ComponentCount::Looks, ComponentCount::Excps];
        set.components().map(|part| counters.map(|counter| part.count(counter)))
    };
    of_set(then) != of_set(now) || of_parts(then) != of_parts(now)
}

impl SmfFile {
    /// From now on whoever watches writes the records of an interval each time that so much has passed.
    pub fn say_interval(&self, every: Duration) {
        self.told().every = Some(every);
    }

    /// How long an interval is, if that was said.
    pub fn every(&self) -> Option<Duration> {
        self.told().every
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks how full the pool is.
    pub fn look_at_pool(&self) {
        self.told().look();
    }

    /// Writes what is open and the pool, as they are at the end of an interval.
    pub fn tell_interval(&self) {
        let now = self.clock.now();
        let mut records = Vec::new();
        let done = {
            let mut opens = self.opens();
            for live in opens.look() {
                let then = live.told.as_ref().unwrap_or(&live.first);
                if is_changed(then, &live.last) {
                    records.extend(components(STAYS_OPEN, &live.first, &live.last, now, &self.origin));
                    records.extend(io_of(then, &live.last, now, &self.origin));
                    live.told = Some(live.last.clone());
                }
            }
            opens.done().map(|(_, done)| done).fold(Done::default(), Done::and)
        };
        records.extend(self.told().pool(done, now, &self.origin));
        if !records.is_empty() {
            self.write(&records);
        }
    }

    /// Writes what clients of a server asked for since the last such records: of each storage class, of each data set,
    /// and of all; and the record of the pool, where no interval was said that has its own.
    pub fn write_shared(&self, data_sets: &[SharedSet], all: &[u64]) {
        let (now, origin) = (self.clock.now(), &self.origin);
        let done: Vec<(String, Done)> = {
            let mut opens = self.opens();
            opens.look();
            opens
                .done()
                .map(|(cluster, done)| (cluster.name.clone(), done))
                .collect()
        };
        let mut told = self.told();
        let mut records = told.classes(data_sets, &done, now, origin);
        records.extend(data_sets.iter().map(|set| shared_set(set, now, origin)));
        records.push(locks(all, now, origin));
        if told.every.is_none() {
            let all = done.iter().fold(Done::default(), |all, (_, done)| all.and(*done));
            records.extend(told.pool(all, now, origin));
        }
        drop(told);
        self.write(&records);
    }
}

impl Told {
    fn classes(&mut self, data_sets: &[SharedSet], done: &[(String, Done)], now: u64, origin: &Origin) -> Vec<Record> {
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

fn shared_set(set: &SharedSet, now: u64, origin: &Origin) -> Record {
    let mut record = interval(16, now, origin);
    record.text("SMF42GBB", &set.name);
    record.text("SMF42GBE", &set.class);
    record.text("SMF42GBH", &origin.system);
    contention(&mut record, ["SMF42GBK", "SMF42GBL", "SMF42GBM"], &set.counts);
    record.number("SMF42GIB", count(&set.counts, SharedCount::Requests));
    record
}

fn locks(counts: &[u64], now: u64, origin: &Origin) -> Record {
    let mut record = interval(17, now, origin);
    record.text("SMF42HBB", "CICA");
    record.text("SMF42HBC", &origin.system);
    record.number("SMF42HBD", count(counts, SharedCount::Requests));
    record.number("SMF42HBE", count(counts, SharedCount::TrueContention));
    record.number("SMF42HBF", count(counts, SharedCount::FalseContention));
    record
}
