//! The records and the order in which they are asked for; all of it a function of fixed seeds.
//!
//! Record number n has the key n in decimal, zero-padded. Loaded records have even numbers, inserted ones odd numbers,
//! so inserts fall evenly between loaded records. The last 16 bytes of a record are its number and its version
//! (little-endian u64): the phases check what they get by them.

use std::ops::Range;

/// Where things are in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of the whole record.
    pub record: usize,
    key: (usize, usize),
    value: (usize, usize),
}

/// `ops`: 16-byte key, then a 200-byte value. Stores of pairs keep the value without the key.
pub const OPS: Layout = Layout {
    record: 216,
    key: (0, 16),
    value: (16, 216),
};

/// `step`: the 1979 record of 200 bytes, 8-byte key behind a flag byte. As with an indexed file of a COBOL runtime, the
/// value is the whole record.
pub const STEP: Layout = Layout {
    record: 200,
    key: (1, 9),
    value: (0, 200),
};

impl Layout {
    /// Position of the key in the record.
    pub fn key_range(&self) -> Range<usize> {
        self.key.0..self.key.1
    }

    /// The key of a record.
    #[inline]
    pub fn key<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        &record[self.key.0..self.key.1]
    }

    /// The part of a record that a store of pairs keeps as value.
    #[inline]
    pub fn value<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        &record[self.value.0..self.value.1]
    }

    /// Bytes of a value.
    pub fn value_len(&self) -> usize {
        self.value.1 - self.value.0
    }
}

/// The record number written in a value (or a record).
#[inline]
pub fn number_of(value: &[u8]) -> Option<u64> {
    let at = value.len().checked_sub(16)?;
    Some(u64::from_le_bytes(value[at..at + 8].try_into().ok()?))
}

/// A record area that is filled again and again.
pub struct Record {
    bytes: Vec<u8>,
    layout: Layout,
}

impl Record {
    /// An area with the filler every record shares.
    pub fn new(layout: Layout) -> Record {
        let bytes = (0..layout.record).map(|at| b' ' + (at * 7 % 95) as u8).collect();
        Record { bytes, layout }
    }

    /// Makes it record `number` in its `version`.
    #[inline]
    pub fn fill(&mut self, number: u64, version: u64) -> &[u8] {
        write_decimal(&mut self.bytes[self.layout.key_range()], number);
        let at = self.layout.record - 16;
        self.bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        self.bytes[at + 8..].copy_from_slice(&version.to_le_bytes());
        &self.bytes
    }

    /// Writes only the key of record `number` and shows it.
    #[inline]
    pub fn key(&mut self, number: u64) -> &[u8] {
        write_decimal(&mut self.bytes[self.layout.key_range()], number);
        self.layout.key(&self.bytes)
    }
}

/// Zero-padded decimal digits, two at a time (every key has an even number of them).
#[inline]
fn write_decimal(field: &mut [u8], mut number: u64) {
    for pair in field.rchunks_exact_mut(2) {
        let two = (number % 100) as u8;
        number /= 100;
        pair.copy_from_slice(&[b'0' + two / 10, b'0' + two % 10]);
    }
}

/// The records of a load in ascending order.
pub struct LoadStream {
    record: Record,
    next: u64,
    count: u64,
}

impl LoadStream {
    /// `count` records.
    pub fn new(layout: Layout, count: u64) -> LoadStream {
        LoadStream {
            record: Record::new(layout),
            next: 0,
            count,
        }
    }

    /// The next record, until all have been shown.
    #[inline]
    pub fn next_record(&mut self) -> Option<&[u8]> {
        if self.next == self.count {
            return None;
        }
        self.next += 1;
        Some(self.record.fill(loaded(self.next - 1), 0))
    }
}

/// Number of the `index`th loaded record.
#[inline]
pub fn loaded(index: u64) -> u64 {
    index * 2
}

/// Number of the record inserted behind the `index`th loaded one.
#[inline]
pub fn inserted(index: u64) -> u64 {
    index * 2 + 1
}

/// Random numbers: splitmix64.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Uniform over `0..bound`.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z as u128 * bound as u128) >> 64) as u64
    }
}

/// A random order of `0..count` without a table: an invertible mix on the next power of two, walked until it falls
/// inside. Inserts need each number once.
pub struct Shuffled {
    count: u64,
    mask: u64,
    half: u32,
}

impl Shuffled {
    /// The order of `0..count`.
    pub fn new(count: u64) -> Shuffled {
        let bits = u64::BITS - count.max(2).saturating_sub(1).leading_zeros();
        Shuffled {
            count,
            mask: u64::MAX >> (u64::BITS - bits),
            half: bits.div_ceil(2),
        }
    }

    /// The number at `place` (`place < count`).
    #[inline]
    pub fn at(&self, place: u64) -> u64 {
        let mut x = place;
        loop {
            // Each line is a bijection on the masked bits: an odd multiplier, and a shift by at least half the bits.
            x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5677) & self.mask;
            x ^= x >> self.half;
            x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9) & self.mask;
            x ^= x >> self.half;
            x = x.wrapping_mul(0x94d0_49bb_1331_11eb) & self.mask;
            x ^= x >> self.half;
            if x < self.count {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_numbers() {
        let mut record = Record::new(OPS);
        assert_eq!(record.key(0), b"0000000000000000");
        assert_eq!(record.key(9_876_543_210_123_456), b"9876543210123456");
        let mut record = Record::new(STEP);
        assert_eq!(record.key(173_525), b"00173525");
    }

    #[test]
    fn record_carries_key_number_and_nothing_outside_its_length() {
        for layout in [OPS, STEP] {
            let mut record = Record::new(layout);
            let bytes = record.fill(12_345, 7).to_vec();
            assert_eq!(bytes.len(), layout.record);
            assert!(layout.key(&bytes).ends_with(b"12345"));
            assert_eq!(number_of(layout.value(&bytes)), Some(12_345));
            assert_eq!(layout.value(&bytes).len(), layout.value_len());
        }
        assert_eq!(number_of(b"short"), None);
    }

    #[test]
    fn load_is_ascending_and_complete() {
        let mut stream = LoadStream::new(STEP, 300);
        let mut keys = Vec::new();
        while let Some(record) = stream.next_record() {
            keys.push(STEP.key(record).to_vec());
        }
        assert_eq!(keys.len(), 300);
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn shuffle_visits_each_number_once() {
        for count in [1, 2, 3, 1000, 86_763] {
            let order = Shuffled::new(count);
            let mut seen = vec![false; count as usize];
            for place in 0..count {
                let number = order.at(place) as usize;
                assert!(!seen[number], "{number} twice in {count}");
                seen[number] = true;
            }
        }
    }

    #[test]
    fn shuffle_is_not_in_order() {
        let order = Shuffled::new(100_000);
        let ascents = (1..1000).filter(|&place| order.at(place) > order.at(place - 1)).count();
        assert!((400..600).contains(&ascents), "{ascents} of 999 steps go up");
    }

    #[test]
    fn random_numbers_stay_below_the_bound_and_repeat_by_seed() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..1000).map(|_| random.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!((0..10).all(|digit| draw(1).contains(&digit)));
        assert!(draw(1).iter().all(|&number| number < 10));
    }
}
