//! CAs and regions: what the component takes from its file, and the chain of free CAs.

use super::{CaPage, Component, Crowded};
use crate::error::RequestError;
use crate::pool::PageKind;
use crate::sync::atomic::Ordering::Relaxed;
use cica_format::root::Root;
use cica_format::table::{Ref, REFS};

/// Most bytes a file grows ahead of its need.
const GROW_BYTES: u64 = 4 << 20;
/// The same where a CA comes of which part is wanted.
const LITTLE_BYTES: u64 = 512 << 10;
/// Regions freed since the last commit that make it time for one.
const MANY_FREED: usize = 4096;
/// No CA.
const NO_CA: u32 = u32::MAX;

impl Component {
    /// CAs in use or once used.
    pub fn ca_count(&self) -> u32 {
        self.space.lock().ca_count
    }

    /// End of the used area in bytes (HI-U-RBA).
    pub fn high_used(&self) -> u64 {
        self.ca_count() as u64 * (self.layout.ci_per_ca * self.layout.ci_size) as u64
    }

    /// End of the allocated area in bytes (HI-A-RBA), and extents.
    pub fn allocated(&self) -> (u64, u32) {
        let space = self.space.lock();
        (space.extents.high_allocated, space.extents.count)
    }

    /// Whether so much has been freed or listed since the last commit that it is time for one.
    #[inline]
    pub fn crowded(&self) -> Crowded {
        Crowded::of(self.crowded.load(Relaxed))
    }

    /// Its lists are so nearly full.
    pub(super) fn set_crowded(&self, how: Crowded) {
        self.crowded.fetch_max(how as u8, Relaxed);
    }

    /// A new, empty CA: from the free chain, else at the end. Second: true if it was a reclaimed one.
    pub fn allocate_ca(&self) -> Result<(u32, bool), RequestError> {
        self.allocate_ca_for(self.layout.ci_per_ca)
    }

    /// The same, where so many CIs come at once. Those that come later take their space as they are written.
    pub fn allocate_ca_for(&self, cis: usize) -> Result<(u32, bool), RequestError> {
        let free = self.space.lock().free_ca;
        if free != NO_CA {
            let next = self.with_ca(free, |page| {
                let next = page.next_free();
                page.set_free(false, NO_CA);
                next
            })?;
            self.space.lock().free_ca = next;
            self.ca_changed(free);
            return Ok((free, true));
        }
        self.append_ca_for(cis).map(|ca| (ca, false))
    }

    /// A new, empty CA at the end. In an index component `free_ca` chains CIs, so its CAs come only from here.
    pub fn append_ca(&self) -> Result<u32, RequestError> {
        self.append_ca_for(self.layout.ci_per_ca)
    }

    fn append_ca_for(&self, cis: usize) -> Result<u32, RequestError> {
        self.book_ca()?;
        let frame = self.take_ca_frame()?;
        let ca = self.extend_for_ca()?;
        let spare = self.layout.sectors - self.layout.ci_per_ca * self.layout.ci_sectors;
        let region = self.take_region(cis * self.layout.ci_sectors + spare)?;
        self.enter_ca(ca, region, frame);
        Ok(ca)
    }

    /// Appends CAs until there are `cas`. Nothing is appended when extents for all of them cannot be had.
    pub fn append_to(&self, cas: u32) -> Result<(), RequestError> {
        self.take_extents(u64::from(cas) * self.ca_bytes())?;
        while self.ca_count() < cas {
            self.append_ca()?;
        }
        Ok(())
    }

    /// From now on what the definition gives is no limit. Recovery needs that: it splits at other moments than the
    /// requests did, and what a unit erased must come back though others have its room. Refused, the data set could
    /// not be opened any more.
    pub fn exceed_definition(&self) {
        self.exceeds.store(true, Relaxed);
    }

    pub(super) fn ca_bytes(&self) -> u64 {
        (self.layout.ci_per_ca * self.layout.ci_size) as u64
    }

    /// The number of the next CA, after taking an extent if it lies beyond what is allocated.
    fn extend_for_ca(&self) -> Result<u32, RequestError> {
        let ca = self.ca_count();
        if ca as usize >= Root::max_tables(self.compressed) * REFS {
            return Err(RequestError::NoSpace {
                why: format!("{} has {ca} control areas, the most a component can have", self.name),
            });
        }
        self.take_extents((u64::from(ca) + 1) * self.ca_bytes())?;
        Ok(ca)
    }

    fn enter_ca(&self, ca: u32, region: u32, mut frame: crate::pool::Latched<'_>) {
        let _guard = self.lock(ca).lock();
        CaPage::of(frame.view()).fill_new(self.layout.ci_per_ca, region);
        frame.set_page(Some(self.page_id(PageKind::Ca, ca)));
        self.directory.set(ca, frame.frame);
        {
            let mut space = self.space.lock();
            space.ca_count = ca + 1;
            space.refs.push(Ref::default());
        }
        self.ca_changed(ca);
    }

    /// Puts an emptied CA on the free chain. All its CIs have been dropped.
    pub fn free_ca(&self, ca: u32) -> Result<(), RequestError> {
        let head = self.space.lock().free_ca;
        self.with_ca(ca, |page| page.set_free(true, head))?;
        self.space.lock().free_ca = ca;
        self.ca_changed(ca);
        Ok(())
    }

    /// Puts an empty CA on the free chain behind `before`, which is its last.
    pub fn free_ca_behind(&self, before: u32, ca: u32) -> Result<(), RequestError> {
        self.with_ca(ca, |page| page.set_free(true, NO_CA))?;
        self.with_ca(before, |page| page.set_free(true, ca))?;
        self.ca_changed(before);
        self.ca_changed(ca);
        Ok(())
    }

    /// Index components: head of the chain of free index CIs.
    pub fn free_head(&self) -> u32 {
        self.space.lock().free_ca
    }
    /// Sets it.
    pub fn set_free_head(&self, ci: u32) {
        self.space.lock().free_ca = ci;
    }

    /// Takes a region: a free one, else a new one at the end of the file. So many of its sectors, the first, have their
    /// space from the file system now (S2). The others take it as they are written, if they have none.
    pub(super) fn take_region(&self, sectors: usize) -> Result<u32, RequestError> {
        let sectors = sectors.min(self.layout.sectors);
        let mut space = self.space.lock();
        if let Some(region) = space.free_regions.pop() {
            let was_hollow = space.hollow.remove(&region);
            return self.reserve(region, sectors).map(|()| region).map_err(|error| {
                if was_hollow {
                    space.hollow.insert(region);
                }
                space.free_regions.push(region);
                self.cannot_grow(&error)
            });
        }
        let region = space.region_count;
        if region >= space.room {
            let room = self.grow(region, sectors);
            space.room = room.map_err(|error| self.cannot_grow(&error))?;
        }
        space.region_count += 1;
        Ok(region)
    }

    /// Makes room for a new region, so many sectors of which have their space; returns for how many regions there is
    /// room then.
    fn grow(&self, region: u32, sectors: usize) -> std::io::Result<u32> {
        let is_whole = sectors == self.layout.sectors;
        // Some at once, because each call costs the file system a transaction; one if that is all there is.
        let bytes = if is_whole { GROW_BYTES } else { LITTLE_BYTES };
        let ahead = (region / 16).min((bytes / self.layout.region_len as u64) as u32);
        let several = (ahead > 0).then(|| self.grow_whole(region, region + 1 + ahead));
        match several {
            Some(Ok(room)) => Ok(room),
            _ if is_whole => self.grow_whole(region, region + 1),
            _ => self.grow_for(region, sectors),
        }
    }

    /// Makes room for regions up to `room`, with all of their space.
    fn grow_whole(&self, region: u32, room: u32) -> std::io::Result<u32> {
        let (file, begin, end) = (self.file()?, self.layout.region(region), self.layout.file_len(room));
        file.size(Some(end))?;
        // A process that was killed may have left the file longer, without the space.
        file.reserve(begin, end - begin).map(|()| room)
    }

    /// Makes room for one new region, so many sectors of which have their space.
    fn grow_for(&self, region: u32, sectors: usize) -> std::io::Result<u32> {
        let file = self.file()?;
        file.lengthen(self.layout.file_len(region + 1))?;
        self.reserve(region, sectors).inspect_err(|_| {
            // The error is the one to tell; a file that is too long is no harm.
            let _ = file.size(Some(self.layout.file_len(region)));
        })?;
        Ok(region + 1)
    }

    /// Takes the space of the first sectors of a region, and of the headers before them.
    fn reserve(&self, region: u32, sectors: usize) -> std::io::Result<()> {
        let (from, to) = (self.layout.region(region), self.layout.slot(region, sectors as u16));
        self.file().and_then(|file| file.reserve(from, to - from))
    }

    fn cannot_grow(&self, error: &std::io::Error) -> RequestError {
        RequestError::NoSpace {
            why: format!("{}: {error}", self.path.display()),
        }
    }

    /// Regions that no CA has; the next one to be taken is the lowest of them, so that the end of the file comes free.
    pub(super) fn sort_free_regions(free: &mut [u32]) {
        free.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// Whether a region can be taken without growing the file, and another one by who has no other way.
    pub(super) fn has_free_regions(&self) -> bool {
        self.space.lock().free_regions.len() > 1
    }

    pub(super) fn give_back_region(&self, region: u32) {
        self.space.lock().free_regions.push(region);
    }

    /// A CA left a region: free after the next commit if the committed tree uses it, now if not (R2).
    pub(super) fn region_left(&self, region: u32, committed: bool) {
        let mut space = self.space.lock();
        if committed {
            space.freed.push(region);
            if space.freed.len() > MANY_FREED {
                self.set_crowded(if space.freed.len() > 2 * MANY_FREED {
                    Crowded::Full
                } else {
                    Crowded::Due
                });
            }
        } else {
            space.free_regions.push(region);
        }
    }

    /// Version of the newest header of a CA that was written; 0: none was.
    pub(super) fn header_version(&self, ca: u32) -> u32 {
        self.space.lock().refs.get(ca).map_or(0, |known| known.version)
    }

    pub(super) fn next_header_version(&self, ca: u32) -> u32 {
        let space = self.space.lock();
        let newest = space.refs.get(ca).unwrap_or_default();
        // A header written since the last commit is not committed and may be written over.
        if space.pending.contains_key(&ca) {
            newest.version
        } else {
            newest.version.wrapping_add(1).max(1)
        }
    }

    pub(super) fn header_written(&self, ca: u32, version: u32, checksum: u32) {
        let mut space = self.space.lock();
        if let Some(known) = space.refs.get(ca) {
            space.pending.entry(ca).or_insert(known);
            space.refs.set(ca, Ref { version, checksum });
            self.listed(0, space.pending.len());
        }
    }

    /// Forgets a CI: its slot is free after the next commit, its frame now.
    pub fn drop_ci(&self, ci: u32) -> Result<(), RequestError> {
        let (ca, i) = self.layout.split(ci);
        self.with_ci(ci, |page, latched| {
            if let Some(latched) = latched {
                self.detach(page, ca, i);
                latched.free();
            }
            self.set_empty(page, i);
            self.ca_changed(ca);
        })
    }
}
