//! Which records may stand behind others in a file, and what the file is then.

#![allow(clippy::unwrap_used)]

mod common;

use common::attributes;

fn both(there: &str, more: &str) -> Option<String> {
    let both = attributes(there).followed_by(&attributes(more))?;
    Some(both.to_string())
}

#[test]
fn what_reads_the_first_must_read_the_others() {
    for (there, more) in [
        ("", "RECFM=FB,LRECL=80"),
        ("RECFM=FB,LRECL=80", ""),
        ("RECFM=FB,LRECL=80", "RECFM=FB,LRECL=40"),
        ("RECFM=FB,LRECL=80", "RECFM=VB"),
        ("RECFM=VB", "RECFM=VB,BDW=NO"),
        ("RECFM=VB", "RECFM=VBS"),
        ("RECFM=U,BLKSIZE=80", "RECFM=U,BLKSIZE=40"),
        ("RECFM=FB,LRECL=80,CODEPAGE=1047", "RECFM=FB,LRECL=80"),
        ("CODEPAGE=500", "CODEPAGE=1047"),
    ] {
        assert_eq!(both(there, more), None, "{there} {more}");
    }
}

#[test]
fn the_file_is_what_holds_both() {
    for (there, more, wanted) in [
        ("", "", ""),
        (
            "RECFM=FB,LRECL=80,BLKSIZE=800",
            "RECFM=F,LRECL=80",
            "RECFM=FB,LRECL=80,BLKSIZE=800",
        ),
        (
            "RECFM=FB,LRECL=80",
            "RECFM=FB,LRECL=80,BLKSIZE=800",
            "RECFM=FB,LRECL=80,BLKSIZE=800",
        ),
        (
            "RECFM=VB,LRECL=84,BLKSIZE=800",
            "RECFM=VB,LRECL=54,BLKSIZE=900",
            "RECFM=VB,LRECL=84,BLKSIZE=900",
        ),
        (
            "RECFM=VB,LRECL=54,BLKSIZE=800",
            "RECFM=VB,LRECL=84",
            "RECFM=VB,LRECL=84",
        ),
        ("RECFM=VB", "RECFM=V,LRECL=84,BDW=YES", "RECFM=VB"),
    ] {
        let wanted = Some(attributes(wanted).to_string());
        assert_eq!(both(there, more), wanted, "{there} {more}");
    }
}
