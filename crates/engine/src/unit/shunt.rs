//! A unit that is dropped and cannot be taken back: it is kept until it can (U9).

use super::{close, UnitState};
use crate::open::{OpenDataSet, Shared, Shunted};
use crate::sync::atomic::AtomicBool;
use crate::sync::{Mutex, RwLock};
use std::mem::take;
use std::sync::Arc;

impl UnitState {
    /// Leaves what is left of it to a unit that nobody has. The records it has changed are retained, and no others; its
    /// data sets may be closed.
    pub(super) fn shunt(&mut self) {
        let unit = UnitState {
            shared: self.shared.clone(),
            owner: self.owner,
            // Its label stays with its locks.
            named: self.named.clone(),
            backouts: Default::default(),
            ending: RwLock::new(()),
            work: Mutex::new(take(self.work.get_mut())),
            far: Mutex::new(None),
            has_far: AtomicBool::new(false),
            has_standing: AtomicBool::new(false),
            changing: Default::default(),
            covers_nothing: AtomicBool::new(true),
        };
        unit.retain();
        // What it has only locked needs nobody to take it back.
        self.shared.locks.end_locked(self.owner);
        let counted = {
            let mut work = unit.work.lock();
            work.sets.iter_mut().filter_map(|set| set.give_count()).collect()
        };
        self.shared.shunted.keep(Arc::new(unit));
        // Where nobody else has a data set open this is its last close.
        close(counted);
    }
}

impl Shunted for UnitState {
    fn try_again(&self) -> bool {
        let ending = self.ending.write();
        let (sets, _) = self.back_out();
        let is_over = self.work.lock().changes.is_empty();
        drop(ending);
        close(sets);
        is_over
    }

    fn needs(&self, set: &OpenDataSet) -> bool {
        // Who takes it back just now has its changes with him.
        let _going = self.ending.read();
        let work = self.work.lock();
        let mut changed = work.changes.iter().map(|change| work.sets[change.set].inner());
        changed.any(|inner| std::ptr::eq(&**inner, set))
    }
}

impl Shared {
    /// Tries shunted units again, and says how many are left.
    pub fn retry_shunted(&self) -> usize {
        if self.shunted.count() == 0 || self.owner.is_parent() {
            return 0;
        }
        self.shunted.try_again(|_| true)
    }
}
