//! Insert, update and erase of records that fit one CI.

use super::split::Incoming;
use super::{Ksds, Leaf, Spot};
use crate::common::context::{Context, Redo, RECOVERY};
use crate::error::RequestError;
use crate::pool::{Begun, Latched, Page, Probe, View, Width};
use cica_counters::DataSetCount;
use cica_format::ci;

/// How a record comes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Order {
    /// In a sequential or skip-sequential insert.
    pub sequential: bool,
    /// The string's last insert went to this CI and position: the record behind it comes in ascending order too.
    pub after: Option<(u32, usize)>,
}

/// Where a record went.
#[derive(Debug, Clone, Copy)]
pub struct Inserted {
    /// Its RBA.
    pub rba: u64,
    /// Its CI and position, for [`Order::after`].
    pub at: (u32, usize),
}

/// What one try came to.
pub(super) enum Tried {
    /// Its RBA and position, and whether it is the data set's last record.
    Done(u64, usize, bool),
    /// The page changed under us, or the data set was fenced (K6).
    Again,
    /// The page needs a frame of this width.
    Wider(Width),
    /// The CI is full (up to the load limit: `limited`), or the record is not one that fits a CI.
    NoRoom { pos: usize, limited: bool },
}

impl Ksds {
    /// Adds a record; its length has been checked. `None`, and nothing is done: it needs the gate exclusively.
    pub fn insert(&self, record: &[u8], order: Order, context: Context<'_>) -> Result<Option<Inserted>, RequestError> {
        let gate = context.shared(self);
        let key = self.key_of(record);
        if record.len() > self.longest_unspanned() {
            return context.exclusively(self, gate, || self.insert_spanned(record, context));
        }
        let mut begun = Begun::default();
        loop {
            self.check_fence()?;
            let Some(leaf) = self.descend(Probe::new(key))? else {
                return Err(RequestError::Loading);
            };
            match self.try_insert(&leaf, key, record, order, context)? {
                Tried::Done(rba, pos, is_last) => {
                    self.count_insert(is_last);
                    self.record_comes(record);
                    return Ok(Some(Inserted {
                        rba,
                        at: (leaf.ci, pos),
                    }));
                }
                Tried::Again => begun = self.again(begun)?,
                Tried::Wider(width) => {
                    self.widen(leaf.frame, leaf.version, width)?;
                    begun = self.again(begun)?;
                }
                Tried::NoRoom { .. } if self.leaf_view(&leaf).segment() != 0 => {
                    drop(begun);
                    return context.exclusively(self, gate, || self.insert_spanned(record, context));
                }
                Tried::NoRoom { pos, limited } => {
                    begun = Begun::default();
                    let ascending = order.sequential || (pos > 0 && order.after == Some((leaf.ci, pos - 1)));
                    self.make_room(&Incoming {
                        key,
                        len: record.len(),
                        replaces: false,
                        ascending,
                        limited,
                    })?;
                }
            }
        }
    }

    pub(super) fn try_insert(
        &self,
        leaf: &Leaf,
        key: &[u8],
        record: &[u8],
        order: Order,
        context: Context<'_>,
    ) -> Result<Tried, RequestError> {
        let view = self.leaf_view(leaf);
        view.prefetch_behind(record.len());
        let (pos, equal) = view.find_record(Probe::new(key), self.shape);
        let (count, segment, cap) = (view.count(), view.segment(), view.slot_cap());
        let takes = view.takes(record, self.shape);
        let wider = (count == cap || !takes).then(|| self.wider_for(view, record.len()));
        if !self.fresh(leaf) {
            return Ok(Tried::Again);
        }
        if equal {
            self.check_kept(context, key)?;
            // A unit that put it in and went back has changed the page before the record was free.
            if !self.fresh(leaf) {
                return Ok(Tried::Again);
            }
            return Err(RequestError::Duplicate { key: key.to_vec() });
        }
        if segment != 0 {
            return Ok(Tried::NoRoom { pos, limited: false });
        }
        if let Some(wider) = wider {
            // Before the latch: giving that back would change the version by which the page is widened.
            return Ok(Tried::Wider(wider));
        }
        let is_behind = pos == count && self.is_last(leaf);
        let at_end = order.sequential && count > 0 && is_behind;
        let Some(mut latched) = self.data.pool().latch_at(leaf.frame, leaf.version) else {
            return Ok(Tried::Again);
        };
        self.check_kept(context, key)?;
        if self.is_fenced() {
            self.check_fence()?;
        }
        let mut page = Page::of(latched.cells());
        let size = self.data.layout.ci_size;
        let used = page.data_len() + record.len() + page.rdfs_with(pos, record.len()) * ci::RDF_LEN + ci::CIDF_LEN;
        if used > size || (at_end && used > self.load_limit()) {
            return Ok(Tried::NoRoom {
                pos,
                limited: used <= size,
            });
        }
        page.insert(pos, record, self.shape);
        self.log(context, Redo::Insert { place: &[], record });
        let rba = self.rba(leaf.ci, &latched, pos);
        self.data.changed(&mut latched);
        drop(latched);
        if count == 0 {
            self.data.note_records(leaf.ci);
        }
        Ok(Tried::Done(rba, pos, is_behind))
    }

    /// A record came. Behind the last one it is not inserted, as VSAM has it.
    pub(super) fn count_insert(&self, is_last: bool) {
        self.counters.add(DataSetCount::Records, 1);
        if !is_last {
            self.counters.add(DataSetCount::Inserted, 1);
        }
    }

    /// The width of a page that has no place for a record of `len` bytes.
    #[cold]
    fn wider_for(&self, view: View<'_>, len: usize) -> Width {
        let short = self.pool.is_short();
        Width::for_more(self.data.layout.ci_size, view.count() + 1, view.data_len() + len, short)
    }

    /// The data set's last CI.
    fn is_last(&self, leaf: &Leaf) -> bool {
        leaf.entry + 1 == leaf.entries && self.view(leaf.node.1).next() == u32::MAX
    }

    /// Bytes of a CI that sequential inserts behind all others fill: FREESPACE is left free, as at load.
    pub(super) fn load_limit(&self) -> usize {
        let size = self.data.layout.ci_size;
        size - size * self.attributes.free_ci as usize / 100
    }

    fn rba(&self, ci: u32, latched: &Latched<'_>, pos: usize) -> u64 {
        self.data.rba(ci, latched.view().place(pos))
    }

    /// Replaces the record with this record's key, which a reader found `at`. Returns its RBA; `None` as for
    /// [`insert`](Self::insert).
    pub fn update(
        &self,
        record: &[u8],
        mut at: Option<Spot>,
        context: Context<'_>,
    ) -> Result<Option<u64>, RequestError> {
        let gate = context.shared(self);
        let key = self.key_of(record);
        let mut begun = Begun::default();
        loop {
            self.check_fence()?;
            let Some(spot) = self.spot_of(key, at.take())? else {
                begun = self.again(begun)?;
                continue;
            };
            let leaf = spot.leaf;
            match self.try_update(spot, record, context) {
                Tried::Done(rba, ..) => {
                    self.counters.add(DataSetCount::Updated, 1);
                    self.record_comes(record);
                    return Ok(Some(rba));
                }
                Tried::Again => begun = self.again(begun)?,
                Tried::Wider(width) => {
                    self.widen(leaf.frame, leaf.version, width)?;
                    begun = self.again(begun)?;
                }
                Tried::NoRoom { .. }
                    if record.len() > self.longest_unspanned() || self.leaf_view(&leaf).segment() != 0 =>
                {
                    drop(begun);
                    return context.exclusively(self, gate, || self.replace_spanned(record, context));
                }
                Tried::NoRoom { .. } => {
                    begun = Begun::default();
                    self.make_room(&Incoming {
                        key,
                        len: record.len(),
                        replaces: true,
                        ascending: false,
                        limited: false,
                    })?;
                }
            }
        }
    }

    /// Replaces a record that nobody holds with one of the same key, where a reader found it. `None`, and nothing is
    /// done: it must be got for update first. The latch of the page stands in for a hold: who holds the record from
    /// now on finds the page changed, and reads it again.
    pub fn update_unheld(&self, spot: Spot, record: &[u8]) -> Result<Option<u64>, RequestError> {
        let context = Context::Itself(RECOVERY);
        let _gate = context.shared(self);
        self.check_fence()?;
        let Some(latched) = self.data.pool().latch_at(spot.leaf.frame, spot.leaf.version) else {
            return Ok(None);
        };
        if self.holds.is_held(self.key_of(record)) {
            return Ok(None);
        }
        Ok(match self.update_latched(latched, spot, record, context) {
            Tried::Done(rba, ..) => {
                self.counters.add(DataSetCount::Updated, 1);
                self.record_comes(record);
                Some(rba)
            }
            _ => None,
        })
    }

    fn try_update(&self, spot: Spot, record: &[u8], context: Context<'_>) -> Tried {
        let view = self.leaf_view(&spot.leaf);
        let takes = view.takes(record, self.shape);
        let wider = (!takes).then(|| self.wider_for(view, record.len()));
        if !self.fresh(&spot.leaf) {
            return Tried::Again;
        }
        if let Some(wider) = wider {
            return Tried::Wider(wider);
        }
        match self.data.pool().latch_at(spot.leaf.frame, spot.leaf.version) {
            Some(latched) => self.update_latched(latched, spot, record, context),
            None => Tried::Again,
        }
    }

    fn update_latched(&self, mut latched: Latched<'_>, spot: Spot, record: &[u8], context: Context<'_>) -> Tried {
        let Spot { leaf, pos } = spot;
        if !latched.view().takes(record, self.shape) || self.is_fenced() {
            return Tried::Again;
        }
        let mut page = Page::of(latched.cells());
        if page.segment() != 0 || record.len() > self.longest_unspanned() {
            return Tried::NoRoom { pos, limited: false };
        }
        debug_assert_eq!(
            page.key(pos, self.shape),
            self.key_of(record),
            "the page is as it was found"
        );
        let old = page.len_of(pos);
        if old != record.len() {
            let used = page.data_len() - old
                + record.len()
                + page.rdfs_changed(pos, Some(record.len())) * ci::RDF_LEN
                + ci::CIDF_LEN;
            if used > self.data.layout.ci_size {
                return Tried::NoRoom { pos, limited: false };
            }
        }
        self.page_record_goes(&page, pos);
        page.replace(pos, record, self.shape);
        self.log(context, Redo::Update { place: &[], record });
        let rba = self.rba(leaf.ci, &latched, pos);
        self.data.changed(&mut latched);
        Tried::Done(rba, pos, false)
    }

    /// The record with this key: where a reader found it, while nothing changed its page, else looked for. `None`: its
    /// page changed meanwhile.
    fn spot_of(&self, key: &[u8], at: Option<Spot>) -> Result<Option<Spot>, RequestError> {
        if let Some(spot) = at.filter(|spot| self.fresh(&spot.leaf)) {
            return Ok(Some(spot));
        }
        let probe = Probe::new(key);
        let Some(leaf) = self.descend(probe)? else {
            return Err(RequestError::NotFound);
        };
        let (pos, equal) = self.leaf_view(&leaf).find_record(probe, self.shape);
        match self.fresh(&leaf) {
            false => Ok(None),
            true if equal => Ok(Some(Spot { leaf, pos })),
            true => self.check_fence().and(Err(RequestError::NotFound)),
        }
    }

    /// Takes the record with this key out; `at` as for [`update`](Self::update), `None` as for
    /// [`insert`](Self::insert).
    pub fn erase(&self, key: &[u8], mut at: Option<Spot>, context: Context<'_>) -> Result<Option<()>, RequestError> {
        let gate = context.shared(self);
        let mut begun = Begun::default();
        loop {
            self.check_fence()?;
            let Some(spot) = self.spot_of(key, at.take())? else {
                begun = self.again(begun)?;
                continue;
            };
            let leaf = spot.leaf;
            match self.try_erase(spot, key, context) {
                Tried::Done(left, ..) => {
                    self.counters.sub(DataSetCount::Records, 1);
                    self.counters.add(DataSetCount::Deleted, 1);
                    if left == 0 {
                        drop(begun);
                        self.data.note_records(leaf.ci);
                        self.reclaim(key)?;
                    }
                    return Ok(Some(()));
                }
                Tried::NoRoom { .. } => {
                    drop(begun);
                    return context.exclusively(self, gate, || self.erase_spanned(key, context));
                }
                Tried::Again | Tried::Wider(_) => begun = self.again(begun)?,
            }
        }
    }

    /// `Done` carries how many records the CI has left.
    fn try_erase(&self, spot: Spot, key: &[u8], context: Context<'_>) -> Tried {
        let Spot { leaf, pos } = spot;
        let Some(mut latched) = self.data.pool().latch_at(leaf.frame, leaf.version) else {
            return Tried::Again;
        };
        if self.is_fenced() {
            return Tried::Again;
        }
        let mut page = Page::of(latched.cells());
        if page.segment() != 0 {
            return Tried::NoRoom { pos, limited: false };
        }
        debug_assert_eq!(page.key(pos, self.shape), key, "the page is as it was found");
        self.page_record_goes(&page, pos);
        page.remove(pos);
        let left = page.count();
        self.log(context, Redo::Erase { key });
        self.data.changed(&mut latched);
        Tried::Done(left as u64, pos, false)
    }
}

#[cfg(all(test, not(cica_schedules)))]
mod tests;
