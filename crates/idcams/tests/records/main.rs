//! REPRO, PRINT, VERIFY and EXAMINE over data sets in memory: what they copy and show, what they say, and what they
//! refuse without changing anything.
#![allow(clippy::unwrap_used)]

mod examine;
mod moved;
mod print;
mod repro;
mod repro_errors;
mod typed;
mod verify;
mod world;
