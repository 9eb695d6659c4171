//! What threads asked and were answered, and whether some order of the requests, one at a time, explains it: each
//! request at a moment between its call and its return. Records do not depend on each other, so each is looked at
//! alone.

use super::{key, sealed, unsealed, Random};
use cica_engine::*;
use cica_format::attributes::Organization;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Arc;

/// A request's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The record's value, or that there is none.
    Got(Option<u64>),
    /// There was none; now it has this value.
    Inserted(u64),
    /// There was one.
    Duplicate,
    /// From the value that was held to another.
    Updated(u64, u64),
    /// It had the value that was held; now there is none.
    Erased(u64),
}

/// A request, from its call to its return, by a clock that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub key: u64,
    pub begin: u64,
    pub end: u64,
    pub answer: Answer,
}

/// One record's next state, if the answer is right in this one.
fn step(state: Option<u64>, answer: Answer) -> Option<Option<u64>> {
    match (answer, state) {
        (Answer::Got(value), _) if value == state => Some(state),
        (Answer::Inserted(value), None) => Some(Some(value)),
        (Answer::Duplicate, Some(_)) => Some(state),
        (Answer::Updated(from, to), Some(value)) if value == from => Some(Some(to)),
        (Answer::Erased(from), Some(value)) if value == from => Some(None),
        _ => None,
    }
}

/// Looks for an order of one record's events, `first` being the state before them all (Wing and Gong's search; states
/// that were in vain are not tried twice). Tells the longest prefix that has one if there is none.
pub fn explain(first: Option<u64>, mut events: Vec<Event>) -> Result<(), String> {
    events.sort_by_key(|event| event.begin);
    let count = events.len();
    let mut done = vec![false; count];
    let mut tried: HashSet<(Vec<bool>, usize, Option<u64>)> = HashSet::new();
    let mut chosen: Vec<(usize, Option<u64>)> = Vec::new();
    let (mut state, mut from, mut longest) = (first, 0, 0);
    loop {
        let low = done.iter().position(|done| !done).unwrap_or(count);
        if low == count {
            return Ok(());
        }
        longest = longest.max(low);
        // Whoever began after another ended must come after it.
        let earliest = (low..count)
            .filter(|&i| !done[i])
            .map(|i| events[i].end)
            .min()
            .unwrap_or(0);
        let may = |i: &usize| !done[*i] && events[*i].begin <= earliest;
        let next = (from.max(low)..count)
            .take_while(|&i| events[i].begin <= earliest)
            .filter(may)
            .find_map(|i| {
                let next = step(state, events[i].answer)?;
                let mut window = done[low..].to_vec();
                window[i - low] = true;
                let end = window.iter().rposition(|done| *done).map_or(0, |last| last + 1);
                window.truncate(end);
                tried.insert((window, low, next)).then_some((i, next))
            });
        match next {
            Some((i, next)) => {
                chosen.push((i, state));
                done[i] = true;
                (state, from) = (next, 0);
            }
            None => {
                let Some((i, before)) = chosen.pop() else {
                    let around = &events[longest.saturating_sub(6)..count.min(longest + 6)];
                    return Err(format!("no order of the requests explains: {around:#?}"));
                };
                done[i] = false;
                (state, from) = (before, i + 1);
            }
        }
    }
}

/// Every record's events must have an order; `first` are the values before them.
#[track_caller]
pub fn assert_linearizable(first: &BTreeMap<u64, u64>, events: Vec<Event>) {
    let mut keys: BTreeMap<u64, Vec<Event>> = BTreeMap::new();
    for event in events {
        keys.entry(event.key).or_default().push(event);
    }
    for (key, events) in keys {
        let count = events.len();
        if let Err(why) = explain(first.get(&key).copied(), events) {
            panic!("record {key}, {count} requests: {why}");
        }
    }
}

/// How a thread works on records.
#[derive(Clone)]
pub struct Work {
    pub organization: Organization,
    pub keys: u64,
    pub requests: u64,
    /// Records have up to so many bytes.
    pub longest: u64,
    pub clock: Arc<AtomicU64>,
}

impl Work {
    fn record(&self, random: &mut Random, n: u64, value: u64) -> Vec<u8> {
        let len = match self.organization {
            Organization::Rrds => self.longest,
            _ => 24 + random.below(self.longest - 23),
        };
        sealed(n, value, len as usize)
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, SeqCst)
    }

    /// Asks and changes; what it was answered. Values it writes are `thread` and a number.
    pub fn run(&self, ds: &DataSet, thread: u64, seed: u64) -> Vec<Event> {
        let (mut random, mut s, mut events) = (Random(seed), ds.string(), Vec::new());
        for number in 0..self.requests {
            let n = 1 + random.below(self.keys);
            let value = (thread + 1) << 32 | number;
            let begin = self.now();
            let answer = match random.below(8) {
                0..=2 => Some(Answer::Got(self.get(&mut s, n, Intent::Read))),
                3 => self.browse(&mut s, n, &mut events),
                4 | 5 => Some(self.insert(&mut s, n, &self.record(&mut random, n, value), value)),
                which => {
                    let Some(held) = self.hold(&mut s, n, begin, &mut events) else {
                        continue;
                    };
                    let begin = self.now();
                    let answer = match which {
                        6 => {
                            s.update(&self.record(&mut random, n, value)).unwrap();
                            Answer::Updated(held, value)
                        }
                        _ => {
                            s.erase().unwrap();
                            Answer::Erased(held)
                        }
                    };
                    self.note(&mut events, n, begin, answer);
                    None
                }
            };
            if let Some(answer) = answer {
                self.note(&mut events, n, begin, answer);
            }
        }
        events
    }

    fn note(&self, events: &mut Vec<Event>, key: u64, begin: u64, answer: Answer) {
        events.push(Event {
            key,
            begin,
            end: self.now(),
            answer,
        });
    }

    fn try_get(&self, s: &mut Str, n: u64, intent: Intent) -> Result<u64, RequestError> {
        let name = key(n);
        let argument = match self.organization {
            Organization::Ksds => Argument::Key(&name),
            _ => Argument::Rrn(n as u32),
        };
        let record = s.get(argument, Search::Equal, intent)?;
        assert_eq!(record.bytes[..8], name, "another record than was asked for");
        Ok(unsealed(record.bytes))
    }

    fn get(&self, s: &mut Str, n: u64, intent: Intent) -> Option<u64> {
        match self.try_get(s, n, intent) {
            Ok(value) => Some(value),
            Err(RequestError::NotFound) => None,
            Err(error) => panic!("get {n}: {error}"),
        }
    }

    /// Gets for update; none if there is none, or another string has it.
    fn hold(&self, s: &mut Str, n: u64, begin: u64, events: &mut Vec<Event>) -> Option<u64> {
        let held = match self.try_get(s, n, Intent::Update) {
            Ok(value) => Some(value),
            Err(RequestError::NotFound) => None,
            Err(RequestError::Exclusive { .. }) => return None,
            Err(error) => panic!("get for update {n}: {error}"),
        };
        self.note(events, n, begin, Answer::Got(held));
        held
    }

    /// Reads some records in sequence; each is an answer about its key.
    fn browse(&self, s: &mut Str, n: u64, events: &mut Vec<Event>) -> Option<Answer> {
        let name = key(n);
        let argument = match self.organization {
            Organization::Ksds => Argument::Key(&name),
            _ => Argument::Rrn(n as u32),
        };
        match s.point(argument, Search::GreaterOrEqual) {
            Ok(()) => {}
            Err(RequestError::NotFound) => return None,
            Err(error) => panic!("point {n}: {error}"),
        }
        let mut last = n - 1;
        for _ in 0..4 {
            let begin = self.now();
            let (found, value) = match s.next(Intent::Read) {
                Ok(record) => {
                    let found: u64 = String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap();
                    (found, unsealed(record.bytes))
                }
                Err(RequestError::EndOfData | RequestError::NotFound) => return None,
                Err(error) => panic!("next from {n}: {error}"),
            };
            assert!(found > last, "{found} behind {last}");
            last = found;
            self.note(events, found, begin, Answer::Got(Some(value)));
        }
        None
    }

    fn insert(&self, s: &mut Str, n: u64, record: &[u8], value: u64) -> Answer {
        let inserted = match self.organization {
            Organization::Ksds => s.insert(record, Insert::Direct).map(drop),
            _ => s.insert_at(n as u32, record, Insert::Direct),
        };
        match inserted {
            Ok(()) => Answer::Inserted(value),
            Err(RequestError::Duplicate { .. }) => Answer::Duplicate,
            Err(error) => panic!("insert {n}: {error}"),
        }
    }
}
