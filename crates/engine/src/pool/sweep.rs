//! Memory goes to the sizes that use it. Second chance looks at frames of one size. Without more, a size that was first
//! would keep its slabs for ever, and another would read each page from the volume although the first is not used.
//!
//! The sweep passes over all slabs in turn, one for each slab's worth of pages that were given up. So when as many
//! bytes as the pool has were read, it has passed over all of it once, as the hand of one list for all would have.
//!
//! | a slab that the sweep comes to | done |
//! |---|---|
//! | is of the size that gave pages up last, or of its kin | nothing (`kin.rs`) |
//! | half of its pages or more were used since it last came | nothing |
//! | fewer were, and its size has others | it is emptied, and cut for the size that gave pages up |
//!
//! * V1. The sweep looks at marks of its own (`RECENT`), so it takes no second chance away.
//! * V2. It empties slabs as `evict.rs` does: what is pinned or kept stays, and with it the slab. Nobody waits for it,
//!   and no request fails because of it.

use super::marks::RECENT;
use super::{frames_of, Cut, Gave, Pool, SLAB};
use crate::sync::atomic::{AtomicUsize, Ordering::*};
use crate::sync::Mutex;

/// Slabs that a size keeps at least.
const KEEPS: usize = 1;

#[derive(Default)]
pub(super) struct Sweep {
    /// The size that gave a page up last, or had no frame to give.
    wanting: AtomicUsize,
    /// Bytes that were given up since the sweep last went on.
    given_up: AtomicUsize,
    /// The slab it comes to next.
    at: Mutex<usize>,
}

impl Sweep {
    /// A page of this size was given up for another of the same, or there was none to give up.
    pub fn gave_up(&self, size: usize) {
        self.wanting.store(size, Relaxed);
        self.given_up.fetch_add(size, Relaxed);
    }
}

impl Pool {
    /// Looks at the next slab, if enough was given up. The caller has no lock of an owner.
    #[inline]
    pub(super) fn sweep_on(&self) {
        if self.sweep.given_up.load(Relaxed) >= SLAB {
            self.sweep_slab();
        }
    }

    #[cold]
    fn sweep_slab(&self) {
        // One thread is enough.
        let Some(mut at) = self.sweep.at.try_lock() else { return };
        self.sweep.given_up.store(0, Relaxed);
        let slab = *at;
        *at = (slab + 1) % (*self.next_slab.lock()).max(1);
        let size = self.size_of(slab).map_or(0, |size| size.load(Relaxed) as usize);
        let wanting = self.sweep.wanting.load(Relaxed);
        let is_used = self.is_used(slab, size) || self.are_kin(size, wanting);
        if wanting != 0 && wanting != size && !is_used && self.empty_slab(size, slab, false) == Gave::Up {
            self.enter_slab(Cut::Anew(slab), wanting);
        }
    }

    /// Takes the marks off the pages of a slab: were half of them used since the last time? And so for a slab that its
    /// size is to keep, or that has gone from it.
    fn is_used(&self, slab: usize, size: usize) -> bool {
        let classes = self.classes.lock();
        let Some(class) = classes
            .iter()
            .find(|class| class.size == size && class.slabs.contains(&slab))
        else {
            return true;
        };
        let used = frames_of(slab, size).filter(|&frame| self.take_mark(frame, RECENT));
        2 * used.count() >= SLAB / size || class.slabs.len() <= KEEPS
    }
}
