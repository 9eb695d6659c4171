//! A child after `fork`: nothing of its parent's engine answers there, nothing is written, and an engine of its own
//! works (F1, F2).
#![allow(clippy::unwrap_used)]

mod common;

use cica_counters::ProcessIdentity;
use cica_disk::{Disk, LinuxDisk};
use cica_engine::*;
use common::{key, World};
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

#[test]
fn a_child_leaves_its_parents_buffers_alone() {
    let root = std::env::temp_dir().join(format!("cica-engine-fork-buffers-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir(&root).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
    let world = World::on(disk, &root);
    let engine = world.engine();
    engine.show_counts(root.join("stat"), ProcessIdentity::default());
    let sizes = PoolBuffers::default().data(512, 3).index(512, 40);
    let pool = engine.build_pool(1, &sizes).unwrap();
    let mut sets = Vec::new();
    for (name, pool) in [("a", None), ("b", Some(1))] {
        world.create(&engine, name, |_, _| ());
        let set = world.open(&engine, name);
        let mut string = set.string();
        for n in 1..=100 {
            string.insert(&record(n), Insert::Sequential).unwrap();
        }
        drop(string);
        set.close().unwrap();
        let buffers = Buffering {
            data: Some(2),
            index: Some(2),
            deferred: true,
            pool,
            ..Buffering::default()
        };
        let set = world.open_with(&engine, name, OpenOptions::output().buffered(buffers));
        let mut string = set.string();
        string.get(&key(1), Search::Equal, Intent::Update).unwrap();
        string.update(&record(1)).unwrap();
        set.commit().unwrap();
        string.get(&key(2), Search::Equal, Intent::Update).unwrap();
        string.update(&record(2)).unwrap();
        string.get(&key(2), Search::Equal, Intent::Update).unwrap();
        sets.push((set, string));
    }
    let (before, counted) = (files(&root), pool.counts());
    let seen = || {
        engine
            .counted_by_all()
            .seen
            .processes
            .iter()
            .map(|p| p.lsr.clone())
            .collect::<Vec<_>>()
    };
    let shown = format!("{:?}", seen());
    let refused = |done: Result<(), RequestError>| {
        done.is_err_and(|error| error.to_string().contains("the parent process opened it"))
    };
    let mut all = Some((sets, engine.clone()));
    assert!(in_a_child(|| {
        let (mut sets, engine) = all.take().unwrap();
        let told = sets.iter_mut().all(|(set, string)| {
            refused(string.update(&record(2)).map(drop))
                && refused(string.erase())
                && refused(string.get(&key(90), Search::Equal, Intent::Read).map(drop))
                && refused(string.get(&key(90), Search::Equal, Intent::Update).map(drop))
                && refused(string.next(Intent::Read).map(drop))
                && refused(string.point(&key(90), Search::Equal))
                && refused(string.insert(&record(900), Insert::Direct).map(drop))
                && refused(string.rewrite(&key(2), &record(2)).map(drop))
                && refused(set.string().get(&key(90), Search::Equal, Intent::Read).map(drop))
                && refused(set.write_buffers().map(drop))
        });
        sets.iter_mut().for_each(|(_, string)| string.end());
        let pools = engine
            .build_pool(2, &sizes)
            .is_err_and(|error| error.to_string().contains("the parent process"))
            && engine
                .delete_pool(1)
                .is_err_and(|error| error.to_string().contains("the parent process"))
            && refused(pool.write_buffers(WriteBuffers::All).map(drop));
        drop(sets);
        drop(engine);
        told && pools
    }));
    assert!(before == files(&root), "a child wrote");
    assert_eq!(pool.counts(), counted, "what others see of the pool is the parent's");
    assert_eq!(format!("{:?}", seen()), shown);
    // The parent's are as they were.
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 1);
    let (sets, engine) = all.unwrap();
    for (set, string) in sets {
        drop(string);
        assert!(set.close().unwrap().closed);
    }
    engine.delete_pool(1).unwrap();
    std::fs::remove_dir_all(&root).unwrap();
}
