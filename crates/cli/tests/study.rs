//! Studies are measured and told as text, CSV and JSON.

#![allow(clippy::unwrap_used)]

mod common;

use common::Place;

#[test]
fn a_study_tells_its_own_figures_beside_those_that_were_published() {
    let place = Place::new();
    let (few, here) = (["--records", "2000", "--rounds", "1", "--directory"], place.path(""));
    let run = |more: &str| {
        let study = ["study", "2001"].into_iter().chain(few);
        let words: Vec<&str> = study.chain([here.to_str().unwrap(), more]).collect();
        place.run(&words)
    };
    let told = run("--json").json();
    let rows = told["tables"][1]["rows"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["row"] == name).unwrap();
    assert_eq!(row("BUFND 40, CPU, study")["compressed to compressed"], 3.29);
    assert_eq!(row("BUFND 40, CPU")["plain to plain"], 1.0);
    assert!(row("BUFND 4, elapsed")["plain to compressed"].as_f64().unwrap() > 0.0);
    assert!(run("--csv").done().starts_with("table,row,column,value\nSpace,"));
    let left = std::fs::read_dir(&here).unwrap().flatten();
    let left: Vec<_> = left
        .filter(|e| e.file_name().to_string_lossy().starts_with("cica-study"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(place.run(&["study", "1066"]).status, 64);
}
