//! [`Visible`]: what goes to a terminal, without what would steer the terminal.
//!
//! Data of a data set, names, owners and keys are bytes of anybody. A terminal takes some for commands: to move, to
//! change its title or its keys, to answer as if somebody typed. They are shown as text there: `\x1B`. In pipes and
//! files everything is as it is.

use std::io::{self, IsTerminal, Write};

/// A writer that shows control characters as text where it leads to a terminal.
#[derive(Debug)]
pub struct Visible<W: Write> {
    to: W,
    terminal: bool,
    /// The beginning of a character whose end has not come.
    begun: Vec<u8>,
}

impl<W: Write + IsTerminal> Visible<W> {
    /// One that knows by itself whether it leads to a terminal.
    pub fn new(to: W) -> Visible<W> {
        let terminal = to.is_terminal();
        Visible::of(to, terminal)
    }
}

impl<W: Write> Visible<W> {
    /// One that is told.
    pub fn of(to: W, terminal: bool) -> Visible<W> {
        Visible {
            to,
            terminal,
            begun: Vec::new(),
        }
    }
}

/// A text with its control characters shown.
pub fn visible(text: &str) -> String {
    let mut shown = String::new();
    show(text, &mut shown);
    shown
}

fn show(text: &str, shown: &mut String) {
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            // Those that turn the direction of what follows make it look like something else.
            '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                shown.push_str(&format!("\\u{{{:04X}}}", u32::from(c)));
            }
            c if c.is_control() => shown.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => shown.push(c),
        }
    }
}

/// Shows what is whole of some bytes; returns how many are left because their character has no end yet.
fn show_bytes(bytes: &[u8], shown: &mut String) -> usize {
    for chunk in bytes.utf8_chunks() {
        show(chunk.valid(), shown);
        let rest = chunk.invalid();
        let unended = matches!(std::str::from_utf8(rest), Err(error) if error.error_len().is_none());
        let is_last = std::ptr::eq(bytes.as_ptr_range().end, rest.as_ptr_range().end);
        if !rest.is_empty() && unended && is_last {
            return rest.len();
        }
        rest.iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02X}")));
    }
    0
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.terminal {
            return self.to.write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        let mut shown = String::new();
        let left = show_bytes(&self.begun, &mut shown);
        self.begun.drain(..self.begun.len() - left);
        self.to.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<W: Write> Drop for Visible<W> {
    fn drop(&mut self) {
        let rest: String = self.begun.iter().map(|byte| format!("\\x{byte:02X}")).collect();
        // Whoever wants to know has flushed.
        let _ = self.to.write_all(rest.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]], terminal: bool) -> Vec<u8> {
        let mut to = Vec::new();
        let mut out = Visible::of(&mut to, terminal);
        for piece in pieces {
            out.write_all(piece).expect("a write");
        }
        drop(out);
        to
    }

    #[test]
    fn a_terminal_is_not_steered() {
        let text = |pieces: &[&[u8]]| String::from_utf8(shown(pieces, true)).expect("text");
        for (bytes, expected) in [
            (&b"plain\ttext\n"[..], "plain\ttext\n"),
            (b"\x1b[2J\x07\r\x7f\0", "\\x1B[2J\\x07\\x0D\\x7F\\x00"),
            (b"\xc2\x9b2J", "\\x9B2J"),
            (b"\x9b2J\xff", "\\x9B2J\\xFF"),
            ("\u{e4}\u{20ac}\u{1f600}".as_bytes(), "\u{e4}\u{20ac}\u{1f600}"),
            ("A\u{202e}B".as_bytes(), "A\\u{202E}B"),
            (b"\xe2\x82", "\\xE2\\x82"),
            (b"\xe2\x82A", "\\xE2\\x82A"),
        ] {
            assert_eq!(text(&[bytes]), expected);
            for cut in 0..bytes.len() {
                assert_eq!(text(&[&bytes[..cut], &bytes[cut..]]), expected, "cut at {cut}");
            }
            assert_eq!(shown(&[bytes], false), bytes, "as it is elsewhere");
        }
        assert_eq!(visible("a\u{1b}b"), "a\\x1Bb");
    }
}
