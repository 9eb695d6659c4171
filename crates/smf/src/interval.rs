//! Records of an interval: of each component that is open (types 64 and 42 subtype 6), of what a server shares (42
//! subtypes 15, 16 and 17), and of the buffer pool (42 subtype 19).
//!
//! * I1. An interval in which nothing was asked for has no record.
//! * I2. Type 64 says what was counted since the open, also at an interval; the others since the last such record, so
//!   that their numbers may be added up. Opens of one data set in one process at the same time share their counts. Each
//!   of their closes has a type 64 with what all of them did since its own open, so only the others add up there.

use crate::opens::Done;
use crate::record::{components, io_of, Origin, Record};
use crate::reported::{contention, count, interval, Reported};
use crate::write::SmfFile;
use cica_counters::{ComponentCount, DataSetCount, OpenDataSet, SharedCount};
use std::sync::PoisonError;
use std::time::Duration;

pub use crate::reported::SharedSet;

/// SMF64RIN of a data set that stays open.
const STAYS_OPEN: u64 = 0x04;
/// The longest interval.
const LONGEST: u64 = 24 * 3600;

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
        self.reported().every = Some(every);
    }

    /// How long an interval is, if that was said.
    pub fn every(&self) -> Option<Duration> {
        self.reported().every
    }

    fn reported(&self) -> std::sync::MutexGuard<'_, Reported> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks how full the pool is.
    pub fn look_at_pool(&self) {
        self.reported().look();
    }

    /// Writes what is open and the pool, as they are at the end of an interval.
    pub fn tell_interval(&self) {
        let now = self.clock.now();
        let mut records = Vec::new();
        let done = {
            let mut opens = self.opens();
            for live in opens.look() {
                let then = live.reported.as_ref().unwrap_or(&live.first);
                if is_changed(then, &live.last) {
                    records.extend(components(STAYS_OPEN, &live.first, &live.last, now, &self.origin));
                    records.extend(io_of(then, &live.last, now, &self.origin));
                    live.reported = Some(live.last.clone());
                }
            }
            opens.done().map(|(_, done)| done).fold(Done::default(), Done::and)
        };
        records.extend(self.reported().pool(done, now, &self.origin));
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
        let mut reported = self.reported();
        let mut records = reported.classes(data_sets, &done, now, origin);
        records.extend(data_sets.iter().map(|set| shared_set(set, now, origin)));
        records.push(locks(all, now, origin));
        if reported.every.is_none() {
            let all = done.iter().fold(Done::default(), |all, (_, done)| all.and(*done));
            records.extend(reported.pool(all, now, origin));
        }
        drop(reported);
        self.write(&records);
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
