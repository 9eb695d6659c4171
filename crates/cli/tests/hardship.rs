//! The real command in real trouble: others in its way, a holder that stands still, kills at chosen system calls, no
//! room, no file descriptors, no memory. Whatever happens, what was acknowledged is there and the structure is sound.
//!
//! What the machine does not permit (mounting, tracing) is left out, and the test says so.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place, Run};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest that a command may take that has nothing to wait for.
const PROMPT: Duration = Duration::from_secs(60);

fn keys(place: &Place) -> BTreeSet<String> {
    let text = place.run(&["cat", "A.NAMES"]).done();
    text.lines().map(|line| line[..4].to_owned()).collect()
}

/// Every acknowledged key is there, and everything else in order.
#[track_caller]
fn assert_there(place: &Place, acknowledged: &BTreeSet<String>, when: &str) {
    let there = keys(place);
    let lost: Vec<&String> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "{when}: lost {lost:?}");
    let verified = place.run(&["verify", "A.NAMES"]).done();
    assert!(verified.contains("IDC01724I"), "{when}: {verified}");
}

/// The keys a run of `put --ack` told.
fn acknowledged(run: &Run) -> BTreeSet<String> {
    run.text()
        .lines()
        .filter(|line| line.len() == 4)
        .map(str::to_owned)
        .collect()
}

/// `cica ARGS` from a shell that first does `before`.
fn after(place: &Place, before: &str, args: &[&str]) -> Command {
    let cica = place.command(args);
    let mut shell = Command::new("sh");
    shell
        .current_dir(&place.dir)
        .arg("-c")
        .arg(format!("{before}; exec \"$0\" \"$@\""));
    shell.arg(cica.get_program()).args(cica.get_args());
    for (variable, value) in cica.get_envs() {
        match value {
            Some(value) => shell.env(variable, value),
            None => shell.env_remove(variable),
        };
    }
    shell
}

fn lines(keys: std::ops::Range<u32>) -> String {
    keys.map(|n| format!("{n:04} {}\n", "x".repeat(n as usize % 60)))
        .collect()
}

const PUT: [&str; 6] = ["put", "A.NAMES", "--replace", "--ack", "--durability", "request"];

fn signal(child: &Child, name: &str) {
    // The shell's own: a small system has no program of that name.
    let sent = Command::new("sh")
        .args(["-c", &format!("kill {name} {}", child.id())])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn a_holder_that_stands_still_is_told_of_and_loses_nothing() {
    let place = Place::new();
    place.names("0000 begin\n");
    let mut holder = place
        .command(&PUT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = holder.stdin.take().unwrap();
    let mut told = BufReader::new(holder.stdout.take().unwrap()).lines();
    pipe.write_all(b"0001 one\n").unwrap();
    pipe.flush().unwrap();
    // Records are read by the buffer, so the rest of one must come before the first is taken.
    pipe.write_all(lines(2..3000).as_bytes()).unwrap();
    assert_eq!(told.next().unwrap().unwrap(), "0001");
    signal(&holder, "-STOP");
    for args in [
        &["cat", "A.NAMES"][..],
        &PUT,
        &["salvage", "A.NAMES"],
        &["verify", "A.NAMES"],
    ] {
        let started = Instant::now();
        let run = place.run_with(args, b"9999 other\n");
        assert!(run.status == 12 && run.err.contains("in use"), "{args:?}: {run:?}");
        assert!(started.elapsed() < PROMPT, "{args:?} waited");
    }
    signal(&holder, "-CONT");
    drop(pipe);
    let mut all: BTreeSet<String> = told.map(Result::unwrap).collect();
    assert!(holder.wait().unwrap().success());
    all.insert("0001".into());
    assert_eq!(all.len(), 2999);
    assert_there(&place, &all, "after the holder went on");
}

#[test]
fn of_writers_at_once_each_writes_or_is_refused() {
    let place = Place::new();
    place.names("0000 begin\n");
    let (mut all, mut refused) = (BTreeSet::new(), 0);
    for round in 0..6u32 {
        let runs: Vec<Run> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let from = 1 + round * 1000 + writer * 250;
                    let place = &place;
                    scope.spawn(move || place.run_with(&PUT, lines(from..from + 200).as_bytes()))
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        for run in runs {
            all.extend(acknowledged(&run));
            match run.status {
                0 => {}
                12 if run.err.contains("in use") => refused += 1,
                _ => panic!("{run:?}"),
            }
        }
        assert_there(&place, &all, &format!("round {round}"));
    }
    eprintln!("{} records by writers in turn, {refused} refused", all.len());
    assert!(all.len() >= 6 * 200);
}

#[test]
fn kills_at_chosen_system_calls_lose_nothing() {
    const CALLS: &str = "write,pwrite64,pwritev,pwritev2,fdatasync,fsync,sync_file_range,ftruncate,fallocate,\
                         renameat2,rename,renameat,unlink,unlinkat,io_uring_enter";
    let place = Place::new();
    place.names("0000 begin\n");
    let traced = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !traced.is_ok_and(|out| out.status.success()) {
        println!("left out: strace is not there or may not trace");
        return;
    }
    let points = std::env::var("CICA_POINTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20);
    let (mut all, mut killed) = (BTreeSet::new(), 0);
    for point in 1..=points {
        let cica = place.command(&PUT);
        let mut command = Command::new("strace");
        command
            .current_dir(&place.dir)
            .args(["-f", "-o", "/dev/null", "-e", &format!("trace={CALLS}")]);
        command.args(["-e", &format!("inject={CALLS}:signal=SIGKILL:when={point}")]);
        command.arg(cica.get_program()).args(cica.get_args());
        for (variable, value) in cica.get_envs() {
            match value {
                Some(value) => command.env(variable, value),
                None => command.env_remove(variable),
            };
        }
        let from = 1 + point % 9 * 1000;
        // Each record makes a call at least, so that the one that is chosen comes.
        let run = finish(command, lines(from..from + point.max(40)).as_bytes());
        killed += u32::from(run.status != 0);
        all.extend(acknowledged(&run));
        assert_there(&place, &all, &format!("killed at call {point}"));
    }
    eprintln!("{killed} of {points} runs killed at chosen calls");
    assert!(
        killed * 2 > points,
        "{killed} of {points}: the calls are not those that are made"
    );
}

#[test]
fn a_full_file_system_takes_nothing_back() {
    let place = Place::new();
    // Mounted in a name space of its own: it goes when the shell ends.
    let mount = "mkdir -p small && mount -t tmpfs -o size=1500k tmpfs small";
    let may = Command::new("unshare")
        .arg("--mount")
        .args(["sh", "-c", mount])
        .current_dir(&place.dir)
        .output();
    if !may.is_ok_and(|out| out.status.success()) {
        println!("left out: mounting is not permitted here");
        return;
    }
    let cica = place.command(&[]);
    let script = format!(
        "{mount} && C='{}' && export CICA_CATALOG=$PWD/small/catalog CICA_POOL=16M
         printf '0000 begin\\n' | $C import - A.NAMES --keys 4,0 --recordsize 20,80 --space rec,1000,100 -q || exit 99
         seq -f '%04.0f filling the room that there is with a record of some length' 1 9999 |
             $C put A.NAMES --ack --durability commit --commit-every 50 >acks; echo put $?
         df small | tail -1 >&2
         $C cat A.NAMES >first; echo cat $?
         dd if=/dev/zero of=small/rest bs=4k 2>/dev/null; printf '9999 more\\n' | $C put A.NAMES -q; echo more $?
         rm -f small/rest
         $C cat A.NAMES >second; echo again $?
         $C verify A.NAMES >verified; echo verify $?
         printf '9998 room again\\n' | $C put A.NAMES -q --replace; echo after $?",
        cica.get_program().to_string_lossy()
    );
    let mut command = Command::new("unshare");
    command
        .arg("--mount")
        .args(["sh", "-c", &script])
        .current_dir(&place.dir);
    let run = finish(command, b"");
    let told = run.text();
    assert!(told.contains("put 12"), "it was not full: {run:?}");
    for word in ["cat 0", "again 0", "verify 0"] {
        assert!(told.contains(word), "no '{word}': {run:?}");
    }
    assert!(!run.err.contains("panicked"), "{}", run.err);
    for file in ["first", "second"] {
        let there: BTreeSet<String> = String::from_utf8(place.read(file))
            .unwrap()
            .lines()
            .map(|l| l[..4].into())
            .collect();
        let acks = String::from_utf8(place.read("acks")).unwrap();
        let lost: Vec<&str> = acks.lines().filter(|key| !there.contains(*key)).collect();
        assert!(lost.is_empty() && acks.lines().count() > 100, "{file}: lost {lost:?}");
    }
}

#[test]
fn without_file_descriptors_it_says_so() {
    let place = Place::new();
    place.names("0000 begin\n");
    let (mut all, mut outcomes) = (BTreeSet::new(), BTreeSet::new());
    for limit in 3..24u32 {
        let from = 1 + limit * 100;
        let run = finish(
            after(&place, &format!("ulimit -n {limit}"), &PUT),
            lines(from..from + 20).as_bytes(),
        );
        all.extend(acknowledged(&run));
        assert!(!run.err.contains("panicked"), "ulimit -n {limit}: {}", run.err);
        if run.status == 0 {
            assert_eq!(acknowledged(&run).len(), 20);
        }
        outcomes.insert(run.status == 0);
        assert_there(&place, &all, &format!("ulimit -n {limit}"));
    }
    assert_eq!(
        outcomes.len(),
        2,
        "some limits were to be too low, and some high enough"
    );
}

#[test]
fn without_memory_nothing_acknowledged_is_lost() {
    let place = Place::new();
    place.names("0000 begin\n");
    let (mut all, mut outcomes) = (BTreeSet::new(), BTreeSet::new());
    for (n, megabytes) in [6, 10, 16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 400]
        .into_iter()
        .enumerate()
    {
        let from = 1 + n as u32 * 300;
        let limit = format!("ulimit -v {}", megabytes * 1024);
        let run = finish(after(&place, &limit, &PUT), lines(from..from + 200).as_bytes());
        all.extend(acknowledged(&run));
        // Before `main` the runtime wants a stack for signals, and has no other words if there is none.
        let before_main = run.err.contains("failed to allocate an alternative stack");
        assert!(before_main || !run.err.contains("panicked"), "{limit}: {}", run.err);
        outcomes.insert(run.status == 0);
        assert_there(&place, &all, &limit);
    }
    assert_eq!(
        outcomes.len(),
        2,
        "some limits were to be too low, and some high enough"
    );
}

/// A file is whole or as it was, a device or pipe has what came: nothing else is said of either.
#[test]
fn an_export_without_room_says_what_became_of_the_file() {
    let place = Place::new();
    place.names("0000 begin\n");
    place.write("there", b"those of yesterday\n");
    // Few records are written when the file is completed, many before.
    for keys in [1..3_000, 3_000..9_000] {
        place.run_with(&["put", "A.NAMES", "-q"], lines(keys).as_bytes()).done();
        for file in ["there", "new"] {
            // Of what is larger than this it can write nothing.
            let run = finish(after(&place, "ulimit -f 64", &["export", "A.NAMES", file]), b"");
            assert_eq!(run.status, 12, "{run:?}");
            let told = format!("{}{}", run.text(), run.err);
            assert!(told.contains("cannot be written"), "{told}");
            let untouched = format!("NOTHING WAS WRITTEN TO FILE {}", place.path(file).display());
            assert!(told.contains(&untouched) && !told.contains("incomplete"), "{told}");
        }
    }
    assert_eq!(place.read("there"), b"those of yesterday\n");
    assert!(!place.path("new").exists());
    let run = place.run(&["export", "A.NAMES", "/dev/full"]);
    assert_eq!(run.status, 12, "{run:?}");
    let told = format!("{}{}", run.text(), run.err);
    assert!(!told.contains("CICA1022I") && !told.contains("incomplete"), "{told}");
}
