//! A process is killed, and one file of an earlier moment is put back before anybody opens what it left.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, SimDisk};
use cica_engine::*;
use common::bytes::{bytes_of, put};
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

/// Two data sets, a change of each that only the tail has, and the death of the process. `between` comes before
/// the next one.
fn changed_and_killed(between: impl Fn(&SimDisk, &World, &[u8])) -> (SimDisk, World) {
    let (disk, world) = power::world();
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let old = bytes_of(&disk, &world.paths("b").0);
    let engine = world.engine();
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    let (mut s, mut t) = (a.string(), b.string());
    insert(&mut s, 1, 1).unwrap();
    insert(&mut t, 1, 1).unwrap();
    disk.kill();
    drop((s, t, a, b, engine));
    between(&disk, &world, &old);
    (disk, world)
}

fn opened(world: &World, name: &str) -> Result<DataSet, OpenError> {
    let (data, index) = world.paths(name);
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    world.engine().open(&data, &index, options)
}

#[test]
fn what_was_answered_is_not_dropped_because_a_file_of_a_neighbour_is_older() {
    let (disk, world) = changed_and_killed(|disk, world, old| put(disk, &world.paths("b").0, 0, old));
    let new = bytes_of(&disk, &world.paths("a").0);
    let error = opened(&world, "a").map(drop).unwrap_err().to_string();
    assert!(
        error.contains("requests of") && error.contains("is from before them"),
        "{error}"
    );
    assert_eq!(bytes_of(&disk, &world.paths("a").0), new, "nothing is changed");
}

#[test]
fn without_that_both_have_what_was_answered() {
    let (_, world) = changed_and_killed(|_, _, _| ());
    for name in ["a", "b"] {
        assert!(numbers(&opened(&world, name).unwrap()).contains(&1), "{name}");
    }
}

/// A power cut may take the root that names the log, and leave the tail: that is no older file.
#[test]
fn behind_a_power_cut_the_data_sets_open_without_it() {
    let (disk, world) = changed_and_killed(|disk, world, old| put(disk, &world.paths("b").0, 0, old));
    drop(world);
    let world = World::on(Arc::new(MemoryDisk::from(disk.image())), Path::new("/"));
    for name in ["a", "b"] {
        assert!(!numbers(&opened(&world, name).unwrap()).contains(&1), "{name}");
    }
}

/// The log introduced the data set when that was older than the file that is put back; the tail says again which root
/// it had.
#[test]
fn a_file_of_between_two_epochs_is_older_too() {
    let (disk, world) = power::world();
    let engine = world.engine();
    engine.start_log_over_after(64 << 10);
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 10);
    }
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    for ds in [&a, &b] {
        insert(&mut ds.string(), 1, 1).unwrap();
        ds.commit().unwrap();
    }
    // All trees are committed, and the log starts over.
    let of_b = world.paths("b").0;
    for value in 2.. {
        update(&mut a.string(), 10, value, 60).unwrap();
        a.commit().unwrap();
        if engine.peek(&of_b).unwrap().log.log == 0 {
            break;
        }
    }
    let old = bytes_of(&disk, &of_b);
    let unit = engine.unit();
    let (mut s, mut t) = (a.string_in(&unit), b.string_in(&unit));
    insert(&mut s, 4, 4).unwrap();
    insert(&mut t, 4, 4).unwrap();
    unit.commit_with(Durability::Close).unwrap();
    disk.kill();
    drop((s, t, unit, a, b, engine));
    put(&disk, &of_b, 0, &old);
    let error = opened(&world, "a").map(drop).unwrap_err().to_string();
    assert!(error.contains("is from before them"), "{error}");
}
