//! The data sets that take part in a log, and what is known of their roots: whether they name it (W3, W5, W6, W7).

use super::{pool, Log, LogState, Logger};
use crate::sync::atomic::Ordering::*;
use cica_format::log::{self, LogRecord};
use std::path::Path;
use std::sync::Weak;

/// A data set that takes part.
pub struct Participant {
    cluster: u64,
    path: String,
    pub logger: Weak<dyn Logger>,
    /// Its root names this log, durably: it need not be asked to.
    pub named: bool,
    /// Its root names this log, and did so before its first request (W6).
    pub early: bool,
    /// Its root may name this log.
    pub maybe_named: bool,
    /// How often its root ceased to.
    pub unnamed: u32,
    /// What it logs is archived too.
    pub is_archived: bool,
    /// It has records in the group, which says first which data set the number means (W5).
    pub in_group: bool,
}

impl Participant {
    /// Says which data set `number` means.
    pub fn introduce(&self, number: u32, group: &mut Vec<u8>) {
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

impl Log {
    /// A data set takes part; the number goes into its records.
    pub fn join(&self, cluster: u64, data: &Path, index: &Path, logger: Weak<dyn Logger>) -> u32 {
        let mut state = self.state.lock();
        let number = state.next_number;
        state.next_number += 1;
        let path = format!("{}\0{}", data.display(), index.display());
        state.data_sets.insert(
            number,
            Participant {
                cluster,
                path,
                is_archived: logger.upgrade().is_some_and(|logger| logger.is_archived()),
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
        self.let_go(&mut self.state.lock());
    }

    pub(super) fn let_go(&self, state: &mut LogState) {
        let log = state.file.as_ref().map(|file| file.log);
        state.let_go.extend(log);
        self.clear(state);
    }

    /// Forgets file and records; LSNs go on.
    pub(super) fn clear(&self, state: &mut LogState) {
        state.file = None;
        self.claimed.store(0, Relaxed);
        log::begin_group(&mut state.group);
        state.records = 0;
        state.units.clear();
        self.durable.store(state.next_lsn - 1, Release);
        self.pressure.store(0, Relaxed);
        for member in state.data_sets.values_mut() {
            (member.named, member.early) = (false, false);
            (member.maybe_named, member.in_group) = (false, false);
        }
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
        let (logger, unnamed) = match state.data_sets.get_mut(&number) {
            Some(member) if !member.early && !member.named => {
                member.maybe_named = true;
                (member.logger.upgrade(), member.unnamed)
            }
            _ => return,
        };
        // Who names a log keeps its root, and asks the log meanwhile.
        let named = crate::sync::unlocked(&mut state, || {
            logger.is_some_and(|l| l.name_log_early(log, &path).is_ok())
        });
        if named && state.file.as_ref().is_some_and(|f| f.log == log) {
            if let Some(member) = state.data_sets.get_mut(&number) {
                // A root may have come between that names no log.
                member.early = member.unnamed == unnamed;
            }
        }
    }

    /// Data set `number` is about to be complete without this log, and others go on: the tail says so before its root does
    /// (T4).
    pub fn leaving(&self, number: u32) {
        let is_missed = |state: &LogState| {
            let named = state.data_sets.get(&number).is_some_and(|m| m.early || m.named);
            named && state.data_sets.len() > 1
        };
        if is_missed(&self.state.lock()) {
            self.append(&[], |group| LogRecord::Leaving { number }.append(group));
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

    /// Does the root of `number` name the file there is, or might a flush make it? Once everything is durable none does
    /// that while the caller keeps requests of `number` out.
    pub fn may_come_to_be_named(&self, number: u32) -> bool {
        let state = self.state.lock();
        let member = state.data_sets.get(&number);
        member.is_some_and(|m| m.maybe_named || m.in_group && state.failed.is_none())
    }

    /// Do others than `number` log?
    pub fn has_others(&self, number: u32) -> bool {
        self.state.lock().data_sets.keys().any(|other| *other != number)
    }
}
