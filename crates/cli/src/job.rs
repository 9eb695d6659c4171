//! Runs control cards: those of `cica idcams`, and those that other subcommands are in IDCAMS's words.

use crate::args::Global;
use crate::failure::{Failure, Status};
use crate::progress::Progress;
use crate::session::Session;
use cica_disk::Clock;
use cica_idcams::run::run_with_parm;
use cica_idcams::{Act, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_qsam::DdText;
use std::io::{self, Write};

/// The time for headings, in UTC.
pub fn stamp(clock: &dyn Clock) -> Stamp {
    Stamp::from_unix(i64::try_from(clock.now() / 1_000_000_000).unwrap_or(i64::MAX))
}

/// What commands work with.
pub fn services(session: Session, dd: DdTable, global: &Global) -> Services {
    let mut progress = Progress::new(global);
    Services {
        disk: session.disk,
        clock: session.clock,
        catalog: session.catalog,
        engine: session.engine,
        dd,
        progress: Box::new(move |records| progress.at(records)),
    }
}

/// Control cards made by a subcommand, and the files they name.
pub struct Job {
    cards: String,
    dd: DdTable,
}

impl Job {
    /// No card yet.
    pub fn new() -> Job {
        Job {
            cards: String::new(),
            dd: DdTable::default(),
        }
    }

    /// Adds a command.
    pub fn card(mut self, card: &str) -> Job {
        self.cards.push_str(card);
        self.cards.push('\n');
        self
    }

    /// Adds a DD statement.
    pub fn dd(mut self, name: &str, text: DdText) -> Job {
        self.dd.insert(name, text);
        self
    }

    /// Runs the cards. Messages about what was done go to stdout unless the user wants none; those about what was not
    /// done go to stderr.
    pub fn run(self, session: Session, global: &Global) -> Result<Status, Failure> {
        let mut listing = Vec::new();
        let stamp = stamp(&*session.clock);
        let mut services = services(session, self.dd, global);
        let mut sysprint = Sysprint::new(&mut listing, Style::Plain, stamp);
        let source = Source::from_text(&self.cards);
        let maxcc = run_with_parm("MARGINS(1 4096)", source, &mut services as &mut dyn Act, &mut sysprint);
        // Dropped first, so that a line of progress is gone from the terminal.
        drop(services);
        let messages = messages(&String::from_utf8_lossy(&listing));
        if maxcc >= Status::REFUSED.0 {
            messages.iter().for_each(|message| eprintln!("cica: {message}"));
        } else if !global.quiet {
            let mut out = io::stdout().lock();
            messages.iter().try_for_each(|message| writeln!(out, "{message}"))?;
        }
        Ok(Status(maxcc))
    }
}

/// The messages of a listing, each on one line; without those that only tell codes and the words of the cards.
fn messages(listing: &str) -> Vec<String> {
    const CODES: [&str; 4] = ["IDC0001I", "IDC0002I", "IDC3003I", "IDC3202I"];
    let mut messages: Vec<String> = Vec::new();
    let mut in_message = false;
    for line in listing.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        if cica_idcams::messages::find(first).is_some_and(|entry| entry.id == first) {
            in_message = !CODES.contains(&first);
            if in_message {
                messages.push(line.to_owned());
            }
        } else if let (true, true, Some(last)) = (in_message, line.starts_with("         "), messages.last_mut()) {
            last.push(' ');
            last.push_str(line.trim_start());
        } else {
            in_message = false;
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_out_of_a_listing() {
        let listing =
            "IDCAMS  SYSTEM SERVICES\n\n DELETE A.B\n\nIDC3012I ENTRY A.B NOT FOUND\nIDC3009I ** VSAM\n          AND \
                       MORE\n\nIDC0001I FUNCTION COMPLETED\nIDC0005I NUMBER\n";
        assert_eq!(
            messages(listing),
            [
                "IDC3012I ENTRY A.B NOT FOUND",
                "IDC3009I ** VSAM AND MORE",
                "IDC0005I NUMBER"
            ]
        );
    }
}
