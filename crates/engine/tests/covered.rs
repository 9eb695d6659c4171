//! A unit that changes a record again and again logs once what takes it back (unit:U10), and it goes back all the same.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::MemoryDisk;
use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

/// How a unit goes back.
#[derive(Debug, Clone, Copy)]
enum Back {
    ByItself,
    ByRecovery,
    /// Its trees were committed, and the log began anew with what takes it back.
    BehindACheckpoint,
    OfDoubt,
}

const EVERY_WAY: [Back; 4] = [Back::ByItself, Back::ByRecovery, Back::BehindACheckpoint, Back::OfDoubt];

fn world() -> (MemoryDisk, World) {
    let disk = MemoryDisk::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    (disk, world)
}

/// Ends the unit `back`; the data set as it is then.
fn goes_back(
    (disk, world): (&MemoryDisk, &World),
    (engine, ds, unit): (Engine, DataSet, UnitOfRecovery),
    open: impl Fn(&Engine) -> DataSet,
    back: Back,
) -> (Engine, DataSet) {
    match back {
        Back::ByItself => {
            unit.backout().unwrap();
            drop(unit);
            (engine, ds)
        }
        Back::ByRecovery | Back::BehindACheckpoint => {
            match back {
                Back::BehindACheckpoint => ds.checkpoint().unwrap(),
                _ => ds.commit().unwrap(),
            }
            disk.kill();
            drop((unit, ds, engine));
            let engine = world.engine();
            let ds = open(&engine);
            (engine, ds)
        }
        Back::OfDoubt => {
            unit.prepare("T").unwrap();
            drop(unit);
            engine.back_out_prepared("T").unwrap();
            (engine, ds)
        }
    }
}

/// How often the log has these bytes, its tail aside.
fn times_logged(disk: &MemoryDisk, part: &[u8]) -> usize {
    let image = disk.image();
    let logs = image
        .files()
        .filter(|path| path.to_string_lossy().starts_with("/log/log-"));
    let times = |path: &Path| {
        let bytes = image.bytes(path).unwrap();
        bytes.windows(part.len()).filter(|window| *window == part).count()
    };
    logs.map(times).sum()
}

#[test]
fn what_takes_a_record_back_is_logged_once() {
    let (disk, world) = world();
    let engine = world.engine();
    loaded(&world, &engine, "a", 20);
    let ds = world.open(&engine, "a");
    let before = contents(&ds);
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    for value in 1..50 {
        update(&mut s, 50, value, 40 + value as usize).unwrap();
    }
    assert_eq!(unit.changes(), 1);
    ds.commit().unwrap();
    for value in 1..50 {
        // From the last byte of the value on records differ: what takes a change back has no more than that.
        let record = &sealed(50, value, 40 + value as usize)[15..30];
        assert_eq!(times_logged(&disk, record), 1, "value {value}");
    }
    drop(s);
    unit.backout().unwrap();
    assert_eq!(contents(&ds), before);
}

/// The pool is charged for what takes records back, not for how often they are changed.
#[test]
fn a_unit_may_change_a_record_as_often_as_it_likes() {
    let (_, mut world) = world();
    world.pool_bytes = 4 << 20;
    let engine = world.engine();
    loaded(&world, &engine, "a", 20);
    let ds = world.open(&engine, "a");
    let before = contents(&ds);
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    for value in 0..20_000 {
        update(&mut s, 50 + value % 2 * 10, value, 200).unwrap();
    }
    drop(s);
    unit.backout().unwrap();
    assert_eq!(contents(&ds), before);
}

/// Inserts, updates and erases of few records, drawn.
fn change(s: &mut Str, organization: Organization, draw: &mut Random, places: &mut Vec<u64>) {
    let (n, value) = (draw.below(6), draw.next() % 1_000_000);
    let keyed = organization == Organization::Ksds;
    let place = |n: u64| if keyed { n * 10 } else { n + 1 };
    let len = match organization {
        Organization::Ksds => 30 + value as usize % 200,
        _ => 60,
    };
    if organization == Organization::Esds {
        if draw.below(4) == 0 || places.is_empty() {
            places.push(s.insert(&sealed(n, value, len), Insert::Sequential).unwrap());
        } else {
            let rba = places[draw.below(places.len() as u64) as usize];
            let found = s.get(Argument::Rba(rba), Search::Equal, Intent::Update).unwrap();
            let len = found.bytes.len();
            s.update(&sealed(n, value, len)).unwrap();
        }
        return;
    }
    let key = key(place(n));
    let at = if keyed {
        Argument::Key(&key)
    } else {
        Argument::Rrn(place(n) as u32)
    };
    let found = s.get(at, Search::Equal, Intent::Update).is_ok();
    match draw.below(5) {
        0 if found => s.erase().unwrap(),
        _ if found => drop(s.update(&sealed(place(n), value, len)).unwrap()),
        _ if keyed => drop(s.insert(&sealed(place(n), value, len), Insert::Direct).unwrap()),
        _ => {
            let record = sealed(place(n), value, len);
            s.insert_at(place(n) as u32, &record, Insert::Direct).unwrap();
        }
    }
}

#[test]
fn it_goes_back_whatever_came_of_the_record_meanwhile() {
    for organization in [
        Organization::Ksds,
        Organization::Esds,
        Organization::Rrds,
        Organization::Vrrds,
    ] {
        for (seed, back) in (0..40).zip(EVERY_WAY.into_iter().cycle()) {
            let (disk, world) = world();
            let engine = world.engine();
            world.create(&engine, "a", |data, _| {
                data.organization = organization;
                if organization != Organization::Ksds {
                    data.key_length = 0;
                }
                if organization == Organization::Rrds {
                    (data.average_record, data.maximum_record) = (60, 60);
                }
            });
            let ds = world.open(&engine, "a");
            let mut draw = Random(seed + 1);
            let mut places = Vec::new();
            let first = engine.unit();
            let mut s = ds.string_in(&first);
            for _ in 0..12 {
                change(&mut s, organization, &mut draw, &mut places);
            }
            first.commit().unwrap();
            drop((s, first));
            let before = contents(&ds);
            let unit = engine.unit();
            let mut s = ds.string_in(&unit);
            for _ in 0..30 {
                change(&mut s, organization, &mut draw, &mut places);
            }
            drop(s);
            let (_engine, ds) = goes_back(
                (&disk, &world),
                (engine, ds, unit),
                |engine| world.open(engine, "a"),
                back,
            );
            assert_eq!(contents(&ds), before, "{organization:?}, seed {seed}, {back:?}");
            ds.close().unwrap();
        }
    }
}

/// With alternate keys that the updates change, or leave.
#[test]
fn alternate_keys_go_back_with_their_record() {
    for (seed, back) in (0..40).zip(EVERY_WAY.into_iter().cycle()) {
        let (disk, world) = world();
        let engine = sphere::ready(&world);
        let ds = sphere::open(&world, &engine);
        for n in 1..5 {
            let record = sphere::record(n, &format!("{n:04}"), "AAA");
            ds.string().insert(&record, Insert::Direct).unwrap();
        }
        let before = sphere::contents(&ds);
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        let mut draw = Random(seed + 1);
        for round in 0..30 {
            let n = 1 + draw.below(4);
            s.get(&key(n), Search::Equal, Intent::Update).unwrap();
            let unique = format!("{:04}", if draw.below(2) == 0 { n } else { 10 + round });
            let group = ["AAA", "BBB"][draw.below(2) as usize];
            s.update(&sphere::record(n, &unique, group)).unwrap();
        }
        drop(s);
        let (engine, ds) = goes_back(
            (&disk, &world),
            (engine, ds, unit),
            |engine| sphere::open(&world, engine),
            back,
        );
        assert_eq!(sphere::contents(&ds), before, "seed {seed}, {back:?}");
        ds.close().unwrap();
        sphere::assert_agree(&world, &engine);
    }
}

/// Nobody keeps two threads of one unit off each other's records: which of them came first is told by the log.
#[test]
fn two_threads_of_a_unit_leave_the_record_as_it_was() {
    let (disk, world) = world();
    let mut engine = world.engine();
    loaded(&world, &engine, "a", 20);
    let mut ds = world.open(&engine, "a");
    let before = contents(&ds);
    for round in 0..400 {
        let unit = engine.unit();
        let both = std::sync::Barrier::new(2);
        let work = |who: u64| {
            let mut s = ds.string_in(&unit);
            both.wait();
            for value in 1..4 {
                // The other one may have changed it since it was got.
                let _ = update(&mut s, 50, who * 10 + value, 60);
            }
        };
        std::thread::scope(|threads| {
            threads.spawn(|| work(1));
            threads.spawn(|| work(2));
        });
        let back = if round % 20 == 0 {
            Back::ByRecovery
        } else {
            Back::ByItself
        };
        (engine, ds) = goes_back(
            (&disk, &world),
            (engine, ds, unit),
            |engine| world.open(engine, "a"),
            back,
        );
        assert_eq!(contents(&ds), before, "round {round}");
    }
}
