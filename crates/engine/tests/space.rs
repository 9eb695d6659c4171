//! Space runs out: the request is refused with 8/28, nothing has changed, and what was acknowledged stays.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::{Counted, Disk, MemoryDisk, Open, SimDisk, WriteAt};
use cica_engine::*;
use cica_format::root::{Root, AREA_LEN};
use common::bytes::bytes_of;
use common::keyed::{contents, numbers};
use common::power;
use common::*;
use std::path::Path;
use std::sync::Arc;

#[test]
fn without_secondary_space_inserts_are_refused_and_nothing_changes() {
    for (data_space, index_space) in [(8 * 512 * 6, 1 << 20), (1 << 20, 512 * 20)] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.primary, data.secondary) = (data_space, 0);
            (index.primary, index.secondary) = (index_space, 0);
        });
        let ds = world.open(&engine, "t");
        ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        let (mut s, mut there, mut refused, mut random) = (ds.string(), vec![0], 0, Random(99));
        while refused < 20 {
            let n = random.below(100_000) + 1;
            match s.insert(&sealed(n, n, 60 + random.below(200) as usize), Insert::Direct) {
                Ok(_) => there.push(n),
                Err(RequestError::Duplicate { .. }) => {}
                Err(error) => {
                    assert_eq!(
                        (error.feedback().return_code, error.feedback().reason),
                        (8, 28),
                        "{error}"
                    );
                    refused += 1;
                }
            }
        }
        there.sort_unstable();
        assert_eq!(numbers(&ds), there, "space {data_space}, {index_space}");
        ds.close().unwrap();
        let engine = world.engine();
        assert_eq!(numbers(&world.open(&engine, "t")), there);
    }
}

#[test]
fn a_load_that_runs_out_of_space_keeps_what_it_acknowledged() {
    for (data_space, index_space) in [(3 * 512 * 6, 1 << 20), (1 << 20, 512 * 20)] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.primary, data.secondary) = (data_space, 0);
            (index.primary, index.secondary) = (index_space, 0);
        });
        let ds = world.open(&engine, "t");
        let (mut s, mut loaded) = (ds.string(), 0);
        let error = loop {
            match s.insert(&sealed(loaded, loaded, 100), Insert::Sequential) {
                Ok(_) => loaded += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(
            (error.feedback().return_code, error.feedback().reason),
            (8, 28),
            "{error}"
        );
        drop(s);
        ds.close().unwrap();
        assert_eq!(numbers(&world.open(&engine, "t")), (0..loaded).collect::<Vec<_>>());
    }
}

/// Keys so different that the index record of a CA has no room for all of its CIs: what is left for the next CAs has
/// space as well. A spanned record that is refused is not there.
#[test]
fn a_load_whose_keys_do_not_compress_keeps_what_it_acknowledged() {
    let (mut refused_spanned, mut short) = (0, 0);
    for (areas, spanned, speed) in (2..12).flat_map(|n| [(n, false, false), (n, false, true), (n, true, n % 2 == 0)]) {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.key_length, data.ci_per_ca, data.spanned) = (40, 30, spanned);
            (data.maximum_record, data.speed) = (if spanned { 4000 } else { 400 }, speed);
            (data.primary, data.secondary) = (areas * 512 * 30, 0);
            (index.primary, index.secondary) = (1 << 20, 0);
        });
        let ds = world.open(&engine, "t");
        let (mut s, mut random, mut loaded) = (ds.string(), Random(areas), Vec::new());
        for n in 1u64.. {
            // Three keys differ in their last byte alone: the text between two of them is as long as a key.
            let mut record = ((n / 3) << 48 | 0xFFFF).to_be_bytes().to_vec();
            record.resize(39, (n / 3 * 7 % 256) as u8);
            record.push((n % 3) as u8);
            let len = if spanned && random.below(4) == 0 {
                600 + random.below(3400)
            } else {
                100 + random.below(200)
            };
            record.resize(len as usize, b'.');
            match s.insert(&record, Insert::Sequential) {
                Ok(_) => loaded.push(record),
                Err(error) => {
                    let feedback = error.feedback();
                    assert_eq!((feedback.return_code, feedback.reason), (8, 28), "{error}");
                    refused_spanned += u32::from(len > 505);
                    break;
                }
            }
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        assert!(
            contents(&ds) == loaded,
            "{areas} areas, spanned: {spanned}, speed: {speed}"
        );
        let examined = ds.examine().unwrap();
        short += u32::from(examined.control_intervals < areas * 30 / 2);
    }
    assert!(refused_spanned > 0 && short > 0, "{refused_spanned} {short}");
}

/// Done again, records that came in ascending order split CIs in the middle: the log does not say how they came.
#[test]
fn requests_done_again_may_take_more_room_than_the_definition_gives() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "t", |data, index| {
        (data.primary, data.secondary) = (8 * 512 * 6, 0);
        (index.primary, index.secondary) = (1 << 20, 0);
    });
    let ds = world.open(&engine, "t");
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let ds = world.open(&engine, "t");
    let (mut s, mut there) = (ds.string(), vec![0]);
    let refused = loop {
        let n = there.len() as u64;
        match s.insert(&sealed(n, n, 60), Insert::Sequential) {
            Ok(_) => there.push(n),
            Err(error) => break error.feedback(),
        }
    };
    assert_eq!((refused.return_code, refused.reason), (8, 28));
    ds.commit().unwrap();
    let before = ds.high_used();
    disk.kill();
    std::mem::forget((s, ds));
    let ds = world.open(&world.engine(), "t");
    assert_eq!(numbers(&ds), there);
    assert!(ds.high_used() > before, "{} is no more than {before}", ds.high_used());
}

#[test]
fn a_full_file_system_refuses_and_later_works_again() {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "t", |_, _| ());
    let ds = world.open(&engine, "t");
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    let ds = world.open(&engine, "t");
    let image = disk.image();
    let used: u64 = image.files().filter_map(|path| image.len(path)).sum();
    disk.set_faults(Faults::none().space(used + 200_000));
    let (mut there, mut refused, mut random) = (vec![0], 0, Random(7));
    let mut s = ds.string();
    while refused < 5 {
        let n = random.below(100_000) + 1;
        match s.insert(&sealed(n, n, 200), Insert::Direct) {
            Ok(_) => there.push(n),
            Err(RequestError::Duplicate { .. }) => {}
            Err(error) => {
                assert_eq!(
                    (error.feedback().return_code, error.feedback().reason),
                    (8, 28),
                    "{error}"
                );
                refused += 1;
            }
        }
    }
    there.sort_unstable();
    assert_eq!(numbers(&ds), there);
    disk.set_faults(Faults::none());
    s.insert(&sealed(100_001, 1, 200), Insert::Direct).unwrap();
    there.push(100_001);
    drop(s);
    ds.close().unwrap();
    assert_eq!(numbers(&world.open(&engine, "t")), there);
}

/// Does a fixed workload, acknowledging as it goes; stops at the first error that fences.
fn work(world: &World, acknowledged: &mut Vec<u64>, pending: &mut Option<u64>) -> Result<(), String> {
    let engine = world.engine();
    let (data, index) = world.paths("t");
    let request = OpenOptions {
        access: Access::Output,
        durability: Durability::Request,
        ..OpenOptions::default()
    };
    let ds = engine.open(&data, &index, request).map_err(|e| e.to_string())?;
    let mut s = ds.string();
    for i in 0..60u64 {
        let n = (i * 37) % 61 + 1;
        *pending = Some(n);
        s.insert(&sealed(n, n, 120), Insert::Direct)
            .map_err(|e| e.to_string())?;
        acknowledged.push(n);
        *pending = None;
        if i % 20 == 19 {
            ds.checkpoint().map_err(|e| e.to_string())?;
        }
    }
    drop(s);
    ds.close().map(drop).map_err(|e| e.to_string())
}

#[test]
fn after_any_failed_call_a_reopen_gives_what_was_acknowledged() {
    let base = SimDisk::new();
    let world = World::on(Arc::new(base.clone()) as Arc<dyn Disk>, Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "t", |_, _| ());
    let ds = world.open(&engine, "t");
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    drop(engine);
    let start = base.image();
    let calls = {
        let disk = SimDisk::from(start.clone());
        let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
        disk.set_faults(Faults::none());
        work(&world, &mut Vec::new(), &mut None).unwrap();
        [Call::Open, Call::Read, Call::Write, Call::Sync, Call::Size].map(|call| (call, disk.calls().of(call)))
    };
    let mut failed = 0;
    for (call, count) in calls {
        let step = (count / 60).max(1);
        for nth in (1..=count).step_by(step as usize) {
            for for_ever in [false, true] {
                let disk = SimDisk::from(start.clone());
                let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
                disk.set_faults(if !for_ever {
                    Faults::none().fail(call, nth, Errno::Io)
                } else {
                    Faults::none().fail_from(call, nth, Errno::Io)
                });
                let (mut acknowledged, mut pending) = (vec![0], None);
                failed += work(&world, &mut acknowledged, &mut pending).is_err() as u32;
                disk.set_faults(Faults::none());
                let engine = world.engine();
                let found = numbers(&world.open(&engine, "t"));
                acknowledged.sort_unstable();
                let missing: Vec<_> = acknowledged.iter().filter(|n| !found.contains(n)).collect();
                assert!(
                    missing.is_empty(),
                    "{call:?} {nth}, for ever {for_ever}: {missing:?} are gone"
                );
                let more: Vec<_> = found.iter().filter(|n| !acknowledged.contains(n)).collect();
                assert!(
                    more.iter().all(|n| Some(**n) == pending),
                    "{call:?} {nth}: {more:?} were never acknowledged"
                );
            }
        }
    }
    assert!(failed > 100, "only {failed} runs failed");
}

/// Bytes written by a close after an update of every fifth record, `cis` of them.
fn written_by_close(world: &World, counted: &Counted<MemoryDisk>, cis: u64, value: u64) -> u64 {
    let ds = world.open(&world.engine(), "t");
    let mut s = ds.string();
    for n in (0..cis).map(|ci| ci * 5) {
        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
        s.update(&sealed(n, value, 100)).unwrap();
    }
    drop(s);
    let before = counted.counts().write_bytes;
    ds.close().unwrap();
    counted.counts().write_bytes - before
}

#[test]
fn a_close_writes_the_control_intervals_that_changed_and_no_others() {
    let counted = Counted::new(MemoryDisk::new());
    let world = World::on(Arc::new(counted.clone()), Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "t", |data, _| data.ci_per_ca = 60);
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    // Five records to a CI: sixty CIs, one CA.
    for n in 0..300 {
        s.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();

    let alone = written_by_close(&world, &counted, 1, 1) - 512;
    // Three slots are free beside the sixty: the others come from the annex.
    for value in 2..6 {
        assert_eq!(written_by_close(&world, &counted, 30, value), alone + 30 * 512);
    }
    assert_eq!(written_by_close(&world, &counted, 50, 6), alone + 50 * 512);
    assert_eq!(written_by_close(&world, &counted, 2, 7), alone + 2 * 512);
    let ds = world.open(&world.engine(), "t");
    assert_eq!(numbers(&ds), (0..300).collect::<Vec<u64>>());
    assert_eq!(
        unsealed(ds.string().get(&key(5), Search::Equal, Intent::Read).unwrap().bytes),
        7
    );
    assert_eq!(
        unsealed(ds.string().get(&key(10), Search::Equal, Intent::Read).unwrap().bytes),
        6
    );
    assert_eq!(
        unsealed(ds.string().get(&key(295), Search::Equal, Intent::Read).unwrap().bytes),
        0
    );
}

#[test]
fn regions_that_a_commit_frees_are_not_written_before_its_root() {
    // Which of the two CAs is written first is not said.
    for (one, other) in [(0, 60), (60, 0)] {
        commit_without_root(one, other);
    }
}

/// Two CAs of sixty CIs with five records each; `one` and `other` are their first CIs.
fn commit_without_root(one: u64, other: u64) {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "t", |data, _| data.ci_per_ca = 60);
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in 0..600 {
        s.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let update = |cis: &[(u64, u64)], value: u64| {
        let ds = world.open(&world.engine(), "t");
        let mut s = ds.string();
        for n in cis.iter().flat_map(|&(from, to)| from..to).map(|ci| ci * 5) {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(n, value, 100)).unwrap();
        }
        drop(s);
        ds.close().unwrap();
    };
    // Each CA is written whole and leaves a region behind.
    update(&[(one, one + 50), (other, other + 50)], 3);
    // The one takes an annex; then it is written whole, while the other one takes an annex.
    update(&[(one, one + 30)], 1);
    let path = world.paths("t").0;
    let before = bytes_of(&*world.disk, &path);
    update(&[(one, one + 50), (other, other + 30)], 2);

    // Everything of that commit but its root.
    let roots = 2 * AREA_LEN;
    let how = Open {
        write: true,
        ..Open::default()
    };
    let file = world.disk.open(&path, how).unwrap();
    let buf = &before[..roots];
    file.write(&[WriteAt { at: 0, buf }]).unwrap();
    drop(file);
    let ds = world.open(&world.engine(), "t");
    assert_eq!(numbers(&ds), (0..600).collect::<Vec<u64>>());
    let mut s = ds.string();
    for n in 0..600 {
        let value = unsealed(s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes);
        let wanted = match n / 5 {
            ci if n % 5 == 0 && (one..one + 30).contains(&ci) => 1,
            ci if n % 5 == 0 && (ci % 60) < 50 => 3,
            _ => 0,
        };
        assert_eq!(value, wanted, "record {n}");
    }
}

#[test]
fn no_region_is_lost_when_more_control_areas_move_at_once_than_the_root_lists_in_its_fixed_part() {
    let mut world = World::memory();
    world.pool_bytes = 64 << 20;
    let engine = world.engine();
    world.create(&engine, "a", |data, index| {
        (data.primary, data.secondary, index.primary) = (64 << 20, 1 << 20, 4 << 20);
    });
    let (areas, area) = (700, 48);
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..areas * area {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    for round in 1..4 {
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..areas * area {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(n, round, 60)).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let root = engine.peek(&world.paths("a").0).unwrap();
        assert_eq!(root.ca_count as u64, areas);
        let used = root.ca_count as usize + root.free_regions.len();
        assert_eq!(used, root.region_count as usize, "round {round}");
        assert!(
            root.free_regions.len() > 512,
            "{} free regions",
            root.free_regions.len()
        );
        assert!(root.region_count < 3 * root.ca_count, "{} regions", root.region_count);
    }
    assert_sound(&world.open(&engine, "a"));
}

/// More control areas move in one session than the root of a compressed data set can list regions.
#[test]
fn no_region_is_lost_when_more_control_areas_move_at_once_than_the_root_can_list() {
    let mut world = World::memory();
    world.pool_bytes = 128 << 20;
    let engine = world.engine();
    let areas = 6_900;
    world.create(&engine, "a", |data, index| {
        (data.compressed, data.ci_per_ca) = (true, 3);
        (data.primary, data.secondary, index.primary) = (64 << 20, 8 << 20, 16 << 20);
    });
    // One to a CI: what is random does not compress.
    let (mut random, mut most) = (Random(5), 0);
    let mut record = |n: u64| {
        let mut record = key(n);
        record.resize_with(380, || random.below(256) as u8);
        record
    };
    for round in 0..2 {
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..areas * 3 {
            if round == 0 {
                s.insert(&record(n), Insert::Sequential).unwrap();
            } else {
                s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                s.update(&record(n)).unwrap();
            }
        }
        drop(s);
        ds.close().unwrap();
        let root = engine.peek(&world.paths("a").0).unwrap();
        most = Root::max_free_regions(root.tables.len(), true);
        let named = u64::from(root.ca_count) + root.free_regions.len() as u64;
        assert_eq!(u64::from(root.region_count), named, "round {round}");
    }
    assert!(areas > most as u64, "{most} regions can be listed");
    assert_sound(&world.open(&engine, "a"));
}

/// Records of a full CA.
const AREA: u64 = 48;

/// A session that writes each CI of a data set of so many CAs several times.
fn long_session(world: &World, give_back_from: u64, areas: u64) {
    let engine = world.engine();
    engine.give_back_from(give_back_from);
    world.create(&engine, "a", |data, index| {
        (data.primary, data.secondary, index.primary) = (64 << 20, 1 << 20, 4 << 20);
    });
    let area = AREA;
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..areas * area {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for round in 1..5 {
        for n in 0..areas * area {
            // Half of the CIs in one round, all in the next: annexes are taken and given back.
            if round % 2 == 0 || n % area < area / 2 {
                s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                s.update(&sealed(n, round, 60)).unwrap();
            }
        }
        ds.checkpoint().unwrap();
    }
    drop(s);
    ds.close().unwrap();
}

/// What a long session wrote last is there.
fn assert_written(world: &World, areas: u64) {
    let ds = world.open(&world.engine(), "a");
    assert_eq!(numbers(&ds), (0..areas * AREA).collect::<Vec<u64>>());
    let mut s = ds.string();
    for n in 0..areas * AREA {
        assert_eq!(
            unsealed(s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes),
            4,
            "record {n}"
        );
    }
    drop(s);
    ds.close().unwrap();
}

/// The root of a data set of forty CAs after a long session, and the length of its file.
fn after_a_long_session(give_back_from: u64) -> (cica_format::root::Root, u64) {
    let mut world = World::memory();
    world.pool_bytes = 16 << 20;
    long_session(&world, give_back_from, 40);
    let path = world.paths("a").0;
    let root = world.engine().peek(&path).unwrap();
    assert_written(&world, 40);
    let length = bytes_of(&*world.disk, &path).len() as u64;
    (root, length)
}

#[test]
fn a_close_after_many_changes_gives_back_what_they_took() {
    let (dense, short) = after_a_long_session(0);
    assert_eq!(dense.region_count, dense.ca_count);
    assert!(dense.free_regions.is_empty());
    let (sparse, long) = after_a_long_session(u64::MAX);
    assert!(
        sparse.region_count > sparse.ca_count + sparse.ca_count / 2,
        "{} regions",
        sparse.region_count
    );
    assert!(short < long * 2 / 3, "{short} bytes, {long} without");
}

/// Where a close does not move what lies apart, it gives the space between back: those bytes are zeros on this disk,
/// and no record is among them. What comes next takes the space again.
#[test]
fn a_close_gives_the_space_of_what_is_free_back() {
    let mut world = World::memory();
    world.pool_bytes = 16 << 20;
    let engine = world.engine();
    engine.give_back_from(0);
    world.create(&engine, "a", |data, index| {
        (data.primary, data.secondary, index.primary) = (64 << 20, 1 << 20, 4 << 20);
    });
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..40 * AREA {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    for round in 1..4 {
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..40 * AREA {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(n, round, 60)).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&world.engine(), "a");
        let mut s = ds.string();
        for n in 0..40 * AREA {
            let record = s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes;
            assert_eq!(unsealed(record), round, "record {n}");
        }
        drop(s);
        ds.close().unwrap();
        let path = world.paths("a").0;
        let root = world.engine().peek(&path).unwrap();
        let bytes = bytes_of(&*world.disk, &path);
        let free = root.free_regions.len() as u32;
        let regions = (bytes.len() as u32) / root.region_count.max(1);
        let zeros = bytes
            .chunks(512)
            .filter(|sector| sector.iter().all(|&byte| byte == 0))
            .count() as u32
            * 512;
        assert!(
            zeros >= free * regions / 2,
            "{free} of {} regions, {zeros} bytes",
            root.region_count
        );
    }
}

/// What a power cut leaves right after `cut` gave the end of the file of data set `a` back, for each copy of the root:
/// nothing else that is not durable has survived, and that copy is lost as well.
fn after_the_cut(cut: impl FnOnce(&World)) -> [World; 2] {
    after_the_last(|event| matches!(event, Event::Resize { .. }), cut)
}

/// The same for another call that gives space back.
fn after_the_last(gives_back: impl Fn(&Event) -> bool, cut: impl FnOnce(&World)) -> [World; 2] {
    let (disk, world) = power::world();
    cut(&world);
    let trace = disk.trace();
    let data = trace.events().iter().find_map(|event| match event {
        Event::Create { file, path, .. } if **path == *world.paths("a").0 => Some(*file),
        _ => None,
    });
    let is_of_data = |event: &Event| match event {
        Event::Resize { file, .. } | Event::Write { file, .. } => Some(*file) == data,
        _ => false,
    };
    let resize = |event: &Event| is_of_data(event) && gives_back(event);
    let resized = 1 + trace.events().iter().rposition(resize).unwrap();
    [0, 1].map(|copy| {
        let image = trace
            .crash_after(resized)
            .image(|_, event| if resize(event) { Survival::Whole } else { Survival::Lost });
        let left = MemoryDisk::from(image);
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = left.open(&world.paths("a").0, how).unwrap();
        let (at, buf) = (copy * AREA_LEN as u64, &vec![0; AREA_LEN][..]);
        file.write(&[WriteAt { at, buf }]).unwrap();
        drop(file);
        World::on(Arc::new(left), Path::new("/"))
    })
}

#[test]
fn after_the_file_was_cut_neither_root_names_what_is_gone() {
    let areas = 12;
    for world in after_the_cut(|world| long_session(world, 0, areas)) {
        let root = world.engine().peek(&world.paths("a").0).unwrap();
        assert_eq!(u64::from(root.region_count), areas);
        assert_written(&world, areas);
    }
}

/// The simulated disk gives space back by zeros, of which nothing else writes 4,096 or more.
#[test]
fn after_space_was_given_back_neither_root_names_it() {
    let is_zeros = |bytes: &[u8]| bytes.len() >= 4096 && bytes.iter().all(|&byte| byte == 0);
    let zeros = |event: &Event| matches!(event, Event::Write { bytes, .. } if is_zeros(bytes));
    let areas = 12;
    let update = |world: &World| with_free_regions(world, areas);
    for world in after_the_last(zeros, update) {
        let root = world.engine().peek(&world.paths("a").0).unwrap();
        assert!(!root.free_regions.is_empty());
        assert_written(&world, areas);
    }
}

/// Each CA of a data set has moved to another region, so that those that they left lie free in the middle of the file.
fn with_free_regions(world: &World, areas: u64) {
    let engine = world.engine();
    engine.give_back_from(0);
    world.create(&engine, "a", |data, index| {
        (data.primary, data.secondary, index.primary) = (64 << 20, 1 << 20, 4 << 20);
    });
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..areas * AREA {
        s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..areas * AREA {
        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
        s.update(&sealed(n, 4, 60)).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let root = engine.peek(&world.paths("a").0).unwrap();
    assert!(!root.free_regions.is_empty());
}

/// Their space was given back, so a request that needs one of them takes it from the file system before it is answered.
#[test]
fn a_free_region_is_not_taken_where_the_disk_is_full() {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    let areas = 12;
    with_free_regions(&world, areas);
    let ds = world.open(&world.engine(), "a");
    let mut s = ds.string();
    let mut next = areas * AREA;
    s.insert(&sealed(next, 0, 60), Insert::Direct).unwrap();
    let full = Faults::none().fail_from(Call::Size, 1, Errno::NoSpace);
    disk.set_faults(full.only(world.paths("a").0));
    let refused = loop {
        next += 1;
        if let Err(error) = s.insert(&sealed(next, 0, 60), Insert::Direct) {
            break error;
        }
        assert!(next < areas * AREA + 2 * AREA, "a new control area has come");
    };
    let feedback = refused.feedback();
    assert_eq!((feedback.return_code, feedback.reason), (8, 28), "{refused}");
    disk.set_faults(Faults::none());
    s.insert(&sealed(next, 0, 60), Insert::Direct).unwrap();
    drop(s);
    ds.close().unwrap();
    assert_eq!(
        numbers(&world.open(&world.engine(), "a")),
        (0..=next).collect::<Vec<_>>()
    );
}

#[test]
fn after_a_reset_neither_root_names_what_is_gone() {
    let reset = |world: &World| {
        long_session(world, 0, 3);
        let options = OpenOptions {
            access: Access::Output,
            reset: true,
            ..OpenOptions::default()
        };
        world.open_with(&world.engine(), "a", options).close().unwrap();
    };
    for world in after_the_cut(reset) {
        assert_eq!(numbers(&world.open(&world.engine(), "a")), []);
    }
}

/// A control area that has changed nearly everywhere is moved where a region is free. What lies beside may not be read
/// just then: the commit has another way, and needs none of it.
#[test]
fn a_commit_that_has_room_fails_for_nothing_that_it_could_do_without() {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    let engine = world.engine();
    world.create(&engine, "a", |data, index| {
        // Twelve records in a CI, a third of it, which is stored as one sector of three.
        (data.ci_size, data.ci_per_ca, data.free_ci, index.ci_size) = (12_288, 16, 70, 4096);
        (data.primary, data.secondary, index.primary) = (64 << 20, 8 << 20, 4 << 20);
    });
    let records = 1_600;
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..records {
        s.insert(&sealed(n, 0, 290), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    let mut update = |n: u64, value: u64| {
        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
        s.update(&sealed(n, value, 290)).unwrap();
    };
    // The first commit moves all, and leaves regions free. Behind it one CI in about ten stays as it is.
    (0..records).for_each(|n| update(n, 1));
    ds.checkpoint().unwrap();
    let changed = |n: &u64| n % 120 >= 24;
    (0..records).filter(changed).for_each(|n| update(n, 2));
    let unread = Faults::none().fail_from(Call::Read, 1, Errno::Io);
    disk.set_faults(unread.only(world.paths("a").0));
    ds.checkpoint().unwrap();
    let asked = disk.calls().of(Call::Read);
    disk.set_faults(Faults::none());
    drop(s);
    ds.close().unwrap();
    assert!(asked > 0);
    let ds = world.open(&world.engine(), "a");
    let mut s = ds.string();
    for n in 0..records {
        let record = s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes;
        assert_eq!(unsealed(record), 1 + u64::from(changed(&n)), "record {n}");
    }
}

/// The second copy of a root need not have been written when a commit is done. Until it is, what the older copy names
/// is given back to nobody: the newest may be lost.
#[test]
fn nothing_is_given_back_that_an_older_copy_of_the_root_names() {
    let (areas, mut moments) = (12, Vec::new());
    for nth in 1.. {
        let disk = SimDisk::new();
        let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
        let engine = world.engine();
        engine.give_back_from(0);
        world.create(&engine, "a", |data, index| {
            (data.primary, data.secondary, index.primary) = (64 << 20, 1 << 20, 4 << 20);
        });
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..areas * AREA {
            s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        // All control areas move, and what they leave is free.
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in 0..areas * AREA {
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(n, 4, 60)).unwrap();
        }
        drop(s);
        let (path, before) = (world.paths("a").0, disk.calls().of(Call::Write));
        disk.set_faults(Faults::none().fail(Call::Write, nth, Errno::Io).only(&path));
        let closed = ds.close();
        let calls = disk.calls().of(Call::Write) - before;
        disk.set_faults(Faults::none());
        if closed.is_ok() {
            let newest = engine.peek(&path).unwrap().version;
            let at = u64::from(newest & 1) * AREA_LEN as u64;
            disk.overwrite(&path, at, &vec![0; AREA_LEN]).unwrap();
            let ds = world.open(&world.engine(), "a");
            let mut s = ds.string();
            let mut value = |n| unsealed(s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes);
            let moment = value(0);
            (0..areas * AREA).for_each(|n| assert_eq!(value(n), moment, "write {nth}, record {n}"));
            moments.push(moment);
        }
        if nth > calls {
            break;
        }
    }
    assert!(moments.contains(&0) && moments.contains(&4), "{moments:?}");
}
