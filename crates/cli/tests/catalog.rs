//! Catalog, volumes and what is shown of them; and what is wrong with them.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use serde_json::json;

const NAMES: &str = "AA01 first\nAA02 second\n";

#[test]
fn entries_are_listed_by_mask() {
    let p = Place::new();
    p.names(NAMES);
    p.write("names.txt", NAMES.as_bytes());
    p.run(&["import", "names.txt", "B.OTHER", "--keys", "4,0", "-q"]).done();
    assert_eq!(p.run(&["ls"]).done(), "A.NAMES\nB.OTHER\n");
    assert_eq!(p.run(&["ls", "a.*"]).done(), "A.NAMES\n");
    let long = p.run(&["ls", "A.**", "--long"]).done();
    let words: Vec<&str> = long.split_whitespace().collect();
    assert_eq!(
        (words[0], words[1], words[2], words[4]),
        ("A.NAMES", "KSDS", "2", "CICA01"),
        "{long}"
    );
    let listed = p.run(&["ls", "A.*", "--json"]).json();
    assert_eq!(listed[0]["records"], json!(2));
    assert_eq!(p.run(&["ls", "Z.*"]).status, 4);
    p.run(&["ls", "A..*"]).failed(64, &["A..*"]);
}

#[test]
fn everything_is_shown_to_people_and_programs() {
    let p = Place::new();
    p.names(NAMES);
    let shown = p.run(&["show", "A.NAMES", "--json"]).json();
    assert_eq!(shown["type"], json!("CLUSTER"));
    assert_eq!(shown["data"]["statistics"]["rec_total"], json!(2));
    assert_eq!(shown["index"]["statistics"]["levels"], json!(1));
    let text = p.run(&["show", "A.NAMES"]).done();
    assert!(
        text.contains("keys                        length 4, offset 0\n"),
        "{text}"
    );
    assert_eq!(
        p.run(&["show", "A.NAMES.DATA", "--json"]).json()["name"],
        json!("A.NAMES"),
        "by its component"
    );
    let stat = p.run(&["stat", "A.NAMES", "--json"]).json();
    assert_eq!(stat["records"], json!(2));
    assert!(p.run(&["stat", "A.NAMES"]).done().starts_with("records"));
}

#[test]
fn what_is_removed_is_gone() {
    let p = Place::new();
    p.names(NAMES);
    let file = p.data_file("A.NAMES");
    assert!(file.exists());
    let told = p.run(&["rm", "A.NAMES"]).done();
    assert!(told.contains("IDC0550I ENTRY (C) A.NAMES DELETED"), "{told}");
    assert!(!file.exists());
    p.run(&["rm", "A.NAMES"]).failed(8, &["IDC3012I", "A.NAMES"]);
}

#[test]
fn a_name_that_is_not_there_is_told_everywhere() {
    let p = Place::new();
    p.names(NAMES);
    for args in [
        &["get", "A.NOBODY", "AA01"][..],
        &["cat", "A.NOBODY"],
        &["put", "A.NOBODY"],
        &["show", "A.NOBODY"],
        &["stat", "A.NOBODY"],
        &["verify", "A.NOBODY"],
        &["export", "A.NOBODY", "x"],
    ] {
        p.run(args).failed(8, &["IDC3012I", "A.NOBODY is not in the catalog"]);
    }
    assert!(!p.path("x").exists(), "nothing was made");
}

#[test]
fn a_catalog_that_is_not_there_is_not_made_by_reading() {
    let p = Place::new();
    p.run(&["ls"])
        .failed(12, &["IDC3014I", "there is no catalog in", "--catalog"]);
    assert!(!p.path("catalog").exists());
    let mut elsewhere = p.command(&["ls", "--catalog", "here"]);
    elsewhere.env("CICA_CATALOG", "/nowhere");
    common::finish(elsewhere, b"").failed(12, &["there is no catalog in /", "/here; check --catalog"]);
}

#[test]
fn a_catalog_is_found_from_below() {
    let p = Place::new();
    std::fs::create_dir_all(p.path("project/below")).unwrap();
    p.run(&["--catalog", "project/.cica", "volume", "add", "VOL001"]).done();
    let mut ls = p.command(&["volume", "ls"]);
    ls.env_remove("CICA_CATALOG").current_dir(p.path("project/below"));
    let listed = common::finish(ls, b"").done();
    assert!(listed.contains("VOL001"), "{listed}");
}

#[test]
fn volumes_come_and_go() {
    let p = Place::new();
    let told = p
        .run(&["volume", "add", "study1", "--device", "3330-1", "--directory", "disk"])
        .done();
    assert!(
        told.contains("STUDY1, a 3330-1, is at") && told.contains("disk"),
        "{told}"
    );
    let listed = p.run(&["volume", "ls", "--json"]).json();
    let devices: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["device"].as_str().unwrap())
        .collect();
    assert_eq!(devices, ["3390", "3330-1"]);
    p.run(&["volume", "add", "STUDY1"]).failed(8, &["CICA0930E", "STUDY1"]);
    p.run(&["volume", "add", "TOOLONG1"]).failed(64, &["TOOLONG1"]);
    p.run(&["volume", "add", "VOL2", "--device", "2314X"])
        .failed(64, &["2314X", "3390"]);
    p.write("names.txt", NAMES.as_bytes());
    p.run(&[
        "import",
        "names.txt",
        "A.B",
        "--keys",
        "4,0",
        "--volume",
        "STUDY1",
        "-q",
    ])
    .done();
    assert!(p.data_file("A.B").starts_with(p.path("disk")));
    p.run(&["volume", "rm", "STUDY1"]).failed(8, &["CICA0930E", "A.B"]);
    p.run(&["rm", "A.B"]).done();
    p.run(&["volume", "rm", "STUDY1"]).done();
}

#[test]
fn a_volume_that_is_gone_is_told() {
    let p = Place::new();
    p.run(&["volume", "add", "STUDY1", "--directory", "disk"]).done();
    p.write("names.txt", NAMES.as_bytes());
    p.run(&[
        "import",
        "names.txt",
        "A.B",
        "--keys",
        "4,0",
        "--volume",
        "STUDY1",
        "-q",
    ])
    .done();
    std::fs::rename(p.path("disk"), p.path("elsewhere")).unwrap();
    p.run(&["get", "A.B", "AA01"]).failed(12, &["IDC3300I", "A.B"]);
    p.run(&["import", "names.txt", "A.C", "--keys", "4,0", "--volume", "STUDY1"])
        .failed(12, &["STUDY1"]);
    let shown = p.run(&["show", "A.B", "--json"]).json();
    assert!(shown["data"]["trouble"].is_string(), "what is known is still shown");
    std::fs::rename(p.path("elsewhere"), p.path("disk")).unwrap();
    assert_eq!(p.run(&["get", "A.B", "AA01"]).done(), "AA01 first\n");
}

#[test]
fn a_volume_nobody_knows_is_refused() {
    let p = Place::new();
    p.write("names.txt", NAMES.as_bytes());
    p.run(&["import", "names.txt", "A.B", "--keys", "4,0", "--volume", "NONE01"])
        .failed(12, &["NONE01"]);
    assert_eq!(p.run(&["ls"]).status, 4, "nothing was defined");
}

#[test]
fn a_damaged_catalog_is_told() {
    let p = Place::new();
    p.names(NAMES);
    let mut bytes = p.read("catalog/catalog");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    p.write("catalog/catalog", &bytes);
    p.run(&["ls"]).failed(12, &["IDC3014I", "damaged at byte"]);
}

#[test]
fn a_damaged_data_set_is_found() {
    let p = Place::new();
    p.names(NAMES);
    let told = p.run(&["verify", "A.NAMES"]).done();
    assert!(told.contains("IDC01709I"), "{told}");
    let file = p.data_file("A.NAMES");
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(6).position(|w| w == b"second").unwrap();
    bytes[at] = b'S';
    std::fs::write(&file, bytes).unwrap();
    p.run(&["verify", "A.NAMES"]).failed(8, &["CICA0950E", "IDC21703I"]);
    p.run(&["get", "A.NAMES", "AA02"]).failed(12, &["IDC3302I", "A.NAMES"]);
}

#[test]
fn a_truncated_data_set_is_told() {
    let p = Place::new();
    p.names(NAMES);
    let file = p.data_file("A.NAMES");
    std::fs::OpenOptions::new()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(1000)
        .unwrap();
    p.run(&["get", "A.NAMES", "AA01"]).failed(12, &["IDC3300I", "A.NAMES"]);
}

#[test]
fn a_data_set_open_for_output_is_refused_to_others() {
    let p = Place::new();
    p.names(NAMES);
    let mut command = p.command(&["put", "A.NAMES", "--ack", "--durability", "commit"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut owner = command.spawn().unwrap();
    use std::io::{BufRead, BufReader, Write};
    let mut lines = owner.stdin.take().unwrap();
    lines.write_all(b"BB01\n").unwrap();
    // Its acknowledgement shows that it has the data set open.
    let mut ack = String::new();
    BufReader::new(owner.stdout.take().unwrap())
        .read_line(&mut ack)
        .unwrap();
    assert_eq!(ack, "BB01\n");
    p.run_with(&["put", "A.NAMES"], b"CC01\n")
        .failed(12, &["IDC3300I", "in use", "[OPEN 168]"]);
    p.run(&["cat", "A.NAMES"]).failed(12, &["IDC3300I", "in use"]);
    drop(lines);
    assert!(owner.wait().unwrap().success());
    assert!(p.run(&["cat", "A.NAMES"]).done().ends_with("BB01\n"));
}

#[test]
fn exchanged_files_are_found_out() {
    let p = Place::new();
    p.names(NAMES);
    p.write("other.txt", b"ZZ01\n");
    p.run(&["import", "other.txt", "B.OTHER", "--keys", "4,0", "-q"]).done();
    let data = [p.data_file("A.NAMES"), p.data_file("B.OTHER")];
    let index = data.clone().map(|path| path.with_extension("INDEX"));
    let exchange = |[a, b]: &[std::path::PathBuf; 2]| {
        let aside = p.path("aside");
        std::fs::rename(a, &aside).unwrap();
        std::fs::rename(b, a).unwrap();
        std::fs::rename(&aside, b).unwrap();
    };
    exchange(&data);
    p.run(&["cat", "A.NAMES"]).failed(12, &["IDC3300I", "A.NAMES"]);
    // With the index files exchanged too, each pair is whole, but under the other's name.
    exchange(&index);
    p.run(&["cat", "A.NAMES"])
        .failed(12, &["IDC3300I", "A.NAMES", "are those of B.OTHER"]);
    p.run_with(&["put", "B.OTHER"], b"ZZ02\n")
        .failed(12, &["are those of A.NAMES"]);
    p.run(&["export", "A.NAMES", "out.txt"])
        .failed(12, &["IDC3351I", "are those of B.OTHER"]);
    exchange(&data);
    exchange(&index);
    assert_eq!(p.run(&["cat", "A.NAMES"]).done(), NAMES);
}

#[test]
fn an_inhibited_data_set_is_read_only() {
    let p = Place::new();
    p.names(NAMES);
    p.cards("ALTER A.NAMES.DATA INHIBIT", &[]);
    p.cards("ALTER A.NAMES INHIBIT", &[]);
    p.run_with(&["put", "A.NAMES"], b"ZZ01\n")
        .failed(12, &["IDC3300I", "A.NAMES", "UNINHIBIT"]);
    assert_eq!(p.run(&["cat", "A.NAMES"]).done(), NAMES);
}

#[test]
fn output_that_cannot_be_written_is_told() {
    let p = Place::new();
    p.names(NAMES);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [
        &["cat", "A.NAMES"][..],
        &["ls"],
        &["show", "A.NAMES"],
        &["get", "A.NAMES", "AA01"],
    ] {
        let mut command = p.command(args);
        let output = command.stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(12), "{args:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            told.contains("CICA0941E") && told.contains("No space left"),
            "{args:?}: {told}"
        );
    }
    p.run(&["export", "A.NAMES", "/dev/full"])
        .failed(12, &["CICA0941E", "No space left"]);
    let output = p
        .command(&["idcams"])
        .stdout(full())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(16));
}

#[test]
fn a_data_set_that_is_full_says_so() {
    let p = Place::new();
    let lines: String = (0..20_000).map(|i| format!("{i:06}{}\n", "x".repeat(94))).collect();
    p.write("many.txt", lines.as_bytes());
    let import = [
        "import",
        "many.txt",
        "A.SMALL",
        "--keys",
        "6,0",
        "--recordsize",
        "100,100",
        "--space",
        "TRK,2",
    ];
    p.run(&import)
        .failed(12, &["IDC3302I", "A.SMALL", "IDC3351I ** VSAM I/O RETURN CODE IS 28"]);
    // None of a load that was cut off early, else the first ones.
    let kept = p.run(&["cat", "A.SMALL"]);
    assert!(
        [0, 12].contains(&kept.status) && lines.starts_with(&kept.text()),
        "{}",
        kept.err
    );
    p.run(&["verify", "A.SMALL"]).done();
}

/// Runs it with a stdout, or a stderr too, whose reader has gone.
fn unheard(place: &Place, args: &[&str], deaf: bool) -> (i32, String) {
    let closed = || {
        let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
        drop(reader);
        std::os::fd::OwnedFd::from(writer)
    };
    let mut command = place.command(args);
    command.stdin(std::process::Stdio::null()).stdout(closed());
    command.stderr(std::process::Stdio::piped());
    if deaf {
        command.stderr(closed());
    }
    let done = command.output().unwrap();
    (
        done.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&done.stderr).into_owned(),
    )
}

#[test]
fn errors_are_told_and_counted_when_nobody_reads_the_output() {
    let place = Place::new();
    place.names("AAAAone\n");
    let (status, told) = unheard(&place, &["rm", "A.NAMES", "A.MISSING"], false);
    assert_eq!(status, 8, "{told}");
    assert!(told.contains("A.MISSING"), "{told}");
    place.names("AAAAone\n");
    let file = place.data_file("A.NAMES");
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(7).position(|part| part == b"AAAAone").unwrap();
    bytes[at + 1] ^= 0xFF;
    std::fs::write(&file, bytes).unwrap();
    let (status, told) = unheard(&place, &["salvage", "A.NAMES"], false);
    assert!(status == 4 && told.contains("CICA0947W"), "{status} {told}");
    // Nor is there a panic where nobody reads the errors.
    place.write("bytes", &[0; 4096]);
    let cards = " DEFINE CLUSTER (NAME(A.PAGES) LINEAR TRK(1 1))\n";
    place.run_with(&["idcams"], cards.as_bytes()).done();
    assert_eq!(unheard(&place, &["lds", "write", "A.PAGES", "bytes"], true).0, 0);
    assert_eq!(unheard(&place, &["ls", "NO.SUCH"], true).0, 4);
    assert_eq!(unheard(&place, &["show", "NO.SUCH"], true).0, 8);
    assert_eq!(unheard(&place, &["verify", "A.PAGES"], true).0, 0);
}

/// As the table of the help says.
#[test]
fn a_name_that_is_not_there_ends_with_8_and_a_list_without_entries_with_4() {
    let place = Place::new();
    place.names("AA01 first\n");
    for args in [
        &["show"][..],
        &["cat"],
        &["stat"],
        &["rm"],
        &["verify"],
        &["reorg"],
        &["salvage"],
        &["backup", "-o", "copy"],
    ] {
        place.run(&[args, &["NO.SUCH"]].concat()).failed(8, &["NO.SUCH"]);
    }
    place.run(&["get", "NO.SUCH", "AA01"]).failed(8, &["NO.SUCH"]);
    place.run(&["export", "NO.SUCH", "out"]).failed(8, &["NO.SUCH"]);
    for args in [
        &["ls", "NO.SUCH"][..],
        &["get", "A.NAMES", "ZZ01"],
        &["archive", "ls", "NO.SUCH"],
        &["server", "status"],
    ] {
        assert_eq!(place.run(args).status, 4, "{args:?}");
    }
}
