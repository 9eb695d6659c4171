//! A key as an ISAM program describes it: up to eight parts, each of a type, ascending or descending. And what VSAM can
//! have of it: bytes of one piece that compare as they stand.
//!
//! * K1. Two records compare by [`Key::write`] as ISAM compares their keys, part by part.
//! * K2. The text of a key ([`Key::text`]) says all of it: [`Key::parse`] gives the same key back.
//!
//! | type | in the record | as it compares |
//! |---|---|---|
//! | characters | bytes | the same |
//! | INT, LONG | 2 or 4 bytes, big-endian, two's complement | the sign's bit turned |
//! | FLOAT, DOUBLE | 4 or 8 bytes, the machine's | big-endian, -0 as 0; negative ones turned whole, others in their sign |
//! | descending | | every bit turned |

use std::fmt::Write;
use std::ops::Range;

/// Parts of a key at most (`NPARTS`).
pub const MOST_PARTS: usize = 8;
/// VSAM's longest key.
pub const LONGEST: usize = 255;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Several records may have it.
    pub duplicates: bool,
    /// What it is made of, in order.
    pub parts: Vec<Part>,
}

/// A part of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where it stands in the record.
    pub start: usize,
    /// Bytes.
    pub length: usize,
    /// What they are.
    pub of: Type,
    /// The largest comes first.
    pub descending: bool,
}

/// What the bytes of a part are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `CHARTYPE`.
    Characters,
    /// `INTTYPE`.
    Int,
    /// `LONGTYPE`.
    Long,
    /// `DOUBLETYPE`.
    Double,
    /// `FLOATTYPE`.
    Float,
}

/// Each type, its letter in a key's text, and the bytes that it has; none: any number.
const TYPES: [(Type, char, Option<usize>); 5] = [
    (Type::Characters, 'c', None),
    (Type::Int, 'i', Some(2)),
    (Type::Long, 'l', Some(4)),
    (Type::Double, 'd', Some(8)),
    (Type::Float, 'f', Some(4)),
];

impl Type {
    /// Of the number that `isam.h` gives it.
    pub fn of_number(number: usize) -> Option<Type> {
        TYPES.get(number).map(|(of, ..)| *of)
    }

    /// The number that `isam.h` gives it.
    pub fn number(self) -> usize {
        TYPES.iter().position(|(of, ..)| *of == self).unwrap_or(0)
    }

    /// Bytes of such a part, where that is fixed.
    pub fn size(self) -> Option<usize> {
        TYPES[self.number()].2
    }

    fn letter(self) -> char {
        TYPES[self.number()].1
    }
}

impl Key {
    /// Of characters of one piece: what any data set's key is to a program.
    pub fn of_characters(place: Range<usize>, duplicates: bool) -> Key {
        let part = Part {
            start: place.start,
            length: place.len(),
            of: Type::Characters,
            descending: false,
        };
        Key {
            duplicates,
            parts: vec![part],
        }
    }

    /// Bytes of all parts.
    pub fn length(&self) -> usize {
        self.parts.iter().map(|part| part.length).sum()
    }

    /// Where it ends in a record, at the latest.
    pub fn end(&self) -> usize {
        self.parts
            .iter()
            .map(|part| part.start + part.length)
            .max()
            .unwrap_or(0)
    }

    /// Its parts, where ascending characters that follow one another are one. Keys of the same pieces compare alike.
    pub fn pieces(&self) -> Vec<Part> {
        let mut pieces: Vec<Part> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match pieces.last_mut() {
                Some(last) if last.goes_on_in(part) => last.length += part.length,
                _ => pieces.push(*part),
            }
        }
        pieces
    }

    /// Its place in the record, if it compares as it stands there.
    pub fn place(&self) -> Option<Range<usize>> {
        match self.pieces()[..] {
            [piece] if piece.stands() => Some(piece.start..piece.start + piece.length),
            _ => None,
        }
    }

    /// Why no data set can have such a key in records of so many bytes.
    pub fn fault(&self, record: usize) -> Option<String> {
        if self.parts.is_empty() || self.parts.len() > MOST_PARTS {
            return Some(format!(
                "it has {} parts, and 1 to {MOST_PARTS} are possible",
                self.parts.len()
            ));
        }
        for (number, part) in (1..).zip(&self.parts) {
            if part.length == 0 || part.of.size().is_some_and(|size| size != part.length) {
                return Some(format!(
                    "part {number} has {} bytes, which its type has not",
                    part.length
                ));
            }
            if part.start + part.length > record {
                return Some(format!(
                    "part {number} ends behind the {record} bytes that each record has"
                ));
            }
        }
        (self.length() > LONGEST).then(|| format!("it has {} bytes, and {LONGEST} are possible", self.length()))
    }

    /// Appends what it compares by (K1). The record is as long as its parts need.
    pub fn write(&self, record: &[u8], to: &mut Vec<u8>) {
        for part in &self.parts {
            let from = to.len();
            to.extend_from_slice(&record[part.start..part.start + part.length]);
            let bytes = &mut to[from..];
            match part.of {
                Type::Characters => {}
                Type::Int | Type::Long => bytes[0] ^= 0x80,
                Type::Float | Type::Double => order_float(bytes),
            }
            if part.descending {
                bytes.iter_mut().for_each(|byte| *byte = !*byte);
            }
        }
    }

    /// As it is kept in the catalog (K2): `D` or `U`, then for each part where it stands, its length, and its type if
    /// that is not characters; `-` where it descends. `U 0+4 4+2i-`.
    pub fn text(&self) -> String {
        let mut text = String::from(if self.duplicates { "D" } else { "U" });
        for part in &self.parts {
            let down = if part.descending { "-" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(text, " {}+{}{}{down}", part.start, part.length, part.of.letter());
        }
        text
    }

    /// Of such a text; nothing, where it is none.
    pub fn parse(text: &str) -> Option<Key> {
        let mut words = text.split(' ');
        let duplicates = match words.next()? {
            "D" => true,
            "U" => false,
            _ => return None,
        };
        let parts: Option<Vec<Part>> = words.map(parse_part).collect();
        Some(Key {
            duplicates,
            parts: parts?,
        })
    }
}

impl Part {
    /// Does it compare as it stands in the record?
    fn stands(&self) -> bool {
        self.of == Type::Characters && !self.descending
    }

    /// Are the two as one part of both?
    fn goes_on_in(&self, next: &Part) -> bool {
        self.stands() && next.stands() && self.start + self.length == next.start
    }
}

fn parse_part(word: &str) -> Option<Part> {
    let (word, descending) = match word.strip_suffix('-') {
        Some(word) => (word, true),
        None => (word, false),
    };
    let (start, rest) = word.split_once('+')?;
    let (of, letter, _) = TYPES.iter().find(|(_, letter, _)| rest.ends_with(*letter))?;
    Some(Part {
        start: start.parse().ok()?,
        length: rest.strip_suffix(*letter)?.parse().ok()?,
        of: *of,
        descending,
    })
}

/// From a number as the machine has it to bytes in the order of numbers.
fn order_float(bytes: &mut [u8]) {
    if cfg!(target_endian = "little") {
        bytes.reverse();
    }
    // There is one zero, whatever its sign.
    if bytes[0] & 0x7F == 0 && bytes[1..].iter().all(|byte| *byte == 0) {
        bytes[0] = 0;
    }
    if bytes[0] & 0x80 == 0 {
        bytes[0] ^= 0x80;
    } else {
        bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
}

/// What comes before all keys that are above those that begin with `prefix`: the smallest such prefix; none, where no key
/// is above them.
pub fn behind(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xFF)?;
    let mut above = prefix[..=last].to_vec();
    above[last] += 1;
    Some(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(start: usize, length: usize, of: Type, descending: bool) -> Part {
        Part {
            start,
            length,
            of,
            descending,
        }
    }

    fn compared(of: Type, descending: bool, bytes: &[u8]) -> Vec<u8> {
        let key = Key {
            duplicates: false,
            parts: vec![part(0, bytes.len(), of, descending)],
        };
        let mut to = Vec::new();
        key.write(bytes, &mut to);
        to
    }

    fn one_zero(number: f64) -> f64 {
        if number == 0.0 {
            0.0
        } else {
            number
        }
    }

    #[test]
    fn zero_is_one_key_whatever_its_sign() {
        for down in [false, true] {
            let double = |n: f64| compared(Type::Double, down, &n.to_ne_bytes());
            let float = |n: f32| compared(Type::Float, down, &n.to_ne_bytes());
            assert_eq!((double(-0.0), float(-0.0)), (double(0.0), float(0.0)));
            assert_eq!(double(-f64::from_bits(1)) < double(0.0), !down);
            assert_eq!(double(0.0) < double(f64::from_bits(1)), !down);
            assert_eq!(float(-f32::from_bits(1)) < float(-0.0), !down);
        }
    }

    proptest! {
        #[test]
        fn numbers_compare_as_their_bytes(a: i32, b: i32, c: i16, d: i16, x: f64, y: f64, u: f32, v: f32) {
            for down in [false, true] {
                let order = |of: std::cmp::Ordering| if down { of.reverse() } else { of };
                let long = |n: i32| compared(Type::Long, down, &n.to_be_bytes());
                prop_assert_eq!(long(a).cmp(&long(b)), order(a.cmp(&b)));
                let int = |n: i16| compared(Type::Int, down, &n.to_be_bytes());
                prop_assert_eq!(int(c).cmp(&int(d)), order(c.cmp(&d)));
                let double = |n: f64| compared(Type::Double, down, &n.to_ne_bytes());
                prop_assert_eq!(double(x).cmp(&double(y)), order(one_zero(x).total_cmp(&one_zero(y))));
                let float = |n: f32| compared(Type::Float, down, &n.to_ne_bytes());
                // What is a float is a double too, and as large.
                let wide = |n: f32| one_zero(f64::from(n));
                prop_assert_eq!(float(u).cmp(&float(v)), order(wide(u).total_cmp(&wide(v))));
            }
        }

        #[test]
        fn a_text_says_all_of_a_key(
            duplicates: bool,
            parts in prop::collection::vec((0..9999usize, 1..256usize, 0..5usize, any::<bool>()), 1..9)
        ) {
            let parts = parts
                .into_iter()
                .map(|(start, length, of, down)| part(start, length, Type::of_number(of).unwrap_or(Type::Int), down));
            let key = Key { duplicates, parts: parts.collect() };
            prop_assert_eq!(Key::parse(&key.text()), Some(key));
        }

        #[test]
        fn what_is_behind_a_prefix_is_above_it_and_nothing_between(
            prefix in prop::collection::vec(any::<u8>(), 1..5),
            rest in prop::collection::vec(any::<u8>(), 0..5)
        ) {
            let longer = [&prefix[..], &rest[..]].concat();
            match behind(&prefix) {
                Some(above) => prop_assert!(above > longer),
                None => prop_assert!(prefix.iter().all(|byte| *byte == 0xFF)),
            }
        }
    }

    #[test]
    fn no_text_is_taken_that_is_none() {
        for text in [
            "", "X 0+4c", "U", "U 0", "U 0+4", "U 0+4x", "U +4c", "U 0+4c ", "U 0+4c--",
        ] {
            let taken = Key::parse(text);
            assert!(taken.is_none() || text == "U", "{text}: {taken:?}");
        }
    }

    #[test]
    fn pieces_that_follow_one_another_are_one_place() {
        let pieces = |second: Part| Key {
            duplicates: false,
            parts: vec![part(2, 4, Type::Characters, false), second],
        };
        assert_eq!(pieces(part(6, 2, Type::Characters, false)).place(), Some(2..8));
        assert_eq!(pieces(part(7, 2, Type::Characters, false)).place(), None);
        assert_eq!(pieces(part(6, 2, Type::Int, false)).place(), None);
        assert_eq!(pieces(part(6, 2, Type::Characters, true)).place(), None);
        let one = Key::of_characters(2..8, false);
        assert_eq!(pieces(part(6, 2, Type::Characters, false)).pieces(), one.pieces());
        assert_ne!(pieces(part(7, 2, Type::Characters, false)).pieces(), one.pieces());
    }
}
