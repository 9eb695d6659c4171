//! VSAM data sets for Rust programs: records by key, by number, or in the order they came, in data sets that a catalog
//! knows by name.
//!
//! ```text
//! Store     a catalog, and the engine of this process: begin here                [store]
//! Ksds ...  what is defined: clusters, alternate indexes, paths                  [define]
//! DataSet   an open data set         -> Str           the requests: get, next, insert, update, erase
//! Store::unit                        -> UnitOfRecovery  changes of several data sets, all or none
//! Error     what, where, what to do, and VSAM's codes                            [error]
//! admin     every function of IDCAMS, as a typed request: Store::admin
//! ```
//! [`DataSet`], [`Str`] and [`UnitOfRecovery`] are the engine's own: nothing stands between a program and a get.
//!
//! # Tutorial
//!
//! A key-sequenced data set (KSDS) keeps records in the order of a key, which is a field of each record. Define one
//! whose records have their key in the first four bytes, 20 bytes on the average and 80 at most:
//!
//! ```
//! use cica::{Ksds, OpenOptions, Store};
//! use cica::{Durability, Insert, Intent, RequestError, Search};
//!
//! # fn main() -> Result<(), cica::Error> {
//! # let directory = std::env::temp_dir().join(format!("cica-tutorial-{}", std::process::id()));
//! let store = Store::at(&directory).create().open()?;
//! store.define(Ksds::new("PAYROLL.MASTER").key(0..4).records(20, 80))?;
//!
//! // Load it: records come in ascending order of their keys.
//! let master = store.open_data_set("PAYROLL.MASTER", OpenOptions::output())?;
//! let mut string = master.string();
//! for record in ["0001ADAMS", "0002BAKER", "0004DAVIS"] {
//!     string.insert(record.as_bytes(), Insert::Sequential)?;
//! }
//! master.end_load()?;
//!
//! // Read a record by its key. It stays in the string's area until the next request.
//! assert_eq!(string.get(b"0002", Search::Equal, Intent::Read)?.bytes, b"0002BAKER");
//!
//! // Browse from the first key at or above 0002.
//! let mut seen = Vec::new();
//! string.point(b"0002", Search::GreaterOrEqual)?;
//! loop {
//!     match string.next(Intent::Read) {
//!         Ok(record) => seen.push(String::from_utf8_lossy(record.bytes).into_owned()),
//!         Err(RequestError::EndOfData) => break,
//!         Err(error) => return Err(error.into()),
//!     }
//! }
//! assert_eq!(seen, ["0002BAKER", "0004DAVIS"]);
//!
//! // Change several records, all or none: a unit of recovery.
//! let unit = store.unit();
//! let mut changes = master.string_in(&unit);
//! changes.get(b"0002", Search::Equal, Intent::Update)?;
//! changes.update(b"0002BAKER-JONES")?;
//! changes.get(b"0004", Search::Equal, Intent::Update)?;
//! changes.erase()?;
//! changes.insert(b"0003CLARK", Insert::Direct)?;
//! unit.commit_with(Durability::Commit)?;
//!
//! // Close it; a drop would close it too, and tell nobody why that failed.
//! drop((string, changes));
//! master.close()?;
//!
//! // Open it again, by another process if you like, and look.
//! let master = store.open_data_set("PAYROLL.MASTER", OpenOptions::input())?;
//! assert_eq!(master.statistics().0.records, 3);
//! # master.close()?;
//! # drop(store);
//! # std::fs::remove_dir_all(&directory).ok();
//! # Ok(())
//! # }
//! ```
//!
//! # What there is beside a KSDS
//!
//! ```
//! use cica::{AlternateIndex, Esds, Ksds, Lds, Path, Rrds, Store, Vrrds};
//!
//! # fn main() -> Result<(), cica::Error> {
//! # let directory = std::env::temp_dir().join(format!("cica-kinds-{}", std::process::id()));
//! # let store = Store::at(&directory).create().open()?;
//! store.define(Esds::new("SHOP.JOURNAL").records(100, 400))?; // in the order they came
//! store.define(Rrds::new("SHOP.SEATS").record_length(64))?; // by number, of one length
//! store.define(Vrrds::new("SHOP.BINS").records(64, 512))?; // by number, of any length
//! store.define(Lds::new("SHOP.PAGES"))?; // bytes
//!
//! // Customers by number, and through a path by the name in bytes 8 to 28.
//! store.define(Ksds::new("SHOP.CUSTOMER").key(0..8).records(120, 200))?;
//! store.define(AlternateIndex::new("SHOP.CUSTOMER.NAMES", "SHOP.CUSTOMER").key(8..28))?;
//! store.define(Path::new("SHOP.CUSTOMER.BYNAME", "SHOP.CUSTOMER.NAMES"))?;
//!
//! let names: Vec<String> = store.list("SHOP.*")?.iter().map(|entry| entry.name().to_string()).collect();
//! assert_eq!(names, ["SHOP.BINS", "SHOP.CUSTOMER", "SHOP.JOURNAL", "SHOP.PAGES", "SHOP.SEATS"]);
//! # drop(store);
//! # std::fs::remove_dir_all(&directory).ok();
//! # Ok(())
//! # }
//! ```
//! An alternate index is filled from a base that has records by [`Store::build_index`].

#![forbid(unsafe_code)]

pub mod define;
pub mod error;
pub mod store;

/// Every function of IDCAMS as a typed request; [`Store::admin`] carries them out.
pub use cica_admin as admin;

pub use cica_admin::listcat::ListcatEntry;
pub use cica_admin::repro::CopyCounts;
pub use cica_catalog::{Entry, Name};
pub use cica_engine::{
    Access, Argument, BufferCounts, Buffering, CloseReport, DataSet, Durability, Feedback, InDoubt, Insert, Intent, Io,
    LockMode, OpenError, OpenOptions, Patience, PoolBuffers, PoolError, PoolText, PoolTextError, PrepareError,
    ReadIntegrity, Record, RequestError, ResourcePool, Retry, Search, Str, SubpoolCounts, UnitOfRecovery, WriteBuffers,
};
pub use cica_messages::Message;
pub use define::{AlternateIndex, Define, Esds, Ksds, Lds, Path, Rrds, Vrrds};
pub use error::{Code, Error};
pub use store::{Builder, Store};
