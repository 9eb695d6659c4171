//! What a sphere must answer: the model of the base, and by it what every alternate index holds.
//!
//! * O5. Duplicates stand in order of arrival; a record whose alternate key changes arrives anew. Both directions read
//!   them so.
//! * O6. A string goes on behind those of the list it has read that are left; a pointer that is gone leaves its place
//!   to the one behind it.
//! * O7. A change that an alternate index refuses changes nothing: 8/8 or 8/148 with component 4. What the base itself
//!   refuses comes first.
//! * O8. An alternate index that is not upgraded stays as it was built: 8/144 where its pointer leads nowhere.
//! * O9. A record whose alternate key is the suppressed byte throughout is in that index as little as one that is too
//!   short for the key: it meets no duplicates and is not reached by the path.

use std::collections::BTreeMap;

use crate::oracle::{Bytes, Oracle};
use crate::random::digest;
use crate::request::{Body, Intent, Order, Reply, Request, Search};
use crate::sphere::shape::{Alternate, Sphere};

const END_OF_DATA: Reply = Reply::Refused(8, 4, 2);
const NOT_FOUND: Reply = Reply::Refused(8, 16, 2);
const SEQUENCE: Reply = Reply::Refused(8, 12, 0);
const ACCESS: Reply = Reply::Refused(8, 68, 0);
const NO_POSITION: Reply = Reply::Refused(8, 88, 0);
const KEY_CHANGED: Reply = Reply::Refused(8, 96, 0);
const KEY_LENGTH: Reply = Reply::Refused(8, 112, 0);
const NO_BASE_RECORD: Reply = Reply::Refused(8, 144, 2);
const ADDRESSED: Reply = Reply::Refused(8, 200, 0);
const DUPLICATE: Reply = Reply::Refused(8, 8, 4);
const POINTERS: Reply = Reply::Refused(8, 148, 4);

/// Pointers by alternate key, in order of arrival.
pub type Entries = BTreeMap<Bytes, Vec<Bytes>>;

/// A reply, and 0/8 where it can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SphereAnswer {
    /// The reply.
    pub reply: Reply,
    /// Another record with the same alternate key follows, or a duplicate was made.
    pub duplicate: bool,
}

impl std::fmt::Display for SphereAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.reply, if self.duplicate { ", with 0/8" } else { "" })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SpherePosition {
    Start,
    None,
    At(Bytes),
    BackwardAt(Bytes),
    /// Alternate key, its list as it was, and the place in it.
    On(Bytes, Vec<Bytes>, usize),
    End,
    Beginning,
}

/// The model of a sphere.
#[derive(Debug, Clone)]
pub struct SphereOracle {
    shape: Sphere,
    base: Oracle,
    alternates: Vec<Entries>,
    /// Of the strings that go by a path; the others have theirs in the base.
    positions: Vec<SpherePosition>,
}

impl SphereOracle {
    /// A sphere with these records, in key order, all alternate indexes built, open for output.
    pub fn new(shape: &Sphere, records: &[Body]) -> SphereOracle {
        let mut base = Oracle::new(&shape.base);
        for body in records {
            base.apply(&Request::Insert {
                string: 0,
                order: Order::Sequential,
                body: body.clone(),
            });
        }
        base.apply(&Request::Reopen {
            output: true,
            reset: false,
        });
        let mut alternates = vec![Entries::new(); shape.alternates.len()];
        for (key, record) in base.records() {
            for (entries, alternate) in alternates.iter_mut().zip(&shape.alternates) {
                if let Some(alternate) = alternate.key_of(record) {
                    entries.entry(alternate.to_vec()).or_default().push(key.clone());
                }
            }
        }
        let mut oracle = SphereOracle {
            shape: shape.clone(),
            base,
            alternates,
            positions: Vec::new(),
        };
        oracle.open();
        oracle
    }

    /// The sphere.
    pub fn shape(&self) -> &Sphere {
        &self.shape
    }

    /// The base's model.
    pub fn base(&self) -> &Oracle {
        &self.base
    }

    /// What the alternate indexes hold.
    pub fn alternates(&self) -> &[Entries] {
        &self.alternates
    }

    /// Whether the base or an alternate index has no record.
    pub fn has_an_empty_index(&self) -> bool {
        self.base.records().is_empty() || self.alternates.iter().any(BTreeMap::is_empty)
    }

    /// A number that tells contents apart.
    pub fn digest(&self) -> u64 {
        let of = |(at, entries): (usize, &Entries)| {
            entries
                .iter()
                .map(|(key, pointers)| of_entry(at, &self.shape.entry(at, key, pointers)))
                .fold(0, u64::wrapping_add)
        };
        let alternates = self.alternates.iter().enumerate().map(of);
        alternates.fold(self.base.digest(), u64::wrapping_add)
    }

    /// Answers a request and does it.
    pub fn apply(&mut self, request: &Request) -> SphereAnswer {
        let plain = |reply| SphereAnswer {
            reply,
            duplicate: false,
        };
        match request {
            Request::Commit | Request::Checkpoint => plain(self.base.apply(request)),
            Request::Reopen { .. } => {
                let reply = self.base.apply(request);
                self.open();
                plain(reply)
            }
            Request::Kill(_) => plain(Reply::Done),
            Request::Rewrite { string, key, body } => self.rewrite(*string, key, body),
            of_string => {
                let string = of_string.string().unwrap_or_default();
                match self.shape.way(string) {
                    None => self.of_base(of_string, string),
                    Some(at) => self.of_path(of_string, string, at),
                }
            }
        }
    }

    /// GET for update and PUT in one.
    fn rewrite(&mut self, string: u8, key: &[u8], body: &Body) -> SphereAnswer {
        let got = self.apply(&Request::Get {
            string,
            key: key.to_vec(),
            search: Search::Equal,
            intent: Intent::Update,
        });
        match got.reply {
            Reply::Record(_) => self.apply(&Request::Update {
                string,
                body: body.clone(),
            }),
            reply => SphereAnswer {
                reply,
                duplicate: false,
            },
        }
    }

    /// Opens after a [`Request::Kill`] that left this; false when that is something else than there is.
    pub fn adopt(&mut self, records: &[Bytes], lists: &[Entries]) -> bool {
        let base = self.base.records().iter();
        let shown = base.map(|(key, record)| self.shape.base.shown(key, record));
        if !shown.eq(records.iter().cloned()) || self.alternates != lists {
            return false;
        }
        let adopted = self.base.adopt(records);
        self.open();
        adopted
    }

    fn open(&mut self) {
        self.positions = vec![SpherePosition::Start; usize::from(self.shape.base.strings)];
    }

    // --- the base ---

    fn of_base(&mut self, request: &Request, string: u8) -> SphereAnswer {
        match request {
            Request::Insert { .. } | Request::Update { .. } | Request::Erase { .. } => self.change(request, string),
            other => SphereAnswer {
                reply: self.base.apply(other),
                duplicate: false,
            },
        }
    }

    /// A change of the base and of all that is upgraded with it.
    fn change(&mut self, request: &Request, string: u8) -> SphereAnswer {
        let held = self.base.held(string).map(<[u8]>::to_vec);
        let mut after = self.base.clone();
        let reply = after.apply(request);
        let key = match request {
            Request::Insert { body, .. } if self.shape.base.keyed() => Some(body.key.clone()),
            // It is behind all others.
            Request::Insert { .. } => after.records().keys().next_back().cloned(),
            _ => held,
        };
        let done = match (reply, key) {
            (Reply::Done, Some(key)) => self.upgrade(&key, self.base.records().get(&key), after.records().get(&key)),
            (reply, _) => Err(reply),
        };
        match done {
            Ok((alternates, duplicate)) => {
                (self.base, self.alternates) = (after, alternates);
                SphereAnswer {
                    reply: Reply::Done,
                    duplicate,
                }
            }
            Err(reply) => {
                if matches!(request, Request::Insert { .. }) {
                    self.base.let_go(string);
                }
                SphereAnswer {
                    reply,
                    duplicate: false,
                }
            }
        }
    }

    /// The alternate indexes when the record of `key` changes, and whether that makes a duplicate.
    fn upgrade(&self, key: &Bytes, old: Option<&Bytes>, new: Option<&Bytes>) -> Result<(Vec<Entries>, bool), Reply> {
        let (mut alternates, mut duplicate) = (self.alternates.clone(), false);
        for (entries, of) in alternates.iter_mut().zip(&self.shape.alternates) {
            let (from, to) = (old.and_then(|r| of.key_of(r)), new.and_then(|r| of.key_of(r)));
            if !of.upgrade || from == to {
                continue;
            }
            if let Some(to) = to {
                duplicate |= add(entries, of, to, key)?;
            }
            if let Some(pointers) = from.and_then(|from| entries.get_mut(from)) {
                pointers.retain(|pointer| pointer != key);
            }
            entries.retain(|_, pointers| !pointers.is_empty());
        }
        Ok((alternates, duplicate))
    }

    // --- paths ---

    fn of_path(&mut self, request: &Request, string: u8, at: usize) -> SphereAnswer {
        use Request::*;
        let refused = |reply| SphereAnswer {
            reply,
            duplicate: false,
        };
        match request {
            GetRba { .. } => refused(ADDRESSED),
            Insert { body, .. } => {
                let answer = self.change(
                    &Insert {
                        string,
                        order: Order::Direct,
                        body: body.clone(),
                    },
                    string,
                );
                if answer.reply == Reply::Done {
                    self.positions[usize::from(string)] = SpherePosition::None;
                }
                answer
            }
            Update { body, .. } => {
                let of = self.shape.alternates[at];
                let held = self.base.held(string).and_then(|key| self.base.records().get(key));
                let new = body.bytes(&self.shape.base);
                if held.is_some_and(|old| of.key_of(old) != of.key_of(&new)) {
                    return refused(KEY_CHANGED);
                }
                self.change(request, string)
            }
            Erase { .. } => self.change(request, string),
            End { .. } => {
                self.base.apply(request);
                self.positions[usize::from(string)] = SpherePosition::None;
                refused(Reply::Done)
            }
            read => self.read(read, string, at).unwrap_or_else(refused),
        }
    }

    fn read(&mut self, request: &Request, string: u8, at: usize) -> Result<SphereAnswer, Reply> {
        use Request::*;
        self.base.apply(&End { string });
        let intent = match request {
            Get { intent, .. } | GetInto { intent, .. } | Skip { intent, .. } => *intent,
            Next { intent, .. } | Prev { intent, .. } => *intent,
            _ => Intent::Read,
        };
        if intent == Intent::Update && !self.base.output() {
            return Err(ACCESS);
        }
        if let Get { key, .. }
        | GetInto { key, .. }
        | Skip { key, .. }
        | Point { key, .. }
        | PointBackward { key, .. } = request
        {
            if key.is_empty() || key.len() > self.shape.alternates[at].length {
                return Err(KEY_LENGTH);
            }
        }
        match request {
            Get { key, search, .. } => self.find_and_deliver(string, at, key, *search, intent, true),
            GetInto { key, search, area, .. } => {
                let answer = self.find_and_deliver(string, at, key, *search, intent, true)?;
                match &answer.reply {
                    Reply::Record(record) if record.len() > *area => Err(Reply::Refused(8, 44, 0)),
                    _ => Ok(answer),
                }
            }
            Skip { key, search, .. } => {
                if let SpherePosition::On(at, ..) | SpherePosition::At(at) | SpherePosition::BackwardAt(at) =
                    &self.positions[usize::from(string)]
                {
                    if key[..] < at[..key.len().min(at.len())] {
                        return Err(SEQUENCE);
                    }
                }
                self.find_and_deliver(string, at, key, *search, intent, false)
            }
            Point { key, search, .. } => self.point(string, at, key, *search, SpherePosition::At),
            PointBackward { key, search, .. } => self.point(string, at, key, *search, SpherePosition::BackwardAt),
            PointFirst { .. } => Ok(self.stand(string, SpherePosition::At(Vec::new()))),
            PointLast { .. } => {
                let highest = vec![0xFF; self.shape.alternates[at].length];
                Ok(self.stand(string, SpherePosition::BackwardAt(highest)))
            }
            Prev { .. } => self.step(string, at, false, intent),
            _ => self.step(string, at, true, intent),
        }
    }

    fn stand(&mut self, string: u8, position: SpherePosition) -> SphereAnswer {
        self.positions[usize::from(string)] = position;
        SphereAnswer {
            reply: Reply::Done,
            duplicate: false,
        }
    }

    fn find(&self, at: usize, key: &[u8], search: Search) -> Option<Bytes> {
        let (found, _) = self.alternates[at].range(key.to_vec()..).next()?;
        (search == Search::GreaterOrEqual || found.starts_with(key)).then(|| found.clone())
    }

    fn point(
        &mut self,
        string: u8,
        at: usize,
        key: &[u8],
        search: Search,
        there: fn(Bytes) -> SpherePosition,
    ) -> Result<SphereAnswer, Reply> {
        match self.find(at, key, search) {
            Some(found) => Ok(self.stand(string, there(found))),
            None => Err(self.lose(string, NOT_FOUND)),
        }
    }

    fn lose(&mut self, string: u8, reply: Reply) -> Reply {
        self.positions[usize::from(string)] = SpherePosition::None;
        reply
    }

    fn find_and_deliver(
        &mut self,
        string: u8,
        at: usize,
        key: &[u8],
        search: Search,
        intent: Intent,
        direct: bool,
    ) -> Result<SphereAnswer, Reply> {
        match self.find(at, key, search) {
            Some(found) => self.deliver(string, at, found, 0, intent, direct),
            None => Err(self.lose(string, NOT_FOUND)),
        }
    }

    fn step(&mut self, string: u8, at: usize, forward: bool, intent: Intent) -> Result<SphereAnswer, Reply> {
        let entries = &self.alternates[at];
        let above = |key: &Bytes| entries.range(key.clone()..).map(|(k, _)| k).find(|k| *k > key).cloned();
        let below = |key: &Bytes| entries.range(..key.clone()).map(|(k, _)| k).next_back().cloned();
        let first = |key: Option<Bytes>| key.map(|key| (key, 0));
        let found = match (&self.positions[usize::from(string)], forward) {
            (SpherePosition::None, _) | (SpherePosition::Start, false) => return Err(NO_POSITION),
            (SpherePosition::End, true) | (SpherePosition::Beginning, false) => None,
            (SpherePosition::Start | SpherePosition::Beginning, true) => first(entries.keys().next().cloned()),
            (SpherePosition::End, false) => first(entries.keys().next_back().cloned()),
            (SpherePosition::At(key), true) => first(self.find(at, key, Search::GreaterOrEqual)),
            (SpherePosition::BackwardAt(key), true) => first(above(key)),
            (SpherePosition::At(key), false) => first(below(key)),
            (SpherePosition::BackwardAt(key), false) => {
                first(entries.range(..=key.clone()).map(|(k, _)| k).next_back().cloned())
            }
            (SpherePosition::On(key, list, place), _) => {
                let pointers = entries.get(key).map_or(&[] as &[Bytes], Vec::as_slice);
                let mut behind = 0;
                for passed in &list[..=*place] {
                    behind += usize::from(pointers.get(behind) == Some(passed));
                }
                if behind < pointers.len() {
                    Some((key.clone(), behind))
                } else {
                    first(if forward { above(key) } else { below(key) })
                }
            }
        };
        match found {
            Some((key, place)) => self.deliver(string, at, key, place, intent, false),
            None => {
                self.positions[usize::from(string)] = if forward {
                    SpherePosition::End
                } else {
                    SpherePosition::Beginning
                };
                Err(END_OF_DATA)
            }
        }
    }

    fn deliver(
        &mut self,
        string: u8,
        at: usize,
        key: Bytes,
        place: usize,
        intent: Intent,
        direct: bool,
    ) -> Result<SphereAnswer, Reply> {
        let pointers = &self.alternates[at][&key];
        let (list, pointer, duplicate) = (pointers.clone(), pointers[place].clone(), place + 1 < pointers.len());
        let reply = self.base.apply(&Request::Get {
            string,
            key: pointer.clone(),
            search: Search::Equal,
            intent,
        });
        match reply {
            Reply::Record(_) => {
                self.positions[usize::from(string)] = if direct && intent == Intent::Read {
                    SpherePosition::None
                } else {
                    SpherePosition::On(key, list, place)
                };
                Ok(SphereAnswer { reply, duplicate })
            }
            Reply::Refused(8, 16 | 32, _) => Err(self.lose(string, NO_BASE_RECORD)),
            other => Err(other),
        }
    }
}

/// Adds a pointer; true: others were there.
fn add(entries: &mut Entries, of: &Alternate, key: &[u8], pointer: &Bytes) -> Result<bool, Reply> {
    let pointers = entries.entry(key.to_vec()).or_default();
    if pointers.contains(pointer) {
        return Ok(false);
    }
    if of.unique && !pointers.is_empty() {
        return Err(DUPLICATE);
    }
    if !of.chained && 5 + key.len() + (pointers.len() + 1) * of.pointer > of.maximum_record {
        return Err(POINTERS);
    }
    pointers.push(pointer.clone());
    Ok(pointers.len() > 1)
}

/// The digest of a record of the alternate index at a place.
pub fn of_entry(at: usize, bytes: &[u8]) -> u64 {
    digest(bytes).rotate_left(at as u32 * 7 + 13)
}
