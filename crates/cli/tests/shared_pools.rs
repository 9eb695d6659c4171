//! Pools that a text in the manner of DFSVSAMP builds: who sees them, and what is said of a text that is wrong.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Stdio;

/// What is said where the variable names such a file.
fn refused(place: &Place, path: &Path, words: &str) {
    let mut command = place.command(&["cat", "A.NAMES"]);
    command.env("CICA_DFSVSAMP", path);
    let run = finish(command, b"");
    let said = format!("CICA_DFSVSAMP: {}: {words}", path.display());
    assert!(run.out.is_empty() && run.status != 0, "{} {}", run.status, run.text());
    assert!(run.err.contains(&said), "{said}\n{}", run.err);
}

#[test]
fn a_text_that_cannot_be_read_is_told_with_its_path_and_what_to_do() {
    let place = Place::new();
    place.names("0001 ANNE\n");
    let remedy = "name a file that can be read, or unset the variable";
    refused(
        &place,
        &place.path("none"),
        &format!("No such file or directory (os error 2); {remedy}"),
    );
    refused(&place, &place.dir, &format!("Is a directory (os error 21); {remedy}"));
    let bytes = place.write("bytes", &[0xE5, 0xE2, 0xD9, 0xC2, 0xC6]);
    refused(
        &place,
        &bytes,
        "it is no text (UTF-8); name a file whose lines are VSRBF=size,count",
    );
    let (path, words) = (bytes.join("below"), format!("Not a directory (os error 20); {remedy}"));
    assert!(path.as_os_str().as_bytes().ends_with(b"bytes/below"));
    refused(&place, &path, &words);
    let plain = format!("it is no plain file; {remedy}");
    refused(&place, Path::new("/dev/zero"), &plain);
    let pipe = place.path("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    refused(&place, &pipe, &plain);
    let long = place.write("long", &vec![b'\n'; (1 << 20) + 1]);
    refused(&place, &long, &format!("it has more than 1048576 bytes; {remedy}"));
    // One that is empty is as if it were not set.
    let mut command = place.command(&["cat", "A.NAMES"]);
    command.env("CICA_DFSVSAMP", "");
    assert_eq!(finish(command, b"").done(), "0001 ANNE\n");
}

#[test]
fn a_wrong_line_is_told_with_its_number_and_what_to_write() {
    let place = Place::new();
    place.names("0001 ANNE\n");
    for (text, words) in [
        ("", "line 1: it ends, and no line has buffers; write VSRBF=size,count"),
        (
            "* none\n",
            "line 1: it ends, and no line has buffers; write VSRBF=size,count",
        ),
        (
            "2048,8\nVSRBF=4096",
            "line 2: 4096 has no count of buffers; write size,count",
        ),
        ("VSRBF=2048,2", "line 1: 2 buffers are too few; give 3 or more"),
        (
            "VSRBF=3000,9",
            "line 1: 3000 is no size of a buffer; these are: 512, 1024,",
        ),
        (
            "2048,8,X",
            "line 1: X is neither D (data) nor I (index); write one, or none",
        ),
        (
            "2048,8,D,9",
            "line 1: 9 stands behind what buffers are for; leave it out",
        ),
        (
            "2048,8\n2048,9",
            "line 2: the pool has buffers of 2048 bytes already; write their sum once",
        ),
        (
            " 2048,8",
            "line 1: it begins with a blank; what it says begins in column 1",
        ),
        (
            "BUFFERS=8",
            "line 1: BUFFERS=8 is no line known here; these are: VSRBF=size,count,",
        ),
        (
            "POOLID=TOOLONG",
            "line 1: POOLID=TOOLONG is no name of a pool; it has 1 to 4 letters and digits",
        ),
        (
            "POOLID=A,COLOR=RED",
            "line 1: COLOR=RED is no operand of POOLID; leave it out",
        ),
        (
            "POOLID=A\n512,3,I",
            "line 1: the pool A has no buffers for data; write VSRBF=size,count behind",
        ),
    ] {
        let path = place.write("pools", text.as_bytes());
        refused(&place, &path, words);
    }
}

#[test]
fn pools_of_a_process_are_seen_while_it_has_something_open() {
    let place = Place::new();
    place.names("0001 ANNE\n0002 BERT\n");
    let text = place.write("pools", b"VSRBF=2048,48\n4096,20,I\nPOOLID=BIG\n32768,10\n");
    let mut command = place.command(&["put", "A.NAMES"]);
    command.env("CICA_DFSVSAMP", &text);
    let mut put = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = put.stdin.take().unwrap();
    (1000..5000).for_each(|n| writeln!(lines, "{n} SOMEBODY").unwrap());
    let seen = loop {
        let seen = place.run(&["stat", "A.NAMES", "--json"]).json();
        if seen["opens"].is_array() {
            break seen;
        }
        assert!(put.try_wait().unwrap().is_none(), "it ended: {seen}");
    };
    for (name, buffers) in [
        ("lsr_0_data_2048", 48),
        ("lsr_0_index_4096", 20),
        ("lsr_1_data_32768", 10),
    ] {
        let all = &seen["opens"][0][name];
        assert_eq!([&all["lsr_buffers"], &all["lsr_hits"]], [buffers, 0], "{name}: {seen}");
    }
    let pools = &place.run(&["monitor", "--json"]).json()["processes"][0]["lsr"];
    let sizes: Vec<_> = pools.as_array().unwrap().iter().map(|pool| &pool["lsr_size"]).collect();
    assert_eq!(sizes, [2048, 4096, 32768]);
    let shown = place
        .run(&["monitor", "--once", "--view", "rlslru", "--columns", "100"])
        .done();
    let (_, shown) = shown.split_once("SHARED BUFFERS (LSR)").unwrap();
    let line: Vec<&str> = shown.lines().nth(3).unwrap_or_default().split_whitespace().collect();
    assert_eq!(
        line[1..],
        ["0", "index", "4096", "20", "0", "0", "0", "0", "0", "0"],
        "{shown}"
    );
    drop(lines);
    assert!(put.wait().unwrap().success());
    assert_eq!(
        place.run(&["monitor", "--json"]).json()["processes"],
        serde_json::json!([])
    );
}
