//! The descriptor of a control area in the pool: its header in the form in which it is looked things up in.
//!
//! ```text
//! words of the frame, behind its descriptor:
//!   3  region u32 | committed region u32
//!   4  flags u32 | next free CA u32
//!   5  annex u32 | committed annex u32
//!   8  for each sixteen CIs:
//!        8 words   frames u32, a cache line of them, because every request looks here
//!       32 words   two for each CI: slot u16 | committed slot u16 | flags u16 | looks u16; checksum u32 | version u32
//! ```
//!
//! * C1. Everything but the frame numbers is changed only under the CA's lock; frame numbers are read by anyone,
//!   and the
//!   frame's own page word says whether the number was still good.
//! * C2. A committed slot is never written; a slot that is no CI's slot and no CI's committed slot is free.
//! * C3. Slot numbers below those of a region are in the region, the others in the annex. A CA gets an annex, or loses
//!   region and annex together; so a slot that was committed and still is where it was has the same number.

use crate::pool::{View, Words, NO_FRAME};
use crate::sync::atomic::Ordering::{Acquire, Release};
use cica_format::ca::{CaHeader, CiEntry, HeaderView, NO_SLOT};

/// No committed region: the CA is new since the last commit, or lies in a region that is.
pub const NO_REGION: u32 = u32::MAX;
const REGIONS: usize = 3;
const FREE: usize = 4;
const ANNEX: usize = 5;
const FIRST: usize = 8;
/// CIs whose frame numbers share a line, and the words of them and their places.
const BLOCK: usize = 16;
const BLOCK_WORDS: usize = BLOCK / 2 + 2 * BLOCK;
/// CI flag: the CI holds records.
pub const HAS_RECORDS: u16 = 1;

/// A CA descriptor.
#[derive(Clone, Copy)]
pub struct CaPage<'p> {
    words: Words<'p>,
}

/// One CI of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CiPlace {
    /// Where the newest written image is, or [`NO_SLOT`].
    pub slot: u16,
    /// Where the committed image is in the committed region, or [`NO_SLOT`].
    pub committed: u16,
    /// Version of the image in `slot`.
    pub version: u32,
    /// Its checksum.
    pub checksum: u32,
}

impl<'p> CaPage<'p> {
    /// Bytes of frame it takes.
    pub fn frame_len(ci_per_ca: usize) -> usize {
        (FIRST + ci_per_ca.div_ceil(BLOCK) * BLOCK_WORDS) * 8
    }
    /// Where the frame number of CI `i` is, in half words.
    #[inline]
    fn frame_at(i: usize) -> usize {
        (FIRST + i / BLOCK * BLOCK_WORDS) * 2 + i % BLOCK
    }
    /// Where the place of CI `i` is, in words.
    fn place_at(i: usize) -> usize {
        FIRST + i / BLOCK * BLOCK_WORDS + BLOCK / 2 + 2 * (i % BLOCK)
    }
    /// The descriptor in a frame.
    #[inline]
    pub fn of(view: View<'p>) -> Self {
        CaPage { words: view.words() }
    }
    fn store(&self, i: usize, value: u64) {
        if let Some(cell) = self.words.cell(i) {
            cell.store(value, Release);
        }
    }
    fn half(&self, i: usize, high: bool) -> u32 {
        let word = self.words.get(i);
        if high {
            (word >> 32) as u32
        } else {
            word as u32
        }
    }
    fn set_half(&self, i: usize, high: bool, value: u32) {
        let word = self.words.get(i);
        let word = if high {
            word & 0xFFFF_FFFF | (value as u64) << 32
        } else {
            word & !0xFFFF_FFFF | value as u64
        };
        self.store(i, word);
    }

    /// The frame that holds CI `i`, or a number that proves wrong (C1).
    #[inline]
    pub fn frame(&self, i: usize) -> u32 {
        self.words
            .half_cell(Self::frame_at(i))
            .map_or(NO_FRAME, |cell| cell.load(Acquire))
    }
    /// Asks for the cache line that [`frame`](Self::frame) reads.
    #[inline]
    pub fn prefetch_frame(&self, i: usize) {
        self.words.prefetch_line(Self::frame_at(i) / 2);
    }
    /// Asks for the cache line that [`place`](Self::place) reads.
    #[inline]
    pub fn prefetch_place(&self, i: usize) {
        self.words.prefetch_line(Self::place_at(i));
    }
    /// Sets it.
    pub fn set_frame(&self, i: usize, frame: u32) {
        if let Some(cell) = self.words.half_cell(Self::frame_at(i)) {
            cell.store(frame, Release);
        }
    }
    /// Flags of CI `i`.
    pub fn flags(&self, i: usize) -> u16 {
        self.half(Self::place_at(i), true) as u16
    }
    /// Counts a look at CI `i` that brought no page into the pool; returns how many there were before.
    pub fn look(&self, i: usize) -> u32 {
        let half = self.half(Self::place_at(i), true);
        let looks = half >> 16;
        if looks < u16::MAX as u32 {
            self.set_half(Self::place_at(i), true, half + (1 << 16));
        }
        looks
    }
    /// Sets them, and starts counting looks anew.
    pub fn set_flags(&self, i: usize, flags: u16) {
        self.set_half(Self::place_at(i), true, flags as u32);
    }
    /// Slots, version and checksum of CI `i`.
    pub fn place(&self, i: usize) -> CiPlace {
        let slots = self.words.get(Self::place_at(i));
        let sum = self.words.get(Self::place_at(i) + 1);
        CiPlace {
            slot: slots as u16,
            committed: (slots >> 16) as u16,
            checksum: sum as u32,
            version: (sum >> 32) as u32,
        }
    }
    /// Sets them.
    pub fn set_place(&self, i: usize, p: CiPlace) {
        self.set_half(Self::place_at(i), false, p.slot as u32 | (p.committed as u32) << 16);
        self.store(Self::place_at(i) + 1, p.checksum as u64 | (p.version as u64) << 32);
    }
    /// The region its slots are in.
    pub fn region(&self) -> u32 {
        self.half(REGIONS, false)
    }
    /// The region its committed slots are in.
    pub fn committed_region(&self) -> u32 {
        self.half(REGIONS, true)
    }
    /// Sets both.
    pub fn set_regions(&self, region: u32, committed: u32) {
        self.store(REGIONS, region as u64 | (committed as u64) << 32);
    }
    /// The region with more slots for it, or [`NO_REGION`].
    pub fn annex(&self) -> u32 {
        self.half(ANNEX, false)
    }
    /// The committed one.
    pub fn committed_annex(&self) -> u32 {
        self.half(ANNEX, true)
    }
    /// Sets both.
    pub fn set_annex(&self, annex: u32, committed: u32) {
        self.store(ANNEX, annex as u64 | (committed as u64) << 32);
    }
    /// Slots it has, when a region has `slots`.
    pub fn slots(&self, slots: usize) -> usize {
        slots << (self.annex() != NO_REGION) as u32
    }
    /// On the free chain?
    pub fn is_free(&self) -> bool {
        self.half(FREE, false) & 1 == 1
    }
    /// Next on it.
    pub fn next_free(&self) -> u32 {
        self.half(FREE, true)
    }
    /// Sets both.
    pub fn set_free(&self, free: bool, next: u32) {
        self.store(FREE, free as u64 | (next as u64) << 32);
    }

    /// Fills the descriptor of a new CA.
    pub fn fill_new(&self, ci_per_ca: usize, region: u32) {
        self.set_regions(region, NO_REGION);
        self.set_annex(NO_REGION, NO_REGION);
        self.set_free(false, u32::MAX);
        for i in 0..ci_per_ca {
            let nothing = CiPlace {
                slot: NO_SLOT,
                committed: NO_SLOT,
                version: 0,
                checksum: 0,
            };
            self.begin_entry(i, 0, nothing);
        }
    }

    /// Fills it from a header and, where that is not committed yet, from the committed one. `slots` are a region's.
    pub fn fill(&self, header: &HeaderView<'_>, committed: Option<&HeaderView<'_>>, is_committed: bool, slots: usize) {
        let committed = if is_committed { Some(header) } else { committed };
        let committed_region = committed.map_or(NO_REGION, |c| c.region);
        self.set_regions(header.region, committed_region);
        let annex = |header: &HeaderView<'_>| header.annex.unwrap_or(NO_REGION);
        self.set_annex(annex(header), committed.map_or(NO_REGION, annex));
        self.set_free(header.flags & 1 == 1, header.next_free);
        // A slot counts as committed if it lies where it did.
        let stays = |c: &HeaderView<'_>, slot: u16| match (slot as usize) < slots {
            true => c.region == header.region,
            false => c.annex == header.annex,
        };
        for (i, e) in header.entries().enumerate() {
            let committed = match committed {
                Some(_) if is_committed => e.slot,
                Some(c) => c
                    .entry(i)
                    .filter(|old| stays(c, old.slot))
                    .map_or(NO_SLOT, |old| old.slot),
                None => NO_SLOT,
            };
            let place = CiPlace {
                slot: e.slot,
                committed,
                version: e.version,
                checksum: e.checksum,
            };
            self.begin_entry(i, e.flags, place);
        }
    }

    /// All there is of CI `i`, of which nothing was known.
    fn begin_entry(&self, i: usize, flags: u16, p: CiPlace) {
        let at = Self::place_at(i);
        let slots = p.slot as u32 | (p.committed as u32) << 16;
        self.store(at, slots as u64 | (flags as u64) << 32);
        self.store(at + 1, p.checksum as u64 | (p.version as u64) << 32);
        self.set_frame(i, NO_FRAME);
    }

    /// The header to write.
    pub fn header(&self, component: u64, ca: u32, version: u32, ci_per_ca: usize) -> CaHeader {
        let entries = (0..ci_per_ca).map(|i| {
            let p = self.place(i);
            CiEntry {
                slot: p.slot,
                flags: self.flags(i),
                version: p.version,
                checksum: p.checksum,
            }
        });
        CaHeader {
            component,
            ca,
            version,
            region: self.region(),
            annex: Some(self.annex()).filter(|&annex| annex != NO_REGION),
            flags: self.is_free() as u32,
            next_free: self.next_free(),
            entries: entries.collect(),
        }
    }

    /// All slots became committed.
    pub fn commit(&self, ci_per_ca: usize) {
        self.set_regions(self.region(), self.region());
        self.set_annex(self.annex(), self.annex());
        for i in 0..ci_per_ca {
            let p = self.place(i);
            self.set_place(i, CiPlace { committed: p.slot, ..p });
        }
    }

    /// Free slots in ascending order (C2).
    pub fn free_slots(&self, ci_per_ca: usize, slots: usize) -> Vec<u16> {
        let mut taken = vec![0u64; slots.div_ceil(64)];
        for i in 0..ci_per_ca {
            let p = self.place(i);
            for slot in [p.slot, p.committed] {
                if let Some(word) = taken.get_mut(slot as usize / 64) {
                    *word |= 1 << (slot % 64);
                }
            }
        }
        let is_free = |slot: &u16| taken[*slot as usize / 64] >> (slot % 64) & 1 == 0;
        (0..slots as u16).filter(is_free).collect()
    }

    /// CIs that hold records.
    pub fn used(&self, ci_per_ca: usize) -> usize {
        (0..ci_per_ca).filter(|&i| self.flags(i) & HAS_RECORDS != 0).count()
    }
}
