//! Units of recovery.
//!
//! * N1. A unit is freed only when nothing of it is open: its strings are closed, and its changes stand, are taken
//!   back, or are left to the next open by the log. A backout that cannot go on leaves the handle, to be asked again.

use crate::border::{call, place};
use crate::handle;
use crate::object::{Object, OpenUnit};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;

/// Makes a unit.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_unit_begin(env: *mut c_void, unit: *mut *mut c_void) -> c_int {
    call(|| {
        let environment = handle::environment(env)?;
        // SAFETY: the caller's promise.
        let place = unsafe { place(unit, "unit") }?;
        environment.open.fetch_add(1, AcqRel);
        let begun = Arc::new(OpenUnit {
            environment: environment.clone(),
            unit: environment.store.unit(),
            strings: AtomicUsize::new(0),
        });
        *place = handle::put(Object::Unit(begun)).inspect_err(|_| {
            environment.open.fetch_sub(1, AcqRel);
        })?;
        Ok(())
    })
}

/// Its changes stand.
#[no_mangle]
pub extern "C" fn cica_unit_commit(unit: *mut c_void) -> c_int {
    call(|| Ok(handle::unit(unit)?.unit.commit()?))
}

/// Takes its changes back.
#[no_mangle]
pub extern "C" fn cica_unit_backout(unit: *mut c_void) -> c_int {
    call(|| Ok(handle::unit(unit)?.unit.backout()?))
}

/// Ends the handle; what was not committed is taken back.
#[no_mangle]
pub extern "C" fn cica_unit_free(unit: *mut c_void) -> c_int {
    call(|| {
        let open = handle::unit(unit)?;
        open.check_strings()?;
        let backed_out = open.unit.backout();
        if open.unit.changes() > 0 {
            return Ok(backed_out?);
        }
        handle::take(unit, |object| match object {
            Object::Unit(open) => open.check_strings(),
            _ => Err(handle::bad()),
        })?;
        open.environment.open.fetch_sub(1, AcqRel);
        Ok(backed_out?)
    })
}
