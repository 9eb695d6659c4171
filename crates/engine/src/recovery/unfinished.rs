//! What recovery knows of units whose end it has not seen: the changes that are to be taken back.

use crate::log::Logged;
use std::collections::BTreeMap;

/// Changes that were not taken back, by unit and number, each with its LSN.
#[derive(Default)]
pub struct Unfinished(BTreeMap<(u64, u32), (u64, Vec<Logged>)>);

impl Unfinished {
    /// The log has a change. One that is covered goes back with an earlier one (unit:U10).
    pub fn changed(&mut self, lsn: u64, change: (u64, u32), undo: Vec<Logged>) {
        if !undo.is_empty() {
            self.0.insert(change, (lsn, undo));
        }
    }

    /// The log has it taken back.
    pub fn taken_back(&mut self, change: (u64, u32)) {
        self.0.remove(&change);
    }

    /// The log has the end of a unit.
    pub fn ended(&mut self, unit: u64) {
        let rest = self.0.split_off(&(unit, 0));
        if let Some(after) = unit.checked_add(1) {
            self.0.extend(rest.into_iter().filter(|((of, _), _)| *of >= after));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is to be done in this order, newest change first: LSN of the change, and requests.
    pub fn newest_first(self) -> Vec<(u64, Vec<Logged>)> {
        let mut left: Vec<_> = self.0.into_values().collect();
        left.sort_by_key(|(lsn, _)| std::cmp::Reverse(*lsn));
        left
    }
}
