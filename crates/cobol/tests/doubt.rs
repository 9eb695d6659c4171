//! COBOL programs beside a unit of recovery in doubt: they neither replace, delete nor change what it has changed.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Access, Argument, Intent, OpenOptions, Search};
use common::{stderr, stdout, Workplace};
use std::path::Path;

const SOURCE: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. DOUBT.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 02 K PIC X(4). 02 V PIC X(6).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 WHAT PIC X(10).
PROCEDURE DIVISION.
ACCEPT WHAT FROM ARGUMENT-VALUE
EVALUATE WHAT
WHEN "make" OPEN OUTPUT F MOVE "0001ADAMS" TO R WRITE R MOVE "0002BAKER" TO R WRITE R CLOSE F
WHEN "list" OPEN INPUT F PERFORM UNTIL FS NOT = "00" READ F NEXT IF FS = "00" DISPLAY R END-IF END-PERFORM CLOSE F
WHEN "output" OPEN OUTPUT F DISPLAY FS CLOSE F
WHEN "delete" DELETE FILE F DISPLAY FS
WHEN "change" OPEN I-O F DISPLAY FS
    MOVE "0001WRONG" TO R REWRITE R DISPLAY FS
    MOVE "0001" TO K DELETE F DISPLAY FS
    MOVE "0003WRONG" TO R WRITE R DISPLAY FS
    MOVE "0002RIGHT" TO R REWRITE R DISPLAY FS
    CLOSE F
END-EVALUATE
STOP RUN.
"#;

const CARDS: &str = "DEFINE CLUSTER (NAME(CUST) INDEXED KEYS(4 0) RECORDSIZE(10 10) TRACKS(1 1) REUSE)\n";

/// A unit in doubt has changed the first record and added a third.
fn doubtful(place: &Workplace) {
    let session = place.session();
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let (_, set) = session.open(&Name::parse("CUST").unwrap(), options).unwrap();
    let unit = session.engine.unit();
    let mut string = set.string_in(&unit);
    string
        .get(Argument::Key(b"0001"), Search::Equal, Intent::Update)
        .unwrap();
    string.update(b"0001DOUBT ").unwrap();
    string.insert(b"0003DOUBT ", cica_engine::Insert::Direct).unwrap();
    drop(string);
    unit.prepare("PAY-1").unwrap();
    set.close().unwrap();
}

fn says(place: &Workplace, program: &Path, what: &str) -> (String, String) {
    let done = place.command(program).arg(what).output().unwrap();
    (stdout(&done), stderr(&done))
}

#[test]
fn what_is_in_doubt_is_not_replaced_deleted_or_changed() {
    let place = Workplace::with_catalog("doubt");
    common::idcams(&place.session(), CARDS).unwrap();
    let program = place.compile("doubt", SOURCE);
    place.run(&program, &["make"]);
    doubtful(&place);
    let held = "0001DOUBT \n0002BAKER \n0003DOUBT \n";
    for (what, status) in [("output", "61"), ("delete", "37")] {
        let (said, told) = says(&place, &program, what);
        assert_eq!(said, format!("{status}\n"), "{what}: {told}");
        assert!(told.contains("PAY-1"), "{what}: {told}");
        assert_eq!(place.run(&program, &["list"]), held, "{what}");
    }
    let (said, told) = says(&place, &program, "change");
    assert_eq!(said, "00\n51\n51\n51\n00\n", "{told}");
    let session = place.session();
    let (_, set) = session
        .open(
            &Name::parse("CUST").unwrap(),
            OpenOptions {
                access: Access::Output,
                ..OpenOptions::default()
            },
        )
        .unwrap();
    session.engine.back_out_prepared("PAY-1").unwrap();
    set.close().unwrap();
    drop(session);
    assert_eq!(place.run(&program, &["list"]), "0001ADAMS \n0002RIGHT \n");
    // Nobody is in doubt any more.
    assert_eq!(says(&place, &program, "output").0, "00\n");
    assert_eq!(place.run(&program, &["list"]), "");
    assert_eq!(says(&place, &program, "delete").0, "00\n");
}
