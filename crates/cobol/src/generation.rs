//! Relative generations: `NAME(0)` is the newest of a group, `NAME(-1)` the one before, `NAME(+1)` the next to be made.
//!
//! Relative numbers count from the newest generation there was when the program first named the group, so that (+1) is
//! the same data set to its end, as in a step of a job.

use cica_catalog::generation::Generation;
use cica_catalog::Name;
use cica_session::Session;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The newest generation of each group when it was first named.
static NEWEST: Mutex<BTreeMap<Name, Option<Generation>>> = Mutex::new(BTreeMap::new());

/// The data set that `base(relative)` means.
///
/// # Errors
/// In words: it is no group, or has not so many generations.
pub fn generation(session: &Session, base: &Name, relative: i32) -> Result<Name, String> {
    let catalog = session.catalog.home(base).map_err(|error| error.to_string())?;
    let contents = catalog.contents().map_err(|error| error.to_string())?;
    if contents.gdg(base).is_none() {
        return Err(format!("{base} is no generation data group; DEFINE GDG makes one"));
    }
    let all = contents.generations(base);
    let now = all.last().map(|(generation, _)| *generation);
    let newest = *NEWEST.lock().entry(base.clone()).or_insert(now);
    if let Ok(steps @ 1..) = u16::try_from(relative) {
        let next = newest.unwrap_or(Generation { number: 0, version: 0 }).after(steps);
        return next.name(base).map_err(|error| error.to_string());
    }
    let place = all.iter().position(|(generation, _)| Some(*generation) == newest);
    let back = relative.unsigned_abs() as usize;
    let found = place
        .and_then(|place| place.checked_sub(back))
        .and_then(|at| all.get(at));
    found
        .map(|(_, entry)| entry.name().clone())
        .ok_or_else(|| format!("{base} has no generation ({relative})"))
}
