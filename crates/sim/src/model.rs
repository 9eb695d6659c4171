//! The model test: engine and oracle do the same requests; each reply, and now and then everything, is compared.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use cica_disk::MemoryDisk;

use crate::campaign::Outcome;
use crate::crash::guarded;
use crate::death::take_over;
use crate::oracle::Oracle;
use crate::request::{Reply, Request};
use crate::script::Script;
use crate::session::{Session, Trouble};
use crate::shape::{word, Organization, Shape};
use crate::shrink::shrink_failure;
use crate::workload::Workload;

/// After so many requests everything is read and examined.
const LOOK_EVERY: usize = 100;

/// What a run did.
#[derive(Debug, Clone, Default)]
pub struct ModelReport {
    /// Requests done.
    pub requests: u64,
    /// Times everything was read in both directions and examined.
    pub looks: u64,
    /// Records seen in those.
    pub records: u64,
    /// How often each reply came; all records count as one.
    pub replies: BTreeMap<String, u64>,
}

impl ModelReport {
    /// The counts by name.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let all = [
            ("requests", self.requests),
            ("looks", self.looks),
            ("records looked at", self.records),
        ];
        let replies = self
            .replies
            .iter()
            .map(|(reply, count)| (format!("reply {reply}"), *count));
        all.map(|(name, count)| (name.to_string(), count))
            .into_iter()
            .chain(replies)
            .collect()
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &ModelReport) {
        self.requests += other.requests;
        self.looks += other.looks;
        self.records += other.records;
        for (reply, count) in &other.replies {
            *self.replies.entry(reply.clone()).or_default() += count;
        }
    }
}

/// A disagreement between engine and oracle.
#[derive(Debug, Clone)]
pub struct ModelFailure {
    /// The seed of the workload.
    pub seed: u64,
    /// Requests drawn from it.
    pub drawn: usize,
    /// The data set.
    pub shape: Shape,
    /// The shortest list of requests found that ends in a disagreement.
    pub requests: Vec<Request>,
    /// The disagreement.
    pub what: String,
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        writeln!(
            f,
            "replay: cica-sim model --organization {} --seed {} --requests {} --runs 1",
            word(self.shape.organization),
            self.seed,
            self.drawn
        )?;
        writeln!(f, "or save the lines below and: cica-sim replay FILE")?;
        let (shape, requests) = (self.shape.clone(), self.requests.clone());
        write!(
            f,
            "{}",
            Script {
                shape,
                seed: self.seed,
                requests
            }
        )
    }
}

/// One run of a campaign.
pub fn run(workload: &Workload) -> Option<Outcome> {
    Some(match run_workload(workload) {
        Ok(report) => Outcome {
            counts: report.counts(),
            failure: None,
        },
        Err(failure) => Outcome {
            counts: BTreeMap::new(),
            failure: Some(failure.to_string()),
        },
    })
}

/// Draws a workload and runs it.
pub fn run_model(seed: u64, requests: usize, organization: Organization) -> Result<ModelReport, Box<ModelFailure>> {
    run_workload(&Workload::model(seed, requests, organization))
}

fn run_workload(workload: &Workload) -> Result<ModelReport, Box<ModelFailure>> {
    compare(&workload.shape, &workload.requests).map_err(|what| {
        let fails = |kept: &[Request]| compare(&workload.shape, kept).err();
        let (requests, what) = shrink_failure(&workload.requests, 3000, what, fails);
        Box::new(ModelFailure {
            seed: workload.seed,
            drawn: workload.requests.len(),
            shape: workload.shape.clone(),
            requests,
            what,
        })
    })
}

/// Runs requests on engine and oracle; the first disagreement in words.
pub fn compare(shape: &Shape, requests: &[Request]) -> Result<ModelReport, String> {
    guarded(|| {
        let disk = Arc::new(MemoryDisk::from(Session::empty_disk()));
        let session = Session::create(disk, shape).map_err(|trouble| format!("create: {}", trouble.words()))?;
        let mut pair = Pair {
            oracle: Oracle::new(shape),
            session,
            report: ModelReport::default(),
        };
        for (number, request) in requests.iter().enumerate() {
            let at = |what: String| format!("request {} ({request}): {what}", number + 1);
            pair.step(request).map_err(at)?;
            if (number + 1) % LOOK_EVERY == 0 {
                pair.look().map_err(at)?;
            }
        }
        pair.end()
    })
}

struct Pair {
    oracle: Oracle,
    session: Session,
    report: ModelReport,
}

impl Pair {
    fn step(&mut self, request: &Request) -> Result<(), String> {
        let doomed = self.session.process().is_doomed() || matches!(request, Request::Kill(_));
        let before = doomed.then(|| self.oracle.clone());
        let expected = self.oracle.apply(request);
        let reply = self.session.apply(request);
        self.report.requests += 1;
        if self.session.process().is_dead() {
            let before = before.as_ref().unwrap_or(&self.oracle);
            let taken = take_over(&mut self.session, before, &self.oracle);
            (self.oracle, _) = taken.map_err(Trouble::words)?;
            *self.report.replies.entry("none, killed".to_string()).or_default() += 1;
            return Ok(());
        }
        let reply = reply.map_err(Trouble::words)?;
        if reply != expected {
            return Err(format!("expected {expected}, got {reply}"));
        }
        let name = if let Reply::Record(_) = reply {
            "record".to_string()
        } else {
            reply.to_string()
        };
        *self.report.replies.entry(name).or_default() += 1;
        Ok(())
    }

    fn look(&mut self) -> Result<(), String> {
        // A data set is not examined while part of it is still in the load's hands, nor by who would die of it.
        if self.oracle.loading() || self.session.process().is_doomed() {
            return Ok(());
        }
        let records = self.oracle.contents();
        self.session.check_structure(records.len()).map_err(Trouble::words)?;
        let contents = self
            .session
            .contents()
            .map_err(Trouble::words)?
            .ok_or("it is in load mode")?;
        if contents != records {
            return Err(difference(records.iter(), &contents));
        }
        self.report.looks += 1;
        self.report.records += records.len() as u64;
        Ok(())
    }

    fn end(mut self) -> Result<ModelReport, String> {
        self.step(&Request::Reopen {
            output: true,
            reset: false,
        })
        .map_err(|what| format!("at the end: {what}"))?;
        self.look()
            .map_err(|what| format!("at the end, closed and opened again: {what}"))?;
        Ok(self.report)
    }
}

/// Where two lists of records part.
fn difference<'a>(expected: impl Iterator<Item = &'a Vec<u8>>, got: &[Vec<u8>]) -> String {
    let expected: Vec<_> = expected.collect();
    let at = expected.iter().zip(got).take_while(|(a, b)| **a == *b).count();
    let show =
        |record: Option<&Vec<u8>>| record.map_or("nothing".into(), |record| Reply::Record(record.clone()).to_string());
    format!(
        "{} records, expected {}; record {} is {}, expected {}",
        got.len(),
        expected.len(),
        at + 1,
        show(got.get(at)),
        show(expected.get(at).copied())
    )
}
