//! The fault explorer: every call to the disk fails once, or from then on, in each of the ways a call can.
//!
//! Allowed is the right result, or an error after which the data set opens again with everything that was
//! acknowledged as durable: in the state a new process sees, and in what a power cut at that moment leaves. A run may
//! not acknowledge anything as durable that is not, whatever failed before.
//!
//! The same is done to recoveries: of what a process death leaves at some moments of the run.
//!
//! A device may also lie: lose a write or a sync it acknowledged, put a write elsewhere, bring an old sector, turn a
//! bit. Then a refusal to open is allowed as well, and the contents of an earlier moment where the newest root is what
//! was lost; a reply or contents that never were are not.

mod kind;

pub use kind::FaultKind;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use cica_disk::sim::{Faults, Survival};
use cica_disk::{Image, MemoryDisk, SimDisk};

use crate::crash::{guarded, is_panic};
use crate::fate::{fates, Limits};
use crate::random::Random;
use crate::subject::{disk_of, History, Recovered, Stop, Subject};

/// Which faults to inject.
#[derive(Debug, Clone, Copy)]
pub struct FaultPlan {
    /// Decides every choice.
    pub seed: u64,
    /// Most faults of each kind; when a run makes more calls, so many of them, spread evenly.
    pub each: u64,
    /// Inject faults of this kind alone, or this one alone, at the call of that number.
    pub only: Option<(FaultKind, Option<u64>)>,
}

/// What was injected.
#[derive(Debug, Clone, Default)]
pub struct FaultReport {
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Runs that the fault did not disturb.
    pub undisturbed: u64,
    /// Runs that ended in an error.
    pub refused: u64,
    /// Faults that struck a recovery.
    pub in_recovery: u64,
    /// States opened again.
    pub reopened: u64,
}

impl FaultReport {
    /// The counts by name.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let all = [
            ("faults", self.total()),
            ("runs undisturbed", self.undisturbed),
            ("runs refused", self.refused),
            ("faults in recovery", self.in_recovery),
            ("reopened", self.reopened),
        ];
        let kinds = self
            .faults
            .iter()
            .map(|(kind, count)| (format!("faults {}", kind.name()), *count));
        all.map(|(name, count)| (name.to_string(), count))
            .into_iter()
            .chain(kinds)
            .collect()
    }

    /// All faults.
    pub fn total(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &FaultReport) {
        self.undisturbed += other.undisturbed;
        self.refused += other.refused;
        self.in_recovery += other.in_recovery;
        self.reopened += other.reopened;
        for (kind, count) in &other.faults {
            *self.faults.entry(*kind).or_default() += count;
        }
    }
}

/// A fault that was not answered as it must be.
#[derive(Debug, Clone)]
pub struct FaultFailure {
    /// The kind of fault and the number of the call; `None` when the run without faults went wrong.
    pub fault: Option<(FaultKind, u64)>,
    /// Events of the run after which its process died, when it is the recovery's call that failed.
    pub died: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for FaultFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((kind, call)) = self.fault else {
            return write!(f, "without any fault: {}", self.what);
        };
        match self.died {
            None => write!(f, "{} at call {call}: {}", kind.name(), self.what),
            Some(events) => {
                write!(
                    f,
                    "{} at call {call} of the recovery after event {events}: {}",
                    kind.name(),
                    self.what
                )
            }
        }
    }
}

/// Moments of a run after which the recovery is failed as well.
const DEATHS: usize = 6;

/// Runs the subject's workload once for each fault, then recoveries of it.
pub fn inject(subject: &dyn Subject, plan: FaultPlan) -> (FaultReport, Option<FaultFailure>) {
    let mut report = FaultReport::default();
    let failure = inject_all(subject, plan, &mut report).err();
    (report, failure)
}

fn inject_all(subject: &dyn Subject, plan: FaultPlan, report: &mut FaultReport) -> Result<(), FaultFailure> {
    let (good, history) = good_run(subject)?;
    let kinds = || {
        FaultKind::ALL
            .into_iter()
            .filter(|kind| subject.is_of_one_root() || !kind.damages())
    };
    for kind in kinds() {
        for call in calls(plan, kind, good.calls().of(kind.call()), plan.each) {
            *report.faults.entry(kind).or_default() += 1;
            let mut random = Random::new(plan.seed ^ call << 8 ^ kind as u64);
            let failed = |what| FaultFailure {
                fault: Some((kind, call)),
                died: None,
                what,
            };
            strike(subject, kind, call, &mut random, report).map_err(failed)?;
        }
    }
    let trace = good.trace();
    for death in 0..DEATHS {
        let mut random = Random::new(plan.seed ^ (death as u64) << 48);
        let died = random.below(trace.events().len() + 1);
        let image = trace.crash_after(died).image(|_, _| Survival::Whole);
        if history.may_be_missing(died) {
            continue;
        }
        let disk = SimDisk::from(image.clone());
        let failed = |fault, what| FaultFailure {
            fault,
            died: Some(died),
            what,
        };
        guarded(|| subject.recover(Arc::new(disk.clone()))).map_err(|what| failed(None, what))?;
        for kind in kinds() {
            for call in calls(plan, kind, disk.calls().of(kind.call()), plan.each / DEATHS as u64 + 1) {
                *report.faults.entry(kind).or_default() += 1;
                report.in_recovery += 1;
                let recovery = Recovery {
                    subject,
                    history: &history,
                    died,
                    image: &image,
                };
                let mut random = Random::new(plan.seed ^ (death as u64) << 48 ^ call << 8 ^ kind as u64);
                recovery
                    .strike(kind, call, &mut random)
                    .map_err(|what| failed(Some((kind, call)), what))?;
            }
        }
    }
    Ok(())
}

fn good_run(subject: &dyn Subject) -> Result<(SimDisk, History), FaultFailure> {
    let disk = disk_of(subject);
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        run.map_err(|stop| stop.words())
    });
    match ran {
        Ok(()) => Ok((disk, history)),
        Err(what) => Err(FaultFailure {
            fault: None,
            died: None,
            what,
        }),
    }
}

/// What a process left that died in the middle of a run.
struct Recovery<'a> {
    subject: &'a dyn Subject,
    history: &'a History,
    died: usize,
    image: &'a Image,
}

impl Recovery<'_> {
    /// Fails one call of the recovery; then the disk is well again, and the next process recovers.
    fn strike(&self, kind: FaultKind, call: u64, random: &mut Random) -> Result<(), String> {
        let disk = SimDisk::from(self.image.clone());
        disk.set_faults(kind.faults(call, random));
        self.judge(kind, guarded(|| self.subject.recover(Arc::new(disk.clone()))), true)?;
        disk.set_faults(Faults::none());
        disk.kill();
        let next = guarded(|| self.subject.recover(Arc::new(MemoryDisk::from(disk.image()))));
        self.judge(kind, next, false)
            .map_err(|what| format!("the next process: {what}"))
    }

    fn judge(&self, kind: FaultKind, recovered: Result<Recovered, String>, failing: bool) -> Result<(), String> {
        match recovered {
            // A misread end of the log cannot be told from its end.
            Ok(recovered) if kind.lies() => self.history.check_any(&recovered.digests),
            Ok(recovered) => self.history.check(self.died, &recovered.digests),
            Err(words) if is_panic(&words) => Err(words),
            Err(_) if failing || kind.damages() => Ok(()),
            Err(words) => Err(words),
        }
    }
}

/// The numbers of the calls to fail, the first being 1.
fn calls(plan: FaultPlan, kind: FaultKind, count: u64, most: u64) -> Vec<u64> {
    match plan.only {
        Some((only, _)) if only != kind => Vec::new(),
        Some((_, Some(call))) => vec![call],
        _ if count <= most => (1..=count).collect(),
        _ => {
            let offset = Random::new(plan.seed ^ kind as u64).below((count / most) as usize) as u64;
            (0..most)
                .map(|turn| 1 + turn * count / most + offset)
                .filter(|call| *call <= count)
                .collect()
        }
    }
}

fn strike(
    subject: &dyn Subject,
    kind: FaultKind,
    call: u64,
    random: &mut Random,
    report: &mut FaultReport,
) -> Result<(), String> {
    let disk = disk_of(subject);
    disk.set_faults(kind.faults(call, random));
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        match run {
            Ok(()) => Ok(true),
            Err(Stop::Failed(_)) => Ok(false),
            Err(Stop::Damaged(_)) if kind.lies() => Ok(false),
            Err(Stop::Other(digest)) if kind.damages() && !kind.forgets() => {
                history.check_any(&[digest]).map(|()| false)
            }
            Err(stop) => Err(stop.words()),
        }
    })?;
    if ran {
        report.undisturbed += 1;
    } else {
        report.refused += 1;
    }
    disk.set_faults(Faults::none());
    disk.kill();
    let mut judge = |name: &str, damaged: bool, image: Image| {
        report.reopened += 1;
        judge(subject, &history, damaged, image).map_err(|what| format!("{name}: {what}"))
    };
    judge("the next process", kind.damages() && !kind.forgets(), disk.image())?;
    let trace = disk.trace();
    let end = trace.crash_after(trace.events().len());
    for fate in fates(
        &end,
        Limits {
            exhaustive: 1,
            each: 1,
            torn: 1,
        },
        false,
        random,
    ) {
        judge(
            &format!("after a power cut ({})", fate.kind.name()),
            kind.damages(),
            end.image(|index, _| fate.survivals[index]),
        )?;
    }
    Ok(())
}

/// Opens what is left. The request that failed may have been done: it is the history's last step then.
fn judge(subject: &dyn Subject, history: &History, damaged: bool, image: Image) -> Result<(), String> {
    match guarded(|| subject.recover(Arc::new(MemoryDisk::from(image)))) {
        Ok(recovered) if damaged => history.check_any(&recovered.digests),
        Ok(recovered) => history.check(usize::MAX, &recovered.digests),
        Err(words) if is_panic(&words) => Err(words),
        Err(_) if history.is_empty() || damaged => Ok(()),
        Err(words) => Err(words),
    }
}
