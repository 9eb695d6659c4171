//! Two files of one program on one data set, which had no records when they were opened.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::path::{Path, PathBuf};

/// Each argument is a request: what, of which file, and the record.
const SOURCE: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. PAIR.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT F1 ASSIGN TO "PAIR" ORGANIZATION INDEXED ACCESS DYNAMIC
        RECORD KEY K1 ALTERNATE RECORD KEY A1 WITH DUPLICATES FILE STATUS FS.
    SELECT F2 ASSIGN TO "PAIR" ORGANIZATION INDEXED ACCESS DYNAMIC
        RECORD KEY K2 ALTERNATE RECORD KEY A2 WITH DUPLICATES FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F1.
01 R1.
   05 K1 PIC X(2).
   05 A1 PIC X(2).
FD F2.
01 R2.
   05 K2 PIC X(2).
   05 A2 PIC X(2).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 ARG.
   05 WHAT PIC X(3).
   05 REC PIC X(4).
PROCEDURE DIVISION.
MAIN SECTION.
P1.
    ACCEPT ARG FROM ARGUMENT-VALUE ON EXCEPTION STOP RUN END-ACCEPT.
    EVALUATE WHAT
        WHEN "OU1" OPEN OUTPUT F1
        WHEN "IO1" OPEN I-O F1
        WHEN "IN1" OPEN INPUT F1
        WHEN "EX1" OPEN EXTEND F1
        WHEN "WR1" MOVE REC TO R1 WRITE R1
        WHEN "RD1" MOVE REC TO R1 READ F1
        WHEN "RA1" MOVE REC TO R1 READ F1 KEY A1
        WHEN "NX1" READ F1 NEXT
        WHEN "CL1" CLOSE F1
        WHEN "OU2" OPEN OUTPUT F2
        WHEN "IO2" OPEN I-O F2
        WHEN "IN2" OPEN INPUT F2
        WHEN "WR2" MOVE REC TO R2 WRITE R2
        WHEN "RD2" MOVE REC TO R2 READ F2
        WHEN "RA2" MOVE REC TO R2 READ F2 KEY A2
        WHEN "CL2" CLOSE F2
    END-EVALUATE.
    DISPLAY FS " " NO ADVANCING.
    GO TO P1.
"#;

/// The program, with alternate keys and without.
fn begin(name: &str, alternates: bool) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let source = if alternates {
        SOURCE.to_string()
    } else {
        let without = SOURCE.replace("ALTERNATE RECORD KEY A1 WITH DUPLICATES", "");
        let without = without.replace("ALTERNATE RECORD KEY A2 WITH DUPLICATES", "");
        without
            .replace("READ F1 KEY A1", "READ F1")
            .replace("READ F2 KEY A2", "READ F2")
    };
    let program = place.compile("pair", &source);
    (place, program)
}

/// What these requests come to, of which nothing may be told.
fn statuses(place: &Workplace, program: &Path, requests: &str) -> String {
    let done = place.command(program).args(requests.split(' ')).output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(stderr(&done), "", "{requests}");
    stdout(&done).trim_end().to_string()
}

#[test]
fn both_may_change_what_was_empty() {
    for alternates in [true, false] {
        let (place, program) = begin(&format!("pair-both-{alternates}"), alternates);
        assert_eq!(statuses(&place, &program, "OU1 CL1"), "00 00");
        let requests = "IO1 IO2 WR101AA WR202BB RD201AA RA202BB RD102BB WR101AA CL1 WR203CC CL2";
        assert_eq!(statuses(&place, &program, requests), "00 00 00 00 00 00 00 22 00 00 00");
        let requests = "IN1 NX1 NX1 NX1 NX1 CL1";
        assert_eq!(statuses(&place, &program, requests), "00 00 00 00 10 00");
    }
}

#[test]
fn one_that_loads_and_has_not_begun_lets_the_other_write() {
    for other in ["IO2", "IN2"] {
        let (place, program) = begin(&format!("pair-load-{other}"), true);
        let requests = format!("OU1 {other} WR101AA RD201AA RA201AA WR102BB CL1 CL2");
        assert_eq!(statuses(&place, &program, &requests), "00 00 00 00 00 00 00 00");
        assert_eq!(statuses(&place, &program, "IN1 NX1 NX1 NX1 CL1"), "00 00 00 10 00");
    }
}

#[test]
fn one_that_reads_nothing_keeps_the_other_off_as_one_that_reads_records() {
    let (place, program) = begin("pair-input", true);
    for loaded in ["OU1 CL1", "OU1 WR101AA CL1"] {
        statuses(&place, &program, loaded);
        for opens in ["OU2", "IO2"] {
            let done = place.command(&program).args(["IN1", opens]).output().unwrap();
            assert_eq!(stdout(&done), "00 61 ", "{loaded}, {opens}");
            let told = stderr(&done);
            assert!(told.contains("in use: this process has it open"), "{told}");
        }
    }
}

#[test]
fn an_extend_beside_the_other_writes_too() {
    let (place, program) = begin("pair-extend", true);
    assert_eq!(statuses(&place, &program, "OU1 CL1"), "00 00");
    // In dynamic access EXTEND does not write (48), and is in nobody's way.
    let requests = "EX1 IO2 WR201AA RA201AA CL1 CL2";
    let done = statuses(&place, &program, requests);
    assert_eq!(done, "00 00 00 00 00 00");
}
