//! No space in the middle of BLDINDEX, REPRO, an upgraded index, EXPORT, BACKUP and RESTORE: it is said, with the
//! condition code of a function that gave up, and what was there is there.

use crate::files::{leftovers, on_volume, records, Files};
use crate::world::World;
use cica_disk::sim::Faults;
use cica_disk::{Disk, Image, SimDisk};
use cica_engine::{Access, Insert};
use cica_qsam::DdText;
use std::sync::Arc;

const RECORDS: usize = 120;

/// A base with records and an index over it, as `index` defines it; and a data set with more records for the base.
fn disk(index: &str, commands: &str) -> Image {
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok("DEF CL (NAME(PAY.BASE) TRK(1 1) KEYS(4 0) RECSZ(300 400) CISZ(1024))");
    world.ok("DEF CL (NAME(PAY.MORE) TRK(1 1) KEYS(4 0) RECSZ(300 400) CISZ(1024))");
    for (name, first) in [("PAY.BASE", 0), ("PAY.MORE", 1)] {
        let data_set = world.open(name, Access::Output);
        let mut string = data_set.string();
        for n in 0..RECORDS {
            let number = 2 * n + first;
            let record = format!("{number:04}{:04}{:300}", (number * 7) % 1000, "");
            string.insert(record.as_bytes(), Insert::Sequential).unwrap();
        }
        drop(string);
        data_set.close().unwrap();
    }
    if !index.is_empty() {
        world.ok(index);
    }
    if !commands.is_empty() {
        world.ok(commands);
    }
    drop(world);
    disk.image()
}

fn used(disk: &SimDisk) -> u64 {
    let lengths = |directory: &str| disk.list(directory.as_ref()).unwrap();
    let all = [lengths("/cat/volumes/CICA01"), lengths("/cat")].concat();
    all.iter().map(|(_, length)| length).sum()
}

/// Runs a command on a disk with so much space left, and more and more of it until it succeeds; what is there
/// after each failure is shown to `judge`.
fn with_little_space(image: &Image, command: &str, judge: impl Fn(&mut World, &str)) {
    with_little_space_and(image, |_| (), command, judge);
}

/// The same, with DD names.
fn with_little_space_and(image: &Image, dd: impl Fn(&mut World), command: &str, judge: impl Fn(&mut World, &str)) {
    for refused in 0..200 {
        let more = refused * 8_192;
        let disk = Arc::new(SimDisk::from(image.clone()));
        let mut world = World::on(disk.clone());
        disk.set_faults(Faults::none().space(used(&disk) + more));
        dd(&mut world);
        let (cc, listing) = world.run(command);
        disk.set_faults(Faults::none());
        drop(world);
        let mut world = World::on(disk);
        judge(&mut world, &listing);
        assert_eq!(leftovers(&world), 0, "{more} bytes: {listing}");
        if cc == 0 {
            assert!(refused > 3, "refused {refused} times");
            return;
        }
        assert!(cc == 12 || cc == 8, "{more} bytes: {listing}");
        assert!(listing.contains("space"), "{more} bytes: {listing}");
    }
    panic!("{command}: never enough");
}

const INDEX: &str = "DEF AIX (NAME(PAY.AIX) RELATE(PAY.BASE) TRK(1 1) KEYS(4 4) RECSZ(200 400) UPGRADE)";

#[test]
fn bldindex_leaves_the_base_and_an_empty_index() {
    let image = disk(INDEX, "");
    with_little_space(&image, "BLDINDEX IDS(PAY.BASE) ODS(PAY.AIX)", |world, listing| {
        assert_eq!(records(world, "PAY.BASE").len(), RECORDS, "{listing}");
        world.ok("EXAMINE NAME(PAY.BASE) ITEST DTEST");
        if !listing.contains("SUCCESSFULLY BUILT") {
            world.ok("BLDINDEX IDS(PAY.BASE) ODS(PAY.AIX)");
        }
        world.ok("EXAMINE NAME(PAY.AIX) ITEST DTEST");
        assert!(
            on_volume(world).iter().all(|file| file.starts_with("PAY.")),
            "{:?}",
            on_volume(world)
        );
    });
}

#[test]
fn repro_leaves_what_it_copied() {
    let image = disk("", "");
    with_little_space(&image, "REPRO IDS(PAY.MORE) ODS(PAY.BASE)", |world, listing| {
        world.ok("EXAMINE NAME(PAY.BASE) ITEST DTEST");
        assert_eq!(records(world, "PAY.MORE").len(), RECORDS);
        let there = records(world, "PAY.BASE").len() - RECORDS;
        let said = format!("NUMBER OF RECORDS PROCESSED WAS {there}\n");
        // Of an open that failed nothing is counted.
        assert!(listing.contains(&said) || there == 0, "{there}: {listing}");
    });
}

#[test]
fn base_and_upgraded_index_agree() {
    let commands = "BLDINDEX IDS(PAY.BASE) ODS(PAY.AIX)\nDEF PATH (NAME(PAY.PATH) PATHENTRY(PAY.AIX))";
    let image = disk(INDEX, commands);
    with_little_space(&image, "REPRO IDS(PAY.MORE) ODS(PAY.BASE)", |world, listing| {
        world.ok("EXAMINE NAME(PAY.BASE) ITEST DTEST\nEXAMINE NAME(PAY.AIX) ITEST DTEST");
        let counted = format!("NUMBER OF RECORDS PROCESSED WAS {}\n", records(world, "PAY.BASE").len());
        let (_, by_path) = world.run("PRINT IDS(PAY.PATH) CHARACTER");
        assert!(by_path.contains(&counted), "{listing}");
    });
}

#[test]
fn restore_brings_all_of_a_data_set_or_nothing() {
    for (deleted, command) in [
        ("DELETE PAY.MORE", "RESTORE INFILE(COPY)"),
        ("", "RESTORE INFILE(COPY) REPLACE"),
    ] {
        let (start, files) = (disk("", ""), Files::new());
        let mut world = World::on(Arc::new(SimDisk::from(start.clone())));
        files.dd(&mut world, "COPY");
        world.ok("BACKUP (PAY.MORE) OUTFILE(COPY)");
        let disk = Arc::new(SimDisk::from(start));
        let mut world = World::on(disk.clone());
        if !deleted.is_empty() {
            world.ok(deleted);
        }
        drop(world);
        with_little_space_and(
            &disk.image(),
            |world| files.dd(world, "COPY"),
            command,
            |world, listing| {
                let restored = listing.contains("CICA0962I CLUSTER PAY.MORE RESTORED");
                if restored || deleted.is_empty() {
                    assert_eq!(records(world, "PAY.MORE").len(), RECORDS, "{listing}")
                } else {
                    assert!(
                        on_volume(world).iter().all(|file| !file.starts_with("PAY.MORE")),
                        "{listing}"
                    )
                }
                assert_eq!(records(world, "PAY.BASE").len(), RECORDS);
            },
        );
    }
}

#[test]
fn copies_that_cannot_be_written_change_nothing() {
    let commands = [
        "EXPORT PAY.BASE OUTFILE(COPY)",
        "EXPORT PAY.BASE OUTFILE(COPY) TEMPORARY INHIBITSOURCE",
        "BACKUP (PAY.*) OUTFILE(COPY)",
        "REPRO IDS(PAY.BASE) OUTFILE(COPY)",
        "PRINT IDS(PAY.BASE) OUTFILE(COPY)",
        "DCOLLECT OUTFILE(COPY)",
    ];
    for command in commands {
        let image = disk("", "");
        let mut world = World::on(Arc::new(SimDisk::from(image.clone())));
        world.services.dd.insert("COPY", DdText::parse("/dev/full").unwrap());
        let before = world.services.catalog.contents().unwrap();
        let (cc, listing) = world.run(command);
        assert_eq!(cc, 12, "{command}: {listing}");
        let why = match command {
            // What deletes its original is not written to a stream at all.
            "EXPORT PAY.BASE OUTFILE(COPY)" => "it is no file that keeps",
            _ => "No space left on device",
        };
        assert!(listing.contains(why), "{command}: {listing}");
        assert_eq!(records(&world, "PAY.BASE").len(), RECORDS, "{command}");
        assert_eq!(*world.services.catalog.contents().unwrap(), *before, "{command}");
        let (mut world, files) = (World::on(Arc::new(SimDisk::from(image))), Files::new());
        files.dd(&mut world, "COPY");
        world.ok(command);
    }
}

#[test]
fn a_file_that_cannot_be_made_is_told_with_its_reason() {
    for command in ["REPRO IDS(PAY.BASE) OUTFILE(COPY)", "DCOLLECT OUTFILE(COPY)"] {
        let (mut world, files) = (World::on(Arc::new(SimDisk::from(disk("", "")))), Files::new());
        let text = files.path("no/such").display().to_string();
        world.services.dd.insert("COPY", DdText::parse(&text).unwrap());
        let told = world.messages(command, 12);
        assert!(told[0].starts_with("IDC3300I"), "{command}: {told:#?}");
        assert!(told[1].contains("RETURN CODE IS 128"), "{command}: {told:#?}");
        assert!(told[1].contains("No such file or directory"), "{command}: {told:#?}");
    }
}
