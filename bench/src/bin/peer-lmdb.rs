//! LMDB. Batches are transactions; unsynced phases use MDB_NOSYNC; gets of a batch share one read transaction.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr, CString};
use std::process::ExitCode;
use std::ptr::null_mut;
use std::sync::Arc;

use cica_bench::peer::{Durability, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};

const NOSYNC: c_uint = 0x10000;
const RDONLY: c_uint = 0x20000;
const NOOVERWRITE: c_uint = 0x10;
const APPEND: c_uint = 0x20000;
const NOTFOUND: c_int = -30798;
const CURSOR_NEXT: c_int = 8;
/// Address space to map; the file grows only as it is used.
const MAP_BYTES: usize = 64 << 30;
/// Records per transaction of the load.
const LOAD_BATCH: u64 = 10_000;

#[repr(C)]
struct Val {
    size: usize,
    data: *mut c_void,
}

#[link(name = "lmdb")]
extern "C" {
    fn mdb_version(major: *mut c_int, minor: *mut c_int, patch: *mut c_int) -> *const c_char;
    fn mdb_strerror(code: c_int) -> *const c_char;
    fn mdb_env_create(env: *mut *mut c_void) -> c_int;
    fn mdb_env_set_mapsize(env: *mut c_void, bytes: usize) -> c_int;
    fn mdb_env_open(env: *mut c_void, dir: *const c_char, flags: c_uint, mode: c_uint) -> c_int;
    fn mdb_env_sync(env: *mut c_void, force: c_int) -> c_int;
    fn mdb_env_close(env: *mut c_void);
    fn mdb_txn_begin(env: *mut c_void, parent: *mut c_void, flags: c_uint, txn: *mut *mut c_void) -> c_int;
    fn mdb_txn_commit(txn: *mut c_void) -> c_int;
    fn mdb_txn_abort(txn: *mut c_void);
    fn mdb_dbi_open(txn: *mut c_void, name: *const c_char, flags: c_uint, dbi: *mut c_uint) -> c_int;
    fn mdb_get(txn: *mut c_void, dbi: c_uint, key: *mut Val, value: *mut Val) -> c_int;
    fn mdb_put(txn: *mut c_void, dbi: c_uint, key: *mut Val, value: *mut Val, flags: c_uint) -> c_int;
    fn mdb_cursor_open(txn: *mut c_void, dbi: c_uint, cursor: *mut *mut c_void) -> c_int;
    fn mdb_cursor_get(cursor: *mut c_void, key: *mut Val, value: *mut Val, op: c_int) -> c_int;
    fn mdb_cursor_close(cursor: *mut c_void);
}

fn check(code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        // SAFETY: LMDB returns a static string for every code.
        _ => Err(unsafe { CStr::from_ptr(mdb_strerror(code)) }
            .to_string_lossy()
            .into_owned()),
    }
}

fn val(bytes: &[u8]) -> Val {
    Val {
        size: bytes.len(),
        data: bytes.as_ptr() as *mut c_void,
    }
}

/// The environment, closed when the last handle goes.
struct Env(*mut c_void);

// SAFETY: an MDB_env may be used by all threads.
unsafe impl Send for Env {}
// SAFETY: as above.
unsafe impl Sync for Env {}

impl Drop for Env {
    fn drop(&mut self) {
        // SAFETY: handles end their transactions before they let go of the environment.
        unsafe { mdb_env_close(self.0) }
    }
}

struct Lmdb {
    env: Arc<Env>,
    dbi: c_uint,
    layout: Layout,
    /// The transaction of this batch, null between batches.
    txn: *mut c_void,
    writing: bool,
}

// SAFETY: a handle moves to another thread only before it has begun a transaction there (`another` starts without one).
unsafe impl Send for Lmdb {}

impl Lmdb {
    #[inline]
    fn txn_for(&mut self, writing: bool) -> Result<*mut c_void> {
        if self.txn.is_null() || (writing && !self.writing) {
            self.abort();
            let flags = if writing { 0 } else { RDONLY };
            // SAFETY: the environment is open; `txn` is a valid place.
            check(unsafe { mdb_txn_begin(self.env.0, null_mut(), flags, &mut self.txn) })?;
            self.writing = writing;
        }
        Ok(self.txn)
    }

    fn abort(&mut self) {
        if !self.txn.is_null() {
            // SAFETY: the transaction is live and this handle's own.
            unsafe { mdb_txn_abort(self.txn) };
            self.txn = null_mut();
        }
    }

    #[inline]
    fn put(&mut self, record: &[u8], flags: c_uint) -> Result<()> {
        let txn = self.txn_for(true)?;
        let (mut key, mut value) = (val(self.layout.key(record)), val(self.layout.value(record)));
        // SAFETY: a live write transaction; LMDB copies both during the call.
        check(unsafe { mdb_put(txn, self.dbi, &mut key, &mut value, flags) })
    }
}

impl Peer for Lmdb {
    fn version() -> String {
        // SAFETY: null pointers are allowed; the string is static.
        let text = unsafe { CStr::from_ptr(mdb_version(null_mut(), null_mut(), null_mut())) };
        text.to_string_lossy().into_owned()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let dir = CString::new(opening.dir.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
        let mut flags = if opening.read_only { RDONLY } else { 0 };
        if opening.durability == Durability::Unsynced {
            flags |= NOSYNC;
        }
        let mut env = null_mut();
        let mut dbi = 0;
        // SAFETY: plain calls in the order LMDB wants; the map size is set before the open.
        unsafe {
            check(mdb_env_create(&mut env))?;
            let env = Arc::new(Env(env));
            check(mdb_env_set_mapsize(env.0, MAP_BYTES))?;
            check(mdb_env_open(env.0, dir.as_ptr(), flags, 0o644))?;
            let mut txn = null_mut();
            check(mdb_txn_begin(env.0, null_mut(), flags & RDONLY, &mut txn))?;
            check(mdb_dbi_open(txn, std::ptr::null(), 0, &mut dbi))?;
            check(mdb_txn_commit(txn))?;
            Ok(Lmdb {
                env,
                dbi,
                layout: opening.layout,
                txn: null_mut(),
                writing: false,
            })
        }
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let mut count = 0;
        while let Some(record) = records.next_record() {
            self.put(record, APPEND)?;
            count += 1;
            if count % LOAD_BATCH == 0 {
                self.commit()?;
            }
        }
        self.commit()?;
        // SAFETY: the environment is open and no transaction of ours is.
        check(unsafe { mdb_env_sync(self.env.0, 1) })
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let txn = self.txn_for(false)?;
        let mut cursor = null_mut();
        let (mut key, mut value) = (val(&[]), val(&[]));
        let mut count = 0;
        // SAFETY: the cursor lives inside the transaction; a value is valid until the next move of the cursor.
        unsafe {
            check(mdb_cursor_open(txn, self.dbi, &mut cursor))?;
            let end = loop {
                let code = mdb_cursor_get(cursor, &mut key, &mut value, CURSOR_NEXT);
                if code != 0 {
                    break code;
                }
                each(std::slice::from_raw_parts(value.data as *const u8, value.size));
                count += 1;
            };
            mdb_cursor_close(cursor);
            check(if end == NOTFOUND { 0 } else { end })?;
        }
        Ok(count)
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        let txn = self.txn_for(false)?;
        let (mut key, mut value) = (val(key), val(&[]));
        // SAFETY: a live transaction; the value stays valid at least until it ends or writes.
        let found = unsafe {
            match mdb_get(txn, self.dbi, &mut key, &mut value) {
                NOTFOUND => return Ok(None),
                code => check(code)?,
            }
            std::slice::from_raw_parts(value.data as *const u8, value.size)
        };
        area[..found.len()].copy_from_slice(found);
        Ok(Some(found.len()))
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        self.put(record, 0)
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.put(record, NOOVERWRITE)
    }

    fn commit(&mut self) -> Result<()> {
        if !self.writing {
            self.abort();
            return Ok(());
        }
        let txn = std::mem::replace(&mut self.txn, null_mut());
        self.writing = false;
        // SAFETY: the transaction is live; the call frees it whatever it returns.
        check(unsafe { mdb_txn_commit(txn) })
    }

    fn another(&self) -> Result<Self> {
        Ok(Lmdb {
            env: self.env.clone(),
            txn: null_mut(),
            writing: false,
            ..*self
        })
    }

    fn close(mut self) -> Result<()> {
        self.commit()
    }
}

fn main() -> ExitCode {
    worker::main::<Lmdb>()
}
