//! The calls of `ndbm.h`, in its order: what comes in and goes out. `pairs` does it.
//!
//! The border's rules hold here too. A key or a content may lie in memory that the DBM has returned: all of it is copied
//! before the DBM is changed.

use crate::border::{asked, null, text};
use crate::error::{Refused, EBADFILE, EBADMEM, EFLOCKED, ELOCKED, ENOREC, ETOOMANY};
use crate::pairs::{self, Datum, Dbm};
use crate::process::Process;
use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering::Relaxed;

/// The system's number of what was refused.
fn number_of(refused: &Refused, opening: bool) -> c_int {
    match refused.number {
        number @ 1..100 => number,
        ENOREC => libc::ENOENT,
        EFLOCKED | ELOCKED => libc::EAGAIN,
        EBADMEM => libc::ENOMEM,
        ETOOMANY => libc::EMFILE,
        EBADFILE if !opening => libc::EIO,
        _ => libc::EINVAL,
    }
}

fn set_errno(number: c_int) {
    // SAFETY: the system says where this thread's number is.
    unsafe { *libc::__errno_location() = number };
}

/// A call on an open database: what it gives, or `otherwise` and errno.
///
/// # Safety
/// It is null, or dbm_open has returned it.
unsafe fn on<T>(
    db: *mut Dbm,
    otherwise: T,
    what: impl FnOnce(&mut Dbm, &mut Option<Process>) -> Result<T, Refused>,
) -> T {
    let done = asked(|process| {
        if db.is_null() {
            return Err(null("the DBM"));
        }
        // SAFETY: not null, and the caller's promise; one call at a time is here.
        what(unsafe { &mut *db }, process)
    });
    done.unwrap_or_else(|refused| {
        set_errno(number_of(&refused, false));
        if !db.is_null() && refused.number != ENOREC {
            // SAFETY: not null, and the caller's promise.
            unsafe { &*db }.failed.store(true, Relaxed);
        }
        otherwise
    })
}

/// The bytes of a datum.
///
/// # Safety
/// Its pointer is null, or points to so many.
unsafe fn copied(datum: Datum) -> Result<Vec<u8>, Refused> {
    match (datum.dptr.is_null(), datum.dsize) {
        (_, 0) => Ok(Vec::new()),
        (true, _) => Err(null("dptr of a datum")),
        // No object is so long: it was a negative number.
        (_, size) if size > isize::MAX as usize => {
            let words = format!("dsize of a datum is {size}");
            Err(Refused::because(libc::EINVAL, words))
        }
        // SAFETY: not null, and the caller's promise.
        (false, size) => Ok(unsafe { std::slice::from_raw_parts(datum.dptr.cast::<u8>(), size) }.to_vec()),
    }
}

/// Opens a database.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_open(file: *const c_char, flags: c_int, _mode: libc::mode_t) -> *mut Dbm {
    let opened = asked(|process| {
        // SAFETY: the caller's promise.
        let file = unsafe { text(file, "the file's name") }?;
        pairs::open(process, file, flags)
    });
    match opened {
        Ok(db) => Box::into_raw(Box::new(db)),
        Err(refused) => {
            set_errno(number_of(&refused, true));
            std::ptr::null_mut()
        }
    }
}

/// Closes it. The DBM is gone then, whatever the close came to.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_close(db: *mut Dbm) {
    // SAFETY: the caller's promise.
    unsafe { on(db, (), |db, process| db.close(process)) };
    if !db.is_null() {
        // SAFETY: dbm_open made it so, and nobody has it any more.
        drop(unsafe { Box::from_raw(db) });
    }
}

/// The content of a key.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_fetch(db: *mut Dbm, key: Datum) -> Datum {
    // SAFETY: the caller's promise.
    unsafe {
        let key = copied(key);
        on(db, Datum::NONE, |db, process| db.fetch(process, &key?))
    }
}

/// Stores a pair.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_store(db: *mut Dbm, key: Datum, content: Datum, mode: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let (key, content) = (copied(key), copied(content));
        on(db, -1, |db, process| {
            let replace = match mode {
                0 => false,
                1 => true,
                _ => return Err(Refused::because(libc::EINVAL, format!("store_mode is {mode}"))),
            };
            let stored = db.store(process, &key?, &content?, replace)?;
            Ok(c_int::from(!stored))
        })
    }
}

/// Deletes a pair.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_delete(db: *mut Dbm, key: Datum) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let key = copied(key);
        on(db, -1, |db, process| db.delete(process, &key?).map(|()| 0))
    }
}

/// The first key.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_firstkey(db: *mut Dbm) -> Datum {
    // SAFETY: the caller's promise.
    unsafe { on(db, Datum::NONE, |db, process| db.next_key(process, true)) }
}

/// The next key.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_nextkey(db: *mut Dbm) -> Datum {
    // SAFETY: the caller's promise.
    unsafe { on(db, Datum::NONE, |db, process| db.next_key(process, false)) }
}

/// Has a call failed since dbm_open or dbm_clearerr?
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_error(db: *mut Dbm) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { db.as_ref() }.map_or(1, |db| c_int::from(db.failed.load(Relaxed)))
}

/// None has.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn dbm_clearerr(db: *mut Dbm) -> c_int {
    // SAFETY: the caller's promise.
    if let Some(db) = unsafe { db.as_ref() } {
        db.failed.store(false, Relaxed);
    }
    0
}

/// There is no such file.
///
/// # Safety
/// The DBM is not looked at.
#[no_mangle]
pub unsafe extern "C" fn dbm_dirfno(_db: *mut Dbm) -> c_int {
    set_errno(libc::ENOSYS);
    -1
}

/// There is no such file.
///
/// # Safety
/// The DBM is not looked at.
#[no_mangle]
pub unsafe extern "C" fn dbm_pagfno(_db: *mut Dbm) -> c_int {
    set_errno(libc::ENOSYS);
    -1
}
