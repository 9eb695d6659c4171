//! SMF records by `cica idcams` and `cica smf`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place};
use std::io::Write;
use std::process::Stdio;

/// Runs cards as a step of a job that has SMF records.
fn step(place: &Place, name: &str, cards: &str, args: &[&str]) -> i32 {
    let mut command = place.command(&[&["idcams"], args].concat());
    command
        .env("CICA_SMF", "on")
        .env("CICA_JOB", "NIGHTLY")
        .env("CICA_STEP", name);
    finish(command, format!(" {cards}\n").as_bytes()).status
}

#[test]
fn a_run_of_idcams_is_a_step() {
    let place = Place::new();
    place.names("AAAAone\nBBBBtwo\n");
    assert_eq!(
        step(
            &place,
            "PRINT1",
            "PRINT INFILE(NAMES) CHARACTER",
            &["--dd", "NAMES=a.names"]
        ),
        0
    );
    assert_eq!(step(&place, "PRINT2", "PRINT INDATASET(A.NONE)", &["--json"]), 12);
    let shown = place.run(&["smf", "totals"]).text();
    let lines: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("JOB")).collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[1].starts_with("NIGHTLY  PRINT1   IDCAMS        1 "), "{shown}");
    assert!(lines[1].ends_with(" 0000") && lines[2].ends_with(" 0012"), "{shown}");
    let printed = place.run(&["smf", "print", "--type", "30", "--job", "nightly"]).text();
    for wanted in [
        "A step has ended",
        "SMF30PGM   IDCAMS",
        "SMF30SCC   X'000C'",
        "SMF30DDN   NAMES",
    ] {
        assert!(printed.contains(wanted), "{wanted}: {printed}");
    }
    let csv = place.run(&["smf", "export", "--format", "csv", "--type", "30"]).text();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 3, "a step without data sets has a line too: {csv}");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let at = rows[0].iter().position(|name| *name == "SMF30DDN").unwrap();
    assert_eq!([rows[1][at], rows[2][at]], ["NAMES", ""]);
    let json = place.run(&["smf", "export", "--type", "30"]).text();
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first["sections"][0]["SMF30DDN"], "NAMES");
    assert_eq!(first["sections"][0]["SMF30BLK"], first["SMF30TEP"]);
}

/// What LISTCAT says of data and index: EXCPS of each, and REC-RETRIEVED.
fn listed(place: &Place) -> [u64; 3] {
    let listed = place.cards("LISTCAT ENTRIES(A.NAMES) ALL", &[]).done();
    let numbers = |label: &str| -> Vec<u64> {
        let after = listed.split(label).skip(1).map(|rest| rest.trim_start_matches('-'));
        after
            .map(|rest| rest.split_whitespace().next().unwrap().parse().unwrap())
            .collect()
    };
    let (excps, retrieved) = (numbers("EXCPS"), numbers("REC-RETRIEVED"));
    [excps[0], excps[1], retrieved[0]]
}

#[test]
fn listcat_and_smf_agree_about_what_each_open_did() {
    let place = Place::new();
    let lines: String = (0..2000).map(|n| format!("{:04} SOMEBODY\n", n * 2)).collect();
    place.names(&lines);
    let steps: [(&[&str], &str); 6] = [
        (&["cat", "A.NAMES", "--count", "1"], ""),
        (&["put", "A.NAMES", "--replace"], "0002 ANYBODY\n3000 ANYBODY\n"),
        (&["cat", "A.NAMES"], ""),
        (&["put", "A.NAMES"], "0001 INSERTED\n9000 BEHIND\n"),
        (&["put", "A.NAMES", "--replace"], "0004 ANYBODY\n"),
        (&["cat", "A.NAMES", "--count", "3"], ""),
    ];
    for (args, lines) in steps {
        let before = listed(&place);
        let mut command = place.command(args);
        command.env("CICA_SMF", "on");
        let run = finish(command, lines.as_bytes());
        assert_eq!(run.status, 0, "{run:?}");
        let after = listed(&place);
        let closes = place.run(&["smf", "export", "--type", "64"]).text();
        std::fs::remove_dir_all(place.path("catalog/smf")).unwrap();
        let closes: Vec<serde_json::Value> = closes.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [data, index] = &closes[..] else {
            panic!("{args:?}: {closes:?}")
        };
        let number = |record: &serde_json::Value, name: &str| record[name].as_u64().unwrap();
        let places = [(data, "EP", "XP"), (index, "EP", "XP"), (data, "RE", "RE")];
        for (at, (record, then, more)) in places.into_iter().enumerate() {
            let (then, more) = (
                number(record, &format!("SMF64N{then}")),
                number(record, &format!("SMF64D{more}")),
            );
            assert_eq!([then, then + more], [before[at], after[at]], "{args:?} {at}");
            assert!(more > 0 || at == 2, "{args:?}: each open reads of each component");
        }
    }
}

/// They have DDs of their own, as where VSAM allocates them itself.
#[test]
fn what_is_done_to_alternate_indexes_is_told_with_their_base() {
    let place = Place::new();
    place.names("AAAAone\nBBBBtwo\n");
    let index = "DEFINE AIX(NAME(A.BYNAME) RELATE(A.NAMES) KEYS(3 4) -\n \
        RECORDSIZE(60 200) RECORDS(10) UPGRADE)\n \
        BLDINDEX INDATASET(A.NAMES) OUTDATASET(A.BYNAME)";
    place.cards(index, &[]).done();
    place.write("more", b"CCCCnew\n");
    let args = ["--dd", "MORE=more", "--dd", "BASE=A.NAMES"];
    assert_eq!(step(&place, "ADD", "REPRO INFILE(MORE) OUTFILE(BASE)", &args), 0);
    let opens = place.run(&["smf", "export", "--format", "csv", "--type", "62"]).text();
    assert!(opens.contains("A.NAMES") && opens.contains("A.BYNAME"), "{opens}");
    let closes = place.run(&["smf", "export", "--type", "64"]).text();
    let closes: Vec<serde_json::Value> = closes.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let more = |component: &str| {
        let of = closes.iter().find(|record| record["SMF64DNM"] == component).unwrap();
        of["SMF64DLR"].as_i64()
    };
    assert_eq!(
        [more("A.NAMES.DATA"), more("A.BYNAME.DATA")],
        [Some(1), Some(1)],
        "{closes:?}"
    );
    let step = place.run(&["smf", "export", "--type", "30"]).text();
    let step: serde_json::Value = serde_json::from_str(step.lines().next().unwrap()).unwrap();
    let dds: Vec<(&str, bool)> = (step["sections"].as_array().unwrap().iter())
        .map(|dd| (dd["SMF30DDN"].as_str().unwrap(), dd["SMF30BLK"].as_u64() > Some(0)))
        .collect();
    assert_eq!(dds, [("BASE", true), ("SYS00001", true)], "{step}");
}

/// As on a disk that is full: records cannot be written, and nothing else changes.
#[test]
fn what_smf_has_lost_is_told_and_stops_nobody() {
    let place = Place::new();
    place.names("AAAAone\n");
    let smf = place.path("catalog/smf");
    std::fs::create_dir(&smf).unwrap();
    std::os::unix::fs::symlink("/dev/full", smf.join("current")).unwrap();
    let mut command = place.command(&["idcams"]);
    command.env("CICA_SMF", "on");
    let run = finish(command, b" PRINT INDATASET(A.NAMES) CHARACTER\n");
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.text().contains("AAAAone"), "{run:?}");
    // Of the open, of the closes of data and index with their I/O, and of the step.
    assert!(
        run.err.contains("CICA1082W SMF RECORDS ARE LOST, 6 OF THEM: "),
        "{run:?}"
    );
    // Commands that are no steps tell it too: of open and close alone.
    let commands: [(&[&str], &[u8], i32); 5] = [
        (&["cat", "A.NAMES"], b"", 0),
        (&["get", "A.NAMES", "AAAA"], b"", 0),
        (&["get", "A.NAMES", "ZZZZ"], b"", 4),
        (&["put", "A.NAMES"], b"BBBBtwo\n", 0),
        (&["verify", "A.NAMES"], b"", 0),
    ];
    for (args, input, status) in commands {
        let mut command = place.command(args);
        command.env("CICA_SMF", "on");
        let run = finish(command, input);
        assert_eq!(run.status, status, "{run:?}");
        assert_eq!(
            run.err.matches("CICA1082W SMF RECORDS ARE LOST, ").count(),
            1,
            "{run:?}"
        );
    }
    assert!(
        !place.run(&["cat", "A.NAMES"]).err.contains("CICA1082W"),
        "no record is wanted"
    );
    std::fs::remove_file(smf.join("current")).unwrap();
    assert_eq!(step(&place, "AGAIN", "PRINT INDATASET(A.NAMES) CHARACTER", &[]), 0);
    assert!(place.run(&["smf", "totals"]).text().contains("A.NAMES.DATA"));
}

/// Records that SMF has of an open, a read and a close.
fn cat(place: &Place) {
    let mut command = place.command(&["cat", "A.NAMES"]);
    command.env("CICA_SMF", "on");
    assert_eq!(finish(command, b"").status, 0);
}

#[test]
fn a_file_that_is_torn_or_cannot_be_opened_takes_no_other_with_it() {
    let place = Place::new();
    place.names("AAAAone\n");
    cat(&place);
    let smf = place.path("catalog/smf");
    std::fs::rename(smf.join("current"), smf.join("1")).unwrap();
    let whole = std::fs::read(smf.join("1")).unwrap();
    std::fs::write(smf.join("1"), [&whole[..], &whole[..100]].concat()).unwrap();
    std::os::unix::fs::symlink("1", smf.join("2")).unwrap();
    cat(&place);
    let run = place.run(&["smf", "print", "--type", "62"]);
    assert_eq!(run.status, 4, "{run:?}");
    assert_eq!(run.text().matches("A data set is open").count(), 2, "{run:?}");
    let told: Vec<&str> = run.err.lines().collect();
    assert!(
        matches!(&told[..], [link, torn] if link.contains("smf/2") && torn.contains("smf/1: offset")),
        "{run:?}"
    );
    // Named files are read as far as that can be done as well; what is no file of records at all is refused.
    let garbage = place.write("garbage", b"hello, world, this is text");
    let [torn, garbage] = [smf.join("1"), garbage].map(|path| path.to_str().unwrap().to_owned());
    let run = place.run(&["smf", "totals", &garbage, &torn]);
    assert!(run.status == 4 && run.text().contains("A.NAMES.DATA"), "{run:?}");
    place
        .run(&["smf", "totals", &garbage])
        .failed(8, &["Is it an SMF file?"]);
    place.run(&["smf", "totals", "gone"]).failed(8, &["gone"]);
}

#[test]
fn a_value_stays_in_its_column_where_a_record_lacks_one_before() {
    let place = Place::new();
    place.names("AAAAone\n");
    assert_eq!(step(&place, "PRINT1", "PRINT INDATASET(A.NAMES) CHARACTER", &[]), 0);
    // The same record without its identification section, and before it, so that it comes first.
    let smf = place.path("catalog/smf/current");
    let bytes = std::fs::read(&smf).unwrap();
    let mut all: Vec<&[u8]> = Vec::new();
    let mut rest = &bytes[..];
    while rest.len() > 4 {
        let (record, more) = rest.split_at(u16::from_be_bytes([rest[0], rest[1]]).into());
        all.push(record);
        rest = more;
    }
    let step = *all.iter().find(|record| record[5] == 30).unwrap();
    let mut lacking = step.to_vec();
    lacking[38..40].fill(0);
    place.write("steps", &[&lacking[..], step].concat());
    let csv = place.run(&["smf", "export", "--format", "csv", "steps"]).done();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
    let cells = |name: &str| [1, 2].map(|row: usize| rows[row][column(name)]);
    assert_eq!(cells("SMF30JBN"), ["", "NIGHTLY"], "{csv}");
    assert_eq!(cells("SMF30SCC"), ["X'0000'", "X'0000'"], "{csv}");
    // Type 42 has several subtypes.
    let export = ["smf", "export", "--format", "csv", "--type", "42", "--subtype", "6"];
    let csv = place.run(&export).done();
    assert!(csv.lines().count() == 3 && csv.contains("S42DSN"), "{csv}");
    place
        .run(&["smf", "export", "--format", "csv"])
        .failed(8, &["--type and --subtype"]);
}

#[test]
fn where_no_record_is_wanted_each_way_to_show_them_says_so() {
    let place = Place::new();
    place.names("AAAAone\n");
    cat(&place);
    for args in [
        &["print"][..],
        &["totals"],
        &["export"],
        &["export", "--format", "json"],
        &["export", "--format", "csv"],
    ] {
        let none = place.run(&[&["smf"], args, &["--job", "NONE"]].concat());
        assert_eq!(none.status, 4, "{args:?}: {none:?}");
    }
    assert_eq!(place.run(&["smf", "export"]).status, 0);
}

/// The records of a file of records, each as it is.
fn each(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut all, mut rest) = (Vec::new(), bytes);
    while rest.len() > 4 {
        let (record, more) = rest.split_at(u16::from_be_bytes([rest[0], rest[1]]).into());
        all.push(record.to_vec());
        rest = more;
    }
    all
}

/// The numbers behind the name of a component in totals.
fn totals_of(place: &Place, files: &[&str], component: &str) -> Option<Vec<u64>> {
    let shown = place.run(&[&["smf", "totals"], files].concat()).done();
    let line = shown.lines().find(|line| line.starts_with(component))?;
    Some(line.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect())
}

#[test]
fn of_an_open_without_a_close_the_newest_interval_counts() {
    let place = Place::new();
    place.names("0001 ANNE\n0002 BERT\n");
    let mut command = place.command(&["put", "A.NAMES"]);
    command.env("CICA_SMF", "on").env("CICA_SMF_INTERVAL", "1s");
    let mut put = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = put.stdin.take().unwrap();
    let inserted = |files: &[&str]| totals_of(&place, files, "A.NAMES.DATA").map(|numbers| [numbers[0], numbers[2]]);
    for n in 1000..2000 {
        writeln!(lines, "{n} SOMEBODY").unwrap();
    }
    writeln!(lines, "0003 CARL").unwrap();
    (4000..8000).for_each(|n| writeln!(lines, "{n} SOMEBODY").unwrap());
    lines.flush().unwrap();
    while inserted(&[]) != Some([0, 1]) {
        assert!(put.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    writeln!(lines, "0004 DORA").unwrap();
    (8000..9999).for_each(|n| writeln!(lines, "{n} SOMEBODY").unwrap());
    lines.flush().unwrap();
    while inserted(&[]) != Some([0, 2]) {
        assert!(put.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // When it is closed nothing counts twice, in whatever order the records come.
    drop(lines);
    assert!(put.wait().unwrap().success());
    assert_eq!(inserted(&[]), Some([1, 2]));
    let all = each(&std::fs::read(place.path("catalog/smf/current")).unwrap());
    let reversed: Vec<u8> = all.iter().rev().flatten().copied().collect();
    place.write("reversed", &reversed);
    assert_eq!(inserted(&["reversed"]), Some([1, 2]));
    // Another open that was killed, beside one that has ended.
    cat(&place);
    let is_close = |record: &Vec<u8>| record[5] == 64 && record[42] & 0x80 != 0;
    let killed: Vec<u8> = all
        .iter()
        .filter(|record| !is_close(record))
        .flatten()
        .copied()
        .collect();
    place.write("killed", &killed);
    assert_eq!(inserted(&["killed"]), Some([0, 2]));
    let current = place.path("catalog/smf/current");
    assert_eq!(inserted(&["killed", current.to_str().unwrap()]), Some([2, 2]));
}

#[test]
fn a_record_that_is_shorter_than_its_layout_is_told() {
    let place = Place::new();
    place.names("AAAAone\n");
    assert_eq!(step(&place, "PRINT1", "PRINT INDATASET(A.NAMES) CHARACTER", &[]), 0);
    let all = each(&std::fs::read(place.path("catalog/smf/current")).unwrap());
    for kind in [30, 42, 62, 64] {
        let record = all.iter().find(|record| record[5] == kind).unwrap();
        let length = if kind == 30 { record.len() - 1 } else { 60 };
        let mut cut = record[..length].to_vec();
        cut[..2].copy_from_slice(&(length as u16).to_be_bytes());
        place.write("cut", &[&all.concat()[..], &cut].concat());
        let said = format!(
            "cut: offset {}: the record of type {kind} has {length} bytes",
            all.concat().len()
        );
        for how in [&["print"][..], &["totals"], &["export"]] {
            let run = place.run(&[&["smf"], how, &["cut"]].concat());
            assert_eq!(run.status, 4, "{how:?}: {run:?}");
            assert!(run.err.contains(&said), "{said}: {run:?}");
            assert!(!run.text().contains("not known here"), "{run:?}");
        }
        let of_kind = ["smf", "export", "--type", &kind.to_string(), "cut"].map(str::to_owned);
        let lines = place
            .run(&of_kind.each_ref().map(String::as_str))
            .text()
            .lines()
            .count();
        assert_eq!(lines, all.iter().filter(|record| record[5] == kind).count());
    }
}

#[test]
fn a_job_is_found_by_its_whole_name_and_steers_no_terminal() {
    let place = Place::new();
    place.names("AAAAone\n");
    for job in ["NIGHTLYRUN", "A\nB\x1b[2J"] {
        let mut command = place.command(&["idcams"]);
        command.env("CICA_SMF", "on").env("CICA_JOB", job);
        assert_eq!(finish(command, b" PRINT INDATASET(A.NAMES) CHARACTER\n").status, 0);
        let found = place.run(&["smf", "print", "--type", "62", "--job", job]).done();
        assert_eq!(found.matches("A data set is open").count(), 1, "{job:?}: {found}");
        let totals = place.run(&["smf", "totals", "--job", job]).done();
        let steers = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
        assert!(!steers(&found) && !steers(&totals), "{found}{totals}");
    }
    let shown = place.run(&["smf", "print", "--type", "62"]).done();
    assert!(shown.contains("SMF62JBN   A.B.[2J "), "{shown}");
    let shown = place.run(&["smf", "totals"]).done();
    assert!(shown.contains("\nA.B.[2J "), "{shown}");
    let shown = place.run(&["monitor", "--once", "--view", "jobs"]).done();
    assert!(shown.contains("\nA.B.[2J "), "{shown}");
}

/// The system keeps 15 bytes of a program's name, of this one half a character at their end.
#[test]
fn a_step_has_its_start_whatever_its_program_is_called() {
    let place = Place::new();
    place.names("AAAAone\n");
    let name = place.path("L\u{f6}hne und Geh\u{e4}lter");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cica"), &name).unwrap();
    let mut command = std::process::Command::new(name);
    command
        .arg("idcams")
        .current_dir(&place.dir)
        .env("CICA_CATALOG", place.path("catalog"))
        .env("CICA_SMF", "on");
    assert_eq!(finish(command, b" PRINT INDATASET(A.NAMES) CHARACTER\n").status, 0);
    let step = place.run(&["smf", "export", "--type", "30"]).json();
    assert_ne!(step["SMF30STD"], "1970.001", "{step}");
}

/// A server keeps a data set open for its clients; the records are of what they opened.
#[test]
fn an_open_at_a_server_is_recorded_once() {
    let place = Place::new();
    place.names("AAAAone\n");
    let mut get = place.command(&["get", "A.NAMES", "AAAA"]);
    get.env("CICA_SMF", "on").env("CICA_SHARE", "on");
    common::finish(get, b"").done();
    place.run(&["server", "stop"]).done();
    for kind in ["62", "64"] {
        let found = place.run(&["smf", "export", "--type", kind]).text();
        let of = found.lines().filter(|line| line.contains("A.NAMES")).count();
        // A record of type 64 is one component's.
        assert_eq!(of, if kind == "62" { 1 } else { 2 }, "{found}");
    }
}

/// One that is not there is told, and the others are shown.
#[test]
fn files_that_cannot_be_read_are_told_beside_those_that_can() {
    let place = Place::new();
    place.names("AAAAone\n");
    step(&place, "PRINT1", "PRINT INDATASET(A.NAMES) CHARACTER", &[]);
    let all = place.path("catalog/smf");
    std::fs::copy(all.join("current"), place.path("good.smf")).unwrap();
    for command in ["totals", "print", "export"] {
        let alone = place.run(&["smf", command, "good.smf"]);
        for files in [["good.smf", "nope.smf"], ["nope.smf", "good.smf"]] {
            let run = place.run(&["smf", command, files[0], files[1]]);
            assert_eq!((run.status, &run.out), (4, &alone.out), "{command}: {}", run.err);
            assert!(
                run.err.contains("nope.smf") && !run.err.contains("good.smf"),
                "{}",
                run.err
            );
        }
        place.run(&["smf", command, "nope.smf"]).failed(8, &["nope.smf"]);
    }
    // What stands in the place of the directory is told, and not files that never were.
    std::fs::remove_dir_all(&all).unwrap();
    std::fs::write(&all, b"").unwrap();
    let run = place.run(&["smf", "totals"]);
    assert_eq!((run.status, run.err.lines().count()), (8, 1), "{}", run.err);
    assert!(!run.err.contains("smf/8"), "{}", run.err);
}

/// The times of the records of type 62 that are shown.
fn times(place: &Place, filters: &[&str]) -> (Vec<String>, i32) {
    let run = place.run(&[&["smf", "print", "at", "--type", "62"], filters].concat());
    let shown = run.text();
    let heads = shown.lines().filter(|line| line.contains("  type 62"));
    (
        heads
            .map(|line| line.split("  type").next().unwrap().to_owned())
            .collect(),
        run.status,
    )
}

#[test]
fn records_are_shown_by_the_time_they_were_written() {
    let place = Place::new();
    place.names("AAAAone\n");
    cat(&place);
    let all = each(&std::fs::read(place.path("catalog/smf/current")).unwrap());
    let open = all.iter().find(|record| record[5] == 62).unwrap();
    // Of the last day of 2023 at 23:59:59.99, and of the day behind it at 0:00:00.00, 11:58:59.99 and 11:59:00.00.
    let (old, new) = ([0x01, 0x23, 0x36, 0x5F], [0x01, 0x24, 0x00, 0x1F]);
    let written: [(u32, [u8; 4]); 4] = [(8_639_999, old), (0, new), (4_313_999, new), (4_314_000, new)];
    let at = |(time, day): (u32, [u8; 4])| {
        let mut record = open.clone();
        record[6..10].copy_from_slice(&time.to_be_bytes());
        record[10..14].copy_from_slice(&day);
        record
    };
    place.write("at", &written.map(at).concat());
    let shown = [
        "2023.365 23:59:59.99",
        "2024.001 00:00:00.00",
        "2024.001 11:58:59.99",
        "2024.001 11:59:00.00",
    ];
    for (filters, wanted) in [
        (&["--from", "2023-12-31T23:59:59"][..], &shown[..]),
        (&["--from", "2024-01-01T00:00"], &shown[1..]),
        (&["--to", "2023-12-31T23:59"], &shown[..1]),
        (&["--to", "2024-01-01 11:58:58"], &shown[..2]),
        (&["--to", "2024-01-01T11:58Z"], &shown[..3]),
        (&["--to", "2024-01-01T11:59"], &shown[..]),
        (
            &["--from", "2024-01-01T00:00:01", "--to", "2024-01-01T11:58:59"],
            &shown[2..3],
        ),
    ] {
        assert_eq!(
            times(&place, filters),
            (wanted.iter().map(ToString::to_string).collect(), 0),
            "{filters:?}"
        );
    }
    assert_eq!(times(&place, &["--from", "2024-01-02T00:00"]), (Vec::new(), 4));
    // Totals and exports take the same, and of the catalog's own files: what was written is of today or yesterday.
    for show in ["totals", "export"] {
        assert_eq!(place.run(&["smf", show, "--from", "2024-01-01T00:00"]).status, 0);
        assert_eq!(place.run(&["smf", show, "--to", "2024-01-01T00:00"]).status, 4);
    }
    // What is no time, is to come, or ends before it begins.
    for (filters, words) in [
        (&["--from", "noon"][..], "'noon' is no time"),
        (&["--to", "2999-01-01T00:00"], "is to come"),
        (
            &["--from", "2024-01-02T00:00", "--to", "2024-01-01T23:59"],
            "is later than --to 2024-01-01T23:59:59Z",
        ),
    ] {
        let wrong = place.run(&[&["smf", "print"], filters].concat());
        wrong.failed(8, &["CICA1015E", words]);
    }
    // Where a record does not say when, that it is left out is told; without a filter it is shown.
    place.write("at", &[written.map(at).concat(), at((8_640_000, new))].concat());
    let run = place.run(&["smf", "print", "at", "--from", "2024-01-01T11:59"]);
    assert!(
        run.status == 4 && run.text().matches("  type 62").count() == 1,
        "{run:?}"
    );
    assert!(run.err.contains("no day and time"), "{run:?}");
    assert_eq!(times(&place, &[]).0.len(), 5);
}

#[test]
fn a_mask_means_data_sets_of_many_names() {
    let place = Place::new();
    place.names("AAAAone\n");
    for name in ["A.NAMES.OLD", "B.NAMES"] {
        let keys = ["--keys", "4,0", "--recordsize", "20,80", "-q"];
        place.run(&[&["import", "names.txt", name], &keys[..]].concat()).done();
    }
    for name in ["A.NAMES", "A.NAMES.OLD", "B.NAMES"] {
        let mut command = place.command(&["cat", name]);
        command.env("CICA_SMF", "on");
        assert_eq!(finish(command, b"").status, 0);
    }
    let opened = |mask: &str| {
        let run = place.run(&["smf", "export", "--type", "62", "--dsn", mask]);
        let shown = run.text();
        let records = shown
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let names: Vec<String> = records
            .map(|record| record["SMF62CLU"].as_str().unwrap().to_owned())
            .collect();
        (names.join(" "), run.status)
    };
    for (mask, names) in [
        ("a.names", "A.NAMES"),
        ("A.NAMES.DATA", "A.NAMES"),
        ("A.*", "A.NAMES"),
        ("A.**", "A.NAMES A.NAMES.OLD"),
        ("%.names", "A.NAMES B.NAMES"),
        ("**.INDEX", "A.NAMES A.NAMES.OLD B.NAMES"),
        ("*.N*.OLD", "A.NAMES.OLD"),
    ] {
        assert_eq!(opened(mask), (names.to_owned(), 0), "{mask}");
    }
    assert_eq!(opened("C.**"), (String::new(), 4));
    assert_eq!(opened("A"), (String::new(), 4));
    // The components of those, added up, and no others.
    let totals = place.run(&["smf", "totals", "--dsn", "A.*"]).done();
    assert!(
        totals.contains("A.NAMES.DATA") && totals.contains("A.NAMES.INDEX"),
        "{totals}"
    );
    assert!(!totals.contains("B.NAMES"), "{totals}");
    place.run(&["smf", "totals", "--dsn", "A.B**"]).failed(64, &["**"]);
}
