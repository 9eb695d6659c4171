//! Records of a browse in one answer: in memory that the owner fills and the client sees, in the message, or first
//! there and then here.
//!
//! ```text
//! 0  4  length of the record
//! 4  4  its number
//! 8  8  its RBA
//! 16    its bytes; the next record follows
//! ```
//! Numbers are little-endian.
//!
//! * B1. What lies in a message is read where it lies. What lies in the owner's memory is copied out once, when it is
//!   taken, and it counts only if whoever takes it says so behind the copy: the owner may have taken the memory back.
//! * B2. No length leads out of the batch: what is no record ends it.

use crate::line::Line;
use cica_disk::{FilledArea, SeenArea};
use cica_engine::Record;
use std::ops::Range;

/// Bytes before a record.
const HEAD: usize = 16;

/// Records, and which of them was taken last.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where the record behind the last one taken begins.
    next: usize,
    last: Option<(usize, usize)>,
    /// Memory that the owner fills, if there is some.
    pub area: Option<SeenArea>,
    /// What lies there and was not taken yet.
    there: Range<usize>,
    /// The record taken last, if it lay there: head and bytes; and room for the next one.
    copied: (bool, Copied, Copied),
}

#[derive(Debug, Default)]
struct Copied {
    head: [u8; HEAD],
    bytes: Vec<u8>,
}

/// Puts a record behind others.
pub fn push(bytes: &mut Vec<u8>, record: &Record<'_>) {
    bytes.extend_from_slice(&(record.bytes.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&record.rrn.to_le_bytes());
    bytes.extend_from_slice(&record.rba.to_le_bytes());
    bytes.extend_from_slice(record.bytes);
}

/// Records on their way into an area. They go there many at a time: the lines of the area come from the core of the
/// process that read them last, and a load behind a few stores waits until those have come.
#[derive(Debug, Default)]
pub struct Staged {
    bytes: Vec<u8>,
    /// Where they go.
    at: usize,
    /// Some of the batch did not go there: it has no place for more, and is not there when it ends.
    failed: bool,
}

/// Bytes that go at a time.
const STAGED: usize = 16 << 10;

impl Staged {
    /// Puts a record into an area, within `room`, where the one before it ended; then the room is what is left. False:
    /// there is not enough, or the area is no place for it; then the room is as it was.
    #[inline]
    pub fn put(&mut self, area: &mut FilledArea, room: &mut Range<usize>, record: &Record<'_>) -> bool {
        let end = room.start + HEAD + record.bytes.len();
        if end > room.end || self.failed {
            return false;
        }
        if self.at + self.bytes.len() != room.start {
            // A new batch. The one before it may have come to no end.
            self.bytes.clear();
            self.at = room.start;
        }
        push(&mut self.bytes, record);
        if self.bytes.len() >= STAGED {
            self.store(area);
        }
        if !self.failed {
            room.start = end;
        }
        !self.failed
    }

    /// Everything is there now, and the next record begins a batch. False: some of it led out of the area.
    pub fn finish(&mut self, area: &mut FilledArea) -> bool {
        if !self.failed && !self.bytes.is_empty() {
            self.store(area);
        }
        !std::mem::take(&mut self.failed)
    }

    fn store(&mut self, area: &mut FilledArea) {
        self.failed = !area.store(self.at, &self.bytes);
        self.at += self.bytes.len();
        self.bytes.clear();
        Line::give_back(&mut self.bytes);
    }
}

/// The length at the start of a record's head.
#[inline]
fn length(head: &[u8; HEAD]) -> usize {
    let [a, b, c, d, ..] = *head;
    u32::from_le_bytes([a, b, c, d]) as usize
}

/// The record behind a head.
#[inline]
fn behind<'b>(head: &[u8; HEAD], bytes: &'b [u8]) -> Record<'b> {
    let [_, _, _, _, i, j, k, l, a, b, c, d, e, f, g, h] = *head;
    Record {
        bytes,
        rba: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        rrn: u32::from_le_bytes([i, j, k, l]),
    }
}

impl Batch {
    /// Takes the records of an answer in the place of those that are there: those that lie in the area, and behind them
    /// those of the message.
    pub fn fill(&mut self, there: Range<usize>, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.next, self.last) = (0, None);
        (self.there, self.copied.0) = (there, false);
    }

    /// Nothing is left, but for the last one taken.
    pub fn give_up(&mut self) {
        self.next = self.bytes.len();
        self.there.start = self.there.end;
    }

    /// Is nothing left?
    pub fn is_empty(&self) -> bool {
        self.next >= self.bytes.len() && self.there.is_empty()
    }

    /// Takes the next record, if it is `good` when it was copied (B1). False: there is none, or what is left is no
    /// record (B2), or not good; then the record taken last is as it was.
    #[inline]
    pub fn take(&mut self, good: impl FnOnce() -> bool) -> bool {
        if !self.there.is_empty() {
            return self.take_there(good);
        }
        if !good() || !self.take_here() {
            return false;
        }
        self.copied.0 = false;
        true
    }

    #[inline]
    fn take_there(&mut self, good: impl FnOnce() -> bool) -> bool {
        let (Some(area), (_, last, next)) = (&self.area, &mut self.copied) else {
            return false;
        };
        if !area.copy(self.there.start, &mut next.head) {
            return false;
        }
        let begin = self.there.start + HEAD;
        let end = begin + length(&next.head);
        if end > self.there.end {
            return false;
        }
        next.bytes.resize(end - begin, 0);
        if !area.copy(begin, &mut next.bytes) || !good() {
            return false;
        }
        std::mem::swap(last, next);
        self.there.start = end;
        self.copied.0 = true;
        true
    }

    #[inline]
    fn take_here(&mut self) -> bool {
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
        if let (true, Copied { head, bytes }, _) = &self.copied {
            return Some(behind(head, bytes));
        }
        let (begin, end) = self.last?;
        let head = self.bytes[begin - HEAD..].first_chunk::<HEAD>()?;
        Some(behind(head, &self.bytes[begin..end]))
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
        batch.fill(0..0, &bytes);
        for (number, text) in [&b"one"[..], b"", b"three"].iter().enumerate() {
            assert!(batch.take(|| true));
            let (rba, rrn) = (number as u64 * 1000, number as u32);
            assert_eq!(batch.last(), Some(Record { bytes: text, rba, rrn }));
        }
        assert!(batch.is_empty() && !batch.take(|| true));
        for length in 1..bytes.len() {
            batch.fill(0..0, &bytes[..length]);
            while batch.take(|| true) {
                assert!(batch.last().is_some());
            }
        }
    }

    /// Numbers and texts of records.
    fn some(number: usize) -> Record<'static> {
        let bytes = [&b"one"[..], b"", b"three"][number];
        let (rba, rrn) = (number as u64 * 1000, number as u32);
        Record { bytes, rba, rrn }
    }

    #[test]
    fn records_come_out_of_memory_that_another_fills_and_then_out_of_the_message() {
        let mut filled = FilledArea::new(4096).expect("memory");
        let mut batch = Batch {
            area: SeenArea::of(filled.descriptor(), 4096),
            ..Batch::default()
        };
        let (mut room, mut staged) = (100..100 + 3 + 2 * HEAD, Staged::default());
        let mut put = |number| staged.put(&mut filled, &mut room, &some(number));
        assert!(put(0) && put(1) && !put(2));
        assert!(room.is_empty() && staged.finish(&mut filled));
        let mut rest = Vec::new();
        push(&mut rest, &some(2));
        batch.fill(100..room.start, &rest);
        for number in 0..3 {
            assert!(!batch.take(|| false) && !batch.is_empty());
            assert_eq!(batch.last(), (0..number).last().map(some), "nothing was taken");
            assert!(batch.take(|| true));
            assert_eq!(batch.last(), Some(some(number)));
        }
        assert!(batch.is_empty() && !batch.take(|| true));
        batch.fill(100..room.start, &rest);
        assert!(batch.take(|| true));
        batch.give_up();
        assert!(batch.is_empty() && !batch.take(|| true));
        assert_eq!(batch.last(), Some(some(0)));
    }

    #[test]
    fn a_batch_that_does_not_go_where_it_is_seen_is_not_taken_for_one_that_does() {
        let mut filled = FilledArea::new(STAGED).expect("memory");
        let record = |bytes| Record { bytes, rba: 0, rrn: 0 };
        // The room leads out of the memory; records that would find a place behind those that were lost find none.
        let (mut room, mut staged) = (STAGED - 64..8 * STAGED, Staged::default());
        let (small, large) = ([1; 16], vec![2; STAGED]);
        assert!(staged.put(&mut filled, &mut room, &record(&small)));
        let before = room.clone();
        assert!(!staged.put(&mut filled, &mut room, &record(&large)));
        assert_eq!(room, before, "the record is not there");
        for _ in 0..3 {
            assert!(!staged.put(&mut filled, &mut room, &record(&small)));
            assert_eq!(room, before, "nor is one behind it");
        }
        assert!(!staged.finish(&mut filled), "it has lost its first record");
        // The next batches have nothing to do with it.
        assert!(staged.finish(&mut filled));
        let mut room = 0..STAGED;
        assert!(staged.put(&mut filled, &mut room, &record(&small)) && staged.finish(&mut filled));
    }

    #[test]
    fn what_another_says_of_memory_leads_nowhere_else() {
        let mut filled = FilledArea::new(4096).expect("memory");
        let mut batch = Batch {
            area: SeenArea::of(filled.descriptor(), 4096),
            ..Batch::default()
        };
        // A record that would end behind its batch, one behind the memory, and the same where there is no memory.
        assert!(filled.store(0, &9_u32.to_le_bytes()) && filled.store(4096 - HEAD, &1_u32.to_le_bytes()));
        for there in [0..HEAD + 8, 0..1, 4096 - HEAD..4096 + 1, 4090..5000, 9000..usize::MAX] {
            batch.fill(there, &[]);
            assert!(!batch.take(|| true) && batch.last().is_none());
        }
        assert!(filled.store(0, &u32::MAX.to_le_bytes()));
        batch.fill(0..4096, &[]);
        assert!(!batch.take(|| true));
        batch.area = None;
        batch.fill(0..4096, &[]);
        assert!(!batch.take(|| true));
    }
}
