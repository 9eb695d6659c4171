//! The steps of the study's programs: load, read in order, and read, update and insert at random.

use super::file::{digits, record, GAP, KEY, RECORDS};
use cica_engine::{DataSet, Insert, Intent, RequestError, Search};

/// A step, by the source's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// SW
    Load,
    /// SR
    Scan,
    /// RR
    Read,
    /// RU
    Update,
    /// RW
    Insert,
}

impl Step {
    /// The source's letters.
    pub fn letters(self) -> &'static str {
        match self {
            Step::Load => "SW",
            Step::Scan => "SR",
            Step::Read => "RR",
            Step::Update => "RU",
            Step::Insert => "RW",
        }
    }

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            Step::Load => "sequential write",
            Step::Scan => "sequential read",
            Step::Read => "random read",
            Step::Update => "random update",
            Step::Insert => "random insert",
        }
    }

    /// The same, of which pass it is where it was made `again`.
    pub fn title_of(self, again: bool) -> String {
        let pass = if again { ", second pass" } else { "" };
        format!("{}{pass}", self.title())
    }

    /// Does it change the data set?
    pub fn writes(self) -> bool {
        !matches!(self, Step::Scan | Step::Read)
    }

    /// Requests that the study's program made.
    pub fn requests(self) -> u64 {
        self.requests_of(RECORDS)
    }

    /// As many for a file of so many records as the study's were for its own.
    pub fn requests_of(self, records: u64) -> u64 {
        let made = match self {
            Step::Load | Step::Scan => return records,
            Step::Read => 4_520,
            Step::Update => 3_180,
            Step::Insert => 2_710,
        };
        (made * records / RECORDS).max(1)
    }

    /// Makes them, to a file of so many records. Of a scan they are the records that it found.
    pub fn run(self, data_set: &DataSet, records: u64) -> Result<u64, RequestError> {
        let mut string = data_set.string();
        let requests = self.requests_of(records);
        match self {
            Step::Load => {
                for number in 1..=records {
                    string.insert(&record(number * GAP), Insert::Sequential)?;
                }
            }
            Step::Scan => {
                let mut found = 0;
                loop {
                    match string.next(Intent::Read) {
                        Ok(_) => found += 1,
                        Err(RequestError::EndOfData) => return Ok(found),
                        Err(error) => return Err(error),
                    }
                }
            }
            Step::Read => {
                for number in random(records).take(requests as usize) {
                    string.get(&digits(number * GAP), Search::Equal, Intent::Read)?;
                }
            }
            Step::Update => {
                for number in random(records).take(requests as usize) {
                    let mut area = string
                        .get(&digits(number * GAP), Search::Equal, Intent::Update)?
                        .bytes
                        .to_vec();
                    area[0] = b'U';
                    string.update(&area)?;
                }
            }
            Step::Insert => {
                let mut new = record(0);
                new[0] = b'N';
                for number in spread(requests, records) {
                    let key = digits(number * GAP + GAP / 2);
                    new[KEY].copy_from_slice(&key);
                    // The ISAM interface program looked for the record before it added it.
                    match string.get(&key, Search::GreaterOrEqual, Intent::Read) {
                        Ok(_) | Err(RequestError::NotFound) => {}
                        Err(error) => return Err(error),
                    }
                    string.insert(&new, Insert::Direct)?;
                }
            }
        }
        Ok(requests)
    }
}

/// Record numbers as the study's program drew them: RANDU, whose next number is 65,539 times the last one, in 31 bits; and
/// its rounding, so that COBOL draws the same.
pub fn random(records: u64) -> impl Iterator<Item = u64> {
    let mut last: u32 = 65_539;
    std::iter::repeat_with(move || {
        last = last.wrapping_mul(65_539) & 0x7FFF_FFFF;
        let part = f64::from(last) * 0.465_661_3e-9;
        ((part * records as f64) as u64 + 1).min(records)
    })
}

/// `count` record numbers, evenly spread over a file of so many records, in an order that jumps about: no two inserts come
/// to one CI, as none of the study's base case split one.
pub fn spread(count: u64, records: u64) -> impl Iterator<Item = u64> {
    let stride = stride(count);
    (0..count).map(move |i| 1 + (i * stride % count) * records / count)
}

/// How far it jumps. Steps that share no factor with the count visit each place once.
pub fn stride(count: u64) -> u64 {
    let common = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let found = (count * 5 / 8 + 1..).find(|stride| common(*stride, count) == 1);
    found.unwrap_or(1)
}
