//! Strings, and the requests made through them.

use crate::border::{bytes, call, place};
use crate::code::Error;
use crate::handle::{self, with_string};
use crate::object::{Object, OpenDataSet, OpenString, Share};
use cica_engine::{Argument, Insert, Intent, Record, RequestError, Search};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering::*;
use std::sync::Arc;

const FOR: c_uint = 3;
const NOT_BELOW: c_uint = 4;
const BACKWARD: c_uint = 8;
const ASCENDING: c_uint = 16;
const SKIP: c_uint = 32;

/// `cica_val`.
#[repr(C)]
pub struct Value {
    data: *const c_void,
    size: usize,
}

impl Default for Value {
    fn default() -> Value {
        Value {
            data: std::ptr::null(),
            size: 0,
        }
    }
}

/// Opens a string.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_string_open(dataset: *mut c_void, string: *mut *mut c_void) -> c_int {
    call(|| {
        let of = handle::data_set(dataset)?;
        // SAFETY: the caller's promise.
        let place = unsafe { place(string, "string") }?;
        *place = open(of, None)?;
        Ok(())
    })
}

/// Opens a string that changes records for a unit.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_string_open_in(
    dataset: *mut c_void,
    unit: *mut c_void,
    string: *mut *mut c_void,
) -> c_int {
    call(|| {
        let of = handle::data_set(dataset)?;
        let unit = handle::unit(unit)?;
        // SAFETY: the caller's promise.
        let place = unsafe { place(string, "string") }?;
        let share = Share::new(unit, &of.environment)?;
        *place = open(of, Some(share))?;
        Ok(())
    })
}

fn open(of: Arc<OpenDataSet>, share: Option<Share>) -> Result<*mut c_void, Error> {
    of.strings.fetch_add(1, AcqRel);
    let opened = OpenString {
        string: match &share {
            Some(share) => of.data_set.string_in(share.unit()),
            None => of.data_set.string(),
        },
        place: None,
        last: 0..0,
        of,
        _share: share,
    };
    handle::put(Object::String(Box::new(opened)))
}

/// Closes it.
#[no_mangle]
pub extern "C" fn cica_string_close(string: *mut c_void) -> c_int {
    call(|| {
        handle::take(string, |object| match object {
            Object::String(_) => Ok(()),
            _ => Err(handle::bad()),
        })
        .map(drop)
    })
}

/// Gets a record by key.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_get(
    string: *mut c_void,
    key: *const c_void,
    key_size: usize,
    flags: c_uint,
    record: *mut Value,
) -> c_int {
    // SAFETY: the caller's promise.
    let key = unsafe { bytes(key, key_size, "key") };
    // SAFETY: the caller's promise.
    unsafe {
        get(string, flags, FOR | NOT_BELOW, record, |open, intent| {
            let key = open.apart(key?);
            open.string.get(&*key, search(flags), intent).map_err(Error::from)
        })
    }
}

/// Gets a record by RBA.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_get_rba(string: *mut c_void, rba: u64, flags: c_uint, record: *mut Value) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        get(string, flags, FOR, record, |open, intent| {
            open.string
                .get(Argument::Rba(rba), Search::Equal, intent)
                .map_err(Error::from)
        })
    }
}

/// Gets a record by relative record number.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_get_rrn(string: *mut c_void, rrn: u32, flags: c_uint, record: *mut Value) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        get(string, flags, FOR | NOT_BELOW, record, |open, intent| {
            open.string
                .get(Argument::Rrn(rrn), search(flags), intent)
                .map_err(Error::from)
        })
    }
}

/// The next record.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_next(string: *mut c_void, flags: c_uint, record: *mut Value) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        get(string, flags, FOR, record, |open, intent| {
            open.string.next(intent).map_err(Error::from)
        })
    }
}

/// The record before.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_prev(string: *mut c_void, flags: c_uint, record: *mut Value) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        get(string, flags, FOR, record, |open, intent| {
            open.string.prev(intent).map_err(Error::from)
        })
    }
}

/// What all gets do.
///
/// # Safety
/// `record` is null or may be written.
unsafe fn get(
    string: *mut c_void,
    flags: c_uint,
    known: c_uint,
    record: *mut Value,
    request: impl FnOnce(&mut OpenString, Intent) -> Result<Record<'_>, Error>,
) -> c_int {
    call(|| {
        check_flags(flags, known)?;
        let intent = match flags & FOR {
            0 => Intent::Read,
            1 => Intent::Position,
            2 => Intent::Update,
            _ => return Err(Error::argument("CICA_POSITION and CICA_UPDATE exclude each other")),
        };
        // SAFETY: the caller's promise.
        let place = unsafe { place(record, "record") }?;
        with_string(string, |open| {
            let got = request(open, intent)?;
            let (data, size) = (got.bytes.as_ptr(), got.bytes.len());
            let of_record = (got.rba, got.rrn);
            *place = Value {
                data: data.cast(),
                size,
            };
            (open.place, open.last) = (Some(of_record), data as usize..data as usize + size);
            Ok(())
        })
    })
}

/// Sets the position.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_point(string: *mut c_void, key: *const c_void, key_size: usize, flags: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    let key = unsafe { bytes(key, key_size, "key") };
    call(|| {
        check_flags(flags, NOT_BELOW | BACKWARD)?;
        match key? {
            [] => with_string(string, |open| {
                let done = match flags & BACKWARD {
                    0 => open.string.point_first(),
                    _ => open.string.point_last(),
                };
                Ok(done?)
            }),
            key => point(string, Argument::Key(key), flags),
        }
    })
}

/// Sets the position by RBA.
#[no_mangle]
pub extern "C" fn cica_point_rba(string: *mut c_void, rba: u64, flags: c_uint) -> c_int {
    call(|| {
        check_flags(flags, BACKWARD)?;
        point(string, Argument::Rba(rba), flags)
    })
}

/// Sets the position by relative record number.
#[no_mangle]
pub extern "C" fn cica_point_rrn(string: *mut c_void, rrn: u32, flags: c_uint) -> c_int {
    call(|| {
        check_flags(flags, NOT_BELOW | BACKWARD)?;
        point(string, Argument::Rrn(rrn), flags)
    })
}

fn point(string: *mut c_void, at: Argument<'_>, flags: c_uint) -> Result<(), Error> {
    with_string(string, |open| {
        let done = match flags & BACKWARD {
            0 => open.string.point(at, search(flags)),
            _ => open.string.point_backward(at, search(flags)),
        };
        Ok(done?)
    })
}

/// Adds a record.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_insert(
    string: *mut c_void,
    record: *const c_void,
    size: usize,
    flags: c_uint,
    rba: *mut u64,
) -> c_int {
    call(|| {
        check_flags(flags, ASCENDING | SKIP)?;
        // SAFETY: the caller's promise.
        let record = unsafe { bytes(record, size, "record") }?;
        let how = insert(flags)?;
        let at = with_string(string, |open| {
            // It would get the number behind the last, wherever the program believes that it stands.
            if how != Insert::Sequential && open.of.has_numbers() {
                return Err(Error::argument(
                    "a record of an RRDS or VRRDS goes to a number: cica_insert_rrn; with CICA_ASCENDING behind the last",
                ));
            }
            let record = open.apart(record);
            open.string.insert(&record, how).map_err(Error::from)
        })?;
        // SAFETY: the caller's promise.
        if let Some(rba) = unsafe { rba.as_mut() } {
            *rba = at;
        }
        Ok(())
    })
}

/// Adds a record with a number.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_insert_rrn(
    string: *mut c_void,
    rrn: u32,
    record: *const c_void,
    size: usize,
    flags: c_uint,
) -> c_int {
    call(|| {
        check_flags(flags, ASCENDING | SKIP)?;
        // SAFETY: the caller's promise.
        let record = unsafe { bytes(record, size, "record") }?;
        let how = insert(flags)?;
        with_string(string, |open| {
            let record = open.apart(record);
            Ok(open.string.insert_at(rrn, &record, how)?)
        })
    })
}

/// How a record is added.
fn insert(flags: c_uint) -> Result<Insert, Error> {
    match flags {
        ASCENDING => Ok(Insert::Sequential),
        SKIP => Ok(Insert::Skip),
        0 => Ok(Insert::Direct),
        _ => Err(Error::argument("CICA_ASCENDING and CICA_SKIP exclude each other")),
    }
}

/// Replaces the record that is held.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_update(string: *mut c_void, record: *const c_void, size: usize) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let record = unsafe { bytes(record, size, "record") }?;
        with_string(string, |open| {
            let record = open.apart(record);
            Ok(open.string.update(&record).map(drop)?)
        })
    })
}

/// Erases the record that is held.
#[no_mangle]
pub extern "C" fn cica_erase(string: *mut c_void) -> c_int {
    call(|| with_string(string, |open| Ok(open.string.erase()?)))
}

/// Gives up position and hold.
#[no_mangle]
pub extern "C" fn cica_end(string: *mut c_void) -> c_int {
    call(|| {
        with_string(string, |open| {
            open.string.end();
            open.place = None;
            Ok(())
        })
    })
}

/// RBA of the record last returned.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_rba(string: *mut c_void, rba: *mut u64) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { place(rba, "rba") }?;
        *place = with_string(string, |open| {
            let (rba, _) = open.place.ok_or(RequestError::NoPosition)?;
            Ok(rba)
        })?;
        Ok(())
    })
}

/// Number of the record last returned.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_rrn(string: *mut c_void, rrn: *mut u32) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { place(rrn, "rrn") }?;
        *place = with_string(string, |open| {
            if !open.of.has_numbers() {
                return Err(Error::argument("only records of an RRDS or VRRDS have numbers"));
            }
            let (_, rrn) = open.place.ok_or(RequestError::NoPosition)?;
            Ok(rrn)
        })?;
        Ok(())
    })
}

fn search(flags: c_uint) -> Search {
    match flags & NOT_BELOW {
        0 => Search::Equal,
        _ => Search::GreaterOrEqual,
    }
}

fn check_flags(flags: c_uint, known: c_uint) -> Result<(), Error> {
    match flags & !known {
        0 => Ok(()),
        unknown => Err(Error::argument(format!("flags {unknown:#x} mean nothing to this call"))),
    }
}
