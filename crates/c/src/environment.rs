//! Environments: a catalog and an engine; IDCAMS and the list of entries.

use crate::border::{bytes, call, outside, place, text};
use crate::code::{Error, CATALOG, IN_USE};
use crate::handle;
use crate::object::{Environment, Object};
use cica::store::Builder;
use cica::Store;
use cica_catalog::Mask;
use cica_idcams::run::run_with_parm;
use cica_idcams::{Act, Services, Source, Stamp, Style, Sysprint};
use cica_session::Session;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;

/// `cica_env_options`.
#[repr(C)]
pub struct EnvironmentOptions {
    size: usize,
    catalog: *const c_char,
    pool_bytes: u64,
    create: c_int,
}

impl EnvironmentOptions {
    /// The catalog in `directory`, and nothing else said.
    pub fn of(directory: &CStr) -> EnvironmentOptions {
        EnvironmentOptions {
            size: std::mem::size_of::<EnvironmentOptions>(),
            catalog: directory.as_ptr(),
            pool_bytes: 0,
            create: 0,
        }
    }
}

/// Opens a catalog.
///
/// # Safety
/// As the header says: pointers are null or to what they promise.
#[no_mangle]
pub unsafe extern "C" fn cica_env_open(options: *const EnvironmentOptions, env: *mut *mut c_void) -> c_int {
    call(|| {
        handle::admit()?;
        // SAFETY: the caller's promise.
        let env = unsafe { place(env, "env") }?;
        // SAFETY: the caller's promise.
        let store = unsafe { builder(options) }?.open()?;
        *env = handle::put(Object::Environment(Arc::new(Environment {
            store,
            open: AtomicUsize::new(0),
        })))?;
        Ok(())
    })
}

/// What the options ask for.
///
/// # Safety
/// `options` is null or points to options.
unsafe fn builder(options: *const EnvironmentOptions) -> Result<Builder, Error> {
    // SAFETY: the caller's promise.
    let Some(options) = (unsafe { options.as_ref() }) else {
        return Ok(Builder::default());
    };
    if options.size != std::mem::size_of::<EnvironmentOptions>() {
        return Err(Error::argument(format!(
            "options.size is {}; set it to sizeof(cica_env_options)",
            options.size
        )));
    }
    // SAFETY: the caller's promise.
    let mut builder = match unsafe { text(options.catalog, "options.catalog") }? {
        Some("") => {
            return Err(Error::argument(
                "options.catalog is empty; give a null pointer for the default",
            ))
        }
        Some(directory) => Store::at(directory),
        None => Builder::default(),
    };
    if options.create != 0 {
        builder = builder.create();
    }
    if options.pool_bytes > 0 {
        builder = builder.pool_bytes(usize::try_from(options.pool_bytes).unwrap_or(usize::MAX));
    }
    Ok(builder)
}

/// Closes it.
#[no_mangle]
pub extern "C" fn cica_env_close(env: *mut c_void) -> c_int {
    call(|| {
        handle::take(env, |object| match object {
            Object::Environment(env) => match env.open.load(Acquire) {
                0 => Ok(()),
                n => Err(Error::new(
                    IN_USE,
                    format!("{n} data sets or units are open; close them first"),
                )),
            },
            _ => Err(handle::bad()),
        })
        .map(drop)
    })
}

/// Runs control cards.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_idcams(
    env: *mut c_void,
    cards: *const c_char,
    size: usize,
    line: Option<extern "C" fn(*mut c_void, *const c_char, usize)>,
    context: *mut c_void,
    maxcc: *mut c_int,
) -> c_int {
    call(|| {
        let env = handle::environment(env)?;
        // SAFETY: the caller's promise.
        let source = Source::from_bytes(unsafe { bytes(cards.cast(), size, "cards") }?);
        let (listing, cc) = idcams(env.store.session(), source);
        if let Some(line) = line {
            for text in listing.split(|&b| b == b'\n') {
                outside(|| line(context, text.as_ptr().cast(), text.len()));
            }
        }
        // SAFETY: the caller's promise.
        if let Some(maxcc) = unsafe { maxcc.as_mut() } {
            *maxcc = cc.into();
        }
        Ok(())
    })
}

fn idcams(session: &Session, source: Source) -> (Vec<u8>, u8) {
    let mut services = Services::of(session);
    let seconds = i64::try_from(session.clock.now() / 1_000_000_000).unwrap_or(i64::MAX);
    let mut listing = Vec::new();
    let mut sysprint = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(seconds));
    let cc = run_with_parm("", source, &mut services as &mut dyn Act, &mut sysprint);
    drop(sysprint);
    if listing.last() == Some(&b'\n') {
        listing.pop();
    }
    (listing, cc)
}

/// Tells the caller of each entry.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_list(
    env: *mut c_void,
    mask: *const c_char,
    each: Option<extern "C" fn(*mut c_void, *const c_char, *const c_char) -> c_int>,
    context: *mut c_void,
) -> c_int {
    let mut ended = 0;
    let done = call(|| {
        let env = handle::environment(env)?;
        let each = each.ok_or_else(|| Error::argument("each is a null pointer"))?;
        // SAFETY: the caller's promise.
        let mask = unsafe { text(mask, "mask") }?.unwrap_or("**");
        Mask::parse(mask).map_err(|error| Error::argument(error.to_string()))?;
        for entry in env.store.list(mask)? {
            let (name, kind) = (CString::new(entry.name().as_str()), CString::new(entry.kind().word()));
            let (Ok(name), Ok(kind)) = (name, kind) else {
                return Err(Error::new(CATALOG, "a name in the catalog holds a zero byte"));
            };
            ended = outside(|| each(context, name.as_ptr(), kind.as_ptr()));
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
