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

mod build;
mod change;
mod commit;
mod compare;
mod locks;
mod member;
mod open;
mod sort;
mod ties;
mod unit;
mod way;

pub use build::{Build, BuildError, Built, Omitted};
pub(crate) use change::{Change, EnteredChange, Keyed, KeyedChange};
pub use compare::{Compared, Disagreement};
pub(crate) use ties::{check, check_roots, Ties};
pub(crate) use way::Way;

use crate::dataset::Inner;
use crate::sync::Mutex;
use locks::Stripes;
use member::Member;
use std::path::Path;
use std::sync::Arc;

/// The upgrade set of an open base.
pub(crate) struct Sphere {
    members: Vec<Member>,
    stripes: Stripes,
    /// Records are added to an ESDS one at a time, because each must know where it goes (S7).
    arrivals: Mutex<()>,
    /// In which order gates are taken: places in `members`, the base as [`BASE`].
    order: Vec<usize>,
    /// Names of alternate indexes that were never built.
    unbuilt: Vec<String>,
}

/// The base's place in [`Sphere::order`].
const BASE: usize = usize::MAX;

impl Sphere {
    fn new(base: &Inner, members: Vec<Member>, unbuilt: Vec<String>) -> Sphere {
        let mut order: Vec<usize> = (0..members.len()).chain([BASE]).collect();
        let path = |at: &usize| members.get(*at).map_or(base.data_path(), |m| m.inner.data_path());
        order.sort_by(|a, b| path(a).cmp(path(b)));
        Sphere {
            members,
            stripes: Stripes::default(),
            arrivals: Mutex::new(()),
            order,
            unbuilt,
        }
    }

    /// Names of alternate indexes that were never built, so that they are not upgraded.
    pub(crate) fn unbuilt(&self) -> &[String] {
        &self.unbuilt
    }

    /// Base and alternate indexes in the order in which their gates are taken.
    fn all<'s>(&'s self, base: &'s Inner) -> impl Iterator<Item = &'s Inner> + Clone {
        self.order
            .iter()
            .map(move |&at| self.members.get(at).map_or(base, |m| &*m.inner))
    }

    /// The alternate indexes.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Inner> {
        self.members.iter().map(|m| &*m.inner)
    }

    /// The member whose data component is this file, and its place.
    fn member(&self, data: &Path) -> Option<(usize, Arc<Inner>)> {
        let place = self.members.iter().position(|m| m.inner.data_path() == data)?;
        Some((place, self.members[place].inner.clone()))
    }

    /// Keeps units away from an alternate key of the member at `place` (S2).
    pub(crate) fn lock_key(&self, place: usize, key: &[u8]) -> impl Sized + '_ {
        self.stripes.lock(std::iter::once((place, key)))
    }
}
