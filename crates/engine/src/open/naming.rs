//! The log's name in the root of an open data set: early before the first change, durably before the log has requests
//! of it, and away again when its tree is whole without.

use super::{OpenDataSet, Sphere};
use crate::error::{OpenError, RequestError};
use crate::log::{Logger, NamingError};
use crate::request::Access;
use crate::sync::atomic::Ordering::*;
use cica_format::root::{LogPosition, LOG_PATH_LEN};
use std::sync::{Arc, Weak};

impl OpenDataSet {
    /// Law 6: before the first change its root names the log, and so do those of its alternate indexes.
    #[inline]
    pub(super) fn name_log_before_change(&self) {
        let log = self.shared.log.claimed();
        if (log == 0 || self.named_early.load(Relaxed) != log) && !self.common().loading.load(Relaxed) {
            self.name_log_early_in_all();
        }
    }

    #[cold]
    fn name_log_early_in_all(&self) {
        let log = &self.shared.log;
        let members = self.sphere().into_iter().flat_map(Sphere::members);
        for number in std::iter::once(self)
            .chain(members)
            .filter_map(|inner| inner.common().log_number())
        {
            log.name_early(number);
        }
        self.named_early.store(log.claimed(), Relaxed);
    }

    /// Changes will be logged.
    ///
    /// # Errors
    /// They are to be archived, and cannot be.
    pub fn join_log(self: &Arc<Self>) -> Result<(), OpenError> {
        if self.options.access == Access::Output {
            let cluster = self.roots.lock().data.cluster;
            let weak: Weak<OpenDataSet> = Arc::downgrade(self);
            // The tree is complete as of now, in the counting of this process's log.
            let last = self.shared.log.last();
            let mut roots = self.roots.lock();
            roots.data.log.lsn = last;
            // Above those of all opens before, whatever the clock says.
            let before = roots.data.log.origin.max(self.ties.latest_origin());
            self.origin.store(self.shared.env.clock.now().max(before + 1), Relaxed);
            drop(roots);
            self.begin_archive()?;
            self.committed.store(last, Relaxed);
            self.common()
                .set_log_number(self.shared.log.join(cluster, &self.data_path, &self.index_path, weak));
        }
        Ok(())
    }

    /// The log was named before a first change that was refused then: the root is again what the other copy has. It
    /// need not be durable: of a power cut one copy or the other comes back, and neither needs the log.
    pub(super) fn take_back_early_name(&self) -> Result<(), RequestError> {
        self.archive_before_last_root()?;
        let mut roots = self.roots.lock();
        roots.last = self.closing.load(Relaxed);
        if !roots.data.log.early {
            return Ok(());
        }
        let mut root = roots.data.clone();
        root.version += 2;
        root.log = self.log_position(&roots.data.log, true);
        self.common()
            .data
            .write_root(&root)
            .inspect_err(|error| self.common().fence_quietly(&error.to_string()))?;
        roots.data = root;
        self.note_unnamed();
        Ok(())
    }

    /// Its root names no log any more: the next change names it early again.
    pub(super) fn note_unnamed(&self) {
        self.named_early.store(0, Relaxed);
        if let Some(number) = self.common().log_number() {
            self.shared.log.unname(number);
        }
    }

    /// Does its root name the file that the log has now?
    pub fn is_named(&self) -> bool {
        let number = self.common().log_number();
        number.is_some_and(|number| self.shared.log.is_named(number))
    }

    /// Does it, or might a flush make it?
    pub(super) fn may_come_to_be_named(&self) -> bool {
        let number = self.common().log_number();
        number.is_some_and(|number| self.shared.log.may_come_to_be_named(number))
    }

    /// Would recovery read the file that the log has now? Its root may name it, and the last commit was not one after
    /// which the tree is whole without.
    pub fn needs_log(&self) -> bool {
        let number = self.common().log_number();
        number.is_some_and(|number| self.shared.log.may_be_named(number)) && self.has_changed()
    }

    /// The committed root says whether a log is named, because a flush may be naming one just now.
    pub(super) fn log_position(&self, committed: &LogPosition, last: bool) -> LogPosition {
        // Others go on. Of a data set that names the log, its own requests have just been made durable, and its root
        // must not say that the log has more than it has (R12).
        let lsn = if !last && self.is_named() {
            self.shared.log.durable()
        } else {
            self.shared.log.last()
        };
        if last {
            LogPosition {
                log: 0,
                path: String::new(),
                lsn,
                early: false,
                origin: committed.origin.max(self.origin()),
            }
        } else {
            LogPosition {
                lsn,
                // What a load commits is of this open already: an archive has nothing of it.
                origin: if self.common().loading.load(Relaxed) {
                    committed.origin.max(self.origin())
                } else {
                    committed.origin
                },
                ..committed.clone()
            }
        }
    }
}

impl Logger for OpenDataSet {
    fn stands_alone(&self) -> bool {
        !self.is_of_sphere()
    }

    fn committed(&self) -> u64 {
        self.committed.load(Relaxed)
    }

    /// Into the copy that was written last: the other one has the same tree, and is durable (R7). Where it has not,
    /// this is durable first, and goes over the other.
    fn name_log_early(&self, log: u64, path: &str) -> Result<(), NamingError> {
        self.settle_archive()?;
        let mut roots = self.roots.lock();
        if roots.last {
            return Err("it is closed".into());
        }
        // What it has in a log that was let go is known by its root alone.
        self.common().check_fence()?;
        let mut root = roots.data.clone();
        root.log = LogPosition {
            log,
            path: fitting(path).to_string(),
            lsn: root.log.lsn,
            early: true,
            origin: self.origin(),
        };
        let data = &self.common().data;
        let next = data.has_root_twice(&roots.data).and_then(|twice| {
            if twice {
                Ok(root.version + 2)
            } else {
                data.sync().map(|()| root.version + 1)
            }
        });
        let written = next.and_then(|version| {
            root.version = version;
            data.write_root(&root)
        });
        match written {
            Ok(_) => {
                roots.data = root;
                Ok(())
            }
            Err(error) => {
                self.common().fence_quietly(&error.to_string());
                Err(error.into())
            }
        }
    }

    fn identity(&self) -> (u32, u64, u64) {
        (self.sealed.load(Relaxed), self.origin(), self.ties.lineage())
    }

    fn archive(&self, group: &[u8], has: bool) {
        self.archive_written(group, has);
    }

    fn is_archived(&self) -> bool {
        self.archive.get().is_some()
    }

    fn name_log(&self, log: u64, path: &str) -> Result<(), NamingError> {
        self.settle_archive()?;
        let mut roots = self.roots.lock();
        if roots.last {
            return Ok(());
        }
        let mut root = roots.data.clone();
        root.log = LogPosition {
            log,
            path: fitting(path).to_string(),
            lsn: root.log.lsn,
            early: false,
            origin: self.origin(),
        };
        // The copy that stays must be durable before the other is written over.
        let durable = self.common().data.sync();
        match durable.and_then(|()| self.write_data_root(&mut root)) {
            Ok(()) => {
                roots.data = root;
                Ok(())
            }
            Err(error) => {
                self.common().fence_quietly(&error.to_string());
                Err(error.into())
            }
        }
    }
}

/// A path that is too long for a root says less there: the file's name is enough where the log is looked for.
fn fitting(path: &str) -> &str {
    if path.len() > LOG_PATH_LEN {
        path.rsplit('/').next().unwrap_or_default()
    } else {
        path
    }
}
