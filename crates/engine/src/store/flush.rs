//! Dirty CIs to free slots, changed CA headers to their other copies (S1).

use super::ca::{CiPlace, NO_REGION};
use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::{Latched, PageKind, NO_FRAME};
use crate::sync::atomic::Ordering::Relaxed;
use cica_disk::{ReadAt, WriteAt};
use cica_format::ca::NO_SLOT;
use cica_format::checksum::{ci_checksum, Identity};

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
                let mut dirty = self.dirty(ca, page, |frame| self.pool.try_latch(frame));
                self.write_latched(ca, page, &mut dirty).map(|()| dirty.len())
            }
        }
    }

    /// Writes the dirty CIs of one CA. The caller holds the CA's lock and keeps writers out.
    pub(super) fn write_dirty(&self, ca: u32, page: CaPage<'_>) -> Result<(), RequestError> {
        let mut dirty = self.dirty(ca, page, |frame| Some(self.pool.latch(frame)));
        self.write_latched(ca, page, &mut dirty)
    }

    /// The dirty CIs of one CA, latched.
    fn dirty<'p>(&'p self, ca: u32, page: CaPage<'_>, latch: impl Fn(u32) -> Option<Latched<'p>>) -> Vec<Dirty<'p>> {
        let latched = |i: usize| {
            let (frame, ci) = (page.frame(i), self.layout.join(ca, i as u32));
            if frame == NO_FRAME || !self.pool.descriptor(frame).dirty() {
                return None;
            }
            // Its page may have moved to a larger frame before the latch was there.
            let latched = latch(frame).filter(|l| l.page() == Some(self.page_id(PageKind::Ci, ci)))?;
            Some(Dirty { ci, i, latched })
        };
        (0..self.layout.ci_per_ca).filter_map(latched).collect()
    }

    /// Writes latched dirty pages of one CA. The caller holds the CA's lock; on failure they are dirty again.
    pub(super) fn write_latched(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>]) -> Result<(), RequestError> {
        if dirty.is_empty() {
            return Ok(());
        }
        let need = dirty.iter().filter(|d| !rewritable(page.place(d.i))).count();
        let written = match need {
            // The common case of a page that is given up after it was written once since the commit.
            0 => self.fill_slots(ca, page, dirty, &[]),
            _ => self.write_needing(ca, page, dirty, need),
        };
        if written.is_err() {
            dirty.iter_mut().for_each(|d| self.changed(&mut d.latched));
        }
        written
    }

    /// The same when so many of them `need` a slot.
    fn write_needing(
        &self,
        ca: u32,
        page: CaPage<'_>,
        dirty: &mut [Dirty<'_>],
        need: usize,
    ) -> Result<(), RequestError> {
        let free = page.free_slots(self.layout.ci_per_ca, page.slots(self.layout.slots));
        let most = 4 * need > 3 * page.used(self.layout.ci_per_ca);
        let has_annex = page.annex() != NO_REGION;
        // Then it is better whole again, which gives the annex back, if the file need not grow for it.
        let gather = most && has_annex && self.has_free_region();
        if need <= free.len() && !gather {
            self.fill_slots(ca, page, dirty, &free)
        } else if !most && !has_annex && 2 * self.layout.slots <= NO_SLOT as usize {
            self.take_annex(ca, page)?;
            let free = page.free_slots(self.layout.ci_per_ca, page.slots(self.layout.slots));
            self.fill_slots(ca, page, dirty, &free)
        } else {
            self.move_region(ca, page, dirty)
        }
    }

    /// Where a slot of a CA is.
    pub(super) fn slot_at(&self, page: CaPage<'_>, slot: u16) -> u64 {
        match slot.checked_sub(self.layout.slots as u16) {
            None => self.layout.slot(page.region(), slot),
            Some(slot) => self.layout.slot(page.annex(), slot),
        }
    }

    /// More slots: what has to be written then is what changed, and nothing has to be read.
    fn take_annex(&self, ca: u32, page: CaPage<'_>) -> Result<(), RequestError> {
        let annex = self.take_region()?;
        page.set_annex(annex, page.committed_annex());

        self.ca_changed(ca);
        Ok(())
    }

    /// Writes the dirty CIs to free slots, a buffer full at a time.
    fn fill_slots(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>], free: &[u16]) -> Result<(), RequestError> {
        let size = self.layout.ci_size;
        let mut free = free.iter().copied();
        let mut buffer = self.pool.buffer();
        for part in dirty.chunks_mut(buffer.bytes().len() / size) {
            let mut places = Vec::with_capacity(part.len());
            let mut images = buffer.bytes().chunks_exact_mut(size);
            for d in part {
                if self.is_empty(d) {
                    d.latched.set_clean();
                    self.set_empty(page, d.i);
                    self.ca_changed(ca);
                    continue;
                }
                let (old, image) = (page.place(d.i), images.next().unwrap_or_default());
                let new = self.render(page, d, image)?;
                let slot = if rewritable(old) {
                    old.slot
                } else {
                    free.next().unwrap_or(NO_SLOT)
                };
                let committed = old.committed;
                places.push((d.i, CiPlace { slot, committed, ..new }));
            }
            self.write_slots(ca, page, &places, &buffer.bytes()[..places.len() * size])?;
        }
        Ok(())
    }

    /// A data CI without records needs no image.
    fn is_empty(&self, d: &Dirty<'_>) -> bool {
        d.latched.view().count() == 0 && self.codec.is_data()
    }

    /// Renders a dirty page into `image` and marks it clean. Slot and committed slot of the answer are to be set by the
    /// caller.
    fn render(&self, page: CaPage<'_>, d: &mut Dirty<'_>, image: &mut [u8]) -> Result<CiPlace, RequestError> {
        let view = d.latched.view();
        d.latched.set_clean();
        // The buffer holds what its last user left; the codec writes every byte.
        self.codec
            .render(d.latched.cells(), view, image)
            .map_err(|why| self.write_error(format!("{}: {why}", self.place_text(d.ci))))?;
        let version = page.place(d.i).version.wrapping_add(1);
        let checksum = ci_checksum(
            Identity {
                component: self.id,
                ci: d.ci,
                version,
            },
            image,
        );
        Ok(CiPlace {
            slot: NO_SLOT,
            committed: NO_SLOT,
            version,
            checksum,
        })
    }

    /// CI `i` of a CA has no image any more: its slot is free after the next commit. The caller holds the CA's lock.
    pub(super) fn set_empty(&self, page: CaPage<'_>, i: usize) {
        let empty = CiPlace {
            slot: NO_SLOT,
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
        images: &[u8],
    ) -> Result<(), RequestError> {
        if places.is_empty() {
            return Ok(());
        }
        let size = self.layout.ci_size;
        let mut order: Vec<(u16, &[u8])> = places
            .iter()
            .zip(images.chunks_exact(size))
            .map(|((_, p), image)| (p.slot, image))
            .collect();
        order.sort_by_key(|o| o.0);
        let batch: Vec<WriteAt<'_>> = order
            .iter()
            .map(|&(slot, buf)| WriteAt {
                at: self.slot_at(page, slot),
                buf,
            })
            .collect();
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
        let region = self.take_region()?;
        let places = self
            .copy_ca(ca, page, dirty, region)
            .inspect_err(|_| self.give_back_region(region))?;
        for i in 0..self.layout.ci_per_ca {
            let gone = CiPlace {
                slot: NO_SLOT,
                committed: NO_SLOT,
                ..page.place(i)
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
        let at_once = self.pool.buffer_len() / self.layout.ci_size;
        for first in (0..self.layout.slots).step_by(at_once.max(1)) {
            let slots = at_once.min(self.layout.slots - first);
            let at = self.layout.slot(region, first as u16);
            // A hint to the system, and nothing depends on it.
            let _ = self.file().map(|f| f.forget(at, (slots * self.layout.ci_size) as u64));
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
        let size = self.layout.ci_size;
        let (mut places, mut buffer) = (Vec::with_capacity(self.layout.ci_per_ca), self.pool.buffer());
        let mut i = 0;
        while i < self.layout.ci_per_ca {
            let first = places.len();
            let mut reads: Vec<ReadAt<'_>> = Vec::new();
            let mut images = buffer.bytes().chunks_exact_mut(size);
            while i < self.layout.ci_per_ca {
                let d = dirty.binary_search_by_key(&i, |d| d.i).ok();
                let place = page.place(i);
                if d.map_or(place.slot == NO_SLOT, |d| self.is_empty(&dirty[d])) {
                    if let Some(d) = d {
                        dirty[d].latched.set_clean();
                    }
                    i += 1;
                    continue;
                }
                let Some(buf) = images.next() else { break };
                let place = match d {
                    Some(d) => self.render(page, &mut dirty[d], buf)?,
                    None => {
                        let at = self.slot_at(page, place.slot);
                        reads.push(ReadAt { at, buf, got: 0 });
                        place
                    }
                };
                let (slot, committed) = (places.len() as u16, NO_SLOT);
                places.push((
                    i,
                    CiPlace {
                        slot,
                        committed,
                        ..place
                    },
                ));
                i += 1;
            }
            self.read_slots(ca, &mut reads)?;
            let images = &buffer.bytes()[..(places.len() - first) * size];
            for ((i, place), image) in places[first..].iter().zip(images.chunks_exact(size)) {
                self.check_image(*place, self.layout.join(ca, *i as u32), image)?;
            }
            self.write_images(ca, region, first as u16, images)?;
        }
        Ok(places)
    }

    fn read_slots(&self, ca: u32, reads: &mut [ReadAt<'_>]) -> Result<(), RequestError> {
        if reads.is_empty() {
            return Ok(());
        }
        self.count_io(runs(reads.iter().map(|r| (r.at, r.buf.len()))));
        let unread = |what: String| self.read_error(format!("{}, CA {ca}: {what}", self.name));
        self.file()
            .and_then(|f| f.read(reads))
            .map_err(|e| unread(e.to_string()))?;
        match reads.iter().find(|r| r.got < r.buf.len()) {
            Some(short) => Err(unread(format!(
                "the file ends before offset {}",
                short.at + short.buf.len() as u64
            ))),
            None => Ok(()),
        }
    }

    /// Writes images to neighbouring slots of a region.
    pub(super) fn write_images(&self, ca: u32, region: u32, slot: u16, images: &[u8]) -> Result<(), RequestError> {
        if images.is_empty() {
            return Ok(());
        }
        let whole = [WriteAt {
            at: self.layout.slot(region, slot),
            buf: images,
        }];
        self.count_io(1);
        self.file()
            .and_then(|f| f.write(&whole))
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

/// A dirty page in hand.
pub(super) struct Dirty<'p> {
    pub ci: u32,
    pub i: usize,
    pub latched: Latched<'p>,
}

/// The newest image is not committed, so it may be written over.
fn rewritable(place: CiPlace) -> bool {
    place.slot != NO_SLOT && place.slot != place.committed
}

/// I/Os that a batch takes when neighbours go together.
fn runs(batch: impl Iterator<Item = (u64, usize)>) -> usize {
    let mut end = None;
    batch
        .filter(|&(at, len)| end.replace(at + len as u64) != Some(at))
        .count()
}
