//! One data set of a process fails; what its log, and the other data sets on it, do then.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::sim::{Event, Survival};
use cica_disk::{Disk, Image, MemoryDisk, SimDisk};
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world() -> (SimDisk, World, Engine) {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    let engine = world.engine();
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 100);
    }
    (disk, world, engine)
}

/// Log files there are.
fn logs(world: &World) -> usize {
    let files = world.disk.list(&world.root.join("log")).unwrap();
    files
        .iter()
        .filter(|(name, _)| name.to_string_lossy().starts_with("log-"))
        .count()
}

/// The log of a fenced data set is left to its next open, once: the others go on with one more, and that starts over.
#[test]
fn a_fenced_data_set_costs_the_others_one_log() {
    let (disk, world, engine) = world();
    engine.start_log_over_after(8 << 10);
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    update(&mut a.string(), 10, 1, 300).unwrap();
    update(&mut b.string(), 10, 1, 300).unwrap();
    a.commit().unwrap();
    let acknowledged = contents(&a);
    disk.set_faults(
        Faults::none()
            .fail_from(Call::Write, 1, Errno::Io)
            .only(world.paths("a").0),
    );
    assert_eq!(codes(a.checkpoint()), (12, 16));
    disk.set_faults(Faults::none());
    for round in 0..400 {
        update(&mut b.string(), 10 * (round % 100), round, 300).unwrap();
        if round % 10 == 0 {
            b.commit().unwrap();
        }
    }
    assert_eq!(logs(&world), 2);
    let changed = contents(&b);
    drop(a);
    b.close().unwrap();
    let a = world.open(&engine, "a");
    assert_eq!(contents(&a), acknowledged);
    a.close().unwrap();
    assert_eq!(contents(&world.open(&engine, "b")), changed);
    assert_eq!(logs(&world), 2);
}

/// The write that makes the log too long fails, as that of somebody else's commit.
#[test]
fn a_log_that_failed_is_let_go_at_the_end_of_its_epoch() {
    let (disk, world, engine) = world();
    engine.start_log_over_after(8 << 10);
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    let (mut s, mut t) = (a.string(), b.string());
    update(&mut s, 10, 1, 300).unwrap();
    b.commit().unwrap();
    for round in 0..40 {
        update(&mut t, 10 * (round % 100), round, 300).unwrap();
    }
    disk.set_faults(
        Faults::none()
            .fail_from(Call::Write, 1, Errno::Io)
            .only(world.root.join("log/log-0001")),
    );
    assert_eq!(codes(b.commit()), (12, 16));
    disk.set_faults(Faults::none());
    update(&mut s, 20, 2, 300).unwrap();
    let image = SimDisk::from(disk.image());
    let after = World::on(Arc::new(image), Path::new("/"));
    assert_eq!(contents(&after.open(&after.engine(), "a")), contents(&a));
}

/// A log was named early, and is let go because of a neighbour: the root says so, not durably. Where the next log is
/// named early, the other copy of the root is written over, and the power is cut.
#[test]
fn the_name_of_a_log_that_was_let_go_is_durable_before_the_next_one_is_written_over_the_other_copy() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    for name in ["a", "b", "c"] {
        loaded(&world, &world.engine(), name, 20);
    }
    let engine = world.engine();
    engine.start_log_over_after(8 << 10);
    let [a, b, c] = ["a", "b", "c"].map(|name| world.open(&engine, name));
    let before = contents(&a);
    // Named early for a change that is refused.
    assert_eq!(codes(insert(&mut a.string(), 10, 1)), (8, 8));
    update(&mut b.string(), 10, 1, 300).unwrap();
    b.commit().unwrap();
    let of_b = Faults::none()
        .fail_from(Call::Write, 1, Errno::Io)
        .only(world.paths("b").0);
    disk.set_faults(of_b);
    assert_eq!(codes(b.checkpoint()), (12, 16));
    disk.set_faults(Faults::none());
    let mut rounds = 0;
    while logs(&world) < 2 {
        update(&mut c.string(), 10 * (rounds % 20), rounds, 300).unwrap();
        c.commit().unwrap();
        rounds += 1;
        assert!(rounds < 200, "the log is let go at the end of its epoch");
    }
    let begun = disk.events();
    assert_eq!(codes(insert(&mut a.string(), 10, 1)), (8, 8));
    let trace = disk.trace();
    let named = disk.events();
    let is_root = |event: &Event| matches!(event, Event::Write { bytes, .. } if bytes.starts_with(b"CICAROOT"));
    assert!(
        trace.events()[begun..named].iter().any(is_root),
        "the next log is named"
    );
    for at in begun..=named {
        let point = trace.crash_after(at);
        let roots = point.pending().enumerate().filter(|(_, event)| is_root(event));
        let newest = roots.last().map(|(i, _)| i);
        for torn in [Survival::Lost, Survival::First(1), Survival::Whole] {
            let left = point.image(|i, _| if Some(i) == newest { torn } else { Survival::Lost });
            let after = World::on(Arc::new(MemoryDisk::from(left)), Path::new("/"));
            assert_eq!(
                contents(&after.open(&after.engine(), "a")),
                before,
                "after call {at}, {torn:?}"
            );
        }
    }
}

/// Killed with all of its data sets open, which are deleted then: nobody will ever ask for its log again.
#[test]
fn the_log_of_data_sets_that_were_deleted_is_used_again() {
    let (_, world, engine) = world();
    let mut engine = engine;
    for _ in 0..3 {
        for name in ["a", "b"] {
            update(&mut world.open(&engine, name).string(), 10, 1, 300).unwrap();
        }
        let open = ["a", "b"].map(|name| world.open(&engine, name));
        for ds in &open {
            update(&mut ds.string(), 20, 1, 300).unwrap();
            ds.commit().unwrap();
        }
        drop(open);
        drop(engine);
        engine = world.engine();
        for name in ["a", "b"] {
            let (data, index) = world.paths(name);
            engine.destroy(&data, &index, false).unwrap();
            loaded(&world, &engine, name, 100);
        }
    }
    update(&mut world.open(&engine, "a").string(), 10, 1, 300).unwrap();
    // Two: each of the data sets that were dropped with a change kept the log that it was in.
    assert_eq!(logs(&world), 2);
}
