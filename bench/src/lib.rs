//! Measures Cica beside LMDB, Berkeley DB, RocksDB, WiredTiger, SQLite, fjall and redb: same records, same order of
//! requests, same run.
//!
//! Each engine lives in a program of its own (`src/bin/peer-*.rs`), so that its threads, its memory and the cost of
//! loading its libraries are charged to it alone. The driver (`cica-bench`) talks to these programs over pipes:
//!
//! ```text
//! cica-bench ops  --- lines ---> peer-lmdb serve      one process per engine, phases interleaved
//! cica-bench load --- lines ---> peer-lmdb serve      a process for each round; its files go before the next one
//! cica-bench grow --- lines ---> peer-lmdb serve      the same; killed at the end and started again
//! cica-bench kill --- lines ---> peer-lmdb serve      a process for each round, killed and started again
//! cica-bench step --- exec ----> peer-lmdb step read  one process per run, timed from outside
//! ```
//!
//! A new engine is one file that implements [`peer::Peer`] and one row in [`engines::ENGINES`].

pub mod clock;
pub mod driver;
pub mod engines;
pub mod files;
pub mod flags;
pub mod grow;
pub mod json;
pub mod kill;
pub mod latency;
pub mod load;
pub mod machine;
pub mod ops;
pub mod peer;
pub mod phases;
pub mod plan;
pub mod report;
pub mod series;
pub mod step;
pub mod strace;
pub mod targets;
pub mod worker;
pub mod workload;
pub mod zipf;
