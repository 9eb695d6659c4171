//! The codes of the header, and what becomes of each error.

use cica_catalog::CatalogError;
use cica_engine::{OpenError, PoolError, RequestError};
use cica_session::SessionError;
use std::ffi::CStr;

/// A code: its number, its name in the header without `CICA_`, its general words.
pub struct Code {
    /// What calls return.
    pub number: i32,
    /// Name in the header.
    pub name: &'static str,
    /// General words.
    pub words: &'static CStr,
}

macro_rules! codes {
    ($($name:ident = $number:literal, $words:literal;)*) => {
        /// All codes, in order of numbers.
        pub const CODES: &[Code] = &[$(Code { number: $number, name: stringify!($name), words: $words }),*];
        $(#[doc = stringify!($name)] #[allow(dead_code)] pub(crate) const $name: i32 = $number;)*
    };
}

codes! {
    OK = 0, c"done";
    END = 0x0804, c"end of data";
    DUPLICATE = 0x0808, c"a record with this key exists";
    SEQUENCE = 0x080C, c"the key is not above the one before it";
    NOTFOUND = 0x0810, c"no such record";
    EXCLUSIVE = 0x0814, c"another string holds the record for update, or another unit has changed it";
    DEADLOCK = 0x0815, c"waiting for the record would never end";
    LOCK_TIMEOUT = 0x0816, c"the record was not free in time";
    RETAINED = 0x0818, c"the lock of the record is retained";
    NOSPACE = 0x081C, c"the data set cannot be extended";
    BAD_RBA = 0x0820, c"no record starts at this RBA";
    STORAGE = 0x0828, c"the pool has no room for what takes the unit of recovery back";
    SMALL_AREA = 0x082C, c"the area is shorter than the record";
    ACCESS = 0x0844, c"the open does not allow this request";
    NO_KEYS = 0x0848, c"records of this data set go by RBA, not by key or number";
    ADDRESSED_INSERT = 0x084C, c"records are not added by address here";
    NO_ERASE = 0x0850, c"records of this organization are not erased";
    NO_POSITION = 0x0858, c"no position to go on from";
    NO_UPDATE = 0x085C, c"no record is held for update";
    KEY_CHANGED = 0x0860, c"the prime key of a record cannot change";
    LENGTH_CHANGE = 0x0864, c"a record of this data set keeps its length";
    OPTIONS = 0x0868, c"options that contradict each other";
    LENGTH = 0x086C, c"the record is too long, or too short for its key";
    KEY_LENGTH = 0x0870, c"the key is empty, or longer than the data set's";
    LOADING = 0x0874, c"the data set is being loaded: only records in ascending order";
    NO_BASE_RECORD = 0x0890, c"an alternate index points to a record that is not in its base";
    POINTER_LIMIT = 0x0894, c"an alternate index record takes no more pointers";
    BAD_CI = 0x089C, c"no image of the control interval that could take its place";
    BAD_RRN = 0x08C0, c"no record has this number";
    NO_ADDRESSES = 0x08C4, c"records of this data set go by number, not by RBA";
    PATH_ADDRESSED = 0x08C8, c"addresses and control intervals are not those of a path";
    READ_FAILED = 0x0C04, c"a control interval cannot be read, or is damaged";
    INDEX_READ_FAILED = 0x0C08, c"an index control interval cannot be read, or is damaged";
    FENCED = 0x0C10, c"a write or sync failed; close, and open again";
    INDEX_WRITE_FAILED = 0x0C14, c"a write or sync of the index failed";
    OPEN_BUFFERS = 0x4084, c"the buffers that are asked for cannot be had";
    OPEN_MEMORY = 0x4088, c"the pool has no room for what the open needs";
    OPEN_NO_DATASET = 0x4094, c"no such data set";
    OPEN_INHIBITED = 0x4098, c"the data set can only be read";
    OPEN_ATTRIBUTES = 0x40A0, c"the data set's attributes do not allow this open";
    OPEN_IN_USE = 0x40A8, c"another process, or another environment of this one, has the data set open";
    OPEN_IO = 0x40B8, c"the system failed a call";
    OPEN_UNUSABLE = 0x40C0, c"the data set's files are damaged, of another data set, or of a newer release";
    OPEN_EMPTY_PATH = 0x40C4, c"the alternate index of the path was never built";
    OPEN_POOL_LOADS = 0x40D4, c"a data set is not loaded through a pool";
    OPEN_POOL_SMALL = 0x40DC, c"no buffer of the pool is as large as the data set's control intervals";
    OPEN_NO_POOL = 0x40E4, c"the pool was not built";
    CATALOG = 0x5000, c"the catalog cannot be used";
    BAD_HANDLE = 0x6001, c"no handle, or one that was closed";
    BUSY = 0x6002, c"another thread is using this string";
    IN_USE = 0x6003, c"something is still open below this handle";
    ARGUMENT = 0x6004, c"wrong argument";
    FORKED = 0x6005, c"a parent of this process has used the library before fork()";
    HANDLES = 0x6006, c"too many handles are open";
    INTERNAL = 0x6007, c"an error of the library";
    INTERRUPTED = 0x6008, c"a signal interrupted a call of this thread, and that is not over";
    UNIT_EXISTS = 0x6101, c"a unit of recovery in doubt has this name";
    UNIT_UNKNOWN = 0x6102, c"no unit of recovery in doubt has this name";
    UNIT_GOING_BACK = 0x6103, c"the unit of recovery is being taken back";
    UNIT_BUSY = 0x6104, c"somebody is deciding about the unit of recovery just now";
    UNIT_NOT_OPEN = 0x6105, c"a data set that the unit of recovery has changed cannot be opened with its alternate indexes";
    POOL_EXISTS = 0x7004, c"the pool is built already";
    POOL_BUFFERS = 0x7018, c"a size or a number of buffers is wrong";
    POOL_MISSING = 0x7104, c"there is no such pool";
    POOL_IN_USE = 0x710C, c"data sets are open that share the pool";
}

/// A failed call: the code it returns and the words `cica_message` gives.
#[derive(Debug)]
pub struct Error {
    pub number: i32,
    pub words: String,
}

impl Error {
    pub fn new(number: i32, words: impl Into<String>) -> Error {
        Error {
            number,
            words: words.into(),
        }
    }

    /// The caller's mistake.
    pub fn argument(words: impl Into<String>) -> Error {
        Error::new(ARGUMENT, words)
    }
}

impl From<cica::Error> for Error {
    fn from(error: cica::Error) -> Error {
        match error {
            cica::Error::Start(error) | cica::Error::Open { error, .. } => error.into(),
            cica::Error::Request(error) => error.into(),
            cica::Error::Catalog(error) => error.into(),
            cica::Error::InDoubt(error) => error.into(),
            other => Error::new(CATALOG, other.to_string()),
        }
    }
}

impl From<RequestError> for Error {
    fn from(error: RequestError) -> Error {
        let feedback = error.feedback();
        let number = i32::from(feedback.return_code) << 8 | i32::from(feedback.reason);
        Error::new(number, error.to_string())
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Error {
        Error::new(0x4000 + i32::from(error.acberflg()), error.to_string())
    }
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Error {
        let number = match &error {
            PoolError::Exists { .. } => POOL_EXISTS,
            PoolError::Buffers { .. } => POOL_BUFFERS,
            PoolError::Missing { .. } => POOL_MISSING,
            PoolError::InUse { .. } => POOL_IN_USE,
        };
        Error::new(number, error.to_string())
    }
}

impl From<CatalogError> for Error {
    fn from(error: CatalogError) -> Error {
        let number = match &error {
            CatalogError::NotFound { .. } => OPEN_NO_DATASET,
            _ => CATALOG,
        };
        Error::new(number, error.to_string())
    }
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Error {
        match error {
            SessionError::Name(error) => Error::argument(error.to_string()),
            SessionError::Catalog(error) => error.into(),
            SessionError::Open(error) => error.into(),
            other => Error::new(0x4000 + i32::from(other.acberflg()), other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cica explain` knows the codes of requests and opens by the numbers that the header has, and no others but those
    /// that only messages have.
    #[test]
    fn codes_of_requests_and_opens_are_explained() {
        let form = |code: &Code| match (code.number >> 8, code.number & 0xFF) {
            (class @ (8 | 12), reason) => Some(format!("{class}/{reason}")),
            (0x40, reason) => Some(format!("OPEN {reason}")),
            _ => None,
        };
        let forms: Vec<String> = CODES.iter().filter_map(form).collect();
        assert!(forms.len() > 30);
        for form in &forms {
            assert!(cica_messages::find_code(form).is_some(), "{form} is not explained");
        }
        for (form, ..) in cica_messages::CODES {
            assert!(forms.iter().any(|known| known == form), "{form} is no code");
        }
    }
}
