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
//!                  flags: 0-3 those of the CI | 4-7 what its slot leaves out | 8-11 the same of the committed one
//! ```
//!
//! * C1. Everything but the frame numbers is changed only under the CA's lock; frame numbers are read by anyone,
//!   and the
//!   frame's own page word says whether the number was still good.
//! * C2. A sector of a committed slot is never written; one that is of no CI's slot and of no CI's committed slot is
//!   free.
//! * C3. Sectors below those of a region are in the region, the others in the annex; no slot is in both. A CA gets an
//!   annex, or loses region and annex together; so a slot that was committed and still is where it was has the same
//!   number.

use super::ComponentLayout;
use crate::pool::{View, Words, NO_FRAME};
use crate::sync::atomic::Ordering::Release;
use cica_format::ca::{CaHeader, CiEntry, HeaderView, NO_SLOT};
use std::ops::Range;

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
/// Flags of a CI, beside which the descriptor keeps what slots leave out.
const FLAGS: u32 = 0x000F;
const LEFT_OUT: u32 = 0x0FF0;

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
    /// Sectors of free space that it has not.
    pub left_out: u8,
    /// Where the committed image is in the committed region, or [`NO_SLOT`].
    pub committed: u16,
    /// Sectors that the committed image has not.
    pub committed_left_out: u8,
    /// Version of the image in `slot`.
    pub version: u32,
    /// Its checksum.
    pub checksum: u32,
}

impl CiPlace {
    /// Of a CI that has no image.
    pub const NOWHERE: CiPlace = CiPlace {
        slot: NO_SLOT,
        left_out: 0,
        committed: NO_SLOT,
        committed_left_out: 0,
        version: 0,
        checksum: 0,
    };

    /// The same place, where the image in `slot` is committed.
    fn as_committed(self) -> CiPlace {
        CiPlace {
            committed: self.slot,
            committed_left_out: self.left_out,
            ..self
        }
    }

    /// The words of it, with the flags of the CI and the looks at it.
    fn words(self, rest: u32) -> (u64, u64) {
        let slots = self.slot as u32 | (self.committed as u32) << 16;
        let left_out = (self.left_out as u32) << 4 | (self.committed_left_out as u32) << 8;
        (
            slots as u64 | ((rest & !LEFT_OUT | left_out & LEFT_OUT) as u64) << 32,
            self.checksum as u64 | (self.version as u64) << 32,
        )
    }
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
        self.words.half(Self::frame_at(i)).unwrap_or(NO_FRAME)
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
        self.words.set_half(Self::frame_at(i), frame);
    }
    /// Flags of CI `i`.
    pub fn flags(&self, i: usize) -> u16 {
        (self.half(Self::place_at(i), true) & FLAGS) as u16
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
        let left_out = self.half(Self::place_at(i), true) & LEFT_OUT;
        self.set_half(Self::place_at(i), true, left_out | flags as u32 & FLAGS);
    }
    /// Slots, version and checksum of CI `i`.
    pub fn place(&self, i: usize) -> CiPlace {
        let slots = self.words.get(Self::place_at(i));
        let sum = self.words.get(Self::place_at(i) + 1);
        CiPlace {
            slot: slots as u16,
            left_out: (slots >> 36) as u8 & 0xF,
            committed: (slots >> 16) as u16,
            committed_left_out: (slots >> 40) as u8 & 0xF,
            checksum: sum as u32,
            version: (sum >> 32) as u32,
        }
    }
    /// Sets them.
    pub fn set_place(&self, i: usize, p: CiPlace) {
        let at = Self::place_at(i);
        let (slots, sum) = p.words(self.half(at, true));
        self.store(at, slots);
        self.store(at + 1, sum);
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
    /// Sectors it has, when a region has so many.
    pub fn sectors(&self, of_region: usize) -> usize {
        of_region << (self.annex() != NO_REGION) as u32
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
        (0..ci_per_ca).for_each(|i| self.begin_entry(i, 0, CiPlace::NOWHERE));
    }

    /// Fills it from a header and, where that is not committed yet, from the committed one.
    pub fn fill(
        &self,
        header: &HeaderView<'_>,
        committed: Option<&HeaderView<'_>>,
        is_committed: bool,
        layout: &ComponentLayout,
    ) {
        let committed = if is_committed { Some(header) } else { committed };
        let committed_region = committed.map_or(NO_REGION, |c| c.region);
        self.set_regions(header.region, committed_region);
        let annex = |header: &HeaderView<'_>| header.annex.unwrap_or(NO_REGION);
        self.set_annex(annex(header), committed.map_or(NO_REGION, annex));
        self.set_free(header.flags & 1 == 1, header.next_free);
        // A slot counts as committed if it lies where it did.
        let stays = |c: &HeaderView<'_>, slot: u16| {
            if (slot as usize) < layout.sectors {
                c.region == header.region
            } else {
                c.annex == header.annex
            }
        };
        for (i, e) in header.entries().enumerate() {
            let (slot, left_out) = layout.place(header.in_sectors, &e);
            let place = CiPlace {
                slot,
                left_out,
                version: e.version,
                checksum: e.checksum,
                ..CiPlace::NOWHERE
            };
            let place = match committed {
                Some(_) if is_committed => place.as_committed(),
                Some(c) => {
                    let old = c.entry(i).map(|old| layout.place(c.in_sectors, &old));
                    let (committed, committed_left_out) =
                        old.filter(|&(slot, _)| stays(c, slot)).unwrap_or((NO_SLOT, 0));
                    CiPlace {
                        committed,
                        committed_left_out,
                        ..place
                    }
                }
                None => place,
            };
            self.begin_entry(i, e.flags, place);
        }
    }

    /// All there is of CI `i`, of which nothing was known.
    fn begin_entry(&self, i: usize, flags: u16, p: CiPlace) {
        let at = Self::place_at(i);
        let (slots, sum) = p.words(flags as u32 & FLAGS);
        self.store(at, slots);
        self.store(at + 1, sum);
        self.set_frame(i, NO_FRAME);
    }

    /// The header to write.
    pub fn header(&self, component: u64, ca: u32, version: u32, ci_per_ca: usize) -> CaHeader {
        let entries = (0..ci_per_ca).map(|i| {
            let p = self.place(i);
            CiEntry {
                slot: p.slot,
                left_out: p.left_out,
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
            in_sectors: true,
            next_free: self.next_free(),
            entries: entries.collect(),
        }
    }

    /// All slots became committed.
    pub fn commit(&self, ci_per_ca: usize) {
        self.set_regions(self.region(), self.region());
        self.set_annex(self.annex(), self.annex());
        for i in 0..ci_per_ca {
            self.set_place(i, self.place(i).as_committed());
        }
    }

    /// Free sectors in ascending order, as runs in one region each (C2). The newest images of the CIs that `move` count
    /// as gone: they are about to be written elsewhere.
    pub fn free_runs(&self, layout: &ComponentLayout, moves: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
        let mut taken = vec![false; self.sectors(layout.sectors)];
        let mut take = |slot: u16, left_out: u8| {
            let first = slot as usize;
            let end = taken.len().min(first + layout.stored_sectors(left_out));
            if let Some(sectors) = taken.get_mut(first..end) {
                sectors.fill(true);
            }
        };
        for i in 0..layout.ci_per_ca {
            let p = self.place(i);
            take(p.committed, p.committed_left_out);
            if !moves(i) {
                take(p.slot, p.left_out);
            }
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for sector in (0..taken.len()).filter(|&sector| !taken[sector]) {
            match runs.last_mut() {
                Some(run) if run.end == sector && sector != layout.sectors => run.end += 1,
                _ => runs.push(sector..sector + 1),
            }
        }
        runs
    }

    /// CIs that hold records.
    pub fn used(&self, ci_per_ca: usize) -> usize {
        (0..ci_per_ca).filter(|&i| self.flags(i) & HAS_RECORDS != 0).count()
    }
}
