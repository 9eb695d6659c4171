//! A sphere as a [`Subject`] of the explorers, and the model test on it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::{Disk, Image, MemoryDisk};

use crate::crash::guarded;
use crate::model::ModelReport;
use crate::oracle::Bytes;
use crate::request::{Body, Intent, Order, Reply, Request, Search};
use crate::session::{no_log_is_lost, Session, Trouble};
use crate::shape::Durability;
use crate::sphere::oracle::{Entries, SphereOracle};
use crate::sphere::session::{look, SphereContents, SphereSession};
use crate::sphere::shape::{Alternate, Sphere};
use crate::sphere::workload::SphereWorkload;
use crate::subject::{Recovered, Step, StepLog, Stop, Subject};

/// A sphere, loaded and built, and the requests to make.
pub struct SphereRun<'a> {
    shape: &'a Sphere,
    /// Its records at the start.
    records: &'a [Body],
    requests: Cow<'a, [Request]>,
    /// The disk is going to fail: 12/x, 8/28 and OPEN 184 are answers, not mistakes.
    faulty: bool,
    start: Image,
}

impl<'a> SphereRun<'a> {
    /// Makes, loads and builds the sphere in memory.
    ///
    /// # Errors
    /// In words.
    pub fn new(
        shape: &'a Sphere,
        records: &'a [Body],
        requests: impl Into<Cow<'a, [Request]>>,
        faulty: bool,
    ) -> Result<Self, String> {
        let oracle = SphereOracle::new(shape, records);
        let disk = MemoryDisk::from(Session::empty_disk());
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let loaded: Vec<Bytes> = oracle.base().records().values().cloned().collect();
        let mut requests = requests.into();
        // A disk that fails is trouble enough: nobody is killed on it as well.
        if faulty {
            requests.to_mut().retain(|request| !matches!(request, Request::Kill(_)));
        }
        SphereSession::create(&shared, shape, &loaded, oracle.alternates()).map_err(Trouble::words)?;
        Ok(SphereRun {
            shape,
            records,
            requests,
            faulty,
            start: disk.image(),
        })
    }

    fn promises(&self, request: &Request) -> bool {
        match request {
            Request::Reopen { .. } | Request::Commit | Request::Checkpoint => true,
            _ => self.shape.base.durability == Durability::Request,
        }
    }

    fn stop(&self, at: &str, trouble: Trouble) -> Stop {
        trouble.stop(self.faulty, at)
    }

    /// One record more, behind all that are there, which stay as they are.
    fn add_one(&self, disk: &Arc<dyn Disk>) -> Result<(), String> {
        let before = recovered(disk, self.shape).map_err(Trouble::words)?;
        let mut session = SphereSession::open(disk.clone(), self.shape, true).map_err(Trouble::words)?;
        let insert = Request::Insert {
            string: 0,
            order: Order::Direct,
            body: Body {
                key: Vec::new(),
                length: self.shape.base.maximum_record,
                fill: 0x7F7F_7F7F,
            },
        };
        let added = match session.apply(&insert).map_err(Trouble::words)?.reply {
            Reply::Done => 1,
            // Another record may have the alternate key.
            Reply::Refused(8, 8 | 148, 4) => 0,
            other => return Err(format!("{insert}: {other}")),
        };
        session.close().map_err(Trouble::words)?;
        no_log_is_lost(&**disk)?;
        let after = look(disk, self.shape).map_err(Trouble::words)?;
        let kept = after.records.len() == before.records.len() + added && after.records.starts_with(&before.records);
        if kept && (added == 1 || after == before) {
            Ok(())
        } else {
            Err("after an insert and CLOSE the records before it are others".to_string())
        }
    }

    /// Closes, looks at what the files hold, and opens again. The inner value is their digest.
    fn reopen(&self, disk: &Arc<dyn Disk>, session: &mut SphereSession, output: bool) -> Result<u64, Trouble> {
        session.close()?;
        let found = look(disk, self.shape)?.digest();
        *session = SphereSession::open(disk.clone(), self.shape, output)?;
        Ok(found)
    }
}

impl Subject for SphereRun<'_> {
    fn start(&self) -> Image {
        self.start.clone()
    }

    fn has_holes(&self) -> bool {
        self.shape.base.has_holes()
    }

    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop> {
        let mut oracle = SphereOracle::new(self.shape, self.records);
        let mut log = StepLog::to(note);
        log.tell(Step::new(oracle.digest(), true));
        let session = SphereSession::open(disk.clone(), self.shape, true);
        let mut session = session.map_err(|trouble| self.stop("the first open", trouble))?;
        for (number, request) in self.requests.iter().enumerate() {
            let at = || format!("request {} ({request})", number + 1);
            let doomed = session.process().is_doomed() || matches!(request, Request::Kill(_));
            let before = (self.faulty || doomed).then(|| oracle.clone());
            let expected = oracle.apply(request);
            let mut note = |oracle: &SphereOracle, durable| {
                log.tell(Step::new(oracle.digest(), durable));
            };
            if let (true, Request::Reopen { output, .. }) = (self.faulty, request) {
                match self.reopen(&disk, &mut session, *output) {
                    Ok(found) => note(&oracle, found == oracle.digest()),
                    Err(trouble) => {
                        note(&oracle, false);
                        return Err(self.stop(&at(), trouble));
                    }
                }
                continue;
            }
            let answer = session.apply(request);
            if session.process().is_dead() {
                // Nobody got the answer; it may have been done.
                note(&oracle, false);
                let before = before.as_ref().unwrap_or(&oracle);
                let taken = take_over(session, before, &oracle);
                let (next, left, deaths) = taken.map_err(|trouble| self.stop(&at(), trouble))?;
                if !log.has_all_answered(0, left.digest()) {
                    let lost = format!("{}: killed here, it left an earlier moment than it had promised", at());
                    return Err(Stop::Wrong(lost));
                }
                no_log_is_lost(&*disk).map_err(|lost| Stop::Wrong(format!("{}: {lost}", at())))?;
                log.tell(Step::after_deaths(0, left.digest(), deaths));
                (session, oracle) = (next, left);
                continue;
            }
            match answer {
                Ok(answer) if answer == expected => note(&oracle, self.promises(request)),
                Ok(answer) if self.faulty && matches!(answer.reply, Reply::Refused(8, 28, _)) => {
                    // Refused for want of space: nothing of it was done, and the run goes on.
                    oracle = before.unwrap_or(oracle);
                    if let Some(string) = request.string() {
                        let end = Request::End { string };
                        oracle.apply(&end);
                        session.apply(&end).map_err(|trouble| self.stop(&at(), trouble))?;
                    }
                    note(&oracle, false);
                }
                Ok(answer) if self.faulty && matches!(answer.reply, Reply::Refused(12, ..)) => {
                    note(&oracle, false);
                    return Err(Stop::Failed(format!("{}: {answer}", at())));
                }
                Ok(answer) => return Err(Stop::Wrong(format!("{}: expected {expected}, got {answer}", at()))),
                Err(trouble) => {
                    note(&oracle, false);
                    return Err(self.stop(&at(), trouble));
                }
            }
        }
        Ok(())
    }

    fn is_of_one_root(&self) -> bool {
        false
    }

    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String> {
        let contents = recovered(&disk, self.shape).map_err(Trouble::words)?;
        Ok(Recovered::new(contents.digest()))
    }

    fn exercise(&self, disk: Arc<dyn Disk>) -> Result<(), String> {
        if !self.shape.base.keyed() {
            return self.add_one(&disk);
        }
        let before = recovered(&disk, self.shape).map_err(Trouble::words)?;
        let key = vec![0x5A; self.shape.base.key_length];
        let there = before
            .records
            .iter()
            .any(|record| self.shape.base.key_of(record) == key);
        let mut session = SphereSession::open(disk.clone(), self.shape, true).map_err(Trouble::words)?;
        let string = 0;
        let get = Request::Get {
            string,
            key: key.clone(),
            search: Search::Equal,
            intent: Intent::Update,
        };
        let insert = Request::Insert {
            string,
            order: Order::Direct,
            body: Body {
                key,
                length: self.shape.base.maximum_record,
                fill: 0x7F7F_7F7F,
            },
        };
        // In and out again: the alternate indexes are as before.
        let erase = [get, Request::Erase { string }];
        let requests: Vec<&Request> = if there {
            Vec::new()
        } else {
            std::iter::once(&insert).chain(&erase).collect()
        };
        for request in requests {
            let reply = session.apply(request).map_err(Trouble::words)?.reply;
            match reply {
                Reply::Done | Reply::Record(_) => {}
                // Another record may have the alternate key.
                Reply::Refused(8, 8 | 148, 4) if matches!(request, Request::Insert { .. }) => break,
                other => return Err(format!("{request}: {other}")),
            }
        }
        session.close().map_err(Trouble::words)?;
        no_log_is_lost(&*disk)?;
        let after = look(&disk, self.shape).map_err(Trouble::words)?;
        (after == before)
            .then_some(())
            .ok_or_else(|| "after an insert, an erase and CLOSE the contents are others".to_string())
    }
}

/// Opens the sphere, closes it, and looks at its files.
pub(crate) fn recovered(disk: &Arc<dyn Disk>, shape: &Sphere) -> Result<SphereContents, Trouble> {
    SphereSession::open(disk.clone(), shape, true)?.close()?;
    look(disk, shape)
}

fn records_of(oracle: &SphereOracle, at: usize) -> Vec<Bytes> {
    let entries = oracle.alternates()[at].iter();
    entries
        .map(|(key, pointers)| oracle.shape().entry(at, key, pointers))
        .collect()
}

/// After so many requests everything is read.
const LOOK_EVERY: usize = 100;

/// Runs requests on engine and oracle; the first disagreement in words.
pub fn compare(workload: &SphereWorkload, requests: &[Request]) -> Result<ModelReport, String> {
    guarded(|| {
        let run = SphereRun::new(&workload.shape, &workload.records, requests, false)?;
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::from(run.start()));
        let mut oracle = SphereOracle::new(run.shape, run.records);
        let mut session = SphereSession::open(disk.clone(), run.shape, true).map_err(Trouble::words)?;
        let mut report = ModelReport::default();
        for (number, request) in requests.iter().enumerate() {
            let at = |what: String| format!("request {} ({request}): {what}", number + 1);
            let doomed = session.process().is_doomed() || matches!(request, Request::Kill(_));
            let before = doomed.then(|| oracle.clone());
            let expected = oracle.apply(request);
            let answer = session.apply(request);
            if session.process().is_dead() {
                let before = before.as_ref().unwrap_or(&oracle);
                let taken = take_over(session, before, &oracle);
                (session, oracle, _) = taken.map_err(|trouble| at(trouble.words()))?;
                count(&mut report, "none, killed");
                continue;
            }
            let answer = answer.map_err(|trouble| at(trouble.words()))?;
            if answer != expected {
                return Err(at(format!("expected {expected}, got {answer}")));
            }
            count(&mut report, &answer.to_string());
            if (number + 1) % LOOK_EVERY == 0 {
                session.examine().map_err(|trouble| at(trouble.words()))?;
                agree(&session, &oracle).map_err(at)?;
                report.looks += 1;
                report.records += oracle.base().records().len() as u64;
            }
        }
        session.close().map_err(Trouble::words)?;
        let found = look(&disk, run.shape).map_err(Trouble::words)?;
        let expected = contents(&oracle);
        if found == expected {
            Ok(report)
        } else {
            Err(format!("closed at the end: {}", differ(&found, &expected)))
        }
    })
}

/// The process was killed: others open what is left until one of them lives. That one goes on, from the model that says
/// what was left; and how many died for it. `before` and `after` are the model before the request that was under way and
/// with it done.
fn take_over(
    session: SphereSession,
    before: &SphereOracle,
    after: &SphereOracle,
) -> Result<(SphereSession, SphereOracle, u32), Trouble> {
    let (shape, mut process, mut deaths) = (after.shape(), session.process().clone(), 0);
    drop(session);
    loop {
        deaths += 1;
        process = process.successor();
        let found = recovered(&process.shared(), shape);
        let opened = found.and_then(|found| Ok((found, SphereSession::of(process.clone(), shape, true)?)));
        if process.is_dead() {
            continue;
        }
        let (found, session) = opened?;
        let of = |(alternate, records): (&Alternate, &Vec<Bytes>)| lists(records, alternate, shape);
        let alternates: Vec<Entries> = shape.alternates.iter().zip(&found.alternates).map(of).collect();
        for oracle in [after, before] {
            let mut oracle = oracle.clone();
            if oracle.adopt(&found.records, &alternates) {
                return Ok((session, oracle, deaths));
            }
        }
        let words = "base and alternate indexes are not what was answered";
        return Err(Trouble::Wrong(words.to_string()));
    }
}

pub(crate) fn lists(records: &[Bytes], alternate: &Alternate, shape: &Sphere) -> Entries {
    // RBAs of eight bytes, as the oracle has them.
    let whole = |pointer: &[u8]| {
        let mut whole = vec![0; shape.base.key_length - pointer.len().min(shape.base.key_length)];
        whole.extend_from_slice(pointer);
        whole
    };
    let read = |record: &Bytes| {
        let (head, pointers) = record.split_at((5 + alternate.length).min(record.len()));
        (
            head[5..].to_vec(),
            pointers.chunks(alternate.pointer).map(whole).collect(),
        )
    };
    records.iter().map(read).collect()
}

fn contents(oracle: &SphereOracle) -> SphereContents {
    SphereContents {
        records: oracle.base().contents(),
        alternates: (0..oracle.alternates().len())
            .map(|at| records_of(oracle, at))
            .collect(),
    }
}

fn differ(found: &SphereContents, expected: &SphereContents) -> String {
    if found.records != expected.records {
        return format!(
            "{} base records, expected {}",
            found.records.len(),
            expected.records.len()
        );
    }
    let pairs = found.alternates.iter().zip(&expected.alternates);
    let at = pairs.clone().position(|(a, b)| a != b).unwrap_or_default();
    let first = pairs
        .flat_map(|(a, b)| a.iter().zip(b))
        .find(|(a, b)| a != b)
        .map(|(a, b)| format!("{} for {}", crate::request::hex(a), crate::request::hex(b)));
    format!(
        "alternate index {at} differs: {}",
        first.unwrap_or_else(|| "in its number of records".into())
    )
}

/// Base and paths, read forward, against the oracle.
fn agree(session: &SphereSession, oracle: &SphereOracle) -> Result<(), String> {
    let (base, paths) = session.read_all().map_err(Trouble::words)?;
    let records = oracle.base().records();
    if base != oracle.base().contents() {
        return Err(format!("{} base records, expected {}", base.len(), records.len()));
    }
    for (at, found) in paths.iter().enumerate() {
        let expected = oracle.alternates()[at]
            .values()
            .flatten()
            .map_while(|key| records.get(key));
        if !found.iter().eq(expected) {
            return Err(format!("by path {at} other records are found"));
        }
    }
    Ok(())
}

fn count(report: &mut ModelReport, answer: &str) {
    report.requests += 1;
    let name = if answer.contains("bytes") { "record" } else { answer };
    let replies: &mut BTreeMap<String, u64> = &mut report.replies;
    *replies.entry(name.to_string()).or_default() += 1;
}
