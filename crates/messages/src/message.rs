//! A message as it was issued: its entry in the table and what fills its inserts.

use crate::entry::MessageEntry;
use std::fmt::{self, Display, Formatter};

/// See the module. Its `Display` is id and text on one line, and what to do about a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its entry in the table.
    pub entry: &'static MessageEntry,
    /// What fills each insert of the text, by name.
    pub inserts: Vec<(&'static str, String)>,
    /// It begins a group of its own: a listing sets it off by a blank line.
    pub apart: bool,
    /// The parameter of a request that it is about, by its keyword, and what to do with it.
    pub about: Option<(&'static str, String)>,
}

impl Message {
    /// A message that follows the one before.
    pub fn new(entry: &'static MessageEntry, inserts: &[(&'static str, &dyn Display)]) -> Message {
        Message {
            entry,
            inserts: inserts.iter().map(|(name, value)| (*name, value.to_string())).collect(),
            apart: false,
            about: None,
        }
    }

    /// The same, set off from the one before.
    #[must_use]
    pub fn apart(self) -> Message {
        Message { apart: true, ..self }
    }

    /// The same about a parameter, with what to do; the words may be empty.
    #[must_use]
    pub fn about(self, keyword: &'static str, remedy: impl Into<String>) -> Message {
        Message {
            about: Some((keyword, remedy.into())),
            ..self
        }
    }

    /// Id and text as a listing has them, without what to do about a parameter.
    pub fn line(&self) -> String {
        let inserts: Vec<(&str, &dyn Display)> = self
            .inserts
            .iter()
            .map(|(name, value)| (*name, value as &dyn Display))
            .collect();
        self.entry.line(&inserts)
    }

    /// What fills the insert `name`.
    pub fn insert(&self, name: &str) -> Option<&str> {
        let found = self.inserts.iter().find(|(insert, _)| *insert == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.line())?;
        match &self.about {
            Some((_, remedy)) if !remedy.is_empty() => write!(f, ": {remedy}"),
            _ => Ok(()),
        }
    }
}
