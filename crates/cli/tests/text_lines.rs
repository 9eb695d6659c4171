//! Lines of text that go into data sets and come out of them: the same characters by each command.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;

const LINES: &str = "0001 M\u{FC}LLER\n0002 Stra\u{DF}e [1]\n";

fn imported(args: &[&str]) -> Place {
    let place = Place::new();
    place.write("lines", LINES.as_bytes());
    place
        .run(&[&["import", "lines", "A.TEXT", "--keys", "4,0", "-q"], args].concat())
        .done();
    place
}

#[test]
fn lines_go_through_a_data_set_in_ebcdic_and_come_back() {
    for args in [
        &["--ccsid", "1047"][..],
        &["--ccsid", "273", "--sort"],
        &["--ccsid", "1140"],
        &[],
    ] {
        let place = imported(args);
        assert_eq!(place.run(&["cat", "A.TEXT"]).done(), LINES, "{args:?}");
        assert_eq!(place.run(&["export", "A.TEXT", "-"]).done(), LINES, "{args:?}");
        let bytes = place.run(&["cat", "A.TEXT", "--hex"]).done();
        place.run(&["export", "A.TEXT", "out", "-q"]).done();
        assert_eq!(place.read("out"), LINES.as_bytes());
        place.run(&["import", "out", "A.TEXT", "--replace", "-q"]).done();
        assert_eq!(place.run(&["cat", "A.TEXT", "--hex"]).done(), bytes, "{args:?}");
        // As put has them.
        place
            .run_with(&["put", "A.TEXT", "--replace", "-q"], LINES.as_bytes())
            .done();
        assert_eq!(place.run(&["cat", "A.TEXT", "--hex"]).done(), bytes, "{args:?}");
    }
    // The length of the longest is that of its characters.
    let shown = imported(&["--ccsid", "1047"]).run(&["show", "A.TEXT", "--json"]).json();
    assert_eq!(shown["data"]["attributes"]["maxlrecl"], 15, "{shown}");
}

#[test]
fn each_byte_of_a_data_set_comes_back_as_a_line_or_is_refused() {
    let place = imported(&["--ccsid", "1047", "--recordsize", "20,80"]);
    let mut lines = String::new();
    for byte in 0..=255 {
        if ![0x15, 0x25].contains(&byte) {
            lines += &format!("F1{byte:02X}F2F3F4F5{byte:02X}F6\n");
        }
    }
    place
        .run_with(&["put", "A.TEXT", "--hex", "-q"], lines.as_bytes())
        .done();
    let all = place.run(&["cat", "A.TEXT", "--hex"]).done();
    place.run(&["export", "A.TEXT", "out", "-q"]).done();
    let text = String::from_utf8(place.read("out")).unwrap();
    assert_eq!(text.lines().count(), 256);
    place
        .run(&["import", "out", "A.AGAIN", "--keys", "4,0", "--ccsid", "1047", "-q"])
        .done();
    assert_eq!(place.run(&["cat", "A.AGAIN", "--hex"]).done(), all);
    place
        .run_with(&["put", "A.TEXT", "--hex", "-q"], b"F9F9F9F925F9")
        .done();
    place
        .run(&["export", "A.TEXT", "out"])
        .failed(8, &["CICA0931E", "ends a line of text"]);
}

#[test]
fn what_is_no_utf8_is_refused_unless_its_page_is_said() {
    let place = Place::new();
    place.write("latin", b"0001 A\n0002 M\xDCLLER\n");
    let import = |file: &str, name: &str| {
        let args = ["import", file, name, "--keys", "4,0", "--ccsid", "1047", "-q"];
        place.run(&args)
    };
    import("latin", "A.LATIN").failed(12, &["record 2: byte 7 is not UTF-8", "CODEPAGE="]);
    place.run(&["show", "A.LATIN"]).failed(8, &["IDC3012I"]);
    import("latin,CODEPAGE=ISO8859-1", "A.LATIN").done();
    assert_eq!(place.run(&["cat", "A.LATIN"]).done(), "0001 A\n0002 M\u{DC}LLER\n");
    import("latin", "A.LATIN").failed(12, &["record 2: byte 7 is not UTF-8"]);
    place.run(&["export", "A.LATIN", "out,CODEPAGE=ISO8859-1", "-q"]).done();
    assert_eq!(place.read("out"), place.read("latin"));
    place.write("far", "0001 \u{4E2D}\n".as_bytes());
    import("far", "A.FAR").failed(12, &["record 1", "has no character '\u{4E2D}'"]);
}

#[test]
fn a_page_that_nothing_is_translated_into_is_refused() {
    let place = Place::new();
    place.write("lines", LINES.as_bytes());
    for ccsid in ["850", "99", "1208", "1252"] {
        place
            .run(&["import", "lines", "A.TEXT", "--keys", "4,0", "--ccsid", ccsid])
            .failed(64, &["nothing is translated", "1047"]);
    }
    // Records that are no text keep their bytes, whatever page these are in.
    let args = ["import", "lines,RECFM=F,LRECL=10", "A.BYTES", "--organization", "esds"];
    place.write("lines", b"0123456789");
    place.run(&[&args[..], &["--ccsid", "850", "-q"]].concat()).done();
}

#[test]
fn options_that_contradict_the_data_set_are_refused() {
    let all = [
        "--cisz",
        "1000",
        "--freespace",
        "10,20",
        "--volume",
        "CICA01",
        "--organization",
        "ksds",
    ];
    let place = imported(&all);
    let again = |args: &[&str]| place.run(&[&["import", "lines", "A.TEXT", "--replace", "-q"], args].concat());
    again(&all).done();
    again(&[]).done();
    for (option, value) in [
        ("--cisz", "4096"),
        ("--freespace", "10,10"),
        ("--volume", "OTHER1"),
        ("--organization", "esds"),
        ("--ccsid", "1047"),
        ("--keys", "5,0"),
    ] {
        again(&[option, value]).failed(64, &[option, "A.TEXT is there and has", "leave"]);
    }
    for flag in ["--reuse", "--spanned"] {
        again(&[flag]).failed(64, &[flag, "defined without it"]);
    }
}

/// What has no effect, as DEFINE says, contradicts nothing.
#[test]
fn the_same_import_may_be_made_again() {
    let place = Place::new();
    place.write("lines", b"0123456789\n");
    for organization in ["esds", "rrds"] {
        let name = format!("A.{}", organization.to_uppercase());
        let args = [
            "import",
            "lines",
            &name,
            "--organization",
            organization,
            "--freespace",
            "10,10",
        ];
        for _ in 0..2 {
            place
                .run(&[&args[..], &["--recordsize", "10,10", "-q"]].concat())
                .done();
        }
    }
}

/// Who keeps nothing but the file must hear what is not in the data set.
#[test]
fn an_import_ends_with_8_where_a_unique_alternate_index_keeps_a_record_out() {
    let place = Place::new();
    place.write("first", b"0001AAAA\n0002BBBB\n");
    place
        .run(&["import", "first", "A.B", "--keys", "4,0", "--recordsize", "8,8", "-q"])
        .done();
    let cards = "  DEFINE AIX(NAME(A.X) RELATE(A.B) KEYS(4 4) UNIQUEKEY UPGRADE TRACKS(1 1))\n  \
                 BLDINDEX INDATASET(A.B) OUTDATASET(A.X)\n";
    place.write("cards", cards.as_bytes());
    place.run(&["idcams", "cards"]).done();
    place.write("again", b"0001AAAA\n");
    assert_eq!(place.run(&["import", "again", "A.B", "-q"]).status, 4);
    place.write("other", b"0003AAAA\n");
    place
        .run(&["import", "other", "A.B", "-q"])
        .failed(8, &["(0003): ANOTHER HAS ITS ALTERNATE KEY"]);
}
