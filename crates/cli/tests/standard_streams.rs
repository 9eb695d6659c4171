//! Standard input and output that are files: the shell, and what it runs before and behind, has its place in them.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place};
use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

fn place() -> Place {
    let place = Place::new();
    place.names("AAAAone\nBBBBtwo\n");
    place
}

/// The command with standard output in a file, as the shell's `{ command; echo END; } > file`.
fn into_file(place: &Place, args: &[&str], input: &[u8]) -> String {
    let path = place.path("out");
    let mut file = File::create(&path).unwrap();
    let mut command = place.command(args);
    command.stdin(Stdio::piped()).stdout(file.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    assert!(child.wait().unwrap().success());
    file.write_all(b"END\n").unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn records_are_written_where_standard_output_stands() {
    let place = place();
    assert_eq!(
        into_file(&place, &["export", "A.NAMES", "-"], b""),
        "AAAAone\nBBBBtwo\nEND\n"
    );
    let out = into_file(&place, &["export", "-q", "A.NAMES", "/dev/stdout"], b"");
    assert_eq!(out, "AAAAone\nBBBBtwo\nEND\n");
    // The listing and a DD that is standard output do not write over each other.
    let cards = b" REPRO INDATASET(A.NAMES) OUTFILE(OUT)\n";
    let out = into_file(&place, &["idcams", "--dd", "OUT=/dev/stdout"], cards);
    for part in [
        "AAAAone\nBBBBtwo\n",
        "NUMBER OF RECORDS PROCESSED WAS 2",
        "MAXIMUM CONDITION CODE WAS 0",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(out.ends_with("END\n"), "{out}");
}

#[test]
fn records_are_read_from_where_standard_input_stands() {
    let place = place();
    let path = place.write("in", b"KEY,NAME\nCCCCthree\n");
    let mut input = File::open(path).unwrap();
    let mut header = [0; 9];
    input.read_exact(&mut header).unwrap();
    let mut command = place.command(&["import", "-", "A.NAMES", "-q"]);
    let run = command.stdin(input).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    assert_eq!(place.run(&["cat", "A.NAMES"]).done(), "AAAAone\nBBBBtwo\nCCCCthree\n");
}

/// Nobody knows what a pipe keeps.
#[test]
fn what_is_exported_for_good_is_not_exported_to_a_stream() {
    let place = place();
    for target in ["/dev/null", "/dev/stdout"] {
        let dd = format!("OUT={target}");
        let run = place.cards("EXPORT A.NAMES OUTFILE(OUT)", &["--dd", &dd]);
        assert_eq!(run.status, 12, "{}", run.text());
        assert!(run.text().contains("TEMPORARY"), "{}", run.text());
        assert_eq!(place.run(&["cat", "A.NAMES"]).done(), "AAAAone\nBBBBtwo\n");
    }
    let run = place.cards("EXPORT A.NAMES OUTFILE(OUT) TEMPORARY", &["--dd", "OUT=/dev/null"]);
    assert_eq!(run.status, 0, "{}", run.text());
}

/// One record that is missing is as bad as many.
#[test]
fn an_export_that_lacks_a_record_leaves_the_file_that_was_there() {
    let place = place();
    place.write("names", b"those of yesterday\n");
    place
        .run_with(&["put", "A.NAMES", "--hex", "-q"], b"585858580A\n")
        .done();
    let run = place.run(&["export", "A.NAMES", "names"]);
    assert!(run.status == 8 && run.text().contains("CICA1022I"), "{run:?}");
    assert_eq!(place.read("names"), b"those of yesterday\n");
}

#[test]
fn an_export_that_gives_up_leaves_the_file_that_was_there() {
    let place = place();
    place.write("names", b"those of yesterday\n");
    // Records with line ends inside are no lines; four of them end the copy.
    let mut records = Vec::new();
    (0..5).for_each(|n| records.extend(format!("X{n:03}a\nbc").into_bytes()));
    place.write("records", &records);
    place
        .run(&["import", "records,RECFM=F,LRECL=8", "A.NAMES", "-q"])
        .done();
    let run = place.run(&["export", "A.NAMES", "names"]);
    assert_eq!(run.status, 12, "{run:?}");
    assert!(
        run.text().contains("CICA1022I") || run.err.contains("CICA1022I"),
        "{run:?}"
    );
    assert_eq!(place.read("names"), b"those of yesterday\n");
    place.run(&["export", "A.NAMES", "more"]);
    assert!(!place.path("more").exists());
    let mut command = place.command(&["export", "A.NAMES", "all,RECFM=V"]);
    command.env("LC_ALL", "C");
    finish(command, b"").done();
}

/// As `cica export A.NAMES - | head -1`: whoever has read what he wanted goes.
#[test]
fn a_reader_that_goes_is_no_error_of_an_export() {
    let place = place();
    let records: Vec<u8> = (0..9_999)
        .flat_map(|n| format!("{n:04}{n:04}{}\n", "x".repeat(70)).into_bytes())
        .collect();
    place.run_with(&["put", "A.NAMES", "-q"], &records).done();
    for args in [
        &["export", "A.NAMES", "-"][..],
        &["cat", "A.NAMES"],
        &["export", "A.NAMES", "-", "-n", "3"],
    ] {
        let mut command = place.command(args);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut first = [0; 8];
        let mut out = child.stdout.take().unwrap();
        if args.len() == 3 || args[0] == "cat" {
            out.read_exact(&mut first).unwrap();
        }
        drop(out);
        let run = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{args:?}");
        assert!(run.status.success(), "{args:?}: {run:?}");
    }
    // A copy has no end then.
    let mut child = place.command(&["backup", "A.NAMES", "-o", "-", "-q"]);
    let mut child = child
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = child.wait_with_output().unwrap();
    assert_eq!(run.status.code(), Some(12), "{run:?}");
}

#[test]
fn an_output_that_is_closed_is_an_error() {
    let place = place();
    let cica = env!("CARGO_BIN_EXE_cica");
    for (args, status) in [
        ("cat A.NAMES", 12),
        ("get A.NAMES AAAA", 12),
        ("export A.NAMES -", 12),
        ("backup A.NAMES -o -", 12),
        ("ls", 12),
        ("plan blksize 80", 12),
        ("cat A.NAMES --from ZZZZ", 4),
        ("rm A.NONE -q", 8),
    ] {
        let mut command = place.command(&[]);
        let shell = format!("exec {cica} {args} >&-");
        let mut closed = std::process::Command::new("sh");
        closed.args(["-c", &shell]).current_dir(&place.dir);
        closed.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = closed;
        let run = finish(command, b"");
        assert_eq!(run.status, status, "{args}: {}", run.err);
        assert!(status != 12 || run.err.contains("cica: "), "{args}: {}", run.err);
        assert!(!run.err.contains("panicked"), "{}", run.err);
    }
    // Into nothing is no error.
    let mut command = place.command(&["cat", "A.NAMES"]);
    let run = command.stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap();
    assert!(run.status.success(), "{run:?}");
}

#[test]
fn an_input_that_is_closed_is_an_error() {
    let place = place();
    place
        .cards("DEFINE CLUSTER (NAME(A.LINEAR) LINEAR CYLINDERS(1 1))", &[])
        .done();
    let cica = env!("CARGO_BIN_EXE_cica");
    for (args, status) in [
        ("put A.NAMES", 12),
        ("put A.NAMES --hex", 12),
        ("idcams", 16),
        ("import - A.NAMES --replace", 12),
        ("import /dev/stdin A.NAMES --replace", 12),
        ("lds write A.LINEAR", 12),
        // It is not read.
        ("cat A.NAMES", 0),
    ] {
        let run_with = |from: &str| {
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &format!("exec {cica} {args} {from}")]);
            let envs = place.command(&[]);
            command.envs(envs.get_envs().filter_map(|(name, value)| Some((name, value?))));
            finish(
                {
                    command.current_dir(&place.dir);
                    command
                },
                b"",
            )
        };
        let run = run_with("<&-");
        let told = format!("{}{}", run.err, run.text());
        assert_eq!(run.status, status, "{args}: {told}");
        let is_told = told.contains("CICA09") || told.contains("IDC3300I");
        assert!(status == 0 || is_told, "{args}: {told}");
        assert!(!told.contains("panicked"), "{told}");
        // From nothing is no error of the stream's.
        let told = run_with("</dev/null").err;
        assert!(!told.contains("closed") && !told.contains("Bad file"), "{args}: {told}");
    }
    assert_eq!(place.run(&["cat", "A.NAMES"]).done(), "AAAAone\nBBBBtwo\n");
}
