//! The owner of shared data sets: one process for a catalog, which runs no application code.
//!
//! ```text
//! listen     one owner for a catalog, its socket, who comes, when it ends
//! owner      what its threads share: clients, and whether it goes on
//! status     what it has and does, as commands show it
//! answer     a connection: requests read, carried out, answered
//! of_set     requests about a data set as a whole
//! of_string  requests of a string
//! doubt      units of recovery in doubt
//! areas      memory that batches of a browse are put into, where the client sees it
//! guest      what a client has: data sets, strings, units; all of it ends with the client
//! open_set   a client's open, and who works with it
//! held       a client's string, and what it has locked by name
//! shunted    units that could not be taken back
//! tally      what is counted of requests
//! intervals  SMF records of that
//! opened     data sets that are shared, each open once for all clients; who may open what
//! ```
//! * O1. What a client has ends when its last connection does, or its process: strings and what they hold, units, which
//!   are backed out, and opens, which are closed.
//! * O2. What a client may do with a data set is what its own descriptor of the data component was opened for. What it
//!   says of itself counts for nothing.
//! * O3. Numbers in requests are looked up among those of the same client. A request that makes no sense is answered by
//!   words and changes nothing.
//! * O4. A killed owner leaves what any killed process leaves: whoever opens its data sets next does its log again.
//! * O5. What a client does, or does not do, keeps nobody from opening and closing data sets, nor the owner from its
//!   end (`answer:T1`, `open_set:D1`). What it has of the owner's memory has a bound (`guest:G1`).

#![forbid(unsafe_code)]

mod answer;
mod areas;
mod doubt;
mod guest;
mod held;
mod intervals;
mod listen;
mod of_set;
mod of_string;
mod open_set;
mod opened;
mod owner;
mod shunted;
mod status;
mod tally;

pub use answer::Connection;
pub use guest::Peer;
pub use listen::{serve, Serve, ServeError};
pub use opened::FileOf;
pub use owner::Owner;
