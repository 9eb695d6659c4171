//! The end of a log's epoch: changes go on while all trees are committed, and none of them is lost.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, MemoryDisk};
use cica_engine::*;
use common::keyed::{loaded, update};
use common::stopping::Stopping;
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use std::time::{Duration, Instant};

const RECORDS: u64 = 2000;
const LENGTH: usize = 3000;
const THREADS: u64 = 3;
/// Bytes that a log file has at most when nobody uses it.
const KEPT: u64 = 64 << 20;

/// An engine that may start threads, on a disk in memory.
fn engine(memory: &MemoryDisk) -> (World, Engine) {
    engine_on(Arc::new(memory.clone()))
}

fn engine_on(disk: Arc<dyn Disk>) -> (World, Engine) {
    let mut world = World::on(disk, Path::new("/"));
    world.pool_bytes = 64 << 20;
    let engine = Engine::new(Env {
        disk: world.disk.clone(),
        clock: Arc::new(cica_disk::SystemClock),
        log_dir: world.root.join("log"),
        pool_bytes: Some(world.pool_bytes),
        io: Default::default(),
        background: true,
    });
    (world, engine.unwrap())
}

fn load(world: &World, engine: &Engine) {
    world.create(engine, "epoch", |data, index| {
        (data.ci_size, data.ci_per_ca, data.maximum_record) = (8192, 20, LENGTH as u32);
        (data.primary, data.secondary) = (1 << 30, 1 << 20);
        (index.ci_size, index.primary) = (2048, 1 << 20);
    });
    let ds = world.open(engine, "epoch");
    let mut string = ds.string();
    for n in 0..RECORDS {
        string.insert(&sealed(2 * n, 0, LENGTH), Insert::Sequential).unwrap();
    }
    drop(string);
    ds.close().unwrap();
}

/// Each thread updates its own records, and inserts and erases between them, for more than two epochs of log.
fn change(ds: &DataSet, rounds: u64) {
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let mut string = ds.string();
                for round in 1..=rounds {
                    for n in (thread..RECORDS).step_by(THREADS as usize) {
                        string.get(&key(2 * n), Search::Equal, Intent::Update).unwrap();
                        string.update(&sealed(2 * n, round, LENGTH)).unwrap();
                        if n % 40 == thread {
                            let between = sealed(2 * n + 1, round, 50 + (round as usize * 37) % 900);
                            match round % 2 {
                                1 => drop(string.insert(&between, Insert::Direct).unwrap()),
                                _ => {
                                    string.get(&key(2 * n + 1), Search::Equal, Intent::Update).unwrap();
                                    string.erase().unwrap();
                                }
                            }
                        }
                    }
                }
            });
        }
    });
}

fn check(ds: &DataSet, rounds: u64) {
    assert_sound(ds);
    let mut string = ds.string();
    for n in 0..RECORDS {
        let found = string.get(&key(2 * n), Search::Equal, Intent::Read).unwrap();
        assert_eq!(unsealed(found.bytes), rounds, "record {n}");
    }
    let between = (0..RECORDS)
        .filter(|n| n % 40 < THREADS && n % 40 == n % THREADS)
        .count() as u64;
    let expected = RECORDS + if rounds % 2 == 1 { between } else { 0 };
    assert_eq!(ds.statistics().0.records, expected);
}

#[test]
fn changes_of_many_threads_outlive_the_ends_of_epochs() {
    let memory = MemoryDisk::default();
    let (world, engine) = engine(&memory);
    load(&world, &engine);
    let ds = world.open(&engine, "epoch");
    change(&ds, 24);
    check(&ds, 24);
    let logs = || world.disk.list(&world.root.join("log")).unwrap();
    let longest = logs().iter().map(|(_, length)| *length).max();
    ds.close().unwrap();
    assert!(longest > Some(KEPT), "{longest:?} bytes of log");
    // A file that is given back keeps what short steps want.
    assert!(logs().iter().all(|(_, length)| *length <= KEPT), "{:?}", logs());
    let ds = world.open_with(&engine, "epoch", OpenOptions::default());
    check(&ds, 24);
}

#[test]
fn what_was_committed_in_an_epoch_outlives_the_death_of_the_process() {
    let memory = MemoryDisk::default();
    let (world, one) = engine(&memory);
    load(&world, &one);
    let ds = world.open(&one, "epoch");
    change(&ds, 25);
    ds.commit().unwrap();
    // The thread that commits trees may be at it just now.
    memory.kill();
    std::mem::forget(ds);
    let (world, other) = engine(&memory);
    let ds = world.open(&other, "epoch");
    check(&ds, 25);
    ds.close().unwrap();
    std::thread::sleep(Duration::from_millis(1));
}

/// A data set that is whole but has not left yet looks fenced; were the log let go for it, nobody would take its file
/// again.
#[test]
fn a_close_while_an_epoch_ends_lets_no_log_go() {
    let disk = Stopping::at("/v/a.data");
    let world = World::on(disk.disk(), Path::new("/"));
    let engine = world.engine();
    engine.start_log_over_after(64 << 10);
    loaded(&world, &engine, "a", 100);
    loaded(&world, &engine, "b", 100);
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    for ds in [&a, &b] {
        update(&mut ds.string(), 10, 1, 300).unwrap();
        ds.commit().unwrap();
    }
    let (of_b, other) = (world.paths("b").0, engine.clone());
    disk.stop(move || {
        let closing = std::thread::spawn(move || b.close().unwrap());
        while other.peek(&of_b).unwrap().log.log != 0 {
            std::thread::yield_now();
        }
        // It needs a moment more until all it waits for is the end of the epoch.
        std::thread::sleep(Duration::from_millis(20));
        assert!(!closing.is_finished());
    });
    for round in 2.. {
        update(&mut a.string(), round % 100 * 10, round, 300).unwrap();
        a.commit().unwrap();
        if disk.has_stopped() {
            break;
        }
    }
    a.close().unwrap();
    let b = world.open(&engine, "b");
    update(&mut b.string(), 20, 1, 300).unwrap();
    b.commit().unwrap();
    assert_eq!(log_files(&world).len(), 1);
}

/// Who commits the trees is stuck in a write. The log grows by 128 MiB meanwhile, and those who go on wait for a moment
/// each: not for the end of the commit.
#[test]
fn changes_get_on_beside_a_commit_that_the_log_outgrows() {
    let disk = Stopping::at("/v/epoch.data");
    let (world, engine) = engine_on(disk.disk());
    load(&world, &engine);
    engine.start_log_over_after(1 << 20);
    let ds = world.open(&engine, "epoch");
    let mut string = ds.string();
    // Its root names the log from then on: nobody else writes to it.
    string.get(&key(0), Search::Equal, Intent::Update).unwrap();
    string.update(&sealed(0, 1, LENGTH)).unwrap();
    ds.commit().unwrap();
    let [done, given_up] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let (until, late) = (done.clone(), given_up.clone());
    disk.stop(move || {
        let begun = Instant::now();
        while !until.load(SeqCst) {
            if begun.elapsed() > Duration::from_secs(30) {
                late.store(true, SeqCst);
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let mut change = |n: u64, value| {
        string.get(&key(2 * n), Search::Equal, Intent::Update).unwrap();
        string.update(&sealed(2 * n, value, LENGTH)).unwrap();
    };
    // The commit has the page of this one while it is stuck.
    change(0, 2);
    // Each takes 3,000 bytes of the log and a little more.
    let mut changes = |bytes: u64| {
        for n in 0..bytes / LENGTH as u64 {
            change(RECORDS / 2 + n % (RECORDS / 2), n);
        }
    };
    // The commit begins with a change that finds the log long, as soon as its thread has a processor.
    let begun = Instant::now();
    while !disk.has_stopped() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody commits the trees");
        changes(1 << 20);
        std::thread::sleep(Duration::from_millis(1));
    }
    changes(130 << 20);
    assert!(!given_up.load(SeqCst), "a change waited for the commit");
    done.store(true, SeqCst);
    drop(string);
    let logs = world.disk.list(&world.root.join("log")).unwrap();
    let longest = logs.iter().map(|(_, length)| *length).max();
    assert!(longest > Some(129 << 20), "{longest:?} bytes of log");
    ds.close().unwrap();
}
