//! Units of recovery that somebody else decides about: prepared, shown, committed and taken back by name.

use crate::border::{call, outside, text};
use crate::code::{Error, ARGUMENT, OPEN_IO, UNIT_BUSY, UNIT_EXISTS, UNIT_GOING_BACK, UNIT_NOT_OPEN, UNIT_UNKNOWN};
use crate::handle;
use cica_engine::PrepareError;
use cica_session::DecideError;
use std::ffi::{c_char, c_int, c_void, CString};

/// `cica_doubt`.
#[repr(C)]
pub struct Doubt {
    name: *const c_char,
    data_sets: *const *const c_char,
    data_set_count: usize,
    changes: u64,
    prepared: u64,
    going_back: c_int,
}

impl From<PrepareError> for Error {
    fn from(error: PrepareError) -> Error {
        let number = match error {
            PrepareError::Name { .. } => ARGUMENT,
            PrepareError::Doubled { .. } => UNIT_EXISTS,
            PrepareError::Unknown { .. } => UNIT_UNKNOWN,
            PrepareError::GoingBack { .. } => UNIT_GOING_BACK,
            PrepareError::NotOpen { .. } => UNIT_NOT_OPEN,
            PrepareError::File(error) => return error.into(),
            PrepareError::Request(error) => return error.into(),
            PrepareError::AtOwner { .. } => OPEN_IO,
            _ => UNIT_BUSY,
        };
        Error::new(number, error.to_string())
    }
}

impl From<DecideError> for Error {
    fn from(error: DecideError) -> Error {
        let words = error.to_string();
        match error {
            DecideError::Open { error, .. } => Error { words, ..error.into() },
            DecideError::Unit(error) => error.into(),
            DecideError::Owner(error) => error.into(),
        }
    }
}

/// Prepares a unit for somebody else's decision.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_unit_prepare(unit: *mut c_void, name: *const c_char) -> c_int {
    call(|| {
        let unit = handle::unit(unit)?;
        // SAFETY: the caller's promise.
        Ok(unit.unit.prepare(unsafe { called(name) }?)?)
    })
}

/// Tells the caller of each unit in doubt.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_in_doubt(
    env: *mut c_void,
    each: Option<extern "C" fn(*mut c_void, *const Doubt) -> c_int>,
    context: *mut c_void,
) -> c_int {
    let mut ended = 0;
    let done = call(|| {
        let env = handle::environment(env)?;
        let each = each.ok_or_else(|| Error::argument("each is a null pointer"))?;
        for unit in env.store.in_doubt()? {
            let text = |text: String| {
                CString::new(text).map_err(|_| Error::new(UNIT_UNKNOWN, "a name in its file holds a zero byte"))
            };
            let name = text(unit.name)?;
            let names: Vec<CString> = unit.data_sets.into_iter().map(text).collect::<Result<_, _>>()?;
            let data_sets: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
            let doubt = Doubt {
                name: name.as_ptr(),
                data_sets: data_sets.as_ptr(),
                data_set_count: data_sets.len(),
                changes: unit.changes as u64,
                prepared: unit.prepared,
                going_back: unit.going_back.into(),
            };
            ended = outside(|| each(context, &doubt));
            if ended != 0 {
                break;
            }
        }
        Ok(())
    });
    if done == 0 {
        ended
    } else {
        done
    }
}

/// Commits one of them.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_commit_prepared(env: *mut c_void, name: *const c_char) -> c_int {
    call(|| {
        let env = handle::environment(env)?;
        // SAFETY: the caller's promise.
        Ok(env.store.commit_prepared(unsafe { called(name) }?)?)
    })
}

/// Takes one of them back.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_back_out_prepared(env: *mut c_void, name: *const c_char) -> c_int {
    call(|| {
        let env = handle::environment(env)?;
        // SAFETY: the caller's promise.
        Ok(env.store.back_out_prepared(unsafe { called(name) }?)?)
    })
}

/// What a unit is called.
///
/// # Safety
/// `name` is null or ends with a zero byte.
unsafe fn called<'a>(name: *const c_char) -> Result<&'a str, Error> {
    // SAFETY: the caller's promise.
    unsafe { text(name, "name") }?.ok_or_else(|| Error::argument("name is a null pointer"))
}
