//! `cica salvage` with the real command: what it says, what it writes, and that the damaged data set stays as it is.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use std::path::PathBuf;

/// A.NAMES with 400 records in several control areas, closed; the files of its components.
fn names(place: &Place) -> (String, PathBuf, PathBuf) {
    let lines: String = (0..400).map(|n| format!("{n:04} {:60}\n", "name")).collect();
    place
        .cards(
            "DEFINE CLUSTER (NAME(A.NAMES) KEYS(4 0) RECSZ(70 80) CISZ(1024) -\nTRACKS(1 1))",
            &[],
        )
        .done();
    place
        .run_with(&["import", "-", "A.NAMES", "-q"], lines.as_bytes())
        .done();
    let data = place.data_file("A.NAMES");
    let shown = place.run(&["show", "A.NAMES", "--json"]).json();
    let index = PathBuf::from(shown["index"]["file"].as_str().unwrap());
    (lines, data, index)
}

#[test]
fn a_sound_data_set_is_salvaged_whole() {
    let place = Place::new();
    let (lines, ..) = names(&place);
    let told = place.run(&["salvage", "A.NAMES", "--into", "B.NAMES"]).done();
    assert!(
        told.contains("400 records sure, 0 doubtful, 0 of 400 missing"),
        "{told}"
    );
    assert_eq!(place.run(&["cat", "B.NAMES"]).done(), lines);
    place.run(&["verify", "B.NAMES"]).done();
}

#[test]
fn what_is_damaged_is_told_and_the_rest_comes_out() {
    let place = Place::new();
    let (lines, data, _) = names(&place);
    let mut bytes = std::fs::read(&data).unwrap();
    let at = bytes.windows(5).position(|w| w == b"0123 ").unwrap();
    bytes[at + 7] ^= 1;
    std::fs::write(&data, &bytes).unwrap();
    let run = place.run(&["salvage", "A.NAMES", "--into", "B.NAMES", "--json"]);
    assert_eq!(run.status, 4, "{}", run.err);
    assert!(run.err.contains("CICA0947W"), "{}", run.err);
    let told: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
    let doubtful = told["doubtful"].as_u64().unwrap();
    assert!(
        doubtful > 1 && told["sure"].as_u64().unwrap() + doubtful == 400,
        "{told}"
    );
    assert_eq!(told["doubts"][0]["reason"], "image");
    let sure = place.run(&["cat", "B.NAMES"]).done();
    assert!(!sure.contains("\n0123 ") && sure.lines().all(|line| lines.contains(line)));
    // With the doubtful ones, the damaged record is there as it lies on the volume.
    place
        .run(&["salvage", "A.NAMES", "--into", "C.NAMES", "--with-doubtful", "-q"])
        .failed(4, &["CICA0947W"]);
    let all = place.run(&["cat", "C.NAMES"]).done();
    let wrong: Vec<(&str, &str)> = lines.lines().zip(all.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!((wrong.len(), all.lines().count()), (1, 400));
    assert!(std::fs::read(&data).unwrap() == bytes, "the damaged file was changed");
}

#[test]
fn files_alone_are_enough() {
    let place = Place::new();
    let (lines, data, index) = names(&place);
    let (d, i) = (place.path("saved.data"), place.path("saved.index"));
    std::fs::copy(&data, &d).unwrap();
    std::fs::copy(&index, &i).unwrap();
    std::fs::remove_dir_all(place.path("catalog")).unwrap();
    let (d, i) = (d.to_str().unwrap(), i.to_str().unwrap());
    place
        .run(&["salvage", d, "--index", i, "-o", "out.txt", "--format", "RECFM=TEXT"])
        .done();
    assert_eq!(String::from_utf8(place.read("out.txt")).unwrap(), lines);
    // Without the index too, and without the root everything is doubtful but there.
    place.run(&["salvage", d, "-o", "out.vbs"]).done();
    let mut bytes = std::fs::read(d).unwrap();
    bytes[..131_072].fill(0);
    std::fs::write(d, &bytes).unwrap();
    let args = ["salvage", d, "--index", i, "-o", "all.vbs", "--with-doubtful"];
    place
        .run(&args)
        .failed(4, &["CICA0947W", "0 records are sure, 400 doubtful"]);
    assert_eq!(place.read("all.vbs"), place.read("out.vbs"));
    place.run(&["salvage", d]).failed(12, &["IDC3300I", "root"]);
}

#[test]
fn every_organization_comes_out_as_it_was() {
    let place = Place::new();
    let lines: String = (0..50).map(|n| format!("{n:04} record\n")).collect();
    for (name, words) in [
        ("A.ESDS", "NONINDEXED RECSZ(11 11)"),
        ("A.RRDS", "NUMBERED RECSZ(11 11)"),
        ("A.VRRDS", "NUMBERED RECSZ(11 40)"),
        ("A.SPAN", "INDEXED KEYS(4 0) SPANNED RECSZ(11 9000)"),
    ] {
        place
            .cards(
                &format!("DEFINE CLUSTER (NAME({name}) {words} -\nCISZ(2048) TRACKS(1 1))"),
                &[],
            )
            .done();
        let lines = match name {
            "A.SPAN" => format!("{lines}0099{}\n", "x".repeat(8000)),
            _ => lines.clone(),
        };
        place.run_with(&["put", name, "-q"], lines.as_bytes()).done();
        let target = format!("{name}.NEW");
        place.run(&["salvage", name, "--into", &target]).done();
        assert_eq!(place.run(&["cat", &target]).done(), lines, "{name}");
        place.run(&["verify", &target]).done();
    }
}

#[test]
fn a_target_that_will_not_do_is_refused() {
    let place = Place::new();
    names(&place);
    place
        .run(&["salvage", "A.NAMES", "--into", "A.NAMES"])
        .failed(8, &["CICA0948E", "onto itself"]);
    place.run(&["salvage", "A.NAMES", "--into", "B.NAMES"]).done();
    place
        .run(&["salvage", "A.NAMES", "--into", "B.NAMES"])
        .failed(8, &["CICA0948E", "not empty"]);
    place
        .cards("DEFINE CLUSTER (NAME(A.E) NONINDEXED RECSZ(80 80) TRACKS(1 1))", &[])
        .done();
    place
        .run(&["salvage", "A.NAMES", "--into", "A.E"])
        .failed(8, &["CICA0948E", "organization"]);
    place.run(&["salvage", "NO.SUCH"]).failed(8, &["IDC3012I"]);
    place.run(&["salvage", "/no/such/file"]).failed(12, &["IDC3300I"]);
}

/// Another data set's file lies where this one's should: its records are not salvaged as this one's.
#[test]
fn the_file_of_another_data_set_is_not_salvaged_under_this_name() {
    let place = Place::new();
    let (_, data, _) = names(&place);
    place
        .cards(
            "DEFINE CLUSTER (NAME(A.OTHER) KEYS(4 0) RECSZ(70 80) CISZ(1024) -\nTRACKS(1 1))",
            &[],
        )
        .done();
    place
        .run_with(&["import", "-", "A.OTHER", "-q"], b"0001 other\n")
        .done();
    std::fs::copy(place.data_file("A.OTHER"), &data).unwrap();
    let words = ["IDC3300I", "those of A.OTHER", "A.NAMES"];
    place.run(&["salvage", "A.NAMES"]).failed(12, &words);
    place
        .run(&["salvage", "A.NAMES", "--into", "B.NAMES"])
        .failed(12, &words);
    // By its path it is looked at as what it is.
    let told = place.run(&["salvage", data.to_str().unwrap()]).done();
    assert!(told.contains("1 records sure"), "{told}");
}

#[test]
fn records_go_to_standard_output_where_that_is_said() {
    let place = Place::new();
    place.names("AA01 first\nAB02 second\n");
    let run = place.run(&["salvage", "A.NAMES", "-o", "-", "--format", "RECFM=F,LRECL=20"]);
    assert_eq!(
        run.out,
        b"AA01 first\0\0\0\0\0\0\0\0\0\0AB02 second\0\0\0\0\0\0\0\0\0",
        "{}",
        run.text()
    );
    assert_eq!((run.status, place.path("-").exists()), (0, false), "{}", run.err);
    place
        .run(&["salvage", "A.NAMES", "-o", "-", "--json"])
        .failed(64, &["--json"]);
}

/// The log of a catalog that was copied is the copy's own.
#[test]
fn a_copied_catalog_tells_of_its_own_log() {
    let place = Place::new();
    place.names("AA01 first\n");
    let mut put = place.command(&["put", "A.NAMES", "--durability", "request"]);
    put.env("CICA_SHARE", "off").stdin(std::process::Stdio::piped());
    let mut put = put.stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut input = put.stdin.take().unwrap();
    for n in 1000..7000 {
        std::io::Write::write_all(&mut input, format!("{n} more\n").as_bytes()).unwrap();
    }
    while place.run(&["stat", "A.NAMES", "--json"]).json()["opens"][0]["inserted"].as_u64() < Some(10) {
        assert!(put.try_wait().unwrap().is_none(), "it ended");
    }
    put.kill().unwrap();
    put.wait().unwrap();
    let copy = place.path("copied");
    let done = std::process::Command::new("cp")
        .arg("-a")
        .args([&place.path("catalog"), &copy])
        .status();
    assert!(done.unwrap().success());
    let run = place.run(&["--catalog", "copied", "salvage", "A.NAMES", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
    let log = value["log"].as_str().unwrap();
    assert!(log.starts_with(copy.to_str().unwrap()), "{value}");
    let text = place.run(&["--catalog", "copied", "salvage", "A.NAMES"]).text();
    assert!(text.contains("/copied/") && !text.contains("/catalog/"), "{text}");
}
