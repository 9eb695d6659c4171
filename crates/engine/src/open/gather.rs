//! What a close gives back of the file after much was changed.

use super::OpenDataSet;
use crate::error::RequestError;
use crate::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Large holes are made in any case, small ones for so long.
const TIME: Duration = Duration::from_millis(500);
/// Rounds at most. What is free doubles with each, from a sixteenth at least.
const ROUNDS: usize = 12;

impl OpenDataSet {
    /// After the last commit: lets the data component's CAs lie together where much was written, cuts off the file what
    /// is free at its end, and gives the space of what is free before that back. The caller keeps the gate exclusively.
    /// What cannot be moved stays where it is.
    ///
    /// # Errors
    /// A commit failed. The data set is complete, as the last one before that left it.
    pub fn give_back(&self) -> Result<(), RequestError> {
        self.give_space_back()?;
        if self.common().attributes.write_check {
            // The second copy of the last root, which no commit comes behind (write_check:W5).
            self.common().data.sync_root()?;
        }
        Ok(())
    }

    fn give_space_back(&self) -> Result<(), RequestError> {
        let data = &self.common().data;
        let from = self.shared.give_back_from.load(Relaxed);
        let has_unlisted = data.has_unlisted();
        if has_unlisted || data.is_sparse(from) {
            let dense = has_unlisted || !data.has_holes();
            for _ in 0..ROUNDS {
                match data.gather(dense) {
                    Ok(0) => break,
                    Ok(_) => self.commit_moved()?,
                    Err(_) => return Ok(()),
                }
            }
        }
        let least = if has_unlisted { 1 } else { from.max(1) };
        if data.free_at_end() >= least && data.trim() {
            self.commit_moved()?;
            if self.has_last_root_twice()? {
                data.cut()?;
            }
        }
        if data.written_bytes() >= from.max(1) && self.has_last_root_twice()? {
            let clock = &self.shared.env.clock;
            let enough = clock.passed() + TIME;
            data.give_space_back(from, || clock.passed() < enough);
        }
        Ok(())
    }

    /// Whether both copies of the root are the last one, durably: neither names what is free then. The second may have
    /// failed to be written (R7).
    fn has_last_root_twice(&self) -> Result<bool, RequestError> {
        let data = &self.common().data;
        data.sync()?;
        let root = self.roots.lock().data.clone();
        Ok(data.has_root_twice(&root).unwrap_or(false))
    }

    fn commit_moved(&self) -> Result<(), RequestError> {
        self.common().note_change();
        self.commit_tree(true)
    }
}
