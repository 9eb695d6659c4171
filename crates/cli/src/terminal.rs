//! Standard output and error, on which data do not steer the terminal.

use cica_disk::{visible, Visible};
use std::io::{IsTerminal, StdoutLock};

/// Standard output.
pub fn stdout() -> Visible<StdoutLock<'static>> {
    Visible::new(std::io::stdout().lock())
}

/// Writes a line to standard error.
pub fn tell(line: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("{}", visible(line))
    } else {
        eprintln!("{line}")
    }
}
