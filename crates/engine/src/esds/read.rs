//! Finding records by RBA, without a lock or latch: what was read counts if its pages are unchanged afterwards.

use super::Esds;
use crate::common::segments::{FIRST, LAST, MIDDLE};
use crate::error::RequestError;
use crate::pool::{Begun, View};
use std::cmp::Ordering;

/// What a look at a page came to.
enum PageLook {
    /// The record that starts at this offset is in the area.
    Found(usize),
    /// No record that would do starts here.
    Nothing,
    /// The page changed under the reader.
    Again,
}

/// Which record of a page is wanted: by the offset at which it starts.
#[derive(Clone, Copy)]
enum WantedRecord {
    At(usize),
    From(usize),
    To(usize),
}

impl Esds {
    /// The record that starts at `rba`.
    pub(crate) fn record_at(&self, rba: u64, area: &mut Vec<u8>) -> Result<bool, RequestError> {
        let Some((ci, offset)) = self.locate(rba) else {
            return Ok(false);
        };
        let page = self.data.page(ci)?;
        Ok(self.look(ci, page, WantedRecord::At(offset), area)?.is_some())
    }

    /// The first record that starts at `rba` or above.
    pub(super) fn first_record(&self, rba: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        let end = self.intervals.end();
        let Some((first, mut offset)) = self.locate(rba) else {
            return Ok(None);
        };
        for ci in first..end {
            let page = self.page_ahead(ci, end)?;
            if let Some(found) = self.look(ci, page, WantedRecord::From(offset), area)? {
                return Ok(Some(found));
            }
            offset = 0;
        }
        Ok(None)
    }

    /// The last record that starts at `rba` or below.
    pub(super) fn last_record(&self, rba: u64, area: &mut Vec<u8>) -> Result<Option<u64>, RequestError> {
        let size = self.data.layout.ci_size;
        let end = self.intervals.end();
        let (last, mut offset) = self.locate(rba).unwrap_or((end.saturating_sub(1), size));
        for ci in (0..=last).rev().filter(|ci| *ci < end) {
            let page = self.data.page(ci)?;
            if let Some(found) = self.look(ci, page, WantedRecord::To(offset), area)? {
                return Ok(Some(found));
            }
            offset = size;
        }
        Ok(None)
    }

    /// CI and offset in it, of an RBA below the end.
    fn locate(&self, rba: u64) -> Option<(u32, usize)> {
        let size = self.data.layout.ci_size as u64;
        let ci = u32::try_from(rba / size).ok().filter(|ci| *ci < self.intervals.end())?;
        Some((ci, (rba % size) as usize))
    }

    /// Looks for a record on a page, again and again until the page does not change meanwhile; its RBA.
    fn look(
        &self,
        ci: u32,
        page: (u32, u64),
        wanted: WantedRecord,
        area: &mut Vec<u8>,
    ) -> Result<Option<u64>, RequestError> {
        let (mut page, mut begun) = (page, Begun::default());
        loop {
            match self.look_once(ci, page, wanted, area)? {
                PageLook::Found(offset) => return Ok(Some(self.rba_of_ci(ci) + offset as u64)),
                PageLook::Nothing => return Ok(None),
                PageLook::Again => {
                    begun = self.again(begun)?;
                    page = self.data.page(ci)?;
                }
            }
        }
    }

    fn look_once(
        &self,
        ci: u32,
        (frame, version): (u32, u64),
        wanted: WantedRecord,
        area: &mut Vec<u8>,
    ) -> Result<PageLook, RequestError> {
        let view = self.pool.view(frame);
        let (segment, pos) = (view.segment(), wanted.on(view));
        let Some(pos) = pos.filter(|_| segment <= FIRST) else {
            return Ok(if self.unchanged(frame, version) {
                PageLook::Nothing
            } else {
                PageLook::Again
            });
        };
        let offset = view.span(pos).0;
        if !view.record(pos, area) || !self.unchanged(frame, version) {
            return Ok(PageLook::Again);
        }
        if segment == FIRST && !self.gather(ci, (frame, version), area)? {
            return Ok(PageLook::Again);
        }
        Ok(PageLook::Found(offset))
    }

    /// The segments that follow the first one, which is in the area. False: something changed (E4).
    fn gather(&self, first: u32, page: (u32, u64), area: &mut Vec<u8>) -> Result<bool, RequestError> {
        let mut read = vec![page];
        let mut piece = Vec::new();
        for ci in first + 1..self.intervals.end() {
            let (frame, version) = self.data.page(ci)?;
            let view = self.pool.view(frame);
            let segment = view.segment();
            let sound = view.record(0, &mut piece);
            if !sound || !self.unchanged(frame, version) {
                return Ok(false);
            }
            if segment != MIDDLE && segment != LAST {
                // A backout may have cut the record off since its first segment was read (E5).
                if !read.iter().all(|&(frame, version)| self.unchanged(frame, version)) {
                    return Ok(false);
                }
                break;
            }
            area.extend_from_slice(&piece);
            read.push((frame, version));
            if segment == LAST {
                return Ok(read.iter().all(|&(frame, version)| self.unchanged(frame, version)));
            }
        }
        if !self.unchanged(read[0].0, read[0].1) {
            return Ok(false);
        }
        Err(self.data_error(first, "the next segment of its spanned record is missing"))
    }
}

impl WantedRecord {
    /// The position of the record wanted.
    fn on(self, view: View<'_>) -> Option<usize> {
        let count = view.count().min(view.slot_cap());
        match self {
            WantedRecord::At(offset) => {
                Some(first_at(view, count, offset)).filter(|&p| p < count && view.span(p).0 == offset)
            }
            WantedRecord::From(offset) => Some(first_at(view, count, offset)).filter(|&p| p < count),
            WantedRecord::To(offset) => first_at(view, count, offset + 1).checked_sub(1),
        }
    }
}

/// The first of `count` records that starts at `offset` or behind it.
fn first_at(view: View<'_>, count: usize, offset: usize) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        match view.span(middle).0.cmp(&offset) {
            Ordering::Less => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}
