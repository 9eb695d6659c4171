//! What the numbers were measured on.

use std::fs;

use crate::json::Json;

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
        ("kernel", first_words("/proc/sys/kernel/osrelease", 1)),
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

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn first_words(file: &str, count: usize) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}
