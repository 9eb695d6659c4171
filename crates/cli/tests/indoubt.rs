//! Units of recovery in doubt by the command: shown, committed, taken back.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Name;
use cica_engine::{Access, Argument, Insert, Intent, OpenOptions, Search, Str};
use cica_session::{Session, Sharing, Start};
use common::Place;

const DEFINE: &str = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000))
 DEFINE AIX (NAME(PAY.BYNAME) RELATE(PAY.MASTER) -
  KEYS(5 5) RECORDSIZE(40 80) RECORDS(100 100))
 DEFINE PATH (NAME(PAY.PATH) PATHENTRY(PAY.BYNAME))
";

/// A program changes the data set in a unit, prepares that, and ends.
fn prepare(place: &Place, unit: &str, work: impl FnOnce(&mut Str)) {
    let start = Start {
        catalog: Some(place.dir.join("catalog")),
        pool: Some(16 << 20),
        sharing: Sharing::Off,
        ..Start::default()
    };
    let session = Session::start(start).unwrap();
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let (_, master) = session.open(&Name::parse("PAY.MASTER").unwrap(), options).unwrap();
    let of = session.engine.unit();
    work(&mut master.string_in(&of));
    of.prepare(unit).unwrap();
    master.close().unwrap();
}

/// A catalog with a data set of two records and an alternate index.
fn defined(cards: &str) -> Place {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], cards.as_bytes()).status, 0);
    let put = place.run_with(&["put", "PAY.MASTER", "--quiet"], b"00001ADAMS\n00002BAKER\n");
    assert_eq!(put.status, 0, "{}", put.err);
    let build = " BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)\n";
    assert_eq!(place.run_with(&["idcams"], build.as_bytes()).status, 0);
    place
}

/// A program adds CLARK in a unit, and prepares that.
fn add_clark(place: &Place, unit: &str) {
    prepare(place, unit, |master| {
        master.insert(b"00003CLARK", Insert::Direct).unwrap();
    });
}

/// The same in a catalog as [`defined`].
fn prepared(unit: &str) -> Place {
    let place = defined(DEFINE);
    add_clark(&place, unit);
    place
}

fn records(place: &Place, name: &str) -> String {
    String::from_utf8(place.run(&["cat", name]).out).unwrap()
}

/// A copy has what it did; who takes it is told, and nobody who copies something else.
#[test]
fn a_copy_tells_that_a_unit_is_in_doubt() {
    let place = prepared("TRANSFER-7");
    let words = "CICA1024W PAY.MASTER: UNIT OF RECOVERY TRANSFER-7 IS IN DOUBT";
    let done = place.run(&["backup", "PAY.MASTER", "-o", "copy"]);
    let told = format!("{}{}", String::from_utf8_lossy(&done.out), done.err);
    assert!(done.status == 4 && told.contains(words), "{done:?}");
    let cards = " EXPORT PAY.MASTER OUTFILE(OUT) TEMPORARY\n";
    let done = place.run_with(&["idcams", "--dd", "OUT=exported"], cards.as_bytes());
    let told = String::from_utf8_lossy(&done.out);
    assert!(done.status == 4 && told.contains(words), "{done:?}");
    assert_eq!(place.run(&["indoubt", "commit", "TRANSFER-7"]).status, 0);
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "again"]).status, 0);
}

#[test]
fn a_unit_in_doubt_is_shown_and_its_records_are_refused_by_its_name() {
    let place = prepared("TRANSFER-1");
    let shown = place.run(&["indoubt", "ls"]);
    let text = String::from_utf8(shown.out).unwrap();
    assert!(
        shown.status == 0
            && text.starts_with("TRANSFER-1 is in doubt since ")
            && text.contains("1 changes of PAY.MASTER"),
        "{text}"
    );
    let value: serde_json::Value = serde_json::from_slice(&place.run(&["indoubt", "ls", "--json"]).out).unwrap();
    assert_eq!(value[0]["unit"], "TRANSFER-1");
    assert_eq!(value[0]["data_sets"], serde_json::json!(["PAY.MASTER"]));
    assert_eq!(value[0]["going_back"], false);
    let refused = place.run_with(&["put", "PAY.MASTER", "--replace"], b"00003WRONG\n");
    assert!(
        refused.status != 0 && refused.err.contains("TRANSFER-1"),
        "{}",
        refused.err
    );
    let others = place.run_with(&["put", "PAY.MASTER", "--replace", "--quiet"], b"00002BLAKE\n");
    assert_eq!(others.status, 0, "{}", others.err);
}

#[test]
fn one_that_is_committed_stands() {
    let place = prepared("TRANSFER-2");
    let done = place.run(&["indoubt", "commit", "TRANSFER-2"]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert!(records(&place, "PAY.MASTER").contains("00003CLARK"));
    let none = place.run(&["indoubt", "ls"]);
    assert_eq!(
        String::from_utf8(none.out).unwrap(),
        "no unit of recovery is in doubt\n"
    );
    let free = place.run_with(&["put", "PAY.MASTER", "--replace", "--quiet"], b"00003CLERK\n");
    assert_eq!(free.status, 0, "{}", free.err);
    let again = place.run(&["indoubt", "backout", "TRANSFER-2"]);
    assert!(
        again.status == 8 && again.err.contains("CICA1083E") && again.err.contains("TRANSFER-2"),
        "{}",
        again.err
    );
}

#[test]
fn one_that_is_taken_back_is_gone_with_its_pointers() {
    let place = prepared("TRANSFER-3");
    let done = place.run(&["indoubt", "backout", "TRANSFER-3"]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert_eq!(records(&place, "PAY.MASTER"), "00001ADAMS\n00002BAKER\n");
    assert_eq!(records(&place, "PAY.PATH"), "00001ADAMS\n00002BAKER\n");
    let again = place.run(&["indoubt", "commit", "TRANSFER-3"]);
    assert!(again.status == 8 && again.err.contains("CICA1083E"), "{}", again.err);
    let no_name = place.run(&["indoubt", "commit", "../catalog"]);
    assert!(
        no_name.status == 8 && no_name.err.contains("is no name"),
        "{}",
        no_name.err
    );
}

/// What takes compressed records back is compressed, and the archive has both what the unit did and that it went back.
#[test]
fn one_of_a_compressed_data_set_goes_back_and_the_archive_agrees() {
    let place = Place::new();
    let define = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -
  RECORDSIZE(120 160) RECORDS(9000 9000) COMPRESSED -
  LOG(ALL) LOGSTREAMID(PAY.LOG))\n";
    assert_eq!(place.run_with(&["idcams"], define.as_bytes()).status, 0);
    let record = |n: usize, name: &str| format!("{n:05}{name:<20}MAIN STREET {n:08}         SPRINGFIELD{n:<40}ACTIVE");
    let all: String = (0..2000).map(|n| record(2 * n, "JONES") + "\n").collect();
    let put = place.run_with(&["put", "PAY.MASTER", "--quiet"], all.as_bytes());
    assert_eq!(put.status, 0, "{}", put.err);
    assert_eq!(
        place.run(&["backup", "PAY.MASTER", "-o", "before", "--quiet"]).status,
        0
    );
    let before = records(&place, "PAY.MASTER");
    let change = |master: &mut Str, n: usize, erase: bool| {
        let key = format!("{n:05}");
        master
            .get(Argument::Key(key.as_bytes()), Search::Equal, Intent::Update)
            .unwrap();
        if erase {
            master.erase().unwrap();
        } else {
            master.update(record(n, "SMITH OF ANOTHER LEN").as_bytes()).unwrap();
        }
    };
    prepare(&place, "TRANSFER-4", |master| {
        (0..300).for_each(|n| change(master, 8 * n, n % 3 == 0));
        (0..300).for_each(|n| {
            let _rba = master
                .insert(record(4 * n + 1, "NEW").as_bytes(), Insert::Direct)
                .unwrap();
        });
    });
    assert_ne!(records(&place, "PAY.MASTER"), before);
    let done = place.run(&["indoubt", "backout", "TRANSFER-4"]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert_eq!(records(&place, "PAY.MASTER"), before);
    assert_eq!(place.run(&["verify", "PAY.MASTER", "--quiet"]).status, 0);
    let recovered = place.run(&["recover", "PAY.MASTER", "--from", "before", "--quiet"]);
    assert_eq!(recovered.status, 0, "{}", recovered.err);
    assert_eq!(records(&place, "PAY.MASTER"), before);
}

/// The time as `--to` takes it.
fn utc_now() -> String {
    let date = std::process::Command::new("date").args(["-u", "+%FT%T"]).output();
    String::from_utf8(date.unwrap().stdout).unwrap().trim().to_owned()
}

/// A moment between prepare and decision has nothing of the unit, whichever copy it is made from; one behind the
/// decision has it.
#[test]
fn a_recovery_has_what_was_decided_by_its_moment() {
    let archived = DEFINE.replace(
        "RECORDS(1000 1000))",
        "RECORDS(1000 1000) LOG(ALL) LOGSTREAMID(PAY.LOG))",
    );
    for from in ["before", "during"] {
        let place = defined(&archived);
        let backup = |onto: &str| place.run(&["backup", "PAY.MASTER", "-o", onto]).status;
        assert_eq!(backup("before"), 0);
        add_clark(&place, "TRANSFER-8");
        assert_eq!(backup("during"), 4);
        let then = utc_now();
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let early = place.run(&["recover", "PAY.MASTER", "--from", from, "--to", &then]);
        assert!(early.status != 0 && early.err.contains("TRANSFER-8"), "{}", early.err);
        assert_eq!(place.run(&["indoubt", "commit", "TRANSFER-8"]).status, 0);
        let later = place.run(&["recover", "PAY.MASTER", "--from", from]);
        assert_eq!(later.status, 0, "{}", later.err);
        assert_eq!(records(&place, "PAY.MASTER"), "00001ADAMS\n00002BAKER\n00003CLARK\n");
        let back = place.run(&["recover", "PAY.MASTER", "--from", from, "--to", &then]);
        let told = format!("{}{}", String::from_utf8_lossy(&back.out), back.err);
        let words = "CICA1025I PAY.MASTER: UNIT OF RECOVERY TRANSFER-8 WAS IN DOUBT THEN";
        assert!(back.status == 0 && told.contains(words), "{told}");
        assert_eq!(records(&place, "PAY.MASTER"), "00001ADAMS\n00002BAKER\n");
        assert_eq!(records(&place, "PAY.PATH"), "00001ADAMS\n00002BAKER\n");
    }
}

/// Whether somebody serves or not, who looks for units finds those in doubt, and is told what decides about them.
#[test]
fn shcds_and_the_server_show_one_and_leave_the_decision_to_its_coordinator() {
    let place = prepared("Transfer-5");
    let alone = place.run(&["server", "units"]);
    let text = alone.text();
    assert!(
        alone.status == 4 && text.contains("Transfer-5 is in doubt since ") && text.contains("1 changes of PAY.MASTER"),
        "{alone:?}"
    );
    let alone = place.run(&["server", "units", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&alone.out).unwrap();
    assert_eq!(value[0]["unit"], "Transfer-5");

    let shared = |cards: &str| place.run_with(&["idcams"], format!(" {cards}\n").as_bytes());
    for is_served in [false, true] {
        if is_served {
            let mut put = place.command(&["put", "PAY.MASTER", "--replace", "--quiet"]);
            put.env("CICA_SHARE", "on");
            let put = common::finish(put, b"00002BLAKE\n");
            assert_eq!(put.status, 0, "{}", put.err);
            let units = place.run(&["server", "units"]).done();
            assert!(
                units.contains("UNIT") && units.contains("Transfer-5 is in doubt"),
                "{units}"
            );
            let units = place.run(&["server", "units", "--json"]).json();
            assert_eq!(units[0]["unit"], "Transfer-5");
            assert_eq!(units[0]["in_doubt"], true);
            assert_eq!(units[0]["data_sets"], serde_json::json!(["PAY.MASTER"]));
        }
        let listed = shared("SHCDS LISTDS(PAY.MASTER)").text();
        assert!(listed.contains("RETAINED LOCKS---------YES"), "{listed}");
        for list in [
            "LISTALL",
            "LISTSHUNTED URID(Transfer-5)",
            "LISTSHUNTED SPHERE(PAY.MASTER)",
        ] {
            let listed = shared(&format!("SHCDS {list}")).text();
            for words in [
                "URID----Transfer-5     DISPOSITION----INDOUBT     CHANGES----1",
                "  PREPARED----20",
                "  SPHERE----PAY.MASTER",
                "'cica indoubt commit Transfer-5'",
            ] {
                assert!(listed.contains(words), "{list}: {words}: {listed}");
            }
            assert!(!listed.contains("JOB NAME"), "{listed}");
        }
        let none = shared("SHCDS LISTSHUNTED SPHERE(PAY.BYNAME)").text();
        assert!(!none.contains("Transfer-5"), "{none}");
        for which in ["URID(Transfer-5)", "URID(ALL)", "SPHERE(PAY.MASTER)"] {
            for function in ["RETRY", "PURGE"] {
                let refused = shared(&format!("SHCDS {function} {which}"));
                let text = refused.text();
                let words = format!("{function} OF UNIT OF RECOVERY Transfer-5 FAILED: it is in doubt");
                assert!(refused.status == 8 && text.contains(&words), "{text}");
                assert!(text.contains("CICA1018E") && !text.contains("CICA1019I"), "{text}");
            }
        }
        let unknown = shared("SHCDS RETRY URID(OTHER)");
        assert!(
            unknown.status == 8 && unknown.text().contains("no unit in doubt is called so"),
            "{}",
            unknown.text()
        );
    }
    // It waited all the while, and its record is retained still.
    place.run(&["indoubt", "commit", "Transfer-5"]).done();
    let listed = shared("SHCDS LISTDS(PAY.MASTER)").text();
    assert!(listed.contains("RETAINED LOCKS----------NO"), "{listed}");
    assert_eq!(place.run(&["server", "units", "--json"]).json(), serde_json::json!([]));
    place.run(&["server", "stop"]);
}

/// Who decides finds the data sets by their names, so they keep them, and are there, until he has.
#[test]
fn its_data_sets_are_neither_renamed_nor_reorganized_nor_deleted() {
    let place = prepared("TRANSFER-6");
    let before = records(&place, "PAY.MASTER");
    for cards in [
        "ALTER PAY.MASTER NEWNAME(PAY.OTHER)",
        "ALTER PAY.BYNAME NEWNAME(PAY.ELSE)",
        "DELETE PAY.MASTER CLUSTER",
        "DELETE PAY.BYNAME ALTERNATEINDEX",
        "ALTER PAY.MASTER REORGANIZE(FREESPACE(10 10))",
    ] {
        let refused = place.run_with(&["idcams"], format!(" {cards}\n").as_bytes());
        let text = refused.text();
        assert!(refused.status >= 8 && text.contains("TRANSFER-6"), "{cards}: {text}");
        let left = records(&place, "PAY.MASTER");
        assert_eq!(left, before, "{cards}");
        assert_eq!(records(&place, "PAY.PATH"), before, "{cards}");
    }
    // What is no name of a cluster may change, and a change of anything else.
    for cards in [
        "ALTER PAY.PATH NEWNAME(PAY.BYWAY)",
        "ALTER PAY.MASTER.DATA NEWNAME(PAY.MASTER.RECORDS)",
        "ALTER PAY.MASTER FREESPACE(10 10)",
    ] {
        let altered = place.run_with(&["idcams"], format!(" {cards}\n").as_bytes());
        assert_eq!(altered.status, 0, "{cards}: {}", altered.text());
    }
    place.run(&["indoubt", "backout", "TRANSFER-6"]).done();
    assert_eq!(records(&place, "PAY.MASTER"), "00001ADAMS\n00002BAKER\n");
    let renamed = place.run_with(&["idcams"], b" ALTER PAY.MASTER NEWNAME(PAY.OTHER)\n");
    assert_eq!(renamed.status, 0, "{}", renamed.text());
    assert_eq!(records(&place, "PAY.BYWAY"), "00001ADAMS\n00002BAKER\n");
    place.run_with(&["idcams"], b" DELETE PAY.OTHER CLUSTER\n").done();
}
