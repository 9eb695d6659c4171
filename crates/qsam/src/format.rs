//! What a sequential file is: record format, lengths, descriptors and code page, and which of them go together.
//!
//! 1. A length of 0 means "not stated", as it does in a DCB.
//! 2. LRECL of V formats includes the 4-byte RDW, BLKSIZE includes the 4-byte BDW.

use std::fmt;

use crate::blocksize::on_default_device;
use crate::codepage::CodePage;
use crate::limits::{DESCRIPTOR, MAX_BLKSIZE, MAX_LOGICAL_RECORD, MAX_LRECL};
use crate::recfm::RecordFormat;

/// Whether a file of variable records has block descriptor words. A transfer in binary keeps RDWs, and BDWs only
/// sometimes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Bdw {
    /// Reading: the first block tells, or an error asks. Writing: VB, VS and VBS have them, V has not.
    #[default]
    Auto,
    /// Each block begins with its BDW.
    Yes,
    /// RDWs only.
    No,
}

/// What is stated about a sequential file. The default is text lines, kept byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// How records lie in the file.
    pub recfm: RecordFormat,
    /// Record length (F), or longest record (V: with its RDW; Text: without line end) in bytes; 0 = not stated.
    pub lrecl: u32,
    /// Longest block in bytes; 0 = not stated, which is system-determined when a file is written.
    pub blksize: u32,
    /// Block descriptor words of V formats.
    pub bdw: Bdw,
    /// Code page of the file's characters; none = bytes are never converted.
    pub codepage: Option<CodePage>,
    /// Lines of text in UTF-8: where the other side is in an EBCDIC page, characters are converted, and bytes nowhere.
    /// No DD text says so; it holds where no code page is stated.
    pub utf8: bool,
}

impl Attributes {
    /// The page that lines of UTF-8 are converted from or to, if `page` is of the other side; none: they are not.
    pub(crate) fn utf8_with(&self, page: CodePage) -> Option<CodePage> {
        let is_utf8 = self.utf8 && self.recfm == RecordFormat::Text && self.codepage.is_none();
        (is_utf8 && page.is_ebcdic()).then_some(page)
    }

    /// Whether the attributes go together. LRECL of an F file may still be missing: an output file takes it from what
    /// is written ([`Attributes::completed_for`]).
    pub fn check(&self) -> Result<(), AttributeError> {
        self.check_lrecl()?;
        self.check_blksize()?;
        if self.bdw != Bdw::Auto && !self.recfm.is_variable() {
            return Err(AttributeError::BdwNotTaken { recfm: self.recfm });
        }
        Ok(())
    }

    /// The same attributes with what was not stated filled in for a file that takes records of up to `longest` bytes:
    /// LRECL (F: `longest`; V, VB: `longest` + 4, as far as a block holds it), and where there are blocks BLKSIZE as
    /// the system determines it on a 3390. Records longer than F takes leave its LRECL missing.
    pub fn completed_for(mut self, longest: u32) -> Attributes {
        if self.lrecl == 0 {
            self.lrecl = match self.recfm {
                RecordFormat::F if self.blksize != 0 => self.blksize,
                RecordFormat::F | RecordFormat::FB if longest > MAX_LRECL => return self,
                RecordFormat::F | RecordFormat::FB => longest,
                RecordFormat::V | RecordFormat::VB => {
                    let most = self.longest_record().unwrap_or(longest);
                    longest.min(most).saturating_add(DESCRIPTOR)
                }
                _ => 0,
            };
        }
        if self.blksize == 0 && (self.writes_bdw() || !self.recfm.is_variable()) {
            self.blksize = on_default_device(self.recfm, self.lrecl);
        }
        self
    }

    /// The longest record such a file takes, in bytes without RDW or line end. Without LRECL, F and FB have no answer.
    pub fn longest_record(&self) -> Option<u32> {
        let stated = |absent: u32| if self.lrecl == 0 { absent } else { self.lrecl };
        match self.recfm {
            RecordFormat::F | RecordFormat::FB => self.fixed_length().ok(),
            RecordFormat::V | RecordFormat::VB if self.writes_bdw() => {
                let block = if self.blksize == 0 { MAX_LRECL } else { self.blksize };
                Some(
                    stated(MAX_LRECL)
                        .min(block.saturating_sub(DESCRIPTOR))
                        .saturating_sub(DESCRIPTOR),
                )
            }
            RecordFormat::V | RecordFormat::VB => Some(stated(MAX_LRECL).saturating_sub(DESCRIPTOR)),
            RecordFormat::VS | RecordFormat::VBS => Some(stated(MAX_LOGICAL_RECORD).saturating_sub(DESCRIPTOR)),
            RecordFormat::U => Some(self.undefined_length()),
            RecordFormat::Text => Some(stated(MAX_LOGICAL_RECORD)),
        }
    }

    /// Whether a file written with these attributes has BDWs.
    pub fn writes_bdw(&self) -> bool {
        match self.bdw {
            Bdw::Yes => true,
            Bdw::No => false,
            Bdw::Auto => self.recfm.is_variable() && self.recfm != RecordFormat::V,
        }
    }

    /// LRECL of F and FB; an F file may state it as BLKSIZE.
    pub(crate) fn fixed_length(&self) -> Result<u32, AttributeError> {
        match (self.recfm, self.lrecl, self.blksize) {
            (RecordFormat::F, 0, blksize) if blksize != 0 => Ok(blksize),
            (recfm, 0, _) => Err(AttributeError::LreclMissing { recfm }),
            (_, lrecl, _) => Ok(lrecl),
        }
    }

    /// BLKSIZE of U.
    pub(crate) fn undefined_length(&self) -> u32 {
        if self.blksize == 0 {
            MAX_LRECL
        } else {
            self.blksize
        }
    }

    fn check_lrecl(&self) -> Result<(), AttributeError> {
        let recfm = self.recfm;
        let (least, most) = match recfm {
            RecordFormat::U if self.lrecl != 0 => return Err(AttributeError::LreclNotTaken { recfm }),
            RecordFormat::F | RecordFormat::FB | RecordFormat::U => (1, MAX_LRECL),
            RecordFormat::V | RecordFormat::VB if self.bdw == Bdw::Yes => (DESCRIPTOR + 1, MAX_LRECL - DESCRIPTOR),
            RecordFormat::V | RecordFormat::VB => (DESCRIPTOR + 1, MAX_LRECL),
            RecordFormat::VS | RecordFormat::VBS => (DESCRIPTOR + 1, MAX_LOGICAL_RECORD),
            RecordFormat::Text => (1, MAX_LOGICAL_RECORD),
        };
        if self.lrecl != 0 && !(least..=most).contains(&self.lrecl) {
            return Err(AttributeError::LreclRange {
                recfm,
                lrecl: self.lrecl,
                least,
                most,
            });
        }
        Ok(())
    }

    fn check_blksize(&self) -> Result<(), AttributeError> {
        let Attributes {
            recfm, lrecl, blksize, ..
        } = *self;
        if blksize == 0 {
            return Ok(());
        }
        // Room for a BDW, an RDW and one byte: a smaller block could hold no record.
        let least = if recfm.is_variable() { 2 * DESCRIPTOR + 1 } else { 1 };
        let most = if recfm == RecordFormat::F {
            MAX_LRECL
        } else {
            MAX_BLKSIZE
        };
        match recfm {
            RecordFormat::Text => Err(AttributeError::BlksizeNotTaken { recfm }),
            _ if !(least..=most).contains(&blksize) => Err(AttributeError::BlksizeRange { blksize, least, most }),
            RecordFormat::F if lrecl != 0 && blksize != lrecl => {
                Err(AttributeError::BlksizeNotLrecl { lrecl, blksize })
            }
            RecordFormat::FB if lrecl != 0 && blksize % lrecl != 0 => {
                Err(AttributeError::BlksizeNotMultiple { lrecl, blksize })
            }
            RecordFormat::V | RecordFormat::VB if blksize < lrecl + DESCRIPTOR => {
                Err(AttributeError::BlksizeBelowRecord { lrecl, blksize })
            }
            _ => Ok(()),
        }
    }
}

/// Attributes of a file that do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields are the attributes as stated, and the bounds they break
pub enum AttributeError {
    /// F and FB cannot be read or written without LRECL.
    LreclMissing { recfm: RecordFormat },
    /// LRECL is out of the range of the format.
    LreclRange {
        recfm: RecordFormat,
        lrecl: u32,
        least: u32,
        most: u32,
    },
    /// U has no LRECL.
    LreclNotTaken { recfm: RecordFormat },
    /// BLKSIZE is out of range.
    BlksizeRange { blksize: u32, least: u32, most: u32 },
    /// Text has no blocks.
    BlksizeNotTaken { recfm: RecordFormat },
    /// F has one record to a block.
    BlksizeNotLrecl { lrecl: u32, blksize: u32 },
    /// FB has whole records in a block.
    BlksizeNotMultiple { lrecl: u32, blksize: u32 },
    /// The longest record and its BDW do not fit in a V or VB block.
    BlksizeBelowRecord { lrecl: u32, blksize: u32 },
    /// Only V formats have block descriptor words.
    BdwNotTaken { recfm: RecordFormat },
}

impl AttributeError {
    /// The DD option to change: `LRECL`, `BLKSIZE` or `BDW`.
    pub fn key(&self) -> &'static str {
        match self {
            AttributeError::LreclMissing { .. }
            | AttributeError::LreclRange { .. }
            | AttributeError::LreclNotTaken { .. } => "LRECL",
            AttributeError::BdwNotTaken { .. } => "BDW",
            _ => "BLKSIZE",
        }
    }
}

impl fmt::Display for AttributeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AttributeError::LreclMissing { recfm } => {
                write!(f, "RECFM={recfm} needs the record length; add LRECL=")
            }
            AttributeError::LreclRange {
                recfm,
                lrecl,
                least,
                most,
            } => {
                write!(
                    f,
                    "LRECL={lrecl} is out of range; RECFM={recfm} takes {least} to {most}"
                )?;
                if most < lrecl && lrecl <= MAX_LOGICAL_RECORD {
                    write!(f, ", and VBS takes longer records")?;
                }
                Ok(())
            }
            AttributeError::LreclNotTaken { recfm } => {
                write!(
                    f,
                    "RECFM={recfm} has no LRECL; state the length of its blocks as BLKSIZE"
                )
            }
            AttributeError::BlksizeRange { blksize, least, most } => {
                write!(f, "BLKSIZE={blksize} is out of range; it may be {least} to {most}")
            }
            AttributeError::BlksizeNotTaken { recfm } => {
                write!(
                    f,
                    "RECFM={recfm} has no BLKSIZE; leave it out, or state a RECFM such as FB or VB"
                )
            }
            AttributeError::BlksizeNotLrecl { lrecl, blksize } => {
                write!(
                    f,
                    "BLKSIZE={blksize} is not LRECL={lrecl}; leave BLKSIZE out, or use RECFM=FB"
                )
            }
            AttributeError::BlksizeNotMultiple { lrecl, blksize } => {
                let near = lrecl.saturating_mul((blksize / lrecl.max(1)).max(1));
                write!(
                    f,
                    "BLKSIZE={blksize} is not a multiple of LRECL={lrecl}; leave it out, or use {near}"
                )
            }
            AttributeError::BlksizeBelowRecord { lrecl, blksize } => {
                let least = lrecl.saturating_add(DESCRIPTOR);
                write!(
                    f,
                    "BLKSIZE={blksize} cannot hold a record of LRECL={lrecl} and the 4-byte BDW; "
                )?;
                write!(f, "use at least {least}, leave BLKSIZE out, or use RECFM=VBS")
            }
            AttributeError::BdwNotTaken { recfm } => {
                write!(f, "RECFM={recfm} has no block descriptor words; leave BDW out")
            }
        }
    }
}

impl std::error::Error for AttributeError {}
