//! The lock table of an engine: who has which record of which open data set, and who waits for it.
//!
//! A name is the number of an open data set and a key: a record's key, or its number or RBA in 8 bytes; the empty key is
//! the end of an ESDS. Owners are strings, units of recovery for all their strings, and whatever a [`LockOwner`] stands
//! for. An owner has a name for several reasons at once, and each ends by itself: its strings hold the record, its unit
//! keeps it, it has locked it (X), it reads it repeatably (S).
//!
//! | state of a name | by | to |
//! |---|---|---|
//! | free | `hold`, `keep`, `lock` | X of the owner |
//! | free, S of others | `lock` for S | S of the owner too |
//! | S of the owner alone | `hold`, `keep`, `lock` for X of the owner | X of the owner |
//! | X of the owner | any of the owner | the same, for one reason more |
//! | S, X of another | any that does not go with it | refused: 8/20 |
//! | refused | `wait` | queued, then granted, or 8/21, 8/22 |
//! | X | `retain` of the owner | retained: whoever wants it is answered 8/24 |
//! | X, S, retained | the last reason ends | free, or granted to who waits longest |
//!
//! * L1. Two owners have a name at a time only if all have it for S.
//! * L2. A name that somebody waits for is never free: what is given back is granted in the order of arrival, below the
//!   same mutex. Only who has the name for S already passes others on his way to X.
//! * L3. Nobody waits below a latch, a gate or a mutex: requests are refused, and who refused waits in [`Locks::wait`].
//! * L4. An owner waits for no owner that waits for it: edges come only below `waiting`, where they are searched.
//!   Owners, not threads, are searched: threads of one owner count as waiting when one of them does.
//! * L5. What an owner has is found without looking at what others have.
//! * L6. Who asks again right after his time was over has waited since he came first: he stands before those who came
//!   meanwhile. So who waits in pieces, to see to something between two of them, is not the last each time.
//! * L7. Who has a name only to see that its record may be read refuses nobody: he keeps no latch, and gives it up as
//!   the next thing he does. Who wants it waits for him, and for nobody else, whatever he keeps himself.
//! * L8. A change that holds nothing, as an insert, looks for who has locked its record when nobody else can change it
//!   any more: below the latch of its page, or it holds the record. It looks where [`Holds`] knows that a record may be
//!   locked, which is known before the first one is. A load may look too early, since nobody reads before it has ended;
//!   who adds to an ESDS looks for its end, for what comes next has no name yet.

mod counts;
mod hashing;
mod holds;
mod lock;
mod names;
mod owner;
mod places;
mod table;
mod ticks;
mod waiter;
mod waiting;

#[cfg(all(test, not(cica_schedules)))]
mod tests;

pub use counts::LockCounts;
pub use holds::{HeldForChange, Holds};
pub use owner::LockOwner;
pub use table::Locks;

use std::time::Duration;

/// How long a request waits for a record that another owner has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// Not at all: 8/20.
    #[default]
    None,
    /// So long; then 8/22.
    Until(Duration),
    /// Until it is granted.
    Forever,
}

/// How a record is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// S: with others that read it.
    Shared,
    /// X: alone.
    Exclusive,
}

/// What a read does about records that others have: those that a unit of recovery has changed and not committed, and
/// those that are locked by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadIntegrity {
    /// NRI: it reads them as they are now.
    #[default]
    None,
    /// CR: it waits for them as the string's patience says, and reads what is committed.
    Consistent,
    /// CRE: the same, and nobody changes what it has read before the string's unit of recovery ends, or the record is
    /// unlocked, or its owner gone.
    Repeatable,
    /// The same, and nobody else reads it so: what a language's READ WITH LOCK is.
    Locked,
}

/// One name that somebody has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockLine {
    /// Number of the open data set.
    pub set: u64,
    /// Its name, while it is open.
    pub data_set: Option<String>,
    /// The key, number or RBA.
    pub key: Vec<u8>,
    /// How it is locked.
    pub mode: LockMode,
    /// It is retained.
    pub retained: bool,
    /// Who has it.
    pub holders: Vec<String>,
    /// How long somebody of them has it already; none: nobody knows.
    pub held: Option<Duration>,
    /// Who waits, in order, and how long already.
    pub waiters: Vec<(String, Duration)>,
}
