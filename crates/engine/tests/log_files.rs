//! Files of the log pool: none is lost to a crash, and none is taken for another of its name.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::{Disk, ManualClock, Open, SimDisk};
use cica_engine::*;
use cica_format::log::LogFileHeader;
use common::bytes::bytes_of;
use common::hooked::{hooked, Hook};
use common::keyed::*;
use common::names::Names;
use common::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn world_on(disk: &SimDisk) -> World {
    World::on(Arc::new(disk.clone()), Path::new("/"))
}

/// An engine of another time.
fn engine_at(world: &World, seconds: u64) -> Engine {
    Engine::new(Env {
        disk: world.disk.clone(),
        clock: Arc::new(ManualClock::new(seconds * 1_000_000_000, 1000)),
        log_dir: world.root.join("log"),
        pool_bytes: Some(world.pool_bytes),
        io: Default::default(),
        background: false,
    })
    .unwrap()
}

/// A process that dies in claiming a log, naming it, writing to it or giving it back leaves no file that nobody uses
/// again.
#[test]
fn no_log_file_is_lost_to_a_death() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let start = disk.image();
    let (mut deaths, mut empty) = (0, 0);
    // The first life of a file, and the second.
    for lives in 0..2 {
        let disk = SimDisk::from(start.clone());
        let world = world_on(&disk);
        let step = |world: &World, name: &str, n: u64| {
            let ds = world.open(&world.engine(), name);
            insert(&mut ds.string(), n, 1).unwrap();
            ds.commit().unwrap();
            ds
        };
        if lives == 1 {
            step(&world, "b", 5).close().unwrap();
        }
        let begun = disk.events();
        step(&world, "a", 5).close().unwrap();
        let trace = disk.trace();
        for events in begun..=trace.events().len() {
            let left = trace.crash_after(events).image(|_, _| cica_disk::sim::Survival::Whole);
            let world = world_on(&SimDisk::from(left));
            deaths += 1;
            let needed = world.engine().peek(&world.paths("a").0).unwrap().log.log != 0;
            empty += usize::from(!log_files(&world).is_empty() && !needed);
            // The one that died is opened again before or behind another.
            for name in if events % 2 == 0 { ["a", "b"] } else { ["b", "a"] } {
                step(&world, name, 15).close().unwrap();
            }
            let most = if events % 2 == 0 { 1 } else { 2 };
            assert!(
                log_files(&world).len() <= most,
                "after event {events}: {:?}",
                log_files(&world)
            );
            // Each of them is used again.
            let held: Vec<DataSet> = ["a", "b"].map(|name| step(&world, name, 25)).into();
            drop(held);
            assert!(
                log_files(&world).len() <= 2,
                "after event {events}: {:?}",
                log_files(&world)
            );
        }
    }
    assert!(deaths > 10 && empty > 2, "{deaths} {empty}");
}

/// The catalog's directory is made anew while a data set on a volume still needs the log that was in the old one.
#[test]
fn a_log_of_the_same_name_in_a_new_directory_is_another() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b"] {
        loaded(&world, &engine_at(&world, 1_700_000_000), name, 10);
    }
    let needs_its_log = |name: &str, seconds: u64| {
        let ds = world.open(&engine_at(&world, seconds), name);
        insert(&mut ds.string(), 5, 1).unwrap();
        ds.commit().unwrap();
        disk.kill();
        drop(ds);
        world.engine().peek(&world.paths(name).0).unwrap().log
    };
    let old = needs_its_log("a", 1_700_000_100);
    for name in log_files(&world) {
        world.disk.remove(&Path::new("/log").join(name)).unwrap();
    }
    let new = needs_its_log("b", 1_700_000_200);
    assert_eq!(old.path, new.path);
    assert_ne!(old.log, new.log);
    let (data, index) = world.paths("a");
    let error = world
        .engine()
        .open(&data, &index, OpenOptions::default())
        .err()
        .unwrap();
    let words = error.to_string();
    assert!(
        words.contains("log-0001") && words.contains("it is not in /log"),
        "{words}"
    );
    // And the other keeps what it has in the log.
    assert_eq!(contents(&world.open(&world.engine(), "b")).len(), 11);
}

/// Somebody moves the files of a data set that is to be recovered out of the way, and back again later.
#[test]
fn a_data_set_that_is_moved_by_hand_keeps_its_log() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let ds = world.open(&world.engine(), "a");
    insert(&mut ds.string(), 5, 1).unwrap();
    ds.commit().unwrap();
    disk.kill();
    drop(ds);
    let (data, _) = world.paths("a");
    let away = data.with_extension("away");
    disk.rename(&data, &away).unwrap();
    let b = world.open(&world.engine(), "b");
    insert(&mut b.string(), 5, 1).unwrap();
    b.commit().unwrap();
    assert_eq!(log_files(&world).len(), 2);
    disk.rename(&away, &data).unwrap();
    assert_eq!(contents(&world.open(&world.engine(), "a")).len(), 11);
}

/// Of two data sets of a dead owner one was just being closed: its last root is there and not durable. Then somebody
/// recovers the other, or takes the log because no root names it, and the power is cut.
#[test]
fn a_log_is_needed_until_the_last_root_is_durable() {
    needed_until_the_last_root_is_durable(false);
}

/// The same, and before that its files were moved by hand, and another data set made in their place.
#[test]
fn a_log_is_needed_until_the_last_root_of_what_was_moved_is_durable() {
    needed_until_the_last_root_is_durable(true);
}

/// Each component by its path, and where it is moved to.
fn moves(world: &World, name: &str) -> [(PathBuf, PathBuf); 2] {
    let (data, index) = world.paths(name);
    [data, index].map(|path| (path.clone(), PathBuf::from(format!("{}-away", path.display()))))
}

fn needed_until_the_last_root_is_durable(moved: bool) {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b", "c", "other"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let start = disk.image();
    let mut lost = 0;
    for (both, nth) in [true, false]
        .into_iter()
        .flat_map(|both| (1..40).map(move |nth| (both, nth)))
    {
        let disk = SimDisk::from(start.clone());
        let world = world_on(&disk);
        let engine = world.engine();
        let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
        for ds in [&a, &b] {
            insert(&mut ds.string(), 5, 1).unwrap();
            ds.commit().unwrap();
        }
        let a = if both {
            Some(a)
        } else {
            a.close().unwrap();
            None
        };
        // The process ends at some call of the close: it does nothing any more.
        disk.set_faults(Faults::none().fail_from(Call::Any, nth, Errno::Io));
        let closed = b.close();
        disk.kill();
        drop((a, engine));
        disk.set_faults(Faults::none());
        if closed.is_ok() {
            continue;
        }
        let world = world_on(&disk);
        if moved {
            for (path, away) in moves(&world, "b") {
                disk.rename(&path, &away).unwrap();
            }
            for ((other, _), (path, _)) in moves(&world, "other").into_iter().zip(moves(&world, "b")) {
                disk.rename(&other, &path).unwrap();
            }
        }
        for (n, name) in (31..).step_by(2).zip(if both { ["a", "c"] } else { ["c", "c"] }) {
            let ds = world.open(&world.engine(), name);
            insert(&mut ds.string(), n, 1).unwrap();
            ds.commit().unwrap();
            ds.close().unwrap();
        }
        let trace = disk.trace();
        let end = trace.crash_after(trace.events().len());
        lost += end.pending().len();
        // One write is lost alone, or reaches the disk alone.
        for (one, alone) in (0..end.pending().len()).flat_map(|one| [(one, Survival::Lost), (one, Survival::Whole)]) {
            let others = if alone == Survival::Lost {
                Survival::Whole
            } else {
                Survival::Lost
            };
            let fate = |at, event: &Event| match event {
                Event::Write { .. } if at == one => alone,
                Event::Write { .. } => others,
                _ => Survival::Whole,
            };
            let disk = SimDisk::from(end.image(fate));
            let world = world_on(&disk);
            if moved {
                for (path, away) in moves(&world, "b") {
                    disk.rename(&away, &path).unwrap();
                }
            }
            let records = contents(&world.open(&world.engine(), "b")).len();
            assert_eq!(records, 11, "call {nth} of the close, {both}: change {one} {alone:?}");
        }
    }
    assert!(lost > 20);
}

/// A process dies in its first change, while it makes a log file; another one uses that file, and the power is cut.
#[test]
fn a_log_file_that_a_dead_process_made_is_there_after_a_power_cut() {
    let (disk, world) = power::world();
    loaded(&world, &world.engine(), "a", 10);
    let start = disk.image();
    let mut made = 0;
    for nth in 1..20 {
        let disk = SimDisk::from(start.clone());
        let world = world_on(&disk);
        assert!(log_files(&world).is_empty());
        let ds = world.open(&world.engine(), "a");
        disk.set_faults(Faults::none().fail_from(Call::Any, nth, Errno::Io));
        let changed = insert(&mut ds.string(), 5, 1).and_then(|()| ds.commit());
        made += usize::from(changed.is_err() && disk.image().files().any(|path| path.starts_with("/log")));
        disk.kill();
        drop(ds);
        disk.set_faults(Faults::none());
        let ds = world.open(&world.engine(), "a");
        insert(&mut ds.string(), 15, 1).unwrap();
        ds.commit().unwrap();
        let after = power::cut(&disk);
        let found = numbers(&after.open(&after.engine(), "a"));
        assert!(found.contains(&15), "killed at call {nth}: {found:?}");
    }
    assert!(made > 2);
}

/// A group in the place of another is neither the end of the log nor its beginning.
#[test]
fn one_read_of_the_log_that_brings_another_place_loses_nothing() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    loaded(&world, &world.engine(), "a", 10);
    let ds = world.open(&world.engine(), "a");
    for n in 0..6 {
        insert(&mut ds.string(), 100 + n, 1).unwrap();
        ds.commit().unwrap();
    }
    disk.kill();
    drop(ds);
    let left = disk.image();
    let groups = 6;
    for (nth, block) in (1..=20).flat_map(|nth| (0..=groups).map(move |block| (nth, block))) {
        let disk = SimDisk::from(left.clone());
        disk.set_faults(Faults::none().misdirect_read(nth, block * 4096).only("/log/log-0001"));
        let world = world_on(&disk);
        let records = contents(&world.open(&world.engine(), "a")).len();
        assert_eq!(records, 16, "read {nth} of the log brought block {block}");
    }
}

/// A data set needs a log whose file has groups of an earlier life behind its own.
#[test]
fn one_read_that_brings_another_place_makes_no_log_free_that_is_needed() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let commits = |world: &World, name: &str, numbers: std::ops::Range<u64>| {
        let ds = world.open(&world.engine(), name);
        for n in numbers {
            insert(&mut ds.string(), n, 1).unwrap();
            ds.commit().unwrap();
        }
        ds
    };
    commits(&world, "b", 101..107).close().unwrap();
    let a = commits(&world, "a", 5..6);
    disk.kill();
    drop(a);
    let left = disk.image();
    for (nth, block) in (1..=8).flat_map(|nth| (0..=7).map(move |block| (nth, block))) {
        let disk = SimDisk::from(left.clone());
        disk.set_faults(Faults::none().misdirect_read(nth, block * 4096).only("/log/log-0001"));
        let world = world_on(&disk);
        drop(commits(&world, "b", 205..206));
        disk.set_faults(Faults::none());
        let records = contents(&world.open(&world.engine(), "a")).len();
        assert_eq!(records, 11, "read {nth} of the log brought block {block}");
    }
}

/// A file system that can only be read after an error: what it shows may be nowhere else, and a sync says nothing.
struct ReadOnly(PathBuf);

impl Hook for ReadOnly {
    fn opening(&self, path: &Path, how: Open) -> io::Result<()> {
        if how.write && path == self.0 {
            Err(io::Error::from_raw_os_error(Errno::ReadOnly.raw()))
        } else {
            Ok(())
        }
    }
}

#[test]
fn a_log_stays_while_its_data_set_can_only_be_read() {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let start = disk.image();
    let mut abandoned = 0;
    for nth in 1..40 {
        let disk = SimDisk::from(start.clone());
        let world = world_on(&disk);
        let ds = world.open(&world.engine(), "a");
        insert(&mut ds.string(), 5, 1).unwrap();
        ds.commit().unwrap();
        // The process ends at some call of the close.
        disk.set_faults(Faults::none().fail_from(Call::Any, nth, Errno::Io));
        let _ = ds.close();
        disk.kill();
        disk.set_faults(Faults::none());
        let (data, _) = world.paths("a");
        let header = LogFileHeader::decode(&bytes_of(&disk, Path::new("/log/log-0001"))[..4096]).unwrap();
        if header.log == 0 || world.engine().peek(&data).unwrap().log.log != 0 {
            continue;
        }
        abandoned += 1;
        let files = [PathBuf::new(), data].map(|read_only| {
            let disk = hooked(SimDisk::from(disk.image()), Arc::new(ReadOnly(read_only)));
            let world = World::on(disk, Path::new("/"));
            let engine = world.engine();
            // What a catalog says of a file that is not there says nothing of this one.
            engine.set_volumes(Arc::new(Names::default()));
            let b = world.open(&engine, "b");
            insert(&mut b.string(), 5, 1).unwrap();
            b.commit().unwrap();
            log_files(&world).len()
        });
        assert_eq!(files, [1, 2], "ended at call {nth} of the close");
    }
    assert!(abandoned > 1);
}
