//! Records and control intervals out of the contents of blocks.

use cica_format::portable::{read_record_head, take_ci, CiRun, RECORD_HEAD_LEN};
use cica_format::FormatError;

/// The longest record there can be; more is no record.
const LONGEST: usize = 16_777_215;

/// A member's records out of the stream that its blocks of records make.
#[derive(Debug, Default)]
pub struct Records {
    pending: Vec<u8>,
    at: usize,
}

impl Records {
    /// Adds the content of the member's next block of records.
    pub fn add(&mut self, content: &[u8]) {
        self.pending.drain(..self.at);
        self.at = 0;
        self.pending.extend_from_slice(content);
    }

    /// The next record that is whole, with its relative record number.
    ///
    /// # Errors
    /// It is longer than records are.
    #[allow(clippy::should_implement_trait)] // what it hands out is borrowed until the next call
    pub fn next(&mut self) -> Result<Option<(u32, &[u8])>, FormatError> {
        let rest = &self.pending[self.at..];
        let Some(head) = rest.first_chunk::<RECORD_HEAD_LEN>() else {
            return Ok(None);
        };
        let (length, number) = read_record_head(head);
        let length = length as usize;
        if length > LONGEST {
            return Err(FormatError::Field {
                what: "content of a block",
                field: "record length",
                value: length as u64,
                must: "at most 16,777,215",
            });
        }
        let begin = self.at + RECORD_HEAD_LEN;
        if self.pending.len() < begin + length {
            return Ok(None);
        }
        self.at = begin + length;
        Ok(Some((number, &self.pending[begin..begin + length])))
    }

    /// Is nothing left of a record?
    pub fn is_empty(&self) -> bool {
        self.at == self.pending.len()
    }
}

/// Control intervals out of the content of one block.
#[derive(Debug)]
pub struct Intervals<'b> {
    rest: &'b [u8],
    ci_size: usize,
    run: Option<CiRun>,
    left: u32,
}

impl<'b> Intervals<'b> {
    /// Those of a block, of `ci_size` bytes each.
    pub fn new(content: &'b [u8], ci_size: usize) -> Intervals<'b> {
        Intervals {
            rest: content,
            ci_size,
            run: None,
            left: 0,
        }
    }

    /// The next run, when the control intervals of the one before have been taken.
    ///
    /// # Errors
    /// The bytes are no run.
    pub fn run(&mut self) -> Result<Option<CiRun>, FormatError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let run = CiRun::take(&mut self.rest)?;
        self.left = run.count;
        self.run = Some(run);
        Ok(self.run)
    }

    /// The next control interval of the run: number in its CA, flags, image.
    ///
    /// # Errors
    /// The bytes are none.
    #[allow(clippy::type_complexity)]
    pub fn control_interval(&mut self) -> Result<Option<(u16, u16, &'b [u8])>, FormatError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        take_ci(&mut self.rest, self.ci_size).map(Some)
    }
}
