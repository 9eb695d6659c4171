//! Processes that share a data set: who may come, and what is left when the one that serves is killed.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

impl Place {
    fn define(&self, name: &str, region: u32) {
        let cards = format!(
            "DEFINE CLUSTER (NAME({name}) INDEXED KEYS(4 0) -\n RECORDSIZE(20 80) RECORDS(500 50) SHAREOPTIONS({region} 3))"
        );
        self.cards(&cards, &[]).done();
    }

    /// `cica put` that shares the data set, and waits for records.
    fn putting(&self, name: &str) -> Child {
        let mut put = self.command(&["put", name, "--ack", "--durability", "commit", "--commit-every", "1"]);
        put.env("CICA_SHARE", "on")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        put.spawn().unwrap()
    }

    fn server(&self, field: &str) -> serde_json::Value {
        let status = self.run(&["server", "status", "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&status.out).unwrap();
        status[field].clone()
    }

    fn stop(&self) {
        self.run(&["server", "stop"]).done();
        assert_eq!(self.server("serving"), false, "the server goes on");
    }
}

/// Puts records, and waits until each is acknowledged.
fn put(putting: &mut Child, keys: std::ops::Range<u32>) {
    let (to, from) = (putting.stdin.as_mut().unwrap(), putting.stdout.as_mut().unwrap());
    let mut from = BufReader::with_capacity(1, from);
    for key in keys {
        to.write_all(format!("{key:04} and more of it\n").as_bytes()).unwrap();
        to.flush().unwrap();
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "record {key} is not acknowledged");
    }
}

#[test]
fn who_does_not_ask_for_sharing_comes_in_as_shareoptions_say() {
    let place = Place::new();
    for (region, may_read) in [(1, false), (2, true), (3, true)] {
        let name = format!("A.SHR{region}");
        place.define(&name, region);
        // A data set that was never loaded is loaded first, by one alone.
        place.run_with(&["put", &name], b"0001 the first of them\n").done();
        let mut putting = place.putting(&name);
        put(&mut putting, 10..20);
        let read = place.run(&["get", &name, "0015"]);
        if may_read {
            assert_eq!(String::from_utf8(read.out).unwrap(), "0015 and more of it\n")
        } else {
            // Who has it is told: the server, and for whom.
            let holder = format!("process {} (cica put)", putting.id());
            assert!(read.status == 12 && read.err.contains("[OPEN 168]"), "{read:?}");
            assert!(read.err.contains("serve") && read.err.contains(&holder), "{read:?}");
        }
        // Whether it is sound is told in any case, by who has it.
        let verified = place.run(&["verify", &name]);
        assert!(verified.status == 0, "{verified:?}");
        // Nobody has died: it is in use.
        let told = String::from_utf8_lossy(&verified.out).into_owned() + &verified.err;
        assert!(told.contains("CICA1026I") && !told.contains("CICA0942I"), "{told}");
        let examined = place.cards(&format!("EXAMINE NAME({name}) INDEXTEST DATATEST"), &[]);
        assert!(
            examined.status == 0 && examined.text().contains("IDC01709I"),
            "{examined:?}"
        );
        // What needs it alone is refused, and says who has it.
        let refused = place.run(&["rm", &name]);
        assert!(refused.status != 0 && refused.err.contains("serve"), "{refused:?}");
        assert!(
            refused.err.contains("'cica server clients' shows for whom"),
            "{refused:?}"
        );
        // IDCAMS comes in by the same rules, and writes where it may.
        let print = place.cards(&format!("PRINT INDATASET({name}) CHARACTER"), &[]);
        let shown = print.text().contains("0015 and more of it");
        assert_eq!((print.status == 0, shown), (may_read, may_read), "{print:?}");
        place.write("more", format!("{:04} by REPRO\n", 20 + region).as_bytes());
        let repro = place.cards(
            &format!("REPRO INFILE(MORE) OUTDATASET({name})"),
            &["--dd", "MORE=more"],
        );
        assert_eq!(repro.status == 0, region == 3, "{repro:?}");
        // Who is told to keep out of it does.
        let mut alone = place.command(&["get", &name, "0015"]);
        let refused = alone.env("CICA_SHARE", "off").output().unwrap();
        assert!(
            String::from_utf8_lossy(&refused.stderr).contains("[OPEN 168]"),
            "{refused:?}"
        );
        drop(putting.stdin.take());
        assert!(putting.wait().unwrap().success());
    }
    let clients = place.run(&["server", "clients", "--json"]);
    assert_eq!(String::from_utf8(clients.out).unwrap().trim(), "[]");
    place.stop();
}

/// Who asks a server that is stopped, or could read without it, hears in about two seconds which process that is.
#[test]
fn a_server_that_is_stopped_is_told_soon() {
    let place = Place::new();
    place.define("A.STOPPED", 3);
    let mut putting = place.putting("A.STOPPED");
    put(&mut putting, 1..2);
    let server = place.server("process").as_u64().unwrap();
    let process = rustix::process::Pid::from_raw(server as i32).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::STOP).unwrap();
    let remedy = format!("kill -CONT {server}'");
    let asked: [&[&str]; 7] = [
        &["server", "status"],
        &["server", "clients"],
        &["server", "locks"],
        &["server", "units"],
        &["server", "stop"],
        &["get", "A.STOPPED", "0001"],
        &["verify", "A.STOPPED"],
    ];
    for args in asked {
        let began = std::time::Instant::now();
        let run = place.run(args);
        let took = began.elapsed();
        assert!(run.status == 12 && run.err.contains(&remedy), "{args:?}: {run:?}");
        // It is looked after two seconds; the rest is a machine that does much else.
        assert!(took.as_secs() < 30, "{args:?}: {took:?}");
    }
    rustix::process::kill_process(process, rustix::process::Signal::CONT).unwrap();
    drop(putting.stdin.take());
    assert!(putting.wait().unwrap().success());
    place.stop();
}

/// What a server is asked and told can be read by programs.
#[test]
fn each_answer_of_a_server_is_there_as_json() {
    let place = Place::new();
    place.define("A.JSON", 3);
    for what in [
        "status", "stats", "drain", "stop", "clients", "locks", "units", "shunted",
    ] {
        let run = place.run(&["server", what, "--json"]);
        let told: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
        let nobody = serde_json::json!({ "serving": false });
        assert!(
            run.status == 4 && (told == nobody || told == serde_json::json!([])),
            "{what}: {run:?}"
        );
    }
    let mut putting = place.putting("A.JSON");
    put(&mut putting, 1..2);
    let process = place.server("process");
    let drained = place.run(&["server", "drain", "--json"]).json();
    assert_eq!(
        drained,
        serde_json::json!({ "serving": true, "process": process, "draining": true })
    );
    assert_eq!(place.server("draining"), true);
    let stopped = place.run(&["server", "stop", "--json"]).json();
    assert_eq!(
        stopped,
        serde_json::json!({ "serving": false, "process": process, "ended": true })
    );
    drop(putting.stdin.take());
    assert!(!putting.wait().unwrap().success());
}

#[test]
fn a_killed_server_takes_nothing_with_it_that_was_acknowledged() {
    let place = Place::new();
    place.define("A.KILLED", 3);
    place.run_with(&["put", "A.KILLED"], b"0000 the first of them\n").done();
    for round in 0..5 {
        let mut putting = place.putting("A.KILLED");
        put(&mut putting, round * 50 + 1..round * 50 + 51);
        let server = place.server("process").as_u64().unwrap();
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(server as i32).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
        // The client hears of it at its next request, and says so.
        let mut to = putting.stdin.take().unwrap();
        to.write_all(b"9999 nobody takes it\n").unwrap();
        drop(to);
        let ended = putting.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && told.contains("is gone"), "{told}");
        // The client is told when the kernel closes its connection, which may be before the locks of files are free.
        let reads = |_: u32| {
            let read = place.run(&["cat", "A.KILLED"]);
            let waits = read.err.contains("in use");
            if waits {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            (!waits).then_some(read)
        };
        let read = (0..500).find_map(reads).expect("a free data set");
        let records = String::from_utf8(read.out).unwrap();
        assert_eq!(records.lines().count() as u32, round * 50 + 51, "{}", read.err);
        place.run(&["verify", "A.KILLED"]).done();
    }
}

#[test]
fn the_attribute_of_a_data_set_decides_who_shares_it() {
    let place = Place::new();
    place.define("A.RLS", 1);
    place.run_with(&["put", "A.RLS"], b"0001 the first of them\n").done();
    let with = |share: &str, args: &[&str], records: &[u8]| {
        let mut command = place.command(args);
        command.env("CICA_SHARE", share);
        common::finish(command, records)
    };
    let serves = || place.server("serving") == true;
    // Enabled: who says nothing shares it, and who is to share nothing reads it alone.
    place.cards("ALTER A.RLS RLSENABLE", &[]).done();
    let refused = with("off", &["put", "A.RLS"], b"0002 nobody\n");
    assert!(refused.status == 12 && refused.err.contains("RLSENABLE"), "{refused:?}");
    with("off", &["get", "A.RLS", "0001"], b"").done();
    assert!(!serves());
    with("auto", &["put", "A.RLS"], b"0002 shared\n").done();
    assert!(serves());
    // Quiesced: nobody shares it, and one alone has it.
    place.cards("ALTER A.RLS RLSQUIESCE", &[]).done();
    let refused = with("on", &["get", "A.RLS", "0002"], b"");
    assert!(
        refused.status == 12 && refused.err.contains("RLSQUIESCE"),
        "{refused:?}"
    );
    let listed = place.cards("LISTCAT ENTRIES(A.RLS) ALL", &[]);
    assert!(listed.text().contains("VSAM QUIESCED ------(YES)"), "{}", listed.text());
    with("auto", &["put", "A.RLS"], b"0003 alone\n").done();
    // And again.
    place.cards("ALTER A.RLS RLSENABLE", &[]).done();
    with("on", &["put", "A.RLS"], b"0004 shared again\n").done();
    assert_eq!(place.run(&["cat", "A.RLS"]).text().lines().count(), 4);
    place.stop();
}

#[test]
fn without_a_server_the_message_says_what_to_do() {
    let place = Place::new();
    place.define("A.B", 3);
    let mut get = place.command(&["get", "A.B", "0001"]);
    get.env("CICA_SHARE", "on").env("CICA_SERVER", "/nowhere/cica");
    let refused = get.output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("/nowhere/cica") && told.contains("CICA_SERVER"), "{told}");
    let mut wrong = place.command(&["get", "A.B", "0001"]);
    let refused = wrong.env("CICA_SHARE", "perhaps").output().unwrap();
    assert_eq!(refused.status.code(), Some(64));
    assert_eq!(place.run(&["server", "status"]).status, 4);
    // Something that is no socket is in the way.
    std::fs::create_dir_all(place.dir.join("catalog/share")).unwrap();
    place.write("catalog/share/socket", b"");
    let refused = place.run(&["serve"]);
    assert!(
        refused.status == 12 && refused.err.contains("it is no socket"),
        "{refused:?}"
    );
}

/// The server is there for longer than the program that happened to start it, whose files it does not keep open.
#[test]
fn a_server_keeps_no_file_of_whoever_started_it() {
    let place = Place::new();
    place.define("A.FILE", 3);
    place.run_with(&["put", "A.FILE"], b"0001 the first of them\n").done();
    place.write("job.lock", b"");
    let mut job = std::process::Command::new("sh");
    let get = format!("exec {} get A.FILE 0001 9<job.lock", env!("CARGO_BIN_EXE_cica"));
    job.args(["-c", &get]).current_dir(&place.dir);
    job.env("CICA_CATALOG", place.dir.join("catalog"))
        .env("CICA_SHARE", "on");
    let done = job.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "0001 the first of them\n");
    let files = std::fs::read_dir(format!("/proc/{}/fd", place.server("process"))).unwrap();
    let files: Vec<_> = files
        .filter_map(|file| std::fs::read_link(file.unwrap().path()).ok())
        .collect();
    assert!(
        !files.is_empty() && !files.iter().any(|file| file.ends_with("job.lock")),
        "{files:?}"
    );
    place.stop();
}

/// When STOP returns, others can have what it had.
#[test]
fn a_server_that_was_stopped_has_nothing_any_more() {
    let place = Place::new();
    place.define("A.FILE", 3);
    place.run_with(&["put", "A.FILE"], b"0001 the first of them\n").done();
    for key in 2..6 {
        let mut putting = place.putting("A.FILE");
        put(&mut putting, key * 10..key * 10 + 1);
        place.run(&["server", "stop"]).done();
        let alone = format!("{key:04} put by one alone\n");
        let mut put = place.command(&["put", "A.FILE", "--quiet"]);
        put.env("CICA_SHARE", "off");
        common::finish(put, alone.as_bytes()).done();
        drop(putting.stdin.take());
        putting.wait().unwrap();
    }
}

/// Each part of a sphere is examined while others share it; what takes it alone is left out, which is no error.
#[test]
fn verify_of_a_shared_sphere_says_what_it_has_left_out() {
    let place = Place::new();
    place.define("A.FILE", 3);
    place.run_with(&["put", "A.FILE"], b"0001 the first of them\n").done();
    let index = "DEFINE AIX (NAME(A.INDEX) RELATE(A.FILE) KEYS(4 4) -\n RECORDSIZE(60 200) RECORDS(10) UPGRADE)\n\
                 BLDINDEX INDATASET(A.FILE) OUTDATASET(A.INDEX)";
    place.cards(index, &[]).done();
    let alone = place.run(&["verify", "A.FILE"]);
    assert!(alone.status == 0 && alone.text().contains("CICA0997I"), "{alone:?}");
    let mut putting = place.putting("A.FILE");
    put(&mut putting, 10..12);
    let shared = place.run(&["verify", "A.FILE"]);
    let told = shared.text() + &shared.err;
    assert!(shared.status == 4 && told.contains("CICA1027W"), "{shared:?}");
    assert!(
        told.contains("NO ERRORS DETECTED") && !told.contains("CICA0945E"),
        "{told}"
    );
    drop(putting.stdin.take());
    putting.wait().unwrap();
    place.stop();
}
