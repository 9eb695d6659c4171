//! Writing the CAs that a load built.
//!
//! * W1. A CA is entered in its descriptor when its images are written.
//! * W2. What lies between two CAs is written with them only if nothing is there: slots that no CI has, and header
//!   copies that were never written.

use super::ca::Place;
use super::Component;
use crate::error::RequestError;
use cica_disk::WriteAt;
use cica_format::checksum::{ci_checksum, Identity};

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

impl Component {
    /// Writes the images of CAs that a load built, of each from its first CI on, and enters them in the descriptors.
    /// `cas`: CA and how many of the images are its.
    pub fn write_loaded(&self, cas: &[(u32, usize)], mut images: &[u8]) -> Result<(), RequestError> {
        let mut stretches = Vec::with_capacity(cas.len());
        for &(ca, cis) in cas {
            let region = self.with_ca(ca, |page| page.region())?;
            let (own, others) = images.split_at(cis * self.layout.ci_size);
            images = others;
            let at = self.layout.slot(region, 0);
            stretches.push(Stretch {
                ca,
                region,
                at,
                images: own,
            });
        }
        match self.direct {
            true => stretches.iter().try_for_each(|own| self.write_aligned(own))?,
            false => self.write_together(&stretches)?,
        }
        stretches.iter().try_for_each(|own| self.enter_images(own))
    }

    /// Neighbours go to the system as one, with zeros for what lies between them: memory that the page cache takes for
    /// them comes in larger pieces then.
    fn write_together(&self, stretches: &[Stretch<'_>]) -> Result<(), RequestError> {
        let mut batch: Vec<WriteAt<'_>> = Vec::with_capacity(2 * stretches.len());
        let mut end = None;
        for own in stretches {
            if let Some(gap) = end.and_then(|end| self.gap(end, own)) {
                let mut at = own.at - gap;
                while at < own.at {
                    let buf = &ZEROS[..ZEROS.len().min((own.at - at) as usize)];
                    batch.push(WriteAt { at, buf });
                    at += buf.len() as u64;
                }
            }
            let (at, buf) = (own.at, own.images);
            batch.push(WriteAt { at, buf });
            end = Some(at + buf.len() as u64);
        }
        // As many as without going together: each is a chain of CIs.
        self.count_io(stretches.len());
        let first = stretches.first().map_or(0, |own| own.ca);
        self.file().and_then(|f| f.write(&batch)).map_err(|e| {
            self.write_error(format!(
                "{}, CA {first} and those behind it: write failed: {e}",
                self.name
            ))
        })
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
        let (mut buffer, mut slot) = (self.pool.buffer(), 0);
        let most = buffer.bytes().len() / self.layout.ci_size;
        for part in own.images.chunks(most * self.layout.ci_size) {
            let aligned = &mut buffer.bytes()[..part.len()];
            aligned.copy_from_slice(part);
            self.write_images(own.ca, own.region, slot, aligned)?;
            slot += most as u16;
        }
        Ok(())
    }

    fn enter_images(&self, own: &Stretch<'_>) -> Result<(), RequestError> {
        self.with_ca(own.ca, |page| {
            for (i, image) in own.images.chunks_exact(self.layout.ci_size).enumerate() {
                let place = page.place(i);
                let version = place.version.wrapping_add(1);
                let id = Identity {
                    component: self.id,
                    ci: self.layout.join(own.ca, i as u32),
                    version,
                };
                let new = Place {
                    slot: i as u16,
                    committed: place.committed,
                    version,
                    checksum: ci_checksum(id, image),
                };
                page.set_place(i, new);
                self.flag(page, i, true);
            }
            self.ca_changed(own.ca);
        })
    }
}
