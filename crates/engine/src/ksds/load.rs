//! Loading an empty data set from records in key order: CIs and CAs are built outside the pool, filled as FREESPACE
//! says, and each CA is written with one I/O, neighbours together. Nothing is logged: a CA counts once a commit has its
//! header.
//!
//! * B1. Between two records the tree is whole: it has every CA written so far, and the last separator of each
//!   level is empty.
//! * B2. Whether a data set is loading changes only while the gate is kept exclusively, and is asked with the gate
//!   kept: a second loader would plant a second tree over the first.
//! * B3. CAs are taken in ascending order, so that RBAs ascend with the keys.

use super::{separator, Ksds};
use crate::error::RequestError;
use crate::pool::{Entry, Held};
use crate::sync::atomic::Ordering::Relaxed;
use cica_format::ci;
use cica_format::index::IndexRecord;

/// Bytes of CAs that are gathered to be written together: the page cache then holds the file in large pieces, which
/// costs whoever reads it next far less than small ones. Never more than this part of the pool.
const GATHERED: usize = 2 << 20;
const GATHERED_OF_POOL: usize = 32;

/// A load in progress.
#[derive(Debug)]
pub struct Loader {
    /// Images of the finished CIs: those of CAs that wait to be written, then those of the CA being built.
    images: Vec<u8>,
    /// CAs that wait to be written, and how many may.
    finished: Vec<Finished>,
    most_finished: usize,
    /// Entries of the CA being built.
    entries: Vec<Entry>,
    /// Records that start in each of them.
    counts: Vec<u64>,
    /// The CI being filled: its image and record lengths.
    image: Vec<u8>,
    used: usize,
    lens: Vec<u16>,
    rdfs: usize,
    run: usize,
    last_key: Vec<u8>,
    /// Index CI of the last written CA's sequence-set record, with what its last separator becomes when a CA follows.
    node: Option<(u32, Vec<u8>)>,
    limit: usize,
    cis_per_ca: usize,
    /// CAs on the free chain for what is not written yet, in ascending order, and the last of them.
    reserved: u32,
    last_reserved: u32,
    /// The charge for all this.
    _held: Held,
}

/// A CA whose CIs are built.
#[derive(Debug)]
struct Finished {
    /// Its sequence-set record, but for the CA's number.
    record: IndexRecord,
    /// Records that start in it.
    records: u64,
    /// The CA was taken; its number stands in the record.
    has_ca: bool,
}

impl Loader {
    fn new(ksds: &Ksds) -> Result<Loader, RequestError> {
        let layout = &ksds.data.layout;
        // The entries are copied once more when the CA's index record is made.
        let entry = 2 * (size_of::<Entry>() + ksds.shape.key_len) + size_of::<u64>();
        let room = GATHERED.min(ksds.pool.limit() / GATHERED_OF_POOL);
        let most_finished = (room / layout.region_len).max(1);
        let cis = most_finished * layout.ci_per_ca + 1;
        let bytes = cis * (layout.ci_size + entry) + layout.ci_size;
        let held = ksds.pool.hold(bytes).map_err(|_| ksds.data.pool_full())?;
        let free = layout.ci_per_ca * ksds.attributes.free_ca as usize / 100;
        Ok(Loader {
            images: Vec::with_capacity(cis * layout.ci_size),
            finished: Vec::with_capacity(most_finished),
            most_finished,
            entries: Vec::with_capacity(layout.ci_per_ca),
            counts: Vec::with_capacity(layout.ci_per_ca),
            image: vec![0; layout.ci_size],
            used: 0,
            lens: Vec::new(),
            rdfs: 0,
            run: 0,
            last_key: Vec::new(),
            node: None,
            limit: ksds.load_limit(),
            cis_per_ca: (layout.ci_per_ca - free).max(1),
            reserved: 0,
            last_reserved: 0,
            _held: held,
        })
    }

    /// RDFs and run length if a record of `len` bytes follows.
    fn next_run(&self, len: usize) -> (usize, usize) {
        let same = self.lens.last() == Some(&(len as u16));
        let run = if same { self.run + 1 } else { 1 };
        (self.rdfs + (run <= 2) as usize, run)
    }

    fn push(&mut self, record: &[u8], rdfs: usize, run: usize) {
        self.image[self.used..self.used + record.len()].copy_from_slice(record);
        self.used += record.len();
        self.lens.push(record.len() as u16);
        (self.rdfs, self.run) = (rdfs, run);
    }
}

impl Ksds {
    /// Adds the next record of a load; its length has been checked. True if a CA is full, and so written by the next
    /// commit if not now; `None`, and nothing is done: the load has ended.
    pub fn load(&self, record: &[u8]) -> Result<Option<bool>, RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        // A load ends with the gate kept exclusively, so it does not end now.
        if !self.loading.load(Relaxed) {
            return Ok(None);
        }
        let mut guard = self.loader.lock();
        if guard.is_none() {
            *guard = Some(Loader::new(self)?);
        }
        let Some(loader) = &mut *guard else { return Ok(None) };
        let key = self.key_of(record);
        match key.cmp(&loader.last_key) {
            _ if loader.last_key.is_empty() => {}
            std::cmp::Ordering::Greater => {}
            std::cmp::Ordering::Equal => return Err(RequestError::Duplicate { key: key.to_vec() }),
            std::cmp::Ordering::Less => return Err(RequestError::Sequence { key: key.to_vec() }),
        }
        self.note_change();
        let full = self.load_record(loader, key, record).map_err(cut_short)?;
        loader.last_key.clear();
        loader.last_key.extend_from_slice(key);
        Ok(Some(full))
    }

    fn load_record(&self, loader: &mut Loader, key: &[u8], record: &[u8]) -> Result<bool, RequestError> {
        if record.len() > self.longest_unspanned() {
            return self.load_spanned(loader, key, record);
        }
        let size = self.data.layout.ci_size;
        let (mut rdfs, mut run) = loader.next_run(record.len());
        let used = loader.used + record.len() + rdfs * ci::RDF_LEN + ci::CIDF_LEN;
        let mut full = false;
        // The first record of a CI goes in whatever FREESPACE says.
        let ends_ci = !loader.lens.is_empty() && used > loader.limit.min(size);
        self.reserve(loader, ends_ci && loader.entries.len() + 1 >= loader.cis_per_ca)?;
        if ends_ci {
            self.end_ci(loader, key);
            if loader.entries.len() >= loader.cis_per_ca {
                self.end_ca(loader)?;
                full = true;
            }
            (rdfs, run) = loader.next_run(record.len());
        }
        loader.push(record, rdfs, run);
        Ok(full)
    }

    /// A spanned record: segments in CIs of their own, all in one CA.
    fn load_spanned(&self, loader: &mut Loader, key: &[u8], record: &[u8]) -> Result<bool, RequestError> {
        let layout = &self.data.layout;
        let pieces: Vec<&[u8]> = record.chunks(ci::max_segment(layout.ci_size)).collect();
        let limit = if pieces.len() > loader.cis_per_ca {
            layout.ci_per_ca
        } else {
            loader.cis_per_ca
        };
        let finished = loader.entries.len() + !loader.lens.is_empty() as usize;
        self.reserve(loader, finished > 0 && finished + pieces.len() > limit)?;
        if !loader.lens.is_empty() {
            self.end_ci(loader, key);
        } else {
            self.bound_last(loader, key);
        }
        let mut full = false;
        while !loader.entries.is_empty() && loader.entries.len() + pieces.len() > limit {
            self.finish_ca(loader);
            full = true;
        }
        for (i, piece) in pieces.iter().enumerate() {
            let segment = match i {
                0 => ci::Segment::First,
                i if i + 1 == pieces.len() => ci::Segment::Last,
                _ => ci::Segment::Middle,
            };
            let mut image = vec![0; layout.ci_size];
            image[..piece.len()].copy_from_slice(piece);
            ci::render(&mut image, std::iter::once(piece.len() as u16), segment, 1);
            loader.images.extend_from_slice(&image);
            // The separator is set when the next record's key is known.
            loader.entries.push(Entry {
                separator: key.to_vec(),
                pointer: loader.entries.len() as u32,
            });
            loader.counts.push((i == 0) as u64);
        }
        if loader.entries.len() >= loader.cis_per_ca {
            self.end_ca(loader)?;
            full = true;
        }
        self.write_if_many(loader)?;
        Ok(full)
    }

    /// Before a record is accepted there is a CA for it and the index CIs to name it, so that the end of the load
    /// cannot lack
    /// them. The CA waits on the free chain, where a commit meanwhile leaves it. `ends_ca`: the record starts
    /// another CA.
    fn reserve(&self, loader: &mut Loader, ends_ca: bool) -> Result<(), RequestError> {
        let waiting = loader.finished.iter().filter(|finished| !finished.has_ca).count();
        let wanted = 1 + ends_ca as u32 + waiting as u32;
        if loader.reserved >= wanted {
            return Ok(());
        }
        self.reserve_nodes(wanted)?;
        while loader.reserved < wanted {
            let ca = self.data.append_ca()?;
            match loader.reserved {
                0 => self.data.free_ca(ca)?,
                _ => self.data.free_ca_behind(loader.last_reserved, ca)?,
            }
            loader.last_reserved = ca;
            loader.reserved += 1;
        }
        Ok(())
    }

    /// After a spanned record the segments' separator is the text between its key and the next.
    fn bound_last(&self, loader: &mut Loader, next: &[u8]) {
        let last = loader.last_key.clone();
        if last.is_empty() {
            return;
        }
        for entry in loader.entries.iter_mut().filter(|e| e.separator == last) {
            entry.separator = separator(&last, next);
        }
    }

    /// The CI is full; the next record has key `next`.
    fn end_ci(&self, loader: &mut Loader, next: &[u8]) {
        let between = separator(&loader.last_key, next);
        self.close_image(loader, between);
    }

    fn close_image(&self, loader: &mut Loader, between: Vec<u8>) {
        let lens = std::mem::take(&mut loader.lens);
        ci::render(&mut loader.image, lens.iter().copied(), ci::Segment::Whole, 0);
        loader.images.extend_from_slice(&loader.image);
        loader.entries.push(Entry {
            separator: between,
            pointer: loader.entries.len() as u32,
        });
        loader.counts.push(lens.len() as u64);
        loader.lens = lens;
        loader.lens.clear();
        (loader.used, loader.rdfs, loader.run) = (0, 0, 0);
    }

    /// The CA is full. CIs that its sequence-set record has no room for stay for the next CA.
    fn end_ca(&self, loader: &mut Loader) -> Result<(), RequestError> {
        while !loader.entries.is_empty() {
            self.finish_ca(loader);
            if loader.entries.len() < loader.cis_per_ca {
                break;
            }
        }
        self.write_if_many(loader)
    }

    /// Takes as many of the finished CIs for a CA as its sequence-set record has room for.
    fn finish_ca(&self, loader: &mut Loader) {
        let mut record = IndexRecord {
            level: 1,
            ca: 0,
            next: u32::MAX,
            entries: loader.entries.clone(),
            free: Vec::new(),
        };
        record.entries.truncate(self.data.layout.ci_per_ca);
        while !self.node_fits(&record) && record.entries.len() > 1 {
            record.entries.pop();
        }
        let cuts = |n: usize| {
            loader
                .entries
                .get(n)
                .is_some_and(|e| e.separator == loader.entries[n - 1].separator)
        };
        while record.entries.len() > 1 && cuts(record.entries.len()) {
            record.entries.pop();
        }
        let count = record.entries.len();
        loader.entries.drain(..count);
        let records = loader.counts.drain(..count).sum();
        for (i, entry) in loader.entries.iter_mut().enumerate() {
            entry.pointer = i as u32;
        }
        loader.finished.push(Finished {
            record,
            records,
            has_ca: false,
        });
    }

    fn write_if_many(&self, loader: &mut Loader) -> Result<(), RequestError> {
        match loader.finished.len() >= loader.most_finished {
            true => self
                .write_finished(loader)
                .inspect_err(|error| self.fence_unless_full(error)),
            false => Ok(()),
        }
    }

    /// Before a commit: the CAs that are full are written. The caller keeps the gate exclusively.
    pub fn write_full(&self) -> Result<(), RequestError> {
        match &mut *self.loader.lock() {
            Some(loader) => self.write_finished(loader),
            None => Ok(()),
        }
    }

    /// Writes the CAs that wait for it, and puts them into the index (B1).
    fn write_finished(&self, loader: &mut Loader) -> Result<(), RequestError> {
        if loader.finished.is_empty() {
            return Ok(());
        }
        for finished in loader.finished.iter_mut().filter(|finished| !finished.has_ca) {
            // What fails here has changed nothing: who asks again goes on with what is left.
            (finished.record.ca, _) = self.data.allocate_ca()?;
            finished.has_ca = true;
            loader.reserved = loader.reserved.saturating_sub(1);
        }
        self.from_here(|| self.enter_finished(loader))
    }

    /// Writes the images of the CAs, takes them from the loader, and puts the CAs behind the last one. Cut short it
    /// leaves records that are nowhere.
    fn enter_finished(&self, loader: &mut Loader) -> Result<(), RequestError> {
        let counted = |finished: &Finished| (finished.record.ca, finished.record.entries.len());
        let cas: Vec<(u32, usize)> = loader.finished.iter().map(counted).collect();
        self.data.write_loaded(&cas, &loader.images)?;
        let cis: usize = cas.iter().map(|ca| ca.1).sum();
        loader.images.drain(..cis * self.data.layout.ci_size);
        for finished in std::mem::take(&mut loader.finished) {
            self.enter_loaded(loader, finished)?;
        }
        Ok(())
    }

    /// Puts a CA that was written into the index.
    fn enter_loaded(
        &self,
        loader: &mut Loader,
        Finished {
            mut record, records, ..
        }: Finished,
    ) -> Result<(), RequestError> {
        // Counted with the CA, so that a commit counts what it commits.
        self.counters.records.fetch_add(records, Relaxed);
        let last = record.entries.last_mut().map(|e| std::mem::take(&mut e.separator));
        let last = last.unwrap_or_default();
        // Segments of a spanned record have equal separators, at the end of the data set too.
        record
            .entries
            .iter_mut()
            .filter(|e| e.separator == last)
            .for_each(|e| e.separator.clear());
        let node = self.new_node(&record)?;
        match loader.node.replace((node, last)) {
            None => self.set_top(node, 1),
            Some((before, between)) => self.follow(before, between, node)?,
        }
        Ok(())
    }

    /// The record `before` is no longer the last: `node` follows it.
    fn follow(&self, before: u32, between: Vec<u8>, node: u32) -> Result<(), RequestError> {
        let mut path = self.path(&vec![0xFF; self.shape.key_len])?;
        path.pop();
        let mut record = self.node(before)?;
        record.next = node;
        for entry in record.entries.iter_mut().filter(|e| e.separator.is_empty()) {
            entry.separator.clone_from(&between);
        }
        self.insert_above(path, before, between, node, true)?;
        self.set_node(before, &record)
    }

    /// Key of the last record loaded.
    pub fn loaded_to(&self) -> Option<Vec<u8>> {
        let loader = self.loader.lock();
        loader
            .as_ref()
            .map(|l| l.last_key.clone())
            .filter(|key| !key.is_empty())
    }

    /// Gives a data set into which nothing was loaded an index over one empty CI, so that records come in any order.
    pub fn plant(&self) -> Result<(), RequestError> {
        if self.top().1 > 0 {
            return Ok(());
        }
        self.reserve_nodes(1)?;
        let (ca, _) = self.data.allocate_ca()?;
        self.from_here(|| {
            let entries = vec![Entry {
                separator: Vec::new(),
                pointer: 0,
            }];
            let node = self.new_node(&IndexRecord {
                level: 1,
                ca,
                next: u32::MAX,
                entries,
                free: Vec::new(),
            })?;
            self.set_top(node, 1);
            Ok(())
        })
    }

    /// Ends a load: what is left is written. Called by close, with writers out.
    pub fn end_load(&self) -> Result<(), RequestError> {
        let mut guard = self.loader.lock();
        let Some(loader) = &mut *guard else {
            return Ok(());
        };
        if !loader.lens.is_empty() {
            let key = loader.last_key.clone();
            self.close_image(loader, key);
        }
        while !loader.entries.is_empty() {
            self.finish_ca(loader);
        }
        self.write_finished(loader)
            .inspect_err(|error| self.fence_unless_full(error))
            .map_err(cut_short)?;
        // Not before: who asks again after a lack of space goes on with what is left.
        *guard = None;
        Ok(())
    }
}

/// What becomes of a load that cannot go on: its records are not in the log. After a lack of space it is not cut short:
/// whoever loads may close, and keep what came before, or let go.
fn cut_short(error: RequestError) -> RequestError {
    match error {
        RequestError::Physical { reason, what } => RequestError::Physical {
            reason,
            what: format!("{what}; of this load at most the control areas of its last commit are kept"),
        },
        other => other,
    }
}
