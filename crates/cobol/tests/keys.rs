//! Keys of several parts, alternate keys that are suppressed, and files that another FD makes anew: as libcob's own
//! handler has them.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("programs/keys.cob");
const STEPS: [&str; 4] = ["load", "parts", "sparse", "change"];

/// What Cica says, as libcob would: 3.2 does not tell of duplicates.
fn as_libcob(said: &str) -> String {
    if common::is_3_2() {
        said.replace("WRITE 02", "WRITE 00")
    } else {
        said.into()
    }
}

/// What libcob's own handler says.
fn native(place: &Workplace, program: &Path, step: &str) -> String {
    let mut command = Command::new(program);
    let command = command
        .current_dir(place.0.join("native"))
        .env_remove("LD_PRELOAD")
        .arg(step);
    stdout(&command.output().expect("it runs"))
}

#[test]
fn split_and_sparse_keys_are_as_libcob_has_them() {
    let place = Workplace::with_catalog("keys");
    let program = place.compile("keys", SOURCE);
    for step in STEPS {
        let theirs = native(&place, &program, step);
        assert!(theirs.lines().count() > 4, "{theirs}");
        assert_eq!(as_libcob(&place.run(&program, &[step])), theirs, "{step}");
    }
    assert!(!place.0.join("PARTS").exists(), "it was libcob's");
}

#[test]
fn split_and_sparse_keys_come_through_extfh() {
    let place = Workplace::with_catalog("keys-extfh");
    let program = place.compile("keys", SOURCE);
    let recompiled = place.compile_extfh("recompiled", SOURCE);
    for step in STEPS {
        let theirs = native(&place, &program, step);
        let mut command = place.command(&recompiled);
        let done = command.env_remove("LD_PRELOAD").arg(step).output().unwrap();
        assert_eq!(as_libcob(&stdout(&done)), theirs, "{step}: {}", stderr(&done));
    }
    assert!(!place.0.join("PARTS").exists(), "it was libcob's");
}

#[test]
fn the_catalog_knows_what_is_suppressed() {
    let place = Workplace::with_catalog("keys-listcat");
    let program = place.compile("keys", SOURCE);
    place.run(&program, &["load"]);
    let session = place.session();
    let contents = session.catalog.contents().unwrap();
    let base = cica_catalog::Name::parse("PARTS").unwrap();
    let suppressed: Vec<Option<u8>> = contents
        .related(&base)
        .filter_map(|entry| match entry {
            cica_catalog::Entry::Aix(aix) => Some(aix.suppressed),
            _ => None,
        })
        .collect();
    assert_eq!(suppressed, [None, Some(b'*'), Some(b' ')]);
}

#[test]
fn another_fd_is_refused_and_makes_the_file_anew_for_output() {
    let place = Workplace::with_catalog("keys-anew");
    let program = place.compile("keys", SOURCE);
    place.run(&program, &["load"]);
    assert_eq!(place.run(&program, &["other"]), "OPEN 39\n");
    let said = place.run(&program, &["anew"]);
    assert_eq!(said, "OPEN 00\nWRITE 00\nREAD 00 keyKrest        \nOPEN 39\n");
}
