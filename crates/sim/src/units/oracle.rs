//! What data sets hold when units change them: records as they are, the records before of each open unit, and who keeps
//! what.
//!
//! Changes without a unit are made in the first data set alone: so what stands goes from moment to moment in all of
//! them together, whichever tree was committed by itself. Only when that data set is fenced, because its root could not
//! be written, does the log go on without them.

use std::collections::BTreeMap;
use std::fmt;

use crate::mortal::Kill;
use crate::random::digest;

/// Data sets of a run: a KSDS, an RRDS and an ESDS.
pub const SETS: usize = 3;
/// The ESDS's number.
pub const ESDS: usize = 2;
/// Units of a run.
pub const UNITS: usize = 2;

/// One thing that a run does. `by` is a unit, or nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the fields say what they are
pub enum UnitAction {
    /// Insert where there is no such record, else update; in the ESDS a key beyond the last adds one.
    Put {
        by: Option<usize>,
        set: usize,
        key: u32,
        value: u32,
    },
    /// Erase.
    Erase { by: Option<usize>, set: usize, key: u32 },
    /// The unit ends.
    Commit(usize),
    /// The unit is taken back.
    BackOut(usize),
    /// A tree is committed.
    Checkpoint(usize),
    /// The log is written.
    Flush,
    /// CLOSE and OPEN.
    Reopen(usize),
    /// The process is killed, now or later, and its units with it; another one opens all data sets.
    Kill(Kill),
}

impl fmt::Display for UnitAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// What an action answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitAnswer {
    /// Done.
    Done,
    /// 8/16.
    NotFound,
    /// 8/20.
    Kept,
}

/// Values by key.
pub type ValuesByKey = BTreeMap<u32, u32>;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct UnitOracle {
    sets: [ValuesByKey; SETS],
    /// What each open unit changed, as it was before.
    before: [BTreeMap<(usize, u32), Option<u32>>; UNITS],
    /// What was changed without a unit since all was made durable, as it was before.
    alone: BTreeMap<u32, Option<u32>>,
}

impl UnitOracle {
    /// The data sets as they were loaded.
    pub fn new(sets: [ValuesByKey; SETS]) -> UnitOracle {
        UnitOracle {
            sets,
            ..UnitOracle::default()
        }
    }

    /// Records as they are at the moment.
    pub fn records(&self, set: usize) -> &ValuesByKey {
        &self.sets[set]
    }

    /// The action as it makes sense now: into the ESDS the next record goes behind the last.
    pub fn fitting(&self, action: UnitAction) -> UnitAction {
        match action {
            UnitAction::Put {
                by,
                set: set @ ESDS,
                key,
                value,
            } => UnitAction::Put {
                by,
                set,
                key: key.min(next(&self.sets[set])),
                value,
            },
            other => other,
        }
    }

    /// Has the unit changed anything?
    pub fn is_open(&self, unit: usize) -> bool {
        !self.before[unit].is_empty()
    }

    /// Keys of a data set that open units have changed.
    pub fn changed_in(&self, set: usize) -> Vec<u32> {
        let places = self.before.iter().flat_map(|unit| unit.keys());
        places.filter(|place| place.0 == set).map(|place| place.1).collect()
    }

    /// Does it.
    pub fn apply(&mut self, action: UnitAction) -> UnitAnswer {
        match action {
            UnitAction::Put { by, set, key, value } => {
                let adds = !self.sets[set].contains_key(&key);
                self.change(by, (set, key), Some(value), adds && set == ESDS)
            }
            UnitAction::Erase { by, set, key } => {
                if self.sets[set].contains_key(&key) {
                    self.change(by, (set, key), None, false)
                } else if self.is_erased_by_another(by, (set, key)) {
                    UnitAnswer::Kept
                } else {
                    UnitAnswer::NotFound
                }
            }
            UnitAction::Commit(unit) => {
                self.before[unit].clear();
                UnitAnswer::Done
            }
            UnitAction::BackOut(unit) => {
                for ((set, key), old) in std::mem::take(&mut self.before[unit]) {
                    put(&mut self.sets[set], key, old);
                }
                UnitAnswer::Done
            }
            UnitAction::Checkpoint(_) | UnitAction::Flush | UnitAction::Reopen(_) | UnitAction::Kill(_) => {
                UnitAnswer::Done
            }
        }
    }

    fn change(&mut self, by: Option<usize>, place: (usize, u32), new: Option<u32>, at_the_end: bool) -> UnitAnswer {
        let others = |unit: &usize| Some(*unit) != by;
        let kept = |unit: usize| {
            let before = &self.before[unit];
            let added = |(&(set, _), old): (&(usize, u32), &Option<u32>)| set == ESDS && old.is_none();
            before.contains_key(&place) || (at_the_end && before.iter().any(added))
        };
        if (0..UNITS).filter(others).any(kept) {
            return UnitAnswer::Kept;
        }
        let old = self.sets[place.0].get(&place.1).copied();
        match by {
            Some(unit) => self.before[unit].entry(place).or_insert(old),
            None => self.alone.entry(place.1).or_insert(old),
        };
        put(&mut self.sets[place.0], place.1, new);
        UnitAnswer::Done
    }

    /// Has an open unit of another erased it? It keeps the record until it ends, one that it added itself too.
    fn is_erased_by_another(&self, by: Option<usize>, place: (usize, u32)) -> bool {
        (0..UNITS).any(|unit| Some(unit) != by && self.before[unit].contains_key(&place))
    }

    /// What stands if every open unit is taken back.
    pub fn standing(&self) -> [ValuesByKey; SETS] {
        let mut sets = self.sets.clone();
        for ((set, key), old) in self.before.iter().flatten() {
            put(&mut sets[*set], *key, *old);
        }
        sets
    }

    /// The same without what no unit changed since all was made durable.
    pub fn standing_without_those_alone(&self) -> [ValuesByKey; SETS] {
        let mut sets = self.standing();
        for (key, old) in &self.alone {
            put(&mut sets[0], *key, *old);
        }
        sets
    }

    /// All that was done is durable.
    pub fn made_durable(&mut self) {
        self.alone.clear();
    }
}

/// The key behind the last.
pub fn next(records: &ValuesByKey) -> u32 {
    records.keys().next_back().map_or(1, |last| last + 1)
}

fn put(records: &mut ValuesByKey, key: u32, value: Option<u32>) {
    match value {
        Some(value) => records.insert(key, value),
        None => records.remove(&key),
    };
}

/// Digest of what data sets hold.
pub fn digest_of(sets: &[ValuesByKey; SETS]) -> u64 {
    let numbers = |records: &ValuesByKey| -> Vec<u8> {
        let pairs = records.iter().flat_map(|(key, value)| [*key, *value]);
        pairs.chain([u32::MAX]).flat_map(u32::to_be_bytes).collect()
    };
    digest(&sets.iter().flat_map(numbers).collect::<Vec<u8>>())
}
