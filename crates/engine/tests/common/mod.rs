//! What the engine's tests share: a place for data sets, records that tell when they are torn, a random sequence.

#![allow(dead_code)]

pub mod archived;
pub mod bytes;
pub mod doubt;
pub mod history;
pub mod hooked;
pub mod keyed;
pub mod names;
#[cfg(cica_schedules)]
pub mod orders;
pub mod power;
pub mod sphere;
pub mod stopping;

use cica_disk::{Create, Disk, ManualClock, MemoryDisk, Open};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use cica_format::checksum::crc32c;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Attributes of a component; the tests change what they are about.
pub fn attributes(name: &str, ci_size: u32, ci_per_ca: u16) -> Attributes {
    Attributes {
        key_length: 8,
        average_record: 60,
        maximum_record: 400,
        reuse: true,
        primary: 64 << 10,
        secondary: 64 << 10,
        volume: "V1".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    }
}

/// A disk with a volume and a log directory.
pub struct World {
    pub disk: Arc<dyn Disk>,
    pub root: PathBuf,
    pub pool_bytes: usize,
    /// The engine may start threads.
    pub background: bool,
}

impl World {
    pub fn memory() -> World {
        World::on(Arc::new(MemoryDisk::default()), Path::new("/"))
    }

    /// On any disk, below `root`.
    pub fn on(disk: Arc<dyn Disk>, root: &Path) -> World {
        for dir in ["v", "log"] {
            disk.open(
                &root.join(dir),
                Open {
                    directory: true,
                    create: Create::IfMissing,
                    ..Open::default()
                },
            )
            .unwrap();
        }
        World {
            disk,
            root: root.to_path_buf(),
            pool_bytes: 8 << 20,
            background: false,
        }
    }

    pub fn engine(&self) -> Engine {
        Engine::new(Env {
            disk: self.disk.clone(),
            clock: Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000)),
            log_dir: self.root.join("log"),
            pool_bytes: Some(self.pool_bytes),
            io: Default::default(),
            background: self.background,
        })
        .unwrap()
    }

    pub fn paths(&self, name: &str) -> (PathBuf, PathBuf) {
        (
            self.root.join(format!("v/{name}.data")),
            self.root.join(format!("v/{name}.index")),
        )
    }

    /// Defines data set `name`: data attributes, then index attributes, as changed.
    pub fn create(&self, engine: &Engine, name: &str, change: impl Fn(&mut Attributes, &mut Attributes)) {
        let mut data = attributes(&format!("T.{}.DATA", name.to_uppercase()), 512, 6);
        let mut index = attributes(&format!("T.{}.INDEX", name.to_uppercase()), 512, 20);
        change(&mut data, &mut index);
        let (data_path, index_path) = self.paths(name);
        let indexed = data.organization.has_index();
        index.organization = data.organization;
        engine
            .create(&Definition {
                data_path,
                index_path: if indexed { index_path } else { PathBuf::new() },
                data,
                index: Some(index).filter(|_| indexed),
            })
            .unwrap();
    }

    pub fn open(&self, engine: &Engine, name: &str) -> DataSet {
        self.open_with(
            engine,
            name,
            OpenOptions {
                access: Access::Output,
                ..OpenOptions::default()
            },
        )
    }

    pub fn open_with(&self, engine: &Engine, name: &str, options: OpenOptions) -> DataSet {
        let (data, index) = self.paths(name);
        engine
            .open(&data, &index, options)
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

/// The structural check must find nothing.
pub fn assert_sound(ds: &DataSet) {
    let found = ds.examine().unwrap();
    let shown: Vec<_> = found.findings.iter().take(5).collect();
    assert!(
        found.findings.is_empty(),
        "{} findings, first: {shown:#?}",
        found.findings.len()
    );
}

/// Key of 8 digits.
pub fn key(n: u64) -> Vec<u8> {
    format!("{n:08}").into_bytes()
}

/// A record of `len` bytes (at least 20): key, a number, filling, and the checksum of all that.
pub fn sealed(n: u64, value: u64, len: usize) -> Vec<u8> {
    let mut r = key(n);
    r.extend_from_slice(&value.to_be_bytes());
    r.resize(len - 4, b'a' + (value % 26) as u8);
    let sum = crc32c(&r);
    r.extend_from_slice(&sum.to_be_bytes());
    r
}

/// The number in a record made by [`sealed`]; fails if the record is not as it was written.
pub fn unsealed(record: &[u8]) -> u64 {
    let (body, sum) = record.split_at(record.len() - 4);
    assert_eq!(
        crc32c(body).to_be_bytes(),
        sum,
        "torn record {:?}",
        String::from_utf8_lossy(&record[..8])
    );
    u64::from_be_bytes(body[8..16].try_into().unwrap())
}

/// A random sequence (xorshift), the same each time.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// Names of the log files, without their tails.
pub fn log_files(world: &World) -> Vec<String> {
    let there = world.disk.list(&world.root.join("log")).unwrap();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let names = there.iter().map(|(path, _)| name(path));
    names.filter(|name| name.starts_with("log-")).collect()
}
