//! Linear data sets: nothing but bytes, in CIs without control information.
//!
//! A request reads or writes a CI as a record, or any range whose ends are multiples of 4,096 ([`Lds::read_range`],
//! [`Lds::write_range`]). There is no load: what is written is logged from the first byte on.
//!
//! * L1. One write at a time (`writing`); each CI changes under its latch and is logged as a request of its own, so
//!   after a crash every CI is as one write left it.

use crate::common::context::Context;
use crate::common::inspect::IntervalWalk;
use crate::common::interval::Intervals;
use crate::common::numbered::Numbered;
use crate::common::Common;
use crate::error::RequestError;
use crate::examine::Examination;
use crate::pool::{Begun, ImagePage, Latched};
use crate::sync::Mutex;
use cica_counters::DataSetCount;
use cica_format::log;
use std::ops::Range;

/// Ranges begin and end at multiples of this.
pub const BLOCK: u64 = 4096;

/// An open LDS.
pub struct Lds {
    common: Common,
    /// CIs in use.
    pub intervals: Intervals,
    writing: Mutex<()>,
}

impl std::ops::Deref for Lds {
    type Target = Common;
    #[inline]
    fn deref(&self) -> &Common {
        &self.common
    }
}

impl Lds {
    /// Of the root's end.
    pub fn new(common: Common, intervals: Intervals) -> Lds {
        Lds {
            common,
            intervals,
            writing: Mutex::new(()),
        }
    }

    fn ci_size(&self) -> usize {
        self.data.layout.ci_size
    }

    /// The CIs of a range that may be read or written, and those of them that it covers in part.
    pub fn covers(&self, rba: u64, len: usize) -> Option<(Range<u32>, Vec<u32>)> {
        self.check_range(rba, len).ok().filter(|()| rba <= self.length())?;
        let size = self.ci_size() as u64;
        let in_part = self.pieces(rba, len).filter(|&(_, _, piece)| (piece as u64) < size);
        let in_part = in_part.map(|(ci, ..)| ci).collect();
        Some(((rba / size) as u32..(rba + len as u64).div_ceil(size) as u32, in_part))
    }

    /// Bytes in use.
    pub fn length(&self) -> u64 {
        self.rba_of_ci(self.intervals.end())
    }

    /// Reads `out.len()` bytes from `rba` on.
    ///
    /// # Errors
    /// 8/32: the range does not begin and end at multiples of 4,096, or ends behind the data; 12/x.
    pub fn read_range(&self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        self.check_fence()?;
        self.check_range(rba, out.len())?;
        if rba + out.len() as u64 > self.length() {
            return Err(self.bad_range(rba, out.len()));
        }
        let mut rest = out;
        for (ci, from, len) in self.pieces(rba, rest.len()) {
            let (piece, behind) = rest.split_at_mut(len);
            self.copy(ci, from, piece)?;
            rest = behind;
        }
        Ok(())
    }

    /// Copies part of a CI.
    fn copy(&self, ci: u32, from: usize, out: &mut [u8]) -> Result<(), RequestError> {
        let (mut begun, end) = (Begun::default(), self.intervals.end());
        loop {
            let (frame, version) = self.page_ahead(ci, end)?;
            self.pool.view(frame).image_part(from, out);
            if self.unchanged(frame, version) {
                return Ok(());
            }
            begun = self.again(begun)?;
        }
    }

    /// Writes bytes from `rba` on: over what is there, and beyond its end.
    ///
    /// # Errors
    /// 8/32: the range does not begin and end at multiples of 4,096, or begins behind the end of the data (nothing was
    /// written); 8/28; 12/x.
    pub fn write_range(&self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        self.write(Some(rba), bytes).map(drop)
    }

    /// The same; without an RBA behind the last CI. Returns where.
    fn write(&self, rba: Option<u64>, bytes: &[u8]) -> Result<u64, RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        let _writing = self.writing.lock();
        let rba = rba.unwrap_or_else(|| self.length());
        self.check_range(rba, bytes.len())?;
        if rba > self.length() {
            return Err(self.bad_range(rba, bytes.len()));
        }
        let size = self.ci_size() as u64;
        self.make_intervals((rba + bytes.len() as u64).div_ceil(size))?;
        for (ci, ..) in self.pieces(rba, bytes.len()) {
            // What cannot be read fails here, before anything is changed.
            self.data.page(ci)?;
        }
        let _reserve = self.reserve(1)?;
        self.or_fence(|| {
            let mut rest = bytes;
            for (ci, from, len) in self.pieces(rba, bytes.len()) {
                let (piece, behind) = rest.split_at(len);
                self.write_piece(ci, from, piece)?;
                rest = behind;
            }
            Ok(rba)
        })
    }

    /// PUT CNV: replaces a CI, got as `got` (put_interval:V3, put_interval:V4). Without `put` it is checked alone
    /// (put_interval:V5).
    pub fn put_interval(
        &self,
        ci: u32,
        (got, image): (&[u8], &[u8]),
        owner: u64,
        put: bool,
    ) -> Result<(), RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        let _writing = self.writing.lock();
        let mut latched = self.data.latch(ci)?;
        if self.data.image_of(ci, &mut latched)? != got {
            return Err(self.interval_changed(ci));
        }
        let held = self.rba_of_ci(ci).to_be_bytes();
        if self.holds.is_held_from(&held, owner) {
            return Err(self.holds.refused(&held, owner));
        }
        if put {
            self.change(latched, ci, 0, image);
        }
        Ok(())
    }

    /// Writes part of a CI (L1).
    fn write_piece(&self, ci: u32, from: usize, bytes: &[u8]) -> Result<(), RequestError> {
        self.change(self.data.latch(ci)?, ci, from, bytes);
        Ok(())
    }

    fn change(&self, mut latched: Latched<'_>, ci: u32, from: usize, bytes: &[u8]) {
        let rba = self.rba_of_ci(ci) + from as u64;
        let mut page = ImagePage::of(latched.cells(), self.ci_size());
        let first = page.count() == 0;
        page.set_count(1);
        page.put(from, bytes);
        self.append(|number, buf| log::append_update_at(buf, number, &rba.to_be_bytes(), bytes));
        self.data.changed(&mut latched);
        drop(latched);
        self.intervals.reach(ci + 1);
        if first {
            // No update, as behind the last record of an ESDS.
            self.data.note_records(ci);
        } else {
            self.counters.add(DataSetCount::Updated, 1);
        }
    }

    fn bad_range(&self, rba: u64, len: usize) -> RequestError {
        RequestError::BadRange {
            rba,
            len,
            end: self.length(),
        }
    }

    fn check_range(&self, rba: u64, len: usize) -> Result<(), RequestError> {
        let whole = rba % BLOCK == 0 && len as u64 % BLOCK == 0 && len > 0;
        match rba.checked_add(len as u64).filter(|_| whole) {
            Some(_) => Ok(()),
            None => Err(self.bad_range(rba, len)),
        }
    }

    /// The range by CIs: CI, offset in it, length.
    fn pieces(&self, rba: u64, len: usize) -> impl Iterator<Item = (u32, usize, usize)> {
        let (size, end) = (self.ci_size() as u64, rba + len as u64);
        let mut at = rba;
        std::iter::from_fn(move || {
            let from = at % size;
            let piece = (size - from).min(end - at);
            let ci = (at / size) as u32;
            at += piece;
            (piece > 0).then_some((ci, from as usize, piece as usize))
        })
    }

    /// Checks an open data set: every CI below the end from its parent's word on.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        let _gate = self.gate.write();
        let mut walk = IntervalWalk::new(self);
        for number in 0..self.intervals.end() {
            match self.data.latch(number) {
                Ok(latched) => walk.interval(0, latched.view().count() == 0, self.ci_size(), 0),
                Err(error) => walk.found(number, error.to_string()),
            }
        }
        Ok(walk.end())
    }

    /// The CI that begins at an RBA.
    fn ci_at(&self, rba: u64) -> Option<u32> {
        let size = self.ci_size() as u64;
        let ci = u32::try_from(rba / size).ok()?;
        (rba % size == 0 && ci < self.intervals.end()).then_some(ci)
    }
}

impl Numbered for Lds {
    const IN_UNITS: bool = false;
    fn common(&self) -> &Common {
        &self.common
    }
    fn end(&self) -> u32 {
        self.intervals.end()
    }
    fn exact(&self, number: u64, area: &mut Vec<u8>) -> Result<bool, RequestError> {
        let Some(ci) = self.ci_at(number) else {
            return Ok(false);
        };
        area.resize(self.ci_size(), 0);
        self.copy(ci, 0, area)?;
        Ok(true)
    }
    fn first_from(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        let size = self.ci_size() as u64;
        let Some(rba) = number.div_ceil(size).checked_mul(size) else {
            return Ok(None);
        };
        Ok(self.exact(rba, area)?.then_some(rba))
    }
    fn last_to(&self, number: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        let size = self.ci_size() as u64;
        let Some(last) = self.length().checked_sub(size) else {
            return Ok(None);
        };
        let rba = (number / size * size).min(last);
        Ok(self.exact(rba, area)?.then_some(rba))
    }
    fn has_from(&self, ci: u32, number: u64) -> Result<bool, RequestError> {
        Ok(ci < self.intervals.end() && self.rba_of_ci(ci) >= number)
    }
    fn next_number(&self, _: Option<u64>) -> Result<Option<u64>, RequestError> {
        Ok(None)
    }
    fn add(&self, at: Option<u64>, _: Option<u64>, record: &[u8], _: Context<'_>) -> Result<(u64, bool), RequestError> {
        match at {
            None => self.write(None, record).map(|rba| (rba, false)),
            Some(_) => Err(RequestError::Options {
                what: "a linear data set puts control intervals behind the last one; ranges are written at any address",
            }),
        }
    }
    fn redo_add(&self, number: u64, record: &[u8], _: Context<'_>) -> Result<(), RequestError> {
        self.write_range(number, record)
    }
    fn replace(&self, number: u64, record: &[u8], _: Context<'_>) -> Result<(), RequestError> {
        self.write_range(number, record)
    }
    fn remove(&self, _: u64, _: Context<'_>) -> Result<(), RequestError> {
        Err(RequestError::NoErase {
            of: "a linear data set",
        })
    }
    fn lengths(&self) -> (usize, usize) {
        (self.ci_size(), self.ci_size())
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
