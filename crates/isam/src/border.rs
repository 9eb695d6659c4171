//! The border between C and Rust: one call at a time, panics stop there, errors become `iserrno` and words.
//!
//! * B1. No panic leaves the library: the call answers EBADFILE, and what it worked on is closed.
//! * B2. A pointer of the program's is looked at only after it was found not to be null, and kept by no call.
//! * B3. A call of a thread that is in one already is refused: a handler of a signal makes it, or has left the first by
//!   `longjmp`. Calls of several threads take turns. One that waits for a record gives its turn back again and again;
//!   a handler may run then, call what it likes, and leave the call (interrupt:E1).
//! * B4. A child of fork is refused: files and locks are its parent's.

use crate::error::{Refused, EBADARG, EBADFILE, EFNAME, EINTR, NUMBERS};
use crate::interrupt::SignalsHeld;
use crate::process::Process;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_char, c_int, c_long, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicPtr, Ordering::*};
use std::time::Duration;

/// Why this thread's last call failed. It has C's `int`.
#[no_mangle]
pub static iserrno: AtomicI32 = AtomicI32::new(0);
/// The system's part of it: always 0.
#[no_mangle]
pub static iserrio: AtomicI32 = AtomicI32::new(0);
/// The number of the record: records of a KSDS have none, so 0.
#[no_mangle]
pub static isrecnum: AtomicI64 = AtomicI64::new(0);
/// Bytes of the record that was read, or is to be written, where records have lengths of their own.
#[no_mangle]
pub static isreclen: AtomicI32 = AtomicI32::new(0);
/// The number behind the last that `is_errlist` has words for.
#[no_mangle]
pub static is_nerr: AtomicI32 = AtomicI32::new(0);
/// Words for the numbers from 100 on.
#[no_mangle]
pub static is_errlist: AtomicPtr<*const c_char> = AtomicPtr::new(std::ptr::null_mut());

// `long` of C is what `isrecnum` is declared as.
const _: () = assert!(size_of::<c_long>() == size_of::<AtomicI64>());

/// What the calls of a process work on, by one of them at a time.
struct Gate {
    taken: AtomicBool,
    process: UnsafeCell<Option<Process>>,
}

// SAFETY: the cell is looked at only by who has taken the gate.
unsafe impl Sync for Gate {}

static GATE: Gate = Gate {
    taken: AtomicBool::new(false),
    process: UnsafeCell::new(None),
};

thread_local! {
    static IN_CALL: Cell<bool> = const { Cell::new(false) };
    static WORDS: Cell<*mut c_char> = const { Cell::new(std::ptr::null_mut()) };
}

/// A call that is under way.
struct Call;

impl Call {
    fn begin() -> Result<Call, Refused> {
        if IN_CALL.replace(true) {
            let words =
                "a call of this thread is not over: a handler of a signal made this one, or has left that one by \
                         longjmp; it may set a flag, and do both only while isread waits (ISLCKW)";
            return Err(Refused::because(EBADARG, words));
        }
        cica_disk::notice_forks();
        take_gate().inspect_err(|_| IN_CALL.set(false))?;
        Ok(Call)
    }

    /// What is to be done while nobody else has the gate.
    fn turn<T>(&self, what: impl FnOnce(&mut Option<Process>) -> Result<T, Refused>) -> Result<T, Refused> {
        // SAFETY: the call has taken the gate, and gives it back at its end.
        let process = unsafe { &mut *GATE.process.get() };
        catch_unwind(AssertUnwindSafe(|| what(process))).unwrap_or_else(|panic| {
            let why = panic.downcast_ref::<String>().cloned();
            let why = why.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            Err(Refused::because(
                EBADFILE,
                format!("the library failed: {}", why.unwrap_or_default()),
            ))
        })
    }

    /// Lets calls of other threads have a turn, and handlers of signals.
    ///
    /// # Errors
    /// EINTR: a handler has run.
    fn pause(&self, held: &SignalsHeld) -> Result<(), Refused> {
        GATE.taken.store(false, Release);
        std::thread::sleep(PAUSE);
        // Whoever is here has nothing: the handler may make calls, and need not come back.
        IN_CALL.set(false);
        let is_interrupted = held.take();
        IN_CALL.set(true);
        take_gate()?;
        if is_interrupted {
            return Err(Refused::because(EINTR, "a signal came while the record was waited for"));
        }
        Ok(())
    }
}

/// How long others have the gate while a call waits. It is shorter than a call tries at a time (`calls`): so two that
/// wait for one another's records meet, and the circle is found.
const PAUSE: Duration = Duration::from_millis(2);

/// Waits until nobody else has it.
fn take_gate() -> Result<(), Refused> {
    let is_child = || cica_disk::generation() > 0;
    while !is_child() && GATE.taken.compare_exchange(false, true, AcqRel, Relaxed).is_err() {
        std::thread::yield_now();
    }
    if is_child() {
        let words = "the files are the parent's; open them after fork, in a program begun by exec";
        return Err(Refused::because(EBADARG, words));
    }
    Ok(())
}

impl Drop for Call {
    fn drop(&mut self) {
        GATE.taken.store(false, Release);
        IN_CALL.set(false);
    }
}

/// Carries out a call: its result, or -1 and `iserrno`.
pub fn call(what: impl FnOnce(&mut Option<Process>) -> Result<c_int, Refused>) -> c_int {
    answer(Call::begin().and_then(|call| call.turn(what)))
}

/// The same of a call that tells its result in a way of its own. `iserrtext` has the words of what failed; `iserrno` is
/// left alone.
///
/// # Errors
/// As it was refused.
pub fn asked<T>(what: impl FnOnce(&mut Option<Process>) -> Result<T, Refused>) -> Result<T, Refused> {
    let done = Call::begin().and_then(|call| call.turn(what));
    done.inspect_err(|refused| remember(refused.words.clone()))
}

/// The same as [`call`] of a call that may wait. Where it gives no result others have a turn, and it is tried again.
pub fn call_in_turns(what: impl FnMut(&mut Option<Process>) -> Result<Option<c_int>, Refused>) -> c_int {
    answer(in_turns(what))
}

fn in_turns(mut what: impl FnMut(&mut Option<Process>) -> Result<Option<c_int>, Refused>) -> Result<c_int, Refused> {
    // Given up behind the call: a handler that runs then finds nothing taken (interrupt:E1).
    let held;
    let call = Call::begin()?;
    if let Some(result) = call.turn(&mut what)? {
        return Ok(result);
    }
    // From here on it waits.
    held = SignalsHeld::begin();
    loop {
        call.pause(&held)?;
        if let Some(result) = call.turn(&mut what)? {
            return Ok(result);
        }
    }
}

fn answer(done: Result<c_int, Refused>) -> c_int {
    match done {
        Ok(result) => {
            iserrno.store(0, Relaxed);
            result
        }
        Err(refused) => {
            remember(refused.words);
            iserrno.store(refused.number, Relaxed);
            -1
        }
    }
}

#[cold]
fn remember(words: String) {
    let words = CString::new(words.replace('\0', " ")).unwrap_or_default();
    let before = WORDS.replace(words.into_raw());
    if !before.is_null() {
        // SAFETY: it came out of `into_raw` here.
        drop(unsafe { CString::from_raw(before) });
    }
}

/// Words of this thread's last failed call: what, where, and what to do.
#[no_mangle]
pub extern "C" fn iserrtext() -> *const c_char {
    let words = WORDS.get();
    if words.is_null() {
        return c"".as_ptr();
    }
    words
}

/// Fills `is_errlist`, once.
pub fn fill_list() {
    if !is_errlist.load(Acquire).is_null() {
        return;
    }
    let last = NUMBERS.iter().map(|(number, ..)| *number).max().unwrap_or(0);
    let words_of = |number: i32| {
        let known = NUMBERS.iter().find(|(of, ..)| *of == number);
        let text = known.map_or("a number that is not used", |(.., words)| words);
        CString::new(text).unwrap_or_default().into_raw().cast_const()
    };
    let list: Vec<*const c_char> = (100..=last).map(words_of).collect();
    is_errlist.store(Box::leak(list.into_boxed_slice()).as_mut_ptr(), Release);
    is_nerr.store(last + 1, Relaxed);
}

/// What a pointer of the program's points to.
///
/// # Safety
/// It is null, or points to a `T`.
pub unsafe fn given<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Refused> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// So many bytes of a record area.
///
/// # Safety
/// It is null, or points to as many bytes.
pub unsafe fn bytes<'a>(pointer: *const c_char, length: usize) -> Result<&'a [u8], Refused> {
    if pointer.is_null() {
        return Err(null("record"));
    }
    // SAFETY: not null, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), length) })
}

/// A text that ends with a zero byte.
///
/// # Safety
/// It is null, or such a text.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Refused> {
    // SAFETY: the caller's promise.
    unsafe { given(pointer, name) }?;
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { std::ffi::CStr::from_ptr(pointer) };
    text.to_str()
        .map_err(|_| Refused::because(EFNAME, format!("{name} is no UTF-8 text")))
}

/// Of a null pointer.
pub fn null(name: &str) -> Refused {
    Refused::because(EBADARG, format!("{name} is a null pointer"))
}
