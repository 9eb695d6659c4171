//! What is done to catalogs and data sets as a whole: a typed request in, an outcome with condition code, messages and
//! what was found or made out. Control cards, the command, COBOL, C and Rust all come here.
//!
//! ```text
//! a request (define::DefineCluster, delete::Delete, repro::Repro ...)
//!    |   Services::define_cluster, delete, repro ...        one module for each
//!    v
//! catalog, engine, disk, clock, DD names                   [Services]
//!    |
//!    v
//! Outcome { condition, messages, result }
//! ```
//!
//! 1. A function that fails leaves catalog and files as they were, or says in its messages what it has done.
//! 2. Nothing here reads a clock, a file or the environment but through [`Services`]: the same requests over the same
//!    volumes come to the same.
//! 3. Each failure is told as messages of the table; none is a panic, none is silent.
//! 4. Nothing here knows the language of control cards or what a listing looks like.

#![forbid(unsafe_code)]

mod addressed;
pub mod allocate;
pub mod alter;
pub mod archive;
pub mod bldindex;
mod bounds;
mod bytes;
pub mod dcollect;
pub mod dd;
mod decided;
pub mod define;
pub mod delete;
pub mod diagnose;
mod elsewhere;
pub mod examine;
mod failure;
mod file_change;
mod found;
mod generations;
mod input;
pub mod listcat;
pub mod listing;
mod making;
mod member;
pub mod merge;
pub mod named;
mod open;
mod outcome;
mod output;
mod pattern;
pub mod portable;
pub mod print;
pub mod range;
mod removal;
mod reorganize;
mod report;
pub mod repro;
mod sequential;
mod services;
pub mod shcds;
pub mod stated;
mod trouble;
pub mod usercatalog;
pub mod verify;
pub mod volume;

pub use bytes::{characters, hexadecimal, shown};
pub use failure::Failure;
pub use generations::{roll_off, Left};
pub use outcome::Outcome;
pub use services::Services;
