//! VERIFY: what it says of a data set that was closed, and of one that was not.

use crate::world::{World, NAMES};
use cica_engine::{Access, Insert};

#[test]
fn a_data_set_that_was_closed_is_in_order() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01", "AA02"]);
    let expected = ["CICA0943I A.NAMES WAS CLOSED PROPERLY, IT HAS 2 RECORDS"];
    assert_eq!(w.messages("VERIFY DATASET(A.NAMES)", 0), expected);
    w.dd_text("NAMES", "A.NAMES");
    assert_eq!(w.messages("VERIFY FILE(NAMES)", 0), expected);
    assert_eq!(w.records("A.NAMES"), ["AA01", "AA02"]);
}

#[test]
fn a_data_set_that_was_never_loaded_stays_so() {
    let mut w = World::new();
    w.define("A.NAMES", NAMES);
    assert_eq!(
        w.messages("VERIFY DATASET(A.NAMES)", 0),
        ["CICA0943I A.NAMES WAS CLOSED PROPERLY, IT HAS 0 RECORDS"]
    );
    w.dd("CARDS", "", b"AA01\n");
    w.messages("REPRO INFILE(CARDS) OUTDATASET(A.NAMES)", 0);
    assert_eq!(w.records("A.NAMES"), ["AA01"]);
}

#[test]
fn a_data_set_whose_owner_died_is_recovered() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    let data_set = w.open("A.NAMES", Access::Output);
    let mut string = data_set.string();
    string.insert(b"AA02 committed", Insert::Direct).unwrap();
    data_set.commit().unwrap();
    // Dropped without a close: as after the death of its process.
    drop((string, data_set));
    let messages = w.messages("VERIFY DATASET(A.NAMES)", 0);
    let expected = "CICA0942I A.NAMES WAS NOT CLOSED BY ITS LAST OWNER AND HAS BEEN RECOVERED, IT HAS 2 RECORDS";
    assert_eq!(messages, [expected]);
    assert_eq!(w.records("A.NAMES"), ["AA01", "AA02 committed"]);
    let again = w.messages("VERIFY DATASET(A.NAMES)", 0);
    assert_eq!(again, ["CICA0943I A.NAMES WAS CLOSED PROPERLY, IT HAS 2 RECORDS"]);
}

#[test]
fn recover_tells_of_the_recovery_and_then_examines() {
    let mut w = World::new();
    w.loaded("A.NAMES", NAMES, &["AA01"]);
    let data_set = w.open("A.NAMES", Access::Output);
    let mut string = data_set.string();
    string.insert(b"AA02 committed", Insert::Direct).unwrap();
    data_set.commit().unwrap();
    drop((string, data_set));
    let messages = w.messages("VERIFY DATASET(A.NAMES) RECOVER", 0);
    assert!(
        messages[0].starts_with("CICA0942I A.NAMES WAS NOT CLOSED"),
        "{messages:?}"
    );
    let sound = [
        "IDC01724I INDEXTEST COMPLETE - NO ERRORS DETECTED",
        "IDC01710I DATA COMPONENT CONTAINS 2 RECORDS",
        "IDC01709I DATATEST COMPLETE - NO ERRORS DETECTED",
    ];
    for line in sound {
        assert!(messages.iter().any(|told| told == line), "{line} in {messages:?}");
    }
}

#[test]
fn what_cannot_be_verified_is_told() {
    let mut w = World::new();
    assert_eq!(
        w.messages("VERIFY DATASET(A.NOBODY)", 12)[0],
        "IDC3012I ENTRY A.NOBODY NOT FOUND"
    );
    w.dd("CARDS", "", b"AA01\n");
    assert!(w.messages("VERIFY FILE(CARDS)", 12)[0].starts_with("CICA0908E VERIFY OF DIR/CARDS"));
}
