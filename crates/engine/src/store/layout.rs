//! Where things lie in a component file: arithmetic only.
//!
//! ```text
//! | root copy 0 | root copy 1 | table 0 (2 copies) | region 0 | region 1 | ... region 503 | table 1 | region 504 | ...
//! region: | CA header copy 0 | copy 1 | slot 0 | slot 1 | ... |
//! ```
//! The headers at the start of region `n` are those of CA `n`; the slots may serve any CA (its header says which
//! region).
//!
//! Slots are counted in sectors (`cica_format::ca::sector`). A slot is as long as its CI, or shorter by sectors of free
//! space that the image has not.

use cica_format::ca::{self, CaHeader, CiEntry, MOST_LEFT_OUT};
use cica_format::{root, table};

/// Sizes that follow from CISZ and CIs per CA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentLayout {
    /// CISZ.
    pub ci_size: usize,
    /// CIs of a CA.
    pub ci_per_ca: usize,
    /// Bytes of a sector.
    pub sector: usize,
    /// Sectors of a whole CI.
    pub ci_sectors: usize,
    /// Sectors of a region's slots: room for a sixteenth more CIs than there are, at least two, so that changed CIs find
    /// a place.
    pub sectors: usize,
    /// Bytes of one CA header copy.
    pub header_len: usize,
    /// Bytes of a region.
    pub region_len: usize,
}

impl ComponentLayout {
    /// The layout of a component.
    pub fn new(ci_size: usize, ci_per_ca: usize) -> ComponentLayout {
        let slots = ci_per_ca + (ci_per_ca / 16).max(2);
        let header_len = CaHeader::encoded_len(ci_per_ca);
        let region_len = (2 * header_len + slots * ci_size).next_multiple_of(4096);
        let sector = ca::sector(ci_size);
        ComponentLayout {
            ci_size,
            ci_per_ca,
            sector,
            ci_sectors: ci_size / sector,
            sectors: slots * (ci_size / sector),
            header_len,
            region_len,
        }
    }
    /// Offset of a root copy.
    pub fn root(&self, version: u32) -> u64 {
        (version & 1) as u64 * root::AREA_LEN as u64
    }
    /// Offset of a copy of table block `block`.
    pub fn table(&self, block: u32, version: u32) -> u64 {
        self.region(block * table::REFS as u32) - (2 - (version & 1) as u64) * table::BLOCK_LEN as u64
    }
    /// Offset of a region.
    pub fn region(&self, region: u32) -> u64 {
        let tables = region as u64 / table::REFS as u64 + 1;
        2 * root::AREA_LEN as u64 + tables * 2 * table::BLOCK_LEN as u64 + region as u64 * self.region_len as u64
    }
    /// Offset of a copy of the header of CA `ca`.
    pub fn header(&self, ca: u32, version: u32) -> u64 {
        self.region(ca) + (version & 1) as u64 * self.header_len as u64
    }
    /// Offset of the slot that begins with this sector of a region.
    pub fn slot(&self, region: u32, slot: u16) -> u64 {
        self.region(region) + 2 * self.header_len as u64 + slot as u64 * self.sector as u64
    }
    /// The sector that the `n`-th whole CI of a region begins with.
    pub fn whole(&self, n: usize) -> u16 {
        (n * self.ci_sectors) as u16
    }
    /// Bytes of a region's slots.
    pub fn slots_len(&self) -> u64 {
        (self.sectors * self.sector) as u64
    }
    /// Bytes of an image that lacks so many sectors.
    pub fn stored_len(&self, left_out: u8) -> usize {
        self.ci_size.saturating_sub(usize::from(left_out) * self.sector)
    }
    /// Sectors of it.
    pub fn stored_sectors(&self, left_out: u8) -> usize {
        self.ci_sectors.saturating_sub(usize::from(left_out))
    }
    /// The sectors that an image may lack which has so many bytes of free space.
    pub fn left_out(&self, free: usize) -> u8 {
        (free / self.sector).min(usize::from(MOST_LEFT_OUT)) as u8
    }
    /// Where a header says that a CI lies: the sector that its slot begins with, and what the slot has not. Where it
    /// says what cannot be, that is a place behind all regions.
    pub fn place(&self, in_sectors: bool, entry: &CiEntry) -> (u16, u8) {
        const BEHIND_ALL: u16 = ca::NO_SLOT - 1;
        match (entry.slot, in_sectors) {
            (ca::NO_SLOT, _) => (ca::NO_SLOT, 0),
            (slot, true) if usize::from(entry.left_out) < self.ci_sectors => (slot, entry.left_out),
            (_, true) => (BEHIND_ALL, 0),
            (slot, false) => {
                let sector = usize::from(slot) * self.ci_sectors;
                (sector.min(BEHIND_ALL.into()) as u16, 0)
            }
        }
    }
    /// The regions of a CA have numbers for all of their sectors, its annex too.
    pub fn may_have_annex(&self) -> bool {
        2 * self.sectors <= usize::from(ca::NO_SLOT)
    }
    /// Length of a file with `regions` regions.
    pub fn file_len(&self, regions: u32) -> u64 {
        match regions {
            0 => self.region(0),
            n => self.region(n - 1) + self.region_len as u64,
        }
    }
    /// CA and CI number inside it.
    #[inline]
    pub fn split(&self, ci: u32) -> (u32, usize) {
        let ci_per_ca = self.ci_per_ca as u32;
        let ca = ci / ci_per_ca;
        (ca, (ci - ca * ci_per_ca) as usize)
    }
    /// CI number from CA and number inside it. Of a page that is being changed they may be any numbers (latch:L1).
    #[inline]
    pub fn join(&self, ca: u32, i: u32) -> u32 {
        ca.wrapping_mul(self.ci_per_ca as u32).wrapping_add(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps() {
        let layout = ComponentLayout::new(512, 5);
        for region in 0..1100u32 {
            let end = layout.slot(region, layout.sectors as u16);
            assert!(end <= layout.region(region + 1), "region {region}");
            assert!(layout.header(region, 1) + layout.header_len as u64 <= layout.slot(region, 0));
        }
        for block in 1..3 {
            let before = layout.region(block * 504 - 1) + layout.region_len as u64;
            assert!(layout.table(block, 0) >= before);
            assert_eq!(layout.table(block, 1) + 4096, layout.region(block * 504));
        }
        assert_eq!(layout.table(0, 0), 131_072);
    }

    #[test]
    fn every_ci_size_has_few_sectors_and_slots_begin_as_they_always_did() {
        for ci_size in (1..=16).map(|n| n * 512).chain((5..=16).map(|n| n * 2048)) {
            let layout = ComponentLayout::new(ci_size, 48);
            assert_eq!(layout.ci_sectors * layout.sector, ci_size);
            assert!(layout.ci_sectors <= usize::from(MOST_LEFT_OUT) + 1, "{ci_size}");
            assert_eq!(layout.slot(3, layout.whole(7)), layout.slot(3, 0) + 7 * ci_size as u64);
            let entry = CiEntry {
                slot: 7,
                left_out: 0,
                flags: 1,
                version: 1,
                checksum: 1,
            };
            assert_eq!(layout.place(false, &entry), (layout.whole(7), 0));
            assert_eq!(layout.place(true, &entry), (7, 0));
        }
    }
}
