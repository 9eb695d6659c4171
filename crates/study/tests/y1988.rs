//! The study of 1988 comes out as it was printed.

#![allow(clippy::unwrap_used)]

use cica_study::{Cell, Report, Setting, Table, STUDIES};

fn run(name: &str, records: Option<u64>, rounds: usize) -> Report {
    let directory = std::env::temp_dir().join(format!("cica-study-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let study = STUDIES.iter().find(|study| study.name == "1988").unwrap();
    let mut setting = Setting::new(directory.clone());
    setting.records = records;
    setting.rounds = rounds;
    let report = (study.run)(&setting);
    std::fs::remove_dir_all(&directory).unwrap();
    let report = report.unwrap();
    println!("{}", report.text());
    report
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    let at = table.columns.iter().position(|column| column == name).unwrap();
    let of = |(_, cells): &(String, Vec<Cell>)| match cells[at] {
        Cell::Number(number, _) | Cell::Percent(number) => number,
        _ => panic!("no number in {name}"),
    };
    table.rows.iter().map(of).collect()
}

#[test]
fn what_was_counted_in_1988_is_counted_again() {
    let report = run("full", None, 1);
    let [qsam, qsam_times, esds, esds_times, pools, pool_times, factors, ..] = &report.tables[..] else {
        panic!("seven tables and more")
    };
    for table in [qsam, esds] {
        let off = column(table, "off");
        assert!(off.iter().all(|percent| percent.abs() <= 10.0), "{off:?}");
    }
    // Blocks that hold ten records, or 58: 12,200 and 2,104 of them.
    let blocks = [24_400.0, 24_400.0, 14_304.0, 4_208.0, 4_208.0];
    assert_eq!(column(qsam, "EXCP now"), blocks);
    // 5 blocks with a request, or 30, or 240K.
    assert_eq!(column(qsam, "I/Os"), [4880.0, 814.0, 407.0 + 211.0, 842.0, 422.0]);
    let near = column(qsam_times, "differs")
        .into_iter()
        .chain(column(esds_times, "differs"));
    let near: Vec<f64> = near.collect();
    assert!(near.iter().all(|percent| percent.abs() <= 60.0), "{near:?}");
    for (fitted, then) in [qsam_times, esds_times].map(|t| (column(t, "fitted"), column(t, "CPU s then"))) {
        assert!(fitted
            .iter()
            .zip(&then)
            .all(|(fitted, then)| (fitted / then - 1.0).abs() <= 0.15));
    }
    // The first and the last were fitted; the others are what the pools make of the same requests.
    let off = column(pools, "off");
    assert!(
        off.iter()
            .zip([2.0, 20.0, 10.0, 2.0])
            .all(|(off, most)| off.abs() <= most),
        "{off:?}"
    );
    let near = column(pool_times, "differs");
    assert!(near.iter().all(|percent| percent.abs() <= 35.0), "{near:?}");
    assert_eq!((factors.rows.len(), pools.rows.len()), (6, 4));
}

#[test]
fn the_requests_of_a_small_copy_are_those_that_are_worked_out_by_hand() {
    let report = run("small", Some(1_600), 2);
    let (qsam, esds) = (&report.tables[0], &report.tables[2]);
    // 160 blocks of ten records, 28 of 58.
    assert_eq!(column(qsam, "EXCP now"), [320.0, 320.0, 188.0, 56.0, 56.0]);
    assert_eq!(column(qsam, "I/Os"), [64.0, 12.0, 6.0 + 3.0, 12.0, 6.0]);
    // In 4K, 160 CIs in control areas of 150 and 10; in 24K, 27 of 61 records, in control areas of 26 and 1.
    // BUFND 2 moves one with a request. 16 buffers begin with 15, and go on by 11 of 4K (ten records in each) or 13 of
    // 24K (61); 32 begin with 31 and go on by 23 or 27. Written are as many with a request as go on. A track of ten CIs
    // of 4K, or one of 24K, is formatted with a request.
    let area = |first: u64, next: u64, cis: u64| 1 + cis.saturating_sub(first).div_ceil(next);
    let both = |first, next, areas: [u64; 2]| areas.iter().map(|&cis| area(first, next, cis)).sum::<u64>();
    let (small, large) = ([150, 10], [26, 1]);
    let (small_formats, large_formats) = (2 * 15, 2 * 26);
    let wanted = [
        160 + 27 + large_formats,
        160 + 160 + small_formats,
        both(15, 11, small) + both(11, 11, small) + small_formats,
        both(31, 23, small) + both(23, 23, small) + small_formats,
        27 + 27 + large_formats,
        both(15, 13, large) + both(13, 13, large) + large_formats,
        both(31, 27, large) + both(27, 27, large) + large_formats,
    ];
    assert_eq!(column(esds, "EXCP now"), wanted.map(|count| count as f64));
    // And today: each option makes the requests that it made above, and the defaults fewer.
    let (today, verdicts) = (&report.tables[7], &report.tables[8]);
    let planned = |at: &[f64]| [&at[2..7], &at[9..]].concat();
    let above = [column(qsam, "I/Os"), column(esds, "EXCP now")].concat();
    for state in ["cold EXCPs", "warm EXCPs"] {
        let counted = column(today, state);
        assert_eq!(planned(&counted), above, "{state}");
        // 640,000 bytes, 131,072 with a request.
        assert_eq!(counted[0], 10.0);
        assert!((2.0..20.0).contains(&counted[7]), "{}", counted[7]);
    }
    assert_eq!((today.rows.len(), verdicts.rows.len()), (2 + 5 + 2 + 7, 2 * 2));
    assert!(report
        .notes
        .iter()
        .any(|note| note.starts_with("and today, elapsed: the defaults")));
    // A plot of EXCPs, times of then and CPU of then, and one of here, for each figure; and a page that needs nothing.
    assert_eq!(report.plots.len(), 2 * 4);
    assert_eq!(report.plots[0].lines[1].points, [(5.0, 320.0), (32.0, 320.0)]);
    assert_eq!(
        report.plots[4].lines[1].points,
        [(2.0, 350.0), (16.0, 60.0), (32.0, 46.0)]
    );
    let page = report.html();
    assert_eq!(page.matches("<svg").count(), 8);
    assert_eq!(page.matches("<table").count(), report.tables.len());
    for outside in ["<script", "<link", "src=", "href=", "url(", "http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // Nothing is compared with what was printed of more records.
    assert!(qsam.rows.iter().all(|(_, cells)| cells[5] == Cell::None));
}
