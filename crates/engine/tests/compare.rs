//! A base compared with its alternate indexes, record by record.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::sphere::*;
use common::*;
use std::ops::ControlFlow;
use std::path::Path;

fn compared(world: &World, engine: &Engine, name: &str, memory: usize) -> (Compared, Vec<String>) {
    let base = world.open_with(engine, "b", OpenOptions::default());
    let mut told = Vec::new();
    let work = (Path::new("/v"), memory);
    let compared = engine.compare_index(&base, &files(world, name), work, &mut |found| {
        told.push(found.to_string())
    });
    base.close().unwrap();
    (compared.unwrap(), told)
}

#[test]
fn what_base_and_index_do_not_agree_about_is_told_each() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine);
    let ds = world.open(&engine, "b");
    let mut s = ds.string();
    for n in 0..600 {
        let group = ["AAA", "EEE", "BBB"][n as usize % 3];
        s.insert(&record(n, &format!("{n:04}"), group), Insert::Sequential)
            .unwrap();
    }
    drop(s);
    ds.close().unwrap();
    for name in ["u", "n"] {
        let base = world.open_with(&engine, "b", OpenOptions::default());
        let build = Build {
            work: Path::new("/v"),
            memory: 1 << 20,
            progress: &mut |_| {},
            omitted: &mut |_| ControlFlow::Break(()),
        };
        engine.build_index(&base, &files(&world, name), build).unwrap();
        base.close().unwrap();
    }
    for memory in [1 << 20, 1] {
        for name in ["u", "n"] {
            let (compared, told) = compared(&world, &engine, name, memory);
            assert_eq!(
                (compared.records, compared.pointers, compared.disagreements),
                (600, 600, 0)
            );
            assert!(told.is_empty());
        }
    }
    // Without its indexes the base is changed behind their back.
    let ds = world.open(&engine, "b");
    let mut s = ds.string();
    for n in [7, 8] {
        s.get(&key(n)[..], Search::Equal, Intent::Update).unwrap();
        match n {
            7 => s.erase().unwrap(),
            _ => drop(s.update(&record(n, "0008", "CCC"))),
        }
    }
    s.insert(&record(900, "0900", "AAA"), Insert::Direct).unwrap();
    drop(s);
    ds.close().unwrap();
    for memory in [1 << 20, 1] {
        let (said, told) = compared(&world, &engine, "n", memory);
        assert_eq!((said.records, said.pointers, said.disagreements), (600, 600, 4));
        let begins = [
            "alternate key 'AAA' (X'414141') has no pointer to the base record '00000900'",
            "alternate key 'BBB' (X'424242') points to a base record with another key: '00000008'",
            "alternate key 'CCC' (X'434343') has no pointer to the base record '00000008'",
            "alternate key 'EEE' (X'454545') points to a base record that is not there: '00000007'",
        ];
        for (told, begins) in told.iter().zip(begins) {
            assert!(told.starts_with(begins), "{told}");
        }
        assert_eq!(compared(&world, &engine, "u", memory).0.disagreements, 2);
    }
    // What is no alternate index is compared with nothing.
    let base = world.open_with(&engine, "b", OpenOptions::default());
    let refused = engine.compare_index(&base, &files(&world, "b"), (Path::new("/v"), 1), &mut |_| ());
    assert!(matches!(refused, Err(BuildError::Open(OpenError::Attributes { .. }))));
    base.close().unwrap();
}

#[test]
fn a_build_that_may_leave_nothing_out_leaves_the_index_as_it_was() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine);
    let ds = world.open(&engine, "b");
    let mut s = ds.string();
    for n in 0..40 {
        s.insert(&record(n, "SAME", "AAA"), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let base = world.open_with(&engine, "b", OpenOptions::default());
    let mut told = Vec::new();
    let build = Build {
        work: Path::new("/v"),
        memory: 1 << 20,
        progress: &mut |_| {},
        omitted: &mut |omitted| {
            told.push(omitted.to_string());
            ControlFlow::Break(())
        },
    };
    let built = engine.build_index(&base, &files(&world, "u"), build);
    assert!(matches!(built, Err(BuildError::LeftOut)), "{built:?}");
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("which must be unique"), "{}", told[0]);
    assert_eq!(engine.peek(&files(&world, "u").data).unwrap().levels, 0);
    base.close().unwrap();
}
