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

use crate::dataset::{read_index_root, Inner};
use crate::engine::Engine;
use crate::error::OpenError;
use crate::log::{find, Gap, Left, LogReader, Logged};
use crate::places::Places;
use crate::request::OpenOptions;
use crate::roots::read_root;
use crate::unit::Unfinished;
use crate::volumes::{is_marked, Absent};
use cica_disk::{File, Lock, Open};
use cica_format::root::{LogPosition, Root, Stamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A recovery in progress.
struct Recovery<'e> {
    engine: &'e Engine,
    log: u64,
    log_path: PathBuf,
    places: Places,
    /// Cluster id of the data set that is being opened.
    wanted: Option<u64>,
    /// Which of their opens the roots of members say is in the log, where it is yet to be seen (N1).
    to_be_seen: BTreeMap<u64, u64>,
    /// Data sets that take part, by cluster id.
    members: BTreeMap<u64, Arc<Inner>>,
    /// Those that failed (V5).
    aside: BTreeSet<u64>,
    /// Requests up to this LSN were in the trees of members when the log introduced them, the last time.
    begun: BTreeMap<u64, u64>,
    /// What the numbers in the log mean.
    numbers: HashMap<u32, Member>,
    /// Lineage and open of each.
    opens: HashMap<u32, (u64, u64)>,
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
    /// The same, because its root does not name the log, which it did or may have done.
    Unnamed,
    /// Its volume is not there, or it failed.
    Away,
    /// Its root is from before the log, which must not have requests of it then (N2); its file, and its name.
    Before(PathBuf, String),
}

impl Engine {
    /// Replays the log that a root names, for every data set in it (law 2).
    pub(crate) fn recover(&self, data: &Path, index: &Path, root: &Root) -> Result<(), OpenError> {
        let disk = &*self.shared().env.disk;
        let trouble = |path: &Path, what: String| OpenError::Log {
            path: path.to_path_buf(),
            what: format!("{} needs the requests in this log, {what}", data.display()),
        };
        let is_known = root.log.origin > 0;
        let Some(place) = find(disk, &self.shared().env.log_dir, &root.log) else {
            // Another process may have recovered it since.
            if self.peek(data)?.log.log != root.log.log {
                return Ok(());
            }
            let recorded = Path::new(&root.log.path);
            // It was named early, and then a power cut took the log: no request in it was durable. What lies where it
            // was is nobody's business.
            return match root.log.early {
                true => self.recover_without(data, index, root, recorded),
                false => Err(trouble(recorded, self.not_here())),
            };
        };
        let reader = match LogReader::open(disk, &place.path, root.log.log) {
            Ok(Left::Log(reader)) => Some(reader),
            Ok(Left::Alive) => {
                return Err(OpenError::InUse {
                    path: data.to_path_buf(),
                    why: "the process that has it open for output is still there",
                })
            }
            // Another process recovered it since.
            // In a catalog of before format 3: it was given back, so nothing in it is needed. Or it was named early,
            // and then a power cut took the claim, or this is a copy of that moment: no request in it was durable.
            Ok(Left::Released) if root.log.early || !is_known && place.is_own => None,
            Ok(Left::Absent(_)) if root.log.early => None,
            // Another process recovered it since.
            _ if self.peek(data)?.log.log != root.log.log => return Ok(()),
            Ok(Left::Released) => return Err(trouble(&place.path, over())),
            Ok(Left::Absent(what)) | Err(what) => {
                return Err(trouble(&place.path, format!("which its last owner left; {what}")))
            }
        };
        let recovery = Recovery::new(self, &root.log, &place.path);
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
    /// As [`recover`](Self::recover); the log stays for whoever opens one of them.
    pub(crate) fn recover_others(&self, log: &LogPosition) -> Result<(), OpenError> {
        let disk = &*self.shared().env.disk;
        let Some(place) = find(disk, &self.shared().env.log_dir, log) else {
            return Ok(());
        };
        match LogReader::open(disk, &place.path, log.log) {
            Ok(Left::Log(reader)) => Recovery::new(self, log, &place.path).complete(Some(reader), Ok(())),
            _ => Ok(()),
        }
    }

    /// The same where there is nothing to be done again.
    fn recover_without(&self, data: &Path, index: &Path, root: &Root, log: &Path) -> Result<(), OpenError> {
        let mut recovery = Recovery {
            wanted: Some(root.cluster),
            ..Recovery::new(self, &root.log, log)
        };
        let first = recovery.take_in_at(root.cluster, data, index).map(drop);
        recovery.complete(None, first)
    }

    fn not_here(&self) -> String {
        format!(
            "and it is not in {}: this catalog has not all files of one moment. Bring the log files that belong to this \
             copy there, or open the data set through the catalog that its last owner used",
            self.shared().env.log_dir.display()
        )
    }
}

/// Why a root that names a log which is over is refused (N1).
fn over() -> String {
    format!("and the log has gone on without it; {}", of_other_moments())
}

impl<'e> Recovery<'e> {
    fn new(engine: &'e Engine, log: &LogPosition, path: &Path) -> Recovery<'e> {
        let directories = engine.shared().volumes().directories();
        Recovery {
            engine,
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
                    match self.check_end(reader.as_mut()) {
                        Ok(End::GoesOn) => continue,
                        Ok(End::Is(gap)) => done = self.replay_tail(reader.as_mut(), gap),
                        Err(error) => done = Err(error),
                    }
                    let last = reader.as_ref().and_then(LogReader::last);
                    done = done.and_then(|()| self.check_introduced());
                    done = done.and_then(|()| self.check_log_has(last));
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
        done?;
        match reader.filter(|_| !self.needed) {
            Some(reader) => reader.release().map_err(|what| self.trouble(what)),
            None => Ok(()),
        }
    }

    /// The log must have introduced the data sets that it named (N1).
    fn check_introduced(&mut self) -> Result<(), OpenError> {
        for cluster in std::mem::take(&mut self.to_be_seen).into_keys() {
            let what = "it does not say anything of a data set whose root says so";
            let error = self.trouble(format!("{what}; {}", of_other_moments()));
            self.set_aside(cluster, error)?;
        }
        Ok(())
    }

    /// The log, whose last request is this one, must have all that the trees have (N4).
    fn check_log_has(&mut self, last: Option<u64>) -> Result<(), OpenError> {
        for (cluster, inner) in self.members.clone() {
            let root = inner.committed_root();
            let begun = self.begun.get(&cluster).copied();
            let has = begun.into_iter().chain(last).max();
            let is_known = root.log.origin > 0 && !root.log.early;
            if is_known && has.is_some_and(|has| has < root.log.lsn) {
                let what = format!(
                    "it ends before request {}, which {} has: it is older than the data set; {}",
                    root.log.lsn,
                    root.attributes.cluster_name,
                    of_other_moments()
                );
                let error = self.trouble(what);
                self.set_aside(cluster, error)?;
            }
        }
        Ok(())
    }

    /// The log must not end in front of requests that were written later (V8).
    fn check_end(&mut self, reader: Option<&mut LogReader>) -> Result<End, OpenError> {
        let Some(reader) = reader else { return Ok(End::Is(None)) };
        let Some(gap) = reader.pass_gap().map_err(|what| self.trouble(what))? else {
            return Ok(End::Is(None));
        };
        if gap.misses_nothing() {
            return Ok(End::GoesOn);
        }
        if gap.after.is_some() {
            return Err(self.damaged(gap));
        }
        loop {
            while let Some(group) = reader.next_group().map_err(|what| self.trouble(what))? {
                self.check_trees_have(gap, group)?;
            }
            if reader.pass_gap().map_err(|what| self.trouble(what))?.is_none() {
                return Ok(End::Is(Some(gap)));
            }
        }
    }

    /// No group stands where the log begins: what stands behind `gap` is of an epoch that has ended, or the log has a
    /// gap.
    fn check_trees_have(&mut self, gap: Gap, group: Vec<(u64, Logged)>) -> Result<(), OpenError> {
        for (lsn, logged) in group {
            if let Logged::DataSet { .. } = &logged {
                self.introduce(&logged, 0)?;
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
        let all = halves
            .iter()
            .flat_map(|half| half.records.iter().map(move |(_, logged)| (half, logged)));
        for (half, logged) in all {
            if let Logged::DataSet { number, committed, .. } = logged {
                self.introduce(logged, *committed)?;
                let member = self.numbers.get(number);
                match member {
                    // It left, and a power cut took the root that said so.
                    Some(Member::Before(..)) => return Ok(()),
                    Some(Member::Unnamed) if !leaving.contains(number) => return Ok(()),
                    _ => {}
                }
                // Groups of the epoch before may have introduced it: the tree must have all of them (V4).
                if let (Some(Member::Open(cluster, inner)), true) = (member, half.begins_epoch()) {
                    let (cluster, has) = (*cluster, inner.check_tree_has(*committed));
                    has.or_else(|error| self.set_aside(cluster, error))?;
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
                Logged::DataSet { committed, .. } => self.introduce(&logged, *committed)?,
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

    /// From here on its number is this cluster, whose tree must have the requests up to `begins` (V4). Later groups say it
    /// again; what the tree must have is what this log began behind.
    fn introduce(&mut self, logged: &Logged, begins: u64) -> Result<(), OpenError> {
        let Logged::DataSet {
            number,
            cluster,
            sealed,
            origin,
            lineage,
            data,
            index,
            ..
        } = logged
        else {
            return Ok(());
        };
        match self.numbers.get_mut(number) {
            // Its root could not be written, so it is from before the log, and nothing of it was acknowledged.
            Some(member @ Member::Before(..)) if *cluster == 0 => *member = Member::Unnamed,
            Some(_) => {}
            None if *cluster == 0 => {}
            None => {
                let from = Since {
                    sealed: *sealed,
                    origin: *origin,
                };
                let opened = self.take_in(*cluster, Path::new(data), Path::new(index), from);
                let opened = opened.and_then(|member| {
                    if let Member::Open(_, inner) = &member {
                        inner.check_tree_has(begins)?;
                        self.check_open(inner, from, Path::new(data))?;
                    }
                    Ok(member)
                });
                let member = match opened {
                    Err(error @ OpenError::InUse { .. }) => return Err(error),
                    Err(error) => {
                        self.set_aside(*cluster, error)?;
                        Member::Away
                    }
                    Ok(member) => member,
                };
                self.numbers.insert(*number, member);
                self.opens.insert(*number, (*lineage, *origin));
            }
        }
        let begun = self.begun.entry(*cluster).or_default();
        *begun = begins.max(*begun);
        if self.to_be_seen.get(cluster).is_some_and(|open| open == origin) {
            self.to_be_seen.remove(cluster);
        }
        Ok(())
    }

    /// Its root names this log: it must be of the open that the log introduces (N1), and not the original's of which
    /// this log is a copy (N3).
    fn check_open(&self, inner: &Inner, since: Since, recorded: &Path) -> Result<(), OpenError> {
        let unusable = |what: String| {
            Err(OpenError::Unusable {
                path: inner.data_path().to_path_buf(),
                what,
            })
        };
        let root = inner.committed_root();
        // It may have been closed and opened again while the log went on.
        if since.origin > 0 && (root.log.origin < since.origin || root.version <= since.sealed) {
            return unusable(format!(
                "recovery: the log {} is of another open of it; {}",
                self.log_path.display(),
                of_other_moments()
            ));
        }
        if self.places.have_moved() && inner.data_path() == recorded {
            return unusable(format!(
                "recovery: it lies where it always was, and its log was at {}, not at {}: this catalog is a copy, or was \
                 moved, and the volume belongs to the original. Open it through the original, or copy the volume too",
                self.places.recorded().display(),
                self.log_path.display()
            ));
        }
        Ok(())
    }

    /// Each part is of one data set, and that knows by its root whether it has it (R5).
    fn replay_parts(&mut self, lsn: u64, parts: &[Logged]) -> Result<(), OpenError> {
        parts.iter().try_for_each(|part| self.replay(lsn, part))?;
        // What a base knows of its alternate indexes (I2 in `sphere/ties.rs`).
        for (lineage, origin) in self.indexes_in(parts) {
            if origin > 0 {
                let stamp = Stamp { origin, lsn };
                self.bases_in(parts).for_each(|base| base.ties.tie(lineage, stamp));
            }
        }
        Ok(())
    }

    /// Lineage and open of the alternate indexes that a unit changed.
    fn indexes_in(&self, parts: &[Logged]) -> Vec<(u64, u64)> {
        let parts = parts.iter().filter(|part| part.is_of_index());
        let numbers = parts.filter_map(Logged::number);
        numbers.filter_map(|number| self.opens.get(&number).copied()).collect()
    }

    fn bases_in<'r>(&'r self, parts: &'r [Logged]) -> impl Iterator<Item = &'r Inner> {
        let parts = parts.iter().filter(|part| !part.is_of_index());
        let members = parts
            .filter_map(Logged::number)
            .filter_map(|number| self.numbers.get(&number));
        members.filter_map(|member| match member {
            Member::Open(_, inner) => Some(&**inner),
            _ => None,
        })
    }

    /// Takes back what units did that have not ended.
    fn take_back(&mut self) -> Result<(), OpenError> {
        for (lsn, requests) in std::mem::take(&mut self.unfinished).newest_first() {
            for request in &requests {
                self.in_member(request, |inner| inner.replay_undo(lsn, request))?;
            }
            for (lineage, _) in self.indexes_in(&requests) {
                self.bases_in(&requests)
                    .for_each(|base| base.ties.tie_taken_back(lineage));
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
            Some(Member::Before(path, name)) => Err(self.trouble(format!(
                "it has requests of {name}, and {} is from before them; {}. If that older file is what you want, take \
                 it away, open the data sets that need the log, and put it back then",
                path.display(),
                of_other_moments()
            ))),
        }
    }

    /// A data set failed (V5).
    fn set_aside(&mut self, cluster: u64, error: OpenError) -> Result<(), OpenError> {
        if self.wanted == Some(cluster) {
            return Err(error);
        }
        self.needed = true;
        self.aside.insert(cluster);
        self.to_be_seen.remove(&cluster);
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

    /// Finds a data set and opens it for recovery, if it needs this log (see the table).
    fn take_in(&mut self, cluster: u64, data: &Path, index: &Path, since: Since) -> Result<Member, OpenError> {
        if self.aside.contains(&cluster) {
            return Ok(Member::Away);
        }
        if let Some(known) = self.members.get(&cluster) {
            self.check_copies(cluster, known, data)?;
            return Ok(Member::Open(cluster, known.clone()));
        }
        let (mut other, mut failed) = (false, None);
        for (place, path) in self.places.of(data).into_iter().enumerate() {
            let file = match self.engine.open_file(&path, Lock::None, true) {
                Ok(file) => file,
                Err(OpenError::Missing { .. }) => continue,
                Err(error) => {
                    // Where it was and should be; what lies elsewhere under its name may be anything.
                    failed = failed.or((place == 0).then_some(error));
                    continue;
                }
            };
            match read_root(&*file, &path) {
                Ok(root) if root.cluster != cluster => other |= place == 0,
                Ok(root) if root.log.log == self.log => {
                    let index = self.index_of(&root, index);
                    return self.take_in_at(cluster, &path, &index);
                }
                Ok(root) => return self.complete_member(&*file, &path, &root, since),
                Err(error) => failed = failed.or((place == 0).then_some(error)),
            }
        }
        match failed {
            Some(error) => Err(error),
            None if other => Ok(Member::Complete),
            None if self.was_deleted(data) => Ok(Member::Complete),
            None => Ok(Member::Away),
        }
    }

    /// Opens this data set for recovery, if it needs this log still.
    fn take_in_at(&mut self, cluster: u64, data: &Path, index: &Path) -> Result<Member, OpenError> {
        let file = match self.engine.open_file(data, Lock::Exclusive, true) {
            Ok(file) => file,
            Err(error @ OpenError::InUse { .. }) => {
                let file = self.engine.open_file(data, Lock::None, true)?;
                let root = read_root(&*file, data)?;
                if root.log.log == self.log {
                    return Err(error);
                }
                return self.complete_member(&*file, data, &root, Since::default());
            }
            Err(error) => return Err(error),
        };
        let root = read_root(&*file, data)?;
        if root.log.log != self.log || root.cluster != cluster {
            return self.complete_member(&*file, data, &root, Since::default());
        }
        if root.log.early {
            // V9.
            self.make_durable(&*file, data)?;
        }
        // One that was named early had no request in the log then that was durable.
        let origin = if root.log.early { 0 } else { root.log.origin };
        let inner = Inner::open(self.engine.shared(), file, root, data, index, OpenOptions::recovery())?;
        if origin > 0 {
            self.to_be_seen.insert(cluster, origin);
        }
        inner.exceed_definition();
        self.members.insert(cluster, inner.clone());
        Ok(Member::Open(cluster, inner))
    }

    /// Where the index component of a data set is now.
    fn index_of(&self, root: &Root, recorded: &Path) -> PathBuf {
        if recorded.as_os_str().is_empty() {
            return PathBuf::new();
        }
        let places = self.places.of(recorded);
        let is_its = |path: &&PathBuf| {
            let file = self.engine.open_file(path, Lock::None, false);
            file.is_ok_and(|file| read_index_root(&*file, path, root).is_ok())
        };
        let its = places.iter().find(is_its).or(places.first());
        its.cloned().unwrap_or_default()
    }

    /// Its file is not there. One that was moved away by hand keeps its entry in the catalog; where there is no catalog
    /// that could tell, it counts as deleted.
    fn was_deleted(&self, data: &Path) -> bool {
        let (places, volumes) = (self.places.of_deleted(data), self.engine.shared().volumes());
        let says_so = |path: &PathBuf| is_marked(self.engine.disk(), path) && volumes.absent(path) != Absent::Named;
        !places.is_empty() && places.iter().all(says_so)
    }

    /// A data set whose root does not name the log; from now on durably (V6).
    fn complete_member(&self, file: &dyn File, data: &Path, root: &Root, since: Since) -> Result<Member, OpenError> {
        self.make_durable(file, data)?;
        match since.origin > 0 && root.version <= since.sealed {
            true => Ok(Member::Before(data.to_path_buf(), root.attributes.cluster_name.clone())),
            false => Ok(Member::Unnamed),
        }
    }

    fn make_durable(&self, file: &dyn File, data: &Path) -> Result<(), OpenError> {
        file.sync().map_err(|error| OpenError::Io {
            path: data.to_path_buf(),
            doing: "sync",
            error,
        })
    }

    /// A second file of the same cluster that needs this log as well is a copy: nobody knows which of them is meant.
    fn check_copies(&self, cluster: u64, known: &Inner, data: &Path) -> Result<(), OpenError> {
        for path in self.places.of(data) {
            if known.data_path() == path {
                continue;
            }
            // The same file under another name is locked by this recovery.
            let Ok(file) = self.engine.open_file(&path, Lock::Exclusive, true) else {
                continue;
            };
            match read_root(&*file, &path) {
                Ok(root) if root.cluster == cluster && root.log.log == self.log => {
                    return Err(OpenError::Unusable {
                        path,
                        what: format!(
                            "this is a second copy of {}, and both need the requests in log {}: take one of them away",
                            known.data_path().display(),
                            self.log_path.display()
                        ),
                    })
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Where the groups of a log end.
enum End {
    /// Not here: what cannot be read held no requests.
    GoesOn,
    /// Here; behind the gap, if there is one, the trees have everything.
    Is(Option<Gap>),
}

/// What a log says of the root that a data set had when it began with it; nothing: of before format 6.
#[derive(Debug, Clone, Copy, Default)]
struct Since {
    sealed: u32,
    origin: u64,
}

/// What to do about files that were copied or put back one by one.
fn of_other_moments() -> &'static str {
    "the files are not of one moment. Copy or restore catalog, volumes and logs of one moment together (an atomic \
     snapshot, or after every program has closed its data sets)"
}
