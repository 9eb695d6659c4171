//! A string of a client, with what the owner knows of it beside; and records that a client has locked by name.
//!
//! * N1. A name is no longer than that of a record of the data set: its key, or its number or RBA.
//! * N2. A client has [`MOST`] names locked at most, through all its strings and units. What its reads lock (CRE) is
//!   not counted: those are records that are there.

use cica_engine::{LockMode, Patience, RequestError, Str};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;

/// Names that a client may have locked (N2).
const MOST: usize = 1 << 18;

/// See the module.
pub struct Held {
    string: Str,
    in_unit: bool,
    /// As the client wants it.
    patience: Patience,
    identity: Identity,
    names: Arc<Names>,
}

/// What tells a record of a data set from all others.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// The base cluster, by a number of this process.
    pub base: u64,
    /// Bytes of its records' names.
    pub length: usize,
}

impl Held {
    /// A new one. `names`: of the owner that it has its locks together with.
    pub fn new(string: Str, in_unit: bool, identity: Identity, names: Arc<Names>) -> Held {
        Held {
            string,
            in_unit,
            patience: Patience::None,
            identity,
            names,
        }
    }

    /// Of a string that has its locks together with this one; `new`: what it has for itself. One beside a string in a
    /// unit is no part of the unit.
    pub fn names_together(&self, new: impl FnOnce() -> Arc<Names>) -> Arc<Names> {
        if self.in_unit {
            new()
        } else {
            self.names.clone()
        }
    }

    /// How long its requests wait.
    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
        self.string.set_patience(patience);
    }

    /// They wait for nothing now.
    pub fn wait_for_nothing(&mut self) {
        self.string.set_patience(Patience::None);
    }

    /// They wait as the client wants it.
    pub fn wait_again(&mut self) {
        self.string.set_patience(self.patience);
    }

    /// Locks a record by name (N1, N2).
    pub fn lock(&mut self, record: &[u8], mode: LockMode, patience: Patience) -> Result<(), RequestError> {
        let (given, key_length) = (record.len(), self.identity.length);
        if given > key_length {
            return Err(RequestError::KeyLength { given, key_length });
        }
        let name = (self.identity.base, record);
        if !self.names.have_room(name) {
            return Err(RequestError::Options {
                what: "the program has 262,144 records locked by name at the server, as many as one may: unlock some",
            });
        }
        self.string.lock(record, mode, patience)?;
        self.names.add(name);
        Ok(())
    }

    /// Unlocks it. True: it was locked.
    pub fn unlock(&mut self, record: &[u8]) -> bool {
        let unlocked = self.string.unlock(record);
        if unlocked {
            self.names.remove((self.identity.base, record));
        }
        unlocked
    }
}

impl Deref for Held {
    type Target = Str;

    fn deref(&self) -> &Str {
        &self.string
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Str {
        &mut self.string
    }
}

/// Names that one owner of locks has locked: a unit, or strings that have their locks together. Only their hashes are
/// kept. Where a unit ends beside a lock of it, that one may be counted until the next end.
pub struct Names {
    /// Of the client.
    all: Arc<AtomicUsize>,
    known: Mutex<HashSet<u64>>,
    hashing: RandomState,
}

/// The data set's number, and the name.
type Name<'n> = (u64, &'n [u8]);

impl Names {
    /// None yet, to be counted in `all`.
    pub fn new(all: Arc<AtomicUsize>) -> Names {
        Names {
            all,
            known: Mutex::default(),
            hashing: RandomState::new(),
        }
    }

    /// May this one be locked, or is it already?
    fn have_room(&self, name: Name<'_>) -> bool {
        self.all.load(Acquire) < MOST || self.known.lock().contains(&self.hashing.hash_one(name))
    }

    fn add(&self, name: Name<'_>) {
        if self.known.lock().insert(self.hashing.hash_one(name)) {
            self.all.fetch_add(1, AcqRel);
        }
    }

    fn remove(&self, name: Name<'_>) {
        if self.known.lock().remove(&self.hashing.hash_one(name)) {
            self.all.fetch_sub(1, AcqRel);
        }
    }

    /// All are free.
    pub fn clear(&self) {
        let known = std::mem::take(&mut *self.known.lock());
        self.all.fetch_sub(known.len(), AcqRel);
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_for_the_client_and_each_once() {
        let all = Arc::new(AtomicUsize::new(0));
        let (one, other) = (Names::new(all.clone()), Names::new(all.clone()));
        for _ in 0..2 {
            one.add((1, b"A"));
        }
        one.add((2, b"A"));
        other.add((1, b"A"));
        assert_eq!(all.load(Acquire), 3);
        other.remove((1, b"A"));
        other.remove((1, b"B"));
        assert_eq!(all.load(Acquire), 2);

        all.fetch_add(MOST - 2, AcqRel);
        assert!(one.have_room((1, b"A")) && !one.have_room((1, b"B")) && !other.have_room((1, b"A")));
        one.clear();
        assert!(other.have_room((1, b"A")));
        other.add((1, b"A"));
        drop((one, other));
        assert_eq!(all.load(Acquire), MOST - 2);
    }
}
