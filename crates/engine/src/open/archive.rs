//! What an open data set with LOG(ALL) does for its archive ([`crate::archive`] has the rules).

use super::OpenDataSet;
use crate::archive::{directory, ArchiveError, Begin, Writer};
use crate::error::{OpenError, RequestError};
use crate::request::Logging;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::Mutex;
use std::collections::BTreeSet;

/// What to do about an archive that cannot be written.
const REMEDY: &str =
    "Nothing is lost. When it can be written (is the disk full?), close the data set and open it again: \
                      what the archive lacks comes from the log";

impl From<ArchiveError> for OpenError {
    fn from(error: ArchiveError) -> Self {
        OpenError::Log {
            path: error.path,
            what: format!("the archive of LOG(ALL): {}", error.what),
        }
    }
}

impl OpenDataSet {
    /// Begins a segment for an open for output, if LOG says so.
    pub(super) fn begin_archive(&self) -> Result<(), OpenError> {
        if self.options.log != Logging::All {
            return Ok(());
        }
        let attributes = &self.common().attributes;
        let what = {
            let roots = self.roots.lock();
            Begin {
                lineage: self.ties.lineage(),
                cluster: roots.data.cluster,
                name: attributes.cluster_name.clone(),
                origin: self.origin(),
                after: roots.data.log.origin,
                since: roots.data.log.lsn,
                loaded: self.common().loading.load(Relaxed),
                compressed: attributes.compressed,
            }
        };
        let env = &self.shared.env;
        let writer = Writer::begin(&env.disk, &env.clock, &directory(&env.log_dir), what)?;
        // Nobody else begins one: the data set is known to nobody yet.
        let _ = self.archive.set(Mutex::new(Some(writer)));
        Ok(())
    }

    /// Goes on with the segment of the owner that died, if it had one.
    pub fn resume_archive(&self) -> Result<(), OpenError> {
        let env = &self.shared.env;
        let of = (self.ties.lineage(), self.roots.lock().data.log.origin);
        if let Some(writer) = Writer::resume(&env.disk, &env.clock, &directory(&env.log_dir), of)? {
            // As above.
            let _ = self.archive.set(Mutex::new(Some(writer)));
        }
        Ok(())
    }

    /// Does `work` on the archive that it writes to; none: it has no archive, or was let go of.
    fn with_archive<T>(&self, work: impl FnOnce(&mut Writer) -> T) -> Option<T> {
        self.archive.get()?.lock().as_mut().map(work)
    }

    /// Has it an archive to write to?
    pub fn has_archive(&self) -> bool {
        self.with_archive(|_| ()).is_some()
    }

    /// The lineage by which its archive is known; 0: it has none.
    pub fn archived_as(&self) -> u64 {
        if self.has_archive() {
            self.ties.lineage()
        } else {
            0
        }
    }

    /// Brings a group of a dead owner's log, which called the data set `number`, to the archive.
    pub fn archive_recovered(&self, group: &[u8], number: u32, time: Option<u64>) -> Result<(), OpenError> {
        let added = self.with_archive(|archive| archive.add(group, number, time, |n| self.dictionary_bytes(n)));
        Ok(added.unwrap_or(Ok(()))?)
    }

    /// Units of a dead owner that are prepared: the log may not have their ends.
    pub fn archive_ends(&self, units: &[u64]) -> Result<(), OpenError> {
        let ended = self.with_archive(|archive| archive.end_units(units));
        Ok(ended.unwrap_or(Ok(()))?)
    }

    /// A group is durable in the log, and `has` requests of the data set or not (archive:A1). What fails fences it (archive:A5).
    pub(super) fn archive_written(&self, group: &[u8], has: bool) {
        let Some(number) = self.common().log_number() else {
            return;
        };
        self.with_archive(|archive| {
            if !has && !archive.has_open_units() || self.common().is_fenced() {
                return;
            }
            if let Err(error) = archive.add(group, number, None, |n| self.dictionary_bytes(n)) {
                self.fence_for_archive(&error);
            }
        });
    }

    /// A dictionary that its records are compressed with (archive:A8).
    fn dictionary_bytes(&self, generation: u8) -> Option<Vec<u8>> {
        let compressed = self.common().compressed.as_ref()?;
        compressed.dictionary_bytes(generation)
    }

    fn fence_for_archive(&self, error: &ArchiveError) {
        let why = format!("{error}. {REMEDY}");
        self.members().for_each(|member| member.common().fence_quietly(&why));
    }

    /// Before the root says that this open has changed the data set, early or durably: the archive has the head of its
    /// segment (archive:A3).
    pub(super) fn settle_archive(&self) -> Result<(), ArchiveError> {
        let settled = self.with_archive(Writer::settle).unwrap_or(Ok(()));
        settled.inspect_err(|error| self.fence_for_archive(error))
    }

    /// Before a root that names no log, which has everything up to the LSN that is returned (archive:A2). The caller
    /// keeps the gate.
    pub(super) fn archive_before_root(&self, last: bool) -> Result<Option<u64>, RequestError> {
        if !self.has_archive() {
            return Ok(None);
        }
        let lsn = self.shared.log.last();
        if self.common().log_number().is_some() {
            self.flush_log()?;
        }
        let done = self.with_archive(|archive| {
            if last {
                archive.end(lsn)
            } else {
                archive.make_durable(lsn)
            }
        });
        done.unwrap_or(Ok(())).map_err(|error| RequestError::Fenced {
            why: format!("{error}. {REMEDY}"),
        })?;
        Ok(Some(lsn))
    }

    /// Before the last root of an open that has changed nothing. Where the root has the origin of this open, as it
    /// named the log for a change that was refused, the archive has a segment of it, an empty one: the next open
    /// follows that.
    pub(super) fn archive_before_last_root(&self) -> Result<(), RequestError> {
        let named = self.roots.lock().data.log.origin == self.origin();
        if named && self.closing.load(Relaxed) {
            self.archive_before_root(true)?;
        }
        Ok(())
    }

    /// A copy is made of what it is now, but for these open units (archive:A7); the caller keeps the gate.
    pub(super) fn note_copy_in_archive(&self, origin: u64, units: &BTreeSet<u64>) -> Result<(), RequestError> {
        let noted = self.with_archive(|archive| archive.note_copy(origin, units));
        noted.unwrap_or(Ok(())).map_err(|error| {
            self.fence_for_archive(&error);
            RequestError::Fenced {
                why: format!("{error}. {REMEDY}"),
            }
        })
    }

    /// Before the log lets go of what it has, though the root names it still (archive:A2).
    pub(super) fn is_archive_durable(&self) -> bool {
        let done = self.with_archive(Writer::sync_if_written).unwrap_or(Ok(()));
        done.inspect_err(|error| self.fence_for_archive(error)).is_ok()
    }

    /// The data set is let go of, and its segment with it (archive:A9). What was not ended recovery goes on with.
    pub(super) fn leave_archive(&self) {
        let Some(writer) = self.archive.get().and_then(|archive| archive.lock().take()) else {
            return;
        };
        if !self.has_changed() {
            writer.give_up_empty();
        }
    }
}
