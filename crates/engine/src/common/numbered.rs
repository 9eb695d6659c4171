//! Records that go by a number: RBAs in an ESDS or LDS, relative record numbers in an RRDS.

use super::context::Context;
use super::Common;
use crate::error::RequestError;
use std::ops::Range;

/// What a data set of numbered records does for its strings. `area` receives the record found.
pub trait Numbered: Send + Sync {
    /// Whether its records may be changed in units of recovery.
    const IN_UNITS: bool = true;
    /// What all organizations have.
    fn common(&self) -> &Common;
    /// The first CI that is not in use.
    fn end(&self) -> u32;
    /// The record with this number: false if there is none.
    fn exact(&self, number: u64, area: &mut Vec<u8>) -> Result<bool, RequestError>;
    /// The first record at or above a number, and its number.
    fn first_from(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError>;
    /// The last record at or below a number, and its number.
    fn last_to(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError>;
    /// Has a CI a record at or above a number?
    fn has_from(&self, ci: u32, number: u64) -> Result<bool, RequestError>;
    /// Adds a record, at a number or where the organization puts it behind `after`. Returns its number, and whether a
    /// control area was completed.
    fn add(
        &self,
        at: Option<u64>,
        after: Option<u64>,
        record: &[u8],
        context: Context<'_>,
    ) -> Result<(u64, bool), RequestError>;
    /// Adds a record again that got this number when it was first added.
    fn redo_add(&self, number: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError>;
    /// Replaces the record with this number.
    fn replace(&self, number: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError>;
    /// Takes the record with this number out.
    fn remove(&self, number: u64, context: Context<'_>) -> Result<(), RequestError>;
    /// Takes the insert of the record with this number back.
    fn take_back(&self, number: u64, context: Context<'_>) -> Result<(), RequestError> {
        self.remove(number, context)
    }
    /// The number that a record gets that is added without one, behind `after`; `None`: wherever the end is, and a unit
    /// keeps others from adding there.
    fn next_number(&self, after: Option<u64>) -> Result<Option<u64>, RequestError>;
    /// Where the next record of this length goes that is added at the end; `None` where buffers of its own do not ask.
    fn next_place(&self, len: usize) -> Result<Option<u64>, RequestError> {
        let _ = len;
        Ok(None)
    }
    /// Shortest and longest record.
    fn lengths(&self) -> (usize, usize);
    /// `Err` for a number that no record can have.
    fn check(&self, number: u64) -> Result<(), RequestError>;
    /// What a number says that no record has.
    fn missing(&self, number: u64) -> RequestError;
    /// Numbers that records of this CI have.
    fn numbers(&self, ci: u32) -> Range<u64> {
        let size = self.common().data.layout.ci_size as u64;
        u64::from(ci) * size..(u64::from(ci) + 1) * size
    }
    /// RBA and relative record number (0: none) of a record.
    fn place(&self, number: u64) -> (u64, u32);
}
