//! Data sets copied while they are open: the copy is what was committed at its moment.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::Survival;
use cica_disk::MemoryDisk;
use cica_engine::{
    Access, DataSet, Engine, Files, Insert, Intent, Logging, OpenOptions, PinnedTrees, RequestError, Search, Stored,
    StoredArea, Str,
};
use common::sphere::{assert_agree, contents, files, open, output, ready, record};
use common::{key, sealed, Random, World};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn world() -> World {
    World::on(Arc::new(MemoryDisk::default()), Path::new("/"))
}

/// Makes a data set of the copy of one that is pinned; its lineage and origin.
fn copy((from, at): (&Engine, &Files), pins: &PinnedTrees, (to, made_at): (&Engine, &Files)) -> (u64, u64) {
    let cluster = from.peek(&at.data).unwrap().cluster;
    let tree = pins.tree(cluster).unwrap();
    rebuild(
        from.stored_pinned(&at.data, &at.index, tree.origin).unwrap(),
        to,
        made_at,
    );
    let changed = to.peek(&made_at.data).unwrap().statistics.last_change;
    let records = to.take_back(&made_at.data, &made_at.index, &tree.undo).unwrap();
    let root = to.peek(&made_at.data).unwrap();
    assert_eq!((root.log.log, root.statistics.records), (0, records));
    assert_eq!(root.statistics.last_change, changed, "it is of the moment of the copy");
    (root.lineage(), root.log.origin)
}

/// Makes the files of a cluster of what is stored of another.
fn rebuild(stored: Stored, to: &Engine, made_at: &Files) {
    let mut made = Vec::new();
    for (part, path) in [
        (&stored.data, &made_at.data),
        (stored.index.as_ref().unwrap(), &made_at.index),
    ] {
        let mut rebuild = to
            .rebuild(path, part.root(), part.root().attributes.clone(), None)
            .unwrap();
        let mut area = StoredArea::default();
        for ca in 0..part.areas() {
            part.area(ca, &mut area).unwrap();
            let header = area.header.as_ref().unwrap();
            rebuild.area(ca, header.flags, header.next_free).unwrap();
            for (number, flags, image) in area.control_intervals() {
                rebuild.control_interval(number, flags, image).unwrap();
            }
        }
        made.push(rebuild);
    }
    let index = made.pop();
    to.complete_rebuild(made.pop().unwrap(), index).unwrap();
}

type Changes = Vec<(u64, Option<Vec<u8>>)>;

/// Two units and requests of none change records; what is committed is kept beside.
struct Work {
    ds: DataSet,
    units: [cica_engine::UnitOfRecovery; 2],
    pending: [Changes; 2],
    committed: BTreeMap<u64, Vec<u8>>,
    random: Random,
    made: u64,
    keys: u64,
    record: fn(u64, u64) -> Vec<u8>,
}

fn of_sphere(n: u64, value: u64) -> Vec<u8> {
    record(n, &format!("{n:04}"), &format!("{:03}", value % 7))
}

fn plain(n: u64, value: u64) -> Vec<u8> {
    sealed(n, value, 60 + value as usize % 40)
}

impl Work {
    fn new(engine: &Engine, ds: DataSet, record: fn(u64, u64) -> Vec<u8>) -> Work {
        let all = contents(&ds).into_iter();
        let number = |r: &[u8]| std::str::from_utf8(&r[..8]).unwrap().parse().unwrap();
        Work {
            units: [engine.unit(), engine.unit()],
            pending: Default::default(),
            committed: all.map(|r| (number(&r), r)).collect(),
            random: Random(77),
            made: 0,
            keys: 400,
            ds,
            record,
        }
    }

    fn step(&mut self) {
        let which = self.random.below(2) as usize;
        let (n, kind) = (self.random.below(self.keys), self.random.below(24));
        self.made += 1;
        let new = (self.record)(n, self.made);
        match kind {
            0 => {
                self.units[which].commit().unwrap();
                for (n, record) in self.pending[which].drain(..) {
                    match record {
                        Some(record) => drop(self.committed.insert(n, record)),
                        None => drop(self.committed.remove(&n)),
                    }
                }
            }
            1 => {
                self.units[which].backout().unwrap();
                self.pending[which].clear();
            }
            2..=5 => {
                if put(&mut self.ds.string(), n, &new).is_ok() {
                    self.committed.insert(n, new);
                }
            }
            6..=10 => {
                if erase(&mut self.ds.string_in(&self.units[which]), n).is_ok() {
                    self.pending[which].push((n, None));
                }
            }
            _ => {
                if put(&mut self.ds.string_in(&self.units[which]), n, &new).is_ok() {
                    self.pending[which].push((n, Some(new)));
                }
            }
        }
    }

    fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    fn committed(&self) -> Vec<Vec<u8>> {
        self.committed.values().cloned().collect()
    }
}

fn put(s: &mut Str, n: u64, new: &[u8]) -> Result<u64, RequestError> {
    match s.get(&key(n)[..], Search::Equal, Intent::Update).map(drop) {
        Ok(()) => s.update(new),
        Err(_) => s.insert(new, Insert::Direct),
    }
}

fn erase(s: &mut Str, n: u64) -> Result<(), RequestError> {
    s.get(&key(n)[..], Search::Equal, Intent::Update)?;
    s.erase()
}

#[test]
fn a_copy_of_a_base_and_its_alternate_indexes_is_what_was_committed_at_its_moment() {
    let world = world();
    let engine = ready(&world);
    let mut work = Work::new(&engine, open(&world, &engine), of_sphere);
    let mut taken_back = 0;
    for _ in 0..25 {
        work.steps(37);
        let pins = work.ds.pin().unwrap();
        assert_eq!(pins.trees().len(), 3);
        taken_back += pins.trees().iter().filter(|tree| !tree.undo.is_empty()).count();
        let expected = work.committed();
        // Requests go on: they split control intervals, fill the pool, and units end.
        work.steps(150);
        let elsewhere = self::world();
        let there = elsewhere.engine();
        for name in ["b", "u", "n"] {
            copy(
                (&engine, &files(&world, name)),
                &pins,
                (&there, &files(&elsewhere, name)),
            );
        }
        assert!(pins.holds().unwrap());
        drop(pins);
        assert!(assert_agree(&elsewhere, &there) == expected);
        // They belong together.
        open(&elsewhere, &there).close().unwrap();
    }
    assert!(taken_back > 20, "units were open");
}

fn all() -> OpenOptions {
    OpenOptions {
        log: Logging::All,
        ..output()
    }
}

fn loaded(world: &World, engine: &Engine, options: OpenOptions) -> DataSet {
    world.create(engine, "a", |data, index| {
        data.maximum_record = 200;
        (data.primary, data.secondary, index.primary) = (64 << 10, 64 << 10, 64 << 10);
    });
    let ds = world.open(engine, "a");
    let mut s = ds.string();
    for n in 0..40 {
        s.insert(&plain(n * 10, n), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let (data, index) = world.paths("a");
    engine.open(&data, &index, options).unwrap()
}

#[test]
fn a_copy_that_was_made_while_units_were_open_is_brought_forward_by_the_archive() {
    let world = world();
    let engine = world.engine();
    let mut work = Work::new(&engine, loaded(&world, &engine, all()), plain);
    let (mut copies, mut moments) = (Vec::new(), Vec::new());
    for n in 0..12 {
        work.steps(29);
        let pins = work.ds.pin().unwrap();
        let expected = work.committed();
        work.steps(31);
        let name = format!("copy{n}");
        let of = copy((&engine, &files(&world, "a")), &pins, (&engine, &files(&world, &name)));
        assert!(pins.holds().unwrap());
        drop(pins);
        assert!(contents(&world.open_with(&engine, &name, OpenOptions::default())) == expected);
        copies.push((n, of));
        // Whoever waits for the log brings it to the archive.
        work.ds.commit().unwrap();
        work.units[0].commit().unwrap();
        work.units[1].backout().unwrap();
        work.pending[1].clear();
        for (n, record) in std::mem::take(&mut work.pending[0]) {
            match record {
                Some(record) => drop(work.committed.insert(n, record)),
                None => drop(work.committed.remove(&n)),
            }
        }
        moments.push(work.committed());
    }
    work.ds.commit().unwrap();
    let last = moments.last().unwrap();
    for (n, of) in copies {
        let (name, plan) = (format!("copy{n}"), engine.way_forward(of, u64::MAX).unwrap());
        let (data, index) = world.paths(&name);
        engine.bring_forward((&data, &index), Some(&plan), &[], |_| {}).unwrap();
        assert!(contents(&world.open(&engine, &name)) == *last, "copy {n}");
    }
}

/// Nothing of this open is in the log durably yet, and no unit is open: the archive has to have it before the copy's mark.
#[test]
fn a_copy_of_an_open_that_nobody_waited_for_is_brought_forward() {
    let world = world();
    let engine = world.engine();
    let ds = loaded(&world, &engine, all());
    for n in [1, 2] {
        put(&mut ds.string(), n, &plain(n, n)).unwrap();
    }
    let pins = ds.pin().unwrap();
    let of = copy((&engine, &files(&world, "a")), &pins, (&engine, &files(&world, "copy")));
    drop(pins);
    assert_eq!(
        contents(&world.open_with(&engine, "copy", OpenOptions::default())).len(),
        42
    );
    put(&mut ds.string(), 3, &plain(3, 3)).unwrap();
    ds.commit().unwrap();
    let plan = engine.way_forward(of, u64::MAX).unwrap();
    let (data, index) = world.paths("copy");
    assert_eq!(
        engine.bring_forward((&data, &index), Some(&plan), &[], |_| {}).unwrap(),
        1
    );
    assert!(contents(&world.open(&engine, "copy")) == contents(&ds));
}

/// The power may go at any moment behind the pin: the archive knows of the copy, and goes on from it.
#[test]
fn after_any_power_cut_a_copy_of_an_open_data_set_is_brought_forward() {
    let (disk, world) = common::power::world();
    let engine = world.engine();
    let mut work = Work::new(&engine, loaded(&world, &engine, all()), plain);
    work.steps(40);
    let pins = work.ds.pin().unwrap();
    let begin = disk.events();
    let elsewhere = self::world();
    let there = elsewhere.engine();
    let (at, made_at) = (files(&world, "a"), files(&elsewhere, "a"));
    let of = copy((&engine, &at), &pins, (&there, &made_at));
    drop(pins);
    work.steps(30);
    work.ds.commit().unwrap();
    work.steps(30);
    work.ds.checkpoint().unwrap();
    let (trace, mut cuts) = (disk.trace(), 0);
    let mut point = trace.crash_after(begin);
    loop {
        for survival in [Survival::Lost, Survival::Whole] {
            let image = point.image(|_, _| survival);
            let left = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
            let again = left.engine();
            let ds = left.open_with(&again, "a", all());
            let kept = contents(&ds);
            ds.close().unwrap();
            let at = point.position();
            let plan = again.way_forward(of, u64::MAX);
            let plan = plan.unwrap_or_else(|error| panic!("event {at}, {survival:?}: {error}"));
            let copied = files(&left, "copy");
            rebuild(there.stored(&made_at.data, &made_at.index).unwrap(), &again, &copied);
            again
                .bring_forward((&copied.data, &copied.index), Some(&plan), &[], |_| {})
                .unwrap();
            assert!(contents(&left.open(&again, "copy")) == kept, "event {at}, {survival:?}");
            cuts += 1;
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(cuts > 20, "{cuts}");
}

#[test]
fn who_copied_learns_that_the_trees_were_committed_meanwhile() {
    let world = world();
    let engine = world.engine();
    let mut work = Work::new(&engine, loaded(&world, &engine, output()), plain);
    work.steps(50);
    let pins = work.ds.pin().unwrap();
    work.steps(50);
    assert!(pins.holds().unwrap());
    let second = work.ds.pin().err();
    assert!(matches!(second, Some(RequestError::Options { .. })), "{second:?}");
    assert!(pins.holds().unwrap());
    work.ds.checkpoint().unwrap();
    assert!(!pins.holds().unwrap());
    drop(pins);
    let another = work.ds.pin().unwrap();
    assert!(another.holds().unwrap());
}

#[test]
fn the_log_goes_on_while_trees_are_pinned() {
    let world = world();
    let engine = world.engine();
    engine.start_log_over_after(64 << 10);
    let mut work = Work::new(&engine, loaded(&world, &engine, output()), plain);
    let pins = work.ds.pin().unwrap();
    work.steps(5_000);
    assert!(pins.holds().unwrap(), "the log is many epochs long");
    drop(pins);
    let pins = work.ds.pin().unwrap();
    work.steps(100);
    assert!(pins.holds().unwrap());
    // It has a bound.
    work.steps(64 * 2_000);
    assert!(!pins.holds().unwrap());
}

#[test]
fn what_is_being_loaded_is_not_pinned_and_the_last_to_have_it_open_may_be_a_pin() {
    let world = world();
    let engine = world.engine();
    world.create(&engine, "a", |_, _| ());
    let ds = world.open(&engine, "a");
    assert!(matches!(ds.pin().err(), Some(RequestError::Loading)));
    ds.string().insert(&plain(1, 1), Insert::Sequential).unwrap();
    assert!(matches!(ds.pin().err(), Some(RequestError::Loading)));
    ds.close().unwrap();
    let ds = world.open(&engine, "a");
    put(&mut ds.string(), 2, &plain(2, 2)).unwrap();
    let pins = ds.pin().unwrap();
    ds.close().unwrap();
    assert!(pins.holds().unwrap());
    drop(pins);
    assert_eq!(
        (
            engine.left_uncommitted(),
            engine.peek(&world.paths("a").0).unwrap().log.log
        ),
        (0, 0)
    );
    let reader = world.open_with(
        &engine,
        "a",
        OpenOptions {
            access: Access::Input,
            ..OpenOptions::default()
        },
    );
    assert_eq!(contents(&reader), [plain(1, 1), plain(2, 2)]);
    assert!(reader.pin().unwrap().holds().unwrap());
}
