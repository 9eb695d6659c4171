//! Kin: the frame sizes that the pages of one CI size have, narrow and whole (`narrow.rs`). They are used alike, so a
//! page should stay in memory for the same time, whatever its width.
//!
//! The *age* of a size is how many pages leave the pool while all of its own go once.
//!
//! | a size that gave up a page | takes a slab from the oldest size |
//! |---|---|
//! | has kin | of its kin that are [`TWICE`] as old |
//! | has none: pages of an index, descriptors | that has kin, gave up a page lately, and is [`HALF`] as old |
//!
//! By a page of the second kind many others are found, so such a size gives no slab for its age. *Lately* is within the
//! age of the other size. A size that gives up none may be in use all the time: whether it is, the sweep (`sweep.rs`)
//! finds out.
//!
//! * K1. A slab is emptied as the sweep empties one: nobody waits for it, and no request fails because of it.
//! * K2. A size keeps a slab.

use super::{class_of, class_size, Class, Cut, Gave, Latched, Pool, SLAB};
use crate::sync::atomic::{AtomicUsize, Ordering::*};

/// Kin as old as this leave a slab, in halves of the age of who takes it.
const TWICE: u64 = 4;
/// The same where who takes it has no kin.
const HALF: u64 = 1;
/// Slabs that a size keeps at least.
const KEEPS: usize = 1;

#[derive(Default)]
pub(super) struct Kin {
    /// The size that gave up a page, or had none to give; 0: none did since a slab was looked for.
    wanting: AtomicUsize,
}

/// How often pages of a size go.
#[derive(Default)]
pub(super) struct Turnover {
    /// Pages that had left the pool when one of this size did so last.
    last: Option<u64>,
    /// Pages that leave the pool from one of this size to the next, the mean of the last ones, times [`MEAN`].
    between: u64,
}

/// About so many of the last count for the mean.
const MEAN: u64 = 16;

impl Turnover {
    fn went(&mut self, gone: u64) {
        let since = self.last.map_or(0, |last| gone.saturating_sub(last));
        self.between = self.between - self.between / MEAN + since;
        self.last = Some(gone);
    }

    /// Pages that left the pool since one of this size did; all of them where none has yet.
    fn since(&self, gone: u64) -> u64 {
        gone.saturating_sub(self.last.unwrap_or(0))
    }
}

impl Class {
    /// Pages that leave the pool while all of this size go.
    fn age(&self, gone: u64) -> u64 {
        let between = self.turnover.between.max(MEAN * self.turnover.since(gone));
        self.frames() as u64 * between / MEAN
    }

    /// The slab that the hand comes to next.
    fn slab_at_hand(&self) -> Option<usize> {
        let at = self.hand % self.frames().max(1) / (SLAB / self.size);
        self.slabs.get(at).copied()
    }

    /// Does it leave a slab to `other`?
    fn leaves_to(&self, other: &Class, gone: u64) -> bool {
        if self.slabs.len() <= KEEPS || self.size == other.size || self.kin == 0 {
            return false;
        }
        let (age, its) = (self.age(gone), other.age(gone));
        if other.kin == 0 {
            self.turnover.last.is_some() && self.turnover.since(gone) <= its && 2 * age > HALF * its
        } else {
            self.kin == other.kin && 2 * age > TWICE * its
        }
    }
}

impl Pool {
    /// As [`take_soon`](Self::take_soon), for a narrow page of those that have `whole` bytes where they are whole.
    pub fn take_fitted(&self, bytes: usize, whole: usize) -> Option<Latched<'_>> {
        let (size, whole) = (class_size(bytes), class_size(whole));
        if let Some(frame) = self.pop_free(size) {
            return Some(self.in_hand(frame));
        }
        {
            let mut classes = self.classes.lock();
            class_of(&mut classes, size).kin = whole;
            class_of(&mut classes, whole).kin = whole;
        }
        let fitted = self.take_soon(bytes);
        if fitted.is_none() {
            self.kin.wanting.store(size, Relaxed);
        }
        fitted
    }

    /// Whether all memory of the pool is in frames by now: one page comes where another goes.
    pub fn is_short(&self) -> bool {
        self.charged() + SLAB > self.limit
    }

    /// A page of this size was given up for another of the same.
    pub(super) fn gave_up(&self, size: usize) {
        class_of(&mut self.classes.lock(), size).turnover.went(self.gone());
        self.kin.wanting.store(size, Relaxed);
        self.sweep.gave_up(size);
    }

    /// Moves a slab to the size that wants one. The caller has no lock of an owner.
    #[inline]
    pub(super) fn share_among_kin(&self) {
        if self.kin.wanting.load(Relaxed) != 0 {
            self.share_slab();
        }
    }

    #[cold]
    fn share_slab(&self) {
        let wanting = self.kin.wanting.swap(0, Relaxed);
        let Some((size, slab)) = self.older(wanting) else {
            return;
        };
        if self.empty_slab(size, slab, false) == Gave::Up {
            self.enter_slab(Cut::Anew(slab), wanting);
        }
    }

    /// The slab that goes to this size, and the size that leaves it.
    fn older(&self, wanting: usize) -> Option<(usize, usize)> {
        let (gone, classes) = (self.gone(), self.classes.lock());
        let own = classes.iter().find(|class| class.size == wanting)?;
        let others = classes.iter().filter(|class| class.leaves_to(own, gone));
        let oldest = others.max_by_key(|class| class.age(gone))?;
        Some((oldest.size, oldest.slab_at_hand()?))
    }

    /// Are these sizes kin?
    pub(super) fn are_kin(&self, one: usize, other: usize) -> bool {
        let classes = self.classes.lock();
        let kin = |size| classes.iter().find(|class| class.size == size).map(|class| class.kin);
        kin(one).is_some_and(|kin_of_one| kin_of_one != 0 && kin(other) == Some(kin_of_one))
    }
}

#[cfg(all(test, not(cica_schedules)))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{PageId, PageKind, PageOwner};
    use super::*;
    use std::sync::{Arc, OnceLock};

    /// Gives up what it is asked for.
    struct Gives(OnceLock<Arc<Pool>>);

    impl PageOwner for Gives {
        fn give_up(&self, frame: u32, _: PageId, _: bool) -> Gave {
            let Some(latched) = self.0.get().and_then(|pool| pool.try_latch(frame)) else {
                return Gave::Busy;
            };
            latched.free();
            Gave::Up
        }
    }

    const WHOLE: usize = SLAB / 13 / 64 * 64;
    const NARROW: usize = SLAB / 21 / 64 * 64;
    const INDEX: usize = 4096;
    /// Those of another CI size.
    const OTHER: usize = SLAB / 7 / 64 * 64;
    const OTHER_NARROW: usize = SLAB / 11 / 64 * 64;
    /// Data pages that are more than the pool has room for.
    const MANY: u32 = 1000;

    struct Pages {
        pool: Arc<Pool>,
        component: u16,
        came: u32,
    }

    impl Pages {
        fn new() -> Pages {
            let pool = Arc::new(Pool::new(8 << 20, Arc::new(cica_disk::SystemClock)).unwrap());
            let component = pool.register(Arc::new(Gives(OnceLock::from(pool.clone())))).unwrap();
            Pages {
                pool,
                component,
                came: 0,
            }
        }

        fn enter(&mut self, mut latched: Latched<'_>) -> (u32, PageId) {
            self.came += 1;
            let page = PageId {
                component: self.component,
                kind: PageKind::Ci,
                number: self.came,
            };
            latched.set_page(Some(page));
            let frame = latched.release().0;
            self.pool.touch(frame);
            (frame, page)
        }

        /// A data page is read: first to a whole frame, and then it is fitted.
        fn data(&mut self, size: usize) -> (u32, PageId) {
            self.data_of(size, WHOLE)
        }

        fn data_of(&mut self, size: usize, whole_size: usize) -> (u32, PageId) {
            let pool = self.pool.clone();
            let whole = pool.take(whole_size).unwrap();
            let fitted = (size < whole_size)
                .then(|| pool.take_fitted(size, whole_size))
                .flatten();
            match fitted {
                Some(fitted) => {
                    whole.free();
                    self.enter(fitted)
                }
                None => self.enter(whole),
            }
        }

        /// An index page is used: it is read if it is not there. Was it?
        fn index(&mut self, at: &mut (u32, PageId)) -> bool {
            let is_there = self.pool.page_of(at.0) == Some(at.1);
            if is_there {
                self.pool.touch(at.0);
            } else {
                let pool = self.pool.clone();
                *at = self.enter(pool.take(INDEX).unwrap());
            }
            is_there
        }

        fn slabs(&self, size: usize) -> usize {
            class_of(&mut self.pool.classes.lock(), size).slabs.len()
        }
    }

    /// Index pages of so many slabs, none of them in the pool.
    fn absent(slabs: usize) -> Vec<(u32, PageId)> {
        let page = PageId {
            component: u16::MAX,
            kind: PageKind::Ci,
            number: 0,
        };
        vec![(0, page); slabs * SLAB / INDEX]
    }

    #[test]
    fn a_width_takes_the_memory_of_kin_that_nobody_gives_up() {
        let mut pages = Pages::new();
        for size in [WHOLE, NARROW, WHOLE] {
            (0..MANY).for_each(|_| _ = pages.data(size));
            assert!(pages.pool.is_short());
            let (own, other) = (pages.slabs(size), pages.slabs(WHOLE + NARROW - size));
            assert!(own > 3 * other, "pages of {size}: {own} slabs, and their kin {other}");
            assert!(other >= KEEPS || pages.came == MANY, "K2");
        }
    }

    #[test]
    fn kin_whose_pages_stay_as_long_take_nothing_from_each_other() {
        let mut pages = Pages::new();
        let both = |pages: &mut Pages| {
            for n in 0..2 * MANY {
                pages.data(if n % 3 == 0 { WHOLE } else { NARROW });
            }
        };
        both(&mut pages);
        let before = pages.pool.cuts.load(Relaxed);
        both(&mut pages);
        let cuts = pages.pool.cuts.load(Relaxed) - before;
        assert!(cuts < 3, "{cuts} slabs went from one to the other and back");
        // A third of the pages is whole: two thirds of as many frames.
        let (whole, narrow) = (pages.slabs(WHOLE), pages.slabs(NARROW));
        assert!(
            whole > narrow / 3 && whole < 2 * narrow,
            "{whole} slabs whole, {narrow} narrow"
        );
    }

    #[test]
    fn an_index_that_is_used_takes_its_memory_from_data_that_comes_and_goes() {
        let mut pages = Pages::new();
        (0..MANY).for_each(|_| _ = pages.data(NARROW));
        let mut index = absent(5);
        let (mut read, steps) = (0, 20 * MANY);
        for step in 0..steps {
            pages.data(NARROW);
            let at = step as usize * 7919 % index.len();
            let was_there = pages.index(&mut index[at]);
            read += u32::from(step >= steps / 2 && !was_there);
        }
        assert!(read < steps / 100, "{read} of {steps} found no index page");
    }

    #[test]
    fn data_that_is_used_and_does_not_go_leaves_nothing() {
        let mut pages = Pages::new();
        let mut index = absent(40);
        pages.index(&mut index[0]);
        let data: Vec<_> = (0..15 * 21).map(|_| pages.data(NARROW)).collect();
        while !pages.pool.is_short() {
            let came = pages.came as usize;
            pages.index(&mut index[came]);
        }
        for step in 0..20 * MANY as usize {
            if step % 100 == 0 {
                data.iter().for_each(|&(frame, _)| pages.pool.touch(frame));
            }
            let at = step % index.len();
            pages.index(&mut index[at]);
        }
        let stayed = data
            .iter()
            .filter(|&&(frame, page)| pages.pool.page_of(frame) == Some(page));
        assert_eq!(stayed.count(), data.len());
    }

    /// Which of two data sets has the memory is for the sweep to say, by what is used.
    #[test]
    fn a_width_takes_nothing_from_those_of_another_ci_size_for_their_age() {
        let mut pages = Pages::new();
        let data: Vec<_> = (0..15 * 21).map(|_| pages.data(NARROW)).collect();
        for step in 0..20 * MANY {
            if step % 100 == 0 {
                data.iter().for_each(|&(frame, _)| pages.pool.touch(frame));
            }
            pages.data_of(OTHER_NARROW, OTHER);
        }
        let stayed = data
            .iter()
            .filter(|&&(frame, page)| pages.pool.page_of(frame) == Some(page));
        assert_eq!(stayed.count(), data.len());
    }
}
