//! Data sets by name: the one way from a name to an open data set, for every surface (IDCAMS, the command, C, COBOL).
//!
//! ```text
//! Session::start   finds the catalog, makes an engine            [start]
//! reach            name -> the entry whose records it means      [mod@reach]
//! DecideError      units of recovery in doubt, by name
//! rebuild          volumes -> a catalog that was lost            [mod@rebuild]
//! open             entry -> open data set, or why it may not be  [mod@open]
//! share            when an open goes to the process that shares data sets [Sharing]
//! RecordLocks      which open has locked which record            [locks]
//! EndOfStep        the SMF record of a step                      [step]
//! intervals        SMF records while data sets are open          [interval_from_environment]
//! heard            what an open has done, for who closes it      [closing]
//! volumes          what volumes have room for, extent by extent   [CatalogVolumes]
//! ```
//! The engine knows files, the catalog knows names; what both must agree on is decided here and nowhere else.

#![forbid(unsafe_code)]

mod error;
mod heard;
mod in_doubt;
mod intervals;
mod locks;
mod open;
mod reach;
mod rebuild;
mod share;
mod start;
mod step;
mod turn;
mod volumes;

pub use error::SessionError;
pub use heard::{closing, Done};
pub use in_doubt::DecideError;
pub use intervals::{interval_from_environment, INTERVAL_VARIABLE};
pub use locks::{Held, Opener, RecordLocks, LONGEST_WAIT};
pub use open::{files, open, own_files};
pub use reach::{as_cluster, reach, Reached};
pub use rebuild::{rebuild, Rebuilt};
pub use share::{
    program, refuse_quiesced, sharing_from_environment, socket, unreached, Sharing, SERVER_VARIABLE, SHARE_VARIABLE,
};
pub use start::{bytes, disk, io_from_environment, outside, pool_from_environment, Opens, Session, Start};
pub use start::{JOB_VARIABLE, SMF_VARIABLE, STEP_VARIABLE};
pub use step::{Completion, EndOfStep};
pub use volumes::{capacity, check_room, tracks_taken, CatalogVolumes};
