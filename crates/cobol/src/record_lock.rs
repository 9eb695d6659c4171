//! Record locks of an open file, as LOCK MODE and the phrases of READ ask for them.
//!
//! | READ of a file opened I-O | LOCK MODE AUTOMATIC | MANUAL | none said |
//! |---|---|---|---|
//! | with no phrase | locks | - | locks if the data set is shared |
//! | WITH LOCK, KEPT LOCK, WAIT | locks | locks | locks |
//! | WITH NO LOCK | - | - | - |
//! | IGNORING LOCK | -; reads what another has locked | the same | the same |
//!
//! A program that says nothing of locks was written for VSAM, where READ of a file opened I-O is a get for update, and
//! waits: so it does here, beside other programs.
//!
//! Every READ but IGNORING LOCK, REWRITE and DELETE meets the locks of other files: status 51. Without LOCK ON MULTIPLE
//! RECORDS the next READ (but WITH KEPT LOCK), WRITE, REWRITE (but WITH LOCK) or DELETE gives the lock back, with it
//! DELETE that of its record and REWRITE WITH NO LOCK; START never does. CLOSE, UNLOCK, COMMIT and ROLLBACK give all of
//! them back. A file that one has for himself needs no locks.

use crate::libcob::layout::{lock, open, read, write};
use crate::record::{By, Read};
use crate::sort_files;
use crate::status::{note, Outcome};
use cica_engine::{Patience, ReadIntegrity, RequestError, Str};
use cica_format::attributes::Organization;
use cica_session::{Held, Opener, LONGEST_WAIT};
use std::collections::HashSet;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::ThreadId;
use std::time::Duration;

/// How long a READ WITH WAIT of a shared file waits at a time where the program has several threads: meanwhile no other
/// of them uses the file.
const AT_A_TIME: Duration = Duration::from_millis(500);

/// The thread that has used shared files, by an address of its own, and whether there is another.
static FIRST: AtomicUsize = AtomicUsize::new(0);
static SEVERAL: AtomicBool = AtomicBool::new(false);

/// Notes that this thread uses shared files.
pub fn note_thread() {
    thread_local!(static HERE: u8 = const { 0 });
    let here = HERE.with(|here| std::ptr::from_ref(here).addr());
    match FIRST.compare_exchange(0, here, Relaxed, Relaxed) {
        Err(first) if first != here => SEVERAL.store(true, Relaxed),
        _ => {}
    }
}

/// Does a READ wait in pieces, so that other threads get at the file between them?
pub fn waits_in_pieces() -> bool {
    SEVERAL.load(Relaxed)
}

/// How long a READ waits at a time.
fn at_a_time() -> Duration {
    if waits_in_pieces() {
        AT_A_TIME
    } else {
        LONGEST_WAIT
    }
}

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
    /// LOCK MODE was not said.
    pub unsaid: bool,
    /// Several records at a time.
    multiple: bool,
    /// There are no locks to take: not I-O, or nobody else can have it open.
    never: bool,
    wish: Wish,
    /// Key of the record that a READ found locked, and the thread that locked it.
    met: Vec<u8>,
    holder: Option<ThreadId>,
    /// Of a file that is shared.
    pub shared: Option<SharedLocks>,
}

/// Locks that other programs meet too. They are taken by the READ itself, where the data set is owned.
pub struct SharedLocks {
    /// What reads do that lock nothing.
    rls: Option<ReadIntegrity>,
    /// LOCK MODE was not said.
    unsaid: bool,
    /// Record numbers have eight bytes there.
    wide: bool,
    /// Keys of records that are locked, and of those that are no more, which the owner was not told yet.
    held: HashSet<Vec<u8>>,
    gone: Vec<Vec<u8>>,
    /// The READ under way waits.
    waits: bool,
}

/// Records of shared files that the program has locked: by its word, and because it says nothing of locks.
static SAID: AtomicUsize = AtomicUsize::new(0);
static UNSAID: AtomicUsize = AtomicUsize::new(0);

/// Has the program locked a record of a shared file by its word? With the end of its unit of recovery it would be free.
pub fn is_any_locked() -> bool {
    SAID.load(Relaxed) > 0
}

/// Has it locked one because it says nothing of locks? It may be about to change it, or never will.
pub fn is_any_locked_unsaid() -> bool {
    UNSAID.load(Relaxed) > 0
}

impl Drop for SharedLocks {
    fn drop(&mut self) {
        self.count().fetch_sub(self.held.len(), Relaxed);
    }
}

impl SharedLocks {
    fn count(&self) -> &'static AtomicUsize {
        if self.unsaid {
            &UNSAID
        } else {
            &SAID
        }
    }

    fn keep(&mut self, key: &[u8]) {
        if self.held.insert(key.to_vec()) {
            self.count().fetch_add(1, Relaxed);
        }
    }

    fn let_go(&mut self, key: &[u8]) {
        if let Some(key) = self.held.take(key) {
            self.count().fetch_sub(1, Relaxed);
            self.gone.push(key);
        }
    }

    fn let_all_go(&mut self) {
        self.count().fetch_sub(self.held.len(), Relaxed);
        self.gone.extend(self.held.drain());
    }

    /// Of a data set of this organization, opened with this RLS.
    pub fn new(rls: Option<ReadIntegrity>, organization: Organization, unsaid: bool) -> SharedLocks {
        SharedLocks {
            rls,
            unsaid,
            wide: organization == Organization::Rrds,
            held: HashSet::new(),
            gone: Vec::new(),
            waits: false,
        }
    }

    /// Gives back what is locked no more. An owner that is gone has no locks.
    pub fn give_back(&mut self, reader: &mut Str) {
        for key in self.gone.drain(..) {
            match (self.wide, <[u8; 4]>::try_from(key.as_slice())) {
                (true, Ok(number)) => reader.unlock(&u64::from(u32::from_be_bytes(number)).to_be_bytes()),
                _ => reader.unlock(&key),
            };
        }
    }
}

impl Locks {
    /// Of an open with these bits of LOCK MODE and SHARING.
    pub fn of(opener: Opener, mode: u8, bits: u8) -> Locks {
        Locks {
            opener: Some(opener),
            automatic: bits & lock::AUTOMATIC != 0,
            unsaid: bits & (lock::AUTOMATIC | lock::MANUAL | lock::EXCLUSIVE) == 0,
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
            if let Some(shared) = &mut self.shared {
                shared.let_all_go();
            }
        }
        let asked = options & (read::LOCK | read::KEPT_LOCK | read::WAIT) != 0;
        // Two files of one program, of which neither says anything of locks, do not meet each other.
        let rls = self.shared.as_ref().map(|shared| shared.rls);
        let unsaid = self.unsaid && rls.is_some_and(|rls| rls != Some(ReadIntegrity::None)) && opener.is_only();
        let automatic = self.automatic || unsaid;
        self.wish = match options {
            o if o & read::IGNORE_LOCK != 0 => Wish::Nothing,
            o if !self.never && o & read::NO_LOCK == 0 && (asked || automatic) => Wish::Take,
            _ if opener.any() || self.shared.is_some() => Wish::Meet,
            _ => Wish::Nothing,
        };
        if let Some(shared) = &mut self.shared {
            note_thread();
            shared.waits = options & read::WAIT != 0 || sort_files::is_reading() || unsaid && shared.rls.is_none();
        }
    }

    /// Before a string of a shared file reads: what it does about records that others have.
    #[inline]
    pub fn show(&self, reader: &mut Str) {
        let Some(shared) = &self.shared else { return };
        reader.set_integrity(match self.wish {
            Wish::Take => ReadIntegrity::Locked,
            Wish::Meet => shared.rls.unwrap_or(ReadIntegrity::Consistent),
            Wish::Nothing => ReadIntegrity::None,
        });
        reader.set_patience(match (shared.waits, shared.rls) {
            (true, _) => Patience::Until(at_a_time()),
            (false, Some(ReadIntegrity::Consistent | ReadIntegrity::Repeatable)) => Patience::Until(LONGEST_WAIT),
            (false, _) => Patience::None,
        });
    }

    /// Before a change of a shared file: the record is got for update, and is nobody's to be locked by name besides.
    #[inline]
    pub fn show_change(&self, changer: &mut Str) {
        if let Some(shared) = &self.shared {
            note_thread();
            if shared.rls != Some(ReadIntegrity::Repeatable) {
                changer.set_integrity(ReadIntegrity::None);
            }
        }
    }

    /// Does the READ under way wait for what another program has?
    pub fn waits(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.waits)
    }

    /// Before START by this key, which finds what is committed. By an alternate key it meets no locks, unless RLS says
    /// so.
    #[inline]
    pub fn show_start(&self, reader: &mut Str, by: usize) {
        let Some(shared) = &self.shared else { return };
        let unsaid = if by == 0 {
            ReadIntegrity::Consistent
        } else {
            ReadIntegrity::None
        };
        let (integrity, patience) = match shared.rls {
            None => (unsaid, Patience::None),
            Some(ReadIntegrity::None) => (ReadIntegrity::None, Patience::None),
            Some(_) => (ReadIntegrity::Consistent, Patience::Until(LONGEST_WAIT)),
        };
        reader.set_integrity(integrity);
        reader.set_patience(patience);
    }

    /// Behind START, which has found its record: where that is does not change.
    #[inline]
    pub fn show_nothing(&self, reader: &mut Str) {
        if self.shared.is_some() {
            reader.set_integrity(ReadIntegrity::None);
        }
    }

    /// Is the record that START came to another program's? Without RLS it is no reason to refuse it: the READ that
    /// follows meets it.
    pub fn start_meets(&mut self, by: usize, refused: &RequestError) -> bool {
        let is_said = self.shared.as_ref().is_some_and(|shared| shared.rls.is_some());
        by == 0 && !is_said && self.meets(refused)
    }

    /// Was a request refused because of a record that another program has? READ NEXT returns it once it is free.
    pub fn meets(&mut self, refused: &RequestError) -> bool {
        use RequestError::{Deadlock, Exclusive, LockTimeout, Retained};
        let (
            Some(shared),
            Exclusive { key, .. } | Deadlock { key, .. } | LockTimeout { key, .. } | Retained { key, .. },
        ) = (&self.shared, refused)
        else {
            return false;
        };
        self.met.clear();
        self.met
            .extend_from_slice(if shared.wide { key.get(4..).unwrap_or(key) } else { key });
        true
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
        if let (Some(shared), Wish::Take, Ok(())) = (&mut self.shared, self.wish, &done) {
            shared.keep(&self.met);
        }
        done.map_err(|held| self.refused(held))
    }

    /// The record that the READ under way has found is not the program's: it is locked no more.
    pub fn give_back_read(&mut self) {
        let Some(opener) = self.opener.as_mut().filter(|_| self.wish == Wish::Take) else {
            return;
        };
        opener.unlock(&self.met);
        if let Some(shared) = &mut self.shared {
            shared.let_go(&self.met);
        }
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
            false if options & write::LOCK == 0 => self.unlock_all(),
            true if options & write::NO_LOCK != 0 => {
                opener.unlock(record);
                if let Some(shared) = &mut self.shared {
                    shared.let_go(record);
                }
            }
            _ => {}
        }
    }

    /// UNLOCK, COMMIT or ROLLBACK.
    pub fn unlock_all(&mut self) {
        if let Some(opener) = &mut self.opener {
            opener.unlock_all();
        }
        if let Some(shared) = &mut self.shared {
            shared.let_all_go();
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
