//! INTOEMPTY of copies that have control intervals: the definition there must be the one that they were laid out by.

use crate::files::{leftovers, live, records, Files, SMALL};
use crate::world::World;
use std::path::Path;

const REFUSED: [&str; 2] = ["IDC0604I", "CICA1020E"];

/// A data set of ten records of 80 bytes, and its copy, of which it is gone.
fn exported(define: &str) -> (World, Files) {
    let (mut world, files) = (World::new(), Files::new());
    for dd in ["COPY", "LINES"] {
        files.dd(&mut world, dd);
    }
    let lines: String = (0..10).map(|n| format!("{n:04}{:76}\n", "")).collect();
    files.write("LINES", lines.as_bytes());
    world.ok(define);
    world.ok("REPRO INFILE(LINES) OUTDATASET(PAY.X)\nEXPORT PAY.X OUTFILE(COPY)");
    (world, files)
}

#[test]
fn control_intervals_go_into_no_data_set_that_was_defined_otherwise() {
    let numbered = "DEF CL (NAME(PAY.X) NUMBERED TRK(1 1) RECSZ(80 80) CISZ(4096))";
    let others = [
        (numbered.replace("80 80", "100 100"), "RECORDSIZE"),
        (numbered.replace("NUMBERED", "NONINDEXED"), "its organization"),
        (numbered.replace("4096", "2048"), "CISZ"),
        (
            numbered.replace("NUMBERED", "LINEAR").replace("RECSZ(80 80)", ""),
            "its organization",
        ),
    ];
    let (mut world, _files) = exported(numbered);
    for (define, words) in others {
        world.ok(&define);
        world.refused("IMPORT INFILE(COPY) INTOEMPTY", 12, &REFUSED, words);
        assert_eq!(leftovers(&world), 0);
        world.ok("DELETE PAY.X");
    }
    // What says nothing of the layout is that of the definition there, in the files too.
    world.ok(&numbered.replace("CISZ(4096)", "CISZ(4096) OWNER(ADA) SHR(2 3) REUSE"));
    world.ok("IMPORT INFILE(COPY) INTOEMPTY\nALTER PAY.X NEWNAME(PAY.Y)");
    let (cc, listing) = world.run("PRINT INDATASET(PAY.Y) CHARACTER");
    assert!(cc == 0 && listing.contains("PROCESSED WAS 10"), "{listing}");
    let catalog = &world.services.catalog;
    let path = catalog.component_path(&world.cluster("PAY.Y").data).unwrap();
    let engine = &world.services.engine;
    let attributes = engine.peek(&path).unwrap().attributes;
    assert!(attributes.reuse && attributes.share_region == 2, "{attributes:?}");
    // Its slots have the length that they have, whoever asks.
    let changed = engine.alter(&path, Path::new(""), |a, _| a.maximum_record = 100);
    assert!(changed.unwrap_err().to_string().contains("length of slots"));
}

/// The average length is said for the space alone.
#[test]
fn a_data_set_of_another_average_length_is_filled() {
    let entered = "DEF CL (NAME(PAY.X) KEYS(4 0) TRK(1 1) RECSZ(100 200) CISZ(4096))";
    let (mut world, files) = exported(entered);
    files.dd(&mut world, "CIS");
    world.ok("IMPORT INFILE(COPY)\nEXPORT PAY.X OUTFILE(CIS) CIMODE");
    world.ok(&entered.replace("100 200", "80 300"));
    world.refused("IMPORT INFILE(CIS) INTOEMPTY", 12, &REFUSED, "RECORDSIZE");
    world.ok("DELETE PAY.X");
    world.ok(&entered.replace("100 200", "80 200"));
    let before = world.cluster("PAY.X").attributes.record_size;
    world.ok("IMPORT INFILE(CIS) INTOEMPTY");
    assert_eq!(world.cluster("PAY.X").attributes.record_size, before);
    assert_eq!(records(&world, "PAY.X").len(), 10);
}

#[test]
fn an_index_of_other_keys_is_not_filled() {
    let (mut world, files) = (World::new(), Files::new());
    for dd in ["COPY", "BASE"] {
        files.dd(&mut world, dd);
    }
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 40);
    let before = records(&world, "PAY.SMALL");
    let aix = "DEF AIX (NAME(PAY.AIX) RELATE(PAY.SMALL) KEYS(4 7) RECSZ(30 200) TRK(1 1))";
    world.ok(&format!("{aix}\nBLDINDEX INDATASET(PAY.SMALL) OUTDATASET(PAY.AIX)"));
    world.ok("EXPORT PAY.AIX OUTFILE(COPY)");
    world.ok(&aix.replace("4 7", "4 6"));
    world.refused("IMPORT INFILE(COPY) INTOEMPTY", 12, &REFUSED, "alternate KEYS");
    world.ok("DELETE PAY.AIX");
    world.ok(aix);
    world.days_later(1);
    world.ok("IMPORT INFILE(COPY) INTOEMPTY");
    world.ok("EXPORT PAY.SMALL OUTFILE(BASE) CIMODE");
    world.ok(&SMALL.replace("KEYS(11 0)", "KEYS(10 0)"));
    world.refused("IMPORT INFILE(BASE) INTOEMPTY", 12, &REFUSED, "KEYS");
    world.ok("DELETE PAY.SMALL");
    world.ok(SMALL);
    world.ok("IMPORT INFILE(BASE) INTOEMPTY");
    assert_eq!(records(&world, "PAY.SMALL"), before);
}
