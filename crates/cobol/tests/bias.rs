//! AMP's words of system-managed buffering: OPEN and CLOSE tell what was done, and nothing else.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::path::{Path, PathBuf};

/// Reads by key, in order, or both, as its argument says.
const READS: &str = "IDENTIFICATION DIVISION. PROGRAM-ID. READS.
ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.
    SELECT F ASSIGN TO 'CUST' ORGANIZATION INDEXED ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
    SELECT S ASSIGN TO 'CUST' ORGANIZATION INDEXED ACCESS SEQUENTIAL RECORD KEY SK FILE STATUS FS.
DATA DIVISION. FILE SECTION. FD F. 01 R. 05 K PIC 9(8). 05 D PIC X(12).
FD S. 01 SR. 05 SK PIC 9(8). 05 SDATA PIC X(12).
WORKING-STORAGE SECTION. 01 FS PIC XX. 01 WHAT PIC X(8). 01 N PIC 9(8).
PROCEDURE DIVISION.
    ACCEPT WHAT FROM ARGUMENT-VALUE
    EVALUATE WHAT
    WHEN 'load'
        OPEN OUTPUT F
        PERFORM VARYING N FROM 1 BY 1 UNTIL N > 20000
            MOVE N TO K MOVE N TO D WRITE R
        END-PERFORM
        CLOSE F
    WHEN 'keys'
        OPEN INPUT F
        PERFORM VARYING N FROM 100 BY 100 UNTIL N > 1000
            MOVE N TO K READ F
        END-PERFORM
        CLOSE F
    WHEN 'both'
        OPEN I-O F
        MOVE 500 TO K READ F
        PERFORM 40 TIMES READ F NEXT END-PERFORM
        CLOSE F
    WHEN 'order'
        OPEN INPUT S
        PERFORM UNTIL FS NOT = '00' READ S END-PERFORM
        CLOSE S
    WHEN 'open'
        OPEN INPUT F
        DISPLAY FS
    END-EVALUATE
    STOP RUN.
";

fn loaded(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("reads", READS);
    assert_eq!(place.run(&program, &["load"]), "");
    (place, program)
}

/// What is told on stderr, line by line.
fn told(place: &Workplace, program: &Path, dd: &str, settings: &[(&str, &str)], what: &str) -> Vec<String> {
    let mut command = place.command(program);
    command.env("DD_CUST", dd).envs(settings.iter().copied()).arg(what);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    stderr(&done).lines().map(str::to_owned).collect()
}

/// The number in front of these words.
fn number(line: &str, behind: &str) -> u64 {
    let (before, _) = line.split_once(behind).unwrap_or_else(|| panic!("{behind}: {line}"));
    let digits = before.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next();
    digits.unwrap().parse().unwrap_or_else(|_| panic!("{behind}: {line}"))
}

const ASKED: &str = "DSN=CUST,AMP=('ACCBIAS=SO,MSG=SMBBIAS')";

#[test]
fn close_tells_which_reads_there_were_and_what_they_took() {
    let (place, program) = loaded("bias-reads");
    for (what, file, reads) in [
        ("order", "S", "reads were in order (20000 records, 0 gets by key)"),
        ("keys", "F", "reads were by key (10 records, 10 gets by key)"),
        (
            "both",
            "F",
            "reads were by key and in order (41 records, 1 gets by key)",
        ),
    ] {
        for smf in ["off", "on"] {
            let lines = told(&place, &program, ASKED, &[("CICA_SMF", smf)], what);
            let [opened, closed] = &lines[..] else {
                panic!("{lines:?}")
            };
            let wanted =
                format!("CICA1234I FILE {file}: CUST IS OPEN, AMP SAYS ACCBIAS=SO,MSG=SMBBIAS: the pool of the");
            assert!(opened.starts_with(&wanted), "{opened}");
            assert!(opened.contains("(16384K, of which "), "{opened}");
            let passed = opened.contains("what they have passed leaves the pool");
            assert_eq!(passed, what == "order", "{opened}");
            let wanted = format!("CICA1235I FILE {file}: CUST WAS CLOSED, AMP SAYS ACCBIAS=SO,MSG=SMBBIAS: {reads};");
            assert!(closed.starts_with(&wanted), "{closed}");
            let [looks, read, hits, excps] = [" CIs asked for", " came from the files", " were in memory", " EXCPs"]
                .map(|behind| number(closed, behind));
            assert!(looks > 0 && hits <= looks && read > 0 && excps > 0, "{closed}");
            if what == "order" {
                assert!(2 * excps < read, "read ahead: {closed}");
            }
        }
    }
}

#[test]
fn words_without_the_message_are_told_to_who_wants_to_be_informed() {
    let (place, program) = loaded("bias-quiet");
    let dd = "DSN=CUST,AMP=('ACCBIAS=SYSTEM,SMBVSP=4M')";
    assert_eq!(told(&place, &program, dd, &[], "keys"), [""; 0]);
    let lines = told(&place, &program, dd, &[("CICA_MESSAGES", "I")], "keys");
    let [closed] = &lines[..] else { panic!("{lines:?}") };
    let wanted = "CICA1235I FILE F: CUST WAS CLOSED, AMP SAYS ACCBIAS=SYSTEM,SMBVSP=4M: reads were by key (10 records";
    assert!(closed.starts_with(wanted), "{closed}");
    // Who wants only warnings gets no more.
    assert_eq!(
        told(&place, &program, ASKED, &[("CICA_MESSAGES", "W")], "keys"),
        [""; 0]
    );
    // Nothing was asked.
    let lines = told(&place, &program, "DSN=CUST", &[("CICA_MESSAGES", "I")], "keys");
    assert_eq!(lines, [""; 0]);
}

#[test]
fn a_load_tells_what_it_wrote() {
    let (place, program) = loaded("bias-load");
    let lines = told(&place, &program, ASKED, &[], "load");
    let [opened, closed] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(opened.ends_with("K are in use)"), "{opened}");
    assert!(
        closed.contains(": nothing was read (0 records, 0 gets by key);"),
        "{closed}"
    );
    assert!(number(closed, " EXCPs") > 5, "{closed}");
}

#[test]
fn buffers_of_its_own_and_of_a_pool_are_named() {
    let (place, program) = loaded("bias-buffers");
    let text = place.0.join("dfsvsamp");
    std::fs::write(&text, "VSRBF=32768,8\n").unwrap();
    let pools = [("CICA_DFSVSAMP", text.to_str().unwrap())];
    for (amp, served) in [
        (
            "BUFND=20,BUFNI=4,MSG=SMBBIAS",
            "buffers of its own serve it: 20 of data, 4 of index",
        ),
        (
            "SHRPOOL=0,MSG=SMBBIAS",
            "the buffers of pool 0 (SHRPOOL) serve it, and nothing is read ahead",
        ),
    ] {
        let lines = told(&place, &program, &format!("DSN=CUST,AMP=('{amp}')"), &pools, "keys");
        let [opened, closed] = &lines[..] else {
            panic!("{lines:?}")
        };
        let wanted = format!("CICA1234I FILE F: CUST IS OPEN, AMP SAYS MSG=SMBBIAS: {served}");
        assert_eq!(*opened, wanted);
        assert!(
            closed.contains("reads were by key (10 records, 10 gets by key);"),
            "{closed}"
        );
    }
}

#[test]
fn a_file_without_records_claims_nothing_and_the_end_of_the_program_is_a_close() {
    let (place, program) = loaded("bias-others");
    let cards = " DEFINE CLUSTER (NAME(NONE) INDEXED KEYS(8 0) RECORDSIZE(20 20) TRACKS(1 1))\n";
    common::idcams(&place.session(), cards).unwrap();
    let none = "DSN=NONE,AMP=('MSG=SMBBIAS')";
    let lines = told(&place, &program, none, &[], "keys");
    assert_eq!(
        lines,
        ["CICA1234I FILE F: NONE IS OPEN, AMP SAYS MSG=SMBBIAS: it has no records to read"]
    );
    // STOP RUN closes it.
    let lines = told(&place, &program, ASKED, &[], "open");
    assert!(lines.len() == 2 && lines[1].contains("nothing was read"), "{lines:?}");
}

#[test]
fn a_wrong_word_is_refused_and_opens_nothing() {
    let (place, program) = loaded("bias-wrong");
    for (amp, words) in [
        (
            "ACCBIAS=FAST",
            "AMP: ACCBIAS=FAST is none of USER, SYSTEM, DO, DW, SO, SW",
        ),
        (
            "SMBVSP=zz",
            "AMP: SMBVSP=ZZ is no size from 1K to 2048000K or 1M to 2048M",
        ),
        ("SMBHWT=100", "AMP: SMBHWT=100 is no number from 0 to 99"),
        ("MSG=BIAS", "AMP: MSG=BIAS is none of SMBBIAS"),
    ] {
        let mut command = place.command(&program);
        let done = command.env("DD_CUST", format!("DSN=CUST,AMP=('{amp}')")).arg("open");
        let done = done.output().unwrap();
        assert_eq!(stdout(&done), "91\n", "{amp}");
        let wanted = format!("CICA1233E FILE F: THE DD TEXT DSN=CUST,AMP=('{amp}') IS WRONG: {words}\n");
        assert_eq!(stderr(&done), wanted);
    }
}
