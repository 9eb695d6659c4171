//! What a close gives back to the file system, on a disk of this machine and as everybody has it: nothing is set.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, LinuxDisk, MemoryDisk, Open};
use cica_engine::*;
use common::bytes::bytes_of;
use common::*;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

const LENGTH: usize = 300;

/// Records that were loaded, with as many updates at random as there are and a fifth more records in between.
struct Grown {
    world: World,
    engine: Engine,
    records: u64,
    inserted: u64,
}

impl Grown {
    fn on(disk: Arc<dyn Disk>, root: &Path, (ci_size, ci_per_ca): (u32, u16)) -> Grown {
        let mut world = World::on(disk, root);
        world.pool_bytes = 64 << 20;
        let engine = world.engine();
        world.create(&engine, "a", |data, index| {
            (data.ci_size, data.ci_per_ca, index.ci_size) = (ci_size, ci_per_ca, 4096);
            (data.primary, data.secondary, index.primary) = (256 << 20, 64 << 20, 8 << 20);
        });
        let (records, inserted) = (100_000, 20_000);
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..records {
            s.insert(&sealed(n * 2, 0, LENGTH), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let grown = Grown {
            world,
            engine,
            records,
            inserted,
        };
        grown.change();
        grown
    }

    /// In two halves, with a commit of the tree behind the first.
    fn change(&self) {
        let ds = self.world.open(&self.engine, "a");
        let (mut s, mut random) = (ds.string(), Random(5));
        for half in 0..2 {
            for _ in 0..self.records / 2 {
                let n = random.below(self.records) * 2;
                let value = unsealed(s.get(&key(n), Search::Equal, Intent::Update).unwrap().bytes);
                s.update(&sealed(n, value + 1, LENGTH)).unwrap();
            }
            for n in 0..self.inserted / 2 {
                // Each odd number once, far from the one before.
                let n = (n * 2 + half) * 7919 % self.records * 2 + 1;
                s.insert(&sealed(n, 0, LENGTH), Insert::Direct).unwrap();
            }
            ds.checkpoint().unwrap();
        }
        // Behind a checkpoint nothing is left to be committed, and what is free is given back all the same.
        s.get(&key(0), Search::Equal, Intent::Update).unwrap();
        s.update(&sealed(0, 1_000_000, LENGTH)).unwrap();
        drop(s);
        ds.close().unwrap();
    }

    fn raw(&self) -> u64 {
        (self.records + self.inserted) * LENGTH as u64
    }

    /// Everything is there.
    fn assert_whole(&self) {
        let ds = self.world.open(&self.world.engine(), "a");
        let (mut s, mut seen, mut sum) = (ds.string(), 0, 0);
        s.point_first().unwrap();
        while let Ok(record) = s.next(Intent::Read) {
            (seen, sum) = (seen + 1, sum + unsealed(record.bytes));
        }
        let first = unsealed(s.get(&key(0), Search::Equal, Intent::Read).unwrap().bytes);
        assert_eq!((seen, first), (self.records + self.inserted, 1_000_000));
        assert!(sum > self.records / 2, "{sum}");
        assert_sound(&ds);
        drop(s);
        ds.close().unwrap();
    }
}

#[test]
fn files_are_hardly_larger_after_a_close_than_what_is_in_them() {
    // What DEFINE takes by itself, and CIs that are stored whole, whose slots lie one by one; tenths of the raw bytes.
    for (shape, tenths) in [((18_432, 45), 16), ((4096, 180), 20)] {
        let root = std::env::temp_dir().join(format!("cica-given-{}-{}", std::process::id(), shape.0));
        std::fs::create_dir_all(&root).unwrap();
        let grown = Grown::on(Arc::new(LinuxDisk::new()), &root, shape);
        let data = grown.world.paths("a").0;
        let how = Open {
            write: true,
            ..Open::default()
        };
        let has_holes = LinuxDisk::new().open(&data, how).unwrap().has_holes();
        let (stored, raw) = (std::fs::metadata(&data).unwrap().blocks() * 512, grown.raw());
        grown.assert_whole();
        std::fs::remove_dir_all(&root).unwrap();
        let most = raw * if has_holes { tenths } else { 26 } / 10;
        assert!(
            stored <= most,
            "CIs of {}: {stored} bytes for {raw}, holes: {has_holes}",
            shape.0
        );
    }
}

/// A disk without holes: the control areas lie together, and the file is cut.
#[test]
fn without_holes_the_file_is_as_long_as_what_is_in_it() {
    let grown = Grown::on(Arc::new(MemoryDisk::new()), Path::new("/"), (18_432, 45));
    let root = grown.engine.peek(&grown.world.paths("a").0).unwrap();
    assert!(root.region_count <= root.ca_count + root.ca_count / 4 + 1, "{root:?}");
    grown.assert_whole();
}

/// Whoever dies leaves what was free with its space. A later close gives that back, whoever left it.
#[test]
fn what_an_earlier_open_left_free_is_given_back_by_a_later_close() {
    let world = World::memory();
    let engine = world.engine();
    let areas = 12;
    let keep = |engine: &Engine, round: u64| {
        let ds = world.open(engine, "a");
        let mut s = ds.string();
        for n in 0..areas * 48 {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(n, round, 60)).unwrap();
        }
        drop(s);
        ds.close().unwrap();
    };
    world.create(&engine, "a", |data, index| {
        (data.primary, data.secondary, index.primary) = (64 << 20, 1 << 20, 4 << 20);
    });
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..areas * 48 {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    // Less than a close gives back by itself, so the regions that the CAs leave keep what was in them.
    keep(&engine, 1);
    let path = world.paths("a").0;
    let free = engine.peek(&path).unwrap().free_regions;
    assert!(!free.is_empty());
    let zeros = |bytes: &[u8]| bytes.chunks(512).filter(|s| s.iter().all(|&b| b == 0)).count();
    let before = zeros(&bytes_of(&*world.disk, &path));
    let engine = world.engine();
    engine.give_back_from(1);
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    s.get(&key(0), Search::Equal, Intent::Update).unwrap();
    s.update(&sealed(0, 2, 60)).unwrap();
    drop(s);
    ds.close().unwrap();
    let left = engine.peek(&path).unwrap();
    let after = zeros(&bytes_of(&*world.disk, &path));
    let (sectors, slots) = (after - before, left.free_regions.len() * 6);
    assert!(
        sectors * 10 >= slots * 9,
        "{sectors} sectors of {slots} that are free, {before} before"
    );
    assert_eq!(
        common::keyed::numbers(&world.open(&world.engine(), "a")),
        (0..areas * 48).collect::<Vec<_>>()
    );
}
