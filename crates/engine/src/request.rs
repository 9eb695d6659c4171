//! The words of a request: what an open is for, which record is meant, what it is got for, how one is inserted, and
//! where that leaves the string.
//!
//! Between requests a string keeps a key, RBA or record number and a page version, never a latch or pin. The position
//! (K is a key in a KSDS, an RBA in an ESDS or LDS, a number in an RRDS or VRRDS):
//!
//! | position | set by | NEXT returns | PREV returns |
//! |---|---|---|---|
//! | start | open | the first record | 8/88 |
//! | at K | POINT | the first record at or above K | the last one below K |
//! | back at K | POINT backward | the first one above K | the last one at or below K |
//! | on K | a request that returned or stored K | the first one above K | the last one below K |
//! | end | NEXT behind the last | 8/4 | the last record |
//! | beginning | PREV before the first | the first record | 8/4 |
//! | none | direct get without position, ENDREQ, 8/16 | 8/88 | 8/88 |

use crate::buffers::Buffering;
use crate::error::RequestError;
use crate::io::Io;

/// What an open is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reading.
    #[default]
    Input,
    /// Reading and changing.
    Output,
}

/// When a change is durable, which means that it survives power loss. The death of the process it survives at every
/// level, from when its request returned: all but a load, which is not logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// At close and commit; at most a second behind meanwhile. After any crash the data set is as it was at some
    /// moment not longer ago than that.
    #[default]
    Close,
    /// At commit and close, and not on its own in between.
    Commit,
    /// When the request returns; a load, which is not logged, at commit and close.
    Request,
}

/// What becomes of the changes of a data set besides its own volume having them (LOG).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Logging {
    /// LOG(NONE): it takes no part in units of recovery. What is changed in one stands as soon as it is done.
    None,
    /// LOG(UNDO), and where nothing is said: units of recovery can be backed out.
    #[default]
    Undo,
    /// LOG(ALL): the same, and its changes go to an archive too, so that they can be done again in a copy.
    All,
}

/// See [`Engine::open`](crate::Engine::open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenOptions {
    /// For input or output.
    pub access: Access,
    /// Empty a REUSE data set (RESET).
    pub reset: bool,
    /// Empty it though it was defined NOREUSE, as a base with alternate indexes always is.
    pub reset_anyway: bool,
    /// No other process may have it open meanwhile, not even for input. For output that is so anyway.
    pub alone: bool,
    /// When changes are durable.
    pub durability: Durability,
    /// Whether data CIs go through the page cache.
    pub io: Io,
    /// What the data set's LOG attribute says; of several opens in one process the first counts.
    pub log: Logging,
    /// Buffers of its own, as VSAM gave them (NSR); none: the pool serves it as it serves all.
    pub buffers: Option<Buffering>,
    /// It only keeps the data set open for those who have it: no SMF record is of it.
    pub keeps: bool,
}

impl OpenOptions {
    /// For reading.
    pub fn input() -> OpenOptions {
        OpenOptions::default()
    }

    /// For reading and changing.
    pub fn output() -> OpenOptions {
        OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        }
    }

    /// The same with changes that are durable then.
    #[must_use]
    pub fn durable(self, durability: Durability) -> OpenOptions {
        OpenOptions { durability, ..self }
    }

    /// The same with buffers of its own.
    #[must_use]
    pub fn buffered(self, buffers: Buffering) -> OpenOptions {
        OpenOptions {
            buffers: Some(buffers),
            ..self
        }
    }

    pub(crate) fn recovery() -> OpenOptions {
        OpenOptions {
            access: Access::Output,
            reset: false,
            reset_anyway: false,
            alone: false,
            durability: Durability::Commit,
            io: Io::Buffered,
            log: Logging::Undo,
            buffers: None,
            keeps: false,
        }
    }
}

/// What a close did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CloseReport {
    /// False: others still have the data set open in this process, or a unit of recovery has changed it, and the last
    /// of them commits the tree. What was acknowledged is durable all the same.
    pub closed: bool,
}

/// Which record a key finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The one with this key (KEQ); for a generic key the first that starts with it.
    Equal,
    /// The first at or above it (KGE).
    GreaterOrEqual,
}

/// What a get is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// Reading (NUP).
    Read,
    /// Reading, and going on from here (NSP).
    Position,
    /// Update or erase comes next (UPD): the record is held.
    Update,
}

/// How a record is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insert {
    /// Anywhere (DIR).
    Direct,
    /// In ascending order (SEQ); loads an empty data set.
    Sequential,
    /// In ascending order with gaps (SKP).
    Skip,
}

/// A record, in the string's area until its next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where it starts.
    pub rba: u64,
    /// Its relative record number; 0 where records have none.
    pub rrn: u32,
}

/// Where a string stands; see the module's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    Start,
    None,
    /// These use the string's K.
    At,
    BackAt,
    On,
    End,
    Beginning,
}

/// What a direct request names a record by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument<'a> {
    /// A key, or the start of one: KSDS.
    Key(&'a [u8]),
    /// A relative byte address: every organization but RRDS and VRRDS.
    Rba(u64),
    /// A relative record number, from 1: RRDS and VRRDS.
    Rrn(u32),
}

impl<'a> From<&'a [u8]> for Argument<'a> {
    fn from(key: &'a [u8]) -> Self {
        Argument::Key(key)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Argument<'a> {
    fn from(key: &'a [u8; N]) -> Self {
        Argument::Key(key)
    }
}

impl<'a> From<&'a Vec<u8>> for Argument<'a> {
    fn from(key: &'a Vec<u8>) -> Self {
        Argument::Key(key)
    }
}

/// What has no records takes part in no unit of recovery.
pub const NOT_IN_UNITS: RequestError = RequestError::Options {
    what: "linear data sets and control intervals are not changed in a unit of recovery",
};
