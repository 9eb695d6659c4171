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
