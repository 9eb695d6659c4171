//! Giving space back: CAs move to the lowest free regions and lose their annexes, so that the file's end comes free.
//!
//! While it is changed a file has up to two regions for a CA, because nothing committed is written over. A last
//! commit leaves the second half of that free, here and there. Moving the CAs together copies what is live, so it is
//! done where much more than that was written since the open: a short step pays nothing.
//!
//! Each round moves what the free regions take and is an ordinary commit: what the CAs had is free for the next (R2).

use super::ca::NO_REGION;
use super::{CaPage, Component};
use crate::error::RequestError;
use crate::sync::atomic::Ordering::Relaxed;

/// Written, in parts of what is live, so much makes copying that once worth it.
const WRITTEN: u64 = 2;
/// A file is dense enough with one region too many for so many CAs.
const DENSE: u32 = 4;

impl Component {
    /// Is there so much to give back, at least so many bytes, and was so much written, that it shall be?
    pub fn is_sparse(&self, bytes: u64) -> bool {
        let live = self.used.load(Relaxed).max(0) as u64;
        let space = self.space.lock();
        let more = space.region_count.saturating_sub(space.ca_count);
        more > space.ca_count / DENSE
            && more as u64 * self.layout.region_len as u64 >= bytes
            && self.written.load(Relaxed) > WRITTEN * live
    }

    /// One round: moves CAs that have an annex or lie behind where the last shall lie, those that lie last first.
    /// Returns how many; the caller commits. After an error nothing more is to be committed.
    pub fn gather(&self) -> Result<usize, RequestError> {
        let cas = self.ca_count();
        let mut places: Vec<(u32, bool, u32)> = Vec::new();
        let Ok(_held) = self.pool.hold(cas as usize * 2 * size_of_val(&(0u32, false, 0u32))) else {
            return Ok(0);
        };
        for ca in 0..cas {
            let (region, annex) = self.with_ca(ca, |page| (page.region(), page.annex()))?;
            if annex != NO_REGION || region >= cas {
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
        Self::sort_free_regions(&mut free);
        space.free_regions = free;
        space.region_count < before
    }
}
