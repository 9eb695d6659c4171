//! Why a call was not done: the number that `iserrno` has, and words.

use cica::{Code, Error};
use cica_catalog::CatalogError;
use cica_disk::DiskError;
use cica_engine::{RequestError, UnitOfRecovery};
use cica_messages::Message;
use cica_session::SessionError;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// As `isam.h` names it.
    pub number: i32,
    /// What, where, and what to do.
    pub words: String,
}

/// Numbers of `isam.h`, their names, and what is meant.
pub const NUMBERS: &[(i32, &str, &str)] = &[
    (
        EDUPL,
        "EDUPL",
        "a record with this key is there, and the key has no duplicates",
    ),
    (ENOTOPEN, "ENOTOPEN", "no such file is open, or not for this"),
    (EBADARG, "EBADARG", "an argument is none"),
    (EBADKEY, "EBADKEY", "the key is described wrongly, or cannot be had"),
    (ETOOMANY, "ETOOMANY", "too many files are open"),
    (
        EBADFILE,
        "EBADFILE",
        "the data set is damaged, or is none that ISAM can read",
    ),
    (ENOTEXCL, "ENOTEXCL", "the file must be open for this program alone"),
    (ELOCKED, "ELOCKED", "another program has the record"),
    (EKEXISTS, "EKEXISTS", "the file has such a key already"),
    (EPRIMKEY, "EPRIMKEY", "that is the prime key"),
    (EENDFILE, "EENDFILE", "no record follows, or none is before"),
    (ENOREC, "ENOREC", "there is no such record"),
    (ENOCURR, "ENOCURR", "there is no current record"),
    (EFLOCKED, "EFLOCKED", "another program has the file"),
    (EFNAME, "EFNAME", "the name leads to no data set name"),
    (EBADMEM, "EBADMEM", "there is no memory"),
    (
        ENOTRANS,
        "ENOTRANS",
        "the file is open for transactions, and none has begun",
    ),
    (ENOBEGIN, "ENOBEGIN", "no transaction has begun"),
    (ENOPRIM, "ENOPRIM", "the file has no prime key"),
    (
        EROWSIZE,
        "EROWSIZE",
        "the record is longer or shorter than the file's may be",
    ),
    (
        EAUDIT,
        "EAUDIT",
        "audit trails are not supported yet: the log has what changed",
    ),
    (ENOTYET, "ENOTYET", "this is not supported yet"),
    (EIO, "EIO", "the device failed, or the data set is fenced"),
];

pub const EDUPL: i32 = 100;
pub const ENOTOPEN: i32 = 101;
pub const EBADARG: i32 = 102;
pub const EBADKEY: i32 = 103;
pub const ETOOMANY: i32 = 104;
pub const EBADFILE: i32 = 105;
pub const ENOTEXCL: i32 = 106;
pub const ELOCKED: i32 = 107;
pub const EKEXISTS: i32 = 108;
pub const EPRIMKEY: i32 = 109;
pub const EENDFILE: i32 = 110;
pub const ENOREC: i32 = 111;
pub const ENOCURR: i32 = 112;
pub const EFLOCKED: i32 = 113;
pub const EFNAME: i32 = 114;
pub const EBADMEM: i32 = 116;
pub const ENOTRANS: i32 = 122;
pub const ENOBEGIN: i32 = 124;
pub const ENOPRIM: i32 = 127;
pub const EROWSIZE: i32 = 132;
pub const EAUDIT: i32 = 133;
pub const ENOTYET: i32 = 199;
/// The system's numbers are below 100; `iserrno` has them too.
pub const EIO: i32 = 5;
pub const ENOENT: i32 = 2;
pub const EINTR: i32 = 4;
pub const EACCES: i32 = 13;
pub const EEXIST: i32 = 17;
pub const ENFILE: i32 = 23;
pub const EMFILE: i32 = 24;
pub const ENOSPC: i32 = 28;

impl Refused {
    /// Of a number, in its own words.
    pub fn new(number: i32) -> Refused {
        let words = NUMBERS
            .iter()
            .find(|(of, ..)| *of == number)
            .map_or("", |(.., words)| words);
        Refused::because(number, words)
    }

    /// Of a number, in these words.
    pub fn because(number: i32, words: impl Into<String>) -> Refused {
        Refused {
            number,
            words: words.into(),
        }
    }
}

impl From<RequestError> for Refused {
    fn from(error: RequestError) -> Refused {
        Refused::because(number_of(&error), error.to_string())
    }
}

fn number_of(error: &RequestError) -> i32 {
    match error {
        RequestError::EndOfData => EENDFILE,
        RequestError::Duplicate { .. } => EDUPL,
        RequestError::NotFound => ENOREC,
        RequestError::Exclusive { .. }
        | RequestError::Deadlock { .. }
        | RequestError::LockTimeout { .. }
        | RequestError::Retained { .. } => ELOCKED,
        RequestError::NoSpace { .. } => ENOSPC,
        RequestError::Access { .. } => ENOTOPEN,
        RequestError::NoPosition | RequestError::NoUpdate => ENOCURR,
        RequestError::KeyChanged => EPRIMKEY,
        RequestError::Length { .. } => EROWSIZE,
        RequestError::KeyLength { .. } => EBADARG,
        RequestError::Alternate { error, .. } => number_of(error),
        RequestError::Physical { .. } | RequestError::Fenced { .. } => EIO,
        _ => EBADFILE,
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        let number = match &error {
            _ if of_process(&error).is_some() => of_process(&error).unwrap_or(EBADFILE),
            Error::Request(request) => number_of(request),
            // Nothing is there before something is made.
            Error::Start(SessionError::Catalog(CatalogError::NoCatalog { .. })) => ENOENT,
            _ if error.is_not_found() => ENOENT,
            _ if error.is_duplicate() => EEXIST,
            _ => match error.code() {
                Code::Open(168) => EFLOCKED,
                Code::Open(152) => EACCES,
                Code::Open(136) => EBADMEM,
                _ => EBADFILE,
            },
        };
        Refused::because(number, error.to_string())
    }
}

/// The system's number of what the process has no more of: descriptors. It says nothing of the file.
fn of_process(error: &(dyn std::error::Error + 'static)) -> Option<i32> {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let numbers = causes.filter_map(|cause| {
        let error = cause.downcast_ref::<std::io::Error>()?;
        DiskError::of(error).map_or(error.raw_os_error(), DiskError::raw_os_error)
    });
    numbers.into_iter().find(|number| matches!(*number, ENFILE | EMFILE))
}

/// What a function of the catalog told, where it was not done.
pub fn refused_with(number: i32, messages: &[Message]) -> Refused {
    let words: Vec<String> = messages.iter().map(Message::to_string).collect();
    Refused::because(number, words.join("; "))
}

/// Ends a unit of recovery that a call made for itself.
pub fn end(unit: &UnitOfRecovery, done: Result<(), Refused>) -> Result<(), Refused> {
    match done {
        Ok(()) => Ok(unit.commit()?),
        Err(refused) => match unit.backout() {
            Ok(()) => Err(refused),
            Err(worse) => Err(worse.into()),
        },
    }
}
