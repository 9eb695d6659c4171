//! Paths: the base in the order of an alternate key.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::aix::{self, Pointers};
use common::sphere::*;
use common::*;

fn path(world: &World, engine: &Engine, name: &str, options: OpenOptions) -> DataSet {
    let upgrade = match options.access {
        Access::Output => vec![files(world, "u"), files(world, "n")],
        Access::Input => Vec::new(),
    };
    engine
        .open_path(&files(world, "b"), &upgrade, &files(world, name), options)
        .unwrap()
}

/// Twelve records: unique keys against the prime keys, groups CCC, BBB and AAA in turn, in order of arrival.
fn filled(world: &World) -> Engine {
    let engine = ready(world);
    let ds = open(world, &engine);
    let mut s = ds.string();
    for n in [7, 3, 9, 1, 5, 11, 2, 4, 6, 8, 10] {
        let group = ["AAA", "CCC", "BBB"][n as usize % 3];
        s.insert(&record(n, &format!("{:04}", 50 - n), group), Insert::Direct)
            .unwrap();
    }
    drop(s);
    ds.close().unwrap();
    engine
}

fn number(record: Record<'_>) -> u64 {
    String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap()
}

/// Everything in one direction, with 0/8 behind each as a flag.
fn all(s: &mut Str, forward: bool) -> Vec<(u64, bool)> {
    let mut found = Vec::new();
    loop {
        let read = if forward {
            s.next(Intent::Read)
        } else {
            s.prev(Intent::Read)
        };
        match read.map(number) {
            Ok(n) => found.push((n, s.duplicate())),
            Err(error) => {
                let f = s.feedback(&error);
                assert_eq!((f.return_code, f.reason, f.component), (8, 4, 2));
                return found;
            }
        }
    }
}

const NOT_LAST: bool = true;
const LAST: bool = false;

#[test]
fn a_path_is_read_in_order_of_the_alternate_key_and_duplicates_in_order_of_arrival() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = path(&world, &engine, "n", OpenOptions::default());
    assert_eq!((ds.attributes().key_offset, ds.attributes().key_length), (12, 3));
    let groups = [
        [(0, NOT_LAST), (3, NOT_LAST), (9, NOT_LAST), (6, LAST)],
        [(11, NOT_LAST), (5, NOT_LAST), (2, NOT_LAST), (8, LAST)],
        [(7, NOT_LAST), (1, NOT_LAST), (4, NOT_LAST), (10, LAST)],
    ];
    // 5 came before 11.
    let groups = groups.map(|mut g| {
        if g[0].0 == 11 {
            (g[0].0, g[1].0) = (5, 11);
        }
        g
    });
    let mut s = ds.string();
    assert_eq!(all(&mut s, true), groups.concat());
    s.point_last().unwrap();
    let backward: Vec<_> = groups.iter().rev().flatten().copied().collect();
    assert_eq!(
        all(&mut s, false),
        backward,
        "duplicates stand in order of arrival in both directions"
    );
    let ds = path(&world, &engine, "u", OpenOptions::default());
    let mut s = ds.string();
    let unique: Vec<_> = [0].into_iter().chain((1..12).rev()).map(|n| (n, LAST)).collect();
    assert_eq!(all(&mut s, true), unique);
}

#[test]
fn a_direct_get_finds_the_first_of_the_duplicates() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = path(&world, &engine, "n", OpenOptions::default());
    let mut s = ds.string();
    assert_eq!(s.get(b"BBB", Search::Equal, Intent::Position).map(number).unwrap(), 5);
    assert!(s.duplicate());
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 11);
    assert_eq!(
        s.get(b"B", Search::Equal, Intent::Read).map(number).unwrap(),
        5,
        "generic"
    );
    assert_eq!(
        s.next(Intent::Read).unwrap_err().feedback().reason,
        88,
        "no position was kept"
    );
    assert_eq!(
        s.get(b"BBC", Search::GreaterOrEqual, Intent::Read).map(number).unwrap(),
        7
    );
    let error = s.get(b"BBC", Search::Equal, Intent::Read).unwrap_err();
    let f = s.feedback(&error);
    assert_eq!((f.return_code, f.reason, f.component), (8, 16, 2));
    assert_eq!(
        s.get(b"BBBB", Search::Equal, Intent::Read)
            .unwrap_err()
            .feedback()
            .reason,
        112
    );
    let by_rba = s.get(Argument::Rba(0), Search::Equal, Intent::Read).unwrap_err();
    assert_eq!(by_rba.feedback().reason, 200);
    s.point(b"BBB", Search::Equal).unwrap();
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 5);
    s.point_backward(b"BBB", Search::Equal).unwrap();
    assert_eq!(s.prev(Intent::Read).map(number).unwrap(), 5);
    assert_eq!(s.get(b"CCC", Search::Equal, Intent::Position).map(number).unwrap(), 7);
    assert_eq!(
        s.skip(b"AAA", Search::Equal, Intent::Read)
            .unwrap_err()
            .feedback()
            .reason,
        12
    );
}

#[test]
fn changes_through_a_path_reach_base_and_upgrade_set() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = path(&world, &engine, "n", output());
    let mut s = ds.string();
    // Update keeps the path's alternate key, and may change another.
    s.get(b"BBB", Search::Equal, Intent::Update).unwrap();
    assert_eq!(refused(s.update(&record(5, "0045", "BBX"))), (8, 96, 0));
    assert_eq!(refused(s.update(&record(6, "0045", "BBB"))), (8, 96, 0));
    assert_eq!(refused(s.update(&record(5, "0049", "BBB"))), (8, 8, 4));
    s.update(&record(5, "7777", "BBB")).unwrap();
    // Browse goes on behind an erased record.
    assert_eq!(s.next(Intent::Update).map(number).unwrap(), 11);
    s.erase().unwrap();
    assert_eq!(s.next(Intent::Update).map(number).unwrap(), 2);
    s.erase().unwrap();
    assert_eq!(s.erase().unwrap_err().feedback().reason, 92);
    s.insert(&record(20, "2020", "BBB"), Insert::Direct).unwrap();
    assert!(s.duplicate());
    assert_eq!(s.get(b"BBB", Search::Equal, Intent::Position).map(number).unwrap(), 5);
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 8);
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 20);
    assert!(!s.duplicate());
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 7);
    drop(s);
    ds.close().unwrap();
    assert_eq!(assert_agree(&world, &engine).len(), 11);
}

#[test]
fn a_path_and_its_base_share_one_open() {
    let world = World::memory();
    let engine = filled(&world);
    let base = open(&world, &engine);
    let ds = path(&world, &engine, "u", output());
    let (mut s, mut t) = (base.string(), ds.string());
    s.get(&key(5), Search::Equal, Intent::Update).unwrap();
    assert_eq!(
        t.get(b"0045", Search::Equal, Intent::Update)
            .unwrap_err()
            .feedback()
            .reason,
        20
    );
    s.update(&record(5, "1234", "BBB")).unwrap();
    assert_eq!(
        t.get(b"0045", Search::Equal, Intent::Read)
            .unwrap_err()
            .feedback()
            .reason,
        16
    );
    assert_eq!(t.get(b"1234", Search::Equal, Intent::Read).map(number).unwrap(), 5);
    drop((s, t));
    assert!(!base.close().unwrap().closed);
    assert!(ds.close().unwrap().closed);
    assert_agree(&world, &engine);
}

#[test]
fn a_skip_through_a_path_that_was_refused_is_made_again() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = path(&world, &engine, "u", output());
    for steps in [false, true] {
        let unit = engine.unit();
        let mut changer = ds.string_in(&unit);
        assert_eq!(
            changer.get(b"0043", Search::Equal, Intent::Update).map(number).unwrap(),
            7
        );
        changer.update(&record(7, "0043", "BBB")).unwrap();
        let mut s = ds.string();
        s.set_integrity(ReadIntegrity::Consistent);
        s.get(b"0042", Search::Equal, Intent::Position).unwrap();
        if steps {
            assert_eq!(s.next(Intent::Read).unwrap_err().feedback().reason, 20);
        }
        let mut skip = |key: &[u8]| match s.skip(key, Search::GreaterOrEqual, Intent::Read) {
            Ok(record) => Ok(number(record)),
            Err(error) => Err(error.feedback().reason),
        };
        for _ in 0..2 {
            assert_eq!(skip(b"0042"), Ok(8));
            assert_eq!(skip(b"0043"), Err(20));
        }
        assert_eq!(skip(b"0041"), Err(12));
        unit.commit().unwrap();
        assert_eq!(skip(b"0043"), Ok(7));
    }
}

#[test]
fn an_index_that_is_not_upgraded_leads_to_what_it_knew() {
    let world = World::memory();
    let engine = filled(&world);
    // Like NOUPDATE: the upgrade set is not opened.
    let (base, n) = (files(&world, "b"), files(&world, "n"));
    let ds = engine.open_path(&base, &[], &n, output()).unwrap();
    let mut s = ds.string();
    assert_eq!(s.get(b"BBB", Search::Equal, Intent::Update).map(number).unwrap(), 5);
    s.erase().unwrap();
    let error = s.get(b"BBB", Search::Equal, Intent::Read).unwrap_err();
    let f = error.feedback();
    assert_eq!((f.return_code, f.reason, f.component), (8, 144, 2), "{error}");
    s.point(b"BBB", Search::Equal).unwrap();
    assert_eq!(s.next(Intent::Read).unwrap_err().feedback().reason, 144);
    drop(s);
    ds.close().unwrap();
    // The pointer that leads nowhere is no hindrance to the upgrade of others.
    let ds = open(&world, &engine);
    let mut s = ds.string();
    s.insert(&record(5, "5555", "BBB"), Insert::Direct).unwrap();
    s.get(&key(5), Search::Equal, Intent::Update).unwrap();
    s.erase().unwrap();
    drop(s);
    ds.close().unwrap();
    assert_eq!(
        entries(&world, &engine, "n")[&b"BBB".to_vec()],
        [key(11), key(2), key(8)]
    );
}

#[test]
fn there_is_no_way_through_an_index_that_was_never_built() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine);
    let ds = world.open(&engine, "b");
    ds.string()
        .insert(&record(0, "0000", "AAA"), Insert::Sequential)
        .unwrap();
    ds.close().unwrap();
    for options in [OpenOptions::default(), output()] {
        let error = engine
            .open_path(&files(&world, "b"), &[], &files(&world, "u"), options)
            .err()
            .unwrap();
        assert_eq!(error.acberflg(), 196, "{error}");
    }
    let error = engine
        .open_path(&files(&world, "b"), &[], &files(&world, "b"), output())
        .err()
        .unwrap();
    assert_eq!(error.acberflg(), 192, "{error}");
}

#[test]
fn readers_through_a_path_never_see_half_a_change() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = open(&world, &engine);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random(99);
            let mut s = ds.string();
            for _ in 0..4000 {
                let n = random.below(12);
                let group = ["AAA", "BBB", "CCC"][random.below(3) as usize];
                s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                s.update(&record(n, &format!("{:04}", 100 + n), group)).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        scope.spawn(|| {
            let way = path(&world, &engine, "n", output());
            let mut s = way.string();
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                for group in [b"AAA", b"BBB", b"CCC"] {
                    match s.get(group, Search::Equal, Intent::Read) {
                        Ok(record) => assert_eq!(&record.bytes[12..15], group),
                        Err(error) => assert_eq!(error.feedback().reason, 16, "{error}"),
                    }
                }
                s.point_first().unwrap();
                let mut before: Vec<u8> = Vec::new();
                loop {
                    match s.next(Intent::Read) {
                        Ok(record) => {
                            assert!(before[..] <= record.bytes[12..15]);
                            before = record.bytes[12..15].to_vec();
                        }
                        Err(RequestError::EndOfData) => break,
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        });
    });
    ds.close().unwrap();
    assert_agree(&world, &engine);
}

#[test]
fn a_string_that_mirrors_duplicates_reads_them_backward_as_it_came() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = path(&world, &engine, "n", OpenOptions::default());
    let mut s = ds.string();
    let forward: Vec<u64> = all(&mut s, true).into_iter().map(|(n, _)| n).collect();
    let mut s = ds.string();
    s.mirror_duplicates();
    s.point_last().unwrap();
    let mut backward: Vec<u64> = all(&mut s, false).into_iter().map(|(n, _)| n).collect();
    backward.reverse();
    assert_eq!(backward, forward);
}

#[test]
fn a_string_that_stays_returns_the_same_record_or_its_neighbour() {
    let world = World::memory();
    let engine = filled(&world);
    let ds = path(&world, &engine, "n", output());
    let mut s = ds.string();
    s.mirror_duplicates();
    let delete = |n: u64| {
        let mut s = ds.string();
        while s.next(Intent::Update).map(number).unwrap() != n {}
        s.erase().unwrap();
    };
    // BBB has 5, 11, 2, 8.
    assert_eq!(s.get(b"BBB", Search::Equal, Intent::Position).map(number).unwrap(), 5);
    s.stay();
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 5);
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 11);
    s.stay();
    assert_eq!(s.prev(Intent::Read).map(number).unwrap(), 11);
    s.stay();
    delete(11);
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 2);
    s.stay();
    delete(2);
    assert_eq!(s.prev(Intent::Read).map(number).unwrap(), 5);
    s.stay();
    delete(5);
    delete(8);
    assert_eq!(s.next(Intent::Read).map(number).unwrap(), 7, "the key is gone too");
    s.end();
    s.stay();
    assert_eq!(s.next(Intent::Read).unwrap_err().feedback().reason, 88);
}

/// Whoever opens an alternate index by itself can put any record there.
#[test]
fn a_record_that_is_none_of_the_index_is_told_as_damage() {
    let mut none = Vec::new();
    aix::begin(&mut none, Pointers::Keys(8), b"DDD");
    let mut short = Vec::new();
    aix::begin(&mut short, Pointers::Keys(2), b"DDD");
    aix::add(&mut short, b"00").unwrap();
    let mut long_key = Vec::new();
    aix::begin(&mut long_key, Pointers::Keys(8), b"DDDD");
    aix::add(&mut long_key, &key(7)).unwrap();
    for entry in [none, short, long_key] {
        let world = World::memory();
        let engine = filled(&world);
        let alone = world.open(&engine, "n");
        alone.string().insert(&entry, Insert::Direct).unwrap();
        alone.close().unwrap();
        let ds = path(&world, &engine, "n", output());
        let mut s = ds.string();
        let told = |error: RequestError| (error.feedback().return_code, error.feedback().reason);
        assert_eq!(told(s.get(b"DDD", Search::Equal, Intent::Read).unwrap_err()), (12, 4));
        s.point_last().unwrap();
        assert_eq!(told(s.prev(Intent::Read).unwrap_err()), (12, 4));
        assert_eq!(
            told(s.insert(&record(20, "0200", "DDD"), Insert::Direct).unwrap_err()),
            (12, 4)
        );
        // Nothing was changed, and nothing is fenced.
        s.insert(&record(20, "0200", "AAA"), Insert::Direct).unwrap();
        drop(s);
        ds.close().unwrap();
    }
}
