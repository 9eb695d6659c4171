//! Portable copies of data sets: one stream of compressed, checksummed blocks, for a file, a tape or a pipe.
//!
//! ```text
//! definitions, records, control intervals -> Writer -> any io::Write
//! any io::Read -> Reader -> the same, each block checked before it is handed on
//! ```
//! The bytes are `cica_format::portable`'s, pictured in `docs/format/portable.md`. Neither side needs more memory than
//! a few blocks, and neither goes back: a pipe will do.
//!
//! * P1. A reader hands on nothing that its writer did not write, in the order in which it was written.
//! * P2. Only a copy that was read to its end, with totals that agree, is complete: whoever changes anything by what
//!   a reader gave must be able to take it back until then.

#![forbid(unsafe_code)]

mod contents;
mod error;
mod read;
mod write;

pub use contents::{Intervals, Records};
pub use error::{CopyError, What};
pub use read::{Block, Reader};
pub use write::{RunWriter, Writer};
