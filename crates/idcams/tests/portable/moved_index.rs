//! Alternate indexes that are exported and imported by themselves, and those of a base that an import replaces.

use crate::files::{leftovers, live, records, Files, SMALL};
use crate::sphere::print;
use crate::world::World;

const AIX: &str = "DEF AIX (NAME(PAY.AIX) RELATE(PAY.SMALL) KEYS(4 7) RECSZ(30 200) TRK(1 1) UPGRADE NONUNIQUEKEY)";
const PATH: &str = "DEF PATH (NAME(PAY.PATH) PATHENTRY(PAY.AIX))";
const BUILD: &str = "BLDINDEX INDATASET(PAY.SMALL) OUTDATASET(PAY.AIX)";
const NEXT: &str = "REPRO INFILE(LINES) OUTDATASET(PAY.SMALL)";

/// A base with an alternate index of this definition, built, and a path.
fn sphere(aix: &str) -> (World, Files) {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 40);
    world.ok(aix);
    world.ok(PATH);
    world.ok(BUILD);
    for dd in ["COPY", "INDEX", "LINES"] {
        files.dd(&mut world, dd);
    }
    (world, files)
}

/// A record that the base has not is added to it, whose upgrade set is opened with it, and found through the path.
#[track_caller]
fn grows(world: &mut World, files: &Files, number: u32) {
    let before = print(world, "PAY.PATH").len();
    files.write("LINES", format!("{number:011} ONE MORE\n").as_bytes());
    world.days_later(10 + u64::from(number));
    world.ok(NEXT);
    world.days_later(100 + u64::from(number));
    assert_eq!(print(world, "PAY.PATH").len(), before + 1);
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
}

#[test]
fn a_base_and_its_alternate_index_are_moved_one_after_the_other() {
    for mode in ["", " CIMODE"] {
        let (mut world, files) = sphere(AIX);
        let before = print(&mut world, "PAY.PATH");
        world.ok("EXPORT PAY.AIX OUTFILE(INDEX) TEMPORARY");
        world.ok(&format!("EXPORT PAY.SMALL OUTFILE(COPY){mode}"));
        world.days_later(1);
        world.ok("IMPORT INFILE(COPY)");
        world.days_later(2);
        world.ok("IMPORT INFILE(INDEX)");
        world.days_later(3);
        assert_eq!(print(&mut world, "PAY.PATH"), before);
        grows(&mut world, &files, 2);
        grows(&mut world, &files, 3);
        assert_eq!(leftovers(&world), 0);
    }
}

#[test]
fn an_alternate_index_does_not_come_over_a_base_that_changed_without_it() {
    let (mut world, files) = sphere(AIX);
    world.ok("EXPORT PAY.AIX OUTFILE(INDEX) TEMPORARY");
    world.days_later(1);
    grows(&mut world, &files, 2);
    let before = print(&mut world, "PAY.PATH");
    let ids = ["IDC0604I", "CICA1020E"];
    world.refused("IMPORT INFILE(INDEX)", 12, &ids, "does not agree with its base");
    assert_eq!(print(&mut world, "PAY.PATH"), before);
    grows(&mut world, &files, 3);
    // Of a base without records it says what is not so; one that is in use is not changed meanwhile.
    world.ok("DELETE PAY.SMALL");
    world.ok(SMALL);
    world.refused("IMPORT INFILE(INDEX)", 12, &ids, "must have been loaded");
    live(&world, "PAY.SMALL", 42);
    world.refused("IMPORT INFILE(INDEX)", 12, &ids, "does not agree with its base");
    let numbered = "DEF CL (NAME(PAY.OTHER) TRK(1 1) KEYS(9 0) RECSZ(60 90))";
    world.ok(&format!("DELETE PAY.SMALL\n{}", numbered.replace("OTHER", "SMALL")));
    world.refused(
        "IMPORT INFILE(INDEX)",
        12,
        &ids,
        "its pointers do not lead into records",
    );
    assert_eq!(leftovers(&world), 0);
}

#[test]
fn an_alternate_index_that_nobody_keeps_up_comes_with_a_warning() {
    let (mut world, files) = sphere(&AIX.replace("UPGRADE", "NOUPGRADE"));
    world.ok("EXPORT PAY.AIX OUTFILE(INDEX) TEMPORARY");
    world.days_later(1);
    files.write("LINES", b"00000000002 ONE MORE\n");
    world.ok(NEXT);
    world.days_later(2);
    let told = world.messages("IMPORT INFILE(INDEX)", 4);
    assert!(told.iter().any(|m| m.starts_with("CICA1021W")), "{told:#?}");
    assert_eq!(print(&mut world, "PAY.PATH").len(), 52);
}

#[test]
fn an_alternate_index_comes_twice_over_the_same_base() {
    let (mut world, files) = sphere(AIX);
    world.ok("EXPORT PAY.AIX OUTFILE(INDEX) TEMPORARY");
    world.days_later(1);
    world.ok("IMPORT INFILE(INDEX) OUTDATASET(PAY.TWICE) OBJECTS((PAY.PATH NEWNAME(PAY.WAY)))");
    world.days_later(2);
    grows(&mut world, &files, 2);
    grows(&mut world, &files, 3);
    assert_eq!(print(&mut world, "PAY.WAY"), print(&mut world, "PAY.PATH"));
    // One that was never built too.
    world.ok("DELETE PAY.TWICE\nDELETE PAY.AIX");
    world.ok(&format!("{AIX}\n{PATH}"));
    world.ok("EXPORT PAY.AIX OUTFILE(COPY) TEMPORARY");
    world.days_later(400);
    world.ok("IMPORT INFILE(COPY) OUTDATASET(PAY.TWICE) OBJECTS((PAY.PATH NEWNAME(PAY.WAY)))");
    world.ok(&BUILD.replace("(PAY.AIX)", "(PAY.AIX PAY.TWICE)"));
    grows(&mut world, &files, 401);
    grows(&mut world, &files, 402);
    assert_eq!(print(&mut world, "PAY.WAY"), print(&mut world, "PAY.PATH"));
}

#[test]
fn the_alternate_indexes_of_a_base_that_is_replaced_are_built_anew() {
    for mode in ["", " CIMODE"] {
        let (mut world, files) = sphere(AIX);
        let (before, all) = (print(&mut world, "PAY.PATH"), records(&world, "PAY.SMALL"));
        world.ok(&format!("EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY{mode}"));
        world.days_later(1);
        grows(&mut world, &files, 2);
        world.days_later(200);
        let told = world.messages("IMPORT INFILE(COPY)", 0);
        assert!(
            told.iter().any(|m| m.contains("PAY.AIX SUCCESSFULLY BUILT")),
            "{told:#?}"
        );
        assert_eq!(records(&world, "PAY.SMALL"), all);
        world.days_later(201);
        assert_eq!(print(&mut world, "PAY.PATH"), before);
        grows(&mut world, &files, 3);
        assert_eq!(leftovers(&world), 0);
    }
}

#[test]
fn a_base_is_not_replaced_under_an_alternate_index_that_cannot_be_built() {
    let (mut world, _files) = sphere(AIX);
    world.ok("EXPORT PAY.SMALL OUTFILE(COPY) TEMPORARY");
    let before = records(&world, "PAY.SMALL");
    // Somebody reads the index.
    let other = world.other();
    let (data, index) = {
        use cica_catalog::{Entry, Name};
        let catalog = &world.services.catalog;
        let entry = catalog.get(&Name::parse("PAY.AIX").unwrap()).unwrap();
        let Entry::Aix(aix) = entry else { panic!("{entry:?}") };
        let path = |component| catalog.component_path(component).unwrap();
        (path(&aix.data), path(&aix.index))
    };
    let reader = other.services.engine.open(&data, &index, Default::default()).unwrap();
    let told = world.messages("IMPORT INFILE(COPY)", 12);
    assert!(told.iter().any(|m| m.contains("is in use")), "{told:#?}");
    reader.close().unwrap();
    assert_eq!(records(&world, "PAY.SMALL"), before);
    world.ok("IMPORT INFILE(COPY)");
}
