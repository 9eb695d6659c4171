//! Data set names, the names VSAM makes up itself, and the two ways to ask for many: masks and levels.
//!
//! Invariants:
//!
//! * N1. A [`Name`] is upper case, 1-44 characters, qualifiers of 1-8 joined by periods; each begins with a letter
//!   or `@`, `#`, `$` and goes on with these, digits and hyphens. So it is also a safe file name.
//! * N2. `Name` orders by its bytes, the order in which a catalog is listed.

use cica_disk::FileName;
use std::collections::BTreeSet;
use std::fmt;

/// Longest data set name.
pub const MAX_NAME: usize = 44;
/// Longest qualifier.
pub const MAX_QUALIFIER: usize = 8;

/// A valid data set name (N1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is no name, mask or level. `Display` says what is wrong, where, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// Nothing was given.
    Empty,
    /// More than 44 characters.
    TooLong {
        /// The text.
        text: String,
    },
    /// A qualifier of no characters: a period at the start, at the end, or two in a row.
    EmptyQualifier {
        /// The text.
        text: String,
    },
    /// A qualifier of more than eight characters.
    LongQualifier {
        /// The text.
        text: String,
        /// The qualifier.
        qualifier: String,
    },
    /// A character that is not allowed where it stands.
    Character {
        /// The text.
        text: String,
        /// The character.
        character: char,
        /// Its place, from 1.
        column: usize,
    },
    /// A level whose last qualifier is `*`.
    LevelEnds {
        /// The text.
        text: String,
    },
    /// `**` that is not a whole qualifier.
    DoubleStar {
        /// The text.
        text: String,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Empty => write!(f, "a data set name is missing; give 1 to {MAX_NAME} characters"),
            NameError::TooLong { text } => write!(
                f,
                "'{}' has {} characters; a data set name has at most {MAX_NAME}",
                shown(text),
                text.chars().count()
            ),
            NameError::EmptyQualifier { text } => write!(
                f,
                "'{}' has an empty qualifier; put 1 to {MAX_QUALIFIER} characters between periods and none at the ends",
                shown(text)
            ),
            NameError::LongQualifier { text, qualifier } => write!(
                f,
                "qualifier '{}' of '{}' has more than {MAX_QUALIFIER} characters; shorten or divide it",
                shown(qualifier),
                shown(text)
            ),
            NameError::Character {
                text,
                character,
                column,
            } => write!(
                f,
                "'{}'{} in column {column} of '{}' is not allowed; a qualifier begins with A-Z, @, # or $ and goes on \
                 with these, 0-9 or a hyphen",
                shown(&character.to_string()),
                number(*character),
                shown(text)
            ),
            NameError::LevelEnds { text } => write!(
                f,
                "'{}' ends with '*', and LEVEL lists all that lies below a name anyway; leave that qualifier out",
                shown(text)
            ),
            NameError::DoubleStar { text } => write!(
                f,
                "'**' in '{}' must be a qualifier by itself, as in 'PAY.**'; use '*' inside a qualifier",
                shown(text)
            ),
        }
    }
}

/// The number of a character that may look like another.
fn number(character: char) -> String {
    if character.is_ascii() {
        String::new()
    } else {
        format!(" (U+{:04X})", u32::from(character))
    }
}

/// A text as a message shows it: control characters escaped, at most 60 characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            _ if i == 60 => return shown + "...",
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

impl std::error::Error for NameError {}

impl Name {
    /// Takes a text for a name, upper-casing it.
    pub fn parse(text: &str) -> Result<Name, NameError> {
        let text = text.to_ascii_uppercase();
        check_shape(&text, |_, _| false)?;
        Ok(Name(text))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file that is called so.
    pub fn file(&self) -> FileName {
        FileName::near(&self.0)
    }

    /// Its qualifiers, left to right.
    pub fn qualifiers(&self) -> impl Iterator<Item = &str> {
        self.0.split('.')
    }

    /// The name VSAM gives the data component of a cluster or alternate index when none is said.
    pub fn data(&self) -> Name {
        self.generated("DATA")
    }

    /// The same for the index component.
    pub fn index(&self) -> Name {
        self.generated("INDEX")
    }

    /// IBM's rules: a last qualifier CLUSTER is replaced, else the suffix is added where 44 characters allow. Where
    /// they do not, leading qualifiers are kept and a hash of the whole takes the place of the rest (our own form).
    fn generated(&self, suffix: &str) -> Name {
        if let Some(stem) = self.0.strip_suffix(".CLUSTER") {
            return Name(format!("{stem}.{suffix}"));
        }
        if self.0.len() + 1 + suffix.len() <= MAX_NAME {
            return Name(format!("{}.{suffix}", self.0));
        }
        let hash = format!(
            "T{:07X}",
            cica_format::checksum::crc32c(self.0.as_bytes()) & 0x0FFF_FFFF
        );
        let room = MAX_NAME - hash.len() - suffix.len() - 2;
        let mut stem = String::new();
        for qualifier in self.qualifiers() {
            if stem.len() + 1 + qualifier.len() > room {
                break;
            }
            stem.push_str(qualifier);
            stem.push('.');
        }
        Name(format!("{stem}{hash}.{suffix}"))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl std::str::FromStr for Name {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Name, NameError> {
        Name::parse(text)
    }
}

/// Checks length, qualifiers and characters of an upper-case text; `wild` lets further characters through by
/// place in the qualifier (from 0).
fn check_shape(text: &str, wild: impl Fn(char, usize) -> bool) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    if text.chars().count() > MAX_NAME {
        return Err(NameError::TooLong { text: text.to_owned() });
    }
    let mut column = 0;
    for qualifier in text.split('.') {
        if qualifier.is_empty() {
            return Err(NameError::EmptyQualifier { text: text.to_owned() });
        }
        for (place, character) in qualifier.chars().enumerate() {
            column += 1;
            let national = matches!(character, 'A'..='Z' | '@' | '#' | '$');
            let later = place > 0 && matches!(character, '0'..='9' | '-');
            if !(national || later || wild(character, place)) {
                return Err(NameError::Character {
                    text: text.to_owned(),
                    character,
                    column,
                });
            }
        }
        if qualifier.len() > MAX_QUALIFIER {
            return Err(NameError::LongQualifier {
                text: text.to_owned(),
                qualifier: qualifier.to_owned(),
            });
        }
        column += 1;
    }
    Ok(())
}

/// A pattern for names: `%` is one character, `*` any characters of one qualifier (alone: a whole qualifier),
/// `**` any number of qualifiers, none included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask(String);

impl Mask {
    /// Takes a text for a mask, upper-casing it. A name without wild characters is a mask for itself.
    pub fn parse(text: &str) -> Result<Mask, NameError> {
        let text = text.to_ascii_uppercase();
        if text
            .split('.')
            .any(|qualifier| qualifier.contains("**") && qualifier != "**")
        {
            return Err(NameError::DoubleStar { text });
        }
        check_shape(&text, |c, _| c == '%' || c == '*')?;
        Ok(Mask(text))
    }

    /// The mask for every name.
    pub fn everything() -> Mask {
        Mask("**".to_owned())
    }

    /// The mask as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it has wild characters; if not, it stands for one name.
    pub fn is_generic(&self) -> bool {
        self.0.contains(['%', '*'])
    }

    /// Whether `name` is one of those meant.
    pub fn matches(&self, name: &Name) -> bool {
        let mask: Vec<&str> = self.0.split('.').collect();
        let name: Vec<&str> = name.qualifiers().collect();
        match_list(
            &mask,
            &name,
            |part| *part == "**",
            |part, qualifier| one_matches(part, qualifier),
        )
    }
}

impl Mask {
    /// Whether a name that begins with the qualifiers of `stem` and goes on can be one of those meant.
    pub fn means_below(&self, stem: &Name) -> bool {
        let mask: Vec<&str> = self.0.split('.').collect();
        let any = |part: &str| part == "**";
        // Places in the mask where what follows the qualifiers so far can go on.
        let mut places = BTreeSet::from([0]);
        for qualifier in stem.qualifiers() {
            let mut next = BTreeSet::new();
            for place in std::mem::take(&mut places) {
                let skipped = mask[place..].iter().take_while(|part| any(part)).count();
                if skipped > 0 {
                    next.insert(place);
                }
                let here = mask.get(place + skipped);
                if here.is_some_and(|part| one_matches(part, qualifier)) {
                    next.insert(place + skipped + 1);
                }
            }
            places = next;
        }
        places.into_iter().any(|place| place < mask.len())
    }
}

/// Does a qualifier of a mask, which is not `**`, mean this one?
fn one_matches(part: &str, qualifier: &str) -> bool {
    match_list(
        part.as_bytes(),
        qualifier.as_bytes(),
        |c| *c == b'*',
        |c, d| *c == b'%' || c == d,
    )
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Glob matching of one list against another: items of `mask` that are `many` stand for any run, the others for one
/// item that `one` accepts. Remembering only the last `many` is enough, so the time is the product of the lengths.
fn match_list<M, T>(mask: &[M], text: &[T], many: impl Fn(&M) -> bool, one: impl Fn(&M, &T) -> bool) -> bool {
    let (mut m, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match mask.get(m) {
            Some(part) if many(part) => {
                retry = Some((m + 1, t));
                m += 1;
            }
            Some(part) if one(part, &text[t]) => {
                m += 1;
                t += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    m = after;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    mask[m..].iter().all(many)
}

/// What LEVEL asks for: every name that begins with these qualifiers and has at least one more. A qualifier but the
/// last may be `*`, any one qualifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level(String);

impl Level {
    /// Takes a text for a level, upper-casing it.
    pub fn parse(text: &str) -> Result<Level, NameError> {
        let text = text.to_ascii_uppercase();
        if text.rsplit('.').next() == Some("*") {
            return Err(NameError::LevelEnds { text });
        }
        let whole = text
            .split('.')
            .all(|qualifier| qualifier == "*" || !qualifier.contains('*'));
        check_shape(&text, |c, _| c == '*' && whole)?;
        Ok(Level(text))
    }

    /// The level as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The mask of the names below this level, and of the level's own.
    pub fn mask(&self) -> Mask {
        Mask(format!("{}.**", self.0))
    }

    /// Whether `name` lies below this level.
    pub fn matches(&self, name: &Name) -> bool {
        let mut qualifiers = name.qualifiers();
        self.0
            .split('.')
            .all(|part| qualifiers.next().is_some_and(|q| part == "*" || part == q))
            && qualifiers.next().is_some()
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
