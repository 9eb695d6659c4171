//! Units in doubt of an owner's data sets: who may decide about them, and what the owner learns of others' decisions.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::{DataSet, Insert, Intent, OpenOptions, Search, Str};
use cica_session::{Session, Sharing};
use cica_share::words::{Answer, Ask};
use cica_share::{rights, Client, Undecided};
use common::{open, Catalog};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A client of an owner with a data set of ten records, of which the unit `T` has changed the third, prepared.
fn prepared(catalog: &Catalog) -> (Session, DataSet) {
    catalog.define("A");
    let session = catalog.session(Sharing::On);
    let set = open(&session, "A", OpenOptions::output());
    let mut string = set.string();
    for key in 0..10 {
        let record = format!("{key:05} and what stands behind it");
        string.insert(record.as_bytes(), Insert::Sequential).unwrap();
    }
    set.end_load().unwrap();
    let unit = session.engine.unit();
    let mut within = set.string_in(&unit);
    within.get(b"00003", Search::Equal, Intent::Update).unwrap();
    within.update(b"00003 changed in a unit of T").unwrap();
    unit.prepare("T").unwrap();
    (session, set)
}

/// The reason with which a get for update of the third record is refused; 0: it is not.
fn reason(string: &mut Str) -> u8 {
    let got = string.get(b"00003", Search::Equal, Intent::Update).map(drop);
    let reason = got.map_or_else(|error| error.feedback().reason, |()| 0);
    string.end();
    reason
}

fn stop(catalog: &Catalog) {
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
}

fn file(session: &Session) -> PathBuf {
    session.engine.prepared_file("T").unwrap()
}

#[test]
fn who_may_not_write_to_the_file_of_a_unit_does_not_decide_about_it() {
    let catalog = Catalog::new("rights");
    let serving = catalog.serve();
    let (session, set) = prepared(&catalog);
    let client = Client::connect(&catalog.socket(), "other").unwrap();
    let decide = |path: &Path, output| {
        let file = rights(path, output).unwrap();
        client.decide("T", true, file.as_fd()).unwrap()
    };
    let refused = |done| match done {
        Err(Undecided::File(words)) => words,
        other => panic!("{other:?}"),
    };
    let words = refused(decide(&file(&session), false));
    assert!(words.contains("may not write"), "{words}");
    let words = refused(decide(&catalog.data("A"), true));
    assert!(words.contains("T.prepared"), "{words}");
    let without = Ask::Decide {
        name: "T",
        commit: true,
    };
    let words = client.ask(&without, |answer| match answer {
        Answer::Undecided(why) => Ok(refused(Err(*why))),
        other => panic!("{other:?}"),
    });
    assert!(words.as_ref().unwrap().contains("no descriptor"), "{words:?}");
    assert_eq!(reason(&mut set.string()), 24);
    assert_eq!(decide(&file(&session), true), Ok(()));
    assert_eq!(reason(&mut set.string()), 0);
    drop((set, session));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn a_unit_of_another_client_or_of_none_is_not_prepared() {
    let catalog = Catalog::new("nobodys");
    let serving = catalog.serve();
    let (session, set) = prepared(&catalog);
    let unit = session.engine.unit();
    let mut within = set.string_in(&unit);
    within.get(b"00004", Search::Equal, Intent::Update).unwrap();
    within.erase().unwrap();
    let client = Client::connect(&catalog.socket(), "other").unwrap();
    for number in 0..20 {
        let prepare = Ask::Prepare {
            unit: number,
            name: "OTHER",
        };
        let error = client.tell(&prepare).unwrap_err().to_string();
        assert!(error.contains("no such unit of recovery"), "{error}");
    }
    let units = session.engine.in_doubt().unwrap();
    assert_eq!(units.iter().map(|unit| &unit.name[..]).collect::<Vec<_>>(), ["T"]);
    unit.commit().unwrap();
    drop((within, unit, set, session));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

/// Who does not ask the owner, and who has decided without it, leaves a decision in the file alone.
#[test]
fn an_owner_frees_the_records_about_which_others_have_decided() {
    let catalog = Catalog::new("others");
    let serving = catalog.serve();
    let (session, set) = prepared(&catalog);
    assert_eq!(reason(&mut set.string()), 24);
    let alone = catalog.session(Sharing::Off);
    // What the owner has open nobody else takes back.
    let error = alone.back_out_prepared("T").unwrap_err().to_string();
    assert!(error.starts_with("A: "), "{error}");
    assert_eq!(reason(&mut set.string()), 24);
    alone.commit_prepared("T").unwrap();
    let is_free = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        reason(&mut set.string()) == 0
    });
    assert!(is_free, "the record of a unit that was committed is retained still");
    assert_eq!(
        set.string().get(b"00003", Search::Equal, Intent::Read).unwrap().bytes,
        b"00003 changed in a unit of T"
    );
    drop((set, session));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

/// A unit whose data set a program has for itself is decided about by that program, though there is an owner.
#[test]
fn what_a_program_has_for_itself_it_decides_about_itself() {
    let catalog = Catalog::new("itself");
    let serving = catalog.serve();
    for commit in [true, false] {
        let name = if commit { "B" } else { "C" };
        catalog.define(name);
        let session = catalog.session(Sharing::Auto);
        let set = open(&session, name, OpenOptions::output());
        assert!(!set.is_far());
        let record = b"00003 and what stands behind it";
        set.string().insert(record, Insert::Sequential).unwrap();
        set.end_load().unwrap();
        let unit = session.engine.unit();
        let mut within = set.string_in(&unit);
        within.get(b"00003", Search::Equal, Intent::Update).unwrap();
        within.update(b"00003 changed in a unit of T").unwrap();
        unit.prepare("T").unwrap();
        assert_eq!(reason(&mut set.string()), 24);
        let expected: &[u8] = if commit {
            session.commit_prepared("T").unwrap();
            b"00003 changed in a unit of T"
        } else {
            session.back_out_prepared("T").unwrap();
            record
        };
        assert_eq!(reason(&mut set.string()), 0);
        let mut string = set.string();
        let found = string.get(b"00003", Search::Equal, Intent::Read).unwrap();
        assert_eq!(found.bytes, expected);
    }
    stop(&catalog);
    serving.join().unwrap().unwrap();
}
