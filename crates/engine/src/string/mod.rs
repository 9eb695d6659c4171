//! A string: one position in a data set, and the requests made through it.
//!
//! Between requests a string keeps a key, RBA or record number and a page version, never a latch or pin. The table of
//! its positions is in [`crate::request`].
//!
//! Here requests find their way to the string of each organization.
//!
//! | string on | in |
//! |---|---|
//! | a KSDS | `keyed` |
//! | an ESDS, RRDS or LDS | `numbered` |
//! | a VRRDS | `variable` |
//! | a path | `path` |
//! | a data set that another process owns | `far` |
//! | an open that asked for buffers | `buffered`, before each of these |
//!
//! How they wait for records of others is in `patience`, how they read only what is committed in `integrity`.

/// Makes the same request of a string of any organization, by the kind of argument that it understands.
macro_rules! by_argument {
    ($self:ident, $argument:expr, $request:ident ( $($more:expr),* )) => {{
        let argument = $argument;
        match &mut $self.of {
            AnyString::Ksds(string) => string.$request(key(argument)?, $($more),*),
            AnyString::Vrrds(string) => string.$request(rrn(argument)?, $($more),*),
            AnyString::Esds(string) => string.$request(rba(argument)?, $($more),*),
            AnyString::Rrds(string) => string.$request(rrn(argument)?.into(), $($more),*),
            AnyString::Lds(string) => string.$request(rba(argument)?, $($more),*),
            AnyString::Path(string) => string.$request(alternate(argument)?, $($more),*),
            AnyString::Far(string) => string.$request(argument, $($more),*),
        }
    }};
}

/// Makes a request of a string of any organization.
macro_rules! of_any {
    ($self:ident, $request:ident ( $($more:expr),* )) => {
        match &mut $self.of {
            AnyString::Ksds(string) => string.$request($($more),*),
            AnyString::Vrrds(string) => string.$request($($more),*),
            AnyString::Esds(string) => string.$request($($more),*),
            AnyString::Rrds(string) => string.$request($($more),*),
            AnyString::Lds(string) => string.$request($($more),*),
            AnyString::Path(string) => string.$request($($more),*),
            AnyString::Far(string) => string.$request($($more),*),
        }
    };
}

mod argument;
mod buffered;
mod far;
mod integrity;
mod interval;
mod keyed;
mod next_page;
mod numbered;
mod path;
mod patience;
mod variable;
mod way;

pub use way::AccessPath;

use crate::cluster::OpenCluster;
use crate::error::{CopyError, Feedback, RequestError};
use crate::esds::Esds;
use crate::far::FarString;
use crate::linear::Lds;
use crate::locks::{LockOwner, Patience};
use crate::open::OpenDataSet;
use crate::relative::Rrds;
use crate::request::{Access, Argument, Insert, Intent, Record, Search};
use crate::unit::UnitOfRecovery;
use argument::{alternate, key, rba, rrn};
use buffered::Buffered;
use cica_format::attributes::Organization;
use far::FarStr;
use integrity::{Integrity, ReadStep};
use keyed::KeyedString;
use numbered::NumberedString;
use path::PathString;
use std::sync::Arc;
use variable::VariableString;

/// See the module.
pub struct Str {
    of: AnyString,
    /// Of a string on a data set of this process.
    inner: Option<Arc<OpenDataSet>>,
    /// Its changes belong to a unit of recovery.
    in_unit: bool,
    /// How long it waits for records.
    patience: Patience,
    /// What its reads do about records of others; none: nothing.
    integrity: Option<Box<Integrity>>,
    /// Buffers that hold what it looks at; none: the pool does.
    own: Option<Box<Buffered>>,
    /// It has one of these two, so its reads are not made straight away.
    is_watched: bool,
    /// Who has what it holds, if a caller said so.
    owner: Option<LockOwner>,
    /// Images of the control intervals got last, and the first one's CI while they are held for PUT CNV.
    interval: (Vec<u8>, Option<u32>),
}

/// A string by organization.
enum AnyString {
    Ksds(KeyedString),
    Path(Box<PathString>),
    Vrrds(VariableString),
    Esds(NumberedString<Esds>),
    Rrds(NumberedString<Rrds>),
    Lds(NumberedString<Lds>),
    Far(FarStr),
}

impl Str {
    /// A string of an open for `access`; others may have the data set open for more.
    pub(crate) fn new(inner: Arc<OpenDataSet>, access: Access, id: u64) -> Str {
        let of = match &inner.records {
            OpenCluster::Ksds(ksds) if ksds.attributes.organization == Organization::Vrrds => {
                AnyString::Vrrds(VariableString::new(inner.clone(), ksds.clone(), access, id))
            }
            OpenCluster::Ksds(ksds) => AnyString::Ksds(KeyedString::new(inner.clone(), ksds.clone(), access, id)),
            OpenCluster::Esds(esds) => AnyString::Esds(NumberedString::new(inner.clone(), esds.clone(), access, id)),
            OpenCluster::Rrds(rrds) => AnyString::Rrds(NumberedString::new(inner.clone(), rrds.clone(), access, id)),
            OpenCluster::Lds(lds) => AnyString::Lds(NumberedString::new(inner.clone(), lds.clone(), access, id)),
        };
        Str {
            of,
            inner: Some(inner),
            in_unit: false,
            patience: Patience::None,
            integrity: None,
            own: None,
            is_watched: false,
            owner: None,
            interval: Default::default(),
        }
    }

    /// A string of an open of a data set that another process owns.
    pub(crate) fn far(string: Box<dyn FarString>, access: Access, unit: Option<&UnitOfRecovery>) -> Str {
        Str {
            of: AnyString::Far(FarStr::new(string, access, unit.cloned())),
            inner: None,
            in_unit: unit.is_some(),
            patience: Patience::None,
            integrity: None,
            own: None,
            is_watched: false,
            owner: None,
            interval: Default::default(),
        }
    }

    /// Its string of another process.
    pub(crate) fn far_string(&mut self) -> Option<&mut dyn FarString> {
        match &mut self.of {
            AnyString::Far(string) => Some(string.inner()),
            _ => None,
        }
    }

    /// From now on its changes belong to `unit`.
    pub(crate) fn within(mut self, unit: &UnitOfRecovery) -> Str {
        let unit = unit.clone();
        self.in_unit = true;
        match &mut self.of {
            AnyString::Ksds(string) => string.set_unit(unit),
            AnyString::Vrrds(string) => string.set_unit(unit),
            AnyString::Esds(string) => string.set_unit(unit),
            AnyString::Rrds(string) => string.set_unit(unit),
            AnyString::Lds(string) => string.set_unit(unit),
            // The string on the base, over which it is made, has it.
            AnyString::Path(_) => {}
            // It was made in it.
            AnyString::Far(_) => {}
        }
        self
    }

    /// From now on CIs that it has read through, going forward, leave the pool if nobody changed them: for who reads
    /// once, memory for more than what is read ahead is cleared, filled and given back for nothing.
    pub fn leave_no_pages(&mut self) {
        match &mut self.of {
            AnyString::Ksds(string) => string.leave_no_pages(),
            AnyString::Vrrds(string) => string.leave_no_pages(),
            AnyString::Esds(string) => string.leave_no_pages(),
            AnyString::Rrds(string) => string.leave_no_pages(),
            AnyString::Lds(string) => string.leave_no_pages(),
            // It comes to the base's records in no order.
            AnyString::Path(_) => {}
            // It has no pages here.
            AnyString::Far(_) => {}
        }
    }

    /// What its open is for.
    pub(crate) fn access(&self) -> Access {
        match &self.of {
            AnyString::Ksds(string) => string.access(),
            AnyString::Vrrds(string) => string.access(),
            AnyString::Esds(string) => string.access(),
            AnyString::Rrds(string) => string.access(),
            AnyString::Lds(string) => string.access(),
            AnyString::Path(string) => string.access(),
            AnyString::Far(string) => string.access(),
        }
    }

    /// A string on a path, over one of its own on the base.
    pub(crate) fn through(inner: Arc<OpenDataSet>, way: Arc<AccessPath>, base: Str) -> Str {
        Str {
            of: AnyString::Path(Box::new(PathString::new(inner.clone(), way, base))),
            inner: Some(inner),
            in_unit: false,
            patience: Patience::None,
            integrity: None,
            own: None,
            is_watched: false,
            owner: None,
            interval: Default::default(),
        }
    }

    /// The record that the last direct get returned, through a path the last get of any kind.
    #[inline]
    pub fn last(&self) -> Record<'_> {
        match &self.of {
            AnyString::Ksds(string) => string.last(),
            AnyString::Vrrds(string) => string.last(),
            AnyString::Esds(string) => string.last(),
            AnyString::Rrds(string) => string.last(),
            AnyString::Lds(string) => string.last(),
            AnyString::Path(string) => string.last(),
            AnyString::Far(string) => string.last(),
        }
    }

    /// Is a record held for update?
    pub(crate) fn holds(&self) -> bool {
        match &self.of {
            AnyString::Ksds(string) => string.holds(),
            AnyString::Vrrds(string) => string.holds(),
            AnyString::Esds(string) => string.holds(),
            AnyString::Rrds(string) => string.holds(),
            AnyString::Lds(string) => string.holds(),
            AnyString::Path(string) => string.holds(),
            AnyString::Far(string) => string.holds(),
        }
    }

    // ---- reading ----

    /// GET direct. A key shorter than the data set's is generic.
    ///
    /// # Errors
    /// 8/16 not found, 8/20 held by another string, 8/32 no record starts at that RBA, 8/68, 8/112, 8/116, 12/x; 8/72,
    /// 8/104, 8/196: the organization has no such argument.
    #[inline]
    pub fn get<'a>(
        &mut self,
        argument: impl Into<Argument<'a>>,
        search: Search,
        intent: Intent,
    ) -> Result<Record<'_>, RequestError> {
        let argument = argument.into();
        if intent == Intent::Update || self.is_watched {
            self.carefully(ReadStep::Get(argument, search), intent)?;
            return Ok(self.last());
        }
        self.get_now(argument, search, intent)
    }

    #[inline]
    fn get_now(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        match &mut self.of {
            AnyString::Ksds(string) => match argument {
                Argument::Rba(rba) => string.get_rba(rba, intent),
                argument => string.get(key(argument)?, search, intent),
            },
            AnyString::Vrrds(string) => string.get(rrn(argument)?, search, intent),
            AnyString::Esds(string) => string.get(rba(argument)?, search, intent),
            AnyString::Rrds(string) => string.get(rrn(argument)?.into(), search, intent),
            AnyString::Lds(string) => string.get(rba(argument)?, search, intent),
            AnyString::Path(string) => string.get(alternate(argument)?, search, intent),
            AnyString::Far(string) => string.get(argument, search, intent),
        }
    }

    /// GET direct into the caller's area; returns the record's length.
    ///
    /// # Errors
    /// As [`get`](Self::get), and 8/44.
    pub fn get_into<'a>(
        &mut self,
        argument: impl Into<Argument<'a>>,
        search: Search,
        intent: Intent,
        area: &mut [u8],
    ) -> Result<usize, RequestError> {
        let have = area.len();
        let record = self.get(argument, search, intent)?;
        let need = record.bytes.len();
        match area.get_mut(..need) {
            Some(to) => {
                to.copy_from_slice(record.bytes);
                Ok(need)
            }
            None => Err(RequestError::AreaTooSmall { need, have }),
        }
    }

    /// GET skip-sequential: forward from the position to the record named.
    ///
    /// # Errors
    /// As [`get`](Self::get), and 8/12 when that lies before the position.
    pub fn skip<'a>(
        &mut self,
        argument: impl Into<Argument<'a>>,
        search: Search,
        intent: Intent,
    ) -> Result<Record<'_>, RequestError> {
        let argument = argument.into();
        if intent == Intent::Update || self.is_watched {
            self.carefully(ReadStep::Skip(argument, search), intent)?;
            return Ok(self.last());
        }
        self.skip_now(argument, search, intent)
    }

    fn skip_now(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        by_argument!(self, argument, skip(search, intent))
    }

    /// POINT: the next NEXT returns the record found.
    ///
    /// # Errors
    /// 8/16, 8/112, 8/116, 12/x.
    pub fn point<'a>(&mut self, argument: impl Into<Argument<'a>>, search: Search) -> Result<(), RequestError> {
        let argument = argument.into();
        self.stands_at(argument);
        self.point_now(argument, search, false)
    }

    fn point_now(&mut self, argument: Argument<'_>, search: Search, backward: bool) -> Result<(), RequestError> {
        self.bring(ReadStep::Get(argument, search))?;
        by_argument!(self, argument, point(search, backward))
    }

    /// POINT backward: the next PREV returns the record found.
    ///
    /// # Errors
    /// As [`point`](Self::point).
    pub fn point_backward<'a>(
        &mut self,
        argument: impl Into<Argument<'a>>,
        search: Search,
    ) -> Result<(), RequestError> {
        let argument = argument.into();
        self.stands_at(argument);
        self.point_now(argument, search, true)
    }

    /// Stands on a record that it has shown, though that has gone since: the next NEXT returns the one behind it.
    /// Through a path, the first one from there on.
    ///
    /// # Errors
    /// 8/68, 8/112, 8/116, 12/16.
    pub fn stand_on<'a>(&mut self, argument: impl Into<Argument<'a>>) -> Result<(), RequestError> {
        let argument = argument.into();
        match &mut self.of {
            AnyString::Ksds(string) => string.stand_on(key(argument)?)?,
            AnyString::Vrrds(string) => string.stand_on(rrn(argument)?)?,
            AnyString::Esds(string) => string.stand_on(rba(argument)?)?,
            AnyString::Rrds(string) => string.stand_on(rrn(argument)?.into())?,
            AnyString::Lds(string) => string.stand_on(rba(argument)?)?,
            AnyString::Path(_) | AnyString::Far(_) => {
                return match self.point(argument, Search::GreaterOrEqual) {
                    Err(RequestError::NotFound) => self.point_last(),
                    done => done,
                }
            }
        }
        self.stands_on_named(argument);
        Ok(())
    }

    /// The next NEXT returns the first record.
    ///
    /// # Errors
    /// 8/116, 12/16.
    pub fn point_first(&mut self) -> Result<(), RequestError> {
        self.stands_at_end(false);
        self.point_end_now(false)
    }

    /// The next PREV returns the last record.
    ///
    /// # Errors
    /// 8/116, 12/16.
    pub fn point_last(&mut self) -> Result<(), RequestError> {
        self.stands_at_end(true);
        self.point_end_now(true)
    }

    fn point_end_now(&mut self, last: bool) -> Result<(), RequestError> {
        of_any!(self, point_end(last))
    }

    /// Through a path: PREV returns records with the same alternate key last first from now on, not in the order of
    /// their arrival.
    pub fn mirror_duplicates(&mut self) {
        match &mut self.of {
            AnyString::Path(string) => string.mirror_duplicates(),
            AnyString::Far(string) => string.mirror_duplicates(),
            _ => {}
        }
    }

    /// Through a path: the next NEXT or PREV returns the record returned last once more, or its neighbour if it is
    /// gone.
    pub fn stay(&mut self) {
        match &mut self.of {
            AnyString::Path(string) => string.stay(),
            AnyString::Far(string) => string.stay(),
            _ => {}
        }
    }

    /// The record that the last get returned is not handed over, so it does not count as retrieved: it was got for a
    /// request of another kind. `direct`: it was a direct get, which does not count as one either. Of a data set that
    /// another process has it counts there.
    pub fn keep_to_itself(&mut self, direct: bool) {
        match &mut self.of {
            AnyString::Ksds(string) => string.keep_to_itself(direct),
            AnyString::Vrrds(string) => string.keep_to_itself(direct),
            AnyString::Esds(string) => string.keep_to_itself(direct),
            AnyString::Rrds(string) => string.keep_to_itself(direct),
            AnyString::Lds(string) => string.keep_to_itself(direct),
            AnyString::Path(string) => string.keep_to_itself(direct),
            AnyString::Far(_) => {}
        }
    }

    /// GET sequential, forward.
    ///
    /// # Errors
    /// 8/4 at the end, 8/20, 8/68, 8/88, 8/116, 12/x.
    #[inline]
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        if intent == Intent::Update || self.is_watched {
            self.carefully(ReadStep::Next, intent)?;
            return Ok(self.last());
        }
        of_any!(self, next(intent))
    }

    /// GET sequential, backward.
    ///
    /// # Errors
    /// As [`next`](Self::next); 8/4 before the first record.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        if intent == Intent::Update || self.is_watched {
            self.carefully(ReadStep::Prev, intent)?;
            return Ok(self.last());
        }
        of_any!(self, prev(intent))
    }

    // ---- changing ----

    /// PUT insert: by the record's key; behind the last record (ESDS, LDS); at the number behind this string's last
    /// sequential insert, or behind the last record (RRDS, VRRDS). Returns the record's RBA, of an RRDS or VRRDS its
    /// number.
    ///
    /// # Errors
    /// 8/8 duplicate, 8/12 out of sequence, 8/28 no space, 8/68, 8/108, 8/116, 8/192, 12/x.
    #[inline]
    pub fn insert(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        let done = match self.patience {
            Patience::None => self.insert_now(record, how),
            _ => self.patiently(|s| s.insert_now(record, how)),
        };
        if let (true, Ok(number)) = (self.integrity.is_some(), &done) {
            self.stands_on_stored(record, *number);
        }
        done
    }

    /// Will [`copy_next`](Self::copy_next) copy the records of `from` as they are stored? It does from a compressed KSDS
    /// into an empty compressed one with the same keys, which takes over its dictionary here. Strings that wait,
    /// read consistently or have buffers do not.
    ///
    /// # Errors
    /// 12/x: the dictionary cannot be written.
    pub fn takes_as_stored(&mut self, from: &Str) -> Result<bool, RequestError> {
        let plain = self.is_plain() && from.is_plain();
        match (&mut self.of, &from.of) {
            (AnyString::Ksds(to), AnyString::Ksds(of)) if plain => to.takes_as_stored(of),
            _ => Ok(false),
        }
    }

    /// Nothing is to be done about its requests but to make them.
    fn is_plain(&self) -> bool {
        self.patience == Patience::None && self.integrity.is_none() && !self.in_unit && self.own.is_none()
    }

    /// The record that [`next`](Self::next) has just returned as a compressed data set stores it, of a VRRDS without its
    /// number. `None`: records are stored as they are, or the string is that of a path, or of a data set that another
    /// process has.
    pub fn last_as_stored(&self) -> Option<&[u8]> {
        match &self.of {
            AnyString::Ksds(s) => s.last_as_stored(),
            AnyString::Vrrds(s) => s.last_as_stored(),
            AnyString::Esds(s) => s.last_as_stored(),
            _ => None,
        }
    }

    /// GET sequential of `from`, and PUT insert of the record into this data set, without it being expanded and
    /// compressed where [`takes_as_stored`](Self::takes_as_stored) said so. False: `from` is at its end.
    ///
    /// # Errors
    /// As [`next`](Self::next) and as [`insert`](Self::insert); the record that was refused is `from`'s last.
    pub fn copy_next(&mut self, from: &mut Str) -> Result<bool, CopyError> {
        let plain = self.is_plain() && from.is_plain();
        if let (AnyString::Ksds(to), AnyString::Ksds(of), true) = (&mut self.of, &mut from.of, plain) {
            return to.copy_next(of);
        }
        match from.next(Intent::Read) {
            Ok(record) => self
                .insert(record.bytes, Insert::Sequential)
                .map_err(CopyError::Write)?,
            Err(RequestError::EndOfData) => return Ok(false),
            Err(error) => return Err(CopyError::Read(error)),
        };
        Ok(true)
    }

    #[inline]
    fn insert_now(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        if self.own.is_some() {
            self.insert_buffered(record, how)
        } else {
            self.insert_plainly(record, how)
        }
    }

    #[inline]
    fn insert_plainly(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        match &mut self.of {
            AnyString::Ksds(string) => string.insert(record, how),
            // The order of the alternate keys is not the order of the base, which is what sequential means there.
            AnyString::Path(string) => string.insert(record),
            AnyString::Vrrds(string) => string.insert(None, record, how).map(u64::from),
            AnyString::Esds(string) => string.insert(None, record, how),
            AnyString::Rrds(string) => string.insert(None, record, how),
            AnyString::Lds(string) => string.insert(None, record, how),
            AnyString::Far(string) => string.insert(record, how),
        }
    }

    /// PUT insert into the slot with a relative record number: RRDS and VRRDS.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); 8/76: the records have no numbers.
    pub fn insert_at(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        match self.patience {
            Patience::None => self.insert_at_now(rrn, record, how),
            _ => self.patiently(|s| s.insert_at_now(rrn, record, how)),
        }?;
        self.stands_on_stored(record, rrn.into());
        Ok(())
    }

    #[inline]
    fn insert_at_now(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        if self.own.is_some() {
            return self.insert_at_buffered(rrn, record, how);
        }
        self.insert_at_plainly(rrn, record, how)
    }

    #[inline]
    fn insert_at_plainly(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        match &mut self.of {
            AnyString::Vrrds(string) => string.insert(Some(rrn), record, how).map(drop),
            AnyString::Rrds(string) => string.insert(Some(rrn.into()), record, how).map(drop),
            AnyString::Ksds(_) | AnyString::Esds(_) | AnyString::Lds(_) => Err(RequestError::AddressedInsert),
            AnyString::Path(_) => Err(RequestError::PathAddressed),
            AnyString::Far(string) => string.insert_at(rrn, record, how),
        }
    }

    /// PUT update of the record that was got with [`Intent::Update`]. Returns its RBA, of an RRDS or VRRDS its number.
    ///
    /// # Errors
    /// 8/92 nothing held, 8/96 key changed, 8/100 length changed (ESDS), 8/108, 8/28, 8/68, 12/x.
    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        if self.patience != Patience::None {
            return self.patiently(|s| s.update_now(record));
        }
        self.update_now(record)
    }

    #[inline]
    fn update_now(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        if self.own.is_some() {
            self.update_buffered(record)
        } else {
            self.update_plainly(record)
        }
    }

    #[inline]
    fn update_plainly(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        match &mut self.of {
            AnyString::Ksds(string) => string.update(record),
            AnyString::Path(string) => string.update(record),
            AnyString::Vrrds(string) => string.update(record).map(u64::from),
            AnyString::Esds(string) => string.update(record),
            AnyString::Rrds(string) => string.update(record),
            AnyString::Lds(string) => string.update(record),
            AnyString::Far(string) => string.update(record),
        }
    }

    /// GET for update by `argument` and PUT update in one request: replaces the record with this key or number, which
    /// `record` has as well. Returns what [`update`](Self::update) does.
    ///
    /// # Errors
    /// As [`get`](Self::get) and [`update`](Self::update); 8/96: another record than `argument` says.
    pub fn rewrite<'a>(&mut self, argument: impl Into<Argument<'a>>, record: &[u8]) -> Result<u64, RequestError> {
        let argument = argument.into();
        if let AnyString::Far(string) = &mut self.of {
            return string.rewrite(argument, record);
        }
        // Buffers have to be told of what they write: they are by the two requests.
        let buffered = self.own.is_some();
        if let (AnyString::Ksds(string), Argument::Key(key), false) = (&mut self.of, argument, buffered) {
            // What another owner has is met again by the get, which waits.
            match string.rewrite_where_it_stands(key, record) {
                Ok(Some(rba)) => return Ok(rba),
                Err(RequestError::Exclusive { .. }) if self.patience != Patience::None => {}
                Ok(None) => {}
                Err(error) => return Err(error),
            }
        }
        let got = self.get(argument, Search::Equal, Intent::Update).map(drop);
        got.and_then(|()| {
            self.keep_to_itself(true);
            self.update(record)
        })
    }

    /// ERASE of the record that was got with [`Intent::Update`].
    ///
    /// # Errors
    /// 8/92 nothing held, 8/80 ESDS or LDS, 8/68, 12/x.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        if self.patience != Patience::None {
            return self.patiently(|s| s.erase_now());
        }
        self.erase_now()
    }

    #[inline]
    fn erase_now(&mut self) -> Result<(), RequestError> {
        if self.own.is_some() {
            self.erase_buffered()
        } else {
            self.erase_plainly()
        }
    }

    #[inline]
    fn erase_plainly(&mut self) -> Result<(), RequestError> {
        of_any!(self, erase())
    }

    /// 0/8: after a get through a path, that another record with the same alternate key follows; after an insert or
    /// update, that the record has an alternate key of another record too.
    pub fn duplicate(&self) -> bool {
        match &self.of {
            AnyString::Ksds(string) => string.made_duplicate(),
            AnyString::Path(string) => string.duplicate(),
            AnyString::Esds(string) => string.made_duplicate(),
            AnyString::Far(string) => string.duplicate(),
            AnyString::Vrrds(_) | AnyString::Rrds(_) | AnyString::Lds(_) => false,
        }
    }

    /// VSAM's numbers for an error of this string's last request: through a path it is the alternate index in which
    /// nothing was found.
    pub fn feedback(&self, error: &RequestError) -> Feedback {
        let nothing = matches!(error, RequestError::NotFound | RequestError::EndOfData);
        let is_path = match &self.of {
            AnyString::Path(_) => true,
            AnyString::Far(string) => string.is_path(),
            _ => false,
        };
        if nothing && is_path {
            Feedback {
                component: 2,
                ..error.feedback()
            }
        } else {
            error.feedback()
        }
    }

    /// ENDREQ: gives up position and hold.
    pub fn end(&mut self) {
        self.end_buffered();
        self.give_up();
    }

    /// The same, and what was put off is put off still.
    fn give_up(&mut self) {
        self.stands_at_end(false);
        of_any!(self, end())
    }
}
