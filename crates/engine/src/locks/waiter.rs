//! One who waits for a name, and the reasons for which a name is had.

use super::LockMode;
use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::{Condvar, Mutex};
use std::time::Duration;

/// A reason to have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    String,
    Unit,
    Locked,
    Shared,
    /// As long as it takes to see that a record may be read.
    Reading,
}

impl Reason {
    pub fn mode(self) -> LockMode {
        if matches!(self, Reason::Shared | Reason::Reading) {
            LockMode::Shared
        } else {
            LockMode::Exclusive
        }
    }
}

/// One who waits.
pub(super) struct Waiter {
    pub owner: u64,
    pub reason: Reason,
    /// When it came.
    pub since: Duration,
    pub granted: Mutex<bool>,
    /// The owner waits no longer.
    dismissed: AtomicBool,
    bell: Condvar,
}

impl Waiter {
    pub fn new(owner: u64, reason: Reason, since: Duration) -> Waiter {
        Waiter {
            owner,
            reason,
            since,
            granted: Mutex::new(false),
            dismissed: AtomicBool::new(false),
            bell: Condvar::default(),
        }
    }

    /// The name is his. The stripe is kept.
    pub fn grant(&self) {
        *self.granted.lock() = true;
        self.bell.notify_all();
    }

    /// The wait is over, whether the name is his or not.
    pub fn dismiss(&self) {
        let _granted = self.granted.lock();
        self.dismissed.store(true, Relaxed);
        self.bell.notify_all();
    }

    /// Waits. A time that is too long to be waited for is none.
    pub fn wait(&self, longest: Option<Duration>) {
        let mut granted = self.granted.lock();
        match longest.filter(|_| crate::sync::TIME_PASSES) {
            // A bell without a grant is none: what is left of the time is little, and a timeout looks again.
            Some(longest) if !*granted => wait_for(self, &mut granted, longest),
            Some(_) => {}
            None => {
                while !*granted && !self.dismissed.load(Relaxed) {
                    self.bell.wait(&mut granted);
                }
            }
        }
    }
}

#[cfg(not(cica_schedules))]
fn wait_for(waiter: &Waiter, granted: &mut crate::sync::MutexGuard<'_, bool>, longest: Duration) {
    // Whether the time is over is seen by the flag alone.
    let waits = |granted: &mut bool| !*granted && !waiter.dismissed.load(Relaxed);
    waiter.bell.wait_while_for(granted, waits, longest);
}

#[cfg(cica_schedules)]
fn wait_for(waiter: &Waiter, granted: &mut crate::sync::MutexGuard<'_, bool>, _: Duration) {
    waiter.bell.wait(granted);
}
