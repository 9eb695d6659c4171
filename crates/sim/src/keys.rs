//! The keys a workload uses: numbers drawn by a distribution, written in the key's length.

use crate::random::Random;
use crate::shape::{Keys, Shape};

/// Draws keys. Short keys are binary numbers, keys of 8 bytes and more decimal digits, as account numbers are.
#[derive(Debug, Clone)]
pub struct KeySource {
    keys: Keys,
    /// RRNs or RBAs.
    numbers: bool,
    length: usize,
    /// Numbers are below this.
    size: u64,
    centres: Vec<u64>,
    lowest: u64,
    highest: u64,
}

impl KeySource {
    /// Keys for about `records` records.
    pub fn new(shape: &Shape, records: u64, random: &mut Random) -> KeySource {
        let length = shape.key_length;
        let all = match length {
            // Numbers of slots and addresses: no more than a small data set has.
            _ if !shape.keyed() => records.max(8) * 3,
            8.. => 10_u64.pow(length.min(16) as u32),
            _ => 1 << (8 * length.min(6)),
        };
        let size = if shape.keys == Keys::Dense {
            all.min(3 * records.max(8))
        } else {
            all
        };
        let middle = size / 2;
        let centres = (0..5).map(|_| random.between(0, size - 1)).collect();
        KeySource {
            keys: shape.keys,
            numbers: !shape.keyed(),
            length,
            size,
            centres,
            lowest: middle,
            highest: middle,
        }
    }

    /// A key for a new record; it may exist already.
    pub fn draw(&mut self, random: &mut Random) -> Vec<u8> {
        if !self.numbers && random.chance(2) {
            return self.odd_key(random);
        }
        let number = match self.keys {
            Keys::Ascending => self.highest.saturating_add(random.between(1, 3)),
            Keys::Descending => self.lowest.saturating_sub(random.between(1, 3)),
            Keys::Dense => random.between(0, self.size - 1),
            Keys::Clustered => random.pick(&self.centres).saturating_add(random.between(0, 60)),
            Keys::Hot if random.chance(90) => (self.size / 3).saturating_add(random.between(0, 400)),
            Keys::Hot => random.between(0, self.size - 1),
        };
        self.key(number)
    }

    /// The next of a run of rising keys, for load and sequential inserts.
    pub fn above(&mut self, last: Option<&[u8]>, records: u64, random: &mut Random) -> Vec<u8> {
        let number = match last {
            None => self.size / 4,
            Some(key) => self
                .number(key)
                .saturating_add(random.between(1, (self.size / records.max(1) / 4).clamp(1, 90))),
        };
        self.key(number)
    }

    fn key(&mut self, number: u64) -> Vec<u8> {
        // RRNs begin with 1.
        let number = number.min(self.size - 1).max(self.numbers.into());
        self.lowest = self.lowest.min(number);
        self.highest = self.highest.max(number);
        if self.length >= 8 && !self.numbers {
            return format!("{number:0width$}", width = self.length).into_bytes();
        }
        let bytes = number.to_be_bytes();
        let mut key = vec![0; self.length.saturating_sub(8)];
        key.extend_from_slice(&bytes[8 - self.length.min(8)..]);
        key
    }

    fn number(&self, key: &[u8]) -> u64 {
        if self.length >= 8 && !self.numbers {
            return std::str::from_utf8(key)
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or(self.highest);
        }
        key.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Keys at the edges of what compression and comparison must get right: X'00's, X'FF's, and an X'FF' tail.
    fn odd_key(&mut self, random: &mut Random) -> Vec<u8> {
        match random.below(4) {
            0 => vec![0; self.length],
            1 => vec![0xFF; self.length],
            2 => (0..self.length).map(|_| random.bits() as u8).collect(),
            _ => {
                let number = random.between(self.lowest, self.highest);
                let mut key = self.key(number);
                let tail = random.below(self.length);
                key[tail..].fill(if random.chance(50) { 0xFF } else { 0 });
                key
            }
        }
    }
}
