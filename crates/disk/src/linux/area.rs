//! Memory that two processes see: one fills it, the other copies out of it. It has no name and no device.
//!
//! 1. Who fills it never reads it, so what the other process does to it harms nobody else.
//! 2. Its length is sealed, so no access finds a page that was cut off; and its pages are taken when it is made, so a
//!    store does not find memory used up.
//! 3. No reference into it exists: it is copied to and from, as it may change meanwhile.
//! 4. With who fills it the pages go, even where the other process has it still.
//! 5. A child after `fork` has none of it (D7).
#![allow(unsafe_code)]

use super::fork;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, FallocateFlags, MemfdFlags, SealFlags};
use std::ptr::NonNull;

/// Seals of such memory (2).
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// What is mapped, for as long as it lives.
#[derive(Debug)]
struct Mapping {
    memory: NonNull<u8>,
    len: usize,
    /// Of the process that mapped it.
    generation: u32,
}

// SAFETY: the memory is only copied to and from, and stays while this lives.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(fd: BorrowedFd<'_>, len: usize, stored: bool) -> Option<Mapping> {
        fork::notice_forks();
        let stores = if stored { libc::PROT_WRITE } else { 0 };
        // SAFETY: a new mapping at an address of the system's choice.
        let memory = unsafe {
            let (how, shared) = (libc::PROT_READ | stores, libc::MAP_SHARED | libc::MAP_POPULATE);
            libc::mmap(std::ptr::null_mut(), len, how, shared, fd.as_raw_fd(), 0)
        };
        let found = NonNull::new(memory.cast::<u8>()).filter(|_| memory != libc::MAP_FAILED)?;
        let mapping = Mapping {
            memory: found,
            len,
            generation: fork::generation(),
        };
        // SAFETY: what was just mapped (5).
        let own = unsafe { libc::madvise(memory, len, libc::MADV_DONTFORK) } == 0;
        own.then_some(mapping)
    }

    /// Where the bytes lie, if they lie inside and in memory of this process.
    #[inline]
    fn place(&self, at: usize, len: usize) -> Option<NonNull<u8>> {
        let inside = at.checked_add(len).is_some_and(|end| end <= self.len);
        // SAFETY: inside the mapping.
        (inside && self.generation == fork::generation()).then(|| unsafe { self.memory.add(at) })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // A child has nothing there, or what is its own.
        if self.generation == fork::generation() {
            // SAFETY: it was mapped with this length, and nobody has a reference into it (3).
            unsafe { libc::munmap(self.memory.as_ptr().cast(), self.len) };
        }
    }
}

/// Memory to fill; see the module.
#[derive(Debug)]
pub struct FilledArea {
    mapping: Mapping,
    file: OwnedFd,
}

impl FilledArea {
    /// So many bytes; `None` where the system has no such memory, or no more of it.
    pub fn new(len: usize) -> Option<FilledArea> {
        let file = fs::memfd_create("cica", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).ok()?;
        fs::fallocate(&file, FallocateFlags::empty(), 0, len as u64).ok()?;
        fs::fcntl_add_seals(&file, SEALS).ok()?;
        let mapping = Mapping::new(file.as_fd(), len, true)?;
        Some(FilledArea { mapping, file })
    }

    /// For the process that is to see it.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Puts bytes there. False: there is no such place.
    #[inline]
    pub fn store(&mut self, at: usize, bytes: &[u8]) -> bool {
        let Some(place) = self.mapping.place(at, bytes.len()) else {
            return false;
        };
        // SAFETY: the place is inside the mapping, which is writable, and `bytes` outside it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.as_ptr(), bytes.len()) };
        true
    }
}

impl Drop for FilledArea {
    fn drop(&mut self) {
        if self.mapping.generation == fork::generation() {
            let whole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            // Where that is refused the pages go when the other process has gone (4).
            let _ = fs::fallocate(&self.file, whole, 0, self.mapping.len as u64);
        }
    }
}

/// The same memory where it is only read.
#[derive(Debug)]
pub struct SeenArea(Mapping);

impl SeenArea {
    /// The first `len` bytes of what another process fills. `None`: it is no such memory, or cannot be had.
    pub fn of(file: BorrowedFd<'_>, len: usize) -> Option<SeenArea> {
        let sealed = fs::fcntl_get_seals(file).is_ok_and(|seals| seals.contains(SealFlags::SHRINK));
        let found = fs::fstat(file).ok()?;
        let long = usize::try_from(found.st_size).is_ok_and(|size| size >= len);
        (len > 0 && sealed && long).then(|| Mapping::new(file, len, false).map(SeenArea))?
    }

    /// Copies bytes out of it. False: there is no such place, and `out` is as it was.
    #[inline]
    pub fn copy(&self, at: usize, out: &mut [u8]) -> bool {
        let Some(place) = self.0.place(at, out.len()) else {
            return false;
        };
        // SAFETY: the place is inside the mapping, and `out` outside it.
        unsafe { std::ptr::copy_nonoverlapping(place.as_ptr(), out.as_mut_ptr(), out.len()) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn what_is_put_there_is_seen_and_nobody_cuts_it() {
        let mut filled = FilledArea::new(8192).expect("memory");
        let seen = SeenArea::of(filled.descriptor(), 8192).expect("the same");
        assert!(filled.store(8188, b"last"));
        let mut out = [0; 4];
        assert!(seen.copy(8188, &mut out) && &out == b"last");
        assert!(!seen.copy(8189, &mut out) && !seen.copy(usize::MAX, &mut out) && &out == b"last");
        assert!(!filled.store(8189, b"last") && !filled.store(usize::MAX, b"last"));

        let file = filled.descriptor().try_clone_to_owned().expect("its descriptor");
        assert_eq!(fs::ftruncate(&file, 0), Err(Errno::PERM));
        assert_eq!(fs::ftruncate(&file, 16384), Err(Errno::PERM));
        assert_eq!(fs::fcntl_add_seals(&file, SealFlags::WRITE), Err(Errno::PERM));
        assert!(SeenArea::of(file.as_fd(), 8193).is_none() && SeenArea::of(file.as_fd(), 0).is_none());

        // Whoever sees it keeps no memory by that.
        let blocks = |file: &OwnedFd| fs::fstat(file).expect("its state").st_blocks;
        assert_eq!(blocks(&file), 16);
        drop(filled);
        assert_eq!(blocks(&file), 0);
        assert!(seen.copy(8188, &mut out) && out == [0; 4]);
    }

    #[test]
    fn a_file_that_may_be_cut_is_not_taken_for_such_memory() {
        let file = fs::memfd_create("cica", MemfdFlags::CLOEXEC).expect("a file");
        fs::ftruncate(&file, 8192).expect("its length");
        assert!(SeenArea::of(file.as_fd(), 8192).is_none());
    }
}
