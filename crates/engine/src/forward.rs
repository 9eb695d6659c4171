//! Forward recovery: a data set that was restored from a copy is brought forward by its archive.

use crate::archive::{self, Plan, RedoError, Step};
use crate::engine::Engine;
use crate::error::OpenError;
use crate::log::owned_parts;
use crate::open::OpenDataSet;
use crate::prepared::{clean, undecided_at, Undecided};
use crate::request::OpenOptions;
use crate::roots::read_root;

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

    /// The units of recovery that were prepared up to `prepared`, were not decided about at `moment`, and had changed data
    /// sets of this lineage: an archive and a copy have their changes as if they had been committed.
    ///
    /// # Errors
    /// Files of units in doubt, or of those that were, cannot be read.
    pub fn undecided_at(&self, lineage: u64, prepared: u64, moment: u64) -> Result<Vec<Undecided>, OpenError> {
        // What is over goes to the archive first.
        self.shared().unresolved()?;
        undecided_at(self.disk(), self.log_directory(), lineage, (prepared, moment))
    }

    /// Takes out of the archive what it keeps of units that were in doubt, where that was decided before a moment, and
    /// before what is left of the archives of their data sets begins. Tells how many that were, and their bytes.
    ///
    /// # Errors
    /// A file cannot be read or removed.
    pub fn clean_decided(&self, before: u64) -> Result<(u64, u64), OpenError> {
        clean(self.disk(), &self.archive_directory(), before)
    }

    /// Does the changes of `plan` again in a data set that was restored from the copy, and that nobody has open; then
    /// takes those of `undecided` back. Tells how many changes were done again. Nothing of it is logged: if this does
    /// not come to its end, the data set is of no use. `progress` is told how many are done.
    ///
    /// # Errors
    /// The data set or the archive is not as it should be.
    pub fn bring_forward(
        &self,
        (data, index): (&Path, &Path),
        plan: Option<&Plan>,
        undecided: &[Undecided],
        mut progress: impl FnMut(u64),
    ) -> Result<u64, OpenError> {
        let shared = self.shared();
        let file = self.open_for_itself(data)?;
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
        let count = plan.map_or(Ok(0), |plan| plan.each(self.disk(), redo));
        let taken_back = count.and_then(|count| take_back(&inner, undecided).map(|()| count));
        let ended = taken_back.and_then(|count| inner.end_recovery().map(|()| count));
        inner.leave();
        ended
    }
}

/// Takes back what units had done that were in doubt, the one that was prepared last first.
fn take_back(inner: &OpenDataSet, undecided: &[Undecided]) -> Result<(), OpenError> {
    for unit in undecided.iter().rev() {
        for requests in &unit.undo {
            let requests = owned_parts(requests).map_err(|error| OpenError::Unusable {
                path: inner.data_path().to_path_buf(),
                what: format!("what takes the unit of recovery {} back in it: {error}", unit.name),
            })?;
            requests.iter().try_for_each(|request| inner.undo_in_doubt(request))?;
        }
    }
    Ok(())
}
