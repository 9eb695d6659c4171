//! BLDINDEX: an alternate index filled from its base.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::sphere::*;
use common::*;
use std::path::Path;

/// What was built, and the alternate keys of which something was omitted.
fn build(world: &World, engine: &Engine, name: &str, memory: usize) -> (Result<Built, BuildError>, Vec<String>) {
    let base = world.open_with(engine, "b", OpenOptions::default());
    let mut told = Vec::new();
    let built = engine.build_index(
        &base,
        &files(world, name),
        Build {
            work: Path::new("/v"),
            memory,
            progress: &mut |_| {},
            omitted: &mut |omitted| {
                told.push(format!("{omitted:?}"));
                std::ops::ControlFlow::Continue(())
            },
        },
    );
    base.close().unwrap();
    (built, told)
}

fn loaded(world: &World, records: &[Vec<u8>]) -> Engine {
    let engine = world.engine();
    define(world, &engine);
    let ds = world.open(&engine, "b");
    let mut s = ds.string();
    for record in records {
        s.insert(record, Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    engine
}

fn many() -> Vec<Vec<u8>> {
    let group = |n: u64| ["AAA", "BBB", "CCC"][n as usize * 7 % 3];
    (0..600)
        .map(|n| record(n, &format!("{:04}", 7919 * n % 10_000), group(n)))
        .collect()
}

#[test]
fn an_index_is_built_as_upgrade_would_have_made_it() {
    for memory in [64 << 20, 1] {
        let world = World::memory();
        let engine = loaded(&world, &many());
        let (built, told) = build(&world, &engine, "u", memory);
        let built = built.unwrap();
        assert_eq!((built.read, built.short, built.entries), (600, 0, 600));
        assert_eq!(built.runs > 0, memory == 1);
        assert!(told.is_empty());
        // 200 pointers of 8 bytes fit 2000.
        assert_eq!(build(&world, &engine, "n", memory).0.unwrap().entries, 3);
        assert_eq!(assert_agree(&world, &engine).len(), 600);
        let n = entries(&world, &engine, "n");
        assert!(n.values().all(|pointers| pointers.is_sorted()), "in order of the base");
        assert!(world
            .disk
            .list(Path::new("/v"))
            .unwrap()
            .iter()
            .all(|(p, _)| p.extension() != Some("work".as_ref())));
        // From now on it is upgraded.
        let ds = open(&world, &engine);
        assert!(ds.unbuilt().is_empty());
        ds.string().insert(&record(700, "XXXX", "DDD"), Insert::Direct).unwrap();
        ds.close().unwrap();
        assert_agree(&world, &engine);
    }
}

#[test]
fn what_an_index_does_not_take_is_told() {
    let world = World::memory();
    let mut records: Vec<_> = (0..300).map(|n| record(n, &format!("{:04}", n / 2), "AAA")).collect();
    records[10].truncate(11);
    let engine = loaded(&world, &records);
    let (built, told) = build(&world, &engine, "u", 1 << 20);
    let built = built.unwrap();
    assert_eq!((built.read, built.short, built.entries, told.len()), (300, 1, 150, 149));
    let (built, told) = build(&world, &engine, "n", 1 << 20);
    assert_eq!(built.unwrap().short, 1);
    // 299 pointers, of which 249 fit 2000 bytes.
    assert!(told.len() == 1 && told[0].contains("count: 50"), "{told:?}");
    assert_eq!(entries(&world, &engine, "n")[&b"AAA".to_vec()].len(), 249);
}

#[test]
fn an_index_with_records_is_emptied_first_if_it_may_be() {
    let world = World::memory();
    let engine = loaded(&world, &many());
    build(&world, &engine, "u", 1 << 20).0.unwrap();
    // The tests' data sets are REUSE.
    build(&world, &engine, "u", 1 << 20).0.unwrap();
    let (data, index) = world.paths("u");
    engine.alter(&data, &index, |data, _| data.reuse = false).unwrap();
    let refused = build(&world, &engine, "u", 1 << 20).0.unwrap_err();
    assert!(
        matches!(refused, BuildError::Open(OpenError::Attributes { .. })),
        "{refused}"
    );
    assert_eq!(entries(&world, &engine, "u").len(), 600);
    let refused = build(&world, &engine, "b", 1 << 20).0.unwrap_err();
    assert!(refused.to_string().contains("no alternate index"), "{refused}");
}

#[test]
fn a_build_that_fails_leaves_the_index_empty() {
    let world = World::memory();
    let engine = loaded(&world, &many());
    let (data, index) = world.paths("u");
    // No space for more than the primary allocation.
    engine.alter(&data, &index, |data, _| data.secondary = 0).unwrap();
    engine.alter(&data, &index, |data, _| data.primary = 3072).unwrap();
    let refused = build(&world, &engine, "u", 1 << 20).0.unwrap_err();
    assert!(
        matches!(&refused, BuildError::Alternate(RequestError::NoSpace { .. })),
        "{refused}"
    );
    assert_eq!(engine.peek(&data).unwrap().levels, 0);
    let base = world.open(&engine, "b");
    base.close().unwrap();
}

#[test]
fn an_index_without_entries_is_built_and_upgraded_from_then_on() {
    let world = World::memory();
    // Too short for either alternate key.
    let engine = loaded(&world, &[key(1), key(2)]);
    for name in ["u", "n"] {
        let built = build(&world, &engine, name, 1 << 20).0.unwrap();
        assert_eq!((built.read, built.short, built.entries), (2, 2, 0));
    }
    let ds = open(&world, &engine);
    assert!(ds.unbuilt().is_empty());
    ds.string().insert(&record(3, "0003", "AAA"), Insert::Direct).unwrap();
    ds.close().unwrap();
    assert_eq!(assert_agree(&world, &engine).len(), 3);
    assert_eq!(entries(&world, &engine, "u").len(), 1);
}

#[test]
fn beside_an_open_of_the_base_for_output_only_an_index_that_is_not_upgraded_is_built() {
    let world = World::memory();
    let engine = loaded(&world, &many());
    let base = open(&world, &engine);
    assert_eq!(base.unbuilt().len(), 2);
    let refused = build(&world, &engine, "u", 1 << 20).0.unwrap_err();
    assert!(
        matches!(refused, BuildError::Open(OpenError::InUse { .. })),
        "{refused}"
    );
    base.string()
        .insert(&record(700, "9999", "DDD"), Insert::Direct)
        .unwrap();
    base.close().unwrap();
    build(&world, &engine, "u", 1 << 20).0.unwrap();
    build(&world, &engine, "n", 1 << 20).0.unwrap();
    assert_agree(&world, &engine);

    let (data, index) = world.paths("u");
    let not_upgraded = |data: &mut cica_format::attributes::Attributes, _: &mut _| {
        data.alternate.as_mut().unwrap().upgrade = false;
    };
    engine.alter(&data, &index, not_upgraded).unwrap();
    let base = world.open(&engine, "b");
    build(&world, &engine, "u", 1 << 20).0.unwrap();
    base.close().unwrap();
}
