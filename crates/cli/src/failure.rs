//! How the command ends: exit statuses, and errors for people on stderr.
//!
//! `cica idcams` ends with MAXCC. All others end with one of the numbers below, which mean what condition codes mean.
//! An error is told as `cica: MESSAGE-ID what, where, what to do`; `cica explain MESSAGE-ID` tells more.

use cica_catalog::name::NameError;
use cica_catalog::CatalogError;
use cica_engine::{OpenError, RequestError};
use cica_messages::{self as messages, MessageEntry};
use cica_qsam::{DdError, QsamError};
use cica_session::SessionError;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// An exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Status(pub u8);

impl Status {
    /// Everything was done.
    pub const DONE: Status = Status(0);
    /// Nothing was found: no record with the key, no entry that matches.
    pub const NOTHING: Status = Status(4);
    /// It was done, and something is missing in the result.
    pub const INCOMPLETE: Status = Status(4);
    /// What was asked cannot be done with this data set or input.
    pub const REFUSED: Status = Status(8);
    /// The catalog, a data set or a file cannot be used.
    pub const UNUSABLE: Status = Status(12);
    /// The command line is wrong (EX_USAGE of sysexits).
    pub const USAGE: Status = Status(64);
}

impl Status {
    /// The worse of this and what came of the output, which is told. That its reader has gone makes nothing worse.
    pub fn with_output<E: Into<Failure>>(self, written: Result<(), E>) -> Status {
        match written {
            Ok(()) => self,
            Err(error) => self.max(error.into().tell()),
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.0)
    }
}

/// What ends a command early.
#[derive(Debug)]
pub enum Failure {
    /// An error, to be told.
    Error {
        /// Exit status.
        status: Status,
        /// Id of the message.
        id: &'static str,
        /// What, where, what to do.
        text: String,
    },
    /// Whoever read the output has gone (`cica cat X | head`): nothing is wrong.
    OutputClosed,
}

impl Failure {
    /// An error with the id of `message` and words of its own.
    pub fn new(status: Status, message: &'static MessageEntry, text: impl Display) -> Failure {
        Failure::Error {
            status,
            id: message.id,
            text: text.to_string(),
        }
    }

    /// A wrong command line.
    pub fn usage(text: impl Display) -> Failure {
        Failure::new(Status::USAGE, &messages::CICA0952E, text)
    }

    /// The same error with a place before its words.
    pub fn at(self, place: impl Display) -> Failure {
        match self {
            Failure::Error { status, id, text } => Failure::Error {
                status,
                id,
                text: format!("{place}: {text}"),
            },
            closed => closed,
        }
    }

    /// Tells the error on stderr, and gives the exit status.
    pub fn tell(self) -> Status {
        match self {
            Failure::Error { status, id, text } => {
                crate::terminal::tell(&format!("cica: {id} {text}"));
                status
            }
            Failure::OutputClosed => Status::DONE,
        }
    }
}

impl From<cica_server::ServeError> for Failure {
    fn from(error: cica_server::ServeError) -> Failure {
        Failure::new(Status::UNUSABLE, &messages::CICA0995E, error)
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Failure {
        match &error {
            CatalogError::NotFound { .. } => Failure::new(Status::REFUSED, &messages::IDC3012I, error),
            CatalogError::Duplicate { .. } => Failure::new(Status::REFUSED, &messages::IDC3013I, error),
            CatalogError::VolumeMissing { .. } | CatalogError::VolumeReadOnly { .. } => {
                Failure::new(Status::UNUSABLE, &messages::CICA0930E, error)
            }
            CatalogError::Untrusted { .. } | CatalogError::VolumeOutside { .. } => {
                Failure::new(Status::UNUSABLE, &messages::CICA0991E, error)
            }
            CatalogError::Io { source, .. } if cica_disk::is_outside(source) => {
                Failure::new(Status::UNUSABLE, &messages::CICA0991E, error)
            }
            CatalogError::VolumeExists { .. } | CatalogError::VolumeTaken { .. } | CatalogError::VolumeInUse { .. } => {
                Failure::new(Status::REFUSED, &messages::CICA0930E, error)
            }
            _ => Failure::new(Status::UNUSABLE, &messages::IDC3014I, error),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        Failure::new(Status::UNUSABLE, &messages::IDC3300I, error)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Failure {
        match error {
            SessionError::Name(error) => error.into(),
            SessionError::Catalog(error) => error.into(),
            SessionError::Open(error) => error.into(),
            SessionError::Component { .. } => Failure::new(Status::REFUSED, &messages::IDC3012I, error),
            SessionError::NoRecords { .. } => Failure::new(Status::REFUSED, &messages::IDC3302I, error),
            SessionError::Circle { .. } => Failure::new(Status::REFUSED, &messages::IDC3014I, error),
            _ => Failure::new(Status::UNUSABLE, &messages::IDC3300I, error),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Failure {
        let (status, message) = match &error {
            RequestError::NotFound | RequestError::EndOfData => (Status::NOTHING, &messages::IDC3309I),
            RequestError::Duplicate { .. } => (Status::REFUSED, &messages::IDC3308I),
            RequestError::Sequence { .. } => (Status::REFUSED, &messages::IDC3314I),
            RequestError::Length { .. } => (Status::REFUSED, &messages::CICA0931E),
            RequestError::NoSpace { .. } => (Status::UNUSABLE, &messages::IDC3020I),
            RequestError::Physical { .. } | RequestError::Fenced { .. } => (Status::UNUSABLE, &messages::IDC3302I),
            _ => (Status::REFUSED, &messages::IDC3302I),
        };
        Failure::new(status, message, error)
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Failure {
        Failure::usage(error)
    }
}

impl From<DdError> for Failure {
    fn from(error: DdError) -> Failure {
        Failure::usage(error)
    }
}

impl From<QsamError> for Failure {
    fn from(error: QsamError) -> Failure {
        Failure::new(Status::UNUSABLE, &messages::CICA0941E, error)
    }
}

/// A failure to write the output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::new(
                Status::UNUSABLE,
                &messages::CICA0941E,
                format!("the output cannot be written: {error}"),
            ),
        }
    }
}
