//! Recovery: a dead owner's log is replayed for all data sets in it, and then it is free.
//!
//! What becomes of a data set that the log names:
//!
//! | its data component | its root | it |
//! |---|---|---|
//! | is the one being opened, by its cluster id | names this log | is recovered, whatever path the log has for it |
//! | is there | names this log | is recovered |
//! | is there | names no log, or another | is complete without this one |
//! | is there, of another cluster | | was deleted, and another has its name |
//! | is in use | names no log, or another | is complete without this one |
//! | is in use | names this log | stops the recovery: in use |
//! | is not there, the mark of its volume is, and no catalog names it | | was deleted |
//! | is not there, and a catalog names it, or its volume has no mark | | may come back: a log with its requests stays |
//! | is damaged, or recovering it fails | | waits for its own open, which says why: the log stays |
//!
//! * V1. A log is given back only when every data set that needs it, or may need it, has committed without it.
//!   Who deletes a data set asks whether it was the last one.
//! * V2. A data set is known by its cluster id; paths only say where to look.
//! * V3. What a unit did that has no end in the log is taken back after everything was done again, newest first, in
//!   each data set that takes part, whether its tree had it already or not.
//! * V4. The log says of each data set up to where its tree had the requests when the log began with it. A root from
//!   before that is refused: a device lost what it had said was durable, or the file is an old copy, and requests that
//!   are nowhere any more would be left out.
//! * V5. A data set that fails does not stop the others, unless it is the one being opened. What was done of it is not
//!   committed, and nothing more is done of it: its own open begins again. It comes to what the others came to though
//!   units changed both: each knows by its root what it has (R5), and whether a unit ended is in the log, which stays.
//! * V6. A root that does not name the log counts only when it is durable: its owner may have died between write and
//!   sync, and a power cut would bring the one before back when the log is gone.
//! * V7. Of the log nothing is done that is not durable in it: its owner may have died between write and sync. Else a
//!   power cut in the recovery could leave one data set with a change and another without it, and no log that tells.
//! * V9. What is in the log's tail alone counts only if every data set in it names the log, or said in it that it
//!   leaves (T4, T5 in `log/tail.rs`): names come before requests, so where one is missing a power cut took it, and what a
//!   power cut left of the tail is not done. What a root says early is made durable before anything is done.
//! * V8. Where later requests stand behind the end of the log, those between are lost (`log/gap.rs`): nothing is done and
//!   the log stays, unless no tree lacks any of them.

use crate::dataset::{Inner, OpenOptions};
use crate::engine::Engine;
use crate::error::OpenError;
use crate::log::{Gap, Left, LogReader, Logged};
use crate::roots::read_root;
use crate::unit::Unfinished;
use crate::volumes::Absent;
use cica_disk::{Create, Disk, File, Lock, Open};
use cica_format::root::{LogPosition, Root};
use cica_format::VOLUME_MARK;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A recovery in progress.
struct Recovery<'e> {
    engine: &'e Engine,
    log: u64,
    log_path: PathBuf,
    /// Cluster id of the data set that is being opened.
    wanted: Option<u64>,
    /// Data sets that take part, by cluster id.
    members: BTreeMap<u64, Arc<Inner>>,
    /// Those that failed (V5).
    aside: BTreeSet<u64>,
    /// What the numbers in the log mean.
    numbers: HashMap<u32, Member>,
    /// The log has requests of a data set that is away (V1).
    needed: bool,
    /// Changes of units whose end was not seen.
    unfinished: Unfinished,
}

#[derive(Clone)]
enum Member {
    /// It takes part; its cluster id.
    Open(u64, Arc<Inner>),
    /// It does not need this log: it was deleted.
    Complete,
    /// The same, because its root does not name the log.
    Unnamed,
    /// Its volume is not there, or it failed.
    Away,
}

impl Engine {
    /// Replays the log that a root names, for every data set in it (law 2).
    pub(crate) fn recover(&self, data: &Path, index: &Path, root: &Root) -> Result<(), OpenError> {
        let log_path = PathBuf::from(&root.log.path);
        let trouble = |what: String| OpenError::Log {
            path: log_path.clone(),
            what,
        };
        let reader = match LogReader::open(&*self.shared().env.disk, &log_path, root.log.log) {
            Ok(Left::Log(reader)) => Some(reader),
            // It was given back, so nothing in it is needed.
            Ok(Left::Released) => None,
            // It was named early, and then a power cut took the claim: no request in it was durable.
            Ok(Left::Absent(_)) if root.log.early => None,
            Ok(Left::Alive) => {
                return Err(OpenError::InUse {
                    path: data.to_path_buf(),
                    why: "the process that has it open for output is still there",
                })
            }
            // Another process recovered it since.
            Ok(Left::Absent(_)) | Err(_) if self.peek(data)?.log.log != root.log.log => return Ok(()),
            Ok(Left::Absent(what)) | Err(what) => {
                return Err(trouble(format!(
                    "{} needs the requests in this log, which its last owner left; {what}",
                    data.display()
                )))
            }
        };
        let mut recovery = Recovery {
            wanted: Some(root.cluster),
            ..Recovery::new(self, &root.log)
        };
        // First, so that it is found by its id wherever the log says it was.
        let first = recovery.take_in(root.cluster, data, index).map(drop);
        recovery.complete(reader, first)
    }

    /// The data set that named this log was deleted: if its owner died, what other data sets have in it is done, and it
    /// is free. Else a log of which all data sets were deleted would never be used again.
    ///
    /// # Errors
    /// As [`recover`](Self::recover); the log stays for whoever opens one of them.
    pub(crate) fn recover_others(&self, log: &LogPosition) -> Result<(), OpenError> {
        match LogReader::open(&*self.shared().env.disk, Path::new(&log.path), log.log) {
            Ok(Left::Log(reader)) => Recovery::new(self, log).complete(Some(reader), Ok(())),
            _ => Ok(()),
        }
    }

    /// Marks the directory of a data component as a volume, before the first data set is in it.
    pub(crate) fn mark_volume(&self, data: &Path) -> Result<(), OpenError> {
        let how = Open {
            write: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        let marked = self.shared().env.disk.open(&mark_of(data), how);
        marked.map(drop).map_err(|error| OpenError::Io {
            path: data.to_path_buf(),
            doing: "marking of the volume",
            error,
        })
    }
}

/// Whether the directory of a data component has the mark of a volume.
pub(crate) fn is_marked(disk: &dyn Disk, data: &Path) -> bool {
    disk.open(&mark_of(data), Open::default()).is_ok()
}

fn mark_of(data: &Path) -> PathBuf {
    data.with_file_name(VOLUME_MARK)
}

impl<'e> Recovery<'e> {
    fn new(engine: &'e Engine, log: &LogPosition) -> Recovery<'e> {
        Recovery {
            engine,
            log: log.log,
            log_path: PathBuf::from(&log.path),
            wanted: None,
            members: BTreeMap::new(),
            aside: BTreeSet::new(),
            numbers: HashMap::new(),
            needed: false,
            unfinished: Unfinished::default(),
        }
    }

    /// Replays the log, commits its data sets, and gives it back. `done` is how the beginning went.
    fn complete(mut self, mut reader: Option<LogReader>, mut done: Result<(), OpenError>) -> Result<(), OpenError> {
        if let Some(reader) = &reader {
            done = done.and_then(|()| reader.make_durable().map_err(|what| self.trouble(what)));
        }
        while done.is_ok() {
            match reader.as_mut().map_or(Ok(None), LogReader::next_group) {
                Ok(Some(group)) => done = self.replay_group(group),
                Ok(None) => {
                    done = self
                        .check_end(reader.as_mut())
                        .and_then(|gap| self.replay_tail(reader.as_mut(), gap))
                        .and_then(|()| self.take_back());
                    break;
                }
                Err(what) => done = Err(self.trouble(what)),
            }
        }
        for (cluster, inner) in self.members.clone() {
            done = done.and_then(|()| match inner.end_recovery() {
                Err(error) => self.set_aside(cluster, error),
                Ok(()) => Ok(()),
            });
        }
        self.members.values().for_each(|inner| inner.leave());
        done?;
        match reader.filter(|_| !self.needed) {
            Some(reader) => reader.release().map_err(|what| self.trouble(what)),
            None => Ok(()),
        }
    }

    /// The log must not end in front of requests that were written later (V8). Returns the gap behind which the trees
    /// have everything.
    fn check_end(&mut self, reader: Option<&mut LogReader>) -> Result<Option<Gap>, OpenError> {
        let Some(reader) = reader else { return Ok(None) };
        let Some(gap) = reader.pass_gap().map_err(|what| self.trouble(what))? else {
            return Ok(None);
        };
        if gap.after.is_some() {
            return Err(self.damaged(gap));
        }
        loop {
            while let Some(group) = reader.next_group().map_err(|what| self.trouble(what))? {
                self.check_trees_have(gap, group)?;
            }
            if reader.pass_gap().map_err(|what| self.trouble(what))?.is_none() {
                return Ok(Some(gap));
            }
        }
    }

    /// No group stands where the log begins: what stands behind `gap` is of an epoch that has ended, or the log has a
    /// gap.
    fn check_trees_have(&mut self, gap: Gap, group: Vec<(u64, Logged)>) -> Result<(), OpenError> {
        for (lsn, logged) in group {
            if let Logged::DataSet {
                number,
                cluster,
                data,
                index,
                ..
            } = &logged
            {
                self.introduce(*number, *cluster, Path::new(data), Path::new(index), 0)?;
                continue;
            }
            for number in logged.parts().iter().filter_map(Logged::number) {
                match self.numbers.get(&number) {
                    Some(Member::Open(_, inner)) if !inner.tree_has(lsn) => return Err(self.damaged(gap)),
                    Some(Member::Away) => self.needed = true,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Does what is in the log's tail alone, all of it or nothing (V9).
    fn replay_tail(&mut self, reader: Option<&mut LogReader>, gap: Option<Gap>) -> Result<(), OpenError> {
        let Some(reader) = reader else { return Ok(()) };
        let halves = reader.tail().map_err(|what| self.trouble(what))?;
        let records = || halves.iter().flat_map(|half| &half.records);
        let leaving: BTreeSet<u32> = records()
            .filter_map(|(_, logged)| match logged {
                Logged::Leaving(number) => Some(*number),
                _ => None,
            })
            .collect();
        for (_, logged) in records() {
            if let Logged::DataSet {
                number,
                cluster,
                committed,
                data,
                index,
            } = logged
            {
                if !self.numbers.contains_key(number) {
                    self.introduce(*number, *cluster, Path::new(data), Path::new(index), *committed)?;
                }
                if matches!(self.numbers.get(number), Some(Member::Unnamed)) && !leaving.contains(number) {
                    return Ok(());
                }
            }
        }
        for half in halves {
            match gap {
                // V8.
                Some(gap) if !half.begins_epoch() => self.check_trees_have(gap, half.records)?,
                _ => {
                    self.make_name_durable()?;
                    reader.take_tail(&half).map_err(|what| self.trouble(what))?;
                    self.replay_group(half.records)?;
                }
            }
        }
        Ok(())
    }

    /// Its owner may have died before it made the name of a new log durable (F6 in `log/pool.rs`), and of the data sets
    /// that are committed one by one the later ones must find it after a power cut.
    fn make_name_durable(&self) -> Result<(), OpenError> {
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let directory = self.log_path.parent().unwrap_or(Path::new("."));
        let synced = self
            .engine
            .disk()
            .open(directory, how)
            .and_then(|directory| directory.sync());
        synced.map_err(|error| self.trouble(format!("its name cannot be made durable: {error}")))
    }

    fn damaged(&self, gap: Gap) -> OpenError {
        self.trouble(format!(
            "{gap}, which were written before others that are there. Restore the data set from a copy, or take what is \
             left of it with cica salvage"
        ))
    }

    fn trouble(&self, what: String) -> OpenError {
        OpenError::Log {
            path: self.log_path.clone(),
            what,
        }
    }

    fn replay_group(&mut self, group: Vec<(u64, Logged)>) -> Result<(), OpenError> {
        for (lsn, logged) in group {
            match &logged {
                Logged::DataSet {
                    number,
                    cluster,
                    committed,
                    data,
                    index,
                } => {
                    // Later groups say it again; what the tree must have is what this log began behind.
                    if !self.numbers.contains_key(number) {
                        let begins = *committed;
                        self.introduce(*number, *cluster, Path::new(data), Path::new(index), begins)?;
                    }
                }
                Logged::Unit(parts) => self.replay_parts(lsn, parts)?,
                Logged::Recoverable { change, redo, undo } => {
                    self.replay_parts(lsn, redo)?;
                    self.unfinished.changed(lsn, *change, undo.clone());
                }
                Logged::TakenBack { change, redo } => {
                    self.replay_parts(lsn, redo)?;
                    self.unfinished.taken_back(*change);
                }
                Logged::UnitEnd(unit) => self.unfinished.ended(*unit),
                Logged::Leaving(_) => {}
                request => self.replay(lsn, request)?,
            }
        }
        Ok(())
    }

    /// From here on `number` is this cluster, whose tree must have the requests up to `begins` (V4).
    fn introduce(
        &mut self,
        number: u32,
        cluster: u64,
        data: &Path,
        index: &Path,
        begins: u64,
    ) -> Result<(), OpenError> {
        let opened = self.take_in(cluster, data, index).and_then(|member| {
            if let Member::Open(_, inner) = &member {
                inner.check_tree_has(begins)?;
            }
            Ok(member)
        });
        let member = match opened {
            Err(error @ OpenError::InUse { .. }) => return Err(error),
            Err(error) => {
                self.set_aside(cluster, error)?;
                Member::Away
            }
            Ok(member) => member,
        };
        self.numbers.insert(number, member);
        Ok(())
    }

    /// Each part is of one data set, and that knows by its root whether it has it (R5).
    fn replay_parts(&mut self, lsn: u64, parts: &[Logged]) -> Result<(), OpenError> {
        parts.iter().try_for_each(|part| self.replay(lsn, part))
    }

    /// Takes back what units did that have not ended.
    fn take_back(&mut self) -> Result<(), OpenError> {
        for (lsn, requests) in std::mem::take(&mut self.unfinished).newest_first() {
            for request in &requests {
                self.in_member(request, |inner| inner.replay_undo(lsn, request))?;
            }
        }
        Ok(())
    }

    /// Does a logged request of one data set again, if that takes part.
    fn replay(&mut self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        self.in_member(logged, |inner| inner.replay(lsn, logged))
    }

    /// Does something in the data set of a request, if that takes part.
    fn in_member(
        &mut self,
        request: &Logged,
        work: impl FnOnce(&Inner) -> Result<(), OpenError>,
    ) -> Result<(), OpenError> {
        match request.number().and_then(|number| self.numbers.get(&number)) {
            Some(Member::Open(cluster, inner)) => {
                let (cluster, inner) = (*cluster, inner.clone());
                work(&inner).or_else(|error| self.set_aside(cluster, error))
            }
            Some(Member::Away) => {
                self.needed = true;
                Ok(())
            }
            Some(Member::Complete | Member::Unnamed) | None => Ok(()),
        }
    }

    /// A data set failed (V5).
    fn set_aside(&mut self, cluster: u64, error: OpenError) -> Result<(), OpenError> {
        if self.wanted == Some(cluster) {
            return Err(error);
        }
        self.needed = true;
        self.aside.insert(cluster);
        if let Some(inner) = self.members.remove(&cluster) {
            inner.leave();
        }
        for member in self.numbers.values_mut() {
            if matches!(member, Member::Open(of, _) if *of == cluster) {
                *member = Member::Away;
            }
        }
        Ok(())
    }

    /// Opens a data set for recovery, if it needs this log (see the table).
    fn take_in(&mut self, cluster: u64, data: &Path, index: &Path) -> Result<Member, OpenError> {
        if self.aside.contains(&cluster) {
            return Ok(Member::Away);
        }
        if let Some(known) = self.members.get(&cluster) {
            self.check_copy(cluster, known, data)?;
            return Ok(Member::Open(cluster, known.clone()));
        }
        let file = match self.engine.open_file(data, Lock::Exclusive, true) {
            Ok(file) => file,
            Err(OpenError::Missing { .. }) if self.was_deleted(data) => return Ok(Member::Complete),
            Err(OpenError::Missing { .. }) => return Ok(Member::Away),
            Err(error @ OpenError::InUse { .. }) => {
                let file = self.engine.open_file(data, Lock::None, true)?;
                if read_root(&*file, data)?.log.log == self.log {
                    return Err(error);
                }
                return self.complete_member(&*file, data);
            }
            Err(error) => return Err(error),
        };
        let root = read_root(&*file, data)?;
        if root.log.log != self.log || root.cluster != cluster {
            let member = self.complete_member(&*file, data)?;
            return Ok(if root.cluster == cluster {
                member
            } else {
                Member::Complete
            });
        }
        if root.log.early {
            // V9.
            self.make_durable(&*file, data)?;
        }
        let inner = Inner::open(self.engine.shared(), file, root, data, index, OpenOptions::recovery())?;
        inner.exceed_definition();
        self.members.insert(cluster, inner.clone());
        Ok(Member::Open(cluster, inner))
    }

    /// Its file is not there. One that was moved away by hand keeps its entry in the catalog; where there is no catalog
    /// that could tell, it counts as deleted.
    fn was_deleted(&self, data: &Path) -> bool {
        is_marked(self.engine.disk(), data) && self.engine.shared().volumes().absent(data) != Absent::Named
    }

    /// A data set whose root does not name the log; from now on durably (V6).
    fn complete_member(&self, file: &dyn File, data: &Path) -> Result<Member, OpenError> {
        self.make_durable(file, data).map(|()| Member::Unnamed)
    }

    fn make_durable(&self, file: &dyn File, data: &Path) -> Result<(), OpenError> {
        file.sync().map_err(|error| OpenError::Io {
            path: data.to_path_buf(),
            doing: "sync",
            error,
        })
    }

    /// A second file of the same cluster that needs this log as well is a copy: nobody knows which of them is meant.
    fn check_copy(&self, cluster: u64, known: &Inner, data: &Path) -> Result<(), OpenError> {
        if known.data_path() == data {
            return Ok(());
        }
        // The same file under another name is locked by this recovery.
        let Ok(file) = self.engine.open_file(data, Lock::Exclusive, true) else {
            return Ok(());
        };
        match read_root(&*file, data) {
            Ok(root) if root.cluster == cluster && root.log.log == self.log => Err(OpenError::Unusable {
                path: data.to_path_buf(),
                what: format!(
                    "this is a second copy of {}, and both need the requests in log {}: take one of them away",
                    known.data_path().display(),
                    self.log_path.display()
                ),
            }),
            _ => Ok(()),
        }
    }
}
