//! What stops REPRO, PRINT, VERIFY or EXAMINE: an error of a data set or file, told with the action that failed, VSAM's
//! number, and the words.

use super::failure::{in_words, Failure};
use cica_engine::{Feedback, OpenError, RequestError};
use cica_messages::{CICA0941E, IDC3300I, IDC3302I, IDC3309I, IDC3351I};
use cica_qsam::QsamError;
use std::fmt::Display;
use std::io;

/// OPEN codes of VSAM that the engine does not give.
pub const NO_DD: u8 = 128;
pub const NO_FILE: u8 = 184;

/// The condition code of a command that gave up.
pub const GAVE_UP: u8 = 12;

/// See the module.
#[derive(Debug)]
pub enum Trouble {
    /// A request failed.
    Request(RequestError),
    /// A data set could not be closed: it is as of its last commit.
    Close(RequestError),
    /// A sequential file cannot be read or written.
    File(QsamError),
    /// No record at or above this key, as it is to be shown.
    NoSuchKey(String),
}

impl From<RequestError> for Trouble {
    fn from(error: RequestError) -> Trouble {
        Trouble::Request(error)
    }
}

impl From<QsamError> for Trouble {
    fn from(error: QsamError) -> Trouble {
        Trouble::File(error)
    }
}

impl Trouble {
    /// Whoever read what is written has gone.
    pub fn is_reader_gone(&self) -> bool {
        matches!(self, Trouble::File(QsamError::Write { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The messages, `name` being the data set or file.
    pub fn of(&self, name: &str) -> Failure {
        match self {
            Trouble::Request(error) => request(name, "I/O", error),
            Trouble::Close(error) => request(name, "CLOSE", error),
            Trouble::File(error) => Failure::new(&CICA0941E, &[("name", &name), ("reason", error)]),
            Trouble::NoSuchKey(key) => Failure::new(&IDC3309I, &[("key", key)]),
        }
    }
}

/// A data set that cannot be opened.
pub fn not_opened(name: &str, error: &OpenError) -> Failure {
    open_code(name, error.acberflg(), &in_words(error))
}

/// The same with a code of its own.
pub fn open_code(name: &str, acberflg: u8, words: &dyn std::fmt::Display) -> Failure {
    let detail = format!(": {words}");
    Failure::new(&IDC3300I, &[("name", &name)]).and(
        &IDC3351I,
        &[("operation", &"OPEN"), ("rc", &acberflg), ("detail", &detail)],
    )
}

fn request(name: &str, operation: &str, error: &RequestError) -> Failure {
    action_error(name, operation, error.feedback(), error).with_cc(GAVE_UP)
}

/// A request that VSAM refuses with `feedback`.
pub fn action_error(name: &str, operation: &str, feedback: Feedback, words: &dyn Display) -> Failure {
    // As on z/OS the number of IDC3351I is the reason; register 15 stands in the feedback word.
    let detail = format!(
        " - RPLFDBWD=X'00{:02X}{:02X}{:02X}': {words}",
        feedback.return_code, feedback.component, feedback.reason
    );
    Failure::new(&IDC3302I, &[("name", &name)]).and(
        &IDC3351I,
        &[("operation", &operation), ("rc", &feedback.reason), ("detail", &detail)],
    )
}

/// A file that cannot be opened.
pub fn no_file(name: &str) -> impl Fn(io::Error) -> Failure + '_ {
    move |error| {
        let code = match error.kind() {
            io::ErrorKind::NotFound => NO_DD,
            _ => NO_FILE,
        };
        open_code(name, code, &error)
    }
}
