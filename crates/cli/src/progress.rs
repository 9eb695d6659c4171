//! Tells how far long work has come: nothing for the first quarter of a second, then one line on a terminal that is
//! written over, or a line each ten seconds where `--progress` asked for it and stderr is no terminal.

use crate::global::Global;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Work shorter than this goes untold.
const PATIENCE: Duration = Duration::from_millis(250);
/// Looks of a person in a second.
const ON_TERMINAL: u8 = 5;
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
    /// When the log last had a line.
    logged: Instant,
    next_look: u64,
    /// The line on the terminal, once there is one.
    bar: Option<ProgressBar>,
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
            logged: Instant::now(),
            next_look: RECORDS_PER_LOOK,
            bar: None,
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
        (self.begun, self.logged) = (Instant::now(), Instant::now());
        self.next_look = RECORDS_PER_LOOK;
        self.clear();
    }

    fn look(&mut self, records: u64) {
        match self.to {
            Where::Nowhere => {}
            Where::Log if self.logged.elapsed() >= IN_LOG => {
                self.logged = Instant::now();
                let line = line(records, self.unit, self.begun.elapsed());
                crate::terminal::tell(&format!("cica: {line}"));
            }
            Where::Terminal if self.bar.is_some() || self.begun.elapsed() >= PATIENCE => {
                let bar = self
                    .bar
                    .get_or_insert_with(|| on_terminal(self.unit, self.begun.elapsed()));
                bar.set_position(records);
            }
            _ => {}
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A line on the terminal for work that began so long ago.
fn on_terminal(unit: &'static str, elapsed: Duration) -> ProgressBar {
    let words = move |state: &ProgressState, text: &mut dyn Write| {
        // A line of progress is a courtesy: what cannot be written is left out.
        let _ = text.write_str(&line(state.pos(), unit, state.elapsed()));
    };
    let style = ProgressStyle::default_spinner().with_key("line", words);
    let target = ProgressDrawTarget::stderr_with_hz(ON_TERMINAL);
    let bar = ProgressBar::with_draw_target(None, target).with_elapsed(elapsed);
    // The template is a constant; were it wrong, the bar would have its own.
    match style.template("{line}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn line(count: u64, unit: &str, time: Duration) -> String {
    let rate = count as f64 / time.as_secs_f64().max(0.001);
    format!("{} {unit}, {} per second", HumanCount(count), HumanCount(rate as u64))
}

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
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
