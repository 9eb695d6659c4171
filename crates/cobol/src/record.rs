//! A record that was read, and what records go by.

use crate::fd::Fd;
use crate::libcob::layout::organization;
use cica_engine::{Record, RequestError, Str};

/// What records go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Keys: an indexed file.
    Key,
    /// Numbers: a relative file.
    Number,
    /// Addresses, which no program sees: a sequential file.
    Address,
}

impl By {
    /// Of a file with this FD.
    pub fn of(fd: &Fd) -> By {
        match fd.organization {
            organization::INDEXED => By::Key,
            organization::RELATIVE => By::Number,
            _ => By::Address,
        }
    }
}

/// A record that was read.
pub struct Read<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its relative record number, or its address.
    pub number: u64,
    /// By an alternate key, and another record with the same key follows.
    pub same_key_follows: bool,
}

impl<'a> Read<'a> {
    /// The program's record, behind a head of so many bytes.
    #[inline]
    pub fn without(self, head: usize) -> Read<'a> {
        Read {
            bytes: self.bytes.get(head..).unwrap_or_default(),
            ..self
        }
    }

    /// What a string that reads by this key returns.
    #[inline]
    pub fn by(
        by: usize,
        reader: &'a mut Str,
        step: impl for<'s> FnOnce(&'s mut Str) -> Result<Record<'s>, RequestError>,
    ) -> Result<Read<'a>, RequestError> {
        if by == 0 {
            let record = step(reader)?;
            return Ok(Read {
                bytes: record.bytes,
                number: match record.rrn {
                    0 => record.rba,
                    number => number.into(),
                },
                same_key_follows: false,
            });
        }
        step(reader)?;
        Ok(Read {
            same_key_follows: reader.duplicate(),
            number: 0,
            bytes: reader.last().bytes,
        })
    }
}
