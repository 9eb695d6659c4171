//! The conformance suite: each case is a COBOL program, compiled by cobc and run three times: through the interposer,
//! through EXTFH, and with libcob's own handler. All programs are compiled in one go and called by name.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod generate;

use common::{stderr, stdout, Workplace};
use generate::{cases, Case};
use std::path::Path;
use std::process::Command;

/// All cases as one program that calls the one it is told.
fn source(cases: &[Case]) -> String {
    let mut source = String::from(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. SUITE.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n\
         01 A PIC X(8).\nPROCEDURE DIVISION.\nP1. ACCEPT A FROM COMMAND-LINE CALL A STOP RUN.\nEND PROGRAM SUITE.\n",
    );
    for (number, case) in cases.iter().enumerate() {
        source.push_str(&case.program(&case.id(number)));
    }
    source
}

fn said(mut command: Command, id: &str) -> String {
    let done = command.arg(id).output().expect("it runs");
    let mut text = stdout(&done);
    if !done.status.success() {
        text.push_str(&format!("{}: {}", done.status, stderr(&done)));
    }
    text
}

fn without_library(place: &Workplace, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(place.0.join("native"))
        .env_remove("LD_PRELOAD")
        .env_remove("COB_FILE_PATH");
    command
}

/// Whose answers are looked at.
#[derive(Clone, Copy)]
enum Whose {
    Cicas,
    Libcobs,
    Libcobs32,
}

/// What a case's lines should be, and were.
fn differences(case: &Case, said: &str, of: Whose) -> Vec<String> {
    let mut lines = said.lines();
    let mut found = Vec::new();
    for step in &case.steps {
        let Some(expected) = &step.expected else { continue };
        let wanted = &expected[of as usize];
        let got = lines.next().unwrap_or("nothing").trim_end();
        if got != wanted {
            found.push(format!(
                "{} (line {}): {}: {got}, not {wanted}",
                case.name, step.line, step.text
            ));
        }
    }
    found.extend(lines.map(|line| format!("{}: more: {line}", case.name)));
    found
}

fn suite(name: &str, text: &str, least: usize) {
    let place = Workplace::with_catalog(name);
    let mut cases = cases(text);
    for case in &mut cases {
        case.alternate = name == "alternate";
        case.entries = name == "entries";
    }
    assert!(cases.len() >= least, "{} cases; {least} were written", cases.len());
    let program = place.compile("suite", &source(&cases));
    let recompiled = place.compile_extfh("recompiled", &source(&cases));
    let libcobs = if common::is_3_2() {
        Whose::Libcobs32
    } else {
        Whose::Libcobs
    };
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let id = case.id(number);
        for (way, program, preload) in [("interposer", &program, true), ("EXTFH", &recompiled, false)] {
            if !preload && case.has("interposer") {
                continue;
            }
            let mut command = place.command(program);
            // Each way has data sets of its own.
            let name = if preload { id.clone() } else { format!("X.{id}") };
            if !preload {
                command.env_remove("LD_PRELOAD").env(format!("DD_{id}"), &name);
            }
            if case.entries {
                // A plain name would be libcob's, as sequential files are when nobody defined them.
                command.env(format!("DD_{id}"), format!("//{name}"));
            }
            let ours = said(command, &id);
            let found = differences(case, &ours, Whose::Cicas).into_iter();
            wrong.extend(found.map(|d| format!("{way}: {d}")));
        }
        let theirs = said(without_library(&place, &program), &id);
        let found = differences(case, &theirs, libcobs).into_iter();
        wrong.extend(found.map(|d| format!("libcob: {d}")));
    }
    // What libcob did in Cica's place would agree with libcob.
    let files = std::fs::read_dir(&place.0).expect("the directory").flatten();
    let native = files
        .filter(|f| f.file_name().to_string_lossy().starts_with(['T', 'X']))
        .count();
    assert_eq!(native, 0, "files of libcob's beside the program");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn indexed_files_answer_as_cobol_says() {
    suite("indexed", include_str!("cases/indexed.txt"), 137);
}

#[test]
fn relative_files_answer_as_cobol_says() {
    suite("relative", include_str!("cases/relative.txt"), 34);
}

#[test]
fn alternate_keys_answer_as_cobol_says() {
    suite("alternate", include_str!("cases/alternate.txt"), 50);
}

#[test]
fn sequential_files_answer_as_cobol_says() {
    suite("entries", include_str!("cases/entries.txt"), 20);
}

#[test]
fn record_locks_keep_others_away() {
    suite("locks", include_str!("cases/locks.txt"), 24);
}
