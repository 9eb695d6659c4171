//! Every target over its samples, over the inputs that once went wrong, and over some thousand changed ones.
//! `CICA_INPUTS` says how many of each (1,000 without it), `CICA_SEED` where they begin.
#![allow(clippy::unwrap_used)]

use cica_inputs::mutate::{mutated, Random};
use cica_inputs::TARGETS;
use std::path::Path;

fn number(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn any_bytes_are_answered() {
    let (count, seed) = (number("CICA_INPUTS", 1000), number("CICA_SEED", 1));
    for target in TARGETS {
        let samples = (target.samples)();
        assert!(!samples.is_empty(), "{} has no samples", target.name);
        samples.iter().for_each(|sample| (target.act)(sample));
        // Whole data sets take longer than the rest.
        let count = if target.name == "data-set" {
            count.div_ceil(10)
        } else {
            count
        };
        let mut random = Random(seed);
        for _ in 0..count {
            let before = random.0;
            let bytes = mutated(&samples, &mut random);
            let done = std::panic::catch_unwind(|| (target.act)(&bytes));
            assert!(
                done.is_ok(),
                "{} with the random state {before}: {bytes:02X?}",
                target.name
            );
        }
    }
}

#[test]
fn what_went_wrong_once_goes_right_now() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut run = 0;
    for target in TARGETS {
        let Ok(files) = std::fs::read_dir(corpus.join(target.name)) else {
            continue;
        };
        for file in files {
            (target.act)(&std::fs::read(file.unwrap().path()).unwrap());
            run += 1;
        }
    }
    assert!(run > 0, "the corpus is not where it should be");
}
