//! What a request answers when it does not do what was asked: VSAM's return code, reason and component, and words.

use cica_disk::{Disk, Holder, Lock, Open};
use std::fmt;
use std::path::{Path, PathBuf};

/// VSAM's feedback: register 15, reason and component of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Feedback {
    /// R15: 0 done, 8 logical error, 12 physical error, 16 no service.
    pub return_code: u8,
    /// RPLERRCD.
    pub reason: u8,
    /// RPLCMPON: 0 base, 2 alternate index, 4 upgrade set.
    pub component: u8,
}

/// Why a request was refused. `feedback()` gives VSAM's numbers, `Display` the words.
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// 8/4: no record follows (or precedes).
    EndOfData,
    /// 8/8: a record with this key exists.
    Duplicate {
        /// The key.
        key: Vec<u8>,
    },
    /// 8/12: key not above the one before it (load, sequential or skip-sequential).
    Sequence {
        /// The key.
        key: Vec<u8>,
    },
    /// 8/16: no such record.
    NotFound,
    /// 8/20: another string holds the record for update.
    Exclusive {
        /// The key.
        key: Vec<u8>,
        /// Number of the open data set in the lock table.
        set: u64,
        /// Who has it, if somebody said what he is called.
        by: Option<String>,
    },
    /// 8/21: to wait for the record would be to wait for oneself.
    Deadlock {
        /// The key.
        key: Vec<u8>,
        /// Who has it.
        by: Option<String>,
    },
    /// 8/22: the record was not free in time.
    LockTimeout {
        /// The key.
        key: Vec<u8>,
        /// Who has it.
        by: Option<String>,
    },
    /// 8/24: the lock of the record is retained.
    Retained {
        /// The key.
        key: Vec<u8>,
        /// Whose lock it is.
        by: Option<String>,
    },
    /// 8/28: the data set cannot be extended.
    NoSpace {
        /// Why: no secondary space, 123 extents, or the file system's words.
        why: String,
    },
    /// 8/32: the RBA is not the start of a record.
    BadRba {
        /// The RBA.
        rba: u64,
    },
    /// 8/32: a range of a linear data set that does not begin and end at multiples of 4,096, or lies behind its end.
    BadRange {
        /// Where it begins.
        rba: u64,
        /// Its length.
        len: usize,
        /// Bytes the data set has.
        end: u64,
    },
    /// 8/40: what takes the unit of recovery back would have more than a quarter of the pool, or more than there is
    /// room for.
    UnitTooLarge,
    /// 8/44: the caller's area is shorter than the record.
    AreaTooSmall {
        /// Bytes the record has.
        need: usize,
        /// Bytes the area has.
        have: usize,
    },
    /// 8/68: the open does not allow this request.
    Access {
        /// What was asked.
        what: &'static str,
    },
    /// 8/72: a key was given where records have none.
    NoKeys,
    /// 8/76: a record cannot be added by address here.
    AddressedInsert,
    /// 8/80: records of this organization cannot be erased.
    NoErase {
        /// The organization.
        of: &'static str,
    },
    /// 8/88: no position to go on from.
    NoPosition,
    /// 8/92: update or erase without a get for update before it.
    NoUpdate,
    /// 8/96: the prime key of a record cannot change.
    KeyChanged,
    /// 8/100: an update by address cannot change a record's length.
    LengthChange {
        /// Bytes given.
        given: usize,
        /// Bytes the record has.
        has: usize,
    },
    /// 8/104: options that contradict each other.
    Options {
        /// Which.
        what: &'static str,
    },
    /// 8/108: record too long, or too short to hold its key.
    Length {
        /// Bytes given.
        given: usize,
        /// Least allowed.
        least: usize,
        /// Most allowed.
        most: usize,
    },
    /// 8/108: not so many bytes as a control interval has.
    IntervalLength {
        /// Bytes given.
        given: usize,
        /// CISZ.
        size: usize,
        /// As many of them as there is room for are got.
        several: bool,
    },
    /// 8/112: key or generic key of length 0 or longer than the data set's.
    KeyLength {
        /// Bytes given.
        given: usize,
        /// The data set's key length.
        key_length: usize,
    },
    /// 8/116: during load only sequential inserts.
    Loading,
    /// 8/144: an alternate index points to a base record that is not there.
    NoBaseRecord {
        /// The pointer.
        pointer: Vec<u8>,
    },
    /// 8/148: an alternate index record takes no more pointers.
    PointerLimit {
        /// The alternate key.
        key: Vec<u8>,
    },
    /// 8/200: a request by address or record number through a path.
    PathAddressed,
    /// An alternate index is the reason, not the base.
    Alternate {
        /// RPLCMPON: 2 the path's alternate index, 4 the upgrade set.
        component: u8,
        /// Its name.
        name: String,
        /// What it answered.
        error: Box<RequestError>,
    },
    /// 8/20: a control interval is not any more as it was when it was got for update.
    IntervalChanged {
        /// Where it begins.
        rba: u64,
    },
    /// 8/156: the image is not one of this control interval.
    BadInterval {
        /// Why.
        why: String,
    },
    /// 8/192: no record has this number: 0, or more than the data set can ever hold.
    BadRrn {
        /// The relative record number.
        rrn: u64,
    },
    /// 8/196: an RBA was given where records go by their numbers.
    NoAddresses,
    /// 12/4 or 12/8: a CI does not read back as it was written, or the device failed.
    Physical {
        /// 4 data read, 8 index read, 12 sequence set read, 16 data write, 20 index write, 24 sequence set write.
        reason: u8,
        /// Component name, CI, RBA and what is wrong.
        what: String,
    },
    /// 12/16: an earlier write or sync failed; the open answers nothing more. Close and open again.
    Fenced {
        /// The failure.
        why: String,
    },
}

/// What makes a request that failed worth doing again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Later: somebody has the record, and will not have it for ever.
    Later,
    /// Behind a backout: who holds the record waits for this unit of recovery, so all that it did is to be done again.
    Unit,
    /// Behind a new open: the open answers nothing more, and what was committed is there.
    Reopen,
}

impl RequestError {
    /// What would make the same request succeed that failed for no fault of its own; none: it would fail again. Where
    /// space is missing (8/28) somebody has to make room first, so that is none.
    pub fn retry(&self) -> Option<Retry> {
        use RequestError::*;
        match self {
            Alternate { error, .. } => error.retry(),
            Exclusive { .. } | LockTimeout { .. } | Retained { .. } | IntervalChanged { .. } => Some(Retry::Later),
            Deadlock { .. } => Some(Retry::Unit),
            Fenced { .. } => Some(Retry::Reopen),
            _ => None,
        }
    }

    /// VSAM's numbers for it.
    pub fn feedback(&self) -> Feedback {
        use RequestError::*;
        let (return_code, reason) = match self {
            Alternate { component, error, .. } => {
                return Feedback {
                    component: *component,
                    ..error.feedback()
                }
            }
            NoBaseRecord { .. } => (8, 144),
            PointerLimit { .. } => (8, 148),
            PathAddressed => (8, 200),
            EndOfData => (8, 4),
            Duplicate { .. } => (8, 8),
            Sequence { .. } => (8, 12),
            NotFound => (8, 16),
            Exclusive { .. } | IntervalChanged { .. } => (8, 20),
            Deadlock { .. } => (8, 21),
            LockTimeout { .. } => (8, 22),
            Retained { .. } => (8, 24),
            NoSpace { .. } => (8, 28),
            BadRba { .. } | BadRange { .. } => (8, 32),
            UnitTooLarge => (8, 40),
            AreaTooSmall { .. } => (8, 44),
            Access { .. } => (8, 68),
            NoKeys => (8, 72),
            AddressedInsert => (8, 76),
            NoErase { .. } => (8, 80),
            NoPosition => (8, 88),
            NoUpdate => (8, 92),
            KeyChanged => (8, 96),
            LengthChange { .. } => (8, 100),
            Options { .. } => (8, 104),
            Length { .. } | IntervalLength { .. } => (8, 108),
            KeyLength { .. } => (8, 112),
            Loading => (8, 116),
            BadInterval { .. } => (8, 156),
            BadRrn { .. } => (8, 192),
            NoAddresses => (8, 196),
            Physical { reason, .. } => (12, *reason),
            Fenced { .. } => (12, 16),
        };
        Feedback {
            return_code,
            reason,
            component: 0,
        }
    }
}

impl RequestError {
    /// The same as an answer of an alternate index.
    pub(crate) fn in_component(self, component: u8, name: &str) -> RequestError {
        RequestError::Alternate {
            component,
            name: name.to_string(),
            error: Box::new(self),
        }
    }
}

/// A key in people's form: text when printable, and hexadecimal.
pub fn show_key(key: &[u8]) -> String {
    let hex: String = key.iter().map(|b| format!("{b:02X}")).collect();
    if key.iter().all(|b| (0x20..0x7F).contains(b)) {
        format!("'{}' (X'{hex}')", String::from_utf8_lossy(key))
    } else {
        format!("X'{hex}'")
    }
}

/// What a name of the lock table stands for: a record, or where records are added to an ESDS.
fn show_locked(key: &[u8]) -> String {
    if key.is_empty() {
        "the end of the data set".into()
    } else {
        format!("record {}", show_key(key))
    }
}

/// What ends a copy from string to string.
#[derive(Debug)]
pub enum CopyError {
    /// The next record cannot be read.
    Read(RequestError),
    /// It was read, and is refused.
    Write(RequestError),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use RequestError::*;
        match self {
            EndOfData => write!(f, "end of data")?,
            Duplicate { key } => write!(f, "a record with key {} exists already", show_key(key))?,
            Sequence { key } => write!(f, "key {} is not above the key before it", show_key(key))?,
            NotFound => write!(f, "no such record")?,
            Exclusive { key, by, .. } => {
                let by = by.as_deref().unwrap_or("another string or unit of recovery");
                write!(f, "{} is held by {by}", show_locked(key))?;
            }
            Deadlock { key, by } => write!(
                f,
                "waiting for {} would never end: {} waits for this unit of recovery; back it out and do it again",
                show_locked(key),
                by.as_deref().unwrap_or("who holds it")
            )?,
            LockTimeout { key, by } => write!(
                f,
                "{} was not free in time: {} holds it",
                show_locked(key),
                by.as_deref().unwrap_or("another string or unit of recovery")
            )?,
            Retained { key, by } => write!(
                f,
                "the lock of {} is retained for {}, whose changes are not ended yet",
                show_locked(key),
                by.as_deref().unwrap_or("a unit of recovery")
            )?,
            NoSpace { why } => write!(f, "the data set cannot be extended: {why}")?,
            BadRba { rba } => write!(f, "no record starts at RBA {rba}")?,
            BadRange { rba, len, end } => write!(
                f,
                "{len} bytes from RBA {rba} on are no range of this data set: it has {end} bytes, and ranges begin and \
                 end at multiples of 4,096"
            )?,
            AreaTooSmall { need, have } => write!(f, "the record has {need} bytes, the area given {have}")?,
            UnitTooLarge => write!(
                f,
                "what takes this unit of recovery back would have more than a quarter of the pool, or than is free in it: \
                 commit more often, or raise CICA_POOL"
            )?,
            Access { what } => write!(f, "this open does not allow {what}")?,
            NoKeys => write!(f, "records of this data set have no keys: give an RBA")?,
            AddressedInsert => write!(f, "records cannot be added by address here")?,
            NoErase { of } => write!(f, "records of {of} cannot be erased")?,
            NoPosition => write!(f, "no position to go on from: POINT or GET first")?,
            NoUpdate => write!(f, "no record is held for update: GET it for update first")?,
            KeyChanged => write!(
                f,
                "the prime key of a record cannot be changed: erase it and insert the new one"
            )?,
            LengthChange { given, has } => write!(
                f,
                "the record has {has} bytes and keeps its length; {given} bytes were given"
            )?,
            Options { what } => write!(f, "{what}")?,
            IntervalLength { given, size, several } => {
                let wanted = if *several { "one or more times that is wanted" } else { "just that is wanted" };
                write!(f, "{given} bytes were given, a control interval of this data set has {size}: {wanted}")?
            }
            Length { given, least, most } => {
                write!(f, "the record has {given} bytes, this data set takes {least} to {most}")?
            }
            KeyLength { given, key_length } => {
                write!(f, "a key of {given} bytes was given, the data set's have {key_length}")?
            }
            Loading => write!(
                f,
                "the data set is being loaded: only records in key order can be added until it is closed"
            )?,
            NoBaseRecord { pointer } => write!(
                f,
                "the alternate index points to {}, which is not in the base; build it again with BLDINDEX",
                show_key(pointer)
            )?,
            PathAddressed => write!(f, "through a path records are named by their alternate keys alone")?,
            PointerLimit { key } => write!(
                f,
                "the alternate index record of key {} takes no more pointers: RECORDSIZE or 65,535 is reached",
                show_key(key)
            )?,
            Alternate { name, error, .. } => write!(f, "alternate index {name}: {error}")?,
            IntervalChanged { rba } => write!(
                f,
                "the control interval at RBA {rba} was changed by another string since it was got: get it again"
            )?,
            BadInterval { why } => write!(f, "the image is not one of this control interval: {why}")?,
            BadRrn { rrn } => write!(f, "there can be no relative record number {rrn}")?,
            NoAddresses => write!(f, "records of this data set go by relative record number, not by RBA")?,
            Physical { what, .. } => write!(f, "{what}")?,
            Fenced { why } => write!(
                f,
                "the data set is fenced after a failure ({why}); close it and open it again"
            )?,
        }
        let fb = self.feedback();
        match self {
            // What the alternate index answered has its numbers already.
            Alternate { component, .. } => write!(f, " component {component}"),
            _ => write!(f, " [{}/{}]", fb.return_code, fb.reason),
        }
    }
}

impl std::error::Error for RequestError {}

/// Why an open cannot share buffers; the number is VSAM's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PoolRefusal {
    /// It would load the data set.
    Loads = 212,
    /// No buffer of the pool is as large as its CIs.
    TooSmall = 220,
    /// The pool was not built.
    Missing = 228,
}

/// Why an open, create or close failed. `acberflg()` gives VSAM's number.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// 148: there is no such file.
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is there already (create).
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// 168: another process has it open, or this one for something else.
    InUse {
        /// The file.
        path: PathBuf,
        /// What both want.
        why: &'static str,
        /// Who has it, where that is known: its process and program.
        by: Option<String>,
    },
    /// 160: empty data set opened for input, RESET of a NOREUSE one with records, or other attribute conflicts.
    Attributes {
        /// Which.
        what: String,
    },
    /// 136: the pool has no room for what must be resident of the data set.
    Memory {
        /// The file.
        path: PathBuf,
        /// What takes how much, and what to do.
        what: String,
    },
    /// 132: the buffers that an open asks for cannot be had.
    Buffers {
        /// Of which data set, what is wrong, and what to do.
        what: String,
    },
    /// 212, 220 or 228: the open cannot share the buffers that it asks for.
    Pool {
        /// Why not.
        why: PoolRefusal,
        /// Of which data set and pool, what is wrong, and what to do.
        what: String,
    },
    /// 196: the alternate index of a path was never built.
    EmptyPath {
        /// The alternate index.
        name: String,
    },
    /// 192: the file is not a component of ours, is damaged, foreign or from a newer version.
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the offset.
        what: String,
    },
    /// 184: the system failed a call.
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// The system's words.
        error: std::io::Error,
    },
    /// 184: the log that holds the data set's latest requests is missing or unreadable.
    Log {
        /// The log file.
        path: PathBuf,
        /// What is wrong and what to do.
        what: String,
    },
}

impl OpenError {
    /// The lock of a file cannot be had: who has it open. `write`: this open is for output.
    pub fn in_use(disk: &dyn Disk, path: &Path, how: Open) -> OpenError {
        let (here, by) = match disk.holder(path) {
            Some(Holder::This) => (true, None),
            Some(Holder::Others(who)) => (false, Some(who)),
            None => (false, None),
        };
        let why = match (here, how.write, how.lock) {
            (false, true, _) => "another process has it open, and this open is for output",
            (false, false, Lock::Exclusive) => "another process has it open, and this open keeps others away",
            (false, false, _) => "another process has it open for output, or keeps others away",
            (true, true, _) => "this process has it open in another environment (session), and this open is for output",
            (true, false, Lock::Exclusive) => {
                "this process has it open in another environment (session), and this open keeps others away"
            }
            (true, false, _) => {
                "this process has it open for output in another environment (session), or keeps others away there"
            }
        };
        OpenError::InUse {
            path: path.to_path_buf(),
            why,
            by,
        }
    }

    /// VSAM's OPEN reason.
    pub fn acberflg(&self) -> u8 {
        match self {
            OpenError::Missing { .. } => 148,
            OpenError::Exists { .. } => 160,
            OpenError::InUse { .. } => 168,
            OpenError::Attributes { .. } => 160,
            OpenError::Buffers { .. } => 132,
            OpenError::Pool { why, .. } => *why as u8,
            OpenError::Memory { .. } => 136,
            OpenError::Unusable { .. } => 192,
            OpenError::EmptyPath { .. } => 196,
            OpenError::Io { .. } | OpenError::Log { .. } => 184,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Missing { path } => write!(f, "{}: no such file; was its volume moved?", path.display())?,
            OpenError::Exists { path } => write!(f, "{}: the file exists already", path.display())?,
            OpenError::InUse { path, why, by } => {
                write!(f, "{}: in use: {why}", path.display())?;
                by.iter().try_for_each(|by| write!(f, ": {by}"))?;
            }
            OpenError::Attributes { what } | OpenError::Buffers { what } | OpenError::Pool { what, .. } => {
                write!(f, "{what}")?
            }
            OpenError::EmptyPath { name } => write!(
                f,
                "the alternate index {name} was never built, so there is no way through it; build it with BLDINDEX"
            )?,
            OpenError::Memory { path, what } | OpenError::Unusable { path, what } => {
                write!(f, "{}: {what}", path.display())?
            }
            OpenError::Io { path, doing, error } => write!(f, "{}: {doing} failed: {error}", path.display())?,
            OpenError::Log { path, what } => write!(f, "{}: {what}", path.display())?,
        }
        write!(f, " [OPEN {}]", self.acberflg())
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
