//! An FD against the data set that another FD made: which differences are a conflict (39), beside what libcob's own
//! handler says, which knows little of its files.
#![allow(clippy::unwrap_used)]

mod common;

use common::{stderr, stdout, Workplace};
use std::fmt::Write;

/// One FD: its name and ASSIGN, SELECT's clauses, the record clause, and the fields of the record, K and A being keys.
struct Fd(&'static str, &'static str, &'static str, &'static str);

const KSDS: &str = "INDEXED ACCESS DYNAMIC RECORD KEY K ALTERNATE RECORD KEY A WITH DUPLICATES";
const RRDS: &str = "RELATIVE ACCESS SEQUENTIAL";
const VARYING: &str = "INDEXED ACCESS DYNAMIC RECORD KEY K";

/// Those that make the files; VARYING's first record has 8 bytes.
const MAKERS: [Fd; 3] = [
    Fd("FIXED", KSDS, "", "K X(4) A X(4) D X(12)"),
    Fd("SLOTS", RRDS, "", "D X(20)"),
    Fd(
        "VARY",
        VARYING,
        "RECORD VARYING 8 TO 30 DEPENDING ON L",
        "K X(4) D X(26)",
    ),
];

/// Those that open them, with the statuses of OPEN: Cica's, Cica's of the set enterprise, libcob's.
const READERS: [(Fd, &str, &str, &str); 19] = [
    (Fd("FIXED", KSDS, "", "K X(4) A X(4) D X(12)"), "00", "00", "00"),
    (Fd("FIXED", KSDS, "", "K X(4) A X(4) D X(2)"), "39", "39", "39"),
    (Fd("FIXED", KSDS, "", "K X(4) A X(4) D X(32)"), "39", "39", "00"),
    (
        Fd("FIXED", KSDS, "RECORD VARYING 10 TO 20", "K X(4) A X(4) D X(12)"),
        "00",
        "00",
        "00",
    ),
    (
        Fd("FIXED", KSDS, "RECORD VARYING 10 TO 40", "K X(4) A X(4) D X(32)"),
        "00",
        "39",
        "00",
    ),
    (
        Fd("FIXED", KSDS, "RECORD VARYING 30 TO 40", "K X(4) A X(4) D X(32)"),
        "39",
        "39",
        "00",
    ),
    (
        Fd(
            "FIXED",
            "INDEXED RECORD KEY K ALTERNATE RECORD KEY A",
            "",
            "K X(4) A X(4) D X(12)",
        ),
        "00",
        "00",
        "00",
    ),
    (Fd("FIXED", VARYING, "", "K X(4) D X(16)"), "00", "00", "00"),
    (
        Fd(
            "FIXED",
            "INDEXED RECORD KEY K ALTERNATE RECORD KEY A WITH DUPLICATES ALTERNATE RECORD KEY D WITH DUPLICATES",
            "",
            "K X(4) A X(4) D X(12)",
        ),
        "39",
        "39",
        "35",
    ),
    (Fd("FIXED", KSDS, "", "A X(4) K X(4) D X(12)"), "39", "39", "00"),
    (Fd("FIXED", KSDS, "", "K X(3) D X A X(4) E X(12)"), "39", "39", "00"),
    (Fd("FIXED", KSDS, "", "K X(4) A X(3) D X(13)"), "39", "39", "00"),
    (Fd("FIXED", RRDS, "", "D X(20)"), "39", "39", "00"),
    (Fd("SLOTS", RRDS, "", "D X(10)"), "39", "39", "00"),
    (Fd("SLOTS", RRDS, "", "D X(40)"), "39", "39", "00"),
    (Fd("SLOTS", VARYING, "", "K X(4) D X(16)"), "39", "39", "30"),
    (Fd("VARY", VARYING, "", "K X(4) D X(26)"), "00", "00", "00"),
    (Fd("VARY", VARYING, "", "K X(4) D X(16)"), "39", "39", "00"),
    (
        Fd("VARY", VARYING, "RECORD VARYING 4 TO 60", "K X(4) D X(56)"),
        "00",
        "39",
        "00",
    ),
];

fn select(number: usize, fd: &Fd) -> String {
    let clauses = fd.1.split(' ').map(|word| match word {
        "K" | "A" | "D" => format!("{word}{number}"),
        word => word.into(),
    });
    let clauses = clauses.collect::<Vec<_>>().join(" ");
    let name = fd.0;
    format!("SELECT F{number} ASSIGN TO \"{name}\" ORGANIZATION {clauses} FILE STATUS FS.\n")
}

fn record(number: usize, fd: &Fd) -> String {
    let mut out = format!("FD F{number} {}.\n01 R{number}.\n", fd.2);
    let words: Vec<&str> = fd.3.split(' ').collect();
    for field in words.chunks(2) {
        let _ = writeln!(out, "05 {}{number} PIC {}.", field[0], field[1]);
    }
    out
}

fn source() -> String {
    let all: Vec<&Fd> = MAKERS.iter().chain(READERS.iter().map(|(fd, ..)| fd)).collect();
    let selects: String = all.iter().enumerate().map(|(number, fd)| select(number, fd)).collect();
    let records: String = all.iter().enumerate().map(|(number, fd)| record(number, fd)).collect();
    let mut opens = String::new();
    for number in MAKERS.len()..all.len() {
        let _ = writeln!(
            opens,
            "OPEN INPUT F{number} DISPLAY FS IF FS = \"00\" CLOSE F{number} END-IF"
        );
    }
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. ATTRIBUTES.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         {selects}DATA DIVISION.\nFILE SECTION.\n{records}WORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 L PIC 99.\n\
         PROCEDURE DIVISION.\nP1.\nOPEN OUTPUT F0 F1 F2\nMOVE \"00010001\" TO R0 WRITE R0\nMOVE \"x\" TO R1 WRITE R1\n\
         MOVE 8 TO L MOVE \"00010001\" TO R2 WRITE R2\nMOVE 30 TO L MOVE \"0002\" TO R2 WRITE R2\nCLOSE F0 F1 F2\n\
         {opens}STOP RUN.\n"
    )
}

#[test]
fn an_fd_that_differs_is_39_where_it_would_read_something_else() {
    let program = |place: &Workplace, extfh: bool| {
        if extfh {
            place.compile_extfh("recompiled", &source())
        } else {
            place.compile("attributes", &source())
        }
    };
    for (way, extfh, set) in [
        ("interposer", false, "gnucobol"),
        ("interposer", false, "enterprise"),
        ("EXTFH", true, "gnucobol"),
    ] {
        let place = Workplace::with_catalog("attributes");
        let program = program(&place, extfh);
        let mut command = place.command(&program);
        command.env("CICA_STATUS", set);
        if extfh {
            command.env_remove("LD_PRELOAD");
        }
        let done = command.output().unwrap();
        let said = stdout(&done);
        let wanted = READERS.iter().map(|(_, ours, enterprise, _)| match set {
            "enterprise" => enterprise,
            _ => ours,
        });
        let wanted: Vec<&str> = wanted.copied().collect();
        assert_eq!(
            said.lines().collect::<Vec<_>>(),
            wanted,
            "{way}, {set}: {}",
            stderr(&done)
        );
    }
    let place = Workplace::new("attributes-libcob");
    let mut command = std::process::Command::new(program(&place, false));
    command.current_dir(place.0.join("native")).env_remove("LD_PRELOAD");
    let said = stdout(&command.output().unwrap());
    let wanted: Vec<&str> = READERS.iter().map(|(.., libcobs)| *libcobs).collect();
    assert_eq!(said.lines().collect::<Vec<_>>(), wanted, "libcob");
}
