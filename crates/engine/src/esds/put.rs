//! Adding a record behind the last one (E1, E2), and replacing one by another of the same length (E4).

use super::Esds;
use crate::common::context::{Context, Redo};
use crate::common::segments::{FIRST, LAST};
use crate::error::RequestError;
use crate::pool::{Begun, Latched, Page, Width};
use crate::sync::atomic::Ordering::Relaxed;
use cica_counters::DataSetCount;
use cica_format::ci;

/// What a unit keeps that added a record (E5).
pub const END: &[u8] = &[];

/// What one try to put a record into the last CI came to.
enum PutTried {
    Done(u64),
    /// The page changed under us.
    Again,
    /// The page needs a frame of this width.
    Wider(Width),
    NoRoom,
}

impl Esds {
    /// Adds a record; its length has been checked. Returns its RBA, and whether that ended a control area.
    pub fn put(&self, record: &[u8], context: Context<'_>) -> Result<(u64, bool), RequestError> {
        let _gate = context.shared(self);
        self.check_fence()?;
        let _tail = self.tail.lock();
        self.check_kept(context, END)?;
        let before = self.intervals.end();
        let rba = if record.len() > self.longest_unspanned() {
            self.put_segments(record, context)?
        } else {
            self.put_whole(record, context)?
        };
        // REC-INSERTED counts what comes between other records: here nothing.
        self.counters.add(DataSetCount::Records, 1);
        self.record_comes(record);
        Ok((rba, self.end_cas(before)))
    }

    /// The RBA that the next record gets, if it has this length. It does until a record is added.
    pub fn next_rba(&self, len: usize) -> Result<u64, RequestError> {
        let _tail = self.tail.lock();
        if len > self.longest_unspanned() {
            return Ok(self.rba_of_ci(self.fresh_intervals(len)));
        }
        let end = self.intervals.end();
        let mut in_last = None;
        if let Some(last) = end.checked_sub(1) {
            let mut latched = self.data.latch(last)?;
            let offset = self.room_behind(&Page::of(latched.cells()), len);
            in_last = offset.map(|offset| self.rba_of_ci(last) + offset as u64);
        }
        Ok(in_last.unwrap_or_else(|| self.rba_of_ci(end)))
    }

    /// While loading, control areas that were completed are written at once. What cannot be written now is asked for
    /// again by the commit, which says so.
    fn end_cas(&self, before: u32) -> bool {
        let full = |end: u32| end.saturating_sub(1) / self.data.layout.ci_per_ca as u32;
        let (first, last) = (full(before), full(self.intervals.end()));
        if first == last || !self.loading.load(Relaxed) {
            return false;
        }
        for ca in first..last {
            // Written early: what fails here the commit meets again.
            let _ = self.data.write_behind(ca);
        }
        true
    }

    fn put_whole(&self, record: &[u8], context: Context<'_>) -> Result<u64, RequestError> {
        let end = self.intervals.end();
        if let Some(last) = end.checked_sub(1) {
            if let Some(rba) = self.put_into(last, record, context)? {
                return Ok(rba);
            }
        }
        self.make_intervals(end as u64 + 1)?;
        let rba = self.rba_of_ci(end);
        self.keep_new(rba, context)?;
        let mut latched = self.data.latch(end)?;
        let mut page = Page::of(latched.cells());
        page.insert(0, record, self.shape);
        self.log_put(rba, record, context);
        self.data.changed(&mut latched);
        drop(latched);
        self.intervals.reach(end + 1);
        self.data.note_records(end);
        Ok(rba)
    }

    /// Puts a record behind the others of a CI; `None` if there is no room.
    fn put_into(&self, ci: u32, record: &[u8], context: Context<'_>) -> Result<Option<u64>, RequestError> {
        let mut begun = Begun::default();
        loop {
            match self.try_put(ci, record, context)? {
                PutTried::Done(rba) => return Ok(Some(rba)),
                PutTried::Again => begun = self.again(begun)?,
                PutTried::Wider(width) => {
                    let (frame, version) = self.data.page(ci)?;
                    self.widen(frame, version, width)?;
                    begun = self.again(begun)?;
                }
                PutTried::NoRoom => return Ok(None),
            }
        }
    }

    /// The same, once.
    fn try_put(&self, ci: u32, record: &[u8], context: Context<'_>) -> Result<PutTried, RequestError> {
        let (frame, version) = self.data.page(ci)?;
        let (count, cap) = (self.pool.view(frame).count(), self.pool.view(frame).slot_cap());
        let Some(mut latched) = self.pool.latch_at(frame, version) else {
            return Ok(PutTried::Again);
        };
        let mut page = Page::of(latched.cells());
        let Some(offset) = self.room_behind(&page, record.len()) else {
            return Ok(PutTried::NoRoom);
        };
        if count == cap {
            drop(latched);
            return Ok(PutTried::Wider(self.wider(count)));
        }
        let rba = self.rba_of_ci(ci) + offset as u64;
        self.keep_new(rba, context)?;
        page.insert(count, record, self.shape);
        self.log_put(rba, record, context);
        self.data.changed(&mut latched);
        drop(latched);
        if count == 0 {
            // It was skipped by a record that a backout took away.
            self.data.note_records(ci);
        }
        Ok(PutTried::Done(rba))
    }

    /// The offset behind the last record of a page, if one of this length has room there. A page of the shortest
    /// records may have no slot for it before its CI is full.
    fn room_behind(&self, page: &Page<'_>, len: usize) -> Option<usize> {
        let size = self.data.layout.ci_size;
        let rdfs = page.rdfs_with(page.count(), len);
        let used = page.data_len() + len + rdfs * ci::RDF_LEN + ci::CIDF_LEN;
        let has_room = page.segment() == 0 && used <= size && page.count() < Page::most_records(size);
        has_room.then(|| page.data_len())
    }

    /// The first of the fresh CIs, all of one CA, that a spanned record of this length gets (E2).
    fn fresh_intervals(&self, len: usize) -> u32 {
        let need = self.segments(len) as u32;
        let per_ca = self.data.layout.ci_per_ca as u32;
        let end = self.intervals.end();
        let left = (per_ca - end % per_ca) % per_ca;
        if need > left {
            end + left
        } else {
            end
        }
    }

    /// A spanned record.
    fn put_segments(&self, record: &[u8], context: Context<'_>) -> Result<u64, RequestError> {
        let need = self.segments(record.len()) as u32;
        let first = self.fresh_intervals(record.len());
        self.make_intervals(first as u64 + need as u64)?;
        let (ca, i) = self.data.layout.split(first);
        let cis: Vec<u32> = (i as u32..i as u32 + need).collect();
        let rba = self.rba_of_ci(first);
        let _reserve = self.reserve(1)?;
        self.keep_new(rba, context)?;
        self.or_fence(|| self.write_segments(ca, &cis, record))?;
        self.log_put(rba, record, context);
        self.intervals.reach(first + need);
        Ok(rba)
    }

    /// Keeps a record that a unit is about to add. Refused, nothing has changed: somebody looks at this moment for a
    /// record that a backout cut off there.
    fn keep_new(&self, rba: u64, context: Context<'_>) -> Result<(), RequestError> {
        match context {
            Context::Unit(step) => step.keep(self, &rba.to_be_bytes()),
            _ => Ok(()),
        }
    }

    fn log_put(&self, rba: u64, record: &[u8], context: Context<'_>) {
        let place = &rba.to_be_bytes();
        self.log(context, Redo::Insert { place, record });
    }

    /// Before a record is added again that began its CI: takes in the CIs in front of it that were empty then. A
    /// spanned record had skipped them that its unit took back, and an archive has nothing of that unit. They are of
    /// the CA in which the end is, or the skip went to the next one.
    pub(super) fn skip_to(&self, rba: u64, len: usize) -> Result<(), RequestError> {
        let size = self.data.layout.ci_size as u64;
        let _tail = self.tail.lock();
        let (end, per_ca) = (self.intervals.end(), self.data.layout.ci_per_ca as u32);
        let Some(ci) = u32::try_from(rba / size).ok().filter(|_| rba % size == 0) else {
            return Ok(());
        };
        if ci < end || Some(ci) > end.checked_next_multiple_of(per_ca) {
            return Ok(());
        }
        // One that is spanned begins behind the end, another one goes to the last CI in use.
        let spanned = len > self.longest_unspanned();
        let in_use = if spanned { ci } else { ci + 1 };
        self.make_intervals(u64::from(in_use))?;
        self.intervals.reach(in_use);
        Ok(())
    }

    /// Replaces the record at `rba` by one of the same length.
    pub fn replace_at(&self, rba: u64, record: &[u8], context: Context<'_>) -> Result<(), RequestError> {
        let _gate = context.shared(self);
        self.check_fence()?;
        let size = self.data.layout.ci_size as u64;
        let (first, offset) = ((rba / size) as u32, (rba % size) as usize);
        if rba / size >= self.intervals.end() as u64 {
            return Err(RequestError::BadRba { rba });
        }
        // Its pages are latched together (P7).
        let spanned = record.len() > self.longest_unspanned();
        let _reserve = if spanned {
            Some(self.reserve(self.segments(record.len()) + 1)?)
        } else {
            None
        };
        let mut latched = self.latch_record(first)?;
        let pos = {
            let page = Page::of(latched[0].cells());
            let at = (0..page.count()).find(|&i| page.span(i).0 == offset);
            at.ok_or(RequestError::BadRba { rba })?
        };
        let has: usize = match latched.len() {
            1 => Page::of(latched[0].cells()).len_of(pos),
            _ => latched.iter_mut().map(|l| Page::of(l.cells()).len_of(0)).sum(),
        };
        if has != record.len() {
            return Err(RequestError::LengthChange {
                given: record.len(),
                has,
            });
        }
        self.latched_record_goes(&mut latched, pos);
        let mut rest = record;
        for page in &mut latched {
            let mut page = Page::of(page.cells());
            let (piece, left) = rest.split_at(page.len_of(pos));
            page.replace(pos, piece, self.shape);
            if page.segment() != 0 {
                let (segment, updates) = (page.segment(), page.update_number());
                page.set_segment(segment, updates.wrapping_add(1));
            }
            rest = left;
        }
        let place = &rba.to_be_bytes();
        self.log(context, Redo::Update { place, record });
        for page in &mut latched {
            self.data.changed(page);
        }
        self.counters.add(DataSetCount::Updated, 1);
        self.record_comes(record);
        Ok(())
    }

    /// The page of a CI, latched, and those of the segments that follow if it has the first of a spanned record.
    pub(super) fn latch_record(&self, first: u32) -> Result<Vec<Latched<'_>>, RequestError> {
        let mut latched = vec![self.data.latch(first)?];
        if latched[0].view().segment() == FIRST {
            for ci in first + 1..self.intervals.end() {
                let page = self.data.latch(ci)?;
                let segment = page.view().segment();
                latched.push(page);
                if segment == LAST {
                    break;
                }
            }
        }
        Ok(latched)
    }
}
