//! Jobs that carry a data set to a file outside the volume and back: EXPORT and IMPORT, BACKUP and RESTORE, REPRO to
//! and from the file of a DD, and the lists that DCOLLECT and LISTCAT write. The power is cut behind each of their
//! calls to the disk, each call fails, and their process is killed in each.
//!
//! ```text
//! job    what a seed draws: the data set, the file, the control card
//! world  the engine side: a process that runs control cards, and what it finds
//! start  the disk before the job
//! judge  what a disk may hold, while the job runs and after it
//! ```
//! F1. The records are in the data set, or in a whole copy that IMPORT takes; after a job that deletes the data set
//!     they are in the copy.
//! F2. The file has its name when it is whole: it is not there, or has what it had, or has all of what the job makes.
//!     What REPRO had copied when it failed, and said so, are whole records as well.
//! F3. What ended with condition code 0 is durable: the file and what became of the data set.
//! F4. Beside the file there is nothing, but what a process was about to name when it was killed; its name says so,
//!     and it is the user's to remove. A job that fails and lives takes it away.
//! F5. The same job does its work when it is run again.

mod job;
mod judge;
mod start;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::sim::{CrashPoint, Faults};
use cica_disk::{Disk, Image, SimDisk};

use crate::campaign::Outcome;
use crate::crash::guarded;
use crate::fate::{fates, Limits};
use crate::fault::FaultKind;
use crate::mortal::{Kill, Mortal};
use crate::random::Random;
use job::{Job, JobPlan};
use judge::{FileJudge, Moment};
use world::FileProcess;

/// How calls fail here: what a full or failing device says, and a sync that loses what it covered.
const KINDS: [FaultKind; 7] = [
    FaultKind::Io,
    FaultKind::IoForEver,
    FaultKind::NoSpace,
    FaultKind::NoSpaceForEver,
    FaultKind::ShortWrite,
    FaultKind::SyncLoses,
    FaultKind::NoFiles,
];

/// When the job is run, and when the next one.
const JOB: u64 = 1_000;
const NEXT: u64 = 2_000;

/// Images of a power cut after a fault or a kill: what was written and nothing of it are among them.
const FEW: Limits = Limits {
    exhaustive: 1,
    each: 1,
    torn: 1,
};

/// Does the run of a seed, with at most so many power cuts, failing calls of each kind, and kills.
pub fn run(seed: u64, each: u64) -> Option<Outcome> {
    let plan = JobPlan::draw(seed);
    let mut counts = BTreeMap::new();
    let done = guarded(|| FileRun::new(&plan, seed, each, &mut counts)?.all());
    let failure = done
        .err()
        .map(|what| format!("{what}\nof {plan:?}\nreplay: cica-sim files --seed {seed} --runs 1 --each {each}"));
    Some(Outcome { counts, failure })
}

struct FileRun<'a> {
    plan: &'a JobPlan,
    random: Random,
    each: u64,
    counts: &'a mut BTreeMap<String, u64>,
    start: Image,
    judge: FileJudge<'a>,
    /// The job done on a disk where all goes well.
    good: SimDisk,
}

impl<'a> FileRun<'a> {
    fn new(plan: &'a JobPlan, seed: u64, each: u64, counts: &'a mut BTreeMap<String, u64>) -> Result<Self, String> {
        let start = start::start(plan)?;
        let good = SimDisk::from(start.clone());
        let (cc, listing) = FileProcess::new(Arc::new(good.clone()), plan, JOB).card(&plan.card())?;
        if cc > 0 {
            return Err(format!("on a good disk: {listing}"));
        }
        Ok(FileRun {
            judge: FileJudge::new(plan, &start, &good.image())?,
            random: Random::new(seed ^ 0x6669_6C65),
            plan,
            each,
            counts,
            start,
            good,
        })
    }

    fn all(mut self) -> Result<(), String> {
        self.count("runs done", 1);
        self.cuts()?;
        self.kills()?;
        KINDS.into_iter().try_for_each(|kind| self.faults(kind))
    }

    /// The power is cut behind each call that changes or promises something.
    fn cuts(&mut self) -> Result<(), String> {
        let trace = self.good.trace();
        let end = trace.events().len();
        let looked_at = self.numbers(end as u64 + 1);
        let mut point = trace.crash_point();
        loop {
            let cut = point.position();
            if looked_at.contains(&(cut as u64 + 1)) {
                let moment = if cut == end { Moment::Done } else { Moment::Cut };
                self.images(&point, Limits::NESTED, moment)
                    .map_err(|what| format!("the power cut after {cut} of {end} events: {what}"))?;
                self.count("power cuts", 1);
            }
            if point.advance().is_none() {
                return Ok(());
            }
        }
    }

    /// The process is killed in each of its calls.
    fn kills(&mut self) -> Result<(), String> {
        for at in self.numbers(self.calls(FaultKind::Io)) {
            let disk = SimDisk::from(self.start.clone());
            let process = Mortal::new(Arc::new(disk.clone()));
            process.kill(Kill {
                at: at as u32,
                next: None,
            });
            let ran = guarded(|| FileProcess::new(process.shared(), self.plan, JOB).card(&self.plan.card()));
            let moment = self.moment(ran, Moment::Killed)?;
            disk.kill();
            self.left(&disk, moment)
                .map_err(|what| format!("killed at call {at}: {what}"))?;
            self.count("kills", 1);
        }
        Ok(())
    }

    /// Each call fails.
    fn faults(&mut self, kind: FaultKind) -> Result<(), String> {
        for nth in self.numbers(self.calls(kind)) {
            let disk = SimDisk::from(self.start.clone());
            disk.set_faults(kind.faults(nth, &mut self.random));
            let ran = guarded(|| FileProcess::new(Arc::new(disk.clone()), self.plan, JOB).card(&self.plan.card()));
            // One call that fails leaves the others to tidy up.
            let alone = matches!(
                kind,
                FaultKind::Io | FaultKind::NoSpace | FaultKind::ShortWrite | FaultKind::SyncLoses
            );
            let moment = self.moment(ran, if alone { Moment::Failed } else { Moment::Failing })?;
            disk.set_faults(Faults::none());
            disk.kill();
            self.left(&disk, moment)
                .map_err(|what| format!("{} at call {nth}: {what}", kind.name()))?;
            self.count("failing calls", 1);
        }
        Ok(())
    }

    /// What is there after a run: done with condition code 0, or `else_`. A panic is no answer.
    fn moment(&mut self, ran: Result<(u8, String), String>, else_: Moment) -> Result<Moment, String> {
        match ran {
            Ok((0, _)) => Ok(Moment::Done),
            Err(words) if crate::crash::is_panic(&words) => Err(words),
            Ok(_) | Err(_) => {
                self.count("jobs that failed", 1);
                Ok(else_)
            }
        }
    }

    /// Judges what a process left, for the next one and after a power cut.
    fn left(&mut self, disk: &SimDisk, moment: Moment) -> Result<(), String> {
        let image = disk.image();
        let list = matches!(self.plan.job, Job::Dcollect | Job::Listcat);
        let usual = list
            .then(|| self.judge.of_list(&image))
            .map(|judge| std::mem::replace(&mut self.judge, judge));
        let judged = self.left_by(disk, &image, moment);
        if let Some(usual) = usual {
            self.judge = usual;
        }
        judged
    }

    fn left_by(&mut self, disk: &SimDisk, image: &Image, moment: Moment) -> Result<(), String> {
        self.image(image, moment)?;
        let trace = disk.trace();
        let end = trace.crash_after(trace.events().len());
        let moment = match moment {
            Moment::Done => Moment::Done,
            Moment::Failed | Moment::Failing => Moment::Failing,
            Moment::Cut | Moment::Killed => Moment::Cut,
        };
        self.images(&end, FEW, moment)
            .map_err(|what| format!("and the power cut then: {what}"))
    }

    fn images(&mut self, point: &CrashPoint<'_>, limits: Limits, moment: Moment) -> Result<(), String> {
        for fate in fates(point, limits, false, &mut self.random) {
            let image = point.image(|index, _| fate.survivals[index]);
            self.image(&image, moment)
                .map_err(|what| format!("{what} ({} of the unsynced changes)", fate.kind.name()))?;
        }
        Ok(())
    }

    fn image(&mut self, image: &Image, moment: Moment) -> Result<(), String> {
        self.count("images", 1);
        let again = self.random.chance(20);
        if again {
            self.count("jobs run again", 1);
        }
        guarded(|| self.judge.image(image, moment, again))
    }

    fn calls(&self, kind: FaultKind) -> u64 {
        self.good.calls().of(kind.call())
    }

    /// Which of so many are met, the first being 1.
    fn numbers(&mut self, count: u64) -> Vec<u64> {
        if count <= self.each {
            (1..=count).collect()
        } else {
            let mut numbers: Vec<u64> = (0..self.each).map(|_| self.random.between(1, count)).collect();
            // What ends the job is always among them.
            numbers.push(count);
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        }
    }

    fn count(&mut self, what: &str, by: u64) {
        *self.counts.entry(what.to_string()).or_default() += by;
    }
}

/// A disk of a process's own, with this on it.
fn disk_of(image: &Image) -> (cica_disk::MemoryDisk, Arc<dyn Disk>) {
    let memory = cica_disk::MemoryDisk::from(image.clone());
    (memory.clone(), Arc::new(memory))
}
