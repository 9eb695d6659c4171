//! The page that a sequential reader comes to next, on its way into the processor's cache: with each record of a page a
//! part of the next one is asked for. Asked for at its turn, it would have to be waited for; the more so after inserts,
//! when its records lie in another order than their keys. Asked for at once, or some records at a time, it comes no
//! sooner.

use crate::pool::{prefetch_line_at, Pool, LINE_LEN};

/// A frame, and how much of it was asked for. What it holds by then does not matter: it is only asked for.
#[derive(Debug, Default)]
pub struct NextPage {
    /// Addresses: of what is asked for next, and behind the frame.
    at: usize,
    end: usize,
    /// Bytes that are asked for with a record.
    each: usize,
}

impl NextPage {
    /// The page in a frame, where so many records come before it.
    pub fn of(pool: &Pool, frame: u32, records: usize) -> NextPage {
        let place = pool.addresses(frame);
        NextPage {
            at: place.start,
            each: place.len().div_ceil(records.max(1)).next_multiple_of(LINE_LEN),
            end: place.end,
        }
    }

    /// A record more was handed out.
    #[inline]
    pub fn ask_on(&mut self) {
        if self.at < self.end {
            let until = self.at + self.each;
            while self.at < until {
                prefetch_line_at(self.at);
                self.at += LINE_LEN;
            }
        }
    }
}
