//! The engine as a [`Subject`]: a workload run against engine and oracle at once, and what a crash leaves of it.

use std::borrow::Cow;
use std::sync::Arc;

use cica_disk::{Disk, Image};

use crate::death::take_over;
use crate::oracle::{Bytes, Oracle, NO_SPACE};
use crate::random::digest;
use crate::rbas::Told;
use crate::request::{Body, Intent, Order, Reply, Request, Search};
use crate::session::{no_log_is_lost, Session, Trouble};
use crate::shape::{Durability, Shape};
use crate::subject::{Recovered, Step, StepLog, Stop, Subject};

/// A data set and the requests to make.
pub struct ModelRun<'a> {
    shape: &'a Shape,
    requests: Cow<'a, [Request]>,
    /// The disk is going to fail: 12/x, 8/28 and OPEN 184 are answers, not mistakes.
    faulty: bool,
    /// Where it was told that records of a compressed ESDS stand.
    told: Told,
}

impl Subject for ModelRun<'_> {
    fn start(&self) -> Image {
        Session::empty_disk()
    }

    fn has_holes(&self) -> bool {
        self.shape.has_holes()
    }

    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop> {
        self.told.begin();
        let mut oracle = Oracle::new(self.shape);
        let session = Session::create(disk.clone(), self.shape);
        let mut session = session.map_err(|trouble| self.stop("create", trouble))?;
        let mut log = StepLog::to(note);
        log.tell(Step::new(oracle.digest(), true));
        for (number, request) in self.requests.iter().enumerate() {
            let loading = oracle.loading();
            let doomed = session.process().is_doomed() || matches!(request, Request::Kill(_));
            let before = (self.faulty || doomed).then(|| oracle.clone());
            let expected = oracle.apply(request);
            let reply = session.apply(request);
            self.told.note(session.rbas());
            let at = || format!("request {} ({request})", number + 1);
            if session.process().is_dead() {
                // Nobody got the answer; it may have been done.
                log.tell(Step::new(oracle.digest(), false));
                let before = before.as_ref().unwrap_or(&oracle);
                let taken = take_over(&mut session, before, &oracle);
                self.told.note(session.rbas());
                let (left, deaths) = taken.map_err(|trouble| self.stop(&at(), trouble))?;
                let promised = if loading || oracle.loading() {
                    log.stands(0, left.digest())
                } else {
                    log.has_all_answered(0, left.digest())
                };
                if !promised {
                    let lost = format!("{}: killed here, it left an earlier moment than it had promised", at());
                    return Err(Stop::Wrong(lost));
                }
                no_log_is_lost(&*disk).map_err(|lost| Stop::Wrong(format!("{}: {lost}", at())))?;
                log.tell(Step::after_deaths(0, left.digest(), deaths));
                oracle = left;
                continue;
            }
            match reply {
                Ok(reply) if reply == expected => {
                    if self.faulty && matches!(request, Request::Reopen { .. }) {
                        let contents = session.contents().map_err(|trouble| self.stop(&at(), trouble))?;
                        let found = sum(&contents.unwrap_or_default());
                        if found != oracle.digest() {
                            log.tell(Step::new(oracle.digest(), true));
                            return Err(Stop::Other(found));
                        }
                    }
                    let durable = self.promises(request, loading);
                    log.tell(Step::new(oracle.digest(), durable));
                }
                Ok(reply) if self.faulty && reply == NO_SPACE => {
                    // Refused for want of space: nothing of it was done, and the run goes on.
                    oracle = before.unwrap_or(oracle);
                    if let Some(string) = request.string() {
                        let end = Request::End { string };
                        oracle.apply(&end);
                        session.apply(&end).map_err(|trouble| self.stop(&at(), trouble))?;
                    }
                    log.tell(Step::new(oracle.digest(), false));
                }
                Ok(Reply::Refused(12, reason, _)) if self.faulty => {
                    log.tell(Step::new(oracle.digest(), false));
                    return Err(Stop::Failed(format!("{}: 12/{reason}", at())));
                }
                Ok(reply) => return Err(Stop::Wrong(format!("{}: expected {expected}, got {reply}", at()))),
                Err(trouble) => {
                    log.tell(Step::new(oracle.digest(), false));
                    return Err(self.stop(&at(), trouble));
                }
            }
        }
        Ok(())
    }

    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String> {
        let session = Session::open(disk, self.shape, true).map_err(Trouble::words)?;
        self.told.check(session.rbas().all())?;
        let records = look(&session)?;
        Ok(Recovered::new(sum(&records)))
    }

    fn exercise(&self, disk: Arc<dyn Disk>) -> Result<(), String> {
        let mut session = Session::open(disk.clone(), self.shape, true).map_err(Trouble::words)?;
        self.told.check(session.rbas().all())?;
        let mut records = look(&session)?;
        let key = vec![0x5A; self.shape.key_length];
        let string = 0;
        let body = Body {
            key: key.clone(),
            length: self.shape.least_record(),
            fill: 1,
        };
        if !self.shape.keyed() {
            return self.exercise_numbered(disk, session, records);
        }
        let find = |record: &Bytes| self.shape.key_of(record).cmp(&key);
        let requests = match records.binary_search_by(find) {
            Ok(at) => {
                records.remove(at);
                vec![
                    Request::Get {
                        string,
                        key,
                        search: Search::Equal,
                        intent: Intent::Update,
                    },
                    Request::Erase { string },
                ]
            }
            Err(at) => {
                records.insert(at, body.bytes(self.shape));
                // Into a data set that was never loaded only a sequential insert goes, and after all others.
                let order = if records.len() == 1 {
                    Order::Sequential
                } else {
                    Order::Direct
                };
                vec![Request::Insert { string, order, body }]
            }
        };
        for request in &requests {
            let reply = session.apply(request).map_err(Trouble::words)?;
            if !matches!(reply, Reply::Done | Reply::Record(_)) {
                return Err(format!("{request}: {reply}"));
            }
        }
        // The log is written before the tree.
        session.apply(&Request::Commit).map_err(Trouble::words)?;
        session.close().map_err(Trouble::words)?;
        no_log_is_lost(&*disk)?;
        let again = look(&Session::open(disk, self.shape, true).map_err(Trouble::words)?)?;
        (again == records)
            .then_some(())
            .ok_or_else(|| "after a change and CLOSE the contents are others".to_string())
    }
}

impl<'a> ModelRun<'a> {
    /// A run on a disk that is going to fail, or on a good one.
    pub fn new(shape: &'a Shape, requests: impl Into<Cow<'a, [Request]>>, faulty: bool) -> ModelRun<'a> {
        let mut requests = requests.into();
        // A disk that fails is trouble enough: nobody is killed on it as well.
        if faulty {
            requests.to_mut().retain(|request| !matches!(request, Request::Kill(_)));
        }
        ModelRun {
            shape,
            requests,
            faulty,
            told: Told::default(),
        }
    }

    /// The same where records go by numbers: one more is added.
    fn exercise_numbered(&self, disk: Arc<dyn Disk>, mut session: Session, records: Vec<Bytes>) -> Result<(), String> {
        let body = Body {
            key: Vec::new(),
            length: self.shape.least_record(),
            fill: 1,
        };
        let request = Request::Insert {
            string: 0,
            order: Order::Sequential,
            body: body.clone(),
        };
        match session.apply(&request).map_err(Trouble::words)? {
            Reply::Done => {}
            reply => return Err(format!("{request}: {reply}")),
        }
        // The log is written before the tree.
        session.apply(&Request::Commit).map_err(Trouble::words)?;
        session.close().map_err(Trouble::words)?;
        no_log_is_lost(&*disk)?;
        let again = look(&Session::open(disk, self.shape, true).map_err(Trouble::words)?)?;
        let added = again.last().and_then(|last| last.get(self.shape.key_length..));
        let whole = again.len() == records.len() + 1 && again[..records.len()] == records[..];
        (whole && added == Some(&body.bytes(self.shape)))
            .then_some(())
            .ok_or_else(|| "after a change and CLOSE the contents are others".to_string())
    }

    /// Whether a request that was done makes everything durable. A load is promised by its CLOSE alone: until then a
    /// commit covers its complete control areas, and a crash leaves some beginning of it.
    fn promises(&self, request: &Request, loading: bool) -> bool {
        match request {
            Request::Reopen { .. } => true,
            Request::Commit | Request::Checkpoint => !loading,
            _ => !loading && self.shape.durability == Durability::Request,
        }
    }

    fn stop(&self, at: &str, trouble: Trouble) -> Stop {
        trouble.stop(self.faulty, at)
    }
}

/// Everything in the data set, and the structure below it checked.
fn look(session: &Session) -> Result<Vec<Bytes>, String> {
    let records = session.contents().and_then(|records| {
        let records = records.unwrap_or_default();
        session.check_structure(records.len())?;
        Ok(records)
    });
    records.map_err(Trouble::words)
}

fn sum(records: &[Bytes]) -> u64 {
    records.iter().fold(0, |sum, record| sum.wrapping_add(digest(record)))
}
