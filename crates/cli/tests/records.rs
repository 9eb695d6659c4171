//! Records in and out: put, get, cat, import, export, and what they refuse.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;

const NAMES: &str = "AA01 first\nAA02 second\nAB01 third\nAC01 fourth\n";

#[test]
fn what_is_imported_comes_out_again() {
    let p = Place::new();
    p.names(NAMES);
    assert_eq!(p.run(&["cat", "A.NAMES"]).done(), NAMES);
    assert_eq!(p.run(&["get", "a.names", "AA02"]).done(), "AA02 second\n");
    p.run(&["export", "A.NAMES", "copy.txt", "-q"]).done();
    assert_eq!(p.read("copy.txt"), NAMES.as_bytes());
    assert_eq!(p.run(&["export", "A.NAMES", "-"]).done(), NAMES);
}

#[test]
fn import_tells_what_it_did() {
    let p = Place::new();
    p.write("names.txt", NAMES.as_bytes());
    let told = p.run(&["import", "names.txt", "A.NAMES", "--keys", "4,0"]).done();
    assert!(told.contains("IDC0005I NUMBER OF RECORDS PROCESSED WAS 4"), "{told}");
    let shown = p.run(&["show", "A.NAMES", "--json"]).json();
    let attributes = &shown["data"]["attributes"];
    let lengths = [
        &attributes["avglrecl"],
        &attributes["maxlrecl"],
        &attributes["keylen"],
        &attributes["rkp"],
    ];
    assert_eq!(lengths, [11, 11, 4, 0], "as the file has them");
}

#[test]
fn fixed_ebcdic_records_go_through_unharmed() {
    let p = Place::new();
    // "A1AB" and "A2CD" in EBCDIC.
    let cards = b"\xC1\xF1\xC1\xC2\xC1\xF2\xC3\xC4";
    p.write("cards.bin", cards);
    let file = "cards.bin,RECFM=FB,LRECL=4";
    p.run(&["import", file, "A.CARDS", "--keys", "2,0", "--ccsid", "1047", "-q"])
        .done();
    assert_eq!(p.run(&["cat", "A.CARDS"]).done(), "A1AB\nA2CD\n");
    assert_eq!(p.run(&["get", "A.CARDS", "A2", "--raw"]).out, &cards[4..]);
    assert_eq!(p.run(&["cat", "A.CARDS", "--hex"]).done(), "C1F1C1C2\nC1F2C3C4\n");
    p.run(&["export", "A.CARDS", "out.bin,RECFM=FB,LRECL=4", "-q"]).done();
    assert_eq!(p.read("out.bin"), cards);
    p.run_with(&["put", "A.CARDS", "-q"], b"A3EF\n").done();
    assert_eq!(p.run(&["get", "A.CARDS", "X'C1F3'"]).done(), "A3EF\n");
}

#[test]
fn records_are_put_as_lines_digits_or_in_a_format() {
    let p = Place::new();
    p.names(NAMES);
    p.run_with(&["put", "A.NAMES", "-q"], b"ZZ02\nZZ01\n").done();
    p.run_with(&["put", "A.NAMES", "-q", "--hex"], b"5A5A3033 FF\n").done();
    p.run_with(&["put", "A.NAMES", "-q", "--format", "RECFM=F,LRECL=5"], b"ZZ04xZZ05y")
        .done();
    let listed = p.run(&["cat", "A.NAMES", "--from", "ZZ", "--hex"]);
    assert_eq!(listed.status, 8, "--hex also says how keys are written");
    let listed = p.run(&["cat", "A.NAMES", "--from", "X'5A5A'", "--hex"]).done();
    assert_eq!(listed, "5A5A3031\n5A5A3032\n5A5A3033FF\n5A5A303478\n5A5A303579\n");
}

#[test]
fn replace_is_asked_for() {
    let p = Place::new();
    p.names(NAMES);
    p.run_with(&["put", "A.NAMES"], b"AA00 new\nAA01 newer\n")
        .failed(8, &["IDC3308I", "A.NAMES, record 2", "'AA01'"]);
    assert_eq!(p.run(&["cat", "A.NAMES", "-n", "2"]).done(), "AA00 new\nAA01 first\n");
    p.run_with(&["put", "A.NAMES", "--replace", "-q"], b"AA01 newer\n")
        .done();
    assert_eq!(p.run(&["get", "A.NAMES", "AA01"]).done(), "AA01 newer\n");
    // Not through an alternate index, where the key is another one.
    p.cards(
        "DEF AIX (NAME(A.WORDS) RELATE(A.NAMES) KEYS(3 5) RECSZ(40 4000) TRK(1))
         DEFINE PATH (NAME(A.PATH) PATHENTRY(A.WORDS))
         BLDINDEX INDATASET(A.NAMES) OUTDATASET(A.WORDS)",
        &[],
    )
    .done();
    p.run_with(&["put", "A.PATH", "--replace", "-q"], b"AA01 last\n")
        .failed(8, &["CICA0949E", "A.WORDS", "A.NAMES"]);
    assert_eq!(p.run(&["get", "A.NAMES", "AA01"]).done(), "AA01 newer\n");
}

#[test]
fn an_empty_data_set_takes_records_in_any_order() {
    let p = Place::new();
    p.cards(
        "DEFINE CLUSTER (NAME(A.NEW) KEYS(4 0) RECORDSIZE(20 80) TRACKS(5 5))",
        &[],
    )
    .done();
    p.run(&["cat", "A.NEW"])
        .failed(12, &["IDC3300I", "A.NEW", "never loaded"]);
    p.run_with(&["put", "A.NEW", "-q"], b"B001\nC001\nA001\n").done();
    assert_eq!(p.run(&["cat", "A.NEW"]).done(), "A001\nB001\nC001\n");
}

#[test]
fn keys_are_acknowledged_when_they_are_durable() {
    let p = Place::new();
    p.names(NAMES);
    for durability in ["request", "commit", "close"] {
        let key = &durability[..3];
        let lines = format!("{key}1 a\n{key}2 b\n");
        let acks = p
            .run_with(
                &["put", "A.NAMES", "--ack", "--durability", durability],
                lines.as_bytes(),
            )
            .done();
        assert_eq!(acks, format!("{key}1\n{key}2\n"));
    }
    // What came before an error is acknowledged too.
    let cut = p.run_with(&["put", "A.NAMES", "--ack"], b"QQ01\nAA01\nQQ02\n");
    assert_eq!((cut.status, cut.text().as_str()), (8, "QQ01\n"));
}

/// What is acknowledged can be asked for, whatever the bytes of a key are.
#[test]
fn an_acknowledged_key_is_one_that_get_takes() {
    let p = Place::new();
    p.run_with(
        &["import", "-", "A.NAMES", "--keys", "4,0", "--recordsize", "10,20", "-q"],
        b"0001 x\n",
    )
    .done();
    for record in [&b"\xC3\xBC34 y\n"[..], b"\xE9123 z\n", b"    w\n"] {
        let acks = p.run_with(&["put", "A.NAMES", "--ack"], record).done();
        let got = p.run(&["get", "A.NAMES", acks.trim_end_matches('\n')]);
        assert_eq!((got.status, &got.out[..]), (0, record), "{acks}");
    }
}

/// The later of two records with one key counts, also where there was none yet.
#[test]
fn an_import_that_replaces_keeps_the_last() {
    let p = Place::new();
    p.write("twice.txt", b"0001 old\n0001 new\n0002 x\n0002 y\n0001 newest\n");
    let import = ["import", "twice.txt", "A.NAMES", "--keys", "4,0", "--replace", "-q"];
    for _ in 0..2 {
        p.run(&import).done();
        assert_eq!(p.run(&["cat", "A.NAMES"]).done(), "0001 newest\n0002 y\n");
    }
}

/// Lines of text are no EBCDIC, whichever command takes them in.
#[test]
fn text_is_translated_into_the_code_page_of_the_data_set() {
    let p = Place::new();
    p.write("names.txt", b"0001 SMITH\n");
    let import = [
        "import",
        "names.txt",
        "A.NAMES",
        "--keys",
        "4,0",
        "--recordsize",
        "20,80",
    ];
    p.run(&[&import[..], &["--ccsid", "1047", "-q"]].concat()).done();
    p.run_with(&["put", "A.NAMES", "-q"], b"0002 JONES\n").done();
    assert_eq!(p.run(&["get", "A.NAMES", "0001"]).done(), "0001 SMITH\n");
    assert_eq!(p.run(&["cat", "A.NAMES"]).done(), "0001 SMITH\n0002 JONES\n");
    let one = p
        .run(&["cat", "A.NAMES", "--from", "F0F0F0F1", "--count", "1", "--hex"])
        .done();
    assert!(one.starts_with("F0F0F0F140E2"), "{one}");
}

#[test]
fn ranges_of_keys() {
    let p = Place::new();
    p.names(NAMES);
    let cat = |args: &[&str]| p.run(&[&["cat", "A.NAMES"], args].concat());
    assert_eq!(
        cat(&["--from", "AA02", "--to", "AB01"]).done(),
        "AA02 second\nAB01 third\n"
    );
    assert_eq!(cat(&["--from", "AA", "--to", "AA"]).done(), "AA01 first\nAA02 second\n");
    assert_eq!(cat(&["--from", "AA03", "-n", "1"]).done(), "AB01 third\n");
    assert_eq!(cat(&["--raw", "-n", "1"]).done(), "AA01 first");
    assert_eq!(cat(&["--from", "ZZ"]).status, 4);
    assert_eq!(p.run(&["get", "A.NAMES", "AB", "--prefix"]).done(), "AB01 third\n");
}

#[test]
fn a_record_that_is_not_there_is_status_4() {
    let p = Place::new();
    p.names(NAMES);
    p.run(&["get", "A.NAMES", "XX99"])
        .failed(4, &["IDC3309I", "A.NAMES has no record with key XX99"]);
}

#[test]
fn a_key_of_the_wrong_length_is_refused() {
    let p = Place::new();
    p.names(NAMES);
    p.run(&["get", "A.NAMES", "AA1"])
        .failed(8, &["CICA0951E", "has 3 bytes, the keys of A.NAMES have 4", "--prefix"]);
    p.run(&["get", "A.NAMES", "AA001"])
        .failed(8, &["CICA0951E", "has 5 bytes"]);
    p.run(&["get", "A.NAMES", "AB", "--hex"]).failed(8, &["has 1 bytes"]);
    p.run(&["get", "A.NAMES", "ABC", "--hex"])
        .failed(8, &["hexadecimal digits"]);
    p.run(&["cat", "A.NAMES", "--from", "AA001"]).failed(8, &["have 4"]);
}

#[test]
fn records_of_the_wrong_length_are_refused() {
    let p = Place::new();
    p.names(NAMES);
    p.run_with(&["put", "A.NAMES"], b"ZZ01\nZZ\n")
        .failed(8, &["CICA0931E", "record 2", "4 to 80"]);
    assert_eq!(
        p.run(&["cat", "A.NAMES", "--from", "ZZ"]).done(),
        "ZZ01\n",
        "what was before it stays"
    );
}

#[test]
fn unsorted_input_is_told_and_sorted_on_request() {
    let p = Place::new();
    p.write("mixed.txt", b"C001\nA001\nB001\n");
    let unsorted = p.run(&["import", "mixed.txt", "A.MIXED", "--keys", "4,0"]);
    // They are lost to who keeps nothing but the file, so it is no warning.
    assert_eq!(unsorted.status, 8);
    assert!(
        unsorted
            .err
            .contains("cica: IDC3314I RECORD X'41303031' (A001) OUT OF SEQUENCE"),
        "{}",
        unsorted.text()
    );
    p.run(&["import", "mixed.txt", "A.SORTED", "--keys", "4,0", "--sort", "-q"])
        .done();
    assert_eq!(p.run(&["cat", "A.SORTED"]).done(), "A001\nB001\nC001\n");
}

#[test]
fn sorting_goes_by_the_code_page_of_the_data_set() {
    let p = Place::new();
    // In ASCII digits come before letters, in EBCDIC after them.
    p.write("mixed.txt", b"1111\nAAAA\naaaa\n");
    let file = "mixed.txt,CODEPAGE=ASCII";
    p.run(&[
        "import", file, "A.SORTED", "--keys", "4,0", "--sort", "--ccsid", "1047", "-q",
    ])
    .done();
    assert_eq!(p.run(&["cat", "A.SORTED"]).done(), "aaaa\nAAAA\n1111\n");
}

#[test]
fn duplicates_count_to_the_limit() {
    let p = Place::new();
    p.write("twice.txt", b"A001\nA001\nA001\nA001\nA001\nA002\n");
    let import = |limit: &str| {
        let args = ["import", "twice.txt", "A.TWICE", "--keys", "4,0", "--errorlimit", limit];
        p.run(&args)
    };
    import("4").failed(12, &["IDC3308I ** DUPLICATE RECORD X'41303031' (A001)", "IDC31467I"]);
    let _ = p.run(&["rm", "A.TWICE"]).done();
    assert_eq!(import("5").status, 4);
    assert_eq!(p.run(&["cat", "A.TWICE"]).done(), "A001\nA002\n");
}

#[test]
fn a_second_import_inserts_replaces_or_begins_anew() {
    let p = Place::new();
    let import = |lines: &str, args: &[&str]| {
        p.write("names.txt", lines.as_bytes());
        p.run(&[&["import", "names.txt", "A.NAMES", "-q"], args].concat())
            .done();
        p.run(&["cat", "A.NAMES"]).done()
    };
    import("A001 a\nA003 a\n", &["--keys", "4,0", "--reuse"]);
    assert_eq!(import("A002 b\n", &[]), "A001 a\nA002 b\nA003 a\n");
    assert_eq!(import("A003 c\n", &["--replace"]), "A001 a\nA002 b\nA003 c\n");
    assert_eq!(import("A009 d\n", &["--empty"]), "A009 d\n");
}

#[test]
fn truncated_files_are_told_with_record_and_byte() {
    let p = Place::new();
    p.write("cut.fb", b"A001A002A0");
    let fixed = p.run(&[
        "import",
        "cut.fb,RECFM=FB,LRECL=4",
        "A.FIXED",
        "--keys",
        "4,0",
        "--recordsize",
        "4,4",
        "--space",
        "TRK,1",
    ]);
    fixed.failed(12, &["CICA0941E", "cut.fb", "record 3", "byte 8"]);
    assert_eq!(p.run(&["cat", "A.FIXED"]).done(), "A001\nA002\n");
    p.write("cut.vb", b"\0\x14\0\0\0\x08\0\0A001\0\x08\0\0A0");
    let variable = p.run(&[
        "import",
        "cut.vb,RECFM=VB",
        "A.VAR",
        "--keys",
        "4,0",
        "--recordsize",
        "4,4",
        "--space",
        "TRK,1",
    ]);
    variable.failed(12, &["CICA0941E", "record 2"]);
    assert_eq!(p.run(&["cat", "A.VAR"]).done(), "A001\n");
}

#[test]
fn a_damaged_input_is_told_before_anything_is_defined() {
    let p = Place::new();
    p.write("cut.fb", b"A001A002A0");
    // Without --recordsize the file is read to find out how long its records are.
    p.run(&["import", "cut.fb,RECFM=FB,LRECL=4", "A.FIXED", "--keys", "4,0"])
        .failed(12, &["CICA0941E", "record 3"]);
    p.run(&["show", "A.FIXED"]).failed(8, &["IDC3012I"]);
}

#[test]
fn missing_files_and_wrong_dd_texts() {
    let p = Place::new();
    p.run(&["import", "nobody.txt", "A.B", "--keys", "4,0"])
        .failed(12, &["nobody.txt", "No such file"]);
    p.run(&["import", "x,RECFM=QQ", "A.B", "--keys", "4,0"])
        .failed(64, &["'QQ' is no record format"]);
    p.write("x.txt", b"A001\n");
    p.run(&["import", "x.txt", "A.B"])
        .failed(8, &["IDC3012I", "--keys LENGTH,OFFSET"]);
    p.run(&["import", "x.txt", "A.B", "--keys", "4"]).failed(64, &["8,0"]);
    p.run(&["import", "x.txt", "A..B", "--keys", "4,0"])
        .failed(64, &["A..B"]);
    p.run_with(&["import", "-", "A.B", "--keys", "4,0"], b"A001\n")
        .failed(64, &["--recordsize"]);
    p.run(&["show", "A.B"]).failed(8, &["IDC3012I"]);
}

#[test]
fn standard_input_is_imported_when_lengths_are_said() {
    let p = Place::new();
    let args = [
        "import",
        "-",
        "A.B",
        "--keys",
        "4,0",
        "--recordsize",
        "4,9",
        "--space",
        "TRK,1,1",
        "-q",
    ];
    p.run_with(&args, b"A001\nA002 more\n").done();
    assert_eq!(p.run(&["cat", "A.B"]).done(), "A001\nA002 more\n");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let p = Place::new();
    let lines: String = (0..20_000).map(|i| format!("{i:06} {}\n", "x".repeat(60))).collect();
    p.write("many.txt", lines.as_bytes());
    p.run(&["import", "many.txt", "A.MANY", "--keys", "6,0", "-q"]).done();
    let mut command = p.command(&["cat", "A.MANY"]);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The pipe holds less than the records; closing it ends the printing.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn generations_are_read_by_their_relative_numbers() {
    let p = Place::new();
    p.names(NAMES);
    let cards = "DEFINE GDG (NAME(A.COPY) LIMIT(5))\nREPRO INDATASET(A.NAMES) OUTDATASET(A.COPY(+1)) COUNT(2)\n";
    p.cards(cards, &[]).done();
    // In EBCDIC, as the DD text says.
    let cards = "REPRO INDATASET(A.NAMES) OUTFILE(NEW)\n";
    p.cards(cards, &["--dd", "NEW=A.COPY(+1),RECFM=VB,CODEPAGE=1047"])
        .done();
    let first_two: String = NAMES.lines().take(2).map(|line| format!("{line}\n")).collect();
    p.run(&["cat", "A.COPY(+1)"])
        .failed(8, &["CICA0951E A.COPY(+1) is yet to be made"]);
    p.run(&["cat", "A.COPY(-9)"])
        .failed(8, &["CICA0951E", "no generation (-9)"]);
    assert_eq!(p.run(&["cat", "A.COPY(-1)"]).done(), first_two);
    assert_eq!(p.run(&["cat", "A.COPY(0)"]).done(), NAMES);
    assert_eq!(p.run(&["cat", "A.COPY.G0002V00", "-n", "1"]).done(), "AA01 first\n");
    let part = p.run(&["cat", "a.copy(0)", "--from", "2", "--to", "3"]).done();
    assert_eq!(part, "AA02 second\nAB01 third\n");
    assert_eq!(
        p.run(&["cat", "A.COPY(-1)", "--hex", "-n", "1"]).done(),
        "41413031206669727374\n"
    );
    // A generation that is VSAM's.
    let cards = "DEFINE CLUSTER (NAME(A.COPY.G0003V00) INDEXED KEYS(4 0) -\n RECORDSIZE(20 80) TRACKS(1))\n\
                 REPRO INDATASET(A.NAMES) OUTDATASET(A.COPY.G0003V00)\n";
    p.cards(cards, &[]).done();
    assert_eq!(p.run(&["cat", "A.COPY(0)", "--from", "AC"]).done(), "AC01 fourth\n");
    assert_eq!(p.run(&["cat", "A.COPY(-1)"]).done(), NAMES);
    assert_eq!(p.run(&["get", "A.COPY(0)", "AB01"]).done(), "AB01 third\n");
    for (generation, name) in [("A.COPY(0)", "A.COPY.G0003V00"), ("A.COPY(-2)", "A.COPY.G0001V00")] {
        let shown = p.run(&["show", generation]).done();
        assert!(shown.contains(name), "{shown}");
        let shown = p.run(&["show", generation, "--json"]).json();
        assert_eq!(shown["name"], name, "{shown}");
    }
    p.run(&["cat", "A.COPY(-3)"])
        .failed(8, &["A.COPY has no generation (-3)"]);
    p.run(&["show", "A.NAMES(0)"])
        .failed(8, &["A.NAMES is no generation data group"]);
    p.run(&["cat", "A.COPY(-1)", "--from", "AA"])
        .failed(8, &["'AA' is no number"]);
}

#[test]
fn a_record_is_erased_by_its_key_or_its_place() {
    let p = Place::new();
    p.write("four.txt", b"A001\nA002\nA003\nA004\n");
    p.run(&["import", "four.txt", "A.KEYS", "--keys", "4,0", "-q"]).done();
    let gone = p.run(&["erase", "A.KEYS", "A002", "X'41303034'"]);
    assert_eq!(gone.status, 0, "{}", gone.err);
    assert!(gone.err.contains("2 records erased from A.KEYS"), "{}", gone.err);
    // What is not there is told, and leaves the others as they would be.
    p.run(&["erase", "a.keys", "A002", "A003"])
        .failed(4, &["IDC3309I", "A.KEYS has no record with key A002"]);
    p.run(&["erase", "A.KEYS", "A0"]).failed(8, &["has 2 bytes"]);
    p.run(&["erase", "A.KEYS", "--rrn", "1"]).failed(8, &[]);
    assert_eq!(p.run(&["cat", "A.KEYS"]).done(), "A001\n");
    for (name, organization) in [("A.SLOTS", "rrds"), ("A.NUMBERS", "vrrds")] {
        p.run(&["import", "four.txt", name, "--organization", organization, "-q"])
            .done();
        p.run(&["erase", name, "--rrn", "2", "--rrn", "4", "-q"]).done();
        // At an error those before it are erased, and told.
        let half = p.run(&["erase", name, "--rrn", "1", "--rrn", "0", "--rrn", "3"]);
        let told = format!("1 records erased from {name}");
        assert!(
            half.status == 8 && half.err.contains(&told) && half.err.contains("[8/192]"),
            "{half:?}"
        );
        let none = p.run(&["erase", name, "--rrn", "0"]);
        assert!(!none.err.contains("records erased"), "{none:?}");
        none.failed(8, &["[8/192]"]);
        p.run(&["erase", name, "--rrn", "1"]).failed(4, &["has no record"]);
        p.run(&["erase", name, "--rrn", "2"])
            .failed(4, &["no record with relative record number 2"]);
        assert_eq!(p.run(&["cat", name]).done(), "A003\n");
    }
    p.run(&["import", "four.txt", "A.LOG", "--organization", "esds", "-q"])
        .done();
    p.run(&["erase", "A.LOG", "--rba", "0"])
        .failed(8, &["cannot be erased", "[8/80]"]);
    // One that was never loaded has no record, and stays so.
    p.cards("DEFINE CLUSTER (NAME(A.NEW) KEYS(4 0) RECSZ(4 80) TRACKS(1 1))", &[])
        .done();
    p.run(&["erase", "A.NEW", "A001"]).failed(4, &["has no record"]);
    p.run(&["cat", "A.NEW"]).failed(12, &["never loaded"]);
    p.run(&["erase", "A.NONE", "A001"]).failed(8, &[]);
    p.run(&["erase", "A.KEYS"]).failed(64, &[]);
}

/// Messages end in a code such as `[8/16]`: it is explained in that form.
#[test]
fn a_code_is_explained_as_messages_have_it() {
    let p = Place::new();
    for code in [&["8/16"][..], &["[8/16]"]] {
        let run = p.run(&[&["explain"], code].concat());
        assert!(
            run.status == 0 && run.text().contains("No record has this key"),
            "{run:?}"
        );
    }
    for code in [&["OPEN 168"][..], &["open", "168"], &["[OPEN 168]"]] {
        let run = p.run(&[&["explain"], code].concat());
        assert!(run.status == 0 && run.text().contains("Another process has"), "{run:?}");
    }
    p.run(&["explain", "8/17"]).failed(4, &["8/17"]);
}
