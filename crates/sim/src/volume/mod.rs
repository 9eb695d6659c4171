//! A volume with a catalog and several data sets of different organizations, as a batch day leaves it: programs keep
//! some data sets open at once, over one log, and IDCAMS commands of other processes define, rename, reorganize,
//! restore and delete the others in between.
//!
//! ```text
//! shape     which data sets, and the control cards that define them
//! action    what is done, one line each
//! model     what each data set, and the rest of the catalog, is after it: one part of the history each
//! world     the engine side: catalog, engine, control cards
//! subject   both side by side, for the explorers
//! logs      whether each log file is used again
//! workload  actions drawn from a seed
//! ```
//! V1. Each data set is a part: a crash may leave one later than another, but none behind what was promised of it.
//! V2. A command that ended with condition code 0 is durable. A crash in its middle leaves what was or what it makes.
//! V3. A REPRO is a load: a crash in its middle leaves some beginning of the records.
//! V4. A DELETE takes path, alternate index and base away in this order, each by a change of its own.
//! V5. What the next process finds of a command that was killed is one of these states, and stays. Where nobody looks
//!     the next action finds it, and it stays from then on.

pub mod action;
pub mod logs;
pub mod model;
pub mod shape;
pub mod subject;
pub mod trial;
pub mod workload;
pub mod world;
