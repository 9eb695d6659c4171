//! A control interval or an index record that cannot be read, beside what a request changes: the request is refused, or
//! done; all else goes on.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::MemoryDisk;
use cica_engine::*;
use cica_format::index::{BaseRba, IndexImage};
use common::bytes::{bytes_of, put};
use common::keyed::*;
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a CA.
const AREA: u64 = 6 * 512;
const BASE: BaseRba = BaseRba {
    ci_per_ca: 6,
    ci_size: 512,
    index_ci_size: 512,
};

fn world() -> (MemoryDisk, World) {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    (disk, world)
}

/// Numbers of the records of a CA, those of each CI together.
fn of_area(world: &World, area: u64) -> Vec<Vec<u64>> {
    let ds = world.open_with(&world.engine(), "a", OpenOptions::default());
    let (mut s, mut found) = (ds.string(), vec![Vec::new(); 6]);
    while let Ok(record) = s.next(Intent::Read) {
        if record.rba / AREA == area {
            let number = String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap();
            found[(record.rba % AREA / 512) as usize].push(number);
        }
    }
    found
}

/// Bytes of a file that are damaged, until [`mend`].
struct Damage(PathBuf, Vec<(u64, u8)>);

/// Damages every copy of these bytes.
fn damage(world: &World, path: PathBuf, bytes: &[u8]) -> Damage {
    let all = bytes_of(&*world.disk, &path);
    let at: Vec<usize> = (0..all.len() - bytes.len())
        .filter(|&at| all[at..].starts_with(bytes))
        .map(|at| at + bytes.len() / 2)
        .collect();
    assert!(!at.is_empty());
    for &at in &at {
        put(&*world.disk, &path, at as u64, &[!all[at]]);
    }
    Damage(path, at.into_iter().map(|at| (at as u64, all[at])).collect())
}

fn mend(world: &World, Damage(path, bytes): Damage) {
    for (at, byte) in bytes {
        put(&*world.disk, &path, at, &[byte]);
    }
}

/// The sequence-set record of a CA.
fn record_of(world: &World, area: u32) -> Vec<u8> {
    let (data, index) = world.paths("a");
    let stored = world.engine().stored(&data, &index).unwrap().index.unwrap();
    let mut found = Default::default();
    for ca in 0..stored.areas() {
        stored.area(ca, &mut found).unwrap();
        for (_, _, image) in found.control_intervals() {
            let record = IndexImage::of(image, BASE).unwrap();
            if record.level == 1 && record.ca == area {
                return image.to_vec();
            }
        }
    }
    panic!("no record of CA {area}")
}

#[test]
fn an_erase_stands_though_the_index_record_beside_its_area_cannot_be_read() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 300);
    let gone = of_area(&world, 2).concat();
    assert!(gone.len() > 6);
    let damaged = damage(&world, world.paths("a").1, &record_of(&world, 1));
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for &n in &gone {
        erase(&mut s, n).unwrap_or_else(|error| panic!("{n}: {error}"));
    }
    assert_eq!(
        codes(s.get(&key(gone[0]), Search::Equal, Intent::Read).map(drop)),
        (8, 16)
    );
    update(&mut s, 2_990, 7, 60).unwrap();
    assert_eq!(ds.statistics().0.ca_reclaims, 0);
    // The next process does it again, and comes to the same.
    disk.kill();
    std::mem::forget((s, ds));
    let ds = world.open(&world.engine(), "a");
    insert(&mut ds.string(), 2_991, 1).unwrap();
    ds.close().unwrap();
    mend(&world, damaged);
    let mut left: Vec<u64> = (0..300).map(|n| n * 10).filter(|n| !gone.contains(n)).collect();
    left.push(2_991);
    left.sort_unstable();
    let ds = world.open(&world.engine(), "a");
    assert_eq!(numbers(&ds), left);
    // The area serves again.
    insert(&mut ds.string(), gone[0], 1).unwrap();
    erase(&mut ds.string(), gone[0]).unwrap();
    assert_eq!(ds.statistics().0.ca_reclaims, 1);
    assert_eq!(numbers(&ds), left);
}

#[test]
fn an_area_with_an_interval_that_cannot_be_read_is_not_split_and_nothing_else_is_refused() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 300);
    let full = of_area(&world, 2);
    assert!(full.iter().all(|ci| ci.len() == full[0].len()), "{full:?}");
    let damaged = damage(&world, world.paths("a").0, &sealed(full[5][0], 0, 60));
    let ds = world.open(&engine, "a");
    let used = ds.high_used();
    let mut s = ds.string();
    for n in [full[0][0] + 1, full[1][3] + 1, full[0][0] + 1] {
        assert_eq!(codes(insert(&mut s, n, 1)), (12, 4), "{n}");
    }
    assert_eq!(ds.high_used(), used, "a CA was taken");
    // What does not need it goes on, in the same area too.
    for n in [full[0][0], full[3][1], full[4][2]] {
        update(&mut s, n, 5, 60).unwrap();
    }
    insert(&mut s, 1, 1).unwrap();
    drop(s);
    ds.close().unwrap();
    mend(&world, damaged);
    let ds = world.open(&engine, "a");
    let mut there: Vec<u64> = (0..300).map(|n| n * 10).chain([1]).collect();
    there.sort_unstable();
    assert_eq!(numbers(&ds), there);
    insert(&mut ds.string(), full[0][0] + 1, 1).unwrap();
    there.push(full[0][0] + 1);
    there.sort_unstable();
    assert_eq!(numbers(&ds), there);
}
