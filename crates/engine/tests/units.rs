//! Units of recovery: what commit and backout leave, what the death of the process leaves, and who waits for whom.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::MemoryDisk;
use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world() -> (MemoryDisk, World) {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    (disk, world)
}

/// Enough changes to split CIs and CAs, of each kind.
fn change_much(s: &mut Str) {
    for n in 0..200 {
        insert(s, n * 10 + 1 + n % 9, n).unwrap();
    }
    for n in (0..200).step_by(3) {
        update(s, n * 10, n + 1, 60 + (n as usize % 300)).unwrap();
    }
    for n in (1..200).step_by(4) {
        erase(s, n * 10).unwrap();
    }
    for n in (1..200).step_by(8) {
        insert(s, n * 10, n + 7).unwrap();
        update(s, n * 10, n + 8, 200).unwrap();
    }
}

#[test]
fn a_backout_restores_every_record() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 200);
    let ds = world.open(&engine, "a");
    let before = contents(&ds);
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    change_much(&mut s);
    assert_ne!(contents(&ds), before);
    unit.backout().unwrap();
    assert_eq!(contents(&ds), before);
    assert_eq!(ds.statistics().0.records, 200);
    assert_eq!(unit.changes(), 0);
    // The next unit begins with the next change.
    insert(&mut s, 5, 5).unwrap();
    unit.commit().unwrap();
    assert_eq!(contents(&ds).len(), 201);
    ds.close().unwrap();
}

#[test]
fn what_is_committed_survives_the_process_and_the_open_unit_does_not() {
    for checkpoint in [false, true] {
        let (disk, world) = world();
        let engine = world.engine();
        loaded(&world, &engine, "a", 200);
        let ds = world.open(&engine, "a");
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        change_much(&mut s);
        unit.commit().unwrap();
        let committed = contents(&ds);
        for n in 0..200 {
            insert(&mut s, 100_000 + n, n).unwrap();
        }
        erase(&mut s, 0).unwrap();
        update(&mut s, 20, 99, 300).unwrap();
        if checkpoint {
            ds.checkpoint().unwrap()
        } else {
            ds.commit().unwrap()
        }
        disk.kill();
        drop((s, unit, ds, engine));
        let engine = world.engine();
        let ds = world.open(&engine, "a");
        assert_eq!(contents(&ds), committed, "checkpoint {checkpoint}");
        assert_eq!(ds.statistics().0.records, committed.len() as u64);
        ds.close().unwrap();
    }
}

#[test]
fn two_data_sets_keep_a_unit_whole_or_have_nothing_of_it() {
    let (disk, world) = world();
    let engine = world.engine();
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 10);
    }
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    let unit = engine.unit();
    let (mut s, mut t) = (a.string_in(&unit), b.string_in(&unit));
    insert(&mut s, 1, 1).unwrap();
    insert(&mut t, 1, 1).unwrap();
    unit.commit().unwrap();
    insert(&mut s, 2, 2).unwrap();
    insert(&mut t, 2, 2).unwrap();
    // One tree is committed, with the change in it.
    a.checkpoint().unwrap();
    // Beside the unit, and acknowledged as durable.
    insert(&mut b.string(), 3, 3).unwrap();
    b.commit().unwrap();
    disk.kill();
    drop((s, t, unit, a, b, engine));
    let engine = world.engine();
    for (name, there) in [("b", [true, false, true]), ("a", [true, false, false])] {
        let ds = world.open(&engine, name);
        for (n, there) in (1..=3).zip(there) {
            let got = ds.string().get(&key(n), Search::Equal, Intent::Read).is_ok();
            assert_eq!(got, there, "record {n} of {name}");
        }
        ds.close().unwrap();
    }
}

#[test]
fn changed_records_are_kept_from_others_to_the_end_of_the_unit() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let (unit, other) = (engine.unit(), engine.unit());
    let (mut s, mut t, mut u) = (ds.string_in(&unit), ds.string(), ds.string_in(&other));
    update(&mut s, 10, 1, 60).unwrap();
    erase(&mut s, 20).unwrap();
    insert(&mut s, 5, 1).unwrap();
    for others in [&mut t, &mut u] {
        assert_eq!(codes(update(others, 10, 2, 60)), (8, 20), "changed");
        assert_eq!(codes(insert(others, 20, 2)), (8, 20), "erased");
        assert_eq!(codes(erase(others, 5)), (8, 20), "inserted");
        assert_eq!(codes(insert(others, 5, 2)), (8, 20), "inserted, and inserted again");
        // Without intent they read what is there at the moment.
        let record = others.get(&key(10), Search::Equal, Intent::Read).unwrap();
        assert_eq!(unsealed(record.bytes), 1);
        assert_eq!(
            codes(others.get(&key(20), Search::Equal, Intent::Read).map(|_| ())),
            (8, 16)
        );
        // Other records are free.
        update(others, 30, 3, 60).unwrap();
        other.commit().unwrap();
    }
    // Strings of the unit share what it keeps.
    update(&mut ds.string_in(&unit), 10, 4, 60).unwrap();
    unit.backout().unwrap();
    update(&mut t, 10, 5, 60).unwrap();
    assert_eq!(codes(insert(&mut t, 20, 5)), (8, 8));
    insert(&mut u, 5, 5).unwrap();
    assert_eq!(codes(insert(&mut s, 5, 6)), (8, 20));
    other.commit().unwrap();
    assert_eq!(codes(insert(&mut s, 5, 6)), (8, 8));
    unit.commit().unwrap();
    // A refused insert keeps nothing.
    update(&mut t, 5, 7, 60).unwrap();
    drop((s, t, u));
    ds.close().unwrap();
}

#[test]
fn a_record_got_before_a_backout_is_not_held_after_it_and_one_got_before_a_commit_is() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    update(&mut s, 10, 1, 60).unwrap();
    s.get(&key(10), Search::Equal, Intent::Update).unwrap();
    unit.backout().unwrap();
    assert_eq!(codes(s.update(&sealed(10, 2, 60)).map(drop)), (8, 92));
    update(&mut ds.string(), 10, 3, 60).unwrap();
    s.get(&key(10), Search::Equal, Intent::Update).unwrap();
    unit.commit().unwrap();
    assert_eq!(codes(update(&mut ds.string(), 10, 4, 60)), (8, 20));
    s.update(&sealed(10, 5, 60)).unwrap();
    unit.backout().unwrap();
    let mut t = ds.string();
    assert_eq!(unsealed(t.get(&key(10), Search::Equal, Intent::Read).unwrap().bytes), 3);
    drop((s, t));
    ds.close().unwrap();
}

#[test]
fn a_data_set_is_closed_when_the_unit_that_changed_it_has_ended() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let unit = engine.unit();
    let ds = world.open(&engine, "a");
    insert(&mut ds.string_in(&unit), 1, 1).unwrap();
    assert_eq!(ds.close().unwrap(), CloseReport { closed: false });
    // Opened again within the unit it is the same open.
    let ds = world.open(&engine, "a");
    insert(&mut ds.string_in(&unit), 2, 2).unwrap();
    assert_eq!(ds.close().unwrap(), CloseReport { closed: false });
    unit.backout().unwrap();
    assert_eq!(engine.peek(&world.paths("a").0).unwrap().log.log, 0, "closed");
    let ds = world.open(&engine, "a");
    assert_eq!(contents(&ds).len(), 10);
    insert(&mut ds.string_in(&unit), 3, 3).unwrap();
    ds.close().unwrap();
    unit.commit().unwrap();
    disk.kill();
    let engine = world.engine();
    assert_eq!(
        contents(&world.open_with(&engine, "a", OpenOptions::default())).len(),
        11
    );
}

#[test]
fn a_dropped_unit_is_backed_out() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    {
        let unit = engine.unit();
        insert(&mut ds.string_in(&unit), 1, 1).unwrap();
        assert_eq!(contents(&ds).len(), 11);
    }
    assert_eq!(contents(&ds).len(), 10);
    insert(&mut ds.string(), 1, 2).unwrap();
    ds.close().unwrap();
}

#[test]
fn base_and_alternate_indexes_go_back_together() {
    use common::sphere::*;
    for dies in [false, true] {
        let (disk, world) = world();
        let engine = ready(&world);
        let ds = sphere::open(&world, &engine);
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        for n in 1..30 {
            s.insert(
                &record(n, &format!("{n:04}"), ["AAA", "BBB", "CCC"][n as usize % 3]),
                Insert::Direct,
            )
            .unwrap();
        }
        unit.commit().unwrap();
        let before = sphere::contents(&ds);
        for n in 1..10 {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&record(n, &format!("X{n:03}"), "DDD")).unwrap();
        }
        for n in 10..20 {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.erase().unwrap();
        }
        // Within the unit a unique key that it took away is free, for others it is not.
        s.insert(&record(40, "0010", "AAA"), Insert::Direct).unwrap();
        let mut t = ds.string();
        let refusal = refused(t.insert(&record(50, "0011", "AAA"), Insert::Direct));
        assert_eq!(refusal, (8, 20, 4), "0011 was taken away by the unit");
        let refusal = refused(t.insert(&record(50, "0010", "AAA"), Insert::Direct));
        assert_eq!(refusal, (8, 20, 4), "0010 was given away by the unit");
        t.insert(&record(60, "0060", "AAA"), Insert::Direct).unwrap();
        let mut expected = before;
        expected.push(record(60, "0060", "AAA"));
        drop(t);
        let engine = if !dies {
            unit.backout().unwrap();
            t_is_free(&ds);
            ds.close().unwrap();
            engine
        } else {
            ds.checkpoint().unwrap();
            disk.kill();
            drop((s, unit, ds, engine));
            let engine = world.engine();
            sphere::open(&world, &engine).close().unwrap();
            engine
        };
        assert_eq!(sphere::assert_agree(&world, &engine), expected, "dies: {dies}");
    }
}

/// Two strings of a unit hold one record. What the second change takes away is what the first has left.
#[test]
fn a_string_changes_what_another_of_its_unit_has_left() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let unit = engine.unit();
    let (mut s, mut t) = (ds.string_in(&unit), ds.string_in(&unit));
    s.get(&key(10), Search::Equal, Intent::Update).unwrap();
    update(&mut t, 10, 1, 60).unwrap();
    unit.commit().unwrap();
    s.update(&sealed(10, 2, 70)).unwrap();
    unit.backout().unwrap();
    let kept = ds
        .string()
        .get(&key(10), Search::Equal, Intent::Read)
        .map(|r| unsealed(r.bytes));
    assert_eq!(kept.unwrap(), 1, "what was committed");
    s.get(&key(10), Search::Equal, Intent::Update).unwrap();
    erase(&mut t, 10).unwrap();
    assert_eq!(codes(s.erase()), (8, 92), "it has gone");
    drop((s, t, unit));
    ds.close().unwrap();
}

/// The same where records have numbers.
#[test]
fn a_string_replaces_what_another_of_its_unit_has_left() {
    for organization in [Organization::Esds, Organization::Rrds] {
        let (_, world, engine) = numbered(organization, false);
        let at = |r: &Record<'_>| {
            if r.rrn > 0 {
                Argument::Rrn(r.rrn)
            } else {
                Argument::Rba(r.rba)
            }
        };
        let ds = world.open(&engine, "d");
        ds.string().insert(&sealed(1, 0, 60), Insert::Sequential).unwrap();
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let unit = engine.unit();
        let (mut s, mut t) = (ds.string_in(&unit), ds.string_in(&unit));
        let first = |s: &mut Str| {
            let record = s.next(Intent::Update).unwrap();
            at(&record)
        };
        let place = first(&mut s);
        first(&mut t);
        t.update(&sealed(1, 1, 60)).unwrap();
        unit.commit().unwrap();
        s.update(&sealed(1, 2, 60)).unwrap();
        unit.backout().unwrap();
        let kept = ds
            .string()
            .get(place, Search::Equal, Intent::Read)
            .map(|r| unsealed(r.bytes));
        assert_eq!(kept.unwrap(), 1, "{organization:?}");
        drop((s, t, unit));
        ds.close().unwrap();
    }
}

/// The same with alternate indexes: no key is left that the record does not have.
#[test]
fn alternate_keys_follow_two_strings_of_a_unit() {
    let (_, world) = world();
    let engine = sphere::ready(&world);
    let ds = sphere::open(&world, &engine);
    let unit = engine.unit();
    ds.string()
        .insert(&sphere::record(1, "0001", "AAA"), Insert::Direct)
        .unwrap();
    let (mut s, mut t) = (ds.string_in(&unit), ds.string_in(&unit));
    for string in [&mut s, &mut t] {
        string.get(&key(1), Search::Equal, Intent::Update).unwrap();
    }
    t.update(&sphere::record(1, "0002", "BBB")).unwrap();
    s.update(&sphere::record(1, "0003", "CCC")).unwrap();
    unit.commit().unwrap();
    drop((s, t, unit));
    ds.close().unwrap();
    sphere::assert_agree(&world, &engine);
}

/// A change that a duplicate alternate key refuses keeps nothing of what it would have changed.
#[test]
fn a_refused_change_keeps_no_alternate_key() {
    let (_, world) = world();
    let engine = sphere::ready(&world);
    let ds = sphere::open(&world, &engine);
    let mut s = ds.string();
    s.insert(&sphere::record(1, "0001", "AAA"), Insert::Direct).unwrap();
    let unit = engine.unit();
    let refused = ds
        .string_in(&unit)
        .insert(&sphere::record(2, "0001", "BBB"), Insert::Direct);
    assert_eq!(sphere::refused(refused), (8, 8, 4));
    s.get(&key(1), Search::Equal, Intent::Update).unwrap();
    s.update(&sphere::record(1, "0009", "AAA")).unwrap();
    drop((s, unit));
    ds.close().unwrap();
    sphere::assert_agree(&world, &engine);
}

/// A key had as many pointers as its record takes when a unit took one away, and another came. The unit goes back, by
/// itself or by a recovery.
#[test]
fn a_unit_gives_a_full_alternate_key_its_pointer_back() {
    for dies in [false, true] {
        let (disk, world) = world();
        let engine = sphere::ready(&world);
        let ds = sphere::open(&world, &engine);
        let mut s = ds.string();
        for n in 1..249 {
            s.insert(&sphere::record(n, &format!("{n:04}"), "AAA"), Insert::Direct)
                .unwrap();
        }
        let unit = engine.unit();
        let mut t = ds.string_in(&unit);
        t.get(&key(7), Search::Equal, Intent::Update).unwrap();
        t.erase().unwrap();
        s.insert(&sphere::record(300, "0300", "AAA"), Insert::Direct).unwrap();
        let engine = if dies {
            ds.commit().unwrap();
            disk.kill();
            drop((s, t, unit, ds, engine));
            let engine = world.engine();
            sphere::open(&world, &engine).close().unwrap();
            engine
        } else {
            unit.backout().unwrap();
            drop((s, t, unit));
            ds.close().unwrap();
            engine
        };
        assert_eq!(sphere::assert_agree(&world, &engine).len(), 250, "dies: {dies}");
    }
}

/// The unique keys of a unit that has ended are free: a duplicate is a duplicate again.
fn t_is_free(ds: &DataSet) {
    let mut t = ds.string();
    let refusal = sphere::refused(t.insert(&sphere::record(50, "0011", "AAA"), Insert::Direct));
    assert_eq!(refusal, (8, 8, 4));
}

fn numbered(organization: Organization, spanned: bool) -> (MemoryDisk, World, Engine) {
    let (disk, world) = world();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        data.organization = organization;
        data.key_length = 0;
        data.spanned = spanned;
        if organization == Organization::Rrds {
            (data.average_record, data.maximum_record) = (60, 60);
        }
        if spanned {
            data.maximum_record = 1500;
        }
    });
    (disk, world, engine)
}

#[test]
fn records_with_numbers_go_back_and_survive() {
    for organization in [Organization::Rrds, Organization::Vrrds] {
        for dies in [false, true] {
            let (disk, world, engine) = numbered(organization, false);
            let ds = world.open(&engine, "d");
            let unit = engine.unit();
            let mut s = ds.string_in(&unit);
            // Never loaded: the unit's first insert ends the load.
            for n in 1..=20 {
                s.insert_at(n, &sealed(n.into(), 0, 60), Insert::Direct).unwrap();
            }
            unit.commit().unwrap();
            let before = contents(&ds);
            assert_eq!(before.len(), 20);
            s.insert_at(100, &sealed(100, 1, 60), Insert::Direct).unwrap();
            s.insert(&sealed(101, 1, 60), Insert::Sequential).unwrap();
            for rrn in 1..=5 {
                s.get(Argument::Rrn(rrn), Search::Equal, Intent::Update).unwrap();
                s.update(&sealed(rrn.into(), 1, 60)).unwrap();
                s.get(Argument::Rrn(rrn + 5), Search::Equal, Intent::Update).unwrap();
                s.erase().unwrap();
            }
            let mut t = ds.string();
            let got = t.get(Argument::Rrn(1), Search::Equal, Intent::Update).map(|_| ());
            assert_eq!(codes(got), (8, 20));
            assert_eq!(codes(t.insert_at(6, &sealed(6, 2, 60), Insert::Direct)), (8, 20));
            assert_eq!(codes(t.insert_at(100, &sealed(6, 2, 60), Insert::Direct)), (8, 20));
            drop(t);
            let (engine, ds) = gone_back(dies, &disk, &world, (engine, ds), (unit, s));
            assert_eq!(contents(&ds), before, "{organization:?}, dies: {dies}");
            ds.string().insert_at(100, &sealed(100, 3, 60), Insert::Direct).unwrap();
            ds.close().unwrap();
            drop(engine);
        }
    }
}

/// Backs a unit that changed `d` out, or lets the process die behind a checkpoint and the next open do it.
fn gone_back(
    dies: bool,
    disk: &MemoryDisk,
    world: &World,
    (engine, ds): (Engine, DataSet),
    (unit, s): (UnitOfRecovery, Str),
) -> (Engine, DataSet) {
    if !dies {
        unit.backout().unwrap();
        return (engine, ds);
    }
    ds.checkpoint().unwrap();
    disk.kill();
    drop((s, unit, ds, engine));
    let engine = world.engine();
    let ds = world.open(&engine, "d");
    (engine, ds)
}

#[test]
fn records_added_to_an_esds_are_cut_off_again() {
    for dies in [false, true] {
        let (disk, world, engine) = numbered(Organization::Esds, true);
        let ds = world.open(&engine, "d");
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        let lengths = [60, 300, 1200, 40, 700];
        let add = |s: &mut Str, n: u64| s.insert(&sealed(n, n, lengths[n as usize % 5]), Insert::Sequential);
        let rbas: Vec<u64> = (0..12).map(|n| add(&mut s, n).unwrap()).collect();
        unit.commit().unwrap();
        let before = contents(&ds);
        let used = ds.high_used();
        let next: Vec<u64> = (12..40).map(|n| add(&mut s, n).unwrap()).collect();
        s.get(Argument::Rba(rbas[3]), Search::Equal, Intent::Update).unwrap();
        s.update(&sealed(3, 99, 40)).unwrap();
        let mut t = ds.string();
        assert_eq!(codes(add(&mut t, 50)), (8, 20), "the end is the unit's");
        let got = t.get(Argument::Rba(next[0]), Search::Equal, Intent::Update).map(|_| ());
        assert_eq!(codes(got), (8, 20));
        drop(t);
        let (engine, ds) = gone_back(dies, &disk, &world, (engine, ds), (unit, s));
        assert_eq!(contents(&ds), before, "dies: {dies}");
        let mut t = ds.string();
        let again: Vec<u64> = (12..40).map(|n| add(&mut t, n).unwrap()).collect();
        assert_eq!(again, next, "records go where they would have gone");
        drop(t);
        assert_eq!(contents(&ds).len(), 40);
        assert!(ds.high_used() >= used);
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        assert_eq!(contents(&ds).len(), 40);
        ds.close().unwrap();
    }
}

#[test]
fn what_takes_a_long_unit_back_outlives_several_lengths_of_the_log() {
    let (disk, world) = world();
    let engine = world.engine();
    world.create(&engine, "a", |data, index| {
        (data.ci_size, data.ci_per_ca, data.maximum_record) = (32768, 20, 32000);
        (data.primary, index.primary) = (64 << 20, 8 << 20);
    });
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..100 {
        s.insert(&sealed(n, 0, 30_000), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let unit = engine.unit();
    let mut long = ds.string_in(&unit);
    update(&mut long, 0, 77, 30_000).unwrap();
    erase(&mut long, 1).unwrap();
    // 150 MB of log beside the open unit.
    let mut s = ds.string();
    for n in 0..5_000 {
        update(&mut s, 2 + n % 98, n, 30_000).unwrap();
    }
    ds.commit().unwrap();
    disk.kill();
    drop((s, long, unit, ds, engine));
    let engine = world.engine();
    let ds = world.open(&engine, "a");
    let found = contents(&ds);
    assert_eq!(found.len(), 100);
    assert_eq!((unsealed(&found[0]), unsealed(&found[1])), (0, 0));
    assert_eq!(unsealed(&found[99]), 4_997, "the last n below 5,000 with n % 98 = 97");
    ds.close().unwrap();
}

#[test]
fn a_unit_that_the_pool_has_no_room_for_is_refused_and_goes_back() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 100);
    let ds = world.open(&engine, "a");
    let before = contents(&ds);
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    let refused = (0..).find_map(|n| insert(&mut s, n * 10 + 1, n).err()).unwrap();
    assert_eq!(codes(Err::<(), _>(refused)), (8, 40));
    assert!(unit.changes() > 1000);
    unit.backout().unwrap();
    assert_eq!(contents(&ds), before);
    update(&mut s, 0, 1, 60).unwrap();
    unit.commit().unwrap();
    drop(s);
    ds.close().unwrap();
}

#[test]
fn what_has_no_records_takes_part_in_no_unit() {
    let (_, world, engine) = numbered(Organization::Lds, false);
    let ds = world.open(&engine, "d");
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    assert_eq!(codes(s.insert(&[0; 512], Insert::Sequential)), (8, 104));
    assert_eq!(codes(s.write_range(0, &[0; 4096])), (8, 104));
    loaded(&world, &engine, "a", 10);
    let a = world.open(&engine, "a");
    let mut s = a.string_in(&unit);
    let image = s.get_interval(0, Intent::Update).unwrap().bytes.to_vec();
    assert_eq!(codes(s.put_interval(&image)), (8, 104));
    // Of a record that a unit changed no image is put back by others.
    update(&mut s, 0, 1, 60).unwrap();
    let mut t = a.string();
    let mut image = t.get_interval(0, Intent::Update).unwrap().bytes.to_vec();
    image[20] ^= 1;
    assert_eq!(codes(t.put_interval(&image)), (8, 20));
}

#[test]
fn refused_changes_take_no_room_in_a_unit() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    insert(&mut s, 5, 5).unwrap();
    for _ in 0..world.pool_bytes / 90 {
        assert_eq!(codes(insert(&mut s, 10, 1)), (8, 8));
    }
    unit.commit().unwrap();
}

#[test]
fn what_takes_no_part_in_units_stands_as_it_is_done() {
    let (disk, world) = power::world();
    let engine = world.engine();
    loaded(&world, &engine, "none", 20);
    loaded(&world, &engine, "undo", 20);
    let options = OpenOptions {
        log: Logging::None,
        ..OpenOptions::output()
    };
    let none = world.open_with(&engine, "none", options);
    let undo = world.open(&engine, "undo");
    let before = contents(&undo);
    let unit = engine.unit();
    let (mut stands, mut goes) = (none.string_in(&unit), undo.string_in(&unit));
    for s in [&mut stands, &mut goes] {
        insert(s, 5, 1).unwrap();
        update(s, 10, 2, 90).unwrap();
        erase(s, 20).unwrap();
    }
    // Nobody waits for the unit's end, and its backout takes nothing of it back.
    update(&mut none.string(), 10, 3, 91).unwrap();
    let changed = contents(&none);
    unit.backout().unwrap();
    assert_eq!(contents(&none), changed);
    assert_eq!(contents(&undo), before);
    // A commit makes it durable, though the unit has changed nothing else.
    insert(&mut stands, 6, 1).unwrap();
    unit.commit().unwrap();
    let changed = contents(&none);
    let left = power::cut(&disk);
    assert_eq!(contents(&left.open(&left.engine(), "none")), changed);
}
