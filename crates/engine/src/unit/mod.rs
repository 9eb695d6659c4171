//! Units of recovery: changes of records of several data sets that are done all or none (docs/design/0008 has the
//! states).
//!
//! * U1. No tree that has changes of an open unit is committed before the log holds, durably and named in the root,
//!   what takes them back; and a unit is open until the log holds its end (but see U7).
//! * U2. When the log starts over while units are open, what takes them back goes on with it (`log/carry.rs`), and the
//!   roots of the data sets that they changed name it still.
//! * U3. A data set with changes of an open unit is not closed: the unit has a handle of its own.
//! * U4. A change in a unit is logged under the latch of its page (R4), or under the locks of its keys (sphere:S2),
//!   with what takes it back.
//! * U5. Of a record that a unit changed nobody else changes anything before the unit ends. The same holds for
//!   alternate keys that are unique.
//! * U6. When a data set must go on without its log, and has changes of an open unit, what takes them back goes on with
//!   it in another log. Where there is none (the log failed, the disk is full) it is fenced instead.
//! * U7. A unit may end before the log holds its end durably. Until then its data sets are as if it were open, for U1
//!   and U6: none of their trees is committed before the log holds the end.
//! * U8. A data set that takes no part (LOG(NONE)) is changed as if by no unit: no backout takes that back, and nobody
//!   waits for the unit's end. Its commit makes it durable.
//! * U9. A unit that cannot be taken back, and whose program has gone, is shunted: the process, or who shares its data
//!   sets, keeps it, and its records are retained, until it can be taken back or people give it up. Nobody else is kept
//!   from anything.
//! * U10. What takes a record back is logged once. An update of a record that the unit has inserted or updated is
//!   *covered*: to take the earlier change back needs nothing of what the record is by then. So what takes this update
//!   back would be overwritten at once, and is not kept; the update has no number of its own in the log.
//!   * Whether there is an earlier change is told by the record, which the unit keeps since then. An update never
//!     follows an erase without an insert between, and that covers it.
//!   * The earlier change must be in the log. So no other change is under way; and from then on nothing is covered if
//!     a change was not logged, if one was refused of a record that another change may have found kept by it, or if
//!     the unit has begun to go back.
//!   * What an earlier unit of the same owner has left is another's (U9): a unit that finds it covers nothing. Nothing
//!     is covered in an alternate index, where a record may be kept for the base; nor is an update that changes
//!     alternate keys.
//!
//! Locks in order: `ending` -> what [`crate::ksds`] and [`crate::sphere`] say -> page latches -> `work` -> log.

mod backout;
mod prepare;
mod shunt;
#[cfg(test)]
pub(crate) mod tests;

pub use prepare::label;

use crate::common::context::{Context, InUnit, Unit};
use crate::error::RequestError;
use crate::far::FarUnit;
use crate::locks::LockOwner;
use crate::log::Log;
use crate::open::{Handle, OpenDataSet, Shared};
use crate::pool::{Held, PoolFull};
use crate::request::{Access, Durability, Logging};
use crate::sync::atomic::Ordering::*;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use crate::sync::{Mutex, RwLock, RwLockReadGuard};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Owners with this bit are units; the others are strings.
const UNIT: u64 = 1 << 63;
/// What a change takes besides its bytes, here and in the log's table, whose lists may be twice as long as what they hold.
const OVERHEAD: usize = 176;
/// A unit may have so much of the pool for what takes it back: one part in so many.
const SHARE: usize = 4;
/// The pool is charged in pieces of this.
const CHARGE: usize = 64 << 10;

/// far:F1.
pub const NEAR_AND_FAR: RequestError = RequestError::Options {
    what: "a unit of recovery changes shared data sets or data sets of this process alone, not both",
};

/// A unit of recovery, and after its end the next one. Clones are the same unit. Dropped with its last string, it is
/// backed out.
///
/// ```no_run
/// # fn f(engine: &cica_engine::Engine, master: &cica_engine::DataSet, journal: &cica_engine::DataSet)
/// # -> Result<(), cica_engine::RequestError> {
/// # use cica_engine::Insert;
/// let unit = engine.unit();
/// master.string_in(&unit).insert(b"00017 SMITH", Insert::Direct)?;
/// journal.string_in(&unit).insert(b"SMITH CAME", Insert::Sequential)?;
/// unit.commit()
/// # }
/// ```
#[derive(Clone)]
pub struct UnitOfRecovery {
    state: Arc<UnitState>,
}

pub(crate) struct UnitState {
    shared: Arc<Shared>,
    /// Who keeps what it changed.
    owner: u64,
    /// The same, if a caller made it: it lives as long as the unit.
    named: Option<LockOwner>,
    /// Raised by each backout: what was got for update before is not held any more.
    backouts: AtomicU64,
    /// Kept shared by each change, exclusively while the unit ends.
    ending: RwLock<()>,
    work: Mutex<Work>,
    /// Its part in another process, where its data sets are far (far:F1).
    far: Mutex<Option<Arc<dyn FarUnit>>>,
    /// It has one: what a change in this process looks at.
    has_far: AtomicBool,
    /// Changes stand by themselves that its commit makes durable (U8).
    has_standing: AtomicBool,
    /// Changes under way.
    changing: AtomicUsize,
    /// Until the unit ends no change is covered (U10).
    covers_nothing: AtomicBool,
}

/// What an open unit has done.
#[derive(Default)]
struct Work {
    /// The log's id of the unit; 0: nothing is logged yet.
    id: u64,
    sequence: u32,
    changes: Vec<UnitChange>,
    /// Its handles of the data sets it changes (U3).
    sets: Vec<Handle>,
    /// Bytes of `changes`, and what the pool was charged for them.
    bytes: usize,
    charged: Option<Held>,
    /// A data set was left to whoever opens it next, so the log must not say that the unit has ended.
    left_behind: bool,
    /// A backout has begun and could not go on: what is left of the unit is no whole that could stand.
    going_back: bool,
    /// Its end is on its way to a log that failed: whoever opens the data sets next may find it there.
    maybe_over: bool,
}

struct UnitChange {
    /// Place in `sets`.
    set: usize,
    sequence: u32,
    /// The log's records of the requests that take it back; the log has the same bytes in memory, for the end of an epoch.
    undo: Arc<[u8]>,
    /// So many of them are of the data set itself. The others, of its alternate indexes, go with these.
    own: usize,
}

impl UnitOfRecovery {
    /// A unit of recovery of an engine. It begins with its first change.
    pub(crate) fn new(shared: &Arc<Shared>) -> UnitOfRecovery {
        let number = shared.units.fetch_add(1, Relaxed);
        UnitOfRecovery::kept_by(shared, UNIT | number, None)
    }

    /// The same, and what it changes is the owner's.
    pub(crate) fn of(shared: &Arc<Shared>, owner: &LockOwner) -> UnitOfRecovery {
        UnitOfRecovery::kept_by(shared, owner.number(), Some(owner.clone()))
    }

    fn kept_by(shared: &Arc<Shared>, owner: u64, named: Option<LockOwner>) -> UnitOfRecovery {
        UnitOfRecovery {
            state: Arc::new(UnitState {
                shared: shared.clone(),
                owner,
                named,
                backouts: AtomicU64::new(0),
                ending: RwLock::new(()),
                work: Mutex::new(Work::default()),
                far: Mutex::new(None),
                has_far: AtomicBool::new(false),
                has_standing: AtomicBool::new(false),
                changing: AtomicUsize::new(0),
                covers_nothing: AtomicBool::new(false),
            }),
        }
    }

    /// Ends the unit: its changes stand, durably, and its records are free. Without a change it does nothing.
    ///
    /// # Errors
    /// 12/16: a data set is fenced, or the log failed. The unit is open still. If the log failed, whoever opens the
    /// data sets next finds all of the unit or nothing; so too if the data sets are shared and their server went before
    /// it answered: [`backout`](Self::backout) says then whether that is known. 8/104: a backout has taken part of it
    /// back and must go on.
    /// What fails behind the end of the unit is no error of it: the next request of the data set is told.
    pub fn commit(&self) -> Result<(), RequestError> {
        self.commit_with(Durability::Commit)
    }

    /// The same, and durable when `durability` says. With [`Durability::Close`] it returns at once: the unit survives
    /// the death of the process, and a power cut takes it as a whole or not at all. It is durable with the next commit
    /// or close of whatever is logged after it, and within a second where one of its data sets was opened so. Where one
    /// of them was opened with [`Durability::Request`], it is durable now, whatever is asked.
    ///
    /// # Errors
    /// As [`commit`](Self::commit). With [`Durability::Close`] also where the log could not be written behind the end of
    /// the unit, which is over then: whoever opens the data sets next finds all of it or nothing.
    pub fn commit_with(&self, durability: Durability) -> Result<(), RequestError> {
        self.state.shared.owner.check()?;
        if let Some(far) = self.state.far_part() {
            let has_nothing = far.has_changed_nothing();
            let done = far.commit(durability);
            if done.is_err() && has_nothing && far.has_changed_nothing() && far.is_gone() {
                // Its process went, and nothing of the unit with it. The next one is anywhere.
                self.state.leave_far();
                return Ok(());
            }
            return done;
        }
        let ending = self.state.ending.write();
        let sets = self.state.commit(durability)?;
        drop(ending);
        // Where the tail has no room for the unit's end, the log is to be written after all.
        let behind = sets.first().map_or(Ok(()), |set| set.inner().after_change());
        close(sets);
        if durability == Durability::Close {
            behind
        } else {
            Ok(())
        }
    }

    /// Takes all changes of the unit back, newest first, and frees its records. What its strings got for update is not
    /// held any more; their positions stay.
    ///
    /// # Errors
    /// 8/28 and the like: a change could not be taken back; the changes of other data sets have been, and asked again
    /// it goes on. 12/16: a data set is fenced; whoever opens it next takes the rest back, and the unit has ended. The
    /// same where a commit or a prepare of it failed with the log, and where another process has its data sets, and
    /// went without an answer to one: whether the unit stands, or is in doubt, is not known then, and its words say so.
    /// The next unit can begin.
    pub fn backout(&self) -> Result<(), RequestError> {
        self.state.shared.owner.check()?;
        if let Some(far) = self.state.far_part() {
            let done = far.backout();
            if !far.is_gone() {
                return done;
            }
            // With its process went the unit: whoever opens the data sets next takes it back. The next one is anywhere.
            self.state.leave_far();
            // Unless it had ended otherwise, and nobody could say so.
            return far.unanswered().map_or(Ok(()), |asked| Err(asked.refusal()));
        }
        let ending = self.state.ending.write();
        let (sets, done) = self.state.back_out();
        drop(ending);
        close(sets);
        done
    }

    /// Retains its records: whoever wants one is refused at once (8/24) until the unit has ended. For one that could
    /// not be backed out, whose program has gone (U9).
    pub fn retain(&self) {
        self.state.retain();
    }

    /// Gives up what could not be taken back: those changes stand as they are, and its records are free. What was taken
    /// back stays so. It is for people to decide, record by record, what is right then.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn give_up(&self) -> Result<(), RequestError> {
        self.state.work.lock().going_back = false;
        self.commit()
    }

    /// The names of the data sets that it has changed.
    pub fn data_sets(&self) -> Vec<String> {
        let work = self.state.work.lock();
        let name = |set: &Handle| set.inner().common().attributes.cluster_name.clone();
        work.sets.iter().map(name).collect()
    }

    /// Changes that a backout would take back. An update of a record that it has changed before is none of them (U10).
    pub fn changes(&self) -> usize {
        match self.state.far_part() {
            Some(far) => far.changes(),
            None => self.state.work.lock().changes.len(),
        }
    }

    /// Has it changed a data set of this process?
    pub(crate) fn is_near(&self) -> bool {
        !self.state.work.lock().sets.is_empty()
    }

    /// Its part in the process that owns the data sets it is to change; made by the first that asks.
    pub(crate) fn far_part(&self, new: impl FnOnce() -> Box<dyn FarUnit>) -> Arc<dyn FarUnit> {
        self.state.has_far.store(true, Release);
        let mut far = self.state.far.lock();
        // One that has nothing needs no backout where its process is gone.
        if far
            .as_ref()
            .is_some_and(|far| far.is_gone() && far.has_changed_nothing())
        {
            *far = None;
        }
        far.get_or_insert_with(|| new().into()).clone()
    }

    pub(crate) fn owner(&self) -> u64 {
        self.state.owner
    }

    /// How often it was backed out.
    pub(crate) fn backouts(&self) -> u64 {
        self.state.backouts.load(Acquire)
    }

    /// From now on the unit does not end, until the answer is dropped: what a record is now is what it goes back to.
    pub(crate) fn going(&self) -> Going<'_> {
        Going {
            state: &self.state,
            _ending: self.state.ending.read(),
        }
    }
}

/// A unit in which a change is made.
pub(crate) struct Going<'u> {
    state: &'u Arc<UnitState>,
    _ending: RwLockReadGuard<'u, ()>,
}

impl Going<'_> {
    /// Does `change` for the unit: of the record `key` of `inner`, which was `old` before (nothing: an insert).
    /// `erases`: and is not there after it.
    pub fn change<T>(
        &self,
        inner: &Arc<OpenDataSet>,
        (key, old, erases): (&[u8], &[u8], bool),
        change: impl FnOnce(Context<'_>) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        if inner.options.log == Logging::None {
            self.state.has_standing.store(true, Release);
            return change(Context::Itself(self.state.owner));
        }
        let bytes = key.len() + old.len() + OVERHEAD;
        let under_way = UnderWay::begin(self.state);
        let set = self.state.enlist(inner, bytes)?;
        let holds = &inner.common().holds;
        let is_first = match holds.keep(key, self.state.owner) {
            Ok(is_first) => is_first,
            Err(error) => return Err(self.state.refused(bytes, error)),
        };
        let is_covered = !is_first
            && under_way.is_alone()
            && inner.common().attributes.alternate.is_none()
            && !self.state.covers_nothing.load(Acquire);
        if erases {
            holds.erases(key, self.state.owner);
        }
        let in_unit = InUnit {
            unit: &**self.state,
            set,
            old,
            takes_back: None,
            covered: Cell::new(is_covered),
            logged: Cell::new(false),
            kept: RefCell::default(),
        };
        let done = change(Context::Unit(&in_unit));
        if in_unit.logged.get() {
            if in_unit.covered.get() {
                self.state.give_room_back(bytes);
            }
            return done;
        }
        if done.is_err() {
            in_unit.keep_nothing();
            holds.unkeep(key, self.state.owner);
        }
        // Another change may have found the record kept by this one, which is not in the log.
        if done.is_ok() || is_first && !under_way.is_alone() {
            self.state.covers_nothing.store(true, Release);
        }
        done.map_err(|error| self.state.refused(bytes, error))
    }
}

/// A change that is under way, from before it keeps its record until it is logged or refused.
struct UnderWay<'u>(&'u UnitState);

impl UnderWay<'_> {
    fn begin(unit: &UnitState) -> UnderWay<'_> {
        unit.changing.fetch_add(1, AcqRel);
        UnderWay(unit)
    }

    /// Is every change that has kept a record by now over?
    fn is_alone(&self) -> bool {
        self.0.changing.load(Acquire) == 1
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // It may have kept a record and not be logged.
            self.0.covers_nothing.store(true, Release);
        }
        self.0.changing.fetch_sub(1, AcqRel);
    }
}

impl Unit for UnitState {
    fn owner(&self) -> u64 {
        self.owner
    }

    fn log(&self, change: &InUnit<'_>, log: &Log, numbers: &[u32], redo: &[u8], undo: &[u8], own: usize) -> u64 {
        let mut work = self.work.lock();
        if work.id == 0 {
            work.id = log.new_unit();
        }
        let id = work.id;
        match change.takes_back {
            Some(sequence) => log.append_taken_back(numbers, id, sequence, redo),
            // Nothing takes it back by its number, so it has none of its own.
            None if change.covered.get() => log.append_covered(numbers, id, work.sequence, redo),
            None => {
                let sequence = work.sequence;
                work.sequence += 1;
                let undo: Arc<[u8]> = undo.into();
                let lsn = log.append_change(numbers, id, sequence, redo, &undo);
                // What it takes to bring pointers back was not known before the change.
                work.bytes += undo.len() - own;
                work.changes.push(UnitChange {
                    set: change.set,
                    sequence,
                    undo,
                    own,
                });
                lsn
            }
        }
    }
}

impl UnitState {
    fn retain(&self) {
        for set in &self.work.lock().sets {
            set.inner()
                .members()
                .for_each(|member| member.common().holds.retain(self.owner));
        }
    }

    fn far_part(&self) -> Option<Arc<dyn FarUnit>> {
        self.far.lock().clone()
    }

    fn leave_far(&self) {
        *self.far.lock() = None;
        self.has_far.store(false, Release);
    }

    /// The data set's place among those of the unit, which has a handle of it from now on; room for a change.
    fn enlist(&self, inner: &Arc<OpenDataSet>, bytes: usize) -> Result<usize, RequestError> {
        if self.has_far.load(Acquire) {
            return Err(NEAR_AND_FAR);
        }
        let mut work = self.work.lock();
        let set = match work.sets.iter().position(|set| Arc::ptr_eq(set.inner(), inner)) {
            Some(set) => set,
            None => {
                // No program has opened it: nobody is told.
                let another = Handle::another(inner, Access::Output);
                let handle = another.ok_or_else(|| RequestError::Fenced {
                    why: "it was closed".into(),
                })?;
                inner.members().for_each(|member| member.common().note_unit(true));
                if inner.common().holds.keeps_any(self.owner) {
                    self.covers_nothing.store(true, Release);
                }
                work.sets.push(handle);
                work.sets.len() - 1
            }
        };
        work.bytes += bytes;
        let charged = work.charged.as_ref().map_or(0, Held::bytes);
        if work.bytes > charged {
            let more = (work.bytes - charged).next_multiple_of(CHARGE);
            let is_within_share = work.bytes <= self.shared.pool.limit() / SHARE;
            let room = match &mut work.charged {
                _ if !is_within_share => Err(PoolFull),
                Some(held) => held.grow(more),
                none => self.shared.pool.hold(more).map(|held| *none = Some(held)),
            };
            if room.is_err() {
                work.bytes -= bytes;
                return Err(RequestError::UnitTooLarge);
            }
        }
        Ok(set)
    }

    /// A change was not made: it takes no room.
    fn refused(&self, bytes: usize, error: RequestError) -> RequestError {
        self.give_room_back(bytes);
        error
    }

    fn give_room_back(&self, bytes: usize) {
        self.work.lock().bytes -= bytes;
    }

    fn commit(&self, durability: Durability) -> Result<Vec<Handle>, RequestError> {
        let (id, unnamed, later) = {
            let work = self.work.lock();
            work.sets.iter().try_for_each(|set| set.inner().check_fences())?;
            if work.going_back {
                return Err(RequestError::Options {
                    what: "part of the unit of recovery is taken back already, so it cannot be committed; back it out \
                           again when there is room",
                });
            }
            let unnamed = work
                .sets
                .iter()
                .any(|set| !set.inner().members().all(OpenDataSet::is_named));
            let each_request = work.sets.iter().any(|set| set.inner().wants_each_request());
            (work.id, unnamed, durability == Durability::Close && !each_request)
        };
        // Where the unit has an end to log, that is made durable with all before it.
        if id == 0 && durability != Durability::Close && self.has_standing.load(Acquire) {
            let log = &self.shared.log;
            log.flush(log.last())?;
            self.has_standing.store(false, Release);
        }
        if id != 0 {
            if unnamed {
                // A root that cannot be written takes its data set out of the log: that must be known before the end
                // is logged.
                self.flush()?;
            }
            let lsn = self.shared.log.append_unit_end(id, false);
            if later {
                self.ends_with(lsn)
            } else {
                // Also when the file took nothing more the tail has it, and the next open finds it there (tail:T1).
                self.flush_end(lsn)
                    .inspect_err(|_| self.work.lock().maybe_over = true)?
            }
        }
        Ok(self.end())
    }

    /// The unit ends with this record of the log, which becomes durable later (U7).
    fn ends_with(&self, lsn: u64) {
        for set in &self.work.lock().sets {
            set.inner()
                .members()
                .for_each(|member| member.common().note_unit_ended(lsn));
        }
    }

    /// Makes the log durable; all data sets of the unit must have come along.
    fn flush(&self) -> Result<(), RequestError> {
        self.flush_log()?.iter().try_for_each(|inner| inner.check_fences())
    }

    /// Makes the unit's end durable. It is over then for all that the log names, fenced ones too: whoever opens them next
    /// finds the end. One that went out of the log has not what the others have.
    fn flush_end(&self, lsn: u64) -> Result<(), RequestError> {
        let sets = self.flush_log()?;
        if self.shared.log.is_lost(lsn) {
            let why =
                "the log could not go on in another file, and has not the end of the unit of recovery".to_string();
            for inner in &sets {
                inner.members().for_each(|member| member.common().fence_quietly(&why));
            }
            return Err(RequestError::Fenced { why });
        }
        let left = |inner: &&Arc<OpenDataSet>| !inner.members().all(OpenDataSet::is_named);
        sets.iter().filter(left).try_for_each(|inner| inner.check_fences())
    }

    /// Makes the log durable, or fences the data sets of the unit; those.
    fn flush_log(&self) -> Result<Vec<Arc<OpenDataSet>>, RequestError> {
        let sets: Vec<Arc<OpenDataSet>> = self.work.lock().sets.iter().map(|set| set.inner().clone()).collect();
        let log = &self.shared.log;
        if let Err(error) = log.flush(log.last()) {
            let why = error.to_string();
            for inner in &sets {
                inner.members().for_each(|member| member.common().fence_quietly(&why));
            }
            return Err(error.into());
        }
        Ok(sets)
    }

    /// Nothing of the unit is left; its handles are to be closed once `ending` is free.
    fn end(&self) -> Vec<Handle> {
        let work = std::mem::take(&mut *self.work.lock());
        self.covers_nothing.store(false, Release);
        for set in &work.sets {
            for member in set.inner().members() {
                member.common().holds.end(self.owner);
                member.common().note_unit(false);
            }
        }
        // What its strings have locked by name.
        match self.named {
            Some(_) => self.shared.locks.end_locked(self.owner),
            None => self.shared.locks.forget(self.owner),
        }
        work.sets
    }
}

/// Closes handles. Where one is the last and its close fails, the log has what was done, for the next open.
fn close(sets: Vec<Handle>) {
    for set in sets {
        let _ = set.close_behind_unit();
    }
}

impl Drop for UnitState {
    fn drop(&mut self) {
        if self.shared.owner.is_parent() {
            // forked:F1: the parent's unit is open still. A handle that is dropped lets go of memory.
            return;
        }
        if self.work.get_mut().sets.is_empty() {
            // It has changed nothing, and may have locked records by name.
            if self.named.is_none() {
                self.shared.locks.forget(self.owner);
            }
            return;
        }
        let (sets, _) = self.back_out();
        close(sets);
        if !self.work.get_mut().changes.is_empty() {
            self.shunt();
        }
    }
}
