//! Records of an alternate index: one alternate key and pointers to the base records that have it, as VSAM lays them
//! out. Numbers are big-endian.
//!
//! The pointers stand in the order in which they came; in an index over a KSDS they are prime keys, over an ESDS RBAs
//! of four bytes, or of eight where the base can be longer than 4 GiB.
//!
//! Where alternate keys need not be unique the pointers of one may be a chain of records, without end (`chain.rs`).

mod chain;

pub use chain::{hash, Directory, Link, CHAIN_LEN};

use crate::bytes::{be16, need, put};
use crate::error::FormatError;
use chain::{CHAINED, DIRECTORY, LISTED};

/// Bytes before the alternate key: so the key of the alternate index's own records has RKP 5.
pub const HEADER_LEN: usize = 5;
/// Pointers after which VSAM takes no more.
pub const VSAM_POINTERS: usize = 32_767;
/// Pointers that the count's two bytes can tell, after which a record takes no more.
pub const MOST_POINTERS: usize = 65_535;

/// Name in messages.
const WHAT: &str = "alternate index record";

mod at {
    //! Offsets, see `docs/format/aix-record.md`.
    pub const FLAG: usize = 0;
    pub const POINTER_LEN: usize = 1;
    pub const COUNT: usize = 2;
    pub const KEY_LEN: usize = 4;
}

/// Bit of the flag byte: the pointers are prime keys.
const PRIME_KEYS: u8 = 0x01;

/// What the pointers of an alternate index are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pointers {
    /// Prime keys of this length: over a KSDS.
    Keys(u8),
    /// RBAs of four bytes: over an ESDS.
    Rba,
    /// RBAs of eight bytes: over an ESDS that can be longer than 4 GiB.
    Xrba,
}

impl Pointers {
    /// Bytes of one.
    pub fn len(self) -> usize {
        match self {
            Pointers::Keys(len) => usize::from(len),
            Pointers::Rba => 4,
            Pointers::Xrba => 8,
        }
    }

    /// None is of length 0.
    pub fn is_empty(self) -> bool {
        false
    }

    /// The flag byte of a record.
    pub fn flag(self) -> u8 {
        match self {
            Pointers::Keys(_) => PRIME_KEYS,
            Pointers::Rba | Pointers::Xrba => 0,
        }
    }

    /// The pointers that a flag byte and a length mean.
    ///
    /// # Errors
    /// There are none such.
    pub fn of(flag: u8, len: u8) -> Result<Pointers, FormatError> {
        match (flag, len) {
            (PRIME_KEYS, 1..) => Ok(Pointers::Keys(len)),
            (0, 4) => Ok(Pointers::Rba),
            (0, 8) => Ok(Pointers::Xrba),
            _ => Err(refused(
                "flag and pointer length",
                u16::from_be_bytes([flag, len]).into(),
            )),
        }
    }
}

/// A record, read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AixRecord<'r> {
    /// What its pointers are.
    pub kind: Pointers,
    /// The alternate key.
    pub key: &'r [u8],
    /// Of a chain: which link of it this is.
    pub link: Option<Link>,
    pointers: &'r [u8],
}

impl<'r> AixRecord<'r> {
    /// Reads the record in `bytes`.
    ///
    /// # Errors
    /// The bytes are none, or more or fewer than it says of itself.
    pub fn read(bytes: &'r [u8]) -> Result<AixRecord<'r>, FormatError> {
        need(WHAT, bytes, HEADER_LEN)?;
        let flag = bytes[at::FLAG];
        let chained = flag & CHAINED != 0;
        let of_chain = if chained { CHAINED | LISTED } else { 0 };
        let kind = Pointers::of(flag & !of_chain, bytes[at::POINTER_LEN])?;
        let key_end = HEADER_LEN + usize::from(bytes[at::KEY_LEN]);
        let start = key_end + if chained { CHAIN_LEN } else { 0 };
        let len = start + usize::from(be16(bytes, at::COUNT)) * kind.len();
        need(WHAT, bytes, len)?;
        if bytes.len() != len {
            return Err(refused("bytes behind the last pointer", (bytes.len() - len) as u64));
        }
        let link = if chained {
            Some(Link::read(&bytes[key_end..start], flag & LISTED != 0)?)
        } else {
            None
        };
        Ok(AixRecord {
            kind,
            key: &bytes[HEADER_LEN..key_end],
            link,
            pointers: &bytes[start..],
        })
    }

    /// The same, of an index with such pointers and alternate keys of this length, `chained` or not, where a record that
    /// leads nowhere is none either.
    ///
    /// # Errors
    /// The bytes are not such a record.
    pub fn read_of(
        bytes: &'r [u8],
        kind: Pointers,
        key_len: usize,
        chained: bool,
    ) -> Result<AixRecord<'r>, FormatError> {
        let record = AixRecord::read(bytes)?;
        if record.link.is_some() != chained {
            return Err(refused("chain number", bytes[at::FLAG].into()));
        }
        if record.kind != kind {
            return Err(refused("pointer length", record.kind.len() as u64));
        }
        if record.key.len() != key_len {
            return Err(refused("key length", record.key.len() as u64));
        }
        // The last link of a chain stays, as long as there are others (C1).
        match record.count() {
            0 if !record.link.is_some_and(|link| link.listed) => Err(refused("number of pointers", 0)),
            _ => Ok(record),
        }
    }

    /// The pointers, in order of arrival.
    pub fn pointers(&self) -> impl DoubleEndedIterator<Item = &'r [u8]> + ExactSizeIterator {
        self.pointers.chunks_exact(self.kind.len())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.pointers.len() / self.kind.len()
    }

    /// The pointer at a place.
    pub fn pointer(&self, at: usize) -> Option<&'r [u8]> {
        self.pointers.chunks_exact(self.kind.len()).nth(at)
    }

    /// The place of a pointer.
    pub fn place(&self, pointer: &[u8]) -> Option<usize> {
        self.pointers().position(|p| p == pointer)
    }
}

/// Bytes of a record.
pub fn record_len(kind: Pointers, key_len: usize, pointers: usize) -> usize {
    HEADER_LEN + key_len + pointers * kind.len()
}

/// Whether the bytes are a directory of a chain, and no list of pointers.
pub fn is_directory(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flag| flag & DIRECTORY != 0)
}

/// Whether the bytes could be a record of a chain.
pub fn is_of_chain(bytes: &[u8]) -> bool {
    is_directory(bytes) || AixRecord::read(bytes).is_ok_and(|read| read.link.is_some())
}

/// A record as VSAM has it: a link without its number. False: it is a directory or leads nowhere, and VSAM has none.
pub fn as_vsam_has_it(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(record) = AixRecord::read(bytes) else {
        return false;
    };
    begin(out, record.kind, record.key);
    record.pointers().for_each(|pointer| push(out, pointer));
    record.count() > 0
}

/// Begins a record without pointers in `out`, whatever that held.
pub fn begin(out: &mut Vec<u8>, kind: Pointers, key: &[u8]) {
    out.clear();
    out.extend_from_slice(&[kind.flag(), kind.len() as u8, 0, 0, key.len() as u8]);
    out.extend_from_slice(key);
}

/// The same for a link of a chain.
pub fn begin_link(out: &mut Vec<u8>, kind: Pointers, key: &[u8], link: Link) {
    begin(out, kind, key);
    out[at::FLAG] |= link.flag();
    out.extend_from_slice(&link.number.to_be_bytes());
}

/// Notes in a link that its chain has a directory.
pub fn set_listed(link: &mut [u8]) {
    if let Some(flag) = link.get_mut(at::FLAG) {
        *flag |= LISTED;
    }
}

/// Adds a pointer behind the others of a record that [`AixRecord::read`] accepts.
///
/// # Errors
/// It has [`MOST_POINTERS`], or pointers of another length.
pub fn add(record: &mut Vec<u8>, pointer: &[u8]) -> Result<(), FormatError> {
    let read = AixRecord::read(record)?;
    if read.kind.len() != pointer.len() {
        return Err(refused("pointer length", pointer.len() as u64));
    }
    let count = read.count();
    if count == MOST_POINTERS {
        return Err(refused("number of pointers", count as u64 + 1));
    }
    put(record, at::COUNT, &(count as u16 + 1).to_be_bytes());
    record.extend_from_slice(pointer);
    Ok(())
}

/// The same for a record of this process's own making, which is known to have room: in constant time.
pub fn push(record: &mut Vec<u8>, pointer: &[u8]) {
    let count = be16(record, at::COUNT).saturating_add(1);
    put(record, at::COUNT, &count.to_be_bytes());
    record.extend_from_slice(pointer);
}

/// Takes a pointer out; the others keep their order. Returns how many are left, `None` if it was not there.
///
/// # Errors
/// The bytes are no record.
pub fn remove(record: &mut Vec<u8>, pointer: &[u8]) -> Result<Option<usize>, FormatError> {
    let read = AixRecord::read(record)?;
    let Some(place) = read.place(pointer) else {
        return Ok(None);
    };
    let left = read.count() - 1;
    let start = record.len() - read.pointers.len() + place * pointer.len();
    record.drain(start..start + pointer.len());
    put(record, at::COUNT, &(left as u16).to_be_bytes());
    Ok(Some(left))
}

fn refused(field: &'static str, value: u64) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value,
        must: match field {
            "number of pointers" => "from 1 to 65,535",
            "bytes behind the last pointer" => "0",
            "chain number" => "there, or not, as in all records of the index, and below 2^63",
            "directory" => "entries of sixteen bytes, in order of their hash",
            "key length" => "that of the index's alternate keys",
            "pointer length" => "that of the index's pointers",
            _ => "X'01' and 1 to 255, or X'00' and 4 or 8",
        },
    }
}
