//! What is refused when a data set is defined or altered, because a request would find no way later.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Attributes;
use cica_format::index::least_ci_size;
use common::*;

fn create(change: impl Fn(&mut Attributes, &mut Attributes)) -> Result<(), OpenError> {
    let world = World::memory();
    let (mut data, mut index) = (attributes("T.A.DATA", 512, 6), attributes("T.A.INDEX", 512, 20));
    change(&mut data, &mut index);
    let (data_path, index_path) = world.paths("a");
    let definition = Definition {
        data_path: data_path.clone(),
        index_path,
        data,
        index: Some(index),
    };
    let done = world.engine().create(&definition);
    let made = world.disk.open(&data_path, Default::default()).is_ok();
    assert_eq!(made, done.is_ok(), "a definition that is refused leaves no file");
    done
}

fn refused(done: Result<(), OpenError>, words: &str) {
    let error = done.expect_err(words);
    assert!(matches!(error, OpenError::Attributes { .. }), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

/// What DEFINE refuses may still stand in a root whose checksum is right.
#[test]
fn a_root_whose_key_is_beyond_its_control_interval_is_refused_when_it_is_opened() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "a", |_, _| {});
    let (data, index) = world.paths("a");
    let mut root = engine.peek(&data).unwrap();
    root.attributes.key_offset = 263_039;
    let how = cica_disk::Open {
        write: true,
        ..Default::default()
    };
    let file = world.disk.open(&data, how).unwrap();
    for _ in 0..2 {
        root.version += 1;
        let at = u64::from(root.version & 1) * cica_format::root::AREA_LEN as u64;
        let buf = &root.encode().unwrap();
        file.write(&[cica_disk::WriteAt { at, buf }]).unwrap();
    }
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    refused(
        engine.open(&data, &index, options).map(drop),
        "the key, 8 bytes at offset",
    );
}

/// Keys in groups of four that differ in their last byte alone, and groups that share nothing: a separator between two
/// of a group is as long as the key, and does not compress against the separator before it.
fn scattered(n: u64, key_length: usize) -> Vec<u8> {
    let mut random = Random((n / 4 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut key: Vec<u8> = (0..key_length).map(|_| random.next() as u8).collect();
    key[key_length - 1] = (n % 4) as u8;
    key
}

#[test]
fn an_index_cisz_too_small_for_two_keys_is_refused() {
    let long = |data: &mut Attributes, index: &mut Attributes| {
        (data.ci_size, data.key_length, index.ci_size) = (2048, 255, 512);
    };
    refused(create(long), "an index CISZ of 512 is too small for keys of 255 bytes");
    create(|data, index| {
        long(data, index);
        index.ci_size = 1024;
    })
    .unwrap();
}

#[test]
fn the_least_index_cisz_takes_every_order_of_keys_that_do_not_compress() {
    let (key_length, ci_per_ca) = (224, 9);
    assert_eq!(least_ci_size(key_length, ci_per_ca), 511);
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "a", |data, index| {
        (data.ci_size, data.ci_per_ca, data.key_length) = (1024, ci_per_ca as u16, key_length as u16);
        (data.primary, data.secondary) = (4 << 20, 1 << 20);
        (index.primary, index.secondary) = (4 << 20, 1 << 20);
    });
    let ds = world.open(&engine, "a");
    let record = |n: u64| {
        let mut record = scattered(n, key_length);
        record.resize(300, b'x');
        record
    };
    ds.string().insert(&record(0), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let (mut s, mut there) = (ds.string(), 1);
    for n in 1..1500 {
        match s.insert(&record(n), Insert::Direct) {
            Ok(_) => there += 1,
            Err(RequestError::Duplicate { .. }) => {}
            Err(error) => panic!("record {n}: {error}"),
        }
    }
    assert!(ds.levels() > 3, "{} levels: the keys compressed", ds.levels());
    assert_sound(&ds);
    assert_eq!(ds.statistics().0.records, there);
}

#[test]
fn a_key_beyond_the_first_segment_of_a_spanned_record_is_refused() {
    let spanned = |offset: u16| {
        move |data: &mut Attributes, _: &mut Attributes| {
            (data.spanned, data.maximum_record, data.key_offset) = (true, 2000, offset.into());
        }
    };
    refused(create(spanned(495)), "must lie in the first 502 bytes");
    create(spanned(494)).unwrap();
}

#[test]
fn the_key_of_a_loaded_data_set_cannot_be_altered() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "a", |_, _| ());
    let (data, index) = world.paths("a");
    engine.alter(&data, &index, |a, _| a.key_length = 10).unwrap();
    let other_key = engine.alter(&data, &index, |a, _| a.key_length = 255);
    refused(other_key, "an index CISZ of 512 is too small");
    engine.alter(&data, &index, |a, _| a.key_length = 8).unwrap();
    let ds = world.open(&engine, "a");
    ds.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let before = engine.peek(&data).unwrap();
    refused(engine.alter(&data, &index, |a, _| a.key_offset = 4), "has been loaded");
    assert_eq!(engine.peek(&data).unwrap(), before);
    engine.alter(&data, &index, |a, _| a.free_ci = 20).unwrap();
    assert_eq!(engine.peek(&data).unwrap().attributes.free_ci, 20);
}
