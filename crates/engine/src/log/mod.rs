//! The log of one owner (process): requests in the order in which they were done, made durable by groups.
//!
//! | state | left by | to |
//! |---|---|---|
//! | no file: records gather in memory | the first change ([`name_early`](Log::name_early)) | claimed |
//! | claimed | [`start_over`](Log::start_over), all trees committed | claimed, next epoch, from the start of the file (`carry.rs`) |
//! | claimed | [`leave`](Log::leave) of the last data set, all complete | free: header says so |
//! | claimed | a data set leaves incomplete | let go as if the owner had died; the others go on without a file |
//! | any | a failed write or sync | failed: answers nothing more (D3) |
//!
//! * W1. Records get their LSNs in the order in which they reach the buffer, and the caller holds the latch of the
//!   page they changed (R4), or for a unit the locks of its keys (sphere:S2).
//! * W2. One thread flushes at a time; it takes all that is there, so commits that arrive meanwhile share the next
//!   sync.
//! * W3. Before a group is written, every data set in it has said so in its root, durably (R6), or is fenced.
//! * W7. Before a root names the log durably, a group that counts no records introduces its data set in this epoch,
//!   durably, and no other root names the log so when an epoch begins. So such a root that names a log which does not
//!   introduce its data set is of another moment than the log (recovery:N1). Those whose units are open stay named,
//!   and what begins the epoch introduces them (`carry.rs`).
//! * W4. A block that was written is not written again in the same epoch: groups start at fresh blocks. So a group that
//!   stands behind a place where none is says that there was one (`gap.rs`).
//! * W5. Each group says which data sets its numbers mean: what is damaged takes no other group's meaning with it.
//! * W6. What was answered is in the log's tail or durable in the log (tail:T1). For that a data set names the
//!   log in its root before its first change, early: written, not synced. W3 makes it durable before the log has any of
//!   the data set's requests.

mod abandoned;
mod bytes;
mod carry;
mod epochs;
mod error;
mod find;
mod flush;
mod gap;
mod header;
mod logged;
mod members;
mod pool;
mod replay;
mod tail;
#[cfg(test)]
mod tests;
mod units;

pub use epochs::epoch_for;
pub use error::{LogCall, LogError, Lost};
pub use find::{find, is_held};
pub use gap::Gap;
pub use header::claimed;
pub use logged::{owned, owned_parts, Logged};
pub use replay::{LogReader, NamedLog};

use crate::forked::OwningProcess;
use crate::sync::atomic::{AtomicU64, AtomicU8, AtomicUsize, Ordering::*};
use crate::sync::{Condvar, Mutex};
use crate::volumes::VolumesToBe;
use cica_disk::{Clock, Disk, File};
use cica_format::log;
use cica_format::tail::TailHead;
use members::Participant;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tail::Tail;
use units::Units;

/// Most bytes of records that may gather before they are written without anybody asking.
pub const MOST_GATHERED: usize = 4 << 20;
/// The thread that writes groups is woken when this part of it has gathered: the rest is for what comes while it waits
/// for the device.
const WAKES_AT: usize = 4;

/// Why a root cannot name the log, in the words of its data set.
pub type NamingError = Box<dyn std::error::Error + Send + Sync>;

/// A data set that logs: it can name the log in its root.
pub trait Logger: Send + Sync {
    /// Requests up to this LSN are in the tree that was committed last.
    fn committed(&self) -> u64;

    /// Version of its last root that names no log, which of its opens this is, and its lineage.
    fn identity(&self) -> (u32, u64, u64);

    /// Makes the root say, durably, that requests after its tree are in this log (R6).
    fn name_log(&self, log: u64, path: &str) -> Result<(), NamingError>;

    /// The same before it has any, and not durably: what the death of the process leaves (W6).
    fn name_log_early(&self, log: u64, path: &str) -> Result<(), NamingError>;

    /// Is what it logs archived too?
    fn is_archived(&self) -> bool {
        false
    }

    /// This group is durable, and `has` requests of it or not. It has fenced itself if they cannot be archived.
    fn archive(&self, group: &[u8], has: bool) {
        let _ = (group, has);
    }

    /// Its requests mean something without those of others. The log goes on without such a data set when its root
    /// cannot be written; it has fenced itself.
    fn stands_alone(&self) -> bool;
}

/// See the module.
pub struct Log {
    /// The process whose log it is.
    owner: OwningProcess,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    directory: PathBuf,
    volumes: Arc<VolumesToBe>,
    state: Mutex<LogState>,
    flushed: Condvar,
    durable: AtomicU64,
    /// The last LSN that the tail has not: what was answered must be durable up to there (W6).
    exposed: AtomicU64,
    /// Records below this one may have been thrown away.
    lost_to: AtomicU64,
    /// Id of the log that the file holds now, 0: none.
    claimed: AtomicU64,
    pressure: AtomicU8,
    /// Units of recovery that had an id so far.
    units: AtomicU64,
    length: epochs::Length,
    /// Bytes of a group after which it is written without anybody asking. Two groups are in memory at once.
    gathers: usize,
    /// The same for waking the thread that writes them, where there is one.
    wakes_at: AtomicUsize,
    flusher: OnceLock<std::thread::Thread>,
}

const GATHERED: u8 = 1;
const LONG: u8 = 2;
const OVERDUE: u8 = 4;
const TAIL_LOW: u8 = 8;
/// So much gathered that whoever comes by writes it.
const FULL: u8 = 16;
const FAR_OVERDUE: u8 = 32;
/// What a log asks of whoever comes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// So much has gathered that it should be written though nobody asked.
    pub flush: bool,
    /// It is so long that the trees should be committed and it should start over.
    pub long: bool,
    /// It grew much longer while that is being done.
    pub overdue: bool,
    /// And as much longer again.
    pub far_overdue: bool,
    /// Its tail should be made longer.
    pub tail: bool,
}

struct LogState {
    file: Option<Claimed>,
    /// The group being gathered, and the memory of the one before, to be used again.
    group: Vec<u8>,
    spare: Vec<u8>,
    records: u32,
    next_lsn: u64,
    flushing: bool,
    failed: Option<LogError>,
    data_sets: BTreeMap<u32, Participant>,
    /// What takes back the units that are open.
    units: Units,
    next_number: u32,
    /// Ids of logs that this process let go for a data set that answers nothing more (F7 in `pool.rs`).
    let_go: BTreeSet<u64>,
    /// What had gathered, and was thrown away with a file that could not be begun.
    lost: Vec<Range<u64>>,
}

struct Claimed {
    file: Arc<dyn File>,
    path: PathBuf,
    log: u64,
    epoch: u32,
    at: u64,
    /// What it would cost to do the epoch's records again, in bytes of log.
    weight: u64,
    /// From this weight on the log is so long that it should start over.
    long: u64,
    capacity: u64,
    tail: Option<Tail>,
    /// LSN of the first record of the epoch.
    epoch_lsn: u64,
    /// The claim is durable, and so is the file's name, as its header says (F6 in `pool.rs`).
    settled: bool,
    name_settled: bool,
}

impl Claimed {
    /// A group begins at `first_lsn`, and has `records` already.
    fn begin_tail(&mut self, first_lsn: u64, records: &[u8]) {
        let head = TailHead {
            log: self.log,
            first_lsn,
            epoch_lsn: self.epoch_lsn,
            epoch: self.epoch,
        };
        if let Some(tail) = &mut self.tail {
            tail.begin(head, records);
        }
    }
}

impl Log {
    /// A log that takes its file from `directory` when it needs one, writes after `gathers` bytes and is long after
    /// `epoch_bytes`.
    pub fn new(
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
        directory: PathBuf,
        volumes: Arc<VolumesToBe>,
        gathers: usize,
        epoch_bytes: u64,
    ) -> Log {
        let mut group = Vec::new();
        log::begin_group(&mut group);
        Log {
            owner: OwningProcess::this(),
            disk,
            clock,
            directory,
            volumes,
            state: Mutex::new(LogState {
                file: None,
                group,
                spare: Vec::new(),
                records: 0,
                next_lsn: 1,
                flushing: false,
                failed: None,
                data_sets: BTreeMap::new(),
                units: Units::default(),
                next_number: 1,
                let_go: BTreeSet::new(),
                lost: Vec::new(),
            }),
            flushed: Condvar::new(),
            durable: AtomicU64::new(0),
            exposed: AtomicU64::new(0),
            lost_to: AtomicU64::new(0),
            claimed: AtomicU64::new(0),
            pressure: AtomicU8::new(0),
            units: AtomicU64::new(0),
            length: epochs::Length::new(epoch_bytes),
            gathers,
            wakes_at: AtomicUsize::new(gathers),
            flusher: OnceLock::new(),
        }
    }

    /// Id of the log that its file holds, 0 while it has none.
    #[inline]
    pub fn claimed(&self) -> u64 {
        self.claimed.load(Relaxed)
    }

    /// Takes a file; the group that is being gathered goes to its tail.
    fn claim(&self, state: &mut LogState) -> Result<(), LogError> {
        let mut claimed = pool::claim(
            &self.disk,
            &*self.clock,
            &self.directory,
            &*self.volumes.current(),
            &state.let_go,
            (self.length.bytes(), self.gathers),
        )?;
        let first_lsn = state.next_lsn - u64::from(state.records);
        claimed.epoch_lsn = first_lsn;
        claimed.begin_tail(first_lsn, &[]);
        if let (Some(tail), true) = (&mut claimed.tail, state.records > 0) {
            // What has gathered is of data sets that did not name the log before (T4).
            tail.miss();
        }
        self.claimed.store(claimed.log, Relaxed);
        state.file = Some(claimed);
        Ok(())
    }

    /// Makes the tail longer, when [`wants`](Self::wants) asks for it.
    pub fn lengthen_tail(&self) {
        let mut state = self.state.lock();
        self.pressure.fetch_and(!TAIL_LOW, Relaxed);
        let Some((log, tail)) = state.file.as_ref().and_then(|f| Some((f.log, f.tail.as_ref()?))) else {
            return;
        };
        let (file, len) = tail.next_len();
        let grown = crate::sync::unlocked(&mut state, || file.size(Some(len)));
        let same = state.file.as_mut().filter(|f| f.log == log);
        if let Some(tail) = same.and_then(|f| f.tail.as_mut()) {
            tail.has_grown(grown);
        }
    }

    /// The last LSN given.
    pub fn last(&self) -> u64 {
        self.state.lock().next_lsn - 1
    }

    /// The last LSN up to which everything is durable.
    pub fn durable(&self) -> u64 {
        self.durable.load(Acquire)
    }

    /// Is everything up to `lsn` durable?
    pub fn is_durable(&self, lsn: u64) -> bool {
        self.durable.load(Acquire) >= lsn
    }

    /// An id for a unit of recovery.
    pub fn new_unit(&self) -> u64 {
        self.units.fetch_add(1, Relaxed) + 1
    }

    /// Logs one change of the data sets with these numbers. The caller holds the latch of the page that changed, or
    /// what orders it among the requests for the same records (W1). `write` appends one record.
    #[inline]
    pub fn append(&self, numbers: &[u32], write: impl FnOnce(&mut Vec<u8>)) -> u64 {
        self.append_in(&mut self.state.lock(), numbers, write)
    }

    #[inline]
    fn append_in(&self, state: &mut LogState, numbers: &[u32], write: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let (from, mut named) = (state.group.len(), true);
        for &number in numbers {
            if let Some(member) = state.data_sets.get_mut(&number) {
                named &= member.early || member.named;
                if !std::mem::replace(&mut member.in_group, true) {
                    member.introduce(number, &mut state.group);
                    state.records += 1;
                    state.next_lsn += 1;
                }
            }
        }
        write(&mut state.group);
        state.records += 1;
        state.next_lsn += 1;
        if state.group.len() > self.wakes_at.load(Relaxed) {
            self.gathered(state.group.len());
        }
        let lsn = state.next_lsn - 1;
        self.keep(state, from, named, lsn);
        lsn
    }

    #[cold]
    fn gathered(&self, bytes: usize) {
        let (flusher, is_full) = (self.flusher.get(), bytes > self.gathers);
        let more = match flusher {
            Some(_) if !is_full => GATHERED,
            _ => GATHERED | FULL,
        };
        let before = self.pressure.fetch_or(more, Relaxed);
        if let Some(flusher) = flusher.filter(|_| before & GATHERED == 0) {
            flusher.unpark();
        }
    }

    /// This thread writes from now on what gathers: it parks, and is woken when there is something to do.
    pub fn write_from_here(&self) {
        if self.flusher.set(std::thread::current()).is_ok() {
            self.wakes_at.store(self.gathers / WAKES_AT, Relaxed);
        }
    }

    /// Keeps what the group has from `from` on in the tail, if all data sets that it is of are `named` (W6).
    #[inline]
    fn keep(&self, state: &mut LogState, from: usize, named: bool, lsn: u64) {
        if let Some(tail) = state.file.as_mut().and_then(|f| f.tail.as_mut()) {
            if !named {
                tail.miss();
            }
            if tail.add(&state.group[from..]) {
                if tail.is_low() {
                    self.pressure.fetch_or(TAIL_LOW, Relaxed);
                }
                return;
            }
        }
        self.exposed.store(lsn, Relaxed);
    }

    /// What is to be done for it.
    #[inline]
    pub fn wants(&self) -> Wants {
        let pressure = self.pressure.load(Relaxed);
        let is_exposed = self.exposed.load(Relaxed) > self.durable.load(Relaxed);
        Wants {
            flush: pressure & FULL != 0 || is_exposed,
            long: pressure & LONG != 0,
            overdue: pressure & OVERDUE != 0,
            far_overdue: pressure & FAR_OVERDUE != 0,
            tail: pressure & TAIL_LOW != 0,
        }
    }

    /// From now on every change is written at once: there is no thread that would do it each second.
    pub fn always_flush(&self) {
        self.wakes_at.store(0, Relaxed);
    }

    /// True if records wait that are not durable.
    #[cfg(test)]
    pub fn is_behind(&self) -> bool {
        self.state.lock().records > 0
    }
}
