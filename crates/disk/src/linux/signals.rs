//! Signals held off a thread, and off the threads that it starts meanwhile; and one that ends nothing any more.
#![allow(unsafe_code)]

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

/// From now on a write beyond RLIMIT_FSIZE is answered (EFBIG), and ends this process no more by SIGXFSZ: for who owns
/// the process, as signals are.
pub fn survive_file_size_limit() {
    // SAFETY: no handler of anybody's runs.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
