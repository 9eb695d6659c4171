//! The epochs of a log: when it is long, and how it starts over.

use super::{Log, LogState, FAR_OVERDUE, LONG, OVERDUE};
use crate::sync::atomic::Ordering::*;
use crate::sync::atomic::{AtomicBool, AtomicU64};
use cica_format::log::{self, BLOCK_LEN};

/// Bytes of log after which all trees are committed and the log starts over: a quarter of the pool, within these
/// bounds. What a commit writes is the CIs that changed since the one before, and the longer that was, the more
/// often each of them changed (`docs/design/0012`).
const EPOCH_BYTES: (u64, u64) = (64 << 20, 256 << 20);
/// Bytes of the shortest epoch of a log that others wait for: recovery reads so much in the time in which a server is
/// started (`docs/design/0053`).
const SOON: u64 = 16 << 20;
/// How many bytes such a log grows for each that its checkpoints write, at least: what they write more than those of
/// long epochs is less than this part of the log.
const PER_BYTE_WRITTEN: u64 = 8;
/// Which part of an epoch a checkpoint finds worth starting over: what the log is for has to be said in a root again.
const WORTH: u64 = 64;

/// Bytes of an epoch for a pool of so many bytes.
pub fn epoch_for(pool: usize) -> u64 {
    (pool as u64 / 4).clamp(EPOCH_BYTES.0, EPOCH_BYTES.1)
}

/// After how many bytes the log is long.
pub(super) struct Length {
    now: AtomicU64,
    longest: AtomicU64,
    /// Is it short where a checkpoint costs little?
    follows_cost: AtomicBool,
    /// Bytes that checkpoints have written since the log started over.
    written: AtomicU64,
}

impl Length {
    pub(super) fn new(bytes: u64) -> Length {
        Length {
            now: AtomicU64::new(bytes),
            longest: AtomicU64::new(bytes),
            follows_cost: AtomicBool::new(false),
            written: AtomicU64::new(0),
        }
    }

    /// Bytes of the epoch that begins now or has begun.
    pub(super) fn bytes(&self) -> u64 {
        self.now.load(Relaxed)
    }

    fn follow_cost(&self) {
        self.follows_cost.store(true, Relaxed);
        self.now.fetch_min(SOON, Relaxed);
    }

    /// The epoch has ended: the next one is as long as the checkpoint at its end has cost.
    pub(super) fn begin_next(&self) {
        let written = self.written.swap(0, Relaxed);
        if self.follows_cost.load(Relaxed) {
            let next = written.saturating_mul(PER_BYTE_WRITTEN).max(SOON);
            self.now.store(next.min(self.longest.load(Relaxed)), Relaxed);
        }
    }
}

impl Log {
    /// From now on it starts over after so many bytes.
    pub fn start_over_after(&self, bytes: u64) {
        self.length.now.store(bytes, Relaxed);
        self.length.longest.store(bytes, Relaxed);
    }

    /// From now on it starts over as soon as a checkpoint is cheap beside what was logged.
    pub fn start_over_soon(&self) {
        self.length.follow_cost();
    }

    /// A checkpoint has written so many bytes of CIs.
    pub fn checkpoint_wrote(&self, bytes: u64) {
        self.length.written.fetch_add(bytes, Relaxed);
    }

    /// Is `number` alone in the log, and has that grown so much that it is worth starting over?
    pub fn is_worth_starting_over(&self, number: u32) -> bool {
        let state = self.state.lock();
        let least = self.length.bytes() / WORTH;
        state.data_sets.keys().eq([&number]) && state.file.as_ref().is_some_and(|f| f.at > least)
    }

    /// How many epochs the log is long by now, of the longest that there are.
    pub fn epochs(&self) -> u64 {
        let at = self.state.lock().file.as_ref().map_or(0, |file| file.at);
        at / self.length.longest.load(Relaxed).max(1)
    }

    /// Every tree is committed without a log and no request runs: what the log holds is not needed any more.
    pub(super) fn begin_epoch(&self, state: &mut LogState) {
        self.length.begin_next();
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
            f.long = self.length.bytes();
            f.epoch_lsn = first_lsn;
            f.begin_tail(first_lsn, &[]);
        }
    }

    /// The tree of data set `number` is committed without a log, and the caller keeps its requests out: the log starts
    /// over, unless
    /// another data set logs, or a group is just being written.
    pub fn start_over_alone(&self, number: u32) {
        let mut state = self.state.lock();
        if !state.flushing && state.failed.is_none() && state.units.is_empty() && state.data_sets.keys().eq([&number]) {
            self.begin_epoch(&mut state);
        }
    }

    /// Every tree is committed, but what takes back the units that are open is needed still, and cannot be carried (Y2
    /// in `carry.rs`): the log goes on, and is long again when it has grown as much once more.
    pub(super) fn go_on(&self, state: &mut LogState) {
        self.pressure.fetch_and(!(LONG | OVERDUE | FAR_OVERDUE), Relaxed);
        if let Some(f) = &mut state.file {
            f.long = f.weight + self.length.bytes();
        }
    }
}
