//! docs/format/dcollect.md against the bytes, and fields at their places.
#![allow(clippy::unwrap_used)]

use cica_admin::dcollect::record::{DcollectRecord, RecordField, Type, HEADER};
use cica_catalog::Date;
use cica_qsam::CodePage;

/// The fields of a section of the page.
fn pictured(section: &str) -> Vec<(String, usize, usize)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format/dcollect.md");
    let page = std::fs::read_to_string(path).unwrap();
    let section = page.split("\n## ").find(|part| part.starts_with(section)).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| DC"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (
            cells[1].to_owned(),
            cells[2].parse().unwrap(),
            cells[3].parse().unwrap(),
        )
    })
    .collect()
}

fn owned(fields: &[RecordField]) -> Vec<(String, usize, usize)> {
    fields
        .iter()
        .map(|(name, at, length)| ((*name).to_owned(), *at, *length))
        .collect()
}

#[test]
fn every_field_is_as_pictured_and_none_overlaps_another() {
    assert_eq!(pictured("Header"), owned(&HEADER));
    for (section, kind) in [("D:", Type::DataSet), ("A:", Type::Association), ("V:", Type::Volume)] {
        assert_eq!(pictured(section), owned(kind.fields()), "{section}");
        let mut end = 24;
        for (name, at, length) in kind.fields() {
            assert!(*at >= end, "{name} begins before {end}");
            end = at + length;
        }
        assert!(end <= kind.length(), "{section} {end}");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format/dcollect.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(&format!(", {} bytes\n", kind.length())), "{section}");
    }
}

#[test]
fn values_stand_at_their_places_in_their_forms() {
    // 2022-09-01 15:36:44: hundredths 5620400, day 244 of the year 122 after 1900.
    let mut record = DcollectRecord::new(
        Type::DataSet,
        CodePage::parse("1047").unwrap(),
        1_662_046_604_000_000_000,
    );
    record.text("DCDDSNAM", "PAY.MASTER");
    record.number("DCDALLSP", 0x0102_0304);
    record.number("DCDBKLNG", 1 << 20);
    record.date("DCDCREDT", Date::new(2022, 244));
    record.class("DCDDATCL", "FAST");
    let at = |offset: usize, length: usize| record.bytes()[offset - 4..offset - 4 + length].to_vec();
    assert_eq!(record.bytes().len(), 308);
    assert_eq!(at(4, 2), [0xC4, 0x40]);
    assert_eq!(at(12, 8), [0x00, 0x55, 0xC2, 0xB0, 0x01, 0x22, 0x24, 0x4F]);
    assert_eq!(at(24, 4), [0xD7, 0xC1, 0xE8, 0x4B]);
    assert_eq!(at(67, 1), [0x40]);
    assert_eq!(at(88, 4), [1, 2, 3, 4]);
    assert_eq!(at(84, 2), [0xFF, 0xFF]);
    assert_eq!(at(104, 4), [0x20, 0x22, 0x24, 0x4F]);
    assert_eq!(at(132, 6), [0, 4, 0xC6, 0xC1, 0xE2, 0xE3]);
}
