//! Tells how far long work has come: nothing for the first quarter of a second, then one line on a terminal that is
//! written over, or a line each ten seconds where `--progress` asked for it and stderr is no terminal.

use crate::global::Global;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work shorter than this goes untold.
const PATIENCE: Duration = Duration::from_millis(250);
/// Between two looks of a person.
const ON_TERMINAL: Duration = Duration::from_millis(200);
/// Between two lines of a log.
const IN_LOG: Duration = Duration::from_secs(10);
/// Looking at the clock for each record would cost more than some requests do.
const RECORDS_PER_LOOK: u64 = 1024;

enum Where {
    Nowhere,
    Terminal,
    Log,
}

/// The progress of one piece of work.
pub struct Progress {
    /// What is counted, such as "records".
    unit: &'static str,
    to: Where,
    begun: Instant,
    /// When it was last told of.
    told: Option<Instant>,
    next_look: u64,
    /// A line stands on the terminal.
    shown: bool,
}

impl Progress {
    /// Work on records begins now.
    pub fn new(global: &Global) -> Progress {
        Progress::counting("records", global)
    }

    /// Work on what `unit` says begins now.
    pub fn counting(unit: &'static str, global: &Global) -> Progress {
        let to = match (global.quiet, std::io::stderr().is_terminal(), global.progress) {
            (true, ..) => Where::Nowhere,
            (false, true, _) => Where::Terminal,
            (false, false, true) => Where::Log,
            (false, false, false) => Where::Nowhere,
        };
        Progress {
            unit,
            to,
            begun: Instant::now(),
            told: None,
            next_look: RECORDS_PER_LOOK,
            shown: false,
        }
    }

    /// `records` are done.
    #[inline]
    pub fn at(&mut self, records: u64) {
        if records == 1 {
            self.begin();
        }
        if records >= self.next_look {
            self.next_look = records + RECORDS_PER_LOOK;
            self.look(records);
        }
    }

    /// Another piece of work: a command of a job counts from 1 again.
    fn begin(&mut self) {
        self.begun = Instant::now();
        self.told = None;
        self.next_look = RECORDS_PER_LOOK;
    }

    fn look(&mut self, records: u64) {
        let now = Instant::now();
        let (since, pause) = match (self.told, &self.to) {
            (Some(told), Where::Log) => (told, IN_LOG),
            (Some(told), _) => (told, ON_TERMINAL),
            (None, Where::Log) => (self.begun, IN_LOG),
            (None, _) => (self.begun, PATIENCE),
        };
        if now - since < pause {
            return;
        }
        self.told = Some(now);
        let text = line(records, self.unit, now - self.begun);
        match self.to {
            Where::Nowhere => {}
            Where::Log => eprintln!("cica: {text}"),
            Where::Terminal => {
                // The line is a courtesy: when it cannot be written the work goes on.
                let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
                self.shown = true;
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            // A courtesy, as above.
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(count: u64, unit: &str, time: Duration) -> String {
    let rate = count as f64 / time.as_secs_f64().max(0.001);
    format!("{} {unit}, {} per second", grouped(count), grouped(rate as u64))
}

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_in_threes() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn the_line_tells_count_and_rate() {
        assert_eq!(
            line(3_000_000, "records", Duration::from_secs(2)),
            "3,000,000 records, 1,500,000 per second"
        );
    }
}
