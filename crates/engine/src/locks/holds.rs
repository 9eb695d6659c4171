//! The locks of one data set: records that are held from a get for update to the string's next request, and kept by a
//! unit of recovery that changed them to its end.

use super::counts::Count;
use super::hashing::Hashing;
use super::names::NameList;
use super::waiter::Reason;
use super::Locks;
use crate::error::RequestError;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use crate::sync::{Mutex, RwLock};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

/// See the module.
pub struct Holds {
    locks: Arc<Locks>,
    /// The data set's number in names.
    set: u64,
    /// How many are kept, and one more if records may be locked by name: what keeps nobody from a change is not looked
    /// for.
    kept: AtomicUsize,
    /// Somebody has locked a record by name since the data set was opened (L8).
    lockable: AtomicBool,
    /// What each unit keeps here.
    units: Mutex<HashMap<u64, NameList, Hashing>>,
    /// Records that open units have erased, and by which: nobody finds them, and they may come back.
    erased: Mutex<BTreeMap<Box<[u8]>, u64>>,
    /// How many those are.
    gone: AtomicUsize,
    /// Raised when a unit ends, before its records are free.
    ends: AtomicU64,
}

impl Holds {
    /// Of a data set that is being opened.
    pub fn new(locks: Arc<Locks>) -> Holds {
        Holds {
            set: locks.number(),
            locks,
            kept: AtomicUsize::new(0),
            lockable: AtomicBool::new(false),
            units: Mutex::default(),
            erased: Mutex::default(),
            gone: AtomicUsize::new(0),
            ends: AtomicU64::new(0),
        }
    }

    /// The data set's number in names.
    pub fn set(&self) -> u64 {
        self.set
    }

    /// The table that has them.
    pub fn table(&self) -> &Arc<Locks> {
        &self.locks
    }

    /// Holds a record for a string of `owner`.
    ///
    /// # Errors
    /// 8/20, 8/24.
    #[inline]
    pub fn hold(&self, key: &[u8], owner: u64) -> Result<(), RequestError> {
        self.locks.take(self.set, key, owner, Reason::String).map(drop)
    }

    /// A string of `owner` gives up its hold.
    #[inline]
    pub fn release(&self, key: &[u8], owner: u64) {
        self.locks.give(self.set, key, owner, Reason::String);
    }

    /// Keeps a record for a change of the unit `owner`, until that ends. Each change keeps it anew, as several threads
    /// may change for one unit. True: it did not before.
    ///
    /// # Errors
    /// 8/20, 8/24.
    pub fn keep(&self, key: &[u8], owner: u64) -> Result<bool, RequestError> {
        let fresh = self.locks.take(self.set, key, owner, Reason::Unit)?;
        if fresh {
            self.kept.fetch_add(1, AcqRel);
            let keeps = |key: &[u8]| self.keeps(key, owner);
            self.units.lock().entry(owner).or_default().push(key, true, keeps);
        }
        Ok(fresh)
    }

    /// A change of the unit `owner` was refused: it does not keep the record after all, if no other change does.
    pub fn unkeep(&self, key: &[u8], owner: u64) {
        let left = if self.gone.load(SeqCst) > 0 {
            let mut erased = self.erased.lock();
            // What another change of the unit keeps that one may have erased.
            if !self
                .locks
                .any(self.set, key, |holder| holder.owner == owner && holder.kept > 1)
            {
                // Before the record is free: whoever is granted it then finds it among the erased no more.
                self.forget_erased(&mut erased, key, owner);
            }
            self.locks.give_kept_once(self.set, key, owner)
        } else {
            self.locks.give_kept_once(self.set, key, owner)
        };
        if left != Some(0) {
            return;
        }
        self.kept.fetch_sub(1, AcqRel);
        if let Some(keys) = self.units.lock().get_mut(&owner) {
            // Another thread may have kept it again already.
            if !self.keeps(key, owner) {
                keys.forget(key);
            }
        }
    }

    /// Does the unit `owner` keep the record?
    fn keeps(&self, key: &[u8], owner: u64) -> bool {
        (self.locks).any(self.set, key, |holder| holder.owner == owner && holder.kept > 0)
    }

    fn forget_erased(&self, erased: &mut BTreeMap<Box<[u8]>, u64>, key: &[u8], owner: u64) {
        if erased.get(key) == Some(&owner) {
            erased.remove(key);
        }
        self.gone.store(erased.len(), SeqCst);
    }

    /// The unit `owner`, which keeps it, is about to erase it.
    pub fn erases(&self, key: &[u8], owner: u64) {
        let mut erased = self.erased.lock();
        erased.insert(key.into(), owner);
        self.gone.store(erased.len(), SeqCst);
    }

    /// Raised by each end of a unit. Whoever read meanwhile may have read what was never committed.
    #[inline]
    pub fn ends(&self) -> u64 {
        self.ends.load(SeqCst)
    }

    /// The unit `owner` has ended.
    pub fn end(&self, owner: u64) {
        let keys = self.units.lock().remove(&owner);
        self.ends.fetch_add(1, SeqCst);
        for key in keys.iter().flat_map(NameList::iter) {
            if self.gone.load(SeqCst) > 0 {
                self.forget_erased(&mut self.erased.lock(), key, owner);
            }
            if self.locks.give_kept(self.set, key, owner) {
                self.kept.fetch_sub(1, AcqRel);
            }
        }
    }

    /// What all units keep is free: the data set is closed.
    pub fn end_all(&self) {
        let owners: Vec<u64> = self.units.lock().keys().copied().collect();
        owners.into_iter().for_each(|owner| self.end(owner));
    }

    /// The records that the unit `owner` keeps, and whether it has erased them.
    pub fn kept_by(&self, owner: u64) -> Vec<(bool, Vec<u8>)> {
        let units = self.units.lock();
        let mut keys: Vec<&[u8]> = units.get(&owner).into_iter().flat_map(NameList::iter).collect();
        keys.sort();
        keys.dedup();
        keys.retain(|key| self.keeps(key, owner));
        let erased = self.erased.lock();
        let is_erased = |key: &[u8]| erased.get(key) == Some(&owner);
        keys.into_iter().map(|key| (is_erased(key), key.to_vec())).collect()
    }

    /// Keys that are noted for the unit `owner`.
    #[cfg(test)]
    pub fn lines_of(&self, owner: u64) -> usize {
        self.units.lock().get(&owner).map_or(0, |keys| keys.len())
    }

    /// What the unit `from` keeps is kept by the unit `to`, which keeps nothing yet, and is retained. Nobody comes
    /// between.
    pub fn hand_over(&self, from: u64, to: u64) {
        let mut units = self.units.lock();
        let Some(keys) = units.remove(&from) else { return };
        for key in keys.iter() {
            self.locks
                .named(self.set, key, |name| self.locks.hand_over_name(name, from, to));
        }
        units.insert(to, keys);
        drop(units);
        self.erased
            .lock()
            .values_mut()
            .filter(|by| **by == from)
            .for_each(|by| *by = to);
    }

    /// What the unit `owner` keeps is retained: whoever wants it is refused at once (8/24).
    pub fn retain(&self, owner: u64) {
        let units = self.units.lock();
        for key in units.get(&owner).into_iter().flat_map(NameList::iter) {
            self.locks
                .named(self.set, key, |name| self.locks.retain_name(name, owner, true));
        }
    }

    /// The first record, or the last, between two that a unit other than `owner` has erased and may bring back.
    pub fn erased_between(
        &self,
        (from, to): (Bound<Vec<u8>>, Bound<Vec<u8>>),
        last: bool,
        owner: u64,
    ) -> Option<Box<[u8]>> {
        let (from, to) = (from.as_ref().map(Vec::as_slice), to.as_ref().map(Vec::as_slice));
        if self.gone.load(SeqCst) == 0 || is_empty(from, to) {
            return None;
        }
        let erased = self.erased.lock();
        let mut between = (erased.range::<[u8], _>((from, to))).filter(|(_, by)| **by != owner);
        let found = if last { between.next_back() } else { between.next() };
        found.map(|(key, _)| key.clone())
    }

    /// Does the unit `owner`, or one before it of the same owner, keep any record?
    pub fn keeps_any(&self, owner: u64) -> bool {
        self.units
            .lock()
            .get(&owner)
            .is_some_and(|keys| keys.iter().next().is_some())
    }

    /// Has somebody else the record for himself, for longer than a request: is what it says not committed, or locked?
    pub fn is_anothers(&self, key: &[u8], owner: u64) -> bool {
        (self.locks).any(self.set, key, |holder| {
            holder.owner != owner && (holder.kept > 0 || holder.locked)
        })
    }

    /// Has anybody the record for himself?
    pub fn is_held(&self, key: &[u8]) -> bool {
        self.locks.any(self.set, key, |_| true)
    }

    /// From now on changes look for records that are locked by name. Whoever is about to lock one says so; `gate` is
    /// kept shared by each change, so one that has not looked has ended when this returns (L8).
    pub fn note_lockable(&self, gate: &RwLock<()>) {
        if self.is_lockable() {
            return;
        }
        let _changes = gate.write();
        if !self.lockable.swap(true, AcqRel) {
            self.kept.fetch_add(1, AcqRel);
        }
    }

    /// May a record be locked by name?
    #[inline]
    pub fn is_lockable(&self) -> bool {
        self.lockable.load(Acquire)
    }

    /// Is the record in the way of a change by `owner` that holds nothing? What he has locked by name is not; what he
    /// has got for update is.
    pub fn is_held_from(&self, key: &[u8], owner: u64) -> bool {
        (self.locks).any(self.set, key, |holder| {
            holder.owner != owner || holder.strings > 0 || holder.kept > 0
        })
    }

    /// Does a unit keep the record, or has another than `owner` locked it, in whichever mode? Costs next to nothing
    /// while no unit is open, if nobody has locked anything.
    #[inline]
    pub fn is_kept_from(&self, key: &[u8], owner: u64) -> bool {
        self.kept.load(Acquire) > 0
            && (self.locks).any(self.set, key, |holder| {
                holder.kept > 0 || (holder.owner != owner && holder.is_locked())
            })
    }

    /// What is answered to `owner`, who wants a record that another has.
    pub fn refused(&self, key: &[u8], owner: u64) -> RequestError {
        self.locks.named(self.set, key, |name| {
            let holder = self.locks.stripe(name).lock().names.get(name).map(|lock| {
                let another = lock.holders().find(|holder| holder.owner != owner);
                *another.unwrap_or(&lock.first)
            });
            self.locks.count(Count::Contended);
            self.locks.refusal(name, &holder.unwrap_or_default())
        })
    }

    /// Holds a record for a change by `owner` that looks at pages of several data sets: nobody locks it meanwhile.
    ///
    /// # Errors
    /// 8/20, 8/24.
    pub fn hold_for_change<'h>(&'h self, key: &'h [u8], owner: u64) -> Result<HeldForChange<'h>, RequestError> {
        self.hold(key, owner)?;
        Ok(HeldForChange {
            holds: self,
            key,
            owner,
        })
    }
}

/// A record that a change holds, until this is dropped.
pub struct HeldForChange<'h> {
    holds: &'h Holds,
    key: &'h [u8],
    owner: u64,
}

impl Drop for HeldForChange<'_> {
    fn drop(&mut self) {
        self.holds.release(self.key, self.owner);
    }
}

/// A range that the map would not take: it ends before it begins.
fn is_empty(from: Bound<&[u8]>, to: Bound<&[u8]>) -> bool {
    match (from, to) {
        (Bound::Included(from), Bound::Included(to)) => from > to,
        (Bound::Included(from) | Bound::Excluded(from), Bound::Included(to) | Bound::Excluded(to)) => from >= to,
        _ => false,
    }
}
