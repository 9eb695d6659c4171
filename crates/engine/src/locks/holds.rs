//! The locks of one data set: records that are held from a get for update to the string's next request, and kept by a
//! unit of recovery that changed them to its end.

use super::table::named;
use super::waiter::Reason;
use super::Locks;
use crate::error::RequestError;
use crate::sync::atomic::{AtomicUsize, Ordering::*};
use crate::sync::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// See the module.
pub struct Holds {
    locks: Arc<Locks>,
    /// The data set's number in names.
    set: u64,
    /// How many are kept.
    kept: AtomicUsize,
    /// What each unit keeps here; a key may be there twice.
    units: Mutex<HashMap<u64, Vec<Box<[u8]>>>>,
}

impl Holds {
    /// Of a data set that is being opened.
    pub fn new(locks: Arc<Locks>) -> Holds {
        Holds {
            set: locks.number(),
            locks,
            kept: AtomicUsize::new(0),
            units: Mutex::new(HashMap::new()),
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

    /// Keeps a record until the unit `owner` ends. True: it did not before.
    ///
    /// # Errors
    /// 8/20, 8/24.
    pub fn keep(&self, key: &[u8], owner: u64) -> Result<bool, RequestError> {
        let fresh = self.locks.take(self.set, key, owner, Reason::Unit)?;
        if fresh {
            self.kept.fetch_add(1, AcqRel);
            self.units.lock().entry(owner).or_default().push(key.into());
        }
        Ok(fresh)
    }

    /// The unit `owner` does not keep it after all: the change was refused.
    pub fn unkeep(&self, key: &[u8], owner: u64) {
        if self.locks.give(self.set, key, owner, Reason::Unit) {
            self.kept.fetch_sub(1, AcqRel);
        }
    }

    /// The unit `owner` has ended.
    pub fn end(&self, owner: u64) {
        let keys = self.units.lock().remove(&owner);
        for key in keys.into_iter().flatten() {
            self.unkeep(&key, owner);
        }
    }

    /// Has anybody the record for himself?
    pub fn is_held(&self, key: &[u8]) -> bool {
        self.locks.any(self.set, key, |_| true)
    }

    /// Does a unit keep the record? Costs next to nothing while no unit is open.
    #[inline]
    pub fn is_kept(&self, key: &[u8]) -> bool {
        self.kept.load(Acquire) > 0 && self.locks.any(self.set, key, |holder| holder.kept)
    }

    /// What is answered to who wants a record that another owner has.
    pub fn refused(&self, key: &[u8]) -> RequestError {
        named(self.set, key, |name| {
            let holder = self.locks.stripe(name).lock().names.get(name).map(|lock| lock.first);
            self.locks.refusal(name, &holder.unwrap_or_default())
        })
    }
}
