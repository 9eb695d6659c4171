//! Standard output and error, on which data do not steer the terminal.

use cica_disk::{visible, Visible};
use std::io::{IsTerminal, StdoutLock};

/// Standard output.
pub fn stdout() -> Visible<StdoutLock<'static>> {
    Visible::new(std::io::stdout().lock())
}

/// Writes a line to standard error.
pub fn tell(line: &str) {
    match std::io::stderr().is_terminal() {
        true => eprintln!("{}", visible(line)),
        false => eprintln!("{line}"),
    }
}
