//! Records behind those that a file has: which formats can stand in one file, and what the file is then.

use crate::format::Attributes;
use crate::recfm::RecordFormat;

impl Attributes {
    /// What a file is that has records of these attributes and, behind them, records of `more`; none where nobody could
    /// read both.
    pub fn followed_by(&self, more: &Attributes) -> Option<Attributes> {
        if self.lies_as() != more.lies_as() || self.codepage != more.codepage {
            return None;
        }
        match self.recfm {
            RecordFormat::F | RecordFormat::FB => self.of_one_length(more),
            RecordFormat::U => (self.undefined_length() == more.undefined_length()).then_some(*self),
            // Each record says where it ends, and so the limits are those of the longest.
            _ => Some(Attributes {
                lrecl: limit_of_both(self.lrecl, more.lrecl),
                blksize: limit_of_both(self.blksize, more.blksize),
                ..*self
            }),
        }
    }

    /// How bytes become records; blocked or not is the same in a file.
    fn lies_as(&self) -> (RecordFormat, bool) {
        let recfm = match self.recfm {
            RecordFormat::F => RecordFormat::FB,
            RecordFormat::V => RecordFormat::VB,
            RecordFormat::VS => RecordFormat::VBS,
            other => other,
        };
        (recfm, self.writes_bdw())
    }

    fn of_one_length(&self, more: &Attributes) -> Option<Attributes> {
        match (self.fixed_length(), more.fixed_length()) {
            (Ok(length), Ok(other)) => (length == other).then_some(Attributes {
                blksize: match self.blksize {
                    0 if self.recfm == more.recfm => more.blksize,
                    stated => stated,
                },
                ..*self
            }),
            (Err(_), Ok(_)) => Some(*more),
            (_, Err(_)) => Some(*self),
        }
    }
}

/// The higher one; 0 is no limit.
fn limit_of_both(one: u32, other: u32) -> u32 {
    match (one, other) {
        (0, _) | (_, 0) => 0,
        _ => one.max(other),
    }
}
