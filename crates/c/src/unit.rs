//! Units of recovery.
//!
//! * N1. A unit is freed only when nothing of it is open: its strings are closed, and its changes stand, are taken
//!   back, or are left to the next open by the log. A backout that cannot go on leaves the handle, to be asked again.
//! * N2. A string changes data sets of its unit's environment alone: an engine's log knows no other's data sets.

use crate::border::{call, place};
use crate::code::{Error, IN_USE};
use crate::environment::Environment;
use crate::handle::{self, Object};
use cica_engine::UnitOfRecovery;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;

/// What a `cica_unit` stands for.
pub struct OpenUnit {
    environment: Arc<Environment>,
    unit: UnitOfRecovery,
    /// Open strings that change records for it.
    strings: AtomicUsize,
}

/// A string's share in a unit.
pub(crate) struct Share(Arc<OpenUnit>);

impl Share {
    /// A share for a string of a data set of `environment` (N2).
    pub fn new(unit: Arc<OpenUnit>, environment: &Arc<Environment>) -> Result<Share, Error> {
        if !Arc::ptr_eq(&unit.environment, environment) {
            return Err(Error::argument(
                "the unit and the data set are of different environments",
            ));
        }
        unit.strings.fetch_add(1, AcqRel);
        Ok(Share(unit))
    }

    pub fn unit(&self) -> &UnitOfRecovery {
        &self.0.unit
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.strings.fetch_sub(1, AcqRel);
    }
}

impl OpenUnit {
    fn check_strings(&self) -> Result<(), Error> {
        match self.strings.load(Acquire) {
            0 => Ok(()),
            n => Err(Error::new(
                IN_USE,
                format!("{n} strings of the unit are open; close them first"),
            )),
        }
    }
}

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
            unit: environment.session.engine.unit(),
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
