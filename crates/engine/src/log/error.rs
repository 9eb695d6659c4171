//! Why a log cannot be written to or read.
//!
//! Who writes names the file, for the error ends in the data set's own message. Who reads a dead owner's log does not:
//! the caller says which log it is, and who needs it.

use crate::error::RequestError;
use cica_format::FormatError;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a log cannot be written to or read. It is cloned for each who waits for the same group.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum LogError {
    /// The system failed a call.
    Io {
        /// What was being done.
        doing: LogCall,
        /// The system's words.
        error: Arc<io::Error>,
    },
    /// All files that a log directory may have are in use.
    NoneFree {
        /// The log directory.
        directory: PathBuf,
        /// Files that it may have.
        most: u32,
    },
    /// It has no file to write to.
    NoFile,
    /// What takes open units back is longer than a group may be.
    CarryTooLong,
    /// It belongs to the parent process.
    Parents(Arc<RequestError>),
    /// A data set that does not stand alone cannot say in its root that it is in the log.
    NotNamed(Arc<dyn Error + Send + Sync>),
    /// The file has no sound header.
    BadHeader(FormatError),
    /// The file was written by a later version.
    NewerFormat(FormatError),
    /// A record of a sound group cannot be read.
    BadRecord {
        /// Its LSN.
        lsn: u64,
        /// What is wrong with it.
        error: FormatError,
    },
    /// The file holds another log by now.
    AnotherLog,
}

/// What was being done when the system failed a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogCall {
    /// The files of this directory were being listed.
    List(PathBuf),
    /// This file was being claimed, made longer or settled.
    Claim(PathBuf),
    /// A group was being written to this file.
    Write(PathBuf),
    /// A group in this file was being made durable.
    Sync(PathBuf),
    /// What takes open units back was being written to this file.
    Carry(PathBuf),
    /// A dead owner's log was being opened.
    Open,
    /// The header of a dead owner's log was being read.
    ReadHeader,
    /// A dead owner's log was being read at this offset.
    Read(u64),
    /// The tail of a dead owner's log, this file, was being opened.
    OpenTail(PathBuf),
    /// The tail of a dead owner's log, this file, was being read.
    ReadTail(PathBuf),
    /// What a dead owner wrote was being made durable.
    MakeDurable,
    /// What the tail has was being written to the log.
    TakeTail,
    /// The log was being given back.
    Release,
}

impl LogError {
    /// For `map_err`: the system failed what was being done.
    pub(super) fn io(doing: LogCall) -> impl FnOnce(io::Error) -> LogError {
        move |error| LogError::Io {
            doing,
            error: Arc::new(error),
        }
    }

    /// The same of a file or directory.
    pub(super) fn io_of(doing: fn(PathBuf) -> LogCall, path: &Path) -> impl FnOnce(io::Error) -> LogError + '_ {
        move |error| LogError::io(doing(path.to_path_buf()))(error)
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Io { doing, error } => fmt_io(f, doing, error),
            LogError::NoneFree { directory, most } => {
                let directory = directory.display();
                write!(f, "log directory {directory}: all {most} log files are in use")
            }
            LogError::NoFile => write!(f, "the log has no file"),
            LogError::CarryTooLong => write!(f, "what takes open units back is too long for a log of its own"),
            LogError::Parents(error) => write!(f, "{error}"),
            LogError::NotNamed(why) => write!(f, "{why}"),
            LogError::BadHeader(error) => write!(f, "{error}. {REMEDY}"),
            LogError::NewerFormat(error) => write!(f, "{error}"),
            LogError::BadRecord { lsn, error } => write!(f, "log record {lsn}: {error}"),
            LogError::AnotherLog => write!(f, "the file holds another log"),
        }
    }
}

/// What to do where a log is not in its file, or cannot be had.
const REMEDY: &str = "Bring the log file back, or delete the data set and restore it from a copy";

fn fmt_io(f: &mut fmt::Formatter<'_>, doing: &LogCall, error: &io::Error) -> fmt::Result {
    match doing {
        LogCall::List(path) => write!(f, "log directory {}: {error}", path.display()),
        LogCall::Claim(path) => write!(f, "log {}: {error}", path.display()),
        LogCall::Write(path) => write!(f, "log {}: write failed: {error}", path.display()),
        LogCall::Sync(path) => write!(f, "log {}: sync failed: {error}", path.display()),
        LogCall::Carry(path) => {
            let path = path.display();
            write!(
                f,
                "log {path}: what takes open units back cannot be carried on: {error}"
            )
        }
        LogCall::Open => match error.kind() {
            // One that may not be written is all there, and so is what it has.
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => write!(
                f,
                "the log cannot be opened: {error}. Nothing is lost: to do what is in it, data set and log must be \
                 written. Open the data set once where they can be, as a user who may; or make a copy of catalog, \
                 volumes and logs, and open that"
            ),
            _ => write!(f, "the log cannot be opened: {error}. {REMEDY}"),
        },
        LogCall::ReadHeader => write!(f, "{error}. {REMEDY}"),
        LogCall::Read(at) => write!(f, "the log cannot be read at offset {at}: {error}"),
        LogCall::OpenTail(path) => write!(f, "its tail {} cannot be opened: {error}", path.display()),
        LogCall::ReadTail(path) => write!(f, "its tail {} cannot be read: {error}", path.display()),
        LogCall::MakeDurable => write!(f, "the log cannot be made durable: {error}"),
        LogCall::TakeTail => write!(f, "what its tail has cannot be written to it: {error}"),
        LogCall::Release => write!(f, "{error}"),
    }
}

impl Error for LogError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            LogError::Io { error, .. } => Some(&**error),
            LogError::Parents(error) => Some(&**error),
            LogError::NotNamed(why) => Some(&**why),
            LogError::BadHeader(error) | LogError::NewerFormat(error) | LogError::BadRecord { error, .. } => {
                Some(error)
            }
            _ => None,
        }
    }
}

/// A log that fails answers nothing more (D3).
impl From<LogError> for RequestError {
    fn from(error: LogError) -> Self {
        RequestError::Fenced { why: error.to_string() }
    }
}

/// Why a log is not where it should be.
#[derive(Debug)]
#[non_exhaustive]
pub enum Lost {
    /// There is no such file.
    NoFile(io::Error),
    /// The file of that name was made later, and never held this log.
    MadeLater(u64),
    /// The file holds another log, though it has never been claimed as often as this one takes.
    Holds {
        /// The log that it holds.
        log: u64,
        /// The log that it should hold, or have held.
        wanted: u64,
    },
    /// The file's first block is blank: its header was never durable.
    Blank(FormatError),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::NoFile(error) => write!(f, "the log cannot be opened: {error}")?,
            Lost::MadeLater(log) => write!(f, "the file of that name was made later, and never held log {log:X}")?,
            Lost::Holds { log, wanted } => write!(f, "the file now holds log {log:X}, not log {wanted:X}")?,
            Lost::Blank(error) => write!(f, "{error}")?,
        }
        write!(f, ". {REMEDY}")
    }
}

impl Error for Lost {}
