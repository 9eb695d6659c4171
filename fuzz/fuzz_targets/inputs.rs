//! The target of `cica-inputs` that CICA_TARGET names, by its coverage. Begin with the samples:
//! `CICA_TARGET=root cargo +nightly fuzz run inputs ../crates/inputs/corpus/root`.
#![no_main]

use cica_inputs::FuzzTarget;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

fn chosen() -> &'static FuzzTarget {
    static CHOSEN: OnceLock<&'static FuzzTarget> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("CICA_TARGET").unwrap_or_default();
        cica_inputs::target(&name).unwrap_or_else(|| {
            let all: Vec<&str> = cica_inputs::TARGETS.iter().map(|target| target.name).collect();
            panic!("CICA_TARGET must be one of {}", all.join(" "))
        })
    })
}

fuzz_target!(|bytes: &[u8]| (chosen().act)(bytes));
