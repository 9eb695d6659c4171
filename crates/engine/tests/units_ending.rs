//! A unit of recovery is open until the log holds its end (U1): what others may do is asked in the very moment in which
//! the log is written.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::keyed::*;
use common::stopping::Stopping;
use common::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Ends a unit that inserted record 5; what another owner is answered who inserts it when the log is written.
fn asked_at_the_end(end: impl FnOnce(&UnitOfRecovery)) -> (u8, u8) {
    let disk = Stopping::at("/log");
    let world = World::on(disk.disk(), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let unit = engine.unit();
    insert(&mut ds.string_in(&unit), 5, 1).unwrap();
    // The log has a file, and all there is to be written is the unit's end.
    ds.commit().unwrap();
    let answer = Arc::new(Mutex::new(None));
    let (other, answered) = (Arc::new(ds), answer.clone());
    let ds = other.clone();
    disk.stop(move || {
        let inserted = insert(&mut other.string(), 5, 2);
        *answered.lock().unwrap() = Some(inserted.map_or_else(|error| codes(Err::<(), _>(error)), |()| (0, 0)));
    });
    end(&unit);
    assert!(disk.has_stopped(), "the log was written");
    drop((unit, ds));
    let answer = answer.lock().unwrap().take();
    answer.unwrap()
}

#[test]
fn a_unit_keeps_its_records_until_the_log_has_its_commit() {
    assert_eq!(asked_at_the_end(|unit| unit.commit().unwrap()), (8, 20));
}

/// Were the record free before, its tree could be committed with what the other owner made of it, and the next open
/// would take the unit back in that.
#[test]
fn a_unit_keeps_its_records_until_the_log_has_its_backout() {
    assert_eq!(asked_at_the_end(|unit| unit.backout().unwrap()), (8, 20));
}
