//! What libcob and compiled COBOL programs have in memory, as far as it is read or written here: the part that 3.1 and
//! 3.2 have in common. Private members are there for the place they take.

#![allow(dead_code)]

use std::ffi::{c_char, c_int, c_short, c_uchar, c_uint, c_void};

/// A data item.
#[repr(C)]
pub struct Field {
    /// Bytes.
    pub size: usize,
    /// Where they are.
    pub data: *mut c_uchar,
    /// Picture and usage; libcob's own business.
    pub attributes: *const c_void,
}

/// A key of a file.
#[repr(C)]
pub struct Key {
    /// The key in the record area; of a split key an area of its own; of a relative file the relative key.
    pub field: *mut Field,
    flag: c_int,
    /// WITH DUPLICATES.
    pub duplicates: c_int,
    ascending: c_int,
    /// SUPPRESS: records whose key is all `suppressed` are not in the index.
    pub suppress: c_int,
    /// The character.
    pub suppressed: c_int,
    offset: c_uint,
    /// 0 or 1: simple; else a split key of so many parts.
    pub parts: c_int,
    /// The parts of a split key.
    pub part: [*mut Field; 8],
}

/// A file of a program.
#[repr(C)]
pub struct File {
    /// Name in SELECT.
    pub select_name: *const c_char,
    /// Two bytes that are always there.
    pub status: *mut c_uchar,
    /// ASSIGN TO.
    pub assign: *mut Field,
    /// The record area, with the size of the record in it.
    pub record: *mut Field,
    /// DEPENDING ON.
    pub depending: *mut Field,
    /// Keys, the prime key first.
    pub keys: *mut Key,
    /// The handler's own.
    pub handler: *mut c_void,
    /// Of a sequential file: LINAGE.
    pub linage_or_split: *mut c_void,
    /// COLLATING SEQUENCE, if there is one; in 3.2 also CODE-SET of a sequential file.
    pub collating: *const c_uchar,
    extfh: *mut c_void,
    /// Least length of a record.
    pub least: usize,
    /// Greatest length of a record.
    pub most: usize,
    /// Number of keys.
    pub key_count: usize,
    descriptor: c_int,
    /// [`organization`].
    pub organization: c_uchar,
    /// [`access`].
    pub access: c_uchar,
    /// Bits of [`lock`].
    pub lock: c_uchar,
    /// [`open`].
    pub open: c_uchar,
    /// OPTIONAL.
    pub optional: c_uchar,
    /// The mode of the last OPEN.
    pub last_open: c_uchar,
    operation: c_uchar,
    /// An optional file that is not there.
    pub absent: c_uchar,
    /// A READ came to the end.
    pub at_end: c_uchar,
    /// A READ PREVIOUS came to the beginning.
    pub at_beginning: c_uchar,
    /// OPEN or START was the last that set the position.
    pub first_read: c_uchar,
    /// The last request was a successful READ.
    pub read_done: c_uchar,
    /// Bits of [`select`].
    pub select: c_uchar,
    needs_nl: c_uchar,
    needs_top: c_uchar,
    /// 1 in the layouts known here.
    pub version: c_uchar,
    line_advancing: c_uchar,
    current_key: c_short,
    mapped_key: c_short,
}

/// The first part of libcob's globals.
#[repr(C)]
pub struct Global {
    /// The file of the last request.
    pub error_file: *mut File,
    others: [*const c_void; 14],
    /// What the program looks at after each request.
    pub exception: c_int,
    counts: [c_int; 4],
}

/// ORGANIZATION.
pub mod organization {
    /// Records one after another.
    pub const SEQUENTIAL: u8 = 0;
    /// Lines of text.
    pub const LINE_SEQUENTIAL: u8 = 1;
    /// By number.
    pub const RELATIVE: u8 = 2;
    /// By key.
    pub const INDEXED: u8 = 3;
}

/// ACCESS MODE.
pub mod access {
    /// In order.
    pub const SEQUENTIAL: u8 = 1;
    /// Both.
    pub const DYNAMIC: u8 = 2;
    /// By key only.
    pub const RANDOM: u8 = 3;
}

/// OPEN modes.
pub mod open {
    /// Not open.
    pub const CLOSED: u8 = 0;
    /// INPUT.
    pub const INPUT: u8 = 1;
    /// OUTPUT.
    pub const OUTPUT: u8 = 2;
    /// I-O.
    pub const I_O: u8 = 3;
    /// EXTEND.
    pub const EXTEND: u8 = 4;
    /// Closed WITH LOCK.
    pub const LOCKED: u8 = 5;
}

/// LOCK MODE and SHARING.
pub mod lock {
    /// LOCK MODE EXCLUSIVE.
    pub const EXCLUSIVE: u8 = 1;
    /// LOCK MODE MANUAL.
    pub const MANUAL: u8 = 2;
    /// LOCK MODE AUTOMATIC.
    pub const AUTOMATIC: u8 = 4;
    /// LOCK ON MULTIPLE RECORDS.
    pub const MULTIPLE: u8 = 8;
    /// SHARING WITH NO OTHER in OPEN.
    pub const OPEN_EXCLUSIVE: u8 = 16;
}

/// Features of SELECT.
pub mod select {
    /// Standard input or output.
    pub const STANDARD: u8 = 0x30;
}

/// Options of READ.
pub mod read {
    /// PREVIOUS.
    pub const PREVIOUS: c_int = 2;
    /// FIRST.
    pub const FIRST: c_int = 4;
    /// LAST.
    pub const LAST: c_int = 8;
    /// WITH LOCK.
    pub const LOCK: c_int = 0x10;
    /// WITH NO LOCK.
    pub const NO_LOCK: c_int = 0x20;
    /// WITH KEPT LOCK.
    pub const KEPT_LOCK: c_int = 0x40;
    /// WITH WAIT.
    pub const WAIT: c_int = 0x80;
    /// IGNORING LOCK.
    pub const IGNORE_LOCK: c_int = 0x100;
    use super::c_int;
}

/// Options of WRITE and REWRITE.
pub mod write {
    use super::c_int;
    /// WITH LOCK.
    pub const LOCK: c_int = 0x0080_0000;
    /// WITH NO LOCK.
    pub const NO_LOCK: c_int = 0x0100_0000;
}

/// Options of CLOSE.
pub mod close {
    use super::c_int;
    /// None.
    pub const NORMAL: c_int = 0;
    /// WITH LOCK.
    pub const LOCK: c_int = 1;
    /// WITH NO REWIND.
    pub const NO_REWIND: c_int = 2;
    /// REEL or UNIT.
    pub const UNIT: c_int = 3;
    /// REEL or UNIT FOR REMOVAL.
    pub const UNIT_REMOVAL: c_int = 4;
    /// What CANCEL says beside the option: the file leaves libcob's list.
    pub const FROM_LIST: c_int = 1;
}

const _: () = {
    // As the C compiler lays them out on the 64-bit systems Cica runs on.
    assert!(std::mem::offset_of!(File, organization) == 108);
    assert!(std::mem::offset_of!(File, version) == 123);
    assert!(std::mem::offset_of!(Key, part) == 40);
    assert!(std::mem::offset_of!(Global, exception) == 120);
};
