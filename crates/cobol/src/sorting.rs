//! SORT and MERGE: what libcob could not read of a file that USING names, or write of one that GIVING names.
//!
//! * A READ of SORT's waits for a record that another program has, as long as a READ WITH WAIT.
//! * One that fails otherwise makes SORT-RETURN 16, and is told: records are missing. So does an OPEN, WRITE or CLOSE
//!   of a file that GIVING names.

use crate::libcob::layout::{Field, File};
use crate::libcob::next;
use crate::sort_files::{self, Failed, Phrase};
use crate::status::{Outcome, Set};
use crate::taking::select_name;
use crate::tell::{tell, MessageEntry, CICA1229E, CICA1231E};

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
    let failed = sort_files::during(Phrase::Using, || {
        if let Some(using) = next().sort_using {
            // SAFETY: the caller's promise.
            unsafe { using(sort, file) }
        }
    });
    if let Some(failed) = failed {
        // SAFETY: the caller's promise.
        unsafe { fail(sort, &CICA1229E, failed) }
    }
}

/// More files than these cannot be handed on.
const MOST_GIVEN: usize = 30;

/// The function of libcob's has as many arguments as GIVING names files. What is defined here cannot have that; it has
/// so many that are no more than words where the caller would have left them, and hands all of them on.
macro_rules! giving {
    ($first:ident $($file:ident)*) => {
        /// The files that GIVING names are written.
        ///
        /// # Safety
        /// libcob's: a sort file between its begin and its end, a count, and so many files of the program.
        #[no_mangle]
        #[allow(clippy::too_many_arguments, reason = "libcob's")]
        pub unsafe extern "C" fn cob_file_sort_giving(
            sort: *mut File,
            count: usize,
            $first: *mut File,
            $($file: *mut File),*
        ) {
            let failed = sort_files::during(Phrase::Giving, || {
                if count > MOST_GIVEN {
                    sort_files::note($first, Outcome::Failed);
                } else if let Some(giving) = next().sort_giving {
                    // SAFETY: the caller's promise; it looks at `count` of them.
                    unsafe { giving(sort, count, $first, $($file),*) }
                }
            });
            if let Some(failed) = failed {
                // SAFETY: the caller's promise.
                unsafe { fail(sort, &CICA1231E, failed) }
            }
        }
    };
}

giving!(f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 f23 f24 f25 f26 f27 f28 f29);

/// SORT-RETURN says that it has failed, and why is told.
///
/// # Safety
/// A sort file between its begin and its end, and a file of the program.
unsafe fn fail(sort: *mut File, message: &'static MessageEntry, failed: Failed) {
    let sort_return = RETURNS.with_borrow(|returns| returns.get(&sort.addr()).copied());
    if let Some(sort_return) = sort_return.filter(|at| !at.is_null()) {
        // SAFETY: the caller's promise, here and below.
        unsafe { *sort_return = FAILED };
    }
    let name = unsafe { failed.file.as_ref().map(|file| select_name(file)) }.unwrap_or_default();
    let status = failed.outcome.status(Set::of_process()).to_string();
    tell(message, &[("file", &name), ("status", &status)]);
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
