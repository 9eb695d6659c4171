//! A run as text: the data set, named by the seed it was drawn from, then a request per line; `#` begins a comment.

use std::str::FromStr;

use crate::crash::{self, explore};
use crate::fault::{self, inject};
use crate::ksds::Ksds;
use crate::model::compare;
use crate::request::Request;
use crate::shape::Shape;
use crate::workload::Workload;

/// A run that was written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The data set.
    pub shape: Shape,
    /// The seed that it, and what the explorers choose, follow from.
    pub seed: u64,
    /// The requests.
    pub requests: Vec<Request>,
}

impl FromStr for Script {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.next().ok_or("the file is empty")?;
        let (kind, seed) = first
            .strip_prefix("data set of ")
            .and_then(|rest| rest.split_once(" seed "))
            .ok_or_else(|| format!("'{first}': the first line is 'data set of model|small seed N'"))?;
        let seed = seed.parse().map_err(|_| format!("'{seed}' is no seed"))?;
        let shape = match kind {
            "model" => Workload::model(seed, 0).shape,
            "small" => Workload::small(seed, 0).shape,
            _ => return Err(format!("'{kind}' is neither model nor small")),
        };
        let requests = lines.map(str::parse).collect::<Result<_, _>>()?;
        Ok(Script { shape, seed, requests })
    }
}

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
        let subject = Ksds {
            shape,
            requests,
            faulty: false,
        };
        let crashed = explore(&subject, crash::Plan::standard(self.seed, 20_000))
            .1
            .map(|failure| failure.to_string());
        crashed.or_else(|| {
            let subject = Ksds {
                faulty: true,
                ..subject
            };
            inject(
                &subject,
                fault::Plan {
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
