//! A window: a file shown in memory, from which small reads are copied without a call to the system.
//!
//! Memory that shows a file answers a read that fails, or one behind a new end of the file, with the signal SIGBUS.
//! Here it never gets as far as the program:
//!
//! 1. Nobody gets at the memory but [`Window::copy`], which copies out of it. No reference into it exists.
//! 2. While a window is open its range stands in a table. The handler of SIGBUS puts an empty page where the
//!    read failed and marks the window as broken; a copy from a broken window counts as nothing read.
//! 3. A broken window is never used again: the same read is made with a call, and that tells the error or the end.
//! 4. A SIGBUS from anywhere else goes to the handler that was there before. Where somebody has put a handler over
//!    ours, no window is opened.
#![allow(unsafe_code)]

use libc::{c_int, c_void, siginfo_t};
use rustix::fd::{AsRawFd, BorrowedFd};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering::*};
use std::sync::OnceLock;

/// Windows that a process can have at a time.
const SEATS: usize = 64;
/// The least a page has: the handler replaces so many bytes, or a multiple.
const PAGE: usize = 4096;

/// Where an open window lies. Free while `start` is 0; just being taken while it is 1.
struct Seat {
    start: AtomicUsize,
    len: AtomicUsize,
    broken: AtomicBool,
}

static TABLE: [Seat; SEATS] = [const {
    Seat {
        start: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
    }
}; SEATS];

/// What SIGBUS did before, once ours is installed; the second is the size of a page.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

impl Seat {
    fn holds(&self, address: usize) -> bool {
        let (start, len) = (self.start.load(Acquire), self.len.load(Acquire));
        start > 1 && (start..start + len).contains(&address)
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Window {
    memory: NonNull<u8>,
    len: usize,
    seat: usize,
}

// SAFETY: the memory is only read, by copying, from whichever thread; it stays mapped while the window lives.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// Shows the first `len` bytes of a file; `None` where that cannot be had.
    pub fn open(fd: BorrowedFd<'_>, len: usize) -> Option<Window> {
        if len == 0 || !handles_signal() {
            return None;
        }
        let taken = |s: &Seat| s.start.compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
        let seat = TABLE.iter().position(taken)?;
        // SAFETY: a new mapping at an address of the system's choice, for reading.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        let Some(memory) = NonNull::new(memory.cast()).filter(|_| memory != libc::MAP_FAILED) else {
            TABLE[seat].start.store(0, Release);
            return None;
        };
        TABLE[seat].broken.store(false, Relaxed);
        TABLE[seat].len.store(len, Relaxed);
        TABLE[seat].start.store(memory.as_ptr() as usize, Release);
        Some(Window { memory, len, seat })
    }

    /// Copies the file's bytes at `at` to `out`. False: the window does not show all of them, or is broken.
    pub fn copy(&self, at: u64, out: &mut [u8]) -> bool {
        let broken = &TABLE[self.seat].broken;
        let inside = at
            .checked_add(out.len() as u64)
            .is_some_and(|end| end <= self.len as u64);
        if !inside || broken.load(Relaxed) {
            return false;
        }
        // SAFETY: the range lies inside the mapping and `out` outside it. The bytes may be changing (another handle
        // writes the file): they are only copied, and whoever reads a file judges them by a checksum.
        unsafe { std::ptr::copy_nonoverlapping(self.memory.as_ptr().add(at as usize), out.as_mut_ptr(), out.len()) };
        // The handler runs on this thread, inside the copy.
        fence(SeqCst);
        !broken.load(Relaxed)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nobody has a reference into it (1).
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.len) };
        TABLE[self.seat].start.store(0, Release);
    }
}

/// Whether SIGBUS comes to us, after installing the handler if nobody did yet.
fn handles_signal() -> bool {
    BEFORE.get_or_init(|| {
        // SAFETY: plain calls; the structures are ours and are filled before they are used.
        unsafe {
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(PAGE);
            (current_action(), page.max(PAGE))
        }
    });
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let installed = *INSTALLED.get_or_init(|| {
        // SAFETY: the handler does only what a handler may: atomics, mmap and sigaction.
        unsafe {
            let mut ours: libc::sigaction = MaybeUninit::zeroed().assume_init();
            ours.sa_sigaction = on_bus_error as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut ours.sa_mask);
            libc::sigaction(libc::SIGBUS, &ours, std::ptr::null_mut()) == 0
        }
    });
    // SAFETY: it only asks.
    installed && unsafe { current_action() }.sa_sigaction == on_bus_error as *const () as usize
}

/// # Safety
/// None is needed but that of a call to the system.
unsafe fn current_action() -> libc::sigaction {
    // SAFETY: zeros are a valid action, and the call fills it.
    unsafe {
        let mut now: libc::sigaction = MaybeUninit::zeroed().assume_init();
        libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut now);
        now
    }
}

/// # Safety
/// The system calls it, with what it hands to a handler.
unsafe extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // Set before the handler was installed.
    let Some((before, page)) = BEFORE.get() else { return };
    // SAFETY: the system gives a valid `info` to a handler that asked for it.
    let address = unsafe { (*info).si_addr() } as usize;
    if let Some(seat) = TABLE.iter().find(|seat| seat.holds(address)) {
        seat.broken.store(true, SeqCst);
        let start = address / page * page;
        // SAFETY: the page lies in a window, which nobody reads but by a copy that will now count as none (2).
        let emptied = unsafe {
            libc::mmap(
                start as *mut c_void,
                *page,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if emptied != libc::MAP_FAILED {
            return;
        }
    }
    // SAFETY: the action was that of the process; it is called as it was installed. What is the system's own is
    // installed again, and happens when the instruction that failed is done again.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::sigaction(signal, before, std::ptr::null_mut());
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}
