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
    /// Are records asked for by address?
    pub(crate) fn is_by_address(&self) -> bool {
        matches!(self.from, From::Address(_)) || matches!(self.to, To::Address(_))
    }
}
