//! Programs that fill a file control description and a block of keys themselves, and COMMIT of a disk that is full.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::path::{Path, PathBuf};
use std::process::Output;

const FILLED: &str = include_str!("programs/filled.c");

/// A program without files of its own, which does what WHAT says.
const CALLER: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. CALLER.
PROCEDURE DIVISION.
    CALL "act".
    STOP RUN.
"#;

/// One that says COMMIT itself, the second time on a disk that is full.
const VERB: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. VERB.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "//LEDGER" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 05 K PIC 9(4). 05 PIC X(16).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 WS PIC XX. 01 WHAT PIC X(8).
PROCEDURE DIVISION.
    ACCEPT WHAT FROM ARGUMENT-VALUE.
    IF WHAT = "change" OPEN I-O F ELSE OPEN OUTPUT F END-IF.
    MOVE FS TO WS. MOVE SPACES TO R. MOVE 1 TO K.
    IF WHAT = "change" MOVE 2 TO K END-IF.
    WRITE R.
    DISPLAY WS " " FS.
    IF WHAT = "make" CLOSE F STOP RUN END-IF.
    COMMIT.
    DISPLAY "COMMITTED".
    ADD 2 TO K. WRITE R. DISPLAY FS.
    CALL "full".
    COMMIT.
    DISPLAY "NOT REACHED".
    STOP RUN.
"#;

fn begin(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile_described("caller", CALLER, "CICAFH", true, Some(FILLED));
    (place, program)
}

fn run(place: &Workplace, program: &Path, what: &str, file: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = place.command(program);
    command
        .env_remove("LD_PRELOAD")
        .env("WHAT", what)
        .env("FILE_NAME", file);
    command.envs(environment.iter().copied()).output().unwrap()
}

#[test]
fn the_record_may_lie_elsewhere_in_each_request_and_nowhere_where_none_is_needed() {
    let (place, program) = begin("filled-moved");
    let done = run(&place, &program, "moved", "DSN=CUST", &[]);
    let expected = "\
open output 00
write 00
write 00
write 91
unlock 00
close 00
close 42
open i-o 00
read by key 00 0001BB  AA one      \nrewrite 00
start 00
start 91
read next 00 0002AA  AA two      \nread next 00 0001ZZ  AA one again
read next 91
delete 91
delete 00
close 00
open input 00
open again 41
read next 00 0001ZZ  AA one again
read next 10
close 00
";
    assert_eq!(stdout(&done), expected, "{}", stderr(&done));
    let done = run(&place, &program, "numbers", "DSN=NUMBERS", &[]);
    let expected = "\
open output 00
write 00
write 00
close 00
open i-o 00
delete 00
start 00
read next 00 two                 \nclose 00
";
    assert_eq!(stdout(&done), expected, "{}", stderr(&done));
}

#[test]
fn what_a_block_of_keys_leaves_out_is_what_libcob_takes_for_granted() {
    let (place, program) = begin("filled-defaults");
    for name in ["DSN=CUST", "OTHER"] {
        let done = run(&place, &program, "defaults", name, &[]);
        let expected = "\
open output 00
write 00
write 00
close 00
open input 00
start 00
read next 00 0002AA  AA two      \nclose 00
";
        assert_eq!(stdout(&done), expected, "{name}: {}", stderr(&done));
    }
    let session = place.session();
    let contents = session.catalog.contents().unwrap();
    for name in ["CUST", "OTHER"] {
        assert!(
            contents.get(&cica_catalog::Name::parse(name).unwrap()).is_ok(),
            "{name}"
        );
        assert!(!place.0.join(name).exists(), "{name} is a file of libcob's");
    }
}

#[test]
fn a_block_of_keys_that_cannot_be_read_is_told_and_makes_no_file_of_libcobs() {
    let (place, program) = begin("filled-unreadable");
    // It is not there yet, then it is; with a name that may be a path as well.
    for (name, statuses) in [
        ("DSN=CUST", "open 35\nopen 39\nopen 35\n"),
        ("CUST", "open 39\nopen 39\nopen 39\n"),
    ] {
        if name == "CUST" {
            let made = run(&place, &program, "defaults", name, &[]);
            assert!(stdout(&made).ends_with("close 00\n"), "{}", stderr(&made));
        }
        let done = run(&place, &program, "unreadable", name, &[]);
        assert_eq!(stdout(&done), statuses, "{name}: {}", stderr(&done));
        let told = stderr(&done);
        let wanted = format!("CICA1206E FILE {name}: a key of 9 parts, which is more than 8, IS NOT SUPPORTED YET");
        assert!(told.contains(&wanted), "{told}");
        let made = std::fs::read_dir(&place.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let made: Vec<_> = made.filter(|file| file.to_string_lossy().contains("CUST")).collect();
        assert!(made.is_empty(), "files of libcob's: {made:?}");
    }
}

#[test]
fn a_commit_that_fails_says_so_in_the_description() {
    let (place, program) = begin("filled-commit");
    let off = [("CICA_UNITS", "off")];
    let made = run(&place, &program, "make", "DSN=CUST", &off);
    assert_eq!(
        stdout(&made),
        "open output 00\nwrite 00\nclose 00\n",
        "{}",
        stderr(&made)
    );
    // What is changed is in the log, what is loaded in the data set.
    for (what, environment) in [("commit", &off[..]), ("load", &[]), ("load", &[("CICA_UNITS", "on")])] {
        let done = run(&place, &program, what, "DSN=CUST", environment);
        let (said, told) = (stdout(&done), stderr(&done));
        let expected = "open 00\nwrite 00\ncommit 00\nwrite 00\ncommit 30\n";
        assert_eq!(said, expected, "{what} {environment:?}: {told}");
        assert!(
            told.contains("CICA1208E CUST: ") && told.contains("File too large"),
            "{told}"
        );
        let made = run(&place, &program, "make", "DSN=CUST", &off);
        assert!(stdout(&made).ends_with("close 00\n"), "{}", stderr(&made));
    }
    // What belongs to a unit ends the program.
    let done = run(&place, &program, "commit", "DSN=CUST", &[("CICA_UNITS", "on")]);
    assert_eq!(stdout(&done), "open 00\nwrite 00\ncommit 00\nwrite 00\n");
    assert!(stderr(&done).contains("CICA1207S COMMIT FAILED"), "{}", stderr(&done));
    assert!(!done.status.success());
}

#[test]
fn a_commit_of_a_forked_child_is_none() {
    let (place, program) = begin("filled-fork");
    let made = run(&place, &program, "make", "DSN=CUST", &[]);
    assert!(stdout(&made).ends_with("close 00\n"), "{}", stderr(&made));
    let done = run(&place, &program, "fork", "DSN=CUST", &[("CICA_UNITS", "on")]);
    let expected = "open 00\nwrite 00\nchild 30\nparent 00\nclose 00\n";
    assert_eq!(stdout(&done), expected, "{}", stderr(&done));
    assert!(stderr(&done).contains("CICA1212E"), "{}", stderr(&done));
}

#[test]
fn the_verb_commit_of_what_is_in_no_unit_ends_the_program_when_it_fails() {
    let place = Workplace::with_catalog("filled-verb");
    let program = place.compile_described("verb", VERB, "CICAFH", true, Some(FILLED));
    let run = |what: &str, units: &str| {
        let mut command = place.command(&program);
        let done = command
            .env_remove("LD_PRELOAD")
            .env("CICA_UNITS", units)
            .arg(what)
            .output();
        done.unwrap()
    };
    // A program that has a unit loads its files outside of it.
    for (what, units) in [("load", "auto"), ("change", "off")] {
        let done = run(what, units);
        assert_eq!(stdout(&done), "00 00\nCOMMITTED\n00\n", "{what}: {}", stderr(&done));
        let told = stderr(&done);
        let wanted = "CICA1207S COMMIT FAILED, THE PROGRAM ENDS: LEDGER: the device failed";
        assert!(told.contains(wanted) && told.contains("CICA1208E LEDGER: "), "{told}");
        assert!(!done.status.success(), "{what}");
        assert_eq!(stdout(&run("make", "off")), "00 00\n");
    }
}
