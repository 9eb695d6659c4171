//! Errors for people: what could not be done, to which file, why, and what to do about it.
//!
//! Every `io::Error` of this crate carries a [`DiskError`]; its kind is the system's, except that a used-up quota
//! is also [`ErrorKind::StorageFull`], because whoever has to free space does not care whose limit it was.

use crate::{ReadAt, WriteAt};
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// `EDQUOT` of Linux.
const QUOTA_EXCEEDED: i32 = 122;
/// ENOLCK, ENOSYS and EOPNOTSUPP of Linux.
const NO_LOCKS: i32 = 37;
const NOT_THERE: i32 = 38;
const NOT_SUPPORTED: i32 = 95;
/// ENFILE and EMFILE of Linux.
const SYSTEM_HAS_NO_DESCRIPTOR: i32 = 23;
const NO_DESCRIPTOR: i32 = 24;

/// What a disk was asked to do when it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Opening a file or directory that should be there.
    Open,
    /// Making a file or directory.
    Make,
    /// Taking the lock asked for.
    Lock,
    /// Reading `len` bytes at byte `at`.
    Read {
        /// Byte offset.
        at: u64,
        /// Bytes.
        len: usize,
    },
    /// Writing `len` bytes at byte `at`.
    Write {
        /// Byte offset.
        at: u64,
        /// Bytes.
        len: usize,
    },
    /// Making writes durable.
    Sync,
    /// Asking for the length.
    Measure,
    /// Growing or cutting a file to `to` bytes.
    Resize {
        /// The new length in bytes.
        to: u64,
    },
    /// Giving the file this new name.
    Rename {
        /// The new name.
        to: PathBuf,
    },
    /// Taking a name away.
    Remove,
    /// Listing a directory.
    List,
}

impl Action {
    /// Reading a batch: told by its first request.
    pub(crate) fn reading(batch: &[ReadAt<'_>]) -> Action {
        Action::reading_first(batch.first().map(|first| (first.at, first.buf.len())))
    }

    /// The same, of a first request at such a place and so long.
    pub(crate) fn reading_first(first: Option<(u64, usize)>) -> Action {
        let (at, len) = first.unwrap_or((0, 0));
        Action::Read { at, len }
    }

    /// Writing a batch: told by its first request.
    pub(crate) fn writing(batch: &[WriteAt<'_>]) -> Action {
        let (at, len) = batch.first().map_or((0, 0), |first| (first.at, first.buf.len()));
        Action::Write { at, len }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Open => f.write_str("cannot open"),
            Action::Make => f.write_str("cannot make"),
            Action::Lock => f.write_str("cannot lock"),
            Action::Read { at, len } => write!(f, "cannot read {len} bytes at byte {at} of"),
            Action::Write { at, len } => write!(f, "cannot write {len} bytes at byte {at} of"),
            Action::Sync => f.write_str("cannot make durable what was written to"),
            Action::Measure => f.write_str("cannot tell the length of"),
            Action::Resize { to } => write!(f, "cannot make the length {to} bytes of"),
            Action::Rename { to } => write!(f, "cannot give the name {} to", to.display()),
            Action::Remove => f.write_str("cannot remove"),
            Action::List => f.write_str("cannot list"),
        }
    }
}

/// The payload of every `io::Error` of this crate.
#[derive(Debug)]
pub struct DiskError {
    /// What was being done.
    pub action: Action,
    /// To which file or directory.
    pub path: PathBuf,
    /// What the system said.
    pub cause: io::Error,
}

/// What the system said, where the caller's message names the file.
pub(crate) fn bare(error: io::Error) -> io::Error {
    match error.downcast::<DiskError>() {
        Ok(error) => error.cause,
        Err(error) => error,
    }
}

impl DiskError {
    /// The `DiskError` inside an error, if it came from a disk.
    pub fn of(error: &io::Error) -> Option<&DiskError> {
        error.get_ref().and_then(|inner| inner.downcast_ref())
    }

    /// Has this process no right to the file, or no means to use it now? Nothing is said then of what is in the file.
    pub fn is_of_process(error: &io::Error) -> bool {
        let number = DiskError::of(error).map_or(error.raw_os_error(), DiskError::raw_os_error);
        let without = [NO_DESCRIPTOR, SYSTEM_HAS_NO_DESCRIPTOR];
        number.is_some_and(|number| without.contains(&number))
            || matches!(
                error.kind(),
                ErrorKind::PermissionDenied
                    | ErrorKind::OutOfMemory
                    | ErrorKind::StorageFull
                    | ErrorKind::QuotaExceeded
                    | ErrorKind::ReadOnlyFilesystem
                    | ErrorKind::WouldBlock
                    | ErrorKind::ResourceBusy
                    | ErrorKind::Interrupted
            )
    }

    /// The system's error number, if it gave one.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.cause.raw_os_error()
    }

    fn kind(&self) -> ErrorKind {
        match self.raw_os_error() {
            Some(QUOTA_EXCEEDED) => ErrorKind::StorageFull,
            _ => self.cause.kind(),
        }
    }

    /// Has the file system no locks?
    fn is_without_locks(&self) -> bool {
        match self.raw_os_error() {
            Some(NO_LOCKS) => true,
            Some(NOT_THERE | NOT_SUPPORTED) => self.action == Action::Lock,
            _ => false,
        }
    }

    fn remedy(&self) -> &'static str {
        match self.kind() {
            _ if self.is_without_locks() => {
                "; its file system has no locks: put the catalog and its volumes on one of this machine that has, as ext4 \
                 or XFS"
            }
            ErrorKind::StorageFull => "; free space on its file system or raise the quota",
            ErrorKind::WouldBlock => "; it is in use, try again when its user is done",
            // It says itself what to do.
            _ if self.raw_os_error().is_none() && self.cause.get_ref().is_some() => "",
            ErrorKind::PermissionDenied => "; ask its owner for the right to do so",
            ErrorKind::ReadOnlyFilesystem => "; its file system is mounted for reading alone",
            ErrorKind::NotFound => "; check the name and that its directory is there",
            _ => "",
        }
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}: {}{}",
            self.action,
            self.path.display(),
            self.cause,
            self.remedy()
        )
    }
}

impl std::error::Error for DiskError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// The error of `action` on `path`, with the kind of `cause`.
pub(crate) fn failed(action: Action, path: &Path, cause: impl Into<io::Error>) -> io::Error {
    let error = DiskError {
        action,
        path: path.to_path_buf(),
        cause: cause.into(),
    };
    io::Error::new(error.kind(), error)
}

/// The error of writing through a handle opened for reading alone.
pub(crate) fn opened_for_reading() -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, "it was opened for reading alone")
}

/// The error of using, in a child after `fork`, what the parent opened.
#[cfg(target_os = "linux")]
pub(crate) fn opened_by_parent() -> io::Error {
    let words = "the parent process opened it; a child after fork opens its files anew";
    io::Error::new(ErrorKind::PermissionDenied, words)
}

/// The error of reading or writing a directory as if it were a file.
pub(crate) fn is_a_directory() -> io::Error {
    io::Error::from(ErrorKind::IsADirectory)
}

/// The error of reading what another process has written to since it was opened by one who cannot keep writers off.
pub(crate) fn changed() -> io::Error {
    let what = "it was written to while it was read by a user who may not lock it; open it again";
    io::Error::new(ErrorKind::ResourceBusy, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_not_is_told_from_what_is_wrong_with_a_file() {
        let of_process = |number| {
            let bare = || io::Error::from_raw_os_error(number);
            let told = DiskError::is_of_process(&failed(Action::Open, Path::new("/A"), bare()));
            assert_eq!(DiskError::is_of_process(&bare()), told, "{number}");
            told
        };
        // EPERM, ENOMEM, EACCES, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT
        assert!([1, 12, 13, 23, 24, 28, 30, 122].into_iter().all(of_process));
        // ENOENT, EIO, ENXIO, EUCLEAN
        assert!(![2, 5, 6, 117].into_iter().any(of_process));
    }

    #[test]
    fn a_file_system_without_locks_is_said_to_be_one() {
        let told = |action, number| failed(action, Path::new("/A"), io::Error::from_raw_os_error(number)).to_string();
        for number in [NO_LOCKS, NOT_THERE, NOT_SUPPORTED] {
            let told = told(Action::Lock, number);
            assert!(
                told.starts_with("cannot lock /A: ") && told.contains("has no locks"),
                "{told}"
            );
        }
        assert!(told(Action::Open, NO_LOCKS).contains("has no locks"));
        assert!(!told(Action::Open, NOT_SUPPORTED).contains("has no locks"));
    }
}
