//! A C program that makes each call, compiled against header and library and run.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of a test's own, gone afterwards.
struct Workplace(PathBuf);

impl Workplace {
    fn new(name: &str) -> Workplace {
        let path = std::env::temp_dir().join(format!("cica-isam-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Workplace(path)
    }

    fn compile(&self, shared: bool) -> PathBuf {
        self.compile_source("tests/walk.c", shared)
    }

    /// Compiles a program against the shared or the static library.
    fn compile_source(&self, source: &str, shared: bool) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = self.0.join("walk");
        // Where cargo put the library is where this test is.
        let here = std::env::current_exe().unwrap();
        let library = here.parent().unwrap();
        let mut command = Command::new("cc");
        command.args(["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-pthread"]);
        for directory in ["include", "include/cica"] {
            command.arg("-I").arg(root.join(directory));
        }
        command.arg(root.join(source));
        command.arg("-o").arg(&program);
        if shared {
            command
                .arg(library.join("libcica_isam.so"))
                .arg(format!("-Wl,-rpath,{}", library.display()))
        } else {
            command.arg(library.join("libcica_isam.a")).args(["-ldl", "-lm"])
        };
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        program
    }

    fn run(&self, program: &Path, words: &[&str], environment: &[(&str, &str)]) -> Output {
        Command::new(program)
            .args(words)
            .current_dir(&self.0)
            .env("CICA_CATALOG", self.0.join("catalog"))
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn assert_fine(done: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
}

#[test]
fn each_call_does_what_the_header_says() {
    let place = Workplace::new("walk");
    let program = place.compile(true);
    assert_fine(&place.run(&program, &[], &[]));
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let place = Workplace::new("refusals");
    let program = place.compile_source("tests/refusals.c", true);
    assert_fine(&place.run(&program, &[], &[]));
}

#[test]
fn corners_are_what_the_header_says() {
    let place = Workplace::new("corners");
    let program = place.compile_source("tests/corners.c", true);
    assert_fine(&place.run(&program, &[], &[]));
}

#[test]
fn the_static_library_and_other_seeds() {
    let place = Workplace::new("static");
    let program = place.compile(false);
    for seed in ["2", "3"] {
        let catalog = place.0.join(seed);
        assert_fine(&place.run(&program, &[seed], &[("CICA_CATALOG", catalog.to_str().unwrap())]));
    }
}

/// The command.
fn cica() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let cica = here.parent().unwrap().parent().unwrap().join("cica");
    assert!(cica.exists(), "{}: cargo build -p cica-cli", cica.display());
    cica
}

/// Runs a program that shares its files with others.
fn run_shared(place: &Workplace, program: &Path, words: &[&str]) {
    let server = cica();
    let environment = [("CICA_SHARE", "on"), ("CICA_SERVER", server.to_str().unwrap())];
    let done = place.run(program, words, &environment);
    let stopped = Command::new(&server)
        .args(["server", "stop"])
        .env("CICA_CATALOG", place.0.join("catalog"))
        .output()
        .unwrap();
    assert_fine(&done);
    assert_fine(&stopped);
}

#[test]
fn programs_that_share_a_file_meet_each_others_locks() {
    let place = Workplace::new("shared");
    let program = place.compile(true);
    run_shared(&place, &program, &["shared"]);
}

#[test]
fn a_record_is_waited_for_and_other_threads_go_on() {
    let place = Workplace::new("waits");
    let program = place.compile_source("tests/waits.c", true);
    run_shared(&place, &program, &[]);
}

#[test]
fn the_example_of_the_book_prints_what_the_book_says() {
    let place = Workplace::new("example");
    let program = place.compile_source("examples/customers.c", true);
    let done = place.run(&program, &[], &[]);
    assert_fine(&done);
    assert_eq!(String::from_utf8_lossy(&done.stdout), "99 JONES\n100 SMITH\n98 WEBER\n");
}

#[test]
fn pairs_are_what_the_header_of_posix_says() {
    let place = Workplace::new("pairs");
    let program = place.compile_source("tests/pairs.c", true);
    assert_fine(&place.run(&program, &[], &[]));
    assert_fine(&place.run(&program, &["no such key"], &[]));
}

#[test]
fn a_program_that_knows_posix_alone_keeps_its_pairs() {
    let place = Workplace::new("phone");
    let program = place.compile_source("examples/phone.c", true);
    let told = |words: &[&str]| {
        let done = place.run(&program, words, &[]);
        let text = [&done.stdout[..], &done.stderr[..]].concat();
        (done.status.code(), String::from_utf8(text).unwrap())
    };
    assert_eq!(
        told(&[]),
        (Some(1), "office/phone: No such file or directory\n".to_owned())
    );
    for (name, number) in [("weber", "99"), ("smith", "100"), ("weber", "98")] {
        assert_eq!(told(&[name, number]), (Some(0), String::new()));
    }
    assert_eq!(told(&["weber"]), (Some(0), "98\n".to_owned()));
    assert_eq!(told(&["jones"]), (Some(0), "jones has none\n".to_owned()));
    assert_eq!(told(&[]), (Some(0), "smith 100\nweber 98\n".to_owned()));
}

#[test]
fn pairs_lie_in_what_idcams_defines_for_them() {
    let place = Workplace::new("defined");
    let program = place.compile_source("examples/phone.c", true);
    let cards =
        " DEFINE CLUSTER(NAME(OFFICE.PHONE) INDEXED KEYS(8 0) RECORDSIZE(20 80) -\n  RECORDS(100) OWNER(NDBM))\n";
    std::fs::write(place.0.join("cards"), cards).unwrap();
    assert_fine(&place.run(&cica(), &["idcams", "cards"], &[]));
    let told = |words: &[&str], environment: &[(&str, &str)]| {
        let done = place.run(&program, words, environment);
        let text = [&done.stdout[..], &done.stderr[..]].concat();
        (done.status.code(), String::from_utf8(text).unwrap())
    };
    assert_eq!(told(&["seventh", "7"], &[]), (Some(0), String::new()));
    assert_eq!(
        told(&["eighth..", "8"], &[]),
        (Some(1), "eighth..: Invalid argument\n".to_owned())
    );
    assert_eq!(told(&["eighth.."], &[]), (Some(0), "eighth.. has none\n".to_owned()));
    assert_eq!(told(&[], &[]), (Some(0), "seventh 7\n".to_owned()));
    let listed = place.run(&cica(), &["cat", "OFFICE.PHONE"], &[]);
    assert_eq!(listed.stdout, b"seventh\x077\n");
    let other = [("CICA_ISAM_PREFIX", "OTHER")];
    assert_eq!(told(&["a", "1"], &other), (Some(0), String::new()));
    let listed = place.run(&cica(), &["ls", "**"], &[]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("OTHER.OFFICE.PHONE"));
    // A content that another pair has would be refused under a key that pairs do not have.
    let cards =
        " DEFINE ALTERNATEINDEX(NAME(OFFICE.AIX) RELATE(OFFICE.PHONE) -\n  KEYS(1 8) RECORDSIZE(40 40) RECORDS(10) UNIQUEKEY)\n \
                 BLDINDEX INDATASET(OFFICE.PHONE) OUTDATASET(OFFICE.AIX)\n";
    std::fs::write(place.0.join("cards"), cards).unwrap();
    assert_fine(&place.run(&cica(), &["idcams", "cards"], &[]));
    assert_eq!(
        told(&["sixth", "7"], &[]),
        (Some(1), "office/phone: Invalid argument\n".to_owned())
    );
}
