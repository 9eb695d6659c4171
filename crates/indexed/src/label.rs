//! What the file says of itself, as the data set label did: on the first track of cylinder 0, read by an open and
//! written by a close. Neither is counted.

use crate::geometry::Organization;
use crate::IsamError;
use cica_disk::{File, ReadAt, WriteAt};

const MAGIC: &[u8; 8] = b"CICAISAM";
const LEN: usize = 52;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    pub organization: Organization,
    /// The load has come to its end.
    pub is_loaded: bool,
    /// Records, those in overflow included.
    pub records: u64,
    /// Prime cylinders that have records.
    pub cylinders: u32,
    /// Data tracks of the last of them, and blocks of the last of these.
    pub last_tracks: u32,
    pub last_blocks: u32,
    /// Records in the independent overflow area.
    pub independent: u32,
}

impl Label {
    pub fn new(organization: Organization) -> Label {
        Label {
            organization,
            is_loaded: false,
            records: 0,
            cylinders: 0,
            last_tracks: 0,
            last_blocks: 0,
            independent: 0,
        }
    }

    pub fn write(&self, file: &dyn File) -> Result<(), IsamError> {
        let of = self.organization;
        let mut bytes = MAGIC.to_vec();
        for short in [
            of.lrecl,
            of.blocking,
            of.key_at,
            of.prime_cylinders,
            of.independent_cylinders,
        ] {
            bytes.extend(short.to_be_bytes());
        }
        bytes.extend([of.key_len, of.overflow_tracks]);
        bytes.extend(self.records.to_be_bytes());
        let words = [
            self.cylinders,
            self.last_tracks,
            self.last_blocks,
            self.independent,
            self.is_loaded.into(),
        ];
        for word in words {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(crc32c::crc32c(&bytes).to_be_bytes());
        file.write(&[WriteAt { at: 0, buf: &bytes }])?;
        Ok(())
    }

    pub fn read(file: &dyn File) -> Result<Label, IsamError> {
        let mut bytes = [0; LEN];
        let mut batch = [ReadAt {
            at: 0,
            buf: &mut bytes,
            got: 0,
        }];
        file.read(&mut batch)?;
        if batch[0].got < LEN || bytes[..8] != *MAGIC {
            return Err(IsamError::NotIndexed("it has no label"));
        }
        let short = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if crc32c::crc32c(&bytes[..LEN - 4]) != word(LEN - 4) {
            return Err(IsamError::NotIndexed("its label is damaged"));
        }
        Ok(Label {
            organization: Organization {
                lrecl: short(8),
                blocking: short(10),
                key_at: short(12),
                prime_cylinders: short(14),
                independent_cylinders: short(16),
                key_len: bytes[18],
                overflow_tracks: bytes[19],
            },
            is_loaded: word(44) == 1,
            records: u64::from(word(20)) << 32 | u64::from(word(24)),
            cylinders: word(28),
            last_tracks: word(32),
            last_blocks: word(36),
            independent: word(40),
        })
    }
}
