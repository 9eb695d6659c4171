//! Records of others: how long a string waits for them, what its reads do about them, and locks by name.

use crate::border::{bytes, call, place};
use crate::code::Error;
use crate::handle::with_string;
use cica_engine::{LockMode, Patience, ReadIntegrity};
use std::ffi::{c_int, c_uint, c_void};
use std::time::Duration;

/// `CICA_FOREVER`.
const FOREVER: i64 = -1;

/// How long requests of a string wait for a record that another has.
#[no_mangle]
pub extern "C" fn cica_string_patience(string: *mut c_void, milliseconds: i64) -> c_int {
    call(|| {
        let patience = patience_of(milliseconds)?;
        with_string(string, |open| {
            open.string.set_patience(patience);
            Ok(())
        })
    })
}

/// What reads of a string do about records that others have.
#[no_mangle]
pub extern "C" fn cica_string_integrity(string: *mut c_void, integrity: c_uint) -> c_int {
    call(|| {
        let integrity = match integrity {
            0 => ReadIntegrity::None,
            1 => ReadIntegrity::Consistent,
            2 => ReadIntegrity::Repeatable,
            3 => ReadIntegrity::Locked,
            other => {
                return Err(Error::argument(format!(
                    "{other} is no read integrity: CICA_NRI to CICA_LOCKED"
                )))
            }
        };
        with_string(string, |open| {
            open.string.set_integrity(integrity);
            Ok(())
        })
    })
}

/// Locks a record.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_lock(
    string: *mut c_void,
    identity: *const c_void,
    size: usize,
    shared: c_int,
    milliseconds: i64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let identity = unsafe { bytes(identity, size, "identity") }?;
        let patience = patience_of(milliseconds)?;
        let mode = match shared {
            0 => LockMode::Exclusive,
            _ => LockMode::Shared,
        };
        with_string(string, |open| Ok(open.string.lock(identity, mode, patience)?))
    })
}

/// Unlocks a record.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_unlock(
    string: *mut c_void,
    identity: *const c_void,
    size: usize,
    was_locked: *mut c_int,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let identity = unsafe { bytes(identity, size, "identity") }?;
        let was = with_string(string, |open| Ok(open.string.unlock(identity)))?;
        if !was_locked.is_null() {
            // SAFETY: the caller's promise.
            *unsafe { place(was_locked, "was_locked") }? = was.into();
        }
        Ok(())
    })
}

fn patience_of(milliseconds: i64) -> Result<Patience, Error> {
    match milliseconds {
        FOREVER => Ok(Patience::Forever),
        0 => Ok(Patience::None),
        _ => u64::try_from(milliseconds)
            .map(|milliseconds| Patience::Until(Duration::from_millis(milliseconds)))
            .map_err(|_| {
                Error::argument(format!(
                    "{milliseconds} ms is no time to wait; CICA_FOREVER is {FOREVER}"
                ))
            }),
    }
}
