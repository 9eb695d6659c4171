//! No request goes round for ever, however small the pool is beside what is open: the sizes are those that DEFINE
//! chooses, and what a program does first is scan.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;

/// KEYS(8 1) RECORDSIZE(200 200): data CISZ 18432, index CISZ 512. Loaded with keys 16 apart, scanned, and then
/// inserted into anywhere: the pages of the index and the descriptors of control areas have frames of one size, and the
/// descriptors, which the pages of the scan had pinned, had taken all of them but one. With 16 MB of pool the inserts
/// did not come to an end.
#[test]
fn random_inserts_behind_scans_of_what_does_not_fit_the_pool() {
    scan_and_insert(16 << 20, 400_000, 40_000);
}

/// The same where nothing but the pool is small.
#[test]
fn random_inserts_in_the_smallest_pool() {
    scan_and_insert(4 << 20, 60_000, 10_000);
}

fn scan_and_insert(pool: usize, records: u64, inserts: u64) {
    let world = World {
        pool_bytes: pool,
        ..World::memory()
    };
    let engine = world.engine();
    world.create(&engine, "a", |data, index| {
        (data.ci_size, data.ci_per_ca) = (18432, 45);
        (data.key_length, data.key_offset) = (8, 1);
        (data.average_record, data.maximum_record) = (200, 200);
        (index.ci_size, index.ci_per_ca) = (512, 49);
        (data.primary, data.secondary) = (64 << 20, 8 << 20);
        (index.primary, index.secondary) = (1 << 20, 1 << 20);
    });
    let record = |number: u64| {
        // Without runs, which a page would leave out.
        let mut record: Vec<u8> = (0..200).map(|i| (number >> (i % 24)) as u8 ^ i as u8).collect();
        record[1..9].copy_from_slice(&number.to_be_bytes());
        record
    };
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 1..=records {
        s.insert(&record(n * 16), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for _ in 0..3 {
        s.point_first().unwrap();
        let mut seen = 0;
        while s.next(Intent::Read).is_ok() {
            seen += 1;
        }
        assert_eq!(seen, records);
    }
    let (mut random, mut inserted) = (Random(1979), 0);
    for _ in 0..inserts {
        match s.insert(&record(random.below(records * 16)), Insert::Direct) {
            Ok(_) => inserted += 1,
            Err(RequestError::Duplicate { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    drop(s);
    assert_sound(&ds);
    assert_eq!(ds.statistics().0.records, records + inserted);
    ds.close().unwrap();
}
