//! What programs call: libcob's functions for files, taken over for Cica's files and passed on for all others.

use crate::described;
use crate::kept::{act, act_waiting, behind, kept};
use crate::libcob::layout::{open, Field, File};
use crate::libcob::{is_asked, libcob, next, Libcob};
use crate::open_file::OpenFile;
use crate::request;
use crate::run_unit;
use crate::sort_files;
use crate::status::{Outcome, Set, Status};
use crate::taking::{
    back_to_records, close, forget, forget_description, is_known, is_passed_on, list, place_of, request_of,
    select_name, take_over, text, under, unlist,
};
use std::ffi::{c_int, c_uchar, c_uint, c_void};

/// A request for a file of Cica's; false when the file is not.
///
/// # Safety
/// The pointers are the program's: a file, and null or its FILE STATUS.
#[inline]
unsafe fn ours(
    file: *mut File,
    item: *mut Field,
    act: impl FnOnce(&'static Libcob, &mut OpenFile) -> Result<(), Outcome>,
) -> bool {
    let Some(libcob) = libcob() else { return false };
    // SAFETY: the caller's promise, here and below.
    let Some(outcome) = (unsafe { self::act(file, |open| act(libcob, open)) }) else {
        return false;
    };
    if outcome != Outcome::Done {
        sort_files::note(file, outcome);
    }
    unsafe { libcob.set_status(file, item, status_of(outcome)) };
    true
}

/// The same for a READ with these options.
///
/// # Safety
/// As [`ours`].
#[inline]
unsafe fn our_read(
    file: *mut File,
    item: *mut Field,
    options: c_int,
    read: impl Fn(&'static Libcob, &mut OpenFile) -> Result<(), Outcome>,
) -> bool {
    let Some(libcob) = libcob() else { return false };
    // SAFETY: the caller's promise, here and below.
    let Some(outcome) = (unsafe { act_waiting(file, options, |open| read(libcob, open)) }) else {
        return false;
    };
    if outcome != Outcome::Done {
        sort_files::note(file, outcome);
    }
    unsafe { libcob.set_status(file, item, status_of(outcome)) };
    true
}

/// The status of this process's set.
#[inline]
fn status_of(outcome: Outcome) -> Status {
    match outcome {
        // It is the same in all sets, and what nearly every request comes to.
        Outcome::Done => Status::DONE,
        other => other.status(Set::of_process()),
    }
}

/// OPEN.
///
/// # Safety
/// libcob's: a file of the program, and null or its FILE STATUS.
#[no_mangle]
pub unsafe extern "C" fn cob_open(file: *mut File, mode: c_int, sharing: c_int, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if kept(file).is_some() {
            ours(file, item, |_, _| Err(Outcome::AlreadyOpen));
            return;
        }
        // What a description was for is libcob's already.
        let taken = if is_passed_on() {
            None
        } else {
            take_over(file, mode, sharing, None)
        };
        match (taken, libcob()) {
            (Some(outcome), Some(libcob)) => {
                sort_files::note(file, outcome);
                libcob.set_status(file, item, status_of(outcome));
            }
            _ => {
                if let Some(open) = next().open {
                    list(file);
                    let place = file.as_ref().and_then(|f| place_of(f, mode));
                    let mode = place.as_ref().map_or(mode, |place| place.mode);
                    under(file, place.as_ref(), || open(file, mode, sharing, item));
                }
            }
        }
    }
}

/// CLOSE.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_close(file: *mut File, item: *mut Field, option: c_int, remove: c_int) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        match (close(file, option), libcob()) {
            (Some(outcome), Some(libcob)) => {
                sort_files::note(file, outcome);
                forget_description(file);
                libcob.set_status(file, item, status_of(outcome));
            }
            _ => {
                if let Some(close) = next().close {
                    close(file, item, option, remove);
                    described::forget_file(file);
                    back_to_records(file);
                }
            }
        }
    }
}

/// READ.
///
/// # Safety
/// As [`cob_open`]; `key` is null or the key's data item.
#[no_mangle]
pub unsafe extern "C" fn cob_read(file: *mut File, key: *mut Field, item: *mut Field, options: c_int) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let done = our_read(file, item, options, |libcob, open| {
            if key.is_null() {
                request::read_way(libcob, file, open, options)
            } else {
                request::read_key(libcob, file, open, key, options)
            }
        });
        if !done {
            if let Some(read) = next().read {
                read(file, key, item, options);
            }
        }
    }
}

/// READ NEXT.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_read_next(file: *mut File, item: *mut Field, options: c_int) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !our_read(file, item, options, |libcob, open| {
            request::read_way(libcob, file, open, options)
        }) {
            if let Some(read_next) = next().read_next {
                read_next(file, item, options);
            }
        }
    }
}

/// START.
///
/// # Safety
/// As [`cob_open`]; `key` and `length` are null or data items.
#[no_mangle]
pub unsafe extern "C" fn cob_start(
    file: *mut File,
    condition: c_int,
    key: *mut Field,
    length: *mut Field,
    item: *mut Field,
) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let done = ours(file, item, |libcob, open| {
            request::start(libcob, file, open, condition, key, length)
        });
        if !done {
            if let Some(start) = next().start {
                start(file, condition, key, length, item);
            }
        }
    }
}

/// WRITE.
///
/// # Safety
/// As [`cob_open`]; `record` is a record of the file.
#[no_mangle]
pub unsafe extern "C" fn cob_write(
    file: *mut File,
    record: *mut Field,
    options: c_int,
    item: *mut Field,
    check: c_uint,
) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !ours(file, item, |libcob, open| {
            let done = request::write(libcob, file, open, record);
            open.changed(done)
        }) {
            if let Some(write) = next().write {
                write(file, record, options, item, check);
            }
        }
    }
}

/// REWRITE.
///
/// # Safety
/// As [`cob_write`].
#[no_mangle]
pub unsafe extern "C" fn cob_rewrite(file: *mut File, record: *mut Field, options: c_int, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !ours(file, item, |libcob, open| {
            let done = request::rewrite(libcob, file, open, record, options);
            open.changed(done)
        }) {
            if let Some(rewrite) = next().rewrite {
                rewrite(file, record, options, item);
            }
        }
    }
}

/// DELETE.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_delete(file: *mut File, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !ours(file, item, |libcob, open| {
            let done = request::delete(libcob, file, open);
            open.changed(done)
        }) {
            if let Some(delete) = next().delete {
                delete(file, item);
            }
        }
    }
}

/// UNLOCK.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_unlock_file(file: *mut File, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if is_asked(file) {
            return;
        }
        let unlock_all = |open: &mut OpenFile| {
            open.unlock_all();
            Ok(())
        };
        if !ours(file, item, |_, open| unlock_all(open)) {
            if let Some(unlock) = next().unlock {
                unlock(file, item);
            }
        }
    }
}

/// DELETE FILE.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_delete_file(file: *mut File, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if ours(file, item, |_, _| Err(Outcome::AlreadyOpen)) {
            return;
        }
        let mut deleted = None;
        let assign = file.as_ref().and_then(|f| text(f.assign));
        if let (Some(f), Some(libcob), Some(assign)) = (file.as_ref(), libcob(), assign) {
            if f.open == open::CLOSED && is_known(f) {
                let done = behind(|| {
                    deleted = request_of(f, &select_name(f), &assign, open::CLOSED).delete();
                    Outcome::Done
                });
                if done != Outcome::Done {
                    deleted = Some(done);
                }
            }
            if let Some(outcome) = deleted {
                libcob.set_status(file, item, status_of(outcome));
                return;
            }
        }
        if let Some(delete_file) = next().delete_file {
            delete_file(file, item);
        }
    }
}

/// The program gives a file up, as CANCEL does.
///
/// # Safety
/// libcob's: the places of a file and its keys.
#[no_mangle]
pub unsafe extern "C" fn cob_file_free(file: *mut *mut File, keys: *mut *mut c_void) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if let Some(&file) = file.as_ref() {
            if ours(file, std::ptr::null_mut(), |_, open| open.close()) {
                forget(file, open::CLOSED);
            }
            forget_description(file);
            unlist(file);
        }
        if let Some(free) = next().free {
            free(file, keys);
        }
    }
}

/// COMMIT: everything written to Cica's files stands and is durable; then libcob's part.
#[no_mangle]
pub extern "C" fn cob_commit() {
    run_unit::commit();
}

/// ROLLBACK: what was written to Cica's files since the last COMMIT is taken back; then libcob's part.
#[no_mangle]
pub extern "C" fn cob_rollback() {
    run_unit::roll_back();
}

/// VSAM's code of the last request: six bytes, as the second item of FILE STATUS has them on z/OS.
///
/// # Safety
/// `to` points to six bytes.
#[no_mangle]
pub unsafe extern "C" fn cica_vsam_code(to: *mut c_uchar) -> c_int {
    if !to.is_null() {
        let code = crate::status::vsam_code();
        // SAFETY: not null, and the caller's promise.
        unsafe { to.copy_from_nonoverlapping(code.as_ptr(), code.len()) }
    }
    0
}
