//! A child after `fork`: nothing of its parent's engine answers there, nothing is written, and an engine of its own
//! works (F1, F2).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, LinuxDisk};
use cica_engine::*;
use common::World;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs `what` in a child that ends then; true if it says so.
fn in_a_child(what: impl FnOnce() -> bool) -> bool {
    let mut status = 0;
    // SAFETY: the child does `what` and ends.
    unsafe {
        let pid = libc::fork();
        assert!(pid >= 0);
        if pid == 0 {
            // One that waits for what nobody does there ends all the same.
            libc::alarm(120);
            let good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(what)).unwrap_or(false);
            libc::_exit(i32::from(!good));
        }
        assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
    }
    status == 0
}

fn record(n: u32) -> Vec<u8> {
    format!("{n:08} a record of this number").into_bytes()
}

/// All bytes of all files below.
fn files(root: &std::path::Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for dir in ["v", "log"] {
        for entry in std::fs::read_dir(root.join(dir)).unwrap() {
            let path = entry.unwrap().path();
            all.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[test]
fn a_child_can_neither_use_nor_harm_what_its_parent_has_open() {
    let root = std::env::temp_dir().join(format!("cica-engine-fork-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir(&root).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
    let world = World::on(disk, &root);
    let engine = world.engine();
    for name in ["a", "b"] {
        world.create(&engine, name, |_, _| ());
    }
    let ((data, index), other) = (world.paths("a"), world.paths("b"));
    let output = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let set = engine.open(&data, &index, output).unwrap();
    set.string().insert(&record(1), Insert::Sequential).unwrap();
    set.close().unwrap();
    let set = engine.open(&data, &index, output).unwrap();
    let unit = engine.unit();
    set.string_in(&unit).insert(&record(2), Insert::Direct).unwrap();
    set.string().insert(&record(3), Insert::Direct).unwrap();
    set.commit().unwrap();
    let before = files(&root);
    let refused = |done: Result<(), RequestError>| {
        done.is_err_and(|error| {
            (error.feedback().return_code, error.feedback().reason) == (12, 16)
                && error.to_string().contains("the parent process opened it")
        })
    };
    let good = in_a_child(|| {
        let mut string = set.string();
        let told = refused(string.get(b"00000001", Search::Equal, Intent::Read).map(drop))
            && refused(string.next(Intent::Read).map(drop))
            && refused(string.insert(&record(9), Insert::Direct).map(drop))
            && refused(set.string_in(&unit).insert(&record(9), Insert::Direct).map(drop))
            && refused(set.commit())
            && refused(set.checkpoint())
            && refused(unit.commit())
            && refused(unit.backout())
            && refused(set.clone().close().map(drop))
            && engine
                .open(&other.0, &other.1, output)
                .is_err_and(|error| error.acberflg() == 184);
        drop(string);
        drop(set.clone());
        drop(unit.clone());
        told
    });
    assert!(good);
    // The destructors of the last handles, as a program runs them that returns from `main`.
    let mut all = Some((set, unit, engine));
    assert!(in_a_child(|| {
        drop(all.take());
        true
    }));
    assert!(before == files(&root), "a child wrote");
    let (set, unit, engine) = all.unwrap();
    assert!(in_a_child(|| {
        let own = world.engine();
        let busy = own
            .open(&data, &index, output)
            .is_err_and(|error| error.acberflg() == 168);
        let set = own.open(&other.0, &other.1, output).unwrap();
        set.string().insert(&record(5), Insert::Sequential).unwrap();
        set.close().unwrap();
        busy
    }));
    // The parent goes on as if nothing had been.
    set.string().insert(&record(4), Insert::Direct).unwrap();
    unit.commit().unwrap();
    set.close().unwrap();
    for (name, records) in [("a", 1..5), ("b", 5..6)] {
        let (data, index) = world.paths(name);
        let set = engine.open(&data, &index, OpenOptions::default()).unwrap();
        let mut string = set.string();
        for n in records {
            assert_eq!(string.next(Intent::Read).unwrap().bytes, record(n));
        }
        assert!(string.next(Intent::Read).is_err());
    }
    std::fs::remove_dir_all(&root).unwrap();
}
