//! Counts the system calls of a command with `strace -c -f`.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::json::Json;
use crate::peer::Result;

/// Calls by name, most frequent first.
#[derive(Debug, PartialEq, Eq)]
pub struct Calls(Vec<(String, u64)>);

/// Runs `command` under strace; `None` where strace is not installed.
pub fn count(report: &Path, command: &mut Command) -> Result<Option<Calls>> {
    let mut traced = Command::new("strace");
    traced.args(["-c", "-f", "-o"].map(OsStr::new)).arg(report);
    traced
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    match traced.status() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot start strace: {error}")),
        Ok(status) if !status.success() => return Err("the step failed under strace".into()),
        Ok(_) => {}
    }
    let text = fs::read_to_string(report).map_err(|error| format!("cannot read {}: {error}", report.display()))?;
    Ok(Some(parse(&text)))
}

/// Reads strace's summary: share, seconds, microseconds per call, calls, errors (may be blank), name.
fn parse(summary: &str) -> Calls {
    let mut calls: Vec<(String, u64)> = summary
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let name = *words.last()?;
            let count = words.get(3)?.parse().ok()?;
            (name != "total").then(|| (name.to_string(), count))
        })
        .collect();
    calls.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Calls(calls)
}

impl Calls {
    fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The total, and the four most frequent calls.
    pub fn summary(&self) -> (String, String) {
        let most: Vec<String> = self
            .0
            .iter()
            .take(4)
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        (self.total().to_string(), most.join(", "))
    }

    /// All counts.
    pub fn to_json(&self) -> Json {
        let total = [("total".to_string(), Json::whole(self.total()))];
        Json::Map(
            total
                .into_iter()
                .chain(self.0.iter().map(|(name, n)| (name.clone(), Json::whole(*n))))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_is_read_with_and_without_errors() {
        let calls = parse(
            "% time     seconds  usecs/call     calls    errors syscall\n\
             ------ ----------- ----------- --------- --------- ----------------\n\
             \x2060.00    0.000120           1       120           pread64\n\
             \x2040.00    0.000080           2        40         3 openat\n\
             ------ ----------- ----------- --------- --------- ----------------\n\
             100.00    0.000200           1       160         3 total\n",
        );
        assert_eq!(calls, Calls(vec![("pread64".into(), 120), ("openat".into(), 40)]));
        assert_eq!(calls.summary(), ("160".into(), "pread64 120, openat 40".into()));
    }
}
