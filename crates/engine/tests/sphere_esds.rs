//! Alternate indexes over an ESDS: their pointers are RBAs, which a record keeps for ever.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Organization};
use common::sphere::{contents, entries, files, output, record, refused, Entries};
use common::*;
use std::path::{Path, PathBuf};

/// An alternate index: name, where its key is, and whether it is unique.
type Over = (&'static str, usize, usize, bool);
const OVER: [Over; 2] = [("u", 8, 4, true), ("n", 12, 3, false)];

fn base(world: &World) -> Files {
    Files {
        data: world.paths("b").0,
        index: PathBuf::new(),
    }
}

/// Base `b`, entry-sequenced, with records that span, and the alternate indexes, all empty.
fn define(world: &World, engine: &Engine, pointers: Pointers) {
    world.create(engine, "b", |data, _| {
        data.organization = Organization::Esds;
        (data.key_length, data.key_offset) = (0, 0);
        data.maximum_record = 1200;
        data.spanned = true;
        data.reuse = false;
    });
    for (name, offset, len, unique) in OVER {
        world.create(engine, name, |data, _| {
            data.key_offset = 5;
            data.key_length = len as u16;
            data.maximum_record = 2000;
            data.spanned = true;
            data.alternate = Some(Alternate {
                base: "T.B".into(),
                suppressed: None,
                chained: false,
                key_offset: offset as u32,
                unique,
                upgrade: true,
                pointers,
            });
        });
    }
}

fn build(world: &World, engine: &Engine, name: &str) -> Built {
    let base = world.open_with(engine, "b", OpenOptions::default());
    let build = Build {
        work: Path::new("/v"),
        memory: 1 << 20,
        progress: &mut |_| {},
        omitted: &mut |omitted| panic!("{omitted:?}"),
    };
    let built = engine.build_index(&base, &files(world, name), build).unwrap();
    base.close().unwrap();
    built
}

/// A record of this length: what [`record`] has, and filling.
fn long(n: u64, unique: &str, group: &str, len: usize) -> Vec<u8> {
    let mut bytes = record(n, unique, group);
    bytes.resize(len.max(15), b'.');
    bytes
}

/// Loaded with one record, both indexes built.
fn ready(world: &World, pointers: Pointers) -> Engine {
    let engine = world.engine();
    define(world, &engine, pointers);
    let ds = world.open(&engine, "b");
    ds.string()
        .insert(&long(0, "0000", "AAA", 60), Insert::Sequential)
        .unwrap();
    ds.close().unwrap();
    for (name, ..) in OVER {
        assert_eq!(build(world, &engine, name).entries, 1);
    }
    engine
}

fn open(world: &World, engine: &Engine) -> DataSet {
    let upgrade = OVER.map(|(name, ..)| files(world, name));
    engine.open_sphere(&base(world), &upgrade, output()).unwrap()
}

/// After the sphere is closed: what each alternate index has is what the base says. Returns RBAs and records.
fn assert_agree(world: &World, engine: &Engine, pointers: Pointers) -> Vec<(u64, Vec<u8>)> {
    let ds = world.open_with(engine, "b", OpenOptions::default());
    contents(&ds);
    let (mut s, mut records) = (ds.string(), Vec::new());
    while let Ok(record) = s.next(Intent::Read) {
        records.push((record.rba, record.bytes.to_vec()));
    }
    drop(s);
    ds.close().unwrap();
    for (name, at, len, _) in OVER {
        let mut expected = Entries::new();
        for (rba, bytes) in records.iter().filter(|(_, r)| r.len() >= at + len) {
            let pointer = rba.to_be_bytes()[8 - pointers.len()..].to_vec();
            expected.entry(bytes[at..at + len].to_vec()).or_default().push(pointer);
        }
        let mut found = entries(world, engine, name);
        found.values_mut().for_each(|pointers| pointers.sort());
        assert_eq!(found, expected, "alternate index {name}");
    }
    records
}

#[test]
fn what_is_added_and_replaced_is_in_the_alternate_indexes_by_its_rba() {
    for pointers in [Pointers::Rba, Pointers::Xrba] {
        let world = World::memory();
        let engine = ready(&world, pointers);
        let ds = open(&world, &engine);
        let mut s = ds.string();
        let mut at = Vec::new();
        for n in 1..60 {
            // Some longer than a CI, and one that ends a control area early.
            let len = [40, 300, 60, 1200][n as usize % 4];
            at.push(
                s.insert(&long(n, &format!("{n:04}"), "BBB", len), Insert::Sequential)
                    .unwrap(),
            );
            assert_eq!(s.duplicate(), n > 1);
        }
        assert!(at.is_sorted());
        for n in [3, 4, 5] {
            let rba = at[n - 1];
            let len = s
                .get(Argument::Rba(rba), Search::Equal, Intent::Update)
                .unwrap()
                .bytes
                .len();
            let new = long(n as u64, &format!("X{n:03}"), "AAA", len);
            assert_eq!(s.update(&new).unwrap(), rba, "an RBA stays what it was");
            assert!(s.duplicate());
        }
        drop(s);
        ds.close().unwrap();
        assert_eq!(assert_agree(&world, &engine, pointers).len(), 60);
        assert_eq!(entries(&world, &engine, "n")[&b"AAA".to_vec()].len(), 4);
    }
}

#[test]
fn what_an_alternate_index_refuses_leaves_no_record_behind() {
    let world = World::memory();
    let engine = ready(&world, Pointers::Rba);
    let ds = open(&world, &engine);
    let mut s = ds.string();
    let first = s.insert(&long(1, "0001", "BBB", 60), Insert::Direct).unwrap();
    assert_eq!(
        refused(s.insert(&long(2, "0001", "CCC", 60), Insert::Direct)),
        (8, 8, 4)
    );
    let second = s.insert(&long(2, "0002", "CCC", 60), Insert::Direct).unwrap();
    assert_eq!(second, first + 60, "the refused record took no place");
    s.get(Argument::Rba(second), Search::Equal, Intent::Update).unwrap();
    assert_eq!(refused(s.update(&long(2, "0001", "CCC", 60))), (8, 8, 4));
    assert_eq!(
        refused(s.update(&long(2, "0001", "CCC", 61))),
        (8, 100, 0),
        "what the base refuses comes first"
    );
    assert_eq!(refused(s.update(&long(2, "0003", "CCC", 61))), (8, 100, 0));
    assert_eq!(refused(s.erase().map(|()| 0)), (8, 80, 0));
    // It is still held, and an update that is possible is done.
    s.update(&long(2, "0009", "CCC", 60)).unwrap();
    drop(s);
    ds.close().unwrap();
    assert_eq!(assert_agree(&world, &engine, Pointers::Rba).len(), 3);
}

#[test]
fn a_path_reads_adds_and_updates_and_does_not_erase() {
    let world = World::memory();
    let engine = ready(&world, Pointers::Rba);
    let upgrade = OVER.map(|(name, ..)| files(&world, name));
    let path = engine
        .open_path(&base(&world), &upgrade, &files(&world, "n"), output())
        .unwrap();
    let mut s = path.string();
    for (n, group) in [(1, "CCC"), (2, "BBB"), (3, "CCC")] {
        s.insert(&long(n, &format!("{n:04}"), group, 60), Insert::Direct)
            .unwrap();
    }
    let number = |record: Record<'_>| String::from_utf8_lossy(&record.bytes[..8]).parse::<u64>().unwrap();
    s.point_first().unwrap();
    let mut forward = Vec::new();
    while let Ok(record) = s.next(Intent::Read) {
        forward.push(number(record));
    }
    assert_eq!(forward, [0, 2, 1, 3]);
    s.point_last().unwrap();
    let mut backward = Vec::new();
    while let Ok(record) = s.prev(Intent::Read) {
        backward.push(number(record));
    }
    assert_eq!(backward, [1, 3, 2, 0], "duplicates in order of arrival");
    assert_eq!(number(s.get(b"CCC", Search::Equal, Intent::Update).unwrap()), 1);
    assert!(s.duplicate());
    assert_eq!(
        refused(s.update(&long(1, "0001", "DDD", 60))),
        (8, 96, 0),
        "the path's alternate key stays"
    );
    s.update(&long(1, "0111", "CCC", 60)).unwrap();
    s.get(b"CCC", Search::Equal, Intent::Update).unwrap();
    assert_eq!(refused(s.erase().map(|()| 0)), (8, 80, 0));
    drop(s);
    path.close().unwrap();
    assert_eq!(assert_agree(&world, &engine, Pointers::Rba).len(), 4);
    assert!(entries(&world, &engine, "u").contains_key(b"0111".as_slice()));
}

#[test]
fn what_was_committed_is_there_in_all_members_after_death() {
    for checkpoint in [false, true] {
        let world = World::memory();
        let engine = ready(&world, Pointers::Rba);
        let ds = open(&world, &engine);
        let mut s = ds.string();
        for n in 1..40 {
            let len = [60, 700][n as usize % 2];
            s.insert(&long(n, &format!("{n:04}"), "AAA", len), Insert::Direct)
                .unwrap();
            if n == 20 && checkpoint {
                ds.checkpoint().unwrap();
            }
        }
        ds.commit().unwrap();
        drop((s, ds, engine));
        let engine = world.engine();
        assert_eq!(assert_agree(&world, &engine, Pointers::Rba).len(), 40);
    }
}

#[test]
fn threads_that_add_and_replace_leave_a_sphere_that_agrees() {
    let world = World::memory();
    let engine = ready(&world, Pointers::Rba);
    let ds = open(&world, &engine);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let ds = &ds;
            scope.spawn(move || {
                let mut random = Random(thread * 91 + 7);
                let (mut s, mut own) = (ds.string(), Vec::new());
                for n in 0..400 {
                    let unique = format!("{:04}", random.below(600));
                    let group = ["AAA", "BBB", "CCC"][random.below(3) as usize];
                    let new = long(thread * 1000 + n, &unique, group, [60, 600][random.below(2) as usize]);
                    let done = match random.below(3) {
                        0 if !own.is_empty() => {
                            let rba = own[random.below(own.len() as u64) as usize];
                            let old = s.get(Argument::Rba(rba), Search::Equal, Intent::Update).unwrap();
                            let new = long(thread, &unique, group, old.bytes.len());
                            s.update(&new).map(drop)
                        }
                        _ => s.insert(&new, Insert::Direct).map(|rba| own.push(rba)),
                    };
                    if let Err(error) = done {
                        let f = error.feedback();
                        // Short of space, or a duplicate.
                        assert!(matches!((f.return_code, f.reason), (8, 8 | 28 | 148)), "{error}");
                    }
                }
            });
        }
    });
    ds.close().unwrap();
    assert!(assert_agree(&world, &engine, Pointers::Rba).len() > 100);
}

#[test]
fn an_index_to_which_no_record_has_a_key_is_built_and_empty() {
    let world = World::memory();
    let engine = world.engine();
    define(&world, &engine, Pointers::Rba);
    let ds = world.open(&engine, "b");
    ds.string().insert(b"short", Insert::Sequential).unwrap();
    ds.close().unwrap();
    let built = build(&world, &engine, "n");
    assert_eq!((built.read, built.short, built.entries), (1, 1, 0));
    let path = engine
        .open_path(&base(&world), &[], &files(&world, "n"), OpenOptions::default())
        .unwrap();
    let error = path.string().next(Intent::Read).map(drop).unwrap_err();
    assert_eq!(error.feedback().reason, 4);
    path.close().unwrap();
    // It is upgraded from now on.
    let ds = engine
        .open_sphere(&base(&world), &[files(&world, "n")], output())
        .unwrap();
    assert!(ds.unbuilt().is_empty());
    ds.string().insert(&long(1, "0001", "AAA", 60), Insert::Direct).unwrap();
    ds.close().unwrap();
    assert_eq!(entries(&world, &engine, "n").len(), 1);
}

/// As without them, the address that comes next is nobody's to lock: records come to the end.
#[test]
fn who_has_locked_the_next_address_keeps_nobody_from_adding() {
    let world = World::memory();
    let engine = ready(&world, Pointers::Rba);
    let ds = open(&world, &engine);
    let mut adds = ds.string();
    let at = adds.insert(&record(5, "0005", "AAA"), Insert::Sequential).unwrap();
    let mut own = ds.string();
    let next = at + record(5, "0005", "AAA").len() as u64;
    own.lock(&next.to_be_bytes(), LockMode::Exclusive, Patience::None)
        .unwrap();
    assert_eq!(
        adds.insert(&record(6, "0006", "AAA"), Insert::Sequential).unwrap(),
        next
    );
    drop((own, adds));
    ds.close().unwrap();
}
