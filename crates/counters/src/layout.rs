//! Where what lies in a statistics file (`docs/format/statistics.md`): a head and slots, each 128 lines of 8 words.
//!
//! Words are as the machine has them, because nobody else reads them.

use crate::table::{ComponentCount, DataSetCount, FramesCount, LockCount, LsrCount, PoolCount, SmfCount, StringCount};
use cica_disk::LINE;
use cica_format::checksum::crc32c;

/// Bytes of the head, and of a slot.
pub const PIECE: usize = 8192;
/// Lines of the head, and of a slot.
pub const LINES: usize = PIECE / 8 / LINE;
/// Slots of a file.
pub const SLOTS: usize = 512;
/// The file grows by so many slots.
pub const GROWTH: usize = 8;

/// First word of a file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"CICASTAT");
/// Format of the file.
pub const VERSION: u64 = 1;

/// Words of the first line. `STATE`: 0 nobody's, odd: being written, else in use.
pub const STATE: usize = 0;
/// Checksum of the identity.
pub const CHECKSUM: usize = 1;
/// Head only: [`MAGIC`].
pub const MAGIC_AT: usize = 2;
/// Head only: [`VERSION`].
pub const VERSION_AT: usize = 3;
/// Head only: [`edition`](crate::table::edition).
pub const EDITION_AT: usize = 4;

/// Line of the identity.
pub const IDENTITY: usize = 1;
/// Lines of the identity.
pub const IDENTITY_LINES: usize = 15;
/// Bytes of the identity.
pub const IDENTITY_BYTES: usize = IDENTITY_LINES * LINE * 8;

/// Slot: line of the data set's cells.
pub const DATA_SET: usize = 16;
/// Slot: line of the data component's cells.
pub const DATA: usize = 20;
/// Slot: line of the index component's cells.
pub const INDEX: usize = 22;
/// Lines of a component's cells.
pub const COMPONENT_LINES: usize = 2;
/// Slot: line of the first string.
pub const STRINGS: usize = 32;
/// Strings of a data set that others see while they live.
pub const STRING_LINES: usize = LINES - STRINGS;

/// Head: line of the pool's cells.
pub const POOL: usize = 16;
/// Head: line of the lock table's cells.
pub const LOCKS: usize = 18;
/// Head: line of the cells of SMF.
pub const SMF: usize = 20;
/// Head: line of the cells of the first frame size.
pub const FRAMES: usize = 32;
/// Frame sizes of a pool that are shown.
pub const FRAME_SIZES: usize = 32;
/// Head: line of the cells of the first buffers that opens share (LSR).
pub const LSR: usize = FRAMES + FRAME_SIZES;
/// Lines of the cells of the shared buffers of one size.
pub const LSR_LINES: usize = 2;
/// Sizes of shared buffers, of all pools together, that are shown.
pub const LSR_SIZES: usize = (LINES - LSR) / LSR_LINES;

const _: () = {
    assert!(DATA_SET + DataSetCount::ALL.len().div_ceil(LINE) <= DATA);
    assert!(ComponentCount::ALL.len() <= COMPONENT_LINES * LINE);
    assert!(StringCount::ALL.len() <= LINE && FramesCount::ALL.len() <= LINE);
    assert!(POOL + PoolCount::ALL.len().div_ceil(LINE) <= LOCKS && LOCKS + LockCount::ALL.len().div_ceil(LINE) <= SMF);
    assert!(SMF + SmfCount::ALL.len().div_ceil(LINE) <= FRAMES && LSR < LINES);
    assert!(LsrCount::ALL.len() <= LSR_LINES * LINE);
};

/// What a piece says of itself: texts and numbers, each with its length in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    fields: Vec<Vec<u8>>,
}

impl Identity {
    /// One of these fields; what does not fit into the place for it is cut off.
    pub fn of(fields: Vec<Vec<u8>>) -> Identity {
        Identity { fields }
    }

    /// As bytes, as many as there is place for.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(IDENTITY_BYTES);
        for field in &self.fields {
            let rest = IDENTITY_BYTES.saturating_sub(bytes.len() + 1);
            let field = &field[..field.len().min(255).min(rest)];
            if rest > 0 {
                bytes.push(field.len() as u8);
                bytes.extend_from_slice(field);
            }
        }
        bytes.resize(IDENTITY_BYTES, 0);
        bytes
    }

    /// The first `count` fields of these bytes.
    pub fn decode(mut bytes: &[u8], count: usize) -> Option<Vec<Vec<u8>>> {
        let mut fields = Vec::with_capacity(count);
        for _ in 0..count {
            let (&len, rest) = bytes.split_first()?;
            let (field, rest) = rest.split_at_checked(len.into())?;
            fields.push(field.to_vec());
            bytes = rest;
        }
        Some(fields)
    }
}

/// The checksum of an identity.
pub fn checksum(identity: &[u8]) -> u64 {
    u64::from(crc32c(identity))
}
