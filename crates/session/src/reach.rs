//! From a name to the entry whose records it means: aliases and paths are followed.

use crate::error::SessionError;
use cica_catalog::entry::Kind;
use cica_catalog::{CatalogError, Cluster, Contents, Entry, Name};

/// The cluster of this name, or the one an alias or path of this name leads to.
///
/// # Errors
/// Not in the catalog, a component's name, an entry without records, or a circle of aliases.
pub fn reach<'a>(contents: &'a Contents, name: &Name) -> Result<&'a Cluster, SessionError> {
    let mut at = name.clone();
    // Each step leads to another entry, so a chain longer than the catalog is a circle.
    for _ in 0..=contents.entries().count() {
        at = match contents.get(&at) {
            Ok(Entry::Cluster(cluster)) => return Ok(cluster),
            Ok(Entry::Alias(alias)) => alias.relate.clone(),
            Ok(Entry::Path(path)) => path.target.clone(),
            Ok(other) => return Err(no_records(&at, other.kind())),
            Err(error) => return Err(component(contents, &at).unwrap_or(error.into())),
        };
    }
    Err(SessionError::Circle { name: name.clone() })
}

fn no_records(name: &Name, kind: Kind) -> SessionError {
    SessionError::NoRecords {
        name: name.clone(),
        kind,
    }
}

/// What is no entry may be the name of a component, and then a better answer is known than "not found".
fn component(contents: &Contents, name: &Name) -> Option<SessionError> {
    let found = contents.find(name)?;
    Some(SessionError::Component {
        name: name.clone(),
        kind: found.kind(),
        of: found.entry().name().clone(),
    })
}

impl SessionError {
    /// No entry of that name: what an OPEN for output may answer by making one.
    pub fn is_not_found(&self) -> bool {
        matches!(self, SessionError::Catalog(CatalogError::NotFound { .. }))
    }
}
