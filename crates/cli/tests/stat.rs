//! What is counted is seen while a data set is open, and afterwards what readers counted.

mod common;

use common::Place;
use std::io::Write;
use std::process::Stdio;

fn number(json: &str, name: &str) -> u64 {
    let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
    value[name].as_u64().unwrap_or_else(|| panic!("{name} in {json}"))
}

fn stat(place: &Place) -> String {
    let run = place.run(&["stat", "A.NAMES", "--json"]);
    assert_eq!(run.status, 0, "{}", run.err);
    String::from_utf8(run.out).expect("text")
}

#[test]
fn a_data_set_that_is_open_shows_what_was_counted_and_who_has_it() {
    let place = Place::new();
    place.names("0001 ANNE\n9999 BERT\n");
    let mut put = place
        .command(&["put", "A.NAMES"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("a process");
    let mut lines = put.stdin.take().expect("its input");
    // It reads its input in pieces, so many lines are more than a piece. They come before the last.
    for n in 1000..5000 {
        writeln!(lines, "{n} SOMEBODY").expect("a line");
    }
    lines.flush().expect("lines");
    let mut seen = stat(&place);
    while number(&seen, "inserted") == 0 || !seen.contains("\"opens\": [") {
        assert!(put.try_wait().expect("it").is_none(), "it ended: {seen}");
        seen = stat(&place);
    }
    assert!(seen.contains(&format!("\"process\": {}", put.id())), "{seen}");
    assert!(number(&seen, "records") > 2, "{seen}");
    // LISTCAT and show too, which do not open it.
    let shown = place.run(&["show", "A.NAMES"]).done();
    assert!(!shown.contains("  inserted                0\n"), "{shown}");
    assert!(!shown.contains("  records                 2\n"), "{shown}");
    let listed = place.cards("LISTCAT ENTRIES(A.NAMES) ALL", &[]);
    let listed = String::from_utf8_lossy(&listed.out).into_owned();
    assert!(!listed.contains("REC-INSERTED-----------0\n"), "{listed}");
    drop(lines);
    assert!(put.wait().expect("it").success());
    let seen = stat(&place);
    assert_eq!(
        (number(&seen, "inserted"), seen.contains("\"opens\"")),
        (4000, false),
        "{seen}"
    );
}

#[test]
fn what_readers_counted_is_shown_and_nothing_is_written_to_the_volume() {
    let place = Place::new();
    place.names("0001 ANNE\n0002 BERT\n");
    let files = || {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(place.dir.join("catalog/volumes/CICA01")).expect("the volume") {
            let path = entry.expect("a file").path();
            files.push((path.clone(), std::fs::read(path).unwrap_or_default()));
        }
        files.sort();
        files
    };
    let before = (files(), number(&stat(&place), "excps"));
    for _ in 0..2 {
        assert_eq!(place.run(&["cat", "A.NAMES"]).status, 0);
    }
    let seen = stat(&place);
    assert_eq!(number(&seen, "retrieved"), 4);
    assert!(number(&seen, "excps") > before.1, "{seen}");
    assert!(files() == before.0);
    let listed = place.cards("LISTCAT ENTRIES(A.NAMES) ALL", &[]);
    assert!(String::from_utf8_lossy(&listed.out).contains("REC-RETRIEVED----------4"));
    let shown = place.run(&["show", "A.NAMES"]).done();
    let line = |name: &str| {
        let line = shown.lines().find_map(|line| line.trim().strip_prefix(name));
        line.map(|number| number.trim().parse::<u64>().expect("a number"))
    };
    let of_stat = ["retrieved", "excps"].map(|name| Some(number(&seen, name)));
    assert_eq!(["retrieved", "excps"].map(line), of_stat, "{shown}");
}

/// What others call themselves stands in a line.
#[test]
fn names_that_others_have_given_themselves_do_not_steer_what_is_shown() {
    let place = Place::new();
    place.names("0001 ANNE\n9999 BERT\n");
    let mut put = place.command(&["put", "A.NAMES"]);
    put.env("CICA_JOB", "JOB\n  records   0\x1b[2J")
        .env("CICA_STEP", "A\rB");
    let mut put = put
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("a process");
    let mut lines = put.stdin.take().expect("its input");
    for n in 1000..5000 {
        writeln!(lines, "{n} SOMEBODY").expect("a line");
    }
    while !stat(&place).contains("\"opens\"") {
        assert!(put.try_wait().expect("it").is_none(), "it ended");
    }
    let shown = place.run(&["stat", "A.NAMES"]).done();
    assert!(shown.contains("open 1") && shown.contains("JOB.  records"), "{shown}");
    assert!(!shown.contains(['\x1b', '\r']), "{shown}");
    drop(lines);
    assert!(put.wait().expect("it").success());
}
