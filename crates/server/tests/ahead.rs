//! What is read ahead for a browse: it is not waited for, and it is not shown when the program has undone it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::{DataSet, Insert, Intent, LockMode, OpenOptions, Patience, ReadIntegrity, Search, Str};
use cica_session::Sharing;
use cica_share::words::Ask;
use cica_share::Client;
use common::{open, Catalog};
use std::time::{Duration, Instant};

fn record(key: u32, value: u32) -> Vec<u8> {
    format!("{key:05} is {value:05} and more").into_bytes()
}

fn loaded(set: &DataSet) {
    let mut string = set.string();
    for key in (2..40).step_by(2) {
        string.insert(&record(key, 0), Insert::Sequential).unwrap();
    }
    drop(string);
    set.end_load().unwrap();
}

fn stop(catalog: &Catalog) {
    let client = Client::connect(&catalog.socket(), "stop").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
}

fn next(string: &mut Str) -> Vec<u8> {
    string.next(Intent::Read).unwrap().bytes.to_vec()
}

#[test]
fn a_browse_waits_for_no_record_that_was_not_asked_for() {
    let catalog = Catalog::new("not-asked-for");
    catalog.define("A");
    let serving = catalog.serve();
    let (one, two) = (catalog.session(Sharing::On), catalog.session(Sharing::On));
    let set = open(&one, "A", OpenOptions::output());
    loaded(&set);
    let other = open(&two, "A", OpenOptions::output());
    let unit = two.engine.unit();
    let mut within = other.string_in(&unit);
    within.rewrite(b"00008", &record(8, 1)).unwrap();

    let mut browse = set.string();
    browse.set_integrity(ReadIntegrity::Consistent);
    browse.set_patience(Patience::Until(Duration::from_secs(16)));
    let begun = Instant::now();
    for key in [2, 4, 6] {
        assert_eq!(next(&mut browse), record(key, 0));
    }
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    // The record itself is waited for.
    std::thread::scope(|scope| {
        let ending = unit.clone();
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            ending.commit().unwrap();
        });
        assert_eq!(next(&mut browse), record(8, 1));
    });
    for key in (10..40).step_by(2) {
        assert_eq!(next(&mut browse), record(key, 0));
    }
    drop((browse, within, unit));
    set.close().unwrap();
    other.close().unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn what_was_read_ahead_is_not_shown_when_it_is_undone() {
    let catalog = Catalog::new("undone");
    catalog.define("A");
    let serving = catalog.serve();
    let session = catalog.session(Sharing::On);
    let set = open(&session, "A", OpenOptions::output());
    loaded(&set);
    let second = open(&session, "A", OpenOptions::output());
    // What was read ahead is good for a moment only, so not every round would show it.
    for round in 0..20 {
        let unit = session.engine.unit();
        let mut within = set.string_in(&unit);
        within.insert(&record(7, round), Insert::Direct).unwrap();
        let mut browse = set.string();
        browse.point(b"00004", Search::Equal).unwrap();
        assert_eq!(next(&mut browse), record(4, 0));
        assert_eq!(next(&mut browse), record(6, 0));
        if round % 2 == 0 {
            unit.backout().unwrap();
        } else {
            // Given up, it is taken back.
            drop((within, unit));
        }
        assert_eq!(next(&mut browse), record(8, 0), "round {round}");
    }
    let mut changes = second.string();
    for round in 1..20 {
        let mut browse = set.string();
        browse.point(b"00004", Search::Equal).unwrap();
        assert_eq!(next(&mut browse), record(4, 0));
        assert_eq!(next(&mut browse), record(6, 0));
        changes.rewrite(b"00008", &record(8, round)).unwrap();
        assert_eq!(next(&mut browse), record(8, round), "round {round}");
    }
    drop(changes);
    set.close().unwrap();
    second.close().unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

/// What another program has changed before the lock would be changed back by who was shown the record as it was.
#[test]
fn a_record_that_was_read_ahead_before_it_was_locked_is_not_shown_after_it() {
    let catalog = Catalog::new("locked-after");
    catalog.define("A");
    let serving = catalog.serve();
    let (one, two) = (catalog.session(Sharing::On), catalog.session(Sharing::On));
    let set = open(&one, "A", OpenOptions::output());
    loaded(&set);
    let other = open(&two, "A", OpenOptions::output());
    let (mut locks, mut changes) = (set.string(), other.string());
    // What was read ahead is good for a moment only, so not every round would show it.
    for round in 1..20 {
        let mut browse = set.string();
        browse.point(b"00004", Search::Equal).unwrap();
        assert_eq!(next(&mut browse), record(4, 0));
        assert_eq!(next(&mut browse), record(6, 0));
        changes.rewrite(b"00008", &record(8, round)).unwrap();
        locks.lock(b"00008", LockMode::Exclusive, Patience::None).unwrap();
        assert_eq!(next(&mut browse), record(8, round), "round {round}");
        assert!(locks.unlock(b"00008"));
    }
    drop((locks, changes));
    set.close().unwrap();
    other.close().unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();
}
