//! SQLite: a WITHOUT ROWID table in WAL mode, prepared statements. Batches are transactions; unsynced phases use
//! synchronous=OFF. Log and page cache are allowed to grow beyond their small defaults, except in a step.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::PathBuf;
use std::process::ExitCode;
use std::ptr::{null, null_mut};

use cica_bench::peer::{Durability, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};

const ROW: c_int = 100;
const DONE: c_int = 101;
const OPEN_READONLY: c_int = 1;
const OPEN_READWRITE: c_int = 2;
const OPEN_CREATE: c_int = 4;
const OPEN_NOMUTEX: c_int = 0x8000;
/// Records per transaction of the load.
const LOAD_BATCH: u64 = 10_000;

#[link(name = "sqlite3")]
extern "C" {
    fn sqlite3_libversion() -> *const c_char;
    fn sqlite3_open_v2(path: *const c_char, db: *mut *mut c_void, flags: c_int, vfs: *const c_char) -> c_int;
    fn sqlite3_close(db: *mut c_void) -> c_int;
    fn sqlite3_errmsg(db: *mut c_void) -> *const c_char;
    fn sqlite3_busy_timeout(db: *mut c_void, milliseconds: c_int) -> c_int;
    fn sqlite3_exec(
        db: *mut c_void,
        sql: *const c_char,
        callback: *const c_void,
        argument: *const c_void,
        error: *mut *mut c_char,
    ) -> c_int;
    fn sqlite3_prepare_v2(
        db: *mut c_void,
        sql: *const c_char,
        len: c_int,
        statement: *mut *mut c_void,
        tail: *mut *const c_char,
    ) -> c_int;
    fn sqlite3_bind_blob(
        statement: *mut c_void,
        index: c_int,
        data: *const u8,
        len: c_int,
        destructor: *const c_void,
    ) -> c_int;
    fn sqlite3_step(statement: *mut c_void) -> c_int;
    fn sqlite3_reset(statement: *mut c_void) -> c_int;
    fn sqlite3_finalize(statement: *mut c_void) -> c_int;
    fn sqlite3_column_blob(statement: *mut c_void, column: c_int) -> *const u8;
    fn sqlite3_column_bytes(statement: *mut c_void, column: c_int) -> c_int;
    fn sqlite3_changes(db: *mut c_void) -> c_int;
}

/// Statements in the order of [`STATEMENTS`].
#[derive(Clone, Copy)]
enum Do {
    Get,
    Update,
    Insert,
    Begin,
    BeginWrite,
    Commit,
}

const STATEMENTS: [&CStr; 6] = [
    c"SELECT v FROM t WHERE k = ?1",
    c"UPDATE t SET v = ?2 WHERE k = ?1",
    c"INSERT INTO t (k, v) VALUES (?1, ?2)",
    c"BEGIN",
    c"BEGIN IMMEDIATE",
    c"COMMIT",
];

/// What has to be known to open another connection to the same file.
#[derive(Clone)]
struct How {
    file: PathBuf,
    layout: Layout,
    read_only: bool,
    durability: Durability,
    cache_bytes: Option<u64>,
}

struct Sqlite {
    how: How,
    db: *mut c_void,
    statements: [*mut c_void; STATEMENTS.len()],
    in_transaction: bool,
}

// SAFETY: a connection and its statements are used by one thread at a time.
unsafe impl Send for Sqlite {}

impl Sqlite {
    fn connect(how: How, create: bool) -> Result<Sqlite> {
        let path = CString::new(how.file.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
        let flags = match (how.read_only, create) {
            (true, _) => OPEN_READONLY,
            (_, true) => OPEN_READWRITE | OPEN_CREATE,
            _ => OPEN_READWRITE,
        };
        let mut db = null_mut();
        // SAFETY: the path ends in zero; `db` is a valid place.
        let code = unsafe { sqlite3_open_v2(path.as_ptr(), &mut db, flags | OPEN_NOMUTEX, null()) };
        let mut peer = Sqlite {
            how,
            db,
            statements: [null_mut(); STATEMENTS.len()],
            in_transaction: false,
        };
        peer.check(code)?;
        // SAFETY: the connection is open.
        unsafe { sqlite3_busy_timeout(db, 60_000) };
        peer.configure(create)?;
        for (place, sql) in peer.statements.iter_mut().zip(STATEMENTS) {
            // SAFETY: the text ends in zero; `place` is a valid place.
            let code = unsafe { sqlite3_prepare_v2(db, sql.as_ptr(), -1, place, null_mut()) };
            if code != 0 {
                return Err(message(db));
            }
        }
        Ok(peer)
    }

    fn configure(&mut self, create: bool) -> Result<()> {
        if create {
            self.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID")?;
        }
        let level = match self.how.durability {
            Durability::Unsynced => "OFF",
            Durability::EachCommit | Durability::AtClose => "FULL",
        };
        self.exec(&format!("PRAGMA synchronous = {level}"))?;
        if let Some(bytes) = self.how.cache_bytes {
            self.exec(&format!(
                "PRAGMA cache_size = -{}; PRAGMA wal_autocheckpoint = 16384",
                bytes >> 10
            ))?;
        }
        Ok(())
    }

    fn exec(&mut self, sql: &str) -> Result<()> {
        let sql = CString::new(sql).map_err(|error| error.to_string())?;
        // SAFETY: the connection is open and the text ends in zero.
        let code = unsafe { sqlite3_exec(self.db, sql.as_ptr(), null(), null(), null_mut()) };
        self.check(code)
    }

    fn check(&self, code: c_int) -> Result<()> {
        match code {
            0 | ROW | DONE => Ok(()),
            _ => Err(message(self.db)),
        }
    }

    /// Runs a statement without result.
    #[inline]
    fn run(&mut self, what: Do, key: &[u8], value: &[u8]) -> Result<()> {
        let statement = self.statements[what as usize];
        // SAFETY: the statement is prepared; what is bound lives until it has been stepped and is not looked at after.
        let code = unsafe {
            if !key.is_empty() {
                sqlite3_bind_blob(statement, 1, key.as_ptr(), key.len() as c_int, null());
                sqlite3_bind_blob(statement, 2, value.as_ptr(), value.len() as c_int, null());
            }
            sqlite3_step(statement);
            sqlite3_reset(statement)
        };
        self.check(code)
    }

    #[inline]
    fn begin(&mut self, what: Do) -> Result<()> {
        if !self.in_transaction {
            self.run(what, &[], &[])?;
            self.in_transaction = true;
        }
        Ok(())
    }
}

fn message(db: *mut c_void) -> String {
    // SAFETY: SQLite has a text for every connection, even for one that failed to open.
    unsafe { CStr::from_ptr(sqlite3_errmsg(db)) }
        .to_string_lossy()
        .into_owned()
}

impl Peer for Sqlite {
    fn version() -> String {
        // SAFETY: a static string.
        let text = unsafe { CStr::from_ptr(sqlite3_libversion()) };
        format!("SQLite {}", text.to_string_lossy())
    }

    fn open(opening: &Opening) -> Result<Self> {
        let how = How {
            file: opening.dir.join("data.sqlite"),
            layout: opening.layout,
            read_only: opening.read_only,
            durability: opening.durability,
            cache_bytes: opening.cache_bytes,
        };
        Sqlite::connect(how, opening.create)
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let mut count = 0;
        while let Some(record) = records.next_record() {
            self.insert(record)?;
            count += 1;
            if count % LOAD_BATCH == 0 {
                self.commit()?;
            }
        }
        self.commit()?;
        self.exec("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)")?;
        self.configure(false)
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let mut statement = null_mut();
        let sql = c"SELECT v FROM t ORDER BY k";
        let mut count = 0;
        // SAFETY: the statement is this function's own; a column is valid until the next step.
        unsafe {
            self.check(sqlite3_prepare_v2(
                self.db,
                sql.as_ptr(),
                -1,
                &mut statement,
                null_mut(),
            ))?;
            while sqlite3_step(statement) == ROW {
                let value = sqlite3_column_blob(statement, 0);
                each(std::slice::from_raw_parts(
                    value,
                    sqlite3_column_bytes(statement, 0) as usize,
                ));
                count += 1;
            }
            self.check(sqlite3_finalize(statement))?;
        }
        Ok(count)
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        self.begin(Do::Begin)?;
        let statement = self.statements[Do::Get as usize];
        // SAFETY: the key lives until the reset; the column until then as well.
        unsafe {
            sqlite3_bind_blob(statement, 1, key.as_ptr(), key.len() as c_int, null());
            let mut found = None;
            if sqlite3_step(statement) == ROW {
                let value = sqlite3_column_blob(statement, 0);
                let len = sqlite3_column_bytes(statement, 0) as usize;
                area[..len].copy_from_slice(std::slice::from_raw_parts(value, len));
                found = Some(len);
            }
            self.check(sqlite3_reset(statement))?;
            Ok(found)
        }
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        self.begin(Do::BeginWrite)?;
        let layout = self.how.layout;
        self.run(Do::Update, layout.key(record), layout.value(record))?;
        // SAFETY: the connection is open.
        match unsafe { sqlite3_changes(self.db) } {
            1 => Ok(()),
            _ => Err("no record was there to be updated".into()),
        }
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.begin(Do::BeginWrite)?;
        let layout = self.how.layout;
        self.run(Do::Insert, layout.key(record), layout.value(record))
    }

    fn commit(&mut self) -> Result<()> {
        if self.in_transaction {
            self.in_transaction = false;
            self.run(Do::Commit, &[], &[])?;
        }
        Ok(())
    }

    fn another(&self) -> Result<Self> {
        Sqlite::connect(self.how.clone(), false)
    }

    fn close(mut self) -> Result<()> {
        self.commit()?;
        // SAFETY: the statements are finalized before the connection is closed; neither is used again.
        unsafe {
            for statement in self.statements {
                sqlite3_finalize(statement);
            }
            let code = sqlite3_close(self.db);
            self.check(code)
        }
    }
}

fn main() -> ExitCode {
    worker::main::<Sqlite>()
}
