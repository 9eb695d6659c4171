//! The steps of the study of 1979 are made by COBOL programs too, and take as many requests as natively.
#![allow(clippy::unwrap_used)]

mod common;

use cica_study::{counted_1979, Cell, Launch, Setting, Steps, Table, STUDIES};
use common::{library, Workplace};

fn setting(place: &Workplace, steps: Steps) -> Setting {
    let directory = place.0.join("study");
    std::fs::create_dir_all(&directory).unwrap();
    let mut setting = Setting::new(directory);
    (setting.records, setting.rounds) = (Some(1_000), 1);
    setting.steps = steps;
    setting
}

/// Programs with this library in front of them.
fn launch() -> Launch {
    Launch {
        words: Vec::new(),
        environment: vec![("LD_PRELOAD".into(), library().into())],
    }
}

/// Requests natively and by COBOL, by the close of each.
fn counts(table: &Table) -> impl Iterator<Item = (&str, f64, f64)> {
    let at = |name: &str| table.columns.iter().position(|column| column == name).unwrap();
    let (natively, by_cobol) = (at("SMF 64"), at("COBOL"));
    table
        .rows
        .iter()
        .map(move |(row, cells)| match (&cells[natively], &cells[by_cobol]) {
            (Cell::Number(natively, _), Cell::Number(by_cobol, _)) => (&row[..], *natively, *by_cobol),
            other => panic!("{row}: {other:?}"),
        })
}

#[test]
fn cobol_programs_take_as_many_requests_as_steps_that_are_made_natively() {
    let place = Workplace::new("study");
    let (tables, words) = counted_1979(&setting(&place, Steps::Cobol(launch()))).unwrap();
    let (mut same, mut all) = (0, 0);
    for (row, natively, by_cobol) in tables.iter().flat_map(counts) {
        all += 1;
        same += u32::from(natively == by_cobol);
        // A REWRITE looks for its record, and a READ of what is not there reads no further: study-results.md.
        if row.ends_with("random update") {
            assert!(by_cobol >= natively, "{row}: {natively} and {by_cobol}");
        } else if !row.ends_with("random insert") {
            assert_eq!(natively, by_cobol, "{row}");
        }
    }
    let of_vsam1 = |step: &str| {
        counts(&tables[0])
            .find(|(row, ..)| *row == format!("VSAM1 {step}"))
            .unwrap()
    };
    let (_, natively, by_cobol) = of_vsam1("random insert");
    assert!((by_cobol / natively - 1.0).abs() < 0.03, "{natively} and {by_cobol}");
    assert_eq!(all, 27 + 22);
    let told = format!("COBOL: {same} of {all} rows take as many requests as natively.");
    assert!(words.contains(&told) && same >= 39, "{told} {words:?}");
}

#[test]
fn programs_that_cannot_be_started_are_told_or_left_out() {
    let place = Workplace::new("study-without");
    // Their file stays with libcob, so no close is counted.
    let without = Launch::default();
    let none = Launch {
        words: vec![place.0.join("gone").into()],
        ..Launch::default()
    };
    for launch in [without, none] {
        let study = STUDIES.iter().find(|study| study.name == "1979").unwrap();
        let refused = (study.run)(&setting(&place, Steps::Cobol(launch.clone())));
        let _ = std::fs::remove_dir_all(place.0.join("study"));
        assert!(refused.is_err(), "{launch:?}");
    }
    let auto = Steps::Auto(Launch {
        words: vec![place.0.join("gone").into()],
        ..Launch::default()
    });
    let (tables, words) = counted_1979(&setting(&place, auto)).unwrap();
    assert!(
        words[0].starts_with("COBOL: the steps are made natively alone: "),
        "{words:?}"
    );
    assert!(tables[0]
        .rows
        .iter()
        .all(|(_, cells)| cells.last() == Some(&Cell::None)));
}
