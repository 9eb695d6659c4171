//! What is kept for each file of Cica's that is open, and how a request gets to it.
//!
//! A file of Cica's carries in its handler word the address of what is kept for it, marked in the bits that no address
//! uses, so that no pointer of libcob's can be taken for it. What is kept is never given back to the system: a second
//! thread that still has the word finds a closed file there, not foreign memory.

use crate::described;
use crate::libcob::layout::{read, File};
use crate::open_file::OpenFile;
use crate::process::{is_forked, session, tell_forked, tell_interrupted};
use crate::record_lock::waits_in_pieces;
use crate::signal;
use crate::status::{note, Outcome};
use crate::tell::{tell, CICA1213S};
use cica_disk::{Clock, SystemClock};
use cica_session::LONGEST_WAIT;
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Marks our words. On the systems Cica runs on addresses of a process have these bits clear.
const MARK: usize = 0xC1CA << 48;
const ADDRESS: usize = (1 << 48) - 1;

/// What is kept for a file of Cica's; none once it is closed.
pub type Kept = Mutex<Option<Box<OpenFile>>>;

/// All that were ever made; those that are free are used again.
static KEPT: Mutex<Vec<&'static Kept>> = Mutex::new(Vec::new());
static FREE: Mutex<Vec<&'static Kept>> = Mutex::new(Vec::new());

/// What is kept for this file, if it is Cica's.
///
/// # Safety
/// `file` is null or a file of the program.
#[inline]
pub unsafe fn kept(file: *const File) -> Option<&'static Kept> {
    // SAFETY: the caller's promise.
    let word = unsafe { file.as_ref()?.handler } as usize;
    // SAFETY: only `keep` makes such words, of what is never given back.
    (word & !ADDRESS == MARK).then(|| unsafe { &*((word & ADDRESS) as *const Kept) })
}

/// Keeps an open file; the word for it.
pub fn keep(open: Box<OpenFile>) -> *mut c_void {
    signal::keep_with(keep_all);
    let kept = FREE.lock().pop().unwrap_or_else(|| {
        let new: &'static Kept = Box::leak(Box::default());
        KEPT.lock().push(new);
        new
    });
    *kept.lock() = Some(open);
    (MARK | std::ptr::from_ref(kept) as usize) as *mut c_void
}

/// The file is closed, and in this mode: what was kept for it is free for another.
///
/// # Safety
/// What the program describes the file by is there.
pub unsafe fn let_go(kept: &'static Kept, mode: u8) {
    *kept.lock() = None;
    // SAFETY: the caller's promise.
    unsafe { described::leave(std::ptr::from_ref(kept) as usize, mode) };
    FREE.lock().push(kept);
}

/// Runs `act` behind the border; a panic becomes an outcome.
#[inline]
pub fn behind(act: impl FnOnce() -> Outcome) -> Outcome {
    let Some(_under_way) = signal::begin() else {
        tell_interrupted();
        return Outcome::Logic;
    };
    if is_forked() {
        tell_forked();
        return Outcome::Failed;
    }
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic");
        tell(&CICA1213S, &[("reason", &text)]);
        note(16, 0, 0);
        Outcome::Failed
    })
}

/// What comes of a READ of a file of Cica's; none when the file is not. WITH WAIT it is tried again when the record that
/// another thread has locked may be free.
///
/// # Safety
/// As [`act`].
#[inline]
pub unsafe fn act_waiting(
    file: *mut File,
    options: c_int,
    read: impl Fn(&mut OpenFile) -> Result<(), Outcome>,
) -> Option<Outcome> {
    if options & read::WAIT == 0 {
        let mut waits = false;
        // SAFETY: the caller's promise, here and below.
        let outcome = unsafe {
            act(file, |open| {
                let done = read(open);
                waits = done.is_err() && open.locks.waits();
                done
            })
        }?;
        if !waits || outcome != Outcome::RecordLocked || !waits_in_pieces() {
            return Some(outcome);
        }
    }
    let locks = &session(false)?.locks;
    let begun = SystemClock.passed();
    loop {
        let seen = locks.frees();
        let (mut holder, mut shared) = (None, false);
        let outcome = unsafe {
            act(file, |open| {
                let done = read(open);
                (holder, shared) = (open.locks.holder(), open.is_shared());
                done
            })
        }?;
        // The file itself is free meanwhile, so that COMMIT of another thread gets through.
        // Another program has it: the owner of the data set has waited.
        let waited = SystemClock.passed().saturating_sub(begun);
        if shared && outcome == Outcome::RecordLocked && waited < LONGEST_WAIT {
            continue;
        }
        let (Some(holder), Outcome::RecordLocked) = (holder, outcome) else {
            return Some(outcome);
        };
        let mut may_be_free = false;
        behind(|| {
            may_be_free = locks.wait(seen, holder);
            Outcome::Done
        });
        if !may_be_free {
            return Some(outcome);
        }
    }
}

/// What comes of a request for a file of Cica's; none when the file is not.
///
/// # Safety
/// `file` is a file of the program.
#[inline]
pub unsafe fn act(file: *mut File, act: impl FnOnce(&mut OpenFile) -> Result<(), Outcome>) -> Option<Outcome> {
    // SAFETY: the caller's promise.
    unsafe { kept(file) }.map(|kept| act_on(kept, act))
}

/// What comes of a request for what is kept.
#[inline]
pub fn act_on(kept: &Kept, act: impl FnOnce(&mut OpenFile) -> Result<(), Outcome>) -> Outcome {
    note(0, 0, 0);
    behind(|| match kept.lock().as_mut() {
        Some(open) => act(open).err().unwrap_or(Outcome::Done),
        None => Outcome::NotOpen,
    })
}

/// What failed first of what is done with all files.
pub struct Failure {
    /// What it comes to.
    pub outcome: Outcome,
    /// In words.
    pub reason: String,
}

impl Failure {
    /// Of no file that could be named.
    pub fn of(outcome: Outcome) -> Failure {
        Failure {
            outcome,
            reason: outcome.words().into(),
        }
    }
}

/// Does this with every open file, also behind one of which it fails. The file itself tells why.
///
/// # Errors
/// The first failure.
pub fn each_open(mut act: impl FnMut(&mut OpenFile) -> Result<(), Outcome>) -> Result<(), Failure> {
    let mut first = None;
    let outcome = behind(|| {
        for kept in KEPT.lock().iter() {
            let mut kept = kept.lock();
            let Some(open) = kept.as_mut() else { continue };
            if let Err(outcome) = act(open) {
                first.get_or_insert_with(|| Failure {
                    outcome,
                    reason: format!("{}: {}", open.data_set_name(), outcome.words()),
                });
            }
        }
        Outcome::Done
    });
    match (first, outcome) {
        (Some(failure), _) => Err(failure),
        (None, Outcome::Done) => Ok(()),
        (None, outcome) => Err(Failure::of(outcome)),
    }
}

/// Another file of the program is opened for a data set that this one loads: the load ends, so that the records are
/// seen, and the indexes built, before anybody else has it open. For an open, which is a request already.
///
/// # Errors
/// The load could not be ended; its file has told why.
pub fn end_loads(of: &str) -> Result<(), Outcome> {
    let all = KEPT.lock();
    all.iter().try_for_each(|kept| match kept.lock().as_mut() {
        Some(open) if open.is_loading() && open.data_set_name() == of => open.end_load(),
        _ => Ok(()),
    })
}

/// A shared file is open for change: those that are open for input read what the unit changes.
pub fn read_own_changes() {
    KEPT.lock().iter().for_each(|kept| {
        if let Some(open) = kept.lock().as_mut() {
            open.read_own_changes();
        }
    });
}

/// Has another file of this program found the data set without records, and keeps writers off?
pub fn keeps_writers_off(of: &str) -> bool {
    let all = KEPT.lock();
    all.iter().any(|kept| {
        let kept = kept.lock();
        kept.as_ref()
            .is_some_and(|open| open.has_guard() && open.data_set_name() == of)
    })
}

/// Another file of this program has opened this data set: what is locked because nothing was said of locks is free, for
/// the files of one program do not meet each other so.
pub fn free_unsaid(of: &str) {
    let all = KEPT.lock();
    for kept in all.iter() {
        if let Some(open) = kept.lock().as_mut() {
            if open.locks.unsaid && open.is_shared() && open.data_set_name() == of {
                open.unlock_all();
            }
        }
    }
}

/// What was answered is made durable, of files that no other thread is in the middle of: a signal ends the program.
/// The unit of recovery stays open, so it goes back by the next OPEN.
fn keep_all() {
    let Some(all) = KEPT.try_lock() else { return };
    for kept in all.iter() {
        if let Some(Some(open)) = kept.try_lock().as_deref() {
            // It told the program's standard error what failed; the process is about to end.
            let _ = catch_unwind(AssertUnwindSafe(|| open.commit()));
        }
    }
}
