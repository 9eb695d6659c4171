//! A string on records that go by a number: RBAs in an ESDS or LDS, relative record numbers in an RRDS.
//!
//! The positions are those of [`crate::request`], with numbers for K. Between requests the string keeps the number alone.

use super::buffered::numbered;
use super::integrity::ReadStep;
use crate::buffers::StringBuffers;
use crate::cluster::OpenCluster;
use crate::common::context::Context;
use crate::common::numbered::Numbered;
use crate::error::RequestError;
use crate::linear::Lds;
use crate::open::OpenDataSet;
use crate::request::{Access, Argument, Insert, Intent, Position, Record, Search, NOT_IN_UNITS};
use crate::sphere::EnteredChange;
use crate::sync::atomic::Ordering::Relaxed;
use crate::unit::{Going, UnitOfRecovery};
use cica_counters::{StringCount, StringCounts};
use std::ops::Range;
use std::sync::Arc;

/// See the module.
pub struct NumberedString<T: Numbered> {
    inner: Arc<OpenDataSet>,
    of: Arc<T>,
    access: Access,
    id: u64,
    area: Vec<u8>,
    /// Of a compressed data set: the record in `area` as it is stored.
    stored: Vec<u8>,
    position: Position,
    number: u64,
    held: Option<u64>,
    /// Its changes belong to this unit of recovery.
    unit: Option<UnitOfRecovery>,
    /// How often that had been backed out when the record was held.
    held_at: u64,
    /// Number of the record in the area.
    delivered: u64,
    /// Number of the last sequential insert.
    inserted: Option<u64>,
    /// The last change made an alternate key a duplicate.
    duplicate: bool,
    retrieved: u64,
    /// The same and more, where others see it.
    counts: StringCounts,
    /// Numbers of the CI that a sequential request has asked for last, and counted.
    looked: Range<u64>,
    /// Pages that it goes forward from leave the pool.
    leaves_none: bool,
}

/// A record to be added: as it is stored, and as its user has it where that is another form.
type NewRecord<'r> = (&'r [u8], Option<&'r [u8]>);

/// The record would be as long as before and stored at another length, and those behind it stand where they stand.
const NO_REPLACING: RequestError = RequestError::Options {
    what: "records of a compressed entry-sequenced data set are added and not replaced; define it without COMPRESSED",
};

/// Which record a request looks for.
#[derive(Clone, Copy)]
enum Find {
    Exact(u64),
    From(u64),
    To(u64),
}

impl<T: Numbered> NumberedString<T> {
    /// The string number `id` of an open.
    pub fn new(inner: Arc<OpenDataSet>, of: Arc<T>, access: Access, id: u64) -> NumberedString<T> {
        let counts = of.common().counters.string();
        NumberedString {
            inner,
            of,
            access,
            id,
            area: Vec::new(),
            stored: Vec::new(),
            position: Position::Start,
            number: 0,
            held: None,
            unit: None,
            held_at: 0,
            delivered: 0,
            inserted: None,
            duplicate: false,
            retrieved: 0,
            counts,
            looked: 0..0,
            leaves_none: false,
        }
    }

    /// Who has what it holds, where no unit of recovery does.
    pub fn set_owner(&mut self, owner: u64) {
        self.id = owner;
    }

    /// From now on its changes belong to `unit`.
    pub fn set_unit(&mut self, unit: UnitOfRecovery) {
        self.unit = Some(unit);
    }

    /// See [`crate::Str::leave_no_pages`].
    pub fn leave_no_pages(&mut self) {
        self.leaves_none = true;
    }

    /// GET direct.
    pub fn get(&mut self, number: u64, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        self.of.check(number)?;
        match self.read(intent, wanted(number, search))? {
            Some(found) => Ok(self.deliver(found, intent, true)),
            None => {
                if self.used_ci(number).is_some() {
                    self.counts.add(StringCount::Missed, 1);
                }
                Err(self.lose(number))
            }
        }
    }

    /// GET skip-sequential.
    pub fn skip(&mut self, number: u64, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        self.of.check(number)?;
        if self.goes_on_from().is_some_and(|from| number < from) {
            return Err(RequestError::Sequence {
                key: number.to_be_bytes().to_vec(),
            });
        }
        match self.read(intent, wanted(number, search))? {
            Some(found) => Ok(self.deliver(found, intent, false)),
            None => Err(self.lose(number)),
        }
    }

    /// POINT, forward or backward.
    pub fn point(&mut self, number: u64, search: Search, backward: bool) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        self.of.check(number)?;
        match self.read(Intent::Read, wanted(number, search))? {
            Some(found) => {
                self.counts.add(StringCount::DataLooks, 1);
                self.looked.end = 0;
                self.stand(if backward { Position::BackAt } else { Position::At }, found);
                Ok(())
            }
            None => Err(self.lose(number)),
        }
    }

    /// Stands on this number, though its record has gone.
    pub fn stand_on(&mut self, number: u64) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        self.of.check(number)?;
        self.stand(Position::On, number);
        Ok(())
    }

    /// Goes before the first record, or behind the last.
    pub fn point_end(&mut self, backward: bool) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        if backward {
            self.stand(Position::BackAt, u64::MAX)
        } else {
            self.stand(Position::At, 0)
        }
        Ok(())
    }

    /// GET sequential, forward.
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        let from = match self.position {
            Position::None => return Err(RequestError::NoPosition),
            Position::End => return Err(RequestError::EndOfData),
            Position::Start | Position::Beginning => Some(0),
            Position::At => Some(self.number),
            Position::BackAt | Position::On => self.number.checked_add(1),
        };
        let found = match from {
            Some(from) => self.read(intent, Find::From(from))?,
            None => None,
        };
        match found {
            Some(found) => {
                if self.leaves_none && self.position == Position::On {
                    self.pass(self.number, found);
                }
                Ok(self.deliver(found, intent, false))
            }
            None => {
                self.position = Position::End;
                Err(RequestError::EndOfData)
            }
        }
    }

    /// It goes forward from one record to another: if that is in another CI, the one it comes from is not wanted any
    /// more.
    fn pass(&self, from: u64, to: u64) {
        let data = &self.of.common().data;
        let ci = |number| (self.of.place(number).0 / data.layout.ci_size as u64) as u32;
        if ci(from) != ci(to) {
            data.pass(ci(from));
        }
    }

    /// GET sequential, backward.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        let to = match self.position {
            Position::None | Position::Start => return Err(RequestError::NoPosition),
            Position::Beginning => return Err(RequestError::EndOfData),
            Position::End => Some(u64::MAX),
            Position::BackAt => Some(self.number),
            Position::At | Position::On => self.number.checked_sub(1),
        };
        let found = match to {
            Some(to) => self.read(intent, Find::To(to))?,
            None => None,
        };
        match found {
            Some(found) => Ok(self.deliver(found, intent, false)),
            None => {
                self.position = Position::Beginning;
                Err(RequestError::EndOfData)
            }
        }
    }

    /// PUT insert at a number, or (`None`) where the organization puts it. Returns its number.
    pub fn insert(&mut self, at: Option<u64>, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        self.release();
        self.duplicate = false;
        self.inner
            .allow_change(self.access, "inserting records (open for output)")?;
        self.check_length(record)?;
        let mut coming = Vec::new();
        let stored = self.of.common().store(record, &mut coming)?;
        let user = self.of.common().compressed.as_ref().map(|_| record);
        let record = (stored, user);
        let sequential = how != Insert::Direct;
        if let Some(number) = at {
            self.of.check(number)?;
            if sequential && self.inserted.is_some_and(|before| number < before) {
                return Err(RequestError::Sequence {
                    key: number.to_be_bytes().to_vec(),
                });
            }
        }
        let unit = self.unit.clone();
        // What alternate indexes refuse is none of numbers.
        let chooses = at.is_none() && self.inserted.is_none() && self.inner.sphere().is_none();
        let (number, completed) = loop {
            let added = match &unit {
                None => self.add(at, record, Context::Itself(self.id)),
                Some(unit) => self.add_in(unit, at, record),
            };
            match added {
                // Another string has taken the number behind the last one meanwhile.
                Err(RequestError::Duplicate { .. }) if chooses => {}
                done => break done?,
            }
        };
        if sequential {
            self.stand(Position::On, number);
            self.inserted = Some(number);
        } else {
            self.position = Position::None
        }
        self.changed(completed)?;
        Ok(number)
    }

    /// PUT update of the record that is held. Returns its number.
    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        self.duplicate = false;
        self.inner
            .allow_change(self.access, "updating records (open for output)")?;
        let Some(number) = self.held else {
            return Err(RequestError::NoUpdate);
        };
        self.check_length(record)?;
        if self.of.common().compressed.is_some() {
            return Err(NO_REPLACING);
        }
        self.duplicate = self.change_held(number, false, |s, context| match (s.inner.sphere(), &s.inner.records) {
            (Some(sphere), OpenCluster::Esds(esds)) => {
                let change = EnteredChange::replace(esds, number, &s.area, record);
                Ok(sphere.change(&s.inner, &change, context)?.duplicate)
            }
            _ => s.of.replace(number, record, context).map(|()| false),
        })?;
        self.release();
        self.changed(false)?;
        Ok(number)
    }

    /// ERASE of the record that is held.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        self.inner
            .allow_change(self.access, "erasing records (open for output)")?;
        let Some(number) = self.held else {
            return Err(RequestError::NoUpdate);
        };
        self.change_held(number, true, |s, context| s.of.remove(number, context))?;
        self.release();
        self.changed(false)
    }

    /// The record that the last get returned.
    pub fn last(&self) -> Record<'_> {
        let (rba, rrn) = self.of.place(self.delivered);
        Record {
            bytes: &self.area,
            rba,
            rrn,
        }
    }

    /// Nothing was asked of it yet.
    pub fn is_at_start(&self) -> bool {
        self.position == Position::Start
    }

    /// It stands on the record that it goes on from, which the next step passes.
    pub fn is_on(&self) -> bool {
        self.position == Position::On
    }

    /// The number that a skip goes on from.
    pub fn goes_on_from(&self) -> Option<u64> {
        let positioned = matches!(self.position, Position::At | Position::BackAt | Position::On);
        positioned.then_some(self.number)
    }

    /// What the string's open is for.
    pub fn access(&self) -> Access {
        self.access
    }

    /// See [`crate::Str::duplicate`].
    pub fn made_duplicate(&self) -> bool {
        self.duplicate
    }

    /// Is a record held for update?
    pub fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// ENDREQ.
    pub fn end(&mut self) {
        self.release();
        self.position = Position::None;
    }

    // ---- for buffers of its own ----

    /// The CI that the number of a record is in.
    pub fn ci(&self, number: u64) -> u32 {
        (self.of.place(number).0 / self.of.common().data.layout.ci_size as u64) as u32
    }

    /// The CI that any number is in; none where that is not in use.
    fn used_ci(&self, number: u64) -> Option<u32> {
        let ci = self.of.place(number).0 / self.of.common().data.layout.ci_size as u64;
        u32::try_from(ci).ok().filter(|ci| *ci < self.of.end())
    }

    /// The CI that a direct request for a number comes to, if there is one.
    fn bring_number(&self, number: u64, own: &mut StringBuffers) -> Result<Option<u32>, RequestError> {
        let ci = self.used_ci(number);
        ci.map_or(Ok(None), |ci| numbered(&*self.of, own, ci, false))
    }

    /// The CI that PREV comes to: that of the last number that it may return, or the last one in use.
    fn bring_before(&self, own: &mut StringBuffers) -> Result<Option<u32>, RequestError> {
        let to = match self.position {
            Position::None | Position::Start | Position::Beginning => None,
            Position::End => Some(u64::MAX),
            Position::BackAt => Some(self.number),
            Position::At | Position::On => self.number.checked_sub(1),
        };
        let Some(to) = to else { return Ok(None) };
        let ci = self.used_ci(to).or_else(|| self.of.end().checked_sub(1));
        ci.map_or(Ok(None), |ci| numbered(&*self.of, own, ci, false))
    }

    /// A load is about to add a record: `own` writes the CIs that are full by then. Is the CI that it comes into to be
    /// formatted?
    pub fn fills(&self, record: &[u8], own: &mut StringBuffers) -> Result<bool, RequestError> {
        let common = self.of.common();
        let (least, most) = self.of.lengths();
        if common.compressed.is_some() || !(least..=most).contains(&record.len()) {
            return Ok(false);
        }
        let Some(number) = self.of.next_place(record.len())? else {
            return Ok(false);
        };
        let recovery = !common.attributes.speed;
        own.fills(self.ci(number), recovery)?;
        Ok(recovery)
    }

    /// Brings what a read comes to into `own`; returns the CI. What the string stands in, `own` holds.
    pub fn bring(&self, step: ReadStep<'_>, own: &mut StringBuffers) -> Result<Option<u32>, RequestError> {
        let (from, stands) = match step {
            ReadStep::Get(Argument::Rba(number), _) | ReadStep::Skip(Argument::Rba(number), _) => {
                return self.bring_number(number, own)
            }
            ReadStep::Get(Argument::Rrn(number), _) | ReadStep::Skip(Argument::Rrn(number), _) => {
                return self.bring_number(number.into(), own)
            }
            ReadStep::Get(..) | ReadStep::Skip(..) => return Ok(None),
            ReadStep::Prev => return self.bring_before(own),
            ReadStep::Next => match self.position {
                Position::None | Position::End => return Ok(None),
                Position::Start | Position::Beginning => (Some(0), false),
                Position::At => (Some(self.number), false),
                Position::BackAt => (self.number.checked_add(1), false),
                Position::On => (self.number.checked_add(1), true),
            },
        };
        let Some(from) = from else { return Ok(None) };
        let first = if stands { self.number } else { from.max(1) };
        let Some(mut ci) = self.used_ci(first) else {
            return Ok(None);
        };
        let mut held = stands;
        loop {
            if !held && numbered(&*self.of, own, ci, true)?.is_none() {
                return Ok(None);
            }
            if self.of.has_from(ci, from)? {
                return Ok(Some(ci));
            }
            (ci, held) = (ci + 1, false);
        }
    }

    // ---- parts ----

    fn add(
        &mut self,
        at: Option<u64>,
        record: NewRecord<'_>,
        context: Context<'_>,
    ) -> Result<(u64, bool), RequestError> {
        match (self.inner.sphere(), &self.inner.records) {
            (Some(sphere), OpenCluster::Esds(esds)) => {
                let added = sphere.add(&self.inner, esds, record, context)?;
                self.duplicate = added.duplicate;
                Ok(added.place)
            }
            _ => self.of.add(at, self.inserted, record.0, context),
        }
    }

    /// An insert in a unit.
    fn add_in(
        &mut self,
        unit: &UnitOfRecovery,
        at: Option<u64>,
        record: NewRecord<'_>,
    ) -> Result<(u64, bool), RequestError> {
        if !T::IN_UNITS {
            return Err(NOT_IN_UNITS);
        }
        self.inner.end_loading_for_units()?;
        let at = match at {
            Some(number) => Some(number),
            None => self.of.next_number(self.inserted)?,
        };
        let key = at.map(u64::to_be_bytes);
        let inner = self.inner.clone();
        let key = key.as_ref().map_or(&[][..], |key| key);
        unit.going()
            .change(&inner, (key, &[], false), |context| self.add(at, record, context))
    }

    /// A change of the record that is held and in the area.
    fn change_held<R>(
        &mut self,
        number: u64,
        erases: bool,
        change: impl Fn(&Self, Context<'_>) -> Result<R, RequestError>,
    ) -> Result<R, RequestError> {
        let unit = self.unit.clone();
        loop {
            // What the unit has made of the record must not go back between the look and the change.
            let going = unit.as_ref().map(UnitOfRecovery::going);
            match self.change_looked_at(number, erases, going.as_ref(), &change) {
                // Another string of the same owner was faster.
                Err(RequestError::NoUpdate) if self.held.is_some() && self.inner.sphere().is_some() => {}
                done => return done,
            }
        }
    }

    fn change_looked_at<R>(
        &mut self,
        number: u64,
        erases: bool,
        going: Option<&Going<'_>>,
        change: impl Fn(&Self, Context<'_>) -> Result<R, RequestError>,
    ) -> Result<R, RequestError> {
        match &self.unit {
            None if self.inner.sphere().is_none() => return change(self, Context::Itself(self.id)),
            None => {}
            Some(_) if !T::IN_UNITS => return Err(NOT_IN_UNITS),
            Some(unit) if unit.backouts() != self.held_at => {
                // What is in the area may have been taken back.
                self.release();
                return Err(RequestError::NoUpdate);
            }
            Some(_) => {}
        }
        // Another string of the same owner may have changed it: the unit's undo and the alternate keys are of what goes
        // now.
        if !self.of.exact(number, &mut self.area)? {
            self.release();
            return Err(RequestError::NoUpdate);
        }
        self.expand_area()?;
        let Some(unit) = going else {
            return change(self, Context::Itself(self.id));
        };
        let what = (&number.to_be_bytes()[..], &self.area[..], erases);
        unit.change(&self.inner, what, |context| change(self, context))
    }

    /// Who has what it holds.
    pub fn owner(&self) -> u64 {
        self.unit.as_ref().map_or(self.id, UnitOfRecovery::owner)
    }

    /// What comes after a change.
    pub fn changed(&self, completed: bool) -> Result<(), RequestError> {
        if !self.of.common().loading.load(Relaxed) {
            return self.inner.after_change();
        }
        if completed {
            self.inner.after_loaded_ca()
        } else {
            Ok(())
        }
    }

    #[inline]
    fn allow_read(&mut self, intent: Intent) -> Result<(), RequestError> {
        self.release();
        self.inner.allow_read(self.access, intent)
    }

    fn check_length(&self, record: &[u8]) -> Result<(), RequestError> {
        let (least, most) = self.of.lengths();
        if !(least..=most).contains(&record.len()) {
            return Err(RequestError::Length {
                given: record.len(),
                least,
                most,
            });
        }
        Ok(())
    }

    /// Reads the record wanted into the area; its number. For update it is held first and then read again: what another
    /// string made of it before that must be in the area.
    fn read(&mut self, intent: Intent, find: Find) -> Result<Option<u64>, RequestError> {
        loop {
            let found = match find {
                Find::Exact(number) => self.of.exact(number, &mut self.area)?.then_some(number),
                Find::From(number) => self.of.first_from(number, &mut self.area)?,
                Find::To(number) => self.of.last_to(number, &mut self.area)?,
            };
            let Some(number) = found.filter(|_| intent == Intent::Update) else {
                if found.is_some() {
                    self.expand_area()?;
                }
                return Ok(found);
            };
            let backouts = self.unit.as_ref().map_or(0, UnitOfRecovery::backouts);
            self.of.common().holds.hold(&number.to_be_bytes(), self.owner())?;
            (self.held, self.held_at) = (Some(number), backouts);
            if self.of.exact(number, &mut self.area)? {
                self.expand_area()?;
                return Ok(found);
            }
            self.release();
        }
    }

    /// The record in the area, which was read as it is stored, as its user has it.
    fn expand_area(&mut self) -> Result<(), RequestError> {
        if let Some(compressed) = &self.of.common().compressed {
            std::mem::swap(&mut self.area, &mut self.stored);
            compressed.expand(&self.stored, &mut self.area)?;
        }
        Ok(())
    }

    /// See [`crate::Str::last_as_stored`].
    pub fn last_as_stored(&self) -> Option<&[u8]> {
        self.of.common().compressed.as_ref().map(|_| &self.stored[..])
    }

    fn deliver(&mut self, number: u64, intent: Intent, direct: bool) -> Record<'_> {
        if direct {
            self.counts.found(0);
            self.looked.end = 0;
        } else {
            self.counts.add(StringCount::Retrieved, 1);
            if !self.looked.contains(&number) {
                self.count_step(number);
            }
        }
        if direct && intent == Intent::Read {
            self.position = Position::None
        } else {
            self.stand(Position::On, number)
        }
        self.retrieved += 1;
        self.delivered = number;
        self.last()
    }

    /// A request went to a record in another CI than the last one.
    #[cold]
    fn count_step(&mut self, number: u64) {
        self.looked = self.of.numbers(self.ci(number));
        // A direct get for update may have come here.
        if self.position != Position::On || !self.looked.contains(&self.number) {
            self.counts.add(StringCount::DataLooks, 1);
        }
    }

    /// The record that the last get returned is not its user's.
    pub fn keep_to_itself(&mut self, direct: bool) {
        self.retrieved = self.retrieved.saturating_sub(1);
        self.counts.kept(direct);
    }

    fn stand(&mut self, position: Position, number: u64) {
        (self.position, self.number) = (position, number);
    }

    fn lose(&mut self, number: u64) -> RequestError {
        self.position = Position::None;
        self.of.missing(number)
    }

    fn release(&mut self) {
        if let Some(number) = self.held.take() {
            self.of.common().holds.release(&number.to_be_bytes(), self.owner());
        }
    }
}

fn wanted(number: u64, search: Search) -> Find {
    match search {
        Search::Equal => Find::Exact(number),
        Search::GreaterOrEqual => Find::From(number),
    }
}

impl<T: Numbered> Drop for NumberedString<T> {
    fn drop(&mut self) {
        self.release();
        self.of.common().counters.string_ends(self.retrieved);
    }
}

impl NumberedString<Lds> {
    /// See [`Lds::covers`].
    pub fn covers(&self, rba: u64, len: usize) -> Option<(Range<u32>, Vec<u32>)> {
        self.of.covers(rba, len)
    }

    /// Reads a range.
    pub fn read_range(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        self.of.read_range(rba, out)?;
        let size = self.of.common().data.layout.ci_size as u64;
        let looks = (rba + out.len() as u64).div_ceil(size) - rba / size;
        self.counts.add(StringCount::DataLooks, looks);
        self.counts.add(StringCount::Retrieved, looks);
        self.retrieved += looks;
        Ok(())
    }

    /// Writes a range.
    pub fn write_range(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        self.release();
        self.inner.allow_change(self.access, "writing (open for output)")?;
        if self.unit.is_some() {
            return Err(NOT_IN_UNITS);
        }
        self.of.write_range(rba, bytes)?;
        self.changed(false)
    }
}
