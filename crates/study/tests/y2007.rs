//! The SMF records of the example of 2007 come out as they were printed, each field.

#![allow(clippy::unwrap_used)]

use cica_study::{Cell, Setting, STUDIES};

#[test]
fn each_field_is_what_was_printed() {
    let directory = std::env::temp_dir().join(format!("cica-study-2007-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let study = STUDIES.iter().find(|study| study.name == "2007").unwrap();
    let mut setting = Setting::new(directory.clone());
    (setting.records, setting.rounds) = (Some(400), 1);
    let report = (study.run)(&setting);
    std::fs::remove_dir_all(&directory).unwrap();
    let report = report.unwrap();
    println!("{}", report.text());
    let [fields, percents, compared, pools] = &report.tables[..] else {
        panic!("four tables")
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
    // Three times the data hold all that read 1 read, and a fifth does not.
    assert_eq!((compared.rows.len(), pools.rows.len()), (5, 7));
    let found = |row: usize, column: usize| match pools.rows[row].1[column] {
        Cell::Number(number, _) => number,
        _ => panic!("{row}, {column}"),
    };
    assert_eq!([found(6, 2), found(6, 3)], [0.0, 100.0]);
    assert!(found(0, 3) < 60.0, "{}", found(0, 3));
    // Read 1 and read 2, a point for each pool.
    let points: Vec<usize> = report.plots[0].lines.iter().map(|line| line.points.len()).collect();
    assert_eq!(points, [7, 7]);
    assert!(report.html().contains("MB of the pool"));
}
