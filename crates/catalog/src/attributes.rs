//! What DEFINE and ALTER said of a data set, apart from its components.

use crate::date::Date;

/// Owner, creation and expiration of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// OWNER, 1-8 characters.
    pub owner: Option<String>,
    /// Day of DEFINE.
    pub created: Date,
    /// First day on which DELETE needs no PURGE.
    pub expires: Option<Date>,
}

impl History {
    /// Nobody's, of this day, free to go at any time.
    pub fn new(created: Date) -> History {
        History {
            owner: None,
            created,
            expires: None,
        }
    }
}

/// Where the key of a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// Length, 1-255.
    pub length: u16,
    /// Offset in the record (RKP), from 0.
    pub offset: u32,
}

/// RECORDSIZE in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSize {
    /// Average.
    pub average: u32,
    /// Maximum.
    pub maximum: u32,
}

impl RecordSize {
    /// All records have the same length.
    pub fn is_one_length(self) -> bool {
        self.average == self.maximum
    }
}

/// SHAREOPTIONS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareOptions {
    /// Cross-region, 1-4.
    pub region: u8,
    /// Cross-system, 3-4.
    pub system: u8,
}

/// LOG: whether changes can be undone, and redone from a log stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// Not recoverable.
    None,
    /// Undo only.
    Undo,
    /// Undo and redo.
    All,
}

/// What DEFINE and ALTER said of a cluster or alternate index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Owner and dates.
    pub history: History,
    /// KEYS; of organizations without keys: none.
    pub keys: Option<Keys>,
    /// RECORDSIZE.
    pub record_size: RecordSize,
    /// SHAREOPTIONS.
    pub share: ShareOptions,
    /// REUSE.
    pub reuse: bool,
    /// SPANNED.
    pub spanned: bool,
    /// COMPRESSED.
    pub compressed: bool,
    /// ERASE.
    pub erase: bool,
    /// SPEED; else RECOVERY.
    pub speed: bool,
    /// WRITECHECK.
    pub write_check: bool,
    /// CA reclaim.
    pub reclaim: bool,
    /// INHIBIT: only reading allowed.
    pub inhibit: bool,
    /// A copy was made by EXPORT TEMPORARY: IMPORT may replace the data set by it.
    pub exported: bool,
    /// BUFFERSPACE in bytes.
    pub buffer_space: u32,
    /// LOG, if said.
    pub log: Option<Log>,
    /// LOGSTREAMID.
    pub log_stream: Option<String>,
    /// Code page of character data, 0 = ASCII.
    pub ccsid: u16,
    /// STORAGECLASS.
    pub storage_class: Option<String>,
    /// DATACLASS.
    pub data_class: Option<String>,
    /// MANAGEMENTCLASS.
    pub management_class: Option<String>,
    /// Of a data set that the OPEN of a COBOL program, or the isbuild of an ISAM program, made: bytes in front of each
    /// record that hold its keys of several parts, 0 where it has none.
    pub cobol_head: Option<u16>,
    /// Of a cluster or alternate index that an ISAM program made: what it said of the key, where that is more than a
    /// place in the record. Its text is `isam`'s (`crates/isam/src/key.rs`).
    pub isam_key: Option<String>,
    /// Everything else that was said and is kept only to be shown again, in the order it was said:
    /// keyword and value as text.
    pub other: Vec<(String, String)>,
}

impl Attributes {
    /// IDCAMS' defaults for a cluster defined on this day: SHAREOPTIONS(1 3), NOREUSE, NONSPANNED, NOERASE, RECOVERY,
    /// RECORDSIZE(4089 4089).
    pub fn new(created: Date) -> Attributes {
        Attributes {
            history: History::new(created),
            keys: None,
            record_size: RecordSize {
                average: 4089,
                maximum: 4089,
            },
            share: ShareOptions { region: 1, system: 3 },
            reuse: false,
            spanned: false,
            compressed: false,
            erase: false,
            speed: false,
            write_check: false,
            reclaim: true,
            inhibit: false,
            exported: false,
            cobol_head: None,
            isam_key: None,
            buffer_space: 0,
            log: None,
            log_stream: None,
            ccsid: 0,
            storage_class: None,
            data_class: None,
            management_class: None,
            other: Vec::new(),
        }
    }
}
