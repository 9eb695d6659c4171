//! Data sets of every organization from the command line: by RBA and by relative record number.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;

const LINES: &str = "first line\nsecond line\nthird line\n";

fn imported(p: &Place, organization: &str) {
    p.write("lines.txt", LINES.as_bytes());
    let more = ["--organization", organization, "--recordsize", "10,80", "-q"];
    p.run(&[&["import", "lines.txt", "A.SET"], &more[..]].concat()).done();
}

#[test]
fn records_of_an_esds_are_found_by_rba() {
    let p = Place::new();
    imported(&p, "esds");
    assert_eq!(p.run(&["cat", "A.SET"]).done(), LINES);
    assert_eq!(p.run(&["get", "A.SET", "--rba", "10"]).done(), "second line\n");
    assert_eq!(p.run(&["get", "A.SET", "--rba", "11"]).status, 4);
    assert_eq!(p.run(&["cat", "A.SET", "--from", "11"]).done(), "third line\n");
    assert_eq!(p.run_with(&["put", "A.SET", "--ack"], b"more\n").done(), "31\n");
    assert_eq!(p.run(&["get", "A.SET", "--rrn", "1"]).status, 8);
    let told = p.run(&["verify", "A.SET"]).done();
    assert!(told.contains("1 control intervals and 4 records, no errors"), "{told}");
}

#[test]
fn records_of_a_vrrds_are_found_by_number() {
    let p = Place::new();
    imported(&p, "vrrds");
    assert_eq!(p.run(&["get", "A.SET", "--rrn", "2"]).done(), "second line\n");
    assert_eq!(
        p.run_with(&["put", "A.SET", "--rrn", "70", "--ack"], b"a\nb\n").done(),
        "70\n71\n"
    );
    assert_eq!(p.run_with(&["put", "A.SET", "--ack"], b"c\n").done(), "72\n");
    assert_eq!(
        p.run(&["cat", "A.SET", "--from", "3", "--to", "70"]).done(),
        "third line\na\n"
    );
    assert_eq!(p.run(&["get", "A.SET", "--rrn", "4"]).status, 4);
    assert_eq!(p.run(&["get", "A.SET", "--rrn", "0"]).status, 8);
    assert_eq!(p.run_with(&["put", "A.SET", "--rrn", "2", "-q"], b"x\n").status, 8);
    p.run_with(&["put", "A.SET", "--rrn", "2", "--replace", "-q"], b"x\n")
        .done();
    assert_eq!(p.run(&["get", "A.SET", "--rrn", "2"]).done(), "x\n");
}

#[test]
fn an_lds_goes_out_as_it_came_in() {
    let p = Place::new();
    let bytes: Vec<u8> = (0..5 * 4096).map(|i| (i * 7 / 11) as u8).collect();
    p.write("disk.img", &bytes);
    let blocks = "RECFM=F,LRECL=4096";
    p.run(&[
        "import",
        &format!("disk.img,{blocks}"),
        "A.PAGES",
        "--organization",
        "lds",
        "-q",
    ])
    .done();
    p.run(&["export", "A.PAGES", &format!("copy.img,{blocks}"), "-q"])
        .done();
    assert_eq!(p.read("copy.img"), bytes);
    let page = p.run(&["get", "A.PAGES", "--rba", "8192", "--raw"]).out;
    assert_eq!(page, &bytes[8192..12288]);
    assert_eq!(p.run(&["get", "A.PAGES", "--rba", "20480"]).status, 4);
}

#[test]
fn ranges_of_an_lds_are_read_and_written_as_of_a_file() {
    let p = Place::new();
    p.cards("DEFINE CLUSTER (NAME(A.PAGES) LINEAR TRACKS(2 0))", &[]).done();
    // Nothing is there yet, and nothing is a range.
    assert_eq!(p.run(&["lds", "length", "A.PAGES"]).done(), "0\n");
    assert_eq!(p.run(&["lds", "read", "A.PAGES"]).done(), "");
    let bytes: Vec<u8> = (0..6 * 4096).map(|i| (i * 13 / 7) as u8).collect();
    p.write("disk.img", &bytes);
    p.run(&["lds", "write", "A.PAGES", "disk.img", "-q"]).done();
    assert!(p.run(&["lds", "read", "A.PAGES"]).out == bytes);
    let part = p.run(&["lds", "read", "A.PAGES", "--offset", "4096", "--length", "8192"]);
    assert!(part.out == bytes[4096..12288]);
    // Over a part of it, and from there beyond its end; the last block is filled with zeros.
    let new = vec![0xAB; 2 * 4096 + 1];
    let write = ["lds", "write", "A.PAGES", "-", "-q", "--offset", "20480"];
    let refused = p.run_with(&write, &new);
    assert_eq!(refused.status, 8, "{}", refused.err);
    assert!(p.run(&["lds", "read", "A.PAGES"]).out == bytes, "it is as before");
    p.run_with(&[&write[..], &["--pad"]].concat(), &new).done();
    let mut expected = bytes[..20480].to_vec();
    expected.extend(&new);
    expected.resize(20480 + 3 * 4096, 0);
    assert!(p.run(&["lds", "read", "A.PAGES"]).out == expected);
    assert_eq!(p.run(&["lds", "length", "A.PAGES"]).done(), "32768\n");
}

#[test]
fn what_is_no_range_of_an_lds_is_refused_and_changes_nothing() {
    let p = Place::new();
    p.cards("DEFINE CLUSTER (NAME(A.PAGES) LINEAR TRACKS(1 0))", &[]).done();
    p.run_with(&["lds", "write", "A.PAGES", "-q"], &[7; 2 * 4096]).done();
    for wrong in [
        &["read", "A.PAGES", "--offset", "8192", "--length", "4096"][..],
        &["read", "A.PAGES", "--offset", "100"],
        &["read", "A.PAGES", "--length", "100"],
        &[
            "read",
            "A.PAGES",
            "--offset",
            "18446744073709547520",
            "--length",
            "8192",
        ],
        &["write", "A.PAGES", "--offset", "12288"],
        &["write", "A.PAGES", "--offset", "1"],
    ] {
        let run = p.run_with(&[&["lds"], wrong].concat(), &[9; 4096]);
        assert_eq!(run.status, 8, "{wrong:?}: {}", run.err);
        assert!(run.err.contains("IDC3302I A.PAGES: "), "{wrong:?}: {}", run.err);
        assert!(run.out.is_empty());
    }
    // A track takes twelve blocks, and no secondary space is allowed.
    let full = p.run_with(&["lds", "write", "A.PAGES", "--offset", "0"], &[1; 64 * 4096]);
    assert_eq!(full.status, 12, "{}", full.err);
    assert!(full.err.contains("IDC3020I"), "{}", full.err);
    assert!(p.run(&["lds", "read", "A.PAGES"]).out == [7; 2 * 4096]);
    imported(&p, "esds");
    assert_eq!(p.run(&["lds", "length", "A.SET"]).status, 8);
}

/// Who asks for a key where there are none is told what there is.
#[test]
fn a_record_without_a_key_is_asked_for_by_its_number() {
    let p = Place::new();
    p.run_with(
        &[
            "import",
            "-",
            "A.SLOTS",
            "--organization",
            "rrds",
            "--recordsize",
            "4,4",
            "-q",
        ],
        b"AAAA\n",
    )
    .done();
    p.run(&["get", "A.SLOTS", "1"]).failed(8, &["CICA0951E", "--rrn"]);
    assert_eq!(p.run(&["get", "A.SLOTS", "--rrn", "1"]).done(), "AAAA\n");
}
