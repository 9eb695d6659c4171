//! Many runs on several threads: seeds in order, counts added up, failures collected.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::churn;
use crate::crash::{self, explore, ImageId};
use crate::damage;
use crate::fault::{self, inject};
use crate::model::run_model;
use crate::replay::Script;
use crate::request::Request;
use crate::run::Run;
use crate::shape::{word, Organization, Shape};
use crate::shrink::shrink_failure;
use crate::subject::Subject;
use crate::workload::Workload;

/// Which seeds, on how many threads.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    /// First seed.
    pub seed: u64,
    /// Runs; the n-th, from 0, has seed `seed + n`.
    pub runs: u64,
    /// Threads.
    pub jobs: usize,
    /// No new run begins after so many failures.
    pub failures: usize,
    /// A run that takes longer hangs: the process ends, with the seed.
    pub limit: Duration,
}

impl Campaign {
    /// Seeds from `seed` on, with two threads, until the first failure.
    pub fn new(seed: u64, runs: u64) -> Campaign {
        Campaign {
            seed,
            runs,
            jobs: 2,
            failures: 1,
            limit: Duration::from_secs(120),
        }
    }
}

/// What one run did.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What was counted.
    pub counts: BTreeMap<String, u64>,
    /// The failure, with how to have it again.
    pub failure: Option<String>,
}

/// What all runs did.
#[derive(Debug, Clone, Default)]
pub struct Total {
    /// Runs done.
    pub runs: u64,
    /// What was counted.
    pub counts: BTreeMap<String, u64>,
    /// The failures.
    pub failures: Vec<String>,
}

impl Campaign {
    /// Does the runs. `work` gives the outcome of a seed, `None` when there is nothing left to do; `progress` is told
    /// after each run.
    pub fn run(self, work: impl Fn(u64) -> Option<Outcome> + Sync, progress: impl FnMut(&Total) + Send) -> Total {
        let next = AtomicU64::new(0);
        let state = Mutex::new((Total::default(), progress));
        let watch = Watch::default();
        let worker = || loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            let enough = locked(&state).0.failures.len() >= self.failures;
            if run >= self.runs || enough {
                return;
            }
            let seed = self.seed.wrapping_add(run);
            let _watched = watch.watch(seed);
            let Some(outcome) = work(seed) else { return };
            let (total, progress) = &mut *locked(&state);
            total.runs += 1;
            for (name, count) in outcome.counts {
                *total.counts.entry(name).or_default() += count;
            }
            total.failures.extend(outcome.failure);
            progress(total);
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(worker)).collect();
            while !workers.iter().all(|worker| worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(20));
                watch.end_process_that_hangs(self.limit);
            }
        });
        state.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The runs in progress. A loop without end cannot be stopped from outside, so the process ends when one is found.
#[derive(Debug, Default)]
struct Watch(Mutex<BTreeMap<u64, Instant>>);

struct Watched<'w>(&'w Watch, u64);

impl Watch {
    fn watch(&self, seed: u64) -> Watched<'_> {
        locked(&self.0).insert(seed, Instant::now());
        Watched(self, seed)
    }

    fn end_process_that_hangs(&self, limit: Duration) {
        if let Some((seed, _)) = locked(&self.0).iter().find(|(_, start)| start.elapsed() > limit) {
            eprintln!(
                "FAILURE\nthe run of seed {seed} gives no answer within {} s",
                limit.as_secs()
            );
            std::process::exit(101);
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        locked(&self.0 .0).remove(&self.1);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Images that all runs together may look at.
#[derive(Debug)]
pub struct Budget(AtomicU64);

impl Budget {
    /// So many.
    pub fn new(images: u64) -> Budget {
        Budget(AtomicU64::new(images))
    }

    /// Takes up to `most` of what is left; `None` when nothing is.
    pub(crate) fn take(&self, most: u64) -> Option<u64> {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left > 0).then(|| left - most.min(left))
        });
        taken.ok().map(|left| most.min(left))
    }

    pub(crate) fn give_back(&self, images: u64) {
        self.0.fetch_add(images, Ordering::Relaxed);
    }
}

/// One model run.
pub fn model(seed: u64, requests: usize, organization: Organization) -> Option<Outcome> {
    Some(match run_model(seed, requests, organization) {
        Ok(report) => {
            let counts = report.counts();
            Outcome { counts, failure: None }
        }
        Err(failure) => Outcome {
            counts: BTreeMap::new(),
            failure: Some(failure.to_string()),
        },
    })
}

/// One crash run, with images from the budget.
pub fn crash(
    seed: u64,
    requests: usize,
    organization: Organization,
    per_run: u64,
    budget: &Budget,
    only: Option<ImageId>,
) -> Option<Outcome> {
    let images = budget.take(per_run)?;
    // The whole run is planned with `per_run`, so that a seed looks at the same images whatever was left.
    let plan = crash::Plan {
        only,
        ..crash::Plan::standard(seed, per_run)
    };
    let workload = explored(seed, requests, organization);
    let (report, failure) = explore(&run(&workload.shape, &workload.requests, false), plan);
    budget.give_back(images.saturating_sub(report.total()));
    let counts = report.counts();
    let word = word(organization);
    let failure = failure.map(|failure| {
        let small = crash::Plan {
            images: 4000,
            only: None,
            ..plan
        };
        let (shortest, last) = shrink_failure(&workload.requests, 80, &failure.to_string(), |kept| {
            explore(&run(&workload.shape, kept, false), small)
                .1
                .map(|failure| failure.to_string())
        });
        let replay = failure.image.map_or(String::new(), |id| format!(" --image {id}"));
        format!(
            "{failure}\nreplay: cica-sim crash --organization {word} \
             --seed {seed} --requests {requests} --per-run {per_run}{replay}\nshorter: {last}\n{}",
            Script {
                shape: workload.shape.clone(),
                seed,
                requests: shortest
            }
        )
    });
    Some(Outcome { counts, failure })
}

/// One fault run.
pub fn fault(
    seed: u64,
    requests: usize,
    organization: Organization,
    each: u64,
    only: Option<(fault::Kind, Option<u64>)>,
) -> Option<Outcome> {
    let plan = fault::Plan { seed, each, only };
    let workload = explored(seed, requests, organization);
    let (report, failure) = inject(&run(&workload.shape, &workload.requests, true), plan);
    let counts = report.counts();
    let word = word(organization);
    let failure = failure.map(|failure| {
        let small = fault::Plan {
            each: 60,
            only: failure.fault.map(|(kind, _)| (kind, None)),
            ..plan
        };
        let (shortest, last) = shrink_failure(&workload.requests, 80, &failure.to_string(), |kept| {
            inject(&run(&workload.shape, kept, true), small)
                .1
                .map(|failure| failure.to_string())
        });
        let replay = failure.fault.map_or(String::new(), |(kind, call)| {
            format!(" --kind {} --call {call}", kind.name())
        });
        format!(
            "{failure}\nreplay: cica-sim fault --organization {word} \
             --seed {seed} --runs 1 --requests {requests} --each {each}{replay}\nshorter: {last}\n{}",
            Script {
                shape: workload.shape.clone(),
                seed,
                requests: shortest
            }
        )
    });
    Some(Outcome { counts, failure })
}

/// One damage run; its workload ends with a CLOSE.
pub fn damage(seed: u64, requests: usize, organization: Organization, places: u64) -> Option<Outcome> {
    let mut workload = explored(seed, requests, organization);
    workload.requests.push(Request::Reopen {
        output: true,
        reset: false,
    });
    let (report, failure) = damage::damage(&run(&workload.shape, &workload.requests, false), seed, places);
    let counts = report.counts();
    let word = word(organization);
    let failure = failure.map(|failure| {
        let replay = format!(
            "cica-sim damage --organization {word} --seed {seed} --runs 1 --requests {requests} --places {places}"
        );
        format!(
            "{failure}\nreplay: {replay}\n{}",
            Script {
                shape: workload.shape.clone(),
                seed,
                requests: workload.requests.clone()
            }
        )
    });
    Some(Outcome { counts, failure })
}

/// One run of all bits: of a data set that was closed, or of one whose process died after a commit.
pub fn bits(seed: u64, requests: usize, organization: Organization, every: usize) -> Option<Outcome> {
    let mut workload = Workload::small(seed, requests, organization);
    workload.requests.push(match seed % 2 {
        0 => Request::Commit,
        _ => Request::Reopen {
            output: true,
            reset: false,
        },
    });
    let subject = run(&workload.shape, &workload.requests, false);
    Some(bits_of(&subject, every, || {
        let word = word(organization);
        format!(
            "cica-sim bits --organization {word} --seed {seed} --runs 1 --requests {requests} --every {every}\n{}",
            Script {
                shape: workload.shape.clone(),
                seed,
                requests: workload.requests.clone()
            }
        )
    }))
}

/// The same of any store.
pub(crate) fn bits_of(subject: &dyn Subject, every: usize, replay: impl FnOnce() -> String) -> Outcome {
    let (counts, failure) = damage::every::every_bit(subject, every);
    let failure = failure.map(|failure| format!("{failure}\nreplay: {}", replay()));
    Outcome { counts, failure }
}

/// The workload that crashes, faults and damage are explored in: of every second KSDS one that wears its CAs out.
fn explored(seed: u64, requests: usize, organization: Organization) -> Workload {
    match organization == Organization::Ksds && seed % 2 == 1 {
        true => churn::workload(seed, requests.div_ceil(4)),
        false => Workload::small(seed, requests, organization),
    }
}

fn run<'a>(shape: &'a Shape, requests: &'a [Request], faulty: bool) -> Run<'a> {
    Run {
        shape,
        requests,
        faulty,
    }
}
