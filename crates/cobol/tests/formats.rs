//! Record formats of files that are read: blocks longer than any the system would choose, and records longer than the
//! FD's.
#![allow(clippy::unwrap_used)]

mod common;

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
