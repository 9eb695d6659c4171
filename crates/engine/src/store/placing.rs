//! Where the dirty CIs of a CA are written: each to sectors that are free, or over its newest image where that is not
//! committed and long enough (ca:C2).

use super::ca::CiPlace;
use super::{CaPage, Component};
use crate::pool::Latched;
use cica_format::ca::NO_SLOT;

/// A dirty page in hand.
pub(super) struct Dirty<'p> {
    pub ci: u32,
    pub i: usize,
    pub latched: Latched<'p>,
}

/// Where a dirty CI is about to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// Its first sector, or [`NO_SLOT`].
    pub first: u16,
    /// How many there are; 0: the CI needs no image.
    pub sectors: usize,
    /// Those of the CI that it has not.
    pub left_out: u8,
}

impl Component {
    /// A slot for each of the dirty CIs, in their order: where its newest image is, if that is not committed and long
    /// enough, else where sectors are free. `None`: there are not enough of them.
    pub(super) fn places_for(&self, page: CaPage<'_>, dirty: &[Dirty<'_>]) -> Option<Vec<Slot>> {
        let mut slots: Vec<Slot> = dirty.iter().map(|d| self.slot_where_it_was(page, d)).collect();
        let moves = |slot: &Slot| slot.sectors > 0 && slot.first == NO_SLOT;
        // The common case of a page that is given up after it was written once since the commit.
        if !slots.iter().any(moves) {
            return Some(slots);
        }
        let mut moving = vec![false; self.layout.ci_per_ca];
        dirty.iter().zip(&slots).for_each(|(d, slot)| moving[d.i] = moves(slot));
        let mut free = page.free_runs(&self.layout, |i| moving[i]);
        for slot in slots.iter_mut().filter(|slot| moves(slot)) {
            let run = free.iter_mut().find(|run| run.len() >= slot.sectors)?;
            slot.first = run.start as u16;
            run.start += slot.sectors;
        }
        Some(slots)
    }

    /// What an image takes of its CI's newest slot, if it may be written over and is long enough.
    fn slot_where_it_was(&self, page: CaPage<'_>, d: &Dirty<'_>) -> Slot {
        let (old, left_out, sectors) = (page.place(d.i), self.left_out(d), self.stored_sectors(d));
        let fits = rewritable(old) && sectors <= self.layout.stored_sectors(old.left_out);
        Slot {
            first: if fits { old.slot } else { NO_SLOT },
            sectors,
            left_out,
        }
    }

    /// Sectors of free space that the image of a dirty page is written without.
    pub(super) fn left_out(&self, d: &Dirty<'_>) -> u8 {
        let free = self.codec.free_bytes(d.latched.view(), self.layout.ci_size);
        self.layout.left_out(free)
    }

    /// Sectors of that image; 0: it needs none.
    pub(super) fn stored_sectors(&self, d: &Dirty<'_>) -> usize {
        if self.is_empty(d) {
            0
        } else {
            self.layout.stored_sectors(self.left_out(d))
        }
    }

    /// Then the CA is better written whole, with one write in place of many, if the file need not grow for it. It loses
    /// its annex by that.
    pub(super) fn gathers(&self, page: CaPage<'_>, dirty: &[Dirty<'_>], places: &[Slot]) -> bool {
        let moves = |(d, slot): &(&Dirty<'_>, &Slot)| slot.sectors > 0 && page.place(d.i).slot != slot.first;
        let moving = dirty.iter().zip(places).filter(moves).count();
        self.is_most(page, moving) && self.has_free_regions()
    }

    /// So many CIs are more than three quarters of those that a CA has.
    pub(super) fn is_most(&self, page: CaPage<'_>, cis: usize) -> bool {
        4 * cis > 3 * page.used(self.layout.ci_per_ca)
    }

    /// Sectors of all images of a CA, those of its dirty CIs as they will be.
    pub(super) fn sectors_of(&self, page: CaPage<'_>, dirty: &[Dirty<'_>]) -> usize {
        let of = |i: usize| match (dirty.binary_search_by_key(&i, |d| d.i), page.place(i)) {
            (Ok(d), _) => self.stored_sectors(&dirty[d]),
            (Err(_), place) if place.slot == NO_SLOT => 0,
            (Err(_), place) => self.layout.stored_sectors(place.left_out),
        };
        (0..self.layout.ci_per_ca).map(of).sum()
    }

    /// A data CI without records needs no image.
    pub(super) fn is_empty(&self, d: &Dirty<'_>) -> bool {
        d.latched.view().count() == 0 && self.codec.is_data()
    }
}

/// The newest image is not committed, so it may be written over.
fn rewritable(place: CiPlace) -> bool {
    place.slot != NO_SLOT && place.slot != place.committed
}
