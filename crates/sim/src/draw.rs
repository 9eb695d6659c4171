//! What campaigns do with a store, whichever it is: cut the power, fail the disk, damage what was closed.
//!
//! Each kind of run below draws a [`Trial`], looks for a failure, and if there is one drops actions as long as it stays.
//! It prints what replays both: the run as it was drawn, and the shrunk one, which is the same command with `--keep`.

use std::fmt;

use crate::campaign::{Budget, Outcome};
use crate::copies;
use crate::crash::{self, explore, ImageId};
use crate::damage::{self, every::every_bit};
use crate::fault::{self, inject};
use crate::shrink::shrink_failure;
use crate::store::Store;
use crate::subject::Subject;
use crate::trial::{Purpose, Trial};

/// A run to make: everything follows from it.
#[derive(Debug, Clone, Copy)]
pub struct Draw<'k> {
    /// The kind of store.
    pub store: Store,
    /// The seed.
    pub seed: u64,
    /// Actions to draw.
    pub actions: usize,
    /// Of those drawn these alone.
    pub keep: Option<&'k Kept>,
}

impl<'k> Draw<'k> {
    /// All actions of a seed.
    pub fn new(store: Store, seed: u64, actions: usize) -> Draw<'k> {
        Draw {
            store,
            seed,
            actions,
            keep: None,
        }
    }

    fn kept(&self, trial: &dyn Trial) -> Vec<usize> {
        let all = 0..trial.len();
        match self.keep {
            None => all.collect(),
            Some(keep) => all.filter(|number| keep.0.contains(number)).collect(),
        }
    }

    /// The command that makes the run again, but for the options of the test.
    fn command(&self, test: &str) -> String {
        let Draw { seed, actions, .. } = self;
        let words = self.store.words(*seed);
        let keep = self.keep.map_or(String::new(), |keep| format!(" --keep {keep}"));
        format!("cica-sim {test}{words} --seed {seed} --requests {actions}{keep}")
    }
}

/// Which of the actions drawn are done: numbers from 0 in rising order; as text from 1, `1-4,7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept(pub Vec<usize>);

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|a, b| a + 1 == *b);
        let words: Vec<String> = runs
            .map(|run| match run {
                [one] => (one + 1).to_string(),
                _ => format!("{}-{}", run[0] + 1, run[run.len() - 1] + 1),
            })
            .collect();
        // None at all is a number that no action has.
        f.write_str(if words.is_empty() { "0" } else { "" })?;
        f.write_str(&words.join(","))
    }
}

impl std::str::FromStr for Kept {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| word.parse::<usize>().map_err(|_| format!("'{word}' is no number"));
        let mut kept = Vec::new();
        for word in text.split(',') {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            kept.extend((number(first)?..=number(last)?).filter_map(|number| number.checked_sub(1)));
        }
        Ok(Kept(kept))
    }
}

/// A failure that can be had again.
trait Replayed: fmt::Display {
    /// The options that choose it.
    fn options(&self) -> String;
}

impl Replayed for crash::ImageFailure {
    fn options(&self) -> String {
        self.image.map_or(String::new(), |id| format!(" --image {id}"))
    }
}

impl Replayed for fault::FaultFailure {
    fn options(&self) -> String {
        self.fault.map_or(String::new(), |(kind, call)| {
            format!(" --kind {} --call {call}", kind.name())
        })
    }
}

impl Replayed for copies::CopyFailure {
    fn options(&self) -> String {
        String::new()
    }
}

impl Replayed for damage::DamageFailure {
    fn options(&self) -> String {
        String::new()
    }
}

/// Most lists of actions that are tried to make a failing one short.
const TRIES: usize = 160;

/// What is printed of a failure: it, what replays it, and the same of a shrunk one. `again` looks for a failure in
/// fewer actions; `usual` and `small` are the options of the test that was made and of the one that `again` makes.
fn report<F: Replayed>(
    draw: Draw<'_>,
    trial: &dyn Trial,
    test: &str,
    failure: F,
    (usual, small): (&str, &str),
    again: impl Fn(&[usize]) -> Option<F>,
) -> String {
    let (first, command) = (failure.to_string(), draw.command(test));
    let replay = format!("{command} {usual}{}", failure.options());
    let kept = draw.kept(trial);
    let (shortest, last) = shrink_failure(&kept, TRIES, failure, again);
    let story = trial.story(&shortest);
    if shortest.len() == kept.len() {
        return format!("{first}\nreplay: {replay}\n{story}");
    }
    let kept = Kept(shortest);
    let shrunk = Draw {
        keep: Some(&kept),
        ..draw
    };
    let shrunk = shrunk.command(test);
    format!(
        "{first}\nreplay: {replay}\n\nshorter: {last}\nreplay: {shrunk} {small}{}\n{story}",
        last.options()
    )
}

/// A run whose store could not be made.
fn unmade(draw: Draw<'_>, trial: &dyn Trial, test: &str, what: &str) -> Outcome {
    let story = trial.story(&draw.kept(trial));
    Outcome {
        failure: Some(format!(
            "making the store: {what}\nreplay: {}\n{story}",
            draw.command(test)
        )),
        ..Outcome::default()
    }
}

/// One crash run, with images from the budget; `None` when there are none left.
pub fn crash(draw: Draw<'_>, per_run: u64, budget: &Budget, only: Option<ImageId>) -> Option<Outcome> {
    let images = budget.take(per_run)?;
    // The whole run is planned with `per_run`, so that a seed looks at the same images whatever was left.
    let plan = crash::CrashPlan {
        only,
        ..crash::CrashPlan::standard(draw.seed, per_run)
    };
    let trial = draw.store.draw(draw.seed, draw.actions, Purpose::Explore);
    let subject = match trial.subject(&draw.kept(&*trial), false) {
        Ok(subject) => subject,
        Err(what) => return Some(unmade(draw, &*trial, "crash", &what)),
    };
    let (looked, failure) = explore(&*subject, plan);
    budget.give_back(images.saturating_sub(looked.total()));
    let failure = failure.map(|failure| {
        let few = per_run.min(4000);
        let small = crash::CrashPlan {
            images: few,
            only: None,
            ..plan
        };
        let options = (&*format!("--per-run {per_run}"), &*format!("--per-run {few}"));
        report(draw, &*trial, "crash", failure, options, |kept| {
            explore(&*trial.subject(kept, false).ok()?, small).1
        })
    });
    Some(Outcome {
        counts: looked.counts(),
        failure,
    })
}

/// One fault run.
pub fn fault(draw: Draw<'_>, each: u64, only: Option<(fault::FaultKind, Option<u64>)>) -> Option<Outcome> {
    let seed = draw.seed;
    let trial = draw.store.draw(seed, draw.actions, Purpose::Explore);
    let subject = match trial.subject(&draw.kept(&*trial), true) {
        Ok(subject) => subject,
        Err(what) => return Some(unmade(draw, &*trial, "fault", &what)),
    };
    let (injected, failure) = inject(&*subject, fault::FaultPlan { seed, each, only });
    let failure = failure.map(|failure| {
        let few = each.min(60);
        let small = fault::FaultPlan {
            seed,
            each: few,
            only: failure.fault.map(|(kind, _)| (kind, None)),
        };
        let options = (&*format!("--runs 1 --each {each}"), &*format!("--runs 1 --each {few}"));
        report(draw, &*trial, "fault", failure, options, |kept| {
            inject(&*trial.subject(kept, true).ok()?, small).1
        })
    });
    Some(Outcome {
        counts: injected.counts(),
        failure,
    })
}

/// One damage run; its trial ends with everything closed.
pub fn damage(draw: Draw<'_>, places: u64) -> Option<Outcome> {
    let options = format!("--runs 1 --places {places}");
    of_subject(draw, Purpose::Damage, "damage", &options, |subject| {
        let (report, failure) = damage::damage(subject, draw.seed, places);
        (report.counts(), failure)
    })
}

/// One run of all bits, one of so many.
pub fn bits(draw: Draw<'_>, every: usize) -> Option<Outcome> {
    let options = format!("--runs 1 --every {every}");
    of_subject(draw, Purpose::Bits, "bits", &options, |subject| {
        every_bit(subject, every)
    })
}

/// One run of snapshots, so many of one moment and as many of several.
pub fn snapshots(draw: Draw<'_>, copies: u64) -> Option<Outcome> {
    let options = format!("--runs 1 --copies {copies}");
    of_subject(draw, Purpose::Explore, "snapshot", &options, |subject| {
        // Data sets that nothing ties together may be of several moments, and these are one part.
        let mixed = !matches!(draw.store, Store::Units);
        copies::snapshot::explore(subject, draw.seed, copies, mixed)
    })
}

/// One run of old files among newer ones.
pub fn older(draw: Draw<'_>) -> Option<Outcome> {
    of_subject(draw, Purpose::Explore, "old-files", "--runs 1", copies::older::explore)
}

/// One run of a test that has all it needs in its subject.
fn of_subject<F: Replayed>(
    draw: Draw<'_>,
    purpose: Purpose,
    test: &str,
    options: &str,
    work: impl Fn(&dyn Subject) -> (damage::DamageCounts, Option<F>),
) -> Option<Outcome> {
    let trial = draw.store.draw(draw.seed, draw.actions, purpose);
    let subject = match trial.subject(&draw.kept(&*trial), false) {
        Ok(subject) => subject,
        Err(what) => return Some(unmade(draw, &*trial, test, &what)),
    };
    let (counts, failure) = work(&*subject);
    let failure = failure.map(|failure| {
        report(draw, &*trial, test, failure, (options, options), |kept| {
            work(&*trial.subject(kept, false).ok()?).1
        })
    });
    Some(Outcome { counts, failure })
}
