//! The order of the entries of an index record: every sequence of three short separators, laid out by hand in every way
//! in which it can be compressed, is read when it is in order and refused when it is not.

mod samples;

use cica_format::index::{BaseRba, IndexImage, IndexRecord};
use cica_format::FormatError;

const SIZE: usize = 96;
const BASE: BaseRba = BaseRba {
    ci_per_ca: 45,
    ci_size: 4096,
    index_ci_size: SIZE as u32,
};

/// An entry as it stands in a record: characters left out at the front, those that stand there, pointer.
struct Raw<'k> {
    front: usize,
    key: &'k [u8],
    pointer: u8,
}

/// A CI with these entries in sections of `per_section`.
fn laid_out(entries: &[Raw<'_>], per_section: usize) -> [u8; SIZE] {
    let mut image = [0; SIZE];
    let record = SIZE - 7;
    let (mut end, mut section, mut seo, mut leo) = (record, None::<(usize, usize)>, 0, 0);
    for (i, Raw { front, key, pointer }) in entries.iter().enumerate() {
        let control = end - 3;
        image[control..end].copy_from_slice(&[*front as u8, key.len() as u8, *pointer]);
        end = control - key.len();
        image[end..control].copy_from_slice(key);
        if (i + 1) % per_section == 0 || i + 1 == entries.len() {
            match section {
                None => seo = control,
                Some((before, field)) => image[field + 1] = (before - control) as u8,
            }
            (leo, end) = (control, end - 2);
            section = Some((control, end));
        }
    }
    let record = record as u8;
    image[..4].copy_from_slice(&[0, record, 3, 1]);
    image[16..24].copy_from_slice(&[1, 0, 0, 24, 0, leo as u8, 0, seo as u8]);
    image[SIZE - 7..].copy_from_slice(&[0, 0, record, 0, record, 0, 0]);
    image
}

/// All strings of up to three of these characters.
fn separators() -> Vec<Vec<u8>> {
    let longer = |of: &[Vec<u8>]| -> Vec<Vec<u8>> {
        let all = of.iter();
        all.flat_map(|s| [0x00, 0x41, 0xFF].map(|c| [&s[..], &[c]].concat()))
            .collect()
    };
    let (none, mut all) = (vec![vec![]], vec![vec![]]);
    let one = longer(&none);
    let two = longer(&one);
    all.extend(longer(&two));
    all.extend(one);
    all.extend(two);
    all
}

fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Nothing is higher than an empty separator, so it is the last; else X'FF's follow each.
fn in_order(a: &[u8], b: &[u8]) -> bool {
    let padded = |s: &[u8]| [s, &[0xFF; 3]].concat()[..3].to_vec();
    !a.is_empty() && padded(a) <= padded(b)
}

#[test]
fn what_is_in_order_is_read_and_nothing_else() {
    let all = separators();
    let mut read = 0;
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        for (per_section, c) in [(1, &b"\xFF"[..]), (2, b""), (3, b""), (3, b"A\x41")] {
            // What the second and the third are compressed against: their neighbour, or the leftmost of the section
            // before.
            let against = match per_section {
                1 => [Some(a), Some(b)],
                2 => [None, Some(b)],
                _ => [Some(a), None],
            };
            let most = [
                against[0].map_or(0, |s| shared(s, b)),
                against[1].map_or(0, |s| shared(s, c)),
            ];
            for (f, g) in (0..=most[0]).flat_map(|f| (0..=most[1]).map(move |g| (f, g))) {
                let raw = |front, key, pointer| Raw { front, key, pointer };
                let entries = [raw(0, &a[..], 7), raw(f, &b[f..], 5), raw(g, &c[g..], 3)];
                let image = laid_out(&entries, per_section);
                let decoded = IndexRecord::decode(&image, BASE);
                let expected: Vec<(&[u8], u32)> = vec![(a, 7), (b, 5), (c, 3)];
                if in_order(a, b) && in_order(b, c) {
                    let record =
                        decoded.unwrap_or_else(|e| panic!("{a:02X?} {b:02X?} {c:02X?}, left out {f} {g}: {e}"));
                    let entries: Vec<_> = record.entries.iter().map(|e| (&e.separator[..], e.pointer)).collect();
                    assert_eq!(entries, expected);
                    read += 1;
                } else {
                    let refused = matches!(
                        decoded,
                        Err(FormatError::Field {
                            field: "place of an entry",
                            ..
                        })
                    );
                    assert!(refused, "{a:02X?} {b:02X?} {c:02X?}, left out {f} {g}: {decoded:?}");
                }
            }
        }
    }
    assert!(read > 1000, "only {read} were in order");
}

/// In the layout that `encode` chooses, so that the one here is no other.
#[test]
fn the_layout_is_that_of_encode() {
    let record = samples::index_record(&[b"AB", b"AC", b"B", b""], &[]);
    let mut image = [0xEE; SIZE];
    record.encode_in_sections(&mut image, BASE, 2).expect("it fits");
    let raw = |front, key, pointer| Raw { front, key, pointer };
    let entries = [raw(0, &b"AB"[..], 0), raw(0, b"AC", 1), raw(0, b"B", 2), raw(0, b"", 3)];
    assert_eq!(laid_out(&entries, 2), image);
    assert_eq!(IndexRecord::decode(&image, BASE), Ok(record));
}

#[test]
fn the_smallest_records_fill_their_ci() {
    for free in [&[][..], &[3], &[44, 3, 2]] {
        let record = samples::index_record(&[], free);
        let mut image = vec![0xEE; 31 + free.len()];
        assert_eq!(record.encode(&mut image, BASE), Ok(()));
        assert_eq!(IndexRecord::decode(&image, BASE), Ok(record));
    }
    for have in 0..31 {
        let short = FormatError::Short {
            what: "index record",
            need: 31,
            have,
        };
        assert_eq!(IndexRecord::decode(&vec![1; have], BASE), Err(short));
    }
}

#[test]
fn one_end_of_the_entries_without_the_other_is_refused() {
    let good = laid_out(
        &[Raw {
            front: 0,
            key: b"KEY",
            pointer: 1,
        }],
        1,
    );
    assert!(IndexRecord::decode(&good, BASE).is_ok());
    for (at, expected) in [(20, "last entry (IXHLEO)"), (22, "place of an entry")] {
        let mut image = good;
        image[at..at + 2].fill(0);
        match IndexRecord::decode(&image, BASE) {
            Err(FormatError::Field { field, .. }) => assert_eq!(field, expected),
            other => panic!("without the field at {at} it was read as {other:?}"),
        }
    }
}

/// The field of a record that is refused, and what it holds.
fn refused(image: &[u8], base: BaseRba) -> (&'static str, u64) {
    match IndexRecord::decode(image, base) {
        Err(FormatError::Field { field, value, .. }) => (field, value),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_key_has_255_characters_at_most() {
    let raw = |front, key, pointer| Raw { front, key, pointer };
    let mut image = laid_out(&[raw(0, &b"ABC"[..], 1), raw(2, b"D", 9), raw(0, b"", 3)], 3);
    // F and L of the second entry, which says that it is longer. So many bytes are not there either.
    let control = SIZE - 7 - 3 - 3 - 3;
    assert_eq!(image[control..control + 3], [2, 1, 9]);
    for (len, expected) in [
        (253, ("bytes left for entries", (control + 3 - 24) as u64)),
        (254, ("key length of an entry (F + L)", 256)),
        (255, ("key length of an entry (F + L)", 257)),
    ] {
        image[control + 1] = len;
        assert_eq!(refused(&image, BASE), expected);
    }
}

/// The same where the bytes are there.
#[test]
fn what_an_entry_says_of_its_key() {
    let base = BaseRba {
        index_ci_size: 1024,
        ..BASE
    };
    let (first, second) = ([&[b'K'; 250][..]].concat(), [&[b'K'; 249][..], b"L"].concat());
    let record = samples::index_record(&[&first, &second, b""], &[]);
    let mut image = vec![0xEE; 1024];
    record.encode_in_sections(&mut image, base, 3).expect("it fits");
    let control = 1024 - 7 - 3 - 250 - 3;
    assert_eq!(image[control..control + 3], [249, 1, 1]);
    for (front, len, expected) in [
        (250, 6, ("key length of an entry (F + L)", 256)),
        (249, 8, ("key length of an entry (F + L)", 257)),
        (251, 1, ("front characters left out (F)", 251)),
    ] {
        let mut image = image.clone();
        image[control..control + 2].copy_from_slice(&[front, len]);
        assert_eq!(refused(&image, base), expected);
    }
    // The leftmost of the first section begins like none.
    let leftmost = samples::index_record(&[&first], &[]);
    leftmost.encode_in_sections(&mut image, base, 3).expect("it fits");
    image[1024 - 7 - 3] = 1;
    assert_eq!(refused(&image, base), ("front characters left out (F)", 1));
}

#[test]
fn free_numbers_end_at_a_number_and_before_the_control_information() {
    let base = BaseRba { ci_per_ca: 300, ..BASE };
    let record = samples::index_record(&[], &[299, 7]);
    let mut image = [0; SIZE];
    record.encode(&mut image, base).expect("it fits");
    assert_eq!(image[18..20], [0, 28]);
    for unused in [23, 25, 27, 29, 90, 91, 92, 0x0101, 0xFFFE_u16] {
        let mut image = image;
        image[18..20].copy_from_slice(&unused.to_be_bytes());
        assert_eq!(refused(&image, base), ("start of unused space (IXHFSO)", unused.into()));
    }
}

#[test]
fn a_walk_weighs_what_it_walks() {
    let keys: [&[u8]; 5] = [b"ADAMS", b"ADAMT", b"BAKERY\0", b"BAKER", b""];
    for (count, per_section) in [(0, 2), (1, 2), (4, 1), (4, 2), (4, 3), (5, 2), (5, 9)] {
        let record = samples::index_record(&keys[..count], &[40, 7]);
        let mut image = [0; SIZE];
        record
            .encode_in_sections(&mut image, BASE, per_section)
            .expect("it fits");
        let read = IndexImage::of(&image, BASE).expect("it is one");
        let lens: Vec<usize> = read
            .entries()
            .map(|walked| walked.expect("it is sound").separator_len())
            .collect();
        let expected: Vec<usize> = keys[..count].iter().map(|key| key.len()).collect();
        assert_eq!(lens, expected);
        let weight = |len: usize| len * len + 3;
        let sum = lens.iter().map(|len| weight(*len)).sum();
        assert_eq!(
            read.entries().weigh(weight),
            (count, sum),
            "{count} in sections of {per_section}"
        );
        let mut walk = read.entries();
        if walk.next().is_some() {
            assert_eq!(walk.weigh(|_| 1), (count - 1, count - 1), "what is to come");
        }
    }
}

#[test]
fn entries_do_not_lie_over_the_numbers_of_free_cis() {
    let key = [1; 9];
    let good = laid_out(
        &[Raw {
            front: 0,
            key: &key,
            pointer: 2,
        }],
        1,
    );
    // What is unused may be used up, but the key is not also a list of CIs.
    let (end, key_at) = (SIZE - 7 - 3, SIZE - 7 - 3 - 9);
    for (unused, expected) in [
        (key_at - 2, Ok(key_at - 2 - 24)),
        (key_at - 1, Err(SIZE - 7 - (key_at - 1))),
        (key_at, Err(SIZE - 7 - key_at)),
        (key_at + 4, Err(SIZE - 7 - (key_at + 4))),
        (end - 1, Err(SIZE - 7 - (end - 1))),
    ] {
        let mut image = good;
        image[19] = unused as u8;
        let left = match IndexRecord::decode(&image, BASE) {
            Ok(record) => Ok(record.free.len()),
            Err(FormatError::Field {
                field: "bytes left for entries",
                value,
                ..
            }) => Err(value as usize),
            other => panic!("unused from {unused} on: {other:?}"),
        };
        assert_eq!(left, expected, "unused from {unused} on");
    }
}
