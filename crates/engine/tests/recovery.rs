//! Recovery when the world around it is not as the log says: volumes away, files renamed, copied, deleted; one data set
//! that fails beside others that go on.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Create, MemoryDisk, Open, WriteAt};
use cica_engine::*;
use common::bytes::{bytes_of, put};
use common::hooked::{hooked, Hook, Hooked};
use common::names::Names;
use common::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex};

fn loaded(world: &World, engine: &Engine, name: &str) {
    world.create(engine, name, |data, index| {
        (data.primary, data.secondary, index.primary) = (4 << 20, 1 << 20, 1 << 20);
    });
    let ds = world.open(engine, name);
    ds.string().insert(&sealed(0, 0, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
}

fn insert(ds: &DataSet, n: u64) -> Result<(), RequestError> {
    ds.string().insert(&sealed(n, n, 60), Insert::Direct).map(drop)
}

fn has(ds: &DataSet, n: u64) -> bool {
    ds.string().get(&key(n), Search::Equal, Intent::Read).is_ok()
}

/// Data sets "a" and "b" on volumes of their own, both changed and committed by an owner that died.
fn dead_owner() -> World {
    dead_owner_on(&MemoryDisk::default())
}

fn dead_owner_on(disk: &MemoryDisk) -> World {
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    for name in ["a", "b"] {
        let directory = world.root.join("v").join(name);
        let how = Open {
            directory: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        world.disk.open(&directory, how).unwrap();
    }
    for name in ["a/x", "b/x"] {
        loaded(&world, &engine, name);
    }
    let open = ["a/x", "b/x"].map(|name| world.open(&engine, name));
    for ds in &open {
        insert(ds, 1).unwrap();
        ds.commit().unwrap();
    }
    disk.kill();
    drop(open);
    for name in ["a/x", "b/x"] {
        assert_ne!(
            world.engine().peek(&world.paths(name).0).unwrap().log.log,
            0,
            "{name} needs the log"
        );
    }
    world
}

fn move_files(world: &World, from: &str, to: &str) {
    let ((data, index), (to_data, to_index)) = (world.paths(from), world.paths(to));
    world.disk.rename(&data, &to_data).unwrap();
    world.disk.rename(&index, &to_index).unwrap();
}

fn copy_files(from: (&World, &str), to: (&World, &str)) {
    let (from_paths, to_paths) = (from.0.paths(from.1), to.0.paths(to.1));
    for (from_path, to_path) in [(from_paths.0, to_paths.0), (from_paths.1, to_paths.1)] {
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        drop(to.0.disk.open(&to_path, how).unwrap());
        put(&*to.0.disk, &to_path, 0, &bytes_of(&*from.0.disk, &from_path));
    }
}

#[test]
fn a_volume_that_is_not_there_keeps_the_log_until_its_data_set_is_back() {
    let world = dead_owner();
    // The mount point of a volume is there, and empty.
    move_files(&world, "b/x", "away");
    world
        .disk
        .rename(Path::new("/v/b/.cica-volume"), Path::new("/v/mark"))
        .unwrap();
    // The others are recovered, and other work comes and goes.
    for n in 2..5 {
        let engine = world.engine();
        let a = world.open(&engine, "a/x");
        assert!(has(&a, n - 1));
        insert(&a, n).unwrap();
        a.commit().unwrap();
        a.close().unwrap();
    }
    move_files(&world, "away", "b/x");
    world
        .disk
        .rename(Path::new("/v/mark"), Path::new("/v/b/.cica-volume"))
        .unwrap();
    let engine = world.engine();
    for name in ["a/x", "b/x"] {
        assert!(has(&world.open(&engine, name), 1), "{name}");
    }
}

#[test]
fn a_data_set_that_was_deleted_does_not_stop_recovery_of_the_others() {
    let world = dead_owner();
    let (data, index) = world.paths("b/x");
    world.disk.remove(&data).unwrap();
    world.disk.remove(&index).unwrap();
    let a = world.open(&world.engine(), "a/x");
    assert!(has(&a, 1));
    // Nobody waits for what was deleted: the log was given back and is used again.
    insert(&a, 2).unwrap();
    a.commit().unwrap();
    let logs = log_files(&world);
    assert_eq!(logs.len(), 1, "{logs:?}");
}

/// Its entry tells it from one that was deleted, though the mark of its volume is there.
#[test]
fn a_data_set_that_was_moved_away_by_hand_has_all_that_was_acknowledged_when_it_comes_back() {
    let world = dead_owner();
    let engine = || {
        let engine = world.engine();
        engine.set_volumes(Arc::new(Names::of([world.paths("b/x").0])));
        engine
    };
    move_files(&world, "b/x", "away");
    for n in 2..4 {
        let a = world.open(&engine(), "a/x");
        assert!(has(&a, n - 1));
        insert(&a, n).unwrap();
        a.commit().unwrap();
        a.close().unwrap();
    }
    move_files(&world, "away", "b/x");
    let b = world.open(&engine(), "b/x");
    assert!(has(&b, 1));
    insert(&b, 2).unwrap();
    b.commit().unwrap();
    // The one that waited for it, and the one that was made meanwhile.
    assert_eq!(log_files(&world).len(), 2);
}

/// Else its log would stay for ever: nobody opens a data set that is gone.
#[test]
fn who_deletes_a_data_set_does_what_its_dead_owner_left_of_the_others() {
    let world = dead_owner();
    let (data, index) = world.paths("b/x");
    world.engine().destroy(&data, &index, false).unwrap();
    assert_eq!(
        world.engine().peek(&world.paths("a/x").0).unwrap().log.log,
        0,
        "a/x needs the log still"
    );
    assert!(has(&world.open(&world.engine(), "a/x"), 1));
}

/// What lies at the path of either is another cluster, and neither was deleted.
#[test]
fn data_sets_whose_files_were_swapped_by_hand_have_all_that_was_acknowledged() {
    for (first, catalog) in [(0, true), (1, true), (0, false), (1, false)] {
        let world = dead_owner();
        let engine = || {
            let engine = world.engine();
            let names = ["a/x", "b/x"].map(|name| world.paths(name).0);
            let within = names.clone().map(|path| path.parent().unwrap().to_path_buf());
            if catalog {
                engine.set_volumes(Arc::new(Names::of(names).within(within)));
            }
            engine
        };
        for (from, to) in [("a/x", "away"), ("b/x", "a/x"), ("away", "b/x")] {
            move_files(&world, from, to);
        }
        for name in [["a/x", "b/x"], ["b/x", "a/x"]][first] {
            let ds = world.open(&engine(), name);
            assert!(has(&ds, 1), "{name}, {first}, catalog: {catalog}");
            ds.close().unwrap();
        }
        // Two processes at once find the log that nobody needs any more and the one that was made meanwhile. Without a
        // catalog nobody can say so of it.
        let open = ["a/x", "b/x"].map(|name| world.open(&engine(), name));
        open.iter().for_each(|ds| insert(ds, 2).unwrap());
        assert_eq!(log_files(&world).len(), if catalog { 2 } else { 3 });
    }
}

/// What is in none of the known directories may lie on a volume that only a catalog knows which cannot be asked now
/// (places:M3).
#[test]
fn what_a_catalog_may_know_that_cannot_be_asked_was_not_deleted() {
    for is_defined_anew in [true, false] {
        let world = dead_owner();
        let engine = || {
            let engine = world.engine();
            let within = ["a/x", "b/x"].map(|name| world.paths(name).0.parent().unwrap().to_path_buf());
            engine.set_volumes(Arc::new(Names::of([world.paths("a/x").0]).within(within).and_others()));
            engine
        };
        move_files(&world, "b/x", "away");
        if is_defined_anew {
            world.create(&engine(), "b/x", |data, index| {
                (data.created, index.created) = (u64::MAX, u64::MAX);
            });
        }
        for n in 2..4 {
            let a = world.open(&engine(), "a/x");
            assert!(has(&a, n - 1));
            insert(&a, n).unwrap();
            a.commit().unwrap();
            a.close().unwrap();
        }
        move_files(&world, "away", "c");
        let c = world.open(&world.engine(), "c");
        assert!(has(&c, 1), "defined anew: {is_defined_anew}");
    }
}

/// The file at the path of one that was moved away was there before, under another name, or was made since.
#[test]
fn what_lies_at_the_path_of_a_data_set_that_was_moved_does_not_say_that_it_was_deleted() {
    for is_older in [true, false] {
        let world = dead_owner();
        move_files(&world, "b/x", if is_older { "away" } else { "b/y" });
        let engine = world.engine();
        world.create(&engine, "b/x", |data, index| {
            let created = if is_older { 1 } else { u64::MAX };
            (data.created, index.created) = (created, created);
        });
        let a = world.open(&engine, "a/x");
        assert!(has(&a, 1));
        a.close().unwrap();
        // Other work takes another log.
        let b = world.open(&world.engine(), "b/x");
        b.string().insert(&sealed(7, 7, 60), Insert::Sequential).unwrap();
        b.close().unwrap();
        move_files(&world, if is_older { "away" } else { "b/y" }, "c");
        assert!(has(&world.open(&world.engine(), "c"), 1), "older: {is_older}");
    }
}

#[test]
fn a_data_set_that_was_deleted_and_defined_anew_lets_the_log_go() {
    let world = dead_owner();
    let (data, index) = world.paths("b/x");
    world.disk.remove(&data).unwrap();
    world.disk.remove(&index).unwrap();
    world.create(&world.engine(), "b/x", |data, index| {
        (data.created, index.created) = (u64::MAX, u64::MAX);
    });
    let a = world.open(&world.engine(), "a/x");
    assert!(has(&a, 1));
    insert(&a, 2).unwrap();
    a.commit().unwrap();
    assert_eq!(log_files(&world).len(), 1);
}

/// Another process, which recovers a data set between this one's look at its root and at its log.
struct Other {
    world: World,
    due: AtomicBool,
}

impl Hook for Other {
    fn opening(&self, path: &Path, _: Open) -> io::Result<()> {
        if path.starts_with("/log") && path != Path::new("/log") && self.due.swap(false, AcqRel) {
            self.world.open(&self.world.engine(), "a/x").close().unwrap();
            self.world.disk.remove(path).unwrap();
        }
        Ok(())
    }
}

#[test]
fn a_log_that_went_since_the_root_was_read_is_not_missed() {
    let disk = MemoryDisk::default();
    let other = Other {
        world: dead_owner_on(&disk),
        due: AtomicBool::new(true),
    };
    let ours = World::on(hooked(disk, Arc::new(other)), Path::new("/"));
    assert!(has(&ours.open(&ours.engine(), "a/x"), 1));
    assert!(has(&ours.open(&ours.engine(), "b/x"), 1));
}

/// Files that cannot be used: the root is none, or the index is away.
#[test]
fn a_data_set_that_is_damaged_does_not_stop_recovery_of_the_others() {
    for damage in [true, false] {
        let world = dead_owner();
        let (data, index) = world.paths("b/x");
        let kept = [0, 65_536].map(|at| (at, read_at(&world, "b/x", at)));
        if damage {
            (kept.iter()).for_each(|(at, was)| write_at(&world, "b/x", *at, &vec![0xEE; was.len()]))
        } else {
            world.disk.rename(&index, Path::new("/v/away")).unwrap()
        }
        let engine = world.engine();
        let a = world.open(&engine, "a/x");
        assert!(has(&a, 1), "{damage}");
        insert(&a, 2).unwrap();
        a.close().unwrap();
        assert!(engine.open(&data, &index, OpenOptions::default()).is_err());
        // Mended, it has what its owner committed: the log waited for it.
        if damage {
            (kept.iter()).for_each(|(at, was)| write_at(&world, "b/x", *at, was))
        } else {
            world.disk.rename(Path::new("/v/away"), &index).unwrap()
        }
        let engine = world.engine();
        for (name, n) in [("b/x", 1), ("a/x", 2)] {
            assert!(has(&world.open(&engine, name), n), "{name}");
        }
        assert_eq!(engine.peek(&data).unwrap().log.log, 0);
    }
}

/// Units that changed both, one ended and one not: what one data set has of them and the other, later, agree.
#[test]
fn a_unit_over_a_damaged_data_set_and_another_is_done_all_or_none() {
    for (ended, damaged) in [(true, "a/x"), (true, "b/x"), (false, "a/x"), (false, "b/x")] {
        let disk = MemoryDisk::default();
        let world = dead_owner_on(&disk);
        let engine = world.engine();
        let names = ["a/x", "b/x"];
        let open = names.map(|name| world.open(&engine, name));
        let unit = engine.unit();
        for ds in &open {
            ds.string_in(&unit).insert(&sealed(7, 7, 60), Insert::Direct).unwrap();
        }
        // The trees have it, and may be all that has.
        open.iter().for_each(|ds| ds.checkpoint().unwrap());
        if ended {
            unit.commit().unwrap();
        }
        insert(&open[0], 8).unwrap();
        open[0].commit().unwrap();
        disk.kill();
        drop((unit, open));
        let kept = [0, 65_536].map(|at| (at, read_at(&world, damaged, at)));
        (kept.iter()).for_each(|(at, was)| write_at(&world, damaged, *at, &vec![0xEE; was.len()]));
        let other = names[usize::from(damaged == names[0])];
        let engine = world.engine();
        let ds = world.open(&engine, other);
        assert_eq!(has(&ds, 7), ended, "{other} beside {damaged}");
        // The record goes its own way before the other data set is back.
        insert(&ds, 9).unwrap();
        ds.close().unwrap();
        (kept.iter()).for_each(|(at, was)| write_at(&world, damaged, *at, was));
        let engine = world.engine();
        for name in names {
            let ds = world.open(&engine, name);
            assert_eq!((has(&ds, 7), has(&ds, 9)), (ended, name == other), "{name}");
            assert_eq!(has(&ds, 8), name == names[0]);
            assert_sound(&ds);
        }
    }
}

#[test]
fn a_data_set_that_was_renamed_gets_its_requests() {
    let world = dead_owner();
    move_files(&world, "b/x", "renamed");
    assert!(has(&world.open(&world.engine(), "renamed"), 1));
    assert!(has(&world.open(&world.engine(), "a/x"), 1));
}

#[test]
fn another_data_set_under_the_name_is_left_alone() {
    let world = dead_owner();
    move_files(&world, "b/x", "away");
    loaded(&world, &world.engine(), "b/x");
    assert!(has(&world.open(&world.engine(), "a/x"), 1));
    let engine = world.engine();
    assert!(!has(&world.open(&engine, "b/x"), 1));
}

#[test]
fn of_two_copies_that_need_the_log_neither_is_taken() {
    let world = dead_owner();
    copy_files((&world, "b/x"), (&world, "copy"));
    let (data, index) = world.paths("copy");
    let error = world
        .engine()
        .open(&data, &index, OpenOptions::default())
        .map(drop)
        .unwrap_err();
    assert!(error.to_string().contains("second copy"), "{error}");
    world.disk.remove(&data).unwrap();
    assert!(has(&world.open(&world.engine(), "b/x"), 1));
}

#[test]
fn what_took_the_old_name_of_a_renamed_data_set_is_no_second_copy_of_it() {
    for complete_copy in [true, false] {
        let disk = MemoryDisk::default();
        let world = dead_owner_on(&disk);
        let recovered = World::on(Arc::new(MemoryDisk::from(disk.image())), Path::new("/"));
        recovered.open(&recovered.engine(), "b/x").close().unwrap();
        move_files(&world, "b/x", "renamed");
        if complete_copy {
            copy_files((&recovered, "b/x"), (&world, "b/x"))
        } else {
            loaded(&world, &world.engine(), "b/x")
        }
        assert!(has(&world.open(&world.engine(), "renamed"), 1));
        assert!(has(&world.open(&world.engine(), "a/x"), 1));
        assert_eq!(has(&world.open(&world.engine(), "b/x"), 1), complete_copy);
    }
}

#[test]
fn an_open_meets_the_last_close_of_another_thread() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    std::thread::scope(|scope| {
        for thread in 1..4 {
            let (world, engine) = (&world, &engine);
            scope.spawn(move || {
                for n in 0..150 {
                    let ds = world.open(engine, "a");
                    insert(&ds, thread * 1000 + n).unwrap();
                    ds.close().unwrap();
                }
            });
        }
    });
    let ds = world.open(&engine, "a");
    assert_sound(&ds);
    assert_eq!(ds.statistics().0.records, 451);
}

#[test]
fn an_open_for_input_changes_nothing_though_another_is_for_output() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let output = world.open(&engine, "a");
    let input = world.open_with(&engine, "a", OpenOptions::default());
    let mut s = input.string();
    let refused = |error: RequestError| assert_eq!((error.feedback().return_code, error.feedback().reason), (8, 68));
    refused(s.get(&key(0), Search::Equal, Intent::Update).map(drop).unwrap_err());
    refused(s.insert(&sealed(5, 5, 60), Insert::Direct).unwrap_err());
    refused(s.erase().unwrap_err());
    refused(input.clone().string().update(&sealed(0, 1, 60)).unwrap_err());
    insert(&output, 5).unwrap();
    assert!(has(&input, 5));
}

/// Writes to one file fail from some moment on.
#[derive(Default)]
struct Failing {
    file: Mutex<Option<PathBuf>>,
    on: AtomicBool,
    /// Writes of roots so far.
    roots: AtomicU64,
}

impl Hook for Failing {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        if batch.iter().any(|w| w.at < 131_072) {
            self.roots.fetch_add(1, Relaxed);
        }
        if self.on.load(Relaxed) && self.file.lock().unwrap().as_ref() == Some(&file.path) {
            Err(io::Error::other("made to fail"))
        } else {
            file.file.write(batch)
        }
    }
}

fn failing_world() -> (World, Arc<Failing>) {
    let failing = Arc::new(Failing::default());
    let disk = hooked(MemoryDisk::default(), failing.clone());
    (World::on(disk, Path::new("/")), failing)
}

#[test]
fn a_data_set_whose_root_cannot_be_written_does_not_stop_the_log_of_the_others() {
    let (world, disk) = failing_world();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    *disk.file.lock().unwrap() = Some(world.paths("a").0);
    disk.on.store(true, Relaxed);
    // It cannot say where its requests will be.
    assert!(matches!(insert(&a, 1), Err(RequestError::Fenced { .. })));
    insert(&b, 1).unwrap();
    // Whoever flushes, what is of b is durable, and a says what became of it.
    b.commit().unwrap();
    assert!(matches!(a.commit(), Err(RequestError::Fenced { .. })));
    insert(&b, 2).unwrap();
    b.commit().unwrap();
    disk.on.store(false, Relaxed);
    drop((a, b, engine));
    let engine = world.engine();
    let b = world.open(&engine, "b");
    assert!(has(&b, 1) && has(&b, 2));
    assert!(has(&world.open(&engine, "a"), 0));
}

#[test]
fn a_fenced_data_set_does_not_make_the_log_start_over_again_and_again() {
    let (world, disk) = failing_world();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    world.create(&engine, "b", |data, index| {
        (data.ci_size, data.ci_per_ca, data.maximum_record) = (32_768, 10, 32_000);
        (data.primary, data.secondary, index.primary) = (8 << 20, 4 << 20, 1 << 20);
    });
    let b = world.open(&engine, "b");
    b.string().insert(&sealed(0, 0, 30_000), Insert::Sequential).unwrap();
    b.close().unwrap();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    insert(&a, 1).unwrap();
    a.commit().unwrap();
    *disk.file.lock().unwrap() = Some(world.paths("a").0);
    disk.on.store(true, Relaxed);
    insert(&a, 2).unwrap();
    a.commit().unwrap();
    assert!(a.checkpoint().is_err());
    let before = disk.roots.load(Relaxed);
    let mut s = b.string();
    // More than two lengths of the log.
    for n in 0..5000 {
        s.get(&key(0), Search::Equal, Intent::Update).unwrap();
        s.update(&sealed(0, n, 30_000)).unwrap();
    }
    let roots = disk.roots.load(Relaxed) - before;
    assert!(roots < 40, "{roots} writes of roots");
    drop(s);
    disk.on.store(false, Relaxed);
    b.commit().unwrap();
    drop((a, b, engine));
    let engine = world.engine();
    let a = world.open(&engine, "a");
    assert!(has(&a, 1) && has(&a, 2), "what the fenced one acknowledged");
    let last = unsealed(
        world
            .open(&engine, "b")
            .string()
            .get(&key(0), Search::Equal, Intent::Read)
            .unwrap()
            .bytes,
    );
    assert_eq!(last, 4999);
}

/// Bytes of the data component from `at` on.
fn read_at(world: &World, name: &str, at: u64) -> Vec<u8> {
    let bytes = bytes_of(&*world.disk, &world.paths(name).0);
    bytes[at as usize..][..65_536].to_vec()
}

fn write_at(world: &World, name: &str, at: u64, bytes: &[u8]) {
    put(&*world.disk, &world.paths(name).0, at, bytes);
}

/// The data set after a commit of each kind, its owner dead.
fn committed(kind: &str) -> World {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let ds = world.open(&engine, "a");
    insert(&ds, 1).unwrap();
    match kind {
        "checkpoint" => ds.checkpoint().unwrap(),
        "commit" => ds.commit().unwrap(),
        _ => drop(ds.clone()),
    }
    if kind == "close" {
        ds.close().unwrap();
        disk.kill();
    } else {
        disk.kill();
        drop(ds);
    }
    world
}

#[test]
fn either_copy_of_the_root_may_be_lost_after_any_commit() {
    for kind in ["checkpoint", "commit", "close"] {
        for at in [0, 65_536] {
            let world = committed(kind);
            write_at(&world, "a", at, &[0; 8192]);
            assert!(has(&world.open(&world.engine(), "a"), 1), "{kind}, copy at {at} lost");
        }
    }
}

/// Two crashes may tear two roots of one version: the second must not complete the first, whose index root is gone.
#[test]
fn a_torn_copy_of_the_root_is_written_over_when_the_data_set_opens_for_output() {
    for at in [0, 65_536] {
        let world = committed("close");
        let other = 65_536 - at;
        write_at(&world, "a", at + 512, &[0xA5; 512]);
        let kept = read_at(&world, "a", other);
        drop(world.open(&world.engine(), "a"));
        assert_eq!(read_at(&world, "a", other), kept, "the committed copy was written over");
        write_at(&world, "a", other, &[0; 8192]);
        assert!(has(&world.open(&world.engine(), "a"), 1), "copy at {at} was left torn");
    }
}

#[test]
fn a_root_in_the_place_of_the_other_copy_counts_and_is_spared_by_the_next_commit() {
    for at in [0, 65_536] {
        let world = committed("close");
        let other = 65_536 - at;
        let root = read_at(&world, "a", at);
        write_at(&world, "a", other, &root);
        write_at(&world, "a", at, &[0; 8192]);
        let engine = world.engine();
        let ds = world.open(&engine, "a");
        assert!(has(&ds, 1));
        insert(&ds, 2).unwrap();
        ds.checkpoint().unwrap();
        ds.close().unwrap();
        let ds = world.open(&engine, "a");
        assert!(has(&ds, 1) && has(&ds, 2));
        assert_sound(&ds);
    }
}

#[test]
fn a_scan_ends_with_the_fence_though_its_page_is_at_hand() {
    let (world, disk) = failing_world();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let ds = world.open(&engine, "a");
    for n in 1..8 {
        insert(&ds, n).unwrap();
    }
    let mut s = ds.string();
    for _ in 0..3 {
        s.next(Intent::Read).unwrap();
    }
    *disk.file.lock().unwrap() = Some(world.paths("a").0);
    disk.on.store(true, Relaxed);
    assert!(ds.checkpoint().is_err());
    assert!(matches!(s.next(Intent::Read), Err(RequestError::Fenced { .. })));
}
