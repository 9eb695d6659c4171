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
    _8: [c_uchar; 25],
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

/// Bits of LOCK MODE; MANUAL, which is 4, is what none of them means.
pub mod lock {
    /// EXCLUSIVE.
    pub const EXCLUSIVE: u8 = 1;
    /// AUTOMATIC.
    pub const AUTOMATIC: u8 = 2;
    /// LOCK ON MULTIPLE RECORDS.
    pub const MULTIPLE: u8 = 0x80;
}

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

/// The keys of a block; none if it is no such block, or a key lies beyond the longest record.
pub fn keys(block: &[u8], longest: usize) -> Option<Vec<KeyParts>> {
    let number = |at: usize, len: usize| {
        let bytes = block.get(at..at.checked_add(len)?)?;
        Some(bytes.iter().fold(0usize, |all, &byte| all << 8 | usize::from(byte)))
    };
    let count = number(6, 2).filter(|&count| count <= MOST_KEYS)?;
    let mut keys = Vec::with_capacity(count);
    for at in (0..count).map(|key| HEAD + key * KEY) {
        let (parts, first) = (number(at, 2)?, number(at + 2, 2)?);
        if !(1..=MOST_PARTS).contains(&parts) {
            return None;
        }
        let part = |n: usize| {
            let at = first + n * PART;
            let (offset, length) = (number(at + 2, 4)?, number(at + 6, 4)?);
            (length > 0 && offset.checked_add(length)? <= longest).then_some((offset, length))
        };
        let flags = number(at + 4, 1)?;
        keys.push(KeyParts {
            parts: (0..parts).map(part).collect::<Option<_>>()?,
            duplicates: flags & 0x40 != 0,
            sparse: match flags & 0x02 {
                0 => None,
                _ => Some(number(at + 6, 1)? as u8),
            },
        });
    }
    Some(keys)
}

const _: () = {
    assert!(std::mem::offset_of!(Fcd, other) == 21);
    assert!(std::mem::offset_of!(Fcd, lock_mode) == 28);
    assert!(std::mem::offset_of!(Fcd, name_length) == 54);
    assert!(std::mem::offset_of!(Fcd, reference) == 60);
    assert!(std::mem::offset_of!(Fcd, key_length) == 66);
    assert!(std::mem::offset_of!(Fcd, options) == 84);
    assert!(std::mem::offset_of!(Fcd, number) == 144);
    assert!(std::mem::offset_of!(Fcd, record) == 160);
    assert!(std::mem::offset_of!(Fcd, keys) == 184);
    assert!(size_of::<Fcd>() == 216);
};
