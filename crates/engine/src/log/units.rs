//! What takes open units of recovery back: all that the log has of them, in memory as well, so that an epoch may end
//! while they are open (`carry.rs`).
//!
//! * Y5. A unit is here from its first change in the log to its end in the log: both are under the log's lock, so the
//!   log and this table agree at every LSN.

use super::logged::{owned_parts, Logged};
use super::Log;
use cica_format::log::{append_recoverable, append_taken_back, append_unit_end};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The open units, by id.
#[derive(Default)]
pub(super) struct Units(BTreeMap<u64, OpenUnit>);

#[derive(Default)]
struct OpenUnit {
    /// Numbers of the data sets that it changed.
    numbers: BTreeSet<u32>,
    /// By sequence.
    changes: Vec<Undo>,
}

/// What takes one change back.
#[derive(Clone)]
pub(super) struct Undo {
    pub sequence: u32,
    pub lsn: u64,
    pub undo: Arc<[u8]>,
}

impl Units {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Everything that would have to be taken back now, with the units' ids.
    pub fn all(&self) -> Vec<(u64, Undo)> {
        let of =
            |(id, unit): (&u64, &OpenUnit)| unit.changes.iter().map(|undo| (*id, undo.clone())).collect::<Vec<_>>();
        self.0.iter().flat_map(of).collect()
    }

    /// What is not of these data sets is in a log that was left for whoever opens the others.
    pub fn keep(&mut self, kept: &BTreeSet<u32>) {
        let is_kept = |change: &Undo| {
            // The log's own bytes, which were read back from nowhere.
            let numbers = owned_parts(&change.undo).unwrap_or_default();
            let mut numbers = numbers.iter().filter_map(Logged::number);
            numbers.all(|number| kept.contains(&number))
        };
        self.0.retain(|_, unit| {
            unit.changes.retain(is_kept);
            unit.numbers.retain(|number| kept.contains(number));
            !unit.changes.is_empty()
        });
    }

    fn numbers(&self) -> BTreeSet<u32> {
        self.0.values().flat_map(|unit| &unit.numbers).copied().collect()
    }

    fn changed(&mut self, unit: u64, numbers: &[u32], change: Undo) {
        let unit = self.0.entry(unit).or_default();
        unit.numbers.extend(numbers);
        unit.changes.push(change);
    }

    fn taken_back(&mut self, unit: u64, sequence: u32) {
        let Some(unit) = self.0.get_mut(&unit) else { return };
        // Changes come back newest first, but those of a data set that is stuck.
        let place = unit.changes.binary_search_by_key(&sequence, |change| change.sequence);
        if let Ok(place) = place {
            unit.changes.remove(place);
        }
    }
}

impl Log {
    /// Logs change `sequence` of a unit, as [`append`](Self::append) does; `undo` takes it back.
    pub fn append_change(&self, numbers: &[u32], unit: u64, sequence: u32, redo: &[u8], undo: &Arc<[u8]>) -> u64 {
        let mut state = self.state.lock();
        let lsn = self.append_in(&mut state, numbers, |buf| {
            append_recoverable(buf, unit, sequence, redo, undo);
        });
        let undo = undo.clone();
        state.units.changed(unit, numbers, Undo { sequence, lsn, undo });
        lsn
    }

    /// Logs change `sequence` of a unit, of a record that an earlier change of it takes back (unit:U10).
    pub fn append_covered(&self, numbers: &[u32], unit: u64, sequence: u32, redo: &[u8]) -> u64 {
        let mut state = self.state.lock();
        self.append_in(&mut state, numbers, |buf| {
            append_recoverable(buf, unit, sequence, redo, &[]);
        })
    }

    /// Logs that change `sequence` of a unit was taken back by doing `redo`.
    pub fn append_taken_back(&self, numbers: &[u32], unit: u64, sequence: u32, redo: &[u8]) -> u64 {
        let mut state = self.state.lock();
        let lsn = self.append_in(&mut state, numbers, |buf| append_taken_back(buf, unit, sequence, redo));
        state.units.taken_back(unit, sequence);
        lsn
    }

    /// Logs the end of a unit.
    pub fn append_unit_end(&self, unit: u64, backed_out: bool) -> u64 {
        let mut state = self.state.lock();
        let lsn = self.append_in(&mut state, &[], |buf| append_unit_end(buf, unit, backed_out));
        let ended = state.units.0.remove(&unit);
        drop(state);
        // Others need not wait until all of it is freed.
        drop(ended);
        lsn
    }

    /// A unit is over of which the log must not say that it has ended: it left changes to a log that was left behind.
    pub fn forget_unit(&self, unit: u64) {
        let units = &mut self.state.lock().units.0;
        if units.get(&unit).is_some_and(|unit| unit.changes.is_empty()) {
            units.remove(&unit);
        }
    }

    /// Numbers of the data sets that open units have changed.
    pub fn in_open_units(&self) -> BTreeSet<u32> {
        self.state.lock().units.numbers()
    }

    /// What takes back all that open units have changed, with their ids, newest change first.
    pub fn undo_of_open_units(&self) -> Vec<(u64, Arc<[u8]>)> {
        let mut all = self.state.lock().units.all();
        all.sort_by_key(|(_, change)| std::cmp::Reverse(change.lsn));
        all.into_iter().map(|(unit, change)| (unit, change.undo)).collect()
    }

    /// Has any unit changed anything, and not ended?
    pub fn has_open_units(&self) -> bool {
        !self.state.lock().units.is_empty()
    }
}
