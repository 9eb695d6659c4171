//! Dirty CIs to free slots, changed CA headers to their other copies (S1).

use super::ca::{CiPlace, NO_REGION};
use super::images::Images;
use super::placing::{Dirty, Slot};
use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::{Latched, PageId, PageKind, NO_FRAME};
use crate::sync::atomic::Ordering::Relaxed;
use cica_disk::{ReadAt, WriteAt};
use cica_format::ca::NO_SLOT;
use cica_format::checksum::{ci_checksum, Identity};
use cica_format::ci;

/// Changed CAs for which writing ahead of the commit is worth a sync more.
const WORTH_IT: usize = 4;

impl Component {
    /// Writes the dirty CIs of all CAs ahead of the commit, and headers if asked to, while requests go on. Returns how
    /// many CIs were written since the last sync, those too that requests gave up. Nothing is done where little would
    /// be gained, and what fails is left to the commit.
    pub fn write_early(&self, with_headers: bool) -> usize {
        let changed: Vec<u32> = self.changed.lock().iter().copied().collect();
        if changed.len() < WORTH_IT {
            return 0;
        }
        for ca in changed {
            let written = self.write_behind(ca);
            if written.is_ok() && with_headers {
                self.write_header_early(ca);
            }
        }
        // A commit beside this one may sync between the two looks.
        let synced = self.synced.load(Relaxed);
        self.written.load(Relaxed).saturating_sub(synced) as usize
    }

    /// Writes the header of a CA all of whose CIs are written.
    fn write_header_early(&self, ca: u32) {
        let _guard = self.lock(ca).lock();
        let descriptor = self.directory.get(ca);
        // One that was given up wrote its header then.
        if descriptor == NO_FRAME {
            return;
        }
        let page = CaPage::of(self.pool.view(descriptor));
        // S8: a CI that becomes dirty behind this is listed again, and one that did before is seen as dirty.
        self.changed.lock().remove(&ca);
        let mut frames = (0..self.layout.ci_per_ca).map(|i| page.frame(i));
        let is_dirty = |frame: u32| frame != NO_FRAME && self.pool.descriptor(frame).dirty();
        if frames.any(is_dirty) || self.write_header(ca, page).is_err() {
            self.ca_changed(ca);
        }
    }

    /// Writes the dirty CIs of a CA ahead of the commit; returns how many. Those that somebody is just changing stay.
    pub fn write_behind(&self, ca: u32) -> Result<usize, RequestError> {
        let _guard = self.lock(ca).lock();
        match self.directory.get(ca) {
            // All of its CIs were given up, and so written, since.
            NO_FRAME => Ok(0),
            descriptor => {
                let page = CaPage::of(self.pool.view(descriptor));
                // Who has the latch of a page may wait for that of another one.
                let mut dirty = self.dirty(ca, page, |frame, id| self.pool.latch_page(frame, id));
                self.write_latched(ca, page, &mut dirty).map(|()| dirty.len())
            }
        }
    }

    /// Writes the dirty CIs of one CA. The caller holds the CA's lock and keeps writers out.
    pub(super) fn write_dirty(&self, ca: u32, page: CaPage<'_>) -> Result<(), RequestError> {
        let mut dirty = self.dirty(ca, page, |frame, _| Some(self.pool.latch(frame)));
        self.write_latched(ca, page, &mut dirty)
    }

    /// The dirty CIs of one CA, latched.
    fn dirty<'p>(
        &'p self,
        ca: u32,
        page: CaPage<'_>,
        latch: impl Fn(u32, PageId) -> Option<Latched<'p>>,
    ) -> Vec<Dirty<'p>> {
        let latched = |i: usize| {
            let (frame, ci) = (page.frame(i), self.layout.join(ca, i as u32));
            if frame == NO_FRAME || !self.pool.descriptor(frame).dirty() {
                return None;
            }
            // Its page may have moved to a larger frame before the latch was there.
            let id = self.page_id(PageKind::Ci, ci);
            let latched = latch(frame, id).filter(|l| l.page() == Some(id))?;
            Some(Dirty { ci, i, latched })
        };
        (0..self.layout.ci_per_ca).filter_map(latched).collect()
    }

    /// Writes latched dirty pages of one CA. The caller holds the CA's lock; on failure they are dirty again.
    pub(super) fn write_latched(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>]) -> Result<(), RequestError> {
        if dirty.is_empty() {
            return Ok(());
        }
        let written = match self.places_for(page, dirty) {
            // What the others lie on may be unreadable, and the region taken have no space: neither is needed.
            Some(places) if self.gathers(page, dirty, &places) => self
                .move_region(ca, page, dirty)
                .or_else(|_| self.fill_slots(ca, page, dirty, &places)),
            Some(places) => self.fill_slots(ca, page, dirty, &places),
            _ if self.is_most(page, dirty.len()) || page.annex() != NO_REGION || !self.layout.may_have_annex() => {
                self.move_region(ca, page, dirty)
            }
            _ => self
                .take_annex(ca, page, dirty)
                .and_then(|()| match self.places_for(page, dirty) {
                    Some(places) => self.fill_slots(ca, page, dirty, &places),
                    None => self.move_region(ca, page, dirty),
                }),
        };
        if written.is_err() {
            dirty.iter_mut().for_each(|d| self.changed(&mut d.latched));
        }
        written
    }

    /// Where a slot of a CA is.
    pub(super) fn slot_at(&self, page: CaPage<'_>, slot: u16) -> u64 {
        match slot.checked_sub(self.layout.sectors as u16) {
            None => self.layout.slot(page.region(), slot),
            Some(slot) => self.layout.slot(page.annex(), slot),
        }
    }

    /// More slots: what has to be written then is what changed, and nothing has to be read.
    fn take_annex(&self, ca: u32, page: CaPage<'_>, dirty: &[Dirty<'_>]) -> Result<(), RequestError> {
        let annex = self.take_region(dirty.iter().map(|d| self.stored_sectors(d)).sum())?;
        page.set_annex(annex, page.committed_annex());
        self.ca_changed(ca);
        Ok(())
    }

    /// Writes the dirty CIs to these slots, a buffer full at a time.
    fn fill_slots(
        &self,
        ca: u32,
        page: CaPage<'_>,
        dirty: &mut [Dirty<'_>],
        slots: &[Slot],
    ) -> Result<(), RequestError> {
        let mut buffer = self.pool.buffer();
        let mut images = Images::new(buffer.bytes(), self.layout.ci_size);
        let mut places: Vec<(usize, CiPlace)> = Vec::with_capacity(dirty.len());
        for (d, slot) in dirty.iter_mut().zip(slots) {
            if slot.sectors == 0 {
                d.latched.set_clean();
                self.set_empty(page, d.i);
                self.ca_changed(ca);
                continue;
            }
            if images.is_full() {
                self.write_slots(ca, page, &places, &images)?;
                images.clear();
                places.clear();
            }
            let (old, image) = (page.place(d.i), images.next());
            let new = self.render(page, d, image, slot.left_out)?;
            images.keep(self.layout.stored_len(slot.left_out));
            places.push((
                d.i,
                CiPlace {
                    slot: slot.first,
                    committed: old.committed,
                    committed_left_out: old.committed_left_out,
                    ..new
                },
            ));
        }
        self.write_slots(ca, page, &places, &images)
    }

    /// Renders a dirty page into `image`, as long as its CI, and marks it clean. What is stored is the beginning of that,
    /// without so many sectors. The slot of the answer is to be set by the caller.
    fn render(
        &self,
        page: CaPage<'_>,
        d: &mut Dirty<'_>,
        image: &mut [u8],
        left_out: u8,
    ) -> Result<CiPlace, RequestError> {
        let view = d.latched.view();
        d.latched.set_clean();
        // The buffer holds what its last user left; the codec writes every byte.
        self.codec
            .render(d.latched.cells(), view, image)
            .map_err(|why| self.write_error(format!("{}: {why}", self.place_text(d.ci))))?;
        let stored = match usize::from(left_out) * self.layout.sector {
            0 => image.len(),
            // Its place was chosen by what its page said; bytes of a record would be lost.
            bytes if bytes > ci::free_len(image) => {
                let place = self.place_text(d.ci);
                return Err(self.write_error(format!("{place}: the CI has less free space than its place leaves out")));
            }
            bytes => ci::close_up(image, bytes),
        };
        let version = page.place(d.i).version.wrapping_add(1);
        let identity = Identity {
            component: self.id,
            ci: d.ci,
            version,
        };
        Ok(CiPlace {
            left_out,
            version,
            checksum: ci_checksum(identity, &image[..stored]),
            ..CiPlace::NOWHERE
        })
    }

    /// CI `i` of a CA has no image any more: its slot is free after the next commit. The caller holds the CA's lock.
    pub(super) fn set_empty(&self, page: CaPage<'_>, i: usize) {
        let empty = CiPlace {
            slot: NO_SLOT,
            left_out: 0,
            checksum: 0,
            ..page.place(i)
        };
        page.set_place(i, empty);
        self.flag(page, i, false);
    }

    /// Writes images to the slots of `places` (neighbouring slots as one I/O) and then enters them in the descriptor.
    fn write_slots(
        &self,
        ca: u32,
        page: CaPage<'_>,
        places: &[(usize, CiPlace)],
        images: &Images<'_>,
    ) -> Result<(), RequestError> {
        if places.is_empty() {
            return Ok(());
        }
        let write = |((_, place), buf): (&(usize, CiPlace), _)| WriteAt {
            at: self.slot_at(page, place.slot),
            buf,
        };
        let mut batch: Vec<WriteAt<'_>> = places.iter().zip(images.all()).map(write).collect();
        batch.sort_by_key(|write| write.at);
        self.count_io(runs(batch.iter().map(|w| (w.at, w.buf.len()))));
        self.file()
            .and_then(|f| f.write(&batch))
            .map_err(|e| self.write_error(format!("{}, CA {ca}: write failed: {e}", self.name)))?;
        for (i, place) in places {
            page.set_place(*i, *place);
            self.flag(page, *i, true);
        }
        self.written.fetch_add(places.len() as u64, Relaxed);
        self.count_written(places.len() as u64);
        self.ca_changed(ca);
        Ok(())
    }

    /// Writes the whole CA, in CI order, to a fresh region: the dirty CIs from their pages, the others from their
    /// slots. The caller holds the CA's lock.
    pub(super) fn move_region(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>]) -> Result<(), RequestError> {
        let region = self.take_region(self.sectors_of(page, dirty))?;
        let places = self
            .copy_ca(ca, page, dirty, region)
            .inspect_err(|_| self.give_back_region(region))?;
        for i in 0..self.layout.ci_per_ca {
            let gone = CiPlace {
                version: page.place(i).version,
                ..CiPlace::NOWHERE
            };
            page.set_place(i, gone);
        }
        for d in dirty {
            self.flag(page, d.i, false);
        }
        self.written.fetch_add(places.len() as u64, Relaxed);
        self.count_written(places.len() as u64);
        for (i, place) in places {
            page.set_place(i, place);
            self.flag(page, i, true);
        }
        let (old, committed) = (page.region(), page.committed_region());
        page.set_regions(region, committed);
        self.forget_region(old);
        self.region_left(old, committed == old);
        let (annex, committed) = (page.annex(), page.committed_annex());
        if annex != NO_REGION {
            page.set_annex(NO_REGION, committed);
            self.region_left(annex, committed == annex);
        }
        self.ca_changed(ca);
        Ok(())
    }

    /// The images in a region are needed by a recovery alone, until its slots are written over: they make room in the
    /// system's memory for those that came for them, so that a commit takes no more of it than there was. Pages that two
    /// writes of [`copy_ca`](Self::copy_ca) share stay, because half of one cannot be written without the other half.
    fn forget_region(&self, region: u32) {
        let (at_once, begin) = (self.pool.buffer_len() as u64, self.layout.slot(region, 0));
        for first in (0..self.layout.slots_len()).step_by(self.pool.buffer_len().max(1)) {
            let len = at_once.min(self.layout.slots_len() - first);
            // A hint to the system, and nothing depends on it.
            let _ = self.file().map(|f| f.forget(begin + first, len));
        }
    }

    /// Copies all CIs of a CA that have records to the slots of `region`, in CI order, a buffer full at a time; returns
    /// their places there.
    fn copy_ca(
        &self,
        ca: u32,
        page: CaPage<'_>,
        dirty: &mut [Dirty<'_>],
        region: u32,
    ) -> Result<Vec<(usize, CiPlace)>, RequestError> {
        let mut buffer = self.pool.buffer();
        let (mut places, mut next_slot, mut i) = (Vec::with_capacity(self.layout.ci_per_ca), 0, 0);
        while i < self.layout.ci_per_ca {
            let (first, slot) = (places.len(), next_slot);
            let mut images = Images::new(buffer.bytes(), self.layout.ci_size);
            let mut reads: Vec<(u64, usize)> = Vec::new();
            while i < self.layout.ci_per_ca && !images.is_full() {
                let d = dirty.binary_search_by_key(&i, |d| d.i).ok();
                let place = page.place(i);
                if d.map_or(place.slot == NO_SLOT, |d| self.is_empty(&dirty[d])) {
                    if let Some(d) = d {
                        dirty[d].latched.set_clean();
                    }
                    i += 1;
                    continue;
                }
                let place = match d {
                    Some(d) => {
                        let left_out = self.left_out(&dirty[d]);
                        self.render(page, &mut dirty[d], images.next(), left_out)?
                    }
                    None => {
                        reads.push((self.slot_at(page, place.slot), places.len() - first));
                        place
                    }
                };
                images.keep(self.layout.stored_len(place.left_out));
                let moved = CiPlace {
                    slot: next_slot,
                    committed: NO_SLOT,
                    committed_left_out: 0,
                    ..place
                };
                places.push((i, moved));
                next_slot += self.layout.stored_sectors(place.left_out) as u16;
                i += 1;
            }
            self.read_slots(ca, &reads, &mut images)?;
            for ((i, place), image) in places[first..].iter().zip(images.all()) {
                self.check_image(*place, self.layout.join(ca, *i as u32), image)?;
            }
            self.write_neighbours(ca, self.layout.slot(region, slot), &images)?;
        }
        Ok(places)
    }

    /// Reads what lies at these offsets to those of the images.
    fn read_slots(&self, ca: u32, of: &[(u64, usize)], images: &mut Images<'_>) -> Result<(), RequestError> {
        if of.is_empty() {
            return Ok(());
        }
        let mut places = of.iter().peekable();
        let mut reads: Vec<ReadAt<'_>> = Vec::with_capacity(of.len());
        for (n, buf) in images.all_mut().enumerate() {
            if let Some(&(at, _)) = places.next_if(|&&(_, of)| of == n) {
                reads.push(ReadAt { at, buf, got: 0 });
            }
        }
        self.count_io(runs(reads.iter().map(|r| (r.at, r.buf.len()))));
        let unread = |what: String| self.read_error(format!("{}, CA {ca}: {what}", self.name));
        self.file()
            .and_then(|f| f.read(&mut reads))
            .map_err(|e| unread(e.to_string()))?;
        match reads.iter().find(|r| r.got < r.buf.len()) {
            Some(short) => Err(unread(format!(
                "the file ends before offset {}",
                short.at + short.buf.len() as u64
            ))),
            None => Ok(()),
        }
    }

    /// Writes images to slots that lie together, with one I/O.
    fn write_neighbours(&self, ca: u32, at: u64, images: &Images<'_>) -> Result<(), RequestError> {
        let mut next = at;
        let write = |buf| {
            let at = next;
            next += <[u8]>::len(buf) as u64;
            WriteAt { at, buf }
        };
        let batch: Vec<WriteAt<'_>> = images.all().map(write).collect();
        self.write_batch(ca, &batch)
    }

    /// Writes whole images to neighbouring slots of a region, the first of which is its `n`-th.
    pub(super) fn write_images(&self, ca: u32, region: u32, n: usize, images: &[u8]) -> Result<(), RequestError> {
        let at = self.layout.slot(region, self.layout.whole(n));
        self.write_batch(ca, &[WriteAt { at, buf: images }])
    }

    /// One I/O.
    fn write_batch(&self, ca: u32, batch: &[WriteAt<'_>]) -> Result<(), RequestError> {
        if batch.iter().all(|write| write.buf.is_empty()) {
            return Ok(());
        }
        self.count_io(1);
        self.file()
            .and_then(|f| f.write(batch))
            .map_err(|e| self.write_error(format!("{}, CA {ca}: write failed: {e}", self.name)))
    }

    /// Writes a changed header to the copy that is not committed. The caller holds the CA's lock.
    pub(super) fn write_header(&self, ca: u32, page: CaPage<'_>) -> Result<(), RequestError> {
        let version = self.next_header_version(ca);
        let mut bytes = vec![0; self.layout.header_len];
        let checksum = page
            .header(self.id, ca, version, self.layout.ci_per_ca)
            .encode(&mut bytes);
        let at = self.layout.header(ca, version);
        self.count_io(1);
        self.file()
            .and_then(|f| f.write(&[WriteAt { at, buf: &bytes }]))
            .map_err(|e| self.write_error(format!("{}, CA {ca}: header write failed: {e}", self.name)))?;
        self.header_written(ca, version, checksum);
        Ok(())
    }
}

/// I/Os that a batch takes when neighbours go together.
fn runs(batch: impl Iterator<Item = (u64, usize)>) -> usize {
    let mut end = None;
    batch
        .filter(|&(at, len)| end.replace(at + len as u64) != Some(at))
        .count()
}
