//! WRITECHECK: what was written is read back and compared, and what differs is no commit.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Faults};
use cica_disk::{Counted, Counts, Disk, Image, LinuxDisk, MemoryDisk, Open, ReadAt, SimDisk};
use cica_engine::*;
use cica_format::root::{Root, AREA_LEN};
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn simulated(image: Image) -> (SimDisk, World) {
    let disk = SimDisk::from(image);
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    (disk, world)
}

/// A KSDS of 500 records, loaded, closed and open again.
fn loaded_with(world: &World, engine: &Engine, write_check: bool) -> DataSet {
    world.create(engine, "a", |data, index| {
        (data.write_check, index.write_check) = (write_check, write_check);
    });
    let ds = world.open(engine, "a");
    let mut s = ds.string();
    for n in 0..500 {
        s.insert(&sealed(n * 10, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    world.open(engine, "a")
}

/// The same with changes that no tree has yet, with WRITECHECK or without.
fn changed(write_check: bool) -> (SimDisk, World, Engine, DataSet) {
    let (disk, world) = simulated(Image::with_directories(["/v", "/log"]));
    let engine = world.engine();
    let ds = loaded_with(&world, &engine, write_check);
    let mut s = ds.string();
    for n in 0..500 {
        insert(&mut s, n * 10 + 5, n).unwrap();
    }
    ds.commit().unwrap();
    drop(s);
    (disk, world, engine, ds)
}

/// The faults of a device that says that all is well, at the n-th write or read back.
fn lies(nth: u64) -> [Faults; 4] {
    let none = Faults::none;
    [
        none().flip_write(nth, 8 * 700 + 3),
        none().lose_write(nth),
        none().misdirect_write(nth, 40 << 20),
        none().flip_read_back(nth, 8 * 100),
    ]
}

#[test]
fn a_commit_does_not_happen_on_a_device_that_writes_other_bytes() {
    for index in [false, true] {
        for nth in 1..=2 {
            for (lie, fault) in lies(nth).into_iter().enumerate() {
                let (disk, world, _engine, ds) = changed(true);
                let was = contents(&ds);
                let (data, of_index) = world.paths("a");
                let path = if index { of_index } else { data };
                disk.set_faults(fault.only(&path));
                let error = ds.checkpoint().unwrap_err();
                let text = error.to_string();
                let feedback = error.feedback();
                assert_eq!(
                    (feedback.return_code, feedback.reason),
                    (12, if index { 20 } else { 16 }),
                    "{lie} at {nth}: {text}"
                );
                assert!(text.contains("WRITECHECK") && text.contains("at offset"), "{text}");
                disk.set_faults(Faults::none());
                let mut s = ds.string();
                assert_eq!(codes(insert(&mut s, 9001, 1)).0, 12, "it is fenced");
                // The log has the requests, and the last commit is whole.
                let (_, again) = simulated(disk.image());
                let engine = again.engine();
                assert_eq!(contents(&again.open(&engine, "a")), was, "{lie} at {nth}");
            }
        }
    }
}

#[test]
fn without_it_nothing_is_read_back_and_the_lie_goes_unnoticed() {
    for fault in &lies(1)[..3] {
        let (disk, world, _engine, ds) = changed(false);
        disk.set_faults(fault.clone().only(world.paths("a").0));
        ds.checkpoint().unwrap();
        assert_eq!(disk.calls().of(Call::ReadBack), 0);
    }
}

#[test]
fn all_that_a_commit_wrote_is_read_back_once() {
    let (disk, _world, _engine, ds) = changed(true);
    let before = disk.calls().of(Call::ReadBack);
    assert!(before > 0);
    ds.checkpoint().unwrap();
    let after = disk.calls().of(Call::ReadBack);
    assert!(after > before);
    // Roots alone, and no CI again.
    ds.checkpoint().unwrap();
    assert!(disk.calls().of(Call::ReadBack) - after <= 4);
}

/// Both copies of a data set's root, as they are on the volume.
fn copies(disk: &SimDisk, path: &Path) -> [Root; 2] {
    let file = disk.open(path, Open::default()).unwrap();
    [0, AREA_LEN].map(|at| {
        let mut area = vec![0; AREA_LEN];
        let mut read = ReadAt {
            at: at as u64,
            buf: &mut area,
            got: 0,
        };
        file.read(std::slice::from_mut(&mut read)).unwrap();
        let root = Root::decode(&area).unwrap();
        Root { version: 0, ..root }
    })
}

#[test]
fn all_that_a_close_writes_is_compared_the_second_copy_of_its_root_too() {
    for lie in 0..2 {
        let mut refused = 0;
        for nth in 1.. {
            let (disk, world, _engine, ds) = changed(true);
            let was = contents(&ds);
            let data = world.paths("a").0;
            let none = Faults::none;
            let fault = [none().flip_write(nth, 8 * 40 + 3), none().lose_write(nth)][lie].clone();
            disk.set_faults(fault.only(&data));
            let closed = ds.close();
            disk.set_faults(Faults::none());
            let Err(error) = closed else {
                let [one, other] = copies(&disk, &data);
                assert_eq!(one, other, "{lie} at {nth}");
                break;
            };
            assert_eq!(error.feedback().reason, 16, "{lie} at {nth}: {error}");
            assert!(error.to_string().contains("WRITECHECK"), "{error}");
            refused += 1;
            let (_, again) = simulated(disk.image());
            let engine = again.engine();
            assert_eq!(contents(&again.open(&engine, "a")), was, "{lie} at {nth}");
        }
        assert!(refused >= 4, "{lie}: {refused}");
    }
}

#[test]
fn real_files_are_read_back() {
    let directory = std::env::temp_dir().join(format!("cica-write-check-{}", std::process::id()));
    for sub in ["v", "log"] {
        std::fs::create_dir_all(directory.join(sub)).unwrap();
    }
    let world = World::on(Arc::new(LinuxDisk::new()) as Arc<dyn Disk>, &directory);
    let engine = world.engine();
    let ds = loaded_with(&world, &engine, true);
    let mut s = ds.string();
    for n in 0..2000 {
        insert(&mut s, (n * 7919) % 2000 * 10 + 3, n).unwrap();
        if n % 500 == 0 {
            ds.checkpoint().unwrap();
        }
    }
    drop(s);
    assert_sound(&ds);
    ds.close().unwrap();
    drop(engine);
    std::fs::remove_dir_all(&directory).unwrap();
}

/// What a load and a close, and then a commit after changes, cost in calls and bytes.
fn costs(write_check: bool) -> [Counts; 2] {
    let disk = Counted::new(MemoryDisk::from(Image::with_directories(["/v", "/log"])));
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    let engine = world.engine();
    let begun = disk.counts();
    let ds = loaded_with(&world, &engine, write_check);
    let load = disk.counts() - begun;
    let mut s = ds.string();
    for n in 0..100 {
        insert(&mut s, n * 50 + 5, n).unwrap();
    }
    let begun = disk.counts();
    ds.checkpoint().unwrap();
    [load, disk.counts() - begun]
}

#[test]
fn it_reads_at_most_what_it_wrote_and_syncs_no_more_often_but_at_a_close() {
    let (with, without) = (costs(true), costs(false));
    // The close behind the load syncs once more, for the second copy of its root.
    for (more, (with, without)) in [1, 0].into_iter().zip(with.into_iter().zip(without)) {
        assert_eq!(
            (with.write_bytes, with.syncs),
            (without.write_bytes, without.syncs + more)
        );
        let read_back = with.read_bytes - without.read_bytes;
        // What was written has the log's bytes too, which are no data set's.
        assert!(
            read_back > 50_000 && read_back <= with.write_bytes,
            "{read_back} of {with:?}"
        );
    }
}
