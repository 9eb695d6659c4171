//! Relative record data sets with slots of one length: a record's number says where it lies.
//!
//! * N1. Slot `n` (from 1) is in CI `(n - 1) / slots per CI`; its RDF says whether it holds a record.
//! * N2. Every CI below the end has all its slots; one that holds no record has no image on the volume, and a search
//!   passes it.
//! * N3. A request changes one slot, under the latch of its page.

mod inspect;
mod put_interval;

use crate::common::context::{Context, Redo};
use crate::common::interval::Intervals;
use crate::common::numbered::Numbered;
use crate::common::Common;
use crate::error::RequestError;
use crate::pool::{Begun, ImagePage, View};
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::Mutex;
use cica_counters::DataSetCount;
use cica_format::ci::RDF_EMPTY_SLOT;
use cica_format::slots;
use std::ops::Range;

/// An open RRDS.
pub struct Rrds {
    common: Common,
    /// CIs in use.
    pub intervals: Intervals,
    growing: Mutex<()>,
    /// Length of a slot.
    length: usize,
    /// Slots of a CI.
    per_ci: usize,
}

impl std::ops::Deref for Rrds {
    type Target = Common;
    #[inline]
    fn deref(&self) -> &Common {
        &self.common
    }
}

impl Rrds {
    /// Of the root's end. A data set whose CIs hold no slot is refused by whoever opens it.
    pub fn new(common: Common, intervals: Intervals) -> Rrds {
        let length = common.attributes.maximum_record as usize;
        Rrds {
            per_ci: slots::per_ci(common.data.layout.ci_size, length).max(1),
            length,
            common,
            intervals,
            growing: Mutex::new(()),
        }
    }

    /// CI and slot of a number from 1.
    fn locate(&self, rrn: u64) -> (u32, usize) {
        let n = rrn - 1;
        let ci = (n / self.per_ci as u64).min(u32::MAX as u64) as u32;
        (ci, (n % self.per_ci as u64) as usize)
    }

    /// Number of a slot.
    fn number(&self, ci: u32, slot: usize) -> u64 {
        ci as u64 * self.per_ci as u64 + slot as u64 + 1
    }

    fn is_full(&self, view: View<'_>, slot: usize) -> bool {
        view.image_byte(slots::rdf(self.data.layout.ci_size, slot)) & RDF_EMPTY_SLOT == 0
    }

    /// Copies the first full slot of `wanted` into the area, again and again until the page does not change meanwhile;
    /// which it was.
    fn look(
        &self,
        ci: u32,
        page: (u32, u64),
        wanted: impl Iterator<Item = usize> + Clone,
        area: &mut Vec<u8>,
    ) -> Result<Option<usize>, RequestError> {
        let ((mut frame, mut version), mut begun) = (page, Begun::default());
        loop {
            let view = self.pool.view(frame);
            let full = wanted.clone().find(|&slot| self.is_full(view, slot));
            if let Some(slot) = full {
                area.resize(self.length, 0);
                view.image_part(slot * self.length, area);
            }
            if self.unchanged(frame, version) {
                return Ok(full);
            }
            begun = self.again(begun)?;
            (frame, version) = self.data.page(ci)?;
        }
    }

    /// The first CI from `ci` on, below `end`, that may hold a record.
    fn kept_from(&self, ci: u32, end: u32) -> Result<Option<u32>, RequestError> {
        if ci < end && self.is_at_hand(ci) {
            Ok(Some(ci))
        } else {
            self.data.first_kept(ci, end)
        }
    }

    /// The same down from `ci`.
    fn kept_to(&self, ci: u32) -> Result<Option<u32>, RequestError> {
        if self.is_at_hand(ci) {
            Ok(Some(ci))
        } else {
            self.data.last_kept(ci)
        }
    }

    /// Whether a CI is in the pool and holds something: then its CA need not be asked, as it would be for every record.
    #[inline]
    fn is_at_hand(&self, ci: u32) -> bool {
        let page = self.data.resident(ci);
        page.is_some_and(|(frame, _)| self.pool.view(frame).count() > 0)
    }

    /// The number behind `after`, or behind all records.
    fn behind(&self, after: Option<u64>) -> Result<u64, RequestError> {
        let last = match after {
            Some(after) => after,
            None => self.last_to(u64::MAX, &mut Vec::new())?.unwrap_or(0),
        };
        self.check(last + 1)?;
        Ok(last + 1)
    }

    /// Makes the CI of a number one that is in use.
    fn reach(&self, ci: u32) -> Result<(), RequestError> {
        if ci < self.intervals.end() {
            return Ok(());
        }
        let _growing = self.growing.lock();
        self.make_intervals(ci as u64 + 1)?;
        self.intervals.reach(ci + 1);
        Ok(())
    }

    /// Puts a record into an empty slot. Returns whether that is the last of its control area.
    pub fn put(&self, rrn: u64, record: &[u8], context: Context<'_>) -> Result<bool, RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        let (ci, slot) = self.locate(rrn);
        self.reach(ci)?;
        let mut latched = self.data.latch(ci)?;
        self.check_kept(context, &rrn.to_be_bytes())?;
        if self.is_full(latched.view(), slot) {
            return Err(RequestError::Duplicate {
                key: (rrn as u32).to_be_bytes().to_vec(),
            });
        }
        let mut page = ImagePage::of(latched.cells(), self.data.layout.ci_size);
        let count = page.count();
        page.set_count(count + 1);
        self.fill(&mut page, slot, Some(record));
        let place = &(rrn as u32).to_be_bytes();
        self.log(context, Redo::Insert { place, record });
        self.data.changed(&mut latched);
        drop(latched);
        if count == 0 {
            self.data.note_records(ci);
        }
        self.counters.add(DataSetCount::Records, 1);
        if !self.loading.load(Relaxed) {
            self.counters.add(DataSetCount::Inserted, 1);
        }
        let (ca, i) = self.data.layout.split(ci);
        let last = slot + 1 == self.per_ci && i + 1 == self.data.layout.ci_per_ca;
        if last && self.loading.load(Relaxed) {
            // What cannot be written now is asked for again by the commit, which says so.
            let _ = self.data.write_behind(ca);
        }
        Ok(last)
    }

    /// Fills or empties a slot.
    fn fill(&self, page: &mut ImagePage<'_>, slot: usize, record: Option<&[u8]>) {
        let rdf = slots::rdf(page.image().len(), slot);
        page.put(rdf, &[slots::rdf_byte(record.is_some())]);
        match record {
            Some(record) => {
                assert_eq!(record.len(), self.length, "a record fills its slot");
                page.put(slot * self.length, record)
            }
            None => page.fill(slot * self.length, self.length, 0),
        }
    }

    /// Replaces (or, without a record, takes out) what a full slot holds.
    fn change(&self, rrn: u64, record: Option<&[u8]>, context: Context<'_>) -> Result<(), RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        let (ci, slot) = self.locate(rrn);
        if ci >= self.intervals.end() {
            return Err(RequestError::NotFound);
        }
        let mut latched = self.data.latch(ci)?;
        if !self.is_full(latched.view(), slot) {
            return Err(RequestError::NotFound);
        }
        let mut page = ImagePage::of(latched.cells(), self.data.layout.ci_size);
        self.fill(&mut page, slot, record);
        let key = (rrn as u32).to_be_bytes();
        let mut left = page.count();
        match record {
            Some(record) => self.log(context, Redo::Update { place: &key, record }),
            None => {
                left -= 1;
                page.set_count(left);
                self.log(context, Redo::Erase { key: &key });
            }
        }
        self.data.changed(&mut latched);
        drop(latched);
        match record {
            Some(_) => self.counters.add(DataSetCount::Updated, 1),
            None => {
                self.counters.add(DataSetCount::Deleted, 1);
                self.counters.sub(DataSetCount::Records, 1)
            }
        };
        if left == 0 {
            self.data.note_records(ci);
        }
        Ok(())
    }
}

impl Numbered for Rrds {
    fn common(&self) -> &Common {
        &self.common
    }
    fn end(&self) -> u32 {
        self.intervals.end()
    }
    fn exact(&self, number: u64, area: &mut Vec<u8>) -> Result<bool, RequestError> {
        let (ci, slot) = self.locate(number);
        if ci >= self.intervals.end() {
            return Ok(false);
        }
        let page = self.data.page(ci)?;
        Ok(self.look(ci, page, slot..slot + 1, area)?.is_some())
    }
    fn first_from(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        let end = self.intervals.end();
        let (start, first) = self.locate(number.max(1));
        let mut from = start;
        while let Some(ci) = self.kept_from(from, end)? {
            let slots = if ci == start { first } else { 0 }..self.per_ci;
            let page = self.page_ahead(ci, end)?;
            if let Some(slot) = self.look(ci, page, slots, area)? {
                return Ok(Some(self.number(ci, slot)));
            }
            from = ci + 1;
        }
        Ok(None)
    }
    fn last_to(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        let last = self.number(self.intervals.end(), 0) - 1;
        if last.min(number) == 0 {
            return Ok(None);
        }
        let (start, first) = self.locate(last.min(number));
        let mut to = Some(start);
        while let Some(upper) = to {
            let Some(ci) = self.kept_to(upper)? else { break };
            let slots = 0..if ci == start { first + 1 } else { self.per_ci };
            let page = self.data.page(ci)?;
            if let Some(slot) = self.look(ci, page, slots.rev(), area)? {
                return Ok(Some(self.number(ci, slot)));
            }
            to = ci.checked_sub(1);
        }
        Ok(None)
    }
    fn has_from(&self, ci: u32, number: u64) -> Result<bool, RequestError> {
        let (start, first) = self.locate(number.max(1));
        if ci < start {
            return Ok(false);
        }
        let slots = if ci == start { first } else { 0 }..self.per_ci;
        let page = self.data.page(ci)?;
        Ok(self.look(ci, page, slots, &mut Vec::new())?.is_some())
    }
    fn next_number(&self, after: Option<u64>) -> Result<Option<u64>, RequestError> {
        self.behind(after).map(Some)
    }
    fn add(
        &self,
        at: Option<u64>,
        after: Option<u64>,
        record: &[u8],
        context: Context<'_>,
    ) -> Result<(u64, bool), RequestError> {
        let rrn = match at {
            Some(rrn) => rrn,
            None => self.behind(after)?,
        };
        self.put(rrn, record, context).map(|completed| (rrn, completed))
    }
    fn redo_add(&self, number: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError> {
        self.put(number, record, context).map(drop)
    }
    fn replace(&self, number: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError> {
        self.change(number, Some(record), context)
    }
    fn remove(&self, number: u64, context: Context<'_>) -> Result<(), RequestError> {
        self.change(number, None, context)
    }
    fn lengths(&self) -> (usize, usize) {
        (self.length, self.length)
    }
    fn check(&self, number: u64) -> Result<(), RequestError> {
        match number {
            1..=0xFFFF_FFFF => Ok(()),
            rrn => Err(RequestError::BadRrn { rrn }),
        }
    }
    fn missing(&self, _: u64) -> RequestError {
        RequestError::NotFound
    }
    fn numbers(&self, ci: u32) -> Range<u64> {
        let first = self.number(ci, 0);
        first..first + self.per_ci as u64
    }
    fn place(&self, number: u64) -> (u64, u32) {
        if number == 0 {
            return (0, 0);
        }
        let (ci, slot) = self.locate(number);
        (self.rba_of_ci(ci) + (slot * self.length) as u64, number as u32)
    }
}
