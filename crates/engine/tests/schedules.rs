//! Threads in orders that a scheduler chooses: at random, and by few changes of priority (PCT). Only compiled with
//! `RUSTFLAGS="--cfg cica_schedules"`, see `src/sync`; `checks/schedules.py` does that.
//!
//! `CICA_SCHEDULES` orders of each kind (100 without it), from seed `CICA_SEED` on. A failure prints its schedule.
#![cfg(cica_schedules)]
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::history::*;
use common::orders::explore;
use common::*;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// Threads that work on few records, one that commits if wanted, and what explains their answers.
fn history(organization: Organization, longest: u64, keys: u64, commits: u64, durability: Durability) {
    let world = World {
        pool_bytes: 1 << 20,
        ..World::memory()
    };
    let engine = world.engine();
    world.create(&engine, "d", |data, index| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        data.maximum_record = longest as u32;
        index.maximum_record = longest as u32;
        data.spanned = longest > 505;
    });
    let open = world.open(&engine, "d");
    let mut s = open.string();
    let mut first = BTreeMap::new();
    for n in (1..=keys).step_by(2) {
        let record = sealed(n, n, (longest as usize).min(120));
        match organization {
            Organization::Ksds => drop(s.insert(&record, Insert::Sequential).unwrap()),
            _ => s.insert_at(n as u32, &record, Insert::Skip).unwrap(),
        }
        first.insert(n, n);
    }
    drop(s);
    open.close().unwrap();
    let options = OpenOptions {
        access: Access::Output,
        durability,
        ..OpenOptions::default()
    };
    let ds = world.open_with(&engine, "d", options);
    let work = Work {
        organization,
        keys,
        requests: 8,
        longest,
        clock: Arc::new(AtomicU64::new(0)),
    };
    // The scheduler is the only source of chance: the requests are the same each time.
    let workers: Vec<_> = (0..3)
        .map(|thread| {
            let (ds, work) = (ds.clone(), work.clone());
            shuttle::thread::spawn(move || work.run(&ds, thread, 77 + 13 * thread))
        })
        .collect();
    let committer = {
        let ds = ds.clone();
        shuttle::thread::spawn(move || {
            for _ in 0..commits {
                ds.checkpoint().unwrap();
            }
        })
    };
    let events: Vec<Event> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    committer.join().unwrap();
    assert_sound(&ds);
    assert_linearizable(&first, events);
    ds.close().unwrap();
    assert_sound(&world.open(&engine, "d"));
}

#[test]
fn records_of_one_ci_and_its_splits() {
    explore(|| history(Organization::Ksds, 200, 5, 0, Durability::Close));
}

#[test]
fn records_while_trees_are_committed_and_slots_change() {
    explore(|| history(Organization::Ksds, 200, 5, 3, Durability::Close));
}

#[test]
fn spanned_records_are_replaced_while_others_read() {
    explore(|| history(Organization::Ksds, 1200, 4, 1, Durability::Close));
}

#[test]
fn slots_of_a_relative_data_set() {
    explore(|| history(Organization::Rrds, 60, 4, 1, Durability::Close));
}

#[test]
fn requests_share_the_log_and_its_syncs() {
    explore(|| history(Organization::Ksds, 100, 4, 1, Durability::Request));
}
