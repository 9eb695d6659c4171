//! Sweeps through data sets that others change: what is there for the whole of a sweep is seen once, in its place, with
//! a value that it had just then.
//!
//! `CICA_SWEEPS` sweeps of each kind (3000 without it), from seed `CICA_SEED` on.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Organization};
use common::sphere::{files, output};
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

/// Records that stay have even numbers, and are rewritten; the odd ones come and go.
const KEYS: u64 = 120;
const WRITERS: u64 = 3;
const READERS: u64 = 3;

fn number(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What is swept through.
#[derive(Clone, Copy, Debug)]
struct Kind {
    organization: Organization,
    /// Records have up to so many bytes.
    longest: u64,
    /// There are alternate indexes: one unique, one whose keys most records share.
    sphere: bool,
}

/// The values that each record that stays may have now.
struct Board {
    least: Vec<AtomicU64>,
    most: Vec<AtomicU64>,
    done: AtomicBool,
    sweeps: AtomicU64,
}

impl Board {
    fn new() -> Board {
        let zeros = || (0..KEYS + 2).map(|_| AtomicU64::new(0)).collect();
        Board {
            least: zeros(),
            most: zeros(),
            done: AtomicBool::new(false),
            sweeps: AtomicU64::new(0),
        }
    }
}

impl Kind {
    /// A record: number, value, two alternate keys (the unique one falls as the number rises), filling and checksum.
    fn record(&self, n: u64, value: u64, len: u64) -> Vec<u8> {
        let mut record = key(n);
        record.extend_from_slice(&value.to_be_bytes());
        record.extend_from_slice(&key(KEYS + 1 - n));
        // Three records in four share one key.
        record.extend_from_slice(if n % 8 < 6 { b"ALL" } else { b"FEW" });
        record.resize((len as usize).max(44) - 4, b'.');
        let sum = cica_format::checksum::crc32c(&record);
        record.extend_from_slice(&sum.to_be_bytes());
        record
    }

    fn length(&self, random: &mut Random) -> u64 {
        match random.below(3) {
            0 => 44 + random.below(60),
            1 => 44 + random.below(self.longest.min(400) - 43),
            _ => 44 + random.below(self.longest - 43),
        }
    }

    fn create(&self, world: &World, engine: &Engine) {
        world.create(engine, "b", |data, index| {
            data.organization = self.organization;
            if self.organization != Organization::Ksds {
                data.key_length = 0;
            }
            data.maximum_record = self.longest as u32;
            index.maximum_record = self.longest as u32;
            data.spanned = self.longest > 505;
        });
        let alternates = [("u", 16, 8, true), ("n", 24, 3, false)];
        for (name, offset, length, unique) in alternates.into_iter().filter(|_| self.sphere) {
            world.create(engine, name, |data, _| {
                (data.key_offset, data.key_length) = (5, length);
                (data.maximum_record, data.spanned) = (2000, true);
                data.alternate = Some(Alternate {
                    base: "T.B".into(),
                    suppressed: None,
                    chained: !unique,
                    key_offset: offset,
                    unique,
                    upgrade: true,
                    pointers: Pointers::Keys(8),
                });
            });
        }
        let ds = world.open(engine, "b");
        let mut s = ds.string();
        for n in (2..=KEYS).step_by(2) {
            let record = self.record(n, 0, 60);
            match self.organization {
                Organization::Vrrds => s.insert_at(n as u32, &record, Insert::Skip).unwrap(),
                _ => drop(s.insert(&record, Insert::Sequential).unwrap()),
            }
        }
        drop(s);
        ds.close().unwrap();
        for (name, ..) in alternates.into_iter().filter(|_| self.sphere) {
            let base = world.open_with(engine, "b", OpenOptions::default());
            let build = Build {
                work: Path::new("/v"),
                memory: 1 << 20,
                progress: &mut |_| {},
                omitted: &mut |omitted| panic!("{omitted:?}"),
            };
            engine.build_index(&base, &files(world, name), build).unwrap();
            base.close().unwrap();
        }
    }

    fn open(&self, world: &World, engine: &Engine) -> DataSet {
        if !self.sphere {
            world.open(engine, "b")
        } else {
            engine
                .open_sphere(&files(world, "b"), &[files(world, "u"), files(world, "n")], output())
                .unwrap()
        }
    }

    fn get<'s>(&self, s: &'s mut Str, n: u64, search: Search, intent: Intent) -> Result<Record<'s>, RequestError> {
        match self.organization {
            Organization::Vrrds => s.get(Argument::Rrn(n as u32), search, intent),
            _ => s.get(&key(n)[..], search, intent),
        }
    }

    /// Rewrites the records that stay, and has others come and go, so that CIs and CAs split and are reclaimed.
    fn write(&self, ds: &DataSet, board: &Board, writer: u64, seed: u64) {
        let (mut random, mut s) = (Random(seed), ds.string());
        while !board.done.load(Relaxed) {
            let n = 1 + random.below(KEYS);
            if (n / 2) % WRITERS != writer {
                continue;
            }
            let len = self.length(&mut random);
            let held = self
                .get(&mut s, n, Search::Equal, Intent::Update)
                .map(|held| told(held.bytes));
            match held {
                Ok((_, value)) if n % 2 == 0 => {
                    board.most[n as usize].store(value + 1, SeqCst);
                    s.update(&self.record(n, value + 1, len)).unwrap();
                    board.least[n as usize].store(value + 1, SeqCst);
                }
                Ok((_, value)) if random.below(2) == 0 => drop(s.update(&self.record(n, value + 1, len)).unwrap()),
                Ok(_) => s.erase().unwrap(),
                Err(RequestError::NotFound) if n % 2 == 1 => {
                    let record = self.record(n, 1, len);
                    match self.organization {
                        Organization::Vrrds => s.insert_at(n as u32, &record, Insert::Direct).unwrap(),
                        _ => drop(s.insert(&record, Insert::Direct).unwrap()),
                    }
                }
                Err(error) => panic!("record {n}: {error}"),
            }
        }
    }

    /// One sweep of the base: through all, or through some behind a place that it goes to.
    fn sweep(&self, ds: &DataSet, board: &Board, random: &mut Random) {
        let mut s = ds.string();
        let (forward, how) = (random.below(2) == 0, random.below(4));
        // Halfway between two records that stay, or on one.
        let start = 1 + random.below(KEYS);
        let rrn = self.organization == Organization::Vrrds;
        let mut least = board.least_now();
        let name = key(start);
        let to = if rrn {
            Argument::Rrn(start as u32)
        } else {
            Argument::Key(&name)
        };
        let mut first = None;
        match (how, forward) {
            (0, true) => s.point_first().unwrap(),
            (0, false) => s.point_last().unwrap(),
            (1, true) => s.point(to, Search::GreaterOrEqual).unwrap(),
            (1, false) => s.point_backward(to, Search::GreaterOrEqual).unwrap(),
            (2, _) if !rrn => {
                // Generic: the first of up to ten.
                let found = s.get(&name[..7], Search::Equal, Intent::Position).unwrap();
                first = Some(told(found.bytes));
            }
            _ => first = Some(told(s.get(to, Search::GreaterOrEqual, Intent::Position).unwrap().bytes)),
        }
        let mut from = match (how, forward) {
            (0, true) => 0,
            (0, false) => KEYS + 1,
            (2, _) if !rrn => (start / 10 * 10).saturating_sub(1),
            _ => start - 1,
        };
        // Backward from what POINT found, which is not below `start`: at the next that stays, or before it.
        let mut sure = how != 1 || forward;
        let mut upward = forward || first.is_some();
        for step in 0.. {
            let read = match first.take() {
                Some(read) => Ok(read),
                None if forward => s.next(Intent::Read).map(|record| told(record.bytes)),
                None => s.prev(Intent::Read).map(|record| told(record.bytes)),
            };
            let there = match &read {
                Ok((there, _)) => *there,
                Err(RequestError::EndOfData) if upward => KEYS + 1,
                Err(RequestError::EndOfData) => 0,
                Err(error) => panic!("{error}"),
            };
            let passed = match upward {
                true => from + 1..there,
                false if sure => there + 1..from,
                false => there + 1..start,
            };
            let missed: Vec<u64> = passed.filter(|n| n % 2 == 0).collect();
            assert!(
                missed.is_empty(),
                "{missed:?} not seen: {there} follows {from}, upward: {upward}, how {how}, step {step}"
            );
            assert!(
                !sure || (there > from) == upward,
                "{there} follows {from}, upward: {upward}"
            );
            let Ok((_, value)) = read else { break };
            board.check(there, value, &least);
            (from, sure, upward) = (there, true, forward);
            least = board.least_now();
        }
        board.sweeps.fetch_add(1, Relaxed);
    }

    /// One sweep by an alternate key.
    fn sweep_path(&self, path: &DataSet, board: &Board, unique: bool, random: &mut Random) {
        let mut s = path.string();
        let (forward, mirrored) = (random.below(2) == 0, random.below(2) == 0);
        if mirrored {
            s.mirror_duplicates();
        }
        if forward {
            s.point_first().unwrap()
        } else {
            s.point_last().unwrap()
        }
        let (mut seen, mut last) = (Vec::new(), Vec::new());
        loop {
            let least = board.least_now();
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
            let (n, value) = told(bytes);
            let alternate = if unique { &bytes[16..24] } else { &bytes[24..27] };
            let rises = alternate > &last[..];
            assert!(
                last.is_empty() || (rises == forward) || (!unique && alternate == &last[..]),
                "{alternate:?} follows {last:?}, forward: {forward}"
            );
            last = alternate.to_vec();
            if n % 2 == 0 {
                board.check(n, value, &least);
                seen.push(n);
            }
        }
        seen.sort_unstable();
        let stay: Vec<u64> = (2..=KEYS).step_by(2).collect();
        assert_eq!(
            seen, stay,
            "by the key that is unique: {unique}, forward: {forward}, mirrored: {mirrored}"
        );
        board.sweeps.fetch_add(1, Relaxed);
    }

    fn run(self) {
        let (count, seed) = (number("CICA_SWEEPS", 3000), number("CICA_SEED", 1));
        let world = World {
            pool_bytes: 3 << 20,
            ..World::memory()
        };
        let engine = world.engine();
        self.create(&world, &engine);
        let ds = self.open(&world, &engine);
        let paths: Vec<DataSet> = (["u", "n"].iter().filter(|_| self.sphere))
            .map(|name| {
                let upgrade = [files(&world, "u"), files(&world, "n")];
                engine
                    .open_path(&files(&world, "b"), &upgrade, &files(&world, name), output())
                    .unwrap()
            })
            .collect();
        let board = Board::new();
        std::thread::scope(|scope| {
            let mut work = Vec::new();
            for writer in 0..WRITERS {
                let (ds, board) = (ds.clone(), &board);
                work.push(scope.spawn(move || {
                    let _end = Ends(&board.done);
                    self.write(&ds, board, writer, seed * 77 + writer);
                }));
            }
            for reader in 0..READERS {
                let (ds, paths, board) = (ds.clone(), &paths, &board);
                work.push(scope.spawn(move || {
                    let _end = Ends(&board.done);
                    let mut random = Random(seed * 900 + 1 + reader);
                    while board.sweeps.load(Relaxed) < count && !board.done.load(Relaxed) {
                        match random.below(1 + paths.len() as u64) {
                            0 => self.sweep(&ds, board, &mut random),
                            at => self.sweep_path(&paths[at as usize - 1], board, at == 1, &mut random),
                        }
                    }
                }));
            }
            let (checker, board) = (ds.clone(), &board);
            work.push(scope.spawn(move || {
                while !board.done.load(Relaxed) {
                    checker.checkpoint().unwrap();
                    assert_sound(&checker);
                    std::thread::yield_now();
                }
            }));
            let ended: Vec<bool> = work.into_iter().map(|thread| thread.join().is_ok()).collect();
            assert!(ended.iter().all(|&well| well), "a thread failed");
        });
        eprintln!("{self:?}: {} sweeps, seed {seed}", board.sweeps.load(Relaxed));
        drop(paths);
        ds.close().unwrap();
    }
}

/// Whoever ends first ends the others.
struct Ends<'b>(&'b AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl Board {
    fn least_now(&self) -> Vec<u64> {
        self.least.iter().map(|least| least.load(SeqCst)).collect()
    }

    /// A record that stays has a value that it had between `least` and now.
    fn check(&self, n: u64, value: u64, least: &[u64]) {
        if n % 2 == 0 {
            let now = least[n as usize]..=self.most[n as usize].load(SeqCst);
            assert!(now.contains(&value), "record {n} had {value}, which is none of {now:?}");
        }
    }
}

/// Number and value.
fn told(record: &[u8]) -> (u64, u64) {
    let (body, sum) = record.split_at(record.len() - 4);
    assert_eq!(cica_format::checksum::crc32c(body).to_be_bytes(), sum, "torn record");
    let number = String::from_utf8_lossy(&record[..8]).parse().unwrap();
    (number, u64::from_be_bytes(record[8..16].try_into().unwrap()))
}

const PLAIN: Kind = Kind {
    organization: Organization::Ksds,
    longest: 400,
    sphere: false,
};

#[test]
fn a_ksds_is_seen_whole_while_it_splits_and_is_reclaimed() {
    PLAIN.run();
}

#[test]
fn a_ksds_is_seen_whole_while_records_become_spanned_and_whole_again() {
    Kind { longest: 1600, ..PLAIN }.run();
}

#[test]
fn a_vrrds_is_seen_whole() {
    let organization = Organization::Vrrds;
    Kind { organization, ..PLAIN }.run();
}

#[test]
fn a_sphere_is_seen_whole_by_each_of_its_keys() {
    Kind { sphere: true, ..PLAIN }.run();
}

#[test]
fn a_sphere_of_spanned_records_is_seen_whole_by_each_of_its_keys() {
    Kind {
        longest: 1600,
        sphere: true,
        ..PLAIN
    }
    .run();
}

/// Records of an ESDS stay where they are: what was added before a sweep is seen in it, whoever adds and updates.
#[test]
fn an_esds_is_seen_whole_while_records_are_added_and_updated() {
    const RECORDS: u64 = 3000;
    let (count, seed) = (number("CICA_SWEEPS", 3000), number("CICA_SEED", 1));
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "e", |data, _| {
        (data.organization, data.key_length) = (Organization::Esds, 0);
        (data.maximum_record, data.spanned) = (1600, true);
    });
    // The load is over when the first one is there.
    let loaded = world.open(&engine, "e");
    let first = loaded.string().insert(&sealed(0, 0, 44), Insert::Sequential).unwrap();
    loaded.close().unwrap();
    let ds = world.open(&engine, "e");
    // Each with the RBA it went to; the lengths differ, and stay as they are.
    let (added, done, sweeps) = (AtomicU64::new(1), AtomicBool::new(false), AtomicU64::new(0));
    let places: Vec<AtomicU64> = (0..RECORDS).map(|_| AtomicU64::new(0)).collect();
    places[0].store(first, SeqCst);
    let length = |n: u64| 44 + (n * 7919) % if n % 4 == 0 { 1500 } else { 200 };
    std::thread::scope(|scope| {
        let (adder, added, done, sweeps, places) = (ds.clone(), &added, &done, &sweeps, &places);
        let mut work = vec![scope.spawn(move || {
            let (mut s, mut random) = (adder.string(), Random(seed));
            let mut next = 1;
            while !done.load(Relaxed) {
                // Some at a time, so that there is something to add while the sweeps go on.
                if next < RECORDS && (next < 50 || next < 50 + sweeps.load(Relaxed) * RECORDS / count) {
                    let rba = s
                        .insert(&sealed(next, 0, length(next) as usize), Insert::Sequential)
                        .unwrap();
                    places[next as usize].store(rba, SeqCst);
                    next += 1;
                    added.store(next, SeqCst);
                }
                let n = random.below(next);
                let rba = places[n as usize].load(SeqCst);
                let value = unsealed(s.get(Argument::Rba(rba), Search::Equal, Intent::Update).unwrap().bytes);
                s.update(&sealed(n, value + 1, length(n) as usize)).unwrap();
            }
        })];
        for reader in 0..READERS {
            let ds = ds.clone();
            work.push(scope.spawn(move || {
                let (_end, mut random) = (Ends(done), Random(seed * 900 + 1 + reader));
                while sweeps.load(Relaxed) < count && !done.load(Relaxed) {
                    let there = added.load(SeqCst);
                    let (mut s, forward, start) = (ds.string(), random.below(2) == 0, random.below(there));
                    let rba = places[start as usize].load(SeqCst);
                    if forward {
                        s.point(Argument::Rba(rba), Search::Equal).unwrap()
                    } else {
                        s.point_backward(Argument::Rba(rba), Search::Equal).unwrap()
                    }
                    let mut expected = start;
                    for _ in 0..200 {
                        let read = if forward {
                            s.next(Intent::Read)
                        } else {
                            s.prev(Intent::Read)
                        };
                        let bytes = match read {
                            Ok(record) => record.bytes,
                            Err(RequestError::EndOfData) => {
                                let whole = if forward {
                                    expected >= there
                                } else {
                                    expected == u64::MAX
                                };
                                assert!(whole, "the end at {expected} of {there}");
                                break;
                            }
                            Err(error) => panic!("{error}"),
                        };
                        unsealed(bytes);
                        assert_eq!(bytes[..8], key(expected)[..], "forward: {forward}");
                        expected = if forward {
                            expected + 1
                        } else {
                            expected.wrapping_sub(1)
                        };
                    }
                    sweeps.fetch_add(1, Relaxed);
                }
            }));
        }
        let ended: Vec<bool> = work.into_iter().map(|thread| thread.join().is_ok()).collect();
        assert!(ended.iter().all(|&well| well), "a thread failed");
    });
    eprintln!("ESDS: {} sweeps, seed {seed}", sweeps.load(Relaxed));
    ds.close().unwrap();
}

/// The shortest form of what K5 is for: whatever is looked for, some record is just being replaced.
#[test]
fn nothing_is_passed_over_while_every_record_is_replaced_again_and_again() {
    const FEW: u64 = 12;
    // They are short.
    let sweeps = 20 * number("CICA_SWEEPS", 3000);
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "r", |data, _| {
        (data.maximum_record, data.spanned) = (1600, true)
    });
    let loaded = world.open(&engine, "r");
    let mut s = loaded.string();
    for n in 0..FEW {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    loaded.close().unwrap();
    let (ds, done, swept) = (world.open(&engine, "r"), AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let (done, swept, mut work) = (&done, &swept, Vec::new());
        for writer in 0..WRITERS {
            let ds = ds.clone();
            work.push(scope.spawn(move || {
                let (_end, mut s) = (Ends(done), ds.string());
                for n in (0..FEW).filter(|n| n % WRITERS == writer).cycle() {
                    if done.load(Relaxed) {
                        break;
                    }
                    let value = unsealed(s.get(&key(n), Search::Equal, Intent::Update).unwrap().bytes);
                    // From one control interval to three, and back.
                    let len = if value % 2 == 0 { 1200 } else { 60 };
                    s.update(&sealed(n, value + 1, len)).unwrap();
                }
            }));
        }
        for reader in 0..READERS {
            let ds = ds.clone();
            work.push(scope.spawn(move || {
                let (_end, mut s) = (Ends(done), ds.string());
                while swept.fetch_add(1, Relaxed) < sweeps && !done.load(Relaxed) {
                    let mut seen = Vec::new();
                    match reader {
                        0 => s.point_first().unwrap(),
                        1 => s.point_last().unwrap(),
                        _ => {}
                    }
                    for n in 0..FEW {
                        let read = match reader {
                            0 => s.next(Intent::Read),
                            1 => s.prev(Intent::Read),
                            _ => s.get(&key(n), Search::GreaterOrEqual, Intent::Read),
                        };
                        seen.push(read.map_or(u64::MAX, |record| told_number(record.bytes)));
                    }
                    if reader == 1 {
                        seen.reverse();
                    }
                    assert_eq!(seen, (0..FEW).collect::<Vec<u64>>(), "reader {reader}");
                }
            }));
        }
        let ended: Vec<bool> = work.into_iter().map(|thread| thread.join().is_ok()).collect();
        assert!(ended.iter().all(|&well| well), "a thread failed");
    });
    ds.close().unwrap();
}

fn told_number(record: &[u8]) -> u64 {
    unsealed(record);
    String::from_utf8_lossy(&record[..8]).parse().unwrap()
}
