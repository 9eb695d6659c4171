//! Log bytes: groups of records, each group written by one flush.
//!
//! A group starts on a 4,096-byte boundary and is padded to one; its header carries the log's id and epoch, the LSN of
//! its first record and a checksum over all of it. Groups follow each other with rising LSNs; the log ends at the first
//! block that is not the next group of the same epoch.

/// Groups start at multiples of this.
pub const BLOCK_LEN: usize = 4096;

/// One logged request. LSNs count records: the n-th record of a group has LSN `first + n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogRecord<'a> {
    /// From here on `number` in this log means the cluster `cluster`, whose data component is the file `path`.
    DataSet {
        /// Short number used by the records that follow.
        number: u32,
        /// Cluster id from its root.
        cluster: u64,
        /// File name of the data component.
        path: &'a str,
    },
    /// A record was inserted.
    Insert {
        /// Data set number.
        number: u32,
        /// Record.
        record: &'a [u8],
    },
    /// The record with this record's key was replaced by it.
    Update {
        /// Data set number.
        number: u32,
        /// Record.
        record: &'a [u8],
    },
    /// The record with this key was erased.
    Erase {
        /// Data set number.
        number: u32,
        /// Key.
        key: &'a [u8],
    },
}
