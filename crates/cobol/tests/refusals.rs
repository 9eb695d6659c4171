//! Requests that must be refused: I-O of what was never loaded (enterprise), REWRITE and DELETE of a record whose READ
//! failed, OUTPUT with another FD of what somebody has open.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// Opens the same data set as a file that must be there, and as an optional one.
fn never_loaded(name: &str, of_f: &str, of_p: &str) -> String {
    format!(
        "IDENTIFICATION DIVISION. PROGRAM-ID. EMPTIES.\nENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.\n\
         SELECT F ASSIGN \"//{name}\" ORGANIZATION {of_f} FILE STATUS FS.\n\
         SELECT OPTIONAL P ASSIGN \"//{name}\" ORGANIZATION {of_p} FILE STATUS FS.\n\
         DATA DIVISION. FILE SECTION.\n\
         FD F. 01 R. 02 K PIC 9(8). 02 D PIC X(8).\nFD P. 01 PR. 02 PK PIC 9(8). 02 PD PIC X(8).\n\
         WORKING-STORAGE SECTION. 01 FS PIC XX. 01 N PIC 9(4) VALUE 1. 01 CODE-OF. 02 C PIC 9(4) COMP OCCURS 3.\n\
         PROCEDURE DIVISION.\n\
         OPEN I-O F CALL \"cica_vsam_code\" USING CODE-OF DISPLAY \"F \" FS \" \" C(1) \" \" C(3)\n\
         IF FS < \"30\" CLOSE F END-IF\n\
         OPEN I-O P DISPLAY \"P \" FS\n\
         MOVE 1 TO PK READ P DISPLAY FS\n\
         MOVE 1 TO PK MOVE \"ONE\" TO PD WRITE PR DISPLAY FS READ P DISPLAY FS CLOSE P\n\
         OPEN I-O F DISPLAY \"F \" FS READ F NEXT DISPLAY FS \" \" R CLOSE F\n\
         STOP RUN.\n"
    )
}

#[test]
fn what_was_never_loaded_is_missing_for_i_o_too_where_the_set_is_enterprise() {
    let indexed = |key: &str| format!("INDEXED ACCESS DYNAMIC RECORD KEY {key}");
    let relative = "RELATIVE ACCESS DYNAMIC RELATIVE KEY N".to_string();
    for (set, refused, optional) in [
        ("enterprise", "F 35 0008 0160\n", "05"),
        ("gnucobol", "F 00 0000 0000\n", "00"),
    ] {
        let place = Workplace::with_catalog(&format!("refusals-{set}"));
        let cards = "DEFINE CLUSTER (NAME(E.K) INDEXED KEYS(8 0) RECORDSIZE(16 16) TRACKS(1 1))\n\
                     DEFINE CLUSTER (NAME(E.R) NUMBERED RECORDSIZE(16 16) TRACKS(1 1))\n";
        common::idcams(&place.session(), cards).unwrap();
        let of = [
            ("E.K", indexed("K"), indexed("PK")),
            ("E.R", relative.clone(), relative.clone()),
        ];
        for (name, of_f, of_p) in of {
            let program = place.compile("empties", &never_loaded(name, &of_f, &of_p));
            let done = place.command(&program).env("CICA_STATUS", set).output().unwrap();
            let said = format!("{refused}P {optional}\n23\n00\n00\nF 00\n00 00000001ONE     \n");
            assert_eq!(stdout(&done), said, "{name} {set}: {}", stderr(&done));
        }
    }
}

const TOO_LARGE: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. LARGE.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "NUMBERS" ORGANIZATION RELATIVE ACCESS SEQUENTIAL RELATIVE KEY N
    LOCK MODE AUTOMATIC FILE STATUS FS.
SELECT W ASSIGN TO "NUMBERS" ORGANIZATION RELATIVE ACCESS DYNAMIC RELATIVE KEY M
    LOCK MODE MANUAL FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R PIC X(10).
FD W. 01 X PIC X(10).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 N PIC 9. 01 M PIC 99. 01 I PIC 99.
PROCEDURE DIVISION.
OPEN OUTPUT F
PERFORM VARYING I FROM 1 BY 1 UNTIL I > 11 MOVE I TO R WRITE R END-PERFORM
CLOSE F
OPEN I-O F
OPEN I-O W
PERFORM 9 TIMES READ F END-PERFORM DISPLAY "READ " FS
MOVE 9 TO M READ W DISPLAY "LOCKED " FS
READ F DISPLAY "READ " FS
MOVE 10 TO M READ W DISPLAY "FREE " FS
MOVE "WRONG" TO R REWRITE R DISPLAY "REWRITE " FS
READ F DISPLAY "READ " FS
DELETE F DISPLAY "DELETE " FS
CLOSE F
MOVE 10 TO M READ W DISPLAY FS " " X
CLOSE W
STOP RUN.
"#;

#[test]
fn a_record_whose_number_has_no_place_is_not_read_not_locked_and_not_changed() {
    let place = Workplace::with_catalog("refusals-number");
    let program = place.compile("large", TOO_LARGE);
    let said = "READ 00\nLOCKED 51\nREAD 14\nFREE 00\nREWRITE 43\nREAD 14\nDELETE 43\n00 10        \n";
    assert_eq!(place.run(&program, &[]), said);
}

const HELD: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. HELD.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 02 K PIC 9(8). 02 D PIC X(8).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 WHAT PIC X(8). 01 CODE-OF. 02 C PIC 9(4) COMP OCCURS 3.
PROCEDURE DIVISION.
ACCEPT WHAT FROM ARGUMENT-VALUE
EVALUATE WHAT
WHEN "hold" OPEN I-O F DISPLAY FS ACCEPT WHAT CLOSE F
WHEN "output" OPEN OUTPUT F CALL "cica_vsam_code" USING CODE-OF DISPLAY FS " " C(1) " " C(3)
    IF FS = "00" MOVE 1 TO K MOVE "ONE" TO D WRITE R CLOSE F END-IF
END-EVALUATE
STOP RUN.
"#;

#[test]
fn output_with_another_fd_of_what_is_open_is_in_use() {
    let place = Workplace::with_catalog("refusals-held");
    let program = place.compile("held", HELD);
    let other = place.compile("other", &HELD.replace("D PIC X(8)", "D PIC X(12)"));
    assert_eq!(place.run(&program, &["output"]), "00 0000 0000\n");
    let mut holder = place
        .command(&program)
        .arg("hold")
        .env("COB_UNBUFFERED", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "00\n");
    for (set, status) in [("gnucobol", "61"), ("enterprise", "93")] {
        let mut command = place.command(&other);
        let done = command.arg("output").env("CICA_STATUS", set).output().unwrap();
        assert_eq!(stdout(&done), format!("{status} 0008 0168\n"), "{}", stderr(&done));
    }
    holder.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(holder.wait().unwrap().success());
    assert_eq!(place.run(&other, &["output"]), "00 0000 0000\n");
}
