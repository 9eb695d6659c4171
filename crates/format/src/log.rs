//! Log bytes: groups of records, each group written by one flush.
//!
//! A group starts on a 4,096-byte boundary and is padded to one; its header carries the log's id and epoch, the LSN of
//! its first record and a checksum over all of it. Groups follow each other with rising LSNs; the log ends at the first
//! block that is not the next group of the same epoch.

use crate::bytes::{le16, le32, le64, need, put};
use crate::checksum::{crc32c_more, own_checksum};
use crate::error::FormatError;
use std::borrow::Cow;

/// Groups start at multiples of this.
pub const BLOCK_LEN: usize = 4096;

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
        /// What takes it back.
        undo: &'a [u8],
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

/// Bytes of a group's header, before its records.
pub const GROUP_HEADER_LEN: usize = 40;
/// First four bytes of a group.
pub const GROUP_MAGIC: [u8; 4] = *b"CiLG";
/// First eight bytes of a log file.
pub const FILE_MAGIC: [u8; 8] = *b"CICALOG ";
/// Format version of logs this code writes; it refuses newer ones.
pub const FORMAT: u16 = 7;

/// Names in messages.
const GROUP: &str = "log group";
const RECORD: &str = "log record";
const FILE: &str = "log file header";

mod at {
    //! Offsets, see `docs/format/log.md`.
    pub const CHECKSUM: usize = 4;
    pub const LOG: usize = 8;
    pub const FIRST_LSN: usize = 16;
    pub const EPOCH: usize = 24;
    pub const RECORDS: usize = 28;
    pub const BYTES: usize = 32;
    pub const STAMP: usize = 36;

    pub const FILE_CHECKSUM: usize = 8;
    pub const FILE_FORMAT: usize = 12;
    pub const FILE_LOG: usize = 16;
    pub const FILE_CLAIMS: usize = 24;
    pub const FILE_BIRTH: usize = 28;
    pub const FILE_SETTLED: usize = 32;

    pub const RECORD_KIND: usize = 0;
    pub const RECORD_NUMBER: usize = 1;
    pub const RECORD_BODY: usize = 5;
    pub const DATA_SET_CLUSTER: usize = 5;
    pub const DATA_SET_COMMITTED: usize = 13;
    pub const DATA_SET_SEALED: usize = 21;
    pub const DATA_SET_ORIGIN: usize = 25;
    pub const DATA_SET_LINEAGE: usize = 33;
    pub const DATA_SET_PATH: usize = 41;
    /// In a record without the LSN, and in one without version and origin.
    pub const OLDEST_DATA_SET_PATH: usize = 13;
    pub const OLD_DATA_SET_PATH: usize = 21;
    pub const RUN_BYTE: usize = 5;
    pub const RUN: usize = 6;
    pub const RUN_BODY: usize = 8;
    pub const POINTER_KEY_LEN: usize = 5;
    pub const POINTER_KEY: usize = 6;
    pub const UNIT: usize = 5;
    pub const SEQUENCE: usize = 13;
    pub const OUTCOME: usize = 13;
    pub const UNIT_END: usize = 14;
    pub const TAKEN_BACK_REDO: usize = 17;
    pub const REDO_LEN: usize = 17;
    pub const REDO: usize = 21;
    pub const CARRIED_LSN: usize = 17;
    pub const CARRIED_UNDO: usize = 25;
}

mod kind {
    //! First byte of a record.
    /// Without the LSN of the tree, and without version and origin of the root: not written any more.
    pub const OLDEST_DATA_SET: u8 = 1;
    pub const OLD_DATA_SET: u8 = 11;
    pub const INSERT: u8 = 2;
    pub const UPDATE: u8 = 3;
    pub const ERASE: u8 = 4;
    pub const ADD_POINTER: u8 = 5;
    pub const REMOVE_POINTER: u8 = 6;
    pub const UNIT: u8 = 7;
    pub const RECOVERABLE: u8 = 8;
    pub const TAKEN_BACK: u8 = 9;
    pub const UNIT_END: u8 = 10;
    /// An insert, and an update, whose record ends in a run of one byte that is not written out.
    pub const INSERT_RUN: u8 = 12;
    pub const UPDATE_RUN: u8 = 13;
    pub const LEAVING: u8 = 15;
    pub const DATA_SET: u8 = 14;
    pub const CARRIED: u8 = 16;
}

/// When a group was written, and what was open then. In groups of before format 7 nothing is said: zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupStamp {
    /// Seconds since 2020-01-01, 0: not said. Less than 2^31.
    pub second: u32,
    /// Units of recovery were open behind its last record.
    pub units_open: bool,
}

impl GroupStamp {
    const UNITS_OPEN: u32 = 1 << 31;

    fn word(self) -> u32 {
        let open = if self.units_open { Self::UNITS_OPEN } else { 0 };
        self.second & !Self::UNITS_OPEN | open
    }

    fn of(word: u32) -> GroupStamp {
        GroupStamp {
            second: word & !Self::UNITS_OPEN,
            units_open: word & Self::UNITS_OPEN != 0,
        }
    }
}

/// What a group says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupHeader {
    /// Id of the log.
    pub log: u64,
    /// Epoch of the log: rises each time it is started anew, so that groups of an earlier life do not count.
    pub epoch: u32,
    /// LSN of the first record.
    pub first_lsn: u64,
    /// Number of records; 0: it only introduces data sets, by records that have no LSNs.
    pub records: u32,
    /// Bytes of records, without header and padding.
    pub bytes: u32,
    /// When it was written.
    pub stamp: GroupStamp,
}

impl GroupHeader {
    /// Its bytes, with this checksum.
    pub fn encode(&self, checksum: u32) -> [u8; GROUP_HEADER_LEN] {
        let mut head = [0; GROUP_HEADER_LEN];
        put(&mut head, 0, &GROUP_MAGIC);
        put(&mut head, at::CHECKSUM, &checksum.to_le_bytes());
        put(&mut head, at::LOG, &self.log.to_le_bytes());
        put(&mut head, at::FIRST_LSN, &self.first_lsn.to_le_bytes());
        put(&mut head, at::EPOCH, &self.epoch.to_le_bytes());
        put(&mut head, at::RECORDS, &self.records.to_le_bytes());
        put(&mut head, at::BYTES, &self.bytes.to_le_bytes());
        put(&mut head, at::STAMP, &self.stamp.word().to_le_bytes());
        head
    }

    /// Bytes of the whole group, a multiple of [`BLOCK_LEN`].
    pub fn group_len(&self) -> usize {
        (GROUP_HEADER_LEN + self.bytes as usize).next_multiple_of(BLOCK_LEN)
    }
}

/// The checksum of a group that is made piece by piece: header with no checksum, records, padding. `before` is that of
/// the pieces before, 0 for the first.
pub fn group_checksum(before: u32, piece: &[u8]) -> u32 {
    crc32c_more(before, piece)
}

/// The first [`BLOCK_LEN`] bytes of a log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogFileHeader {
    /// Id of the log.
    pub log: u64,
    /// How often the file was claimed.
    pub claims: u32,
    /// Upper half of the ids of all logs that the file ever holds; 0 in files of before format 3.
    pub birth: u32,
    /// The file's name is durable.
    pub settled: bool,
}

/// Starts a group in `buf`, which holds nothing else: room for its header.
pub fn begin_group(buf: &mut Vec<u8>) {
    buf.clear();
    buf.resize(GROUP_HEADER_LEN, 0);
}

/// Appends an insert of `record` into data set `number`.
pub fn append_insert(buf: &mut Vec<u8>, number: u32, record: &[u8]) {
    append_insert_at(buf, number, &[], record);
}

/// Appends an update by `record` in data set `number`.
pub fn append_update(buf: &mut Vec<u8>, number: u32, record: &[u8]) {
    append_update_at(buf, number, &[], record);
}

/// Appends an erase of the record with `key` in data set `number`.
pub fn append_erase(buf: &mut Vec<u8>, number: u32, key: &[u8]) {
    append_record(buf, kind::ERASE, number, &[key]);
}

/// Appends that alternate index `number` gained `pointer` under `key`, which has at most 255 bytes.
pub fn append_add_pointer(buf: &mut Vec<u8>, number: u32, key: &[u8], pointer: &[u8]) {
    append_record(buf, kind::ADD_POINTER, number, &[&[key.len() as u8], key, pointer]);
}

/// Appends that alternate index `number` lost `pointer` under `key`, which has at most 255 bytes.
pub fn append_remove_pointer(buf: &mut Vec<u8>, number: u32, key: &[u8], pointer: &[u8]) {
    append_record(buf, kind::REMOVE_POINTER, number, &[&[key.len() as u8], key, pointer]);
}

/// Appends a unit; `parts` is what the functions above appended to an empty buffer.
pub fn append_unit(buf: &mut Vec<u8>, parts: &[u8]) {
    append_record(buf, kind::UNIT, 0, &[parts]);
}

/// Appends a change in a unit of recovery; `redo` and `undo` are what the functions above appended to empty buffers.
pub fn append_recoverable(buf: &mut Vec<u8>, unit: u64, sequence: u32, redo: &[u8], undo: &[u8]) {
    let (id, number, len) = (
        unit.to_le_bytes(),
        sequence.to_le_bytes(),
        (redo.len() as u32).to_le_bytes(),
    );
    append_record(buf, kind::RECOVERABLE, 0, &[&id, &number, &len, redo, undo]);
}

/// Appends that change `sequence` of a unit of recovery was taken back by doing `redo`.
pub fn append_taken_back(buf: &mut Vec<u8>, unit: u64, sequence: u32, redo: &[u8]) {
    let (id, number) = (unit.to_le_bytes(), sequence.to_le_bytes());
    append_record(buf, kind::TAKEN_BACK, 0, &[&id, &number, redo]);
}

/// Appends the end of a unit of recovery.
pub fn append_unit_end(buf: &mut Vec<u8>, unit: u64, backed_out: bool) {
    append_record(buf, kind::UNIT_END, 0, &[&unit.to_le_bytes(), &[u8::from(backed_out)]]);
}

/// Appends what takes change `sequence` of a unit of recovery back, which an epoch that has ended has as `lsn`.
pub fn append_carried(buf: &mut Vec<u8>, unit: u64, sequence: u32, lsn: u64, undo: &[u8]) {
    let (id, number, lsn) = (unit.to_le_bytes(), sequence.to_le_bytes(), lsn.to_le_bytes());
    append_record(buf, kind::CARRIED, 0, &[&id, &number, &lsn, undo]);
}

/// Bytes of such a record whose undo has `undo` bytes.
pub const fn carried_len(undo: usize) -> usize {
    4 + at::CARRIED_UNDO + undo
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

/// Appends an insert of `record` at `place`: its RBA (8 bytes) or relative record number (4 bytes), big-endian.
pub fn append_insert_at(buf: &mut Vec<u8>, number: u32, place: &[u8], record: &[u8]) {
    append_change(buf, [kind::INSERT, kind::INSERT_RUN], number, place, record);
}

/// Appends an update of what stands at `place`, as in [`append_insert_at`], by `record`.
pub fn append_update_at(buf: &mut Vec<u8>, number: u32, place: &[u8], record: &[u8]) {
    append_change(buf, [kind::UPDATE, kind::UPDATE_RUN], number, place, record);
}

/// Appends a change of the first kind, or of the second where the record ends in a run of one byte: the blanks or zeros
/// behind the last field of a record of fixed length are often most of it.
fn append_change(buf: &mut Vec<u8>, [plain, with_run]: [u8; 2], number: u32, place: &[u8], record: &[u8]) {
    let run = run_at_end(record);
    match record.split_at_checked(record.len() - usize::from(run)) {
        Some((before, [byte, ..])) => {
            append_record(buf, with_run, number, &[&[*byte], &run.to_le_bytes(), place, before]);
        }
        _ => append_record(buf, plain, number, &[place, record]),
    }
}

/// How many bytes like the last a record ends in, as far as they fill whole chunks; 0 where it would gain nothing.
fn run_at_end(record: &[u8]) -> u16 {
    const CHUNK: usize = 16;
    const MOST: usize = u16::MAX as usize / CHUNK;
    let Some(&last) = record.last() else { return 0 };
    let chunks = record.rchunks_exact(CHUNK).take(MOST);
    (chunks.take_while(|chunk| **chunk == [last; CHUNK]).count() * CHUNK) as u16
}

fn append_record(buf: &mut Vec<u8>, kind: u8, number: u32, body: &[&[u8]]) {
    let len = at::RECORD_BODY + body.iter().map(|part| part.len()).sum::<usize>();
    buf.reserve(4 + len);
    buf.extend_from_slice(&(len as u32).to_le_bytes());
    buf.push(kind);
    buf.extend_from_slice(&number.to_le_bytes());
    body.iter().for_each(|part| buf.extend_from_slice(part));
}

/// Ends the group in `buf`: pads it to a multiple of [`BLOCK_LEN`] and fills in its header.
///
/// # Panics
/// If `buf` does not start with [`begin_group`] or holds 4 GiB or more, which no flush comes near.
pub fn finish_group(buf: &mut Vec<u8>, log: u64, epoch: u32, first_lsn: u64, records: u32, stamp: GroupStamp) {
    assert!(
        (GROUP_HEADER_LEN..u32::MAX as usize).contains(&buf.len()),
        "a group has a header and is below 4 GiB"
    );
    let header = GroupHeader {
        log,
        epoch,
        first_lsn,
        records,
        bytes: (buf.len() - GROUP_HEADER_LEN) as u32,
        stamp,
    };
    buf.resize(header.group_len(), 0);
    put(buf, 0, &header.encode(0));
    let checksum = own_checksum(buf, at::CHECKSUM);
    put(buf, at::CHECKSUM, &checksum.to_le_bytes());
}

/// Reads the header of the group at the start of `bytes` and checks all of the group. The second value is its whole
/// length, a multiple of [`BLOCK_LEN`].
///
/// # Errors
/// [`FormatError::Short`] says how many bytes the group has if `bytes` ends before it; the length of a damaged group is
/// not to be trusted, so a reader holds it against what the file has.
pub fn read_group(bytes: &[u8]) -> Result<(GroupHeader, usize), FormatError> {
    let header = group_header(bytes)?;
    let len = header.group_len();
    need(GROUP, bytes, len)?;
    if le32(bytes, at::CHECKSUM) != own_checksum(&bytes[..len], at::CHECKSUM) {
        return Err(FormatError::Checksum { what: GROUP });
    }
    Ok((header, len))
}

/// What the header of a group says at the start of `bytes`; nothing of it is checked but the magic.
///
/// # Errors
/// [`FormatError::Short`], [`FormatError::Magic`].
pub fn group_header(bytes: &[u8]) -> Result<GroupHeader, FormatError> {
    need(GROUP, bytes, GROUP_HEADER_LEN)?;
    if bytes[..4] != GROUP_MAGIC {
        return Err(FormatError::Magic { what: GROUP });
    }
    Ok(GroupHeader {
        log: le64(bytes, at::LOG),
        epoch: le32(bytes, at::EPOCH),
        first_lsn: le64(bytes, at::FIRST_LSN),
        records: le32(bytes, at::RECORDS),
        bytes: le32(bytes, at::BYTES),
        stamp: GroupStamp::of(le32(bytes, at::STAMP)),
    })
}

/// The records of a group that [`read_group`] accepted, in LSN order. After an error it ends.
pub fn records(group: &[u8]) -> impl Iterator<Item = Result<LogRecord<'_>, FormatError>> {
    let (mut rest, mut left, mut failed) = match group_payload(group) {
        Ok((payload, count)) => (payload, count, None),
        Err(e) => (&group[..0], 0, Some(e)),
    };
    let introduces = left == 0;
    std::iter::from_fn(move || {
        if let Some(e) = failed.take() {
            return Some(Err(e));
        }
        if (left == 0 || introduces) && rest.is_empty() {
            return None;
        }
        match next_record(&mut rest, left.max(u32::from(introduces))) {
            Ok(record) => {
                left = left.saturating_sub(1);
                Some(Ok(record))
            }
            Err(e) => {
                (rest, left) = (&group[..0], 0);
                Some(Err(e))
            }
        }
    })
}

fn group_payload(group: &[u8]) -> Result<(&[u8], u32), FormatError> {
    let header = group_header(group)?;
    let end = GROUP_HEADER_LEN + header.bytes as usize;
    need(GROUP, group, end)?;
    Ok((&group[GROUP_HEADER_LEN..end], header.records))
}

/// The records of a group that [`read_group`] accepted, as far as somebody wants them who looks for those of one data
/// set. After an error it ends.
///
/// # Errors
/// The bytes are no group.
pub fn raw_records(group: &[u8]) -> Result<impl Iterator<Item = Result<Raw<'_>, FormatError>>, FormatError> {
    let (payload, _) = group_payload(group)?;
    Ok(raw(payload))
}

fn raw(mut rest: &[u8]) -> impl Iterator<Item = Result<Raw<'_>, FormatError>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let taken = Raw::take(&mut rest);
        if taken.is_err() {
            rest = &[];
        }
        Some(taken)
    })
}

/// A record of a log that is looked at from outside.
#[derive(Debug, Clone, Copy)]
pub enum Raw<'a> {
    /// A change of the records of a data set, with the length in front.
    Change {
        /// Data set number.
        number: u32,
        /// All of it.
        bytes: &'a [u8],
    },
    /// Requests of several data sets.
    Unit {
        /// Its records.
        parts: &'a [u8],
    },
    /// A change in a unit of recovery.
    Recoverable {
        /// The unit.
        unit: u64,
        /// The change's number in its unit.
        sequence: u32,
        /// What was done.
        redo: &'a [u8],
    },
    /// A change that is carried from an epoch before.
    Carried {
        /// The unit.
        unit: u64,
        /// What takes it back.
        undo: &'a [u8],
    },
    /// The end of a unit of recovery.
    End {
        /// The unit.
        unit: u64,
        /// All of it, with the length in front.
        bytes: &'a [u8],
    },
    /// Anything else.
    Other,
}

impl<'a> Raw<'a> {
    fn take(rest: &mut &'a [u8]) -> Result<Raw<'a>, FormatError> {
        need(RECORD, rest, 4)?;
        let len = le32(rest, 0) as usize;
        need(RECORD, &rest[4..], len)?;
        let (whole, after) = rest.split_at(4 + len);
        *rest = after;
        let bytes = &whole[4..];
        need(RECORD, bytes, at::RECORD_BODY)?;
        Ok(match bytes[at::RECORD_KIND] {
            kind::INSERT | kind::UPDATE | kind::ERASE | kind::INSERT_RUN | kind::UPDATE_RUN => Raw::Change {
                number: le32(bytes, at::RECORD_NUMBER),
                bytes: whole,
            },
            kind::UNIT => Raw::Unit {
                parts: &bytes[at::RECORD_BODY..],
            },
            kind::RECOVERABLE => {
                need(RECORD, bytes, at::REDO)?;
                let end = at::REDO + le32(bytes, at::REDO_LEN) as usize;
                need(RECORD, bytes, end)?;
                Raw::Recoverable {
                    unit: le64(bytes, at::UNIT),
                    sequence: le32(bytes, at::SEQUENCE),
                    redo: &bytes[at::REDO..end],
                }
            }
            kind::CARRIED => {
                need(RECORD, bytes, at::CARRIED_UNDO)?;
                Raw::Carried {
                    unit: le64(bytes, at::UNIT),
                    undo: &bytes[at::CARRIED_UNDO..],
                }
            }
            kind::UNIT_END => {
                need(RECORD, bytes, at::UNIT_END)?;
                Raw::End {
                    unit: le64(bytes, at::UNIT),
                    bytes: whole,
                }
            }
            _ => Raw::Other,
        })
    }

    /// The unit, if this is one of its changes of data set `number` that is carried on.
    pub fn carries(&self, number: u32) -> Option<u64> {
        match *self {
            Raw::Carried { unit, undo } => raw(undo)
                .flatten()
                .any(|part| matches!(part, Raw::Change { number: of, .. } if of == number))
                .then_some(unit),
            _ => None,
        }
    }

    /// Appends what it has of data set `number`, as records of a log; false: nothing. What takes a change back, and that
    /// one was, is left out.
    pub fn append_for(&self, number: u32, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        match *self {
            Raw::Change { number: of, bytes } if of == number => out.extend_from_slice(bytes),
            Raw::Unit { parts } => {
                let mut own = Vec::new();
                append_parts_for(parts, number, &mut own);
                if !own.is_empty() {
                    append_unit(out, &own);
                }
            }
            Raw::Recoverable { unit, sequence, redo } => {
                let mut own = Vec::new();
                append_parts_for(redo, number, &mut own);
                if !own.is_empty() {
                    append_recoverable(out, unit, sequence, &own, &[]);
                }
            }
            Raw::End { bytes, .. } => out.extend_from_slice(bytes),
            _ => {}
        }
        out.len() > before
    }
}

fn append_parts_for(parts: &[u8], number: u32, out: &mut Vec<u8>) {
    for part in raw(parts).flatten() {
        if let Raw::Change { number: of, bytes } = part {
            if of == number {
                out.extend_from_slice(bytes);
            }
        }
    }
}

/// Takes a record off the front of `rest`; `left` are still to come.
pub(crate) fn next_record<'a>(rest: &mut &'a [u8], left: u32) -> Result<LogRecord<'a>, FormatError> {
    if left == 0 {
        let must = "0 after the last record";
        return Err(FormatError::Field {
            what: GROUP,
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
                undo,
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
            kind::RECOVERABLE => {
                need(RECORD, bytes, at::REDO)?;
                let undo = at::REDO + le32(bytes, at::REDO_LEN) as usize;
                need(RECORD, bytes, undo)?;
                Ok(LogRecord::Recoverable {
                    unit: le64(bytes, at::UNIT),
                    sequence: le32(bytes, at::SEQUENCE),
                    redo: &bytes[at::REDO..undo],
                    undo: &bytes[undo..],
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
                must: "from 1 to 16",
            }),
        }
    }
}

impl LogFileHeader {
    /// Fills `out` with the header.
    pub fn encode(&self, out: &mut [u8; BLOCK_LEN]) {
        out.fill(0);
        put(out, 0, &FILE_MAGIC);
        put(out, at::FILE_FORMAT, &FORMAT.to_le_bytes());
        put(out, at::FILE_LOG, &self.log.to_le_bytes());
        put(out, at::FILE_CLAIMS, &self.claims.to_le_bytes());
        put(out, at::FILE_BIRTH, &self.birth.to_le_bytes());
        out[at::FILE_SETTLED] = self.settled.into();
        let checksum = own_checksum(out, at::FILE_CHECKSUM);
        put(out, at::FILE_CHECKSUM, &checksum.to_le_bytes());
    }

    /// Reads the header from the start of a log file.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    pub fn decode(bytes: &[u8]) -> Result<LogFileHeader, FormatError> {
        need(FILE, bytes, BLOCK_LEN)?;
        let bytes = &bytes[..BLOCK_LEN];
        if bytes[..8] != FILE_MAGIC {
            return Err(FormatError::Magic { what: FILE });
        }
        // First, so that nobody is sent for another program where a bit of the format flipped.
        if le32(bytes, at::FILE_CHECKSUM) != own_checksum(bytes, at::FILE_CHECKSUM) {
            return Err(FormatError::Checksum { what: FILE });
        }
        let found = le16(bytes, at::FILE_FORMAT);
        if found > FORMAT {
            return Err(FormatError::NewerFormat { what: FILE, found });
        }
        Ok(LogFileHeader {
            log: le64(bytes, at::FILE_LOG),
            claims: le32(bytes, at::FILE_CLAIMS),
            birth: le32(bytes, at::FILE_BIRTH),
            // Up to format 4 a header was written when the name was durable.
            settled: found < 5 || bytes[at::FILE_SETTLED] != 0,
        })
    }
}
