//! The units in doubt that a process knows, and who has their records in what it has open.

use crate::locks::LockOwner;
use cica_format::prepared::{PreparedIdentity, PreparedUnit};
use std::collections::{BTreeMap, BTreeSet};

/// See the module.
#[derive(Default)]
pub struct KnownUnits(BTreeMap<PreparedIdentity, LockOwner>);

impl KnownUnits {
    /// None is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The owner of a unit's records; one that was not known has the one that is `made`.
    pub fn owner_of(&mut self, unit: &PreparedUnit, made: impl FnOnce() -> LockOwner) -> LockOwner {
        self.0.entry(unit.identity()).or_insert_with(made).clone()
    }

    /// It is over.
    pub fn remove(&mut self, unit: &PreparedUnit) -> Option<LockOwner> {
        self.0.remove(&unit.identity())
    }

    /// Takes out all but these.
    pub fn keep_only(&mut self, waits: &BTreeSet<PreparedIdentity>) -> Vec<LockOwner> {
        self.take_out(|unit| !waits.contains(unit))
    }

    /// Takes out those that are called so.
    pub fn take_out_called(&mut self, name: &str) -> Vec<LockOwner> {
        self.take_out(|unit| unit.name == name)
    }

    fn take_out(&mut self, goes: impl Fn(&PreparedIdentity) -> bool) -> Vec<LockOwner> {
        let mut out = Vec::new();
        self.0.retain(|unit, owner| {
            let goes = goes(unit);
            out.extend(goes.then(|| owner.clone()));
            !goes
        });
        out
    }
}
