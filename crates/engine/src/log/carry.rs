//! The end of an epoch while units of recovery are open: what takes them back is carried into the next one.
//!
//! It is one group, the *carry*, without LSNs of its own: it introduces the data sets whose roots name the log, and has
//! what takes back each change of each open unit.
//!
//! * Y1. Whoever ends an epoch keeps all gates, and has committed all trees; those with changes of open units name the
//!   log still, the others do not (W7). So only the ends of units come meanwhile. They go into the group that gathers,
//!   which stands behind the carry in the next epoch: the carry is the table of open units (Y5) as of the LSN before.
//! * Y2. The carry is written twice: at the end of the epoch, durably, and then over its beginning, as the first group
//!   of the next. It is never longer than the epoch, so the second never reaches the first; else the log goes on.
//!   Of one that is longer than a block the first block is made durable before the others: from then on the old epoch
//!   has no first group. Else its second group could be gone while the first is there, which is damage (V8 in
//!   recovery).
//! * Y3. A crash finds the old epoch whole; or no first group, and behind it the rest of the old epoch, which ends in a
//!   carry (`recovery/end.rs`); or the next epoch. A tail that has ends of units goes with each of them: its LSNs follow
//!   on both epochs.
//! * Y4. The next epoch ends when it has grown by as much as was carried, so what is carried is written twice for as
//!   many bytes of other records at most. A log is as long as two epochs and three times what takes the open
//!   units back.

use super::members::Participant;
use super::units::Undo;
use super::{pool, Claimed, Log, LogCall, LogError, LogState};
use crate::sync::atomic::Ordering::*;
use crate::sync::MutexGuard;
use cica_disk::{File, WriteAt};
use cica_format::log::{append_carried, carried_len, group_checksum, GroupHeader, BLOCK_LEN, GROUP_HEADER_LEN};
use std::collections::BTreeSet;
use std::io;
use std::sync::Weak;

/// A carry is shorter than any group that a reader takes for one.
const MOST: usize = 512 << 20;

/// See the module.
struct Carry {
    header: GroupHeader,
    introductions: Vec<u8>,
    changes: Vec<(u64, Undo)>,
}

/// How an epoch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The log begins anew.
    StartedOver,
    /// What is to be carried is longer than the epoch: the log goes on.
    GoesOn,
}

impl Log {
    /// Ends the epoch. Every tree is committed, without the log but for data sets that open units have changed, both
    /// copies of their roots are durable (R9), and the caller keeps all gates (Y1).
    ///
    /// # Errors
    /// The log has failed.
    pub fn start_over(&self) -> Result<Ended, LogError> {
        let mut state = self.state.lock();
        while state.flushing {
            self.flushed.wait(&mut state);
        }
        if state.units.is_empty() && !state.data_sets.values().any(|member| member.named) {
            self.begin_epoch(&mut state);
            return Ok(Ended::StartedOver);
        }
        self.flush_in(&mut state, u64::MAX)?;
        let carry = self.carry(&state, |_, member| member.named);
        let len = carry.header.group_len();
        let fits = |file: &mut Claimed| {
            let is_shorter = len < MOST && file.at >= (BLOCK_LEN + len) as u64;
            // A disk that is full is told of where something must be written.
            is_shorter && pool::make_room(file, len as u64).is_ok()
        };
        if !state.file.as_mut().is_some_and(fits) {
            self.go_on(&mut state);
            return Ok(Ended::GoesOn);
        }
        state.flushing = true;
        let written = self.write_carry(&mut state, carry);
        state.flushing = false;
        if let Err(why) = &written {
            state.failed = Some(why.clone());
        }
        self.flushed.notify_all();
        written.map(|()| Ended::StartedOver)
    }

    /// Everything so far is durable, and nobody flushes.
    fn carry(&self, state: &LogState, introduces: impl Fn(u32, &Participant) -> bool) -> Carry {
        let mut introductions = Vec::new();
        let those = state
            .data_sets
            .iter()
            .filter(|(number, member)| introduces(**number, member));
        for (&number, member) in those {
            member.introduce(number, &mut introductions);
        }
        let changes = state.units.all();
        let bytes = changes
            .iter()
            .map(|(_, change)| carried_len(change.undo.len()))
            .sum::<usize>();
        let claimed = state.file.as_ref();
        Carry {
            header: GroupHeader {
                log: claimed.map_or(0, |file| file.log),
                epoch: claimed.map_or(0, |file| file.epoch),
                first_lsn: state.next_lsn - u64::from(state.records),
                records: 0,
                // What is longer is not written.
                bytes: u32::try_from(introductions.len() + bytes).unwrap_or(u32::MAX / 2),
                stamp: self.stamp(state),
            },
            introductions,
            changes,
        }
    }

    /// Leaves the file as the death of its owner would, and goes on in another: for a data set that needs the first.
    /// What takes open units back in the data sets `kept` begins the new file, and their roots name it then. Their
    /// trees are committed with all requests, and the caller keeps all gates.
    ///
    /// # Errors
    /// There is no other file. The log has none then, and no root names any but the first.
    pub fn leave_behind(&self, kept: &BTreeSet<u32>) -> Result<(), LogError> {
        let mut state = self.state.lock();
        self.flush_in(&mut state, u64::MAX)?;
        let mut units = std::mem::take(&mut state.units);
        self.let_go(&mut state);
        units.keep(kept);
        state.units = units;
        // Their roots name the first file, though their units may have ended just now.
        if kept.is_empty() {
            return Ok(());
        }
        let begun = self
            .claim(&mut state)
            .and_then(|()| self.begin_with_carry(&mut state, kept));
        if begun.is_err() {
            // Ends of units that came meanwhile. Who waits for one asks whether it is lost.
            let lost = state.next_lsn - u64::from(state.records)..state.next_lsn;
            if !lost.is_empty() {
                self.lost_to.store(lost.end, Release);
                state.lost.push(lost);
            }
            self.clear(&mut state);
        }
        begun
    }

    /// Was this record thrown away before it was durable?
    pub fn is_lost(&self, lsn: u64) -> bool {
        lsn < self.lost_to.load(Acquire) && self.state.lock().lost.iter().any(|lost| lost.contains(&lsn))
    }

    /// The file was just claimed: nobody flushes, and nothing is in it.
    fn begin_with_carry(&self, state: &mut MutexGuard<'_, LogState>, kept: &BTreeSet<u32>) -> Result<(), LogError> {
        let carry = self.carry(state, |number, _| kept.contains(&number));
        let (bytes, records) = (carry.header.group_len(), state.records);
        let first_lsn = state.next_lsn - u64::from(records);
        let named = state.data_sets.iter().filter(|(number, _)| kept.contains(number));
        let named: Vec<_> = named.map(|(_, member)| member.logger.clone()).collect();
        let mut piece = std::mem::take(&mut state.spare);
        let Some(claimed) = state.file.as_mut().filter(|_| bytes < MOST) else {
            return Err(LogError::CarryTooLong);
        };
        pool::make_room(claimed, bytes as u64)?;
        // An end of a unit that its tail had counted only where the roots name it: until then it has none (tail:T1).
        let tail = claimed.tail.take();
        let (file, path, log) = (claimed.file.clone(), claimed.path.clone(), claimed.log);
        let name_settled = claimed.name_settled;
        state.flushing = true;
        let begun = crate::sync::unlocked(state, || -> Result<(), LogError> {
            pool::settle(&*self.disk, (&*file, &path), name_settled)?;
            let text = path.display().to_string();
            let written = carry.write(&*file, BLOCK_LEN as u64, (self.gathers, u64::MAX), &mut piece);
            let durable = written.and_then(|()| file.sync());
            durable.map_err(LogError::io_of(LogCall::Claim, &path))?;
            for logger in named.iter().filter_map(Weak::upgrade) {
                // It has fenced itself. What takes it back is in both logs, so either name will do.
                let _ = logger.name_log(log, &text);
            }
            Ok(())
        });
        state.flushing = false;
        piece.shrink_to(2 * self.gathers);
        state.spare = piece;
        self.flushed.notify_all();
        begun?;
        for (_, member) in state.data_sets.iter_mut().filter(|(number, _)| kept.contains(number)) {
            (member.named, member.maybe_named) = (true, true);
        }
        let LogState { file, group, .. } = &mut **state;
        if let Some(claimed) = file {
            claimed.at = (BLOCK_LEN + bytes) as u64;
            claimed.weight = claimed.at;
            claimed.long = claimed.at + self.length.bytes().max(bytes as u64); // Y4
            (claimed.settled, claimed.name_settled) = (true, true);
            claimed.tail = tail;
            claimed.begin_tail(first_lsn, &group[GROUP_HEADER_LEN..]);
        }
        Ok(())
    }

    fn write_carry(&self, state: &mut MutexGuard<'_, LogState>, mut carry: Carry) -> Result<(), LogError> {
        let next_lsn = state.next_lsn;
        self.length.begin_next();
        let epoch_bytes = self.length.bytes();
        let mut piece = std::mem::take(&mut state.spare);
        let Some(claimed) = &mut state.file else { return Ok(()) };
        let (file, path, end) = (claimed.file.clone(), claimed.path.clone(), claimed.at);
        // What comes meanwhile is of the next epoch (Y3).
        claimed.epoch += 1;
        claimed.epoch_lsn = next_lsn;
        claimed.begin_tail(next_lsn, &[]);
        let next_epoch = claimed.epoch;
        let len = carry.header.group_len() as u64;
        let written = crate::sync::unlocked(state, || {
            let mut write = |carry: &Carry, at, most| {
                carry.write(&*file, at, (self.gathers, most), &mut piece)?;
                file.sync()
            };
            write(&carry, end, u64::MAX)?;
            carry.header.epoch = next_epoch;
            if len > BLOCK_LEN as u64 {
                write(&carry, BLOCK_LEN as u64, BLOCK_LEN as u64)?;
            }
            write(&carry, BLOCK_LEN as u64, u64::MAX)
        });
        piece.shrink_to(2 * self.gathers);
        state.spare = piece;
        written.map_err(LogError::io_of(LogCall::Carry, &path))?;
        for member in state.data_sets.values_mut().filter(|member| !member.named) {
            (member.early, member.maybe_named) = (false, false);
            member.unnamed += 1;
        }
        self.pressure
            .fetch_and(!(super::LONG | super::OVERDUE | super::FAR_OVERDUE), Relaxed);
        if let Some(claimed) = &mut state.file {
            claimed.at = BLOCK_LEN as u64 + len;
            claimed.weight = claimed.at;
            claimed.long = claimed.at + epoch_bytes.max(len); // Y4
        }
        Ok(())
    }
}

impl Carry {
    /// Writes it at `at`, at most so many bytes, by pieces of `room`.
    fn write(&self, file: &dyn File, at: u64, (room, most): (usize, u64), piece: &mut Vec<u8>) -> io::Result<()> {
        let mut checksum = 0;
        self.each_piece(0, room, piece, |_, bytes| {
            checksum = group_checksum(checksum, bytes);
            Ok(())
        })?;
        self.each_piece(checksum, room, piece, |from, bytes| {
            let left = usize::try_from(most.saturating_sub(from as u64)).unwrap_or(usize::MAX);
            match &bytes[..bytes.len().min(left)] {
                [] => Ok(()),
                buf => file.write(&[WriteAt {
                    at: at + from as u64,
                    buf,
                }]),
            }
        })
    }

    /// The bytes of the group, by pieces of whole blocks and about `room` bytes, each with its place in the group.
    fn each_piece(
        &self,
        checksum: u32,
        room: usize,
        piece: &mut Vec<u8>,
        mut each: impl FnMut(usize, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut from = 0;
        piece.clear();
        piece.extend_from_slice(&self.header.encode(checksum));
        piece.extend_from_slice(&self.introductions);
        for (unit, Undo { sequence, lsn, undo }) in &self.changes {
            append_carried(piece, *unit, *sequence, *lsn, undo);
            if piece.len() >= room {
                let whole = piece.len() / BLOCK_LEN * BLOCK_LEN;
                each(from, &piece[..whole])?;
                from += whole;
                piece.drain(..whole);
            }
        }
        piece.resize(self.header.group_len() - from, 0);
        each(from, piece)
    }
}
