//! A signal that comes while a call waits for a record: its handler runs, and the call ends with EINTR, as waits of the
//! system do. One that was set up with SA_RESTART lets the call go on waiting.
//!
//! * E1. While a call waits its thread takes signals at one place alone, where it has nothing: so each that comes is
//!   seen, and a handler may leave the call by `siglongjmp`.

use std::mem::MaybeUninit;

/// Signals that a fault of the thread itself raises are never held back.
const OF_FAULTS: [libc::c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
];

/// Signals of this thread are held back until it is dropped.
pub struct SignalsHeld {
    /// What was held back before.
    before: libc::sigset_t,
}

impl SignalsHeld {
    /// From now on.
    pub fn begin() -> SignalsHeld {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both sets are this function's, and the calls fill them before they are looked at.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for signal in OF_FAULTS {
                libc::sigdelset(all.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            SignalsHeld {
                before: before.assume_init(),
            }
        }
    }

    /// Lets the handlers of what has come run, and of nothing else. True: one of them ends the wait.
    pub fn take(&self) -> bool {
        let (mut come, mut held) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both sets are this function's, and filled before they are looked at.
        let (come, mut held) = unsafe {
            libc::sigemptyset(come.as_mut_ptr());
            libc::sigpending(come.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), held.as_mut_ptr());
            (come.assume_init(), held.assume_init())
        };
        let mut ends = false;
        for signal in (1..=libc::SIGRTMAX()).filter(|signal| self.is_due(&come, *signal)) {
            // SAFETY: the set is filled, and the number is one of a signal.
            unsafe { libc::sigdelset(&mut held, signal) };
            ends |= ends_waits(signal);
        }
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: there are no descriptors to look at, and time and mask are there while it looks.
        let looked = unsafe { libc::ppoll(std::ptr::null_mut(), 0, &now, &held) };
        // With nothing to look at it fails for a handler that has run, and for nothing else.
        looked < 0 && ends
    }

    /// Has it come, and is it let in where the call began?
    fn is_due(&self, come: &libc::sigset_t, signal: libc::c_int) -> bool {
        // SAFETY: both sets are filled, and the number is one of a signal.
        unsafe { libc::sigismember(come, signal) == 1 && libc::sigismember(&self.before, signal) == 0 }
    }
}

/// Has it a handler, and one that ends waits?
fn ends_waits(signal: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the action is asked for and not changed; zeros are one too.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    let has_handler = action.sa_sigaction != libc::SIG_IGN && action.sa_sigaction != libc::SIG_DFL;
    has_handler && action.sa_flags & libc::SA_RESTART == 0
}

impl Drop for SignalsHeld {
    fn drop(&mut self) {
        // SAFETY: the set is the one that was there before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}
