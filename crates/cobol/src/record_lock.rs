//! Record locks of an open file, as LOCK MODE and the phrases of READ ask for them.
//!
//! | READ of a file opened I-O | LOCK MODE AUTOMATIC | MANUAL, or none |
//! |---|---|---|
//! | with no phrase | locks | - |
//! | WITH LOCK, KEPT LOCK, WAIT | locks | locks |
//! | WITH NO LOCK | - | - |
//! | IGNORING LOCK | -; reads what another has locked | the same |
//!
//! Every READ but IGNORING LOCK, REWRITE and DELETE meets the locks of other files: status 51. Without LOCK ON MULTIPLE
//! RECORDS the next READ (but WITH KEPT LOCK), WRITE, REWRITE (but WITH LOCK) or DELETE gives the lock back, with it
//! DELETE that of its record and REWRITE WITH NO LOCK; START never does. CLOSE, UNLOCK, COMMIT and ROLLBACK give all of
//! them back. A file that one has for himself needs no locks.

use crate::libcob::layout::{lock, open, read, write};
use crate::record::{By, Read};
use crate::status::{note, Outcome};
use cica_session::{Held, Opener};
use std::ffi::c_int;
use std::thread::ThreadId;

/// What a READ has to do with locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Wish {
    /// Nothing.
    #[default]
    Nothing,
    /// It meets them.
    Meet,
    /// It takes one.
    Take,
}

/// See the module.
#[derive(Default)]
pub struct Locks {
    opener: Option<Opener>,
    /// READ locks without a word.
    automatic: bool,
    /// Several records at a time.
    multiple: bool,
    /// There are no locks to take: not I-O, or nobody else can have it open.
    never: bool,
    wish: Wish,
    /// Key of the record that a READ found locked, and the thread that locked it.
    met: Vec<u8>,
    holder: Option<ThreadId>,
}

impl Locks {
    /// Of an open with these bits of LOCK MODE and SHARING.
    pub fn of(opener: Opener, mode: u8, bits: u8) -> Locks {
        Locks {
            opener: Some(opener),
            automatic: bits & lock::AUTOMATIC != 0,
            multiple: bits & lock::MULTIPLE != 0,
            never: mode != open::I_O || is_exclusive(bits),
            ..Locks::default()
        }
    }

    /// Before a READ: what it has to do, and what becomes of the lock before.
    #[inline]
    pub fn before_read(&mut self, options: c_int) {
        let Some(opener) = &mut self.opener else { return };
        if opener.holds() && !self.multiple && options & read::KEPT_LOCK == 0 {
            opener.unlock_all();
        }
        let asked = options & (read::LOCK | read::KEPT_LOCK | read::WAIT) != 0;
        self.wish = match options {
            o if o & read::IGNORE_LOCK != 0 => Wish::Nothing,
            o if !self.never && o & read::NO_LOCK == 0 && (asked || self.automatic) => Wish::Take,
            _ if opener.any() => Wish::Meet,
            _ => Wish::Nothing,
        };
    }

    /// Has the READ under way to do with locks?
    #[inline]
    pub fn concern(&self) -> bool {
        self.wish != Wish::Nothing
    }

    /// A READ has found a record.
    ///
    /// # Errors
    /// Another has it.
    pub fn read(&mut self, by: By, key: (usize, usize), record: &Read<'_>) -> Result<(), Outcome> {
        let Some(opener) = &mut self.opener else { return Ok(()) };
        self.met.clear();
        match by {
            By::Key => self.met.extend_from_slice(&record.bytes[key.0..key.0 + key.1]),
            By::Number => self.met.extend_from_slice(&(record.number as u32).to_be_bytes()),
            By::Address => self.met.extend_from_slice(&record.number.to_be_bytes()),
        }
        let done = match self.wish {
            Wish::Take => opener.lock(&self.met),
            Wish::Meet => opener.check(&self.met),
            Wish::Nothing => Ok(()),
        };
        done.map_err(|held| self.refused(held))
    }

    /// A record is to be changed.
    ///
    /// # Errors
    /// Another has it.
    #[inline]
    pub fn check(&mut self, record: &[u8]) -> Result<(), Outcome> {
        match self.opener.as_ref().map(|opener| opener.check(record)) {
            Some(Err(held)) => Err(self.refused(held)),
            _ => Ok(()),
        }
    }

    /// After a WRITE, REWRITE or DELETE with these options.
    #[inline]
    pub fn after_change(&mut self, options: c_int, record: &[u8]) {
        let Some(opener) = self.opener.as_mut().filter(|opener| opener.holds()) else {
            return;
        };
        match self.multiple {
            false if options & write::LOCK == 0 => opener.unlock_all(),
            true if options & write::NO_LOCK != 0 => opener.unlock(record),
            _ => {}
        }
    }

    /// UNLOCK, COMMIT or ROLLBACK.
    pub fn unlock_all(&mut self) {
        if let Some(opener) = &mut self.opener {
            opener.unlock_all();
        }
    }

    /// Key of the record that the last READ found locked.
    pub fn met(&self) -> &[u8] {
        &self.met
    }

    /// The thread that had the record of the last refused request.
    pub fn holder(&self) -> Option<ThreadId> {
        self.holder
    }

    fn refused(&mut self, held: Held) -> Outcome {
        note(8, 0, EXCLUSIVE);
        self.holder = Some(held.by);
        Outcome::RecordLocked
    }
}

/// Reason code of a record that another has.
const EXCLUSIVE: u8 = 20;

/// Do LOCK MODE EXCLUSIVE, WITH LOCK or SHARING WITH NO OTHER keep all others away?
pub fn is_exclusive(bits: u8) -> bool {
    bits & (lock::EXCLUSIVE | lock::OPEN_EXCLUSIVE) != 0
}
