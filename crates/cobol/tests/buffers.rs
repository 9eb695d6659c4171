//! AMP of a DD text: an open has the buffers that it says, and transfers what they make it transfer.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Buffering, Intent, OpenOptions};
use cica_idcams::{run, Act, Services, Source, Stamp, Style, Sysprint};
use common::{stderr, stdout, Workplace};
use std::path::{Path, PathBuf};

const FILE: &str = include_str!("programs/file.cob");

/// What a program says to stdout and stderr with such a DD text.
fn with_dd(place: &Workplace, program: &Path, text: &str, arguments: &[&str]) -> (String, String) {
    let mut command = place.command(program);
    let done = command.env("DD_CUST", text).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    (stdout(&done), stderr(&done))
}

/// EXCPS of data and index, as LISTCAT has them.
fn excps(place: &Workplace) -> Vec<u64> {
    excps_of(place, "CUST")
}

fn excps_of(place: &Workplace, name: &str) -> Vec<u64> {
    let session = place.session();
    let mut listing = Vec::new();
    let mut services = Services::of(&session);
    let mut sysprint = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(0));
    let cards = format!(" LISTCAT ENTRIES({name}) ALL\n");
    run(Source::of_program(&cards), &mut services as &mut dyn Act, &mut sysprint);
    drop(sysprint);
    let listing = String::from_utf8(listing).unwrap();
    let after = listing.split("EXCPS").skip(1).map(|after| {
        let digits = after.trim_start_matches('-').split_whitespace().next();
        digits.unwrap().parse().unwrap()
    });
    after.collect()
}

/// What a program that reads all of CUST transfers with such a DD text: of data and index.
fn of_a_scan(place: &Workplace, program: &Path, text: &str) -> [u64; 2] {
    let before = excps(place);
    let said = with_dd(place, program, text, &["count"]);
    assert_eq!(said, ("0000020000 10\n".into(), String::new()), "{text}");
    let after = excps(place);
    [after[0] - before[0], after[1] - before[1]]
}

/// What an open in Rust with these buffers transfers for the same.
fn in_rust(place: &Workplace, buffers: Buffering) -> [u64; 2] {
    let session = place.session();
    let options = OpenOptions::input().buffered(buffers);
    let (_, set) = session.open(&Name::parse("CUST").unwrap(), options).unwrap();
    let mut string = set.string();
    while string.next(Intent::Read).is_ok() {}
    let (_, counts) = set.buffers().unwrap();
    [counts.data.excps(), counts.index.excps()]
}

fn loaded(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("file", FILE);
    assert_eq!(place.run(&program, &["load", "20000"]), "");
    (place, program)
}

fn asked(data: u16, index: Option<u16>) -> Buffering {
    Buffering {
        data: Some(data),
        index,
        ..Buffering::default()
    }
}

#[test]
fn a_file_shares_the_buffers_of_a_pool_that_a_text_builds() {
    let (place, program) = loaded("amp-shared");
    let text = place.0.join("dfsvsamp");
    std::fs::write(&text, "VSRBF=512,3\nPOOLID=BIG\n32768,8\n").unwrap();
    let run = |amp: &str, argument: &str| {
        let mut command = place.command(&program);
        command.env("DD_CUST", format!("DSN=CUST,AMP=('{amp}')"));
        let done = command.env("CICA_DFSVSAMP", &text).arg(argument).output().unwrap();
        (stdout(&done), stderr(&done))
    };
    let before = excps(&place);
    assert_eq!(run("SHRPOOL=1", "count"), ("0000020000 10\n".into(), String::new()));
    let after = excps(&place);
    // A request for each CI, as with two buffers of its own, and the two roots.
    assert_eq!(after[0] - before[0], in_rust(&place, asked(2, None))[0] + 2);
    for (amp, what) in [
        ("SHRPOOL=0", "largest buffers of pool 0"),
        ("SHRPOOL=9", "pool 9 was not built"),
    ] {
        let (status, told) = run(amp, "input");
        assert!(
            status.starts_with("91") && told.contains(what),
            "{amp}: {status} {told}"
        );
    }
    std::fs::write(&text, "VSRBF=512,2\n").unwrap();
    let (_, told) = run("SHRPOOL=0", "input");
    assert!(told.contains("line 1: 2 buffers are too few; give 3 or more"), "{told}");
}

/// The data set is there: what is missing is a resource.
#[test]
fn a_text_of_pools_that_is_wrong_makes_no_file_missing() {
    let (place, program) = loaded("amp-no-pools");
    let text = place.0.join("dfsvsamp");
    let run = |assign: Option<&str>, set: &str| {
        let mut command = place.command(&program);
        command.env("CICA_DFSVSAMP", &text).env("CICA_STATUS", set).arg("input");
        command.envs(assign.map(|dd| ("DD_CUST", dd)));
        let done = command.output().unwrap();
        (stdout(&done), stderr(&done))
    };
    for (content, words) in [
        (Some("VSRBF=512,2\n"), "line 1: 2 buffers are too few; give 3 or more"),
        (Some("BUFFERS=8\n"), "line 1: BUFFERS=8 is no line known here"),
        (None, "name a file that can be read, or unset the variable"),
    ] {
        match content {
            Some(content) => std::fs::write(&text, content).unwrap(),
            None => std::fs::remove_file(&text).unwrap(),
        }
        let wanted = format!("CICA1236E NO DATA SET CAN BE USED: CICA_DFSVSAMP: {}: ", text.display());
        for (assign, set, status) in [
            (Some("DSN=CUST"), "gnucobol", "91 0008 0000 0136\n"),
            (None, "gnucobol", "91 0008 0000 0136\n"),
            (Some("//CUST"), "enterprise", "93 0008 0000 0136\n"),
        ] {
            let (said, told) = run(assign, set);
            assert_eq!(said, status, "{assign:?} {words}: {told}");
            assert!(told.starts_with(&wanted) && told.contains(words), "{told}");
        }
    }
}

#[test]
fn a_sequential_read_transfers_what_bufnd_makes_it() {
    let (place, program) = loaded("amp-scan");
    // The roots are read too, which an open counts nowhere.
    const OF_THE_OPEN: u64 = 2;
    let mut all = Vec::new();
    for (data, index) in [(2, None), (3, Some(1)), (5, None), (20, Some(4))] {
        let words = index.map(|index| format!(",BUFNI={index},STRNO=1")).unwrap_or_default();
        let counted = of_a_scan(&place, &program, &format!("DSN=CUST,AMP=('BUFND={data}{words}')"));
        let expected = in_rust(&place, asked(data, index)).map(|excps| excps + OF_THE_OPEN);
        assert_eq!(counted, expected, "BUFND {data}");
        all.push(counted[0]);
    }
    assert!(all.windows(2).all(|pair| pair[0] > pair[1]), "{all:?}");
    assert!(all[0] > 5 * all[3], "{all:?}");
}

#[test]
fn a_file_with_buffers_is_loaded_changed_and_read() {
    let place = Workplace::with_catalog("amp-change");
    let program = place.compile("file", FILE);
    let few = "DSN=CUST,AMP=('BUFND=4,BUFNI=2')";
    let done = (String::new(), String::new());
    assert_eq!(with_dd(&place, &program, few, &["load", "20000"]), done);
    assert_eq!(with_dd(&place, &program, few, &["open"]).0, "00 0000 0000 0000\n");
    assert_eq!(with_dd(&place, &program, few, &["both"]).0, "00 0000001000000010    \n");
    assert_eq!(with_dd(&place, &program, "//CUST", &["count"]).0, "0000020000 10\n");
}

#[test]
fn wrong_buffers_are_told_and_change_nothing() {
    let (place, program) = loaded("amp-wrong");
    for (amp, words) in [
        (
            "BUFND=1",
            "AMP: BUFND 1 is too few: 1 string needs a data buffer each, and one more is kept for inserts",
        ),
        ("BUFND=0", "AMP: BUFND=0 is no number from 2 to 65535"),
        ("BUFND=X", "AMP: BUFND=X is no number from 2 to 65535"),
        ("BUFNI=0", "AMP: BUFNI=0 is no number from 1 to 255"),
        ("STRNO=300", "AMP: STRNO=300 is no number from 1 to 255"),
        ("BUFFERS=2", "AMP: BUFFERS=2 is no subparameter"),
        ("SMBVSP=ZZ", "AMP: SMBVSP=ZZ is no size from 1K"),
    ] {
        let text = format!("DSN=CUST,AMP=('{amp}')");
        let (status, told) = with_dd(&place, &program, &text, &["input"]);
        assert_eq!(status, "91 0008 0000 0132\n", "{amp}");
        assert!(told.contains("CICA1233E") && told.contains(words), "{amp}: {told}");
        let mut command = place.command(&program);
        let done = command
            .env("DD_CUST", &text)
            .env("CICA_STATUS", "enterprise")
            .arg("input");
        assert_eq!(stdout(&done.output().unwrap()), "93 0008 0000 0132\n", "{amp}");
    }
    // Too small for the CIs of this data set: known only when it is open, and it is not emptied then.
    let (status, told) = with_dd(&place, &program, "DSN=CUST,AMP=('BUFSP=100')", &["load", "1"]);
    assert!(status.starts_with("WRITE "), "{status}");
    assert!(
        told.contains("CUST: BUFSP 100 is too small") && told.contains("[OPEN 132]"),
        "{told}"
    );
    let (status, _) = with_dd(&place, &program, "DSN=CUST,AMP=('BUFSP=100')", &["input"]);
    assert_eq!(status, "91 0008 0000 0132\n");
    assert_eq!(place.run(&program, &["count"]), "0000020000 10\n");
}

#[test]
fn a_shared_file_has_no_buffers_of_its_own() {
    let (place, program) = loaded("amp-said-too");
    let (status, told) = with_dd(&place, &program, "DSN=CUST,RLS=CR,AMP=('BUFND=8')", &["input"]);
    assert_eq!(status, "91 0008 0000 0132\n");
    assert!(told.contains("its owner has one pool for all"), "{told}");
}

#[test]
fn esds_and_rrds_have_buffers_too() {
    let place = Workplace::with_catalog("amp-others");
    for (kind, organization) in [("es", "SEQUENTIAL"), ("rr", "RELATIVE ACCESS SEQUENTIAL")] {
        let source = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. OTHERS.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
             SELECT F ASSIGN \"CUST\" ORGANIZATION {organization} FILE STATUS FS.\n\
             DATA DIVISION.\nFILE SECTION.\nFD F.\n01 R PIC X(100).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n\
             01 N PIC 9(6).\nPROCEDURE DIVISION.\n OPEN OUTPUT F\n PERFORM 3000 TIMES MOVE ALL \"x\" TO R WRITE R END-PERFORM\n\
             CLOSE F\n OPEN INPUT F\n MOVE 0 TO N\n PERFORM UNTIL FS NOT = \"00\" READ F\n\
             IF FS = \"00\" ADD 1 TO N END-IF END-PERFORM\n DISPLAY N \" \" FS\n CLOSE F\n STOP RUN.\n"
        );
        let program = place.compile(kind, &source);
        let mut all = Vec::new();
        for data in [2, 20] {
            let text = format!("DSN=CUST.{},DISP=MOD,AMP=('BUFND={data}')", kind.to_uppercase());
            let said = with_dd(&place, &program, &text, &[]);
            assert_eq!(said, ("003000 10\n".into(), String::new()), "{text}");
            all.push(excps_of(&place, &format!("CUST.{}", kind.to_uppercase()))[0]);
        }
        // OPEN OUTPUT begins the counts anew. An ESDS is formatted before it is loaded, a track at a time, which
        // takes as many requests whatever BUFND is.
        assert!(3 * all[1] < 2 * all[0], "{kind}: {all:?}");
    }
}
