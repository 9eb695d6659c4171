//! Campaigns on spheres: what [`crate::campaign`] does with a single data set.

use std::fmt::Write;

use crate::campaign::{bits_of, Budget, Outcome};
use crate::crash::{self, explore, ImageId};
use crate::damage;
use crate::fault::{self, inject};
use crate::request::Request;
use crate::shape::{word, Organization};
use crate::shrink::shrink_failure;
use crate::sphere::subject::{compare, SphereRun};
use crate::sphere::workload::SphereWorkload;

/// One model run.
pub fn model(seed: u64, requests: usize, base: Organization) -> Option<Outcome> {
    let workload = SphereWorkload::model(seed, requests, base);
    Some(match compare(&workload, &workload.requests) {
        Ok(report) => Outcome {
            counts: report.counts(),
            failure: None,
        },
        Err(what) => {
            let fails = |kept: &[Request]| compare(&workload, kept).err();
            let (shortest, what) = shrink_failure(&workload.requests, 3000, &what, fails);
            let replay = format!(
                "cica-sim model --sphere --organization {} --seed {seed} --requests {requests} --runs 1",
                word(base)
            );
            Outcome {
                failure: Some(format!("{what}\n{}", told(&workload, &replay, &shortest))),
                ..Outcome::default()
            }
        }
    })
}

/// One crash run, with images from the budget.
pub fn crash(
    seed: u64,
    requests: usize,
    base: Organization,
    per_run: u64,
    budget: &Budget,
    only: Option<ImageId>,
) -> Option<Outcome> {
    let images = budget.take(per_run)?;
    let plan = crash::Plan {
        only,
        ..crash::Plan::standard(seed, per_run)
    };
    let workload = SphereWorkload::small(seed, requests, base);
    Some(with_run(&workload, &workload.requests, false, |run| {
        let (report, failure) = explore(run, plan);
        budget.give_back(images.saturating_sub(report.total()));
        let failure = failure.map(|failure| {
            let small = crash::Plan {
                images: 4000,
                only: None,
                ..plan
            };
            let (shortest, last) = shrink_failure(&workload.requests, 80, &failure.to_string(), |kept| {
                failure_of(&workload, kept, false, |run| {
                    explore(run, small).1.map(|f| f.to_string())
                })
            });
            let image = failure.image.map_or(String::new(), |id| format!(" --image {id}"));
            let base = word(base);
            let replay = format!(
                "cica-sim crash --sphere --organization {base} \
                 --seed {seed} --requests {requests} --per-run {per_run}{image}"
            );
            format!("{failure}\nshorter: {last}\n{}", told(&workload, &replay, &shortest))
        });
        Outcome {
            counts: report.counts(),
            failure,
        }
    }))
}

/// One fault run.
pub fn fault(
    seed: u64,
    requests: usize,
    base: Organization,
    each: u64,
    only: Option<(fault::Kind, Option<u64>)>,
) -> Option<Outcome> {
    let plan = fault::Plan { seed, each, only };
    let workload = SphereWorkload::small(seed, requests, base);
    Some(with_run(&workload, &workload.requests, true, |run| {
        let (report, failure) = inject(run, plan);
        let failure = failure.map(|failure| {
            let small = fault::Plan {
                each: 60,
                only: failure.fault.map(|(kind, _)| (kind, None)),
                ..plan
            };
            let (shortest, last) = shrink_failure(&workload.requests, 80, &failure.to_string(), |kept| {
                failure_of(&workload, kept, true, |run| inject(run, small).1.map(|f| f.to_string()))
            });
            let call = failure.fault.map_or(String::new(), |(kind, call)| {
                format!(" --kind {} --call {call}", kind.name())
            });
            let base = word(base);
            let replay = format!(
                "cica-sim fault --sphere --organization {base} \
                 --seed {seed} --runs 1 --requests {requests} --each {each}{call}"
            );
            format!("{failure}\nshorter: {last}\n{}", told(&workload, &replay, &shortest))
        });
        Outcome {
            counts: report.counts(),
            failure,
        }
    }))
}

/// One damage run; its workload ends with a CLOSE.
pub fn damage(seed: u64, requests: usize, base: Organization, places: u64) -> Option<Outcome> {
    let mut workload = SphereWorkload::small(seed, requests, base);
    close(&mut workload);
    Some(with_run(&workload, &workload.requests, false, |run| {
        let (report, failure) = damage::damage(run, seed, places);
        let replay = format!(
            "cica-sim damage --sphere --organization {} --seed {seed} --runs 1 --requests {requests} --places {places}",
            word(base)
        );
        Outcome {
            counts: report.counts(),
            failure: failure.map(|f| format!("{f}\n{}", told(&workload, &replay, &workload.requests))),
        }
    }))
}

fn close(workload: &mut SphereWorkload) {
    workload.requests.push(Request::Reopen {
        output: true,
        reset: false,
    });
}

/// One run of all bits, after everything was closed.
pub fn bits(seed: u64, requests: usize, base: Organization, every: usize) -> Option<Outcome> {
    let mut workload = SphereWorkload::small(seed, requests, base);
    close(&mut workload);
    Some(with_run(&workload, &workload.requests, false, |run| {
        bits_of(run, every, || {
            let replay = format!(
                "cica-sim bits --sphere --organization {} --seed {seed} --runs 1 --requests {requests} --every {every}",
                word(base)
            );
            told(&workload, &replay, &workload.requests)
        })
    }))
}

/// Makes the sphere; if not even that works, that is the failure.
fn with_run(
    workload: &SphereWorkload,
    requests: &[Request],
    faulty: bool,
    work: impl FnOnce(&SphereRun<'_>) -> Outcome,
) -> Outcome {
    match SphereRun::new(&workload.shape, &workload.records, requests, faulty) {
        Ok(run) => work(&run),
        Err(what) => Outcome {
            failure: Some(format!("making the sphere: {what}\n{:?}", workload.shape)),
            ..Outcome::default()
        },
    }
}

fn failure_of(
    workload: &SphereWorkload,
    requests: &[Request],
    faulty: bool,
    work: impl FnOnce(&SphereRun<'_>) -> Option<String>,
) -> Option<String> {
    match SphereRun::new(&workload.shape, &workload.records, requests, faulty) {
        Ok(run) => work(&run),
        Err(what) => Some(what),
    }
}

/// The sphere, its records and the requests, one in a line.
fn told(workload: &SphereWorkload, replay: &str, requests: &[Request]) -> String {
    let mut text = format!("replay: {replay}\n{:?}\n", workload.shape);
    for body in &workload.records {
        let _ = writeln!(text, "loaded {body}");
    }
    for request in requests {
        let _ = writeln!(text, "{request}");
    }
    text
}
