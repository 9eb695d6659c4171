//! `cica idcams` and the command line itself.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place};
use serde_json::json;
use std::process::Command;

const DEFINE: &str = "DEFINE CLUSTER (NAME(A.B) KEYS(4 0) RECORDSIZE(20 80) TRACKS(5 5))";

#[test]
fn the_exit_status_is_maxcc() {
    let p = Place::new();
    assert_eq!(p.cards(DEFINE, &[]).status, 0);
    assert_eq!(p.cards("LISTCAT ENTRIES(NO.BODY)", &[]).status, 4);
    assert_eq!(p.cards("DELETE NO.BODY", &[]).status, 8);
    assert_eq!(p.cards("DELETE NO.BODY\nSET MAXCC = 0", &[]).status, 0);
    assert_eq!(p.cards("DELTE A.B", &[]).status, 12);
    assert_eq!(p.cards("SET MAXCC = 16", &[]).status, 16);
}

#[test]
fn cards_come_from_a_file_or_standard_input() {
    let p = Place::new();
    p.write("define.ams", format!(" {DEFINE}\n").as_bytes());
    let listing = p.run(&["idcams", "define.ams"]).done();
    assert!(
        listing.contains("IDC0002I IDCAMS PROCESSING COMPLETE. MAXIMUM CONDITION CODE WAS 0"),
        "{listing}"
    );
    let again = p.run_with(&["idcams", "-"], b" LISTCAT\n").done();
    assert!(again.contains("A.B"), "{again}");
    p.run(&["idcams", "nobody.ams"])
        .failed(16, &["CICA0907S", "nobody.ams"]);
}

#[test]
fn files_are_named_by_options_and_environment() {
    let p = Place::new();
    p.write("one.txt", b"A001\n");
    p.write("two.txt", b"A002\n");
    p.cards(DEFINE, &[]).done();
    p.cards("REPRO INFILE(CARDS) OUTDATASET(A.B)", &["--dd", "CARDS=one.txt"])
        .done();
    let mut command = p.command(&["idcams"]);
    command.env("DD_CARDS", "two.txt").env("DD_UNUSED", "");
    finish(command, b" REPRO INFILE(CARDS) OUTDATASET(A.B)\n").done();
    assert_eq!(p.run(&["cat", "A.B"]).done(), "A001\nA002\n");
    // The option wins.
    p.write("three.txt", b"A003\n");
    let mut command = p.command(&["idcams", "--dd", "cards=three.txt"]);
    command.env("DD_CARDS", "two.txt");
    finish(command, b" REPRO INFILE(CARDS) OUTDATASET(A.B)\n").done();
    assert_eq!(p.run(&["cat", "A.B"]).done(), "A001\nA002\nA003\n");
}

#[test]
fn wrong_dd_texts_are_told_with_their_place() {
    let p = Place::new();
    let dd = |text: &str| p.run(&["idcams", "--dd", text]);
    dd("CARDS").failed(64, &["--dd CARDS", "NAME=FILE"]);
    dd("TOOLONGNAME=x").failed(64, &["TOOLONGNAME"]);
    dd("CARDS=x,RECFM=QQ").failed(64, &["column 9", "'QQ' is no record format"]);
    dd("CARDS=x,LRECK=5").failed(64, &["did you mean LRECL?"]);
    dd("CARDS=x,RECFM=FB,LRECL=40000").failed(64, &["LRECL"]);
    assert!(!p.path("catalog").exists(), "nothing was begun");
}

/// Other products have variables of such names.
#[test]
fn a_wrong_dd_of_the_environment_is_told_to_the_command_that_names_it() {
    let p = Place::new();
    p.cards(DEFINE, &[]).done();
    let with_wrong = |cards: &[u8]| {
        let mut command = p.command(&["idcams"]);
        command
            .env("DD_TAGS", "env:test,team:pay")
            .env("DD_AGENT_HOST", "one,two");
        finish(command, cards)
    };
    with_wrong(b" LISTCAT\n").done();
    let run = with_wrong(b" REPRO INFILE(TAGS) OUTDATASET(A.B)\n");
    assert_eq!(run.status, 12);
    let told = run.text();
    assert!(told.contains("DD_TAGS: column 10: 'team:pay' is no option"), "{told}");
    assert!(!p.path("TAGS").exists());
    // The command line's is the one that counts.
    p.write("one.txt", b"A001\n");
    let mut command = p.command(&["idcams", "--dd", "TAGS=one.txt"]);
    command.env("DD_TAGS", "env:test,team:pay");
    finish(command, b" REPRO INFILE(TAGS) OUTDATASET(A.B)\n").done();
}

#[test]
fn missing_input_is_told_on_the_listing() {
    let p = Place::new();
    p.cards(DEFINE, &[]).done();
    let run = p.cards("REPRO INFILE(CARDS) OUTDATASET(A.B)", &["--dd", "CARDS=nobody.txt"]);
    assert_eq!(run.status, 12);
    assert!(
        run.text().contains("IDC3300I ERROR OPENING nobody.txt"),
        "{}",
        run.text()
    );
    let run = p.cards("REPRO INFILE(CARDS) OUTDATASET(A.B)", &[]);
    assert!(run.text().contains("GIVE --dd CARDS=FILE"), "{}", run.text());
}

#[test]
fn the_listing_goes_where_it_is_sent() {
    let p = Place::new();
    let run = p.cards("SET MAXCC = 4", &["--sysprint", "list.txt", "--asa"]);
    assert_eq!((run.status, run.out.len()), (4, 0));
    let listing = String::from_utf8(p.read("list.txt")).unwrap();
    assert!(listing.starts_with("1IDCAMS  SYSTEM SERVICES"), "{listing}");
    p.cards("SET MAXCC = 4", &["--sysprint", "no/where/list.txt"])
        .failed(16, &["CICA0906S", "no/where/list.txt"]);
}

#[test]
fn codes_as_json() {
    let p = Place::new();
    let run = p.cards("DELETE NO.BODY\nLISTCAT", &["--json"]);
    assert_eq!(run.status, 8);
    let all: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
    assert_eq!(all["maxcc"], json!(8));
    let told = &all["messages"][0];
    assert_eq!((&told["id"], &told["severity"]), (&json!("IDC3012I"), &json!("error")));
    assert_eq!(told["text"], json!("IDC3012I ENTRY NO.BODY NOT FOUND"));
    assert_eq!(
        all["commands"][0],
        json!({"line": 1, "verb": "DELETE", "condition_code": 8})
    );
    assert!(all["sysprint"]
        .as_array()
        .unwrap()
        .iter()
        .any(|line| line == "IDC3012I ENTRY NO.BODY NOT FOUND"));
}

#[test]
fn a_link_called_idcams_takes_cards() {
    let p = Place::new();
    let link = p.path("idcams");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cica"), &link).unwrap();
    let mut command = Command::new(&link);
    command.env("CICA_CATALOG", p.path("catalog"));
    let run = finish(command, b" SET MAXCC = 4\n");
    assert_eq!(run.status, 4, "{}", run.text());
    assert!(run.text().contains("IDCAMS  SYSTEM SERVICES"));
}

#[test]
fn wrong_command_lines_are_64() {
    let p = Place::new();
    for args in [
        &["frobnicate"][..],
        &["get", "A.B"],
        &["ls", "--frob"],
        &["--pool", "lots", "ls"],
        &[],
    ] {
        let run = p.run(args);
        assert_eq!(run.status, 64, "{args:?}: {}", run.err);
        assert!(run.err.contains("Usage") || run.err.contains("--help"), "{}", run.err);
    }
    let mut command = p.command(&["ls"]);
    command.env("CICA_POOL", "many");
    p.names("AA01\n");
    finish(command, b"").failed(64, &["CICA_POOL", "many"]);
}

#[test]
fn help_is_given() {
    let p = Place::new();
    let help = p.run(&["--help"]).done();
    assert!(help.contains("Exit status:") && help.contains("CICA_CATALOG"), "{help}");
    for command in [
        "idcams", "ls", "show", "cat", "get", "put", "rm", "import", "export", "verify", "stat",
    ] {
        let help = p.run(&[command, "--help"]).done();
        // One, or several.
        let example = help.split("\nExample").nth(1).unwrap_or_default();
        assert!(example.contains(&format!("cica {command}")), "{help}");
    }
    assert!(p.run(&["--version"]).done().starts_with("cica "));
}

#[test]
fn messages_are_explained() {
    let p = Place::new();
    assert!(p.run(&["explain", "idc3012i"]).done().contains("What to do"));
    assert!(p.run(&["explain"]).done().lines().count() > 100);
    p.run(&["explain", "IDC9999I"]).failed(4, &["IDC9999I"]);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let p = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(p.run(&["completions", shell]).done().contains("cica"), "{shell}");
    }
    p.run(&["man", "man1"]).done();
    let page = String::from_utf8(p.read("man1/cica-import.1")).unwrap();
    assert!(page.contains("recordsize"), "{page}");
    assert!(p.run(&["man"]).done().contains(".TH cica 1"));
}

/// 98 records take two tracks; the volume has 15.
#[test]
fn what_a_deleted_data_set_had_of_a_volume_is_free_in_the_same_job() {
    let p = Place::new();
    let lines: String = (0..98).map(|n| format!("{n:0260}\n")).collect();
    p.write("lines", lines.as_bytes());
    let define = |name: &str, tracks: &str| {
        format!(
            "DEFINE CLUSTER (NAME({name}) NONINDEXED TRACKS({tracks}) -\n VOLUMES(V1) RECORDSIZE(260 260) CISZ(512))\n"
        )
    };
    let cards = [
        "DEFINE VOLUME (NAME(V1) CYLINDERS(1))\n".to_owned(),
        define("F", "12 3"),
        define("A", "1 1"),
        "REPRO INFILE(LINES) OUTDATASET(A)\nDELETE A\n".to_owned(),
        define("A", "1 1"),
        define("B", "1 1"),
        "REPRO INFILE(LINES) OUTDATASET(B)\n".to_owned(),
    ];
    let run = p.cards(&cards.concat(), &["--dd", "LINES=lines"]);
    assert_eq!(run.status, 0, "{}", run.text());
    let full = p.cards("REPRO INFILE(LINES) OUTDATASET(A)", &["--dd", "LINES=lines"]);
    assert_eq!(full.status, 12, "{}", full.text());
}

/// Whatever ends the job, the listing has what was done, and the cards of what was being done.
#[test]
fn the_listing_of_a_job_that_is_killed_is_there() {
    let p = Place::new();
    let made = Command::new("mkfifo").arg(p.path("pipe")).status().unwrap();
    assert!(made.success());
    let cards = format!(" {DEFINE}\n DELTE A.B\n REPRO INFILE(PIPE) OUTDATASET(A.B)\n");
    p.write("cards", cards.as_bytes());
    let mut command = p.command(&["idcams", "cards", "--dd", "PIPE=pipe", "--sysprint", "listing"]);
    let mut job = command.spawn().unwrap();
    // It is open when the job has opened it to read.
    let pipe = std::fs::OpenOptions::new().write(true).open(p.path("pipe")).unwrap();
    job.kill().unwrap();
    job.wait().unwrap();
    drop(pipe);
    let listing = String::from_utf8(p.read("listing")).unwrap();
    for part in [
        "IDC0512I NAME GENERATED-(D) A.B.DATA",
        "IDC0001I",
        "IDC3202I",
        "REPRO INFILE(PIPE)",
    ] {
        assert!(listing.contains(part), "{part}: {listing}");
    }
    assert!(!listing.contains("IDC0002I"), "{listing}");
}

#[test]
fn two_dd_of_one_name_are_refused() {
    let place = Place::new();
    let run = place.cards("LISTCAT", &["--dd", "OUT=one", "--dd", "out=two"]);
    run.failed(64, &["--dd out=two", "already"]);
}

/// What the listing cannot tell of is not done.
#[test]
fn a_command_whose_listing_cannot_be_written_is_not_carried_out() {
    let place = Place::new();
    place.cards(DEFINE, &[]).done();
    let run = place.cards("DELETE A.B", &["--sysprint", "/dev/full"]);
    assert_eq!(run.status, 16, "{}", run.text());
    place.run(&["show", "A.B"]).done();
}
