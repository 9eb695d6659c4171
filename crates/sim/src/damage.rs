//! The damage explorer: a closed data set on a device that rots. One bit, a sector of zeros or of X'FF's, a sector
//! as it was earlier; what is read then must be what was written, or the answer must be a refusal.
//!
//! A damaged place that nothing refers to is harmless; all others must be noticed. Only an earlier sector may bring an
//! earlier state back, and only as a whole.

pub mod every;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use cica_disk::sim::SECTOR;
use cica_disk::{Image, MemoryDisk, SimDisk};

use crate::crash::{guarded, is_panic};
use crate::random::Random;
use crate::subject::{disk_of, History, Subject};

/// What became of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DamageKind {
    /// One bit turned.
    Bit,
    /// A sector of zeros.
    Zeros,
    /// A sector of X'FF's.
    Ones,
    /// A sector as it was in the middle of the run.
    Stale,
}

impl DamageKind {
    /// All of them.
    pub const ALL: [DamageKind; 4] = [DamageKind::Bit, DamageKind::Zeros, DamageKind::Ones, DamageKind::Stale];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            DamageKind::Bit => "bit",
            DamageKind::Zeros => "zeros",
            DamageKind::Ones => "ones",
            DamageKind::Stale => "stale",
        }
    }
}

/// Counts by what was damaged and what was answered.
pub type DamageCounts = BTreeMap<String, u64>;

/// What was damaged and what was noticed.
#[derive(Debug, Clone, Default)]
pub struct DamageReport {
    /// Damaged places by kind.
    pub places: BTreeMap<DamageKind, u64>,
    /// Refused: the damage was noticed.
    pub noticed: u64,
    /// The contents were right: nothing refers to the place, or another copy stood in.
    pub harmless: u64,
}

impl DamageReport {
    /// The counts by name.
    pub fn counts(&self) -> DamageCounts {
        let all = [
            ("places", self.places.values().sum()),
            ("noticed", self.noticed),
            ("harmless", self.harmless),
        ];
        let kinds = self
            .places
            .iter()
            .map(|(kind, count)| (format!("places {}", kind.name()), *count));
        all.map(|(name, count)| (name.to_string(), count))
            .into_iter()
            .chain(kinds)
            .collect()
    }
}

/// Damage that was read as data.
#[derive(Debug, Clone)]
pub struct DamageFailure {
    /// The kind; `None` when the run itself went wrong.
    pub kind: Option<DamageKind>,
    /// File and byte.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for DamageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            None => write!(f, "the run itself: {}", self.what),
            Some(kind) => write!(f, "{} at {}: {}", kind.name(), self.place, self.what),
        }
    }
}

/// Runs the subject's workload, whose last request must make all durable, then damages `places` places one by one.
pub fn damage(subject: &dyn Subject, seed: u64, places: u64) -> (DamageReport, Option<DamageFailure>) {
    let mut report = DamageReport::default();
    let failure = run(subject, seed, places, &mut report).err();
    (report, failure)
}

fn run(subject: &dyn Subject, seed: u64, places: u64, report: &mut DamageReport) -> Result<(), DamageFailure> {
    let disk = disk_of(subject);
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        run.map_err(|stop| stop.words())
    });
    ran.map_err(|what| DamageFailure {
        kind: None,
        place: String::new(),
        what,
    })?;
    disk.kill();
    let trace = disk.trace();
    let end = disk.image();
    let earlier = trace
        .crash_after(trace.events().len() / 2)
        .image(|_, _| cica_disk::sim::Survival::Whole);
    let written = written(&end);
    let mut random = Random::new(seed);
    for _ in 0..places {
        let (path, sector) = &written[random.below(written.len())];
        let kind = random.pick(&[
            DamageKind::Bit,
            DamageKind::Bit,
            DamageKind::Bit,
            DamageKind::Zeros,
            DamageKind::Ones,
            DamageKind::Stale,
        ]);
        let at = sector * SECTOR;
        let mut bytes = read(&end, path, at);
        let bit = random.below(8 * bytes.len());
        match kind {
            DamageKind::Bit => bytes[bit / 8] ^= 1 << (bit % 8),
            DamageKind::Zeros => bytes.fill(0),
            DamageKind::Ones => bytes.fill(0xFF),
            DamageKind::Stale => bytes = read(&earlier, path, at),
        }
        *report.places.entry(kind).or_default() += 1;
        let fail = |what| DamageFailure {
            kind: Some(kind),
            place: format!("{} + {at} bit {bit}", path.display()),
            what,
        };
        let damaged = SimDisk::from(end.clone());
        damaged
            .overwrite(path, at, &bytes)
            .map_err(|error| fail(error.to_string()))?;
        match guarded(|| subject.recover(Arc::new(MemoryDisk::from(damaged.image())))) {
            Ok(recovered) if kind == DamageKind::Stale => history.check_any(&recovered.digests).map_err(fail)?,
            Ok(recovered) => history.check(usize::MAX, &recovered.digests).map_err(fail)?,
            Err(words) if is_panic(&words) => return Err(fail(words)),
            Err(_) => {
                report.noticed += 1;
                continue;
            }
        }
        report.harmless += 1;
    }
    Ok(())
}

/// The sectors that hold anything but zeros.
fn written(image: &Image) -> Vec<(PathBuf, u64)> {
    let sectors = image.files().flat_map(|path| {
        let offsets = image.used_sectors(path);
        offsets.map(move |at| (path.to_path_buf(), at / SECTOR))
    });
    sectors.collect()
}

/// A sector's bytes, fewer at the end of the file, none of a file that is not there.
fn read(image: &Image, path: &std::path::Path, at: u64) -> Vec<u8> {
    let mut bytes = vec![0; SECTOR as usize];
    let got = image.read(path, at, &mut bytes).unwrap_or(0);
    bytes.truncate(got);
    bytes
}
