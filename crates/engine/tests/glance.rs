//! First looks at a CI of a data set that is open for input: the answers of any other get, what they read, and what
//! they make of damage.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Counted, MemoryDisk};
use cica_engine::*;
use common::bytes::{bytes_of, put};
use common::*;
use std::path::Path;
use std::sync::Arc;

const RECORDS: u64 = 300;

/// Even keys, every eleventh record longer than a CI.
fn load(world: &World, engine: &Engine) {
    world.create(engine, "look", |data, _| data.spanned = true);
    let ds = world.open(engine, "look");
    let mut string = ds.string();
    for n in 0..RECORDS {
        string.insert(&record(n), Insert::Sequential).unwrap();
    }
    drop(string);
    ds.close().unwrap();
}

fn record(n: u64) -> Vec<u8> {
    let len = if n % 11 == 10 { 399 } else { 40 + n as usize % 50 };
    sealed(2 * n, n, len)
}

#[test]
fn looks_and_pages_give_the_same_answers() {
    let world = World::memory();
    let engine = world.engine();
    load(&world, &engine);
    let mut random = Random(17);
    for _ in 0..4 {
        let ds = world.open_with(&engine, "look", OpenOptions::default());
        let mut string = ds.string();
        // Some CIs come to be pages on the way, others not; the keys between and behind all are not there.
        for _ in 0..400 {
            let n = random.below(2 * RECORDS + 10);
            let got = string.get(&key(n), Search::Equal, Intent::Read);
            if n % 2 == 0 && n < 2 * RECORDS {
                let got = got.unwrap();
                assert_eq!(got.bytes, record(n / 2));
                let (bytes, rba) = (got.bytes.to_vec(), got.rba);
                // NUP leaves no position.
                assert!(matches!(string.next(Intent::Read), Err(RequestError::NoPosition)));
                let again = string.get(Argument::Rba(rba), Search::Equal, Intent::Position).unwrap();
                assert_eq!((again.bytes, again.rba), (bytes.as_slice(), rba));
            } else {
                assert!(matches!(got, Err(RequestError::NotFound)), "{n}: {got:?}")
            }
        }
        drop(string);
        ds.close().unwrap();
    }
}

#[test]
fn records_of_one_length_are_found_by_keys_of_any_length() {
    let world = World::memory();
    let engine = world.engine();
    for (key_len, rkp) in [(4, 0), (8, 1), (8, 0), (12, 3), (20, 0)] {
        let name = format!("even{key_len}at{rkp}");
        world.create(&engine, &name, |data, index| {
            for part in [data, index] {
                (part.key_length, part.key_offset) = (key_len as u16, rkp as u32);
            }
        });
        let whole_key = |n: u64| format!("{n:0key_len$}").into_bytes();
        let record = |n: u64| [&b"---"[..rkp], &whole_key(n), &[b'a' + (n % 26) as u8; 40]].concat();
        let ds = world.open(&engine, &name);
        let mut string = ds.string();
        for n in 0..RECORDS {
            string.insert(&record(2 * n), Insert::Sequential).unwrap();
        }
        drop(string);
        ds.close().unwrap();
        let ds = world.open_with(&engine, &name, OpenOptions::default());
        let mut string = ds.string();
        for n in (0..2 * RECORDS + 4).rev() {
            let got = string.get(&whole_key(n), Search::Equal, Intent::Read);
            if n % 2 == 0 && n < 2 * RECORDS {
                assert_eq!(got.unwrap().bytes, record(n), "{name}")
            } else {
                assert!(matches!(got, Err(RequestError::NotFound)), "{name}, {n}: {got:?}")
            }
        }
        drop(string);
        ds.close().unwrap();
    }
}

#[test]
fn the_fifth_visit_of_a_ci_makes_it_a_page() {
    let disk = Arc::new(Counted::new(MemoryDisk::default()));
    let world = World::on(disk.clone(), Path::new("/"));
    let engine = world.engine();
    load(&world, &engine);
    let ds = world.open_with(&engine, "look", OpenOptions::default());
    let mut string = ds.string();
    let mut reads = |n: u64| {
        let before = disk.counts();
        string.get(&key(n), Search::Equal, Intent::Read).unwrap();
        (disk.counts() - before).reads
    };
    // Roots and index first; then two CIs far from each other, by turns.
    reads(100);
    reads(500);
    assert_eq!(reads(500), 0, "the string has the image it looked at last");
    let visits: Vec<(u64, u64)> = (0..5).map(|_| (reads(100), reads(500))).collect();
    // At its fifth visit the first becomes a page, and the string still has the image of the second.
    assert_eq!(visits, [(1, 1), (1, 1), (1, 1), (1, 0), (0, 0)]);
}

#[test]
fn a_large_ci_becomes_a_page_at_once() {
    let disk = Arc::new(Counted::new(MemoryDisk::default()));
    let world = World::on(disk.clone(), Path::new("/"));
    let engine = world.engine();
    for (ci_size, visits) in [(8192, [1, 1, 1, 1, 0]), (16384, [0, 0, 0, 0, 0])] {
        let name = format!("ci{ci_size}");
        world.create(&engine, &name, |data, _| data.ci_size = ci_size);
        let ds = world.open(&engine, &name);
        let mut string = ds.string();
        for n in 0..900 {
            string.insert(&sealed(2 * n, n, 100), Insert::Sequential).unwrap();
        }
        drop(string);
        ds.close().unwrap();
        let ds = world.open_with(&engine, &name, OpenOptions::default());
        let (mut string, mut other) = (ds.string(), ds.string());
        let reads = |string: &mut Str, n: u64| {
            let before = disk.counts();
            assert_eq!(
                string.get(&key(2 * n), Search::Equal, Intent::Read).unwrap().bytes,
                sealed(2 * n, n, 100)
            );
            (disk.counts() - before).reads
        };
        // Roots and index first.
        reads(&mut other, 899);
        reads(&mut string, 0);
        let seen = visits.map(|_| {
            // The string looks at something else meanwhile.
            reads(&mut string, 500);
            reads(&mut string, 0)
        });
        assert_eq!(seen, visits, "CIs of {ci_size}, from the second visit on");
    }
}

#[test]
fn damage_is_an_error_at_the_first_look_and_at_every_other() {
    let memory = MemoryDisk::default();
    let world = World::on(Arc::new(memory.clone()), Path::new("/"));
    let engine = world.engine();
    load(&world, &engine);
    // The byte after the key of record 100 is changed, wherever its image lies.
    let (path, _) = world.paths("look");
    let bytes = bytes_of(&memory, &path);
    let at = bytes.windows(8).position(|w| w == key(200)).unwrap() as u64 + 9;
    put(&memory, &path, at, &[0xA5]);
    let ds = world.open_with(&engine, "look", OpenOptions::default());
    let mut string = ds.string();
    for _ in 0..6 {
        let got = string.get(&key(200), Search::Equal, Intent::Read);
        assert!(matches!(got, Err(RequestError::Physical { reason: 4, .. })), "{got:?}");
        assert_eq!(
            string.get(&key(20), Search::Equal, Intent::Read).unwrap().bytes,
            record(10)
        );
    }
}
