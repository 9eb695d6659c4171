//! The halves of a CI that was split take frames of their width: after many inserts a record takes not much more of the
//! pool than after the load, and all of them are there.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;
use std::collections::BTreeMap;

const RECORDS: u64 = 40_000;

/// A record without runs, which a page would leave out.
fn full(n: u64, len: usize) -> Vec<u8> {
    let mut random = Random(n + 1);
    let mut record = format!("{n:08}").into_bytes();
    record.extend((8..len).map(|_| random.below(200) as u8 + 1));
    record
}

fn loaded(world: &World, ci_size: u32, most: u32) -> Engine {
    let engine = world.engine();
    world.create(&engine, "d", |data, index| {
        (data.key_length, data.ci_size, data.ci_per_ca) = (8, ci_size, 8);
        (data.average_record, data.maximum_record) = (200, most);
        (data.primary, data.secondary, index.primary) = (64 << 20, 8 << 20, 4 << 20);
    });
    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    for n in 0..RECORDS {
        s.insert(&full(n * 100, 200), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    engine
}

/// Bytes of the pool for each record, when all that there are have been read.
fn charged(engine: &Engine, ds: &DataSet, records: &BTreeMap<u64, usize>) -> f64 {
    let mut s = ds.string();
    for (&n, &len) in records {
        assert_eq!(s.next(Intent::Read).unwrap().bytes, full(n, len));
    }
    assert!(s.next(Intent::Read).is_err());
    engine.pool_use().1 as f64 / records.len() as f64
}

#[test]
fn inserts_take_not_much_more_memory_than_they_bring() {
    for ci_size in [4096, 16384] {
        let mut world = World::memory();
        world.pool_bytes = 64 << 20;
        let engine = loaded(&world, ci_size, 300);
        let ds = world.open(&engine, "d");
        let mut records: BTreeMap<u64, usize> = (0..RECORDS).map(|n| (n * 100, 200)).collect();
        let before = charged(&engine, &ds, &records);
        let (mut s, mut random) = (ds.string(), Random(25));
        for _ in 0..RECORDS / 8 {
            let n = random.below(RECORDS * 100);
            let done = s.insert(&full(n, 200), Insert::Direct);
            assert_eq!(done.is_ok(), records.insert(n, 200).is_none());
        }
        drop(s);
        let after = charged(&engine, &ds, &records);
        assert!(after < 1.6 * before, "CIs of {ci_size}: {before} and {after} bytes");
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let read = charged(&engine, &ds, &records);
        assert!(
            read < 1.6 * before,
            "CIs of {ci_size}, read again: {before} and {read} bytes"
        );
        ds.close().unwrap();
    }
}

/// Records that get longer and shorter, go, and come back, in pages of all widths.
#[test]
fn a_narrow_page_takes_whatever_its_ci_has_room_for() {
    let mut world = World::memory();
    world.pool_bytes = 64 << 20;
    let engine = loaded(&world, 4096, 900);
    let ds = world.open(&engine, "d");
    let mut records: BTreeMap<u64, usize> = (0..RECORDS).map(|n| (n * 100, 200)).collect();
    let (mut s, mut random) = (ds.string(), Random(26));
    for _ in 0..60_000 {
        // In a part of the keys, so that pages are split again and again.
        let n = random.below(100_000);
        let len = [9, 60, 200, 201, 300, 900][random.below(6) as usize];
        match (random.below(8), records.contains_key(&n)) {
            (0, true) => {
                s.get(&full(n, 8), Search::Equal, Intent::Update).unwrap();
                s.erase().unwrap();
                records.remove(&n);
            }
            (_, true) => {
                s.get(&full(n, 8), Search::Equal, Intent::Update).unwrap();
                s.update(&full(n, len)).unwrap();
                records.insert(n, len);
            }
            (_, false) => {
                s.insert(&full(n, len), Insert::Direct).unwrap();
                records.insert(n, len);
            }
        }
    }
    drop(s);
    charged(&engine, &ds, &records);
    ds.close().unwrap();
    let ds = world.open(&engine, "d");
    charged(&engine, &ds, &records);
    ds.close().unwrap();
}

/// Pages of full width do not fit into the pool after the inserts. As wide as their records they do.
#[test]
fn what_fits_by_its_records_stays_in_a_pool_that_full_pages_exceed() {
    let mut world = World::memory();
    world.pool_bytes = 18 << 20;
    let engine = loaded(&world, 16384, 200);
    let ds = world.open(&engine, "d");
    let (mut s, mut random) = (ds.string(), Random(51));
    for _ in 0..RECORDS * 2 / 5 {
        match s.insert(&full(random.below(RECORDS * 100), 200), Insert::Direct) {
            Ok(_) | Err(RequestError::Duplicate { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let before = ds.statistics().0.excps;
    for _ in 0..RECORDS / 4 {
        let n = random.below(RECORDS) * 100;
        assert_eq!(
            s.get(&full(n, 8), Search::Equal, Intent::Read).unwrap().bytes,
            full(n, 200)
        );
    }
    let read = ds.statistics().0.excps - before;
    assert!(read < RECORDS / 100, "{read} of {} gets read a CI", RECORDS / 4);
    drop(s);
    ds.close().unwrap();
}
