//! Kinds of log records, and where their fields stand (`docs/format/log.md`).

/// Name in messages.
pub const RECORD: &str = "log record";

pub mod at {
    //! Offsets in a record, behind its length.
    pub const RECORD_KIND: usize = 0;
    pub const RECORD_NUMBER: usize = 1;
    pub const RECORD_BODY: usize = 5;
    pub const DATA_SET_CLUSTER: usize = 5;
    pub const DATA_SET_COMMITTED: usize = 13;
    pub const DATA_SET_SEALED: usize = 21;
    pub const DATA_SET_ORIGIN: usize = 25;
    pub const DATA_SET_LINEAGE: usize = 33;
    pub const DATA_SET_PATH: usize = 41;
    /// In a record without the LSN, and in one without version and origin.
    pub const OLDEST_DATA_SET_PATH: usize = 13;
    pub const OLD_DATA_SET_PATH: usize = 21;
    pub const RUN_BYTE: usize = 5;
    pub const RUN: usize = 6;
    pub const RUN_BODY: usize = 8;
    pub const POINTER_KEY_LEN: usize = 5;
    pub const POINTER_KEY: usize = 6;
    pub const UNIT: usize = 5;
    pub const SEQUENCE: usize = 13;
    pub const OUTCOME: usize = 13;
    pub const UNIT_END: usize = 14;
    pub const TAKEN_BACK_REDO: usize = 17;
    pub const REDO_LEN: usize = 17;
    pub const REDO: usize = 21;
    /// How much of what takes a change back is like what was done.
    pub const ALIKE_HEAD: usize = 21;
    pub const ALIKE_TAIL: usize = 25;
    pub const REDO_ALIKE: usize = 29;
    /// Bytes of what takes it back in front of those alike.
    pub const UNDO_OWN: usize = 4;
    pub const CARRIED_LSN: usize = 17;
    pub const CARRIED_UNDO: usize = 25;
}

pub mod kind {
    //! First byte of a record.
    /// Without the LSN of the tree, and without version and origin of the root: not written any more.
    pub const OLDEST_DATA_SET: u8 = 1;
    pub const OLD_DATA_SET: u8 = 11;
    pub const INSERT: u8 = 2;
    pub const UPDATE: u8 = 3;
    pub const ERASE: u8 = 4;
    pub const ADD_POINTER: u8 = 5;
    pub const REMOVE_POINTER: u8 = 6;
    pub const UNIT: u8 = 7;
    pub const RECOVERABLE: u8 = 8;
    pub const TAKEN_BACK: u8 = 9;
    pub const UNIT_END: u8 = 10;
    /// An insert, and an update, whose record ends in a run of one byte that is not written out.
    pub const INSERT_RUN: u8 = 12;
    pub const UPDATE_RUN: u8 = 13;
    pub const LEAVING: u8 = 15;
    pub const DATA_SET: u8 = 14;
    pub const CARRIED: u8 = 16;
    /// A change in a unit of recovery of which what takes it back is written as far as it differs.
    pub const RECOVERABLE_ALIKE: u8 = 17;
}
