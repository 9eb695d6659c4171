//! The alternate indexes of a base that another has taken the place of: they are emptied and built anew.
//!
//! They are out of step with the base from the switch on, which each open finds out, until they are built.

use super::super::bldindex::Bldindex;
use super::super::failure::Failure;
use super::super::making::lock;
use super::super::Services;
use super::not_imported;
use super::stored::files;
use crate::named::Named;
use crate::report::Report;
use crate::trouble::not_opened;
use cica_catalog::{Catalog, Cluster, Contents, Entry, Name};
use cica_engine::{Access, Durability, Io, Logging, OpenError, OpenOptions};

/// How an alternate index is opened to be built anew.
const EMPTIED: OpenOptions = OpenOptions {
    access: Access::Output,
    reset: true,
    reset_anyway: true,
    alone: false,
    durability: Durability::Close,
    io: Io::Auto,
    log: Logging::Undo,
    buffers: None,
    keeps: false,
};

/// The alternate indexes of the base of this name.
pub fn of_base<'c>(contents: &'c Contents, base: &'c Name) -> impl Iterator<Item = &'c Entry> {
    let related = contents.related(base);
    related.filter(|entry| matches!(entry, Entry::Aix(_)))
}

/// Names of the alternate indexes of `old` that were built, and must be again when `new` has its place.
///
/// # Errors
/// Their pointers cannot lead into the new one, or somebody has one of them open.
pub fn to_build(services: &Services, catalog: &Catalog, old: &Cluster, new: &Cluster) -> Result<Vec<Name>, Failure> {
    let contents = catalog.contents()?;
    let mut names = Vec::new();
    for entry in of_base(&contents, &old.name) {
        let Some((data, _)) = files(catalog, entry)? else {
            continue;
        };
        if old.organization != new.organization || old.attributes.keys != new.attributes.keys {
            let words = format!(
                "the data set there has the alternate index {}, which points to its records by key or RBA, and the one \
                 in the copy has others. Delete the alternate index, and define it again afterwards",
                entry.name()
            );
            return Err(not_imported(&new.name, &words));
        }
        let opened = |error| not_opened(entry.name().as_str(), &error);
        if services.engine.peek(&data).map_err(opened)?.levels > 0 {
            lock(&*services.disk, &data)?;
            names.push(entry.name().clone());
        }
    }
    Ok(names)
}

/// Builds these alternate indexes of a new base; returns the condition code, and the names of those that are built.
pub fn build(
    services: &mut Services,
    catalog: &Catalog,
    base: &Name,
    indexes: &[Name],
    out: &mut Report,
) -> Result<(u8, Vec<Name>), Failure> {
    if indexes.is_empty() {
        return Ok((0, Vec::new()));
    }
    let contents = catalog.contents()?;
    for name in indexes {
        // What it has is of other records; BLDINDEX takes no other that was defined NOREUSE.
        if let Some((data, index)) = files(catalog, contents.get(name)?)? {
            let emptied = services.engine.open(&data, &index, EMPTIED).and_then(|index| {
                let closed = index.close();
                closed.map(drop).map_err(|error| OpenError::Unusable {
                    path: data.clone(),
                    what: error.to_string(),
                })
            });
            emptied.map_err(|error| not_opened(name.as_str(), &error))?;
        }
    }
    let built = services.bldindex(&Bldindex {
        base: Named::DataSet(base.to_string()),
        indexes: indexes.iter().map(|name| Named::DataSet(name.to_string())).collect(),
    });
    out.extend(built.messages);
    Ok((built.condition, built.result))
}
