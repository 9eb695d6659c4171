//! Who joins others without a word about record-level sharing reads what is committed.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Access, Argument, Intent, OpenOptions, Search};
use cica_session::{Session, Sharing, Start};
use common::Place;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

const LINES: &[u8] = b"0001 is as it was\n0002 stays\n";

#[test]
fn what_another_has_not_committed_is_waited_for() {
    let place = Place::new();
    place
        .cards(
            "DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(20 80) -\n RECORDS(500 50) SHAREOPTIONS(2 3))",
            &[],
        )
        .done();
    place.run_with(&["put", "A.B"], LINES).done();
    // It starts the server, which stays a while.
    let mut first = place.command(&["get", "A.B", "0001"]);
    assert!(first.env("CICA_SHARE", "on").output().unwrap().status.success());
    let start = Start {
        catalog: Some(place.path("catalog")),
        pool: Some(16 << 20),
        sharing: Sharing::On,
        ..Start::default()
    };
    let session = Session::start(start).unwrap();
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let (_, set) = session.open(&Name::parse("A.B").unwrap(), options).unwrap();
    for (how, ends) in [("commit", "0001 is changed\n"), ("backout", "0001 is changed\n")] {
        let unit = session.engine.unit();
        let mut string = set.string_in(&unit);
        string
            .get(Argument::Key(b"0001"), Search::Equal, Intent::Update)
            .unwrap();
        let new = if how == "commit" {
            "0001 is changed"
        } else {
            "0001 comes to nothing"
        };
        string.update(new.as_bytes()).unwrap();
        let mut readers = [&["get", "A.B", "0001"][..], &["cat", "A.B"], &["export", "A.B", "-"]].map(|args| {
            let mut command = place.command(args);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        });
        std::thread::sleep(Duration::from_millis(700));
        for reader in &mut readers {
            assert!(reader.try_wait().unwrap().is_none(), "it did not wait");
        }
        match how {
            "commit" => unit.commit().unwrap(),
            _ => unit.backout().unwrap(),
        }
        for reader in &mut readers {
            let (mut out, mut err) = (String::new(), String::new());
            reader.stdout.take().unwrap().read_to_string(&mut out).unwrap();
            reader.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            assert!(reader.wait().unwrap().success(), "{err}");
            assert!(out.starts_with(ends), "{out}{err}");
        }
    }
    set.close().unwrap();
    place.run(&["server", "stop"]).done();
}
