//! Why a command, or what it was to do with one entry, was given up.

use super::report::Report;
use cica_catalog::check::DefineError;
use cica_catalog::error::Code;
use cica_catalog::CatalogError;
use cica_engine::OpenError;
use cica_messages::{
    Message, MessageEntry, CICA0934E, CICA0937W, CICA0991E, IDC3009I, IDC3012I, IDC3013I, IDC3014I, IDC3018I, IDC3020I,
};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

/// Messages, the cause first, and the condition code they come with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Failure {
    cc: u8,
    messages: Vec<Message>,
}

impl Failure {
    /// A message and its condition code.
    pub fn new(message: &'static MessageEntry, inserts: &[(&'static str, &dyn Display)]) -> Failure {
        Failure {
            cc: message.cc,
            messages: vec![Message::new(message, inserts)],
        }
    }

    /// A message about a parameter of the request, and what to do with it.
    pub fn about(
        keyword: &'static str,
        message: &'static MessageEntry,
        inserts: &[(&'static str, &dyn Display)],
        remedy: impl Into<String>,
    ) -> Failure {
        Failure {
            cc: message.cc,
            messages: vec![Message::new(message, inserts).about(keyword, remedy)],
        }
    }

    /// One more message.
    pub fn and(mut self, message: &'static MessageEntry, inserts: &[(&'static str, &dyn Display)]) -> Failure {
        self.cc = self.cc.max(message.cc);
        self.messages.push(Message::new(message, inserts));
        self
    }

    /// The messages of another failure behind these.
    pub fn and_all(mut self, other: Failure) -> Failure {
        self.cc = self.cc.max(other.cc);
        self.messages.extend(other.messages);
        self
    }

    /// The same with another condition code.
    pub fn with_cc(self, cc: u8) -> Failure {
        Failure { cc, ..self }
    }

    /// The messages in one line.
    pub fn text(&self) -> String {
        let texts: Vec<String> = self.messages.iter().map(Message::to_string).collect();
        texts.join("; ")
    }

    /// The condition code.
    pub fn condition(&self) -> u8 {
        self.cc
    }

    /// The messages, the cause first.
    pub fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// Tells the messages and returns the condition code.
    pub fn tell(self, out: &mut Report) -> u8 {
        out.extend(self.messages);
        self.cc
    }

    /// The catalog's code, with the words that say it.
    fn and_code(self, code: Code) -> Failure {
        let module = module(code);
        self.and(
            &IDC3009I,
            &[("rc", &code.return_code), ("module", &module), ("reason", &code.reason)],
        )
    }
}

/// The z/OS module that would report a code; programs that read listings look at both.
fn module(code: Code) -> &'static str {
    match (code.return_code, code.reason) {
        (8, 42) => "IGG0CLEG",
        (8, 38) => "IGG0CLEH",
        (68, _) => "IGG0CLFQ",
        (84, _) => "IGG0CLFD",
        _ => "IGG0CLE1",
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Failure {
        let code = error.code();
        let failure = match &error {
            CatalogError::NotFound { name } => return not_found(name),
            CatalogError::Duplicate { name } => Failure::new(&IDC3013I, &[("name", name)]),
            CatalogError::VolumeReadOnly { serial, .. } => {
                Failure::new(&IDC3018I, &[("name", serial)]).and(&CICA0934E, &[("reason", &error)])
            }
            CatalogError::VolumeFull { serial, .. } => {
                Failure::new(&IDC3020I, &[("volume", serial)]).and(&CICA0934E, &[("reason", &error)])
            }
            CatalogError::Untrusted { .. } | CatalogError::VolumeOutside { .. } => {
                Failure::new(&IDC3014I, &[]).and(&CICA0991E, &[("reason", &error)])
            }
            CatalogError::Io { source, .. } if cica_disk::is_outside(source) => {
                Failure::new(&IDC3014I, &[]).and(&CICA0991E, &[("reason", &error)])
            }
            _ => Failure::new(&IDC3014I, &[]).and(&CICA0934E, &[("reason", &error)]),
        };
        failure.and_code(code)
    }
}

/// IDC3012I with its return code.
pub fn not_found(name: &dyn Display) -> Failure {
    Failure::new(&IDC3012I, &[("name", name)]).and_code(Code {
        return_code: 8,
        reason: 42,
    })
}

/// A catalog return code with words of our own for it.
pub fn refused(reason: &dyn Display, return_code: u16, code_reason: u16) -> Failure {
    Failure::new(&IDC3014I, &[])
        .and(&CICA0934E, &[("reason", reason)])
        .and_code(Code {
            return_code,
            reason: code_reason,
        })
}

/// A file that no entry names is still there.
pub fn left_behind(path: &Path, reason: &dyn Display) -> Failure {
    Failure::new(&CICA0937W, &[("path", &path.display()), ("reason", reason)])
}

impl From<DefineError> for Failure {
    fn from(error: DefineError) -> Failure {
        Failure::new(&IDC3014I, &[])
            .and(&CICA0934E, &[("reason", &error)])
            .and_code(error.code())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        let (return_code, reason) = match &error {
            OpenError::InUse { .. } => (184, 6),
            OpenError::Missing { .. } => (50, 10),
            OpenError::Exists { .. } => (8, 38),
            OpenError::Io { error, .. } if error.kind() == ErrorKind::StorageFull => (68, 20),
            OpenError::Io { error, .. } if error.kind() == ErrorKind::PermissionDenied => (56, 6),
            _ => (24, 0),
        };
        refused(&in_words(&error), return_code, reason)
    }
}

/// Why a data set cannot be opened. A server that has it does so for others, who are the ones to be asked.
pub fn in_words(error: &OpenError) -> String {
    match error {
        OpenError::InUse { by: Some(by), .. } if by.contains("(cica ") && by.contains(" serve") => {
            format!("{error}; 'cica server clients' shows for whom")
        }
        _ => error.to_string(),
    }
}
