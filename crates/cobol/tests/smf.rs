//! SMF records of a program: what its step took, by DD, and how it ended.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::FileReader;
use cica_smf::{Record, Records};
use common::Workplace;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

const SOURCE: &str = include_str!("programs/file.cob");
const ENDS: &str = "IDENTIFICATION DIVISION. PROGRAM-ID. ENDS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
    SELECT CUSTOMERS ASSIGN TO 'CUSTMAST' ORGANIZATION INDEXED ACCESS SEQUENTIAL RECORD KEY K.
DATA DIVISION. FILE SECTION. FD CUSTOMERS. 01 R. 05 K PIC 9(8). 05 D PIC X(12).
PROCEDURE DIVISION.
    OPEN INPUT CUSTOMERS
    READ CUSTOMERS
    MOVE 12 TO RETURN-CODE
    STOP RUN.
";

/// Looks for records, and changes what it has not read.
const SEEKS: &str = "IDENTIFICATION DIVISION. PROGRAM-ID. SEEKS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
    SELECT F ASSIGN TO 'CUST' ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION. FD F. 01 R. 05 K PIC 9(8). 05 D PIC X(12).
WORKING-STORAGE SECTION. 01 FS PIC XX.
PROCEDURE DIVISION.
    OPEN I-O F
    MOVE 50 TO K
    START F KEY >= K
    START F KEY = K
    START F KEY > K
    START F KEY < K
    DISPLAY FS
    READ F NEXT
    DISPLAY FS
    MOVE 70 TO K
    READ F
    DISPLAY FS
    REWRITE R
    DISPLAY FS
    MOVE 90 TO K
    REWRITE R
    DISPLAY FS
    MOVE 110 TO K
    DELETE F
    DISPLAY FS
    CLOSE F
    STOP RUN.
";

/// Reads without end.
const LOOPS: &str = "IDENTIFICATION DIVISION. PROGRAM-ID. LOOPS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
    SELECT F ASSIGN TO 'CUST' ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION. FILE SECTION. FD F. 01 R. 05 K PIC 9(8). 05 D PIC X(12).
WORKING-STORAGE SECTION. 01 FS PIC XX.
PROCEDURE DIVISION.
    OPEN INPUT F
    DISPLAY FS
    PERFORM UNTIL FS = 'XX'
        MOVE 1 TO K
        READ F
        MOVE 2 TO K
        READ F
    END-PERFORM
    STOP RUN.
";

/// Records of this type in the catalog of this place.
fn records(place: &Workplace, kind: u8) -> Vec<Record> {
    let disk = cica_session::outside();
    let read = FileReader::plain(&*disk, &place.catalog().join("smf/current")).unwrap();
    let records: Vec<Record> = Records::new(read).collect::<Result<_, _>>().unwrap();
    records.into_iter().filter(|record| record.kind() == kind).collect()
}

fn steps(place: &Workplace) -> Vec<Record> {
    records(place, 30)
}

fn said(record: &Record, names: &[&str]) -> Vec<String> {
    let value = |name: &&str| record.get(name).unwrap().to_string();
    names.iter().map(value).collect()
}

fn dds(record: &Record) -> Vec<(String, u64)> {
    let entries = record.entries();
    let of = |entry: Vec<(_, cica_smf::Value)>| (entry[0].1.to_string(), entry[1].1.to_string().parse().unwrap());
    entries.map(of).collect()
}

#[test]
fn a_program_that_ends_says_its_code_and_what_each_dd_took() {
    let place = Workplace::with_catalog("smf-step");
    let load = place.compile("file", SOURCE);
    place.run(&load, &["load", "20"]);
    assert!(
        !place.catalog().join("smf").exists(),
        "records are off unless they are wanted"
    );
    let program = place.compile("ends", ENDS);
    let mut command = place.command(&program);
    command
        .env("CICA_SMF", "on")
        .env("CICA_JOB", "payroll")
        .env("CICA_STEP", "STEP020")
        .env("DD_CUSTMAST", "DSN=CUST");
    assert_eq!(command.status().unwrap().code(), Some(12));
    let all = steps(&place);
    assert_eq!(all.len(), 1);
    assert_eq!(
        said(&all[0], &["SMF30JBN", "SMF30STM", "SMF30PGM", "SMF30SCC", "SMF30STI"]),
        ["PAYROLL", "STEP020", "ENDS", "X'000C'", "X'0000'"]
    );
    let dds = dds(&all[0]);
    assert!(
        matches!(&dds[..], [(dd, excps)] if dd == "CUSTMAST" && *excps > 0),
        "{dds:?}"
    );
    let [total, started, ended] = ["SMF30TEP", "SMF30SIT", "TME"].map(|name| all[0].get(name).unwrap().to_string());
    assert_eq!(total, dds[0].1.to_string());
    assert!(started <= ended, "{started} {ended}");
}

#[test]
fn records_that_the_program_is_not_given_are_not_retrieved() {
    let place = Workplace::with_catalog("smf-seeks");
    let load = place.compile("file", SOURCE);
    place.run(&load, &["load", "20"]);
    let program = place.compile("seeks", SEEKS);
    let output = place.command(&program).env("CICA_SMF", "on").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "00\n00\n00\n00\n00\n00\n");
    let closed = records(&place, 64);
    let names = ["SMF64DNM", "SMF64DRE", "SMF64DUP", "SMF64DDE"];
    let all: Vec<_> = closed.iter().map(|record| said(record, &names)).collect();
    assert_eq!(all, [["CUST.DATA", "2", "2", "1"], ["CUST.INDEX", "0", "0", "0"]]);
    // The unit of recovery has the data set too, and has not opened it for anybody.
    assert_eq!(records(&place, 62).len(), 1);
}

/// Copies blocks of four records, of which the last has two.
const COPIES: &str = "IDENTIFICATION DIVISION. PROGRAM-ID. COPIES.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
    SELECT I ASSIGN TO 'OLD' ORGANIZATION SEQUENTIAL.
    SELECT O ASSIGN TO 'NEW' ORGANIZATION SEQUENTIAL.
DATA DIVISION. FILE SECTION.
FD I. 01 A PIC X(10).
FD O. 01 B PIC X(10).
WORKING-STORAGE SECTION. 01 E PIC X VALUE 'N'.
PROCEDURE DIVISION.
    OPEN INPUT I OUTPUT O
    PERFORM UNTIL E = 'Y'
        READ I AT END MOVE 'Y' TO E NOT AT END WRITE B FROM A END-READ
    END-PERFORM
    CLOSE I O
    STOP RUN.
";

#[test]
fn blocks_of_sequential_files_are_counted_by_their_dd() {
    let place = Workplace::with_catalog("smf-blocks");
    std::fs::write(place.0.join("old.dat"), [b'A'; 140]).unwrap();
    let program = place.compile("copies", COPIES);
    let dd = |file: &str, blksize| {
        let path = place.0.join(file);
        format!("{},RECFM=FB,LRECL=10,BLKSIZE={blksize},BUFNO=2", path.display())
    };
    let mut command = place.command(&program);
    command
        .env("CICA_SMF", "on")
        .env("DD_OLD", dd("old.dat", 40))
        .env("DD_NEW", dd("new.dat", 20));
    assert_eq!(command.status().unwrap().code(), Some(0));
    assert_eq!(std::fs::read(place.0.join("new.dat")).unwrap(), [b'A'; 140]);
    let all = steps(&place);
    assert_eq!(dds(&all[0]), [("OLD".to_owned(), 4), ("NEW".to_owned(), 7)]);
    let sizes: Vec<String> = all[0].entries().map(|entry| entry[2].1.to_string()).collect();
    assert_eq!(sizes, ["40", "20"]);
    assert_eq!(said(&all[0], &["SMF30TEP"]), ["11"]);
}

/// A program that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // One that has ended before is gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Records of these types in the catalog, as soon as there are some.
fn wait_for(place: &Workplace, kind: (u8, u16)) -> Vec<Record> {
    for _ in 0..200 {
        let disk = cica_session::outside();
        if let Ok(read) = FileReader::plain(&*disk, &place.catalog().join("smf/current")) {
            // A record that is just being written is whole in the next look.
            let records = Records::new(read).filter_map(Result::ok);
            let found: Vec<Record> = records
                .filter(|record| (record.kind(), record.subtype()) == kind)
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("no record of type {kind:?} in 20 seconds");
}

#[test]
fn a_program_that_goes_on_tells_its_intervals() {
    let place = Workplace::with_catalog("smf-interval");
    let load = place.compile("file", SOURCE);
    place.run(&load, &["load", "3"]);
    let program = place.compile("loops", LOOPS);
    let mut command = place.command(&program);
    command.env("CICA_SMF", "on").env("CICA_SMF_INTERVAL", "1s");
    let _running = Ended(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let records = wait_for(&place, (64, 0));
    assert_eq!(said(&records[0], &["SMF64RIN", "SMF64CLU"]), ["X'04'", "CUST"]);
    assert_ne!(said(&records[0], &["SMF64DEP"]), ["0"]);
    assert_ne!(said(&wait_for(&place, (42, 19))[0], &["SMF42JPI"]), ["0"]);
}

#[test]
fn an_interval_that_is_none_is_refused() {
    let place = Workplace::with_catalog("smf-no-interval");
    let program = place.compile("loops", LOOPS);
    let mut command = place.command(&program);
    command.env("CICA_SMF_INTERVAL", "15").env("DD_CUST", "DSN=CUST");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Ended(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "91\n");
    let mut told = String::new();
    BufReader::new(running.0.stderr.take().unwrap())
        .read_line(&mut told)
        .unwrap();
    assert!(told.contains("CICA_SMF_INTERVAL: '15' is no interval"), "{told}");
}

/// Once more though it ends by a signal; not by one that nobody can take.
#[test]
fn a_program_that_a_signal_ends_says_so() {
    let place = Workplace::with_catalog("smf-signal");
    let load = place.compile("file", SOURCE);
    place.run(&load, &["load", "3"]);
    let program = place.compile("loops", LOOPS);
    for (signal, records) in [("TERM", 1), ("KILL", 1)] {
        let mut command = place.command(&program);
        let mut running = command.env("CICA_SMF", "on").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(running.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let pid = running.id().to_string();
        std::process::Command::new("kill")
            .args(["-s", signal, &pid])
            .status()
            .unwrap();
        assert!(!running.wait().unwrap().success());
        let all = steps(&place);
        assert_eq!(all.len(), records, "{signal}");
        assert_eq!(
            said(&all[0], &["SMF30SCC", "SMF30STI", "SMF30ARC"]),
            ["X'0222'", "X'0200'", "15"]
        );
    }
}
