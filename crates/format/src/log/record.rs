//! Records: what a log says was done.

use super::append::*;
use super::layout::{at, kind, RECORD};
use super::recoverable::{append_recoverable, Recoverable};
use crate::bytes::{le16, le32, le64, need};
use crate::error::FormatError;
use std::borrow::Cow;

/// One logged request. LSNs count records: the n-th record of a group has LSN `first + n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogRecord<'a> {
    /// From here on `number` in this log means the cluster `cluster`, whose data component is the file `path`.
    DataSet {
        /// Short number used by the records that follow.
        number: u32,
        /// Cluster id from its root.
        cluster: u64,
        /// Requests up to this LSN are in the tree that its root names: they may be nowhere else. 0 in logs of before
        /// format 3.
        committed: u64,
        /// Version of its last root that names no log: one that knows of its requests has a higher one. 0 in logs of
        /// before format 6.
        sealed: u32,
        /// Which open of the data set logs here, as its root says. 0 in logs of before format 6, and where the root
        /// could not be written, so that none names this log.
        origin: u64,
        /// Its lineage; 0 in logs of before format 6.
        lineage: u64,
        /// File name of the data component.
        path: &'a str,
    },
    /// A record was inserted. Where records have no keys, their place stands in front of them: an RBA of 8 bytes (ESDS,
    /// LDS) or a relative record number of 4 (RRDS, VRRDS), big-endian.
    Insert {
        /// Data set number.
        number: u32,
        /// Record.
        record: Cow<'a, [u8]>,
    },
    /// The record with this record's key (or place) was replaced by it.
    Update {
        /// Data set number.
        number: u32,
        /// Record.
        record: Cow<'a, [u8]>,
    },
    /// The record with this key (or place) was erased.
    Erase {
        /// Data set number.
        number: u32,
        /// Key.
        key: &'a [u8],
    },
    /// An alternate index gained a pointer under an alternate key.
    AddPointer {
        /// Data set number.
        number: u32,
        /// Alternate key.
        key: &'a [u8],
        /// Prime key or RBA.
        pointer: &'a [u8],
    },
    /// An alternate index lost a pointer under an alternate key.
    RemovePointer {
        /// Data set number.
        number: u32,
        /// Alternate key.
        key: &'a [u8],
        /// Prime key or RBA.
        pointer: &'a [u8],
    },
    /// Requests of several data sets that are done all or none: a base cluster and its alternate indexes.
    Unit {
        /// Its records, as [`parts`] reads them.
        parts: &'a [u8],
    },
    /// A change in a unit of recovery, with what takes it back.
    Recoverable {
        /// The unit; ids are given once in a log.
        unit: u64,
        /// The change's number in its unit.
        sequence: u32,
        /// What was done, as [`parts`] reads it.
        redo: &'a [u8],
        /// What takes it back, the same way.
        undo: Cow<'a, [u8]>,
    },
    /// A change of a unit of recovery was taken back.
    TakenBack {
        /// The unit.
        unit: u64,
        /// The number of the change that is not there any more.
        sequence: u32,
        /// What was done for it, as [`parts`] reads it.
        redo: &'a [u8],
    },
    /// A unit of recovery ended: what it has changed, and not taken back, stays.
    UnitEnd {
        /// The unit.
        unit: u64,
        /// True: backed out; false: committed.
        backed_out: bool,
    },
    /// From here on the data set may be complete without this log.
    Leaving {
        /// Data set number.
        number: u32,
    },
    /// A change in a unit of recovery of an epoch that has ended, which is open still: what takes it back.
    Carried {
        /// The unit.
        unit: u64,
        /// The change's number in its unit.
        sequence: u32,
        /// LSN of the change.
        lsn: u64,
        /// What takes it back, as [`parts`] reads it.
        undo: &'a [u8],
    },
}

/// The records of a log's tail, in LSN order. After an error it ends.
pub fn tail_records(mut rest: &[u8]) -> impl Iterator<Item = Result<LogRecord<'_>, FormatError>> {
    std::iter::from_fn(move || {
        let record = (!rest.is_empty()).then(|| next_record(&mut rest, 1))?;
        if record.is_err() {
            rest = &[];
        }
        Some(record)
    })
}

/// The records in a [`LogRecord::Unit`], or in what a [`LogRecord::Recoverable`] did or takes back. After an error it
/// ends.
pub fn parts(mut rest: &[u8]) -> impl Iterator<Item = Result<LogRecord<'_>, FormatError>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let part = next_record(&mut rest, 1).and_then(|part| match part.kind() {
            kind::INSERT..=kind::REMOVE_POINTER => Ok(part),
            other => Err(FormatError::Field {
                what: RECORD,
                field: "kind in a unit",
                value: other.into(),
                must: "from 2 to 6, 12 or 13",
            }),
        });
        if part.is_err() {
            rest = &[];
        }
        Some(part)
    })
}

/// The bytes of those requests of a unit's parts that are of this data set, one after the other.
///
/// # Errors
/// The bytes are no such parts.
pub fn parts_of(mut rest: &[u8], number: u32) -> Result<Vec<&[u8]>, FormatError> {
    let mut own = Vec::new();
    while !rest.is_empty() {
        let from = rest;
        next_record(&mut rest, 1)?;
        let whole = &from[..from.len() - rest.len()];
        need(RECORD, whole, 4 + at::RECORD_BODY)?;
        if le32(whole, 4 + at::RECORD_NUMBER) == number {
            own.push(whole);
        }
    }
    Ok(own)
}

/// Takes a record off the front of `rest`; `left` are still to come.
pub(crate) fn next_record<'a>(rest: &mut &'a [u8], left: u32) -> Result<LogRecord<'a>, FormatError> {
    if left == 0 {
        let must = "0 after the last record";
        return Err(FormatError::Field {
            what: "log group",
            field: "bytes left",
            value: rest.len() as u64,
            must,
        });
    }
    need(RECORD, rest, 4)?;
    let len = le32(rest, 0) as usize;
    need(RECORD, &rest[4..], len)?;
    let (record, after) = rest[4..].split_at(len);
    *rest = after;
    LogRecord::decode(record)
}

/// The file name in a data set record.
fn path(bytes: &[u8]) -> Result<&str, FormatError> {
    std::str::from_utf8(bytes).map_err(|e| FormatError::Field {
        what: RECORD,
        field: "path (good bytes)",
        value: e.valid_up_to() as u64,
        must: "all of it, UTF-8",
    })
}

/// Place and record of a change whose record ends in a run.
fn with_run(bytes: &[u8]) -> Result<Vec<u8>, FormatError> {
    need(RECORD, bytes, at::RUN_BODY)?;
    let (byte, run, before) = (bytes[at::RUN_BYTE], le16(bytes, at::RUN), &bytes[at::RUN_BODY..]);
    let mut record = Vec::with_capacity(before.len() + usize::from(run));
    record.extend_from_slice(before);
    record.resize(before.len() + usize::from(run), byte);
    Ok(record)
}

/// Alternate key and pointer of a pointer record.
fn key_and_pointer(bytes: &[u8]) -> Result<(&[u8], &[u8]), FormatError> {
    need(RECORD, bytes, at::POINTER_KEY)?;
    let end = at::POINTER_KEY + usize::from(bytes[at::POINTER_KEY_LEN]);
    need(RECORD, bytes, end)?;
    Ok((&bytes[at::POINTER_KEY..end], &bytes[end..]))
}

impl LogRecord<'_> {
    /// Appends the record to the group in `buf`.
    pub fn append(&self, buf: &mut Vec<u8>) {
        match *self {
            LogRecord::DataSet {
                number,
                cluster,
                committed,
                sealed,
                origin,
                lineage,
                path,
            } => {
                let (cluster, committed) = (cluster.to_le_bytes(), committed.to_le_bytes());
                let (sealed, origin, lineage) = (sealed.to_le_bytes(), origin.to_le_bytes(), lineage.to_le_bytes());
                let body: [&[u8]; 6] = [&cluster, &committed, &sealed, &origin, &lineage, path.as_bytes()];
                append_record(buf, kind::DATA_SET, number, &body);
            }
            LogRecord::Insert { number, ref record } => append_insert(buf, number, record),
            LogRecord::Update { number, ref record } => append_update(buf, number, record),
            LogRecord::Erase { number, key } => append_erase(buf, number, key),
            LogRecord::AddPointer { number, key, pointer } => append_add_pointer(buf, number, key, pointer),
            LogRecord::RemovePointer { number, key, pointer } => append_remove_pointer(buf, number, key, pointer),
            LogRecord::Unit { parts } => append_unit(buf, parts),
            LogRecord::Recoverable {
                unit,
                sequence,
                redo,
                ref undo,
            } => append_recoverable(buf, unit, sequence, redo, undo),
            LogRecord::TakenBack { unit, sequence, redo } => append_taken_back(buf, unit, sequence, redo),
            LogRecord::UnitEnd { unit, backed_out } => append_unit_end(buf, unit, backed_out),
            LogRecord::Leaving { number } => append_record(buf, kind::LEAVING, number, &[]),
            LogRecord::Carried {
                unit,
                sequence,
                lsn,
                undo,
            } => append_carried(buf, unit, sequence, lsn, undo),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            LogRecord::DataSet { .. } => kind::DATA_SET,
            LogRecord::Insert { .. } => kind::INSERT,
            LogRecord::Update { .. } => kind::UPDATE,
            LogRecord::Erase { .. } => kind::ERASE,
            LogRecord::AddPointer { .. } => kind::ADD_POINTER,
            LogRecord::RemovePointer { .. } => kind::REMOVE_POINTER,
            LogRecord::Unit { .. } => kind::UNIT,
            LogRecord::Recoverable { .. } => kind::RECOVERABLE,
            LogRecord::TakenBack { .. } => kind::TAKEN_BACK,
            LogRecord::UnitEnd { .. } => kind::UNIT_END,
            LogRecord::Leaving { .. } => kind::LEAVING,
            LogRecord::Carried { .. } => kind::CARRIED,
        }
    }

    /// Reads a record; `bytes` are those that its length prefix counts.
    fn decode(bytes: &[u8]) -> Result<LogRecord<'_>, FormatError> {
        need(RECORD, bytes, at::RECORD_BODY)?;
        let number = le32(bytes, at::RECORD_NUMBER);
        let body = &bytes[at::RECORD_BODY..];
        match bytes[at::RECORD_KIND] {
            kind::DATA_SET => {
                need(RECORD, bytes, at::DATA_SET_PATH)?;
                Ok(LogRecord::DataSet {
                    number,
                    cluster: le64(bytes, at::DATA_SET_CLUSTER),
                    committed: le64(bytes, at::DATA_SET_COMMITTED),
                    sealed: le32(bytes, at::DATA_SET_SEALED),
                    origin: le64(bytes, at::DATA_SET_ORIGIN),
                    lineage: le64(bytes, at::DATA_SET_LINEAGE),
                    path: path(&bytes[at::DATA_SET_PATH..])?,
                })
            }
            kind::OLD_DATA_SET => {
                need(RECORD, bytes, at::OLD_DATA_SET_PATH)?;
                Ok(LogRecord::DataSet {
                    number,
                    cluster: le64(bytes, at::DATA_SET_CLUSTER),
                    committed: le64(bytes, at::DATA_SET_COMMITTED),
                    sealed: 0,
                    origin: 0,
                    lineage: 0,
                    path: path(&bytes[at::OLD_DATA_SET_PATH..])?,
                })
            }
            kind::OLDEST_DATA_SET => {
                need(RECORD, bytes, at::OLDEST_DATA_SET_PATH)?;
                Ok(LogRecord::DataSet {
                    number,
                    cluster: le64(bytes, at::DATA_SET_CLUSTER),
                    committed: 0,
                    sealed: 0,
                    origin: 0,
                    lineage: 0,
                    path: path(&bytes[at::OLDEST_DATA_SET_PATH..])?,
                })
            }
            kind::INSERT => Ok(LogRecord::Insert {
                number,
                record: body.into(),
            }),
            kind::UPDATE => Ok(LogRecord::Update {
                number,
                record: body.into(),
            }),
            kind::INSERT_RUN => Ok(LogRecord::Insert {
                number,
                record: with_run(bytes)?.into(),
            }),
            kind::UPDATE_RUN => Ok(LogRecord::Update {
                number,
                record: with_run(bytes)?.into(),
            }),
            kind::ERASE => Ok(LogRecord::Erase { number, key: body }),
            kind::ADD_POINTER => {
                let (key, pointer) = key_and_pointer(bytes)?;
                Ok(LogRecord::AddPointer { number, key, pointer })
            }
            kind::REMOVE_POINTER => {
                let (key, pointer) = key_and_pointer(bytes)?;
                Ok(LogRecord::RemovePointer { number, key, pointer })
            }
            kind::UNIT => Ok(LogRecord::Unit { parts: body }),
            kind::RECOVERABLE | kind::RECOVERABLE_ALIKE => {
                let change = Recoverable::decode(bytes)?;
                Ok(LogRecord::Recoverable {
                    unit: change.unit,
                    sequence: change.sequence,
                    redo: change.redo,
                    undo: change.undo(),
                })
            }
            kind::TAKEN_BACK => {
                need(RECORD, bytes, at::TAKEN_BACK_REDO)?;
                Ok(LogRecord::TakenBack {
                    unit: le64(bytes, at::UNIT),
                    sequence: le32(bytes, at::SEQUENCE),
                    redo: &bytes[at::TAKEN_BACK_REDO..],
                })
            }
            kind::UNIT_END => {
                need(RECORD, bytes, at::UNIT_END)?;
                Ok(LogRecord::UnitEnd {
                    unit: le64(bytes, at::UNIT),
                    backed_out: bytes[at::OUTCOME] != 0,
                })
            }
            kind::LEAVING => Ok(LogRecord::Leaving { number }),
            kind::CARRIED => {
                need(RECORD, bytes, at::CARRIED_UNDO)?;
                Ok(LogRecord::Carried {
                    unit: le64(bytes, at::UNIT),
                    sequence: le32(bytes, at::SEQUENCE),
                    lsn: le64(bytes, at::CARRIED_LSN),
                    undo: &bytes[at::CARRIED_UNDO..],
                })
            }
            other => Err(FormatError::Field {
                what: RECORD,
                field: "kind",
                value: other.into(),
                must: "from 1 to 17",
            }),
        }
    }
}
