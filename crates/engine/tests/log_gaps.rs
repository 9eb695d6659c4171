//! Damage in the middle of a dead owner's log is told, and nothing is done; at its end nobody can know of it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Image, MemoryDisk, SimDisk};
use cica_engine::*;
use cica_format::log::{read_group, records, LogFileHeader, LogRecord, BLOCK_LEN};
use common::bytes::{bytes_of, put};
use common::keyed::*;
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LOG: &str = "/log/log-0001";
const TAIL: &str = "/log/tail-0001";

fn world_on(disk: &SimDisk) -> World {
    World::on(Arc::new(disk.clone()), Path::new("/"))
}

/// What a process leaves that dies after `work`, with two data sets of ten records.
fn dead(work: impl FnOnce(&Engine, &DataSet, &DataSet)) -> Image {
    dead_after(|engine, a, b| {
        work(engine, &a, &b);
        [a, b].to_vec()
    })
}

/// The same; it has those open that it gives back.
fn dead_after(work: impl FnOnce(&Engine, DataSet, DataSet) -> Vec<DataSet>) -> Image {
    let disk = SimDisk::new();
    let world = world_on(&disk);
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, 10);
    }
    let engine = world.engine();
    // So that a checkpoint is worth starting it over.
    engine.start_log_over_after(128 << 10);
    let open = work(&engine, world.open(&engine, "a"), world.open(&engine, "b"));
    disk.kill();
    drop((open, engine));
    disk.image()
}

/// Inserts a record, which is then in a group of its own.
fn put_in(ds: &DataSet, n: u64) {
    insert(&mut ds.string(), n, 1).unwrap();
    ds.commit().unwrap();
}

/// The same disk with a byte of the group changed that stands in block `block`.
fn damaged(left: &Image, blocks: &[u64]) -> World {
    let disk = MemoryDisk::from(left.clone());
    for block in blocks {
        put(&disk, Path::new(LOG), block * BLOCK_LEN as u64 + 70, b"?");
    }
    World::on(Arc::new(disk), Path::new("/"))
}

fn refused(world: &World, name: &str) -> OpenError {
    let (data, index) = world.paths(name);
    match world.engine().open(&data, &index, OpenOptions::default()) {
        Ok(_) => panic!("{name} opened"),
        Err(error) => error,
    }
}

fn all_files(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    let files = ["a", "b"].map(|name| world.paths(name));
    let files = files.into_iter().flat_map(|(data, index)| [data, index]);
    let files = files.chain([PathBuf::from(LOG)]);
    files
        .map(|path| (path.clone(), bytes_of(&*world.disk, &path)))
        .collect()
}

#[test]
fn a_group_that_is_damaged_is_told_of_if_one_stands_behind_it() {
    let left = dead(|_, a, b| {
        (1..6).for_each(|n| put_in(a, n));
        put_in(b, 6);
    });
    // Behind the file's header and what introduces the data set.
    for block in 3..7 {
        let world = damaged(&left, &[block]);
        let before = all_files(&world);
        for name in ["a", "b", "a"] {
            let error = refused(&world, name);
            // Each group is two requests: whose it is, and the insert.
            let words = format!(
                "{LOG}: its bytes {} to {} are damaged, and with them requests {} to {}, which were written before \
                 others that are there. Restore the data set from a copy, or take what is left of it with cica salvage \
                 [OPEN 184]",
                block * 4096,
                block * 4096 + 4095,
                2 * block - 3,
                2 * block - 2
            );
            assert_eq!(error.to_string(), words);
            assert_eq!(error.acberflg(), 184);
        }
        assert_eq!(all_files(&world), before, "something was changed");
        // Nor is its file given to anybody else.
        loaded(&world, &world.engine(), "c", 10);
        put_in(&world.open(&world.engine(), "c"), 5);
        assert_eq!(bytes_of(&*world.disk, Path::new(LOG)), before[4].1);
        // Mended, it is as if nothing had been.
        let mended = bytes_of(&MemoryDisk::from(left.clone()), Path::new(LOG));
        put(&*world.disk, Path::new(LOG), 0, &mended);
        assert_eq!(count(&world, "a"), 15);
        assert_eq!(count(&world, "b"), 11);
    }
    // The tail has the last one still.
    let world = damaged(&left, &[8]);
    assert_eq!((count(&world, "a"), count(&world, "b")), (15, 11));
    // Without that it may never have been acknowledged.
    let world = damaged(&left, &[8]);
    world.disk.remove(Path::new(TAIL)).unwrap();
    assert_eq!((count(&world, "a"), count(&world, "b")), (15, 10));
    // What introduces has no requests: whose these are each group says anew.
    for blocks in [&[1][..], &[7], &[1, 7]] {
        let world = damaged(&left, blocks);
        assert_eq!((count(&world, "a"), count(&world, "b")), (15, 11), "{blocks:?}");
    }
}

/// The trees have all that stands behind it, and the requests in it were another data set's: who that was nobody knows.
#[test]
fn a_group_between_others_is_missed_whatever_the_trees_have() {
    let left = dead(|_, a, b| {
        put_in(a, 1);
        put_in(b, 2);
        put_in(a, 3);
        a.checkpoint().unwrap();
    });
    // Behind the header, what introduces the one, its first insert, and what introduces the other.
    let world = damaged(&left, &[4]);
    for name in ["a", "b"] {
        let words = refused(&world, name).to_string();
        assert!(words.contains("its bytes 16384 to 20479 are damaged"), "{words}");
    }
    let whole = damaged(&left, &[]);
    assert_eq!((count(&whole, "a"), count(&whole, "b")), (12, 11));
}

#[test]
fn the_first_group_is_missed_if_a_tree_lacks_what_stands_behind_it() {
    let left = dead(|_, a, b| {
        put_in(a, 1);
        put_in(b, 2);
        put_in(b, 3);
    });
    let world = damaged(&left, &[2]);
    for name in ["a", "b"] {
        let words = refused(&world, name).to_string();
        let place = "its bytes 8192 to 12287 are damaged, and with them requests 1 to 2";
        assert!(words.contains(place), "{words}");
    }
    let world = damaged(&left, &[1, 2]);
    for name in ["a", "b"] {
        let words = refused(&world, name).to_string();
        let place = "its bytes 4096 to 12287 are damaged, and with them requests before request 3";
        assert!(words.contains(place), "{words}");
    }
    // Nothing is known of the first ones when what is behind is damaged too.
    let world = damaged(&left, &[1, 2, 4]);
    assert!(refused(&world, "a").to_string().contains("before request 3"));
    // And when all is, the roots say that there was something.
    let world = damaged(&left, &[1, 2, 3, 4, 5]);
    for name in ["a", "b"] {
        let words = refused(&world, name).to_string();
        assert!(words.contains("does not say anything of a data set"), "{words}");
    }
}

/// A log that started over, whose owner died while it wrote the first group anew: what stands behind that is of before.
#[test]
fn what_an_ended_epoch_left_is_no_damage() {
    let left = dead_after(|_, a, b| {
        (1..6).for_each(|n| put_in(&a, n));
        put_in(&b, 6);
        // The log starts over where one data set alone logs.
        b.close().unwrap();
        a.checkpoint().unwrap();
        put_in(&a, 7);
        vec![a]
    });
    let world = damaged(&left, &[]);
    let log = bytes_of(&*world.disk, Path::new(LOG));
    let epochs: Vec<u32> = log[BLOCK_LEN..]
        .chunks(BLOCK_LEN)
        .filter_map(|block| read_group(block).ok())
        .map(|(header, _)| header.epoch)
        .collect();
    let (new, old) = epochs.split_at(2);
    assert!(
        new == [2, 2] && old.len() > 5 && old.iter().all(|epoch| *epoch == 1),
        "{epochs:?}"
    );
    assert_eq!((count(&world, "a"), count(&world, "b")), (16, 11));
    for blocks in [&[2][..], &[2, 4], &[2, 3, 4, 5, 6]] {
        // The tail has the only group of the new epoch.
        let world = damaged(&left, blocks);
        assert_eq!((count(&world, "a"), count(&world, "b")), (16, 11), "{blocks:?}");
        let world = damaged(&left, blocks);
        world.disk.remove(Path::new(TAIL)).unwrap();
        assert_eq!((count(&world, "a"), count(&world, "b")), (15, 11), "{blocks:?}");
        let header = LogFileHeader::decode(&bytes_of(&*world.disk, Path::new(LOG))[..BLOCK_LEN]).unwrap();
        assert_eq!(header.log, 0, "the log was not given back");
    }
}

/// Each group says whose its requests are, and a unit's parts are looked at too.
#[test]
fn units_behind_a_damaged_beginning_are_missed() {
    let left = dead(|engine, a, b| {
        put_in(a, 1);
        let unit = engine.unit();
        insert(&mut a.string_in(&unit), 2, 1).unwrap();
        insert(&mut b.string_in(&unit), 3, 1).unwrap();
        unit.commit().unwrap();
    });
    let log = bytes_of(&MemoryDisk::from(left.clone()), Path::new(LOG));
    let second = &log[4 * BLOCK_LEN..];
    assert!(read_group(second).is_ok());
    let introduced = records(second).filter(|record| matches!(record, Ok(LogRecord::DataSet { .. })));
    assert_eq!(introduced.count(), 2);
    let world = damaged(&left, &[1, 2]);
    for name in ["b", "a"] {
        let words = refused(&world, name).to_string();
        assert!(words.contains("before request 3"), "{words}");
    }
}

/// Who was introduced again and again is asked once for what its tree must have: the log began with it behind that.
#[test]
fn a_tree_of_the_first_moment_is_enough() {
    let left = dead(|_, a, b| {
        put_in(b, 1);
        put_in(a, 1);
    });
    // The tree of `a` as of before, which a device would show that lost the second commit and no more.
    let (data, _) = damaged(&left, &[]).paths("a");
    let old = bytes_of(&MemoryDisk::from(left), &data);
    let left = dead(|_, a, b| {
        put_in(b, 1);
        put_in(a, 1);
        a.checkpoint().unwrap();
        put_in(a, 2);
    });
    let world = damaged(&left, &[]);
    put(&*world.disk, &data, 0, &old);
    assert_eq!(count(&world, "a"), 12);
}

/// A log of a later Cica: the words send nobody for a copy.
#[test]
fn a_log_in_a_newer_format_is_said_to_be_one() {
    let left = dead(|_, a, _| put_in(a, 1));
    let world = damaged(&left, &[]);
    let mut header = bytes_of(&*world.disk, Path::new(LOG))[..BLOCK_LEN].to_vec();
    header[12] = 99;
    header[8..12].fill(0);
    let checksum = cica_format::checksum::crc32c(&header);
    header[8..12].copy_from_slice(&checksum.to_le_bytes());
    put(&*world.disk, Path::new(LOG), 0, &header);
    let words = refused(&world, "a").to_string();
    let ending = "written in format 99, newer than this program knows; use a newer Cica [OPEN 184]";
    assert!(words.ends_with(ending), "{words}");
    // A header that is damaged is another matter.
    put(&*world.disk, Path::new(LOG), 8, &[0; 4]);
    let words = refused(&world, "a").to_string();
    assert!(
        words.contains("checksum") && words.contains("Bring the log file back"),
        "{words}"
    );
}

/// A write that failed has left a header that is none, of a log that was done or claimed anew. Whoever named that log
/// early, and has no request in it, needs nothing of it; who has one in the tail does.
#[test]
fn who_has_nothing_in_a_log_needs_no_header_of_it() {
    let left = |change: u64| {
        dead(|_, a, b| {
            put_in(a, 1);
            // Its root names the log before it is known that there is such a record.
            let _ = insert(&mut b.string(), change, 1);
        })
    };
    let headless = |left: &Image| {
        let world = damaged(left, &[]);
        put(&*world.disk, Path::new(LOG), 8, &[0; 4]);
        world
    };
    let refused_insert = left(10);
    let named = world_on(&SimDisk::from(refused_insert.clone())).engine();
    let root = named.peek(&World::memory().paths("b").0).unwrap();
    assert!(root.log.log != 0 && root.log.early, "{:?}", root.log);
    let world = headless(&refused_insert);
    assert_eq!(count(&world, "b"), 10);
    let words = refused(&world, "a").to_string();
    assert!(words.contains("Bring the log file back"), "{words}");

    let world = headless(&left(11));
    let words = refused(&world, "b").to_string();
    assert!(words.contains("Bring the log file back"), "{words}");
}
