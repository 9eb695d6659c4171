//! REPRO where all goes well.

use crate::world::{Shape, World, NAMES};
use cica_qsam::CodePage;

const FIVE: &[&str] = &["AA01 first", "AA02 second", "AB01 third", "AC01 fourth", "BA01 fifth"];

fn processed(count: u64) -> Vec<String> {
    vec![format!("IDC0005I NUMBER OF RECORDS PROCESSED WAS {count}")]
}

fn ebcdic(text: &str) -> Vec<u8> {
    CodePage::Ibm1047.encode(text).unwrap()
}

#[test]
fn lines_of_text_are_loaded() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd(
        "CARDS",
        "",
        b"AA01 first\nAA02 second\nAB01 third\nAC01 fourth\nBA01 fifth\n",
    );
    assert_eq!(w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0), processed(5));
    assert_eq!(w.records("A.NAMES"), FIVE);
}

#[test]
fn fixed_ebcdic_records_are_converted_to_the_data_sets_page() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", ",RECFM=FB,LRECL=8,CODEPAGE=1047", &ebcdic("A001JoheA002Jane"));
    assert_eq!(w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0), processed(2));
    assert_eq!(w.records("A.NAMES"), ["A001Johe", "A002Jane"]);
}

#[test]
fn bytes_of_no_stated_page_are_not_converted() {
    let mut w = World::new();
    w.define("A.NAMES", Shape { ccsid: 1047, ..NAMES });
    let cards = ebcdic("A001JoheA002Jane");
    w.dd("CARDS", ",RECFM=FB,LRECL=8", &cards);
    w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0);
    let stored: Vec<u8> = w.records("A.NAMES").concat().chars().map(|c| c as u8).collect();
    assert_eq!(stored, cards);
}

#[test]
fn an_ebcdic_data_set_is_written_as_text_on_request() {
    let mut w = World::new();
    w.define("A.NAMES", Shape { ccsid: 37, ..NAMES });
    w.dd("CARDS", ",CODEPAGE=ASCII", b"A001 one\nA002 two\n");
    w.dd_new("OUT", ",RECFM=V,BDW=NO,LRECL=84,CODEPAGE=ASCII");
    let copies = "REPRO INFILE(CARDS) OUTDATASET(A.NAMES)\nREPRO INDATASET(A.NAMES) OUTFILE(OUT)";
    w.messages(copies, 0);
    assert_eq!(w.records("A.NAMES")[0].chars().next(), Some('\u{C1}'), "A in 037");
    assert_eq!(
        std::fs::read(w.file("OUT")).unwrap(),
        b"\0\x0C\0\0A001 one\0\x0C\0\0A002 two"
    );
}

#[test]
fn blocked_variable_records_lose_their_descriptors() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    let block = b"\0\x19\0\0\0\x0A\0\0AA01 1\0\x0B\0\0AA02 22";
    w.dd("CARDS", ",RECFM=VB,LRECL=84", block);
    assert_eq!(w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0), processed(2));
    assert_eq!(w.records("A.NAMES"), ["AA01 1", "AA02 22"]);
}

#[test]
fn a_data_set_is_copied_to_text_and_back() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    w.dd_new("TEXT", "");
    let cards = "REPRO INDATASET(A.NAMES) OUTFILE(TEXT)\nREPRO INFILE(TEXT) OUTDATASET(A.COPY)";
    w.messages(cards, 0);
    assert_eq!(std::fs::read_to_string(w.file("TEXT")).unwrap(), FIVE.join("\n") + "\n");
    assert_eq!(w.records("A.COPY"), FIVE);
}

#[test]
fn short_records_are_padded_in_a_fixed_file() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01", "AA02x"]);
    w.dd_new("FIXED", ",RECFM=FB,LRECL=6");
    w.messages("REPRO INDATASET(A.NAMES) OUTFILE(FIXED)", 0);
    assert_eq!(std::fs::read(w.file("FIXED")).unwrap(), b"AA01\0\0AA02x\0");
}

#[test]
fn lrecl_of_a_fixed_output_is_the_data_sets_longest_record() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    w.dd_new("FIXED", ",RECFM=FB");
    w.messages("REPRO INDATASET(A.NAMES) OUTFILE(FIXED)", 0);
    assert_eq!(std::fs::metadata(w.file("FIXED")).unwrap().len(), 80);
}

#[test]
fn one_data_set_is_copied_to_another() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    assert_eq!(
        w.messages("REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY)", 0),
        processed(5)
    );
    assert_eq!(w.records("A.COPY"), FIVE);
}

#[test]
fn a_dd_may_name_a_data_set() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    w.dd_text("FROM", "A.NAMES");
    w.dd_text("INTO", "a.copy");
    assert_eq!(w.messages("REPRO INFILE(FROM) OUTFILE(INTO)", 0), processed(5));
    assert_eq!(w.records("A.COPY"), FIVE);
}

/// Copies `range` of the five records; returns how the copies begin.
fn copied(range: &str) -> Vec<String> {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    w.messages(&format!("REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY) {range}"), 0);
    w.records("A.COPY")
        .iter()
        .map(|record| record[..4].to_owned())
        .collect()
}

/// As PRINT of the same: a warning that says why.
fn copies_nothing(range: &str, told: &str) {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    let messages = w.messages(&format!("REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY) {range}"), 4);
    assert_eq!(messages, [told, "IDC0005I NUMBER OF RECORDS PROCESSED WAS 0"]);
    assert!(w.records("A.COPY").is_empty());
}

#[test]
fn keys_bound_a_range() {
    assert_eq!(copied("FROMKEY(AA02) TOKEY(AC01)"), ["AA02", "AB01", "AC01"]);
    assert_eq!(copied("TOKEY(AA01)"), ["AA01"]);
    copies_nothing("TOKEY(A000)", "CICA1120W NO RECORD OF A.NAMES IS WITHIN THE RANGE");
}

#[test]
fn a_key_between_records_begins_with_the_next() {
    assert_eq!(copied("FROMKEY(AA03)"), ["AB01", "AC01", "BA01"]);
    assert_eq!(copied("FROMKEY(AA03) TOKEY(AB99)"), ["AB01"]);
}

#[test]
fn the_beginning_of_a_key_will_do() {
    assert_eq!(copied("FROMKEY(AB*) TOKEY(AC)"), ["AB01", "AC01"]);
    assert_eq!(copied("FROMKEY(B)"), ["BA01"]);
    assert_eq!(copied("FROMKEY(X'4142') COUNT(1)"), ["AB01"]);
}

#[test]
fn records_are_skipped_and_counted() {
    assert_eq!(copied("SKIP(3)"), ["AC01", "BA01"]);
    assert_eq!(copied("COUNT(2)"), ["AA01", "AA02"]);
    assert_eq!(copied("SKIP(1) COUNT(2)"), ["AA02", "AB01"]);
    assert_eq!(copied("SKIP(4) COUNT(9)"), ["BA01"]);
    copies_nothing("SKIP(5)", "IDC11462I REQUESTED RANGE BEYOND END OF DATA");
}

#[test]
fn a_sequential_input_is_skipped_and_counted_too() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", "", b"garbage\nAA01\nAA02\nAA03\n");
    assert_eq!(
        w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) SKIP(1) COUNT(2)", 0),
        processed(2)
    );
    assert_eq!(w.records("A.NAMES"), ["AA01", "AA02"]);
}

#[test]
fn key_literals_are_in_the_code_page_of_the_data_set() {
    let mut w = World::new();
    w.define("A.NAMES", Shape { ccsid: 1047, ..NAMES });
    // In EBCDIC letters come before digits.
    w.dd("CARDS", ",CODEPAGE=ASCII", b"abcd\nABCD\n1234\n");
    w.dd_new("OUT", ",CODEPAGE=ASCII");
    let cards = "REPRO INFILE(CARDS) OUTDATASET(A.NAMES)\nREPRO INDATASET(A.NAMES) OUTFILE(OUT) FROMKEY('ABCD')";
    w.messages(cards, 0);
    assert_eq!(std::fs::read(w.file("OUT")).unwrap(), b"ABCD\n1234\n");
}

#[test]
fn records_go_between_those_that_are_there() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01", "AA05"]);
    w.dd("CARDS", "", b"AA03\nAA02\nAA09\nAA04\n");
    assert_eq!(w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0), processed(4));
    assert_eq!(w.records("A.NAMES"), ["AA01", "AA02", "AA03", "AA04", "AA05", "AA09"]);
}

#[test]
fn replace_replaces_records_in_and_out_of_order() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01 old", "AA02 old", "AA03 old"]);
    w.dd("CARDS", "", b"AA03 newer\nAA01 n\nAA02 new\nAA04 new\n");
    assert_eq!(
        w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) REPLACE", 0),
        processed(4)
    );
    assert_eq!(w.records("A.NAMES"), ["AA01 n", "AA02 new", "AA03 newer", "AA04 new"]);
}

#[test]
fn reuse_empties_the_target() {
    let mut w = World::new();
    w.loaded("A.NAMES", Shape { reuse: true, ..NAMES }, FIVE);
    w.dd("CARDS", "", b"AA07 new\n");
    assert_eq!(
        w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) REUSE", 0),
        processed(1)
    );
    assert_eq!(w.records("A.NAMES"), ["AA07 new"]);
}

#[test]
fn an_empty_input_is_no_error() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.dd("CARDS", "", b"");
    assert_eq!(w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0), processed(0));
    assert_eq!(w.records("A.NAMES"), FIVE);
}

#[test]
fn a_dd_written_twice_in_a_run_is_begun_anew() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.dd("OUT", "", b"from an earlier run\n");
    let cards = "REPRO INDATASET(A.NAMES) OUTFILE(OUT) COUNT(1)\nREPRO INDATASET(A.NAMES) OUTFILE(OUT) SKIP(4)";
    w.messages(cards, 0);
    assert_eq!(std::fs::read_to_string(w.file("OUT")).unwrap(), "BA01 fifth\n");
}

#[test]
fn many_records_are_loaded_and_come_back() {
    let mut w = World::new();
    w.define(
        "A.MANY",
        Shape {
            key: (8, 1),
            record: (40, 40),
            ..NAMES
        },
    );
    let cards: String = (0..30_000).map(|i| format!("K{i:08}{:31}\n", "x")).collect();
    w.dd("CARDS", "", cards.as_bytes());
    w.dd_new("OUT", "");
    let copies = "REPRO INFILE(CARDS) OUTDATASET(A.MANY)\nREPRO INDATASET(A.MANY) OUTFILE(OUT)";
    assert_eq!(w.messages(copies, 0), [processed(30_000), processed(30_000)].concat());
    assert!(
        std::fs::read_to_string(w.file("OUT")).unwrap() == cards,
        "the copy differs"
    );
}

#[test]
fn progress_is_told() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    let seen = std::rc::Rc::new(std::cell::Cell::new(0));
    let told = seen.clone();
    w.services.progress = Box::new(move |records| told.set(records));
    w.messages("REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY)", 0);
    assert_eq!(seen.get(), 5);
}

#[test]
fn the_listing_of_a_copy() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, FIVE);
    w.define("A.COPY", NAMES);
    w.golden(
        "repro",
        "REPRO INDATASET(A.NAMES) -\n      OUTDATASET(A.COPY) -\n      FROMKEY(AA02) COUNT(3)",
        0,
    );
}
