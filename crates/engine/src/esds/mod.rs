//! Entry-sequenced data sets: records in the order in which they came, found by RBA.
//!
//! * E1. Records are added behind the last one, one at a time (`tail`); nothing before them moves, so an RBA stays what
//!   it was.
//! * E2. A record that fits a CI lies in one. A longer one (SPANNED) starts in a fresh CI, has its segments in CIs of
//!   their own that follow each other in one CA, and the next record starts in a fresh CI again.
//! * E3. Readers look only at CIs below the end; the end moves when what it takes in is complete.
//! * E4. All segments of a record are latched while it is replaced, so a reader whose pages are unchanged has one
//!   record.
//! * E5. A unit of recovery that added a record keeps others from adding before it ends, so what it added are the last
//!   records, and backing it out takes these away from behind.
//!
//! CIs in the middle may be empty: the rest of a CA that was too short for a spanned record.

mod cut;
mod inspect;
mod put;
mod read;

pub use put::END;

use crate::common::context::Context;
use crate::common::interval::Intervals;
use crate::common::numbered::Numbered;
use crate::common::Common;
use crate::error::RequestError;
use crate::sync::Mutex;

/// An open ESDS.
pub struct Esds {
    common: Common,
    /// CIs in use.
    pub intervals: Intervals,
    tail: Mutex<()>,
}

impl Esds {
    /// Of the root's end.
    pub fn new(common: Common, intervals: Intervals) -> Esds {
        Esds {
            common,
            intervals,
            tail: Mutex::new(()),
        }
    }
}

impl std::ops::Deref for Esds {
    type Target = Common;
    #[inline]
    fn deref(&self) -> &Common {
        &self.common
    }
}

impl Numbered for Esds {
    fn common(&self) -> &Common {
        &self.common
    }
    fn end(&self) -> u32 {
        self.intervals.end()
    }
    fn exact(&self, number: u64, area: &mut Vec<u8>) -> Result<bool, RequestError> {
        self.record_at(number, area)
    }
    fn first_from(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        self.first_record(number, area)
    }
    fn last_to(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        self.last_record(number, area)
    }
    fn has_from(&self, ci: u32, number: u64) -> Result<bool, RequestError> {
        let start = u64::from(ci) * self.data.layout.ci_size as u64;
        self.data.read(ci, |view| {
            let starts = view.segment() <= 1;
            starts && (0..view.count()).any(|i| start + view.place(i) as u64 >= number)
        })
    }
    fn next_number(&self, _: Option<u64>) -> Result<Option<u64>, RequestError> {
        Ok(None)
    }
    fn next_place(&self, len: usize) -> Result<Option<u64>, RequestError> {
        self.next_rba(len).map(Some)
    }
    fn add(
        &self,
        at: Option<u64>,
        _: Option<u64>,
        record: &[u8],
        context: Context<'_>,
    ) -> Result<(u64, bool), RequestError> {
        match at {
            None => self.put(record, context),
            Some(_) => Err(RequestError::Options {
                what: "an entry-sequenced data set puts records behind the last one",
            }),
        }
    }
    fn redo_add(&self, number: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError> {
        self.skip_to(number, record.len())?;
        match self.put(record, context)? {
            (rba, _) if rba == number => Ok(()),
            (rba, _) => Err(RequestError::BadRba { rba }),
        }
    }
    fn replace(&self, number: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError> {
        self.replace_at(number, record, context)
    }
    fn remove(&self, _: u64, _: Context<'_>) -> Result<(), RequestError> {
        Err(RequestError::NoErase {
            of: "an entry-sequenced data set",
        })
    }
    fn take_back(&self, number: u64, context: Context<'_>) -> Result<(), RequestError> {
        self.cut_last(number, context)
    }
    fn lengths(&self) -> (usize, usize) {
        (1, self.longest())
    }
    fn check(&self, _: u64) -> Result<(), RequestError> {
        Ok(())
    }
    fn missing(&self, rba: u64) -> RequestError {
        RequestError::BadRba { rba }
    }
    fn place(&self, number: u64) -> (u64, u32) {
        (number, 0)
    }
}
