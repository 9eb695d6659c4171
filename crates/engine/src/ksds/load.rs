//! Loading an empty data set from records in key order: CIs and CAs are built outside the pool, filled as FREESPACE
//! says, and written whole, neighbours together. Nothing is logged: a CA counts once a commit has its header.
//!
//! * B1. Between two records the tree is whole: it has every CA written so far, and the last separator of each
//!   level is empty.
//! * B2. Whether a data set is loading changes only while the gate is kept exclusively, and is asked with the gate
//!   kept: a second loader would plant a second tree over the first. (A record may join a CI being filled without it,
//!   see B4.)
//! * B3. CAs are taken in ascending order, so that RBAs ascend with the keys.

use super::loader::{sequence_set_record, Finished, InInterval, Loader};
use super::{separator, Ksds};
use crate::buffers::OwnBuffers;
use crate::error::RequestError;
use crate::pool::Entry;
use crate::store::Written;
use crate::sync::atomic::Ordering::Relaxed;
use cica_counters::DataSetCount;
use cica_format::ci;
use cica_format::index::IndexRecord;
use std::cmp::Ordering;

impl Ksds {
    /// Adds a record to the CI that a load is filling, if the CI has begun and the record belongs there (B4). False,
    /// and nothing is done: [`load`](Self::load) looks closer. `user`: bytes that its user has, if the caller knows.
    #[inline]
    pub fn join_load(&self, record: &[u8], user: Option<usize>) -> bool {
        let mut loader = self.loader.lock();
        let Some(loader) = loader.as_mut() else { return false };
        let joined = loader.join(record);
        if joined {
            self.note_change();
            self.count_loaded(loader, record, user);
        }
        joined
    }

    /// Counts what a record takes with those of its CI; what cannot be measured nobody knows.
    #[inline]
    fn count_loaded(&self, loader: &mut Loader, record: &[u8], user: Option<usize>) {
        if let Some(compressed) = &self.compressed {
            let sizes = match user {
                Some(len) => Some(compressed.sizes_of(len, record)),
                None => compressed.measure(record),
            };
            match sizes {
                Some(sizes) => loader.add_sizes(sizes),
                None => compressed.sizes.come(None),
            }
        }
    }

    /// Adds the next record of a load; its length has been checked. True if a CA is full, and so written by the next
    /// commit if not now; `None`, and nothing is done: the load has ended.
    pub fn load(&self, record: &[u8], user: Option<usize>) -> Result<Option<bool>, RequestError> {
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
        match key.cmp(loader.last_key()) {
            Ordering::Greater => {}
            Ordering::Equal => return Err(RequestError::Duplicate { key: key.to_vec() }),
            Ordering::Less => return Err(RequestError::Sequence { key: key.to_vec() }),
        }
        self.note_change();
        self.load_record(loader, record, user).map(Some).map_err(cut_short)
    }

    fn load_record(&self, loader: &mut Loader, record: &[u8], user: Option<usize>) -> Result<bool, RequestError> {
        let key = self.key_of(record);
        if record.len() > self.longest_unspanned() {
            return self.load_spanned(loader, record, user);
        }
        let ends_ci = !loader.starts_ci() && loader.room_for(record.len()).is_none();
        let full = ends_ci && loader.entries.len() + 1 >= loader.cis_per_ca;
        let between = ends_ci.then(|| separator(loader.last_key(), key));
        let begins_ci = ends_ci || loader.starts_ci();
        let sure = if begins_ci && !full {
            self.has_room_behind(loader, between.iter().cloned(), usize::from(ends_ci))
        } else {
            Some(loader.sure)
        };
        let ends_ca = full || sure.is_none();
        self.reserve(loader, ends_ca)?;
        if let Some(between) = between {
            loader.end_ci(between);
        }
        match sure.filter(|_| !ends_ca) {
            Some(sure) => loader.sure = sure,
            None => self.end_ca(loader)?,
        }
        let room = loader.room_for(record.len()).ok_or(RequestError::Length {
            given: record.len(),
            least: self.shape.rkp + self.shape.key_len,
            most: self.longest_unspanned(),
        })?;
        loader.put(record, room);
        self.count_loaded(loader, record, user);
        Ok(ends_ca)
    }

    /// A spanned record: segments in CIs of their own, all in one CA.
    fn load_spanned(&self, loader: &mut Loader, record: &[u8], user: Option<usize>) -> Result<bool, RequestError> {
        let key = self.key_of(record);
        let layout = &self.data.layout;
        let pieces: Vec<&[u8]> = record.chunks(ci::max_segment(layout.ci_size)).collect();
        let limit = if pieces.len() > loader.cis_per_ca {
            layout.ci_per_ca
        } else {
            loader.cis_per_ca
        };
        // What waits because it could not be written: this record shall not wait behind it.
        self.write_if_many(loader)?;
        let between = (!loader.starts_ci()).then(|| separator(loader.last_key(), key));
        let before = loader.entries.len() + usize::from(between.is_some());
        let sure = if before + pieces.len() <= limit {
            let coming = between.iter().cloned().chain(pieces.iter().map(|_| key.to_vec()));
            self.has_room_behind(loader, coming, before - loader.entries.len() + pieces.len())
        } else {
            None
        };
        let mut full = before > 0 && sure.is_none();
        self.reserve(loader, full)?;
        match between {
            Some(between) => loader.end_ci(between),
            None => self.bound_last(loader, key),
        }
        if full {
            self.finish_ca(loader);
        } else {
            loader.sure = sure.unwrap_or(loader.sure);
        }
        self.count_loaded(loader, record, user);
        for (i, piece) in pieces.iter().enumerate() {
            let segment = match i {
                0 => ci::Segment::First,
                i if i + 1 == pieces.len() => ci::Segment::Last,
                _ => ci::Segment::Middle,
            };
            loader.add_segment(key, piece, segment);
        }
        if loader.entries.len() >= loader.cis_per_ca {
            self.finish_full(loader);
            full = true;
        }
        match self.write_if_many(loader) {
            // The record has come. What waits is written before the next one, or by the commit.
            Err(RequestError::NoSpace { .. }) => self.check_fence()?,
            written => written?,
        }
        Ok(full)
    }

    /// How many entries, whatever their separators are, the CA being built surely has room for when `more`, with the
    /// separators `coming`, have come (B5). `None`: not for these, or for no other behind them.
    fn has_room_behind(
        &self,
        loader: &mut Loader,
        coming: impl Iterator<Item = Vec<u8>>,
        more: usize,
    ) -> Option<usize> {
        let entries = loader.entries.len();
        if entries + more < loader.sure {
            return Some(loader.sure);
        }
        let entry = |separator| Entry { separator, pointer: 0 };
        let mut record = sequence_set_record(std::mem::take(&mut loader.entries));
        record.entries.extend(coming.map(entry));
        let behind = match self.room_for_more(&record) {
            0 => {
                record.entries.push(entry(Vec::new()));
                usize::from(self.node_fits(&record))
            }
            behind => behind,
        };
        record.entries.truncate(entries);
        loader.entries = record.entries;
        (behind > 0).then_some(entries + more + behind)
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
        // One that has its CA is still to be named.
        self.reserve_nodes(1 + ends_ca as u32 + loader.finished.len() as u32)?;
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
        let last = loader.last_key().to_vec();
        if last.is_empty() {
            return;
        }
        for entry in loader.entries.iter_mut().filter(|e| e.separator == last) {
            entry.separator = separator(&last, next);
        }
    }

    /// The CA is full. CIs that its sequence-set record has no room for stay for the next CA.
    fn end_ca(&self, loader: &mut Loader) -> Result<(), RequestError> {
        self.finish_full(loader);
        self.write_if_many(loader)
    }

    fn finish_full(&self, loader: &mut Loader) {
        while !loader.entries.is_empty() {
            self.finish_ca(loader);
            if loader.entries.len() < loader.cis_per_ca {
                break;
            }
        }
    }

    /// Takes as many of the finished CIs for a CA as its sequence-set record has room for.
    fn finish_ca(&self, loader: &mut Loader) {
        loader.sure = loader.always;
        let mut record = sequence_set_record(std::mem::take(&mut loader.entries));
        let mut left = record
            .entries
            .split_off(self.data.layout.ci_per_ca.min(record.entries.len()));
        while record.entries.len() > 1 && (!self.node_fits(&record) || cuts(&record.entries, &left)) {
            left.splice(..0, record.entries.pop());
        }
        left.reserve(self.data.layout.ci_per_ca);
        let mut records = InInterval::default();
        for of in loader.counts.drain(..record.entries.len()) {
            records.records += of.records;
            records.sizes = records.sizes.and(of.sizes);
        }
        for (i, entry) in left.iter_mut().enumerate() {
            entry.pointer = i as u32;
        }
        loader.entries = left;
        let images = loader.take_images(record.entries.len());
        loader.finished.push(Finished {
            record,
            records,
            has_ca: false,
            images,
        });
    }

    fn write_if_many(&self, loader: &mut Loader) -> Result<(), RequestError> {
        if loader.finished.len() >= loader.most_finished {
            self.write_finished(loader, !loader.by_pieces)
                .inspect_err(|error| self.fence_unless_full(error))
        } else {
            Ok(())
        }
    }

    /// Before a commit: the CAs that are full are written. The caller keeps the gate exclusively.
    pub fn write_full(&self) -> Result<(), RequestError> {
        match &mut *self.loader.lock() {
            Some(loader) => self.write_finished(loader, true),
            None => Ok(()),
        }
    }

    /// Writes the CAs that wait for it, and puts them into the index (B1): `all`, or as far as whole pieces of the file go.
    fn write_finished(&self, loader: &mut Loader, all: bool) -> Result<(), RequestError> {
        if loader.finished.is_empty() {
            return Ok(());
        }
        for finished in loader.finished.iter_mut().filter(|finished| !finished.has_ca) {
            // What fails here has changed nothing: who asks again goes on with what is left.
            (finished.record.ca, _) = self.data.allocate_ca()?;
            finished.has_ca = true;
            loader.reserved = loader.reserved.saturating_sub(1);
        }
        self.or_fence(|| self.enter_finished(loader, all))
    }

    /// Writes the images of the CAs, takes those from the loader that are written whole, and puts them behind the last
    /// one. Cut short it leaves records that are nowhere.
    fn enter_finished(&self, loader: &mut Loader, all: bool) -> Result<(), RequestError> {
        let mut cas = Vec::with_capacity(loader.finished.len());
        for finished in &loader.finished {
            let images = &finished.images[..finished.record.entries.len() * loader.ci_size];
            cas.push((finished.record.ca, images));
        }
        let written = match &mut loader.own {
            None => self.data.write_loaded(&cas, loader.begun, all)?,
            Some(own) => {
                let cas = cas.iter();
                let whole = cas.clone().count();
                let recovery = !self.attributes.speed;
                cas.copied()
                    .try_for_each(|(ca, images)| own.load_ca(ca, images, recovery))?;
                Written { cas: whole, begun: 0 }
            }
        };
        loader.begun = written.begun;
        let waiting = loader.finished.split_off(written.cas);
        for mut finished in std::mem::replace(&mut loader.finished, waiting) {
            loader.give_back(std::mem::take(&mut finished.images));
            self.enter_loaded(loader, finished)?;
        }
        Ok(())
    }

    /// Puts a CA that was written into the index, behind the last one.
    fn enter_loaded(&self, loader: &mut Loader, finished: Finished) -> Result<(), RequestError> {
        // Counted with the CA, so that a commit counts what it commits.
        self.counters.add(DataSetCount::Records, finished.records.records);
        if let Some(compressed) = &self.compressed {
            compressed.sizes.come(Some(finished.records.sizes));
        }
        let mut record = finished.record;
        let last = record.entries.last_mut().map(|e| std::mem::take(&mut e.separator));
        let last = last.unwrap_or_default();
        // Segments of a spanned record have equal separators, at the end of the data set too.
        record
            .entries
            .iter_mut()
            .filter(|e| e.separator == last)
            .for_each(|e| e.separator.clear());
        let node = self.new_node(&record)?;
        if let Some(own) = &mut loader.own {
            own.index_written(node)?;
        }
        match loader.last_node.replace((node, record, last)) {
            None => self.set_top(node, 1),
            Some((before, record, between)) => {
                if let Some(own) = &mut loader.own {
                    // Each of them is changed next; what was written before may have taken its buffer.
                    self.route(&[], |ci, is_set| {
                        if !is_set {
                            own.index_record(ci, false);
                        }
                    })?;
                    own.index_record(before, true);
                }
                self.follow(before, record, between, node)?;
            }
        }
        loader.own.as_mut().map_or(Ok(()), OwnBuffers::index_changed)
    }

    /// The record `before` is no longer the last: `node` follows it.
    fn follow(&self, before: u32, mut record: IndexRecord, between: Vec<u8>, node: u32) -> Result<(), RequestError> {
        let (path, _) = self.path_above(&vec![0xFF; self.shape.key_len])?;
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
            .map(|l| l.last_key().to_vec())
            .filter(|key| !key.is_empty())
    }

    /// Gives a data set into which nothing was loaded an index over one empty CI, so that records come in any order.
    pub fn plant(&self) -> Result<(), RequestError> {
        if self.top().1 > 0 {
            return Ok(());
        }
        self.reserve_nodes(1)?;
        let (ca, _) = self.data.allocate_ca()?;
        self.or_fence(|| {
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
        if !loader.starts_ci() {
            loader.end_ci(loader.last_key().to_vec());
        }
        while !loader.entries.is_empty() {
            self.finish_ca(loader);
        }
        self.write_finished(loader, true)
            .inspect_err(|error| self.fence_unless_full(error))
            .map_err(cut_short)?;
        // Not before: who asks again after a lack of space goes on with what is left.
        *guard = None;
        Ok(())
    }
}

/// Do the entries left for the next CA begin inside a spanned record?
fn cuts(entries: &[Entry], left: &[Entry]) -> bool {
    let (last, first) = (entries.last(), left.first());
    last.is_some_and(|last| first.is_some_and(|first| first.separator == last.separator))
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
