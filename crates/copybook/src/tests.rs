//! Copybooks that are right, wrong, and no copybooks at all.

#![allow(clippy::unwrap_used)]

use super::{parse, ByteKind};

/// T, S and B for each byte.
fn bytes(text: &str) -> String {
    let layout = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let letter = |kind| match kind {
        ByteKind::Text => 'T',
        ByteKind::Sign => 'S',
        ByteKind::Bytes => 'B',
    };
    let runs = layout.runs.iter();
    runs.flat_map(|run| (run.from..run.to).map(move |_| letter(run.kind)))
        .collect()
}

fn error(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn each_byte_has_its_kind() {
    let cases = [
        ("05 A PIC X(3). 05 B PIC S9(3). 05 C PIC 9(2).", "TTTTTSTT"),
        (
            "05 A PIC S9(3) SIGN LEADING. 05 B PIC S9(2) SIGN IS TRAILING SEPARATE CHARACTER.",
            "STTTTT",
        ),
        ("05 A PIC S9(3) LEADING SEPARATE.", "TTTT"),
        ("05 A PIC S9(5)V99 COMP-3. 05 B PIC 9(4) PACKED-DECIMAL.", "BBBBBBB"),
        (
            "05 A PIC S9(4) COMP. 05 B PIC 9(9) BINARY. 05 C PIC S9(10) COMP-5.",
            "BBBBBBBBBBBBBB",
        ),
        (
            "05 A PIC 9 COMP. 05 B PIC 9(5) COMP-X. 05 C PIC X(2) COMP-X. 05 D PIC 9(3) COMP-6.",
            "BBBBBBBBB",
        ),
        (
            "05 A COMP-1. 05 B COMPUTATIONAL-2. 05 C USAGE POINTER. 05 D BINARY-LONG UNSIGNED.",
            "BBBBBBBBBBBBBBBBBBBBBBBB",
        ),
        (
            "05 A PIC Z,ZZ9.99-. 05 B PIC A(2)BA. 05 C PIC $$,$$9.99CR.",
            "TTTTTTTTTTTTTTTTTTTTTTTT",
        ),
        (
            "05 A PIC 9(3) BLANK WHEN ZERO. 05 B PIC X JUSTIFIED RIGHT. 05 C PIC SV99. 05 D PIC SPP9.",
            "TTTTTSS",
        ),
        (
            "01 R. 05 G OCCURS 2. 10 A PIC X. 10 B PIC 9(2) COMP OCCURS 2 TIMES. 05 Z PIC X.",
            "TBBBBTBBBBT",
        ),
        (
            "01 R. 05 G COMP-3. 10 A PIC 9(3). 10 B PIC S9. 05 H SIGN LEADING. 10 C PIC S99.",
            "BBBST",
        ),
        (
            "01 A PIC X(4). 01 B. 05 C PIC X(6). 66 R RENAMES C. 88 Y VALUE 'a' THRU 'z', 'x'.",
            "TTTTTT",
        ),
        (
            "05 A PIC X(4). 05 B REDEFINES A PIC 9(2). 05 C REDEFINES A. 10 FILLER PIC X. 10 PIC X(2). 05 D COMP-1.",
            "TTTTBBBB",
        ),
        (
            "05 N PIC 9. 05 T PIC S9 OCCURS 0 TO 3 TIMES DEPENDING ON N OF R ASCENDING KEY IS T INDEXED BY I, J.",
            "TSSS",
        ),
        (
            "05 A PIC X(2) VALUE IS \"it's. \". 05 B PIC 9(2) VALUE ZERO COMP.",
            "TTBB",
        ),
    ];
    for (text, kinds) in cases {
        assert_eq!(bytes(text), kinds, "{text}");
    }
}

#[test]
fn what_redefines_may_be_redefined() {
    let cases = [
        (
            "05 P PIC X(3). 05 A PIC X(4). 05 B REDEFINES A PIC X(4). 05 C REDEFINES B. 10 D PIC X(2). 10 E PIC X(2). \
             05 F COMP-1.",
            "TTTTTTTBBBB",
        ),
        (
            "05 P COMP-1. 05 A COMP-2. 05 B REDEFINES A COMP-2. 05 C REDEFINES B COMP-2. 05 F PIC X.",
            "BBBBBBBBBBBBT",
        ),
        (
            "01 R. 05 G OCCURS 2. 10 P PIC X. 10 A COMP-1. 10 B REDEFINES A COMP-1. 10 C REDEFINES B COMP-1.",
            "TBBBBTBBBB",
        ),
    ];
    for (text, kinds) in cases {
        assert_eq!(bytes(text), kinds, "{text}");
    }
    let message = error("05 P PIC X. 05 A PIC X(2). 05 B REDEFINES A PIC X(2). 05 C REDEFINES B PIC 9(4) COMP.");
    assert!(
        message.contains("C: byte 2 of the record is binary here, and text in B"),
        "{message}"
    );
}

#[test]
fn synchronized_is_what_binary_numbers_of_a_group_are() {
    let cases = [
        ("05 A PIC S9(4) COMP SYNC. 05 B PIC S9(4) COMP SYNC.", "BBBB"),
        // Packed numbers and text stand anywhere.
        (
            "05 A PIC X. 05 B PIC S9(3) COMP-3 SYNC. 05 C PIC S9(7) COMP-3 SYNC. 05 D PIC 9(4) COMP-6 SYNC. \
             05 E PIC X(2) SYNC RIGHT.",
            "TBBBBBBBBTT",
        ),
        (
            "01 R SYNCHRONIZED. 05 A PIC X(2). 05 B PIC S9(4) COMP. 05 C PIC S9(7) COMP-3. 05 D COMP-2.",
            "TTBBBBBBBBBBBBBB",
        ),
        ("01 R. 05 A PIC X. 05 B PIC S9(4) COMP.", "TBB"),
    ];
    for (text, kinds) in cases {
        assert_eq!(bytes(text), kinds, "{text}");
    }
    let wrong = [
        "05 A PIC X. 05 B PIC S9(4) COMP SYNC.",
        "01 R SYNC. 05 A PIC X. 05 B PIC S9(4) COMP.",
        "01 R SYNC. 05 G. 10 A PIC X(2). 10 B COMP-1.",
        "01 R SYNC. 05 A PIC X(4). 05 B COMP-2.",
        "01 R SYNC. 05 A PIC X(4). 05 B POINTER.",
        "01 R SYNC. 05 A PIC X(2). 05 B INDEX.",
        "01 R SYNC. 05 G OCCURS 2. 10 B PIC S9(4) COMP. 10 C PIC X.",
    ];
    for text in wrong {
        let message = error(text);
        assert!(
            message.contains("B: SYNCHRONIZED needs slack bytes"),
            "{text}: {message}"
        );
    }
}

#[test]
fn a_source_may_have_columns() {
    let fixed = "\
000100* A CUSTOMER                                                      CUST0001
000200 01  CUSTOMER.                                                    CUST0002
000300     05  C-NUMBER     PIC 9(2).                                   CUST0003
      /
000400     05  C-NAME       PIC X(2) VALUE 'A LONG LITERAL THAT GOES ONCUST0004
000500-              'TO THE NEXT LINE.'. 05 C-TEXT PIC
      D    05  NOT-THERE    PIC X(99).
000600                      X(1).
000700     05  C-BAL
000800-    ANCE         PIC S9(3) COMP-3.";
    assert_eq!(bytes(fixed), "TTTTTBB");
    assert_eq!(
        bytes("01 R.\n  05 A PIC X. *> a comment. with periods\n  05 B COMP-1.\n"),
        "TBBBB"
    );
    // A word that begins in column 7 is no indicator.
    assert_eq!(
        bytes("      05 A PIC X(80) VALUE 'something that goes far beyond the column 72'. 05 B COMP-1."),
        { "T".repeat(80) + "BBBB" }
    );
}

#[test]
fn what_has_no_one_layout_is_told_with_line_and_name() {
    let cases = [
        (
            "01 R.\n 05 A PIC X(4).\n 05 B REDEFINES A PIC S9(7) COMP-3.",
            "LINE 3: B: byte 1 of the record is binary here, and text in A of line 2",
        ),
        (
            "01 R.\n 05 A PIC 9(4).\n 05 B REDEFINES A PIC S9(4).",
            "LINE 3: B: byte 4 of the record is a digit with a sign here, and text in A",
        ),
        (
            "01 R PIC X(4).\n01 S.\n 05 C PIC X(2).\n 05 D PIC 9(4) COMP.",
            "LINE 4: D: byte 3 of the record is binary here, and text in R of line 1",
        ),
        (
            "01 R.\n 05 N PIC 9.\n 05 T PIC X OCCURS 1 TO 9 DEPENDING ON N.\n 05 Z PIC X.",
            "LINE 3: T: something follows a table",
        ),
        (
            "01 R.\n 05 G OCCURS 2.\n  10 N PIC 9.\n  10 T PIC X OCCURS 1 TO 9 DEPENDING ON N.",
            "LINE 4: T: something follows a table",
        ),
        (
            "05 A PIC X(2).\n05 B REDEFINES A PIC X(3).",
            "LINE 2: B: it has 3 bytes, and A, which it redefines, 2",
        ),
        (
            "05 A PIC X(2).\n05 B REDEFINES C PIC X(2).",
            "LINE 2: B: C, which it redefines, is not before it",
        ),
        ("05 A PIC N(2).", "LINE 1: A: PICTURE N(2): N is neither text"),
        (
            "05 A PIC X(2) USAGE NATIONAL.",
            "LINE 1: A: USAGE NATIONAL is neither text",
        ),
        (
            "05 A PIC X(2) ANYTHING.",
            "LINE 1: A: 'ANYTHING' is no clause known here",
        ),
        (
            "05 A PIC X(2).\n05 B.",
            "LINE 2: B: it has neither a PICTURE nor entries below it",
        ),
        (
            "05 A PIC X(2).\n10 B PIC X.",
            "LINE 1: A: it has a PICTURE, and entries below it",
        ),
        ("05 A PIC X(.", "LINE 1: A: PICTURE X( has no closing parenthesis"),
        ("05 A PIC X(0).", "'0' is no count"),
        ("05 A PIC Q9.", "'Q' is no symbol known here"),
        ("05 A PIC X COMP.", "its USAGE is for numbers"),
        ("05 A PIC 9(19) COMP.", "at most 18 digits"),
        ("05 A PIC 9 COMP-1.", "takes no PICTURE"),
        ("05 A PIC X(2)", "LINE 1: the entry has no period at its end"),
        ("COPY OTHER.", "LINE 1: 'COPY' is no level number"),
        (
            "10 A PIC X. 05 B PIC X.",
            "B: its level is below that of the first entry, 10",
        ),
        ("05 A OCCURS X TIMES PIC X.", "A: OCCURS 'X' is no number"),
        (
            "05 A PIC S9 SIGN SEPARATE.",
            "A: SIGN is followed by neither LEADING nor TRAILING",
        ),
        (
            "05 A PIC X VALUE 'x.\n05 B PIC X.",
            "LINE 1: a literal has no closing quote",
        ),
        (
            "05 A OCCURS 99999. 10 B OCCURS 99999. 15 C OCCURS 99999 PIC X(99999).",
            "more than 16777215 bytes",
        ),
        ("\n* nothing\n", "LINE 2: the entry has no period at its end"),
        ("", "it has no data description entry"),
    ];
    for (text, wanted) in cases {
        let message = error(text);
        assert!(message.contains(wanted), "{text}\n{message}");
    }
}

#[test]
fn no_text_at_all_makes_it_panic() {
    let whole = "01 R.\n 05 A PIC S9(3)V9(2) COMP-3 OCCURS 0 TO 3 DEPENDING ON B VALUE 'x''y' \"z\".\n      *> x\n 88 C VALUE 1.";
    for from in 0..whole.len() {
        for to in from..whole.len() {
            let _ = parse(&whole[from..to]);
        }
    }
    for word in [
        "PIC",
        "USAGE",
        "OCCURS",
        "REDEFINES",
        "SIGN",
        "BLANK",
        "\u{e9}",
        "05 \u{e9} PIC X(\u{e9})",
        "\u{3000}",
        "''",
        "-",
    ] {
        let _ = parse(&format!("05 A {word}."));
        let _ = parse(&format!("      -    {word}"));
        let _ = parse(&format!("      -'{word}"));
    }
}
