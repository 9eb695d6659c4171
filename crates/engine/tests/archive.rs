//! The archive of LOG(ALL): what is in it after closes, kills and power cuts, and what a copy becomes by it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{CrashPoint, Survival};
use cica_disk::{Disk, Image, MemoryDisk, Open, SimDisk};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::archived::*;
use common::keyed::*;
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn world() -> (MemoryDisk, World) {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    (disk, world)
}

/// As [`loaded`], with records of `LEN` bytes and COMPRESSED: the first dictionary comes from some fifteen of them.
fn loaded_compressed(world: &World, engine: &Engine, name: &str, records: u64) {
    world.create(engine, name, |data, index| {
        (data.primary, data.secondary, index.primary) = (8 << 20, 8 << 20, 4 << 20);
        data.compressed = true;
    });
    let ds = world.open(engine, name);
    for n in 0..records {
        ds.string().insert(&sealed(n * 10, 0, LEN), Insert::Sequential).unwrap();
    }
    ds.close().unwrap();
}

const LEN: usize = 200;

/// The numbers of the dictionaries that a closed data set has.
fn dictionaries(world: &World, engine: &Engine, name: &str) -> Vec<u8> {
    let (data, index) = world.paths(name);
    let there = engine.stored(&data, &index).unwrap().data.dictionaries().unwrap();
    there.into_iter().map(|(generation, _)| generation).collect()
}

/// A copy brought forward: its records.
fn forward(world: &World, engine: &Engine, name: &str, of: (u64, u64), until: u64) -> Vec<Vec<u8>> {
    let plan = engine.way_forward(of, until).unwrap();
    let (data, mut index) = world.paths(name);
    if !engine.peek(&data).unwrap().attributes.organization.has_index() {
        index = PathBuf::new();
    }
    engine.bring_forward((&data, &index), Some(&plan), &[], |_| {}).unwrap();
    contents(&world.open(engine, name))
}

#[test]
fn a_copy_and_the_archive_make_the_data_set() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let of = copy(&world, &engine, "a", "c");
    let ds = world.open_with(&engine, "a", ALL);
    let mut s = ds.string();
    for n in 0..200 {
        insert(&mut s, n * 10 + 5, n).unwrap();
    }
    ds.close().unwrap();
    // A unit that is backed out, one that commits, and one that is open when the process dies.
    let ds = world.open_with(&engine, "a", ALL);
    let unit = engine.unit();
    let mut t = ds.string_in(&unit);
    insert(&mut t, 7, 1).unwrap();
    erase(&mut t, 15).unwrap();
    unit.backout().unwrap();
    update(&mut t, 20, 2, 90).unwrap();
    erase(&mut t, 30).unwrap();
    unit.commit().unwrap();
    insert(&mut t, 8, 1).unwrap();
    erase(&mut t, 40).unwrap();
    insert(&mut ds.string(), 9, 9).unwrap();
    disk.kill();
    drop((s, t, unit, ds, engine));
    let engine = world.engine();
    let ds = world.open_with(&engine, "a", ALL);
    let kept = contents(&ds);
    assert!(kept.iter().any(|r| r.starts_with(b"00000009")));
    insert(&mut ds.string(), 11, 1).unwrap();
    let kept = contents(&ds);
    ds.close().unwrap();
    assert_eq!(forward(&world, &engine, "c", of, u64::MAX), kept);
}

/// What is done to the data set while the power may go: short epochs, units that stay open over them, several opens.
fn work(world: &World) {
    let engine = world.engine();
    engine.start_log_over_after(24 << 10);
    for open in 0..3 {
        let ds = world.open_with(&engine, "a", ALL);
        let other = world.open(&engine, "b");
        let (unit, long) = (engine.unit(), engine.unit());
        let (mut s, mut t, mut plain) = (ds.string_in(&unit), ds.string_in(&long), ds.string());
        for n in 0..40 {
            let at = open * 1000 + n * 10;
            match n % 8 {
                0 => update(&mut t, n / 8 * 10, at, 60).unwrap(),
                1 => drop(erase(&mut plain, at - 10)),
                2 => unit.commit().unwrap(),
                3 => unit.backout().unwrap(),
                5 => insert(&mut plain, at + 3, at).unwrap(),
                6 => insert(&mut other.string(), at + 4, at).unwrap(),
                _ => insert(&mut s, at + 2, at).unwrap(),
            }
            if n == 20 {
                long.commit().unwrap();
            }
            if n % 16 == 7 {
                ds.commit().unwrap();
            }
            if n == 30 {
                ds.checkpoint().unwrap();
            }
        }
        match open {
            0 => long.backout().unwrap(),
            _ => long.commit().unwrap(),
        }
        unit.backout().unwrap();
        drop((s, t, plain, unit, long));
        if open < 2 {
            ds.close().unwrap();
        } else {
            drop(ds);
        }
        other.close().unwrap();
    }
}

/// The same of a compressed data set, which learns on the way.
fn work_compressed(world: &World) {
    let engine = world.engine();
    engine.start_log_over_after(24 << 10);
    for open in 0..3 {
        let ds = world.open_with(&engine, "a", ALL);
        let unit = engine.unit();
        let (mut s, mut plain) = (ds.string_in(&unit), ds.string());
        for n in 0..24 {
            let at = open * 1000 + n * 10;
            let new = sealed(at + 3, at, LEN);
            match n % 8 {
                1 => update(&mut s, 10, at, LEN).unwrap(),
                2 => unit.commit().unwrap(),
                4 => unit.backout().unwrap(),
                6 => drop(erase(&mut plain, at - 7)),
                7 => drop(s.insert(&new, Insert::Direct).unwrap()),
                _ => drop(plain.insert(&new, Insert::Direct).unwrap()),
            }
            if n == 12 {
                ds.checkpoint().unwrap();
            }
        }
        unit.backout().unwrap();
        drop((s, plain, unit));
        match open {
            2 => drop(ds),
            _ => drop(ds.close().unwrap()),
        }
    }
}

/// What loads a data set: so many records.
type Load = fn(&World, &Engine, &str, u64);

fn prepared(load: Load, records: u64) -> (SimDisk, World, (u64, u64)) {
    let (disk, world) = power::world();
    let engine = world.engine();
    load(&world, &engine, "a", records);
    loaded(&world, &engine, "b", 3);
    let of = copy(&world, &engine, "a", "c");
    (disk, world, of)
}

/// What the data set has after recovery, and what the copy becomes by the archive.
fn check(image: Image, of: (u64, u64), what: &str) {
    let left = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
    let engine = left.engine();
    let ds = left.open_with(&engine, "a", ALL);
    let kept = contents(&ds);
    ds.close().unwrap();
    // No open has changed it, so there is nothing to archive.
    let changed_by = engine.peek(&left.paths("a").0).unwrap().log.origin;
    if changed_by != of.1 {
        let plan = engine
            .way_forward(of, u64::MAX)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(plan.last_origin, changed_by, "{what}");
        let (data, index) = left.paths("c");
        let done = engine.bring_forward((&data, &index), Some(&plan), &[], |_| {});
        done.unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    let made = contents(&left.open(&engine, "c"));
    assert!(
        made == kept,
        "{what}: {} records, and {} by the archive",
        kept.len(),
        made.len()
    );
}

fn some(point: &CrashPoint<'_>, random: &mut Random) -> Image {
    point.image(|_, _| match random.below(3) {
        0 => Survival::Lost,
        1 => Survival::Whole,
        _ => Survival::Sectors(random.next()),
    })
}

#[test]
fn after_any_crash_a_copy_and_the_archive_make_the_data_set() {
    assert!(crash_everywhere((loaded, 30), work) > 500);
}

#[test]
fn after_any_crash_they_make_one_whose_dictionaries_came_after_the_copy() {
    assert!(crash_everywhere((loaded_compressed, 3), work_compressed) > 200);
}

/// The copy has fewer dictionaries than the changes need, or the first alone: it takes the others from the archive, and
/// goes on learning behind them.
#[test]
fn a_copy_takes_over_the_dictionaries_that_changes_need() {
    let (_, world) = world();
    let engine = world.engine();
    loaded_compressed(&world, &engine, "a", 2);
    let mut copies = Vec::new();
    for round in 0..3 {
        let name = format!("c{round}");
        let of = copy(&world, &engine, "a", &name);
        copies.push((dictionaries(&world, &engine, &name).len(), name, of));
        let ds = world.open_with(&engine, "a", ALL);
        // Four times as many bytes as the first was trained from make the second.
        for n in 0..if round == 0 { 40 } else { 90 } {
            let record = sealed(1 + round * 1000 + n * 10, n, LEN);
            ds.string().insert(&record, Insert::Direct).unwrap();
        }
        ds.close().unwrap();
    }
    let learnt = dictionaries(&world, &engine, "a");
    let kept = contents(&world.open(&engine, "a"));
    let had: Vec<usize> = copies.iter().map(|(had, ..)| *had).collect();
    assert_eq!((&had[..], &learnt[..]), (&[0, 1, 2][..], &[1, 2][..]));
    for (_, name, of) in copies {
        assert_eq!(forward(&world, &engine, &name, of, u64::MAX), kept, "{name}");
        assert_eq!(dictionaries(&world, &engine, &name), learnt, "{name}");
        let ds = world.open(&engine, &name);
        ds.string().insert(&sealed(5, 5, LEN), Insert::Direct).unwrap();
        ds.close().unwrap();
        assert_eq!(contents(&world.open(&engine, &name)).len(), kept.len() + 1);
    }
}

/// A copy of which the dictionary is another than the archive's is of another data set.
#[test]
fn a_copy_with_another_dictionary_of_that_number_is_refused() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded_compressed(&world, &engine, "a", 2);
    let of = copy(&world, &engine, "a", "c");
    let ds = world.open_with(&engine, "a", ALL);
    for n in 0..40 {
        ds.string().insert(&sealed(1 + n * 10, n, LEN), Insert::Direct).unwrap();
    }
    ds.close().unwrap();
    loaded_compressed(&world, &engine, "other", 40);
    let (other, index) = world.paths("other");
    let stored = engine.stored(&other, &index).unwrap();
    let (generation, bytes) = stored.data.dictionaries().unwrap().remove(0);
    let at = cica_format::root::dictionary_at(generation);
    common::bytes::put(&disk, &world.paths("c").0, at, &bytes);
    let plan = engine.way_forward(of, u64::MAX).unwrap();
    let (data, index) = world.paths("c");
    let error = engine
        .bring_forward((&data, &index), Some(&plan), &[], |_| {})
        .unwrap_err();
    assert!(
        error.to_string().contains("the copy is not of this data set"),
        "{error}"
    );
}

/// The data set is alone in the log, which starts over at each checkpoint: the root names none then, and what the
/// archive lacks is nowhere else (A2).
#[test]
fn what_the_log_lets_go_of_the_archive_has_whatever_the_power_takes() {
    let alone = |world: &World| {
        let engine = world.engine();
        engine.start_log_over_after(24 << 10);
        for open in 0..2 {
            let ds = world.open_with(&engine, "a", ALL);
            let mut string = ds.string();
            for n in 0..24 {
                insert(&mut string, open * 1000 + n * 10 + 3, n).unwrap();
                if n % 6 == 5 {
                    ds.checkpoint().unwrap();
                }
            }
            drop(string);
            match open {
                0 => drop(ds.close().unwrap()),
                _ => drop(ds),
            }
        }
    };
    assert!(crash_everywhere((loaded, 30), alone) > 100);
}

/// Cuts the power at each event of `work`; at how many.
fn crash_everywhere((load, records): (Load, u64), work: impl Fn(&World)) -> usize {
    let (disk, world, of) = prepared(load, records);
    let begin = disk.events();
    work(&world);
    let trace = disk.trace();
    let mut random = Random(0x5eed);
    let mut point = trace.crash_after(begin);
    let mut cuts = 0;
    loop {
        let at = point.position();
        // The process is killed; the power goes, and nothing, or something, that was not synced is there.
        check(point.image(|_, _| Survival::Whole), of, &format!("killed at {at}"));
        check(point.image(|_, _| Survival::Lost), of, &format!("cut at {at}"));
        check(some(&point, &mut random), of, &format!("cut in part at {at}"));
        cuts += 1;
        if point.advance().is_none() {
            return cuts;
        }
    }
}

/// The copy `c`, and an archive of several segments with units; what the data set has at the end.
fn archived() -> (MemoryDisk, World, Engine, (u64, u64), Vec<Vec<u8>>) {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 5);
    let of = copy(&world, &engine, "a", "c");
    for round in 0..3 {
        let ds = world.open_with(&engine, "a", ALL);
        let unit = engine.unit();
        insert(&mut ds.string_in(&unit), 1 + round, round).unwrap();
        unit.commit().unwrap();
        ds.close().unwrap();
    }
    let kept = contents(&world.open(&engine, "a"));
    (disk, world, engine, of, kept)
}

fn segment_files(disk: &MemoryDisk) -> Vec<std::path::PathBuf> {
    let files = archive::all(disk, Path::new("/archive")).unwrap();
    files.into_iter().map(|file| file.path).collect()
}

#[test]
fn an_archive_with_a_bit_that_is_wrong_or_a_segment_missing_is_refused() {
    let (disk, world, engine, of, kept) = archived();
    let files = segment_files(&disk);
    assert_eq!(files.len(), 3);
    for (n, path) in files.iter().enumerate() {
        let bytes = common::bytes::bytes_of(&disk, path);
        for bit in 0..bytes.len() * 8 {
            let byte = bytes[bit / 8] ^ 1 << (bit % 8);
            common::bytes::put(&disk, path, bit as u64 / 8, &[byte]);
            let found = engine.way_forward(of, u64::MAX);
            assert!(found.is_err(), "bit {bit} of segment {}: {found:?}", n + 1);
            common::bytes::put(&disk, path, bit as u64 / 8, &bytes[bit / 8..=bit / 8]);
        }
        for cut in [1, 20, bytes.len() - 128] {
            let part = MemoryDisk::from(disk.image());
            let left = World::on(Arc::new(part.clone()), Path::new("/"));
            let file = part
                .open(
                    path,
                    Open {
                        write: true,
                        ..Open::default()
                    },
                )
                .unwrap();
            file.size(Some((bytes.len() - cut) as u64)).unwrap();
            let found = left.engine().way_forward(of, u64::MAX);
            let is_last = n + 1 == files.len();
            // Of the last one nothing is known that comes behind; what was cut off at a frame is not seen here.
            assert!(found.is_err() || is_last, "segment {} without {cut} bytes", n + 1);
        }
        if n + 1 < files.len() {
            let part = MemoryDisk::from(disk.image());
            part.remove(path).unwrap();
            let left = World::on(Arc::new(part), Path::new("/"));
            let error = left.engine().way_forward(of, u64::MAX).unwrap_err();
            let words = error.to_string();
            assert!(words.contains("missing") || words.contains("later copy"), "{words}");
        }
    }
    assert_eq!(forward(&world, &engine, "c", of, u64::MAX), kept, "whole again");
}

#[test]
fn segments_that_change_places_are_refused() {
    let (disk, world, engine, of, _) = archived();
    let files = segment_files(&disk);
    let bytes = common::bytes::bytes_of(&disk, &files[1]);
    common::bytes::put(&disk, &files[2], 0, &bytes);
    let error = engine.way_forward(of, u64::MAX).unwrap_err();
    assert!(error.to_string().contains("does not belong under this name"), "{error}");
    drop(world);
}

/// A segment follows one by number, by the checksum of its last frame, and by the open that left it (A6).
#[test]
fn a_segment_follows_none_but_the_one_that_it_was_written_behind() {
    let head = |number: u32, origin, after, chain| cica_format::archive::SegmentHead {
        lineage: 7,
        cluster: 1,
        name: "A".to_owned(),
        origin,
        after,
        since: 0,
        number,
        chain,
        loaded: false,
        compressed: false,
        time: 0,
    };
    let (before, end) = (head(4, 30, 20, Some(1)), 99);
    let follows = |next| cica_engine::archive::follows(&before, Some(end), &next);
    assert_eq!(follows(head(5, 40, 30, Some(end))), Ok(()));
    for (what, next, words) in [
        ("another number", head(6, 40, 30, Some(end)), "missing"),
        (
            "another checksum",
            head(5, 40, 30, Some(98)),
            "written behind another segment 4",
        ),
        (
            "another open",
            head(5, 40, 29, Some(end)),
            "written behind another segment 4",
        ),
        ("none", head(5, 40, 30, None), "does not follow segment 4"),
    ] {
        let refused = follows(next).unwrap_err();
        assert!(refused.contains(words), "{what}: {refused}");
    }
    let next = head(5, 40, 30, Some(end));
    let refused = cica_engine::archive::follows(&before, None, &next).unwrap_err();
    assert!(refused.contains("has no end"), "{refused}");
}

#[test]
fn what_a_load_does_needs_a_new_copy() {
    let (_, world, engine, of, _) = archived();
    let options = OpenOptions { reset: true, ..ALL };
    let ds = world.open_with(&engine, "a", options);
    ds.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let ds = world.open_with(&engine, "a", ALL);
    insert(&mut ds.string(), 2, 2).unwrap();
    ds.close().unwrap();
    let error = engine.way_forward(of, u64::MAX).unwrap_err();
    assert!(error.to_string().contains("loaded"), "{error}");
    // A copy from after the load goes on.
    let after = copy(&world, &engine, "a", "d");
    let ds = world.open_with(&engine, "a", ALL);
    insert(&mut ds.string(), 3, 3).unwrap();
    let kept = contents(&ds);
    ds.close().unwrap();
    assert_eq!(forward(&world, &engine, "d", after, u64::MAX), kept);
}

#[test]
fn what_was_changed_without_an_archive_is_a_gap() {
    let (_, world, engine, of, _) = archived();
    let ds = world.open(&engine, "a");
    insert(&mut ds.string(), 7, 7).unwrap();
    ds.close().unwrap();
    let ds = world.open_with(&engine, "a", ALL);
    insert(&mut ds.string(), 8, 8).unwrap();
    ds.close().unwrap();
    let error = engine.way_forward(of, u64::MAX).unwrap_err();
    assert!(matches!(error, archive::RedoError::Gap { .. }), "{error:?}");
}

/// What a unit has made of a record, by key.
type Pending = (Vec<u8>, Option<Vec<u8>>);

/// A clock that a test sets.
#[derive(Debug, Default)]
struct SetClock(std::sync::atomic::AtomicU64);

impl cica_disk::Clock for SetClock {
    fn now(&self) -> u64 {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn passed(&self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.now())
    }
}

#[test]
fn a_copy_becomes_what_was_committed_at_each_moment() {
    at_each_moment(loaded, 60);
}

#[test]
fn a_compressed_one_does_too() {
    at_each_moment(loaded_compressed, LEN);
}

/// Records of `len` bytes are changed, and copies are brought forward to many moments.
fn at_each_moment(load: Load, len: usize) {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk), Path::new("/"));
    let clock = Arc::new(SetClock(1_700_000_000_000_000_000.into()));
    let engine = Engine::new(Env {
        disk: world.disk.clone(),
        clock: clock.clone(),
        log_dir: "/log".into(),
        pool_bytes: Some(8 << 20),
        io: Io::Auto,
        background: false,
    })
    .unwrap();
    engine.start_log_over_after(24 << 10);
    load(&world, &engine, "a", if len == LEN { 2 } else { 20 });
    let mut copies = Vec::new();
    let (mut moments, mut random) = (Vec::new(), Random(0xa5c1));
    let tick = || clock.0.fetch_add(1_000_000_000, std::sync::atomic::Ordering::Relaxed) + 1_000_000_000;
    for open in 0..4 {
        tick();
        copies.push(copy(&world, &engine, "a", &format!("c{open}")));
        let first = moments.len();
        let ds = world.open_with(&engine, "a", ALL);
        let units = [engine.unit(), engine.unit()];
        // What has been committed, beside the data set with all that is not.
        let mut committed: std::collections::BTreeMap<Vec<u8>, Vec<u8>> =
            contents(&ds).into_iter().map(|r| (r[..8].to_vec(), r)).collect();
        let mut pending: [Vec<Pending>; 2] = Default::default();
        for _ in 0..60 {
            let now = tick();
            let which = random.below(2) as usize;
            let (n, value) = (random.below(60) * 5, random.next() % 1000);
            let mut s = ds.string_in(&units[which]);
            match random.below(8) {
                0 => {
                    units[which].commit().unwrap();
                    for (key, record) in pending[which].drain(..) {
                        match record {
                            Some(record) => drop(committed.insert(key, record)),
                            None => drop(committed.remove(&key)),
                        }
                    }
                }
                1 => {
                    units[which].backout().unwrap();
                    pending[which].clear();
                }
                2 => {
                    if ds.string().insert(&sealed(n, value, len), Insert::Direct).is_ok() {
                        committed.insert(key(n), sealed(n, value, len));
                    }
                    ds.commit().unwrap();
                }
                3 | 4 => {
                    if erase(&mut s, n).is_ok() {
                        pending[which].push((key(n), None));
                    }
                }
                _ => {
                    let record = sealed(n, value, len);
                    let inserted = s.insert(&record, Insert::Direct).map(drop);
                    if inserted.or_else(|_| update(&mut s, n, value, len)).is_ok() {
                        pending[which].push((key(n), Some(record)));
                    }
                }
            }
            moments.push((first, open, now, committed.values().cloned().collect::<Vec<_>>()));
        }
        units.iter().for_each(|unit| unit.backout().unwrap());
        drop(units);
        ds.close().unwrap();
    }
    for (n, (_, open, at, committed)) in moments.iter().enumerate().step_by(7) {
        for (from, of) in copies.iter().enumerate().take(*open + 1) {
            let name = format!("m{n}-{from}");
            copy(&world, &engine, &format!("c{from}"), &name);
            let made = forward(&world, &engine, &name, *of, *at);
            assert!(made == *committed, "moment {n} from copy {from}");
        }
    }
}

/// The archive's disk is full while the switch is on.
#[derive(Default)]
struct Full(std::sync::atomic::AtomicBool);

impl common::hooked::Hook for Full {
    fn write(&self, file: &common::hooked::Hooked, batch: &[cica_disk::WriteAt<'_>]) -> std::io::Result<()> {
        let is_archive = file.path.starts_with("/archive");
        if is_archive && self.0.load(std::sync::atomic::Ordering::Relaxed) {
            Err(std::io::ErrorKind::StorageFull.into())
        } else {
            file.file.write(batch)
        }
    }
}

#[test]
fn a_full_disk_under_the_archive_fences_the_data_set_and_loses_nothing() {
    let (memory, full) = (MemoryDisk::default(), Arc::new(Full::default()));
    let disk = common::hooked::hooked(memory, full.clone());
    let world = World::on(disk, Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a", 5);
    loaded(&world, &engine, "b", 5);
    let of = copy(&world, &engine, "a", "c");
    let (ds, other) = (world.open_with(&engine, "a", ALL), world.open(&engine, "b"));
    insert(&mut ds.string(), 1, 1).unwrap();
    ds.commit().unwrap();
    full.0.store(true, std::sync::atomic::Ordering::Relaxed);
    insert(&mut ds.string(), 2, 2).unwrap();
    let error = ds.commit().unwrap_err();
    assert!(error.to_string().contains("archive /archive/"), "{error}");
    assert!(insert(&mut ds.string(), 3, 3).is_err(), "nothing more is changed");
    // Others go on.
    insert(&mut other.string(), 1, 1).unwrap();
    other.commit().unwrap();
    drop(ds);
    // It is not opened before there is room.
    let (data, index) = world.paths("a");
    let error = engine.open(&data, &index, ALL).map(drop).unwrap_err();
    assert!(error.to_string().contains("archive"), "{error}");
    full.0.store(false, std::sync::atomic::Ordering::Relaxed);
    let ds = world.open_with(&engine, "a", ALL);
    assert_eq!(numbers(&ds), [0, 1, 2, 10, 20, 30, 40]);
    let kept = contents(&ds);
    ds.close().unwrap();
    assert_eq!(forward(&world, &engine, "c", of, u64::MAX), kept);
}

fn change(world: &World, engine: &Engine, name: &str, n: u64) {
    let ds = world.open_with(engine, name, ALL);
    insert(&mut ds.string(), n, 1).unwrap();
    ds.close().unwrap();
}

/// One that was restored under another name while the original lives has an archive of its own.
#[test]
fn a_copy_under_another_name_has_an_archive_of_its_own() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let of = copy_on(&world, &engine, "a", "c", Some(engine.new_branch()));
    copy(&world, &engine, "a", "d");
    let of_c = copy(&world, &engine, "c", "e");
    assert!(of.0 != of_c.0 && of.1 == of_c.1, "{of:?} {of_c:?}");
    let (a, c) = (world.open_with(&engine, "a", ALL), world.open_with(&engine, "c", ALL));
    for n in 0..50 {
        insert(&mut a.string(), n * 10 + 5, n).unwrap();
        insert(&mut c.string(), n * 10 + 6, n).unwrap();
    }
    let kept = (contents(&a), contents(&c));
    a.close().unwrap();
    c.close().unwrap();
    assert_eq!(forward(&world, &engine, "d", of, u64::MAX), kept.0);
    assert_eq!(forward(&world, &engine, "e", of_c, u64::MAX), kept.1);
}

/// Whatever made two data sets of one line: they do not write one archive side by side.
#[test]
fn two_data_sets_of_one_line_do_not_write_one_archive() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let of = copy(&world, &engine, "a", "c");
    copy(&world, &engine, "a", "d");
    for written in [false, true] {
        let a = world.open_with(&engine, "a", ALL);
        if written {
            insert(&mut a.string(), 5, 1).unwrap();
            a.commit().unwrap();
        }
        let (data, index) = world.paths("c");
        let refused = world.engine().open(&data, &index, ALL).map(drop).unwrap_err();
        assert!(refused.to_string().contains("another data set"), "{refused}");
        insert(&mut a.string(), 7 + u64::from(written), 1).unwrap();
        let kept = contents(&a);
        a.close().unwrap();
        if written {
            assert_eq!(forward(&world, &engine, "d", of, u64::MAX), kept);
        }
    }
    change(&world, &engine, "c", 9);
}

/// A copy that took the place of what had gone on from it: the way follows what is there now, or what was there then.
#[test]
fn the_way_from_a_copy_that_was_restored_is_that_of_its_moment() {
    let (_, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let of = copy(&world, &engine, "a", "c");
    copy(&world, &engine, "a", "now");
    copy(&world, &engine, "a", "then");
    change(&world, &engine, "a", 5);
    change(&world, &engine, "a", 15);
    let abandoned = contents(&world.open(&engine, "a"));
    let until = engine.way_forward(of, u64::MAX).unwrap().reached;
    // It takes the place of "a".
    change(&world, &engine, "c", 7);
    change(&world, &engine, "c", 17);
    let kept = contents(&world.open(&engine, "c"));
    assert_eq!(forward(&world, &engine, "now", of, u64::MAX), kept);
    assert_eq!(forward(&world, &engine, "then", of, until), abandoned);
}

/// Backout of a record that skipped to the next CA leaves what it skipped in use; without that unit nothing was
/// skipped.
#[test]
fn what_a_spanned_record_skipped_is_found_without_it() {
    for spanned_after in [false, true] {
        let (_, world) = world();
        let engine = world.engine();
        world.create(&engine, "a", |data, _| {
            (data.organization, data.key_length, data.key_offset) = (Organization::Esds, 0, 0);
            (data.maximum_record, data.spanned) = (2000, true);
        });
        let add = |s: &mut Str, len: usize| s.insert(&vec![7; len], Insert::Sequential).unwrap();
        let ds = world.open(&engine, "a");
        for _ in 0..4 {
            add(&mut ds.string(), 400);
        }
        ds.close().unwrap();
        let of = copy(&world, &engine, "a", "c");
        let ds = world.open_with(&engine, "a", ALL);
        let unit = engine.unit();
        // Four CIs, and the CA has two left.
        add(&mut ds.string_in(&unit), 1800);
        unit.backout().unwrap();
        add(&mut ds.string(), if spanned_after { 1800 } else { 30 });
        add(&mut ds.string(), 40);
        let kept = contents(&ds);
        ds.close().unwrap();
        assert_eq!(forward(&world, &engine, "c", of, u64::MAX), kept);
    }
}
