//! Whole listings, compared with the files in tests/golden; CICA_BLESS=1 writes them anew.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::sysprint::{PAGE_LINES, WIDTH};
use cica_idcams::{run, Act, Command, Source, Stamp, Style, Sysprint};
use common::{go_with, STAMP};
use std::io::{self, Write};
use std::path::Path;

fn golden(name: &str, listing: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("CICA_BLESS").is_some() {
        std::fs::write(&path, listing).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == listing, "{name} differs; the listing is\n{listing}");
}

fn check(name: &str, cards: &str) {
    golden(
        &format!("{name}.txt"),
        &go_with(Source::from_text(cards), Style::Plain).listing,
    );
    golden(
        &format!("{name}.asa"),
        &go_with(Source::from_text(cards), Style::Asa).listing,
    );
}

#[test]
fn a_job_that_works() {
    check(
        "works",
        " /* MONTHLY */\n DELETE PAYROLL.OLD CLUSTER PURGE\n IF LASTCC = 8 THEN SET MAXCC = 0\n\n \
         REPRO INFILE(IN) -\n       \
         OUTDATASET(PAYROLL.MASTER)\n LISTCAT LEVEL(PAYROLL)  -\n         ALL\n",
    );
}

#[test]
fn a_job_with_errors_of_every_kind() {
    check(
        "errors",
        " DELETE RC8\n DEFINE CLUSTER (NAME(A..B) KEYS(300 0) CYLINDRES(1) -\n   TRACKS(1) CYL(1)\n   \
         RECORDSIZE(80 80))\n\
         DELETE A\n LISTDATA STATUS VOL(V1) UNIT(3390)\n DEFINE CLUSTER (NAME(A) TRK(1) STORCLAS(FAST))\n \
         DELETE RC12\n IF LASTCC = 12\n \
         THEN DELETE EVERY.THING\n",
    );
}

#[test]
fn no_input_at_all() {
    check("empty", "");
}

#[test]
fn the_first_page_is_as_on_zos() {
    let listing = go_with(
        Source::from_text("   LISTCAT LEVEL(AWS.M2.CARDDEMO)  -\n           ALL"),
        Style::Asa,
    )
    .listing;
    let lines: Vec<_> = listing.lines().collect();
    assert_eq!(
        lines[0],
        "1IDCAMS  SYSTEM SERVICES                                           \
         TIME: 15:36:44        09/01/22     PAGE      1"
    );
    assert_eq!(lines[1], "0");
    assert_eq!(lines[2], "    LISTCAT LEVEL(AWS.M2.CARDDEMO)  -");
    assert_eq!(lines[3], "            ALL");
    assert_eq!(lines[4], "0IDC0001I FUNCTION COMPLETED, HIGHEST CONDITION CODE WAS 0");
    assert_eq!(lines[5], "0");
    assert_eq!(
        lines[6],
        "0IDC0002I IDCAMS PROCESSING COMPLETE. MAXIMUM CONDITION CODE WAS 0"
    );
}

/// Lists many lines under a subtitle, as LISTCAT does.
struct Long;

impl Act for Long {
    fn act(&mut self, _: &Command, out: &mut Sysprint) -> u8 {
        out.subtitle(Some("LISTING FROM CATALOG -- UCAT"));
        out.new_page();
        for i in 0..130 {
            if i % 10 == 0 {
                out.double(&format!("CLUSTER {i}"))
            } else {
                out.line(&format!("      LINE {i}"))
            }
        }
        out.subtitle(None);
        0
    }
}

#[test]
fn pages_break_and_repeat_their_titles() {
    let mut sink = Vec::new();
    run(
        Source::from_text(" LISTCAT"),
        &mut Long,
        &mut Sysprint::new(&mut sink, Style::Asa, STAMP),
    );
    let listing = String::from_utf8(sink).unwrap();
    golden("pages.asa", &listing);
    let mut used = 0;
    for line in listing.lines() {
        used = match line.chars().next() {
            Some('1') => 1,
            Some('0') => used + 2,
            Some('-') => used + 3,
            Some(' ') => used + 1,
            other => panic!("carriage control {other:?} in {line}"),
        };
        assert!(used <= PAGE_LINES, "{line}");
    }
    assert!(
        (0..130).all(|i| listing.contains(&format!(" {i}\n"))),
        "a line is missing"
    );
}

#[test]
fn long_lines_are_broken_and_nothing_is_lost() {
    let mut sink = Vec::new();
    let words: Vec<String> = (0..60).map(|i| format!("WORD{i}")).collect();
    let mut out = Sysprint::new(&mut sink, Style::Asa, STAMP);
    out.line(&words.join(" "));
    out.line(&"X".repeat(300));
    out.line("TAB\tAND\u{7}BELL\r\n1FORGED");
    drop(out);
    let listing = String::from_utf8(sink).unwrap();
    assert!(listing.lines().all(|l| l.chars().count() <= WIDTH + 1));
    let back: Vec<&str> = listing.split_whitespace().filter(|w| w.starts_with("WORD")).collect();
    assert_eq!(back, words);
    assert_eq!(listing.matches('X').count(), 300);
    assert!(
        listing.contains(" TAB AND BELL  1FORGED\n"),
        "a control character must not make a line: {listing}"
    );
}

struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::Error::other("no space left"))?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn when_the_listing_cannot_be_written_nothing_more_is_done() {
    let mut recorder = common::Recorder::default();
    let mut sink = Full(300);
    let mut out = Sysprint::new(&mut sink, Style::Plain, STAMP);
    assert_eq!(
        run(Source::from_text(&" DELETE A\n".repeat(50)), &mut recorder, &mut out),
        16
    );
    assert!(out.error().is_some());
    assert!(recorder.done.len() < 5, "{}", recorder.done.len());
}

#[test]
fn the_stamp_is_the_civil_time_of_the_seconds() {
    let stamp = |s| {
        let t = Stamp::from_unix(s);
        (t.year, t.month, t.day, t.hour, t.minute, t.second)
    };
    assert_eq!(stamp(0), (1970, 1, 1, 0, 0, 0));
    assert_eq!(stamp(951_782_400), (2000, 2, 29, 0, 0, 0));
    assert_eq!(stamp(1_662_046_604), (2022, 9, 1, 15, 36, 44));
    assert_eq!(stamp(-1), (1969, 12, 31, 23, 59, 59));
}
