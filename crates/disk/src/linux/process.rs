//! What the system says of a process: when it started, and how much processor time it has had.

use std::io;

/// Ticks of a second in what the system says of processes, the same on every machine.
const TICKS: u64 = 100;
const SECOND: u64 = 1_000_000_000;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessTimes {
    /// Nanoseconds since 1970 of its start, to a hundredth of a second.
    pub started: u64,
    /// Nanoseconds of processor time, of the program's and of the system's for it, to a hundredth of a second.
    pub cpu: u64,
}

impl ProcessTimes {
    /// Of the process with this number, if it is `now` so many nanoseconds after 1970.
    ///
    /// # Errors
    /// There is none, or the system does not show it.
    pub fn of(pid: u32, now: u64) -> io::Result<ProcessTimes> {
        let stat = std::fs::read(format!("/proc/{pid}/stat"))?;
        let uptime = std::fs::read_to_string("/proc/uptime")?;
        parse(&stat, &uptime, now).ok_or_else(|| io::Error::other(format!("/proc/{pid}/stat says something else")))
    }
}

fn parse(stat: &[u8], uptime: &str, now: u64) -> Option<ProcessTimes> {
    // The program's name may have blanks and parentheses of its own; behind the last one there are numbers. The system
    // cuts the name after 15 bytes, which may be in the middle of a character.
    let behind = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let fields: Vec<&str> = std::str::from_utf8(&stat[behind..])
        .ok()?
        .split_ascii_whitespace()
        .collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let (user, system, start) = (ticks(11)?, ticks(12)?, ticks(19)?);
    let (seconds, hundredths) = uptime.split_ascii_whitespace().next()?.split_once('.')?;
    let up = seconds
        .parse::<u64>()
        .ok()?
        .checked_mul(TICKS)?
        .checked_add(hundredths.parse().ok()?)?;
    let nanoseconds = |ticks: u64| ticks.saturating_mul(SECOND / TICKS);
    Some(ProcessTimes {
        started: now.saturating_sub(nanoseconds(up.saturating_sub(start))),
        cpu: nanoseconds(user.saturating_add(system)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, SystemClock};

    #[test]
    fn numbers_are_looked_for_behind_the_name() {
        let stat = "7 (a) S 1 (b) R 1 7 7 0 -1 4194304 1 2 3 4 150 25 8 9 20 0 1 0 9000 1000 20";
        let times = parse(stat.as_bytes(), "100.50 1.0\n", 1_000 * SECOND);
        let expected = ProcessTimes {
            started: 1_000 * SECOND - 10_500_000_000,
            cpu: 1_750_000_000,
        };
        assert_eq!(times, Some(expected));
        // A name in German, of which 15 bytes are kept.
        let (_, numbers) = stat.rsplit_once(')').expect("a name");
        let cut = [b"7 (L\xC3\xB6hne und Geh\xC3)", numbers.as_bytes()].concat();
        assert_eq!(parse(&cut, "100.50 1.0\n", 1_000 * SECOND), Some(expected));
        for (stat, uptime) in [
            ("", "1.00"),
            ("7 (a) S 1", "1.00"),
            (stat, ""),
            (stat, "x.y"),
            (stat, "5"),
        ] {
            assert_eq!(parse(stat.as_bytes(), uptime, 0), None, "{stat} {uptime}");
        }
    }

    #[test]
    fn this_process_started_before_now() {
        let now = SystemClock.now();
        let times = ProcessTimes::of(std::process::id(), now).expect("times");
        assert!(times.started <= now && now - times.started < 3600 * SECOND);
        assert!(ProcessTimes::of(u32::MAX, now).is_err());
    }
}
