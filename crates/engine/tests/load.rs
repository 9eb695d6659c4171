//! Loading: what FREESPACE leaves, spanned records, RESET, and a load that does not come to its end.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;

fn count(ds: &DataSet) -> u64 {
    assert_sound(ds);
    let (mut s, mut n) = (ds.string(), 0);
    while let Ok(record) = s.next(Intent::Read) {
        unsealed(record.bytes);
        n += 1;
    }
    assert_eq!(ds.statistics().0.records, n);
    n
}

#[test]
fn freespace_is_left_in_each_interval_and_each_area() {
    // CISZ 1000 bytes usable as 10 records of 97 and their control bytes; a quarter of CI and CA is left free.
    for (free_ci, free_ca, per_ci, cis) in [
        (0, 0, 10, 8),
        (25, 0, 7, 8),
        (0, 25, 10, 6),
        (50, 50, 5, 4),
        (100, 100, 1, 1),
    ] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.ci_size, data.ci_per_ca, index.ci_size) = (1024, 8, 1024);
            (data.free_ci, data.free_ca) = (free_ci, free_ca);
        });
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        let records = 3 * per_ci * cis + 1;
        for n in 0..records {
            s.insert(&sealed(n, n, 100), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        assert_eq!(count(&ds), records);
        // Three full CAs and one with one record.
        assert_eq!(ds.high_used(), 4 * 8 * 1024, "FREESPACE({free_ci} {free_ca})");
        assert_eq!(
            ds.examine().unwrap().control_intervals,
            3 * cis + 1,
            "FREESPACE({free_ci} {free_ca})"
        );
    }
}

#[test]
fn spanned_records_load_beside_small_ones_whatever_the_index_holds() {
    for (ci_per_ca, index_ci_size) in [(3, 512), (6, 512), (40, 512), (200, 512)] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.ci_per_ca, index.ci_size) = (ci_per_ca, index_ci_size);
            (data.spanned, data.maximum_record) = (true, 1500);
        });
        let ds = world.open(&engine, "t");
        let (mut s, mut random) = (ds.string(), Random(ci_per_ca as u64));
        let lens: Vec<usize> = (0..1500)
            .map(|_| [40, 200, 1500, 600][random.below(4) as usize])
            .collect();
        for (n, &len) in lens.iter().enumerate() {
            s.insert(&sealed(n as u64 * 997, n as u64, len), Insert::Sequential)
                .unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        assert_eq!(count(&ds), 1500);
        let mut s = ds.string();
        for (n, &len) in lens.iter().enumerate() {
            let got = s.get(&key(n as u64 * 997), Search::Equal, Intent::Read).unwrap();
            assert_eq!((got.bytes.len(), unsealed(got.bytes)), (len, n as u64));
        }
    }
}

#[test]
fn a_record_longer_than_its_area_is_refused() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "t", |data, _| {
        (data.spanned, data.maximum_record, data.ci_per_ca) = (true, 4000, 2)
    });
    world.create(&engine, "u", |data, _| data.maximum_record = 4000);
    for (name, most) in [("t", 2 * 502), ("u", 505)] {
        let ds = world.open(&engine, name);
        let mut s = ds.string();
        let error = s.insert(&sealed(1, 1, most + 1), Insert::Sequential).unwrap_err();
        assert_eq!(
            (error.feedback().return_code, error.feedback().reason),
            (8, 108),
            "{name}: {error}"
        );
        s.insert(&sealed(1, 1, most), Insert::Sequential).unwrap();
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, name);
        assert!(ds.string().insert(&sealed(2, 1, most + 1), Insert::Direct).is_err());
        ds.string().insert(&sealed(2, 1, most), Insert::Direct).unwrap();
        assert_eq!(count(&ds), 2);
    }
}

#[test]
fn a_load_refuses_what_is_not_a_load() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "t", |_, _| ());
    let (data, index) = world.paths("t");
    assert_eq!(
        engine
            .open(&data, &index, OpenOptions::default())
            .err()
            .unwrap()
            .acberflg(),
        160
    );
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    let reason = |r: Result<u64, RequestError>| r.unwrap_err().feedback().reason;
    assert_eq!(reason(s.insert(&sealed(5, 5, 60), Insert::Direct)), 116);
    s.insert(&sealed(5, 5, 60), Insert::Sequential).unwrap();
    assert_eq!(reason(s.insert(&sealed(5, 5, 60), Insert::Sequential)), 8);
    assert_eq!(reason(s.insert(&sealed(4, 5, 60), Insert::Skip)), 12);
    assert_eq!(
        s.get(&key(5), Search::Equal, Intent::Read)
            .unwrap_err()
            .feedback()
            .reason,
        116
    );
    s.insert(&sealed(6, 6, 60), Insert::Skip).unwrap();
    drop(s);
    ds.close().unwrap();
    assert_eq!(count(&world.open(&engine, "t")), 2);
}

#[test]
fn reset_empties_and_the_next_load_begins_anew() {
    let world = World::memory();
    for round in 1..6u64 {
        let engine = world.engine();
        if round == 1 {
            world.create(&engine, "t", |_, _| ());
        }
        let reset = OpenOptions {
            access: Access::Output,
            reset: true,
            ..OpenOptions::default()
        };
        let ds = world.open_with(&engine, "t", reset);
        assert!(ds.loading());
        let mut s = ds.string();
        for n in 0..round * 100 {
            s.insert(&sealed(n, round, 60), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        assert_eq!(count(&ds), round * 100);
        for n in 0..50 {
            ds.string()
                .insert(&sealed(10_000 + n * 7 % 50, n, 90), Insert::Direct)
                .unwrap();
        }
        assert_eq!(count(&ds), round * 100 + 50);
        // Abandoned or closed: RESET takes both.
        if round % 2 == 0 {
            ds.commit().unwrap();
            drop(ds);
        } else {
            ds.close().unwrap();
        }
    }
}

#[test]
fn rbas_of_what_is_loaded_ascend_with_the_keys() {
    for records in [47, 49, 600] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |_, _| ());
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        for n in 0..records {
            s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        assert_sound(&ds);
        let (mut s, mut rbas) = (ds.string(), Vec::new());
        while let Ok(record) = s.next(Intent::Read) {
            rbas.push(record.rba);
        }
        assert_eq!(rbas.len() as u64, records);
        assert_eq!(rbas[0], 0, "the first control area is the first");
        assert!(rbas.is_sorted(), "{records} records: {rbas:?}");
    }
}

#[test]
fn a_load_that_is_abandoned_leaves_its_committed_areas() {
    for commit_at in [0, 1, 50, 199, 500] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |_, _| ());
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        for n in 0..600 {
            s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
            if n == commit_at {
                ds.commit().unwrap();
            }
        }
        drop((s, ds));
        let ds = world.open(&engine, "t");
        if ds.loading() {
            assert!(commit_at < 100, "commit at {commit_at}");
            ds.string().insert(&sealed(7, 7, 60), Insert::Sequential).unwrap();
            ds.close().unwrap();
            assert_eq!(count(&world.open(&engine, "t")), 1);
            continue;
        }
        let kept = count(&ds);
        assert!(kept <= commit_at + 1, "commit at {commit_at}: {kept}");
        assert!(kept + 100 > commit_at, "commit at {commit_at}: {kept}");
        for n in (kept..600).rev() {
            ds.string().insert(&sealed(n, n, 60), Insert::Direct).unwrap();
        }
        assert_eq!(count(&ds), 600);
    }
}

/// How many records, from the first on, are there after the owner died in a load, with what it did before.
fn after_death(durability: Durability, added: u64, commit: bool) -> u64 {
    let disk = cica_disk::MemoryDisk::default();
    let world = World::on(std::sync::Arc::new(disk.clone()), std::path::Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "a", |_, _| ());
    let options = OpenOptions {
        access: Access::Output,
        durability,
        ..OpenOptions::default()
    };
    let ds = world.open_with(&engine, "a", options);
    let mut s = ds.string();
    for n in 0..added {
        s.insert(&sealed(n, n, 60), Insert::Sequential).unwrap();
    }
    if commit {
        ds.commit().unwrap();
    }
    disk.kill();
    drop((s, ds, engine));
    let engine = world.engine();
    let ds = world.open(&engine, "a");
    if ds.loading() {
        return 0;
    }
    assert_sound(&ds);
    let (mut s, mut n) = (ds.string(), 0);
    while let Ok(record) = s.next(Intent::Read) {
        assert_eq!(unsealed(record.bytes), n);
        n += 1;
    }
    n
}

#[test]
fn of_a_load_a_commit_keeps_the_full_control_areas_and_nothing_else_does_before_the_close() {
    // Eight records of 60 bytes in a CI of 512, six CIs in a control area; it is written when the next one begins.
    let area = 48;
    for durability in [Durability::Close, Durability::Commit, Durability::Request] {
        assert_eq!(after_death(durability, 5 * area + 1, true), 5 * area, "{durability:?}");
        assert_eq!(after_death(durability, area - 1, true), 0, "{durability:?}");
    }
    for durability in [Durability::Commit, Durability::Request] {
        assert_eq!(after_death(durability, 5 * area + 1, false), 0, "{durability:?}");
    }
}

#[test]
fn what_is_noreuse_is_emptied_only_by_a_reset_that_says_so() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "t", |data, _| data.reuse = false);
    let ds = world.open(&engine, "t");
    ds.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let (data, index) = world.paths("t");
    let reset = OpenOptions {
        access: Access::Output,
        reset: true,
        ..OpenOptions::default()
    };
    assert!(matches!(
        engine.open(&data, &index, reset).err(),
        Some(OpenError::Attributes { .. })
    ));
    let anyway = OpenOptions {
        reset_anyway: true,
        ..reset
    };
    let ds = engine.open(&data, &index, anyway).unwrap();
    assert!(ds.loading());
    ds.close().unwrap();
}

#[test]
fn a_record_that_joins_a_begun_interval_is_asked_the_same_as_one_that_begins_it() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "t", |data, index| {
        (data.ci_size, data.ci_per_ca, index.ci_size) = (1024, 8, 1024);
    });
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in 0..100u64 {
        s.insert(&sealed(2 * n, n, 100), Insert::Sequential).unwrap();
        let again = s.insert(&sealed(2 * n, 7, 100), Insert::Sequential);
        assert!(matches!(again, Err(RequestError::Duplicate { .. })), "{n}: {again:?}");
        if n > 0 {
            let before = s.insert(&sealed(2 * n - 1, 7, 100), Insert::Sequential);
            assert!(matches!(before, Err(RequestError::Sequence { .. })), "{n}: {before:?}");
        }
        let short = s.insert(&sealed(2 * n + 1, 7, 100)[..4], Insert::Sequential);
        assert!(matches!(short, Err(RequestError::Length { .. })), "{n}: {short:?}");
        let direct = s.insert(&sealed(2 * n + 1, 7, 100), Insert::Direct);
        assert!(matches!(direct, Err(RequestError::Loading)), "{n}: {direct:?}");
    }
    drop(s);
    ds.close().unwrap();
    assert_eq!(count(&world.open(&engine, "t")), 100);
}

#[test]
fn after_a_sequential_insert_a_string_stands_on_the_new_record() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "t", |data, index| {
        (data.ci_size, data.ci_per_ca, index.ci_size) = (1024, 8, 1024);
    });
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in 0..50u64 {
        s.insert(&sealed(4 * n, n, 100), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in 10..40u64 {
        s.insert(&sealed(4 * n + 2, n, 100), Insert::Sequential).unwrap();
        let back = s.skip(&key(4 * n), Search::Equal, Intent::Read).map(drop);
        assert!(matches!(back, Err(RequestError::Sequence { .. })), "{n}: {back:?}");
        let next = s.next(Intent::Read).unwrap();
        assert!(next.bytes.starts_with(&key(4 * n + 4)), "{n}");
    }
}

/// A clock that is set back at each look, while time passes.
#[derive(Debug, Default)]
struct SetBack(std::sync::atomic::AtomicU64);

impl SetBack {
    fn looks(&self) -> u64 {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }
}

impl cica_disk::Clock for SetBack {
    fn now(&self) -> u64 {
        1_700_000_000_000_000_000 - self.looks() * 3_600_000_000_000
    }

    fn passed(&self) -> std::time::Duration {
        std::time::Duration::from_secs(2 * self.looks())
    }
}

#[test]
fn a_clock_that_is_set_back_keeps_no_load_from_being_committed() {
    let world = World::memory();
    let engine = Engine::new(Env {
        disk: world.disk.clone(),
        clock: std::sync::Arc::new(SetBack::default()),
        log_dir: world.root.join("log"),
        pool_bytes: Some(world.pool_bytes),
        io: Default::default(),
        background: false,
    })
    .unwrap();
    world.create(&engine, "t", |data, _| data.speed = false);
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in 0..1000 {
        s.insert(&sealed(n, n, 100), Insert::Sequential).unwrap();
    }
    // Nobody has said that anything is to be kept, so this is what was committed each second.
    let root = engine.peek(&world.paths("t").0).unwrap();
    assert!(root.statistics.records > 500, "{}", root.statistics.records);
    drop(s);
    ds.end_load().unwrap();
    ds.close().unwrap();
}
