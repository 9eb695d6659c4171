//! fjall: a partition without compression, bloom filter of 10 bits per key (its default), journal on, load by ingestion
//! of sorted records.
//!
//! A put does not look whether the key exists, so its inserts do less than those of the others (as RocksDB's).

use std::process::ExitCode;
use std::time::Duration;

use cica_bench::peer::{Durability, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream};
use fjall::{Batch, CompressionType, Config, Keyspace, PartitionCreateOptions, PartitionHandle, PersistMode, Slice};

struct Fjall {
    keyspace: Keyspace,
    partition: PartitionHandle,
    layout: Layout,
    durability: Durability,
    read_only: bool,
    /// The writes since the last commit, where they are one transaction.
    batch: Option<Batch>,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Fjall {
    /// A batch with the promised durability.
    fn new_batch(&self) -> Batch {
        let synced = self.durability == Durability::EachCommit;
        let mode = if synced {
            PersistMode::SyncAll
        } else {
            PersistMode::Buffer
        };
        self.keyspace.batch().durability(Some(mode))
    }
}

impl Peer for Fjall {
    fn version() -> String {
        "fjall 2.11, no compression, bloom 10".into()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let mut config = Config::new(opening.dir).fsync_ms(None);
        if let Some(bytes) = opening.cache_bytes {
            config = config.cache_size(bytes);
        }
        let keyspace = config.open().map_err(text)?;
        let options = PartitionCreateOptions::default().compression(CompressionType::None);
        let partition = keyspace.open_partition("data", options).map_err(text)?;
        Ok(Fjall {
            keyspace,
            partition,
            layout: opening.layout,
            durability: opening.durability,
            read_only: opening.read_only,
            batch: None,
        })
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let layout = self.layout;
        let pairs = std::iter::from_fn(|| {
            let record = records.next_record()?;
            Some((Slice::from(layout.key(record)), Slice::from(layout.value(record))))
        });
        self.partition.ingest(pairs).map_err(text)?;
        self.keyspace.persist(PersistMode::SyncAll).map_err(text)
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let mut count = 0;
        for value in self.partition.values() {
            each(&value.map_err(text)?);
            count += 1;
        }
        Ok(count)
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        let found = self.partition.get(key).map_err(text)?;
        Ok(found.map(|value| {
            area[..value.len()].copy_from_slice(&value);
            value.len()
        }))
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        let (key, value) = (self.layout.key(record), self.layout.value(record));
        match &mut self.batch {
            Some(batch) => {
                batch.insert(&self.partition, key, value);
                Ok(())
            }
            None => self.partition.insert(key, value).map_err(text),
        }
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.update(record)
    }

    fn in_units(&mut self, yes: bool) -> Result<()> {
        self.batch = yes.then(|| self.new_batch());
        Ok(())
    }

    /// Each put is its own commit, in the journal; where commits are durable, the journal is synced here.
    fn commit(&mut self) -> Result<()> {
        if let Some(batch) = self.batch.take() {
            batch.commit().map_err(text)?;
            self.batch = Some(self.new_batch());
            return Ok(());
        }
        match self.durability {
            Durability::EachCommit => self.keyspace.persist(PersistMode::SyncAll).map_err(text),
            _ => Ok(()),
        }
    }

    fn another(&self) -> Result<Self> {
        Ok(Fjall {
            keyspace: self.keyspace.clone(),
            partition: self.partition.clone(),
            batch: None,
            ..*self
        })
    }

    fn settle(&mut self) -> Result<()> {
        while self.keyspace.active_compactions() > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn close(self) -> Result<()> {
        match self.durability == Durability::AtClose && !self.read_only {
            true => self.keyspace.persist(PersistMode::SyncAll).map_err(text),
            false => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    worker::main::<Fjall>()
}
