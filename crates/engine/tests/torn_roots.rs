//! Two crashes, each in the middle of writing a data root: whatever sectors of the two writes are there afterwards, the
//! data set is what it was promised to be (R8).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Event, Survival, SECTOR};
use cica_disk::{Image, SimDisk};
use cica_engine::*;
use cica_format::root::{Part, Root};
use common::*;
use std::path::Path;
use std::sync::Arc;

const ACKNOWLEDGED: u64 = 4;

/// A write of a data root, which stood at event `event` of its trace, and the sectors that it changes.
struct RootWrite {
    event: usize,
    changed: Vec<usize>,
}

/// The writes of data roots from event `begun` on.
fn root_writes(disk: &SimDisk, begun: usize) -> Vec<RootWrite> {
    let trace = disk.trace();
    let mut found = Vec::new();
    for (event, what) in trace.events().iter().enumerate().skip(begun) {
        let Event::Write { at, bytes, .. } = what else { continue };
        if !is_data_root(bytes) {
            continue;
        }
        let before = trace.crash_after(event).image(|_, _| Survival::Whole);
        let mut there = vec![0; bytes.len()];
        before.read(Path::new("/v/a.data"), *at, &mut there);
        let sector = SECTOR as usize;
        let pairs = bytes.chunks(sector).zip(there.chunks(sector)).enumerate();
        let changed: Vec<usize> = pairs.filter(|(_, (new, old))| new != old).map(|(n, _)| n).collect();
        found.push(RootWrite { event, changed });
    }
    found
}

fn is_data_root(bytes: &[u8]) -> bool {
    Root::decode(bytes).is_ok_and(|root| root.part == Part::Data)
}

/// What the cut leaves when a root write is torn in each way, everything before it being there.
fn torn(disk: &SimDisk, write: &RootWrite) -> Vec<Image> {
    assert!(write.changed.len() < 8, "{:?}", write.changed);
    let trace = disk.trace();
    let point = trace.crash_after(write.event + 1);
    let last = point.pending().len() - 1;
    let ways = 0..1_u64 << write.changed.len();
    let left = |way: u64| {
        let bits = write.changed.iter().enumerate();
        let mask = bits.map(|(n, sector)| (way >> n & 1) << sector).sum();
        point.image(|n, _| {
            if n == last {
                Survival::Sectors(mask)
            } else {
                Survival::Whole
            }
        })
    };
    ways.map(left).collect()
}

/// A process that commits `ACKNOWLEDGED` records and then the tree.
fn first_process() -> (SimDisk, usize) {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "a", |_, _| {});
    let ds = world.open(&engine, "a");
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    for n in 1..=ACKNOWLEDGED {
        ds.string().insert(&sealed(n, n, 60), Insert::Direct).unwrap();
    }
    ds.commit().unwrap();
    let begun = disk.events();
    ds.checkpoint().unwrap();
    std::mem::forget(ds);
    (disk, begun)
}

/// Opens what a cut left, as a process would that finds it. The disk it was done on.
fn next_process(image: Image, what: &str) -> SimDisk {
    let disk = SimDisk::from(image);
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let (data, index) = world.paths("a");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let ds = world.engine().open(&data, &index, options);
    let ds = ds.unwrap_or_else(|error| panic!("{what}: {error}"));
    for n in 0..=ACKNOWLEDGED {
        let there = ds.string().get(&key(n), Search::Equal, Intent::Read).is_ok();
        assert!(there, "{what}: record {n} is gone");
    }
    assert_sound(&ds);
    std::mem::forget(ds);
    disk
}

#[test]
fn no_two_torn_roots_make_one_whose_tree_is_gone() {
    let (disk, begun) = first_process();
    let mut images = 0;
    for first in root_writes(&disk, begun) {
        for (way, left) in torn(&disk, &first).into_iter().enumerate() {
            let first_cut = format!("root at event {} torn in way {way}", first.event);
            let recovery = next_process(left, &first_cut);
            for second in root_writes(&recovery, 0) {
                for (way, left) in torn(&recovery, &second).into_iter().enumerate() {
                    let what = format!("{first_cut}, then that at event {} in way {way}", second.event);
                    next_process(left, &what);
                    images += 1;
                }
            }
        }
    }
    assert!(images > 50, "only {images} images");
}
