//! The index record against what is known of records that IBM's VSAM wrote.

mod samples;

use cica_format::index::{BaseRba, IndexEntry, IndexRecord};
use samples::hex;

const BASE: BaseRba = BaseRba {
    ci_per_ca: 45,
    ci_size: 4096,
    index_ci_size: 1024,
};

/// A sequence-set record with keys of EBCDIC digits.
fn digits(keys: &[(&str, u32)]) -> IndexRecord {
    let ebcdic = |key: &str| key.bytes().map(|digit| digit - b'0' + 0xF0).collect();
    let entries = keys
        .iter()
        .map(|&(key, pointer)| IndexEntry {
            separator: ebcdic(key),
            pointer,
        })
        .collect();
    IndexRecord {
        level: 1,
        ca: 0,
        next: u32::MAX,
        entries,
        free: vec![],
    }
}

/// Encodes `record` into a CI of `ci_size` and expects it to end in `tail` and to decode to itself.
fn assert_tail(record: &IndexRecord, ci_size: usize, per_section: usize, tail: &str) {
    let mut image = vec![0xEE; ci_size];
    let base = BaseRba {
        index_ci_size: ci_size as u32,
        ..BASE
    };
    record
        .encode_in_sections(&mut image, base, per_section)
        .expect("it fits");
    let tail = hex(tail);
    let start = ci_size - tail.len();
    assert!(
        image[start..] == tail,
        "written:\n{:02X?}\ndumped:\n{tail:02X?}",
        &image[start..]
    );
    assert_eq!(IndexRecord::decode(&image, base).as_ref(), Ok(record));
}

#[test]
fn a_dumped_record_in_sections_of_two() {
    let keys = [
        ("0000247", 0x00),
        ("0000248", 0x01),
        ("000024", 0x02),
        ("00002501", 0x0C),
        ("00002502", 0x0B),
        ("00002503", 0x0A),
        ("00002504", 0x09),
        ("00002505", 0x08),
        ("00002506", 0x07),
        ("00002507", 0x06),
        ("00002508", 0x05),
        ("0000250", 0x04),
        ("00002510", 0x03),
        ("00002511", 0x0D),
    ];
    let tail = "0000 F1F1 06020D F1F0 060203
        000A 070004 F8 070105
        000A F7 070106 F6 070107
        000A F5 070108 F4 070109
        000A F3 07010A F2 07010B
        000C F5F0F1 05030C 060002
        000F F0F0F0F0F2F4F8 000701 F0F0F0F0F2F4F7 000700
        0007F9 07F90000";
    assert_tail(&digits(&keys), 2048, 2, tail);
}

#[test]
fn a_dumped_record_that_ends_its_level() {
    let keys = [
        ("0000003186", 0),
        ("0000003414", 1),
        ("0000003642", 2),
        ("0000003767", 3),
        ("0000003878", 4),
        ("0000003993", 5),
        ("0000004105", 6),
        ("0000004221", 7),
        ("0000004342", 8),
        ("000000445", 9),
        ("", 10),
    ];
    let tail = "0000 00000A F4F5 070209 F3F4F2 070308
        001A F0F0F0F0F0F0F4F2F2F1 000A07 F4F1F0F5 060406 F9F9F3 070305 F8F7F8 070304
        F7F6F7 070303 F6F4F2 070302 F4F1F4 070301 F0F0F0F0F0F0F3F1F8F6 000A00
        0003F9 03F90000";
    assert_tail(&digits(&keys), 1024, 8, tail);
}

#[test]
fn a_dumped_header_of_the_sequence_set() {
    // Not the keys of the dump, but as many and with as many characters.
    let mut keys: Vec<Vec<u8>> = (0..31).map(|n| vec![n + 1; 10]).collect();
    keys.extend([vec![0x80; 11], vec![]]);
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let free: Vec<u16> = (0x21..=0x2C).rev().collect();
    let mut image = vec![0xEE; 1024];
    samples::index_record(&keys, &free)
        .encode_in_sections(&mut image, BASE, 32)
        .expect("it fits");
    let header = hex("03F9 03 01 00000000 00000000 00000000 01 00 0024 0253 0263 2C2B2A29282726252423222100");
    assert_eq!(image[..header.len()], header);
}

#[test]
fn a_dumped_header_of_the_index_set() {
    let keys: [&[u8]; 3] = [&[1; 17], &[2; 17], &[]];
    let record = IndexRecord {
        level: 2,
        ..samples::index_record(&keys, &[])
    };
    let mut image = vec![0xEE; 1024];
    record.encode(&mut image, BASE).expect("it fits");
    let header = hex("03F9 05 07 00000000 00000000 00000000 02 00 0018 03C8 03C8 00");
    assert_eq!(image[..header.len()], header);
}

#[test]
fn base_and_horizontal_pointer_are_rbas() {
    let record = IndexRecord {
        ca: 4,
        next: 3,
        ..samples::index_record(&[b"A", b""], &[])
    };
    let mut image = vec![0; 1024];
    record.encode(&mut image, BASE).expect("it fits");
    assert_eq!(image[4..8], 737_280u32.to_be_bytes());
    assert_eq!(image[8..12], 3072u32.to_be_bytes());
    assert_eq!(image[17], 0);
}
