//! Giving space back: what is free becomes holes in the file, and CAs move to the lowest free regions and lose their
//! annexes, so that what is free lies together.
//!
//! While it is changed a file has up to two regions for a CA, because nothing committed is written over. A last
//! commit leaves the second half of that free, here and there. A file system with holes takes back what lies together;
//! one without takes what is cut off the end of the file. Moving CAs copies what is live, so it is done where much more
//! than that was written since the open: a short step pays nothing. Those with an annex move, whose slots are free one
//! by one. Where there are no holes, or the root cannot list all that is free, all move that lie behind the others.
//!
//! Each round moves what the free regions take and is an ordinary commit: what the CAs had is free for the next (R2).

use super::ca::NO_REGION;
use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::NO_FRAME;
use crate::sync::atomic::Ordering::Relaxed;
use cica_format::root::Root;
use std::ops::Range;

/// Written, in parts of what is live, so much makes copying that once worth it.
const WRITTEN: u64 = 2;
/// A file is dense enough with one region too many for so many CAs.
const DENSE: u32 = 4;
/// What file systems give space back by.
const BLOCK: u64 = 4096;
/// A file system keeps an entry for each hole, and some wait for the device with each. So holes have so many bytes at
/// least, and smaller ones are only made in the time that there is.
const HOLES: [u64; 3] = [128 << 10, 64 << 10, 32 << 10];

impl Component {
    /// Is there so much to give back, at least so many bytes, and was so much written, that what is live shall move?
    pub fn is_sparse(&self, bytes: u64) -> bool {
        let live = self.used.load(Relaxed).max(0) as u64;
        let space = self.space.lock();
        let more = space.region_count.saturating_sub(space.ca_count);
        more > space.ca_count / DENSE
            && more as u64 * self.layout.region_len as u64 >= bytes
            && self.written.load(Relaxed) > WRITTEN * live
    }

    /// Does the file system take space back that lies between what is live?
    pub fn has_holes(&self) -> bool {
        self.file().is_ok_and(|file| file.has_holes())
    }

    /// Are there more free regions than the root can list? Nobody would find the others again.
    pub fn has_unlisted(&self) -> bool {
        let space = self.space.lock();
        let most = Root::max_free_regions(space.tables.len(), self.compressed);
        space.free_regions.len() + space.freed.len() > most
    }

    /// One round: moves CAs that have an annex, and where the file is to be `dense` those that lie behind where the last
    /// shall lie, those that lie last first. Returns how many; the caller commits. After an error nothing more is to be
    /// committed.
    pub fn gather(&self, dense: bool) -> Result<usize, RequestError> {
        let cas = self.ca_count();
        let mut places: Vec<(u32, bool, u32)> = Vec::new();
        let Ok(_held) = self.pool.hold(cas as usize * 2 * size_of_val(&(0u32, false, 0u32))) else {
            return Ok(0);
        };
        for ca in 0..cas {
            let (region, annex) = self.with_ca(ca, |page| (page.region(), page.annex()))?;
            if annex != NO_REGION || dense && region >= cas {
                let last = if annex == NO_REGION { region } else { annex.max(region) };
                places.push((last, annex != NO_REGION, ca));
            }
        }
        places.sort_unstable_by(|one, other| other.cmp(one));
        let mut moved = 0;
        let most = match self.space.lock().free_regions.len() {
            // The file grows by some that it loses again.
            0 => cas as usize / 16 + 1,
            free => free,
        };
        for (last, has_annex, ca) in places {
            if moved == most {
                break;
            }
            let free = self.space.lock().free_regions.last().copied();
            if !has_annex && free.is_some_and(|free| free >= last) {
                continue;
            }
            self.with_ca(ca, |page: CaPage<'_>| self.move_region(ca, page, &mut []))??;
            moved += 1;
        }
        Ok(moved)
    }

    /// Bytes at the end of the file that [`trim`](Self::trim) would take off it.
    pub fn free_at_end(&self) -> u64 {
        let space = self.space.lock();
        let mut free = space.free_regions.clone();
        free.sort_unstable();
        let mut end = space.region_count;
        while end > space.ca_count && free.last() == Some(&(end - 1)) {
            free.pop();
            end -= 1;
        }
        self.layout.file_len(space.region_count) - self.layout.file_len(end)
    }

    /// Bytes of CIs that were written since the open.
    pub fn written_bytes(&self) -> u64 {
        self.written.load(Relaxed) * self.layout.ci_size as u64
    }

    /// Gives the space of what is free back: of regions, and of slots of CAs whose descriptors are in the pool (R2: the
    /// committed tree uses none of them). Both copies of the root that says so are durable. What cannot be given back
    /// stays as it is, and so do slots where it would not be `bytes`, or what is worth a hole; small ones also where
    /// there is no more time.
    pub fn give_space_back(&self, bytes: u64, has_time: impl Fn() -> bool) {
        let least = bytes.clamp(1, HOLES[0]);
        let mut done = self.give_regions_back();
        done = done.and_then(|()| self.give_slots_back(least..u64::MAX, || true));
        for small in HOLES.windows(2).filter(|_| least == HOLES[0]) {
            done = done.and_then(|()| self.give_slots_back(small[1]..small[0], &has_time));
        }
        // An error ends it: the next call would most likely have the same.
        let _ = done;
    }

    fn give_regions_back(&self) -> std::io::Result<()> {
        let file = self.file()?;
        let mut space = self.space.lock();
        let free = space.free_regions.iter().copied();
        let solid: Vec<u32> = free.filter(|region| !space.hollow.contains(region)).collect();
        for region in solid {
            // It may happen in part, so the space is to be taken before it is used again.
            space.hollow.insert(region);
            // The headers at its start are those of the CA with its number.
            file.hollow(self.layout.slot(region, 0), self.layout.slots_len())?;
        }
        Ok(())
    }

    /// Those that lie together for so many bytes. As much as a CA has beyond its CIs keeps its space: a close of few
    /// changes needs no more than these.
    fn give_slots_back(&self, bytes: Range<u64>, has_time: impl Fn() -> bool) -> std::io::Result<()> {
        let file = self.file()?;
        let spare = self.layout.sectors - self.layout.ci_per_ca * self.layout.ci_sectors;
        for ca in 0..self.ca_count() {
            if !has_time() {
                break;
            }
            let _guard = self.lock(ca).lock();
            let descriptor = self.directory.get(ca);
            if descriptor == NO_FRAME {
                continue;
            }
            let page = CaPage::of(self.pool.view(descriptor));
            let mut keep = spare;
            for run in page.free_runs(&self.layout, |_| false) {
                let kept = keep.min(run.len());
                keep -= kept;
                let at = self.slot_at(page, (run.start + kept) as u16);
                let end = at + ((run.len() - kept) * self.layout.sector) as u64;
                let (at, end) = (at.next_multiple_of(BLOCK), end / BLOCK * BLOCK);
                if bytes.contains(&end.saturating_sub(at)) {
                    file.hollow(at, end - at)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the free regions at the end of the file off the books; true if there were any. The caller commits, and
    /// then [cuts](Self::cut) the file.
    pub fn trim(&self) -> bool {
        let mut space = self.space.lock();
        let before = space.region_count;
        // The headers of a CA stand at the start of the region of its number, whoever has that.
        let least = space.ca_count;
        let mut free = std::mem::take(&mut space.free_regions);
        free.sort_unstable();
        while space.region_count > least && free.last() == Some(&(space.region_count - 1)) {
            free.pop();
            space.region_count -= 1;
        }
        space.room = space.region_count;
        let count = space.region_count;
        space.hollow.retain(|&region| region < count);
        Self::sort_free_regions(&mut free);
        space.free_regions = free;
        space.region_count < before
    }
}
