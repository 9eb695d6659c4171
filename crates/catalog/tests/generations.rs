//! Generation data groups: order, relative numbers, and what leaves when a new one comes.

mod common;

use cica_catalog::entry::{Gdg, History, NonVsam};
use cica_catalog::generation::Generation;
use cica_catalog::{CatalogError, Contents, Date, Entry};
use common::{date, name};

fn today() -> Date {
    date(2022, 242)
}

fn group(limit: u16, change: impl FnOnce(&mut Gdg)) -> Contents {
    let mut gdg = Gdg {
        name: name("PAY.HIST"),
        limit,
        scratch: true,
        empty: false,
        fifo: false,
        purge: false,
        extended: false,
        altered: None,
        history: History::new(today()),
    };
    change(&mut gdg);
    let mut contents = Contents::default();
    contents.insert(Entry::Gdg(gdg)).expect("new");
    contents
}

fn data_set(text: &str, expires: Option<Date>) -> Entry {
    Entry::NonVsam(NonVsam {
        name: name(text),
        volumes: Vec::new(),
        device: String::new(),
        file: cica_catalog::entry::FileOf::OwnName,
        format: String::new(),
        sequence: String::new(),
        history: History {
            expires,
            ..History::new(today())
        },
    })
}

/// Adds a generation by its number; returns the numbers that left.
fn add(contents: &mut Contents, number: u16) -> Vec<u16> {
    let new = data_set(&format!("PAY.HIST.G{number:04}V00"), None);
    let rolled = contents.add_generation(new, today()).expect("added");
    let number = |entry: &Entry| Generation::of(entry.name()).expect("a generation").1.number;
    rolled.iter().map(|r| number(&r.entry)).collect()
}

fn numbers(contents: &Contents) -> Vec<u16> {
    let all = contents.generations(&name("PAY.HIST"));
    all.iter().map(|(generation, _)| generation.number).collect()
}

#[test]
fn a_generation_is_told_from_any_other_name() {
    for (text, expected) in [
        ("PAY.HIST.G0001V00", Some((1, 0))),
        ("PAY.HIST.G9999V99", Some((9_999, 99))),
        ("PAY.HIST.G0001V0", None),
        ("PAY.HIST.G00A1V00", None),
        ("PAY.HIST.H0001V00", None),
        ("G0001V00", None),
    ] {
        let found = Generation::of(&name(text)).map(|(_, g)| (g.number, g.version));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn relative_numbers_count_back_from_the_newest() {
    let mut contents = group(5, |_| ());
    let base = name("PAY.HIST");
    assert_eq!(contents.next_generation(&base, 1).number, 1);
    assert!(contents.relative(&base, 0).is_none());
    for number in [1, 2, 4] {
        add(&mut contents, number);
    }
    // Another group whose name only begins alike.
    contents
        .insert(data_set("PAY.HIST.SUB.G0009V00", None))
        .expect("another");
    contents.insert(data_set("PAY.HIST-X.G0009V00", None)).expect("another");
    let named = |relative| contents.relative(&base, relative).map(|e| e.name().to_string());
    assert_eq!(named(0).as_deref(), Some("PAY.HIST.G0004V00"));
    assert_eq!(named(-2).as_deref(), Some("PAY.HIST.G0001V00"));
    assert_eq!(named(-3), None);
    assert_eq!(named(1), None);
    assert_eq!(contents.next_generation(&base, 2).number, 6);
}

#[test]
fn the_oldest_leaves_at_the_limit_and_all_with_empty() {
    let mut contents = group(3, |_| ());
    let left: Vec<Vec<u16>> = (1..=5).map(|n| add(&mut contents, n)).collect();
    assert_eq!(left, [vec![], vec![], vec![], vec![1], vec![2]]);
    assert_eq!(numbers(&contents), [3, 4, 5]);

    let mut contents = group(3, |gdg| gdg.empty = true);
    let left: Vec<Vec<u16>> = (1..=5).map(|n| add(&mut contents, n)).collect();
    assert_eq!(left, [vec![], vec![], vec![], vec![1, 2, 3], vec![]]);
    assert_eq!(numbers(&contents), [4, 5]);
}

#[test]
fn after_9999_comes_1() {
    let mut contents = group(3, |_| ());
    for number in [9_998, 9_999] {
        add(&mut contents, number);
    }
    let base = name("PAY.HIST");
    assert_eq!(contents.next_generation(&base, 1).number, 1);
    assert_eq!(add(&mut contents, 1), []);
    assert_eq!(add(&mut contents, 2), [9_998]);
    assert_eq!(numbers(&contents), [9_999, 1, 2]);
    assert_eq!(contents.next_generation(&base, 1).number, 3);
}

#[test]
fn a_new_version_takes_the_place_of_the_old_one() {
    let mut contents = group(3, |_| ());
    add(&mut contents, 1);
    let new = data_set("PAY.HIST.G0001V01", None);
    let rolled = contents.add_generation(new, today()).expect("added");
    assert_eq!(rolled[0].entry.name().as_str(), "PAY.HIST.G0001V00");
    assert_eq!(contents.generations(&name("PAY.HIST")).len(), 1);
}

/// Somebody may have it open: who takes it out sees to that.
#[test]
fn a_cluster_that_goes_is_named_and_stays_until_it_is_taken_out() {
    let mut contents = group(2, |_| ());
    let volume = common::everything().volumes().next().expect("a volume").clone();
    contents.add_volume(volume).expect("new");
    let new = |number| common::cluster(&format!("PAY.HIST.{number}"));
    for number in ["G0001V00", "G0002V00"] {
        assert_eq!(contents.add_generation(new(number), today()).expect("added"), []);
    }
    let rolled = contents.add_generation(new("G0002V01"), today()).expect("added");
    let names =
        |rolled: &[cica_catalog::generation::Rolled]| Vec::from_iter(rolled.iter().map(|r| r.entry.name().to_string()));
    // The version before goes, and nothing else: it counts no more.
    assert_eq!(names(&rolled), ["PAY.HIST.G0002V00"]);
    assert!(!rolled[0].is_out());
    assert_eq!(contents.generations(&name("PAY.HIST")).len(), 3);
    contents.remove(rolled[0].entry.name()).expect("there");
    let rolled = contents
        .add_generation(data_set("PAY.HIST.G0003V00", None), today())
        .expect("added");
    assert_eq!(names(&rolled), ["PAY.HIST.G0001V00"]);
    assert_eq!(contents.leftovers().count(), 0);
}

#[test]
fn one_older_than_a_full_group_is_refused() {
    let mut contents = group(2, |_| ());
    for number in [5, 6] {
        add(&mut contents, number);
    }
    let refused = contents.add_generation(data_set("PAY.HIST.G0004V00", None), today());
    assert!(matches!(refused, Err(CatalogError::GenerationTooOld { .. })));
}

#[test]
fn data_go_with_scratch_when_expired_or_with_purge() {
    for (scratch, purge, expires, goes) in [
        (true, false, None, true),
        (false, false, None, false),
        (true, false, Some(date(2030, 1)), false),
        (true, true, Some(date(2030, 1)), true),
        (true, false, Some(today()), true),
    ] {
        let mut contents = group(1, |gdg| (gdg.scratch, gdg.purge) = (scratch, purge));
        contents
            .add_generation(data_set("PAY.HIST.G0001V00", expires), today())
            .expect("added");
        let rolled = contents
            .add_generation(data_set("PAY.HIST.G0002V00", None), today())
            .expect("added");
        assert_eq!(rolled[0].scratch, goes, "{scratch} {purge} {expires:?}");
    }
}
