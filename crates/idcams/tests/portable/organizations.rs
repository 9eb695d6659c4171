//! Data sets of every organization as wholes: what is copied comes back with its addresses and numbers.

use crate::files::{leftovers, live, records, Files, SMALL};
use crate::world::World;
use cica_engine::{Access, Argument, DataSet, Intent, OpenOptions, Search};

const ESDS: &str = "DEF CL (NAME(PAY.ANY) NONINDEXED TRK(1 1) RECSZ(20 80) SHR(2 3))";
const RRDS: &str = "DEF CL (NAME(PAY.ANY) NUMBERED TRK(1 1) RECSZ(12 12))";
const VRRDS: &str = "DEF CL (NAME(PAY.ANY) NUMBERED TRK(1 1) RECSZ(10 80))";
const LDS: &str = "DEF CL (NAME(PAY.ANY) LINEAR TRK(1 1))";

fn open(world: &World, access: Access) -> DataSet {
    let cluster = world.cluster("PAY.ANY");
    let options = OpenOptions {
        access,
        ..OpenOptions::default()
    };
    cica_session::open(
        &world.services.catalog,
        &world.services.engine,
        &cluster.into(),
        options,
    )
    .unwrap()
}

/// A data set with some records, and what PRINT shows of it.
fn printed(world: &mut World, files: &Files, define: &str) -> String {
    world.ok(define);
    match define {
        LDS => {
            let data_set = open(world, Access::Output);
            let mut string = data_set.string();
            for page in 0..5u64 {
                string.write_range(page * 4096, &[page as u8 + 1; 4096]).unwrap();
            }
            drop(string);
            data_set.close().unwrap();
        }
        _ => {
            let lines: String = (0..300).map(|n| format!("LINE {n:07}\n")).collect();
            files.write("LINES", lines.as_bytes());
            files.dd(world, "LINES");
            world.ok("REPRO INFILE(LINES) OUTDATASET(PAY.ANY)");
        }
    }
    print(world)
}

fn print(world: &mut World) -> String {
    let (cc, listing) = world.run("PRINT INDATASET(PAY.ANY)");
    assert_eq!(cc, 0, "{listing}");
    listing
}

#[test]
fn a_copy_as_it_is_stored_brings_back_every_organization() {
    for define in [ESDS, RRDS, VRRDS, LDS] {
        let (mut world, files) = (World::new(), Files::new());
        let before = printed(&mut world, &files, define);
        files.dd(&mut world, "COPY");
        world.ok("BACKUP (PAY.ANY) OUTFILE(COPY)\nDELETE PAY.ANY\nRESTORE INFILE(COPY)");
        assert_eq!(print(&mut world), before, "{define}");
        world.ok("RESTORE INFILE(COPY) REPLACE\nVERIFY DATASET(PAY.ANY)");
        assert_eq!(print(&mut world), before, "{define}");
        assert_eq!(leftovers(&world), 0);
    }
}

#[test]
fn export_and_import_keep_addresses_and_numbers() {
    for define in [ESDS, RRDS, VRRDS, LDS] {
        let (mut world, files) = (World::new(), Files::new());
        let before = printed(&mut world, &files, define);
        files.dd(&mut world, "COPY");
        world.ok("EXPORT PAY.ANY OUTFILE(COPY)");
        assert!(world.names().is_empty());
        world.ok("IMPORT INFILE(COPY)");
        assert_eq!(print(&mut world), before, "{define}");
        assert_eq!(world.cluster("PAY.ANY").index.is_some(), define == VRRDS);
        files.dd(&mut world, "NEXT");
        world.refused(
            "EXPORT PAY.ANY OUTFILE(NEXT) RECORDMODE",
            12,
            &["CICA0908E"],
            "only key-sequenced clusters",
        );
    }
}

#[test]
fn records_change_their_organization_and_keep_their_numbers() {
    let shown = |world: &mut World| -> Vec<String> {
        let (cc, listing) = world.run("PRINT INDATASET(PAY.ANY) CHARACTER");
        assert_eq!(cc, 0, "{listing}");
        let lines = listing.lines().filter(|line| line.starts_with("LINE "));
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    let (mut world, files) = (World::new(), Files::new());
    printed(&mut world, &files, ESDS);
    let before = shown(&mut world);
    assert_eq!(before.len(), 300);
    let steps = [
        ("ORGANIZATION(INDEXED) KEYS(7 5)", true),
        ("ORGANIZATION(NUMBERED) RECORDSIZE(12 12)", false),
        ("RECORDSIZE(12 40)", true),
        ("RECORDSIZE(12 12) CISZ(2048)", false),
        ("ORGANIZATION(NONINDEXED)", false),
        ("ORGANIZATION(INDEXED) KEYS(12 0) FREESPACE(10 10)", true),
    ];
    for (said, index) in steps {
        world.ok(&format!("ALTER PAY.ANY REORGANIZE({said})"));
        assert_eq!(shown(&mut world), before, "{said}");
        assert_eq!(world.cluster("PAY.ANY").index.is_some(), index, "{said}");
        assert_eq!(leftovers(&world), 0);
        world.ok("VERIFY DATASET(PAY.ANY)");
    }
    world.refused(
        "ALTER PAY.ANY REORGANIZE(ORGANIZATION(NUMBERED) RECORDSIZE(11 11))",
        8,
        &["CICA0972E", "CICA0971E", "IDC0532I"],
        "RECORD 1 (KEY LINE 0000000)",
    );
}

#[test]
fn numbers_with_gaps_between_them_stay() {
    for define in [RRDS, VRRDS] {
        let (mut world, files) = (World::new(), Files::new());
        printed(&mut world, &files, define);
        let data_set = open(&world, Access::Output);
        let mut string = data_set.string();
        for rrn in (1..300).step_by(3) {
            string.get(Argument::Rrn(rrn), Search::Equal, Intent::Update).unwrap();
            string.erase().unwrap();
        }
        drop(string);
        data_set.close().unwrap();
        let before = print(&mut world);
        world.ok("ALTER PAY.ANY REORGANIZE()");
        assert_eq!(print(&mut world), before, "{define}");
        world.ok("ALTER PAY.ANY REORGANIZE(CISZ(2048))");
        assert_eq!(print(&mut world), before, "{define}");
    }
}

#[test]
fn what_cannot_be_ordered_is_not_reorganized() {
    for (define, words) in [(ESDS, "in their order already"), (LDS, "without records")] {
        let (mut world, files) = (World::new(), Files::new());
        let before = printed(&mut world, &files, define);
        world.refused("ALTER PAY.ANY REORGANIZE()", 8, &["CICA0971E", "IDC0532I"], words);
        assert_eq!(print(&mut world), before, "{define}");
    }
    let (mut world, files) = (World::new(), Files::new());
    printed(&mut world, &files, ESDS);
    world.refused(
        "ALTER PAY.ANY REORGANIZE(ORGANIZATION(INDEXED))",
        8,
        &["CICA0971E", "IDC0532I"],
        "say KEYS",
    );
}

/// By address: each record once, in whatever order splits left them.
#[test]
fn a_key_sequenced_data_set_is_read_by_address_after_splits() {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 200);
    files.dd(&mut world, "LINES");
    world.ok("REPRO INDATASET(PAY.SMALL) OUTFILE(LINES) FROMADDRESS(0)");
    let text = files.read("LINES");
    let mut found: Vec<Vec<u8>> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    found.retain(|line| !line.is_empty());
    assert!(
        !found.is_sorted(),
        "splits put later control intervals between earlier keys"
    );
    found.sort();
    let mut wanted = records(&world, "PAY.SMALL");
    let trimmed = |record: &mut Vec<u8>| record.truncate(record.trim_ascii_end().len());
    found.iter_mut().for_each(trimmed);
    wanted.iter_mut().for_each(trimmed);
    assert_eq!(found, wanted);
}
