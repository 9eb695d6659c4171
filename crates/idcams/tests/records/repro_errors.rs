//! REPRO where something is wrong: what it says, its code, and what it leaves.

use crate::world::{Shape, World, NAMES};

/// Runs REPRO of `lines` into a new data set.
fn load(lines: &str, options: &str, cc: u8) -> (Vec<String>, Vec<String>) {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", "", lines.as_bytes());
    let messages = w.messages(&format!("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) {options}"), cc);
    (messages, w.records("A.NAMES"))
}

#[test]
fn a_duplicate_is_left_out_with_code_4() {
    let (messages, records) = load("AA01 a\nAA01 b\nAA02\n", "", 4);
    assert_eq!(
        messages,
        [
            "IDC3308I ** DUPLICATE RECORD X'41413031' (AA01)",
            "IDC0005I NUMBER OF RECORDS PROCESSED WAS 2"
        ]
    );
    assert_eq!(records, ["AA01 a", "AA02"]);
}

#[test]
fn a_record_out_of_sequence_is_left_out_of_a_load() {
    let (messages, records) = load("AA01\nAA03\nAA02\nAA04\n", "", 4);
    assert_eq!(messages[0], "IDC3314I RECORD X'41413032' (AA02) OUT OF SEQUENCE");
    assert_eq!(records, ["AA01", "AA03", "AA04"]);
}

#[test]
fn the_fourth_error_ends_the_copy_with_12() {
    let (messages, records) = load("AA01\nAA01\nAA01\nAA00\nAA01\nAA05\n", "", 12);
    assert_eq!(
        messages[3..5],
        [
            "IDC3308I ** DUPLICATE RECORD X'41413031' (AA01)",
            "IDC31467I MAXIMUM ERROR LIMIT REACHED"
        ]
    );
    assert_eq!(messages[5], "IDC0005I NUMBER OF RECORDS PROCESSED WAS 1");
    assert_eq!(records, ["AA01"], "what was copied before stays");
}

#[test]
fn errorlimit_says_how_many_errors_are_borne() {
    let lines = "AA02\nAA01\nAA01\nAA01\nAA01\nAA01\nAA03\n";
    let (messages, records) = load(lines, "ERRORLIMIT(6)", 4);
    assert_eq!((messages.len(), records.len()), (6, 2));
    let (messages, records) = load(lines, "ERRORLIMIT(5)", 12);
    assert_eq!((messages.len(), records.len()), (7, 1));
    let (messages, _) = load(lines, "ERRORLIMIT(1)", 12);
    assert_eq!(messages.len(), 3);
    let (messages, _) = load(lines, "ERRORLIMIT(0)", 12);
    assert_eq!(messages.len(), 3, "no less than one error ends it");
}

#[test]
fn a_duplicate_of_what_is_there_is_left_out() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01 old", "AA05 old"]);
    w.dd("CARDS", "", b"AA05 new\nAA01 new\nAA03 new\n");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) NOREPLACE", 4);
    assert_eq!(
        messages[..2],
        [
            "IDC3308I ** DUPLICATE RECORD X'41413035' (AA05)",
            "IDC3308I ** DUPLICATE RECORD X'41413031' (AA01)"
        ]
    );
    assert_eq!(w.records("A.NAMES"), ["AA01 old", "AA03 new", "AA05 old"]);
}

#[test]
fn keys_that_are_no_text_are_shown_in_hexadecimal() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", ",RECFM=F,LRECL=4", b"\0\0\0\x01\0\0\0\x01");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 4);
    assert_eq!(messages[0], "IDC3308I ** DUPLICATE RECORD X'00000001'");
}

#[test]
fn records_of_an_improper_length_are_told_with_their_number() {
    let long = "Z".repeat(81);
    let (messages, records) = load(&format!("AA01\n{long}\nAA\nAA02\n"), "", 8);
    for (i, words) in [
        (0, "RECORD 2 OF THE INPUT: the record has 81 bytes"),
        (2, "RECORD 3 OF THE INPUT: the record has 2 bytes"),
    ] {
        assert_eq!(messages[i], "IDC3302I ACTION ERROR ON A.NAMES");
        let code = "IDC3351I ** VSAM I/O RETURN CODE IS 108 - RPLFDBWD=X'0008006C'";
        assert_eq!(
            messages[i + 1],
            format!("{code}: {words}, this data set takes 4 to 80 [8/108]")
        );
    }
    assert_eq!(records, ["AA01", "AA02"]);
}

#[test]
fn a_record_too_long_for_the_output_file_is_left_out() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01", "AA02 longer", "AA03"]);
    w.dd_new("OUT", ",RECFM=F,LRECL=4");
    let messages = w.messages("REPRO INDATASET(A.NAMES) OUTFILE(OUT)", 8);
    assert!(
        messages[0].starts_with("CICA0931E RECORD 2 OF THE INPUT (11 BYTES) IS NOT VALID: "),
        "{}",
        messages[0]
    );
    assert_eq!(std::fs::read(w.file("OUT")).unwrap(), b"AA01AA03");
}

#[test]
fn a_truncated_fixed_file_keeps_the_records_before() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", ",RECFM=FB,LRECL=6", b"AA01 1AA02 2AA0");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 12);
    assert!(
        messages[0].starts_with("CICA0941E FILE DIR/CARDS: record 3, byte 12: "),
        "{}",
        messages[0]
    );
    assert_eq!(messages[1], "IDC0005I NUMBER OF RECORDS PROCESSED WAS 2");
    assert_eq!(w.records("A.NAMES"), ["AA01 1", "AA02 2"]);
}

#[test]
fn a_wrong_record_descriptor_ends_the_copy() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", ",RECFM=V,BDW=NO", b"\0\x08\0\0AA01\0\x02\0\0AA02");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 12);
    assert!(
        messages[0].starts_with("CICA0941E FILE DIR/CARDS: record 2, byte 8: "),
        "{}",
        messages[0]
    );
    assert_eq!(w.records("A.NAMES"), ["AA01"]);
}

#[test]
fn a_fixed_file_needs_its_record_length() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", ",RECFM=FB", b"AA01");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 12);
    assert!(messages[0].contains("LRECL"), "{}", messages[0]);
}

#[test]
fn what_is_not_there_is_told() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd_new("CARDS", "");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 12);
    assert_eq!(messages[0], "IDC3300I ERROR OPENING DIR/CARDS");
    assert!(
        messages[1].starts_with("IDC3351I ** VSAM OPEN RETURN CODE IS 128: No such file"),
        "{}",
        messages[1]
    );
    let messages = w.messages("REPRO INFILE(NODD) OUTDATASET(A.NAMES)", 12);
    assert!(
        messages[1].contains("128: THERE IS NO DD STATEMENT NODD; GIVE --dd NODD=FILE"),
        "{}",
        messages[1]
    );
    let messages = w.messages("REPRO INDATASET(A.NOBODY) OUTDATASET(A.NAMES)", 12);
    assert_eq!(messages[0], "IDC3012I ENTRY A.NOBODY NOT FOUND");
    let messages = w.messages("REPRO INDATASET(A.NAMES.DATA) OUTDATASET(A.NAMES)", 12);
    assert!(
        messages[1].contains("DATA COMPONENT OF A.NAMES; NAME THE CLUSTER"),
        "{}",
        messages[1]
    );
}

#[test]
fn a_data_set_that_was_never_loaded_cannot_be_read() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.define("A.COPY", NAMES);
    let messages = w.messages("REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY)", 12);
    assert_eq!(messages[0], "IDC3300I ERROR OPENING A.NAMES");
    assert!(
        messages[1].starts_with("IDC3351I ** VSAM OPEN RETURN CODE IS 160: "),
        "{}",
        messages[1]
    );
}

#[test]
fn nothing_is_copied_onto_itself() {
    let mut w = World::new();
    w.loaded("A.NAMES", Shape { reuse: true, ..NAMES }, &["AA01"]);
    let messages = w.messages("REPRO INDATASET(A.NAMES) OUTDATASET(A.NAMES) REUSE", 12);
    assert_eq!(messages, ["CICA0946E INPUT AND OUTPUT ARE BOTH A.NAMES"]);
    assert_eq!(w.records("A.NAMES"), ["AA01"]);
    w.dd("CARDS", "", b"AA01\n");
    let messages = w.messages("REPRO INFILE(CARDS) OUTFILE(CARDS)", 12);
    assert_eq!(messages, ["CICA0946E INPUT AND OUTPUT ARE BOTH DIR/CARDS"]);
    assert_eq!(std::fs::read(w.file("CARDS")).unwrap(), b"AA01\n");
}

#[test]
fn a_file_under_another_name_is_the_same_file() {
    let mut w = World::new();
    w.dd("CARDS", "", b"AA01\n");
    std::os::unix::fs::symlink(w.file("CARDS"), w.file("SYMBOLIC")).unwrap();
    std::fs::hard_link(w.file("CARDS"), w.file("HARD")).unwrap();
    for link in ["SYMBOLIC", "HARD", "CARDS"] {
        w.dd_new(link, "");
        for command in ["REPRO", "PRINT"] {
            let messages = w.messages(&format!("{command} INFILE(CARDS) OUTFILE({link})"), 12);
            assert_eq!(
                messages,
                ["CICA0946E INPUT AND OUTPUT ARE BOTH DIR/CARDS"],
                "{command} {link}"
            );
            assert_eq!(std::fs::read(w.file("CARDS")).unwrap(), b"AA01\n", "{command} {link}");
        }
    }
}

#[test]
fn reuse_of_a_data_set_defined_noreuse_leaves_it_alone() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    w.dd("CARDS", "", b"AA02\n");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) REUSE", 12);
    assert!(messages[1].contains("NOREUSE"), "{}", messages[1]);
    assert_eq!(w.records("A.NAMES"), ["AA01"]);
}

#[test]
fn an_inhibited_data_set_is_not_written() {
    let mut w = World::new();
    w.define("A.NAMES", Shape { inhibit: true, ..NAMES });
    w.dd("CARDS", "", b"AA02\n");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 12);
    assert!(messages[1].contains("ALTER UNINHIBIT"), "{}", messages[1]);
}

#[test]
fn a_range_without_a_beginning_touches_nothing() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    w.loaded("A.COPY", Shape { reuse: true, ..NAMES }, &["ZZ01"]);
    let messages = w.messages("REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY) FROMKEY(B) REUSE", 4);
    assert_eq!(
        messages,
        [
            "IDC3309I ** RECORD B NOT FOUND",
            "IDC0005I NUMBER OF RECORDS PROCESSED WAS 0"
        ]
    );
    assert_eq!(w.records("A.COPY"), ["ZZ01"]);
}

#[test]
fn keys_that_cannot_be_are_refused_where_they_stand() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    w.define("A.COPY", NAMES);
    w.golden(
        "repro_key_too_long",
        "REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY) -\n   FROMKEY(AA012)",
        12,
    );
    w.dd("CARDS", "", b"AA02\n");
    w.golden(
        "repro_key_of_a_file",
        "REPRO INFILE(CARDS) OUTDATASET(A.COPY) TOKEY(AA01)",
        12,
    );
    assert!(w.records("A.COPY").is_empty());
}

#[test]
fn addresses_and_numbers_are_refused() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    w.define("A.COPY", NAMES);
    w.dd("CARDS", "", b"AA02\n");
    let copy = |input: &str, range: &str| format!("REPRO {input} OUTDATASET(A.COPY) {range}");
    for (input, range, id) in [
        ("INDATASET(A.NAMES)", "FROMADDRESS(1)", "IDC3302I"),
        ("INDATASET(A.NAMES)", "FROMNUMBER(1)", "IDC3226I"),
        ("INFILE(CARDS)", "TOADDRESS(0)", "IDC3226I"),
    ] {
        let messages = w.messages(&copy(input, range), 12);
        assert!(messages[0].starts_with(id), "{input} {range}: {}", messages[0]);
    }
    assert!(w.records("A.COPY").is_empty());
}

#[test]
fn the_listing_of_a_copy_that_gives_up() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    w.dd("CARDS", "", b"AA05\nAA05\nAA04\nAA05\n");
    let cards = "REPRO INFILE(CARDS) OUTDATASET(A.NAMES) ERRORLIMIT(3)\nIF LASTCC = 12 THEN SET MAXCC = 0";
    w.golden("repro_gives_up", cards, 0);
}

#[test]
fn files_of_another_data_set_are_not_emptied() {
    let mut w = World::new();
    w.loaded("A.NAMES", Shape { reuse: true, ..NAMES }, &["AA01 of A"]);
    w.loaded("A.OTHER", Shape { reuse: true, ..NAMES }, &["BB01 of B"]);
    let (a, b) = (w.paths("A.NAMES"), w.paths("A.OTHER"));
    for (from, to) in [(&a.0, &b.0), (&a.1, &b.1)] {
        use cica_disk::Disk;
        let aside = from.with_extension("ASIDE");
        w.disk.rename(from, &aside).unwrap();
        w.disk.rename(to, from).unwrap();
        w.disk.rename(&aside, to).unwrap();
    }
    w.dd("CARDS", "", b"AA02\n");
    let messages = w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES) REUSE", 12);
    assert!(messages[1].contains("are those of A.OTHER"), "{}", messages[1]);
    assert_eq!(
        w.records("A.NAMES"),
        ["BB01 of B"],
        "the engine reads what lies there, and it is whole"
    );
}
