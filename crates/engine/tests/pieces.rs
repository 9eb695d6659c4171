//! A load with room to gather: what it writes ends where a piece of the file ends, and nothing is lost where it stops
//! in the middle of a control area.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Event, Survival};
use cica_disk::{Image, MemoryDisk, SimDisk};
use cica_engine::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

const PIECE: u64 = 256 << 10;
const LEN: usize = 1_000;

fn world_on(disk: &SimDisk) -> World {
    World {
        pool_bytes: 128 << 20,
        ..World::on(Arc::new(disk.clone()), Path::new("/"))
    }
}

/// Records of a control area.
fn area(ci_per_ca: u16, free_ca: u8) -> u64 {
    let free = u64::from(ci_per_ca) * u64::from(free_ca) / 100;
    4 * (u64::from(ci_per_ca) - free)
}

/// Loads `records`, with commits after those that `commits` has; the data set is closed, or its owner dies. Returns
/// the promises: after so many events so many records were durable.
fn load(disk: &SimDisk, ci_per_ca: u16, free_ca: u8, records: u64, commits: &[u64], closes: bool) -> Vec<(usize, u64)> {
    let mut promises = Vec::new();
    let world = world_on(disk);
    let engine = world.engine();
    world.create(&engine, "t", |data, index| {
        (data.ci_size, data.ci_per_ca, index.ci_size) = (4096, ci_per_ca, 4096);
        (data.free_ca, data.maximum_record) = (free_ca, 2_000);
        (data.primary, data.secondary) = (64 << 20, 64 << 20);
    });
    promises.push((disk.events(), 0));
    let ds = world.open(&engine, "t");
    let mut string = ds.string();
    for n in 0..records {
        string.insert(&sealed(n, n, LEN), Insert::Sequential).unwrap();
        if commits.contains(&n) {
            ds.commit().unwrap();
            let area = area(ci_per_ca, free_ca);
            promises.push((disk.events(), n / area * area));
        }
    }
    if closes {
        drop(string);
        ds.close().unwrap();
        promises.push((disk.events(), records));
    } else {
        disk.kill();
        drop((string, ds));
    }
    promises
}

/// Records from the first on, each as it was written.
fn count(disk: &SimDisk) -> u64 {
    count_in(&world_on(disk))
}

fn count_in(world: &World) -> u64 {
    let engine = world.engine();
    let ds = world.open(&engine, "t");
    assert_sound(&ds);
    let (mut string, mut n) = (ds.string(), 0);
    while let Ok(record) = string.next(Intent::Read) {
        assert_eq!(record.bytes, sealed(n, n, LEN));
        n += 1;
    }
    n
}

/// Writes of images, as offset and end; headers and index records are shorter.
fn images(disk: &SimDisk) -> Vec<(u64, u64)> {
    let trace = disk.trace();
    let writes = trace.events().iter().filter_map(|event| match event {
        Event::Write { at, bytes, .. } if bytes.len() > 8_192 && bytes.iter().any(|&byte| byte != 0) => {
            Some((*at, *at + bytes.len() as u64))
        }
        _ => None,
    });
    writes.collect()
}

#[test]
fn a_write_stops_in_a_control_area_only_where_a_piece_ends() {
    for (ci_per_ca, free_ca) in [(60, 0), (60, 6), (180, 0)] {
        let disk = SimDisk::new();
        let records = 9_000;
        load(&disk, ci_per_ca, free_ca, records, &[], true);
        let images = images(&disk);
        // Between control areas there are headers at least.
        let goes_on = |end: u64| images.iter().any(|image| image.0 == end);
        let stops: Vec<u64> = images.iter().map(|image| image.1).filter(|&end| goes_on(end)).collect();
        assert!(stops.len() >= 3, "{ci_per_ca} CIs, FREESPACE(0 {free_ca}): {stops:?}");
        assert!(stops.iter().all(|end| end % PIECE == 0), "{stops:?}");
        assert_eq!(count(&disk), records);
    }
}

#[test]
fn whatever_a_load_is_stopped_by_keeps_what_it_should() {
    for ci_per_ca in [20, 60, 180] {
        for records in [500, 2_050, 2_700, 3_333, 6_001] {
            let disk = SimDisk::new();
            load(&disk, ci_per_ca, 0, records, &[], true);
            assert_eq!(count(&disk), records, "{ci_per_ca} CIs");
        }
        // A commit in between writes the rest of what a write has begun.
        let disk = SimDisk::new();
        load(&disk, ci_per_ca, 0, 9_000, &[2_600, 2_601, 5_200, 8_999], true);
        assert_eq!(count(&disk), 9_000, "{ci_per_ca} CIs");
        // Of what came behind it nothing is there when its owner dies.
        let disk = SimDisk::new();
        load(&disk, ci_per_ca, 0, 9_000, &[5_200], false);
        let area = area(ci_per_ca, 0);
        assert_eq!(count(&disk), 5_200 / area * area, "{ci_per_ca} CIs");
    }
}

/// CICA_IMAGES: how many for each kind of control area, 60 without it.
#[test]
fn a_power_cut_leaves_a_load_as_a_commit_left_it_or_with_more_control_areas() {
    let images = std::env::var("CICA_IMAGES").map_or(60, |said| said.parse().unwrap());
    for (ci_per_ca, free_ca) in [(20, 0), (60, 6), (180, 0)] {
        let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
        let records = 3_300;
        let promises = load(&disk, ci_per_ca, free_ca, records, &[2_600, 2_650], true);
        let (trace, (defined, _)) = (disk.trace(), promises[0]);
        let mut random = Random(u64::from(ci_per_ca));
        for _ in 0..images {
            let cut = defined + random.below((trace.events().len() + 1 - defined) as u64) as usize;
            let fate = random.below(4);
            let image = trace.crash_after(cut).image(|_, _| match fate {
                0 => Survival::Lost,
                1 => Survival::Whole,
                2 => Survival::Sectors(random.next()),
                _ if random.below(2) == 0 => Survival::Lost,
                _ => Survival::Whole,
            });
            let world = World {
                pool_bytes: 128 << 20,
                ..World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"))
            };
            let durable = promises.iter().rfind(|(events, _)| *events <= cut).unwrap().1;
            let there = count_in(&world);
            assert!(
                (durable..=records).contains(&there),
                "{there} records, {durable} durable, cut after {cut}"
            );
        }
    }
}
