//! A place in the control cards.

use std::fmt;

/// Line and column of a character, both counted from 1 as an editor counts them; (0, 0) means "no place"
/// (a value that came from the PARM field of EXEC, not from SYSIN).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Pos {
    /// Record number in SYSIN.
    pub line: u32,
    /// Character column in the record; column 1 is the first, whatever the margins are.
    pub column: u32,
}

impl Pos {
    /// The place at `line` and `column`.
    pub const fn new(line: u32, column: u32) -> Self {
        Pos { line, column }
    }
}

impl fmt::Display for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "PARM COLUMN {}", self.column),
            line => write!(f, "LINE {line} COLUMN {}", self.column),
        }
    }
}
