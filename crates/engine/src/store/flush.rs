//! Dirty CIs to free slots, changed CA headers to their other copies (S1).

use super::ca::Place;
use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::{Latched, NO_FRAME};
use cica_disk::WriteAt;
use cica_format::ca::NO_SLOT;
use cica_format::checksum::{ci_checksum, Identity};
use std::collections::BTreeMap;

impl Component {
    /// Writes every dirty CI. The caller keeps writers out.
    pub(super) fn write_dirty(&self) -> Result<(), RequestError> {
        let mut by_ca: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let dirty = std::mem::take(&mut *self.dirty.lock());
        for &ci in &dirty {
            by_ca.entry(self.layout.split(ci).0).or_default().push(ci);
        }
        for (ca, mut cis) in by_ca {
            cis.sort_unstable();
            cis.dedup();
            if let Err(error) = self.write_ca_dirty(ca, &cis) {
                self.dirty.lock().extend(dirty);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Writes the dirty CIs of one CA: into free slots if they suffice and it is not most of the CA, else the whole
    /// CA to a
    /// fresh region.
    fn write_ca_dirty(&self, ca: u32, cis: &[u32]) -> Result<(), RequestError> {
        let _guard = self.lock(ca).lock();
        let descriptor = self.directory.get(ca);
        if descriptor == NO_FRAME {
            // All of its CIs were given up, and so written, since.
            return Ok(());
        }
        let page = CaPage::of(self.pool.view(descriptor));
        let mut dirty: Vec<Dirty<'_>> = Vec::new();
        for &ci in cis {
            let i = self.layout.split(ci).1;
            let frame = page.frame(i);
            if frame != NO_FRAME && self.pool.descriptor(frame).dirty() {
                dirty.push(Dirty {
                    ci,
                    i,
                    latched: self.pool.latch(frame),
                });
            }
        }
        self.write_latched(ca, page, &mut dirty)
    }

    /// Writes latched dirty pages of one CA. The caller holds the CA's lock; on failure they are dirty again.
    pub(super) fn write_latched(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>]) -> Result<(), RequestError> {
        if dirty.is_empty() {
            return Ok(());
        }
        let free = page.free_slots(self.layout.ci_per_ca, self.layout.slots);
        let need = dirty.iter().filter(|d| !rewritable(page.place(d.i))).count();
        let written = if need > free.len() {
            self.move_region(ca, page, dirty)
        } else {
            self.fill_slots(ca, page, dirty, &free)
        };
        if written.is_err() {
            dirty.iter_mut().for_each(|d| self.changed(&mut d.latched));
        }
        written
    }

    fn fill_slots(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>], free: &[u16]) -> Result<(), RequestError> {
        let (mut images, mut places) = (Vec::new(), Vec::new());
        let mut free = free.iter().copied();
        for d in dirty {
            let start = images.len();
            images.resize(start + self.layout.ci_size, 0);
            let Some(new) = self.render(page, d, &mut images[start..])? else {
                images.truncate(start);
                self.set_empty(page, d.i);
                self.ca_changed(ca);
                continue;
            };
            let old = page.place(d.i);
            let slot = if rewritable(old) {
                old.slot
            } else {
                free.next().unwrap_or(NO_SLOT)
            };
            places.push((
                d.i,
                Place {
                    slot,
                    committed: old.committed,
                    ..new
                },
            ));
        }
        self.write_slots(ca, page, &places, &images)
    }

    /// Renders a dirty page into `image` and marks it clean; `None` when the CI has no records, so needs no image.
    /// Slot and committed slot of the answer are to be set by the caller.
    fn render(&self, page: CaPage<'_>, d: &mut Dirty<'_>, image: &mut [u8]) -> Result<Option<Place>, RequestError> {
        let view = d.latched.view();
        d.latched.set_clean();
        if view.count() == 0 && self.codec.is_data() {
            return Ok(None);
        }
        self.codec
            .render(d.latched.bytes(), view, image)
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
        Ok(Some(Place {
            slot: NO_SLOT,
            committed: NO_SLOT,
            version,
            checksum,
        }))
    }

    fn set_empty(&self, page: CaPage<'_>, i: usize) {
        let place = page.place(i);
        page.set_place(
            i,
            Place {
                slot: NO_SLOT,
                checksum: 0,
                ..place
            },
        );
        self.flag(page, i, false);
    }

    /// Writes images to the slots of `places` (neighbouring slots as one I/O) and then enters them in the descriptor.
    fn write_slots(
        &self,
        ca: u32,
        page: CaPage<'_>,
        places: &[(usize, Place)],
        images: &[u8],
    ) -> Result<(), RequestError> {
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
                at: self.layout.slot(page.region(), slot),
                buf,
            })
            .collect();
        self.count_io(runs(&batch));
        self.file()
            .and_then(|f| f.write(&batch))
            .map_err(|e| self.write_error(format!("{}, CA {ca}: write failed: {e}", self.name)))?;
        for (i, place) in places {
            page.set_place(*i, *place);
            self.flag(page, *i, true);
        }
        self.ca_changed(ca);
        Ok(())
    }

    /// Writes the whole CA, in CI order, to a fresh region: the dirty CIs from their pages, the others from their
    /// slots.
    /// The caller holds the CA's lock.
    fn move_region(&self, ca: u32, page: CaPage<'_>, dirty: &mut [Dirty<'_>]) -> Result<(), RequestError> {
        let region = self.take_region()?;
        let gathered = self
            .gather_ca(ca, page, dirty)
            .inspect_err(|_| self.give_back_region(region))?;
        let (images, places) = gathered;
        let old = page.region();
        let whole = [WriteAt {
            at: self.layout.slot(region, 0),
            buf: &images,
        }];
        if let Err(error) = self.file().and_then(|f| f.write(&whole)) {
            self.give_back_region(region);
            return Err(self.write_error(format!("{}, CA {ca}: write failed: {error}", self.name)));
        }
        self.count_io(1);
        for i in 0..self.layout.ci_per_ca {
            let gone = Place {
                slot: NO_SLOT,
                committed: NO_SLOT,
                ..page.place(i)
            };
            page.set_place(i, gone);
        }
        for (i, place) in places {
            page.set_place(i, place);
            self.flag(page, i, true);
        }
        let committed = page.committed_region();
        page.set_regions(region, committed);
        self.region_left(old, committed == old);
        self.ca_changed(ca);
        Ok(())
    }

    /// The images of all CIs of a CA that have one, in CI order, with their places in a fresh region: dirty ones
    /// from their
    /// pages, the others from their slots, which are read with one I/O.
    fn gather_ca(
        &self,
        ca: u32,
        page: CaPage<'_>,
        dirty: &mut [Dirty<'_>],
    ) -> Result<(Vec<u8>, Vec<(usize, Place)>), RequestError> {
        let size = self.layout.ci_size;
        let is_dirty = |dirty: &[Dirty<'_>], i: usize| dirty.iter().any(|d| d.i == i);
        let clean = (0..self.layout.ci_per_ca)
            .filter(|&i| !is_dirty(dirty, i))
            .map(|i| page.place(i).slot);
        let slots = clean
            .filter(|&slot| slot != NO_SLOT)
            .max()
            .map_or(0, |last| last as usize + 1);
        let mut old = vec![0; slots * size];
        if slots > 0 {
            let at = self.layout.slot(page.region(), 0);
            self.read_exactly(at, &mut old)
                .map_err(|e| self.read_error(format!("{}, CA {ca}: {e}", self.name)))?;
        }
        let (mut images, mut places) = (Vec::with_capacity(self.layout.slots * size), Vec::new());
        for i in 0..self.layout.ci_per_ca {
            let ci = self.layout.join(ca, i as u32);
            let start = images.len();
            let place = match dirty.iter_mut().find(|d| d.i == i) {
                Some(d) => {
                    images.resize(start + size, 0);
                    self.render(page, d, &mut images[start..])?
                }
                None if page.place(i).slot == NO_SLOT => None,
                None => {
                    let place = page.place(i);
                    let image = &old[place.slot as usize * size..][..size];
                    self.check_image(place, ci, image)?;
                    images.extend_from_slice(image);
                    Some(place)
                }
            };
            match place {
                Some(place) => places.push((
                    i,
                    Place {
                        slot: places.len() as u16,
                        committed: NO_SLOT,
                        ..place
                    },
                )),
                None => images.truncate(start),
            }
        }
        Ok((images, places))
    }

    /// Writes the images of a CA that a load built, from its first CI on, and enters them in its descriptor.
    pub fn write_loaded(&self, ca: u32, images: &[u8]) -> Result<(), RequestError> {
        let size = self.layout.ci_size;
        self.with_ca(ca, |page| {
            let whole = [WriteAt {
                at: self.layout.slot(page.region(), 0),
                buf: images,
            }];
            self.file()
                .and_then(|f| f.write(&whole))
                .map_err(|e| self.write_error(format!("{}, CA {ca}: write failed: {e}", self.name)))?;
            self.count_io(1);
            for (i, image) in images.chunks_exact(size).enumerate() {
                let version = page.place(i).version.wrapping_add(1);
                let ci = self.layout.join(ca, i as u32);
                let checksum = ci_checksum(
                    Identity {
                        component: self.id,
                        ci,
                        version,
                    },
                    image,
                );
                page.set_place(
                    i,
                    Place {
                        slot: i as u16,
                        committed: page.place(i).committed,
                        version,
                        checksum,
                    },
                );
                self.flag(page, i, true);
            }
            self.ca_changed(ca);
            Ok(())
        })?
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
fn rewritable(place: Place) -> bool {
    place.slot != NO_SLOT && place.slot != place.committed
}

/// I/Os that a sorted batch takes when neighbours go together.
fn runs(batch: &[WriteAt<'_>]) -> usize {
    batch.len()
        - batch
            .windows(2)
            .filter(|w| w[0].at + w[0].buf.len() as u64 == w[1].at)
            .count()
}
