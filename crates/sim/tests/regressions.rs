//! Runs that once failed, each a file in `regressions/`: replayed, crashed and faulted for ever.

use std::fs;

use cica_sim::replay::Script;

#[test]
fn what_failed_once_does_not_fail_again() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions");
    let mut names: Vec<_> = fs::read_dir(directory)
        .expect("the directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    assert!(!names.is_empty());
    for name in names {
        let text = fs::read_to_string(&name).expect("a text");
        let script: Script = text
            .parse()
            .unwrap_or_else(|error| panic!("{}: {error}", name.display()));
        let failure = script.run(true);
        assert!(failure.is_none(), "{}: {}", name.display(), failure.unwrap_or_default());
    }
}

#[test]
fn a_script_that_is_none_is_refused() {
    for (text, expected) in [
        ("", "empty"),
        ("next 0 nup", "the first line"),
        ("data set of small seed x", "no seed"),
        ("data set of big seed 1", "neither model nor small"),
        ("data set of small seed 1\n# a comment\n\nfetch 0", "is no request"),
    ] {
        let error = text.parse::<Script>().expect_err(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}
