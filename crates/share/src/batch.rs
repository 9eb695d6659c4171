//! Records of a browse in one message: they are read where they lie.
//!
//! ```text
//! 0  4  length of the record
//! 4  4  its number
//! 8  8  its RBA
//! 16    its bytes; the next record follows
//! ```
//! Numbers are little-endian.

use cica_engine::Record;

/// Bytes before a record.
const HEAD: usize = 16;

/// Records, and which of them was taken last.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where the record behind the last one taken begins.
    next: usize,
    last: Option<(usize, usize)>,
}

/// Puts a record behind others.
pub fn push(bytes: &mut Vec<u8>, record: &Record<'_>) {
    bytes.extend_from_slice(&(record.bytes.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&record.rrn.to_le_bytes());
    bytes.extend_from_slice(&record.rba.to_le_bytes());
    bytes.extend_from_slice(record.bytes);
}

impl Batch {
    /// Takes records out of a message in the place of those that are there.
    pub fn fill(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.next, self.last) = (0, None);
    }

    /// Nothing is left, but for the last one taken.
    pub fn give_up(&mut self) {
        self.next = self.bytes.len();
    }

    /// Is nothing left?
    pub fn is_empty(&self) -> bool {
        self.next >= self.bytes.len()
    }

    /// Takes the next record. False: there is none, or what is left is no record.
    #[inline]
    pub fn take(&mut self) -> bool {
        let Some(length) = self.bytes.get(self.next..).and_then(|rest| rest.first_chunk::<4>()) else {
            return false;
        };
        let begin = self.next + HEAD;
        let end = begin + u32::from_le_bytes(*length) as usize;
        if end > self.bytes.len() {
            return false;
        }
        self.last = Some((begin, end));
        self.next = end;
        true
    }

    /// The record taken last.
    #[inline]
    pub fn last(&self) -> Option<Record<'_>> {
        let (begin, end) = self.last?;
        let head = self.bytes[begin - HEAD..].first_chunk::<HEAD>()?;
        let [.., a, b, c, d, e, f, g, h] = *head;
        Some(Record {
            bytes: &self.bytes[begin..end],
            rba: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            rrn: u32::from_le_bytes([head[4], head[5], head[6], head[7]]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_out_as_they_went_in_and_bytes_that_are_none_do_not() {
        let mut bytes = Vec::new();
        for (number, text) in [&b"one"[..], b"", b"three"].iter().enumerate() {
            let (rba, rrn) = (number as u64 * 1000, number as u32);
            push(&mut bytes, &Record { bytes: text, rba, rrn });
        }
        let mut batch = Batch::default();
        batch.fill(&bytes);
        for (number, text) in [&b"one"[..], b"", b"three"].iter().enumerate() {
            assert!(batch.take());
            let (rba, rrn) = (number as u64 * 1000, number as u32);
            assert_eq!(batch.last(), Some(Record { bytes: text, rba, rrn }));
        }
        assert!(batch.is_empty() && !batch.take());
        for length in 1..bytes.len() {
            batch.fill(&bytes[..length]);
            while batch.take() {
                assert!(batch.last().is_some());
            }
        }
    }
}
