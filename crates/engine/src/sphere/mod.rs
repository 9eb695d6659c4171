//! A sphere: a base cluster that is open for output, with the alternate indexes of its upgrade set.
//!
//! * S1. A change of the base and the changes of its alternate indexes are one unit: one record of the log, so that
//!   recovery does all of it or nothing. A member's tree does its own part again if the unit's LSN is above its root's
//!   (R5).
//! * S2. A unit holds the locks of the base key and of every alternate key it touches from before it looks at an
//!   alternate index until it is logged. So units that touch the same record of a tree are logged in the order in which
//!   they changed it, and what a unit found in an alternate index stays true until it is done.
//! * S3. A unit keeps the gates of all members until it is logged, so a tree that is committed holds units wholly.
//! * S4. No tree of a sphere is committed before the log holds, durably and named in all roots, every unit in it; then
//!   members that a crash left behind catch up. Only while one member alone has changed the log is not needed.
//! * S5. What a unit refuses it refuses before it has changed anything, or it takes back what it changed before
//!   anything is logged: pointers are added first, then the base is changed, then pointers are removed. Taking an added
//!   pointer back, and removing one, needs no space, so neither can be refused.
//! * S6. After any other failure all members are fenced: the log has whole units, and the next open recovers from it.
//! * S7. A pointer to a record of an ESDS is known before the record is there: who adds one keeps all others away
//!   until it is logged. So records are logged in the order of their RBAs.
//!
//! Locks in order: arrivals -> keys (by stripe number) -> gates (by file name) -> what [`crate::ksds`] says.
//!
//! | state of an alternate index | base opened for output | base changed |
//! |---|---|---|
//! | built, UPGRADE | opened with it | upgraded |
//! | never built, UPGRADE | not opened; the open says so (ACBERFLG 100) | stays empty until BLDINDEX |
//! | NOUPGRADE | not opened | falls behind |
//! | missing or damaged, UPGRADE | the open fails, nothing is opened | |

mod change;
mod unit;

pub use change::{BaseChange, Changed, EnteredChange, Keyed, KeyedChange, Users};
pub use unit::take_back;
