//! What client and owner say to each other: requests and answers. How a message goes over a connection is in
//! [`crate::line`].
//!
//! * W2. A body that is no message, or has bytes left over, is answered by an error and never looked at in part.

use crate::doubt::Undecided;
use crate::figures::Sums;
use crate::refusal::Refusal;
use cica_engine::{Argument, Insert, Intent, Patience, ReadIntegrity, Search};
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind};
use std::time::Duration;

/// Raised by every change of a message.
pub const VERSION: u32 = 11;
/// Bytes of a body at most: a record of the greatest length, or a batch, and what stands beside it.
pub const LONGEST: usize = 20 << 20;
/// A wait without an end.
pub const FOREVER: u64 = u64::MAX;

/// A wait, in a message.
pub fn wait_of(patience: Patience) -> u64 {
    match patience {
        Patience::None => 0,
        Patience::Until(wait) => u64::try_from(wait.as_millis()).unwrap_or(FOREVER).max(1),
        Patience::Forever => FOREVER,
    }
}

/// The same from a message.
pub fn patience_of(wait: u64) -> Patience {
    match wait {
        0 => Patience::None,
        FOREVER => Patience::Forever,
        wait => Patience::Until(Duration::from_millis(wait)),
    }
}

/// Read integrity, in a message.
pub fn integrity_code(integrity: ReadIntegrity) -> u8 {
    match integrity {
        ReadIntegrity::None => 0,
        ReadIntegrity::Consistent => 1,
        ReadIntegrity::Repeatable => 2,
        ReadIntegrity::Locked => 3,
    }
}

/// The same from a message.
pub fn integrity_of(code: u8) -> Option<ReadIntegrity> {
    [0, 1, 2, 3]
        .into_iter()
        .zip(INTEGRITIES)
        .find_map(|(number, integrity)| (number == code).then_some(integrity))
}

const INTEGRITIES: [ReadIntegrity; 4] = [
    ReadIntegrity::None,
    ReadIntegrity::Consistent,
    ReadIntegrity::Repeatable,
    ReadIntegrity::Locked,
];

/// Bytes of records in the answer to one sequential request.
pub const BATCH: usize = 256 << 10;

/// Bytes of the memory that a string's batches are put into.
pub const AREA: usize = 256 << 10;

/// [`Argument`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum By<'a> {
    /// A key or its start.
    Key(&'a [u8]),
    /// An RBA.
    Rba(u64),
    /// A relative record number.
    Rrn(u32),
}

impl<'a> From<Argument<'a>> for By<'a> {
    fn from(argument: Argument<'a>) -> By<'a> {
        match argument {
            Argument::Key(key) => By::Key(key),
            Argument::Rba(rba) => By::Rba(rba),
            Argument::Rrn(rrn) => By::Rrn(rrn),
        }
    }
}

impl<'a> From<By<'a>> for Argument<'a> {
    fn from(by: By<'a>) -> Argument<'a> {
        match by {
            By::Key(key) => Argument::Key(key),
            By::Rba(rba) => Argument::Rba(rba),
            By::Rrn(rrn) => Argument::Rrn(rrn),
        }
    }
}

/// How a record is looked for, and what for: bits, so that a message is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct How(u8);

impl How {
    /// Of a get.
    pub fn get(search: Search, intent: Intent) -> How {
        let search = u8::from(search == Search::GreaterOrEqual) << 4;
        How(search
            | match intent {
                Intent::Read => 0,
                Intent::Position => 1,
                Intent::Update => 2,
            })
    }

    /// Of an insert.
    pub fn insert(insert: Insert) -> How {
        How(match insert {
            Insert::Direct => 0,
            Insert::Sequential => 1,
            Insert::Skip => 2,
        })
    }

    /// Which record a key finds.
    pub fn search(self) -> Search {
        if self.0 & 16 == 0 {
            Search::Equal
        } else {
            Search::GreaterOrEqual
        }
    }

    /// What the record is got for.
    pub fn intent(self) -> Intent {
        match self.0 & 3 {
            0 => Intent::Read,
            1 => Intent::Position,
            _ => Intent::Update,
        }
    }

    /// How it is inserted.
    pub fn how(self) -> Insert {
        match self.0 & 3 {
            0 => Insert::Direct,
            1 => Insert::Sequential,
            _ => Insert::Skip,
        }
    }
}

/// How a data set is to be opened: [`OpenOptions`](cica_engine::OpenOptions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// For output.
    pub output: bool,
    /// RESET.
    pub reset: bool,
    /// RESET of what was defined NOREUSE too.
    pub reset_anyway: bool,
    /// No other client may have it open meanwhile.
    pub alone: bool,
    /// Durability: 0 at close, 1 at commit, 2 at each request.
    pub durability: u8,
}

/// A request. Numbers name what the owner has for this client: data sets, strings, units; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask<'a> {
    /// First of all on a connection. `session` 0: a client that the owner does not know yet.
    Hello {
        version: u32,
        session: u64,
        program: &'a str,
    },
    /// Opens a data set. The descriptor of its data component comes with it. `through`: the alternate index whose keys
    /// lead to its records, where no path of the name does; empty: none.
    Open {
        name: &'a str,
        through: &'a str,
        how: Opening,
    },
    /// Closes it.
    Close { set: u32 },
    /// What is known of it.
    Facts { set: u32 },
    /// Ends a load (0), commits (1), makes a checkpoint (2).
    Whole { set: u32, what: u8 },
    /// Checks its structure.
    Examine { set: u32 },
    /// Keeps its committed trees, and those of its alternate indexes, as they are (0); are they so still (1); lets them
    /// go (2).
    Pin { set: u32, what: u8 },
    /// A part of what takes open units back in a pinned tree, which is the one with this number in the answer.
    PinnedUndo { set: u32, tree: u32, from: u64 },
    /// A string, in a unit or in none; with holds and locks of another string, or its own.
    String { set: u32, unit: u32, with: u32 },
    /// Gives a string up.
    DropString { string: u32 },
    /// A unit of recovery.
    Unit,
    /// Ends it; durability as of an open.
    Commit { unit: u32, durability: u8 },
    /// Takes it back.
    Backout { unit: u32 },
    /// Its changes.
    Changes { unit: u32 },
    /// Gives it up; what was not committed is taken back.
    DropUnit { unit: u32 },
    /// Prepares it: it is the client's no longer, and waits under this name.
    Prepare { unit: u32, name: &'a str },
    /// Commits the unit in doubt of this name, whosever it was, or takes it back. A descriptor of its file, open for
    /// output, comes with it.
    Decide { name: &'a str, commit: bool },
    /// GET direct.
    Get { string: u32, by: By<'a>, how: How },
    /// GET skip-sequential.
    Skip { string: u32, by: By<'a>, how: How },
    /// POINT.
    Point {
        string: u32,
        by: By<'a>,
        how: How,
        backward: bool,
    },
    /// POINT to an end.
    PointEnd { string: u32, last: bool },
    /// GET sequential, of up to `batch` records, into the answer, or into the string's memory.
    Step {
        string: u32,
        backward: bool,
        how: How,
        batch: u32,
        into_area: bool,
    },
    /// Memory of the length [`AREA`] that the owner puts the string's batches into. Its descriptor comes with the answer.
    Area { string: u32 },
    /// Leaves the string on this record, or where it was. `offset`: where a record has its key.
    Settle { string: u32, by: By<'a>, offset: u32 },
    /// PUT insert; `rrn` 0: without a number.
    Insert {
        string: u32,
        rrn: u32,
        how: How,
        record: &'a [u8],
    },
    /// PUT update.
    Update { string: u32, record: &'a [u8] },
    /// GET for update and PUT update.
    Rewrite { string: u32, by: By<'a>, record: &'a [u8] },
    /// ERASE.
    Erase { string: u32 },
    /// ENDREQ (0), MIRROR (1), STAY (2).
    Manner { string: u32, what: u8 },
    /// GET CNV.
    GetInterval { string: u32, rba: u64, how: How },
    /// PUT CNV.
    PutInterval { string: u32, image: &'a [u8] },
    /// Bytes of a linear data set.
    ReadRange { string: u32, rba: u64, length: u32 },
    /// The same, written.
    WriteRange { string: u32, rba: u64, bytes: &'a [u8] },
    /// How long requests wait for a record: milliseconds, [`FOREVER`] for ever.
    Patience { string: u32, wait: u64 },
    /// What reads do about records of others: NRI (0), CR (1), CRE (2), or they lock them (3).
    Integrity { string: u32, what: u8 },
    /// Locks a record, alone or with others that read it.
    Lock {
        string: u32,
        record: &'a [u8],
        alone: bool,
        wait: u64,
    },
    /// Unlocks it.
    Unlock { string: u32, record: &'a [u8] },
    /// What the owner has and does.
    Status,
    /// Takes a shunted unit back (false), or gives up what could not be taken back (true).
    Shunted { unit: u64, give_up: bool },
    /// Lets nobody in any more (true), and ends at once (false).
    Stop { drain: bool },
}

/// A record of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentRecord<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where it starts.
    pub rba: u64,
    /// Its number.
    pub rrn: u32,
    /// Another has the same alternate key.
    pub duplicate: bool,
}

/// Statistics in the order of their declaration.
pub type Figures = [u64; 12];

/// What is known of a data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Of data and index.
    pub figures: (Figures, Figures),
    /// Index levels.
    pub levels: u8,
    /// HI-U-RBA.
    pub high_used: u64,
    /// Of a linear one.
    pub linear_length: Option<u64>,
    /// It is being loaded.
    pub loading: bool,
}

/// A data set that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedReply {
    /// The client's number of it.
    pub set: u32,
    /// Attributes of data and index, as a root has them.
    pub attributes: (Vec<u8>, Option<Vec<u8>>),
    /// Records come by an alternate key.
    pub path: bool,
    /// What is known now.
    pub state: State,
}

/// One finding of EXAMINE: kind, part, CI, RBA, words.
pub type SentFinding = (u8, u8, u32, u64, String);

/// A client, as the owner knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientInfo {
    /// Its process, as the kernel says.
    pub process: i32,
    /// Its user, as the kernel says.
    pub user: u32,
    /// The program, as it says itself.
    pub program: String,
    /// Seconds since it came.
    pub seconds: u64,
    /// Names of data sets it has open.
    pub data_sets: Vec<String>,
    /// Open units, changes of each, and seconds since it began or the one before it ended.
    pub units: Vec<(u32, u64, u64)>,
    /// What was counted of its requests.
    pub sums: Sums,
}

/// A base cluster that clients have open, or had open not long ago.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Its name.
    pub name: String,
    /// How many have it open.
    pub opens: u32,
    /// What was counted of requests for its records.
    pub sums: Sums,
}

/// A record that is locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// The cluster or alternate index; empty: it has just been closed.
    pub data_set: String,
    /// Key, number or RBA.
    pub key: Vec<u8>,
    /// By one alone.
    pub alone: bool,
    /// It is retained.
    pub retained: bool,
    /// Who has it.
    pub holders: Vec<String>,
    /// For how many seconds somebody of them has it already; none: nobody knows.
    pub seconds: Option<u64>,
    /// Who waits, in order, and for how many milliseconds already.
    pub waiters: Vec<(String, u64)>,
}

/// A unit of recovery that could not be taken back, and whose program has gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shunted {
    /// Its number.
    pub unit: u64,
    /// Whose it was.
    pub of: String,
    /// Data sets that it has changed.
    pub data_sets: Vec<String>,
    /// Changes that are still to be taken back.
    pub changes: u64,
    /// Seconds since it was shunted.
    pub seconds: u64,
    /// Why it cannot be taken back.
    pub why: String,
}

/// What an owner has and does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Its process.
    pub process: u32,
    /// Version of its messages.
    pub version: u32,
    /// Seconds since it began.
    pub seconds: u64,
    /// Lets nobody in.
    pub draining: bool,
    /// Bytes of its pool: bound and use.
    pub pool: (u64, u64),
    /// Its clients; those with units first, where not all have room.
    pub clients: Vec<ClientInfo>,
    /// So many more there are, for which the answer has no room.
    pub unlisted_clients: u64,
    /// Records that are locked; those that are retained or waited for first, where not all have room.
    pub locks: Vec<Locked>,
    /// So many more are locked, for which the answer has no room.
    pub unlisted: u64,
    /// Units that could not be taken back.
    pub shunted: Vec<Shunted>,
    /// Data sets; those that are open first, where not all have room.
    pub data_sets: Vec<Used>,
    /// So many more are known, for which the answer has no room.
    pub unlisted_data_sets: u64,
    /// What was counted of all requests.
    pub sums: Sums,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer<'a> {
    /// Done.
    Done,
    /// A session, a string, a unit, an RBA.
    Number(u64),
    /// A number, and whether an alternate key is another record's too.
    Put(u64, bool),
    /// A record.
    #[serde(borrow)]
    Record(SentRecord<'a>),
    /// Records in order, as a [`Batch`](crate::batch::Batch) has them: so many bytes of the string's memory, and
    /// behind them these; and why there are not more.
    Records(u32, &'a [u8], Option<Refusal>),
    /// Bytes.
    Bytes(&'a [u8]),
    /// It is open.
    Opened(Box<OpenedReply>),
    /// What is known.
    State(Box<State>),
    /// What EXAMINE found: findings and sums.
    Examined(Vec<SentFinding>, [u64; 6]),
    /// True: the data set is closed.
    Closed(bool),
    /// Its trees are kept: cluster, which open its copy counts as, and bytes of what takes open units back.
    Pinned(Vec<(u64, Option<u64>, u64)>),
    /// What the owner has.
    Status(Box<Status>),
    /// The request was refused.
    Refused(Refusal),
    /// The open was refused: VSAM's reason, whether another has it, and words.
    NotOpened { reason: u8, in_use: bool, words: String },
    /// A unit was not prepared, or nothing decided.
    Undecided(Box<Undecided>),
    /// The message was none, or has no meaning here.
    Nonsense(String),
}

/// The message in a body (W2).
///
/// # Errors
/// It is none.
pub fn parse<'b, M: Deserialize<'b>>(body: &'b [u8]) -> std::io::Result<M> {
    match postcard::take_from_bytes(body).map_err(no_message)? {
        (message, []) => Ok(message),
        (_, rest) => Err(Error::new(
            ErrorKind::InvalidData,
            format!("{} bytes behind a message", rest.len()),
        )),
    }
}

/// What is no message.
pub(crate) fn no_message(error: postcard::Error) -> Error {
    Error::new(ErrorKind::InvalidData, format!("no message: {error}"))
}
