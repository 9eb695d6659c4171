//! System symbols: names that mean another data set on each system that shares a catalog.
//!
//! ```text
//! SYS1.&SYSNAME..PARMLIB      SYS1.PROD1.PARMLIB      a period ends the symbol, the next one is the name's
//! SYS1.&SYSNAME.X             SYS1.PROD1X
//! SYS1.P&SYSNAME(1:2)         SYS1.PPR                two characters from the first on
//! SYS1.P&SYSNAME(-1:1)        SYS1.P1                 one from the last on
//! ```
//! * S1. Symbols belong to the system, the process that runs, not to the catalog: a name with symbols is kept as it was
//!   written and resolved when it is used.
//! * S2. A symbol is `&` and 1 to 8 letters, digits, `@`, `#`, `$`, the first of them no digit. It ends at its
//!   period, or where another character comes. What it stands for is not looked through for symbols again.
//! * S3. Nothing unresolved is ever taken for a name: a symbol that is not known, a substring that its text has not, or
//!   a name that breaks the rules of names is an error that says which.

use crate::name::{Name, NameError, MAX_NAME};
use std::collections::BTreeMap;
use std::fmt;

/// The environment variable that defines symbols: `SITE=LIVE,ENV=P&SYSCLONE`.
pub const VARIABLE: &str = "CICA_SYMBOLS";
/// Longest name of a symbol, without `&`.
const MAX_SYMBOL: usize = 8;

/// Symbols and what they stand for on this system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Symbols(BTreeMap<String, String>);

/// A data set name with symbols in it, as written, in upper case (S1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbolic(String);

/// Why a text is no name with symbols, or has no meaning on this system.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolError {
    /// The text breaks a rule; in words.
    Form(String),
    /// The system has no such symbol.
    Unknown {
        /// Without `&`.
        symbol: String,
    },
    /// The symbol's text has no such characters.
    Substring {
        /// Without `&`.
        symbol: String,
        /// What it stands for.
        text: String,
        /// As written, with parentheses.
        part: String,
    },
    /// What comes out is no data set name.
    Name {
        /// What comes out.
        text: String,
        /// Why it is none.
        why: NameError,
    },
}

impl fmt::Display for SymbolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymbolError::Form(what) => f.write_str(what),
            SymbolError::Unknown { symbol } => write!(
                f,
                "this system has no symbol &{symbol}; define it with --symbols {symbol}=TEXT or {VARIABLE}"
            ),
            SymbolError::Substring { symbol, text, part } => write!(
                f,
                "&{symbol} is {text} on this system, which has no characters {part}: give start and length within it"
            ),
            SymbolError::Name { text, why } => write!(f, "on this system it is {text}, and {why}"),
        }
    }
}

impl std::error::Error for SymbolError {}

impl Symbols {
    /// Those every system has: SYSNAME, the host's name as far as it can be one; SYSCLONE, its last two characters; SYSPLEX,
    /// which is LOCAL.
    pub fn of_host(host: &str) -> Symbols {
        let label = host
            .trim_ascii()
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let name: String = label.chars().filter(|c| is_symbol_char(*c)).take(MAX_SYMBOL).collect();
        let name = if name.is_empty() { "LOCAL".to_owned() } else { name };
        // Characters of one byte each.
        let clone = name[name.len().saturating_sub(2)..].to_owned();
        let all = [("SYSNAME", name), ("SYSCLONE", clone), ("SYSPLEX", "LOCAL".to_owned())];
        Symbols(
            all.into_iter()
                .map(|(symbol, text)| (symbol.to_owned(), text))
                .collect(),
        )
    }

    /// With more of them, or others: `NAME=TEXT`, separated by commas or blanks. A text may use the symbols before it.
    ///
    /// # Errors
    /// A definition has another form, or uses what is not known.
    pub fn with(mut self, definitions: &str) -> Result<Symbols, SymbolError> {
        let given_clone = definitions.to_ascii_uppercase().contains("SYSCLONE=");
        for definition in definitions
            .split([',', ' ', '\t', '\n'])
            .filter(|part| !part.is_empty())
        {
            let definition = definition.to_ascii_uppercase();
            let (symbol, text) = definition.split_once('=').ok_or_else(|| {
                SymbolError::Form(format!(
                    "'{definition}' defines no symbol; write NAME=TEXT, as in SITE=LIVE"
                ))
            })?;
            let symbol = symbol.trim_start_matches('&').trim_end_matches('.');
            check_symbol(symbol)?;
            let text = self.substituted(text)?;
            if text.len() > MAX_NAME || !text.chars().all(|c| is_symbol_char(c) || matches!(c, '.' | '-')) {
                return Err(SymbolError::Form(format!(
                    "'{text}' cannot be the text of &{symbol}: it stands in names, so it has A-Z, 0-9, @, #, $, hyphens \
                     and periods, {MAX_NAME} at most"
                )));
            }
            if symbol == "SYSNAME" && !given_clone {
                let clone = text[text.len().saturating_sub(2)..].to_owned();
                self.0.insert("SYSCLONE".to_owned(), clone);
            }
            self.0.insert(symbol.to_owned(), text);
        }
        Ok(self)
    }

    /// The name that a text with symbols is on this system (S3).
    ///
    /// # Errors
    /// It has no meaning here.
    pub fn resolve(&self, symbolic: &Symbolic) -> Result<Name, SymbolError> {
        let text = self.substituted(&symbolic.0)?;
        Name::parse(&text).map_err(|why| SymbolError::Name { text, why })
    }

    fn substituted(&self, text: &str) -> Result<String, SymbolError> {
        let mut whole = String::new();
        for part in parts(text)? {
            match part {
                SymbolPart::Plain(plain) => whole.push_str(plain),
                SymbolPart::Symbol { symbol, substring } => {
                    let unknown = || SymbolError::Unknown {
                        symbol: symbol.to_owned(),
                    };
                    let text = self.0.get(symbol).ok_or_else(unknown)?;
                    whole.push_str(match substring {
                        None => text,
                        Some(part) => part.of(text).ok_or_else(|| SymbolError::Substring {
                            symbol: symbol.to_owned(),
                            text: text.clone(),
                            part: part.to_string(),
                        })?,
                    });
                }
            }
        }
        Ok(whole)
    }
}

impl Symbolic {
    /// Takes a text for a name with symbols, upper-casing it.
    ///
    /// # Errors
    /// It breaks the rules (S2), or cannot be a name whatever its symbols are.
    pub fn parse(text: &str) -> Result<Symbolic, SymbolError> {
        let text = text.to_ascii_uppercase();
        if text.is_empty() || text.len() > MAX_NAME {
            return Err(SymbolError::Form(format!(
                "a name with symbols has 1 to {MAX_NAME} characters, '{}' has {}",
                crate::name::shown(&text),
                text.chars().count()
            )));
        }
        let parts = parts(&text)?;
        let allowed = |c: char| is_symbol_char(c) || matches!(c, '.' | '-');
        for part in &parts {
            if let SymbolPart::Plain(plain) = part {
                if let Some(c) = plain.chars().find(|c| !allowed(*c)) {
                    return Err(SymbolError::Form(format!(
                        "'{c}' in '{}' is not allowed in a data set name",
                        crate::name::shown(&text)
                    )));
                }
            }
        }
        if parts.iter().all(|part| matches!(part, SymbolPart::Plain(_))) {
            // Without symbols it is the same on every system, and can be judged now.
            Name::parse(&text).map_err(|why| SymbolError::Form(why.to_string()))?;
        }
        Ok(Symbolic(text))
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Symbolic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// `(start:length)`; a negative start counts from the end.
#[derive(Debug, Clone, Copy)]
struct Substring {
    start: i64,
    length: usize,
}

impl Substring {
    fn parse(text: &str) -> Option<Substring> {
        let (start, length) = text.split_once(':')?;
        let start: i64 = start.parse().ok()?;
        let length: usize = length.parse().ok()?;
        (start != 0 && length > 0).then_some(Substring { start, length })
    }

    fn of(self, text: &str) -> Option<&str> {
        let from = match usize::try_from(self.start) {
            Ok(start) => start - 1,
            Err(_) => text
                .len()
                .checked_sub(usize::try_from(self.start.unsigned_abs()).ok()?)?,
        };
        text.get(from..from.checked_add(self.length)?)
    }
}

impl fmt::Display for Substring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}:{})", self.start, self.length)
    }
}

enum SymbolPart<'t> {
    Plain(&'t str),
    Symbol {
        symbol: &'t str,
        substring: Option<Substring>,
    },
}

/// Symbols and what is between them (S2).
fn parts(text: &str) -> Result<Vec<SymbolPart<'_>>, SymbolError> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((plain, behind)) = rest.split_once('&') {
        parts.push(SymbolPart::Plain(plain));
        let end = behind.find(|c| !is_symbol_char(c)).unwrap_or(behind.len());
        let (symbol, mut tail) = behind.split_at(end);
        check_symbol(symbol)?;
        let mut substring = None;
        if let Some(inner) = tail.strip_prefix('(') {
            let improper = || {
                SymbolError::Form(format!(
                    "what follows &{symbol} in '{}' is no substring; write (start:length), as in (1:2) or (-1:1)",
                    crate::name::shown(text)
                ))
            };
            let (inner, after) = inner.split_once(')').ok_or_else(improper)?;
            substring = Some(Substring::parse(inner).ok_or_else(improper)?);
            tail = after;
        }
        parts.push(SymbolPart::Symbol { symbol, substring });
        rest = tail.strip_prefix('.').unwrap_or(tail);
    }
    parts.push(SymbolPart::Plain(rest));
    Ok(parts)
}

fn check_symbol(symbol: &str) -> Result<(), SymbolError> {
    let first = symbol.chars().next();
    let ok =
        symbol.len() <= MAX_SYMBOL && symbol.chars().all(is_symbol_char) && first.is_some_and(|c| !c.is_ascii_digit());
    if ok {
        Ok(())
    } else {
        Err(SymbolError::Form(format!(
            "'&{}' is no symbol: it has 1 to {MAX_SYMBOL} letters, digits, @, # or $ after the &, the first no digit",
            crate::name::shown(symbol)
        )))
    }
}

fn is_symbol_char(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '@' | '#' | '$')
}
