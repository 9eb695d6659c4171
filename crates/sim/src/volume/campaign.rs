//! Campaigns on volumes: what [`crate::campaign`] does with a single data set.

use std::fmt::Write;

use crate::campaign::{bits_of, Budget, Outcome};
use crate::crash::{self, explore, ImageId};
use crate::damage;
use crate::fault::{self, inject};
use crate::shrink::shrink_failure;
use crate::volume::action::Action;
use crate::volume::subject::VolumeRun;
use crate::volume::workload::VolumeWorkload;

/// One crash run, with images from the budget.
pub fn crash(seed: u64, actions: usize, per_run: u64, budget: &Budget, only: Option<ImageId>) -> Option<Outcome> {
    let images = budget.take(per_run)?;
    let plan = crash::Plan {
        only,
        ..crash::Plan::standard(seed, per_run)
    };
    let workload = VolumeWorkload::small(seed, actions);
    Some(with_run(&workload, &workload.actions, false, |run| {
        let (report, failure) = explore(run, plan);
        budget.give_back(images.saturating_sub(report.total()));
        let failure = failure.map(|failure| {
            let small = crash::Plan {
                images: 4000,
                only: None,
                ..plan
            };
            let (shortest, last) = shrink_failure(&workload.actions, 80, &failure.to_string(), |kept| {
                failure_of(&workload, kept, false, |run| {
                    explore(run, small).1.map(|f| f.to_string())
                })
            });
            let image = failure.image.map_or(String::new(), |id| format!(" --image {id}"));
            let replay =
                format!("cica-sim crash --volume --seed {seed} --requests {actions} --per-run {per_run}{image}");
            format!("{failure}\nshorter: {last}\n{}", told(&workload, &replay, &shortest))
        });
        Outcome {
            counts: report.counts(),
            failure,
        }
    }))
}

/// One fault run.
pub fn fault(seed: u64, actions: usize, each: u64, only: Option<(fault::Kind, Option<u64>)>) -> Option<Outcome> {
    let plan = fault::Plan { seed, each, only };
    let workload = VolumeWorkload::small(seed, actions);
    Some(with_run(&workload, &workload.actions, true, |run| {
        let (report, failure) = inject(run, plan);
        let failure = failure.map(|failure| {
            let small = fault::Plan {
                each: 60,
                only: failure.fault.map(|(kind, _)| (kind, None)),
                ..plan
            };
            let (shortest, last) = shrink_failure(&workload.actions, 80, &failure.to_string(), |kept| {
                failure_of(&workload, kept, true, |run| inject(run, small).1.map(|f| f.to_string()))
            });
            let call = failure.fault.map_or(String::new(), |(kind, call)| {
                format!(" --kind {} --call {call}", kind.name())
            });
            let replay =
                format!("cica-sim fault --volume --seed {seed} --runs 1 --requests {actions} --each {each}{call}");
            format!("{failure}\nshorter: {last}\n{}", told(&workload, &replay, &shortest))
        });
        Outcome {
            counts: report.counts(),
            failure,
        }
    }))
}

/// One damage run; its workload ends with all data sets closed.
pub fn damage(seed: u64, actions: usize, places: u64) -> Option<Outcome> {
    let mut workload = VolumeWorkload::small(seed, actions);
    close(&mut workload);
    Some(with_run(&workload, &workload.actions, false, |run| {
        let (report, failure) = damage::damage(run, seed, places);
        let replay = format!("cica-sim damage --volume --seed {seed} --runs 1 --requests {actions} --places {places}");
        Outcome {
            counts: report.counts(),
            failure: failure.map(|f| format!("{f}\n{}", told(&workload, &replay, &workload.actions))),
        }
    }))
}

fn close(workload: &mut VolumeWorkload) {
    let all = (0..workload.shape.slots.len()).map(Action::Close);
    workload.actions.extend(all);
}

/// One run of all bits, after everything was closed.
pub fn bits(seed: u64, actions: usize, every: usize) -> Option<Outcome> {
    let mut workload = VolumeWorkload::small(seed, actions);
    close(&mut workload);
    Some(with_run(&workload, &workload.actions, false, |run| {
        bits_of(run, every, || {
            let replay = format!("cica-sim bits --volume --seed {seed} --runs 1 --requests {actions} --every {every}");
            told(&workload, &replay, &workload.actions)
        })
    }))
}

/// Makes the volume; if not even that works, that is the failure.
fn with_run(
    workload: &VolumeWorkload,
    actions: &[Action],
    faulty: bool,
    work: impl FnOnce(&VolumeRun<'_>) -> Outcome,
) -> Outcome {
    match VolumeRun::new(workload, actions, faulty) {
        Ok(run) => work(&run),
        Err(what) => Outcome {
            failure: Some(format!("making the volume: {what}\n{:?}", workload.shape)),
            ..Outcome::default()
        },
    }
}

fn failure_of(
    workload: &VolumeWorkload,
    actions: &[Action],
    faulty: bool,
    work: impl FnOnce(&VolumeRun<'_>) -> Option<String>,
) -> Option<String> {
    match VolumeRun::new(workload, actions, faulty) {
        Ok(run) => work(&run),
        Err(what) => Some(what),
    }
}

/// The data sets and the actions, one in a line.
fn told(workload: &VolumeWorkload, replay: &str, actions: &[Action]) -> String {
    let mut text = format!("replay: {replay}\n{:?}\n", workload.shape);
    for (slot, bodies) in &workload.copies {
        let _ = writeln!(text, "a copy of {slot} with {} records", bodies.len());
    }
    for action in actions {
        let _ = writeln!(text, "{action}");
    }
    text
}
