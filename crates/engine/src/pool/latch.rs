//! The latch of a frame: one 64-bit word, lowest bit = latched, the rest a version that each release raises.
//!
//! * L1. A reader loads the word (not latched), reads the frame, and believes what it read only if the word is
//!   unchanged afterwards. It writes nothing.
//! * L2. A writer sets the bit by compare-and-swap and releases with the next version. Versions never repeat for a
//!   frame, whatever page it holds. Where memory is cut anew, bytes of a page may lie where a latch was, and somebody
//!   may still compare them with its version: so versions are numbers that no page is likely to hold.
//! * L3. A writer that saw version `v` while reading may ask for the latch *at* `v`: it gets it only if nothing
//!   changed in between.

use crate::sync::atomic::{fence, AtomicU64, Ordering};

/// Where versions begin in memory that is all zeros at first (L2).
const FIRST: u64 = 0x9E37_79B9_7F4A_7C14;

/// See the module.
#[derive(Debug, Default)]
pub struct Latch(AtomicU64);

impl Latch {
    /// The word for a read that starts now, or `None` while a writer is inside.
    #[inline]
    pub fn begin(&self) -> Option<u64> {
        let word = self.0.load(Ordering::Acquire);
        (word & 1 == 0).then_some(word)
    }

    /// True if nothing changed since [`begin`](Self::begin) gave `word`: what was read in between may be believed.
    #[inline]
    pub fn unchanged(&self, word: u64) -> bool {
        // The loads of the frame's bytes must be done before the word is looked at again.
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) == word
    }

    /// Latches if the word still is `word` (L3).
    #[inline]
    pub fn latch_at(&self, word: u64) -> bool {
        word & 1 == 0
            && self
                .0
                .compare_exchange(word, word | 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
            && {
                // Readers that see any of our writes must also see the bit.
                fence(Ordering::Release);
                true
            }
    }

    /// Latches, waiting for another writer.
    pub fn latch(&self) {
        let mut turns = 0u32;
        loop {
            if self.begin().is_some_and(|word| self.latch_at(word)) {
                return;
            }
            pause(&mut turns);
        }
    }

    /// Latches unless another writer is inside.
    pub fn try_latch(&self) -> bool {
        self.begin().is_some_and(|word| self.latch_at(word))
    }

    /// A new frame begins where others were: its versions start at `version`, above all of theirs.
    pub fn restart(&self, version: u64) {
        self.0.store(version & !1, Ordering::Release);
    }

    /// The word that readers will find once the writer inside, who asks, has released.
    pub fn version_when_released(&self) -> u64 {
        next(self.0.load(Ordering::Relaxed))
    }

    /// Releases. Only the writer that latched calls it.
    #[inline]
    pub fn release(&self) {
        let word = self.0.load(Ordering::Relaxed);
        debug_assert!(word & 1 == 1, "released a latch nobody holds");
        self.0.store(next(word), Ordering::Release);
    }
}

/// The version behind a latched word.
#[inline]
fn next(word: u64) -> u64 {
    match word {
        1 => FIRST,
        word => word.wrapping_add(1),
    }
}

/// Waits a little: first by spinning, then by giving the processor away. Latches are held for less than a microsecond.
#[inline]
pub fn pause(turns: &mut u32) {
    *turns += 1;
    if *turns < 64 {
        crate::sync::spin_loop();
    } else {
        crate::sync::yield_now();
    }
}
