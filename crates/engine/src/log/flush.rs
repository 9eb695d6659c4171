//! Making the log durable: one thread writes and syncs a group, behind the names that it needs (W2, W3, W7).

use super::{pool, Log, LogCall, LogError, LogState, FAR_OVERDUE, FULL, GATHERED, LONG, OVERDUE};
use crate::sync::atomic::Ordering::*;
use crate::sync::MutexGuard;
use cica_disk::WriteAt;
use cica_format::log::{self, GroupStamp, LogRecord, BLOCK_LEN, GROUP_HEADER_LEN};
use std::sync::Arc;

/// Bytes of log by which it may grow while the trees are being committed, before changes wait for a moment each, and
/// again before they wait for the end.
const OVERDUE_BYTES: u64 = 128 << 20;

/// Bytes that a record counts at least towards the epoch: to do one again costs a recovery much the same, however few
/// they are.
const LIGHTEST: u64 = 100;

impl Log {
    /// Returns when everything up to `lsn` is durable (W2).
    pub fn flush(&self, lsn: u64) -> Result<(), LogError> {
        if self.durable.load(Acquire) >= lsn {
            return Ok(());
        }
        self.owner.check().map_err(|error| LogError::Parents(Arc::new(error)))?;
        self.flush_in(&mut self.state.lock(), lsn)
    }

    /// The same; with an LSN that was not given yet, until there is nothing left.
    pub(super) fn flush_in(&self, state: &mut MutexGuard<'_, LogState>, lsn: u64) -> Result<(), LogError> {
        loop {
            if let Some(why) = &state.failed {
                return Err(why.clone());
            }
            if self.durable.load(Acquire) >= lsn || (state.records == 0 && !state.flushing) {
                return Ok(());
            }
            if state.flushing {
                self.flushed.wait(state);
                continue;
            }
            state.flushing = true;
            let outcome = self.write_group(state);
            state.flushing = false;
            if let Err(why) = outcome {
                state.failed = Some(why);
            }
            self.flushed.notify_all();
        }
    }

    /// What a group says of this moment.
    pub(super) fn stamp(&self, state: &LogState) -> GroupStamp {
        GroupStamp {
            second: super::header::second(&*self.clock),
            units_open: !state.units.is_empty(),
        }
    }

    /// Takes the group, and writes and syncs it with the state unlocked.
    fn write_group(&self, state: &mut MutexGuard<'_, LogState>) -> Result<(), LogError> {
        if state.file.is_none() {
            self.claim(state)?;
        }
        let mut group = std::mem::take(&mut state.spare);
        log::begin_group(&mut group);
        std::mem::swap(&mut group, &mut state.group);
        self.pressure.fetch_and(!(GATHERED | FULL), Relaxed);
        let records = std::mem::take(&mut state.records);
        let (first, last) = (state.next_lsn - records as u64, state.next_lsn - 1);
        let stamp = self.stamp(state);
        let (mut unnamed, mut introduction, mut archived) = (Vec::new(), Vec::new(), Vec::new());
        log::begin_group(&mut introduction);
        for (&number, member) in &mut state.data_sets {
            if member.is_archived {
                archived.push((member.logger.clone(), member.in_group));
            }
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
                    log::finish_group(&mut introduction, f.log, f.epoch, first, 0, stamp);
                }
                log::finish_group(&mut group, f.log, f.epoch, first, records, stamp);
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
                if f.weight > f.long + 2 * OVERDUE_BYTES {
                    self.pressure.fetch_or(FAR_OVERDUE, Relaxed);
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
            None => return Err(LogError::NoFile),
        };
        debug_assert!(epoch > 0, "a log that was claimed has an epoch");
        debug_assert!(at % BLOCK_LEN as u64 == 0, "a group starts at a fresh block (W4): {at}");
        debug_assert!(
            group.len() % BLOCK_LEN == 0,
            "a group is whole blocks, so the next starts at one (W4)"
        );
        let done = crate::sync::unlocked(state, || -> Result<u64, LogError> {
            let text = path.display().to_string();
            if !settled {
                pool::settle(&*self.disk, (&*file, &path), name_settled)?;
            }
            let write = |at: u64, group: &[u8]| {
                let written = file.write(&[WriteAt { at, buf: group }]);
                written.map_err(LogError::io_of(LogCall::Write, &path))?;
                file.sync().map_err(LogError::io_of(LogCall::Sync, &path))?;
                pool::forget_beyond_kept(&*file, at, group.len() as u64);
                Ok::<_, LogError>(())
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
                    named => named.map_err(|why| LogError::NotNamed(why.into()))?,
                }
            }
            let mut behind = introduction.len() as u64;
            let mut longer = 0;
            if not_named.len() > GROUP_HEADER_LEN {
                log::finish_group(&mut not_named, log, epoch, first, 0, stamp);
                write(at + behind, &not_named)?;
                longer = not_named.len() as u64;
                behind += longer;
            }
            write(at + behind, &group)?;
            for (logger, has) in &archived {
                if let Some(logger) = logger.upgrade() {
                    logger.archive(&group, *has);
                }
            }
            Ok(longer)
        });
        let longer = done?;
        debug_assert!(state.flushing, "one thread flushes at a time (W2)");
        debug_assert!(
            longer % BLOCK_LEN as u64 == 0,
            "what was written besides is whole blocks as well (W4)"
        );
        if let Some(f) = &mut state.file {
            f.at += longer;
            (f.settled, f.name_settled) = (true, true);
        }
        // A group that one long record swelled is not kept.
        group.shrink_to(2 * self.gathers);
        state.spare = group;
        if state.records == 0 {
            // Nobody came meanwhile: the memory that was just in use is used again, and the other one never touched.
            let LogState { group, spare, .. } = &mut **state;
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
