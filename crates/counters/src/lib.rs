//! What Cica counts, and how others see it while it is counted.
//!
//! ```text
//! table         one row for each counter: name, unit, where it is counted, SMF, LISTCAT and RMF field
//! layout        where each counter lies in a statistics file
//! identity      who counts, and for what
//! own           the file of this process: data sets and strings that count in it
//! running       the files of all processes that live: what `cica stat`, LISTCAT and the monitor read
//! readers       what opens for input have counted that are closed, which nobody writes to the volume
//! counted       the statistics of a root with all that
//! ```
//! * Q1. A process never reads what it shows: what it commits comes from memory of its own. So whoever changes its
//!   statistics file changes what is shown and nothing else.
//! * Q2. Counting waits for nobody and calls nobody: it is an addition in memory that shows the file. No sync is made.
//! * Q3. A file that cannot be made, or grown, stops nobody: what would be counted in it is counted unseen.
//! * Q4. A string has a line of words of its own, and is the only one that counts there.
//! * Q5. The file ends with its process. One whose lock nobody has is a dead process's: it is not shown, and whoever
//!   meets it and may removes it.
//! * Q6. A reader believes a slot whose state was the same, and even, before and after he read it, whose identity has
//!   its checksum, and whose counters did not fall meanwhile; else he reads again, and in the end says it was torn.

#![forbid(unsafe_code)]

mod counted;
mod identity;
pub mod layout;
mod own;
mod readers;
mod running;
pub mod table;

pub use counted::Counted;
pub use identity::{DataSetIdentity, ProcessIdentity, BEFORE};
pub use own::{DataSetCounts, StatisticsFile, StringCounts, WeakCounts};
pub use readers::{add_reader, forget_reader, readers, ReaderCounts};
pub use running::{running, Component, OpenDataSet, Process, Seen, SharedBuffers, Torn};
pub use table::{
    ComponentCount, DataSetCount, FramesCount, LockCount, LsrCount, PoolCount, Row, SharedCount, SmfCount, StringCount,
};

/// Who is told of opens and closes: what writes a record of each.
pub trait Watcher: Send + Sync {
    /// A data set was opened; so much was counted before, where others had it open, and `counts` tells what is counted.
    fn opened(&self, then: &OpenDataSet, counts: WeakCounts);
    /// That open was closed; so much is counted now.
    fn closed(&self, then: &OpenDataSet, now: &OpenDataSet);
}

/// The directory of the files, in that of the catalog.
pub const DIRECTORY: &str = "stat";
