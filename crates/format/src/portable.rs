//! The portable copy: definitions and contents of data sets in one stream of bytes, for a file, a tape or a pipe.
//!
//! A head, then blocks, the last of which is the end. Each block knows the copy it belongs to and its number in it, and
//! carries a checksum over itself; the end carries totals. So a byte that changed, a block that is missing, doubled or
//! of another copy, and an end that was cut off are each found by whoever reads from the front.

use crate::bytes::{le16, le32, le64, need, put};
use crate::checksum::{crc32c, own_checksum};
use crate::error::FormatError;

/// Bytes of the head.
pub const HEAD_LEN: usize = 64;
/// Bytes of a block before what is stored in it.
pub const BLOCK_HEAD_LEN: usize = 40;
/// Bytes of totals, in the end of a member and of the copy.
pub const TOTALS_LEN: usize = 40;
/// Bytes of a member's definition before the catalog's fields.
pub const MEMBER_HEAD_LEN: usize = 8;
/// Bytes before the control intervals of a run.
pub const RUN_HEAD_LEN: usize = 16;
/// Bytes before the image of a control interval.
pub const CI_HEAD_LEN: usize = 4;
/// Bytes before a record.
pub const RECORD_HEAD_LEN: usize = 8;
/// First eight bytes.
pub const MAGIC: [u8; 8] = *b"CICAPORT";
/// First four bytes of a block.
pub const BLOCK_MAGIC: [u8; 4] = *b"CiPB";
/// Format version this code writes; it refuses newer ones.
pub const FORMAT: u16 = 1;
/// Most bytes a block's content can have; a reader needs no more memory than a few of these.
pub const MAX_CONTENT: u32 = 4 << 20;

/// How the byte order mark reads for who writes like us.
const BYTE_ORDER: u32 = 0x0102_0304;
/// Names in messages.
const HEAD: &str = "head of the portable copy";
const BLOCK: &str = "block";
const TOTALS: &str = "totals";
const CONTENT: &str = "content of a block";

mod at {
    //! Offsets, see `docs/format/portable.md`.
    pub const BYTE_ORDER: usize = 8;
    pub const FORMAT: usize = 12;
    pub const ID: usize = 16;
    pub const CREATED: usize = 24;
    pub const MEMBERS: usize = 32;
    pub const HEAD_CHECKSUM: usize = 60;

    pub const BLOCK_CHECKSUM: usize = 4;
    pub const BLOCK_ID: usize = 8;
    pub const NUMBER: usize = 16;
    pub const KIND: usize = 24;
    pub const COMPRESSION: usize = 25;
    pub const STORED: usize = 28;
    pub const LENGTH: usize = 32;
    pub const CONTENT: usize = 36;
}

/// The first bytes of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What its blocks repeat.
    pub id: u64,
    /// When it was made, nanoseconds since 1970.
    pub created: u64,
    /// How many members follow.
    pub members: u32,
}

impl Head {
    /// The head as bytes.
    pub fn encode(&self) -> [u8; HEAD_LEN] {
        let mut out = [0; HEAD_LEN];
        put(&mut out, 0, &MAGIC);
        put(&mut out, at::BYTE_ORDER, &BYTE_ORDER.to_le_bytes());
        put(&mut out, at::FORMAT, &FORMAT.to_le_bytes());
        put(&mut out, at::ID, &self.id.to_le_bytes());
        put(&mut out, at::CREATED, &self.created.to_le_bytes());
        put(&mut out, at::MEMBERS, &self.members.to_le_bytes());
        let checksum = crc32c(&out[..at::HEAD_CHECKSUM]);
        put(&mut out, at::HEAD_CHECKSUM, &checksum.to_le_bytes());
        out
    }

    /// Reads a head from the start of `bytes`.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    pub fn decode(bytes: &[u8]) -> Result<Head, FormatError> {
        need(HEAD, bytes, HEAD_LEN)?;
        if bytes[..8] != MAGIC {
            return Err(FormatError::Magic { what: HEAD });
        }
        if crc32c(&bytes[..at::HEAD_CHECKSUM]) != le32(bytes, at::HEAD_CHECKSUM) {
            return Err(FormatError::Checksum { what: HEAD });
        }
        match le32(bytes, at::BYTE_ORDER) {
            BYTE_ORDER => {}
            order => return Err(refused(HEAD, "byte order mark", order.into(), "X'01020304'")),
        }
        match le16(bytes, at::FORMAT) {
            0 => return Err(refused(HEAD, "format version", 0, "at least 1")),
            found if found > FORMAT => return Err(FormatError::NewerFormat { what: HEAD, found }),
            _ => {}
        }
        Ok(Head {
            id: le64(bytes, at::ID),
            created: le64(bytes, at::CREATED),
            members: le32(bytes, at::MEMBERS),
        })
    }
}

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A definition; the member's contents follow.
    Member,
    /// The root of a component; its control intervals follow.
    Component,
    /// Runs of control intervals.
    ControlIntervals,
    /// A part of the member's stream of records.
    Records,
    /// Totals of the member.
    MemberEnd,
    /// Totals of the copy; nothing follows.
    End,
    /// A part of what takes back in the member what units had done that were open at its moment.
    TakeBack,
}

const KINDS: [BlockKind; 7] = [
    BlockKind::Member,
    BlockKind::Component,
    BlockKind::ControlIntervals,
    BlockKind::Records,
    BlockKind::MemberEnd,
    BlockKind::End,
    BlockKind::TakeBack,
];

impl BlockKind {
    fn code(self) -> u8 {
        KINDS.iter().position(|kind| *kind == self).map_or(0, |n| n as u8 + 1)
    }

    fn of(code: u8) -> Result<BlockKind, FormatError> {
        let known = usize::from(code).checked_sub(1).and_then(|n| KINDS.get(n));
        known
            .copied()
            .ok_or_else(|| refused(BLOCK, "kind", code.into(), "from 1 to 7"))
    }
}

/// The bytes of a block before what is stored in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHead {
    /// Id of the copy.
    pub id: u64,
    /// Place in the copy, from 0.
    pub number: u64,
    /// What it holds.
    pub kind: BlockKind,
    /// What is stored is the content compressed by Zstandard; else the content itself.
    pub compressed: bool,
    /// Bytes stored.
    pub stored: u32,
    /// Bytes of the content.
    pub length: u32,
    /// CRC-32C of the content.
    pub content: u32,
}

impl BlockHead {
    /// The head of a block in which `stored` stands, and its checksum.
    pub fn encode(&self, stored: &[u8]) -> ([u8; BLOCK_HEAD_LEN], u32) {
        let mut out = [0; BLOCK_HEAD_LEN];
        put(&mut out, 0, &BLOCK_MAGIC);
        put(&mut out, at::BLOCK_ID, &self.id.to_le_bytes());
        put(&mut out, at::NUMBER, &self.number.to_le_bytes());
        out[at::KIND] = self.kind.code();
        out[at::COMPRESSION] = u8::from(self.compressed);
        put(&mut out, at::STORED, &self.stored.to_le_bytes());
        put(&mut out, at::LENGTH, &self.length.to_le_bytes());
        put(&mut out, at::CONTENT, &self.content.to_le_bytes());
        let checksum = block_checksum(&out, stored);
        put(&mut out, at::BLOCK_CHECKSUM, &checksum.to_le_bytes());
        (out, checksum)
    }

    /// Reads a block's head. What it says is not trusted before [`BlockHead::check`] has seen what is stored.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    pub fn decode(bytes: &[u8; BLOCK_HEAD_LEN]) -> Result<BlockHead, FormatError> {
        if bytes[..4] != BLOCK_MAGIC {
            return Err(FormatError::Magic { what: BLOCK });
        }
        let compressed = match bytes[at::COMPRESSION] {
            0 => false,
            1 => true,
            other => return Err(refused(BLOCK, "compression", other.into(), "0 or 1")),
        };
        let (stored, length) = (le32(bytes, at::STORED), le32(bytes, at::LENGTH));
        for (field, value) in [("stored length", stored), ("length", length)] {
            if value > MAX_CONTENT {
                return Err(refused(BLOCK, field, value.into(), "at most 4,194,304"));
            }
        }
        Ok(BlockHead {
            id: le64(bytes, at::BLOCK_ID),
            number: le64(bytes, at::NUMBER),
            kind: BlockKind::of(bytes[at::KIND])?,
            compressed,
            stored,
            length,
            content: le32(bytes, at::CONTENT),
        })
    }

    /// The block's checksum, if it is that of `head` and `stored`.
    ///
    /// # Errors
    /// The bytes are not those that were written.
    pub fn check(head: &[u8; BLOCK_HEAD_LEN], stored: &[u8]) -> Result<u32, FormatError> {
        match block_checksum(head, stored) {
            sum if sum == le32(head, at::BLOCK_CHECKSUM) => Ok(sum),
            _ => Err(FormatError::Checksum { what: BLOCK }),
        }
    }
}

/// Over head and stored bytes, the four of the checksum itself as zeros.
fn block_checksum(head: &[u8; BLOCK_HEAD_LEN], stored: &[u8]) -> u32 {
    crc32c::crc32c_append(own_checksum(head, at::BLOCK_CHECKSUM), stored)
}

/// What a member, or the whole copy, amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Records, of what was copied record by record.
    pub records: u64,
    /// Control intervals, of what was copied as it is stored.
    pub control_intervals: u64,
    /// Bytes of content in these blocks.
    pub bytes: u64,
    /// Blocks before this one: of the member, or of the copy.
    pub blocks: u64,
    /// CRC-32C of those blocks' checksums, one after the other.
    pub checksum: u32,
}

impl Totals {
    /// The totals as bytes.
    pub fn encode(&self) -> [u8; TOTALS_LEN] {
        let mut out = [0; TOTALS_LEN];
        for (n, number) in [self.records, self.control_intervals, self.bytes, self.blocks]
            .iter()
            .enumerate()
        {
            put(&mut out, 8 * n, &number.to_le_bytes());
        }
        put(&mut out, 32, &self.checksum.to_le_bytes());
        out
    }

    /// Reads totals.
    ///
    /// # Errors
    /// There are fewer bytes.
    pub fn decode(bytes: &[u8]) -> Result<Totals, FormatError> {
        need(TOTALS, bytes, TOTALS_LEN)?;
        Ok(Totals {
            records: le64(bytes, 0),
            control_intervals: le64(bytes, 8),
            bytes: le64(bytes, 16),
            blocks: le64(bytes, 24),
            checksum: le32(bytes, 32),
        })
    }

    /// Counts a block with this checksum and so many bytes of content.
    pub fn add(&mut self, checksum: u32, bytes: u32) {
        self.checksum = crc32c::crc32c_append(self.checksum, &checksum.to_le_bytes());
        self.bytes += u64::from(bytes);
        self.blocks += 1;
    }
}

/// How a member's contents were copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// There are none: a path, an alias, and other entries without files of their own.
    Definition,
    /// Record by record.
    Records,
    /// Control interval by control interval, as they are stored.
    ControlIntervals,
}

/// Who a member is: how its contents follow, the kind of its entry as in a catalog's item, and the item's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// How its contents were copied.
    pub mode: Mode,
    /// Kind of the catalog's item.
    pub entry: u8,
    /// The item's fields.
    pub fields: Vec<u8>,
}

impl Member {
    /// The content of its block.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; MEMBER_HEAD_LEN];
        out[0] = match self.mode {
            Mode::Definition => 0,
            Mode::Records => 1,
            Mode::ControlIntervals => 2,
        };
        out[1] = self.entry;
        out.extend_from_slice(&self.fields);
        out
    }

    /// Reads the content of a member's block.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn decode(bytes: &[u8]) -> Result<Member, FormatError> {
        need(CONTENT, bytes, MEMBER_HEAD_LEN)?;
        let mode = match bytes[0] {
            0 => Mode::Definition,
            1 => Mode::Records,
            2 => Mode::ControlIntervals,
            other => return Err(refused(CONTENT, "mode", other.into(), "from 0 to 2")),
        };
        Ok(Member {
            mode,
            entry: bytes[1],
            fields: bytes[MEMBER_HEAD_LEN..].to_vec(),
        })
    }
}

/// The head of a run: control intervals of one control area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CiRun {
    /// CA number.
    pub ca: u32,
    /// Flags of the CA, as in its header.
    pub flags: u32,
    /// Of a free CA: the next one.
    pub next_free: u32,
    /// CIs that follow.
    pub count: u32,
}

impl CiRun {
    /// The head as bytes.
    pub fn encode(&self) -> [u8; RUN_HEAD_LEN] {
        let mut out = [0; RUN_HEAD_LEN];
        for (n, number) in [self.ca, self.flags, self.next_free, self.count].iter().enumerate() {
            put(&mut out, 4 * n, &number.to_le_bytes());
        }
        out
    }

    /// Takes a run's head off the front of `bytes`.
    ///
    /// # Errors
    /// There are fewer bytes.
    pub fn take(bytes: &mut &[u8]) -> Result<CiRun, FormatError> {
        let head = take(bytes, RUN_HEAD_LEN)?;
        Ok(CiRun {
            ca: le32(head, 0),
            flags: le32(head, 4),
            next_free: le32(head, 8),
            count: le32(head, 12),
        })
    }
}

/// The four bytes before a CI's image: number in its CA, and its flags as in the CA's header.
pub fn ci_head(number: u16, flags: u16) -> [u8; CI_HEAD_LEN] {
    let mut out = [0; CI_HEAD_LEN];
    put(&mut out, 0, &number.to_le_bytes());
    put(&mut out, 2, &flags.to_le_bytes());
    out
}

/// Takes number, flags and image of a CI of `ci_size` bytes off the front of `bytes`.
///
/// # Errors
/// There are fewer bytes.
pub fn take_ci<'b>(bytes: &mut &'b [u8], ci_size: usize) -> Result<(u16, u16, &'b [u8]), FormatError> {
    let head = take(bytes, CI_HEAD_LEN)?;
    Ok((le16(head, 0), le16(head, 2), take(bytes, ci_size)?))
}

/// The eight bytes before a record in the stream: its length, and its relative record number (0: it has none).
pub fn record_head(length: u32, number: u32) -> [u8; RECORD_HEAD_LEN] {
    let mut out = [0; RECORD_HEAD_LEN];
    put(&mut out, 0, &length.to_le_bytes());
    put(&mut out, 4, &number.to_le_bytes());
    out
}

/// Length and relative record number out of the eight bytes before a record.
pub fn read_record_head(bytes: &[u8; RECORD_HEAD_LEN]) -> (u32, u32) {
    (le32(bytes, 0), le32(bytes, 4))
}

fn take<'b>(bytes: &mut &'b [u8], len: usize) -> Result<&'b [u8], FormatError> {
    need(CONTENT, bytes, len)?;
    let (taken, rest) = bytes.split_at(len);
    *bytes = rest;
    Ok(taken)
}

fn refused(what: &'static str, field: &'static str, value: u64, must: &'static str) -> FormatError {
    FormatError::Field {
        what,
        field,
        value,
        must,
    }
}
