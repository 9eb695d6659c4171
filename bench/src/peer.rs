//! What an engine has to offer to be measured.

use std::path::Path;

use crate::workload::{Layout, LoadStream};

/// Result of anything here; the text says what failed, for a person.
pub type Result<T> = std::result::Result<T, String>;

/// When writes have to be on stable storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Never waited for. Engines with a log write it, but do not sync it.
    Unsynced,
    /// When `commit` returns.
    EachCommit,
    /// When `close` returns; a commit before it may be durable as well.
    AtClose,
}

/// How to open the data set.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Name of the engine's row in the tables; a program that serves several rows tells them apart by it.
    pub engine: &'a str,
    /// A directory for the engine alone.
    pub dir: &'a Path,
    /// Form of the records.
    pub layout: Layout,
    /// The data set does not exist yet.
    pub create: bool,
    /// Nothing will be written.
    pub read_only: bool,
    /// What commits and the close promise.
    pub durability: Durability,
    /// Bytes of cache; `None` leaves the engine's own default (a batch step does not tune).
    pub cache_bytes: Option<u64>,
}

/// One engine with one data set open. Not thread safe: see [`Peer::another`].
///
/// Writes between two calls of [`Peer::commit`] may share a transaction. A commit also lets go of whatever reading
/// keeps alive (a read transaction), so the caller commits after every batch of reads as well.
pub trait Peer: Sized + Send {
    /// False for the peer that keeps nothing: its answers are not checked.
    const HOLDS_RECORDS: bool = true;

    /// Name and version of the library that is measured.
    fn version() -> String;

    /// Opens, or creates, the data set.
    fn open(opening: &Opening) -> Result<Self>;

    /// Stores ascending records into the empty data set, by the engine's best way for that; returns when they are on
    /// stable storage.
    fn load(&mut self, records: &mut LoadStream) -> Result<()>;

    /// Shows every value in key order; returns how many there were.
    fn scan(&mut self, each: impl FnMut(&[u8])) -> Result<u64>;

    /// Copies the value under `key` into `area` (long enough); returns its length, or `None` without such a record.
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>>;

    /// Replaces a record that exists.
    fn update(&mut self, record: &[u8]) -> Result<()>;

    /// Adds a record whose key is new. Engines that can refuse a duplicate in the same call do so.
    fn insert(&mut self, record: &[u8]) -> Result<()>;

    /// From now on (or no longer) all writes up to a commit are one transaction. Where a batch is one anyway, there is
    /// nothing to do. Asked only of engines whose row says `units`.
    fn in_units(&mut self, _yes: bool) -> Result<()> {
        Ok(())
    }

    /// Ends the batch with the promised durability.
    fn commit(&mut self) -> Result<()>;

    /// A second handle on the same open data set, for another thread.
    fn another(&self) -> Result<Self>;

    /// Waits until work left to background threads is done (flush, compaction, checkpoint).
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Closes the data set, as durable as was promised.
    fn close(self) -> Result<()>;
}
