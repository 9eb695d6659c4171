//! Many threads on one data set: what each reads is whole and in order, no update is lost, and the structure is sound.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, LinuxDisk};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex};

const STABLE: u64 = 10;
const KEYS: u64 = 1500;

/// Keys that divide by `STABLE` are there all the time; the others come and go.
fn load(ds: DataSet) {
    let mut s = ds.string();
    for n in (0..KEYS).step_by(STABLE as usize) {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
}

fn is_logical(error: &RequestError) -> bool {
    error.feedback().return_code == 8 && error.feedback().reason != 28
}

/// Inserts, updates and erases keys of its own (no other writer has them) and knows what is there.
fn writer(ds: DataSet, seed: u64, longest: u64, mine: impl Fn(u64) -> bool, requests: u64) -> BTreeSet<u64> {
    let (mut random, mut there, mut s) = (Random(seed), BTreeSet::new(), ds.string());
    for i in 0..requests {
        // Waves: ranges fill, so that CIs and CAs split, and empty, so that CAs are reclaimed.
        let wave = (i / (requests / 6)) % 2 == 0;
        let n = random.below(KEYS);
        if !mine(n) || n % STABLE == 0 {
            continue;
        }
        let len = 30 + random.below(longest - 30) as usize;
        if there.contains(&n) {
            let held = s
                .get(&key(n), Search::Equal, Intent::Update)
                .unwrap_or_else(|e| panic!("key {n}: {e}"));
            let value = unsealed(held.bytes);
            if wave || random.below(4) == 0 {
                s.update(&sealed(n, value + 1, len)).unwrap();
            } else {
                s.erase().unwrap();
                there.remove(&n);
            }
        } else {
            assert!(
                matches!(s.get(&key(n), Search::Equal, Intent::Read), Err(RequestError::NotFound)),
                "key {n}"
            );
            if wave {
                s.insert(&sealed(n, 1, len), Insert::Direct)
                    .unwrap_or_else(|e| panic!("key {n}: {e}"));
                there.insert(n);
            }
        }
    }
    there
}

/// Adds one to stable records that all adders share.
fn adder(ds: DataSet, seed: u64, requests: u64, added: &AtomicU64) {
    let (mut random, mut s) = (Random(seed), ds.string());
    for _ in 0..requests {
        let n = random.below(20) * STABLE;
        let value = match s.get(&key(n), Search::Equal, Intent::Update) {
            Ok(record) => unsealed(record.bytes),
            Err(RequestError::Exclusive { .. }) => continue,
            Err(error) => panic!("key {n}: {error}"),
        };
        s.update(&sealed(n, value + 1, 40 + (value % 100) as usize)).unwrap();
        added.fetch_add(1, Relaxed);
    }
}

/// Reads through the data set both ways: keys rise or fall, and every stable key is met.
fn reader(ds: DataSet, forward: bool, done: &AtomicBool) {
    while !done.load(Relaxed) {
        let mut s = ds.string();
        if !forward {
            s.point_last().unwrap();
        }
        let (mut last, mut stable) = (Vec::new(), 0);
        loop {
            let read = if forward {
                s.next(Intent::Read)
            } else {
                s.prev(Intent::Read)
            };
            let bytes = match read {
                Ok(record) => record.bytes,
                Err(RequestError::EndOfData) => break,
                Err(error) => panic!("{error}"),
            };
            unsealed(bytes);
            let here = bytes[..8].to_vec();
            assert!(last.is_empty() || (here > last) == forward, "{here:?} after {last:?}");
            let n: u64 = String::from_utf8_lossy(&here).parse().unwrap();
            stable += (n % STABLE == 0) as u64;
            last = here;
        }
        assert_eq!(stable, KEYS / STABLE, "forward: {forward}");
    }
}

/// Gets stable keys: each must be found.
fn getter(ds: DataSet, seed: u64, done: &AtomicBool) {
    let (mut random, mut s) = (Random(seed), ds.string());
    while !done.load(Relaxed) {
        let n = random.below(KEYS / STABLE) * STABLE;
        match s.get(&key(n), Search::Equal, Intent::Position) {
            Ok(record) => drop(unsealed(record.bytes)),
            Err(error) => panic!("key {n}: {error}"),
        }
        let generic = &key(n)[..7];
        let found = s
            .get(generic, Search::GreaterOrEqual, Intent::Read)
            .unwrap_or_else(|e| panic!("key {n}: {e}"));
        unsealed(found.bytes);
        if let Err(error) = s.insert(&sealed(n, 0, 60), Insert::Direct) {
            assert!(is_logical(&error), "{error}");
        }
    }
}

fn run(world: &World, spanned: bool, requests: u64) {
    let engine = world.engine();
    world.create(&engine, "t", |a, _| {
        a.spanned = spanned;
        a.maximum_record = if spanned { 1600 } else { 400 };
        a.ci_size = if spanned { 512 } else { 1024 };
    });
    load(world.open(&engine, "t"));
    let ds = world.open(&engine, "t");
    let (done, added, there) = (AtomicBool::new(false), AtomicU64::new(0), Mutex::new(BTreeSet::new()));
    std::thread::scope(|scope| {
        let mut work = Vec::new();
        for w in 0..3u64 {
            let (ds, there) = (ds.clone(), &there);
            work.push(scope.spawn(move || {
                let mine = writer(ds, 77 + w, if spanned { 1500 } else { 330 }, |n| n % 3 == w, requests);
                there.lock().unwrap().extend(mine);
            }));
        }
        for a in 0..2 {
            let (ds, added) = (ds.clone(), &added);
            work.push(scope.spawn(move || adder(ds, 5 + a, requests / 4, added)));
        }
        let (checker, done) = (ds.clone(), &done);
        scope.spawn(move || {
            while !done.load(Relaxed) {
                checker.checkpoint().unwrap();
                assert_sound(&checker);
            }
        });
        for (i, forward) in [true, false].into_iter().enumerate() {
            let (one, two) = (ds.clone(), ds.clone());
            scope.spawn(move || reader(one, forward, done));
            scope.spawn(move || getter(two, 900 + i as u64, done));
        }
        let ended: Vec<bool> = work.into_iter().map(|t| t.join().is_ok()).collect();
        done.store(true, Relaxed);
        assert!(ended.iter().all(|&ok| ok));
    });
    let mut expected = there.into_inner().unwrap();
    expected.extend((0..KEYS).step_by(STABLE as usize));
    let verify = |ds: &DataSet| {
        assert_sound(ds);
        let (mut s, mut sum, mut found) = (ds.string(), 0, BTreeSet::new());
        while let Ok(record) = s.next(Intent::Read) {
            let n: u64 = String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap();
            found.insert(n);
            sum += if n % STABLE == 0 { unsealed(record.bytes) } else { 0 };
        }
        assert_eq!(found, expected);
        assert_eq!(sum, added.load(Relaxed), "an update was lost");
    };
    verify(&ds);
    assert!(ds.statistics().0.ca_splits > 0, "the test means to split CAs");
    ds.close().unwrap();
    let engine = world.engine();
    verify(&world.open(&engine, "t"));
}

#[test]
fn threads_lose_and_tear_nothing() {
    run(&World::memory(), false, 12_000);
}

#[test]
fn threads_lose_and_tear_nothing_with_spanned_records() {
    run(&World::memory(), true, 6_000);
}

#[test]
fn threads_lose_and_tear_nothing_in_a_small_pool() {
    let world = World {
        pool_bytes: 3 << 20,
        ..World::memory()
    };
    run(&world, false, 6_000);
}

#[test]
fn threads_lose_and_tear_nothing_on_linux_files() {
    let dir = std::env::temp_dir().join(format!("cica-threads-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
    run(&World::on(disk, Path::new(&dir)), false, 3_000);
    std::fs::remove_dir_all(&dir).unwrap();
}

/// One thread puts the first record into a CI while another takes out its last: what the CA says of the CI is what the
/// page says, in whichever order they come to say it.
#[test]
fn a_ca_knows_which_of_its_cis_have_records_whoever_is_last() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        data.organization = Organization::Rrds;
        (data.key_length, data.average_record, data.maximum_record) = (0, 60, 60);
    });
    let ds = world.open(&engine, "d");
    ds.string().insert_at(2, &sealed(2, 0, 60), Insert::Skip).unwrap();
    ds.close().unwrap();
    let ds = world.open(&engine, "d");
    let insert = |n: u32| {
        let record = sealed(n.into(), 0, 60);
        ds.string().insert_at(n, &record, Insert::Direct).unwrap();
    };
    let erase = |n: u32| {
        let mut s = ds.string();
        s.get(Argument::Rrn(n), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    };
    let free = || ds.statistics().0.free_space;
    let used = free();
    let together = std::sync::Barrier::new(2);
    let wrong = std::thread::scope(|threads| {
        let erases = threads.spawn(|| {
            for _ in 0..ROUNDS {
                together.wait();
                erase(2);
                together.wait();
            }
        });
        let mut wrong = 0;
        for _ in 0..ROUNDS {
            together.wait();
            insert(1);
            together.wait();
            wrong += u64::from(free() != used);
            insert(2);
            erase(1);
        }
        erases.join().unwrap();
        wrong
    });
    const ROUNDS: u64 = 20_000;
    assert_eq!(wrong, 0, "of {ROUNDS}");
    erase(2);
    assert_eq!(free() - used, 512);
}

/// Each goes behind the last record, and nobody says where that is.
#[test]
fn inserts_without_a_number_find_one_each() {
    const EACH: u64 = 3000;
    for organization in [Organization::Rrds, Organization::Vrrds] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "d", |data, _| {
            data.organization = organization;
            (data.key_length, data.average_record, data.maximum_record) = (0, 40, 40);
            if organization == Organization::Vrrds {
                data.maximum_record = 100;
            }
        });
        let ds = world.open(&engine, "d");
        ds.string().insert_at(1, &sealed(0, 0, 40), Insert::Direct).unwrap();
        std::thread::scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| {
                    let mut string = ds.string();
                    for n in 0..EACH {
                        string.insert(&sealed(n, n, 40), Insert::Direct).unwrap();
                    }
                });
            }
        });
        assert_eq!(ds.statistics().0.records, 3 * EACH + 1, "{organization:?}");
        ds.close().unwrap();
    }
}
