//! SORT and MERGE with GIVING: what is not written is told, and SORT-RETURN says it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{idcams, stderr, stdout, Workplace};
use std::path::{Path, PathBuf};

const SOURCE: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. SORTS.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT L ASSIGN TO "LINES" ORGANIZATION LINE SEQUENTIAL.
    SELECT M ASSIGN TO "MORE" ORGANIZATION LINE SEQUENTIAL.
    SELECT F ASSIGN TO "OUT1" ORGANIZATION INDEXED RECORD KEY FK FILE STATUS FS.
    SELECT G ASSIGN TO "OUT2" ORGANIZATION INDEXED RECORD KEY GK FILE STATUS FS.
    SELECT S ASSIGN TO "WORK".
DATA DIVISION.
FILE SECTION.
FD L.
01 LR PIC X(8).
FD M.
01 MR PIC X(8).
FD F.
01 FR.
   05 FK PIC X(4).
   05 FD1 PIC X(4).
FD G.
01 GR.
   05 GK PIC X(4).
   05 GD PIC X(4).
SD S.
01 SR.
   05 SK PIC X(4).
   05 SV PIC X(4).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 WHAT PIC X(12).
PROCEDURE DIVISION.
    ACCEPT WHAT FROM ARGUMENT-VALUE.
    OPEN OUTPUT L M.
    MOVE "00030001" TO LR WRITE LR.
    MOVE "00010002" TO LR WRITE LR.
    MOVE "00040004" TO MR WRITE MR.
    IF WHAT = "twice" MOVE "00010003" TO LR WRITE LR END-IF.
    CLOSE L M.
    IF WHAT = "open" OPEN INPUT F END-IF.
    EVALUATE WHAT
        WHEN "descending" SORT S DESCENDING KEY SK USING L GIVING F
        WHEN "both" SORT S ASCENDING KEY SK USING L GIVING F G
        WHEN "merge" MERGE S ASCENDING KEY SV USING L M GIVING F
        WHEN OTHER SORT S ASCENDING KEY SK USING L GIVING F
    END-EVALUATE.
    IF SORT-RETURN = 0 DISPLAY "DONE" ELSE IF SORT-RETURN = 16 DISPLAY "FAILED" ELSE DISPLAY "?".
    STOP RUN.
"#;

fn begin(name: &str, cards: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    idcams(&place.session(), cards).unwrap();
    let program = place.compile("sorts", SOURCE);
    (place, program)
}

/// What SORT-RETURN says, and what is told of it.
fn sort(place: &Workplace, program: &Path, what: &str) -> (String, Option<String>) {
    let done = place.command(program).arg(what).output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    let told = stderr(&done);
    let told = told.lines().find(|line| line.starts_with("CICA1231E"));
    (stdout(&done).trim().into(), told.map(Into::into))
}

fn told(file: &str, status: &str) -> (String, Option<String>) {
    let text = format!("CICA1231E FILE {file}: STATUS {status} OF WHAT SORT OR MERGE WRITES, AND SORT-RETURN IS 16");
    ("FAILED".into(), Some(text))
}

#[test]
fn what_is_written_is_told_of_by_nothing() {
    let (place, program) = begin("giving-done", "");
    for what in ["plain", "both"] {
        assert_eq!(sort(&place, &program, what), ("DONE".into(), None), "{what}");
    }
}

#[test]
fn a_data_set_that_cannot_be_opened_is_told() {
    let other = "DEFINE CLUSTER (NAME(OUT2) INDEXED KEYS(4 0) RECORDSIZE(6 6) TRACKS(1 1))";
    let (place, program) = begin("giving-open", other);
    // The second one has other records than its FD; the first is written.
    assert_eq!(sort(&place, &program, "both"), told("G", "39"));
    assert_eq!(sort(&place, &program, "plain"), ("DONE".into(), None));
    assert_eq!(sort(&place, &program, "open"), told("F", "41"));
}

#[test]
fn records_that_are_not_taken_are_told() {
    let (place, program) = begin("giving-write", "");
    assert_eq!(sort(&place, &program, "descending"), told("F", "21"));
    assert_eq!(sort(&place, &program, "twice"), told("F", "21"));
    // In the order of another key.
    assert_eq!(sort(&place, &program, "merge"), told("F", "21"));
}
