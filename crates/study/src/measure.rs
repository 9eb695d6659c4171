//! What a piece of work takes: elapsed time, CPU time of the process, and what is asked of the disk.

use crate::{while_doing, StudyError};
use cica_disk::{Clock, Counted, Counts, Disk, FileReader, LinuxDisk, Open, SystemClock};
use std::io::Read;
use std::path::{Path, PathBuf};

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

/// Bytes that came from the device, where the system tells it, and what was made.
pub type Fetched<T> = (Option<u64>, T);

/// Puts files out of the page cache, and does the work.
pub fn cold<T>(files: &[PathBuf], work: impl FnOnce() -> Result<T, StudyError>) -> Result<Fetched<T>, StudyError> {
    let disk = LinuxDisk::new();
    for path in files {
        let put_out = || {
            let file = disk.open(path, Open::default())?;
            file.sync()?;
            file.forget(0, file.size(None)?);
            Ok::<_, std::io::Error>(())
        };
        put_out().map_err(while_doing(&format!(
            "putting {} out of the page cache",
            path.display()
        )))?;
    }
    let before = fetched();
    let done = work()?;
    Ok((before.and_then(|before| Some(fetched()? - before)), done))
}

/// Bytes that this process had to wait for from a device so far.
fn fetched() -> Option<u64> {
    let mut text = String::new();
    let mut file = FileReader::plain(&LinuxDisk::new(), Path::new("/proc/self/io")).ok()?;
    file.read_to_string(&mut text).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("read_bytes:"))?;
    line.trim().parse().ok()
}

/// CPU time of this process so far, in nanoseconds.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// CPU time of this thread so far, in nanoseconds.
pub fn thread_cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Bytes that files take on the device.
pub fn stored(files: &[PathBuf]) -> Result<u64, StudyError> {
    let disk = LinuxDisk::new();
    let one = |path: &PathBuf| disk.open(path, Open::default())?.stored();
    let all = files.iter().map(one).sum::<Result<u64, std::io::Error>>();
    all.map_err(while_doing("looking how large files are"))
}

/// The one in the middle; 0 of none.
pub fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or_default()
}
