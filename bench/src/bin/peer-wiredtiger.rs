//! WiredTiger: a row-store table without compression, its options as they come (leaf pages of 32 KiB); load by a bulk
//! cursor and a checkpoint; every write a transaction of its own in the log, which a batch step does without.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::process::ExitCode;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use cica_bench::peer::{Durability, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};

const CREATE: c_int = 1;
const READ_ONLY: c_int = 2;
const LOGGED: c_int = 4;
const SYNCED: c_int = 8;

#[link(name = "wt_shim", kind = "static")]
extern "C" {
    fn wt_open(dir: *const c_char, cache: u64, flags: c_int, out: *mut *mut c_void) -> c_int;
    fn wt_close(connection: *mut c_void) -> c_int;
    fn wt_enter(connection: *mut c_void, out: *mut *mut c_void) -> c_int;
    fn wt_leave(handle: *mut c_void) -> c_int;
    fn wt_bulk(handle: *mut c_void) -> c_int;
    fn wt_append(handle: *mut c_void, k: *const u8, kn: usize, v: *const u8, vn: usize) -> c_int;
    fn wt_end_bulk(handle: *mut c_void) -> c_int;
    fn wt_put(handle: *mut c_void, k: *const u8, kn: usize, v: *const u8, vn: usize, is_new: c_int) -> c_int;
    fn wt_get(handle: *mut c_void, k: *const u8, kn: usize, v: *mut *const u8, vn: *mut usize) -> c_int;
    fn wt_next(handle: *mut c_void, v: *mut *const u8, vn: *mut usize) -> c_int;
    fn wt_begin(handle: *mut c_void) -> c_int;
    fn wt_commit(handle: *mut c_void) -> c_int;
    fn wt_rest(handle: *mut c_void) -> c_int;
    fn wt_checkpoint(handle: *mut c_void) -> c_int;
    fn wt_nothing() -> c_int;
    fn wt_error(code: c_int) -> *const c_char;
    fn wt_version() -> *const c_char;
}

#[link(name = "wiredtiger")]
extern "C" {}

fn check(code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        // SAFETY: a static string for every code.
        _ => Err(unsafe { CStr::from_ptr(wt_error(code)) }.to_string_lossy().into_owned()),
    }
}

/// The open database, closed when the last handle goes.
struct Connection(*mut c_void);

// SAFETY: a WT_CONNECTION may be used by all threads.
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Sync for Connection {}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: open, and nobody uses it any more.
        if let Err(reason) = check(unsafe { wt_close(self.0) }) {
            eprintln!("close: {reason}");
            std::process::exit(1);
        }
    }
}

/// A session with its cursor, closed before the connection (fields are dropped in their order).
struct Session(*mut c_void);

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: open, and this handle's own.
        unsafe { wt_leave(self.0) };
    }
}

struct WiredTiger {
    session: Session,
    connection: Arc<Connection>,
    layout: Layout,
    /// The code that says: no such record, or none behind.
    nothing: c_int,
    /// The writes up to a commit are one transaction.
    units: bool,
    begun: bool,
}

// SAFETY: a session is used by one thread at a time, whichever that is.
unsafe impl Send for WiredTiger {}

impl WiredTiger {
    fn enter(connection: Arc<Connection>, layout: Layout) -> Result<Self> {
        let mut session = null_mut();
        // SAFETY: the connection is open; the place is valid.
        check(unsafe { wt_enter(connection.0, &mut session) })?;
        Ok(WiredTiger {
            session: Session(session),
            connection,
            layout,
            // SAFETY: it returns a constant.
            nothing: unsafe { wt_nothing() },
            units: false,
            begun: false,
        })
    }

    #[inline]
    fn put(&mut self, record: &[u8], is_new: bool) -> Result<()> {
        if self.units && !self.begun {
            // SAFETY: the session is open.
            check(unsafe { wt_begin(self.session.0) })?;
            self.begun = true;
        }
        let (key, value) = (self.layout.key(record), self.layout.value(record));
        // SAFETY: the session is open; both slices are valid during the call.
        check(unsafe {
            wt_put(
                self.session.0,
                key.as_ptr(),
                key.len(),
                value.as_ptr(),
                value.len(),
                is_new.into(),
            )
        })
    }

    /// What a call showed; `None` if there was nothing.
    #[inline]
    fn shown<'v>(&self, code: c_int, value: *const u8, length: usize) -> Result<Option<&'v [u8]>> {
        if code == self.nothing {
            return Ok(None);
        }
        check(code)?;
        // SAFETY: the value stays until the cursor moves, which the callers do after they have looked at it.
        Ok(Some(unsafe { std::slice::from_raw_parts(value, length) }))
    }
}

impl Peer for WiredTiger {
    fn version() -> String {
        // SAFETY: a static string.
        unsafe { CStr::from_ptr(wt_version()) }.to_string_lossy().into_owned()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let dir = CString::new(opening.dir.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
        let flags = [
            (opening.create, CREATE),
            (opening.read_only, READ_ONLY),
            (opening.durability != Durability::AtClose, LOGGED),
            (opening.durability == Durability::EachCommit, SYNCED),
        ];
        let flags = flags.iter().filter(|flag| flag.0).map(|flag| flag.1).sum();
        let mut connection = null_mut();
        // SAFETY: plain call; the strings live during it.
        check(unsafe { wt_open(dir.as_ptr(), opening.cache_bytes.unwrap_or(0), flags, &mut connection) })?;
        WiredTiger::enter(Arc::new(Connection(connection)), opening.layout)
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let layout = self.layout;
        // SAFETY: the session is open and has no cursor yet; slices are valid during the calls.
        unsafe {
            check(wt_bulk(self.session.0))?;
            while let Some(record) = records.next_record() {
                let (key, value) = (layout.key(record), layout.value(record));
                check(wt_append(
                    self.session.0,
                    key.as_ptr(),
                    key.len(),
                    value.as_ptr(),
                    value.len(),
                ))?;
            }
            check(wt_end_bulk(self.session.0))
        }
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let (mut value, mut length, mut count) = (null(), 0, 0);
        loop {
            // SAFETY: the session is open; the places are valid.
            let code = unsafe { wt_next(self.session.0, &mut value, &mut length) };
            match self.shown(code, value, length)? {
                Some(value) => each(value),
                None => return Ok(count),
            }
            count += 1;
        }
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        let (mut value, mut length) = (null(), 0);
        // SAFETY: the session is open; key and places are valid.
        let code = unsafe { wt_get(self.session.0, key.as_ptr(), key.len(), &mut value, &mut length) };
        let Some(found) = self.shown(code, value, length)? else {
            return Ok(None);
        };
        area[..found.len()].copy_from_slice(found);
        Ok(Some(found.len()))
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        self.put(record, false)
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.put(record, true)
    }

    fn in_units(&mut self, yes: bool) -> Result<()> {
        self.units = yes;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        if std::mem::take(&mut self.begun) {
            // SAFETY: the session is open and in a transaction.
            check(unsafe { wt_commit(self.session.0) })?;
        }
        // SAFETY: the session is open.
        check(unsafe { wt_rest(self.session.0) })
    }

    fn another(&self) -> Result<Self> {
        WiredTiger::enter(self.connection.clone(), self.layout)
    }

    fn settle(&mut self) -> Result<()> {
        // SAFETY: the session is open.
        check(unsafe { wt_checkpoint(self.session.0) })
    }

    fn close(self) -> Result<()> {
        Ok(())
    }
}

fn main() -> ExitCode {
    worker::main::<WiredTiger>()
}
