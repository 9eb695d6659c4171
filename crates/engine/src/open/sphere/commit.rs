//! Committing the trees of a sphere, fencing and closing it (sphere:S3, S4, S6).

use super::Sphere;
use crate::error::RequestError;
use crate::open::OpenDataSet;

impl Sphere {
    /// An error if any member answers nothing more.
    pub fn check_fences(&self, base: &OpenDataSet) -> Result<(), RequestError> {
        base.common().check_fence()?;
        self.members.iter().try_for_each(|m| {
            let fence = m.ksds.check_fence();
            fence.map_err(|error| m.upgrade_error(error))
        })
    }

    /// After a failure in the middle of a unit: no tree is committed any more.
    pub fn fence(&self, base: &OpenDataSet, why: &str) {
        // Each may be fenced already, with words of its own.
        self.all(base).for_each(|member| member.common().fence(why));
    }

    /// Has one of the trees so many changed CIs that they should be committed?
    pub fn wants_commit(&self) -> bool {
        self.members.iter().any(|m| m.inner.wants_commit())
    }

    /// Commits all trees. `last`: they are complete without any log afterwards.
    pub fn commit(&self, base: &OpenDataSet, last: bool) -> Result<(), RequestError> {
        let _gates = self.all_gates(base);
        self.commit_gated(base, last)
    }

    /// The same, and the caller keeps all gates exclusively.
    pub fn commit_gated(&self, base: &OpenDataSet, last: bool) -> Result<(), RequestError> {
        self.check_fences(base)?;
        if self.all(base).filter(|member| member.has_changed()).count() > 1 {
            // S4. What the trees have and the log has not, the members would not agree about after a crash.
            base.flush_log()
                .inspect_err(|error| self.fence(base, &error.to_string()))?;
        }
        for member in self.all(base) {
            if let Err(error) = member.commit_tree(last) {
                // Those that are not committed catch up from the log, at the next open.
                self.fence(base, &error.to_string());
                return Err(error);
            }
        }
        Ok(())
    }

    /// The last handle is closed: commits, and lets go of everything.
    pub fn close(&self, base: &OpenDataSet) -> Result<(), RequestError> {
        let gates = self.all_gates(base);
        let mut done = self.check_fences(base);
        if done.is_ok() {
            self.all(base).for_each(OpenDataSet::note_closing);
            done = self
                .commit_gated(base, true)
                .and_then(|()| self.all(base).try_for_each(OpenDataSet::give_back));
        }
        // Whoever waits for a gate comes too late: nobody would commit what it changes.
        self.all(base)
            .for_each(|member| member.common().fence_quietly("it was closed"));
        drop(gates);
        self.leave(base);
        done
    }

    /// Lets go of everything without committing, as the death of the process would.
    pub fn leave(&self, base: &OpenDataSet) {
        for member in self.all(base) {
            member.common().fence_quietly("it was closed");
        }
        {
            // Units that are under way end at the fence, and nothing of them is logged.
            let _gates = self.all_gates(base);
            if self.all(base).any(OpenDataSet::has_changed) {
                // Once one member has left, a flush could name the log in the roots of the others alone (S4). If this
                // fails the log answers nothing more, so nobody does.
                let _ = base.flush_log();
            }
        }
        // The base last: who waits for it finds all of them gone.
        self.members().for_each(OpenDataSet::leave_alone);
        base.leave_alone();
    }
}
