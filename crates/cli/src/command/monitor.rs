//! `cica monitor`: what runs now, in the terminal, as text or JSON, and for a browser and Prometheus.

mod metrics;
mod serve;
mod view;

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use cica_counters::{running, Seen, DIRECTORY};
use clap::Args;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Show what runs: data sets, pools, locks
#[derive(Debug, Args)]
#[command(after_help = "\
Data sets have the columns of RMF's RLSDS, pools those of RLSLRU. A rate is of the time since the
screen before; at first, and with --once, counts are shown instead.

Examples:
  cica monitor
  cica monitor --once
  cica monitor --listen 9100        (then http://HOST:9100/ and /metrics)")]
pub struct Options {
    /// Print once, as text
    #[arg(long)]
    once: bool,
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

/// What is looked at.
struct Watched {
    session: Session,
    directory: PathBuf,
}

impl Watched {
    fn look(&self) -> Seen {
        running(&*self.session.disk, &self.directory)
    }
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let directory = session.catalog.directory().join(DIRECTORY);
    let watched = Watched { session, directory };
    let mut out = crate::terminal::stdout();
    if let Some(listen) = &options.listen {
        return serve::run(&watched, listen);
    }
    if options.json {
        writeln!(out, "{:#}", view::json(&watched.look()))?;
        return Ok(Status::DONE);
    }
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    let columns = if columns == 0 { options.columns.into() } else { columns };
    if options.once || !std::io::stdout().is_terminal() {
        out.write_all(view::text(&watched.look(), None, columns).as_bytes())?;
        return Ok(Status::DONE);
    }
    let (mut before, every) = (None, Duration::from_secs(options.every));
    loop {
        let seen = watched.look();
        let screen = view::text(&seen, before.as_ref().map(|seen| (seen, options.every)), columns);
        // The screen is cleared by us; what data sets are called goes through as text.
        let mut terminal = std::io::stdout();
        write!(terminal, "\x1b[H\x1b[2J")?;
        terminal.flush()?;
        out.write_all(screen.as_bytes())?;
        writeln!(out, "\nCtrl-C ends it")?;
        out.flush()?;
        std::thread::sleep(every);
        before = Some(seen);
    }
}
