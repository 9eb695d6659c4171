//! A frame: which page it holds, its descriptor, and how readers and whoever has latched it see it.

use super::shape::DESCRIPTOR;
use super::{Cells, Latch, Pool, View};
use crate::sync::atomic::{AtomicU64, Ordering::*};

/// What kind of page a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// A control interval (data or index).
    Ci,
    /// A control-area descriptor.
    Ca,
}

/// Which page: of which open component, and its CI or CA number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageId {
    /// Number the pool gave the component.
    pub component: u16,
    /// CI or CA.
    pub kind: PageKind,
    /// CI number in the component, or CA number.
    pub number: u32,
}

impl PageId {
    #[inline]
    pub(super) fn pack(self) -> u64 {
        (1 << 63) | (self.component as u64) << 40 | ((self.kind == PageKind::Ca) as u64) << 32 | self.number as u64
    }
    pub(super) fn unpack(word: u64) -> Option<PageId> {
        (word >> 63 == 1).then_some(PageId {
            component: (word >> 40) as u16,
            kind: if word >> 32 & 1 == 1 {
                PageKind::Ca
            } else {
                PageKind::Ci
            },
            number: word as u32,
        })
    }
}

/// What the pool knows of a frame: its first 24 bytes.
#[repr(C)]
pub struct Descriptor {
    /// Version and latch.
    pub latch: Latch,
    pub(super) page: AtomicU64,
    /// Flags, and pins above them: one word, as all that a reader with a stale number may look at.
    pub(super) state: AtomicU64,
}

const _: () = assert!(size_of::<Descriptor>() == DESCRIPTOR);

pub(super) const DIRTY: u64 = 1;
/// The page stays while the request whose turn it is needs it (P8).
pub(super) const KEPT: u64 = 4;
/// One pin.
const PIN: u64 = 1 << 32;

impl Descriptor {
    /// True if the page differs from its image on the volume.
    pub fn dirty(&self) -> bool {
        self.state.load(Relaxed) & DIRTY != 0
    }
    /// Keeps the page from being given up (P4).
    pub fn pin(&self) {
        self.state.fetch_add(PIN, Relaxed);
    }
    /// Takes back one [`pin`](Self::pin).
    pub fn unpin(&self) {
        self.state.fetch_sub(PIN, Relaxed);
    }
    /// Pins on it.
    pub fn pins(&self) -> u32 {
        (self.state.load(Relaxed) / PIN) as u32
    }
    /// The request whose turn it is keeps it (P8).
    pub fn is_kept(&self) -> bool {
        self.state.load(Relaxed) & KEPT != 0
    }
}

/// A frame as readers see it.
#[derive(Clone, Copy)]
pub struct Frame<'p> {
    pub(super) descriptor: &'p Descriptor,
    /// Its words.
    pub view: View<'p>,
}

impl Frame<'_> {
    /// See [`Pool::version_of`].
    #[inline]
    pub fn version_of(&self, page: PageId) -> Option<u64> {
        let version = self.descriptor.latch.begin()?;
        (self.descriptor.page.load(Acquire) == page.pack()).then_some(version)
    }
    /// Whether nobody has written it since it had this version.
    #[inline]
    pub fn unchanged(&self, version: u64) -> bool {
        self.descriptor.latch.unchanged(version)
    }
    /// Asks for its first `lines` cache lines.
    #[inline]
    pub fn prefetch(&self, lines: usize) {
        let words = self.view.words();
        (0..lines).for_each(|line| words.prefetch_line(line * 8));
    }
}

/// A latched frame: the right to change its bytes and its page. Dropping it releases the latch with a new version, and
/// puts a frame that was taken, or lost its page, and has none now, back on the free list.
pub struct Latched<'p> {
    pub(super) pool: &'p Pool,
    /// Frame number.
    pub frame: u32,
    pub(super) bare: bool,
}

impl<'p> Latched<'p> {
    /// The bytes behind the descriptor, written so that others may be reading them (`cells.rs`).
    pub fn cells(&mut self) -> Cells<'_> {
        let (memory, size) = self.pool.memory_of(self.frame);
        // SAFETY: a frame begins at a cache line and is made of such, and the descriptor is whole words. We hold the
        // latch, so no other writer exists; readers use relaxed loads of whole words.
        unsafe { Cells::new(memory.add(DESCRIPTOR), size - DESCRIPTOR) }
    }
    /// Bytes of memory the frame has.
    pub fn size(&self) -> usize {
        self.pool.memory_of(self.frame).1
    }
    /// Reads through the same code as readers use.
    pub fn view(&self) -> View<'p> {
        self.pool.view(self.frame)
    }
    /// The page it holds.
    pub fn page(&self) -> Option<PageId> {
        self.pool.page_of(self.frame)
    }
    /// Gives the frame a page, or none.
    pub fn set_page(&mut self, page: Option<PageId>) {
        self.pool
            .descriptor(self.frame)
            .page
            .store(page.map_or(0, PageId::pack), Release);
        self.bare = page.is_none();
    }
    /// Marks the page dirty; true if it was clean. Writes only when it was not marked: who is inside alone can mark it.
    #[inline]
    pub fn set_dirty(&mut self) -> bool {
        self.pool.touch(self.frame);
        let state = &self.pool.descriptor(self.frame).state;
        state.load(Relaxed) & DIRTY == 0 && state.fetch_or(DIRTY, Relaxed) & DIRTY == 0
    }
    /// Marks the page clean.
    pub fn set_clean(&mut self) {
        self.pool.descriptor(self.frame).state.fetch_and(!DIRTY, Relaxed);
    }
    /// Takes the page off and puts the frame back on the free list.
    pub fn free(mut self) {
        self.set_clean();
        self.set_page(None);
    }
}

impl<'p> Latched<'p> {
    /// Leaves a frame without a page in the hand of who knows its number.
    pub(super) fn keep_in_hand(self) -> u32 {
        std::mem::ManuallyDrop::new(self).frame
    }
    /// The same frame again.
    pub(super) fn from_hand(pool: &'p Pool, frame: u32) -> Latched<'p> {
        Latched {
            pool,
            frame,
            bare: true,
        }
    }
    /// Gives the latch of a page back; the version that the page has then.
    pub fn release(self) -> (u32, u64) {
        let (frame, latch) = (self.frame, &self.pool.descriptor(self.frame).latch);
        let version = latch.version_when_released();
        drop(self);
        (frame, version)
    }
}

impl Drop for Latched<'_> {
    fn drop(&mut self) {
        self.pool.descriptor(self.frame).latch.release();
        if self.bare {
            self.pool.put_back(self.frame);
        }
    }
}

#[cfg(all(test, not(cica_schedules)))]
mod tests {
    use super::*;
    use crate::pool::Page;

    /// One thread writes a page again and again, and another reads it: what it believes was written at one time
    /// (latch:L1, latch:L2).
    #[test]
    fn who_reads_beside_a_writer_believes_only_what_is_whole() {
        const BYTES: usize = 64;
        let rounds: u8 = if cfg!(miri) { 20 } else { 200 };
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let page = PageId {
            component: 1,
            kind: PageKind::Ci,
            number: 1,
        };
        let mut latched = pool.take(Page::frame_len(512, 40)).unwrap();
        latched.set_page(Some(page));
        latched.cells().fill(0, BYTES, 0);
        let (frame, _) = latched.release();
        let mut believed = 0;
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for round in 1..=rounds {
                    pool.latch(frame).cells().fill(0, BYTES, round);
                    std::thread::yield_now();
                }
            });
            while !writer.is_finished() || believed == 0 {
                let found = pool.frame(frame);
                let Some(version) = found.version_of(page) else {
                    continue;
                };
                let mut read = [0; BYTES];
                let (words, first) = (found.view.words(), DESCRIPTOR / 8);
                words.copy(DESCRIPTOR, &mut read);
                // As a search reads the heads of slots: halves of what the writer stores as whole words.
                let heads: Vec<u32> = (0..BYTES / 8).map(|i| words.upper(first + i)).collect();
                let (below, not_above) = (
                    words.upper_below(first, heads[0]),
                    words.upper_below(first, heads[0] + 1),
                );
                if found.unchanged(version) {
                    assert!(read.iter().all(|byte| *byte == read[0]), "{read:?}");
                    assert!(heads.iter().all(|head| head.to_le_bytes() == [read[0]; 4]), "{heads:?}");
                    assert_eq!((below, not_above), (Some(0), Some(BYTES / 8)));
                    believed += 1;
                }
            }
        });
        assert!(believed > 0);
    }

    #[test]
    fn versions_are_told_before_they_come_and_are_no_small_numbers() {
        let latch = Latch::default();
        let mut before = latch.begin();
        for _ in 0..3 {
            latch.latch();
            assert_eq!(latch.begin(), None);
            let told = latch.version_when_released();
            latch.release();
            assert_eq!(latch.begin(), Some(told));
            assert!(told > u64::from(u32::MAX) && before != Some(told), "{told}");
            before = latch.begin();
        }
    }
}
