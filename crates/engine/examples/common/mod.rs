//! What the examples share: numbers at random, records, and the clock of the processor.
#![allow(dead_code, reason = "each example uses some of them")]

use rustix::time::{clock_gettime, ClockId};
use std::time::Duration;

/// Numbers at random, the same in each run (xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Processor time of all threads so far.
pub fn process_time() -> Duration {
    time_of(ClockId::ProcessCPUTime)
}

/// Processor time of this thread so far.
pub fn thread_time() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
