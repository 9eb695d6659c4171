//! CBL_CHECK_FILE_EXIST, CBL_DELETE_FILE, CBL_COPY_FILE and CBL_RENAME_FILE: libcob's functions, whose names may be those
//! of data sets. A program that is told that its master file is not there opens it for output, which empties it.
//!
//! | function | of a data set |
//! |---|---|
//! | CHECK | it is there: its bytes, and a date of zeros; a file of that name comes first |
//! | DELETE | as DELETE FILE |
//! | COPY, RENAME | refused, and told |
//!
//! A name means what it means in ASSIGN. They are heard of where this library is in front of libcob.

use crate::kept::behind;
use crate::libcob::layout::{open, organization};
use crate::libcob::next;
use crate::name::assigned;
use crate::open::generation_meant;
use crate::opening::{environment, Request};
use crate::process::{is_forked, session};
use crate::status::Outcome;
use crate::tell::{tell, CICA1232E};
use std::ffi::{c_char, c_int, c_uchar, CStr};

/// What a function says of what it could not do.
const FAILED: c_int = -1;

/// Bytes of what CHECK tells of a file.
const INFORMATION: usize = 16;

/// The text of a parameter.
fn parameter(number: c_int) -> Option<String> {
    let (count, text) = (next().parameters?, next().parameter?);
    let mut buffer = [0u8; 1024];
    // SAFETY: libcob's functions, in a call by a program; the text ends within the buffer.
    unsafe {
        if count() < number || text(number, buffer.as_mut_ptr().cast::<c_char>(), buffer.len()).is_null() {
            return None;
        }
    }
    let text = CStr::from_bytes_until_nul(&buffer).ok()?;
    Some(text.to_string_lossy().trim_end().to_string())
}

/// Bytes of the data set that a parameter names; none where it names none.
fn data_set(number: c_int) -> Option<(String, u64)> {
    let text = parameter(number).filter(|text| !text.is_empty() && !is_forked())?;
    let mut found = None;
    behind(|| {
        found = bytes_of(&text);
        Outcome::Done
    });
    found.map(|bytes| (text, bytes))
}

fn bytes_of(text: &str) -> Option<u64> {
    let assigned = assigned(text, environment).ok().filter(|assigned| !assigned.dummy)?;
    assigned.name.as_ref()?;
    let session = session(assigned.explicit)?;
    let name = generation_meant(session, &assigned)?.ok()?;
    let (catalog, reached) = session.reach(&name).ok()?;
    let (data, _) = cica_session::files(&catalog, &reached).ok()?;
    Some(session.engine.peek(&data).map_or(0, |root| root.high_used))
}

/// CBL_CHECK_FILE_EXIST.
///
/// # Safety
/// libcob's: a name, and 16 bytes for what is known of the file.
#[no_mangle]
pub unsafe extern "C" fn cob_sys_check_file_exist(name: *mut c_uchar, information: *mut c_uchar) -> c_int {
    let Some(check) = next().check_file else { return FAILED };
    // SAFETY: the caller's promise, here and below; libcob has looked at the parameters.
    let found = unsafe { check(name, information) };
    match data_set(1) {
        Some((_, bytes)) if found > 0 && !information.is_null() => {
            let mut told = [0; INFORMATION];
            told[..8].copy_from_slice(&bytes.to_be_bytes());
            unsafe { information.copy_from_nonoverlapping(told.as_ptr(), INFORMATION) };
            0
        }
        _ => found,
    }
}

/// CBL_DELETE_FILE.
///
/// # Safety
/// libcob's: a name.
#[no_mangle]
pub unsafe extern "C" fn cob_sys_delete_file(name: *mut c_uchar) -> c_int {
    let mut deleted = None;
    if let Some((text, _)) = data_set(1) {
        behind(|| {
            deleted = request("CBL_DELETE_FILE", &text).delete();
            Outcome::Done
        });
    }
    match (deleted, next().delete_by_name) {
        (Some(Outcome::Done), _) => 0,
        (Some(_), _) | (None, None) => FAILED,
        // SAFETY: the caller's promise.
        (None, Some(delete)) => unsafe { delete(name) },
    }
}

/// CBL_COPY_FILE.
///
/// # Safety
/// libcob's: two names.
#[no_mangle]
pub unsafe extern "C" fn cob_sys_copy_file(from: *mut c_uchar, to: *mut c_uchar) -> c_int {
    match next().copy_file.filter(|_| !names_data_set("CBL_COPY_FILE")) {
        // SAFETY: the caller's promise.
        Some(copy) => unsafe { copy(from, to) },
        None => FAILED,
    }
}

/// CBL_RENAME_FILE.
///
/// # Safety
/// libcob's: two names.
#[no_mangle]
pub unsafe extern "C" fn cob_sys_rename_file(from: *mut c_uchar, to: *mut c_uchar) -> c_int {
    match next().rename_file.filter(|_| !names_data_set("CBL_RENAME_FILE")) {
        // SAFETY: the caller's promise.
        Some(rename) => unsafe { rename(from, to) },
        None => FAILED,
    }
}

/// Does one of the two names mean a data set? It is told.
fn names_data_set(function: &str) -> bool {
    let found = data_set(1).or_else(|| data_set(2));
    if let Some((text, _)) = &found {
        tell(&CICA1232E, &[("function", &function), ("name", text)]);
    }
    found.is_some()
}

/// What is asked of a data set by its name alone.
fn request<'a>(file: &'a str, assign: &'a str) -> Request<'a> {
    Request {
        file,
        assign,
        mode: open::CLOSED,
        optional: false,
        collating: false,
        fd: Err("no FD".into()),
        organization: organization::INDEXED,
        locks: 0,
        described: false,
        reversed: false,
        translated: None,
        as_is: false,
        rls: None,
        buffers: None,
    }
}
