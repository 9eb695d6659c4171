//! Power cuts, failing calls and full disks in the middle of what replaces a data set: the old or the new, all of it.

use crate::files::{leftovers, live, on_volume, records, Files, SMALL};
use crate::world::World;
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Disk, Image, SimDisk};
use cica_engine::{Access, Insert};
use std::sync::Arc;

/// A disk on which PAY.SMALL is the old one, and a command that makes it the new one; with the records of both.
struct Before {
    command: &'static str,
    image: Image,
    files: Files,
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
}

/// RESTORE over a data set that is there.
fn restore() -> Before {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 30);
    let new = records(&world, "PAY.SMALL");
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY)\nDELETE PAY.SMALL");
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 10);
    let old = records(&world, "PAY.SMALL");
    drop(world);
    Before {
        command: "RESTORE INFILE(COPY) REPLACE",
        image: disk.image(),
        files,
        old,
        new,
    }
}

/// A reorganization that puts the records into another order; old and new have the same records otherwise.
fn reorganize() -> Before {
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok("DEF CL (NAME(PAY.SMALL) TRK(1 1) KEYS(4 0) RECSZ(20 40) CISZ(512))");
    let data_set = world.open("PAY.SMALL", Access::Output);
    let mut string = data_set.string();
    for n in 0..20 {
        let record = format!("{n:04}{:04}", (n * 7) % 20);
        string.insert(record.as_bytes(), Insert::Sequential).unwrap();
    }
    drop(string);
    data_set.close().unwrap();
    let old = records(&world, "PAY.SMALL");
    drop(world);
    let mut new = old.clone();
    new.sort_by_key(|record| record[4..8].to_vec());
    Before {
        command: "ALTER PAY.SMALL REORGANIZE(KEYS(4 4))",
        image: disk.image(),
        files: Files::new(),
        old,
        new,
    }
}

/// IMPORT over a data set that was exported and has changed since.
fn import() -> Before {
    let files = Files::new();
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 20);
    let new = records(&world, "PAY.SMALL");
    files.dd(&mut world, "COPY");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY");
    let data_set = world.open("PAY.SMALL", Access::Output);
    let mut string = data_set.string();
    string.insert(b"99999999999 LATER", Insert::Direct).unwrap();
    drop(string);
    data_set.close().unwrap();
    let old = records(&world, "PAY.SMALL");
    drop(world);
    Before {
        command: "IMPORT INFILE(COPY)",
        image: disk.image(),
        files,
        old,
        new,
    }
}

impl Before {
    /// The data set is the old or the new, and there is nothing else; true for the new.
    #[track_caller]
    fn judge(&self, disk: Arc<dyn Disk>, what: &str) -> bool {
        let mut world = World::on(disk);
        let found = records(&world, "PAY.SMALL");
        assert!(
            found == self.old || found == self.new,
            "{what}: {} records",
            found.len()
        );
        world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
        assert_eq!(leftovers(&world), 0, "{what}");
        assert_eq!(on_volume(&world).len(), 2, "{what}: {:?}", on_volume(&world));
        found == self.new
    }
}

#[test]
fn a_power_cut_at_any_moment_leaves_the_old_or_the_new() {
    power_cuts(&restore());
    power_cuts(&import());
    power_cuts(&reorganize());
}

fn power_cuts(before: &Before) {
    let disk = Arc::new(SimDisk::from(before.image.clone()));
    let mut world = World::on(disk.clone());
    before.files.dd(&mut world, "COPY");
    world.ok(before.command);
    drop(world);
    let trace = disk.trace();
    let mut point = trace.crash_point();
    let (mut old, mut new) = (0, 0);
    loop {
        let pending = point.pending().len() as u32;
        // Nothing, all, all but one, and each one alone of what is not durable.
        let all = u64::MAX >> (64 - pending.clamp(1, 63));
        let mut fates = vec![0, all];
        fates.extend((0..pending.min(63)).flat_map(|n| [1 << n, all & !(1 << n)]));
        fates.sort_unstable();
        fates.dedup();
        for fate in fates {
            let left = Arc::new(SimDisk::from(point.image_of(fate)));
            if before.judge(left, &format!("after {} events, {fate:b}", point.position())) {
                new += 1
            } else {
                old += 1
            }
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(old > 20 && new > 5, "{old} old, {new} new");
}

#[test]
fn a_call_that_fails_leaves_the_old_or_the_new_and_says_which() {
    failing_calls(&restore());
    failing_calls(&import());
    failing_calls(&reorganize());
}

fn failing_calls(before: &Before) {
    let calls = [
        (Call::Open, Errno::Io),
        (Call::Write, Errno::Io),
        (Call::Sync, Errno::Io),
        (Call::Size, Errno::NoSpace),
        (Call::Rename, Errno::Io),
        (Call::Remove, Errno::Io),
        (Call::Read, Errno::Io),
    ];
    for (call, errno) in calls {
        for nth in 1.. {
            let disk = Arc::new(SimDisk::from(before.image.clone()));
            let mut world = World::on(disk.clone());
            before.files.dd(&mut world, "COPY");
            let counted = disk.calls().of(call);
            disk.set_faults(Faults::none().fail(call, nth, errno));
            let (cc, listing) = world.run(before.command);
            disk.set_faults(Faults::none());
            let failed = disk.calls().of(call) - counted >= nth;
            drop(world);
            let new = before.judge(disk, &format!("{call:?} {nth}"));
            // A change of the catalog that was not confirmed may be there all the same.
            let unconfirmed = listing.contains("may be lost if power fails");
            assert!(new == (cc == 0) || new && unconfirmed, "{call:?} {nth}: {listing}");
            if !failed {
                assert!(new, "{call:?}: {listing}");
                break;
            }
        }
    }
}

#[test]
fn a_full_disk_leaves_the_old() {
    full_disks(&restore());
    full_disks(&import());
    full_disks(&reorganize());
}

fn full_disks(before: &Before) {
    let used = |disk: &SimDisk| -> u64 {
        let lengths = |directory: &str| disk.list(directory.as_ref()).unwrap();
        lengths("/cat/volumes/CICA01")
            .iter()
            .chain(&lengths("/cat"))
            .map(|(_, n)| n)
            .sum()
    };
    let mut refused = 0;
    for more in (0..400).map(|n| n * 4_096) {
        let disk = Arc::new(SimDisk::from(before.image.clone()));
        let mut world = World::on(disk.clone());
        before.files.dd(&mut world, "COPY");
        disk.set_faults(Faults::none().space(used(&disk) + more));
        let (cc, listing) = world.run(before.command);
        disk.set_faults(Faults::none());
        drop(world);
        let new = before.judge(disk, &format!("{more} bytes"));
        assert_eq!(new, cc == 0, "{more} bytes: {listing}");
        if cc == 0 {
            break;
        }
        assert!(listing.contains("space"), "{more} bytes: {listing}");
        refused += 1;
    }
    assert!(refused > 10 && refused < 400, "{refused} times");
}
