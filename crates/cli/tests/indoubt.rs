//! Units of recovery in doubt by the command: shown, committed, taken back.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Access, Insert, OpenOptions};
use cica_session::{Session, Sharing, Start};
use common::Place;

const DEFINE: &str = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000))
 DEFINE AIX (NAME(PAY.BYNAME) RELATE(PAY.MASTER) -
  KEYS(5 5) RECORDSIZE(40 80) RECORDS(100 100))
 DEFINE PATH (NAME(PAY.PATH) PATHENTRY(PAY.BYNAME))
";

/// A catalog with a data set of two records and an alternate index, to which a program has added CLARK, prepared.
fn prepared(unit: &str) -> Place {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    let put = place.run_with(&["put", "PAY.MASTER", "--quiet"], b"00001ADAMS\n00002BAKER\n");
    assert_eq!(put.status, 0, "{}", put.err);
    let build = " BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)\n";
    assert_eq!(place.run_with(&["idcams"], build.as_bytes()).status, 0);
    let start = Start {
        catalog: Some(place.dir.join("catalog")),
        pool: Some(16 << 20),
        sharing: Sharing::Off,
        ..Start::default()
    };
    let session = Session::start(start).unwrap();
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let (_, master) = session.open(&Name::parse("PAY.MASTER").unwrap(), options).unwrap();
    let work = session.engine.unit();
    master.string_in(&work).insert(b"00003CLARK", Insert::Direct).unwrap();
    work.prepare(unit).unwrap();
    master.close().unwrap();
    place
}

fn records(place: &Place, name: &str) -> String {
    String::from_utf8(place.run(&["cat", name]).out).unwrap()
}

#[test]
fn a_unit_in_doubt_is_shown_and_its_records_are_refused_by_its_name() {
    let place = prepared("TRANSFER-1");
    let shown = place.run(&["indoubt", "ls"]);
    let text = String::from_utf8(shown.out).unwrap();
    assert!(
        shown.status == 0
            && text.starts_with("TRANSFER-1 is in doubt since ")
            && text.contains("1 changes of PAY.MASTER"),
        "{text}"
    );
    let value: serde_json::Value = serde_json::from_slice(&place.run(&["indoubt", "ls", "--json"]).out).unwrap();
    assert_eq!(value[0]["unit"], "TRANSFER-1");
    assert_eq!(value[0]["data_sets"], serde_json::json!(["PAY.MASTER"]));
    assert_eq!(value[0]["going_back"], false);
    let refused = place.run_with(&["put", "PAY.MASTER", "--replace"], b"00003WRONG\n");
    assert!(
        refused.status != 0 && refused.err.contains("TRANSFER-1"),
        "{}",
        refused.err
    );
    let others = place.run_with(&["put", "PAY.MASTER", "--replace", "--quiet"], b"00002BLAKE\n");
    assert_eq!(others.status, 0, "{}", others.err);
}

#[test]
fn one_that_is_committed_stands() {
    let place = prepared("TRANSFER-2");
    let done = place.run(&["indoubt", "commit", "TRANSFER-2"]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert!(records(&place, "PAY.MASTER").contains("00003CLARK"));
    let none = place.run(&["indoubt", "ls"]);
    assert_eq!(
        String::from_utf8(none.out).unwrap(),
        "no unit of recovery is in doubt\n"
    );
    let free = place.run_with(&["put", "PAY.MASTER", "--replace", "--quiet"], b"00003CLERK\n");
    assert_eq!(free.status, 0, "{}", free.err);
    let again = place.run(&["indoubt", "backout", "TRANSFER-2"]);
    assert!(
        again.status == 8 && again.err.contains("CICA1083E") && again.err.contains("TRANSFER-2"),
        "{}",
        again.err
    );
}

#[test]
fn one_that_is_taken_back_is_gone_with_its_pointers() {
    let place = prepared("TRANSFER-3");
    let done = place.run(&["indoubt", "backout", "TRANSFER-3"]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert_eq!(records(&place, "PAY.MASTER"), "00001ADAMS\n00002BAKER\n");
    assert_eq!(records(&place, "PAY.PATH"), "00001ADAMS\n00002BAKER\n");
    let again = place.run(&["indoubt", "commit", "TRANSFER-3"]);
    assert!(again.status == 8 && again.err.contains("CICA1083E"), "{}", again.err);
    let no_name = place.run(&["indoubt", "commit", "../catalog"]);
    assert!(
        no_name.status == 8 && no_name.err.contains("is no name"),
        "{}",
        no_name.err
    );
}
