//! Records of alternate indexes: bytes, adding and removing pointers, damage.

mod samples;

use cica_format::aix::{add, begin, push, record_len, remove, AixRecord, Pointers, HEADER_LEN, MOST_POINTERS};
use cica_format::FormatError;
use proptest::collection::vec;
use proptest::prelude::*;
use samples::hex;

fn of(kind: Pointers, key: &[u8], pointers: &[&[u8]]) -> Vec<u8> {
    let mut record = vec![0xEE; 3];
    begin(&mut record, kind, key);
    for pointer in pointers {
        add(&mut record, pointer).expect("it has room");
    }
    record
}

#[test]
fn the_bytes_of_records() {
    assert!(![Pointers::Keys(1), Pointers::Rba, Pointers::Xrba]
        .iter()
        .any(|pointers| pointers.is_empty()));
    let over_ksds = of(Pointers::Keys(3), b"AB", &[b"001", b"000"]);
    assert_eq!(over_ksds, hex("01 03 0002 02 4142 303031 303030"));
    let over_esds = of(Pointers::Rba, b"AB", &[&[0, 0, 1, 2]]);
    assert_eq!(over_esds, hex("00 04 0001 02 4142 00000102"));
    let over_long_esds = of(Pointers::Xrba, b"A", &[&[0, 0, 0, 9, 0, 0, 1, 2]]);
    assert_eq!(over_long_esds, hex("00 08 0001 01 41 0000000900000102"));
}

#[test]
fn pointers_stay_in_order_of_arrival() {
    let mut record = of(Pointers::Keys(1), b"K", &[b"c", b"a", b"b"]);
    let read = AixRecord::read(&record).expect("it is one");
    assert_eq!(read.pointers().collect::<Vec<_>>(), [b"c", b"a", b"b"]);
    assert_eq!(
        (read.place(b"a"), read.place(b"x"), read.pointer(1), read.pointer(3)),
        (Some(1), None, Some(&b"a"[..]), None)
    );
    assert_eq!(remove(&mut record, b"a"), Ok(Some(2)));
    assert_eq!(record, of(Pointers::Keys(1), b"K", &[b"c", b"b"]));
    assert_eq!(remove(&mut record, b"a"), Ok(None));
    assert_eq!(record, of(Pointers::Keys(1), b"K", &[b"c", b"b"]));
    assert_eq!(remove(&mut record, b"c"), Ok(Some(1)));
    assert_eq!(remove(&mut record, b"b"), Ok(Some(0)));
    assert_eq!(AixRecord::read(&record).map(|r| r.count()), Ok(0));
}

#[test]
fn the_count_ends_at_what_two_bytes_tell() {
    let mut record = Vec::new();
    begin(&mut record, Pointers::Rba, b"K");
    for n in 0..MOST_POINTERS as u32 {
        // The count is set below: adding one by one would read all of them each time.
        record.extend_from_slice(&n.to_be_bytes());
    }
    record[2..4].copy_from_slice(&(MOST_POINTERS as u16).to_be_bytes());
    assert_eq!(record.len(), record_len(Pointers::Rba, 1, MOST_POINTERS));
    let before = record.clone();
    assert!(matches!(
        add(&mut record, &[0; 4]),
        Err(FormatError::Field {
            field: "number of pointers",
            value: 65_536,
            ..
        })
    ));
    assert_eq!(record, before);
    assert_eq!(remove(&mut record, &7u32.to_be_bytes()), Ok(Some(MOST_POINTERS - 1)));
    assert_eq!(add(&mut record, &[0xFF; 4]), Ok(()));
}

#[test]
fn a_pointer_of_another_length_is_refused() {
    let mut record = of(Pointers::Keys(3), b"K", &[b"001"]);
    assert!(add(&mut record, b"0001").is_err());
    assert_eq!(record, of(Pointers::Keys(3), b"K", &[b"001"]));
}

#[test]
fn what_is_no_record_is_refused() {
    let good = of(Pointers::Keys(3), b"AB", &[b"001", b"002"]);
    for cut in 0..good.len() {
        assert!(
            matches!(AixRecord::read(&good[..cut]), Err(FormatError::Short { .. })),
            "cut at {cut}"
        );
    }
    assert!(AixRecord::read(&[good.clone(), vec![0]].concat()).is_err());
    for (flag, len) in [(0, 3), (0, 0), (1, 0), (2, 4), (0x80, 4)] {
        let mut bad = good.clone();
        (bad[0], bad[1]) = (flag, len);
        assert!(AixRecord::read(&bad).is_err(), "flag {flag}, pointers of {len}");
    }
}

#[test]
fn a_pushed_pointer_is_an_added_one() {
    let (mut pushed, mut added) = (of(Pointers::Rba, b"KEY", &[]), of(Pointers::Rba, b"KEY", &[]));
    for n in [7u32, 0x0102_0304] {
        push(&mut pushed, &n.to_be_bytes());
        add(&mut added, &n.to_be_bytes()).expect("it has room");
        assert_eq!(pushed, added);
    }
}

#[test]
fn messages_name_the_bytes_and_what_they_must_be() {
    let good = of(Pointers::Keys(3), b"AB", &[b"001", b"002"]);
    assert!(
        AixRecord::read_of(&good, Pointers::Keys(3), 2, true).is_err(),
        "it is of no chain"
    );
    let of_index = |kind, key_len| AixRecord::read_of(&good, kind, key_len, false).map(|record| record.count());
    assert_eq!(of_index(Pointers::Keys(3), 2), Ok(2));
    let message = |refused: Result<usize, FormatError>| refused.expect_err("it is none").to_string();
    let read = |bytes: &[u8]| message(AixRecord::read(bytes).map(|record| record.count()));
    for (said, expected) in [
        (
            message(of_index(Pointers::Keys(4), 2)),
            "pointer length is 3 (X'3') but must be that of the index's pointers",
        ),
        (
            message(of_index(Pointers::Keys(3), 3)),
            "key length is 2 (X'2') but must be that of the index's alternate keys",
        ),
        (
            message(
                AixRecord::read_of(&of(Pointers::Rba, b"A", &[]), Pointers::Rba, 1, false).map(|record| record.count()),
            ),
            "number of pointers is 0 (X'0') but must be from 1 to 65,535",
        ),
        (
            read(&[&good[..], b"12345"].concat()),
            "bytes behind the last pointer is 5 (X'5') but must be 0",
        ),
        (
            read(&hex("03 05 0000 00")),
            "flag and pointer length is 773 (X'305') but must be X'01' and 1 to 255, or X'00' and 4 or 8",
        ),
    ] {
        assert_eq!(said, format!("alternate index record: {expected}"));
    }
}

proptest! {
    #[test]
    fn whatever_was_added_and_not_removed_is_there(
        key in vec(any::<u8>(), 1..=255),
        changes in vec((any::<bool>(), 0u8..20), 0..80),
    ) {
        let mut record = Vec::new();
        begin(&mut record, Pointers::Keys(2), &key);
        let mut expected: Vec<[u8; 2]> = Vec::new();
        for (adds, n) in changes {
            let pointer = [n, n ^ 0x55];
            if adds {
                add(&mut record, &pointer).expect("it has room");
                expected.push(pointer);
            } else {
                let there = expected.iter().position(|p| *p == pointer);
                let left = remove(&mut record, &pointer).expect("it is a record");
                prop_assert_eq!(left.is_some(), there.is_some());
                there.map(|at| expected.remove(at));
            }
            let read = AixRecord::read(&record).expect("it is a record");
            prop_assert_eq!(read.key, &key[..]);
            prop_assert_eq!(read.pointers().collect::<Vec<_>>(), expected.iter().map(|p| &p[..]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_bytes_make_it_panic(mut bytes in vec(any::<u8>(), 0..60)) {
        if let Ok(read) = AixRecord::read(&bytes) {
            prop_assert_eq!(bytes.len(), HEADER_LEN + read.key.len() + read.count() * read.kind.len());
        }
        let _ = add(&mut bytes, &[1, 2, 3, 4]);
        let _ = remove(&mut bytes, &[1, 2, 3, 4]);
    }
}
