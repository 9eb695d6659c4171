//! Units of recovery that are in doubt: their records are retained in each data set that is opened, until somebody
//! decides (docs/design/0047).
//!
//! * D1. Which of the units that wait this process knows, and which files it makes and removes, both change under the
//!   lock of `in_doubt`.
//! * D2. A unit is known by its name, its log, its number there and its time. One to which a name is given again, by
//!   whatever process, is another, and what the one before had is free.

use super::Engine;
use crate::common::context::{Context, InUnit, Unit};
use crate::error::{OpenError, RequestError};
use crate::locks::LockOwner;
use crate::log::{owned_parts, Log};
use crate::open::{OpenDataSet, Shared};
use crate::prepared::{checked_path_of, unresolved, waiting, Deciding, KnownUnits, PrepareError};
use crate::sphere::take_back;
use crate::unit::label;
use cica_format::log::append_unit;
use cica_format::prepared::{PreparedSet, PreparedState, PreparedUnit};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// A unit of recovery that is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InDoubt {
    /// Its name.
    pub name: String,
    /// The names of the data sets that it has changed, without their alternate indexes.
    pub data_sets: Vec<String>,
    /// Changes of records that going back would take back.
    pub changes: usize,
    /// When it was prepared, nanoseconds since 1970.
    pub prepared: u64,
    /// It was decided that it goes back, and that could not be done yet.
    pub going_back: bool,
}

impl Engine {
    /// The units of recovery of this log directory that are in doubt, by name, whoever has prepared them.
    ///
    /// # Errors
    /// Their files cannot be read.
    pub fn in_doubt(&self) -> Result<Vec<InDoubt>, PrepareError> {
        let found = self.shared.unresolved()?;
        let info = |(unit, state): (PreparedUnit, PreparedState)| InDoubt {
            data_sets: (unit.sets.iter().filter(|set| set.base.is_none()))
                .map(|set| set.name.clone())
                .collect(),
            changes: unit.undo.len(),
            prepared: unit.time,
            going_back: state == PreparedState::GoingBack,
            name: unit.name,
        };
        Ok(found.into_iter().map(info).collect())
    }

    /// The file of the unit in doubt that is called so: who may write to it may decide.
    ///
    /// # Errors
    /// No unit can be called so.
    pub fn prepared_file(&self, name: &str) -> Result<PathBuf, PrepareError> {
        checked_path_of(self.log_directory(), name)
    }

    /// Refuses to take this cluster away, or to put another into its place, if a unit of recovery in doubt has changed
    /// it (condemned:X4). One whose root cannot be read, as it is damaged or not there, is known by `name`, by which a
    /// decision finds it.
    ///
    /// # Errors
    /// `InUse`, with the unit's name; files cannot be read.
    pub fn check_decided(&self, data: &Path, name: &str) -> Result<(), OpenError> {
        match self.peek(data) {
            Ok(root) => self.shared.check_not_in_doubt(data, root.cluster),
            Err(_) => self.shared.check_decided(data, |set| set.name == name),
        }
    }

    /// Frees the records of units in doubt about which another process has decided meanwhile. Every open does that.
    ///
    /// # Errors
    /// Files of units in doubt cannot be read: nothing is free.
    pub fn forget_decided(&self) -> Result<(), OpenError> {
        self.shared.forget_decided()
    }

    /// Commits a unit in doubt: its changes stand, durably, and its records are free. A process that has one of its
    /// data sets open meanwhile learns of it at its next open of anything, or by
    /// [`forget_decided`](Self::forget_decided).
    ///
    /// # Errors
    /// There is no such unit; it is being taken back; its file cannot be written: it is in doubt still.
    pub fn commit_prepared(&self, name: &str) -> Result<(), PrepareError> {
        self.shared.owner.check()?;
        let mut deciding = self.shared.deciding(name)?;
        if deciding.state() == PreparedState::GoingBack {
            return Err(PrepareError::GoingBack { name: name.into() });
        }
        self.shared.decide(&mut deciding, PreparedState::Committed)?;
        self.shared.end_in_doubt(deciding);
        Ok(())
    }

    /// Takes a unit in doubt back, newest change first, durably, and frees its records. This process must have all its
    /// data sets open for output, with their alternate indexes.
    ///
    /// # Errors
    /// There is no such unit; a data set is not open: nothing has changed. 8/28 and the like: a change could not be
    /// taken back. From then on it can only go back, and its records are retained until it is asked again, and goes on.
    pub fn back_out_prepared(&self, name: &str) -> Result<(), PrepareError> {
        self.shared.owner.check()?;
        let mut deciding = self.shared.deciding(name)?;
        let sets = self.sets_of(&deciding.unit)?;
        // Also where that was decided: he who did may not have lived to make it durable (prepared:Z3).
        self.shared.decide(&mut deciding, PreparedState::GoingBack)?;
        let owner = self
            .shared
            .owner_in_doubt(&mut self.shared.in_doubt.lock(), &deciding.unit);
        let undoing = Undoing { owner: owner.number() };
        for (set, requests) in &deciding.unit.undo {
            undoing.take_back(&sets[*set as usize], requests)?;
        }
        for set in &sets {
            set.commit()?;
        }
        self.shared.decide(&mut deciding, PreparedState::TakenBack)?;
        self.shared.end_in_doubt(deciding);
        Ok(())
    }

    /// Its data sets, open for output.
    fn sets_of(&self, unit: &PreparedUnit) -> Result<Vec<Arc<OpenDataSet>>, PrepareError> {
        let open = self.shared.open_for_output();
        let missing: Vec<String> = (unit.sets.iter())
            .filter(|set| !open.contains_key(&set.cluster))
            .map(|set| set.name.clone())
            .collect();
        if missing.is_empty() {
            Ok(unit
                .sets
                .iter()
                .filter_map(|set| open.get(&set.cluster).cloned())
                .collect())
        } else {
            Err(PrepareError::NotOpen {
                name: unit.name.clone(),
                data_sets: missing,
            })
        }
    }
}

impl Shared {
    /// Is this log this process's, and all that it has durable? The caller keeps `in_doubt` (prepared:Z6).
    pub(crate) fn has_durably(&self, log: u64) -> bool {
        // A log that was let go of meanwhile, as it had failed, answers that all is durable.
        let claimed = || self.log.claimed() == log;
        claimed() && self.log.flush(self.log.last()).is_ok() && claimed()
    }

    /// Units in doubt, or going back.
    pub(crate) fn unresolved(&self) -> Result<Vec<(PreparedUnit, PreparedState)>, OpenError> {
        let _preparing = self.in_doubt.lock();
        unresolved(&*self.env.disk, &self.env.log_dir, &|log| self.has_durably(log))
    }

    /// Begins to decide about a unit in doubt.
    fn deciding(&self, name: &str) -> Result<Deciding, PrepareError> {
        let _preparing = self.in_doubt.lock();
        Deciding::about(&*self.env.disk, &self.env.log_dir, name, &|log| self.has_durably(log))
    }

    /// Decides, and says when.
    fn decide(&self, deciding: &mut Deciding, state: PreparedState) -> Result<(), PrepareError> {
        deciding.decide(state, self.env.clock.now())
    }

    /// Others may have decided about units that this process knew.
    pub(super) fn forget_decided(&self) -> Result<(), OpenError> {
        let mut known = self.in_doubt.lock();
        if known.is_empty() {
            return Ok(());
        }
        let waiting = waiting(&*self.env.disk, &self.env.log_dir, &|log| self.has_durably(log))?;
        let over = known.keep_only(&waiting);
        drop(known);
        over.iter().for_each(|owner| self.free_records_of(owner));
        Ok(())
    }

    /// It is decided about.
    fn end_in_doubt(&self, deciding: Deciding) {
        let mut known = self.in_doubt.lock();
        let owner = known.remove(&deciding.unit);
        deciding.end(&*self.env.disk, &|log| self.has_durably(log));
        drop(known);
        owner.iter().for_each(|owner| self.free_records_of(owner));
    }

    /// The owner of the records of a unit in doubt.
    fn owner_in_doubt(&self, known: &mut KnownUnits, unit: &PreparedUnit) -> LockOwner {
        known.owner_of(unit, || LockOwner::new(&self.locks, &label(&unit.name)))
    }

    /// What a unit that was in doubt had is free in what this process has open.
    pub(crate) fn free_records_of(&self, owner: &LockOwner) {
        // Behind an open that is under way, which may have found it in doubt still.
        let open = self.open.lock();
        for inner in open.values().filter_map(Weak::upgrade) {
            inner.common().holds.end(owner.number());
        }
    }

    fn open_for_output(&self) -> HashMap<u64, Arc<OpenDataSet>> {
        let open = self.open.lock();
        let sets = open.values().filter_map(Weak::upgrade);
        let sets = sets.filter(|set| !set.has_left() && set.common().log_number().is_some());
        sets.map(|set| (set.committed_root().cluster, set)).collect()
    }

    /// What units in doubt have changed of a data set that is being opened is retained.
    pub(super) fn retain_in_doubt(&self, inner: &OpenDataSet) -> Result<(), OpenError> {
        let cluster = inner.committed_root().cluster;
        let mut known = self.in_doubt.lock();
        let found = unresolved(&*self.env.disk, &self.env.log_dir, &|log| self.has_durably(log))?;
        for (unit, _) in &found {
            for set in unit.sets.iter().filter(|set| set.cluster == cluster) {
                let owner = self.owner_in_doubt(&mut known, unit).number();
                let holds = &inner.common().holds;
                let kept = set.keys.iter().try_for_each(|(erased, key)| {
                    holds.keep(key, owner)?;
                    if *erased {
                        holds.erases(key, owner);
                    }
                    Ok(())
                });
                kept.map_err(|error: RequestError| OpenError::Unusable {
                    path: inner.data_path().to_path_buf(),
                    what: format!("two units of recovery in doubt have changed the same record: {error}"),
                })?;
                holds.retain(owner);
            }
        }
        Ok(())
    }

    /// Refuses to remove a data set of which something is in doubt.
    pub(crate) fn check_not_in_doubt(&self, data: &Path, cluster: u64) -> Result<(), OpenError> {
        self.check_decided(data, |set| set.cluster == cluster)
    }

    fn check_decided(&self, data: &Path, is_it: impl Fn(&PreparedSet) -> bool) -> Result<(), OpenError> {
        let found = self.unresolved()?;
        let of = |(unit, _): &&(PreparedUnit, PreparedState)| unit.sets.iter().any(&is_it);
        match found.iter().find(of) {
            None => Ok(()),
            Some((unit, _)) => Err(OpenError::InUse {
                path: data.to_path_buf(),
                why: "a unit of recovery in doubt has changed it; commit that or take it back first",
                by: Some(unit.name.clone()),
            }),
        }
    }
}

/// Changes that a unit in doubt had made are taken back: requests of no unit, of records that it keeps.
struct Undoing {
    owner: u64,
}

impl Unit for Undoing {
    fn owner(&self) -> u64 {
        self.owner
    }

    fn log(&self, _: &InUnit<'_>, log: &Log, numbers: &[u32], redo: &[u8], _: &[u8], _: usize) -> u64 {
        log.append(numbers, |buf| append_unit(buf, redo))
    }
}

impl Undoing {
    /// Does what takes one change back. It may have been done before: its record is as it was then, or as it was before
    /// an older change that was taken back too, and the requests for that follow.
    fn take_back(&self, inner: &Arc<OpenDataSet>, requests: &[u8]) -> Result<(), RequestError> {
        let requests = owned_parts(requests).map_err(|error| RequestError::Physical {
            reason: 4,
            what: format!("what takes a unit in doubt back: {error}"),
        })?;
        for request in &requests {
            let in_unit = InUnit {
                unit: self,
                set: 0,
                old: &[],
                takes_back: Some(0),
                covered: Cell::new(false),
                logged: Cell::new(false),
                kept: RefCell::default(),
            };
            match take_back(inner, request, Context::Unit(&in_unit)) {
                Err(RequestError::Duplicate { .. } | RequestError::NotFound | RequestError::BadRba { .. }) => {}
                // What fails behind the change itself does not undo it.
                Err(_) if in_unit.logged.get() => {}
                done => done?,
            }
        }
        inner.after_change()
    }
}
