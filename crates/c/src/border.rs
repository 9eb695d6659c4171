//! The border between C and Rust: errors become codes and words, panics stop (B1), pointers are looked at (B2).

use crate::code::{Error, CODES, INTERNAL, INTERRUPTED, OK};
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{compiler_fence, Ordering::SeqCst};

thread_local! {
    /// Words of this thread's last failed call.
    static WORDS: RefCell<CString> = RefCell::default();
    /// Its calls. To come to what is a thread's own costs a call in a shared library, so each call does it once.
    static CALLS: Calls = const {
        Calls {
            under_way: Cell::new(false),
            refused: Cell::new(false),
        }
    };
}

/// What is known of a thread's calls.
struct Calls {
    /// It is in one (B4).
    under_way: Cell<bool>,
    /// Its last one was refused for that.
    refused: Cell<bool>,
}

/// A call that is under way.
struct Call<'t>(&'t Calls);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        compiler_fence(SeqCst);
        self.0.under_way.set(false);
    }
}

/// Calls a function of the caller's, which may call us.
pub fn outside<T>(theirs: impl FnOnce() -> T) -> T {
    CALLS.with(|calls| {
        calls.under_way.set(false);
        let done = theirs();
        calls.under_way.set(true);
        done
    })
}

/// Carries out a call.
#[inline]
pub fn call(what: impl FnOnce() -> Result<(), Error>) -> c_int {
    CALLS.with(|calls| carry_out(calls, what))
}

#[inline]
fn carry_out(calls: &Calls, what: impl FnOnce() -> Result<(), Error>) -> c_int {
    let refused = calls.under_way.replace(true);
    calls.refused.set(refused);
    if refused {
        return INTERRUPTED;
    }
    // A handler of a signal looks at it from here on.
    compiler_fence(SeqCst);
    let _call = Call(calls);
    // What a panic leaves half done is behind a handle, which is gone by then.
    let done = catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().cloned();
        let why = why.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        let words = format!("the library failed: {}", why.unwrap_or_default());
        Err(Error::new(INTERNAL, words))
    });
    match done {
        Ok(()) => OK,
        Err(error) => {
            remember(&error.words);
            error.number
        }
    }
}

/// No memory may be needed to say it.
const INTERRUPTED_WORDS: &CStr =
    c"a signal interrupted a call of this thread, and that call is not over: a handler may \
    set a flag, and must not call the library, or leave it by longjmp";

#[cold]
fn remember(words: &str) {
    let text = CString::new(words.replace('\0', " ")).unwrap_or_default();
    WORDS.with(|last| *last.borrow_mut() = text);
}

/// Words of the last failed call of this thread.
#[no_mangle]
pub extern "C" fn cica_message() -> *const c_char {
    if CALLS.with(|calls| calls.refused.get()) {
        return INTERRUPTED_WORDS.as_ptr();
    }
    WORDS.with(|last| last.borrow().as_ptr())
}

/// General words for a code.
#[no_mangle]
pub extern "C" fn cica_strerror(code: c_int) -> *const c_char {
    let known = CODES.iter().find(|c| c.number == code);
    known
        .map_or(c"a code of VSAM's; see cica_message()", |c| c.words)
        .as_ptr()
}

/// The library's version.
#[no_mangle]
pub extern "C" fn cica_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The place for a result.
///
/// # Safety
/// `place` is null or points to a `T` that the caller lets us write.
pub unsafe fn place<'a, T>(place: *mut T, name: &str) -> Result<&'a mut T, Error> {
    // SAFETY: the caller's promise.
    unsafe { place.as_mut() }.ok_or_else(|| Error::argument(format!("{name} is a null pointer")))
}

/// Bytes the caller gives; none when there is nothing.
///
/// # Safety
/// `data` points to `size` bytes, or is null.
pub unsafe fn bytes<'a>(data: *const std::ffi::c_void, size: usize, name: &str) -> Result<&'a [u8], Error> {
    match (data.is_null(), size) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Error::argument(format!("{name} is a null pointer, of {size} bytes"))),
        // No object is larger than that, so this is no length.
        _ if size > isize::MAX as usize => Err(Error::argument(format!("{name}: {size} is no length"))),
        // SAFETY: not null, and the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(data.cast(), size) }),
    }
}

/// A text the caller gives; `None` when null.
///
/// # Safety
/// `text` is null or ends with a zero byte.
pub unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<Option<&'a str>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map(Some)
        .map_err(|_| Error::argument(format!("{name} is no UTF-8 text")))
}

/// What the caller set the size of a structure to: that of another release is not written over.
pub fn check_size(given: usize, ours: usize, name: &str, kind: &str) -> Result<(), Error> {
    if given == ours {
        Ok(())
    } else {
        Err(Error::argument(format!(
            "{name}->size is {given}; set it to sizeof({kind})"
        )))
    }
}
