//! Compressed data sets answer as plain ones do, take less space, and live through what plain ones live through.

#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::Faults;
use cica_disk::{MemoryDisk, SimDisk};
use cica_engine::salvage::Salvage;
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use cica_format::root::{dictionary_at, DICTIONARY_LEN};
use common::World;
use std::path::Path;
use std::sync::Arc;

fn record(n: u64, len: usize) -> Vec<u8> {
    let (town, street) = (
        ["Springfield", "Portland", "Salem"][n as usize % 3],
        ["Road", "Avenue"][n as usize % 2],
    );
    let mut record = format!("{n:08}{town:<25}{:>4} Main {street:<20}{:012}", n * 7 % 999, n * 7919).into_bytes();
    record.resize(len, b' ');
    record
}

fn length(n: u64) -> usize {
    90 + (n % 200) as usize
}

fn definition(world: &World, name: &str, change: impl Fn(&mut Attributes)) -> Definition {
    let mut data = common::attributes(&format!("{name}.DATA"), 1024, 12);
    change(&mut data);
    let index = data.organization.has_index();
    Definition {
        data_path: world.root.join("v").join(format!("{name}.DATA")),
        index_path: world.root.join("v").join(format!("{name}.INDEX")),
        index: index.then(|| common::attributes(&format!("{name}.INDEX"), 1024, 12)),
        data,
    }
}

fn compressed(a: &mut Attributes) {
    a.compressed = true;
}

fn create(world: &World, engine: &Engine, name: &str, change: impl Fn(&mut Attributes)) -> Definition {
    let definition = definition(world, name, change);
    engine.create(&definition).expect("created");
    definition
}

fn open(engine: &Engine, of: &Definition, access: Access) -> DataSet {
    let options = OpenOptions {
        access,
        ..OpenOptions::default()
    };
    engine.open(&of.data_path, &of.index_path, options).expect("opened")
}

fn load(set: &DataSet, range: impl Iterator<Item = u64>) {
    let mut string = set.string();
    for n in range {
        string
            .insert(&record(n, length(n)), Insert::Sequential)
            .expect("loaded");
    }
}

fn all(set: &DataSet) -> Vec<Vec<u8>> {
    let (mut string, mut out) = (set.string(), Vec::new());
    loop {
        match string.next(Intent::Read) {
            Ok(record) => out.push(record.bytes.to_vec()),
            Err(RequestError::EndOfData) => return out,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_loaded_data_set_is_smaller_and_reads_as_it_was_written() {
    let world = World::memory();
    let engine = world.engine();
    let mut sizes = Vec::new();
    for (name, change) in [
        ("PLAIN", (|_: &mut Attributes| ()) as fn(&mut Attributes)),
        ("SMALL", compressed),
    ] {
        let of = create(&world, &engine, name, change);
        let set = open(&engine, &of, Access::Output);
        load(&set, (0..3000).map(|n| 2 * n));
        set.close().expect("closed");
        let set = open(&engine, &of, Access::Input);
        sizes.push(set.high_used());
        assert_eq!(
            all(&set),
            (0..3000).map(|n| record(2 * n, length(2 * n))).collect::<Vec<_>>()
        );
        let mut string = set.string();
        for n in [0u64, 2, 2998, 5998, 3000] {
            let got = string
                .get(format!("{n:08}").as_bytes(), Search::Equal, Intent::Read)
                .expect("found");
            assert_eq!(got.bytes, record(n, length(n)));
        }
        let missing = string
            .get(b"00000001", Search::Equal, Intent::Read)
            .map(|r| r.bytes.len());
        assert!(matches!(missing, Err(RequestError::NotFound)));
        string.point_last().expect("there is one");
        let last = string.prev(Intent::Read).expect("the last");
        assert_eq!(last.bytes, record(5998, length(5998)));
        common::assert_sound(&set);
        set.close().expect("closed");
    }
    assert!(sizes[1] * 5 < sizes[0] * 2, "{sizes:?}");
}

#[test]
fn changes_come_back_after_a_close_and_after_a_crash() {
    for crash in [false, true] {
        let disk = MemoryDisk::default();
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let of = {
            let engine = world.engine();
            let of = create(&world, &engine, "KS", compressed);
            let set = open(&engine, &of, Access::Output);
            load(&set, (0..2000).map(|n| 4 * n));
            set.close().expect("closed");
            let set = open(&engine, &of, Access::Output);
            let mut string = set.string();
            for n in 0..2000 {
                let key = format!("{:08}", 4 * n);
                match n % 4 {
                    0 => {
                        string
                            .get(key.as_bytes(), Search::Equal, Intent::Update)
                            .expect("found");
                        // What does not compress, and so is longer than it was.
                        let mut new = record(4 * n, 300);
                        new[8..]
                            .iter_mut()
                            .enumerate()
                            .for_each(|(i, b)| *b = ((i as u64 * n * 2_654_435_761) >> 7) as u8);
                        string.update(&new).expect("updated");
                    }
                    1 => {
                        string
                            .get(key.as_bytes(), Search::Equal, Intent::Update)
                            .expect("found");
                        string.erase().expect("erased");
                    }
                    2 => {
                        let new = record(4 * n + 1, length(n));
                        string.insert(&new, Insert::Direct).expect("inserted");
                    }
                    _ => {}
                }
            }
            drop(string);
            if crash {
                set.commit().expect("durable");
                disk.kill();
                drop((set, engine));
            } else {
                set.close().expect("closed");
            }
            of
        };
        let engine = world.engine();
        let set = open(&engine, &of, Access::Output);
        let mut expected = Vec::new();
        for n in 0..2000 {
            match n % 4 {
                0 => {
                    let mut new = record(4 * n, 300);
                    new[8..]
                        .iter_mut()
                        .enumerate()
                        .for_each(|(i, b)| *b = ((i as u64 * n * 2_654_435_761) >> 7) as u8);
                    expected.push(new);
                }
                1 => {}
                2 => expected.extend([record(4 * n, length(4 * n)), record(4 * n + 1, length(n))]),
                _ => expected.push(record(4 * n, length(4 * n))),
            }
        }
        assert_eq!(all(&set), expected, "crash: {crash}");
        common::assert_sound(&set);
        set.close().expect("closed");
    }
}

#[test]
fn a_dictionary_is_durable_before_the_records_that_need_it() {
    let (disk, world) = common::power::world();
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..1);
    set.close().expect("closed");
    let options = OpenOptions {
        access: Access::Output,
        durability: Durability::Request,
        ..OpenOptions::default()
    };
    let set = engine.open(&of.data_path, &of.index_path, options).expect("opened");
    let (mut string, mut n) = (set.string(), 1);
    while engine.dictionaries(&of.data_path).expect("read").is_empty() {
        assert!(n < 400, "it learns");
        string.insert(&record(n, length(n)), Insert::Direct).expect("inserted");
        n += 1;
    }
    string.insert(&record(n, length(n)), Insert::Direct).expect("inserted");
    let left = common::power::cut(&disk);
    let set = open(&left.engine(), &of, Access::Output);
    assert_eq!(all(&set), (0..=n).map(|n| record(n, length(n))).collect::<Vec<_>>());
    set.close().expect("closed");
}

#[test]
fn a_unit_that_is_backed_out_leaves_what_was() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..500);
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Output);
    let unit = engine.unit();
    let mut string = set.string_in(&unit);
    for n in 0..60u64 {
        let key = format!("{n:08}");
        string
            .get(key.as_bytes(), Search::Equal, Intent::Update)
            .expect("found");
        match n % 2 {
            0 => drop(string.update(&record(n, 400)).expect("updated")),
            _ => string.erase().expect("erased"),
        }
        string.insert(&record(1000 + n, 200), Insert::Direct).expect("inserted");
    }
    unit.backout().expect("backed out");
    drop(string);
    assert_eq!(all(&set), (0..500).map(|n| record(n, length(n))).collect::<Vec<_>>());
    set.close().expect("closed");
}

#[test]
fn a_data_set_that_begins_with_one_record_learns_later() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..1);
    set.close().expect("closed");
    assert!(engine.dictionaries(&of.data_path).expect("read").is_empty());
    let mut made = 0;
    for round in 0..8u64 {
        let set = open(&engine, &of, Access::Output);
        let mut string = set.string();
        for n in 1 + round * 40..1 + (round + 1) * 40 {
            string.insert(&record(n, length(n)), Insert::Direct).expect("inserted");
        }
        drop(string);
        set.close().expect("closed");
        made = engine.dictionaries(&of.data_path).expect("read").len();
    }
    assert!((1..=3).contains(&made), "{made} dictionaries");
    let set = open(&engine, &of, Access::Input);
    assert_eq!(all(&set), (0..321).map(|n| record(n, length(n))).collect::<Vec<_>>());
    set.close().expect("closed");
}

#[test]
fn an_esds_takes_records_and_replaces_none() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "ES", |a| {
        compressed(a);
        (a.organization, a.key_length) = (Organization::Esds, 0);
    });
    let set = open(&engine, &of, Access::Output);
    let mut string = set.string();
    let rbas: Vec<u64> = (0..2000)
        .map(|n| string.insert(&record(n, length(n)), Insert::Sequential).expect("added"))
        .collect();
    drop(string);
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Output);
    let mut string = set.string();
    let more = string.insert(&record(7, 300), Insert::Direct).expect("added");
    let got = string
        .get(Argument::Rba(more), Search::Equal, Intent::Read)
        .expect("found");
    assert_eq!(got.bytes, record(7, 300));
    for (n, rba) in rbas.iter().enumerate().step_by(97) {
        let got = string
            .get(Argument::Rba(*rba), Search::Equal, Intent::Read)
            .expect("found");
        assert_eq!(got.bytes, record(n as u64, length(n as u64)));
    }
    string
        .get(Argument::Rba(rbas[5]), Search::Equal, Intent::Update)
        .expect("held");
    let refused = string.update(&record(5, length(5)));
    assert!(matches!(refused, Err(RequestError::Options { .. })), "{refused:?}");
    drop(string);
    assert_eq!(all(&set).len(), 2001);
    set.close().expect("closed");
}

#[test]
fn spanned_records_and_those_of_a_vrrds_are_compressed_too() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "SP", |a| {
        compressed(a);
        (a.spanned, a.maximum_record) = (true, 6000);
    });
    let set = open(&engine, &of, Access::Output);
    let mut string = set.string();
    // The long ones are of numbers that do not repeat, and fit no CI though compressed.
    let long = |n: u64| {
        let mut long = record(n, 100);
        (0..400 + n).for_each(|i| long.extend_from_slice(format!("{:x}", i * i * 7919 + n).as_bytes()));
        long.truncate(6000);
        long
    };
    let of_number = |n: u64| if n % 10 == 0 { long(n) } else { record(n, length(n)) };
    for n in 0..400 {
        string.insert(&of_number(n), Insert::Sequential).expect("loaded");
    }
    drop(string);
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Output);
    assert_eq!(all(&set), (0..400).map(of_number).collect::<Vec<_>>());
    let mut string = set.string();
    for n in (0..400).step_by(7) {
        string
            .get(format!("{n:08}").as_bytes(), Search::Equal, Intent::Update)
            .expect("found");
        let new = if n % 2 == 0 { record(n, 80) } else { long(n) };
        string.update(&new).expect("updated");
        let got = string
            .get(format!("{n:08}").as_bytes(), Search::Equal, Intent::Read)
            .expect("found");
        assert_eq!(got.bytes, new);
    }
    drop(string);
    common::assert_sound(&set);
    set.close().expect("closed");

    let of = create(&world, &engine, "VR", |a| {
        compressed(a);
        (a.organization, a.key_length) = (Organization::Vrrds, 0);
    });
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..2000);
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Input);
    assert_eq!(all(&set), (0..2000).map(|n| record(n, length(n))).collect::<Vec<_>>());
    assert!(set.high_used() < 2000 * 110);
    set.close().expect("closed");
}

#[test]
fn a_damaged_dictionary_costs_the_records_that_need_it() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..2000);
    set.close().expect("closed");
    let made = engine.dictionaries(&of.data_path).expect("read");
    assert_eq!(made.len(), 2, "an early one and a better one");
    common::bytes::put(&*world.disk, &of.data_path, dictionary_at(1) + 40, b"!!");
    let set = open(&engine, &of, Access::Input);
    let mut string = set.string();
    let (mut read, mut refused) = (0, 0);
    for n in 0..2000u64 {
        match string.get(format!("{n:08}").as_bytes(), Search::Equal, Intent::Read) {
            Ok(got) => {
                assert_eq!(got.bytes, record(n, length(n)));
                read += 1;
            }
            Err(error) => {
                assert_eq!(error.feedback().return_code, 12);
                assert!(error.to_string().contains("dictionary 1"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 50 && read > 1500, "{refused} refused, {read} read");
    drop(string);
    drop(set);
    let salvage = Salvage::open(&*world.disk, &of.data_path, &of.index_path, None, None).expect("opened");
    let mut found = Vec::new();
    let report = salvage
        .run(&mut |record| {
            found.push(record.bytes.to_vec());
            Ok::<(), ()>(())
        })
        .expect("nothing is refused");
    assert_eq!(found.len(), read);
    assert!(found
        .iter()
        .all(|r| *r == record(r[..8].iter().fold(0, |n, d| n * 10 + u64::from(d - b'0')), r.len())));
    assert!(
        report.losses.iter().any(|loss| loss.why.contains("dictionary 1")),
        "{:?}",
        report.losses
    );
}

#[test]
fn a_get_that_a_damaged_dictionary_refuses_leaves_the_string_where_it_was() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..2000);
    set.close().expect("closed");
    common::bytes::put(&*world.disk, &of.data_path, dictionary_at(1) + 40, b"!!");
    let set = open(&engine, &of, Access::Input);
    let mut string = set.string();
    let mut needs_it = |n: &u64| {
        let got = string.get(format!("{n:08}").as_bytes(), Search::Equal, Intent::Read);
        got.is_err_and(|error| error.to_string().contains("dictionary 1"))
    };
    let bad = (0..2000).find(&mut needs_it).expect("some do");
    assert!(bad > 20, "the first ones are plain");
    let bad = format!("{bad:08}").into_bytes();
    // By the first step onto a page, by one on its copy, and by a direct get the string comes to stand elsewhere.
    for intent in [Intent::Read, Intent::Position] {
        let mut string = set.string();
        for n in 0..5 {
            assert_eq!(string.next(Intent::Read).expect("read").bytes, record(n, length(n)));
            for _ in 0..2 {
                let refused = string.get(&bad, Search::Equal, intent).map(drop).expect_err("refused");
                assert!(refused.to_string().contains("dictionary 1"), "{refused}");
            }
        }
        let good = b"00000009";
        string.get(good, Search::Equal, Intent::Position).expect("found");
        assert!(string.get(&bad, Search::Equal, intent).is_err());
        assert_eq!(
            string.get(good, Search::Equal, Intent::Position).expect("found").bytes,
            record(9, length(9))
        );
        assert!(string.get(&bad, Search::Equal, intent).is_err());
        assert_eq!(string.next(Intent::Read).expect("read").bytes, record(10, length(10)));
        assert!(string.get(&bad, Search::Equal, intent).is_err());
        assert_eq!(string.prev(Intent::Read).expect("read").bytes, record(9, length(9)));
    }
    set.close().expect("closed");
}

#[test]
fn what_cannot_be_compressed_is_refused_when_it_is_defined() {
    let world = World::memory();
    let engine = world.engine();
    for organization in [Organization::Lds, Organization::Rrds] {
        let of = definition(&world, "NO", |a| {
            compressed(a);
            (a.organization, a.key_length) = (organization, 0);
        });
        let refused = engine.create(&of).expect_err("refused");
        assert!(refused.to_string().contains("COMPRESSED"), "{refused}");
    }
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..50);
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Input);
    let refused = set.string().get_interval(0, Intent::Read).map(drop);
    assert!(matches!(refused, Err(RequestError::Options { .. })), "{refused:?}");
    set.close().expect("closed");
}

#[test]
fn a_copy_between_compressed_data_sets_takes_records_as_they_are_stored() {
    let world = World::memory();
    let engine = world.engine();
    let source = create(&world, &engine, "FROM", compressed);
    let set = open(&engine, &source, Access::Output);
    load(&set, 0..1500);
    set.close().expect("closed");
    // The newest dictionary needs a whole sample; REPRO would be done by a data set that has been used for long.
    let set = open(&engine, &source, Access::Output);
    load(&set, 1500..3000);
    let mut string = set.string();
    string
        .get(&record(7, 8)[..8], Search::Equal, Intent::Update)
        .expect("found");
    string.update(&record(7, 200)).expect("updated");
    drop(string);
    set.close().expect("closed");
    let kept = open(&engine, &source, Access::Input);
    let expected = all(&kept);

    let target = create(&world, &engine, "TO", compressed);
    let set = open(&engine, &target, Access::Output);
    let (mut reader, mut writer) = (kept.string(), set.string());
    assert!(writer.takes_as_stored(&reader).expect("a dictionary is written"));
    assert!(!writer.takes_as_stored(&reader).expect("asked again"), "it has one now");
    let mut copied = 0;
    while writer.copy_next(&mut reader).expect("copied") {
        copied += 1;
        let last = reader.last().bytes.len();
        assert!(last > 0);
    }
    assert_eq!(copied, expected.len());
    drop((reader, writer));
    set.close().expect("closed");
    let (from, to) = (
        engine.dictionaries(&source.data_path).expect("read"),
        engine.dictionaries(&target.data_path).expect("read"),
    );
    assert_eq!(
        to,
        from.last().copied().into_iter().collect::<Vec<_>>(),
        "the newest alone"
    );
    let set = open(&engine, &target, Access::Output);
    assert_eq!(all(&set), expected);
    let found = set.examine().expect("examined");
    assert!(found.findings.is_empty(), "{found:?}");
    // It is changed like any other, and what is refused in a copy is told with its record.
    let mut string = set.string();
    string.insert(&record(9000, 120), Insert::Direct).expect("inserted");
    drop(string);
    let (mut reader, mut writer) = (kept.string(), set.string());
    assert!(!writer.takes_as_stored(&reader).expect("asked"), "it has records");
    assert!(matches!(
        writer.copy_next(&mut reader),
        Err(CopyError::Write(
            RequestError::Duplicate { .. } | RequestError::Sequence { .. }
        ))
    ));
    assert_eq!(reader.last().bytes, expected[0]);
    drop((reader, writer));
    set.close().expect("closed");

    // Other keys, or a plain data set: record by record as ever.
    let plain = create(&world, &engine, "PLAIN", |_| ());
    let set = open(&engine, &plain, Access::Output);
    let (mut reader, mut writer) = (kept.string(), set.string());
    assert!(!writer.takes_as_stored(&reader).expect("asked"));
    while writer.copy_next(&mut reader).expect("copied") {}
    drop((reader, writer));
    set.close().expect("closed");
    let set = open(&engine, &plain, Access::Input);
    assert_eq!(all(&set), expected);
    set.close().expect("closed");
    kept.close().expect("closed");
}

#[test]
fn records_of_another_data_set_than_was_taken_over_are_not_copied_as_they_are_stored() {
    let world = World::memory();
    let engine = world.engine();
    let make = |name: &str, records: &dyn Fn(u64) -> Vec<u8>| {
        let of = create(&world, &engine, name, compressed);
        for range in [0..1500, 1500..3000] {
            let set = open(&engine, &of, Access::Output);
            let mut string = set.string();
            for n in range {
                string.insert(&records(n), Insert::Sequential).expect("loaded");
            }
            drop(string);
            set.close().expect("closed");
        }
        open(&engine, &of, Access::Input)
    };
    let one = make("ONE", &|n| record(2 * n, length(n)));
    let two = make("TWO", &|n| {
        let mut other = record(2 * n + 1, length(n));
        other[8..]
            .iter_mut()
            .for_each(|byte| *byte = byte.wrapping_mul(7).rotate_left(3));
        other
    });
    let (expected, others) = (all(&one), all(&two));
    let target = create(&world, &engine, "TO", compressed);
    let set = open(&engine, &target, Access::Output);
    let (mut reader, mut stranger, mut writer) = (one.string(), two.string(), set.string());
    assert!(writer.takes_as_stored(&reader).expect("a dictionary is written"));
    for _ in 0..100 {
        assert!(writer.copy_next(&mut reader).expect("copied"));
    }
    stranger.stand_on(&expected[99][..8]).expect("stood on");
    for _ in 0..100 {
        assert!(writer.copy_next(&mut stranger).expect("copied"));
    }
    drop((reader, stranger, writer));
    set.close().expect("closed");
    let set = open(&engine, &target, Access::Input);
    assert!(all(&set) == [&expected[..100], &others[99..199]].concat());
    set.close().expect("closed");

    // Nor are those that come through buffers.
    let (from, to) = (
        definition(&world, "ONE", compressed),
        create(&world, &engine, "BY", compressed),
    );
    let buffers = Buffering {
        data: Some(3),
        index: Some(2),
        ..Buffering::default()
    };
    let options = OpenOptions::input().buffered(buffers);
    let buffered = engine.open(&from.data_path, &from.index_path, options).expect("opened");
    let set = open(&engine, &to, Access::Output);
    let (mut reader, mut writer) = (buffered.string(), set.string());
    assert!(!writer.takes_as_stored(&reader).expect("asked"));
    while writer.copy_next(&mut reader).expect("copied") {}
    let read = buffered.buffers().expect("it has some").1.data.cis_read;
    assert!(read > 50, "{read} CIs came through them");
    drop((reader, writer));
    set.close().expect("closed");
    assert!(all(&open(&engine, &to, Access::Input)) == expected);
}

#[test]
fn an_update_that_grows_when_compressed_finds_room_without_a_split() {
    let world = World::memory();
    let engine = world.engine();
    let made = create(&world, &engine, "GROWS", |a| {
        compressed(a);
        (a.ci_size, a.ci_per_ca) = (4096, 12);
        (a.free_ci, a.free_ca) = (30, 0);
    });
    let set = open(&engine, &made, Access::Output);
    load(&set, 0..2000);
    set.close().expect("closed");
    let set = open(&engine, &made, Access::Output);
    let mut string = set.string();
    for n in (0..2000).step_by(25) {
        string
            .get(&record(n, 8)[..8], Search::Equal, Intent::Update)
            .expect("found");
        // As long as before, and nothing that the dictionary knows.
        let mut random = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut new = record(n, 8);
        while new.len() < length(n) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            new.push((random >> 56) as u8);
        }
        string.update(&new).expect("updated");
    }
    drop(string);
    let (data, _) = set.statistics();
    assert_eq!((data.ci_splits, data.ca_splits), (0, 0));
    assert_eq!(all(&set).len(), 2000);
    set.close().expect("closed");
}

/// The bytes in the place of a dictionary.
fn place(world: &World, of: &Definition, generation: u8) -> Vec<u8> {
    let at = dictionary_at(generation) as usize;
    common::bytes::bytes_of(&*world.disk, &of.data_path)[at..at + DICTIONARY_LEN].to_vec()
}

fn put_place(world: &World, of: &Definition, generation: u8, bytes: &[u8]) {
    common::bytes::put(&*world.disk, &of.data_path, dictionary_at(generation), bytes);
}

/// A disk may show zeros where a dictionary is (a read that was stale, a write that was lost).
#[test]
fn a_dictionary_that_does_not_show_is_not_written_over() {
    let world = World::memory();
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..300);
    set.close().expect("closed");
    let made = engine.dictionaries(&of.data_path).expect("read").len();
    let places: Vec<Vec<u8>> = (1..=made as u8).map(|n| place(&world, &of, n)).collect();
    (1..=made as u8).for_each(|n| put_place(&world, &of, n, &[0; DICTIONARY_LEN]));
    let set = open(&engine, &of, Access::Output);
    // Enough of them to learn from.
    load(&set, 300..2000);
    set.close().expect("closed");
    let more = engine.dictionaries(&of.data_path).expect("read");
    assert!(
        !more.is_empty() && more.iter().all(|line| usize::from(line.generation) > made),
        "{more:?}"
    );
    (1..)
        .zip(&places)
        .for_each(|(n, bytes)| put_place(&world, &of, n, bytes));
    let set = open(&engine, &of, Access::Input);
    let expected: Vec<Vec<u8>> = (0..2000).map(|n| record(n, length(n))).collect();
    assert!(all(&set) == expected, "every record is as it was stored");
}

/// A read of the disk may bring the bytes of another place, once.
#[test]
fn a_dictionary_that_is_read_in_the_place_of_another_is_not_used() {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, 0..300);
    set.close().expect("closed");
    drop(engine);
    let (left, mut met) = (disk.image(), 0);
    for nth in 1..40 {
        let disk = SimDisk::from(left.clone());
        disk.set_faults(Faults::none().misdirect_read(nth, dictionary_at(1)).only(&of.data_path));
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        // Where it was the root, or a header, that is told.
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        let Ok(set) = engine.open(&of.data_path, &of.index_path, options) else {
            continue;
        };
        let mut string = set.string();
        let mut inserted = |n| string.insert(&record(n, length(n)), Insert::Direct).is_ok();
        if !(300..303).all(&mut inserted) || set.close().is_err() {
            continue;
        }
        disk.set_faults(Faults::none());
        let expected: Vec<Vec<u8>> = (0..303).map(|n| record(n, length(n))).collect();
        assert!(
            all(&open(&world.engine(), &of, Access::Input)) == expected,
            "read {nth}: every record is as it was stored"
        );
        met += 1;
    }
    assert!(met > 20, "{met}");
}

/// Before the root names it, a record in the log may need a dictionary.
#[test]
fn a_dictionary_that_only_the_log_needs_is_not_written_over() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    let of = create(&world, &engine, "KS", compressed);
    let set = open(&engine, &of, Access::Output);
    load(&set, [0].into_iter());
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Output);
    let mut string = set.string();
    for n in 1..500 {
        string.insert(&record(n, length(n)), Insert::Direct).expect("inserted");
    }
    drop(string);
    set.commit().expect("durable");
    disk.kill();
    drop((set, engine));
    let engine = world.engine();
    let made = engine.dictionaries(&of.data_path).expect("read").len();
    assert!(made > 0);
    let places: Vec<Vec<u8>> = (1..=made as u8).map(|n| place(&world, &of, n)).collect();
    (1..=made as u8).for_each(|n| put_place(&world, &of, n, &[0; DICTIONARY_LEN]));
    let set = open(&engine, &of, Access::Output);
    let mut string = set.string();
    for n in 500..2000 {
        string.insert(&record(n, length(n)), Insert::Direct).expect("inserted");
    }
    drop(string);
    (1..)
        .zip(&places)
        .for_each(|(n, bytes)| put_place(&world, &of, n, bytes));
    set.close().expect("closed");
    let set = open(&engine, &of, Access::Input);
    let expected: Vec<Vec<u8>> = (0..2000).map(|n| record(n, length(n))).collect();
    assert!(all(&set) == expected, "every record is as it was stored");
}

#[test]
fn another_dictionary_in_the_place_of_one_is_none() {
    let world = World::memory();
    let engine = world.engine();
    let [of, other] = ["ONE", "TWO"].map(|name| create(&world, &engine, name, compressed));
    for (of, shift) in [(&of, 0), (&other, 7_000_001)] {
        let set = open(&engine, of, Access::Output);
        load(&set, shift..shift + 2000);
        set.close().expect("closed");
    }
    let (own, anothers) = (place(&world, &of, 2), place(&world, &other, 2));
    assert_ne!(own, anothers);
    put_place(&world, &of, 2, &anothers);
    let set = open(&engine, &of, Access::Input);
    let (mut string, mut refused) = (set.string(), 0);
    for n in 0..2000u64 {
        match string.get(format!("{n:08}").as_bytes(), Search::Equal, Intent::Read) {
            Ok(got) => assert_eq!(got.bytes, record(n, length(n))),
            Err(error) => {
                assert!(error.to_string().contains("dictionary 2"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
    drop(string);
    drop(set);
    let salvage = Salvage::open(&*world.disk, &of.data_path, &of.index_path, None, None).expect("opened");
    let mut found = 0;
    let report = salvage
        .run(&mut |found_record| {
            let n = found_record.bytes[..8]
                .iter()
                .fold(0, |n, digit| n * 10 + u64::from(digit - b'0'));
            assert_eq!(found_record.bytes, record(n, length(n)));
            found += 1;
            Ok::<(), ()>(())
        })
        .expect("nothing is refused");
    assert_eq!(found, 2000 - refused);
    assert!(
        report.notes.iter().any(|note| note.contains("dictionary 2")),
        "{:?}",
        report.notes
    );
}
