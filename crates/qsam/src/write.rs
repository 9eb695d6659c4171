//! Writing records one after the other.
//!
//! 1. A record is written whole or refused: a refusal leaves the file as it was before, and writing may go on.
//! 2. After the system failed to write, nothing is written any more: what is in the file is unknown.
//! 3. Nothing is promised before [`Writer::finish`]; a writer that is dropped leaves the file incomplete, so that an
//!    error cannot be lost in a drop.

use std::io::Write;

use crate::codepage::{CodePage, Translation};
use crate::error::QsamError;
use crate::format::Attributes;
use crate::lines::Lines;
use crate::recfm::RecordFormat;
use crate::write_variable::VariableBlocks;

/// Bytes that wait before they are given to the system.
const BUFFER: usize = 128 * 1024;

/// Writes the records of a sequential file.
///
/// F and FB: a shorter record is padded with X'00', as DFSORT does. V formats: RDWs, and BDWs as
/// [`Attributes::writes_bdw`] says. U: records one after the other, their ends are kept only where each is BLKSIZE
/// long. Text: a line per record, trailing blanks and all. A longer record than the file takes is refused in every
/// format.
#[derive(Debug)]
#[must_use = "a file is complete only after finish()"]
pub struct Writer<W> {
    output: W,
    buffer: Vec<u8>,
    layout: WriteLayout,
    recfm: RecordFormat,
    longest: usize,
    codepage: Option<CodePage>,
    translation: Option<Translation>,
    translated: Vec<u8>,
    attributes: Attributes,
    /// Records are of this page, and become lines of UTF-8.
    utf8: Option<CodePage>,
    line_ends_kept: bool,
    records: u64,
    failed: bool,
}

#[derive(Debug)]
enum WriteLayout {
    Fixed,
    Variable(VariableBlocks),
    Undefined,
    Text(Lines),
}

impl<W: Write> Writer<W> {
    /// A writer to `file`, which need not be buffered.
    pub fn new(file: W, attributes: &Attributes) -> Result<Writer<W>, QsamError> {
        attributes.check()?;
        let (layout, longest) = match attributes.recfm {
            RecordFormat::F | RecordFormat::FB => (WriteLayout::Fixed, attributes.fixed_length()?),
            RecordFormat::U => (WriteLayout::Undefined, attributes.undefined_length()),
            RecordFormat::Text => {
                let lines = Lines::new(attributes);
                (WriteLayout::Text(lines), lines.longest() as u32)
            }
            _ => {
                let longest = attributes.longest_record().unwrap_or(0);
                (WriteLayout::Variable(VariableBlocks::new(attributes)), longest)
            }
        };
        Ok(Writer {
            output: file,
            buffer: Vec::with_capacity(2 * BUFFER),
            layout,
            recfm: attributes.recfm,
            longest: longest as usize,
            codepage: attributes.codepage,
            translation: None,
            translated: Vec::new(),
            attributes: *attributes,
            utf8: None,
            line_ends_kept: false,
            records: 0,
            failed: false,
        })
    }

    /// The same writer for records in code page `page`, which are converted to the file's, or to UTF-8. A file of no stated
    /// code page gets them unconverted.
    pub fn translated_from(mut self, page: CodePage) -> Writer<W> {
        self.utf8 = self.attributes.utf8_with(page);
        self.translation = self
            .codepage
            .filter(|to| *to != page)
            .map(|to| Translation::between(page, to));
        self
    }

    /// The same writer, but text records with line ends in them are written as they are, though they will come back as
    /// several records: for listings.
    pub fn keep_line_ends(mut self) -> Writer<W> {
        self.line_ends_kept = true;
        self
    }

    /// Writes a record.
    pub fn put(&mut self, record: &[u8]) -> Result<(), QsamError> {
        let number = self.records + 1;
        if self.failed {
            return Err(QsamError::WriteFailedBefore { record: number });
        }
        if record.len() > self.longest {
            let (length, most, recfm) = (record.len(), self.longest, self.recfm);
            return Err(QsamError::RecordTooLong {
                record: number,
                length,
                most,
                recfm,
            });
        }
        self.append(record, number)?;
        self.records = number;
        if self.buffer.len() >= BUFFER {
            self.write_out()?;
        }
        Ok(())
    }

    /// Completes the file, and gives it back for the caller to make it durable.
    pub fn finish(mut self) -> Result<W, QsamError> {
        if self.failed {
            return Err(QsamError::WriteFailedBefore { record: self.records });
        }
        if let WriteLayout::Variable(blocks) = &mut self.layout {
            blocks.close(&mut self.buffer);
        }
        self.write_out()?;
        let record = self.records;
        self.output
            .flush()
            .map_err(|source| QsamError::Write { record, source })?;
        Ok(self.output)
    }

    /// Where it writes to.
    pub fn output(&self) -> &W {
        &self.output
    }

    /// How many records were put; the number of the last one.
    pub fn records(&self) -> u64 {
        self.records
    }

    fn append(&mut self, record: &[u8], number: u64) -> Result<(), QsamError> {
        let record = match (self.utf8, &self.translation) {
            (Some(page), _) => {
                self.translated = page.decode(record).into_bytes();
                &self.translated
            }
            (None, None) => record,
            (None, Some(translation)) => {
                self.translated.clear();
                self.translated
                    .extend(record.iter().map(|byte| translation.byte(*byte)));
                &self.translated
            }
        };
        match &mut self.layout {
            WriteLayout::Fixed => {
                let end = self.buffer.len() + self.longest;
                self.buffer.extend_from_slice(record);
                self.buffer.resize(end, 0);
            }
            WriteLayout::Variable(blocks) => blocks.put(&mut self.buffer, record),
            WriteLayout::Undefined if record.is_empty() => return Err(QsamError::EmptyUndefined { record: number }),
            WriteLayout::Undefined => self.buffer.extend_from_slice(record),
            WriteLayout::Text(lines) => {
                if let Some(position) = lines.end_within(record).filter(|_| !self.line_ends_kept) {
                    return Err(lines.refused(number, position, record[position]));
                }
                self.buffer.extend_from_slice(record);
                self.buffer.push(lines.end());
            }
        }
        Ok(())
    }

    /// Gives the system what is complete.
    fn write_out(&mut self) -> Result<(), QsamError> {
        let complete = match &self.layout {
            WriteLayout::Variable(blocks) => blocks.complete(&self.buffer),
            _ => self.buffer.len(),
        };
        if let Err(source) = self.output.write_all(&self.buffer[..complete]) {
            self.failed = true;
            return Err(QsamError::Write {
                record: self.records,
                source,
            });
        }
        self.buffer.drain(..complete);
        if let WriteLayout::Variable(blocks) = &mut self.layout {
            blocks.drained(complete);
        }
        Ok(())
    }
}
