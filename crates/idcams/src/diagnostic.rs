//! What is wrong with a command, where, and what to do about it.

use crate::pos::Pos;
use cica_messages::MessageEntry;
use std::fmt;

/// One error found before a command was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The message it is printed with.
    pub message: &'static MessageEntry,
    /// The message text with its inserts, without the id.
    pub text: String,
    /// Where the error is.
    pub at: Pos,
    /// What to do, when more can be said than the message table says; may be empty.
    pub hint: String,
}

impl Diagnostic {
    /// A diagnostic with the inserts of its message filled in.
    pub fn new(message: &'static MessageEntry, inserts: &[(&str, &dyn fmt::Display)], at: Pos) -> Self {
        Diagnostic {
            message,
            text: message.text(inserts),
            at,
            hint: String::new(),
        }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} AT {}", self.message.id, self.text, self.at)?;
        match self.hint.as_str() {
            "" => Ok(()),
            hint => write!(f, ". {hint}"),
        }
    }
}

impl std::error::Error for Diagnostic {}
