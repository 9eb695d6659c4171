//! SYSIN: records, margins, and where each character stands.
//!
//! z/OS reads columns 2 to 72 of each record. Here a line of a text file is a record of whatever length, and the same
//! margins hold, so that decks with sequence numbers in 73-80 and decks written for z/OS mean the same. A deck in
//! fixed records of 80 bytes without line ends is taken as it comes off a card image.
//!
//! 1. A record keeps its text unchanged; margins only select columns, so a [`Pos`] always is what an editor shows.
//! 2. PARM MARGINS takes effect with the next record read.

use crate::pos::Pos;
use std::collections::VecDeque;

/// Columns that are read, both inclusive, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margins {
    /// First column read.
    pub left: u32,
    /// Last column read.
    pub right: u32,
}

impl Default for Margins {
    fn default() -> Self {
        Margins { left: 2, right: 72 }
    }
}

/// One record of SYSIN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Record number, from 1.
    pub line: u32,
    /// The text as it was, without its line end.
    pub text: String,
}

/// The control cards, read record by record.
#[derive(Debug, Clone)]
pub struct Source {
    records: VecDeque<Record>,
    /// Columns read from the next record on.
    pub margins: Margins,
}

/// Length of a card.
const CARD: usize = 80;

impl Source {
    /// Control cards from text, one record per line. A record `/*` in columns 1 and 2 with nothing after it ends the
    /// input, as it would in a job stream.
    pub fn from_text(text: &str) -> Source {
        Source::from_lines(text.lines().map(str::to_owned).collect())
    }

    /// Control cards that a program writes: every column is read, so that no text is cut, however long a name or path
    /// is.
    pub fn of_program(text: &str) -> Source {
        let margins = Margins {
            left: 1,
            right: u32::MAX,
        };
        Source {
            margins,
            ..Source::from_text(text)
        }
    }

    /// Control cards from a file's bytes: text lines, or card images (a multiple of 80 bytes without a line end).
    /// Bytes that are not UTF-8 are of ISO 8859-1, where the sign of NOT is what it is on z/OS.
    pub fn from_bytes(bytes: &[u8]) -> Source {
        let is_utf8 = std::str::from_utf8(bytes).is_ok();
        let text = |bytes: &[u8]| -> String {
            if is_utf8 {
                String::from_utf8_lossy(bytes).into_owned()
            } else {
                bytes.iter().map(|byte| char::from(*byte)).collect()
            }
        };
        let cards = bytes.len() > CARD && bytes.len() % CARD == 0 && !bytes.contains(&b'\n');
        if cards {
            Source::from_lines(bytes.chunks(CARD).map(text).collect())
        } else {
            Source::from_text(&text(bytes))
        }
    }

    fn from_lines(lines: Vec<String>) -> Source {
        let records = lines
            .into_iter()
            .take_while(|text| text.trim_end() != "/*")
            .zip(1..)
            .map(|(text, line)| Record { line, text })
            .collect();
        Source {
            records,
            margins: Margins::default(),
        }
    }

    /// The next record, or `None` at the end.
    pub fn next_record(&mut self) -> Option<Record> {
        self.records.pop_front()
    }

    /// Takes the records up to and with the first that contains `text`, if one of the next `limit` does.
    pub fn take_through(&mut self, text: &str, limit: usize) -> Vec<Record> {
        let found = self.records.iter().take(limit).position(|r| r.text.contains(text));
        self.records.drain(..found.map_or(0, |i| i + 1)).collect()
    }
}

impl Record {
    /// The characters between the margins, each with its place. Tabs and other control characters count as blanks.
    pub fn chars(&self, margins: Margins) -> Vec<(char, Pos)> {
        (1..)
            .zip(self.text.chars())
            .skip_while(|(column, _)| *column < margins.left)
            .take_while(|(column, _)| *column <= margins.right)
            .map(|(column, c)| (if c.is_control() { ' ' } else { c }, Pos::new(self.line, column)))
            .collect()
    }

    /// Is there something left of the margins?
    pub fn has_text_left(&self, margins: Margins) -> bool {
        self.text
            .chars()
            .take(margins.left.saturating_sub(1) as usize)
            .any(|c| !c.is_whitespace())
    }

    /// Is there something right of the margins that is not the sequence number of a card? Columns 73-80 hold one,
    /// letters and digits, unless a word runs into them across the margin.
    pub fn has_text_right(&self, margins: Margins) -> bool {
        let last = self.text.chars().nth(margins.right as usize - 1).unwrap_or(' ');
        let outside: Vec<char> = self.text.chars().skip(margins.right as usize).collect();
        let straddles = !matches!(last, ' ' | '-' | '+') && outside.first().is_some_and(|c| *c != ' ');
        let length = outside.iter().rposition(|c| !c.is_whitespace()).map_or(0, |i| i + 1);
        let sequence = margins.right == 72
            && length <= CARD - 72
            && outside[..length].iter().all(|c| c.is_ascii_alphanumeric() || *c == ' ');
        length > 0 && (straddles || !sequence)
    }
}
