//! Reading records one after the other, each lent from the buffer it was read into.
//!
//! 1. No allocation per record; memory is one buffer, and the longest record of a spanned or text file.
//! 2. An error consumes nothing: asked again, the reader gives the same error again.

use std::io::Read;

use crate::codepage::{CodePage, Translation};
use crate::error::QsamError;
use crate::format::Attributes;
use crate::input::{read_error, Input, RecordSpan};
use crate::lines::Lines;
use crate::recfm::RecordFormat;
use crate::variable::Variable;

/// Reads the records of a sequential file.
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    layout: ReadLayout,
    codepage: Option<CodePage>,
    translation: Option<Translation>,
    attributes: Attributes,
    /// Lines are UTF-8, and become bytes of this page.
    utf8: Option<CodePage>,
    encoded: Vec<u8>,
    /// The line that was read last cannot.
    unconverted: Option<Unconverted>,
    records: u64,
}

/// Why a line of UTF-8 has no bytes in a page.
#[derive(Debug, Clone, Copy)]
enum Unconverted {
    NotUtf8 { position: usize },
    NotInPage { character: char, page: CodePage },
}

impl Unconverted {
    fn of(self, record: u64) -> QsamError {
        match self {
            Unconverted::NotUtf8 { position } => QsamError::NotUtf8 { record, position },
            Unconverted::NotInPage { character, page } => QsamError::NotInPage {
                record,
                character,
                page,
            },
        }
    }
}

#[derive(Debug)]
enum ReadLayout {
    Fixed(usize),
    Variable(Variable),
    Undefined(usize),
    Text(Lines),
}

impl<R: Read> Reader<R> {
    /// A reader of `file` from its beginning. The file is read in pieces of 128 KiB, so it needs no buffer of its own.
    pub fn new(file: R, attributes: &Attributes) -> Result<Reader<R>, QsamError> {
        attributes.check()?;
        let layout = match attributes.recfm {
            RecordFormat::F | RecordFormat::FB => ReadLayout::Fixed(attributes.fixed_length()? as usize),
            RecordFormat::U => ReadLayout::Undefined(attributes.undefined_length() as usize),
            RecordFormat::Text => ReadLayout::Text(Lines::new(attributes)),
            _ => ReadLayout::Variable(Variable::new(attributes)),
        };
        let codepage = attributes.codepage;
        Ok(Reader {
            input: Input::new(file),
            layout,
            codepage,
            translation: None,
            attributes: *attributes,
            utf8: None,
            encoded: Vec::new(),
            unconverted: None,
            records: 0,
        })
    }

    /// The same reader, its records converted from the file's code page, or from UTF-8, to `page`. A file of no stated code
    /// page is not converted.
    pub fn translated_to(mut self, page: CodePage) -> Reader<R> {
        self.utf8 = self.attributes.utf8_with(page);
        self.translation = self
            .codepage
            .filter(|from| *from != page)
            .map(|from| Translation::between(from, page));
        self
    }

    /// The next record, without descriptor words or line end; none at the end of the file.
    #[allow(clippy::should_implement_trait)] // an iterator could not lend from its own buffer
    #[inline]
    pub fn next(&mut self) -> Result<Option<&[u8]>, QsamError> {
        let number = self.records + 1;
        if let Some(unconverted) = self.unconverted {
            return Err(unconverted.of(number));
        }
        let found = match &mut self.layout {
            ReadLayout::Fixed(lrecl) => fixed(&mut self.input, *lrecl, number)?,
            ReadLayout::Variable(variable) => variable.next(&mut self.input, number)?,
            ReadLayout::Undefined(blksize) => undefined(&mut self.input, *blksize, number)?,
            ReadLayout::Text(lines) => lines.next(&mut self.input, number)?,
        };
        let record = match (found, &mut self.layout) {
            (None, _) => return Ok(None),
            (Some(RecordSpan::Joined), ReadLayout::Variable(variable)) => variable.joined(),
            (Some(RecordSpan::InBuffer(range)), _) => self.input.consumed(range),
            (Some(RecordSpan::Joined), _) => &mut [], // only Variable joins
        };
        if let Some(page) = self.utf8 {
            self.encoded.clear();
            if let Err(unconverted) = encode(record, page, &mut self.encoded) {
                self.unconverted = Some(unconverted);
                return Err(unconverted.of(number));
            }
            self.records = number;
            return Ok(Some(&self.encoded));
        }
        self.records = number;
        if let Some(translation) = &self.translation {
            translation.apply(record);
        }
        Ok(Some(record))
    }

    /// How many records were read; the number of the last one.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Where the next record begins in the file, with its descriptor words, in bytes.
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// The file; what was read ahead is lost.
    pub fn into_inner(self) -> R {
        self.input.into_inner()
    }
}

fn encode(line: &[u8], page: CodePage, bytes: &mut Vec<u8>) -> Result<(), Unconverted> {
    let not_utf8 = |error: std::str::Utf8Error| Unconverted::NotUtf8 {
        position: error.valid_up_to() + 1,
    };
    let text = std::str::from_utf8(line).map_err(not_utf8)?;
    let encoded = page.encode(text).map_err(|error| Unconverted::NotInPage {
        character: error.character,
        page,
    })?;
    bytes.extend(encoded);
    Ok(())
}

#[inline]
fn fixed<R: Read>(input: &mut Input<R>, lrecl: usize, record: u64) -> Result<Option<RecordSpan>, QsamError> {
    match input.ensure(lrecl).map_err(read_error(input, record))? {
        0 => Ok(None),
        found if found < lrecl => Err(QsamError::TruncatedFixed {
            record,
            offset: input.offset(),
            found,
            lrecl,
        }),
        _ => Ok(Some(RecordSpan::InBuffer(input.consume(lrecl)))),
    }
}

fn undefined<R: Read>(input: &mut Input<R>, blksize: usize, record: u64) -> Result<Option<RecordSpan>, QsamError> {
    match input.ensure(blksize).map_err(read_error(input, record))?.min(blksize) {
        0 => Ok(None),
        found => Ok(Some(RecordSpan::InBuffer(input.consume(found)))),
    }
}
