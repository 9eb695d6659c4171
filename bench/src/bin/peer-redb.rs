//! redb: batches are transactions, `Durability::None` where nothing is synced; gets of a batch share one read
//! transaction.
//!
//! Commits of `Durability::None` free no page, so a phase that is not synced ends with one that is: in `settle`, which is
//! in the process's time and not in the thread's.

use std::process::ExitCode;
use std::sync::Arc;

use cica_bench::peer::{self, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};
use redb::{Database, Durability, ReadOnlyTable, ReadableTable, Table, TableDefinition, WriteTransaction};

const TABLE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("data");
/// Records per transaction of the load.
const LOAD_BATCH: u64 = 10_000;

/// A write transaction and its open table, which borrows it.
struct Writing {
    /// `None` only while the transaction ends: the table goes first.
    table: Option<Table<'static, &'static [u8], &'static [u8]>>,
    /// Lives in the heap, so that the table may point to it wherever this goes. Made by `Box::into_raw`.
    transaction: *mut WriteTransaction,
}

impl Writing {
    fn begin(db: &Database, durability: Durability) -> Result<Writing> {
        let mut transaction = db.begin_write().map_err(text)?;
        transaction.set_durability(durability);
        let mut writing = Writing {
            table: None,
            transaction: Box::into_raw(Box::new(transaction)),
        };
        // SAFETY: the transaction stays where it is until `end`, which lets go of the table first.
        let transaction: &'static WriteTransaction = unsafe { &*writing.transaction };
        writing.table = Some(transaction.open_table(TABLE).map_err(text)?);
        Ok(writing)
    }

    fn commit(mut self) -> Result<()> {
        self.end()
            .map_or(Ok(()), |transaction| transaction.commit().map_err(text))
    }

    fn end(&mut self) -> Option<Box<WriteTransaction>> {
        self.table = None;
        let transaction = std::mem::replace(&mut self.transaction, std::ptr::null_mut());
        // SAFETY: it came from `Box::into_raw`, is taken once, and nothing borrows it any more.
        (!transaction.is_null()).then(|| unsafe { Box::from_raw(transaction) })
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        drop(self.end());
    }
}

struct Redb {
    db: Arc<Database>,
    layout: Layout,
    durability: peer::Durability,
    read_only: bool,
    writing: Option<Writing>,
    reading: Option<ReadOnlyTable<&'static [u8], &'static [u8]>>,
}

// SAFETY: a handle moves to another thread only before it has begun a transaction (`another` starts without one).
unsafe impl Send for Redb {}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Redb {
    #[inline]
    fn table(&mut self) -> Result<&mut Table<'static, &'static [u8], &'static [u8]>> {
        if self.writing.is_none() {
            self.reading = None;
            let durability = match self.durability {
                peer::Durability::Unsynced => Durability::None,
                _ => Durability::Immediate,
            };
            self.writing = Some(Writing::begin(&self.db, durability)?);
        }
        let table = self.writing.as_mut().and_then(|writing| writing.table.as_mut());
        table.ok_or_else(|| "no table is open".into())
    }

    #[inline]
    fn read(&mut self) -> Result<&ReadOnlyTable<&'static [u8], &'static [u8]>> {
        if self.reading.is_none() {
            let transaction = self.db.begin_read().map_err(text)?;
            self.reading = Some(transaction.open_table(TABLE).map_err(text)?);
        }
        self.reading.as_ref().ok_or_else(|| "no table is open".into())
    }

    /// Makes durable what was committed without waiting, and frees pages.
    fn sync(&mut self) -> Result<()> {
        self.commit()?;
        Writing::begin(&self.db, Durability::Immediate)?.commit()
    }
}

impl Peer for Redb {
    fn version() -> String {
        "redb 2.6".into()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let mut builder = Database::builder();
        if let Some(bytes) = opening.cache_bytes {
            builder.set_cache_size(bytes as usize);
        }
        let file = opening.dir.join("data.redb");
        let db = match opening.create {
            true => builder.create(file),
            false => builder.open(file),
        };
        let mut peer = Redb {
            db: Arc::new(db.map_err(text)?),
            layout: opening.layout,
            durability: opening.durability,
            read_only: opening.read_only,
            writing: None,
            reading: None,
        };
        if opening.create {
            peer.sync()?;
        }
        Ok(peer)
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let mut count = 0;
        while let Some(record) = records.next_record() {
            self.update(record)?;
            count += 1;
            if count % LOAD_BATCH == 0 {
                self.commit()?;
            }
        }
        self.sync()
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let mut count = 0;
        for pair in self.read()?.iter().map_err(text)? {
            let (_, value) = pair.map_err(text)?;
            each(value.value());
            count += 1;
        }
        Ok(count)
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        let found = self.read()?.get(key).map_err(text)?;
        Ok(found.map(|found| {
            let value = found.value();
            area[..value.len()].copy_from_slice(value);
            value.len()
        }))
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        let layout = self.layout;
        let (key, value) = (layout.key(record), layout.value(record));
        self.table()?.insert(key, value).map(drop).map_err(text)
    }

    /// Refuses a duplicate, which redb shows by what was there before.
    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        let layout = self.layout;
        let (key, value) = (layout.key(record), layout.value(record));
        match self.table()?.insert(key, value).map_err(text)? {
            None => Ok(()),
            Some(_) => Err("a record with this key was there".into()),
        }
    }

    fn commit(&mut self) -> Result<()> {
        self.reading = None;
        self.writing.take().map_or(Ok(()), Writing::commit)
    }

    fn another(&self) -> Result<Self> {
        Ok(Redb {
            db: self.db.clone(),
            writing: None,
            reading: None,
            ..*self
        })
    }

    fn settle(&mut self) -> Result<()> {
        self.sync()
    }

    fn close(mut self) -> Result<()> {
        self.commit()?;
        match self.durability == peer::Durability::AtClose && !self.read_only {
            true => self.sync(),
            false => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    worker::main::<Redb>()
}
