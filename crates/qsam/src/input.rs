//! The buffer between a file and the records in it: records are handed out where they were read, never copied.
//!
//! 1. Bytes `start..end` of the buffer were read and not yet consumed; `offset` is where `start` lies in the file.
//! 2. The buffer grows only on [`Input::ensure`] for more than its length, and callers bound what they ask for.

use std::io::{self, ErrorKind, Read, Result};
use std::ops::Range;

use crate::error::QsamError;

/// Large enough that the cost of a read call is lost in copying, small enough for a second-level cache.
const BUFFER: usize = 128 * 1024;

#[derive(Debug)]
pub(crate) struct Input<R> {
    inner: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
}

/// Where a record lies that was found.
#[derive(Debug)]
pub(crate) enum RecordSpan {
    /// In the input's buffer.
    InBuffer(Range<usize>),
    /// Joined from segments.
    Joined,
}

impl<R: Read> Input<R> {
    pub fn new(inner: R) -> Input<R> {
        Input {
            inner,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            offset: 0,
        }
    }

    /// Where the next byte to consume lies in the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads until `wanted` bytes are there to consume, and returns how many are: fewer only when the file ends.
    #[inline]
    pub fn ensure(&mut self, wanted: usize) -> Result<usize> {
        if self.end - self.start < wanted {
            self.fill(wanted)?;
        }
        Ok(self.end - self.start)
    }

    /// The bytes there are to consume.
    #[inline]
    pub fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The next descriptor word, once [`Input::ensure`] said that four bytes are there.
    #[inline]
    pub fn word(&self) -> [u8; 4] {
        let b = self.available();
        [b[0], b[1], b[2], b[3]]
    }

    /// Consumes `count` bytes that are there, and returns where in the buffer they lie until the next `ensure`.
    #[inline]
    pub fn consume(&mut self, count: usize) -> Range<usize> {
        let from = self.start;
        self.start += count;
        debug_assert!(self.start <= self.end, "consumed more than was read");
        self.offset += count as u64;
        from..self.start
    }

    /// Bytes that were consumed last.
    #[inline]
    pub fn consumed(&mut self, range: Range<usize>) -> &mut [u8] {
        &mut self.buffer[range]
    }

    pub fn into_inner(self) -> R {
        self.inner
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if wanted > self.buffer.len() {
            self.buffer.resize(wanted.next_power_of_two(), 0);
        }
        while self.end < wanted {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Puts an I/O error where it happened.
#[inline]
pub(crate) fn read_error<R: Read>(input: &Input<R>, record: u64) -> impl FnOnce(io::Error) -> QsamError {
    let offset = input.offset();
    move |source| QsamError::Read { record, offset, source }
}
