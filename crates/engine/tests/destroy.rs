//! Removing a cluster, and the power going in the middle of it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::Call;
use cica_disk::{MemoryDisk, SimDisk};
use cica_engine::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world() -> (World, SimDisk) {
    let disk = SimDisk::new();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    for directory in ["/", "/v"] {
        let how = cica_disk::Open {
            directory: true,
            ..Default::default()
        };
        world.disk.open(Path::new(directory), how).unwrap().sync().unwrap();
    }
    let engine = world.engine();
    world.create(&engine, "a", |_, _| ());
    let ds = world.open(&engine, "a");
    ds.string().insert(&sealed(1, 1, 60), Insert::Sequential).unwrap();
    ds.close().unwrap();
    (world, disk)
}

#[test]
fn whenever_the_power_goes_the_data_set_is_whole_or_its_data_component_is_gone() {
    let (world, disk) = world();
    let (data, index) = world.paths("a");
    let before = disk.events();
    world.engine().destroy(&data, &index, false).unwrap();
    let (after, trace) = (disk.events(), disk.trace());
    let mut gone = 0;
    for cut in before..=after {
        let point = trace.crash_after(cut);
        for survivors in 0..1_u64 << point.pending().len().min(6) {
            let image = point.image_of(survivors);
            let there = image.len(&data).is_some();
            gone += !there as u32;
            if there {
                let world = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
                let ds = world.open(&world.engine(), "a");
                assert_sound(&ds);
                assert_eq!(ds.statistics().0.records, 1, "cut {cut}, {survivors:b}");
            } else if cut == after {
                assert!(image.len(&index).is_none(), "the index is left");
            }
            // What was answered has happened.
            assert!(cut < after || !there, "it is back, {survivors:b}");
        }
    }
    assert!(gone > 0);
}

#[test]
fn erase_is_durable_before_the_name_goes() {
    let syncs = |erase: bool| {
        let (world, disk) = world();
        let (data, index) = world.paths("a");
        let before = disk.calls().of(Call::Sync);
        world.engine().destroy(&data, &index, erase).unwrap();
        disk.calls().of(Call::Sync) - before
    };
    // The directory after each name; with erase each file before.
    assert_eq!((syncs(false), syncs(true)), (2, 4));
}
