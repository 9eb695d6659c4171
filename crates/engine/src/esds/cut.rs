//! Taking the last record away again: the backout of a unit that added it (E5).

use super::put::END;
use super::Esds;
use crate::common::context::{Context, Redo};
use crate::error::RequestError;
use crate::pool::Page;
use cica_counters::DataSetCount;

impl Esds {
    /// Takes the record at `rba` away, the last one.
    ///
    /// # Errors
    /// 8/32: the last record is another; nothing has changed.
    pub fn cut_last(&self, rba: u64, context: Context<'_>) -> Result<(), RequestError> {
        let _gate = context.shared(self);
        self.check_fence()?;
        let _tail = self.tail.lock();
        self.check_kept(context, END)?;
        let size = self.data.layout.ci_size as u64;
        let bad = RequestError::BadRba { rba };
        let Ok(first) = u32::try_from(rba / size) else {
            return Err(bad);
        };
        if first >= self.intervals.end() {
            return Err(bad);
        }
        let mut latched = self.latch_record(first)?;
        let page = Page::of(latched[0].cells());
        let count = page.count();
        let is_last = count > 0 && page.span(count - 1).0 as u64 == rba % size;
        // Behind it there may be empty CIs alone: an earlier record that was spanned and is cut off.
        if !is_last || !self.is_empty_from(first + latched.len() as u32)? {
            return Err(bad);
        }
        self.latched_record_goes(&mut latched, count - 1);
        match &mut latched[..] {
            [page] => Page::of(page.cells()).remove(count - 1),
            segments => segments.iter_mut().for_each(|page| {
                Page::format(page.cells(), size as usize);
            }),
        }
        let key = &rba.to_be_bytes();
        self.log(context, Redo::Erase { key });
        let cis = latched.len() as u32;
        for page in &mut latched {
            self.data.changed(page);
        }
        drop(latched);
        self.counters.sub(DataSetCount::Records, 1);
        if count == 1 {
            // The CIs stay behind the end until the next record comes, which finds them empty.
            self.intervals.retreat(first);
            for ci in first..first + cis {
                self.data.note_records(ci);
            }
        }
        Ok(())
    }

    fn is_empty_from(&self, ci: u32) -> Result<bool, RequestError> {
        for ci in ci..self.intervals.end() {
            if self.data.latch(ci)?.view().count() > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
