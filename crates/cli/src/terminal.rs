//! Standard output and error, on which data do not steer the terminal.

use cica_disk::{visible, Visible};
use std::io::{IsTerminal, StdoutLock, Write};

/// Standard output.
pub fn stdout() -> Visible<StdoutLock<'static>> {
    Visible::new(std::io::stdout().lock())
}

/// A text that others have written, as a part of a line: control characters are dots.
pub fn in_a_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '.' } else { c }).collect()
}

/// Writes a line to standard error.
pub fn tell(line: &str) {
    let mut err = std::io::stderr().lock();
    let text = if err.is_terminal() {
        format!("{}\n", visible(line))
    } else {
        format!("{line}\n")
    };
    // Whoever read it may have gone, and there is nobody else to tell. The work goes on.
    let _ = write!(err, "{text}");
}
