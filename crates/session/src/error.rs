//! Why a name does not lead to an open data set. `Display` says what, where and what to do.

use cica_catalog::entry::EntryKind;
use cica_catalog::name::NameError;
use cica_catalog::{CatalogError, Name};
use cica_engine::OpenError;
use std::fmt;

/// See the module.
#[derive(Debug)]
#[non_exhaustive]
pub enum SessionError {
    /// The text is no data set name.
    Name(NameError),
    /// The catalog cannot be read, or has no such entry.
    Catalog(CatalogError),
    /// The engine refuses.
    Open(OpenError),
    /// The name is that of a component.
    Component {
        /// The name.
        name: Name,
        /// Which component.
        kind: EntryKind,
        /// Its cluster or alternate index.
        of: Name,
    },
    /// An entry without records of its own.
    NoRecords {
        /// The entry.
        name: Name,
        /// What it is.
        kind: EntryKind,
    },
    /// Aliases and paths that lead in a circle.
    Circle {
        /// Where it began.
        name: Name,
    },
    /// Altered to INHIBIT, and the open is for output.
    Inhibited {
        /// The cluster.
        name: Name,
    },
    /// The files under the cluster's name are another's.
    Foreign {
        /// The cluster.
        name: Name,
        /// Whose files they say they are.
        other: Name,
    },
    /// It is not to be shared, or not without sharing: RLSQUIESCE, RLSENABLE.
    NotShared {
        /// The cluster.
        name: Name,
        /// Why, and what to do.
        why: &'static str,
    },
    /// The process that shares data sets refuses, or there is none.
    Shared {
        /// VSAM's OPEN reason.
        reason: u8,
        /// Its words.
        words: String,
    },
    /// There is no memory for the buffer pool, or what the environment says of it, of I/O or of symbols is nothing
    /// known.
    Pool {
        /// What is wrong.
        what: String,
    },
}

impl SessionError {
    /// VSAM's OPEN reason (ACBERFLG).
    pub fn acberflg(&self) -> u8 {
        match self {
            SessionError::Open(error) => error.acberflg(),
            SessionError::Inhibited { .. } => 152,
            SessionError::Foreign { .. } => 192,
            SessionError::NotShared { .. } => 168,
            SessionError::Shared { reason, .. } => *reason,
            SessionError::Pool { .. } => 136,
            _ => 148,
        }
    }
}

impl From<NameError> for SessionError {
    fn from(error: NameError) -> SessionError {
        SessionError::Name(error)
    }
}

impl From<CatalogError> for SessionError {
    fn from(error: CatalogError) -> SessionError {
        SessionError::Catalog(error)
    }
}

impl From<OpenError> for SessionError {
    fn from(error: OpenError) -> SessionError {
        SessionError::Open(error)
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Shared { words, .. } => f.write_str(words),
            SessionError::NotShared { why, .. } => f.write_str(why),
            SessionError::Name(error) => error.fmt(f),
            SessionError::Catalog(error) => error.fmt(f),
            SessionError::Open(error) => error.fmt(f),
            SessionError::Component { name, kind, of } => {
                write!(f, "{name} is the {} component of {of}; name the cluster", kind.word())
            }
            SessionError::NoRecords { name, kind } => write!(
                f,
                "{name} is a {} entry and has no records of its own; 'cica ls --long' lists what has",
                kind.word()
            ),
            SessionError::Circle { name } => write!(f, "the alias {name} leads back to itself"),
            SessionError::Inhibited { .. } => {
                f.write_str("it was altered to INHIBIT, so it can only be read; ALTER UNINHIBIT lifts that")
            }
            SessionError::Foreign { other, .. } => write!(
                f,
                "the files under its name on the volume are those of {other}; put each data set's own files back"
            ),
            SessionError::Pool { what } => f.write_str(what),
        }
    }
}

impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SessionError::Catalog(error) => Some(error),
            SessionError::Open(error) => Some(error),
            _ => None,
        }
    }
}
