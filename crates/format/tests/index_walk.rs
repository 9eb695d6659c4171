//! The walk over the entries of an index record: what it says of each, what it weighs, and how it refuses.

mod samples;

use cica_format::index::{BaseRba, IndexImage, IndexRecord};
use cica_format::FormatError;

const SIZE: usize = 256;
const END: usize = SIZE - 7;

fn base(ci_per_ca: u32) -> BaseRba {
    BaseRba {
        ci_per_ca,
        ci_size: 4096,
        index_ci_size: SIZE as u32,
    }
}

const KEYS: [&[u8]; 6] = [b"ABLE", b"ABSENT", b"ABSOLUTE", b"ABSTAIN", b"CAR", b""];

/// A CI with entries for [`KEYS`] in sections of two.
fn image(base: BaseRba, free: &[u16]) -> (Vec<u8>, IndexRecord) {
    let record = samples::index_record(&KEYS, free);
    let mut image = vec![0; SIZE];
    record.encode_in_sections(&mut image, base, 2).expect("it fits");
    (image, record)
}

/// The field that is refused, its value and what it must be.
fn refused(error: FormatError) -> (&'static str, u64, &'static str) {
    match error {
        FormatError::Field { field, value, must, .. } => (field, value, must),
        other => panic!("{other}"),
    }
}

#[test]
fn an_entry_says_what_it_begins_like_and_how_it_goes_on() {
    for base in [base(45), base(1000)] {
        let (image, record) = image(base, &[]);
        let index = IndexImage::of(&image, base).expect("a record");
        let walked: Vec<_> = index.entries().map(|entry| entry.expect("an entry")).collect();
        let said: Vec<_> = walked
            .iter()
            .map(|entry| (entry.front, entry.leftmost, &entry.text[..entry.len], entry.pointer))
            .collect();
        let pointers: Vec<u32> = record.entries.iter().map(|entry| entry.pointer).collect();
        let expected = [
            (0, false, &b"ABLE"[..]),
            (0, true, b"ABSENT"),
            (3, false, b"OLUTE"),
            (3, true, b"TAIN"),
            (0, false, b"CAR"),
            (0, true, b""),
        ];
        let expected = expected.iter().zip(pointers);
        assert_eq!(said, expected.map(|(e, p)| (e.0, e.1, e.2, p)).collect::<Vec<_>>());
        let lens: Vec<_> = walked.iter().map(|entry| entry.separator_len()).collect();
        assert_eq!(lens, KEYS.map(<[u8]>::len));
    }
}

#[test]
fn the_entries_to_come_are_counted_and_weighed() {
    let (mut image, _) = image(base(45), &[]);
    let weigh = |image: &[u8]| {
        IndexImage::of(image, base(45))
            .expect("a record")
            .entries()
            .weigh(|len| len + 3)
    };
    let total = |keys: &[&[u8]]| keys.iter().map(|key| key.len() + 3).sum::<usize>();
    assert_eq!(weigh(&image), (6, total(&KEYS)));
    let mut later = IndexImage::of(&image, base(45)).expect("a record").entries();
    assert!(later.next().is_some());
    assert_eq!(later.weigh(|len| len + 3), (5, total(&KEYS[1..])));
    // The third entry wants more than there is: what lies before it counts.
    let third = image.windows(5).position(|text| text == b"OLUTE").expect("a key") + 5;
    assert_eq!(image[third..third + 2], [3, 5]);
    image[third + 1] = 250;
    assert_eq!(weigh(&image), (2, total(&KEYS[..2])));
    // A record without entries.
    image[20..24].fill(0);
    assert_eq!(weigh(&image), (0, 0));
}

#[test]
fn free_numbers_end_where_a_number_ends_and_before_the_entries() {
    let base = base(1000);
    let (good, _) = image(base, &[999, 998]);
    assert_eq!(usize::from(good[19]), 24 + 4);
    for low in [22, 23, 25, 27, END + 1, SIZE] {
        let mut image = good.clone();
        image[18..20].copy_from_slice(&(low as u16).to_be_bytes());
        let (field, value, _) = refused(IndexImage::of(&image, base).expect_err("not sound"));
        assert_eq!((field, value), ("start of unused space (IXHFSO)", low as u64));
    }
    // All of the CI may be numbers, when there are no entries.
    let mut image = good;
    image[20..24].fill(0);
    image[18..20].copy_from_slice(&(END as u16 - 1).to_be_bytes());
    let low = IndexImage::of(&image, base);
    assert_eq!(low.map(|index| index.entries().count()), Ok(0));
}

#[test]
fn what_is_wrong_with_an_entry_is_told_of_the_entry() {
    let (good, _) = image(base(45), &[]);
    let first = END - 3;
    assert_eq!(good[first..first + 2], [0, 4]);
    let told = |changes: &[(usize, u8)]| {
        let mut image = good.clone();
        changes.iter().for_each(|&(at, byte)| image[at] = byte);
        let index = IndexImage::of(&image, base(45)).expect("a sound head");
        let error = index
            .entries()
            .find_map(Result::err)
            .expect("an entry that is not sound");
        assert_eq!(IndexRecord::decode(&image, base(45)), Err(error));
        refused(error)
    };
    let bytes_left = ("bytes left for entries", (END - 24) as u64, "enough for the next entry");
    let too_long = |len| ("key length of an entry (F + L)", len, "at most 255");
    // Not so many bytes are there, and a key may be so long; or not.
    assert_eq!(told(&[(first + 1, 255)]), bytes_left);
    assert_eq!(told(&[(first, 1), (first + 1, 254)]), bytes_left);
    assert_eq!(told(&[(first, 1), (first + 1, 255)]), too_long(256));
    // The first entry begins like none, the leftmost of the first section neither, the third at most like the second.
    let like = |front| {
        (
            "front characters left out (F)",
            front,
            "at most those of the entry before",
        )
    };
    assert_eq!(told(&[(first, 1)]), like(1));
    let second = first - 4 - 3;
    assert_eq!(good[second..second + 2], [0, 6]);
    assert_eq!(told(&[(second, 1)]), like(1));
    let third = second - 6 - 2 - 3;
    assert_eq!(good[third..third + 2], [3, 5]);
    assert_eq!(told(&[(third, 7)]), like(7));
    // A section that begins to the right of its entries.
    let (at, leftmost) = (22, second + 1);
    let section = ("section field or IXHSEO", leftmost as u64, "that of an entry");
    assert_eq!(told(&[(at, 0), (at + 1, leftmost as u8)]), section);
}
