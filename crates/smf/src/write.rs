//! The file that records go to: `smf/current` in the catalog's directory. When it is full it becomes `smf/1`, which was
//! `smf/2` before the next, and so on.

use crate::border::last_border;
use crate::opens::Opens;
use crate::record::{closed, io_of, lost, opened, Origin, Record};
use crate::reported::Reported;
use crate::step::StepEnd;
use cica_counters::{OpenDataSet, SmfCount, Watcher, WeakCounts};
use cica_disk::{Cells, Clock, Create, Disk, File, Lock, Open, ReadAt, WriteAt};
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
/// What is behind the last whole record is of a torn write if it is no longer than this: the longest record.
const TORN: u64 = 32_760;
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
    known: Mutex<Known>,
    cells: Mutex<Option<Cells>>,
    opens: Mutex<Opens>,
    pub(crate) reported: Mutex<Reported>,
}

/// What is known of the file that is written.
#[derive(Debug, Default)]
struct Known {
    /// It was looked at.
    looked: bool,
    /// A border of records, if the file is still the same.
    border: u64,
    /// What a write of this process may have left of itself behind it; its records are counted.
    own: Vec<u8>,
}

impl Known {
    /// Nothing is known of a file that somebody has begun meanwhile.
    fn of_another() -> Known {
        Known {
            looked: true,
            ..Known::default()
        }
    }
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
            known: Mutex::default(),
            cells: Mutex::default(),
            opens: Mutex::default(),
            reported: Mutex::default(),
        }
    }

    /// From now on others see in these cells how many records were written and lost, and `pool` are those of the pool.
    pub fn show_counts(&self, cells: Cells, pool: Cells) {
        *self.cells.lock().unwrap_or_else(PoisonError::into_inner) = Some(cells);
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).watch(pool);
    }

    /// From now on what is counted of this cluster, or sequential file, is of the DD that leads to it.
    pub fn name_dd(&self, cluster: &str, dd: &str) {
        self.opens().names.insert(cluster.to_owned(), dd.to_ascii_uppercase());
    }

    /// So many blocks of a sequential file were moved.
    pub fn count_blocks(&self, file: &str, blocks: u64, block_size: u64) {
        self.opens().moved(file, blocks, block_size);
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
        let counter = match self.append(records, &mut untold, now) {
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

    fn append(&self, records: &[Record], untold: &mut Untold, now: u64) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.looked {
            known.border = self.look();
            known.looked = true;
        }
        let (mut file, mut end) = self.open_mended(&mut known, untold, now)?;
        let mut bytes = self.with_lost(records, untold, now);
        if end > 0 && end + bytes.len() as u64 > self.most {
            self.begin_another()?;
            drop(file);
            (file, end) = self.open_mended(&mut known, untold, now)?;
            bytes = self.with_lost(records, untold, now);
        }
        let written = file.write(&[WriteAt { at: end, buf: &bytes }]);
        match &written {
            Ok(()) => known.border = end + bytes.len() as u64,
            // What cannot be cut off now is cut off before the next record (R2).
            Err(_) if file.size(Some(end)).is_err() => (known.border, known.own) = (end, bytes),
            Err(_) => {}
        }
        written
    }

    /// The bytes of records, and before them those of one that tells of what is lost.
    fn with_lost(&self, records: &[Record], untold: &Untold, now: u64) -> Vec<u8> {
        let reported = (untold.count > 0).then(|| lost(untold.count, untold.since, now, &self.origin));
        let all = reported.iter().chain(records);
        all.flat_map(|record| record.bytes()).copied().collect()
    }

    /// Where whole records end in the file there is. This reads all of it, so it does without the lock, for which
    /// others wait.
    fn look(&self) -> u64 {
        let border = || {
            self.disk.admit(&self.directory, false)?;
            let file = self.disk.open(&self.directory.join(CURRENT), Open::default())?;
            last_border(&*file, 0, file.size(None)?)
        };
        // What cannot be read is read again with the lock, and told then.
        border().unwrap_or(0)
    }

    /// The file, locked, and where its last record ends. Whatever a torn write has left behind that goes, and is
    /// counted as a record that is lost.
    fn open_mended(&self, known: &mut Known, untold: &mut Untold, now: u64) -> io::Result<(Box<dyn File>, u64)> {
        loop {
            let file = self.open()?;
            let end = file.size(None)?;
            if known.border > end {
                // It is another file.
                *known = Known::of_another();
            }
            let mut border = last_border(&*file, known.border, end)?;
            if border < end && known.border > 0 {
                // It may be another file, in which no record begins there.
                border = last_border(&*file, 0, end)?;
            }
            if border < end {
                // Records of an own write that are whole are counted as lost with the torn one. Others may have mended
                // the file since, and written to it.
                let is_own = border >= known.border && is_part(&*file, (known.border, end), &known.own)?;
                let is_torn = end - border <= TORN;
                border = if is_own { known.border } else { border };
                if is_torn {
                    file.size(Some(border))?;
                } else {
                    self.begin_another()?;
                }
                if !is_own {
                    untold.since = if untold.count == 0 { now } else { untold.since };
                    untold.count += 1;
                }
                if !is_torn {
                    *known = Known::of_another();
                    continue;
                }
            }
            (known.border, known.own) = (border, Vec::new());
            return Ok((file, border));
        }
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

/// Is what a file has from here to there the beginning of these bytes?
fn is_part(file: &dyn File, (from, to): (u64, u64), of: &[u8]) -> io::Result<bool> {
    let part = usize::try_from(to - from).ok().and_then(|len| of.get(..len));
    let Some(part) = part else { return Ok(false) };
    let mut buf = vec![0; part.len()];
    let mut batch = [ReadAt {
        at: from,
        buf: &mut buf,
        got: 0,
    }];
    file.read(&mut batch)?;
    let got = batch[0].got;
    Ok(buf.get(..got) == Some(part))
}

impl Watcher for SmfFile {
    fn opened(&self, then: &OpenDataSet, counts: WeakCounts) {
        self.opens().opened(then, counts);
        self.write(&[opened(then, self.clock.now(), &self.origin)]);
    }

    fn closed(&self, then: &OpenDataSet, now: &OpenDataSet) {
        let reported = self.opens().closed(now);
        let clock = self.clock.now();
        let mut records = closed(then, now, clock, &self.origin);
        records.extend(io_of(reported.as_ref().unwrap_or(then), now, clock, &self.origin));
        self.write(&records);
    }
}
