//! The snapshot explorer: copies the store at any moment of a run and opens the copy below another directory of the
//! same disk, while the original is in use, was left, was recovered, or is gone.
//!
//! 1. A copy of one moment, live or of what a power cut leaves, opens to what was acknowledged as durable by then.
//! 2. A copy of which the files, or the parts of files, are of different moments has the contents of one moment between
//!    these, each part of the store by itself, or is refused.
//! 3. Nothing outside the copy is changed.

use std::path::{Path, PathBuf};

use cica_disk::sim::{CrashPoint, Survival};
use cica_disk::{Disk, File, Image, Lock, MemoryDisk, Open};

use super::{count, is_refusal, record, recover, CopyFailure, DamageCounts, Recorded};
use crate::crash::guarded;
use crate::place;
use crate::random::Random;
use crate::subject::Subject;

/// Where copies lie.
const BELOW: &str = "/elsewhere/copy";
/// A copy in pieces takes so many bytes at a time.
const PIECE: usize = 4096;
/// Events between the first and the last file of a copy that is not of one moment, at most.
const WINDOW: usize = 80;

/// What becomes of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Original {
    /// A process has it open.
    InUse,
    /// It went on, and its last process died.
    Left,
    /// It went on, and was recovered and closed.
    Recovered,
    /// It is not there any more.
    Gone,
}

const ORIGINALS: [Original; 4] = [Original::InUse, Original::Left, Original::Recovered, Original::Gone];

/// How a copy is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopyMethod {
    /// All at once, as a process sees the files.
    Live,
    /// All at once, of what a power cut leaves.
    Cut,
    /// Each file at a moment of its own.
    Files,
    /// Each file piece by piece, while the run goes on.
    Pieces,
}

impl CopyMethod {
    fn name(self) -> &'static str {
        match self {
            CopyMethod::Live => "live",
            CopyMethod::Cut => "power cut",
            CopyMethod::Files => "file by file",
            CopyMethod::Pieces => "piece by piece",
        }
    }
}

/// Makes so many copies of one moment and, if they are to be `mixed`, as many of several.
pub fn explore(subject: &dyn Subject, seed: u64, copies: u64, mixed: bool) -> (DamageCounts, Option<CopyFailure>) {
    let mut counts = DamageCounts::new();
    let mut random = Random::new(seed ^ 0x736E_6170);
    let mut done = copy_all(
        subject,
        &mut counts,
        copies,
        &[CopyMethod::Live, CopyMethod::Cut],
        &mut random,
    );
    if done.is_ok() && mixed {
        let mixed = || {
            copy_all(
                subject,
                &mut counts,
                copies,
                &[CopyMethod::Files, CopyMethod::Pieces],
                &mut random,
            )
        };
        done = place::by_records_alone(mixed);
    }
    (counts, done.err())
}

fn copy_all(
    subject: &dyn Subject,
    counts: &mut DamageCounts,
    copies: u64,
    ways: &[CopyMethod],
    random: &mut Random,
) -> Result<(), CopyFailure> {
    let recorded = record(subject)?;
    let mut explorer = SnapshotExplorer {
        subject,
        recorded: &recorded,
        moments: recorded.trace.live().collect(),
        recovered: recovered(subject, &recorded)?,
        counts,
    };
    (0..copies).try_for_each(|number| explorer.copy(random.pick(ways), number, random))
}

fn recovered(subject: &dyn Subject, recorded: &Recorded) -> Result<Image, CopyFailure> {
    let disk = MemoryDisk::from(recorded.end.clone());
    match recover(subject, &disk) {
        Ok(_) => Ok(disk.image()),
        Err(what) => Err(CopyFailure {
            copy: "the original".into(),
            what,
        }),
    }
}

struct SnapshotExplorer<'a> {
    subject: &'a dyn Subject,
    recorded: &'a Recorded,
    moments: Vec<Image>,
    /// The original, recovered at its end.
    recovered: Image,
    counts: &'a mut DamageCounts,
}

impl SnapshotExplorer<'_> {
    fn copy(&mut self, way: CopyMethod, number: u64, random: &mut Random) -> Result<(), CopyFailure> {
        let last = random.below(self.moments.len());
        let first = match way {
            CopyMethod::Live | CopyMethod::Cut => last,
            CopyMethod::Files | CopyMethod::Pieces => last.saturating_sub(random.below(WINDOW) + 1),
        };
        let original = random.pick(&ORIGINALS);
        let copy = match way {
            CopyMethod::Live => self.moments[last].clone(),
            CopyMethod::Cut => power_cut(&self.recorded.trace.crash_after(last), random),
            CopyMethod::Files => self.file_by_file(first, last, random),
            CopyMethod::Pieces => self.piece_by_piece(first, last, random),
        };
        let wrong = |what: String| CopyFailure {
            copy: format!(
                "copy {number}, {} after events {first} to {last}, the original {original:?}",
                way.name()
            ),
            what,
        };
        let found = self.open(&copy, original, last, random.chance(10)).map_err(wrong)?;
        let history = &self.recorded.history;
        let one_moment = matches!(way, CopyMethod::Live | CopyMethod::Cut);
        let came_of_it = match found {
            Err(words) if !is_refusal(&words) => return Err(wrong(words)),
            // Not even its making was acknowledged.
            Err(_) if history.may_be_missing(first) => "not made yet",
            Err(words) if one_moment => return Err(wrong(format!("refused: {words}"))),
            Err(_) => "refused",
            Ok(digests) => {
                if one_moment {
                    history.check(last, &digests).map_err(wrong)?
                } else {
                    history.check_between(first, last, &digests).map_err(wrong)?
                }
                "right"
            }
        };
        let kind = if one_moment { "snapshots" } else { "mixed" };
        count(self.counts, kind);
        count(self.counts, &format!("{kind} {}, {came_of_it}", way.name()));
        Ok(())
    }

    /// Opens the copy beside what became of the original; digests, or why it is refused.
    fn open(
        &self,
        copy: &Image,
        original: Original,
        last: usize,
        exercise: bool,
    ) -> Result<Result<Vec<u64>, String>, String> {
        let mut all = match original {
            Original::InUse => self.moments[last].clone(),
            Original::Left => self.recorded.end.clone(),
            Original::Recovered => self.recovered.clone(),
            Original::Gone => Image::default(),
        };
        let before = all.clone();
        let below = Path::new(BELOW);
        all.take_in(copy, below);
        let disk = MemoryDisk::from(all);
        let in_use = match original {
            Original::InUse => lock_all(&disk, &before),
            _ => Vec::new(),
        };
        let found = place::below(below, || recover(self.subject, &disk));
        let found = found.map(|recovered| recovered.digests);
        if exercise && found.is_ok() {
            let used = place::below(below, || {
                guarded(|| self.subject.exercise(std::sync::Arc::new(disk.clone())))
            });
            used.map_err(|what| format!("it opened, but then: {what}"))?;
        }
        drop(in_use);
        let after = disk.image();
        let changed = before.files().find(|path| before.bytes(path) != after.bytes(path));
        match changed.map(|path| path.display().to_string()) {
            Some(path) => Err(format!("{path} of the original was changed")),
            None => Ok(found),
        }
    }

    fn file_by_file(&self, first: usize, last: usize, random: &mut Random) -> Image {
        let mut copy = self.moments[first].clone();
        for path in self.names(first, last) {
            let moment = first + random.below(last - first + 1);
            copy.copy_file(&path, &self.moments[moment]);
        }
        copy
    }

    fn piece_by_piece(&self, first: usize, last: usize, random: &mut Random) -> Image {
        let mut copy = self.moments[first].clone();
        let mut moment = first;
        for path in self.names(first, last) {
            moment += random.below((last - moment) / 2 + 1);
            copy.copy_file(&path, &self.moments[moment]);
            let length = copy.len(&path).unwrap_or_default() as usize;
            let mut bytes = vec![0; length];
            for begin in (0..length).step_by(PIECE) {
                if random.chance(20) {
                    moment += random.below(last - moment + 1).min(3);
                }
                let end = length.min(begin + PIECE);
                self.moments[moment].read(&path, begin as u64, &mut bytes[begin..end]);
            }
            let disk = cica_disk::SimDisk::from(copy.clone());
            if copy.len(&path).is_some() && disk.overwrite(&path, 0, &bytes).is_ok() {
                copy = disk.image();
            }
        }
        copy
    }

    /// Files that were there at the beginning or the end, in any order.
    fn names(&self, first: usize, last: usize) -> Vec<PathBuf> {
        let both = [&self.moments[first], &self.moments[last]];
        let mut names: Vec<PathBuf> = both
            .iter()
            .flat_map(|image| image.files().map(Path::to_path_buf))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

fn power_cut(point: &CrashPoint<'_>, random: &mut Random) -> Image {
    let kept = random.pick(&[0, 30, 70, 95]);
    point.image(|_, event| match random.chance(kept) {
        true if event.sectors() > 1 && random.chance(30) => Survival::First(random.below(event.sectors())),
        true => Survival::Whole,
        false => Survival::Lost,
    })
}

/// The locks of a process that has everything open.
fn lock_all(disk: &MemoryDisk, image: &Image) -> Vec<Box<dyn File>> {
    let how = Open {
        write: true,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    image.files().filter_map(|path| disk.open(path, how).ok()).collect()
}
