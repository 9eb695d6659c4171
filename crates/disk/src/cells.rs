//! Cells: words that are counted in, in memory of their own or in memory that shows a file, where other processes read
//! them ([`File::cells`](crate::File::cells)).
//!
//! 1. Who has them only counts. What a file shows may be changed by whoever may write to the file, so nobody takes
//!    what he reads from there for more than a count.
//! 2. A page of the file that cannot be had is replaced by an empty one of this process (`linux/window.rs`): counting
//!    goes on, and others do not see it.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

/// Words of a line: as many as a processor's caches keep together.
pub const LINE: usize = 8;

/// What keeps the memory where it is.
pub(crate) trait KeptMemory: Send + Sync + Debug {}

/// See the module; clones are the same cells.
#[derive(Debug, Clone)]
pub struct Cells {
    first: NonNull<AtomicU64>,
    count: usize,
    _kept: Arc<dyn KeptMemory>,
}

// SAFETY: atomic words that stay where they are while `_kept` lives.
unsafe impl Send for Cells {}
// SAFETY: as above.
unsafe impl Sync for Cells {}

#[derive(Debug)]
#[repr(align(64))]
#[derive(Default)]
struct OwnLine(#[allow(dead_code, reason = "it is reached through a pointer")] [AtomicU64; LINE]);

impl KeptMemory for Box<[OwnLine]> {}

impl Cells {
    /// At least so many cells that nobody else sees, all 0.
    pub fn own(count: usize) -> Cells {
        let lines = count.div_ceil(LINE).max(1);
        let memory: Box<[OwnLine]> = (0..lines).map(|_| OwnLine::default()).collect();
        let first = NonNull::from(&*memory).cast();
        Cells {
            first,
            count: lines * LINE,
            _kept: Arc::new(memory),
        }
    }

    /// Those of memory that `kept` keeps.
    ///
    /// # Safety
    /// `count` words, at least a line, lie at `first`, at a multiple of 64, for as long as `kept` lives, and who else
    /// has them uses them as atomic words.
    pub(crate) unsafe fn of(first: NonNull<AtomicU64>, count: usize, kept: Arc<dyn KeptMemory>) -> Cells {
        Cells {
            first,
            count,
            _kept: kept,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The cell `at`; the first one for a number that is none.
    #[inline]
    pub fn at(&self, at: usize) -> &AtomicU64 {
        let at = if at < self.count { at } else { 0 };
        // SAFETY: inside, and of the life of `self`.
        unsafe { self.first.add(at).as_ref() }
    }

    /// Some of them, from the line `line` on; `None`: so many there are not.
    pub fn lines(&self, line: usize, lines: usize) -> Option<Cells> {
        let (from, count) = (line.checked_mul(LINE)?, lines.checked_mul(LINE)?);
        let inside = lines > 0 && from.checked_add(count)? <= self.count;
        inside.then(|| Cells {
            // SAFETY: inside.
            first: unsafe { self.first.add(from) },
            count,
            _kept: self._kept.clone(),
        })
    }

    /// The first line.
    #[inline]
    pub fn line(&self) -> &[AtomicU64; LINE] {
        // SAFETY: there is at least a line, at a multiple of 64.
        unsafe { self.first.cast().as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn parts_are_the_same_cells() {
        let all = Cells::own(20);
        assert_eq!(all.count(), 24);
        let part = all.lines(1, 2).expect("two lines");
        part.at(3).store(7, Relaxed);
        part.line()[0].store(5, Relaxed);
        assert_eq!((all.at(11).load(Relaxed), all.at(8).load(Relaxed)), (7, 5));
        assert!(all.lines(2, 2).is_none() && all.lines(0, 0).is_none() && all.lines(usize::MAX, 2).is_none());
        drop(all);
        assert_eq!(part.at(3).load(Relaxed), 7);
        assert_eq!(part.at(1_000).load(Relaxed), 5);
    }
}
