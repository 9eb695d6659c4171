//! Data description entries.

use super::picture::Picture;
use super::source::Word;
use crate::error::CopybookError;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Line of its level number.
    pub line: usize,
    /// 1 to 49.
    pub level: u8,
    /// In upper case; FILLER where it has none.
    pub name: String,
    /// REDEFINES.
    pub redefines: Option<String>,
    /// PICTURE.
    pub picture: Option<Picture>,
    /// USAGE, its own.
    pub usage: Option<Usage>,
    /// SIGN, its own.
    pub sign: Option<Sign>,
    /// OCCURS.
    pub occurs: Option<Occurs>,
    /// SYNCHRONIZED.
    pub synchronized: bool,
}

/// USAGE, by what a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// DISPLAY.
    Display,
    /// COMP, COMP-4, COMP-5, BINARY: 2, 4 or 8 bytes by the digits.
    Binary,
    /// COMP-3, PACKED-DECIMAL.
    Packed,
    /// COMP-6: packed, without a sign.
    PackedUnsigned,
    /// COMP-X: as many bytes as the digits need, or the X has.
    BinaryShort,
    /// So many bytes, whatever PICTURE says.
    Bytes(u8),
}

/// SIGN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// LEADING.
    pub leading: bool,
    /// SEPARATE.
    pub separate: bool,
}

/// OCCURS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurs {
    /// At most so many times.
    pub times: usize,
    /// DEPENDING ON.
    pub depending: bool,
}

/// All entries of a copybook; levels 66 (RENAMES) and 88 (condition names) have no place in a record and are left out.
pub fn items(words: &[Word<'_>]) -> Result<Vec<Item>, CopybookError> {
    let mut items = Vec::new();
    for entry in words.split_inclusive(Word::is_period) {
        let Some((period, entry)) = entry.split_last() else {
            continue;
        };
        if !period.is_period() {
            let line = entry.first().unwrap_or(period).line;
            return Err(CopybookError::at(line, "the entry has no period at its end"));
        }
        let Some(first) = entry.first() else { continue };
        match first.text.parse::<u8>() {
            Ok(66 | 88) => {}
            Ok(level @ 1..=49) => items.push(EntryWords::of(entry).item(level)?),
            Ok(77) => items.push(EntryWords::of(entry).item(1)?),
            _ => {
                let word = &first.text;
                let reason = format!("'{word}' is no level number; a copybook here has data description entries only");
                return Err(CopybookError::at(first.line, reason));
            }
        }
    }
    if items.is_empty() {
        Err(CopybookError::at(0, "it has no data description entry"))
    } else {
        Ok(items)
    }
}

/// The words of one entry that are not yet read.
struct EntryWords<'a> {
    line: usize,
    name: String,
    rest: &'a [Word<'a>],
}

/// The words that a clause may begin with.
const CLAUSES: &[&str] = &[
    "PIC",
    "PICTURE",
    "USAGE",
    "OCCURS",
    "REDEFINES",
    "SIGN",
    "LEADING",
    "TRAILING",
    "SYNC",
    "SYNCHRONIZED",
    "JUST",
    "JUSTIFIED",
    "BLANK",
    "VALUE",
    "VALUES",
    "EXTERNAL",
    "GLOBAL",
    "INDEXED",
    "ASCENDING",
    "DESCENDING",
];

impl<'a> EntryWords<'a> {
    fn of(words: &'a [Word<'a>]) -> EntryWords<'a> {
        EntryWords {
            line: words.first().map_or(0, |word| word.line),
            name: "FILLER".into(),
            rest: words.get(1..).unwrap_or_default(),
        }
    }

    fn peek(&self) -> String {
        self.rest
            .first()
            .map(|word| word.text.to_ascii_uppercase())
            .unwrap_or_default()
    }

    fn next(&mut self) -> String {
        let word = self.peek();
        self.rest = self.rest.get(1..).unwrap_or_default();
        word
    }

    /// Passes one of these words, if it is next.
    fn pass(&mut self, words: &[&str]) -> bool {
        let is = words.contains(&self.peek().as_str());
        if is {
            self.next();
        }
        is
    }

    /// Passes all words up to the next clause.
    fn pass_clause(&mut self) {
        let begins = |word: &Word<'_>| {
            let upper = word.text.to_ascii_uppercase();
            CLAUSES.contains(&upper.as_str()) || usage(&upper).is_some()
        };
        while self.rest.first().is_some_and(|word| !begins(word)) {
            self.next();
        }
    }

    fn wrong<T>(&self, reason: impl std::fmt::Display) -> Result<T, CopybookError> {
        Err(CopybookError::at(self.line, format!("{}: {reason}", self.name)))
    }

    fn item(mut self, level: u8) -> Result<Item, CopybookError> {
        let first = self.peek();
        let named = !first.is_empty() && !CLAUSES.contains(&first.as_str()) && usage(&first).is_none();
        if named {
            self.name = self.next();
        }
        let mut item = Item {
            line: self.line,
            level,
            name: self.name.clone(),
            redefines: None,
            picture: None,
            usage: None,
            sign: None,
            occurs: None,
            synchronized: false,
        };
        while !self.rest.is_empty() {
            self.clause(&mut item)?;
        }
        Ok(item)
    }

    fn clause(&mut self, item: &mut Item) -> Result<(), CopybookError> {
        let word = self.next();
        match word.as_str() {
            "PIC" | "PICTURE" => {
                self.pass(&["IS"]);
                let text = self.next();
                match Picture::parse(&text) {
                    Ok(picture) => item.picture = Some(picture),
                    Err(reason) => return self.wrong(reason),
                }
            }
            "USAGE" => {
                self.pass(&["IS"]);
                let word = self.next();
                item.usage = Some(self.usage(&word)?);
            }
            "OCCURS" => item.occurs = Some(self.occurs()?),
            "REDEFINES" => item.redefines = Some(self.next()),
            "SIGN" => {
                self.pass(&["IS"]);
                let word = self.next();
                item.sign = Some(self.sign(&word)?);
            }
            "LEADING" | "TRAILING" => item.sign = Some(self.sign(&word)?),
            "SYNC" | "SYNCHRONIZED" => {
                self.pass(&["LEFT", "RIGHT"]);
                item.synchronized = true;
            }
            "JUST" | "JUSTIFIED" => {
                self.pass(&["RIGHT"]);
            }
            "BLANK" => {
                self.pass(&["WHEN"]);
                if !self.pass(&["ZERO", "ZEROS", "ZEROES"]) {
                    return self.wrong("BLANK is not followed by ZERO");
                }
            }
            // A value says nothing of the layout, and may be several words.
            "VALUE" | "VALUES" | "INDEXED" | "ASCENDING" | "DESCENDING" => self.pass_clause(),
            // SIGNED and UNSIGNED follow BINARY-LONG and the like.
            "IS" | "EXTERNAL" | "GLOBAL" | "SIGNED" | "UNSIGNED" => {}
            _ => item.usage = Some(self.usage(&word)?),
        }
        Ok(())
    }

    fn usage(&self, word: &str) -> Result<Usage, CopybookError> {
        match (usage(word), word) {
            (Some(Some(usage)), _) => Ok(usage),
            (Some(None), _) => self.wrong(format!(
                "USAGE {word} is neither text of one byte a character nor a number"
            )),
            (None, "") => self.wrong("USAGE is not followed by a word"),
            (None, _) => self.wrong(format!("'{word}' is no clause known here")),
        }
    }

    fn sign(&mut self, word: &str) -> Result<Sign, CopybookError> {
        let leading = match word {
            "LEADING" => true,
            "TRAILING" => false,
            _ => return self.wrong("SIGN is followed by neither LEADING nor TRAILING"),
        };
        let separate = self.pass(&["SEPARATE"]);
        self.pass(&["CHARACTER"]);
        Ok(Sign { leading, separate })
    }

    fn occurs(&mut self) -> Result<Occurs, CopybookError> {
        let mut times = self.times()?;
        if self.pass(&["TO"]) {
            times = self.times()?;
        }
        self.pass(&["TIMES"]);
        let depending = self.pass(&["DEPENDING"]);
        if depending {
            self.pass(&["ON"]);
            self.next();
            self.pass_clause();
        }
        Ok(Occurs { times, depending })
    }

    fn times(&mut self) -> Result<usize, CopybookError> {
        let word = self.next();
        match word.parse() {
            Ok(times) => Ok(times),
            Err(_) => self.wrong(format!("OCCURS '{word}' is no number")),
        }
    }
}

/// What a word of USAGE means: none when it is no such word, `Some(None)` when it has no place in a record of bytes and
/// one-byte characters.
fn usage(word: &str) -> Option<Option<Usage>> {
    let word = word
        .strip_prefix("COMPUTATIONAL")
        .map_or_else(|| word.to_string(), |kind| format!("COMP{kind}"));
    Some(Some(match word.as_str() {
        "DISPLAY" => Usage::Display,
        "COMP" | "COMP-4" | "COMP-5" | "BINARY" => Usage::Binary,
        "COMP-3" | "PACKED-DECIMAL" => Usage::Packed,
        "COMP-6" => Usage::PackedUnsigned,
        "COMP-X" => Usage::BinaryShort,
        "BINARY-CHAR" => Usage::Bytes(1),
        "BINARY-SHORT" => Usage::Bytes(2),
        "COMP-1" | "INDEX" | "BINARY-LONG" | "BINARY-INT" | "FLOAT-SHORT" => Usage::Bytes(4),
        "COMP-2" | "POINTER" | "PROCEDURE-POINTER" | "FUNCTION-POINTER" | "PROGRAM-POINTER" | "BINARY-DOUBLE"
        | "BINARY-LONG-LONG" | "FLOAT-LONG" => Usage::Bytes(8),
        "NATIONAL" | "DISPLAY-1" | "UTF-8" | "OBJECT" => return Some(None),
        _ => return None,
    }))
}
