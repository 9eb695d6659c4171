//! What the records of a compressed data set take is known to the byte (compressed:Q6): as long as the test knows its
//! records, and as stored as its file has them.

#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::MemoryDisk;
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use cica_format::ci;
use cica_format::root::{RecordSizes, Root, AREA_LEN};
use common::World;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Of each ten records one does not compress and one is short.
fn record(n: u64, len: usize) -> Vec<u8> {
    let town = ["Springfield", "Portland", "Salem"][n as usize % 3];
    let mut record = format!("{n:08}{town:<25}{:>4} Main Road {:012}", n * 7 % 999, n * 7919).into_bytes();
    record.resize(len, b' ');
    match n % 10 {
        3 => record.truncate(8 + 20),
        7 => record[8..]
            .iter_mut()
            .enumerate()
            .for_each(|(i, b)| *b = (((i as u64 + 1) * (n + 1) * 2_654_435_761) >> 7) as u8),
        _ => {}
    }
    record
}

fn create(world: &World, engine: &Engine, name: &str, change: impl Fn(&mut Attributes)) -> Definition {
    let mut data = common::attributes(&format!("{name}.DATA"), 1024, 12);
    data.compressed = true;
    change(&mut data);
    let index = data.organization.has_index();
    let definition = Definition {
        data_path: world.root.join("v").join(format!("{name}.DATA")),
        index_path: if index {
            world.root.join("v").join(format!("{name}.INDEX"))
        } else {
            Default::default()
        },
        index: index.then(|| common::attributes(&format!("{name}.INDEX"), 1024, 12)),
        data,
    };
    engine.create(&definition).expect("created");
    definition
}

fn open(engine: &Engine, of: &Definition) -> DataSet {
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    engine.open(&of.data_path, &of.index_path, options).expect("opened")
}

/// What the committed control intervals have: bytes of stored records, but for `number` in front of each, and records
/// whose form, behind `clear` bytes, is 0.
fn in_the_file(engine: &Engine, of: &Definition, clear: usize, number: usize) -> (u64, u64) {
    let stored = engine.stored(&of.data_path, &of.index_path).expect("opened");
    let (mut area, mut spans, mut bytes, mut plain) = (Default::default(), Vec::new(), 0, 0);
    for ca in 0..stored.data.areas() {
        stored.data.area(ca, &mut area).expect("read");
        for (_, _, image) in area.control_intervals() {
            spans.clear();
            ci::parse(image, &mut spans).expect("a control interval");
            for (at, len) in &spans {
                let record = &image[usize::from(*at)..][..usize::from(*len)];
                bytes += (record.len() - number) as u64;
                plain += u64::from(record[clear] == 0);
            }
        }
    }
    (bytes, plain)
}

/// The root says what records of these lengths and the file itself say.
fn assert_known(engine: &Engine, of: &Definition, lens: impl Iterator<Item = usize>, clear: usize, number: usize) {
    let root = engine.peek(&of.data_path).expect("read");
    let (stored, plain) = in_the_file(engine, of, clear, number);
    let user = lens.map(|len| len as u64).sum();
    assert_eq!(root.record_sizes(), Some(RecordSizes { user, stored, plain }));
    assert!(stored < user || user == 0, "{stored} bytes of {user}");
}

type Model = BTreeMap<u64, Vec<u8>>;

fn assert_model(engine: &Engine, of: &Definition, model: &Model) {
    assert_known(engine, of, model.values().map(Vec::len), 8, 0);
}

fn load(set: &DataSet, model: &mut Model, range: impl Iterator<Item = u64>) {
    let mut string = set.string();
    for n in range {
        let record = record(n, 90 + (n % 200) as usize);
        string.insert(&record, Insert::Sequential).expect("loaded");
        model.insert(n, record);
    }
}

/// Updates, erases and adds records; some of them become longer than they were.
fn change(string: &mut Str, model: &mut Model, seed: u64) {
    let known: Vec<u64> = model.keys().copied().collect();
    for n in known {
        let key = common::key(n);
        match (n + seed) % 7 {
            0 => {
                string.get(&key[..], Search::Equal, Intent::Update).expect("found");
                let mut new = record(n + 4 * (seed % 3), 100 + (n * seed % 250) as usize);
                new[..8].copy_from_slice(&key);
                string.update(&new).expect("updated");
                model.insert(n, new);
            }
            1 => {
                string.get(&key[..], Search::Equal, Intent::Update).expect("found");
                string.erase().expect("erased");
                model.remove(&n);
            }
            2 if !model.contains_key(&(n + 1)) => {
                let new = record(n + 1, 120);
                string.insert(&new, Insert::Direct).expect("inserted");
                model.insert(n + 1, new);
            }
            _ => {}
        }
    }
}

#[test]
fn of_a_ksds_they_are_known_after_each_change_and_each_new_dictionary() {
    let world = World::memory();
    let engine = world.engine();
    let (of, mut model) = (create(&world, &engine, "KS", |_| ()), Model::new());
    assert_eq!(
        engine.peek(&of.data_path).unwrap().record_sizes(),
        Some(Default::default())
    );
    let set = open(&engine, &of);
    load(&set, &mut model, 0..5);
    set.close().expect("closed");
    // Of five records nothing is learnt.
    let root = engine.peek(&of.data_path).unwrap();
    let user: usize = model.values().map(Vec::len).sum();
    let plain = RecordSizes {
        user: user as u64,
        stored: user as u64 + 5,
        plain: 5,
    };
    assert_eq!(root.record_sizes(), Some(plain));
    let mut made = Vec::new();
    for round in 1..6u64 {
        let set = open(&engine, &of);
        load(&set, &mut model, round * 400..round * 400 + 100 * round);
        let mut string = set.string();
        change(&mut string, &mut model, round);
        drop(string);
        common::assert_sound(&set);
        set.close().expect("closed");
        assert_model(&engine, &of, &model);
        made.push(engine.dictionaries(&of.data_path).expect("read").len());
    }
    assert!(made[0] < made[4], "it learnt anew: {made:?}");
    // All go.
    let set = open(&engine, &of);
    let mut string = set.string();
    for n in std::mem::take(&mut model).into_keys() {
        string
            .get(&common::key(n)[..], Search::Equal, Intent::Update)
            .expect("found");
        string.erase().expect("erased");
    }
    drop(string);
    set.close().expect("closed");
    assert_eq!(
        engine.peek(&of.data_path).unwrap().record_sizes(),
        Some(Default::default())
    );
}

#[test]
fn of_a_load_they_are_known_and_a_reset_begins_anew() {
    let world = World::memory();
    let engine = world.engine();
    let (of, mut model) = (create(&world, &engine, "KS", |_| ()), Model::new());
    let set = open(&engine, &of);
    load(&set, &mut model, 0..4000);
    set.close().expect("closed");
    assert_model(&engine, &of, &model);
    let options = OpenOptions {
        access: Access::Output,
        reset: true,
        ..OpenOptions::default()
    };
    let set = engine.open(&of.data_path, &of.index_path, options).expect("opened");
    model.clear();
    load(&set, &mut model, 100..200);
    set.close().expect("closed");
    assert_model(&engine, &of, &model);
}

#[test]
fn what_is_done_again_after_a_crash_or_taken_back_is_counted_too() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let mut model = Model::new();
    let of = {
        let engine = world.engine();
        let of = create(&world, &engine, "KS", |_| ());
        let set = open(&engine, &of);
        load(&set, &mut model, (0..2000).map(|n| 2 * n));
        set.close().expect("closed");
        let set = open(&engine, &of);
        let mut string = set.string();
        change(&mut string, &mut model, 3);
        // A unit that is open at the crash.
        let unit = engine.unit();
        change(&mut set.string_in(&unit), &mut model.clone(), 5);
        set.commit().expect("durable");
        disk.kill();
        std::mem::forget(unit);
        drop((string, set));
        of
    };
    let engine = world.engine();
    let set = open(&engine, &of);
    common::assert_sound(&set);
    let unit = engine.unit();
    let mut string = set.string_in(&unit);
    change(&mut string, &mut model.clone(), 9);
    unit.backout().expect("backed out");
    drop(string);
    common::assert_sound(&set);
    set.close().expect("closed");
    assert_model(&engine, &of, &model);
}

#[test]
fn of_an_esds_they_are_known_and_of_one_that_a_unit_added_to() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "ES", |a| {
        (a.organization, a.key_length) = (Organization::Esds, 0);
    });
    let mut lens = Vec::new();
    for round in 0..3u64 {
        let set = open(&engine, &of);
        let mut string = set.string();
        for n in round * 700..(round + 1) * 700 {
            let record = record(n, 90 + (n % 200) as usize);
            string.insert(&record, Insert::Sequential).expect("added");
            lens.push(record.len());
        }
        drop(string);
        let unit = engine.unit();
        let mut string = set.string_in(&unit);
        for n in 0..30 {
            string.insert(&record(n, 200), Insert::Sequential).expect("added");
        }
        unit.backout().expect("backed out");
        drop(string);
        common::assert_sound(&set);
        set.close().expect("closed");
        assert_known(&engine, &of, lens.iter().copied(), 0, 0);
    }
}

#[test]
fn of_a_vrrds_they_are_without_numbers_and_spanned_records_are_counted_once() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "VR", |a| {
        (a.organization, a.key_length) = (Organization::Vrrds, 0);
    });
    let set = open(&engine, &of);
    let mut string = set.string();
    let lens: Vec<usize> = (0..1500u64)
        .map(|n| {
            let record = record(n, 90 + (n % 200) as usize);
            string.insert(&record, Insert::Sequential).expect("added");
            record.len()
        })
        .collect();
    drop(string);
    set.close().expect("closed");
    assert_known(&engine, &of, lens.into_iter(), 4, 4);

    let of = create(&world, &engine, "SP", |a| (a.spanned, a.maximum_record) = (true, 6000));
    let long = |n: u64| {
        let mut long = record(n, 100);
        (0..900 + n).for_each(|i| long.extend_from_slice(format!("{:x}", i * i * 7919 + n).as_bytes()));
        long.truncate(5000 + n as usize);
        long
    };
    let (set, mut model) = (open(&engine, &of), Model::new());
    let mut string = set.string();
    for n in 0..300 {
        let record = if n % 10 == 0 { long(n) } else { record(n, 150) };
        string.insert(&record, Insert::Sequential).expect("loaded");
        model.insert(n, record);
    }
    drop(string);
    set.close().expect("closed");
    let user = |model: &Model| model.values().map(|record| record.len() as u64).sum::<u64>();
    let known = || engine.peek(&of.data_path).unwrap().record_sizes().expect("known");
    assert_eq!(known().user, user(&model));
    let set = open(&engine, &of);
    let mut string = set.string();
    for n in (0..300).step_by(5) {
        let key = common::key(n);
        string.get(&key[..], Search::Equal, Intent::Update).expect("found");
        match n % 3 {
            0 => {
                string.erase().expect("erased");
                model.remove(&n);
            }
            1 => {
                let new = if n % 2 == 0 { record(n, 80) } else { long(n) };
                string.update(&new).expect("updated");
                model.insert(n, new);
            }
            _ => {
                let new = long(n);
                string.update(&new).expect("updated");
                model.insert(n, new);
            }
        }
    }
    string.insert(&long(1000), Insert::Direct).expect("inserted");
    model.insert(1000, long(1000));
    drop(string);
    // It adds up what is stored, too.
    common::assert_sound(&set);
    set.close().expect("closed");
    assert_eq!(known().user, user(&model));
    assert!(known().stored < known().user);
}

#[test]
fn a_copy_has_the_sizes_of_what_it_copies() {
    let world = World::memory();
    let engine = world.engine();
    let (of, mut model) = (create(&world, &engine, "FROM", |_| ()), Model::new());
    let set = open(&engine, &of);
    load(&set, &mut model, 0..3000);
    set.close().expect("closed");
    let to = create(&world, &engine, "TO", |_| ());
    let options = OpenOptions::default();
    let from = engine.open(&of.data_path, &of.index_path, options).expect("opened");
    let set = open(&engine, &to);
    let (mut reader, mut writer) = (from.string(), set.string());
    assert!(writer.takes_as_stored(&reader).expect("a dictionary is written"));
    while writer.copy_next(&mut reader).expect("copied") {}
    drop((reader, writer));
    set.close().expect("closed");
    from.close().expect("closed");
    assert_model(&engine, &to, &model);
}

#[test]
fn where_an_earlier_version_wrote_the_root_they_are_not_known_until_a_reset() {
    let world = World::memory();
    let engine = world.engine();
    let (of, mut model) = (create(&world, &engine, "KS", |_| ()), Model::new());
    let set = open(&engine, &of);
    load(&set, &mut model, 0..1000);
    set.close().expect("closed");
    // As it was written before these bytes had a meaning.
    for copy in 0..2u64 {
        let at = copy * AREA_LEN as u64;
        let bytes = common::bytes::bytes_of(&*world.disk, &of.data_path);
        let root = Root::decode(&bytes[at as usize..]).expect("a root");
        let older = Root { sizes: None, ..root }.encode().expect("a root");
        common::bytes::put(&*world.disk, &of.data_path, at, &older);
    }
    let known = || engine.peek(&of.data_path).unwrap().record_sizes();
    assert_eq!(known(), None);
    let set = open(&engine, &of);
    load(&set, &mut model, 1000..1100);
    common::assert_sound(&set);
    set.close().expect("closed");
    assert_eq!(known(), None, "nobody knows what was there before");
    let options = OpenOptions {
        access: Access::Output,
        reset: true,
        ..OpenOptions::default()
    };
    let set = engine.open(&of.data_path, &of.index_path, options).expect("opened");
    model.clear();
    load(&set, &mut model, 0..300);
    set.close().expect("closed");
    assert_model(&engine, &of, &model);
}

/// Such records stand in memory without the blanks that they end in.
#[test]
fn records_of_one_length_that_end_in_blanks_are_measured_whole() {
    let world = World::memory();
    let engine = world.engine();
    for (name, records) in [("FEW", 3u64), ("MANY", 600)] {
        let of = create(&world, &engine, name, |_| ());
        let (set, mut model) = (open(&engine, &of), Model::new());
        let mut string = set.string();
        for n in 0..records {
            let mut record = common::key(n);
            record.extend_from_slice(format!("{:<192}", n % 7).as_bytes());
            string.insert(&record, Insert::Sequential).expect("loaded");
            model.insert(n, record);
        }
        drop(string);
        set.close().expect("closed");
        for round in 0..2 {
            let set = open(&engine, &of);
            common::assert_sound(&set);
            let mut string = set.string();
            for n in (round..records).step_by(3) {
                let key = common::key(n);
                string.get(&key[..], Search::Equal, Intent::Update).expect("found");
                if n % 2 == 0 {
                    string.erase().expect("erased");
                    model.remove(&n);
                    continue;
                }
                let mut new = model[&n].clone();
                new[20] = b'*';
                string.update(&new).expect("updated");
                model.insert(n, new);
            }
            drop(string);
            common::assert_sound(&set);
            set.close().expect("closed");
            let user: usize = model.values().map(Vec::len).sum();
            let (stored, plain) = in_the_file(&engine, &of, 8, 0);
            let sizes = RecordSizes {
                user: user as u64,
                stored,
                plain,
            };
            assert_eq!(engine.peek(&of.data_path).unwrap().record_sizes(), Some(sizes));
        }
    }
}
