//! A window: a file shown in memory, from which small reads are copied without a call to the system.
//!
//! Memory that shows a file answers a read that fails, or one behind a new end of the file, with the signal SIGBUS.
//! Here it never gets as far as the program:
//!
//! 1. Nobody gets at the memory but [`Window::copy`], which copies out of it, and `store` in `mapped.rs`, which copies
//!    into it. No reference into it exists, but for those to atomic words ([`crate::Cells`]).
//! 2. While a window is open its range stands in a table. The handler of SIGBUS puts an empty page where the
//!    read failed and marks the window as broken; a copy from a broken window counts as nothing read.
//! 3. A broken window is never used again: the same read is made with a call, and that tells the error or the end.
//! 4. A SIGBUS from anywhere else goes to the handler that was there before. Where somebody has put a handler over
//!    ours, no window is opened.
#![allow(unsafe_code)]

use super::reading::Reading;
use libc::{c_int, c_void, siginfo_t};
use once_cell::race::{OnceBool, OnceBox};
use rustix::fd::{AsRawFd, BorrowedFd};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering::*};

/// Windows that a process can have at a time.
const SEATS: usize = 64;
/// The least a page has: the handler replaces so many bytes, or a multiple.
const PAGE: usize = 4096;

/// Bytes that are asked for ahead of a copy: more lines than that a processor does not have on their way at once.
const ASKED: usize = 2048;

/// `start` of a seat that nobody has, and of one that is being taken or left.
const FREE: usize = 0;
const TAKEN: usize = 1;

/// Where an open window lies.
struct Seat {
    start: AtomicUsize,
    len: AtomicUsize,
    broken: AtomicBool,
    /// It is stored into as well: the page that replaces another must take the store.
    stored: AtomicBool,
}

static TABLE: [Seat; SEATS] = [const {
    Seat {
        start: AtomicUsize::new(FREE),
        len: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
        stored: AtomicBool::new(false),
    }
}; SEATS];

/// What SIGBUS did before, once ours is installed; the second is the size of a page.
static BEFORE: OnceBox<(libc::sigaction, usize)> = OnceBox::new();

impl Seat {
    fn holds(&self, address: usize) -> bool {
        let (start, len) = (self.start.load(Acquire), self.len.load(Acquire));
        start > TAKEN && (start..start + len).contains(&address)
    }
}

/// What memory that shows a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    ToRead,
    ToStore,
    /// For [`Cells`](crate::Cells), which are used in places where a child is not told from its parent.
    Counted,
}

/// Memory that shows part of a file, with its seat in the table.
#[derive(Debug)]
pub(super) struct Showing {
    memory: NonNull<u8>,
    len: usize,
    seat: usize,
}

// SAFETY: the memory is copied from and to, or has atomic words, for whichever thread; it is mapped while this lives.
unsafe impl Send for Showing {}
// SAFETY: as above.
unsafe impl Sync for Showing {}

impl Showing {
    /// Shows `len` bytes of a file from `at` on; `None` where that cannot be had.
    pub fn new(fd: BorrowedFd<'_>, at: u64, len: usize, shown: Shown) -> Option<Showing> {
        if len == 0 || !handles_signal() {
            return None;
        }
        let taken = |s: &Seat| s.start.compare_exchange(FREE, TAKEN, AcqRel, Relaxed).is_ok();
        let seat = TABLE.iter().position(taken)?;
        let stored = shown != Shown::ToRead;
        let protection = if stored {
            libc::PROT_READ | libc::PROT_WRITE
        } else {
            libc::PROT_READ
        };
        // SAFETY: a new mapping at an address of the system's choice.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                protection,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                at as libc::off_t,
            )
        };
        let Some(memory) = NonNull::new(memory.cast::<u8>()).filter(|_| memory != libc::MAP_FAILED) else {
            TABLE[seat].start.store(FREE, Release);
            return None;
        };
        let leaves_children = shown == Shown::Counted;
        // SAFETY: what was just mapped. A child would keep the file open by it, and with the file its lock.
        if !leaves_children && unsafe { libc::madvise(memory.as_ptr().cast(), len, libc::MADV_DONTFORK) } != 0 {
            // SAFETY: as above; nobody has it yet.
            unsafe { libc::munmap(memory.as_ptr().cast(), len) };
            TABLE[seat].start.store(FREE, Release);
            return None;
        }
        TABLE[seat].broken.store(false, Relaxed);
        TABLE[seat].stored.store(stored, Relaxed);
        TABLE[seat].len.store(len, Relaxed);
        TABLE[seat].start.store(memory.as_ptr() as usize, Release);
        Some(Showing { memory, len, seat })
    }

    /// Where it lies in memory.
    pub fn memory(&self) -> NonNull<u8> {
        self.memory
    }

    /// Bytes that it shows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether a page of it could not be had (2).
    pub fn is_broken(&self) -> bool {
        // The handler marks it before it puts a page there. So whoever copied from or to that page, on whichever
        // thread, finds the mark, if he looks for it after what he copied.
        fence(Acquire);
        TABLE[self.seat].broken.load(Relaxed)
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        // First: what is mapped in its place from then on is somebody else's, and so is a signal from there.
        TABLE[self.seat].start.store(TAKEN, SeqCst);
        // SAFETY: it was mapped with this length, and nobody has a reference into it (1).
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.len) };
        TABLE[self.seat].start.store(FREE, Release);
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Window(Showing);

impl Window {
    /// Shows the first `len` bytes of a file; `None` where that cannot be had.
    pub fn open(fd: BorrowedFd<'_>, len: usize) -> Option<Window> {
        Showing::new(fd, 0, len, Shown::ToRead).map(Window)
    }

    /// Has the processor bring what is at `at` nearer, first of all where in memory it is. False: the window does not
    /// show it.
    pub fn ask(&self, at: u64) -> bool {
        let rest = (self.0.len() as u64).saturating_sub(at).min(ASKED as u64) as usize;
        // The place is not read, so it may be one that cannot be.
        ask_for(self.0.memory().as_ptr().wrapping_add(at as usize), rest);
        rest > 0
    }

    /// Makes a read by copying the file's bytes. False: the window does not show all of them, or is broken.
    pub fn copy(&self, read: &mut impl Reading) -> bool {
        let (at, len) = (read.at(), read.len());
        let inside = at.checked_add(len as u64).is_some_and(|end| end <= self.0.len() as u64);
        if !inside || self.0.is_broken() {
            return false;
        }
        // SAFETY: the range lies inside the mapping, and where the bytes go outside it. They may be changing (another
        // handle writes the file): they are only copied, and whoever reads a file judges them by a checksum.
        unsafe {
            let from = self.0.memory().as_ptr().add(at as usize);
            if len > ASKED {
                ask_for(from, len);
            }
            read.take(from);
        }
        !self.0.is_broken()
    }
}

/// Asks for all cache lines of a stretch of memory at once. A copy would ask for as many as it may have open, and its
/// last ones are for what comes behind.
#[inline]
fn ask_for(from: *const u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..len).step_by(64) {
        // SAFETY: a prefetch reads nothing, wherever it points.
        unsafe {
            use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
            _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(line).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, len);
}

/// Whether SIGBUS comes to us, after installing the handler if nobody did yet.
fn handles_signal() -> bool {
    // Nobody installs ours before this is known, so it is never ours that is found.
    BEFORE.get_or_init(|| {
        // SAFETY: plain calls; the structures are ours and are filled before they are used.
        unsafe {
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(PAGE);
            Box::new((current_action(), page.max(PAGE)))
        }
    });
    static INSTALLED: OnceBool = OnceBool::new();
    let installed = INSTALLED.get_or_init(|| {
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
    let (address, failed) = unsafe { ((*info).si_addr() as usize, (*info).si_code > 0) };
    if let Some(seat) = TABLE.iter().find(|seat| failed && seat.holds(address)) {
        seat.broken.store(true, SeqCst);
        let start = address / page * page;
        let protection = if seat.stored.load(Relaxed) {
            libc::PROT_READ | libc::PROT_WRITE
        } else {
            libc::PROT_READ
        };
        // SAFETY: the page lies in a window, which nobody reads or stores into but by a copy that will now count as
        // none (2).
        let emptied = unsafe {
            libc::mmap(
                start as *mut c_void,
                *page,
                protection,
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
    // installed again, and happens when the instruction that failed is done again. A signal that somebody sent has no
    // such instruction: it is sent once more, or ignored.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_IGN if !failed => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::sigaction(signal, before, std::ptr::null_mut());
                if !failed {
                    libc::raise(signal);
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    /// In a process of its own, where SIGBUS does what the first argument says before the first window is opened.
    fn signalled(action: &str) -> std::process::ExitStatus {
        Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "linux::window::tests::a_process_with_a_window"])
            .env("CICA_SIGBUS", action)
            .status()
            .expect("a process")
    }

    #[test]
    fn a_process_with_a_window() {
        let action = match std::env::var("CICA_SIGBUS").as_deref() {
            Ok("default") => libc::SIG_DFL,
            Ok("ignored") => libc::SIG_IGN,
            Ok("covered") => return in_a_process_with_another_handler(),
            _ => return,
        };
        // SAFETY: plain calls, in a process that does nothing else.
        unsafe { libc::signal(libc::SIGBUS, action) };
        let file = std::fs::File::open(std::env::current_exe().expect("this test")).expect("its file");
        let window = Window::open(file.as_fd(), PAGE).expect("a window");
        for _ in 0..2 {
            // SAFETY: as above.
            unsafe { libc::raise(libc::SIGBUS) };
        }
        let mut read = crate::ReadAt {
            at: 0,
            buf: &mut [0; 64],
            got: 0,
        };
        assert!(window.copy(&mut read));
        assert!(Window::open(file.as_fd(), PAGE).is_some(), "the handler is gone");
    }

    /// Invariant 4.
    fn in_a_process_with_another_handler() {
        let file = std::fs::File::open(std::env::current_exe().expect("this test")).expect("its file");
        let window = Window::open(file.as_fd(), PAGE).expect("a window");
        // SAFETY: a plain call, in a process that does nothing else.
        unsafe { libc::signal(libc::SIGBUS, libc::SIG_IGN) };
        assert!(Window::open(file.as_fd(), PAGE).is_none());
        drop(window);
    }

    #[test]
    fn no_window_is_opened_below_another_handler() {
        assert!(signalled("covered").success());
    }

    #[test]
    fn a_window_that_is_dropped_makes_room_for_another() {
        let file = std::fs::File::open(std::env::current_exe().expect("this test")).expect("its file");
        for n in 0..3 * SEATS {
            assert!(Window::open(file.as_fd(), PAGE).is_some(), "window {n}");
        }
    }

    #[test]
    fn what_a_window_shows_can_be_asked_for() {
        let file = std::fs::File::open(std::env::current_exe().expect("this test")).expect("its file");
        let window = Window::open(file.as_fd(), PAGE).expect("a window");
        assert!(window.ask(0) && window.ask(PAGE as u64 - 1));
        assert!(!window.ask(PAGE as u64) && !window.ask(u64::MAX));
    }

    #[test]
    fn a_signal_that_was_sent_does_what_it_did_before() {
        assert_eq!(signalled("default").signal(), Some(libc::SIGBUS));
        assert!(signalled("ignored").success());
    }
}
