//! Sequential access: numbers that RELATIVE KEY has no place for, and EXTEND behind keys of several parts.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::path::Path;
use std::process::Command;

const NUMBERS: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. NUMBERS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "NUMBERS" ORGANIZATION RELATIVE ACCESS SEQUENTIAL RELATIVE KEY N FILE STATUS FS.
SELECT W ASSIGN TO "NUMBERS" ORGANIZATION RELATIVE ACCESS DYNAMIC RELATIVE KEY M FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R PIC X(10).
FD W. 01 X PIC X(10).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 N PIC 9. 01 M PIC 99. 01 I PIC 99.
PROCEDURE DIVISION.
OPEN OUTPUT F
PERFORM VARYING I FROM 1 BY 1 UNTIL I > 11 MOVE I TO R WRITE R DISPLAY FS END-PERFORM
CLOSE F
OPEN EXTEND F WRITE R DISPLAY "EXTEND " FS CLOSE F
OPEN INPUT F
PERFORM 12 TIMES READ F AT END DISPLAY "END " FS NOT AT END DISPLAY FS " " N " " R END-READ END-PERFORM
CLOSE F
OPEN INPUT W MOVE 10 TO M READ W DISPLAY "BY NUMBER " FS CLOSE W
STOP RUN.
"#;

/// What it says of eleven records: the first number that has no place is 10.
fn numbers(write: &str, extend: &str, by_number: &str) -> String {
    let mut said = "00\n".repeat(9) + &format!("{write}\n").repeat(2) + &format!("EXTEND {extend}\n");
    for number in 1..10 {
        said += &format!("00 {number} {number:02}        \n");
    }
    let end = match write {
        "00" => "END 14\n".repeat(3),
        // 46 is no end.
        _ => "END 10\n".into(),
    };
    said + &end + &format!("BY NUMBER {by_number}\n")
}

fn native(place: &Workplace, program: &Path) -> String {
    let mut command = Command::new(program);
    command.current_dir(place.0.join("native")).env_remove("LD_PRELOAD");
    stdout(&command.output().unwrap())
}

#[test]
fn a_number_without_a_place_is_14_and_for_enterprise_not_written() {
    let place = Workplace::with_catalog("access-numbers");
    let program = place.compile("numbers", NUMBERS);
    let says = |set: &str| {
        let done = place.command(&program).env("CICA_STATUS", set).output().unwrap();
        (stdout(&done), stderr(&done))
    };
    let (said, told) = says("gnucobol");
    assert_eq!(said, numbers("00", "00", "00"), "{told}");
    assert_eq!(said, native(&place, &program), "libcob");
    let (said, told) = says("enterprise");
    // What is not written leaves the nine before it, and EXTEND goes on from these.
    assert_eq!(said, numbers("24", "24", "23"), "{told}");
}

const PARTS: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. PARTS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "PARTS" ORGANIZATION INDEXED ACCESS SEQUENTIAL RECORD KEY IS FK = B A FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 05 A PIC X(2). 05 D PIC X(2). 05 B PIC X(2).
WORKING-STORAGE SECTION. 01 FS PIC XX.
PROCEDURE DIVISION.
OPEN OUTPUT F
MOVE "zzzzaa" TO R WRITE R DISPLAY FS
MOVE "yyyybb" TO R WRITE R DISPLAY FS
CLOSE F
OPEN EXTEND F DISPLAY FS
MOVE "xxxxcc" TO R WRITE R DISPLAY FS
CLOSE F
OPEN INPUT F
PERFORM 4 TIMES READ F DISPLAY FS " " R END-PERFORM
STOP RUN.
"#;

#[test]
fn extend_goes_on_behind_the_last_key_of_several_parts() {
    let place = Workplace::with_catalog("access-parts");
    let program = place.compile("parts", PARTS);
    let said = place.run(&program, &[]);
    assert_eq!(said, "00\n00\n00\n00\n00 zzzzaa\n00 yyyybb\n00 xxxxcc\n10 xxxxcc\n");
    assert_eq!(said, native(&place, &program), "libcob");
}

/// cobc says that OPEN REVERSED is not implemented, and tells nobody of it: the DD text does.
const REVERSED: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. BACK.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "F" ORGANIZATION SEQUENTIAL FILE STATUS FS.
SELECT X ASSIGN TO "F" ORGANIZATION INDEXED RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F RECORD VARYING FROM 2 TO 9 DEPENDING ON L. 01 R PIC X(9).
FD X. 01 XR. 05 K PIC X(2).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 L PIC 99.
PROCEDURE DIVISION.
MAIN SECTION. P1.
OPEN OUTPUT F CLOSE F
OPEN INPUT F REVERSED DISPLAY "EMPTY " FS READ F DISPLAY FS CLOSE F
OPEN EXTEND F
MOVE 2 TO L MOVE "11" TO R WRITE R
MOVE 9 TO L MOVE "222222222" TO R WRITE R
MOVE 4 TO L MOVE "3333" TO R WRITE R
CLOSE F
OPEN INPUT F REVERSED
PERFORM 5 TIMES
READ F
IF FS = "00" DISPLAY FS " " R(1:L) ELSE DISPLAY FS END-IF
END-PERFORM
CLOSE F
OPEN I-O F READ F DISPLAY "I-O " FS " " R(1:L) CLOSE F
OPEN INPUT X DISPLAY "INDEXED " FS
STOP RUN.
"#;

#[test]
fn reversed_in_the_dd_text_reads_from_the_last_record_to_the_first() {
    let place = Workplace::with_catalog("access-reversed");
    for extfh in [false, true] {
        let program = if extfh {
            place.compile_extfh("back-again", REVERSED)
        } else {
            place.compile("back", REVERSED)
        };
        let mut command = place.command(&program);
        if extfh {
            command.env_remove("LD_PRELOAD");
        }
        let done = command.env("DD_F", "DSN=ENTRIES,REVERSED").output().expect("it runs");
        // EXTFH does not set DEPENDING ON.
        let (second, first) = if extfh { ("2222", "1122") } else { ("222222222", "11") };
        let said = format!("EMPTY 00\n10\n00 3333\n00 {second}\n00 {first}\n10\n46\nI-O 00 {first}\nINDEXED 39\n");
        assert_eq!(stdout(&done), said, "{}", stderr(&done));
        assert!(
            stderr(&done).contains("REVERSED is for sequential files"),
            "{}",
            stderr(&done)
        );
    }
}
