//! PRINT: its three forms, ranges, sequential files, and what is empty or wrong.

use crate::world::{Shape, World, NAMES};

const RECORDS: &[&str] = &[
    "AA01 first",
    "AA02 second",
    "AB01 third record with\tmore in it",
    "AC01 fourth",
];

fn names() -> World {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, RECORDS);
    w
}

#[test]
fn characters() {
    names().golden("print_character", "PRINT INDATASET(A.NAMES) CHARACTER", 0);
}

#[test]
fn hexadecimal() {
    names().golden("print_hex", "PRINT INDATASET(A.NAMES) HEX COUNT(2)", 0);
}

#[test]
fn dump_is_the_default() {
    let mut w = names();
    w.golden("print_dump", "PRINT INDATASET(A.NAMES)", 0);
    let (_, dump) = w.run("PRINT INDATASET(A.NAMES) DUMP");
    let (_, default) = w.run("PRINT INDATASET(A.NAMES)");
    assert_eq!(dump.replace(" DUMP", ""), default);
}

#[test]
fn long_records_go_on_in_more_rows() {
    let mut w = World::new();
    let record = format!("0001{}", "0123456789".repeat(25));
    w.loaded(
        "A.LONG",
        Shape {
            record: (254, 254),
            ..NAMES
        },
        &[&record],
    );
    let cards = "PRINT INDATASET(A.LONG) CHARACTER\nPRINT INDATASET(A.LONG) HEX\nPRINT INDATASET(A.LONG) DUMP";
    w.golden("print_long", cards, 0);
}

#[test]
fn ebcdic_is_shown_as_text() {
    let mut w = World::new();
    w.define("A.NAMES", Shape { ccsid: 1047, ..NAMES });
    w.dd("CARDS", ",CODEPAGE=ASCII", b"A001 Smith & Sons\nA002 [x]\n");
    let cards = "REPRO INFILE(CARDS) OUTDATASET(A.NAMES)\nPRINT INDATASET(A.NAMES) CHARACTER\nPRINT INDATASET(A.NAMES)";
    w.golden("print_ebcdic", cards, 0);
}

#[test]
fn a_sequential_file_has_record_numbers() {
    let mut w = World::new();
    w.dd("CARDS", "", b"one\n\nthree\n");
    w.golden(
        "print_sequential",
        "PRINT INFILE(CARDS) CHARACTER\nPRINT INFILE(CARDS) SKIP(2) HEX",
        0,
    );
}

#[test]
fn ebcdic_files_are_shown_by_their_page() {
    let mut w = World::new();
    w.dd("CARDS", ",RECFM=F,LRECL=2,CODEPAGE=037", b"\xC1\xF1\xC2\xF2");
    let (cc, listing) = w.run("PRINT INFILE(CARDS) CHARACTER");
    assert_eq!(cc, 0, "{listing}");
    assert!(listing.contains("RECORD SEQUENCE NUMBER - 2\nB2\n"), "{listing}");
}

#[test]
fn ranges_choose_records() {
    let mut w = names();
    let cards =
        "PRINT INDATASET(A.NAMES) CHARACTER FROMKEY(AA02) TOKEY(AB)\nPRINT INDATASET(A.NAMES) CHAR SKIP(3) COUNT(9)";
    w.golden("print_ranges", cards, 0);
}

#[test]
fn a_binary_key_shows_periods_as_characters_and_digits_in_hex() {
    let mut w = World::new();
    w.define("A.BINARY", NAMES);
    w.dd("CARDS", ",RECFM=F,LRECL=6", b"\0\x01\0AxyA\x7F\xC1.\0\0");
    let cards =
        "REPRO INFILE(CARDS) OUTDATASET(A.BINARY)\nPRINT INDATASET(A.BINARY) CHARACTER\nPRINT INDATASET(A.BINARY) HEX";
    w.golden("print_binary", cards, 0);
}

#[test]
fn outfile_gets_the_listing() {
    let mut w = names();
    w.dd_new("LIST", "");
    let (cc, listing) = w.run("PRINT INDATASET(A.NAMES) CHARACTER COUNT(1) OUTFILE(LIST)");
    assert_eq!(cc, 0, "{listing}");
    assert!(!listing.contains("KEY OF RECORD"), "{listing}");
    assert!(
        listing.contains("IDC0005I NUMBER OF RECORDS PROCESSED WAS 1"),
        "{listing}"
    );
    let printed = std::fs::read_to_string(w.file("LIST")).unwrap();
    assert!(printed.contains("LISTING OF DATA SET -A.NAMES"), "{printed}");
    assert!(printed.contains("KEY OF RECORD - AA01\nAA01 first\n"), "{printed}");
}

#[test]
fn nothing_to_print_is_code_4() {
    let mut w = names();
    let none = ["IDC0005I NUMBER OF RECORDS PROCESSED WAS 0"];
    assert_eq!(
        w.messages(
            "PRINT INDATASET(A.NAMES) TOKEY(A)\nPRINT INDATASET(A.NAMES) TOKEY('0')",
            4
        ),
        [
            "IDC0005I NUMBER OF RECORDS PROCESSED WAS 4",
            "CICA1120W NO RECORD OF A.NAMES IS WITHIN THE RANGE",
            none[0]
        ]
    );
    w.dd("CARDS", "", b"");
    let beyond = "IDC11462I REQUESTED RANGE BEYOND END OF DATA";
    assert_eq!(w.messages("PRINT INFILE(CARDS) COUNT(1)", 4), [beyond, none[0]]);
    assert_eq!(
        w.messages("PRINT INDATASET(A.NAMES) FROMKEY(Z)", 4),
        ["IDC3309I ** RECORD Z NOT FOUND"]
    );
}

#[test]
fn what_cannot_be_printed_is_told() {
    let mut w = names();
    w.define("A.EMPTY", NAMES);
    let messages = w.messages("PRINT INDATASET(A.EMPTY)", 12);
    assert!(messages[1].contains("RETURN CODE IS 160"), "{}", messages[1]);
    let messages = w.messages("PRINT INFILE(NODD)", 12);
    assert_eq!(messages[0], "IDC3300I ERROR OPENING NODD");
    let messages = w.messages("PRINT INDATASET(A.NAMES) OUTFILE(NODD)", 12);
    assert!(messages[0].contains("there is no DD statement NODD"), "{}", messages[0]);
    w.dd("CARDS", ",RECFM=F,LRECL=4", b"AA01AA");
    let (cc, listing) = w.run("PRINT INFILE(CARDS) CHARACTER");
    assert_eq!(cc, 12);
    assert!(
        listing.contains("RECORD SEQUENCE NUMBER - 1\nAA01\n"),
        "the whole records are shown: {listing}"
    );
    assert!(listing.contains("CICA0941E"), "{listing}");
}
