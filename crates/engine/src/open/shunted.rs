//! Units of recovery that could not be taken back when nobody had them any more (unit:U9), of the data sets that this
//! process has open.
//!
//! * Q1. A shunted unit keeps no data set open: its handles do not count. The last close of a data set tries it again.
//!   What it has there then is left in the log, as the death of the process would leave it, for the next open.

use super::OpenDataSet;
use crate::sync::Mutex;
use std::sync::Arc;

/// A unit that nobody has any more.
pub trait Shunted: Send + Sync {
    /// Tries to take it back. True: nothing of it is left.
    fn try_again(&self) -> bool;

    /// Has it changes of this data set that are to be taken back?
    fn needs(&self, set: &OpenDataSet) -> bool;
}

/// Those of a process.
#[derive(Default)]
pub struct ShuntedUnits(Mutex<Vec<Arc<dyn Shunted>>>);

impl ShuntedUnits {
    /// Keeps one.
    pub fn keep(&self, unit: Arc<dyn Shunted>) {
        self.0.lock().push(unit);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Is there one that is so?
    fn any(&self, is: impl Fn(&dyn Shunted) -> bool) -> bool {
        let all = self.0.lock().clone();
        all.iter().any(|unit| is(&**unit))
    }

    /// Tries those again that `which` wants; how many are left of all.
    pub fn try_again(&self, which: impl Fn(&dyn Shunted) -> bool) -> usize {
        // Nothing is locked meanwhile: what they take back takes the latches of requests.
        let all = self.0.lock().clone();
        for unit in all.iter().filter(|unit| which(&***unit)) {
            if unit.try_again() {
                self.0.lock().retain(|one| !Arc::ptr_eq(one, unit));
            }
        }
        self.count()
    }
}

impl OpenDataSet {
    /// The last handle is being closed (Q1).
    pub(super) fn settle_shunted(&self) {
        let shunted = &self.shared.shunted;
        if shunted.count() == 0 || self.shared.owner.is_parent() {
            return;
        }
        let needs = |unit: &dyn Shunted| unit.needs(self);
        shunted.try_again(needs);
        if shunted.any(needs) {
            // No tree may be committed that goes without the log (unit:U6).
            let why = "a unit of recovery could not be taken back for want of room; the next open takes it back when there is \
                       room, and is refused until then";
            self.members().for_each(|member| member.common().fence(why));
            shunted.try_again(needs);
        }
    }

    /// It has left without a commit: its log has what is to be taken back.
    pub(super) fn forget_shunted(&self) {
        if self.shared.shunted.count() > 0 && !self.shared.owner.is_parent() {
            self.shared.shunted.try_again(|unit| unit.needs(self));
        }
    }
}
