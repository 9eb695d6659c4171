//! Closing an open data set, or letting go of it without a commit.

use super::OpenDataSet;
use crate::error::RequestError;
use crate::sync::atomic::Ordering::*;

impl OpenDataSet {
    /// Waits until whoever closes the data set has let go of its files.
    pub fn wait_until_gone(&self) {
        let mut gone = self.gone.0.lock();
        while !*gone {
            self.gone.1.wait(&mut gone);
        }
    }

    /// The last handle is being closed, and the files are not let go of yet.
    pub fn is_leaving(&self) -> bool {
        let ending = self.has_left() || (!self.upgraded.load(Relaxed) && self.handles.load(Acquire) == 0);
        ending && !*self.gone.0.lock()
    }

    /// The next commit is the last.
    pub fn note_closing(&self) {
        self.closing.store(true, Relaxed);
    }

    pub(super) fn close(&self) -> Result<(), RequestError> {
        // Nothing is upgraded while the base is loaded.
        if let Some(sphere) = self.sphere().filter(|_| !self.records.is_building()) {
            return sphere.close(self);
        }
        let gate = self.common().gate.write();
        let mut done = self.common().check_fence();
        if done.is_ok() && self.records.is_building() {
            self.common().note_change();
            done = self.records.end_load();
        }
        if let (true, Some(compressed)) = (done.is_ok(), &self.common().compressed) {
            done = compressed.end_sampling();
        }
        if done.is_ok() {
            self.note_closing();
            done = self.commit_tree(true).and_then(|()| self.give_back());
        }
        // Whoever waits for the gate comes too late: nobody would commit what it changes.
        self.common().fence_quietly("it was closed");
        drop(gate);
        self.leave();
        done
    }

    /// The last handle is dropped and was not closed: counts that, if there is something to commit.
    pub fn note_left_uncommitted(&self) {
        let sound = self.check_fences().is_ok();
        if sound && self.members().any(OpenDataSet::has_changed) {
            self.shared.left_uncommitted.fetch_add(1, Relaxed);
        }
    }

    /// Nobody hears why the close of a handle that was dropped has failed, so it is counted.
    pub fn note_close_failed(&self) {
        self.shared.left_uncommitted.fetch_add(1, Relaxed);
    }

    /// Lets go of everything without committing.
    pub fn leave(&self) {
        if self.shared.owner.is_parent() {
            return;
        }
        match self.sphere() {
            _ if self.has_left() => {}
            Some(sphere) => sphere.leave(self),
            None => self.leave_alone(),
        }
    }

    /// The same for one member of a sphere.
    pub fn leave_alone(&self) {
        if self.has_left() {
            return;
        }
        // Between "left" and the log's knowing it the log must not start over: it may hold requests that only it has.
        let logs = self
            .common()
            .log_number()
            .map(|number| (number, self.shared.starting_over.lock()));
        if self.left.swap(true, AcqRel) {
            return;
        }
        self.common().fence_quietly("it was closed");
        self.common().holds.end_all();
        {
            // Changes that are under way end at the fence; a flush names no log in a root that nobody will commit.
            let _gate = self.common().gate.write();
            if self.has_changed()
                && logs
                    .as_ref()
                    .is_some_and(|(number, _)| self.shared.log.has_others(*number))
            {
                // They will write the group that has its requests, and its root must name the log before (log:W3). If
                // this fails, the log answers nothing more.
                let _ = self.shared.log.flush(self.shared.log.last());
            }
            self.roots.lock().last = true;
            self.leave_archive();
            self.common().data.leave_pool();
            if let Some(index) = self.records.index() {
                index.leave_pool();
            }
        }
        if let Some((number, quiet)) = logs {
            let complete = !self.has_changed();
            if self.shared.log.leave(number, complete) {
                self.shared.detach_log(&quiet);
            }
        }
        self.note_reader();
        *self.gone.0.lock() = true;
        self.gone.1.notify_all();
    }

    pub fn has_left(&self) -> bool {
        self.left.load(Acquire)
    }
}

impl Drop for OpenDataSet {
    fn drop(&mut self) {
        self.leave();
    }
}
