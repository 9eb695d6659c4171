//! DELETE: which entries go, what becomes of their files, and what is refused.

use crate::world::{golden, has_bytes, World, MASTER};
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Open, SimDisk};
use cica_engine::Access;
use std::path::Path;
use std::sync::Arc;

fn three() -> World {
    let mut world = World::new();
    for name in ["PAY.A.X", "PAY.B.X", "PAY.C.Y"] {
        world.ok(&format!("DEF CL (NAME({name}) TRK(1 1) KEYS(11 0) RECSZ(300 300))"));
    }
    world
}

#[test]
fn what_is_told() {
    let mut world = World::new();
    world.ok(MASTER);
    let (cc, listing) = world.run("DELETE PAY.MASTER CLUSTER\nDELETE PAY.MASTER");
    golden("delete.txt", &listing);
    assert_eq!(cc, 8);
    assert!(world.files("/cat/volumes/CICA01").is_empty());
}

#[test]
fn not_found_is_8_and_the_next_command_runs() {
    let mut world = World::new();
    let ids = ["IDC3012I", "IDC3009I", "IDC0551I"];
    world.refused(
        "DELETE NO.SUCH CLUSTER PURGE",
        8,
        &ids,
        "RETURN CODE IS 8 - REASON CODE IS IGG0CLEG-42",
    );
    world.ok(&format!(
        "DELETE PAY.MASTER\nIF LASTCC = 8 THEN SET MAXCC = 0\n{MASTER}"
    ));
    assert_eq!(world.names(), ["PAY.MASTER"]);
}

#[test]
fn a_list_goes_entry_by_entry() {
    let mut world = three();
    let told = world.messages("DELETE (PAY.A.X NO.SUCH PAY.C.Y)", 8);
    assert!(
        told.contains(&"IDC0551I ** ENTRY NO.SUCH NOT DELETED".to_owned()),
        "{told:?}"
    );
    assert_eq!(world.names(), ["PAY.B.X"]);
}

#[test]
fn generic_names() {
    let cases = [
        // One * for a whole qualifier needs no MASK.
        ("DELETE PAY.*.X", 0, vec!["PAY.C.Y"]),
        ("DELETE PAY.A.*", 0, vec!["PAY.B.X", "PAY.C.Y"]),
        // Others do, whatever they match.
        ("DELETE PAY.**", 8, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
        ("DELETE PAY.%.X", 8, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
        ("DELETE PAY.%.Y", 8, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
        // A mask stands alone.
        ("DELETE (PAY.A.X PAY.**) MASK", 8, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
        ("DELETE PAY.** MASK", 0, vec![]),
        (
            "DELETE PAY.** MASK EXCLUDE(PAY.B.* PAY.C.Y)",
            0,
            vec!["PAY.B.X", "PAY.C.Y"],
        ),
        ("DELETE PAY.** MASK TEST", 0, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
        ("DELETE PAY.** MASK ALIAS", 8, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
        // Components are no entries: nothing matches.
        ("DELETE PAY.A.X.*", 8, vec!["PAY.A.X", "PAY.B.X", "PAY.C.Y"]),
    ];
    for (cards, cc, left) in cases {
        let mut world = three();
        let (maxcc, listing) = world.run(cards);
        assert_eq!(maxcc, cc, "{listing}");
        assert_eq!(world.names(), left, "{cards}");
        assert_eq!(world.files("/cat/volumes/CICA01").len(), 2 * left.len(), "{cards}");
    }
    three().refused(
        "DELETE PAY.**",
        8,
        &["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"],
        "PAY.** is generic",
    );
}

#[test]
fn test_shows_and_deletes_nothing() {
    let mut world = World::new();
    world.ok(MASTER);
    let told = world.messages("DELETE PAY.MASTER TEST", 0);
    assert_eq!(
        told,
        [
            "IDC0556I ENTRY (D) PAY.MASTER.DATA WILL BE DELETED",
            "IDC0556I ENTRY (I) PAY.MASTER.INDEX WILL BE DELETED",
            "IDC0556I ENTRY (C) PAY.MASTER WILL BE DELETED",
        ]
    );
    assert_eq!(world.names(), ["PAY.MASTER"]);
}

#[test]
fn types_must_agree() {
    let mut world = World::new();
    world.ok(MASTER);
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
    world.refused("DELETE PAY.MASTER PATH", 8, &ids, "RETURN CODE IS 48");
    world.refused("DELETE PAY.MASTER.DATA", 8, &ids, "is the DATA component of PAY.MASTER");
    world.refused(
        "DELETE PAY.MASTER CATALOG(UCAT)",
        12,
        &["CICA0932E", "IDC0551I"],
        "UCAT",
    );
    world.refused("DELETE PAY.MASTER SPACE", 12, &["CICA0908E"], "SPACE");
}

#[test]
fn unexpired_needs_purge() {
    let mut world = World::new();
    world.ok("DEF CL (NAME(PAY.A) TRK(1) KEYS(4 0) RECSZ(80 80) FOR(10))");
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
    world.refused("DELETE PAY.A", 8, &ids, "RETURN CODE IS 84");
    world.days_later(9);
    world.refused("DELETE PAY.A NOPURGE", 8, &ids, "kept until 2022.252");
    world.refused("DELETE PAY.A TEST", 8, &ids, "kept until 2022.252");
    world.days_later(10);
    world.ok("DELETE PAY.A");
    world.days_later(0);
    world.ok("DEF CL (NAME(PAY.A) TRK(1) KEYS(4 0) RECSZ(80 80) FOR(10))\nDELETE PAY.A PURGE");
    assert!(world.names().is_empty());
}

#[test]
fn a_data_set_in_use_is_not_deleted() {
    let mut world = World::new();
    world.ok(MASTER);
    world.load("PAY.MASTER", 1);
    let other = world.other();
    let data_set = other.open("PAY.MASTER", Access::Output);
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
    world.refused("DELETE PAY.MASTER PURGE", 8, &ids, "RETURN CODE IS 184");
    assert_eq!(world.files("/cat/volumes/CICA01").len(), 2);
    data_set.close().unwrap();
    world.ok("DELETE PAY.MASTER");
}

#[test]
fn noscratch_leaves_the_files() {
    let mut world = World::new();
    world.ok(MASTER);
    world.load("PAY.MASTER", 3);
    world.ok("DELETE PAY.MASTER NOSCRATCH");
    assert!(world.names().is_empty());
    assert_eq!(
        world.files("/cat/volumes/CICA01"),
        ["PAY.MASTER.DATA", "PAY.MASTER.INDEX"]
    );
}

/// Whether ERASE left anything of the data component, read through a handle that outlives its name.
fn left_after(define: &str, delete: &str) -> bool {
    let mut world = World::new();
    world.ok(&format!(
        "DEF CL (NAME(PAY.A) TRK(1) KEYS(11 0) RECSZ(300 300) {define})"
    ));
    world.load("PAY.A", 3);
    let file = world.disk.open(&world.paths("PAY.A").0, Open::default()).unwrap();
    world.ok(&format!("DELETE PAY.A {delete}"));
    has_bytes(&*file)
}

#[test]
fn erase_overwrites() {
    assert!(left_after("", ""));
    assert!(!left_after("ERASE", ""));
    assert!(!left_after("", "ERASE"));
    assert!(left_after("ERASE", "NOERASE"), "DELETE goes over what the entry says");
}

#[test]
fn a_volume_that_is_not_there_keeps_its_entries() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(VOL001) PATH('/mnt'))");
    world.ok("DEF CL (NAME(PAY.A) TRK(1) KEYS(4 0) RECSZ(80 80) VOL(VOL001))");
    for (file, _) in world.disk.list(Path::new("/mnt")).unwrap() {
        world.disk.remove(&Path::new("/mnt").join(file)).unwrap();
    }
    world.disk.remove(Path::new("/mnt")).unwrap();
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
    world.refused("DELETE PAY.A", 8, &ids, "volume VOL001 is not there in /mnt");
    world.ok("DELETE PAY.A NOSCRATCH");
}

#[test]
fn an_entry_without_files_can_be_deleted() {
    let mut world = World::new();
    world.ok(MASTER);
    let (data, index) = world.paths("PAY.MASTER");
    world.disk.remove(&data).unwrap();
    world.disk.remove(&index).unwrap();
    world.ok("DELETE PAY.MASTER");
    assert!(world.names().is_empty());
}

#[test]
fn volumes() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(VOL001))\nDEF CL (NAME(PAY.A) TRK(1) KEYS(4 0) RECSZ(80 80) VOL(VOL001))");
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
    world.refused("DELETE VOL001 VOLUME", 8, &ids, "still holds PAY.A");
    world.refused("DELETE NOSUCH VOLUME", 8, &ids, "not known");
    world.ok("DELETE PAY.A");
    assert_eq!(
        world.messages("DELETE VOL001 VOLUME", 0),
        ["IDC0550I ENTRY (V) VOL001 DELETED"]
    );
}

/// Whatever call to the disk fails: an entry that is still there has its records.
#[test]
fn a_delete_that_fails_loses_no_records_of_an_entry() {
    for nth in 1.. {
        let disk = Arc::new(SimDisk::new());
        let mut world = World::on(disk.clone());
        world.ok(MASTER);
        world.load("PAY.MASTER", 3);
        let before = disk.calls().of(Call::Any);
        disk.set_faults(Faults::none().fail(Call::Any, nth, Errno::Io));
        let (cc, listing) = world.run("DELETE PAY.MASTER");
        let used = disk.calls().of(Call::Any) - before;
        disk.set_faults(Faults::none());
        let mut world = world.other();
        if !world.names().is_empty() {
            assert_eq!(cc, 8, "call {nth}: {listing}");
            let data_set = world.open("PAY.MASTER", Access::Input);
            assert_eq!(data_set.statistics().0.records, 3, "call {nth}");
            data_set.close().unwrap();
            world.ok("DELETE PAY.MASTER");
        } else if used < nth {
            assert_eq!(cc, 0, "{listing}");
            assert!(world.files("/cat/volumes/CICA01").is_empty());
            return;
        } else {
            // What could not be done is told, unless it was of no consequence.
            let gone = world.files("/cat/volumes/CICA01").is_empty();
            assert!(cc == 4 || cc == 8 || gone, "call {nth}: {listing}");
        }
    }
}

#[test]
fn truename_takes_an_entry_that_leads_nowhere() {
    use cica_catalog::entry::{Alias, Relate};
    let mut world = World::new();
    let name = |text: &str| cica_catalog::Name::parse(text).unwrap();
    let alias = Alias {
        name: name("WAGES"),
        relate: Relate::Entry(name("PAY.GONE")),
    };
    let catalog = world.services.catalog.clone();
    catalog
        .transact(|contents| contents.insert(cica_catalog::Entry::Alias(alias)))
        .unwrap();
    let told = world.messages("DELETE WAGES TRUENAME TEST", 0);
    assert_eq!(told, ["IDC0556I ENTRY (X) WAGES WILL BE DELETED"]);
    let told = world.messages("DELETE WAGES TRUENAME", 0);
    assert_eq!(told, ["IDC0550I ENTRY (X) WAGES DELETED"]);
    assert!(world.names().is_empty());
}

#[test]
fn a_component_that_no_catalog_names_stays_while_somebody_has_it_open() {
    let mut world = World::new();
    world.ok(MASTER);
    let data_set = world.open("PAY.MASTER", cica_engine::Access::Output);
    world
        .services
        .catalog
        .clone()
        .transact(|c| c.remove(&cica_catalog::Name::parse("PAY.MASTER").unwrap()).map(drop))
        .unwrap();
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
    world.refused("DELETE PAY.MASTER.DATA VVR", 8, &ids, "is in use");
    data_set.close().unwrap();
    world.ok("DELETE PAY.MASTER.DATA VVR\nDELETE PAY.MASTER.INDEX VVR ERASE");
    assert!(world.files("/cat/volumes/CICA01").is_empty());
}

#[test]
fn a_component_that_no_catalog_names_does_not_come_back_with_a_power_cut() {
    let disk = SimDisk::new();
    let mut world = World::on(Arc::new(disk.clone()));
    world.ok(MASTER);
    let catalog = world.services.catalog.clone();
    catalog
        .transact(|c| c.remove(&cica_catalog::Name::parse("PAY.MASTER").unwrap()).map(drop))
        .unwrap();
    world.ok("DELETE PAY.MASTER.DATA VVR");
    world.ok("DELETE PAY.MASTER.INDEX VVR");
    let image = disk.trace().crash_after(disk.events()).image_of(0);
    let world = World::on(Arc::new(SimDisk::from(image)));
    assert!(world.files("/cat/volumes/CICA01").is_empty());
}

#[test]
fn what_hangs_on_generations_goes_with_their_group() {
    for how in ["FORCE", "RECOVERY"] {
        let mut world = World::new();
        world.ok("DEF GDG (NAME(PAY.G) LIM(3))\n\
                  DEF CL (NAME(PAY.G.G0001V00) TRK(1) KEYS(4 0) RECSZ(20 20))\n\
                  DEF AIX (NAME(PAY.X) RELATE(PAY.G.G0001V00) TRK(1) KEYS(2 4) RECSZ(20 20))\n\
                  DEF PATH (NAME(PAY.P) PENT(PAY.X))");
        world.ok(&format!("DELETE PAY.G GDG {how}"));
        assert!(world.names().is_empty(), "{how}: {:?}", world.names());
        assert_eq!(world.files("/cat/volumes/CICA01").is_empty(), how == "FORCE");
    }
}

/// A file that cannot be overwritten is not removed: who opens the catalog next does both.
#[test]
fn a_file_that_cannot_be_opened_is_overwritten_later() {
    let disk = SimDisk::new();
    let mut world = World::on(Arc::new(disk.clone()));
    world.ok("DEF NVSAM (NAME(PAY.SEQ) DEVT(3390) VOL(CICA01))");
    let path = Path::new("/cat/volumes/CICA01/PAY.SEQ");
    let how = Open {
        write: true,
        create: cica_disk::Create::New,
        ..Open::default()
    };
    let secret = b"SECRET";
    let write = cica_disk::WriteAt { at: 0, buf: secret };
    world.disk.open(path, how).unwrap().write(&[write]).unwrap();
    disk.set_faults(Faults::none().fail_from(Call::Open, 1, Errno::Io).only(path));
    let (cc, listing) = world.run("DELETE PAY.SEQ ERASE");
    assert!(cc > 0 && listing.contains("PAY.SEQ"), "{listing}");
    disk.set_faults(Faults::none());
    assert!(world.disk.open(path, Open::default()).is_ok(), "{listing}");
    drop(world);
    let world = World::on(Arc::new(disk.clone()));
    assert!(world.disk.open(path, Open::default()).is_err());
}
