//! Text: each line is a record.
//!
//! In ASCII a line ends with LF (X'0A'), in an EBCDIC code page with NL (X'15', z/OS UNIX) or LF (X'25', files
//! converted by iconv); a CR (X'0D', the same in both) before it belongs to the line end. The last line may lack its
//! end. An empty line is an empty record. Lines are written with LF or NL, and a record that would not come back as it
//! was is refused.

use std::io::Read;

use memchr::{memchr, memchr2};

use crate::codepage::CodePage;
use crate::error::QsamError;
use crate::format::Attributes;
use crate::input::{read_error, Input, RecordSpan};

const CR: u8 = 0x0D;
const ASCII_LF: u8 = 0x0A;
const EBCDIC_NL: u8 = 0x15;
const EBCDIC_LF: u8 = 0x25;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    codepage: Option<CodePage>,
    longest: usize,
}

impl Lines {
    /// For attributes that were checked and are of text.
    pub fn new(attributes: &Attributes) -> Lines {
        Lines {
            codepage: attributes.codepage,
            longest: attributes.longest_record().unwrap_or(attributes.lrecl) as usize,
        }
    }

    /// The longest line, in bytes without its end.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The next line, record `number` of the file.
    pub fn next<R: Read>(&self, input: &mut Input<R>, number: u64) -> Result<Option<RecordSpan>, QsamError> {
        // The longest line and its CR: a line end must be within these or directly behind.
        let most = self.longest + 1;
        let mut searched = 0;
        loop {
            let available = input.ensure(searched + 1).map_err(read_error(input, number))?;
            if available == searched {
                return self.last_line(input, number);
            }
            let window = available.min(most + 1);
            if let Some(found) = self.find_end(&input.available()[searched..window]) {
                let line = self.without_cr(&input.available()[..searched + found]);
                return self.take(input, line, searched + found + 1, number).map(Some);
            }
            if window > most {
                return Err(self.too_long(input, number));
            }
            searched = window;
        }
    }

    /// The byte that is written behind a line.
    pub fn end(&self) -> u8 {
        if self.is_ebcdic() {
            EBCDIC_NL
        } else {
            ASCII_LF
        }
    }

    /// Where a record has a byte that would be read back as a line end, or as part of one.
    pub fn end_within(&self, record: &[u8]) -> Option<usize> {
        let cr_at_end = || (record.last() == Some(&CR)).then(|| record.len() - 1);
        self.find_end(record).or_else(cr_at_end)
    }

    /// The error for a record that [`Lines::end_within`] refuses.
    pub fn refused(&self, record: u64, position: usize, byte: u8) -> QsamError {
        QsamError::LineEndInRecord {
            record,
            position,
            byte,
            codepage: self.codepage,
        }
    }

    /// What is left when the file ends without a line end.
    fn last_line<R: Read>(&self, input: &mut Input<R>, number: u64) -> Result<Option<RecordSpan>, QsamError> {
        match input.available().len() {
            0 => Ok(None),
            rest => self.take(input, rest, rest, number).map(Some),
        }
    }

    fn take<R: Read>(
        &self,
        input: &mut Input<R>,
        line: usize,
        with_end: usize,
        number: u64,
    ) -> Result<RecordSpan, QsamError> {
        if line > self.longest {
            return Err(self.too_long(input, number));
        }
        let range = input.consume(with_end);
        Ok(RecordSpan::InBuffer(range.start..range.start + line))
    }

    fn without_cr(&self, line: &[u8]) -> usize {
        line.len() - usize::from(line.last() == Some(&CR))
    }

    fn find_end(&self, bytes: &[u8]) -> Option<usize> {
        if self.is_ebcdic() {
            memchr2(EBCDIC_NL, EBCDIC_LF, bytes)
        } else {
            memchr(ASCII_LF, bytes)
        }
    }

    fn too_long<R: Read>(&self, input: &Input<R>, record: u64) -> QsamError {
        QsamError::LineTooLong {
            record,
            offset: input.offset(),
            most: self.longest,
        }
    }

    fn is_ebcdic(&self) -> bool {
        self.codepage.is_some_and(CodePage::is_ebcdic)
    }
}
