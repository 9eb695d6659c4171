//! Records of a compressed data set, from their users to the organization and back: that, the pool, the log and the
//! volume have them as they are stored (docs/design/0032). Whoever hands a record to the organization has stored it
//! here; whoever hands one to a user has expanded it here.
//!
//! * Q1. A dictionary is durable before the first record that needs it is made, so before any page or log has one.
//! * Q2. A dictionary is never written over: its place is used once. The next one goes behind all of which the root,
//!   this open, a record or the file knows, so a read that lies of the file does not make a place free.
//! * Q3. Learning goes in steps: the first dictionary is made early, another from four times as many bytes, and so on
//!   up to the most that help. So few records stay plain, and a data set that begins with few records learns later.
//!   Who has the records before they come, as a reorganization has, lets it learn from them first: none stays plain.
//! * Q4. A record of which the dictionary is damaged is refused by name. All others are read as ever.
//! * Q5. What is copied as it is stored is copied into an empty data set that has taken over the newest dictionary of
//!   the other, under the same number. Records that name another one, or none, are stored anew.
//! * Q6. What all records take is known exactly, as their users have them and as they are stored: each change counts
//!   what goes and what comes where it counts records, with the gate kept, so a root has the sizes of its tree. Where
//!   they are not known (an earlier version wrote the root, or a dictionary is damaged) nothing is told until a RESET.
//! * Q7. The root names the dictionaries that its records may need, each by its checksum. What stands in the place of
//!   one and is another is none: with it a record would expand to what nobody ever stored. One that nobody has named
//!   yet is looked at twice: a read that goes astray may bring another's, and records would need one that is nowhere.

use crate::error::{show_key, OpenError, RequestError};
use crate::pool::Held;
use crate::sizes::SizesKept;
use crate::store::Component;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU8, Ordering::*};
use crate::sync::Mutex;
use cica_compress::{
    expand, expanded_len, form, store, Dictionary, Form, Sampler, GENERATIONS, OVERHEAD, SAMPLE_BYTES,
};
use cica_disk::Clock;
use cica_format::checksum::crc32c;
use cica_format::root::{RecordSizes, Root, MAX_DICTIONARIES};
use std::sync::{Arc, OnceLock};

/// So many bytes of records are enough to train the first dictionary from, and those of one control area are too.
const ENOUGH: usize = 8 << 10;
/// This part of it is enough when no more will come in this open.
const AT_LAST: usize = 4;
/// The next dictionary is trained from so many times as many.
const STEP: usize = 4;

/// A dictionary, and the charge for it.
struct KnownDictionary {
    dictionary: Dictionary,
    /// Kept, not read.
    _held: Held,
}

/// See the module.
pub struct Compressed {
    data: Arc<Component>,
    clock: Arc<dyn Clock>,
    /// Bytes of a record up to the end of its key, which stay in clear.
    clear: usize,
    /// Bytes of the longest record.
    longest: usize,
    /// Of these the record number of a VRRDS, which is none of the user's.
    number: usize,
    /// What the records take (Q6).
    pub sizes: SizesKept,
    /// Bytes of records that the first dictionary takes.
    enough: usize,
    known: [OnceLock<KnownDictionary>; GENERATIONS + 1],
    /// The dictionary that records are compressed with; 0: none yet.
    newest: AtomicU8,
    /// Checksums of the dictionaries, by number (Q7); 0: nobody has named it.
    named: [AtomicU32; MAX_DICTIONARIES + 1],
    /// The highest number that the root knows, or a record has which came in this open, from the log too.
    seen: AtomicU8,
    /// More records are put aside.
    learns: AtomicBool,
    /// Charge for what is looked up to compress.
    compresses: OnceLock<Held>,
    /// Records put aside for the next dictionary.
    sampling: Mutex<Sampling>,
}

#[derive(Default)]
struct Sampling {
    sampler: Sampler,
    held: Option<Held>,
}

impl Compressed {
    /// Reads the dictionaries that there are.
    ///
    /// # Errors
    /// The file cannot be read, or the pool has no room for them.
    pub fn open(
        data: &Arc<Component>,
        clock: Arc<dyn Clock>,
        (clear, longest, number): (usize, usize, usize),
        root: &Root,
    ) -> Result<Compressed, OpenError> {
        let compressed = Compressed {
            data: data.clone(),
            clock,
            clear,
            longest,
            number,
            sizes: SizesKept::new(root.record_sizes()),
            enough: ENOUGH.min(data.layout.ci_size * data.layout.ci_per_ca),
            known: Default::default(),
            newest: AtomicU8::new(0),
            named: std::array::from_fn(|n| AtomicU32::new(n.checked_sub(1).map_or(0, |n| root.dictionaries[n]))),
            seen: AtomicU8::new(root.last_dictionary),
            learns: AtomicBool::new(true),
            compresses: OnceLock::new(),
            sampling: Mutex::default(),
        };
        for generation in 1..=GENERATIONS as u8 {
            let bytes = data.read_dictionary(generation).map_err(|error| OpenError::Io {
                path: data.path.clone(),
                doing: "read of a dictionary",
                error,
            })?;
            // What is damaged is told by the request that needs it (Q4).
            if let Some(dictionary) = compressed.found(generation, &bytes) {
                let held = data.pool().hold(Dictionary::MEMORY).map_err(|_| OpenError::Memory {
                    path: data.path.clone(),
                    what: format!(
                        "the buffer pool of {} bytes has no room for its dictionaries; raise CICA_POOL",
                        data.pool().limit()
                    ),
                })?;
                compressed.keep(generation, dictionary, held);
                compressed.newest.store(generation, Relaxed);
            }
        }
        let learns = compressed.next_sample(compressed.enough).is_some();
        compressed.learns.store(learns, Relaxed);
        Ok(compressed)
    }

    /// What stands in the place of a dictionary.
    fn place(&self, generation: u8) -> Result<Vec<u8>, RequestError> {
        self.data
            .read_dictionary(generation)
            .map_err(|e| RequestError::Physical {
                reason: 4,
                what: format!("{}: dictionary {generation} cannot be read: {e}", self.data.name),
            })
    }

    /// The dictionary with this number, if that is what stands in its place (Q7).
    fn found(&self, generation: u8, bytes: &[u8]) -> Option<Dictionary> {
        let dictionary = Dictionary::from_bytes(bytes).ok()?;
        let named = self.name_of(generation);
        if named == 0 && !self.place(generation).is_ok_and(|again| again == bytes) {
            return None;
        }
        (named == 0 || named == checksum(&dictionary)).then_some(dictionary)
    }

    /// The checksums of the dictionaries that records may need, as the root has them (Q7).
    pub fn named(&self) -> [u32; MAX_DICTIONARIES] {
        std::array::from_fn(|n| self.named[n + 1].load(Relaxed))
    }

    /// Dictionaries up to this number have been made, as far as this open knows.
    pub fn last(&self) -> u8 {
        let named = self.named.iter().rposition(|checksum| checksum.load(Relaxed) != 0);
        self.seen.load(Relaxed).max(named.unwrap_or(0) as u8)
    }

    fn keep(&self, generation: u8, dictionary: Dictionary, held: Held) {
        self.named[usize::from(generation) % self.named.len()].store(checksum(&dictionary), Relaxed);
        let known = KnownDictionary {
            dictionary,
            _held: held,
        };
        // Whoever was first has the same.
        self.known[usize::from(generation) % self.known.len()].get_or_init(|| known);
    }

    fn dictionary(&self, generation: u8) -> Option<&Dictionary> {
        let known = self.known.get(usize::from(generation))?.get()?;
        Some(&known.dictionary)
    }

    /// Brings a record into the form in which it is stored; `out` is written anew. The caller holds no latch: this
    /// may make a dictionary.
    ///
    /// # Errors
    /// A dictionary was made and cannot be written.
    pub fn store(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), RequestError> {
        if self.learns.load(Relaxed) {
            self.sample(record.get(self.clear..).unwrap_or_default())?;
        }
        let newest = self.newest.load(Acquire);
        let dictionary = self.dictionary(newest).filter(|_| self.may_compress());
        store(
            record,
            self.clear,
            dictionary.map(|dictionary| (newest, dictionary)),
            out,
        );
        Ok(())
    }

    /// Is there memory for what is looked up? Records stay plain while there is none.
    #[inline]
    fn may_compress(&self) -> bool {
        self.compresses.get().is_some() || self.charge_compressing()
    }

    #[cold]
    fn charge_compressing(&self) -> bool {
        if let Ok(held) = self.data.pool().hold(Dictionary::MEMORY_TO_COMPRESS) {
            self.compresses.get_or_init(|| held);
        }
        self.compresses.get().is_some()
    }

    /// Puts a record aside, and trains from those there are when they are enough.
    #[cold]
    fn sample(&self, rest: &[u8]) -> Result<(), RequestError> {
        let mut sampling = self.sampling.lock();
        if !self.learns.load(Relaxed) {
            return Ok(());
        }
        if sampling.held.is_none() {
            let Ok(held) = self.data.pool().hold(2 * SAMPLE_BYTES) else {
                // Without memory to learn in the records stay plain.
                return Ok(());
            };
            sampling.held = Some(held);
        }
        sampling.sampler.take(rest);
        match self.next_sample(self.enough) {
            Some(enough) if sampling.sampler.len() >= enough => self.train(&mut sampling),
            _ => Ok(()),
        }
    }

    /// The bytes that the next dictionary is trained from, of which the first takes `first`; `None`: there will be none.
    fn next_sample(&self, first: usize) -> Option<usize> {
        let newest = self.dictionary(self.newest.load(Acquire));
        let sampled = newest.map_or(0, |newest| newest.sampled() as usize);
        (sampled < SAMPLE_BYTES).then(|| first.max(STEP * sampled).min(SAMPLE_BYTES))
    }

    /// No more records will come in this open: what was put aside is enough if it is not very little.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub fn end_sampling(&self) -> Result<(), RequestError> {
        let mut sampling = self.sampling.lock();
        match self.next_sample(self.enough / AT_LAST) {
            Some(enough) if self.learns.load(Relaxed) && sampling.sampler.len() >= enough => self.train(&mut sampling),
            _ => Ok(()),
        }
    }

    /// Records that are about to come are looked at before the first of them is stored, so that a dictionary is made
    /// which all of them have (Q3). `rests` is what is behind the key of each. There must be no dictionary yet.
    ///
    /// # Errors
    /// As [`store`](Self::store); what `rests` ends with.
    pub fn learn_ahead(
        &self,
        rests: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool) -> Result<(), RequestError>,
    ) -> Result<(), RequestError> {
        let Ok(_held) = self.data.pool().hold(SAMPLE_BYTES) else {
            // As without: it learns when the records come.
            return Ok(());
        };
        let mut ahead = Sampling::default();
        rests(&mut |rest| ahead.sampler.take(rest))?;
        let _alone = self.sampling.lock();
        let untaught = self.learns.load(Relaxed) && self.newest.load(Acquire) == 0;
        if untaught && ahead.sampler.len() >= self.enough / AT_LAST {
            self.train(&mut ahead)?;
        }
        Ok(())
    }

    /// Bytes of the record that the user has up to the end of its key.
    pub fn clear_of_user(&self) -> usize {
        self.clear.saturating_sub(self.number)
    }

    /// Takes over the newest dictionary of another data set, if this one has none and that one is as good as any: then
    /// a record is stored here as it is there. False: it does not, and nothing is done.
    ///
    /// # Errors
    /// As [`store`](Self::store).
    pub fn adopt(&self, other: &Compressed) -> Result<bool, RequestError> {
        let generation = other.newest.load(Acquire);
        let same_layout = self.clear == other.clear && self.longest >= other.longest;
        let mut sampling = self.sampling.lock();
        let best = other
            .dictionary(generation)
            .filter(|best| best.sampled() as usize >= SAMPLE_BYTES);
        let (Some(best), true, Some(1)) = (best, same_layout, self.next_place()?) else {
            return Ok(false);
        };
        let (bytes, held) = (best.to_bytes(), self.data.pool().hold(Dictionary::MEMORY));
        let (Ok(same), Ok(held)) = (Dictionary::from_bytes(&bytes), held) else {
            return Ok(false);
        };
        // Under the number that its records name (Q1).
        self.data.write_dictionary(generation, &bytes)?;
        self.keep(generation, same, held);
        self.newest.store(generation, Release);
        self.learns.store(false, Relaxed);
        *sampling = Sampling::default();
        Ok(true)
    }

    /// The bytes of the dictionary of this number, if there is one that can be used.
    pub fn dictionary_bytes(&self, generation: u8) -> Option<Vec<u8>> {
        self.dictionary(generation).map(Dictionary::to_bytes)
    }

    /// Takes a dictionary over under its number, durably, for records that are about to be brought here as they were
    /// stored elsewhere (Q1). One that is here already stays (Q2).
    ///
    /// # Errors
    /// It is none, or another stands in its place; it cannot be written; the pool has no room for it.
    pub fn take_over(&self, generation: u8, bytes: &[u8]) -> Result<(), RequestError> {
        let refused = |what| RequestError::Options { what };
        let dictionary =
            Dictionary::from_bytes(bytes).map_err(|_| refused("its bytes are not those of a dictionary"))?;
        if !(1..=GENERATIONS as u8).contains(&generation) {
            return Err(refused("there is no dictionary of that number"));
        }
        match self.dictionary_bytes(generation) {
            Some(here) if here == bytes => return Ok(()),
            Some(_) => return Err(refused("another one has its number; the copy is not of this data set")),
            // One that is damaged here, or was misread, is written over by the same alone (Q2).
            None if ![0, checksum(&dictionary)].contains(&self.name_of(generation)) => {
                return Err(refused("another one had its number; the copy is not of this data set"))
            }
            None => {}
        }
        let held = self.data.pool().hold(Dictionary::MEMORY);
        let held = held.map_err(|_| self.data.pool_full())?;
        self.data.write_dictionary(generation, bytes)?;
        self.keep(generation, dictionary, held);
        self.newest.fetch_max(generation, AcqRel);
        Ok(())
    }

    #[inline]
    fn name_of(&self, generation: u8) -> u32 {
        self.named[usize::from(generation) % self.named.len()].load(Relaxed)
    }

    /// Is this how it would store the record, if it has the dictionary from where it is stored so?
    #[inline]
    pub fn would_store_so(&self, stored: &[u8]) -> bool {
        stored.get(self.clear) == Some(&self.newest.load(Relaxed))
    }

    fn train(&self, sampling: &mut Sampling) -> Result<(), RequestError> {
        let Ok(held) = self.data.pool().hold(Dictionary::MEMORY) else {
            // Without memory for it the one that there is, or none, does.
            return Ok(());
        };
        let place = self.next_place()?;
        let trained = sampling.sampler.train(self.clock.now());
        if let Some((generation, dictionary)) = place.zip(trained) {
            self.data.write_dictionary(generation, &dictionary.to_bytes())?;
            self.keep(generation, dictionary, held);
            self.newest.store(generation, Release);
        }
        if place.is_none() || self.next_sample(self.enough).is_none() {
            self.learns.store(false, Relaxed);
            *sampling = Sampling::default();
        }
        Ok(())
    }

    /// The first place behind all that anything was ever written to (Q2).
    fn next_place(&self) -> Result<Option<u8>, RequestError> {
        let mut last = self.last();
        for generation in last + 1..=GENERATIONS as u8 {
            if self.place(generation)?.iter().any(|byte| *byte != 0) {
                last = generation;
            }
        }
        Ok(Some(last + 1).filter(|next| usize::from(*next) <= GENERATIONS))
    }

    /// A record came that names this dictionary, or none.
    fn see(&self, stored: &[u8]) {
        let names = |n: &&u8| (1..=GENERATIONS as u8).contains(*n);
        if let Some(&generation) = stored.get(self.clear).filter(names) {
            if generation > self.seen.load(Relaxed) {
                self.seen.fetch_max(generation, Relaxed);
            }
        }
    }

    /// The record that is stored so; `out` is written anew.
    ///
    /// # Errors
    /// 12/4: it is damaged, or its dictionary is.
    #[inline]
    pub fn expand(&self, stored: &[u8], out: &mut Vec<u8>) -> Result<(), RequestError> {
        let expanded = expand(stored, self.clear, |n| self.dictionary(n), self.longest, out);
        expanded.or_else(|_| self.expand_or_say(stored, out))
    }

    /// Another process may have made the dictionary since this open.
    #[cold]
    fn expand_or_say(&self, stored: &[u8], out: &mut Vec<u8>) -> Result<(), RequestError> {
        if let Some(&generation) = stored.get(self.clear).filter(|n| (1..=GENERATIONS as u8).contains(n)) {
            if self.dictionary(generation).is_none() {
                if let Some(dictionary) = self.found(generation, &self.place(generation)?) {
                    let held = self.data.pool().hold(Dictionary::MEMORY);
                    self.keep(generation, dictionary, held.map_err(|_| self.data.pool_full())?);
                }
            }
        }
        let expanded = expand(stored, self.clear, |n| self.dictionary(n), self.longest, out);
        expanded.map_err(|damaged| RequestError::Physical {
            reason: 4,
            what: format!(
                "{}, record {}: {damaged}; salvage the data set, or restore it from a copy",
                self.data.name,
                show_key(&stored[..self.clear.min(stored.len())])
            ),
        })
    }

    /// What a stored record takes; `None`: it is damaged, or its dictionary is.
    pub fn measure(&self, stored: &[u8]) -> Option<RecordSizes> {
        self.see(stored);
        let len = expanded_len(stored, self.clear, |n| self.dictionary(n)).ok()?;
        Some(self.sizes_of(len, stored))
    }

    /// The same of one of which the user has so many bytes, with its number.
    pub fn sizes_of(&self, len: usize, stored: &[u8]) -> RecordSizes {
        RecordSizes {
            user: len.saturating_sub(self.number) as u64,
            stored: stored.len().saturating_sub(self.number) as u64,
            plain: u64::from(form(stored, self.clear) == Ok(Form::Plain)),
        }
    }

    /// When each dictionary was made, in nanoseconds since 1970, by its number.
    pub fn dictionaries(&self) -> Vec<(u8, u64)> {
        let made = |n: u8| self.dictionary(n).map(|dictionary| (n, dictionary.made()));
        (1..=GENERATIONS as u8).filter_map(made).collect()
    }
}

/// What the longest record of a data set takes more when it is stored.
pub const MORE: usize = OVERHEAD;

/// By which the root names a dictionary.
pub fn checksum(dictionary: &Dictionary) -> u32 {
    crc32c(&dictionary.to_bytes())
}
