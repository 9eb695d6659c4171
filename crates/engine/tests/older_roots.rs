//! A root from before the log began: a device lost what it had called durable, or somebody put an old copy back. The
//! requests between the two are nowhere, and the data set is refused (V4).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::SECTOR;
use cica_disk::SimDisk;
use cica_engine::salvage::Salvage;
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world_on(disk: &SimDisk) -> World {
    World::on(Arc::new(disk.clone()), Path::new("/"))
}

/// Puts a file back as it was on another disk.
fn put_back(disk: &SimDisk, path: &Path, from: &SimDisk) {
    let (there, old) = (disk.image().len(path).unwrap(), from.image().len(path).unwrap());
    let mut bytes = vec![0; there.max(old) as usize];
    from.image().read(path, 0, &mut bytes);
    for (n, sector) in bytes.chunks(SECTOR as usize).enumerate() {
        disk.overwrite(path, n as u64 * SECTOR, sector).unwrap();
    }
}

/// Record 5 is in the log when the first disk is taken; then the log starts over, and record 15 is in it.
fn of_two_epochs() -> (SimDisk, SimDisk) {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    let engine = world.engine();
    engine.start_log_over_after(128 << 10);
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    insert(&mut ds.string(), 5, 1).unwrap();
    ds.commit().unwrap();
    let old = SimDisk::from(disk.image());
    ds.checkpoint().unwrap();
    insert(&mut ds.string(), 15, 1).unwrap();
    ds.commit().unwrap();
    disk.kill();
    drop((ds, engine));
    let new = SimDisk::from(disk.image());
    (old, new)
}

#[test]
fn a_root_from_before_the_log_is_refused() {
    let (old, new) = of_two_epochs();
    // Each by itself is whole.
    for (disk, records) in [(&old, 11), (&new, 12)] {
        let disk = SimDisk::from(disk.image());
        let world = world_on(&disk);
        assert_eq!(contents(&world.open(&world.engine(), "a")).len(), records);
    }
    let world = world_on(&new);
    let (data, index) = world.paths("a");
    for path in [&data, &index] {
        put_back(&new, path, &old);
    }
    let report = Salvage::open(&new, &data, &index, None, None)
        .unwrap()
        .run::<()>(&mut |_| Ok(()));
    let notes = report.unwrap().notes.join("; ");
    assert!(notes.contains("what is between them is lost"), "{notes}");
    let before = new.image();
    let error = world
        .engine()
        .open(&data, &index, OpenOptions::default())
        .err()
        .unwrap();
    let words = error.to_string();
    assert!(words.contains("/v/a.data") && words.contains("old copy"), "{words}");
    for path in [&data, &index] {
        let read = |disk: &cica_disk::Image| {
            let mut bytes = vec![0; disk.len(path).unwrap() as usize];
            disk.read(path, 0, &mut bytes);
            bytes
        };
        assert_eq!(read(&new.image()), read(&before), "a refused data set is left as it is");
    }
}

/// A data set that nobody changes while the log starts over and over has an old root, and rightly.
#[test]
fn the_root_of_what_was_not_changed_may_be_old() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    let engine = world.engine();
    engine.start_log_over_after(10_000);
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 10);
    }
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    insert(&mut b.string(), 5, 1).unwrap();
    b.commit().unwrap();
    for n in 0..2_000 {
        insert(&mut a.string(), 1_000 + n, n).unwrap();
        a.commit().unwrap();
    }
    insert(&mut b.string(), 15, 1).unwrap();
    b.commit().unwrap();
    disk.kill();
    drop((a, b, engine));
    for (name, records) in [("b", 12), ("a", 2_010)] {
        assert_eq!(contents(&world.open(&world.engine(), name)).len(), records);
    }
}
