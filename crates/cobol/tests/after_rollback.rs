//! Files that are extended: after ROLLBACK keys and numbers go on above the last one that is left.
#![allow(clippy::unwrap_used)]

mod common;

use common::Workplace;

const SOURCE: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. BACK-OF.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT KF ASSIGN TO "KEYED" ORGANIZATION INDEXED ACCESS SEQUENTIAL RECORD KEY KK FILE STATUS FS.
SELECT NF ASSIGN TO "NUMBERED" ORGANIZATION RELATIVE ACCESS SEQUENTIAL RELATIVE KEY NK FILE STATUS FS.
SELECT VF ASSIGN TO "VARY" ORGANIZATION RELATIVE ACCESS SEQUENTIAL RELATIVE KEY VK FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD KF. 01 KR. 02 KK PIC 9(4). 02 KD PIC X(4).
FD NF. 01 NR PIC X(8).
FD VF RECORD VARYING FROM 4 TO 20 DEPENDING ON L. 01 VR PIC X(20).
WORKING-STORAGE SECTION.
01 FS PIC XX. 01 NK PIC 99. 01 VK PIC 99. 01 L PIC 99. 01 WHAT PIC X(8).
PROCEDURE DIVISION.
MAIN.
    ACCEPT WHAT FROM ARGUMENT-VALUE.
    EVALUATE WHAT
        WHEN "loaded" PERFORM LOADED-ONES
        WHEN "empty" PERFORM EMPTY-ONE
    END-EVALUATE.
    OPEN INPUT KF.
    PERFORM UNTIL FS NOT = "00"
        READ KF
        IF FS = "00" DISPLAY KR END-IF
    END-PERFORM.
    CLOSE KF.
    STOP RUN.
LOADED-ONES.
    OPEN OUTPUT KF NF VF.
    MOVE "0050OLD" TO KR WRITE KR.
    PERFORM 5 TIMES
        MOVE "OLD" TO NR WRITE NR
        MOVE 6 TO L MOVE "OLDOLD" TO VR WRITE VR
    END-PERFORM.
    CLOSE KF NF VF.
    OPEN EXTEND KF NF VF.
    MOVE "0100GONE" TO KR PERFORM PUT-KEY.
    PERFORM 2 TIMES PERFORM PUT-NUMBERS END-PERFORM.
    ROLLBACK.
    MOVE "0040LOW" TO KR PERFORM PUT-KEY.
    MOVE "0090NEW" TO KR PERFORM PUT-KEY.
    MOVE "0100NEW" TO KR PERFORM PUT-KEY.
    PERFORM PUT-NUMBERS.
    COMMIT.
    PERFORM PUT-NUMBERS.
    CLOSE KF NF VF.
EMPTY-ONE.
*>  It was never loaded.
    OPEN OUTPUT KF.
    CLOSE KF.
    OPEN EXTEND KF.
    MOVE "0100ONE" TO KR PERFORM PUT-KEY.
    COMMIT.
    MOVE "0200GONE" TO KR PERFORM PUT-KEY.
    ROLLBACK.
    MOVE "0090LOW" TO KR PERFORM PUT-KEY.
    MOVE "0150TWO" TO KR PERFORM PUT-KEY.
    CLOSE KF.
PUT-KEY.
    WRITE KR.
    DISPLAY "KEY " FS.
PUT-NUMBERS.
    MOVE "NEW" TO NR WRITE NR.
    DISPLAY "NUMBER " FS " " NK.
    MOVE 4 TO L MOVE "NEWN" TO VR WRITE VR.
    DISPLAY "VARYING " FS " " VK.
"#;

fn numbers(number: u32) -> String {
    format!("NUMBER 00 {number:02}\nVARYING 00 {number:02}\n")
}

#[test]
fn extend_goes_on_above_the_last_record_that_is_left() {
    let place = Workplace::with_catalog("back-loaded");
    let program = place.compile("back", SOURCE);
    let gone = format!("KEY 00\n{}{}", numbers(6), numbers(7));
    let kept = format!("KEY 21\nKEY 00\nKEY 00\n{}{}", numbers(6), numbers(7));
    let listed = "0050OLD \n0090NEW \n0100NEW \n";
    assert_eq!(place.run(&program, &["loaded"]), gone + &kept + listed);
}

#[test]
fn extend_of_what_was_never_loaded_goes_on_above_what_was_committed() {
    let place = Workplace::with_catalog("back-empty");
    let program = place.compile("back", SOURCE);
    let said = "KEY 00\nKEY 00\nKEY 21\nKEY 00\n0100ONE \n0150TWO \n";
    assert_eq!(place.run(&program, &["empty"]), said);
}
