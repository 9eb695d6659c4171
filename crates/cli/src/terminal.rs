//! Standard output and error, on which data do not steer the terminal.

use cica_disk::{has_no_output, visible, Visible};
use std::io::{self, IsTerminal, StdoutLock, Write};

/// Standard output.
pub fn stdout() -> Visible<Stdout> {
    let stdout = io::stdout().lock();
    let is_terminal = stdout.is_terminal();
    Visible::of(Stdout(stdout), is_terminal)
}

/// Standard output, of which it is known whether there is one.
#[derive(Debug)]
pub struct Stdout(StdoutLock<'static>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if has_no_output() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "standard output is closed"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
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
