//! COMMIT and ROLLBACK of COBOL programs: over two files, at STOP RUN, after CLOSE, and after kill -9.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

const SOURCE: &str = include_str!("programs/units.cob");

fn begin(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("units", SOURCE);
    assert_eq!(place.run(&program, &["make"]), "");
    (place, program)
}

/// What the program lists when exactly these units stand, one after the other.
fn expected(units: impl IntoIterator<Item = u64>) -> String {
    let (mut master, mut journal) = (std::collections::BTreeMap::from([(1, 0)]), vec![(1, 0)]);
    for u in units {
        for s in 1..=100 {
            master.insert(u * 1000 + s, u);
            let before = (u - 1) * 1000 + s;
            if u > 1 && s % 3 == 0 {
                master.insert(before, u);
            }
            if u > 1 && s % 7 == 0 {
                master.remove(&before);
            }
            journal.push((u * 100 + s, u * 100 + s));
        }
    }
    let mut lines: Vec<String> = master.iter().map(|(k, d)| format!("F {k:08} {d:08}\n")).collect();
    lines.extend(journal.iter().map(|(n, k)| format!("J {n:08} {k:08}\n")));
    lines.concat()
}

#[test]
fn stop_run_commits() {
    let (place, program) = begin("unit-stop");
    assert_eq!(place.run(&program, &["stop", "1"]), "");
    assert_eq!(place.run(&program, &["list"]), expected([1]));
}

#[test]
fn rollback_takes_back_what_came_after_the_last_commit() {
    let (place, program) = begin("unit-rollback");
    assert_eq!(place.run(&program, &["stop", "1"]), "");
    // Unit 2 is rolled back, and 3 done: it changes nothing of 1, and of 2 it would find nothing to change.
    let done = place.command(&program).args(["rollback", "2"]).output().unwrap();
    let said = stdout(&done);
    assert_eq!(said, "REWRITE 23 00002003\n", "{}", stderr(&done));
    // The program ended there, and STOP RUN committed what it had done of unit 3 until then.
    let listed = place.run(&program, &["list"]);
    assert!(
        listed.starts_with("F 00000001 00000000\nF 00001001 00000001\n"),
        "{listed}"
    );
    assert!(
        !listed.contains("F 00002") && !listed.contains("J 00000201"),
        "{listed}"
    );
    assert!(listed.contains("F 00003001 00000003\n"), "{listed}");
}

#[test]
fn a_file_closed_within_the_unit_belongs_to_it_still() {
    let (place, program) = begin("unit-closed");
    assert_eq!(place.run(&program, &["closed", "1"]), "");
    assert_eq!(place.run(&program, &["rollback-closed", "2"]), "");
    assert_eq!(place.run(&program, &["list"]), expected([1]));
}

#[test]
fn a_program_without_commit_keeps_every_write_and_may_be_told_otherwise() {
    let (place, _) = begin("unit-none");
    let program = place.compile(
        "plain",
        &SOURCE.replace("COMMIT", "CONTINUE").replace("ROLLBACK", "CONTINUE"),
    );
    let killed = |units: Option<&str>, from: u64| {
        let mut command = place.command(&program);
        units.map(|units| command.env("CICA_UNITS", units));
        let mut child = command
            .args(["batch", &from.to_string()])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..3 {
            lines.next().unwrap().unwrap();
        }
        // The log is written each second at the latest, so then they are there.
        std::thread::sleep(Duration::from_millis(2200));
        child.kill().unwrap();
        child.wait().unwrap();
        place.run(&program, &["list"])
    };
    let listed = killed(None, 1);
    assert!(listed.contains("F 00003001 "), "{}", &listed[..listed.len().min(400)]);
    let (place, program) = begin("unit-on");
    let plain = place.compile(
        "plain",
        &SOURCE.replace("COMMIT", "CONTINUE").replace("ROLLBACK", "CONTINUE"),
    );
    let mut child = place
        .command(&plain)
        .env("CICA_UNITS", "on")
        // The unit never ends, so all that takes it back stays in memory.
        .env("CICA_POOL", "2G")
        .args(["batch", "1"])
        .env("COB_UNBUFFERED", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.run(&program, &["list"]), expected([]));
}

#[test]
fn rollback_without_units_ends_the_program_in_words() {
    let (place, program) = begin("unit-off");
    let done = place
        .command(&program)
        .args(["rollback", "1"])
        .env("CICA_UNITS", "off")
        .output()
        .unwrap();
    assert!(!done.status.success());
    assert!(stderr(&done).contains("CICA1207S ROLLBACK FAILED"), "{}", stderr(&done));
}

/// How often the files are looked at. Who has them for himself takes back what the killed program left before he reads;
/// where they are shared their owner does, and records of the unit are refused (51) until it has.
fn looks() -> u64 {
    match std::env::var("CICA_SHARE") {
        Ok(share) if share == "on" => 20,
        _ => 1,
    }
}

/// kill -9 at any moment of a batch with COMMIT every 100 records: both files are as one COMMIT left them, and no
/// earlier one than the last that was answered.
#[test]
fn after_each_kill_the_files_are_as_a_commit_left_them() {
    let (place, program) = begin("unit-kills");
    let rounds: u64 = std::env::var("CICA_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(10);
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let (mut stand, mut in_a_unit, mut unanswered) = (0, 0, 0);
    for round in 0..rounds {
        let mut child = place
            .command(&program)
            .args(["batch", &(stand + 1).to_string()])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        std::thread::sleep(Duration::from_micros(20_000 + (random >> 33) % 120_000));
        child.kill().unwrap();
        let said = child.wait_with_output().unwrap();
        let answered: Option<u64> = stdout(&said).lines().last().map(|line| line.trim().parse().unwrap());
        let answered = answered.unwrap_or(stand);
        let mut listed = String::new();
        // The COMMIT that was under way may have been durable before the program could say so.
        let whole = (0..looks()).find_map(|look| {
            std::thread::sleep(Duration::from_millis(look * 20));
            listed = place.run(&program, &["list"]);
            [answered, answered + 1]
                .into_iter()
                .find(|last| listed == expected(1..=*last))
        });
        let Some(last) = whole else {
            let tail: Vec<&str> = listed
                .lines()
                .filter(|line| line.starts_with('F'))
                .rev()
                .take(3)
                .collect();
            panic!("round {round}: after unit {answered} the files are as no COMMIT left them: {tail:?}");
        };
        in_a_unit += u64::from(last == answered);
        unanswered += u64::from(last != answered);
        stand = last;
    }
    println!("{rounds} kills, {stand} units stand; {in_a_unit} kills in a unit, {unanswered} behind its COMMIT");
}
