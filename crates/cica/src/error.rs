//! Why something was not done: what, where, what to do, and VSAM's codes.

use cica_admin::Outcome;
use cica_catalog::name::NameError;
use cica_catalog::CatalogError;
use cica_engine::{Feedback, OpenError, PrepareError, RequestError, Retry};
use cica_messages::Message;
use cica_session::{DecideError, SessionError};
use std::fmt;

/// See the module. `Display` is for people, [`code`](Error::code) for programs.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The catalog cannot be used, or there is no memory for the pool.
    Start(SessionError),
    /// A data set cannot be opened.
    Open {
        /// The name that was given.
        name: String,
        /// Why.
        error: SessionError,
    },
    /// A request of an open data set was refused.
    Request(RequestError),
    /// The catalog cannot be read or changed, or has no such entry.
    Catalog(CatalogError),
    /// A unit of recovery in doubt cannot be shown or decided about.
    InDoubt(DecideError),
    /// A function of the catalog was not done, or not all of it.
    Admin {
        /// What was asked for, such as `DEFINE PAYROLL.MASTER`.
        doing: String,
        /// The condition code: 8 in part, 12 not at all, 16 nothing more can be done.
        condition: u8,
        /// What was told, in order; the cause is among the first.
        messages: Vec<Message>,
    },
}

/// The numbers by which VSAM would tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// A request: register 15, reason (RPLERRCD) and component.
    Request(Feedback),
    /// OPEN's reason (ACBERFLG).
    Open(u8),
    /// The catalog's return code and reason, as IDC3009I has them.
    Catalog {
        /// Return code.
        return_code: u16,
        /// Reason within it.
        reason: u16,
    },
    /// The condition code of a function that told no other number.
    Condition(u8),
}

impl Error {
    /// VSAM's numbers.
    pub fn code(&self) -> Code {
        match self {
            Error::Start(SessionError::Catalog(error)) | Error::Catalog(error) => of_catalog(error),
            Error::Start(error) | Error::Open { error, .. } => Code::Open(error.acberflg()),
            Error::Request(error) | Error::InDoubt(DecideError::Unit(PrepareError::Request(error))) => {
                Code::Request(error.feedback())
            }
            Error::InDoubt(DecideError::Open { error, .. }) => Code::Open(error.acberflg()),
            Error::InDoubt(_) => Code::Condition(8),
            Error::Admin {
                condition, messages, ..
            } => code_of(messages).unwrap_or(Code::Condition(*condition)),
        }
    }

    /// Is it that there is no such entry or record?
    pub fn is_not_found(&self) -> bool {
        match self {
            Error::Open { error, .. } => error.is_not_found(),
            Error::Request(error) => matches!(error, RequestError::NotFound),
            _ => self.code() == NOT_FOUND,
        }
    }

    /// What would make a request succeed that failed for no fault of its own: waiting, or the unit of recovery done
    /// again, or a new open. None: it would fail again.
    pub fn retry(&self) -> Option<Retry> {
        match self {
            Error::Request(error) => error.retry(),
            _ => None,
        }
    }

    /// Is it that there is such an entry or record already?
    pub fn is_duplicate(&self) -> bool {
        match self {
            Error::Request(error) => matches!(error, RequestError::Duplicate { .. }),
            _ => self.code() == DUPLICATE,
        }
    }
}

/// The catalog's codes for a name that is not there, and for one that is.
const NOT_FOUND: Code = Code::Catalog {
    return_code: 8,
    reason: 42,
};
const DUPLICATE: Code = Code::Catalog {
    return_code: 8,
    reason: 38,
};

fn of_catalog(error: &CatalogError) -> Code {
    let code = error.code();
    Code::Catalog {
        return_code: code.return_code,
        reason: code.reason,
    }
}

/// The code in the first message that has one.
fn code_of(messages: &[Message]) -> Option<Code> {
    let number = |message: &Message, insert: &str| message.insert(insert)?.parse().ok();
    messages
        .iter()
        .filter(|message| message.entry.id == "IDC3009I")
        .find_map(|message| {
            Some(Code::Catalog {
                return_code: number(message, "rc")?,
                reason: number(message, "reason")?,
            })
        })
}

/// What a function made or found and what it told, or why it was not done.
pub(crate) fn done<T: Default>(doing: impl Into<String>, outcome: Outcome<T>) -> Result<(T, Vec<Message>), Error> {
    if outcome.is_done() {
        Ok((outcome.result, outcome.messages))
    } else {
        Err(Error::Admin {
            doing: doing.into(),
            condition: outcome.condition,
            messages: outcome.messages,
        })
    }
}

impl From<RequestError> for Error {
    fn from(error: RequestError) -> Error {
        Error::Request(error)
    }
}

impl From<DecideError> for Error {
    fn from(error: DecideError) -> Error {
        Error::InDoubt(error)
    }
}

impl From<CatalogError> for Error {
    fn from(error: CatalogError) -> Error {
        Error::Catalog(error)
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Error {
        Error::Start(error.into())
    }
}

impl From<NameError> for Error {
    fn from(error: NameError) -> Error {
        Error::Start(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Start(error) => error.fmt(f),
            Error::Open { name, error } => write!(f, "{name}: {error}"),
            Error::Request(error) => error.fmt(f),
            Error::InDoubt(error) => error.fmt(f),
            Error::Catalog(error) => error.fmt(f),
            Error::Admin {
                doing,
                condition,
                messages,
            } => {
                write!(f, "{doing}: condition code {condition}")?;
                messages.iter().try_for_each(|message| write!(f, "; {message}"))
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::InDoubt(error) => Some(error),
            Error::Start(error) | Error::Open { error, .. } => Some(error),
            Error::Request(error) => Some(error),
            Error::Catalog(error) => Some(error),
            Error::Admin { .. } => None,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Request(of) => write!(f, "{}/{}", of.return_code, of.reason),
            Code::Open(reason) => write!(f, "OPEN {reason}"),
            Code::Catalog { return_code, reason } => write!(f, "catalog {return_code}/{reason}"),
            Code::Condition(code) => write!(f, "condition code {code}"),
        }
    }
}
