//! The pool: all the memory that CIs, index records and CA headers take, under one strict bound.
//!
//! Memory is one reserved address range, handed out in slabs; a slab is cut into frames of one size. A frame holds
//! one page (a CI, an index record, a CA descriptor) and never moves; its [`Descriptor`] says which.
//!
//! * P1. Slabs handed out times slab size never exceed the bound.
//! * P2. The range stays mapped for the pool's life: a stale frame number is harmless to read, and the page word at the
//!   place it means is not the wanted one.
//! * P3. A frame's page changes only under its latch, so a reader whose version holds read the page it meant.
//! * P4. Only a clean, unpinned, unlatched frame gives up its page.
//! * P5. Who needs a frame gets one while any slab can be emptied: of pages that may go, and of descriptors whose pages
//!   may (`evict.rs`). A size keeps some frames that can be given up, so that what a request reads one after the other
//!   does not put itself out.
//! * A size whose pages go while another's are not used gets that one's memory (`sweep.rs`), and one whose pages go
//!   sooner than those of its kin gets theirs (`kin.rs`).
//! * P6 to P9, why no request waits or begins anew for ever, are in `reserve.rs` and `turn.rs`.

mod buffers;
mod bytes;
mod cells;
mod charge;
mod evict;
mod frame;
mod halving;
mod image;
mod index_page;
mod kin;
mod latch;
mod marks;
mod memory;
mod narrow;
mod page;
mod probe;
mod racing;
mod reserve;
mod shape;
mod short;
mod shown;
mod sweep;
mod turn;
mod view;

pub use buffers::{Aligned, ALIGNMENT};
pub use bytes::{prefetch_line_at, Words, LINE_LEN};
pub use cells::Cells;
pub use charge::Held;
pub use frame::{Descriptor, Frame, Latched, PageId, PageKind};
pub use halving::first_not_below;
pub use image::ImagePage;
pub use index_page::{Entry, Measure};
pub use latch::{pause, Latch};
pub use narrow::Width;
pub use page::Page;
pub use probe::Probe;
pub use reserve::{Need, Reserve};
pub use shape::{Shape, DESCRIPTOR};
pub use short::Shortened;
pub use turn::{Begun, Rounds, Stuck};
pub use view::{Records, View};

use crate::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use crate::sync::{Mutex, RwLock};
use cica_disk::Clock;
use frame::KEPT;
use memory::HUGE;
use std::ptr::NonNull;
use std::sync::Arc;

/// Bytes of a slab.
pub const SLAB: usize = 256 * 1024;
/// Smallest pool: a slab for each of the sizes that an open cluster can need at once, and some.
pub const LEAST: usize = 16 * SLAB;
/// No frame.
pub const NO_FRAME: u32 = u32::MAX;

/// Components that can be open at once: a [`PageId`] has 16 bits for the number, and all ones mean none.
pub const MOST_COMPONENTS: usize = u16::MAX as usize;

/// What became of an attempt to take a page from its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gave {
    /// The frame holds no page now, and is free.
    Up,
    /// Somebody is at it, and will not be for ever.
    Busy,
    /// It cannot be written, or must stay.
    Not,
}

/// Who owns pages and can write them out.
pub trait PageOwner: Send + Sync {
    /// Tries to make `frame` free of `page` without waiting for locks; writes it first if it is dirty. With `below` the
    /// pages that pin this one go before it.
    fn give_up(&self, frame: u32, page: PageId, below: bool) -> Gave;
}

/// The frames of a size.
struct Class {
    size: usize,
    free: Vec<u32>,
    /// Its slabs, in the order in which they were cut for it.
    slabs: Vec<usize>,
    /// The place, among all of its frames, that second chance comes to next.
    hand: usize,
    /// The whole size of pages that have this one among others; 0: they have no other (`kin.rs`).
    kin: usize,
    /// How often its pages go (`kin.rs`).
    turnover: kin::Turnover,
}

impl Class {
    /// All frames of the size.
    fn frames(&self) -> usize {
        self.slabs.len() * (SLAB / self.size)
    }

    /// The frame under the hand, which moves on.
    fn next(&mut self) -> Option<u32> {
        let (each, at) = (SLAB / self.size, self.hand % self.frames().max(1));
        let slab = *self.slabs.get(at / each)?;
        self.hand = at + 1;
        Some(frame_of(slab, at % each, self.size))
    }

    /// A slab goes to another size. The hand stays at its frame.
    fn lose(&mut self, slab: usize) {
        let each = SLAB / self.size;
        self.free.retain(|&frame| slab_of(frame) != slab);
        if let Some(at) = self.slabs.iter().position(|&own| own == slab) {
            self.slabs.remove(at);
            let passed = self.hand.saturating_sub(at * each).min(each);
            self.hand -= passed;
        }
    }
}

/// See the module.
pub struct Pool {
    memory: NonNull<u8>,
    /// Bytes of it that are slabs. Their sizes stand behind them, and then the marks of frames.
    reserved: usize,
    marks: NonNull<u8>,
    /// Slabs cut so far.
    cuts: AtomicU64,
    limit: usize,
    charged: AtomicUsize,
    /// The part of it that is not frames (`charge.rs`).
    outside: AtomicUsize,
    buffers: buffers::Buffers,
    next_slab: Mutex<usize>,
    /// How a slab's memory comes, when it is cut for the first time.
    fetch: Mutex<memory::Fetch>,
    /// Slabs whose memory went back to the system.
    returned: Mutex<Vec<usize>>,
    /// The slab that was taken from its size last.
    taken_last: AtomicUsize,
    /// Pages that have been given up.
    gone: AtomicU64,
    /// What moves slabs from the sizes that use them less.
    sweep: sweep::Sweep,
    kin: kin::Kin,
    reserves: reserve::Reserves,
    turn: turn::Turns,
    /// Bytes of frames that reading ahead has in hand.
    ahead: AtomicUsize,
    classes: Mutex<Vec<Class>>,
    /// What others see of it.
    counts: shown::Shown,
    owners: RwLock<Vec<Option<Arc<dyn PageOwner>>>>,
}

// SAFETY: the raw pointers are to mappings owned by the pool for its whole life; all access to them goes through
// atomics, or through `Cells`, which only the holder of the frame's latch has.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

/// A slab to be cut: for the first time, when its memory is all zeros, or not.
#[derive(Clone, Copy)]
enum Cut {
    First(usize),
    Anew(usize),
}

/// No frame can be had: the bound is reached and nothing can be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolFull;

impl Pool {
    /// A pool of at most `limit` bytes (at least [`LEAST`]). Only address space is taken now. The clock tells how dear
    /// memory is.
    pub fn new(limit: usize, clock: Arc<dyn Clock>) -> std::io::Result<Pool> {
        let limit = limit.max(LEAST);
        if limit > isize::MAX as usize / 2 {
            // No address space has so much, and what is reckoned with it below would not fit.
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        let reserved = limit.next_multiple_of(HUGE) + HUGE;
        let memory = reserve(reserved + sizes_len(reserved) + marks::marks_len(reserved))?;
        // The smallest pool is of somebody who opens for a moment, or counts pages.
        let fetch = if limit > LEAST {
            memory::Fetch::huge(memory, reserved, clock)
        } else {
            memory::Fetch::as_touched(memory, clock)
        };
        let buffers = buffers::Buffers::new(limit);
        // SAFETY: the mapping has room for the marks behind the sizes.
        let marks = unsafe { memory.add(reserved + sizes_len(reserved)) };
        Ok(Pool {
            memory,
            reserved,
            marks,
            cuts: AtomicU64::new(1),
            limit,
            charged: AtomicUsize::new(buffers.charge() + marks::charge(limit)),
            outside: AtomicUsize::new(buffers.charge() + marks::charge(limit)),
            buffers,
            next_slab: Mutex::new(0),
            fetch: Mutex::new(fetch),
            returned: Mutex::new(Vec::new()),
            taken_last: AtomicUsize::new(0),
            gone: AtomicU64::new(0),
            sweep: sweep::Sweep::default(),
            kin: kin::Kin::default(),
            reserves: reserve::Reserves::default(),
            turn: turn::Turns::default(),
            ahead: AtomicUsize::new(0),
            classes: Mutex::new(Vec::new()),
            counts: shown::Shown::default(),
            owners: RwLock::new(Vec::new()),
        })
    }

    /// Bytes charged now; never above [`limit`](Self::limit).
    pub fn charged(&self) -> usize {
        self.charged.load(Relaxed)
    }

    /// The bound in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Registers a component; the number goes into its [`PageId`]s. None is left when [`MOST_COMPONENTS`] have one.
    pub fn register(&self, owner: Arc<dyn PageOwner>) -> Option<u16> {
        let mut owners = self.owners.write();
        let free = owners.iter().position(Option::is_none);
        let number = free.unwrap_or(owners.len());
        if number >= MOST_COMPONENTS {
            return None;
        }
        if free.is_none() {
            owners.push(None);
        }
        owners[number] = Some(owner);
        Some(number as u16)
    }

    /// Forgets a component; its pages must have been dropped.
    pub fn unregister(&self, number: u16) {
        self.owners.write()[number as usize] = None;
    }

    /// Where a frame starts; the first frame for a number outside the range, whose page is not the wanted one.
    #[inline]
    fn offset(&self, frame: u32) -> usize {
        let offset = frame as usize * 64;
        if offset < self.reserved {
            offset
        } else {
            0
        }
    }

    /// The descriptor of a frame.
    #[inline]
    pub fn descriptor(&self, frame: u32) -> &Descriptor {
        // SAFETY: inside the mapping, 64-byte aligned, and any bytes are a valid Descriptor (atomic integers).
        unsafe { &*self.memory.as_ptr().add(self.offset(frame)).cast() }
    }

    /// Frame size of a slab, 0 = not handed out. The sizes lie where memory comes when it is first written to: those of
    /// all slabs that there may be would be most of what a short step touches.
    #[inline]
    fn size_of(&self, slab: usize) -> Option<&AtomicU32> {
        // SAFETY: inside the mapping, which is zeros at first, aligned, and any bytes are a valid AtomicU32.
        (slab < self.slabs()).then(|| unsafe { &*self.memory.as_ptr().add(self.reserved + slab * 4).cast() })
    }

    /// Slabs that the range has.
    fn slabs(&self) -> usize {
        self.reserved / SLAB
    }

    /// Notes the frame size of a slab.
    fn set_size(&self, slab: usize, size: usize) {
        if let Some(cell) = self.size_of(slab) {
            cell.store(size as u32, Relaxed);
        }
    }

    /// Start and length of a frame's memory, never outside its slab.
    #[inline]
    fn memory_of(&self, frame: u32) -> (NonNull<u8>, usize) {
        let offset = frame as usize * 64;
        let Some(size) = self.size_of(offset / SLAB) else {
            return (self.memory, DESCRIPTOR);
        };
        let size = (size.load(Relaxed) as usize).min(SLAB - offset % SLAB);
        // SAFETY: offset is inside the range, because its slab is.
        (unsafe { self.memory.add(offset) }, size)
    }

    /// The frame's words and what follows them in the slab, for reading under an unchanged version (latch:L1).
    #[inline]
    pub fn view(&self, frame: u32) -> View<'_> {
        let offset = self.offset(frame);
        // SAFETY: the range is mapped for the pool's life, 64-byte aligned, and inside a slab.
        View::new(unsafe { Words::new(self.memory.add(offset).cast(), (SLAB - offset % SLAB) / 8) })
    }

    /// Asks for the first `lines` cache lines of a frame.
    #[inline]
    pub fn prefetch(&self, frame: u32, lines: usize) {
        self.frame(frame).prefetch(lines);
    }

    /// Where a frame lies in memory, for [`prefetch_line_at`].
    pub fn addresses(&self, frame: u32) -> std::ops::Range<usize> {
        let (start, len) = self.memory_of(frame);
        let start = start.as_ptr().addr();
        start..start + len
    }

    /// A frame, to look at more than one thing of it.
    #[inline]
    pub fn frame(&self, frame: u32) -> Frame<'_> {
        Frame {
            descriptor: self.descriptor(frame),
            view: self.view(frame),
        }
    }

    /// If `frame` holds `page` and nobody writes it: the version under which to read it.
    #[inline]
    pub fn version_of(&self, frame: u32, page: PageId) -> Option<u64> {
        self.frame(frame).version_of(page)
    }

    /// The page a frame holds.
    pub fn page_of(&self, frame: u32) -> Option<PageId> {
        PageId::unpack(self.descriptor(frame).page.load(Acquire))
    }

    /// Latches a frame, waiting.
    pub fn latch(&self, frame: u32) -> Latched<'_> {
        self.descriptor(frame).latch.latch();
        Latched {
            pool: self,
            frame,
            bare: false,
        }
    }

    /// Latches a frame if nobody else has.
    pub fn try_latch(&self, frame: u32) -> Option<Latched<'_>> {
        // Lazily: a guard that is made is a guard that releases.
        self.descriptor(frame).latch.try_latch().then(|| Latched {
            pool: self,
            frame,
            bare: false,
        })
    }

    /// Latches a frame if its version still is `version` (latch:L3).
    #[inline]
    pub fn latch_at(&self, frame: u32, version: u64) -> Option<Latched<'_>> {
        self.descriptor(frame).latch.latch_at(version).then(|| Latched {
            pool: self,
            frame,
            bare: false,
        })
    }

    /// Latches a frame if it holds this page and nobody else has it. Its number may be an old one, and its place by now
    /// within another page: that is not written to (latch:L2).
    #[inline]
    pub fn latch_page(&self, frame: u32, page: PageId) -> Option<Latched<'_>> {
        self.version_of(frame, page)
            .and_then(|version| self.latch_at(frame, version))
    }

    /// A frame without a page that nobody else knows, in hand.
    fn in_hand(&self, frame: u32) -> Latched<'_> {
        let mut latched = self.latch(frame);
        latched.bare = true;
        latched
    }

    fn pop_free(&self, size: usize) -> Option<u32> {
        let mut classes = self.classes.lock();
        let (at, class) = classes.iter_mut().enumerate().find(|(_, c)| c.size == size)?;
        let frame = class.free.pop();
        self.counts.free(at, class.free.len());
        frame
    }

    /// Cuts a new slab into frames of `size`, if the bound allows (P1).
    fn cut_slab(&self, size: usize) -> bool {
        let slab = {
            let (mut next, mut returned) = (self.next_slab.lock(), self.returned.lock());
            if (returned.is_empty() && *next >= self.slabs()) || !self.charge(SLAB) {
                return false;
            }
            match returned.pop() {
                Some(slab) => Cut::Anew(slab),
                None => {
                    *next += 1;
                    Cut::First(*next - 1)
                }
            }
        };
        if let Cut::First(slab) = slab {
            self.fetch.lock().slab(self.memory, slab);
        }
        self.enter_slab(slab, size);
        true
    }

    /// Hands out the frames of a slab.
    fn enter_slab(&self, cut: Cut, size: usize) {
        let (Cut::First(slab) | Cut::Anew(slab)) = cut;
        self.set_size(slab, size);
        // The zeros of a slab's first cut are frames that hold nothing.
        if matches!(cut, Cut::Anew(_)) {
            self.empty_frames(frames_of(slab, size));
        }
        let mut classes = self.classes.lock();
        let class = class_of(&mut classes, size);
        class.free.extend(frames_of(slab, size).rev());
        class.slabs.push(slab);
        self.show_frames(&classes);
    }

    fn empty_frames(&self, frames: impl Iterator<Item = u32>) {
        // A stale frame number may point into page bytes once a slab is cut anew; a reader then takes eight of them
        // for a version. No page says what the versions of this cut start with.
        let version = scatter(self.cuts.fetch_add(1, Relaxed));
        for frame in frames {
            let d = self.descriptor(frame);
            d.page.store(0, Relaxed);
            d.state.store(0, Relaxed);
            d.latch.restart(version);
        }
    }

    /// Tells the system that nobody needs a slab's memory. Who reads there by a stale frame number reads zeros, which
    /// are no page (P2).
    fn give_back_memory(&self, slab: usize) {
        // SAFETY: the slab lies inside the mapping, which is private and anonymous: its bytes become zeros. Nobody
        // holds a latch or reference there, because all of its frames were taken from their free list.
        let _ = unsafe {
            rustix::mm::madvise(
                self.memory.as_ptr().add(slab * SLAB).cast(),
                SLAB,
                rustix::mm::Advice::LinuxDontNeed,
            )
        };
    }

    /// Puts a frame without a page on its free list.
    fn put_back(&self, frame: u32) {
        let size = self.memory_of(frame).1;
        let mut classes = self.classes.lock();
        class_of(&mut classes, size).free.push(frame);
        if let Some((at, class)) = classes.iter().enumerate().find(|(_, c)| c.size == size) {
            self.counts.free(at, class.free.len());
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `reserve` with this length, and nothing borrows from the pool any more.
        let _ = unsafe {
            {
                let len = self.reserved + sizes_len(self.reserved) + marks::marks_len(self.reserved);
                rustix::mm::munmap(self.memory.as_ptr().cast(), len)
            }
        };
    }
}

/// The `i`-th frame of a slab that is cut into frames of `size`.
fn frame_of(slab: usize, i: usize, size: usize) -> u32 {
    ((slab * SLAB + i * size) / 64) as u32
}

/// All frames of a slab.
fn frames_of(slab: usize, size: usize) -> impl DoubleEndedIterator<Item = u32> {
    (0..SLAB / size).map(move |i| frame_of(slab, i, size))
}

/// The slab in which a frame lies.
fn slab_of(frame: u32) -> usize {
    frame as usize * 64 / SLAB
}

/// A number that no page is likely to hold, different for each `n` (SplitMix64).
fn scatter(n: u64) -> u64 {
    let x = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

fn class_of(classes: &mut Vec<Class>, size: usize) -> &mut Class {
    let index = classes.iter().position(|c| c.size == size).unwrap_or_else(|| {
        classes.push(Class {
            size,
            free: Vec::new(),
            slabs: Vec::new(),
            hand: 0,
            kin: 0,
            turnover: kin::Turnover::default(),
        });
        classes.len() - 1
    });
    &mut classes[index]
}

/// Frame sizes, multiples of 64: what cuts a slab into equal frames with nothing left over, from [`FEW`] frames on
/// eight steps per power of two. What is left over, of a frame or of a slab, is memory that is touched for nothing.
pub fn class_size(bytes: usize) -> usize {
    let bytes = bytes.clamp(SMALLEST, SLAB);
    let frames = SLAB / bytes.next_multiple_of(64);
    if frames <= FEW {
        return SLAB / frames.max(1) / 64 * 64;
    }
    let step = (bytes.next_power_of_two() / 16).max(64);
    bytes.next_multiple_of(step).min(SLAB / FEW)
}

/// Bytes of the smallest frame.
const SMALLEST: usize = 512;

/// So many frames of a slab have a size of their own.
const FEW: usize = 32;

/// Bytes of address space for the sizes of so many bytes of slabs. What is a multiple of a huge page's length the system
/// puts where huge pages fit.
fn sizes_len(reserved: usize) -> usize {
    (reserved / SLAB * size_of::<AtomicU32>()).next_multiple_of(HUGE)
}

fn reserve(bytes: usize) -> std::io::Result<NonNull<u8>> {
    use rustix::mm::{mmap_anonymous, MapFlags, ProtFlags};
    // Miri has memory that may not be reserved.
    let flags = if cfg!(miri) {
        MapFlags::PRIVATE
    } else {
        MapFlags::PRIVATE | MapFlags::NORESERVE
    };
    // SAFETY: a fresh private anonymous mapping at an address of the system's choice.
    let address = unsafe {
        mmap_anonymous(
            std::ptr::null_mut(),
            bytes.max(4096),
            ProtFlags::READ | ProtFlags::WRITE,
            flags,
        )?
    };
    NonNull::new(address.cast()).ok_or_else(|| std::io::Error::other("the system mapped page zero"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;
    impl PageOwner for Nobody {
        fn give_up(&self, _: u32, _: PageId, _: bool) -> Gave {
            Gave::Not
        }
    }

    #[test]
    fn large_frames_leave_nothing_of_a_slab() {
        for bytes in (1..=SLAB).step_by(7) {
            let size = class_size(bytes);
            assert!(size >= bytes && size <= SLAB && size % 64 == 0, "{bytes}: {size}");
            assert_eq!(class_size(size), size, "{bytes}");
            let (frames, fit) = (SLAB / size, SLAB / bytes.max(512).next_multiple_of(64));
            if size > SLAB / FEW {
                assert_eq!(frames, fit, "{bytes}: {size}")
            } else {
                assert!(frames * 9 >= fit * 8, "{bytes}: {size}")
            }
        }
    }

    /// A reader that was about to look at a page, while its slab was emptied and cut anew, must not find the version
    /// that it knows (latch:L2).
    #[test]
    fn no_version_comes_back_when_a_slab_is_cut_anew() {
        let pool = Pool::new(LEAST, std::sync::Arc::new(cica_disk::SystemClock)).expect("a pool");
        let mut known = std::collections::BTreeSet::new();
        for _ in 0..20 {
            let latched = pool.take(SLAB / 8).expect("a frame");
            let (frame, size) = (latched.frame, latched.size());
            for _ in 0..3 {
                let word = pool.descriptor(frame).latch.version_when_released();
                assert!(known.insert(word), "{word} was there");
                pool.descriptor(frame).latch.release();
                pool.descriptor(frame).latch.latch();
            }
            drop(latched);
            assert_eq!(pool.empty_slab(size, slab_of(frame), false), Gave::Up);
            pool.enter_slab(Cut::Anew(slab_of(frame)), size);
        }
    }

    /// One more would have the number of another, and be given its pages.
    #[test]
    fn no_two_components_have_one_number() {
        let pool = Pool::new(4 << 20, std::sync::Arc::new(cica_disk::SystemClock)).expect("a pool");
        let owner: Arc<dyn PageOwner> = Arc::new(Nobody);
        *pool.owners.write() = vec![Some(owner.clone()); MOST_COMPONENTS - 1];
        assert_eq!(pool.register(owner.clone()), Some(u16::MAX - 1));
        assert_eq!(pool.register(owner.clone()), None);
        pool.unregister(7);
        assert_eq!(pool.register(owner), Some(7));
    }
}
