//! Extents over several volumes: the table of `volumes.rs`, and what the root says of them.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

const CA: u64 = 6 * 512;

/// Volumes with so many bytes left for the component.
struct Left(Mutex<Vec<u64>>);

impl Volumes for Left {
    fn give(&self, _: &Path, volume: usize, _: u64, more: u64) -> Room {
        match self.0.lock().unwrap().get_mut(volume) {
            None => Room::NoVolume,
            Some(left) if *left < more => Room::Full(format!("volume {volume} has {left}")),
            Some(left) => {
                *left -= more;
                Room::Given
            }
        }
    }
    fn take_back(&self, _: &Path, _: usize, _: u64) {}
    fn absent(&self, _: &Path) -> Absent {
        Absent::Unknown
    }
}

/// An RRDS of 8 slots in a CI and 48 in a CA, with a primary extent of two CAs and further ones of one.
fn open_on(world: &World, left: &[u64]) -> (Engine, DataSet) {
    let engine = world.engine();
    engine.set_volumes(Arc::new(Left(Mutex::new(left.to_vec()))));
    world.create(&engine, "d", |data, _| {
        data.organization = Organization::Rrds;
        data.key_length = 0;
        (data.average_record, data.maximum_record) = (60, 60);
        (data.primary, data.secondary) = (2 * CA, CA);
    });
    let open = world.open(&engine, "d");
    (engine, open)
}

fn put(open: &DataSet, rrn: u32) -> Result<(), RequestError> {
    let record = sealed(rrn.into(), 1, 60);
    open.string().insert_at(rrn, &record, Insert::Direct)
}

/// Number of the last slot of so many CAs.
fn last_of(cas: u32) -> u32 {
    48 * cas
}

fn extents(world: &World, engine: &Engine) -> Vec<(u32, u64)> {
    let root = engine.peek(&world.paths("d").0).unwrap();
    let volumes = 1 + root.further_extents.len();
    (0..volumes).map(|n| root.on_volume(n)).collect()
}

#[test]
fn a_full_volume_is_followed_by_the_next_with_the_primary_amount() {
    let world = World::memory();
    // The first extent is there; two more fit the first volume, none the second, two the third.
    let (engine, open) = open_on(&world, &[2 * CA, CA, 3 * CA]);
    open.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    put(&open, last_of(7)).unwrap();
    let error = put(&open, last_of(8)).unwrap_err();
    assert_eq!((error.feedback().return_code, error.feedback().reason), (8, 28));
    assert!(error.to_string().contains("volume 2 has 0"), "{error}");
    open.close().unwrap();
    assert_eq!(extents(&world, &engine), [(3, 4 * CA), (0, 0), (2, 3 * CA)]);
    assert_sound(&world.open(&engine, "d"));
}

#[test]
fn a_request_that_needs_more_than_there_is_takes_nothing() {
    let world = World::memory();
    let (engine, open) = open_on(&world, &[4 * CA]);
    open.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    let before = open.high_used();
    assert!(put(&open, last_of(7)).is_err());
    assert_eq!(open.high_used(), before);
    open.close().unwrap();
    assert_eq!(extents(&world, &engine), [(1, 2 * CA)]);
}

#[test]
fn a_volume_has_123_extents_at_most() {
    let world = World::memory();
    let (engine, open) = open_on(&world, &[u64::MAX, 5 * CA]);
    open.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    // 2 and 122 CAs on the first, 2 and 3 on the second.
    put(&open, last_of(2 + 122 + 2 + 3)).unwrap();
    assert!(put(&open, last_of(2 + 122 + 2 + 4)).is_err());
    open.close().unwrap();
    assert_eq!(extents(&world, &engine), [(123, 124 * CA), (4, 5 * CA)]);
    // They are where they were when the data set is opened again, and go when it is emptied.
    let reset = OpenOptions {
        access: Access::Output,
        reset: true,
        ..OpenOptions::default()
    };
    world.open_with(&engine, "d", reset).close().unwrap();
    assert_eq!(extents(&world, &engine), [(1, 2 * CA)]);
}
