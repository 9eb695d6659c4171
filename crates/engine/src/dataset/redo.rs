//! Logged requests done again in an open data set, and changes of units taken back.

use super::Inner;
use crate::common::by::By;
use crate::error::{OpenError, RequestError};
use crate::log::Logged;
use crate::sync::atomic::Ordering::Relaxed;

impl Inner {
    /// Does a request that takes a change of a unit back.
    pub fn take_back(&self, request: &Logged, by: By<'_>) -> Result<(), RequestError> {
        match self.sphere() {
            Some(sphere) => sphere.take_back(self, request, by),
            None => self.records.redo(request, by),
        }
    }

    /// Does a logged request again, unless the tree has it (R5).
    pub fn replay(&self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        if lsn <= self.roots.lock().data.log.lsn {
            return Ok(());
        }
        self.changed.store(true, Relaxed);
        let done = self.records.redo(logged, By::Itself);
        done.map_err(|error| self.unrecovered(format!("logged request {lsn} cannot be done again: {error}")))
    }

    /// Takes back what an unfinished unit did as request `lsn`, whether the tree had it or it was done again (U1).
    pub fn replay_undo(&self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        self.changed.store(true, Relaxed);
        let done = self.records.redo(logged, By::Itself);
        done.map_err(|error| {
            self.unrecovered(format!(
                "logged request {lsn}, of a unit that was not committed, cannot be taken back: {error}"
            ))
        })
    }

    fn unrecovered(&self, why: String) -> OpenError {
        OpenError::Unusable {
            path: self.data_path.clone(),
            what: format!("recovery: {why}"),
        }
    }

    /// All logged requests are done: the data set is complete.
    pub fn end_recovery(&self) -> Result<(), OpenError> {
        self.changed.store(true, Relaxed);
        let _gate = self.common().gate.write();
        self.commit_tree(true)
            .map_err(|error| self.unrecovered(error.to_string()))
    }
}
