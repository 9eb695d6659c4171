//! SORT and MERGE with USING. libcob reads the file itself: whatever status a READ has is the end of the file to it, and
//! what was read so far is sorted, as if it were all.
//!
//! * A READ of SORT's waits for a record that another program has, as long as a READ WITH WAIT.
//! * One that fails otherwise makes SORT-RETURN 16, and is told: records are missing.

use crate::libcob::layout::{Field, File};
use crate::libcob::next;
use crate::status::{Outcome, Set};
use crate::taking::select_name;
use crate::tell::{tell, CICA1229E};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_uchar, c_uint, c_void};

/// SORT-RETURN where a sort has failed.
const FAILED: c_int = 16;

thread_local! {
    /// What the file came to that SORT reads just now; none: it reads none.
    static INPUT: Cell<Option<Outcome>> = const { Cell::new(None) };
    /// Where SORT-RETURN is, by the sort file that is open.
    static RETURNS: RefCell<HashMap<usize, *mut c_int>> = RefCell::default();
}

/// Does SORT read a file just now?
pub fn is_reading() -> bool {
    INPUT.get().is_some()
}

/// An OPEN or a READ came to this.
pub fn note(outcome: Outcome) {
    let ends_early = || outcome != Outcome::End && outcome.status(Set::of_process()) >= 10;
    if INPUT.get() == Some(Outcome::Done) && ends_early() {
        INPUT.set(Some(outcome));
    }
}

/// The begin of SORT or MERGE.
///
/// # Safety
/// libcob's: a sort file, null or a collating sequence, SORT-RETURN, null or a FILE STATUS.
#[no_mangle]
pub unsafe extern "C" fn cob_file_sort_init(
    sort: *mut File,
    keys: c_uint,
    collating: *const c_uchar,
    sort_return: *mut c_void,
    item: *mut Field,
) {
    RETURNS.with_borrow_mut(|returns| returns.insert(sort.addr(), sort_return.cast()));
    if let Some(init) = next().sort_init {
        // SAFETY: the caller's promise.
        unsafe { init(sort, keys, collating, sort_return, item) }
    }
}

/// The file that USING names is read.
///
/// # Safety
/// libcob's: a sort file between its begin and its end, and a file of the program.
#[no_mangle]
pub unsafe extern "C" fn cob_file_sort_using(sort: *mut File, file: *mut File) {
    let before = INPUT.replace(Some(Outcome::Done));
    if let Some(using) = next().sort_using {
        // SAFETY: the caller's promise, here and below.
        unsafe { using(sort, file) }
    }
    let came_to = INPUT.replace(before);
    let Some(failed) = came_to.filter(|outcome| *outcome != Outcome::Done) else {
        return;
    };
    let sort_return = RETURNS.with_borrow(|returns| returns.get(&sort.addr()).copied());
    if let Some(sort_return) = sort_return.filter(|at| !at.is_null()) {
        unsafe { *sort_return = FAILED };
    }
    let name = unsafe { file.as_ref().map(|file| select_name(file)) }.unwrap_or_default();
    let status = failed.status(Set::of_process());
    let status = format!("{}{}", status / 10, status % 10);
    tell(&CICA1229E, &[("file", &name), ("status", &status)]);
}

/// The end of SORT or MERGE.
///
/// # Safety
/// libcob's: a sort file.
#[no_mangle]
pub unsafe extern "C" fn cob_file_sort_close(sort: *mut File) {
    RETURNS.with_borrow_mut(|returns| returns.remove(&sort.addr()));
    if let Some(close) = next().sort_close {
        // SAFETY: the caller's promise.
        unsafe { close(sort) }
    }
}
