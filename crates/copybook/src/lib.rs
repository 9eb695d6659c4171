//! A copybook: which bytes of a record are text, which are a digit with a sign in it, and which are left alone.
//!
//! ```text
//! error     what is wrong, and in which line
//! source    lines -> words, fixed or free format
//! picture   PICTURE -> what kind of characters, and how many
//! item      words -> data description entries
//! layout    entries -> runs of bytes
//! ```
//! 1. Every byte of a run has one kind in all records: what differs from record to record (REDEFINES of another kind,
//!    something behind an OCCURS DEPENDING ON) is an error.
//! 2. Sizes are those of z/OS and of `cobc -std=ibm`: COMP of 1 to 4 digits has 2 bytes, of 5 to 9 digits 4, else 8.
//! 3. A clause that is not known is an error, never passed over: it might be about sizes.

#![forbid(unsafe_code)]

mod error;
mod item;
mod layout;
mod picture;
mod source;

pub use error::CopybookError;
pub use layout::{ByteKind, ByteRun, RecordLayout};

/// The layout that a copybook describes.
///
/// # Errors
/// A line that is not understood, or describes what has no one layout.
pub fn parse(text: &str) -> Result<RecordLayout, CopybookError> {
    let words = source::words(text)?;
    let items = item::items(&words)?;
    layout::lay(&items)
}

#[cfg(test)]
mod tests;
