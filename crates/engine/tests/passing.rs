//! Strings that leave no pages: what they read is what others read, and the pool stays small.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Counted, MemoryDisk};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;
use std::path::Path;
use std::sync::Arc;

const RECORDS: u64 = 24_000;
const ALL: [Organization; 4] = [
    Organization::Ksds,
    Organization::Esds,
    Organization::Rrds,
    Organization::Vrrds,
];

/// A data set of 4.8 MB in CIs of 4,096 bytes; keys are `apart`.
fn loaded(organization: Organization, apart: u64) -> World {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, index| {
        data.organization = organization;
        (data.ci_size, data.ci_per_ca, index.ci_size) = (4096, 90, 4096);
        (data.average_record, data.maximum_record) = (200, 200);
        (data.primary, data.secondary, index.primary) = (8 << 20, 1 << 20, 1 << 20);
        if organization != Organization::Ksds {
            data.key_length = 0;
        }
    });
    let ds = world.open(&engine, "d");
    let mut string = ds.string();
    for n in 0..RECORDS {
        string.insert(&sealed(n * apart, n, 200), Insert::Sequential).unwrap();
    }
    drop(string);
    ds.close().unwrap();
    world
}

/// Reads everything; returns by how much the pool grew.
fn read_all(world: &World, how: impl Fn(&mut Str)) -> usize {
    let engine = world.engine();
    let ds = world.open_with(&engine, "d", OpenOptions::default());
    let mut string = ds.string();
    how(&mut string);
    let before = engine.pool_use().1;
    for n in 0..RECORDS {
        assert_eq!(unsealed(string.next(Intent::Read).unwrap().bytes), n);
    }
    assert!(matches!(string.next(Intent::Read), Err(RequestError::EndOfData)));
    engine.pool_use().1 - before
}

#[test]
fn who_reads_once_takes_no_more_of_the_pool_than_is_read_ahead() {
    for organization in ALL {
        let world = loaded(organization, 1);
        let kept = read_all(&world, |_| ());
        assert!(kept > 4 << 20, "{organization:?}: all of it stays, {kept}");
        let passed = read_all(&world, Str::leave_no_pages);
        assert!(passed <= 3 << 19, "{organization:?}: {passed}");
    }
}

#[test]
fn a_string_that_leaves_no_pages_reads_what_others_read() {
    for organization in ALL {
        let world = loaded(organization, 1);
        let engine = world.engine();
        let ds = world.open(&engine, "d");
        let (mut once, mut other) = (ds.string(), ds.string());
        once.leave_no_pages();
        let mut random = Random(5);
        let mut at: i64 = -1;
        for step in 0..30_000 {
            // Forward mostly, across the ends of CIs and CAs, and back over what has been left.
            let (to, read) = match random.below(40) {
                0 => (at - 1, once.prev(Intent::Read)),
                _ => (at + 1, once.next(Intent::Read)),
            };
            match read {
                Ok(record) => {
                    assert_eq!(unsealed(record.bytes) as i64, to, "{organization:?}, step {step}");
                    at = to;
                }
                Err(RequestError::EndOfData | RequestError::NoPosition) => {
                    assert!(to < 0 || to == RECORDS as i64, "{organization:?}, step {step}: {to}");
                    once.point_first().unwrap();
                    at = -1;
                }
                Err(error) => panic!("{organization:?}: {error}"),
            }
            if step % 3 == 0 {
                let forward = other.next(Intent::Read).map(|record| unsealed(record.bytes));
                assert_eq!(
                    forward.ok(),
                    Some(step / 3).filter(|&n| n < RECORDS),
                    "{organization:?}"
                );
            }
        }
    }
}

#[test]
fn an_update_asks_for_the_record_that_was_read_and_gets_it_as_it_is_now() {
    let world = loaded(Organization::Ksds, 2);
    let engine = world.engine();
    let ds = world.open(&engine, "d");
    let (mut reader, mut other) = (ds.string(), ds.string());
    let read = |string: &mut Str, n, intent| {
        let got = string.get(&key(n), Search::Equal, intent);
        got.map(|record| unsealed(record.bytes))
    };
    let mut random = Random(11);
    for turn in 0..2_000 {
        let n = random.below(RECORDS) * 2;
        let value = match read(&mut reader, n, Intent::Position) {
            Ok(value) => value,
            Err(RequestError::NotFound) => continue,
            Err(error) => panic!("{error}"),
        };
        match turn % 4 {
            // Nobody was there meanwhile.
            0 => {
                assert_eq!(read(&mut reader, n, Intent::Update).unwrap(), value);
                reader.update(&sealed(n, value + 1, 200)).unwrap();
                assert_eq!(read(&mut other, n, Intent::Read).unwrap(), value + 1);
            }
            // It was updated.
            1 => {
                read(&mut other, n, Intent::Update).unwrap();
                other.update(&sealed(n, value + 7, 200)).unwrap();
                assert_eq!(read(&mut reader, n, Intent::Update).unwrap(), value + 7);
                reader.update(&sealed(n, value, 200)).unwrap();
            }
            // It was erased.
            2 => {
                read(&mut other, n, Intent::Update).unwrap();
                other.erase().unwrap();
                assert!(matches!(
                    read(&mut reader, n, Intent::Update),
                    Err(RequestError::NotFound)
                ));
            }
            // Its CI was split: there was no free space.
            _ => {
                if let Err(error) = other.insert(&sealed(n + 1, 0, 200), Insert::Direct) {
                    assert!(matches!(error, RequestError::Duplicate { .. }), "{error}");
                }
                assert_eq!(read(&mut reader, n, Intent::Update).unwrap(), value);
                reader.update(&sealed(n, value + 1, 200)).unwrap();
            }
        }
    }
    drop((reader, other));
    assert_sound(&ds);
    ds.close().unwrap();
}

/// Records a tenth as long as the definition says: a CI holds far more of them than a frame is made for at first.
fn short_records(disk: &Counted<MemoryDisk>, compressed: bool) -> (World, Engine) {
    let world = World {
        pool_bytes: 4 << 20,
        ..World::on(Arc::new(disk.clone()), Path::new("/"))
    };
    let engine = world.engine();
    world.create(&engine, "d", |data, index| {
        (data.ci_size, data.ci_per_ca, index.ci_size) = (4096, 90, 4096);
        (data.average_record, data.maximum_record) = (400, 400);
        data.compressed = compressed;
        (data.primary, data.secondary, index.primary) = (8 << 20, 1 << 20, 1 << 20);
    });
    (world, engine)
}

#[test]
fn a_scan_reads_each_ci_once_however_many_records_it_has() {
    for (compressed, length) in [(false, 40), (true, 400)] {
        let disk = Counted::new(MemoryDisk::default());
        let (world, engine) = short_records(&disk, compressed);
        let records = 8 * RECORDS;
        let ds = world.open(&engine, "d");
        let mut string = ds.string();
        for n in 0..records {
            string.insert(&sealed(n, n, length), Insert::Sequential).unwrap();
        }
        drop(string);
        ds.close().unwrap();
        let used = engine.peek(&world.paths("d").0).unwrap().high_used;
        assert!(used > world.pool_bytes as u64, "{used} bytes do not come from the pool");
        for again in [false, true] {
            // A new open knows from the root how many they are; an engine that has it open learns it.
            let ds = world.open_with(&engine, "d", OpenOptions::default());
            let before = disk.counts().read_bytes;
            for _ in 0..=usize::from(again) {
                let mut string = ds.string();
                (0..records).for_each(|n| assert_eq!(unsealed(string.next(Intent::Read).unwrap().bytes), n));
            }
            let read = disk.counts().read_bytes - before;
            let most = (1 + u64::from(again)) * used * 5 / 4;
            assert!(read <= most, "{read} bytes read of {used}, compressed: {compressed}");
            ds.close().unwrap();
        }
    }
}

#[test]
fn what_came_after_the_open_is_read_once_too() {
    let disk = Counted::new(MemoryDisk::default());
    let (world, engine) = short_records(&disk, false);
    let ds = world.open(&engine, "d");
    let mut string = ds.string();
    let records = 8 * RECORDS;
    for n in 0..records {
        string.insert(&sealed(n, n, 40), Insert::Sequential).unwrap();
    }
    drop(string);
    ds.end_load().unwrap();
    let before = disk.counts().read_bytes;
    let mut string = ds.string();
    (0..records).for_each(|n| assert_eq!(unsealed(string.next(Intent::Read).unwrap().bytes), n));
    let (read, used) = (disk.counts().read_bytes - before, ds.high_used());
    assert!(read <= used * 5 / 4, "{read} bytes read of {used}");
    drop(string);
    ds.close().unwrap();
}
