//! Statuses that need a data set in a bad way: full (24, 34), damaged (30), inhibited (37), and what stderr says of it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};

/// Fills K, R and S until a WRITE fails; or reads K from the first to the last.
const PROGRAM: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. FULL.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT K ASSIGN TO "K" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY KK FILE STATUS FS.
SELECT R ASSIGN TO "R" ORGANIZATION RELATIVE ACCESS SEQUENTIAL FILE STATUS FS.
SELECT S ASSIGN TO "S" ORGANIZATION SEQUENTIAL FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD K. 01 KR. 05 KK PIC 9(6). 05 PIC X(994).
FD R. 01 RR PIC X(1000).
FD S. 01 SR PIC X(1000).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 W PIC X(8). 01 N PIC 9(6) VALUE 0.
01 VC. 05 PIC X. 05 RETURNED BINARY-CHAR UNSIGNED. 05 PIC X(3). 05 REASON BINARY-CHAR UNSIGNED.
PROCEDURE DIVISION.
MAIN SECTION. P1.
ACCEPT W FROM ARGUMENT-VALUE
EVALUATE W
WHEN "fill"
OPEN OUTPUT K R S DISPLAY "OPEN " FS
PERFORM UNTIL FS NOT = "00" ADD 1 TO N MOVE SPACES TO KR MOVE N TO KK WRITE KR END-PERFORM
PERFORM SAY
PERFORM UNTIL FS NOT = "00" ADD 1 TO N MOVE N TO RR WRITE RR END-PERFORM
PERFORM SAY
PERFORM UNTIL FS NOT = "00" ADD 1 TO N MOVE N TO SR WRITE SR END-PERFORM
PERFORM SAY
CLOSE K R S DISPLAY "CLOSE " FS
WHEN "insert"
OPEN I-O K DISPLAY "OPEN " FS
PERFORM UNTIL FS NOT = "00" ADD 1 TO N MOVE SPACES TO KR COMPUTE KK = 999999 - N WRITE KR END-PERFORM
PERFORM SAY
CLOSE K DISPLAY "CLOSE " FS
WHEN "read"
OPEN INPUT K DISPLAY "OPEN " FS
PERFORM UNTIL FS NOT = "00" READ K NEXT ADD 1 TO N END-PERFORM
PERFORM SAY
MOVE 1 TO KK READ K DISPLAY FS
CLOSE K DISPLAY "CLOSE " FS
WHEN "i-o"
OPEN I-O K DISPLAY "OPEN " FS
END-EVALUATE
STOP RUN.
SAY. CALL "cica_vsam_code" USING VC
DISPLAY FS " " RETURNED "/" REASON " " N
MOVE "00" TO FS MOVE 0 TO N.
"#;

const CARDS: &str = "\
DEFINE CLUSTER (NAME(FULL.K) INDEXED KEYS(6 0) RECORDSIZE(1000 1000) TRACKS(1) REUSE)
DEFINE CLUSTER (NAME(FULL.R) NUMBERED RECORDSIZE(1000 1000) TRACKS(1) REUSE)
DEFINE CLUSTER (NAME(FULL.S) NONINDEXED RECORDSIZE(1000 1000) TRACKS(1) REUSE)
";

fn run(place: &Workplace, program: &std::path::Path, what: &str) -> (String, String) {
    let mut command = place.command(program);
    for name in ["K", "R", "S"] {
        command.env(format!("DD_{name}"), format!("//FULL.{name}"));
    }
    let done = command.env("CICA_MESSAGES", "W").arg(what).output().unwrap();
    (stdout(&done), stderr(&done))
}

#[test]
fn full_damaged_and_inhibited_data_sets_have_their_statuses() {
    let place = Workplace::with_catalog("full");
    let program = place.compile("full", PROGRAM);
    common::idcams(&place.session(), CARDS).unwrap();
    let says = |what: &str, said: &str, told: &str| {
        let (out, err) = run(&place, &program, what);
        assert_eq!(out, said, "{err}");
        assert!(err.contains(told), "{err}");
    };
    let full =
        "cannot be extended: FULL.K.DATA was defined without secondary space and its primary space is full [8/28]";
    let filled = "OPEN 00\n24 008/028 000055\n24 008/028 000055\n34 008/028 000055\nCLOSE 00\n";
    says("fill", filled, full);
    // One message for each file, however often it is tried.
    let (_, told) = run(&place, &program, "fill");
    assert!(told.matches("[8/28]").count() <= 3, "{told}");
    // What was there before stays whole: a record that would split a control area, and then all of them.
    says("insert", "OPEN 00\n24 008/028 000001\nCLOSE 00\n", full);
    says("read", "OPEN 00\n10 008/004 000055\n00\nCLOSE 00\n", "");
    let data = place.catalog().join("volumes/CICA01/FULL.K.DATA");
    let mut bytes = std::fs::read(&data).unwrap();
    let at = bytes.windows(6).position(|w| w == b"000002").unwrap();
    bytes[at + 100] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    says(
        "read",
        "OPEN 00\n30 012/004 000001\n30\nCLOSE 00\n",
        "CICA1208E FULL.K: FULL.K.DATA, CI 0 (RBA 0): the image on the volume is not version 1",
    );
    common::idcams(&place.session(), "ALTER FULL.K INHIBIT\n").unwrap();
    says("i-o", "OPEN 37\n", "altered to INHIBIT");
}
