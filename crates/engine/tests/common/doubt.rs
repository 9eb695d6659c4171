//! Two data sets and a unit of recovery that works in both, is prepared as T1, and is decided about.

use super::keyed::*;
use super::*;
use cica_disk::sim::CrashPoint;
use cica_disk::sim::Survival;
use cica_disk::{Image, MemoryDisk, SimDisk};
use std::path::Path;
use std::sync::Arc;

pub type Two = [Vec<Vec<u8>>; 2];

/// A world with the data sets `a` and `b`.
pub fn two() -> (SimDisk, World, Engine) {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 50);
    }
    (disk, world, engine)
}

pub fn left(image: Image) -> World {
    World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"))
}

/// Changes of each kind, of some records more than once.
pub fn work(a: &mut Str, b: &mut Str) {
    for n in 0..8 {
        update(a, n * 10, 100 + n, 200).unwrap();
        update(a, n * 10, 200 + n, 80).unwrap();
        insert(b, n * 10 + 1, 300).unwrap();
        erase(b, n * 10).unwrap();
    }
    insert(a, 5, 1).unwrap();
    update(a, 5, 2, 90).unwrap();
    erase(a, 100).unwrap();
    insert(a, 100, 7).unwrap();
    insert(a, 7, 1).unwrap();
    erase(a, 7).unwrap();
}

pub fn both(a: &DataSet, b: &DataSet) -> Two {
    [contents(a), contents(b)]
}

/// A unit that has worked in both, what they were before, and what they are with it.
pub fn worked(world: &World, engine: &Engine) -> (DataSet, DataSet, UnitOfRecovery, Two, Two) {
    let (a, b) = (world.open(engine, "a"), world.open(engine, "b"));
    let before = both(&a, &b);
    let unit = engine.unit();
    work(&mut a.string_in(&unit), &mut b.string_in(&unit));
    let after = both(&a, &b);
    assert!(before != after);
    (a, b, unit, before, after)
}

pub fn names(engine: &Engine) -> Vec<String> {
    engine.in_doubt().unwrap().into_iter().map(|unit| unit.name).collect()
}

/// What the unit has changed is nobody's, and all else everybody's.
pub fn assert_retained(a: &DataSet, b: &DataSet) {
    for n in [0, 70, 5, 100, 7] {
        let refused = insert(&mut a.string(), n, 9);
        let said = refused.as_ref().unwrap_err().to_string();
        assert_eq!(codes(refused), (8, 24), "{n}");
        assert!(said.contains("the unit of recovery T1, which is in doubt"), "{said}");
    }
    // One that it has erased may come back.
    assert_eq!(codes(insert(&mut b.string(), 10, 9)), (8, 24));
    assert_eq!(codes(erase(&mut b.string(), 11)), (8, 24));
    let mut reader = b.string();
    reader.set_integrity(ReadIntegrity::Consistent);
    let read = reader.get(Argument::Key(&key(11)), Search::Equal, Intent::Read);
    assert_eq!(codes(read), (8, 24));
    update(&mut a.string(), 300, 0, 60).unwrap();
}

/// A process finds the unit in doubt, and takes it back or lets it stand.
pub fn decide(world: &World, commits: bool, expected: &Two, how: &str) {
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    assert_eq!(names(&engine), ["T1"], "{how}");
    assert_retained(&a, &b);
    if commits {
        engine.commit_prepared("T1").unwrap();
    } else {
        engine.back_out_prepared("T1").unwrap();
    }
    assert!(names(&engine).is_empty());
    assert!(both(&a, &b) == *expected, "{how}, commits: {commits}");
    for again in [engine.commit_prepared("T1"), engine.back_out_prepared("T1")] {
        assert!(matches!(again, Err(PrepareError::Unknown { .. })), "{again:?}");
    }
    // Its records are everybody's.
    update(&mut a.string(), 70, 9, 60).unwrap();
    assert_sound(&a);
    a.close().unwrap();
    b.close().unwrap();
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    assert!(contents(&b) == expected[1], "{how}");
    update(&mut a.string(), 60, 9, 60).unwrap();
}

/// What a moment may leave.
pub fn images(point: &CrashPoint<'_>) -> [Image; 3] {
    let count = point.pending().count();
    [
        point.image(|_, _| Survival::Lost),
        point.image(|_, _| Survival::Whole),
        point.image(|n, _| {
            if n + 1 == count {
                Survival::First(1)
            } else {
                Survival::Whole
            }
        }),
    ]
}

/// All records of a data set of any organization.
pub fn contents_of(ds: &DataSet) -> Vec<Vec<u8>> {
    let mut s = ds.string();
    let mut all = Vec::new();
    while let Ok(record) = s.next(Intent::Read) {
        all.push(record.bytes.to_vec());
    }
    all
}
