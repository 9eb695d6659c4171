//! The context of a change: on whose behalf it is made, and so who keeps the gate and logs it. It goes with a request
//! from the string down to the page, where the change is logged.
//!
//! | context | gate kept by | logged by | records that a unit of recovery keeps (U5) |
//! |---|---|---|---|
//! | `Itself` | the change | the change | are refused, and so are those that another owner has locked (locks:L8) |
//! | `Unit` | the change | the change, with what takes it back | are kept for itself before |
//! | `Shared`, `Exclusive` | the caller | the caller, for all members of a sphere (sphere:S1) | were asked for by the caller |

use super::Common;
use crate::error::RequestError;
use crate::locks::{HeldForChange, Holds};
use crate::log::Log;
use crate::sync::RwLockReadGuard;
use cica_format::log;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The owner that recovery is: it meets no locks, as nobody has the data set yet.
pub const RECOVERY: u64 = 0;

/// See the module.
#[derive(Clone, Copy)]
pub enum Context<'u> {
    /// A request of its own, and who has what its string holds; or recovery's ([`RECOVERY`]): it stands as soon as it is
    /// done.
    Itself(u64),
    /// A request in a unit of recovery.
    Unit(&'u InUnit<'u>),
    /// Part of a change of a sphere, with the gate shared.
    Shared,
    /// The same, with the gate exclusive.
    Exclusive,
}

impl Context<'_> {
    /// Keeps the gate shared if the caller does not keep it.
    pub fn shared(self, of: &Common) -> Option<RwLockReadGuard<'_, ()>> {
        matches!(self, Context::Itself(_) | Context::Unit(_)).then(|| of.gate.read())
    }

    /// Does with the gate kept exclusively what needs that; `None` if the caller keeps it shared.
    pub fn exclusively<T>(
        self,
        of: &Common,
        shared: Option<RwLockReadGuard<'_, ()>>,
        work: impl FnOnce() -> Result<T, RequestError>,
    ) -> Result<Option<T>, RequestError> {
        if matches!(self, Context::Shared) {
            return Ok(None);
        }
        drop(shared);
        let _gate = matches!(self, Context::Itself(_) | Context::Unit(_)).then(|| of.gate.write());
        work().map(Some)
    }
}

/// A change of one record, as the log has it. `place` stands in front where records have no keys, and is empty where
/// they have.
#[derive(Clone, Copy)]
pub enum Redo<'r> {
    Insert { place: &'r [u8], record: &'r [u8] },
    Update { place: &'r [u8], record: &'r [u8] },
    Erase { key: &'r [u8] },
}

impl<'r> Redo<'r> {
    /// Appends the log's record of it.
    pub fn append(self, number: u32, buf: &mut Vec<u8>) {
        match self {
            Redo::Insert { place, record } => log::append_insert_at(buf, number, place, record),
            Redo::Update { place, record } => log::append_update_at(buf, number, place, record),
            Redo::Erase { key } => log::append_erase(buf, number, key),
        }
    }

    /// What takes it back; `old` is the record as it was before.
    pub fn undo(self, common: &Common, old: &'r [u8]) -> Redo<'r> {
        let keyed = common.shape.key_len > 0;
        match self {
            Redo::Insert { record, .. } if keyed => Redo::Erase {
                key: &record[common.shape.rkp..][..common.shape.key_len],
            },
            Redo::Insert { place, .. } => Redo::Erase { key: place },
            Redo::Update { place, .. } => Redo::Update { place, record: old },
            Redo::Erase { .. } if keyed => Redo::Insert {
                place: &[],
                record: old,
            },
            Redo::Erase { key } => Redo::Insert {
                place: key,
                record: old,
            },
        }
    }
}

impl Common {
    /// What a change came to that keeps the gate itself: it has it as it needs it, or nothing more is answered.
    #[inline]
    pub fn whole<T>(&self, done: Result<Option<T>, RequestError>) -> Result<T, RequestError> {
        done?.ok_or_else(|| {
            let why = "a request of its own has the gate as it needs it";
            self.fence(why);
            RequestError::Fenced { why: why.into() }
        })
    }

    /// Logs a change, unless the caller does (R4, U4: the latch of the page is kept).
    #[inline]
    pub fn log(&self, context: Context<'_>, redo: Redo<'_>) {
        match context {
            Context::Itself(_) => self.append(|number, buf| redo.append(number, buf)),
            Context::Unit(change) => {
                self.note_change();
                change.log(self, redo);
            }
            Context::Shared | Context::Exclusive => {}
        }
    }

    /// Refuses to touch a record that a unit of recovery keeps (U5), or that another owner has locked by name
    /// (locks:L8). The caller holds what orders it among changes of this record: a unit has kept a record before it
    /// takes the latch of its page, and who has locked one looks at its page afterwards.
    ///
    /// # Errors
    /// 8/20.
    #[inline]
    pub fn check_kept(&self, context: Context<'_>, key: &[u8]) -> Result<(), RequestError> {
        match context {
            Context::Itself(owner) if self.holds.is_kept_from(key, owner) => Err(self.holds.refused(key, owner)),
            _ => Ok(()),
        }
    }

    /// Holds the record of a change that is made by itself, if somebody may lock it by name: nobody does so between the
    /// look at the record and the change of it, where no latch is kept from the one to the other (locks:L8).
    ///
    /// # Errors
    /// 8/20, 8/24.
    pub fn hold_if_lockable<'h>(
        &'h self,
        context: Context<'_>,
        key: &'h [u8],
    ) -> Result<Option<HeldForChange<'h>>, RequestError> {
        match context {
            Context::Itself(owner) if self.holds.is_lockable() => self.holds.hold_for_change(key, owner).map(Some),
            _ => Ok(None),
        }
    }
}

/// A unit of recovery, as a change that is made in it knows it.
pub trait Unit {
    /// Who keeps what it changes.
    fn owner(&self) -> u64;

    /// Logs a change of the data sets with these numbers; returns its LSN. The first `own` bytes of `undo` are of the
    /// data set that was changed, the rest of what changed with it. There is none of a change that is covered.
    fn log(&self, change: &InUnit<'_>, log: &Log, numbers: &[u32], redo: &[u8], undo: &[u8], own: usize) -> u64;
}

/// A record that is kept, and in which data set.
type KeptRecord = (Arc<Holds>, Box<[u8]>);

/// One change in a unit of recovery: what the log and the unit are told of it (U4).
pub struct InUnit<'u> {
    pub unit: &'u dyn Unit,
    /// The data set's place among those of the unit.
    pub set: usize,
    /// The record before; empty for an insert.
    pub old: &'u [u8],
    /// Number of the change that this one takes back.
    pub takes_back: Option<u32>,
    /// An earlier change of the unit takes the record back, whatever this update makes of it (unit:U10). Cleared when
    /// it is logged with what takes it back all the same: it is no update, or has changed other data sets as well.
    pub covered: Cell<bool>,
    /// It has been logged, so the unit has it.
    pub logged: Cell<bool>,
    /// What it keeps beside the record.
    pub kept: RefCell<Vec<KeptRecord>>,
}

impl InUnit<'_> {
    /// Logs a change of one data set.
    fn log(&self, common: &Common, done: Redo<'_>) {
        let Some(number) = common.log_number() else { return };
        // Kept from one change to the next.
        thread_local!(static PARTS: Cell<Vec<u8>> = const { Cell::new(Vec::new()) });
        let mut parts = PARTS.take();
        parts.clear();
        done.append(number, &mut parts);
        let redo = parts.len();
        let is_covered = self.covered.get() && matches!(done, Redo::Update { .. });
        if self.takes_back.is_none() && !is_covered {
            done.undo(common, self.old).append(number, &mut parts);
        }
        let (redo, undo) = parts.split_at(redo);
        self.log_parts(common.log_of(), &[number], redo, undo, undo.len());
        PARTS.set(parts);
    }

    /// Logs a change of several data sets; see [`Unit::log`].
    pub fn log_parts(&self, log: &Log, numbers: &[u32], redo: &[u8], undo: &[u8], own: usize) -> u64 {
        self.covered.set(self.covered.get() && undo.is_empty());
        let lsn = self.unit.log(self, log, numbers, redo, undo, own);
        self.logged.set(true);
        lsn
    }

    /// Keeps one more record until the unit ends.
    ///
    /// # Errors
    /// 8/20.
    pub fn keep(&self, common: &Common, key: &[u8]) -> Result<(), RequestError> {
        common.holds.keep(key, self.unit.owner())?;
        self.kept.borrow_mut().push((common.holds.clone(), key.into()));
        Ok(())
    }

    /// It was refused: it keeps nothing.
    pub fn keep_nothing(&self) {
        for (holds, key) in self.kept.take() {
            holds.unkeep(&key, self.unit.owner());
        }
    }
}
