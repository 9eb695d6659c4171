//! Files of whoever started this process, which it does not know of.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether this process was started without a standard output, and without a standard input.
static NO_OUTPUT: AtomicBool = AtomicBool::new(false);
static NO_INPUT: AtomicBool = AtomicBool::new(false);

/// Whether this process is a program of ours, which Rust's start has given standard streams.
static OURS: AtomicBool = AtomicBool::new(false);

/// Runs before Rust opens `/dev/null` in the place of a standard stream that is closed: what was written there would be
/// gone without an error, and what was to be read there would be nothing. In a library of somebody else's program nobody
/// asks for what it has seen.
#[used]
#[link_section = ".init_array"]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        // SAFETY: flags of descriptors are asked for.
        let is_closed = |descriptor| unsafe { libc::fcntl(descriptor, libc::F_GETFD) == -1 };
        NO_OUTPUT.store(is_closed(libc::STDOUT_FILENO), Relaxed);
        NO_INPUT.store(is_closed(libc::STDIN_FILENO), Relaxed);
    }
    loaded
};

/// Said by a program of ours when it begins.
pub fn is_program() {
    OURS.store(true, Relaxed);
}

/// Was this program started without a standard output (`>&-`)? What is written to it then is written nowhere. A library
/// does not know: its program may have opened one since.
pub fn has_no_output() -> bool {
    OURS.load(Relaxed) && NO_OUTPUT.load(Relaxed)
}

/// The same of standard input (`<&-`): what is read from it then is nothing.
pub fn has_no_input() -> bool {
    OURS.load(Relaxed) && NO_INPUT.load(Relaxed)
}

/// The first descriptor behind standard input, output and error.
const FIRST: u32 = 3;
/// Where the kernel has no call for all of them, so many are looked at: more than a process may have when it begins.
const MOST: u32 = 4096;

/// What this process has open, but for the standard three, is for none that it starts: a lock or a pipe of whoever
/// started this one would stay open as long as that one lives.
pub fn pass_no_files_on() {
    // SAFETY: flags of descriptors alone are changed, and none is closed here.
    unsafe {
        let flag = libc::CLOSE_RANGE_CLOEXEC as libc::c_int;
        if libc::close_range(FIRST, u32::MAX, flag) != 0 {
            for descriptor in FIRST..MOST {
                // What is not open has no flags.
                let _ = libc::fcntl(descriptor as libc::c_int, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}
