//! Histories of many threads on the same records: an order of the requests must explain all answers, record by record.
//!
//! `CICA_HISTORIES` rounds of each kind (3 without it), from seed `CICA_SEED` on. There are more threads than
//! processors, so that some are stopped anywhere for long, and the pool is small, so that pages come and go.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Organization};
use common::history::*;
use common::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

const THREADS: u64 = 6;

fn number(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Rounds of a kind of data set; each with its own seed and mix of sizes.
fn rounds(organization: Organization, longest: u64, sphere: bool) {
    let (count, seed) = (number("CICA_HISTORIES", 3), number("CICA_SEED", 1));
    for seed in seed..seed + count {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let work = Work {
            organization,
            keys: [12, 60, 300][random.below(3) as usize],
            requests: number("CICA_REQUESTS", 1500),
            longest,
            clock: Arc::new(AtomicU64::new(0)),
        };
        eprintln!(
            "{organization:?} up to {longest} bytes, CICA_SEED={seed}, {} keys",
            work.keys
        );
        round(&work, sphere, seed, &mut random);
    }
}

fn round(work: &Work, sphere: bool, seed: u64, random: &mut Random) {
    let world = World {
        pool_bytes: 3 << 20,
        ..World::memory()
    };
    let engine = world.engine();
    let first = make(&world, &engine, work, sphere);
    let ds = open(&world, &engine, sphere);
    let done = AtomicBool::new(false);
    let commits = random.below(2) == 0;
    let events: Vec<Event> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let ds = ds.clone();
                scope.spawn(move || work.run(&ds, thread, seed << 8 | (thread + 1)))
            })
            .collect();
        let (checker, done) = (ds.clone(), &done);
        scope.spawn(move || {
            while commits && !done.load(Relaxed) {
                checker.checkpoint().unwrap();
                std::thread::yield_now();
            }
        });
        let ended: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, Relaxed);
        ended
            .into_iter()
            .flat_map(|events| events.expect("a worker failed"))
            .collect()
    });
    let mut events = events;
    let end = work.clock.load(Relaxed);
    assert_sound(&ds);
    let mut left: BTreeMap<u64, u64> = BTreeMap::new();
    let mut s = ds.string();
    s.point_first().unwrap_or_default();
    while let Ok(record) = s.next(Intent::Read) {
        let key: u64 = String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap();
        left.insert(key, unsealed(record.bytes));
    }
    drop(s);
    // What is there afterwards is an answer too.
    events.extend((1..=work.keys).map(|key| Event {
        key,
        begin: end,
        end: end + 1,
        answer: RequestAnswer::Got(left.get(&key).copied()),
    }));
    assert_linearizable(&first, events);
    ds.close().unwrap();
    if sphere {
        assert_agree(&world, &engine, &left);
    }
}

/// Defines the data set and loads some of its records; their values.
fn make(world: &World, engine: &Engine, work: &Work, sphere: bool) -> BTreeMap<u64, u64> {
    world.create(engine, "d", |data, index| {
        data.organization = work.organization;
        if work.organization != Organization::Ksds {
            data.key_length = 0;
        }
        data.maximum_record = work.longest as u32;
        index.maximum_record = work.longest as u32;
        if work.organization == Organization::Rrds {
            data.average_record = work.longest as u32;
        }
        data.spanned = work.longest > 505;
    });
    if sphere {
        world.create(engine, "n", |data, _| {
            (data.key_offset, data.key_length) = (5, 4);
            data.maximum_record = 4000;
            data.spanned = true;
            data.alternate = Some(Alternate {
                base: "T.D".into(),
                suppressed: None,
                chained: false,
                key_offset: 8,
                unique: false,
                upgrade: true,
                pointers: Pointers::Keys(8),
            });
        });
    }
    let open = world.open(engine, "d");
    let mut s = open.string();
    let mut first = BTreeMap::new();
    let len = if work.organization == Organization::Rrds {
        work.longest as usize
    } else {
        40
    };
    for n in (1..=work.keys).step_by(2) {
        match work.organization {
            Organization::Ksds => drop(s.insert(&sealed(n, n, len), Insert::Sequential).unwrap()),
            _ => s.insert_at(n as u32, &sealed(n, n, len), Insert::Skip).unwrap(),
        }
        first.insert(n, n);
    }
    drop(s);
    open.close().unwrap();
    if sphere {
        // All values so far are below 2^32, so their first four bytes are one alternate key.
        let mut entry = Vec::new();
        cica_format::aix::begin(&mut entry, Pointers::Keys(8), &[0; 4]);
        for n in first.keys() {
            cica_format::aix::add(&mut entry, &key(*n)).unwrap();
        }
        let open = world.open(engine, "n");
        open.string().insert(&entry, Insert::Sequential).unwrap();
        open.close().unwrap();
    }
    first
}

fn open(world: &World, engine: &Engine, sphere: bool) -> DataSet {
    if sphere {
        let files = |name| common::sphere::files(world, name);
        engine
            .open_sphere(&files("d"), &[files("n")], common::sphere::output())
            .unwrap()
    } else {
        world.open(engine, "d")
    }
}

/// The alternate index says of each record what the base says.
fn assert_agree(world: &World, engine: &Engine, left: &BTreeMap<u64, u64>) {
    let mut expected = common::sphere::Entries::new();
    for (n, value) in left {
        expected
            .entry(value.to_be_bytes()[..4].to_vec())
            .or_default()
            .push(key(*n));
    }
    let mut found = common::sphere::entries(world, engine, "n");
    found.values_mut().for_each(|pointers| pointers.sort());
    assert_eq!(found, expected);
}

#[test]
fn requests_to_a_ksds_are_linearizable() {
    rounds(Organization::Ksds, 300, false);
}

#[test]
fn requests_to_a_ksds_with_spanned_records_are_linearizable() {
    rounds(Organization::Ksds, 1500, false);
}

#[test]
fn requests_to_an_rrds_are_linearizable() {
    rounds(Organization::Rrds, 90, false);
}

#[test]
fn requests_to_a_vrrds_are_linearizable() {
    rounds(Organization::Vrrds, 300, false);
}

#[test]
fn requests_to_the_base_of_a_sphere_are_linearizable() {
    rounds(Organization::Ksds, 300, true);
}

#[test]
fn a_history_that_no_order_explains_is_found() {
    let event = |begin, end, answer| Event {
        key: 1,
        begin,
        end,
        answer,
    };
    let written = [
        event(0, 5, RequestAnswer::Inserted(7)),
        event(6, 9, RequestAnswer::Updated(7, 8)),
    ];
    let with = |more: &[Event]| explain(None, [&written[..], more].concat());
    assert!(with(&[
        event(1, 2, RequestAnswer::Got(None)),
        event(7, 8, RequestAnswer::Got(Some(7)))
    ])
    .is_ok());
    assert!(with(&[
        event(1, 2, RequestAnswer::Got(Some(7))),
        event(3, 4, RequestAnswer::Got(None))
    ])
    .is_err());
    assert!(
        with(&[event(10, 11, RequestAnswer::Got(Some(7)))]).is_err(),
        "a lost update"
    );
    assert!(
        with(&[event(7, 8, RequestAnswer::Updated(7, 9))]).is_err(),
        "two updates of one value"
    );
    assert!(
        with(&[event(1, 8, RequestAnswer::Got(Some(9)))]).is_err(),
        "a value nobody wrote"
    );
    assert!(with(&[event(6, 8, RequestAnswer::Inserted(9))]).is_err(), "two inserts");
    assert!(with(&[
        event(6, 8, RequestAnswer::Erased(7)),
        event(8, 9, RequestAnswer::Got(None))
    ])
    .is_err());
}
