//! CIs of one CA read or written with one request to the file, for an open that has buffers of its own: from the file,
//! whatever the pool has.
//!
//! * H1. What is read is checked. A CI that the pool has not becomes a page; of one that it has the page stays, which
//!   is the newer where they differ.
//! * H2. What cannot be read here is left to the request that needs the CI: that tells what is wrong with it.

use super::ca::CiPlace;
use super::placing::Dirty;
use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::{PageKind, NO_FRAME};
use crate::store::codec::Decoded;
use cica_disk::ReadAt;
use cica_format::ca::NO_SLOT;
use cica_format::ci;

impl Component {
    /// Reads `cis`, which are of one CA, to `area`, as many as it has room for, with one request. Returns how many have
    /// come: none where nothing was ever written.
    pub fn read_chained(&self, cis: &[u32], area: &mut [u8]) -> usize {
        let size = self.layout.ci_size;
        let Some(places) = self.places_of(&cis[..cis.len().min(area.len() / size)]) else {
            return 0;
        };
        let mut batch: Vec<ReadAt<'_>> = places
            .iter()
            .zip(area.chunks_exact_mut(size))
            .map(|(&(_, place, at), image)| ReadAt {
                at,
                buf: &mut image[..self.layout.stored_len(place.left_out)],
                got: 0,
            })
            .collect();
        if batch.is_empty() || self.with_file(|file| file.read(&mut batch)).is_err() {
            return 0;
        }
        let came = batch.iter().take_while(|read| read.got == read.buf.len()).count();
        self.count_io(1);
        self.count_read(came);
        for (&(ci, place, _), image) in places.iter().zip(area.chunks_exact_mut(size)).take(came) {
            self.take_in(ci, place, image);
        }
        came
    }

    /// Those of `cis` that have an image on the volume, and where.
    fn places_of(&self, cis: &[u32]) -> Option<Vec<(u32, CiPlace, u64)>> {
        let (ca, _) = self.layout.split(*cis.first()?);
        let places = self.with_ca(ca, |page| {
            let of = |&ci: &u32| {
                let (its, i) = self.layout.split(ci);
                let place = page.place(i);
                (its == ca && place.slot != NO_SLOT).then(|| (ci, place, self.slot_at(page, place.slot)))
            };
            cis.iter().filter_map(of).collect()
        });
        places.ok()
    }

    /// An image that was read becomes the page of its CI, if the CI has none and was not written meanwhile (H1).
    fn take_in(&self, ci: u32, place: CiPlace, image: &mut [u8]) {
        let stored = self.layout.stored_len(place.left_out);
        if self.resident(ci).is_some()
            || self.check_image(place, ci, &image[..stored]).is_err()
            || ci::expand(image, stored).is_err()
        {
            return;
        }
        let (ca, i) = self.layout.split(ci);
        let mut bytes = self.codec.frame_len(self.layout.ci_size);
        loop {
            let Ok(mut latched) = self.pool.take(bytes) else { return };
            match self.codec.decode(image, latched.cells()) {
                Ok(Decoded::Done) => {}
                Ok(Decoded::NeedsFrame(need)) if need > bytes => {
                    latched.free();
                    bytes = need;
                    continue;
                }
                _ => return latched.free(),
            }
            let latched = self.fitted(latched);
            let _guard = self.lock(ca).lock();
            let descriptor = self.directory.get(ca);
            if descriptor == NO_FRAME {
                return latched.free();
            }
            let page = CaPage::of(self.pool.view(descriptor));
            // Each image of a CI has a version of its own, wherever it lies.
            let as_it_was = page.place(i).version == place.version;
            if page.frame(i) == NO_FRAME && as_it_was {
                drop(self.attach(page, descriptor, i, ci, latched))
            } else {
                latched.free()
            }
            return;
        }
    }

    /// Writes those of `cis`, which are of one CA, that are changed, with one request. Returns how many there were; one
    /// that another request is just changing stays for that one, or for the commit.
    pub fn write_chained(&self, cis: &[u32]) -> Result<usize, RequestError> {
        let Some(&first) = cis.first() else { return Ok(0) };
        let (ca, _) = self.layout.split(first);
        let _guard = self.lock(ca).lock();
        let descriptor = self.directory.get(ca);
        if descriptor == NO_FRAME {
            return Ok(0);
        }
        let page = CaPage::of(self.pool.view(descriptor));
        let mut dirty: Vec<Dirty<'_>> = Vec::with_capacity(cis.len());
        for &ci in cis {
            let (its, i) = self.layout.split(ci);
            let frame = page.frame(i);
            let twice = dirty.iter().any(|d| d.ci == ci);
            if its != ca || twice || frame == NO_FRAME || !self.pool.descriptor(frame).dirty() {
                continue;
            }
            let latched = self.pool.latch_page(frame, self.page_id(PageKind::Ci, ci));
            dirty.extend(latched.map(|latched| Dirty { ci, i, latched }));
        }
        dirty.sort_by_key(|d| d.i);
        self.write_latched(ca, page, &mut dirty).map(|()| dirty.len())
    }

    /// CIs that are changed and not written.
    pub fn dirty_cis(&self) -> Vec<u32> {
        let changed: Vec<u32> = self.changed.lock().iter().copied().collect();
        let mut dirty = Vec::new();
        for ca in changed {
            let _guard = self.lock(ca).lock();
            let descriptor = self.directory.get(ca);
            if descriptor == NO_FRAME {
                continue;
            }
            let page = CaPage::of(self.pool.view(descriptor));
            let is_dirty = |&i: &usize| page.frame(i) != NO_FRAME && self.pool.descriptor(page.frame(i)).dirty();
            dirty.extend(
                (0..self.layout.ci_per_ca)
                    .filter(is_dirty)
                    .map(|i| self.layout.join(ca, i as u32)),
            );
        }
        dirty
    }
}
