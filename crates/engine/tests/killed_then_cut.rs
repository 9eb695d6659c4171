//! A process is killed, another one recovers what it left, and only then the power fails.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::MemoryDisk;
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
