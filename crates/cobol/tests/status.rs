//! The table of FILE STATUS, and its page in the documentation.
#![allow(clippy::unwrap_used)]

use cica_catalog::entry::EntryKind;
use cica_catalog::{CatalogError, Name, Volser};
use cica_cobol::status::{Outcome, Set, TABLE};
use cica_engine::RequestError;
use cica_session::SessionError;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn each_outcome_has_its_own_row() {
    for row in TABLE {
        assert_eq!(row.outcome.status(Set::GnuCobol), row.gnucobol, "{}", row.words);
        assert_eq!(row.outcome.status(Set::Enterprise), row.enterprise, "{}", row.words);
        assert_eq!(row.outcome.status(Set::MicroFocus), row.microfocus, "{}", row.words);
        assert_eq!(
            row.microfocus == row.gnucobol,
            !["9A", "9D"].contains(&&*row.microfocus.to_string())
        );
    }
}

/// Statuses that libcob has: those of 9x but 91 it never gives.
#[test]
fn the_gnucobol_set_has_only_what_libcob_knows() {
    let known = [
        "00", "02", "04", "05", "07", "10", "14", "21", "22", "23", "24", "30", "31", "34", "35", "37", "38", "39",
        "41", "42", "43", "44", "46", "47", "48", "49", "51", "52", "61", "91",
    ];
    for row in TABLE {
        assert!(
            known.contains(&&*row.gnucobol.to_string()),
            "{}: {}",
            row.gnucobol,
            row.words
        );
    }
}

#[test]
fn refused_requests_have_the_statuses_of_their_codes() {
    let cases: [(RequestError, Outcome, [u8; 6]); 10] = [
        (
            RequestError::Deadlock { key: vec![1], by: None },
            Outcome::Deadlock,
            [0, 8, 0, 0, 0, 21],
        ),
        (
            RequestError::LockTimeout { key: vec![1], by: None },
            Outcome::RecordLocked,
            [0, 8, 0, 0, 0, 22],
        ),
        (
            RequestError::Retained { key: vec![1], by: None },
            Outcome::RecordLocked,
            [0, 8, 0, 0, 0, 24],
        ),
        (RequestError::EndOfData, Outcome::End, [0, 8, 0, 0, 0, 4]),
        (
            RequestError::Duplicate { key: vec![1] },
            Outcome::Duplicate,
            [0, 8, 0, 0, 0, 8],
        ),
        (
            RequestError::Sequence { key: vec![1] },
            Outcome::Sequence,
            [0, 8, 0, 0, 0, 12],
        ),
        (RequestError::NotFound, Outcome::NotFound, [0, 8, 0, 0, 0, 16]),
        (RequestError::NoPosition, Outcome::NoPosition, [0, 8, 0, 0, 0, 88]),
        (RequestError::NoUpdate, Outcome::NoReadBefore, [0, 8, 0, 0, 0, 92]),
        (RequestError::KeyChanged, Outcome::Sequence, [0, 8, 0, 0, 0, 96]),
    ];
    for (error, outcome, code) in cases {
        assert_eq!(Outcome::of_request(&error), outcome, "{error}");
        assert_eq!(cica_cobol::status::vsam_code(), code, "{error}");
    }
}

/// A program may answer "missing" by making the file: so it is said of nothing that is there, or may be.
#[test]
fn only_what_is_not_there_is_missing() {
    let name = || Name::parse("CUST").unwrap();
    let path = || PathBuf::from("/cat");
    let serial = Volser::parse("CICA01").unwrap();
    let catalog: [(CatalogError, Outcome, u8); 9] = [
        (CatalogError::NotFound { name: name() }, Outcome::Missing, 148),
        (CatalogError::NoCatalog { directory: path() }, Outcome::Missing, 148),
        (
            CatalogError::VolumeMissing {
                serial: serial.clone(),
                directory: None,
            },
            Outcome::NoResource,
            132,
        ),
        (
            CatalogError::VolumeOutside {
                serial,
                directory: path(),
            },
            Outcome::NoResource,
            132,
        ),
        (
            CatalogError::Busy {
                path: path(),
                waited: Duration::from_secs(9),
            },
            Outcome::NoResource,
            132,
        ),
        (
            CatalogError::Damaged {
                path: path(),
                offset: 0,
                what: "it is nonsense".into(),
            },
            Outcome::Failed,
            144,
        ),
        (
            CatalogError::Version {
                path: path(),
                found: 9,
                known: 1,
            },
            Outcome::Failed,
            144,
        ),
        (
            CatalogError::Io {
                doing: "read",
                path: path(),
                source: std::io::ErrorKind::PermissionDenied.into(),
            },
            Outcome::Failed,
            144,
        ),
        (
            CatalogError::OnItsWay {
                name: name(),
                to: path(),
            },
            Outcome::Failed,
            144,
        ),
    ];
    let others: [(SessionError, Outcome, u8); 4] = [
        (
            SessionError::Component {
                name: name(),
                kind: EntryKind::Data,
                of: name(),
            },
            Outcome::Conflict,
            160,
        ),
        (
            SessionError::NoRecords {
                name: name(),
                kind: EntryKind::Gdg,
            },
            Outcome::Conflict,
            188,
        ),
        (SessionError::Circle { name: name() }, Outcome::Failed, 144),
        (
            SessionError::Pool {
                what: "CICA_DFSVSAMP: wrong".into(),
            },
            Outcome::NoResource,
            136,
        ),
    ];
    let catalog = catalog.map(|(error, outcome, reason)| (SessionError::from(error), outcome, reason));
    for (error, outcome, reason) in catalog.into_iter().chain(others) {
        assert_eq!(Outcome::of_open(&error), outcome, "{error}");
        assert_eq!(cica_cobol::status::vsam_code(), [0, 8, 0, 0, 0, reason], "{error}");
    }
}

/// CICA_BLESS=1 writes the page anew.
#[test]
fn the_page_in_the_documentation_is_the_table() {
    let mut page = String::from(
        "# COBOL's file statuses\n\n\
         <!-- Made from crates/cobol/src/status.rs; run its tests with CICA_BLESS=1 to write it anew. -->\n\n\
         `CICA_STATUS` chooses the set: `gnucobol` (the default), `enterprise` or `microfocus`.\n\n\
         | gnucobol | enterprise | microfocus | |\n|---|---|---|---|\n",
    );
    for row in TABLE {
        let sets = [row.gnucobol, row.enterprise, row.microfocus].map(|status| status.to_string());
        let _ = writeln!(page, "| {} | {} |", sets.join(" | "), row.words);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/cobol-status.md");
    if std::env::var_os("CICA_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), page);
}
