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
//!   One exchange compares the generation and takes the slot, so who calls with a closed handle is in nobody's way.
//! * H2. A slot is taken by a call that works on its string, or closes it, and by one that looks an environment, data
//!   set or unit up, until it has that; for no longer.

use crate::code::{Error, BAD_HANDLE, BUSY, FORKED, HANDLES};
use crate::object::{Environment, Object, OpenDataSet, OpenString, OpenUnit};
use parking_lot::Mutex;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use std::sync::{Arc, OnceLock};

/// In `state` the generation stands above, and [`IN_CALL`] below while a call has the slot to itself.
struct Slot {
    state: AtomicU64,
    object: UnsafeCell<Option<Object>>,
}

// SAFETY: the object is looked at only by who has made the slot busy (`Taken`), and it may go to other threads.
unsafe impl Sync for Slot {}

/// Objects may go to other threads.
const _: fn() = || {
    fn goes<T: Send>() {}
    goes::<Object>();
};

const IN_CALL: u64 = 1;

/// A slot to oneself, until it is dropped. One atomic exchange finds the generation and takes the slot, and a plain
/// store gives it back: with a mutex a get waited twice for what the processor had under way.
struct Taken {
    number: u32,
    slot: &'static Slot,
    /// The state that it has when it is given back.
    after: u64,
}

impl Taken {
    /// Takes a slot that is open with this generation.
    #[inline]
    fn of(number: u32, slot: &'static Slot, generation: u32) -> Result<Taken, Error> {
        let after = u64::from(generation) << 32;
        match slot.state.compare_exchange(after, after | IN_CALL, Acquire, Relaxed) {
            Ok(_) => Ok(Taken { number, slot, after }),
            Err(seen) if seen == after | IN_CALL => Err(Error::new(BUSY, "another thread is using this handle")),
            Err(_) => Err(bad()),
        }
    }

    #[inline]
    fn object(&mut self) -> &mut Option<Object> {
        // SAFETY: the slot is busy for this one alone, which is borrowed meanwhile.
        unsafe { &mut *self.slot.object.get() }
    }

    /// From now on the token finds nothing (H1).
    fn end(&mut self) {
        let generation = ((self.after >> 32) as u32).wrapping_add(1).max(1);
        self.after = u64::from(generation) << 32;
    }
}

impl Drop for Taken {
    #[inline]
    fn drop(&mut self) {
        self.slot.state.store(self.after, Release);
    }
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
        Err(Error::new(
            FORKED,
            "a parent of this process has used the library before fork(); only exec gives this process one of its own",
        ))
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
            state: AtomicU64::new(1 << 32),
            object: UnsafeCell::new(None),
        };
        (0..CHUNK).map(|_| empty()).collect()
    });
    let slot = &chunk[number as usize % CHUNK];
    let generation = (slot.state.load(Relaxed) >> 32) as u32;
    let mut taken = loop {
        match Taken::of(number, slot, generation) {
            // A call with a token that nobody was given: it finds nothing.
            Err(_) => std::thread::yield_now(),
            Ok(taken) => break taken,
        }
    };
    *taken.object() = Some(object);
    Ok(((generation as usize) << 32 | (number as usize + 1)) as *mut c_void)
}

/// The slot of a token.
#[inline]
fn find(token: *const c_void) -> Result<Taken, Error> {
    if in_child() {
        return Err(forked());
    }
    let number = (token as usize as u32).wrapping_sub(1);
    let chunk = TABLE.chunks.get(number as usize / CHUNK).and_then(|c| c.get());
    let slot = chunk.map(|c| &c[number as usize % CHUNK]).ok_or_else(bad)?;
    Taken::of(number, slot, (token as usize >> 32) as u32)
}

/// Waits out a call of another thread that is about to let go of the slot.
fn find_shared(token: *const c_void) -> Result<Taken, Error> {
    loop {
        match find(token) {
            Err(error) if error.number == BUSY => std::thread::yield_now(),
            other => return other,
        }
    }
}

/// The environment of a token.
pub fn environment(token: *const c_void) -> Result<Arc<Environment>, Error> {
    match find_shared(token)?.object() {
        Some(Object::Environment(environment)) => Ok(environment.clone()),
        _ => Err(bad()),
    }
}

/// The data set of a token.
pub fn data_set(token: *const c_void) -> Result<Arc<OpenDataSet>, Error> {
    match find_shared(token)?.object() {
        Some(Object::DataSet(data_set)) => Ok(data_set.clone()),
        _ => Err(bad()),
    }
}

/// The unit of a token.
pub fn unit(token: *const c_void) -> Result<Arc<OpenUnit>, Error> {
    match find_shared(token)?.object() {
        Some(Object::Unit(unit)) => Ok(unit.clone()),
        _ => Err(bad()),
    }
}

/// Works on the string of a token, alone.
pub fn with_string<T>(
    token: *const c_void,
    work: impl FnOnce(&mut OpenString) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut taken = find(token)?;
    match taken.object().take() {
        Some(Object::String(mut string)) => {
            let done = work(&mut string);
            *taken.object() = Some(Object::String(string));
            done
        }
        other => {
            *taken.object() = other;
            Err(bad())
        }
    }
}

/// Ends a handle, if `may` agrees, and gives what it stood for.
pub fn take(token: *const c_void, may: impl FnOnce(&Object) -> Result<(), Error>) -> Result<Object, Error> {
    let mut taken = find(token)?;
    may(taken.object().as_ref().ok_or_else(bad)?)?;
    let object = taken.object().take().ok_or_else(bad)?;
    taken.end();
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
        "the handle belongs to the parent process, which has used the library before fork(); only exec gives the child \
         one of its own",
    )
}
