//! libcob's functions by the name of a file, which may be a data set's.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::{Entry, Name};
use common::{stderr, stdout, Workplace};

/// Each argument is a function and a name, or a request.
const SOURCE: &str = r#"
IDENTIFICATION DIVISION.
PROGRAM-ID. NAMES.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT F ASSIGN TO "CUST" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F.
01 R.
   05 K PIC X(2).
   05 D PIC X(2).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 ARG.
   05 WHAT PIC X(3).
   05 NAME PIC X(20).
01 ELSEWHERE PIC X(20) VALUE "OTHER".
01 INFO.
   05 BYTES PIC 9(18) COMP-X.
   05 FILLER PIC X(8).
PROCEDURE DIVISION.
MAIN SECTION.
P1.
    ACCEPT ARG FROM ARGUMENT-VALUE ON EXCEPTION MOVE 0 TO RETURN-CODE STOP RUN END-ACCEPT.
    EVALUATE WHAT
        WHEN "OUT" OPEN OUTPUT F MOVE "01AA" TO R WRITE R CLOSE F DISPLAY FS " " NO ADVANCING
        WHEN "CHK" MOVE 0 TO BYTES CALL "CBL_CHECK_FILE_EXIST" USING NAME INFO PERFORM TELLS
            IF BYTES > 0 DISPLAY "some " NO ADVANCING END-IF
        WHEN "DEL" CALL "CBL_DELETE_FILE" USING NAME PERFORM TELLS
        WHEN "CPY" CALL "CBL_COPY_FILE" USING NAME ELSEWHERE PERFORM TELLS
        WHEN "TOO" CALL "CBL_COPY_FILE" USING ELSEWHERE NAME PERFORM TELLS
        WHEN "REN" CALL "CBL_RENAME_FILE" USING NAME ELSEWHERE PERFORM TELLS
    END-EVALUATE.
    GO TO P1.
TELLS.
    IF RETURN-CODE = 0 DISPLAY "done " NO ADVANCING ELSE DISPLAY "not " NO ADVANCING END-IF.
"#;

#[test]
fn a_data_set_is_there_and_is_deleted() {
    let place = Workplace::with_catalog("system");
    let program = place.compile("names", SOURCE);
    let says = |requests: &[&str]| {
        let done = place.command(&program).args(requests).output().unwrap();
        assert!(done.status.success(), "{}", stderr(&done));
        (stdout(&done).trim_end().to_string(), stderr(&done))
    };
    let said = says(&[
        "CHKCUST",
        "OUT",
        "CHKCUST",
        "CHK//CUST",
        "CHKcust",
        "CHK//NONE",
        "CHK./CUST",
    ])
    .0;
    assert_eq!(said, "not 00 done some done some done some not not");
    let (said, told) = says(&["CPYCUST", "TOO//CUST", "RENCUST", "CHKCUST"]);
    assert_eq!(said, "not not not done some");
    for function in ["CBL_COPY_FILE", "CBL_RENAME_FILE"] {
        assert!(
            told.contains(&format!("CICA1232E {function} DOES NOTHING WITH DATA SET")),
            "{told}"
        );
    }
    assert!(!place.0.join("OTHER").exists());
    assert_eq!(
        says(&["DELCUST", "CHKCUST", "DELCUST"]),
        ("done not not".into(), String::new())
    );
}

#[test]
fn a_file_of_libcobs_is_libcobs() {
    let place = Workplace::with_catalog("system-plain");
    let program = place.compile("names", SOURCE);
    std::fs::write(place.0.join("plain.txt"), "text").unwrap();
    let requests = [
        "CHKplain.txt",
        "CPYplain.txt",
        "CHKOTHER",
        "DELOTHER",
        "CHKOTHER",
        "RENplain.txt",
        "CHKOTHER",
    ];
    let done = place.command(&program).args(requests).output().unwrap();
    let expected = "done some done done some done not done done some";
    assert_eq!((stdout(&done).trim_end(), stderr(&done).as_str()), (expected, ""));
}

/// Who is told that his report is there, and deletes it, has deleted the report.
#[test]
fn a_file_comes_before_a_data_set_of_its_name_for_all_functions() {
    let place = Workplace::with_catalog("system-both");
    let program = place.compile("names", SOURCE);
    let says = |requests: &[&str]| {
        let done = place.command(&program).args(requests).output().unwrap();
        (stdout(&done).trim_end().to_string(), stderr(&done))
    };
    assert_eq!(says(&["OUT"]).0, "00");
    std::fs::write(place.0.join("CUST"), "a report").unwrap();
    assert_eq!(says(&["CHKCUST", "CPYCUST"]), ("done some done".into(), String::new()));
    assert_eq!(std::fs::read(place.0.join("OTHER")).unwrap(), b"a report");
    assert_eq!(says(&["DELCUST", "CHKCUST"]).0, "done done some");
    assert!(!place.0.join("CUST").exists());
}

/// "Not there" would be a reason to open it for output.
#[test]
fn what_cannot_be_looked_for_is_not_said_to_be_missing() {
    let place = Workplace::with_catalog("system-unknown");
    let program = place.compile(
        "names",
        &SOURCE.replace("DISPLAY \"not \"", "DISPLAY RETURN-CODE \" \""),
    );
    let says = |catalog: &str, request: &str| {
        let mut command = place.command(&program);
        let done = command.env("CICA_CATALOG", catalog).arg(request).output().unwrap();
        stdout(&done).trim_end().to_string()
    };
    let there = place.catalog();
    let missing = says(there.to_str().unwrap(), "CHKCUST");
    assert!(missing.ends_with("35"), "{missing}");
    for request in ["CHKCUST", "DELCUST", "CPYCUST", "RENCUST"] {
        let unknown = says("/nowhere/at/all", request);
        assert!(unknown.ends_with('1') && unknown.contains('-'), "{request}: {unknown}");
    }
}

#[test]
fn what_cica_keeps_data_sets_in_is_neither_deleted_nor_replaced() {
    let place = Workplace::with_catalog("system-kept");
    let program = place.compile("names", SOURCE);
    std::fs::write(place.0.join("OTHER"), "text").unwrap();
    let kept = place.catalog().join("catalog");
    let before = std::fs::read(&kept).unwrap();
    let name = kept.strip_prefix(&place.0).unwrap().display().to_string();
    let requests = ["DEL", "TOO", "REN"].map(|function| format!("{function}{name}"));
    let done = place.command(&program).args(requests).output().unwrap();
    assert_eq!(stdout(&done).trim_end(), "not not not", "{}", stderr(&done));
    assert_eq!(std::fs::read(&kept).unwrap(), before);
}

/// The catalog of DEFINE NONVSAM says where its file is.
#[test]
fn a_data_set_that_is_not_vsams_is_there_and_stays() {
    let place = Workplace::with_catalog("system-nonvsam");
    let program = place.compile("names", SOURCE);
    common::idcams(
        &place.session(),
        "DEFINE NONVSAM (NAME(REPORT) DEVICETYPES(3390) VOLUMES(*))\n",
    )
    .unwrap();
    let (session, name) = (place.session(), Name::parse("REPORT").unwrap());
    let catalog = session.catalog.home(&name).unwrap();
    let entry = catalog.contents().unwrap().get(&name).unwrap().clone();
    let Entry::NonVsam(data_set) = entry else { panic!() };
    let file = catalog.file_path(&data_set).unwrap().unwrap();
    let says = |requests: &[&str]| {
        let done = place.command(&program).args(requests).output().unwrap();
        (stdout(&done).trim_end().to_string(), stderr(&done))
    };
    assert_eq!(says(&["CHKREPORT"]).0, "not");
    std::fs::write(&file, "a report").unwrap();
    let (said, told) = says(&["CHKREPORT", "DELREPORT", "CPYREPORT", "RENREPORT"]);
    assert_eq!(said, "done some not not not", "{told}");
    assert!(told.contains("CBL_DELETE_FILE DOES NOTHING"), "{told}");
    assert_eq!(std::fs::read(&file).unwrap(), b"a report");
}
