//! The archive of LOG(ALL): what is in it after closes, kills and power cuts, and what a copy becomes by it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{CrashPoint, Survival};
use cica_disk::{Image, MemoryDisk, SimDisk};
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

const ALL: OpenOptions = OpenOptions {
    access: Access::Output,
    reset: false,
    reset_anyway: false,
    alone: false,
    durability: Durability::Close,
    io: Io::Auto,
    log: Logging::All,
};

fn world() -> (MemoryDisk, World) {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    (disk, world)
}

/// Copies the files of a closed data set to another name; its lineage and origin.
fn copy(world: &World, engine: &Engine, from: &str, to: &str) -> (u64, u64) {
    let (from, to) = (world.paths(from), world.paths(to));
    let root = engine.peek(&from.0).unwrap();
    assert_eq!(root.log.log, 0, "it is closed");
    let stored = engine.stored(&from.0, &from.1).unwrap();
    let mut made = Vec::new();
    for (part, path) in [(&stored.data, &to.0), (stored.index.as_ref().unwrap(), &to.1)] {
        let attributes = part.root().attributes.clone();
        let mut rebuild = engine.rebuild(path, part.root(), attributes).unwrap();
        let mut area = StoredArea::default();
        for ca in 0..part.areas() {
            part.area(ca, &mut area).unwrap();
            let header = area.header.as_ref().unwrap();
            rebuild.area(ca, header.flags, header.next_free).unwrap();
            for (number, flags, image) in area.control_intervals() {
                rebuild.control_interval(number, flags, image).unwrap();
            }
        }
        made.push(rebuild);
    }
    let index = made.pop();
    engine.complete_rebuild(made.pop().unwrap(), index).unwrap();
    (root.lineage(), root.log.origin)
}

/// A copy brought forward: its records.
fn forward(world: &World, engine: &Engine, name: &str, of: (u64, u64), until: u64) -> Vec<Vec<u8>> {
    let plan = engine.way_forward(of, until).unwrap();
    let (data, index) = world.paths(name);
    engine.bring_forward(&data, &index, &plan, |_| {}).unwrap();
    contents(&world.open(engine, name))
}

#[test]
fn a_copy_and_the_archive_make_the_data_set() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let of = copy(&world, &engine, "a", "c");
    let ds = world.open_with(&engine, "a", ALL);
    let mut s = ds.string();
    for n in 0..200 {
        insert(&mut s, n * 10 + 5, n).unwrap();
    }
    ds.close().unwrap();
    // A unit that is backed out, one that commits, and one that is open when the process dies.
    let ds = world.open_with(&engine, "a", ALL);
    let unit = engine.unit();
    let mut t = ds.string_in(&unit);
    insert(&mut t, 7, 1).unwrap();
    erase(&mut t, 15).unwrap();
    unit.backout().unwrap();
    update(&mut t, 20, 2, 90).unwrap();
    erase(&mut t, 30).unwrap();
    unit.commit().unwrap();
    insert(&mut t, 8, 1).unwrap();
    erase(&mut t, 40).unwrap();
    insert(&mut ds.string(), 9, 9).unwrap();
    disk.kill();
    drop((s, t, unit, ds, engine));
    let engine = world.engine();
    let ds = world.open_with(&engine, "a", ALL);
    let kept = contents(&ds);
    assert!(kept.iter().any(|r| r.starts_with(b"00000009")));
    insert(&mut ds.string(), 11, 1).unwrap();
    let kept = contents(&ds);
    ds.close().unwrap();
    assert_eq!(forward(&world, &engine, "c", of, u64::MAX), kept);
}

/// What is done to the data set while the power may go: short epochs, units that stay open over them, several opens.
fn work(world: &World) {
    let engine = world.engine();
    engine.start_log_over_after(24 << 10);
    for open in 0..3 {
        let ds = world.open_with(&engine, "a", ALL);
        let other = world.open(&engine, "b");
        let (unit, long) = (engine.unit(), engine.unit());
        let (mut s, mut t, mut plain) = (ds.string_in(&unit), ds.string_in(&long), ds.string());
        for n in 0..40 {
            let at = open * 1000 + n * 10;
            match n % 8 {
                0 => update(&mut t, n / 8 * 10, at, 60).unwrap(),
                1 => drop(erase(&mut plain, at - 10)),
                2 => unit.commit().unwrap(),
                3 => unit.backout().unwrap(),
                5 => insert(&mut plain, at + 3, at).unwrap(),
                6 => insert(&mut other.string(), at + 4, at).unwrap(),
                _ => insert(&mut s, at + 2, at).unwrap(),
            }
            if n == 20 {
                long.commit().unwrap();
            }
            if n % 16 == 7 {
                ds.commit().unwrap();
            }
            if n == 30 {
                ds.checkpoint().unwrap();
            }
        }
        match open {
            0 => long.backout().unwrap(),
            _ => long.commit().unwrap(),
        }
        unit.backout().unwrap();
        drop((s, t, plain, unit, long));
        if open < 2 {
            ds.close().unwrap();
        } else {
            drop(ds);
        }
        other.close().unwrap();
    }
}

fn prepared() -> (SimDisk, World, (u64, u64)) {
    let (disk, world) = power::world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 30);
    loaded(&world, &engine, "b", 3);
    let of = copy(&world, &engine, "a", "c");
    (disk, world, of)
}

/// What the data set has after recovery, and what the copy becomes by the archive.
fn check(image: Image, of: (u64, u64), what: &str) {
    let left = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
    let engine = left.engine();
    let ds = left.open_with(&engine, "a", ALL);
    let kept = contents(&ds);
    ds.close().unwrap();
    // No open has changed it, so there is nothing to archive.
    let changed_by = engine.peek(&left.paths("a").0).unwrap().log.origin;
    if changed_by != of.1 {
        let plan = engine
            .way_forward(of, u64::MAX)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(plan.last_origin, changed_by, "{what}");
        let (data, index) = left.paths("c");
        let done = engine.bring_forward(&data, &index, &plan, |_| {});
        done.unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    let made = contents(&left.open(&engine, "c"));
    assert!(
        made == kept,
        "{what}: {} records, and {} by the archive",
        kept.len(),
        made.len()
    );
}

fn some(point: &CrashPoint<'_>, random: &mut Random) -> Image {
    point.image(|_, _| match random.below(3) {
        0 => Survival::Lost,
        1 => Survival::Whole,
        _ => Survival::Sectors(random.next()),
    })
}

#[test]
fn after_any_crash_a_copy_and_the_archive_make_the_data_set() {
    let (disk, world, of) = prepared();
    let begin = disk.events();
    work(&world);
    let trace = disk.trace();
    let mut random = Random(0x5eed);
    let mut point = trace.crash_after(begin);
    let mut cuts = 0;
    loop {
        let at = point.position();
        // The process is killed; the power goes, and nothing, or something, that was not synced is there.
        check(point.image(|_, _| Survival::Whole), of, &format!("killed at {at}"));
        check(point.image(|_, _| Survival::Lost), of, &format!("cut at {at}"));
        check(some(&point, &mut random), of, &format!("cut in part at {at}"));
        cuts += 3;
        if point.advance().is_none() {
            break;
        }
    }
    assert!(cuts > 500, "{cuts}");
}
