//! Where things lie in a component file: arithmetic only.
//!
//! ```text
//! | root copy 0 | root copy 1 | table 0 (2 copies) | region 0 | region 1 | ... region 503 | table 1 | region 504 | ...
//! region: | CA header copy 0 | copy 1 | slot 0 | slot 1 | ... |
//! ```
//! The headers at the start of region `n` are those of CA `n`; the slots may serve any CA (its header says which
//! region).

use cica_format::{ca::CaHeader, root, table};

/// Sizes that follow from CISZ and CIs per CA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentLayout {
    /// CISZ.
    pub ci_size: usize,
    /// CIs of a CA.
    pub ci_per_ca: usize,
    /// Slots of a region: a sixteenth more than CIs, at least two, so that changed CIs find a place.
    pub slots: usize,
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
        ComponentLayout {
            ci_size,
            ci_per_ca,
            slots,
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
    /// Offset of a slot.
    pub fn slot(&self, region: u32, slot: u16) -> u64 {
        self.region(region) + 2 * self.header_len as u64 + slot as u64 * self.ci_size as u64
    }
    /// Bytes of a region's slots.
    pub fn slots_len(&self) -> u64 {
        (self.slots * self.ci_size) as u64
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
            let end = layout.slot(region, layout.slots as u16);
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
}
