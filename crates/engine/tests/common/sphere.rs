//! A base with a unique and a non-unique alternate index, and what they must agree about.

#![allow(dead_code)]

use super::*;
use cica_format::aix::{AixRecord, Pointers};
use cica_format::attributes::Alternate;
use std::collections::BTreeMap;

/// Keys by alternate key, in order of arrival.
pub type Entries = BTreeMap<Vec<u8>, Vec<Vec<u8>>>;

pub fn files(world: &World, name: &str) -> Files {
    let (data, index) = world.paths(name);
    Files { data, index }
}

/// Base `b` with prime keys of 8 digits, `u` unique over bytes 8-12, `n` not unique over bytes 12-15.
pub fn define(world: &World, engine: &Engine) {
    world.create(engine, "b", |_, _| ());
    for (name, offset, len, unique) in [("u", 8, 4, true), ("n", 12, 3, false)] {
        world.create(engine, name, |data, _| {
            data.key_offset = 5;
            data.key_length = len;
            data.maximum_record = 2000;
            data.spanned = true;
            data.alternate = Some(Alternate {
                base: "T.B".into(),
                suppressed: None,
                chained: false,
                key_offset: offset,
                unique,
                upgrade: true,
                pointers: Pointers::Keys(8),
            });
        });
    }
}

pub fn record(n: u64, unique: &str, group: &str) -> Vec<u8> {
    let mut r = key(n);
    r.extend_from_slice(unique.as_bytes());
    r.extend_from_slice(group.as_bytes());
    r.extend_from_slice(b"-rest-of-the-record");
    r
}

/// Loads the base with one record, and each alternate index with its entry.
pub fn build(world: &World, engine: &Engine) {
    let first = record(0, "0000", "AAA");
    let ds = world.open(engine, "b");
    ds.string().insert(&first, Insert::Sequential).unwrap();
    ds.close().unwrap();
    for (name, alternate) in [("u", &first[8..12]), ("n", &first[12..15])] {
        let mut entry = Vec::new();
        cica_format::aix::begin(&mut entry, Pointers::Keys(8), alternate);
        cica_format::aix::add(&mut entry, &key(0)).unwrap();
        let ds = world.open(engine, name);
        ds.string().insert(&entry, Insert::Sequential).unwrap();
        ds.close().unwrap();
    }
}

pub fn output() -> OpenOptions {
    OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    }
}

pub fn open(world: &World, engine: &Engine) -> DataSet {
    let upgrade = [files(world, "u"), files(world, "n")];
    engine.open_sphere(&files(world, "b"), &upgrade, output()).unwrap()
}

pub fn ready(world: &World) -> Engine {
    let engine = world.engine();
    define(world, &engine);
    build(world, &engine);
    engine
}

pub fn contents(ds: &DataSet) -> Vec<Vec<u8>> {
    assert_sound(ds);
    let (mut s, mut found) = (ds.string(), Vec::new());
    while let Ok(record) = s.next(Intent::Read) {
        found.push(record.bytes.to_vec());
    }
    found
}

pub fn entries(world: &World, engine: &Engine, name: &str) -> Entries {
    let ds = world.open_with(engine, name, OpenOptions::default());
    let entries = contents(&ds).into_iter().map(|record| {
        let read = AixRecord::read(&record).unwrap();
        (read.key.to_vec(), read.pointers().map(<[u8]>::to_vec).collect())
    });
    let entries = entries.collect();
    ds.close().unwrap();
    entries
}

/// After the sphere is closed: what each alternate index has is what the base says.
pub fn assert_agree(world: &World, engine: &Engine) -> Vec<Vec<u8>> {
    let ds = world.open_with(engine, "b", OpenOptions::default());
    let records = contents(&ds);
    ds.close().unwrap();
    for (name, at, len) in [("u", 8, 4), ("n", 12, 3)] {
        let mut expected = Entries::new();
        for r in records.iter().filter(|r| r.len() >= at + len) {
            expected
                .entry(r[at..at + len].to_vec())
                .or_default()
                .push(r[..8].to_vec());
        }
        let mut found = entries(world, engine, name);
        found.values_mut().for_each(|pointers| pointers.sort());
        assert_eq!(found, expected, "alternate index {name}");
    }
    records
}

pub fn refused(done: Result<u64, RequestError>) -> (u8, u8, u8) {
    let f = done.expect_err("it is refused").feedback();
    (f.return_code, f.reason, f.component)
}
