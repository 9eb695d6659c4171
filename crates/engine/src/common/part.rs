//! Who keeps the gate and logs: a request on its own, or the unit that it is part of.

use super::Common;
use crate::error::RequestError;
use parking_lot::RwLockReadGuard;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The request is on its own: it does both itself.
    Whole,
    /// It is part of a unit: the caller has the gate shared, and logs the unit.
    Shared,
    /// The same, and the caller has the gate exclusively.
    Exclusive,
}

impl Part {
    /// Keeps the gate shared if nobody does.
    pub fn shared(self, of: &Common) -> Option<RwLockReadGuard<'_, ()>> {
        (self == Part::Whole).then(|| of.gate.read())
    }

    /// Does with the gate kept exclusively what needs that; `None` if the caller keeps it shared.
    pub fn exclusively<T>(
        self,
        of: &Common,
        shared: Option<RwLockReadGuard<'_, ()>>,
        work: impl FnOnce() -> Result<T, RequestError>,
    ) -> Result<Option<T>, RequestError> {
        if self == Part::Shared {
            return Ok(None);
        }
        drop(shared);
        let _gate = (self == Part::Whole).then(|| of.gate.write());
        work().map(Some)
    }
}

impl Common {
    /// Logs a change (R4: the caller holds the latch of the page), unless it is part of a unit.
    #[inline]
    pub fn append_alone(&self, part: Part, write: impl FnOnce(u32, &mut Vec<u8>)) {
        if part == Part::Whole {
            self.append(write);
        }
    }
}
