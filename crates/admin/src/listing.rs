//! The file that a listing is written to: OUTFILE of LISTCAT, PRINT and SHCDS.
//!
//! 1. It has the lines of a text file, whatever attributes the DD states: what is written and what the catalog says of
//!    it agree.
//! 2. A new generation comes into the catalog when its listing is complete on the volume. A listing that tells of what
//!    was not found is complete; who gives up drops the file, which leaves the group as it was.

use super::dd::Writing;
use super::failure::Failure;
use super::report::Report;
use super::sequential::Sequential;
use super::trouble::GAVE_UP;
use super::Services;
use cica_disk::NewFile;
use cica_messages::{Message, CICA0939E};
use cica_qsam::Attributes;
use std::io::{self, BufWriter, Write};

/// See the module.
pub struct ListingFile {
    ddname: String,
    file: Sequential,
    stream: BufWriter<NewFile>,
}

impl ListingFile {
    /// Begins the file that a DD names.
    pub fn begin(services: &Services, ddname: &str) -> Result<ListingFile, Failure> {
        let unwritten = |error| unwritten(ddname, &error);
        let text = services.dd.text(ddname).map_err(unwritten)?;
        let file = Sequential::of_text(services, ddname, text).map_err(|failure| failure.with_cc(GAVE_UP))?;
        if file
            .with_more(services, Attributes::default(), Writing::Listing)
            .is_err()
        {
            let words = format!(
                "{} has records of another format, which a listing would follow",
                file.name
            );
            return Err(unwritten(io::Error::other(words)));
        }
        let stream = BufWriter::new(file.begin(services, Writing::Listing).map_err(unwritten)?);
        Ok(ListingFile {
            ddname: ddname.to_owned(),
            file,
            stream,
        })
    }

    /// What was written is all, or failed: `written` says so. Returns what there is to tell.
    pub fn complete(mut self, services: &Services, written: io::Result<()>) -> Result<Vec<Message>, Failure> {
        let finished = written.and_then(|()| self.stream.flush());
        let finished = finished.and_then(|()| self.stream.into_inner().map_err(|error| error.into_error()));
        let finished = finished.and_then(|file| file.finish().map(drop));
        finished.map_err(|error| unwritten(&self.ddname, &error))?;
        let mut report = Report::default();
        self.file.complete(services, &Attributes::default(), &mut report)?;
        Ok(report.into_messages())
    }
}

impl Write for ListingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn unwritten(ddname: &str, error: &io::Error) -> Failure {
    Failure::new(&CICA0939E, &[("name", &ddname), ("reason", error)])
}
