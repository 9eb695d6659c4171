//! One who waits for a name, and the reasons for which a name is had.

use super::LockMode;
use crate::sync::{Condvar, Mutex};
use std::time::Duration;

/// A reason to have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    String,
    Unit,
    Locked,
    Shared,
}

impl Reason {
    pub fn mode(self) -> LockMode {
        if self == Reason::Shared {
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
    bell: Condvar,
}

impl Waiter {
    pub fn new(owner: u64, reason: Reason, since: Duration) -> Waiter {
        Waiter {
            owner,
            reason,
            since,
            granted: Mutex::new(false),
            bell: Condvar::default(),
        }
    }

    /// The name is his. The stripe is kept.
    pub fn grant(&self) {
        *self.granted.lock() = true;
        self.bell.notify_all();
    }

    /// Waits. A time that is too long to be waited for is none.
    pub fn wait(&self, longest: Option<Duration>) {
        let mut granted = self.granted.lock();
        match longest.filter(|_| crate::sync::TIME_PASSES) {
            // A bell without a grant is none: what is left of the time is little, and a timeout looks again.
            Some(longest) if !*granted => wait_for(&self.bell, &mut granted, longest),
            Some(_) => {}
            None => {
                while !*granted {
                    self.bell.wait(&mut granted);
                }
            }
        }
    }
}

#[cfg(not(cica_schedules))]
fn wait_for(bell: &Condvar, granted: &mut crate::sync::MutexGuard<'_, bool>, longest: Duration) {
    // Whether the time is over is seen by the flag alone.
    bell.wait_while_for(granted, |granted| !*granted, longest);
}

#[cfg(cica_schedules)]
fn wait_for(bell: &Condvar, granted: &mut crate::sync::MutexGuard<'_, bool>, _: Duration) {
    bell.wait(granted);
}
