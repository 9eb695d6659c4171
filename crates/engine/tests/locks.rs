//! Requests that wait for records of other strings, units and owners.
#![allow(clippy::unwrap_used)]
#![cfg(not(cica_schedules))]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::*;
use common::sphere;
use common::*;
use std::time::Duration;

const LONG: Patience = Patience::Until(Duration::from_secs(60));
const SHORT: Patience = Patience::Until(Duration::from_millis(20));

fn opened() -> (Engine, DataSet) {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a", 100);
    let ds = world.open(&engine, "a");
    (engine, ds)
}

fn until_waiting(engine: &Engine, count: usize) {
    while engine.lock_lines().iter().map(|line| line.waiters.len()).sum::<usize>() != count {
        std::thread::yield_now();
    }
}

fn reason(done: Result<impl Sized, RequestError>) -> u8 {
    done.map(drop).unwrap_err().feedback().reason
}

#[test]
fn without_patience_a_held_record_is_refused() {
    let (_engine, ds) = opened();
    let (mut one, mut two) = (ds.string(), ds.string());
    one.get(&key(10)[..], Search::Equal, Intent::Update).unwrap();
    assert_eq!(reason(two.get(&key(10)[..], Search::Equal, Intent::Update)), 20);
    two.set_patience(SHORT);
    assert_eq!(reason(two.get(&key(10)[..], Search::Equal, Intent::Update)), 22);
}

#[test]
fn a_patient_get_has_what_the_other_made_of_the_record() {
    let (engine, ds) = opened();
    let mut one = ds.string();
    let record = one
        .get(&key(10)[..], Search::Equal, Intent::Update)
        .unwrap()
        .bytes
        .to_vec();
    let mut changed = record.clone();
    *changed.last_mut().unwrap() ^= 0x55;
    std::thread::scope(|threads| {
        let waits = threads.spawn(|| {
            let mut two = ds.string();
            two.set_patience(LONG);
            let got = two
                .get(&key(10)[..], Search::Equal, Intent::Update)
                .unwrap()
                .bytes
                .to_vec();
            assert!(two.update(&record).is_ok());
            got
        });
        until_waiting(&engine, 1);
        one.update(&changed).unwrap();
        assert_eq!(waits.join().unwrap(), changed);
    });
    assert!(engine.lock_lines().is_empty());
}

#[test]
fn plain_inserts_and_units_wait_for_the_end_of_a_unit() {
    let (engine, ds) = opened();
    let unit = engine.unit();
    insert(&mut ds.string_in(&unit), 15, 1).unwrap();
    let mut plain = ds.string();
    assert_eq!(reason(insert(&mut plain, 15, 2)), 20);
    std::thread::scope(|threads| {
        let waits = threads.spawn(|| {
            let mut patient = ds.string();
            patient.set_patience(LONG);
            insert(&mut patient, 15, 2)
        });
        until_waiting(&engine, 1);
        unit.backout().unwrap();
        waits.join().unwrap().unwrap();
    });
    let other = engine.unit();
    let mut s = ds.string_in(&other);
    s.set_patience(LONG);
    update(&mut s, 15, 3, 60).unwrap();
    other.commit().unwrap();
    assert!(engine.lock_lines().is_empty());
}

#[test]
fn units_in_a_circle_are_told_apart() {
    let (engine, ds) = opened();
    let (one, two) = (engine.unit(), engine.unit());
    let (mut a, mut b) = (ds.string_in(&one), ds.string_in(&two));
    update(&mut a, 10, 1, 60).unwrap();
    update(&mut b, 20, 1, 60).unwrap();
    a.set_patience(Patience::Forever);
    b.set_patience(Patience::Forever);
    std::thread::scope(|threads| {
        let waits = threads.spawn(move || update(&mut b, 10, 2, 60));
        until_waiting(&engine, 1);
        assert_eq!(reason(update(&mut a, 20, 2, 60)), 21);
        one.backout().unwrap();
        waits.join().unwrap().unwrap();
    });
    two.commit().unwrap();
    assert_eq!(engine.lock_counts().deadlocks, 1);
}

#[test]
fn strings_of_an_owner_share_their_locks_and_its_drop_frees_them() {
    let (engine, ds) = opened();
    let owner = engine.lock_owner("process 4711 PAYROLL");
    let (mut one, mut two, mut stranger) = (ds.string(), ds.string(), ds.string());
    one.owned_by(&owner);
    two.owned_by(&owner);
    one.lock(&key(10), LockMode::Exclusive, Patience::None).unwrap();
    two.get(&key(10)[..], Search::Equal, Intent::Update).unwrap();
    two.end();
    let refused = stranger
        .get(&key(10)[..], Search::Equal, Intent::Update)
        .map(drop)
        .unwrap_err();
    assert!(
        refused.to_string().contains("held by process 4711 PAYROLL [8/20]"),
        "{refused}"
    );
    let unit = engine.unit_of(&owner);
    update(&mut ds.string_in(&unit), 10, 5, 60).unwrap();
    assert_eq!(reason(stranger.get(&key(10)[..], Search::Equal, Intent::Update)), 20);
    // What the owner has locked ends with its unit, too.
    unit.commit().unwrap();
    stranger.get(&key(10)[..], Search::Equal, Intent::Update).unwrap();
    stranger.end();
    one.lock(&key(10), LockMode::Exclusive, Patience::None).unwrap();
    drop((one, two, unit, owner));
    stranger.get(&key(10)[..], Search::Equal, Intent::Update).unwrap();
}

#[test]
fn a_string_without_an_owner_unlocks_when_it_is_dropped() {
    let (engine, ds) = opened();
    let mut one = ds.string();
    one.lock(&key(10), LockMode::Shared, Patience::None).unwrap();
    one.lock(&key(20), LockMode::Exclusive, Patience::None).unwrap();
    assert!(one.unlock(&key(20)) && !one.unlock(&key(20)));
    assert_eq!(engine.lock_lines().len(), 1);
    drop(one);
    assert!(engine.lock_lines().is_empty());
}

#[test]
fn many_patient_updaters_lose_nothing() {
    let (engine, ds) = opened();
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let mut s = ds.string();
                s.set_patience(Patience::Forever);
                for _ in 0..500 {
                    let value = unsealed(s.get(&key(10)[..], Search::Equal, Intent::Update).unwrap().bytes);
                    s.update(&sealed(10, value + 1, 60)).unwrap();
                }
            });
        }
    });
    let mut s = ds.string();
    let record = s.get(&key(10)[..], Search::Equal, Intent::Read).unwrap();
    assert_eq!(unsealed(record.bytes), 2_000);
    assert!(engine.lock_lines().is_empty());
}

/// Two wait for a record to lock it with their reads: who came first has it first, every time.
#[test]
fn reads_that_lock_have_a_record_in_the_order_of_arrival() {
    let (engine, ds) = opened();
    for round in 0..40 {
        let mut has = ds.string();
        has.lock(&key(10), LockMode::Exclusive, Patience::None).unwrap();
        let order = std::sync::Mutex::new(Vec::new());
        std::thread::scope(|threads| {
            for who in 0..3 {
                let (ds, order) = (&ds, &order);
                threads.spawn(move || {
                    let mut waits = ds.string();
                    waits.set_integrity(ReadIntegrity::Locked);
                    waits.set_patience(LONG);
                    waits.get(&key(10), Search::Equal, Intent::Read).unwrap();
                    order.lock().unwrap().push(who);
                    waits.unlock(&key(10));
                });
                until_waiting(&engine, who + 1);
            }
            has.unlock(&key(10));
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2], "round {round}");
    }
    assert!(engine.lock_lines().is_empty());
}

/// The record that it has waited for to lock it is gone: it locks the next one, or none.
#[test]
fn a_read_that_locks_keeps_no_lock_of_a_record_that_went() {
    let (engine, ds) = opened();
    for (search, found) in [(Search::GreaterOrEqual, Some(20)), (Search::Equal, None)] {
        let unit = engine.unit();
        let mut erases = ds.string_in(&unit);
        erase(&mut erases, 10).unwrap();
        std::thread::scope(|threads| {
            let waits = threads.spawn(|| {
                let mut waits = ds.string();
                waits.set_integrity(ReadIntegrity::Locked);
                waits.set_patience(LONG);
                let got = waits.get(&key(10), search, Intent::Read);
                assert_eq!(got.ok().map(|record| record.bytes[..8].to_vec()), found.map(key));
                let locked: Vec<_> = engine.lock_lines().into_iter().map(|line| line.key).collect();
                assert_eq!(locked, found.map(key).into_iter().collect::<Vec<_>>());
            });
            until_waiting(&engine, 1);
            unit.commit().unwrap();
            waits.join().unwrap();
        });
        insert(&mut ds.string(), 10, 1).unwrap();
    }
    assert!(engine.lock_lines().is_empty());
}

/// Somebody locks what is not there, and others want to put it there; then it is free for them.
fn assert_locks_what_is_not_there(
    engine: &Engine,
    ds: &DataSet,
    identity: &[u8],
    put: impl Fn(&mut Str) -> Result<(), RequestError> + Send + Sync,
) {
    let wanted = ds.string();
    for (mode, in_unit) in [
        (LockMode::Exclusive, false),
        (LockMode::Shared, false),
        (LockMode::Exclusive, true),
        (LockMode::Shared, true),
    ] {
        let what = format!("{mode:?}, in a unit: {in_unit}");
        let unit = engine.unit();
        let mut own = if in_unit { ds.string_in(&unit) } else { ds.string() };
        own.lock(identity, mode, Patience::None).unwrap();
        let mut other = ds.string();
        assert_eq!(put(&mut other).map_err(|e| e.feedback().reason), Err(20), "{what}");
        other.set_patience(SHORT);
        assert_eq!(put(&mut other).map_err(|e| e.feedback().reason), Err(22), "{what}");
        let others = engine.unit();
        assert_eq!(reason(put(&mut ds.string_in(&others))), 20, "{what}");
        others.backout().unwrap();
        std::thread::scope(|threads| {
            let waits = threads.spawn(|| {
                let mut patient = ds.string();
                patient.set_patience(LONG);
                put(&mut patient)
            });
            until_waiting(engine, 1);
            assert!(own.unlock(identity), "{what}");
            waits.join().unwrap().unwrap();
        });
        let mut erases = ds.string();
        erases.set_patience(LONG);
        let argument = match identity.len() {
            _ if ds.attributes().organization == Organization::Ksds => Argument::Key(identity),
            length => Argument::Rrn(u32::from_be_bytes(identity[length - 4..].try_into().unwrap())),
        };
        erases.get(argument, Search::Equal, Intent::Update).unwrap();
        erases.erase().unwrap();
        unit.backout().unwrap();
    }
    // His own lock is in nobody's way who is of the same owner, whatever others hold elsewhere.
    let owner = engine.lock_owner("PAYROLL");
    let (mut one, mut two) = (ds.string(), ds.string());
    one.owned_by(&owner);
    two.owned_by(&owner);
    one.lock(identity, LockMode::Exclusive, Patience::None).unwrap();
    let mut stranger = ds.string();
    let refused = put(&mut stranger).unwrap_err().to_string();
    assert!(refused.contains("held by PAYROLL"), "{refused}");
    put(&mut two).unwrap();
    drop((wanted, owner, one, two));
    assert!(engine.lock_lines().is_empty(), "{:?}", engine.lock_lines());
}

#[test]
fn what_is_locked_and_not_there_is_inserted_by_nobody_else() {
    let (engine, ds) = opened();
    assert_locks_what_is_not_there(&engine, &ds, &key(15), |s| insert(s, 15, 1));
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "s", |data, _| {
        (data.spanned, data.maximum_record) = (true, 2500)
    });
    let ds = world.open(&engine, "s");
    for n in [10, 20] {
        ds.string().insert(&sealed(n, 1, 60), Insert::Sequential).unwrap();
    }
    ds.close().unwrap();
    let ds = world.open(&engine, "s");
    assert_locks_what_is_not_there(&engine, &ds, &key(15), |s| {
        s.insert(&sealed(15, 1, 2000), Insert::Direct).map(drop)
    });
    for organization in [Organization::Rrds, Organization::Vrrds] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "d", |data, _| {
            data.organization = organization;
            data.key_length = 0;
            (data.average_record, data.maximum_record) = (100, 100);
        });
        let ds = world.open(&engine, "d");
        ds.string().insert_at(1, &[1; 100], Insert::Sequential).unwrap();
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let identity: &[u8] = match organization {
            Organization::Rrds => &[0, 0, 0, 0, 0, 0, 0, 7],
            _ => &[0, 0, 0, 7],
        };
        assert_locks_what_is_not_there(&engine, &ds, identity, |s| s.insert_at(7, &[7; 100], Insert::Direct));
    }
}

#[test]
fn neither_with_alternate_indexes_nor_through_a_path() {
    let world = World::memory();
    let engine = sphere::ready(&world);
    let ds = sphere::open(&world, &engine);
    let new = sphere::record(15, "0015", "BBB");
    assert_locks_what_is_not_there(&engine, &ds, &key(15), |s| s.insert(&new, Insert::Direct).map(drop));
    let upgrade = [sphere::files(&world, "u"), sphere::files(&world, "n")];
    let base = sphere::files(&world, "b");
    let path = engine
        .open_path(&base, &upgrade, &upgrade[1], sphere::output())
        .unwrap();
    let new = sphere::record(25, "0025", "BBB");
    let mut own = ds.string();
    own.lock(&key(25), LockMode::Exclusive, Patience::None).unwrap();
    let mut through = path.string();
    assert_eq!(reason(through.insert(&new, Insert::Direct)), 20);
    drop(own);
    through.insert(&new, Insert::Direct).unwrap();
    drop(through);
    path.close().unwrap();
    ds.close().unwrap();
    sphere::assert_agree(&world, &engine);
}

/// What is loaded with buffers of its own, or not, asks as well.
#[test]
fn what_is_locked_is_loaded_by_nobody_else() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "a", |_, _| ());
    let ds = world.open(&engine, "a");
    let (mut load, mut own) = (ds.string(), ds.string());
    load.insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    own.lock(&key(2), LockMode::Exclusive, Patience::None).unwrap();
    assert_eq!(reason(load.insert(&sealed(2, 2, 60), Insert::Sequential)), 20);
    drop(own);
    load.insert(&sealed(2, 2, 60), Insert::Sequential).unwrap();
}

/// Records are added to an ESDS at its end, which has no key that could be shown.
#[test]
fn the_end_of_an_esds_is_called_so() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        (data.organization, data.key_length) = (Organization::Esds, 0);
    });
    let ds = world.open(&engine, "d");
    let unit = engine.unit();
    ds.string_in(&unit).insert(b"FIRST", Insert::Sequential).unwrap();
    let words = |s: &mut Str| s.insert(b"SECOND", Insert::Sequential).unwrap_err().to_string();
    let mut other = ds.string();
    assert_eq!(
        words(&mut other),
        "the end of the data set is held by another string or unit of recovery [8/20]"
    );
    other.set_patience(SHORT);
    let late = words(&mut other);
    assert!(
        late.starts_with("the end of the data set was not free in time: "),
        "{late}"
    );
    unit.retain();
    let retained = words(&mut ds.string());
    assert!(
        retained.starts_with("the lock of the end of the data set is retained for "),
        "{retained}"
    );
    assert!(unit.backout().is_ok());
}
