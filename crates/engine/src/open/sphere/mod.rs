//! The upgrade set of an open base: its members, their locks and gates. The invariants are in [`crate::sphere`], which
//! changes base and alternate indexes together; what is here commits, fences and closes them together.

mod commit;
mod member;
mod stripes;

pub use member::Member;

use super::OpenDataSet;
use crate::sync::Mutex;
use std::path::Path;
use std::sync::Arc;
use stripes::Stripes;

/// The upgrade set of an open base.
pub struct Sphere {
    pub members: Vec<Member>,
    pub stripes: Stripes,
    /// Records are added to an ESDS one at a time, because each must know where it goes (S7).
    pub arrivals: Mutex<()>,
    /// In which order gates are taken: places in `members`, the base as [`BASE`].
    pub order: Vec<usize>,
    /// Names of alternate indexes that were never built.
    unbuilt: Vec<String>,
}

/// The base's place in [`Sphere::order`].
pub const BASE: usize = usize::MAX;

impl Sphere {
    /// Of an open base and its alternate indexes.
    pub fn new(base: &OpenDataSet, members: Vec<Member>, unbuilt: Vec<String>) -> Sphere {
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
    pub fn unbuilt(&self) -> &[String] {
        &self.unbuilt
    }

    /// Base and alternate indexes in the order in which their gates are taken.
    fn all<'s>(&'s self, base: &'s OpenDataSet) -> impl Iterator<Item = &'s OpenDataSet> + Clone {
        self.order
            .iter()
            .map(move |&at| self.members.get(at).map_or(base, |m| &*m.inner))
    }

    /// The gates of all of them, kept.
    pub fn all_gates<'s>(&'s self, base: &'s OpenDataSet) -> Vec<impl Sized + 's> {
        self.all(base).map(|member| member.common().gate.write()).collect()
    }

    /// The alternate indexes.
    pub fn members(&self) -> impl Iterator<Item = &OpenDataSet> {
        self.members.iter().map(|m| &*m.inner)
    }

    /// The member whose data component is this file, and its place.
    pub fn member(&self, data: &Path) -> Option<(usize, Arc<OpenDataSet>)> {
        let place = self.members.iter().position(|m| m.inner.data_path() == data)?;
        Some((place, self.members[place].inner.clone()))
    }

    /// Keeps units away from an alternate key of the member at `place` (sphere:S2).
    pub fn lock_key(&self, place: usize, key: &[u8]) -> impl Sized + '_ {
        self.stripes.lock(std::iter::once((place, key)))
    }
}
