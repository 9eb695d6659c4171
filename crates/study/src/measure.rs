//! What a piece of work takes: elapsed time, CPU time of the process, and what is asked of the disk.

use cica_disk::{Clock, Counted, Counts, LinuxDisk, SystemClock};

/// What it took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Took {
    /// Nanoseconds.
    pub elapsed: f64,
    /// Nanoseconds of all threads.
    pub cpu: f64,
    /// What was asked of the disk.
    pub disk: Counts,
}

impl Took {
    /// Bytes read and written.
    pub fn moved(&self) -> f64 {
        (self.disk.read_bytes + self.disk.write_bytes) as f64
    }
}

/// Does it, and says what it took.
pub fn measured<T, E>(disk: &Counted<LinuxDisk>, work: impl FnOnce() -> Result<T, E>) -> Result<(T, Took), E> {
    let before = (SystemClock.now(), cpu(), disk.counts());
    let done = work()?;
    let took = Took {
        elapsed: SystemClock.now().saturating_sub(before.0) as f64,
        cpu: cpu() - before.1,
        disk: disk.counts() - before.2,
    };
    Ok((done, took))
}

/// The same of work whose disk nobody counts.
pub fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, Took), E> {
    let before = (SystemClock.now(), cpu());
    let done = work()?;
    let took = Took {
        elapsed: SystemClock.now().saturating_sub(before.0) as f64,
        cpu: cpu() - before.1,
        ..Took::default()
    };
    Ok((done, took))
}

/// CPU time of this process so far, in nanoseconds.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The one in the middle; 0 of none.
pub fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or_default()
}
