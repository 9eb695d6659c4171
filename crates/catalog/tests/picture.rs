//! docs/format/catalog.md against the bytes: each byte and each field is in its table, and has the form it says there.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::wire::{self, HEADER_LEN};
use cica_format::checksum::crc32c;
use std::collections::{BTreeMap, BTreeSet};

/// Section -> the cells of its table's rows.
type Page = BTreeMap<String, Vec<Vec<String>>>;

fn page() -> Page {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format/catalog.md");
    let text = std::fs::read_to_string(path).expect(path);
    let mut page = Page::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.to_owned();
        } else if line.starts_with("| ") && !line.starts_with("| offset") && !line.starts_with("| tag") {
            let cells = line
                .trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect();
            page.entry(section.clone()).or_default().push(cells);
        }
    }
    page
}

fn le(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[test]
fn the_header_is_as_pictured() {
    let contents = common::everything();
    let (_, bytes) = wire::encode(&contents, 0x0102_0304_0506_0708);
    let mut at = 0;
    let mut fields = BTreeMap::new();
    for row in &page()["Header"] {
        let [offset, length] = [&row[0], &row[1]].map(|cell| cell.parse::<usize>().expect("a number"));
        assert_eq!(offset, at, "the table leaves nothing out");
        fields.insert(row[2].clone(), &bytes[offset..offset + length]);
        at = offset + length;
    }
    assert_eq!(at, HEADER_LEN);
    let entries = contents.volumes().count() + contents.entries().count();
    let items = entries + contents.moves().count() + contents.leftovers().count();
    assert_eq!(fields["magic"], b"CICA-CAT");
    assert_eq!(le(fields["version"]), 1);
    assert_eq!(le(fields["items"]), items as u64);
    assert_eq!(le(fields["generation"]), 0x0102_0304_0506_0708);
    assert_eq!(le(fields["length"]), (bytes.len() - HEADER_LEN) as u64);
    assert_eq!(le(fields["checksum"]), u64::from(crc32c(&bytes[..36])));
    let checksums: Vec<u8> = items_of(&bytes)
        .iter()
        .flat_map(|(_, item)| item[item.len() - 4..].to_vec())
        .collect();
    assert_eq!(le(fields["items checksum"]), u64::from(crc32c(&checksums)));
}

/// Kind and bytes of each item, by the page's description.
fn items_of(bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut items = Vec::new();
    let mut at = HEADER_LEN;
    while at < bytes.len() {
        let end = at + 12 + le(&bytes[at + 4..at + 8]) as usize;
        items.push((bytes[at], &bytes[at..end]));
        at = end;
    }
    items
}

#[test]
fn every_field_is_as_pictured_and_none_is_pictured_that_is_not_there() {
    let page = page();
    let kinds = [
        "Volume",
        "Cluster",
        "Alternate index",
        "Path",
        "Generation data group",
        "Non-VSAM data set",
        "Alias",
        "User catalog",
        "Move",
        "Leftover",
    ];
    let (_, bytes) = wire::encode(&common::everything(), 1);
    let mut used = BTreeSet::new();
    for (kind, item) in items_of(&bytes) {
        let (covered, checksum) = item.split_at(item.len() - 4);
        assert_eq!(le(checksum), u64::from(crc32c(covered)));
        assert_eq!(covered[1..4], [0; 3]);
        check(&page, kinds[kind as usize - 1], &covered[8..], &mut used);
    }
    for (section, rows) in page
        .iter()
        .filter(|(section, _)| *section != "Header" && *section != "Item")
    {
        for row in rows {
            let tag = row[0].parse().expect("a tag");
            assert!(
                used.contains(&(section.clone(), tag)),
                "{section} {tag} is in no entry of this test"
            );
        }
    }
}

/// Checks fields against the table of `section`, and those inside them.
fn check(page: &Page, section: &str, mut bytes: &[u8], used: &mut BTreeSet<(String, u8)>) {
    let mut seen = BTreeSet::new();
    while !bytes.is_empty() {
        let (tag, length) = (bytes[0], le(&bytes[1..5]) as usize);
        let (value, rest) = bytes[5..].split_at(length);
        bytes = rest;
        let row = page[section].iter().find(|row| row[0] == tag.to_string());
        let form = &row.unwrap_or_else(|| panic!("{section} {tag} is not pictured"))[2];
        let (form, many) = form
            .strip_suffix(", many")
            .map_or((form.as_str(), false), |form| (form, true));
        assert!(seen.insert(tag) || many, "{section} {tag} comes more than once");
        used.insert((section.to_owned(), tag));
        match form {
            "text" => assert!(!value.is_empty() && std::str::from_utf8(value).is_ok()),
            "bytes" => (),
            "number" => assert!(value.len() <= 8 && value.last().is_some_and(|last| *last != 0)),
            "flag" => assert_eq!(value, [1]),
            "date" => assert!((1..=366).contains(&(le(value) % 1000)) && (1900..2156).contains(&(le(value) / 1000))),
            other => check(page, other.strip_prefix("fields: ").expect(other), value, used),
        }
    }
}
