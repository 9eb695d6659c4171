//! Data sets copied as they are stored, without any catalog: what comes out, and what a crash leaves.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Faults, Survival};
use cica_disk::{Disk, MemoryDisk, SimDisk};
use cica_engine::{Engine, Insert, Intent, OpenError, StoredArea};
use cica_format::attributes::Attributes;
use common::{assert_sound, key, sealed, Random, World};
use std::path::Path;
use std::sync::Arc;

/// A data set that was loaded, split and thinned out.
fn lived(world: &World, engine: &Engine, count: u64) {
    world.create(engine, "A", |data, index| {
        data.maximum_record = 200;
        (data.primary, data.secondary) = (16 << 10, 16 << 10);
        index.ci_size = 512;
    });
    let ds = world.open(engine, "A");
    let mut string = ds.string();
    for n in 0..count {
        string.insert(&sealed(3 * n, 0, 60), Insert::Sequential).unwrap();
    }
    drop(string);
    ds.close().unwrap();
    let ds = world.open(engine, "A");
    let mut string = ds.string();
    let mut random = Random(1);
    for n in 0..count {
        let _ = string.insert(&sealed(3 * random.below(count) + 1, n, 100), Insert::Direct);
    }
    for n in (0..count / 2).map(|n| 3 * n) {
        string
            .get(&key(n)[..], cica_engine::Search::Equal, Intent::Update)
            .unwrap();
        string.erase().unwrap();
    }
    drop(string);
    ds.close().unwrap();
}

/// Copies A as it is stored; B is what it is called then.
fn copy(world: &World, engine: &Engine) -> Result<(), OpenError> {
    copy_as(world, engine, false)
}

/// The same, and B is WRITECHECK.
fn copy_as(world: &World, engine: &Engine, write_check: bool) -> Result<(), OpenError> {
    let ((data, index), (to_data, to_index)) = (world.paths("A"), world.paths("B"));
    let stored = engine.stored(&data, &index)?;
    let mut parts = Vec::new();
    for (component, path) in [(&stored.data, to_data), (stored.index.as_ref().unwrap(), to_index)] {
        let root = component.root();
        let attributes = Attributes {
            cluster_name: "B".into(),
            write_check,
            ..root.attributes.clone()
        };
        let mut rebuild = engine.rebuild(&path, root, attributes, None)?;
        let mut area = StoredArea::default();
        for ca in 0..component.areas() {
            component.area(ca, &mut area)?;
            let header = area.header.as_ref().unwrap();
            rebuild.area(ca, header.flags, header.next_free)?;
            for (number, flags, image) in area.control_intervals() {
                rebuild.control_interval(number, flags, image)?;
            }
        }
        parts.push(rebuild);
    }
    let index = parts.pop();
    engine.complete_rebuild(parts.pop().unwrap(), index)
}

fn records(world: &World, engine: &Engine, name: &str) -> Vec<Vec<u8>> {
    let ds = world.open(engine, name);
    let mut string = ds.string();
    let mut records = Vec::new();
    while let Ok(record) = string.next(Intent::Read) {
        records.push(record.bytes.to_vec());
    }
    assert_sound(&ds);
    records
}

#[test]
fn the_copy_has_the_same_control_intervals_and_can_be_worked_with() {
    let world = World::memory();
    let engine = world.engine();
    lived(&world, &engine, 2_000);
    copy(&world, &engine).unwrap();
    assert_eq!(records(&world, &engine, "B"), records(&world, &engine, "A"));
    let root = |name: &str| engine.peek(&world.paths(name).0).unwrap();
    let (a, b) = (root("A"), root("B"));
    assert_eq!(a.statistics, b.statistics);
    assert!(
        a.statistics.ci_splits > 0 && a.statistics.ca_splits > 0,
        "{:?}",
        a.statistics
    );
    assert_eq!(
        (a.ca_count, a.free_ca, a.high_used),
        (b.ca_count, b.free_ca, b.high_used)
    );
    assert_eq!((a.top, a.levels, a.extents), (b.top, b.levels, b.extents));
    assert_ne!((a.component, a.cluster), (b.component, b.cluster));
    assert!(b.free_regions.is_empty() && b.region_count == b.ca_count);
    let ds = world.open(&engine, "B");
    let mut string = ds.string();
    for n in 0..3_000 {
        let _ = string.insert(&sealed(3 * n + 2, n, 100), Insert::Direct);
    }
    assert_sound(&ds);
    drop(string);
    ds.close().unwrap();
    records(&world, &engine, "B");
}

#[test]
fn what_is_damaged_on_the_volume_is_not_copied() {
    let disk = Arc::new(SimDisk::new());
    let world = World::on(disk.clone(), Path::new("/"));
    let engine = world.engine();
    lived(&world, &engine, 200);
    let (data, index) = world.paths("A");
    let refused = |what: &str| {
        let error = copy(&world, &engine).expect_err(what).to_string();
        for path in [world.paths("B").0, world.paths("B").1] {
            let _ = disk.remove(&path);
        }
        error
    };
    let image = disk.image();
    let lengths = [&data, &index].map(|path| disk.open(path, Default::default()).unwrap().size(None).unwrap());
    let (mut found, mut unused) = (0, 0);
    for (path, length) in [(&data, lengths[0]), (&index, lengths[1])] {
        for at in (131_072..length).step_by(509) {
            disk.flip_bit(path, 8 * at).unwrap();
            match copy(&world, &engine) {
                // Nothing committed lies there.
                Ok(()) => unused += 1,
                Err(error) => {
                    assert!(matches!(error, OpenError::Unusable { .. }), "{error}");
                    found += 1;
                }
            }
            for path in [world.paths("B").0, world.paths("B").1] {
                let _ = disk.remove(&path);
            }
            disk.flip_bit(path, 8 * at).unwrap();
        }
    }
    drop(image);
    assert!(found > 50, "{found} found, {unused} unused");
    disk.remove(&index).unwrap();
    assert!(refused("no index").contains("no such file"));
}

#[test]
fn a_crash_leaves_no_files_that_are_half_a_data_set() {
    let disk = Arc::new(SimDisk::new());
    let world = World::on(disk.clone(), Path::new("/"));
    let engine = world.engine();
    lived(&world, &engine, 100);
    let expected = records(&world, &engine, "A");
    let begun = disk.events();
    copy(&world, &engine).unwrap();
    let trace = disk.trace();
    let mut point = trace.crash_after(begun);
    let (mut none, mut whole) = (0, 0);
    loop {
        let pending = point.pending().len();
        // Everything, all but one, one alone, and one torn.
        let mut images = vec![point.image(|_, _| Survival::Whole), point.image(|_, _| Survival::Lost)];
        for n in 0..pending {
            images.push(point.image(|i, _| if i == n { Survival::Lost } else { Survival::Whole }));
            images.push(point.image(|i, _| if i == n { Survival::First(1) } else { Survival::Whole }));
        }
        for image in images {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(image));
            let world = World::on(left, Path::new("/"));
            let engine = world.engine();
            let (data, index) = world.paths("B");
            match engine.peek(&data) {
                Err(_) => none += 1,
                Ok(_) => {
                    assert!(engine.peek_index(&data, &index).is_ok(), "at {}", point.position());
                    assert_eq!(records(&world, &engine, "B"), expected, "at {}", point.position());
                    whole += 1;
                }
            }
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(none > 20 && whole > 5, "{none} none, {whole} whole");
}

#[test]
fn with_writecheck_a_rebuild_on_a_device_that_writes_other_bytes_does_not_come_to_its_end() {
    for index in [false, true] {
        let mut refused = 0;
        for nth in 1.. {
            let disk = Arc::new(SimDisk::new());
            let world = World::on(disk.clone(), Path::new("/"));
            let engine = world.engine();
            lived(&world, &engine, 200);
            let (data, of_index) = world.paths("B");
            let path = if index { of_index } else { data };
            disk.set_faults(Faults::none().flip_write(nth, 8 * 40 + 3).only(&path));
            let made = copy_as(&world, &engine, true);
            disk.set_faults(Faults::none());
            let Err(error) = made else {
                assert_eq!(records(&world, &engine, "B"), records(&world, &engine, "A"));
                break;
            };
            assert!(error.to_string().contains("WRITECHECK"), "{index} {nth}: {error}");
            refused += 1;
        }
        assert!(refused > 4, "{index}: {refused}");
    }
}
