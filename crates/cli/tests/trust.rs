//! The command among strangers: what it takes as its own, whom it lets read, and what it leaves whole.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::Path;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_catalog_above_that_others_can_change_is_not_taken() {
    let place = Place::new();
    place.names("AA01 first\n");
    let above = place.path("w/.cica");
    std::fs::create_dir_all(place.path("w/a")).unwrap();
    std::fs::rename(place.path("catalog"), &above).unwrap();
    let run = |trust: Option<&Path>| {
        let mut command = place.command(&["get", "A.NAMES", "AA01"]);
        command.current_dir(place.path("w/a")).env_remove("CICA_CATALOG");
        command.env("HOME", &place.dir).env_remove("XDG_DATA_HOME");
        if let Some(trust) = trust {
            command.env("CICA_TRUST", trust);
        }
        finish(command, b"")
    };
    assert_eq!(run(None).done(), "AA01 first\n");
    set_mode(&above, 0o777);
    run(None).failed(12, &["CICA0991E", "CICA_TRUST", "written by everybody"]);
    assert_eq!(run(Some(&place.path("w"))).done(), "AA01 first\n");
}

#[test]
fn files_are_for_owner_and_group_unless_the_catalog_says_otherwise() {
    let place = Place::new();
    place.names("AA01 first\n");
    let (catalog, data) = (place.path("catalog/catalog"), place.data_file("A.NAMES"));
    for file in [&catalog, &data] {
        assert_eq!(mode(file) & !0o040, 0o600, "{}", file.display());
    }
    let copy = place.path("copy");
    place.run(&["backup", "A.NAMES", "-o", "copy", "-q"]).done();
    assert_eq!(mode(&copy) & !0o040, 0o600);
    // The mode of the catalog's file is that of all.
    set_mode(&catalog, 0o660);
    place
        .run(&["import", "names.txt", "A.MORE", "--keys", "4,0", "-q"])
        .done();
    let more = place.data_file("A.MORE");
    for (file, expected) in [(&more, 0o660), (&catalog, 0o660), (&data, 0o640)] {
        assert_eq!(mode(file) & !0o040, expected & !0o040, "{}", file.display());
    }
    place.run(&["volume", "add", "MORE01"]).done();
    assert_eq!(mode(&place.path("catalog/volumes/MORE01")), 0o770);
    // A file that is replaced keeps its own.
    set_mode(&copy, 0o600);
    place.run(&["backup", "A.NAMES", "-o", "copy", "-q"]).done();
    assert_eq!(mode(&copy), 0o600);
}

#[test]
fn of_many_backups_to_one_file_one_is_there_and_whole() {
    let place = Place::new();
    let mut lines = String::new();
    for n in 0..3_000 {
        lines.push_str(&format!("{n:04} a record of some length, {}\n", n * 7919 % 1000));
    }
    place.names(&lines);
    std::fs::create_dir(place.path("out")).unwrap();
    std::fs::write(place.path("victim"), b"kept").unwrap();
    symlink(place.path("victim"), place.path("out/copy")).unwrap();
    let start = |_| {
        let mut command = place.command(&["backup", "A.NAMES", "-o", "out/copy", "-q"]);
        command.spawn().expect("cica starts")
    };
    let all: Vec<_> = (0..8).map(start).collect();
    for mut child in all {
        assert!(child.wait().unwrap().success());
        let tested = place.run(&["restore", "out/copy", "--rename", "A.NAMES=B.NAMES", "-q"]);
        tested.done();
        place.run(&["rm", "B.NAMES"]).done();
    }
    let names: Vec<_> = std::fs::read_dir(place.path("out")).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(place.read("victim"), b"kept");
    // One that cannot be made whole leaves the one before.
    let before = place.read("out/copy");
    assert_ne!(place.run(&["backup", "A.NONE", "-o", "out/copy", "-q"]).status, 0);
    assert_eq!(place.read("out/copy"), before);
}

/// What `cica` writes to a terminal, by way of a pseudo-terminal.
fn on_terminal(place: &Place, args: &[&str]) -> String {
    let program =
        "import os,pty,sys\nout=b''\ndef read(fd):\n global out\n data=os.read(fd,1024)\n out+=data\n return data\n\
                   pty.spawn(sys.argv[2:],read)\nopen(sys.argv[1],'wb').write(out)";
    let cica = env!("CARGO_BIN_EXE_cica");
    let run = std::process::Command::new("python3")
        .args(["-c", program, "typed", cica])
        .args(args)
        .env("CICA_CATALOG", place.path("catalog"))
        .env("TERM", "xterm")
        .current_dir(&place.dir)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    String::from_utf8_lossy(&place.read("typed")).into_owned()
}

#[test]
fn data_do_not_steer_a_terminal() {
    let place = Place::new();
    place.names("AA01 \u{1b}]0;title\u{7}\u{1b}[2J\u{9b}5m\nAA02 plain\n");
    let escaped = "AA01 \\x1B]0;title\\x07\\x1B[2J\\x9B5m";
    for args in [
        &["cat", "A.NAMES"][..],
        &["get", "A.NAMES", "AA01"],
        &["export", "A.NAMES", "-"],
    ] {
        let shown = on_terminal(&place, args);
        assert!(
            shown.contains(escaped) && !shown.contains('\u{1b}'),
            "{args:?}: {shown:?}"
        );
        let piped = place.run(args);
        assert!(piped.out.windows(5).any(|w| w == b"\x1b]0;t"), "{args:?}");
    }
    let shown = on_terminal(&place, &["get", "A.NAMES", "\u{1b}[2J"]);
    assert!(shown.contains("IDC3309I") && !shown.contains('\u{1b}'), "{shown:?}");
}
