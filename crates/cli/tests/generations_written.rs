//! Sequential data sets and generations that are made, written and read: nothing that is there is written over, of two
//! runs at once each has its own, and records end with their file.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::{CatalogError, Name, Volser};
use cica_session::{Session, Sharing, Start};
use common::{finish, Place, Run};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};

const GROUP: &str = "DEFINE GDG (NAME(PAY.HIST) LIMIT(5))";
const ALLOCATE: &str = "ALLOCATE DATASET(A.SEQ) FILE(X) NEW SPACE(5 1) TRACKS";
const NEXT: &str = "REPRO INFILE(IN) OUTDATASET(PAY.HIST(+1))";

fn cards(place: &Place, cards: &str, dd: &[(&str, &str)]) -> Run {
    let cards: String = cards.lines().map(|line| format!(" {line}\n")).collect();
    let mut command = place.command(&["idcams"]);
    command.envs(dd.iter().map(|(name, text)| (format!("DD_{name}"), text)));
    finish(command, cards.as_bytes())
}

/// The same, with these records behind IN.
fn with_input(place: &Place, said: &str, records: &str) -> Run {
    place.write("in.txt", records.as_bytes());
    cards(place, said, &[("IN", "in.txt")])
}

/// What it said, in one line.
fn words(run: &Run) -> String {
    run.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn refused(run: &Run, why: &str) {
    assert_eq!(run.status, 12, "{run:?}");
    assert!(words(run).contains(why), "{run:?}");
}

fn on_volume(place: &Place, name: &str) -> PathBuf {
    place.path("catalog/volumes/CICA01").join(name)
}

fn is_known(place: &Place, name: &str) -> bool {
    let listed = cards(place, &format!("LISTCAT ENTRIES({name})"), &[]);
    !words(&listed).contains(&format!("{name} NOT FOUND"))
}

fn records(place: &Place, name: &str) -> String {
    place.run(&["cat", name]).done()
}

/// A run whose first REPRO reads IN, and waits for more.
struct Waiting {
    child: Child,
    input: ChildStdin,
}

impl Waiting {
    fn begin(place: &Place, said: &str, dd: &[(&str, &str)]) -> Waiting {
        let said: String = said.lines().map(|line| format!(" {line}\n")).collect();
        place.write("waiting.ams", said.as_bytes());
        let mut command = place.command(&["idcams", "waiting.ams"]);
        command.env("DD_IN", "/dev/stdin");
        command.envs(dd.iter().map(|(name, text)| (format!("DD_{name}"), text)));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // More than a pipe holds: the run reads by then, and so its output is begun.
        let lines: String = (0..20_000).map(|number| format!("FIRST{number:05}\n")).collect();
        input.write_all(lines.as_bytes()).unwrap();
        Waiting { child, input }
    }

    fn end(self) -> Run {
        drop(self.input);
        let output = self.child.wait_with_output().unwrap();
        Run {
            status: output.status.code().unwrap_or(-1),
            out: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_file_that_no_entry_names_is_not_allocated_over() {
    let place = Place::new();
    with_input(
        &place,
        &format!("{ALLOCATE}\nREPRO INFILE(IN) OUTFILE(X)\nDELETE A.SEQ NOSCRATCH"),
        "ONE\nTWO\n",
    )
    .done();
    let file = on_volume(&place, "A.SEQ");
    let kept = std::fs::read(&file).unwrap();
    assert!(!kept.is_empty());
    refused(&cards(&place, ALLOCATE, &[]), "is there and not in this catalog");
    assert_eq!(std::fs::read(&file).unwrap(), kept);
    assert!(!is_known(&place, "A.SEQ"));
    let again = "DEFINE NONVSAM (NAME(A.SEQ) DEVT(3390) VOL(CICA01) RECATALOG)";
    cards(&place, again, &[]).done();
    assert_eq!(records(&place, "A.SEQ"), "ONE\nTWO\n");
    refused(&cards(&place, ALLOCATE, &[]), "DUPLICATE DATA SET NAME A.SEQ");
}

/// A directory has the name of the file.
#[test]
fn an_allocation_that_fails_can_be_done_again() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    let file = on_volume(&place, "A.SEQ");
    std::fs::create_dir(&file).unwrap();
    let failed = cards(&place, ALLOCATE, &[]);
    assert_eq!(failed.status, 12, "{failed:?}");
    assert!(!is_known(&place, "A.SEQ"), "{failed:?}");
    std::fs::remove_dir(&file).unwrap();
    cards(&place, ALLOCATE, &[]).done();
    assert_eq!(std::fs::read(&file).unwrap(), b"");
}

#[test]
fn a_file_that_a_group_left_is_not_the_next_generation() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    with_input(&place, NEXT, "KEPT\n").done();
    cards(&place, "DELETE PAY.HIST GDG RECOVERY", &[]).done();
    cards(&place, GROUP, &[]).done();
    let file = on_volume(&place, "PAY.HIST.G0001V00");
    let kept = std::fs::read(&file).unwrap();
    refused(&with_input(&place, NEXT, "NEW\n"), "is there and not in this catalog");
    assert_eq!(std::fs::read(&file).unwrap(), kept);
    assert!(!is_known(&place, "PAY.HIST.G0001V00"));
    let again = "DEFINE NONVSAM (NAME(PAY.HIST.G0001V00) DEVT(3390) -\n  VOL(CICA01) RECATALOG)";
    cards(&place, again, &[]).done();
    with_input(&place, NEXT, "NEW\n").done();
    assert_eq!(records(&place, "PAY.HIST.G0001V00"), "KEPT\n");
    assert_eq!(records(&place, "PAY.HIST.G0002V00"), "NEW\n");
}

/// The rule that stays: what a dead run left is in nobody's way.
#[test]
fn what_a_dead_run_left_is_written_anew() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    Waiting::begin(&place, NEXT, &[]).kill();
    assert!(!is_known(&place, "PAY.HIST.G0001V00"));
    // One that died when its file had the name, and its generation was not in the catalog.
    let start = Start {
        catalog: Some(place.dir.join("catalog")),
        pool: Some(16 << 20),
        sharing: Sharing::Off,
        ..Start::default()
    };
    let session = Session::start(start).unwrap();
    let name = Name::parse("PAY.HIST.G0001V00").unwrap();
    let listed = session.catalog.transact(|contents| -> Result<(), CatalogError> {
        contents.add_leftover(&Volser::default_serial(), &name.file(), false);
        Ok(())
    });
    listed.unwrap();
    std::fs::write(on_volume(&place, name.as_str()), "DEAD\n").unwrap();
    // While files are made nobody else clears leftovers.
    let right = session.catalog.stage().unwrap();
    with_input(&place, NEXT, "NEW\n").done();
    drop(right);
    drop(session);
    assert_eq!(records(&place, "PAY.HIST.G0001V00"), "NEW\n");
}

#[test]
fn of_two_runs_that_make_a_generation_at_once_the_first_has_it() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    let first = Waiting::begin(&place, NEXT, &[]);
    with_input(&place, NEXT, "SECOND\n").done();
    let ended = first.end();
    refused(&ended, "DUPLICATE DATA SET NAME PAY.HIST.G0001V00");
    assert!(words(&ended).contains("another run has made"), "{ended:?}");
    assert_eq!(records(&place, "PAY.HIST(0)"), "SECOND\n");
    with_input(&place, NEXT, "AGAIN\n").done();
    assert_eq!(records(&place, "PAY.HIST(0)"), "AGAIN\n");
    assert_eq!(records(&place, "PAY.HIST(-1)"), "SECOND\n");
}

/// The first run has named the group before, and so (+1) has a number that the second run takes.
#[test]
fn a_generation_that_another_run_made_is_not_written_over() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    with_input(&place, NEXT, "OLD\n").done();
    place.write("more.txt", b"FIRST\n");
    let said = "PRINT INDATASET(PAY.HIST(0)) CHARACTER\nREPRO INFILE(IN) OUTFILE(OUT)\n\
                REPRO INFILE(MORE) OUTDATASET(PAY.HIST(+1))";
    let first = Waiting::begin(&place, said, &[("OUT", "out"), ("MORE", "more.txt")]);
    with_input(&place, NEXT, "SECOND\n").done();
    refused(&first.end(), "another run has made PAY.HIST.G0002V00");
    assert_eq!(records(&place, "PAY.HIST.G0002V00"), "SECOND\n");
}

#[test]
fn what_a_run_made_it_may_write_again() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    let said = format!(
        "{NEXT}\n{NEXT}\nALLOCATE DATASET('PAY.HIST(+2)') FILE(OUT) MOD\nREPRO INFILE(IN) OUTFILE(OUT)\n\
         ALLOCATE DATASET('PAY.HIST(+2)') FILE(OUT) OLD REUSE\nREPRO INFILE(IN) OUTFILE(OUT)"
    );
    with_input(&place, &said, "ONE\n").done();
    // Each write begins it anew.
    assert_eq!(records(&place, "PAY.HIST.G0001V00"), "ONE\n");
    assert_eq!(records(&place, "PAY.HIST.G0002V00"), "ONE\n");
}

#[test]
fn an_entry_that_is_altered_meanwhile_stays_altered() {
    let place = Place::new();
    cards(&place, ALLOCATE, &[]).done();
    let unlimited = || words(&cards(&place, "LISTCAT ENTRIES(A.SEQ) ALL", &[])).contains("EXPIRATION------0000.000");
    assert!(unlimited(), "it is kept for no time yet");
    let write = "REPRO INFILE(IN) OUTDATASET(A.SEQ)";
    let first = Waiting::begin(&place, write, &[]);
    cards(&place, "ALTER A.SEQ FOR(30)", &[]).done();
    assert_eq!(first.end().status, 0);
    assert!(!unlimited(), "the ALTER is undone");
    let first = Waiting::begin(&place, write, &[]);
    cards(&place, "DELETE A.SEQ NOSCRATCH PURGE", &[]).done();
    let ended = first.end();
    assert!(ended.status >= 8, "{ended:?}");
    assert!(!is_known(&place, "A.SEQ"));
}

/// Two generations with these bytes, read newest first.
fn generations(format: &str, newest: &[u8], oldest: &[u8]) -> (Place, Run) {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    place.write("in.txt", b"0001\n");
    let new = format!("PAY.HIST(+1){format}");
    for (name, bytes) in [("PAY.HIST.G0001V00", oldest), ("PAY.HIST.G0002V00", newest)] {
        let dd = [("IN", "in.txt"), ("NEW", new.as_str())];
        cards(&place, "REPRO INFILE(IN) OUTFILE(NEW)", &dd).done();
        std::fs::write(on_volume(&place, name), bytes).unwrap();
    }
    let out = format!("out{format}");
    let run = cards(&place, "REPRO INDATASET(PAY.HIST) OUTFILE(OUT)", &[("OUT", &out)]);
    (place, run)
}

#[test]
fn records_of_generations_end_with_their_file() {
    let (place, run) = generations("", b"B1\nB2", b"A1\nA2");
    assert!(words(&run).contains("PROCESSED WAS 4"), "{run:?}");
    assert_eq!(place.read("out"), b"B1\nB2\nA1\nA2\n");
    let (_place, run) = generations(",RECFM=U,BLKSIZE=10", b"0123456789ABCDE", b"abcdefghijklmno");
    assert!(words(&run).contains("PROCESSED WAS 4"), "{run:?}");
    // Together they have the length of two records.
    let (_place, run) = generations(",RECFM=F,LRECL=4", b"BBBBCC", b"DD");
    refused(&run, "the file ends after 2 of the 4 bytes");
}

/// A command that gives up has begun the file, and left what was there: the next one does not go behind that.
#[test]
fn behind_a_command_that_gave_up_a_file_begins_anew() {
    let place = Place::new();
    place.write("in.txt", b"KEY1\n");
    place.write("report", b"OF YESTERDAY\n");
    let said = "DEFINE CLUSTER (NAME(A.KSDS) KEYS(4 0) RECORDSIZE(4 4) RECORDS(9))\n\
                REPRO INFILE(IN) OUTDATASET(A.KSDS)\n\
                PRINT INDATASET(A.KSDS) FROMKEY(NONE) CHARACTER OUTFILE(RPT)\n\
                PRINT INDATASET(A.KSDS) CHARACTER OUTFILE(RPT)";
    let run = cards(&place, said, &[("IN", "in.txt"), ("RPT", "report")]);
    let report = std::fs::read_to_string(place.path("report")).unwrap();
    assert!(
        report.contains("KEY1") && !report.contains("OF YESTERDAY"),
        "{run:?} {report}"
    );
}

/// A REPRO that ends in the middle has replaced the file: the catalog knows the format that it has now.
#[test]
fn what_replaces_a_file_states_its_format_whatever_it_came_to() {
    let place = Place::new();
    cards(&place, &format!("{ALLOCATE} -\nRECFM(F B) LRECL(80) BLKSIZE(800)"), &[]).done();
    place.write("in.bin", b"\0\x0c\0\0ONERECRD\xff\xff\0\0AND NO OTHER");
    let run = cards(
        &place,
        "REPRO INFILE(IN) OUTFILE(OUT)",
        &[("IN", "in.bin,RECFM=V,BDW=NO"), ("OUT", "A.SEQ,RECFM=VB,LRECL=204")],
    );
    assert_eq!(run.status, 12, "{run:?}");
    assert_eq!(records(&place, "A.SEQ"), "ONERECRD\n");
}

/// The same of a cluster, which has no file of its own to be in the way; what the run itself defined it writes.
#[test]
fn a_cluster_that_another_run_made_is_no_generation_of_this_one() {
    let place = Place::new();
    cards(&place, GROUP, &[]).done();
    let define = |number: u32| {
        format!("DEFINE CLUSTER (NAME(PAY.HIST.G000{number}V00) NONINDEXED -\n  RECORDSIZE(80 80) TRACKS(1 1) REUSE)")
    };
    cards(&place, &define(1), &[]).done();
    place.write("more.txt", b"FIRST\n");
    let said = "REPRO INFILE(IN) OUTFILE(OUT)\nREPRO INFILE(MORE) OUTDATASET(PAY.HIST(+1))";
    let said = format!("REPRO INDATASET(PAY.HIST(0)) OUTFILE(OUT)\n{said}");
    let first = Waiting::begin(&place, &said, &[("OUT", "out"), ("MORE", "more.txt")]);
    let second = format!("{}\nREPRO INFILE(IN) OUTDATASET(PAY.HIST.G0002V00)", define(2));
    with_input(&place, &second, "SECOND\n").done();
    refused(&first.end(), "another run has made PAY.HIST.G0002V00");
    assert_eq!(records(&place, "PAY.HIST.G0002V00").trim_end(), "SECOND");
    let own = format!(
        "REPRO INDATASET(PAY.HIST(0)) OUTFILE(OUT)\n{}\nREPRO INFILE(IN) OUTDATASET(PAY.HIST(+1))",
        define(3)
    );
    place.write("in.txt", b"THIRD\n");
    cards(&place, &own, &[("IN", "in.txt"), ("OUT", "out")]).done();
    assert_eq!(records(&place, "PAY.HIST.G0003V00").trim_end(), "THIRD");
}

#[test]
fn records_of_another_format_do_not_come_behind_others() {
    let place = Place::new();
    cards(&place, ALLOCATE, &[]).done();
    place.write("in.txt", b"0001\n0002\n");
    place.write("long.txt", b"0001....\n0002....\n");
    let two = "REPRO INFILE(IN) OUTFILE(ONE)\nREPRO INFILE(LONG) OUTFILE(TWO)";
    let file = on_volume(&place, "A.SEQ");
    let run = |one: &str, two_is: &str| {
        let (one, two_is) = (format!("A.SEQ{one}"), format!("A.SEQ{two_is},DISP=MOD"));
        let dd = [
            ("IN", "in.txt"),
            ("LONG", "long.txt"),
            ("ONE", &*one),
            ("TWO", &*two_is),
        ];
        cards(&place, two, &dd)
    };
    let why = "A.SEQ has records of another format";
    refused(&run(",RECFM=FB,LRECL=4", ",RECFM=FB,LRECL=8"), why);
    assert_eq!(std::fs::read(&file).unwrap(), b"00010002");
    refused(&run(",RECFM=FB,LRECL=4", ",RECFM=VB"), why);
    assert_eq!(std::fs::read(&file).unwrap(), b"00010002");
    refused(&run(",RECFM=VB", ",RECFM=TEXT"), why);
    assert_eq!(records(&place, "A.SEQ"), "0001\n0002\n");
    // Where MOD goes behind what another run wrote.
    let dd = [("IN", "in.txt")];
    let behind = "ALLOCATE DATASET(A.SEQ) FILE(X) MOD RECFM(F,B) LRECL(4)\nREPRO INFILE(IN) OUTFILE(X)";
    refused(&cards(&place, behind, &dd), why);
    assert_eq!(records(&place, "A.SEQ"), "0001\n0002\n");
    // Of records that say where they end, longer and shorter ones go together, in either order.
    run(",RECFM=VB", ",RECFM=VB").done();
    assert_eq!(records(&place, "A.SEQ"), "0001\n0002\n0001....\n0002....\n");
    let shorter = "ALLOCATE DATASET(A.SEQ) FILE(X) MOD RECFM(V,B)\nREPRO INFILE(IN) OUTFILE(X)";
    cards(&place, shorter, &dd).done();
    assert_eq!(records(&place, "A.SEQ"), "0001\n0002\n0001....\n0002....\n0001\n0002\n");
}
