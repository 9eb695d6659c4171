//! Where frames come from when none is free: pages that are given up, and slabs that are emptied and cut anew.
//!
//! Second chance is within a size. `sweep.rs` is what moves slabs from a size whose pages are not used, and `kin.rs`
//! from one whose pages stay longer than others of their kind.
//!
//! | asked for a frame of a size | done |
//! |---|---|
//! | one is free, or the bound allows a slab more | it is taken |
//! | the size has pages that were not used since the hand last passed | the first of them is given up (second chance) |
//! | all were used, and [few](FEW_LEFT) are not pinned | a slab of a size that has [`ENOUGH`] is emptied for it |
//! | none can be given up | the same, of any other size |
//! | no slab can be emptied | it comes from what the request has reserved (`reserve.rs`) |
//! | nothing is | the request waits for those who are at a page just now |
//!
//! A descriptor of a CA is pinned by each of its CIs that has a page. A slab with such descriptors is emptied last, and
//! the pages of their CIs are given up first: else descriptors all over the pool would keep it cut as it is.

use super::marks::USED;
use super::{class_of, frames_of, slab_of, Cut, Gave, Latched, Pool, PoolFull, SLAB};
use crate::sync::atomic::Ordering::*;

/// So many frames of a size, not pinned, are enough to read by: a way through an index of usual depth, and where it
/// leads.
const FEW_LEFT: usize = 8;
/// And so many parts of them, so that a page to give up is not searched for among all that are pinned.
const PART_LEFT: usize = 16;

/// A size with so many slabs can spare one for a size that has few frames left.
const ENOUGH: usize = 3;

/// Times to look again while somebody is at the pages that could go.
const LOOKS: usize = 2_000;

/// What a search for a page to give up came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evicted {
    /// A frame is free, or a slab empty.
    One,
    /// None was, because all that are not pinned were just used, and they are few.
    Few,
    /// None could; somebody is at one of them.
    Busy,
    /// None can.
    None,
}

/// Frames that may be taken for reading ahead, until this is dropped.
pub struct Ahead<'p> {
    pool: &'p Pool,
    bytes: usize,
    frames: usize,
}

impl Ahead<'_> {
    /// How many.
    pub fn frames(&self) -> usize {
        self.frames
    }
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.pool.ahead.fetch_sub(self.bytes, Relaxed);
    }
}

impl Evicted {
    fn busy_if(busy: bool) -> Evicted {
        if busy {
            Evicted::Busy
        } else {
            Evicted::None
        }
    }
}

impl Pool {
    /// A latched frame of at least `bytes`, holding no page.
    ///
    /// # Errors
    /// The bound is reached, and nothing can be given up.
    pub fn take(&self, bytes: usize) -> Result<Latched<'_>, PoolFull> {
        self.take_or(bytes, |size| self.take_reserved(size))
    }

    /// The same; when nothing can be given up, `last` may have a frame.
    pub(super) fn take_or<'p>(
        &'p self,
        bytes: usize,
        last: impl Fn(usize) -> Option<Latched<'p>>,
    ) -> Result<Latched<'p>, PoolFull> {
        let size = super::class_size(bytes);
        self.sweep_on();
        self.share_among_kin();
        for _ in 0..LOOKS {
            if let Some(frame) = self.pop_free(size) {
                return Ok(self.in_hand(frame));
            }
            if self.cut_slab(size) {
                continue;
            }
            let made = match self.evict_one(size, false) {
                Evicted::One => continue,
                Evicted::Few if self.steal_slab(size, ENOUGH) == Evicted::One => continue,
                Evicted::Few => self.evict_one(size, true),
                none => none,
            };
            if made == Evicted::One {
                continue;
            }
            match self.steal_slab(size, 1) {
                Evicted::One => continue,
                other => {
                    if let Some(frame) = last(size) {
                        return Ok(frame);
                    }
                    if other != Evicted::Busy && made != Evicted::Busy {
                        return Err(PoolFull);
                    }
                }
            }
            crate::sync::yield_now();
        }
        Err(PoolFull)
    }

    /// The same, if it takes nothing away from pages of other sizes. The caller may keep locks of the owner's.
    pub fn take_soon(&self, bytes: usize) -> Option<Latched<'_>> {
        let size = super::class_size(bytes);
        let free = self.pop_free(size).or_else(|| {
            let more = self.cut_slab(size) || self.evict_one(size, true) == Evicted::One;
            more.then(|| self.pop_free(size)).flatten()
        });
        if free.is_none() {
            // A size that has no slab yet may get one so.
            self.sweep.gave_up(size);
        }
        Some(self.in_hand(free?))
    }

    /// Frames for reading ahead, so many at most: all who do that have an eighth of the pool together.
    pub fn ahead(&self, bytes: usize, frames: usize) -> Ahead<'_> {
        let (each, most) = (super::class_size(bytes), self.limit() / 8);
        let mut ahead = Ahead {
            pool: self,
            bytes: 0,
            frames: 0,
        };
        let more = |now: usize| {
            ahead.frames = frames.min(most.saturating_sub(now) / each);
            Some(now + ahead.frames * each)
        };
        // It always says yes, perhaps to nothing.
        if self.ahead.fetch_update(Relaxed, Relaxed, more).is_ok() {
            ahead.bytes = ahead.frames * each;
        }
        ahead
    }

    /// Pages given up so far.
    pub(super) fn gone(&self) -> u64 {
        self.gone.load(Relaxed)
    }

    /// Second chance over the frames of a size: the first that was not used since the hand last passed, and can be
    /// given up. Where they are few, it does that only if it is told to.
    fn evict_one(&self, size: usize, few: bool) -> Evicted {
        let total = class_of(&mut self.classes.lock(), size).frames();
        let (mut left, mut busy) = (0, false);
        for looked in 0..2 * total {
            if looked == total && left <= FEW_LEFT.max(total / PART_LEFT) && !few {
                return Evicted::Few;
            }
            let frame = {
                let mut classes = self.classes.lock();
                let Some(frame) = class_of(&mut classes, size).next() else {
                    return Evicted::None;
                };
                // Under the lock: a slab leaves its size, and its frames their places, only with it.
                let d = self.descriptor(frame);
                let was_used = self.take_mark(frame, USED);
                if d.is_kept() || d.pins() > 0 {
                    continue;
                }
                left += 1;
                if was_used {
                    continue;
                }
                frame
            };
            match self.give_up(frame, false) {
                Gave::Up => {
                    self.gave_up(size);
                    return Evicted::One;
                }
                Gave::Busy => busy = true,
                Gave::Not => {}
            }
        }
        Evicted::busy_if(busy)
    }

    /// Has the page of a frame given up.
    fn give_up(&self, frame: u32, below: bool) -> Gave {
        let Some(page) = self.page_of(frame) else {
            // Free by now, or in somebody's hand.
            return Gave::Busy;
        };
        let owner = self.owners.read().get(page.component as usize).cloned().flatten();
        let gave = owner.map_or(Gave::Busy, |owner| owner.give_up(frame, page, below));
        if gave == Gave::Up {
            self.gone.fetch_add(1, Relaxed);
            self.counts.gone();
        }
        gave
    }

    /// A size that starves takes a slab's worth of neighbouring frames from another size, of those that have so many
    /// slabs, and cuts them anew.
    fn steal_slab(&self, size: usize, of: usize) -> Evicted {
        match self.take_slab(Some(size), of) {
            Ok(slab) => {
                self.enter_slab(Cut::Anew(slab), size);
                Evicted::One
            }
            Err(none) => none,
        }
    }

    /// Empties a slab of any size but `spared`, of those that have so many, and takes it from its size: the next one
    /// that can be emptied behind the one that went last. So those that a request has just filled go after all others.
    pub(super) fn take_slab(&self, spared: Option<usize>, of: usize) -> Result<usize, Evicted> {
        let mut others: Vec<(usize, usize)> = {
            let classes = self.classes.lock();
            let others = classes.iter().filter(|c| Some(c.size) != spared && c.slabs.len() >= of);
            let slabs = others.flat_map(|c| c.slabs.iter().map(|&slab| (slab, c.size)));
            slabs.collect()
        };
        others.sort_unstable_by_key(|(slab, _)| *slab);
        let last = self.taken_last.load(Relaxed);
        let (before, behind) = others.split_at(others.partition_point(|(slab, _)| *slab <= last));
        let mut busy = false;
        // Those with pinned descriptors last: what is below those goes too.
        for below in [false, true] {
            for &(slab, size) in behind.iter().chain(before) {
                match self.empty_slab(size, slab, below) {
                    Gave::Up => {
                        self.taken_last.store(slab, Relaxed);
                        return Ok(slab);
                    }
                    Gave::Busy => busy = true,
                    Gave::Not => {}
                }
            }
        }
        Err(Evicted::busy_if(busy))
    }

    /// Has all pages of a slab given up, and takes it from its size.
    pub(super) fn empty_slab(&self, size: usize, slab: usize, below: bool) -> Gave {
        let stays = |frame: u32| {
            let d = self.descriptor(frame);
            d.is_kept() || (!below && d.pins() > 0)
        };
        if frames_of(slab, size).any(stays) {
            return Gave::Not;
        }
        for frame in frames_of(slab, size) {
            if self.page_of(frame).is_some() {
                match self.give_up(frame, below) {
                    Gave::Up => {}
                    other => return other,
                }
            }
        }
        // All of the slab's frames must be on the free list now, or somebody has one in hand.
        let mut classes = self.classes.lock();
        let class = class_of(&mut classes, size);
        let is_its = class.slabs.contains(&slab);
        let free = class.free.iter().filter(|&&frame| slab_of(frame) == slab).count();
        // Who keeps a page will write to its frame's descriptor once more.
        let is_kept = |frame: u32| self.descriptor(frame).is_kept();
        if !is_its || free < SLAB / size || frames_of(slab, size).any(is_kept) {
            return Gave::Busy;
        }
        class.lose(slab);
        self.show_frames(&classes);
        Gave::Up
    }
}

#[cfg(all(test, not(cica_schedules)))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::LEAST;
    use super::*;

    /// Who has a frame in hand writes to it.
    #[test]
    fn a_slab_of_which_somebody_has_a_frame_is_not_cut_anew() {
        let pool = Pool::new(LEAST, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let in_hand = pool.take(SLAB / 8).unwrap();
        let (size, slab) = (in_hand.size(), slab_of(in_hand.frame));
        assert_eq!(pool.empty_slab(size, slab, true), Gave::Busy);
        assert_eq!(pool.take_slab(None, 1), Err(Evicted::Busy));
        drop(in_hand);
        assert_eq!(pool.empty_slab(size, slab, false), Gave::Up);
        // It is of no size now.
        assert_eq!(pool.empty_slab(size, slab, false), Gave::Busy);
    }
}
