//! Several messages in one input.
//!
//! ```text
//! 0  1  what is special about it
//! 1  2  length of the body, little-endian
//! 3     the body; the next message follows
//! ```

/// A message of a script.
pub struct Line<'b> {
    pub what: u8,
    pub body: &'b [u8],
}

/// The messages in these bytes. A body that would end behind them ends with them.
pub struct Lines<'b>(pub &'b [u8]);

impl<'b> Iterator for Lines<'b> {
    type Item = Line<'b>;

    fn next(&mut self) -> Option<Line<'b>> {
        let (&[what, low, high], rest) = self.0.split_first_chunk()?;
        let length = usize::from(u16::from_le_bytes([low, high]));
        let (body, rest) = rest.split_at(length.min(rest.len()));
        self.0 = rest;
        Some(Line { what, body })
    }
}

/// Puts a message behind others.
pub fn push(script: &mut Vec<u8>, what: u8, body: &[u8]) {
    script.push(what);
    script.extend((body.len() as u16).to_le_bytes());
    script.extend(body);
}
