//! A process is killed, another one recovers what it left, and only then the power fails.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::{MemoryDisk, SimDisk};
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world_on(disk: impl cica_disk::Disk + 'static) -> World {
    World::on(Arc::new(disk), Path::new("/"))
}

/// A unit's group is in the log, and its owner was killed before the sync. Whatever a power cut in the recovery leaves,
/// both data sets have the unit, or neither has.
#[test]
fn a_unit_that_was_written_and_not_synced_is_whole_after_a_power_cut_in_its_recovery() {
    let (disk, world) = power::world();
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    // Both name the log already.
    let engine = world.engine();
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    let unit = engine.unit();
    let (mut s, mut t) = (a.string_in(&unit), b.string_in(&unit));
    insert(&mut s, 1, 1).unwrap();
    insert(&mut t, 1, 1).unwrap();
    unit.commit().unwrap();
    insert(&mut s, 2, 2).unwrap();
    insert(&mut t, 2, 2).unwrap();
    disk.set_faults(Faults::none().fail_from(Call::Sync, 1, Errno::Io));
    assert!(unit.commit().is_err());
    disk.kill();
    drop((s, t, unit, a, b, engine));
    disk.set_faults(Faults::none());
    let begun = disk.events();
    world.open(&world.engine(), "a").close().unwrap();
    let trace = disk.trace();
    let mut with = [0, 0];
    for cut in begun..=trace.events().len() {
        let point = trace.crash_after(cut);
        let pending = point.pending().len();
        for (one, alone) in (0..pending).flat_map(|one| [(one, Survival::Lost), (one, Survival::Whole)]) {
            let others = match alone {
                Survival::Lost => Survival::Whole,
                _ => Survival::Lost,
            };
            let fate = |at, event: &Event| match event {
                Event::Write { .. } if at == one => alone,
                Event::Write { .. } => others,
                _ => Survival::Whole,
            };
            let world = world_on(MemoryDisk::from(point.image(fate)));
            let [a, b] = ["a", "b"].map(|name| numbers(&world.open(&world.engine(), name)).contains(&2));
            assert_eq!(a, b, "cut after event {cut}, change {one} {alone:?}");
            with[usize::from(a)] += 1;
        }
    }
    assert!(with[0] > 0 && with[1] > 0, "{with:?}");
}

/// A change that was answered is in the tail of a new log alone, and its process was killed. Whatever a power cut in
/// the recovery leaves, names of files too, base and alternate indexes have the change, or none of them has.
#[test]
fn a_sphere_whose_change_was_in_the_tail_alone_agrees_after_a_power_cut_in_its_recovery() {
    let (before, world) = power::world();
    drop(sphere::ready(&world));
    assert_eq!(log_files(&world), [""; 0], "the log is not new");
    let disk = SimDisk::from(before.image());
    let world = world_on(disk.clone());
    let engine = world.engine();
    let ds = sphere::open(&world, &engine);
    let mut string = ds.string();
    string
        .insert(&sphere::record(1, "0001", "AAA"), Insert::Direct)
        .unwrap();
    disk.kill();
    drop((string, ds, engine));
    let begun = disk.events();
    sphere::open(&world, &world.engine()).close().unwrap();
    let trace = disk.trace();
    let mut with = [0, 0];
    for cut in begun..=trace.events().len() {
        let point = trace.crash_after(cut);
        for one in 0..point.pending().len() {
            for [of_one, of_others] in [[Survival::Lost, Survival::Whole], [Survival::Whole, Survival::Lost]] {
                let image = point.image(|at, _| if at == one { of_one } else { of_others });
                let world = world_on(MemoryDisk::from(image));
                let engine = world.engine();
                sphere::open(&world, &engine).close().unwrap();
                let records = sphere::assert_agree(&world, &engine).len();
                with[records - 1] += 1;
            }
        }
    }
    assert!(with[0] > 0 && with[1] > 0, "{with:?}");
}

/// A change that was answered and that nobody asked to be durable; then CLOSE, and the power is cut in the middle of
/// it. Base and alternate indexes have the change, or none of them has (sphere:S4).
#[test]
fn a_sphere_agrees_after_a_power_cut_in_its_close() {
    let (before, world) = power::world();
    drop(sphere::ready(&world));
    let disk = SimDisk::from(before.image());
    let world = world_on(disk.clone());
    let engine = world.engine();
    let ds = sphere::open(&world, &engine);
    ds.string()
        .insert(&sphere::record(1, "0001", "AAA"), Insert::Direct)
        .unwrap();
    let begun = disk.events();
    ds.close().unwrap();
    let trace = disk.trace();
    let mut with = [0, 0];
    for cut in begun..=trace.events().len() {
        for kept in [Survival::Lost, Survival::Whole] {
            let world = world_on(MemoryDisk::from(trace.crash_after(cut).image(|_, _| kept)));
            let engine = world.engine();
            sphere::open(&world, &engine).close().unwrap();
            let records = sphere::assert_agree(&world, &engine).len();
            with[records - 1] += 1;
        }
    }
    assert!(with[0] > 0 && with[1] > 0, "{with:?}");
}

/// Whatever sync of its CLOSE a process was killed at: what the next one reads is still there after a power cut.
#[test]
fn what_the_next_process_reads_of_a_killed_one_stays_after_a_power_cut() {
    for (first, access) in [(true, Access::Output), (false, Access::Output), (false, Access::Input)] {
        let mut shown = [0, 0];
        for sync in 0.. {
            let (disk, world) = power::world();
            loaded(&world, &world.engine(), "a", if first { 0 } else { 10 });
            let engine = world.engine();
            let a = world.open(&engine, "a");
            let order = if first { Insert::Sequential } else { Insert::Direct };
            a.string().insert(&sealed(5, 1, 60), order).unwrap();
            a.commit().unwrap();
            disk.set_faults(Faults::none().fail_from(Call::Sync, sync, Errno::Io));
            let closed = a.close().is_ok();
            disk.kill();
            drop(engine);
            disk.set_faults(Faults::none());
            let options = OpenOptions {
                access,
                ..OpenOptions::default()
            };
            let read = |world: &World| {
                let ds = world.open_with(&world.engine(), "a", options);
                let has = contents(&ds).len();
                ds.close().unwrap();
                has
            };
            let has = read(&world);
            assert_eq!(
                read(&power::cut(&disk)),
                has,
                "killed at sync {sync} of CLOSE, open for {access:?}"
            );
            shown[usize::from(has % 10 == 1)] += 1;
            if closed {
                break;
            }
        }
        assert!(shown[1] > 1, "{shown:?}");
    }
}

/// What a CLOSE that came to its end left costs the next open no sync.
#[test]
fn an_open_after_a_whole_close_syncs_nothing() {
    let (disk, world) = power::world();
    loaded(&world, &world.engine(), "a", 10);
    for access in [Access::Input, Access::Output] {
        let before = disk.events();
        let options = OpenOptions {
            access,
            ..OpenOptions::default()
        };
        let ds = world.open_with(&world.engine(), "a", options);
        assert_eq!(contents(&ds).len(), 10);
        ds.close().unwrap();
        let trace = disk.trace();
        let done = &trace.events()[before..];
        assert!(
            !done.iter().any(|event| matches!(event, Event::Sync { .. })),
            "{access:?}: {done:?}"
        );
    }
}
