//! What an OPEN finds there and may not touch, and what goes behind it: generations of other runs, DISP=NEW, DISP=MOD,
//! and lines that are meant for a data set.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Opens F as its argument says, and writes a record.
fn writer(organization: &str) -> String {
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. WRITER.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         SELECT OPTIONAL F ASSIGN \"F\" ORGANIZATION {organization} FILE STATUS FS.\nDATA DIVISION.\nFILE SECTION.\n\
         FD F.\n01 R PIC X(4).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 WHAT PIC X(8).\nPROCEDURE DIVISION.\n\
         ACCEPT WHAT FROM ARGUMENT-VALUE\n\
         EVALUATE WHAT WHEN \"output\" OPEN OUTPUT F WHEN \"extend\" OPEN EXTEND F WHEN \"input\" OPEN INPUT F\n\
         END-EVALUATE\nDISPLAY FS\nIF FS > \"09\" STOP RUN.\n\
         IF WHAT = \"input\" READ F ELSE MOVE \"new\" TO R WRITE R.\nDISPLAY FS\nCLOSE F.\nSTOP RUN.\n"
    )
}

/// Looks for the newest generation, waits for a line, and opens the next one with records of so many bytes.
fn next(length: u8) -> String {
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. NEXTS.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         SELECT O ASSIGN \"O\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\n\
         SELECT N ASSIGN \"N\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\nDATA DIVISION.\nFILE SECTION.\n\
         FD O.\n01 O-R PIC X(4).\nFD N.\n01 N-R PIC X({length}).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n\
         01 WHAT PIC X(8).\n01 W PIC X.\nPROCEDURE DIVISION.\nACCEPT WHAT FROM ARGUMENT-VALUE\n\
         OPEN INPUT O DISPLAY FS ACCEPT W\n\
         EVALUATE WHAT WHEN \"output\" OPEN OUTPUT N WHEN \"extend\" OPEN EXTEND N WHEN \"i-o\" OPEN I-O N\n\
         WHEN \"input\" OPEN INPUT N WHEN \"delete\" DELETE FILE N END-EVALUATE\nDISPLAY FS\n\
         IF FS < \"10\" AND WHAT NOT = \"input\" MOVE \"mine\" TO N-R WRITE N-R CLOSE N.\nSTOP RUN.\n"
    )
}

/// The same program, interposed and with its files handled by CICAFH.
fn both(place: &Workplace, name: &str, source: &str) -> [PathBuf; 2] {
    let described = format!("{name}fh");
    [place.compile(name, source), place.compile_extfh(&described, source)]
}

fn command(place: &Workplace, program: &Path) -> Command {
    let mut command = place.command(program);
    if is_described(program) {
        command.env_remove("LD_PRELOAD");
    }
    command
}

fn is_described(program: &Path) -> bool {
    program.to_string_lossy().ends_with("fh")
}

fn says(place: &Workplace, program: &Path, dd: &str, what: &str) -> (String, String) {
    let mut command = command(place, program);
    let done = command.env("DD_F", dd).arg(what).output().unwrap();
    (stdout(&done), stderr(&done))
}

#[track_caller]
fn refused(said: &(String, String), status: &str, words: &str) {
    assert_eq!(said.0, format!("{status}\n"), "{}", said.1);
    assert!(said.1.contains(words), "{}", said.1);
}

/// Where the file of a data set lies.
fn on_volume(place: &Workplace, name: &str) -> PathBuf {
    place.catalog().join("volumes/CICA01").join(name)
}

fn nonvsam(place: &Workplace, name: &str, bytes: &str) -> PathBuf {
    let cards = format!("DEFINE NONVSAM (NAME({name}) DEVICETYPES(3390) VOLUMES(*))\n");
    common::idcams(&place.session(), &cards).unwrap();
    let file = on_volume(place, name);
    std::fs::write(&file, bytes).unwrap();
    file
}

/// Runs it, and something else when it has looked for the newest generation.
fn while_it_waits(place: &Workplace, program: &Path, what: &str, meanwhile: impl FnOnce()) -> Output {
    let mut command = command(place, program);
    command.env("DD_O", "DSN=G.H(0)").env("COB_UNBUFFERED", "1");
    command.env("DD_N", "DSN=G.H(+1)").arg(what);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "35\n");
    meanwhile();
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut said, &mut rest).unwrap();
    let mut done = child.wait_with_output().unwrap();
    done.stdout = rest.into_bytes();
    done
}

#[test]
fn the_next_generation_that_another_run_made_is_its_own() {
    let place = Workplace::with_catalog("disp-next");
    let group = "DEFINE GDG (NAME(G.H) LIMIT(3))\n";
    common::idcams(&place.session(), group).unwrap();
    let programs = [
        both(&place, "same", &next(4)).to_vec(),
        both(&place, "other", &next(8)).to_vec(),
    ]
    .concat();
    let write = place.compile("write", &writer("SEQUENTIAL"));
    let name = "G.H.G0001V00";
    for program in &programs {
        // DELETE FILE is no request of a handler's.
        let all = if is_described(program) { 3 } else { 4 };
        for what in &["output", "extend", "i-o", "delete"][..all] {
            // A cluster made from an FD, and one that is not VSAM's.
            let cluster = || assert_eq!(says(&place, &write, "DSN=G.H(+1)", "output").0, "00\n00\n");
            let done = while_it_waits(&place, program, what, cluster);
            refused(
                &(stdout(&done), stderr(&done)),
                "37",
                "another run has made it meanwhile",
            );
            assert_eq!(
                says(&place, &write, &format!("//{name}"), "input").0,
                "00\n00\n",
                "{what}"
            );
            common::idcams(&place.session(), &format!("DELETE {name} PURGE\n")).unwrap();
            let mut file = PathBuf::new();
            let done = while_it_waits(&place, program, what, || file = nonvsam(&place, name, "theirs\n"));
            refused(
                &(stdout(&done), stderr(&done)),
                "37",
                "another run has made it meanwhile",
            );
            assert_eq!(std::fs::read(&file).unwrap(), b"theirs\n", "{what}");
            common::idcams(&place.session(), &format!("DELETE {name} PURGE\n")).unwrap();
        }
    }
    // Nobody is in the way of who only reads it, and of the next one of one's own.
    let done = while_it_waits(&place, &programs[0], "input", || drop(nonvsam(&place, name, "them")));
    assert_eq!(stdout(&done), "00\n", "{}", stderr(&done));
    assert_eq!(
        says(&place, &write, "DSN=G.H(+1),DISP=(NEW,CATLG)", "output").0,
        "00\n00\n"
    );
}

#[test]
fn disp_new_is_not_there_whatever_it_is() {
    let place = Workplace::with_catalog("disp-new");
    let file = nonvsam(&place, "PAY.SEQ", "old\n");
    for (name, organization) in [("seq", "SEQUENTIAL"), ("line", "LINE SEQUENTIAL")] {
        for program in both(&place, name, &writer(organization)) {
            for dd in [
                "DSN=PAY.SEQ,DISP=(NEW,CATLG)",
                "DSN=PAY.SEQ,DISP=NEW,RECFM=FB,LRECL=4",
                "DSN=PAY.SEQ,DISP=(,CATLG)",
            ] {
                refused(&says(&place, &program, dd, "output"), "37", "DISP=NEW, and it is there");
                assert_eq!(std::fs::read(&file).unwrap(), b"old\n");
            }
            let (said, told) = says(&place, &program, "DSN=PAY.SEQ,DISP=OLD", "output");
            assert_eq!(said, "00\n00\n", "{told}");
            std::fs::write(&file, "old\n").unwrap();
        }
    }
}

#[test]
fn disp_mod_writes_behind_what_is_there() {
    let place = Workplace::with_catalog("disp-mod");
    let lines = nonvsam(&place, "PAY.LINES", "");
    let path = place.0.join("p.dat");
    let dd_of_path = format!("{},RECFM=FB,LRECL=4,DISP=MOD", path.display());
    for (name, organization) in [("seq", "SEQUENTIAL"), ("line", "LINE SEQUENTIAL")] {
        for program in both(&place, name, &writer(organization)) {
            std::fs::write(&lines, "old\n").unwrap();
            for wanted in ["old\nnew\n", "old\nnew\nnew\n"] {
                let (said, told) = says(&place, &program, "DSN=PAY.LINES,DISP=MOD", "output");
                assert_eq!(said, "00\n00\n", "{told}");
                assert_eq!(std::fs::read_to_string(&lines).unwrap(), wanted, "{organization}");
            }
            // What is not there is made, and an OPTIONAL file was not there (05).
            std::fs::remove_file(&lines).unwrap();
            let (said, told) = says(&place, &program, "DSN=PAY.LINES,DISP=MOD", "output");
            assert!(["00\n00\n", "05\n00\n"].contains(&said.as_str()), "{said}{told}");
            assert_eq!(std::fs::read_to_string(&lines).unwrap(), "new\n", "{organization}");
            let (said, told) = says(&place, &program, "DSN=PAY.LINES,DISP=OLD", "output");
            assert_eq!(said, "00\n00\n", "{told}");
            assert_eq!(std::fs::read_to_string(&lines).unwrap(), "new\n", "{organization}");
        }
    }
    let program = place.compile("records", &writer("SEQUENTIAL"));
    std::fs::write(&path, "old.").unwrap();
    let (said, told) = says(&place, &program, &dd_of_path, "output");
    assert_eq!(said, "00\n00\n", "{told}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old.new ");
}

#[test]
fn lines_for_a_data_set_are_never_in_a_file_of_that_text() {
    let place = Workplace::with_catalog("disp-lines");
    let cards = "DEFINE CLUSTER (NAME(PAY.ESDS) NONINDEXED RECORDSIZE(4 4) TRACKS(1 1) REUSE)\n\
                 DEFINE GDG (NAME(PAY.HIST) LIMIT(3))\n";
    common::idcams(&place.session(), cards).unwrap();
    for program in both(&place, "line", &writer("LINE SEQUENTIAL")) {
        for what in ["output", "extend"] {
            for dd in [
                "DSN=PAY.NONE",
                "//PAY.NONE",
                "DSN=PAY.NONE,DISP=MOD",
                "DSN=PAY.HIST(+1)",
            ] {
                refused(&says(&place, &program, dd, what), "35", "DEFINE NONVSAM does");
            }
            for dd in ["DSN=PAY.HIST(0)", "//PAY.HIST(-1)"] {
                refused(&says(&place, &program, dd, what), "35", "has no generation");
            }
            for dd in ["DSN=PAY.ESDS", "//PAY.ESDS"] {
                refused(&says(&place, &program, dd, what), "39", "no lines");
            }
        }
        assert_eq!(says(&place, &program, "DSN=PAY.NONE", "input").0, "05\n10\n");
    }
    let left = std::fs::read_dir(&place.0).unwrap().flatten();
    let left = left.filter(|file| file.file_name().to_string_lossy().contains("PAY."));
    assert_eq!(left.count(), 0);
}
