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
//!   The generation is looked at before the lock is, so who calls with a closed handle meets nobody.
//! * H2. No lock is kept while a call works on an environment, data set or unit, and only the string's own while it works on
//!   a string.

use crate::code::{Error, BAD_HANDLE, BUSY, FORKED, HANDLES};
use crate::object::{Environment, Object, OpenDataSet, OpenString, OpenUnit};
use parking_lot::{Mutex, MutexGuard};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::{Arc, OnceLock};

struct Slot {
    /// Changed below the lock alone.
    generation: AtomicU32,
    object: Mutex<Option<Object>>,
}

/// What a slot has, to oneself.
struct Taken {
    number: u32,
    slot: &'static Slot,
    object: MutexGuard<'static, Option<Object>>,
}

const CHUNK: usize = 256;
const CHUNKS: usize = 256;

struct Table {
    chunks: [OnceLock<Box<[Slot]>>; CHUNKS],
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
        let empty = || Slot {
            generation: AtomicU32::new(1),
            object: Mutex::new(None),
        };
        (0..CHUNK).map(|_| empty()).collect()
    });
    let slot = &chunk[number as usize % CHUNK];
    let mut place = slot.object.lock();
    *place = Some(object);
    let generation = slot.generation.load(Acquire) as usize;
    Ok((generation << 32 | (number as usize + 1)) as *mut c_void)
}

/// The slot of a token, locked.
fn find(token: *const c_void) -> Result<Taken, Error> {
    if in_child() {
        return Err(forked());
    }
    let number = (token as usize as u32).wrapping_sub(1);
    let chunk = TABLE.chunks.get(number as usize / CHUNK).and_then(|c| c.get());
    let slot = chunk.map(|c| &c[number as usize % CHUNK]).ok_or_else(bad)?;
    let is_open = || slot.generation.load(Acquire) == (token as usize >> 32) as u32;
    if !is_open() {
        return Err(bad());
    }
    let object = slot
        .object
        .try_lock()
        .ok_or_else(|| Error::new(BUSY, "another thread is using this handle"))?;
    // It may have been closed between.
    if is_open() {
        Ok(Taken { number, slot, object })
    } else {
        Err(bad())
    }
}

/// Waits out a call of another thread that is about to let go of the slot.
fn find_shared(token: *const c_void) -> Result<MutexGuard<'static, Option<Object>>, Error> {
    loop {
        match find(token) {
            Err(error) if error.number == BUSY => std::thread::yield_now(),
            other => return other.map(|taken| taken.object),
        }
    }
}

/// The environment of a token.
pub fn environment(token: *const c_void) -> Result<Arc<Environment>, Error> {
    match &*find_shared(token)? {
        Some(Object::Environment(environment)) => Ok(environment.clone()),
        _ => Err(bad()),
    }
}

/// The data set of a token.
pub fn data_set(token: *const c_void) -> Result<Arc<OpenDataSet>, Error> {
    match &*find_shared(token)? {
        Some(Object::DataSet(data_set)) => Ok(data_set.clone()),
        _ => Err(bad()),
    }
}

/// The unit of a token.
pub fn unit(token: *const c_void) -> Result<Arc<OpenUnit>, Error> {
    match &*find_shared(token)? {
        Some(Object::Unit(unit)) => Ok(unit.clone()),
        _ => Err(bad()),
    }
}

/// Works on the string of a token, alone.
pub fn with_string<T>(
    token: *const c_void,
    work: impl FnOnce(&mut OpenString) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut place = find(token)?.object;
    match place.take() {
        Some(Object::String(mut string)) => {
            let done = work(&mut string);
            *place = Some(Object::String(string));
            done
        }
        other => {
            *place = other;
            Err(bad())
        }
    }
}

/// Ends a handle, if `may` agrees, and gives what it stood for.
pub fn take(token: *const c_void, may: impl FnOnce(&Object) -> Result<(), Error>) -> Result<Object, Error> {
    let mut taken = find(token)?;
    may(taken.object.as_ref().ok_or_else(bad)?)?;
    let object = taken.object.take().ok_or_else(bad)?;
    let generation = taken.slot.generation.load(Relaxed).wrapping_add(1).max(1);
    taken.slot.generation.store(generation, Release);
    let number = taken.number;
    drop(taken);
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
