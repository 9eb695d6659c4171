//! Recovery does the requests of keyed data sets neighbourhood by neighbourhood of keys (`recovery/waiting.rs`), several
//! at once, and comes to what the order of the log comes to.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, WriteAt};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::hooked::{hooked, Hook, Hooked};
use common::keyed::*;
use common::*;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;

/// Of how many requests neighbourhoods are; 0: the order of the log.
const SIZES: [usize; 4] = [0, 1, 7, 256];

/// Inserts, updates and erases of `keys` records, some of each key behind one another.
fn work(s: &mut Str, keys: u64, requests: u64, seed: u64) {
    let mut draw = Random(seed);
    for _ in 0..requests {
        let (n, value) = (draw.below(keys), draw.next() >> 8);
        let found = s.get(&key(n), Search::Equal, Intent::Update).is_ok();
        let len = 30 + (value % 150) as usize;
        match draw.below(4) {
            0 if found => s.erase().unwrap(),
            _ if found => drop(s.update(&sealed(n, value, len)).unwrap()),
            _ => drop(s.insert(&sealed(n, value, len), Insert::Direct).unwrap()),
        }
    }
}

/// The same of a base whose alternate keys change.
fn work_on_base(ds: &DataSet, keys: u64, seed: u64) {
    let (mut s, mut draw) = (ds.string(), Random(seed));
    for round in 0..1500 {
        let n = 1 + draw.below(keys);
        let group = ["AAA", "BBB", "CCC"][draw.below(3) as usize];
        let record = sphere::record(n, &format!("{:04}", 1 + round), group);
        match s.get(&key(n), Search::Equal, Intent::Update).is_ok() {
            true if draw.below(3) == 0 => s.erase().unwrap(),
            true => drop(s.update(&record).unwrap()),
            false => drop(s.insert(&record, Insert::Direct).unwrap()),
        }
    }
}

/// Opens what a killed process left, with neighbourhoods of so many requests.
fn recovered(image: &cica_disk::Image, size: usize, change: impl Fn(&mut World)) -> (World, Engine) {
    let mut world = World::on(Arc::new(MemoryDisk::from(image.clone())), Path::new("/"));
    change(&mut world);
    let engine = world.engine();
    engine.recover_in_neighbourhoods_of(size);
    (world, engine)
}

#[test]
fn every_key_comes_to_its_last_request() {
    for (seed, pool) in [(1, 8 << 20), (2, 2 << 20)] {
        let disk = MemoryDisk::default();
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        loaded(&world, &engine, "a", 50);
        world.create(&engine, "v", |data, _| {
            (data.organization, data.key_length) = (Organization::Vrrds, 0);
        });
        let (a, v) = (world.open(&engine, "a"), world.open(&engine, "v"));
        work(&mut a.string(), 1500, 12_000, seed);
        for n in (1..400).rev() {
            let record = sealed(u64::from(n), 1, 30 + n as usize % 90);
            v.string().insert_at(n, &record, Insert::Direct).unwrap();
        }
        let expected = [contents(&a), contents(&v)];
        a.commit().unwrap();
        v.commit().unwrap();
        disk.kill();
        drop((a, v, engine));
        let image = disk.image();
        for size in SIZES {
            for background in [false, true] {
                let (world, engine) = recovered(&image, size, |world| {
                    (world.background, world.pool_bytes) = (background, pool);
                });
                let (a, v) = (world.open(&engine, "a"), world.open(&engine, "v"));
                assert!(
                    [contents(&a), contents(&v)] == expected,
                    "neighbourhoods of {size}, pool of {pool}"
                );
            }
        }
    }
}

#[test]
fn alternate_indexes_agree_with_their_base() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = sphere::ready(&world);
    let ds = sphere::open(&world, &engine);
    work_on_base(&ds, 90, 5);
    let expected = sphere::contents(&ds);
    ds.commit().unwrap();
    disk.kill();
    drop((ds, engine));
    let image = disk.image();
    for size in SIZES {
        let (world, engine) = recovered(&image, size, |world| world.background = true);
        let ds = sphere::open(&world, &engine);
        assert!(sphere::contents(&ds) == expected, "neighbourhoods of {size}");
        ds.close().unwrap();
        sphere::assert_agree(&world, &engine);
    }
}

/// Refuses one write of a component once it is told to.
#[derive(Default)]
struct NoRoomOnce(AtomicBool);

impl Hook for NoRoomOnce {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let is_component = file.path.starts_with("/v");
        if is_component && self.0.swap(false, SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.file.write(batch)
    }
}

/// Refuses one sync of a component once it is told to, and the next ones do nothing.
#[derive(Default)]
struct SyncLost(AtomicBool);

impl Hook for SyncLost {
    fn sync(&self, file: &Hooked) -> io::Result<()> {
        let is_component = file.path.starts_with("/v");
        if is_component && self.0.swap(false, SeqCst) {
            return Err(io::ErrorKind::Other.into());
        }
        file.file.sync()
    }
}

/// A sync that failed is not tried again: the system may say the next time that all is well.
#[test]
fn a_commit_that_fails_is_told_and_not_tried_again() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let a = world.open(&engine, "a");
    work(&mut a.string(), 300, 1_000, 3);
    a.commit().unwrap();
    disk.kill();
    drop((a, engine));
    let hook = Arc::new(SyncLost::default());
    let world = World::on(hooked(MemoryDisk::from(disk.image()), hook.clone()), Path::new("/"));
    let engine = world.engine();
    hook.0.store(true, SeqCst);
    let (data, index) = world.paths("a");
    assert!(engine.open(&data, &index, OpenOptions::default()).is_err());
    assert!(!hook.0.load(SeqCst), "nothing was synced");
}

/// Pointers under one alternate key stand in several records of a chain.
#[test]
fn chains_of_pointers_come_to_what_they_were() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    sphere::define(&world, &engine);
    world.create(&engine, "c", |data, _| {
        (data.key_offset, data.key_length) = (5, 3);
        (data.maximum_record, data.spanned) = (300, false);
        data.alternate = Some(cica_format::attributes::Alternate {
            base: "T.B".into(),
            suppressed: None,
            chained: true,
            key_offset: 12,
            unique: false,
            upgrade: true,
            pointers: cica_format::aix::Pointers::Keys(8),
        });
    });
    sphere::build(&world, &engine);
    let build = Build {
        work: Path::new("/v"),
        memory: 1 << 20,
        progress: &mut |_| {},
        omitted: &mut |omitted| panic!("{omitted:?}"),
    };
    let base = world.open_with(&engine, "b", OpenOptions::default());
    engine.build_index(&base, &sphere::files(&world, "c"), build).unwrap();
    base.close().unwrap();
    let open = |world: &World, engine: &Engine| {
        let upgrade = ["u", "n", "c"].map(|name| sphere::files(world, name));
        let base = sphere::files(world, "b");
        engine.open_sphere(&base, &upgrade, sphere::output()).unwrap()
    };
    let ds = open(&world, &engine);
    work_on_base(&ds, 300, 11);
    ds.commit().unwrap();
    disk.kill();
    drop((ds, engine));
    let image = disk.image();
    let mut first = None;
    for size in SIZES {
        let (world, engine) = recovered(&image, size, |world| world.background = true);
        open(&world, &engine).close().unwrap();
        let chain = contents(&world.open_with(&engine, "c", OpenOptions::default()));
        assert!(chain.len() > 10, "{} links", chain.len());
        assert!(
            first.get_or_insert_with(|| chain.clone()) == &chain,
            "neighbourhoods of {size}"
        );
    }
}

/// O1: nothing of the first attempt is committed.
#[test]
fn where_there_is_no_room_it_begins_again_in_the_order_of_the_log() {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a", 50);
    let a = world.open(&engine, "a");
    work(&mut a.string(), 3000, 12_000, 3);
    let expected = contents(&a);
    a.commit().unwrap();
    disk.kill();
    drop((a, engine));
    for size in [0, 256] {
        let hook = Arc::new(NoRoomOnce::default());
        let mut world = World::on(hooked(MemoryDisk::from(disk.image()), hook.clone()), Path::new("/"));
        // So small that CIs are written while requests are done.
        world.pool_bytes = 1 << 20;
        let engine = world.engine();
        engine.recover_in_neighbourhoods_of(size);
        hook.0.store(true, SeqCst);
        let (data, index) = world.paths("a");
        let opened = engine.open(&data, &index, OpenOptions::default());
        assert!(!hook.0.load(SeqCst), "nothing was written");
        match opened {
            Ok(a) => assert!(size > 0 && contents(&a) == expected),
            // In that order there was no room.
            Err(error) => assert!(size == 0 && error.to_string().contains("recovery"), "{error}"),
        }
    }
}
