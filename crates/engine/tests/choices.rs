//! What a program may choose: when a load ends, whether it closes, and when a unit of recovery is durable.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Faults, Survival};
use cica_disk::{Counted, MemoryDisk};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::*;
use common::power::{cut, world};
use common::*;
use std::path::Path;
use std::sync::Arc;

#[test]
fn a_load_that_was_ended_is_a_loaded_data_set_in_the_same_open() {
    for organization in [
        Organization::Ksds,
        Organization::Vrrds,
        Organization::Esds,
        Organization::Rrds,
    ] {
        let (disk, world) = world();
        let engine = world.engine();
        world.create(&engine, "a", |data, _| {
            data.organization = organization;
            if organization != Organization::Ksds {
                data.key_length = 0;
            }
            if organization == Organization::Rrds {
                (data.average_record, data.maximum_record) = (60, 60);
            }
        });
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..50 {
            s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
        }
        assert!(matches!(
            s.point_first().and_then(|()| s.next(Intent::Read).map(drop)),
            Err(RequestError::Loading)
        ));
        ds.end_load().unwrap();
        assert!(!ds.loading());
        ds.end_load().unwrap();
        s.point_first().unwrap();
        assert_eq!(
            s.next(Intent::Read).unwrap().bytes,
            sealed(0, 0, 60),
            "{organization:?}"
        );
        // What was loaded is durable now, and what comes next is logged.
        s.insert(&sealed(900, 1, 60), Insert::Direct).unwrap();
        drop((s, ds));
        let left = cut(&disk);
        let ds = left.open(&left.engine(), "a");
        assert_sound(&ds);
        assert!(ds.statistics().0.records >= 50, "{organization:?}");
        let ds = world.open(&engine, "a");
        assert_eq!(ds.statistics().0.records, 51, "{organization:?}");
    }
}

#[test]
fn a_load_without_records_ends_as_an_empty_data_set_that_takes_them_in_any_order() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "a", |_, _| {});
    let ds = world.open(&engine, "a");
    ds.end_load().unwrap();
    insert(&mut ds.string(), 7, 1).unwrap();
    insert(&mut ds.string(), 3, 1).unwrap();
    ds.close().unwrap();
    assert_eq!(contents(&world.open(&engine, "a")).len(), 2);
}

#[test]
fn who_reads_does_not_end_a_load() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "a", |_, _| {});
    let ds = world.open(&engine, "a");
    let (data, index) = world.paths("a");
    let reader = engine.open(&data, &index, OpenOptions::default()).unwrap();
    assert_eq!(codes(reader.end_load()), (8, 68));
    assert!(ds.loading());
}

#[test]
fn a_drop_that_commits_nothing_is_counted_and_the_next_open_has_it_all() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    assert_eq!(engine.left_uncommitted(), 0, "closed");
    let ds = world.open(&engine, "a");
    drop(ds);
    assert_eq!(engine.left_uncommitted(), 0, "nothing was changed");
    let ds = world.open(&engine, "a");
    insert(&mut ds.string(), 5, 1).unwrap();
    let other = ds.clone();
    drop(ds);
    assert_eq!(engine.left_uncommitted(), 0, "another has it open");
    drop(other);
    assert_eq!(engine.left_uncommitted(), 1);
    let ds = world.open(&engine, "a");
    assert_eq!(contents(&ds).len(), 11);
    ds.close().unwrap();
    assert_eq!(engine.left_uncommitted(), 1);
}

#[test]
fn a_drop_that_closes_commits_and_one_that_fails_is_counted() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    world.create(&engine, "b", |_, _| {});
    for name in ["a", "b"] {
        let ds = world.open(&engine, name).closing_on_drop();
        ds.string().insert(&sealed(5, 1, 60), Insert::Sequential).unwrap();
    }
    assert_eq!(engine.left_uncommitted(), 0);
    assert_eq!(
        (count(&cut(&disk), "a"), count(&cut(&disk), "b")),
        (11, 1),
        "durable, a load too"
    );
    let ds = world.open(&engine, "a").closing_on_drop();
    insert(&mut ds.string(), 6, 1).unwrap();
    disk.set_faults(Faults::none().fail_from(Call::Sync, 1, Errno::Io));
    drop(ds);
    assert_eq!(engine.left_uncommitted(), 1);
}

/// Two data sets, and one unit after the other over both, each ended with `durability`.
fn units(world: &World, durability: Durability, units: u64) {
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    for n in 0..units {
        let unit = engine.unit();
        insert(&mut a.string_in(&unit), 1_000 + n, 1).unwrap();
        insert(&mut b.string_in(&unit), 1_000 + n, 1).unwrap();
        unit.commit_with(durability).unwrap();
        assert_eq!(unit.changes(), 0);
    }
    // One tree is committed, and the other is left to the log.
    a.close().unwrap();
    drop(b);
}

fn two_data_sets(world: &World) {
    let engine = world.engine();
    loaded(world, &engine, "a", 10);
    loaded(world, &engine, "b", 10);
}

fn both(world: &World) -> (usize, usize) {
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    (contents(&a).len(), contents(&b).len())
}

#[test]
fn a_unit_that_is_durable_later_costs_no_sync_and_one_that_is_durable_does() {
    for (durability, stands) in [
        (Durability::Close, 10),
        (Durability::Commit, 11),
        (Durability::Request, 11),
    ] {
        let (disk, world) = world();
        two_data_sets(&world);
        let engine = world.engine();
        let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
        // The first unit of an open has the log named in the roots, which is durable at once.
        let unit = engine.unit();
        insert(&mut a.string_in(&unit), 5, 1).unwrap();
        insert(&mut b.string_in(&unit), 5, 1).unwrap();
        unit.backout().unwrap();
        insert(&mut a.string_in(&unit), 6, 1).unwrap();
        insert(&mut b.string_in(&unit), 6, 1).unwrap();
        let events = disk.events();
        unit.commit_with(durability).unwrap();
        let trace = disk.trace();
        let syncs = trace.events()[events..]
            .iter()
            .filter(|event| !event.is_change())
            .count();
        assert_eq!(
            syncs == 0,
            durability == Durability::Close,
            "{durability:?}: {syncs} syncs"
        );
        assert_eq!(both(&cut(&disk)), (stands, stands), "{durability:?}");
        // Its records are free, and what is asked next is durable with it.
        update(&mut a.string(), 6, 2, 60).unwrap();
        a.commit().unwrap();
        assert_eq!(both(&cut(&disk)), (11, 11));
    }
}

/// U7: whatever the moment of the power cut and whatever survives it.
#[test]
fn after_a_power_cut_a_unit_that_was_to_be_durable_later_stands_in_both_data_sets_or_in_none() {
    let (disk, world) = world();
    two_data_sets(&world);
    let begin = disk.events();
    units(&world, Durability::Close, 3);
    let trace = disk.trace();
    let mut seen = std::collections::BTreeSet::new();
    for event in begin..=disk.events() {
        for survival in [Survival::Lost, Survival::Whole] {
            let image = trace.crash_after(event).image(|_, _| survival);
            let left = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
            let (a, b) = both(&left);
            assert_eq!(a, b, "event {event}, {survival:?}");
            seen.insert(a);
        }
    }
    assert!(seen.contains(&10) && seen.contains(&13), "{seen:?}");
}

#[test]
fn a_unit_that_was_to_be_durable_later_survives_its_process() {
    let (disk, world) = world();
    two_data_sets(&world);
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    let unit = engine.unit();
    insert(&mut a.string_in(&unit), 5, 1).unwrap();
    insert(&mut b.string_in(&unit), 5, 1).unwrap();
    unit.commit_with(Durability::Close).unwrap();
    let image = disk.image();
    let left = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
    assert_eq!(both(&left), (11, 11));
}

#[test]
fn a_unit_of_a_thousand_changes_commits_with_one_write_and_one_sync_and_one_durable_later_with_no_sync() {
    for (durability, writes, syncs) in [(Durability::Commit, 1, 1), (Durability::Close, 0, 0)] {
        let disk = Counted::new(MemoryDisk::new());
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        loaded(&world, &engine, "a", 10);
        let a = world.open(&engine, "a");
        let unit = engine.unit();
        // The first unit of an open has the log named in the root, with a write and a sync of its own.
        insert(&mut a.string_in(&unit), 999, 1).unwrap();
        unit.commit().unwrap();
        for n in 0..1_000 {
            insert(&mut a.string_in(&unit), 1_000 + n, 1).unwrap();
        }
        assert_eq!(unit.changes(), 1_000);
        let before = disk.counts();
        unit.commit_with(durability).unwrap();
        let cost = disk.counts() - before;
        assert_eq!((cost.writes, cost.syncs), (writes, syncs), "{durability:?}: {cost:?}");
        assert_eq!(contents(&a).len(), 1_011);
    }
}
