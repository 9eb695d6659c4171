//! Writing a frame that others may be reading: whole words, by relaxed atomic stores, or a copy called from assembly.
//!
//! * X1. Nobody but the holder of the latch writes, so what it reads of the page it may read as plain bytes.
//! * X2. Each store that a reader may see is an atomic one of a whole word, or made by an instruction that the compiler
//!   does not look into, as the reader's loads are (`bytes.rs`), or by the system.
//! * X3. There is no `&mut [u8]` of a frame, also while it is filled and no page has it: a reader with a stale number may
//!   be looking (pool:P2). [`Cells`] are the one way to store into the page part.

use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::ptr::NonNull;

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use cica_disk::Room;

/// Bytes of a word.
const WORD: usize = 8;

/// The bytes of a page, as its one writer has them. They are read as a slice (X1) and written by the methods (X2).
pub struct Cells<'p> {
    start: NonNull<u8>,
    len: usize,
    life: PhantomData<&'p mut [AtomicU64]>,
}

impl<'p> Cells<'p> {
    /// # Safety
    /// `start` must be aligned to words, and valid for `len` bytes, whole words, for `'p`; nobody else writes there for
    /// as long, and who reads meanwhile reads as [`Words`](super::Words) does.
    pub(super) unsafe fn new(start: NonNull<u8>, len: usize) -> Self {
        debug_assert!(start.cast::<AtomicU64>().is_aligned() && len % WORD == 0, "whole words");
        Cells {
            start,
            len,
            life: PhantomData,
        }
    }

    /// The same, to do one thing with.
    #[inline]
    pub fn again(&mut self) -> Cells<'_> {
        Cells {
            start: self.start,
            len: self.len,
            life: PhantomData,
        }
    }

    /// Part of it, which begins with a word, for a file to be read into.
    ///
    /// # Panics
    /// It does not, or is not inside.
    pub fn room(self, range: Range<usize>) -> Room<'p> {
        let len = range.end.checked_sub(range.start).unwrap_or(usize::MAX);
        self.check(range.start, len);
        assert!(range.start % WORD == 0, "{} begins a word", range.start);
        // SAFETY: inside, aligned, and of whole words, see `new`. Nobody else stores there for 'p: these cells are gone.
        unsafe { Room::new(self.start.add(range.start), len) }
    }

    /// The word that has the byte at `at`.
    #[inline]
    fn word(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at < self.len, "{at} is outside");
        // SAFETY: inside, because callers have checked `at`; aligned, see `new`.
        unsafe { self.start.cast::<AtomicU64>().add(at / WORD).as_ref() }
    }

    /// The `count` words from byte `at` on, which begins one, for the writer alone to store to.
    #[inline]
    pub(super) fn words(&self, at: usize, count: usize) -> impl Iterator<Item = &AtomicU64> {
        assert!(at % WORD == 0, "{at} begins a word");
        self.check(at, count * WORD);
        (0..count).map(move |i| self.word(at + i * WORD))
    }

    /// Stores a field, which lies in one word.
    #[inline]
    pub(super) fn set<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        let from = at % WORD;
        assert!(
            from + N <= WORD && at < self.len,
            "a field at {at} lies in a word of {} bytes",
            self.len
        );
        let cell = self.word(at);
        let mut word = cell.load(Relaxed).to_ne_bytes();
        word[from..from + N].copy_from_slice(&bytes);
        cell.store(u64::from_ne_bytes(word), Relaxed);
    }

    /// Bytes at `at` become these.
    #[inline]
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.check(at, bytes.len());
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
        {
            // SAFETY: the destination is inside (checked), and the source is no part of it: a writer has no slice of
            // the page while it writes, because that borrows these cells.
            unsafe { cica_disk::move_racing(self.start.as_ptr().add(at), bytes.as_ptr(), bytes.len()) };
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
        self.put_words(at, bytes.len(), |word, from, done| {
            word[from].copy_from_slice(&bytes[done]);
        });
    }

    /// The bytes of `from` are copied to `to`, as they were before; both lie in the page.
    #[inline]
    pub fn copy_within(&mut self, from: Range<usize>, to: usize) {
        let len = from.end.checked_sub(from.start).unwrap_or(usize::MAX);
        self.check(from.start, len);
        self.check(to, len);
        #[cfg(all(target_arch = "x86_64", not(miri), not(cica_schedules)))]
        {
            let start = self.start.as_ptr();
            // SAFETY: both are inside (checked).
            unsafe { cica_disk::move_racing(start.add(to), start.add(from.start), len) };
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri), not(cica_schedules))))]
        {
            let bytes = self[from].to_vec();
            self.put(to, &bytes);
        }
    }

    /// So many bytes at `at` become `byte`.
    pub fn fill(&mut self, at: usize, len: usize, byte: u8) {
        self.check(at, len);
        self.put_words(at, len, |word, from, _| word[from].fill(byte));
    }

    #[inline]
    fn check(&self, at: usize, len: usize) {
        let end = at.checked_add(len);
        assert!(
            end.is_some_and(|end| end <= self.len),
            "{len} bytes at {at} of {}",
            self.len
        );
    }

    /// Stores word by word what `change` makes of each: which bytes of the word, and which of all they are.
    fn put_words(
        &mut self,
        at: usize,
        len: usize,
        mut change: impl FnMut(&mut [u8; WORD], Range<usize>, Range<usize>),
    ) {
        let mut done = 0;
        while done < len {
            let (cell, from) = (self.word(at + done), (at + done) % WORD);
            let here = (WORD - from).min(len - done);
            let mut bytes = cell.load(Relaxed).to_ne_bytes();
            change(&mut bytes, from..from + here, done..done + here);
            cell.store(u64::from_ne_bytes(bytes), Relaxed);
            done += here;
        }
    }
}

impl Deref for Cells<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: valid for so many bytes, see `new`; who else is there only reads, and nobody writes as long as the
        // slice borrows these cells (X1).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

#[cfg(all(test, not(cica_schedules)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_anywhere_is_there_and_nothing_else_is_changed() {
        let mut words = vec![0_u64; 32];
        let len = words.len() * WORD;
        let start = NonNull::new(words.as_mut_ptr().cast::<u8>()).unwrap();
        // SAFETY: the words are this test's own.
        let mut cells = unsafe { Cells::new(start, len) };
        let mut expected = vec![0_u8; len];
        let mut next = 0_u8;
        for at in [0, 1, 7, 8, 9, 63, 100] {
            for count in [0, 1, 3, 7, 8, 9, 16, 63, 64, 65, 150] {
                let bytes: Vec<u8> = (0..count).map(|n| next.wrapping_add(n as u8)).collect();
                next = next.wrapping_add(31);
                cells.put(at, &bytes);
                expected[at..at + count].copy_from_slice(&bytes);
                assert_eq!(*cells, expected[..], "{count} at {at}");
                cells.fill(at + 1, count, next);
                expected[at + 1..at + 1 + count].fill(next);
                assert_eq!(*cells, expected[..], "filled {count} at {at}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "9 bytes at 248 of 256")]
    fn what_is_not_inside_is_not_stored() {
        let mut words = [0_u64; 32];
        let start = NonNull::new(words.as_mut_ptr().cast::<u8>()).unwrap();
        // SAFETY: as above.
        unsafe { Cells::new(start, 256) }.put(248, &[1; 9]);
    }
}
