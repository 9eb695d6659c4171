//! The file control description that a program compiled with `-fcallfh` hands over with each request, and the block that
//! describes its keys. Numbers have the highest byte first; members without a name are there for the place they take.

#![allow(dead_code)]

use std::ffi::{c_char, c_uchar, c_void};

/// See the module: version 1 of the 64-bit block, "FCD3".
#[repr(C)]
pub struct Fcd {
    /// FILE STATUS.
    pub status: [c_uchar; 2],
    /// Bytes of the block.
    pub length: [c_uchar; 2],
    /// 1.
    pub version: c_uchar,
    /// [`organization`].
    pub organization: c_uchar,
    /// Bits of [`access`].
    pub access: c_uchar,
    /// 0 INPUT, 1 OUTPUT, 2 I-O, 3 EXTEND; [`CLOSED`].
    pub open_mode: c_uchar,
    _0: [c_uchar; 13],
    /// Bits of [`other`].
    pub other: c_uchar,
    _1: [c_uchar; 6],
    /// Bits of [`lock`].
    pub lock_mode: c_uchar,
    _8: [c_uchar; 18],
    /// [`MADE_BY_LIBCOB`] and others.
    pub made: c_uchar,
    _9: [c_uchar; 6],
    /// Bytes of the name.
    pub name_length: [c_uchar; 2],
    _2: [c_uchar; 4],
    /// Number of the key meant, from 0.
    pub reference: [c_uchar; 2],
    _3: [c_uchar; 4],
    /// So many bytes of it.
    pub key_length: [c_uchar; 2],
    _4: [c_uchar; 16],
    /// libcob's options of the request.
    pub options: [c_uchar; 4],
    /// Length of the record.
    pub record_length: [c_uchar; 4],
    /// Least length of a record.
    pub least: [c_uchar; 4],
    /// Greatest length of a record.
    pub most: [c_uchar; 4],
    _5: [c_uchar; 44],
    /// RELATIVE KEY.
    pub number: [c_uchar; 8],
    /// The handler's own.
    pub handle: *mut c_void,
    /// Record area.
    pub record: *mut c_uchar,
    /// ASSIGN's text.
    pub name: *const c_char,
    _6: *const c_void,
    /// Keys.
    pub keys: *const c_uchar,
    /// COLLATING SEQUENCE; libcob never sets it.
    pub collating: *const c_uchar,
    _7: [*const c_void; 2],
}

/// Open mode of a file that is not open.
pub const CLOSED: u8 = 128;

/// ORGANIZATION.
pub mod organization {
    /// Lines.
    pub const LINES: u8 = 0;
    /// Records one after another.
    pub const SEQUENTIAL: u8 = 1;
    /// By key.
    pub const INDEXED: u8 = 2;
    /// By number.
    pub const RELATIVE: u8 = 3;
}

/// ACCESS MODE.
pub mod access {
    /// By key only.
    pub const RANDOM: u8 = 4;
    /// Both.
    pub const DYNAMIC: u8 = 8;
}

/// Bits of LOCK MODE; without one of the first three nothing was said.
pub mod lock {
    /// EXCLUSIVE.
    pub const EXCLUSIVE: u8 = 1;
    /// AUTOMATIC.
    pub const AUTOMATIC: u8 = 2;
    /// MANUAL.
    pub const MANUAL: u8 = 4;
    /// LOCK ON MULTIPLE RECORDS.
    pub const MULTIPLE: u8 = 0x80;
}

/// libcob has made the description, of a file of the program's.
pub const MADE_BY_LIBCOB: u8 = 0x80;

/// Other features of SELECT.
pub mod other {
    /// OPTIONAL.
    pub const OPTIONAL: u8 = 0x80;
}

/// A key: one part after the other, offset and length of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyParts {
    /// Offset in the record, and length.
    pub parts: Vec<(usize, usize)>,
    /// WITH DUPLICATES.
    pub duplicates: bool,
    /// SUPPRESS WHEN ALL this.
    pub sparse: Option<u8>,
}

const HEAD: usize = 14;
const KEY: usize = 16;
const PART: usize = 10;
/// Keys of a file, and parts of a key, at most.
const MOST_KEYS: usize = 64;
const MOST_PARTS: usize = 8;

/// The block of keys at an address, as long as its keys need: of the length that it says libcob takes no notice.
///
/// # Safety
/// A block of keys, which stays while it is looked at.
pub unsafe fn key_block<'a>(at: *const c_uchar) -> &'a [u8] {
    // SAFETY: the caller's promise: the head, then its keys, then their parts.
    let first = |length| unsafe { std::slice::from_raw_parts(at, length) };
    let count = count_of(first(HEAD)).unwrap_or(0).min(MOST_KEYS);
    let keys = first(HEAD + count * KEY);
    let places = places(keys, count).unwrap_or_default();
    let ends = places.iter().map(|&(parts, at)| at + parts.min(MOST_PARTS) * PART);
    first(ends.fold(keys.len(), usize::max))
}

/// The number at a place of a block.
fn number(block: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = block.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().fold(0, |all, &byte| all << 8 | usize::from(byte)))
}

fn count_of(block: &[u8]) -> Option<usize> {
    number(block, 6, 2)
}

/// How many parts each key has, and where they begin. What is 0 means what it means to libcob: one part, and a place
/// behind the parts of the keys before it. libcob 3.1 knows no such place, and looks for the part in the head.
fn places(block: &[u8], count: usize) -> Option<Vec<(usize, usize)>> {
    let mut before = 0;
    let place = |key: usize| {
        let at = HEAD + key * KEY;
        let parts = number(block, at, 2)?.max(1);
        let first = match number(block, at + 2, 2)? {
            0 => HEAD + count * KEY + before * PART,
            first => first,
        };
        before += parts;
        Some((parts, first))
    };
    (0..count).map(place).collect()
}

const CUT: &str = "a key block that ends before its keys do";

/// The keys of a block.
///
/// # Errors
/// What makes it none, in words; a key that lies beyond the longest record does, too.
pub fn keys(block: &[u8], longest: usize) -> Result<Vec<KeyParts>, String> {
    let count = count_of(block).ok_or(CUT)?;
    if count > MOST_KEYS {
        return Err(format!("a key block of {count} keys, which is more than {MOST_KEYS},"));
    }
    let places = places(block, count).ok_or(CUT)?;
    let key = |(number, &place)| key(block, number, place, longest);
    places.iter().enumerate().map(key).collect()
}

fn key(block: &[u8], key: usize, (parts, first): (usize, usize), longest: usize) -> Result<KeyParts, String> {
    if parts > MOST_PARTS {
        return Err(format!("a key of {parts} parts, which is more than {MOST_PARTS},"));
    }
    let part = |part: usize| {
        let at = first + part * PART;
        let place = number(block, at + 2, 4).zip(number(block, at + 6, 4));
        let (offset, length) = place.ok_or(CUT)?;
        if length == 0 {
            return Err("a key without bytes".to_string());
        }
        match offset.checked_add(length) {
            Some(end) if end <= longest => Ok((offset, length)),
            _ => Err("a key that is not wholly in the record".into()),
        }
    };
    let byte = |at: usize| number(block, HEAD + key * KEY + at, 1).ok_or(CUT);
    let flags = byte(4)?;
    Ok(KeyParts {
        parts: (0..parts).map(part).collect::<Result<_, _>>()?,
        duplicates: flags & 0x40 != 0,
        sparse: match flags & 0x02 {
            0 => None,
            _ => Some(byte(6)? as u8),
        },
    })
}

const _: () = {
    assert!(std::mem::offset_of!(Fcd, other) == 21);
    assert!(std::mem::offset_of!(Fcd, lock_mode) == 28);
    assert!(std::mem::offset_of!(Fcd, made) == 47);
    assert!(std::mem::offset_of!(Fcd, name_length) == 54);
    assert!(std::mem::offset_of!(Fcd, reference) == 60);
    assert!(std::mem::offset_of!(Fcd, key_length) == 66);
    assert!(std::mem::offset_of!(Fcd, options) == 84);
    assert!(std::mem::offset_of!(Fcd, number) == 144);
    assert!(std::mem::offset_of!(Fcd, record) == 160);
    assert!(std::mem::offset_of!(Fcd, keys) == 184);
    assert!(size_of::<Fcd>() == 216);
};
