//! Point-in-time recovery by the command: a copy, the archive, a moment.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use std::time::Duration;

const DEFINE: &str = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -
  RECORDSIZE(20 80) RECORDS(1000 1000) LOG(ALL) LOGSTREAMID(PAY.LOG))
 DEFINE AIX (NAME(PAY.BYNAME) RELATE(PAY.MASTER) -
  KEYS(5 5) RECORDSIZE(40 80) RECORDS(100 100))
 DEFINE PATH (NAME(PAY.PATH) PATHENTRY(PAY.BYNAME))
";

fn put(place: &Place, lines: &str) {
    let run = place.run_with(&["put", "PAY.MASTER", "--replace", "--quiet"], lines.as_bytes());
    assert_eq!(run.status, 0, "{}", run.err);
}

fn until(place: &Place) -> String {
    let run = place.run(&["archive", "ls", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
    value["archive"][0]["until"].as_str().unwrap().to_owned()
}

/// The time as commands take it.
fn now() -> String {
    let date = std::process::Command::new("date").args(["-u", "+%FT%T"]).output();
    String::from_utf8(date.unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn a_data_set_comes_back_as_it_was_at_a_moment() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n00002BAKER\n");
    let build = " BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.BYNAME)\n";
    assert_eq!(place.run_with(&["idcams"], build.as_bytes()).status, 0);
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    std::thread::sleep(Duration::from_millis(1100));
    put(&place, "00003CLARK\n");
    let (then, records) = (until(&place), place.run(&["cat", "PAY.MASTER"]).out);
    std::thread::sleep(Duration::from_millis(1100));
    put(&place, "00002WRONG\n00004WRONG\n");
    // What cannot be leaves everything as it is.
    let wrong = place.run(&["cat", "PAY.MASTER"]).out;
    let before = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", "2020-01-01T00:00"]);
    assert!(
        before.status == 12 && before.err.contains("CICA1011E"),
        "{}",
        before.err
    );
    let no_time = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", "noon"]);
    assert!(
        no_time.status == 8 && no_time.err.contains("CICA1015E"),
        "{}",
        no_time.err
    );
    assert_eq!(place.run(&["cat", "PAY.MASTER"]).out, wrong);
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", &then]);
    assert_eq!(run.status, 0, "{}", run.err);
    let told = String::from_utf8_lossy(&run.out).into_owned();
    assert!(told.contains("CICA1010I") && told.contains("1 CHANGES"), "{told}");
    assert_eq!(place.run(&["cat", "PAY.MASTER"]).out, records);
    let path = place.run(&["cat", "PAY.PATH"]);
    assert_eq!((path.status, path.out), (0, records), "{}", path.err);
    for command in ["ls", "verify"] {
        let named = place.run(&["archive", command, "PAY.MASTER"]);
        let slip = place.run(&["archive", command, "PAY.MISTER"]);
        assert_eq!(
            (named.status, slip.status),
            (0, 4),
            "{command}: {}{}",
            named.err,
            slip.err
        );
    }
    // The data set goes on, and its archive does from here.
    put(&place, "00005DAVIS\n");
    let gone = place.run(&["recover", "PAY.MASTER", "--from", "noon"]);
    assert!(gone.status == 12 && gone.err.contains("CICA1011E"), "{}", gone.err);
    let verified = place.run(&["archive", "verify"]);
    assert!(
        verified.status == 8 && verified.err.contains("CICA1013E"),
        "{}",
        verified.err
    );
}

/// The copy was made before the first dictionary was, so it needs those of the archive.
#[test]
fn a_compressed_data_set_comes_back_as_it_was_at_a_moment() {
    let place = Place::new();
    let define = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) COMPRESSED -\n  \
                  RECORDSIZE(120 200) RECORDS(1000 1000) LOG(ALL) LOGSTREAMID(PAY.LOG))\n";
    assert_eq!(place.run_with(&["idcams"], define.as_bytes()).status, 0);
    let lines = |from: u32, to: u32, word: &str| -> String {
        let line = |n| {
            let words = format!("{word} of the payroll {} ", n % 7).repeat(5);
            format!("{n:05}{words}\n")
        };
        (from..to).map(line).collect()
    };
    put(&place, &lines(0, 3, "ADAMS"));
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    std::thread::sleep(Duration::from_millis(1100));
    put(&place, &lines(3, 500, "BAKER"));
    put(&place, &lines(100, 200, "CLARK"));
    let (then, records) = (until(&place), place.run(&["cat", "PAY.MASTER"]).out);
    assert_eq!(records.iter().filter(|byte| **byte == b'\n').count(), 500);
    std::thread::sleep(Duration::from_millis(1100));
    put(&place, &lines(0, 300, "WRONG"));
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", &then]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(place.run(&["cat", "PAY.MASTER"]).out == records);
    let shown = place.run(&["show", "PAY.MASTER"]).out;
    let shown = String::from_utf8_lossy(&shown);
    assert!(
        shown.contains("dictionaries"),
        "it has none, so this tries nothing: {shown}"
    );
    assert_eq!(place.run(&["verify", "PAY.MASTER"]).status, 0);
}

/// The segments of an archive, in order; beside them lie the locks of those who write.
fn segments(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let there = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = there.filter(|path| !path.ends_with(".locks")).collect();
    files.sort();
    files
}

#[test]
fn a_missing_segment_is_named_and_an_archive_is_cleaned() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n");
    let minute = until(&place)[..16].to_owned();
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    (2..6).for_each(|n| put(&place, &format!("{n:05}BAKER\n")));
    let directory = place.dir.join("catalog/archive");
    // What was changed in that minute was not changed before it.
    let cleaned = place.run(&["archive", "clean", "--before", &minute]);
    assert_eq!(cleaned.status, 0, "{}", cleaned.err);
    assert!(segments(&directory).len() >= 4, "{minute}: {}", cleaned.err);
    let files = segments(&directory);
    let middle = &files[files.len() - 2];
    let bytes = std::fs::read(middle).unwrap();
    std::fs::remove_file(middle).unwrap();
    for command in [&["archive", "verify"][..], &["recover", "PAY.MASTER", "--from", "noon"]] {
        let run = place.run(command);
        assert!(
            run.status >= 8 && run.err.contains("missing"),
            "{command:?}: {}",
            run.err
        );
    }
    std::fs::write(middle, bytes).unwrap();
    let run = place.run(&["archive", "verify"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let to_come = place.run(&["archive", "clean", "--before", "2100-01-01T00:00"]);
    assert!(
        to_come.status == 8 && to_come.err.contains("CICA1015E"),
        "{}",
        to_come.err
    );
    std::thread::sleep(Duration::from_millis(1100));
    let cleaned = place.run(&["archive", "clean", "--before", &now()]);
    assert_eq!(cleaned.status, 0, "{}", cleaned.err);
    assert_eq!(segments(&directory).len(), 1);
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon"]);
    assert!(run.status == 12 && run.err.contains("cleaned"), "{}", run.err);
}

/// One that was restored under another name beside the original: each has an archive of its own.
#[test]
fn a_data_set_and_its_copy_under_another_name_are_both_recovered() {
    let place = Place::new();
    let define = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -\n  RECORDSIZE(20 80) RECORDS(1000 1000) \
                  LOG(ALL) LOGSTREAMID(PAY.LOG))\n";
    assert_eq!(place.run_with(&["idcams"], define.as_bytes()).status, 0);
    let names = ["PAY.MASTER", "PAY.OTHER"];
    let put = |name: &str, lines: &str| {
        let run = place.run_with(&["put", name, "--replace", "--quiet"], lines.as_bytes());
        assert_eq!(run.status, 0, "{}", run.err);
    };
    put(names[0], "00001ADAMS\n");
    assert_eq!(place.run(&["backup", names[0], "-o", names[0]]).status, 0);
    let restored = place.run(&["restore", names[0], "--rename", "PAY.MASTER=PAY.OTHER"]);
    assert_eq!(restored.status, 0, "{}", restored.err);
    assert_eq!(place.run(&["backup", names[1], "-o", names[1]]).status, 0);
    for n in 2..5 {
        names.iter().for_each(|name| put(name, &format!("{n:05}{name}\n")));
    }
    for name in names {
        let records = place.run(&["cat", name]).out;
        let run = place.run(&["recover", name, "--from", name]);
        assert_eq!(run.status, 0, "{}", run.err);
        assert_eq!(place.run(&["cat", name]).out, records);
    }
}

/// One that comes back under its own name while the one that was copied lives on under another: the same, and where it
/// is brought forward up to a moment.
#[test]
fn a_data_set_that_comes_back_beside_the_one_that_was_renamed_has_an_archive_of_its_own() {
    let place = Place::new();
    let define = " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED KEYS(5 0) -\n  RECORDSIZE(20 80) RECORDS(1000 1000) \
                  LOG(ALL) LOGSTREAMID(PAY.LOG))\n";
    assert_eq!(place.run_with(&["idcams"], define.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n");
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    put(&place, "00002BAKER\n");
    let (then, two) = (until(&place), place.run(&["cat", "PAY.MASTER"]).out);
    std::thread::sleep(Duration::from_millis(1100));
    let rename = b" ALTER PAY.MASTER NEWNAME(PAY.OLD)\n ALTER PAY.MASTER.* NEWNAME(PAY.OLD.*)\n";
    assert_eq!(place.run_with(&["idcams"], rename).status, 0);
    let both = |place: &Place, n: u32| {
        for name in ["PAY.MASTER", "PAY.OLD"] {
            let line = format!("{n:05}{name}\n");
            let run = place.run_with(&["put", name, "--replace", "--quiet"], line.as_bytes());
            assert_eq!(run.status, 0, "{}", run.err);
            let run = place.run(&["archive", "verify"]);
            assert_eq!(run.status, 0, "{}", run.err);
        }
    };
    let restored = place.run(&["restore", "noon"]);
    assert_eq!(restored.status, 0, "{}", restored.err);
    both(&place, 3);
    both(&place, 4);
    // And what RECOVER makes in the place of the one that was restored.
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", &then]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert_eq!(place.run(&["cat", "PAY.MASTER"]).out, two);
    both(&place, 5);
    both(&place, 6);
    let old = place.run(&["cat", "PAY.OLD"]).out;
    assert_eq!(place.run(&["backup", "PAY.OLD", "-o", "evening"]).status, 0);
    both(&place, 7);
    let run = place.run(&["recover", "PAY.OLD", "--from", "evening"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let seven = [old, b"00007PAY.OLD\n".to_vec()].concat();
    assert_eq!(place.run(&["cat", "PAY.OLD"]).out, seven);
}

/// An archive that lacks its end is told: the newest segment is missing, or is cut behind a frame, or what came after
/// it was never archived. Up to there it does.
#[test]
fn an_archive_that_lacks_its_end_is_not_taken_for_all() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n");
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    put(&place, "00002BAKER\n");
    let (then, two) = (until(&place), place.run(&["cat", "PAY.MASTER"]).out);
    std::thread::sleep(Duration::from_millis(1100));
    let each = ["put", "PAY.MASTER", "--durability", "request", "--quiet"];
    let run = place.run_with(&each, b"00003CLARK\n00004DAVIS\n");
    assert_eq!(run.status, 0, "{}", run.err);
    std::thread::sleep(Duration::from_millis(1100));
    let all = place.run(&["cat", "PAY.MASTER"]).out;
    let refused = |to: &[&str]| {
        let run = place.run(&[&["recover", "PAY.MASTER", "--from", "noon"], to].concat());
        assert!(
            run.status == 12 && run.err.contains("CICA1011E"),
            "{} {}",
            run.status,
            run.err
        );
        assert!(run.err.contains("the archive ends before"), "{}", run.err);
        assert_eq!(place.run(&["cat", "PAY.MASTER"]).out, all, "nothing is changed");
    };
    let lacks = |words: &str, segments: u64| {
        for args in [&["verify"][..], &["ls"], &["verify", "PAY.*"], &["ls", "PAY.MASTER"]] {
            let run = place.run(&[&["archive"], args].concat());
            assert!(run.err.contains(words), "{args:?}: {}", run.err);
            assert_eq!(run.status, 8, "{args:?}: {}", run.err);
            let run = place.run(&[&["archive"], args, &["--json"]].concat());
            let value: serde_json::Value = serde_json::from_slice(&run.out).unwrap();
            let shown = &value["archive"][0];
            assert!(shown["wrong"].as_str().unwrap().contains(words), "{value}");
            assert_eq!((run.status, shown["segments"].as_u64()), (8, Some(segments)), "{value}");
        }
        assert_eq!(place.run(&["archive", "verify", "OTHER.**"]).status, 4);
    };
    let last = until(&place);
    let newest = segments(&place.dir.join("catalog/archive")).pop().unwrap();
    let whole = std::fs::read(&newest).unwrap();
    // Cut behind a frame, as a copy made meanwhile is: the last change and the end are missing.
    let frames: Vec<usize> = (0..whole.len())
        .filter(|&at| whole[at..].starts_with(b"CiAF"))
        .collect();
    assert_eq!(frames.len(), 3, "two changes and the end");
    std::fs::write(&newest, &whole[..frames[1]]).unwrap();
    refused(&[]);
    lacks("its end is missing", 3);
    // Who writes to it then goes on behind the cut: that is told by the number of records.
    let directory = place.dir.join("catalog");
    let aside = place.dir.join("aside");
    let copy = |from: &std::path::Path, to: &std::path::Path| {
        let _ = std::fs::remove_dir_all(to);
        let done = std::process::Command::new("cp").arg("-a").args([from, to]).status();
        assert!(done.unwrap().success());
    };
    copy(&directory, &aside);
    put(&place, "00005EVANS\n");
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon"]);
    let told = "make 4 records, and the data set has 5";
    assert!(run.status == 12 && run.err.contains(told), "{}", run.err);
    copy(&aside, &directory);
    // Gone.
    std::fs::remove_file(&newest).unwrap();
    refused(&[]);
    refused(&["--to", &last]);
    lacks("its end is missing", 2);
    // All of it.
    let all_of_it = segments(&place.dir.join("catalog/archive"));
    for segment in &all_of_it {
        std::fs::rename(segment, aside.join(segment.file_name().unwrap())).unwrap();
    }
    lacks("it is missing", 0);
    for segment in &all_of_it {
        std::fs::rename(aside.join(segment.file_name().unwrap()), segment).unwrap();
    }
    std::fs::write(&newest, &whole).unwrap();
    for command in ["ls", "verify"] {
        assert_eq!(place.run(&["archive", command]).status, 0);
    }
    // Never archived.
    let cards = " ALTER PAY.MASTER LOG(UNDO)\n";
    assert_eq!(place.run_with(&["idcams"], cards.as_bytes()).status, 0);
    put(&place, "00003CLARK\n");
    std::thread::sleep(Duration::from_millis(1100));
    refused(&[]);
    refused(&["--to", &now()]);
    // Up to where the archive is whole it does.
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", &then]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert_eq!(place.run(&["cat", "PAY.MASTER"]).out, two);
    let run = place.run(&["recover", "PAY.MASTER", "--from", "noon", "--to", "2100-01-01T00:00"]);
    assert!(run.status == 8 && run.err.contains("CICA1015E"), "{}", run.err);
    // A name that is not there may be a slip.
    let clean = ["archive", "clean", "--before", &then, "PAY.MISTER"];
    assert_eq!(place.run(&clean).status, 4);
}

/// What an operator sees of an archive: which data sets a mask means, up to when, and if it goes on.
#[test]
fn an_archive_is_shown_by_masks_and_up_to_its_last_change() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n");
    for mask in ["PAY.MASTER", "pay.**", "PAY.*"] {
        let shown = place.run(&["archive", "ls", mask]);
        let out = String::from_utf8_lossy(&shown.out).into_owned();
        assert!(shown.status == 0 && out.contains("PAY.MASTER"), "{mask}: {out}");
    }
    for name in ["PAY.NONE", "X.**"] {
        let shown = place.run(&["archive", "ls", name]);
        assert_eq!(
            String::from_utf8_lossy(&shown.out),
            format!("nothing is archived of {name}\n")
        );
        assert_eq!(shown.status, 4);
    }
    // A segment that was cut in front of its end is shown up to the last change that can be read.
    let before = until(&place);
    std::thread::sleep(Duration::from_millis(1100));
    put(&place, "00002BAKER\n");
    let (files, whole) = (segments(&place.dir.join("catalog/archive")), until(&place));
    let last = files.last().unwrap();
    let bytes = std::fs::read(last).unwrap();
    std::fs::write(last, &bytes[..bytes.len() - 60]).unwrap();
    let shown = place.run(&["archive", "ls", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&shown.out).unwrap();
    let archive = &value["archive"][0];
    // The end was written behind the change, and maybe in the next second.
    let cut = archive["until"].as_str().unwrap();
    assert!(*before < *cut && *cut <= *whole, "{before} {cut} {whole}");
    assert_eq!(archive["goes_on"], true);
    // Defined anew, the name is there twice.
    for cards in [" DELETE PAY.MASTER\n", DEFINE] {
        assert_eq!(place.run_with(&["idcams"], cards.as_bytes()).status, 0);
    }
    put(&place, "00001ADAMS\n");
    let shown = place.run(&["archive", "ls"]);
    let out = String::from_utf8_lossy(&shown.out).into_owned();
    assert_eq!(out.matches(", lineage ").count(), 2, "{out}");
}

#[test]
fn what_a_copy_does_not_have_is_told() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n");
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    let cards = " EXPORT PAY.MASTER OUTFILE(OUT) TEMPORARY\n";
    assert_eq!(
        place.run_with(&["idcams", "--dd", "OUT=out"], cards.as_bytes()).status,
        0
    );
    for (name, from, words) in [
        ("PAY.OTHER", "noon", "does not have it, but PAY.MASTER"),
        ("PAY.MASTER", "out", "EXPORT wrote its records"),
    ] {
        let run = place.run(&["recover", name, "--from", from]);
        assert!(
            run.status == 12 && run.err.contains(words),
            "{name}: {} {}",
            run.status,
            run.err
        );
    }
}

/// What was restored, reorganized, recovered or never changed has nothing that an archive could lack.
#[test]
fn an_archive_is_not_missing_where_nothing_was_changed() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    let verified = |place: &Place| {
        let run = place.run(&["archive", "verify"]);
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{}", run.text());
    };
    verified(&place);
    put(&place, "00001ADAMS\n");
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "noon"]).status, 0);
    put(&place, "00002BAKER\n");
    verified(&place);
    assert_eq!(place.run(&["rm", "PAY.BYNAME", "-q"]).status, 0);
    assert_eq!(place.run(&["recover", "PAY.MASTER", "--from", "noon", "-q"]).status, 0);
    verified(&place);
    let run = place.run(&["restore", "noon", "--replace", "-q"]);
    assert_eq!(run.status, 0, "{}", run.err);
    verified(&place);
    let run = place.run(&["reorg", "PAY.MASTER", "-q"]);
    assert_eq!(run.status, 0, "{}", run.err);
    verified(&place);
    let other = Place::new();
    std::fs::copy(place.path("noon"), other.path("noon")).unwrap();
    assert_eq!(other.run(&["restore", "noon", "-q"]).status, 0);
    verified(&other);
}

/// A data set under another name, and its copy under the old one, have one archive: it is not missing of either.
#[test]
fn the_archive_of_a_renamed_data_set_and_its_copy_is_not_missing() {
    let place = Place::new();
    assert_eq!(place.run_with(&["idcams"], DEFINE.as_bytes()).status, 0);
    put(&place, "00001ADAMS\n");
    place.run(&["backup", "PAY.MASTER", "-o", "noon", "-q"]).done();
    let rename = " ALTER PAY.MASTER NEWNAME(PAY.OLD)\n ALTER PAY.MASTER.DATA NEWNAME(PAY.OLD.DATA)\n ALTER \
                  PAY.MASTER.INDEX NEWNAME(PAY.OLD.INDEX)\n DELETE PAY.BYNAME AIX\n";
    assert_eq!(place.run_with(&["idcams"], rename.as_bytes()).status, 0);
    place.run(&["restore", "noon", "PAY.MASTER", "-q"]).done();
    place.run(&["archive", "verify"]).done();
    place.run(&["archive", "ls"]).done();
}
