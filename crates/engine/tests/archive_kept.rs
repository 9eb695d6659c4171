//! The archive of LOG(ALL) beside what changes nothing or is in doubt, and a log that cannot be looked for.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, Open, SimDisk};
use cica_engine::*;
use common::hooked::{hooked, Hook};
use common::keyed::*;
use common::*;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;

fn all() -> OpenOptions {
    OpenOptions {
        access: Access::Output,
        durability: Durability::Close,
        log: Logging::All,
        ..OpenOptions::default()
    }
}

/// Lineage and origin of a data set that is closed.
fn of(world: &World, engine: &Engine, name: &str) -> (u64, u64) {
    let root = engine.peek(&world.paths(name).0).unwrap();
    assert_eq!(root.log.log, 0, "it is closed");
    (root.lineage(), root.log.origin)
}

/// Opens that are refused their only change, at a close and at an end of the log's epoch, leave the way from a copy whole.
#[test]
fn an_open_that_changes_nothing_does_not_break_the_archive() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    loaded(&world, &engine, "b", 50);
    let copy = of(&world, &engine, "a");
    let change = |n: u64| {
        let ds = world.open_with(&engine, "a", all());
        insert(&mut ds.string(), n, 1).unwrap();
        ds.close().unwrap();
    };
    change(5);
    for ends_epoch in [false, true] {
        let ds = world.open_with(&engine, "a", all());
        assert_eq!(codes(insert(&mut ds.string(), 5, 2)), (8, 8));
        if ends_epoch {
            engine.start_log_over_after(4 << 10);
            let other = world.open(&engine, "b");
            for n in 0..200 {
                insert(&mut other.string(), n * 10 + 5, n).unwrap();
                other.commit().unwrap();
            }
            other.close().unwrap();
        }
        ds.close().unwrap();
        let plan = engine.way_forward(copy, u64::MAX).unwrap();
        assert_eq!(plan.last_origin, of(&world, &engine, "a").1, "epoch: {ends_epoch}");
        change(if ends_epoch { 25 } else { 15 });
        let plan = engine.way_forward(copy, u64::MAX).unwrap();
        assert_eq!(plan.last_origin, of(&world, &engine, "a").1, "epoch: {ends_epoch}");
    }
}

/// The power goes before the log has the end of a unit that is in doubt: the archive has its changes all the same, and
/// then what is decided.
#[test]
fn a_unit_in_doubt_is_in_the_archive() {
    for commits in [true, false] {
        let disk = SimDisk::from(cica_disk::Image::with_directories(["/v", "/log"]));
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        loaded(&world, &engine, "a", 50);
        let copy = of(&world, &engine, "a");
        let before = disk.events();
        let ds = world.open_with(&engine, "a", all());
        let unit = engine.unit();
        insert(&mut ds.string_in(&unit), 7, 1).unwrap();
        unit.prepare("T1").unwrap();
        drop((ds, unit, engine));
        let trace = disk.trace();
        let mut point = trace.crash_after(before);
        let mut doubts = 0;
        while point.advance().is_some() {
            let image = point.image(|_, _| cica_disk::sim::Survival::Lost);
            let world = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
            let engine = world.engine();
            let ds = world.open_with(&engine, "a", all());
            if engine.in_doubt().unwrap().is_empty() {
                continue;
            }
            doubts += 1;
            if commits {
                engine.commit_prepared("T1").unwrap();
            } else {
                engine.back_out_prepared("T1").unwrap();
            }
            insert(&mut ds.string(), 9, 1).unwrap();
            ds.close().unwrap();
            let plan = engine.way_forward(copy, u64::MAX).unwrap();
            assert_eq!(plan.units_left_out, 0);
            assert_eq!(plan.last_origin, of(&world, &engine, "a").1);
        }
        assert!(doubts > 2, "{doubts}");
    }
}

/// Fails whatever is opened in the log's directory.
#[derive(Default)]
struct Locked(AtomicBool);

impl Hook for Locked {
    fn opening(&self, path: &Path, _: Open) -> io::Result<()> {
        if self.0.load(SeqCst) && path.parent() == Some(Path::new("/log")) && path.extension().is_none() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(())
    }
}

/// A log that cannot be read is not one that is not there.
#[test]
fn what_was_answered_waits_for_a_log_that_cannot_be_read() {
    let disk = MemoryDisk::default();
    let hook = Arc::new(Locked::default());
    let world = World::on(hooked(disk.clone(), hook.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let ds = world.open(&engine, "a");
    insert(&mut ds.string(), 5, 1).unwrap();
    disk.kill();
    drop((ds, engine));
    let engine = world.engine();
    hook.0.store(true, SeqCst);
    let (data, index) = world.paths("a");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let refused = engine.open(&data, &index, options);
    let words = refused.err().unwrap().to_string();
    assert!(words.contains("can be read") || words.contains("log"), "{words}");
    hook.0.store(false, SeqCst);
    let ds = world.open(&world.engine(), "a");
    assert_eq!(codes(insert(&mut ds.string(), 5, 1)), (8, 8), "it was answered");
}
