//! The fault explorer: every call to the disk fails once, or from then on, in each of the ways a call can.
//!
//! Allowed is the right result, or an error after which the data set opens again with everything that was
//! acknowledged as durable: in the state a new process sees, and in what a power cut at that moment leaves. A run may
//! not acknowledge anything as durable that is not, whatever failed before.
//!
//! A device may also lie: lose a write it acknowledged, put it elsewhere, turn a bit. Then a refusal to open is
//! allowed as well, and the contents of an earlier moment where the newest root is what was lost; a reply or contents
//! that never were are not.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use cica_disk::sim::{Call, Dropped, Errno, Faults};
use cica_disk::{Image, MemoryDisk, SimDisk};

use crate::crash::guarded;
use crate::fate::{fates, Limits};
use crate::random::Random;
use crate::subject::{History, Stop, Subject};

/// A way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// EIO, once.
    Io,
    /// EIO from then on.
    IoForEver,
    /// ENOSPC, once.
    NoSpace,
    /// ENOSPC from then on.
    NoSpaceForEver,
    /// A write does part of its work.
    ShortWrite,
    /// A sync loses what it covered, at once.
    SyncLoses,
    /// A sync loses what it covered, but reads go on showing it.
    SyncLosesLater,
    /// A write is acknowledged and never arrives.
    LostWrite,
    /// A write lands elsewhere in its file.
    MisdirectedWrite,
    /// A write arrives with a bit turned.
    FlippedWrite,
    /// A read brings what lies elsewhere in the file.
    MisdirectedRead,
    /// A read brings a bit turned.
    FlippedRead,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 12] = [
        Kind::Io,
        Kind::IoForEver,
        Kind::NoSpace,
        Kind::NoSpaceForEver,
        Kind::ShortWrite,
        Kind::SyncLoses,
        Kind::SyncLosesLater,
        Kind::LostWrite,
        Kind::MisdirectedWrite,
        Kind::FlippedWrite,
        Kind::MisdirectedRead,
        Kind::FlippedRead,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Io => "eio",
            Kind::IoForEver => "eio-for-ever",
            Kind::NoSpace => "enospc",
            Kind::NoSpaceForEver => "enospc-for-ever",
            Kind::ShortWrite => "short-write",
            Kind::SyncLoses => "sync-loses",
            Kind::SyncLosesLater => "sync-loses-later",
            Kind::LostWrite => "lost-write",
            Kind::MisdirectedWrite => "misdirected-write",
            Kind::FlippedWrite => "flipped-write",
            Kind::MisdirectedRead => "misdirected-read",
            Kind::FlippedRead => "flipped-read",
        }
    }

    /// The calls it is about.
    fn call(self) -> Call {
        match self {
            Kind::Io | Kind::IoForEver | Kind::NoSpace | Kind::NoSpaceForEver => Call::Any,
            Kind::ShortWrite | Kind::LostWrite | Kind::MisdirectedWrite | Kind::FlippedWrite => Call::Write,
            Kind::MisdirectedRead | Kind::FlippedRead => Call::Read,
            Kind::SyncLoses | Kind::SyncLosesLater => Call::Sync,
        }
    }

    /// Whether the device's own contents are wrong afterwards, though it said that all was well.
    fn damages(self) -> bool {
        matches!(self, Kind::LostWrite | Kind::MisdirectedWrite | Kind::FlippedWrite)
    }

    /// Whether a call said that all was well when it was not.
    fn lies(self) -> bool {
        self.damages() || matches!(self, Kind::MisdirectedRead | Kind::FlippedRead)
    }

    fn faults(self, nth: u64, random: &mut Random) -> Faults {
        let none = Faults::none();
        match self {
            Kind::Io => none.fail(Call::Any, nth, Errno::Io),
            Kind::IoForEver => none.fail_from(Call::Any, nth, Errno::Io),
            Kind::NoSpace => none.fail(Call::Any, nth, Errno::NoSpace),
            Kind::NoSpaceForEver => none.fail_from(Call::Any, nth, Errno::NoSpace),
            Kind::ShortWrite => none.short_write(nth, random.between(1, 5000) as usize, Errno::Io),
            Kind::SyncLoses => none.forgetful_sync(nth, Dropped::Gone, Errno::Io),
            Kind::SyncLosesLater => none.forgetful_sync(nth, Dropped::StillRead, Errno::Io),
            Kind::LostWrite => none.lose_write(nth),
            Kind::MisdirectedWrite => none.misdirect_write(nth, random.between(0, 800) * 512),
            Kind::FlippedWrite => none.flip_write(nth, random.bits()),
            Kind::MisdirectedRead => none.misdirect_read(nth, random.between(0, 800) * 512),
            Kind::FlippedRead => none.flip_read(nth, random.bits()),
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            format!("'{text}' is none of {}", names.join(", "))
        })
    }
}

/// Which faults to inject.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Decides every choice.
    pub seed: u64,
    /// Most faults of each kind; when a run makes more calls, so many of them, spread evenly.
    pub each: u64,
    /// Inject faults of this kind alone, or this one alone, at the call of that number.
    pub only: Option<(Kind, Option<u64>)>,
}

/// What was injected.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Faults by kind.
    pub faults: BTreeMap<Kind, u64>,
    /// Runs that the fault did not disturb.
    pub undisturbed: u64,
    /// Runs that ended in an error.
    pub refused: u64,
    /// States opened again.
    pub reopened: u64,
}

impl Report {
    /// All faults.
    pub fn total(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &Report) {
        self.undisturbed += other.undisturbed;
        self.refused += other.refused;
        self.reopened += other.reopened;
        for (kind, count) in &other.faults {
            *self.faults.entry(*kind).or_default() += count;
        }
    }
}

/// A fault that was not answered as it must be.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The kind of fault and the number of the call; `None` when the run without faults went wrong.
    pub fault: Option<(Kind, u64)>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            None => write!(f, "without any fault: {}", self.what),
            Some((kind, call)) => write!(f, "{} at call {call}: {}", kind.name(), self.what),
        }
    }
}

/// Runs the subject's workload once for each fault.
pub fn inject(subject: &dyn Subject, plan: Plan) -> (Report, Option<Failure>) {
    let mut report = Report::default();
    let failure = good_run(subject).and_then(|disk| {
        for kind in Kind::ALL {
            for call in calls(plan, kind, disk.calls().of(kind.call())) {
                *report.faults.entry(kind).or_default() += 1;
                let mut random = Random::new(plan.seed ^ call << 8 ^ kind as u64);
                strike(subject, kind, call, &mut random, &mut report).map_err(|what| Failure {
                    fault: Some((kind, call)),
                    what,
                })?;
            }
        }
        Ok(())
    });
    (report, failure.err())
}

fn good_run(subject: &dyn Subject) -> Result<SimDisk, Failure> {
    let disk = SimDisk::from(subject.start());
    let ran = guarded(|| {
        subject
            .run(Arc::new(disk.clone()), &mut |_| ())
            .map_err(|stop| stop.words().to_string())
    });
    ran.map_err(|what| Failure { fault: None, what })?;
    Ok(disk)
}

/// The numbers of the calls to fail, the first being 1.
fn calls(plan: Plan, kind: Kind, count: u64) -> Vec<u64> {
    match plan.only {
        Some((only, _)) if only != kind => Vec::new(),
        Some((_, Some(call))) => vec![call],
        _ if count <= plan.each => (1..=count).collect(),
        _ => {
            let offset = Random::new(plan.seed ^ kind as u64).below((count / plan.each) as usize) as u64;
            (0..plan.each)
                .map(|turn| 1 + turn * count / plan.each + offset)
                .filter(|call| *call <= count)
                .collect()
        }
    }
}

fn strike(
    subject: &dyn Subject,
    kind: Kind,
    call: u64,
    random: &mut Random,
    report: &mut Report,
) -> Result<(), String> {
    let disk = SimDisk::from(subject.start());
    disk.set_faults(kind.faults(call, random));
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        match run {
            Ok(()) => Ok(true),
            Err(Stop::Failed(_)) => Ok(false),
            Err(Stop::Damaged(_)) if kind.lies() => Ok(false),
            Err(Stop::Damaged(what) | Stop::Wrong(what)) => Err(what),
        }
    })?;
    if ran {
        report.undisturbed += 1;
    } else {
        report.refused += 1;
    }
    disk.set_faults(Faults::none());
    disk.kill();
    let mut judge = |name: &str, image: Image| {
        report.reopened += 1;
        judge(subject, &history, kind, image).map_err(|what| format!("{name}: {what}"))
    };
    judge("the next process", disk.image())?;
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
            end.image(|index, _| fate.survivals[index]),
        )?;
    }
    Ok(())
}

/// Opens what is left. The request that failed may have been done: it is the history's last step then.
fn judge(subject: &dyn Subject, history: &History, kind: Kind, image: Image) -> Result<(), String> {
    match guarded(|| subject.recover(Arc::new(MemoryDisk::from(image)))) {
        Ok(recovered) if kind.damages() => history.check_any(recovered.digest),
        Ok(recovered) => history.check(usize::MAX, recovered.digest),
        Err(words) if crate::crash::is_panic(&words) => Err(words),
        Err(_) if history.is_empty() || kind.damages() => Ok(()),
        Err(words) => Err(words),
    }
}
