//! A data set in EBCDIC under a program in ASCII, by its copybook.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::{Access, Argument, Insert, Intent, OpenOptions, Search};
use common::{cobc, library, stderr, stdout, Workplace};
use std::path::{Path, PathBuf};
use std::process::Output;

const PROGRAM: &str = include_str!("programs/ebcdic.cob");
const COPYBOOK: &str = include_str!("programs/CUST.cpy");

/// Record order is EBCDIC's: small letters, capitals, digits.
const SAID: &str = "\
OUTPUT 00
00
00
00
22
I-O 00
00 ab01 XX    0 +00300 +04660    .
00 AB01 xx    5 -00012 +00000    .
00 1B01      -7 +00300 +00000    .
00 1B01      -7 +00300 +00000    .
00
START 00
00 1B01     -30 +00300 +00000    .
00
00 AB01 xx    5 -00012 +00000    .
00 AB01 xx    5 -00012 +00000    .
23
00
00
23
00 ab01 XX    0 +00300 +04660    .
00 1B01     -30 +00300 +00000    .
00 1B02 yy    5 -00012 +00000    .
CLOSE 00
";

/// Compiled as mainframe programs are: fixed format, with IBM's sizes.
fn compile(place: &Workplace, extfh: bool) -> PathBuf {
    std::fs::write(place.0.join("CUST.cpy"), COPYBOOK).unwrap();
    std::fs::write(place.0.join("ebcdic.cob"), PROGRAM).unwrap();
    let mut command = cobc();
    let to = place.0.join(if extfh { "recompiled" } else { "ebcdic" });
    command.current_dir(&place.0).args(["-x", "-std=ibm", "-o"]).arg(&to);
    if extfh {
        let directory = library().parent().unwrap().to_path_buf();
        command
            .args(["-fcallfh=CICAFH", "-lcica_cobol"])
            .arg(format!("-L{}", directory.display()));
    }
    let done = command.arg("ebcdic.cob").output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    to
}

fn run(place: &Workplace, program: &Path, dd: &str) -> Output {
    let mut command = place.command(program);
    command.env("DD_CUST", dd).env("CICA_MESSAGES", "E");
    if program.ends_with("recompiled") {
        command.env_remove("LD_PRELOAD");
    }
    command.output().unwrap()
}

/// The record with this key, as it is stored.
fn stored(place: &Workplace, name: &str, key: &[u8]) -> Vec<u8> {
    let session = place.session();
    let name = cica_catalog::Name::parse(name).unwrap();
    let catalog = session.catalog.home(&name).unwrap();
    let reached = cica_session::reach(&catalog.contents().unwrap(), &name).unwrap();
    assert_eq!(reached.attributes.ccsid, 1047);
    let data_set = cica_session::open(&catalog, &session.engine, &reached, OpenOptions::default()).unwrap();
    let mut string = data_set.string();
    let record = string.get(Argument::Key(key), Search::Equal, Intent::Read).unwrap();
    record.bytes.to_vec()
}

#[test]
fn a_program_in_ascii_works_on_a_data_set_in_ebcdic() {
    let place = Workplace::with_catalog("ebcdic");
    for (extfh, name) in [(false, "PROD.CUST"), (true, "PROD.CUST2")] {
        let program = compile(&place, extfh);
        let dd = format!("DSN={name},COPYBOOK=CUST.cpy,CODEPAGE=1047");
        // The suppressed alternate key comes through EXTFH too.
        let done = run(&place, &program, &dd);
        assert_eq!(stdout(&done), SAID, "{name}: {}", stderr(&done));
        let record = stored(&place, name, b"\xF1\xC2\xF0\xF1");
        // Key and text in EBCDIC, the sign of -30 in the last digit, packed and binary as they were.
        assert_eq!(
            record,
            b"\xF1\xC2\xF0\xF1\x40\x40\xF0\xF3\xD0\x00\x30\x0C\x00\x00\x40\x40\x40\x40"
        );
        // What was made is opened again by its CCSID alone, and made anew in the same code.
        let done = run(&place, &program, &format!("DSN={name},COPYBOOK=CUST.cpy"));
        assert!(
            stdout(&done).starts_with("OUTPUT 00\n00\n"),
            "{}{}",
            stdout(&done),
            stderr(&done)
        );
    }
}

#[test]
fn what_does_not_fit_is_39_and_says_where() {
    let place = Workplace::with_catalog("ebcdic-wrong");
    let program = compile(&place, false);
    let write = |name: &str, text: &str| std::fs::write(place.0.join(name), text).unwrap();
    write("short.cpy", "01 R. 05 K PIC X(4).");
    write(
        "other.cpy",
        &COPYBOOK.replace(
            "           05  C ",
            "           05  D REDEFINES P PIC X(2).\n           05  C ",
        ),
    );
    write("none.cpy", "      * nothing\n");
    write(
        "mixed.cpy",
        &COPYBOOK.replace("A               PIC X(2)", "A               PIC S9(4) COMP"),
    );
    let cases = [
        ("COPYBOOK=gone.cpy,CODEPAGE=37", "COPYBOOK gone.cpy: No such file"),
        (
            "COPYBOOK=short.cpy,CODEPAGE=37",
            "it describes 4 bytes, and the program's record has 18",
        ),
        (
            "COPYBOOK=other.cpy,CODEPAGE=37",
            "LINE 10: D: byte 10 of the record is text here, and binary in P of line 8",
        ),
        ("COPYBOOK=none.cpy,CODEPAGE=37", "it has no data description entry"),
        ("COPYBOOK=CUST.cpy", "CODEPAGE is missing"),
    ];
    for (dd, reason) in cases {
        let done = run(&place, &program, &format!("DSN=PROD.WRONG,{dd}"));
        let said = stderr(&done);
        assert!(stdout(&done).starts_with("OUTPUT 39\n"), "{dd}: {}", stdout(&done));
        assert!(said.contains("CICA1216E") && said.contains(reason), "{dd}: {said}");
    }
    let cases = [
        ("CODEPAGE=1047", "need COPYBOOK"),
        ("COPYBOOK=CUST.cpy,CODEPAGE=4711", "no code page is called '4711'"),
        ("COPYBOOK=CUST.cpy,CODEPAGE=ASCII", "is the program's own code"),
        (
            "COPYBOOK=CUST.cpy,CODEPAGE=37,SIGN=PLUS",
            "SIGN=PLUS is neither ASCII nor EBCDIC",
        ),
        ("COPYBOOK=,CODEPAGE=37", "COPYBOOK= is followed by no path"),
    ];
    for (dd, reason) in cases {
        let done = run(&place, &program, &format!("DSN=PROD.WRONG,{dd}"));
        assert!(stdout(&done).starts_with("OUTPUT 31\n"), "{dd}: {}", stdout(&done));
        assert!(stderr(&done).contains(reason), "{dd}: {}", stderr(&done));
    }
    // Commas and blanks in a path stand in apostrophes.
    write("a, b.cpy", COPYBOOK);
    let done = run(&place, &program, "DSN=PROD.RIGHT,COPYBOOK='a, b.cpy',CODEPAGE=IBM-037");
    assert!(stdout(&done).starts_with("OUTPUT 00\n"), "{}", stderr(&done));
    // A data set that is in another code page, and one that a program made in ASCII.
    let done = run(&place, &program, "DSN=PROD.RIGHT,COPYBOOK=CUST.cpy,CODEPAGE=273");
    assert!(stdout(&done).starts_with("OUTPUT 00\n"), "made anew: {}", stderr(&done));
    let done = run(&place, &program, "DSN=PROD.RIGHT");
    assert!(stdout(&done).starts_with("OUTPUT 00\n"), "made anew: {}", stderr(&done));
}

/// A key of two parts, which stands in front of the stored record, and a sequential file.
const PARTS: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. PARTS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "F" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY IS FK = B A FILE STATUS FS.
SELECT G ASSIGN TO "G" ORGANIZATION SEQUENTIAL FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 05 A PIC X(2). 05 D PIC X(2). 05 B PIC S9(2).
FD G. 01 S PIC X(6).
WORKING-STORAGE SECTION. 01 FS PIC XX.
PROCEDURE DIVISION.
OPEN OUTPUT F G DISPLAY FS
MOVE "ab" TO A MOVE "d1" TO D MOVE -1 TO B WRITE R DISPLAY FS
MOVE "AB" TO A MOVE "d2" TO D MOVE 1 TO B WRITE R DISPLAY FS
MOVE R TO S WRITE S DISPLAY FS
CLOSE F G OPEN I-O F INPUT G
READ G DISPLAY FS " " S
MOVE "ab" TO A MOVE -1 TO B MOVE SPACES TO D READ F DISPLAY FS " " R
MOVE "d3" TO D REWRITE R DISPLAY FS
MOVE LOW-VALUES TO R START F KEY > FK DISPLAY FS
READ F NEXT DISPLAY FS " " R READ F NEXT DISPLAY FS " " R
STOP RUN.
"#;

#[test]
fn keys_of_several_parts_and_sequential_files_are_translated_too() {
    let place = Workplace::with_catalog("ebcdic-parts");
    let program = place.compile("parts", PARTS);
    std::fs::write(
        place.0.join("r.cpy"),
        "01 R.\n 05 A PIC X(2).\n 05 D PIC X(2).\n 05 B PIC S9(2).\n",
    )
    .unwrap();
    let done = place
        .command(&program)
        .env("DD_F", "DSN=PARTS,COPYBOOK=r.cpy,CODEPAGE=1047")
        .env("DD_G", "DSN=ENTRIES,COPYBOOK=r.cpy,CODEPAGE=1047")
        .output()
        .unwrap();
    let said = "00\n00\n00\n00\n00 ABd201\n00 abd10q\n00\n00\n00 ABd201\n00 abd30q\n";
    assert_eq!(stdout(&done), said, "{}", stderr(&done));
    // The key comes first, and plus before minus, as on the mainframe.
    let record = stored(&place, "PARTS", b"\xF0\xD1\x81\x82");
    assert_eq!(record, b"\xF0\xD1\x81\x82\x81\x82\x84\xF3\xF0\xD1");
}

/// Keys and numbers whose plus signs are X'F', as many a mainframe program leaves them.
const SIGNS: &str = r#"
IDENTIFICATION DIVISION. PROGRAM-ID. SIGNS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
SELECT F ASSIGN TO "F" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
SELECT G ASSIGN TO "F" ORGANIZATION INDEXED ACCESS SEQUENTIAL RECORD KEY GK FILE STATUS FS.
DATA DIVISION. FILE SECTION.
FD F. 01 R. 05 K PIC S9(2). 05 N PIC S9(2). 05 T PIC X(2).
FD G. 01 GR. 05 GK PIC S9(2). 05 GN PIC S9(2). 05 GT PIC X(2).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 S PIC +99.
PROCEDURE DIVISION.
MAIN SECTION. P1.
OPEN I-O F
READ F NEXT PERFORM SHOW MOVE "b1" TO T REWRITE R DISPLAY FS
READ F NEXT PERFORM SHOW MOVE 7 TO N REWRITE R DISPLAY FS
READ F NEXT PERFORM SHOW DELETE F DISPLAY FS
MOVE 1 TO K READ F DISPLAY FS
MOVE 4 TO K MOVE 4 TO N WRITE R DISPLAY FS
MOVE 2 TO K REWRITE R DISPLAY FS
CLOSE F OPEN I-O G
READ G DELETE G DISPLAY FS
READ G MOVE "c1" TO GT REWRITE GR DISPLAY FS
READ G MOVE 5 TO GK REWRITE GR DISPLAY FS
CLOSE G STOP RUN.
SHOW. MOVE K TO S DISPLAY FS " " S WITH NO ADVANCING MOVE N TO S DISPLAY " " S " " T.
"#;

#[test]
fn a_record_that_is_written_back_keeps_its_signs_and_its_key() {
    let place = Workplace::with_catalog("ebcdic-signs");
    let cards = "DEFINE CLUSTER (NAME(SIGNS) INDEXED KEYS(2 0) RECORDSIZE(6 6) TRACKS(1) CCSID(1047))\n";
    common::idcams(&place.session(), cards).unwrap();
    let name = cica_catalog::Name::parse("SIGNS").unwrap();
    {
        let session = place.session();
        let (catalog, cluster) = session.reach(&name).unwrap();
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        let data_set = cica_session::open(&catalog, &session.engine, &cluster, options).unwrap();
        let mut string = data_set.string();
        for number in 1..=3 {
            let record = [0xF0, 0xF0 + number, 0xF0, 0xF0 + number, 0x81, 0xF0 + number];
            string.insert(&record, Insert::Sequential).unwrap();
        }
        drop(string);
        data_set.close().unwrap();
    }
    let source = place.compile("signs", SIGNS);
    std::fs::write(
        place.0.join("r.cpy"),
        "01 R.\n 05 K PIC S9(2).\n 05 N PIC S9(2).\n 05 T PIC X(2).\n",
    )
    .unwrap();
    let mut command = place.command(&source);
    let done = command.env("DD_F", "DSN=SIGNS,COPYBOOK=r.cpy").output().unwrap();
    // +1 of the program is X'F0C1', which is another key than X'F0F1', as on the mainframe.
    let said = "00 +01 +01 a1\n00\n00 +02 +02 a2\n00\n00 +03 +03 a3\n00\n23\n00\n23\n00\n00\n21\n";
    assert_eq!(stdout(&done), said, "{}", stderr(&done));
    // A number that stays keeps its sign, one that changes has X'C'.
    assert_eq!(stored(&place, "SIGNS", b"\xF0\xF1"), b"\xF0\xF1\xF0\xF1\x83\xF1");
    assert_eq!(stored(&place, "SIGNS", b"\xF0\xF2"), b"\xF0\xF2\xF0\xC7\x81\xF2");
}
