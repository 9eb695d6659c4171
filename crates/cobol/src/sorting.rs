//! SORT and MERGE: what libcob could not read of a file that USING names.
//!
//! * A READ of SORT's waits for a record that another program has, as long as a READ WITH WAIT.
//! * One that fails otherwise makes SORT-RETURN 16, and is told: records are missing.

use crate::libcob::layout::{Field, File};
use crate::libcob::next;
use crate::sort_input;
use crate::status::Set;
use crate::taking::select_name;
use crate::tell::{tell, CICA1229E};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_uchar, c_uint, c_void};

/// SORT-RETURN where a sort has failed.
const FAILED: c_int = 16;

thread_local! {
    /// Where SORT-RETURN is, by the sort file that is open.
    static RETURNS: RefCell<HashMap<usize, *mut c_int>> = RefCell::default();
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
    let came_to = sort_input::reading(|| {
        if let Some(using) = next().sort_using {
            // SAFETY: the caller's promise.
            unsafe { using(sort, file) }
        }
    });
    let Some(failed) = came_to else { return };
    let sort_return = RETURNS.with_borrow(|returns| returns.get(&sort.addr()).copied());
    if let Some(sort_return) = sort_return.filter(|at| !at.is_null()) {
        // SAFETY: the caller's promise, here and below.
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
