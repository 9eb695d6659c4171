//! What the numbers were measured on.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use crate::json::Json;
use crate::peer::Result;
use crate::report::median;

/// Processor, kernel and load, for the head of a report.
pub fn describe() -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or(0, |count| count.get());
    vec![
        (
            "processor",
            field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into()),
        ),
        ("cores", cores.to_string()),
        (
            "memory",
            field("/proc/meminfo", "MemTotal").unwrap_or_else(|| "unknown".into()),
        ),
        ("kernel", kernel()),
        ("load average", load()),
    ]
}

/// The same as JSON.
pub fn describe_json() -> Json {
    Json::Map(
        describe()
            .into_iter()
            .map(|(name, value)| (name.replace(' ', "_"), Json::text(value)))
            .collect(),
    )
}

/// Load averages over 1, 5 and 15 minutes; above the number of cores, wall times say little.
pub fn load() -> String {
    first_words("/proc/loadavg", 3)
}

/// Microseconds to overwrite 4 KiB of a file and wait until the device has it (median of 200). Durable commits
/// cannot be faster than this, except together.
pub fn flush_us(dir: &Path) -> Result<f64> {
    let file = dir.join("flush");
    let measure = || -> std::io::Result<Vec<f64>> {
        let target = File::create(&file)?;
        target.write_all_at(&[1; 4096], 0)?;
        target.sync_all()?;
        let once = || {
            let start = Instant::now();
            target.write_all_at(&[2; 4096], 0)?;
            target.sync_data()?;
            Ok(start.elapsed().as_nanos() as f64 / 1e3)
        };
        let times = (0..200).map(|_| once()).collect();
        fs::remove_file(&file)?;
        times
    };
    measure()
        .map(median)
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The version without what a distribution or a provider appends.
fn kernel() -> String {
    let release = first_words("/proc/sys/kernel/osrelease", 1);
    release.split('-').next().unwrap_or_default().to_string()
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn first_words(file: &str, count: usize) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}
