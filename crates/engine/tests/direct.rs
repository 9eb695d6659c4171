//! Data CIs around the page cache: every request for them is aligned as direct I/O wants it, and all works as before.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{LinuxDisk, ReadAt, WriteAt};
use cica_engine::*;
use common::hooked::{hooked, Hook, Hooked};
use common::*;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// Files of this machine; of those opened for direct I/O, how many requests could go so.
#[derive(Default)]
struct Watched {
    aligned: AtomicU64,
    other: AtomicU64,
}

impl Watched {
    fn note(&self, file: &Hooked, at: u64, buf: *const u8, len: usize) {
        if file.how.direct {
            let aligned = (at | buf as u64 | len as u64) % 4096 == 0;
            let count = if aligned { &self.aligned } else { &self.other };
            count.fetch_add(1, Relaxed);
        }
    }
}

impl Hook for Watched {
    fn read(&self, file: &Hooked, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        batch
            .iter()
            .for_each(|r| self.note(file, r.at, r.buf.as_ptr(), r.buf.len()));
        file.file.read(batch)
    }
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        batch
            .iter()
            .for_each(|w| self.note(file, w.at, w.buf.as_ptr(), w.buf.len()));
        file.file.write(batch)
    }
}

/// Load, updates, splits, moved regions and a scan; returns the requests (aligned, other) of files opened direct.
fn life(io: Io, ci_size: u32) -> (u64, u64) {
    let root = std::env::temp_dir().join(format!("cica-direct-{}-{io:?}-{ci_size}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    let watched = Arc::new(Watched::default());
    let mut world = World::on(hooked(LinuxDisk::new(), watched.clone()), &root);
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
    // Of 12,288 a CI has three sectors, and its image may be stored without some.
    for (ci_size, most) in [(4096, 4000), (12_288, 2000)] {
        let (aligned, other) = life(Io::Direct, ci_size);
        // The others are roots, table blocks and CA headers.
        assert!(
            aligned > most && aligned > 2 * other,
            "CIs of {ci_size}: {aligned} aligned, {other} other requests"
        );
    }
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
