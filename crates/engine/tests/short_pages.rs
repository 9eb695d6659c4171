//! Records that end in blanks are kept in short pages: the same answers, whatever is done to them, and more of them in
//! the same memory.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::contents;
use common::*;

/// Record `n`: its number, in each third some text, and blanks up to its length.
fn filled_up(n: u64, len: usize) -> Vec<u8> {
    let text = "text ".repeat(if n % 3 == 0 { n as usize * 7919 % 5 } else { 0 });
    let mut record = format!("{n:08}{text}").into_bytes();
    record.resize(len, b' ');
    record
}

fn loaded(world: &World, organization: Organization, count: u64, len: impl Fn(u64) -> usize) {
    let engine = world.engine();
    world.create(&engine, "d", |data, index| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        (data.ci_size, data.ci_per_ca) = (16384, 8);
        (data.average_record, data.maximum_record) = (100, 300);
        (data.primary, data.secondary, index.primary) = (8 << 20, 8 << 20, 4 << 20);
    });
    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    for n in 0..count {
        let record = filled_up(n * 2, len(n));
        match organization {
            Organization::Vrrds => s.insert_at(n as u32 + 1, &record, Insert::Skip).unwrap(),
            _ => drop(s.insert(&record, Insert::Sequential).unwrap()),
        }
    }
    drop(s);
    ds.close().unwrap();
}

fn for_access(access: Access) -> OpenOptions {
    OpenOptions {
        access,
        ..OpenOptions::default()
    }
}

/// Everything that can be asked of a string, each record looked at, in an order that loads pages by requests first and
/// by scans later.
fn answers(ds: &DataSet, organization: Organization, count: u64) -> Vec<String> {
    let (mut s, mut said) = (ds.string(), Vec::new());
    let mut random = Random(4711);
    let mut note = |answer: Result<Record<'_>, RequestError>| {
        if let Ok(record) = &answer {
            let number = String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap();
            assert_eq!(record.bytes, filled_up(number, record.bytes.len()));
        }
        said.push(match answer {
            Ok(record) => format!(
                "{} {} {}",
                record.rba,
                record.rrn,
                String::from_utf8_lossy(record.bytes)
            ),
            Err(error) => format!("{error:?}"),
        });
    };
    for _ in 0..3 * count {
        let n = random.below(2 * count + 10);
        let (key, short) = (key(n), &key(n)[..6]);
        match (organization, random.below(6)) {
            (Organization::Vrrds, _) => note(s.get(Argument::Rrn(n as u32), Search::Equal, Intent::Read)),
            (_, 0) => note(s.get(&key, Search::Equal, Intent::Read)),
            (_, 1) => note(s.get(&key, Search::GreaterOrEqual, Intent::Read)),
            (_, 2) => note(s.get(short, Search::GreaterOrEqual, Intent::Read)),
            _ => note(s.next(Intent::Read)),
        }
        let rba = s.last().rba;
        if random.below(4) == 0 {
            note(s.get(Argument::Rba(rba), Search::Equal, Intent::Read));
        }
    }
    drop(s);
    let mut s = ds.string();
    while let Ok(record) = s.next(Intent::Read) {
        said.push(format!("{} {:?}", record.rba, record.bytes));
    }
    said
}

#[test]
fn the_answers_are_those_of_whole_pages() {
    for organization in [Organization::Ksds, Organization::Vrrds] {
        for even in [true, false] {
            let world = World::memory();
            let count = 1500;
            loaded(&world, organization, count, |n| {
                if even || n < 700 {
                    200
                } else {
                    100 + n as usize % 9
                }
            });
            let [short, whole] = [Access::Input, Access::Output].map(|access| {
                let engine = world.engine();
                let ds = world.open_with(&engine, "d", for_access(access));
                let said = answers(&ds, organization, count);
                assert_sound(&ds);
                // Pages that were loaded by requests, image by image.
                let mut s = ds.string();
                let images: Vec<Vec<u8>> = (0..10)
                    .map(|ci| s.get_interval(ci * 16384, Intent::Read).unwrap().bytes.to_vec())
                    .collect();
                drop(s);
                ds.close().unwrap();
                (said, images)
            });
            assert_eq!(short.0, whole.0, "{organization:?}, even {even}");
            assert_eq!(short.1, whole.1);
        }
    }
}

/// A pool that does not hold the data set holds all of it without the blanks: nothing is read a second time.
#[test]
fn more_of_them_are_in_the_pool() {
    let mut world = World::memory();
    world.pool_bytes = 4 << 20;
    let count = 50_000;
    loaded(&world, Organization::Ksds, count, |_| 200);
    let read_again = |access| {
        let ds = world.open_with(&world.engine(), "d", for_access(access));
        let pass = || {
            let (mut s, mut random) = (ds.string(), Random(99));
            for _ in 0..count {
                let n = random.below(count) * 2;
                let record = s.get(&key(n), Search::Equal, Intent::Read).unwrap();
                assert_eq!(record.bytes, filled_up(n, 200));
            }
            ds.statistics().0.excps
        };
        let first = pass();
        let second = pass();
        second - first
    };
    assert_eq!(read_again(Access::Input), 0);
    assert_eq!(read_again(Access::Output), 0);
}

/// Strings on threads, in a pool so small that pages come and go under them.
#[test]
fn readers_see_whole_records_while_short_pages_come_and_go() {
    let mut world = World::memory();
    world.pool_bytes = 1 << 20;
    let count = 30_000;
    loaded(&world, Organization::Ksds, count, |_| 200);
    let ds = world.open_with(&world.engine(), "d", for_access(Access::Input));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let ds = &ds;
            scope.spawn(move || {
                let (mut s, mut random) = (ds.string(), Random(thread + 1));
                for _ in 0..6000 {
                    let n = random.below(count) * 2;
                    let record = s.get(&key(n), Search::Equal, Intent::Position).unwrap();
                    assert_eq!(record.bytes, filled_up(n, 200));
                    if random.below(10) == 0 && n + 2 < 2 * count {
                        assert_eq!(s.next(Intent::Read).unwrap().bytes, filled_up(n + 2, 200));
                    }
                }
            });
        }
    });
}

/// Writers that change what short pages take and what they do not, each its own keys, and readers beside them.
#[test]
fn writers_and_readers_of_short_pages_see_whole_records() {
    let mut world = World::memory();
    world.pool_bytes = 1 << 20;
    let count = 6_000;
    loaded(&world, Organization::Ksds, count, |_| 200);
    let ds = world.open_with(&world.engine(), "d", for_access(Access::Output));
    // A record's number, a value, its length said again, and blanks or text up to that.
    let made = |n: u64, value: u64, len: usize| {
        let mut record = format!("{n:08}{value:08}{len:04}").into_bytes();
        record.resize(len, if value % 16 == 3 { b'x' } else { b' ' });
        record
    };
    let is_whole = |record: &[u8]| {
        let text = String::from_utf8_lossy(record);
        let (n, value) = (text[..8].parse().unwrap(), text[8..16].trim().parse());
        value.map_or(record == filled_up(n, 200), |value| {
            record == made(n, value, record.len())
        })
    };
    let mut expected: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3u64)
            .map(|thread| {
                let ds = &ds;
                scope.spawn(move || {
                    let (mut s, mut random) = (ds.string(), Random(thread + 77));
                    let mut own: std::collections::BTreeMap<u64, Vec<u8>> = (0..count)
                        .map(|n| n * 2)
                        .filter(|n| n / 2 % 3 == thread)
                        .map(|n| (n, filled_up(n, 200)))
                        .collect();
                    for step in 0..6000 {
                        let n = random.below(count) / 3 * 6 + thread * 2 + random.below(2);
                        let len = if random.below(40) == 0 {
                            100 + random.below(100) as usize
                        } else {
                            200
                        };
                        let record = made(n, step, len);
                        let is_there = own.contains_key(&n);
                        if is_there {
                            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                            match random.below(5) {
                                0 => s.erase().map(|()| own.remove(&n)).map(drop).unwrap(),
                                _ => s.update(&record).map(|_| own.insert(n, record)).map(drop).unwrap(),
                            }
                        } else {
                            s.insert(&record, Insert::Direct)
                                .map(|_| own.insert(n, record))
                                .map(drop)
                                .unwrap()
                        }
                    }
                    own.into_values()
                })
            })
            .collect();
        for thread in 0..2 {
            let ds = &ds;
            scope.spawn(move || {
                let (mut s, mut random) = (ds.string(), Random(thread + 5));
                for _ in 0..4000 {
                    match s.get(&key(random.below(2 * count)), Search::GreaterOrEqual, Intent::Position) {
                        Ok(record) => assert!(is_whole(record.bytes), "{:?}", String::from_utf8_lossy(record.bytes)),
                        Err(error) => assert!(matches!(error, RequestError::NotFound), "{error}"),
                    }
                    if let Ok(record) = s.next(Intent::Read) {
                        assert!(is_whole(record.bytes));
                    }
                }
            });
        }
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    expected.sort();
    assert_eq!(contents(&ds), expected);
    ds.close().unwrap();
    assert_eq!(contents(&world.open(&world.engine(), "d")), expected);
}
