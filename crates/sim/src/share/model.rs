//! What must be true of data sets that several sessions share: what is committed, what open units and those in doubt
//! have pending, who keeps whom away, and what a reader may have read how long ago.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A record: its data set and key.
pub type Name = (usize, u32);
/// Values by record.
pub type Records = BTreeMap<Name, u32>;

/// What of a session has something: a string without a unit, its unit, or the string that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Alone,
    Unit,
    Reads,
}

/// A part of a session.
pub type Holder = (u64, Part);

/// What a unit has made of records.
type UnitChanges = BTreeMap<Name, Option<u32>>;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    committed: Records,
    /// What each session's unit has changed.
    pending: BTreeMap<u64, UnitChanges>,
    /// What each unit in doubt has changed, by its number: nobody's, until somebody decides.
    doubtful: BTreeMap<usize, UnitChanges>,
    /// Records that nobody may change: what units have read with CRE.
    shared: BTreeMap<Name, BTreeSet<u64>>,
    /// Records that may be so: CRE did not find them.
    perhaps: BTreeMap<Name, BTreeSet<u64>>,
    /// Locked by name.
    named: BTreeMap<Name, Holder>,
    /// Got for update, by each string: one for each part and data set.
    held: BTreeMap<(Holder, usize), u32>,
    /// Strings that perhaps have a record of the data set: others meet it until the string's next request. Their unit was
    /// prepared, or a request that would have let go of it got no answer.
    held_before: BTreeSet<(Holder, usize)>,
    /// What a record was until then, committed or as open units had it, in order of time.
    past: Vec<(Duration, Name, [Option<u32>; 2])>,
}

/// What is to be done with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// It is read with integrity.
    Reads,
    /// It is changed, if it is there.
    Changes,
    /// It is inserted, or its name is locked.
    Takes,
}

/// Who keeps a request away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Free,
    Perhaps,
    Blocked,
}

impl Standing {
    pub fn new(committed: Records) -> Standing {
        Standing {
            committed,
            ..Standing::default()
        }
    }

    /// The committed records.
    pub fn committed(&self) -> &Records {
        &self.committed
    }

    /// What units have changed that have not ended.
    fn uncommitted(&self) -> impl Iterator<Item = &UnitChanges> {
        self.pending.values().chain(self.doubtful.values())
    }

    /// A record as a reader without integrity sees it.
    pub fn physical(&self, name: Name) -> Option<u32> {
        let pending = self.uncommitted().find_map(|unit| unit.get(&name));
        pending.copied().unwrap_or_else(|| self.committed.get(&name).copied())
    }

    /// All records so.
    pub fn all_physical(&self) -> Records {
        let mut all = self.committed.clone();
        for (name, value) in self.uncommitted().flatten() {
            match value {
                Some(value) => all.insert(*name, *value),
                None => all.remove(name),
            };
        }
        all
    }

    /// May this part do that with the record?
    pub fn way(&self, name: Name, by: Holder, does: Does) -> Way {
        let change = does != Does::Reads;
        let others = |sessions: Option<&BTreeSet<u64>>| {
            let own = |session: u64| by == (session, Part::Unit);
            sessions.is_some_and(|sessions| sessions.iter().any(|session| !own(*session)))
        };
        let kept = self
            .pending
            .iter()
            .any(|(session, unit)| (*session, Part::Unit) != by && unit.contains_key(&name));
        let kept = kept || self.doubtful.values().any(|unit| unit.contains_key(&name));
        let locked = self.named.get(&name).is_some_and(|holder| *holder != by);
        let held = self.is_held(name, by);
        // A name may be locked that no record has: who reads or changes a record need not notice.
        if locked && !kept && does != Does::Takes && self.physical(name).is_none() {
            return Way::Perhaps;
        }
        // One that a string holds may have gone with the unit that had added it.
        if held && !kept && !locked && self.physical(name).is_none() {
            return Way::Perhaps;
        }
        if kept || locked || change && (held || others(self.shared.get(&name))) {
            return Way::Blocked;
        }
        // An insert may have to move what another string holds.
        let mut held = self.held.keys().chain(&self.held_before);
        let near = held.any(|(holder, set)| *holder != by && *set == name.0);
        if change && (near || others(self.perhaps.get(&name))) {
            Way::Perhaps
        } else {
            Way::Free
        }
    }

    /// Has another string got the record for update?
    pub fn is_held(&self, name: Name, by: Holder) -> bool {
        self.held
            .iter()
            .any(|((holder, set), key)| *holder != by && (*set, *key) == name)
    }

    /// Has a string perhaps a record of the data set still that it got before its unit was in doubt? It has until its
    /// next request.
    pub fn may_be_held(&self, set: usize, by: Holder) -> bool {
        self.held_before.iter().any(|(holder, of)| *holder != by && *of == set)
    }

    /// Is any record of a data set kept from a reader?
    pub fn any_blocked(&self, set: usize, by: Holder) -> bool {
        let names = self.uncommitted().flat_map(BTreeMap::keys).chain(self.named.keys());
        names
            .into_iter()
            .any(|name| name.0 == set && self.way(*name, by, Does::Reads) == Way::Blocked)
    }

    /// Changes a record, in the unit of a session or at once.
    pub fn change(&mut self, now: Duration, by: Holder, name: Name, value: Option<u32>) {
        self.note(now, name);
        if by.1 == Part::Unit {
            self.pending.entry(by.0).or_default().insert(name, value);
        } else {
            self.set(name, value);
        }
    }

    fn set(&mut self, name: Name, value: Option<u32>) {
        match value {
            Some(value) => self.committed.insert(name, value),
            None => self.committed.remove(&name),
        };
    }

    fn note(&mut self, now: Duration, name: Name) {
        let was = [self.committed.get(&name).copied(), self.physical(name)];
        self.past.push((now, name, was));
    }

    /// Ends a session's unit.
    pub fn end_unit(&mut self, now: Duration, session: u64, commits: bool) {
        for (name, value) in self.pending.get(&session).cloned().unwrap_or_default() {
            self.note(now, name);
            if commits {
                self.set(name, value);
            }
        }
        self.pending.remove(&session);
        self.end_reads(session);
    }

    /// What a unit has read repeatably anybody may change.
    fn end_reads(&mut self, session: u64) {
        for sets in [&mut self.shared, &mut self.perhaps] {
            for sessions in sets.values_mut() {
                sessions.remove(&session);
            }
        }
    }

    /// A session's unit is in doubt from now on, and what its strings hold is theirs no more. False: another is called so.
    pub fn prepare(&mut self, session: u64, unit: usize) -> bool {
        if self.is_in_doubt(unit) {
            return false;
        }
        self.doubtful
            .insert(unit, self.pending.remove(&session).unwrap_or_default());
        self.end_reads(session);
        let of_unit = |(holder, _): &(Holder, usize)| *holder == (session, Part::Unit);
        self.held_before.extend(self.held.keys().filter(|held| of_unit(held)));
        self.held.retain(|held, _| !of_unit(held));
        true
    }

    /// Somebody has decided about a unit in doubt.
    pub fn decide(&mut self, now: Duration, unit: usize, commits: bool) {
        for (name, value) in self.doubtful.get(&unit).cloned().unwrap_or_default() {
            self.note(now, name);
            if commits {
                self.set(name, value);
            }
        }
        self.doubtful.remove(&unit);
    }

    /// Is the unit in doubt?
    pub fn is_in_doubt(&self, unit: usize) -> bool {
        self.doubtful.contains_key(&unit)
    }

    /// Those in doubt, and whose records are theirs.
    pub fn in_doubt(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = Name> + '_)> {
        self.doubtful
            .iter()
            .map(|(unit, changes)| (*unit, changes.keys().copied()))
    }

    /// Has the unit anything to commit?
    pub fn has_pending(&self, session: u64) -> bool {
        self.pending.contains_key(&session)
    }

    /// A unit has read a record with CRE, or has not found it.
    pub fn keep_read(&mut self, session: u64, name: Name, found: bool) {
        let sets = if found { &mut self.shared } else { &mut self.perhaps };
        sets.entry(name).or_default().insert(session);
    }

    /// The string of a part for a data set holds a record for update, or none any more.
    pub fn hold(&mut self, by: Holder, set: usize, key: Option<u32>) {
        self.held_before.remove(&(by, set));
        match key {
            Some(key) => self.held.insert((by, set), key),
            None => self.held.remove(&(by, set)),
        };
    }

    /// Has the string of a part a record of the data set for update?
    pub fn holds(&self, by: Holder, set: usize) -> bool {
        self.held.contains_key(&(by, set))
    }

    /// The string got no answer: it has perhaps let go of what it held.
    pub fn holds_perhaps(&mut self, by: Holder, set: usize) {
        self.hold(by, set, None);
        self.held_before.insert((by, set));
    }

    /// A record is locked by name, or is not any more.
    pub fn lock(&mut self, by: Holder, name: Name, locked: bool) {
        if locked {
            self.named.insert(name, by)
        } else {
            self.named.remove(&name)
        };
    }

    /// Is it locked by name by this part?
    pub fn has_locked(&self, by: Holder, name: Name) -> bool {
        self.named.get(&name) == Some(&by)
    }

    /// A string is given up, with what it has of a data set.
    pub fn give_up_in(&mut self, by: Holder, of: impl Fn(&Name) -> bool) {
        self.held
            .retain(|(holder, set), key| *holder != by || !of(&(*set, *key)));
        self.named.retain(|name, holder| *holder != by || !of(name));
    }

    /// A session has ended: its unit goes back, and it has nothing any more.
    pub fn end_session(&mut self, now: Duration, session: u64) {
        self.end_unit(now, session, false);
        [Part::Alone, Part::Unit, Part::Reads]
            .into_iter()
            .for_each(|part| self.give_up_in((session, part), |_| true));
        self.held_before.retain(|((holder, _), _)| *holder != session);
    }

    /// The owner has died, and with it all that was open; what is in doubt is so still.
    pub fn end_all(&mut self) {
        *self = Standing {
            doubtful: std::mem::take(&mut self.doubtful),
            ..Standing::new(std::mem::take(&mut self.committed))
        };
    }

    /// How many changes there were.
    pub fn changes(&self) -> usize {
        self.past.len()
    }

    /// What a reader may have got of a record that was read at this time or later, and behind so many changes:
    /// committed values, or for one without integrity any.
    pub fn window(&self, name: Name, since: (Duration, usize), integrity: bool) -> BTreeSet<Option<u32>> {
        let mut may = BTreeSet::from([self.committed.get(&name).copied()]);
        let past = self.past.iter().enumerate().skip(since.1);
        for (_, (_, _, was)) in past.filter(|(_, (at, of, _))| *at >= since.0 && *of == name) {
            may.insert(was[0]);
            if !integrity {
                may.insert(was[1]);
            }
        }
        if !integrity {
            may.insert(self.physical(name));
        }
        may
    }
}
