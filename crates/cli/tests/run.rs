//! `cica run` before the program begins: the catalog, the DD file, the program's name.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place, Run};

/// Runs a program that is no COBOL program, with what stands in front of it; the library is any file that is there.
fn run(place: &Place, arguments: &[&str], catalog: Option<&str>) -> Run {
    let mut command = place.command(&[&["run"], arguments].concat());
    // Where cargo put the library is where this test is, if it was built.
    let library = std::env::current_exe().unwrap().with_file_name("libcica_cobol.so");
    let library = Some(library).filter(|library| library.exists()).unwrap_or_default();
    command
        .env("CICA_COBOL_LIBRARY", library)
        .env("XDG_DATA_HOME", place.dir.join("share"));
    std::fs::create_dir_all(place.dir.join("share")).unwrap();
    match catalog {
        Some(path) => command.env("CICA_CATALOG", path),
        None => command.env_remove("CICA_CATALOG"),
    };
    finish(command, b"")
}

/// What it says and its status.
fn said(run: &Run) -> (i32, &str) {
    (run.status, &run.err)
}

#[test]
fn a_catalog_that_is_named_must_be_there() {
    let place = Place::new();
    for (arguments, catalog) in [(&["--catalog", "gone", "true"][..], None), (&["true"], Some("gone"))] {
        let run = run(&place, arguments, catalog);
        let (status, text) = said(&run);
        assert!(
            status == 12 && text.contains("CICA1209E") && text.contains("gone"),
            "{run:?}"
        );
    }
}

#[test]
fn a_directory_made_for_a_catalog_gets_one_and_none_is_told() {
    let place = Place::new();
    let first = run(&place, &["true"], None);
    assert!(first.err.contains("CICA1217W THERE IS NO CATALOG IN "), "{first:?}");
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let second = run(&place, &["true"], None);
    assert!(!second.err.contains("CICA1217W"), "{second:?}");
    assert!(place.dir.join(".cica/catalog").exists());
}

#[test]
fn wrong_dd_files_and_names_say_what_to_do() {
    let place = Place::new();
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.dir.join(name), text).unwrap();
    write("twice.toml", "[dd]\nCUST = 'A.B'\nOTHER = 'C.D'\nCUST = 'E.F'\n");
    write("strange.toml", "CUST\u{a0}A = 'A.B'\n");
    write("here", "");
    let cases = [
        (
            &["--dd", "gone.toml", "true"][..],
            12,
            "CICA1218E THE DD FILE gone.toml CANNOT BE READ",
        ),
        (
            &["--dd", "MASTER=B.K", "true"],
            12,
            "a file of DD texts, with a line MASTER = \"B.K\"; without one say DD_MASTER='B.K' in front of the command",
        ),
        (
            &["--dd", "twice.toml", "true"],
            64,
            "CICA1215E twice.toml, LINE 4: the name was there before",
        ),
        (
            &["--dd", "strange.toml", "true"],
            64,
            "CICA1215E strange.toml, LINE 1: no name before the equals sign",
        ),
    ];
    for (arguments, status, text) in cases {
        let run = run(&place, arguments, None);
        assert!(run.status == status && run.err.contains(text), "{run:?}");
    }
    // The library must be found before the program is; the loader would go on without it, and say so at most.
    let own = std::env::current_exe().unwrap();
    std::fs::copy(&own, place.dir.join("libcica_cobol.so")).unwrap();
    std::fs::create_dir(place.dir.join("a:b")).unwrap();
    std::fs::copy(&own, place.dir.join("a:b/libcica_cobol.so")).unwrap();
    write("text.so", "not a library");
    for (library, text) in [
        ("gone.so", "which is no shared library for this machine"),
        ("text.so", "which is no shared library for this machine"),
        ("a:b/libcica_cobol.so", "a path with a colon; put the library elsewhere"),
    ] {
        let mut command = place.command(&["run", "true"]);
        command
            .env_remove("CICA_CATALOG")
            .env("CICA_COBOL_LIBRARY", place.dir.join(library));
        let run = finish(command, b"");
        assert!(
            run.status == 12 && run.err.contains("CICA1214E") && run.err.contains(text),
            "{run:?}"
        );
    }
    for (program, text) in [
        ("here", "; there is ./here"),
        ("payroll.cob", "; it is a source, which cobc -x compiles"),
    ] {
        let mut command = place.command(&["run", program]);
        command
            .env_remove("CICA_CATALOG")
            .env("CICA_COBOL_LIBRARY", place.dir.join("libcica_cobol.so"));
        let run = finish(command, b"");
        assert!(
            run.status == 12 && run.err.contains("CICA1214E") && run.err.contains(text),
            "{run:?}"
        );
    }
}

#[test]
fn all_that_stands_behind_the_program_is_the_programs() {
    let place = Place::new();
    let script = place.write(
        "args.sh",
        b"#!/bin/sh\nfor a in \"$@\"; do printf '<%s>' \"$a\"; done\n",
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let words = [
        "--version",
        "-q",
        "--pool",
        "5",
        "-h",
        "--dd",
        "x",
        "--catalog",
        "--",
        "-V",
        "a b",
    ];
    let done = run(&place, &[&["./args.sh"], &words[..]].concat(), None);
    let wanted: String = words.iter().map(|word| format!("<{word}>")).collect();
    assert_eq!((done.status, done.text()), (0, wanted), "{done:?}");
    // What stands before it is the command's.
    let done = run(&place, &["--pool", "8M", "./args.sh", "--pool"], None);
    assert_eq!((done.status, done.text()), (0, "<--pool>".into()), "{done:?}");
    for wrong in [&["--nothing", "./args.sh"][..], &[]] {
        assert_eq!(run(&place, wrong, None).status, 64, "{wrong:?}");
    }
}

/// The loader says nothing when it starts such a program without the library.
#[test]
fn a_program_that_the_library_cannot_be_loaded_into_is_refused() {
    let place = Place::new();
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let program = place.dir.join("program");
    std::fs::copy("/bin/true", &program).unwrap();
    assert_eq!(run(&place, &["./program"], None).status, 0);
    let mode = |mode| std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    // One's own setuid bit gives no rights.
    mode(0o4755);
    assert_eq!(run(&place, &["./program"], None).status, 0);
    if std::os::unix::fs::chown(&program, Some(65_534), Some(65_534)).is_ok() {
        for (bits, how) in [(0o4755, "setuid"), (0o2755, "setgid")] {
            mode(bits);
            let refused = run(&place, &["./program"], None);
            assert!(refused.status == 12 && refused.err.contains("CICA1214E"), "{refused:?}");
            assert!(refused.err.contains(&format!("it is {how}, so")), "{refused:?}");
        }
        mode(0o755);
        assert_eq!(run(&place, &["./program"], None).status, 0);
    } else {
        eprintln!("not root: nothing can be given to another user");
    }
    // A program of parts, none of which names a loader.
    let mut elf = vec![0; 120];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
    (elf[32], elf[54], elf[56], elf[64]) = (64, 56, 1, 1);
    std::fs::write(&program, elf).unwrap();
    mode(0o755);
    let refused = run(&place, &["./program"], None);
    assert!(
        refused.status == 12 && refused.err.contains("it is linked statically"),
        "{refused:?}"
    );
}

#[test]
fn a_catalog_is_made_in_an_empty_directory_that_is_named() {
    let place = Place::new();
    for (name, by_option) in [("one", false), ("two", true)] {
        std::fs::create_dir(place.dir.join(name)).unwrap();
        let done = if by_option {
            run(&place, &["--catalog", name, "true"], None)
        } else {
            run(&place, &["true"], Some(name))
        };
        assert_eq!(done.status, 0, "{done:?}");
        assert!(place.dir.join(name).join("catalog").exists());
    }
    std::fs::create_dir(place.dir.join("other")).unwrap();
    place.write("other/file", b"something");
    assert_eq!(run(&place, &["true"], Some("other")).status, 12);
}

#[test]
fn symbols_that_are_given_are_the_programs_too() {
    let place = Place::new();
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let library = std::env::current_exe().unwrap().with_file_name("libcica_cobol.so");
    let library = Some(library).filter(|library| library.exists()).unwrap_or_default();
    let symbols = |environment: &str, option: &str| {
        let mut command = place.command(&["run", "--symbols", option, "sh", "-c", "echo $CICA_SYMBOLS"]);
        command
            .env_remove("CICA_CATALOG")
            .env("CICA_COBOL_LIBRARY", &library)
            .env("CICA_SYMBOLS", environment);
        finish(command, b"")
    };
    let done = symbols("SITE=TEST,ENV=A", "SITE=LIVE");
    assert_eq!(
        (done.status, done.text()),
        (0, "SITE=TEST,ENV=A,SITE=LIVE\n".into()),
        "{done:?}"
    );
    assert_eq!(symbols("", "SITE=LIVE").text(), "SITE=LIVE\n");
    for (environment, option, words) in [
        ("", "SITE", "--symbols: 'SITE' defines no symbol"),
        ("X=", "SITE=&NONE", "--symbols: this system has no symbol &NONE"),
        ("SYSCLONE=XX", "SYSNAME=PROD1", "say both in one of them"),
    ] {
        let run = symbols(environment, option);
        assert!(run.status == 64 && run.err.contains(words), "{run:?}");
    }
}
