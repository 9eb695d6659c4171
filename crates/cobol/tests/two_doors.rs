//! Programs compiled with `-fcallfh=CICAFH`: what came in by a description, and what libcob's functions are asked for all
//! the same, are one file.
#![allow(clippy::unwrap_used)]

mod common;

use common::{idcams, library, stderr, stdout, Workplace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How the library comes into the program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// In front of libcob by LD_PRELOAD.
    Preloaded,
    /// In front of libcob, because it was linked so.
    First,
    /// Behind libcob.
    Last,
}

const WAYS: [Way; 3] = [Way::Preloaded, Way::First, Way::Last];

/// Each argument is a request.
const REQUESTS: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. ASKS.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
    SELECT OPTIONAL O ASSIGN TO "MAYBE" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY OK FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F.
01 R.
   05 K PIC X(2).
   05 D PIC X(2).
FD O.
01 OR1.
   05 OK PIC X(2).
   05 OD PIC X(2).
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
        WHEN "INP" OPEN INPUT F
        WHEN "OUT" OPEN OUTPUT F
        WHEN "I-O" OPEN I-O F
        WHEN "EXT" OPEN EXTEND F
        WHEN "WRT" MOVE REC TO R WRITE R
        WHEN "REW" MOVE REC TO R REWRITE R
        WHEN "DEL" MOVE REC TO R DELETE F
        WHEN "RED" MOVE REC TO R READ F
        WHEN "STA" MOVE REC TO R START F KEY >= K
        WHEN "NXT" READ F NEXT
        WHEN "CLO" CLOSE F
        WHEN "UNL" UNLOCK F
        WHEN "INO" OPEN INPUT O
        WHEN "IOO" OPEN I-O O
        WHEN "NXO" READ O NEXT
        WHEN "CLX" CLOSE O
    END-EVALUATE.
    DISPLAY FS " " NO ADVANCING.
    GO TO P1.
"#;

/// A program with a subprogram that is given up with its file open, and the same as one that is INITIAL.
const CALLS: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. CALLS.
DATA DIVISION.
WORKING-STORAGE SECTION.
01 WHAT PIC X(8).
PROCEDURE DIVISION.
    ACCEPT WHAT FROM ARGUMENT-VALUE.
    PERFORM 2 TIMES
        CALL WHAT
        IF WHAT = "KEEPS" CANCEL WHAT END-IF
        DISPLAY "BACK" END-DISPLAY
    END-PERFORM.
    STOP RUN.
END PROGRAM CALLS.
IDENTIFICATION DIVISION.
PROGRAM-ID. KEEPS.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT OPTIONAL F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F.
01 R.
   05 K PIC 9(4).
   05 D PIC X(2).
WORKING-STORAGE SECTION.
01 FS PIC XX.
PROCEDURE DIVISION.
    OPEN I-O F DISPLAY FS " " NO ADVANCING.
    MOVE "0001AA" TO R WRITE R DISPLAY FS " " NO ADVANCING.
    MOVE SPACES TO D READ F DISPLAY FS " " D.
    GOBACK.
END PROGRAM KEEPS.
IDENTIFICATION DIVISION.
PROGRAM-ID. ANEW INITIAL.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT OPTIONAL F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F.
01 R.
   05 K PIC 9(4).
   05 D PIC X(2).
WORKING-STORAGE SECTION.
01 FS PIC XX.
PROCEDURE DIVISION.
    OPEN I-O F DISPLAY FS " " NO ADVANCING.
    MOVE "0001AA" TO R WRITE R DISPLAY FS " " NO ADVANCING.
    MOVE SPACES TO D READ F DISPLAY FS " " D.
    GOBACK.
END PROGRAM ANEW.
"#;

fn begin(name: &str, source: &str, way: Way) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(&format!("{name}-{way:?}"));
    let program = place.compile_described("asks", source, "CICAFH", way == Way::First, None);
    (place, program)
}

fn command(place: &Workplace, program: &Path, way: Way) -> Command {
    let mut command = place.command(program);
    if way != Way::Preloaded {
        command.env_remove("LD_PRELOAD");
    }
    command
}

/// What these requests come to.
fn statuses(place: &Workplace, program: &Path, way: Way, requests: &str) -> String {
    let done = command(place, program, way).args(requests.split(' ')).output().unwrap();
    assert!(
        done.status.success(),
        "{way:?}, {requests}: {}, {}{}",
        done.status,
        stdout(&done),
        stderr(&done)
    );
    stdout(&done).trim_end().to_string()
}

#[test]
fn what_libcob_did_not_find_is_cicas_afterwards() {
    for way in WAYS {
        let (place, program) = begin("doors-35", REQUESTS, way);
        // STOP RUN closes it; libcob, which was asked first, has nothing to close.
        assert_eq!(statuses(&place, &program, way, "INP OUT WRT01AA"), "35 00 00");
        assert_eq!(statuses(&place, &program, way, "I-O NXT NXT"), "00 00 10");
        assert_eq!(statuses(&place, &program, way, "INP WRT02BB CLO"), "00 48 00");
    }
}

#[test]
fn a_file_that_was_refused_is_closed() {
    for way in WAYS {
        let (place, program) = begin("doors-39", REQUESTS, way);
        let cards = "DEFINE CLUSTER (NAME(CUST) INDEXED KEYS(3 0) RECORDSIZE(6 6) TRACKS(1 1))";
        idcams(&place.session(), cards).unwrap();
        let requests = "INP CLO NXT RED01AA STA01 WRT01AA REW01AA DEL01AA UNL CLO I-O CLO";
        let expected = "39 42 47 47 47 48 49 49 00 42 39 42";
        assert_eq!(statuses(&place, &program, way, requests), expected, "{way:?}");
        assert_eq!(statuses(&place, &program, way, "I-O NXT"), "39 47", "{way:?}");
        assert_eq!(statuses(&place, &program, way, "EXT"), "39", "{way:?}");
    }
}

#[test]
fn a_second_close_is_of_a_closed_file() {
    for way in WAYS {
        let (place, program) = begin("doors-42", REQUESTS, way);
        let requests = "CLO OUT WRT01AA CLO CLO NXT I-O RED01 CLO CLO I-O I-O";
        let expected = "42 00 00 00 42 47 00 00 00 42 00 41";
        assert_eq!(statuses(&place, &program, way, requests), expected, "{way:?}");
    }
}

#[test]
fn an_optional_file_that_is_not_there_is_open() {
    for way in WAYS {
        let (place, program) = begin("doors-05", REQUESTS, way);
        let requests = "INO NXO IOO CLX CLX IOO NXO IOO CLX CLX";
        let expected = "05 10 41 00 42 05 10 41 00 42";
        assert_eq!(statuses(&place, &program, way, requests), expected, "{way:?}");
    }
}

#[test]
fn cancel_and_the_end_of_an_initial_program_close_the_file() {
    for way in WAYS {
        for what in ["KEEPS", "ANEW"] {
            let (place, program) = begin(&format!("doors-{what}"), CALLS, way);
            let said = statuses(&place, &program, way, what);
            assert_eq!(said, "05 00 00 AA\nBACK\n00 22 00 AA\nBACK", "{way:?}, {what}");
        }
    }
}

#[test]
fn a_file_that_stays_with_libcob_is_told_once() {
    for way in WAYS {
        let source = REQUESTS.replace("\"CUST\"", "\"cust_omers\"");
        let (place, program) = begin("doors-told", &source, way);
        let mut command = command(&place, &program, way);
        let done = command
            .args(["OUT", "WRT01AA", "CLO", "I-O", "RED01"])
            .output()
            .unwrap();
        assert_eq!(stdout(&done), "00 00 00 00 00 ", "{way:?}");
        assert_eq!(
            stderr(&done).matches("CICA1223W").count(),
            1,
            "{way:?}: {}",
            stderr(&done)
        );
    }
}

/// A main program and a subprogram of their own, with one EXTERNAL file.
const OPENS: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. OPENS.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F EXTERNAL.
01 R.
   05 K PIC X(2).
   05 D PIC X(2).
WORKING-STORAGE SECTION.
01 FS PIC XX EXTERNAL.
PROCEDURE DIVISION.
    OPEN OUTPUT F DISPLAY FS " " NO ADVANCING.
    MOVE "01AA" TO R WRITE R DISPLAY FS " " NO ADVANCING.
    CLOSE F DISPLAY FS " " NO ADVANCING.
    OPEN I-O F DISPLAY FS " " NO ADVANCING.
    CALL "USES".
    READ F NEXT DISPLAY FS " " R " " NO ADVANCING.
    CALL "SHUTS".
    CLOSE F DISPLAY FS.
    STOP RUN.
END PROGRAM OPENS.
"#;

const USES: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. USES.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F EXTERNAL.
01 R.
   05 K PIC X(2).
   05 D PIC X(2).
WORKING-STORAGE SECTION.
01 FS PIC XX EXTERNAL.
PROCEDURE DIVISION.
    MOVE "02BB" TO R WRITE R DISPLAY FS " " NO ADVANCING.
    MOVE "01" TO K READ F DISPLAY FS " " R " " NO ADVANCING.
    MOVE "CC" TO D REWRITE R DISPLAY FS " " NO ADVANCING.
    OPEN INPUT F DISPLAY FS " " NO ADVANCING.
    GOBACK.
END PROGRAM USES.
"#;

/// A module that programs call, compiled for EXTFH or not.
fn module(place: &Workplace, modules: &Path, name: &str, source: &str, extfh: bool) {
    let file = place.0.join(format!("{name}.cob"));
    std::fs::write(&file, source).unwrap();
    let mut cobc = common::cobc();
    cobc.args(["-m", "-free", "-o"]).arg(modules.join(format!("{name}.so")));
    if extfh {
        let header = place.0.join("uses.h");
        let text = "#include <stddef.h>\n#include <stdio.h>\n#include <libcob.h>\n\
                    extern int CICAFH (unsigned char *, FCD3 *);\n";
        std::fs::write(&header, text).unwrap();
        cobc.args(["-fcallfh=CICAFH", "-lcica_cobol", "-A"])
            .arg(format!("-include {}", header.display()))
            .arg(format!("-L{}", library().parent().unwrap().display()));
    }
    let done = cobc.arg(&file).output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
}

#[test]
fn an_external_file_is_one_file_to_both_kinds_of_programs() {
    for (opens, uses) in [(true, false), (false, true), (true, true), (false, false)] {
        let place = Workplace::with_catalog(&format!("doors-external-{opens}-{uses}"));
        let program = if opens {
            place.compile_extfh("opens", OPENS)
        } else {
            place.compile("opens", OPENS)
        };
        let modules = place.0.join("modules");
        std::fs::create_dir(&modules).unwrap();
        let shuts = USES.replace("USES", "SHUTS");
        let from = shuts.find("    MOVE \"02BB\"").unwrap();
        let to = shuts.find("    GOBACK").unwrap();
        let shuts = format!(
            "{}    CLOSE F DISPLAY FS \" \" NO ADVANCING.\n{}",
            &shuts[..from],
            &shuts[to..]
        );
        for (name, source) in [("USES", USES), ("SHUTS", &shuts)] {
            module(&place, &modules, name, source, uses);
        }
        let mut command = place.command(&program);
        let done = command.env("COB_LIBRARY_PATH", &modules).output().unwrap();
        let said = stdout(&done);
        assert!(
            done.status.success(),
            "{opens} {uses}: {}, {said}{}",
            done.status,
            stderr(&done)
        );
        let expected = "00 00 00 00 00 00 01AA 00 41 00 02BB 00 42";
        assert_eq!(said.trim_end(), expected, "{opens} {uses}");
    }
}

/// A record that gets longer, of a file that is libcob's: who asks libcob about the file leaves the description as it was.
const LONGER: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. LONGER.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT V ASSIGN TO "./vary.dat" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD V RECORD VARYING FROM 1 TO 40 DEPENDING ON N.
01 R.
   05 K PIC X.
   05 D PIC X(39).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 N PIC 99.
PROCEDURE DIVISION.
    OPEN OUTPUT V DISPLAY FS " " NO ADVANCING.
    MOVE 10 TO N MOVE ALL "A" TO R WRITE R DISPLAY FS " " NO ADVANCING.
    CLOSE V DISPLAY FS " " NO ADVANCING.
    OPEN I-O V READ V NEXT DISPLAY FS " " N " " NO ADVANCING.
    MOVE 20 TO N MOVE ALL "B" TO D REWRITE R DISPLAY FS " " NO ADVANCING.
    CLOSE V DISPLAY FS " " NO ADVANCING.
    OPEN INPUT V MOVE 0 TO N READ V NEXT DISPLAY FS " " N " " R(1:20).
    CLOSE V.
    STOP RUN.
"#;

#[test]
fn a_record_of_libcobs_gets_as_long_as_the_program_says() {
    for way in WAYS {
        let (place, program) = begin("doors-longer", LONGER, way);
        let done = command(&place, &program, way).output().unwrap();
        let expected = format!("00 00 00 00 10 00 00 00 20 A{}\n", "B".repeat(19));
        assert_eq!(stdout(&done), expected, "{way:?}: {}", stderr(&done));
    }
}

#[test]
fn a_file_that_the_other_kind_of_program_has_closed_with_lock_is_not_opened() {
    let place = Workplace::with_catalog("doors-lock");
    let opens = OPENS.replace(
        "    CLOSE F DISPLAY FS.\n",
        "    OPEN INPUT F DISPLAY FS \" \" NO ADVANCING READ F NEXT DISPLAY FS.\n",
    );
    let program = place.compile_extfh("opens", &opens);
    let modules = place.0.join("modules");
    std::fs::create_dir(&modules).unwrap();
    module(&place, &modules, "USES", USES, false);
    let first = USES.find("    MOVE \"02BB\"").unwrap();
    let shuts =
        USES[..first].replace("USES", "SHUTS") + "    CLOSE F WITH LOCK DISPLAY FS \" \" NO ADVANCING.\n    GOBACK.\n";
    module(&place, &modules, "SHUTS", &shuts, false);
    let mut command = place.command(&program);
    let done = command.env("COB_LIBRARY_PATH", &modules).output().unwrap();
    let said = stdout(&done);
    let end = said.trim_end().rsplit("02BB ").next().unwrap();
    assert_eq!(end, "00 38 47", "{said}{}", stderr(&done));
}
