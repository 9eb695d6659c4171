//! A search of a data set of numbered slots passes what holds nothing, forward and backward, whatever its size.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;

/// Number of the last record: 40,000 CIs of four slots behind the first, which make 200 CAs.
const FAR: u32 = 160_000;
/// What the pages of all CIs between the two records would take of the pool.
const ALL_PAGES: usize = 40_000 * 512;

fn create(engine: &Engine, world: &World) {
    world.create(engine, "d", |data, _| {
        data.organization = Organization::Rrds;
        data.key_length = 0;
        (data.average_record, data.maximum_record) = (100, 100);
        data.ci_per_ca = 200;
        (data.primary, data.secondary) = (64 << 20, 1 << 20);
    });
}

/// A data set with a record in the first slot and one in the last.
fn two_records() -> World {
    let mut world = World::memory();
    world.pool_bytes = 64 << 20;
    let engine = world.engine();
    create(&engine, &world);
    let open = world.open(&engine, "d");
    let mut s = open.string();
    for n in [1, FAR] {
        s.insert_at(n, &sealed(n.into(), n.into(), 100), Insert::Sequential)
            .unwrap();
    }
    drop(s);
    open.close().unwrap();
    world
}

/// What a search brought into the pool.
fn taken(search: impl FnOnce(&mut Str)) -> usize {
    let world = two_records();
    let engine = world.engine();
    let open = world.open(&engine, "d");
    let (_, before) = engine.pool_use();
    search(&mut open.string());
    let (_, after) = engine.pool_use();
    assert_sound(&open);
    after - before
}

#[test]
fn a_search_brings_in_no_empty_ci() {
    let next = |s: &mut Str| {
        s.point_first().unwrap();
        assert_eq!(s.next(Intent::Read).unwrap().rrn, 1);
        assert_eq!(s.next(Intent::Read).unwrap().rrn, FAR);
        assert!(matches!(s.next(Intent::Read), Err(RequestError::EndOfData)));
    };
    let previous = |s: &mut Str| {
        s.point_last().unwrap();
        assert_eq!(s.prev(Intent::Read).unwrap().rrn, FAR);
        assert_eq!(s.prev(Intent::Read).unwrap().rrn, 1);
        assert!(matches!(s.prev(Intent::Read), Err(RequestError::EndOfData)));
    };
    let point = |s: &mut Str| {
        s.point(Argument::Rrn(2), Search::GreaterOrEqual).unwrap();
        assert_eq!(s.next(Intent::Read).unwrap().rrn, FAR);
    };
    for (name, bytes) in [
        ("next", taken(next)),
        ("previous", taken(previous)),
        ("point", taken(point)),
    ] {
        assert!(bytes * 8 < ALL_PAGES, "{name} took {bytes} bytes of the pool");
    }
}

#[test]
fn what_was_erased_is_passed_before_and_after_it_is_written() {
    let world = World::memory();
    let engine = world.engine();
    create(&engine, &world);
    let open = world.open(&engine, "d");
    let mut s = open.string();
    for n in 1..=4000 {
        s.insert_at(n, &sealed(n.into(), 0, 100), Insert::Sequential).unwrap();
    }
    drop(s);
    open.close().unwrap();
    let open = world.open(&engine, "d");
    let mut s = open.string();
    for n in 2..4000 {
        s.get(Argument::Rrn(n), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    }
    for round in 0..2 {
        s.point_first().unwrap();
        let mut found = Vec::new();
        while let Ok(record) = s.next(Intent::Read) {
            found.push(record.rrn);
        }
        assert_eq!(found, [1, 4000], "round {round}");
        s.point_last().unwrap();
        assert_eq!(s.prev(Intent::Read).unwrap().rrn, 4000);
        assert_eq!(s.prev(Intent::Read).unwrap().rrn, 1);
        open.checkpoint().unwrap();
    }
    s.insert_at(2000, &sealed(2000, 0, 100), Insert::Direct).unwrap();
    s.point(Argument::Rrn(2), Search::GreaterOrEqual).unwrap();
    assert_eq!(s.next(Intent::Read).unwrap().rrn, 2000);
    drop(s);
    assert_sound(&open);
    open.close().unwrap();
}
