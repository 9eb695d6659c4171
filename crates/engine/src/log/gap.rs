//! What stands behind the place where a log ends.
//!
//! A group is written when the one before it is durable (W2, W4 in [`super`]). So a sound group of later requests says
//! that the place was written to: it is damaged, or a device lost it after a sync that it had answered. Nothing tells
//! that of the last group, or of the only one: it may never have been written whole, and then it was not acknowledged.
//!
//! Behind a log that has no first group may also stand what is left of its last epoch, which all trees have. Only its
//! reader can tell: they have it, or it is a gap.

use super::replay::{read_at, sound_group, LogReader};
use super::LogError;
use cica_format::log::{group_header, GroupHeader, BLOCK_LEN};
use std::fmt;

/// So much of a log is looked through at a time.
const PIECE: usize = 1 << 20;

/// A place in a log where requests were, or may have been, that are not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Where it begins in the file, and where the next group stands.
    pub bytes: (u64, u64),
    /// LSN of the last request before it, if there is one.
    pub after: Option<u64>,
    /// LSN of the first request behind it.
    pub before: u64,
}

impl Gap {
    /// Were no requests there, but only what introduces data sets? LSNs begin with 1.
    pub fn misses_nothing(&self) -> bool {
        self.after.unwrap_or(0) + 1 == self.before
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap {
            bytes: (from, to),
            after,
            before,
        } = *self;
        write!(f, "its bytes {from} to {} are damaged, and with them ", to - 1)?;
        match after.map(|after| (after + 1, before - 1)) {
            None => write!(f, "requests before request {before}"),
            Some((first, last)) if first == last => write!(f, "request {first}"),
            Some((first, last)) => write!(f, "requests {first} to {last}"),
        }
    }
}

impl LogReader {
    /// Where [`next_group`](Self::next_group) found the end: goes on at the next group of later requests that stands
    /// anywhere behind it. `None`: there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn pass_gap(&mut self) -> Result<Option<Gap>, LogError> {
        let Some((at, header)) = self.later_group()? else {
            return Ok(None);
        };
        let gap = Gap {
            bytes: (self.at, at),
            after: self.lsn,
            before: header.first_lsn,
        };
        self.at = at;
        self.epoch = Some(header.epoch);
        self.lsn = Some(header.first_lsn.saturating_sub(1));
        Ok(Some(gap))
    }

    fn later_group(&self) -> Result<Option<(u64, GroupHeader)>, LogError> {
        let mut piece = vec![0; PIECE];
        let mut begin = self.at;
        loop {
            let got = read_at(&*self.file, begin, &mut piece)?;
            for (n, block) in piece[..got].chunks_exact(BLOCK_LEN).enumerate() {
                if group_header(block).is_ok_and(|header| self.is_later(&header)) {
                    let at = begin + (n * BLOCK_LEN) as u64;
                    let group = sound_group(&*self.file, at)?;
                    if let Some((_, header, _)) = group.filter(|(_, header, _)| self.is_later(header)) {
                        return Ok(Some((at, header)));
                    }
                }
            }
            if got < piece.len() {
                return Ok(None);
            }
            begin += got as u64;
        }
    }

    /// LSNs rise from epoch to epoch too: what an earlier one left has lower ones, or none at its end (Y2 in `carry.rs`).
    fn is_later(&self, header: &GroupHeader) -> bool {
        let is_older = self.epoch.is_some_and(|epoch| header.epoch < epoch);
        header.log == self.header.log && !is_older && self.lsn.is_none_or(|lsn| lsn < header.first_lsn)
    }
}
