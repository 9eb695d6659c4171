//! What compression would give for some records, and what it would cost: told by compressing and expanding them.
//!
//! What a request costs beside that is measured elsewhere and comes in ([`Constants`]). The increase of CPU time is that
//! of the 2001 study's formula: the shares of reads and writes, each times what it costs more, over what passes between
//! two of them without compression.

use crate::dictionary::Damaged;
use crate::sampler::Sampler;
use crate::stored::{expand, store, Form, LEAST, OVERHEAD};

/// CPU time of a request for a plain record, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    /// A record loaded.
    pub load: f64,
    /// A record read in order.
    pub next: f64,
    /// A record read by its key.
    pub get: f64,
    /// A record updated, its read with it.
    pub update: f64,
}

/// CPU time of one kind of request, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// For a plain record.
    pub plain: f64,
    /// For a compressed one, as far as compressing and expanding make the difference.
    pub compressed: f64,
}

impl Cost {
    fn and(plain: f64, more: f64) -> Cost {
        Cost {
            plain,
            compressed: plain + more,
        }
    }

    /// Compressed over plain.
    pub fn ratio(&self) -> f64 {
        self.compressed / self.plain.max(f64::MIN_POSITIVE)
    }
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Records looked at.
    pub records: u64,
    /// Their bytes.
    pub plain: u64,
    /// Their bytes as they would be stored, forms and dictionary included.
    pub stored: u64,
    /// Records that stay plain because they have 40 bytes or less behind their key.
    pub short: u64,
    /// Records that stay plain because they would gain nothing.
    pub without_gain: u64,
    /// Nanoseconds to compress a record, and to expand it.
    pub compress: f64,
    /// See `compress`.
    pub expand: f64,
    /// A record loaded.
    pub load: Cost,
    /// A record read in order.
    pub next: Cost,
    /// A record read by its key.
    pub get: Cost,
    /// A record updated.
    pub update: Cost,
}

impl Prediction {
    /// Part of the bytes that is saved; below 0: it takes more.
    pub fn saved(&self) -> f64 {
        1.0 - self.stored as f64 / (self.plain as f64).max(1.0)
    }

    /// Plain bytes over stored ones: the compression factor.
    pub fn factor(&self) -> f64 {
        self.plain as f64 / (self.stored as f64).max(1.0)
    }

    /// It pays where it saves a tenth of the space.
    pub fn pays(&self) -> bool {
        self.saved() >= LEAST_SAVED
    }

    /// How much more CPU time a program takes of whose requests for these records `reads` (0 to 1) are reads, and that
    /// takes `between` nanoseconds from one such request to the next.
    pub fn increase(&self, reads: f64, between: f64) -> f64 {
        (reads * self.expand + (1.0 - reads) * self.compress) / between.max(f64::MIN_POSITIVE)
    }
}

/// The part of the space that it must save to pay.
const LEAST_SAVED: f64 = 0.1;

/// Compresses and expands `records`, the first `clear` bytes of each in clear, with the dictionary that a load of them
/// would make; `clock` is CPU time in nanoseconds.
///
/// # Errors
/// A record does not come back as it was.
pub fn predict<'r>(
    records: impl Iterator<Item = &'r [u8]> + Clone,
    clear: usize,
    constants: Constants,
    clock: &mut dyn FnMut() -> u64,
) -> Result<Prediction, Damaged> {
    let mut sampler = Sampler::new();
    // As a load does: what comes first.
    let _ = records
        .clone()
        .any(|record| sampler.take(record.get(clear..).unwrap_or_default()));
    let dictionary = sampler.train(0);
    let mut found = Prediction {
        records: 0,
        plain: 0,
        stored: dictionary.as_ref().map_or(0, |d| d.to_bytes().len() as u64),
        short: 0,
        without_gain: 0,
        compress: 0.0,
        expand: 0.0,
        load: Cost::and(constants.load, 0.0),
        next: Cost::and(constants.next, 0.0),
        get: Cost::and(constants.get, 0.0),
        update: Cost::and(constants.update, 0.0),
    };
    let (mut kept, mut ends, mut stored) = (Vec::new(), Vec::new(), Vec::new());
    let begin = clock();
    for record in records.clone() {
        let form = store(record, clear, dictionary.as_ref().map(|d| (1, d)), &mut stored);
        found.records += 1;
        found.plain += record.len() as u64;
        found.stored += stored.len() as u64;
        match form {
            Form::Compressed(_) => {}
            Form::Plain if record.len().saturating_sub(clear) <= LEAST => found.short += 1,
            Form::Plain => found.without_gain += 1,
        }
        kept.extend_from_slice(&stored);
        ends.push(kept.len());
    }
    let compressed = clock();
    let (mut from, mut back, mut whole) = (0, Vec::new(), true);
    for (record, end) in records.zip(ends) {
        expand(
            &kept[from..end],
            clear.min(record.len()),
            |_| dictionary.as_ref(),
            record.len(),
            &mut back,
        )?;
        whole &= back == record;
        from = end;
    }
    let expanded = clock();
    if !whole {
        return Err(Damaged::Record);
    }
    let each = |from: u64, to: u64| to.saturating_sub(from) as f64 / (found.records as f64).max(1.0);
    (found.compress, found.expand) = (each(begin, compressed), each(compressed, expanded));
    found.load = Cost::and(constants.load, found.compress);
    found.next = Cost::and(constants.next, found.expand);
    found.get = Cost::and(constants.get, found.expand);
    found.update = Cost::and(constants.update, found.expand + found.compress);
    debug_assert!(
        found.stored >= found.records * OVERHEAD as u64,
        "each record has its form"
    );
    Ok(found)
}
