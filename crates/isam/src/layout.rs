//! How a program's records lie in a data set: a KSDS with an alternate index for each further key.
//!
//! A key that compares as it stands in the record is VSAM's key there. All others are written in front of the record as
//! they compare, one after the other: the **head**, as COBOL's keys of several parts have it.
//!
//! ```text
//! program's record      NNNN..ii....                 prime key NNNN, further key: the number ii
//! stored record     IINNNN..ii....                   KEYS(4 2), alternate key (2 0)
//! ```
//! * Y1. A stored record's keys are those of its program's record: nothing is stored but by [`Layout::stored`].

use crate::key::Key;
use std::ops::Range;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of the head.
    pub head: usize,
    /// The shortest record of a program, and the longest.
    pub least: usize,
    /// See `least`.
    pub most: usize,
    /// Keys, the prime one first, and where each stands in a stored record.
    pub keys: Vec<(Key, Range<usize>)>,
}

impl Layout {
    /// For these keys, the prime one first, of records of `least` to `most` bytes.
    pub fn new(keys: Vec<Key>, least: usize, most: usize) -> Layout {
        let head = keys.iter().filter(|key| key.place().is_none()).map(Key::length).sum();
        let mut behind = 0;
        let placed = keys.into_iter().map(|key| {
            let place = match key.place() {
                Some(place) => place.start + head..place.end + head,
                None => {
                    behind += key.length();
                    behind - key.length()..behind
                }
            };
            (key, place)
        });
        Layout {
            keys: placed.collect(),
            head,
            least,
            most,
        }
    }

    /// A record as it is stored. Bytes of the head that belong to no key any more are zero.
    pub fn stored(&self, record: &[u8]) -> Vec<u8> {
        let mut stored = vec![0; self.head];
        let mut key = Vec::new();
        for (of, place) in self.keys.iter().filter(|(_, place)| place.end <= self.head) {
            key.clear();
            of.write(record, &mut key);
            stored[place.clone()].copy_from_slice(&key);
        }
        stored.extend_from_slice(record);
        stored
    }

    /// The program's part of a stored record.
    pub fn record<'r>(&self, stored: &'r [u8]) -> &'r [u8] {
        stored.get(self.head..).unwrap_or_default()
    }

    /// A key of a stored record.
    pub fn key_of<'r>(&self, number: usize, stored: &'r [u8]) -> &'r [u8] {
        stored.get(self.keys[number].1.clone()).unwrap_or_default()
    }

    /// What a program's record says of a key, as it compares.
    pub fn asked(&self, number: usize, record: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        self.keys[number].0.write(record, &mut key);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_where_the_picture_says() {
        let number = Key::parse("D 6+2i").expect("a key");
        let layout = Layout::new(vec![Key::of_characters(0..4, false), number], 10, 10);
        assert_eq!(
            (layout.head, layout.keys[0].1.clone(), layout.keys[1].1.clone()),
            (2, 2..6, 0..2)
        );
        let stored = layout.stored(b"NNNN..\x00\x05..");
        assert_eq!(stored, b"\x80\x05NNNN..\x00\x05..");
        assert_eq!(
            (layout.key_of(0, &stored), layout.key_of(1, &stored)),
            (&b"NNNN"[..], &b"\x80\x05"[..])
        );
        assert_eq!(layout.record(&stored), b"NNNN..\x00\x05..");
        assert_eq!(layout.asked(1, b"........\xff\xff"), [0x2E ^ 0x80, 0x2E]);
    }
}
