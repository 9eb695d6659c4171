//! What COBOL has around files: locks and sharing in one process, EXTERNAL files, several programs, MERGE.
#![allow(clippy::unwrap_used)]

mod common;

use cica_admin::define::{DefineGroup, GroupStated};
use cica_admin::Services;
use common::{stderr, stdout, Workplace};
use std::path::PathBuf;

fn begin(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("language", include_str!("programs/language.cob"));
    (place, program)
}

#[test]
fn lock_phrases_are_taken_by_one_process_alone() {
    let (place, program) = begin("locks");
    assert_eq!(
        place.run(&program, &["locks"]),
        "OPEN 00\nLOCK 00\nKEPT 00\nNO 00 0030\nIGNORE 00\nREWRITE 00\nUNLOCK 00\nCLOSE 00\nAUTO 00 X   \nOPEN 00\n"
    );
}

#[test]
fn programs_share_an_external_file_until_one_is_cancelled() {
    let (place, program) = begin("external");
    // As with libcob's own files, CANCEL closes the EXTERNAL file too.
    assert_eq!(
        place.run(&program, &["external"]),
        "WRITE 00\nOTHER 00\nOWN 00\nREAD 00 MORE\nOTHER 22\nOWN 22\nREAD 47 MORE\nCLOSE 42\n"
    );
    let session = place.session();
    assert_eq!(session.catalog.contents().unwrap().entries().count(), 2);
}

#[test]
fn merge_reads_a_ksds_and_an_esds_into_an_esds() {
    let (place, program) = begin("merge");
    assert_eq!(
        place.run(&program, &["merge"]),
        "0010F   \n0015JJJJ\n0020F   \n0025JJJJ\n0030F   \n"
    );
}

#[test]
fn ten_thousand_opens_and_closes_leave_no_file_open() {
    let (place, program) = begin("cycles");
    let done = place.command(&program).arg("cycles").output().unwrap();
    assert_eq!(common::stdout(&done), "00\n", "{}", stderr(&done));
}

/// Writes a generation, reads the one before, and a member that is none.
const GENERATIONS: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. GENERATIONS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT O ASSIGN TO "OLD" ORGANIZATION INDEXED RECORD KEY OK FILE STATUS FS.
SELECT N ASSIGN TO "NEW" ORGANIZATION INDEXED RECORD KEY NK FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD O. 01 OREC. 05 OK PIC X(4). 05 OD PIC X(4).
FD N. 01 NREC. 05 NK PIC X(4). 05 ND PIC X(4).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 W PIC X(4).
PROCEDURE DIVISION.
ACCEPT W FROM ARGUMENT-VALUE
OPEN INPUT O DISPLAY FS
IF FS = "00" READ O DISPLAY FS " " OREC CLOSE O END-IF
OPEN OUTPUT N DISPLAY FS
IF FS = "00" MOVE "0001" TO NK MOVE W TO ND WRITE NREC DISPLAY FS CLOSE N
OPEN INPUT N READ N DISPLAY FS " " NREC CLOSE N END-IF
STOP RUN.
"#;

/// Makes the group PROD.HIST.
fn define_group(place: &Workplace, limit: u16, scratch: bool) {
    let request = DefineGroup {
        name: "PROD.HIST".to_owned(),
        group: GroupStated {
            limit: Some(limit),
            scratch: Some(scratch),
            ..GroupStated::default()
        },
        ..DefineGroup::default()
    };
    let defined = Services::of(&place.session()).define_group(&request);
    assert_eq!(defined.condition, 0, "{:?}", defined.messages);
}

#[test]
fn a_program_reads_one_generation_and_writes_the_next() {
    let place = Workplace::with_catalog("language-generations");
    define_group(&place, 9, false);
    let program = place.compile("generations", GENERATIONS);
    let says = |old: &str, new: &str, word: &str| {
        let mut command = place.command(&program);
        command.env("DD_OLD", old).env("DD_NEW", new).arg(word);
        let done = command.output().expect("it runs");
        (stdout(&done), stderr(&done))
    };
    let (newest, next) = ("DSN=PROD.HIST(0),DISP=SHR", "DSN=PROD.HIST(+1),DISP=(NEW,CATLG)");
    // (+1) is the same data set to the end of the run, and (0) after it is what was made.
    assert_eq!(says(newest, next, "one").0, "35\n00\n00\n00 0001one \n");
    assert_eq!(says(newest, next, "two").0, "00\n00 0001one \n00\n00\n00 0001two \n");
    assert_eq!(
        says("//PROD.HIST(-1)", next, "thre").0,
        "00\n00 0001one \n00\n00\n00 0001thre\n"
    );
    let (said, told) = says("//PROD.HIST(-3)", "//PROD.HIST(0)", "four");
    assert_eq!(said, "35\n00\n00\n00 0001four\n");
    assert!(told.contains("PROD.HIST has no generation (-3)"), "{told}");
    for (wrong, status, reason) in [
        ("DSN=PROD.HIST(MEMBER)", "31\n", "'MEMBER' is no relative generation"),
        ("DSN=PROD.NONE(0)", "35\n", "PROD.NONE is no generation data group"),
    ] {
        let (said, told) = says(wrong, newest, "five");
        assert!(said.starts_with(status) && told.contains(reason), "{said}{told}");
    }
}

#[test]
fn what_is_beyond_limit_goes_when_the_program_ends() {
    let place = Workplace::with_catalog("language-limit");
    define_group(&place, 2, true);
    let program = place.compile("generations", GENERATIONS);
    let run = |old: &str, word: &str| {
        let mut command = place.command(&program);
        command.env("DD_OLD", old).env("DD_NEW", "DSN=PROD.HIST(+1)").arg(word);
        let done = command.env("CICA_MESSAGES", "I").output().expect("it runs");
        (stdout(&done), stderr(&done))
    };
    let numbers = || {
        let session = place.session();
        let base = cica_catalog::Name::parse("PROD.HIST").expect("a name");
        let contents = session.catalog.contents().expect("the catalog");
        let all = contents.generations(&base);
        Vec::from_iter(all.iter().map(|(generation, _)| generation.number))
    };
    run("//PROD.HIST(0)", "one");
    run("//PROD.HIST(0)", "two");
    assert_eq!(numbers(), [1, 2]);
    // The oldest is there as long as the program runs, which reads it after it has made the new one.
    let (said, told) = run("//PROD.HIST(-1)", "thre");
    assert_eq!(said, "00\n00 0001one \n00\n00\n00 0001thre\n");
    assert!(
        told.contains("CICA1219I GENERATION PROD.HIST.G0001V00 ROLLED OFF ITS GROUP, ITS DATA ARE DELETED"),
        "{told}"
    );
    assert_eq!(numbers(), [2, 3]);
    let files = std::fs::read_dir(place.catalog().join("volumes/CICA01")).expect("the volume");
    let left = files
        .flatten()
        .filter(|f| f.file_name().to_string_lossy().contains("G0001V00"));
    assert_eq!(left.count(), 0);
    // One that another has open stays, and goes with the next.
    {
        let session = place.session();
        let name = cica_catalog::Name::parse("PROD.HIST.G0002V00").expect("a name");
        let (catalog, cluster) = session.reach(&name).expect("it is there");
        let options = cica_engine::OpenOptions::default();
        let _open = cica_session::open(&catalog, &session.engine, &cluster, options).expect("it opens");
        let (said, told) = run("//PROD.HIST(0)", "four");
        assert_eq!(said, "00\n00 0001thre\n00\n00\n00 0001four\n");
        assert!(
            told.contains("CICA1220W GENERATION PROD.HIST.G0002V00 IS BEYOND THE LIMIT") && told.contains("in use"),
            "{told}"
        );
    }
    assert_eq!(numbers(), [2, 3, 4]);
    run("//PROD.HIST(0)", "five");
    assert_eq!(numbers(), [4, 5]);
}
