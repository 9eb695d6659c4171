//! Reading a frame that a writer may be changing: word by word, with relaxed atomic loads, always inside its bounds.
//!
//! What comes back may be torn; the caller believes it only after [`Latch::unchanged`](super::Latch::unchanged).

use super::halving::first_not_below;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::racing::load_racing;
#[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
use super::racing::{copy_racing, count_below_racing, half_racing, store_half_racing, upper_racing};
#[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
use crate::sync::atomic::Ordering::{AcqRel, Acquire};
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Words of one cache line.
pub const LINE: usize = 8;

/// A frame's memory as 64-bit words.
#[derive(Clone, Copy)]
pub struct Words<'p> {
    start: NonNull<AtomicU64>,
    len: usize,
    life: PhantomData<&'p AtomicU64>,
}

impl<'p> Words<'p> {
    /// # Safety
    /// `start` must be aligned and valid for `len` words, at least eight, for `'p`.
    #[inline]
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

    /// Word `I` of the first eight, which are always there.
    #[inline]
    pub fn first<const I: usize>(&self) -> u64 {
        const { assert!(I < 8) };
        // SAFETY: in bounds, see `new`.
        unsafe { self.start.add(I).as_ref() }.load(Relaxed)
    }

    /// The upper half of word `i`, 0 when outside.
    #[inline]
    pub fn upper(&self, i: usize) -> u32 {
        if i < self.len {
            unsafe { self.upper_inside(i) }
        } else {
            0
        }
    }

    /// A writer stores slots as whole words, and the language has no load of half a word beside that. So the half is
    /// loaded in assembly where there is such, and elsewhere as part of its word.
    ///
    /// # Safety
    /// `i` must be below `len`.
    #[inline]
    unsafe fn upper_inside(&self, i: usize) -> u32 {
        // SAFETY: in bounds, see `new`.
        let word = unsafe { self.start.add(i) };
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
        // SAFETY: a word is valid for its upper half.
        return unsafe { upper_racing(word.as_ptr().cast::<u8>()) };
        #[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
        // SAFETY: in bounds, see `new`.
        return (unsafe { word.as_ref() }.load(Relaxed) >> 32) as u32;
    }

    /// Whether the words `from..from + count` are all there.
    #[inline]
    fn has(&self, from: usize, count: usize) -> bool {
        self.len.checked_sub(count).is_some_and(|last| from <= last)
    }

    /// How many of the words `from..from + LINE` have an upper half below `head`; `None` when they are not all inside.
    #[inline]
    pub fn upper_below(&self, from: usize, head: u32) -> Option<usize> {
        if !self.has(from, LINE) {
            return None;
        }
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
        // SAFETY: so many words from there on are inside, checked above.
        return Some(unsafe {
            const { assert!(LINE == 8) };
            count_below_racing(self.start.add(from).as_ptr().cast::<u8>(), head)
        });
        #[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
        // SAFETY: in bounds, checked above.
        return Some(
            (from..from + LINE)
                .filter(|&i| unsafe { self.upper_inside(i) } < head)
                .count(),
        );
    }

    /// The first of the words `from..from + count`, whose upper halves ascend, that has one not below `head`, counted from
    /// `from`; `count` when there is none, or when they are not all inside.
    #[inline]
    pub fn upper_not_below(&self, from: usize, count: usize, head: u32) -> usize {
        if self.has(from, count) {
            first_not_below(0, count, |i| unsafe { self.upper_inside(from + i) } < head)
        } else {
            count
        }
    }

    /// Bytes there are.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.len * 8
    }

    /// A reference to word `i` for an atomic store by whoever keeps that word (the words of a CA descriptor).
    pub fn cell(&self, i: usize) -> Option<&'p AtomicU64> {
        // SAFETY: in bounds, see `new`; the memory lives for 'p.
        (i < self.len).then(|| unsafe { self.start.add(i).as_ref() })
    }

    /// Half a word, number `i` of such: what [`set_half`](Self::set_half) stored. All that was stored before that is seen
    /// as well.
    #[inline]
    pub fn half(&self, i: usize) -> Option<u32> {
        if i / 2 >= self.len {
            return None;
        }
        // SAFETY: in bounds, see `new`.
        let word = unsafe { self.start.add(i / 2) };
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
        // SAFETY: a word is valid for each of its halves.
        return Some(unsafe { half_racing(word.as_ptr().cast::<u8>().add(i % 2 * 4)) });
        #[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
        // SAFETY: in bounds, see `new`.
        return Some((unsafe { word.as_ref() }.load(Acquire) >> (i % 2 * 32)) as u32);
    }

    /// Stores half a word, number `i` of such, by whoever keeps it; somebody else may keep the other half (the numbers of
    /// frames in a CA descriptor). A frame's words are stored as whole ones otherwise, so the language has no store for it.
    pub fn set_half(&self, i: usize, value: u32) {
        if i / 2 >= self.len {
            return;
        }
        // SAFETY: in bounds, see `new`.
        let word = unsafe { self.start.add(i / 2) };
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
        // SAFETY: as above.
        unsafe {
            store_half_racing(word.as_ptr().cast::<u8>().add(i % 2 * 4), value);
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
        {
            let shift = i % 2 * 32;
            let with = |word: u64| Some(word & !(0xFFFF_FFFF << shift) | u64::from(value) << shift);
            // SAFETY: in bounds, see `new`. It always says yes.
            let _ = unsafe { word.as_ref() }.fetch_update(AcqRel, Relaxed, with);
        }
    }

    /// Asks for the cache lines that bytes `from..to` lie in.
    #[inline]
    pub fn prefetch(&self, from: usize, to: usize) {
        (from / 64..to.div_ceil(64)).for_each(|line| self.prefetch_line(line * 8));
    }

    /// Asks for the cache line that word `i` lies in; `i` may be any number.
    #[inline]
    pub fn prefetch_line(&self, i: usize) {
        prefetch_line_at(self.start.as_ptr().wrapping_add(i).addr());
    }

    /// Eight bytes at any offset, as stored; zeros for those outside.
    #[inline]
    pub(super) fn eight(&self, offset: usize) -> u64 {
        crate::sync::point();
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if offset + 8 <= self.bytes() {
            // SAFETY: in bounds.
            return unsafe { load_racing(self.start.as_ptr().cast::<u8>().add(offset)) };
        }
        let (i, shift) = (offset / 8, (offset % 8) * 8);
        let low = self.get(i);
        if shift == 0 {
            low
        } else {
            low >> shift | self.get(i + 1) << (64 - shift)
        }
    }

    /// Sixteen bytes at any offset, the first the most significant.
    #[inline]
    pub(super) fn sixteen(&self, offset: usize) -> u128 {
        (self.eight(offset).swap_bytes() as u128) << 64 | self.eight(offset + 8).swap_bytes() as u128
    }

    /// Copies `out.len()` bytes from `offset`; zeros when they are not all inside.
    #[inline]
    pub fn copy(&self, offset: usize, out: &mut [u8]) {
        if offset + out.len() > self.len * 8 {
            out.fill(0);
            return;
        }
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
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

/// Bytes of a cache line.
pub const LINE_LEN: usize = LINE * 8;

/// Asks for the cache line of an address, which may be any.
#[inline]
pub fn prefetch_line_at(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing, wherever it points.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(all(test, not(cica_schedules)))]
mod tests {
    use super::*;

    #[test]
    fn heads_are_the_upper_halves_of_their_words_and_those_below_a_head_are_counted() {
        // The lower halves are such that a look at the wrong half would show.
        let heads = [0u32, 3, 7, 7, 9, 0x8000_0000, u32::MAX, u32::MAX, 1, 2];
        let memory: Vec<AtomicU64> = heads
            .iter()
            .map(|head| AtomicU64::new(u64::from(*head) << 32 | u64::from(!*head)))
            .collect();
        // SAFETY: the vector outlives `words`, and is aligned.
        let words = unsafe { Words::new(NonNull::from(&memory[..]).cast(), memory.len()) };
        for (i, head) in heads.iter().enumerate() {
            assert_eq!(words.upper(i), *head);
        }
        assert_eq!(words.upper(heads.len()), 0, "outside");
        for head in heads.into_iter().chain([4, 8, 10, 0x7FFF_FFFF]) {
            for from in 0..=heads.len() - LINE {
                let below = heads[from..from + LINE].iter().filter(|known| **known < head).count();
                assert_eq!(words.upper_below(from, head), Some(below), "{head} from {from}");
            }
            let first = heads[..LINE].iter().position(|known| *known >= head).unwrap_or(LINE);
            assert_eq!(words.upper_not_below(0, LINE, head), first, "{head}");
        }
        assert_eq!(words.upper_below(heads.len() - LINE + 1, 0), None, "not all inside");
    }

    #[test]
    fn heads_are_not_changed_by_a_store_of_the_other_half() {
        let memory: Vec<AtomicU64> = (0..3).map(|_| AtomicU64::new(u64::MAX)).collect();
        // SAFETY: the vector outlives `words`, and is aligned.
        let words = unsafe { Words::new(NonNull::from(&memory[..]).cast(), memory.len()) };
        words.set_half(2, 7);
        words.set_half(5, 9);
        words.set_half(6, 1);
        let halves: Vec<_> = (0..7).map(|i| words.half(i)).collect();
        let all = Some(u32::MAX);
        assert_eq!(halves, [all, all, Some(7), all, all, Some(9), None]);
        assert_eq!((words.get(1), words.upper(2)), (u64::MAX << 32 | 7, 9));
    }
}
