//! The text of a DD: `FILE[,RECFM=FB,LRECL=200,BLKSIZE=27800,CODEPAGE=1047,BDW=NO,DISP=MOD]`.
//!
//! The file name ends at the first comma; one with commas or blanks at its ends is put in apostrophes, an apostrophe
//! in it doubled. Keys and values may be in lower case, blanks around them do not count, the order is free, a key
//! comes once. Without RECFM the file is text lines, and LRECL bounds the length of a line.

use std::fmt;

use crate::codepage::{CodePage, CodePageError};
use crate::format::{AttributeError, Attributes, Bdw};
use crate::nearest::nearest;
use crate::recfm::RecordFormat;

/// A parsed DD text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DdText {
    /// The file or data set name, as written.
    pub target: String,
    /// What is stated about the file, the defaults otherwise.
    pub attributes: Attributes,
    /// Whether the text stated any attribute; a VSAM data set, which knows its own, should have none.
    pub attributes_stated: bool,
    /// DISP=MOD: what is written goes behind what the file has. OLD and SHR begin it anew, as no DISP does.
    pub behind: bool,
}

const KEYS: [&str; 5] = ["RECFM", "LRECL", "BLKSIZE", "CODEPAGE", "BDW"];
/// The same of a DD statement. DISP is no attribute of the file.
const STATEMENT_KEYS: [&str; 6] = ["RECFM", "LRECL", "BLKSIZE", "CODEPAGE", "BDW", DISP];
const DISP: &str = "DISP";

impl DdText {
    /// Parses a file and its attributes.
    pub fn parse(text: &str) -> Result<DdText, DdError> {
        DdText::of(text, &KEYS)
    }

    /// Parses what stands behind `NAME=` of a DD statement, which has DISP too.
    pub fn parse_statement(text: &str) -> Result<DdText, DdError> {
        DdText::of(text, &STATEMENT_KEYS)
    }

    fn of(text: &str, keys: &[&'static str]) -> Result<DdText, DdError> {
        let (target, rest) = target(text)?;
        let mut stated: Vec<Stated> = Vec::new();
        let mut attributes = Attributes::default();
        let mut behind = false;
        for piece in rest {
            let option = Stated::parse(piece, keys, &stated)?;
            if option.key == DISP {
                behind = option.is_mod()?;
            } else {
                option.set(&mut attributes)?;
            }
            stated.push(option);
        }
        attributes.check().map_err(|problem| {
            // The key at fault may be one that was not stated (RECFM=F,BLKSIZE=0); then the file name is pointed at.
            let column = stated
                .iter()
                .find(|option| option.key == problem.key())
                .map_or(1, |option| option.value.column);
            DdError {
                column,
                problem: DdProblem::Attributes(problem),
            }
        })?;
        Ok(DdText {
            target,
            attributes,
            attributes_stated: stated.iter().any(|option| option.key != DISP),
            behind,
        })
    }
}

/// The attributes as a DD states them, `RECFM=FB,LRECL=80`; nothing for text lines of any length.
impl fmt::Display for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stated = Vec::new();
        if self.recfm != RecordFormat::default() {
            stated.push(format!("RECFM={}", self.recfm));
        }
        for (key, length) in [("LRECL", self.lrecl), ("BLKSIZE", self.blksize)] {
            if length > 0 {
                stated.push(format!("{key}={length}"));
            }
        }
        if let Some(page) = self.codepage {
            stated.push(format!("CODEPAGE={}", page.ccsid()));
        }
        match self.bdw {
            Bdw::Auto => {}
            Bdw::Yes => stated.push("BDW=YES".to_owned()),
            Bdw::No => stated.push("BDW=NO".to_owned()),
        }
        f.write_str(&stated.join(","))
    }
}

/// A stretch of the text and where it begins, in characters counted from 1.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    column: usize,
}

impl<'a> Piece<'a> {
    fn trimmed(self) -> Piece<'a> {
        let text = self.text.trim_start();
        let blanks = self.text.chars().count() - text.chars().count();
        Piece {
            text: text.trim_end(),
            column: self.column + blanks,
        }
    }

    fn error<T>(self, problem: DdProblem) -> Result<T, DdError> {
        Err(DdError {
            column: self.column,
            problem,
        })
    }
}

/// The file name, and the options behind it.
fn target(text: &str) -> Result<(String, Vec<Piece<'_>>), DdError> {
    let start = Piece { text, column: 1 }.trimmed();
    let (target, rest) = match start.text.strip_prefix('\'') {
        Some(quoted) => unquote(quoted, start)?,
        None => {
            let end = start.text.find(',').unwrap_or(start.text.len());
            (start.text[..end].trim_end().to_owned(), &start.text[end..])
        }
    };
    if target.is_empty() {
        return start.error(DdProblem::NoTarget);
    }
    let column_of = |rest: &str| start.column + start.text.chars().count() - rest.chars().count();
    let Some(mut rest) = rest.strip_prefix(',') else {
        return Ok((target, Vec::new()));
    };
    let mut pieces = Vec::new();
    while let Some((piece, next)) = rest.split_once(',') {
        pieces.push(Piece {
            text: piece,
            column: column_of(rest),
        });
        rest = next;
    }
    pieces.push(Piece {
        text: rest,
        column: column_of(rest),
    });
    Ok((target, pieces))
}

/// The name in apostrophes whose first one is already taken, and what follows it (nothing, or from a comma on).
fn unquote<'a>(quoted: &'a str, start: Piece<'a>) -> Result<(String, &'a str), DdError> {
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let Some((part, behind)) = rest.split_once('\'') else {
            return start.error(DdProblem::Unclosed);
        };
        name.push_str(part);
        match behind.strip_prefix('\'') {
            Some(doubled) => {
                name.push('\'');
                rest = doubled;
            }
            None => {
                let follows = behind.trim_start();
                if follows.is_empty() || follows.starts_with(',') {
                    return Ok((name, follows));
                }
                let column = start.column + start.text.chars().count() - follows.chars().count();
                return Err(DdError {
                    column,
                    problem: DdProblem::NoComma,
                });
            }
        }
    }
}

/// One `KEY=value`.
struct Stated<'a> {
    key: &'static str,
    value: Piece<'a>,
}

impl<'a> Stated<'a> {
    fn parse(piece: Piece<'a>, keys: &[&'static str], before: &[Stated<'_>]) -> Result<Stated<'a>, DdError> {
        let whole = piece.trimmed();
        if whole.text.is_empty() {
            return whole.error(DdProblem::EmptyOption);
        }
        let (word, value) = whole.text.split_once('=').unwrap_or((whole.text, ""));
        let upper = word.trim().to_ascii_uppercase();
        let Some(key) = keys.iter().copied().find(|key| *key == upper) else {
            let near = nearest(&upper, keys);
            let known = keys.join(", ");
            return whole.error(DdProblem::UnknownKey {
                key: word.trim().to_owned(),
                near,
                known,
            });
        };
        if before.iter().any(|option| option.key == key) {
            return whole.error(DdProblem::KeyTwice { key });
        }
        let behind_sign = whole.column + word.chars().count() + 1;
        let value = Piece {
            text: value,
            column: behind_sign,
        }
        .trimmed();
        if value.text.is_empty() {
            return whole.error(DdProblem::NoValue { key });
        }
        Ok(Stated { key, value })
    }

    fn set(&self, attributes: &mut Attributes) -> Result<(), DdError> {
        match self.key {
            "RECFM" => attributes.recfm = self.recfm()?,
            "LRECL" => attributes.lrecl = self.length()?,
            "BLKSIZE" => attributes.blksize = self.length()?,
            "CODEPAGE" => match CodePage::parse(self.value.text) {
                Ok(page) => attributes.codepage = Some(page),
                Err(problem) => return self.value.error(DdProblem::CodePage(problem)),
            },
            _ => attributes.bdw = self.bdw()?,
        }
        Ok(())
    }

    fn is_mod(&self) -> Result<bool, DdError> {
        match self.value.text.to_ascii_uppercase().as_str() {
            "MOD" => Ok(true),
            "OLD" | "SHR" => Ok(false),
            _ => self.value.error(DdProblem::Disposition {
                value: self.value.text.to_owned(),
            }),
        }
    }

    fn recfm(&self) -> Result<RecordFormat, DdError> {
        match RecordFormat::parse(self.value.text) {
            Some(recfm) => Ok(recfm),
            None => self.value.error(DdProblem::UnknownRecfm {
                value: self.value.text.to_owned(),
            }),
        }
    }

    fn length(&self) -> Result<u32, DdError> {
        // JCL's way to say "no limit", for spanned records.
        if self.key == "LRECL" && self.value.text.eq_ignore_ascii_case("X") {
            return Ok(0);
        }
        let digits_only = self.value.text.bytes().all(|byte| byte.is_ascii_digit());
        match self.value.text.parse() {
            Ok(length) if digits_only => Ok(length),
            _ => self.value.error(DdProblem::NotALength {
                key: self.key,
                value: self.value.text.to_owned(),
            }),
        }
    }

    fn bdw(&self) -> Result<Bdw, DdError> {
        match self.value.text.to_ascii_uppercase().as_str() {
            "YES" => Ok(Bdw::Yes),
            "NO" => Ok(Bdw::No),
            "AUTO" => Ok(Bdw::Auto),
            _ => self.value.error(DdProblem::BdwValue {
                value: self.value.text.to_owned(),
            }),
        }
    }
}

/// What is wrong with a DD text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DdError {
    /// The character of the text, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: DdProblem,
}

/// What is wrong with a DD text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields are the words of the text, and the known key nearest to an unknown one
pub enum DdProblem {
    /// There is no file name.
    NoTarget,
    /// The apostrophe around the file name has no partner.
    Unclosed,
    /// Something else than a comma follows the file name in apostrophes.
    NoComma,
    /// Nothing stands between two commas, or behind the last.
    EmptyOption,
    /// No option has this key.
    UnknownKey {
        key: String,
        near: Option<&'static str>,
        known: String,
    },
    /// The key was there before.
    KeyTwice { key: &'static str },
    /// There is no value behind the key.
    NoValue { key: &'static str },
    /// No record format has this name.
    UnknownRecfm { value: String },
    /// LRECL or BLKSIZE is not a number of bytes.
    NotALength { key: &'static str, value: String },
    /// BDW is neither YES, NO nor AUTO.
    BdwValue { value: String },
    /// DISP is neither OLD, SHR nor MOD.
    Disposition { value: String },
    /// The code page is not known.
    CodePage(CodePageError),
    /// The attributes do not go together.
    Attributes(AttributeError),
}

impl fmt::Display for DdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.problem)
    }
}

impl fmt::Display for DdProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DdProblem::NoTarget => {
                f.write_str("the file name is missing; write FILE or FILE,RECFM=.. behind the ddname")
            }
            DdProblem::Unclosed => f.write_str("the apostrophe before the file name is not closed; add one behind it"),
            DdProblem::NoComma => f.write_str("a comma must follow the file name in apostrophes"),
            DdProblem::EmptyOption => f.write_str("an option is missing between commas; remove the comma too many"),
            DdProblem::UnknownKey {
                key, near: Some(near), ..
            } => write!(f, "'{key}' is no option; did you mean {near}?"),
            DdProblem::UnknownKey { key, near: None, known } => {
                write!(f, "'{key}' is no option; known are {known}, ")?;
                f.write_str("and a file name with commas is put in apostrophes")
            }
            DdProblem::KeyTwice { key } => write!(f, "{key} is stated twice; remove one"),
            DdProblem::NoValue { key } => write!(f, "{key} has no value; write {key}=.."),
            DdProblem::UnknownRecfm { value } => {
                write!(
                    f,
                    "'{value}' is no record format; known are F, FB, V, VB, VS, VBS, U and TEXT"
                )
            }
            DdProblem::NotALength { key, value } => {
                write!(
                    f,
                    "{key}={value} is not a number of bytes; write it in digits, such as {key}=800"
                )
            }
            DdProblem::BdwValue { value } => write!(f, "BDW={value} is not known; write YES, NO or AUTO"),
            DdProblem::Disposition { value } => write!(f, "DISP={value} is not known; write MOD, OLD or SHR"),
            DdProblem::CodePage(problem) => problem.fmt(f),
            DdProblem::Attributes(problem) => problem.fmt(f),
        }
    }
}

impl std::error::Error for DdError {}
