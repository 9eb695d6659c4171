//! Data sets that another process has open: what an open, a string and a unit of recovery are asked to do there.
//!
//! [`DataSet`](crate::DataSet), [`Str`](crate::Str) and [`UnitOfRecovery`](crate::UnitOfRecovery) are the same
//! to their users wherever the records are. Who brings requests to the owner implements these traits; who opens a data
//! set decides which it is.
//!
//! * F1. A unit of recovery has changes of data sets that are near, or of those of one owner that is far, never of
//!   both: no two logs hold one unit.

use crate::error::RequestError;
use crate::examine::Examination;
use crate::locks::{LockMode, Patience, ReadIntegrity};
use crate::prepared::PrepareError;
use crate::request::{Argument, CloseReport, Durability, Insert, Intent, Record, Search};
use cica_format::attributes::Attributes;
use cica_format::root::Statistics;

/// What an owner knows of a data set at a moment.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Of the data component.
    pub data: Statistics,
    /// Of the index component.
    pub index: Statistics,
    /// Index levels.
    pub levels: u8,
    /// End of the used area in bytes.
    pub high_used: u64,
    /// Bytes of a linear data set.
    pub linear_length: Option<u64>,
    /// It is being loaded.
    pub loading: bool,
}

/// What is asked of a data set as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// [`DataSet::end_load`](crate::DataSet::end_load).
    EndLoad,
    /// [`DataSet::commit`](crate::DataSet::commit).
    Commit,
    /// [`DataSet::checkpoint`](crate::DataSet::checkpoint).
    Checkpoint,
}

/// The end of a unit that its owner was asked for when it went, and did not answer, or that a failed log may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// [`FarUnit::commit`].
    Commit,
    /// [`FarUnit::prepare`].
    Prepare,
}

impl Unanswered {
    /// What the program is told: nobody here knows whether the owner had done it.
    pub fn refusal(self) -> RequestError {
        self.after("the process that shares it has gone without an answer")
    }

    /// The same where the log failed with it; `failed` is what the data set answers since.
    pub fn refusal_near(self, failed: Option<&RequestError>) -> RequestError {
        match failed {
            Some(RequestError::Fenced { why }) => self.after(why),
            _ => self.after("the log failed"),
        }
    }

    fn after(self, before: &str) -> RequestError {
        let why = match self {
            Unanswered::Commit => {
                "whether the unit of recovery was committed is not known; look at its records before it is done again"
            }
            Unanswered::Prepare => {
                "whether the unit of recovery was prepared is not known; look at the units in doubt before it is done again"
            }
        };
        RequestError::Fenced {
            why: format!("{before}: {why}"),
        }
    }
}

/// An open of a data set that another process owns.
pub trait FarDataSet: Send + Sync {
    /// Of the data component; through a path as of a KSDS with the alternate key for the key.
    fn attributes(&self) -> &Attributes;
    /// Of the index component, where there is one.
    fn index_attributes(&self) -> Option<&Attributes>;
    /// What the owner knows now; if it cannot be asked, what it said last.
    fn facts(&self) -> Facts;
    /// A string. `unit`: one that [`new_unit`](Self::new_unit) of a data set of the same owner has made. `with`: the
    /// string of the same owner that it has its holds and locks together with. Where one of them is of another owner,
    /// as of one that has gone, each request of the string is refused.
    fn string(&self, unit: Option<&dyn FarUnit>, with: Option<&mut dyn FarString>) -> Box<dyn FarString>;
    /// A unit of recovery of the owner.
    fn new_unit(&self) -> Box<dyn FarUnit>;
    /// Does something with all of it.
    ///
    /// # Errors
    /// As of the function of [`DataSet`](crate::DataSet).
    fn whole(&self, what: Whole) -> Result<(), RequestError>;
    /// Checks the whole structure.
    ///
    /// # Errors
    /// The data set is fenced, or the owner is gone.
    fn examine(&self) -> Result<Examination, RequestError>;
    /// Keeps the committed trees as they are, for whoever copies them.
    ///
    /// # Errors
    /// As [`DataSet::pin`](crate::DataSet::pin).
    fn pin(&self) -> Result<Box<dyn FarPin>, RequestError>;
    /// Closes this open.
    ///
    /// # Errors
    /// What could not be written.
    fn close(&self) -> Result<CloseReport, RequestError>;
}

/// A cluster that is pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedTree {
    /// Its id.
    pub cluster: u64,
    /// Which open the copy counts as; the root's own where that is none.
    pub origin: Option<u64>,
    /// Requests that take back what open units have done in it, in the order in which they are to be done, as the log
    /// has them.
    pub undo: Vec<u8>,
}

/// Committed trees that another process keeps as they are. Dropped, they are let go.
pub trait FarPin: Send {
    /// What is kept.
    fn trees(&self) -> &[PinnedTree];
    /// Has the owner kept them up to now?
    ///
    /// # Errors
    /// The owner is gone.
    fn holds(&self) -> Result<bool, RequestError>;
}

/// A unit of recovery of another process. Dropped, it is backed out.
pub trait FarUnit: Send + Sync {
    /// The owner's number of it; one that no unit has: the owner cannot be asked.
    fn number(&self) -> u64;
    /// Which owner that is. Of two that are used at the same time it is another one, also where one has gone.
    fn owner(&self) -> usize;
    /// Ends it: its changes stand.
    ///
    /// # Errors
    /// As [`UnitOfRecovery::commit`](crate::UnitOfRecovery::commit). 12/16 also where the owner has gone; whether it is
    /// known what became of the unit then says [`unanswered`](Self::unanswered).
    fn commit(&self, durability: Durability) -> Result<(), RequestError>;
    /// Takes its changes back.
    ///
    /// # Errors
    /// As [`UnitOfRecovery::backout`](crate::UnitOfRecovery::backout).
    fn backout(&self) -> Result<(), RequestError>;
    /// Prepares it: it belongs to nobody then but to who decides about `name`.
    ///
    /// # Errors
    /// As [`UnitOfRecovery::prepare`](crate::UnitOfRecovery::prepare); the same of an owner that has gone.
    fn prepare(&self, name: &str) -> Result<(), PrepareError>;
    /// Changes of it so far.
    fn changes(&self) -> usize;
    /// It has certainly changed nothing since it began, or the one before ended: with its process nothing is lost.
    fn has_changed_nothing(&self) -> bool;
    /// The process that has it is gone. If it had not committed or prepared it, whoever opens its data sets next takes
    /// it back.
    fn is_gone(&self) -> bool;
    /// What was asked of the process when it went, and got no answer: it was done or not. None: it was not done.
    fn unanswered(&self) -> Option<Unanswered>;
}

/// A string of another process's data set. Each request is that of [`Str`](crate::Str), errors too; what a get has
/// returned is [`last`](Self::last).
pub trait FarString: Send {
    /// The owner's number of it; one that no string has: the owner cannot be asked.
    fn number(&mut self) -> u64;
    /// As [`FarUnit::owner`].
    fn owner(&self) -> usize;
    /// The record that the last get returned.
    fn last(&self) -> Record<'_>;
    /// Is a record held for update?
    fn holds(&self) -> bool;
    /// Did the last request find or make another record with the same alternate key?
    fn duplicate(&self) -> bool;
    /// GET direct.
    fn get(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<(), RequestError>;
    /// GET skip-sequential.
    fn skip(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<(), RequestError>;
    /// POINT.
    fn point(&mut self, argument: Argument<'_>, search: Search, backward: bool) -> Result<(), RequestError>;
    /// POINT to the first record, or to the last.
    fn point_end(&mut self, last: bool) -> Result<(), RequestError>;
    /// GET sequential, forward or backward.
    fn step(&mut self, backward: bool, intent: Intent) -> Result<(), RequestError>;
    /// PUT insert.
    fn insert(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError>;
    /// PUT insert at a number.
    fn insert_at(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError>;
    /// PUT update.
    fn update(&mut self, record: &[u8]) -> Result<u64, RequestError>;
    /// GET for update and PUT update.
    fn rewrite(&mut self, argument: Argument<'_>, record: &[u8]) -> Result<u64, RequestError>;
    /// ERASE.
    fn erase(&mut self) -> Result<(), RequestError>;
    /// Through a path: PREV returns records with the same alternate key last first.
    fn mirror_duplicates(&mut self);
    /// Through a path: the next NEXT or PREV returns the same record once more.
    fn stay(&mut self);
    /// ENDREQ.
    fn end(&mut self);
    /// GET CNV.
    fn get_interval(&mut self, rba: u64, intent: Intent) -> Result<(), RequestError>;
    /// PUT CNV.
    fn put_interval(&mut self, image: &[u8]) -> Result<(), RequestError>;
    /// LDS: reads bytes.
    fn read_range(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError>;
    /// LDS: writes bytes.
    fn write_range(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError>;
    /// How long requests for update wait for a record that another has.
    fn set_patience(&mut self, patience: Patience);
    /// What its reads do about records that others have.
    fn set_integrity(&mut self, integrity: ReadIntegrity);
    /// Locks a record.
    fn lock(&mut self, record: &[u8], mode: LockMode, patience: Patience) -> Result<(), RequestError>;
    /// Unlocks a record. True: it was locked.
    fn unlock(&mut self, record: &[u8]) -> bool;
    /// Does it go through a path?
    fn is_path(&self) -> bool;
}
