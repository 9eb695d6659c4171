//! Files that are not what they should be, seen with the real command: what is said, and that nothing is changed by it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use std::path::{Path, PathBuf};

/// Where the two copies of a root stand.
const COPIES: [usize; 2] = [0, 65_536];

const NAMES: &str = "0001ADAMS\n0002BAKER\n0003CLARK\n";

/// A place with the data sets A.NAMES and B.NAMES, and the data component files of both.
fn two_data_sets() -> (Place, PathBuf, PathBuf) {
    let place = Place::new();
    place.names(NAMES);
    place
        .run(&[
            "import",
            "names.txt",
            "B.NAMES",
            "--keys",
            "4,0",
            "--recordsize",
            "20,80",
            "-q",
        ])
        .done();
    let (a, b) = (place.data_file("A.NAMES"), place.data_file("B.NAMES"));
    (place, a, b)
}

/// Makes another file of A.NAMES's data component, and looks what reading and writing it comes to.
#[track_caller]
fn refused(place: &Place, file: &Path, bad: &[u8], words: &[&str]) {
    std::fs::write(file, bad).unwrap();
    let words = &[&["A.NAMES"], words].concat();
    place.run(&["cat", "A.NAMES"]).failed(12, words);
    place.run(&["get", "A.NAMES", "0001"]).failed(12, words);
    place.run_with(&["put", "A.NAMES"], b"0009NEW\n").failed(12, words);
    assert_eq!(std::fs::read(file).unwrap(), bad, "the file was changed");
}

#[test]
fn a_file_cut_short_is_refused_wherever_it_ends() {
    let (place, a, _) = two_data_sets();
    let good = std::fs::read(&a).unwrap();
    for length in [0, 31, 4_096, 65_535] {
        refused(&place, &a, &good[..length], &["IDC3300I"]);
    }
    std::fs::write(&a, &good).unwrap();
    assert_eq!(place.run(&["cat", "A.NAMES"]).done(), NAMES);
}

#[test]
fn a_file_without_its_records_tells_where_they_should_be() {
    let (place, a, _) = two_data_sets();
    let good = std::fs::read(&a).unwrap();
    // The root says where the control area is, and the file ends before it.
    std::fs::write(&a, &good[..140_000]).unwrap();
    let read = place.run(&["cat", "A.NAMES"]);
    assert_eq!(read.status, 12, "{read:?}");
    assert!(read.err.contains("A.NAMES"), "{}", read.err);
    assert!(read.out.is_empty());
}

#[test]
fn a_file_of_another_data_set_is_refused() {
    let (place, a, b) = two_data_sets();
    let other = std::fs::read(b).unwrap();
    refused(&place, &a, &other, &["B.NAMES"]);
}

#[test]
fn a_file_of_a_newer_release_says_so() {
    let (place, a, _) = two_data_sets();
    let mut bytes = std::fs::read(&a).unwrap();
    for copy in COPIES {
        bytes[copy + 12] = 9;
    }
    refused(
        &place,
        &a,
        &bytes,
        &["written in format 9, newer than this program knows"],
    );
}

#[test]
fn a_file_of_a_processor_of_the_other_byte_order_says_so() {
    let (place, a, _) = two_data_sets();
    let mut bytes = std::fs::read(&a).unwrap();
    for copy in COPIES {
        bytes[copy + 8..copy + 12].reverse();
    }
    refused(&place, &a, &bytes, &["byte order"]);
}

#[test]
fn a_file_that_is_no_component_is_refused() {
    let (place, a, _) = two_data_sets();
    refused(&place, &a, b"hello, world\n", &["IDC3300I"]);
    refused(&place, &a, &[0; 200_000], &["IDC3300I"]);
}

#[test]
fn a_file_that_is_gone_is_named() {
    let (place, a, _) = two_data_sets();
    std::fs::remove_file(&a).unwrap();
    let name = a.file_name().unwrap().to_str().unwrap();
    place
        .run(&["cat", "A.NAMES"])
        .failed(12, &["A.NAMES", name, "no such file"]);
    assert!(!a.exists());
}

/// Every byte of a small catalog, once.
#[test]
fn a_catalog_with_any_byte_changed_is_refused_or_says_the_same() {
    let place = Place::new();
    place.names(NAMES);
    let catalog = place.path("catalog/catalog");
    let good = std::fs::read(&catalog).unwrap();
    let listed = place.run(&["ls", "--long"]).done();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(&catalog, &bad).unwrap();
        let run = place.run(&["ls", "--long"]);
        match run.status {
            0 => assert_eq!(run.text(), listed, "byte {at}"),
            _ => run.failed(12, &["catalog"]),
        }
        assert_eq!(
            std::fs::read(&catalog).unwrap(),
            bad,
            "byte {at}: the catalog was changed"
        );
    }
}

#[test]
fn a_damaged_catalog_says_how_it_is_made_anew() {
    let place = Place::new();
    place.names("AA01 first\n");
    let catalog = place.path("catalog/catalog");
    let mut bytes = std::fs::read(&catalog).unwrap();
    let end = bytes.len();
    bytes[100..end].fill(0x5A);
    std::fs::write(&catalog, bytes).unwrap();
    place
        .run(&["ls"])
        .failed(12, &["is damaged", "move the file away", "cica recatalog"]);
    std::fs::rename(&catalog, place.path("away")).unwrap();
    place.run(&["recatalog"]).done();
    assert_eq!(place.run(&["get", "A.NAMES", "AA01"]).done(), "AA01 first\n");
}
