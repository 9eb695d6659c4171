//! The crash explorer: cuts the power after every event of a recorded run, and again during the recovery.
//!
//! 1. For each cut, images of what the device may hold (see [`crate::fate`]) are reopened; what is found must be the
//!    contents after some request between the last one acknowledged as durable and the last one begun.
//! 2. A sampled recovery is recorded itself and cut at its events, with the same rule; once it has answered, its
//!    contents are what every later image must hold (who read a record must find it again).
//! 3. Every choice follows from the seed and the numbers of cut and image, so that one image can be had again.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use cica_disk::sim::{CrashPoint, Event, Survival, Trace};
use cica_disk::{Image, MemoryDisk, SimDisk};

use crate::coverage::{self, Coverage};
use crate::fate::{fates, Fate, ImageKind, Limits};
use crate::random::Random;
use crate::subject::{disk_of, History, Recovered, Subject};

/// Which images to look at.
#[derive(Debug, Clone, Copy)]
pub struct CrashPlan {
    /// Decides every choice.
    pub seed: u64,
    /// Most images, nested ones included: of a run with too many cuts some are left out, spread evenly by the seed.
    pub images: u64,
    /// Images per cut.
    pub limits: Limits,
    /// One recovery in so many is cut itself; 0 = none.
    pub nest_every: u64,
    /// One image in so many is also written to after its recovery; 0 = none.
    pub exercise_every: u64,
    /// Look at this image alone.
    pub only: Option<ImageId>,
}

impl CrashPlan {
    /// The usual mixture.
    pub fn standard(seed: u64, images: u64) -> CrashPlan {
        CrashPlan {
            seed,
            images,
            limits: Limits::STANDARD,
            nest_every: 40,
            exercise_every: 16,
            only: None,
        }
    }
}

/// Names an image: events before the cut and number of the image there; then the same for the second cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageId {
    /// Events of the run before the cut, and the image's number.
    pub first: (usize, usize),
    /// Events of the recovery before the second cut, and the image's number.
    pub second: Option<(usize, usize)>,
}

impl fmt::Display for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.first.0, self.first.1)?;
        self.second.map_or(Ok(()), |(cut, image)| write!(f, "/{cut}.{image}"))
    }
}

impl std::str::FromStr for ImageId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pair = |text: &str| {
            let (cut, image) = text.split_once('.')?;
            Some((cut.parse().ok()?, image.parse().ok()?))
        };
        let parsed = match text.split_once('/') {
            None => pair(text).map(|first| ImageId { first, second: None }),
            Some((first, second)) => pair(first).zip(pair(second)).map(|(first, second)| ImageId {
                first,
                second: Some(second),
            }),
        };
        parsed.ok_or_else(|| format!("'{text}' is no image: CUT.IMAGE or CUT.IMAGE/CUT.IMAGE"))
    }
}

/// What was looked at.
#[derive(Debug, Clone, Default)]
pub struct CrashReport {
    /// Requests of the run.
    pub requests: u64,
    /// Cuts of the run, its events and one more.
    pub cuts: u64,
    /// Images by kind.
    pub images: BTreeMap<ImageKind, u64>,
    /// Images of a crash during recovery.
    pub nested: u64,
    /// Images written to after recovery.
    pub exercised: u64,
    /// What the engine did between the cuts.
    pub covered: Coverage,
}

impl CrashReport {
    /// The counts by name.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let all = [
            ("images", self.total()),
            ("images nested", self.nested),
            ("images exercised", self.exercised),
            ("cuts", self.cuts),
            ("requests", self.requests),
        ];
        let kinds = self
            .images
            .iter()
            .map(|(kind, count)| (format!("images {}", kind.name()), *count));
        let covered = self
            .covered
            .iter()
            .map(|(what, count)| (format!("covered {what}"), *count));
        all.map(|(name, count)| (name.to_string(), count))
            .into_iter()
            .chain(kinds)
            .chain(covered)
            .collect()
    }

    /// All images, nested ones included.
    pub fn total(&self) -> u64 {
        self.images.values().sum::<u64>() + self.nested
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &CrashReport) {
        self.requests += other.requests;
        self.cuts += other.cuts;
        self.nested += other.nested;
        self.exercised += other.exercised;
        for (kind, count) in &other.images {
            *self.images.entry(*kind).or_default() += count;
        }
        for (what, count) in &other.covered {
            *self.covered.entry(what).or_default() += count;
        }
    }
}

/// An image that did not recover as it must.
#[derive(Debug, Clone)]
pub struct ImageFailure {
    /// The image; `None` when the run itself went wrong.
    pub image: Option<ImageId>,
    /// How it was chosen.
    pub kind: Option<ImageKind>,
    /// What is wrong.
    pub what: String,
    /// The fate of the changes not synced at the (last) cut, one line each.
    pub fate: Vec<String>,
}

/// Runs the subject's workload and looks at the images of its crashes.
pub fn explore(subject: &dyn Subject, plan: CrashPlan) -> (CrashReport, Option<ImageFailure>) {
    let mut report = CrashReport::default();
    let failure = record(subject).and_then(|recording| {
        exercise_the_end(subject, &recording)?;
        report.requests = recording.history.len() as u64;
        report.covered = coverage::of_run(&recording.trace, &recording.history);
        CrashExplorer {
            subject,
            plan,
            recording: &recording,
            report: &mut report,
        }
        .walk()
    });
    (report, failure.err())
}

/// A run and what it promised.
struct Recording {
    trace: Trace,
    history: History,
}

fn record(subject: &dyn Subject) -> Result<Recording, ImageFailure> {
    let disk = disk_of(subject);
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        run.map_err(|stop| stop.words())
    });
    match ran {
        Ok(()) => Ok(Recording {
            trace: disk.trace(),
            history,
        }),
        Err(what) => Err(ImageFailure {
            image: None,
            kind: None,
            what,
            fate: Vec::new(),
        }),
    }
}

/// What the run left, nothing of it lost, is of use as well.
fn exercise_the_end(subject: &dyn Subject, recording: &Recording) -> Result<(), ImageFailure> {
    let point = recording.trace.crash_after(recording.trace.events().len());
    let disk = Arc::new(MemoryDisk::from(point.image(|_, _| Survival::Whole)));
    guarded(|| subject.exercise(disk)).map_err(|what| format!("what the run left was opened, but then: {what}").into())
}

/// Behind a store, of which each change makes some, one cut in so many is looked at of those that would be elsewhere.
const SELDOM: usize = 8;

struct CrashExplorer<'a> {
    subject: &'a dyn Subject,
    plan: CrashPlan,
    recording: &'a Recording,
    report: &'a mut CrashReport,
}

impl CrashExplorer<'_> {
    fn walk(&mut self) -> Result<(), ImageFailure> {
        let mut point = self.recording.trace.crash_point();
        let stride = self.stride();
        let (mut repeated, mut stored) = (false, false);
        loop {
            let cut = point.position();
            self.report.cuts += 1;
            let stride = if stored { stride * SELDOM } else { stride };
            let looked_at = self.random(0, cut).below(stride) == 0;
            if looked_at && self.plan.only.is_none_or(|only| only.first.0 == cut) {
                self.cut(&point, repeated)?;
            }
            match point.advance() {
                None => return Ok(()),
                // After a promise the images without the newest change mean more than they did one event ago.
                Some(event) => {
                    let promised = self.recording.history.promised_at(point.position());
                    stored = matches!(event, Event::Store { .. });
                    // A store may have had another one written back.
                    repeated = looked_at && event.is_change() && !promised && !stored;
                }
            }
        }
    }

    /// One cut in so many is looked at.
    fn stride(&self) -> usize {
        const IMAGES_PER_CUT: usize = 24;
        let events = self.recording.trace.events();
        let stores = events
            .iter()
            .filter(|event| matches!(event, Event::Store { .. }))
            .count();
        let cuts = events.len() - stores + stores / SELDOM;
        let all = cuts.saturating_mul(IMAGES_PER_CUT) as u64;
        all.div_ceil(self.plan.images.max(1)).max(1) as usize
    }

    fn cut(&mut self, point: &CrashPoint<'_>, repeated: bool) -> Result<(), ImageFailure> {
        let cut = point.position();
        let choices = fates(point, self.plan.limits, repeated, &mut self.random(1, cut));
        for (number, fate) in choices.iter().enumerate() {
            let id = ImageId {
                first: (cut, number),
                second: None,
            };
            if self.plan.only.is_some_and(|only| only.first != id.first) {
                continue;
            }
            if self.report.total() >= self.plan.images {
                return Ok(());
            }
            *self.report.images.entry(fate.kind).or_default() += 1;
            self.image(id, &point.image(|index, _| fate.survivals[index]))
                .map_err(|failure| failure.at(id, fate, point).after(&self.recording.trace, cut))?;
        }
        Ok(())
    }

    fn image(&mut self, id: ImageId, image: &Image) -> Result<(), ImageFailure> {
        if self.due(self.plan.nest_every, id) || self.plan.only.is_some_and(|only| only.second.is_some()) {
            self.nest(id, image)?;
        } else {
            self.judge(id.first.0, self.recover(image))?;
        }
        if self.due(self.plan.exercise_every, id) && !self.recording.history.may_be_missing(id.first.0) {
            self.report.exercised += 1;
            let disk = Arc::new(MemoryDisk::from(image.clone()));
            guarded(|| self.subject.exercise(disk)).map_err(|what| format!("recovered, but then: {what}"))?;
        }
        Ok(())
    }

    fn recover(&self, image: &Image) -> Result<Recovered, String> {
        guarded(|| self.subject.recover(Arc::new(MemoryDisk::from(image.clone()))))
    }

    fn judge(&self, cut: usize, recovered: Result<Recovered, String>) -> Result<(), String> {
        match recovered {
            Ok(recovered) => self.recording.history.check(cut, &recovered.digests),
            Err(words) if is_panic(&words) => Err(words),
            Err(_) if self.recording.history.may_be_missing(cut) => Ok(()),
            Err(words) => Err(words),
        }
    }

    /// Records the recovery of an image and cuts it at its events.
    fn nest(&mut self, id: ImageId, image: &Image) -> Result<(), ImageFailure> {
        let disk = SimDisk::from(image.clone());
        let first = guarded(|| self.subject.recover(Arc::new(disk.clone())));
        self.judge(id.first.0, first.clone())?;
        let trace = disk.trace();
        let mut point = trace.crash_point();
        loop {
            let cut = point.position();
            let mut random = self.random(2, id.first.0 << 20 | cut);
            for (number, fate) in fates(&point, Limits::NESTED, false, &mut random).iter().enumerate() {
                let id = ImageId {
                    second: Some((cut, number)),
                    ..id
                };
                if self.plan.only.is_some_and(|only| only.second != id.second) {
                    continue;
                }
                self.report.nested += 1;
                let again = self.recover(&point.image(|index, _| fate.survivals[index]));
                let answered = cut == trace.events().len() && first.is_ok();
                let judged = if answered && again.is_ok() && again != first {
                    Err("the contents were read, and after one more crash they are others".into())
                } else {
                    self.judge(id.first.0, again)
                };
                judged.map_err(|what| ImageFailure::from(what).at(id, fate, &point).after(&trace, cut))?;
            }
            if point.advance().is_none() {
                return Ok(());
            }
        }
    }

    /// Whether an image's turn has come, by its name alone.
    fn due(&self, every: u64, id: ImageId) -> bool {
        every > 0 && self.random(3 + every, id.first.0 << 20 | id.first.1).between(1, every) == 1
    }

    fn random(&self, purpose: u64, place: usize) -> Random {
        Random::new(self.plan.seed ^ purpose << 56 ^ (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
}

const PANICKED: &str = "panicked: ";

/// Whether an error in words is a panic.
pub(crate) fn is_panic(words: &str) -> bool {
    words.starts_with(PANICKED)
}

/// Runs the engine; a panic is an error in words, like others, but never excused.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(format!("{PANICKED}{}", words.as_deref().unwrap_or("without words")))
    })
}

impl From<String> for ImageFailure {
    fn from(what: String) -> Self {
        ImageFailure {
            image: None,
            kind: None,
            what,
            fate: Vec::new(),
        }
    }
}

impl ImageFailure {
    /// Tells what happened last before a cut.
    fn after(mut self, trace: &Trace, cut: usize) -> ImageFailure {
        self.fate.push(format!("before cut {cut}:"));
        self.fate.extend(last_events(trace, cut));
        self
    }

    /// Names the image, unless an image of a second crash has its name already.
    fn at(self, id: ImageId, fate: &Fate, point: &CrashPoint<'_>) -> ImageFailure {
        match self.image {
            Some(_) => self,
            None => ImageFailure {
                image: Some(id),
                kind: Some(fate.kind),
                fate: describe(fate, point),
                ..self
            },
        }
    }
}

/// What became of each change that was not synced, in words.
fn describe(fate: &Fate, point: &CrashPoint<'_>) -> Vec<String> {
    let survival = |survival: &Survival| match survival {
        Survival::Lost => "lost: ".to_string(),
        Survival::Whole => "kept: ".to_string(),
        Survival::First(sectors) => format!("kept the first {sectors} sectors: "),
        Survival::Sectors(mask) => format!("kept sectors by mask {mask:X}: "),
    };
    fate.survivals
        .iter()
        .zip(point.pending())
        .map(|(fate, event)| survival(fate) + &change(event))
        .collect()
}

/// Events before a cut that a failure tells.
const TOLD: usize = 24;

/// What happened last before the cut.
fn last_events(trace: &Trace, cut: usize) -> Vec<String> {
    let first = cut.saturating_sub(TOLD);
    let described = |(at, event): (usize, &Event)| format!("event {}: {}", first + at + 1, change(event));
    trace.events()[first..cut].iter().enumerate().map(described).collect()
}

fn change(event: &Event) -> String {
    match event {
        Event::Write { file, at, bytes } => format!("{} bytes at {at} of {file:?}", bytes.len()),
        Event::Store { file, at, bytes } => format!("{} bytes stored at {at} of {file:?}", bytes.len()),
        Event::Resize { file, len } => format!("length {len} of {file:?}"),
        Event::Create { file, path, .. } => format!("new name {} for {file:?}", path.display()),
        Event::Rename { from, to, .. } => format!("{} renamed to {}", from.display(), to.display()),
        Event::Remove { path } => format!("{} removed", path.display()),
        Event::Sync { file } => format!("sync of {file:?}"),
        Event::SyncDirectory { path } => format!("sync of {}", path.display()),
        Event::Forget { file } => format!("failed sync of {file:?}"),
    }
}

impl fmt::Display for ImageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.image {
            None => write!(f, "the run itself: {}", self.what)?,
            Some(id) => write!(
                f,
                "image {id} ({}): {}",
                self.kind.map_or("", ImageKind::name),
                self.what
            )?,
        }
        self.fate.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}
