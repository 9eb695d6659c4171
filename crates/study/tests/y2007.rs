//! The SMF records of the example of 2007 come out as they were printed, each field.

#![allow(clippy::unwrap_used)]

use cica_study::{Cell, Setting, STUDIES};

#[test]
fn each_field_is_what_was_printed() {
    let directory = std::env::temp_dir().join(format!("cica-study-2007-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let study = STUDIES.iter().find(|study| study.name == "2007").unwrap();
    let report = (study.run)(&Setting::new(directory.clone()));
    std::fs::remove_dir_all(&directory).unwrap();
    let report = report.unwrap();
    println!("{}", report.text());
    let [fields, percents] = &report.tables[..] else {
        panic!("two tables")
    };
    assert_eq!((fields.rows.len(), percents.rows.len()), (10, 2));
    for (row, cells) in fields.rows.iter().chain(&percents.rows[1..]) {
        for pair in cells.chunks(2) {
            assert!(matches!(pair[0], Cell::Number(..)), "{row}");
            assert_eq!(pair[0], pair[1], "{row}");
        }
    }
    // 9 of 20, which the source calls a half.
    let first: Vec<Cell> = percents.rows[0].1.iter().skip(1).step_by(2).cloned().collect();
    assert_eq!(first, [45.0, 0.0, 55.0].map(|percent| Cell::Number(percent, 0)));
}
