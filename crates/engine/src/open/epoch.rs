//! The end of a log's epoch: all trees are committed and the log starts over, while requests go on.
//!
//! | log is | who changes something | a thread of its own |
//! |---|---|---|
//! | shorter than an epoch | goes on | - |
//! | longer | goes on, and starts the thread if none is there | writes early, then commits with requests kept out |
//! | longer by 128 MiB more | waits for a moment with each change | the same |
//! | longer by 256 MiB more | waits for the commit | the same |
//!
//! Without threads (in a simulation) the request that finds the log too long does all of it.
//!
//! * E1. Writing early is what giving up a page does: images go to slots that are not committed, headers to copies
//!   that are not, at any time. A commit finds what was changed again since, and only that keeps requests waiting.
//! * E2. What was written early, or given up by requests meanwhile, is made durable before the gates are closed, so
//!   that syncs of the commit find little to do. A sync that fails fences the data set like any other.
//! * E3. A log that a fenced data set needs is let go, and so is one that failed. A fenced data set whose log was let
//!   go needs no other: the next epoch ends as if it were not there. Nor does one need it that is closed and has not
//!   left yet: were the log let go for that, nobody would take its file again.
//! * E5. While somebody copies pinned trees the log goes on (pin:H2).
//! * E4. No log starts over, here or at a checkpoint, above a root of which one copy alone is durable (R9).

use super::pace::Paced;
use super::pin::MOST_EPOCHS;
use super::{OpenDataSet, Shared};
use crate::error::RequestError;
use crate::log::{LogError, Wants};
use crate::sync::atomic::Ordering::*;
use crate::sync::{MutexGuard, TIME_PASSES};
use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// Rounds of writing early at most, if changes are paced and if not.
const ROUNDS: (usize, usize) = (16, 3);
/// So few CIs are left to the commit.
const FEW: usize = 64;
/// A round behind one that wrote no more CIs than these writes headers as well: few of them are written twice.
const FEW_FOR_HEADERS: usize = 1024;

impl Shared {
    /// Is the log to go on, however long it is (E5)?
    pub fn puts_epoch_off(&self) -> bool {
        self.pins.load(Acquire) > 0 && self.log.epochs() < MOST_EPOCHS
    }

    /// The log is too long.
    pub fn end_epoch(self: &Arc<Self>, log: Wants) {
        if !self.env.background || log.far_overdue || log.overdue && !TIME_PASSES {
            return self.end_epoch_here();
        }
        if !self.ending_epoch.swap(true, AcqRel) {
            let shared = self.clone();
            let started = crate::sync::start("cica-commit", 512 << 10, move || {
                let guard = shared.starting_over.lock();
                shared.start_over();
                drop(guard);
                shared.ending_epoch.store(false, Release);
            });
            if started.is_err() {
                self.ending_epoch.store(false, Release);
                return self.end_epoch_here();
            }
        }
        if log.overdue {
            self.pace.wait_while(|| self.ending_epoch.load(Acquire));
        }
    }

    /// The same by the caller, or behind who is at it.
    fn end_epoch_here(&self) {
        let _guard = self.starting_over.lock();
        if self.log.wants().long {
            self.start_over();
        }
    }

    /// Commits every tree and starts the log over. The caller has the right to.
    fn start_over(&self) {
        // Those that are closed meanwhile wait for us with letting go of their files.
        let changed = those_open(&self.open.lock());
        let paced = self.write_early(&changed);
        drop(changed);
        // A data set that is being opened would begin to log what is thrown away here.
        let open = self.open.lock();
        let all = those_open(&open);
        let gates: Vec<_> = all.iter().map(|inner| inner.common().gate.write()).collect();
        // The members of a sphere are committed one after the other, so the log must have their units (S4).
        let logged = self.log.flush(self.log.last());
        let (fenced, sound): (Vec<_>, Vec<_>) = all.iter().partition(|inner| inner.common().is_fenced());
        // What a fenced one has in the log is needed, and a log that failed is of no more use: the others go on
        // without.
        if logged.is_err() || fenced.iter().any(|inner| inner.needs_log()) {
            self.commit_off_log(&all, &logged);
        } else {
            // The gates are kept, so no unit makes another change just now (U2).
            let in_units = self.log.in_open_units();
            let is_in_units = |inner: &OpenDataSet| {
                let number = inner.common().log_number();
                number.is_some_and(|number| in_units.contains(&number))
            };
            let commit = |inner: &OpenDataSet| {
                if !is_in_units(inner) {
                    inner.commit_without_log()
                } else {
                    inner.commit_tree(false)
                }
            };
            let done = |inner: &&Arc<OpenDataSet>| {
                commit(inner).is_ok() && inner.roots_are_durable() && inner.is_archive_durable()
            };
            if sound.into_iter().all(|inner| done(&inner)) {
                if let Err(why) = self.log.start_over() {
                    self.commit_off_log(&all, &Err(why));
                }
            }
        }
        drop(gates);
        drop(open);
        drop(paced);
    }

    /// Writes what a commit would write, until there is little left. Changes are paced until the answer is dropped,
    /// which is behind the commit.
    pub(super) fn write_early(&self, all: &[impl Deref<Target = OpenDataSet>]) -> Option<Paced<'_>> {
        let paced = self.pace.begin();
        let rounds = if paced.is_some() { ROUNDS.0 } else { ROUNDS.1 };
        let mut last = usize::MAX;
        for round in 0..rounds {
            if let Some(paced) = paced.as_ref().filter(|_| round > 0) {
                paced.begin_round(last);
            }
            let with_headers = last <= FEW_FOR_HEADERS || round + 1 == rounds;
            let written = all.iter().map(|inner| inner.write_early(with_headers)).sum();
            if written > 0 {
                // The commit has to flush what is in no group yet; it tells of a failure.
                let _ = self.log.flush(self.log.last());
            }
            if written <= FEW && with_headers {
                break;
            }
            last = written;
        }
        paced
    }

    /// Commits a data set of which lists are full (books:T2), while requests go on, if threads can be
    /// started.
    pub fn commit_crowded(&self, inner: &OpenDataSet) -> Result<(), RequestError> {
        if !self.env.background || inner.must_commit() {
            return inner.checkpoint();
        }
        if inner.is_ending_lists.swap(true, AcqRel) {
            return Ok(());
        }
        let found = self.open.lock().get(inner.data_path()).and_then(Weak::upgrade);
        let started = found.is_some_and(|inner| {
            let started = crate::sync::start("cica-commit", 512 << 10, move || {
                // What fails fences it, and the next request says so.
                let _ = inner.checkpoint_apart();
                inner.is_ending_lists.store(false, Release);
            });
            started.is_ok()
        });
        if started {
            return Ok(());
        }
        inner.is_ending_lists.store(false, Release);
        inner.checkpoint()
    }

    /// Commits the trees of all that can without the log's file, and lets that go as if its owner had died: those that
    /// cannot recover from it. What takes open units back in the others goes with them into another file (U6). The
    /// caller keeps all gates.
    pub(crate) fn commit_off_log(&self, all: &[Arc<OpenDataSet>], logged: &Result<(), LogError>) {
        let in_units = logged
            .as_ref()
            .map_or_else(|_| BTreeSet::new(), |()| self.log.in_open_units());
        let number = |inner: &OpenDataSet| inner.common().log_number().filter(|number| in_units.contains(number));
        for inner in all {
            if number(inner).is_some() {
                // It is fenced if that fails, and stays with the file.
                let _ = inner.commit_tree(false);
                let _ = inner.is_archive_durable();
                continue;
            }
            match logged {
                // The trees of a sphere must not be committed one by one (S4).
                Err(why) if inner.is_of_sphere() => inner.common().fence_quietly(&why.to_string()),
                // U6.
                _ if inner.common().has_units() => inner
                    .common()
                    .fence_quietly("its log is needed to take an open unit of recovery back"),
                _ => {}
            }
            // A data set that cannot commit is fenced by the failure and recovers from the same file.
            let _ = inner.commit_without_log();
        }
        let sound = all.iter().filter(|inner| inner.check_fences().is_ok());
        let kept: BTreeSet<u32> = sound.filter_map(|inner| number(inner)).collect();
        let left = logged
            .as_ref()
            .map_err(LogError::clone)
            .and_then(|()| self.log.leave_behind(&kept));
        if let Err(error) = left {
            let why = error.to_string();
            let of_units = all.iter().filter(|inner| number(inner).is_some());
            of_units.for_each(|inner| inner.common().fence_quietly(&why));
            self.log.detach();
        }
    }

    /// A data set left incomplete while others still log: their trees are committed without a log, and the file
    /// that holds the
    /// incomplete one's requests is let go as if its owner had died, so that the next open recovers from it.
    pub fn detach_log(&self, _quiet: &MutexGuard<'_, ()>) {
        let open = self.open.lock();
        let all = those_open(&open);
        let gates: Vec<_> = all.iter().map(|inner| inner.common().gate.write()).collect();
        // Nothing is left that a flush could write meanwhile. If it fails, the log answers nothing more.
        let logged = self.log.flush(self.log.last());
        self.commit_off_log(&all, &logged);
        drop(gates);
        drop(open);
    }
}

/// The open data sets, in the order in which their gates are taken.
fn those_open(open: &HashMap<PathBuf, Weak<OpenDataSet>>) -> Vec<Arc<OpenDataSet>> {
    let mut all: Vec<Arc<OpenDataSet>> = open
        .values()
        .filter_map(Weak::upgrade)
        .filter(|i| !i.has_left())
        .collect();
    all.sort_by_key(|inner| inner.data_path().to_path_buf());
    all
}
