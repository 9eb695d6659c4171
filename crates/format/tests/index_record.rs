//! The index record by itself: what goes in comes out, and what cannot is refused.

mod samples;

use cica_format::index::{least_ci_size, section_size, BaseRba, IndexEntry, IndexFull, IndexRecord, RecordRef};
use cica_format::FormatError;
use proptest::collection::vec;
use proptest::prelude::*;
use samples::index_record;

const BASE: BaseRba = BaseRba {
    ci_per_ca: 180,
    ci_size: 4096,
    index_ci_size: 32_768,
};

fn encoded(record: &IndexRecord, base: BaseRba) -> Vec<u8> {
    let mut image = vec![0xEE; base.index_ci_size as usize];
    record.encode(&mut image, base).expect("the record can be laid out");
    image
}

#[test]
fn a_record_without_entries() {
    let record = index_record(&[], &[2, 1, 0]);
    assert_eq!(IndexRecord::decode(&encoded(&record, BASE), BASE), Ok(record));
}

#[test]
fn pointers_grow_with_the_ca() {
    for (ci_per_ca, len) in [(256, 1), (257, 2), (65_536, 2), (65_537, 3)] {
        let base = BaseRba { ci_per_ca, ..BASE };
        let mut record = index_record(&[b"KEY"], &[]);
        record.entries[0].pointer = ci_per_ca - 1;
        let image = encoded(&record, base);
        assert_eq!(image[2], 2 + len, "IXHFLPLN with {ci_per_ca} CIs per CA");
        assert_eq!(IndexRecord::decode(&image, base), Ok(record));
    }
}

#[test]
fn rbas_above_four_gigabytes() {
    for ca in [5825, 5826, 23_860_929] {
        let record = IndexRecord {
            ca,
            next: 131_071,
            ..index_record(&[b"KEY"], &[])
        };
        assert_eq!(IndexRecord::decode(&encoded(&record, BASE), BASE), Ok(record));
    }
    let record = IndexRecord {
        ca: 23_860_930,
        ..index_record(&[b"KEY"], &[])
    };
    assert_eq!(
        record.encode(&mut [0; 512], BASE),
        Err(IndexFull::Base { ca: 23_860_930 })
    );
}

#[test]
fn the_next_record_may_be_any() {
    for next in [0, 1, 131_071, 131_072, u32::MAX - 1, u32::MAX] {
        let record = IndexRecord {
            next,
            ..index_record(&[b"KEY"], &[])
        };
        assert_eq!(IndexRecord::decode(&encoded(&record, BASE), BASE), Ok(record));
    }
}

#[test]
fn what_cannot_be_laid_out_is_refused() {
    let refused = |record: IndexRecord| record.encode(&mut [0; 512], BASE).expect_err("it cannot be laid out");
    let entry = |pointer| IndexEntry {
        separator: b"KEY".to_vec(),
        pointer,
    };
    let with = |entries| IndexRecord {
        entries,
        ..index_record(&[], &[])
    };
    assert_eq!(refused(with(vec![entry(180)])), IndexFull::Pointer { pointer: 180 });
    assert_eq!(
        refused(IndexRecord {
            level: 2,
            ..with(vec![entry(1 << 24)])
        }),
        IndexFull::Pointer { pointer: 1 << 24 }
    );
    assert_eq!(refused(index_record(&[], &[180])), IndexFull::Pointer { pointer: 180 });
    assert_eq!(
        refused(index_record(&[&[1; 256]], &[])),
        IndexFull::Separator { len: 256 }
    );
    assert_eq!(refused(index_record(&[b"B", b"A"], &[])), IndexFull::Order { entry: 1 });
    assert_eq!(
        refused(index_record(&[b"A", b"", b""], &[])),
        IndexFull::Order { entry: 2 }
    );
    assert_eq!(
        refused(IndexRecord {
            level: 0,
            ..index_record(&[], &[])
        }),
        IndexFull::Level
    );
    let long: Vec<Vec<u8>> = (1..=3).map(|n| vec![n; 200]).collect();
    let long: Vec<&[u8]> = long.iter().map(Vec::as_slice).collect();
    assert_eq!(
        refused(index_record(&long, &[])),
        IndexFull::Space {
            need: 24 + 3 * 203 + 2,
            have: 505
        }
    );
}

#[test]
fn messages_say_what_cannot_be_laid_out() {
    for (why, said) in [
        (
            IndexFull::Space { need: 600, have: 505 },
            "it takes 600 bytes but the index CI has 505 for it; use larger index CIs",
        ),
        (
            IndexFull::Pointer { pointer: 180 },
            "CI number 180 is above what the pointers of its level can hold",
        ),
        (
            IndexFull::Separator { len: 256 },
            "a key of 256 bytes; the longest has 255",
        ),
        (IndexFull::Order { entry: 2 }, "entry 2 is below the one before it"),
        (IndexFull::Level, "its level is 0; the lowest is 1"),
        (
            IndexFull::Base { ca: 9 },
            "CA 9 lies beyond the largest RBA of a data set",
        ),
    ] {
        assert_eq!(why.to_string(), format!("index record: {said}"));
    }
}

#[test]
fn a_separator_stands_for_itself_and_xff() {
    // "AB" means "AB" X'FFFF...': nothing of the three is below its predecessor, "AC" X'FF' after "AD" would be.
    let record = index_record(&[b"AB", b"AB\xFF", b"AB", b"AC\x01", b"AC"], &[]);
    assert_eq!(IndexRecord::decode(&encoded(&record, BASE), BASE), Ok(record));
    let refused = index_record(&[b"AB", b"AB\xFE"], &[]).encode(&mut [0; 512], BASE);
    assert_eq!(refused, Err(IndexFull::Order { entry: 1 }));
}

#[test]
fn a_record_fits_to_the_byte() {
    let keys: [&[u8]; 3] = [b"ADAMS", b"BAKER", b""];
    let record = index_record(&keys, &[3]);
    // Header, one free CI, 10 key characters, F, L and P three times, one section field, RDF and CIDF.
    let len = 24 + 1 + 10 + 9 + 2 + 7;
    assert!(record.fits(len, 180) && !record.fits(len - 1, 180));
    assert_eq!(record.encode(&mut vec![0; len], BASE), Ok(()));
    let full = record.encode(&mut vec![0; len - 1], BASE);
    assert_eq!(
        full,
        Err(IndexFull::Space {
            need: len - 7,
            have: len - 8
        })
    );
}

#[test]
fn what_neighbours_share_takes_no_room() {
    let record = index_record(&[b"ADAMSONS", b"ADAMSON", b"ADAMS", b""], &[]);
    // Header, 8 key characters, F, L and P four times, one section field, RDF and CIDF.
    let len = 24 + 8 + 12 + 2 + 7;
    assert!(record.fits(len, 180) && !record.fits(len - 1, 180));
    let base = BaseRba {
        index_ci_size: len as u32,
        ..BASE
    };
    let mut image = vec![0xEE; len];
    assert_eq!(record.encode(&mut image, base), Ok(()));
    assert_eq!(IndexRecord::decode(&image, base), Ok(record.clone()));
    // The same from separators that lie elsewhere.
    let entries: Vec<(&[u8], u32)> = record.entries.iter().map(|e| (&e.separator[..], e.pointer)).collect();
    let lent = RecordRef {
        level: record.level,
        ca: record.ca,
        next: record.next,
        entries: &entries,
        free: &record.free,
    };
    let mut other = vec![0xEE; len];
    assert_eq!(lent.encode(&mut other, base), Ok(()));
    assert_eq!(other, image);
}

/// Separators of 200 bytes that differ in the last come to many times the CI when they are read.
#[test]
fn separators_come_to_more_than_their_ci() {
    let keys: Vec<Vec<u8>> = (0..100).map(|n| [&[b'K'; 199][..], &[n]].concat()).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let record = index_record(&keys, &[]);
    let base = BaseRba {
        index_ci_size: 1024,
        ..BASE
    };
    assert_eq!(IndexRecord::decode(&encoded(&record, base), base), Ok(record));
}

/// Where no separator begins like its neighbour, and in the sequence set every CI has a pointer, the estimate is the
/// length to the byte.
#[test]
fn what_surely_fits_does() {
    let sequence_set = [(45, 0), (45, 1), (45, 7), (45, 45), (300, 17), (300, 200)].map(|of| (1, of));
    let above = [(3, 1), (45, 0), (45, 7), (45, 200), (300, 200)].map(|of| (2, of));
    for (level, (ci_per_ca, entries)) in sequence_set.into_iter().chain(above) {
        let keys: Vec<Vec<u8>> = (0..entries).map(|n| vec![n as u8; 1 + n % 3]).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let bytes = keys.iter().map(|key| key.len()).sum();
        let free: Vec<u16> = match level {
            1 => (entries as u16..ci_per_ca as u16).collect(),
            _ => Vec::new(),
        };
        let record = IndexRecord {
            level,
            ..index_record(&keys, &free)
        };
        for ci_size in 31..2500 {
            let surely =
                |reserve| IndexRecord::surely_fits(level, (ci_size + reserve, reserve), ci_per_ca, (entries, bytes));
            let fits = record.fits(ci_size, ci_per_ca);
            assert_eq!(
                [surely(0), surely(1), surely(99)],
                [fits; 3],
                "{entries} of {ci_per_ca} in {ci_size}, level {level}"
            );
        }
        let too_long = IndexRecord::surely_fits(level, (32_769, 0), ci_per_ca, (0, 0));
        assert!(!too_long, "no CI is so long");
    }
}

/// A record with two of the longest keys, which do not compress, and the numbers of the other CIs.
#[test]
fn the_least_index_ci_has_room_for_two_entries() {
    assert_eq!(least_ci_size(8, 45), 24 + 7 + 2 * (8 + 2 + 3 + 2) + 2 * 45);
    for (key_length, ci_per_ca) in [(1, 2), (8, 45), (255, 180), (64, 300)] {
        let keys = [&vec![1; key_length][..], &vec![2; key_length]];
        let free: Vec<u16> = (2..ci_per_ca).collect();
        let least = least_ci_size(key_length, ci_per_ca.into());
        assert!(index_record(&keys, &free).fits(least, ci_per_ca.into()));
    }
}

#[test]
fn no_record_in_what_is_no_ci() {
    let record = index_record(&[b"KEY"], &[]);
    for len in [0, 6, 7, 31, 32_769, 70_000] {
        assert!(
            matches!(record.encode(&mut vec![0; len], BASE), Err(IndexFull::Space { .. })),
            "{len} bytes"
        );
        assert!(IndexRecord::decode(&vec![1; len], BASE).is_err(), "{len} bytes");
    }
}

#[test]
fn a_section_is_about_the_square_root() {
    assert_eq!([0, 1, 45, 81, 180].map(section_size), [1, 1, 6, 9, 13]);
}

#[test]
fn contradictions_are_found() {
    let image = encoded(&index_record(&[b"ADAMS", b"BAKER", b""], &[3]), BASE);
    let field_of = |at: usize, value: u8| {
        let mut damaged = image.clone();
        damaged[at] = value;
        match IndexRecord::decode(&damaged, BASE) {
            Err(FormatError::Field { field, .. }) => field,
            other => panic!("X'{value:02X}' at {at} was read as {other:?}"),
        }
    };
    assert_eq!(field_of(1, 0), "length (IXHLL)");
    assert_eq!(field_of(2, 4), "control information length (IXHFLPLN)");
    assert_eq!(field_of(3, 2), "pointer length (IXHPTLS)");
    assert_eq!(field_of(7, 1), "base RBA (IXHBRBA)");
    assert_eq!(field_of(11, 1), "horizontal pointer (IXHHP)");
    assert_eq!(field_of(16, 0), "level (IXHLV)");
    assert_eq!(field_of(17, 4), "flag (IXHFLAG)");
    assert_eq!(field_of(19, 23), "start of unused space (IXHFSO)");
    assert_eq!(field_of(21, 0), "last entry (IXHLEO)");
    assert_eq!(field_of(23, 0xFE), "section field or IXHSEO");
    assert_eq!(field_of(24, 180), "free CI number");
    let end = 32_761;
    assert_eq!(field_of(end, 1), "RDF");
    assert_eq!(field_of(end + 4, 0), "data length in the CIDF");
    assert_eq!(field_of(end + 6, 1), "data length in the CIDF");
    assert_eq!(field_of(end - 1, 180), "pointer of an entry");
    assert_eq!(field_of(end - 3, 1), "front characters left out (F)");
    assert_eq!(field_of(end - 8, 0xC3), "place of an entry");
}

/// Keys in ascending order, with neighbours that share much, that are equal, and that are rear-compressed.
fn separators() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let byte = prop_oneof![Just(0x00), Just(0x41), Just(0x42), Just(0xFF), any::<u8>()];
    let short = vec(byte.clone(), 1..12);
    let long = vec(byte, 1..=255);
    let key = prop_oneof![4 => short, 1 => long];
    (vec((key, 0usize..3), 0..120), any::<bool>()).prop_map(|(keys, last)| {
        let mut keys: Vec<Vec<u8>> = keys.into_iter().flat_map(|(key, again)| vec![key; again + 1]).collect();
        // A separator is followed by X'FF's; 255 of them decide.
        keys.sort_by_cached_key(|key| [key.as_slice(), &[0xFF; 255]].concat()[..255].to_vec());
        keys.extend(last.then(Vec::new));
        keys
    })
}

fn any_record() -> impl Strategy<Value = (IndexRecord, BaseRba)> {
    let base = (
        prop_oneof![1u32..=256, 257u32..=4000],
        prop_oneof![Just(512u32), Just(4096), Just(32_768)],
    )
        .prop_map(|(ci_per_ca, ci_size)| BaseRba {
            ci_per_ca,
            ci_size,
            index_ci_size: 32_768,
        });
    base.prop_flat_map(|base| {
        let limit = base.ci_per_ca;
        let free = vec(0..limit.min(65_535) as u16, 0..60);
        let next = prop_oneof![Just(u32::MAX), any::<u32>()];
        (separators(), 1u8..4, 0..1_000_000u32, next, free, any::<u32>()).prop_map(
            move |(keys, level, ca, next, free, salt)| {
                let pointer = |n: u32| salt.wrapping_mul(n) % if level == 1 { limit } else { 1 << 24 };
                let entries = (0..)
                    .zip(keys)
                    .map(|(n, separator)| IndexEntry {
                        separator,
                        pointer: pointer(n),
                    })
                    .collect();
                (
                    IndexRecord {
                        level,
                        ca: if level == 1 { ca } else { 0 },
                        next,
                        entries,
                        free,
                    },
                    base,
                )
            },
        )
    })
}

proptest! {
    #[test]
    fn what_goes_in_comes_out((record, base) in any_record(), per_section in 1usize..40) {
        let mut image = vec![0xEE; 32_768];
        if record.encode_in_sections(&mut image, base, per_section).is_ok() {
            prop_assert_eq!(IndexRecord::decode(&image, base), Ok(record));
        } else {
            prop_assert!(record.entries.iter().map(|e| e.separator.len()).sum::<usize>() > 10_000);
        }
    }

    #[test]
    fn fits_says_what_encode_does((record, base) in any_record(), ci_size in 31usize..32_768) {
        let ci_per_ca = base.ci_per_ca as usize;
        let (fits, tightly) = (record.fits(ci_size, ci_per_ca), record.fits_tightly(ci_size, ci_per_ca));
        prop_assert!(tightly || !fits, "the tightest sections take more than others");
        let mut image = vec![0; ci_size];
        match record.encode(&mut image, base) {
            Ok(()) => {
                prop_assert!(tightly);
                prop_assert_eq!(IndexRecord::decode(&image, base), Ok(record));
            }
            Err(IndexFull::Space { .. }) => prop_assert!(!tightly),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    /// Whatever sections begin with another entry then: what is left of a record that fits its CI to the byte fits it.
    #[test]
    fn what_is_left_of_a_record_fits_where_it_did(
        (mut record, base) in any_record(),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let ci_per_ca = base.ci_per_ca as usize;
        let Some(ci_size) = (31..32_768).find(|&size| record.fits(size, ci_per_ca)) else { return Ok(()) };
        for at in gone {
            let but_the_last = record.entries.len().saturating_sub(1);
            if but_the_last > 0 {
                record.entries.remove(at.index(but_the_last));
            }
        }
        prop_assert!(record.fits_tightly(ci_size, ci_per_ca));
        let mut image = vec![0; ci_size];
        prop_assert_eq!(record.encode(&mut image, base), Ok(()));
        prop_assert_eq!(IndexRecord::decode(&image, base), Ok(record));
    }

    #[test]
    fn any_change_of_a_byte_is_read_without_panic((record, base) in any_record(), at in any::<usize>(), value: u8) {
        let mut image = vec![0; 32_768];
        if record.encode(&mut image, base).is_ok() {
            // Near the ends, where header and entries are.
            let at = if at % 2 == 0 { at / 2 % 40 } else { 32_767 - at / 2 % 400 };
            image[at] = value;
            let _ = IndexRecord::decode(&image, base);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(mut image in vec(any::<u8>(), 31..600), ci_per_ca: u32) {
        // With a true length, so that the walk begins.
        let len = (image.len() - 7) as u16;
        image[..2].copy_from_slice(&len.to_be_bytes());
        (image[2], image[3], image[17], image[18], image[20], image[22]) = (3, 1, 0, 0, image[20] % 3, image[22] % 3);
        let tail = [0, (len >> 8) as u8, len as u8, (len >> 8) as u8, len as u8, 0, 0];
        image[usize::from(len)..].copy_from_slice(&tail);
        let base = BaseRba { ci_per_ca, ci_size: 4096, index_ci_size: 512 };
        let _ = IndexRecord::decode(&image, base);
        let _ = IndexRecord::decode(&image, BaseRba { ci_per_ca: 0, ci_size: 0, index_ci_size: 0 });
    }
}
