//! Who keeps the gate and logs: a request on its own, or the unit that it is part of.

use super::by::{By, Done};
use super::Common;
use crate::error::RequestError;
use crate::sync::RwLockReadGuard;

/// See the module.
#[derive(Clone, Copy)]
pub enum Part<'u> {
    /// The request is on its own: it does both itself.
    Whole(By<'u>),
    /// It is part of a unit: the caller has the gate shared, and logs the unit.
    Shared,
    /// The same, and the caller has the gate exclusively.
    Exclusive,
}

impl Part<'_> {
    /// Keeps the gate shared if nobody does.
    pub fn shared(self, of: &Common) -> Option<RwLockReadGuard<'_, ()>> {
        matches!(self, Part::Whole(_)).then(|| of.gate.read())
    }

    /// Does with the gate kept exclusively what needs that; `None` if the caller keeps it shared.
    pub fn exclusively<T>(
        self,
        of: &Common,
        shared: Option<RwLockReadGuard<'_, ()>>,
        work: impl FnOnce() -> Result<T, RequestError>,
    ) -> Result<Option<T>, RequestError> {
        if matches!(self, Part::Shared) {
            return Ok(None);
        }
        drop(shared);
        let _gate = matches!(self, Part::Whole(_)).then(|| of.gate.write());
        work().map(Some)
    }
}

impl Common {
    /// Logs a change (R4: the caller holds the latch of the page), unless it is part of a unit.
    #[inline]
    pub fn log_alone(&self, part: Part<'_>, done: Done<'_>) {
        if let Part::Whole(by) = part {
            self.log(by, done);
        }
    }

    /// Refuses a change on its own where a unit of recovery keeps the record (U5). The caller holds the latch of the
    /// page: a unit has kept a record before it takes the latch.
    ///
    /// # Errors
    /// 8/20.
    #[inline]
    pub fn check_alone(&self, part: Part<'_>, key: &[u8]) -> Result<(), RequestError> {
        match part {
            Part::Whole(by) => self.check_kept(key, by),
            Part::Shared | Part::Exclusive => Ok(()),
        }
    }
}
