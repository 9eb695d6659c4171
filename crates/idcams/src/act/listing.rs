//! OUTFILE of LISTCAT, PRINT and SHCDS: a listing in a file of its own, in pages of its own.
//!
//! 1. It has the lines of a text file, whatever attributes the DD states: what is written and what the catalog says of
//!    it agree.
//! 2. A new generation comes into the catalog when its listing is complete on the volume. A listing that tells of what
//!    was not found is complete; a command that gives up leaves the group as it was.

use super::failure::Failure;
use super::report::Report;
use super::sequential::Sequential;
use super::trouble::GAVE_UP;
use super::Services;
use crate::params::Params;
use crate::sysprint::Sysprint;
use cica_messages::CICA0939E;
use cica_qsam::Attributes;
use std::io::{self, BufWriter, Write};

/// Lets `list` print on the file of OUTFILE(ddname).
pub fn on_file<T>(
    services: &mut Services,
    ddname: &str,
    out: &mut Sysprint,
    list: impl FnOnce(&mut Services, &mut Sysprint) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let unwritten = |error: &io::Error| Failure::new(&CICA0939E, &[("name", &ddname), ("reason", error)]);
    let file = match services.dd.text(ddname) {
        Ok(text) => Sequential::of_text(services, ddname, text).map_err(|failure| failure.with_cc(GAVE_UP))?,
        Err(error) => return Err(unwritten(&error)),
    };
    let attributes = Attributes::default();
    if file.follows_another_format(services, &attributes) {
        let words = format!(
            "an earlier command of this run wrote records of another format to {}",
            file.name
        );
        return Err(unwritten(&io::Error::other(words)));
    }
    let mut stream = BufWriter::new(file.begin(services).map_err(|error| unwritten(&error))?);
    let mut listing = Sysprint::new(&mut stream, out.style(), out.stamp());
    let listed = list(services, &mut listing)?;
    if let Some(error) = listing.error() {
        return Err(unwritten(error));
    }
    stream.flush().map_err(|error| unwritten(&error))?;
    let written = stream.into_inner().map_err(|error| unwritten(error.error()))?;
    written.finish().map_err(|error| unwritten(&error))?;
    let mut report = Report::default();
    file.complete(services, &attributes, &mut report)?;
    out.messages(report.into_messages(), &Params::default());
    Ok(listed)
}
