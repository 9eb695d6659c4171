//! [`FileName`]: the name of a file within a directory, and never more than that.
//!
//! What a catalog, a volume, a log or a copy says is not trusted: a name read from one becomes a `FileName` or an error,
//! and only a `FileName` is put behind a directory. So no name leads out of the directory it belongs to.

use std::fmt;
use std::path::{Path, PathBuf};

/// The longest name that file systems take.
const LONGEST: usize = 255;

/// One component of a path: no `/`, no control character, at most 255 bytes, and no dot at its start (which `.` and `..`
/// have, and the files that a volume keeps for itself).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName(String);

/// Why a text is no file name. `Display` shows the text without its control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileNameError(String);

impl FileName {
    /// Takes a text for the name of a file.
    ///
    /// # Errors
    /// It is none, or could lead somewhere else.
    pub fn parse(text: &str) -> Result<FileName, FileNameError> {
        let leads_away = text.starts_with('.') || text.contains('/');
        if text.is_empty() || text.len() > LONGEST || leads_away || text.chars().any(char::is_control) {
            Err(FileNameError(text.to_owned()))
        } else {
            Ok(FileName(text.to_owned()))
        }
    }

    /// The nearest name to a text: what cannot stand in one becomes `_`.
    pub fn near(text: &str) -> FileName {
        let allowed = |(at, c): (usize, char)| match c {
            '/' => '_',
            '.' if at == 0 => '_',
            c if c.is_control() => '_',
            c => c,
        };
        let mut name: String = text.chars().enumerate().map(allowed).collect();
        while name.len() > LONGEST {
            name.pop();
        }
        if name.is_empty() {
            name.push('_');
        }
        FileName(name)
    }

    /// Its path in a directory.
    pub fn in_directory(&self, directory: &Path) -> PathBuf {
        directory.join(&self.0)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl PartialEq<str> for FileName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for FileName {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for FileNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.0.chars().take(80).flat_map(char::escape_debug).collect();
        write!(
            f,
            "'{shown}' is no name of a file in a directory: 1 to 255 bytes without '/' or control characters, not beginning with '.'"
        )
    }
}

impl std::error::Error for FileNameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_directory() {
        let long = "A".repeat(255);
        for name in ["A", "PAY.MASTER.DATA~2", "a b", "\u{e9}", long.as_str()] {
            let name = FileName::parse(name).expect("a name");
            let path = name.in_directory(Path::new("/v/V"));
            assert_eq!(path.parent(), Some(Path::new("/v/V")));
            assert_eq!(path.components().count(), 4);
        }
        let longer = "A".repeat(256);
        for text in ["", ".", "../A", "\0", longer.as_str(), "PAY.MASTER~2"] {
            let near = FileName::near(text);
            assert_eq!(FileName::parse(near.as_str()), Ok(near));
        }
        assert_eq!(FileName::near("PAY.MASTER~2"), "PAY.MASTER~2");
        for text in [
            "",
            ".",
            "..",
            "/",
            "/etc/passwd",
            "../A",
            "A/",
            "A/B",
            "./A",
            ".locks",
            ".vvds-01234567",
            "A\0",
            "A\n",
            "\u{1b}[2J",
            "\u{9b}2J",
            longer.as_str(),
        ] {
            let error = FileName::parse(text).expect_err(text).to_string();
            assert!(!error.contains(char::is_control), "{error:?}");
        }
    }
}
