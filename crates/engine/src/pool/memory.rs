//! How the memory of slabs comes from the system: in huge pages, or in small ones where those are dear.
//!
//! To get and clear a huge page costs less than as much memory in small ones, and a search in it waits less for the
//! processor's page tables. But a step of some thousand requests touches a quarter of one, and to clear the rest drives
//! out of the processor's caches what it is about to read. And a virtual machine may have lent free memory to its host,
//! and lends whole huge pages. To get one back costs twenty times as much as to clear it, and there may be enough that
//! was never lent, in pieces too small for one.
//!
//! | this stretch came | the next one comes |
//! |---|---|
//! | none yet | small, a slab at a time |
//! | huge, soon | huge |
//! | huge, slowly | small, and so do those behind it, [`SMALL`] in all |
//! | small, soon | small, until so many have come; then huge, to see |
//! | small, slowly | huge: both are dear, and huge pages serve better |

use super::SLAB;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use cica_disk::Clock;
use rustix::mm::{madvise, Advice};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a huge page, and of a stretch.
pub const HUGE: usize = 2 << 20;
/// Stretches that come small after a huge page that came slowly.
const SMALL: usize = 64;
/// What takes longer came slowly. A huge page that is there takes a tenth of it, 512 small ones not half, and what
/// was lent, in either, twice as long.
const SLOWLY: Duration = Duration::from_millis(2);

/// How memory comes.
#[derive(Debug)]
pub struct Fetch {
    clock: Arc<dyn Clock>,
    /// As it is touched, page by page: nothing is asked for.
    as_touched: bool,
    pages: Pages,
    /// What the stretch that is coming took so far.
    took: Duration,
}

/// The pages of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pages {
    Huge,
    /// This one and so many behind it.
    Small(usize),
}

impl Pages {
    const FIRST: Pages = Pages::Small(0);

    /// Those of the next stretch, when this one took so long.
    fn next(self, took: Duration) -> Pages {
        match (self, took > SLOWLY) {
            (Pages::Huge, true) => Pages::Small(SMALL - 1),
            (Pages::Small(behind @ 1..), false) => Pages::Small(behind - 1),
            (Pages::Huge, false) | (Pages::Small(_), _) => Pages::Huge,
        }
    }
}

impl Fetch {
    /// In huge pages, if they are not dear.
    pub fn huge(pool: NonNull<u8>, bytes: usize, clock: Arc<dyn Clock>) -> Fetch {
        advise(pool, bytes, Advice::LinuxHugepage);
        Fetch {
            clock,
            as_touched: false,
            pages: Pages::FIRST,
            took: Duration::ZERO,
        }
    }

    /// Page by page, when it is touched.
    pub fn as_touched(pool: NonNull<u8>, clock: Arc<dyn Clock>) -> Fetch {
        Fetch {
            as_touched: true,
            ..Fetch::huge(pool, 0, clock)
        }
    }

    /// Makes the memory of a slab come, which nobody has used yet. Slabs come in the order of their numbers, or nearly
    /// so when threads meet: one may then have the pages of the stretch before.
    pub fn slab(&mut self, pool: NonNull<u8>, slab: usize) {
        if self.as_touched {
            return;
        }
        // SAFETY: the slab lies inside the pool's mapping.
        let start = unsafe { pool.add(slab * SLAB) };
        let (begins, ends) = (slab * SLAB % HUGE == 0, (slab + 1) * SLAB % HUGE == 0);
        let took = match self.pages {
            Pages::Huge if begins => {
                // SAFETY: aligned and inside the mapping. Nobody uses the slab yet, its bytes are zeros, and who reads
                // there by a stale frame number reads a word, atomically.
                let word: &AtomicU64 = unsafe { start.cast().as_ref() };
                self.timed(|| word.store(0, Relaxed))
            }
            Pages::Huge => Duration::ZERO,
            Pages::Small(_) => {
                if begins {
                    advise(start, HUGE, Advice::LinuxNoHugepage);
                }
                self.timed(|| advise(start, SLAB, Advice::LinuxPopulateWrite))
            }
        };
        self.took += took;
        if ends {
            self.pages = self.pages.next(std::mem::take(&mut self.took));
        }
    }

    fn timed(&self, act: impl FnOnce()) -> Duration {
        let begin = self.clock.passed();
        act();
        self.clock.passed().saturating_sub(begin)
    }
}

/// Advice that the system may follow or not.
fn advise(start: NonNull<u8>, bytes: usize, advice: Advice) {
    // Miri takes none.
    if cfg!(miri) {
        return;
    }
    // SAFETY: the range lies inside the pool's mapping, which is private and anonymous, and none of the advice given
    // here changes contents.
    let _ = unsafe { madvise(start.as_ptr().cast(), bytes, advice) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_slowly_is_not_asked_for_again_at_once() {
        let (soon, slowly) = (SLOWLY / 5, SLOWLY * 4);
        assert_eq!(Pages::FIRST.next(soon), Pages::Huge);
        assert_eq!(Pages::Huge.next(soon), Pages::Huge);
        let mut pages = Pages::Huge.next(slowly);
        for behind in (0..SMALL).rev() {
            assert_eq!(pages, Pages::Small(behind));
            assert_eq!(pages.next(slowly), Pages::Huge);
            pages = pages.next(soon);
        }
        assert_eq!(pages, Pages::Huge);
    }
}
