//! `cica monitor`: what runs now, in the terminal, as text or JSON, and for a browser and Prometheus.

mod address;
mod clients;
mod metrics;
mod overview;
mod request;
mod serve;
mod table;
mod view;

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use clap::Args;
use overview::Overview;
use std::io::{IsTerminal, Write};
use std::time::Duration;
use table::short;
use view::View;

/// Show what runs: storage classes, data sets, pools, volumes, jobs, locks
#[derive(Debug, Args)]
#[command(after_help = "\
Storage classes have the columns of RMF's RLSSC, data sets those of RLSDS, pools those of RLSLRU: their
mode is the one in which an LRU would let go of pages of this age. A rate is of the time since the screen
before; at first, and with --once, counts are shown instead. Where the terminal is narrow the less
important columns are left out.

Examples:
  cica monitor
  cica monitor --once
  cica monitor --view rlslru
  cica monitor --listen 9100        (then http://HOST:9100/ and /metrics)")]
pub struct Options {
    /// Print once, as text
    #[arg(long)]
    once: bool,
    /// Show one part of it; JSON and /metrics have all
    #[arg(long, value_enum, default_value_t = View::All, conflicts_with_all = ["json", "listen"])]
    view: View,
    /// Print once, as JSON
    #[arg(long, conflicts_with = "listen")]
    json: bool,
    /// Serve OpenMetrics at /metrics and a web page at /; a port alone is of this machine's own address
    #[arg(long, value_name = "[ADDRESS:]PORT", conflicts_with = "once")]
    listen: Option<String>,
    /// Seconds between screens
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
    /// Columns, where the terminal does not say
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u16).range(20..=500))]
    columns: u16,
}

impl Options {
    /// Columns and lines that the terminal has now; 0 lines: it does not say.
    fn window(&self) -> (usize, usize) {
        let size = rustix::termios::tcgetwinsize(std::io::stdout());
        match size.map_or((0, 0), |size| (size.ws_col, size.ws_row)) {
            (0, _) => (self.columns.into(), 0),
            (columns, rows) => (columns.into(), rows.into()),
        }
    }
}

/// The screen in a window of so many lines: its beginning stays in sight, and how much is missing is said.
fn in_window(screen: &str, (columns, rows): (usize, usize)) -> String {
    let lines: Vec<&str> = screen.trim_end().lines().collect();
    // Behind it are an empty line, the last one, and the cursor's.
    let room = if rows == 0 {
        lines.len()
    } else {
        rows.saturating_sub(3).max(1)
    };
    let hints = match lines.len().saturating_sub(room) {
        0 => vec!["Ctrl-C ends it".to_owned()],
        // The first that fits.
        more => vec![
            format!("{more} more lines: a taller window, or --view; Ctrl-C ends it"),
            format!("{more} more lines: --view; Ctrl-C ends it"),
            format!("{more} more lines: --view"),
            format!("{more} more"),
        ],
    };
    let fits = hints.iter().find(|hint| hint.len() <= columns);
    let end = fits.or(hints.last()).map_or("", String::as_str);
    let shown = lines[..lines.len().min(room)].join("\n");
    format!("{shown}\n\n{}\n", short(end, columns))
}

/// What is looked at.
struct Watched {
    session: Session,
}

impl Watched {
    fn look(&self, steps: bool) -> Overview {
        Overview::now(&self.session, steps)
    }
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let watched = Watched { session };
    let mut out = crate::terminal::stdout();
    if let Some(listen) = &options.listen {
        return serve::run(&watched, listen);
    }
    if options.json {
        writeln!(out, "{:#}", view::json(&watched.look(true)))?;
        return Ok(Status::DONE);
    }
    let steps = matches!(options.view, View::All | View::Jobs);
    if options.once || !std::io::stdout().is_terminal() {
        let screen = view::text(&watched.look(steps), None, options.view, options.window().0);
        out.write_all(screen.as_bytes())?;
        return Ok(Status::DONE);
    }
    let (mut before, every) = (None, Duration::from_secs(options.every));
    loop {
        let seen = watched.look(steps);
        // The window may have become another size since the screen before.
        let window = options.window();
        let screen = view::text(&seen, before.as_ref(), options.view, window.0);
        // The screen is cleared by us; what data sets are called goes through as text.
        let mut terminal = std::io::stdout();
        write!(terminal, "\x1b[H\x1b[2J")?;
        terminal.flush()?;
        out.write_all(in_window(&screen, window).as_bytes())?;
        out.flush()?;
        std::thread::sleep(every);
        before = Some(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_stays_in_sight() {
        let screen = "\nONE\n1\n\nTWO\n2\n";
        let all = "\nONE\n1\n\nTWO\n2\n\nCtrl-C ends it\n";
        assert_eq!(in_window(screen, (80, 0)), all);
        assert_eq!(in_window(screen, (80, 9)), all);
        let cut = in_window(screen, (80, 6));
        assert_eq!(
            cut,
            "\nONE\n1\n\n3 more lines: a taller window, or --view; Ctrl-C ends it\n"
        );
        assert!(cut.lines().count() < 6);
        for (columns, hint) in [
            (50, "3 more lines: --view; Ctrl-C ends it"),
            (40, "3 more lines: --view; Ctrl-C ends it"),
            (30, "3 more lines: --view"),
            (10, "3 more"),
        ] {
            assert_eq!(in_window(screen, (columns, 6)).lines().last(), Some(hint));
        }
        assert_eq!(in_window(screen, (7, 1)).lines().count(), 3);
    }
}
