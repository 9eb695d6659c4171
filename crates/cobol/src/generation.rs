//! Relative generations: `NAME(0)` is the newest of a group, `NAME(-1)` the one before, `NAME(+1)` the next to be made.
//!
//! Relative numbers count from the newest generation there was when the program first named the group, so that (+1) is
//! the same data set to its end, as in a step of a job. So does what LIMIT takes away: until the program ends, every
//! generation that was there is there.

use crate::status::Outcome;
use crate::tell::{tell, CICA1219I, CICA1220W};
use cica_admin::Services;
use cica_admin::{roll_off, Left};
use cica_catalog::generation::Generation;
use cica_catalog::name::NameError;
use cica_catalog::{CatalogError, Name};
use cica_session::{Session, SessionError};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// The newest generation of each group when it was first named.
static NEWEST: Mutex<BTreeMap<Name, Option<Generation>>> = Mutex::new(BTreeMap::new());

/// Groups in which the program has made a generation.
static GROWN: Mutex<BTreeSet<Name>> = Mutex::new(BTreeSet::new());

/// Why a relative number leads to no data set.
pub enum NoGeneration {
    /// There is no such group, or it has not so many generations.
    Missing(String),
    /// No name can have that number.
    Number(NameError),
    /// The catalog cannot be asked.
    Catalog(SessionError),
}

impl NoGeneration {
    /// What an OPEN is told.
    pub fn outcome(&self) -> Outcome {
        match self {
            NoGeneration::Missing(_) => Outcome::Missing,
            NoGeneration::Number(_) => Outcome::NotUnderstood,
            NoGeneration::Catalog(error) => Outcome::of_open(error),
        }
    }
}

impl Display for NoGeneration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            NoGeneration::Missing(reason) => f.write_str(reason),
            NoGeneration::Number(error) => error.fmt(f),
            NoGeneration::Catalog(error) => error.fmt(f),
        }
    }
}

impl From<CatalogError> for NoGeneration {
    fn from(error: CatalogError) -> NoGeneration {
        NoGeneration::Catalog(error.into())
    }
}

/// The data set that `base(relative)` means.
///
/// # Errors
/// It is no group, or has not so many generations, or the catalog cannot say.
pub fn generation(session: &Session, base: &Name, relative: i32) -> Result<Name, NoGeneration> {
    let catalog = session.catalog.home(base)?;
    let contents = catalog.contents()?;
    if contents.gdg(base).is_none() {
        let reason = format!("{base} is no generation data group; DEFINE GDG makes one");
        return Err(NoGeneration::Missing(reason));
    }
    let now = contents.newest(base);
    let newest = *NEWEST.lock().entry(base.clone()).or_insert(now);
    if let Ok(steps @ 1..) = u16::try_from(relative) {
        let next = Generation::next(newest, steps);
        return next.name(base).map_err(NoGeneration::Number);
    }
    contents
        .relative_to(base, newest, relative)
        .map(|entry| entry.name().clone())
        .ok_or_else(|| NoGeneration::Missing(format!("{base} has no generation ({relative})")))
}

/// A data set was made; it may be a generation.
pub fn note_grown(name: &Name) {
    if let Some((base, _)) = Generation::of(name) {
        GROWN.lock().insert(base);
    }
}

/// The program ends, and has closed its files: what is beyond LIMIT goes.
pub fn roll_off_all(session: &Session) {
    let services = Services::of(session);
    for base in std::mem::take(&mut *GROWN.lock()) {
        match roll_off(&services, &base) {
            Ok(rolled) => rolled.iter().for_each(tell_of),
            Err(error) => tell(&CICA1220W, &[("name", &format!("{base}(...)")), ("reason", &error)]),
        }
    }
}

fn tell_of(left: &Left) {
    match &left.scratched {
        Ok(true) => tell(&CICA1219I, &[("name", &left.name), ("fate", &"DELETED")]),
        Ok(false) => tell(&CICA1219I, &[("name", &left.name), ("fate", &"KEPT")]),
        Err(reason) => tell(&CICA1220W, &[("name", &left.name), ("reason", reason)]),
    }
}
