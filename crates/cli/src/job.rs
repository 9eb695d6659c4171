//! Runs control cards: those of `cica idcams`, and those that other subcommands are in IDCAMS's words.

use crate::failure::{Failure, Status};
use crate::global::Global;
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
        let stamp = stamp(&*session.clock);
        let mut services = services(session, self.dd, Progress::counting(self.unit, global));
        let mut nowhere = std::io::sink();
        let mut sysprint = Sysprint::new(&mut nowhere, Style::Plain, stamp).with_messages();
        let source = Source::of_program(&self.cards);
        let maxcc = run(source, &mut services as &mut dyn Act, &mut sysprint);
        let said = sysprint.into_messages();
        // Dropped first, so that a line of progress is gone from the terminal.
        drop(services);
        for message in said {
            if message.entry.is_some_and(|entry| entry.cc > 0) {
                crate::terminal::tell(&format!("cica: {}", message.text));
            } else if !global.quiet {
                writeln!(crate::terminal::stdout(), "{}", message.text)?;
            }
        }
        Ok(Status(maxcc))
    }
}
