//! Marks of use, which second chance and the sweep go by: a byte for each frame, outside the frames.
//!
//! * M1. A reader holds nothing. Between its look at a frame and the mark that it sets, the frame's slab may be emptied
//!   and cut anew, and what was the frame's head be the middle of another's page. So marks are no part of a frame: one
//!   that comes too late is a hint for the wrong frame, and changes nothing else.
//! * M2. A mark is stored without looking whether somebody takes it off at the same time: it is a hint.

use super::{Pool, HUGE, SLAB};
use crate::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The page was used since the hand of its size last passed (`evict.rs`).
pub(super) const USED: u8 = 1;
/// The page was used since the sweep last passed (`sweep.rs`).
pub(super) const RECENT: u8 = 2;

/// A frame has at least so many bytes, so each has a mark of its own.
const EACH: usize = super::SMALLEST;

/// Bytes of address space for the marks of so many bytes of slabs.
pub(super) fn marks_len(reserved: usize) -> usize {
    (reserved / EACH).next_multiple_of(HUGE)
}

/// Bytes of marks that a pool with this bound can come to touch.
pub(super) fn charge(limit: usize) -> usize {
    limit.next_multiple_of(SLAB) / EACH
}

impl Pool {
    /// Marks the page of a frame as used, for replacement. Writes only where it was not marked, so that a hot page's mark
    /// stays in the caches of all.
    #[inline]
    pub fn touch(&self, frame: u32) {
        let mark = self.mark(frame);
        if mark.load(Relaxed) != USED | RECENT {
            mark.store(USED | RECENT, Relaxed);
        }
    }

    /// Takes one of the marks off; was it there?
    pub(super) fn take_mark(&self, frame: u32, which: u8) -> bool {
        let mark = self.mark(frame);
        mark.load(Relaxed) & which != 0 && mark.fetch_and(!which, Relaxed) & which != 0
    }

    #[inline]
    fn mark(&self, frame: u32) -> &AtomicU8 {
        // A frame's number counts 64 bytes.
        let at = frame as usize / (EACH / 64);
        let at = if at < self.reserved / EACH { at } else { 0 };
        // SAFETY: there is a mark for each `EACH` bytes of the slabs, and any byte is a valid AtomicU8.
        unsafe { self.marks.cast::<AtomicU8>().add(at).as_ref() }
    }
}

#[cfg(all(test, not(cica_schedules)))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{class_size, LEAST};
    use super::*;
    use std::sync::Arc;

    /// A reader that was about to mark a page, while its slab was cut anew (M1).
    #[test]
    fn a_mark_that_comes_too_late_changes_no_page() {
        let pool = Arc::new(Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap());
        // All slabs are of small frames, and then of large ones.
        let small: Vec<u32> = std::iter::from_fn(|| pool.take(SLAB / 64).ok())
            .map(|latched| latched.keep_in_hand())
            .collect();
        assert!(small.len() > 64 && class_size(SLAB / 64) == SLAB / 64);
        for &frame in &small {
            super::super::Latched::from_hand(&pool, frame).free();
        }
        let mut large = Vec::new();
        while let Ok(mut latched) = pool.take(SLAB / 4) {
            let len = latched.cells().len();
            latched.cells().fill(0, len, 0);
            large.push(latched);
        }
        assert!(large.len() > 4);
        small.iter().for_each(|&frame| pool.touch(frame));
        for latched in &mut large {
            assert!(latched.cells().iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn the_marks_of_all_slabs_are_charged() {
        assert_eq!(charge(LEAST), LEAST / EACH);
        assert_eq!(charge(LEAST + 1), (LEAST + SLAB) / EACH);
        let pool = Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap();
        assert_eq!(pool.charged(), charge(LEAST) + pool.buffers.charge());
    }

    #[test]
    fn the_mark_of_no_frame_is_that_of_the_first() {
        let pool = Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap();
        let behind = (pool.reserved / 64) as u32;
        for frame in [behind, behind + 8, u32::MAX] {
            pool.touch(frame);
            assert!(pool.take_mark(0, USED), "{frame}");
        }
        pool.touch(behind - 8);
        assert!(!pool.take_mark(0, USED) && pool.take_mark(behind - 8, USED));
    }

    #[test]
    fn each_mark_is_taken_off_once() {
        let pool = Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap();
        let frames = [pool.take(512).unwrap(), pool.take(512).unwrap()];
        let [one, other] = [frames[0].frame, frames[1].frame];
        pool.touch(one);
        assert!(!pool.take_mark(other, USED) && !pool.take_mark(other, RECENT));
        assert!(pool.take_mark(one, USED) && !pool.take_mark(one, USED));
        assert!(pool.take_mark(one, RECENT) && !pool.take_mark(one, RECENT));
    }
}
