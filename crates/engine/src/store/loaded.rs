//! Writing the CAs that a load built.
//!
//! * W1. A CA is entered in its descriptor when its images are written.
//! * W2. What lies between two CAs is written with them only if nothing is there: slots that no CI has, and header
//!   copies that were never written. So of two CAs the first is not entered before that is written.
//!   Who writes such a header has its CA's lock; so that lock is kept from the look at it until the zeros are written.
//! * W3. A write that is not the last ends with a piece of the file, or with the CA behind which that ends: the page
//!   cache holds what is written at once in the largest pieces that lie in it whole.

use super::ca::CiPlace;
use super::{CaPage, Component, STRIPES};
use crate::error::RequestError;
use crate::pool::NO_FRAME;
use crate::sync::MutexGuard;
use cica_disk::WriteAt;
use cica_format::ca::NO_SLOT;
use cica_format::checksum::{ci_checksum, Identity};
use cica_format::ci;

/// The page cache shall hold at least so many bytes as one. Larger pieces are a little cheaper to read, but a load
/// pays for them: a virtual machine whose free memory was given back to its host gets large ones from there.
const PIECE: u64 = 256 << 10;

/// Between two CAs that are written together lies at most this part of a region.
const GAP: u64 = 6;

static ZEROS: [u8; 16 << 10] = [0; 16 << 10];

/// The images of a CA, and where they go.
struct Stretch<'i> {
    ca: u32,
    region: u32,
    at: u64,
    images: &'i [u8],
}

impl Stretch<'_> {
    fn end(&self) -> u64 {
        self.at + self.images.len() as u64
    }
}

/// How far CAs were written: so many of them whole, and of the next one so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub cas: usize,
    pub begun: usize,
}

impl Component {
    /// Writes the images of CAs that a load built, of each from its first CI on, and enters those in the descriptors
    /// that are written whole. `cas`: CA and images; of the first, so many bytes were written before. Unless it shall
    /// be `all` of them, it stops where a piece of the file ends (W3).
    pub fn write_loaded(&self, cas: &[(u32, &[u8])], begun: usize, all: bool) -> Result<Written, RequestError> {
        let mut stretches = Vec::with_capacity(cas.len());
        for &(ca, images) in cas {
            let region = self.with_ca(ca, |page| page.region())?;
            let at = self.layout.slot(region, 0);
            stretches.push(Stretch { ca, region, at, images });
        }
        let whole = Written {
            cas: stretches.len(),
            begun: 0,
        };
        let written = match self.last_piece(&stretches, begun) {
            Some(stop) if !all && !self.direct => stop,
            _ => whole,
        };
        if self.direct {
            stretches.iter().try_for_each(|own| self.write_aligned(own))?
        } else {
            self.write_together(&stretches, begun, written)?
        }
        stretches[..written.cas]
            .iter()
            .try_for_each(|own| self.enter_images(own))?;
        Ok(written)
    }

    /// Writes the images of one CA that a load built with a request for every `chain` CIs, and enters them. Behind them
    /// the CIs that are left free are formatted, with one request. `done` is told of each: its first CI, and how many.
    pub fn write_loaded_chained(
        &self,
        ca: u32,
        images: &[u8],
        chain: usize,
        mut done: impl FnMut(u32, usize),
    ) -> Result<(), RequestError> {
        let size = self.layout.ci_size;
        let region = self.with_ca(ca, |page| page.region())?;
        let mut first = 0;
        for part in images.chunks(chain.max(1) * size) {
            self.write_aligned(&Stretch {
                ca,
                region,
                at: self.layout.slot(region, self.layout.whole(first)),
                images: part,
            })?;
            done(self.layout.join(ca, first as u32), part.len() / size);
            first += part.len() / size;
        }
        let at = self.layout.slot(region, 0);
        self.enter_images(&Stretch { ca, region, at, images })?;
        let free = self.layout.ci_per_ca.saturating_sub(first);
        self.format_free(ca, region, first..first + free)?;
        if free > 0 {
            done(self.layout.join(ca, first as u32), free);
        }
        Ok(())
    }

    /// Formats all of a CA that a load is about to fill, with one request for each track; one of which a CI was written
    /// already stays as it is.
    pub fn preformat(&self, ca: u32, track: usize, done: impl Fn(u32, usize)) -> Result<(), RequestError> {
        self.with_ca(ca, |_| ())?;
        // Who writes a CI meanwhile waits, and has its slot behind that.
        let _guard = self.lock(ca).lock();
        let descriptor = self.directory.get(ca);
        if descriptor == NO_FRAME {
            return Ok(());
        }
        let page = CaPage::of(self.pool.view(descriptor));
        let has_slot = |i| {
            [page.place(i).slot, page.place(i).committed]
                .iter()
                .any(|&slot| slot != NO_SLOT)
        };
        if (0..self.layout.ci_per_ca).any(has_slot) {
            return Ok(());
        }
        let region = page.region();
        let each = if track == 0 { self.layout.ci_per_ca } else { track };
        for first in (0..self.layout.ci_per_ca).step_by(each) {
            let last = self.layout.ci_per_ca.min(first + each);
            self.format_free(ca, region, first..last)?;
            done(self.layout.join(ca, first as u32), last - first);
        }
        Ok(())
    }

    /// Writes empty images to slots of a region that no CI has, with one request.
    fn format_free(&self, ca: u32, region: u32, slots: std::ops::Range<usize>) -> Result<(), RequestError> {
        let mut empty = vec![0; slots.len() * self.layout.ci_size];
        for image in empty.chunks_exact_mut(self.layout.ci_size) {
            ci::render(image, std::iter::empty(), ci::Segment::Whole, 0);
        }
        self.write_images(ca, region, slots.start, &empty)?;
        self.count_written(slots.len() as u64);
        Ok(())
    }

    /// Where the last whole piece ends that the CAs reach to; `None`: they do not lie together, or reach to none.
    fn last_piece(&self, stretches: &[Stretch<'_>], begun: usize) -> Option<Written> {
        let (first, last) = (stretches.first()?, stretches.last()?);
        let together = |pair: &[Stretch<'_>]| self.gap(pair[0].end(), &pair[1]).is_some();
        let stop = last.end() / PIECE * PIECE;
        if stop <= first.at + begun as u64 || !stretches.windows(2).all(together) {
            return None;
        }
        let cas = stretches.iter().rposition(|own| own.at < stop)?;
        let begun = (stop.min(stretches[cas].end()) - stretches[cas].at) as usize;
        Some(Written { cas, begun })
    }

    /// Neighbours go to the system as one, with zeros for what lies between them: memory that the page cache takes for
    /// them comes in larger pieces then.
    fn write_together(&self, stretches: &[Stretch<'_>], begun: usize, to: Written) -> Result<(), RequestError> {
        let _locks = self.lock_gaps(stretches);
        let mut batch: Vec<WriteAt<'_>> = Vec::with_capacity(2 * stretches.len());
        let mut end = None;
        for (i, own) in stretches.iter().enumerate().take(to.cas + 1) {
            if let Some(gap) = end.and_then(|end| self.gap(end, own)) {
                let mut at = own.at - gap;
                while at < own.at {
                    let buf = &ZEROS[..ZEROS.len().min((own.at - at) as usize)];
                    batch.push(WriteAt { at, buf });
                    at += buf.len() as u64;
                }
            }
            let from = if i == 0 { begun } else { 0 };
            let until = if i == to.cas { to.begun } else { own.images.len() };
            if from < until {
                let (at, buf) = (own.at + from as u64, &own.images[from..until]);
                batch.push(WriteAt { at, buf });
            }
            end = Some(own.end());
        }
        if batch.is_empty() {
            return Ok(());
        }
        // As many as without going together: each is a chain of CIs.
        self.count_io(to.cas);
        let first = stretches.first().map_or(0, |own| own.ca);
        self.file().and_then(|f| f.write(&batch)).map_err(|e| {
            self.write_error(format!(
                "{}, CA {first} and those behind it: write failed: {e}",
                self.name
            ))
        })
    }

    /// The locks of the CAs whose headers lie in a gap (W2). Nobody else has more than one of them.
    fn lock_gaps(&self, stretches: &[Stretch<'_>]) -> Vec<MutexGuard<'_, ()>> {
        let pairs = stretches.windows(2);
        let gaps = pairs.filter(|pair| self.gap(pair[0].end(), &pair[1]).is_some());
        let mut stripes: Vec<usize> = gaps.map(|pair| pair[1].region as usize % STRIPES).collect();
        stripes.sort_unstable();
        stripes.dedup();
        stripes.into_iter().map(|stripe| self.locks[stripe].lock()).collect()
    }

    /// Bytes between `end` and a CA, if they may be written (W2) and are few.
    fn gap(&self, end: u64, own: &Stretch<'_>) -> Option<u64> {
        let gap = own.at.checked_sub(end)?;
        let headers = own.at - self.layout.region(own.region);
        let only_its_headers = self.layout.region(own.region.checked_sub(1)?) + self.layout.region_len as u64
            == self.layout.region(own.region);
        let few = headers <= gap && gap * GAP <= self.layout.region_len as u64;
        // The headers at the start of a region are those of the CA with its number.
        let never_written = self.header_version(own.region) == 0;
        (few && only_its_headers && never_written).then_some(gap)
    }

    /// Direct I/O wants aligned memory.
    fn write_aligned(&self, own: &Stretch<'_>) -> Result<(), RequestError> {
        let behind = own.at - self.layout.slot(own.region, 0);
        let (mut buffer, mut n) = (self.pool.buffer(), (behind / self.layout.ci_size as u64) as usize);
        let most = buffer.bytes().len() / self.layout.ci_size;
        for part in own.images.chunks(most * self.layout.ci_size) {
            let aligned = &mut buffer.bytes()[..part.len()];
            aligned.copy_from_slice(part);
            self.write_images(own.ca, own.region, n, aligned)?;
            n += most;
        }
        Ok(())
    }

    fn enter_images(&self, own: &Stretch<'_>) -> Result<(), RequestError> {
        self.count_written((own.images.len() / self.layout.ci_size) as u64);
        self.with_ca(own.ca, |page| {
            for (i, image) in own.images.chunks_exact(self.layout.ci_size).enumerate() {
                let place = page.place(i);
                let version = place.version.wrapping_add(1);
                let id = Identity {
                    component: self.id,
                    ci: self.layout.join(own.ca, i as u32),
                    version,
                };
                let new = CiPlace {
                    slot: self.layout.whole(i),
                    left_out: 0,
                    version,
                    checksum: ci_checksum(id, image),
                    ..place
                };
                page.set_place(i, new);
                self.flag(page, i, true);
            }
            self.ca_changed(own.ca);
        })
    }
}

#[cfg(all(test, not(cica_schedules)))]
mod tests;
