//! What threads ask of the records that they share, and when: by a clock of their own and in events of the disk.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use cica_disk::SimDisk;
use cica_engine::{DataSet, Str};

use crate::explain::{Event, RequestAnswer};
use crate::oracle::NO_SPACE;
use crate::random::{digest, Random};
use crate::request::{Body, Intent, Order, Reply, Request, Search};
use crate::session::{done, of_one_string};
use crate::shape::{Durability, Shape};

/// A request that was answered, or whose answer was an error of the disk: then it may have been done.
#[derive(Debug, Clone, Copy)]
pub struct Deed {
    /// The request and its answer.
    pub event: Event,
    /// Events of the disk before it began.
    pub begun: usize,
    /// Events after which it is durable by itself.
    pub durable: Option<usize>,
    /// It was answered.
    pub answered: bool,
}

/// What was answered before a commit began is durable after so many events.
#[derive(Debug, Clone, Copy)]
pub struct Promise {
    /// When the commit began.
    pub began: u64,
    /// Events when it was answered.
    pub events: usize,
}

/// What the threads of a run share.
pub struct Shared {
    /// The data set, or the base.
    pub shape: Shape,
    /// There are alternate indexes, which may refuse what the base would take.
    pub sphere: bool,
    /// The keys of the records.
    pub keys: Vec<Vec<u8>>,
    /// Requests of each thread.
    pub requests: usize,
    /// The disk under the slow one.
    pub disk: SimDisk,
    /// It is going to fail.
    pub faulty: bool,
    clock: AtomicU64,
    promises: Mutex<Vec<Promise>>,
}

impl Shared {
    /// Nothing was done yet.
    pub fn new(shape: &Shape, sphere: bool, keys: Vec<Vec<u8>>, requests: usize, disk: &SimDisk) -> Shared {
        Shared {
            shape: shape.clone(),
            sphere,
            keys,
            requests,
            disk: disk.clone(),
            faulty: false,
            clock: AtomicU64::new(0),
            promises: Mutex::new(Vec::new()),
        }
    }

    /// A record with a key, of any length.
    pub fn body(&self, key: usize, random: &mut Random) -> Body {
        let (least, most) = (self.shape.least_record(), self.shape.maximum_record);
        Body {
            key: self.keys[key].clone(),
            length: if self.shape.fixed {
                most
            } else {
                random.between(least as u64, most as u64) as usize
            },
            fill: random.bits() as u32,
        }
    }

    /// The promises made.
    pub fn promises(&self) -> Vec<Promise> {
        self.promises.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The time; no two looks are at the same.
    pub fn now(&self) -> u64 {
        self.clock.fetch_add(1, SeqCst)
    }

    /// Commits the log, or the tree. False: the disk failed, which it was going to.
    ///
    /// # Errors
    /// In words: an answer that no fault excuses.
    pub fn commit(&self, set: &DataSet, tree: bool) -> Result<bool, String> {
        let began = self.now();
        let answer = done(if tree { set.checkpoint() } else { set.commit() });
        match answer {
            Reply::Done => {
                let events = self.disk.events();
                let mut promises = self.promises.lock().unwrap_or_else(PoisonError::into_inner);
                promises.push(Promise { began, events });
                Ok(true)
            }
            Reply::Refused(12, ..) if self.faulty => Ok(false),
            other => Err(format!("commit: {other}")),
        }
    }
}

/// One thread: its string, and what it did.
struct Worker<'s> {
    shared: &'s Shared,
    set: &'s DataSet,
    string: Str,
    random: Random,
    deeds: Vec<Deed>,
}

/// Does the requests of one thread.
///
/// # Errors
/// In words: an answer that no fault excuses.
pub fn work(shared: &Shared, set: &DataSet, random: Random) -> Result<Vec<Deed>, String> {
    let mut worker = Worker {
        shared,
        set,
        string: set.string(),
        random,
        deeds: Vec::new(),
    };
    for _ in 0..shared.requests {
        if !worker.one()? {
            break;
        }
    }
    Ok(worker.deeds)
}

impl Worker<'_> {
    /// One request, or two where the first gets for update. False: the disk failed, which it was going to.
    fn one(&mut self) -> Result<bool, String> {
        let key = self.random.below(self.shared.keys.len());
        match self.random.below(11) {
            0 => self.shared.commit(self.set, false),
            1..3 => self.get(key, Intent::Read).map(|got| got != Got::Nothing),
            3 => self.browse(key),
            4..7 => self.insert(key),
            which => match self.get(key, Intent::Update)? {
                Got::Nothing => Ok(false),
                Got::Refused => Ok(true),
                Got::Record(held) => self.change(key, held, which == 10),
            },
        }
    }

    fn get(&mut self, key: usize, intent: Intent) -> Result<Got, String> {
        let request = Request::Get {
            string: 0,
            key: self.shared.keys[key].clone(),
            search: Search::Equal,
            intent,
        };
        let (reply, at) = self.ask(&request);
        let (got, answer) = match reply {
            Reply::Record(bytes) => (Got::Record(digest(&bytes)), Some(digest(&bytes))),
            Reply::Refused(8, 16, _) => (Got::Refused, None),
            // Another string holds it.
            Reply::Refused(8, 20, _) => return Ok(Got::Refused),
            Reply::Refused(12, ..) if self.shared.faulty => return Ok(Got::Nothing),
            other => return Err(format!("{request}: {other}")),
        };
        self.note(key, at, RequestAnswer::Got(answer), true);
        Ok(got)
    }

    /// Finds the first record at or above a key, by POINT or by GET, and reads on from there, forward or backward. Each
    /// record read is an answer about its key, and so is each key that was passed: its record was not there.
    fn browse(&mut self, key: usize) -> Result<bool, String> {
        let (forward, point) = (self.random.chance(50), self.random.chance(50));
        let (string, search) = (0, Search::GreaterOrEqual);
        let (name, intent) = (self.shared.keys[key].clone(), Intent::Position);
        let mut request = match (point, forward) {
            (true, true) => Request::Point {
                string,
                key: name,
                search,
            },
            (true, false) => Request::PointBackward {
                string,
                key: name,
                search,
            },
            (false, _) => Request::Get {
                string,
                key: name,
                search,
                intent,
            },
        };
        let mut at = (self.shared.now(), self.shared.disk.events());
        // Keys that the next record may follow, by number; going backward from where POINT found one, that may be any.
        let (mut low, mut high, mut upward) = (key, None, forward || !point);
        for _ in 0..6 {
            let reply = self.ask(&request).0;
            request = if forward {
                Request::Next {
                    string,
                    intent: Intent::Read,
                }
            } else {
                Request::Prev {
                    string,
                    intent: Intent::Read,
                }
            };
            let found = match reply {
                // What POINT passed the record tells that is read next.
                Reply::Done => continue,
                Reply::Record(bytes) => Some((self.found_key(&bytes), digest(&bytes))),
                Reply::Refused(8, 16 | 4, _) => None,
                Reply::Refused(12, ..) if self.shared.faulty => return Ok(false),
                other => return Err(format!("browsing: {request}: {other}")),
            };
            let keys = &self.shared.keys;
            let below = |bound: &[u8]| keys.partition_point(|key| key[..] < *bound);
            let (before, behind) = match &found {
                Some((key, _)) => (below(key), below(key) + usize::from(keys.binary_search(key).is_ok())),
                None if upward => (keys.len(), keys.len()),
                None => (0, 0),
            };
            let passed = if upward {
                low..before
            } else {
                behind..high.unwrap_or(behind)
            };
            if found.is_some() && (upward && before < low || !upward && high.is_some_and(|high| behind > high)) {
                return Err(format!(
                    "browsing, upward {upward}: {found:?} came after what is beyond it"
                ));
            }
            passed.for_each(|key| self.note(key, at, RequestAnswer::Got(None), true));
            let Some((_, value)) = found else { break };
            if before < behind {
                self.note(before, at, RequestAnswer::Got(Some(value)), true);
            }
            (low, high, upward) = (behind, Some(before), forward);
            at = (self.shared.now(), self.shared.disk.events());
        }
        Ok(true)
    }

    /// The key, or the number, of the record that the string returned last.
    fn found_key(&self, bytes: &[u8]) -> Vec<u8> {
        if self.shared.shape.keyed() {
            self.shared.shape.key_of(bytes).to_vec()
        } else {
            self.shared.shape.numbered(self.string.last().rrn.into())
        }
    }

    fn insert(&mut self, key: usize) -> Result<bool, String> {
        let body = self.shared.body(key, &mut self.random);
        let value = digest(&body.bytes(&self.shared.shape));
        let request = Request::Insert {
            string: 0,
            order: Order::Direct,
            body,
        };
        let (reply, at) = self.ask(&request);
        let answer = match reply {
            Reply::Refused(8, 8, _) if !self.shared.sphere => Some(RequestAnswer::Duplicate),
            _ => None,
        };
        if let Some(answer) = answer {
            self.note(key, at, answer, true);
            return Ok(true);
        }
        self.changed(key, at, &request, reply, RequestAnswer::Inserted(value))
    }

    fn change(&mut self, key: usize, held: u64, erase: bool) -> Result<bool, String> {
        let body = self.shared.body(key, &mut self.random);
        let value = digest(&body.bytes(&self.shared.shape));
        let (request, answer) = if erase {
            (Request::Erase { string: 0 }, RequestAnswer::Erased(held))
        } else {
            (Request::Update { string: 0, body }, RequestAnswer::Updated(held, value))
        };
        let (reply, at) = self.ask(&request);
        self.changed(key, at, &request, reply, answer)
    }

    /// Notes a change that was done, or may have been.
    fn changed(
        &mut self,
        key: usize,
        at: (u64, usize),
        request: &Request,
        reply: Reply,
        answer: RequestAnswer,
    ) -> Result<bool, String> {
        match reply {
            Reply::Done => {
                self.note(key, at, answer, true);
                Ok(true)
            }
            Reply::Refused(12, ..) if self.shared.faulty => {
                self.note(key, at, answer, false);
                Ok(false)
            }
            // A file did not grow, because the disk was going to fail: nothing was done.
            NO_SPACE if self.shared.faulty => Ok(true),
            // Another string holds it, or what it would split.
            Reply::Refused(8, 20, _) => Ok(true),
            // An alternate index has the key already, or no room for one more pointer.
            Reply::Refused(8, ..) if self.shared.sphere => Ok(true),
            other => Err(format!("{request}: {other}")),
        }
    }

    /// The reply; when the request began, and after how many events.
    fn ask(&mut self, request: &Request) -> (Reply, (u64, usize)) {
        let at = (self.shared.now(), self.shared.disk.events());
        let reply = of_one_string(&self.shared.shape, self.set, &mut self.string, false, request);
        (reply, at)
    }

    fn note(&mut self, key: usize, (begin, begun): (u64, usize), answer: RequestAnswer, answered: bool) {
        let each = self.shared.shape.durability == Durability::Request;
        self.deeds.push(Deed {
            event: Event {
                key: key as u64,
                begin,
                end: if answered { self.shared.now() } else { u64::MAX },
                answer,
            },
            begun,
            durable: (each && answered).then(|| self.shared.disk.events()),
            answered,
        });
    }
}

/// What a get brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Got {
    /// The value of the record.
    Record(u64),
    /// There is none, or another has it.
    Refused,
    /// The disk failed.
    Nothing,
}
