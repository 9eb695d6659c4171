//! BACKUP and RESTORE: what comes back, under which names, and what is refused.

use crate::files::{leftovers, live, on_volume, records, Files, SMALL};
use crate::world::World;
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::SimDisk;
use cica_engine::Access;
use std::sync::Arc;

/// A world with a data set, and a copy of it.
fn copied() -> (World, Files) {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 400);
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY)");
    (world, files)
}

#[test]
fn what_is_restored_is_what_was_stored_with_its_splits_and_freespace() {
    let (mut world, _files) = copied();
    let (before, roots) = (records(&world, "PAY.SMALL"), world.roots("PAY.SMALL"));
    assert!(roots.0.statistics.ci_splits > 10);
    let (_, listed) = world.run("LISTC ENT(PAY.SMALL) ALL");
    world.ok("DELETE PAY.SMALL");
    let told = world.messages("RESTORE INFILE(COPY)", 0);
    assert!(told[0].starts_with("CICA0962I CLUSTER PAY.SMALL RESTORED"), "{told:?}");
    assert!(told[0].ends_with("CONTROL INTERVALS WITH 520 RECORDS"), "{told:?}");
    assert_eq!(records(&world, "PAY.SMALL"), before);
    let again = world.roots("PAY.SMALL");
    assert_eq!(again.0.statistics, roots.0.statistics);
    assert_eq!(again.1.statistics, roots.1.statistics);
    assert_eq!((again.0.levels, again.0.high_used), (roots.0.levels, roots.0.high_used));
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
    assert_eq!(world.run("LISTC ENT(PAY.SMALL) ALL").1, listed);
    assert_eq!(on_volume(&world), ["PAY.SMALL.DATA", "PAY.SMALL.INDEX"]);
    assert_eq!(leftovers(&world), 0);
    // It is a data set like any other.
    let data_set = world.open("PAY.SMALL", Access::Output);
    let mut string = data_set.string();
    string
        .insert(b"99999999999 NEW RECORD", cica_engine::Insert::Direct)
        .unwrap();
    drop(string);
    data_set.close().unwrap();
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
}

#[test]
fn an_empty_data_set_comes_back_empty() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY)\nDELETE PAY.SMALL\nRESTORE INFILE(COPY)");
    assert_eq!(world.roots("PAY.SMALL").0.levels, 0);
    live(&world, "PAY.SMALL", 10);
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
}

#[test]
fn several_come_back_under_other_names_and_on_another_volume() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok("DEFINE VOLUME (NAME(VOL002) PATH('/other') DEVICETYPE(3380))");
    world.ok(SMALL);
    world.ok(&SMALL.replace("PAY.SMALL", "PAY.B.ONE"));
    world.ok(&SMALL.replace("PAY.SMALL", "HR.C"));
    for name in ["PAY.SMALL", "PAY.B.ONE", "HR.C"] {
        live(&world, name, 50);
    }
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.** HR.C) OUTFILE(COPY) EXCLUDE(PAY.B.**)");
    world.ok("RESTORE INFILE(COPY) RENAME((PAY.* TEST.*) (HR.C TEST.D)) VOLUMES(VOL002)");
    assert_eq!(
        world.names(),
        ["HR.C", "PAY.B.ONE", "PAY.SMALL", "TEST.D", "TEST.SMALL"]
    );
    assert_eq!(records(&world, "TEST.SMALL"), records(&world, "PAY.SMALL"));
    let cluster = world.cluster("TEST.D");
    assert_eq!(cluster.data.name.as_str(), "TEST.D.DATA");
    assert_eq!(cluster.data.volumes[0].as_str(), "VOL002");
    assert_eq!(world.roots("TEST.D").0.attributes.cluster_name, "TEST.D");
    assert_eq!(
        world.files("/other"),
        ["TEST.D.DATA", "TEST.D.INDEX", "TEST.SMALL.DATA", "TEST.SMALL.INDEX"]
    );
}

#[test]
fn a_name_in_use_is_replaced_only_when_that_is_said() {
    let (mut world, _files) = copied();
    let before = records(&world, "PAY.SMALL");
    world.refused("RESTORE INFILE(COPY)", 8, &["CICA0965E"], "say REPLACE");
    world.ok("DELETE PAY.SMALL");
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 7);
    world.ok("RESTORE INFILE(COPY) REPLACE");
    assert_eq!(records(&world, "PAY.SMALL"), before);
    assert_eq!(on_volume(&world).len(), 2, "{:?}", on_volume(&world));
    assert_eq!(leftovers(&world), 0);
    world.ok("ALTER PAY.SMALL TO(2030001)");
    world.refused(
        "RESTORE INFILE(COPY) REPLACE",
        8,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        "say PURGE",
    );
    world.ok("RESTORE INFILE(COPY) REPLACE PURGE");
}

#[test]
fn a_data_set_in_use_is_neither_copied_nor_replaced() {
    let (mut world, files) = copied();
    let other = world.other();
    let open = other.open("PAY.SMALL", Access::Output);
    files.dd(&mut world, "COPY2");
    world.refused(
        "BACKUP (PAY.SMALL) OUTFILE(COPY2)",
        12,
        &["IDC3300I", "IDC3351I"],
        "in use",
    );
    world.refused(
        "RESTORE INFILE(COPY) REPLACE",
        8,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        "is in use",
    );
    open.close().unwrap();
    let open = other.open("PAY.SMALL", Access::Input);
    files.dd(&mut world, "COPY3");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY3)");
    open.close().unwrap();
}

#[test]
fn one_member_of_many_is_taken_and_test_takes_none() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    world.ok(&SMALL.replace("PAY.SMALL", "PAY.OTHER"));
    live(&world, "PAY.OTHER", 20);
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.**) OUTFILE(COPY)\nDELETE (PAY.SMALL PAY.OTHER)");
    let told = world.messages("RESTORE INFILE(COPY) TEST", 0);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|line| line.contains("WOULD BE RESTORED")), "{told:?}");
    assert!(told[0].ends_with("WITH 26 RECORDS"), "{told:?}");
    assert!(world.names().is_empty());
    world.ok("RESTORE (PAY.OTHER) INFILE(COPY)");
    assert_eq!(world.names(), ["PAY.OTHER"]);
    world.refused("RESTORE (NO.SUCH) INFILE(COPY)", 8, &["CICA0967E"], "NO.SUCH");
    files.dd(&mut world, "COPY2");
    world.refused("BACKUP (NO.SUCH) OUTFILE(COPY2)", 8, &["CICA0967E"], "NO.SUCH");
}

#[test]
fn a_copy_goes_to_a_file_of_its_own() {
    let (mut world, files) = copied();
    let bytes = files.read("COPY");
    world.refused(
        "BACKUP (PAY.SMALL) OUTFILE(COPY)",
        12,
        &["CICA0964E"],
        "earlier command",
    );
    assert_eq!(files.read("COPY"), bytes);
    world.refused("RESTORE INFILE(NONE)", 12, &["IDC3300I", "IDC3351I"], "NO DD STATEMENT");
}

#[test]
fn several_catalogs_go_into_one_copy_and_each_gets_back_what_is_its_own() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok("DEFINE USERCATALOG (NAME(CAT.HR) VOLUME(CICA01) CYLINDERS(1))\nDEFINE ALIAS (NAME(HR) RELATE(CAT.HR))");
    world.ok(SMALL);
    world.ok(&SMALL.replace("PAY.SMALL", "HR.PEOPLE"));
    live(&world, "PAY.SMALL", 30);
    world.ok("REPRO INDATASET(PAY.SMALL) OUTDATASET(HR.PEOPLE)");
    let names = world.names();
    assert!(!names.iter().any(|name| name == "HR.PEOPLE"), "{names:?}");
    files.dd(&mut world, "COPY");
    let told = world.messages("BACKUP (**) OUTFILE(COPY)", 0);
    assert!(told.iter().any(|line| line.contains("HR.PEOPLE COPIED")), "{told:?}");
    world.ok("DELETE HR.PEOPLE\nDELETE PAY.SMALL");
    world.ok("RESTORE (PAY.** HR.PEOPLE) INFILE(COPY)");
    assert_eq!(world.names(), names);
    world.ok("EXAMINE NAME(HR.PEOPLE) ITEST DTEST\nEXAMINE NAME(PAY.SMALL) ITEST DTEST");
}

/// Catalogs are changed one after the other: when the second cannot be, the listing says what is restored and what not.
#[test]
fn a_catalog_that_cannot_be_changed_keeps_what_it_had_and_the_account_is_right() {
    let disk = Arc::new(SimDisk::new());
    let (mut world, files) = (World::on(disk.clone()), Files::new());
    world.ok("DEF UCAT (NAME(UCAT.HR) CYL(1) VOL(CICA01))\nDEF ALIAS (NAME(HR) RELATE(UCAT.HR))");
    for name in ["PAY.A", "HR.A", "PAY.B"] {
        world.ok(&SMALL.replace("PAY.SMALL", name));
    }
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.* HR.*) OUTFILE(COPY)\nDELETE (PAY.A PAY.B HR.A)");
    // HR.A comes first. Two changes of the master list the files of the others, the third switches.
    disk.set_faults(Faults::none().fail(Call::Rename, 3, Errno::Io).only("/cat/catalog.new"));
    let (cc, listing) = world.run("RESTORE INFILE(COPY)");
    disk.set_faults(Faults::none());
    assert_eq!(cc, 8, "{listing}");
    let (_, there) = world.run("LISTCAT ENTRIES(HR.A PAY.A PAY.B) NAME");
    for (name, expected) in [("HR.A", true), ("PAY.A", false), ("PAY.B", false)] {
        let restored = listing.contains(&format!("CICA0962I CLUSTER {name} RESTORED"));
        let refused = listing.contains(&format!("CICA0965E {name}"));
        let is_there = there.contains(&format!("CLUSTER ------- {name}"));
        assert_eq!((restored, refused), (is_there, !is_there), "{name}: {listing}{there}");
        assert_eq!(is_there, expected, "{listing}");
    }
    drop(world);
    let mut world = World::on(disk);
    assert_eq!(leftovers(&world), 0);
    files.dd(&mut world, "COPY");
    world.ok("RESTORE (PAY.*) INFILE(COPY)");
}
