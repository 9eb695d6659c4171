//! What the tests of the command language share: actions that only record, and a listing in memory.
#![allow(dead_code)] // not every test file uses every function

use cica_idcams::{parser, run, Act, Command, Diagnostic, Source, Stamp, Style, Sysprint, Verb};
use cica_messages::{IDC0005I, IDC0550I, IDC3012I};

/// Records what it is asked to do. A name RCnn makes the command end with that condition code.
#[derive(Default)]
pub struct Recorder {
    pub done: Vec<String>,
}

impl Act for Recorder {
    fn act(&mut self, cmd: &Command, out: &mut Sysprint) -> u8 {
        let name = ["entryname", "ENTRIES", "NAME", "INDATASET", "INFILE", "DATASET"]
            .iter()
            .find_map(|k| cmd.params.name(k))
            .unwrap_or("-")
            .to_owned();
        self.done.push(format!("{} {name}", cmd.verb.spec().words));
        let cc = name.strip_prefix("RC").and_then(|n| n.parse().ok()).unwrap_or(0);
        match cmd.verb {
            Verb::Delete if cc == 0 => out.say(&IDC0550I, &[("kind", &"C"), ("name", &name)]),
            Verb::Repro => out.say(&IDC0005I, &[("count", &3)]),
            _ if cc > 0 => out.say(&IDC3012I, &[("name", &name)]),
            _ => {}
        }
        cc
    }
}

pub struct Outcome {
    pub maxcc: u8,
    pub done: Vec<String>,
    pub listing: String,
}

pub const STAMP: Stamp = Stamp {
    year: 2022,
    month: 9,
    day: 1,
    hour: 15,
    minute: 36,
    second: 44,
};

pub fn go_with(source: Source, style: Style) -> Outcome {
    let mut recorder = Recorder::default();
    let mut sink = Vec::new();
    let maxcc = run(source, &mut recorder, &mut Sysprint::new(&mut sink, style, STAMP));
    Outcome {
        maxcc,
        done: recorder.done,
        listing: String::from_utf8(sink).unwrap(),
    }
}

pub fn go(text: &str) -> Outcome {
    go_with(Source::from_text(text), Style::Plain)
}

/// The only command of a text.
pub fn one(text: &str) -> Command {
    let mut all = parser::commands(text);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.remove(0).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

/// The errors of a text with one command.
pub fn errors(text: &str) -> Vec<Diagnostic> {
    let mut all = parser::commands(text);
    assert!(!all.is_empty(), "{text}: nothing was read");
    all.remove(0).expect_err(text)
}

/// The only error of a text with one command, as people see it.
pub fn error(text: &str) -> String {
    let all = errors(text);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all[0].to_string()
}
