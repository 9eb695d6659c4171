//! Several data sets on one log: what was acknowledged is there whoever dies, closes or opens again.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Create, Disk, Open};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::numbers;
use common::power::{cut, world};
use common::*;
use std::collections::BTreeMap;
use std::path::Path;

fn loaded(world: &World, engine: &Engine, name: &str) {
    world.create(engine, name, |_, _| ());
    let ds = world.open(engine, name);
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
}

fn insert(ds: &DataSet, n: u64) {
    ds.string().insert(&sealed(n, n, 60), Insert::Direct).unwrap();
}

#[test]
fn a_data_set_closed_and_opened_again_on_one_log_is_recovered_whole() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let b = world.open(&engine, "b");
    insert(&b, 1);
    b.commit().unwrap();
    for n in 1..4 {
        let a = world.open(&engine, "a");
        insert(&a, n);
        a.commit().unwrap();
        if n < 3 {
            a.close().unwrap();
        }
    }
    insert(&b, 2);
    b.commit().unwrap();
    drop((b, engine));
    let engine = world.engine();
    assert_eq!(numbers(&world.open(&engine, "a")), [0, 1, 2, 3]);
    assert_eq!(numbers(&world.open(&engine, "b")), [0, 1, 2]);
}

#[test]
fn one_data_set_is_abandoned_and_recovered_while_another_goes_on() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let b = world.open(&engine, "b");
    for n in 1..5 {
        let a = world.open(&engine, "a");
        insert(&a, n);
        insert(&b, n);
        a.commit().unwrap();
        drop(a);
        insert(&b, n + 100);
        b.commit().unwrap();
        assert_eq!(numbers(&world.open(&engine, "a")), (0..=n).collect::<Vec<_>>());
    }
    drop((b, engine));
    let engine = world.engine();
    assert_eq!(numbers(&world.open(&engine, "b")), [0, 1, 2, 3, 4, 101, 102, 103, 104]);
}

#[test]
fn of_clones_and_of_closes_at_the_same_time_the_last_commits() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    for round in 1..50 {
        let a = world.open(&engine, "a");
        drop(a.clone());
        insert(&a, round);
        let other = world.open(&engine, "a");
        let closed = std::thread::scope(|scope| {
            let one = scope.spawn(|| a.close().unwrap().closed);
            let two = scope.spawn(|| other.close().unwrap().closed);
            (one.join().unwrap(), two.join().unwrap())
        });
        assert!(closed.0 != closed.1, "{closed:?}");
        assert_eq!(numbers(&world.open(&engine, "a")).len() as u64, round + 1);
    }
}

#[test]
fn acknowledged_requests_survive_death_after_death() {
    let world = World::memory();
    let engine = world.engine();
    let names = ["a", "b", "c"];
    names.iter().for_each(|name| loaded(&world, &engine, name));
    drop(engine);
    let mut there: Vec<BTreeMap<u64, u64>> = vec![BTreeMap::from([(0, 0)]); 3];
    let mut random = Random(4711);
    for round in 0..40 {
        let engine = world.engine();
        let request = OpenOptions {
            access: Access::Output,
            durability: Durability::Request,
            ..OpenOptions::default()
        };
        let mut open: Vec<DataSet> = names
            .iter()
            .map(|name| world.open_with(&engine, name, request))
            .collect();
        for (ds, there) in open.iter().zip(&there) {
            assert_eq!(numbers(ds), there.keys().copied().collect::<Vec<_>>(), "round {round}");
        }
        for _ in 0..random.below(120) {
            let which = random.below(3) as usize;
            let (ds, there, n) = (&open[which], &mut there[which], random.below(300));
            let mut s = ds.string();
            match s.get(&key(n), Search::Equal, Intent::Update) {
                Ok(record) => {
                    assert_eq!(unsealed(record.bytes), there[&n]);
                    if random.below(3) == 0 {
                        s.erase().unwrap();
                        there.remove(&n);
                    } else {
                        s.update(&sealed(n, random.0 >> 8, 30 + random.below(300) as usize))
                            .unwrap();
                        there.insert(n, random.0 >> 8);
                        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                        there.insert(n, unsealed(s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes));
                    }
                }
                Err(RequestError::NotFound) => {
                    s.insert(&sealed(n, n, 30 + random.below(300) as usize), Insert::Direct)
                        .unwrap();
                    there.insert(n, n);
                }
                Err(error) => panic!("{error}"),
            }
            if random.below(40) == 0 {
                ds.checkpoint().unwrap();
            }
            if random.below(40) == 0 {
                drop(s);
                open.remove(which).close().unwrap();
                open.insert(which, world.open_with(&engine, names[which], request));
            }
        }
        while !open.is_empty() {
            let ds = open.remove(random.below(open.len() as u64) as usize);
            match random.below(3) {
                0 => drop(ds.close().unwrap()),
                _ => drop(ds),
            }
        }
    }
}

#[test]
fn a_second_open_in_the_process_gets_the_durability_it_asks_for() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let first = world.open(&engine, "a");
    let request = OpenOptions {
        access: Access::Output,
        durability: Durability::Request,
        ..OpenOptions::default()
    };
    let second = world.open_with(&engine, "a", request);
    insert(&second, 1);
    drop((first, second, engine));
    assert_eq!(numbers(&world.open(&world.engine(), "a")), [0, 1]);
}

/// Bytes of log after 500 commits with a checkpoint after each fifty, while `others` are open for output too.
fn log_after_checkpoints(others: &[&str]) -> u64 {
    let world = World::memory();
    let engine = world.engine();
    engine.start_log_over_after(8 << 20);
    loaded(&world, &engine, "a");
    let open: Vec<DataSet> = others
        .iter()
        .map(|name| {
            loaded(&world, &engine, name);
            let ds = world.open(&engine, name);
            insert(&ds, 1);
            ds.commit().unwrap();
            ds
        })
        .collect();
    let a = world.open(&engine, "a");
    for n in 1..=500 {
        insert(&a, n);
        a.commit().unwrap();
        if n % 50 == 0 {
            a.checkpoint().unwrap();
        }
    }
    let logs = world.disk.list(&world.root.join("log")).unwrap();
    let bytes = logs.iter().map(|(_, length)| length).sum();
    // What the log has thrown away is in the trees, what it kept is in it.
    insert(&a, 501);
    a.commit().unwrap();
    drop((a, open, engine));
    let engine = world.engine();
    assert_eq!(numbers(&world.open(&engine, "a")), (0..=501).collect::<Vec<_>>());
    for name in others {
        assert_eq!(numbers(&world.open(&engine, name)), [0, 1]);
    }
    bytes
}

#[test]
fn a_checkpoint_of_the_only_data_set_that_logs_starts_the_log_over() {
    // Each commit takes a block of 4,096 bytes at least.
    assert!(log_after_checkpoints(&[]) < 100 * 4096 + (512 << 10));
    assert!(log_after_checkpoints(&["b"]) > 500 * 4096);
}

#[test]
fn a_log_file_that_a_killed_process_made_is_made_durable() {
    let (disk, world) = world();
    let made = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    disk.open(Path::new("/log/log-0001"), made).unwrap();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let ds = world.open(&engine, "a");
    insert(&ds, 1);
    ds.commit().unwrap();
    let after = cut(&disk);
    assert_eq!(numbers(&after.open(&after.engine(), "a")), [0, 1]);
}

/// The log leaves out what fills records up; a recovery puts it back.
#[test]
fn records_that_are_filled_up_outlive_a_power_cut_whole() {
    for organization in [Organization::Ksds, Organization::Esds] {
        let (disk, world) = world();
        let engine = world.engine();
        world.create(&engine, "a", |data, _| data.organization = organization);
        let filled = |n: u64, byte: u8, len: usize| {
            let mut record = key(n);
            record.resize(len, byte);
            record
        };
        let mut written = vec![filled(0, b'!', 60)];
        // The first is loaded: a load is not logged.
        let ds = world.open(&engine, "a");
        ds.string().insert(&written[0], Insert::Sequential).unwrap();
        ds.close().unwrap();
        let ds = world.open(&engine, "a");
        let mut string = ds.string();
        for (n, byte) in [b' ', 0, 0xFF, b'0'].into_iter().enumerate() {
            for (m, len) in [8, 9, 23, 24, 25, 60, 400].into_iter().enumerate() {
                written.push(filled((n * 10 + m) as u64 + 1, byte, len));
                string.insert(written.last().unwrap(), Insert::Sequential).unwrap();
            }
        }
        // One of the same length is filled up with something else.
        written[6] = filled(6, b'*', 60);
        string.point_first().unwrap();
        for _ in 0..7 {
            string.next(Intent::Update).unwrap();
        }
        string.update(&written[6]).unwrap();
        ds.commit().unwrap();
        let left = cut(&disk);
        let engine = left.engine();
        let ds = left.open(&engine, "a");
        assert_sound(&ds);
        let mut string = ds.string();
        string.point_first().unwrap();
        for record in &written {
            assert_eq!(string.next(Intent::Read).unwrap().bytes, record, "{organization:?}");
        }
        assert!(string.next(Intent::Read).is_err());
    }
}
