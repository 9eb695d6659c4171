//! Forward recovery: a data set that was restored from a copy is brought forward by its archive.

use crate::archive::{self, Plan, RedoError, Step};
use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::open_file;
use crate::open::OpenDataSet;
use crate::request::OpenOptions;
use crate::roots::read_root;
use cica_disk::Lock;
use std::path::{Path, PathBuf};

impl From<RedoError> for OpenError {
    fn from(error: RedoError) -> Self {
        let path = match &error {
            RedoError::Segment(of) => of.path.clone(),
            _ => PathBuf::new(),
        };
        let what = match &error {
            RedoError::Segment(of) => format!("the archive of LOG(ALL): {}", of.what),
            other => other.to_string(),
        };
        OpenError::Log { path, what }
    }
}

impl Engine {
    /// Where the archive of LOG(ALL) lies: `archive` beside the directory of the logs.
    pub fn archive_directory(&self) -> PathBuf {
        archive::directory(self.log_directory())
    }

    /// The way from a copy, which has this lineage and origin in its root, to the state of a moment (nanoseconds since
    /// 1970).
    ///
    /// # Errors
    /// There is none: the archive has a gap, is damaged, or does not know the copy.
    pub fn way_forward(&self, copy: (u64, u64), until: u64) -> Result<Plan, RedoError> {
        archive::plan(self.disk(), &self.archive_directory(), copy, until)
    }

    /// Does the changes of `plan` again in a data set that was restored from the copy, and that nobody has open; tells
    /// how many changes that were. Nothing of it is logged: if this does not come to its end, the data set is of no
    /// use. `progress` is told how many are done.
    ///
    /// # Errors
    /// The data set or the archive is not as it should be.
    pub fn bring_forward(
        &self,
        data: &Path,
        index: &Path,
        plan: &Plan,
        mut progress: impl FnMut(u64),
    ) -> Result<u64, OpenError> {
        let shared = self.shared();
        let file = open_file(self.disk(), data, Lock::Exclusive, true)?;
        let root = read_root(&*file, data)?;
        let inner = OpenDataSet::open(shared, file, root, data, index, OpenOptions::recovery())?;
        inner.exceed_definition();
        // What it becomes is the state of no open before.
        inner.begin_forward(shared.env.clock.now());
        let mut done = 0;
        let redo = |step: Step| {
            let (lsn, requests) = match step {
                Step::Change { lsn, requests } => (lsn, requests),
                Step::Dictionary { generation, bytes } => return inner.take_dictionary(generation, &bytes),
            };
            for request in &requests {
                inner.redo_archived(lsn, request)?;
                done += 1;
                progress(done);
            }
            Ok::<(), OpenError>(())
        };
        let count = plan.each(self.disk(), redo);
        let ended = count.and_then(|count| inner.end_recovery().map(|()| count));
        inner.leave();
        ended
    }
}
