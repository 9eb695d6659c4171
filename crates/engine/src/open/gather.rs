//! What a close gives back of the file after much was changed.

use super::OpenDataSet;
use crate::error::RequestError;
use crate::sync::atomic::Ordering::Relaxed;

/// Rounds at most. What is free doubles with each, from a sixteenth at least.
const ROUNDS: usize = 12;

impl OpenDataSet {
    /// After the last commit: lets the data component's CAs lie together and cuts its file. The caller keeps the gate
    /// exclusively. What cannot be moved stays where it is.
    ///
    /// # Errors
    /// A commit failed. The data set is complete, as the last one before that left it.
    pub fn give_back(&self) -> Result<(), RequestError> {
        let data = &self.common().data;
        if !data.is_sparse(self.shared.give_back_from.load(Relaxed)) {
            return Ok(());
        }
        for _ in 0..ROUNDS {
            match data.gather() {
                Ok(0) => break,
                Ok(_) => self.commit_moved()?,
                Err(_) => return Ok(()),
            }
        }
        if data.trim() {
            self.commit_moved()?;
            // Both copies of the root are to name no region that is cut off.
            data.sync()?;
            data.cut()?;
        }
        Ok(())
    }

    fn commit_moved(&self) -> Result<(), RequestError> {
        self.common().note_change();
        self.commit_tree(true)
    }
}
