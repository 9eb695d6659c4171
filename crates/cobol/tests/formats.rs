//! Record formats of files that are read and written on: blocks longer than any the system would choose, records longer
//! than the FD's, and records of another format that would come behind those that are there.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::entry::NonVsam;
use cica_catalog::{Catalog, CatalogError, Entry, Name};
use cica_qsam::{DdText, Writer};
use common::{stderr, stdout, Workplace};
use std::path::{Path, PathBuf};

/// Opens F as its argument says; reads all records, and tells what is not 00 once; or writes one.
const PROGRAM: &str = r#"IDENTIFICATION DIVISION.
PROGRAM-ID. FORMATS.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
SELECT F ASSIGN "F" ORGANIZATION SEQUENTIAL FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F RECORD IS VARYING IN SIZE FROM 1 TO 16 CHARACTERS DEPENDING ON L.
01 R PIC X(16).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 L PIC 9(4) VALUE 16.
01 N PIC 9(8) VALUE 0.
01 WHAT PIC X(8).
PROCEDURE DIVISION.
ACCEPT WHAT FROM ARGUMENT-VALUE
EVALUATE WHAT WHEN "output" OPEN OUTPUT F WHEN "extend" OPEN EXTEND F WHEN "input" OPEN INPUT F
END-EVALUATE
DISPLAY FS
IF FS > "09" STOP RUN.
IF WHAT NOT = "input" MOVE ALL "n" TO R WRITE R DISPLAY FS CLOSE F DISPLAY FS STOP RUN.
PERFORM UNTIL FS > "09"
  READ F
  IF FS < "10" ADD 1 TO N END-IF
  IF FS NOT = "00" DISPLAY FS " " N END-IF
END-PERFORM
CLOSE F.
STOP RUN.
"#;

fn says(place: &Workplace, program: &Path, dd: &str, what: &str) -> (String, String) {
    let mut command = place.command(program);
    let done = command.env("DD_F", dd).arg(what).output().unwrap();
    (stdout(&done), stderr(&done))
}

/// A file of these attributes with so many records of so many bytes.
fn file(options: &str, count: usize, length: usize) -> Vec<u8> {
    let text = if options.is_empty() {
        "f".into()
    } else {
        format!("f,{options}")
    };
    let attributes = DdText::parse(&text).unwrap().attributes;
    let mut writer = Writer::new(Vec::new(), &attributes).unwrap();
    (0..count).for_each(|_| writer.put(&vec![b'x'; length]).unwrap());
    writer.finish().unwrap()
}

/// Makes of the entry what `change` does.
fn change(catalog: &Catalog, name: &Name, change: impl FnOnce(&mut NonVsam)) {
    let changed: Result<(), CatalogError> = catalog.transact(|contents| {
        let Entry::NonVsam(mut data_set) = contents.get(name)?.clone() else {
            panic!("{name} is not there")
        };
        change(&mut data_set);
        contents.replace(name, Entry::NonVsam(data_set))
    });
    changed.unwrap();
}

/// A data set of this format, with these bytes; where they lie.
fn enter(place: &Workplace, name: &str, format: &str, bytes: &[u8]) -> PathBuf {
    let cards = format!("DEFINE NONVSAM (NAME({name}) DEVICETYPES(3390) VOLUMES(*))\n");
    common::idcams(&place.session(), &cards).unwrap();
    let session = place.session();
    let parsed = Name::parse(name).unwrap();
    let catalog = session.catalog.home(&parsed).unwrap();
    change(&catalog, &parsed, |data_set| data_set.format = format.into());
    let file = place.catalog().join("volumes/CICA01").join(name);
    std::fs::write(&file, bytes).unwrap();
    file
}

fn format_of(place: &Workplace, name: &str) -> String {
    let session = place.session();
    let name = Name::parse(name).unwrap();
    match session.catalog.home(&name).unwrap().contents().unwrap().get(&name) {
        Ok(Entry::NonVsam(data_set)) => data_set.format.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn blocks_may_be_longer_than_the_system_would_make_them() {
    let place = Workplace::with_catalog("formats-blocks");
    let program = place.compile("formats", PROGRAM);
    let path = place.0.join("blocks.bin");
    for (recfm, stated) in [("VBS", "RECFM=VBS,BLKSIZE=32000"), ("VB", "RECFM=VB,BLKSIZE=32000")] {
        std::fs::write(&path, file(stated, 3000, 16)).unwrap();
        for options in [format!("RECFM={recfm}"), stated.into()] {
            let (said, told) = says(&place, &program, &format!("{},{options}", path.display()), "input");
            assert_eq!(said, "00\n10 00003000\n", "{options}: {told}");
        }
    }
}

#[test]
fn a_record_longer_than_the_fd_says_is_read_as_far_as_that_goes() {
    let place = Workplace::with_catalog("formats-long");
    let program = place.compile("formats", PROGRAM);
    let path = place.0.join("long.bin");
    for options in ["RECFM=VB", "RECFM=VBS", "RECFM=V"] {
        std::fs::write(&path, file(options, 1, 20)).unwrap();
        let (said, told) = says(&place, &program, &format!("{},{options}", path.display()), "input");
        assert_eq!(said, "00\n04 00000001\n10 00000001\n", "{options}: {told}");
    }
}

#[test]
fn records_of_another_format_do_not_come_behind_others() {
    let place = Workplace::with_catalog("formats-behind");
    let program = place.compile("formats", PROGRAM);
    for (name, there, more) in [
        ("A.VB", "RECFM=VB,LRECL=84", "RECFM=FB,LRECL=16"),
        ("A.FB", "RECFM=FB,LRECL=16", "RECFM=VB"),
        ("A.LONG", "RECFM=FB,LRECL=8", "RECFM=FB,LRECL=16"),
        ("A.BDW", "RECFM=VB,LRECL=84", "RECFM=VB,BDW=NO"),
        ("A.EBCDIC", "RECFM=VB,CODEPAGE=1047", "RECFM=VB,CODEPAGE=500"),
        ("A.LINES", "", "RECFM=VB"),
    ] {
        let bytes = file(there, 1, 8);
        let path = enter(&place, name, there, &bytes);
        for (dd, what) in [("", "extend"), (",DISP=MOD", "output")] {
            let (said, told) = says(&place, &program, &format!("DSN={name},{more}{dd}"), what);
            assert_eq!(said, "39\n", "{name} {what}: {told}");
            assert!(told.contains("cannot follow"), "{told}");
            assert_eq!(
                (std::fs::read(&path).unwrap(), format_of(&place, name)),
                (bytes.clone(), there.into())
            );
        }
        // Where nothing is there it is what is said.
        std::fs::write(&path, b"").unwrap();
        let (said, told) = says(&place, &program, &format!("DSN={name},{more}"), "extend");
        assert_eq!(said, "00\n00\n00\n", "{name}: {told}");
        assert!(
            format_of(&place, name).starts_with(more.split(',').next().unwrap()),
            "{name}"
        );
    }
}

/// A file that came from elsewhere has no format in the catalog: what the DD text says of it is believed if it can be.
#[test]
fn records_come_behind_those_of_a_file_that_nobody_has_described() {
    let place = Workplace::with_catalog("formats-undescribed");
    let program = place.compile("formats", PROGRAM);
    let path = enter(&place, "A.FB", "", &file("RECFM=FB,LRECL=16", 2, 16));
    let (said, told) = says(&place, &program, "DSN=A.FB,RECFM=FB,LRECL=16", "extend");
    assert_eq!(said, "00\n00\n00\n", "{told}");
    assert_eq!(std::fs::read(&path).unwrap().len(), 48);
    std::fs::write(&path, b"a line of text\n").unwrap();
    let path = enter(&place, "A.TEXT", "", b"a line of text\n");
    let (said, told) = says(&place, &program, "DSN=A.TEXT,RECFM=FB,LRECL=16", "extend");
    assert_eq!(said, "39\n", "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), b"a line of text\n");
}

#[test]
fn what_is_there_stays_readable_behind_shorter_records() {
    let place = Workplace::with_catalog("formats-shorter");
    let program = place.compile("formats", PROGRAM);
    let there = "RECFM=VB,LRECL=84,BLKSIZE=88";
    enter(&place, "A.VB", there, &file(there, 3, 80));
    let (said, told) = says(&place, &program, "DSN=A.VB,RECFM=VB,LRECL=20,BLKSIZE=24", "extend");
    assert_eq!(said, "00\n00\n00\n", "{told}");
    assert_eq!(format_of(&place, "A.VB"), there);
    let (said, told) = says(&place, &program, "DSN=A.VB", "input");
    assert_eq!(
        said, "00\n04 00000001\n04 00000002\n04 00000003\n10 00000004\n",
        "{told}"
    );
}
