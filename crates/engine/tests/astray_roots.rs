//! A device puts a root elsewhere in its file: the commit stands, or the open is refused. What went astray is
//! spared by the next process, whose power may go at any moment.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Event, Faults, Survival, SECTOR};
use cica_disk::{MemoryDisk, SimDisk};
use cica_engine::*;
use cica_format::root::{Root, AREA_LEN};
use common::*;
use std::path::Path;
use std::sync::Arc;

fn world_on(disk: &SimDisk) -> World {
    World::on(Arc::new(disk.clone()), Path::new("/"))
}

/// A process that adds record `n` and closes; in words, if it is refused.
fn add(disk: &SimDisk, n: u64) -> Result<(), String> {
    let world = world_on(disk);
    let (data, index) = world.paths("a");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let ds = world.engine().open(&data, &index, options).map_err(|e| e.to_string())?;
    let how = if n == 0 { Insert::Sequential } else { Insert::Direct };
    ds.string().insert(&sealed(n, n, 60), how).map_err(|e| e.to_string())?;
    ds.close().map(drop).map_err(|e| e.to_string())
}

/// The records that are there; in words, if the open is refused.
fn records(disk: &SimDisk) -> Result<u64, String> {
    let world = world_on(disk);
    let (data, index) = world.paths("a");
    let ds = world.engine().open(&data, &index, OpenOptions::default());
    let ds = ds.map_err(|e| e.to_string())?;
    assert_sound(&ds);
    Ok(ds.statistics().0.records)
}

/// A data set with `n` records, and how many single writes the process makes that adds the next, up to its last root:
/// behind that, one that logged gives its log back.
fn with_records(n: u64) -> (SimDisk, u64) {
    let disk = SimDisk::new();
    world_on(&disk).create(&world_on(&disk).engine(), "a", |_, _| {});
    (0..n).for_each(|n| add(&disk, n).unwrap());
    let next = SimDisk::from(disk.image());
    add(&next, n).unwrap();
    let is_write = |event: &&Event| matches!(event, Event::Write { .. });
    let logs = u64::from(n > 0);
    (
        disk,
        next.trace().events().iter().filter(is_write).count() as u64 - logs,
    )
}

/// After `there` records the last root but `back` goes to each place in turn. How many are refused.
fn astray(there: u64, back: u64) -> u64 {
    let (start, writes) = with_records(there);
    let mut refused = 0;
    for sector in 0..2 * AREA_LEN as u64 / SECTOR {
        let disk = SimDisk::from(start.image());
        disk.set_faults(Faults::none().misdirect_write(writes - back, sector * SECTOR));
        add(&disk, there).unwrap();
        disk.set_faults(Faults::none());
        match records(&disk) {
            Ok(found) => assert_eq!(found, there + 1, "after {there}, root at sector {sector}"),
            Err(why) => {
                assert!(why.contains("table block"), "root at sector {sector}: {why}");
                refused += 1;
                continue;
            }
        }
        // As the place is found by every sector, the long way is gone at some of them only.
        if sector % 16 < 2 {
            next_is_cut(&SimDisk::from(disk.image()), there + 1);
        }
    }
    refused
}

/// The next process adds a record, and the power goes at each moment.
fn next_is_cut(disk: &SimDisk, there: u64) {
    add(disk, there).unwrap();
    assert_eq!(records(disk), Ok(there + 1));
    let trace = disk.trace();
    for events in 0..=trace.events().len() {
        let point = trace.crash_after(events);
        for last in [Survival::Lost, Survival::First(1), Survival::Whole] {
            let image = point.image(|n, _| {
                if n + 1 == point.pending().len() {
                    last
                } else {
                    Survival::Whole
                }
            });
            let found = records(&SimDisk::from(image));
            let promised = found == Ok(there) || found == Ok(there + 1);
            assert!(promised, "{found:?}, cut after event {events}");
        }
    }
}

/// Records that are there, and at how many of the 256 places the root goes over the committed table block: that is
/// refused, and nothing else is.
const REACH_THE_TABLE: [(u64, u64); 2] = [(0, 15), (3, 23)];

/// The first copy of the root goes astray: the second is on its way to the copy that is to stay until then.
#[test]
fn the_first_copy_of_a_root_may_go_anywhere() {
    for (there, refused) in REACH_THE_TABLE {
        assert_eq!(astray(there, 1), refused, "after {there}");
    }
}

/// The second copy goes astray, over the first as well.
#[test]
fn the_second_copy_of_a_root_may_go_anywhere() {
    for (there, refused) in REACH_THE_TABLE {
        assert_eq!(astray(there, 0), refused, "after {there}");
    }
}

/// Roots of long ago that lie in the middle of a copy do not count when both copies are lost.
#[test]
fn what_went_astray_long_ago_does_not_count() {
    let (start, writes) = with_records(3);
    let disk = SimDisk::from(start.image());
    disk.set_faults(Faults::none().misdirect_write(writes, 6 * SECTOR));
    add(&disk, 3).unwrap();
    disk.set_faults(Faults::none());
    assert_eq!(records(&disk), Ok(4));
    let (data, _) = world_on(&disk).paths("a");
    let mut old = vec![0; 24 * SECTOR as usize];
    disk.image().read(&data, 6 * SECTOR, &mut old);
    assert!(Root::decode(&old).is_ok(), "a root lies there");
    add(&disk, 4).unwrap();
    add(&disk, 5).unwrap();
    assert_eq!(records(&disk), Ok(6));
    // Both copies are damaged, and the old root lies in one of them.
    disk.overwrite(&data, 6 * SECTOR, &old).unwrap();
    disk.flip_bit(&data, 8 * (AREA_LEN as u64 + 2000)).unwrap();
    let found = records(&disk);
    assert!(
        found
            .as_ref()
            .is_err_and(|why| why.contains("not a usable data component")),
        "{found:?}"
    );
    let again = SimDisk::from(MemoryDisk::from(disk.image()).image());
    assert!(add(&again, 6).is_err());
}
