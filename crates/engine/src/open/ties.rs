//! What a base and its alternate indexes say of each other, so that one that was put back alone is found out.
//!
//! An alternate index has a stamp: which of its opens changed it last through its base, and the LSN of that change. The
//! base has a tie of each: the stamp that it knows. Both are written with the roots, at no other time, and both follow
//! from the changes alone, so that each member of a sphere that recovers comes to the same by itself.
//!
//! | the index's stamp | the base's tie of it | |
//! |---|---|---|
//! | none | none | nothing is known: of before format 3, or never changed through its base |
//! | is the tie | is the stamp | they belong together |
//! | is less | is more | the index is older than its base |
//! | is more | is less, or none | the base is older than its index |
//! | says "built", later than the tie | any | as good as the base is not older than what it was built from |
//!
//! One that comes from elsewhere says "built" when it agrees with its base ([`crate::engine::Engine::tie_index`]).
//!
//! * I1. A unit that changes an alternate index gives it, and the tie in its base, a stamp greater than all before:
//!   opens of a data set have rising numbers ("origins"), units rising LSNs.
//! * I2. Recovery gives the stamps that the units gave, and one more mark ([`TAKEN_BACK`]) where it took some back: what
//!   it does follows from the log alone (V7 in [`crate::recovery`]).
//! * I3. What changes an alternate index by itself, or a base without it, changes neither: VSAM allows both.
//! * I4. A data set that is made anew as a whole, in the place of another, keeps its lineage, and with that its ties.

use super::OpenDataSet;
use crate::error::OpenError;
use crate::sync::Mutex;
use cica_format::root::{BuiltFrom, Root, Stamp, Tie, MAX_TIES};
use std::path::Path;

/// In the LSN of a stamp: changes up to there of units that did not end were taken back.
const TAKEN_BACK: u64 = 1 << 63;

/// See the module.
pub struct Ties {
    lineage: u64,
    own: Mutex<(Stamp, BuiltFrom)>,
    known: Mutex<Vec<Tie>>,
    /// Lineages of the alternate indexes that are open with this base: their ties stay.
    present: Mutex<Vec<u64>>,
}

impl Ties {
    pub fn of(root: &Root) -> Ties {
        Ties {
            lineage: root.lineage(),
            own: Mutex::new((root.stamp, root.built_from)),
            known: Mutex::new(root.ties.clone()),
            present: Mutex::default(),
        }
    }

    /// What this base knows of an alternate index.
    fn of_index(&self, lineage: u64) -> Option<Stamp> {
        let known = self.known.lock();
        known.iter().find(|tie| tie.lineage == lineage).map(|tie| tie.stamp)
    }

    /// Puts them into a root that is about to be written.
    pub fn describe(&self, root: &mut Root) {
        (root.stamp, root.built_from) = *self.own.lock();
        root.ties.clone_from(&self.known.lock());
    }

    pub fn lineage(&self) -> u64 {
        self.lineage
    }

    /// The greatest origin in any of them.
    pub fn latest_origin(&self) -> u64 {
        let known = self.known.lock().iter().map(|tie| tie.stamp.origin).max();
        known.unwrap_or_default().max(self.own.lock().0.origin)
    }

    /// This base changed an alternate index by a unit (I1). The caller keeps the gates of both.
    pub fn change(&self, alternate: &OpenDataSet, lsn: u64) {
        let stamp = Stamp {
            origin: alternate.origin(),
            lsn,
        };
        alternate.ties.stamp(stamp);
        self.tie(alternate.ties.lineage, stamp);
    }

    /// This alternate index was changed.
    pub fn stamp(&self, stamp: Stamp) {
        let mut own = self.own.lock();
        own.0 = own.0.max(stamp);
    }

    /// Of this base an alternate index was changed.
    pub fn tie(&self, lineage: u64, stamp: Stamp) {
        let mut known = self.known.lock();
        match known.iter_mut().find(|tie| tie.lineage == lineage) {
            Some(tie) => tie.stamp = tie.stamp.max(stamp),
            None => {
                if known.len() >= MAX_TIES {
                    // One that is not here, and changed last so long ago, was deleted: DEFINE gives a base no more
                    // alternate indexes than it has room for ties.
                    let present = self.present.lock();
                    let absent = known
                        .iter()
                        .enumerate()
                        .filter(|(_, tie)| !present.contains(&tie.lineage));
                    let oldest = absent.min_by_key(|(_, tie)| tie.stamp);
                    let oldest = oldest.map(|(place, _)| place);
                    oldest.map(|place| known.swap_remove(place));
                }
                known.push(Tie { lineage, stamp });
            }
        }
    }

    /// Open `origin` changes this base, and none of its alternate indexes: they are older from now on.
    pub fn leave_behind(&self, origin: u64) {
        let stamp = Stamp { origin, lsn: 1 };
        self.known
            .lock()
            .iter_mut()
            .for_each(|tie| tie.stamp = tie.stamp.max(stamp));
    }

    /// A recovery took changes of this alternate index back (I2).
    pub fn stamp_taken_back(&self) {
        self.own.lock().0.lsn |= TAKEN_BACK;
    }

    /// A recovery took changes back of an alternate index of this base.
    pub fn tie_taken_back(&self, lineage: u64) {
        let mut known = self.known.lock();
        if let Some(tie) = known.iter_mut().find(|tie| tie.lineage == lineage) {
            tie.stamp.lsn |= TAKEN_BACK;
        }
    }

    /// This alternate index was built from `base`, by its open `origin`.
    pub fn build(&self, origin: u64, base: &OpenDataSet) {
        *self.own.lock() = base.ties.built(self.lineage, origin, base);
    }

    /// What an alternate index of this lineage says that is built from `base`, whose ties these are, by its open `origin`.
    /// It is later than all that the base knows of it, though an old file of it was there before.
    pub fn built(&self, lineage: u64, origin: u64, base: &OpenDataSet) -> (Stamp, BuiltFrom) {
        let tie = self.of_index(lineage);
        let origin = origin.max(tie.map_or(0, |stamp| stamp.origin + 1));
        let built_from = BuiltFrom {
            lineage: self.lineage,
            origin: base.changed_by(),
        };
        (Stamp { origin, lsn: 0 }, built_from)
    }
}

/// Refuses a base and an alternate index of it that are not of one moment (see the table). The base keeps its tie of
/// this one from then on.
///
/// # Errors
/// Which of them is older, and what to do.
pub fn check(base: &OpenDataSet, alternate: &OpenDataSet) -> Result<(), OpenError> {
    let (stamp, built_from) = *alternate.ties.own.lock();
    let mut present = base.ties.present.lock();
    if !present.contains(&alternate.ties.lineage) {
        present.push(alternate.ties.lineage);
    }
    drop(present);
    let of = BaseTies {
        lineage: base.ties.lineage,
        changed_by: base.changed_by(),
        tie: base.ties.of_index(alternate.ties.lineage),
    };
    let (base, index) = (&base.common().attributes, &alternate.common().attributes);
    match older(&of, stamp, built_from) {
        None => Ok(()),
        Some(older) => {
            let names = (&*base.cluster_name, &*index.cluster_name);
            Err(refusal(older, names, alternate.data_path()))
        }
    }
}

/// The same from their roots.
///
/// # Errors
/// As [`check`].
pub fn check_roots(base: &Root, alternate: &Root, path: &Path) -> Result<(), OpenError> {
    let lineage = alternate.lineage();
    let tie = base.ties.iter().find(|tie| tie.lineage == lineage);
    let of = BaseTies {
        lineage: base.lineage(),
        changed_by: base.log.origin,
        tie: tie.map(|tie| tie.stamp),
    };
    let names = (&*base.attributes.cluster_name, &*alternate.attributes.cluster_name);
    match older(&of, alternate.stamp, alternate.built_from) {
        None => Ok(()),
        Some(older) => Err(refusal(older, names, path)),
    }
}

struct BaseTies {
    lineage: u64,
    changed_by: u64,
    tie: Option<Stamp>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Older {
    Base,
    Index,
}

fn older(base: &BaseTies, stamp: Stamp, built_from: BuiltFrom) -> Option<Older> {
    let built = stamp.origin > 0 && stamp.lsn == 0;
    match base.tie {
        None if stamp == Stamp::default() => None,
        Some(tie) if tie == stamp => None,
        tie if built && tie.is_none_or(|tie| tie < stamp) => {
            let of_base = built_from.lineage == base.lineage && built_from.origin <= base.changed_by;
            (!of_base).then_some(Older::Base)
        }
        Some(tie) if stamp < tie => Some(Older::Index),
        _ => Some(Older::Base),
    }
}

fn refusal(older: Older, (base, index): (&str, &str), path: &Path) -> OpenError {
    let what = match older {
        Older::Index => format!(
            "the files of the alternate index {index} are older than those of its base {base}: they are not of one \
             moment. Restore all files of both of one moment, or build the alternate index anew (delete and define it, \
             then BLDINDEX)"
        ),
        Older::Base => format!(
            "the files of the base {base} are older than those of its alternate index {index}: they are not of one \
             moment. Restore all files of both of one moment, or, to keep the base as it is, build the alternate index \
             anew (delete and define it, then BLDINDEX)"
        ),
    };
    OpenError::Unusable {
        path: path.to_path_buf(),
        what,
    }
}
