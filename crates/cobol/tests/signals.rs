//! Ends of programs that are no STOP RUN: signals at any moment, and what C code that COBOL calls may do. The program
//! ends at once, as it was told to; the data sets open; each unit stands whole or not at all.
#![allow(clippy::unwrap_used)]

mod common;

use common::{cobc, stderr, stdout, Workplace};
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("programs/units.cob");

/// The end, and what it may take on a machine that does other things as well.
const AT_ONCE: Duration = Duration::from_secs(60);

/// The program of units, which calls `howtoend` in the middle of its second unit.
fn begin(name: &str, jumps: bool) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let source = SOURCE
        .replace(
            "        WHEN \"list\"",
            "        WHEN \"end\" PERFORM OPEN-BOTH PERFORM ONE-UNIT COMMIT
            ADD 1 TO U PERFORM ONE-UNIT CALL \"howtoend\" USING HOW
        WHEN \"committed\" PERFORM OPEN-BOTH PERFORM ONE-UNIT COMMIT
            ADD 1 TO U PERFORM ONE-UNIT CALL \"howtoend\" USING HOW COMMIT DISPLAY \"ANSWERED\"
        WHEN \"ticks\" PERFORM OPEN-BOTH CALL \"howtoend\" USING HOW
            PERFORM UNTIL 1 = 2 PERFORM ONE-UNIT COMMIT DISPLAY U ADD 1 TO U END-PERFORM
        WHEN \"list\"",
        )
        .replace("01 DONE PIC", "01 HOW PIC X(20).\n01 DONE PIC")
        .replace(
            "    EVALUATE WHAT",
            "    ACCEPT HOW FROM ARGUMENT-VALUE.\n    EVALUATE WHAT",
        );
    let (from, to) = (place.0.join("ends.cob"), place.0.join("ends"));
    std::fs::write(&from, source).unwrap();
    let c = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/ends.c");
    let how = if jumps {
        // Its own main calls the program.
        let object = place.0.join("ends.o");
        let done = Command::new("cc")
            .args(["-DJUMPS", "-c", "-o"])
            .arg(&object)
            .arg(&c)
            .status();
        assert!(done.unwrap().success());
        let units = place.0.join("units.o");
        let done = cobc()
            .args(["-c", "-free", "-fimplicit-init", "-o"])
            .arg(&units)
            .arg(&from)
            .output();
        let done = done.unwrap();
        assert!(done.status.success(), "{}", stderr(&done));
        cobc().args(["-x", "-o"]).arg(&to).arg(&object).arg(&units).output()
    } else {
        cobc().args(["-x", "-free", "-o"]).arg(&to).arg(&from).arg(&c).output()
    };
    let done = how.unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(place.run(&to, &["make", "1", "-"]), "");
    (place, to)
}

/// What a shell starts behind the scenes ignores some signals, and so would its children.
fn as_from_a_terminal(command: &mut Command) -> &mut Command {
    // SAFETY: plain calls, between fork and exec.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGPIPE] {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        })
    }
}

/// Waits for the end, which must come at once.
fn ended(child: &mut Child, what: &str) -> ExitStatus {
    let from = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if from.elapsed() > AT_ONCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what}: it goes on, or hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The last unit that stands, of those that were begun with 1; each must be there wholly, or not at all.
fn stands(place: &Workplace, program: &Path, what: &str) -> u64 {
    let listed = place.run(program, &["list", "1", "-"]);
    let journal: Vec<u64> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("J ")?.split(' ').next()?.parse().ok())
        .filter(|&n| n > 1)
        .collect();
    let last = journal.last().map_or(0, |n| (n - 1) / 100);
    let whole: Vec<u64> = (1..=last).flat_map(|u| (1..=100).map(move |s| u * 100 + s)).collect();
    assert!(
        journal == whole,
        "{what}: half a unit stands in the journal, {} records",
        journal.len()
    );
    // Of the last unit all records are in the master, of those before all but each seventh.
    let master: Vec<u64> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("F ")?.split(' ').next()?.parse().ok())
        .filter(|&n| n > 1)
        .collect();
    let there = |u: u64| {
        (1..=100)
            .filter(move |s| u == last || s % 7 != 0)
            .map(move |s| u * 1000 + s)
    };
    let whole: Vec<u64> = (1..=last).flat_map(there).collect();
    assert!(
        master == whole,
        "{what}: half a unit stands in the master, {} records",
        master.len()
    );
    last
}

#[test]
fn a_signal_at_any_moment_ends_the_program_and_commits_nothing() {
    let (place, program) = begin("signals", false);
    let rounds: u64 = std::env::var("CICA_SIGNALS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(24);
    let signals = [
        libc::SIGTERM,
        libc::SIGINT,
        libc::SIGHUP,
        libc::SIGQUIT,
        libc::SIGSEGV,
        libc::SIGABRT,
        libc::SIGPIPE,
    ];
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut stand = 0;
    for round in 0..rounds {
        let signal = signals[round as usize % signals.len()];
        let what = format!("round {round}, signal {signal}");
        let mut child = as_from_a_terminal(&mut place.command(&program))
            .args(["batch", &(stand + 1).to_string(), "-"])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(20_000 + (random >> 33) % 150_000));
        // SAFETY: a child that was not waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        let status = ended(&mut child, &what);
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let last: Option<u64> = said
            .map_while(Result::ok)
            .last()
            .map(|line| line.trim().parse().unwrap());
        // Before the first OPEN the signal is libcob's alone, which calls exit with it.
        let early = last.is_none() && status.code() == Some(signal);
        assert!(status.signal() == Some(signal) || early, "{what}: {status}");
        let answered = last.unwrap_or(stand);
        stand = stands(&place, &program, &what);
        // The COMMIT that was under way may have been durable before the program could say so.
        assert!(
            (answered..=answered + 1).contains(&stand),
            "{what}: {answered} was answered, {stand} stands"
        );
    }
}

#[test]
fn ways_to_end_a_program_in_the_middle_of_a_unit() {
    // How, its status, its signal, and the unit that stands then.
    let ways = [
        ("e", Some(7), None, 2),
        ("q", Some(7), None, 1),
        ("_", Some(7), None, 1),
        ("a", None, Some(libc::SIGABRT), 1),
        ("s", None, Some(libc::SIGSEGV), 1),
        ("n", None, Some(libc::SIGSEGV), 1),
        ("o", None, Some(libc::SIGSEGV), 1),
        ("r", Some(0), None, 2),
    ];
    let (place, program) = begin("ends", false);
    for (how, code, signal, last) in ways {
        assert_eq!(place.run(&program, &["make", "1", "-"]), "");
        let mut command = place.command(&program);
        let mut child = command
            .args(["end", "1", how])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let status = ended(&mut child, how);
        assert_eq!((status.code(), status.signal()), (code, signal), "{how}: {status}");
        assert_eq!(stands(&place, &program, how), last, "{how}");
    }
}

/// The signal comes behind the last request before COMMIT: what has no status must not return as if it had been done.
#[test]
fn commit_behind_a_signal_does_not_return() {
    let (place, program) = begin("commit-behind", false);
    for how in ["t", "T"] {
        assert_eq!(place.run(&program, &["make", "1", "-"]), "");
        let mut child = as_from_a_terminal(&mut place.command(&program))
            .args(["committed", "1", how])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let status = ended(&mut child, how);
        let said = stdout(&child.wait_with_output().unwrap());
        assert_eq!(status.signal(), Some(libc::SIGTERM), "{how}: {status}");
        assert_eq!(said, "", "{how}");
        assert_eq!(stands(&place, &program, how), 1, "{how}");
    }
}

/// A handler of the program's own that calls exit, which commits nothing: it interrupts a unit.
#[test]
fn exit_in_a_handler_ends_the_program_and_commits_nothing() {
    let (place, program) = begin("exit-in-handler", false);
    let mut from = 1;
    for round in 0..12u64 {
        let what = format!("round {round}");
        let how = format!("x{}", 3_000 + round * 7_919 % 40_000);
        let mut child = place
            .command(&program)
            .args(["ticks", &from.to_string(), &how])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let status = ended(&mut child, &what);
        assert_eq!(status.code(), Some(9), "{what}: {status}");
        from = stands(&place, &program, &what) + 1;
    }
}

/// The program jumps out of whatever it was in, a request of ours as well, but not out of the C library's heap.
#[test]
fn a_jump_out_of_a_handler_hangs_nothing() {
    let (place, program) = begin("jump", true);
    for round in 0..12u64 {
        let what = format!("round {round}");
        assert_eq!(place.run(&program, &["make", "1", "-"]), "");
        let how = format!("l{}", 3_000 + round * 7_919 % 40_000);
        let mut child = place
            .command(&program)
            .args(["ticks", "1", &how])
            .env("COB_UNBUFFERED", "1")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let status = ended(&mut child, &what);
        assert_eq!(status.code(), Some(8), "{what}: {status}");
        // The data sets open at once.
        place.run(&program, &["list", "1", "-"]);
    }
}

/// What the program itself ignores or handles stays so.
#[test]
fn a_signal_that_is_ignored_ends_nothing() {
    let (place, program) = begin("ignored", false);
    let script = format!("trap '' HUP; echo; exec {} end 1 r", program.display());
    let mut command = place.command(Path::new("/bin/sh"));
    let mut child = command.args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    // From here on they are ignored.
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    for _ in 0..20 {
        // SAFETY: a child that was not waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGHUP) };
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = ended(&mut child, "ignored");
    assert_eq!(status.code(), Some(0));
    assert_eq!(stands(&place, &program, "ignored"), 2);
}

/// Output that stdio holds still comes out, as it does with libcob alone.
#[test]
fn what_was_displayed_before_a_signal_is_not_lost() {
    // A slow machine has answered nothing yet when the signal comes: then it comes later.
    let answered = [400, 3_000, 20_000].into_iter().any(|millis| ended_after(millis) > 0);
    assert!(answered, "nothing was answered in twenty seconds");
}

/// Ends a program by SIGTERM after so many milliseconds; units whose commit it was answered, all displayed.
fn ended_after(millis: u64) -> u64 {
    let (place, program) = begin("displayed", false);
    let mut child = as_from_a_terminal(&mut place.command(&program))
        .args(["batch", "1", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(millis));
    // SAFETY: a child that was not waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    let status = ended(&mut child, "displayed");
    let said = child.wait_with_output().unwrap();
    let answered = stdout(&said).lines().count() as u64;
    let last = stands(&place, &program, "displayed");
    assert!(answered == 0 || status.signal() == Some(libc::SIGTERM), "{status}");
    assert!((answered..=answered + 1).contains(&last), "{answered} of {last}");
    // Before its first OPEN the signal is libcob's, which says it in its own words.
    assert!(answered == 0 || stderr(&said).contains("SIGTERM"), "{}", stderr(&said));
    answered
}

/// Writes records for ever, or counts them.
const WRITER: &str = "IDENTIFICATION DIVISION.
PROGRAM-ID. WRITER.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT F ASSIGN \"WRITTEN\" ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD F.
01 R.
   05 K PIC 9(8).
   05 D PIC X(72).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 WHAT PIC X(8).
01 N PIC 9(8) VALUE 0.
PROCEDURE DIVISION.
MAIN.
    ACCEPT WHAT FROM ARGUMENT-VALUE.
    IF WHAT = \"make\" OPEN OUTPUT F CLOSE F STOP RUN.
    OPEN I-O F.
    IF FS NOT = \"00\" DISPLAY \"OPEN \" FS STOP RUN.
    PERFORM UNTIL FS NOT = \"00\" READ F NEXT NOT AT END ADD 1 TO N END-READ END-PERFORM.
    DISPLAY N \" \" FS.
    IF WHAT = \"count\" CLOSE F STOP RUN.
    PERFORM UNTIL 1 = 2
        ADD 1 TO N
        MOVE N TO K
        MOVE \"A RECORD\" TO D
        WRITE R
        DISPLAY N
    END-PERFORM.
";

/// The other way in: the handler that a program names itself.
#[test]
fn a_signal_ends_a_program_of_extfh_as_well() {
    let place = Workplace::with_catalog("signals-extfh");
    let program = place.compile_extfh("writer", WRITER);
    let command = || {
        let mut command = place.command(&program);
        command.env_remove("LD_PRELOAD").env("COB_UNBUFFERED", "1");
        command
    };
    assert!(command().arg("make").status().unwrap().success());
    let mut written = 0;
    for round in 0..8u64 {
        let what = format!("round {round}");
        let mut child = as_from_a_terminal(&mut command())
            .arg("write")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..round * 37 + 2 {
            lines.next().unwrap().unwrap();
        }
        // SAFETY: a child that was not waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGTERM) }, 0);
        let last = lines.map_while(Result::ok).last();
        let answered: u64 = last.map_or(written, |line| line.trim().parse().unwrap());
        let status = ended(&mut child, &what);
        assert_eq!(status.signal(), Some(libc::SIGTERM), "{what}: {status}");
        let done = command().arg("count").output().unwrap();
        let counted = stdout(&done);
        written = counted.split(' ').next().unwrap().parse().unwrap_or(0);
        assert!(
            written >= answered && counted.ends_with(" 10\n"),
            "{what}: {answered}: {counted}{}",
            stderr(&done)
        );
    }
}
