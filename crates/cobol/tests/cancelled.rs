//! A file that libcob was asked for first, and that is Cica's then: libcob does not meet it at COMMIT, ROLLBACK and
//! STOP RUN, while it is open or after CANCEL.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};

const SOURCE: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. MAIN-OF.
DATA DIVISION. WORKING-STORAGE SECTION. 01 WHAT PIC X(8).
PROCEDURE DIVISION.
ACCEPT WHAT FROM ARGUMENT-VALUE
CALL "SUB-OF"
IF WHAT = "cancel" CANCEL "SUB-OF" END-IF
COMMIT DISPLAY "COMMIT"
ROLLBACK DISPLAY "ROLLBACK"
CALL "SUB-OF"
STOP RUN.
END PROGRAM MAIN-OF.
IDENTIFICATION DIVISION. PROGRAM-ID. SUB-OF.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 02 K PIC 9(4). 02 D PIC X(4).
WORKING-STORAGE SECTION. 01 FS PIC XX.
PROCEDURE DIVISION.
OPEN I-O F DISPLAY "I-O " FS
IF FS = "35" OPEN OUTPUT F DISPLAY "OUTPUT " FS END-IF
MOVE 1 TO K MOVE "ONE" TO D WRITE R DISPLAY "WRITE " FS
GOBACK.
END PROGRAM SUB-OF.
"#;

/// With DB_HOME libcob has an environment for locks, in which it looks for those of the files on its list. What is
/// freed is filled with 3: to libcob an indexed file that is open I-O, whose own data are nowhere.
fn says(what: &str, described: bool) -> String {
    let place = Workplace::with_catalog(&format!("cancelled-{what}-{described}"));
    let program = if described {
        place.compile_extfh("calls", SOURCE)
    } else {
        place.compile("calls", SOURCE)
    };
    let home = place.0.join("environment");
    std::fs::create_dir(&home).unwrap();
    let mut command = place.command(&program);
    command.env("DB_HOME", &home);
    command.env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.perturb=3");
    let done = command.arg(what).output().unwrap();
    assert!(
        done.status.success(),
        "{}: {}{}",
        done.status,
        stdout(&done),
        stderr(&done)
    );
    stdout(&done)
}

#[test]
fn commit_while_it_is_open_is_cicas_alone() {
    let said = "I-O 35\nOUTPUT 00\nWRITE 00\nCOMMIT\nROLLBACK\nI-O 41\nWRITE 22\n";
    for described in [false, true] {
        assert_eq!(says("open", described), said, "{described}");
    }
}

#[test]
fn nothing_follows_a_file_that_cancel_has_freed() {
    let said = "I-O 35\nOUTPUT 00\nWRITE 00\nCOMMIT\nROLLBACK\nI-O 00\nWRITE 22\n";
    for described in [false, true] {
        assert_eq!(says("cancel", described), said, "{described}");
    }
}
