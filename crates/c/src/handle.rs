//! Handles: tokens that are looked up, never followed.
//!
//! | slot | by | to |
//! |---|---|---|
//! | free, generation g | [`put`] | taken, generation g |
//! | taken | a call that works on a string | empty while it runs: others find it busy |
//! | taken | [`take`] | free, generation g + 1: the old token finds nothing |
//! | empty | a panic in the call | stays so: the handle is gone |
//!
//! * H1. A token has the slot's number and its generation, so a closed handle is not mistaken for the next one opened.
//! * H2. No lock is kept while a call works on an environment, data set or unit, and only the string's own while it works on
//!   a string.

use crate::code::{Error, BAD_HANDLE, BUSY, FORKED, HANDLES};
use crate::object::{Environment, Object, OpenDataSet, OpenString, OpenUnit};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::{Arc, OnceLock};

struct Slot {
    generation: u32,
    object: Option<Object>,
}

const CHUNK: usize = 256;
const CHUNKS: usize = 256;

struct Table {
    chunks: [OnceLock<Box<[Mutex<Slot>]>>; CHUNKS],
    free: Mutex<Vec<u32>>,
    used: AtomicU32,
}

static TABLE: Table = Table {
    chunks: [const { OnceLock::new() }; CHUNKS],
    free: Mutex::new(Vec::new()),
    used: AtomicU32::new(0),
};

/// In the child of a fork locks and threads of the parent are not there.
fn in_child() -> bool {
    cica_disk::generation() > 0
}

/// Refuses the child of a process that had something open, before anything is made for it.
pub fn admit() -> Result<(), Error> {
    if in_child() {
        Err(forked())
    } else {
        Ok(())
    }
}

/// Keeps an object and makes its token.
pub fn put(object: Object) -> Result<*mut c_void, Error> {
    cica_disk::notice_forks();
    admit()?;
    let number = match TABLE.free.lock().pop() {
        Some(number) => number,
        None => {
            let grown = TABLE
                .used
                .fetch_update(Relaxed, Relaxed, |n| (n < (CHUNK * CHUNKS) as u32).then_some(n + 1));
            grown.map_err(|n| Error::new(HANDLES, format!("{n} handles are open; close some")))?
        }
    };
    let chunk = TABLE.chunks[number as usize / CHUNK].get_or_init(|| {
        let empty = || {
            Mutex::new(Slot {
                generation: 1,
                object: None,
            })
        };
        (0..CHUNK).map(|_| empty()).collect()
    });
    let mut slot = chunk[number as usize % CHUNK].lock();
    slot.object = Some(object);
    Ok(((slot.generation as usize) << 32 | (number as usize + 1)) as *mut c_void)
}

/// The slot of a token, locked.
fn find(token: *const c_void) -> Result<(u32, parking_lot::MutexGuard<'static, Slot>), Error> {
    if in_child() {
        return Err(forked());
    }
    let number = (token as usize as u32).wrapping_sub(1);
    let chunk = TABLE.chunks.get(number as usize / CHUNK).and_then(|c| c.get());
    let slot = chunk.map(|c| &c[number as usize % CHUNK]).ok_or_else(bad)?;
    let guard = slot
        .try_lock()
        .ok_or_else(|| Error::new(BUSY, "another thread is using this handle"))?;
    if guard.generation == (token as usize >> 32) as u32 {
        Ok((number, guard))
    } else {
        Err(bad())
    }
}

/// Waits out a call of another thread that is about to let go of the slot.
fn find_shared(token: *const c_void) -> Result<parking_lot::MutexGuard<'static, Slot>, Error> {
    loop {
        match find(token) {
            Err(error) if error.number == BUSY => std::thread::yield_now(),
            other => return other.map(|(_, slot)| slot),
        }
    }
}

/// The environment of a token.
pub fn environment(token: *const c_void) -> Result<Arc<Environment>, Error> {
    match &find_shared(token)?.object {
        Some(Object::Environment(environment)) => Ok(environment.clone()),
        _ => Err(bad()),
    }
}

/// The data set of a token.
pub fn data_set(token: *const c_void) -> Result<Arc<OpenDataSet>, Error> {
    match &find_shared(token)?.object {
        Some(Object::DataSet(data_set)) => Ok(data_set.clone()),
        _ => Err(bad()),
    }
}

/// The unit of a token.
pub fn unit(token: *const c_void) -> Result<Arc<OpenUnit>, Error> {
    match &find_shared(token)?.object {
        Some(Object::Unit(unit)) => Ok(unit.clone()),
        _ => Err(bad()),
    }
}

/// Works on the string of a token, alone.
pub fn with_string<T>(
    token: *const c_void,
    work: impl FnOnce(&mut OpenString) -> Result<T, Error>,
) -> Result<T, Error> {
    let (_, mut slot) = find(token)?;
    match slot.object.take() {
        Some(Object::String(mut string)) => {
            let done = work(&mut string);
            slot.object = Some(Object::String(string));
            done
        }
        other => {
            slot.object = other;
            Err(bad())
        }
    }
}

/// Ends a handle, if `may` agrees, and gives what it stood for.
pub fn take(token: *const c_void, may: impl FnOnce(&Object) -> Result<(), Error>) -> Result<Object, Error> {
    let (number, mut slot) = find(token)?;
    may(slot.object.as_ref().ok_or_else(bad)?)?;
    let object = slot.object.take().ok_or_else(bad)?;
    slot.generation = slot.generation.wrapping_add(1).max(1);
    drop(slot);
    TABLE.free.lock().push(number);
    Ok(object)
}

pub fn bad() -> Error {
    Error::new(
        BAD_HANDLE,
        "this is no open handle of that kind: it was closed, or never opened by this library",
    )
}

fn forked() -> Error {
    Error::new(
        FORKED,
        "the handle belongs to the parent process; open after fork(), or begin the child with exec",
    )
}
