//! The table keeps its invariants, and everything made from it is in step.
#![allow(clippy::unwrap_used)]

mod common;
use cica_admin::listcat::reference_listcat_markdown;
use cica_idcams::parser::commands;
use cica_idcams::table::{help, overview, reference_markdown, Operand, Param, Support, VERBS};
use cica_idcams::Verb;
use cica_messages as messages;
use std::collections::HashSet;
use std::path::Path;

fn lists(params: &'static [Param], of: &str, found: &mut Vec<(String, &'static [Param])>) {
    found.push((of.to_owned(), params));
    for p in params {
        if let Operand::Group(inner) | Operand::Groups(inner) = p.kind {
            lists(inner, &format!("{of} {}", p.word), found);
        }
    }
}

fn all_lists() -> Vec<(String, &'static [Param])> {
    let mut found = Vec::new();
    for v in VERBS {
        lists(v.object, v.words, &mut found);
        lists(v.params, v.words, &mut found);
    }
    found
}

#[test]
fn words_are_unique_within_a_list_and_positionals_come_first() {
    for (of, params) in all_lists() {
        let mut words = HashSet::new();
        for p in params {
            for word in std::iter::once(&p.word).chain(p.abbrs) {
                assert!(words.insert(*word), "{of}: {word} twice");
            }
            assert_eq!(p.positional, p.word.starts_with(char::is_lowercase), "{of} {}", p.word);
            assert!(
                !p.help.is_empty() && !p.help.ends_with('.') && p.help.len() < 100,
                "{of} {}",
                p.word
            );
        }
        let first_keyword = params.iter().position(|p| !p.positional).unwrap_or(params.len());
        assert!(params[first_keyword..].iter().all(|p| !p.positional), "{of}");
    }
}

#[test]
fn what_a_parameter_excludes_exists() {
    for (of, params) in all_lists() {
        for p in params {
            for other in p.not_with {
                assert!(
                    params.iter().any(|q| q.word == *other),
                    "{of}: {} excludes unknown {other}",
                    p.word
                );
            }
        }
    }
}

#[test]
fn only_commands_that_make_or_change_an_entry_with_attributes_store_parameters() {
    let stores = |words: &str| {
        let kept = [
            "DEFINE CLUSTER",
            "DEFINE ALTERNATEINDEX",
            "DEFINE USERCATALOG",
            "DEFINE MASTERCATALOG",
            "ALTER",
        ];
        // IMPORT CONNECT makes the entry of a user catalog; a data set's is as it was exported.
        kept.contains(&words) || words == "IMPORT LOCK"
    };
    for v in VERBS.iter().filter(|v| v.support == Support::Done) {
        let mut found = Vec::new();
        lists(v.object, v.words, &mut found);
        lists(v.params, v.words, &mut found);
        for p in found.iter().flat_map(|(_, params)| params.iter()) {
            let place = format!("{} {}", v.words, p.word);
            match p.support {
                Support::Stored => assert!(stores(v.words) || stores(&place), "{place} is kept nowhere"),
                Support::Accepted => assert!(!stores(v.words), "{place} could be kept"),
                _ => {}
            }
        }
    }
}

#[test]
fn every_message_says_whose_it_is() {
    for message in messages::all() {
        let ours = message.id.starts_with("CICA");
        assert_eq!(message.origin == messages::Origin::Ours, ours, "{}", message.id);
        let words = messages::explain(message.id).unwrap();
        assert!(
            words.contains(&format!("Origin: {}", message.origin.words())),
            "{words}"
        );
    }
    // The first digit of IBM's numbers is the severity; what it says of the reader's own messages holds here.
    for message in messages::all().filter(|m| m.origin == messages::Origin::Id || m.origin == messages::Origin::Ibm) {
        let reader = ["IDC02", "IDC32", "IDC42"]
            .iter()
            .any(|start| message.id.starts_with(start));
        let severity = message.id.as_bytes()[3] - b'0';
        let expected = if message.id == "IDC3207I" { 16 } else { severity * 4 };
        assert!(
            !reader || message.cc == expected,
            "{} comes with {}",
            message.id,
            message.cc
        );
    }
}

#[test]
fn every_verb_finds_its_own_entry() {
    let mut verbs = HashSet::new();
    for v in VERBS {
        assert!(verbs.insert(v.verb));
        assert_eq!(v.verb.spec().words, v.words);
    }
    assert_eq!(Verb::DefineVolume.spec().words, "DEFINE VOLUME");
}

/// ALTER leaves what is not said, so a default of DEFINE would tell what does not happen.
#[test]
fn alter_names_no_default() {
    let page = reference_markdown();
    let alter = page
        .split("\n## ")
        .find(|section| section.starts_with("ALTER\n"))
        .unwrap();
    for text in [alter, &help("ALTER").unwrap()] {
        assert!(text.contains("REORGANIZE") && !text.contains("default"), "{text}");
    }
}

#[test]
fn every_example_parses_as_its_verb() {
    for v in VERBS.iter().filter(|v| v.grammar.is_empty()) {
        let text = format!(" {}", v.example);
        let all = commands(&text);
        assert_eq!(all.len(), 1, "{}", v.words);
        assert_eq!(all[0].as_ref().unwrap_or_else(|e| panic!("{text}: {e:?}")).verb, v.verb);
    }
    for v in VERBS.iter().filter(|v| !v.grammar.is_empty()) {
        assert_eq!(common::go(&format!(" {}", v.example)).maxcc, 0, "{}", v.words);
    }
}

/// A value that fits `p`, as it is written.
fn sample(p: &Param) -> String {
    let inner = match p.kind {
        Operand::Flag => return String::new(),
        Operand::Number { min, .. } => min.to_string(),
        Operand::Numbers { slots, .. } => slots.iter().map(|s| s.1.to_string()).collect::<Vec<_>>().join(" "),
        Operand::Name(_) | Operand::Names { .. } | Operand::Text { .. } | Operand::Key => "AB".into(),
        Operand::Date => "2030.001".into(),
        Operand::KeyRanges => "(A B)".into(),
        Operand::Choice(of) => of[0].0.into(),
        Operand::Group(inner) => members(inner),
        Operand::Groups(inner) => format!("({})", members(inner)),
        Operand::Words => "A (B) C".into(),
    };
    if p.positional {
        inner
    } else {
        format!("({inner})")
    }
}

fn members(params: &[Param]) -> String {
    let mut seen = HashSet::new();
    let required = params
        .iter()
        .filter(|p| p.required && (p.one_of.is_empty() || seen.insert(p.one_of)));
    required
        .map(|p| {
            if p.positional {
                sample(p)
            } else {
                format!("{}{}", p.word, sample(p))
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn every_parameter_of_every_verb_is_taken_in_every_spelling() {
    for v in VERBS.iter().filter(|v| v.grammar.is_empty()) {
        for (params, in_object) in [(v.object, true), (v.params, false)] {
            for p in params.iter().filter(|p| !p.positional) {
                for word in std::iter::once(&p.word).chain(p.abbrs) {
                    let written = format!("{word}{}", sample(p));
                    // Required parameters, unless this one stands in for them.
                    let others = |params: &'static [Param]| {
                        let stands = |q: &&Param| {
                            q.word != p.word
                                && (q.one_of.is_empty() || q.one_of != p.one_of)
                                && !p.not_with.contains(&q.word)
                        };
                        let list: Vec<Param> = params.iter().filter(stands).copied().collect();
                        members(&list)
                    };
                    let text = match (v.second(), in_object) {
                        (Some(_), true) => format!("{} ({} {written}) {}", v.words, others(v.object), others(v.params)),
                        (Some(_), false) => {
                            format!("{} ({}) {} {written}", v.words, members(v.object), others(v.params))
                        }
                        _ => format!("{} {} {written}", v.words, others(v.params)),
                    };
                    // One word per line: a long command must not run past the margin.
                    let text = format!(" {}", text.split(' ').collect::<Vec<_>>().join(" -\n "));
                    let all = commands(&text);
                    let command = all[0].as_ref().unwrap_or_else(|e| panic!("{text}: {e:?}"));
                    assert!(command.params.has(p.word), "{text}");
                }
            }
        }
    }
}

#[test]
fn help_knows_every_verb_by_its_words_and_abbreviations() {
    for v in VERBS {
        assert!(
            help(v.words).is_some_and(|h| h.starts_with(v.words) && h.contains(v.example)),
            "{}",
            v.words
        );
        assert!(overview().contains(v.words));
    }
    assert!(help("def cl").unwrap().contains("FREESPACE(ci-percent [ca-percent])"));
    assert!(help("define").unwrap().contains("DEFINE PATH"));
    assert_eq!(help("nonsense"), None);
    assert_eq!(help(""), None);
}

#[test]
fn message_ids_are_unique_and_explained() {
    let mut ids = HashSet::new();
    for m in messages::all() {
        assert!(ids.insert(m.id), "{} twice", m.id);
        assert!([0, 4, 8, 12, 16].contains(&m.cc), "{}", m.id);
        assert!(m.cause.ends_with('.') && m.action.ends_with('.'), "{}", m.id);
        assert!(
            m.inserts().all(|i| i.bytes().all(|b| b.is_ascii_lowercase())),
            "{}",
            m.id
        );
        let explained = messages::explain(&m.id.to_ascii_lowercase()).unwrap();
        assert!(explained.contains(m.cause) && explained.contains(m.action));
        assert_eq!(messages::explain(&m.id[..m.id.len() - 1]), Some(explained));
    }
    assert_eq!(messages::explain("IDC9999I"), None);
    assert_eq!(messages::explain(""), None);
}

#[test]
fn an_insert_nobody_fills_shows_as_a_question_mark() {
    assert_eq!(messages::IDC3012I.line(&[]), "IDC3012I ENTRY ? NOT FOUND");
    assert_eq!(
        messages::IDC3012I.line(&[("name", &"A.{B}")]),
        "IDC3012I ENTRY A.{B} NOT FOUND"
    );
}

/// The checked-in page is what the table says; CICA_BLESS=1 writes it anew.
fn in_step(page: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/src/reference")
        .join(page);
    if std::env::var_os("CICA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "{page} is out of step with the table; run the test with CICA_BLESS=1"
    );
}

#[test]
fn the_reference_of_commands_is_in_step() {
    in_step("idcams.md", &reference_markdown());
}

#[test]
fn the_reference_of_listcat_is_in_step() {
    in_step("listcat.md", &reference_listcat_markdown());
}

#[test]
fn the_reference_of_messages_is_in_step() {
    in_step("messages.md", &messages::reference_messages_markdown());
}
