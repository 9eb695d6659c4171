//! What a child after `fork` gets of the files that its parent has open: nothing.
//!
//! Parent and child share what the system calls an open file, and with it the lock: the parent may die, and the data
//! set is in use until the child ends. So in a child each of our descriptors is replaced, under its own number, by one
//! that is good for nothing.
//!
//! 1. A descriptor stands in the table from before it is locked until it is closed.
//! 2. The child's handler makes plain calls alone, and reads atomics: other threads' locks stay locked in a child.
//! 3. A file knows the generation that opened it, and answers no other: a request in a child is an error.
//! 4. Memory that shows a file keeps it open as well; a window is not there in a child.
//! 5. What all files share is found out once, and nobody waits for who does: another thread that was about it when the
//!    child was made never ends there. So it is a `OnceBox` or an atomic here, and never a `OnceLock`.
#![allow(unsafe_code)]

use once_cell::race::OnceBox;
use rustix::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::*};

/// Words of a piece of the table, each with a bit for 64 descriptors.
const WORDS: usize = 512;
/// Descriptors that a piece has.
const PIECE: usize = WORDS * 64;
/// Pieces: two million descriptors. One above shares its lock with children, as if it were no file of ours.
const PIECES: usize = 64;

static TABLE: [OnceBox<[AtomicU64; WORDS]>; PIECES] = [const { OnceBox::new() }; PIECES];

/// Forks since the program began.
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// The child that counted last: a handler that was installed twice counts once.
static COUNTED: AtomicI32 = AtomicI32::new(0);

/// The number of this process in the line of those that forked one another, from when the first file was opened.
#[inline]
pub fn generation() -> u32 {
    GENERATION.load(Relaxed)
}

/// From now on children of this process are noticed. What opens a file does so by itself.
pub fn notice_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.load(Acquire) {
        // SAFETY: a function that stays, and does what a handler may.
        unsafe {
            // Without memory for the entry children are as they were without us.
            libc::pthread_atfork(None, None, Some(in_child));
        }
        WATCHED.store(true, Release);
    }
}

/// A descriptor of ours was opened.
pub(super) fn enter(fd: &OwnedFd) {
    notice_forks();
    if let Some((piece, word, bit)) = place(fd.as_raw_fd()) {
        let words = TABLE[piece].get_or_init(|| Box::new([const { AtomicU64::new(0) }; WORDS]));
        words[word].fetch_or(bit, Relaxed);
    }
}

/// It is about to be closed.
pub(super) fn leave(fd: &OwnedFd) {
    if let Some((piece, word, bit)) = place(fd.as_raw_fd()) {
        if let Some(words) = TABLE[piece].get() {
            words[word].fetch_and(!bit, Relaxed);
        }
    }
}

fn place(fd: i32) -> Option<(usize, usize, u64)> {
    let fd = usize::try_from(fd).ok()?;
    (fd < PIECE * PIECES).then_some((fd / PIECE, fd % PIECE / 64, 1 << (fd % 64)))
}

/// Runs in a child before `fork` returns there (2).
extern "C" fn in_child() {
    // SAFETY: a plain call.
    let me = unsafe { libc::getpid() };
    if COUNTED.swap(me, Relaxed) == me {
        return;
    }
    GENERATION.fetch_add(1, Relaxed);
    // SAFETY: plain calls; the descriptors in the table are ours, and nobody uses them any more (3).
    unsafe {
        let nothing = libc::open(c"/".as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        for (number, piece) in TABLE.iter().enumerate() {
            let Some(words) = piece.get() else { continue };
            for (at, word) in words.iter().enumerate() {
                let mut bits = word.swap(0, Relaxed);
                while bits != 0 {
                    let fd = number * PIECE + at * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    // Where nothing can be had it is closed: a lock kept would be worse than a number used again.
                    match nothing {
                        0.. => libc::dup3(nothing, fd as i32, libc::O_CLOEXEC),
                        _ => libc::close(fd as i32),
                    };
                }
            }
        }
        if nothing >= 0 {
            libc::close(nothing);
        }
    }
}
