//! A unit of recovery that stays open while others come and go: the log stays short, and whatever happens the unit is
//! taken back or stands as a whole.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{CrashPoint, Event, Survival};
use cica_disk::{Disk, Image, MemoryDisk, SimDisk};
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

/// Bytes of log after which it starts over.
const EPOCH: u64 = 64 << 10;
const RECORDS: u64 = 300;

fn engine(world: &World) -> Engine {
    let engine = world.engine();
    engine.start_log_over_after(EPOCH);
    engine
}

fn prepared() -> (SimDisk, World) {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    for name in ["a", "b"] {
        loaded(&world, &world.engine(), name, RECORDS);
    }
    (disk, world)
}

fn log_bytes(disk: &dyn Disk) -> u64 {
    let there = disk.list(Path::new("/log")).unwrap();
    let is_log = |path: &Path| path.to_string_lossy().contains("log-");
    let lengths = there.iter().filter(|(path, _)| is_log(path)).map(|(_, length)| *length);
    lengths.max().unwrap()
}

/// What a unit does that goes on all day: of both data sets, of each kind.
fn begin(a: &mut Str, b: &mut Str) {
    for n in 0..20 {
        update(a, n * 10, 1000 + n, 100).unwrap();
        insert(b, n * 10 + 1, 1000).unwrap();
        erase(b, n * 10).unwrap();
    }
}

/// Short units change other records for so many bytes of log, ten times the epoch and more.
fn others(engine: &Engine, ds: &DataSet, from: u64, units: u64) {
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    for round in from..from + units {
        for n in 100..120 {
            update(&mut s, n * 10, round, 400).unwrap();
        }
        unit.commit().unwrap();
    }
}

fn epoch(disk: &dyn Disk) -> u32 {
    let log = common::bytes::bytes_of(disk, Path::new("/log/log-0001"));
    cica_format::log::read_group(&log[4096..]).unwrap().0.epoch
}

fn assert_taken_back(world: &World, before: &[Vec<Vec<u8>>; 2], value: u64) {
    let engine = world.engine();
    for (name, before) in ["a", "b"].iter().zip(before) {
        let ds = world.open(&engine, name);
        let now = contents(&ds);
        assert_eq!(now.len(), before.len(), "{name}");
        for (now, before) in now.iter().zip(before) {
            let of_others = *name == "a" && (b"00001000"..=b"00001190").contains(&&now[..8].try_into().unwrap());
            if of_others {
                assert_eq!(unsealed(now), value)
            } else {
                assert!(now == before, "{name}: {}", String::from_utf8_lossy(&now[..8]))
            }
        }
        ds.close().unwrap();
    }
}

#[test]
fn the_log_stays_short_and_the_open_unit_is_taken_back() {
    let (disk, world) = prepared();
    let one = engine(&world);
    let (a, b) = (world.open(&one, "a"), world.open(&one, "b"));
    let before = [contents(&a), contents(&b)];
    let unit = one.unit();
    begin(&mut a.string_in(&unit), &mut b.string_in(&unit));
    let (mut longest, mut last) = (0, 0);
    for day in 0..20 {
        others(&one, &a, day * 10, 10);
        last = day * 10 + 9;
        longest = longest.max(log_bytes(&*world.disk));
        // A unit that changes something in a later epoch, too, and takes part of the day back.
        if day == 10 {
            let mut s = b.string_in(&unit);
            update(&mut s, 500, 7, 80).unwrap();
        }
    }
    assert!(epoch(&*world.disk) > 10, "{} epochs", epoch(&*world.disk));
    // Files grow by a quarter of a MiB.
    assert!(longest <= 2 * EPOCH + (512 << 10), "{longest} bytes of log");
    disk.kill();
    let left = disk.image();
    drop((unit, a, b, one));
    let killed = World::on(Arc::new(MemoryDisk::from(left)), Path::new("/"));
    assert_taken_back(&killed, &before, last);
    let trace = disk.trace();
    let cut = trace.crash_after(disk.events()).image(|_, _| Survival::Lost);
    assert_taken_back(
        &World::on(Arc::new(MemoryDisk::from(cut)), Path::new("/")),
        &before,
        last,
    );
}

#[test]
fn a_unit_of_many_epochs_commits_or_is_backed_out_as_a_whole() {
    for commits in [true, false] {
        let (disk, world) = prepared();
        let one = engine(&world);
        let (a, b) = (world.open(&one, "a"), world.open(&one, "b"));
        let before = [contents(&a), contents(&b)];
        let unit = one.unit();
        begin(&mut a.string_in(&unit), &mut b.string_in(&unit));
        others(&one, &a, 0, 40);
        let after = [contents(&a), contents(&b)];
        if commits {
            unit.commit().unwrap()
        } else {
            unit.backout().unwrap()
        }
        let epoch_then = epoch(&*world.disk);
        others(&one, &a, 39, 1);
        disk.kill();
        drop((unit, a, b, one));
        let world = World::on(Arc::new(MemoryDisk::from(disk.image())), Path::new("/"));
        assert!(epoch_then > 3);
        if commits {
            let engine = world.engine();
            for (name, after) in ["a", "b"].iter().zip(&after) {
                assert!(contents(&world.open(&engine, name)) == *after, "{name}");
            }
        } else {
            assert_taken_back(&world, &before, 39)
        }
    }
}

/// A record that does not end in a run, so that the log has all of it.
fn full(n: u64, value: u64) -> Vec<u8> {
    let mut record = sealed(n, value, 300);
    for (at, byte) in record[16..].iter_mut().enumerate() {
        *byte = (at as u64 * 31 + value) as u8;
    }
    record
}

fn put(s: &mut Str, n: u64, value: u64) {
    s.get(&key(n), Search::Equal, Intent::Update).unwrap();
    s.update(&full(n, value)).unwrap();
}

/// The values of `full` records, by number.
fn values(world: &World) -> Result<Vec<u64>, OpenError> {
    let engine = world.engine();
    let (data, index) = world.paths("a");
    let ds = engine.open(&data, &index, OpenOptions::default())?;
    let all = contents(&ds);
    let value = |record: &Vec<u8>| {
        let value = u64::from_be_bytes(record[8..16].try_into().unwrap());
        let number = String::from_utf8_lossy(&record[..8]).parse().unwrap();
        assert!(
            value == 0 || *record == full(number, value),
            "record {number} is not as it was written"
        );
        value
    };
    Ok(all.iter().map(value).collect())
}

/// Images of a power cut at this moment: any subset of what was not synced of the log, and its last write torn.
fn images(point: &CrashPoint<'_>) -> Vec<Image> {
    let sectors = |event: &Event| match event {
        Event::Write { bytes, .. } => bytes.len().div_ceil(512),
        _ => 0,
    };
    let pending: Vec<usize> = point.pending().map(sectors).collect();
    let few = pending.len().min(6);
    let older = pending.len() - few;
    let mut images = Vec::new();
    for subset in 0..1u64 << few {
        images.push(point.image(|n, _| {
            if n < older || subset >> (n - older) & 1 == 1 {
                Survival::Whole
            } else {
                Survival::Lost
            }
        }));
    }
    let Some((&last, before)) = pending.split_last() else {
        return images;
    };
    for sector in 1..last {
        for fate in [
            Survival::First(sector),
            Survival::Sectors(!(1 << sector)),
            Survival::Sectors(1 << sector),
        ] {
            for others in [Survival::Whole, Survival::Lost] {
                images.push(point.image(|n, _| if n == before.len() { fate } else { others }));
            }
        }
    }
    images
}

/// Between any two writes of the end of an epoch, and whatever a power cut takes of them.
#[test]
fn the_end_of_an_epoch_may_be_cut_anywhere() {
    let (disk, world) = prepared();
    let one = engine(&world);
    one.start_log_over_after(32 << 10);
    let a = world.open(&one, "a");
    let unit = one.unit();
    // What takes it back is longer than a block.
    let mut kept = a.string_in(&unit);
    (0..80).for_each(|n| put(&mut kept, n * 10, n));
    let mut other = a.string();
    let mut moments = vec![(disk.events(), 0)];
    for value in 1..60 {
        put(&mut other, 1000, value);
        if value % 7 == 0 {
            // What takes that back is in an epoch before (unit:U10).
            put(&mut kept, value % 20 * 10, 1000 + value);
        }
        a.commit().unwrap();
        moments.push((disk.events(), value));
    }
    disk.kill();
    drop((kept, other, unit, a, one));
    let trace = disk.trace();
    let mut point = trace.crash_after(moments[1].0);
    let (mut cuts, mut carries) = (0, 0);
    while let Some(event) = point.advance() {
        let Event::Write { bytes, .. } = event else { continue };
        // A group, or the beginning of one.
        if !bytes.starts_with(b"CiLG") {
            continue;
        }
        carries += u64::from(bytes.len() > 4096 && bytes[28..32] == [0; 4]);
        let acknowledged = moments
            .iter()
            .rev()
            .find(|(events, _)| *events <= point.position())
            .unwrap()
            .1;
        for image in images(&point) {
            let left = World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"));
            let values = values(&left).unwrap_or_else(|error| panic!("event {}: {error}", point.position()));
            assert!(
                values[..80].iter().all(|value| *value == 0),
                "event {}: {values:?}",
                point.position()
            );
            assert!(
                (acknowledged..=acknowledged + 1).contains(&values[100]),
                "{} {acknowledged}",
                values[100]
            );
            cuts += 1;
        }
    }
    assert!(cuts > 500 && carries > 4, "{cuts} cuts, {carries} carries");
}

/// The trees have all of the log, but what takes the open unit back was in a group that is damaged: nobody reads what
/// the unit did.
#[test]
fn a_carry_that_is_damaged_is_missed() {
    let (disk, world) = prepared();
    let one = engine(&world);
    let (a, b) = (world.open(&one, "a"), world.open(&one, "b"));
    let unit = one.unit();
    begin(&mut a.string_in(&unit), &mut b.string_in(&unit));
    others(&one, &a, 0, 1);
    while epoch(&*world.disk) < 2 {
        others(&one, &a, 0, 1);
    }
    others(&one, &a, 1, 1);
    a.checkpoint().unwrap();
    b.checkpoint().unwrap();
    disk.kill();
    drop((unit, a, b, one));
    let left = MemoryDisk::from(disk.image());
    common::bytes::put(&left, Path::new("/log/log-0001"), 4096 + 50, b"?");
    let world = World::on(Arc::new(left), Path::new("/"));
    let (data, index) = world.paths("a");
    match world.engine().open(&data, &index, OpenOptions::default()) {
        Err(error) => assert!(error.to_string().contains("are damaged"), "{error}"),
        Ok(_) => panic!("it opened"),
    }
}
