//! Berkeley DB, two rows: `bdb` without log and transactions, as GnuCOBOL uses it (nothing survives a crash for sure),
//! and `bdb-tx` with log and locks, one transaction per write.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::process::ExitCode;
use std::ptr::null_mut;
use std::sync::Arc;

use cica_bench::peer::{Durability, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};

const CREATE: c_int = 1;
const READ_ONLY: c_int = 2;
const TRANSACTIONS: c_int = 4;
const SYNCED: c_int = 8;
/// Records per transaction of the load, for `bdb-tx`.
const LOAD_BATCH: u64 = 1000;

#[link(name = "bdb_shim", kind = "static")]
extern "C" {
    fn bdb_open(dir: *const c_char, path: *const c_char, cache: u64, flags: c_int, out: *mut *mut c_void) -> c_int;
    fn bdb_begin(file: *mut c_void) -> c_int;
    fn bdb_commit(file: *mut c_void) -> c_int;
    fn bdb_put(file: *mut c_void, k: *const u8, kn: u32, v: *const u8, vn: u32, is_new: c_int) -> c_int;
    fn bdb_get(file: *mut c_void, k: *const u8, kn: u32, area: *mut u8, capacity: u32, length: *mut u32) -> c_int;
    fn bdb_cursor(file: *mut c_void, cursor: *mut *mut c_void) -> c_int;
    fn bdb_next(cursor: *mut c_void, k: *mut u8, kn: u32, area: *mut u8, capacity: u32, length: *mut u32) -> c_int;
    fn bdb_cursor_close(cursor: *mut c_void) -> c_int;
    fn bdb_sync(file: *mut c_void) -> c_int;
    fn bdb_close(file: *mut c_void) -> c_int;
    fn bdb_error(code: c_int) -> *const c_char;
    fn bdb_version() -> *const c_char;
}

#[link(name = "db-5.3")]
extern "C" {}

fn check(code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        // SAFETY: a static string for every code.
        _ => Err(unsafe { CStr::from_ptr(bdb_error(code)) }
            .to_string_lossy()
            .into_owned()),
    }
}

/// The open file, shared by the handles of all threads.
struct File(*mut c_void);

// SAFETY: `bdb-tx`, the only form that hands out a second handle, opens everything with DB_THREAD.
unsafe impl Send for File {}
// SAFETY: as above.
unsafe impl Sync for File {}

struct Bdb {
    file: Arc<File>,
    layout: Layout,
    transactions: bool,
    /// The writes up to a commit are one transaction.
    units: bool,
    begun: bool,
}

impl Bdb {
    #[inline]
    fn begin_unit(&mut self) -> Result<()> {
        if self.units && !self.begun {
            // SAFETY: the file is open and used by this thread only.
            check(unsafe { bdb_begin(self.file.0) })?;
            self.begun = true;
        }
        Ok(())
    }

    #[inline]
    fn put(&mut self, record: &[u8], is_new: bool) -> Result<()> {
        let (key, value) = (self.layout.key(record), self.layout.value(record));
        // SAFETY: the file is open; both slices are valid during the call.
        check(unsafe {
            bdb_put(
                self.file.0,
                key.as_ptr(),
                key.len() as u32,
                value.as_ptr(),
                value.len() as u32,
                is_new.into(),
            )
        })
    }
}

impl Peer for Bdb {
    fn version() -> String {
        // SAFETY: a static string.
        unsafe { CStr::from_ptr(bdb_version()) }.to_string_lossy().into_owned()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let text = |path: &std::path::Path| {
            CString::new(path.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())
        };
        let (dir, path) = (text(opening.dir)?, text(&opening.dir.join("data.db"))?);
        let transactions = opening.engine == "bdb-tx";
        let flags = [
            (opening.create, CREATE),
            (opening.read_only, READ_ONLY),
            (transactions, TRANSACTIONS),
            (opening.durability != Durability::Unsynced, SYNCED),
        ];
        let flags = flags.iter().filter(|(wanted, _)| *wanted).map(|(_, flag)| flag).sum();
        let mut file = null_mut();
        // SAFETY: both strings end in zero; `file` is a valid place.
        check(unsafe {
            bdb_open(
                dir.as_ptr(),
                path.as_ptr(),
                opening.cache_bytes.unwrap_or(0),
                flags,
                &mut file,
            )
        })?;
        Ok(Bdb {
            file: Arc::new(File(file)),
            layout: opening.layout,
            transactions,
            units: false,
            begun: false,
        })
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let mut count = 0;
        while let Some(record) = records.next_record() {
            if count % LOAD_BATCH == 0 {
                // SAFETY: the file is open and used by this thread only.
                check(unsafe { bdb_commit(self.file.0) })?;
                // SAFETY: as above.
                check(unsafe { bdb_begin(self.file.0) })?;
            }
            self.put(record, true)?;
            count += 1;
        }
        // SAFETY: as above.
        check(unsafe { bdb_commit(self.file.0) })?;
        // SAFETY: as above.
        check(unsafe { bdb_sync(self.file.0) })
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let mut key = vec![0; self.layout.record];
        let mut area = vec![0; self.layout.record];
        let (mut cursor, mut length) = (null_mut(), 0);
        let mut count = 0;
        // SAFETY: the cursor belongs to the open file; lengths of both areas are told.
        unsafe {
            check(bdb_cursor(self.file.0, &mut cursor))?;
            let end = loop {
                let (k, kn) = (key.as_mut_ptr(), key.len() as u32);
                let code = bdb_next(cursor, k, kn, area.as_mut_ptr(), area.len() as u32, &mut length);
                if code != 0 {
                    break code;
                }
                each(&area[..length as usize]);
                count += 1;
            };
            check(bdb_cursor_close(cursor))?;
            check(if end == 1 { 0 } else { end })?;
        }
        Ok(count)
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        let mut length = 0;
        let (k, kn) = (key.as_ptr(), key.len() as u32);
        // SAFETY: the file is open; the length of the area is told.
        match unsafe { bdb_get(self.file.0, k, kn, area.as_mut_ptr(), area.len() as u32, &mut length) } {
            1 => Ok(None),
            code => check(code).map(|()| Some(length as usize)),
        }
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        self.begin_unit()?;
        self.put(record, false)
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.begin_unit()?;
        self.put(record, true)
    }

    fn in_units(&mut self, yes: bool) -> Result<()> {
        self.units = yes;
        Ok(())
    }

    /// Outside of units there is nothing to do: a put of `bdb-tx` is a transaction, and `bdb` has only the close.
    fn commit(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.begun) {
            return Ok(());
        }
        // SAFETY: the file is open and used by this thread only.
        check(unsafe { bdb_commit(self.file.0) })
    }

    fn another(&self) -> Result<Self> {
        match self.transactions {
            true => Ok(Bdb {
                file: self.file.clone(),
                ..*self
            }),
            false => Err("without transactions a Berkeley DB file belongs to one thread".into()),
        }
    }

    /// Transactions: a checkpoint, which also lets go of old log files. Without them nothing runs in the background.
    fn settle(&mut self) -> Result<()> {
        match self.transactions {
            // SAFETY: the file is open and no other thread uses it now.
            true => check(unsafe { bdb_sync(self.file.0) }),
            false => Ok(()),
        }
    }

    fn close(self) -> Result<()> {
        match Arc::into_inner(self.file) {
            // SAFETY: this was the last handle.
            Some(file) => check(unsafe { bdb_close(file.0) }),
            None => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    worker::main::<Bdb>()
}
