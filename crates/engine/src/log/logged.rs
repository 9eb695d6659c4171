//! A logged request as recovery sees it.

use super::bytes::Bytes;
use cica_format::log::{self, LogRecord};
use cica_format::FormatError;
use std::borrow::Cow;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged {
    /// A number's meaning.
    DataSet {
        /// Number.
        number: u32,
        /// Cluster id.
        cluster: u64,
        /// Requests up to this LSN were in its tree, and may be nowhere else.
        committed: u64,
        /// Version of its last root that names no log.
        sealed: u32,
        /// Which of its opens logs; 0: nothing is known.
        origin: u64,
        /// Its lineage.
        lineage: u64,
        /// Data component file.
        data: String,
        /// Index component file.
        index: String,
    },
    /// Insert.
    Insert(u32, Bytes),
    /// Update.
    Update(u32, Bytes),
    /// Erase.
    Erase(u32, Bytes),
    /// A pointer added under an alternate key.
    AddPointer(u32, Bytes, Bytes),
    /// A pointer removed from under an alternate key.
    RemovePointer(u32, Bytes, Bytes),
    /// Requests of several data sets, each the part of one.
    Unit(Vec<Logged>),
    /// A change in a unit of recovery.
    Recoverable {
        /// Unit and number of the change.
        change: (u64, u32),
        /// What was done.
        redo: Vec<Logged>,
        /// What takes it back.
        undo: Vec<Logged>,
    },
    /// A change of a unit of recovery was taken back by these.
    TakenBack {
        /// Unit and number of the change that is not there any more.
        change: (u64, u32),
        /// What was done for it.
        redo: Vec<Logged>,
    },
    /// A unit of recovery ended.
    UnitEnd(u64),
    /// The data set may be complete without the log from here on.
    Leaving(u32),
    /// A change of a unit that was open when the epoch began.
    Carried {
        /// Unit and number of the change.
        change: (u64, u32),
        /// Its LSN.
        lsn: u64,
        /// What takes it back.
        undo: Vec<Logged>,
    },
}

impl Logged {
    /// What was done, request by request; itself if it is one.
    pub fn parts(&self) -> &[Logged] {
        match self {
            Logged::Unit(parts) => parts,
            Logged::Recoverable { redo, .. } | Logged::TakenBack { redo, .. } => redo,
            request => std::slice::from_ref(request),
        }
    }

    /// Is it a change of an alternate index through its base?
    pub fn is_of_index(&self) -> bool {
        matches!(self, Logged::AddPointer(..) | Logged::RemovePointer(..))
    }

    /// The bytes of a request of one data set: a record, a key, or an alternate key and a pointer.
    pub fn bytes(&self) -> impl Iterator<Item = &Bytes> {
        let (one, two) = match self {
            Logged::Insert(_, bytes) | Logged::Update(_, bytes) | Logged::Erase(_, bytes) => (Some(bytes), None),
            Logged::AddPointer(_, key, pointer) | Logged::RemovePointer(_, key, pointer) => (Some(key), Some(pointer)),
            _ => (None, None),
        };
        one.into_iter().chain(two)
    }

    /// The data set it belongs to; a unit belongs to several.
    pub fn number(&self) -> Option<u32> {
        match self {
            Logged::DataSet { number, .. } | Logged::Insert(number, _) | Logged::Update(number, _) => Some(*number),
            Logged::Erase(number, _) | Logged::AddPointer(number, ..) => Some(*number),
            Logged::RemovePointer(number, ..) | Logged::Leaving(number) => Some(*number),
            Logged::Unit(_) | Logged::Recoverable { .. } | Logged::TakenBack { .. } | Logged::UnitEnd(_) => None,
            Logged::Carried { .. } => None,
        }
    }
}

/// The requests of [`log::parts`].
pub fn owned_parts(bytes: &[u8]) -> Result<Vec<Logged>, FormatError> {
    parts(bytes, &Bytes::own)
}

/// A record that outlives its bytes.
pub fn owned(record: LogRecord<'_>) -> Result<Logged, FormatError> {
    logged(record, &Bytes::own)
}

fn parts(bytes: &[u8], keep: &impl Fn(&[u8]) -> Bytes) -> Result<Vec<Logged>, FormatError> {
    log::parts(bytes)
        .map(|part| part.and_then(|part| logged(part, keep)))
        .collect()
}

/// A record of which what was done is kept so. What takes it back may be needed for long, and is its own.
pub(super) fn logged(record: LogRecord<'_>, keep: &impl Fn(&[u8]) -> Bytes) -> Result<Logged, FormatError> {
    let kept = |record: Cow<'_, [u8]>| match record {
        Cow::Borrowed(bytes) => keep(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    Ok(match record {
        LogRecord::DataSet {
            number,
            cluster,
            committed,
            sealed,
            origin,
            lineage,
            path,
        } => {
            let (data, index) = path.split_once('\0').unwrap_or((path, ""));
            Logged::DataSet {
                number,
                cluster,
                committed,
                sealed,
                origin,
                lineage,
                data: data.into(),
                index: index.into(),
            }
        }
        LogRecord::Insert { number, record } => Logged::Insert(number, kept(record)),
        LogRecord::Update { number, record } => Logged::Update(number, kept(record)),
        LogRecord::Erase { number, key } => Logged::Erase(number, keep(key)),
        LogRecord::AddPointer { number, key, pointer } => Logged::AddPointer(number, keep(key), keep(pointer)),
        LogRecord::RemovePointer { number, key, pointer } => Logged::RemovePointer(number, keep(key), keep(pointer)),
        LogRecord::Unit { parts: all } => Logged::Unit(parts(all, keep)?),
        LogRecord::Recoverable {
            unit,
            sequence,
            redo,
            undo,
        } => Logged::Recoverable {
            change: (unit, sequence),
            redo: parts(redo, keep)?,
            undo: owned_parts(&undo)?,
        },
        LogRecord::TakenBack { unit, sequence, redo } => Logged::TakenBack {
            change: (unit, sequence),
            redo: parts(redo, keep)?,
        },
        LogRecord::UnitEnd { unit, .. } => Logged::UnitEnd(unit),
        LogRecord::Leaving { number } => Logged::Leaving(number),
        LogRecord::Carried {
            unit,
            sequence,
            lsn,
            undo,
        } => Logged::Carried {
            change: (unit, sequence),
            lsn,
            undo: owned_parts(undo)?,
        },
    })
}
