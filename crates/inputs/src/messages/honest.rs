//! A client with a model of its data set: whatever somebody else sends to the same owner, its answers are right.

use super::stage::{client, opened, record, units, KEYS};
use super::wire::Net;
use crate::mutate::Random;
use cica_engine::{DataSet, Insert, Intent, RequestError, Search, Str, UnitOfRecovery};
use cica_share::Client;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// See the module.
pub struct Honest {
    pub client: Arc<Client>,
    // Strings go before what they are of.
    alone: Str,
    within: Str,
    unit: UnitOfRecovery,
    set: DataSet,
    random: Random,
    committed: BTreeMap<u32, Vec<u8>>,
    /// What the unit has changed; none: erased.
    pending: BTreeMap<u32, Option<Vec<u8>>>,
    value: u32,
    /// Changes that somebody kept away.
    pub held: u64,
}

/// What became of a change.
#[derive(Clone, Copy, PartialEq)]
enum Became {
    Done,
    /// Somebody has locked the record.
    Held,
}

impl Honest {
    /// It comes first, and has its data set open.
    pub fn begin(net: &Arc<Mutex<Net>>, seed: u64) -> Honest {
        let client = client(net, 1).expect("the owner lets everybody in");
        let set = opened(&client, 0).expect("nobody else has it");
        let unit = units().unit();
        let (alone, within) = (set.string(), set.string_in(&unit));
        let committed = (0..KEYS).step_by(2).map(|key| (key, record(key, key))).collect();
        Honest {
            client,
            alone,
            within,
            unit,
            set,
            random: Random(seed),
            committed,
            pending: BTreeMap::new(),
            value: 100,
            held: 0,
        }
    }

    fn there(&self, key: u32) -> Option<Vec<u8>> {
        match self.pending.get(&key) {
            Some(pending) => pending.clone(),
            None => self.committed.get(&key).cloned(),
        }
    }

    /// One request; `may_be_held`: somebody is there who may have records locked.
    pub fn acts(&mut self, may_be_held: bool) {
        let key = self.random.below(KEYS as usize) as u32;
        let name = format!("{key:04}");
        let expected = self.there(key);
        match self.random.below(12) {
            0..3 => {
                let got = self.alone.get(name.as_bytes(), Search::Equal, Intent::Read);
                let got = got.map(|record| Some(record.bytes.to_vec())).or_else(missed);
                assert_eq!(
                    got.expect("a read without integrity is never refused"),
                    expected,
                    "{name}"
                );
            }
            3..9 => self.changes(key, expected, may_be_held),
            9 => self.browses(),
            10 => {
                self.unit.commit().expect("its own unit");
                for (key, record) in std::mem::take(&mut self.pending) {
                    match record {
                        Some(record) => self.committed.insert(key, record),
                        None => self.committed.remove(&key),
                    };
                }
            }
            _ => {
                self.unit.backout().expect("its own unit");
                self.pending.clear();
            }
        }
    }

    /// Inserts, rewrites or erases, in the unit or outside of it.
    fn changes(&mut self, key: u32, expected: Option<Vec<u8>>, may_be_held: bool) {
        // What the unit has changed is the unit's.
        let in_unit = self.pending.contains_key(&key) || self.random.below(2) == 0;
        self.value += 1;
        let (name, new) = (format!("{key:04}"), record(key, self.value));
        let erases = self.random.below(3) == 0;
        let string = if in_unit { &mut self.within } else { &mut self.alone };
        let done = match &expected {
            None => string.insert(&new, Insert::Direct).map(drop),
            Some(_) if erases => string
                .get(name.as_bytes(), Search::Equal, Intent::Update)
                .map(drop)
                .and_then(|()| string.erase()),
            Some(_) => string.rewrite(name.as_bytes(), &new).map(drop),
        };
        string.end();
        if became(done, may_be_held) == Became::Held {
            self.held += 1;
            return;
        }
        let now = (expected.is_none() || !erases).then_some(new);
        match (in_unit, now) {
            (true, now) => drop(self.pending.insert(key, now)),
            (false, Some(now)) => drop(self.committed.insert(key, now)),
            (false, None) => drop(self.committed.remove(&key)),
        }
    }

    /// All records, in order.
    fn browses(&mut self) {
        let all: Vec<Vec<u8>> = (0..KEYS).filter_map(|key| self.there(key)).collect();
        let mut found = Vec::new();
        self.alone.point_first().expect("there is a first record");
        loop {
            match self.alone.next(Intent::Read) {
                Ok(record) => found.push(record.bytes.to_vec()),
                Err(RequestError::EndOfData) => break,
                Err(error) => panic!("a browse is refused: {error}"),
            }
        }
        assert_eq!(found, all, "a browse");
    }

    /// Nobody else is there any more: nothing is refused, and all is as it must be.
    pub fn ends(mut self) {
        (0..8).for_each(|_| self.acts(false));
        for key in (0..KEYS)
            .filter(|key| self.pending.contains_key(key))
            .collect::<Vec<_>>()
        {
            self.changes(key, self.there(key), false);
        }
        self.unit.backout().expect("its own unit");
        self.pending.clear();
        // One record at least, for a browse.
        self.changes(0, self.there(0), false);
        self.unit.backout().expect("its own unit");
        self.pending.clear();
        if !self.committed.is_empty() {
            self.browses();
        }
        let examined = self.set.examine().expect("nothing fails");
        assert_eq!(examined.findings, [], "its data set is whole");
        let status = super::tour::status(&self.client).expect("the owner is there");
        assert_eq!(status.clients.len(), 1, "who has gone is no client");
        assert!(status.shunted.is_empty() && status.locks.is_empty(), "{status:?}");
        let Honest { alone, within, set, .. } = self;
        drop((alone, within));
        set.close().expect("nothing fails");
    }
}

fn missed(error: RequestError) -> Result<Option<Vec<u8>>, RequestError> {
    match error {
        RequestError::NotFound => Ok(None),
        error => Err(error),
    }
}

fn became(done: Result<(), RequestError>, may_be_held: bool) -> Became {
    match done {
        Ok(()) => Became::Done,
        Err(RequestError::Exclusive { .. }) if may_be_held => Became::Held,
        Err(error) => panic!("a change that is right is refused: {error}"),
    }
}
