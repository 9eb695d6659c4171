//! Programs and surroundings that contradict a data set.
#![allow(clippy::unwrap_used)]

mod common;

use cica_cobol::libcob::fcd::{keys, KeyParts};
use common::{stderr, stdout, Workplace};

/// A program that opens F, reads its first record by order, and shows what lies around the record area.
fn program(assign: &str, organization: &str, record: &str) -> String {
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. BAD.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         SELECT F ASSIGN TO \"{assign}\" ORGANIZATION {organization} FILE STATUS FS.\n\
         DATA DIVISION.\nFILE SECTION.\nFD F.\n{record}WORKING-STORAGE SECTION.\n01 FS PIC XX.\n\
         01 RK PIC 9(4).\n01 MODE-OF PIC X(8).\nPROCEDURE DIVISION.\nP1.\nACCEPT MODE-OF FROM ARGUMENT-VALUE.\n\
         EVALUATE MODE-OF\nWHEN \"output\" OPEN OUTPUT F\nWHEN \"delete\" DELETE FILE F\nWHEN OTHER OPEN INPUT F\n\
         END-EVALUATE.\nDISPLAY FS.\nIF FS = \"00\" AND MODE-OF = SPACES READ F NEXT DISPLAY FS \" \" R END-IF.\nSTOP RUN.\n"
    )
}

const KEYED: &str = "INDEXED ACCESS DYNAMIC RECORD KEY K";
const TEN: &str = "01 R.\n05 K PIC X(4).\n05 D PIC X(6).\n";

/// CUST, a KSDS with one record of ten bytes.
fn with_cust(name: &str) -> Workplace {
    let place = Workplace::with_catalog(name);
    let cards = "DEFINE CLUSTER (NAME(CUST) INDEXED KEYS(4 0) RECORDSIZE(10 10) TRACKS(1 1) REUSE)\n";
    let session = place.session();
    common::idcams(&session, cards).unwrap();
    let catalog = session.catalog.clone();
    let cluster = cica_session::reach(
        &catalog.contents().unwrap(),
        &cica_catalog::Name::parse("CUST").unwrap(),
    )
    .unwrap();
    let options = cica_engine::OpenOptions {
        access: cica_engine::Access::Output,
        ..Default::default()
    };
    let set = cica_session::open(&catalog, &session.engine, &cluster, options).unwrap();
    set.string()
        .insert(b"0001ABCDEF", cica_engine::Insert::Sequential)
        .unwrap();
    set.close().unwrap();
    place
}

/// What a program says of CUST, and the messages.
fn says(place: &Workplace, source: &str, arguments: &[&str]) -> (String, String) {
    let program = place.compile("bad", source);
    let done = place.command(&program).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}: {}", done.status, stderr(&done));
    (stdout(&done), stderr(&done))
}

#[test]
fn a_record_area_shorter_than_the_record_gets_as_much_as_it_holds() {
    let place = with_cust("bad-short");
    let source = program("//CUST", KEYED, "01 R.\n05 K PIC X(4).\n05 D PIC X(2).\n");
    assert_eq!(says(&place, &source, &[]).0, "00\n04 0001AB\n");
}

#[test]
fn a_record_area_longer_than_any_record_is_a_conflict() {
    let place = with_cust("bad-long");
    let (said, told) = says(&place, &program("//CUST", KEYED, &TEN.replace("X(6)", "X(60)")), &[]);
    assert_eq!(said, "39\n");
    assert!(told.contains("CICA1205E CUST") && told.contains("at most 10"), "{told}");
}

#[test]
fn a_key_elsewhere_or_of_another_length_is_a_conflict() {
    let place = with_cust("bad-key");
    for record in [
        "01 R.\n05 D PIC X(6).\n05 K PIC X(4).\n",
        "01 R.\n05 K PIC X(5).\n05 D PIC X(5).\n",
    ] {
        let (said, told) = says(&place, &program("//CUST", KEYED, record), &[]);
        assert_eq!(said, "39\n");
        assert!(told.contains("the data set's 4 at 0"), "{told}");
    }
}

#[test]
fn another_organization_is_a_conflict() {
    let place = with_cust("bad-organization");
    for (organization, word) in [
        ("RELATIVE ACCESS DYNAMIC RELATIVE KEY RK", "RELATIVE"),
        ("SEQUENTIAL", "SEQUENTIAL"),
    ] {
        for mode in ["input", "output"] {
            let (said, told) = says(&place, &program("//CUST", organization, "01 R PIC X(10).\n"), &[mode]);
            assert_eq!(said, "39\n", "{organization}");
            assert!(told.contains(&format!("{word}, the data set is a KSDS")), "{told}");
        }
    }
    // The record is still there.
    assert_eq!(
        says(&place, &program("//CUST", KEYED, TEN), &[]).0,
        "00\n00 0001ABCDEF\n"
    );
}

#[test]
fn a_plain_sequential_file_is_not_taken_for_a_ksds_of_its_name() {
    let place = with_cust("bad-plain");
    std::fs::write(place.0.join("CUST"), b"plaintext.").unwrap();
    let said = says(&place, &program("CUST", "SEQUENTIAL", "01 R PIC X(10).\n"), &[]).0;
    assert_eq!(said, "00\n00 plaintext.\n");
}

#[test]
fn delete_file_takes_the_data_set_or_the_plain_file_that_open_would() {
    let place = with_cust("bad-delete");
    let told = |assign: &str, mode: &str| {
        let source = program(assign, "SEQUENTIAL", "01 R PIC X(10).\n");
        says(&place, &source, &[mode]).0
    };
    assert_eq!(told("//JOURNAL", "delete"), "35\n");
    assert_eq!(told("//JOURNAL", "output"), "00\n");
    assert_eq!(told("//JOURNAL", "delete"), "00\n");
    assert_eq!(told("//JOURNAL", ""), "35\n");

    std::fs::write(place.0.join("CUST"), b"plaintext.").unwrap();
    assert_eq!(told("CUST", "delete"), "00\n");
    assert!(!place.0.join("CUST").exists());
    assert_eq!(
        says(&place, &program("CUST", KEYED, TEN), &[""]).0,
        "00\n00 0001ABCDEF\n"
    );
}

/// It was libcob's to delete before, which knew of no such file.
#[test]
fn delete_file_with_a_wrong_dd_text_is_told() {
    let place = with_cust("bad-delete-dd");
    let program = place.compile("bad", &program("CUST", KEYED, TEN));
    for (dd, status, words) in [
        (
            "DSN=CUST,AMP=('BUFND=0')",
            "91\n",
            "CICA1233E FILE F: THE DD TEXT DSN=CUST,AMP=('BUFND=0') IS WRONG",
        ),
        (
            "DSN=CUST,DISP=GONE",
            "31\n",
            "DISP=GONE is none of NEW, OLD, SHR and MOD",
        ),
        ("//CU..ST", "31\n", "CICA1210E FILE F: //CU..ST NAMES NO DATA SET"),
        (
            "DSN=CUST.DATA",
            "39\n",
            "is the DATA component of CUST; name the cluster",
        ),
    ] {
        let mut command = place.command(&program);
        let done = command.env("DD_CUST", dd).arg("delete").output().unwrap();
        assert_eq!(stdout(&done), status, "{dd}: {}", stderr(&done));
        assert!(stderr(&done).contains(words), "{dd}: {}", stderr(&done));
    }
    let mut command = place.command(&program);
    let done = command
        .env("DD_CUST", "DSN=CUST")
        .env("CICA_POOL", "much")
        .arg("delete");
    let done = done.output().unwrap();
    assert_eq!(stdout(&done), "91\n");
    assert!(stderr(&done).contains("CICA1236E"), "{}", stderr(&done));
}

#[test]
fn without_a_catalog_a_data_set_is_missing() {
    let place = Workplace::new("bad-no-catalog");
    let (said, told) = says(&place, &program("//CUST", KEYED, TEN), &["output"]);
    assert_eq!(said, "35\n");
    assert!(told.contains("CICA1209E"), "{told}");
}

#[test]
fn a_block_of_keys_that_is_none_is_refused() {
    let block = |parts: u8, length: u8, first: u8, keys: u8| {
        let mut block = vec![0; 14];
        block[7] = keys;
        block.extend([0, parts, 0, first, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        block.extend([0, 0, 0, 0, 0, 2, 0, 0, 0, length]);
        block
    };
    let good = KeyParts {
        parts: vec![(2, 4)],
        duplicates: true,
        sparse: None,
    };
    let refused = |block: &[u8], why: &str| {
        let reason = keys(block, 10).unwrap_err();
        assert!(reason.contains(why), "{reason}");
    };
    assert_eq!(keys(&block(1, 4, 30, 1), 10), Ok(vec![good.clone()]));
    // As libcob has it: one part, behind the keys.
    assert_eq!(keys(&block(0, 4, 0, 1), 10), Ok(vec![good]));
    refused(&block(1, 9, 30, 1), "not wholly in the record");
    refused(&block(1, 0, 30, 1), "without bytes");
    refused(&block(9, 4, 30, 1), "of 9 parts");
    refused(&block(1, 4, 40, 1), "ends before its keys");
    refused(&block(1, 4, 30, 2), "ends before its keys");
    refused(&block(1, 4, 30, 200), "of 200 keys");
    let good = block(1, 4, 30, 1);
    for end in 0..good.len() {
        refused(&good[..end], "ends before its keys");
    }
}

#[test]
fn a_path_through_an_alternate_index_and_the_index_are_no_files_of_a_program() {
    let place = Workplace::with_catalog("bad-path");
    let cards = "DEFINE CLUSTER (NAME(CUST) INDEXED KEYS(4 0) RECORDSIZE(10 10) TRACKS(1) OWNER(COBOL))\n\
                 DEFINE AIX (NAME(CUST.X) RELATE(CUST) KEYS(2 4) TRACKS(1) REUSE UPGRADE OWNER(COBOL))\n\
                 DEFINE PATH (NAME(CUST.P) PATHENTRY(CUST.X))\nDEFINE PATH (NAME(CUST.SAME) PATHENTRY(CUST))\n";
    common::idcams(&place.session(), cards).unwrap();
    for (name, mode, status, reason) in [
        (
            "CUST.P",
            "",
            "39",
            "it is a path through CUST.X; name CUST, whose paths the FD's alternate keys find",
        ),
        ("CUST.P", "output", "39", "it is a path through CUST.X"),
        (
            "CUST.X",
            "",
            "39",
            "the program's key has 4 bytes at offset 0, the data set's 2 at 5",
        ),
        ("CUST.X", "output", "39", "the program's key has 4 bytes"),
        ("CUST.SAME", "", "00", ""),
        (
            "CUST.NONE",
            "",
            "35",
            "CUST.NONE CANNOT BE OPENED FOR FILE F: it is not in the catalog",
        ),
    ] {
        let (said, told) = says(&place, &program(&format!("//{name}"), KEYED, TEN), &[mode]);
        assert!(
            said.starts_with(status) && told.contains(reason),
            "{name} {mode}: {said}{told}"
        );
    }
    let (said, told) = says(&place, &program("DSN=CUST.NONE,DISP=OLD", KEYED, TEN), &["output"]);
    assert!(
        said.starts_with("35") && told.contains("DISP=NEW or MOD makes it"),
        "{said}{told}"
    );
    let session = place.session();
    assert_eq!(session.catalog.contents().unwrap().entries().count(), 4);
}

#[test]
fn settings_that_mean_nothing_are_told_and_a_catalog_that_cannot_be_used_loses_no_file() {
    let place = Workplace::with_catalog("bad-settings");
    let source = place.compile("bad", &program("CUST", KEYED, TEN));
    let run = |name: &str, value: &str| {
        let done = place.command(&source).env(name, value).arg("output").output().unwrap();
        (stdout(&done), stderr(&done))
    };
    for (name, value, told) in [
        (
            "CICA_STATUS",
            "zos",
            "CICA_STATUS=zos IS NONE OF gnucobol, enterprise, microfocus; gnucobol IS TAKEN",
        ),
        (
            "CICA_UNITS",
            "yes",
            "CICA_UNITS=yes IS NONE OF auto, on, off, auto(n,t); auto IS TAKEN",
        ),
        (
            "CICA_MESSAGES",
            "X",
            "CICA_MESSAGES=X IS NONE OF W, I, E, S; W IS TAKEN",
        ),
        ("CICA_STRICT", "1", "CICA_STRICT=1 IS NONE OF off, on; off IS TAKEN"),
    ] {
        let (said, stderr) = run(name, value);
        assert!(said.starts_with('0') && stderr.contains(told), "{said}{stderr}");
    }
    // What is known in capitals is known.
    assert!(!run("CICA_STATUS", "ENTERPRISE").1.contains("IS TAKEN"));
    for (name, value) in [("CICA_POOL", "much"), ("CICA_IO", "fast")] {
        let (said, told) = run(name, value);
        assert_eq!(said, "91\n", "{told}");
        assert!(
            told.contains("CICA1236E") && told.contains(&format!("{name}: ")),
            "{told}"
        );
    }
    assert!(!place.0.join("CUST").exists(), "a file of libcob's");
    // A sequential file that is none of a catalog's goes on.
    let lines = place.compile(
        "lines",
        &program("LINES", "SEQUENTIAL", "01 R PIC X(4).\n").replace("F NEXT", "F"),
    );
    let done = place
        .command(&lines)
        .env("CICA_POOL", "much")
        .arg("output")
        .output()
        .unwrap();
    assert_eq!(stdout(&done), "00\n", "{}", stderr(&done));
}
