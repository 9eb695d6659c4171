//! Recovery: a dead owner's log is replayed for all data sets in it, and then it is free.
//!
//! What becomes of a data set that the log names:
//!
//! | its data component | its root | it |
//! |---|---|---|
//! | is the one being opened, by its cluster id | names this log | is recovered, whatever path the log has for it |
//! | is there | names this log | is recovered |
//! | is there | names no log, or another, and is later than when the log began with it | is complete without this one |
//! | is there | the same, and is not later | has no requests in the log, or this is no copy of one moment (N2) |
//! | is there, of another cluster | | was deleted, and another has its name; or was moved (the table in `succession.rs`) |
//! | is in use | names no log, or another | is complete without this one |
//! | is in use | names this log | stops the recovery: in use |
//! | is not there, the mark of its volume is, and no catalog names it | | was deleted |
//! | is not there, and a catalog names it, or its volume has no mark | | may come back: its log stays |
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
//!   leaves and has no request behind that (T4, T5 in `log/tail.rs`): names come before requests, so where one is missing
//!   a power cut took it, and what a power cut left of the tail is not done. What a root says early is made durable
//!   before anything is done.
//! * N1. A root names a log durably (not early) that introduced its data set in the epoch that it has, durably, and no
//!   log is given back before its recovery has written that root anew (V1). So a root that names a log which is over,
//!   or which does not introduce its data set, or introduces another open of it, is of another moment than the log:
//!   refused.
//! * N4. A root that names the log, and is later than when the log began with it, has nothing in its tree that the log
//!   has not (R12): a log that ends before is older than the root.
//! * N2. What the log introduced, it says which root it had then. One no later, and requests in the log: its file
//!   is older than the log. Nothing of the log is done then, or units would be done in part.
//! * N3. A log is looked for in the log directory of whoever opens, by its id (`log/find.rs`), and data sets where its
//!   volumes are now, by theirs (`places.rs`): whether at the paths that were written down lies anything, and what,
//!   says nothing. But a data set at the very path that the log has for it, while the log is not where it was, belongs
//!   to the original of which this is a copy.
//! * V8. Where later requests stand behind the end of the log, those between are lost (`log/gap.rs`): nothing is done and
//!   the log stays, unless no tree lacks any of them.
//! * V10. Where the log has no first group and the trees have all that is behind, it must be known which units are
//!   open: an epoch that ended while some were ends in a carry, which has them all (Y3 in `log/carry.rs`), and a group
//!   behind which none was open says so.

mod end;
mod members;
mod unfinished;
mod waiting;

pub use unfinished::Unfinished;

use crate::error::OpenError;
use crate::files::peek;
use crate::log::{claimed, find, LogError, LogReader, Logged, NamedLog};
use crate::open::{OpenDataSet, Shared};
use crate::places::Places;
use crate::prepared;
use crate::sync::atomic::Ordering::Relaxed;
use cica_disk::Disk;
use cica_format::root::{LogPosition, Root, Stamp};
use end::End;
use members::Participation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use waiting::Waiting;

/// A recovery in progress.
struct Recovery<'e> {
    shared: &'e Arc<Shared>,
    log: u64,
    log_path: PathBuf,
    places: Places,
    /// Cluster id of the data set that is being opened.
    wanted: Option<u64>,
    /// Which of their opens the roots of members say is in the log, where it is yet to be seen (N1).
    to_be_seen: BTreeMap<u64, u64>,
    /// Data sets that take part, by cluster id.
    members: BTreeMap<u64, Arc<OpenDataSet>>,
    /// Those that failed (V5).
    aside: BTreeSet<u64>,
    /// Requests up to this LSN were in the trees of members when the log introduced them, the last time.
    begun: BTreeMap<u64, u64>,
    /// What the numbers in the log mean.
    numbers: HashMap<u32, Participation>,
    /// Lineage and open of each.
    opens: HashMap<u32, (u64, u64)>,
    /// The log introduces a data set that is away (V1).
    needed: bool,
    /// Requests that are to be done, and are not yet.
    waiting: Waiting,
    /// One of them was refused, of the data set that is being opened.
    out_of_order: bool,
    /// Changes of units whose end was not seen.
    unfinished: Unfinished,
    /// When the group being done was written, nanoseconds since 1970; before the first, when the log was claimed.
    time: Option<u64>,
}

/// Replays the log that a root names, for every data set in it (law 2).
pub fn recover(shared: &Arc<Shared>, data: &Path, index: &Path, root: &Root) -> Result<(), OpenError> {
    let neighbourhood = shared.neighbourhood.load(Relaxed);
    match recover_by(neighbourhood, shared, (data, index), root) {
        Err(Stopped::OutOfOrder(_)) => recover_by(0, shared, (data, index), root).map_err(OpenError::from),
        done => done.map_err(OpenError::from),
    }
}

/// Why a recovery has stopped.
enum Stopped {
    /// A request was refused in another order than that of the log, and nothing is committed (waiting:O1).
    OutOfOrder(OpenError),
    /// Anything else.
    At(OpenError),
}

impl From<OpenError> for Stopped {
    fn from(error: OpenError) -> Stopped {
        Stopped::At(error)
    }
}

impl From<Stopped> for OpenError {
    fn from(stopped: Stopped) -> OpenError {
        match stopped {
            Stopped::OutOfOrder(error) | Stopped::At(error) => error,
        }
    }
}

/// The same, with neighbourhoods of so many requests.
fn recover_by(
    neighbourhood: usize,
    shared: &Arc<Shared>,
    (data, index): (&Path, &Path),
    root: &Root,
) -> Result<(), Stopped> {
    let disk = &*shared.env.disk;
    let trouble = |path: &Path, what: String| OpenError::Log {
        path: path.to_path_buf(),
        what: format!("{} needs the requests in this log, {what}", data.display()),
    };
    let left = |path: &Path, why: &dyn fmt::Display| trouble(path, format!("which its last owner left; {why}"));
    let is_known = root.log.origin > 0;
    let unread = |error| {
        trouble(
            &shared.env.log_dir,
            format!("and not all that is here can be read: {error}"),
        )
    };
    let Some(place) = find(disk, &shared.env.log_dir, &root.log).map_err(unread)? else {
        // Another process may have recovered it since.
        if peek(disk, data)?.log.log != root.log.log {
            return Ok(());
        }
        let recorded = Path::new(&root.log.path);
        // It was named early, and then a power cut took the log: no request in it was durable. What lies where it
        // was is nobody's business.
        return if root.log.early {
            Ok(recover_without(shared, data, index, root, recorded)?)
        } else {
            Err(trouble(recorded, not_here(shared)).into())
        };
    };
    let tail_has =
        |path: &Path| LogReader::tail_has(disk, path, root.log.log, root.cluster).map_err(|error| left(path, &error));
    let reader = match LogReader::open(disk, &place.path, root.log.log) {
        Ok(NamedLog::Log(reader)) => Some(reader),
        Ok(NamedLog::Alive) => {
            return Err(Stopped::At(OpenError::InUse {
                path: data.to_path_buf(),
                why: "the process that has it open for output is still there",
                by: None,
            }))
        }
        // Another process recovered it since.
        // In a catalog of before format 3: it was given back, so nothing in it is needed. Or it was named early,
        // and then a power cut took the claim, or this is a copy of that moment: no request in it was durable.
        Ok(NamedLog::Released) if root.log.early || !is_known && place.is_own => None,
        Ok(NamedLog::Absent(_)) if root.log.early => None,
        Err(LogError::BadHeader(_)) if root.log.early && !tail_has(&place.path)? => None,
        // Another process recovered it since.
        _ if peek(disk, data)?.log.log != root.log.log => return Ok(()),
        Ok(NamedLog::Released) => return Err(trouble(&place.path, over()).into()),
        Ok(NamedLog::Absent(lost)) => return Err(left(&place.path, &lost).into()),
        Err(error) => return Err(left(&place.path, &error).into()),
    };
    let recovery = Recovery::new(neighbourhood, shared, &root.log, &place.path);
    let mut recovery = Recovery {
        wanted: Some(root.cluster),
        places: recovery.places.beside(data),
        ..recovery
    };
    // First, so that it is found by its id wherever the log says it was.
    let first = recovery.take_in_at(root.cluster, data, index).map(drop);
    recovery.complete(reader, first)
}

/// The data set that named this log was deleted: if its owner died, what other data sets have in it is done, and it
/// is free. Else a log of which all data sets were deleted would never be used again.
///
/// # Errors
/// As [`recover`]; the log stays for whoever opens one of them.
pub fn recover_others(shared: &Arc<Shared>, log: &LogPosition) -> Result<(), OpenError> {
    let disk = &*shared.env.disk;
    let found = find(disk, &shared.env.log_dir, log).map_err(|error| OpenError::Io {
        path: shared.env.log_dir.clone(),
        doing: "look for a log",
        error,
    });
    let Some(place) = found? else {
        return Ok(());
    };
    match LogReader::open(disk, &place.path, log.log) {
        Ok(NamedLog::Log(reader)) => {
            let neighbourhood = shared.neighbourhood.load(Relaxed);
            let done = Recovery::new(neighbourhood, shared, log, &place.path).complete(Some(reader), Ok(()));
            done.map_err(OpenError::from)
        }
        _ => Ok(()),
    }
}

/// The same where there is nothing to be done again.
fn recover_without(shared: &Arc<Shared>, data: &Path, index: &Path, root: &Root, log: &Path) -> Result<(), OpenError> {
    let mut recovery = Recovery {
        wanted: Some(root.cluster),
        ..Recovery::new(0, shared, &root.log, log)
    };
    let first = recovery.take_in_at(root.cluster, data, index).map(drop);
    Ok(recovery.complete(None, first)?)
}

fn not_here(shared: &Shared) -> String {
    format!(
        "and it is not in {}: this catalog has not all files of one moment. Bring the log files that belong to this \
         copy there, or open the data set through the catalog that its last owner used",
        shared.env.log_dir.display()
    )
}

/// Why a root that names a log which is over is refused (N1).
fn over() -> String {
    format!("and the log has gone on without it; {}", of_other_moments())
}

impl<'e> Recovery<'e> {
    fn new(neighbourhood: usize, shared: &'e Arc<Shared>, log: &LogPosition, path: &Path) -> Recovery<'e> {
        let directories = shared.volumes().directories();
        Recovery {
            shared,
            log: log.log,
            log_path: path.to_path_buf(),
            places: Places::new(directories, Some(Path::new(&log.path)), path),
            wanted: None,
            to_be_seen: BTreeMap::new(),
            begun: BTreeMap::new(),
            opens: HashMap::new(),
            members: BTreeMap::new(),
            aside: BTreeSet::new(),
            numbers: HashMap::new(),
            needed: false,
            waiting: Waiting::by(neighbourhood),
            out_of_order: false,
            unfinished: Unfinished::default(),
            time: claimed(log.log),
        }
    }

    /// Replays the log, commits its data sets, and gives it back. `done` is how the beginning went.
    fn complete(mut self, mut reader: Option<LogReader>, mut done: Result<(), OpenError>) -> Result<(), Stopped> {
        if let Some(reader) = &reader {
            done = done.and_then(|()| reader.make_durable().map_err(|what| self.trouble(what)));
        }
        while done.is_ok() {
            match reader.as_mut().map_or(Ok(None), LogReader::next_group) {
                Ok(Some(group)) => {
                    let time = reader.as_ref().and_then(|reader| reader.group().1);
                    self.time = time.or(self.time);
                    done = self.replay_group(group);
                    if let (Ok(()), Some((group, _))) = (&done, reader.as_ref().map(LogReader::group)) {
                        done = self.archive(group, time);
                    }
                }
                Ok(None) => {
                    match self.check_end(reader.as_mut()) {
                        Ok(End::GoesOn) => continue,
                        Ok(End::Is(gap)) => done = self.replay_tail(reader.as_mut(), gap),
                        Err(error) => done = Err(error),
                    }
                    let last = reader.as_ref().and_then(LogReader::last);
                    done = done.and_then(|()| self.check_introduced());
                    done = done.and_then(|()| self.check_log_has(last));
                    done = done.and_then(|()| self.do_waiting());
                    self.waiting = Waiting::by(0);
                    if let Some(reader) = &mut reader {
                        reader.let_memory_go();
                    }
                    done = done.and_then(|()| self.take_back());
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
        match done {
            Err(error) if self.out_of_order => return Err(Stopped::OutOfOrder(error)),
            done => done?,
        }
        match reader.filter(|_| !self.needed) {
            Some(reader) => Ok(reader.release().map_err(|what| self.trouble(what))?),
            None => Ok(()),
        }
    }

    fn disk(&self) -> &dyn Disk {
        &*self.shared.env.disk
    }

    fn trouble(&self, what: impl fmt::Display) -> OpenError {
        OpenError::Log {
            path: self.log_path.clone(),
            what: what.to_string(),
        }
    }

    fn replay_group(&mut self, group: Vec<(u64, Logged)>) -> Result<(), OpenError> {
        for (lsn, logged) in group {
            self.note_unit(lsn, &logged);
            match logged {
                Logged::DataSet { committed, .. } => self.introduce(&logged, committed)?,
                Logged::Unit(parts) => self.replay_parts(lsn, parts)?,
                Logged::Recoverable { redo, .. } | Logged::TakenBack { redo, .. } => self.replay_parts(lsn, redo)?,
                Logged::UnitEnd(_) | Logged::Carried { .. } | Logged::Leaving(_) => {}
                request => self.replay(lsn, request)?,
            }
        }
        Ok(())
    }

    /// Brings a group to the archives of those that have one (archive:A2).
    fn archive(&mut self, group: &[u8], time: Option<u64>) -> Result<(), OpenError> {
        let open = self.numbers.iter().filter_map(|(number, member)| match member {
            Participation::Open(cluster, inner) if inner.has_archive() => Some((*number, *cluster, inner.clone())),
            _ => None,
        });
        for (number, cluster, inner) in open.collect::<Vec<_>>() {
            let archived = inner.archive_recovered(group, number, time);
            archived.or_else(|error| self.set_aside(cluster, error))?;
        }
        Ok(())
    }

    /// What a request of a unit, or its end, means for what is to be taken back.
    fn note_unit(&mut self, lsn: u64, logged: &Logged) {
        match logged {
            Logged::Recoverable { change, undo, .. } => self.unfinished.changed(lsn, *change, undo.clone()),
            // Of an epoch before, under the LSN that it had there.
            Logged::Carried { change, lsn, undo } => self.unfinished.changed(*lsn, *change, undo.clone()),
            Logged::TakenBack { change, .. } => self.unfinished.taken_back(*change),
            Logged::UnitEnd(unit) => self.unfinished.ended(*unit),
            _ => {}
        }
    }

    /// Each part is of one data set, and that knows by its root whether it has it (R5).
    fn replay_parts(&mut self, lsn: u64, parts: Vec<Logged>) -> Result<(), OpenError> {
        // What a base knows of its alternate indexes (I2 in `open/ties.rs`).
        for (lineage, origin) in self.indexes_in(&parts) {
            if origin > 0 {
                let stamp = Stamp { origin, lsn };
                self.bases_in(&parts).for_each(|base| base.ties.tie(lineage, stamp));
            }
        }
        parts.into_iter().try_for_each(|part| self.replay(lsn, part))
    }

    /// Lineage and open of the alternate indexes that a unit changed.
    fn indexes_in(&self, parts: &[Logged]) -> Vec<(u64, u64)> {
        let parts = parts.iter().filter(|part| part.is_of_index());
        let numbers = parts.filter_map(Logged::number);
        numbers.filter_map(|number| self.opens.get(&number).copied()).collect()
    }

    fn bases_in<'r>(&'r self, parts: &'r [Logged]) -> impl Iterator<Item = &'r OpenDataSet> {
        let parts = parts.iter().filter(|part| !part.is_of_index());
        let members = parts
            .filter_map(Logged::number)
            .filter_map(|number| self.numbers.get(&number));
        members.filter_map(|member| match member {
            Participation::Open(_, inner) => Some(&**inner),
            _ => None,
        })
    }

    /// Takes back what units did that have not ended.
    fn take_back(&mut self) -> Result<(), OpenError> {
        if !self.unfinished.is_empty() {
            // Their owner may have died before it logged their end (prepared:Z1).
            let prepared = prepared::of_log(self.disk(), &self.shared.env.log_dir, self.log)?;
            for unit in &prepared {
                self.unfinished.ended(*unit);
            }
            // What they did stands, and what takes it back comes behind it.
            for (cluster, inner) in self.members.clone() {
                let archived = inner.archive_ends(&prepared);
                archived.or_else(|error| self.set_aside(cluster, error))?;
            }
        }
        for (lsn, requests) in std::mem::take(&mut self.unfinished).newest_first() {
            for request in &requests {
                if let Some((cluster, inner)) = self.member_of(request)? {
                    let done = inner.replay_undo(lsn, request);
                    done.or_else(|error| self.set_aside(cluster, error))?;
                }
            }
            for (lineage, _) in self.indexes_in(&requests) {
                self.bases_in(&requests)
                    .for_each(|base| base.ties.tie_taken_back(lineage));
            }
        }
        Ok(())
    }

    /// Does a logged request of one data set again, if that takes part, or lets it wait.
    fn replay(&mut self, lsn: u64, logged: Logged) -> Result<(), OpenError> {
        let (cluster, inner) = match self.member_of(&logged)? {
            Some((_, inner)) if !inner.note_redone(lsn, &logged) => return Ok(()),
            Some((cluster, inner)) => (cluster, inner.clone()),
            None => return Ok(()),
        };
        if !self.waiting.takes(&inner, &logged) {
            let done = inner.redo(lsn, &logged);
            return done.or_else(|error| self.set_aside(cluster, error));
        }
        let is_full = self.waiting.add(self.shared, (cluster, &inner), (lsn, logged));
        if is_full {
            self.do_waiting()
        } else {
            Ok(())
        }
    }

    /// Does what waits (waiting:O3).
    fn do_waiting(&mut self) -> Result<(), OpenError> {
        for (cluster, error) in self.waiting.do_all(self.shared) {
            // If it is the one being opened, this ends the recovery.
            let aside = self.set_aside(cluster, error);
            self.out_of_order = aside.is_err();
            aside?;
        }
        Ok(())
    }

    /// The data set of a request, by its cluster id, if that takes part.
    fn member_of(&mut self, request: &Logged) -> Result<Option<(u64, &Arc<OpenDataSet>)>, OpenError> {
        match request.number().and_then(|number| self.numbers.get(&number)) {
            Some(Participation::Open(cluster, inner)) => Ok(Some((*cluster, inner))),
            Some(Participation::Away) => {
                self.needed = true;
                Ok(None)
            }
            Some(Participation::Complete | Participation::Unnamed) | None => Ok(None),
            Some(Participation::Before(path, name)) => Err(self.trouble(format!(
                "it has requests of {name}, and {} is from before them; {}. If that older file is what you want, take \
                 it away, open the data sets that need the log, and put it back then",
                path.display(),
                of_other_moments()
            ))),
        }
    }
}

/// What to do about files that were copied or put back one by one.
fn of_other_moments() -> &'static str {
    "the files are not of one moment. Copy or restore catalog, volumes and logs of one moment together (an atomic \
     snapshot, or after every program has closed its data sets)"
}
