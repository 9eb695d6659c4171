//! A sequential file that is no data set of VSAM's and that libcob cannot read as it should be: in EBCDIC, with the
//! descriptors of RECFM=V, or through EXTFH where the catalog says where it lies. Every other one is libcob's.
//!
//! | OPEN | |
//! |---|---|
//! | INPUT | its records, one after the other |
//! | OUTPUT | a new file, which gets its name by CLOSE, when it is whole and durable; DISP=MOD: EXTEND |
//! | EXTEND | behind what it has, if that is of the same format |
//! | I-O | refused: 37 |
//!
//! A line of text is a record: blanks at its end are not written, and are there again when it is read, as with libcob.

use crate::status::Outcome;
use cica_catalog::entry::NonVsam;
use cica_catalog::{Catalog, CatalogError, Entry};
use cica_disk::{FileReader, NewFile};
use cica_qsam::{
    Attributes, BlockBuffers, BlockCounts, BlockInput, BlockOutput, CodePage, QsamError, Reader, RecordFormat, Writer,
};
use cica_session::outside;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Where a file lies, and what its records are like.
pub struct PlainFile {
    /// The file.
    pub path: PathBuf,
    /// Its format and code page.
    pub attributes: Attributes,
    /// Its entry in a catalog.
    pub entry: Option<(Arc<Catalog>, Box<NonVsam>)>,
    /// BUFNO of the DD text: a request moves so many blocks.
    pub buffers: Option<BlockBuffers>,
}

impl PlainFile {
    /// What messages call it.
    pub fn name(&self) -> String {
        match &self.entry {
            Some((_, data_set)) => data_set.name.to_string(),
            None => self.path.display().to_string(),
        }
    }

    /// Does libcob read other bytes out of it than its records have?
    pub fn is_beyond_libcob(&self) -> bool {
        self.page().is_some() || self.attributes.recfm.is_variable() || self.attributes.recfm == RecordFormat::U
    }

    /// Its code page, if that is EBCDIC.
    pub fn page(&self) -> Option<CodePage> {
        self.attributes.codepage.filter(|page| page.is_ebcdic())
    }

    /// To be read.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(&self) -> io::Result<FileReader> {
        match &self.entry {
            // A link in the place of a data set is not followed.
            Some(_) => FileReader::plain(&*outside(), &self.path),
            None => FileReader::open(&*outside(), &self.path),
        }
    }
}

/// See the module.
pub struct Plain {
    way: PlainState,
    lines: bool,
    blank: u8,
    /// Records are at least as long for the program.
    least: usize,
    padded: Vec<u8>,
}

enum PlainState {
    Reads(Reader<PlainInput>),
    Writes(Writer<PlainOutput>, PlainFile),
    Closed,
}

/// A file that is read as it comes, or by blocks.
enum PlainInput {
    Any(FileReader),
    Blocks(BlockInput<FileReader>),
}

impl Read for PlainInput {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            PlainInput::Any(file) => file.read(to),
            PlainInput::Blocks(file) => file.read(to),
        }
    }
}

/// The same to be written.
enum PlainOutput {
    Any(NewFile),
    Blocks(BlockOutput<NewFile>),
}

impl Write for PlainOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            PlainOutput::Any(file) => file.write(bytes),
            PlainOutput::Blocks(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            PlainOutput::Any(file) => file.flush(),
            PlainOutput::Blocks(file) => file.flush(),
        }
    }
}

impl Plain {
    /// For a program's records of at least so many bytes.
    fn new(way: PlainState, attributes: &Attributes, least: usize) -> Plain {
        Plain {
            way,
            lines: attributes.recfm == RecordFormat::Text,
            blank: if attributes.codepage.is_some_and(CodePage::is_ebcdic) {
                0x40
            } else {
                b' '
            },
            least,
            padded: Vec::new(),
        }
    }

    /// A file that is there.
    ///
    /// # Errors
    /// Its attributes do not go together.
    pub fn reading(file: FileReader, place: &PlainFile, least: usize) -> Result<Plain, QsamError> {
        let input = match place.buffers {
            None => PlainInput::Any(file),
            Some(buffers) => PlainInput::Blocks(BlockInput::new(file, buffers)),
        };
        let way = PlainState::Reads(Reader::new(input, &place.attributes)?);
        Ok(Plain::new(way, &place.attributes, least))
    }

    /// One that is written.
    ///
    /// # Errors
    /// Its attributes do not go together.
    pub fn writing(file: NewFile, place: PlainFile) -> Result<Plain, QsamError> {
        let attributes = place.attributes;
        let output = match place.buffers {
            None => PlainOutput::Any(file),
            Some(buffers) => PlainOutput::Blocks(BlockOutput::new(file, buffers)),
        };
        let way = PlainState::Writes(Writer::new(output, &attributes)?, place);
        Ok(Plain::new(way, &attributes, 0))
    }

    /// The next record, in the file's code.
    ///
    /// # Errors
    /// None follows, or none can be read; then in words as well.
    pub fn next(&mut self) -> Result<&[u8], (Outcome, Option<String>)> {
        let PlainState::Reads(reader) = &mut self.way else {
            return Err((Outcome::End, None));
        };
        let record = match reader.next() {
            Ok(Some(record)) => record,
            Ok(None) => return Err((Outcome::End, None)),
            Err(error) => return Err((Outcome::Failed, Some(error.to_string()))),
        };
        if !self.lines || record.len() >= self.least {
            return Ok(record);
        }
        self.padded.clear();
        self.padded.extend_from_slice(record);
        self.padded.resize(self.least, self.blank);
        Ok(&self.padded)
    }

    /// Are its records lines, behind which a record area has blanks?
    pub fn has_lines(&self) -> bool {
        self.lines
    }

    /// Writes a record in the file's code.
    ///
    /// # Errors
    /// In words.
    pub fn put(&mut self, record: &[u8]) -> Result<(), String> {
        let PlainState::Writes(writer, _) = &mut self.way else {
            return Err("it is not open for output".into());
        };
        let end = if self.lines {
            record
                .iter()
                .rposition(|byte| *byte != self.blank)
                .map_or(0, |at| at + 1)
        } else {
            record.len()
        };
        writer.put(&record[..end]).map_err(|error| error.to_string())
    }

    /// What was written is complete, and the catalog knows its format. Returns what was moved, if by blocks.
    ///
    /// # Errors
    /// In words.
    pub fn close(&mut self) -> Result<Option<BlockCounts>, String> {
        let (writer, place) = match std::mem::replace(&mut self.way, PlainState::Closed) {
            PlainState::Writes(writer, place) => (writer, place),
            PlainState::Reads(reader) => {
                return Ok(match reader.into_inner() {
                    PlainInput::Any(_) => None,
                    PlainInput::Blocks(file) => Some(file.counts()),
                })
            }
            PlainState::Closed => return Ok(None),
        };
        let (file, counts) = match writer.finish().map_err(|error| error.to_string())? {
            PlainOutput::Any(file) => (file, None),
            PlainOutput::Blocks(file) => {
                let counts = file.counts();
                (file.into_inner(), Some(counts))
            }
        };
        file.finish().map_err(|error| error.to_string())?;
        let (Some((catalog, data_set)), format) = (place.entry, place.attributes.to_string()) else {
            return Ok(counts);
        };
        if data_set.format == format {
            return Ok(counts);
        }
        let name = &data_set.name;
        let known = catalog.transact(|contents| match contents.get(name) {
            Ok(Entry::NonVsam(now)) => {
                let now = now.clone();
                contents.replace(name, Entry::NonVsam(NonVsam { format, ..now }))
            }
            // It left the catalog while it was written.
            _ => Ok::<_, CatalogError>(()),
        });
        known.map(|()| counts).map_err(|error| error.to_string())
    }
}
