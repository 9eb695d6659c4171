//! What the explorers crash and fault: anything that keeps records on a [`Disk`] and says when they are durable.

use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::{Disk, Image, SimDisk};

/// One request of a run, done. A store has one or more parts; each goes from moment to moment by itself, so what a
/// crash leaves of one part says nothing about the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The part that it changed, the first being 0.
    pub part: usize,
    /// Digest of the part's contents after it.
    pub digest: u64,
    /// Whether it promised that everything in this part up to here is durable.
    pub durable: bool,
    /// Processes that were killed before one gave these contents; what it showed is durable.
    pub deaths: u32,
    /// The first of them was killed in a command.
    pub in_command: bool,
}

impl Step {
    /// A step of a store that has one part.
    pub fn new(digest: u64, durable: bool) -> Step {
        Step::of(0, digest, durable)
    }

    /// A step of a part.
    pub fn of(part: usize, digest: u64, durable: bool) -> Step {
        Step {
            part,
            digest,
            durable,
            deaths: 0,
            in_command: false,
        }
    }

    /// What another process found in a part after so many were killed.
    pub fn after_deaths(part: usize, digest: u64, deaths: u32) -> Step {
        Step {
            deaths,
            ..Step::of(part, digest, true)
        }
    }

    /// The same where the first was killed in a command. Without a death after it nobody was shown what it left.
    pub fn after_command(part: usize, digest: u64, deaths: u32) -> Step {
        Step {
            durable: deaths > 0,
            in_command: true,
            ..Step::after_deaths(part, digest, deaths.max(1))
        }
    }
}

/// What came of a recovery that gave an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Digest of the contents of each part.
    pub digests: Vec<u64>,
}

impl Recovered {
    /// Of a store that has one part.
    pub fn new(digest: u64) -> Recovered {
        Recovered { digests: vec![digest] }
    }
}

/// A store and its workload.
pub trait Subject: Sync {
    /// The disk before anything happens.
    fn start(&self) -> Image;

    /// Whether its file system has holes: what a close gives back goes another way where it has none.
    fn has_holes(&self) -> bool {
        false
    }

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

/// The disk of a subject before anything happens.
pub fn disk_of(subject: &dyn Subject) -> SimDisk {
    let disk = SimDisk::from(subject.start());
    disk.set_holes(subject.has_holes());
    disk
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

/// The steps of a run as it tells them, and what a kill may leave of them.
pub struct StepLog<'n> {
    note: &'n mut dyn FnMut(Step),
    /// By part: digests since the last promise.
    standing: BTreeMap<usize, Vec<u64>>,
    /// By part: of the last step and of the one before it.
    newest: BTreeMap<usize, [u64; 2]>,
}

impl<'n> StepLog<'n> {
    /// Passes on what it is told.
    pub fn to(note: &'n mut dyn FnMut(Step)) -> StepLog<'n> {
        StepLog {
            note,
            standing: BTreeMap::new(),
            newest: BTreeMap::new(),
        }
    }

    /// Tells a step.
    pub fn tell(&mut self, step: Step) {
        let standing = self.standing.entry(step.part).or_default();
        if step.durable {
            standing.clear();
        }
        standing.push(step.digest);
        let newest = self.newest.entry(step.part).or_insert([step.digest; 2]);
        *newest = [newest[1], step.digest];
        (self.note)(step);
    }

    /// Whether a kill in the step that was told last may leave a part with these contents: it is done, or all that was
    /// answered before it is there and nothing else (law 6).
    pub fn has_all_answered(&self, part: usize, digest: u64) -> bool {
        self.newest.get(&part).is_some_and(|digests| digests.contains(&digest))
    }

    /// Whether a kill in a load, which is not logged, may leave a part with these contents: they are those of a step
    /// since the last promise.
    pub fn stands(&self, part: usize, digest: u64) -> bool {
        self.standing
            .get(&part)
            .is_some_and(|digests| digests.contains(&digest))
    }
}

/// The steps of a run, with the number of disk events before and after each.
#[derive(Debug, Clone, Default)]
pub struct History {
    parts: Vec<Vec<StepSpan>>,
    /// Events before the next step.
    events: usize,
    /// Events before the first step of all was done.
    made: Option<usize>,
}

/// A step that began and ended after so many events.
#[derive(Debug, Clone, Copy)]
struct StepSpan {
    begin: usize,
    end: usize,
    step: Step,
}

impl History {
    /// Adds a step that ended after `events` events.
    pub fn note(&mut self, events: usize, step: Step) {
        if self.parts.len() <= step.part {
            self.parts.resize(step.part + 1, Vec::new());
        }
        self.parts[step.part].push(StepSpan {
            begin: self.events,
            end: events,
            step,
        });
        self.events = events;
        self.made.get_or_insert(events);
    }

    /// Steps done.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// The steps before which processes were killed.
    pub fn after_deaths(&self) -> impl Iterator<Item = &Step> + '_ {
        let all = self.parts.iter().flatten();
        all.map(|done| &done.step).filter(|step| step.deaths > 0)
    }

    /// Whether not even the first step was done.
    pub fn is_empty(&self) -> bool {
        self.made.is_none()
    }

    /// Whether the store need not even be there when the power is cut after `events` events.
    pub fn may_be_missing(&self, events: usize) -> bool {
        self.made.is_none_or(|made| events < made)
    }

    /// Whether a promise of durability was made just after `events` events.
    pub fn promised_at(&self, events: usize) -> bool {
        self.parts.iter().any(|steps| {
            let first = steps.partition_point(|done| done.end < events);
            let now = steps[first..].iter().take_while(|done| done.end == events);
            now.into_iter().any(|done| done.step.durable)
        })
    }

    /// The steps of a part whose contents may be found when the power is cut after `events` events: from the last one
    /// that was acknowledged as durable to the last one begun.
    pub fn allowed(&self, part: usize, events: usize) -> std::ops::RangeInclusive<usize> {
        let steps = self.parts.get(part).map_or(&[][..], |steps| steps);
        let done = steps.partition_point(|done| done.end <= events);
        let lowest = steps[..done].iter().rposition(|done| done.step.durable).unwrap_or(0);
        let begun = steps.partition_point(|done| done.begin < events);
        lowest..=begun.saturating_sub(1).max(lowest)
    }

    /// Whether each part has the contents after any of its steps at all, or is of a store just made.
    pub fn check_any(&self, digests: &[u64]) -> Result<(), String> {
        let mut parts = self.parts.iter().zip(digests);
        let known = parts.all(|(steps, digest)| steps.iter().any(|done| done.step.digest == *digest));
        (known || self.is_empty())
            .then_some(())
            .ok_or_else(|| "the contents are of no moment of the run".to_string())
    }

    /// Whether each part has the contents after one of its allowed steps; if not, `Err` says what was expected.
    pub fn check(&self, events: usize, digests: &[u64]) -> Result<(), String> {
        if self.is_empty() {
            // Not even the making of the store was acknowledged: whatever is there, nobody was promised anything.
            return Ok(());
        }
        if digests.len() != self.parts.len() {
            return Err(format!(
                "{} parts are there, {} were made",
                digests.len(),
                self.parts.len()
            ));
        }
        let mut parts = digests.iter().enumerate();
        parts.try_for_each(|(part, digest)| self.check_part(part, events, *digest))
    }

    /// Whether each part has the contents after one of the steps that a copy may have, the files of which were copied
    /// between `first` and `last` events.
    pub fn check_between(&self, first: usize, last: usize, digests: &[u64]) -> Result<(), String> {
        let allowed = |part: usize, digest: u64| {
            let (low, high) = (*self.allowed(part, first).start(), *self.allowed(part, last).end());
            let steps = self.parts.get(part).and_then(|steps| steps.get(low..=high));
            // Of a volume 0: it is not there, or was never loaded, which an open for input refuses.
            let nothing = self.parts.len() > 1 && digest == 0;
            nothing || steps.is_some_and(|steps| steps.iter().any(|done| done.step.digest == digest))
        };
        match digests
            .iter()
            .enumerate()
            .find(|(part, digest)| !allowed(*part, **digest))
        {
            None => Ok(()),
            Some((part, digest)) => {
                let (low, high) = (*self.allowed(part, first).start(), *self.allowed(part, last).end());
                let steps = self.parts.get(part).map_or(&[][..], |steps| steps);
                let found = match steps.iter().rposition(|done| done.step.digest == *digest) {
                    Some(step) => format!("those after request {step}"),
                    None => "those of no moment".to_string(),
                };
                Err(format!(
                    "part {part} opened with other contents than after requests {low} to {high}, when its files were \
                     copied: {found}"
                ))
            }
        }
    }

    /// Events after which a promise of durability was made, in order, each once.
    pub fn promises(&self) -> Vec<usize> {
        let all = self.parts.iter().flatten().filter(|done| done.step.durable);
        let mut ends: Vec<usize> = all.map(|done| done.end).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    fn check_part(&self, part: usize, events: usize, digest: u64) -> Result<(), String> {
        let (steps, allowed) = (&self.parts[part], self.allowed(part, events));
        if steps[allowed.clone()].iter().any(|done| done.step.digest == digest) {
            return Ok(());
        }
        let (low, high) = (*allowed.start(), *allowed.end());
        let of = match self.parts.len() {
            1 => String::new(),
            _ => format!("of part {part} "),
        };
        Err(match steps.iter().rposition(|done| done.step.digest == digest) {
            Some(step) => format!("the contents {of}are those after request {step}, allowed are {low} to {high}"),
            None => format!(
                "the contents {of}are of no moment of the run, allowed are those after requests {low} to {high}"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_grows_with_requests_and_shrinks_with_promises() {
        let mut history = History::default();
        for (events, durable) in [(4, true), (4, false), (6, false), (9, true), (12, false)] {
            history.note(events, Step::new(history.len() as u64, durable));
        }
        assert!(history.may_be_missing(3) && !history.may_be_missing(4));
        assert_eq!(history.allowed(0, 4), 0..=0);
        assert_eq!(history.allowed(0, 5), 0..=2);
        assert_eq!(history.allowed(0, 8), 0..=3);
        assert_eq!(history.allowed(0, 9), 3..=3);
        assert_eq!(history.allowed(0, 12), 3..=4);
        assert_eq!(history.allowed(0, 99), 3..=4);
        assert!(history.promised_at(9) && !history.promised_at(6) && history.promised_at(4));
        assert!(history.check(8, &[2]).is_ok());
        assert!(history
            .check(9, &[2])
            .expect_err("lost a promise")
            .contains("after request 2, allowed are 3 to 3"));
        assert!(history.check(9, &[77]).expect_err("of nowhere").contains("no moment"));
    }

    #[test]
    fn parts_go_back_each_by_itself_but_never_behind_their_promises() {
        let mut history = History::default();
        let steps = [
            (1, 0, 10, true),
            (1, 1, 20, true),
            (4, 0, 11, false),
            (6, 1, 21, true),
            (8, 0, 12, false),
        ];
        for (events, part, digest, durable) in steps {
            history.note(events, Step::of(part, digest, durable));
        }
        for left in [10, 11, 12] {
            assert!(history.check(8, &[left, 21]).is_ok());
        }
        let lost = history.check(8, &[12, 20]).expect_err("a promise of part 1");
        assert!(
            lost.contains("of part 1 are those after request 0, allowed are 1 to 1"),
            "{lost}"
        );
        assert!(history
            .check(8, &[12])
            .expect_err("a part is gone")
            .contains("1 parts are there, 2 were made"));
        assert!(history.check_any(&[10, 20]).is_ok() && history.check_any(&[10, 12]).is_err());
    }
}
