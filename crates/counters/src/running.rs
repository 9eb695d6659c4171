//! What all processes show: the statistics files whose processes live.

use crate::identity::{DataSetIdentity, ProcessIdentity};
use crate::layout::{self, CHECKSUM, EDITION_AT, IDENTITY, IDENTITY_BYTES, MAGIC_AT, PIECE, SLOTS, STATE, VERSION_AT};
use crate::table::{self, ComponentCount, DataSetCount, FramesCount, Kind, LockCount, LsrCount, PoolCount, Row};
use crate::table::{edition, SmfCount, StringCount};
use cica_disk::{Cells, Disk, File, Lock, Open, ReadAt, LINE};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Times that a piece is read before it is called torn.
const TRIES: usize = 8;

/// A process, as its file shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Who it is.
    pub identity: ProcessIdentity,
    pool: Vec<u64>,
    locks: Vec<u64>,
    smf: Vec<u64>,
    /// Frames by size: the size, all, the free ones.
    pub frames: Vec<[u64; FramesCount::ALL.len()]>,
    /// Buffers that its opens share: by pool, data before index, and size.
    pub lsr: Vec<SharedBuffers>,
    /// What it has open.
    pub data_sets: Vec<OpenDataSet>,
}

/// The buffers of one size of a pool that opens share (LSR).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedBuffers {
    counts: Vec<u64>,
}

/// A data set that it has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDataSet {
    /// Which one it is.
    pub identity: DataSetIdentity,
    /// Its place in the file, from 1 on, which stays the same while it is open; 0: it is not of a file.
    pub slot: u64,
    counts: Vec<u64>,
    /// Data component.
    pub data: Component,
    /// Index component; all 0 where there is none.
    pub index: Component,
}

/// What a component has counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Component {
    counts: Vec<u64>,
}

/// A file that could not be read as it is, or the directory of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Its path.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// All that could be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// Processes that live, in the order of their start.
    pub processes: Vec<Process>,
    /// Files that say nothing.
    pub torn: Vec<Torn>,
}

impl Process {
    /// A counter of its pool.
    pub fn pool(&self, counter: PoolCount) -> u64 {
        self.pool.get(counter as usize).copied().unwrap_or_default()
    }
    /// A counter of its lock table.
    pub fn lock(&self, counter: LockCount) -> u64 {
        self.locks.get(counter as usize).copied().unwrap_or_default()
    }
    /// A counter of its SMF records.
    pub fn smf(&self, counter: SmfCount) -> u64 {
        self.smf.get(counter as usize).copied().unwrap_or_default()
    }
}

impl SharedBuffers {
    /// A counter of theirs.
    pub fn count(&self, counter: LsrCount) -> u64 {
        self.counts.get(counter as usize).copied().unwrap_or_default()
    }
    /// Whether only index records use them.
    pub fn is_index(&self) -> bool {
        self.count(LsrCount::Index) != 0
    }
}

impl OpenDataSet {
    /// A counter of the data set, with what its strings have counted so far.
    pub fn count(&self, counter: DataSetCount) -> u64 {
        self.counts.get(counter as usize).copied().unwrap_or_default()
    }
    /// What it has counted of I/Os so far, its open took.
    pub fn begin(&mut self) {
        for part in [&mut self.data, &mut self.index] {
            if let Some(excps) = part.counts.get_mut(ComponentCount::Excps as usize) {
                *excps = 0;
            }
        }
    }
    /// Data and index component.
    pub fn components(&self) -> [&Component; 2] {
        [&self.data, &self.index]
    }
}

impl Component {
    /// A counter of the component.
    pub fn count(&self, counter: ComponentCount) -> u64 {
        self.counts.get(counter as usize).copied().unwrap_or_default()
    }
    /// Control intervals that requests asked for and that were in the pool.
    pub fn hits(&self) -> u64 {
        let (looks, read) = (self.count(ComponentCount::Looks), self.count(ComponentCount::CisRead));
        looks.saturating_sub(read)
    }
}

/// Looks at the statistics files in a directory. Those of dead processes are removed, where that may be done (Q5).
pub fn running(disk: &dyn Disk, directory: &Path) -> Seen {
    let mut seen = Seen::default();
    let listed = match disk.admit(directory, false).and_then(|()| disk.list(directory)) {
        Ok(listed) => listed,
        // Nobody has counted anything yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return seen,
        Err(error) => {
            seen.torn.push(Torn {
                path: directory.to_path_buf(),
                why: format!("{error}; nobody knows what runs"),
            });
            return seen;
        }
    };
    for (path, _) in listed {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !is_name(name) || is_left(disk, &directory.join(name)) {
            continue;
        }
        let path = directory.join(name);
        match read_process(disk, &path) {
            Ok(Some(process)) => seen.processes.push(process),
            // Its process has not got so far, or has just ended.
            Ok(None) => {}
            Err(why) => seen.torn.push(Torn { path, why }),
        }
    }
    seen.processes
        .sort_by_key(|process| (process.identity.started, process.identity.pid));
    seen
}

/// `PID-START`.
fn is_name(name: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('-')
        .is_some_and(|(pid, start)| digits(pid) && digits(start))
}

/// Is its process dead? Then it goes.
fn is_left(disk: &dyn Disk, path: &Path) -> bool {
    let how = |write, lock| Open {
        write,
        lock,
        ..Open::default()
    };
    let removable = disk.open(path, how(true, Lock::Exclusive));
    match removable {
        Ok(_held) => {
            // It may be another's, who does not let us.
            let _ = disk.remove(path);
            true
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(_) => disk.open(path, how(false, Lock::Shared)).is_ok(),
    }
}

fn read_process(disk: &dyn Disk, path: &Path) -> Result<Option<Process>, String> {
    let file = match disk.open(path, Open::default()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let length = file.size(None).map_err(|error| error.to_string())?;
    if length == 0 {
        // Its process has made it, and not yet given it a length.
        return Ok(None);
    }
    let Some(head) = read_piece(&*file, 0, is_gauge_of_head)? else {
        return Ok(None);
    };
    if head.word(MAGIC_AT) != layout::MAGIC {
        return Err("it is no statistics file".into());
    }
    if (head.word(VERSION_AT), head.word(EDITION_AT)) != (layout::VERSION, edition()) {
        return Err("it is of another version of Cica, which counts other things".into());
    }
    let identity = ProcessIdentity::decode(&head.identity()).ok_or("its head says nothing of its process")?;
    let frames = (0..layout::FRAME_SIZES).map(|size| {
        let cells = head.cells(layout::FRAMES + size, FramesCount::ALL.len());
        std::array::from_fn(|at| cells[at])
    });
    let mut process = Process {
        identity,
        pool: head.cells(layout::POOL, PoolCount::ALL.len()),
        locks: head.cells(layout::LOCKS, LockCount::ALL.len()),
        smf: head.cells(layout::SMF, SmfCount::ALL.len()),
        frames: frames
            .filter(|frames: &[u64; FramesCount::ALL.len()]| frames[0] > 0)
            .collect(),
        lsr: shared_buffers(&head),
        data_sets: Vec::new(),
    };
    let slots = (length / PIECE as u64).saturating_sub(1).min(SLOTS as u64);
    for slot in 1..=slots {
        if let Some(piece) = read_piece(&*file, slot, is_gauge_of_slot)? {
            process.data_sets.push(data_set(&piece, slot)?);
        }
    }
    process
        .data_sets
        .sort_by(|a, b| (&a.identity.cluster, a.identity.opened).cmp(&(&b.identity.cluster, b.identity.opened)));
    Ok(Some(process))
}

/// Those of the head; lines without buffers are nobody's.
fn shared_buffers(head: &Piece) -> Vec<SharedBuffers> {
    let lines = (0..layout::LSR_SIZES).map(|n| layout::LSR + n * layout::LSR_LINES);
    let mut all: Vec<SharedBuffers> = lines
        .map(|line| SharedBuffers {
            counts: head.cells(line, LsrCount::ALL.len()),
        })
        .filter(|buffers| buffers.count(LsrCount::Buffers) > 0)
        .collect();
    all.sort_by_key(|buffers| [LsrCount::Pool, LsrCount::Index, LsrCount::Size].map(|counter| buffers.count(counter)));
    all
}

fn data_set(piece: &Piece, slot: u64) -> Result<OpenDataSet, String> {
    let identity = DataSetIdentity::decode(&piece.identity()).ok_or("a slot of it says nothing of its data set")?;
    let mut set = OpenDataSet {
        identity,
        slot,
        counts: piece.cells(layout::DATA_SET, DataSetCount::ALL.len()),
        data: Component {
            counts: piece.cells(layout::DATA, ComponentCount::ALL.len()),
        },
        index: Component {
            counts: piece.cells(layout::INDEX, ComponentCount::ALL.len()),
        },
    };
    for line in 0..layout::STRING_LINES {
        let counted = piece.cells(layout::STRINGS + line, StringCount::ALL.len());
        let add = |to: &mut u64, counter: StringCount| *to = to.saturating_add(counted[counter as usize]);
        let looks = ComponentCount::Looks as usize;
        for counter in [StringCount::Retrieved, StringCount::Found] {
            add(&mut set.counts[DataSetCount::Retrieved as usize], counter);
        }
        for counter in [StringCount::Found, StringCount::Missed, StringCount::Again] {
            add(&mut set.counts[DataSetCount::Direct as usize], counter);
        }
        for counter in [StringCount::Found, StringCount::Missed] {
            add(&mut set.data.counts[looks], counter);
        }
        add(&mut set.data.counts[looks], StringCount::DataLooks);
        add(&mut set.index.counts[looks], StringCount::IndexLooks);
    }
    Ok(set)
}

/// What a data set of this process has counted, as others see it.
pub(crate) fn of_cells(cells: &Cells) -> Option<OpenDataSet> {
    let words = (0..cells.count()).flat_map(|at| cells.at(at).load(Relaxed).to_le_bytes());
    let piece = Piece { bytes: words.collect() };
    data_set(&piece, 0).ok()
}

/// A head or slot as it was at one moment, but for its counters, which each are of some moment.
struct Piece {
    bytes: Vec<u8>,
}

impl Piece {
    fn word(&self, at: usize) -> u64 {
        let bytes = self.bytes.get(at * 8..at * 8 + 8);
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    }
    fn cells(&self, line: usize, count: usize) -> Vec<u64> {
        (0..count).map(|at| self.word(line * LINE + at)).collect()
    }
    fn identity(&self) -> Vec<u8> {
        self.bytes[IDENTITY * LINE * 8..][..IDENTITY_BYTES].to_vec()
    }
}

/// Reads a piece until it is sound (Q6); `None`: it is nobody's.
fn read_piece(file: &dyn File, number: u64, is_gauge: fn(usize) -> bool) -> Result<Option<Piece>, String> {
    let read = || {
        let mut bytes = vec![0; PIECE];
        let mut batch = [ReadAt {
            at: number * PIECE as u64,
            buf: &mut bytes,
            got: 0,
        }];
        file.read(&mut batch).map_err(|error| error.to_string())?;
        if batch[0].got == PIECE {
            Ok(Piece { bytes })
        } else {
            Err("it is cut off".to_owned())
        }
    };
    for _ in 0..TRIES {
        let (one, two) = (read()?, read()?);
        let (state, again) = (one.word(STATE), two.word(STATE));
        if state == 0 && again == 0 {
            return Ok(None);
        }
        let same = state == again && state % 2 == 0 && one.identity() == two.identity();
        let sound = layout::checksum(&two.identity()) == two.word(CHECKSUM);
        let counted = (layout::DATA_SET * LINE..PIECE / 8)
            .all(|at| is_gauge(at) || one.word(at) <= two.word(at) || falls(at, number));
        if same && sound && counted {
            return Ok(Some(two));
        }
    }
    let place = match number {
        0 => "its head".to_owned(),
        slot => format!("slot {slot} of it"),
    };
    Err(format!(
        "{place} is torn: it was read {TRIES} times, and contradicted itself each time"
    ))
}

/// A string's line becomes 0 when the string ends, and what it had is in the cells of the data set.
fn falls(at: usize, number: u64) -> bool {
    number > 0 && at >= layout::STRINGS * LINE
}

fn is_gauge_in(rows: &[Row], at: usize, line: usize) -> bool {
    at.checked_sub(line * LINE)
        .and_then(|at| rows.get(at))
        .is_some_and(|row| row.kind == Kind::Gauge)
}

fn is_gauge_of_head(at: usize) -> bool {
    at >= layout::FRAMES * LINE || is_gauge_in(PoolCount::ROWS, at, layout::POOL)
}

fn is_gauge_of_slot(at: usize) -> bool {
    let components = [layout::DATA, layout::INDEX];
    is_gauge_in(DataSetCount::ROWS, at, layout::DATA_SET)
        || components
            .iter()
            .any(|&line| is_gauge_in(table::ComponentCount::ROWS, at, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cica_disk::LinuxDisk;

    #[test]
    fn a_file_that_has_no_length_yet_is_nobodys() {
        let path = std::env::temp_dir().join(format!("cica-running-{}", std::process::id()));
        std::fs::write(&path, "").expect("a file");
        assert_eq!(read_process(&LinuxDisk::new(), &path), Ok(None));
        std::fs::write(&path, "CICA").expect("a file");
        assert_eq!(read_process(&LinuxDisk::new(), &path), Err("it is cut off".to_owned()));
        std::fs::remove_file(&path).expect("it is there");
    }
}
