//! Memory to read into that others may be looking at meanwhile: a buffer frame that is being filled.
//!
//! 1. No `&mut [u8]` of it is made. It is stored to by the system, by a copy called from assembly, or by atomic stores
//!    of whole words: the compiler looks into nothing that may race with a look.
//! 2. Who has it is the only one who stores there.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Bytes of a word.
const WORD: usize = size_of::<AtomicU64>();

/// See the module.
#[derive(Debug)]
pub struct Room<'a> {
    start: NonNull<u8>,
    len: usize,
    life: PhantomData<&'a mut [AtomicU64]>,
}

// SAFETY: it is the right to store there, and whichever thread has it is the only one (2).
unsafe impl Send for Room<'_> {}

impl<'a> Room<'a> {
    /// # Safety
    /// `start` is aligned to words and valid for all words that `len` bytes begin, for `'a`. Nobody else stores there for
    /// as long. Who reads there meanwhile loads atomic words, or by instructions that the compiler does not look into.
    #[inline]
    pub unsafe fn new(start: NonNull<u8>, len: usize) -> Room<'a> {
        debug_assert!(start.cast::<AtomicU64>().is_aligned(), "it begins with a word");
        Room {
            start,
            len,
            life: PhantomData,
        }
    }

    /// Bytes that go there.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first bytes become these.
    ///
    /// # Panics
    /// There are more of them than fit.
    pub fn put(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len, "{} bytes of {}", bytes.len(), self.len);
        // SAFETY: a slice is valid for its bytes, which are not those of the room: nobody has a slice of that while
        // somebody stores there.
        unsafe { self.take(bytes.as_ptr(), bytes.len()) };
    }

    /// Copies `len` bytes from `from`, which are not those of the room.
    ///
    /// # Safety
    /// `len` is at most that of the room, and `from` valid for so many bytes. They may be changing.
    #[inline]
    pub(crate) unsafe fn take(&mut self, from: *const u8, len: usize) {
        debug_assert!(len <= self.len);
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: both are valid for so many bytes.
        unsafe {
            move_racing(self.start.as_ptr(), from, len);
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        // SAFETY: as above.
        unsafe {
            self.take_words(from, len);
        }
    }

    /// The same, word by word.
    ///
    /// # Safety
    /// As of [`take`](Self::take).
    #[cfg_attr(all(target_arch = "x86_64", not(miri)), allow(dead_code))]
    unsafe fn take_words(&mut self, from: *const u8, len: usize) {
        use std::sync::atomic::Ordering::Relaxed;
        for at in (0..len).step_by(WORD) {
            // SAFETY: in bounds and aligned, see `new`.
            let cell = unsafe { self.start.cast::<AtomicU64>().add(at / WORD).as_ref() };
            // Who stores reads what it alone has stored.
            let mut word = cell.load(Relaxed).to_ne_bytes();
            for (i, byte) in word.iter_mut().take(len - at).enumerate() {
                // SAFETY: inside what the caller vouches for.
                *byte = unsafe { from.add(at + i).read_volatile() };
            }
            cell.store(u64::from_ne_bytes(word), Relaxed);
        }
    }

    /// Where the system stores the bytes of this range.
    ///
    /// # Panics
    /// It is not inside.
    #[inline]
    pub(crate) fn unfilled(&mut self, range: Range<usize>) -> Unfilled<'_> {
        assert!(
            range.start <= range.end && range.end <= self.len,
            "{range:?} of {}",
            self.len
        );
        Unfilled {
            // SAFETY: inside.
            start: unsafe { self.start.add(range.start) },
            len: range.len(),
            life: PhantomData,
        }
    }
}

/// Memory for the system to store to, and for nobody else. Of a [`Room`], or of a slice that is lent out meanwhile.
#[derive(Debug)]
pub(crate) struct Unfilled<'a> {
    pub(crate) start: NonNull<u8>,
    pub(crate) len: usize,
    life: PhantomData<&'a mut [u8]>,
}

impl<'a> From<&'a mut [u8]> for Unfilled<'a> {
    fn from(bytes: &'a mut [u8]) -> Unfilled<'a> {
        Unfilled {
            len: bytes.len(),
            start: NonNull::from(bytes).cast(),
            life: PhantomData,
        }
    }
}

/// Copies bytes to where somebody may be reading, from anywhere, the same place too: by the C library, called from
/// assembly, because the language has no bulk store that may race.
///
/// # Safety
/// `to` and `from` must be valid for `len` bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
pub unsafe fn move_racing(to: *mut u8, from: *const u8, len: usize) {
    extern "C" {
        fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8;
    }
    // SAFETY: memmove reads from[0..len) and writes to[0..len), and keeps to the C calling convention.
    unsafe {
        std::arch::asm!(
            "call {memmove}",
            memmove = sym memmove,
            inout("rdi") to => _,
            inout("rsi") from => _,
            inout("rdx") len => _,
            clobber_abi("C"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of storing, beside what is behind the room.
    #[test]
    fn what_is_put_is_there_and_nothing_behind_it_is_changed() {
        for by_words in [false, true] {
            for len in [0, 1, 7, 8, 9, 16, 63, 64, 65] {
                let mut words = [u64::MAX; 12];
                // SAFETY: the words are this test's own.
                let mut room = unsafe { Room::new(NonNull::from(&mut words).cast(), 80) };
                let bytes: Vec<u8> = (0..len).map(|n| n as u8 + 1).collect();
                if by_words {
                    // SAFETY: a slice is valid for its bytes, and they fit.
                    unsafe { room.take_words(bytes.as_ptr(), len) };
                } else {
                    room.put(&bytes);
                }
                let stored: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
                assert_eq!(stored[..len], bytes, "{len}");
                assert!(stored[len..].iter().all(|byte| *byte == 0xFF), "{len}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "9 bytes of 8")]
    fn more_than_fits_is_not_put() {
        let mut word = [0u64];
        // SAFETY: the word is this test's own.
        unsafe { Room::new(NonNull::from(&mut word).cast(), 8) }.put(&[1; 9]);
    }
}
