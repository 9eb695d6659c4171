//! A pool much smaller than what is open: everything works, and its bound holds.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;

#[test]
fn data_sets_of_several_sizes_share_a_pool_that_holds_a_tenth_of_them() {
    let world = World {
        pool_bytes: 4 << 20,
        ..World::memory()
    };
    let engine = world.engine();
    let within = || {
        let (limit, charged) = engine.pool_use();
        assert!(charged <= limit, "{charged} bytes charged, the bound is {limit}");
    };
    let sizes = [
        (512, 30, 40),
        (2048, 20, 60),
        (4096, 50, 100),
        (8192, 10, 300),
        (32768, 5, 700),
    ];
    let records = |len: usize| (8 << 20) / len as u64;
    let mut open = Vec::new();
    for (ci_size, ci_per_ca, len) in sizes {
        let name = format!("s{ci_size}");
        world.create(&engine, &name, |data, index| {
            (data.ci_size, data.ci_per_ca, data.average_record, data.maximum_record) =
                (ci_size, ci_per_ca, len as u32, 800);
            (index.ci_size, index.ci_per_ca) = (2048, 20);
            (data.primary, data.secondary) = (4 << 20, 1 << 20);
        });
        let ds = world.open(&engine, &name);
        let mut s = ds.string();
        for n in 0..records(len) {
            s.insert(&sealed(n * 2, n, len), Insert::Sequential).unwrap();
        }
        within();
        drop(s);
        ds.close().unwrap();
        open.push((world.open(&engine, &name), len, Random(ci_size as u64)));
    }
    let mut inserted = vec![0; open.len()];
    for round in 0..3000 {
        for ((ds, len, random), inserted) in open.iter_mut().zip(&mut inserted) {
            let mut s = ds.string();
            let n = random.below(records(*len));
            let value = unsealed(s.get(&key(n * 2), Search::Equal, Intent::Update).unwrap().bytes);
            s.update(&sealed(n * 2, value + 1, *len + (n % 20) as usize)).unwrap();
            match s.insert(&sealed(n * 2 + 1, n, *len), Insert::Direct) {
                Ok(_) => *inserted += 1,
                Err(RequestError::Duplicate { .. }) => {}
                Err(error) => panic!("{}: {error}", ds.attributes().component_name),
            }
        }
        if round % 100 == 0 {
            within();
        }
    }
    for ((ds, len, _), inserted) in open.into_iter().zip(inserted) {
        assert_sound(&ds);
        assert_eq!(ds.statistics().0.records, records(len) + inserted);
        within();
        ds.close().unwrap();
    }
    within();
}

#[test]
fn the_tables_of_control_areas_are_charged_to_the_pool() {
    let world = World::memory();
    let engine = world.engine();
    let cas = 3000;
    world.create(&engine, "a", |data, _| {
        (data.ci_size, data.ci_per_ca, data.primary) = (512, 1, 64 << 20);
    });
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..cas {
        s.insert(&sealed(n, n, 400), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    drop(engine);
    let engine = world.engine();
    let before = engine.pool_use().1;
    let input = world.open_with(&engine, "a", OpenOptions::default());
    assert_eq!(input.statistics().0.records, cas);
    let charged = engine.pool_use().1 - before;
    assert!(charged >= 12 * cas as usize, "{charged} bytes for {cas} control areas");
    input.close().unwrap();
    assert!(engine.pool_use().1 < before + charged, "what was charged is given back");
}
