//! Reading a frame that a writer may be changing: word by word, with relaxed atomic loads, always inside its bounds.
//!
//! What comes back may be torn; the caller believes it only after [`Latch::unchanged`](super::Latch::unchanged).

use super::page::{COUNT, META, NEXT, PREFIX_AT, PREFIX_MAX, SLOTS_AT};
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A frame's memory as 64-bit words.
#[derive(Clone, Copy)]
pub struct Words<'p> {
    start: NonNull<AtomicU64>,
    len: usize,
    life: PhantomData<&'p AtomicU64>,
}

impl<'p> Words<'p> {
    /// # Safety
    /// `start` must be aligned and valid for `len` words for `'p`.
    pub unsafe fn new(start: NonNull<AtomicU64>, len: usize) -> Self {
        Words {
            start,
            len,
            life: PhantomData,
        }
    }

    /// Word `i`, 0 when outside.
    #[inline]
    pub fn get(&self, i: usize) -> u64 {
        if i < self.len {
            // SAFETY: in bounds, see `new`.
            unsafe { self.start.add(i).as_ref() }.load(Relaxed)
        } else {
            0
        }
    }

    /// A reference to word `i` for an atomic store by whoever keeps that word (frame numbers in a CA descriptor).
    pub fn cell(&self, i: usize) -> Option<&'p AtomicU64> {
        // SAFETY: in bounds, see `new`; the memory lives for 'p.
        (i < self.len).then(|| unsafe { self.start.add(i).as_ref() })
    }

    /// Eight bytes at any offset, as stored.
    #[inline]
    fn eight(&self, offset: usize) -> u64 {
        let (i, shift) = (offset / 8, (offset % 8) * 8);
        let low = self.get(i);
        if shift == 0 {
            low
        } else {
            low >> shift | self.get(i + 1) << (64 - shift)
        }
    }

    /// Copies `out.len()` bytes from `offset`; zeros when they are not all inside.
    #[inline]
    pub fn copy(&self, offset: usize, out: &mut [u8]) {
        if offset + out.len() > self.len * 8 {
            out.fill(0);
            return;
        }
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if out.len() >= 16 {
            // SAFETY: source and destination are valid for out.len() >= 16 bytes (checked above; `new`).
            unsafe { copy_racing(self.start.as_ptr().cast::<u8>().add(offset), out) };
            return;
        }
        self.copy_words(offset, out);
    }

    /// The same, word by word.
    fn copy_words(&self, offset: usize, out: &mut [u8]) {
        let mut at = offset;
        for chunk in out.chunks_mut(8) {
            let n = chunk.len();
            chunk.copy_from_slice(&self.eight(at).to_le_bytes()[..n]);
            at += 8;
        }
    }

    /// Compares the bytes at `offset` with `probe`, over the probe's length.
    #[inline]
    pub fn compare(&self, offset: usize, probe: &[u8]) -> Ordering {
        let mut at = offset;
        let mut chunks = probe.chunks_exact(8);
        for chunk in &mut chunks {
            let mine = self.eight(at).swap_bytes();
            let theirs = u64::from_be_bytes([
                chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
            ]);
            if mine != theirs {
                return mine.cmp(&theirs);
            }
            at += 8;
        }
        let rest = chunks.remainder();
        let mine = self.eight(at).to_le_bytes();
        mine[..rest.len()].cmp(rest)
    }
}

/// Copies bytes that a writer may be changing, 16 at a time, the last 16 overlapping. In assembly, because the
/// language has no bulk
/// load that may race; what the processor reads may be torn, and the caller finds that out by the version.
///
/// # Safety
/// `from` must be valid for `out.len()` bytes, and `out` at least 16 long.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn copy_racing(from: *const u8, out: &mut [u8]) {
    let last = out.len() - 16;
    // SAFETY: reads from[0..len) and writes out[0..len); clobbers what it says.
    unsafe {
        std::arch::asm!(
            "2:",
            "movdqu {x}, [{from} + {i}]",
            "movdqu [{to} + {i}], {x}",
            "add {i}, 16",
            "cmp {i}, {last}",
            "jb 2b",
            "movdqu {x}, [{from} + {last}]",
            "movdqu [{to} + {last}], {x}",
            from = in(reg) from,
            to = in(reg) out.as_mut_ptr(),
            last = in(reg) last,
            i = inout(reg) 0usize => _,
            x = out(xmm_reg) _,
            options(nostack),
        );
    }
}

/// A page as readers see it (layout: `page.rs`).
#[derive(Clone, Copy)]
pub struct View<'p> {
    words: Words<'p>,
}

impl<'p> View<'p> {
    /// Wraps the words of a frame.
    pub fn new(words: Words<'p>) -> Self {
        View { words }
    }
    /// The words themselves.
    pub fn words(&self) -> Words<'p> {
        self.words
    }
    /// Entries on the page.
    #[inline]
    pub fn count(&self) -> usize {
        self.words.get(COUNT) as u32 as usize
    }
    /// Bytes of records.
    pub fn data_len(&self) -> usize {
        (self.words.get(COUNT) >> 32) as usize
    }
    #[inline]
    fn meta(&self) -> u64 {
        self.words.get(META)
    }
    /// Key bytes all entries share and their heads leave out.
    #[inline]
    fn prefix_len(&self) -> usize {
        self.meta() as u8 as usize
    }
    /// Spanned segment number: 0 = whole records, 1 first, 2 last, 3 middle.
    pub fn segment(&self) -> u8 {
        (self.meta() >> 8) as u8
    }
    /// Index level, 0 for data.
    #[inline]
    pub fn level(&self) -> u8 {
        (self.meta() >> 16) as u8
    }
    /// RDFs the image will have.
    pub fn rdfs(&self) -> usize {
        (self.meta() >> 32) as u16 as usize
    }
    /// Slots the frame has room for.
    #[inline]
    pub fn slot_cap(&self) -> usize {
        (self.meta() >> 48) as usize
    }
    /// Index: the next record on this level; data, spanned: update number.
    pub fn next(&self) -> u32 {
        self.words.get(NEXT) as u32
    }
    /// Index level 1: the CA it indexes.
    #[inline]
    pub fn ca(&self) -> u32 {
        (self.words.get(NEXT) >> 32) as u32
    }
    #[inline]
    fn slot(&self, i: usize) -> u64 {
        self.words.get(SLOTS_AT / 8 + i)
    }
    #[inline]
    fn data_start(&self) -> usize {
        SLOTS_AT + self.slot_cap() * 8
    }
    /// Offset in the CI image, and length, of record `i` (data pages).
    #[inline]
    pub fn span(&self, i: usize) -> (usize, usize) {
        let slot = self.slot(i);
        ((slot >> 16) as u16 as usize, slot as u16 as usize)
    }
    /// Copies record `i` into `out` (resized to fit). False if the page is being changed and the numbers make no sense.
    #[inline]
    pub fn record(&self, i: usize, out: &mut Vec<u8>) -> bool {
        let (offset, len) = self.span(i);
        let at = self.data_start() + offset;
        if at + len > self.words.len * 8 {
            return false;
        }
        if out.len() != len {
            out.resize(len, 0);
        }
        self.words.copy(at, out);
        true
    }
    /// Copies slots and records of a page of whole records. `None`: it has segments, or the numbers make no sense.
    pub fn copy_records(&self, out: &mut Records) -> Option<()> {
        let (count, slots, data) = (self.count(), self.slot_cap(), self.data_len());
        let data_at = count * 8;
        if self.segment() != 0 || count > slots || SLOTS_AT + slots * 8 + data > self.words.len * 8 {
            return None;
        }
        out.bytes.resize(data_at + data, 0);
        self.words.copy(SLOTS_AT, &mut out.bytes[..data_at]);
        self.words.copy(self.data_start(), &mut out.bytes[data_at..]);
        out.count = count;
        Some(())
    }

    /// Copies `out.len()` bytes from offset `from` of record `i`.
    pub fn record_part(&self, i: usize, from: usize, out: &mut [u8]) {
        let (offset, _) = self.span(i);
        self.words.copy(self.data_start() + offset + from, out);
    }
    /// Compares the key of record `i` (at `rkp`) with `probe` over the probe's length.
    #[inline]
    pub fn compare_key(&self, i: usize, rkp: usize, probe: &[u8]) -> Ordering {
        let (offset, _) = self.span(i);
        self.words.compare(self.data_start() + offset + rkp, probe)
    }
    /// Pointer of index entry `i`.
    #[inline]
    pub fn pointer(&self, i: usize) -> u32 {
        let (unit, len) = self.span(i);
        let at = self.data_start() + unit * 4 + len.next_multiple_of(4);
        self.words.eight(at) as u32
    }
    /// Separator of index entry `i`.
    pub fn separator(&self, i: usize) -> Vec<u8> {
        let (unit, len) = self.span(i);
        let mut out = vec![0; len.min(256)];
        self.words.copy(self.data_start() + unit * 4, &mut out);
        out
    }

    /// First data record whose key is at or above `probe` (over the probe's length), and whether it equals it.
    #[inline]
    pub fn find_record(&self, probe: &[u8], rkp: usize) -> (usize, bool) {
        let start = self.data_start();
        let pos = self.lower_bound(probe, 0, |view, slot| {
            view.words.compare(start + (slot >> 16) as u16 as usize + rkp, probe)
        });
        let equal = pos < self.count() && self.compare_key(pos, rkp, probe) == Ordering::Equal;
        (pos, equal)
    }

    /// First index entry whose separator, continued with X'FF', is at or above `probe`.
    #[inline]
    pub fn find_entry(&self, probe: &[u8]) -> usize {
        let start = self.data_start();
        self.lower_bound(probe, 1, |view, slot| {
            let (unit, len) = ((slot >> 16) as u16 as usize, slot as u16 as usize);
            view.words.compare(start + unit * 4, &probe[..len.min(probe.len())])
        })
    }

    /// Binary search on the heads; `full` decides ties. `infinite` = 1 when the last entry may be the infinite one,
    /// which the
    /// prefix leaves out.
    #[inline]
    fn lower_bound(&self, probe: &[u8], infinite: usize, full: impl Fn(&Self, u64) -> Ordering) -> usize {
        let count = self.count().min(self.slot_cap());
        let prefix = self.prefix_len().min(PREFIX_MAX);
        if prefix > 0 {
            let common = prefix.min(probe.len());
            match self.words.compare(PREFIX_AT, &probe[..common]) {
                Ordering::Greater => return 0,
                Ordering::Less => {
                    // Above all finite entries: the first infinite one (a spanned record may have several).
                    let mut finite = count;
                    while infinite == 1 && finite > 0 && self.span(finite - 1).1 == 0 {
                        finite -= 1;
                    }
                    return finite;
                }
                Ordering::Equal if common < prefix => return 0,
                Ordering::Equal => {}
            }
        }
        let head = head_of(&probe[prefix..], 0);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            let slot = self.slot(middle);
            let below = match ((slot >> 32) as u32).cmp(&head) {
                Ordering::Equal => full(self, slot) == Ordering::Less,
                order => order == Ordering::Less,
            };
            if below {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// A private copy of a page's records, for a reader that goes through all of them.
#[derive(Debug, Default)]
pub struct Records {
    bytes: Vec<u8>,
    count: usize,
}

impl Records {
    /// Offset in the CI, and the bytes, of record `i`; `None` behind the last.
    #[inline]
    pub fn record(&self, i: usize) -> Option<(usize, &[u8])> {
        if i >= self.count {
            return None;
        }
        let slot = u64::from_le_bytes(*self.bytes.get(i * 8..)?.first_chunk()?);
        let (offset, len) = ((slot >> 16) as u16 as usize, slot as u16 as usize);
        let start = self.count * 8 + offset;
        Some((offset, self.bytes.get(start..start + len)?))
    }
}

/// The first four bytes of `rest` as a number that compares as they do, short ones continued with `pad`.
#[inline]
pub fn head_of(rest: &[u8], pad: u8) -> u32 {
    if let Some(four) = rest.first_chunk::<4>() {
        return u32::from_be_bytes(*four);
    }
    let mut four = [pad; 4];
    four[..rest.len()].copy_from_slice(rest);
    u32::from_be_bytes(four)
}
