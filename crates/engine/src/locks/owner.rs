//! Owners that a caller makes: a client, a run unit. Several strings have their locks together, and what a language
//! locks belongs to it.

use super::lock::Holder;
use super::names::NameList;
use super::waiter::Reason;
use super::waiting::Met;
use super::{LockMode, Locks, Patience};
use crate::error::RequestError;
use std::sync::Arc;

/// An owner of locks; clones are the same. With the last one all that it has locked is free; what its strings hold and
/// its unit keeps goes with them.
#[derive(Clone)]
pub struct LockOwner(Arc<OwnerGuard>);

struct OwnerGuard {
    locks: Arc<Locks>,
    number: u64,
}

impl LockOwner {
    pub(crate) fn new(locks: &Arc<Locks>, label: &str) -> LockOwner {
        let number = locks.number();
        locks.owners.lock().entry(number).or_default().label = Some(label.into());
        LockOwner(Arc::new(OwnerGuard {
            locks: locks.clone(),
            number,
        }))
    }

    /// What a string locks for itself.
    pub(crate) fn of_string(locks: &Arc<Locks>, number: u64) -> LockOwner {
        LockOwner(Arc::new(OwnerGuard {
            locks: locks.clone(),
            number,
        }))
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// Frees all that it has locked.
    pub fn unlock_all(&self) {
        self.0.locks.end_locked(self.0.number);
    }

    /// Ends its waits, those of all its strings, and each that it begins from now on: they are refused (8/22). For one
    /// that nobody is behind any more.
    pub fn dismiss(&self) {
        self.0.locks.dismiss(self.0.number);
    }

    /// Retains what it has locked for X: whoever wants it is refused (8/24) until
    /// [`release_retained`](Self::release_retained).
    pub fn retain(&self) {
        self.0.locks.set_retained(self.0.number, true);
    }

    /// What was retained is as it was before.
    pub fn release_retained(&self) {
        self.0.locks.set_retained(self.0.number, false);
    }
}

impl Drop for OwnerGuard {
    fn drop(&mut self) {
        self.locks.forget(self.number);
    }
}

impl Locks {
    /// Locks a record for an owner.
    ///
    /// # Errors
    /// 8/20, 8/21, 8/22, 8/24.
    pub(crate) fn lock(
        &self,
        (set, key): (u64, &[u8]),
        owner: u64,
        mode: LockMode,
        patience: Patience,
    ) -> Result<(), RequestError> {
        let reason = match mode {
            LockMode::Shared => Reason::Shared,
            LockMode::Exclusive => Reason::Locked,
        };
        self.named(set, key, |name| {
            if self.wait(name, owner, reason, patience, Met::Now)? {
                let has = |name: &[u8]| self.has_locked_name(name, owner);
                // Who has waited may have had it in another mode.
                let is_new = patience == Patience::None;
                let mut owners = self.owners.lock();
                owners.entry(owner).or_default().names.push(name, is_new, has);
            }
            Ok(())
        })
    }

    /// Waits until a string of the owner holds a record that was refused to it.
    ///
    /// # Errors
    /// 8/20, 8/21, 8/22, 8/24.
    pub(crate) fn wait_to_hold(
        &self,
        set: u64,
        key: &[u8],
        owner: u64,
        patience: Patience,
    ) -> Result<(), RequestError> {
        self.named(set, key, |name| {
            self.wait(name, owner, Reason::String, patience, Met::Counted)
        })
        .map(drop)
    }

    /// A string of the owner gives up its hold.
    pub(crate) fn release(&self, set: u64, key: &[u8], owner: u64) {
        self.give(set, key, owner, Reason::String);
    }

    /// Gives a lock back, whatever its mode. True: the owner had it.
    pub(crate) fn unlock(&self, set: u64, key: &[u8], owner: u64) -> bool {
        self.named(set, key, |name| {
            // Before it is free: whoever locks it for this owner from then on notes it behind this.
            if let Some(owned) = self.owners.lock().get_mut(&owner) {
                owned.names.forget(name);
            }
            self.give_locked(name, owner)
        })
    }

    /// Frees all that the owner has locked, and only looks at that (L5).
    pub(crate) fn end_locked(&self, owner: u64) {
        let names = (self.owners.lock().get_mut(&owner)).map(|owned| std::mem::take(&mut owned.names));
        for name in names.iter().flat_map(NameList::iter) {
            self.give_locked(name, owner);
        }
    }

    /// The owner has ended, and with it all that it has locked.
    pub(crate) fn forget(&self, owner: u64) {
        self.set_retained(owner, false);
        self.end_locked(owner);
        self.owners.lock().remove(&owner);
    }

    /// Has the owner locked a record by name?
    pub(crate) fn has_locked(&self, set: u64, key: &[u8], owner: u64) -> bool {
        self.named(set, key, |name| self.has_locked_name(name, owner))
    }

    /// Waits until an owner may read a record, and gives it up at once.
    ///
    /// # Errors
    /// 8/20, 8/21, 8/22, 8/24.
    pub(crate) fn wait_to_read(
        &self,
        (set, key): (u64, &[u8]),
        owner: u64,
        patience: Patience,
    ) -> Result<(), RequestError> {
        if self.has_locked(set, key, owner) {
            return Ok(());
        }
        self.named(set, key, |name| {
            self.wait(name, owner, Reason::Reading, patience, Met::Now)?;
            self.give_name(name, owner, Reason::Reading);
            Ok(())
        })
    }

    fn set_retained(&self, owner: u64, retained: bool) {
        let names: Vec<Vec<u8>> = match self.owners.lock().get(&owner) {
            Some(owned) => owned.names.iter().map(<[u8]>::to_vec).collect(),
            None => return,
        };
        for name in names.iter().filter(|name| self.has_locked_name(name, owner)) {
            self.retain_name(name, owner, retained);
        }
    }

    /// The same for one name. Who waits for one that is retained now waits no longer than he has patience.
    pub(super) fn retain_name(&self, name: &[u8], owner: u64, retained: bool) {
        let mut stripe = self.stripe(name).lock();
        let holder = stripe.names.get_mut(name).and_then(|lock| lock.holder(owner));
        if let Some(holder) = holder.filter(|holder| holder.locked || holder.kept > 0) {
            holder.retained = retained;
        }
        stripe.settle(name);
    }

    /// What the unit of an owner keeps is another's, and retained. What a string of the first holds of it is void.
    pub(super) fn hand_over_name(&self, name: &[u8], from: u64, to: u64) {
        let mut stripe = self.stripe(name).lock();
        let holder = stripe.names.get_mut(name).and_then(|lock| lock.holder(from));
        if let Some(holder) = holder.filter(|holder| holder.kept > 0) {
            *holder = Holder {
                owner: to,
                kept: holder.kept,
                retained: true,
                since: holder.since,
                ..Holder::default()
            };
        }
        stripe.settle(name);
    }

    /// What an owner is called, if somebody said it.
    pub(super) fn label(&self, owner: u64) -> Option<String> {
        let owners = self.owners.lock();
        owners.get(&owner)?.label.as_deref().map(String::from)
    }

    /// The same, or its number.
    pub(super) fn words(&self, owner: u64) -> String {
        self.label(owner).unwrap_or_else(|| format!("owner {owner:X}"))
    }
}
