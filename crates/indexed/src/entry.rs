//! Entries of track index and cylinder index, and the links of overflow chains: a key and an address.
//!
//! An address has the form of its time, MBBCCHHR, and behind it a byte that says what the entry is.

use crate::geometry::{Geometry, LINK};
use crate::IsamError;

/// A track and a record of it; record 0 is the track as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Address {
    pub cylinder: u16,
    pub track: u16,
    pub record: u8,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// Of blocks, or of a cylinder.
    Normal,
    /// Of an overflow chain: `Address::record` is 0 where there is none.
    Overflow,
    /// Of a track that has no records yet, or the end of an index.
    Inactive,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub key: Vec<u8>,
    pub kind: EntryKind,
    pub address: Address,
}

impl Address {
    pub fn encode(self) -> [u8; LINK] {
        let mut link = [0; LINK];
        link[3..5].copy_from_slice(&self.cylinder.to_be_bytes());
        link[5..7].copy_from_slice(&self.track.to_be_bytes());
        link[7] = self.record;
        link
    }

    pub fn decode(link: &[u8]) -> Address {
        Address {
            cylinder: u16::from_be_bytes([link[3], link[4]]),
            track: u16::from_be_bytes([link[5], link[6]]),
            record: link[7],
        }
    }

    /// Whether it names a record, and not only a track.
    pub fn is_record(self) -> bool {
        self.record > 0
    }
}

impl Entry {
    pub fn inactive(geometry: &Geometry) -> Entry {
        Entry {
            key: vec![0xFF; geometry.of.key_len.into()],
            kind: EntryKind::Inactive,
            address: Address::default(),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.key.clone();
        bytes.extend(self.address.encode());
        let flag = bytes.len() - 2;
        bytes[flag] = self.kind as u8;
        bytes
    }

    /// From what is stored at a place.
    pub fn decode(bytes: &[u8], cylinder: u32, track: u32) -> Result<Entry, IsamError> {
        let (key, link) = bytes.split_at(bytes.len() - LINK);
        let kind = match link[LINK - 2] {
            0 => EntryKind::Normal,
            1 => EntryKind::Overflow,
            2 => EntryKind::Inactive,
            _ => {
                let what = "an index entry of no kind";
                return Err(IsamError::Damaged { cylinder, track, what });
            }
        };
        Ok(Entry {
            key: key.to_vec(),
            kind,
            address: Address::decode(link),
        })
    }
}
