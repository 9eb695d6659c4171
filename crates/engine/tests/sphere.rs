//! A base with its alternate indexes: they agree after every change, refusal, close and death.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::sphere::*;
use common::*;

#[test]
fn a_change_of_the_base_changes_its_alternate_indexes() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = open(&world, &engine);
    let mut s = ds.string();
    s.insert(&record(2, "0002", "AAA"), Insert::Direct).unwrap();
    assert!(s.duplicate());
    s.insert(&record(1, "0001", "BBB"), Insert::Direct).unwrap();
    assert!(!s.duplicate());
    s.insert(&record(3, "0003", "AAA"), Insert::Direct).unwrap();
    s.get(&key(2), Search::Equal, Intent::Update).unwrap();
    s.update(&record(2, "0022", "BBB")).unwrap();
    assert!(s.duplicate());
    s.get(&key(0), Search::Equal, Intent::Update).unwrap();
    s.erase().unwrap();
    drop(s);
    ds.close().unwrap();
    let records = assert_agree(&world, &engine);
    assert_eq!(records.len(), 3);
    let groups = entries(&world, &engine, "n");
    assert_eq!(groups[&b"AAA".to_vec()], [key(3)]);
    assert_eq!(groups[&b"BBB".to_vec()], [key(1), key(2)], "in order of arrival");
}

#[test]
fn a_duplicate_of_a_unique_alternate_key_is_refused_and_nothing_is_changed() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = open(&world, &engine);
    let mut s = ds.string();
    s.insert(&record(1, "0001", "BBB"), Insert::Direct).unwrap();
    assert_eq!(refused(s.insert(&record(2, "0001", "CCC"), Insert::Direct)), (8, 8, 4));
    assert_eq!(refused(s.insert(&record(1, "0002", "CCC"), Insert::Direct)), (8, 8, 0));
    s.get(&key(1), Search::Equal, Intent::Update).unwrap();
    assert_eq!(refused(s.update(&record(1, "0000", "DDD"))), (8, 8, 4));
    // It is still held, and an update that is possible is done.
    s.update(&record(1, "0009", "BBB")).unwrap();
    drop(s);
    ds.close().unwrap();
    let records = assert_agree(&world, &engine);
    assert_eq!(records, [record(0, "0000", "AAA"), record(1, "0009", "BBB")]);
}

#[test]
fn a_record_too_short_for_an_alternate_key_has_no_entry() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = open(&world, &engine);
    let mut s = ds.string();
    for (n, len) in [(1, 8), (2, 11), (3, 12), (4, 14), (5, 15)] {
        s.insert(&record(n, &format!("{n:04}"), "ZZZ")[..len], Insert::Direct)
            .unwrap();
    }
    drop(s);
    ds.close().unwrap();
    assert_agree(&world, &engine);
    assert_eq!(entries(&world, &engine, "u").len(), 4);
    assert_eq!(entries(&world, &engine, "n").len(), 2);
    // It grows into its key, and shrinks out of it.
    let ds = open(&world, &engine);
    let mut s = ds.string();
    s.get(&key(1), Search::Equal, Intent::Update).unwrap();
    s.update(&record(1, "0001", "YYY")).unwrap();
    s.get(&key(5), Search::Equal, Intent::Update).unwrap();
    s.update(&key(5)).unwrap();
    drop(s);
    ds.close().unwrap();
    assert_agree(&world, &engine);
    assert_eq!(entries(&world, &engine, "n").len(), 2);
}

#[test]
fn many_duplicates_become_a_spanned_record_and_shrink_again() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = open(&world, &engine);
    let mut s = ds.string();
    for n in 1..200 {
        s.insert(&record(n, &format!("{n:04}"), "AAA"), Insert::Direct).unwrap();
    }
    for n in (0..200).step_by(3) {
        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
        s.update(&record(n, &format!("{n:04}"), "BBB")).unwrap();
    }
    for n in (0..200).filter(|n| n % 3 == 1) {
        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    }
    drop(s);
    ds.close().unwrap();
    assert_eq!(assert_agree(&world, &engine).len(), 133);
}

#[test]
fn an_alternate_index_record_at_its_length_takes_no_more() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = open(&world, &engine);
    let mut s = ds.string();
    // 2000 bytes: 5 + 3 + 249 pointers of 8.
    for n in 1..249 {
        s.insert(&record(n, &format!("{n:04}"), "AAA"), Insert::Direct).unwrap();
    }
    assert_eq!(
        refused(s.insert(&record(249, "0249", "AAA"), Insert::Direct)),
        (8, 148, 4)
    );
    s.insert(&record(249, "0249", "BBB"), Insert::Direct).unwrap();
    drop(s);
    ds.close().unwrap();
    assert_eq!(assert_agree(&world, &engine).len(), 250);
}

#[test]
fn what_was_committed_is_there_in_all_members_after_death() {
    for checkpoint in [false, true] {
        let world = World::memory();
        let engine = ready(&world);
        let ds = open(&world, &engine);
        let mut s = ds.string();
        for n in 1..40 {
            s.insert(&record(n, &format!("{n:04}"), "AAA"), Insert::Direct).unwrap();
            if n == 20 && checkpoint {
                ds.checkpoint().unwrap();
            }
        }
        ds.commit().unwrap();
        drop((s, ds, engine));
        // Opened by themselves, one after the other, they are as they were left together.
        let engine = world.engine();
        assert_eq!(assert_agree(&world, &engine).len(), 40);
    }
}

#[test]
fn a_sphere_abandoned_while_another_data_set_goes_on_is_recovered_whole() {
    let world = World::memory();
    let engine = ready(&world);
    world.create(&engine, "other", |_, _| ());
    let other = world.open(&engine, "other");
    other.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    other.close().unwrap();
    let other = world.open(&engine, "other");
    let ds = open(&world, &engine);
    let mut s = ds.string();
    for n in 1..40 {
        s.insert(&record(n, &format!("{n:04}"), "AAA"), Insert::Direct).unwrap();
        other.string().insert(&sealed(n, n, 60), Insert::Direct).unwrap();
        if n == 20 {
            ds.commit().unwrap();
        }
    }
    drop((s, ds));
    for n in 40..60 {
        other.string().insert(&sealed(n, n, 60), Insert::Direct).unwrap();
    }
    let records = assert_agree(&world, &engine);
    assert!(records.len() >= 21, "{}", records.len());
    other.close().unwrap();
    assert_agree(&world, &engine);
}

#[test]
fn an_alternate_index_that_was_never_built_is_left_out_and_told() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine);
    let ds = open(&world, &engine);
    ds.string()
        .insert(&record(0, "0000", "AAA"), Insert::Sequential)
        .unwrap();
    assert_eq!(ds.unbuilt(), ["T.U", "T.N"]);
    ds.close().unwrap();
    let ds = open(&world, &engine);
    ds.string().insert(&record(1, "0000", "AAA"), Insert::Direct).unwrap();
    ds.close().unwrap();
    let ds = world.open_with(&engine, "b", OpenOptions::default());
    assert_eq!(contents(&ds).len(), 2);
}

#[test]
fn what_cannot_be_a_sphere_is_not_opened() {
    let world = World::memory();
    let engine = ready(&world);
    let base = files(&world, "b");
    let missing = files(&world, "missing");
    let error = engine.open_sphere(&base, &[missing], output()).err().unwrap();
    assert_eq!(error.acberflg(), 148);
    // A cluster that is no alternate index.
    world.create(&engine, "plain", |_, _| ());
    let ds = world.open(&engine, "plain");
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let error = engine
        .open_sphere(&base, &[files(&world, "plain")], output())
        .err()
        .unwrap();
    assert_eq!(error.acberflg(), 192, "{error}");
    // Nothing of it stayed open.
    let ds = open(&world, &engine);
    let (data, index) = world.paths("u");
    let error = engine.open(&data, &index, OpenOptions::default()).err().unwrap();
    assert_eq!(error.acberflg(), 168, "{error}");
    ds.close().unwrap();
    world.open(&engine, "u").close().unwrap();
    // The base by itself, and then with its alternate indexes.
    let alone = world.open(&engine, "b");
    let error = engine
        .open_sphere(&base, &[files(&world, "u")], output())
        .err()
        .unwrap();
    assert_eq!(error.acberflg(), 168, "{error}");
    alone.close().unwrap();
    assert_agree(&world, &engine);
}

#[test]
fn threads_that_meet_at_the_same_keys_leave_a_sphere_that_agrees() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = open(&world, &engine);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let ds = &ds;
            scope.spawn(move || {
                let mut random = Random(thread * 77 + 5);
                let mut s = ds.string();
                for _ in 0..1500 {
                    let n = random.below(120);
                    let new = record(
                        n,
                        &format!("{:04}", random.below(150)),
                        ["AAA", "BBB", "CCC"][random.below(3) as usize],
                    );
                    let done = match random.below(3) {
                        0 => s.insert(&new, Insert::Direct).map(drop),
                        1 => s
                            .get(&key(n), Search::Equal, Intent::Update)
                            .map(drop)
                            .and_then(|()| s.update(&new).map(drop)),
                        _ => s
                            .get(&key(n), Search::Equal, Intent::Update)
                            .map(drop)
                            .and_then(|()| s.erase()),
                    };
                    if let Err(error) = done {
                        let f = error.feedback();
                        assert!(matches!((f.return_code, f.reason), (8, 8 | 16 | 20)), "{error}");
                    }
                    s.end();
                    if random.below(100) == 0 {
                        ds.checkpoint().unwrap();
                    }
                }
            });
        }
    });
    ds.commit().unwrap();
    drop((ds, engine));
    let engine = world.engine();
    assert!(assert_agree(&world, &engine).len() > 10);
}
