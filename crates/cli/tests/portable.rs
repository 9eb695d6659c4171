//! Data sets as wholes, by the command: backup, restore, reorg, alter, recatalog; and kill -9 in the middle.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::{Catalog, CatalogError, Volser};
use cica_disk::{Disk, FileName, LinuxDisk};
use common::Place;
use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

/// A place with a data set of so many records.
fn place(count: usize) -> Place {
    let place = Place::new();
    let mut lines = String::new();
    for n in 0..count {
        writeln!(lines, "{n:08} RECORD OF A DATA SET").unwrap();
    }
    std::fs::write(place.dir.join("in"), lines).unwrap();
    let run = place.run(&["import", "in", "PAY.MASTER", "--keys", "8,0", "--quiet"]);
    assert_eq!(run.status, 0, "{}", run.err);
    place
}

/// Files of the volume, without the mark that makes it one and what it keeps of the catalog.
fn files(place: &Place) -> Vec<String> {
    let listed = std::fs::read_dir(place.dir.join("catalog/volumes/CICA01")).unwrap();
    let mut files: Vec<String> = listed
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.retain(|file| !file.starts_with('.'));
    files.sort();
    files
}

/// Changes a record.
fn put_other(place: &Place) {
    let run = place.run_with(&["put", "PAY.MASTER", "--replace", "-q"], b"00000000 ANOTHER\n");
    assert_eq!(run.status, 0, "{}", run.err);
}

/// The files below a directory, and what they have.
fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.to_str().unwrap().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// An output that names a file of the catalog or a component by mistake leaves it as it is.
#[test]
fn no_output_takes_the_place_of_what_data_sets_are_kept_in() {
    let place = place(10);
    let catalog = place.dir.join("catalog");
    // All that Cica makes there: logs, counts, an archive, records of opens and closes, a server's lock.
    let cards = "ALTER PAY.MASTER LOG(ALL) LOGSTREAMID(PAY.LOG)\n";
    place.cards(cards, &[]).done();
    let mut put = place.command(&["put", "PAY.MASTER", "--replace", "-q"]);
    put.env("CICA_SMF", "on").env("CICA_SHARE", "on");
    common::finish(put, b"00000001 ANOTHER\n").done();
    place.run(&["server", "stop"]);
    let files = contents(&catalog);
    let mut names: Vec<&str> = files.iter().map(|file| file.0.as_str()).collect();
    for part in [
        "/archive/",
        "/log/",
        "/share/lock",
        "/smf/current",
        "/stat/",
        "/.cica-volume",
        "/.vvds-",
    ] {
        assert!(names.iter().any(|name| name.contains(part)), "{part}: {names:?}");
    }
    // And what comes later, or by another way.
    let later = [
        "making",
        "archive/x",
        "share/socket",
        "log/other",
        "volumes/../stat/readers",
        "volumes/CICA01/.locks",
    ];
    let later = later.map(|name| catalog.join(name).to_str().unwrap().to_string());
    names.extend(later.iter().map(String::as_str));
    for name in names {
        let before = contents(&catalog);
        let of = |files: &[(String, Vec<u8>)]| files.iter().find(|file| file.0 == name).cloned();
        let cards = " REPRO INDATASET(PAY.MASTER) OUTFILE(OUT)\n";
        let out = format!("OUT={name}");
        let runs = [
            place.run(&["backup", "PAY.MASTER", "-o", name]),
            place.run(&["export", "PAY.MASTER", name]),
            place.run_with(&["idcams", "--dd", &out], cards.as_bytes()),
        ];
        for run in runs {
            assert!(run.status >= 8, "{name}: {} {}", run.status, run.err);
            let told = format!("{}{}", run.err, String::from_utf8_lossy(&run.out));
            // Where there is no such file the place is what is wrong.
            let place = "Cica keeps files of its own in this place: choose another directory";
            let is_file = files.iter().any(|file| file.0 == name);
            let words = if is_file { "Cica keeps " } else { place };
            assert!(told.contains(words), "{name}: {told}");
        }
        let (after, before) = (of(&contents(&catalog)), of(&before));
        if name.contains("/stat/") {
            // Each open is counted there.
            assert_eq!(
                after.map(|file| file.1.len()),
                before.map(|file| file.1.len()),
                "{name}"
            );
        } else {
            assert_eq!(after, before, "{name}");
        }
    }
    // What a user keeps beside them is his.
    place.run(&["export", "PAY.MASTER", "catalog/mine.txt", "-q"]).done();
    place
        .run(&["export", "PAY.MASTER", "catalog/volumes/CICA01/mine.txt", "-q"])
        .done();
    assert_eq!(place.run(&["cat", "PAY.MASTER"]).status, 0);
}

#[test]
fn a_backup_goes_through_a_pipe_and_comes_back() {
    let place = place(500);
    let copy = place.run(&["backup", "PAY.**", "-o", "-"]);
    assert_eq!(copy.status, 0, "{}", copy.err);
    assert!(copy.out.starts_with(b"CICAPORT"));
    let run = place.run_with(&["restore", "-", "--rename", "PAY.*=TEST.*", "--quiet"], &copy.out);
    assert_eq!(run.status, 0, "{}", run.err);
    let cat = |name: &str| place.run(&["cat", name]).out;
    assert_eq!(cat("TEST.MASTER"), cat("PAY.MASTER"));
    // A slip in a name is told, and nothing comes back: least of all under its old name.
    put_other(&place);
    let now = cat("PAY.MASTER");
    let slips: [&[&str]; 2] = [&["PAY.MASTER", "PAY.MASTR2"], &["--rename", "PAYROL.*=TEST.*"]];
    for slip in slips {
        let args = [&["restore", "-", "--replace"], slip].concat();
        let run = place.run_with(&args, &copy.out);
        assert!(run.status == 8 && run.err.contains("CICA0967E"), "{slip:?}: {run:?}");
        assert_eq!(cat("PAY.MASTER"), now, "{slip:?}");
    }
    let cut = place.run_with(&["restore", "-", "--replace"], &copy.out[..copy.out.len() - 1]);
    assert_eq!(cut.status, 12);
    assert!(
        cut.err.contains("CICA0963E") && cut.err.contains("cut short"),
        "{}",
        cut.err
    );
}

#[test]
fn a_backup_that_fails_leaves_the_one_before() {
    let place = place(20);
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "b"]).status, 0);
    let before = std::fs::read(place.dir.join("b")).unwrap();
    assert_eq!(place.run(&["backup", "NO.SUCH", "-o", "b"]).status, 8);
    let data = place.dir.join("catalog/volumes/CICA01/PAY.MASTER.DATA");
    let mut bytes = std::fs::read(&data).unwrap();
    let at = bytes.windows(6).position(|w| w == b"RECORD").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    let run = place.run(&["backup", "PAY.MASTER", "-o", "b"]);
    assert_eq!(run.status, 12, "{}", run.err);
    assert!(run.err.contains("is not version"), "{}", run.err);
    assert_eq!(std::fs::read(place.dir.join("b")).unwrap(), before);
    assert!(!place.dir.join("b.unfinished").exists());
    assert_eq!(place.run(&["restore", "b", "--replace"]).status, 0);
    assert_eq!(place.run(&["verify", "PAY.MASTER"]).status, 0);
}

#[test]
fn a_name_that_a_mask_has_chosen_already_is_no_mistake() {
    let place = place(3);
    for names in [
        ["PAY.**", "PAY.MASTER"],
        ["PAY.MASTER", "PAY.**"],
        ["PAY.MASTER", "PAY.MASTER"],
    ] {
        place.run(&["backup", names[0], names[1], "-o", "copy", "-q"]).done();
    }
    place
        .run(&["backup", "PAY.**", "PAY.NONE", "-o", "copy", "-q"])
        .failed(8, &["CICA0967E"]);
}

#[test]
fn a_layout_is_changed_and_kept() {
    let place = place(500);
    assert_eq!(place.run(&["reorg", "PAY.MASTER"]).status, 0);
    let run = place.run(&["alter", "PAY.MASTER", "--cisz", "2048", "--key-length", "12"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let shown = place.run(&["show", "PAY.MASTER"]).out;
    let shown = String::from_utf8_lossy(&shown);
    assert!(
        shown.contains("length 12, offset 0") && shown.contains("2,048"),
        "{shown}"
    );
    assert_eq!(place.run(&["verify", "PAY.MASTER"]).status, 0);
    assert_eq!(place.run(&["alter", "PAY.MASTER"]).status, 64);
    assert_eq!(files(&place).len(), 2);
}

/// Removes what a volume keeps of catalogs.
fn forget(volume: &Path) {
    for file in std::fs::read_dir(volume).unwrap() {
        let file = file.unwrap().path();
        if file.file_name().unwrap().to_string_lossy().starts_with(".vvds-") {
            std::fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn a_lost_catalog_is_made_anew_from_the_volumes() {
    let place = place(50);
    let old = place.dir.join("catalog/volumes/CICA01");
    let moved = place.dir.join("vol");
    std::fs::rename(&old, &moved).unwrap();
    std::fs::remove_dir_all(place.dir.join("catalog")).unwrap();
    let run = place.run(&["recatalog", "vol"]);
    assert_eq!(run.status, 0, "{}", run.err);
    assert_eq!(
        String::from_utf8_lossy(&run.out),
        "PAY.MASTER is in the catalog again\n"
    );
    assert_eq!(place.run(&["verify", "PAY.MASTER"]).status, 0);
    // Once more there is nothing to do.
    let run = place.run(&["recatalog"]);
    assert!(run.status == 0 && run.out.is_empty(), "{}", run.err);
    // Two files that say they are the same data set: neither is taken, unless the volume knows which it is.
    std::fs::remove_dir_all(place.dir.join("catalog")).unwrap();
    std::fs::copy(moved.join("PAY.MASTER.DATA"), moved.join("COPY")).unwrap();
    assert_eq!(place.run(&["recatalog", "vol"]).status, 0);
    assert_eq!(place.run(&["verify", "PAY.MASTER"]).status, 0);
    std::fs::remove_dir_all(place.dir.join("catalog")).unwrap();
    forget(&moved);
    let run = place.run(&["recatalog", "vol"]);
    assert_eq!(run.status, 8);
    assert!(run.err.contains("several files say they are it"), "{}", run.err);
    std::fs::remove_file(moved.join("COPY")).unwrap();
    std::fs::remove_file(moved.join("PAY.MASTER.INDEX")).unwrap();
    let run = place.run(&["recatalog", "vol"]);
    assert_eq!(run.status, 12, "{}", run.err);
}

#[test]
fn a_lost_catalog_comes_back_with_what_has_no_files() {
    let place = place(50);
    let cards = " DEF AIX (NAME(PAY.X) RELATE(PAY.MASTER) -\n TRK(1 1) KEYS(6 2) RECSZ(30 400))\n \
                 DEF PATH (NAME(PAY.P) PATHENTRY(PAY.X))\n BLDINDEX IDS(PAY.MASTER) ODS(PAY.X)\n \
                 DEF ALIAS (NAME(PAY.A) RELATE(PAY.MASTER))\n DEF GDG (NAME(PAY.G) LIMIT(3))\n \
                 ALTER PAY.MASTER OWNER(ADA)\n";
    let run = place.run_with(&["idcams"], cards.as_bytes());
    assert_eq!(run.status, 0, "{}", String::from_utf8_lossy(&run.out));
    let listed = |place: &Place| {
        let out = place.run_with(&["idcams"], b" LISTCAT ALL\n").out;
        let text = String::from_utf8(out).unwrap();
        // The head of a page has the time of day.
        let lines = text.lines().filter(|line| !line.contains("SYSTEM SERVICES"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = listed(&place);
    std::fs::remove_file(place.dir.join("catalog/catalog")).unwrap();
    // Whoever does not know yet that it is lost makes a new one, and that forgets nothing.
    assert_eq!(
        place.run_with(&["idcams"], b" DEF GDG (NAME(PAY.G) LIMIT(3))\n").status,
        0
    );
    let run = place.run(&["recatalog"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let out = String::from_utf8(run.out).unwrap();
    for name in ["PAY.MASTER", "PAY.X", "PAY.P", "PAY.A"] {
        assert!(out.contains(&format!("{name} is in the catalog again")), "{out}");
    }
    assert_eq!(listed(&place), before);
    // Without the copy an alternate index still says what it is; a path and an alias are gone with it.
    forget(&place.dir.join("catalog/volumes/CICA01"));
    std::fs::remove_file(place.dir.join("catalog/catalog")).unwrap();
    let run = place.run(&["recatalog"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let out = String::from_utf8(run.out).unwrap();
    assert_eq!(
        out,
        "PAY.MASTER is in the catalog again\nPAY.X is in the catalog again\n"
    );
}

#[test]
fn a_kill_at_any_moment_leaves_one_whole_data_set() {
    let place = place(60_000);
    assert_eq!(place.run(&["backup", "PAY.MASTER", "-o", "b"]).status, 0);
    let commands: [&[&str]; 2] = [&["restore", "b", "--replace"], &["reorg", "PAY.MASTER"]];
    for args in commands {
        for delay in 0..12 {
            let mut child = place
                .command(args)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(5 * delay));
            let _ = child.kill();
            child.wait().unwrap();
            let run = place.run(&["verify", "PAY.MASTER"]);
            assert_eq!(run.status, 0, "{args:?} after {delay}: {}", run.err);
            let told = String::from_utf8_lossy(&run.out).into_owned();
            assert!(told.contains("CONTAINS 60000 RECORDS"), "{told}");
            assert_eq!(files(&place).len(), 2, "{args:?} after {delay}: {:?}", files(&place));
        }
    }
}

/// A user catalog lists a file that it has removed; whoever opens that catalog next may remove it once more.
#[test]
fn a_restore_takes_no_file_that_another_catalog_lists() {
    let place = place(20);
    place.run(&["backup", "PAY.MASTER", "-o", "b"]).done();
    place.run(&["rm", "PAY.MASTER"]).done();
    let cards = "DEF UCAT (NAME(UCAT.ONE) CYL(1) VOL(CICA01))
DEF ALIAS (NAME(ONE) RELATE(UCAT.ONE))
DEF GDG (NAME(ONE.GROUP) LIMIT(3))";
    place.cards(cards, &[]).done();
    let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
    let below = place.path("catalog/volumes/CICA01/UCAT.ONE");
    let below = Catalog::open_named(disk, below).unwrap();
    let listed = below.transact(|contents| -> Result<(), CatalogError> {
        contents.add_leftover(&Volser::default_serial(), &FileName::near("PAY.MASTER.DATA"), false);
        Ok(())
    });
    listed.unwrap();
    // Somebody works there, so that nobody clears the list.
    let right = below.stage().unwrap();
    place.run(&["restore", "b"]).done();
    assert_eq!(place.data_file("PAY.MASTER").file_name().unwrap(), "PAY.MASTER.DATA~2");
    drop(right);
    assert!(place.run(&["ls"]).done().contains("PAY.MASTER"));
    assert_eq!(place.run(&["cat", "PAY.MASTER"]).done().lines().count(), 20);
}

/// Beside others a mask that means nothing is told, a name is refused.
#[test]
fn a_mask_that_means_nothing_beside_others_is_told() {
    let place = Place::new();
    place.names("AA01 first\n");
    for masks in [["A.**", "NOPE.**"], ["NOPE.**", "A.**"]] {
        let run = place.run(&["backup", masks[0], masks[1], "-o", "copy", "-q"]);
        run.failed(4, &["CICA1028W", "NOPE.**"]);
        let run = place.run(&["restore", "copy", masks[0], masks[1], "--replace", "-q"]);
        run.failed(4, &["CICA1028W", "NOPE.**"]);
    }
    place.run(&["restore", "copy", "A.**", "**", "--replace", "-q"]).done();
    place
        .run(&["backup", "NOPE.**", "NOT.**", "-o", "none"])
        .failed(8, &["CICA0967E"]);
    place
        .run(&["backup", "A.**", "NOPE.X", "-o", "none"])
        .failed(8, &["CICA0967E"]);
    assert!(!place.path("none").exists());
}

#[test]
fn who_keeps_a_data_set_from_being_replaced_is_named() {
    let place = Place::new();
    place.names("AA01 first\n");
    place.run(&["backup", "A.NAMES", "-o", "copy", "-q"]).done();
    let mut put = place.command(&["put", "A.NAMES"]);
    put.env("CICA_SHARE", "off").stdin(std::process::Stdio::piped());
    let mut put = put.stdout(std::process::Stdio::null()).spawn().unwrap();
    let input = put.stdin.take().unwrap();
    let named = format!("process {} (cica put A.NAMES)", put.id());
    while place.run(&["stat", "A.NAMES", "--json"]).json()["opens"].is_null() {
        assert!(put.try_wait().unwrap().is_none(), "it ended");
    }
    let told = place.run(&["restore", "copy", "--replace", "-q"]);
    drop(input);
    assert!(put.wait().unwrap().success());
    assert!(told.err.contains(&named), "{named}: {}", told.err);
}
