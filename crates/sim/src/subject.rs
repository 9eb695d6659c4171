//! What the explorers crash and fault: anything that keeps records on a [`Disk`] and says when they are durable.

use std::sync::Arc;

use cica_disk::{Disk, Image};

/// One request of a run, done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Digest of the contents after it.
    pub digest: u64,
    /// Whether it promised that everything up to here is durable.
    pub durable: bool,
}

/// What came of a recovery that gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    /// Digest of the contents.
    pub digest: u64,
}

/// A store and its workload.
pub trait Subject: Sync {
    /// The disk before anything happens.
    fn start(&self) -> Image;

    /// Makes the store (the first step) and does the workload, telling `note` about each step that was done, and about
    /// one that failed as if it had been done, because it may have been. `Err` is an answer that is wrong, or an error
    /// that stopped the run.
    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop>;

    /// Opens what a crash left and looks at all of it. `Err` is in words: it did not open, or is damaged.
    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String>;

    /// Opens, changes something, closes, opens again and looks: what recovered must also work.
    fn exercise(&self, disk: Arc<dyn Disk>) -> Result<(), String>;

    /// Whether a write that the device dropped or garbled, saying it was done, is noticed or takes all of it back to
    /// an earlier moment. A sphere has a root for each member, and the loss of one takes that member back alone.
    fn is_of_one_root(&self) -> bool {
        true
    }
}

/// Why a run stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// An answer that no fault excuses.
    Wrong(String),
    /// An error of the kind that a failing disk excuses: 12/x, OPEN 184, the fence.
    Failed(String),
    /// It says that it is damaged, which only a disk that lies excuses: OPEN 192.
    Damaged(String),
    /// Opened again it has other contents, of this digest: of an earlier moment, if the disk lost the newest root.
    Other(u64),
}

impl Stop {
    /// The words.
    pub fn words(&self) -> String {
        match self {
            Stop::Wrong(words) | Stop::Failed(words) | Stop::Damaged(words) => words.clone(),
            Stop::Other(_) => "opened again it has other contents".to_string(),
        }
    }
}

/// The steps of a run, with the number of disk events before and after each.
#[derive(Debug, Clone, Default)]
pub struct History {
    steps: Vec<(usize, usize, Step)>,
}

impl History {
    /// Adds a step that ended after `events` events.
    pub fn note(&mut self, events: usize, step: Step) {
        let begin = self.steps.last().map_or(0, |(_, end, _)| *end);
        self.steps.push((begin, events, step));
    }

    /// Steps done.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether not even the first step was done.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether the store need not even be there when the power is cut after `events` events.
    pub fn may_be_missing(&self, events: usize) -> bool {
        self.steps.first().is_none_or(|(_, end, _)| events < *end)
    }

    /// Whether a promise of durability was made just after `events` events.
    pub fn promised_at(&self, events: usize) -> bool {
        let first = self.steps.partition_point(|(_, end, _)| *end < events);
        self.steps[first..]
            .iter()
            .take_while(|(_, end, _)| *end == events)
            .any(|(_, _, step)| step.durable)
    }

    /// The steps whose contents may be found when the power is cut after `events` events: from the last one that was
    /// acknowledged as durable to the last one begun.
    pub fn allowed(&self, events: usize) -> std::ops::RangeInclusive<usize> {
        let done = self.steps.partition_point(|(_, end, _)| *end <= events);
        let lowest = self.steps[..done]
            .iter()
            .rposition(|(_, _, step)| step.durable)
            .unwrap_or(0);
        let begun = self.steps.partition_point(|(begin, _, _)| *begin < events);
        lowest..=begun.saturating_sub(1).max(lowest)
    }

    /// Whether `digest` is the contents after any step at all, or of a store just made.
    pub fn check_any(&self, digest: u64) -> Result<(), String> {
        let known = self.steps.is_empty() || self.steps.iter().any(|(_, _, step)| step.digest == digest);
        known
            .then_some(())
            .ok_or_else(|| "the contents are of no moment of the run".to_string())
    }

    /// Whether `digest` is the contents after one of the allowed steps; if not, `Err` says what was expected.
    pub fn check(&self, events: usize, digest: u64) -> Result<(), String> {
        let allowed = self.allowed(events);
        if self.steps.is_empty() {
            // Not even the making of the store was acknowledged: whatever is there, nobody was promised anything.
            return Ok(());
        }
        if self.steps[allowed.clone()]
            .iter()
            .any(|(_, _, step)| step.digest == digest)
        {
            return Ok(());
        }
        let (low, high) = (*allowed.start(), *allowed.end());
        Err(
            match self.steps.iter().rposition(|(_, _, step)| step.digest == digest) {
                Some(step) => format!("the contents are those after request {step}, allowed are {low} to {high}"),
                None => {
                    format!(
                        "the contents are of no moment of the run, allowed are those after requests {low} to {high}"
                    )
                }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_grows_with_requests_and_shrinks_with_promises() {
        let mut history = History::default();
        for (events, durable) in [(4, true), (4, false), (6, false), (9, true), (12, false)] {
            history.note(
                events,
                Step {
                    digest: history.len() as u64,
                    durable,
                },
            );
        }
        assert!(history.may_be_missing(3) && !history.may_be_missing(4));
        assert_eq!(history.allowed(4), 0..=0);
        assert_eq!(history.allowed(5), 0..=2);
        assert_eq!(history.allowed(8), 0..=3);
        assert_eq!(history.allowed(9), 3..=3);
        assert_eq!(history.allowed(12), 3..=4);
        assert_eq!(history.allowed(99), 3..=4);
        assert!(history.promised_at(9) && !history.promised_at(6) && history.promised_at(4));
        assert!(history.check(8, 2).is_ok());
        assert!(history
            .check(9, 2)
            .expect_err("lost a promise")
            .contains("after request 2, allowed are 3 to 3"));
        assert!(history.check(9, 77).expect_err("of nowhere").contains("no moment"));
    }
}
