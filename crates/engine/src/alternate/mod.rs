//! The records of an alternate index: what its pointers are, and what becomes of its records when one comes or goes.
//! It knows the index alone, as a KSDS; what changes with it is said in [`crate::sphere`].

pub mod chain;
pub mod pointer;

use crate::error::{show_key, RequestError};
use crate::ksds::Ksds;
use cica_format::aix::{self, AixRecord, Directory, Pointers};
use cica_format::attributes::Attributes;
use cica_format::FormatError;

/// Bytes that a link, or a record of a directory, grows to: what one request rewrites does not depend on how large
/// the control intervals are.
const MOST: usize = 1024;

/// What the records of an alternate index are.
#[derive(Debug, Clone, Copy)]
pub struct AlternateLayout {
    /// What its pointers are.
    pub pointers: Pointers,
    /// Bytes of an alternate key.
    pub key_len: usize,
    /// An alternate key has a chain of records, and not one.
    pub chained: bool,
    /// An alternate key has one pointer.
    pub unique: bool,
}

impl AlternateLayout {
    /// Those of an index with these attributes, if it is an alternate index.
    pub fn of(attributes: &Attributes) -> Option<AlternateLayout> {
        let of = attributes.alternate.as_ref()?;
        Some(AlternateLayout {
            pointers: of.pointers,
            key_len: attributes.key_length.into(),
            chained: of.chained,
            unique: of.unique,
        })
    }

    /// Reads a record that the index has.
    pub fn read<'r>(&self, ksds: &Ksds, bytes: &'r [u8]) -> Result<AixRecord<'r>, RequestError> {
        AixRecord::read_of(bytes, self.pointers, self.key_len, self.chained)
            .map_err(|error| damaged(ksds, self.key_of(bytes), error))
    }

    /// The pointers of a link that may be empty.
    fn read_any(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let read = AixRecord::read(bytes);
        read.map_or_else(|_| Vec::new(), |read| read.pointers().map(<[u8]>::to_vec).collect())
    }

    /// The alternate key of a record.
    pub fn key_of<'r>(&self, bytes: &'r [u8]) -> &'r [u8] {
        bytes
            .get(aix::HEADER_LEN..aix::HEADER_LEN + self.key_len)
            .unwrap_or_default()
    }

    /// Bytes that a link may have, and a record of a directory.
    pub fn most(&self, ksds: &Ksds) -> usize {
        let most = MOST.min(ksds.longest_unspanned() / 2);
        let one = Directory::len_of(self.key_len, 0) + self.pointers.len().max(Directory::len_of(0, 2));
        most.max(one)
    }

    /// Entries that a record of a directory may have.
    pub fn most_entries(&self, ksds: &Ksds) -> usize {
        let entry = Directory::len_of(0, 1) - Directory::len_of(0, 0);
        ((self.most(ksds) - Directory::len_of(self.key_len, 0)) / entry).max(2)
    }
}

/// What a record of an alternate index becomes.
pub struct Edit {
    /// As it is; empty if there is none.
    pub old: Vec<u8>,
    /// As it shall be; empty if it goes.
    pub new: Vec<u8>,
}

impl Edit {
    /// A new record.
    pub fn insert(new: Vec<u8>) -> Edit {
        Edit { old: Vec::new(), new }
    }
    /// A record that goes.
    pub fn erase(old: Vec<u8>) -> Edit {
        Edit { old, new: Vec::new() }
    }
}

/// The record of an alternate key reads as none.
fn damaged(ksds: &Ksds, key: &[u8], error: FormatError) -> RequestError {
    RequestError::Physical {
        reason: 4,
        what: format!(
            "{}, alternate key {}: {error}; build the alternate index again with BLDINDEX",
            ksds.data.name,
            show_key(key)
        ),
    }
}
