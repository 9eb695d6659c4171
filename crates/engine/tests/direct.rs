//! Data CIs around the page cache: every request for them is aligned as direct I/O wants it, and all works as before.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, File, LinuxDisk, Open, ReadAt, WriteAt};
use cica_engine::*;
use common::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// Files of this machine; of those opened for direct I/O, how many requests could go so.
#[derive(Debug, Default)]
struct Watched {
    aligned: AtomicU64,
    other: AtomicU64,
}

#[derive(Debug)]
struct WatchedDisk(Arc<Watched>);

#[derive(Debug)]
struct WatchedFile {
    file: Box<dyn File>,
    watched: Option<Arc<Watched>>,
}

impl WatchedFile {
    fn note(&self, at: u64, buf: *const u8, len: usize) {
        if let Some(watched) = &self.watched {
            let aligned = (at | buf as u64 | len as u64) % 4096 == 0;
            let count = if aligned { &watched.aligned } else { &watched.other };
            count.fetch_add(1, Relaxed);
        }
    }
}

impl Disk for WatchedDisk {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        Ok(Box::new(WatchedFile {
            file: LinuxDisk::new().open(path, how)?,
            watched: how.direct.then(|| self.0.clone()),
        }))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        LinuxDisk::new().rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        LinuxDisk::new().remove(path)
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        LinuxDisk::new().list(directory)
    }
}

impl File for WatchedFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        batch.iter().for_each(|r| self.note(r.at, r.buf.as_ptr(), r.buf.len()));
        self.file.read(batch)
    }
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        batch.iter().for_each(|w| self.note(w.at, w.buf.as_ptr(), w.buf.len()));
        self.file.write(batch)
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        self.file.size(set)
    }
}

/// Load, updates, splits, moved regions and a scan; returns the requests (aligned, other) of files opened direct.
fn life(io: Io, ci_size: u32) -> (u64, u64) {
    let root = std::env::temp_dir().join(format!("cica-direct-{}-{io:?}-{ci_size}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    let watched = Arc::new(Watched::default());
    let mut world = World::on(Arc::new(WatchedDisk(watched.clone())), &root);
    world.pool_bytes = 4 << 20;
    let engine = world.engine();
    world.create(&engine, "a", |data, _| {
        (data.ci_size, data.ci_per_ca, data.primary) = (ci_size, 30, 32 << 20);
    });
    let options = OpenOptions {
        access: Access::Output,
        io,
        ..OpenOptions::default()
    };
    let records = 20_000;
    let ds = world.open_with(&engine, "a", options);
    let mut s = ds.string();
    for n in 0..records {
        s.insert(&sealed(n * 2, 0, 300), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open_with(&engine, "a", options);
    let (mut s, mut random, mut inserted) = (ds.string(), Random(3), 0);
    for _ in 0..6000 {
        let n = random.below(records);
        let value = unsealed(s.get(&key(n * 2), Search::Equal, Intent::Update).unwrap().bytes);
        s.update(&sealed(n * 2, value + 1, 300)).unwrap();
        inserted += s.insert(&sealed(n * 2 + 1, 0, 300), Insert::Direct).is_ok() as u64;
    }
    s.point_first().unwrap();
    let (mut seen, mut sum) = (0, 0);
    while let Ok(record) = s.next(Intent::Read) {
        (seen, sum) = (seen + 1, sum + unsealed(record.bytes));
    }
    assert_eq!((seen, sum), (records + inserted, 6000));
    assert_sound(&ds);
    drop(s);
    ds.close().unwrap();
    drop(engine);
    std::fs::remove_dir_all(&root).unwrap();
    (watched.aligned.load(Relaxed), watched.other.load(Relaxed))
}

#[test]
fn an_open_that_asks_for_it_reads_and_writes_all_data_cis_aligned() {
    let (aligned, other) = life(Io::Direct, 4096);
    // The others are roots, table blocks and CA headers.
    assert!(
        aligned > 4000 && aligned > 2 * other,
        "{aligned} aligned, {other} other requests"
    );
}

#[test]
fn cis_that_are_no_whole_pages_go_through_the_page_cache() {
    assert_eq!(life(Io::Direct, 2048), (0, 0));
}

#[test]
fn a_small_data_set_goes_through_the_page_cache_unless_asked() {
    assert_eq!(life(Io::Auto, 4096), (0, 0));
    assert_eq!(life(Io::Buffered, 4096), (0, 0));
}
