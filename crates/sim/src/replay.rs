//! A run that was written down, made again.

use crate::crash::{self, explore};
use crate::fault::{self, inject};
use crate::model::compare;
use crate::run::ModelRun;
pub use crate::script::Script;

impl Script {
    /// Compares with the model, and, when told to, cuts the power and fails the disk. The first failure, if any.
    pub fn run(&self, explore_too: bool) -> Option<String> {
        let (shape, requests) = (&self.shape, &self.requests[..]);
        if let Err(what) = compare(shape, requests) {
            return Some(what);
        }
        if !explore_too {
            return None;
        }
        let crashed = explore(
            &ModelRun::new(shape, requests, false),
            crash::CrashPlan::standard(self.seed, 20_000),
        )
        .1
        .map(|failure| failure.to_string());
        crashed.or_else(|| {
            inject(
                &ModelRun::new(shape, requests, true),
                fault::FaultPlan {
                    seed: self.seed,
                    each: 500,
                    only: None,
                },
            )
            .1
            .map(|failure| failure.to_string())
        })
    }
}
