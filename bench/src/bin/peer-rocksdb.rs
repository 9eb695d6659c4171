//! RocksDB: no compression, bloom filter of 10 bits per key, write-ahead log on, load by sorted table files.
//!
//! A put does not look whether the key exists, so its inserts do less than those of the others.

use std::ffi::{c_char, c_int, c_uchar, c_void, CStr, CString};
use std::path::Path;
use std::process::ExitCode;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

use cica_bench::peer::{Durability, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};

/// Records per table file of the load: about the 64 MiB that RocksDB aims at by itself.
const TABLE_RECORDS: u64 = 300_000;

#[link(name = "rocksdb")]
extern "C" {
    fn rocksdb_options_create() -> *mut c_void;
    fn rocksdb_options_set_create_if_missing(options: *mut c_void, yes: c_uchar);
    fn rocksdb_options_set_compression(options: *mut c_void, kind: c_int);
    fn rocksdb_options_set_block_based_table_factory(options: *mut c_void, table: *mut c_void);
    fn rocksdb_block_based_options_create() -> *mut c_void;
    fn rocksdb_block_based_options_set_filter_policy(table: *mut c_void, policy: *mut c_void);
    fn rocksdb_block_based_options_set_block_cache(table: *mut c_void, cache: *mut c_void);
    fn rocksdb_filterpolicy_create_bloom_full(bits: f64) -> *mut c_void;
    fn rocksdb_cache_create_lru(bytes: usize) -> *mut c_void;
    fn rocksdb_open(options: *const c_void, dir: *const c_char, error: *mut *mut c_char) -> *mut c_void;
    fn rocksdb_open_for_read_only(
        options: *const c_void,
        dir: *const c_char,
        error_if_wal: c_uchar,
        error: *mut *mut c_char,
    ) -> *mut c_void;
    fn rocksdb_close(db: *mut c_void);
    fn rocksdb_readoptions_create() -> *mut c_void;
    fn rocksdb_writeoptions_create() -> *mut c_void;
    fn rocksdb_writeoptions_set_sync(options: *mut c_void, yes: c_uchar);
    fn rocksdb_put(
        db: *mut c_void,
        options: *const c_void,
        key: *const u8,
        key_len: usize,
        value: *const u8,
        value_len: usize,
        error: *mut *mut c_char,
    );
    fn rocksdb_writebatch_create() -> *mut c_void;
    fn rocksdb_writebatch_destroy(batch: *mut c_void);
    fn rocksdb_writebatch_clear(batch: *mut c_void);
    fn rocksdb_writebatch_put(batch: *mut c_void, key: *const u8, key_len: usize, value: *const u8, value_len: usize);
    fn rocksdb_write(db: *mut c_void, options: *const c_void, batch: *mut c_void, error: *mut *mut c_char);
    fn rocksdb_get_pinned(
        db: *mut c_void,
        options: *const c_void,
        key: *const u8,
        key_len: usize,
        error: *mut *mut c_char,
    ) -> *mut c_void;
    fn rocksdb_pinnableslice_value(slice: *const c_void, len: *mut usize) -> *const u8;
    fn rocksdb_pinnableslice_destroy(slice: *mut c_void);
    fn rocksdb_create_iterator(db: *mut c_void, options: *const c_void) -> *mut c_void;
    fn rocksdb_iter_seek_to_first(iter: *mut c_void);
    fn rocksdb_iter_valid(iter: *const c_void) -> c_uchar;
    fn rocksdb_iter_next(iter: *mut c_void);
    fn rocksdb_iter_value(iter: *const c_void, len: *mut usize) -> *const u8;
    fn rocksdb_iter_get_error(iter: *const c_void, error: *mut *mut c_char);
    fn rocksdb_iter_destroy(iter: *mut c_void);
    fn rocksdb_flush_wal(db: *mut c_void, sync: c_uchar, error: *mut *mut c_char);
    fn rocksdb_property_int(db: *mut c_void, name: *const c_char, value: *mut u64) -> c_int;
    fn rocksdb_envoptions_create() -> *mut c_void;
    fn rocksdb_sstfilewriter_create(env: *const c_void, options: *const c_void) -> *mut c_void;
    fn rocksdb_sstfilewriter_open(writer: *mut c_void, name: *const c_char, error: *mut *mut c_char);
    fn rocksdb_sstfilewriter_put(
        writer: *mut c_void,
        key: *const u8,
        key_len: usize,
        value: *const u8,
        value_len: usize,
        error: *mut *mut c_char,
    );
    fn rocksdb_sstfilewriter_finish(writer: *mut c_void, error: *mut *mut c_char);
    fn rocksdb_sstfilewriter_destroy(writer: *mut c_void);
    fn rocksdb_ingestexternalfileoptions_create() -> *mut c_void;
    fn rocksdb_ingestexternalfileoptions_set_move_files(options: *mut c_void, yes: c_uchar);
    fn rocksdb_ingest_external_file(
        db: *mut c_void,
        files: *const *const c_char,
        count: usize,
        options: *const c_void,
        error: *mut *mut c_char,
    );
}

/// Makes a call whose last argument reports the error.
#[inline]
fn attempt<T>(call: impl FnOnce(*mut *mut c_char) -> T) -> Result<T> {
    let mut error = null_mut();
    let value = call(&mut error);
    if error.is_null() {
        return Ok(value);
    }
    // SAFETY: RocksDB allocated a C string by malloc and gave it to us.
    unsafe {
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        libc::free(error as *mut c_void);
        Err(text)
    }
}

fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())
}

/// The open database, closed when the last handle goes. Option objects live as long as the process.
struct Db {
    db: *mut c_void,
    options: *mut c_void,
    read: *mut c_void,
    write: *mut c_void,
}

// SAFETY: a RocksDB database may be used by all threads; the option objects are not changed after the open.
unsafe impl Send for Db {}
// SAFETY: as above.
unsafe impl Sync for Db {}

impl Drop for Db {
    fn drop(&mut self) {
        // SAFETY: open, and nobody uses it any more.
        unsafe { rocksdb_close(self.db) }
    }
}

struct RocksDb {
    db: Arc<Db>,
    layout: Layout,
    dir: std::path::PathBuf,
    sync_at_close: bool,
    /// The writes since the last commit, where they are one transaction.
    batch: Option<Batch>,
}

/// A write batch of one handle.
struct Batch(*mut c_void);

// SAFETY: a batch is used by the thread of its handle only.
unsafe impl Send for Batch {}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: it is this handle's own, and nobody uses it any more.
        unsafe { rocksdb_writebatch_destroy(self.0) }
    }
}

impl RocksDb {
    fn property(&self, name: &CStr) -> u64 {
        let mut value = 0;
        // SAFETY: the database is open; `value` is a valid place.
        unsafe { rocksdb_property_int(self.db.db, name.as_ptr(), &mut value) };
        value
    }

    fn write_table(&self, file: &CStr, records: &mut LoadStream) -> Result<u64> {
        // SAFETY: the writer is used by this thread only and destroyed at the end; slices are valid during the calls.
        unsafe {
            let writer = rocksdb_sstfilewriter_create(rocksdb_envoptions_create(), self.db.options);
            attempt(|error| rocksdb_sstfilewriter_open(writer, file.as_ptr(), error))?;
            let mut count = 0;
            while count < TABLE_RECORDS {
                let Some(record) = records.next_record() else { break };
                let (key, value) = (self.layout.key(record), self.layout.value(record));
                attempt(|error| {
                    let (k, v) = (key.as_ptr(), value.as_ptr());
                    rocksdb_sstfilewriter_put(writer, k, key.len(), v, value.len(), error)
                })?;
                count += 1;
            }
            // A table without records cannot be finished.
            if count > 0 {
                attempt(|error| rocksdb_sstfilewriter_finish(writer, error))?;
            }
            rocksdb_sstfilewriter_destroy(writer);
            Ok(count)
        }
    }
}

impl Peer for RocksDb {
    fn version() -> String {
        "RocksDB 7.8 (Debian), no compression, bloom 10".into()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let dir = c_path(opening.dir)?;
        let sync_puts = opening.durability == Durability::EachCommit;
        // SAFETY: option objects are made, filled and handed over as the API wants; they are never freed.
        let db = unsafe {
            let table = rocksdb_block_based_options_create();
            rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10.0));
            if let Some(bytes) = opening.cache_bytes {
                rocksdb_block_based_options_set_block_cache(table, rocksdb_cache_create_lru(bytes as usize));
            }
            let options = rocksdb_options_create();
            rocksdb_options_set_create_if_missing(options, opening.create.into());
            rocksdb_options_set_compression(options, 0);
            rocksdb_options_set_block_based_table_factory(options, table);
            let write = rocksdb_writeoptions_create();
            rocksdb_writeoptions_set_sync(write, sync_puts.into());
            let db = attempt(|error| match opening.read_only {
                true => rocksdb_open_for_read_only(options, dir.as_ptr(), 0, error),
                false => rocksdb_open(options, dir.as_ptr(), error),
            })?;
            Db {
                db,
                options,
                read: rocksdb_readoptions_create(),
                write,
            }
        };
        Ok(RocksDb {
            db: Arc::new(db),
            layout: opening.layout,
            dir: opening.dir.to_path_buf(),
            sync_at_close: opening.durability == Durability::AtClose && !opening.read_only,
            batch: None,
        })
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let mut files = Vec::new();
        loop {
            let file = c_path(&self.dir.join(format!("load-{}.sst", files.len())))?;
            let count = self.write_table(&file, records)?;
            if count > 0 {
                files.push(file);
            }
            if count < TABLE_RECORDS {
                break;
            }
        }
        let names: Vec<*const c_char> = files.iter().map(|file| file.as_ptr()).collect();
        // SAFETY: the names live until the call returns. The ingestion syncs the files and the manifest.
        unsafe {
            let options = rocksdb_ingestexternalfileoptions_create();
            rocksdb_ingestexternalfileoptions_set_move_files(options, 1);
            attempt(|error| rocksdb_ingest_external_file(self.db.db, names.as_ptr(), names.len(), options, error))
        }
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let mut count = 0;
        // SAFETY: the iterator belongs to the open database; a value is valid until the iterator moves.
        unsafe {
            let iter = rocksdb_create_iterator(self.db.db, self.db.read);
            rocksdb_iter_seek_to_first(iter);
            while rocksdb_iter_valid(iter) != 0 {
                let mut len = 0;
                let value = rocksdb_iter_value(iter, &mut len);
                each(std::slice::from_raw_parts(value, len));
                count += 1;
                rocksdb_iter_next(iter);
            }
            let end = attempt(|error| rocksdb_iter_get_error(iter, error));
            rocksdb_iter_destroy(iter);
            end?;
        }
        Ok(count)
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        // SAFETY: the database is open; the slice is valid until destroyed.
        unsafe {
            let slice = attempt(|error| rocksdb_get_pinned(self.db.db, self.db.read, key.as_ptr(), key.len(), error))?;
            if slice.is_null() {
                return Ok(None);
            }
            let mut len = 0;
            let value = rocksdb_pinnableslice_value(slice, &mut len);
            area[..len].copy_from_slice(std::slice::from_raw_parts(value, len));
            rocksdb_pinnableslice_destroy(slice);
            Ok(Some(len))
        }
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        let (key, value) = (self.layout.key(record), self.layout.value(record));
        let (k, v) = (key.as_ptr(), value.as_ptr());
        if let Some(batch) = &self.batch {
            // SAFETY: the batch is open and copies both slices.
            unsafe { rocksdb_writebatch_put(batch.0, k, key.len(), v, value.len()) };
            return Ok(());
        }
        // SAFETY: the database is open; both slices are valid during the call.
        attempt(|error| unsafe { rocksdb_put(self.db.db, self.db.write, k, key.len(), v, value.len(), error) })
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.update(record)
    }

    fn in_units(&mut self, yes: bool) -> Result<()> {
        // SAFETY: plain call.
        self.batch = yes.then(|| Batch(unsafe { rocksdb_writebatch_create() }));
        Ok(())
    }

    /// Outside of units there is nothing to do: each put is its own commit.
    fn commit(&mut self) -> Result<()> {
        let Some(batch) = &self.batch else { return Ok(()) };
        // SAFETY: database and batch are open.
        attempt(|error| unsafe { rocksdb_write(self.db.db, self.db.write, batch.0, error) })?;
        // SAFETY: as above: the batch is open.
        unsafe { rocksdb_writebatch_clear(batch.0) };
        Ok(())
    }

    fn another(&self) -> Result<Self> {
        Ok(RocksDb {
            db: self.db.clone(),
            dir: self.dir.clone(),
            batch: None,
            ..*self
        })
    }

    fn settle(&mut self) -> Result<()> {
        let busy = [
            c"rocksdb.mem-table-flush-pending",
            c"rocksdb.num-running-flushes",
            c"rocksdb.compaction-pending",
            c"rocksdb.num-running-compactions",
        ];
        while busy.iter().any(|name| self.property(name) > 0) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn close(self) -> Result<()> {
        match self.sync_at_close {
            // SAFETY: the database is open until the last handle is dropped.
            true => attempt(|error| unsafe { rocksdb_flush_wal(self.db.db, 1, error) }),
            false => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    worker::main::<RocksDb>()
}
