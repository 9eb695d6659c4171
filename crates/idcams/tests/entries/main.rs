//! DEFINE, DELETE, ALTER and LISTCAT over a catalog in memory: what they make, say, and refuse without changing
//! anything.
#![allow(clippy::unwrap_used)]

mod alter;
mod catalogs;
mod define;
mod delete;
mod listcat;
mod typed;
mod world;
