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

    /// Lets the handlers of what has come run. True: one of them ends the wait.
    pub fn take(&self) -> bool {
        let restarts = self.all_restart();
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: there are no descriptors to look at, and time and mask are there while it looks.
        let looked = unsafe { libc::ppoll(std::ptr::null_mut(), 0, &now, &self.before) };
        // With nothing to look at it fails for a handler that has run, and for nothing else.
        looked < 0 && !restarts
    }

    /// Something has come, and the handlers of all of it let a call go on.
    fn all_restart(&self) -> bool {
        let mut come = MaybeUninit::uninit();
        // SAFETY: the set is this function's; a failed call leaves it as it is, and it is not looked at then.
        let come = unsafe {
            if libc::sigpending(come.as_mut_ptr()) != 0 {
                return false;
            }
            come.assume_init()
        };
        let (mut any, mut all) = (false, true);
        for signal in 1..=libc::SIGRTMAX() {
            // SAFETY: both sets are filled, and the number is one of a signal.
            let is_due =
                unsafe { libc::sigismember(&come, signal) == 1 && libc::sigismember(&self.before, signal) == 0 };
            if !is_due {
                continue;
            }
            let mut action = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: the action is asked for and not changed; zeros are one too.
            let action = unsafe {
                libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
                action.assume_init()
            };
            if action.sa_sigaction != libc::SIG_IGN {
                any = true;
                all &= action.sa_flags & libc::SA_RESTART != 0;
            }
        }
        any && all
    }
}

impl Drop for SignalsHeld {
    fn drop(&mut self) {
        // SAFETY: the set is the one that was there before.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}
