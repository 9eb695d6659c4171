//! Units of recovery over shared data sets in doubt: whatever dies, they wait for a decision, and a server that runs
//! makes it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Access, Argument, DataSet, Insert, Intent, OpenOptions, ReadIntegrity, RequestError, Search, Str};
use cica_session::{Session, Start};
use common::Place;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What a client process is to do, and the unit's name.
const WHAT: &str = "CICA_TEST_WHAT";
const UNIT: &str = "CICA_TEST_UNIT";

fn session() -> Session {
    let start = Start {
        pool: Some(16 << 20),
        sharing: cica_session::sharing_from_environment().unwrap(),
        ..Start::default()
    };
    Session::start(start).unwrap()
}

fn open(session: &Session, name: &str) -> DataSet {
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    session.open(&Name::parse(name).unwrap(), options).unwrap().1
}

fn for_update(string: &mut Str, key: &str) -> Result<(), RequestError> {
    string
        .get(Argument::Key(key.as_bytes()), Search::Equal, Intent::Update)
        .map(drop)
}

fn update(string: &mut Str, record: &str) -> Result<(), RequestError> {
    for_update(string, &record[..4])?;
    string.update(record.as_bytes()).map(drop)
}

fn said<T: std::fmt::Display>(done: Result<T, RequestError>) -> String {
    match done {
        Ok(done) => done.to_string(),
        Err(error) => {
            let feedback = error.feedback();
            let named = if error.to_string().contains("T-1") { " T-1" } else { "" };
            format!("{}/{}{named}", feedback.return_code, feedback.reason)
        }
    }
}

/// A client process of the others: it prepares a unit and waits to be killed, or tells what it meets.
#[test]
fn client() {
    let (Ok(what), Ok(unit)) = (std::env::var(WHAT), std::env::var(UNIT)) else {
        return;
    };
    let session = session();
    let (a, b) = (open(&session, "A.DOUBT"), open(&session, "B.DOUBT"));
    assert!(a.is_far() && b.is_far());
    if what == "look" {
        look(&a, &b);
        return;
    }
    let of = session.engine.unit();
    let (mut first, mut second) = (a.string_in(&of), b.string_in(&of));
    update(&mut first, "0001 changed in a unit").unwrap();
    for_update(&mut first, "0002").unwrap();
    first.erase().unwrap();
    let _rba = first.insert(b"0050 inserted in a unit", Insert::Direct).unwrap();
    update(&mut second, "0001 changed in a unit").unwrap();
    // No name of it is taken for one, and the unit is open still.
    for wrong in ["", "../T", "T 1"] {
        let error = of.prepare(wrong).unwrap_err().to_string();
        assert!(error.contains("is no name"), "{error}");
    }
    of.prepare(&unit).unwrap();
    // Nor is a name that another has.
    update(&mut first, "0003 changed in the next unit").unwrap();
    let error = of.prepare(&unit).unwrap_err().to_string();
    assert!(error.contains(&unit) && error.contains("another name"), "{error}");
    assert_eq!(of.changes(), 1);
    // What it has prepared is not its own any more.
    assert_eq!(
        said(update(&mut first, "0001 changed again").map(|()| "done")),
        "8/24 T-1"
    );
    println!("prepared");
    match what.as_str() {
        "wait" => std::thread::sleep(Duration::from_secs(600)),
        "commit" => session.commit_prepared(&unit).unwrap(),
        _ => session.back_out_prepared(&unit).unwrap(),
    }
    println!("decided");
}

/// Says what another client meets.
fn look(a: &DataSet, b: &DataSet) {
    let (mut reads, mut changes) = (a.string(), a.string());
    let text = |record: cica_engine::Record<'_>| String::from_utf8_lossy(record.bytes).into_owned();
    for integrity in [ReadIntegrity::None, ReadIntegrity::Consistent] {
        reads.set_integrity(integrity);
        for key in ["0001", "0002", "0003", "0004", "0050"] {
            let got = reads.get(Argument::Key(key.as_bytes()), Search::Equal, Intent::Read);
            println!("saw {key} {}", said(got.map(text)));
        }
    }
    for key in ["0001", "0002", "0003", "0050"] {
        println!(
            "saw {key} for update {}",
            said(for_update(&mut changes, key).map(|()| "free"))
        );
        changes.end();
    }
    println!(
        "saw 0002 inserted {}",
        said(changes.insert(b"0002 of another", Insert::Direct).map(|_| "done"))
    );
    println!(
        "saw 0001 of B {}",
        said(for_update(&mut b.string(), "0001").map(|()| "free"))
    );
}

/// Who has a record has had it for some time, whether somebody waits for it or not.
#[test]
fn a_lock_is_shown_with_since_when() {
    let place = Place::with_data_sets();
    let mut client = place.prepared();
    let locks = place.run(&["server", "locks", "--json"]).json();
    let locks = locks.as_array().unwrap();
    assert!(!locks.is_empty());
    for lock in locks {
        let seconds = lock["seconds"].as_u64();
        assert!(seconds.is_some_and(|seconds| seconds < 600), "{lock}");
    }
    let lines = place.run(&["server", "locks"]).done();
    let column = lines.lines().next().unwrap().find("SINCE").unwrap() + "SINCE".len();
    for line in lines.lines().skip(1) {
        assert!(line[..column].ends_with(" s"), "{lines}");
    }
    client.kill().unwrap();
    client.wait().unwrap();
    place.run(&["server", "stop"]).done();
}

impl Place {
    fn with_data_sets() -> Place {
        let place = Place::new();
        for name in ["A.DOUBT", "B.DOUBT"] {
            let cards = format!(
                "DEFINE CLUSTER (NAME({name}) INDEXED KEYS(4 0) -\n RECORDSIZE(20 80) RECORDS(500 50) SHAREOPTIONS(3 3))"
            );
            place.cards(&cards, &[]).done();
            let records = b"0001 one of them\n0002 two of them\n0003 three of them\n0004 four of them\n";
            place.run_with(&["put", name, "--quiet"], records).done();
        }
        place
    }

    fn client(&self, what: &str) -> Command {
        let mut client = self.command(&[]);
        let envs: Vec<_> = client
            .get_envs()
            .map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned)))
            .collect();
        client = Command::new(std::env::current_exe().unwrap());
        for (name, value) in envs {
            match value {
                Some(value) => client.env(name, value),
                None => client.env_remove(name),
            };
        }
        client
            .args(["--exact", "client", "--nocapture"])
            .env("CICA_SHARE", "on")
            .env("CICA_SERVER", env!("CARGO_BIN_EXE_cica"))
            .env(WHAT, what)
            .env(UNIT, "T-1")
            .stdout(Stdio::piped());
        client
    }

    /// A client that has prepared the unit, and waits.
    fn prepared(&self) -> Child {
        let mut client = self.client("wait").spawn().unwrap();
        let mut lines = BufReader::new(client.stdout.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "prepared"), "the client has ended");
        client
    }

    /// What another client meets.
    fn look(&self) -> Vec<String> {
        let done = self.client("look").output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{text}");
        let saw = text.lines().filter_map(|line| line.strip_prefix("saw "));
        saw.map(String::from).collect()
    }

    fn kill_server(&self) {
        let status = self.run(&["server", "status", "--json"]).json();
        let process = rustix::process::Pid::from_raw(status["process"].as_i64().unwrap() as i32).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        // Its locks of files end with it, a moment behind its connections.
        let gone = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            rustix::process::test_kill_process(process).is_err()
        });
        assert!(gone, "the server was killed and is there");
    }

    /// What is there for one that has the data set for itself.
    fn records(&self, name: &str) -> String {
        self.run(&["server", "stop"]);
        let reads = |_: u32| {
            let read = self.run(&["cat", name]);
            let waits = read.err.contains("in use");
            if waits {
                std::thread::sleep(Duration::from_millis(10));
            }
            (!waits).then(|| read.done())
        };
        (0..500).find_map(reads).expect("a free data set")
    }
}

/// What another client meets while the unit is in doubt; 0003 belongs to a unit that was not prepared.
fn in_doubt(is_gone: bool) -> Vec<&'static str> {
    let third = if is_gone {
        [
            "0003 0003 three of them",
            "0003 0003 three of them",
            "0003 for update free",
        ]
    } else {
        [
            "0003 0003 changed in the next unit",
            "0003 8/20",
            "0003 for update 8/20",
        ]
    };
    vec![
        "0001 0001 changed in a unit",
        "0002 8/16",
        third[0],
        "0004 0004 four of them",
        "0050 0050 inserted in a unit",
        "0001 8/24 T-1",
        "0002 8/24 T-1",
        third[1],
        "0004 0004 four of them",
        "0050 8/24 T-1",
        "0001 for update 8/24 T-1",
        "0002 for update 8/24 T-1",
        third[2],
        "0050 for update 8/24 T-1",
        "0002 inserted 8/24 T-1",
        "0001 of B 8/24 T-1",
    ]
}

const COMMITTED: &str = "0001 changed in a unit\n0003 three of them\n0004 four of them\n0050 inserted in a unit\n";
const BACKED_OUT: &str = "0001 one of them\n0002 two of them\n0003 three of them\n0004 four of them\n";

fn decided(place: &Place, commit: bool) {
    let done = place.run(&["indoubt", if commit { "commit" } else { "backout" }, "T-1"]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert_eq!(
        place.run(&["indoubt", "ls"]).done(),
        "no unit of recovery is in doubt\n"
    );
    let again = place.run(&["indoubt", "commit", "T-1"]);
    again.failed(8, &["CICA1083E", "T-1"]);
}

fn is_as_decided(place: &Place, commit: bool) {
    let expected = if commit { COMMITTED } else { BACKED_OUT };
    assert_eq!(place.records("A.DOUBT"), expected);
    let of_b = place.records("B.DOUBT");
    let first = if commit {
        "0001 changed in a unit\n"
    } else {
        "0001 one of them\n"
    };
    assert!(of_b.starts_with(first), "{of_b}");
    for name in ["A.DOUBT", "B.DOUBT"] {
        place.run(&["verify", name, "--quiet"]).done();
    }
}

#[test]
fn the_death_of_its_client_changes_nothing() {
    for commit in [true, false] {
        let place = Place::with_data_sets();
        let mut client = place.prepared();
        assert_eq!(place.look(), in_doubt(false));
        client.kill().unwrap();
        client.wait().unwrap();
        let is_back = (0..200).any(|_| place.look() == in_doubt(true));
        assert!(is_back, "{:?}", place.look());
        decided(&place, commit);
        // The server that has the data sets open has freed the records.
        let seen = place.look();
        let (first, insert) = if commit {
            ("0001 0001 changed in a unit", "0002 inserted done")
        } else {
            ("0001 0001 one of them", "0002 inserted 8/8")
        };
        for line in [first, insert, "0001 for update free", "0001 of B free"] {
            assert!(seen.iter().any(|seen| seen == line), "{line}: {seen:?}");
        }
        assert!(!seen.iter().any(|line| line.contains("8/24")), "{seen:?}");
    }
}

#[test]
fn the_death_of_the_server_changes_nothing() {
    for (commit, with_server) in [(true, false), (false, false), (true, true), (false, true)] {
        let place = Place::with_data_sets();
        let mut client = place.prepared();
        place.kill_server();
        if with_server {
            // The next one retains its records before it answers anybody.
            assert_eq!(place.look(), in_doubt(true));
        }
        decided(&place, commit);
        client.kill().unwrap();
        client.wait().unwrap();
        is_as_decided(&place, commit);
    }
}

#[test]
fn the_death_of_both_changes_nothing() {
    for commit in [true, false] {
        let place = Place::with_data_sets();
        let mut client = place.prepared();
        client.kill().unwrap();
        client.wait().unwrap();
        place.kill_server();
        assert_eq!(place.look(), in_doubt(true));
        place.kill_server();
        assert_eq!(place.look(), in_doubt(true));
        decided(&place, commit);
        is_as_decided(&place, commit);
    }
}

#[test]
fn its_client_decides_through_the_server() {
    for (what, commit) in [("commit", true), ("backout", false)] {
        let place = Place::with_data_sets();
        let done = place.client(what).output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success() && text.contains("decided"), "{text}");
        is_as_decided(&place, commit);
    }
}
