//! What clients of an owner get is what a program gets that has the data set for itself; and what a client has ends
//! with it.
#![allow(clippy::unwrap_used)]

mod common;

use cica::Ksds;
use cica_admin::listcat::{Listcat, Listed, Which};
use cica_admin::shcds::{Chosen, Shcds, ShcdsResult};
use cica_admin::Services;
use cica_catalog::space::Unit;
use cica_catalog::Name;
use cica_engine::{
    Argument, Buffering, DataSet, Insert, Intent, LockMode, OpenOptions, Patience, ReadIntegrity, RequestError, Search,
    Str, UnitOfRecovery,
};
use cica_server::{Serve, ServeError};
use cica_session::Sharing;
use cica_share::words::{parse, Answer, Ask, By, How, Opening, VERSION};
use cica_share::{Client, Line};
use common::{open, Catalog};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

/// An error, without the name of who has a record: only the owner knows one.
fn words(error: &RequestError) -> String {
    let words = error.to_string();
    match (words.split_once(" is held by "), error.feedback()) {
        (Some((record, _)), feedback) => format!("{record} is held: {feedback:?}"),
        (None, _) => words,
    }
}

/// What a request answered, in words.
fn said(string: &mut Str, what: u64, key: &[u8; 5], record: &[u8]) -> String {
    fn got(got: Result<cica_engine::Record<'_>, RequestError>) -> String {
        match got {
            Ok(record) => format!("{:?}", record.bytes),
            Err(error) => words(&error),
        }
    }
    let done = |done: Result<(), RequestError>| done.map_or_else(|error| words(&error), |()| "done".into());
    match what {
        0..=11 => got(string.next(Intent::Read)),
        12..=15 => got(string.prev(Intent::Read)),
        16 => got(string.next(Intent::Update)),
        17 => got(string.get(Argument::Key(key), Search::Equal, Intent::Read)),
        18 => got(string.get(Argument::Key(&key[..3]), Search::GreaterOrEqual, Intent::Position)),
        19 => got(string.get(Argument::Key(key), Search::GreaterOrEqual, Intent::Update)),
        20 => done(string.point(Argument::Key(key), Search::GreaterOrEqual)),
        21 => done(string.point_backward(Argument::Key(key), Search::GreaterOrEqual)),
        22 => done(string.insert(record, Insert::Direct).map(drop)),
        23 => {
            let update = string.last().bytes.to_vec();
            done(string.update(&update).map(drop))
        }
        24 => done(string.erase()),
        25 => done(string.rewrite(Argument::Key(key), record).map(drop)),
        26 => done(string.point_last()),
        27 => got(string.skip(Argument::Key(key), Search::GreaterOrEqual, Intent::Read)),
        _ => {
            string.end();
            "ended".into()
        }
    }
}

/// A reader, which shows what is committed or more, and one that changes records: alone, together with the reader, or
/// in a unit of recovery.
fn strings(set: &DataSet, unit: &UnitOfRecovery, seed: u64) -> [Str; 2] {
    let mut reads = set.string();
    let changes = match seed % 3 {
        0 => set.string(),
        1 => set.string_in(unit),
        _ => set.string_with(&mut reads),
    };
    reads.set_integrity(integrity(seed % 5));
    [reads, changes]
}

fn integrity(number: u64) -> ReadIntegrity {
    match number {
        0 | 1 => ReadIntegrity::None,
        2 => ReadIntegrity::Repeatable,
        3 => ReadIntegrity::Locked,
        _ => ReadIntegrity::Consistent,
    }
}

#[test]
fn each_request_is_answered_as_in_one_process() {
    let catalog = Catalog::new("same");
    catalog.define("FAR");
    catalog.define("NEAR");
    let serving = catalog.serve();
    let (far, near) = (catalog.session(Sharing::On), catalog.session(Sharing::Off));
    for seed in 0..60 {
        let sets = [
            open(&far, "FAR", OpenOptions::output()),
            open(&near, "NEAR", OpenOptions::output()),
        ];
        sets.iter().for_each(|set| set.end_load().unwrap());
        assert!(sets[0].is_far() && !sets[1].is_far());
        // Two strings on each: what one changes the other sees, though it has read ahead. The other may be in a unit.
        let units = [far.engine.unit(), near.engine.unit()];
        let mut strings = [strings(&sets[0], &units[0], seed), strings(&sets[1], &units[1], seed)];
        let mut numbers = Numbers(seed);
        for step in 0..600 {
            if numbers.below(30) == 0 {
                let ended = units.each_ref().map(|unit| match (step + seed) % 2 {
                    0 => unit.commit(),
                    _ => unit.backout(),
                });
                assert!(ended.iter().all(Result::is_ok), "{ended:?}");
            }
            if numbers.below(25) == 0 {
                let integrity = integrity(numbers.below(5));
                strings
                    .iter_mut()
                    .for_each(|strings| strings[0].set_integrity(integrity));
            }
            let key = format!("{:05}", numbers.below(90));
            let record = format!("{key}{:0>width$}", step, width = 15 + numbers.below(40) as usize);
            // One string browses most of the time, so that it has read ahead when the other one changes something.
            let (what, which) = match numbers.below(2) {
                0 => (numbers.below(13), 0),
                _ => (numbers.below(29), numbers.below(4).min(1) as usize),
            };
            let key: &[u8; 5] = key.as_bytes().try_into().unwrap();
            let [a, b] = &mut strings;
            let (a, b) = (&mut a[which], &mut b[which]);
            let answers = [
                said(a, what, key, record.as_bytes()),
                said(b, what, key, record.as_bytes()),
            ];
            assert_eq!(
                answers[0], answers[1],
                "seed {seed}, step {step}, request {what} on string {which}"
            );
        }
        drop(strings);
        units.iter().for_each(|unit| unit.commit().unwrap());
        drop(units);
        let [far, near] = sets;
        assert_eq!(far.facts().data.records, near.facts().data.records);
        assert_eq!(far.examine().unwrap().findings, []);
        far.close().unwrap();
        near.close().unwrap();
    }
    drop(far);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

fn stop(catalog: &Catalog) {
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
}

fn record(key: u32) -> Vec<u8> {
    format!("{key:05} and what stands behind it").into_bytes()
}

#[test]
fn a_client_that_goes_takes_its_unit_and_its_holds_with_it() {
    let catalog = Catalog::new("death");
    catalog.define("A");
    let serving = catalog.serve();
    let stays = catalog.session(Sharing::On);
    let set = open(&stays, "A", OpenOptions::output());
    let mut string = set.string();
    for key in 0..10 {
        string.insert(&record(key), Insert::Sequential).unwrap();
    }
    set.end_load().unwrap();

    let goes = Client::connect(&catalog.socket(), "goes").unwrap();
    let within = string_in_unit(&goes, &catalog, "A");
    let (by, how) = (By::Key(b"00003"), How::get(Search::Equal, Intent::Update));
    goes.ask(
        &Ask::Get {
            string: within,
            by,
            how,
        },
        |_| Ok(()),
    )
    .unwrap();
    goes.tell(&Ask::Erase { string: within }).unwrap();
    let how = How::insert(Insert::Direct);
    let insert = Ask::Insert {
        string: within,
        rrn: 0,
        how,
        record: &record(77),
    };
    goes.ask(&insert, |_| Ok(())).unwrap();
    // What a unit has changed is its own until it ends.
    assert_eq!(
        string.insert(&record(3), Insert::Direct).unwrap_err().feedback().reason,
        20
    );
    drop(goes);

    let back = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        string.get(b"00003", Search::Equal, Intent::Update).is_ok()
    });
    assert!(back, "the unit of a client that has gone is open still");
    assert_eq!(
        string
            .get(b"00077", Search::Equal, Intent::Read)
            .unwrap_err()
            .feedback()
            .reason,
        16
    );
    stop(&catalog);
    serving.join().unwrap().unwrap();
    // The owner has ended, and says so to who is left; what was done is there for whoever opens the data set next.
    let gone = string.get(b"00001", Search::Equal, Intent::Read).unwrap_err();
    assert_eq!(
        (gone.feedback().return_code, gone.feedback().reason),
        (12, 16),
        "{gone}"
    );
    let after = catalog.session(Sharing::Off);
    let set = open(&after, "A", OpenOptions::input());
    assert_eq!(set.facts().data.records, 10);
    assert_eq!(
        set.string().get(b"00003", Search::Equal, Intent::Read).unwrap().bytes,
        record(3)
    );
}

/// A string of a unit, by messages.
fn string_in_unit(client: &Client, catalog: &Catalog, name: &str) -> u32 {
    let file = cica_share::rights(&catalog.data(name), true).unwrap();
    let set = client.ask_with(&OPEN(name), Some(file.as_fd()), |answer| match answer {
        Answer::Opened(opened) => Ok(opened.set),
        other => panic!("{other:?}"),
    });
    let unit = client.number(&Ask::Unit).unwrap() as u32;
    client
        .number(&Ask::String {
            set: set.unwrap(),
            unit,
            with: 0,
        })
        .unwrap() as u32
}

/// An open for output.
const OPEN: fn(&str) -> Ask<'_> = |name| Ask::Open {
    name,
    through: "",
    how: Opening {
        output: true,
        reset: false,
        reset_anyway: false,
        alone: false,
        durability: 0,
    },
};

#[test]
fn a_unit_that_cannot_go_back_is_shunted_and_everybody_else_goes_on() {
    let catalog = Catalog::new("shunted");
    // All the room it will ever have.
    let small = Ksds::new("A").key(0..5).records(80, 80).space(Unit::Tracks, 1, 0);
    catalog.store().define(small).unwrap();
    catalog.define("B");
    let serving = catalog.serve();
    let stays = catalog.session(Sharing::On);
    let (a, b) = (
        open(&stays, "A", OpenOptions::output()),
        open(&stays, "B", OpenOptions::output()),
    );
    let long = |key: u32| format!("{key:05}{:75}", "").into_bytes();
    let mut string = a.string();
    let mut count = 0;
    while string.insert(&long(count * 10), Insert::Sequential).is_ok() {
        count += 1;
    }
    assert!(count > 100, "{count}");
    a.end_load().unwrap();
    b.string().insert(&record(1), Insert::Sequential).unwrap();
    b.end_load().unwrap();
    // Half of the records are erased in a unit, and others take their room.
    let goes = Client::connect(&catalog.socket(), "goes").unwrap();
    let within = string_in_unit(&goes, &catalog, "A");
    let erase = |key: u32| {
        let (key, how) = (format!("{key:05}"), How::get(Search::Equal, Intent::Update));
        let by = By::Key(key.as_bytes());
        goes.ask(
            &Ask::Get {
                string: within,
                by,
                how,
            },
            |_| Ok(()),
        )
        .unwrap();
        goes.tell(&Ask::Erase { string: within }).unwrap();
    };
    (1..count).step_by(2).for_each(|key| erase(key * 10));
    // This one it has locked, and not changed: that ends with it.
    goes.tell(&Ask::Lock {
        string: within,
        record: b"00000",
        alone: true,
        wait: 0,
    })
    .unwrap();
    let mut filled = Vec::new();
    for key in 0..count * 10 {
        if key % 10 != 0 && string.insert(&long(key), Insert::Direct).is_ok() {
            filled.push(key);
        }
    }
    assert!(filled.len() > 20);
    drop(goes);
    let watch = Client::connect(&catalog.socket(), "watch").unwrap();
    let shunted = || {
        let shunted = |answer: Answer<'_>| match answer {
            Answer::Status(status) => Ok((status.shunted, status.locks)),
            other => panic!("{other:?}"),
        };
        watch.ask(&Ask::Status, shunted).unwrap()
    };
    let found = (0..400).find_map(|_| {
        std::thread::sleep(Duration::from_millis(5));
        Some(shunted()).filter(|(units, _)| !units.is_empty())
    });
    let (units, locks) = found.expect("a shunted unit");
    assert_eq!(
        (units.len(), units[0].data_sets.as_slice()),
        (1, ["A".to_owned()].as_slice())
    );
    assert!(
        units[0].changes > 0 && units[0].why.contains("8/28") || units[0].why.contains("room"),
        "{units:?}"
    );
    assert!(
        units[0].of.contains("goes") && locks.iter().any(|lock| lock.retained),
        "{units:?} {locks:?}"
    );
    // What it has erased may come back: nobody else makes it. All others go on, with this data set too.
    let erased = (1..count)
        .step_by(2)
        .map(|key| string.insert(&long(key * 10), Insert::Direct));
    let codes: Vec<u8> = erased.filter_map(|done| Some(done.err()?.feedback().reason)).collect();
    assert!(
        codes.contains(&24) && codes.iter().all(|code| [8, 24, 28].contains(code)),
        "{codes:?}"
    );
    string.rewrite(b"00000", &long(0)).unwrap();
    let unit = stays.engine.unit();
    b.string_in(&unit).rewrite(b"00001", &record(1)).unwrap();
    unit.commit().unwrap();
    // SHCDS shows it, and what it keeps.
    let services = Services::of(&stays);
    let of_a = Chosen::Sphere("A".into());
    let listed = services.shcds(&Shcds::Shunted(of_a.clone())).result;
    assert!(
        matches!(&listed, ShcdsResult::Shunted(all) if all.len() == 1 && all[0].of.as_ref().is_some_and(|of| of.contains("goes"))),
        "{listed:?}"
    );
    let listed = services.shcds(&Shcds::Shunted(Chosen::Sphere("B".into()))).result;
    assert_eq!(listed, ShcdsResult::Shunted(Vec::new()));
    let state = |name: &str| match services.shcds(&Shcds::DataSet(name.into())).result {
        ShcdsResult::DataSet(state) => (state.retained, state.users.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!((state("A"), state("B")), ((true, 1), (false, 1)));
    let rls_in_use = || {
        let request = Listcat {
            which: Which::Entries(vec!["A".into()]),
            figures: true,
            ..Listcat::default()
        };
        let mut in_use = Vec::new();
        let outcome = services.listcat(&request, &mut |listed| {
            if let Listed::Entry { entry, nested: false } = listed {
                in_use.extend(entry.cluster.map(|cluster| cluster.in_use));
            }
        });
        assert_eq!(outcome.condition, 0);
        in_use
    };
    assert_eq!(rls_in_use(), [true]);
    let listed = services.shcds(&Shcds::Subsystems).result;
    assert!(
        matches!(&listed, ShcdsResult::Subsystems(all) if all.is_empty()),
        "this process alone: {listed:?}"
    );
    // Without room a retry says why not; with room it takes the rest back.
    let retry = Shcds::Retry(of_a);
    let refused = services.shcds(&retry);
    assert_eq!((refused.condition, refused.messages[0].entry.id), (8, "CICA1018E"));
    let unknown = services.shcds(&Shcds::Purge(Chosen::Unit(77)));
    assert_eq!((unknown.condition, unknown.messages[0].entry.id), (8, "CICA1018E"));
    for key in filled {
        string
            .get(
                Argument::Key(format!("{key:05}").as_bytes()),
                Search::Equal,
                Intent::Update,
            )
            .unwrap();
        string.erase().unwrap();
    }
    // It is tried again by itself too: then there is none any more.
    let retried = services.shcds(&retry);
    assert!(["CICA1019I", "CICA1018E"].contains(&retried.messages[0].entry.id));
    let (units, locks) = shunted();
    assert!(units.is_empty() && locks.is_empty(), "{units:?} {locks:?}");
    let mut reader = a.string();
    for key in 0..count {
        assert_eq!(reader.next(Intent::Read).unwrap().bytes, long(key * 10));
    }
    drop((string, reader, unit));
    a.close().unwrap();
    b.close().unwrap();
    assert_eq!(rls_in_use(), [false]);
    drop((watch, services, stays));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn what_a_client_may_do_is_what_its_descriptor_allows() {
    let catalog = Catalog::new("rights");
    catalog.define("A");
    catalog.define("B");
    let serving = catalog.serve();
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    let (reads, other) = (
        cica_share::rights(&catalog.data("A"), false),
        cica_share::rights(&catalog.data("B"), true),
    );
    let (reads, other) = (reads.unwrap(), other.unwrap());
    for descriptor in [None, Some(reads.as_fd()), Some(other.as_fd())] {
        let refused = client.ask_with(&OPEN("A"), descriptor, |answer| match answer {
            Answer::NotOpened { reason, .. } => Ok(reason),
            other => panic!("{other:?}"),
        });
        assert_eq!(refused.unwrap(), 152);
    }
    drop(client);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn who_sends_nonsense_is_told_so_and_nobody_else_notices() {
    let catalog = Catalog::new("nonsense");
    catalog.define("A");
    let serving = catalog.serve();
    let stays = catalog.session(Sharing::On);
    let set = open(&stays, "A", OpenOptions::output());
    set.end_load().unwrap();
    let mut numbers = Numbers(7);
    for round in 0..300 {
        let mut stream = UnixStream::connect(catalog.socket()).unwrap();
        let length = numbers.below(200) as usize;
        let mut bytes: Vec<u8> = (0..length).map(|_| numbers.below(256) as u8).collect();
        if round % 3 != 0 {
            // A right length, so that the body is looked at.
            let body = (bytes.len() as u32).to_le_bytes();
            bytes.splice(0..0, body);
        }
        // The owner may have closed it before all is written.
        let _ = stream.write_all(&bytes);
    }
    // After a greeting numbers that are none are answered by words.
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    for ask in [
        Ask::Close { set: 1 },
        Ask::Facts { set: 9 },
        Ask::String {
            set: 5,
            unit: 6,
            with: 0,
        },
        Ask::String {
            set: 5,
            unit: 0,
            with: 7,
        },
        Ask::Integrity { string: 4, what: 9 },
        Ask::Erase { string: 4 },
        Ask::Commit { unit: 3, durability: 9 },
    ] {
        assert_eq!(client.tell(&ask).unwrap_err().feedback().reason, 16, "{ask:?}");
    }
    set.string().insert(&record(1), Insert::Direct).unwrap();
    assert_eq!(set.facts().data.records, 1);
    drop((set, client));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn who_speaks_another_version_is_told_so() {
    let catalog = Catalog::new("version");
    let serving = catalog.serve();
    for (version, known) in [(VERSION, true), (VERSION + 1, false), (VERSION - 1, false)] {
        let mut line = Line::new(Box::new(UnixStream::connect(catalog.socket()).unwrap()));
        let (session, program) = (0, "test");
        line.send(
            &Ask::Hello {
                version,
                session,
                program,
            },
            None,
        )
        .unwrap();
        let mut space = Vec::new();
        let answer = parse::<Answer<'_>>(line.receive(&mut space).unwrap().unwrap()).unwrap();
        match answer {
            Answer::Number(_) => assert!(known, "version {version}"),
            Answer::Nonsense(words) => assert!(!known && words.contains("cica server stop"), "{words}"),
            other => panic!("{other:?}"),
        }
    }
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn there_is_one_owner_and_it_ends_when_it_is_drained() {
    let catalog = Catalog::new("one");
    catalog.define("A");
    let serving = catalog.serve();
    let second = cica_server::serve(catalog.session(Sharing::Off), Serve::default(), |_| panic!("two serve"));
    assert!(matches!(second, Err(ServeError::AnotherServes { .. })));
    let client = Client::connect(&catalog.socket(), "stays").unwrap();
    client.tell(&Ask::Stop { drain: true }).unwrap();
    // Who comes may ask how far it is, or end it, and opens nothing.
    let comes = Client::connect(&catalog.socket(), "comes").unwrap();
    let mut state = None;
    comes
        .ask(&Ask::Status, |answer| {
            if let Answer::Status(status) = answer {
                state = Some((status.draining, status.clients.len()));
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(state, Some((true, 2)));
    let late = catalog.session(Sharing::On);
    let refused = late.open(&"A".parse().unwrap(), OpenOptions::input()).err().unwrap();
    assert!(refused.to_string().contains("drained"), "{refused}");
    assert!(!serving.is_finished());
    // It ends with those who were there before.
    drop(client);
    serving.join().unwrap().unwrap();
    assert!(!catalog.socket().exists());
}

#[test]
fn two_clients_work_on_one_data_set() {
    let catalog = Catalog::new("two");
    catalog.define("A");
    let serving = catalog.serve();
    let clients = [catalog.session(Sharing::On), catalog.session(Sharing::On)];
    let sets = clients
        .each_ref()
        .map(|client| open(client, "A", OpenOptions::output()));
    sets[0].end_load().unwrap();
    std::thread::scope(|scope| {
        for (number, set) in sets.iter().enumerate() {
            scope.spawn(move || {
                let mut string = set.string();
                for key in 0..500 {
                    string.insert(&record(key * 2 + number as u32), Insert::Direct).unwrap();
                }
            });
        }
    });
    let mut string = sets[1].string();
    let mut keys = 0;
    while let Ok(got) = string.next(Intent::Read) {
        assert_eq!(got.bytes, record(keys));
        keys += 1;
    }
    assert_eq!(keys, 1000);
    // A unit of one keeps the other away from its records, and its commit lets him in.
    let unit = clients[0].engine.unit();
    let mut within = sets[0].string_in(&unit);
    within.rewrite(b"00007", &record(7)).unwrap();
    assert_eq!(string.rewrite(b"00007", &record(7)).unwrap_err().feedback().reason, 20);
    unit.commit().unwrap();
    string.rewrite(b"00007", &record(7)).unwrap();
    // Open for input, it changes nothing.
    let reads = open(&clients[1], "A", OpenOptions::input());
    assert_eq!(
        reads
            .string()
            .insert(&record(9999), Insert::Direct)
            .unwrap_err()
            .feedback()
            .reason,
        68
    );
    drop((within, string));
    for set in sets {
        set.close().unwrap();
    }
    reads.close().unwrap();
    // Nobody has it any more, so it is anybody's.
    let alone = catalog.session(Sharing::Off);
    let set = open(&alone, "A", OpenOptions::output());
    assert_eq!(set.facts().data.records, 1000);
    set.close().unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn who_is_patient_waits_for_a_record_and_a_circle_is_refused() {
    let catalog = Catalog::new("wait");
    catalog.define("A");
    let serving = catalog.serve();
    let clients = [catalog.session(Sharing::On), catalog.session(Sharing::On)];
    let sets = clients
        .each_ref()
        .map(|client| open(client, "A", OpenOptions::output()));
    for key in 0..4 {
        sets[0].string().insert(&record(key), Insert::Sequential).unwrap();
    }
    sets[0].end_load().unwrap();
    let units = clients.each_ref().map(|client| client.engine.unit());
    let mut strings = [sets[0].string_in(&units[0]), sets[1].string_in(&units[1])];
    for (string, key) in strings.iter_mut().zip([b"00001", b"00002"]) {
        string.rewrite(key, &record(key[4].into())[..0]).unwrap_err();
        string.rewrite(key, &record(u32::from(key[4] - b'0'))).unwrap();
    }
    // Without patience the answer says who has it.
    let refused = strings[1].rewrite(b"00001", &record(1)).unwrap_err();
    assert_eq!(refused.feedback().reason, 20);
    assert!(
        refused.to_string().contains(&format!("process {}", std::process::id())),
        "{refused}"
    );
    let [first, second] = &mut strings;
    first.set_patience(Patience::Forever);
    second.set_patience(Patience::Until(Duration::from_secs(20)));
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || first.rewrite(b"00002", &record(2)).map(drop));
        let watch = Client::connect(&catalog.socket(), "watch").unwrap();
        let waiting = (0..400).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            let waiters = |answer: Answer<'_>| match answer {
                Answer::Status(status) => {
                    let mut waited = status.locks.iter().filter(|lock| !lock.waiters.is_empty());
                    // The list says of which data set the record is, who has it, and who waits.
                    let told = waited
                        .next()
                        .map(|lock| (lock.data_set.as_str(), &lock.key[..], lock.waiters.len()));
                    assert!(told.is_none_or(|told| told == ("A", b"00002", 1)), "{told:?}");
                    Ok(told.is_some())
                }
                other => panic!("{other:?}"),
            };
            watch.ask(&Ask::Status, waiters).unwrap()
        });
        assert!(waiting, "nobody waits");
        let circle = second.rewrite(b"00001", &record(1)).unwrap_err();
        assert_eq!(circle.feedback().reason, 21, "{circle}");
        units[1].backout().unwrap();
        waits.join().unwrap().unwrap();
    });
    units[0].commit().unwrap();
    // A lock by name keeps an updater away until it is given back, or its owner has gone.
    let [first, second] = &mut strings;
    first.lock(b"00003", LockMode::Exclusive, Patience::None).unwrap();
    second.set_patience(Patience::Until(Duration::from_millis(20)));
    assert_eq!(second.rewrite(b"00003", &record(3)).unwrap_err().feedback().reason, 22);
    let waits = Patience::Until(Duration::from_millis(20));
    let late = second.lock(b"00003", LockMode::Exclusive, waits).unwrap_err();
    assert_eq!(late.feedback().reason, 22);
    assert!(first.unlock(b"00003") && !first.unlock(b"00003"));
    second.rewrite(b"00003", &record(3)).unwrap();
    units[1].commit().unwrap();
    drop((strings, units, sets));
    // All of that was counted: for the owner, for the data set, and for each client.
    let watch = Client::connect(&catalog.socket(), "watch").unwrap();
    let sums = watch.ask(&Ask::Status, |answer| match answer {
        Answer::Status(status) => {
            assert_eq!(status.data_sets.len(), 1);
            assert_eq!((status.data_sets[0].name.as_str(), status.data_sets[0].opens), ("A", 0));
            assert!(status.clients.iter().any(|client| client.sums.counters[0] > 0));
            Ok([status.sums, status.data_sets[0].sums.clone()])
        }
        other => panic!("{other:?}"),
    });
    for sums in sums.unwrap() {
        let [requests, refused, waits, contended, _, deadlocks, timeouts, retained] = sums.counters;
        // The first requests met nobody. Then one was refused, one waited, one would have waited for ever, two waited
        // in vain, a change and a lock: each of the five has met a record once.
        assert!(requests >= 20 && refused == 6, "{sums:?}");
        assert_eq!(
            (waits, contended, deadlocks, timeouts, retained),
            (3, 5, 1, 2, 0),
            "{sums:?}"
        );
        assert_eq!(sums.times.iter().sum::<u64>(), requests);
    }
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn who_asks_for_buffers_of_its_own_is_not_given_those_of_the_owner() {
    let catalog = Catalog::new("own-buffers");
    catalog.define("A.KSDS");
    let serving = catalog.serve();
    let session = catalog.session(Sharing::On);
    let options = OpenOptions::output().buffered(Buffering::default());
    let refused = session.open(&Name::parse("A.KSDS").unwrap(), options).err().unwrap();
    assert_eq!(refused.acberflg(), 132);
    assert!(refused.to_string().contains("A.KSDS: it is shared"), "{refused}");
    // Without them it is opened.
    drop(open(&session, "A.KSDS", OpenOptions::output()));
    drop(session);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn an_owner_that_finds_a_data_set_with_another_says_so_and_goes_on() {
    let catalog = Catalog::new("taken");
    catalog.define("TAKEN");
    catalog.define("FREE");
    let other = catalog.session(Sharing::Off);
    let taken = open(&other, "TAKEN", OpenOptions::output());
    let serving = catalog.serve();
    let session = catalog.session(Sharing::On);
    let (tells, told) = std::sync::mpsc::channel();
    let asks = std::thread::spawn(move || {
        let refused = session.open(&Name::parse("TAKEN").unwrap(), OpenOptions::output());
        tells.send(refused.map(|_| ()).unwrap_err().to_string()).unwrap();
        session
    });
    let said = told
        .recv_timeout(Duration::from_secs(60))
        .expect("the owner waits for itself");
    let session = asks.join().unwrap();
    assert!(said.contains("TAKEN") && said.contains("in use"), "{said}");
    // It has not waited for itself: all else is served.
    open(&session, "FREE", OpenOptions::output()).close().unwrap();
    taken.close().unwrap();
    open(&session, "TAKEN", OpenOptions::output()).close().unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn a_record_that_was_shown_is_not_shown_again_when_it_comes_back() {
    let catalog = Catalog::new("comes-back");
    catalog.define("A.KSDS");
    let serving = catalog.serve();
    let (one, two) = (catalog.session(Sharing::On), catalog.session(Sharing::On));
    let set = open(&one, "A.KSDS", OpenOptions::output());
    let mut changes = set.string();
    for key in 1..20 {
        changes.insert(&record(key), Insert::Sequential).unwrap();
    }
    set.end_load().unwrap();
    for integrity in [ReadIntegrity::None, ReadIntegrity::Consistent] {
        let mut browse = set.string();
        browse.set_integrity(integrity);
        for key in 1..=5 {
            assert_eq!(browse.next(Intent::Read).unwrap().bytes, record(key));
        }
        // What it has read ahead is dropped by a change of its own program, and another erases what it was shown last.
        changes.rewrite(b"00019", &record(19)).unwrap();
        let other = open(&two, "A.KSDS", OpenOptions::output());
        let unit = two.engine.unit();
        let mut erases = other.string_in(&unit);
        erases.get(b"00005", Search::Equal, Intent::Update).unwrap();
        erases.erase().unwrap();
        // A look at where it stands, and the record comes back.
        assert_eq!(browse.next(Intent::Read).unwrap().bytes, record(6), "{integrity:?}");
        unit.backout().unwrap();
        assert_eq!(browse.next(Intent::Read).unwrap().bytes, record(7), "{integrity:?}");
        drop(erases);
        other.close().unwrap();
    }
    drop(changes);
    set.close().unwrap();
    stop(&catalog);
    serving.join().unwrap().unwrap();
}
