//! A client that waits for ever, or does not read what it is answered, keeps nobody else from a data set, nor the owner
//! from its end.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::{Insert, Intent, OpenOptions, Search};
use cica_session::Sharing;
use cica_share::words::{parse, Answer, Ask, By, How, Opening, FOREVER, VERSION};
use cica_share::{Client, Line};
use common::{open, Catalog};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Whoever is not blocked is through long before.
const LONG: Duration = Duration::from_secs(20);

fn record(key: u32) -> Vec<u8> {
    format!("{key:05}{:#<75}", "").into_bytes()
}

/// Does it become so in time?
fn comes(what: impl Fn() -> bool) -> bool {
    let end = Instant::now() + LONG;
    while Instant::now() < end {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn opening(output: bool) -> Ask<'static> {
    Ask::Open {
        name: "A",
        through: "",
        how: Opening {
            output,
            reset: false,
            reset_anyway: false,
            alone: false,
            durability: 1,
        },
    }
}

#[test]
fn who_waits_for_ever_keeps_nobody_from_the_data_set() {
    let catalog = Catalog::new("waits-for-ever");
    catalog.define("A");
    let serving = catalog.serve();
    // It comes first, so that it ends before who is hostile.
    let victim = catalog.session(Sharing::On);
    let set = open(&victim, "A", OpenOptions::output());
    set.string().insert(&record(1), Insert::Sequential).unwrap();
    set.end_load().unwrap();
    let unit = victim.engine.unit();
    let mut within = set.string_in(&unit);
    within.rewrite(b"00001", &record(1)).unwrap();

    let hostile = Arc::new(Client::connect(&catalog.socket(), "hostile").unwrap());
    let file = cica_share::rights(&catalog.data("A"), true).unwrap();
    let number = hostile.ask_with(&opening(true), Some(file.as_fd()), |answer| match answer {
        Answer::Opened(opened) => Ok(opened.set),
        other => panic!("{other:?}"),
    });
    let number = number.unwrap();
    let string = Ask::String {
        set: number,
        unit: 0,
        with: 0,
    };
    let string = hostile.number(&string).unwrap() as u32;
    let wait = FOREVER;
    hostile.tell(&Ask::Patience { string, wait }).unwrap();
    let asks = |ask: Ask<'static>| {
        let hostile = hostile.clone();
        // What it is answered, and when, is not of interest.
        drop(std::thread::spawn(move || hostile.ask(&ask, |_| Ok(())).is_ok()));
    };
    let (by, how) = (By::Key(b"00001"), How::get(Search::Equal, Intent::Update));
    asks(Ask::Get { string, by, how });
    let watch = Client::connect(&catalog.socket(), "watch").unwrap();
    let waits = || {
        let waits = watch.ask(&Ask::Status, |answer| match answer {
            Answer::Status(status) => Ok(status.locks.iter().any(|lock| !lock.waiters.is_empty())),
            other => panic!("{other:?}"),
        });
        waits.unwrap()
    };
    assert!(comes(waits));
    let (set_of, unit_of, with) = (number, 0, string);
    asks(Ask::String {
        set: set_of,
        unit: unit_of,
        with,
    });
    std::thread::sleep(Duration::from_millis(200));
    asks(Ask::Close { set: number });
    std::thread::sleep(Duration::from_millis(200));

    let (tells, told) = channel();
    let comer = catalog.session(Sharing::On);
    std::thread::spawn(move || {
        let set = open(&comer, "A", OpenOptions::output());
        let closed = set.close().is_ok();
        tells.send(closed).unwrap();
    });
    assert_eq!(told.recv_timeout(LONG), Ok(true), "nobody opens and closes it");
    watch.tell(&Ask::Stop { drain: false }).unwrap();
    assert!(comes(|| serving.is_finished()), "the owner does not end");
    serving.join().unwrap().unwrap();
    drop((within, unit, set, watch));
}

/// A connection of a session, or of a new one.
fn connected(catalog: &Catalog, session: u64) -> (Line, u64) {
    let mut line = Line::new(Box::new(UnixStream::connect(catalog.socket()).unwrap()));
    line.set_patience(Some(LONG)).unwrap();
    let hello = Ask::Hello {
        version: VERSION,
        session,
        program: "hostile",
    };
    let number = number(&mut line, &hello, None);
    (line, number)
}

fn number(line: &mut Line, ask: &Ask<'_>, file: Option<std::os::fd::BorrowedFd<'_>>) -> u64 {
    line.send(ask, file).unwrap();
    let mut space = Vec::new();
    match parse(line.receive(&mut space).unwrap().unwrap()).unwrap() {
        Answer::Number(number) => number,
        Answer::Opened(opened) => opened.set.into(),
        other => panic!("{ask:?}: {other:?}"),
    }
}

#[test]
fn who_does_not_read_an_answer_has_no_string_locked() {
    let catalog = Catalog::new("does-not-read");
    catalog.define("A");
    let session = catalog.session(Sharing::Off);
    let set = open(&session, "A", OpenOptions::output());
    let mut string = set.string();
    for key in 0..5000 {
        string.insert(&record(key), Insert::Sequential).unwrap();
    }
    drop(string);
    set.end_load().unwrap();
    set.close().unwrap();
    let serving = catalog.serve();
    let (mut silent, number_of) = connected(&catalog, 0);
    let (mut other, _) = connected(&catalog, number_of);
    let file = cica_share::rights(&catalog.data("A"), false).unwrap();
    let set = number(&mut silent, &opening(false), Some(file.as_fd())) as u32;
    let string = number(&mut silent, &Ask::String { set, unit: 0, with: 0 }, None) as u32;
    // More than the system keeps for who does not read.
    let step = Ask::Step {
        string,
        backward: false,
        how: How::get(Search::Equal, Intent::Read),
        batch: 4096,
        into_area: false,
    };
    silent.send(&step, None).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    // It is refused, or blocked, where the string is locked still.
    let with = Ask::String {
        set,
        unit: 0,
        with: string,
    };
    assert!(number(&mut other, &with, None) > 0);
    let stop = Client::connect(&catalog.socket(), "stop").unwrap();
    stop.tell(&Ask::Stop { drain: false }).unwrap();
    assert!(comes(|| serving.is_finished()), "the owner does not end");
    serving.join().unwrap().unwrap();
    drop((silent, other));
}
