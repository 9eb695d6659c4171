//! Which records REPRO and PRINT take: FROMKEY, FROMADDRESS, FROMNUMBER or SKIP to begin, TOKEY, TOADDRESS, TONUMBER or
//! COUNT to end.
//!
//! | parameter | of |
//! |---|---|
//! | FROMKEY, TOKEY | KSDS |
//! | FROMADDRESS, TOADDRESS | KSDS, ESDS, LDS, and anything with CIMODE; the first must be the address of a record |
//! | FROMNUMBER, TONUMBER | RRDS, VRRDS |
//! | SKIP, COUNT | anything |

use super::named::KeyValue;
use super::report::Report;
use cica_messages::{CICA1120W, IDC11462I};

/// Which records, in the order of the data set or file. As a whole: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// Where it begins.
    pub from: From,
    /// Where it ends.
    pub to: To,
}

/// Where a range begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum From {
    /// With the first record.
    #[default]
    Start,
    /// With the first record at or above this key, which may be the beginning of one.
    Key(KeyValue),
    /// With the record at this RBA.
    Address(u64),
    /// With the first record at or above this relative record number.
    Number(u32),
    /// After so many records.
    Skip(u64),
}

/// Where a range ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum To {
    /// With the last record.
    #[default]
    End,
    /// With the last record not above this key, of which as many bytes count as there are.
    Key(KeyValue),
    /// With the last record that starts at this RBA or before it.
    Address(u64),
    /// With the last record not above this relative record number.
    Number(u32),
    /// After so many records.
    Count(u64),
}

impl Range {
    /// Says that no record was in the range, of an input of which so many were read; returns the condition code.
    pub(crate) fn say_nothing(&self, name: &str, read: u64, out: &mut Report) -> u8 {
        let inserts: [(&'static str, &dyn std::fmt::Display); 1] = [("name", &name)];
        let (message, inserts) = if self.met_its_end(read) {
            (&CICA1120W, &inserts[..])
        } else {
            (&IDC11462I, &[][..])
        };
        out.say_apart(message, inserts);
        message.cc
    }

    /// Of an input without a record in the range so many were read: was one of them behind the end of the range?
    pub(crate) fn met_its_end(&self, read: u64) -> bool {
        let skipped = match self.from {
            From::Skip(count) => count,
            _ => 0,
        };
        read > skipped
    }

    /// Are records asked for by address?
    pub(crate) fn is_by_address(&self) -> bool {
        matches!(self.from, From::Address(_)) || matches!(self.to, To::Address(_))
    }
}
