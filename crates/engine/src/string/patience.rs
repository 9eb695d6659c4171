//! Requests that wait for a record of another owner, and records that are locked by name.
//!
//! A request that meets such a record is refused, and has given up whatever it had of latches, gates and mutexes. If
//! the string has patience it waits then, and the request is made anew while the string has the record (locks:L3). It
//! keeps what it was granted until the request is done, as that may need several records.

use super::{AnyString, Str};
use crate::error::RequestError;
use crate::locks::{LockMode, LockOwner, Locks, Patience};
use std::sync::Arc;

impl Str {
    /// How long its requests for update wait for a record that another owner has. Each record is waited for so long.
    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
        if let AnyString::Far(string) = &mut self.of {
            string.set_patience(patience);
        }
    }

    /// From now on what it holds is the owner's, and so that of all strings of this owner. A string in a unit of
    /// recovery is the unit's: see [`Engine::unit_of`](crate::Engine::unit_of). What it holds now is given up. A string
    /// on a data set of another process stays an owner of its own.
    pub fn owned_by(&mut self, owner: &LockOwner) {
        if self.holds() {
            self.end();
        }
        self.owner = Some(owner.clone());
        match &mut self.of {
            AnyString::Ksds(string) => string.set_owner(owner.number()),
            AnyString::Vrrds(string) => string.set_owner(owner.number()),
            AnyString::Esds(string) => string.set_owner(owner.number()),
            AnyString::Rrds(string) => string.set_owner(owner.number()),
            AnyString::Lds(string) => string.set_owner(owner.number()),
            AnyString::Path(string) => string.base().owned_by(owner),
            AnyString::Far(_) => {}
        }
    }

    /// From now on what it holds is also that of `other`, as if one string had both. A string in a unit of recovery is
    /// the unit's already.
    pub(crate) fn joins(&mut self, other: &mut Str) {
        let number = other.lock_number();
        if let Some((table, _)) = other.locks().filter(|_| !other.in_unit) {
            let owner = other
                .owner
                .get_or_insert_with(|| LockOwner::of_string(&table, number))
                .clone();
            self.owned_by(&owner);
        }
    }

    /// Locks a record by its identity: the base's prime key, the number of 4 (VRRDS) or 8 bytes (RRDS), or the RBA of 8
    /// bytes (ESDS), big-endian. It stays locked until it is unlocked, or until the owner is dropped; where it has
    /// none, until its unit of recovery ends, or the string is dropped.
    ///
    /// # Errors
    /// 8/20, 8/21, 8/22, 8/24; 8/112: no record has an identity of this length.
    pub fn lock(&mut self, record: &[u8], mode: LockMode, patience: Patience) -> Result<(), RequestError> {
        match &mut self.of {
            AnyString::Far(string) => return string.lock(record, mode, patience),
            AnyString::Path(string) => return string.base().lock(record, mode, patience),
            _ => {}
        }
        let number = self.lock_number();
        let Some((table, set)) = self.locks() else {
            return Err(RequestError::NoPosition);
        };
        self.check_identity(record)?;
        if let Some(inner) = &self.inner {
            inner.common().holds.note_lockable(&inner.common().gate);
        }
        let owner = if self.in_unit {
            number
        } else {
            (self.owner.get_or_insert_with(|| LockOwner::of_string(&table, number))).number()
        };
        table.lock((set, record), owner, mode, patience)
    }

    /// A lock of what is no record's identity would keep nobody off.
    fn check_identity(&self, record: &[u8]) -> Result<(), RequestError> {
        let key_length = match (&self.of, &self.inner) {
            (AnyString::Ksds(_), Some(inner)) => inner.common().attributes.key_length.into(),
            (AnyString::Vrrds(_), _) => size_of::<u32>(),
            _ => size_of::<u64>(),
        };
        if record.len() == key_length {
            return Ok(());
        }
        Err(RequestError::KeyLength {
            given: record.len(),
            key_length,
        })
    }

    /// Unlocks a record. True: it was locked by this owner.
    pub fn unlock(&mut self, record: &[u8]) -> bool {
        match &mut self.of {
            AnyString::Far(string) => return string.unlock(record),
            AnyString::Path(string) => return string.base().unlock(record),
            _ => {}
        }
        match (&self.owner, self.locks()) {
            (_, Some((table, set))) if self.in_unit => table.unlock(set, record, self.lock_number()),
            (Some(owner), Some((table, set))) => table.unlock(set, record, owner.number()),
            _ => false,
        }
    }

    /// Makes a request, and again when the record that refused it is free.
    pub(super) fn patiently<T>(
        &mut self,
        mut request: impl FnMut(&mut Str) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        let mut granted: Vec<(u64, Vec<u8>)> = Vec::new();
        let done = loop {
            let refused = match request(self) {
                Err(refused) => refused,
                done => break done,
            };
            // A far one has waited where its data set is.
            let (Some(name), Some((table, _))) = (name_of(&refused), self.locks()) else {
                break Err(refused);
            };
            if granted.contains(&name) {
                // He has it: the refusal is of another kind, as that of a plain change by the owner of a unit.
                break Err(refused);
            }
            let waited = table.wait_to_hold(name.0, &name.1, self.lock_number(), self.patience);
            match waited {
                Ok(()) => granted.push(name),
                Err(error) => break Err(error),
            }
        };
        if let Some((table, _)) = self.locks() {
            for (set, key) in granted {
                table.release(set, &key, self.lock_number());
            }
        }
        done
    }

    /// The lock table of this process, and the number of the data set in it.
    fn locks(&self) -> Option<(Arc<Locks>, u64)> {
        let holds = &self.inner.as_ref()?.common().holds;
        Some((holds.table().clone(), holds.set()))
    }

    /// Who has what it holds.
    pub(super) fn lock_number(&self) -> u64 {
        match &self.of {
            AnyString::Ksds(string) => string.owner(),
            AnyString::Vrrds(string) => string.owner(),
            AnyString::Esds(string) => string.owner(),
            AnyString::Rrds(string) => string.owner(),
            AnyString::Lds(string) => string.owner(),
            AnyString::Path(string) => string.base_ref().lock_number(),
            // Its holds are in the table of the process that owns the data set.
            AnyString::Far(_) => 0,
        }
    }
}

/// The record that a refusal is about.
fn name_of(refused: &RequestError) -> Option<(u64, Vec<u8>)> {
    match refused {
        RequestError::Exclusive { key, set, .. } => Some((*set, key.clone())),
        RequestError::Alternate { error, .. } => name_of(error),
        _ => None,
    }
}
