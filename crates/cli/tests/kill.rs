//! `kill -9` of a process that inserts: every record it acknowledged is there afterwards, and the structure is sound.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

/// Rounds of a test run; CICA_KILLS asks for more.
const ROUNDS: u32 = 20;

/// Small reproducible numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn acknowledged_records_survive_a_kill() {
    let rounds = std::env::var("CICA_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(ROUNDS);
    let seed = std::env::var("CICA_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(u64::from(std::process::id()));
    eprintln!("CICA_SEED={seed}");
    let mut random = Random(seed);
    let p = Place::new();
    p.names("0000 begin\n");
    let mut expected = BTreeSet::from(["0000".to_owned()]);
    for round in 0..rounds {
        let every = [1, 3, 50][random.below(3) as usize].to_string();
        let modes: [&[&str]; 2] = [
            &["--durability", "commit", "--commit-every", &every],
            &["--durability", "request"],
        ];
        let mode = modes[usize::from(round % 4 == 3)];
        let acknowledged = insert_and_kill(&p, &mut random, round, mode);
        expected.extend(acknowledged);
        let there: BTreeSet<String> = p
            .run(&["cat", "A.NAMES"])
            .done()
            .lines()
            .map(|line| line[..4].to_owned())
            .collect();
        let lost: Vec<&String> = expected.difference(&there).collect();
        assert!(lost.is_empty(), "seed {seed}, round {round}, {mode:?}: lost {lost:?}");
        // Records that were not acknowledged may be there too, and stay from now on.
        expected = there;
        let verified = p.run(&["verify", "A.NAMES"]).done();
        assert!(
            verified.contains("IDC01709I") && verified.contains("IDC01724I"),
            "{verified}"
        );
    }
}

/// The catalog is named from the directory it is in; who comes after the kill works elsewhere and names it whole.
#[test]
fn a_catalog_that_was_named_from_where_one_stood_is_recovered_from_elsewhere() {
    let p = Place::new();
    p.names("0000 begin\n");
    let mut command = p.command(&["put", "A.NAMES", "--ack", "--durability", "request"]);
    let mut child = command
        .env("CICA_CATALOG", "./catalog")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"0001 first\n").unwrap();
    let told = BufReader::new(child.stdout.take().unwrap()).lines().next();
    assert_eq!(told.unwrap().unwrap(), "0001");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut elsewhere = p.command(&["cat", "A.NAMES"]);
    elsewhere.current_dir("/");
    let found = finish(elsewhere, b"").done();
    assert_eq!(found.lines().count(), 2, "{found}");
}

/// Starts inserts in random order, kills the process after some acknowledgements, and returns these.
fn insert_and_kill(p: &Place, random: &mut Random, round: u32, mode: &[&str]) -> Vec<String> {
    let mut command = p.command(&[&["put", "A.NAMES", "--replace", "--ack"], mode].concat());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("cica starts");
    let feeder = feed(&mut child, random.below(u64::MAX), round);
    let enough = random.below(400);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged: Vec<String> = lines.by_ref().take(enough as usize).map(Result::unwrap).collect();
    // SIGKILL; what it wrote to the pipe before is still read.
    child.kill().unwrap();
    acknowledged.extend(lines.map_while(Result::ok).filter(|key| key.len() == 4));
    child.wait().unwrap();
    feeder.join().unwrap();
    assert!(
        acknowledged.len() as u64 >= enough,
        "it ended by itself after {}",
        acknowledged.len()
    );
    acknowledged
}

/// Writes records to the process until it is gone.
fn feed(child: &mut Child, seed: u64, round: u32) -> std::thread::JoinHandle<()> {
    let mut pipe = child.stdin.take().unwrap();
    std::thread::spawn(move || {
        let mut random = Random(seed);
        loop {
            let (key, length) = (1 + random.below(9999), random.below(60) as usize);
            let record = format!("{key:04} round {round} {}\n", "x".repeat(length));
            if pipe.write_all(record.as_bytes()).is_err() {
                return;
            }
        }
    })
}

#[test]
fn a_load_that_is_killed_leaves_a_data_set_that_opens() {
    let p = Place::new();
    p.cards(
        "DEFINE CLUSTER (NAME(A.LOAD) KEYS(8 0) RECSZ(80 80) CYL(5 5) REUSE)",
        &[],
    )
    .done();
    let args = ["import", "-", "A.LOAD", "--empty", "-q"];
    let mut child = p.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    for number in 0..30_000 {
        writeln!(pipe, "{number:08}{:72}", "x").unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // A prefix of the load, possibly nothing; and it can be loaded again.
    let left = p.run(&["cat", "A.LOAD"]);
    assert!([0, 12].contains(&left.status), "{}", left.err);
    for (number, line) in left.text().lines().enumerate() {
        assert_eq!(line[..8], format!("{number:08}"));
    }
    p.run_with(&args, b"00000001 only\n").done();
    assert_eq!(p.run(&["cat", "A.LOAD"]).done(), "00000001 only\n");
    p.run(&["verify", "A.LOAD"]).done();
}
