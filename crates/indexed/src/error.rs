//! [`IsamError`]: why a request was refused.

use std::fmt;
use std::io;

/// Why something was not done; it changed nothing, unless it is `Io`.
#[derive(Debug)]
#[non_exhaustive]
pub enum IsamError {
    /// The file cannot be read or written.
    Io(io::Error),
    /// The organization is none that the device has room for.
    Organization(String),
    /// The file is none of these, or its label is damaged.
    NotIndexed(&'static str),
    /// Its load did not come to its end.
    Unfinished,
    /// What is stored at this place is not what was written there.
    Damaged {
        /// Cylinder.
        cylinder: u32,
        /// Track of it.
        track: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// A record has another length.
    Length {
        /// Bytes that came.
        got: usize,
        /// Bytes that a record has.
        wanted: usize,
    },
    /// A key has another length.
    KeyLength {
        /// Bytes that came.
        got: usize,
        /// Bytes that a key has.
        wanted: usize,
    },
    /// A load got a key that is not above the one before it.
    OutOfOrder,
    /// There is a record with this key.
    Duplicate,
    /// There is none with this key.
    NotFound,
    /// The prime area has no cylinder left.
    PrimeFull,
    /// Neither the cylinder's overflow tracks nor the independent overflow area have room.
    OverflowFull {
        /// The cylinder.
        cylinder: u32,
    },
    /// Nothing was loaded, and records are added only to such as were.
    Empty,
    /// There is no record that was read for update before.
    NoUpdate,
    /// An update has another key than the record that was read.
    KeyChanged,
    /// The data set was opened for reading.
    ReadOnly,
}

impl fmt::Display for IsamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IsamError::Io(error) => error.fmt(f),
            IsamError::Organization(why) => f.write_str(why),
            IsamError::NotIndexed(why) => write!(f, "not an indexed sequential file: {why}; load it anew"),
            IsamError::Unfinished => f.write_str("the load of this file was never closed; load it anew"),
            IsamError::Damaged { cylinder, track, what } => write!(
                f,
                "cylinder {cylinder}, track {track}: {what}; the file is damaged, load it anew"
            ),
            IsamError::Length { got, wanted } => write!(f, "a record has {wanted} bytes, this one {got}"),
            IsamError::KeyLength { got, wanted } => write!(f, "a key has {wanted} bytes, this one {got}"),
            IsamError::OutOfOrder => f.write_str("key not above the one before it; sort what is loaded"),
            IsamError::Duplicate => f.write_str("there is a record with this key"),
            IsamError::NotFound => f.write_str("there is no record with this key"),
            IsamError::PrimeFull => f.write_str("the prime area is full; load with more cylinders"),
            IsamError::OverflowFull { cylinder } => write!(
                f,
                "no room in the overflow tracks of cylinder {cylinder}, nor in the independent overflow area; \
                 load it anew with more of them"
            ),
            IsamError::Empty => f.write_str("nothing was loaded; the first records of a file come by a load"),
            IsamError::NoUpdate => f.write_str("no record was read for update"),
            IsamError::KeyChanged => f.write_str("an update must not change the key; insert the other record"),
            IsamError::ReadOnly => f.write_str("opened for reading; open it for output to change it"),
        }
    }
}

impl std::error::Error for IsamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            IsamError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for IsamError {
    fn from(error: io::Error) -> IsamError {
        IsamError::Io(error)
    }
}
