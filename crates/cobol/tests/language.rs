//! What COBOL has around files: locks and sharing in one process, EXTERNAL files, several programs, MERGE.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, Workplace};
use std::path::PathBuf;

fn begin(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("language", include_str!("programs/language.cob"));
    (place, program)
}

#[test]
fn lock_phrases_are_taken_by_one_process_alone() {
    let (place, program) = begin("locks");
    assert_eq!(
        place.run(&program, &["locks"]),
        "OPEN 00\nLOCK 00\nKEPT 00\nNO 00 0030\nIGNORE 00\nREWRITE 00\nUNLOCK 00\nCLOSE 00\nAUTO 00 X   \nOPEN 00\n"
    );
}

#[test]
fn programs_share_an_external_file_until_one_is_cancelled() {
    let (place, program) = begin("external");
    // As with libcob's own files, CANCEL closes the EXTERNAL file too.
    assert_eq!(
        place.run(&program, &["external"]),
        "WRITE 00\nOTHER 00\nOWN 00\nREAD 00 MORE\nOTHER 22\nOWN 22\nREAD 47 MORE\nCLOSE 42\n"
    );
    let session = place.session();
    assert_eq!(session.catalog.contents().unwrap().entries().count(), 2);
}

#[test]
fn merge_reads_a_ksds_and_an_esds_into_an_esds() {
    let (place, program) = begin("merge");
    assert_eq!(
        place.run(&program, &["merge"]),
        "0010F   \n0015JJJJ\n0020F   \n0025JJJJ\n0030F   \n"
    );
}

#[test]
fn ten_thousand_opens_and_closes_leave_no_file_open() {
    let (place, program) = begin("cycles");
    let done = place.command(&program).arg("cycles").output().unwrap();
    assert_eq!(common::stdout(&done), "00\n", "{}", stderr(&done));
}
