//! Reads that show only what is committed: beside open units, their commits and their backouts.
#![allow(clippy::unwrap_used)]
#![cfg(not(cica_schedules))]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::codes;
use common::*;
use std::collections::BTreeMap;
use std::time::Duration;

const SPACE: u64 = 60;

/// A data set of numbered records: by key or by number.
struct Numbered {
    organization: Organization,
    ds: DataSet,
}

impl Numbered {
    fn new(organization: Organization) -> (Engine, Numbered) {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "d", |data, _| {
            data.organization = organization;
            match organization {
                Organization::Ksds => {}
                // Records of one length, as slots have them.
                Organization::Rrds => (data.key_length, data.average_record, data.maximum_record) = (0, 40, 40),
                _ => (data.key_length, data.maximum_record) = (0, 100),
            }
        });
        let ds = world.open(&engine, "d");
        let numbered = Numbered { organization, ds };
        // A load is over with the first record, and nothing is left of it.
        let mut s = numbered.ds.string();
        numbered.insert(&mut s, SPACE + 10, 0).unwrap();
        drop(s);
        numbered.ds.end_load().unwrap();
        (engine, numbered)
    }

    fn insert(&self, s: &mut Str, n: u64, value: u64) -> Result<(), RequestError> {
        let first = !self.ds.loading();
        match (self.organization, first) {
            (Organization::Ksds, true) => s.insert(&sealed(n, value, 40), Insert::Direct).map(drop),
            (Organization::Ksds, false) => s.insert(&sealed(n, value, 40), Insert::Sequential).map(drop),
            _ => s.insert_at(n as u32, &sealed(n, value, 40), Insert::Direct),
        }
    }

    fn argument<'k>(&self, n: u64, key: &'k [u8]) -> Argument<'k> {
        match self.organization {
            Organization::Ksds => Argument::Key(key),
            _ => Argument::Rrn(n as u32),
        }
    }

    fn change(&self, s: &mut Str, n: u64, value: Option<u64>) -> Result<(), RequestError> {
        let key = key(n);
        s.get(self.argument(n, &key), Search::Equal, Intent::Update)?;
        match value {
            Some(value) => s.update(&sealed(n, value, 40)).map(drop),
            None => s.erase(),
        }
    }
}

fn shown(record: &Record<'_>) -> (u64, u64) {
    let n = String::from_utf8_lossy(&record.bytes[..8]).parse().unwrap();
    (n, unsealed(record.bytes))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    End,
    At(u64),
    On(u64),
    None,
}

/// What is committed, and what each unit has made of it.
#[derive(Default)]
struct Model {
    committed: BTreeMap<u64, u64>,
    pending: [BTreeMap<u64, Option<u64>>; 2],
}

impl Model {
    fn is_pending(&self, n: u64) -> bool {
        self.pending.iter().any(|unit| unit.contains_key(&n))
    }

    /// As a unit sees it.
    fn seen(&self, unit: usize, n: u64) -> Option<u64> {
        match self.pending[unit].get(&n) {
            Some(value) => *value,
            None => self.committed.get(&n).copied(),
        }
    }

    /// What a reader comes to first among these numbers: a committed record, or one that he may not read.
    fn first(&self, numbers: impl Iterator<Item = u64>) -> Option<Result<(u64, u64), u64>> {
        let mut numbers = numbers;
        numbers.find_map(|n| match (self.is_pending(n), self.committed.get(&n)) {
            (true, _) => Some(Err(n)),
            (false, Some(value)) => Some(Ok((n, *value))),
            (false, None) => None,
        })
    }
}

const LAST: u64 = SPACE + 10;

fn against_the_model(organization: Organization, seed: u64) {
    let (engine, of) = Numbered::new(organization);
    let units = [engine.unit(), engine.unit()];
    let mut changers = units.each_ref().map(|unit| of.ds.string_in(unit));
    let mut reader = of.ds.string();
    reader.set_integrity(ReadIntegrity::Consistent);
    let mut model = Model::default();
    model.committed.insert(LAST, 0);
    let (mut random, mut place, mut refused) = (Random(seed), Place::End, None);
    let mut value = 0;
    for request in 0..600 {
        let n = 1 + random.below(SPACE);
        let unit = random.below(2) as usize;
        match random.below(14) {
            0..=3 => {
                let theirs = model.pending[1 - unit].contains_key(&n);
                value += 1;
                let there = model.seen(unit, n).is_some();
                let (done, new) = match (there, random.below(2)) {
                    (false, _) => (of.insert(&mut changers[unit], n, value), Some(value)),
                    (true, 0) => (of.change(&mut changers[unit], n, None), None),
                    (true, _) => (of.change(&mut changers[unit], n, Some(value)), Some(value)),
                };
                match done {
                    Ok(()) => {
                        assert!(!theirs, "{organization:?} {seed} {request}: {n} is the other unit's");
                        model.pending[unit].insert(n, new);
                    }
                    Err(error) => assert!(theirs, "{organization:?} {seed} {request}: {n} {error}"),
                }
            }
            4 => {
                units[unit].commit().unwrap();
                for (n, value) in std::mem::take(&mut model.pending[unit]) {
                    match value {
                        Some(value) => drop(model.committed.insert(n, value)),
                        None => drop(model.committed.remove(&n)),
                    }
                }
            }
            5 => {
                units[unit].backout().unwrap();
                model.pending[unit].clear();
            }
            6 => {
                // It reads as any other string, whatever is committed.
                reader.point_first().unwrap();
                (place, refused) = (Place::End, None);
            }
            7 => {
                reader.point_last().unwrap();
                (place, refused) = (Place::End, None);
                step(
                    &mut reader,
                    &model,
                    true,
                    &mut place,
                    &mut refused,
                    (organization, seed, request),
                );
            }
            8 | 9 => {
                let key = key(n);
                let search = [Search::Equal, Search::GreaterOrEqual][random.below(2) as usize];
                let got = reader.get(of.argument(n, &key), search, Intent::Position);
                let expected = match search {
                    Search::Equal => model.first(n..=n),
                    Search::GreaterOrEqual => model.first(n..=LAST),
                };
                let got = got.map(|record| shown(&record));
                check(&got, &expected, 16, (organization, seed, request));
                place = match expected {
                    Some(Ok((n, _))) => Place::On(n),
                    _ => Place::None,
                };
                refused = None;
            }
            _ if place != Place::None => {
                let backward = match refused {
                    Some(backward) => backward,
                    None => random.below(3) == 0 && !matches!(place, Place::End),
                };
                step(
                    &mut reader,
                    &model,
                    backward,
                    &mut place,
                    &mut refused,
                    (organization, seed, request),
                );
            }
            _ => {}
        }
    }
}

type Which = (Organization, u64, i32);

fn step(reader: &mut Str, model: &Model, backward: bool, place: &mut Place, refused: &mut Option<bool>, which: Which) {
    let got = if !backward {
        reader.next(Intent::Read)
    } else {
        reader.prev(Intent::Read)
    };
    let got = got.map(|record| shown(&record));
    let expected = match (backward, *place) {
        (false, Place::End) => model.first(1..=LAST),
        (false, Place::At(n)) => model.first(n..=LAST),
        (false, Place::On(n)) => model.first(n + 1..=LAST),
        (true, Place::End) => model.first((1..=LAST).rev()),
        (true, Place::At(n)) => model.first((1..=n).rev()),
        (true, Place::On(n)) => model.first((1..n).rev()),
        (_, Place::None) => return,
    };
    check(&got, &expected, 4, which);
    (*place, *refused) = match expected {
        Some(Ok((n, _))) => (Place::On(n), None),
        Some(Err(n)) => (Place::At(n), Some(backward)),
        None => (Place::None, None),
    };
}

fn check(
    got: &Result<(u64, u64), RequestError>,
    expected: &Option<Result<(u64, u64), u64>>,
    nothing: u8,
    which: Which,
) {
    match (got, expected) {
        (Ok(got), Some(Ok(expected))) => assert_eq!(got, expected, "{which:?}"),
        (Err(error), Some(Err(_))) => assert_eq!(error.feedback().reason, 20, "{which:?}: {error}"),
        (Err(error), None) => assert_eq!(error.feedback().reason, nothing, "{which:?}: {error}"),
        _ => panic!("{which:?}: {got:?} in place of {expected:?}"),
    }
}

#[test]
fn a_reader_sees_what_is_committed_or_is_refused() {
    for seed in 1..=40 {
        for organization in [Organization::Ksds, Organization::Vrrds, Organization::Rrds] {
            against_the_model(organization, seed * 7919);
        }
    }
}

#[test]
fn a_patient_reader_waits_and_reads_what_was_committed_then() {
    let (engine, of) = Numbered::new(Organization::Ksds);
    let unit = engine.unit();
    let mut changer = of.ds.string_in(&unit);
    of.insert(&mut changer, 5, 1).unwrap();
    unit.commit().unwrap();
    for (commits, expected) in [(true, None), (false, Some(5))] {
        let mut changer = of.ds.string_in(&unit);
        of.change(&mut changer, 5, None).unwrap();
        std::thread::scope(|threads| {
            let reads = threads.spawn(|| {
                let mut reader = of.ds.string();
                reader.set_integrity(ReadIntegrity::Consistent);
                reader.set_patience(Patience::Until(Duration::from_secs(60)));
                let first = reader.next(Intent::Read).map(|record| shown(&record).0).unwrap();
                let key = key(5);
                let got = reader
                    .get(&key, Search::Equal, Intent::Read)
                    .map(|record| shown(&record).0);
                (first, got)
            });
            while engine.lock_lines().iter().all(|line| line.waiters.is_empty()) {
                std::thread::yield_now();
            }
            if commits {
                unit.commit().unwrap()
            } else {
                unit.backout().unwrap()
            }
            let (first, got) = reads.join().unwrap();
            assert_eq!(first, expected.unwrap_or(LAST));
            assert_eq!(got.ok(), expected);
        });
        let mut changer = of.ds.string_in(&unit);
        // As it was, for the next round.
        if commits {
            of.insert(&mut changer, 5, 1).unwrap();
            unit.commit().unwrap();
        }
    }
}

#[test]
fn what_is_read_repeatably_stays_until_the_unit_ends() {
    let (engine, of) = Numbered::new(Organization::Ksds);
    let (reads, writes) = (engine.unit(), engine.unit());
    let mut reader = of.ds.string_in(&reads);
    reader.set_integrity(ReadIntegrity::Repeatable);
    let mut writer = of.ds.string_in(&writes);
    of.insert(&mut writer, 5, 1).unwrap();
    writes.commit().unwrap();
    assert_eq!(reader.next(Intent::Read).map(|record| shown(&record)).unwrap(), (5, 1));
    assert_eq!(codes(of.change(&mut writer, 5, Some(2))), (8, 20));
    // Others read it too.
    let mut other = of.ds.string();
    other.set_integrity(ReadIntegrity::Consistent);
    assert_eq!(other.next(Intent::Read).map(|record| shown(&record)).unwrap(), (5, 1));
    reads.commit().unwrap();
    of.change(&mut writer, 5, Some(2)).unwrap();
    writes.commit().unwrap();
    assert!(engine.lock_lines().is_empty(), "{:?}", engine.lock_lines());
}

#[test]
fn a_read_that_locks_is_refused_what_others_read_repeatably() {
    let (engine, of) = Numbered::new(Organization::Ksds);
    let (reads, locks) = (engine.unit(), engine.unit());
    let (mut reader, mut locker) = (of.ds.string_in(&reads), of.ds.string_in(&locks));
    reader.set_integrity(ReadIntegrity::Repeatable);
    locker.set_integrity(ReadIntegrity::Locked);
    assert_eq!(reader.next(Intent::Read).map(|record| shown(&record).0).unwrap(), LAST);
    for _ in 0..2 {
        assert_eq!(codes(locker.next(Intent::Read).map(drop)), (8, 20));
        assert_eq!(
            codes(locker.get(&key(LAST), Search::Equal, Intent::Read).map(drop)),
            (8, 20)
        );
        locker.point_first().unwrap();
    }
    // What the unit itself has read it locks.
    reader.set_integrity(ReadIntegrity::Locked);
    reader.get(&key(LAST), Search::Equal, Intent::Read).unwrap();
    let mut other = of.ds.string();
    assert_eq!(codes(other.lock(&key(LAST), LockMode::Shared, Patience::None)), (8, 20));
    reads.commit().unwrap();
    assert_eq!(locker.next(Intent::Read).map(|record| shown(&record).0).unwrap(), LAST);
    locks.commit().unwrap();
    assert!(engine.lock_lines().is_empty(), "{:?}", engine.lock_lines());
}

#[test]
fn locks_of_a_unit_outlive_the_string_that_took_them() {
    let (engine, of) = Numbered::new(Organization::Ksds);
    let unit = engine.unit();
    let (mut one, mut two) = (of.ds.string_in(&unit), of.ds.string_in(&unit));
    one.lock(&key(1), LockMode::Exclusive, Patience::None).unwrap();
    two.lock(&key(2), LockMode::Exclusive, Patience::None).unwrap();
    drop(one);
    let mut other = of.ds.string();
    assert_eq!(codes(other.lock(&key(1), LockMode::Shared, Patience::None)), (8, 20));
    assert!(two.unlock(&key(1)));
    other.lock(&key(1), LockMode::Shared, Patience::None).unwrap();
    assert_eq!(codes(other.lock(&key(2), LockMode::Shared, Patience::None)), (8, 20));
    unit.commit().unwrap();
    other.lock(&key(2), LockMode::Shared, Patience::None).unwrap();
}

/// A record is there at every moment but in a unit that erases it and goes back, or puts it in again and commits.
#[test]
fn a_get_for_update_finds_what_a_unit_has_erased_for_a_while() {
    const ROUNDS: u64 = 200_000;
    let (engine, of) = Numbered::new(Organization::Ksds);
    of.insert(&mut of.ds.string(), 1, 0).unwrap();
    let patience = Patience::Until(Duration::from_secs(30));
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let unit = engine.unit();
            let mut string = of.ds.string_in(&unit);
            string.set_patience(patience);
            for round in 0..ROUNDS {
                of.change(&mut string, 1, None).unwrap();
                if round % 2 == 0 {
                    unit.backout().unwrap();
                } else {
                    of.insert(&mut string, 1, round).unwrap();
                    unit.commit().unwrap();
                }
            }
            over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        for has_integrity in [false, true] {
            let (of, over) = (&of, &over);
            threads.spawn(move || {
                let mut string = of.ds.string();
                string.set_patience(patience);
                if has_integrity {
                    // It goes on writing down where it stands.
                    string.set_integrity(ReadIntegrity::Consistent);
                    string.set_integrity(ReadIntegrity::None);
                }
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    let key = key(1);
                    let found = string.get(of.argument(1, &key), Search::Equal, Intent::Update);
                    assert_eq!(shown(&found.unwrap()).0, 1);
                    string.end();
                    // It comes at any moment of a unit, and does not wait for each from its begin.
                    std::thread::sleep(Duration::from_micros(20));
                }
            });
        }
    });
}

/// Pairs of records are changed together by units, some of which go back; one of the pair is erased in between.
/// Whoever reads them sees values that were committed, and each record.
#[test]
fn readers_beside_units_that_commit_and_go_back_see_nothing_else() {
    const PAIRS: u64 = 12;
    let (engine, of) = Numbered::new(Organization::Ksds);
    let mut s = of.ds.string();
    (1..=PAIRS).for_each(|n| of.insert(&mut s, n, 0).unwrap());
    drop(s);
    let over = std::sync::atomic::AtomicBool::new(false);
    let patience = Patience::Until(Duration::from_secs(30));
    std::thread::scope(|threads| {
        for seed in 1..=2 {
            let (engine, of, over) = (&engine, &of, &over);
            threads.spawn(move || {
                let unit = engine.unit();
                let mut changer = of.ds.string_in(&unit);
                changer.set_patience(patience);
                let mut random = Random(seed * 77);
                for _ in 0..1500 {
                    let n = 1 + random.below(PAIRS);
                    // Odd values are never committed.
                    of.change(&mut changer, n, Some(1)).unwrap();
                    if random.below(2) == 0 {
                        of.change(&mut changer, n, None).unwrap();
                        of.insert(&mut changer, n, 3).unwrap();
                    }
                    if random.below(3) == 0 {
                        if random.below(2) == 0 {
                            of.change(&mut changer, n, None).unwrap();
                        }
                        unit.backout().unwrap();
                    } else {
                        of.change(&mut changer, n, Some(2 * random.below(100))).unwrap();
                        unit.commit().unwrap();
                    }
                }
                over.store(true, std::sync::atomic::Ordering::Relaxed);
            });
        }
        let mut reader = of.ds.string();
        reader.set_integrity(ReadIntegrity::Consistent);
        reader.set_patience(patience);
        let mut browses = 0;
        while !over.load(std::sync::atomic::Ordering::Relaxed) || browses == 0 {
            browses += 1;
            let backward = browses % 2 == 0;
            if !backward {
                reader.point_first().unwrap()
            } else {
                reader.point_last().unwrap()
            }
            let mut seen = Vec::new();
            loop {
                let got = if !backward {
                    reader.next(Intent::Read)
                } else {
                    reader.prev(Intent::Read)
                };
                match got {
                    Ok(record) => seen.push(shown(&record)),
                    Err(RequestError::EndOfData) => break,
                    Err(error) => panic!("{error}"),
                }
            }
            if backward {
                seen.reverse();
            }
            let numbers: Vec<u64> = seen.iter().map(|(n, _)| *n).collect();
            assert_eq!(numbers, (1..=PAIRS).chain([LAST]).collect::<Vec<_>>());
            assert!(seen.iter().all(|(_, value)| value % 2 == 0), "{seen:?}");
            let n = 1 + browses % PAIRS;
            let got = reader.get(&key(n), Search::Equal, Intent::Read);
            assert_eq!(shown(&got.unwrap()).1 % 2, 0);
        }
    });
}

/// A string whose last read was refused gets a record for update that another's open unit has erased: it is told who has
/// it, as one is whose last read was not refused.
#[test]
fn an_erased_record_may_come_back_whatever_the_read_before_came_to() {
    for organization in [Organization::Ksds, Organization::Rrds, Organization::Vrrds] {
        let (engine, numbered) = Numbered::new(organization);
        for n in 1..=2 {
            numbered.insert(&mut numbered.ds.string(), n, 0).unwrap();
        }
        let unit = engine.unit();
        let mut other = numbered.ds.string_in(&unit);
        numbered.change(&mut other, 1, None).unwrap();
        let mut s = numbered.ds.string();
        s.set_integrity(ReadIntegrity::Consistent);
        let refused = s.get(numbered.argument(1, &key(1)), Search::Equal, Intent::Read);
        assert_eq!(codes(refused.map(drop)), (8, 20));
        s.set_integrity(ReadIntegrity::None);
        for _ in 0..3 {
            let erased = s.get(numbered.argument(1, &key(1)), Search::Equal, Intent::Update);
            assert_eq!(codes(erased.map(drop)), (8, 20), "{organization:?}");
        }
        let absent = s.get(numbered.argument(3, &key(3)), Search::Equal, Intent::Update);
        assert_eq!(codes(absent.map(drop)), (8, 16), "{organization:?}");
    }
}

fn skip(of: &Numbered, s: &mut Str, n: u64) -> Result<u64, (u8, u8)> {
    let key = key(n);
    match s.skip(of.argument(n, &key), Search::GreaterOrEqual, Intent::Read) {
        Ok(record) => Ok(shown(&record).0),
        Err(error) => Err(codes(Err::<(), _>(error))),
    }
}

#[test]
fn a_skip_that_was_refused_is_made_again() {
    for organization in [Organization::Ksds, Organization::Rrds, Organization::Vrrds] {
        let (engine, of) = Numbered::new(organization);
        for n in [5, 10] {
            of.insert(&mut of.ds.string(), n, 0).unwrap();
        }
        for steps in [false, true] {
            let unit = engine.unit();
            of.change(&mut of.ds.string_in(&unit), 10, Some(1)).unwrap();
            let mut s = of.ds.string();
            s.set_integrity(ReadIntegrity::Consistent);
            s.get(of.argument(5, &key(5)), Search::Equal, Intent::Position).unwrap();
            if steps {
                assert_eq!(codes(s.next(Intent::Read).map(drop)), (8, 20), "{organization:?}");
            }
            for n in [6, 7, 6] {
                assert_eq!(skip(&of, &mut s, n), Err((8, 20)), "{organization:?} {n}");
            }
            // The string stands on 5 still, whatever it was refused.
            assert_eq!(skip(&of, &mut s, 4), Err((8, 12)), "{organization:?}");
            assert_eq!(skip(&of, &mut s, 6), Err((8, 20)), "{organization:?}");
            unit.commit().unwrap();
            assert_eq!(skip(&of, &mut s, 6), Ok(10), "{organization:?}");
            assert_eq!(skip(&of, &mut s, 9), Err((8, 12)), "{organization:?}");
            assert_eq!(s.next(Intent::Read).map(|record| shown(&record).0).unwrap(), LAST);
        }
    }
}

/// A string that is on no record, because what it read last it read directly, or found nothing, skips to any.
#[test]
fn a_refused_skip_of_a_string_without_a_position_is_made_again() {
    for organization in [Organization::Ksds, Organization::Rrds, Organization::Vrrds] {
        let (engine, of) = Numbered::new(organization);
        for n in [5, 10] {
            of.insert(&mut of.ds.string(), n, 0).unwrap();
        }
        let unit = engine.unit();
        of.change(&mut of.ds.string_in(&unit), 5, Some(1)).unwrap();
        for found in [true, false] {
            let mut s = of.ds.string();
            s.set_integrity(ReadIntegrity::Consistent);
            let n = if found { 10 } else { 11 };
            let got = s.get(of.argument(n, &key(n)), Search::Equal, Intent::Read).map(drop);
            assert_eq!(got.is_ok(), found, "{organization:?}");
            for _ in 0..2 {
                assert_eq!(skip(&of, &mut s, 5), Err((8, 20)), "{organization:?} {found}");
            }
        }
        unit.commit().unwrap();
    }
}

/// A request that says nothing of a record (a key that is too long) leaves the string before what it was refused.
#[test]
fn what_was_refused_is_not_passed_by_a_request_that_is_none() {
    let (engine, of) = Numbered::new(Organization::Ksds);
    for n in [5, 10] {
        of.insert(&mut of.ds.string(), n, 0).unwrap();
    }
    let unit = engine.unit();
    of.change(&mut of.ds.string_in(&unit), 10, Some(1)).unwrap();
    let mut s = of.ds.string();
    s.set_integrity(ReadIntegrity::Consistent);
    assert_eq!(s.next(Intent::Read).map(|record| shown(&record).0).unwrap(), 5);
    assert_eq!(codes(s.next(Intent::Read).map(drop)), (8, 20));
    assert_eq!(
        codes(s.get(&[b'9'; 9], Search::Equal, Intent::Read).map(drop)),
        (8, 112)
    );
    unit.commit().unwrap();
    assert_eq!(s.next(Intent::Read).map(|record| shown(&record)).unwrap(), (10, 1));
}

#[test]
fn a_string_that_is_told_to_look_goes_on_where_it_is() {
    for organization in [Organization::Ksds, Organization::Rrds, Organization::Vrrds] {
        let (engine, of) = Numbered::new(organization);
        for n in [5, 10, 15] {
            of.insert(&mut of.ds.string(), n, 0).unwrap();
        }
        let unit = engine.unit();
        of.change(&mut of.ds.string_in(&unit), 15, Some(1)).unwrap();
        let mut s = of.ds.string();
        s.get(of.argument(10, &key(10)), Search::Equal, Intent::Position)
            .unwrap();
        s.set_integrity(ReadIntegrity::Consistent);
        for _ in 0..3 {
            // Refused before it had moved.
            assert_eq!(codes(s.next(Intent::Update).map(drop)), (8, 20), "{organization:?}");
        }
        unit.commit().unwrap();
        let next = s.next(Intent::Update).map(|record| shown(&record));
        assert_eq!(next.unwrap(), (15, 1), "{organization:?}");
    }
}

/// Its position alone says where it is when it is told to look: what others have erased beside that is not passed.
#[test]
fn a_string_that_is_told_to_look_passes_nothing_that_others_have_erased() {
    for organization in [Organization::Ksds, Organization::Vrrds, Organization::Rrds] {
        let (engine, of) = Numbered::new(organization);
        let mut s = of.ds.string();
        (1..6).for_each(|n| of.insert(&mut s, n, 0).unwrap());
        let unit = engine.unit();
        let mut change = of.ds.string_in(&unit);
        for n in [2, 4] {
            of.change(&mut change, n, None).unwrap();
        }
        let tell = |place: u64, pointed: bool| {
            let (mut reader, key) = (of.ds.string(), key(place));
            let argument = of.argument(place, &key);
            if pointed {
                reader.point(argument, Search::Equal).unwrap();
            } else {
                reader.get(argument, Search::Equal, Intent::Position).unwrap();
            }
            reader.set_integrity(ReadIntegrity::Consistent);
            reader
        };
        let shown = |read: Result<Record<'_>, RequestError>| {
            read.map(|record| shown(&record).0)
                .map_err(|error| error.feedback().reason)
        };
        // On 3, which the next step passes.
        assert_eq!(shown(tell(3, false).next(Intent::Read)), Err(20), "{organization:?}");
        assert_eq!(shown(tell(3, false).prev(Intent::Read)), Err(20), "{organization:?}");
        // At 3, which it returns.
        let mut at = tell(3, true);
        assert_eq!(shown(at.next(Intent::Read)), Ok(3), "{organization:?}");
        assert_eq!(shown(at.next(Intent::Read)), Err(20), "{organization:?}");
        unit.backout().unwrap();
        assert_eq!(shown(at.next(Intent::Read)), Ok(4), "{organization:?}");
    }
}

#[test]
fn behind_the_last_record_and_before_the_first_there_is_none_whatever_was_erased() {
    for organization in [Organization::Ksds, Organization::Rrds, Organization::Vrrds] {
        let (engine, of) = Numbered::new(organization);
        for n in [5, 10] {
            of.insert(&mut of.ds.string(), n, 0).unwrap();
        }
        let unit = engine.unit();
        of.change(&mut of.ds.string_in(&unit), 10, None).unwrap();
        let mut s = of.ds.string();
        s.set_integrity(ReadIntegrity::Consistent);
        s.point_last().unwrap();
        assert_eq!(codes(s.next(Intent::Read).map(drop)), (8, 4), "{organization:?}");
        s.point_first().unwrap();
        assert_eq!(codes(s.prev(Intent::Read).map(drop)), (8, 4), "{organization:?}");
    }
}

/// Units end all the time, between a read and the second look that it takes.
#[test]
fn an_end_of_data_stays_one_while_units_end() {
    let (engine, of) = Numbered::new(Organization::Ksds);
    of.insert(&mut of.ds.string(), 5, 0).unwrap();
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let unit = engine.unit();
            let mut changer = of.ds.string_in(&unit);
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                of.change(&mut changer, 5, Some(1)).unwrap();
                unit.backout().unwrap();
            }
        });
        // What is wrong is told when the other thread is at its end.
        let wrong = (0..20_000).find_map(|round| {
            let mut s = of.ds.string();
            if round % 2 == 0 {
                s.get(&key(LAST), Search::Equal, Intent::Position).unwrap();
                s.set_integrity(ReadIntegrity::Consistent);
            } else {
                s.set_integrity(ReadIntegrity::Consistent);
                s.point_last().unwrap();
            }
            match s.next(Intent::Read).map(|record| shown(&record)) {
                Err(RequestError::EndOfData) => None,
                wrong => Some((round, wrong)),
            }
        });
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(wrong.is_none(), "{wrong:?}");
    });
}

/// A lock of something else than a record's identity would keep nobody off.
#[test]
fn a_lock_has_the_length_of_what_names_a_record() {
    for organization in [
        Organization::Ksds,
        Organization::Esds,
        Organization::Rrds,
        Organization::Vrrds,
    ] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "a", |data, _| {
            data.organization = organization;
            if organization != Organization::Ksds {
                (data.key_length, data.key_offset) = (0, 0);
            }
            if organization == Organization::Rrds {
                (data.average_record, data.maximum_record) = (60, 60);
            }
        });
        let ds = world.open(&engine, "a");
        ds.string().insert(&sealed(1, 0, 60), Insert::Sequential).unwrap();
        ds.close().unwrap();
        let ds = world.open(&engine, "a");
        let length = if organization == Organization::Vrrds { 4 } else { 8 };
        for given in 0..12 {
            let locked = ds.string().lock(&vec![0; given], LockMode::Exclusive, Patience::None);
            let expected = if given == length { None } else { Some((8, 112)) };
            let refused = locked
                .err()
                .map(|error| (error.feedback().return_code, error.feedback().reason));
            assert_eq!(refused, expected, "{organization:?}, {given} bytes");
        }
    }
}

/// Past an end and back: the record there is read again, though it was locked before.
#[test]
fn a_read_that_locks_turns_at_both_ends() {
    for organization in [Organization::Ksds, Organization::Rrds] {
        let (_engine, of) = Numbered::new(organization);
        of.insert(&mut of.ds.string(), 5, 1).unwrap();
        for how in [
            ReadIntegrity::Consistent,
            ReadIntegrity::Repeatable,
            ReadIntegrity::Locked,
        ] {
            let mut reader = of.ds.string();
            reader.set_integrity(how);
            let mut next = |forward: bool| {
                let read = if forward {
                    reader.next(Intent::Read)
                } else {
                    reader.prev(Intent::Read)
                };
                read.map(|record| shown(&record).0).ok()
            };
            let steps = [true, false, true, true, true, false, false, false, true];
            let found = steps.map(&mut next);
            let wanted = [
                Some(5),
                None,
                Some(5),
                Some(LAST),
                None,
                Some(LAST),
                Some(5),
                None,
                Some(5),
            ];
            assert_eq!(found, wanted, "{organization:?} {how:?}");
        }
    }
}
