//! Reads as the system is asked for them: into slices, or into memory that others may be looking at (`room.rs`).
//!
//! A slice is lent to the system as a [`Room`](crate::Room) is, by its place and length.
#![allow(unsafe_code)]

use crate::room::Unfilled;
use crate::{ReadAt, ReadInto};
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Errno;
use std::io::IoSliceMut;
use std::mem::transmute;

/// One read of a batch, of either kind.
pub(super) trait Reading {
    fn at(&self) -> u64;
    fn len(&self) -> usize;
    fn got(&self) -> usize;
    fn set_got(&mut self, got: usize);
    /// Where the bytes from the `from`th on go.
    fn rest(&mut self, from: usize) -> Unfilled<'_>;
    /// Copies all its bytes from memory that shows the file.
    ///
    /// # Safety
    /// `from` must be valid for so many bytes, outside of where they go. They may be changing.
    unsafe fn take(&mut self, from: *const u8);
}

impl Reading for ReadAt<'_> {
    fn at(&self) -> u64 {
        self.at
    }
    fn len(&self) -> usize {
        self.buf.len()
    }
    fn got(&self) -> usize {
        self.got
    }
    fn set_got(&mut self, got: usize) {
        self.got = got;
    }
    fn rest(&mut self, from: usize) -> Unfilled<'_> {
        Unfilled::from(&mut self.buf[from..])
    }
    #[inline]
    unsafe fn take(&mut self, from: *const u8) {
        // SAFETY: handed on to the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, self.buf.as_mut_ptr(), self.buf.len()) };
    }
}

impl Reading for ReadInto<'_> {
    fn at(&self) -> u64 {
        self.at
    }
    fn len(&self) -> usize {
        self.room.len()
    }
    fn got(&self) -> usize {
        self.got
    }
    fn set_got(&mut self, got: usize) {
        self.got = got;
    }
    fn rest(&mut self, from: usize) -> Unfilled<'_> {
        let len = self.room.len();
        self.room.unfilled(from..len)
    }
    #[inline]
    unsafe fn take(&mut self, from: *const u8) {
        let len = self.room.len();
        // SAFETY: handed on to the caller.
        unsafe { self.room.take(from, len) };
    }
}

/// Reads at an offset; returns how many bytes came.
pub(super) fn pread(fd: BorrowedFd<'_>, to: Unfilled<'_>, at: u64) -> Result<usize, Errno> {
    // SAFETY: the place is valid for so many bytes, which nobody else stores to or has a slice of.
    let came = unsafe { libc::pread(fd.as_raw_fd(), to.start.as_ptr().cast(), to.len, at as libc::off_t) };
    usize::try_from(came).map_err(|_| {
        let error = std::io::Error::last_os_error();
        Errno::from_io_error(&error).unwrap_or(Errno::IO)
    })
}

/// The place as a vectored read wants it. It is not made a slice: nobody looks into it but the system.
pub(super) fn io_slice(to: Unfilled<'_>) -> IoSliceMut<'_> {
    let vector = libc::iovec {
        iov_base: to.start.as_ptr().cast(),
        iov_len: to.len,
    };
    // SAFETY: an IoSliceMut is an iovec, as the library promises, and lives no longer than the place is lent.
    unsafe { transmute::<libc::iovec, IoSliceMut<'_>>(vector) }
}
