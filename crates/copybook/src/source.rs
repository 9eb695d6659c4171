//! The words of a source, each with its line.
//!
//! In **fixed** format columns 1 to 6 are a sequence number, 7 an indicator (`*` and `/` a comment, `-` the line
//! before goes on) and 73 to 80 belong to nobody; a text whose every line looks so is read so. Everything else is
//! **free**: the whole line counts. `*>` begins a comment in both.

use crate::error::CopybookError;

/// A word, a literal with its quotes, or the period that ends an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// Line, from 1.
    pub line: usize,
    /// As it stands there.
    pub text: std::borrow::Cow<'a, str>,
}

impl Word<'_> {
    /// Does it end an entry?
    pub fn is_period(&self) -> bool {
        self.text == "."
    }

    /// Is it a literal in quotes?
    pub fn is_literal(&self) -> bool {
        self.text.starts_with(['"', '\''])
    }
}

/// The part of a line that counts.
struct Line<'a> {
    number: usize,
    text: &'a str,
    /// It goes on where the line before ended.
    goes_on: bool,
}

/// See the module.
pub fn words(text: &str) -> Result<Vec<Word<'_>>, CopybookError> {
    let fixed = text.lines().all(is_fixed);
    let mut words: Vec<Word<'_>> = Vec::new();
    // The quote of a literal that the line before left open.
    let mut open: Option<char> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(line) = counted(number, line, fixed) else {
            continue;
        };
        let mut rest = line.text;
        match (open.take(), line.goes_on) {
            (Some(quote), true) => {
                // It begins with a quote again, which is no part of the literal.
                let start = rest.trim_start();
                rest = start.strip_prefix(quote).unwrap_or(start);
                let end = rest.find(quote).map(|at| at + 1);
                if end.is_none() {
                    open = Some(quote);
                }
                rest = end.map_or("", |end| &rest[end..]);
            }
            (Some(_), false) => {
                return Err(CopybookError::at(line.number - 1, "a literal has no closing quote"));
            }
            (None, true) => {
                // The word before goes on.
                let start = rest.trim_start();
                let length = start.find(char::is_whitespace).unwrap_or(start.len());
                let (part, behind) = start.split_at(length);
                match words.last_mut() {
                    Some(word) if !word.is_period() && !word.is_literal() => {
                        let (part, period) = without_period(part);
                        word.text.to_mut().push_str(part);
                        if period {
                            words.push(period_at(line.number));
                        }
                        rest = behind;
                    }
                    _ => rest = start,
                }
            }
            (None, false) => {}
        }
        open = open.or(line_words(line.number, rest, &mut words));
    }
    match open {
        Some(_) => Err(CopybookError::at(
            text.lines().count(),
            "a literal has no closing quote",
        )),
        None => Ok(words),
    }
}

/// Could it be a line of fixed format?
fn is_fixed(line: &str) -> bool {
    let mut head = line.chars();
    let sequence: Vec<char> = head.by_ref().take(6).collect();
    let blank = sequence.iter().all(|c| *c == ' ');
    let number = sequence.iter().all(char::is_ascii_alphanumeric);
    (blank || number) && matches!(head.next(), None | Some(' ' | '*' | '/' | '-' | 'd' | 'D'))
}

/// What counts of a line; none of a comment.
fn counted(number: usize, line: &str, fixed: bool) -> Option<Line<'_>> {
    let column = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let (text, indicator) = if fixed {
        (&line[column(8)..column(73)], line.chars().nth(6).unwrap_or(' '))
    } else {
        (line, ' ')
    };
    (!matches!(indicator, '*' | '/' | 'd' | 'D')).then_some(Line {
        number,
        text,
        goes_on: indicator == '-',
    })
}

/// Adds the words of a line; the quote of a literal that it leaves open.
fn line_words<'a>(line: usize, text: &'a str, words: &mut Vec<Word<'a>>) -> Option<char> {
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("*>") {
            return None;
        }
        let add = |text: &'a str, words: &mut Vec<Word<'a>>| {
            words.push(Word {
                line,
                text: text.into(),
            });
        };
        if matches!(first, '"' | '\'') {
            let Some(end) = rest[1..].find(first).map(|at| at + 2) else {
                add(rest, words);
                return Some(first);
            };
            add(&rest[..end], words);
            rest = rest[end..].trim_start_matches([',', ';']).trim_start();
            if let Some(behind) = rest.strip_prefix('.') {
                words.push(period_at(line));
                rest = behind.trim_start();
            }
            continue;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        let (word, period) = without_period(word);
        let word = word.trim_end_matches([',', ';']);
        if !word.is_empty() {
            add(word, words);
        }
        if period {
            words.push(period_at(line));
        }
        rest = behind.trim_start();
    }
    None
}

fn without_period(word: &str) -> (&str, bool) {
    match word.strip_suffix('.') {
        Some(word) => (word, true),
        None => (word, false),
    }
}

fn period_at<'a>(line: usize) -> Word<'a> {
    Word { line, text: ".".into() }
}
