//! What a unit of recovery in doubt has changed stays what it is until somebody decides about the unit
//! (docs/design/0049).
//!
//! 1. Its entry stays in its catalog, under its name and with its files: whoever takes entries out (`removal`) or puts
//!    others into their place (`making`) looks here before. A generation that would roll off stays in its group.
//! 2. Which unit it is, is said, and that it is to be committed or taken back first.

use super::failure::Failure;
use super::Services;
use cica_catalog::{Catalog, Entry};

/// Refuses what would take the data set of this entry away, or give it other files.
///
/// # Errors
/// A unit in doubt has changed it; files of units in doubt cannot be read.
pub fn check(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<(), Failure> {
    if !matches!(entry, Entry::Cluster(_) | Entry::Aix(_)) {
        return Ok(());
    }
    // Of a volume that is not there the name says which data set it is.
    let data = entry.components().next().map(|(_, data)| catalog.component_path(data));
    let data = data.and_then(Result::ok).unwrap_or_default();
    Ok(services.engine.check_decided(&data, entry.name().as_str())?)
}

/// The same for all entries of a catalog that goes.
///
/// # Errors
/// The same, of any of them.
pub fn check_all(services: &Services, catalog: &Catalog) -> Result<(), Failure> {
    let contents = catalog.contents()?;
    for entry in contents.entries() {
        check(services, catalog, entry)?;
    }
    Ok(())
}
