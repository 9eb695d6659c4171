//! Logged requests done again in an open data set.

use super::OpenDataSet;
use crate::common::context::{Context, RECOVERY};
use crate::error::{OpenError, RequestError};
use crate::log::Logged;
use crate::sync::atomic::Ordering::Relaxed;
use cica_format::root::{Root, Stamp};

impl OpenDataSet {
    /// Notes that a logged request is to be done again, unless the tree has it (R5): false. It counts as done from here
    /// on: if it fails, nothing is committed.
    pub fn note_redone(&self, lsn: u64, logged: &Logged) -> bool {
        if self.tree_has(lsn) {
            return false;
        }
        self.common().note_change();
        if logged.is_of_index() {
            let origin = self.roots.lock().data.log.origin;
            if origin > 0 {
                self.ties.stamp(Stamp { origin, lsn });
            }
        }
        true
    }

    /// Does it.
    pub fn redo(&self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        let done = self.records.redo(logged, Context::Itself(RECOVERY));
        done.map_err(|error| self.unrecovered(&error, format!("logged request {lsn} cannot be done again: {error}")))
    }

    /// Does the tree that its root names have logged request `lsn`?
    pub fn tree_has(&self, lsn: u64) -> bool {
        lsn <= self.roots.lock().data.log.lsn
    }

    /// The root that it was opened by, or committed last.
    pub fn committed_root(&self) -> Root {
        self.roots.lock().data.clone()
    }

    /// The log begins with it after this LSN (R10, recovery:V4).
    pub fn check_tree_has(&self, committed: u64) -> Result<(), OpenError> {
        let there = self.roots.lock().data.log.lsn;
        if there >= committed {
            return Ok(());
        }
        Err(self.unusable(format!(
            "its root has the requests up to {there}, and the log has only those after {committed}: the device lost a \
             write that it had said was durable, or this file is an old copy. Restore the data set, or salvage it"
        )))
    }

    /// What recovery does must not fail for space that the definition does not give: the log does not say in which
    /// order records came, so they are done again as direct requests, which split CIs in the middle where ascending
    /// ones filled them.
    pub fn exceed_definition(&self) {
        self.common().data.exceed_definition();
        if let Some(index) = self.records.index() {
            index.exceed_definition();
        }
    }

    /// Takes back what an unfinished unit did as request `lsn`, whether the tree had it or it was done again (U1).
    pub fn replay_undo(&self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        self.common().note_change();
        let done = self.records.redo(logged, Context::Itself(RECOVERY));
        if logged.is_of_index() && self.roots.lock().data.log.origin > 0 {
            self.ties.stamp_taken_back();
        }
        done.map_err(|error| {
            let why = format!("logged request {lsn}, of a unit that was not committed, cannot be taken back: {error}");
            self.unrecovered(&error, why)
        })
    }

    /// What is done from here on makes the state of the moment when its root was written: its last change was then.
    pub fn stay_of_its_moment(&self) {
        let then = self.roots.lock().data.statistics.last_change;
        self.as_of.store(then, Relaxed);
    }

    /// Takes back in a copy what a unit had done that was open at its moment. The stamps of base and alternate indexes
    /// stay: both are copied, and both are taken back.
    pub fn undo_copied(&self, logged: &Logged) -> Result<(), OpenError> {
        self.common().note_change();
        let done = self.records.redo(logged, Context::Itself(RECOVERY));
        done.map_err(|error| {
            let why = format!("what a unit had done that was open when it was copied cannot be taken back: {error}");
            self.unrecovered(&error, why)
        })
    }

    /// Takes back what a unit had done that was in doubt at the moment to which the data set is recovered. It may have
    /// been taken back by then, or in part; nobody else has changed the record meanwhile.
    pub fn undo_in_doubt(&self, logged: &Logged) -> Result<(), OpenError> {
        self.common().note_change();
        match self.records.redo(logged, Context::Itself(RECOVERY)) {
            Err(RequestError::Duplicate { .. } | RequestError::NotFound | RequestError::BadRba { .. }) => Ok(()),
            done => done.map_err(|error| {
                let why = format!("what a unit in doubt had done cannot be taken back: {error}");
                self.unrecovered(&error, why)
            }),
        }
    }

    /// A disk that is full, or does not write, says nothing against the data set: it opens when that is mended.
    fn unrecovered(&self, error: &RequestError, why: String) -> OpenError {
        let feedback = error.feedback();
        if matches!((feedback.return_code, feedback.reason), (8, 28) | (12, 16)) {
            return OpenError::Io {
                path: self.data_path.clone(),
                doing: "recovery",
                error: std::io::Error::other(why),
            };
        }
        self.unusable(why)
    }

    fn unusable(&self, why: String) -> OpenError {
        OpenError::Unusable {
            path: self.data_path.clone(),
            what: format!("recovery: {why}"),
        }
    }

    /// What is done from here on makes a state that no open before has left.
    pub fn begin_forward(&self, now: u64) {
        let before = self.roots.lock().data.log.origin.max(self.ties.latest_origin());
        let origin = now.max(before + 1);
        self.origin.store(origin, Relaxed);
        // Its alternate indexes are not changed with it: they are to be built anew.
        self.ties.leave_behind(origin);
    }

    /// Does an archived request again. What grows too much is committed: nobody needs what was there before.
    pub fn redo_archived(&self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        self.common().note_change();
        let done = self.records.redo(logged, Context::Itself(RECOVERY));
        done.map_err(|error| {
            let why = format!(
                "request {lsn} of the archive cannot be done again: {error}. The copy is not of the data set and moment that \
                 the archive goes on from"
            );
            self.unrecovered(&error, why)
        })?;
        if self.wants_commit() {
            let _gate = self.common().gate.write();
            let done = self.commit_tree(false);
            done.map_err(|error| self.unrecovered(&error, error.to_string()))?;
        }
        Ok(())
    }

    /// Takes over a dictionary of the archive, which records that are archived behind it need.
    pub fn take_dictionary(&self, generation: u8, bytes: &[u8]) -> Result<(), OpenError> {
        let taken = match &self.common().compressed {
            Some(compressed) => compressed.take_over(generation, bytes),
            None => Err(RequestError::Options {
                what: "the archive has compressed records, and the copy is of a data set that is not COMPRESSED",
            }),
        };
        taken.map_err(|error| {
            let why = format!("dictionary {generation} of the archive cannot be taken over: {error}");
            self.unrecovered(&error, why)
        })
    }

    /// All logged requests are done: the data set is complete.
    pub fn end_recovery(&self) -> Result<(), OpenError> {
        self.common().note_change();
        let _gate = self.common().gate.write();
        self.commit_tree(true)
            .map_err(|error| self.unrecovered(&error, error.to_string()))
    }
}
