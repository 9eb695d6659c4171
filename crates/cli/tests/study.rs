//! Studies are measured and told as text, CSV and JSON.

#![allow(clippy::unwrap_used)]

mod common;

use common::Place;

#[test]
fn a_study_tells_its_own_figures_beside_those_that_were_published() {
    let place = Place::new();
    let (few, here) = (["--records", "2000", "--rounds", "1", "--directory"], place.path(""));
    let run = |more: &str| {
        let study = ["study", "2001"].into_iter().chain(few);
        let words: Vec<&str> = study.chain([here.to_str().unwrap(), more]).collect();
        place.run(&words)
    };
    let told = run("--json").json();
    let rows = told["tables"][1]["rows"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["row"] == name).unwrap();
    assert_eq!(row("BUFND 40, CPU, study")["compressed to compressed"], 3.29);
    assert_eq!(row("BUFND 40, CPU")["plain to plain"], 1.0);
    assert!(row("BUFND 4, elapsed")["plain to compressed"].as_f64().unwrap() > 0.0);
    assert!(run("--csv").done().starts_with("table,row,column,value\nSpace,"));
    let left = std::fs::read_dir(&here).unwrap().flatten();
    let left: Vec<_> = left
        .filter(|e| e.file_name().to_string_lossy().starts_with("cica-study"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(place.run(&["study", "1066"]).status, 64);
}

/// Does this process, and whatever it starts, ignore the signal?
fn is_ignored(signal: rustix::process::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

#[test]
fn a_study_that_a_signal_ends_leaves_nothing() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        // A shell has what it starts in the background ignore INT, and what is ignored stays so.
        if is_ignored(signal) {
            continue;
        }
        let place = Place::new();
        let here = place.path("studies");
        std::fs::create_dir(&here).unwrap();
        let mut command = place.command(&["study", "2001", "--directory", here.to_str().unwrap()]);
        let mut study = command.spawn().unwrap();
        let made = || std::fs::read_dir(&here).unwrap().flatten().next();
        // Some of its files are there.
        while made().is_none_or(|made| std::fs::read_dir(made.path()).unwrap().count() == 0) {
            assert!(study.try_wait().unwrap().is_none(), "it ended");
            std::thread::yield_now();
        }
        let pid = rustix::process::Pid::from_child(&study);
        rustix::process::kill_process(pid, signal).unwrap();
        let ended = study.wait().unwrap();
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&ended),
            Some(signal.as_raw())
        );
        assert!(made().is_none(), "{:?}", made());
    }
}

#[test]
fn a_study_is_written_as_a_page_whole_or_not_at_all() {
    let place = Place::new();
    let page = place.path("buffers.html");
    let run = |to: &str| {
        let words = [
            "study",
            "1988",
            "--records",
            "1000",
            "--rounds",
            "1",
            "--csv",
            "--html",
            to,
        ];
        place.run(&words)
    };
    let csv = run(page.to_str().unwrap()).done();
    assert!(
        csv.contains("\"figure 1, QSAM to QSAM: counted\",1:  4K x  5 to  4K x  5,EXCP now,200\n"),
        "{csv}"
    );
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<svg").count(), 8);
    let nowhere = place.path("none/buffers.html");
    let refused = run(nowhere.to_str().unwrap());
    refused.failed(12, &["CICA0941E", "name a file in a directory that is there"]);
    assert!(!nowhere.exists());
}

#[test]
fn a_study_has_its_data_sets_alone_whoever_shares() {
    let place = Place::new();
    for (words, told) in [
        (
            &["study", "2007"][..],
            "SMF64RIO read from disk                         10          10",
        ),
        (
            &["study", "1988", "--records", "1000", "--rounds", "1"],
            "figure 2, ESDS to ESDS: counted",
        ),
    ] {
        let mut command = place.command(words);
        command.env("CICA_SHARE", "on").env("CICA_SMF", "on");
        let ran = command.output().unwrap();
        let (out, said) = (
            String::from_utf8(ran.stdout).unwrap(),
            String::from_utf8(ran.stderr).unwrap(),
        );
        assert!(ran.status.success() && out.contains(told), "{said}\n{out}");
    }
}

/// The directory that is named is the user's: one that is not there is told, and none is left behind.
#[test]
fn a_study_makes_no_directory_but_its_own() {
    let place = Place::new();
    let nowhere = place.path("not-there");
    let named = nowhere.to_str().unwrap();
    let run = place.run(&[
        "study",
        "2001",
        "--records",
        "1000",
        "--rounds",
        "1",
        "--directory",
        named,
    ]);
    run.failed(12, &["CICA0941E", "not-there: "]);
    assert!(!nowhere.exists());
}

/// Who asks for COBOL and has no compiler is told before anything is measured.
#[test]
fn a_study_by_cobol_programs_says_what_they_lack() {
    let place = Place::new();
    let mut command = place.command(&["study", "1979", "--steps", "cobol"]);
    let ran = command.env("PATH", "").output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(12), "{said}");
    assert!(said.contains("CICA0941E") && said.contains("cobc: "), "{said}");
    assert!(ran.stdout.is_empty());
}
