//! EXAMINE: a sound data set, and one with bytes that are not what was written.

use crate::world::{Shape, World, NAMES};
use cica_disk::{Disk, Open, WriteAt};
use std::path::Path;

fn sound() -> World {
    let mut w = World::new();
    let records: Vec<String> = (0..2000).map(|i| format!("{i:04}{}", "x".repeat(i % 60))).collect();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    w.loaded(
        "A.NAMES",
        Shape {
            record: (40, 80),
            ..NAMES
        },
        &records,
    );
    w
}

/// Changes the bytes of the first copy of `text` in a file.
fn damage(w: &World, path: &Path, text: &[u8]) {
    let bytes = w.disk.image().bytes(path).unwrap();
    let at = bytes
        .windows(text.len())
        .position(|window| window == text)
        .expect("the text is in the file");
    let file = w
        .disk
        .open(
            path,
            Open {
                write: true,
                ..Open::default()
            },
        )
        .unwrap();
    file.write(&[WriteAt {
        at: at as u64,
        buf: b"?",
    }])
    .unwrap();
}

#[test]
fn a_sound_data_set() {
    sound().golden(
        "examine_sound",
        "EXAMINE NAME(A.NAMES)\nEXAMINE NAME(A.NAMES) INDEXTEST DATATEST",
        0,
    );
}

#[test]
fn only_what_was_asked_is_told() {
    let mut w = sound();
    let messages = w.messages("EXAMINE NAME(A.NAMES) NOINDEXTEST DATATEST", 0);
    assert_eq!(messages.first().map(String::as_str), Some("IDC01701I DATATEST BEGINS"));
    assert_eq!(messages[2], "IDC01710I DATA COMPONENT CONTAINS 2000 RECORDS");
}

#[test]
fn a_changed_byte_of_a_record_is_found() {
    let mut w = sound();
    let (data, _) = w.paths("A.NAMES");
    damage(&w, &data, b"1000x");
    let messages = w.messages("EXAMINE NAME(A.NAMES) INDEXTEST DATATEST", 8);
    assert!(
        messages
            .iter()
            .any(|m| m.starts_with("CICA0950E DATA CONTROL INTERVAL AT RBA ")),
        "{messages:?}"
    );
    assert_eq!(
        messages.last().map(String::as_str),
        Some("IDC21703I MAJOR ERRORS FOUND BY DATATEST")
    );
    let index_only = w.messages("EXAMINE NAME(A.NAMES) INDEXTEST", 0);
    assert_eq!(
        index_only.last().map(String::as_str),
        Some("IDC01724I INDEXTEST COMPLETE - NO ERRORS DETECTED")
    );
}

#[test]
fn errorlimit_bounds_what_is_shown_not_what_is_said() {
    let mut w = sound();
    let (data, _) = w.paths("A.NAMES");
    damage(&w, &data, b"1000x");
    let messages = w.messages("EXAMINE NAME(A.NAMES) NOINDEXTEST DATATEST ERRORLIMIT(0)", 8);
    assert!(!messages.iter().any(|m| m.starts_with("CICA0950E")), "{messages:?}");
    assert_eq!(
        messages.last().map(String::as_str),
        Some("IDC21703I MAJOR ERRORS FOUND BY DATATEST")
    );
}

#[test]
fn what_cannot_be_examined_is_told() {
    let mut w = World::new();
    w.define("A.EMPTY", NAMES);
    assert_eq!(
        w.messages("EXAMINE NAME(A.NOBODY)", 12)[0],
        "IDC3012I ENTRY A.NOBODY NOT FOUND"
    );
    assert!(w.messages("EXAMINE NAME(A.EMPTY)", 12)[1].contains("RETURN CODE IS 160"));
}
