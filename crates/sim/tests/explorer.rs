//! The explorer against a toy store: a correct one passes, and every planted mistake is found.
//!
//! The toy keeps 16 numbers in a snapshot file and changes in a log. A commit appends to the log and syncs it; a
//! checkpoint writes a new snapshot, syncs it, renames it over the old one, syncs the directory, and starts the log
//! again under the snapshot's number.
#![allow(clippy::unwrap_used)]

use std::io;
use std::path::Path;
use std::sync::Arc;

use cica_disk::{Create, Disk, File, Image, Open, ReadAt, WriteAt};
use cica_sim::crash::{explore, CrashPlan, ImageId};
use cica_sim::damage::{damage, DamageKind};
use cica_sim::fault::{inject, FaultKind, FaultPlan};
use cica_sim::random::{digest, Random};
use cica_sim::subject::{Recovered, Step, Stop, Subject};

/// What is wrong with a toy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    /// A commit does not sync the log.
    CommitWithoutSync,
    /// A checkpoint renames a snapshot that is not synced.
    RenameBeforeSync,
    /// A checkpoint does not sync the directory before it starts the log again.
    NoDirectorySync,
    /// Log entries carry no checksum.
    NoChecksum,
    /// Log entries do not tell which snapshot they follow.
    NoEpoch,
    /// A commit takes no notice of a sync that fails.
    IgnoresSyncError,
    /// Recovery leaves entries behind a lost one where they are.
    KeepsTail,
    /// Recovery throws away the log before the state it made of it is durable.
    RecoveryForgets,
    /// A log entry that is cut short makes recovery panic.
    Panics,
    /// Recovery gives up when the log ends in the middle of an entry.
    Refuses,
}

struct Toy(Mistake);

type Numbers = [u32; 16];
const ENTRY: usize = 600;

const SNAPSHOT: &str = "/toy/snapshot";
const LOG: &str = "/toy/log";

struct OpenToy<'a> {
    mistake: Mistake,
    disk: &'a dyn Disk,
    log: Box<dyn File>,
    end: u64,
    epoch: u32,
    numbers: Numbers,
}

fn open(disk: &dyn Disk, path: &str, create: Create) -> io::Result<Box<dyn File>> {
    disk.open(
        Path::new(path),
        Open {
            write: true,
            create,
            ..Open::default()
        },
    )
}

fn all(file: &dyn File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; file.size(None)? as usize];
    file.read(&mut [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }])?;
    Ok(bytes)
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

impl<'a> OpenToy<'a> {
    fn create(disk: &'a dyn Disk, mistake: Mistake) -> io::Result<Self> {
        let log = open(disk, LOG, Create::New)?;
        log.sync()?;
        let mut toy = OpenToy {
            mistake,
            disk,
            log,
            end: 0,
            epoch: 0,
            numbers: [0; 16],
        };
        toy.checkpoint()?;
        Ok(toy)
    }

    fn open(disk: &'a dyn Disk, mistake: Mistake) -> io::Result<Self> {
        let snapshot = all(&*open(disk, SNAPSHOT, Create::No)?)?;
        if snapshot.len() != 72 || word(&snapshot, 68) != digest(&snapshot[..68]) as u32 {
            return Err(io::Error::other("snapshot is damaged"));
        }
        let log = open(disk, LOG, Create::No)?;
        let numbers = std::array::from_fn(|i| word(&snapshot, 4 + 4 * i));
        let mut toy = OpenToy {
            mistake,
            disk,
            log,
            end: 0,
            epoch: word(&snapshot, 0),
            numbers,
        };
        toy.replay()?;
        Ok(toy)
    }

    fn replay(&mut self) -> io::Result<()> {
        let log = all(&*self.log)?;
        for entry in log.chunks(ENTRY) {
            if entry.len() < ENTRY {
                assert!(self.mistake != Mistake::Panics, "entry cut short");
                if self.mistake == Mistake::Refuses {
                    return Err(io::Error::other("the log ends in the middle of an entry"));
                }
                break;
            }
            let good = word(entry, ENTRY - 4) == digest(&entry[..ENTRY - 4]) as u32;
            let ours = word(entry, 0) == self.epoch;
            if !(good || self.mistake == Mistake::NoChecksum) || !(ours || self.mistake == Mistake::NoEpoch) {
                break;
            }
            self.numbers[word(entry, 4) as usize % 16] = word(entry, 300);
            self.end += ENTRY as u64;
        }
        if self.mistake != Mistake::KeepsTail && self.end < log.len() as u64 {
            // A whole entry may stand behind a lost one; it must not follow the next entry written.
            self.log.size(Some(self.end))?;
            self.log.sync()?;
        }
        if self.mistake == Mistake::RecoveryForgets && self.end > 0 {
            self.log.size(Some(0))?;
            self.log.sync()?;
            self.end = 0;
            self.checkpoint()?;
        }
        Ok(())
    }

    fn set(&mut self, at: usize, number: u32) -> io::Result<()> {
        self.numbers[at] = number;
        let mut entry = [0; ENTRY];
        entry[..8].copy_from_slice(&words(&[self.epoch, at as u32]));
        entry[300..304].copy_from_slice(&words(&[number]));
        let sum = digest(&entry[..ENTRY - 4]) as u32;
        entry[ENTRY - 4..].copy_from_slice(&sum.to_le_bytes());
        self.log.write(&[WriteAt {
            at: self.end,
            buf: &entry,
        }])?;
        self.end += ENTRY as u64;
        Ok(())
    }

    fn commit(&mut self) -> io::Result<()> {
        if self.mistake == Mistake::CommitWithoutSync {
            return Ok(());
        }
        match self.log.sync() {
            Err(_) if self.mistake == Mistake::IgnoresSyncError => Ok(()),
            synced => synced,
        }
    }

    fn checkpoint(&mut self) -> io::Result<()> {
        self.epoch += 1;
        let mut snapshot = words(&[self.epoch]);
        snapshot.extend(words(&self.numbers));
        let sum = digest(&snapshot) as u32;
        snapshot.extend(words(&[sum]));
        let new = open(self.disk, "/toy/new", Create::IfMissing)?;
        new.write(&[WriteAt { at: 0, buf: &snapshot }])?;
        if self.mistake != Mistake::RenameBeforeSync {
            new.sync()?;
        }
        self.disk.rename(Path::new("/toy/new"), Path::new(SNAPSHOT))?;
        if self.mistake != Mistake::NoDirectorySync {
            self.disk
                .open(
                    Path::new("/toy"),
                    Open {
                        directory: true,
                        ..Open::default()
                    },
                )?
                .sync()?;
        }
        self.end = 0;
        Ok(())
    }

    fn step(&self, durable: bool) -> Step {
        Step::new(digest(&words(&self.numbers)), durable)
    }
}

impl Toy {
    fn work(&self, disk: &dyn Disk, note: &mut dyn FnMut(Step)) -> io::Result<()> {
        let mut toy = OpenToy::create(disk, self.0)?;
        note(toy.step(true));
        let mut random = Random::new(5);
        for request in 1..120 {
            // After the last request nothing is left to the log, whose end cannot be told from damage.
            let last = request == 119;
            let done = match if last { 0 } else { random.below(14) } {
                0 => toy
                    .checkpoint()
                    .and_then(|()| OpenToy::open(disk, self.0))
                    .map(|again| {
                        toy = again;
                        true
                    }),
                1 | 2 => toy.commit().map(|()| true),
                _ => toy.set(random.below(16), request).map(|()| false),
            };
            note(toy.step(matches!(done, Ok(true))));
            done?;
        }
        Ok(())
    }
}

impl Subject for Toy {
    fn start(&self) -> Image {
        Image::with_directories(["/toy"])
    }

    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop> {
        self.work(&*disk, note).map_err(|error| Stop::Failed(error.to_string()))
    }

    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String> {
        let toy = OpenToy::open(&*disk, self.0).map_err(|error| error.to_string())?;
        // A reader may rely on what was read, so what was replayed must be durable before it is answered.
        toy.log.sync().map_err(|error| error.to_string())?;
        Ok(Recovered::new(toy.step(false).digest))
    }

    fn exercise(&self, disk: Arc<dyn Disk>) -> Result<(), String> {
        let mut toy = OpenToy::open(&*disk, self.0).map_err(|error| error.to_string())?;
        toy.set(3, 33)
            .and_then(|()| toy.commit())
            .map_err(|error| error.to_string())?;
        let again = OpenToy::open(&*disk, self.0).map_err(|error| error.to_string())?;
        (again.numbers == toy.numbers)
            .then_some(())
            .ok_or_else(|| "a change is gone".to_string())
    }
}

fn plan() -> CrashPlan {
    CrashPlan {
        nest_every: 5,
        ..CrashPlan::standard(1, 100_000)
    }
}

fn found(mistake: Mistake) -> cica_sim::crash::ImageFailure {
    let (report, failure) = explore(&Toy(mistake), plan());
    failure.unwrap_or_else(|| panic!("{mistake:?} not found in {} images", report.total()))
}

#[test]
fn a_correct_store_passes_every_image() {
    let (report, failure) = explore(&Toy(Mistake::None), plan());
    assert!(failure.is_none(), "{}", failure.expect("some"));
    assert!(report.total() > 500, "only {} images", report.total());
    assert!(report.nested > 50 && report.exercised > 10, "{report:?}");
    for kind in cica_sim::fate::ImageKind::ALL {
        assert!(report.images.contains_key(&kind), "no image of kind {}", kind.name());
    }
}

#[test]
fn a_missing_sync_is_found() {
    assert!(found(Mistake::CommitWithoutSync).what.contains("allowed are"));
    assert!(found(Mistake::RenameBeforeSync).what.contains("damaged"));
    found(Mistake::NoDirectorySync);
}

#[test]
fn torn_and_stale_log_entries_are_found() {
    assert!(found(Mistake::NoChecksum).what.contains("no moment"));
    assert!(found(Mistake::NoEpoch).what.contains("allowed are"));
}

#[test]
fn a_recovery_that_cannot_be_repeated_is_found() {
    let failure = found(Mistake::RecoveryForgets);
    assert!(failure.image.is_some_and(|id| id.second.is_some()), "{failure}");
}

#[test]
fn a_recovered_store_that_then_loses_a_change_is_found() {
    assert!(found(Mistake::KeepsTail).what.contains("recovered, but then: "));
}

#[test]
fn panics_and_refusals_are_found() {
    assert!(found(Mistake::Panics).what.contains("panicked: entry cut short"));
    assert!(found(Mistake::Refuses).what.contains("in the middle"));
}

#[test]
fn a_failing_image_is_had_again_by_its_name() {
    let failure = found(Mistake::RenameBeforeSync);
    let id = failure.image.expect("an image");
    let again: ImageId = id.to_string().parse().expect("a name");
    assert_eq!(again, id);
    let (report, repeated) = explore(
        &Toy(Mistake::RenameBeforeSync),
        CrashPlan {
            only: Some(id),
            ..plan()
        },
    );
    assert_eq!(repeated.expect("fails again").what, failure.what);
    assert_eq!(report.total() - report.nested, 1);
}

#[test]
fn the_same_seed_looks_at_the_same_images() {
    let count = |seed| explore(&Toy(Mistake::None), CrashPlan { seed, ..plan() }).0.images;
    assert_eq!(count(7), count(7));
    assert!("7".parse::<ImageId>().is_err());
    assert_eq!(
        "7.1/2.3".parse(),
        Ok(ImageId {
            first: (7, 1),
            second: Some((2, 3))
        })
    );
}

#[test]
fn a_correct_store_survives_every_fault() {
    let (report, failure) = inject(&Toy(Mistake::None), faults());
    assert!(failure.is_none(), "{}", failure.expect("some"));
    assert!(
        report.total() > 500 && report.refused > 300 && report.in_recovery > 50,
        "{report:?}"
    );
    let rare = FaultKind::ALL
        .iter()
        .find(|kind| report.faults.get(kind).is_none_or(|count| *count < 5));
    assert_eq!(rare, None, "{report:?}");
}

#[test]
fn a_swallowed_error_is_found() {
    let (_, failure) = inject(&Toy(Mistake::IgnoresSyncError), faults());
    let failure = failure.expect("a lost promise");
    assert!(failure.what.contains("allowed are"), "{failure}");
    let (kind, call) = failure.fault.expect("a fault");
    let again = inject(
        &Toy(Mistake::IgnoresSyncError),
        FaultPlan {
            only: Some((kind, Some(call))),
            ..faults()
        },
    );
    assert_eq!((again.0.total(), again.1.expect("fails again").what), (1, failure.what));
}

#[test]
fn damage_is_noticed_by_checksums_and_only_by_them() {
    let (report, failure) = damage(&Toy(Mistake::None), 1, 300);
    assert!(failure.is_none(), "{}", failure.expect("some"));
    assert!(report.noticed > 20 && report.harmless > 20, "{report:?}");
    assert!(
        DamageKind::ALL.iter().all(|kind| report.places[kind] > 10),
        "{report:?}"
    );
}

fn faults() -> FaultPlan {
    FaultPlan {
        seed: 1,
        each: 1000,
        only: None,
    }
}
