//! Any text is answered by a listing and a condition code.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::table::{Operand, Param, VERBS};
use cica_idcams::{Source, Style};
use cica_messages as messages;
use proptest::prelude::*;

fn words_of(params: &'static [Param], words: &mut Vec<&'static str>) {
    for p in params {
        words.push(p.word);
        words.extend(p.abbrs);
        match p.kind {
            Operand::Group(inner) | Operand::Groups(inner) => words_of(inner, words),
            Operand::Choice(of) => words.extend(of.iter().map(|c| c.0)),
            _ => {}
        }
    }
}

fn words() -> Vec<&'static str> {
    let mut words = vec![
        "(", ")", "'", ";", ",", "-", "+", "-\n", "+\n", "\n", "/*", "*/", "X'", "B'01'", "=", "^=", "<",
    ];
    for _ in 0..20 {
        words.extend([
            "(",
            ")",
            " ",
            "\n",
            "-\n",
            "0",
            "8",
            "A.B",
            "*",
            "'A B'",
            "99999999999999999999",
            "\u{e9}\u{301}",
        ]);
        words.extend([
            "IF",
            "THEN",
            "ELSE",
            "DO",
            "END",
            "SET",
            "LASTCC",
            "MAXCC",
            "=",
            "PARM MARGINS(1 80)",
        ]);
    }
    for v in VERBS {
        words.extend([v.first(), v.words]);
        words_of(v.object, &mut words);
        words_of(v.params, &mut words);
    }
    words
}

fn holds(text: &str) -> Result<(), TestCaseError> {
    let outcome = common::go_with(Source::from_text(text), Style::Asa);
    prop_assert!([0, 4, 8, 12, 16].contains(&outcome.maxcc) || outcome.maxcc < 16);
    let last = format!(
        "0IDC0002I IDCAMS PROCESSING COMPLETE. MAXIMUM CONDITION CODE WAS {}\n",
        outcome.maxcc
    );
    prop_assert!(outcome.listing.ends_with(&last));
    // Nothing that was told to be bypassed without a reason, and no reason without a code.
    let bypassed = ["IDC3202I", "IDC3207I"].iter().any(|id| outcome.listing.contains(id));
    prop_assert_eq!(bypassed, has_errors(&outcome.listing), "{}", outcome.listing);
    Ok(())
}

/// Is there a message with a place that is not a note?
fn has_errors(listing: &str) -> bool {
    let mut last = None;
    listing.lines().any(|line| {
        let line = line.get(1..).unwrap_or_default();
        let id = line.split(' ').next().unwrap_or_default();
        last = messages::find(id).filter(|_| !id.is_empty()).or(last);
        let placed = ["         AT LINE ", "         AT PARM "]
            .iter()
            .any(|start| line.starts_with(start));
        placed && last.is_some_and(|message| message.cc >= 12)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_the_words_of_the_table(
        picks in proptest::collection::vec((proptest::sample::select(words()), " {0,2}"), 0..60)
    ) {
        let text: String = picks.iter().flat_map(|(w, gap)| [*w, gap.as_str()]).collect();
        holds(&format!(" {text}"))?;
    }

    #[test]
    fn on_any_text(text in "\\PC{0,200}") {
        holds(&text)?;
    }

    #[test]
    fn on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        common::go_with(Source::from_bytes(&bytes), Style::Plain);
    }

    /// One character of a correct job changed: still a listing, and still every command of it accounted for.
    #[test]
    fn on_a_job_with_one_character_changed(at in 0usize..200, c in any::<char>()) {
        let job = " DEFINE CLUSTER (NAME(A.B) CYLINDERS(5 1) KEYS(8 0)) -\n   DATA (NAME(A.B.D))\n \
                   IF LASTCC = 0 THEN DO\n \
                   REPRO INFILE(IN) OUTDATASET(A.B)\n END\n ELSE SET MAXCC = 4\n DELETE 'A.B' PURGE /* GONE */\n";
        let mut text: Vec<char> = job.chars().collect();
        let at = at % text.len();
        text[at] = c;
        holds(&text.into_iter().collect::<String>())?;
    }
}

/// Work must grow with the length of the input and not with its square: these would not end otherwise.
#[test]
fn on_very_large_input() {
    let lines = 30_000;
    for text in [
        " /* NEVER CLOSED\n".repeat(lines),
        "X DELETE -\n".repeat(lines),
        "XA -\n".repeat(lines),
        format!(" PARM MARGINS(2 4096)\n{}", "Z".repeat(1_000_000)),
        format!(" DELETE ({}", "(A) -\n ".repeat(lines)),
        format!(" DEFINE CLUSTER (NAME(A) {}", "REUSE -\n ".repeat(lines)),
        format!(" DELETE A {}", "FOO -\n ".repeat(20_000)),
        " IF LASTCC = 0 THEN SET MAXCC = 0\n".repeat(lines),
        format!(" PRINT IDS(A) FKEY('{}", "B'' -\n ".repeat(lines)),
    ] {
        let outcome = common::go(&text);
        assert!(outcome.listing.contains("IDC0002I"));
    }
}
