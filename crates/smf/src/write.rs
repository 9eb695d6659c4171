//! The file that records go to: `smf/current` in the catalog's directory. When it is full it becomes `smf/1`, which was
//! `smf/2` before the next, and so on.

use crate::opens::Opens;
use crate::record::{closed, io_of, lost, opened, Origin, Record};
use crate::step::StepEnd;
use crate::told::Told;
use cica_counters::{OpenDataSet, SmfCount, Watcher, WeakCounts};
use cica_disk::{Cells, Clock, Create, Disk, File, Lock, Open, WriteAt};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes after which another file is begun.
pub const MOST: u64 = 16 << 20;
/// Full files that are kept.
pub const KEPT: usize = 8;
/// The directory, in that of the catalog.
pub const DIRECTORY: &str = "smf";
/// The file that is written.
pub const CURRENT: &str = "current";
/// Times that the lock is asked for.
const PATIENCE: usize = 200;

/// See the module.
pub struct SmfFile {
    disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    directory: PathBuf,
    pub(crate) origin: Origin,
    most: u64,
    untold: Mutex<Untold>,
    cells: Mutex<Option<Cells>>,
    opens: Mutex<Opens>,
    pub(crate) told: Mutex<Told>,
}

/// Records that are lost and that no record tells of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Untold {
    /// How many.
    pub count: u64,
    /// Nanoseconds since 1970 of the first.
    pub since: u64,
    /// Why the last one could not be written.
    pub reason: String,
}

impl SmfFile {
    /// The one in the directory of a catalog, which begins another file after `most` bytes.
    pub fn new(disk: Arc<dyn Disk>, clock: Arc<dyn Clock>, catalog: &Path, origin: Origin, most: u64) -> SmfFile {
        SmfFile {
            disk,
            clock,
            directory: catalog.join(DIRECTORY),
            origin,
            most,
            untold: Mutex::default(),
            cells: Mutex::default(),
            opens: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// From now on others see in these cells how many records were written and lost, and `pool` are those of the pool.
    pub fn show_counts(&self, cells: Cells, pool: Cells) {
        *self.cells.lock().unwrap_or_else(PoisonError::into_inner) = Some(cells);
        self.told.lock().unwrap_or_else(PoisonError::into_inner).watch(pool);
    }

    /// From now on what is counted of this cluster is of the DD that leads to it.
    pub fn name_dd(&self, cluster: &str, dd: &str) {
        self.opens().names.insert(cluster.to_owned(), dd.to_ascii_uppercase());
    }

    /// Writes the record of the step, which ends.
    pub fn end_step(&self, end: &StepEnd) {
        let record = {
            let mut opens = self.opens();
            opens.look();
            opens.step(end, self.clock.now(), &self.origin)
        };
        self.write(&[record]);
    }

    pub(crate) fn opens(&self) -> MutexGuard<'_, Opens> {
        self.opens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes records; those that cannot be written are lost and counted (R1).
    pub fn write(&self, records: &[Record]) {
        let now = self.clock.now();
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        let told = (untold.count > 0).then(|| lost(untold.count, untold.since, now, &self.origin));
        let bytes: Vec<u8> = told
            .iter()
            .chain(records)
            .flat_map(|record| record.bytes())
            .copied()
            .collect();
        let counter = match self.append(&bytes) {
            Ok(()) => {
                *untold = Untold::default();
                SmfCount::Written
            }
            Err(error) => {
                *untold = Untold {
                    count: untold.count + records.len() as u64,
                    since: if untold.count == 0 { now } else { untold.since },
                    reason: error.to_string(),
                };
                SmfCount::Lost
            }
        };
        if let Some(cells) = &*self.cells.lock().unwrap_or_else(PoisonError::into_inner) {
            cells.at(counter as usize).fetch_add(records.len() as u64, Relaxed);
        }
    }

    /// What is lost and no record tells of; none: nothing.
    pub fn untold(&self) -> Option<Untold> {
        let untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        Some(untold.clone()).filter(|untold| untold.count > 0)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.open()?;
        let mut end = file.size(None)?;
        if end > 0 && end + bytes.len() as u64 > self.most {
            self.begin_another()?;
            drop(file);
            file = self.open()?;
            end = file.size(None)?;
        }
        let written = file.write(&[WriteAt { at: end, buf: bytes }]);
        written.inspect_err(|_| {
            // What cannot be cut off either is told by who reads it (R2).
            let _ = file.size(Some(end));
        })
    }

    fn open(&self) -> io::Result<Box<dyn File>> {
        self.disk.admit(&self.directory, false)?;
        let how = Open {
            write: true,
            create: Create::IfMissing,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        let path = self.directory.join(CURRENT);
        for _ in 0..PATIENCE {
            match self.disk.open(&path, how) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let directory = Open {
                        directory: true,
                        create: Create::IfMissing,
                        ..Open::default()
                    };
                    self.disk.open(&self.directory, directory)?;
                }
                opened => return opened,
            }
        }
        self.disk.open(&path, how)
    }

    /// Gives the full file another name. The caller has its lock.
    fn begin_another(&self) -> io::Result<()> {
        let name = |n: usize| self.directory.join(n.to_string());
        for n in (1..KEPT).rev() {
            match self.disk.rename(&name(n), &name(n + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.disk.rename(&self.directory.join(CURRENT), &name(1))
    }
}

impl Watcher for SmfFile {
    fn opened(&self, then: &OpenDataSet, counts: WeakCounts) {
        self.opens().opened(then, counts);
        self.write(&[opened(then, self.clock.now(), &self.origin)]);
    }

    fn closed(&self, then: &OpenDataSet, now: &OpenDataSet) {
        let told = self.opens().closed(now);
        let clock = self.clock.now();
        let mut records = closed(then, now, clock, &self.origin);
        records.extend(io_of(told.as_ref().unwrap_or(then), now, clock, &self.origin));
        self.write(&records);
    }
}

/// The files of a catalog's directory, the oldest first.
pub fn files(disk: &dyn Disk, catalog: &Path) -> Vec<PathBuf> {
    let directory = catalog.join(DIRECTORY);
    if disk.admit(&directory, false).is_err() {
        return Vec::new();
    }
    let names = (1..=KEPT).rev().map(|n| n.to_string()).chain([CURRENT.to_owned()]);
    let paths = names.map(|name| directory.join(name));
    paths.filter(|path| disk.open(path, Open::default()).is_ok()).collect()
}
