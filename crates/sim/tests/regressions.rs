//! Runs that once failed, each a file in `regressions/`: replayed, crashed and faulted for ever.
#![allow(clippy::unwrap_used)]

use std::fs;

use cica_sim::replay::Script;
use cica_sim::shape::Organization;
use cica_sim::shape::Shape;
use cica_sim::workload::Workload;

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
        ("data set", "the second line"),
        ("data set\nseed x", "no seed"),
        ("data set keys=4\nseed 1", "nothing a data set has"),
        ("data set key_length=many\nseed 1", "no value"),
        ("data set durability=never\nseed 1", "none of close"),
        ("data set fixed\nseed 1", "no name=value"),
        ("data set\nseed 1\n# a comment\n\nfetch 0", "is no request"),
        ("data set strings=2\nseed 1\nnext 2 nup", "only 2 strings"),
    ] {
        let error = text.parse::<Script>().expect_err(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn a_script_reads_back_as_it_was_written() {
    for seed in 0..20 {
        let Workload { seed, shape, requests } = Workload::model(seed, 50, Organization::Ksds);
        // How keys were drawn is not written down: they are.
        let shape = Shape {
            keys: Shape::plain().keys,
            ..shape
        };
        let script = Script { shape, seed, requests };
        assert_eq!(script.to_string().parse(), Ok(script));
    }
}
