//! BLDINDEX that is stopped: the base is as it was, the index is empty or whole, and the next build makes it whole.

use crate::files::{on_volume, records};
use crate::world::World;
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Disk, Image, SimDisk};
use cica_engine::{Access, Insert};
use std::sync::Arc;

const BUILD: &str = "BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)";

/// A base of some records, and an index over it that was never built.
fn before() -> Image {
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok("DEF CL (NAME(PAY.MASTER) TRK(1 1) KEYS(4 0) RECSZ(40 40) CISZ(512))");
    let data_set = world.open("PAY.MASTER", Access::Output);
    let mut string = data_set.string();
    for n in 0..60 {
        let record = format!("{n:04}{:04}{:32}", (n * 37) % 60, "");
        string.insert(record.as_bytes(), Insert::Sequential).unwrap();
    }
    drop(string);
    data_set.close().unwrap();
    world.ok("DEF AIX (NAME(PAY.BYNAME) RELATE(PAY.MASTER) TRK(1 1) KEYS(4 4) RECSZ(20 60) CISZ(512) NUPG)");
    drop(world);
    disk.image()
}

/// Builds on a disk with `faults`; true if it ended with 0. Whatever came of it, a build without faults succeeds.
fn build(image: &Image, faults: Faults, what: &str) -> (bool, String, Arc<SimDisk>) {
    let disk = Arc::new(SimDisk::from(image.clone()));
    let mut world = World::on(disk.clone());
    let base = records(&world, "PAY.MASTER");
    disk.set_faults(faults);
    let (cc, listing) = world.run(BUILD);
    disk.set_faults(Faults::none());
    drop(world);
    let mut world = World::on(disk.clone());
    assert_eq!(records(&world, "PAY.MASTER"), base, "{what}");
    let (_, listed) = world.run("LISTCAT ENTRIES(PAY.BYNAME) ALL");
    let empty = listed.contains("REC-TOTAL--------------0");
    let whole = listed.contains("REC-TOTAL-------------60");
    assert!(empty || whole, "{what}: {listed}");
    assert!(whole || cc > 0, "{what}: {listing}");
    if empty {
        world.ok(BUILD);
    }
    world.ok("EXAMINE NAME(PAY.BYNAME) ITEST DTEST\nEXAMINE NAME(PAY.MASTER) ITEST DTEST");
    assert_eq!(on_volume(&world).len(), 4, "{what}: {:?}", on_volume(&world));
    (cc == 0, listing, disk)
}

#[test]
fn a_call_that_fails_leaves_the_index_empty_or_whole() {
    let image = before();
    for (call, errno) in [
        (Call::Open, Errno::Io),
        (Call::Write, Errno::Io),
        (Call::Sync, Errno::Io),
        (Call::Read, Errno::Io),
    ] {
        let mut failed = 0;
        for nth in 1..200 {
            let (done, listing, _) = build(
                &image,
                Faults::none().fail(call, nth, errno),
                &format!("{call:?} {nth}"),
            );
            if done {
                break;
            }
            assert!(
                listing.contains("IDC") && !listing.contains("IDC0652I"),
                "{call:?} {nth}: {listing}"
            );
            failed += 1;
        }
        assert!((1..199).contains(&failed), "{call:?}: {failed}");
    }
}

#[test]
fn a_full_disk_leaves_the_index_empty_and_says_so() {
    let image = before();
    let used = |disk: &SimDisk| -> u64 {
        let lengths = |directory: &str| disk.list(directory.as_ref()).unwrap();
        let all = lengths("/cat/volumes/CICA01").into_iter().chain(lengths("/cat"));
        all.map(|(_, length)| length).sum()
    };
    let bytes = used(&SimDisk::from(image.clone()));
    let mut refused = 0;
    for more in (0..400).map(|n| n * 4_096) {
        let (done, listing, _) = build(&image, Faults::none().space(bytes + more), &format!("{more} bytes"));
        if done {
            break;
        }
        assert!(listing.contains("space"), "{more} bytes: {listing}");
        refused += 1;
    }
    assert!((1..400).contains(&refused), "{refused} times");
}
