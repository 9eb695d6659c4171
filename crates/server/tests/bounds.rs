//! What a client may have of the owner's memory has a bound, and an answer that would be too long ends nothing.
#![allow(clippy::unwrap_used)]

mod common;

use cica::Ksds;
use cica_share::words::{Answer, Ask, Opening};
use cica_share::Client;
use common::Catalog;
use std::os::fd::AsFd;

fn opened(client: &Client, catalog: &Catalog, name: &str) -> u32 {
    let how = Opening {
        output: true,
        reset: false,
        reset_anyway: false,
        alone: false,
        durability: 1,
    };
    let file = cica_share::rights(&catalog.data(name), true).unwrap();
    let ask = Ask::Open { name, through: "", how };
    let opened = client.ask_with(&ask, Some(file.as_fd()), |answer| match answer {
        Answer::Opened(opened) => Ok(opened.set),
        other => panic!("{other:?}"),
    });
    let set = opened.unwrap();
    client.tell(&Ask::Whole { set, what: 0 }).unwrap();
    set
}

fn locking(string: u32, record: &[u8]) -> Ask<'_> {
    let (alone, wait) = (true, 0);
    Ask::Lock {
        string,
        record,
        alone,
        wait,
    }
}

fn stop(catalog: &Catalog) {
    let client = Client::connect(&catalog.socket(), "stop").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
}

#[test]
fn no_name_is_longer_than_a_key() {
    let catalog = Catalog::new("long-names");
    catalog.define("A");
    let serving = catalog.serve();
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    let set = opened(&client, &catalog, "A");
    let string = client.number(&Ask::String { set, unit: 0, with: 0 }).unwrap() as u32;
    for length in [6, 300, (20 << 20) - 100] {
        let refused = client.tell(&locking(string, &vec![b'x'; length])).unwrap_err();
        assert_eq!(refused.feedback().reason, 112, "{length}: {refused}");
    }
    client.tell(&locking(string, b"00001")).unwrap();
    let unlocked = client.number(&Ask::Unlock {
        string,
        record: b"00001",
    });
    assert_eq!(unlocked.unwrap(), 1);
    drop(client);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn strings_and_units_of_a_client_have_a_bound() {
    let catalog = Catalog::new("so-many");
    catalog.define("A");
    let serving = catalog.serve();
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    let set = opened(&client, &catalog, "A");
    for (ask, most) in [(Ask::String { set, unit: 0, with: 0 }, 16_320), (Ask::Unit, 4_096)] {
        let mut last = 0;
        for _ in 0..most {
            last = client.number(&ask).unwrap() as u32;
        }
        let refused = client.number(&ask).unwrap_err();
        assert!(refused.to_string().contains("as many as one may have"), "{refused}");
        // Who gives one back may have another.
        let back = match ask {
            Ask::Unit => Ask::DropUnit { unit: last },
            _ => Ask::DropString { string: last },
        };
        client.tell(&back).unwrap();
        client.number(&ask).unwrap();
    }
    // It is the bound of one client.
    let other = Client::connect(&catalog.socket(), "other").unwrap();
    other.number(&Ask::Unit).unwrap();
    drop((client, other));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn a_list_of_locks_that_would_be_too_long_is_cut() {
    const LOCKS: u32 = 60_000;
    let catalog = Catalog::new("many-locks");
    let name = "A.DATASET.THAT.HAS.THE.LONGEST.NAME.THERE.IS";
    let ksds = Ksds::new(name).key(0..255).records(255, 300);
    catalog.store().define(ksds).unwrap();
    let serving = catalog.serve();
    let program = "a program with a long name, as some have it, and it is longer still";
    let client = Client::connect(&catalog.socket(), program).unwrap();
    let set = opened(&client, &catalog, name);
    let string = client.number(&Ask::String { set, unit: 0, with: 0 }).unwrap() as u32;
    for key in 0..LOCKS {
        let record = format!("{key:0>255}").into_bytes();
        client.tell(&locking(string, &record)).unwrap();
    }
    let told = client.ask(&Ask::Status, |answer| match answer {
        Answer::Status(status) => Ok((status.locks.len() as u64, status.unlisted)),
        other => panic!("{other:?}"),
    });
    let (listed, unlisted) = told.unwrap();
    assert!(
        listed > 1000 && unlisted > 0 && listed + unlisted == u64::from(LOCKS),
        "{listed} {unlisted}"
    );
    assert!(!client.is_gone());
    client.number(&Ask::Unit).unwrap();
    drop(client);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}
