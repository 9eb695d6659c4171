//! Threads that work on records, and what they were answered, which an order of the requests must explain. What looks
//! for that order is the simulator's.

#[path = "../../../sim/src/explain.rs"]
mod explain;

use super::{key, sealed, unsealed, Random};
use cica_engine::*;
use cica_format::attributes::Organization;
pub use explain::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Arc;

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
                0..=2 => Some(RequestAnswer::Got(self.get(&mut s, n, Intent::Read))),
                3 => self.browse(&mut s, n, random.below(4), &mut events),
                4 | 5 => Some(self.insert(&mut s, n, &self.record(&mut random, n, value), value)),
                6 if number % 2 == 1 => {
                    let record = self.record(&mut random, n, value);
                    let there = self.get(&mut s, n, Intent::Position);
                    self.note(&mut events, n, begin, RequestAnswer::Got(there));
                    let begin = self.now();
                    let answer = self.rewrite(&mut s, n, &record, value);
                    if let Some(answer) = answer {
                        self.note(&mut events, n, begin, answer);
                    }
                    None
                }
                which => {
                    let Some(held) = self.hold(&mut s, n, begin, &mut events) else {
                        continue;
                    };
                    let begin = self.now();
                    let answer = match which {
                        6 => {
                            s.update(&self.record(&mut random, n, value)).unwrap();
                            RequestAnswer::Updated(held, value)
                        }
                        _ => {
                            s.erase().unwrap();
                            RequestAnswer::Erased(held)
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

    fn note(&self, events: &mut Vec<Event>, key: u64, begin: u64, answer: RequestAnswer) {
        events.push(Event {
            key,
            begin,
            end: self.now(),
            answer,
        });
    }

    /// Rewrites it where it stands; no answer: another string has it.
    fn rewrite(&self, s: &mut Str, n: u64, record: &[u8], value: u64) -> Option<RequestAnswer> {
        let name = key(n);
        match s.rewrite(self.argument(n, &name), record) {
            Ok(_) => Some(RequestAnswer::Rewritten(value)),
            Err(RequestError::NotFound) => Some(RequestAnswer::Got(None)),
            Err(RequestError::Exclusive { .. }) => None,
            Err(error) => panic!("rewrite {n}: {error}"),
        }
    }

    fn argument<'k>(&self, n: u64, name: &'k [u8]) -> Argument<'k> {
        match self.organization {
            Organization::Ksds => Argument::Key(name),
            _ => Argument::Rrn(n as u32),
        }
    }

    fn try_get(&self, s: &mut Str, n: u64, intent: Intent) -> Result<u64, RequestError> {
        let name = key(n);
        let argument = self.argument(n, &name);
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
        self.note(events, n, begin, RequestAnswer::Got(held));
        held
    }

    /// Finds the first record at or above `n`, by POINT or by GET, and reads on from there, forward or backward. Each
    /// record read is an answer about its key, and so is each key that was passed: its record was not there.
    fn browse(&self, s: &mut Str, n: u64, way: u64, events: &mut Vec<Event>) -> Option<RequestAnswer> {
        let (forward, point) = (way & 1 == 0, way & 2 == 0);
        let name = key(n);
        let argument = self.argument(n, &name);
        let mut begin = self.now();
        let mut found = match (point, forward) {
            (true, true) => s.point(argument, Search::GreaterOrEqual).map(|()| None),
            (true, false) => s.point_backward(argument, Search::GreaterOrEqual).map(|()| None),
            (false, _) => s
                .get(argument, Search::GreaterOrEqual, Intent::Position)
                .map(|record| Some(self.told(record.bytes))),
        };
        // Where the string comes from.
        let mut from = n - 1;
        for step in 0..5 {
            let read = match std::mem::replace(&mut found, Ok(None)) {
                Ok(Some(there)) => Ok(there),
                Ok(None) if forward => s.next(Intent::Read).map(|record| self.told(record.bytes)),
                Ok(None) => s.prev(Intent::Read).map(|record| self.told(record.bytes)),
                Err(error) => Err(error),
            };
            // A POINT is answered about what it passed by the record that is read next; going backward, that may be
            // any.
            let upward = forward || (step == 0 && !point);
            let passed = match (&read, upward) {
                (Ok((there, _)), true) => from + 1..*there,
                (Ok((there, _)), false) if step > 0 => there + 1..from,
                (Err(RequestError::EndOfData | RequestError::NotFound), true) => from + 1..self.keys + 1,
                (Err(RequestError::EndOfData), false) if step > 0 => 1..from,
                _ => 0..0,
            };
            passed.for_each(|n| self.note(events, n, begin, RequestAnswer::Got(None)));
            let (there, value) = match read {
                Ok(read) => read,
                Err(RequestError::EndOfData | RequestError::NotFound) => return None,
                Err(error) => panic!("browsing from {n}: {error}"),
            };
            let in_order = if upward {
                there > from
            } else {
                there < from || step == 0
            };
            assert!(
                in_order,
                "{there} follows {from}, forward: {forward}, point: {point}, from {n}, step {step}"
            );
            self.note(events, there, begin, RequestAnswer::Got(Some(value)));
            from = there;
            begin = self.now();
        }
        None
    }

    fn told(&self, record: &[u8]) -> (u64, u64) {
        let key = String::from_utf8_lossy(&record[..8]);
        (key.parse().unwrap(), unsealed(record))
    }

    fn insert(&self, s: &mut Str, n: u64, record: &[u8], value: u64) -> RequestAnswer {
        let inserted = match self.organization {
            Organization::Ksds => s.insert(record, Insert::Direct).map(drop),
            _ => s.insert_at(n as u32, record, Insert::Direct),
        };
        match inserted {
            Ok(()) => RequestAnswer::Inserted(value),
            Err(RequestError::Duplicate { .. }) => RequestAnswer::Duplicate,
            Err(error) => panic!("insert {n}: {error}"),
        }
    }
}
