//! The catalog's bytes: what is written is read again, and nothing else is taken for a catalog.

mod common;

use cica_catalog::wire::{self, Header, WireError, HEADER_LEN, ITEM_HEAD, ITEM_TAIL};
use cica_catalog::Contents;
use cica_format::checksum::crc32c;

/// What opening a file of these bytes does.
fn read(bytes: &[u8]) -> Result<Contents, WireError> {
    let header = Header::decode(bytes)?;
    header.check_length(bytes.len() as u64)?;
    wire::decode(&header, &bytes[HEADER_LEN..])
}

fn damaged(bytes: &[u8]) -> bool {
    matches!(read(bytes), Err(WireError::Damaged { .. }))
}

/// Gives the header the checksum that fits it.
fn seal_header(bytes: &mut [u8]) {
    let checksum = crc32c(&bytes[..36]).to_le_bytes();
    bytes[36..40].copy_from_slice(&checksum);
}

#[test]
fn every_kind_of_entry_is_read_as_it_was_written() {
    let contents = common::everything();
    let (header, bytes) = wire::encode(&contents, 7);
    assert_eq!(read(&bytes).as_ref(), Ok(&contents));
    assert_eq!(Header::decode(&bytes), Ok(header));
    assert_eq!(header.generation(), 7);
}

#[test]
fn an_empty_catalog_is_a_catalog() {
    let (_, bytes) = wire::encode(&Contents::default(), 1);
    assert_eq!(bytes.len(), HEADER_LEN);
    assert_eq!(read(&bytes), Ok(Contents::default()));
}

#[test]
fn every_flipped_bit_is_found() {
    let (_, good) = wire::encode(&common::everything(), 3);
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(damaged(&bytes), "bit {bit} of {}", good.len() * 8);
    }
}

#[test]
fn every_truncation_and_every_addition_is_found() {
    let (_, good) = wire::encode(&common::everything(), 3);
    for length in 0..good.len() {
        assert!(damaged(&good[..length]), "{length} bytes");
    }
    let mut longer = good;
    longer.push(0);
    assert!(damaged(&longer));
}

/// Where the item at `at` begins and ends.
fn item(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().expect("four bytes")) as usize;
    at..at + ITEM_HEAD + length + ITEM_TAIL
}

#[test]
fn an_item_left_out_or_doubled_is_found_even_if_the_length_fits() {
    let (_, good) = wire::encode(&common::everything(), 3);
    let first = item(&good, HEADER_LEN);
    let mut without = good.clone();
    without.drain(first.clone());
    let mut twice = good.clone();
    twice.splice(first.end..first.end, good[first].to_vec());
    for bytes in [&mut without, &mut twice] {
        let length = (bytes.len() - HEADER_LEN) as u64;
        bytes[24..32].copy_from_slice(&length.to_le_bytes());
        seal_header(bytes);
        assert!(damaged(bytes));
    }
}

#[test]
fn an_item_in_the_place_of_another_is_found_even_if_count_and_length_fit() {
    let (_, mut bytes) = wire::encode(&common::everything(), 3);
    let first = item(&bytes, HEADER_LEN);
    let second = item(&bytes, first.end);
    let swapped = [&bytes[second.clone()], &bytes[first.clone()]].concat();
    bytes[first.start..second.end].copy_from_slice(&swapped);
    assert!(damaged(&bytes));
}

#[test]
fn a_newer_version_is_told_from_damage() {
    let (_, mut bytes) = wire::encode(&common::everything(), 3);
    bytes[8..12].copy_from_slice(&(wire::VERSION + 1).to_le_bytes());
    assert!(damaged(&bytes), "a version that the checksum does not cover is damage");
    seal_header(&mut bytes);
    assert_eq!(
        read(&bytes),
        Err(WireError::Newer {
            found: wire::VERSION + 1
        })
    );
    bytes[8..12].copy_from_slice(&0u32.to_le_bytes());
    seal_header(&mut bytes);
    assert!(damaged(&bytes), "there never was a version 0");
}

#[test]
fn the_message_names_file_and_place_and_says_what_to_do() {
    let (_, mut bytes) = wire::encode(&common::everything(), 3);
    bytes[HEADER_LEN + 20] ^= 1;
    let error = read(&bytes)
        .expect_err("damaged")
        .of("/home/me/.cica/catalog".as_ref())
        .to_string();
    for part in [
        "/home/me/.cica/catalog",
        "byte 40",
        "restore it from a backup",
        "RECATALOG",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

/// Bytes changed and the checksums made to fit: what a bug or an adversary can write. Any answer but a panic, an
/// endless loop or a huge allocation is right.
#[test]
fn well_sealed_nonsense_does_no_harm() {
    let (_, good) = wire::encode(&common::everything(), 3);
    let mut seed = 88u64;
    let mut below = |limit: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    };
    let mut read_anyway = 0;
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..=below(3) {
            let at = HEADER_LEN + below(bytes.len() - HEADER_LEN);
            bytes[at] = below(256) as u8;
        }
        reseal(&mut bytes);
        read_anyway += usize::from(read(&bytes).is_ok());
    }
    assert!(read_anyway > 0, "the seal works: some nonsense is a catalog");
}

/// Makes all checksums fit, as far as the items can be followed.
fn reseal(bytes: &mut [u8]) {
    let (mut at, mut items, mut checksums) = (HEADER_LEN, 0u32, Vec::new());
    while let Some(head) = bytes.get(at..at + ITEM_HEAD) {
        let end = at + ITEM_HEAD + u32::from_le_bytes(head[4..8].try_into().expect("four bytes")) as usize;
        if end + ITEM_TAIL > bytes.len() {
            break;
        }
        let checksum = crc32c(&bytes[at..end]).to_le_bytes();
        bytes[end..end + ITEM_TAIL].copy_from_slice(&checksum);
        checksums.extend_from_slice(&checksum);
        items += 1;
        at = end + ITEM_TAIL;
    }
    bytes[12..16].copy_from_slice(&items.to_le_bytes());
    let checksum = crc32c(&checksums).to_le_bytes();
    bytes[32..36].copy_from_slice(&checksum);
    seal_header(bytes);
}
