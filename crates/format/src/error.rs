//! Why bytes could not be read as what they should be, or a value not be written as bytes.

use std::fmt;

/// What is wrong with a structure. The caller knows the file and the place in it and says so when it reports this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer bytes than the structure has.
    Short {
        /// The structure.
        what: &'static str,
        /// Bytes it takes.
        need: usize,
        /// Bytes that were there.
        have: usize,
    },
    /// The first bytes are not those of this structure.
    Magic {
        /// The structure.
        what: &'static str,
    },
    /// Written by a processor of the other byte order.
    ForeignByteOrder {
        /// The structure.
        what: &'static str,
    },
    /// Written in a format newer than this program knows.
    NewerFormat {
        /// The structure.
        what: &'static str,
        /// Format version found.
        found: u16,
    },
    /// Written in a format older than this program reads.
    OlderFormat {
        /// The structure.
        what: &'static str,
        /// Format version found.
        found: u16,
    },
    /// The bytes are not those that were written.
    Checksum {
        /// The structure.
        what: &'static str,
    },
    /// A CI whose CIDF is all zeros: the software end of file, no records.
    EndOfFile {
        /// The structure.
        what: &'static str,
    },
    /// A field holds what it never may.
    Field {
        /// The structure.
        what: &'static str,
        /// The field.
        field: &'static str,
        /// What it holds (of a text: its length).
        value: u64,
        /// What it must be.
        must: &'static str,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FormatError::Short { what, need, have } => {
                write!(
                    f,
                    "{what}: {need} bytes are needed but only {have} are there; the file may have been cut short"
                )
            }
            FormatError::Magic { what } => {
                write!(
                    f,
                    "{what}: the bytes do not start as one does; this is another kind of file, or it was overwritten"
                )
            }
            FormatError::ForeignByteOrder { what } => {
                write!(
                    f,
                    "{what}: written by a processor of the other byte order; EXPORT it there and IMPORT it here"
                )
            }
            FormatError::NewerFormat { what, found } => {
                write!(
                    f,
                    "{what}: written in format {found}, newer than this program knows; use a newer Cica"
                )
            }
            FormatError::OlderFormat { what, found } => {
                write!(
                    f,
                    "{what}: written in format {found}, older than this program reads; EXPORT it with the Cica that wrote it \
                     and IMPORT it here"
                )
            }
            FormatError::Checksum { what } => {
                write!(
                    f,
                    "{what}: the checksum does not match; the bytes are not those that were written"
                )
            }
            FormatError::EndOfFile { what } => {
                write!(
                    f,
                    "{what}: its CIDF is all zeros, the software end of file; there are no records in it"
                )
            }
            FormatError::Field {
                what,
                field,
                value,
                must,
            } => {
                write!(f, "{what}: {field} is {value} (X'{value:X}') but must be {must}")
            }
        }
    }
}

impl std::error::Error for FormatError {}
