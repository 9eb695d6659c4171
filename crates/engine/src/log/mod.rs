//! The log of one owner (process): requests in the order in which they were done, made durable by groups.
//!
//! | state | left by | to |
//! |---|---|---|
//! | no file: records gather in memory | the first change ([`name_early`](Log::name_early)) | claimed |
//! | claimed | [`start_over`](Log::start_over), all trees committed | claimed, next epoch, from the start of the file |
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
//!   durably, and no root names the log so when an epoch begins. So such a root that names a log which does not
//!   introduce its data set is of another moment than the log (recovery:N1).
//! * W4. A block that was written is not written again in the same epoch: groups start at fresh blocks. So a group that
//!   stands behind a place where none is says that there was one (`gap.rs`).
//! * W5. Each group says which data sets its numbers mean: what is damaged takes no other group's meaning with it.
//! * W6. What was answered is in the log's tail or durable in the log (tail:T1). For that a data set names the
//!   log in its root before its first change, early: written, not synced. W3 makes it durable before the log has any of
//!   the data set's requests.

mod abandoned;
mod find;
mod gap;
mod pool;
mod replay;
mod tail;
#[cfg(test)]
mod tests;

pub use find::find;
pub use gap::Gap;
pub use replay::{owned_parts, Left, LogReader, Logged};

use crate::forked::Owner;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicU8, Ordering::*};
use crate::sync::{Condvar, Mutex};
use crate::volumes::VolumesToBe;
use cica_disk::{Clock, Disk, File, WriteAt};
use cica_format::log::{self, LogRecord, BLOCK_LEN, GROUP_HEADER_LEN};
use cica_format::tail::TailHead;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use tail::Tail;

/// Bytes of log after which all trees are committed and the log starts over: a quarter of the pool, within these
/// bounds. What a commit writes is the CIs that changed since the one before, and the longer that was, the more
/// often each of them changed (`docs/design/0012`).
const EPOCH_BYTES: (u64, u64) = (64 << 20, 256 << 20);
/// Most bytes of records that may gather before they are written without anybody asking.
pub const MOST_GATHERED: usize = 2 << 20;

/// A data set that logs: it can name the log in its root.
pub trait Logger: Send + Sync {
    /// Requests up to this LSN are in the tree that was committed last.
    fn committed(&self) -> u64;

    /// Version of its last root that names no log, which of its opens this is, and its lineage.
    fn identity(&self) -> (u32, u64, u64);

    /// Makes the root say, durably, that requests after its tree are in this log (R6).
    fn name_log(&self, log: u64, path: &str) -> Result<(), String>;

    /// The same before it has any, and not durably: what the death of the process leaves (W6).
    fn name_log_early(&self, log: u64, path: &str) -> Result<(), String>;

    /// Its requests mean something without those of others. The log goes on without such a data set when its root
    /// cannot be written; it has fenced itself.
    fn stands_alone(&self) -> bool;
}

/// See the module.
pub struct Log {
    /// The process whose log it is.
    owner: Owner,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    directory: PathBuf,
    volumes: Arc<VolumesToBe>,
    state: Mutex<State>,
    flushed: Condvar,
    durable: AtomicU64,
    /// The last LSN that the tail has not: what was answered must be durable up to there (W6).
    exposed: AtomicU64,
    /// Id of the log that the file holds now, 0: none.
    claimed: AtomicU64,
    pressure: AtomicU8,
    eager: AtomicBool,
    /// Units of recovery that had an id so far.
    units: AtomicU64,
    /// Bytes after which it is long.
    epoch_bytes: AtomicU64,
    /// Bytes of a group after which it is written without anybody asking. Two groups are in memory at once.
    gathers: usize,
}

const GATHERED: u8 = 1;
const LONG: u8 = 2;
const OVERDUE: u8 = 4;
const TAIL_LOW: u8 = 8;
/// Bytes of log by which it may grow while the trees are being committed.
const OVERDUE_BYTES: u64 = 128 << 20;

/// Which part of an epoch a checkpoint finds worth starting over: what the log is for has to be said in a root again.
const WORTH: u64 = 64;

/// Bytes that a record counts at least towards the epoch: to do one again costs a recovery much the same, however few
/// they are.
const LIGHTEST: u64 = 100;

/// Bytes of an epoch for a pool of so many bytes.
pub fn epoch_for(pool: usize) -> u64 {
    (pool as u64 / 4).clamp(EPOCH_BYTES.0, EPOCH_BYTES.1)
}

/// What a log asks of whoever comes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// So much has gathered that it should be written though nobody asked.
    pub flush: bool,
    /// It is so long that the trees should be committed and it should start over.
    pub long: bool,
    /// It grew much longer while that is being done.
    pub overdue: bool,
    /// Its tail should be made longer.
    pub tail: bool,
}

struct State {
    file: Option<Claimed>,
    /// The group being gathered, and the memory of the one before, to be used again.
    group: Vec<u8>,
    spare: Vec<u8>,
    records: u32,
    next_lsn: u64,
    flushing: bool,
    failed: Option<String>,
    data_sets: BTreeMap<u32, Member>,
    next_number: u32,
    /// Ids of logs that this process let go for a data set that answers nothing more (F7 in `pool.rs`).
    let_go: BTreeSet<u64>,
}

struct Member {
    cluster: u64,
    path: String,
    logger: Weak<dyn Logger>,
    /// Its root names this log, durably: it need not be asked to.
    named: bool,
    /// Its root names this log, and did so before its first request (W6).
    early: bool,
    /// Its root may name this log.
    maybe_named: bool,
    /// How often its root ceased to.
    unnamed: u32,
    /// It has records in the group, which says first which data set the number means (W5).
    in_group: bool,
}

/// The root of `number` could not be written: that it does not name the log means nothing.
fn append_not_named(group: &mut Vec<u8>, number: u32) {
    LogRecord::DataSet {
        number,
        cluster: 0,
        committed: 0,
        sealed: 0,
        origin: 0,
        lineage: 0,
        path: "",
    }
    .append(group);
}

impl Member {
    fn introduce(&self, number: u32, group: &mut Vec<u8>) {
        let logger = self.logger.upgrade();
        let (sealed, origin, lineage) = logger.as_ref().map_or((0, 0, 0), |logger| logger.identity());
        LogRecord::DataSet {
            number,
            cluster: self.cluster,
            committed: logger.map_or(0, |logger| logger.committed()),
            sealed,
            origin,
            lineage,
            path: &self.path,
        }
        .append(group);
    }
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
            owner: Owner::this(),
            disk,
            clock,
            directory,
            volumes,
            state: Mutex::new(State {
                file: None,
                group,
                spare: Vec::new(),
                records: 0,
                next_lsn: 1,
                flushing: false,
                failed: None,
                data_sets: BTreeMap::new(),
                next_number: 1,
                let_go: BTreeSet::new(),
            }),
            flushed: Condvar::new(),
            durable: AtomicU64::new(0),
            exposed: AtomicU64::new(0),
            claimed: AtomicU64::new(0),
            pressure: AtomicU8::new(0),
            eager: AtomicBool::new(false),
            units: AtomicU64::new(0),
            epoch_bytes: AtomicU64::new(epoch_bytes),
            gathers,
        }
    }

    /// From now on it starts over after so many bytes.
    pub fn start_over_after(&self, bytes: u64) {
        self.epoch_bytes.store(bytes, Relaxed);
    }

    /// A data set takes part; the number goes into its records.
    pub fn join(&self, cluster: u64, data: &std::path::Path, index: &std::path::Path, logger: Weak<dyn Logger>) -> u32 {
        let mut state = self.state.lock();
        let number = state.next_number;
        state.next_number += 1;
        let path = format!("{}\0{}", data.display(), index.display());
        state.data_sets.insert(
            number,
            Member {
                cluster,
                path,
                logger,
                named: false,
                early: false,
                maybe_named: false,
                unnamed: 0,
                in_group: false,
            },
        );
        number
    }

    /// A data set leaves. With the last one the file goes back to the pool, if all were `complete`; one that was
    /// not leaves it as its
    /// owner's death would. True: others are still here, and the caller must [`detach`](Self::detach) them from the
    /// file.
    pub fn leave(&self, number: u32, complete: bool) -> bool {
        let mut state = self.state.lock();
        let named = state.data_sets.remove(&number).is_some_and(|m| m.maybe_named);
        // After a failure nobody knows which roots name the file: it stays as it is.
        let incomplete = (named || state.failed.is_some()) && !complete;
        if !state.data_sets.is_empty() {
            return incomplete;
        }
        let failed = state.failed.is_some();
        match state.file.take() {
            Some(claimed) if !incomplete && !failed => pool::release(claimed),
            left => state.let_go.extend(left.map(|file| file.log)),
        }
        // Who opens again begins with another file.
        state.failed = None;
        self.clear(&mut state);
        false
    }

    /// Lets the file go without saying that it is free. No tree needs it but those of data sets that left incomplete.
    pub fn detach(&self) {
        let mut state = self.state.lock();
        let log = state.file.as_ref().map(|file| file.log);
        state.let_go.extend(log);
        self.clear(&mut state);
    }

    /// Forgets file and records; LSNs go on.
    fn clear(&self, state: &mut State) {
        state.file = None;
        self.claimed.store(0, Relaxed);
        log::begin_group(&mut state.group);
        state.records = 0;
        self.durable.store(state.next_lsn - 1, Release);
        self.pressure.store(0, Relaxed);
        for member in state.data_sets.values_mut() {
            (member.named, member.early) = (false, false);
            (member.maybe_named, member.in_group) = (false, false);
        }
    }

    /// Id of the log that its file holds, 0 while it has none.
    #[inline]
    pub fn claimed(&self) -> u64 {
        self.claimed.load(Relaxed)
    }

    /// Before the first change of data set `number`: takes a file, if there is none, and has the data set name it (W6).
    /// What fails here leaves the change to be written to the log before it is answered, and that tells why.
    pub fn name_early(&self, number: u32) {
        let mut state = self.state.lock();
        if state.failed.is_some() || (state.file.is_none() && (state.flushing || self.claim(&mut state).is_err())) {
            return;
        }
        let Some((log, path)) = state.file.as_ref().map(|f| (f.log, f.path.display().to_string())) else {
            return;
        };
        let logger = match state.data_sets.get_mut(&number) {
            Some(member) if !member.early && !member.named => {
                member.maybe_named = true;
                member.logger.upgrade()
            }
            _ => return,
        };
        // Who names a log keeps its root, and asks the log meanwhile.
        let named = crate::sync::unlocked(&mut state, || {
            logger.is_some_and(|l| l.name_log_early(log, &path).is_ok())
        });
        if named && state.file.as_ref().is_some_and(|f| f.log == log) {
            if let Some(member) = state.data_sets.get_mut(&number) {
                member.early = true;
            }
        }
    }

    /// Takes a file; the group that is being gathered goes to its tail.
    fn claim(&self, state: &mut State) -> Result<(), String> {
        let mut claimed = pool::claim(
            &self.disk,
            &*self.clock,
            &self.directory,
            &*self.volumes.said(),
            &state.let_go,
            (self.epoch_bytes.load(Relaxed), self.gathers),
        )?;
        let first_lsn = state.next_lsn - u64::from(state.records);
        claimed.epoch_lsn = first_lsn;
        claimed.begin_tail(first_lsn, &state.group[GROUP_HEADER_LEN..]);
        self.claimed.store(claimed.log, Relaxed);
        state.file = Some(claimed);
        Ok(())
    }

    /// Data set `number` is about to be complete without this log, and others go on: the tail says so before its root does
    /// (T4).
    pub fn leaving(&self, number: u32) {
        let is_missed = |state: &State| {
            let named = state.data_sets.get(&number).is_some_and(|m| m.early || m.named);
            named && state.data_sets.len() > 1
        };
        if is_missed(&self.state.lock()) {
            self.append(&[], |group| LogRecord::Leaving { number }.append(group));
        }
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

    /// The root of `number` names no log any more: its tree has all of its requests. The next group with requests of it
    /// has it named again.
    pub fn unname(&self, number: u32) {
        if let Some(member) = self.state.lock().data_sets.get_mut(&number) {
            (member.named, member.early) = (false, false);
            member.unnamed += 1;
        }
    }

    /// The last LSN given.
    pub fn last(&self) -> u64 {
        self.state.lock().next_lsn - 1
    }

    /// An id for a unit of recovery.
    pub fn new_unit(&self) -> u64 {
        self.units.fetch_add(1, Relaxed) + 1
    }

    /// Does the root of `number` name the file there is?
    pub fn is_named(&self, number: u32) -> bool {
        let state = self.state.lock();
        state.file.is_some() && state.data_sets.get(&number).is_some_and(|m| m.named)
    }

    /// Might the root of `number` name the file there is?
    pub fn may_be_named(&self, number: u32) -> bool {
        let state = self.state.lock();
        state.file.is_some() && state.data_sets.get(&number).is_some_and(|m| m.maybe_named)
    }

    /// Do others than `number` log?
    pub fn has_others(&self, number: u32) -> bool {
        self.state.lock().data_sets.keys().any(|other| *other != number)
    }

    /// Is `number` alone in the log, and has that grown so much that it is worth starting over?
    pub fn is_worth_starting_over(&self, number: u32) -> bool {
        let state = self.state.lock();
        let least = self.epoch_bytes.load(Relaxed) / WORTH;
        state.data_sets.keys().eq([&number]) && state.file.as_ref().is_some_and(|f| f.at > least)
    }

    /// Logs one change of the data sets with these numbers. The caller holds the latch of the page that changed, or
    /// what orders it among the requests for the same records (W1). `write` appends one record.
    #[inline]
    pub fn append(&self, numbers: &[u32], write: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let mut guard = self.state.lock();
        let state = &mut *guard;
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
        if state.group.len() > self.gathers || self.eager.load(Relaxed) {
            self.pressure.fetch_or(GATHERED, Relaxed);
        }
        let lsn = state.next_lsn - 1;
        self.keep(state, from, named, lsn);
        lsn
    }

    /// Keeps what the group has from `from` on in the tail, if all data sets that it is of are `named` (W6).
    #[inline]
    fn keep(&self, state: &mut State, from: usize, named: bool, lsn: u64) {
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
            flush: pressure & GATHERED != 0 || is_exposed,
            long: pressure & LONG != 0,
            overdue: pressure & OVERDUE != 0,
            tail: pressure & TAIL_LOW != 0,
        }
    }

    /// From now on every change is written at once: there is no thread that would do it each second.
    pub fn always_flush(&self) {
        self.eager.store(true, Relaxed);
    }

    /// True if records wait that are not durable.
    #[cfg(test)]
    pub fn is_behind(&self) -> bool {
        self.state.lock().records > 0
    }

    /// Returns when everything up to `lsn` is durable (W2).
    pub fn flush(&self, lsn: u64) -> Result<(), String> {
        if self.durable.load(Acquire) >= lsn {
            return Ok(());
        }
        self.owner.check().map_err(|error| error.to_string())?;
        let mut state = self.state.lock();
        loop {
            if let Some(why) = &state.failed {
                return Err(why.clone());
            }
            if self.durable.load(Acquire) >= lsn || (state.records == 0 && !state.flushing) {
                return Ok(());
            }
            if state.flushing {
                self.flushed.wait(&mut state);
                continue;
            }
            state.flushing = true;
            let outcome = self.write_group(&mut state);
            state.flushing = false;
            if let Err(why) = outcome {
                state.failed = Some(why);
            }
            self.flushed.notify_all();
        }
    }

    /// Takes the group, and writes and syncs it with the state unlocked.
    fn write_group(&self, state: &mut crate::sync::MutexGuard<'_, State>) -> Result<(), String> {
        if state.file.is_none() {
            self.claim(state)?;
        }
        let mut group = std::mem::take(&mut state.spare);
        log::begin_group(&mut group);
        std::mem::swap(&mut group, &mut state.group);
        self.pressure.fetch_and(!GATHERED, Relaxed);
        let records = std::mem::take(&mut state.records);
        let (first, last) = (state.next_lsn - records as u64, state.next_lsn - 1);
        let (mut unnamed, mut introduction) = (Vec::new(), Vec::new());
        log::begin_group(&mut introduction);
        for (&number, member) in &mut state.data_sets {
            if std::mem::take(&mut member.in_group) && !member.named {
                member.introduce(number, &mut introduction);
                member.maybe_named = true;
                unnamed.push((number, member.logger.clone(), member.unnamed));
            }
        }
        if unnamed.is_empty() {
            introduction.clear();
        }
        let next_lsn = state.next_lsn;
        let (file, log, path, epoch, at, settled, name_settled) = match &mut state.file {
            Some(f) => {
                f.begin_tail(next_lsn, &[]);
                if !introduction.is_empty() {
                    log::finish_group(&mut introduction, f.log, f.epoch, first, 0);
                }
                log::finish_group(&mut group, f.log, f.epoch, first, records);
                let bytes = (introduction.len() + group.len()) as u64;
                pool::make_room(f, bytes + introduction.len() as u64)?;
                let at = f.at;
                f.at += bytes;
                f.weight += bytes.max(u64::from(records) * LIGHTEST);
                if f.weight > f.long {
                    self.pressure.fetch_or(LONG, Relaxed);
                }
                if f.weight > f.long + OVERDUE_BYTES {
                    self.pressure.fetch_or(OVERDUE, Relaxed);
                }
                (
                    f.file.clone(),
                    f.log,
                    f.path.clone(),
                    f.epoch,
                    at,
                    f.settled,
                    f.name_settled,
                )
            }
            None => return Err("the log has no file".into()),
        };
        debug_assert!(epoch > 0 && at % BLOCK_LEN as u64 == 0);
        let done = crate::sync::unlocked(state, || -> Result<u64, String> {
            let text = path.display().to_string();
            if !settled {
                pool::settle(&*self.disk, (&*file, &path, log), name_settled)?;
            }
            let write = |at: u64, group: &[u8]| {
                let written = file.write(&[WriteAt { at, buf: group }]);
                written.map_err(|e| format!("log {text}: write failed: {e}"))?;
                file.sync().map_err(|e| format!("log {text}: sync failed: {e}"))?;
                pool::forget_beyond_kept(&*file, at, group.len() as u64);
                Ok::<_, String>(())
            };
            if !introduction.is_empty() {
                write(at, &introduction)?; // W7
            }
            let mut not_named = Vec::new();
            log::begin_group(&mut not_named);
            for (number, logger, _) in &unnamed {
                let Some(logger) = logger.upgrade() else { continue };
                match logger.name_log(log, &text) {
                    // It counts as named below: nobody knows what its root says now.
                    Err(_) if logger.stands_alone() => append_not_named(&mut not_named, *number),
                    named => named?,
                }
            }
            let mut behind = introduction.len() as u64;
            let mut longer = 0;
            if not_named.len() > log::GROUP_HEADER_LEN {
                log::finish_group(&mut not_named, log, epoch, first, 0);
                write(at + behind, &not_named)?;
                longer = not_named.len() as u64;
                behind += longer;
            }
            write(at + behind, &group).map(|()| longer)
        });
        let longer = done?;
        if let Some(f) = &mut state.file {
            f.at += longer;
            (f.settled, f.name_settled) = (true, true);
        }
        // A group that one long record swelled is not kept.
        group.shrink_to(2 * self.gathers);
        state.spare = group;
        if state.records == 0 {
            // Nobody came meanwhile: the memory that was just in use is used again, and the other one never touched.
            let State { group, spare, .. } = &mut **state;
            std::mem::swap(group, spare);
            log::begin_group(group);
        }
        for (number, _, before) in unnamed {
            if let Some(member) = state.data_sets.get_mut(&number) {
                // A commit may have come between.
                member.named = member.unnamed == before;
            }
        }
        self.durable.store(last, Release);
        Ok(())
    }

    /// Every tree is committed without a log and no request runs: what the log holds is not needed any more.
    pub fn start_over(&self) {
        self.begin_epoch(&mut self.state.lock());
    }

    fn begin_epoch(&self, state: &mut State) {
        log::begin_group(&mut state.group);
        state.records = 0;
        self.durable.store(state.next_lsn - 1, Release);
        self.pressure.store(0, Relaxed);
        for member in state.data_sets.values_mut() {
            (member.named, member.early) = (false, false);
            (member.maybe_named, member.in_group) = (false, false);
            member.unnamed += 1;
        }
        let first_lsn = state.next_lsn;
        if let Some(f) = &mut state.file {
            f.epoch += 1;
            f.at = BLOCK_LEN as u64;
            f.weight = f.at;
            f.long = self.epoch_bytes.load(Relaxed);
            f.epoch_lsn = first_lsn;
            f.begin_tail(first_lsn, &[]);
        }
    }

    /// The tree of data set `number` is committed without a log, and the caller keeps its requests out: the log starts
    /// over, unless
    /// another data set logs, or a group is just being written.
    pub fn start_over_alone(&self, number: u32) {
        let mut state = self.state.lock();
        if !state.flushing && state.failed.is_none() && state.data_sets.keys().eq([&number]) {
            self.begin_epoch(&mut state);
        }
    }

    /// Every tree is committed, but what takes back the units that are open is needed still (U2 in [`crate::unit`]): the
    /// log goes on, and is long again when it has grown as much once more.
    pub fn go_on(&self) {
        let mut state = self.state.lock();
        self.pressure.fetch_and(!(LONG | OVERDUE), Relaxed);
        if let Some(f) = &mut state.file {
            f.long = f.weight + self.epoch_bytes.load(Relaxed);
        }
    }
}
