//! CIs in a row, without an index: the data of an ESDS, RRDS or LDS.

use super::Common;
use crate::error::RequestError;
use crate::sync::atomic::{AtomicU32, Ordering::*};

/// Most CIs one sequential read asks for ahead.
const AHEAD: u32 = 64;

/// The CIs of a data component that are in use: those below the end.
pub struct Intervals {
    end: AtomicU32,
}

impl Intervals {
    /// As the root has it: `top` is the end where anything was ever stored.
    pub fn new(top: u32, levels: u8) -> Intervals {
        Intervals {
            end: AtomicU32::new(if levels == 0 { 0 } else { top }),
        }
    }

    /// The first CI number not in use.
    #[inline]
    pub fn end(&self) -> u32 {
        self.end.load(Acquire)
    }

    /// What the root is to say: the end, and whether there is anything (`levels`).
    pub fn top(&self) -> (u32, u8) {
        match self.end() {
            0 => (u32::MAX, 0),
            end => (end, 1),
        }
    }

    /// CIs below `end` are in use from now on.
    pub fn reach(&self, end: u32) {
        self.end.fetch_max(end, AcqRel);
    }

    /// CIs from `end` on are not in use any more; they are empty.
    pub fn retreat(&self, end: u32) {
        self.end.fetch_min(end, AcqRel);
    }

    /// Nothing is in use (RESET).
    pub fn reset(&self) {
        self.end.store(0, Release);
    }
}

impl Common {
    /// Appends CAs so that there are CIs below `end`. One at a time.
    pub fn make_intervals(&self, end: u64) -> Result<(), RequestError> {
        let cas = end.div_ceil(self.data.layout.ci_per_ca as u64);
        match u32::try_from(cas) {
            Ok(cas) if cas <= self.data.ca_count() => Ok(()),
            Ok(cas) => self.data.append_to(cas),
            Err(_) => Err(RequestError::NoSpace {
                why: format!("{} would have {cas} control areas", self.data.name),
            }),
        }
    }

    /// RBA of a CI.
    #[inline]
    pub fn rba_of_ci(&self, ci: u32) -> u64 {
        self.data.rba(ci, 0)
    }

    /// A CI's page for a reader that goes forward: with it the CIs behind it in its CA are read, up to `end`.
    #[inline]
    pub fn page_ahead(&self, ci: u32, end: u32) -> Result<(u32, u64), RequestError> {
        match self.data.resident(ci) {
            Some(page) => Ok(page),
            None => self.page_read_ahead(ci, end),
        }
    }

    #[cold]
    fn page_read_ahead(&self, ci: u32, end: u32) -> Result<(u32, u64), RequestError> {
        let last = self.data.layout.join(self.data.layout.split(ci).0 + 1, 0).min(end);
        let cis: Vec<u32> = (ci..last.min(ci + AHEAD)).collect();
        self.data.read_ahead(&cis);
        self.data.page(ci)
    }

    /// True while a page is as the reader found it.
    #[inline]
    pub fn unchanged(&self, frame: u32, version: u64) -> bool {
        self.pool.descriptor(frame).latch.unchanged(version)
    }
}
