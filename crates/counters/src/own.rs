//! The statistics file of this process, and the data sets and strings that count in it.

use crate::identity::{DataSetIdentity, ProcessIdentity};
use crate::layout::{self, Identity, CHECKSUM, EDITION_AT, GROWTH, IDENTITY, LINES, MAGIC_AT, PIECE, SLOTS, STATE};
use crate::readers::{add_reader, forget_reader, readers, ReaderCounts};
use crate::running::{of_cells, OpenDataSet};
use crate::table::{edition, ComponentCount, DataSetCount, StringCount};
use cica_disk::{Cells, Create, Disk, File, Lock, Open, LINE};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The file of a process; see the crate.
#[derive(Debug)]
pub struct StatisticsFile {
    head: Cells,
    shown: Option<Shown>,
    taken: Mutex<Vec<bool>>,
    at: Option<(Arc<dyn Disk>, PathBuf)>,
}

/// Where others see it.
#[derive(Debug)]
struct Shown {
    all: Cells,
    /// Has the lock while the process lives.
    file: Box<dyn File>,
    path: PathBuf,
    disk: Arc<dyn Disk>,
    generation: u32,
}

impl StatisticsFile {
    /// Of a process that nobody looks at.
    pub fn unseen() -> Arc<StatisticsFile> {
        Arc::new(StatisticsFile {
            head: Cells::own(LINES * LINE),
            shown: None,
            taken: Mutex::default(),
            at: None,
        })
    }

    /// One in `directory`, the catalog's; where it cannot be made nobody sees what is counted (Q3).
    pub fn create(disk: Arc<dyn Disk>, directory: &Path, process: &ProcessIdentity) -> Arc<StatisticsFile> {
        let made = make(&disk, directory, process);
        let at = Some((disk, directory.to_path_buf()));
        match made {
            Ok(shown) => Arc::new(StatisticsFile {
                head: shown.all.lines(0, LINES).unwrap_or_else(|| Cells::own(LINES * LINE)),
                shown: Some(shown),
                taken: Mutex::default(),
                at,
            }),
            Err(_) => Arc::new(StatisticsFile {
                head: Cells::own(LINES * LINE),
                shown: None,
                taken: Mutex::default(),
                at,
            }),
        }
    }

    /// Disk and directory of the statistics of all processes.
    pub fn place(&self) -> Option<(&dyn Disk, &Path)> {
        self.at.as_ref().map(|(disk, directory)| (&**disk, &**directory))
    }

    /// Do others see it?
    pub fn is_seen(&self) -> bool {
        self.shown.is_some()
    }

    /// Its cells from a line of the head on.
    pub fn head(&self, line: usize, lines: usize) -> Cells {
        self.head.lines(line, lines).unwrap_or_else(|| Cells::own(lines * LINE))
    }

    /// A slot for a data set that was opened. If there is none, or no room for one, it counts unseen.
    pub fn open(self: &Arc<Self>, identity: &DataSetIdentity) -> DataSetCounts {
        let slot = self.take_slot();
        let cells = slot.and_then(|slot| self.shown.as_ref()?.all.lines((slot + 1) * LINES, LINES));
        let (cells, slot) = match cells {
            Some(cells) => (cells, slot),
            None => (Cells::own(LINES * LINE), None),
        };
        for at in layout::DATA_SET * LINE..LINES * LINE {
            cells.at(at).store(0, Relaxed);
        }
        write_identity(&cells, &identity.encode());
        DataSetCounts {
            inner: Arc::new(DataSetInner {
                cells,
                slot,
                of: self.clone(),
                lines: Default::default(),
            }),
        }
    }

    /// The number of a free slot, for which the file has been grown.
    fn take_slot(&self) -> Option<usize> {
        let shown = self.shown.as_ref().filter(|shown| !shown.is_of_parent())?;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let free = taken.iter().position(|taken| !taken);
        let slot = match free {
            Some(slot) => slot,
            None if taken.len() >= SLOTS => return None,
            None => {
                let (slot, slots) = (taken.len(), taken.len() + GROWTH);
                shown.file.size(Some(((1 + slots) * PIECE) as u64)).ok()?;
                taken.resize(slots, false);
                slot
            }
        };
        taken[slot] = true;
        Some(slot)
    }

    fn give_slot(&self, slot: usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = taken.get_mut(slot) {
            *taken = false;
        }
    }

    /// Forgets what opens for input have counted: the data set begins anew.
    pub fn forget_reader(&self, component: u64) {
        if let Some((disk, directory)) = &self.at {
            let _ = forget_reader(&**disk, directory, component);
        }
    }

    /// What opens that have ended counted, and no root has.
    pub fn reader(&self, component: u64) -> ReaderCounts {
        let (disk, directory) = self.place().unzip();
        let all = disk.zip(directory).map(|(disk, directory)| readers(disk, directory));
        let mut all = all.into_iter().flatten();
        all.find(|reader| reader.component == component).unwrap_or_default()
    }

    /// Notes what an open has counted that is closed, and no root has.
    pub fn add_reader(&self, counted: &ReaderCounts) {
        if let (Some((disk, directory)), false) = (&self.at, counted.is_empty()) {
            // What cannot be noted is missing from LISTCAT, and nothing else (Q3).
            let _ = add_reader(&**disk, directory, counted);
        }
    }
}

impl Shown {
    fn is_of_parent(&self) -> bool {
        self.generation != cica_disk::generation()
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if !self.is_of_parent() {
            // One that stays is a dead process's (Q5).
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// Files that are made, one after the other, before a process counts unseen.
const TRIES: u64 = 8;

fn make(disk: &Arc<dyn Disk>, directory: &Path, process: &ProcessIdentity) -> io::Result<Shown> {
    make_directory(&**disk, directory)?;
    let (path, file) = make_file(&**disk, directory, process)?;
    let made = file.size(Some(((1 + GROWTH) * PIECE) as u64)).and_then(|_| {
        // The memory keeps its file open, and in a child the lock too: so it is of another open.
        let cells = disk.open(&path, how(Create::No, Lock::None))?;
        cells.cells((1 + SLOTS) * PIECE)
    });
    let shown = match made {
        Ok(all) => Shown {
            all,
            file,
            path,
            disk: disk.clone(),
            generation: cica_disk::generation(),
        },
        Err(error) => {
            // One that stays is a dead process's (Q5).
            let _ = disk.remove(&path);
            return Err(error);
        }
    };
    shown.all.at(MAGIC_AT).store(layout::MAGIC, Relaxed);
    shown.all.at(layout::VERSION_AT).store(layout::VERSION, Relaxed);
    shown.all.at(EDITION_AT).store(edition(), Relaxed);
    write_identity(&shown.all, &process.encode());
    Ok(shown)
}

fn how(create: Create, lock: Lock) -> Open {
    Open {
        write: true,
        create,
        lock,
        ..Open::default()
    }
}

/// The file, empty and locked. Whoever looks after it is made and before it is locked takes it for a dead one (Q5),
/// locks it, and removes it. Then another one is made under the next name, which he has not seen.
fn make_file(disk: &dyn Disk, directory: &Path, process: &ProcessIdentity) -> io::Result<(PathBuf, Box<dyn File>)> {
    let mut tried = 0;
    loop {
        let name = format!("{}-{}", process.pid, process.started.saturating_add(tried));
        let path = directory.join(name);
        tried += 1;
        match disk.open(&path, how(Create::New, Lock::Exclusive)) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && tried < TRIES => {
                // Who has the lock removes it too, if he may.
                let _ = disk.remove(&path);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Makes the directory of the files where there is none. It may be gone after a power cut, as what is in it.
fn make_directory(disk: &dyn Disk, directory: &Path) -> io::Result<()> {
    disk.admit(directory, false)?;
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(directory, how).map(drop)
}

/// Writes what a piece is, between two states (Q6).
fn write_identity(cells: &Cells, identity: &Identity) {
    let state = cells.at(STATE);
    let before = state.load(Relaxed) & !1;
    state.store(before + 1, SeqCst);
    let bytes = identity.encode();
    cells.at(CHECKSUM).store(layout::checksum(&bytes), Relaxed);
    for (at, word) in bytes.chunks_exact(8).enumerate() {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        cells.at(IDENTITY * LINE + at).store(word, Relaxed);
    }
    state.store(before + 2, SeqCst);
}

/// An open data set's cells; clones are the same.
#[derive(Debug, Clone)]
pub struct DataSetCounts {
    inner: Arc<DataSetInner>,
}

#[derive(Debug)]
struct DataSetInner {
    cells: Cells,
    slot: Option<usize>,
    of: Arc<StatisticsFile>,
    /// A bit for each line that a string has.
    lines: [AtomicU64; layout::STRING_LINES.div_ceil(64)],
}

impl DataSetCounts {
    /// A counter of the data set.
    #[inline]
    pub fn cell(&self, counter: DataSetCount) -> &AtomicU64 {
        self.inner.cells.at(layout::DATA_SET * LINE + counter as usize)
    }

    /// What was counted so far.
    pub fn so_far(&self) -> Option<OpenDataSet> {
        of_cells(&self.inner.cells)
    }

    /// For who looks at it now and then.
    pub fn weak(&self) -> WeakCounts {
        WeakCounts {
            inner: Arc::downgrade(&self.inner),
        }
    }

    /// Says anew what it is.
    pub fn identify(&self, identity: &DataSetIdentity) {
        write_identity(&self.inner.cells, &identity.encode());
    }

    /// Those of a component.
    pub fn component(&self, index: bool) -> Cells {
        let line = if index { layout::INDEX } else { layout::DATA };
        let cells = self.inner.cells.lines(line, layout::COMPONENT_LINES);
        cells.unwrap_or_else(|| Cells::own(layout::COMPONENT_LINES * LINE))
    }

    /// The file it is in.
    pub fn file(&self) -> &StatisticsFile {
        &self.inner.of
    }

    /// A line for a string that begins.
    pub fn string(&self) -> StringCounts {
        self.cell(DataSetCount::Strings).fetch_add(1, Relaxed);
        let line = self.inner.take_line();
        let cells = line.and_then(|line| self.inner.cells.lines(layout::STRINGS + line, 1));
        StringCounts {
            cells: cells.unwrap_or_else(|| Cells::own(LINE)),
            line,
            of: self.clone(),
        }
    }
}

/// The same, which does not keep the data set's place.
#[derive(Debug, Clone)]
pub struct WeakCounts {
    inner: Weak<DataSetInner>,
}

impl WeakCounts {
    /// What was counted so far; `None`: it is closed.
    pub fn so_far(&self) -> Option<OpenDataSet> {
        of_cells(&self.inner.upgrade()?.cells)
    }
}

impl DataSetInner {
    fn take_line(&self) -> Option<usize> {
        for (word, lines) in self.lines.iter().enumerate() {
            let first = |lines: u64| {
                let line = word * 64 + lines.trailing_ones() as usize;
                (lines != u64::MAX && line < layout::STRING_LINES).then_some(line)
            };
            let take = |lines: u64| first(lines).map(|line| lines | 1 << (line % 64));
            if let Ok(lines) = lines.fetch_update(AcqRel, Acquire, take) {
                return first(lines);
            }
        }
        None
    }
}

impl Drop for DataSetInner {
    fn drop(&mut self) {
        if self.of.shown.as_ref().is_some_and(Shown::is_of_parent) {
            return;
        }
        self.cells.at(STATE).store(0, SeqCst);
        if let Some(slot) = self.slot {
            self.of.give_slot(slot);
        }
    }
}

/// A string's line, in which only it counts (Q4).
#[derive(Debug)]
pub struct StringCounts {
    cells: Cells,
    line: Option<usize>,
    of: DataSetCounts,
}

impl StringCounts {
    /// Counts.
    #[inline(always)]
    pub fn add(&self, counter: StringCount, n: u64) {
        let cell = &self.cells.line()[counter as usize];
        // Nobody else counts here, so it need not be one step.
        cell.store(cell.load(Relaxed) + n, Relaxed);
    }

    /// The record that the last get returned was not handed over: another request had asked for it. The control
    /// intervals that it asked for stay counted. `direct`: it was a direct get, which nobody asked for either.
    pub fn kept(&self, direct: bool) {
        let line = self.cells.line();
        let less = |counter: StringCount| {
            let cell = &line[counter as usize];
            let count = cell.load(Relaxed);
            cell.store(count.saturating_sub(1), Relaxed);
            count > 0
        };
        if direct {
            // Which of the direct gets it was makes no difference to the sums.
            if less(StringCount::Found) {
                self.add(StringCount::DataLooks, 1);
            } else {
                less(StringCount::Again);
                less(StringCount::Retrieved);
            }
        } else if !less(StringCount::Retrieved) {
            // Of a path: its base is read by direct gets.
            less(StringCount::Found);
            self.add(StringCount::DataLooks, 1);
            self.add(StringCount::Again, 1);
        }
    }

    /// Counts a direct get that goes through so many levels of an index to the data control interval of its record.
    #[inline(always)]
    pub fn found(&self, levels: u64) {
        let line = self.cells.line();
        let (found, looks) = (
            &line[StringCount::Found as usize],
            &line[StringCount::IndexLooks as usize],
        );
        found.store(found.load(Relaxed) + 1, Relaxed);
        looks.store(looks.load(Relaxed) + levels, Relaxed);
    }
}

impl Drop for StringCounts {
    fn drop(&mut self) {
        let inner = &self.of.inner;
        if inner.of.shown.as_ref().is_some_and(Shown::is_of_parent) {
            return;
        }
        let [retrieved, found, missed, again, data, index] = [
            StringCount::Retrieved,
            StringCount::Found,
            StringCount::Missed,
            StringCount::Again,
            StringCount::DataLooks,
            StringCount::IndexLooks,
        ]
        .map(|counter| self.cells.line()[counter as usize].swap(0, Relaxed));
        self.of
            .cell(DataSetCount::Retrieved)
            .fetch_add(retrieved + found, Relaxed);
        self.of
            .cell(DataSetCount::Direct)
            .fetch_add(found + missed + again, Relaxed);
        self.of.cell(DataSetCount::Strings).fetch_sub(1, Relaxed);
        for (line, looks) in [(layout::DATA, found + missed + data), (layout::INDEX, index)] {
            let cell = inner.cells.at(line * LINE + ComponentCount::Looks as usize);
            cell.fetch_add(looks, Relaxed);
        }
        if let Some(line) = self.line {
            inner.lines[line / 64].fetch_and(!(1 << (line % 64)), AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::running;
    use cica_disk::LinuxDisk;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_file_is_made_whoever_looks_meanwhile() {
        let directory = std::env::temp_dir().join(format!("cica-own-{}", std::process::id()));
        let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
        let (made, looks) = (AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !made.load(Acquire) {
                        running(&*disk, &directory);
                        looks.fetch_add(1, Relaxed);
                    }
                });
            }
            let mut process = ProcessIdentity {
                pid: 7,
                ..ProcessIdentity::default()
            };
            std::fs::create_dir_all(&directory).expect("a directory");
            let mut unseen = 0;
            // Names of the next ones that are tried are not those of the next process.
            for n in 0..500 {
                process.started = n * TRIES;
                let file = StatisticsFile::create(disk.clone(), &directory, &process);
                unseen += u32::from(!file.is_seen());
            }
            made.store(true, Release);
            assert_eq!(unseen, 0);
        });
        assert!(looks.into_inner() > 0);
        std::fs::remove_dir_all(&directory).expect("it is there");
    }
}
