//! Copies of one moment open anywhere to all that was acknowledged; what was put together from several is refused.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Create, Disk, MemoryDisk, Open};
use cica_engine::*;
use cica_format::log::{LogFileHeader, BLOCK_LEN};
use common::bytes::{bytes_of, put};
use common::keyed::{contents, count, insert, loaded};
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const HERE: &str = "/here";

fn directory(disk: &dyn Disk, path: &Path) {
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(path, how).unwrap();
}

fn world(disk: &MemoryDisk) -> World {
    directory(disk, Path::new(HERE));
    World::on(Arc::new(disk.clone()), Path::new(HERE))
}

/// What a snapshot has: all files, as they are now, elsewhere on the same disk.
fn snapshot(disk: &MemoryDisk, to: &str) -> World {
    directory(disk, Path::new(to));
    let copy = World::on(Arc::new(disk.clone()), Path::new(to));
    for part in ["v", "log"] {
        copy_all(disk, &Path::new(HERE).join(part), &Path::new(to).join(part));
    }
    copy
}

fn copy_all(disk: &MemoryDisk, from: &Path, to: &Path) {
    for (name, _) in disk.list(from).unwrap() {
        copy_file(disk, &from.join(&name), &to.join(&name));
    }
}

/// Puts a file in the place of another.
fn copy_file(disk: &MemoryDisk, from: &Path, to: &Path) {
    let _ = disk.remove(to);
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    drop(disk.open(to, how).unwrap());
    put(disk, to, 0, &bytes_of(disk, from));
}

fn put_in(ds: &DataSet, n: u64) {
    insert(&mut ds.string(), n, 1).unwrap();
    ds.commit().unwrap();
}

fn refusal(world: &World, name: &str) -> String {
    let (data, index) = world.paths(name);
    match world.engine().open(&data, &index, OpenOptions::default()) {
        Ok(_) => panic!("{name} opened"),
        Err(error) => error.to_string(),
    }
}

/// What became of the original behind the snapshot.
#[derive(Clone, Copy, Debug)]
enum Original {
    Open,
    Closed,
    Recovered,
    Gone,
}

#[test]
fn a_snapshot_opens_elsewhere_to_all_that_was_acknowledged() {
    for original in [Original::Open, Original::Closed, Original::Recovered, Original::Gone] {
        let disk = MemoryDisk::default();
        let here = world(&disk);
        for name in ["a", "b"] {
            loaded(&here, &here.engine(), name, 10);
        }
        let engine = here.engine();
        let (a, b) = (here.open(&engine, "a"), here.open(&engine, "b"));
        (0..5).for_each(|n| put_in(&a, 2 * n + 1));
        put_in(&b, 5);
        let copy = snapshot(&disk, "/elsewhere");
        put_in(&a, 21);
        match original {
            Original::Open => {}
            Original::Closed => [a.clone(), b.clone()]
                .map(|ds| ds.close().map(drop).unwrap())
                .into_iter()
                .collect(),
            Original::Recovered | Original::Gone => {}
        }
        if !matches!(original, Original::Open) {
            drop((a, b, engine));
        }
        match original {
            Original::Recovered => drop(["a", "b"].map(|name| here.open(&here.engine(), name).close().unwrap())),
            Original::Gone => {
                for part in ["v", "log"] {
                    let part = Path::new(HERE).join(part);
                    for (name, _) in disk.list(&part).unwrap() {
                        disk.remove(&part.join(name)).unwrap();
                    }
                }
            }
            _ => {}
        }
        let engine = copy.engine();
        let a = copy.open(&engine, "a");
        assert_eq!(contents(&a).len(), 15, "{original:?}");
        // It has a life of its own: the log that was left is used again, and nothing of the original is touched.
        put_in(&a, 31);
        a.close().unwrap();
        assert_eq!(count(&copy, "b"), 11, "{original:?}");
        assert_eq!(count(&copy, "a"), 16, "{original:?}");
        let logs = disk.list(Path::new("/elsewhere/log")).unwrap();
        let is_log = |(name, _): &&(PathBuf, u64)| name.to_string_lossy().starts_with("log-");
        assert_eq!(logs.iter().filter(is_log).count(), 1, "{original:?}");
    }
}

#[test]
fn a_catalog_that_was_moved_after_its_owner_died_is_recovered_there() {
    let disk = MemoryDisk::default();
    let here = world(&disk);
    for name in ["a", "b"] {
        loaded(&here, &here.engine(), name, 10);
    }
    let engine = here.engine();
    let (a, b) = (here.open(&engine, "a"), here.open(&engine, "b"));
    put_in(&a, 1);
    put_in(&b, 1);
    disk.kill();
    drop((a, b, engine));
    let copy = snapshot(&disk, "/moved");
    for part in ["v", "log"] {
        let part = Path::new(HERE).join(part);
        for (name, _) in disk.list(&part).unwrap() {
            disk.remove(&part.join(name)).unwrap();
        }
    }
    assert_eq!((count(&copy, "a"), count(&copy, "b")), (11, 11));
    let header = LogFileHeader::decode(&bytes_of(&disk, Path::new("/moved/log/log-0001"))[..BLOCK_LEN]).unwrap();
    assert_eq!(header.log, 0, "one recovery did both, wherever the log said they were");
}

/// A disk with a data set whose owner has acknowledged eleven records, of which the log alone has one; and one with
/// what the log was at that moment, and is after the owner closed and others used it.
fn open_then_closed() -> (MemoryDisk, World, World) {
    let disk = MemoryDisk::default();
    let here = world(&disk);
    loaded(&here, &here.engine(), "a", 10);
    let engine = here.engine();
    let a = here.open(&engine, "a");
    put_in(&a, 1);
    let open = snapshot(&disk, "/open");
    put_in(&a, 3);
    a.close().unwrap();
    let closed = snapshot(&disk, "/closed");
    (disk, open, closed)
}

#[test]
fn files_that_were_copied_before_the_log_are_refused() {
    let (disk, open, _) = open_then_closed();
    // The log as of later, when it had been given back, and used again.
    let log = Path::new("/open/log/log-0001");
    for again in [false, true] {
        if again {
            let here = world(&disk);
            put_in(&here.open(&here.engine(), "a"), 5);
            disk.kill();
        }
        copy_file(&disk, &Path::new(HERE).join("log/log-0001"), log);
        let words = refusal(&open, "a");
        assert!(words.contains("the log has gone on without it"), "{words}");
        assert!(words.contains("atomic snapshot"), "{words}");
    }
    // No log at all.
    disk.remove(log).unwrap();
    let words = refusal(&open, "a");
    assert!(words.contains("it is not in /open/log"), "{words}");
}

#[test]
fn a_log_that_was_copied_before_the_files_is_refused_or_not_needed() {
    let (disk, open, closed) = open_then_closed();
    // The log of when it was open, the files of when it was closed: they need none.
    copy_file(
        &disk,
        Path::new("/open/log/log-0001"),
        Path::new("/closed/log/log-0001"),
    );
    assert_eq!(count(&closed, "a"), 12);
    // Files that have a log of a later life, and the log of the life before.
    let here = world(&disk);
    put_in(&here.open(&here.engine(), "a"), 5);
    disk.kill();
    for name in ["a.data", "a.index"] {
        copy_file(
            &disk,
            &Path::new(HERE).join("v").join(name),
            &Path::new("/open/v").join(name),
        );
    }
    let words = refusal(&open, "a");
    assert!(words.contains("it is not in /open/log"), "{words}");
}

/// The log of the same open and the same epoch, but from before the last checkpoint: what came behind that is in the
/// later log alone.
#[test]
fn a_log_from_before_the_last_checkpoint_is_refused() {
    let disk = MemoryDisk::default();
    let here = world(&disk);
    for name in ["a", "b"] {
        loaded(&here, &here.engine(), name, 10);
    }
    let engine = here.engine();
    let (a, b) = (here.open(&engine, "a"), here.open(&engine, "b"));
    put_in(&a, 1);
    put_in(&b, 1);
    let before = snapshot(&disk, "/before");
    put_in(&a, 3);
    // The log stays named: the other data set needs it.
    a.checkpoint().unwrap();
    put_in(&a, 5);
    disk.kill();
    drop((a, b, engine));
    let copy = snapshot(&disk, "/copy");
    copy_all(&disk, &before.root.join("log"), &copy.root.join("log"));
    let words = refusal(&copy, "a");
    assert!(words.contains("it is older than the data set"), "{words}");
    assert_eq!(count(&here, "a"), 13);
}

#[test]
fn a_data_set_from_before_the_log_keeps_the_others_from_recovering() {
    let disk = MemoryDisk::default();
    let here = world(&disk);
    for name in ["a", "b"] {
        loaded(&here, &here.engine(), name, 10);
    }
    let before = snapshot(&disk, "/before");
    let engine = here.engine();
    let (a, b) = (here.open(&engine, "a"), here.open(&engine, "b"));
    let unit = engine.unit();
    insert(&mut a.string_in(&unit), 1, 1).unwrap();
    insert(&mut b.string_in(&unit), 1, 1).unwrap();
    unit.commit().unwrap();
    disk.kill();
    drop((a, b, unit, engine));
    let copy = snapshot(&disk, "/copy");
    for name in ["b.data", "b.index"] {
        let from = before.paths("b").0.with_file_name(name);
        copy_file(&disk, &from, &copy.paths("b").0.with_file_name(name));
    }
    let words = refusal(&copy, "a");
    assert!(words.contains("it has requests of T.B"), "{words}");
    assert!(
        words.contains("/copy/v/b.data") && words.contains("is from before them"),
        "{words}"
    );
    // What the words say helps: without the older file the other is what it was.
    let aside: Vec<(PathBuf, Vec<u8>)> = [copy.paths("b").0, copy.paths("b").1]
        .into_iter()
        .map(|path| (path.clone(), bytes_of(&disk, &path)))
        .collect();
    aside.iter().for_each(|(path, _)| disk.remove(path).unwrap());
    assert_eq!(count(&copy, "a"), 11);
}

/// A volume that lies elsewhere was not copied: a copy of the catalog alone must not recover the original's data sets.
#[test]
fn a_copied_log_is_not_done_to_files_that_stayed_where_they_were() {
    let disk = MemoryDisk::default();
    let here = world(&disk);
    loaded(&here, &here.engine(), "a", 10);
    let engine = here.engine();
    let a = here.open(&engine, "a");
    put_in(&a, 1);
    directory(&disk, Path::new("/copy"));
    directory(&disk, Path::new("/copy/log"));
    copy_all(&disk, Path::new("/here/log"), Path::new("/copy/log"));
    put_in(&a, 3);
    disk.kill();
    drop((a, engine));
    let clock = cica_disk::ManualClock::new(1_700_000_000_000_000_000, 1000);
    let env = Env {
        disk: Arc::new(disk.clone()),
        clock: Arc::new(clock),
        log_dir: "/copy/log".into(),
        pool_bytes: Some(8 << 20),
        io: Default::default(),
        background: false,
    };
    let (data, index) = here.paths("a");
    let error = Engine::new(env)
        .unwrap()
        .open(&data, &index, OpenOptions::default())
        .err()
        .unwrap();
    assert!(error.to_string().contains("belongs to the original"), "{error}");
    assert_eq!(count(&here, "a"), 12);
}

/// Which of the two files is astray only people can tell.
#[test]
fn of_two_components_that_do_not_belong_together_both_are_named() {
    let world = World::memory();
    let engine = world.engine();
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 10);
    }
    let ((data, index), (foreign, _)) = (world.paths("a"), world.paths("b"));
    let bytes = bytes_of(&*world.disk, &foreign);
    put(&*world.disk, &data, 0, &bytes);
    let told = match engine.open(&data, &index, OpenOptions::default()) {
        Ok(_) => panic!("they are of two data sets"),
        Err(error) => error.to_string(),
    };
    for words in [
        format!("{}: it is a component of T.A, ", index.display()),
        format!("the data component {} is one of T.B", data.display()),
    ] {
        assert!(told.contains(&words), "{words}: {told}");
    }
}
