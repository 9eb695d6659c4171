//! Units whose owner goes: what became of one that was committed or prepared just then, and that none is taken for one
//! of the next owner.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::SystemClock;
use cica_engine::{DataSet, Insert, Intent, OpenOptions, RequestError, Search};
use cica_session::{Session, Sharing};
use cica_share::words::Ask;
use cica_share::{rights, Client, Dial, HangUp, Received, Wire};
use common::{open, Catalog};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::Arc;
use std::time::Duration;

fn record(key: u32) -> Vec<u8> {
    format!("{key:05} and what stands behind it").into_bytes()
}

fn stop(catalog: &Catalog) {
    let client = Client::connect(&catalog.socket(), "stop").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
}

/// Ends the load of a data set, so that units may change it.
fn loaded(set: &DataSet) {
    set.string().insert(&record(0), Insert::Sequential).unwrap();
    set.end_load().unwrap();
}

/// Is there a record of the data set?
fn has(session: &Session, key: u32) -> bool {
    let set = open(session, "A", OpenOptions::default());
    let key = format!("{key:05}");
    let got = set.string().get(key.as_bytes(), Search::Equal, Intent::Read).map(drop);
    set.close().unwrap();
    match got {
        Ok(()) => true,
        Err(RequestError::NotFound) => false,
        Err(error) => panic!("{error}"),
    }
}

/// An owner whose connections end instead of the next answer, once that is said. What was asked it has done.
struct Mute {
    socket: PathBuf,
    says_nothing: Arc<AtomicBool>,
}

struct MuteWire(Box<dyn Wire>, Arc<AtomicBool>);

impl Dial for Mute {
    fn dial(&self) -> std::io::Result<Box<dyn Wire>> {
        Ok(Box::new(MuteWire(self.socket.dial()?, self.says_nothing.clone())))
    }
}

impl Wire for MuteWire {
    fn send(&mut self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
        self.0.send(bytes, descriptor)
    }

    fn receive(&mut self, room: &mut [u8]) -> std::io::Result<Received> {
        let received = self.0.receive(room)?;
        if self.1.load(SeqCst) {
            return Ok((0, None));
        }
        Ok(received)
    }

    fn hang_up(&self) -> Option<HangUp> {
        self.0.hang_up()
    }
}

/// A data set of an owner that may say nothing any more.
fn opened(catalog: &Catalog) -> (DataSet, Arc<AtomicBool>) {
    let says_nothing = Arc::new(AtomicBool::new(false));
    let owner = Mute {
        socket: catalog.socket(),
        says_nothing: says_nothing.clone(),
    };
    let client = Arc::new(Client::over(Box::new(owner), "test", Arc::new(SystemClock)).unwrap());
    let file = rights(&catalog.data("A"), true).unwrap();
    let set = cica_share::open(&client, ("A", ""), OpenOptions::output(), file.as_fd());
    (set.unwrap(), says_nothing)
}

#[test]
fn a_backout_does_not_say_that_a_unit_was_taken_back_where_nobody_knows_it() {
    let catalog = Catalog::new("unanswered");
    catalog.define("A");
    let serving = catalog.serve();
    let session = catalog.session(Sharing::On);
    let other = open(&session, "A", OpenOptions::output());
    loaded(&other);
    let unit = session.engine.unit();

    let (set, says_nothing) = opened(&catalog);
    set.string_in(&unit).insert(&record(1), Insert::Direct).unwrap();
    says_nothing.store(true, SeqCst);
    let error = unit.commit().unwrap_err().to_string();
    assert!(
        error.contains("whether the unit of recovery was committed is not known"),
        "{error}"
    );
    let error = unit.backout().unwrap_err();
    assert_eq!((error.feedback().return_code, error.feedback().reason), (12, 16));
    assert!(error.to_string().contains("committed is not known"), "{error}");
    assert!(has(&session, 1), "it stands");
    // It was said, and the handle is free for its next unit.
    unit.backout().unwrap();

    let (set, says_nothing) = opened(&catalog);
    set.string_in(&unit).insert(&record(2), Insert::Direct).unwrap();
    says_nothing.store(true, SeqCst);
    let error = unit.prepare("T").unwrap_err().to_string();
    assert!(error.contains("prepared is not known"), "{error}");
    let error = unit.backout().unwrap_err().to_string();
    assert!(error.contains("units in doubt"), "{error}");
    session.back_out_prepared("T").unwrap();

    // Where nothing of that kind was asked, an owner that is gone has taken it back.
    let (set, says_nothing) = opened(&catalog);
    let mut within = set.string_in(&unit);
    within.insert(&record(3), Insert::Direct).unwrap();
    says_nothing.store(true, SeqCst);
    within.insert(&record(4), Insert::Direct).unwrap_err();
    unit.commit().unwrap_err();
    unit.backout().unwrap();
    let is_free = (0..400).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        other.string().insert(&record(3), Insert::Direct).is_ok()
    });
    assert!(is_free && !has(&session, 4));
    drop((within, set));
    other.close().unwrap();
    drop(session);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

/// Its program would do it again.
#[test]
fn no_commit_is_done_without_an_answer_by_an_owner_that_ends_in_order() {
    const PROGRAMS: u32 = 6;
    let catalog = Catalog::new("last-answers");
    catalog.define("A");
    for round in 0..4 {
        let serving = catalog.serve();
        // Programs of their own, or threads of one.
        let clients = if round % 2 == 0 { PROGRAMS } else { 1 };
        let sessions: Vec<Session> = (0..clients).map(|_| catalog.session(Sharing::On)).collect();
        let sets: Vec<DataSet> = sessions.iter().map(|of| open(of, "A", OpenOptions::output())).collect();
        if round == 0 {
            loaded(&sets[0]);
        }
        let committed = AtomicU32::new(0);
        let last: Vec<(u32, bool)> = std::thread::scope(|scope| {
            let program = |number: u32| {
                let client = (number % clients) as usize;
                let (session, set, committed) = (&sessions[client], &sets[client], &committed);
                move || {
                    let unit = session.engine.unit();
                    let mut string = set.string_in(&unit);
                    let begin = 1 + (round * PROGRAMS + number) * 1000;
                    for key in begin..begin + 1000 {
                        if string.insert(&record(key), Insert::Direct).is_err() {
                            return (key, false);
                        }
                        if let Err(error) = unit.commit() {
                            assert!(!error.to_string().contains("not known"), "{error}");
                            return (key, false);
                        }
                        committed.fetch_add(1, SeqCst);
                    }
                    (begin + 999, true)
                }
            };
            let programs: Vec<_> = (0..PROGRAMS).map(|number| scope.spawn(program(number))).collect();
            while committed.load(SeqCst) < 100 {
                std::thread::sleep(Duration::from_millis(1));
            }
            stop(&catalog);
            programs.into_iter().map(|program| program.join().unwrap()).collect()
        });
        serving.join().unwrap().unwrap();
        drop((sets, sessions));
        let session = catalog.session(Sharing::Off);
        for (key, was_answered) in last {
            assert_eq!(has(&session, key), was_answered, "{key}");
        }
    }
}

#[test]
fn a_unit_of_an_owner_that_is_gone_is_none_of_the_next_one() {
    let catalog = Catalog::new("next-owners-unit");
    catalog.define("A");
    let serving = catalog.serve();
    let session = catalog.session(Sharing::On);
    let set = open(&session, "A", OpenOptions::output());
    loaded(&set);
    let (first, second) = (session.engine.unit(), session.engine.unit());
    let mut before = set.string();
    before.get(b"00000", Search::Equal, Intent::Read).unwrap();
    set.string_in(&first).insert(&record(1), Insert::Direct).unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();

    // Its numbers begin anew.
    let serving = catalog.serve();
    let set = open(&session, "A", OpenOptions::output());
    let mut strings: Vec<_> = (0..4).map(|_| set.string_in(&second)).collect();
    for (key, string) in (10..).zip(&mut strings) {
        string.insert(&record(key), Insert::Direct).unwrap();
    }
    let mut astray = set.string_in(&first);
    let refused = astray.insert(&record(2), Insert::Direct).unwrap_err().to_string();
    assert!(refused.contains("has gone"), "{refused}");
    let mut astray = set.string_with(&mut before);
    let refused = astray.get(b"00000", Search::Equal, Intent::Read).map(drop).unwrap_err();
    assert!(refused.to_string().contains("has gone"), "{refused}");
    second.commit().unwrap();
    first.backout().unwrap();
    set.string_in(&first).insert(&record(3), Insert::Direct).unwrap();
    first.commit().unwrap();
    assert_eq!(
        [1, 2, 3, 10, 13].map(|key| has(&session, key)),
        [false, false, true, true, true]
    );
    drop((strings, astray, before));
    set.close().unwrap();
    drop(session);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}
