//! The system's clocks that never go back: time since it began.
#![allow(unsafe_code)]

use std::time::Duration;

/// Exactly.
pub fn exact_time() -> Duration {
    shown(libc::CLOCK_MONOTONIC)
}

/// As of the last tick.
#[inline]
pub fn rough_time() -> Duration {
    shown(libc::CLOCK_MONOTONIC_COARSE)
}

#[inline]
fn shown(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills what it is given. It fails for clocks that are none, and the two above are.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // Neither is negative.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
