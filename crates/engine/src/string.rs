//! A string: one position in a data set, and the requests made through it.
//!
//! Between requests a string keeps a key, RBA or record number and a page version, never a latch or pin. The table of
//! its positions is in [`crate::request`].
//!
//! What a string of each organization does is in the organization's own directory; here requests find their way to it.

use crate::dataset::Inner;
use crate::error::{Feedback, RequestError};
use crate::esds::Esds;
use crate::ksds::KsdsString;
use crate::linear::Lds;
use crate::numbered::NumberedString;
use crate::organized::Organized;
use crate::relative::variable::VariableString;
use crate::relative::Rrds;
use crate::request::{Access, Argument, Insert, Intent, Record, Search, NOT_IN_UNITS};
use crate::sphere::{PathString, Way};
use crate::unit::UnitOfRecovery;
use cica_format::attributes::Organization;
use std::sync::Arc;

/// See the module.
pub struct Str {
    of: Of,
    inner: Arc<Inner>,
    /// Its changes belong to a unit of recovery.
    in_unit: bool,
    /// Image of the control interval got last, and its CI while it is held for PUT CNV.
    interval: (Vec<u8>, Option<u32>),
}

/// A string by organization.
enum Of {
    Ksds(KsdsString),
    Path(Box<PathString>),
    Vrrds(VariableString),
    Esds(NumberedString<Esds>),
    Rrds(NumberedString<Rrds>),
    Lds(NumberedString<Lds>),
}

/// Makes the same request of a string of any organization, by the kind of argument that it understands.
macro_rules! by_argument {
    ($self:ident, $argument:expr, $request:ident ( $($more:expr),* )) => {{
        let argument = $argument;
        match &mut $self.of {
            Of::Ksds(string) => string.$request(key(argument)?, $($more),*),
            Of::Vrrds(string) => string.$request(rrn(argument)?, $($more),*),
            Of::Esds(string) => string.$request(rba(argument)?, $($more),*),
            Of::Rrds(string) => string.$request(rrn(argument)?.into(), $($more),*),
            Of::Lds(string) => string.$request(rba(argument)?, $($more),*),
            Of::Path(string) => string.$request(alternate(argument)?, $($more),*),
        }
    }};
}

/// Makes a request of a string of any organization.
macro_rules! of_any {
    ($self:ident, $request:ident ( $($more:expr),* )) => {
        match &mut $self.of {
            Of::Ksds(string) => string.$request($($more),*),
            Of::Vrrds(string) => string.$request($($more),*),
            Of::Esds(string) => string.$request($($more),*),
            Of::Rrds(string) => string.$request($($more),*),
            Of::Lds(string) => string.$request($($more),*),
            Of::Path(string) => string.$request($($more),*),
        }
    };
}

impl Str {
    /// A string of an open for `access`; others may have the data set open for more.
    pub(crate) fn new(inner: Arc<Inner>, access: Access, id: u64) -> Str {
        let of = match &inner.records {
            Organized::Ksds(ksds) if ksds.attributes.organization == Organization::Vrrds => {
                Of::Vrrds(VariableString::new(inner.clone(), ksds.clone(), access, id))
            }
            Organized::Ksds(ksds) => Of::Ksds(KsdsString::new(inner.clone(), ksds.clone(), access, id)),
            Organized::Esds(esds) => Of::Esds(NumberedString::new(inner.clone(), esds.clone(), access, id)),
            Organized::Rrds(rrds) => Of::Rrds(NumberedString::new(inner.clone(), rrds.clone(), access, id)),
            Organized::Lds(lds) => Of::Lds(NumberedString::new(inner.clone(), lds.clone(), access, id)),
        };
        Str {
            of,
            inner,
            in_unit: false,
            interval: Default::default(),
        }
    }

    /// From now on its changes belong to `unit`.
    pub(crate) fn within(mut self, unit: &UnitOfRecovery) -> Str {
        let unit = unit.clone();
        self.in_unit = true;
        match &mut self.of {
            Of::Ksds(string) => string.set_unit(unit),
            Of::Vrrds(string) => string.set_unit(unit),
            Of::Esds(string) => string.set_unit(unit),
            Of::Rrds(string) => string.set_unit(unit),
            Of::Lds(string) => string.set_unit(unit),
            // The string on the base, over which it is made, has it.
            Of::Path(_) => {}
        }
        self
    }

    /// From now on CIs that it has read through, going forward, leave the pool if nobody changed them: for who reads
    /// once, memory for more than what is read ahead is cleared, filled and given back for nothing.
    pub fn leave_no_pages(&mut self) {
        match &mut self.of {
            Of::Ksds(string) => string.leave_no_pages(),
            Of::Vrrds(string) => string.leave_no_pages(),
            Of::Esds(string) => string.leave_no_pages(),
            Of::Rrds(string) => string.leave_no_pages(),
            Of::Lds(string) => string.leave_no_pages(),
            // It comes to the base's records in no order.
            Of::Path(_) => {}
        }
    }

    /// What its open is for.
    pub(crate) fn access(&self) -> Access {
        match &self.of {
            Of::Ksds(string) => string.access(),
            Of::Vrrds(string) => string.access(),
            Of::Esds(string) => string.access(),
            Of::Rrds(string) => string.access(),
            Of::Lds(string) => string.access(),
            Of::Path(string) => string.access(),
        }
    }

    /// A string on a path, over one of its own on the base.
    pub(crate) fn through(inner: Arc<Inner>, way: Arc<Way>, base: Str) -> Str {
        Str {
            of: Of::Path(Box::new(PathString::new(inner.clone(), way, base))),
            inner,
            in_unit: false,
            interval: Default::default(),
        }
    }

    /// The record that the last direct get returned, through a path the last get of any kind.
    #[inline]
    pub fn last(&self) -> Record<'_> {
        match &self.of {
            Of::Ksds(string) => string.last(),
            Of::Vrrds(string) => string.last(),
            Of::Esds(string) => string.last(),
            Of::Rrds(string) => string.last(),
            Of::Lds(string) => string.last(),
            Of::Path(string) => string.last(),
        }
    }

    /// Is a record held for update?
    pub(crate) fn holds(&self) -> bool {
        match &self.of {
            Of::Ksds(string) => string.holds(),
            Of::Vrrds(string) => string.holds(),
            Of::Esds(string) => string.holds(),
            Of::Rrds(string) => string.holds(),
            Of::Lds(string) => string.holds(),
            Of::Path(string) => string.holds(),
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
        match &mut self.of {
            Of::Ksds(string) => match argument {
                Argument::Rba(rba) => string.get_rba(rba, intent),
                argument => string.get(key(argument)?, search, intent),
            },
            Of::Vrrds(string) => string.get(rrn(argument)?, search, intent),
            Of::Esds(string) => string.get(rba(argument)?, search, intent),
            Of::Rrds(string) => string.get(rrn(argument)?.into(), search, intent),
            Of::Lds(string) => string.get(rba(argument)?, search, intent),
            Of::Path(string) => string.get(alternate(argument)?, search, intent),
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
        by_argument!(self, argument.into(), skip(search, intent))
    }

    /// POINT: the next NEXT returns the record found.
    ///
    /// # Errors
    /// 8/16, 8/112, 8/116, 12/x.
    pub fn point<'a>(&mut self, argument: impl Into<Argument<'a>>, search: Search) -> Result<(), RequestError> {
        by_argument!(self, argument.into(), point(search, false))
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
        by_argument!(self, argument.into(), point(search, true))
    }

    /// The next NEXT returns the first record.
    ///
    /// # Errors
    /// 8/116, 12/16.
    pub fn point_first(&mut self) -> Result<(), RequestError> {
        of_any!(self, point_end(false))
    }

    /// The next PREV returns the last record.
    ///
    /// # Errors
    /// 8/116, 12/16.
    pub fn point_last(&mut self) -> Result<(), RequestError> {
        of_any!(self, point_end(true))
    }

    /// Through a path: PREV returns records with the same alternate key last first from now on, not in the order of
    /// their arrival.
    pub fn mirror_duplicates(&mut self) {
        if let Of::Path(string) = &mut self.of {
            string.mirror_duplicates();
        }
    }

    /// Through a path: the next NEXT or PREV returns the record returned last once more, or its neighbour if it is
    /// gone.
    pub fn stay(&mut self) {
        if let Of::Path(string) = &mut self.of {
            string.stay();
        }
    }

    /// GET sequential, forward.
    ///
    /// # Errors
    /// 8/4 at the end, 8/20, 8/68, 8/88, 8/116, 12/x.
    #[inline]
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        of_any!(self, next(intent))
    }

    /// GET sequential, backward.
    ///
    /// # Errors
    /// As [`next`](Self::next); 8/4 before the first record.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
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
        match &mut self.of {
            Of::Ksds(string) => string.insert(record, how),
            // The order of the alternate keys is not the order of the base, which is what sequential means there.
            Of::Path(string) => string.insert(record),
            Of::Vrrds(string) => string.insert(None, record, how).map(u64::from),
            Of::Esds(string) => string.insert(None, record, how),
            Of::Rrds(string) => string.insert(None, record, how),
            Of::Lds(string) => string.insert(None, record, how),
        }
    }

    /// PUT insert into the slot with a relative record number: RRDS and VRRDS.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); 8/76: the records have no numbers.
    pub fn insert_at(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Vrrds(string) => string.insert(Some(rrn), record, how).map(drop),
            Of::Rrds(string) => string.insert(Some(rrn.into()), record, how).map(drop),
            Of::Ksds(_) | Of::Esds(_) | Of::Lds(_) => Err(RequestError::AddressedInsert),
            Of::Path(_) => Err(RequestError::PathAddressed),
        }
    }

    /// PUT update of the record that was got with [`Intent::Update`]. Returns its RBA, of an RRDS or VRRDS its number.
    ///
    /// # Errors
    /// 8/92 nothing held, 8/96 key changed, 8/100 length changed (ESDS), 8/108, 8/28, 8/68, 12/x.
    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.update(record),
            Of::Path(string) => string.update(record),
            Of::Vrrds(string) => string.update(record).map(u64::from),
            Of::Esds(string) => string.update(record),
            Of::Rrds(string) => string.update(record),
            Of::Lds(string) => string.update(record),
        }
    }

    /// GET for update by `argument` and PUT update in one request: replaces the record with this key or number, which
    /// `record` has as well. Returns what [`update`](Self::update) does.
    ///
    /// # Errors
    /// As [`get`](Self::get) and [`update`](Self::update); 8/96: another record than `argument` says.
    pub fn rewrite<'a>(&mut self, argument: impl Into<Argument<'a>>, record: &[u8]) -> Result<u64, RequestError> {
        let argument = argument.into();
        if let (Of::Ksds(string), Argument::Key(key)) = (&mut self.of, argument) {
            if let Some(rba) = string.rewrite_where_it_stands(key, record)? {
                return Ok(rba);
            }
        }
        let got = self.get(argument, Search::Equal, Intent::Update).map(drop);
        got.and_then(|()| self.update(record))
    }

    /// ERASE of the record that was got with [`Intent::Update`].
    ///
    /// # Errors
    /// 8/92 nothing held, 8/80 ESDS or LDS, 8/68, 12/x.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        of_any!(self, erase())
    }

    // ---- control intervals ----

    /// GET CNV: the true image of the control interval that begins at `rba`. With [`Intent::Update`] it may be put back
    /// changed. The position of other requests stays.
    ///
    /// # Errors
    /// 8/32: no control interval in use begins there; 8/68, 8/116, 8/200 through a path, 12/x.
    pub fn get_interval(&mut self, rba: u64, intent: Intent) -> Result<Record<'_>, RequestError> {
        if matches!(self.of, Of::Path(_)) {
            return Err(RequestError::PathAddressed);
        }
        self.interval.1 = None;
        self.inner.allow_read(self.access(), intent)?;
        let ci = self
            .inner
            .records
            .interval_at(rba)
            .ok_or(RequestError::BadRba { rba })?;
        self.interval.0 = self.inner.common().data.image(ci)?;
        self.interval.1 = Some(ci).filter(|_| intent == Intent::Update);
        Ok(Record {
            bytes: &self.interval.0,
            rba,
            rrn: 0,
        })
    }

    /// PUT CNV, update of the control interval that was got with [`Intent::Update`]: in an LDS any bytes; in an RRDS any
    /// slots, full or empty; elsewhere the same records with other bytes behind their keys.
    ///
    /// # Errors
    /// 8/92 nothing held; 8/108 not CISZ bytes; 8/156 not such an image, its records lie elsewhere, or one is spanned;
    /// 8/96 a key changed; 8/20 a string holds a record that changes; 8/104 the base of an upgrade set; 8/68; 12/x.
    pub fn put_interval(&mut self, image: &[u8]) -> Result<(), RequestError> {
        self.inner
            .allow_change(self.access(), "replacing control intervals (open for output)")?;
        let Some(ci) = self.interval.1 else {
            return Err(RequestError::NoUpdate);
        };
        if self.in_unit {
            return Err(NOT_IN_UNITS);
        }
        let size = self.inner.common().data.layout.ci_size;
        if image.len() != size {
            return Err(RequestError::Length {
                given: image.len(),
                least: size,
                most: size,
            });
        }
        if self.inner.sphere().is_some() {
            return Err(RequestError::Options {
                what:
                    "control intervals of a base are not replaced while its upgrade set is open: it would fall behind",
            });
        }
        self.inner.records.put_interval(ci, image)?;
        self.interval.1 = None;
        self.inner.after_change()
    }

    // ---- bytes ----

    /// LDS: reads `out.len()` bytes from `rba` on.
    ///
    /// # Errors
    /// 8/32: the range does not begin and end at multiples of 4,096, or ends behind the data; 8/104: no LDS; 12/x.
    pub fn read_range(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Lds(string) => string.read_range(rba, out),
            _ => Err(NO_BYTES),
        }
    }

    /// LDS: writes bytes from `rba` on, over what is there and beyond its end.
    ///
    /// # Errors
    /// 8/32: the range does not begin and end at multiples of 4,096, or begins behind the end; 8/28; 8/68; 8/104; 12/x.
    pub fn write_range(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Lds(string) => string.write_range(rba, bytes),
            _ => Err(NO_BYTES),
        }
    }

    /// 0/8: after a get through a path, that another record with the same alternate key follows; after an insert or
    /// update, that the record has an alternate key of another record too.
    pub fn duplicate(&self) -> bool {
        match &self.of {
            Of::Ksds(string) => string.made_duplicate(),
            Of::Path(string) => string.duplicate(),
            Of::Esds(string) => string.made_duplicate(),
            Of::Vrrds(_) | Of::Rrds(_) | Of::Lds(_) => false,
        }
    }

    /// VSAM's numbers for an error of this string's last request: through a path it is the alternate index in which
    /// nothing was found.
    pub fn feedback(&self, error: &RequestError) -> Feedback {
        let nothing = matches!(error, RequestError::NotFound | RequestError::EndOfData);
        match &self.of {
            Of::Path(_) if nothing => Feedback {
                component: 2,
                ..error.feedback()
            },
            _ => error.feedback(),
        }
    }

    /// ENDREQ: gives up position and hold.
    pub fn end(&mut self) {
        of_any!(self, end())
    }
}

/// A range of bytes of a data set that has records.
const NO_BYTES: RequestError = RequestError::Options {
    what: "only a linear data set is read and written by ranges of bytes",
};

/// The key of a request to a KSDS.
fn key(argument: Argument<'_>) -> Result<&[u8], RequestError> {
    match argument {
        Argument::Key(key) => Ok(key),
        Argument::Rba(_) => Err(RequestError::Options {
            what: "a key-sequenced data set is positioned by key; GET takes an RBA",
        }),
        Argument::Rrn(_) => Err(RequestError::Options {
            what: "a key-sequenced data set has no relative record numbers",
        }),
    }
}

/// The RBA of a request to an ESDS or LDS.
fn rba(argument: Argument<'_>) -> Result<u64, RequestError> {
    match argument {
        Argument::Rba(rba) => Ok(rba),
        Argument::Key(_) | Argument::Rrn(_) => Err(RequestError::NoKeys),
    }
}

/// The number of a request to an RRDS or VRRDS; also as a key of four bytes, big-endian.
fn rrn(argument: Argument<'_>) -> Result<u32, RequestError> {
    match argument {
        Argument::Rrn(rrn) => Ok(rrn),
        Argument::Rba(_) => Err(RequestError::NoAddresses),
        Argument::Key(key) => match key.try_into() {
            Ok(number) => Ok(u32::from_be_bytes(number)),
            Err(_) => Err(RequestError::KeyLength {
                given: key.len(),
                key_length: 4,
            }),
        },
    }
}

/// The alternate key of a request through a path.
fn alternate(argument: Argument<'_>) -> Result<&[u8], RequestError> {
    match argument {
        Argument::Key(key) => Ok(key),
        Argument::Rba(_) | Argument::Rrn(_) => Err(RequestError::PathAddressed),
    }
}
