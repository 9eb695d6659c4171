//! The C interface. `include/cica.h` is its manual; this crate is what stands behind it.
//!
//! To Rust it is `cica_c`, since `cica` is the crate for Rust users; cargo makes `libcica_c.so` and `libcica_c.a` of it. C
//! users link `-lcica`: `install.sh` makes `libcica.so`, with soname and versioned symbols, and `libcica.a` from the archive.
//!
//! ```text
//! environment, dataset, unit, string   the calls, in the header's order
//! buffers                              buffers of an open, and pools of those that opens share
//! interval                             control intervals in the caller's area
//! lock                                 records of others: waiting, read integrity, locks
//! prepared                             units that somebody else decides about
//! border                               each call goes through it: panics stop there, errors become codes
//! handle                               tokens to objects: closed, foreign and busy ones are found out
//! object                               what a handle stands for
//! code                                 the header's codes and their words
//! ```
//! * B1. No panic leaves the library: the call answers `CICA_INTERNAL`, and the handle is gone.
//! * B2. A pointer of the caller's is looked at only after it was found not to be null, and kept by no call.
//! * B3. A handle is a token: it is looked up, never followed.
//! * B4. A call of a thread that is in one already is refused: a handler of a signal makes it, or has left the first by
//!   `longjmp`.

#![deny(unsafe_op_in_unsafe_fn)]

mod border;
mod buffers;
mod code;
mod dataset;
mod environment;
mod handle;
mod interval;
mod lock;
mod object;
mod prepared;
mod string;
mod unit;

pub use border::cica_message;
pub use buffers::*;
pub use code::CODES;
pub use dataset::*;
pub use environment::*;
pub use interval::*;
pub use lock::*;
pub use prepared::*;
pub use string::*;
pub use unit::*;
