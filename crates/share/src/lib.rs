//! Data sets that another process owns: what client and owner say to each other, and the client's side.
//!
//! ```text
//! data_set string unit     what an engine's user has in hand, asked of the owner
//! doubt                    units of recovery in doubt
//! set                      what an open's strings share
//! client                   connections to an owner, and when what was read ahead is too old
//! figures                what is counted of requests
//! refusal                  refused requests, there and back
//! words                    requests and answers
//! batch                    records of a browse in one message
//! line                     how they go over a connection
//! vigil                    how one is waited for
//! wire                     a socket, or what tests have in its place
//! ```
//! The owner's side is `crates/server`; how it works is in `docs/src/explanation/sharing.md`.

#![forbid(unsafe_code)]
// What the fields of a message are stands with the message.
#![allow(missing_docs)]

pub mod batch;
mod client;
mod data_set;
mod doubt;
pub mod figures;
mod line;
mod refusal;
mod set;
mod string;
mod unit;
mod vigil;
mod wire;
pub mod words;

pub use client::{unfit, Client};
pub use data_set::{examined, open, rights, state, NotOpened};
pub use doubt::Undecided;
pub use line::Line;
pub use refusal::Refusal;
pub use string::{FRESH, UNUSED};
pub use unit::{durability_code, durability_of};
pub use wire::{address, Dial, HangUp, Received, Wire, PAUSE};
