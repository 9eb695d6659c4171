//! Alternate keys that many records share: their pointers are a chain of records, which has no end (C1-C3).
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::aix::{self, AixRecord, Directory, Link, Pointers};
use cica_format::attributes::Alternate;
use common::sphere::{files, output};
use common::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Prime keys by alternate key, in order of arrival.
type Lists = BTreeMap<String, Vec<u64>>;

fn define(world: &World, engine: &Engine, longest: u32) {
    world.create(engine, "b", |data, index| {
        (data.primary, data.secondary, index.primary) = (1 << 20, 1 << 20, 1 << 20);
    });
    world.create(engine, "n", |data, index| {
        (data.key_offset, data.key_length) = (5, 3);
        (data.maximum_record, data.spanned) = (longest, true);
        (data.primary, data.secondary, index.primary) = (1 << 20, 1 << 20, 1 << 20);
        data.alternate = Some(Alternate {
            base: "T.B".into(),
            suppressed: None,
            chained: true,
            key_offset: 8,
            unique: false,
            upgrade: true,
            pointers: Pointers::Keys(8),
        });
    });
}

fn record(n: u64, group: &str) -> Vec<u8> {
    [&key(n)[..], group.as_bytes(), b"-the-rest"].concat()
}

fn build(world: &World, engine: &Engine, memory: usize) -> Built {
    let base = world.open_with(engine, "b", OpenOptions::default());
    let build = Build {
        work: Path::new("/v"),
        memory,
        progress: &mut |_| {},
        omitted: &mut |omitted| panic!("{omitted:?}"),
    };
    let built = engine.build_index(&base, &files(world, "n"), build).unwrap();
    base.close().unwrap();
    built
}

fn load(world: &World, engine: &Engine, records: impl Iterator<Item = Vec<u8>>) {
    let ds = world.open(engine, "b");
    let mut s = ds.string();
    for record in records {
        s.insert(&record, Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
}

fn open(world: &World, engine: &Engine) -> DataSet {
    engine
        .open_sphere(&files(world, "b"), &[files(world, "n")], output())
        .unwrap()
}

fn path(world: &World, engine: &Engine) -> DataSet {
    let upgrade = [files(world, "n")];
    engine
        .open_path(&files(world, "b"), &upgrade, &files(world, "n"), output())
        .unwrap()
}

fn told(record: Record<'_>) -> (String, u64) {
    let text = String::from_utf8_lossy(record.bytes);
    (text[8..11].to_string(), text[..8].parse().unwrap())
}

/// What the path reads, and 0/8 behind each as it must be.
fn swept(path: &DataSet, forward: bool, mirrored: bool) -> Vec<(String, u64)> {
    let (mut s, mut found, mut more) = (path.string(), Vec::<(String, u64)>::new(), false);
    if mirrored {
        s.mirror_duplicates();
    }
    if !forward {
        s.point_last().unwrap();
    }
    loop {
        let read = if forward {
            s.next(Intent::Read)
        } else {
            s.prev(Intent::Read)
        };
        match read.map(told) {
            Ok(read) => {
                let same = found.last().is_some_and(|last| last.0 == read.0);
                assert!(found.is_empty() || mirrored || same == more, "0/8 before {read:?}");
                found.push(read);
            }
            Err(RequestError::EndOfData) => return found,
            Err(error) => panic!("{error}"),
        }
        more = s.duplicate();
    }
}

/// Reads the path in each way there is, and looks at the records of the index themselves.
fn assert_is(world: &World, engine: &Engine, lists: &Lists) {
    let set = path(world, engine);
    let flat = |backward: bool, mirrored: bool| {
        let mut all = Vec::new();
        for (group, list) in lists {
            let mut list: Vec<_> = list.iter().map(|n| (group.clone(), *n)).collect();
            if backward != mirrored {
                list.reverse();
            }
            all.extend(list);
        }
        if backward {
            all.reverse();
        }
        all
    };
    assert_eq!(swept(&set, true, false), flat(false, false));
    assert_eq!(swept(&set, false, true), flat(true, true));
    let mut each = Vec::new();
    for (group, list) in lists.iter().rev() {
        each.extend(list.iter().map(|n| (group.clone(), *n)));
    }
    assert_eq!(swept(&set, false, false), each);
    set.close().unwrap();
    let set = world.open_with(engine, "n", OpenOptions::default());
    assert_sound(&set);
    let (mut s, mut directory, mut entries) = (set.string(), BTreeSet::new(), BTreeSet::new());
    while let Ok(record) = s.next(Intent::Read) {
        if aix::is_directory(record.bytes) {
            let read = Directory::read(record.bytes, 3).unwrap();
            directory.extend(read.entries.iter().map(|entry| (record.bytes[5..8].to_vec(), *entry)));
            continue;
        }
        let read = AixRecord::read(record.bytes).unwrap();
        let link = read.link.unwrap();
        if link.listed {
            let hashes = read.pointers().map(aix::hash);
            entries.extend(hashes.map(|hash| (read.key.to_vec(), (hash, link.number))));
        }
    }
    assert_eq!(directory, entries);
    drop(s);
    set.close().unwrap();
}

#[test]
fn chains_grow_and_shrink_as_records_come_and_go() {
    for seed in 1..4 {
        let world = World::memory();
        let mut engine = world.engine();
        define(&world, &engine, 60);
        load(&world, &engine, [record(0, "AAA")].into_iter());
        build(&world, &engine, 1 << 20);
        let (mut random, mut lists, mut there) = (Random(seed), Lists::new(), BTreeMap::new());
        lists.entry("AAA".into()).or_default().push(0);
        there.insert(0, "AAA");
        let mut set = open(&world, &engine);
        let mut s = set.string();
        for step in 0..4000u64 {
            // Most share one; the last of a key go as well.
            let group = ["AAA", "AAA", "AAA", "AAB", "ZZZ"][random.below(5) as usize];
            let n = 1 + random.below(700);
            let grows = (step / 1000) % 2 == 0;
            let old = there.get(&n).copied();
            let leave = |lists: &mut Lists, group: &str| {
                let list = lists.get_mut(group).unwrap();
                list.retain(|other| *other != n);
                if list.is_empty() {
                    lists.remove(group);
                }
            };
            match old {
                None if grows => {
                    s.insert(&record(n, group), Insert::Direct).unwrap();
                    assert_eq!(s.duplicate(), lists.contains_key(group));
                    lists.entry(group.into()).or_default().push(n);
                    there.insert(n, group);
                }
                None => {}
                Some(old) => {
                    s.get(&key(n)[..], Search::Equal, Intent::Update).unwrap();
                    if grows || random.below(4) == 0 {
                        s.update(&record(n, group)).unwrap();
                        if old != group {
                            leave(&mut lists, old);
                            lists.entry(group.into()).or_default().push(n);
                            there.insert(n, group);
                        }
                    } else {
                        s.erase().unwrap();
                        leave(&mut lists, old);
                        there.remove(&n);
                    }
                }
            }
            if step % 500 == 499 {
                drop(s);
                if step % 1000 == 499 {
                    // What the log has is done again.
                    set.commit().unwrap();
                    drop(set);
                    engine = world.engine();
                } else {
                    set.close().unwrap();
                }
                assert_is(&world, &engine, &lists);
                set = open(&world, &engine);
                s = set.string();
            }
        }
        // All go: nothing of a chain stays.
        for n in there.into_keys() {
            s.get(&key(n)[..], Search::Equal, Intent::Update).unwrap();
            s.erase().unwrap();
        }
        drop(s);
        set.close().unwrap();
        assert_is(&world, &engine, &Lists::new());
    }
}

#[test]
fn a_key_may_have_more_pointers_than_a_count_of_two_bytes_tells() {
    const RECORDS: u64 = 70_000;
    let world = World {
        pool_bytes: 32 << 20,
        ..World::memory()
    };
    let engine = world.engine();
    define(&world, &engine, 60);
    load(&world, &engine, (0..RECORDS).map(|n| record(n, "ONE")));
    // In memory, and in runs that are merged.
    for memory in [8 << 20, 1] {
        let built = build(&world, &engine, memory);
        assert_eq!((built.read, built.entries), (RECORDS, 1));
        assert_eq!(built.runs > 0, memory == 1);
    }
    let set = open(&world, &engine);
    let mut s = set.string();
    let mut list: Vec<u64> = (0..RECORDS).collect();
    for n in [0, 1, 35_000, RECORDS - 1] {
        s.get(&key(n)[..], Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
        list.retain(|other| *other != n);
    }
    s.insert(&record(0, "ONE"), Insert::Direct).unwrap();
    list.push(0);
    drop(s);
    set.close().unwrap();
    assert_is(&world, &engine, &Lists::from([("ONE".to_string(), list)]));
}

#[test]
fn a_unit_that_is_backed_out_leaves_no_pointer_and_takes_none() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine, 60);
    load(&world, &engine, (0..300).map(|n| record(n, "ONE")));
    build(&world, &engine, 1 << 20);
    let set = open(&world, &engine);
    let unit = engine.unit();
    let mut s = set.string_in(&unit);
    for n in 300..600 {
        s.insert(&record(n, "ONE"), Insert::Direct).unwrap();
    }
    for n in 0..150 {
        s.get(&key(n)[..], Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    }
    unit.backout().unwrap();
    drop(s);
    set.close().unwrap();
    let set = path(&world, &engine);
    let mut found: Vec<u64> = swept(&set, true, false).into_iter().map(|read| read.1).collect();
    // What was erased comes again behind the others, as a record that is added does.
    assert_eq!(found[..150], (150..300).collect::<Vec<u64>>()[..]);
    found.sort_unstable();
    assert_eq!(found, (0..300).collect::<Vec<u64>>());
    set.close().unwrap();
}

/// The first link of a chain has a pointer, and a directory names the links of all. Where a file says otherwise that is
/// answered, and not looked at for ever.
#[test]
fn a_chain_that_leads_nowhere_is_damaged() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine, 60);
    let records = [record(0, "AAA"), record(1, "UUU"), record(2, "ZZZ")];
    load(&world, &engine, records.into_iter());
    build(&world, &engine, 1 << 20);
    let link = |key: &[u8], number: u64, pointer: Option<u64>| {
        let (mut record, listed) = (Vec::new(), true);
        aix::begin_link(&mut record, Pointers::Keys(8), key, Link { number, listed });
        if let Some(n) = pointer {
            aix::add(&mut record, &common::key(n)).unwrap();
        }
        record
    };
    let directory = Directory {
        low: 0,
        entries: vec![(aix::hash(&key(1)), 0)],
    };
    let set = world.open(&engine, "n");
    let mut s = set.string();
    // An empty link alone, and one that its directory does not name, to a record that is not there.
    for record in [
        link(b"EEE", 0, None),
        link(b"UUU", 1, Some(77)),
        directory.write(b"UUU"),
    ] {
        s.insert(&record, Insert::Direct).unwrap();
    }
    s.get(&[&b"UUU"[..], &[0; 8]].concat(), Search::Equal, Intent::Update)
        .unwrap();
    s.update(&link(b"UUU", 0, Some(1))).unwrap();
    drop(s);
    set.close().unwrap();
    let damaged = |answer: Result<Record<'_>, RequestError>| {
        let f = answer.unwrap_err().feedback();
        assert_eq!((f.return_code, f.reason, f.component), (12, 4, 2));
    };
    let set = path(&world, &engine);
    let mut s = set.string();
    damaged(s.get(b"EEE", Search::Equal, Intent::Read));
    damaged(s.get(b"B", Search::GreaterOrEqual, Intent::Read));
    damaged(s.skip(b"EEE", Search::Equal, Intent::Read));
    s.point_first().unwrap();
    assert_eq!(s.next(Intent::Read).map(told).unwrap().0, "AAA");
    damaged(s.next(Intent::Read));
    // Others are read as ever.
    let mut read = |key: &[u8]| s.get(key, Search::Equal, Intent::Position).map(told).unwrap().1;
    assert_eq!((read(b"ZZZ"), read(b"UUU")), (2, 1));
    damaged(s.next(Intent::Read));
    damaged(s.prev(Intent::Read));
    drop(s);
    set.close().unwrap();
}

/// Nanoseconds that this thread has had of a processor.
fn processor_time() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    told.split(' ').next().unwrap().parse().unwrap()
}

/// What one pointer more and one less costs, by how many records share its key, beside the same requests to a data set
/// without an alternate index. `CICA_SHARED` is how many at most.
#[test]
#[ignore = "a measurement: run it alone"]
fn what_one_pointer_costs() {
    let most = std::env::var("CICA_SHARED").map_or(1_000_000, |most| most.parse().unwrap());
    for shared in [1_000u64, 100_000, 1_000_000]
        .into_iter()
        .filter(|shared| *shared <= most)
    {
        let world = World {
            pool_bytes: 1 << 30,
            ..World::memory()
        };
        let engine = world.engine();
        // Control intervals and areas as DEFINE gives them.
        for (name, alternate) in [("b", false), ("alone", false), ("n", true)] {
            world.create(&engine, name, |data, index| {
                (data.ci_size, data.ci_per_ca, index.ci_size) = (4096, 180, 2048);
                (data.primary, data.secondary, index.primary) = (64 << 20, 64 << 20, 16 << 20);
                data.alternate = alternate.then(|| Alternate {
                    base: "T.B".into(),
                    suppressed: None,
                    chained: true,
                    key_offset: 8,
                    unique: false,
                    upgrade: true,
                    pointers: Pointers::Keys(8),
                });
                if alternate {
                    (data.key_offset, data.key_length, data.spanned) = (5, 3, true);
                }
            });
        }
        for name in ["b", "alone"] {
            let ds = world.open(&engine, name);
            let mut s = ds.string();
            for n in 0..shared {
                s.insert(&record(n * 2, "ONE"), Insert::Sequential).unwrap();
            }
            drop(s);
            ds.close().unwrap();
        }
        let began = processor_time();
        build(&world, &engine, 64 << 20);
        let built = (processor_time() - began) / shared;
        let bytes = world.open_with(&engine, "n", OpenOptions::default()).high_used() / shared;
        let costs = |set: &DataSet| {
            let (mut s, mut random) = (set.string(), Random(7));
            let mut costs = [(0, 0); 2];
            // The first round brings the pages into the pool.
            for cost in &mut costs {
                let (mut added, mut gone, times) = (Vec::new(), 0, 20_000);
                let began = processor_time();
                for _ in 0..times {
                    let n = random.below(shared * 2) / 2 * 2 + 1;
                    if s.insert(&record(n, "ONE"), Insert::Direct).is_ok() {
                        added.push(n);
                    }
                }
                let between = processor_time();
                for n in &added {
                    s.get(&key(*n)[..], Search::Equal, Intent::Update).unwrap();
                    s.erase().unwrap();
                    gone += 1;
                }
                *cost = ((between - began) / times, (processor_time() - between) / gone);
            }
            costs[1]
        };
        let set = open(&world, &engine);
        let with = costs(&set);
        let alone = costs(&world.open(&engine, "alone"));
        set.close().unwrap();
        let set = path(&world, &engine);
        let began = processor_time();
        swept(&set, true, false);
        let each = (processor_time() - began) / shared;
        set.close().unwrap();
        println!(
            "{shared} share a key: insert {} ns (alone {}), erase {} ns (alone {}), BLDINDEX {built} ns and {bytes} bytes a \
             pointer, NEXT by the path {each} ns",
            with.0, alone.0, with.1, alone.1
        );
    }
}
