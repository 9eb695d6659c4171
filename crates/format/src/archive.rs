//! Archive bytes: the changes of one data set, copied out of logs, segment by segment.
//!
//! A segment is a file: a head, then frames. A frame has what one group of a log had of the data set. The checksum of
//! each frame goes on from that of the frame before it, and that of the first from the head's: what was taken out, put
//! in or exchanged shows. The last frame of a segment that was ended says so, and can be read from the file's end.

use crate::bytes::{le16, le32, le64, need, put};
use crate::checksum::{crc32c_more, own_checksum};
use crate::error::FormatError;
use crate::log::{self, LogRecord, Raw};
use std::collections::BTreeSet;

/// Bytes of a segment's head.
pub const HEAD_LEN: usize = 128;
/// Bytes of a frame's head, before its records.
pub const FRAME_LEN: usize = 32;
/// Bytes of the frame that ends a segment.
pub const END_LEN: usize = FRAME_LEN + 12;
/// First eight bytes of a segment.
pub const MAGIC: [u8; 8] = *b"CICAARCH";
/// First four bytes of a frame.
pub const FRAME_MAGIC: [u8; 4] = *b"CiAF";
/// Format version of segments of compressed data sets, which have dictionaries; newer ones are refused.
pub const FORMAT: u16 = 2;
/// That of all others, which earlier versions read too.
pub const FORMAT_PLAIN: u16 = 1;
/// Longest name of a cluster.
pub const NAME_LEN: usize = 44;

/// Names in messages.
const SEGMENT: &str = "archive segment";
const FRAME: &str = "archive frame";

mod at {
    //! Offsets, see `docs/format/archive.md`.
    pub const CHECKSUM: usize = 8;
    pub const FORMAT: usize = 12;
    pub const FLAGS: usize = 14;
    pub const LINEAGE: usize = 16;
    pub const CLUSTER: usize = 24;
    pub const ORIGIN: usize = 32;
    pub const AFTER: usize = 40;
    pub const SINCE: usize = 48;
    pub const NUMBER: usize = 56;
    pub const CHAIN: usize = 60;
    pub const TIME: usize = 64;
    pub const NAME: usize = 72;

    pub const FRAME_CHECKSUM: usize = 4;
    pub const FRAME_TIME: usize = 8;
    pub const FRAME_LSN: usize = 16;
    pub const FRAME_BYTES: usize = 24;
    pub const FRAME_KIND: usize = 28;

    pub const END_CHAIN: usize = 0;
    pub const END_RECORDS: usize = 4;
}

/// It goes on where segment `number - 1` ends.
const FOLLOWS: u16 = 1;
/// The data set was emptied or loaded between the state it follows and its first frame.
const LOADED: u16 = 2;
/// Its records are compressed.
const COMPRESSED: u16 = 4;

/// What a segment says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentHead {
    /// Lineage of the data set.
    pub lineage: u64,
    /// Id of the cluster.
    pub cluster: u64,
    /// Name of the cluster when the segment was begun.
    pub name: String,
    /// Which open of the data set its changes are of, as the root says.
    pub origin: u64,
    /// Which open left the state that they are changes of.
    pub after: u64,
    /// Changes up to this LSN of the log are in the state that it begins with, or in segments before it.
    pub since: u64,
    /// Its place among the segments of the data set, from 1.
    pub number: u32,
    /// Checksum of the last frame of the segment before; none: the archive has nothing that it follows.
    pub chain: Option<u32>,
    /// The data set was emptied or loaded before its first frame, and that is in no archive.
    pub loaded: bool,
    /// Its records are compressed: it has the dictionaries that they need.
    pub compressed: bool,
    /// When it was begun, nanoseconds since 1970.
    pub time: u64,
}

impl SegmentHead {
    /// Its bytes. A name that is too long is cut.
    pub fn encode(&self) -> [u8; HEAD_LEN] {
        let mut out = [0; HEAD_LEN];
        put(&mut out, 0, &MAGIC);
        let format = if self.compressed { FORMAT } else { FORMAT_PLAIN };
        put(&mut out, at::FORMAT, &format.to_le_bytes());
        let flags = [
            (self.chain.is_some(), FOLLOWS),
            (self.loaded, LOADED),
            (self.compressed, COMPRESSED),
        ];
        let flags = flags
            .iter()
            .fold(0, |all, (set, flag)| all | if *set { *flag } else { 0 });
        put(&mut out, at::FLAGS, &flags.to_le_bytes());
        put(&mut out, at::LINEAGE, &self.lineage.to_le_bytes());
        put(&mut out, at::CLUSTER, &self.cluster.to_le_bytes());
        put(&mut out, at::ORIGIN, &self.origin.to_le_bytes());
        put(&mut out, at::AFTER, &self.after.to_le_bytes());
        put(&mut out, at::SINCE, &self.since.to_le_bytes());
        put(&mut out, at::NUMBER, &self.number.to_le_bytes());
        put(&mut out, at::CHAIN, &self.chain.unwrap_or(0).to_le_bytes());
        put(&mut out, at::TIME, &self.time.to_le_bytes());
        let name = self.name.as_bytes();
        put(&mut out, at::NAME, &name[..name.len().min(NAME_LEN)]);
        let checksum = own_checksum(&out, at::CHECKSUM);
        put(&mut out, at::CHECKSUM, &checksum.to_le_bytes());
        out
    }

    /// Reads a head.
    ///
    /// # Errors
    /// The bytes are none, or of a newer format.
    pub fn decode(bytes: &[u8]) -> Result<SegmentHead, FormatError> {
        need(SEGMENT, bytes, HEAD_LEN)?;
        let bytes = &bytes[..HEAD_LEN];
        if bytes[..8] != MAGIC {
            return Err(FormatError::Magic { what: SEGMENT });
        }
        if le32(bytes, at::CHECKSUM) != own_checksum(bytes, at::CHECKSUM) {
            return Err(FormatError::Checksum { what: SEGMENT });
        }
        let format = le16(bytes, at::FORMAT);
        if format > FORMAT {
            return Err(FormatError::NewerFormat {
                what: SEGMENT,
                found: format,
            });
        }
        let flags = le16(bytes, at::FLAGS);
        let name = &bytes[at::NAME..at::NAME + NAME_LEN];
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(SegmentHead {
            lineage: le64(bytes, at::LINEAGE),
            cluster: le64(bytes, at::CLUSTER),
            name: String::from_utf8_lossy(name).into_owned(),
            origin: le64(bytes, at::ORIGIN),
            after: le64(bytes, at::AFTER),
            since: le64(bytes, at::SINCE),
            number: le32(bytes, at::NUMBER),
            chain: (flags & FOLLOWS != 0).then(|| le32(bytes, at::CHAIN)),
            loaded: flags & LOADED != 0,
            compressed: flags & COMPRESSED != 0,
            time: le64(bytes, at::TIME),
        })
    }

    /// What the checksum of its first frame goes on from.
    pub fn checksum(&self) -> u32 {
        le32(&self.encode(), at::CHECKSUM)
    }
}

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// It has changes.
    Changes,
    /// Everything up to its LSN is here, and was made durable with it.
    Durable,
    /// A copy of the data set has everything up to here, but for the units in it, which are open; its LSN is the copy's
    /// origin.
    Copy,
    /// The units in it are open: a segment of the same open of the data set went before.
    Units,
    /// The segment is complete.
    End,
    /// A dictionary that records behind it need.
    Dictionary,
}

impl FrameKind {
    fn code(self) -> u32 {
        match self {
            FrameKind::Changes => 0,
            FrameKind::Durable => 1,
            FrameKind::Copy => 2,
            FrameKind::Units => 3,
            FrameKind::End => 4,
            FrameKind::Dictionary => 5,
        }
    }

    fn of(code: u32) -> Result<FrameKind, FormatError> {
        Ok(match code {
            0 => FrameKind::Changes,
            1 => FrameKind::Durable,
            2 => FrameKind::Copy,
            3 => FrameKind::Units,
            4 => FrameKind::End,
            5 => FrameKind::Dictionary,
            _ => {
                return Err(FormatError::Field {
                    what: FRAME,
                    field: "kind",
                    value: code.into(),
                    must: "from 0 to 5",
                })
            }
        })
    }
}

/// What a frame says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    /// What it is.
    pub kind: FrameKind,
    /// When its changes became durable in the log, nanoseconds since 1970; never below that of the frame before.
    pub time: u64,
    /// The LSN that those of its records count from; see [`FrameKind`] for the others.
    pub lsn: u64,
    /// Bytes behind the head.
    pub bytes: u32,
}

impl FrameHead {
    /// Bytes of the whole frame.
    pub fn len(&self) -> usize {
        FRAME_LEN + self.bytes as usize
    }

    /// A frame has a head at least.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Starts a frame in `buf`, which holds nothing else: room for its head.
pub fn begin_frame(buf: &mut Vec<u8>) {
    buf.clear();
    buf.resize(FRAME_LEN, 0);
}

/// Ends the frame in `buf`, behind one with the checksum `chain`; returns its own.
pub fn finish_frame(buf: &mut [u8], chain: u32, kind: FrameKind, time: u64, lsn: u64) -> u32 {
    let bytes = (buf.len() - FRAME_LEN) as u32;
    put(buf, 0, &FRAME_MAGIC);
    put(buf, at::FRAME_TIME, &time.to_le_bytes());
    put(buf, at::FRAME_LSN, &lsn.to_le_bytes());
    put(buf, at::FRAME_BYTES, &bytes.to_le_bytes());
    put(buf, at::FRAME_KIND, &kind.code().to_le_bytes());
    let checksum = crc32c_more(chain, &buf[at::FRAME_TIME..]);
    put(buf, at::FRAME_CHECKSUM, &checksum.to_le_bytes());
    checksum
}

/// The frame that ends a segment of so many records, behind one with the checksum `chain`; and its checksum.
pub fn end_frame(chain: u32, time: u64, lsn: u64, records: u64) -> (Vec<u8>, u32) {
    let mut frame = Vec::new();
    begin_frame(&mut frame);
    frame.extend_from_slice(&chain.to_le_bytes());
    frame.extend_from_slice(&records.to_le_bytes());
    let checksum = finish_frame(&mut frame, chain, FrameKind::End, time, lsn);
    (frame, checksum)
}

/// What the head of a frame says at the start of `bytes`; of the rest nothing is checked.
///
/// # Errors
/// The bytes are none.
pub fn frame_head(bytes: &[u8]) -> Result<FrameHead, FormatError> {
    need(FRAME, bytes, FRAME_LEN)?;
    if bytes[..4] != FRAME_MAGIC {
        return Err(FormatError::Magic { what: FRAME });
    }
    Ok(FrameHead {
        kind: FrameKind::of(le32(bytes, at::FRAME_KIND))?,
        time: le64(bytes, at::FRAME_TIME),
        lsn: le64(bytes, at::FRAME_LSN),
        bytes: le32(bytes, at::FRAME_BYTES),
    })
}

/// Checks the whole frame `bytes` behind one with the checksum `chain`; returns its own.
///
/// # Errors
/// It is not what was written there.
pub fn check_frame(bytes: &[u8], chain: u32) -> Result<u32, FormatError> {
    need(FRAME, bytes, FRAME_LEN)?;
    let checksum = crc32c_more(chain, &bytes[at::FRAME_TIME..]);
    if le32(bytes, at::FRAME_CHECKSUM) != checksum {
        return Err(FormatError::Checksum { what: FRAME });
    }
    Ok(checksum)
}

/// The end of a segment, out of its last [`END_LEN`] bytes: the frame's head and checksum, and how many records the
/// segment has.
///
/// # Errors
/// The segment was not ended.
pub fn read_end(bytes: &[u8]) -> Result<(FrameHead, u32, u64), FormatError> {
    need(FRAME, bytes, END_LEN)?;
    let bytes = &bytes[bytes.len() - END_LEN..];
    let head = frame_head(bytes)?;
    if head.kind != FrameKind::End || head.len() != END_LEN {
        return Err(FormatError::Magic { what: FRAME });
    }
    let body = &bytes[FRAME_LEN..];
    let checksum = check_frame(bytes, le32(body, at::END_CHAIN))?;
    Ok((head, checksum, le64(body, at::END_RECORDS)))
}

/// Do these bytes begin with a frame that was made durable with all in front of it? It says behind which it stands.
pub fn is_durable_frame(bytes: &[u8]) -> bool {
    let is_one = |head: &FrameHead| matches!(head.kind, FrameKind::Durable | FrameKind::End) && head.bytes >= 4;
    let Ok(head) = frame_head(bytes) else { return false };
    let whole = bytes.get(..head.len()).filter(|_| is_one(&head));
    whole.is_some_and(|frame| check_frame(frame, le32(frame, FRAME_LEN)).is_ok())
}

/// Appends what a group of a log has of data set `number` behind LSN `behind`, each record with its distance from the
/// group's first LSN; tells how many records, and the LSN of the last. `open` are the units that have changed the data
/// set and not ended.
///
/// # Errors
/// The group is none.
pub fn select(
    group: &[u8],
    number: u32,
    behind: u64,
    open: &mut BTreeSet<u64>,
    out: &mut Vec<u8>,
) -> Result<(u32, u64), FormatError> {
    let header = log::group_header(group)?;
    let (mut count, mut last) = (0, behind);
    for (n, raw) in log::raw_records(group)?.enumerate() {
        let raw = raw?;
        let lsn = header.first_lsn + n as u64;
        if let Some(unit) = raw.carries(number) {
            open.insert(unit);
        }
        let is_ahead = header.records > 0 && lsn > behind;
        let before = out.len();
        out.extend_from_slice(&(n as u32).to_le_bytes());
        match raw {
            Raw::End { unit, .. } => {
                let was_open = open.remove(&unit);
                if was_open && is_ahead {
                    raw.append_for(number, out);
                }
            }
            Raw::Recoverable { unit, .. } | Raw::TakenBack { unit, .. } => {
                if raw.append_for(number, out) {
                    open.insert(unit);
                }
            }
            _ => drop(raw.append_for(number, out)),
        }
        if is_ahead && out.len() > before + 4 {
            (count, last) = (count + 1, lsn);
        } else {
            out.truncate(before);
        }
    }
    Ok((count, last))
}

/// The records of a frame of changes, each with its LSN. After an error it ends.
pub fn changes(head: FrameHead, mut rest: &[u8]) -> impl Iterator<Item = Result<(u64, LogRecord<'_>), FormatError>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let record = need(FRAME, rest, 4).and_then(|()| {
            let lsn = head.lsn + u64::from(le32(rest, 0));
            rest = &rest[4..];
            log::next_record(&mut rest, 1).map(|record| (lsn, record))
        });
        if record.is_err() {
            rest = &[];
        }
        Some(record)
    })
}

/// What is behind the head of a frame with the dictionary of this number.
pub fn append_dictionary(generation: u8, dictionary: &[u8], out: &mut Vec<u8>) {
    out.push(generation);
    out.extend_from_slice(dictionary);
}

/// The number of the dictionary in a frame of one, and the dictionary.
///
/// # Errors
/// The frame is too short for one.
pub fn dictionary(body: &[u8]) -> Result<(u8, &[u8]), FormatError> {
    need(FRAME, body, 2)?;
    Ok((body[0], &body[1..]))
}

/// The units in a frame of those that are open.
pub fn units(body: &[u8]) -> BTreeSet<u64> {
    body.chunks_exact(8).map(|unit| le64(unit, 0)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::log::GroupStamp;

    fn head() -> SegmentHead {
        SegmentHead {
            lineage: 0x1111,
            cluster: 0x2222,
            name: "PAYROLL.MASTER".into(),
            origin: 0x3333,
            after: 0x4444,
            since: 7,
            number: 3,
            chain: Some(0x5555),
            loaded: false,
            compressed: false,
            time: 0x6666,
        }
    }

    fn frame(chain: u32) -> (Vec<u8>, u32) {
        let mut group = Vec::new();
        log::begin_group(&mut group);
        log::append_insert(&mut group, 1, b"ADAMS");
        log::append_insert(&mut group, 2, b"OTHER");
        log::append_erase(&mut group, 1, b"AD");
        log::finish_group(&mut group, 9, 1, 100, 3, GroupStamp::default());
        let mut out = Vec::new();
        begin_frame(&mut out);
        let found = select(&group, 1, 0, &mut BTreeSet::new(), &mut out).unwrap();
        assert_eq!(found, (2, 102));
        let checksum = finish_frame(&mut out, chain, FrameKind::Changes, 5, 100);
        (out, checksum)
    }

    #[test]
    fn a_head_comes_back() {
        for head in [
            head(),
            SegmentHead {
                chain: None,
                loaded: true,
                ..head()
            },
            SegmentHead {
                compressed: true,
                ..head()
            },
        ] {
            assert_eq!(SegmentHead::decode(&head.encode()), Ok(head));
        }
    }

    #[test]
    fn versions_without_dictionaries_read_what_has_none() {
        let format = |head: SegmentHead| le16(&head.encode(), at::FORMAT);
        assert_eq!(format(head()), 1);
        let compressed = SegmentHead {
            compressed: true,
            ..head()
        };
        assert_eq!(format(compressed), 2);
    }

    #[test]
    fn each_bit_of_a_head_and_of_a_frame_counts() {
        let bytes = head().encode();
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(SegmentHead::decode(&bytes).is_err(), "bit {bit}");
        }
        let (bytes, checksum) = frame(77);
        assert_eq!(check_frame(&bytes, 77), Ok(checksum));
        assert!(check_frame(&bytes, 78).is_err(), "it follows another frame");
        for bit in 32..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(check_frame(&bytes, 77).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_frame_has_the_changes_of_one_data_set() {
        let (bytes, _) = frame(0);
        let head = frame_head(&bytes).unwrap();
        let all: Vec<_> = changes(head, &bytes[FRAME_LEN..]).map(Result::unwrap).collect();
        let insert = LogRecord::Insert {
            number: 1,
            record: b"ADAMS"[..].into(),
        };
        assert_eq!(all, [(100, insert), (102, LogRecord::Erase { number: 1, key: b"AD" })]);
    }

    #[test]
    fn an_end_is_read_from_behind() {
        let (frame, checksum) = end_frame(3, 4, 5, 6);
        let mut bytes = vec![9; 100];
        bytes.extend(frame);
        let (head, found, records) = read_end(&bytes).unwrap();
        assert_eq!((head.time, head.lsn, found, records), (4, 5, checksum, 6));
    }

    #[test]
    fn units_go_with_the_data_sets_that_they_changed() {
        let (mut one, mut two, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        log::append_insert(&mut one, 1, b"ADAMS");
        log::append_insert(&mut two, 2, b"BAKER");
        parts.extend_from_slice(&one);
        log::append_add_pointer(&mut parts, 3, b"K", b"ADAMS");
        let mut group = Vec::new();
        log::begin_group(&mut group);
        log::append_recoverable(&mut group, 7, 0, &parts, &one);
        log::append_recoverable(&mut group, 8, 0, &two, &two);
        log::append_unit(&mut group, &parts);
        log::append_unit_end(&mut group, 7, false);
        log::append_unit_end(&mut group, 8, false);
        log::append_recoverable(&mut group, 9, 0, &one, &one);
        log::finish_group(&mut group, 9, 1, 100, 6, GroupStamp::default());
        let (mut open, mut out) = (BTreeSet::new(), Vec::new());
        begin_frame(&mut out);
        assert_eq!(select(&group, 1, 0, &mut open, &mut out), Ok((4, 105)));
        assert_eq!(open, BTreeSet::from([9]));
        finish_frame(&mut out, 0, FrameKind::Changes, 0, 100);
        let head = frame_head(&out).unwrap();
        let all: Vec<_> = changes(head, &out[FRAME_LEN..]).map(Result::unwrap).collect();
        let lsns: Vec<u64> = all.iter().map(|(lsn, _)| *lsn).collect();
        assert_eq!(lsns, [100, 102, 103, 105]);
        let LogRecord::Recoverable {
            unit: 7, redo, undo, ..
        } = &all[0].1
        else {
            panic!("{:?}", all[0]);
        };
        assert_eq!(
            (*redo, &undo[..]),
            (&one[..], &[][..]),
            "its own part alone, and nothing to take it back"
        );
        assert_eq!(all[1].1, LogRecord::Unit { parts: &one });
        assert!(matches!(all[2].1, LogRecord::UnitEnd { unit: 7, .. }));
    }
}
