//! Groups of records: what one flush writes.

use super::raw::{raw, Raw};
use super::record::{next_record, LogRecord};
use super::BLOCK_LEN;
use crate::bytes::{le32, le64, need, put};
use crate::checksum::{crc32c_more, own_checksum};
use crate::error::FormatError;

/// Bytes of a group's header, before its records.
pub const GROUP_HEADER_LEN: usize = 40;
/// First four bytes of a group.
pub const GROUP_MAGIC: [u8; 4] = *b"CiLG";

/// Name in messages.
const GROUP: &str = "log group";

mod at {
    //! Offsets in the header of a group, see `docs/format/log.md`.
    pub const CHECKSUM: usize = 4;
    pub const LOG: usize = 8;
    pub const FIRST_LSN: usize = 16;
    pub const EPOCH: usize = 24;
    pub const RECORDS: usize = 28;
    pub const BYTES: usize = 32;
    pub const STAMP: usize = 36;
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

/// Starts a group in `buf`, which holds nothing else: room for its header.
pub fn begin_group(buf: &mut Vec<u8>) {
    buf.clear();
    buf.resize(GROUP_HEADER_LEN, 0);
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
