//! The header of a log file.

use super::BLOCK_LEN;
use crate::bytes::{le16, le32, le64, need, put};
use crate::checksum::own_checksum;
use crate::error::FormatError;

/// First eight bytes of a log file.
pub const FILE_MAGIC: [u8; 8] = *b"CICALOG ";
/// Format version of logs this code writes; it refuses newer ones.
pub const FORMAT: u16 = 8;

/// Name in messages.
const FILE: &str = "log file header";

mod at {
    //! Offsets, see `docs/format/log.md`.
    pub const CHECKSUM: usize = 8;
    pub const FORMAT: usize = 12;
    pub const LOG: usize = 16;
    pub const CLAIMS: usize = 24;
    pub const BIRTH: usize = 28;
    pub const SETTLED: usize = 32;
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

impl LogFileHeader {
    /// Fills `out` with the header.
    pub fn encode(&self, out: &mut [u8; BLOCK_LEN]) {
        out.fill(0);
        put(out, 0, &FILE_MAGIC);
        put(out, at::FORMAT, &FORMAT.to_le_bytes());
        put(out, at::LOG, &self.log.to_le_bytes());
        put(out, at::CLAIMS, &self.claims.to_le_bytes());
        put(out, at::BIRTH, &self.birth.to_le_bytes());
        out[at::SETTLED] = self.settled.into();
        let checksum = own_checksum(out, at::CHECKSUM);
        put(out, at::CHECKSUM, &checksum.to_le_bytes());
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
        if le32(bytes, at::CHECKSUM) != own_checksum(bytes, at::CHECKSUM) {
            return Err(FormatError::Checksum { what: FILE });
        }
        let found = le16(bytes, at::FORMAT);
        if found > FORMAT {
            return Err(FormatError::NewerFormat { what: FILE, found });
        }
        Ok(LogFileHeader {
            log: le64(bytes, at::LOG),
            claims: le32(bytes, at::CLAIMS),
            birth: le32(bytes, at::BIRTH),
            // Up to format 4 a header was written when the name was durable.
            settled: found < 5 || bytes[at::SETTLED] != 0,
        })
    }
}
