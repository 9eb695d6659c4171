//! Runs control cards: those of `cica idcams`, and those that other subcommands are in IDCAMS's words.

use crate::args::Global;
use crate::failure::{Failure, Status};
use crate::progress::Progress;
use crate::session::Session;
use cica_disk::Clock;
use cica_idcams::{run, Act, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_qsam::DdText;
use std::io::Write;

/// The time for headings, in UTC.
pub fn stamp(clock: &dyn Clock) -> Stamp {
    Stamp::from_unix(i64::try_from(clock.now() / 1_000_000_000).unwrap_or(i64::MAX))
}

/// What commands work with.
pub fn services(session: Session, dd: DdTable, mut progress: Progress) -> Services {
    Services {
        dd,
        progress: Box::new(move |records| progress.at(records)),
        ..Services::of(&session)
    }
}

/// Control cards made by a subcommand, and the files they name.
pub struct Job {
    cards: String,
    dd: DdTable,
    /// What its progress counts.
    unit: &'static str,
}

impl Job {
    /// No card yet.
    pub fn new() -> Job {
        Job {
            cards: String::new(),
            dd: DdTable::default(),
            unit: "records",
        }
    }

    /// Its progress counts what `unit` says, not records.
    pub fn counting(self, unit: &'static str) -> Job {
        Job { unit, ..self }
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
    /// done, warnings included, go to stderr.
    pub fn run(self, session: Session, global: &Global) -> Result<Status, Failure> {
        let mut listing = Vec::new();
        let stamp = stamp(&*session.clock);
        let mut services = services(session, self.dd, Progress::counting(self.unit, global));
        let mut sysprint = Sysprint::new(&mut listing, Style::Plain, stamp);
        let source = Source::of_program(&self.cards);
        let maxcc = run(source, &mut services as &mut dyn Act, &mut sysprint);
        // Dropped first, so that a line of progress is gone from the terminal.
        drop(services);
        for message in messages(&String::from_utf8_lossy(&listing)) {
            if message.is_trouble {
                crate::terminal::tell(&format!("cica: {}", message.text));
            } else if !global.quiet {
                writeln!(crate::terminal::stdout(), "{}", message.text)?;
            }
        }
        Ok(Status(maxcc))
    }
}

/// A message of a listing, on one line.
#[derive(Debug, PartialEq, Eq)]
struct Message {
    text: String,
    /// It comes with a condition code above 0.
    is_trouble: bool,
}

/// The messages of a listing; without those that only tell codes, and without the words of the cards.
fn messages(listing: &str) -> Vec<Message> {
    const CODES: [&str; 4] = ["IDC0001I", "IDC0002I", "IDC3003I", "IDC3202I"];
    let mut messages: Vec<Message> = Vec::new();
    let mut in_message = false;
    for line in listing.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        if let Some(entry) = cica_idcams::messages::find(first).filter(|entry| entry.id == first) {
            in_message = !CODES.contains(&first);
            if in_message {
                messages.push(Message {
                    text: line.to_owned(),
                    is_trouble: entry.cc > 0,
                });
            }
        } else if let (true, true, Some(last)) = (in_message, line.starts_with("         "), messages.last_mut()) {
            last.text.push(' ');
            last.text.push_str(line.trim_start());
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
        let found = messages(listing);
        let texts: Vec<&str> = found.iter().map(|m| m.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "IDC3012I ENTRY A.B NOT FOUND",
                "IDC3009I ** VSAM AND MORE",
                "IDC0005I NUMBER"
            ]
        );
        assert_eq!(
            found.iter().map(|m| m.is_trouble).collect::<Vec<_>>(),
            [true, true, false]
        );
    }
}
