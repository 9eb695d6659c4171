//! What OPEN answers, and to whom: declaratives, VSAM's code, data sets without records, files that are no data sets.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

const FILE: &str = include_str!("programs/file.cob");
const SPHERE: &str = include_str!("programs/sphere.cob");

/// Opens its file as its argument says, writes or reads, and waits for a line if the second argument says so.
fn program(organization: &str, assign: &str) -> String {
    let changes = match organization {
        "LINE SEQUENTIAL" => "",
        _ => "WHEN \"i-o\" OPEN I-O F",
    };
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. OPENS.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         SELECT F ASSIGN \"{assign}\" ORGANIZATION {organization} FILE STATUS FS.\n\
         DATA DIVISION.\nFILE SECTION.\nFD F.\n01 R.\n  05 K PIC 9(8).\n  05 D PIC X(8).\nWORKING-STORAGE SECTION.\n\
         01 FS PIC XX.\n01 WHAT PIC X(8).\n01 HOLD PIC X(8).\n01 CODE-OF.\n  05 C PIC 9(4) COMP OCCURS 3.\n\
         PROCEDURE DIVISION.\nDECLARATIVES.\n\
         D1 SECTION.\n USE AFTER ERROR PROCEDURE ON INPUT.\nP1.\n DISPLAY \"USE INPUT\".\n\
         D2 SECTION.\n USE AFTER ERROR PROCEDURE ON OUTPUT.\nP2.\n DISPLAY \"USE OUTPUT\".\n\
         D3 SECTION.\n USE AFTER ERROR PROCEDURE ON I-O.\nP3.\n DISPLAY \"USE I-O\".\n\
         D4 SECTION.\n USE AFTER ERROR PROCEDURE ON EXTEND.\nP4.\n DISPLAY \"USE EXTEND\".\n\
         END DECLARATIVES.\nMAIN SECTION.\nM.\n ACCEPT WHAT FROM ARGUMENT-VALUE.\n\
         ACCEPT HOLD FROM ARGUMENT-VALUE ON EXCEPTION MOVE SPACES TO HOLD.\n\
         EVALUATE WHAT\n WHEN \"input\" OPEN INPUT F\n WHEN \"output\" OPEN OUTPUT F\n {changes}\n\
         WHEN \"extend\" OPEN EXTEND F\n END-EVALUATE.\n\
         CALL \"cica_vsam_code\" USING CODE-OF.\n DISPLAY FS \" \" C(1) \" \" C(2) \" \" C(3).\n\
         IF HOLD = \"hold\" ACCEPT HOLD.\n\
         IF HOLD = \"write\" MOVE 1 TO K MOVE \"one\" TO D WRITE R DISPLAY \"WRITE \" FS.\n\
         IF HOLD = \"read\" MOVE SPACES TO R READ F NEXT DISPLAY \"READ \" FS \" \" R.\n\
         IF FS < \"30\" CLOSE F.\n STOP RUN.\n"
    )
}

const INDEXED: &str = "INDEXED ACCESS DYNAMIC RECORD KEY K";

fn says(place: &Workplace, program: &Path, dd: &[(&str, &str)], arguments: &[&str]) -> (String, String) {
    let mut command = place.command(program);
    let done = command.envs(dd.iter().copied()).args(arguments).output().unwrap();
    (stdout(&done), stderr(&done))
}

/// A program that waits with its file open; what it said until then.
fn holding(place: &Workplace, program: &Path, arguments: &[&str]) -> (Child, String) {
    let mut command = place.command(program);
    let mut child = command
        .args(arguments)
        .env("COB_UNBUFFERED", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (child, line)
}

fn let_go(mut child: Child) {
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn declaratives_of_the_mode_run_when_open_fails_and_the_code_is_set() {
    let place = Workplace::with_catalog("opens-declaratives");
    let cards = "DEFINE CLUSTER (NAME(OTHER.KEY) INDEXED KEYS(4 4) RECORDSIZE(16 16) TRACKS(1 1))\n";
    common::idcams(&place.session(), cards).unwrap();
    for (kind, organization) in [("ix", INDEXED), ("sq", "SEQUENTIAL")] {
        let program = place.compile(kind, &program(organization, "F"));
        for (what, mode) in [("input", "INPUT"), ("i-o", "I-O"), ("extend", "EXTEND")] {
            let (said, told) = says(&place, &program, &[("DD_F", "//NO.SUCH")], &[what]);
            assert_eq!(said, format!("USE {mode}\n35 0008 0000 0148\n"), "{kind} {told}");
        }
        for (what, mode) in [
            ("input", "INPUT"),
            ("i-o", "I-O"),
            ("extend", "EXTEND"),
            ("output", "OUTPUT"),
        ] {
            let (said, told) = says(&place, &program, &[("DD_F", "//OTHER.KEY")], &[what]);
            assert_eq!(said, format!("USE {mode}\n39 0008 0000 0160\n"), "{kind} {told}");
        }
    }
}

/// A report that runs while the data set is loaded must not find it empty.
#[test]
fn a_data_set_that_is_being_loaded_is_in_use_and_so_is_an_empty_one_that_is_open() {
    let place = Workplace::with_catalog("opens-empty");
    let cards = "DEFINE CLUSTER (NAME(E.K) INDEXED KEYS(8 0) RECORDSIZE(16 16) TRACKS(1 1))\n\
                 DEFINE CLUSTER (NAME(E.S) NONINDEXED RECORDSIZE(16 16) TRACKS(1 1) REUSE)\n\
                 DEFINE CLUSTER (NAME(E.R) NUMBERED RECORDSIZE(16 16) TRACKS(1 1) REUSE)\n";
    common::idcams(&place.session(), cards).unwrap();
    for (name, organization) in [("E.K", INDEXED), ("E.S", "SEQUENTIAL"), ("E.R", "RELATIVE")] {
        let program = place.compile("opens", &program(organization, &format!("//{name}")));
        let in_use = |what: &str, mode: &str| {
            let (said, told) = says(&place, &program, &[], &[what]);
            assert_eq!(said, format!("USE {mode}\n61 0008 0000 0168\n"), "{name} {told}");
        };
        for holds in ["output", "extend"] {
            let (first, said) = holding(&place, &program, &[holds, "hold"]);
            assert!(said.starts_with("00"), "{name} {holds}: {said}");
            in_use("input", "INPUT");
            in_use("i-o", "I-O");
            let_go(first);
        }
        let (first, said) = holding(&place, &program, &["input", "hold"]);
        assert_eq!(said, "00 0008 0000 0160\n", "{name}");
        in_use("i-o", "I-O");
        in_use("output", "OUTPUT");
        // Another reader is in nobody's way.
        assert_eq!(says(&place, &program, &[], &["input"]).0, "00 0008 0000 0160\n");
        let_go(first);
        assert!(says(&place, &program, &[], &["i-o"]).0.starts_with("00"), "{name}");
    }
}

#[test]
fn a_dummy_has_nothing_and_takes_everything() {
    let place = Workplace::with_catalog("opens-dummy");
    for (kind, organization) in [
        ("ix", INDEXED),
        ("sq", "SEQUENTIAL"),
        ("rl", "RELATIVE"),
        ("ls", "LINE SEQUENTIAL"),
    ] {
        let program = place.compile(kind, &program(organization, "F"));
        for dd in ["DUMMY", "DUMMY,DCB=(LRECL=80)", "DSN=NULLFILE", "//NULLFILE"] {
            let (said, told) = says(&place, &program, &[("DD_F", dd)], &["output", "write"]);
            assert!(said.ends_with("WRITE 00\n"), "{kind} {dd}: {said}{told}");
            let (said, told) = says(&place, &program, &[("DD_F", dd)], &["input", "read"]);
            assert!(
                said.starts_with("00") && said.contains("READ 10"),
                "{kind} {dd}: {said}{told}"
            );
        }
    }
    let session = place.session();
    assert_eq!(session.catalog.contents().unwrap().entries().count(), 0);
    assert!(!place.0.join("DUMMY").exists());
}

#[test]
fn a_generation_that_is_not_vsam_is_opened_by_a_sequential_program() {
    let place = Workplace::with_catalog("opens-generation");
    let cards = "DEFINE CLUSTER (NAME(G.FROM) INDEXED KEYS(8 0) RECORDSIZE(16 16) TRACKS(1 1))\n\
                 DEFINE GDG (NAME(G.BKUP) LIMIT(3))\n";
    common::idcams(&place.session(), cards).unwrap();
    let load = place.compile("load", &program(INDEXED, "//G.FROM"));
    assert!(says(&place, &load, &[], &["output", "write"]).0.ends_with("WRITE 00\n"));
    let copy = "REPRO INDATASET(G.FROM) OUTDATASET(G.BKUP(+1))\n";
    common::idcams(&place.session(), copy).unwrap();
    for organization in ["SEQUENTIAL", "LINE SEQUENTIAL"] {
        let program = place.compile("read", &program(organization, "F"));
        for dd in ["DSN=G.BKUP(0),DISP=SHR", "//G.BKUP.G0001V00"] {
            let (said, told) = says(&place, &program, &[("DD_F", dd)], &["input", "read"]);
            assert!(
                said.ends_with("READ 00 00000001one     \n"),
                "{organization} {dd}: {said}{told}"
            );
        }
    }
}

#[test]
fn a_file_that_stays_with_libcob_is_told_and_may_be_refused() {
    let place = Workplace::with_catalog("opens-strict");
    for (assign, reason) in [
        ("customer_master", "'_' in column 9"),
        ("CUSTOMERMASTER", "CUSTOMERMASTER"),
        ("A.NINECHARS", "NINECHARS"),
    ] {
        let program = place.compile("opens", &program(INDEXED, assign));
        let (said, told) = says(&place, &program, &[("CICA_STRICT", "on")], &["output"]);
        assert_eq!(said, "USE OUTPUT\n30 0008 0000 0184\n", "{told}");
        assert!(
            told.contains("CICA1224E FILE F IS NO DATA SET") && told.contains(reason),
            "{told}"
        );
        assert!(!place.0.join(assign).exists());
        let (said, told) = says(&place, &program, &[], &["output"]);
        assert!(said.starts_with("00"), "{said}");
        assert!(
            told.contains("CICA1223W FILE F STAYS WITH GNUCOBOL") && told.contains(reason),
            "{told}"
        );
        assert!(place.0.join(assign).exists());
    }
    // A path says that it is a file, and one that is there is told as well.
    let path = place.compile("path", &program(INDEXED, "./customers"));
    for strict in ["on", "off"] {
        let (said, told) = says(&place, &path, &[("CICA_STRICT", strict)], &["output"]);
        assert!(said.starts_with("00") && told.is_empty(), "{said}{told}");
    }
    std::fs::copy(place.0.join("customers"), place.0.join("THERE")).unwrap();
    let there = place.compile("there", &program(INDEXED, "THERE"));
    let (said, told) = says(&place, &there, &[], &["input"]);
    assert!(said.starts_with("00") && told.contains("CICA1223W"), "{said}{told}");
    // No catalog at all, as where cron begins.
    let place = Workplace::new("opens-no-catalog");
    let program = place.compile("opens", &program(INDEXED, "CUST"));
    let run = |strict: &str| {
        let mut command = place.command(&program);
        command
            .env_remove("CICA_CATALOG")
            .env("XDG_DATA_HOME", place.0.join("none"));
        let done = command.env("CICA_STRICT", strict).arg("output").output().unwrap();
        (stdout(&done), stderr(&done))
    };
    let (said, told) = run("on");
    assert!(said.contains("30 0008") && told.contains("CICA1224E"), "{said}{told}");
    let (said, told) = run("off");
    assert!(said.starts_with("00") && told.contains("CICA1223W"), "{said}{told}");
}

#[test]
fn what_only_informs_is_told_to_who_asks() {
    let place = Workplace::with_catalog("opens-messages");
    let program = place.compile("file", FILE);
    let load = |level: Option<&str>| {
        let mut command = place.command(&program);
        level.map(|level| command.env("CICA_MESSAGES", level));
        let told = stderr(&command.args(["load", "3"]).output().unwrap());
        common::idcams(&place.session(), "DELETE CUST CLUSTER PURGE\n").unwrap();
        told
    };
    assert_eq!(load(None), "");
    assert_eq!(load(Some("W")), "");
    assert!(
        load(Some("I")).starts_with("CICA1202I CUST WAS DEFINED"),
        "{}",
        load(Some("I"))
    );
}

#[test]
fn disp_says_what_becomes_of_it_after_a_failure() {
    let place = Workplace::with_catalog("opens-disp");
    let program = place.compile("opens", &program(INDEXED, "F"));
    for dd in [
        "DSN=N.A,DISP=(NEW,CATLG,DELETE)",
        "DSN=N.B,DISP=(NEW,PASS)",
        "DSN=N.C,DISP=(MOD,CATLG,UNCATLG)",
    ] {
        let (said, told) = says(&place, &program, &[("DD_F", dd)], &["output"]);
        assert!(said.starts_with("00"), "{dd}: {said}{told}");
    }
    for dd in [
        "DSN=N.D,DISP=(NEW,DELETE)",
        "DSN=N.D,DISP=(NEW,CATLG,HIDE)",
        "DSN=N.D,DISP=(NEW,CATLG,PASS)",
    ] {
        let (said, told) = says(&place, &program, &[("DD_F", dd)], &["output"]);
        assert!(said.contains("31 ") && told.contains("CICA1233E"), "{dd}: {said}{told}");
    }
}

#[test]
fn ebcdic_that_nobody_translates_is_told() {
    let place = Workplace::with_catalog("opens-ebcdic");
    let cards = "DEFINE CLUSTER (NAME(E.S) INDEXED KEYS(8 0) RECORDSIZE(16 16) TRACKS(1 1) CCSID(1047))\n";
    common::idcams(&place.session(), cards).unwrap();
    let data_set = place.compile("set", &program(INDEXED, "//E.S"));
    assert!(says(&place, &data_set, &[], &["output", "write"])
        .0
        .contains("WRITE 00"));
    let (said, told) = says(&place, &data_set, &[], &["input", "read"]);
    assert!(said.contains("READ 00"), "{said}{told}");
    let wanted = "CICA1225W FILE F: CCSID 1047 OF THE DATA SET IS EBCDIC, AND THE PROGRAM GETS IT AS IT IS; \
                  'DSN=E.S,COPYBOOK=path' TRANSLATES";
    assert!(told.contains(wanted), "{told}");
    let page = cica_qsam::CodePage::parse("IBM-1047").unwrap();
    let text = "00000001ONE     00000002TWO     00000003THREE   ";
    std::fs::write(place.0.join("plain.dat"), page.encode(text).unwrap()).unwrap();
    std::fs::write(place.0.join("ascii.dat"), text).unwrap();
    let file = place.compile("file", &program("SEQUENTIAL", "plain.dat"));
    let (said, told) = says(&place, &file, &[], &["input", "read"]);
    assert!(said.contains("READ 00"), "{said}");
    assert!(told.contains("CICA1225W FILE F: plain.dat LOOKS LIKE EBCDIC"), "{told}");
    assert!(told.contains("'plain.dat,CODEPAGE=1047,COPYBOOK=path'"), "{told}");
    let described = place.compile_extfh("described", &program("SEQUENTIAL", "plain.dat"));
    let done = place
        .command(&described)
        .env_remove("LD_PRELOAD")
        .args(["input", "read"])
        .output()
        .unwrap();
    assert!(
        stderr(&done).contains("CICA1225W FILE plain.dat: plain.dat LOOKS LIKE EBCDIC"),
        "{}",
        stderr(&done)
    );
    let file = place.compile("ascii", &program("SEQUENTIAL", "ascii.dat"));
    assert_eq!(says(&place, &file, &[], &["input", "read"]).1, "");
}

/// kill -9 while the FD makes its data set, empties it, or loads it: what is there is a whole sphere, base and
/// alternate indexes of the same records.
#[test]
fn a_kill_while_an_fd_makes_or_empties_its_data_set_leaves_a_whole_sphere() {
    let place = Workplace::with_catalog("opens-kill");
    let program = place.compile("sphere", SPHERE);
    let rounds: u64 = std::env::var("CICA_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40);
    let (mut random, mut made) = (0x2545_F491_4F6C_DD1Du64, 0);
    for round in 0..rounds {
        if round % 2 == 0 {
            // Refused when it is not there.
            let _ = common::idcams(&place.session(), "DELETE STAFF CLUSTER PURGE\n");
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut command = place.command(&program);
        let mut child = command
            .args(["load", "300"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_micros(4_000 + random % 40_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let what = format!("round {round}");
        let session = place.session();
        let contents = session.catalog.contents().unwrap();
        let entries = contents
            .entries()
            .filter(|entry| entry.name().as_str().starts_with("STAFF"))
            .count();
        assert!(matches!(entries, 0 | 5), "{what}: {entries} entries of a sphere of 5");
        if entries == 0 {
            continue;
        }
        made += 1;
        drop((contents, session));
        assert_eq!(place.run(&program, &["open"]), "00\n", "{what}");
        let counts = place.run(&program, &["counts"]);
        let counts: Vec<&str> = counts.lines().collect();
        let of = |line: &str| line.split(' ').next().unwrap().parse::<u32>().unwrap();
        assert_eq!(counts[0], "00", "{what}");
        assert!(
            counts[1..].iter().all(|line| of(line) == of(counts[1])),
            "{what}: {counts:?}"
        );
        common::idcams(&place.session(), "VERIFY DATASET(STAFF)\n").unwrap();
    }
    println!("{rounds} kills, {made} behind the definition");
}
