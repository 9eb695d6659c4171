//! A base and its alternate indexes know each other: one that was put back alone is refused.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Image, MemoryDisk};
use cica_engine::*;
use common::bytes::{bytes_of, put};
use common::sphere::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world(image: &Image) -> World {
    World::on(Arc::new(MemoryDisk::from(image.clone())), Path::new("/"))
}

/// A sphere after each of its moments, closed.
fn moments() -> Vec<Image> {
    let disk = MemoryDisk::default();
    let here = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = ready(&here);
    let mut all = vec![disk.image()];
    for n in 1..4 {
        let ds = open(&here, &engine);
        ds.string()
            .insert(&record(n, &format!("{n:04}"), "AAA"), Insert::Direct)
            .unwrap();
        ds.close().unwrap();
        all.push(disk.image());
    }
    all
}

/// The files of `name` as they were in `from`.
fn put_back(world: &World, from: &Image, name: &str) {
    let disk = MemoryDisk::from(from.clone());
    let (data, index) = world.paths(name);
    for path in [data, index] {
        let old = bytes_of(&disk, &path);
        let how = cica_disk::Open {
            write: true,
            ..Default::default()
        };
        let file = world.disk.open(&path, how).unwrap();
        file.size(Some(0)).unwrap();
        drop(file);
        put(&*world.disk, &path, 0, &old);
    }
}

fn refusal(world: &World) -> Option<String> {
    let upgrade = [files(world, "u"), files(world, "n")];
    let engine = world.engine();
    let sphere = engine.open_sphere(&files(world, "b"), &upgrade, output()).err();
    for name in ["u", "n"] {
        let path = engine
            .open_path(&files(world, "b"), &[], &files(world, name), OpenOptions::default())
            .err();
        // Whoever of them is refused by itself is refused in the sphere.
        assert!(path.is_none() || sphere.is_some());
    }
    sphere.map(|error| error.to_string())
}

#[test]
fn every_mixture_of_moments_is_refused_and_each_moment_alone_is_not() {
    let moments = moments();
    for (i, base) in moments.iter().enumerate() {
        for (j, index) in moments.iter().enumerate() {
            for name in ["u", "n"] {
                let world = world(base);
                put_back(&world, index, name);
                let words = refusal(&world);
                match i.cmp(&j) {
                    std::cmp::Ordering::Equal => assert_eq!(words, None),
                    order => {
                        let older = match order {
                            std::cmp::Ordering::Less => "the files of the base T.B",
                            _ => "the files of the alternate index T.",
                        };
                        let words = words.unwrap_or_else(|| panic!("base of {i} and {name} of {j} opened"));
                        assert!(words.contains(older) && words.contains("BLDINDEX"), "{i} {j}: {words}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_was_recovered_belongs_together() {
    for unit_ends in [true, false] {
        let disk = MemoryDisk::default();
        let here = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = ready(&here);
        let ds = open(&here, &engine);
        ds.string().insert(&record(1, "0001", "AAA"), Insert::Direct).unwrap();
        let unit = engine.unit();
        ds.string_in(&unit)
            .insert(&record(2, "0002", "AAA"), Insert::Direct)
            .unwrap();
        ds.commit().unwrap();
        if unit_ends {
            unit.commit().unwrap()
        } else {
            std::mem::forget(unit)
        }
        disk.kill();
        std::mem::forget(ds);
        // Each recovers the others.
        for first in ["b", "u", "n"] {
            let after = world(&disk.image());
            after.open(&after.engine(), first).close().unwrap();
            assert_eq!(refusal(&after), None, "{first} {unit_ends}");
            let engine = after.engine();
            let ds = open(&after, &engine);
            ds.string().insert(&record(9, "0009", "BBB"), Insert::Direct).unwrap();
            ds.close().unwrap();
            assert_eq!(assert_agree(&after, &engine).len(), if unit_ends { 4 } else { 3 });
        }
    }
}

/// BLDINDEX of `u`.
fn built(world: &World) {
    let engine = world.engine();
    let base = world.open_with(&engine, "b", OpenOptions::default());
    let build = Build {
        work: Path::new("/v"),
        memory: 1 << 20,
        progress: &mut |_| (),
        omitted: &mut |omitted| panic!("{omitted:?}"),
    };
    engine.build_index(&base, &files(world, "u"), build).unwrap();
}

/// It was built from just that base, and has been changed with a later one since.
#[test]
fn a_base_of_when_its_index_was_built_is_older_than_the_index_that_was_changed_since() {
    let disk = MemoryDisk::from(moments()[3].clone());
    let here = World::on(Arc::new(disk.clone()), Path::new("/"));
    built(&here);
    let of_the_build = disk.image();
    let ds = open(&here, &here.engine());
    ds.string().insert(&record(8, "0008", "AAA"), Insert::Direct).unwrap();
    ds.close().unwrap();
    assert_eq!(refusal(&here), None);
    for name in ["b", "n"] {
        put_back(&here, &of_the_build, name);
    }
    assert!(refusal(&here).unwrap().contains("the base T.B are older"));
}

#[test]
fn what_vsam_allows_to_fall_behind_is_no_older_file() {
    let moments = moments();
    let here = world(&moments[3]);
    let engine = here.engine();
    // The base without its alternate indexes, as by a path with NOUPDATE.
    let ds = here.open(&engine, "b");
    ds.string().insert(&record(7, "0007", "AAA"), Insert::Direct).unwrap();
    ds.close().unwrap();
    assert_eq!(refusal(&here), None);
    // One rebuilt from it then, and an old one of before that, and an old base.
    built(&here);
    assert_eq!(refusal(&here), None);
    let engine = here.engine();
    let ds = open(&here, &engine);
    ds.string().insert(&record(8, "0008", "AAA"), Insert::Direct).unwrap();
    ds.close().unwrap();
    assert_eq!(refusal(&here), None);
    put_back(&here, &moments[3], "u");
    assert!(refusal(&here).unwrap().contains("alternate index T.U are older"));
    // As the words say.
    built(&here);
    assert_eq!(refusal(&here), None);
    put_back(&here, &moments[2], "b");
    assert!(refusal(&here).unwrap().contains("the base T.B are older"));
}
