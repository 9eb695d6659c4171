//! Has a function carried out for a subcommand, and tells what came of it.
//!
//! Messages about what was done go to stdout unless the user wants none; those about what was not done, warnings
//! included, go to stderr.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::progress::Progress;
use crate::session::Session;
use cica_admin::dd::DdTable;
use cica_admin::{Outcome, Services};
use cica_messages::Message;
use std::io::{self, Write};

/// What functions work with.
pub fn services(session: Session, dd: DdTable, mut progress: Progress) -> Services {
    Services {
        dd,
        progress: Box::new(move |records| progress.at(records)),
        ..Services::of(&session)
    }
}

/// Has `functions` carried out, whose progress counts records.
pub fn work(
    session: Session,
    global: &Global,
    functions: impl FnOnce(&mut Services) -> Outcome,
) -> Result<Status, Failure> {
    counting("records", session, global, functions)
}

/// The same, with progress that counts what `unit` says.
pub fn counting(
    unit: &'static str,
    session: Session,
    global: &Global,
    functions: impl FnOnce(&mut Services) -> Outcome,
) -> Result<Status, Failure> {
    let mut services = services(session, DdTable::default(), Progress::counting(unit, global));
    let outcome = functions(&mut services);
    // Dropped first, so that a line of progress is gone from the terminal.
    drop(services);
    let mut status = Status(outcome.condition);
    let mut writes = !global.quiet;
    for message in &outcome.messages {
        if let Err(error) = tell(message, writes) {
            // What was not done is told on stderr all the same.
            writes = false;
            status = status.with_output(Err(error));
        }
    }
    Ok(status)
}

fn tell(message: &Message, on_stdout: bool) -> io::Result<()> {
    // What a file or a catalog says may hold characters that steer a terminal.
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = message.to_string().chars().map(shown).collect();
    if message.entry.cc > 0 {
        crate::terminal::tell(&format!("cica: {text}"));
    } else if on_stdout {
        writeln!(crate::terminal::stdout(), "{text}")?;
    }
    Ok(())
}
