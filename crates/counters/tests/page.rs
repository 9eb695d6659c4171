//! The reference page of counters is what the table says. `CICA_BLESS=1` writes it.

use cica_counters::table::{Kind, Row, TABLE};
use std::fmt::Write;

const HEADINGS: [(&str, &str); 9] = [
    (
        "A data set that is open",
        "Shown by `cica stat` since the open, and added to those of the root in LISTCAT.",
    ),
    ("A component", "Data and index, each."),
    (
        "A string",
        "Only the string counts here; when it ends, what it counted is added to its data set.",
    ),
    ("A buffer pool", "Of each process."),
    ("Frames of a buffer pool", "Of each size."),
    (
        "Buffers that opens share (LSR)",
        "Of each process, each pool, and each size in it: `cica stat` of a data set that the process has open, and \
         `cica monitor`. Of\nmore than 32 sizes in a process the first are shown.",
    ),
    ("A lock table", "Of each process; that of `cica serve` is everybody's."),
    (
        "Requests for shared data sets",
        "Of `cica serve`, of each of its clients, and of each data set that they share: `cica server stats`.",
    ),
    ("SMF", "Of each process."),
];

fn page() -> String {
    let mut page = String::from(
        "# Counters\n\nWhat Cica counts. A *counter* grows from the open on; a *gauge* is what is so now. In metrics a name has \
         `cica_` in\nfront. A test makes this page from the table in `crates/counters/src/table.rs`; `cica stat --counters` \
         prints the same.\n",
    );
    for ((heading, words), rows) in HEADINGS.iter().zip(TABLE) {
        let _ = write!(page, "\n## {heading}\n\n{words}\n\n");
        page += "| name | kind | unit | counted at | SMF | LISTCAT | RMF | text |\n|---|---|---|---|---|---|---|---|\n";
        rows.iter().for_each(|row| page += &line(row));
    }
    page
}

fn line(row: &Row) -> String {
    let kind = match row.kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
    };
    let fields = [row.unit, row.counted, row.smf, row.listcat, row.rmf, row.text].map(|field| match field {
        "" => " |".to_owned(),
        field => format!(" {field} |"),
    });
    format!("| `{}` | {kind} |{}\n", row.name, fields.concat())
}

#[test]
fn the_page_is_what_the_table_says() {
    assert_eq!(HEADINGS.len(), TABLE.len());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/reference/counters.md");
    if std::env::var_os("CICA_BLESS").is_some() {
        std::fs::write(path, page()).expect("the page");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page(),
        "CICA_BLESS=1 cargo test -p cica-counters --test page writes {path} anew"
    );
}
