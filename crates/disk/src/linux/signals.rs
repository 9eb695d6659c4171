//! Signals held off a thread, and off the threads that it starts meanwhile; and one that ends nothing any more.
#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;

/// Until it is dropped, which its own thread does, that thread takes no signals.
pub struct HeldSignals {
    before: libc::sigset_t,
    /// Masks are threads'.
    _not_sent: std::marker::PhantomData<*const ()>,
}

/// Holds all signals off this thread. Those that come for the process are another thread's, or wait.
pub fn hold_signals() -> HeldSignals {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::zeroed());
    // SAFETY: both sets are ours, and filled before they are used; zeros are a set.
    let before = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    };
    HeldSignals {
        before,
        _not_sent: std::marker::PhantomData,
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        // SAFETY: the set that was there before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

impl std::fmt::Debug for HeldSignals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HeldSignals")
    }
}

/// Signals that ask a process to end.
const ENDING: [libc::c_int; 3] = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];

/// From now on a signal that ends the process has `clean` run before: by a thread, so that it may do what it likes
/// while others work. Signals that are ignored stay so. For who owns the process and has no other threads yet.
///
/// # Errors
/// The system has no thread for it.
pub fn clean_before_signals_end(clean: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut ending = MaybeUninit::uninit();
    // SAFETY: the set is ours and emptied before it is used; what a signal does now is written to a place of ours.
    let ending = unsafe {
        libc::sigemptyset(ending.as_mut_ptr());
        for signal in ENDING {
            let mut now = MaybeUninit::<libc::sigaction>::zeroed();
            let known = libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) == 0;
            if known && now.assume_init().sa_sigaction != libc::SIG_IGN {
                libc::sigaddset(ending.as_mut_ptr(), signal);
            }
        }
        ending.assume_init()
    };
    // SAFETY: the set is whole. Threads that are made from now on hold these signals off as well.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &ending, std::ptr::null_mut()) };
    let wait = move || {
        let mut signal = 0;
        // SAFETY: as above.
        while unsafe { libc::sigwait(&ending, &mut signal) } != 0 {}
        clean();
        // SAFETY: the signal does what it does where nobody says otherwise, to this thread: it ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &ending, std::ptr::null_mut());
            libc::raise(signal);
        }
    };
    let thread = std::thread::Builder::new().name("cica-signals".into());
    thread.spawn(wait).map(drop)
}

/// From now on a write beyond RLIMIT_FSIZE is answered (EFBIG), and ends this process no more by SIGXFSZ: for who owns
/// the process, as signals are.
pub fn survive_file_size_limit() {
    // SAFETY: no handler of anybody's runs.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
