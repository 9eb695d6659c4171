//! Threads in orders that a scheduler chooses: at random, and by few changes of priority (PCT). Only compiled with
//! `RUSTFLAGS="--cfg cica_schedules"`, see `src/sync`; `checks/reliability.py` does that. What a power cut leaves of
//! threads is a matter of `cica-sim threads`.
//!
//! `CICA_SCHEDULES` orders of each kind (100 without it), from seed `CICA_SEED` on. A failure prints its schedule.
#![cfg(cica_schedules)]
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Open, ReadAt};
use cica_engine::*;
use cica_format::attributes::Organization;
use cica_format::log::{read_group, BLOCK_LEN};
use common::history::*;
use common::orders::explore;
use common::sphere;
use common::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// Threads that work on few records, one that commits if wanted, and what explains their answers.
fn history(organization: Organization, longest: u64, keys: u64, commits: u64, durability: Durability) {
    let world = World {
        pool_bytes: 1 << 20,
        ..World::memory()
    };
    history_in(
        &world,
        &world.engine(),
        organization,
        longest,
        keys,
        commits,
        durability,
    );
}

fn history_in(
    world: &World,
    engine: &Engine,
    organization: Organization,
    longest: u64,
    keys: u64,
    commits: u64,
    durability: Durability,
) {
    world.create(engine, "d", |data, index| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        data.maximum_record = longest as u32;
        index.maximum_record = longest as u32;
        data.spanned = longest > 505;
    });
    let open = world.open(engine, "d");
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
    let ds = world.open_with(engine, "d", options);
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
    assert_sound(&world.open(engine, "d"));
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

/// What is answered with success beside the CLOSE that lets go of the data set is in what the CLOSE leaves.
#[test]
fn a_request_beside_the_last_close_is_there_afterwards_or_refused() {
    explore(|| {
        let world = World {
            pool_bytes: 1 << 20,
            ..World::memory()
        };
        let engine = world.engine();
        keyed::loaded(&world, &engine, "d", 2);
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        keyed::insert(&mut s, 1, 1).unwrap();
        let adder = shuttle::thread::spawn(move || {
            let added = (2..6).filter(|n| keyed::insert(&mut s, *n, 1).is_ok());
            added.collect::<Vec<u64>>()
        });
        ds.close().unwrap();
        let added = adder.join().unwrap();
        let again = world.open(&engine, "d");
        let mut s = again.string();
        for n in added {
            let there = s.get(&key(n), Search::Equal, Intent::Read).is_ok();
            assert!(there, "record {n} was answered and is gone");
        }
    });
}

#[test]
fn epochs_of_the_log_end_on_a_thread_of_their_own_while_records_change() {
    let ended = Arc::new(AtomicU64::new(0));
    let seen = ended.clone();
    explore(move || {
        let world = World {
            pool_bytes: 1 << 20,
            background: true,
            ..World::memory()
        };
        let engine = world.engine();
        // Every few requests one ends.
        engine.start_log_over_after(8 << 10);
        history_in(&world, &engine, Organization::Ksds, 100, 4, 0, Durability::Request);
        seen.fetch_add(u64::from(latest_epoch(&world) > 1), Relaxed);
    });
    let ended = ended.load(Relaxed);
    assert!(ended > 0, "no schedule went on in a later epoch");
}

/// The latest epoch of the groups in the log's files.
fn latest_epoch(world: &World) -> u32 {
    let directory = world.root.join("log");
    let mut latest = 0;
    for (name, length) in world.disk.list(&directory).unwrap() {
        let file = world.disk.open(&directory.join(name), Open::default()).unwrap();
        let mut bytes = vec![0; length as usize];
        let (at, got) = (0, 0);
        let buf = &mut bytes;
        file.read(&mut [ReadAt { at, buf, got }]).unwrap();
        let groups = bytes.chunks(BLOCK_LEN).filter_map(|block| read_group(block).ok());
        latest = groups.map(|(group, _)| group.epoch).fold(latest, u32::max);
    }
    latest
}

/// Writing ahead of a commit takes CAs off the list of what is changed, while pages come into being (splits) and move
/// to larger frames (records that grow). What it took off too early would be in no later commit (store:S8).
#[test]
fn nothing_is_lost_beside_headers_that_are_written_early() {
    explore(|| {
        let world = World {
            pool_bytes: 1 << 20,
            ..World::memory()
        };
        let engine = world.engine();
        world.create(&engine, "d", |data, _| {
            (data.ci_size, data.ci_per_ca) = (4096, 2);
            (data.average_record, data.maximum_record) = (1000, 1000);
        });
        // Of what ends in blanks the pool keeps what stands before them.
        let record = move |n: u64, value: u64, end: u8| {
            let mut record = sealed(n, value, 40);
            record.resize(1000, end);
            record
        };
        let update = move |s: &mut Str, n: u64, value: u64, end: u8| {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&record(n, value, end)).unwrap();
        };
        const RECORDS: u64 = 40;
        // Each in a CI of its own, which nobody changes a second time.
        let grown = || (0..5).map(|round| 10 * (1 + 4 * round));
        let added = || (5..10).map(|round| 10 * (1 + 4 * round) + 1);
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        for n in 0..RECORDS {
            s.insert(&record(10 * n, 0, b' '), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        // So many CAs are changed that it is worth it.
        (0..RECORDS)
            .step_by(9)
            .for_each(|n| update(&mut ds.string(), 10 * n, 1, b' '));
        let grower = {
            let ds = ds.clone();
            shuttle::thread::spawn(move || grown().for_each(|n| update(&mut ds.string(), n, 2, b'x')))
        };
        let adder = {
            let ds = ds.clone();
            let add = move |n| drop(ds.string().insert(&record(n, 2, b'x'), Insert::Direct).unwrap());
            shuttle::thread::spawn(move || added().for_each(add))
        };
        let committer = {
            let ds = ds.clone();
            shuttle::thread::spawn(move || (0..2).for_each(|_| ds.checkpoint().unwrap()))
        };
        grower.join().unwrap();
        adder.join().unwrap();
        committer.join().unwrap();
        ds.close().unwrap();
        let again = world.open(&engine, "d");
        assert_sound(&again);
        let mut s = again.string();
        for n in grown().chain(added()) {
            let found = s.get(&key(n), Search::Equal, Intent::Read).unwrap();
            assert_eq!(unsealed(&found.bytes[..40]), 2, "the change of {n} is lost");
        }
        s.point_first().unwrap();
        let there = std::iter::from_fn(|| s.next(Intent::Read).ok().map(drop)).count() as u64;
        assert_eq!(there, RECORDS + 5);
    });
}

#[test]
fn a_pool_with_room_for_few_pages_gives_them_up_while_others_read() {
    explore(|| {
        let world = World {
            pool_bytes: 1 << 20,
            ..World::memory()
        };
        let engine = world.engine();
        world.create(&engine, "d", |data, index| {
            (data.ci_size, data.ci_per_ca) = (32_768, 4);
            (data.average_record, data.maximum_record) = (30_000, 30_000);
            (data.primary, data.secondary, index.primary) = (8 << 20, 1 << 20, 1 << 20);
        });
        const RECORDS: u64 = 48;
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        for n in 0..RECORDS {
            s.insert(&sealed(n, 0, 30_000), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let workers: Vec<_> = (0..3)
            .map(|thread| {
                let ds = ds.clone();
                shuttle::thread::spawn(move || {
                    let (mut s, mut random) = (ds.string(), Random(5 + thread));
                    for round in 1..=4 {
                        let n = random.below(RECORDS / 3) * 3 + thread;
                        let held = s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                        let before = unsealed(held.bytes);
                        s.update(&sealed(n, before + 1, 30_000)).unwrap();
                        let other = (n + 16 * round) % RECORDS;
                        unsealed(s.get(&key(other), Search::Equal, Intent::Read).unwrap().bytes);
                    }
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        let (limit, charged) = engine.pool_use();
        assert!(charged <= limit, "{charged} bytes charged, the bound is {limit}");
        let mut s = ds.string();
        let values = (0..RECORDS).map(|n| unsealed(s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes));
        assert_eq!(values.sum::<u64>(), 12, "an update is lost");
        drop(s);
        ds.close().unwrap();
    });
}

#[test]
fn alternate_indexes_agree_with_their_base_whoever_changes_it_first() {
    explore(|| {
        let world = World {
            pool_bytes: 2 << 20,
            ..World::memory()
        };
        let engine = sphere::ready(&world);
        let base = sphere::open(&world, &engine);
        let workers: Vec<_> = (0..3_u64)
            .map(|thread| {
                let base = base.clone();
                shuttle::thread::spawn(move || {
                    let (mut s, mut random) = (base.string(), Random(31 + thread));
                    for _ in 0..5 {
                        let n = 1 + random.below(3);
                        let record = sphere::record(n, &format!("{:04}", 1 + random.below(4)), "AAA");
                        let held = s.get(&key(n), Search::Equal, Intent::Update).map(drop);
                        let done = match (held, random.below(3)) {
                            (Ok(()), 0) => s.erase(),
                            (Ok(()), _) => s.update(&record).map(drop),
                            (Err(RequestError::NotFound), _) => s.insert(&record, Insert::Direct).map(drop),
                            (Err(error), _) => Err(error),
                        };
                        match done {
                            Ok(()) | Err(RequestError::Duplicate { .. } | RequestError::Exclusive { .. }) => {}
                            // A duplicate of an alternate key says which component it is in.
                            Err(error) => assert_eq!(error.feedback().reason, 8, "{error}"),
                        }
                    }
                })
            })
            .collect();
        let committer = {
            let base = base.clone();
            shuttle::thread::spawn(move || base.checkpoint().unwrap())
        };
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        committer.join().unwrap();
        base.close().unwrap();
        sphere::assert_agree(&world, &engine);
    });
}

/// A change of a record is covered by an earlier one of its unit (unit:U10), and not by one that another thread was
/// refused.
#[test]
fn a_refused_change_covers_nothing() {
    explore(|| {
        let world = World {
            pool_bytes: 2 << 20,
            ..World::memory()
        };
        let engine = sphere::ready(&world);
        let base = sphere::open(&world, &engine);
        for (n, unique) in [(1, "0001"), (2, "0002")] {
            let record = sphere::record(n, unique, "AAA");
            base.string().insert(&record, Insert::Direct).unwrap();
        }
        let before = sphere::contents(&base);
        let unit = engine.unit();
        // Record 2 has the alternate key that the first of them wants.
        let workers: Vec<_> = ["0002", "0001"]
            .into_iter()
            .map(|unique| {
                let mut s = base.string_in(&unit);
                shuttle::thread::spawn(move || {
                    s.get(&key(1), Search::Equal, Intent::Update).unwrap();
                    let mut record = sphere::record(1, unique, "AAA");
                    *record.last_mut().unwrap() = b'?';
                    let _ = s.update(&record);
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        unit.backout().unwrap();
        assert_eq!(sphere::contents(&base), before);
        drop(unit);
        base.close().unwrap();
    });
}

#[test]
fn what_is_held_is_not_rewritten() {
    explore(|| {
        let world = World {
            pool_bytes: 1 << 20,
            ..World::memory()
        };
        let engine = world.engine();
        common::keyed::loaded(&world, &engine, "d", 2);
        let ds = world.open(&engine, "d");
        let holder = {
            let ds = ds.clone();
            shuttle::thread::spawn(move || {
                let (mut s, mut witness) = (ds.string(), ds.string());
                for round in 0..3 {
                    let held = match s.get(&key(10), Search::Equal, Intent::Update) {
                        Ok(record) => unsealed(record.bytes),
                        // A writer that does not stand on it holds it for a moment.
                        Err(RequestError::Exclusive { .. }) => continue,
                        Err(error) => panic!("{error}"),
                    };
                    let there = unsealed(witness.get(&key(10), Search::Equal, Intent::Read).unwrap().bytes);
                    assert_eq!(there, held, "it was rewritten while it was held");
                    s.update(&sealed(10, 100 + round, 60)).unwrap();
                }
            })
        };
        let writers: Vec<_> = (0..2_u64)
            .map(|thread| {
                let ds = ds.clone();
                shuttle::thread::spawn(move || {
                    let mut s = ds.string();
                    for round in 0..3 {
                        s.get(&key(10), Search::Equal, Intent::Position).unwrap();
                        match s.rewrite(&key(10)[..], &sealed(10, 200 + 10 * thread + round, 60)) {
                            Ok(_) | Err(RequestError::Exclusive { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                })
            })
            .collect();
        holder.join().unwrap();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        ds.close().unwrap();
    });
}

#[test]
fn units_that_meet_on_records_are_each_done_whole_or_not_at_all() {
    explore(|| {
        let world = World {
            pool_bytes: 2 << 20,
            ..World::memory()
        };
        let engine = world.engine();
        const RECORDS: u64 = 4;
        common::keyed::loaded(&world, &engine, "d", RECORDS);
        let ds = world.open(&engine, "d");
        let workers: Vec<_> = (0..3_u64)
            .map(|thread| {
                let (ds, unit) = (ds.clone(), engine.unit());
                shuttle::thread::spawn(move || {
                    let mut random = Random(7 + thread);
                    for _ in 0..3 {
                        // One more here and one less there; who finds a record taken gives all back.
                        let (from, to) = (random.below(RECORDS) * 10, random.below(RECORDS) * 10);
                        let mut s = ds.string_in(&unit);
                        let mut add = |n: u64, more: u64| -> Result<(), RequestError> {
                            let before = unsealed(s.get(&key(n), Search::Equal, Intent::Update)?.bytes);
                            s.update(&sealed(n, before.wrapping_add(more), 60)).map(drop)
                        };
                        let done = add(from, 1).and_then(|()| add(to, u64::MAX));
                        match done {
                            Ok(()) if random.below(3) > 0 => unit.commit().unwrap(),
                            Ok(()) | Err(RequestError::Exclusive { .. }) => unit.backout().unwrap(),
                            Err(error) => panic!("{error}"),
                        }
                    }
                })
            })
            .collect();
        let committer = {
            let ds = ds.clone();
            shuttle::thread::spawn(move || ds.checkpoint().unwrap())
        };
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        committer.join().unwrap();
        let values = common::keyed::contents(&ds);
        let sum = values
            .iter()
            .fold(0_u64, |sum, record| sum.wrapping_add(unsealed(record)));
        assert_eq!(sum, 0, "half a unit is there");
        ds.close().unwrap();
    });
}

/// The first change of one data set, while another one's change finds the log too long and starts it over.
fn first_change_beside_an_end_of_epoch(durability: Durability) {
    let (disk, world) = power::world();
    let engine = world.engine();
    engine.start_log_over_after(1);
    let options = OpenOptions {
        access: Access::Output,
        durability,
        ..OpenOptions::default()
    };
    // A further change would have the tree committed, and the first one with it.
    let changes = [("a", 1), ("b", 3)];
    let workers: Vec<_> = changes
        .map(|(name, changes)| {
            keyed::loaded(&world, &engine, name, 4);
            (world.open_with(&engine, name, options), changes)
        })
        .into_iter()
        .map(|(ds, changes)| {
            shuttle::thread::spawn(move || {
                for n in 0..changes {
                    keyed::insert(&mut ds.string(), 100 + n, n).unwrap();
                }
                ds.commit().unwrap();
                ds
            })
        })
        .collect();
    let open: Vec<DataSet> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
    let after = power::cut(&disk);
    for (name, changes) in changes {
        let found = keyed::contents(&after.open(&after.engine(), name)).len() as u64;
        assert_eq!(found, 4 + changes, "{name}");
    }
    drop(open);
}

#[test]
fn the_first_change_of_a_data_set_outlives_the_end_of_an_epoch() {
    explore(|| first_change_beside_an_end_of_epoch(Durability::Request));
    explore(|| first_change_beside_an_end_of_epoch(Durability::Commit));
}
