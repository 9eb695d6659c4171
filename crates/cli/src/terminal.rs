//! Standard output and error, on which data do not steer the terminal.

use cica_disk::{has_no_input, has_no_output, visible, Visible};
use std::io::{self, BufRead, IsTerminal, Read, StdinLock, StdoutLock, Write};

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

/// Standard input, of which it is known whether there is one.
#[derive(Debug)]
pub struct Stdin(StdinLock<'static>);

/// Standard input.
pub fn stdin() -> Stdin {
    Stdin(io::stdin().lock())
}

impl Stdin {
    fn check(&self) -> io::Result<()> {
        if has_no_input() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "standard input is closed"));
        }
        Ok(())
    }
}

impl Read for Stdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.0.read(bytes)
    }
}

impl BufRead for Stdin {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.0.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.0.consume(bytes);
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
