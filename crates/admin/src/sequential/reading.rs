//! Files read one after the other: as one stream of bytes, or record by record.
//!
//! Records end with their file, as those of each data set of a concatenation do: a last line without an end, a short
//! block or a record cut short never goes on in the next file.

use cica_disk::FileReader;
use cica_qsam::{Attributes, CodePage, QsamError, Reader};
use std::collections::VecDeque;
use std::io::{self, Read};

/// Files of a sequential data set or group, in the order in which they are read. Read as bytes they are one stream.
pub struct Files(VecDeque<FileReader>);

impl Files {
    /// These, from their beginnings.
    pub(super) fn new(files: Vec<FileReader>) -> Files {
        Files(files.into())
    }
}

impl Read for Files {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(file) = self.0.front_mut() {
            match file.read(buf)? {
                0 if !buf.is_empty() => drop(self.0.pop_front()),
                got => return Ok(got),
            }
        }
        Ok(0)
    }
}

/// The records of files, each file read by a reader of its own.
pub struct FileRecords {
    /// Of the file that is read now.
    reader: Option<Reader<FileReader>>,
    rest: VecDeque<FileReader>,
    attributes: Attributes,
    page: Option<CodePage>,
    /// A record of a file that others follow: only behind it is known whether the file has another.
    record: Vec<u8>,
}

impl FileRecords {
    /// The records of files that all have these attributes.
    pub fn new(files: Files, attributes: &Attributes) -> Result<FileRecords, QsamError> {
        attributes.check()?;
        let mut records = FileRecords {
            reader: None,
            rest: files.0,
            attributes: *attributes,
            page: None,
            record: Vec::new(),
        };
        records.go_on()?;
        Ok(records)
    }

    /// Converts them to `page` from now on, if the attributes state a code page.
    pub fn translate_to(&mut self, page: CodePage) {
        self.page = Some(page);
        self.reader = self.reader.take().map(|reader| reader.translated_to(page));
    }

    /// The next record; none at the end of the last file.
    #[inline]
    pub fn next(&mut self) -> Result<Option<&[u8]>, QsamError> {
        while let (Some(reader), false) = (&mut self.reader, self.rest.is_empty()) {
            if let Some(record) = reader.next()? {
                self.record.clear();
                self.record.extend_from_slice(record);
                return Ok(Some(&self.record));
            }
            self.go_on()?;
        }
        match &mut self.reader {
            Some(reader) => reader.next(),
            None => Ok(None),
        }
    }

    fn go_on(&mut self) -> Result<(), QsamError> {
        if let Some(file) = self.rest.pop_front() {
            let reader = Reader::new(file, &self.attributes)?;
            self.reader = Some(match self.page {
                Some(page) => reader.translated_to(page),
                None => reader,
            });
        }
        Ok(())
    }
}
