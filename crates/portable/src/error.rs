//! What is wrong with a portable copy, and where.

use cica_format::FormatError;
use std::fmt;
use std::io;

/// Why a copy cannot be read any further. `Display` says what, where and what to do.
#[derive(Debug)]
pub struct CopyError {
    /// Byte of the copy at which the block begins, or the head.
    pub at: u64,
    /// Number of the block; none: the head.
    pub block: Option<u64>,
    /// What is wrong there.
    pub what: What,
}

/// See [`CopyError::what`].
#[derive(Debug)]
#[non_exhaustive]
pub enum What {
    /// The bytes are not those that were written, or of a newer version.
    Format(FormatError),
    /// The copy ends here, before its end was written.
    Cut,
    /// Bytes follow behind the end.
    Longer,
    /// The block here is of another copy, or of another place in this one.
    Misplaced {
        /// The place it was written for.
        number: u64,
    },
    /// What the blocks amount to is not what the totals say.
    Totals,
    /// Blocks are not in the order in which copies are written.
    Order(&'static str),
    /// The system refused to read on.
    Io(io::Error),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block {
            Some(block) => write!(f, "block {block} of the portable copy, at byte {}: ", self.at)?,
            None => write!(f, "portable copy, at byte {}: ", self.at)?,
        }
        match &self.what {
            What::Format(error) => write!(f, "{error}; take another copy"),
            What::Cut => write!(
                f,
                "the copy ends here and its end is missing: it was cut short; take it again"
            ),
            What::Longer => write!(f, "bytes follow behind its end; this is not the file that was written"),
            What::Misplaced { number } => write!(
                f,
                "what stands here was written as block {number}, or into another copy; parts are missing or exchanged"
            ),
            What::Totals => write!(
                f,
                "the totals are not those of the blocks before them; take another copy"
            ),
            What::Order(words) => write!(f, "{words}"),
            What::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.what {
            What::Format(error) => Some(error),
            What::Io(error) => Some(error),
            _ => None,
        }
    }
}
