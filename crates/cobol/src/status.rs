//! FILE STATUS: the one table of what a program is told.
//!
//! Three sets: `gnucobol`, what libcob's own handler gives, `enterprise`, what Enterprise COBOL gives on z/OS, and
//! `microfocus`, which has 9A and 9D where another has a file or a record. They differ where libcob knows no 9x;
//! `CICA_STATUS` chooses. Beside the status stands VSAM's own code: return code,
//! function code and reason of the last request, which a program asks for with `CALL "cica_vsam_code"`, because
//! GnuCOBOL drops the second item of FILE STATUS.

use cica_catalog::CatalogError;
use cica_engine::{OpenError, RequestError};
use cica_session::SessionError;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::OnceLock;

/// What happened to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// Done; a record with the same alternate key was there.
    DuplicateFollows,
    /// READ by an alternate key; the next record has the same key.
    SameKeyFollows,
    /// The record read does not fit the record area.
    LengthDiffers,
    /// OPEN of an optional file that is not there.
    OptionalAbsent,
    /// CLOSE NO REWIND or REEL of what is no tape.
    NoReel,
    /// No record follows.
    End,
    /// A record number that the RELATIVE KEY has no place for.
    NumberTooLarge,
    /// Keys that do not ascend, or a prime key that changed.
    Sequence,
    /// Sequential access: the key of the record written before.
    SameKey,
    /// The key is there already.
    Duplicate,
    /// No such record.
    NotFound,
    /// No room, or a record number beyond the file.
    Boundary,
    /// The device, or the data set, failed.
    Failed,
    /// What the DD text says, or the name, is wrong.
    NotUnderstood,
    /// No room in a sequential file.
    SequentialBoundary,
    /// No such file.
    Missing,
    /// The file cannot be opened so.
    ModeRefused,
    /// It was closed WITH LOCK.
    ClosedWithLock,
    /// FD and catalog contradict each other.
    Conflict,
    /// OPEN of an open file.
    AlreadyOpen,
    /// CLOSE of a closed file.
    NotOpen,
    /// REWRITE or DELETE without a READ before it.
    NoReadBefore,
    /// The record is too long or too short.
    Length,
    /// No position to go on from.
    NoPosition,
    /// READ or START, and the open is for something else.
    NotForInput,
    /// WRITE, and the open is for something else.
    NotForOutput,
    /// REWRITE or DELETE, and the open is not I-O.
    NotForChange,
    /// Another has the record locked.
    RecordLocked,
    /// To wait for a record would never end.
    Deadlock,
    /// Another has the file open.
    InUse,
    /// A request that contradicts itself.
    Logic,
    /// No memory, or another resource is missing.
    NoResource,
}

/// A FILE STATUS: a digit, and a digit or letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status([u8; 2]);

impl Status {
    /// It was done, and there is nothing to say.
    pub const DONE: Status = Status::of("00");

    /// Of two characters.
    const fn of(text: &str) -> Status {
        match text.as_bytes() {
            [first @ b'0'..=b'9', second] if second.is_ascii_alphanumeric() => Status([*first, *second]),
            _ => panic!("a status is a digit, and a digit or letter"),
        }
    }

    /// As it stands in FILE STATUS.
    #[inline]
    pub fn bytes(self) -> [u8; 2] {
        self.0
    }

    /// Its first digit.
    #[inline]
    pub fn class(self) -> u8 {
        self.0[0] - b'0'
    }

    /// Was the request done?
    #[inline]
    pub fn is_done(self) -> bool {
        self.class() == 0
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

/// One row of the table.
pub struct Row {
    /// What happened.
    pub outcome: Outcome,
    /// Status of the set `gnucobol`.
    pub gnucobol: Status,
    /// Status of the set `enterprise`.
    pub enterprise: Status,
    /// Status of the set `microfocus`.
    pub microfocus: Status,
    /// In words.
    pub words: &'static str,
}

macro_rules! table {
    ($($outcome:ident $gnucobol:literal $enterprise:literal $microfocus:literal $words:literal;)*) => {
        &[$(Row {
            outcome: Outcome::$outcome,
            gnucobol: Status::of($gnucobol),
            enterprise: Status::of($enterprise),
            microfocus: Status::of($microfocus),
            words: $words,
        }),*]
    };
}

/// The table, in the order of [`Outcome`].
pub static TABLE: &[Row] = table! {
    Done "00" "00" "00" "done";
    DuplicateFollows "02" "02" "02" "WRITE or REWRITE: another record has the same alternate key";
    SameKeyFollows "00" "02" "00" "READ by an alternate key: the next record has the same key";
    LengthDiffers "04" "04" "04" "READ: the record does not fit the record area";
    OptionalAbsent "05" "05" "05" "OPEN: the optional file is not there, or was made";
    NoReel "07" "07" "07" "CLOSE NO REWIND or REEL: the file is on no tape";
    End "10" "10" "10" "READ NEXT or PREVIOUS: no record follows";
    NumberTooLarge "14" "14" "14" "READ NEXT: RELATIVE KEY has no place for the record's number";
    Sequence "21" "21" "21" "keys do not ascend, or REWRITE changes the prime key";
    SameKey "21" "22" "21" "WRITE in sequential access: the key of the record before";
    Duplicate "22" "22" "22" "WRITE or REWRITE: a record with this key is there";
    NotFound "23" "23" "23" "no record with this key";
    Boundary "24" "24" "24" "WRITE: the data set cannot be extended, or the record number is 0";
    Failed "30" "30" "30" "the device failed, or what is stored is damaged";
    NotUnderstood "31" "98" "31" "OPEN: the DD text, or the name that ASSIGN leads to, is wrong";
    SequentialBoundary "34" "34" "34" "WRITE to a sequential file: it cannot be extended";
    Missing "35" "35" "35" "OPEN: no such file, or it is empty (enterprise)";
    ModeRefused "37" "37" "37" "OPEN: the data set does not allow this mode";
    ClosedWithLock "38" "38" "38" "OPEN: the file was closed WITH LOCK";
    Conflict "39" "39" "39" "OPEN: organization, key or record length differ between FD and catalog";
    AlreadyOpen "41" "41" "41" "OPEN: the file is open";
    NotOpen "42" "42" "42" "CLOSE: the file is not open";
    NoReadBefore "43" "43" "43" "REWRITE or DELETE: no READ before it";
    Length "44" "44" "44" "WRITE or REWRITE: the record is too long or too short";
    NoPosition "46" "46" "46" "READ NEXT or PREVIOUS: no position to go on from";
    NotForInput "47" "47" "47" "READ or START: the file is not open INPUT or I-O";
    NotForOutput "48" "48" "48" "WRITE: the file is not open OUTPUT, I-O or EXTEND";
    NotForChange "49" "49" "49" "REWRITE or DELETE: the file is not open I-O";
    RecordLocked "51" "93" "9D" "another has the record locked";
    Deadlock "52" "93" "52" "waiting for a record would never end: ROLLBACK, and do it again";
    InUse "61" "93" "9A" "OPEN: another has the file open";
    Logic "91" "92" "91" "the request contradicts itself";
    NoResource "91" "93" "91" "no memory, or another resource is missing; OPEN: AMP, or a setting of Cica's, is wrong";
};

/// The sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// libcob's.
    GnuCobol,
    /// z/OS's.
    Enterprise,
    /// That of Micro Focus's run time, where it differs from libcob's: who has a record, or a file.
    MicroFocus,
}

impl Set {
    /// The set of this process.
    pub fn of_process() -> Set {
        static SET: OnceLock<Set> = OnceLock::new();
        *SET.get_or_init(|| match std::env::var("CICA_STATUS") {
            Ok(set) if set.eq_ignore_ascii_case("enterprise") => Set::Enterprise,
            Ok(set) if set.eq_ignore_ascii_case("microfocus") => Set::MicroFocus,
            _ => Set::GnuCobol,
        })
    }
}

impl Outcome {
    /// Its status in a set.
    #[inline]
    pub fn status(self, set: Set) -> Status {
        let row = &TABLE[self as usize];
        match set {
            Set::GnuCobol => row.gnucobol,
            Set::Enterprise => row.enterprise,
            Set::MicroFocus => row.microfocus,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        TABLE[self as usize].words
    }

    /// Of a refused request; the code is kept for the program.
    pub fn of_request(error: &RequestError) -> Outcome {
        let feedback = error.feedback();
        note(feedback.return_code, feedback.component, feedback.reason);
        match (feedback.return_code, feedback.reason) {
            (8, 4) => Outcome::End,
            (8, 8) => Outcome::Duplicate,
            (8, 12) | (8, 96) => Outcome::Sequence,
            (8, 16) | (8, 32) | (8, 144) => Outcome::NotFound,
            (8, 20 | 22 | 24) => Outcome::RecordLocked,
            (8, 21) => Outcome::Deadlock,
            (8, 40) => Outcome::NoResource,
            (8, 28) | (8, 148) | (8, 192) => Outcome::Boundary,
            (8, 88) => Outcome::NoPosition,
            (8, 92) => Outcome::NoReadBefore,
            (8, 44) | (8, 100) | (8, 108) => Outcome::Length,
            (12 | 16, _) => Outcome::Failed,
            _ => Outcome::Logic,
        }
    }

    /// Of a refused OPEN. Only what is not there is missing: a program may answer that by making it.
    pub fn of_open(error: &SessionError) -> Outcome {
        let (outcome, reason) = match (error, error.acberflg()) {
            (SessionError::Open(OpenError::InUse { .. }), reason) => (Outcome::InUse, reason),
            (SessionError::Open(OpenError::Buffers { .. } | OpenError::Pool { .. }), reason) => {
                (Outcome::NoResource, reason)
            }
            (SessionError::Inhibited { .. }, reason) => (Outcome::ModeRefused, reason),
            (SessionError::Catalog(error), _) => of_catalog(error),
            (SessionError::Component { .. }, _) => (Outcome::Conflict, 160),
            (SessionError::NoRecords { .. }, _) => (Outcome::Conflict, 188),
            (SessionError::Circle { .. }, _) => (Outcome::Failed, 144),
            (_, reason @ 148) => (Outcome::Missing, reason),
            (_, reason @ 160) => (Outcome::Conflict, reason),
            (_, reason @ (132 | 136)) => (Outcome::NoResource, reason),
            (_, reason @ 168) => (Outcome::InUse, reason),
            (_, reason) => (Outcome::Failed, reason),
        };
        note(8, 0, reason);
        outcome
    }
}

/// What a catalog says: that it has no such entry, that a volume is not there now, or that nobody knows.
fn of_catalog(error: &CatalogError) -> (Outcome, u8) {
    match error {
        CatalogError::NotFound { .. } | CatalogError::Symbolic { .. } | CatalogError::NoCatalog { .. } => {
            (Outcome::Missing, 148)
        }
        CatalogError::VolumeMissing { .. } | CatalogError::VolumeOutside { .. } | CatalogError::Busy { .. } => {
            (Outcome::NoResource, 132)
        }
        _ => (Outcome::Failed, 144),
    }
}

/// Keeps VSAM's code of an OPEN that was refused for a reason that VSAM was not asked about, such as what FD and catalog
/// say: that of the same outcome where VSAM says it.
pub fn note_open(refused: Outcome) {
    if CODE.load(Relaxed) != 0 {
        return;
    }
    match refused {
        Outcome::Missing => note(8, 0, 148),
        Outcome::Conflict | Outcome::ModeRefused => note(8, 0, 160),
        Outcome::InUse => note(8, 0, 168),
        Outcome::NoResource => note(8, 0, 136),
        Outcome::NotUnderstood => note(8, 0, 128),
        Outcome::Failed | Outcome::Logic => note(8, 0, 184),
        // COBOL's own rules.
        _ => {}
    }
}

/// VSAM's code of the last request: return code, function code, reason, a byte each.
static CODE: AtomicU32 = AtomicU32::new(0);

/// Keeps it.
#[inline]
pub fn note(return_code: u8, function: u8, reason: u8) {
    CODE.store(u32::from_be_bytes([0, return_code, function, reason]), Relaxed);
}

/// What the second item of FILE STATUS holds on z/OS: three binary halfwords.
pub fn vsam_code() -> [u8; 6] {
    let [_, return_code, function, reason] = CODE.load(Relaxed).to_be_bytes();
    [0, return_code, 0, function, 0, reason]
}
