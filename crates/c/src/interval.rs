//! Control intervals in the caller's own area.

use crate::border::{bytes, call};
use crate::code::Error;
use crate::handle::with_string;
use cica_engine::Intent;
use std::ffi::{c_int, c_uint, c_void};

/// `CICA_UPDATE`.
const UPDATE: c_uint = 2;

/// GET CNV.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_get_ci(
    string: *mut c_void,
    rba: u64,
    flags: c_uint,
    area: *mut c_void,
    size: usize,
    count: *mut usize,
) -> c_int {
    call(|| {
        let intent = match flags {
            0 => Intent::Read,
            UPDATE => Intent::Update,
            _ => {
                return Err(Error::argument(format!(
                    "flags {flags:#x}: a control interval is got with CICA_READ or CICA_UPDATE"
                )))
            }
        };
        if area.is_null() {
            return Err(Error::argument(format!("area is a null pointer, of {size} bytes")));
        }
        // No object is larger than that, so this is no length.
        if size > isize::MAX as usize {
            return Err(Error::argument(format!("area: {size} is no length")));
        }
        // SAFETY: not null, and the caller's promise.
        let area = unsafe { std::slice::from_raw_parts_mut(area.cast::<u8>(), size) };
        let got = with_string(string, |open| Ok(open.string.get_intervals(rba, area, intent)?))?;
        // SAFETY: the caller's promise.
        if let Some(count) = unsafe { count.as_mut() } {
            *count = got;
        }
        Ok(())
    })
}

/// PUT CNV.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_put_ci(string: *mut c_void, area: *const c_void, size: usize) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let image = unsafe { bytes(area, size, "area") }?;
        with_string(string, |open| Ok(open.string.put_interval(image)?))
    })
}
