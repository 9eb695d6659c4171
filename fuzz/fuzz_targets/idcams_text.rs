//! Any bytes as control cards: each command is parsed and refused or handed on; nothing is carried out.
#![no_main]

use cica_idcams::{run, Act, Command, Source, Stamp, Style, Sysprint};
use libfuzzer_sys::fuzz_target;

struct Nothing;

impl Act for Nothing {
    fn act(&mut self, _: &Command, _: &mut Sysprint) -> u8 {
        0
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut listing = Vec::new();
    let mut out = Sysprint::new(&mut listing, Style::Asa, Stamp::from_unix(0));
    let maxcc = run(Source::from_bytes(bytes), &mut Nothing, &mut out);
    // SET MAXCC takes any number up to the highest.
    assert!(maxcc <= 16);
});
