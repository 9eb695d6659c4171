//! Batches of a browse come through memory that the owner fills: the records are the same, whoever has the memory harms
//! nobody by it, and it goes back.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::{Insert, Intent, OpenOptions, ReadIntegrity, RequestError, Search, Str};
use cica_session::Sharing;
use cica_share::batch::Batch;
use cica_share::words::{parse, Answer, Ask, How, Opening, AREA, VERSION};
use cica_share::{Client, Line, UNUSED};
use common::{open, Catalog};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

const RECORDS: u32 = 30_000;

/// Memory is counted for the process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A record, of any length that there may be.
fn record(key: u32) -> Vec<u8> {
    let mut record = format!("{key:05}").into_bytes();
    record.resize(20 + key as usize * 7 % 61, b'a' + (key % 26) as u8);
    record
}

/// A data set with all records, and an owner.
fn served(test: &str) -> (Catalog, std::thread::JoinHandle<Result<(), String>>) {
    let catalog = Catalog::new(test);
    catalog.define("A");
    let session = catalog.session(Sharing::Off);
    let set = open(&session, "A", OpenOptions::output());
    let mut string = set.string();
    for key in 0..RECORDS {
        string.insert(&record(key), Insert::Sequential).unwrap();
    }
    drop(string);
    set.end_load().unwrap();
    set.close().unwrap();
    let serving = catalog.serve();
    (catalog, serving)
}

fn stop(catalog: &Catalog, serving: std::thread::JoinHandle<Result<(), String>>) {
    let client = Client::connect(&catalog.socket(), "stop").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
    serving.join().unwrap().unwrap();
}

/// Areas of this process, the owner's and the clients'.
fn areas() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().filter(|line| line.contains("/memfd:cica ")).count()
}

/// Does it become so within some time?
fn comes(what: impl Fn() -> bool) -> bool {
    let end = Instant::now() + 10 * UNUSED;
    while Instant::now() < end {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn reads(string: &mut Str, keys: std::ops::Range<u32>) {
    for key in keys {
        assert_eq!(string.next(Intent::Read).unwrap().bytes, record(key));
    }
}

#[test]
fn a_browse_is_the_same_and_its_memory_goes_back() {
    let _alone = alone();
    let (catalog, serving) = served("browse");
    let session = catalog.session(Sharing::On);
    let set = open(&session, "A", OpenOptions::output());
    let mut string = set.string();
    // A read of a few records asks for no memory.
    reads(&mut string, 0..20);
    assert_eq!(areas(), 0);
    reads(&mut string, 20..2_000);
    assert_eq!(areas(), 2, "the owner's and the client's");
    // Another request in between: the string stands where the program believes it.
    string.rewrite(b"01000", &record(1000)).unwrap();
    string.point(b"01001", Search::Equal).unwrap();
    reads(&mut string, 1001..3_000);
    for key in (500..2_999).rev() {
        assert_eq!(string.prev(Intent::Read).unwrap().bytes, record(key));
    }
    string.set_integrity(ReadIntegrity::Consistent);
    reads(&mut string, 501..10_000);
    assert_eq!(areas(), 2);

    // The owner takes it back from who does not read on; what was read ahead is asked for again.
    assert!(comes(|| areas() == 1), "memory that nobody uses stays");
    reads(&mut string, 10_000..RECORDS);
    assert!(matches!(string.next(Intent::Read), Err(RequestError::EndOfData)));

    // ENDREQ, and the end of a string, give it back.
    string.set_integrity(ReadIntegrity::None);
    string.point_first().unwrap();
    reads(&mut string, 0..1_000);
    assert_eq!(areas(), 2);
    string.end();
    assert_eq!(areas(), 0);
    string.point_first().unwrap();
    reads(&mut string, 0..1_000);
    assert_eq!(areas(), 2);
    drop(string);
    assert_eq!(areas(), 0);
    set.close().unwrap();
    stop(&catalog, serving);
}

/// A client that speaks for itself.
struct Raw {
    line: Line,
    space: Vec<u8>,
}

impl Raw {
    fn new(catalog: &Catalog) -> Raw {
        let line = Line::new(Box::new(UnixStream::connect(catalog.socket()).unwrap()));
        let mut raw = Raw {
            line,
            space: Vec::new(),
        };
        let hello = Ask::Hello {
            version: VERSION,
            session: 0,
            program: "raw",
        };
        raw.number(&hello, None);
        raw
    }

    fn ask(&mut self, ask: &Ask<'_>, file: Option<BorrowedFd<'_>>) -> (Answer<'_>, Option<OwnedFd>) {
        self.line.send(ask, file).unwrap();
        let body = self.line.receive(&mut self.space).unwrap().unwrap();
        (parse(body).unwrap(), self.line.descriptor.take())
    }

    fn number(&mut self, ask: &Ask<'_>, file: Option<BorrowedFd<'_>>) -> (u32, Option<OwnedFd>) {
        match self.ask(ask, file) {
            (Answer::Number(number), file) => (number as u32, file),
            (Answer::Opened(opened), file) => (opened.set, file),
            (other, _) => panic!("{ask:?}: {other:?}"),
        }
    }

    /// A data set.
    fn set(&mut self, catalog: &Catalog) -> u32 {
        let how = Opening {
            output: false,
            reset: false,
            reset_anyway: false,
            alone: false,
            durability: 1,
        };
        let (name, through) = ("A", "");
        let file = cica_share::rights(&catalog.data("A"), false).unwrap();
        self.number(&Ask::Open { name, through, how }, Some(file.as_fd())).0
    }

    fn string(&mut self, set: u32) -> u32 {
        self.number(&Ask::String { set, unit: 0, with: 0 }, None).0
    }

    /// Steps into the string's memory; how many bytes came there, and in the answer.
    fn step(&mut self, string: u32) -> (usize, usize) {
        let ask = Ask::Step {
            string,
            backward: false,
            how: How::get(Search::Equal, Intent::Read),
            batch: 4096,
            into_area: true,
        };
        match self.ask(&ask, None).0 {
            Answer::Records(there, here, _) => (there as usize, here.len()),
            other => panic!("{other:?}"),
        }
    }
}

/// The records in the memory.
fn records(file: &OwnedFd, length: usize) -> Vec<Vec<u8>> {
    let mut bytes = vec![0; length];
    let file = std::fs::File::from(file.try_clone().unwrap());
    file.read_exact_at(&mut bytes, 0).unwrap();
    let mut batch = Batch::default();
    batch.fill(0..0, &bytes);
    let mut all = Vec::new();
    while batch.take(|| true) {
        all.push(batch.last().unwrap().bytes.to_vec());
    }
    all
}

#[test]
fn who_spoils_his_memory_or_dies_with_it_harms_nobody() {
    let _alone = alone();
    let (catalog, serving) = served("spoiled");
    let mut raw = Raw::new(&catalog);
    let set = raw.set(&catalog);
    let string = raw.string(set);
    let (length, file) = raw.number(&Ask::Area { string }, None);
    let file = file.unwrap();
    assert_eq!(length as usize, AREA);
    // It is the same when it is asked for again, and it can be neither cut nor sealed.
    assert!(raw.number(&Ask::Area { string }, None).1.is_some());
    assert_eq!(areas(), 1);
    assert!(rustix::fs::ftruncate(&file, 0).is_err() && rustix::fs::ftruncate(&file, 1 << 40).is_err());
    assert!(rustix::fs::fcntl_add_seals(&file, rustix::fs::SealFlags::WRITE).is_err());
    let own = std::fs::File::from(file.try_clone().unwrap());
    let expected = |from: usize, count: usize| (from..from + count).map(|key| record(key as u32)).collect::<Vec<_>>();
    let mut seen = 0;
    for round in 0..4 {
        let hole = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        match round {
            1 => own.write_all_at(&[0xFF; AREA], 0).unwrap(),
            2 => rustix::fs::fallocate(&file, hole, 0, AREA as u64).unwrap(),
            _ => {}
        }
        let (there, here) = raw.step(string);
        assert!(there > AREA / 2 && there <= AREA, "{there}");
        let mut found = records(&file, there);
        // The one that found no room came with the answer.
        let rest = usize::from(here > 0);
        assert_eq!(found, expected(seen, found.len()));
        seen += found.len() + rest;
        found.clear();
    }
    // A string that has no memory: all comes in the answer.
    let other = raw.string(set);
    assert_eq!(raw.step(other).0, 0);
    assert_eq!(raw.number(&Ask::Area { string: 99 }, None).0, 0);

    // One client has so much and no more, and what he gives back he may have again.
    let strings: Vec<u32> = (0..20).map(|_| raw.string(set)).collect();
    let got: Vec<u32> = strings
        .iter()
        .filter_map(|string| raw.number(&Ask::Area { string: *string }, None).1.map(|_| *string))
        .collect();
    assert_eq!((got.len() + 1) * AREA, 4 << 20);
    raw.ask(&Ask::DropString { string: got[0] }, None);
    assert!(raw.number(&Ask::Area { string: other }, None).1.is_some());

    // It dies in the middle of a request: the pages go, though somebody has the descriptor.
    let step = Ask::Step {
        string,
        backward: false,
        how: How::get(Search::Equal, Intent::Read),
        batch: 4096,
        into_area: true,
    };
    raw.line.send(&step, None).unwrap();
    drop(raw);
    assert!(comes(|| areas() == 0), "memory of a client that died stays");
    assert!(comes(|| rustix::fs::fstat(&file).unwrap().st_blocks == 0));

    // Everybody else goes on.
    let session = catalog.session(Sharing::On);
    let set = open(&session, "A", OpenOptions::output());
    reads(&mut set.string(), 0..RECORDS);
    set.close().unwrap();
    stop(&catalog, serving);
}
