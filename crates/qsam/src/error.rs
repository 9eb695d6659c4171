//! What can go wrong while records are read or written: each case with the record's number, the byte of the file, the
//! bytes found there, and what to do.

use std::fmt;
use std::io;

use crate::codepage::CodePage;
use crate::descriptor::DescriptorFault;
use crate::format::AttributeError;
use crate::limits::MAX_LOGICAL_RECORD;
use crate::recfm::RecordFormat;

/// An error of a sequential file. Records count from 1, offsets from 0, both in the file.
#[derive(Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // `record` and `offset` mean the same throughout, the rest is said at each case
pub enum QsamError {
    /// The attributes do not go together, or lack what is needed to open a file.
    Attributes(AttributeError),
    /// The system could not read.
    Read {
        record: u64,
        offset: u64,
        source: io::Error,
    },
    /// The system could not write; the file is of no use from `record` on, or before (records wait in a buffer).
    Write { record: u64, source: io::Error },
    /// The file ends inside a record of fixed length: `found` of `lrecl` bytes are there.
    TruncatedFixed {
        record: u64,
        offset: u64,
        found: usize,
        lrecl: usize,
    },
    /// The file ends inside a descriptor word, of which these bytes are there.
    TruncatedDescriptor { record: u64, offset: u64, bytes: Vec<u8> },
    /// The file ends inside a record or segment: `found` of the `length` bytes of its descriptor word `word`.
    TruncatedRecord {
        record: u64,
        offset: u64,
        word: [u8; 4],
        found: usize,
        length: usize,
    },
    /// The file ends between two records of a block that has `missing` more bytes by its BDW.
    TruncatedBlock { record: u64, offset: u64, missing: usize },
    /// The file ends, and the last segment of a spanned record has not come.
    TruncatedSpanned { record: u64, offset: u64 },
    /// The BDW before `record` is wrong.
    BadBlockDescriptor {
        record: u64,
        offset: u64,
        word: [u8; 4],
        fault: DescriptorFault,
    },
    /// The RDW or SDW of `record` is wrong; `in_block` says whether the file was read as one with BDWs.
    BadRecordDescriptor {
        record: u64,
        offset: u64,
        word: [u8; 4],
        fault: DescriptorFault,
        in_block: bool,
    },
    /// These bytes are left at the end of a block, too few for an RDW.
    BlockRemainder { record: u64, offset: u64, bytes: Vec<u8> },
    /// The first bytes of the file can be read with BDWs and without.
    UncertainBdw { word: [u8; 4], next: [u8; 4] },
    /// The segments of a spanned record make it longer than `most` bytes.
    SpannedTooLong { record: u64, offset: u64, most: usize },
    /// A line of text is longer than `most` bytes.
    LineTooLong { record: u64, offset: u64, most: usize },
    /// A record to write is longer than the file's records may be.
    RecordTooLong {
        record: u64,
        length: usize,
        most: usize,
        recfm: RecordFormat,
    },
    /// A record to write has, at `position` from 0, a byte that would end the line; `codepage` is the file's.
    LineEndInRecord {
        record: u64,
        position: usize,
        byte: u8,
        codepage: Option<CodePage>,
    },
    /// A line of text is not UTF-8, from byte `position` on, counted from 1.
    NotUtf8 { record: u64, position: usize },
    /// A line of UTF-8 has a character that the page of the data set lacks.
    NotInPage {
        record: u64,
        character: char,
        page: CodePage,
    },
    /// An empty record cannot be told from nothing in a file of undefined records.
    EmptyUndefined { record: u64 },
    /// A write has failed before, so nothing more is written.
    WriteFailedBefore { record: u64 },
}

impl From<AttributeError> for QsamError {
    fn from(error: AttributeError) -> QsamError {
        QsamError::Attributes(error)
    }
}

impl fmt::Display for QsamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use QsamError::*;
        match self {
            Attributes(error) => error.fmt(f),
            Read { record, offset, source } => {
                write!(
                    f,
                    "record {record}, byte {offset}: the file cannot be read ({source}); mend that and run again"
                )
            }
            Write { record, source } => {
                write!(
                    f,
                    "record {record}: the file cannot be written ({source}); mend that, and write it again"
                )
            }
            TruncatedFixed {
                record,
                offset,
                found,
                lrecl,
            } => write!(
                f,
                "record {record}, byte {offset}: the file ends after {found} of the {lrecl} bytes of the record; \
                 check LRECL={lrecl}, or transfer the file again (in binary)"
            ),
            TruncatedDescriptor { record, offset, bytes } => write!(
                f,
                "record {record}, byte {offset}: the file ends inside a descriptor word ({}); \
                 transfer the file again (in binary)",
                Hex(bytes)
            ),
            TruncatedRecord {
                record,
                offset,
                word,
                found,
                length,
            } => write!(
                f,
                "record {record}, byte {offset}: the file ends after {found} of the {length} bytes told by the \
                 descriptor word {}; transfer the file again (in binary){}",
                Hex(word),
                Looks(word)
            ),
            TruncatedBlock {
                record,
                offset,
                missing,
            } => write!(
                f,
                "record {record}, byte {offset}: the file ends, and {missing} bytes of the block are missing by its \
                 block descriptor word; transfer the file again (in binary)"
            ),
            TruncatedSpanned { record, offset } => write!(
                f,
                "record {record}, byte {offset}: the file ends before the last segment of the record; \
                 transfer the file again (in binary)"
            ),
            BadBlockDescriptor {
                record,
                offset,
                word,
                fault,
            } => write!(
                f,
                "record {record}, byte {offset}: {} is no block descriptor word: {fault}; \
                 is the file really one with BDWs? try BDW=NO{}",
                Hex(word),
                Looks(word)
            ),
            BadRecordDescriptor {
                record,
                offset,
                word,
                fault,
                in_block,
            } => {
                write!(
                    f,
                    "record {record}, byte {offset}: {} is no record descriptor word here: {fault}; ",
                    Hex(word)
                )?;
                f.write_str(match (fault, in_block) {
                    (DescriptorFault::Spanned, _) => "try RECFM=VBS",
                    (DescriptorFault::TooLong { bound: "LRECL", .. }, _) => "is LRECL right?",
                    (DescriptorFault::OutOfOrder { .. }, _) => "segments are missing, transfer the file again",
                    (_, true) => "is the file really one with BDWs? try BDW=NO",
                    (_, false) => "has the file BDWs? try BDW=YES",
                })?;
                Looks(word).fmt(f)
            }
            BlockRemainder { record, offset, bytes } => write!(
                f,
                "record {record}, byte {offset}: the block ends with {}, too few bytes for a record descriptor word; \
                 is the file really one with BDWs? try BDW=NO",
                Hex(bytes)
            ),
            UncertainBdw { word, next } => write!(
                f,
                "byte 0: {} {} may begin a block or a record; say which by BDW=YES or BDW=NO",
                Hex(word),
                Hex(next)
            ),
            SpannedTooLong { record, offset, most } => write!(
                f,
                "record {record}, byte {offset}: the segments make a record of more than {most} bytes; \
                 raise LRECL (at most {MAX_LOGICAL_RECORD}), or transfer the file again"
            ),
            LineTooLong { record, offset, most } => write!(
                f,
                "record {record}, byte {offset}: the line is longer than {most} bytes; raise LRECL (at most \
                 {MAX_LOGICAL_RECORD}), or if the file is not text state its RECFM, such as RECFM=FB,LRECL=80"
            ),
            RecordTooLong { record, .. }
            | LineEndInRecord { record, .. }
            | NotUtf8 { record, .. }
            | NotInPage { record, .. }
            | EmptyUndefined { record } => {
                write!(f, "record {record}: {}", self.without_number())
            }
            WriteFailedBefore { record } => write!(
                f,
                "record {record}: not written, because an earlier write of the file failed; write the file again"
            ),
        }
    }
}

impl QsamError {
    /// Why a record cannot be written, for who tells which one it is: its number in the file is not that of the input.
    pub fn without_number(&self) -> String {
        match self {
            QsamError::RecordTooLong {
                length, most, recfm, ..
            } => {
                let raise = match recfm {
                    RecordFormat::U => "BLKSIZE",
                    _ => "LRECL or BLKSIZE",
                };
                format!(
                    "{length} bytes are more than the {most} a record of this RECFM={recfm} file takes; raise {raise}"
                )
            }
            QsamError::LineEndInRecord {
                position,
                byte,
                codepage,
                ..
            } => {
                let page = codepage.map_or(String::new(), |page| format!(" in {page}"));
                format!(
                    "byte {position} is X'{byte:02X}', which ends a line of text{page}; write records that are not text \
                     with RECFM=VB or FB"
                )
            }
            QsamError::NotUtf8 { position, .. } => {
                format!("byte {position} is not UTF-8; say CODEPAGE=ISO8859-1, or which page the file is in")
            }
            QsamError::NotInPage { character, page, .. } => format!(
                "{page} has no character '{}'; take it out, or say CODEPAGE= if the file is not UTF-8",
                character.escape_debug()
            ),
            QsamError::EmptyUndefined { .. } => {
                "an empty record would be lost in a RECFM=U file; use RECFM=VB".to_owned()
            }
            other => other.to_string(),
        }
    }
}

impl std::error::Error for QsamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            QsamError::Attributes(error) => Some(error),
            QsamError::Read { source, .. } | QsamError::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Bytes as `X'00C80000'`.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X'")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        f.write_str("'")
    }
}

/// A remark when a descriptor word is something else that users are known to read as one: text.
struct Looks<'a>(&'a [u8; 4]);

impl fmt::Display for Looks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for page in [CodePage::Iso8859_1, CodePage::Ibm037] {
            let text = page.decode(self.0);
            if text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ') && text.trim() == text {
                let script = if page.is_ebcdic() { "EBCDIC" } else { "ASCII" };
                return write!(
                    f,
                    " (the bytes are {script} text, '{text}'; try RECFM=FB or RECFM=TEXT)"
                );
            }
        }
        Ok(())
    }
}
