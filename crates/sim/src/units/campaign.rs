//! Campaigns on units of recovery: what [`crate::campaign`] does with a single data set.

use crate::campaign::{Budget, Outcome};
use crate::crash::{self, explore, ImageId};
use crate::shrink::shrink_failure;
use crate::units::oracle::Action;
use crate::units::subject::UnitsRun;
use crate::units::workload::UnitsWorkload;

/// One crash run, with images from the budget; its run compares every answer with the oracle's.
pub fn crash(seed: u64, actions: usize, per_run: u64, budget: &Budget, only: Option<ImageId>) -> Option<Outcome> {
    let images = budget.take(per_run)?;
    let plan = crash::Plan {
        only,
        ..crash::Plan::standard(seed, per_run)
    };
    let workload = UnitsWorkload::new(seed, actions);
    let run = match UnitsRun::new(&workload) {
        Ok(run) => run,
        Err(what) => {
            return Some(Outcome {
                failure: Some(format!("seed {seed}: {what}")),
                ..Outcome::default()
            })
        }
    };
    let (report, failure) = explore(&run, plan);
    budget.give_back(images.saturating_sub(report.total()));
    let failure = failure.map(|failure| {
        let small = crash::Plan {
            images: 4000,
            only: None,
            ..plan
        };
        let fails = |kept: &[Action]| {
            let shorter = UnitsWorkload {
                actions: kept.to_vec(),
                ..workload.clone()
            };
            let run = UnitsRun::new(&shorter).ok()?;
            explore(&run, small).1.map(|failure| failure.to_string())
        };
        let (shortest, last) = shrink_failure(&workload.actions, 80, &failure.to_string(), fails);
        let lines: Vec<String> = shortest.iter().map(|action| format!("  {action}")).collect();
        let image = failure.image.map_or(String::new(), |id| format!(" --image {id}"));
        format!(
            "{failure}\nshorter: {last}\n{}\ncica-sim crash --units --seed {seed} --requests {actions} --per-run \
             {per_run}{image}",
            lines.join("\n")
        )
    });
    Some(Outcome {
        counts: report.counts(),
        failure,
    })
}
