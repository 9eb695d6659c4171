//! Roots of different moments beside each other: copies that a power cut keeps apart, files brought together from two
//! histories, a read that went to the wrong place. The newest committed state is found, or the open is refused.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Event, Survival};
use cica_disk::{Disk, Image, MemoryDisk, Open, ReadAt, SimDisk, WriteAt};
use cica_engine::*;
use common::bytes::bytes_of;
use common::hooked::{hooked, Hook, Hooked};
use common::keyed::count;
use common::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicIsize, Ordering::*};
use std::sync::Arc;

fn world_on(disk: impl Disk + 'static) -> World {
    World::on(Arc::new(disk), Path::new("/"))
}

fn add(world: &World, n: u64) {
    let ds = world.open(&world.engine(), "a");
    let how = if n == 0 { Insert::Sequential } else { Insert::Direct };
    ds.string().insert(&sealed(n, n, 60), how).unwrap();
    ds.close().unwrap();
}

fn with_records(world: &World, n: u64) {
    world.create(&world.engine(), "a", |_, _| {});
    (0..n).for_each(|n| add(world, n));
}

/// Each way in which a cut may leave what is not durable: nothing, all, each alone, all but each, each torn.
fn left_by_cut(disk: &SimDisk, events: usize) -> Vec<Image> {
    let trace = disk.trace();
    let point = trace.crash_after(events);
    let pending = point.pending().len();
    assert!(pending < 30, "{pending}");
    let all = (1_u64 << pending) - 1;
    let some = (0..pending).flat_map(|n| [1 << n, all & !(1 << n)]);
    let mut images: Vec<Image> = [0, all]
        .into_iter()
        .chain(some)
        .map(|bits| point.image_of(bits))
        .collect();
    for torn in 0..pending {
        for others in [Survival::Lost, Survival::Whole] {
            images.push(point.image(|n, event: &Event| {
                if n == torn && event.sectors() > 1 {
                    Survival::First(1)
                } else {
                    others
                }
            }));
        }
    }
    images
}

#[test]
fn a_power_cut_in_alter_leaves_the_records_of_the_last_close() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = world_on(disk.clone());
    with_records(&world, 3);
    let begun = disk.events();
    let (data, index) = world.paths("a");
    let change = |data: &mut cica_format::attributes::Attributes, _: &mut _| data.free_ci = 30;
    world.engine().alter(&data, &index, change).unwrap();
    let mut images = 0;
    for events in begun..=disk.events() {
        for image in left_by_cut(&disk, events) {
            let world = world_on(MemoryDisk::from(image));
            assert_eq!(count(&world, "a"), 3, "cut after event {events}");
            images += 1;
        }
    }
    assert!(images > 20, "{images}");
}

/// The name of the log is so long that it lies in two sectors of the root: a torn one is none.
#[test]
fn a_power_cut_while_a_root_names_its_log_leaves_the_records_of_the_last_close() {
    let root = PathBuf::from(format!("/{}", "D".repeat(230)));
    let disk = SimDisk::from(Image::with_directories([
        root.clone(),
        root.join("v"),
        root.join("log"),
    ]));
    let world_on = |disk: Arc<dyn Disk>| World::on(disk, &root);
    let world = world_on(Arc::new(disk.clone()));
    with_records(&world, 3);
    let ds = world.open(&world.engine(), "a");
    let begun = disk.events();
    ds.string().insert(&sealed(3, 3, 60), Insert::Direct).unwrap();
    ds.commit().unwrap();
    let answered = disk.events();
    std::mem::forget(ds);
    let mut images = 0;
    for events in begun..=answered {
        for image in left_by_cut(&disk, events) {
            let there = count(&world_on(Arc::new(MemoryDisk::from(image))), "a");
            let promised = if events == answered { 4..=4 } else { 3..=4 };
            assert!(
                promised.contains(&there),
                "{there} records, cut after event {events} of {answered}"
            );
            images += 1;
        }
    }
    assert!(images > 20, "{images}");
}

#[test]
fn the_commit_after_a_root_went_to_the_wrong_copy_spares_it() {
    for at in [0, 65_536] {
        let made = MemoryDisk::default();
        with_records(&world_on(made.clone()), 3);
        let path = world_on(made.clone()).paths("a").0;
        let root = bytes_of(&made, &path)[at..at + 65_536].to_vec();
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = made.open(&path, how).unwrap();
        for (place, bytes) in [(65_536 - at, &root[..]), (at, &[0; 65_536][..])] {
            let at = place as u64;
            file.write(&[WriteAt { at, buf: bytes }]).unwrap();
        }
        drop(file);
        let disk = SimDisk::from(made.image());
        let world = world_on(disk.clone());
        let ds = world.open(&world.engine(), "a");
        ds.string().insert(&sealed(3, 3, 60), Insert::Direct).unwrap();
        ds.checkpoint().unwrap();
        std::mem::forget(ds);
        for events in 0..=disk.events() {
            for image in left_by_cut(&disk, events) {
                let there = count(&world_on(MemoryDisk::from(image)), "a");
                assert!(
                    (3..=4).contains(&there),
                    "{there} records, copy at {at}, event {events}"
                );
            }
        }
    }
}

#[test]
fn an_index_root_of_the_same_version_from_another_history_is_refused() {
    let first = MemoryDisk::default();
    with_records(&world_on(first.clone()), 2);
    let second = MemoryDisk::from(first.image());
    let (one, other) = (world_on(first), world_on(second));
    // Both change the index once; each by another record.
    (1..20).for_each(|n| add(&one, 10 * n));
    (1..20).for_each(|n| add(&other, 5000 * n));
    let (data, index) = one.paths("a");
    let version = |world: &World| world.engine().peek(&data).unwrap().index_root;
    assert_eq!(version(&one).version, version(&other).version);
    assert_ne!(version(&one).checksum, version(&other).checksum);
    let how = Open {
        write: true,
        ..Open::default()
    };
    let file = one.disk.open(&index, how).unwrap();
    let foreign = bytes_of(&*other.disk, &index);
    file.write(&[WriteAt { at: 0, buf: &foreign }]).unwrap();
    let opened = one.engine().open(&data, &index, OpenOptions::default());
    let refused = opened.map(drop).unwrap_err().to_string();
    assert!(refused.contains("not of the same moment"), "{refused}");
}

/// Answers one read of the root's copy at `at`, of those that come, with the other copy.
struct Astray {
    path: PathBuf,
    at: u64,
    /// How many come before.
    before: AtomicIsize,
}

impl Hook for Astray {
    fn read(&self, file: &Hooked, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        for read in batch
            .iter_mut()
            .filter(|read| file.path == self.path && read.at == self.at)
        {
            if self.before.fetch_sub(1, Relaxed) == 0 {
                read.at = 65_536 - self.at;
            }
        }
        file.file.read(batch)
    }
}

#[test]
fn one_read_of_the_root_from_the_wrong_place_does_not_make_an_older_state_the_newest() {
    for at in [0, 65_536] {
        let disk = MemoryDisk::default();
        with_records(&world_on(disk.clone()), 3);
        let path = world_on(disk.clone()).paths("a").0;
        // As a crash leaves it: one copy is of the commit before.
        let newest = bytes_of(&disk, &path)[..131_072].to_vec();
        add(&world_on(disk.clone()), 3);
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = disk.open(&path, how).unwrap();
        let older = 65_536 - at as usize;
        let buf = &newest[older..older + 65_536];
        file.write(&[WriteAt { at: older as u64, buf }]).unwrap();
        drop(file);
        let mut nth = 0;
        loop {
            let astray = Arc::new(Astray {
                path: path.clone(),
                at,
                before: AtomicIsize::new(nth),
            });
            let world = World::on(hooked(MemoryDisk::from(disk.image()), astray.clone()), Path::new("/"));
            assert_eq!(count(&world, "a"), 4, "copy at {at}, read {nth}");
            if astray.before.load(Relaxed) >= 0 {
                break;
            }
            nth += 1;
        }
        assert!(nth > 1, "{nth} reads");
    }
}

/// The requests before the checkpoint are in the log no more, so an older root would miss them.
#[test]
fn after_a_log_started_over_either_root_is_enough() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = world_on(disk.clone());
    with_records(&world, 3);
    let ds = world.open(&world.engine(), "a");
    ds.string().insert(&sealed(3, 3, 60), Insert::Direct).unwrap();
    ds.commit().unwrap();
    ds.checkpoint().unwrap();
    ds.string().insert(&sealed(4, 4, 60), Insert::Direct).unwrap();
    ds.commit().unwrap();
    std::mem::forget(ds);
    for at in [0, 65_536] {
        let left = MemoryDisk::from(disk.trace().crash_after(disk.events()).image_of(0));
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = left.open(&world.paths("a").0, how).unwrap();
        let buf = &[0; 65_536][..];
        file.write(&[WriteAt { at, buf }]).unwrap();
        drop(file);
        assert_eq!(count(&world_on(left), "a"), 5, "without the copy at {at}");
    }
}
