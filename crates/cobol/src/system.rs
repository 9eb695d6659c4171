//! CBL_CHECK_FILE_EXIST, CBL_DELETE_FILE, CBL_COPY_FILE and CBL_RENAME_FILE: libcob's functions, whose names may be those
//! of data sets. A program that is told that its master file is not there opens it for output, which empties it.
//!
//! | function | of a data set |
//! |---|---|
//! | CHECK | it is there: its bytes, and a date of zeros |
//! | DELETE | as DELETE FILE; of one that is not VSAM's refused, and told |
//! | COPY, RENAME | refused, and told |
//!
//! A name means what it means in ASSIGN, but a file of that name comes first. Where it is not known what is there, as
//! in the child of a fork or without the catalog that is named, each of them fails. None deletes or replaces what
//! Cica keeps data sets in. They are heard of where this library is in front of libcob.

use crate::kept::behind;
use crate::libcob::layout::open;
use crate::libcob::next;
use crate::name::{assigned, path, Assigned};
use crate::open::{generation_meant, keeps_data_sets, non_vsam};
use crate::open_plain::size_of;
use crate::opening::{environment, Request};
use crate::process::{is_forked, is_unusable, session};
use crate::status::Outcome;
use crate::tell::{tell, CICA1232E};
use cica_catalog::CatalogError;
use cica_session::SessionError;
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

/// What a parameter means.
enum Meant {
    /// A file, or nothing at all.
    File,
    /// A data set of this name and of so many bytes.
    DataSet(String, u64),
    /// The same of one that is not VSAM's.
    NonVsam(String, u64),
    /// It is not known: perhaps a data set.
    Unknown,
}

fn meant(number: c_int) -> Meant {
    let Some(text) = parameter(number).filter(|text| !text.is_empty()) else {
        return Meant::File;
    };
    let Some(assigned) = assigned(&text, environment).ok().filter(|assigned| !assigned.dummy) else {
        return Meant::File;
    };
    let is_there = !assigned.explicit && path(&assigned.value, environment).exists();
    if assigned.name.is_none() || is_there {
        return Meant::File;
    }
    if is_forked() {
        return Meant::Unknown;
    }
    let mut found = Meant::Unknown;
    // What could not be carried out was told.
    let _ = behind(|| {
        found = data_set(text, &assigned);
        Outcome::Done
    });
    found
}

fn data_set(text: String, assigned: &Assigned) -> Meant {
    let Some(session) = session(assigned.explicit) else {
        return if is_unusable() { Meant::Unknown } else { Meant::File };
    };
    let Some(Ok(name)) = generation_meant(session, assigned) else {
        return Meant::File;
    };
    if let Some(place) = non_vsam(session, &name) {
        // What the catalog knows may have no file.
        return size_of(&place.path).map_or(Meant::File, |bytes| Meant::NonVsam(text, bytes));
    }
    let found = session.reach(&name).and_then(|(catalog, reached)| {
        let (data, _) = cica_session::files(&catalog, &reached.cluster)?;
        Ok(session.engine.peek(&data).map_or(0, |root| root.high_used))
    });
    match found {
        Ok(bytes) => Meant::DataSet(text, bytes),
        Err(SessionError::Catalog(CatalogError::NotFound { .. })) => Meant::File,
        Err(_) => Meant::Unknown,
    }
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
    if found <= 0 || information.is_null() {
        return found;
    }
    match meant(1) {
        Meant::DataSet(_, bytes) | Meant::NonVsam(_, bytes) => {
            let mut told = [0; INFORMATION];
            told[..8].copy_from_slice(&bytes.to_be_bytes());
            unsafe { information.copy_from_nonoverlapping(told.as_ptr(), INFORMATION) };
            0
        }
        Meant::File => found,
        Meant::Unknown => FAILED,
    }
}

/// CBL_DELETE_FILE.
///
/// # Safety
/// libcob's: a name.
#[no_mangle]
pub unsafe extern "C" fn cob_sys_delete_file(name: *mut c_uchar) -> c_int {
    match (meant(1), next().delete_by_name) {
        (Meant::DataSet(text, _), _) => {
            let mut deleted = None;
            let done = behind(|| {
                deleted = Request::named(DELETE, &text).delete();
                Outcome::Done
            });
            match (done, deleted) {
                (Outcome::Done, Some(Outcome::Done)) => 0,
                _ => FAILED,
            }
        }
        (Meant::NonVsam(text, _), _) => refuse(DELETE, &text),
        // SAFETY: the caller's promise.
        (Meant::File, Some(delete)) if !is_kept(DELETE, 1) => unsafe { delete(name) },
        _ => FAILED,
    }
}

const DELETE: &str = "CBL_DELETE_FILE";
const COPY: &str = "CBL_COPY_FILE";
const RENAME: &str = "CBL_RENAME_FILE";

/// CBL_COPY_FILE.
///
/// # Safety
/// libcob's: two names.
#[no_mangle]
pub unsafe extern "C" fn cob_sys_copy_file(from: *mut c_uchar, to: *mut c_uchar) -> c_int {
    match next().copy_file.filter(|_| are_files(COPY) && !is_kept(COPY, 2)) {
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
    let rename = next().rename_file;
    match rename.filter(|_| are_files(RENAME) && !is_kept(RENAME, 1) && !is_kept(RENAME, 2)) {
        // SAFETY: the caller's promise.
        Some(rename) => unsafe { rename(from, to) },
        None => FAILED,
    }
}

/// Do both names mean files? If one means a data set it is told.
fn are_files(function: &str) -> bool {
    (1..=2).all(|number| match meant(number) {
        Meant::File => true,
        Meant::Unknown => false,
        Meant::DataSet(text, _) | Meant::NonVsam(text, _) => {
            refuse(function, &text);
            false
        }
    })
}

/// Tells that the function does nothing with a data set.
fn refuse(function: &str, name: &str) -> c_int {
    tell(&CICA1232E, &[("function", &function), ("name", &name)]);
    FAILED
}

/// Is the file of a parameter one that Cica keeps data sets in? It is told.
fn is_kept(function: &str, number: c_int) -> bool {
    parameter(number).is_some_and(|text| keeps_data_sets(function, &text, open::OUTPUT))
}
