//! A string on a KSDS: a position in key order. Between requests it keeps a key and a page version.
//!
//! The positions are those of [`crate::request`], with keys for K.
//!
//! * P1. While `key_at` says that the position's key is in `area`, a whole record is there. Before anything that may
//!   fail puts another one there, the key is brought into `key`: a request that fails leaves the string where it was.

mod change;
mod stored;

use super::next_page::NextPage;
use crate::error::RequestError;
use crate::ksds::{Ksds, Leaf, Look, Optimistic, Spot, Unbuffered};
use crate::open::OpenDataSet;
use crate::pool::{Begun, Records};
use crate::request::{Access, Intent, Position, Record, Search};
use crate::unit::UnitOfRecovery;
use cica_counters::{StringCount, StringCounts};
use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// Where the record last returned lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// Its key was taken.
    Key,
    /// It was stored: its key is the last one inserted.
    Inserted,
    /// In `area`.
    Area,
    /// In `page`, at the spot's position.
    Page,
}

/// See the module.
pub struct KeyedString {
    inner: Arc<OpenDataSet>,
    ksds: Arc<Ksds>,
    access: Access,
    id: u64,
    /// The record last returned by a direct request, or by the first step onto a page.
    area: Vec<u8>,
    /// Memory for the next one: while that may still prove wrong, the position's key may be in `area`.
    other_area: Vec<u8>,
    /// Of a compressed data set: the record in `area` as it is stored, if it was read through the page.
    stored: Vec<u8>,
    /// Of a compressed data set: memory for the next record that is stored.
    coming: Vec<u8>,
    /// A copy of the page that a sequential reader came to: good while the page is as it was.
    page: Records,
    page_is: Option<(u32, u64)>,
    /// The page that comes after it.
    next_page: NextPage,
    /// For CIs of which no page is made.
    unbuffered: Unbuffered,
    /// Pages that it goes forward from leave the pool.
    leaves_none: bool,
    position: Position,
    /// Key of the position; while `key_at` says so it is that of the record last returned or stored.
    key: Vec<u8>,
    key_at: Where,
    /// RBA of the record in `area`.
    rba: u64,
    /// Where the record of `On` was found, while its page stays as it was.
    spot: Option<Spot>,
    held: Option<Vec<u8>>,
    /// Memory for the next key that is held.
    spare: Vec<u8>,
    /// Its changes belong to this unit of recovery.
    unit: Option<UnitOfRecovery>,
    /// How often that had been backed out when the record was held.
    held_at: u64,
    /// Key of the last sequential insert.
    inserted: Option<Vec<u8>>,
    /// Place of the last insert.
    last_insert: Option<(u32, usize)>,
    retrieved: u64,
    /// The same and more, where others see it.
    counts: StringCounts,
    /// The last change made an alternate key a duplicate.
    duplicate: bool,
    /// Of which data set it takes the records as they are stored, and by which dictionary (compressed:Q5).
    copies: Option<Weak<Ksds>>,
}

impl KeyedString {
    /// The string number `id` of an open.
    pub fn new(inner: Arc<OpenDataSet>, ksds: Arc<Ksds>, access: Access, id: u64) -> KeyedString {
        let (area, counts) = (Vec::with_capacity(ksds.longest()), ksds.counters.string());
        KeyedString {
            inner,
            ksds,
            access,
            id,
            area,
            other_area: Vec::new(),
            stored: Vec::new(),
            coming: Vec::new(),
            page: Records::default(),
            page_is: None,
            next_page: NextPage::default(),
            unbuffered: Unbuffered::default(),
            leaves_none: false,
            position: Position::Start,
            key: Vec::new(),
            key_at: Where::Key,
            rba: 0,
            spot: None,
            held: None,
            spare: Vec::new(),
            unit: None,
            held_at: 0,
            inserted: None,
            last_insert: None,
            retrieved: 0,
            counts,
            duplicate: false,
            copies: None,
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

    /// What the string's open is for.
    pub fn access(&self) -> Access {
        self.access
    }

    // ---- reading ----

    /// GET direct. A `key` shorter than the data set's is generic.
    ///
    /// # Errors
    /// 8/16 not found, 8/20 held by another string, 8/68, 8/112, 8/116, 12/x.
    #[inline]
    pub fn get(&mut self, key: &[u8], search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        let again = search == Search::Equal && self.stands_on(key);
        let looks = intent == Intent::Read && self.ksds.data.is_looked_at();
        if search == Search::Equal && intent != Intent::Update && !looks && !again {
            self.release();
            self.inner.allow_read(self.access, intent)?;
            self.check_key(key)?;
            match self.ksds.find_optimistic(key)? {
                Optimistic::Found(spot) if self.takes(&spot)? => {
                    self.counts.found(self.ksds.top().1.into());
                    return self.deliver(spot, intent, true);
                }
                Optimistic::NotFound => {
                    self.count_missed();
                    return Err(self.lose(RequestError::NotFound));
                }
                Optimistic::Found(_) | Optimistic::Retry => {}
            }
        }
        self.get_anyhow(key, search, intent, again)
    }

    /// Takes a record that lies in one CI into the area. False, and nothing is done: its page has changed, or it lies
    /// in several.
    #[inline]
    fn takes(&mut self, spot: &Spot) -> Result<bool, RequestError> {
        let view = self.ksds.leaf_view(&spot.leaf);
        let rba = self.ksds.rba_of(spot);
        let whole = view.segment() == 0 && view.record(spot.pos, &mut self.other_area);
        let taken = whole && self.ksds.fresh(&spot.leaf);
        if taken {
            if self.ksds.compressed.is_some() {
                // A record that cannot be expanded leaves the string where it was (P1).
                self.settle_key();
            }
            std::mem::swap(&mut self.area, &mut self.other_area);
            self.rba = rba;
            self.expand_area()?;
        }
        Ok(taken)
    }

    /// The record in the area, which was read as it is stored, as its user has it.
    #[inline]
    fn expand_area(&mut self) -> Result<(), RequestError> {
        if let Some(compressed) = &self.ksds.compressed {
            std::mem::swap(&mut self.area, &mut self.stored);
            compressed.expand(&self.stored, &mut self.area)?;
        }
        Ok(())
    }

    fn get_anyhow(
        &mut self,
        key: &[u8],
        search: Search,
        intent: Intent,
        again: bool,
    ) -> Result<Record<'_>, RequestError> {
        let again = self.spot.filter(|_| again);
        self.allow_read(intent)?;
        self.check_key(key)?;
        let known = Cell::new(again);
        if again.is_none() && intent == Intent::Read && search == Search::Equal {
            match self.ksds.look(key, &mut self.unbuffered)? {
                Look::Found(ci, record) => {
                    self.counts.found(self.ksds.top().1.into());
                    return self.hand_out(ci, record);
                }
                Look::NotFound => {
                    self.count_missed();
                    return Err(self.lose(RequestError::NotFound));
                }
                Look::Page(leaf) => known.set(leaf.and_then(|leaf| self.ksds.on_page(leaf, key))),
            }
        }
        let find = |s: &KeyedString| match known.take().filter(|spot| s.ksds.fresh(&spot.leaf)) {
            Some(spot) => Ok(Some(spot)),
            None => s.ksds.find(key, search == Search::Equal),
        };
        match self.read(intent, find)? {
            Some(spot) => {
                match again {
                    None => self.counts.found(self.ksds.top().1.into()),
                    // It stood there.
                    Some(_) => {
                        self.counts.add(StringCount::Again, 1);
                        self.counts.add(StringCount::Retrieved, 1);
                    }
                }
                self.deliver(spot, intent, true)
            }
            None => {
                self.count_missed();
                Err(self.lose(RequestError::NotFound))
            }
        }
    }

    /// Is this the key of the record that it read last? An update asks for it again.
    #[inline]
    fn stands_on(&self, key: &[u8]) -> bool {
        self.position == Position::On && self.key_at == Where::Area && self.ksds.key_in(&self.area) == Some(key)
    }

    /// GET skip-sequential: forward from the position to `key`.
    ///
    /// # Errors
    /// As [`get`](Self::get), and 8/12 when `key` is below the position.
    pub fn skip(&mut self, key: &[u8], search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        self.check_key(key)?;
        let from = self.goes_on_from();
        if *key < from[..key.len().min(from.len())] {
            return Err(RequestError::Sequence { key: key.to_vec() });
        }
        match self.read(intent, |s| s.ksds.find(key, search == Search::Equal))? {
            Some(spot) => {
                self.count_step(&spot.leaf);
                self.counts.add(StringCount::Retrieved, 1);
                self.deliver(spot, intent, false)
            }
            None => Err(self.lose(RequestError::NotFound)),
        }
    }

    /// GET direct by RBA.
    ///
    /// # Errors
    /// 8/32 when no record starts there, else as [`get`](Self::get).
    pub fn get_rba(&mut self, rba: u64, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        let key = match self.ksds.key_at(rba)? {
            Some(key) => key,
            None => return Err(self.lose(RequestError::BadRba { rba })),
        };
        match self.read(intent, |s| s.ksds.find(&key, true))? {
            Some(spot) => {
                self.counts.found(self.ksds.top().1.into());
                self.deliver(spot, intent, true)
            }
            None => Err(self.lose(RequestError::BadRba { rba })),
        }
    }

    /// POINT, forward or backward.
    pub fn point(&mut self, key: &[u8], search: Search, backward: bool) -> Result<(), RequestError> {
        self.point_to(key, search, if backward { Position::BackAt } else { Position::At })
    }

    /// Goes before the first record, or behind the last.
    pub fn point_end(&mut self, backward: bool) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        self.key.clear();
        if backward {
            self.key.resize(self.ksds.shape.key_len, 0xFF);
        }
        self.set_position(if backward { Position::BackAt } else { Position::At });
        Ok(())
    }

    /// Stands on this key, as if the record that it was had been read there, though it has gone since.
    pub fn stand_on(&mut self, key: &[u8]) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        self.check_key(key)?;
        self.key.clear();
        self.key.extend_from_slice(key);
        self.key_at = Where::Key;
        self.set_position(Position::On);
        Ok(())
    }

    fn point_to(&mut self, key: &[u8], search: Search, position: Position) -> Result<(), RequestError> {
        self.allow_read(Intent::Read)?;
        self.check_key(key)?;
        if self
            .read(Intent::Read, |s| s.ksds.find(key, search == Search::Equal))?
            .is_none()
        {
            return Err(self.lose(RequestError::NotFound));
        }
        self.count_descent();
        self.keep_key();
        self.set_position(position);
        Ok(())
    }

    /// GET sequential, forward.
    ///
    /// # Errors
    /// 8/4 at the end, 8/20, 8/68, 8/88, 8/116, 12/x.
    #[inline]
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        if intent == Intent::Read && self.held.is_none() {
            if let Some((rba, place)) = self.next_on_page() {
                let bytes = match self.ksds.compressed {
                    None => self.page.at(place),
                    Some(_) => {
                        // The position's key is in the page, so the area is free.
                        self.ksds.expand(self.page.at(place), &mut self.area)?;
                        &self.area
                    }
                };
                return Ok(Record { bytes, rba, rrn: 0 });
            }
        }
        self.next_anywhere(intent)
    }

    /// The common case: the next record is in the copy of the page, and the page is as it was when it was copied. Its
    /// RBA, and where it is in the copy.
    #[inline]
    fn next_on_page(&mut self) -> Option<(u64, Range<usize>)> {
        let spot = self.spot.as_mut()?;
        let copied = self.page_is == Some((spot.leaf.frame, spot.leaf.version));
        if !copied || self.position != Position::On {
            return None;
        }
        let (offset, place) = self.page.place(spot.pos + 1)?;
        if !self.ksds.fresh(&spot.leaf) || self.ksds.is_fenced() {
            return None;
        }
        spot.pos += 1;
        let rba = self.ksds.data.rba(spot.leaf.ci, offset);
        self.key_at = Where::Page;
        self.next_page.ask_on();
        self.count_retrieved();
        Some((rba, place))
    }

    /// A sequential reader came to a page: it is copied, because more of its records are wanted.
    fn copy_page(&mut self, leaf: &Leaf) {
        self.page_is = None;
        let copied = self.ksds.leaf_view(leaf).copy_records(&mut self.page);
        if copied.is_some() && self.ksds.is_settled(leaf) {
            self.page_is = Some((leaf.frame, leaf.version));
        }
        self.next_page = match self.ksds.prefetch_after(leaf) {
            Some(frame) => NextPage::of(self.ksds.data.pool(), frame, self.page.count()),
            None => NextPage::default(),
        };
    }

    /// Brings the position's key into `key`, before what it is in changes.
    fn settle_key(&mut self) {
        let record = match std::mem::replace(&mut self.key_at, Where::Key) {
            Where::Key => return,
            Where::Inserted => {
                self.key.clear();
                self.key.extend_from_slice(self.inserted.as_deref().unwrap_or_default());
                return;
            }
            Where::Area => Some(self.area.as_slice()),
            Where::Page => self.spot.and_then(|s| self.page.record(s.pos)).map(|r| r.1),
        };
        if let Some(key) = record.and_then(|record| self.ksds.key_in(record)) {
            self.key.clear();
            self.key.extend_from_slice(key);
        }
    }

    fn next_anywhere(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        let spot = self.read(intent, |s| {
            let ksds = &s.ksds;
            match s.position {
                Position::None => Err(RequestError::NoPosition),
                Position::End => Err(RequestError::EndOfData),
                Position::Start | Position::Beginning => ksds.first_at(&[], false),
                Position::At => ksds.first_at(&s.key, false),
                Position::BackAt => ksds.first_at(&s.key, true),
                Position::On => ksds.next_after(s.spot, &s.key),
            }
        })?;
        match spot {
            Some(spot) => {
                if self.position == Position::On && self.page_is != Some((spot.leaf.frame, spot.leaf.version)) {
                    self.copy_page(&spot.leaf);
                }
                self.count_step(&spot.leaf);
                self.counts.add(StringCount::Retrieved, 1);
                let from = self.spot.map_or(spot.leaf.ci, |from| from.leaf.ci);
                if self.leaves_none && from != spot.leaf.ci {
                    self.ksds.data.pass(from);
                }
                self.deliver(spot, intent, false)
            }
            None => {
                self.set_position(Position::End);
                Err(RequestError::EndOfData)
            }
        }
    }

    /// GET sequential, backward.
    ///
    /// # Errors
    /// As [`next`](Self::next); 8/4 before the first record.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.allow_read(intent)?;
        let spot = self.read(intent, |s| {
            let ksds = &s.ksds;
            match s.position {
                Position::None | Position::Start => Err(RequestError::NoPosition),
                Position::Beginning => Err(RequestError::EndOfData),
                Position::End => ksds.last_at(&vec![0xFF; ksds.shape.key_len], true),
                Position::BackAt => ksds.last_at(&s.key, true),
                // Nothing lies before the start of all keys.
                Position::At | Position::On if s.key.is_empty() => Ok(None),
                Position::At => ksds.last_at(&s.key, false),
                Position::On => ksds.last_before(s.spot, &s.key),
            }
        })?;
        match spot {
            Some(spot) => {
                self.count_step(&spot.leaf);
                self.counts.add(StringCount::Retrieved, 1);
                self.deliver(spot, intent, false)
            }
            None => {
                self.set_position(Position::Beginning);
                Err(RequestError::EndOfData)
            }
        }
    }

    /// The record that the last direct get returned.
    pub fn last(&self) -> Record<'_> {
        if let (Where::Page, Some(spot)) = (self.key_at, &self.spot) {
            let (offset, bytes) = self.page.record(spot.pos).unwrap_or_default();
            let rba = self.ksds.data.rba(spot.leaf.ci, offset);
            let bytes = match self.ksds.compressed {
                // It was expanded when it was read.
                Some(_) => &self.area,
                None => bytes,
            };
            return Record { bytes, rba, rrn: 0 };
        }
        Record {
            bytes: &self.area,
            rba: self.rba,
            rrn: 0,
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

    /// The key that a skip goes on from; empty: there is none.
    pub fn goes_on_from(&mut self) -> &[u8] {
        self.settle_key();
        match self.position {
            Position::At | Position::BackAt | Position::On => &self.key,
            _ => &[],
        }
    }

    /// Offset and length of the key in a record.
    pub fn key_place(&self) -> (usize, usize) {
        (self.ksds.shape.rkp, self.ksds.shape.key_len)
    }

    /// Is a record held for update?
    pub fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// See [`crate::Str::duplicate`].
    pub fn made_duplicate(&self) -> bool {
        self.duplicate
    }

    /// ENDREQ: gives up position and hold.
    pub fn end(&mut self) {
        self.release();
        self.set_position(Position::None);
    }

    // ---- for buffers of its own ----

    /// What it is a string on.
    pub fn ksds(&self) -> &Arc<Ksds> {
        &self.ksds
    }

    /// Where NEXT goes from: the page it stands on (sequence-set record, entry, CI), and the key from which on it
    /// looks, or (`true`) behind which. `None`: NEXT goes nowhere, or has the next record at hand.
    #[allow(clippy::type_complexity)]
    pub fn goes_forward_from(&mut self) -> Option<(Option<(u32, usize, u32)>, &[u8], bool)> {
        let place = |spot: &Spot| (spot.leaf.node.0, spot.leaf.entry, spot.leaf.ci);
        match self.position {
            Position::None | Position::End => None,
            Position::Start | Position::Beginning => Some((None, &[], false)),
            Position::At => Some((None, &self.key, false)),
            Position::BackAt => Some((None, &self.key, true)),
            Position::On => {
                let fresh = self.spot.filter(|spot| self.ksds.fresh(&spot.leaf));
                let more = |spot: &Spot| spot.pos + 1 < self.ksds.leaf_view(&spot.leaf).count();
                if fresh.as_ref().is_some_and(more) {
                    return None;
                }
                self.settle_key();
                Some((fresh.as_ref().map(place), &self.key, true))
            }
        }
    }

    /// The key from which PREV goes back.
    pub fn goes_back_from(&mut self) -> Option<&[u8]> {
        self.settle_key();
        let on = self.position == Position::On && self.spot.is_some_and(|spot| spot.pos > 0);
        (!on && !self.key.is_empty()).then_some(&self.key)
    }

    // ---- parts ----

    fn set_position(&mut self, position: Position) {
        self.position = position;
        self.spot = None;
    }

    fn lose(&mut self, error: RequestError) -> RequestError {
        self.set_position(Position::None);
        error
    }

    /// Who has what it holds.
    pub fn owner(&self) -> u64 {
        self.unit.as_ref().map_or(self.id, UnitOfRecovery::owner)
    }

    /// A string's next request releases what it held: nearly always nothing.
    #[inline]
    pub fn release(&mut self) {
        if self.held.is_some() {
            self.release_held();
        }
    }

    #[inline(never)]
    fn release_held(&mut self) {
        if let Some(key) = self.held.take() {
            self.ksds.holds.release(&key, self.owner());
            self.spare = key;
        }
    }

    fn allow_read(&mut self, intent: Intent) -> Result<(), RequestError> {
        self.settle_key();
        self.release();
        self.inner.allow_read(self.access, intent)
    }

    fn check_key(&self, key: &[u8]) -> Result<(), RequestError> {
        let key_length = self.ksds.shape.key_len;
        if key.is_empty() || key.len() > key_length {
            return Err(RequestError::KeyLength {
                given: key.len(),
                key_length,
            });
        }
        Ok(())
    }

    /// Finds a record and reads it into the area, again and again until its page did not change in between. For
    /// update it
    /// is held first and then looked at again: what another string made of it before that must be in the area.
    #[inline]
    fn read(
        &mut self,
        intent: Intent,
        find: impl Fn(&KeyedString) -> Result<Option<Spot>, RequestError>,
    ) -> Result<Option<Spot>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some(spot) = find(self)? else { return Ok(None) };
            let view = self.ksds.leaf_view(&spot.leaf);
            let spanned = view.segment() != 0;
            let sound = view.record(spot.pos, &mut self.area);
            // Believed, like the record, only if the page is fresh afterwards.
            self.rba = self.ksds.rba_of(&spot);
            if sound && self.ksds.fresh(&spot.leaf) && (!spanned || self.ksds.gather(&spot, &mut self.area)?) {
                if intent != Intent::Update {
                    self.expand_area()?;
                    return Ok(Some(spot));
                }
                let mut key = std::mem::take(&mut self.spare);
                key.clear();
                key.extend_from_slice(self.ksds.key_of(&self.area));
                let backouts = self.unit.as_ref().map_or(0, UnitOfRecovery::backouts);
                self.ksds.holds.hold(&key, self.owner())?;
                (self.held, self.held_at) = (Some(key), backouts);
                if self.ksds.fresh(&spot.leaf) {
                    self.expand_area()?;
                    return Ok(Some(spot));
                }
                self.release();
            }
            begun = self.ksds.again(begun)?;
        }
    }

    /// Hands out the record at `spot`, which is in the area.
    #[inline]
    fn deliver(&mut self, spot: Spot, intent: Intent, direct: bool) -> Result<Record<'_>, RequestError> {
        let rba = self.rba;
        if direct && intent == Intent::Read {
            self.set_position(Position::None);
        } else {
            self.key_at = Where::Area;
            self.position = Position::On;
            self.spot = Some(spot);
        }
        self.retrieved += 1;
        Ok(Record {
            bytes: &self.area,
            rba,
            rrn: 0,
        })
    }

    /// Hands out a record of the CI that was looked at, which leaves no position.
    fn hand_out(&mut self, ci: u32, record: Range<usize>) -> Result<Record<'_>, RequestError> {
        self.rba = self.ksds.data.rba(ci, record.start);
        let record = &self.unbuffered.glanced.image()[record];
        match &self.ksds.compressed {
            Some(compressed) => compressed.expand(record, &mut self.area)?,
            None => {
                self.area.clear();
                self.area.extend_from_slice(record);
            }
        }
        self.set_position(Position::None);
        self.retrieved += 1;
        Ok(self.last())
    }

    /// A record is handed out.
    #[inline(always)]
    fn count_retrieved(&mut self) {
        self.retrieved += 1;
        self.counts.add(StringCount::Retrieved, 1);
    }

    /// The record that the last get returned is not its user's.
    pub fn keep_to_itself(&mut self, direct: bool) {
        self.retrieved = self.retrieved.saturating_sub(1);
        self.counts.kept(direct);
    }

    /// A direct request found no record.
    #[cold]
    fn count_missed(&self) {
        self.counts.add(StringCount::Missed, 1);
        self.counts.add(StringCount::IndexLooks, self.ksds.top().1.into());
    }

    /// A request went from the root to a page.
    #[inline(always)]
    fn count_descent(&self) {
        self.counts.add(StringCount::DataLooks, 1);
        self.counts.add(StringCount::IndexLooks, self.ksds.top().1.into());
    }

    /// A request went to `to` from where the string was.
    fn count_step(&self, to: &Leaf) {
        match &self.spot {
            Some(from) if from.leaf.ci == to.ci => {}
            Some(from) => {
                self.counts.add(StringCount::DataLooks, 1);
                let other = from.leaf.node.0 != to.node.0;
                self.counts.add(StringCount::IndexLooks, other.into());
            }
            None => self.count_descent(),
        }
    }

    fn keep_key(&mut self) {
        self.key_at = Where::Area;
        self.settle_key();
    }
}

impl Drop for KeyedString {
    fn drop(&mut self) {
        self.release();
        self.ksds.counters.string_ends(self.retrieved);
    }
}
