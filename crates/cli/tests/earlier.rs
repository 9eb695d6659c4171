//! What earlier builds wrote is read, recovered and gone on with (`fixtures`).
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use std::path::Path;
use std::process::Command;

/// The catalog of a fixture, in the place of this place's own.
fn left_by(fixture: &str) -> Place {
    let place = Place::new();
    let archive = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(format!("{fixture}.tar.gz"));
    let catalog = place.dir.join("catalog");
    let _ = std::fs::remove_dir_all(&catalog);
    std::fs::create_dir(&catalog).unwrap();
    let unpacked = Command::new("tar")
        .args(["--strip-components=1", "--no-same-owner", "-xzf"])
        .arg(&archive)
        .arg("-C")
        .arg(&catalog)
        .status()
        .unwrap();
    assert!(unpacked.success(), "{}", archive.display());
    place
}

fn lines(place: &Place, name: &str) -> usize {
    place.run(&["cat", name]).done().lines().count()
}

/// Reads all, checks all, changes what there is, and reads again.
fn go_on_with(fixture: &str, records: usize) {
    let place = left_by(fixture);
    for (name, there) in [
        ("A.PATH", records),
        ("A.KSDS", records),
        ("A.ESDS", 300),
        ("A.RRDS", 300),
        ("A.VRRDS", 300),
        ("A.SPANNED", 19),
    ] {
        assert_eq!(lines(&place, name), there, "{name}");
    }
    for name in ["A.KSDS", "A.ESDS", "A.RRDS", "A.VRRDS", "A.SPANNED"] {
        place.run(&["verify", name]).done();
    }
    let last = format!("{records:08}");
    let record = place.run(&["get", "A.KSDS", &last]).done();
    assert!(record.starts_with(&format!("{last} wxyz")), "{record}");
    let more = place.write("more", b"00009001 wxyz MORE\n00009002 efgh MORE\n");
    let more = more.to_str().unwrap();
    for name in ["A.KSDS", "A.ESDS"] {
        place.run(&["import", more, name]).done();
    }
    place.run(&["rm", "A.VRRDS"]).done();
    assert_eq!(lines(&place, "A.KSDS"), records + 2);
    assert_eq!(lines(&place, "A.PATH"), records + 2);
    assert_eq!(lines(&place, "A.ESDS"), 302);
    place.run(&["verify", "A.KSDS"]).done();
}

#[test]
fn copies_of_data_sets_of_root_format_2_are_brought_back() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let of = |name: &str| fixtures.join(name).display().to_string();
    let place = Place::new();
    place.cards(" DEFINE VOLUME (NAME(DISK01))\n", &[]).done();
    place.run(&["restore", &of("root-2.backup")]).done();
    for (name, there) in [("A.PATH", 320), ("A.RRDS", 300), ("A.VRRDS", 300), ("A.SPANNED", 19)] {
        assert_eq!(lines(&place, name), there, "{name}");
    }
    place.run(&["verify", "A.KSDS"]).done();
    place.run(&["rm", "A.KSDS"]).done();
    let dd = format!("COPY={}", of("root-2.export"));
    place.cards(" IMPORT INFILE(COPY)\n", &["--dd", &dd]).done();
    let more = place.write("more", b"00009001 wxyz MORE\n");
    place.run(&["import", more.to_str().unwrap(), "A.KSDS"]).done();
    assert_eq!(lines(&place, "A.KSDS"), 321);
}

/// The data set with large CIs: what it has is read, and changed until its CAs are written in the form of now.
fn go_on_with_large(fixture: &str, records: usize) {
    let place = left_by(fixture);
    assert_eq!(lines(&place, "A.LARGE"), records);
    place.run(&["verify", "A.LARGE"]).done();
    let all = place.run(&["cat", "A.LARGE"]).done();
    // They come between those that are there.
    let more: String = (1..=300).map(|n| format!("{:07}x{}\n", n, "x".repeat(60))).collect();
    let more = place.write("more", more.as_bytes());
    place.run(&["import", more.to_str().unwrap(), "A.LARGE"]).done();
    assert_eq!(lines(&place, "A.LARGE"), records + 300);
    let now = place.run(&["cat", "A.LARGE"]).done();
    assert!(all.lines().all(|line| now.contains(line)));
    place.run(&["verify", "A.LARGE"]).done();
}

#[test]
fn data_sets_of_root_format_3_are_gone_on_with() {
    go_on_with("root-3-closed", 320);
    go_on_with_large("root-3-closed", 3000);
}

#[test]
fn data_sets_of_root_format_3_whose_process_was_killed_are_recovered() {
    go_on_with("root-3-killed", 330);
    go_on_with_large("root-3-killed", 3100);
}

#[test]
fn a_unit_in_a_log_of_format_7_is_taken_back() {
    let place = left_by("root-3-in-a-unit");
    let records = place.run(&["cat", "A.KSDS"]).done();
    let records: Vec<&str> = records.lines().collect();
    assert_eq!(records.len(), 320);
    for (n, record) in (1..).zip(records) {
        let is_committed = (1..=10).contains(&n) || (26..=29).contains(&n);
        let text = if is_committed { "COMMITTED" } else { "REC" };
        assert!(record.starts_with(&format!("{n:08} ")), "{record}");
        assert_eq!(record[14..].trim_end(), text, "{record}");
    }
    place.run(&["verify", "A.KSDS"]).done();
    go_on_with("root-3-in-a-unit", 320);
}

#[test]
fn closed_data_sets_of_root_format_2_are_gone_on_with() {
    go_on_with("root-2-closed", 320);
}

#[test]
fn data_sets_of_root_format_2_whose_process_was_killed_are_recovered() {
    go_on_with("root-2-killed", 330);
}
