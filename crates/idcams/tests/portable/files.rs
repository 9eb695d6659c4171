//! What these tests have in common: a data set that has seen some life, and files for copies.

use crate::world::World;
use cica_engine::{Access, Insert, Intent, Search};
use cica_qsam::DdText;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory for copies, gone with the test.
pub struct Files(PathBuf);

impl Files {
    pub fn new() -> Files {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("cica-portable-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        Files(directory)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Makes a DD stand for the file of its name.
    pub fn dd(&self, world: &mut World, ddname: &str) {
        let text = self.path(ddname).display().to_string();
        world.services.dd.insert(ddname, DdText::parse(&text).unwrap());
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A small data set whose CIs have split, with gaps where records were erased.
pub const SMALL: &str = "DEF CL (NAME(PAY.SMALL) TRK(1 1) KEYS(11 0) RECSZ(60 90) CISZ(512) FSPC(20 10))";

/// Fills it.
pub fn live(world: &World, name: &str, count: usize) {
    let record = |n: usize, length: usize| format!("{n:011}{:length$}", "").into_bytes();
    let data_set = world.open(name, Access::Output);
    let mut string = data_set.string();
    for n in 0..count {
        string.insert(&record(4 * n, 49), Insert::Sequential).unwrap();
    }
    drop(string);
    data_set.close().unwrap();
    let data_set = world.open(name, Access::Output);
    let mut string = data_set.string();
    for n in 0..count / 2 {
        string.insert(&record(4 * n + 1, 70), Insert::Direct).unwrap();
    }
    for n in (0..count).step_by(5) {
        let key = format!("{:011}", 4 * n);
        string.get(key.as_bytes(), Search::Equal, Intent::Update).unwrap();
        string.erase().unwrap();
    }
    drop(string);
    data_set.close().unwrap();
}

/// All records of a data set in key order.
pub fn records(world: &World, name: &str) -> Vec<Vec<u8>> {
    let data_set = world.open(name, Access::Input);
    let mut string = data_set.string();
    let mut records = Vec::new();
    while let Ok(record) = string.next(Intent::Read) {
        records.push(record.bytes.to_vec());
    }
    drop(string);
    data_set.close().unwrap();
    records
}

/// Names of the files on the default volume.
pub fn on_volume(world: &World) -> Vec<String> {
    world.files("/cat/volumes/CICA01")
}

/// Files that wait to be removed.
pub fn leftovers(world: &World) -> usize {
    world.services.catalog.contents().unwrap().leftovers().count()
}
