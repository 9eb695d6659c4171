//! `cica run` before the program begins: the catalog, the DD file, the program's name.
#![allow(clippy::unwrap_used)]

mod common;

use common::{finish, Place, Run};

/// Runs a program that is no COBOL program, with what stands in front of it; the library is any file that is there.
fn run(place: &Place, arguments: &[&str], catalog: Option<&str>) -> Run {
    let mut command = place.command(&[&["run"], arguments].concat());
    command
        .env("CICA_COBOL_LIBRARY", "")
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
    assert!(first.err.contains("CICA1217I THERE IS NO CATALOG IN "), "{first:?}");
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let second = run(&place, &["true"], None);
    assert!(!second.err.contains("CICA1217I"), "{second:?}");
    assert!(place.dir.join(".cica/catalog").exists());
}

#[test]
fn wrong_dd_files_and_names_say_what_to_do() {
    let place = Place::new();
    std::fs::create_dir(place.dir.join(".cica")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.dir.join(name), text).unwrap();
    write("twice.toml", "[dd]\nCUST = 'A.B'\nOTHER = 'C.D'\nCUST = 'E.F'\n");
    write("here", "");
    let cases = [
        (
            &["--dd", "gone.toml", "true"][..],
            12,
            "CICA1218E THE DD FILE gone.toml CANNOT BE READ",
        ),
        (
            &["--dd", "twice.toml", "true"],
            64,
            "CICA1215E twice.toml, LINE 4: the name was there before",
        ),
    ];
    for (arguments, status, text) in cases {
        let run = run(&place, arguments, None);
        assert!(run.status == status && run.err.contains(text), "{run:?}");
    }
    // The library must be found before the program is.
    write("libcica_cobol.so", "");
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
