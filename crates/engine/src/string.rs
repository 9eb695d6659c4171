//! A string: one position in a data set, and the requests made through it.
//!
//! Between requests a string keeps a key, RBA or record number and a page version, never a latch or pin. The position
//! (K is a key in a KSDS, an RBA in an ESDS or LDS, a number in an RRDS or VRRDS):
//!
//! | position | set by | NEXT returns | PREV returns |
//! |---|---|---|---|
//! | start | open | the first record | 8/88 |
//! | at K | POINT | the first record at or above K | the last one below K |
//! | back at K | POINT backward | the first one above K | the last one at or below K |
//! | on K | a request that returned or stored K | the first one above K | the last one below K |
//! | end | NEXT behind the last | 8/4 | the last record |
//! | beginning | PREV before the first | the first record | 8/4 |
//! | none | direct get without position, ENDREQ, 8/16 | 8/88 | 8/88 |
//!
//! What a string of each organization does is in the organization's own directory; here requests find their way to it.

use crate::dataset::Inner;
use crate::error::{Feedback, RequestError};
use crate::ksds::KsdsString;
use crate::organized::Organized;
use crate::sphere::{PathString, Way};
use std::sync::Arc;

/// Which record a key finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The one with this key (KEQ); for a generic key the first that starts with it.
    Equal,
    /// The first at or above it (KGE).
    GreaterOrEqual,
}

/// What a get is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// Reading (NUP).
    Read,
    /// Reading, and going on from here (NSP).
    Position,
    /// Update or erase comes next (UPD): the record is held.
    Update,
}

/// How a record is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insert {
    /// Anywhere (DIR).
    Direct,
    /// In ascending order (SEQ); loads an empty data set.
    Sequential,
    /// In ascending order with gaps (SKP).
    Skip,
}

/// A record, in the string's area until its next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where it starts.
    pub rba: u64,
    /// Its relative record number; 0 where records have none.
    pub rrn: u32,
}

/// What a direct request names a record by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument<'a> {
    /// A key, or the start of one: KSDS.
    Key(&'a [u8]),
    /// A relative byte address: every organization but RRDS and VRRDS.
    Rba(u64),
    /// A relative record number, from 1: RRDS and VRRDS.
    Rrn(u32),
}

impl<'a> From<&'a [u8]> for Argument<'a> {
    fn from(key: &'a [u8]) -> Self {
        Argument::Key(key)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Argument<'a> {
    fn from(key: &'a [u8; N]) -> Self {
        Argument::Key(key)
    }
}

impl<'a> From<&'a Vec<u8>> for Argument<'a> {
    fn from(key: &'a Vec<u8>) -> Self {
        Argument::Key(key)
    }
}

/// See the module.
pub struct Str {
    of: Of,
}

/// A string by organization.
enum Of {
    Ksds(KsdsString),
    Path(Box<PathString>),
}

impl Str {
    pub(crate) fn new(inner: Arc<Inner>, id: u64) -> Str {
        let of = match &inner.records {
            Organized::Ksds(ksds) => Of::Ksds(KsdsString::new(inner.clone(), ksds.clone(), id)),
        };
        Str { of }
    }

    /// A string on a path, over one of its own on the base.
    pub(crate) fn through(inner: Arc<Inner>, way: Arc<Way>, base: Str) -> Str {
        Str {
            of: Of::Path(Box::new(PathString::new(inner, way, base))),
        }
    }

    /// The record that the last direct get returned.
    pub(crate) fn last(&self) -> Record<'_> {
        match &self.of {
            Of::Ksds(string) => string.last(),
            Of::Path(string) => string.last(),
        }
    }

    /// Is a record held for update?
    pub(crate) fn holds(&self) -> bool {
        match &self.of {
            Of::Ksds(string) => string.holds(),
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
        match &mut self.of {
            Of::Ksds(string) => match argument.into() {
                Argument::Key(key) => string.get(key, search, intent),
                Argument::Rba(rba) => string.get_rba(rba, intent),
                Argument::Rrn(_) => Err(NUMBER_OF_KEYED),
            },
            Of::Path(string) => string.get(alternate(argument.into())?, search, intent),
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
        match &mut self.of {
            Of::Ksds(string) => string.skip(key(argument.into())?, search, intent),
            Of::Path(string) => string.skip(alternate(argument.into())?, search, intent),
        }
    }

    /// POINT: the next NEXT returns the record found.
    ///
    /// # Errors
    /// 8/16, 8/112, 8/116, 12/x.
    pub fn point<'a>(&mut self, argument: impl Into<Argument<'a>>, search: Search) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.point(key(argument.into())?, search),
            Of::Path(string) => string.point(alternate(argument.into())?, search, false),
        }
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
        match &mut self.of {
            Of::Ksds(string) => string.point_backward(key(argument.into())?, search),
            Of::Path(string) => string.point(alternate(argument.into())?, search, true),
        }
    }

    /// The next NEXT returns the first record.
    ///
    /// # Errors
    /// 8/116, 12/16.
    pub fn point_first(&mut self) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.point_first(),
            Of::Path(string) => string.point_first(),
        }
    }

    /// The next PREV returns the last record.
    ///
    /// # Errors
    /// 8/116, 12/16.
    pub fn point_last(&mut self) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.point_last(),
            Of::Path(string) => string.point_last(),
        }
    }

    /// GET sequential, forward.
    ///
    /// # Errors
    /// 8/4 at the end, 8/20, 8/68, 8/88, 8/116, 12/x.
    #[inline]
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.next(intent),
            Of::Path(string) => string.next(intent),
        }
    }

    /// GET sequential, backward.
    ///
    /// # Errors
    /// As [`next`](Self::next); 8/4 before the first record.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.prev(intent),
            Of::Path(string) => string.prev(intent),
        }
    }

    // ---- changing ----

    /// PUT insert. Returns the record's RBA.
    ///
    /// # Errors
    /// 8/8 duplicate, 8/12 out of sequence, 8/28 no space, 8/68, 8/108, 8/116, 12/x.
    #[inline]
    pub fn insert(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.insert(record, how),
            // The order of the alternate keys is not the order of the base, which is what sequential means there.
            Of::Path(string) => string.insert(record),
        }
    }

    /// PUT update of the record that was got with [`Intent::Update`]. Returns its RBA.
    ///
    /// # Errors
    /// 8/92 nothing held, 8/96 key changed, 8/108, 8/28, 8/68, 12/x.
    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.update(record),
            Of::Path(string) => string.update(record),
        }
    }

    /// ERASE of the record that was got with [`Intent::Update`].
    ///
    /// # Errors
    /// 8/92 nothing held, 8/68, 12/x.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        match &mut self.of {
            Of::Ksds(string) => string.erase(),
            Of::Path(string) => string.erase(),
        }
    }

    /// 0/8: after a get through a path, that another record with the same alternate key follows; after an insert or
    /// update, that the record has an alternate key of another record too.
    pub fn duplicate(&self) -> bool {
        match &self.of {
            Of::Ksds(string) => string.made_duplicate(),
            Of::Path(string) => string.duplicate(),
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
        match &mut self.of {
            Of::Ksds(string) => string.end(),
            Of::Path(string) => string.end(),
        }
    }
}

/// A record number was given where records have keys.
const NUMBER_OF_KEYED: RequestError = RequestError::Options {
    what: "a key-sequenced data set has no relative record numbers",
};

/// The key of a request that goes by keys only.
fn key(argument: Argument<'_>) -> Result<&[u8], RequestError> {
    match argument {
        Argument::Key(key) => Ok(key),
        Argument::Rba(_) => Err(RequestError::Options {
            what: "a key-sequenced data set is positioned by key; GET takes an RBA",
        }),
        Argument::Rrn(_) => Err(NUMBER_OF_KEYED),
    }
}

/// The alternate key of a request through a path.
fn alternate(argument: Argument<'_>) -> Result<&[u8], RequestError> {
    match argument {
        Argument::Key(key) => Ok(key),
        Argument::Rba(_) | Argument::Rrn(_) => Err(RequestError::PathAddressed),
    }
}
