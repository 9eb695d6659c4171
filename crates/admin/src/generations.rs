//! Generations that leave their group: what becomes of them and of their data.
//!
//! ```text
//! the catalog says which go (`cica_catalog::generation`), and takes out those that are not VSAM's
//!   -- a cluster: nobody may have it or what hangs on it open; then alternate indexes, paths, the cluster
//!   -- SCRATCH: their files go (`removal`)
//! ```
//! 1. A cluster that somebody has open stays, with all that hangs on it, and goes with the next generation that comes.

use super::failure::Failure;
use super::removal::{with_related, Removal};
use super::report::Report;
use super::Services;
use cica_catalog::generation::Rolled;
use cica_catalog::{Catalog, CatalogError, Entry, Name};
use cica_messages::{CICA0953I, CICA0984W};

/// What became of a generation beyond the limit of its group.
pub struct Left {
    /// The generation.
    pub name: Name,
    /// Whether its data are gone as well; or why it stays in the group.
    pub scratched: Result<bool, String>,
}

/// Takes out of a group what is beyond its limit; nothing, if there is no such group.
///
/// # Errors
/// The catalog cannot be changed.
pub fn roll_off(services: &Services, base: &Name) -> Result<Vec<Left>, CatalogError> {
    let catalog = services.home(base)?;
    let rolled = catalog.transact(|contents| contents.roll_off(base, services.today()))?;
    let (rolled, _) = take_out_all(services, &catalog, rolled);
    Ok(Vec::from_iter(rolled.into_iter().map(|(rolled, stays)| Left {
        name: rolled.entry.name().clone(),
        scratched: match stays {
            None => Ok(rolled.scratch),
            Some(failure) => Err(failure.text()),
        },
    })))
}

/// Takes out what the catalog says goes, and tells of each.
pub fn rolled_off(services: &Services, catalog: &Catalog, rolled: Vec<Rolled>, out: &mut Report) {
    let (rolled, left_behind) = take_out_all(services, catalog, rolled);
    for (Rolled { entry, scratch }, stays) in rolled {
        match (stays, scratch) {
            (None, true) => out.say(&CICA0953I, &[("name", entry.name()), ("fate", &"DELETED")]),
            (None, false) => out.say(&CICA0953I, &[("name", entry.name()), ("fate", &"KEPT")]),
            (Some(failure), _) => {
                failure.tell(out);
                out.say(&CICA0984W, &[("name", entry.name())]);
            }
        }
    }
    for left in left_behind {
        left.tell(out);
    }
}

/// Each with the reason why it stays, if it does; and what is left of their data.
fn take_out_all(
    services: &Services,
    catalog: &Catalog,
    rolled: Vec<Rolled>,
) -> (Vec<(Rolled, Option<Failure>)>, Vec<Failure>) {
    let mut removal = Removal::begin(services, catalog);
    let mut done = Vec::new();
    for rolled in rolled {
        let stays = match &rolled.entry {
            Entry::Cluster(_) => take_out(&mut removal, &rolled).err(),
            _ if rolled.scratch => {
                removal.out_already(&rolled.entry);
                None
            }
            _ => None,
        };
        done.push((rolled, stays));
    }
    (done, removal.end())
}

/// Takes out a cluster, and before it what hangs on it: all of them or none.
fn take_out(removal: &mut Removal<'_>, rolled: &Rolled) -> Result<(), Failure> {
    let all = with_related(&*removal.catalog().contents()?, rolled.entry.name())?;
    for entry in &all {
        removal.condemn(entry)?;
    }
    for entry in &all {
        if rolled.scratch {
            removal.scratch(entry, entry.attributes().is_some_and(|a| a.erase))?
        } else {
            let _condemned = removal.condemn(entry)?;
            removal.forget(entry)?;
        }
    }
    Ok(())
}
