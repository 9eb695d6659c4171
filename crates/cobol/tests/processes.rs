//! Programs as processes: two at a time, killed, forked, ended without CLOSE; and wrong surroundings.
#![allow(clippy::unwrap_used)]

mod common;

use common::{library, stderr, stdout, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SOURCE: &str = include_str!("programs/file.cob");

/// A workplace with the program, and CUST with so many records.
fn begin(name: &str, records: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("file", SOURCE);
    if records != "0" {
        assert_eq!(place.run(&program, &["load", records]), "");
    }
    (place, program)
}

#[test]
fn files_left_open_are_closed_at_stop_run() {
    let (place, program) = begin("stop-run", "0");
    assert_eq!(place.run(&program, &["load-open", "50"]), "");
    assert_eq!(place.run(&program, &["count"]), "0000000050 10\n");
}

#[test]
fn a_second_process_that_opens_for_output_is_told() {
    let (place, program) = begin("second", "3");
    let mut first = place
        .command(&program)
        .arg("hold")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut said = String::new();
    BufReader::new(first.stdout.take().expect("its output"))
        .read_line(&mut said)
        .expect("a line");
    assert_eq!(said, "00\n");
    // For input as well: the first may change it.
    for how in ["open", "input"] {
        let mut command = place.command(&program);
        let second = command.arg(how).output().expect("it runs");
        assert_eq!(stdout(&second), "61 0008 0000 0168\n", "{how}");
        let told = stderr(&second);
        let reason = match how {
            "input" => "in use: another process has it open for output, or keeps others away: ",
            _ => "in use: another process has it open, and this open is for output: ",
        };
        let holder = format!("process {} (file hold) [OPEN 168]", first.id());
        let wanted = told.starts_with("CICA1204E CUST CANNOT BE OPENED FOR FILE F: ")
            && told.contains(&(reason.to_owned() + &holder));
        assert!(wanted, "{told}");
        let second = command.env("CICA_STATUS", "enterprise").output().expect("it runs");
        assert_eq!(stdout(&second), "93 0008 0000 0168\n", "{how}");
        let second = command.env("CICA_STATUS", "microfocus").output().expect("it runs");
        assert_eq!(stdout(&second), "9A 0008 0000 0168\n", "{how}");
    }
    first
        .stdin
        .take()
        .expect("its input")
        .write_all(b"\n")
        .expect("it listens");
    assert!(first.wait().expect("it ends").success());
    assert_eq!(place.run(&program, &["open"]), "00 0000 0000 0000\n");
}

#[test]
fn an_empty_data_set_is_missing_for_enterprise_cobol() {
    let (place, program) = begin("empty", "0");
    assert_eq!(place.run(&program, &["load", "0"]), "");
    assert_eq!(place.run(&program, &["input"]), "00 0008 0000 0160\n");
    let done = place
        .command(&program)
        .arg("input")
        .env("CICA_STATUS", "enterprise")
        .output()
        .expect("it runs");
    assert!(stdout(&done).starts_with("35 "), "{}", stdout(&done));
}

/// Every committed record is there after each kill, and the data set opens as it is.
#[test]
fn what_was_committed_survives_a_kill() {
    let (place, program) = begin("kill", "0");
    assert_eq!(place.run(&program, &["load", "1"]), "");
    let rounds: u32 = std::env::var("CICA_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(8);
    let mut from = 0;
    for round in 0..rounds {
        let mut child = place
            .command(&program)
            .args(["batch", &from.to_string()])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut committed: u32 = 0;
        for _ in 0..=round * 7 % 23 {
            let line = lines.next().expect("a line").expect("text");
            committed = line.trim().parse().expect("a number of records");
        }
        // Now it is in the middle of a unit, or of a commit.
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        for line in lines.map_while(Result::ok) {
            committed = line.trim().parse().unwrap_or(committed);
        }
        let there = records(&place, &program);
        for n in 1..=committed {
            let key = u64::from(n) * 7919 % 100_000_000;
            assert!(
                there.contains(&format!("{key:08}")),
                "round {round}: record {n} of {committed} is lost"
            );
        }
        from = committed;
    }
}

fn records(place: &Workplace, program: &Path) -> std::collections::HashSet<String> {
    let listed = place.run(program, &["count", "1"]);
    listed.lines().map(|line| line.chars().take(8).collect()).collect()
}

#[test]
fn a_forked_child_cannot_use_its_parents_data_sets() {
    let (place, program) = begin("fork", "3");
    let done = place.command(&program).arg("fork").output().expect("it runs");
    let said = stdout(&done);
    assert!(
        said.contains("CHILD 30") && said.contains("PARENT 00"),
        "{said}{}",
        stderr(&done)
    );
    assert!(stderr(&done).contains("CICA1212E"), "{}", stderr(&done));
    assert_eq!(place.run(&program, &["count"]), "0000000003 10\n");
}

#[test]
fn sort_reads_and_writes_data_sets() {
    let (place, program) = begin("sort", "30");
    assert_eq!(place.run(&program, &["sort"]), "00 0000001000000010    \n");
}

#[test]
fn two_files_of_a_program_may_be_one_data_set() {
    let (place, program) = begin("both", "3");
    assert_eq!(place.run(&program, &["both"]), "00 0000001000000010    \n");
}

/// Loads with one file and opens the same data set with another, then changes it, closes the first and goes on.
fn loading(selects: &str) -> String {
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. LOADING.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         {selects}DATA DIVISION.\nFILE SECTION.\nFD F.\n01 R.\n  05 K PIC 9(4).\n  05 A PIC X(4).\n  05 D PIC X(4).\n\
         FD G.\n01 RG.\n  05 GK PIC 9(4).\n  05 GA PIC X(4).\n  05 GD PIC X(4).\nWORKING-STORAGE SECTION.\n\
         01 FS PIC XX.\n01 N PIC 9(4).\nPROCEDURE DIVISION.\nMAIN.\n OPEN OUTPUT F.\n MOVE \"AAAA\" TO A.\n\
         MOVE 5 TO K N. WRITE R. DISPLAY FS.\n OPEN INPUT G. DISPLAY FS.\n MOVE 3 TO K N. WRITE R. DISPLAY FS.\n\
         MOVE 7 TO K N. WRITE R. DISPLAY FS.\n CLOSE F. DISPLAY FS.\n OPEN I-O F. DISPLAY FS.\n\
         MOVE 3 TO K N. READ F. DISPLAY FS.\n REWRITE R. DISPLAY FS.\n CLOSE F G. DISPLAY FS.\n OPEN INPUT G.\n\
         PERFORM 4 TIMES READ G NEXT DISPLAY FS \" \" GK END-PERFORM.\n CLOSE G. STOP RUN.\n"
    )
}

#[test]
fn a_load_ends_when_another_file_of_the_program_opens_the_data_set() {
    let place = Workplace::with_catalog("loading");
    let cases = [
        (
            "RELATIVE",
            "RELATIVE KEY N",
            "RELATIVE KEY N",
            ["00", "00", "00", "00", "00"],
        ),
        (
            "INDEXED",
            "RECORD KEY K ALTERNATE A WITH DUPLICATES",
            "RECORD KEY GK ALTERNATE GA WITH DUPLICATES",
            // Others have the alternate key as well.
            ["00", "00", "02", "02", "00"],
        ),
    ];
    for (organization, of_f, of_g, statuses) in cases {
        let select = |file: &str, keys: &str| {
            format!(
                "SELECT {file} ASSIGN \"//{organization}\" ORGANIZATION {organization} ACCESS DYNAMIC {keys} FILE STATUS FS.\n"
            )
        };
        let source = loading(&(select("F", of_f) + &select("G", of_g)));
        let said = place.run(&place.compile(organization, &source), &[]);
        let said: Vec<&str> = said.lines().collect();
        assert_eq!(said[..5], statuses, "{organization}: {said:?}");
        assert!(
            said[5..9].iter().all(|status| status.starts_with('0')),
            "{organization}: {said:?}"
        );
        let keys: Vec<&str> = said[9..12].iter().map(|line| &line[3..]).collect();
        assert_eq!(keys, ["0003", "0005", "0007"], "{organization}: {said:?}");
        assert!(said[12].starts_with("10"), "{organization}: {said:?}");
    }
}

/// The description of a REWRITE has the length of the record area; DEPENDING ON has that of the record.
#[test]
fn records_of_several_lengths_keep_theirs_through_extfh() {
    let place = Workplace::with_catalog("depending");
    let source = "IDENTIFICATION DIVISION.\nPROGRAM-ID. DEPENDS.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\n\
        FILE-CONTROL.\n SELECT F ASSIGN \"DEPENDS\" ORGANIZATION INDEXED ACCESS RANDOM RECORD KEY K FILE STATUS FS.\n\
        DATA DIVISION.\nFILE SECTION.\nFD F RECORD VARYING 20 TO 100 DEPENDING ON L.\n\
        01 R.\n 05 K PIC X(4).\n 05 D PIC X(96).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 L PIC 9(5).\n\
        PROCEDURE DIVISION.\nMAIN.\n OPEN OUTPUT F. MOVE ALL \"x\" TO R. MOVE \"0001\" TO K. MOVE 30 TO L.\n\
        WRITE R. DISPLAY FS. CLOSE F. OPEN I-O F. MOVE 0 TO L. READ F. DISPLAY FS L.\n\
        MOVE 50 TO L. REWRITE R. DISPLAY FS. MOVE 0 TO L. READ F. DISPLAY FS L.\n\
        MOVE 10 TO L. REWRITE R. DISPLAY FS. CLOSE F. STOP RUN.\n";
    let both = [
        place.compile("depends", source),
        place.compile_extfh("dependsfh", source),
    ];
    for program in both {
        assert_eq!(
            place.run(&program, &[]),
            "00\n0000030\n00\n0000050\n44\n",
            "{}",
            program.display()
        );
    }
}

#[test]
fn many_opens_without_close_are_refused_one_by_one() {
    let (place, program) = begin("opens", "3");
    assert_eq!(place.run(&program, &["open-twice"]), "41\n");
}

#[test]
fn declaratives_are_performed_and_a_file_without_status_ends_the_program() {
    let (place, program) = begin("declaratives", "0");
    assert_eq!(place.run(&program, &["use"]), "DECLARATIVES\nGOES ON\n");
    let done = place.command(&program).arg("nostatus").output().expect("it runs");
    assert!(!done.status.success() && stdout(&done).is_empty());
    assert!(stderr(&done).contains("35"), "{}", stderr(&done));
}

#[test]
fn a_program_that_contradicts_the_catalog_gets_39() {
    let (place, program) = begin("conflict", "3");
    let other = SOURCE.replace(
        "05 K PIC 9(8).\n   05 D PIC X(12).",
        "05 D PIC X(12).\n   05 K PIC 9(8).",
    );
    let key_elsewhere = place.compile("elsewhere", &other);
    let done = place.command(&key_elsewhere).arg("open").output().expect("it runs");
    assert!(stdout(&done).starts_with("39"), "{}", stdout(&done));
    assert!(stderr(&done).contains("CICA1205E"), "{}", stderr(&done));
    let longer = place.compile("longer", &SOURCE.replace("D PIC X(12).", "D PIC X(13)."));
    let done = place.command(&longer).arg("open").output().expect("it runs");
    assert!(stdout(&done).starts_with("39"), "{}", stdout(&done));
    assert_eq!(place.run(&program, &["count"]), "0000000003 10\n");
}

#[test]
fn without_a_catalog_files_are_libcobs() {
    let place = Workplace::new("no-catalog");
    let program = place.compile("file", SOURCE);
    let run = |what: &[&str]| {
        let mut command = place.command(&program);
        command.env_remove("CICA_CATALOG").env("HOME", &place.0);
        command.args(what).output().expect("it runs")
    };
    let done = run(&["load", "3"]);
    assert!(
        done.status.success() && stderr(&done).contains("CICA1223W"),
        "{}",
        stderr(&done)
    );
    assert!(place.0.join("CUST").exists());
    assert_eq!(stdout(&run(&["count"])), "0000000003 10\n");
}

#[test]
fn where_a_named_catalog_is_none_no_file_is_made_in_the_place_of_a_data_set() {
    let place = Workplace::new("named-none");
    let programs = [place.compile("file", SOURCE), place.compile_extfh("described", SOURCE)];
    for (program, made) in programs.iter().flat_map(|program| [(program, false), (program, true)]) {
        // It is not there, or an empty directory.
        if made {
            std::fs::create_dir_all(place.catalog()).expect("a directory");
        }
        let done = place.command(program).args(["load", "3"]).output().expect("it runs");
        assert!(stdout(&done).starts_with("WRITE 48"), "{}", stdout(&done));
        assert!(stderr(&done).contains("CICA1209E"), "{}", stderr(&done));
        assert!(!place.0.join("CUST").exists());
        let _ = std::fs::remove_dir_all(place.catalog());
    }
}

#[test]
fn a_file_of_libcobs_stays_libcobs() {
    let place = Workplace::with_catalog("libcobs");
    let program = place.compile("file", SOURCE);
    let native = Command::new(&program)
        .args(["load", "5"])
        .current_dir(&place.0)
        .status()
        .expect("it runs");
    assert!(native.success());
    assert_eq!(place.run(&program, &["count"]), "0000000005 10\n");
    assert_eq!(place.run(&program, &["load", "7"]), "");
    let session = place.session();
    assert_eq!(session.catalog.contents().expect("the catalog").entries().count(), 0);
}

#[test]
fn other_programs_do_not_notice_the_library() {
    let done = Command::new("/bin/sh")
        .args(["-c", "echo here; exit 3"])
        .env("LD_PRELOAD", library())
        .output();
    let done = done.expect("a shell");
    assert_eq!(
        (done.status.code(), stdout(&done), stderr(&done)),
        (Some(3), "here\n".into(), String::new())
    );
}
