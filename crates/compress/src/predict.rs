//! What compression would give for some records: told by compressing and expanding them.

use crate::dictionary::{Damaged, Dictionary};
use crate::sampler::Sampler;
use crate::stored::{expand, store, Form, LEAST};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prediction {
    /// Records looked at.
    pub records: u64,
    /// Their bytes.
    pub plain: u64,
    /// Their bytes as they would be stored, forms included.
    pub stored: u64,
    /// Records that stay plain because they have 40 bytes or less behind their key.
    pub short: u64,
    /// Records that stay plain because they would gain nothing.
    pub without_gain: u64,
    /// To compress a record.
    pub compress: Cost,
    /// To expand one.
    pub expand: Cost,
}

/// What a record takes, in nanoseconds: the mean of all, and what that is made of. The study of 2001 gives such
/// constants for its machine; these are measured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Of a record like those tried.
    pub mean: f64,
    /// Of each record, however long.
    pub record: f64,
    /// Of each byte behind the key.
    pub byte: f64,
}

impl Cost {
    /// From the times of `long` and of `short` bytes behind the key.
    fn of(long: (f64, f64), short: (f64, f64)) -> Cost {
        let byte = ((long.0 - short.0) / (long.1 - short.1).max(1.0)).max(0.0);
        Cost {
            mean: long.0,
            record: (long.0 - byte * long.1).max(0.0),
            byte,
        }
    }
}

/// The part of the space that it must save to pay.
const LEAST_SAVED: f64 = 0.1;
/// Each record is compressed and expanded so often; the fastest time counts.
const ROUNDS: usize = 3;

impl Prediction {
    /// Part of the bytes that is saved; below 0: it takes more.
    pub fn saved(&self) -> f64 {
        1.0 - self.stored as f64 / (self.plain as f64).max(1.0)
    }

    /// Plain bytes over stored ones: the compression factor.
    pub fn factor(&self) -> f64 {
        self.plain as f64 / (self.stored as f64).max(1.0)
    }

    /// Does it save a tenth of the space?
    pub fn pays(&self) -> bool {
        self.saved() >= LEAST_SAVED
    }

    /// How much more CPU time a program takes of whose requests for these records `reads` (0 to 1) are reads, and that
    /// takes `between` nanoseconds from one such request to the next: the formula of the study of 2001, in which the
    /// latter is the relative intensity.
    pub fn increase(&self, reads: f64, between: f64) -> f64 {
        (reads * self.expand.mean + (1.0 - reads) * self.compress.mean) / between.max(f64::MIN_POSITIVE)
    }
}

/// Compresses and expands `records`, the first `clear` bytes of each in clear, with the dictionary that a load of them
/// comes to; `clock` tells nanoseconds.
///
/// # Errors
/// A record does not come back as it was.
pub fn predict<'r>(
    records: impl Iterator<Item = &'r [u8]> + Clone,
    clear: usize,
    clock: &mut dyn FnMut() -> u64,
) -> Result<Prediction, Damaged> {
    let mut sampler = Sampler::new();
    for record in records.clone() {
        if sampler.take(record.get(clear..).unwrap_or_default()) {
            break;
        }
    }
    let dictionary = sampler.train(0);
    let mut found = Prediction::default();
    let mut out = Vec::new();
    for record in records.clone() {
        let form = store(record, clear, dictionary.as_ref().map(|d| (1, d)), &mut out);
        found.records += 1;
        found.plain += record.len() as u64;
        found.stored += out.len() as u64;
        match form {
            Form::Compressed(_) => {}
            Form::Plain if record.len().saturating_sub(clear) <= LEAST => found.short += 1,
            Form::Plain => found.without_gain += 1,
        }
    }
    let long = times(records.clone(), clear, dictionary.as_ref(), clock)?;
    // The same with half of what is behind the keys.
    let half = |record: &'r [u8]| &record[..clear.min(record.len()) + record.len().saturating_sub(clear) / 2];
    let short = times(records.map(half), clear, dictionary.as_ref(), clock)?;
    found.compress = Cost::of((long.compress, long.bytes), (short.compress, short.bytes));
    found.expand = Cost::of((long.expand, long.bytes), (short.expand, short.bytes));
    Ok(found)
}

/// Means of a record.
struct Times {
    bytes: f64,
    compress: f64,
    expand: f64,
}

/// Compresses and expands all of them, and takes the time.
fn times<'r>(
    records: impl Iterator<Item = &'r [u8]> + Clone,
    clear: usize,
    dictionary: Option<&Dictionary>,
    clock: &mut dyn FnMut() -> u64,
) -> Result<Times, Damaged> {
    let (mut kept, mut ends, mut out, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for record in records.clone() {
        store(record, clear, dictionary.map(|d| (1, d)), &mut out);
        kept.extend_from_slice(&out);
        ends.push(kept.len());
        bytes += record.len().saturating_sub(clear);
    }
    let (mut best, mut whole) = ((u64::MAX, u64::MAX), true);
    for _ in 0..ROUNDS {
        let begin = clock();
        for record in records.clone() {
            store(record, clear, dictionary.map(|d| (1, d)), &mut out);
        }
        let middle = clock();
        let mut from = 0;
        for (record, end) in records.clone().zip(&ends) {
            let clear = clear.min(record.len());
            expand(&kept[from..*end], clear, |_| dictionary, record.len(), &mut out)?;
            whole &= out == record;
            from = *end;
        }
        let took = (middle.saturating_sub(begin), clock().saturating_sub(middle));
        best = (best.0.min(took.0), best.1.min(took.1));
    }
    if !whole {
        return Err(Damaged::Record);
    }
    let each = |all: f64| all / (ends.len() as f64).max(1.0);
    Ok(Times {
        bytes: each(bytes as f64),
        compress: each(best.0 as f64),
        expand: each(best.1 as f64),
    })
}
