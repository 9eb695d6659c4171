//! What the close of one of several opens of a data set promises, and what the others can go on doing.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Faults};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::*;
use common::power::{cut, world};
use common::*;
use std::path::Path;

#[test]
fn beside_an_open_unit_a_close_makes_durable_what_is_not_of_the_unit() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let unit = engine.unit();
    let ds = world.open(&engine, "a");
    insert(&mut ds.string_in(&unit), 1, 1).unwrap();
    erase(&mut ds.string(), 90).unwrap();
    update(&mut ds.string(), 80, 7, 60).unwrap();
    assert_eq!(ds.close().unwrap(), CloseReport { closed: false });
    let left = cut(&disk);
    let found = contents(&left.open(&left.engine(), "a"));
    assert_eq!(found.len(), 9);
    assert_eq!(found.last(), Some(&sealed(80, 7, 60)));
}

#[test]
fn the_close_of_one_of_two_opens_is_durable() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let (ds, other) = (world.open(&engine, "a"), world.open(&engine, "a"));
    insert(&mut ds.string(), 5, 1).unwrap();
    assert!(!ds.close().unwrap().closed);
    assert_eq!(count(&cut(&disk), "a"), 11);
    insert(&mut other.string(), 6, 1).unwrap();
    assert!(other.close().unwrap().closed);
    assert_eq!(count(&cut(&disk), "a"), 12);
}

#[test]
fn a_load_is_durable_when_one_of_two_opens_is_closed_and_the_other_adds_to_it() {
    for organization in [Organization::Ksds, Organization::Esds] {
        let (disk, world) = world();
        let engine = world.engine();
        world.create(&engine, "a", |data, _| {
            data.organization = organization;
            if organization == Organization::Esds {
                data.key_length = 0;
            }
        });
        let open = || match organization {
            Organization::Ksds => world.open(&engine, "a"),
            _ => engine
                .open(
                    &world.paths("a").0,
                    Path::new(""),
                    OpenOptions {
                        access: Access::Output,
                        ..OpenOptions::default()
                    },
                )
                .unwrap(),
        };
        let count = |world: &World| {
            let index = match organization {
                Organization::Ksds => world.paths("a").1,
                _ => Default::default(),
            };
            let opened = world
                .engine()
                .open(&world.paths("a").0, &index, OpenOptions::default())
                .unwrap();
            assert_sound(&opened);
            opened.statistics().0.records
        };
        let (ds, other) = (open(), open());
        let mut s = ds.string();
        for n in 0..3 {
            s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
        }
        drop(s);
        assert!(!ds.close().unwrap().closed);
        assert_eq!(count(&cut(&disk)), 3, "{organization:?}");
        let mut s = other.string();
        for n in 3..9 {
            s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
        }
        drop(s);
        assert!(other.close().unwrap().closed);
        assert_eq!(count(&cut(&disk)), 9, "{organization:?}");
    }
}

#[test]
fn a_close_that_cannot_make_its_changes_durable_says_so_though_others_go_on() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let (ds, other) = (world.open(&engine, "a"), world.open(&engine, "a"));
    insert(&mut ds.string(), 5, 1).unwrap();
    disk.set_faults(Faults::none().fail_from(Call::Write, 1, Errno::Io));
    assert_eq!(codes(ds.close()), (12, 16));
    disk.set_faults(Faults::none());
    // The first is not counted any more: this one is the last, and lets go of the files.
    assert_eq!(codes(other.close()), (12, 16));
    // What was answered is in the log's tail.
    assert_eq!(contents(&world.open(&engine, "a")).len(), 11);
}

#[test]
fn the_close_of_one_for_input_writes_nothing() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let reader = world.open_with(&engine, "a", OpenOptions::default());
    insert(&mut ds.string(), 5, 1).unwrap();
    let before = disk.events();
    assert!(!reader.close().unwrap().closed);
    assert_eq!(disk.events(), before);
    ds.close().unwrap();
    assert_eq!(count(&cut(&disk), "a"), 11);
}
