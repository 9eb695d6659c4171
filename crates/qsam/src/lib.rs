//! Sequential files outside VSAM, as REPRO, PRINT, import and export read and write them: F, FB, V, VB, VS, VBS, U and
//! text lines, in EBCDIC or ASCII.
//!
//! A DD text (`FILE,RECFM=FB,LRECL=200,CODEPAGE=1047`) parses into a [`DdText`] whose [`Attributes`] open a [`Reader`]
//! over any `Read` or a [`Writer`] over any `Write`:
//!
//! ```
//! use cica_qsam::{CodePage, DdText, Reader};
//!
//! let dd = DdText::parse("cards.bin,RECFM=FB,LRECL=4,CODEPAGE=1047").unwrap();
//! let cards: &[u8] = b"\xC3\xC9\xC3\xC1\xC4\xC1\xE3\xC1"; // CICADATA in EBCDIC
//! let mut reader = Reader::new(cards, &dd.attributes).unwrap().translated_to(CodePage::Iso8859_1);
//! assert_eq!(reader.next().unwrap(), Some(&b"CICA"[..]));
//! assert_eq!(reader.next().unwrap(), Some(&b"DATA"[..]));
//! assert_eq!(reader.next().unwrap(), None);
//! ```
//!
//! A file here is a byte stream; who wants it read and written by blocks, so many with each request, puts a
//! [`BlockInput`] or [`BlockOutput`] before it. It is no reader of labels or tapes.

#![forbid(unsafe_code)]

mod behind;
mod blocks;
mod blocksize;
mod codepage;
mod dd;
mod descriptor;
mod error;
mod format;
mod input;
mod limits;
mod lines;
mod nearest;
mod read;
mod recfm;
mod variable;
mod write;
mod write_variable;

pub use blocks::{BlockBufferError, BlockBuffers, BlockCounts, BlockInput, BlockOutput};
pub use blocksize::{system_determined, BlockSizeError};
pub use codepage::{CodePage, CodePageError, Translation, Unmappable};
pub use dd::{DdError, DdProblem, DdText};
pub use descriptor::{DescriptorFault, SegmentPosition};
pub use error::QsamError;
pub use format::{AttributeError, Attributes, Bdw};
pub use limits::{MAX_BLKSIZE, MAX_LOGICAL_RECORD, MAX_LRECL};
pub use read::Reader;
pub use recfm::RecordFormat;
pub use write::Writer;
