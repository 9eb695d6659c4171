//! A sphere as a [`Trial`]; and the model test on one.

use std::fmt::Write;

use crate::campaign::Outcome;
use crate::mortal::Kill;
use crate::request::{Request, CLOSE};
use crate::shape::{word, Organization};
use crate::shrink::shrink_failure;
use crate::sphere::subject::{compare, SphereRun};
use crate::sphere::workload::SphereWorkload;
use crate::subject::Subject;
use crate::trial::{killing, Purpose, Trial};

/// A sphere and the requests drawn for it.
#[derive(Debug)]
pub struct SphereTrial {
    workload: SphereWorkload,
    end: Option<Request>,
}

impl SphereTrial {
    /// Draws the requests of a seed, over such a base.
    pub fn draw(seed: u64, requests: usize, base: Organization, purpose: Purpose) -> SphereTrial {
        let mut workload = SphereWorkload::small(seed, requests, base);
        if let Some(mut random) = killing(seed, purpose) {
            Kill::strew(&mut workload.requests, &mut random, Request::Kill);
        }
        SphereTrial {
            workload,
            end: (purpose != Purpose::Explore).then_some(CLOSE),
        }
    }

    fn requests(&self, kept: &[usize]) -> Vec<Request> {
        let kept = kept.iter().map(|&number| &self.workload.requests[number]);
        kept.chain(&self.end).cloned().collect()
    }
}

impl Trial for SphereTrial {
    fn len(&self) -> usize {
        self.workload.requests.len()
    }

    fn subject(&self, kept: &[usize], faulty: bool) -> Result<Box<dyn Subject + '_>, String> {
        let SphereWorkload { shape, records, .. } = &self.workload;
        Ok(Box::new(SphereRun::new(shape, records, self.requests(kept), faulty)?))
    }

    fn story(&self, kept: &[usize]) -> String {
        story(&self.workload, &self.requests(kept))
    }
}

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
            let (shortest, what) = shrink_failure(&workload.requests, 3000, what, fails);
            let replay = format!(
                "cica-sim model --sphere --organization {} --seed {seed} --requests {requests} --runs 1",
                word(base)
            );
            Outcome {
                failure: Some(format!("{what}\nreplay: {replay}\n{}", story(&workload, &shortest))),
                ..Outcome::default()
            }
        }
    })
}

/// The sphere, its records and the requests, one in a line.
fn story(workload: &SphereWorkload, requests: &[Request]) -> String {
    let mut text = format!("{:?}\n", workload.shape);
    for body in &workload.records {
        let _ = writeln!(text, "loaded {body}");
    }
    for request in requests {
        let _ = writeln!(text, "{request}");
    }
    text
}
