//! Two strings of one owner, or of one unit of recovery, in two threads: nobody keeps them off each other's records.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;
use std::sync::Barrier;

const ROUNDS: u64 = 3000;
/// After so many updates of each the unit ends, one way and then the other.
const EACH: u64 = 100;

/// Both update one record of a base with alternate indexes, each to keys of its own.
fn update_one_record(in_unit: bool) {
    let world = World::memory();
    let engine = sphere::ready(&world);
    let ds = sphere::open(&world, &engine);
    let record = sphere::record(1, "0001", "AAA");
    ds.string().insert(&record, Insert::Direct).unwrap();
    let (owner, unit, both) = (engine.lock_owner("both"), engine.unit(), Barrier::new(2));
    let update = |who: u64| {
        let mut string = if in_unit { ds.string_in(&unit) } else { ds.string() };
        if !in_unit {
            string.owned_by(&owner);
        }
        for round in 0..ROUNDS {
            let unique = format!("{:04}", 2 + who * ROUNDS + round);
            let shared = format!("{}{:02}", ["B", "C"][who as usize], round % 100);
            string.get(&key(1), Search::Equal, Intent::Update).unwrap();
            string.update(&sphere::record(1, &unique, &shared)).unwrap();
            if in_unit && round % EACH == EACH - 1 {
                both.wait();
                match round / EACH % 2 {
                    _ if who == 1 => {}
                    0 => unit.commit().unwrap(),
                    _ => unit.backout().unwrap(),
                }
                both.wait();
            }
        }
    };
    std::thread::scope(|threads| {
        threads.spawn(|| update(0));
        threads.spawn(|| update(1));
    });
    drop(unit);
    ds.close().unwrap();
    // Each index has the keys that the record has, and no others.
    sphere::assert_agree(&world, &engine);
}

#[test]
fn strings_of_one_owner_leave_no_key_behind_in_an_alternate_index() {
    update_one_record(false);
}

#[test]
fn strings_of_one_unit_leave_no_key_behind_in_an_alternate_index() {
    update_one_record(true);
}
