//! EXPORT and IMPORT: records with their definition, under the same name or another, and what is refused.

use crate::files::{leftovers, live, on_volume, records, Files, SMALL};
use crate::world::{has_bytes, World, NOW};
use cica_catalog::entry::{Alias, History, PathEntry, Relate};
use cica_catalog::{Date, Entry, Name};
use cica_disk::Open;
use cica_engine::Access;

/// A world with a data set, a path and an alias to it, and a DD for a copy.
fn world() -> (World, Files) {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 400);
    let name = |text: &str| Name::parse(text).unwrap();
    let path = Entry::Path(PathEntry {
        name: name("PAY.PATH"),
        target: name("PAY.SMALL"),
        update: true,
        history: History::new(Date::of_clock(NOW)),
    });
    let alias = Entry::Alias(Alias {
        name: name("SMALL"),
        relate: Relate::Entry(name("PAY.SMALL")),
    });
    world
        .services
        .catalog
        .transact(|contents| {
            contents.insert(path)?;
            contents.insert(alias)
        })
        .unwrap();
    files.dd(&mut world, "COPY");
    (world, files)
}

#[test]
fn what_was_exported_for_good_is_gone_and_comes_back() {
    let (mut world, _files) = world();
    let before = records(&world, "PAY.SMALL");
    let told = world.messages("EXPORT PAY.SMALL OUTFILE(COPY)", 0);
    assert_eq!(
        told,
        [
            "IDC0005I NUMBER OF RECORDS PROCESSED WAS 520",
            "IDC0594I PORTABLE DATA SET CREATED SUCCESSFULLY ON 08/30/22 AT 00:00:00",
            "IDC0550I ENTRY (X) SMALL DELETED",
            "IDC0550I ENTRY (R) PAY.PATH DELETED",
            "IDC0550I ENTRY (D) PAY.SMALL.DATA DELETED",
            "IDC0550I ENTRY (I) PAY.SMALL.INDEX DELETED",
            "IDC0550I ENTRY (C) PAY.SMALL DELETED",
        ]
    );
    assert!(world.names().is_empty() && on_volume(&world).is_empty());
    assert_eq!(leftovers(&world), 0);
    let told = world.messages("IMPORT INFILE(COPY)", 0);
    assert_eq!(
        told,
        [
            "IDC0604I DATA SET BEING IMPORTED WAS EXPORTED ON 08/30/22 AT 00:00:00",
            "IDC0005I NUMBER OF RECORDS PROCESSED WAS 520",
        ]
    );
    assert_eq!(world.names(), ["PAY.PATH", "PAY.SMALL"]);
    assert_eq!(records(&world, "PAY.SMALL"), before);
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
    let statistics = world.roots("PAY.SMALL").0.statistics;
    assert_eq!((statistics.records, statistics.ci_splits), (520, 0));
    assert_eq!(leftovers(&world), 0);
}

#[test]
fn aliases_come_back_when_that_is_said() {
    let (mut world, _files) = world();
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY)\nIMPORT INFILE(COPY) ALIAS");
    assert_eq!(world.names(), ["PAY.PATH", "PAY.SMALL", "SMALL"]);
}

#[test]
fn a_temporary_copy_leaves_the_original_and_may_replace_it() {
    let (mut world, files) = world();
    let before = records(&world, "PAY.SMALL");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY INHIBITTARGET");
    assert!(world.cluster("PAY.SMALL").attributes.exported);
    let data_set = world.open("PAY.SMALL", Access::Output);
    let mut string = data_set.string();
    string
        .insert(b"99999999999 LATER", cica_engine::Insert::Direct)
        .unwrap();
    drop(string);
    data_set.close().unwrap();
    world.ok("IMPORT INFILE(COPY)");
    assert_eq!(records(&world, "PAY.SMALL"), before);
    let said = world.cluster("PAY.SMALL").attributes;
    assert!(said.inhibit && !said.exported);
    assert_eq!(on_volume(&world).len(), 2);
    // The mark is gone with the data set it was on.
    world.refused(
        "IMPORT INFILE(COPY)",
        12,
        &["IDC0604I", "IDC3013I", "IDC3009I"],
        "PAY.SMALL",
    );
    files.dd(&mut world, "NEXT");
    world.ok("EXPORT PAY.SMALL OUTFILE(NEXT) TEMPORARY INHIBITSOURCE");
    assert!(world.cluster("PAY.SMALL").attributes.inhibit);
}

#[test]
fn an_import_under_other_names_and_on_another_volume() {
    let (mut world, _files) = world();
    world.ok("DEFINE VOLUME (NAME(VOL002) PATH('/other') DEVICETYPE(3380))");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY");
    world.ok(
        "IMPORT INFILE(COPY) OBJECTS((PAY.SMALL NEWNAME(TEST.SMALL) VOLUMES(VOL002)) -\n\
         (PAY.SMALL.INDEX NEWNAME(TEST.KEYS)) (PAY.PATH NEWNAME(TEST.PATH)))",
    );
    assert_eq!(
        world.names(),
        ["PAY.PATH", "PAY.SMALL", "SMALL", "TEST.PATH", "TEST.SMALL"]
    );
    assert_eq!(records(&world, "TEST.SMALL"), records(&world, "PAY.SMALL"));
    let cluster = world.cluster("TEST.SMALL");
    assert_eq!(cluster.data.name.as_str(), "TEST.SMALL.DATA");
    assert_eq!(cluster.index.unwrap().name.as_str(), "TEST.KEYS");
    assert_eq!(cluster.data.volumes[0].as_str(), "VOL002");
    let path = world.services.catalog.get(&Name::parse("TEST.PATH").unwrap()).unwrap();
    assert!(matches!(path, Entry::Path(path) if path.target.as_str() == "TEST.SMALL"));
    world.refused(
        "IMPORT INFILE(COPY) OBJECTS((PAY.SMALL NEWNAME(TEST.X) VOLUMES(NOVOL1)))",
        12,
        &["IDC0604I", "IDC3014I", "CICA0934E", "IDC3009I"],
        "NOVOL1",
    );
}

#[test]
fn an_empty_data_set_takes_the_records_with_its_own_definition() {
    let (mut world, _files) = world();
    let before = records(&world, "PAY.SMALL");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY)");
    world.ok(&SMALL.replace("CISZ(512) FSPC(20 10)", "CISZ(4096)"));
    world.refused(
        "IMPORT INFILE(COPY)",
        12,
        &["IDC0604I", "IDC3013I", "IDC3009I"],
        "PAY.SMALL",
    );
    world.ok("IMPORT INFILE(COPY) INTOEMPTY");
    assert_eq!(records(&world, "PAY.SMALL"), before);
    assert_eq!(world.cluster("PAY.SMALL").data.ci_size, 4096);
    world.refused(
        "IMPORT INFILE(COPY) INTOEMPTY",
        12,
        &["IDC0604I", "IDC3014I", "CICA0934E", "IDC3009I"],
        "is not empty",
    );
    // A definition that cannot hold them takes none of them.
    world.ok("DELETE PAY.SMALL");
    world.ok("DEF CL (NAME(PAY.SMALL) TRK(1 1) KEYS(11 0) RECSZ(60 60))");
    let (cc, listing) = world.run("IMPORT INFILE(COPY) INTOEMPTY");
    assert!(
        cc == 12 && listing.contains("this data set takes 11 to 60"),
        "{listing}"
    );
    assert_eq!(world.roots("PAY.SMALL").0.levels, 0);
    assert_eq!(leftovers(&world), 0);
}

#[test]
fn control_intervals_are_exported_as_they_are() {
    let (mut world, _files) = world();
    let roots = world.roots("PAY.SMALL");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY) CIMODE\nIMPORT INFILE(COPY)");
    assert_eq!(world.roots("PAY.SMALL").0.statistics, roots.0.statistics);
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
}

#[test]
fn a_data_set_that_was_never_loaded_comes_back_so() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    files.dd(&mut world, "COPY");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY)\nIMPORT INFILE(COPY)");
    assert_eq!(world.roots("PAY.SMALL").0.levels, 0);
}

#[test]
fn what_may_not_be_exported_stays() {
    let (mut world, files) = world();
    world.refused("EXPORT NO.SUCH OUTFILE(COPY)", 12, &["IDC3012I", "IDC3009I"], "NO.SUCH");
    world.refused(
        "EXPORT PAY.PATH OUTFILE(COPY)",
        12,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        "has no contents",
    );
    world.ok("ALTER PAY.SMALL TO(2030001)");
    world.refused(
        "EXPORT PAY.SMALL OUTFILE(COPY)",
        12,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        "is kept until",
    );
    assert!(!files.path("COPY").exists());
    let other = world.other();
    let open = other.open("PAY.SMALL", Access::Input);
    let told = world.messages("EXPORT PAY.SMALL OUTFILE(COPY) PURGE", 12);
    assert!(told.iter().any(|line| line.contains("is in use")), "{told:?}");
    open.close().unwrap();
    assert_eq!(world.names(), ["PAY.PATH", "PAY.SMALL", "SMALL"]);
    files.dd(&mut world, "NEXT");
    world.ok("EXPORT PAY.SMALL OUTFILE(NEXT) PURGE");
    assert!(world.names().is_empty());
}

#[test]
fn a_damaged_or_cut_copy_imports_nothing() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 12);
    files.dd(&mut world, "COPY");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY)");
    let bytes = files.read("COPY");
    let mut nothing = |changed: &[u8], what: String| {
        files.write("COPY", changed);
        let (cc, listing) = world.run("IMPORT INFILE(COPY)");
        assert_eq!(cc, 12, "{what}: {listing}");
        assert!(
            listing.contains("CICA0963E") && listing.contains("at byte"),
            "{what}: {listing}"
        );
        assert!(world.names().is_empty() && on_volume(&world).is_empty(), "{what}");
        assert_eq!(leftovers(&world), 0, "{what}");
    };
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        nothing(&changed, format!("byte {at}"));
        nothing(&bytes[..at], format!("{at} bytes"));
    }
    files.write("COPY", &bytes);
    world.ok("IMPORT INFILE(COPY)");
}

/// Are bytes of the data component left when `cards` have taken it away or replaced it? Read through a handle that
/// outlives its name.
fn left_after(before: &str, cards: &str) -> bool {
    let (mut world, _files) = world();
    world.ok(before);
    let file = world.disk.open(&world.paths("PAY.SMALL").0, Open::default()).unwrap();
    world.ok(cards);
    has_bytes(&*file)
}

#[test]
fn erase_overwrites_what_export_takes_away_and_import_replaces() {
    let (erase, noerase) = ("ALTER PAY.SMALL ERASE", "ALTER PAY.SMALL NOERASE");
    assert!(left_after(noerase, "EXPORT PAY.SMALL OUTFILE(COPY)"));
    assert!(!left_after(noerase, "EXPORT PAY.SMALL OUTFILE(COPY) ERASE"));
    assert!(!left_after(erase, "EXPORT PAY.SMALL OUTFILE(COPY)"));
    assert!(left_after(erase, "EXPORT PAY.SMALL OUTFILE(COPY) NOERASE"));
    let copied = "EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY";
    assert!(left_after(copied, "IMPORT INFILE(COPY)"));
    assert!(!left_after(copied, "IMPORT INFILE(COPY) ERASE"));
}

/// The copy may be all that is left: nothing that the run writes later goes over it.
#[test]
fn nothing_of_the_same_run_goes_over_a_copy() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 20);
    let before = records(&world, "PAY.SMALL");
    files.write("CARDS", b"ONE\n");
    files.dd(&mut world, "CARDS");
    files.dd(&mut world, "COPY");
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY)");
    for over in [
        "LISTCAT OUTFILE(COPY)",
        "REPRO INFILE(CARDS) OUTFILE(COPY)",
        "PRINT INFILE(CARDS) OUTFILE(COPY)",
        "DCOLLECT OUTFILE(COPY) VOL(*)",
    ] {
        let (cc, listing) = world.run(over);
        assert!(
            cc >= 8 && listing.contains("earlier command of this run"),
            "{over}: {listing}"
        );
    }
    world.ok("IMPORT INFILE(COPY)");
    assert!(records(&world, "PAY.SMALL") == before);
}
