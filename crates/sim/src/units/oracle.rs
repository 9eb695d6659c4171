//! What data sets hold when units change them: records as they are, the records before of each open unit, and who keeps
//! what.
//!
//! A unit that is prepared is in doubt: what it changed stays and is nobody's, over deaths and power cuts, until it is
//! decided about by its name.
//!
//! Changes without a unit are made in the first data set alone: so what stands goes from moment to moment in all of
//! them together, whichever tree was committed by itself. Only when that data set is fenced, because its root could not
//! be written, does the log go on without them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::mortal::Kill;
use crate::random::digest;

/// Data sets of a run: a KSDS, an RRDS and an ESDS.
pub const SETS: usize = 3;
/// The ESDS's number.
pub const ESDS: usize = 2;
/// Units of a run.
pub const UNITS: usize = 2;
/// Names that units in doubt are given, again and again.
pub const DOUBTS: usize = 2;

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
    /// The unit is in doubt from now on, under this name; one that has changed nothing goes on.
    Prepare(usize, usize),
    /// The unit in doubt of this name is committed, or taken back.
    Decide(usize, bool),
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
    /// 8/20, 8/24.
    Kept,
    /// A unit in doubt has the name.
    Doubled,
    /// None has it.
    Unknown,
}

/// Values by key.
pub type ValuesByKey = BTreeMap<u32, u32>;

/// Records that a unit has changed, as they were before.
type BeforeUnit = BTreeMap<(usize, u32), Option<u32>>;

/// What whoever opens all data sets finds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitsFound {
    /// Records.
    pub sets: [ValuesByKey; SETS],
    /// Units in doubt, by name.
    pub doubts: BTreeSet<usize>,
    /// Records that are refused him.
    pub retained: BTreeSet<(usize, u32)>,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct UnitOracle {
    sets: [ValuesByKey; SETS],
    /// What each open unit changed, as it was before.
    before: [BeforeUnit; UNITS],
    /// The same of units in doubt, by name.
    doubts: [Option<BeforeUnit>; DOUBTS],
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

    /// What was found after a death, where the action in which it came is done, as in `done`, or not, as in `not`.
    pub fn left(found: UnitsFound, done: &UnitOracle, not: &UnitOracle) -> UnitOracle {
        let of = |name: usize| done.doubts[name].as_ref().or(not.doubts[name].as_ref());
        let waits = |name: usize| found.doubts.contains(&name);
        UnitOracle {
            doubts: std::array::from_fn(|name| of(name).filter(|_| waits(name)).cloned()),
            ..UnitOracle::new(found.sets)
        }
    }

    /// Is a unit of this name in doubt?
    pub fn is_in_doubt(&self, name: usize) -> bool {
        self.doubts[name].is_some()
    }

    /// What all that has not ended has changed.
    fn unended(&self) -> impl Iterator<Item = (Option<usize>, &BeforeUnit)> {
        let open = self
            .before
            .iter()
            .enumerate()
            .map(|(unit, before)| (Some(unit), before));
        open.chain(self.doubts.iter().flatten().map(|before| (None, before)))
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
        let places = self.unended().flat_map(|(_, unit)| unit.keys());
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
            UnitAction::Prepare(unit, _) if !self.is_open(unit) => UnitAnswer::Done,
            UnitAction::Prepare(_, name) if self.is_in_doubt(name) => UnitAnswer::Doubled,
            UnitAction::Prepare(unit, name) => {
                self.doubts[name] = Some(std::mem::take(&mut self.before[unit]));
                UnitAnswer::Done
            }
            UnitAction::Decide(name, commits) => match self.doubts[name].take() {
                None => UnitAnswer::Unknown,
                Some(before) => {
                    for ((set, key), old) in before.into_iter().filter(|_| !commits) {
                        put(&mut self.sets[set], key, old);
                    }
                    UnitAnswer::Done
                }
            },
            UnitAction::Checkpoint(_) | UnitAction::Flush | UnitAction::Reopen(_) | UnitAction::Kill(_) => {
                UnitAnswer::Done
            }
        }
    }

    fn change(&mut self, by: Option<usize>, place: (usize, u32), new: Option<u32>, at_the_end: bool) -> UnitAnswer {
        let kept = |(unit, before): (Option<usize>, &BeforeUnit)| {
            if unit.is_some() && unit == by {
                return false;
            }
            let added = |(&(set, _), old): (&(usize, u32), &Option<u32>)| set == ESDS && old.is_none();
            before.contains_key(&place) || (at_the_end && before.iter().any(added))
        };
        if self.unended().any(kept) {
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
        let others = |unit: Option<usize>| unit.is_none() || unit != by;
        self.unended()
            .any(|(unit, before)| others(unit) && before.contains_key(&place))
    }

    /// What whoever opens all data sets finds if every open unit is taken back.
    pub fn found(&self) -> UnitsFound {
        self.found_with(self.standing())
    }

    /// The same without what no unit changed since all was made durable.
    pub fn found_without_those_alone(&self) -> UnitsFound {
        let mut sets = self.standing();
        for (key, old) in &self.alone {
            put(&mut sets[0], *key, *old);
        }
        self.found_with(sets)
    }

    fn found_with(&self, sets: [ValuesByKey; SETS]) -> UnitsFound {
        let names = (0..DOUBTS).filter(|name| self.is_in_doubt(*name));
        let retained = self.doubts.iter().flatten().flat_map(BTreeMap::keys);
        UnitsFound {
            sets,
            doubts: names.collect(),
            retained: retained.copied().collect(),
        }
    }

    /// What there is when all in doubt is decided about in one way as well.
    pub fn decided(&self, commits: bool) -> UnitsFound {
        let mut all = self.clone();
        for name in 0..DOUBTS {
            all.apply(UnitAction::Decide(name, commits));
        }
        all.found()
    }

    /// What stands if every open unit is taken back.
    fn standing(&self) -> [ValuesByKey; SETS] {
        let mut sets = self.sets.clone();
        for ((set, key), old) in self.before.iter().flatten() {
            put(&mut sets[*set], *key, *old);
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

impl UnitsFound {
    /// Digest of all of it.
    pub fn digest(&self) -> u64 {
        let numbers = |records: &ValuesByKey| -> Vec<u32> {
            let pairs = records.iter().flat_map(|(key, value)| [*key, *value]);
            pairs.chain([u32::MAX]).collect()
        };
        let sets = self.sets.iter().flat_map(numbers);
        let doubts = self.doubts.iter().map(|name| *name as u32);
        let retained = self.retained.iter().flat_map(|(set, key)| [*set as u32, *key]);
        let all = sets.chain(doubts).chain(retained);
        digest(&all.flat_map(u32::to_be_bytes).collect::<Vec<u8>>())
    }
}
